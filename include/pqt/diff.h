/* SPDX-License-Identifier: MIT */
/**
 * @file diff.h - what has changed from one version to another, and where two trees part.
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
#include <pqt/item.h>
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

/** @name Where two trees part, of which one is far away */
/** @{ */

/**
 * The way from the root to a cell: it names the same cell in all trees of equal bounds and depth,
 * on any machine. All zero: the root.
 *
 * A cell has four quarters. The bucket of a cell (the items that are larger than it or, for the
 * root's, that lie outside the bounds) is divided by quarters, too.
 */
typedef struct pqt_way {
    /** the quarters entered, two bits each, from the top bits of digits[0] on: 1 for the right
        ones, 2 for the lower ones */
    uint64_t digits[2];
    uint8_t steps;  /**< how many, 0..64 */
    uint8_t bucket; /**< 0: in no bucket; else 1 + the steps before the bucket is entered */
} pqt_way;

/** What a cell holds, in brief. */
typedef struct pqt_cell_sum {
    pqt_fingerprint fingerprint; /**< as pqt_tree_fingerprint, of these items alone */
    uint64_t count;              /**< how many items; a 64-bit number, to be sent as it is */
} pqt_cell_sum;

/**
 * What a cell holds, in brief.
 *
 * @param tree  any version
 * @param way   from whomever; one that leads nowhere leads to nothing
 * @return      sum and count; never fails
 * @cost  O(depth)
 * @since 0.1
 */
PQT_API pqt_cell_sum pqt_diff_sum_of(const pqt_tree *tree, pqt_way way);

/**
 * Writes the items of a cell into an array, in tree order.
 *
 * @param items     room for `capacity` items; NULL if capacity is 0
 * @return          how many there are in all: more than `capacity` if there was too little room
 * @since 0.1
 */
PQT_API size_t pqt_diff_items_of(const pqt_tree *tree, pqt_way way, pqt_item *items,
                                 size_t capacity);

/** Asks the other tree what a cell holds in brief, as pqt_diff_sum_of there. false: it failed. */
typedef bool pqt_fetch_sum_fn(const pqt_way *way, pqt_cell_sum *sum, void *context);

/**
 * Asks the other tree for the `count` items of a cell, as pqt_diff_items_of there. false: it
 * failed. `count` is what pqt_fetch_sum_fn told of this cell, or what follows from it.
 */
typedef bool pqt_fetch_items_fn(const pqt_way *way, pqt_item *items, size_t count, void *context);

/** Another tree, wherever it is. */
typedef struct pqt_remote {
    pqt_fetch_sum_fn *sum;     /**< not NULL */
    pqt_fetch_items_fn *items; /**< NULL: cells that differ are told without their items */
    void *context;             /**< handed to both */
} pqt_remote;

/** A cell that differs, and is small enough not to be divided any more. */
typedef struct pqt_divergence {
    pqt_way way;             /**< its name */
    pqt_box box;             /**< the cell, world units; items of a bucket may reach beyond it */
    pqt_cell_sum own, other; /**< what it holds in the own and in the other tree */
    /** what turns the own into the other: PQT_REMOVE and PQT_INSERT; NULL if items are not
        fetched */
    const pqt_change *changes;
    size_t count; /**< how many changes; 0 if items are not fetched */
} pqt_divergence;

/** Is handed a cell that differs; returns true to go on, false to stop. Valid during the call. */
typedef bool pqt_visit_divergence_fn(const pqt_divergence *cell, void *context);

/**
 * Finds where a tree differs from another one, of which little is fetched.
 *
 * From the root down, the sums of cells are compared, and only those that differ are entered. What
 * of a cell's sum is explained already is not asked for: at most four sums a level for one
 * difference.
 *
 * All changes of all cells together turn the own tree into the other, in any order. The other tree
 * is expected to have equal bounds and options, and to stay as it is meanwhile; so fetch from a
 * version.
 *
 * @param tree     any version; NULL passes an earlier failure on
 * @param remote   how to ask the other tree
 * @param visit    called for each cell that differs, in tree order
 * @param context  handed to `visit`
 * @return         false on failure; true if all is found or `visit` stopped
 *
 * @error PQT_ERROR_CALLBACK  a function of `remote` failed, or what it told cannot be
 * @error PQT_ERROR_MEMORY    no memory for the items of a cell; never if items are not fetched
 *
 * @cost    for one difference O(log n) calls of `sum` and one of `items`
 * @since   0.1
 */
PQT_API bool pqt_diff_locate(const pqt_tree *tree, const pqt_remote *remote,
                             pqt_visit_divergence_fn *visit, void *context, pqt_error *error);
/** @} */

PQT_END_DECLARATIONS

#endif
