/* SPDX-License-Identifier: MIT */
/*
 * batch_first.c: plans the first items of a tree with unique ids.
 *
 * Fast path. It is equivalent to pqti_plan_replay. Every test passes without it.
 *
 * An empty tree has no ids to look up, and the edits of its id map must be sorted anyway. Sorting
 * makes equal ids adjacent, so no hash table is needed to find them. If there are any, the order of
 * the items matters, and another strategy plans the batch. The keys that sort the items give the
 * locators too.
 */
#include "config.h"

#include "base/validate.h"
#include "memory/memory_internal.h"
#include "tree/batch_input.h"
#include "tree/batch_plan.h"
#include "tree/edit_list.h"
#include "tree/node.h"

#ifndef PQT_PLAIN

/* Sets the items of the edit list: the caller's array if the tree can store it bit for bit,
   otherwise a copy. Returns false when out of memory. */
static bool
take_items(const pqti_change_array *changes, pqti_edit_list *edit_list)
{
    bool canonical = true;
    for (size_t i = 0; i < changes->count; i++)
        canonical &= pqti_box_is_canonical(&changes->items[i].box);
    edit_list->items = changes->items;
    if (canonical)
        return true;
    edit_list->items = edit_list->storage =
        pqti_alloc_scratch(changes->count, sizeof *edit_list->storage);
    for (size_t i = 0; edit_list->storage != NULL && i < changes->count; i++)
        edit_list->storage[i] = pqti_target_item(changes, i);
    return edit_list->storage != NULL;
}

/* Computes the keys of the items, and the edits of the id map. */
static void
compute_edits(const pqti_domain *domain, pqti_edit_list *edit_list)
{
    pqti_keys_of(domain, edit_list->items, edit_list->count, edit_list->sorted);
    for (size_t i = 0; i < edit_list->count; i++) {
        const pqt_item *item = &edit_list->items[i];
        edit_list->id_edits[i] = (pqti_id_edit){
            pqti_id_key(item->id), pqti_locator_at(&edit_list->sorted[i], item), false};
    }
}

static bool
repeats_an_id(const pqti_edit_list *edit_list)
{
    for (size_t i = 1; i < edit_list->id_count; i++)
        if (edit_list->id_edits[i - 1].key == edit_list->id_edits[i].key)
            return true;
    return false;
}

static pqti_plan_result
plan_in_list(const pqti_batch *batch, pqti_edit_list *edit_list)
{
    const size_t count = edit_list->count;
    if (!take_items(batch->changes, edit_list))
        return PQTI_PLAN_NO_MEMORY;
    edit_list->id_edits = pqti_alloc_scratch(count, sizeof *edit_list->id_edits);
    edit_list->sorted = pqti_alloc_scratch(count, 2 * sizeof *edit_list->sorted);
    if (edit_list->id_edits == NULL || edit_list->sorted == NULL)
        return PQTI_PLAN_NO_MEMORY;
    compute_edits(batch->tree->domain, edit_list);
    if (!pqti_idmap_sort(edit_list->id_edits, count))
        return PQTI_PLAN_NO_MEMORY;
    if (repeats_an_id(edit_list))
        return PQTI_PLAN_NOT_APPLICABLE;
    pqti_sort(edit_list->sorted, count, edit_list->sorted + count, edit_list->items);
    return PQTI_PLAN_MADE;
}

pqti_plan_result
pqti_plan_first_items(const pqti_batch *batch, pqti_edit_list *edit_list)
{
    const size_t count = batch->changes->count;
    *edit_list = (pqti_edit_list){.count = count, .sorted_count = count, .id_count = count};
    const pqti_plan_result plan = plan_in_list(batch, edit_list);
    if (plan != PQTI_PLAN_MADE)
        pqti_edit_list_free(edit_list);
    return plan;
}

#endif
