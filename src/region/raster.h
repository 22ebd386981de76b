/* SPDX-License-Identifier: MIT */
/*
 * raster.h - shapes of paint: which pixels of a row they have, and how they meet a square.
 *
 * A pen is decided in whole units of 1/1024 pixel. A pixel belongs to its stroke from a to b = a
 * + d if its centre p is no farther than r from the line between: within r of a or of b, or
 * between the two, 0 <= (p - a).d and (p - b).d <= 0, with |d x (p - a)| <= r |d|. The last is
 * the same as |d x (p - a)| <= reach = floor(sqrt(r^2 d^2)), since the left side is whole. So no
 * rounding decides.
 *
 * With pixels within 2^20 of 0, places are within 2^30, differences of a pixel's centre and a
 * place are below 2^31, and each sum of two products below is less than 2^63.
 */
#ifndef PQTI_RASTER_H
#define PQTI_RASTER_H

#include "region/region_node.h"

/* All in 1/1024 pixel. */
typedef struct pqti_capsule {
    int64_t ax, ay, bx, by;
    int64_t dx, dy; /* b - a */
    int64_t radius;
    int64_t scaled_half_width; /* of the band between the ends: see above */
} pqti_capsule;

/* One shape and what it does. */
typedef struct pqti_primitive {
    pqt_paint_op op;
    bool is_box;       /* all of `box`; else those of its pixels that the pen has */
    pqt_pixel_box box; /* within PQT_PIXEL_LIMIT, unless the ink only clears */
    pqti_capsule capsule;
} pqti_primitive;

/* Where primitives come from: exactly one is not NULL. Boxes and runs are set. */
typedef struct pqti_primitives {
    const pqti_primitive *primitives;
    const pqt_pixel_box *boxes;
    const pqt_pixel_run *runs;
    size_t count;
} pqti_primitives;

/* Lists of primitives keep a bit beside the index. */
#define PQTI_MAX_PRIMITIVES INT32_MAX

typedef enum pqti_raster_coverage {
    PQTI_RASTER_OUTSIDE,
    PQTI_RASTER_PARTLY,
    PQTI_RASTER_WHOLLY
} pqti_raster_coverage;

/* Pixels from..to - 1 of a row; none if from >= to. */
typedef struct pqti_span {
    int32_t from, to;
} pqti_span;

/* False with an error told if there are more than can be listed. */
bool pqti_validate_primitive_count(size_t count, pqt_error *error);

/* The i-th primitive; `tmp` is where it may be put together. */
const pqti_primitive *pqti_primitive_at(const pqti_primitives *primitives, size_t i,
                                        pqti_primitive *tmp);

/* What paint is as a primitive. False with an error told that names `index` if there is no such
 * paint. */
bool pqti_primitive_of(const pqt_paint *paint, size_t index, pqti_primitive *primitive,
                       pqt_error *error);

/* The pixels of one row, which lies within PQT_PIXEL_LIMIT. */
pqti_span pqti_primitive_row(const pqti_primitive *primitive, int32_t y);

/* How a primitive meets a square. PQTI_RASTER_PARTLY is said of squares beside a stroke, too. */
pqti_raster_coverage pqti_primitive_covers(const pqti_primitive *primitive, pqti_rcell cell);

#endif
