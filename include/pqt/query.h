/* SPDX-License-Identifier: MIT */
/**
 * @file query.h - reading one version through a window.
 *
 * Reading never fails and never allocates. All functions here answer the same question, "which
 * items stand in the given relation to the window and pass the filter", in different forms. They
 * visit in *tree order*: along the Z curve, cell by cell, an item that is larger than a cell before
 * all that is in the cell's quarters; the order depends on the items, the bounds and the depth
 * alone, never on how the version came to be.
 *
 * A window may be infinite. A window that is NaN or inside out finds nothing.
 */
#ifndef PQT_QUERY_H
#define PQT_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt/box.h>
#include <pqt/export.h>
#include <pqt/item.h>

PQT_BEGIN_DECLARATIONS

/** A version: see tree.h. */
typedef struct pqt_tree pqt_tree;

/** Is handed one item; returns true to go on, false to stop. The item is valid during the call. */
typedef bool pqt_visit_fn(const pqt_item *item, void *context);

/** Is handed the ids of `count` items, count > 0; true goes on. The array is valid during the
    call. */
typedef bool pqt_visit_ids_fn(const uint64_t *ids, size_t count, void *context);

/** Decides whether an item counts. Must not depend on the order of calls. */
typedef bool pqt_filter_fn(const pqt_item *item, void *context);

/** What a walk did, for those who count: zero it, name it in a query, read it afterwards. */
typedef struct pqt_query_stats {
    uint64_t nodes;  /**< inner nodes entered */
    uint64_t leaves; /**< leaves entered */
    uint64_t boxes;  /**< items compared with the window one by one */
} pqt_query_stats;

/** A question to a version. Name the window and the relation; the rest may be zero. */
typedef struct pqt_query {
    pqt_box window;         /**< world units; infinite sides are allowed */
    pqt_relation relation;  /**< how an item must stand to the window; there is no default */
    pqt_filter_fn *filter;  /**< NULL: every item counts */
    void *context;          /**< handed to the filter */
    pqt_query_stats *stats; /**< NULL: nothing is counted; not to be shared by threads */
} pqt_query;

/**
 * The query that finds everything: PQT_TOUCHES, and a window that has no edges.
 *
 *     pqt_query query = pqt_query_all();
 *     query.filter = is_visible;
 *     size_t count = pqt_tree_collect(tree, query, items, room);
 *
 * @return  a query without filter and tally; its window alone serves other queries, too
 * @thread  any
 * @since   0.1
 */
PQT_API pqt_query pqt_query_all(void);

/**
 * Visits the items that a query finds, in tree order.
 *
 * @param tree     any version
 * @param query    the question
 * @param visit    called for each item found
 * @param context  handed to `visit`
 * @return         true if the walk came to its end, false if `visit` stopped it
 *
 * @cost    O(log n + found) for windows that are not thinner than what they find
 * @thread  any number at once
 * @since   0.1
 */
PQT_API bool pqt_tree_visit(const pqt_tree *tree, pqt_query query, pqt_visit_fn *visit,
                            void *context);

/**
 * Visits the ids that a query finds, in runs, in tree order.
 *
 * A run holds ids from many leaves, some hundreds where so many are found. What lies in leaves
 * wholly inside the window is not tested, and where such a leaf is large, not copied either.
 *
 * @return  true if the walk came to its end, false if `visit` stopped it
 * @cost    as pqt_tree_visit, about a third of its time for large windows
 * @since   0.1
 */
PQT_API bool pqt_tree_visit_ids(const pqt_tree *tree, pqt_query query, pqt_visit_ids_fn *visit,
                                void *context);

/**
 * Whether a query finds anything.
 *
 * @param found  NULL, or set to the first item found in tree order
 * @since 0.1
 */
PQT_API bool pqt_tree_any(const pqt_tree *tree, pqt_query query, pqt_item *found);

/**
 * How many items a query finds.
 *
 * @cost  without a filter O(nodes that the window's edge crosses): what lies wholly inside is not
 *        walked
 * @since 0.1
 */
PQT_API size_t pqt_tree_count_in(const pqt_tree *tree, pqt_query query);

/**
 * Writes the items that a query finds into an array, in tree order.
 *
 * @param items     room for `capacity` items; NULL if capacity is 0
 * @param capacity  how many are written at most
 * @return          how many were found in all: more than `capacity` if there was too little room
 * @since 0.1
 */
PQT_API size_t pqt_tree_collect(const pqt_tree *tree, pqt_query query, pqt_item *items,
                                size_t capacity);

/** As pqt_tree_collect, for ids alone. @since 0.1 */
PQT_API size_t pqt_tree_collect_ids(const pqt_tree *tree, pqt_query query, uint64_t *ids,
                                    size_t capacity);

PQT_END_DECLARATIONS

#endif
