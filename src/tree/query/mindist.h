/* SPDX-License-Identifier: MIT */
/*
 * mindist.h: computes lower and upper bounds on the distances from a query to the four quadrants of
 * a node (MINDIST and its counterpart).
 *
 * The distance on one axis is a half, like the numbers in child_dist.h from which it is computed.
 * Therefore it is finite. MINDIST: N. Roussopoulos, S. Kelley, F. Vincent, "Nearest neighbor
 * queries", 1995.
 */
#ifndef PQTI_MINDIST_H
#define PQTI_MINDIST_H

#include <pqt/vec.h>

#include "base/simd.h"
#include "tree/query/child_dist.h"

/*
 * Returns the distance on one axis from 0 to the interval [begin, end], or 0 if the interval
 * contains 0.
 */
static inline pqti_f64x2
pqti_axis_dist(pqti_f64x2 begin, pqti_f64x2 end)
{
    return pqti_f64x2_relu(pqti_f64x2_max(begin, pqti_f64x2_neg(end)));
}

/* The distances on both axes to each quadrant of a node. */
typedef struct pqti_axis_dists {
    pqti_f64x2 x[2], y[2];
} pqti_axis_dists;

/* Returns lower bounds on the distances: no item in the quadrant is nearer. */
static inline pqti_axis_dists
pqti_mindist(const pqti_child_dist *dist)
{
    return (pqti_axis_dists){
        {pqti_axis_dist(dist->begin_x[0], dist->end_x[0]),
         pqti_axis_dist(dist->begin_x[1], dist->end_x[1])},
        {pqti_axis_dist(dist->begin_y[0], dist->end_y[0]),
         pqti_axis_dist(dist->begin_y[1], dist->end_y[1])},
    };
}

/* Returns upper bounds on the distances: no item in the quadrant is farther away. */
static inline pqti_axis_dists
pqti_maxdist(const pqti_child_dist *dist)
{
    return (pqti_axis_dists){
        {pqti_axis_dist(dist->end_x[0], dist->begin_x[0]),
         pqti_axis_dist(dist->end_x[1], dist->begin_x[1])},
        {pqti_axis_dist(dist->end_y[0], dist->begin_y[0]),
         pqti_axis_dist(dist->end_y[1], dist->begin_y[1])},
    };
}

/* Computes the squares of the distances, which are halves here, too. */
static inline void
pqti_axis_dists_squares(const pqti_axis_dists *dists, double squares[PQTI_QUADRANTS])
{
    for (int i = 0; i < 2; i++)
        pqti_f64x2_store(squares + 2 * i, pqti_f64x2_add(pqti_f64x2_mul(dists->x[i], dists->x[i]),
                                                         pqti_f64x2_mul(dists->y[i], dists->y[i])));
}

/* Computes the distances themselves, as full numbers rather than halves. */
static inline void
pqti_axis_dists_lengths(const pqti_axis_dists *dists, double lengths[PQTI_QUADRANTS])
{
    for (int i = 0; i < PQTI_QUADRANTS; i++) {
        pqt_vec whole = {2 * pqti_f64x2_lane(dists->x[i / 2], i % 2),
                         2 * pqti_f64x2_lane(dists->y[i / 2], i % 2)};
        lengths[i] = pqt_vec_length(whole);
    }
}

#ifndef PQT_PLAIN

/*
 * Fast path. It is equivalent to pqti_mindist of the result of pqti_child_dist_to, except for a
 * slack, which can only cause more visits. Every test passes without it.
 *
 * Computes lower bounds on the distances to the quadrants of a node for a query within the bounds.
 *
 * The distances are computed in whole columns, four at a time, and then converted to numbers. This
 * converts half as many numbers as child_dist.h, which converts columns first.
 */

/* One axis of the bounds, relative to a query box within them. `min` and `max` are the columns
   of the box. A gap of n columns has a width of at least (n - 2^31) * unit + begin. */
typedef struct pqti_mindist_int {
    uint32_t min, max;
    double unit, begin; /* halves in the unit of the search */
} pqti_mindist_int;

/* The box and the items on the other side of the gap each cover an unknown part of their
   columns, so one column is subtracted from the gap. */
static inline pqti_mindist_int
pqti_mindist_int_along(const pqti_axis *axis, double min, double max, double unit)
{
    double column = axis->half_extent * 0x1p-32;
    double unsure = column + 2 * pqti_query_axis_slack(axis, pqti_fmax(-min / 2, max / 2));
    return (pqti_mindist_int){pqti_qcoord(axis, min), pqti_qcoord(axis, max), column * unit,
                              (column * 0x1p31 - unsure) * unit};
}

/*
 * Returns lower bounds on the distances to four quadrants on one axis, computed from the numbers of
 * columns in the gaps.
 */
static inline void
pqti_mindist_int_dists(const pqti_mindist_int *mindist, const uint32_t min[4],
                       const uint32_t max[4], pqti_f64x2 halves[2])
{
    uint32_t qcoords[PQTI_QUADRANTS];
    pqti_qcoords_apart(min, max, mindist->min, mindist->max, qcoords);
    pqti_f64x2_from_qcoords(qcoords, halves);
    for (int i = 0; i < 2; i++)
        halves[i] = pqti_f64x2_relu(pqti_f64x2_add(pqti_f64x2_scale(halves[i], mindist->unit),
                                                   pqti_f64x2_splat(mindist->begin)));
}

#endif

#endif
