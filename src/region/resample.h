/* SPDX-License-Identifier: MIT */
/*
 * resample.h: the pixels from which those of a mapped or resized picture come. Regions and images
 * share it.
 *
 * Positions of a map are below 2^44, so each is exact to 1/256 pixel, and the window of a box has a
 * margin of a pixel, which is more than what rounding displaces. A resize is exact: the numbers of
 * units of a side are below 2^42, and those of a pixel below 2^42.
 */
#ifndef PQTI_RESAMPLE_H
#define PQTI_RESAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include <pqt/region_affine.h>

/* How the pixels of a result are made. */
typedef struct pqti_resample {
    pqt_sampling sampling;
    bool is_resize;
    pqt_affine inverse;     /* of a map */
    pqt_pixel_box from, to; /* of a resize */
} pqti_resample;

/* Returns false and sets an error if `sampling` is not a pqt_sampling. */
bool pqti_validate_sampling(pqt_sampling sampling, pqt_error *error);

/* Computes the inverse of a map. Returns false and sets an error if it has none, or if a number is
 * too large. */
bool pqti_invert_affine(const pqt_affine *map, pqt_affine *inverse, pqt_error *error);

/* Returns the pixels around the corners of a mapped box. */
pqt_pixel_box pqti_box_of_mapped(const pqt_affine *map, pqt_pixel_box box, int32_t margin);

/* Returns the pixels from which those of a box, which is within the result, may come. */
pqt_pixel_box pqti_resample_window(const pqti_resample *r, pqt_pixel_box box);

/* Returns the pixel from which the centre of a pixel comes. */
pqt_pixel pqti_resample_nearest(const pqti_resample *r, int32_t x, int32_t y);

/* A convex polygon. A parallelogram that is cut four times has at most eight corners. */
typedef struct pqti_polygon {
    pqt_vec corner[8];
    int count;
} pqti_polygon;

/* The area from which a pixel of a mapped picture comes. */
typedef struct pqti_mapped_area {
    pqt_pixel_box window; /* the pixels around it */
    pqti_polygon polygon; /* the corners are relative to the window, so that they are small */
    double whole;
} pqti_mapped_area;

void pqti_mapped_area_begin(const pqti_resample *r, int32_t x, int32_t y, pqti_mapped_area *area);

/* Returns the part of an area that is in a box. */
double pqti_mapped_area_in(const pqti_mapped_area *area, const pqt_pixel_box *box);

/* The area from which a pixel of a resized picture comes, in units. */
typedef struct pqti_resized_area {
    pqt_pixel_box window;
    int64_t x[2], y[2];  /* its columns and rows */
    int64_t column, row; /* the columns and rows of units of a pixel of the source */
    pqt_pixel first;     /* the first pixel of the box that is resized */
    uint64_t whole;
} pqti_resized_area;

void pqti_resized_area_begin(const pqti_resample *r, int32_t x, int32_t y, pqti_resized_area *area);

uint64_t pqti_resized_area_in(const pqti_resized_area *area, const pqt_pixel_box *box);

#endif
