/* SPDX-License-Identifier: MIT */
/*
 * region_toi_circle.h - a circle and a region on their ways, in doubles: what they meet at a place,
 * and what first.
 *
 * A region's place is in whole steps at both ends, so that its squares lie exactly where they are
 * said to.
 */
#ifndef PQTI_REGION_TOI_CIRCLE_H
#define PQTI_REGION_TOI_CIRCLE_H

#include "collision/toi.h"
#include "collision/toi_shapes.h"
#include "region/collision/region_cursor.h"

/* Where both are. */
typedef struct pqti_places {
    pqt_vec circle, region;
} pqti_places;

typedef struct pqti_passage {
    pqti_figure figure;
    double radius;
    pqti_places from, to;
    pqt_tally *tally; /* may be NULL */
} pqti_passage;

/* Where both are at a time, which may be above 1. */
pqti_places pqti_places_at(const pqti_passage *p, double time);

/* Looks for a full square that the circle overlaps, beginning with one quarter; sets `met`, unless
   NULL. */
bool pqti_passage_overlaps(const pqti_passage *p, pqti_places at, int first, pqti_shape_cell *met);

/* Whether there is one that it touches. */
bool pqti_passage_touches(const pqti_passage *p, pqti_places at);

/* The circle and a square as a course (toi.h) has them. */
typedef struct pqti_pair_met {
    pqt_mover a, b;
    bool turned; /* b is the circle, which rests while the square moves */
} pqti_pair_met;

pqti_pair_met pqti_passage_pair(const pqti_passage *p, const pqti_shape_cell *part);

/* What the circle meets first. */
typedef struct pqti_encounter {
    double key; /* INFINITY: nothing. When it is met; at a corner, the double after that */
    pqti_shape_cell met;
    pqti_impact impact;
} pqti_encounter;

/* It overlaps nothing at the start. */
pqti_encounter pqti_passage_first(const pqti_passage *p);

#endif
