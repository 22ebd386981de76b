/* SPDX-License-Identifier: MIT */
/*
 * query_prep.h: prepares a query for a traversal.
 *
 * A relation is converted to four comparisons with an item's sides: on each axis, one side must be
 * at most a first number, and the other side must be at least a second number. The first side is
 * the min or, for PQT_INSIDE, the max. A strict comparison is replaced by a non-strict one with the
 * next double, so that one test serves all four relations.
 *
 * Subtrees are classified by their columns (domain.h) on one of the two grids. `isect_max` and
 * `isect_min` exclude subtrees in which no item can have the relation. `inside_min` and
 * `inside_max` find subtrees in which every item has it: all their columns are strictly between the
 * columns of the window's sides. This implies every relation except PQT_COVERS, for which no
 * subtree counts as inside. An infinite side of the window excludes nothing.
 *
 * Hash nodes are also classified by the exact ranges of their items' sides. If all their boxes are
 * identical, that classification is exact.
 *
 * If the window has a shape that is not a box of the plane, a box around the shape is tested first,
 * like a window. If this test does not exclude a subtree, a box that contains all items of the
 * subtree is computed from its columns, and compared with the shape exactly. Items in leaves are
 * tested in the same two steps. There are two kinds of shapes:
 *
 * - A convex. PQT_COVERS needs only the first step: a box covers a convex if and only if it covers
 *   the box of the convex, whose sides are rounded outward to the next double.
 * - A window on the sphere. The box around it has its latitudes and all longitudes, and the
 *   relation in the first step is PQT_TOUCHES, which every relation implies.
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
    /* a subtree may have a hit only if some item begins at or before these columns */
    uint32_t isect_max_x, isect_max_y;
    uint32_t isect_min_x, isect_min_y; /* and some item ends at or after these columns */
    /* all items of a subtree are inside if all begin at or after these columns */
    uint32_t inside_min_x, inside_min_y;
    uint32_t inside_max_x, inside_max_y; /* and all end at or before these columns */
} pqti_qwindow;

typedef struct pqti_window {
    pqt_relation relation;
    pqt_filter_fn *filter;
    void *context;
    pqt_query_stats *stats;
    bool empty; /* the query finds nothing, because a side is NaN or min > max */
    /* true for PQT_INSIDE: an item's max is compared with `max_low` and its min with `min_high` */
    bool swap_sides;
    pqt_vec max_low,
        min_high; /* otherwise, its min is compared with `max_low` and its max with `min_high` */
    /* the window on the grid of the bounds, and on the outlier grid */
    pqti_qwindow bounds, outliers;
    /* true if there is a filter or a shape, which pqti_passes must test */
    bool tests_items;
    /* false if comparing the sides decides the relation. Otherwise, the window has a shape that a
       box of the plane has not: a convex, or a window on the sphere */
    bool has_shape;
    const pqt_convex *convex; /* NULL if the shape is a window on the sphere */
    pqt_box shape_box;        /* the box of the convex, or the window on the sphere */
    const pqti_domain *domain;
} pqti_window;

/* Returns the query itself or, for NULL, a query that every item matches. */
const pqt_query *pqti_query_or_all(const pqt_query *query);

pqti_window pqti_window_of(const pqti_domain *domain, const pqt_query *query);

/* Checks the window of a query, for functions that report a bad one, and replaces -0.0 by 0.0.
   Returns false with an error set if a side is NaN or min > max. */
bool pqti_query_check(pqt_query *query, pqt_error *error);

/* Prepares a query for one version only: omits the window on the outlier grid if the version has
   no outliers. */
pqti_window pqti_window_in(const pqt_tree *tree, const pqt_query *query);

/*
 * Tests the relation for the items from `from` to `from` + 63 of a leaf with `count` items. Returns
 * a bit for each, the lowest for item `from`. Does not test the shape or the filter. `from` is a
 * multiple of PQTI_SCAN_ITEMS and less than `count`.
 */
uint64_t pqti_hits(const pqti_window *window, const pqti_leaf_view *view, uint32_t from,
                   uint32_t count);

/* Says how the window covers all items of a hash node, ignoring the filter. */
typedef enum pqti_coverage {
    PQTI_COVERAGE_NONE,
    PQTI_COVERAGE_PARTIAL,
    PQTI_COVERAGE_ALL
} pqti_coverage;
pqti_coverage pqti_classify(const pqti_window *window, const pqti_inner *hash_node);

/* Do the same as pqti_window_may_find and pqti_window_contains, for a quadrant that the box around
   the shape does not exclude. */
bool pqti_shape_may_find(const pqti_window *window, bool outliers, const pqti_inner *node, int i);
bool pqti_shape_contains(const pqti_window *window, bool outliers, const pqti_inner *node, int i);

/* Does the same as pqti_passes if there is a filter or a shape. */
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

/* Returns true if quadrant i of a node may contain an item that has the relation to the window
   or its shape. `outliers` is true if the node belongs to the outliers. */
static inline bool
pqti_window_may_find(const pqti_window *window, bool outliers, const pqti_inner *node, int i)
{
    return pqti_may_find(pqti_qwindow_at(window, outliers), node, i) &&
           (!window->has_shape || pqti_shape_may_find(window, outliers, node, i));
}

/*
 * Returns true if the query certainly finds all items of quadrant i of a node. Returns false if
 * there is a filter.
 */
static inline bool
pqti_window_contains(const pqti_window *window, bool outliers, const pqti_inner *node, int i)
{
    return window->filter == NULL && pqti_is_inside(pqti_qwindow_at(window, outliers), node, i) &&
           (!window->has_shape || pqti_shape_contains(window, outliers, node, i));
}

/* Returns a view of a leaf whose mins are the sides that are compared with `max_low`, and whose
   maxs are the sides that are compared with `min_high`. */
static inline pqti_leaf_view
pqti_compared_sides(const pqti_window *window, pqti_leaf_view view)
{
    if (!window->swap_sides)
        return view;
    return (pqti_leaf_view){view.max_x, view.max_y, view.min_x, view.min_y, view.id};
}

/* Returns true if item i of a leaf has the relation, ignoring the filter and the shape. */
static inline bool
pqti_relates(const pqti_window *window, pqti_leaf_view view, size_t i)
{
    pqti_leaf_view sides = pqti_compared_sides(window, view);
    return (sides.min_x[i] <= window->max_low.x) & (sides.max_x[i] >= window->min_high.x) &
           (sides.min_y[i] <= window->max_low.y) & (sides.max_y[i] >= window->min_high.y);
}

/* Must be called for an item for which pqti_relates is true. Returns true if the item also has
   the relation to the shape, and the filter accepts it. */
static inline bool
pqti_passes(const pqti_window *window, const pqt_item *item)
{
    return !window->tests_items || pqti_passes_tests(window, item);
}

static inline void
pqti_stats_count_node(pqt_query_stats *stats)
{
    if (stats != NULL)
        stats->nodes++;
}

static inline void
pqti_stats_add_node(const pqti_window *window)
{
    pqti_stats_count_node(window->stats);
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
