/* SPDX-License-Identifier: MIT */
/*
 * sweep_model.h: two shapes as a point and a grown polygon, for comparing the results of sweeps and
 * contacts.
 *
 * The corners of the first shape are subtracted from those of the second one. The hull of the
 * differences, grown by both radii, contains the offset of the first shape from the second one
 * while they overlap. The gap between the offset and the hull is a convex function of time, so it
 * is enough to search for its least value. The library uses none of this: it computes each time
 * from sides and circles.
 *
 * All lengths are in units of 2^unit, so that the largest number is between 1/2 and 1. The model
 * needs no exponents outside the range of doubles, because a long double has no others under
 * valgrind.
 */
#ifndef TEST_SWEEP_MODEL_H
#define TEST_SWEEP_MODEL_H

#include <stdbool.h>
#include <stddef.h>

#include <pqt/contact.h>
#include <pqt/sweep.h>

typedef struct model_vec {
    long double x, y;
} model_vec;

/* A side of the hull. */
typedef struct model_side {
    model_vec from, along, outward; /* the first corner and two unit vectors */
    long double length;
} model_side;

enum { MODEL_CORNERS = PQT_MAX_CONVEX_VERTICES * PQT_MAX_CONVEX_VERTICES };

typedef struct sweep_model {
    const pqt_mover *a, *b;
    int unit;
    size_t
        count; /* of corners, and of sides unless it is 1; 2 for a segment, which has two sides */
    model_vec corners[2 * MODEL_CORNERS];
    model_side sides[2 * MODEL_CORNERS];
    model_vec first;         /* the offset of the first corner of a from that of b */
    long double radius;      /* of both */
    model_vec start, motion; /* of a relative to b */
} sweep_model;

/* Sets a model of two movers, which must remain as they are while it is used. */
void sweep_model_set(sweep_model *m, const pqt_mover *a, const pqt_mover *b);

/* Returns the offset for two positions. */
model_vec sweep_model_offset(const sweep_model *m, pqt_vec a, pqt_vec b);

/* Returns the offset at a time, which may be above 1. */
model_vec sweep_model_offset_at(const sweep_model *m, long double time);

/* The place of an offset relative to the grown hull. */
typedef struct model_place {
    long double gap;  /* the distance from the grown hull; if below 0, the depth */
    model_vec normal; /* the direction of the shortest way out; 0 if unknown */
    bool is_at_side;  /* false: the nearest point is a corner */
    /* the distance by which an offset may move before its nearest side or corner differs */
    long double room;
} model_place;

model_place sweep_model_place(const sweep_model *m, model_vec offset);

/* Returns the distance by which an offset must move in a direction until it is outside. */
long double sweep_model_depth_along(const sweep_model *m, model_vec offset, pqt_vec direction);

/* Returns the time in 0..1 at which the gap is least. */
long double sweep_model_time_of_least_gap(const sweep_model *m);

/* ---- Requirements: each stops the test if it is not met ---- */

/* Rounding errors, in units of the largest number. */
#define MODEL_ERROR 0x1p-46L

/* Compares the time, stop, blocked axes and normal of a hit. */
void sweep_model_require_hit(const sweep_model *m, const pqt_sweep *s);

/* Compares the exit, free position and normal of an overlap at the start. */
void sweep_model_require_overlap(const sweep_model *m, const pqt_sweep *s);

/* Compares the depth, normal, push and point of a contact at the start. */
void sweep_model_require_contact(const sweep_model *m, const pqt_contact *contact);

#endif
