/* SPDX-License-Identifier: MIT */
/*
 * fixpos.h: fixed-point positions in 1/1024 pixel (subpixels).
 *
 * Pixel a of one region and pixel b of another overlap if and only if the offset differs from a - b
 * by less than a pixel on both axes. So only the one, two or four whole offsets around an offset
 * determine which pixels overlap.
 */
#ifndef PQTI_FIXPOS_H
#define PQTI_FIXPOS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include <pqt/region_overlap.h>

#include "base/error_internal.h"

/* The greatest offset at which two regions can overlap, in pixels. */
#define PQTI_MAX_OFFSET (2 * PQT_PIXEL_LIMIT + 1)

/* A position in subpixels. */
typedef struct pqti_fixpos {
    int64_t x, y;
} pqti_fixpos;

/* Rounds to the nearest subpixel, halves up. |pixels| must be at most 2^40. The result is not
 * computed as floor(p + 0.5), because that sum may be rounded. floor would be a call. */
static inline int64_t
pqti_subpixels_of(double pixels)
{
    const double steps = pixels * PQT_SUBPIXELS;
    const int64_t towards_zero = (int64_t)steps;
    const int64_t below = towards_zero - (steps < (double)towards_zero);
    return below + (steps - (double)below >= 0.5);
}

/* Converts subpixels to pixels. The result is exact. */
static inline double
pqti_pixels_of(int64_t steps)
{
    return (double)steps / PQT_SUBPIXELS;
}

static inline pqt_vec
pqti_vec_of(pqti_fixpos position)
{
    return (pqt_vec){pqti_pixels_of(position.x), pqti_pixels_of(position.y)};
}

/* Returns the sign: -1, 0 or 1. */
static inline int
pqti_sign_of(int64_t steps)
{
    return (steps > 0) - (steps < 0);
}

/* Converts a position to subpixels. Returns false for NaN and for coordinates beyond `most`
 * pixels. */
static inline bool
pqti_fixpos_of(pqt_vec pixels, double most, pqti_fixpos *position)
{
    if (!(pixels.x >= -most && pixels.x <= most && pixels.y >= -most && pixels.y <= most))
        return false;
    *position = (pqti_fixpos){pqti_subpixels_of(pixels.x), pqti_subpixels_of(pixels.y)};
    return true;
}

/* Converts a position to pixels. Returns false unless its coordinates are integers up to `most`. */
static inline bool
pqti_whole_position_of(pqt_vec pixels, double most, pqt_pixel *position)
{
    if (!(pixels.x >= -most && pixels.x <= most && pixels.y >= -most && pixels.y <= most))
        return false;
    *position = (pqt_pixel){(int32_t)pixels.x, (int32_t)pixels.y};
    return position->x == pixels.x && position->y == pixels.y;
}

static inline int64_t
pqti_floor_divide(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

static inline int64_t
pqti_ceil_divide(int64_t a, int64_t b)
{
    return a / b + (a % b > 0);
}

/* The whole offsets around a position, and their bilinear weights in units of 1 / (1024 * 1024). */
typedef struct pqti_lattice_weights {
    int count; /* number of offsets: 1, 2 or 4 */
    pqt_pixel at[4];
    uint64_t weight[4];
} pqti_lattice_weights;

static inline pqti_lattice_weights
pqti_lattice_weights_of(pqti_fixpos position)
{
    const int64_t dx = position.x & (PQT_SUBPIXELS - 1), dy = position.y & (PQT_SUBPIXELS - 1);
    const int32_t x = (int32_t)((position.x - dx) / PQT_SUBPIXELS);
    const int32_t y = (int32_t)((position.y - dy) / PQT_SUBPIXELS);
    pqti_lattice_weights weights;
    weights.count = 1;
    weights.at[0] = (pqt_pixel){x, y};
    weights.weight[0] = (uint64_t)PQT_SUBPIXELS * PQT_SUBPIXELS;
    if ((dx | dy) == 0)
        return weights;
    weights.count = 0;
    for (int below = 0; below <= (dy != 0); below++)
        for (int right = 0; right <= (dx != 0); right++) {
            weights.at[weights.count] = (pqt_pixel){x + right, y + below};
            weights.weight[weights.count++] =
                (uint64_t)((right ? dx : PQT_SUBPIXELS - dx) * (below ? dy : PQT_SUBPIXELS - dy));
        }
    PQT_INVARIANT(weights.count == 1 || weights.count == 2 || weights.count == 4,
                  "a position does not have one, two or four whole offsets around it");
    return weights;
}

#endif
