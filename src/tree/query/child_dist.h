/* SPDX-License-Identifier: MIT */
/*
 * child_dist.h - how far it is to the quarters of a node, rounded outward.
 *
 * Columns (domain.h) are turned back into numbers here, so that a distance or a fraction can be
 * bounded before a quarter is touched. All is in *halves*: halves of finite numbers can be
 * subtracted without overflow, and are exact but for the smallest ones.
 *
 * With h = hi/2 - lo/2, and but for roundings, column(v) = c means
 *
 *     lo/2 + c h / 2^32  <=  v/2  <  lo/2 + (c + 1) h / 2^32.
 *
 * There are fewer than eight roundings on the way from v to its column and back, each below 2^-53
 * of the largest number at hand. The slack is more than all of them, and more than what halves of
 * the smallest doubles lose. The first and the last column also stand for what lies beyond the
 * bounds; that matters only to who looks from outside, and not on an axis without extent: there all
 * items of the lattice of the bounds are at lo.
 */
#ifndef PQTI_CHILD_DIST_H
#define PQTI_CHILD_DIST_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/fp.h"
#include "base/simd.h"
#include "tree/node.h"

/* More than what is lost of halves, products and sums among the smallest doubles. */
#define PQTI_WAY_LOSS 0x1p-1040

/* One axis of the bounds' lattice as seen from a place, or from the two sides of a box. */
typedef struct pqti_outlook_axis {
    const pqti_axis *axis;
    double half_begin, half_end; /* half of where ways to begins and to ends are counted from */
    double unit;       /* what a half is multiplied by, without overflow on the lattice of the
                                    bounds; negative: one looks backward */
    double step;       /* a column, in that unit; columns are counted from 2^31 */
    double begin, end; /* the ways to the side of column 2^31 that one comes to first, and last */
    bool open;         /* seen from outside: the outer columns have no outer side */
} pqti_outlook_axis;

typedef struct pqti_outlook {
    pqti_outlook_axis x, y;
} pqti_outlook;

/*
 * The ways to each quarter: to the side that one comes to first, or less, and to the one that one
 * comes to last, or more.
 */
typedef struct pqti_ways {
    pqti_pair begin_x[2], end_x[2];
    pqti_pair begin_y[2], end_y[2];
} pqti_ways;

/* More than what is rounded away on the way to a column, from a place whose half is given. */
static inline double
pqti_outlook_slack(const pqti_axis *axis, double half)
{
    return pqti_magnitude(axis->half_low) * 0x1p-49 + axis->half_extent * 0x1p-49 +
           pqti_magnitude(half) * 0x1p-49 + PQTI_WAY_LOSS;
}

/* Ways to minima are counted from `of_min`, ways to maxima from `of_max`. */
static inline pqti_outlook_axis
pqti_outlook_axis_of(const pqti_axis *axis, double of_min, double of_max, double unit, bool inside)
{
    double middle = axis->half_low + axis->half_extent / 2, column = axis->half_extent * 0x1p-32;
    double min = middle - of_min / 2 - pqti_outlook_slack(axis, of_min / 2);
    double max = middle - of_max / 2 + column + pqti_outlook_slack(axis, of_max / 2);
    return (pqti_outlook_axis){
        .axis = axis,
        .half_begin = of_min / 2,
        .half_end = of_max / 2,
        .unit = unit,
        .step = column * unit,
        .begin = (unit < 0 ? max : min) * unit - PQTI_WAY_LOSS,
        .end = (unit < 0 ? min : max) * unit + PQTI_WAY_LOSS,
        .open = !inside && axis->half_extent > 0,
    };
}

/* The magnitude of the side of a box that is farther from 0. */
static inline double
pqti_farther(double min, double max)
{
    return pqti_greater(pqti_magnitude(min), pqti_magnitude(max));
}

/* The greatest magnitude of a box's sides. */
static inline double
pqti_farthest(const pqt_box *box)
{
    return pqti_greater(pqti_farther(box->min.x, box->max.x), pqti_farther(box->min.y, box->max.y));
}

