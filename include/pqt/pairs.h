/* SPDX-License-Identifier: MIT */
/**
 * @file pairs.h - the broad phase: which items of one version, or of two, meet.
 *
 * A pair (a, b) is found if `a` stands in the relation to `b`, as an item does to a window. Within
 * one version each pair of different items is found once; `a` comes before `b` in tree order, but
 * for PQT_INSIDE and PQT_COVERS, which tell the two apart: there `a` is the one inside or the one
 * that covers (of two equal boxes, the first in tree order). Between two versions `a` is of the
 * first and `b` of the second.
 *
 * The order of pairs depends on the versions alone, not on how they came to be. Nothing here fails
 * or allocates, but for pqt_pairs_visit_changes. What is visited is valid during the call.
 */
#ifndef PQT_PAIRS_H
#define PQT_PAIRS_H

#include <stdbool.h>
#include <stddef.h>

#include <pqt/error.h>
#include <pqt/export.h>
#include <pqt/item.h>
#include <pqt/query.h>
#include <pqt/tree.h>
#include <pqt/vec.h>

PQT_BEGIN_DECLARATIONS

/** Two items that meet. */
typedef struct pqt_pair {
    pqt_item a, b; /**< as their versions hold them, without any offset */
} pqt_pair;

/** Is handed a pair; returns true to go on, false to stop. */
typedef bool pqt_visit_pair_fn(const pqt_item *a, const pqt_item *b, void *context);

/** Decides whether a pair counts; must not depend on the order of calls. For instance by
    categories. */
typedef bool pqt_pair_filter_fn(const pqt_item *a, const pqt_item *b, void *context);

/** What pairs are looked for. Name the relation; the rest may be zero. */
typedef struct pqt_pair_query {
    pqt_relation relation; /**< how `a` must stand to `b`; there is no default */
    pqt_vec offset; /**< between two versions: added to the boxes of the second, world units */
    pqt_pair_filter_fn *filter; /**< NULL: every pair counts */
    void *context;              /**< handed to the filter */
    pqt_query_stats
        *stats; /**< NULL, or adds up what was done: `boxes` are tests of box against box */
} pqt_pair_query;

/**
 * Visits the pairs of one version, or between two.
 *
 * @param tree     any version
 * @param other    NULL: pairs within `tree`; else any version, of whatever bounds and options:
 *                 pairs of an item of `tree` with one of `other`
 * @param query    the question; an offset that is not finite finds nothing
 * @param visit    called for each pair
 * @param context  handed to `visit`
 * @return         true if the search came to its end, false if `visit` stopped it
 *
 * @cost    O(n + pairs) where items spread; a descent over pairs of nodes, not n searches
 * @thread  any number at once
 * @source  synchronised traversal of two trees: Brinkhoff, Kriegel, Seeger 1993
 * @since   0.1
 */
PQT_API bool pqt_pairs_visit(const pqt_tree *tree, const pqt_tree *other, pqt_pair_query query,
                             pqt_visit_pair_fn *visit, void *context);

/** How many pairs there are; see pqt_pairs_visit. @since 0.1 */
PQT_API size_t pqt_pairs_count(const pqt_tree *tree, const pqt_tree *other, pqt_pair_query query);

/**
 * Writes pairs into an array, in the order of pqt_pairs_visit.
 *
 * @param pairs     room for `capacity` pairs; NULL if capacity is 0
 * @return          how many there are in all: more than `capacity` if there was too little room
 * @since 0.1
 */
PQT_API size_t pqt_pairs_collect(const pqt_tree *tree, const pqt_tree *other, pqt_pair_query query,
                                 pqt_pair *pairs, size_t capacity);

/**
 * Visits the pairs of one item with the rest of a version, in tree order; it is `a` in each.
 *
 * @param item  in the version or not. It does not meet itself: with unique_ids no item of the same
 *              id is found, else no item that is the very same; an item that is not valid meets
 *              nothing
 * @return      true if the search came to its end, false if `visit` stopped it
 * @cost    that of one window query
 * @since   0.1
 */
PQT_API bool pqt_pairs_visit_of(const pqt_tree *tree, pqt_item item, pqt_pair_query query,
                                pqt_visit_pair_fn *visit, void *context);

/** What has become of a pair; see pqt_pairs_visit_changes. */
typedef enum pqt_pair_change {
    PQT_PAIR_ENDED = 1, /**< it was there before, and is no more: items as they were before */
    PQT_PAIR_BEGAN = 2  /**< it was not there before, and is now: items as they are after */
} pqt_pair_change;

/** Is handed a pair that began or ended; returns true to go on, false to stop. */
typedef bool pqt_visit_pair_change_fn(pqt_pair_change change, const pqt_item *a, const pqt_item *b,
                                      void *context);

/**
 * Visits the pairs that began or ended from one version to another, without looking at the rest.
 *
 * It is the difference between the pairs that pqt_pairs_visit finds in either version: for
 * PQT_TOUCHES and PQT_OVERLAPS as sets of two items, for PQT_INSIDE and PQT_COVERS as items in this
 * order. Each change is told once.
 *
 * An item that moved is still the same one, and has its pairs. It moved if its id occurs exactly
 * once among the items that went and once among those that came, as in pqt_diff_visit; where ids
 * are unique, that is all of them. If several items of an id went or came, each is one of its own:
 * its pairs end with it, or begin with it.
 *
 * @param before   any version; NULL passes an earlier failure on
 * @param after    a version of equal bounds, options and memory; NULL passes an earlier failure on
 * @param query    the question; its offset is not read
 * @param visit    called for each pair that began or ended, in an order that depends on the
 *                 versions alone
 * @param context  handed to `visit`
 * @param error    told why on failure; may be NULL; an error already in it is kept
 * @return         false on failure; true if all changes were visited or `visit` stopped
 *
 * @error PQT_ERROR_MISMATCH  bounds, options or memories differ; the text names the first that does
 * @error PQT_ERROR_MEMORY    no memory for a list of what changed; nothing was visited
 *
 * @cost    O(changed items x (log n + items around them)); some 400 bytes a changed item, during
 *          the call. Ids made up so that their hashes collide make it quadratic
 * @thread  any number at once
 * @since   0.1
 */
PQT_API bool pqt_pairs_visit_changes(const pqt_tree *before, const pqt_tree *after,
                                     pqt_pair_query query, pqt_visit_pair_change_fn *visit,
                                     void *context, pqt_error *error);

PQT_END_DECLARATIONS

#endif
