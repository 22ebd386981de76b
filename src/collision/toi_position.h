/* SPDX-License-Identifier: MIT */
/* toi_position.h: computes the stops of movers that hit each other, and the push out of an
 * overlap. */
#ifndef PQTI_TOI_POSITION_H
#define PQTI_TOI_POSITION_H

#include <stdbool.h>

#include <pqt/contact.h>
#include <pqt/sweep.h>

#include "collision/toi_shapes.h"

/* The positions at which two movers stop. */
typedef struct pqti_toi_positions {
    double time;
    pqt_vec a, b; /* the positions, which are confirmed to be free */
    int tested;   /* the number of positions that were tested, if stops are measured */
} pqti_toi_positions;

/* Returns the stops of two movers that hit each other. May replace the normal by one measured at
 * the stop. */
pqti_toi_positions pqti_toi_positions_of(const pqt_mover *a, const pqt_mover *b, pqti_toi *toi);

/* Like pqti_toi_of, but movers that overlap at the end always hit each other. */
pqti_toi pqti_toi_or_end(const pqt_mover *a, const pqt_mover *b);

/* Returns the nearest position of `a` that is free of `b`, and stores their contact. `a` overlaps
 * `b` at its start. */
pqt_vec pqti_push_out_position(const pqt_mover *a, const pqt_mover *b, pqt_contact *contact);

/* Returns the depth of the contact between `a` and `b`. `a` overlaps `b` at its start. */
double pqti_mover_depth(const pqt_mover *a, const pqt_mover *b);

double pqti_depth_of_boxes(const pqt_box *a, const pqt_box *b);

/* Returns the end of a motion along an oblique side. The end is moved away from the side by a few
 * rounding errors, so that rounding does not put it inside. */
pqt_vec pqti_end_along_side(pqt_vec stop, pqt_vec to, pqt_vec normal);

/* Returns the end of a motion that stops at a round shape and continues along its tangent. */
pqt_vec pqti_end_along_tangent(pqt_vec stop, pqt_vec to, pqt_vec normal);

#endif
