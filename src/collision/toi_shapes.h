/* SPDX-License-Identifier: MIT */
/*
 * toi_shapes.h - the time of impact for each pair of shapes (toi_box.c, toi_circle.c), and the
 * time of exit (toi_exit.c).
 */
#ifndef PQTI_TOI_SHAPES_H
#define PQTI_TOI_SHAPES_H

#include <stdbool.h>

#include <pqt/contact.h>
#include <pqt/sweep.h>

#include "collision/mover.h"

/* So much of the largest number at hand counts as nothing where lengths are measured. */
#define PQTI_SWEPT_ERROR 0x1p-48

/* When and how two movers meet. */
typedef struct pqti_toi {
    bool hits;
    double time;      /* 0 .. 1 */
    double overshoot; /* between boxes, how far beyond the side the way would lead; of its axis */
    double motion,
        motion_unit;  /* and its length on that axis, in units of 1, or 8 lest it overflow */
    unsigned blocked; /* PQT_BLOCKED_X, PQT_BLOCKED_Y */
    bool is_round;    /* not met by a side: places are to be measured */
    pqt_vec normal;   /* from b to a */
} pqti_toi;

/* -1 if a ends before b begins, 1 if it begins behind b's end, else 0. Where both are so flat that
 * both hold, it is the side from which a comes that counts. */
typedef int pqti_apart_fn(const pqti_swept_axis *axis, int sign);

/* Two boxes (toi_box.c). `apart` says what counts as apart at the start. */
int pqti_apart_boxes(const pqti_swept_axis *axis, int sign);

int pqti_apart_circle(const pqti_swept_axis *axis, int sign);

pqti_toi pqti_toi_boxes(const pqti_swept_axis *x, const pqti_swept_axis *y, pqti_apart_fn *apart);

/* Where `a` stops beside a `b` that stands still, on an axis that it moves along and that is
   blocked. */
double pqti_toi_stop_beside(const pqti_swept_axis *axis);

/* Two circles whose radii add up to `radius_sum`; a and b give their places (toi_circle.c). */
pqti_toi pqti_toi_circles(const pqt_mover *a, const pqt_mover *b, double radius_sum, bool strict);

/* A circle `a` and a box `b`, made of the two above (toi_circle.c). */
pqti_toi pqti_toi_circle_box(const pqt_mover *a, const pqt_mover *b, bool strict);

/* When two that overlap will be apart, as a fraction of the way; INFINITY: never (toi_exit.c). */
double pqti_time_of_exit(const pqt_mover *a, const pqt_mover *b);

#endif
