/* SPDX-License-Identifier: MIT */
/*
 * domain.h - the bounds and options of a tree, and the lattice that they lay over the plane.
 *
 * One space is shared by all versions that follow from one tree. Per axis the bounds lo, hi are cut
 * into 2^32 columns; a coordinate v lies in column
 *
 *     clamp(floor(((v/2 - lo/2) / (hi/2 - lo/2)) * 2^32), 0, 2^32 - 1)
 *
 * The halves keep it finite in worlds up to 1e308. It is a quotient, since a product with a
 * reciprocal puts many exact grid lines into the wrong column. It never decreases as v grows, and
 * that alone makes pruning on columns right: a <= b implies column(a) <= column(b), and
 * column(a) < column(b) implies a < b.
 *
 * The root's bucket holds what lies outside the bounds, so it has a lattice of its own, the *stray*
 * lattice: the upper 32 bits of v/2 - (lo + hi)/4 as an integer of the same order. It covers all
 * doubles, and is finest around the middle of the bounds, wherever they are.
 */
#ifndef PQTI_DOMAIN_H
#define PQTI_DOMAIN_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include <pqt/limits.h>
#include <pqt/tree.h>

#include "base/simd.h"
#include "tree/item_hash.h"

typedef struct pqti_axis {
    double half_low;                     /* lo / 2 */
    double half_middle;                  /* (lo + hi) / 4 */
    double half_extent;                  /* hi/2 - lo/2; 0: the axis has one column */
    double divisor;                      /* the same, or 1 instead of 0 */
    double half_cell[PQT_MAX_DEPTH + 1]; /* half the width of a cell, by its depth */
} pqti_axis;

typedef struct pqti_space {
    pqt_tree_options options; /* memory is never NULL here */
    pqt_box bounds;
    pqti_axis x, y;
    uint32_t capacity; /* options.leaf_capacity and max_depth, in the types of the inner loops */
    uint32_t depth;
} pqti_space;

/* A rectangle of columns, both ends included; empty: min above max. */
typedef struct pqti_extent {
    uint32_t min_x, min_y, max_x, max_y;
} pqti_extent;

#define PQTI_EMPTY_EXTENT ((pqti_extent){UINT32_MAX, UINT32_MAX, 0, 0})

/* Checks bounds and options and makes a space of them; NULL with an error told. */
const pqti_space *pqti_space_make(pqt_box bounds, const pqt_tree_options *options,
                                  pqt_error *error);

/* Another space with the same bounds and options in another memory; NULL with an error told. */
const pqti_space *pqti_space_copy(const pqti_space *space, pqt_memory *memory, pqt_error *error);

/* Whether two spaces give the same items the same tree. */
bool pqti_space_equals(const pqti_space *a, const pqti_space *b);

/* The cell in column x and row y of the 2^depth by 2^depth that the bounds are cut into
   (cells.c). */
pqt_box pqti_cell_box(const pqti_space *space, uint32_t x, uint32_t y, int depth);

/* An integer of 64 bits that orders doubles as < does (-0.0 apart from 0.0, NaN nowhere). */
static inline uint64_t
pqti_ordered(double value)
{
    uint64_t bits = pqti_bits_of(value);
    return bits >> 63 != 0 ? ~bits : bits | UINT64_C(1) << 63;
}

/* The value may be infinite, but not NaN. */
static inline uint32_t
pqti_stray_column(const pqti_axis *axis, double value)
{
    return (uint32_t)(pqti_ordered(value / 2 - axis->half_middle) >> 32);
}

/* The value may be infinite, but not NaN. */
static inline uint32_t
pqti_column(const pqti_axis *axis, double value)
{
    if (axis->half_extent == 0)
        return 0;
    double column = (value / 2 - axis->half_low) / axis->half_extent * 0x1p32;
    if (!(column > 0))
        return 0;
    return column >= 0x1p32 ? UINT32_MAX : (uint32_t)column;
}

/* The rounding of pqti_column and of its inverses together stays below this, in halves. */
static inline double
pqti_axis_slack(const pqti_axis *axis)
{
    double low = axis->half_low < 0 ? -axis->half_low : axis->half_low;
    return low * 0x1p-50 + axis->half_extent * 0x1p-50 + 0x1p-1070;
}

/* A double not above any value whose column is `column` or a later one; the first is open below. */
static inline double
pqti_column_floor(const pqti_axis *axis, uint32_t column)
{
    if (column == 0)
        return -INFINITY;
    return 2 * (axis->half_low + column * 0x1p-32 * axis->half_extent - pqti_axis_slack(axis));
}

/* A double not below any value whose column is `column` or an earlier one; the last is open
   above. */
