/* SPDX-License-Identifier: MIT */
/*
 * region_pictures.h: the pictures of the region benchmark, as regions and as flat bitmaps.
 */
#ifndef BENCH_REGION_PICTURES_H
#define BENCH_REGION_PICTURES_H

#include <stdint.h>

#include <pqt/all.h>

#include "flat_bitmap.h"

/* A stroke leads from one corner of a box of PEN_X by PEN_Y pixels to the opposite one. */
enum { SHAPES = 3, PEN_RADIUS = 10, PEN_X = 30, PEN_Y = 12 };

/* A square picture of a shape, as a region and as a bitmap. The disc is half as wide as the
   picture. */
typedef struct subject {
    const char *shape;
    int side;
    uint8_t *rgba;
    pqt_memory *memory;
    const pqt_region *region, *region_disc;
    flat map, map_disc, map_stroke;
} subject;

/* Makes the picture of a shape, a number in 0 .. SHAPES - 1. */
subject subject_make(int shape, int side, pqt_memory *memory);
void subject_free(subject *s);

/* Returns the region. Exits the program if it is NULL. */
const pqt_region *region_made(const pqt_region *region, const pqt_error *error);

/* Makes another region of the same picture. */
const pqt_region *region_of_subject(const subject *s);

#endif
