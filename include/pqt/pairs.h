/* SPDX-License-Identifier: MIT */
/**
 * @file pairs.h - the broad phase: the pairs of items of one version, or of two, that match.
 *
 * A pair (a, b) matches if the query's relation holds between `a` and `b`, as between an item and a
 * window, and the filter accepts it. Within one version each pair of different items is found once.
 * There `a` precedes `b` in tree order, except for PQT_INSIDE and PQT_COVERS, which distinguish the
 * two: `a` is the item inside, or the one that covers; if both boxes are equal, the first in tree
 * order. Between two versions, `a` is from the first and `b` from the second.
 *
 * The order of pairs depends on the versions only, not on how they were made. Except for
 * pqt_pairs_visit_changes, the functions here never fail and never allocate. Visited items are
 * valid during the call.
 */
#ifndef PQT_PAIRS_H
#define PQT_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt/error.h>
#include <pqt/export.h>
#include <pqt/item.h>
#include <pqt/query.h>
#include <pqt/tree.h>
#include <pqt/vec.h>

PQT_BEGIN_DECLARATIONS

/** Two items that match, as their versions hold them, without any offset. */
typedef struct pqt_pair {
    pqt_item a; /**< the first item */
    pqt_item b; /**< the second item */
} pqt_pair;

/**
 * Visits one pair.
 *
 * @param a        the first item, valid during the call
 * @param b        the second item, valid during the call
 * @param context  as passed to the function that visits
 * @return         true to continue, false to stop
 */
typedef bool pqt_visit_pair_fn(const pqt_item *a, const pqt_item *b, void *context);

/**
 * Decides whether a pair matches, for instance by categories. The result must not depend on the
 * order of calls.
 *
 * @param a        the first item, valid during the call
 * @param b        the second item, valid during the call
 * @param context  the `context` of the query
 * @return         whether the pair matches
 */
typedef bool pqt_pair_filter_fn(const pqt_item *a, const pqt_item *b, void *context);

/** A query for pairs. Set the relation; all else may be zero. */
typedef struct pqt_pair_query {
    pqt_relation relation; /**< the relation of `a` to `b`; there is no default, and any number
                               other than the four stops the program */
    pqt_vec offset; /**< between two versions: added to the boxes of the second, world units */
    pqt_pair_filter_fn *filter; /**< NULL: every pair in the relation matches */
    void *context;              /**< passed to the filter */
    pqt_query_stats *stats;     /**< NULL: no work is counted; `boxes` counts tests of two boxes */
    uint64_t reserved[4];       /**< must be 0; any other value stops the program */
} pqt_pair_query;

/**
 * Visits the pairs of one version, or between two.
 *
 * @param tree     any version
 * @param other    NULL: pairs within `tree`; otherwise any version, with any bounds and options:
 *                 each pair has an item of `tree` and an item of `other`
 * @param query    the query; an offset that is not finite matches nothing
 * @param visit    called for each pair
 * @param context  passed to `visit`
 * @return         true if every pair was visited, false if `visit` stopped it
 *
 * @cost    O(n + pairs) for evenly spread items: one descent over pairs of nodes, not n searches
 * @thread  any number at once
 * @source  synchronised traversal of two trees: Brinkhoff, Kriegel, Seeger 1993
 */
PQT_API bool pqt_pairs_visit(const pqt_tree *tree, const pqt_tree *other,
                             const pqt_pair_query *query, pqt_visit_pair_fn *visit, void *context);

/**
 * Returns the number of pairs; see pqt_pairs_visit.
 *
 * @param tree   any version
 * @param other  any version
 * @param query  NULL finds all pairs that touch
 * @return       the number of pairs
 */
PQT_API size_t pqt_pairs_count(const pqt_tree *tree, const pqt_tree *other,
                               const pqt_pair_query *query);

/**
 * Writes pairs into an array, in the order of pqt_pairs_visit.
 *
 * @param tree      as for pqt_pairs_visit
 * @param other     as for pqt_pairs_visit
 * @param query     as for pqt_pairs_visit
 * @param pairs     set to the first pairs
 * @param capacity  the number of pairs that fit
 * @return          the number of all pairs
 */
PQT_API size_t pqt_pairs_collect(const pqt_tree *tree, const pqt_tree *other,
                                 const pqt_pair_query *query, pqt_pair *pairs, size_t capacity);

/**
 * Visits the pairs of one item with the items of a version, in tree order; it is `a` in each.
 *
 * @param tree     any version
 * @param item     in the version or not. It makes no pair with an equal item. An item that is not
 *                 valid makes no pairs
 * @param query    the query; its offset is not read
 * @param visit    called for each pair
 * @param context  passed to `visit`
 * @return         true if every pair was visited, false if `visit` stopped it
 *
 * @cost  as one window query
 */
PQT_API bool pqt_pairs_visit_of(const pqt_tree *tree, pqt_item item, const pqt_pair_query *query,
                                pqt_visit_pair_fn *visit, void *context);

/** How a pair changed; see pqt_pairs_visit_changes. */
typedef enum pqt_pair_change {
    PQT_PAIR_ENDED = 1, /**< it matches only in `before`; its items are given as they are there */
    PQT_PAIR_BEGAN = 2  /**< it matches only in `after`; its items are given as they are there */
} pqt_pair_change;

/**
 * Visits one pair that began or ended.
 *
 * @param change   which of the two
 * @param a        the first item, valid during the call
 * @param b        the second item, valid during the call
 * @param context  as passed to pqt_pairs_visit_changes
 * @return         true to continue, false to stop
 */
typedef bool pqt_visit_pair_change_fn(pqt_pair_change change, const pqt_item *a, const pqt_item *b,
                                      void *context);

/**
 * Visits the pairs that began or ended between two versions, without visiting the other pairs.
 *
 * The result is the difference between the pairs that pqt_pairs_visit finds in each version. For
 * PQT_TOUCHES and PQT_OVERLAPS, the pairs are unordered; for PQT_INSIDE and PQT_COVERS, they are
 * ordered. Each change is visited once.
 *
 * An item that moved is still the same item and keeps its pairs. It has moved if its id occurs
 * exactly once among the removed items and exactly once among the inserted ones, as in
 * pqt_tree_visit_diff; with unique ids this holds for each id that is in both. If several items
 * with one id were removed or inserted, each is an item of its own: its pairs end, or begin, with
 * it.
 *
 * @param before   any version
 * @param after    a version of equal bounds, options and memory
 * @param query    the query; its offset is not read
 * @param visit    called for each pair that began or ended, in an order that depends on the
 *                 versions only
 * @param context  passed to `visit`
 * @return         true if every change was visited; false on failure, or if `visit` stopped it
 *
 * @error PQT_ERROR_MISMATCH  bounds, options or memories differ; the text names the first that does
 * @error PQT_ERROR_MEMORY    out of memory for the list of changed items; nothing was visited
 *
 * @cost    O(changed items x (log n + items around them)); about 400 bytes per changed item during
 *          the call. Ids that are chosen so that their hashes collide make it quadratic
 * @thread  any number at once
 */
PQT_API bool pqt_pairs_visit_changes(const pqt_tree *before, const pqt_tree *after,
                                     const pqt_pair_query *query, pqt_visit_pair_change_fn *visit,
                                     void *context, pqt_error *error);

PQT_END_DECLARATIONS

#endif
