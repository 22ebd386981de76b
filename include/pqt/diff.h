/* SPDX-License-Identifier: MIT */
/**
 * @file diff.h - the changes between two versions.
 *
 * Versions with equal bounds and options have equal nodes where their items are equal. A diff
 * traverses both versions at once and skips equal subtrees. A shared subtree, to which both
 * versions have the same pointer, is equal. If the versions were made separately, subtrees are
 * equal if their fingerprints (128 bits), counts and bounds are. This is safe against accidental
 * collisions, but not against deliberate ones.
 *
 * A diff is a list of changes that pqt_tree_apply takes: they turn `before` into `after`. With a
 * query, only items that match its window and its filter count: an item that left the window is
 * removed, one that entered it is inserted, and items outside are ignored.
 *
 * The order of changes depends on the two versions only. It is the tree order of the items
 * (query.h); a moved item has its old place in this order.
 *
 * All functions here require versions of equal bounds, options and memory.
 */
#ifndef PQT_DIFF_H
#define PQT_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt/box.h>
#include <pqt/error.h>
#include <pqt/export.h>
#include <pqt/query.h>
#include <pqt/tree.h>

PQT_BEGIN_DECLARATIONS

/**
 * Visits one change.
 *
 * @param change   valid during the call
 * @param context  as passed to the function that visits
 * @return         true to continue, false to stop
 */
typedef bool pqt_visit_change_fn(const pqt_change *change, void *context);

/** @name Changes between two versions */
/** @{ */

/**
 * Visits the changes that turn one version into another: PQT_INSERT, PQT_REMOVE and PQT_MOVE.
 *
 * An item has *moved* if its id occurs exactly once among the removed and exactly once among the
 * inserted items. With unique ids, the versions' id maps answer this, and nothing is allocated.
 * Without them, the changes are first listed in scratch memory.
 *
 * @param before   any version
 * @param after    a version of equal bounds, options and memory; only max_depth may differ
 * @param query    NULL: all changes; otherwise the changes of items that match. Its statistics
 *                 count the nodes and leaves entered in both versions, and the items compared one
 *                 by one. In two leaves, these are the items between their common beginning and end
 * @param visit    called for each change
 * @param context  passed to `visit`
 * @return         true if every change was visited; false on failure, or if `visit` stopped it
 *
 * @error PQT_ERROR_MISMATCH  bounds, options or memories differ; the text names the first that does
 * @error PQT_ERROR_BOX       the window contains NaN or is inverted
 * @error PQT_ERROR_MEMORY    out of memory for the list; never with unique ids
 *
 * @cost    O(changes x depth); O(nodes that differ) for versions that share nothing; if max_depth
 *          differs, `after` is first built again, in its memory: O(n log n)
 * @thread  any number at once
 */
PQT_API bool pqt_tree_visit_diff(const pqt_tree *before, const pqt_tree *after,
                                 const pqt_query *query, pqt_visit_change_fn *visit, void *context,
                                 pqt_error *error);

/**
 * Writes changes into an array, in the order of pqt_tree_visit_diff.
 *
 * @param before    as for pqt_tree_visit_diff
 * @param after     as for pqt_tree_visit_diff
 * @param query     as for pqt_tree_visit_diff
 * @param changes   set to the first changes
 * @param capacity  the number of changes that fit
 * @param count     set to the number of all changes; unchanged on failure
 * @return          false on failure, with the errors of pqt_tree_visit_diff
 */
PQT_API bool pqt_diff_collect(const pqt_tree *before, const pqt_tree *after, const pqt_query *query,
                              pqt_change *changes, size_t capacity, size_t *count,
                              pqt_error *error);

/**
 * Covers the changes with a few boxes, for instance to redraw them.
 *
 * Each old and each new box of an item that was removed, inserted or moved is within one of the
 * boxes. If there are too many boxes, those neighbours are united whose union adds the least area.
 *
 * @param before    as for pqt_tree_visit_diff
 * @param after     as for pqt_tree_visit_diff
 * @param query     as for pqt_tree_visit_diff
 * @param boxes     set to the boxes, world units; not NULL
 * @param capacity  the number of boxes that fit, at least 1
 * @param count     set to the number of boxes, at most `capacity`; 0 if nothing has changed;
 *                  unchanged on failure
 * @return          false on failure
 *
 * @error PQT_ERROR_MISMATCH, PQT_ERROR_BOX  as pqt_tree_visit_diff
 * @cost  O(changes x (depth + boxes)); allocates nothing
 */
PQT_API bool pqt_diff_damage(const pqt_tree *before, const pqt_tree *after, const pqt_query *query,
                             pqt_box *boxes, size_t capacity, size_t *count, pqt_error *error);
/** @} */

PQT_END_DECLARATIONS

#endif
