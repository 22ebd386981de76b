/* SPDX-License-Identifier: MIT */
/*
 * mover.h: computes the motion of movers on an axis, and decides whether movers touch.
 *
 * The following sources of this folder have no header of their own: pair_delta.c, slide.c,
 * sweep_tree.c, toi_box.c, toi_circle.c, toi_convex.c, toi_exit.c.
 */
#ifndef PQTI_MOVER_H
#define PQTI_MOVER_H

#include <stdbool.h>

#include <pqt/sweep.h>

#include "base/placed.h"

#define PQTI_SMALLEST 0x1p-1074 /* the smallest double above 0 */

/* Two movers on one axis: their start and end positions, and the extents of their shapes relative
 * to these positions. */
typedef struct pqti_swept_axis {
    double a_from, a_to, a_min, a_max;
    double b_from, b_to, b_min, b_max;
} pqti_swept_axis;

/* Return two movers on one axis, as boxes. A circle is represented by the square around it. */
pqti_swept_axis pqti_swept_x(const pqt_mover *a, const pqt_mover *b);

pqti_swept_axis pqti_swept_y(const pqt_mover *a, const pqt_mover *b);

/* Returns the axis for the centre of a circle `a`, without its radius. `axis` is passed by address,
 * because clang 14 loses a change to a copy of a by-value argument. */
static inline pqti_swept_axis
pqti_swept_centre(const pqti_swept_axis *axis)
{
    pqti_swept_axis centre = *axis;
    centre.a_min = centre.a_max = 0;
    return centre;
}

/* Returns the mover, but as a box if it is a circle of radius 0. Comparisons with boxes use this
 * form. */
pqt_mover pqti_mover_point_as_box(const pqt_mover *mover);

/* Moves the box of a resting mover to its position, which becomes 0. Does not change a mover of
 * another kind. Returns the mover. */
pqt_mover pqti_mover_at_rest(const pqt_mover *mover);

static inline bool
pqti_mover_rests(const pqt_mover *mover)
{
    return mover->from.x == mover->to.x && mover->from.y == mover->to.y;
}

/* Returns the box of a mover at a position; see pqt_box_moved and pqt_circle_box. The box of a
 * convex is rounded outward. The mover's own positions are not read. */
pqt_box pqti_mover_box_at(const pqt_mover *mover, pqt_vec position);

/* Returns true if the interiors of two movers intersect at these positions. */
bool pqti_mover_overlaps(const pqt_mover *a, pqt_vec position_a, const pqt_mover *b,
                         pqt_vec position_b);

/* Returns true if the movers touch at these positions. */
bool pqti_mover_touches(const pqt_mover *a, pqt_vec position_a, const pqt_mover *b,
                        pqt_vec position_b);

#define PQTI_BAD_MOVER "a mover must be made by pqt_mover_box, pqt_mover_circle or pqt_mover_convex"

static inline bool
pqti_mover_has_shape(const pqt_mover *mover)
{
    return mover->kind == PQT_MOVER_BOX || mover->kind == PQT_MOVER_CIRCLE ||
           (mover->kind == PQT_MOVER_CONVEX && mover->convex != NULL);
}

/* Returns true if one of two movers is a convex. Then both are compared as placed shapes, without
 * rounding the shapes at their positions. */
static inline bool
pqti_has_convex(const pqt_mover *a, const pqt_mover *b)
{
    return a->kind == PQT_MOVER_CONVEX || b->kind == PQT_MOVER_CONVEX;
}

/* Returns the shape of a mover at a position. The result points to `corners` or to the mover's
 * convex. */
pqti_placed pqti_placed_mover(const pqt_mover *mover, pqt_vec position, pqti_box_corners *corners);

#endif
