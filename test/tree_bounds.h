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
    CROWD_MIXED,     /* the kind of each box is drawn from the others */
    CROWD_UNIFORM,   /* small boxes everywhere */
    CROWD_GRID,      /* corners and sizes are on a coarse grid: midlines, edges, corners */
    CROWD_NUDGED,    /* like CROWD_GRID, but off by one ulp */
    CROWD_POINTS,    /* points on a grid of 8 x 8, so that many coincide */
    CROWD_IDENTICAL, /* three boxes, repeated */
    CROWD_THIN,      /* half as long as the bounds, very thin */
    CROWD_LARGE,     /* boxes about as large as the world */
    CROWD_NESTED,    /* boxes of all sizes with one centre */
    CROWD_CLUMP,     /* all boxes are in a millionth of the bounds */
    CROWD_CORNER,    /* most are in a millionth of the world, the others at all distances from it */
    CROWD_OUTSIDE,   /* outliers, from near ones to the largest double */
    CROWDS
} crowd;

const char *crowd_name(crowd kind);

/* Draws a valid box; its zeros may be -0.0. */
pqt_box draw_box(dice *d, pqt_box bounds, crowd kind);

/* Draws a window: a box, a line or a point; infinite; with NaN, -0.0 or min > max; or on grid
 * lines. */
pqt_box draw_window(dice *d, pqt_box bounds, crowd kind);

#endif
