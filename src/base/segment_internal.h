/* SPDX-License-Identifier: MIT */
/*
 * segment_internal.h - a segment or a ray, made ready to be held against many boxes.
 *
 * Whether it touches a box is decided exactly, for all doubles. Two convex sets in the plane are
 * apart if and only if a line along one of their edges parts them. So it is enough to compare sides
 * on both axes, and to ask whether all corners of the box lie strictly on one side of the line; of
 * the corners, the two that lie farthest out on either side decide.
 */
#ifndef PQTI_SEGMENT_INTERNAL_H
#define PQTI_SEGMENT_INTERNAL_H

#include <stdbool.h>

#include <pqt/segment.h>

typedef struct pqti_prepared_ray {
    pqt_vec from;
    pqt_vec to;         /* where a segment ends; the direction of a ray */
    bool is_ray;        /* a ray */
    int sign_x, sign_y; /* -1, 0 or 1: to which side it goes, exactly */
    pqt_box box;        /* the smallest that holds it, open where it is endless; that of an invalid
                                 line is inside out */
    pqt_vec dir;        /* the way from beginning to end, or the direction, rounded, times
                                 2^-exponent, which brings the greater component into 0.5 .. 1 */
    int exponent;
    bool dir_is_normal; /* no component of `along` became so small that products with it are lost */
} pqti_prepared_ray;

/* What a line has in common with a box that it touches; see pqt_ray_hit. */
typedef struct pqti_slab_clip {
    double entry, exit;
    pqt_vec normal;
} pqti_slab_clip;

/* Fractions of a line below it may have lost digits. */
#define PQTI_MIN_FRACTION 0x1p-1000

/* Products with a component of `along` that is smaller than this may be lost. */
#define PQTI_MIN_NORMAL_DIR 0x1p-900

static inline bool
pqti_dir_is_normal(double along, int sign)
{
    return sign == 0 ? along == 0 : along >= PQTI_MIN_NORMAL_DIR || along <= -PQTI_MIN_NORMAL_DIR;
}

/* b - a as a vector with its greater component in 0.5 .. 1, times 2^exponent. */
pqt_vec pqti_direction_between(pqt_vec a, pqt_vec b, int *exponent);

pqti_prepared_ray pqti_prepared_ray_of_segment(pqt_segment segment);
pqti_prepared_ray pqti_prepared_ray_of_ray(pqt_ray ray);

/* Whether the numbers that it was made of were finite. */
static inline bool
pqti_prepared_ray_is_valid(const pqti_prepared_ray *ray)
{
    return ray->box.min.x <= ray->box.max.x;
}

/* The box of a line up to a fraction of it, with a margin for all roundings: no box outside it is
   entered before. */
pqt_box pqti_prepared_ray_box_until(const pqti_prepared_ray *ray, double fraction);

/* Whether the line and a valid box have a point in common. */
bool pqti_prepared_ray_touches(const pqti_prepared_ray *ray, const pqt_box *box);

/* Where the line enters a box that it touches. */
double pqti_prepared_ray_entry(const pqti_prepared_ray *ray, const pqt_box *box);

/* Where the line enters and leaves a box that it touches. */
pqti_slab_clip pqti_prepared_ray_clip(const pqti_prepared_ray *ray, const pqt_box *box);

#endif
