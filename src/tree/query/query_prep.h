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
typedef struct pqti_sieve {
    uint32_t begin_by_x, begin_by_y; /* some item must begin at or before these columns */
    uint32_t end_from_x, end_from_y; /* and some item end at or after these */
    uint32_t from_x, from_y;         /* all is inside if all items begin at or after these */
    uint32_t to_x, to_y;             /* and end at or before these */
} pqti_sieve;

typedef struct pqti_window {
    pqt_query query;
    bool empty;  /* finds nothing: NaN or inside out */
    bool turned; /* PQT_INSIDE: an item's max is compared with `most`, its min with `least` */
    pqt_vec most, least;       /* else its min with `most`, its max with `least` */
    pqti_sieve bounds, strays; /* on the lattice of the bounds; on that of the root's bucket */
} pqti_window;

pqti_window pqti_window_of(const pqti_space *space, pqt_query query);

/* The same for walks over one version alone: without the sieve for strays if it has none. */
pqti_window pqti_window_in(const pqt_tree *tree, pqt_query query);

/*
 * Which of the items `from` to `from` + 63 of a leaf of `count` stand in the relation, a bit for
 * each, the lowest for `from`; the filter is not asked. `from` is a multiple of PQTI_RUN below
 * `count`.
 */
uint64_t pqti_hits(const pqti_window *window, pqti_leaf_view view, uint32_t from, uint32_t count);

/* What is known of all items of a mixed node at once; the filter is not asked. */
typedef enum pqti_verdict { PQTI_NONE, PQTI_UNSURE, PQTI_ALL } pqti_verdict;
pqti_verdict pqti_judge(const pqti_window *window, const pqti_inner *mixed);

static inline const pqti_sieve *
pqti_sieve_at(const pqti_window *window, bool strays)
{
    return strays ? &window->strays : &window->bounds;
}

/* Whether quarter i of a node may hold something to be found. */
static inline bool
pqti_may_find(const pqti_sieve *sieve, const pqti_inner *node, int i)
{
    return (node->min_x[i] <= sieve->begin_by_x) & (node->max_x[i] >= sieve->end_from_x) &
           (node->min_y[i] <= sieve->begin_by_y) & (node->max_y[i] >= sieve->end_from_y);
}

/* Whether all items of quarter i lie inside the window. */
static inline bool
pqti_is_inside(const pqti_sieve *sieve, const pqti_inner *node, int i)
{
    return (node->min_x[i] >= sieve->from_x) & (node->max_x[i] <= sieve->to_x) &
           (node->min_y[i] >= sieve->from_y) & (node->max_y[i] <= sieve->to_y);
}

/* The sides that are compared with `most` as the mins, those compared with `least` as the maxs. */
static inline pqti_leaf_view
pqti_compared_sides(const pqti_window *window, pqti_leaf_view view)
{
    if (!window->turned)
        return view;
    return (pqti_leaf_view){view.max_x, view.max_y, view.min_x, view.min_y, view.id};
}

/* Whether item i of a leaf stands in the relation; the filter is not asked. */
static inline bool
pqti_meets(const pqti_window *window, pqti_leaf_view view, size_t i)
{
    pqti_leaf_view sides = pqti_compared_sides(window, view);
    return (sides.min_x[i] <= window->most.x) & (sides.max_x[i] >= window->least.x) &
           (sides.min_y[i] <= window->most.y) & (sides.max_y[i] >= window->least.y);
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
