/* SPDX-License-Identifier: MIT */
/* toi_position.h - where movers stop that hit each other, and how they come apart. */
#ifndef PQTI_TOI_POSITION_H
#define PQTI_TOI_POSITION_H

#include <stdbool.h>

#include <pqt/contact.h>
#include <pqt/sweep.h>

#include "collision/toi_shapes.h"

/* Where two movers stop. */
typedef struct pqti_toi_positions {
    double time;
    pqt_vec a, b; /* places, confirmed free */
} pqti_toi_positions;

/*
 * Where two stop that hit each other (toi_position.c). It may set the normal anew, measured at the
 * stop.
 */
pqti_toi_positions pqti_toi_positions_of(const pqt_mover *a, const pqt_mover *b, pqti_toi *toi);

/*
 * As pqti_toi_of, but what overlaps at the end, for all that it passed by, hits
 * (toi_position.c).
 */
pqti_toi pqti_toi_or_end(const pqt_mover *a, const pqt_mover *b);

/* The nearest place of `a` at its start that is free of `b`, which it overlaps, and the way there
   (toi_position.c). */
pqt_vec pqti_push_out_position(const pqt_mover *a, const pqt_mover *b, pqt_contact *contact);

/*
 * How deep `a` lies at its start in `b`, which it overlaps: the depth of their contact
 * (toi_position.c).
 */
double pqti_mover_depth(const pqt_mover *a, const pqt_mover *b);

double pqti_depth_of_boxes(const pqt_box *a, const pqt_box *b);

/* Where a way leads that stopped at something round and goes on along its tangent. */
pqt_vec pqti_end_along_tangent(pqt_vec stop, pqt_vec to, pqt_vec normal);

#endif
