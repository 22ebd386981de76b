/* SPDX-License-Identifier: MIT */
/*
 * query_prep.h: prepares a query for a traversal.
 *
 * A relation becomes four comparisons with an item's sides: on each axis, one side must be at most
 * one number, and the other side at least another. The first side is the min, or the max for
 * PQT_INSIDE. Strict comparisons become non-strict ones with the next double, so that one test
 * serves all four relations.
 *
 * Subtrees are classified by their columns (domain.h), on either grid. `isect_max` and `isect_min`
 * exclude subtrees in which no item can have the relation. `inside_min` and `inside_max` find
 * subtrees in which every item has it: all their columns are strictly between the columns of the
 * window's sides. This implies every relation except PQT_COVERS, for which no subtree counts as
 * inside. An infinite side of the window excludes nothing.
 *
 * Hash nodes are classified by the exact ranges of their items' sides as well. If all their boxes
 * are identical, that classification is final.
 *
 * A convex is compared first by its box, as a window is. If that does not exclude a subtree, a box
 * that contains all items of the subtree is computed from its columns, and compared with the convex
 * exactly. Items in leaves are compared in the same two steps. PQT_COVERS needs the first step
 * only: a box covers a convex if and only if it covers the box of the convex, whose sides are
 * rounded outward to the next double.
 */
#ifndef PQTI_QUERY_PREP_H
#define PQTI_QUERY_PREP_H

#include <stdbool.h>
#include <stdint.h>

#include <pqt/query.h>

#include "tree/leaf_scan.h"
#include "tree/side_range.h"

/* The columns of a window, with which the columns of a subtree are compared. */
typedef struct pqti_qwindow {
    uint32_t isect_max_x, isect_max_y; /* some item must begin at or before these columns */
    uint32_t isect_min_x, isect_min_y; /* and some item must end at or after these */
    /* all items are inside if all begin at or after these columns */
    uint32_t inside_min_x, inside_min_y;
    uint32_t inside_max_x, inside_max_y; /* and all end at or before these */
} pqti_qwindow;

typedef struct pqti_window {
    pqt_relation relation;
    pqt_filter_fn *filter;
    void *context;
    pqt_query_stats *stats;
    bool empty; /* finds nothing: a side is NaN, or min > max */
    /* PQT_INSIDE: compares an item's max with `max_low` and its min with `min_high` */
    bool swap_sides;
    pqt_vec max_low,
        min_high; /* otherwise compares its min with `max_low` and its max with `min_high` */
    pqti_qwindow bounds, outliers; /* on the grid of the bounds; on the outlier grid */
    bool tests_items;              /* there is a filter or a convex, which pqti_passes calls */
    const pqt_convex *convex;      /* NULL: comparing sides decides the relation */
    /* Set if there is a convex: */
    pqt_box convex_box;
    const pqti_domain *domain;
} pqti_window;

/* Returns the query itself, or for NULL the query that every item matches. */
const pqt_query *pqti_query_or_all(const pqt_query *query);

pqti_window pqti_window_of(const pqti_domain *domain, const pqt_query *query);

/* Checks the window of a query for functions that report a bad one, and makes its zeros positive.
   False if it is NaN or inverted, with an error set. */
bool pqti_query_check(pqt_query *query, pqt_error *error);

/* Prepares a query for one version only: leaves out the window on the outlier grid if
   the version has none. */
pqti_window pqti_window_in(const pqt_tree *tree, const pqt_query *query);

/*
 * Tests the relation for the items `from` to `from` + 63 of a leaf of `count` items. Returns a bit
 * for each, the lowest for `from`. Tests neither convex nor filter. `from` is a multiple of
 * PQTI_SIMD_BLOCK and less than `count`.
 */
uint64_t pqti_hits(const pqti_window *window, pqti_leaf_view view, uint32_t from, uint32_t count);

