/* SPDX-License-Identifier: MIT */
/*
 * raster.h: rasterises primitives, by computing the pixels of a row and the coverage of a node.
 *
 * Strokes are computed in whole subpixels of 1/1024 pixel. A pixel belongs to a stroke from a to b
 * = a + d if its centre p is at most r away from the segment. This means that p is within r of a or
 * of b, or that p is in the band between them, where 0 <= (p - a).d, (p - b).d <= 0 and |d x (p -
 * a)| <= r |d|. The left side of the last condition is a whole number, so the condition is
 * equivalent to |d x (p - a)| <= floor(sqrt(r^2 d^2)) = scaled_half_width. So rounding never
 * affects the result.
 *
 * Pixels are within 2^20 pixels of 0, so points are within 2^30 subpixels of 0. So the difference
 * between a pixel's centre and a point is below 2^31, and each sum of two products is below 2^63.
 */
#ifndef PQTI_RASTER_H
#define PQTI_RASTER_H

#include "region/region_node.h"

/* A stroke. All lengths are in subpixels of 1/1024 pixel. */
typedef struct pqti_capsule {
    int64_t ax, ay, bx, by;
    int64_t dx, dy; /* b - a */
    int64_t radius;
    int64_t scaled_half_width; /* half of the width of the band times |d|: see above */
} pqti_capsule;

/* A shape and its paint operation. */
typedef struct pqti_primitive {
    pqt_paint_op op;
    bool is_box;       /* all pixels of `box` belong to the shape, otherwise those in the stroke */
    pqt_pixel_box box; /* bounds of the pixels; within PQT_PIXEL_LIMIT unless `op` clears */
    pqti_capsule capsule;
} pqti_primitive;

/* An array of primitives. Exactly one of the pointers is not NULL. Boxes and runs set their
 * pixels. */
typedef struct pqti_primitives {
    const pqti_primitive *primitives;
    const pqt_pixel_box *boxes;
    const pqt_pixel_run *runs;
    size_t count;
} pqti_primitives;

/* The maximal number of primitives. It has 31 bits, because an entry of a list of primitives is an
 * index and a flag (paint.c). */
#define PQTI_MAX_PRIMITIVES INT32_MAX

typedef enum pqti_raster_coverage {
    PQTI_RASTER_OUTSIDE,
    PQTI_RASTER_PARTLY,
    PQTI_RASTER_WHOLLY
} pqti_raster_coverage;

/* The pixels from..to - 1 of a row. There are none if from >= to. */
typedef struct pqti_span {
    int32_t from, to;
} pqti_span;

/* Returns false and sets an error if there are more primitives than a list can hold. */
bool pqti_validate_primitive_count(size_t count, pqt_error *error);

/* Returns the i-th primitive. `tmp` is memory for a primitive that is made from a box or a run. */
const pqti_primitive *pqti_primitive_at(const pqti_primitives *primitives, size_t i,
                                        pqti_primitive *tmp);

/* Converts a paint to a primitive. Returns false and sets an error that names `index` if the paint
 * is not valid. */
bool pqti_primitive_of(const pqt_paint *paint, size_t index, pqti_primitive *primitive,
                       pqt_error *error);

/* Returns the pixels of one row, which must be within PQT_PIXEL_LIMIT. */
pqti_span pqti_primitive_row(const pqti_primitive *primitive, int32_t y);

/* Returns the coverage of a node by a primitive. May return PQTI_RASTER_PARTLY for a node that is
 * near a stroke but does not touch it. */
pqti_raster_coverage pqti_primitive_covers(const pqti_primitive *primitive, pqti_rcell cell);

#endif
