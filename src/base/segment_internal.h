/* SPDX-License-Identifier: MIT */
/*
 * segment_internal.h: a segment or ray that is prepared for tests against many boxes.
 *
 * The test for touching a box is exact for all doubles. By the separating axis theorem, two convex
 * polygons are disjoint if and only if a line parallel to one of their edges separates them. So it
 * is enough to compare intervals on both axes, and to test whether all corners of the box are
 * strictly on one side of the line. Only the two outermost corners matter.
 */
#ifndef PQTI_SEGMENT_INTERNAL_H
#define PQTI_SEGMENT_INTERNAL_H

#include <stdbool.h>

#include <pqt/segment.h>

typedef struct pqti_prepared_ray {
    pqt_vec from;
    pqt_vec to;         /* the end of a segment, or the direction of a ray */
    bool is_ray;        /* false for a segment */
    int sign_x, sign_y; /* the exact signs of the direction: -1, 0 or 1 */
    pqt_box box;        /* the bounding box, infinite for a ray; min > max if the line is invalid */
    /* the direction times 2^-exponent, rounded; its greater component is in 0.5 .. 1 */
    pqt_vec dir;
    int exponent;
    bool dir_is_normal; /* no component of `dir` is so small that products with it underflow */
} pqti_prepared_ray;

/* The fractions at which a line enters and leaves a box that it touches; see pqt_ray_hit. */
typedef struct pqti_slab_clip {
    double entry, exit;
    pqt_vec normal;
} pqti_slab_clip;

/* A fraction of a line that is smaller than this may have lost digits. */
#define PQTI_MIN_FRACTION 0x1p-1000

/* A product with a component of `dir` that is smaller than this may underflow. */
#define PQTI_MIN_NORMAL_DIR 0x1p-900

static inline bool
pqti_dir_is_normal(double component, int sign)
{
    return sign == 0 ? component == 0
                     : component >= PQTI_MIN_NORMAL_DIR || component <= -PQTI_MIN_NORMAL_DIR;
}

/*
 * Returns (b - a) * 2^-exponent, where the exponent is chosen so that the greater component is in
 * 0.5 .. 1.
 */
pqt_vec pqti_direction_between(pqt_vec a, pqt_vec b, int *exponent);

pqti_prepared_ray pqti_prepared_ray_of_segment(pqt_segment segment);
pqti_prepared_ray pqti_prepared_ray_of_ray(pqt_ray ray);

/* Returns true if all numbers that the line was prepared from were finite. */
static inline bool
pqti_prepared_ray_is_valid(const pqti_prepared_ray *ray)
{
    return ray->box.min.x <= ray->box.max.x;
}

/*
 * Returns the box of a line up to a fraction, with a margin for rounding. Before that fraction, the
 * line enters no box that is outside the returned one.
 */
pqt_box pqti_prepared_ray_box_until(const pqti_prepared_ray *ray, double fraction);

/* Returns true if the line and a valid box have a point in common. */
bool pqti_prepared_ray_touches(const pqti_prepared_ray *ray, const pqt_box *box);

/* Returns the fraction at which the line enters a box that it touches. */
double pqti_prepared_ray_enter(const pqti_prepared_ray *ray, const pqt_box *box);

/* Returns where the line enters and leaves a box that it touches. */
pqti_slab_clip pqti_prepared_ray_clip(const pqti_prepared_ray *ray, const pqt_box *box);

#endif
