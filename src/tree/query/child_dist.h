/* SPDX-License-Identifier: MIT */
/*
 * child_dist.h: computes conservative distances from a query to the four quadrants of a node.
 *
 * The columns of the quadrants (domain.h) are converted back to numbers, so that a distance or a
 * fraction is bounded before a quadrant is read. Every result is rounded outward. All numbers are
 * *halves*: halves of finite numbers can be subtracted without overflow, and all but the smallest
 * ones are exact.
 *
 * With h = hi/2 - lo/2, and apart from rounding, column(v) = c means
 *
 *     lo/2 + c h / 2^32  <=  v/2  <  lo/2 + (c + 1) h / 2^32.
 *
 * Converting v to its column and back rounds fewer than eight times, each time with an error below
 * 2^-53 of the largest number involved. The slack exceeds the sum of these errors and the error
 * from halving the smallest doubles. The first and the last column also contain everything beyond
 * the bounds. This matters only if the query is outside the bounds, and never on an axis of zero
 * extent: there, all items on the grid of the bounds are at lo.
 */
#ifndef PQTI_CHILD_DIST_H
#define PQTI_CHILD_DIST_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/fp.h"
#include "base/simd.h"
#include "tree/node.h"

/* An upper bound on the errors of halves, products and sums of the smallest doubles. */
#define PQTI_DIST_LOSS 0x1p-1040

/* One axis of the grid of the bounds, relative to a query point or to the two sides of a query
   box. */
typedef struct pqti_query_axis {
    const pqti_axis *axis;
    /* half of each coordinate from which distances are measured: one for minima, one for maxima */
    double half_min_origin, half_max_origin;
    /* The factor that converts a half to a distance. The product does not overflow on the grid
       of the bounds. The factor is negative if the query looks backward. */
    double unit;
    double qcoord_size; /* the width of a column as a distance; columns are counted from 2^31 */
    double begin, end;  /* the distances to the nearer and to the farther side of column 2^31 */
    /* true if the query is outside the bounds: then the outer columns have no outer side */
    bool is_unbounded;
} pqti_query_axis;

typedef struct pqti_query_frame {
    pqti_query_axis x, y;
} pqti_query_frame;

/* The distances to each quadrant: a lower bound on the distance to its near side, and an upper
   bound on the distance to its far side. */
typedef struct pqti_child_dist {
    pqti_f64x2 begin_x[2], end_x[2];
    pqti_f64x2 begin_y[2], end_y[2];
} pqti_child_dist;

/*
 * Returns an upper bound on the rounding error of the distance from a coordinate to a column.
 * `half` is half the coordinate.
 */
static inline double
pqti_query_axis_slack(const pqti_axis *axis, double half)
{
    return pqti_fabs(axis->half_low) * 0x1p-49 + axis->half_extent * 0x1p-49 +
           pqti_fabs(half) * 0x1p-49 + PQTI_DIST_LOSS;
}

/*
 * Prepares an axis. Distances to minima are measured from `of_min`, distances to maxima from
 * `of_max`.
 */
static inline pqti_query_axis
pqti_query_axis_of(const pqti_axis *axis, double of_min, double of_max, double unit, bool inside)
{
    double middle = axis->half_low + axis->half_extent / 2, column = axis->half_extent * 0x1p-32;
    double min = middle - of_min / 2 - pqti_query_axis_slack(axis, of_min / 2);
    double max = middle - of_max / 2 + column + pqti_query_axis_slack(axis, of_max / 2);
    return (pqti_query_axis){
        .axis = axis,
        .half_min_origin = of_min / 2,
        .half_max_origin = of_max / 2,
        .unit = unit,
        .qcoord_size = column * unit,
        .begin = (unit < 0 ? max : min) * unit - PQTI_DIST_LOSS,
        .end = (unit < 0 ? min : max) * unit + PQTI_DIST_LOSS,
        .is_unbounded = !inside && axis->half_extent > 0,
    };
}

/* Returns the greater absolute value of two sides. */
static inline double
pqti_farther(double min, double max)
{
    return pqti_fmax(pqti_fabs(min), pqti_fabs(max));
}

/* Returns the greatest absolute value among the sides of a box. */
static inline double
pqti_farthest(const pqt_box *box)
{
    return pqti_fmax(pqti_farther(box->min.x, box->max.x), pqti_farther(box->min.y, box->max.y));
}

/* Returns true if `box` is within the bounds. */
static inline bool
pqti_is_within(const pqt_box *bounds, const pqt_box *box)
{
    return (box->min.x >= bounds->min.x) & (box->max.x <= bounds->max.x) &
           (box->min.y >= bounds->min.y) & (box->max.y <= bounds->max.y);
}

/* Returns the same frame, but with unbounded outer columns. */
static inline pqti_query_frame
pqti_query_frame_opened(pqti_query_frame frame)
{
    frame.x.is_unbounded = frame.x.axis->half_extent > 0;
    frame.y.is_unbounded = frame.y.axis->half_extent > 0;
    return frame;
}

