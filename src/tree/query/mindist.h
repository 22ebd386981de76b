/* SPDX-License-Identifier: MIT */
/*
 * mindist.h - how far it is to the quarters of a node on both axes, and so in all.
 *
 * Gaps are halves, as the ways are that they are made of (child_dist.h), and so are finite.
 */
#ifndef PQTI_MINDIST_H
#define PQTI_MINDIST_H

#include <pqt/vec.h>

#include "base/simd.h"
#include "tree/query/child_dist.h"

/* The gap on one axis between 0 and what lies from `begin` to `end`; 0 if there is none. */
static inline pqti_f64x2
pqti_axis_dist(pqti_f64x2 begin, pqti_f64x2 end)
{
    return pqti_f64x2_relu(pqti_f64x2_max(begin, pqti_f64x2_neg(end)));
}

/* Of each quarter of a node. */
typedef struct pqti_axis_dists {
    pqti_f64x2 x[2], y[2];
} pqti_axis_dists;

/* To what begins or ends as near as possible: no item is nearer. */
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

/* To what ends as far as possible, or begins so: no item is farther. */
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

/* Squares of distances, as halves have them. */
static inline void
pqti_axis_dists_squares(const pqti_axis_dists *g, double squares[PQTI_QUADRANTS])
{
    for (int i = 0; i < 2; i++)
        pqti_f64x2_store(squares + 2 * i, pqti_f64x2_add(pqti_f64x2_mul(g->x[i], g->x[i]),
                                                         pqti_f64x2_mul(g->y[i], g->y[i])));
}

/* Whole distances. */
static inline void
pqti_axis_dists_lengths(const pqti_axis_dists *g, double lengths[PQTI_QUADRANTS])
{
    for (int i = 0; i < PQTI_QUADRANTS; i++) {
        pqt_vec whole = {2 * pqti_f64x2_lane(g->x[i / 2], i % 2),
                         2 * pqti_f64x2_lane(g->y[i / 2], i % 2)};
        lengths[i] = pqt_vec_length(whole);
    }
}

/*
 * How far it is to the quarters of a node at least, from within the bounds.
 *
 * The gaps are counted in whole columns, four at a time, before they become numbers: half as many
 * of these are to be made as where columns become numbers first (child_dist.h).
 */

/*
 * One axis of the bounds as seen from a box within: the columns that the box covers, and the least
 * gap that n columns between are for sure: n - 2^31 steps, and `begin`.
 */
typedef struct pqti_mindist_int {
    uint32_t min, max;
    double unit, begin; /* halves, in the unit */
} pqti_mindist_int;

/* Both the box and what lies beyond the gap cover a part of a column that is not known. */
static inline pqti_mindist_int
pqti_mindist_int_along(const pqti_axis *axis, double min, double max, double unit)
{
    double column = axis->half_extent * 0x1p-32;
    double unsure = column + 2 * pqti_query_axis_slack(axis, pqti_fmax(-min / 2, max / 2));
    return (pqti_mindist_int){pqti_qcoord(axis, min), pqti_qcoord(axis, max), column * unit,
                              (column * 0x1p31 - unsure) * unit};
}

/* Of four quadrants, how many columns they are away, and so how far at least. */
static inline void
pqti_mindist_int_dists(const pqti_mindist_int *s, const uint32_t min[4], const uint32_t max[4],
                       pqti_f64x2 halves[2])
{
    uint32_t qcoords[PQTI_QUADRANTS];
    pqti_qcoords_apart(min, max, s->min, s->max, qcoords);
    pqti_f64x2_from_qcoords(qcoords, halves);
    for (int i = 0; i < 2; i++)
        halves[i] = pqti_f64x2_relu(
            pqti_f64x2_add(pqti_f64x2_scale(halves[i], s->unit), pqti_f64x2_splat(s->begin)));
}

#endif
