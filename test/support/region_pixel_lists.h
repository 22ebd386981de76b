/* SPDX-License-Identifier: MIT */
/*
 * region_pixel_lists.h: represents small regions as lists of pixels, and finds overlaps by
 * comparing all pairs.
 *
 * All functions compare each pair of pixels in whole subpixels. They share no code with
 * src/collision.
 */
#ifndef TEST_REGION_PIXEL_LISTS_H
#define TEST_REGION_PIXEL_LISTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt/region.h>
#include <pqt/region_overlap.h>

#include "random.h"

enum { SKETCH_MOST = 256, STEPS = PQT_SUBPIXELS };

typedef struct sketch {
    pqt_pixel pixels[SKETCH_MOST]; /* row by row */
    size_t count;
    const pqt_region *region;
} sketch;

/* An offset, in subpixels. */
typedef struct steps {
    int64_t x, y;
} steps;

/* Returns a shape of at most 16 x 16 pixels, of one of many kinds. It often crosses the edges of
 * tiles. */
sketch sketch_draw(dice *d, pqt_memory *memory);

/* Returns a sketch with the same pixels, moved. */
sketch sketch_moved(const sketch *s, pqt_pixel by);

/* Returns true if a sketch contains a pixel. */
bool sketch_has(const sketch *s, int32_t x, int32_t y);

/* Sets `cells` to the pixels of the coarse region with cells of this side length. Returns false if
 * they are too many. */
bool sketch_in_cells(const sketch *s, int32_t side, pqt_coarse_kind reading, sketch *cells);

/* Returns the length in subpixels of the overlap of two pixels on an axis. They overlap if it is
   above 0 on both axes. */
static inline int64_t
common_steps(int64_t offset, int32_t a, int32_t b)
{
    int64_t away = offset + ((int64_t)b - a) * STEPS;
    away = away < 0 ? -away : away;
    return away < STEPS ? STEPS - away : 0;
}

static inline bool
pixels_overlap(steps offset, pqt_pixel a, pqt_pixel b)
{
    return common_steps(offset.x, a.x, b.x) > 0 && common_steps(offset.y, a.y, b.y) > 0;
}

bool sketches_overlap(const sketch *a, const sketch *b, steps offset);

/* Returns an offset, whole or not, at which two sketches often overlap or touch. */
steps draw_offset_near(dice *d, const sketch *a, const sketch *b);

/* Converts an offset to pixels, exactly. */
static inline pqt_vec
vec_of(steps s)
{
    return (pqt_vec){(double)s.x / STEPS, (double)s.y / STEPS};
}

#endif
