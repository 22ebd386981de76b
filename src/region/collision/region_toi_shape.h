/* SPDX-License-Identifier: MIT */
/*
 * region_toi_shape.h: computes the first impact of a moving circle or convex on a moving region.
 * The last function is in region_sweep_shape.c.
 *
 * The positions of the region at both ends of its motion are whole subpixels, so the boxes of its
 * nodes are exact there.
 */
#ifndef PQTI_REGION_TOI_SHAPE_H
#define PQTI_REGION_TOI_SHAPE_H

#include <pqt/region_sweep.h>

#include "collision/toi.h"
#include "collision/toi_shapes.h"
#include "region/collision/region_cursor.h"

/* The positions of the mover and the region. */
typedef struct pqti_shape_sweep_positions {
    pqt_vec mover, region;
} pqti_shape_sweep_positions;

typedef struct pqti_shape_sweep pqti_shape_sweep;

/* Returns true if the mover overlaps a full node at given positions. The search begins with
   quadrant `first`. Sets `*hit` to the node unless it is NULL. */
typedef bool pqti_find_overlap_fn(const pqti_shape_sweep *sweep,
                                  const pqti_shape_sweep_positions *at, int first,
                                  pqti_region_cursor *hit);

struct pqti_shape_sweep {
    pqti_shape_view shape;
    pqt_mover mover; /* a circle or a convex; its positions are in `from` and `to` */
    pqti_shape_sweep_positions from, to;
    pqti_find_overlap_fn *find_overlap; /* a function for the kind of the mover */
    pqt_query_stats *stats;             /* statistics of the search; may be NULL */
};

/* Returns the positions of both shapes at a given time, which may exceed 1. */
pqti_shape_sweep_positions pqti_shape_sweep_positions_at(const pqti_shape_sweep *sweep,
                                                         double time);

/* The first function is for circles. The second one is for all movers, but is slower. */
pqti_find_overlap_fn pqti_circle_find_overlap, pqti_mover_find_overlap;

/* Returns true if the mover touches a full node. */
bool pqti_shape_sweep_touches(const pqti_shape_sweep *sweep, const pqti_shape_sweep_positions *at);

/* The mover and a node of the region, as two movers (toi.h). */
typedef struct pqti_mover_pair {
    pqt_mover a, b;
    bool swapped; /* the mover rests, so it is b, and the moving node is a */
} pqti_mover_pair;

pqti_mover_pair pqti_shape_sweep_pair(const pqti_shape_sweep *sweep,
                                      const pqti_region_cursor *cursor);

/* Returns the pixel of a node that is nearest to the mover, that is, to the centre of a circle or
 * to the nearest point of a convex. If that is between two pixels, returns the right or lower
 * one. */
pqt_pixel pqti_shape_sweep_pixel(const pqti_shape_sweep *sweep, const pqti_region_cursor *cursor,
                                 const pqti_shape_sweep_positions *at);

/* The first impact of the mover. Of several at one time, it is the one whose pixel is highest, and
 * of these the leftmost one. */
typedef struct pqti_shape_sweep_hit {
    double key; /* its time; at a corner, the next greater double; INFINITY if there is no impact */
    pqti_region_cursor cursor;
    pqti_toi toi;
} pqti_shape_sweep_hit;

/* Returns the first impact. The mover must not overlap the region at the start. */
pqti_shape_sweep_hit pqti_shape_sweep_first(const pqti_shape_sweep *sweep);

/* Sweeps a circle or a convex as pqt_region_sweep_mover does. The options must be complete. */
pqt_region_sweep pqti_region_sweep_shape(const pqt_mover *mover, const pqt_region_mover *other,
                                         const pqt_region_sweep_options *options);

#endif
