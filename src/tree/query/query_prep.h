/* SPDX-License-Identifier: MIT */
/*
 * query_prep.h - a query made ready for a walk.
 *
 * A relation becomes four bounds for an item's sides: on each axis, one side must be at most a
 * certain number, and the other at least another. The first is the min, but for PQT_INSIDE the max.
 * Strict comparisons become others with the next double, so that one test serves all four
 * relations.
 *
 * Subtrees are judged by their columns (domain.h), on either lattice. `begin_by` and `end_from`
 * pass over those in which no item can stand in the relation. `from` and `to` find those that lie
 * so clearly inside the window that every item does: in columns strictly between the window's own,
 * so it holds for all relations but PQT_COVERS, for which nothing ever lies inside. An infinite
 * side is no border.
 *
 * Mixed nodes are judged by the exact sides of their items as well: of identical boxes, the first
 * judgement is the last.
 */
#ifndef PQTI_QUERY_PREP_H
#define PQTI_QUERY_PREP_H

#include <stdbool.h>
#include <stdint.h>

#include <pqt/query.h>

#include "tree/leaf_scan.h"
#include "tree/side_range.h"

/* What the columns of a subtree are compared with. */
typedef struct pqti_qwindow {
    uint32_t isect_max_x, isect_max_y; /* some item must begin at or before these columns */
    uint32_t isect_min_x, isect_min_y; /* and some item end at or after these */
    /* all is inside if all items begin at or after these */
    uint32_t inside_min_x, inside_min_y;
    uint32_t inside_max_x, inside_max_y; /* and end at or before these */
} pqti_qwindow;

typedef struct pqti_window {
    pqt_query query;
    bool empty; /* finds nothing: NaN or inside out */
    /* PQT_INSIDE: an item's max is compared with `max_low`, its min with `min_high` */
    bool swap_sides;
    pqt_vec max_low, min_high;     /* else its min with `max_low`, its max with `min_high` */
    pqti_qwindow bounds, outliers; /* on the lattice of the bounds; on that of the root's bucket */
} pqti_window;

pqti_window pqti_window_of(const pqti_domain *domain, pqt_query query);

/* The same for walks over one version alone: without the quantised window for outliers if it has
 * none. */
pqti_window pqti_window_in(const pqt_tree *tree, pqt_query query);

/*
 * Which of the items `from` to `from` + 63 of a leaf of `count` stand in the relation, a bit for
 * each, the lowest for `from`; the filter is not asked. `from` is a multiple of PQTI_SIMD_BLOCK
 * below `count`.
 */
uint64_t pqti_hits(const pqti_window *window, pqti_leaf_view view, uint32_t from, uint32_t count);

/* What is known of all items of a hash node at once; the filter is not asked. */
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

/* Whether quarter i of a node may hold something to be found. */
static inline bool
pqti_may_find(const pqti_qwindow *qwindow, const pqti_inner *node, int i)
{
    return (node->min_x[i] <= qwindow->isect_max_x) & (node->max_x[i] >= qwindow->isect_min_x) &
           (node->min_y[i] <= qwindow->isect_max_y) & (node->max_y[i] >= qwindow->isect_min_y);
}

/* Whether all items of quarter i lie inside the window. */
static inline bool
pqti_is_inside(const pqti_qwindow *qwindow, const pqti_inner *node, int i)
{
    return (node->min_x[i] >= qwindow->inside_min_x) & (node->max_x[i] <= qwindow->inside_max_x) &
           (node->min_y[i] >= qwindow->inside_min_y) & (node->max_y[i] <= qwindow->inside_max_y);
}

/* The sides that are compared with `max_low` as the mins, those compared with `min_high` as the
 * maxs. */
static inline pqti_leaf_view
pqti_compared_sides(const pqti_window *window, pqti_leaf_view view)
{
    if (!window->swap_sides)
        return view;
    return (pqti_leaf_view){view.max_x, view.max_y, view.min_x, view.min_y, view.id};
}

/* Whether item i of a leaf stands in the relation; the filter is not asked. */
static inline bool
pqti_relates(const pqti_window *window, pqti_leaf_view view, size_t i)
{
    pqti_leaf_view sides = pqti_compared_sides(window, view);
    return (sides.min_x[i] <= window->max_low.x) & (sides.max_x[i] >= window->min_high.x) &
           (sides.min_y[i] <= window->max_low.y) & (sides.max_y[i] >= window->min_high.y);
}

/* Whether the filter lets an item pass. */
static inline bool
pqti_passes(const pqti_window *window, const pqt_item *item)
{
    return window->query.filter == NULL || window->query.filter(item, window->query.context);
}

static inline void
pqti_stats_add_node(const pqti_window *window)
{
    if (window->query.stats != NULL)
        window->query.stats->nodes++;
}

static inline void
pqti_stats_add_leaf(const pqti_window *window, size_t boxes)
{
    if (window->query.stats == NULL)
        return;
    window->query.stats->leaves++;
    window->query.stats->boxes += boxes;
}

#endif
