/* SPDX-License-Identifier: MIT */
/*
 * mindist_int.h - how far it is to the quarters of a node at least, from within the bounds.
 *
 * The gaps are counted in whole columns, four at a time, before they become numbers: half as many
 * of these are to be made as where columns become numbers first (child_dist.h).
 */
#ifndef PQTI_MINDIST_INT_H
#define PQTI_MINDIST_INT_H

#include "base/simd_u32.h"
#include "tree/query/child_dist.h"

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
