/* SPDX-License-Identifier: MIT */
/*
 * broadphase.h - the broad phase of a step: which balls may meet in it at all.
 *
 * Each ball is known by a box, its *reach*, which holds all of its way for a time. Two balls whose
 * reaches touch are neighbours, joined by a pair of edges; only neighbours are asked whether they
 * meet. Reaches stand in a grid (grid.h) as long as they are of about one size, else in a tree in
 * an arena of the step's own.
 *
 * The reach of a slow ball holds to the end of a *window* of time. That of a fast one would hold
 * all that lies beside its way, of which it meets but the first; and when that has turned it, as
 * much again. So it flies on a *horizon*: its reach holds until it has gone some way, and then it
 * gets another, from there on.
 *
 * A ball that gets another reach forgets the neighbours that this does not touch. Those may still
 * know of it, which costs a question and does no harm.
 */
#ifndef PQTI_BROADPHASE_H
#define PQTI_BROADPHASE_H

#include <pqt/error.h>
#include <pqt/tree.h>

#include "world/grid.h"

/* Edges come in pairs, one for each end: that of a at 2k, that of b at 2k + 1. */
typedef struct pqti_edge {
    uint32_t to;   /* the other ball */
    uint32_t next; /* the next edge of the same ball, or PQTI_NO_EDGE */
} pqti_edge;

typedef struct pqti_broad_phase {
    struct pqti_obstacle_view *obstacle; /* NULL: the world has no obstacle (obstacle_toi.h) */
    pqti_ball *balls;
    size_t count;
    double from, end;      /* of the window of time that neighbours are found for */
    double horizon_length; /* how far a reach leads on either axis at most, world units */
    size_t most_edges;     /* that a window may begin with; */
    bool too_many_edges;   /* there would have been more of them */
    size_t edge_limit;     /* when there are so many, it is time for another window */
    uint32_t new_until;    /* see pqti_broad_phase_update */
    pqt_box *swept_aabbs;
    pqti_edge *edges;
    size_t edge_count, edge_capacity;
    pqti_grid grid;
    pqt_memory *arena;
    const pqt_tree *tree; /* NULL: the grid does. An item for each ball: its reach and its number */
    size_t changes;       /* since the arena was made */
} pqti_broad_phase;

/*
 * Sorts the balls as suits it, and finds neighbours for the window and the horizon that are given;
 * what was found for another is forgotten. If there are more than most_edges, `too_many_edges` is
 * set, and nothing is to be asked. False with an error told: no memory. To be freed in either case.
 */
bool pqti_broad_phase_begin(pqti_broad_phase *broad_phase, pqt_error *error);

/* What balls are like on the average; world units. */
typedef struct pqti_scale {
    double spacing;  /* of balls if they were spread evenly; no less than a diameter */
    double diameter; /* of a ball */
    double speed;    /* a second, along the axis on which it is larger */
} pqti_scale;

pqti_scale pqti_broad_phase_scale(const pqti_broad_phase *broad_phase);

/*
 * To be called when a ball flies another way from then on, or its horizon has come to its end:
 * gives it a horizon, and sees to its neighbours. In its list those that it did not have before
 * come first, up to `new_until`. False with an error told: no memory.
 */
bool pqti_broad_phase_update(pqti_broad_phase *broad_phase, uint32_t ball, double time,
                             pqt_error *error);

/* The same for a ball that will be moved by so much at most, any way. */
bool pqti_broad_phase_inflate(pqti_broad_phase *broad_phase, uint32_t ball, double by,
                              pqt_error *error);

void pqti_broad_phase_free(pqti_broad_phase *broad_phase);

#endif
