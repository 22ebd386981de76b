/* SPDX-License-Identifier: MIT */
/*
 * region_toi_circle.h: the first impact of a moving circle and a moving region, in doubles.
 *
 * The positions of the region at both ends are whole subpixels, so the boxes of its nodes are exact
 * there.
 */
#ifndef PQTI_REGION_TOI_CIRCLE_H
#define PQTI_REGION_TOI_CIRCLE_H

#include "collision/toi.h"
#include "collision/toi_shapes.h"
#include "region/collision/region_cursor.h"

/* The positions of both. */
typedef struct pqti_circle_sweep_positions {
    pqt_vec circle, region;
} pqti_circle_sweep_positions;

typedef struct pqti_circle_sweep {
    pqti_shape_view shape;
    double radius;
    pqti_circle_sweep_positions from, to;
    pqt_query_stats *stats; /* may be NULL */
} pqti_circle_sweep;

/* The positions of both at a time, which may exceed 1. */
pqti_circle_sweep_positions pqti_circle_sweep_positions_at(const pqti_circle_sweep *p, double time);

/* Whether the circle overlaps a full node. The search begins with quadrant `first`. Sets `*hit`
   unless it is NULL. */
bool pqti_circle_sweep_overlaps(const pqti_circle_sweep *p, pqti_circle_sweep_positions at,
                                int first, pqti_region_cursor *hit);

/* Whether the circle touches a full node. */
bool pqti_circle_sweep_touches(const pqti_circle_sweep *p, pqti_circle_sweep_positions at);

/* The circle and a node as two movers (toi.h). */
typedef struct pqti_mover_pair {
    pqt_mover a, b;
    bool swapped; /* b is the circle, which rests, and a is the moving node */
} pqti_mover_pair;

pqti_mover_pair pqti_circle_sweep_pair(const pqti_circle_sweep *p,
                                       const pqti_region_cursor *cursor);

/* The first impact of the circle. */
typedef struct pqti_circle_sweep_hit {
    double key; /* its time; at a corner, the next double after it; INFINITY if there is none */
    pqti_region_cursor cursor;
    pqti_toi toi;
} pqti_circle_sweep_hit;

/* The first impact. The circle overlaps nothing at the start. */
pqti_circle_sweep_hit pqti_circle_sweep_first(const pqti_circle_sweep *p);

#endif
