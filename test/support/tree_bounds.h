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
typedef enum box_layout {
    BOXES_MIXED,     /* the kind of each box is drawn from the others */
    BOXES_UNIFORM,   /* small boxes everywhere */
    BOXES_GRID,      /* corners and sizes are on a coarse grid: midlines, edges, corners */
    BOXES_NUDGED,    /* like BOXES_GRID, but off by one ulp */
    BOXES_POINTS,    /* points on a grid of 8 x 8, so that many coincide */
    BOXES_IDENTICAL, /* three boxes, repeated */
    BOXES_THIN,      /* half as long as the bounds, very thin */
    BOXES_LARGE,     /* boxes about as large as the world */
    BOXES_NESTED,    /* boxes of all sizes with one centre */
    BOXES_CLUMP,     /* all boxes are in a millionth of the bounds */
    BOXES_CORNER,    /* most are in a millionth of the world, the others at all distances from it */
    BOXES_OUTSIDE,   /* outliers, from near ones to the largest double */
    BOX_LAYOUTS
} box_layout;

const char *box_layout_name(box_layout kind);

/* Draws a valid box; its zeros may be -0.0. */
pqt_box draw_box(dice *d, pqt_box bounds, box_layout kind);

/* Draws a window: a box, a line or a point; infinite; with NaN, -0.0 or min > max; or on grid
 * lines. */
pqt_box draw_window(dice *d, pqt_box bounds, box_layout kind);

#endif