/* How the window covers all items of a hash node, regardless of the filter. */
typedef enum pqti_coverage {
    PQTI_COVERAGE_NONE,
    PQTI_COVERAGE_PARTIAL,
    PQTI_COVERAGE_ALL
} pqti_coverage;
pqti_coverage pqti_classify(const pqti_window *window, const pqti_inner *hash_node);

/* Like pqti_window_may_find and pqti_window_contains, for a quadrant that they found by the box of
   the convex. */
bool pqti_convex_may_find(const pqti_window *window, bool outliers, const pqti_inner *node, int i);
bool pqti_convex_contains(const pqti_window *window, bool outliers, const pqti_inner *node, int i);

/* Like pqti_passes, if there is a filter or a convex. */
bool pqti_passes_tests(const pqti_window *window, const pqt_item *item);

static inline const pqti_qwindow *
pqti_qwindow_at(const pqti_window *window, bool outliers)
{
    return outliers ? &window->outliers : &window->bounds;
}

/* Returns true if quadrant i of a node may contain an item with the relation. */
static inline bool
pqti_may_find(const pqti_qwindow *qwindow, const pqti_inner *node, int i)
{
    return (node->min_x[i] <= qwindow->isect_max_x) & (node->max_x[i] >= qwindow->isect_min_x) &
           (node->min_y[i] <= qwindow->isect_max_y) & (node->max_y[i] >= qwindow->isect_min_y);
}

/* Returns true if all items of quadrant i are inside the window. */
static inline bool
pqti_is_inside(const pqti_qwindow *qwindow, const pqti_inner *node, int i)
{
    return (node->min_x[i] >= qwindow->inside_min_x) & (node->max_x[i] <= qwindow->inside_max_x) &
           (node->min_y[i] >= qwindow->inside_min_y) & (node->max_y[i] <= qwindow->inside_max_y);
}

/* Returns true if quadrant i of a node may contain an item with the relation to the window or the
   convex. `outliers`: the node belongs to the outliers. */
static inline bool
pqti_window_may_find(const pqti_window *window, bool outliers, const pqti_inner *node, int i)
{
    return pqti_may_find(pqti_qwindow_at(window, outliers), node, i) &&
           (window->convex == NULL || pqti_convex_may_find(window, outliers, node, i));
}

/* Returns true if the query finds all items of quadrant i of a node. False if there is a filter. */
static inline bool
pqti_window_contains(const pqti_window *window, bool outliers, const pqti_inner *node, int i)
{
    return window->filter == NULL && pqti_is_inside(pqti_qwindow_at(window, outliers), node, i) &&
           (window->convex == NULL || pqti_convex_contains(window, outliers, node, i));
}

/* Returns a view whose mins are the sides that are compared with `max_low`, and whose maxs are
   those that are compared with `min_high`. */
static inline pqti_leaf_view
pqti_compared_sides(const pqti_window *window, pqti_leaf_view view)
{
    if (!window->swap_sides)
        return view;
    return (pqti_leaf_view){view.max_x, view.max_y, view.min_x, view.min_y, view.id};
}

/* Returns true if item i of a leaf has the relation, regardless of the filter and the convex. */
static inline bool
pqti_relates(const pqti_window *window, pqti_leaf_view view, size_t i)
{
    pqti_leaf_view sides = pqti_compared_sides(window, view);
    return (sides.min_x[i] <= window->max_low.x) & (sides.max_x[i] >= window->min_high.x) &
           (sides.min_y[i] <= window->max_low.y) & (sides.max_y[i] >= window->min_high.y);
}

/* Returns true if an item for which pqti_relates is true has the relation to the convex, and the
   filter accepts it. */
static inline bool
pqti_passes(const pqti_window *window, const pqt_item *item)
{
    return !window->tests_items || pqti_passes_tests(window, item);
}

static inline void
pqti_stats_add_node(const pqti_window *window)
{
    if (window->stats != NULL)
        window->stats->nodes++;
}

static inline void
pqti_stats_add_leaf(const pqti_window *window, size_t boxes)
{
    if (window->stats == NULL)
        return;
    window->stats->leaves++;
    window->stats->boxes += boxes;
}

#endif