static inline double
pqti_column_ceiling(const pqti_axis *axis, uint32_t column)
{
    if (column == UINT32_MAX || axis->half_extent == 0)
        return INFINITY;
    return 2 *
           (axis->half_low + (column + 1.0) * 0x1p-32 * axis->half_extent + pqti_axis_slack(axis));
}

/* The double of an ordered integer. */
static inline double
pqti_unordered(uint64_t ordered)
{
    double value;
    uint64_t bits = ordered >> 63 != 0 ? ordered ^ UINT64_C(1) << 63 : ~ordered;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The rounding of pqti_stray_column and of its inverses together, at a distance from the middle. */
static inline double
pqti_stray_slack(const pqti_axis *axis, double distance)
{
    double middle = axis->half_middle < 0 ? -axis->half_middle : axis->half_middle;
    return middle * 0x1p-50 + (distance < 0 ? -distance : distance) * 0x1p-50 + 0x1p-1070;
}

/* As pqti_column_floor and pqti_column_ceiling, for stray columns that some value has. */
static inline double
pqti_stray_floor(const pqti_axis *axis, uint32_t column)
{
    double distance = pqti_unordered((uint64_t)column << 32);
    double floor = 2 * (axis->half_middle + distance - pqti_stray_slack(axis, distance));
    return floor > DBL_MAX ? DBL_MAX : floor;
}

static inline double
pqti_stray_ceiling(const pqti_axis *axis, uint32_t column)
{
    double distance = pqti_unordered((uint64_t)column << 32 | UINT32_MAX);
    double ceiling = 2 * (axis->half_middle + distance + pqti_stray_slack(axis, distance));
    return ceiling < -DBL_MAX ? -DBL_MAX : ceiling;
}

/* A box that holds whatever has its columns in an extent; not for empty ones. */
static inline pqt_box
pqti_box_of_columns(const pqti_space *space, bool strays, pqti_extent extent)
{
    if (strays)
        return (pqt_box){
            {pqti_stray_floor(&space->x, extent.min_x), pqti_stray_floor(&space->y, extent.min_y)},
            {pqti_stray_ceiling(&space->x, extent.max_x),
             pqti_stray_ceiling(&space->y, extent.max_y)}};
    return (pqt_box){
        {pqti_column_floor(&space->x, extent.min_x), pqti_column_floor(&space->y, extent.min_y)},
        {pqti_column_ceiling(&space->x, extent.max_x),
         pqti_column_ceiling(&space->y, extent.max_y)}};
}

/* As pqti_column has them, of a value on each axis, side by side; none is NaN. */
static inline pqti_words
pqti_columns(const pqti_space *space, pqti_pair values)
{
    const pqti_pair low = {space->x.half_low, space->y.half_low};
    const pqti_pair divisor = {space->x.divisor, space->y.divisor};
    const pqti_pair extent = {space->x.half_extent, space->y.half_extent};
    const pqti_pair most = {UINT32_MAX, UINT32_MAX};
    const pqti_pair columns = pqti_pair_positive((values / 2 - low) / divisor * 0x1p32);
    const pqti_pair within = pqti_pair_lesser(columns, most);
    const pqti_words whole = {(uint64_t)(int64_t)within[0], (uint64_t)(int64_t)within[1]};
    return whole & (pqti_words)(extent > 0);
}

/* The columns that a box of these sides covers, on the stray lattice or on that of the bounds. */
static inline pqti_extent
pqti_extent_of_sides(const pqti_space *space, bool strays, pqti_pair min, pqti_pair max)
{
    if (strays)
        return (pqti_extent){
            pqti_stray_column(&space->x, min[0]), pqti_stray_column(&space->y, min[1]),
            pqti_stray_column(&space->x, max[0]), pqti_stray_column(&space->y, max[1])};
    const pqti_words low = pqti_columns(space, min), high = pqti_columns(space, max);
    return (pqti_extent){(uint32_t)low[0], (uint32_t)low[1], (uint32_t)high[0], (uint32_t)high[1]};
}

static inline pqti_extent
pqti_extent_of(const pqti_space *space, bool strays, const pqt_box *box)
{
    return pqti_extent_of_sides(space, strays, pqti_pair_load(&box->min.x),
                                pqti_pair_load(&box->max.x));
}

static inline pqti_extent
pqti_extent_union(pqti_extent a, pqti_extent b)
{
    return (pqti_extent){
        a.min_x < b.min_x ? a.min_x : b.min_x,
        a.min_y < b.min_y ? a.min_y : b.min_y,
        a.max_x > b.max_x ? a.max_x : b.max_x,
        a.max_y > b.max_y ? a.max_y : b.max_y,
    };
}

#endif