/* Makes the distances to the outer columns infinite, because these columns also contain
   everything beyond them. */
static inline void
pqti_open_child_dist(const pqti_query_axis *axis, const pqti_f64x2 first[2],
                     const pqti_f64x2 last[2], pqti_f64x2 begin[2], pqti_f64x2 end[2])
{
    const pqti_f64x2 infinite = pqti_f64x2_splat(INFINITY);
    const pqti_f64x2 least = pqti_f64x2_splat(-0x1p31), greatest = pqti_f64x2_splat(0x1p31 - 1);
    for (int i = 0; i < 2; i++) {
        pqti_mask64x2 before = pqti_f64x2_eq(first[i], axis->unit < 0 ? greatest : least);
        pqti_mask64x2 behind = pqti_f64x2_eq(last[i], axis->unit < 0 ? least : greatest);
        begin[i] = pqti_f64x2_select(before, pqti_f64x2_neg(infinite), begin[i]);
        end[i] = pqti_f64x2_select(behind, infinite, end[i]);
    }
}

static inline void
pqti_axis_child_dist(const pqti_query_axis *axis, const uint32_t min[4], const uint32_t max[4],
                     pqti_f64x2 begin[2], pqti_f64x2 end[2])
{
    pqti_f64x2 first[2], last[2];
    pqti_f64x2_from_qcoords(axis->unit < 0 ? max : min, first);
    pqti_f64x2_from_qcoords(axis->unit < 0 ? min : max, last);
    for (int i = 0; i < 2; i++) {
        begin[i] = pqti_f64x2_add(pqti_f64x2_scale(first[i], axis->qcoord_size),
                                  pqti_f64x2_splat(axis->begin));
        end[i] = pqti_f64x2_add(pqti_f64x2_scale(last[i], axis->qcoord_size),
                                pqti_f64x2_splat(axis->end));
    }
    if (axis->is_unbounded)
        pqti_open_child_dist(axis, first, last, begin, end);
}

/*
 * Computes halves of the numbers at which outlier columns begin, rounded down, or end, rounded up.
 */
static inline void
pqti_outlier_halves(const pqti_axis *axis, const uint32_t qcoords[4], bool last,
                    pqti_f64x2 halves[2])
{
    double slack_of_middle = pqti_outlier_slack(axis, 0), outward = last ? 1 : -1;
    pqti_f64x2_unordered(qcoords, last, halves);
    for (int i = 0; i < 2; i++) {
        pqti_f64x2 slack = pqti_f64x2_add(pqti_f64x2_scale(pqti_f64x2_abs(halves[i]), 0x1p-50),
                                          pqti_f64x2_splat(slack_of_middle));
        halves[i] = pqti_f64x2_add(pqti_f64x2_add(pqti_f64x2_splat(axis->half_middle), halves[i]),
                                   pqti_f64x2_scale(slack, outward));
    }
}

/* Computes the distances to the quadrants of a node on one axis of the outlier grid. There, a
   column is an interval of doubles, so its ends are computed directly. */
static inline void
pqti_outlier_child_dist(const pqti_query_axis *axis, const uint32_t min[4], const uint32_t max[4],
                        pqti_f64x2 begin[2], pqti_f64x2 end[2])
{
    const pqti_f64x2 loss = pqti_f64x2_splat(PQTI_DIST_LOSS);
    pqti_f64x2 low[2], high[2];
    pqti_outlier_halves(axis->axis, min, false, low);
    pqti_outlier_halves(axis->axis, max, true, high);
    for (int i = 0; i < 2; i++) {
        low[i] = pqti_f64x2_sub(low[i], pqti_f64x2_splat(axis->half_min_origin));
        low[i] = pqti_f64x2_sub(low[i], loss);
        high[i] = pqti_f64x2_sub(high[i], pqti_f64x2_splat(axis->half_max_origin));
        high[i] = pqti_f64x2_add(high[i], loss);
        begin[i] = pqti_f64x2_scale(axis->unit < 0 ? high[i] : low[i], axis->unit);
        begin[i] = pqti_f64x2_sub(begin[i], loss);
        end[i] = pqti_f64x2_scale(axis->unit < 0 ? low[i] : high[i], axis->unit);
        end[i] = pqti_f64x2_add(end[i], loss);
    }
}

/*
 * Computes the distances to the quadrants of a node. The distances to empty quadrants are
 * meaningless.
 */
static inline void
pqti_child_dist_to(const pqti_query_frame *from, const pqti_inner *node, bool outliers,
                   pqti_child_dist *dist)
{
    if (outliers) {
        pqti_outlier_child_dist(&from->x, node->min_x, node->max_x, dist->begin_x, dist->end_x);
        pqti_outlier_child_dist(&from->y, node->min_y, node->max_y, dist->begin_y, dist->end_y);
        return;
    }
    pqti_axis_child_dist(&from->x, node->min_x, node->max_x, dist->begin_x, dist->end_x);
    pqti_axis_child_dist(&from->y, node->min_y, node->max_y, dist->begin_y, dist->end_y);
}

#endif
