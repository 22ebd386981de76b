/* SPDX-License-Identifier: MIT */
/*
 * edit_list.c: makes and sorts edit lists, and drops edits that later edits of the same item
 * override.
 */
#include "config.h"

#include "tree/edit_list.h"

#include <string.h>

#include "memory/memory_internal.h"
#include "tree/item_hash.h"

void
pqti_edit_list_add_item(pqti_edit_list *edit_list, const pqt_item *item, bool removal)
{
    edit_list->storage[edit_list->count] = *item;
    edit_list->removals[edit_list->count++] = removal;
}

void
pqti_edit_list_add(pqti_edit_list *edit_list, const pqti_net_change *net_change,
                   const pqti_domain *domain)
{
    if (!net_change->was_present && !net_change->is_present)
        return;
    if (net_change->was_present && net_change->is_present &&
        memcmp(&net_change->before, &net_change->after, sizeof net_change->before) == 0)
        return;
    if (net_change->was_present)
        pqti_edit_list_add_item(edit_list, &net_change->before, true);
    if (net_change->is_present)
        pqti_edit_list_add_item(edit_list, &net_change->after, false);
    if (!domain->options.unique_ids)
        return;
    const pqt_item *named = net_change->is_present ? &net_change->after : &net_change->before;
    edit_list->id_edits[edit_list->id_count++] =
        pqti_id_edit_of(domain, named, !net_change->is_present);
}

bool
pqti_edit_list_make(pqti_edit_list *edit_list, size_t count, bool unique)
{
    *edit_list = (pqti_edit_list){0};
    edit_list->items = edit_list->storage = pqti_alloc_scratch(count, sizeof *edit_list->storage);
    edit_list->removals = pqti_alloc_scratch(count, sizeof *edit_list->removals);
    if (unique)
        edit_list->id_edits = pqti_alloc_scratch(count, sizeof *edit_list->id_edits);
    if (edit_list->items != NULL && edit_list->removals != NULL &&
        (!unique || edit_list->id_edits != NULL))
        return true;
    pqti_edit_list_free(edit_list);
    return false;
}

void
pqti_edit_list_free(pqti_edit_list *edit_list)
{
    pqti_free_scratch(edit_list->storage);
    pqti_free_scratch(edit_list->removals);
    pqti_free_scratch(edit_list->id_edits);
    pqti_free_scratch(edit_list->sorted);
    *edit_list = (pqti_edit_list){0};
}

void
pqti_edit_list_sort(const pqti_domain *domain, const pqti_edit_list *edit_list, pqti_key *keys,
                    pqti_key *spare)
{
    pqti_keys_of(domain, edit_list->items, edit_list->count, keys);
    for (size_t i = 0; edit_list->removals != NULL && i < edit_list->count; i++)
        keys[i].removal = edit_list->removals[i];
    pqti_sort(keys, edit_list->count, spare, edit_list->items);
}

/* The sort is stable and makes edits of equal items adjacent. The items are scattered in memory,
   so they are compared only if their keys are equal. */
size_t
pqti_dedup_keep_last(pqti_key *keys, size_t count, const pqt_item *items)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && !keys[i].new_hash && keys[i - 1].centre == keys[i].centre &&
            memcmp(&items[keys[i - 1].index], &items[keys[i].index], sizeof *items) == 0)
            kept--;
        if (kept < i)
            keys[kept] = keys[i];
        kept++;
    }
    return kept;
}

bool
pqti_edits_are_sorted(const pqti_edits *edits)
{
    for (size_t i = 1; i < edits->count; i++) {
        const pqti_key *a = &edits->keys[i - 1], *b = &edits->keys[i];
        if (pqti_compare(a, &edits->items[a->index], b, &edits->items[b->index]) >= 0)
            return false;
    }
    return true;
}
