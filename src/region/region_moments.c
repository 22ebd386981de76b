/* SPDX-License-Identifier: MIT */
/*
 * region_moments.c: computes the moments of a region.
 *
 * The sums of a tile, or of a full square, are computed relative to its upper left corner, where
 * they fit in 64 bits. Then they are moved to its position, in 128 bits. A region has at most 2^42
 * pixels with coordinates of at most 2^20 in size, so its sums of squares are at most 2^82, and the
 * numerators of its central moments at most 2^124. They are exact; only the results are rounded.
 */
#include "config.h"

#include <math.h>

#include "base/int128.h"
#include "region/bits.h"
#include "region/region_internal.h"
#include "region/tile.h"

/* The highest level of a full square whose sums fit in 64 bits: 2^(4 * 16) / 3 < 2^63. */
enum { SUMMED_LEVEL = 16 };

/* The sums over the pixels of a square, relative to its upper left corner. */
typedef struct square_sums {
    int64_t count, x, y, xx, xy, yy;
} square_sums;

typedef struct region_sums {
    int64_t x, y;
    pqti_int128 xx, xy, yy;
} region_sums;

/* Returns the sum of the integers from 0 to end - 1. */
static int64_t
sum_below(int64_t end)
{
    return end * (end - 1) / 2;
}

/* Returns the sum of the squares of the integers from 0 to end - 1. */
static int64_t
sum_of_squares_below(int64_t end)
{
    return sum_below(end) * (2 * end - 1) / 3;
}

static void
add_run(square_sums *sums, int min, int max, int y)
{
    const int64_t count = max - min, x = sum_below(max) - sum_below(min);
    sums->count += count;
    sums->x += x;
    sums->y += y * count;
    sums->xx += sum_of_squares_below(max) - sum_of_squares_below(min);
    sums->xy += y * x;
    sums->yy += (int64_t)y * y * count;
}

static square_sums
sums_of_tile(const uint64_t rows[PQTI_TILE_SIDE])
{
    square_sums sums = {.count = 0};
    for (int y = 0; y < PQTI_TILE_SIDE; y++)
        for (uint64_t left = rows[y]; left != 0;) {
            const int min = pqti_lowest_bit(left);
            const uint64_t outside = ~left & ~UINT64_C(0) << min;
            const int max = outside != 0 ? pqti_lowest_bit(outside) : PQTI_TILE_SIDE;
            add_run(&sums, min, max, y);
            left &= ~pqti_bits_between(min, max);
        }
    return sums;
}

static square_sums
sums_of_full_square(int level)
{
    const int64_t side = pqti_side(level), line = sum_below(side);
    PQT_INVARIANT(level <= SUMMED_LEVEL, "the sums of a full square exceed 63 bits");
    return (square_sums){.count = side * side,
                         .x = side * line,
                         .y = side * line,
                         .xx = side * sum_of_squares_below(side),
                         .xy = line * line,
                         .yy = side * sum_of_squares_below(side)};
}

static pqti_int128
product(int64_t a, int64_t b)
{
    return pqti_int128_multiply(pqti_int128_of(a), pqti_int128_of(b));
}

/* Returns the sum of (x + dx)^2, given those of x^2, x and 1. */
static pqti_int128
moved_square(int64_t xx, int64_t x, int64_t count, int64_t dx)
{
    return pqti_int128_add(pqti_int128_of(xx), product(dx, 2 * x + dx * count));
}

/* Adds the sums of a square at the position of a cell. */
static void
add_square(region_sums *sums, const square_sums *square, pqti_rcell cell)
{
    const int64_t dx = cell.x, dy = cell.y;
    const pqti_int128 xy =
        pqti_int128_add(product(dx, square->y + dy * square->count), product(dy, square->x));
    sums->x += square->x + dx * square->count;
    sums->y += square->y + dy * square->count;
    sums->xx = pqti_int128_add(sums->xx, moved_square(square->xx, square->x, square->count, dx));
    sums->yy = pqti_int128_add(sums->yy, moved_square(square->yy, square->y, square->count, dy));
    sums->xy = pqti_int128_add(sums->xy, pqti_int128_add(pqti_int128_of(square->xy), xy));
}

static void
add_node(region_sums *sums, const pqti_rnode *node, pqti_rcell cell)
{
    square_sums square;
    if (node == PQTI_EMPTY)
        return;
    if (cell.level == PQTI_TILE_LEVEL || (node == PQTI_FULL && cell.level <= SUMMED_LEVEL)) {
        square =
            node == PQTI_FULL ? sums_of_full_square(cell.level) : sums_of_tile(pqti_rows_of(node));
        add_square(sums, &square, cell);
        return;
    }
    for (int i = 0; i < 4; i++) {
        const pqti_rnode *child = node == PQTI_FULL ? node : ((const pqti_rinner *)node)->child[i];
        add_node(sums, child, pqti_rcell_child(cell, i));
    }
}

/* Returns the mean of the centres of pixels along an axis. */
static double
mean_centre(int64_t sum, uint64_t count)
{
    return (double)(2 * sum + (int64_t)count) / (double)(2 * count);
}

/* Returns the central moment times the square of the count, from the sums of a * b, a and b. */
static pqti_int128
central_numerator(uint64_t count, pqti_int128 ab, int64_t a, int64_t b)
{
    const pqti_int128 all = pqti_int128_multiply(pqti_int128_of((int64_t)count), ab);
    return pqti_int128_subtract(all, product(a, b));
}

static double
central_moment(pqti_int128 numerator, uint64_t count)
{
    return pqti_int128_to_double(numerator) / (double)count / (double)count;
}

/*
 * Returns the unit vector whose angle is half that of (x, y), by the formulas for half an angle.
 * With x = xx - yy and y = 2 xy, it is the eigenvector of the greater eigenvalue.
 */
static pqt_vec
half_angle(double x, double y)
{
    const double length = sqrt(x * x + y * y);
    if (length == 0)
        return (pqt_vec){1, 0};
    if (x >= 0)
        return pqt_vec_normalize((pqt_vec){length + x, y});
    return pqt_vec_normalize((pqt_vec){fabs(y), y < 0 ? x - length : length - x});
}

static pqt_region_moments
moments_of_sums(const region_sums *sums, uint64_t count)
{
    const pqti_int128 xx = central_numerator(count, sums->xx, sums->x, sums->x);
    const pqti_int128 xy = central_numerator(count, sums->xy, sums->x, sums->y);
    const pqti_int128 yy = central_numerator(count, sums->yy, sums->y, sums->y);
    return (pqt_region_moments){
        .count = count,
        .sum_x = sums->x,
        .sum_y = sums->y,
        .centroid = {mean_centre(sums->x, count), mean_centre(sums->y, count)},
        .xx = central_moment(xx, count),
        .xy = central_moment(xy, count),
        .yy = central_moment(yy, count),
        .axis = half_angle(pqti_int128_to_double(pqti_int128_subtract(xx, yy)),
                           pqti_int128_to_double(pqti_int128_add(xy, xy)))};
}

pqt_region_moments
pqt_region_get_moments(const pqt_region *region)
{
    PQTI_ASSERT_REGION(region);
    const pqti_int128 zero = pqti_int128_of(0);
    region_sums sums = {0, 0, zero, zero, zero};
    if (region->count == 0)
        return (pqt_region_moments){.axis = {1, 0}};
    for (int i = 0; i < 4; i++)
        add_node(&sums, region->quadrant[i], pqti_rcell_quadrant(region->level, i));
    return moments_of_sums(&sums, region->count);
}
