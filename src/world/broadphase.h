/* SPDX-License-Identifier: MIT */
/*
 * broadphase.h: the broad phase of a step, which finds the balls that may hit each other.
 *
 * Each ball has a *swept box*, which contains its motion for some time. Two balls whose swept boxes
 * touch are neighbours and are linked by a pair of edges, unless their masks let them pass through
 * each other. Only neighbours are tested for impacts. The swept boxes are in a grid (grid.h) if
 * their sizes are similar; otherwise they are in a tree, whose arena the step frees.
 *
 * The swept box of a slow ball is valid until the end of a *window* of time. The swept box of a
 * fast ball would touch everything along its path until the end of the window, although the ball
 * hits only the first obstruction and needs another box after the impact. So its swept box is valid
 * only up to an earlier time, the *horizon*. When the ball reaches its horizon, it gets another
 * swept box and horizon.
 *
 * When a ball gets another swept box, the neighbours that the new box does not touch are removed
 * from its list. The ball may remain in their lists, which costs a test but changes no result.
 */
#ifndef PQTI_BROADPHASE_H
#define PQTI_BROADPHASE_H

#include <pqt/error.h>
#include <pqt/tree.h>

#include "world/grid.h"

/* Edges are allocated in pairs, one for each of the linked balls a and b: the edge of a has index
 * 2k, the edge of b has index 2k + 1. */
typedef struct pqti_edge {
    uint32_t to;   /* the other ball */
    uint32_t next; /* the next edge of the same ball, or PQTI_NO_EDGE */
} pqti_edge;

/* The bodies that are lacking in a run that loaded only some (loading.h). */
typedef enum pqti_lack {
    PQTI_LACKS_NOTHING,
    PQTI_LACKS_NEAR, /* bodies near a ball that left its cover */
    PQTI_LACKS_ALL   /* all bodies, because any of them may belong to an island to separate */
} pqti_lack;

typedef struct pqti_broad_phase {
    struct pqti_obstacle_view *obstacle; /* NULL: the world has no obstacle (obstacle_toi.h) */
    pqti_ball *balls;
    size_t count;
    pqt_box *covers; /* by rank: see loading.h. A cover that was left holds the box that left it.
                        NULL: all bodies are loaded */
    pqti_lack lack;
    double from, end;      /* the window of time for which neighbours are found */
    double horizon_length; /* maximal length of a swept motion on an axis, in world units */
    size_t max_edges;      /* the maximal number of edges with which a window may begin */
    bool too_many_edges;   /* the window would begin with more than max_edges edges */
    size_t edge_limit;     /* another window begins when there are more edges than this */
    uint32_t new_until;    /* see pqti_broad_phase_update */
    pqt_box *swept_aabbs;
    pqti_edge *edges;
    size_t edge_count, edge_capacity;
    pqti_grid grid;
    pqt_memory *arena;
    const pqt_tree *tree; /* an item for each ball: its swept box and index; NULL: a grid */
    size_t changes;       /* number of changes since the arena was made */
} pqti_broad_phase;

/*
 * Builds the grid or tree, and finds the neighbours for the window and horizon length that are set.
 * Discards the state of an earlier window. If there are more than max_edges, sets `too_many_edges`,
 * and the neighbours are incomplete. Returns false with an error set when out of memory, or without
 * one if bodies are lacking. The caller frees the broad phase in either case.
 */
bool pqti_broad_phase_begin(pqti_broad_phase *broad_phase, pqt_error *error);

/* Average properties of the balls, in world units. */
typedef struct pqti_scale {
    double spacing;  /* distance between evenly distributed balls, at least a diameter */
    double diameter; /* mean diameter of a ball */
    double speed;    /* mean speed per second, along the axis on which it is larger */
} pqti_scale;

pqti_scale pqti_broad_phase_scale(const pqti_broad_phase *broad_phase);

/* Computes a new horizon and swept box for a ball, and updates its neighbour list. Call this after
 * the ball's velocity changed or its horizon expired. New neighbours come first in the list, before
 * the edge `new_until`. Returns false with an error set when out of memory, or without one if
 * bodies are lacking. */
bool pqti_broad_phase_update(pqti_broad_phase *broad_phase, uint32_t ball, double time,
                             pqt_error *error);

/* Returns true if only some bodies are loaded, and sets `lack`, for a run that needs all. */
bool pqti_broad_phase_lacks_all(pqti_broad_phase *broad_phase);

/* Enlarges the swept box of a ball and updates its neighbour list. Call this before the ball is
 * moved by at most `by` in any direction. Returns false with an error set when out of memory. */
bool pqti_broad_phase_inflate(pqti_broad_phase *broad_phase, uint32_t ball, double by,
                              pqt_error *error);

void pqti_broad_phase_free(pqti_broad_phase *broad_phase);

/* Returns the number of edges of a ball. */
static inline size_t
pqti_count_neighbours(const pqti_broad_phase *broad_phase, const pqti_ball *ball)
{
    size_t count = 0;
    for (uint32_t e = ball->edge; e != PQTI_NO_EDGE; e = broad_phase->edges[e].next)
        count++;
    return count;
}

#endif
