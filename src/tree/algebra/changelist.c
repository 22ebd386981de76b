/* SPDX-License-Identifier: MIT */
/* changelist.c - items that come and go, in scratch memory. */
#include "config.h"

#include "tree/algebra/changelist.h"

#include <stdlib.h>
#include <string.h>

#include "base/error_internal.h"
#include "memory/memory_internal.h"
#include "tree/edit.h"
#include "tree/edit_list.h"

enum { FIRST_ROOM = 32 };

static bool
grow(pqti_list *list)
{
    size_t room = list->room == 0 ? FIRST_ROOM : 2 * list->room;
    pqt_item *items = pqti_scratch(room, sizeof *items);
    bool *removals = items == NULL ? NULL : pqti_scratch(room, sizeof *removals);
    if (removals == NULL) {
        pqti_scratch_free(items);
        return false;
    }
    if (list->count > 0) {
        memcpy(items, list->items, list->count * sizeof *items);
        memcpy(removals, list->removals, list->count * sizeof *removals);
    }
    pqti_scratch_free(list->items);
    pqti_scratch_free(list->removals);
    list->items = items;
    list->removals = removals;
    list->room = room;
    return true;
}

bool
pqti_list_add(pqti_list *list, const pqt_item *item, bool removal)
{
    if (list->count == list->room && !grow(list))
        return false;
    list->items[list->count] = *item;
    list->removals[list->count++] = removal;
    return true;
}

static bool
add_found(void *state, const pqt_item *item, bool added)
{
    return pqti_list_add(state, item, !added);
}

bool
pqti_list_differences(pqti_list *list, const pqti_space *space, const pqti_window *window,
                      pqt_tally *tally, pqti_place place, pqti_ref before, pqti_ref after)
{
    pqti_differ differ = {space, window, add_found, list, tally};
    return pqti_differ_at(&differ, place, before, after);
}

static int
compare_slots(const void *a, const void *b)
{
    const pqti_id_slot *x = a, *y = b;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

bool
pqti_list_index(pqti_list *list)
{
    PQT_INVARIANT(list->by_id == NULL, "a list is indexed once");
    list->by_id = pqti_scratch(list->count + 1, sizeof *list->by_id);
    if (list->by_id == NULL)
        return false;
    for (size_t i = 0; i < list->count; i++)
        list->by_id[i] = (pqti_id_slot){list->items[i].id, i};
    qsort(list->by_id, list->count, sizeof *list->by_id, compare_slots);
    return true;
}

size_t
pqti_list_run(const pqti_list *list, size_t from, pqt_tally *tally)
{
    size_t to = from;
    while (to < list->count && list->by_id[to].id == list->by_id[from].id)
        to++;
    if (tally != NULL)
        tally->boxes += to - from;
    return to;
}

/* What becomes of an id: the last item of it that comes, or else it goes. */
static pqti_id_edit
edit_of_run(const pqti_list *list, size_t from, size_t to)
{
    size_t last = list->by_id[from].index;
    for (size_t i = from; i < to; i++)
        if (!list->removals[list->by_id[i].index])
            last = list->by_id[i].index;
    const pqt_item *item = &list->items[last];
    return (pqti_id_edit){pqti_id_key(item->id), *item, list->removals[last]};
}

size_t
pqti_list_id_edits(const pqti_list *list, pqti_id_edit *edits)
{
    size_t count = 0;
    for (size_t from = 0, to; from < list->count; from = to) {
        to = pqti_list_run(list, from, NULL);
        edits[count++] = edit_of_run(list, from, to);
    }
    return count;
}

bool
pqti_list_edit(const pqti_list *list, const pqti_space *space, pqti_place place, pqti_ref *ref)
{
    pqt_fingerprint ignored = {0, 0};
    if (list->count == 0)
        return true;
    pqti_entry *entries = pqti_scratch(list->count, sizeof *entries);
    if (entries == NULL)
        return false;
    pqti_entries_of(space, list->items, list->count, entries);
    for (size_t i = 0; i < list->count; i++)
        entries[i].removal = list->removals[i];
    pqti_edits edits = {list->items, entries, list->count, false};
    pqti_outcome outcome = pqti_edit(space, place, edits, ref, &ignored);
    pqti_scratch_free(entries);
    return outcome != PQTI_FAILED;
}

void
pqti_list_free(pqti_list *list)
{
    pqti_scratch_free(list->items);
    pqti_scratch_free(list->removals);
    pqti_scratch_free(list->by_id);
    *list = (pqti_list){0};
}
