/* SPDX-License-Identifier: MIT */
/*
 * domain.h: the bounds and options of a tree, and the grid that quantises coordinates.
 *
 * All versions that are made from one tree share its domain. On each axis, the bounds extend from
 * lo to hi, and this interval is divided into 2^32 columns. The column of a coordinate v is
 *
 *     clamp(floor(((v/2 - lo/2) / (hi/2 - lo/2)) * 2^32), 0, 2^32 - 1)
 *
 * The halves keep the differences finite for bounds up to 1e308. The formula divides because a
 * multiplication by the reciprocal would put many exact grid lines into the wrong column. The
 * column never decreases as v grows. This property alone makes pruning by columns correct: a <= b
 * implies column(a) <= column(b), and column(a) < column(b) implies a < b.
 *
 * The own items of the root include the outliers, so they use another grid, the *outlier grid*.
 * There, the column of v is the upper half of pqti_ordered(v/2 - (lo + hi)/4). This grid covers all
 * doubles and is finest around the middle of the bounds.
 */
#ifndef PQTI_DOMAIN_H
#define PQTI_DOMAIN_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include <pqt/limits.h>
#include <pqt/tree.h>

#include "base/fp.h"
#include "base/simd.h"
#include "tree/item_hash.h"

typedef struct pqti_axis {
    double half_low;                     /* lo / 2 */
    double half_middle;                  /* (lo + hi) / 4 */
    double half_extent;                  /* hi/2 - lo/2; if it is 0, the axis has one column */
    double divisor;                      /* half_extent, or 1 if half_extent is 0 */
    double half_cell[PQT_MAX_DEPTH + 1]; /* half the width of a cell at each depth */
} pqti_axis;

struct pqt_draft;

typedef struct pqti_domain {
    pqt_tree_options options; /* its `memory` is never NULL */
    /* the draft that edits with this copy of a domain; NULL in the domain of versions */
    struct pqt_draft *draft;
    pqt_box bounds;
    pqti_axis x, y;
    uint32_t capacity; /* options.leaf_capacity in the type that the inner loops need */
    uint32_t depth;    /* options.max_depth in the type that the inner loops need */
} pqti_domain;

/*
 * A quantised box: the first and the last column, and the first and the last row. It is empty if
 * min > max.
 */
typedef struct pqti_qbox {
    uint32_t min_x, min_y, max_x, max_y;
} pqti_qbox;

#define PQTI_EMPTY_QBOX ((pqti_qbox){UINT32_MAX, UINT32_MAX, 0, 0})

/*
 * Validates bounds and options, and makes a domain from them. Returns NULL with an error set on
 * failure.
 */
const pqti_domain *pqti_domain_make(const pqt_box *bounds, const pqt_tree_options *options,
                                    pqt_error *error);

/* Copies a domain into another memory. Returns NULL with an error set on failure. */
const pqti_domain *pqti_domain_copy(const pqti_domain *domain, pqt_memory *memory,
                                    pqt_error *error);

/* Returns true if equal sets of items have the same tree in both domains. */
bool pqti_domain_equals(const pqti_domain *a, const pqti_domain *b);

/* Returns true if two domains differ in nothing but max_depth and the memory. */
bool pqti_domain_is_like(const pqti_domain *a, const pqti_domain *b);

/* Returns the box of the cell in column x and row y if the bounds are divided into 2^depth by
   2^depth cells. It is defined in cells.c. */
pqt_box pqti_cell_box(const pqti_domain *domain, uint32_t x, uint32_t y, int depth);

/*
 * Returns a 64-bit integer that orders doubles as < does, except that -0.0 precedes 0.0. The value
 * must not be NaN.
 */
static inline uint64_t
pqti_ordered(double value)
{
    uint64_t bits = pqti_bits_of(value);
    return bits >> 63 != 0 ? ~bits : bits | UINT64_C(1) << 63;
}

