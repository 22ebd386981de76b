/* SPDX-License-Identifier: MIT */
/*
 * toi_shapes.h: the time of impact for each pair of shapes (toi_box.c, toi_circle.c), and the time
 * of exit (toi_exit.c).
 */
#ifndef PQTI_TOI_SHAPES_H
#define PQTI_TOI_SHAPES_H

#include <math.h>
#include <stdbool.h>

#include <pqt/contact.h>
#include <pqt/sweep.h>

#include "base/fp.h"
#include "collision/mover.h"

/* The measurable error. Distances below this fraction of the numbers involved (pqti_sizes) count as
 * 0. */
#define PQTI_SWEPT_ERROR 0x1p-48

/* A motion whose cosine with the normal is smaller than this enters the circle by less than 2^-56
 * of the distance, so it counts as tangential. */
#define PQTI_LEAST_STEEPNESS 0x1p-28

/* Sums of a few numbers up to PQTI_LARGEST_ADDEND do not overflow. Larger numbers are first scaled
 * by 2 to the power of PQTI_SCALE_OF_ADDENDS. */
#define PQTI_LARGEST_ADDEND 0x1p1000
enum { PQTI_SCALE_OF_ADDENDS = -8 };

/* For numbers between these limits, squares and products of squares neither overflow nor
 * underflow. */
#define PQTI_LEAST_SAFE 0x1p-200
#define PQTI_GREATEST_SAFE 0x1p+200

/* Returns 0 if squares and products of squares of numbers of a size neither overflow nor underflow.
 * Otherwise, returns the exponent of the size: divided by 2^exponent, the numbers are near 1. */
static inline int
pqti_exponent_of_unit(double size)
{
    int exponent = 0;
    if (size != 0 && !(size >= PQTI_LEAST_SAFE && size <= PQTI_GREATEST_SAFE))
        (void)frexp(size, &exponent);
    return exponent;
}

/* Returns the largest among a size and the absolute values of a vector's components. */
static inline double
pqti_larger_component(double size, pqt_vec v)
{
    return pqti_fmax(size, pqti_fmax(pqti_fabs(v.x), pqti_fabs(v.y)));
}

/* The largest absolute values among the coordinates on each axis, and the largest radius. */
typedef struct pqti_sizes {
    double x, y, radius;
} pqti_sizes;

static inline pqti_sizes
pqti_larger_sizes(pqti_sizes sizes, pqt_vec v)
{
    sizes.x = pqti_fmax(sizes.x, pqti_fabs(v.x));
    sizes.y = pqti_fmax(sizes.y, pqti_fabs(v.y));
    return sizes;
}

/* Returns a fraction of the size of the numbers from which a distance in the direction of a unit
 * vector is computed. An axis across that direction contributes nothing, so that a large x does not
 * make distances along y inaccurate. */
static inline double
pqti_size_along(const pqti_sizes *sizes, pqt_vec direction, double fraction)
{
    const double x = pqti_fabs(direction.x) * sizes->x, y = pqti_fabs(direction.y) * sizes->y;
    return pqti_fmax(sizes->radius * fraction, x * fraction + y * fraction);
}

/* Returns the measurable error of a distance in the direction of a unit vector. */
static inline double
pqti_error_along(const pqti_sizes *sizes, pqt_vec direction)
{
    return pqti_size_along(sizes, direction, PQTI_SWEPT_ERROR);
}

/* The impact of two movers. */
typedef struct pqti_toi {
    bool hits;
    double time;        /* fraction of the motion, 0 .. 1 */
    double overshoot;   /* for boxes: the distance by which the motion would pass the side */
    double motion;      /* the length of the motion on that axis, in units of `motion_unit` */
    double motion_unit; /* 1, or 8 to avoid overflow */
    unsigned blocked;   /* bits: PQT_BLOCKED_X, PQT_BLOCKED_Y */
    bool is_round;      /* no side was hit, so stops must be measured */
    pqt_vec normal;     /* unit vector from b to a */
} pqti_toi;

/* Returns the axes on which a normal is not 0. */
static inline unsigned
pqti_blocked_axes(pqt_vec normal)
{
    return (normal.x != 0 ? PQT_BLOCKED_X : 0u) | (normal.y != 0 ? PQT_BLOCKED_Y : 0u);
}

/* Returns -1 if a ends before b begins, 1 if a begins behind b's end, and 0 otherwise. If both are
 * flat and both conditions hold, returns the side from which a comes. */
typedef int pqti_apart_fn(const pqti_swept_axis *axis, int sign);

/* Return the separation (pqti_apart_fn) of two boxes, and of a circle and a box (toi_box.c). */
int pqti_apart_boxes(const pqti_swept_axis *axis, int sign);

int pqti_apart_circle(const pqti_swept_axis *axis, int sign);

/* Returns the impact of two boxes. `apart` decides whether they are apart on an axis at the start
 * (toi_box.c). */
pqti_toi pqti_toi_boxes(const pqti_swept_axis *x, const pqti_swept_axis *y, pqti_apart_fn *apart);

/* Returns the stop of `a` at a resting `b`, on a blocked axis along which `a` moves. */
double pqti_toi_stop_at_side(const pqti_swept_axis *axis);

/* Returns the impact of two circles whose distance is the sum of two radii. `a` and `b` only
 * provide the positions (toi_circle.c). */
pqti_toi pqti_toi_circles(const pqt_mover *a, const pqt_mover *b, pqti_radius_sum radii,
                          bool strict);

/* Returns the impact of a circle `a` and a box `b` (toi_circle.c). */
pqti_toi pqti_toi_circle_box(const pqt_mover *a, const pqt_mover *b, bool strict);

/* Returns the impact of two movers, one of which is a convex (toi_convex.c). */
pqti_toi pqti_toi_convex(const pqt_mover *a, const pqt_mover *b, bool strict);

/* Returns the result of pqti_time_of_exit for two movers, one of which is a convex
 * (toi_convex.c). */
double pqti_exit_of_convex(const pqt_mover *a, const pqt_mover *b);

/* Returns the time at which two overlapping movers separate, as a fraction of the motion, or
 * INFINITY if they never do (toi_exit.c). */
double pqti_time_of_exit(const pqt_mover *a, const pqt_mover *b);

#endif
