/* SPDX-License-Identifier: MIT */
/* step_support.h: functions for tests of steps and recordings. */
#ifndef TEST_STEP_SUPPORT_H
#define TEST_STEP_SUPPORT_H

#include <string.h>

#include <pqt/circle.h>
#include <pqt/step.h>
#include <pqt/world_bytes.h>

#include "options_support.h"
#include "world_support.h"

static inline const pqt_world *
stepped(const pqt_world *world, double dt, const pqt_step_options *options)
{
    pqt_error error = {0};
    const pqt_world *next = pqt_world_step(world, dt, options, &error);
    return must_world(next, &error);
}

static inline const pqt_world *
after_steps(const pqt_world *world, size_t steps, double dt, const pqt_step_options *options)
{
    for (size_t i = 0; i < steps; i++)
        world = stepped(world, dt, options);
    return world;
}

static inline pqt_step_options
reporting(pqt_step_report *report)
{
    pqt_step_options options = PQT_STEP_DEFAULTS;
    options.report = report;
    return options;
}

/* A world as bytes. */
typedef struct written_world {
    uint8_t bytes[1 << 17];
    size_t length, next;
} written_world;

static inline bool
append_to_written(const void *bytes, size_t count, void *context)
{
    written_world *written = context;
    require(count <= sizeof written->bytes - written->length, "the bytes do not fit");
    memcpy(written->bytes + written->length, bytes, count);
    written->length += count;
    return true;
}

static inline bool
take_from_written(void *bytes, size_t capacity, size_t *count, void *context)
{
    written_world *written = context;
    const size_t rest = written->length - written->next;
    *count = rest < capacity ? rest : capacity;
    memcpy(bytes, written->bytes + written->next, *count);
    written->next += *count;
    return true;
}

/* Returns a copy of a world, made by writing it to bytes and reading them. */
static inline const pqt_world *
written_and_read(const pqt_world *world, pqt_memory *memory)
{
    static written_world written;
    pqt_error error = {0};
    written.length = written.next = 0;
    require(pqt_world_write(world, append_to_written, &written, &error), error.text);
    return must_world(pqt_world_read(take_from_written, &written, memory, &error), &error);
}

/* A visitor that copies each body to an array, indexed by id. The ids are 0 .. count - 1. */
static inline bool
put_body(const pqt_body *body, void *context)
{
    ((pqt_body *)context)[body->id] = *body;
    return true;
}

static inline void
list_bodies(const pqt_world *world, pqt_body *bodies)
{
    pqt_world_visit(world, (pqt_query[]){query_of_all()}, put_body, bodies);
}

static inline double
distance_of(const pqt_body *a, const pqt_body *b)
{
    return pqt_vec_distance(a->position, b->position);
}

/* Returns the overlap of two bodies, or minus their gap if they are apart. */
static inline double
depth_of(const pqt_body *a, const pqt_body *b)
{
    return a->radius + b->radius - distance_of(a, b);
}

/* Returns the largest overlap that rounding may cause: 1e-9 of the smaller radius, or 8 units in
   the last place of the positions. */
static inline double
allowed_depth(const pqt_body *a, const pqt_body *b)
{
    double size = fmax(fmax(fabs(a->position.x), fabs(a->position.y)),
                       fmax(fabs(b->position.x), fabs(b->position.y)));
    return fmax(1e-9 * fmin(a->radius, b->radius), 8 * 0x1p-52 * size);
}

enum { MOST_BODIES = 2000 };

/* Expects that no two bodies overlap by more than rounding plus a fraction of the smaller radius,
   that none is outside, and that all are finite. Returns the number of overlapping pairs of
   bounding boxes. */
static inline size_t
expect_apart_within(const pqt_world *world, const pqt_body *bodies, size_t count, double share)
{
    static pqt_box boxes[MOST_BODIES];
    pqt_box bounds = pqt_world_bounds(world);
    bool walls = options_of_world(world).walls;
    size_t pairs = 0;
    for (size_t i = 0; i < count; i++) {
        const pqt_body *a = &bodies[i];
        boxes[i] = pqt_circle_box((pqt_circle){a->position, a->radius});
        require(pqt_vec_is_finite(a->position) && pqt_vec_is_finite(a->velocity), "NaN");
        require(!walls || pqt_box_is_inside(boxes[i], bounds), "a body is outside");
        for (size_t k = 0; k < i; k++) {
            if (!pqt_box_overlaps(boxes[i], boxes[k]))
                continue; /* so the balls are apart, too */
            const double allowed =
                allowed_depth(a, &bodies[k]) + share * fmin(a->radius, bodies[k].radius);
            require(!(depth_of(a, &bodies[k]) > allowed), "two overlap");
            pairs++;
        }
    }
    return pairs;
}

/* Does the same, but allows no overlap beyond rounding. */
static inline size_t
expect_apart(const pqt_world *world, const pqt_body *bodies, size_t count)
{
    return expect_apart_within(world, bodies, count, 0);
}

/* Sets `bodies` to `count` moving balls on a grid in [0, side]^2 that do not touch each other.
   Their radii are chosen so that they cover about the fraction `share` of the area. */
static inline void
scatter_keys(dice *d, pqt_body *bodies, size_t count, double side, double share)
{
    size_t row = (size_t)ceil(sqrt((double)count));
    double cell = side / (double)row, most = cell * sqrt(share / 3.14159265358979);
    for (size_t i = 0; i < count; i++) {
        double r = most * (0.9 + 0.1 * dice_real(d)), free = cell / 2 - r;
        double x = ((double)(i % row) + 0.5) * cell, y = ((double)(i / row) + 0.5) * cell;
        double vx = 30 + 150 * dice_real(d), vy = 30 + 150 * dice_real(d);
        bodies[i] = flying(i, x + free * 0.99 * (2 * dice_real(d) - 1),
                           y + free * 0.99 * (2 * dice_real(d) - 1), r,
                           dice_chance(d, 50) ? vx : -vx, dice_chance(d, 50) ? vy : -vy);
    }
}

#endif
