/* SPDX-License-Identifier: MIT */
/**
 * @file diff.h - what has changed from one version to another.
 *
 * Versions of equal bounds and options have equal shapes at equal places. So two of them are walked
 * side by side, and what is the same is passed over: subtrees that they share, because they are one
 * pointer; subtrees of versions that were made apart, because their fingerprints (128 bits), the
 * counts and the bounds of their parts are equal. That guards against accident, not against
 * somebody who makes collisions on purpose.
 *
 * A difference is a list of changes that pqt_tree_apply takes: it turns `before` into `after`. With
 * a query, both versions are looked at through its window (and its filter): an item that left the
 * window is removed, one that came in is inserted, and what lies outside is left alone.
 *
 * The order of changes depends on the two versions alone: that of the items in the tree (query.h),
 * an item that moved standing where it was.
 *
 * All functions here want versions of equal bounds, options and memory.
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

/** Is handed one change, valid during the call; returns true to go on, false to stop. */
typedef bool pqt_visit_change_fn(const pqt_change *change, void *context);

/** @name What has changed */
/** @{ */

/**
 * Visits the changes that turn one version into another: PQT_INSERT, PQT_REMOVE and PQT_MOVE.
 *
 * An item has *moved* if its id occurs exactly once among the removed and once among the inserted.
 * With unique_ids that is looked up in the versions, and nothing is allocated. Without, the changes
 * are listed first, in scratch memory.
 *
 * @param before   any version; NULL passes an earlier failure on
 * @param after    a version of equal bounds, options and memory; NULL passes an earlier failure on
 * @param query    NULL: all changes; else those within its window that pass its filter. Its tally
 *                 counts the nodes and leaves entered of both versions, and the items compared one
 *                 by one: of two leaves, those between what they begin and end with alike
 * @param visit    called for each change
 * @param context  handed to `visit`
 * @param error    told why on failure; may be NULL; an error already in it is kept
 * @return         false on failure; true if all changes were visited or `visit` stopped
 *
 * @error PQT_ERROR_MISMATCH  bounds, options or memories differ; the text names the first that does
 * @error PQT_ERROR_BOX       the window is NaN or inside out
 * @error PQT_ERROR_MEMORY    no memory for the list; never with unique_ids
 *
 * @cost    O(changes x depth); versions that share nothing, O(nodes that differ)
 * @thread  any number at once
 * @since   0.1
 */
PQT_API bool pqt_diff_visit(const pqt_tree *before, const pqt_tree *after, const pqt_query *query,
                            pqt_visit_change_fn *visit, void *context, pqt_error *error);

/**
 * As pqt_diff_visit, but moved items are told as removed and inserted, each at its place.
 *
 * It allocates nothing, and hands over each change as it is found.
 *
 * @error PQT_ERROR_MISMATCH, PQT_ERROR_BOX
 * @since 0.1
 */
PQT_API bool pqt_diff_visit_unpaired(const pqt_tree *before, const pqt_tree *after,
                                     const pqt_query *query, pqt_visit_change_fn *visit,
                                     void *context, pqt_error *error);

/**
 * Writes changes into an array, in the order of pqt_diff_visit.
 *
 * @param changes  room for `*count` changes; NULL if that is 0
 * @param count    on entry, how many are written at most; on return, how many there are in all:
 *                 more than on entry if there was too little room; left alone on failure
 * @return         false on failure, with the errors of pqt_diff_visit
 * @since 0.1
 */
PQT_API bool pqt_diff_collect(const pqt_tree *before, const pqt_tree *after, const pqt_query *query,
                              pqt_change *changes, size_t *count, pqt_error *error);

/**
 * Covers what has changed with a few boxes: what must be drawn again.
 *
 * Each box that an item had before and has no more, or has now and had not, lies within one of
 * them. Where there are too many, neighbours are joined whose common box wastes least.
 *
 * @param boxes  room for `*count` boxes, world units
 * @param count  on entry, how many boxes there may be, at least 1; on return, how many there are: 0
 *               if nothing has changed; left alone on failure
 * @return       false on failure
 *
 * @error PQT_ERROR_MISMATCH, PQT_ERROR_BOX  as pqt_diff_visit
 * @cost    O(changes x (depth + boxes)); allocates nothing
 * @since   0.1
 */
PQT_API bool pqt_diff_damage(const pqt_tree *before, const pqt_tree *after, const pqt_query *query,
                             pqt_box *boxes, size_t *count, pqt_error *error);
/** @} */

PQT_END_DECLARATIONS

#endif