/* Whether `box` lies within the bounds. */
static inline bool
pqti_is_within(const pqt_box *bounds, const pqt_box *box)
{
    return (box->min.x >= bounds->min.x) & (box->max.x <= bounds->max.x) &
           (box->min.y >= bounds->min.y) & (box->max.y <= bounds->max.y);
}

/* The same outlook with the outer columns open. */
static inline pqti_outlook
pqti_outlook_opened(pqti_outlook seen)
{
    seen.x.open = seen.x.axis->half_extent > 0;
    seen.y.open = seen.y.axis->half_extent > 0;
    return seen;
}

/* The outer columns hold what lies beyond them, too. */
static inline void
pqti_open_ways(const pqti_outlook_axis *seen, const pqti_pair first[2], const pqti_pair last[2],
               pqti_pair begin[2], pqti_pair end[2])
{
    const pqti_pair infinite = {INFINITY, INFINITY};
    double least = -0x1p31, greatest = 0x1p31 - 1;
    for (int i = 0; i < 2; i++) {
        pqti_mask before = first[i] == (seen->unit < 0 ? greatest : least);
        pqti_mask behind = last[i] == (seen->unit < 0 ? least : greatest);
        begin[i] = pqti_pair_choose(before, -infinite, begin[i]);
        end[i] = pqti_pair_choose(behind, infinite, end[i]);
    }
}

static inline void
pqti_axis_ways(const pqti_outlook_axis *seen, const uint32_t min[4], const uint32_t max[4],
               pqti_pair begin[2], pqti_pair end[2])
{
    pqti_pair first[2], last[2];
    pqti_pair_columns(seen->unit < 0 ? max : min, first);
    pqti_pair_columns(seen->unit < 0 ? min : max, last);
    for (int i = 0; i < 2; i++) {
        begin[i] = first[i] * seen->step + seen->begin;
        end[i] = last[i] * seen->step + seen->end;
    }
    if (seen->open)
        pqti_open_ways(seen, first, last, begin, end);
}

/* Halves of the numbers that stray columns begin with, or less; or end with, or more. */
static inline void
pqti_stray_halves(const pqti_axis *axis, const uint32_t columns[4], bool last, pqti_pair halves[2])
{
    double slack_of_middle = pqti_stray_slack(axis, 0), outward = last ? 1 : -1;
    pqti_pair_unordered(columns, last, halves);
    for (int i = 0; i < 2; i++) {
        pqti_pair slack = pqti_pair_magnitude(halves[i]) * 0x1p-50 + slack_of_middle;
        halves[i] = axis->half_middle + halves[i] + slack * outward;
    }
}

/* On the stray lattice a column reaches from one number to another. */
static inline void
pqti_stray_ways(const pqti_outlook_axis *seen, const uint32_t min[4], const uint32_t max[4],
                pqti_pair begin[2], pqti_pair end[2])
{
    pqti_pair low[2], high[2];
    pqti_stray_halves(seen->axis, min, false, low);
    pqti_stray_halves(seen->axis, max, true, high);
    for (int i = 0; i < 2; i++) {
        low[i] = low[i] - seen->half_begin - PQTI_WAY_LOSS;
        high[i] = high[i] - seen->half_end + PQTI_WAY_LOSS;
        begin[i] = (seen->unit < 0 ? high[i] : low[i]) * seen->unit - PQTI_WAY_LOSS;
        end[i] = (seen->unit < 0 ? low[i] : high[i]) * seen->unit + PQTI_WAY_LOSS;
    }
}

/* The ways to the quarters of a node; those to empty ones mean nothing. */
static inline void
pqti_ways_to(const pqti_outlook *from, const pqti_inner *node, bool strays, pqti_ways *ways)
{
    if (strays) {
        pqti_stray_ways(&from->x, node->min_x, node->max_x, ways->begin_x, ways->end_x);
        pqti_stray_ways(&from->y, node->min_y, node->max_y, ways->begin_y, ways->end_y);
        return;
    }
    pqti_axis_ways(&from->x, node->min_x, node->max_x, ways->begin_x, ways->end_x);
    pqti_axis_ways(&from->y, node->min_y, node->max_y, ways->begin_y, ways->end_y);
}

#endif
