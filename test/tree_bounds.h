/* SPDX-License-Identifier: MIT */
/* tree_bounds.h - random bounds, boxes and windows that are difficult for a tree. */
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

/* How the boxes of a test lie. */
typedef enum crowd {
    CROWD_MIXED,     /* each box is drawn from one of the others */
    CROWD_UNIFORM,   /* small boxes everywhere */
    CROWD_GRID,      /* corners and sizes on the lines of a coarse grid: midlines, edges, corners */
    CROWD_NUDGED,    /* as the grid, but an ulp beside it */
    CROWD_POINTS,    /* on a grid of 8 x 8: many at one place */
    CROWD_IDENTICAL, /* three boxes again and again */
    CROWD_THIN,      /* half a world long, hardly wide */
    CROWD_LARGE,     /* about the size of the world */
    CROWD_NESTED,    /* one centre, all sizes */
    CROWD_CLUMP,     /* all in a millionth of the world */
    CROWD_CORNER,    /* most in a millionth of the world, the others at all distances from there */
    CROWD_OUTSIDE,   /* outliers, near and as far as doubles go */
    CROWDS
} crowd;

const char *crowd_name(crowd kind);

/* A valid box; a zero in it may be -0.0. */
pqt_box draw_box(dice *d, pqt_box bounds, crowd kind);

/* A window: any box, or a line, a point, infinite, NaN, inside out, with -0.0, on grid lines. */
pqt_box draw_window(dice *d, pqt_box bounds, crowd kind);

#endif
