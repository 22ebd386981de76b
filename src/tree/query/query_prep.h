/* SPDX-License-Identifier: MIT */
/*
 * query_prep.h: prepares a query for a traversal.
 *
 * A relation becomes four comparisons with an item's sides: on each axis, one side must be at most
 * one number, and the other side at least another. The first side is the min, or the max for
 * PQT_INSIDE. Strict comparisons become non-strict ones with the next double, so that one test
 * serves all four relations.
 *
 * Subtrees are classified by their columns (domain.h), on either lattice. `isect_max` and
 * `isect_min` exclude subtrees in which no item can have the relation. `inside_min` and
 * `inside_max` find subtrees in which every item has it: all their columns are strictly between the
 * columns of the window's sides. This implies every relation except PQT_COVERS, for which no
 * subtree counts as inside. An infinite side of the window excludes nothing.
 *
 * Hash nodes are classified by the exact ranges of their items' sides as well. If all their boxes
 * are identical, that classification is final.
 */
#ifndef PQTI_QUERY_PREP_H
#define PQTI_QUERY_PREP_H

#include <stdbool.h>
#include <stdint.h>

#include <pqt/query.h>

#include "tree/leaf_scan.h"
#include "tree/side_range.h"

/* The columns with which those of a subtree are compared. */
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
    pqti_qwindow bounds, outliers; /* on the lattice of the bounds; on that of the outliers */
} pqti_window;

/* Returns the query itself, or for NULL the query that every item matches. */
const pqt_query *pqti_query_or_all(const pqt_query *query);

pqti_window pqti_window_of(const pqti_domain *domain, const pqt_query *query);

/* Prepares a query for one version only: leaves out the window on the lattice of the outliers if
   the version has none. */
pqti_window pqti_window_in(const pqt_tree *tree, const pqt_query *query);

/*
 * Tests the relation for the items `from` to `from` + 63 of a leaf of `count` items. Returns a bit
 * for each, the lowest for `from`. Does not call the filter. `from` is a multiple of
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

static inline const pqti_qwindow *
pqti_qwindow_at(const pqti_window *window, bool outliers)
{
    return outliers ? &window->outliers : &window->bounds;
}

/* Whether quadrant i of a node may contain an item with the relation. */
static inline bool
pqti_may_find(const pqti_qwindow *qwindow, const pqti_inner *node, int i)
{
    return (node->min_x[i] <= qwindow->isect_max_x) & (node->max_x[i] >= qwindow->isect_min_x) &
           (node->min_y[i] <= qwindow->isect_max_y) & (node->max_y[i] >= qwindow->isect_min_y);
}

/* Whether all items of quadrant i are inside the window. */
static inline bool
pqti_is_inside(const pqti_qwindow *qwindow, const pqti_inner *node, int i)
{
    return (node->min_x[i] >= qwindow->inside_min_x) & (node->max_x[i] <= qwindow->inside_max_x) &
           (node->min_y[i] >= qwindow->inside_min_y) & (node->max_y[i] <= qwindow->inside_max_y);
}

/* A view whose mins are the sides that are compared with `max_low`, and whose maxs are those that
   are compared with `min_high`. */
static inline pqti_leaf_view
pqti_compared_sides(const pqti_window *window, pqti_leaf_view view)
{
    if (!window->swap_sides)
        return view;
    return (pqti_leaf_view){view.max_x, view.max_y, view.min_x, view.min_y, view.id};
}

/* Whether item i of a leaf has the relation, regardless of the filter. */
static inline bool
pqti_relates(const pqti_window *window, pqti_leaf_view view, size_t i)
{
    pqti_leaf_view sides = pqti_compared_sides(window, view);
    return (sides.min_x[i] <= window->max_low.x) & (sides.max_x[i] >= window->min_high.x) &
           (sides.min_y[i] <= window->max_low.y) & (sides.max_y[i] >= window->min_high.y);
}

/* Whether the filter accepts an item. */
static inline bool
pqti_passes(const pqti_window *window, const pqt_item *item)
{
    return window->filter == NULL || window->filter(item, window->context);
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
