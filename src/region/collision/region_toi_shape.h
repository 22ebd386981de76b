/* SPDX-License-Identifier: MIT */
/*
 * region_toi_shape.h: computes the first impact of a moving circle or convex on a moving region.
 *
 * The positions of the region at both ends of its motion are whole subpixels, so the boxes of its
 * nodes are exact there.
 */
#ifndef PQTI_REGION_TOI_SHAPE_H
#define PQTI_REGION_TOI_SHAPE_H

#include "collision/toi.h"
#include "collision/toi_shapes.h"
#include "region/collision/region_cursor.h"

/* The positions of the mover and the region. */
typedef struct pqti_shape_sweep_positions {
    pqt_vec mover, region;
} pqti_shape_sweep_positions;

typedef struct pqti_shape_sweep {
    pqti_shape_view shape;
    pqt_mover mover; /* a circle or a convex; its positions are in `from` and `to` */
    pqti_shape_sweep_positions from, to;
    pqt_query_stats *stats; /* statistics of the search; may be NULL */
} pqti_shape_sweep;

/* Returns the positions of both shapes at a given time, which may exceed 1. */
pqti_shape_sweep_positions pqti_shape_sweep_positions_at(const pqti_shape_sweep *p, double time);

/* Returns true if the mover overlaps a full node. The search begins with quadrant `first`. Sets
   `*hit` unless it is NULL. */
bool pqti_shape_sweep_overlaps(const pqti_shape_sweep *p, pqti_shape_sweep_positions at, int first,
                               pqti_region_cursor *hit);

/* Returns true if the mover touches a full node. */
bool pqti_shape_sweep_touches(const pqti_shape_sweep *p, pqti_shape_sweep_positions at);

/* The mover and a node of the region, as two movers (toi.h). */
typedef struct pqti_mover_pair {
    pqt_mover a, b;
    bool swapped; /* the mover rests, so it is b, and the moving node is a */
} pqti_mover_pair;

pqti_mover_pair pqti_shape_sweep_pair(const pqti_shape_sweep *p, const pqti_region_cursor *cursor);

/* The first impact of the mover. */
typedef struct pqti_shape_sweep_hit {
    double key; /* its time; at a corner, the next greater double; INFINITY if there is no impact */
    pqti_region_cursor cursor;
    pqti_toi toi;
} pqti_shape_sweep_hit;

/* Returns the first impact. The mover must not overlap the region at the start. */
pqti_shape_sweep_hit pqti_shape_sweep_first(const pqti_shape_sweep *p);

#endif
