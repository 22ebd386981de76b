/* SPDX-License-Identifier: MIT */
/* edit_list.c - lists of edits: made, sorted, and rid of what is overruled. */
#include "config.h"

#include "tree/edit_list.h"

#include <string.h>

#include "memory/memory_internal.h"
#include "tree/item_hash.h"

void
pqti_wish_item(pqti_wishes *wishes, const pqt_item *item, bool removal)
{
    wishes->room[wishes->count] = *item;
    wishes->removals[wishes->count++] = removal;
}

void
pqti_wish(pqti_wishes *wishes, const pqti_fate *fate, bool unique_ids)
{
    if (!fate->was && !fate->is)
        return;
    if (fate->was && fate->is && memcmp(&fate->before, &fate->after, sizeof fate->before) == 0)
        return;
    if (fate->was)
        pqti_wish_item(wishes, &fate->before, true);
    if (fate->is)
        pqti_wish_item(wishes, &fate->after, false);
    if (!unique_ids)
        return;
    const pqt_item *named = fate->is ? &fate->after : &fate->before;
    wishes->id_edits[wishes->id_count++] =
        (pqti_id_edit){pqti_id_key(named->id), *named, !fate->is};
}

bool
pqti_wishes_make(pqti_wishes *wishes, size_t count, bool unique)
{
    *wishes = (pqti_wishes){0};
    wishes->items = wishes->room = pqti_scratch(count, sizeof *wishes->room);
    wishes->removals = pqti_scratch(count, sizeof *wishes->removals);
    if (unique)
        wishes->id_edits = pqti_scratch(count, sizeof *wishes->id_edits);
    if (wishes->items != NULL && wishes->removals != NULL && (!unique || wishes->id_edits != NULL))
        return true;
    pqti_wishes_free(wishes);
    return false;
}

void
pqti_wishes_free(pqti_wishes *wishes)
{
    pqti_scratch_free(wishes->room);
    pqti_scratch_free(wishes->removals);
    pqti_scratch_free(wishes->id_edits);
    pqti_scratch_free(wishes->sorted);
    *wishes = (pqti_wishes){0};
}

void
pqti_sort_wishes(const pqti_space *space, const pqti_wishes *wishes, pqti_entry *entries,
                 pqti_entry *spare)
{
    pqti_entries_of(space, wishes->items, wishes->count, entries);
    for (size_t i = 0; wishes->removals != NULL && i < wishes->count; i++)
        entries[i].removal = wishes->removals[i];
    pqti_sort(entries, wishes->count, spare, wishes->items);
}

/* Equal ones stand together, in the order of the wishes. Items lie anywhere: they are looked at
   where nothing else tells them apart. */
size_t
pqti_drop_overruled(pqti_entry *entries, size_t count, const pqt_item *items)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && !entries[i].unlike && entries[i - 1].centre == entries[i].centre &&
            memcmp(&items[entries[i - 1].index], &items[entries[i].index], sizeof *items) == 0)
            kept--;
        if (kept < i)
            entries[kept] = entries[i];
        kept++;
    }
    return kept;
}
