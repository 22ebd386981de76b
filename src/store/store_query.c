/* SPDX-License-Identifier: MIT */
/*
 * store_query.c: visits the changes of entries for queries of past versions, without loading a
 * version.
 *
 * The changes of an entry are those that pqt_tree_visit_diff finds between its parent's version and
 * its own, in the same order.
 */
#include "config.h"

#include "base/cancellation.h"
#include "base/error_internal.h"
#include "store/store_internal.h"
#include "tree/history/tree_history.h"

bool
pqti_store_not_covered(uint64_t number, pqt_error *error)
{
    pqti_error_set(
        error, PQT_ERROR_MISMATCH, (size_t)number,
        "entry %llu: indexed: its bounds, options or parts differ from those of its parent",
        (unsigned long long)number);
    return false;
}

/* Reads the changes to the trees of a record. */
static bool
read_trees(const pqt_history *history, uint32_t slot, pqti_changes *changes, pqt_error *error)
{
    const uint64_t number = history->records[slot].number;
    pqt_error failure = {0};
    if (history->records[slot].encoding == PQTI_NO_CHANGE)
        return pqti_store_not_covered(number, error);
    if (pqti_store_read_change(history, slot, false, changes, &failure))
        return true;
    if (failure.status == PQT_ERROR_MISMATCH)
        return pqti_store_not_covered(number, error);
    pqti_error_set(error, failure.status, failure.index, "%s", failure.text);
    return false;
}

bool
pqti_store_visit_changes(const pqt_history *history, uint32_t slot, size_t tree,
                         pqt_visit_change_fn *visit, void *context, pqt_error *error)
{
    PQTI_NOT_CANCELLABLE;
    const pqt_store *store = history->store;
    pqti_changes changes;
    pqti_changes_begin(&changes, store->kind, pqt_history_value(history), history->memory);
    changes.only = PQT_KIND_TREE;
    bool done = read_trees(history, slot, &changes, error);
    const size_t position = pqti_history_position_of_tree(history, tree);
    const pqti_part_changes *part = &changes.parts[position];
    const pqt_change *items = part->array;
    for (size_t i = 0; i < part->count && done; i++)
        done = visit(&items[i], context);
    pqti_changes_free(&changes);
    return done;
}
