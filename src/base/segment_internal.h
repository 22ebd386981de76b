/* SPDX-License-Identifier: MIT */
/*
 * segment_internal.h: a segment or ray that is prepared for tests with many boxes.
 *
 * Whether it touches a box is decided exactly, for all doubles. By the separating axis theorem, two
 * convex sets in the plane are disjoint if and only if a line along one of their edges separates
 * them. So it is enough to compare intervals on both axes, and to test whether all corners of the
 * box are strictly on one side of the line. Only the two outermost corners matter.
 */
#ifndef PQTI_SEGMENT_INTERNAL_H
#define PQTI_SEGMENT_INTERNAL_H

#include <stdbool.h>

#include <pqt/segment.h>

typedef struct pqti_prepared_ray {
    pqt_vec from;
    pqt_vec to;         /* end of a segment; direction of a ray */
    bool is_ray;        /* otherwise a segment */
    int sign_x, sign_y; /* -1, 0 or 1: the exact sign of its direction */
    pqt_box box;        /* its bounding box, infinite for a ray; min > max if it is invalid */
    pqt_vec dir;        /* direction times 2^-exponent, rounded; greater component in 0.5 .. 1 */
    int exponent;
    bool dir_is_normal; /* no component of `dir` is so small that products with it underflow */
} pqti_prepared_ray;

/* The part of a line inside a box that it touches; see pqt_ray_hit. */
typedef struct pqti_slab_clip {
    double entry, exit;
    pqt_vec normal;
} pqti_slab_clip;

/* Fractions of a line below this may have lost digits. */
#define PQTI_MIN_FRACTION 0x1p-1000

/* Products with a component of `dir` below this may underflow. */
#define PQTI_MIN_NORMAL_DIR 0x1p-900

static inline bool
pqti_dir_is_normal(double component, int sign)
{
    return sign == 0 ? component == 0
                     : component >= PQTI_MIN_NORMAL_DIR || component <= -PQTI_MIN_NORMAL_DIR;
}

/* Returns b - a scaled so that its greater component is in 0.5 .. 1, times 2^exponent. */
pqt_vec pqti_direction_between(pqt_vec a, pqt_vec b, int *exponent);

pqti_prepared_ray pqti_prepared_ray_of_segment(pqt_segment segment);
pqti_prepared_ray pqti_prepared_ray_of_ray(pqt_ray ray);

/* Returns true if all its input was finite. */
static inline bool
pqti_prepared_ray_is_valid(const pqti_prepared_ray *ray)
{
    return ray->box.min.x <= ray->box.max.x;
}

/* Returns the box of a line up to a fraction, with a margin for rounding: the line enters no box
 * outside it before that fraction. */
pqt_box pqti_prepared_ray_box_until(const pqti_prepared_ray *ray, double fraction);

/* Returns true if the line and a valid box have a point in common. */
bool pqti_prepared_ray_touches(const pqti_prepared_ray *ray, const pqt_box *box);

/* Returns the fraction at which the line enters a box that it touches. */
double pqti_prepared_ray_entry(const pqti_prepared_ray *ray, const pqt_box *box);

/* Returns where the line enters and leaves a box that it touches. */
pqti_slab_clip pqti_prepared_ray_clip(const pqti_prepared_ray *ray, const pqt_box *box);

#endif
