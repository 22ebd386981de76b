/* SPDX-License-Identifier: MIT */
/* exit_walk.h: moves a region of few pixels, or a part of one, out of another, pixel by pixel. */
#ifndef PQTI_EXIT_WALK_H
#define PQTI_EXIT_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "region/collision/tile_dda.h"

/* A region of at most 64 x 64 pixels, as words. */
typedef struct pqti_small_region {
    pqt_pixel min; /* the upper left pixel of its bounds */
    int height;
    uint64_t rows[PQTI_TILE_SIDE];
} pqti_small_region;

/* Reads a region into words. Returns false if it is larger or has no pixels, and in a build without
 * fast paths. */
bool pqti_small_region_make(pqti_small_region *small, const pqt_region *region);

/* Reads the 64 x 64 pixels around a pixel. While they overlap something, so does the whole region.
 * Returns false in a build without fast paths. */
bool pqti_small_region_around(pqti_small_region *small, const pqt_region *region, pqt_pixel pixel);

/*
 * Advances `*time`, at which the mover is at the offset `at` and may overlap the other region, to
 * the first time at which it does not, and returns true. Returns false if it still overlaps after
 * crossing `lines` lines of the lattice, and sets `*time` to the time until which it does. `small`
 * has the pixels of the mover.
 */
bool pqti_exit_walk(const pqti_region_motion *motion, const pqti_small_region *small,
                    pqti_half_pos at, int lines, int64_t *time);

#endif
