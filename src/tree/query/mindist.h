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
static inline pqti_pair
pqti_gap(pqti_pair begin, pqti_pair end)
{
    return pqti_pair_positive(pqti_pair_greater(begin, -end));
}

/* Of each quarter of a node. */
typedef struct pqti_gaps {
    pqti_pair x[2], y[2];
} pqti_gaps;

/* To what begins or ends as near as possible: no item is nearer. */
static inline pqti_gaps
pqti_least_gaps(const pqti_ways *ways)
{
    return (pqti_gaps){
        {pqti_gap(ways->begin_x[0], ways->end_x[0]), pqti_gap(ways->begin_x[1], ways->end_x[1])},
        {pqti_gap(ways->begin_y[0], ways->end_y[0]), pqti_gap(ways->begin_y[1], ways->end_y[1])},
    };
}

/* To what ends as far as possible, or begins so: no item is farther. */
static inline pqti_gaps
pqti_greatest_gaps(const pqti_ways *ways)
{
    return (pqti_gaps){
        {pqti_gap(ways->end_x[0], ways->begin_x[0]), pqti_gap(ways->end_x[1], ways->begin_x[1])},
        {pqti_gap(ways->end_y[0], ways->begin_y[0]), pqti_gap(ways->end_y[1], ways->begin_y[1])},
    };
}

/* Squares of distances, as halves have them. */
static inline void
pqti_gaps_squares(const pqti_gaps *g, double squares[PQTI_QUARTERS])
{
    for (int i = 0; i < 2; i++)
        pqti_pair_store(squares + 2 * i, g->x[i] * g->x[i] + g->y[i] * g->y[i]);
}

/* Whole distances. */
static inline void
pqti_gaps_lengths(const pqti_gaps *g, double lengths[PQTI_QUARTERS])
{
    for (int i = 0; i < PQTI_QUARTERS; i++) {
        pqt_vec whole = {2 * g->x[i / 2][i % 2], 2 * g->y[i / 2][i % 2]};
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
typedef struct pqti_sight {
    uint32_t min, max;
    double step, begin; /* halves, in the unit */
} pqti_sight;

/* Both the box and what lies beyond the gap cover a part of a column that is not known. */
static inline pqti_sight
pqti_sight_along(const pqti_axis *axis, double min, double max, double unit)
{
    double column = axis->half_extent * 0x1p-32;
    double unsure = column + 2 * pqti_outlook_slack(axis, pqti_greater(-min / 2, max / 2));
    return (pqti_sight){pqti_column(axis, min), pqti_column(axis, max), column * unit,
                        (column * 0x1p31 - unsure) * unit};
}

/* Of four quarters, how many columns they are away, and so how far at least. */
static inline void
pqti_sight_gaps(const pqti_sight *s, const uint32_t min[4], const uint32_t max[4],
                pqti_pair halves[2])
{
    pqti_four begin = pqti_four_load(min), end = pqti_four_load(max);
    pqti_four away = ((begin - s->max) & (pqti_four)(begin > s->max)) |
                     ((s->min - end) & (pqti_four)(end < s->min));
    uint32_t columns[PQTI_QUARTERS];
    memcpy(columns, &away, sizeof columns);
    pqti_pair_columns(columns, halves);
    for (int i = 0; i < 2; i++)
        halves[i] = pqti_pair_positive(halves[i] * s->step + s->begin);
}

#endif
