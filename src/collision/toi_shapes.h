/* SPDX-License-Identifier: MIT */
/*
 * toi_shapes.h: the time of impact for each pair of shapes (toi_box.c, toi_circle.c), and the time
 * of exit (toi_exit.c).
 */
#ifndef PQTI_TOI_SHAPES_H
#define PQTI_TOI_SHAPES_H

#include <stdbool.h>

#include <pqt/contact.h>
#include <pqt/sweep.h>

#include "collision/mover.h"

/* The measurable error. Distances below this fraction of the largest number involved count as 0. */
#define PQTI_SWEPT_ERROR 0x1p-48

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

/* Returns the impact of two circles whose radii add up to `radius_sum`. `a` and `b` only provide
 * the positions (toi_circle.c). */
pqti_toi pqti_toi_circles(const pqt_mover *a, const pqt_mover *b, double radius_sum, bool strict);

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