/* Returns the column of a value on the outlier grid. The value may be infinite, but not NaN. */
static inline uint32_t
pqti_outlier_qcoord(const pqti_axis *axis, double value)
{
    return (uint32_t)(pqti_ordered(value / 2 - axis->half_middle) >> 32);
}

/* Returns the column of a value on the grid of the bounds. The value may be infinite, but not
 * NaN. */
static inline uint32_t
pqti_qcoord(const pqti_axis *axis, double value)
{
    if (axis->half_extent == 0)
        return 0;
    double column = (value / 2 - axis->half_low) / axis->half_extent * 0x1p32;
    if (!(column > 0))
        return 0;
    return column >= 0x1p32 ? UINT32_MAX : (uint32_t)column;
}

/*
 * Returns an upper bound on the sum of the rounding errors of pqti_qcoord and its inverses. The
 * errors are those of halved coordinates.
 */
static inline double
pqti_axis_slack(const pqti_axis *axis)
{
    double low = axis->half_low < 0 ? -axis->half_low : axis->half_low;
    return low * 0x1p-50 + axis->half_extent * 0x1p-50 + 0x1p-1070;
}

/*
 * Returns a lower bound on all values in column `qcoord` and in later columns. It is -INFINITY for
 * the first column.
 */
static inline double
pqti_qcoord_floor(const pqti_axis *axis, uint32_t qcoord)
{
    if (qcoord == 0)
        return -INFINITY;
    return 2 * (axis->half_low + qcoord * 0x1p-32 * axis->half_extent - pqti_axis_slack(axis));
}

/*
 * Returns an upper bound on all values in column `qcoord` and in earlier columns. It is INFINITY
 * for the last column.
 */
static inline double
pqti_qcoord_ceiling(const pqti_axis *axis, uint32_t qcoord)
{
    if (qcoord == UINT32_MAX || axis->half_extent == 0)
        return INFINITY;
    return 2 *
           (axis->half_low + (qcoord + 1.0) * 0x1p-32 * axis->half_extent + pqti_axis_slack(axis));
}

/* Inverts pqti_ordered. */
static inline double
pqti_unordered(uint64_t ordered)
{
    return pqti_double_of(ordered >> 63 != 0 ? ordered ^ UINT64_C(1) << 63 : ~ordered);
}

/* Returns an upper bound on the sum of the rounding errors of pqti_outlier_qcoord and its
   inverses at a distance from the middle. The errors are those of halved coordinates. */
static inline double
pqti_outlier_slack(const pqti_axis *axis, double distance)
{
    double middle = axis->half_middle < 0 ? -axis->half_middle : axis->half_middle;
    return middle * 0x1p-50 + (distance < 0 ? -distance : distance) * 0x1p-50 + 0x1p-1070;
}

/*
 * Do the same as pqti_qcoord_floor and pqti_qcoord_ceiling for the outlier grid. The column must
 * contain at least one double.
 */
static inline double
pqti_outlier_floor(const pqti_axis *axis, uint32_t qcoord)
{
    double distance = pqti_unordered((uint64_t)qcoord << 32);
    double floor = 2 * (axis->half_middle + distance - pqti_outlier_slack(axis, distance));
    return floor > DBL_MAX ? DBL_MAX : floor;
}

static inline double
pqti_outlier_ceiling(const pqti_axis *axis, uint32_t qcoord)
{
    double distance = pqti_unordered((uint64_t)qcoord << 32 | UINT32_MAX);
    double ceiling = 2 * (axis->half_middle + distance + pqti_outlier_slack(axis, distance));
    return ceiling < -DBL_MAX ? -DBL_MAX : ceiling;
}

