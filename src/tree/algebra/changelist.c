/* SPDX-License-Identifier: MIT */
/* changelist.c: keeps a list of inserted and removed items in scratch memory. */
#include "config.h"

#include "tree/algebra/changelist.h"

#include <stdlib.h>
#include <string.h>

#include "base/error_internal.h"
#include "memory/memory_internal.h"
#include "tree/edit.h"
#include "tree/edit_list.h"

enum { FIRST_CAPACITY = 32 };

static bool
grow_changelist(pqti_changelist *list)
{
    size_t capacity = list->capacity == 0 ? FIRST_CAPACITY : 2 * list->capacity;
    pqt_item *items = pqti_alloc_scratch(capacity, sizeof *items);
    bool *removals = items == NULL ? NULL : pqti_alloc_scratch(capacity, sizeof *removals);
    if (removals == NULL) {
        pqti_free_scratch(items);
        return false;
    }
    if (list->count > 0) {
        memcpy(items, list->items, list->count * sizeof *items);
        memcpy(removals, list->removals, list->count * sizeof *removals);
    }
    pqti_free_scratch(list->items);
    pqti_free_scratch(list->removals);
    list->items = items;
    list->removals = removals;
    list->capacity = capacity;
    return true;
}

bool
pqti_changelist_add(pqti_changelist *list, const pqt_item *item, bool removal)
{
    if (list->count == list->capacity && !grow_changelist(list))
        return false;
    list->items[list->count] = *item;
    list->removals[list->count++] = removal;
    return true;
}

static bool
append_difference(void *state, const pqt_item *item, bool added)
{
    return pqti_changelist_add(state, item, !added);
}

bool
pqti_changelist_differences(pqti_changelist *list, const pqti_domain *domain,
                            const pqti_window *window, pqt_query_stats *stats, pqti_level level,
                            pqti_node_ref before, pqti_node_ref after)
{
    pqti_codescent codescent = {domain, window, append_difference, list, stats};
    return pqti_codescend(&codescent, level, &before, &after);
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
pqti_changelist_index(pqti_changelist *list)
{
    PQT_INVARIANT(list->by_id == NULL, "a list is indexed twice");
    list->by_id = pqti_alloc_scratch(list->count + 1, sizeof *list->by_id);
    if (list->by_id == NULL)
        return false;
    for (size_t i = 0; i < list->count; i++)
        list->by_id[i] = (pqti_id_slot){list->items[i].id, i};
    qsort(list->by_id, list->count, sizeof *list->by_id, compare_slots);
    return true;
}

size_t
pqti_changelist_run(const pqti_changelist *list, size_t from, pqt_query_stats *stats)
{
    PQT_INVARIANT(list->by_id != NULL, "the list has no index");
    size_t to = from;
    while (to < list->count && list->by_id[to].id == list->by_id[from].id)
        to++;
    if (stats != NULL)
        stats->boxes += to - from;
    return to;
}

/*
 * Returns the edit of the id map for a run of items with equal ids: it sets the last inserted item,
 * or removes the id if none is inserted.
 */
static pqti_id_edit
edit_of_run(const pqti_changelist *list, const pqti_domain *domain, size_t from, size_t to)
{
    size_t last = list->by_id[from].index;
    for (size_t i = from; i < to; i++)
        if (!list->removals[list->by_id[i].index])
            last = list->by_id[i].index;
    return pqti_id_edit_of(domain, &list->items[last], list->removals[last]);
}

size_t
pqti_changelist_id_edits(const pqti_changelist *list, const pqti_domain *domain,
                         pqti_id_edit *edits)
{
    size_t count = 0;
    for (size_t from = 0, to; from < list->count; from = to) {
        to = pqti_changelist_run(list, from, NULL);
        edits[count++] = edit_of_run(list, domain, from, to);
    }
    return count;
}

bool
pqti_changelist_edit(const pqti_changelist *list, const pqti_domain *domain, pqti_level level,
                     pqti_node_ref *ref)
{
    pqt_fingerprint ignored = {0, 0};
    if (list->count == 0)
        return true;
    pqti_key *keys = pqti_alloc_scratch(list->count, sizeof *keys);
    if (keys == NULL)
        return false;
    pqti_keys_of(domain, list->items, list->count, keys);
    for (size_t i = 0; i < list->count; i++)
        keys[i].removal = list->removals[i];
    pqti_edits edits = {list->items, keys, list->count, false};
    pqti_outcome outcome = pqti_edit(domain, level, edits, ref, &ignored);
    pqti_free_scratch(keys);
    return outcome != PQTI_FAILED;
}

void
pqti_changelist_free(pqti_changelist *list)
{
    pqti_free_scratch(list->items);
    pqti_free_scratch(list->removals);
    pqti_free_scratch(list->by_id);
    *list = (pqti_changelist){0};
}
