/* SPDX-License-Identifier: MIT */
/*
 * region_builder.h: models a region as a plain bitmap, and computes the squares that the region
 * must have.
 *
 * A bitmap has one byte for each pixel of [-half, half) on both axes, and other pixels must not be
 * read. All functions loop over pixels and share no code with src/region; they use only the layout
 * of squares from its headers, to compare them.
 */
#ifndef TEST_REGION_BUILDER_H
#define TEST_REGION_BUILDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt/region.h>

typedef struct bitmap {
    int32_t half;
    uint8_t *cells; /* 4 * half * half bytes, row by row; each is 0 or 1 */
} bitmap;

/* The first difference, for the log of the test. */
typedef struct region_why {
    char text[256];
} region_why;

/* Makes an empty bitmap. Free it with bitmap_free. */
bitmap bitmap_make(int32_t half);
bitmap bitmap_copy(const bitmap *from);
void bitmap_free(bitmap *map);

bool bitmap_has(const bitmap *map, int32_t x, int32_t y); /* returns false outside the bitmap */
void bitmap_put(bitmap *map, int32_t x, int32_t y, bool belongs);
uint64_t bitmap_count_in(const bitmap *map, pqt_pixel_box box);
pqt_pixel_box bitmap_bounds(const bitmap *map);
bool bitmap_equals(const bitmap *a, const bitmap *b);

/* Returns the error with which the library refuses the paint, or PQT_OK. */
pqt_status paint_status(const pqt_paint *paint);

/* Returns a box that contains all pixels of the shape. The paint must be valid. */
pqt_pixel_box paint_box(const pqt_paint *paint);

/* Returns true if a pixel belongs to the shape of the paint by the definition in the header, in
 * exact arithmetic. */
bool paint_has(const pqt_paint *paint, int32_t x, int32_t y);
void bitmap_paint(bitmap *map, const pqt_paint *paint);

typedef enum bitmap_operation {
    BITMAP_UNION,
    BITMAP_INTERSECTION,
    BITMAP_DIFFERENCE,
    BITMAP_XOR
} bitmap_operation;

/* Combines `a` with `b`, which is moved by `offset` first. */
void bitmap_join(bitmap *a, const bitmap *b, pqt_pixel offset, bitmap_operation operation);
void bitmap_crop(bitmap *map, pqt_pixel_box box);
void bitmap_complement(bitmap *map, pqt_pixel_box box);

/* Moves each pixel to its position after a transformation. */
void bitmap_transform(bitmap *map, pqt_transform transform);

/* Enlarges each pixel to a box; pixels outside the bitmap are lost. */
void bitmap_scale(bitmap *map, int32_t factor_x, int32_t factor_y);

/* Dilates or erodes the bitmap by one pixel. Pixels outside the bitmap are lost, and count as clear
   when eroding. */
void bitmap_dilate(bitmap *map, pqt_connectivity connectivity);
void bitmap_erode(bitmap *map, pqt_connectivity connectivity);

/* Dilates or erodes the bitmap by a disc, whose radius is a multiple of 1/1024. */
void bitmap_grow_disc(bitmap *map, double radius, bool dilates);

/* Removes pixels until only a skeleton is left, by the definition of its source: a pixel at a time,
 * from its eight neighbours. */
void bitmap_thin(bitmap *map);

/* Moves the component of a pixel into another bitmap. */
void bitmap_flood(bitmap *from, bitmap *to, pqt_pixel pixel, pqt_connectivity connectivity);

/* Returns true if a region has these pixels and exactly the squares that they determine. */
bool bitmap_matches(const bitmap *map, const pqt_region *region, region_why *why);

#endif
