/* SPDX-License-Identifier: MIT */
/* tree_bounds.h: random bounds, boxes and windows that are difficult for a tree. */
#ifndef TEST_TREE_BOUNDS_H
#define TEST_TREE_BOUNDS_H

#include <stddef.h>

#include <pqt/box.h>

#include "random.h"

/* Bounds with a name for the log. */
typedef struct world {
    const char *name;
    pqt_box bounds;
} world;

extern const world worlds[];
extern const size_t worlds_count;

/* The distribution of the boxes of a test. */
typedef enum crowd {
    CROWD_MIXED,     /* each box is drawn from one of the others */
    CROWD_UNIFORM,   /* small boxes everywhere */
    CROWD_GRID,      /* corners and sizes on the lines of a coarse grid: midlines, edges, corners */
    CROWD_NUDGED,    /* like the grid, but off by one ulp */
    CROWD_POINTS,    /* on a grid of 8 x 8: many at one point */
    CROWD_IDENTICAL, /* three boxes, repeated */
    CROWD_THIN,      /* half as long as the bounds, very thin */
    CROWD_LARGE,     /* about the size of the world */
    CROWD_NESTED,    /* one centre, all sizes */
    CROWD_CLUMP,     /* all in a millionth of the bounds */
    CROWD_CORNER,    /* most in a millionth of the world, the others at all distances from there */
    CROWD_OUTSIDE,   /* outliers, near and up to the largest double */
    CROWDS
} crowd;

const char *crowd_name(crowd kind);

/* Draws a valid box; its zeros may be -0.0. */
pqt_box draw_box(dice *d, pqt_box bounds, crowd kind);

/* Draws a window: a box, a line, a point, infinite, NaN, min > max, with -0.0, on grid lines. */
pqt_box draw_window(dice *d, pqt_box bounds, crowd kind);

#endif
