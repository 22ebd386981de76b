/* SPDX-License-Identifier: MIT */
/*
 * batch.c: turns a batch of changes into an edit list.
 *
 * This file validates the changes and chooses a strategy. In a batch without moves, for a tree
 * without unique ids, each change is an edit. A batch with more changes than a quarter of the
 * number of items is applied to an array of all items (batch_flatten.c). In other batches, each id
 * or item is looked up (batch_distinct.c) or, if several changes address the same one, the changes
 * are replayed in order (batch_replay.c).
 */
#include "config.h"

#include "tree/batch.h"

#include <string.h>

#include "base/error_internal.h"
#include "base/validate.h"
#include "memory/memory_internal.h"
#include "tree/batch_input.h"
#include "tree/batch_plan.h"
#include "tree/edit_list.h"
#include "tree/item_hash.h"
#include "tree/node.h"
#include "tree/tree_internal.h"

#ifndef PQT_PLAIN
/* A batch of more changes than 1 / BULK_DIVISOR of the items is applied to an array of all items.
   For fewer changes, it costs less to look up each id and to sort the edits. */
enum { BULK_DIVISOR = 4 };
#endif

/* Returns true if a tree can store the items as they are, bit for bit: all are valid and without
   -0.0, and the bounds are not strict. */
static bool
are_ready(const pqt_tree *tree, const pqt_item *items, size_t count)
{
    bool ready = true;
    if (tree->domain->options.strict_bounds)
        return false;
    for (size_t i = 0; i < count; i++)
        ready &= pqti_box_is_canonical(&items[i].box);
    return ready;
}

static bool
validate_all_changes(const pqt_tree *tree, const pqti_change_array *changes, size_t *inserts,
                     pqt_error *error)
{
    *inserts = 0;
    for (size_t i = 0; i < changes->count; i++) {
        const pqt_box *box = pqti_inserted_item(changes, i);
        bool fine = box == NULL || (pqti_box_is_valid(box) && !tree->domain->options.strict_bounds);
        if (!fine && !pqti_validate_change(tree, changes, i, error))
            return false;
        *inserts += pqti_change_kind_at(changes, i) == PQT_INSERT;
    }
    return true;
}

/*
 * Returns true if no change depends on the items of the tree, because ids need not be unique and no
 * change is a move.
 */
static bool
are_independent(const pqt_tree *tree, const pqti_change_array *changes)
{
    if (tree->domain->options.unique_ids)
        return false;
    for (size_t i = 0; changes->changes != NULL && i < changes->count; i++)
        if (pqti_moves(changes->changes[i].kind))
            return false;
    return true;
}

static void
add_independent_changes(const pqti_change_array *changes, pqti_edit_list *edit_list)
{
    for (size_t i = 0; i < changes->count; i++) {
        pqt_change change = pqti_change_at(changes, i);
        if (!pqti_is_noop(&change))
            pqti_edit_list_add_item(edit_list, &change.item, change.kind == PQT_REMOVE);
    }
}

static pqti_plan_result
plan_changes(const pqti_batch *batch, pqti_edit_list *edit_list)
{
    bool unique = batch->tree->domain->options.unique_ids;
    if (!pqti_edit_list_make(edit_list, 2 * batch->changes->count, unique))
        return PQTI_PLAN_NO_MEMORY;
    pqti_plan_result plan = PQTI_PLAN_NOT_APPLICABLE;
#ifndef PQT_PLAIN
    plan = unique ? pqti_plan_distinct_ids(batch, edit_list)
                  : pqti_plan_distinct_items(batch, edit_list);
#endif
    if (plan == PQTI_PLAN_NOT_APPLICABLE)
        plan = pqti_plan_replay(batch, edit_list) ? PQTI_PLAN_MADE : PQTI_PLAN_NO_MEMORY;
    if (plan == PQTI_PLAN_NO_MEMORY)
        pqti_edit_list_free(edit_list);
    return plan;
}

static void
assert_kinds(const pqt_tree *tree, const pqt_change *changes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        PQT_ASSERT_IN("pqt_tree_apply",
                      changes[i].kind >= PQT_INSERT && changes[i].kind <= PQT_MOVE_ID,
                      "a change must be of one of the kinds of pqt_change_kind");
        PQT_ASSERT_IN("pqt_tree_apply",
                      changes[i].kind < PQT_REMOVE_ID || tree->domain->options.unique_ids,
                      "changes by id need a tree with unique_ids");
    }
}

static pqti_plan_result
plan_edit_list(const pqt_tree *tree, const pqti_change_array *changes, size_t inserts,
               pqti_edit_list *edit_list)
{
    pqti_batch batch = {tree, changes};
    pqti_plan_result plan = PQTI_PLAN_NOT_APPLICABLE;
    if (are_independent(tree, changes)) {
        if (!pqti_edit_list_make(edit_list, changes->count, false))
            return PQTI_PLAN_NO_MEMORY;
        add_independent_changes(changes, edit_list);
        return PQTI_PLAN_MADE;
    }
#ifdef PQT_PLAIN
    (void)inserts;
#else
    if (tree->count == 0 && tree->domain->options.unique_ids && changes->changes == NULL &&
        changes->kind == PQT_INSERT)
        plan = pqti_plan_first_items(&batch, edit_list);
    if (plan == PQTI_PLAN_NOT_APPLICABLE && changes->count > tree->count / BULK_DIVISOR)
        plan = pqti_plan_flatten(&batch, inserts, edit_list);
#endif
    return plan == PQTI_PLAN_NOT_APPLICABLE ? plan_changes(&batch, edit_list) : plan;
}

static bool
edit_list_of_changes(const pqt_tree *tree, const pqti_change_array *changes,
                     pqti_edit_list *edit_list, pqt_error *error)
{
    size_t inserts;
    if (!pqti_may_count(changes->count, error) ||
        !validate_all_changes(tree, changes, &inserts, error))
        return false;
    if (plan_edit_list(tree, changes, inserts, edit_list) == PQTI_PLAN_MADE)
        return true;
    pqti_out_of_memory(error);
    return false;
}

bool
pqti_edit_list_of(const pqt_tree *tree, const pqt_change *changes, size_t count,
                  pqti_edit_list *edit_list, pqt_error *error)
{
    if (count <= PQT_MAX_ITEMS)
        assert_kinds(tree, changes, count);
    return edit_list_of_changes(tree, &(pqti_change_array){.changes = changes, .count = count},
                                edit_list, error);
}

bool
pqti_edit_list_of_items(const pqt_tree *tree, pqt_change_kind kind, const pqt_item *items,
                        size_t count, pqti_edit_list *edit_list, pqt_error *error)
{
    if (kind == PQT_INSERT && !tree->domain->options.unique_ids && count <= PQT_MAX_ITEMS &&
        are_ready(tree, items, count)) {
        *edit_list = (pqti_edit_list){.items = items, .count = count};
        return true;
    }
    return edit_list_of_changes(
        tree, &(pqti_change_array){.items = items, .kind = kind, .count = count}, edit_list, error);
}
