/* SPDX-License-Identifier: MIT */
/*
 * region_toi_circle.h - a circle and a region on their ways, in doubles: what they meet at a place,
 * and what first.
 *
 * A region's place is in whole steps at both ends, so that its squares lie exactly where they are
 * said to.
 */
#ifndef PQTI_REGION_TOI_CIRCLE_H
#define PQTI_REGION_TOI_CIRCLE_H

#include "collision/toi.h"
#include "collision/toi_shapes.h"
#include "region/collision/region_cursor.h"

/* Where both are. */
typedef struct pqti_circle_sweep_positions {
    pqt_vec circle, region;
} pqti_circle_sweep_positions;

typedef struct pqti_circle_sweep {
    pqti_shape_view shape;
    double radius;
    pqti_circle_sweep_positions from, to;
    pqt_query_stats *stats; /* may be NULL */
} pqti_circle_sweep;

/* Where both are at a time, which may be above 1. */
pqti_circle_sweep_positions pqti_circle_sweep_positions_at(const pqti_circle_sweep *p, double time);

/* Looks for a full square that the circle overlaps, beginning with one quadrant; sets `hit`, unless
   NULL. */
bool pqti_circle_sweep_overlaps(const pqti_circle_sweep *p, pqti_circle_sweep_positions at,
                                int first, pqti_region_cursor *hit);

/* Whether there is one that it touches. */
bool pqti_circle_sweep_touches(const pqti_circle_sweep *p, pqti_circle_sweep_positions at);

/* The circle and a square as a course (toi.h) has them. */
typedef struct pqti_mover_pair {
    pqt_mover a, b;
    bool swapped; /* b is the circle, which rests while the square moves */
} pqti_mover_pair;

pqti_mover_pair pqti_circle_sweep_pair(const pqti_circle_sweep *p, const pqti_region_cursor *part);

/* What the circle meets first. */
typedef struct pqti_circle_sweep_hit {
    double key; /* INFINITY: nothing. When it is met; at a corner, the double after that */
    pqti_region_cursor cursor;
    pqti_toi toi;
} pqti_circle_sweep_hit;

/* It overlaps nothing at the start. */
pqti_circle_sweep_hit pqti_circle_sweep_first(const pqti_circle_sweep *p);

#endif
