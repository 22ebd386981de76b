/* SPDX-License-Identifier: MIT */
/*
 * window.h - a query made ready for a walk.
 *
 * A relation becomes four bounds for an item's sides: three of the four relations ask that the item
 * begin by a certain point and end not before another; PQT_INSIDE asks that it begin not before and end by.
 * Strict comparisons become others with the next double, so that one test serves both.
 *
 * Subtrees are judged by their columns (space.h), on either lattice. `begin_by` and `end_from` pass over
 * those in which no item can stand in the relation. `from` and `to` find those that lie so clearly inside
 * the window that every item does: in columns strictly between the window's own, so it holds for all
 * relations but PQT_COVERS, for which nothing ever lies inside. An infinite side is no border.
 */
#ifndef PQTI_WINDOW_H
#define PQTI_WINDOW_H

#include <stdbool.h>

#include <pqt/query.h>

#include "tree/node.h"

/* What the columns of a subtree are compared with. */
typedef struct pqti_sieve {
    uint32_t begin_by_x, begin_by_y; /* some item must begin at or before these columns */
    uint32_t end_from_x, end_from_y; /* and some item end at or after these */
    uint32_t from_x, from_y;         /* all is inside if all items begin at or after these */
    uint32_t to_x, to_y;             /* and end at or before these */
} pqti_sieve;

typedef struct pqti_window {
    pqt_query query;
    bool empty;                /* finds nothing: NaN or inside out */
    bool inside;               /* PQT_INSIDE: an item's min is compared from below */
    pqt_vec begin, end;        /* what an item's min and max are compared with */
    pqti_sieve bounds, strays; /* on the lattice of the bounds; on that of the root's bucket */
} pqti_window;

pqti_window pqti_window_of(const pqti_space *space, pqt_query query);

static inline const pqti_sieve *
pqti_sieve_at(const pqti_window *window, bool strays)
{
    return strays ? &window->strays : &window->bounds;
}

/* Whether child i of a node may hold something to be found. */
static inline bool
pqti_may_find(const pqti_sieve *sieve, const pqti_inner *node, int i)
{
    return (node->min_x[i] <= sieve->begin_by_x) & (node->max_x[i] >= sieve->end_from_x) &
           (node->min_y[i] <= sieve->begin_by_y) & (node->max_y[i] >= sieve->end_from_y);
}

/* Whether all items of child i lie inside the window. */
static inline bool
pqti_is_inside(const pqti_sieve *sieve, const pqti_inner *node, int i)
{
    return (node->min_x[i] >= sieve->from_x) & (node->max_x[i] <= sieve->to_x) &
           (node->min_y[i] >= sieve->from_y) & (node->max_y[i] <= sieve->to_y);
}

/* Whether item i of a leaf stands in the relation; the filter is not asked. */
static inline bool
pqti_meets(const pqti_window *window, pqti_leaf_view view, size_t i)
{
    if (window->inside)
        return (view.min_x[i] >= window->begin.x) & (view.max_x[i] <= window->end.x) &
               (view.min_y[i] >= window->begin.y) & (view.max_y[i] <= window->end.y);
    return (view.min_x[i] <= window->begin.x) & (view.max_x[i] >= window->end.x) &
           (view.min_y[i] <= window->begin.y) & (view.max_y[i] >= window->end.y);
}

/* Whether the filter lets an item pass. */
static inline bool
pqti_passes(const pqti_window *window, const pqt_item *item)
{
    return window->query.filter == NULL || window->query.filter(item, window->query.context);
}

static inline void
pqti_tally_node(const pqti_window *window)
{
    if (window->query.tally != NULL)
        window->query.tally->nodes++;
}

static inline void
pqti_tally_leaf(const pqti_window *window, size_t boxes)
{
    if (window->query.tally == NULL)
        return;
    window->query.tally->leaves++;
    window->query.tally->boxes += boxes;
}

#endif