/* Returns a box that contains all items whose columns are in a qbox, which must not be empty. */
static inline pqt_box
pqti_box_of_qbox(const pqti_domain *domain, bool outliers, pqti_qbox qbox)
{
    if (outliers)
        return (pqt_box){{pqti_outlier_floor(&domain->x, qbox.min_x),
                          pqti_outlier_floor(&domain->y, qbox.min_y)},
                         {pqti_outlier_ceiling(&domain->x, qbox.max_x),
                          pqti_outlier_ceiling(&domain->y, qbox.max_y)}};
    return (pqt_box){
        {pqti_qcoord_floor(&domain->x, qbox.min_x), pqti_qcoord_floor(&domain->y, qbox.min_y)},
        {pqti_qcoord_ceiling(&domain->x, qbox.max_x), pqti_qcoord_ceiling(&domain->y, qbox.max_y)}};
}

/* Returns the values of pqti_qcoord on both axes before they are rounded and clamped. */
static inline pqti_f64x2
pqti_unclamped_qcoords(const pqti_domain *domain, pqti_f64x2 values)
{
    const pqti_f64x2 low = pqti_f64x2_of(domain->x.half_low, domain->y.half_low);
    const pqti_f64x2 divisor = pqti_f64x2_of(domain->x.divisor, domain->y.divisor);
    const pqti_f64x2 halves = pqti_f64x2_div(values, pqti_f64x2_splat(2));
    return pqti_f64x2_scale(pqti_f64x2_div(pqti_f64x2_sub(halves, low), divisor), 0x1p32);
}

/* Returns the values of pqti_qcoord on both axes. Neither value may be NaN. */
static inline pqti_u64x2
pqti_qcoords(const pqti_domain *domain, pqti_f64x2 values)
{
    const pqti_f64x2 extent = pqti_f64x2_of(domain->x.half_extent, domain->y.half_extent);
    const pqti_f64x2 columns = pqti_f64x2_relu(pqti_unclamped_qcoords(domain, values));
    const pqti_f64x2 within = pqti_f64x2_min(columns, pqti_f64x2_splat(UINT32_MAX));
    return pqti_u64x2_keep(pqti_u64x2_truncate(within), pqti_f64x2_gt(extent, pqti_f64x2_splat(0)));
}

/*
 * Returns the quantised box of the box with these sides, on the outlier grid or on the grid of the
 * bounds.
 */
static inline pqti_qbox
pqti_qbox_of_sides(const pqti_domain *domain, bool outliers, pqti_f64x2 min, pqti_f64x2 max)
{
    if (outliers)
        return (pqti_qbox){pqti_outlier_qcoord(&domain->x, pqti_f64x2_lane(min, 0)),
                           pqti_outlier_qcoord(&domain->y, pqti_f64x2_lane(min, 1)),
                           pqti_outlier_qcoord(&domain->x, pqti_f64x2_lane(max, 0)),
                           pqti_outlier_qcoord(&domain->y, pqti_f64x2_lane(max, 1))};
    const pqti_u64x2 low = pqti_qcoords(domain, min), high = pqti_qcoords(domain, max);
    return (pqti_qbox){(uint32_t)pqti_u64x2_lane(low, 0), (uint32_t)pqti_u64x2_lane(low, 1),
                       (uint32_t)pqti_u64x2_lane(high, 0), (uint32_t)pqti_u64x2_lane(high, 1)};
}

static inline pqti_qbox
pqti_qbox_of(const pqti_domain *domain, bool outliers, const pqt_box *box)
{
    return pqti_qbox_of_sides(domain, outliers, pqti_f64x2_load(&box->min.x),
                              pqti_f64x2_load(&box->max.x));
}

static inline pqti_qbox
pqti_qbox_union(pqti_qbox a, pqti_qbox b)
{
    return (pqti_qbox){
        a.min_x < b.min_x ? a.min_x : b.min_x,
        a.min_y < b.min_y ? a.min_y : b.min_y,
        a.max_x > b.max_x ? a.max_x : b.max_x,
        a.max_y > b.max_y ? a.max_y : b.max_y,
    };
}

#endif
