/* SPDX-License-Identifier: MIT */
/*
 * broadphase.h: the broad phase of a step: which balls may hit each other.
 *
 * Each ball has a *swept box*, which contains its motion for some time. Two balls whose swept boxes
 * touch are neighbours, linked by a pair of edges, unless their masks forbid it. Only neighbours
 * are tested for impacts. The swept boxes are in a grid (grid.h) while their sizes are similar,
 * otherwise in a tree in an arena of the step.
 *
 * The swept box of a slow ball is valid to the end of a *window* of time. That of a fast ball would
 * contain everything along its path, of which it hits only the first; and after the impact, as much
 * again. So its swept box ends at a *horizon*: when the ball reaches it, it gets another one.
 *
 * A ball that gets another swept box unlinks the neighbours that the new one does not touch. Their
 * lists may still link it, which costs a test and changes no result.
 */
#ifndef PQTI_BROADPHASE_H
#define PQTI_BROADPHASE_H

#include <pqt/error.h>
#include <pqt/tree.h>

#include "world/grid.h"

/* Edges are allocated in pairs, one for each end: the edge of a at 2k, the edge of b at 2k + 1. */
typedef struct pqti_edge {
    uint32_t to;   /* the other ball */
    uint32_t next; /* the next edge of the same ball, or PQTI_NO_EDGE */
} pqti_edge;

typedef struct pqti_broad_phase {
    struct pqti_obstacle_view *obstacle; /* NULL: the world has no obstacle (obstacle_toi.h) */
    pqti_ball *balls;
    size_t count;
    double from, end;      /* the window of time for which neighbours are found */
    double horizon_length; /* maximal length of a swept motion on either axis, world units */
    size_t max_edges;      /* the edges with which a window may begin */
    bool too_many_edges;   /* there would be more than max_edges */
    size_t edge_limit;     /* above this number of edges, another window begins */
    uint32_t new_until;    /* see pqti_broad_phase_update */
    pqt_box *swept_aabbs;
    pqti_edge *edges;
    size_t edge_count, edge_capacity;
    pqti_grid grid;
    pqt_memory *arena;
    const pqt_tree *tree; /* an item for each ball: its swept box and index; NULL: a grid */
    size_t changes;       /* since the arena was made */
} pqti_broad_phase;

/*
 * Builds the grid or tree and finds neighbours for the window and horizon that are set; discards
 * the state of an earlier window. If there are more than max_edges, sets `too_many_edges`, and the
 * neighbours are incomplete. Returns false with an error set if there is no memory. Free in either
 * case.
 */
bool pqti_broad_phase_begin(pqti_broad_phase *broad_phase, pqt_error *error);

/* Average properties of the balls; world units. */
typedef struct pqti_scale {
    double spacing;  /* distance between balls in an even distribution; at least a diameter */
    double diameter; /* the diameter of a ball */
    double speed;    /* per second, on the axis on which it is larger */
} pqti_scale;

pqti_scale pqti_broad_phase_scale(const pqti_broad_phase *broad_phase);

/* Call after a ball's velocity changed or its horizon expired. Computes a new horizon and swept box
 * and updates the neighbour list. New neighbours come first in the list, up to `new_until`. Returns
 * false with an error set if there is no memory. */
bool pqti_broad_phase_update(pqti_broad_phase *broad_phase, uint32_t ball, double time,
                             pqt_error *error);

/* Call before a ball is moved by at most `by` in any direction. Enlarges the swept box and updates
 * the neighbour list. Returns false with an error set if there is no memory. */
bool pqti_broad_phase_inflate(pqti_broad_phase *broad_phase, uint32_t ball, double by,
                              pqt_error *error);

void pqti_broad_phase_free(pqti_broad_phase *broad_phase);

#endif
