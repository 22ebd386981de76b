/* SPDX-License-Identifier: MIT */
/*
 * world_support.h: functions for tests of worlds: short names, and calls that must succeed.
 *
 * The bounds are 100 x 100 with the corner at 0, 0 unless stated otherwise.
 */
#ifndef TEST_WORLD_SUPPORT_H
#define TEST_WORLD_SUPPORT_H

#include <pqt/world.h>

#include "random.h"
#include "tree_support.h"

static const pqt_box arena_box = {{0, 0}, {100, 100}};

static inline pqt_body
ball(uint64_t id, double x, double y, double radius)
{
    return (pqt_body){.id = id, .position = {x, y}, .radius = radius};
}

static inline pqt_body
flying(uint64_t id, double x, double y, double radius, double vx, double vy)
{
    return (pqt_body){.id = id, .position = {x, y}, .velocity = {vx, vy}, .radius = radius};
}

static inline const pqt_world *
must_world(const pqt_world *world, const pqt_error *error)
{
    require(world != NULL && error->status == PQT_OK, error->text);
    return world;
}

static inline const pqt_world *
world_in(pqt_box bounds, bool walls, pqt_memory *memory)
{
    pqt_error error = {0};
    pqt_world_options options = PQT_WORLD_DEFAULTS;
    options.walls = walls;
    options.leaf_capacity = 4;
    options.memory = memory;
    const pqt_world *world = pqt_world_make(bounds, &options, &error);
    return must_world(world, &error);
}

static inline const pqt_world *
small_world(void)
{
    return world_in(arena_box, true, arena);
}

static inline const pqt_world *
added(const pqt_world *world, pqt_body body)
{
    pqt_error error = {0};
    const pqt_world *next = pqt_world_add(world, body, &error);
    return must_world(next, &error);
}

static inline const pqt_world *
with_bodies(const pqt_world *world, const pqt_body *bodies, size_t count)
{
    pqt_error error = {0};
    const pqt_world *next = pqt_world_add_all(world, bodies, count, &error);
    return must_world(next, &error);
}

static inline void
expect_sound_world(const pqt_world *world)
{
    pqt_error error = {0};
    if (!pqt_world_check(world, &error))
        ck_abort_msg("%s", error.text);
}

static inline pqt_body
body_of(const pqt_world *world, uint64_t id)
{
    pqt_body body = {0};
    require(pqt_world_find(world, id, &body), "a body is missing");
    return body;
}

static inline bool
same_body(const pqt_body *a, const pqt_body *b)
{
    return a->id == b->id && a->position.x == b->position.x && a->position.y == b->position.y &&
           a->velocity.x == b->velocity.x && a->velocity.y == b->velocity.y &&
           a->acceleration.x == b->acceleration.x && a->acceleration.y == b->acceleration.y &&
           a->radius == b->radius && a->mass == b->mass && a->fixed == b->fixed &&
           a->kinematic == b->kinematic && a->sensor == b->sensor &&
           a->own_friction == b->own_friction && a->user_data == b->user_data &&
           a->category == b->category && a->mask == b->mask && a->friction == b->friction &&
           a->angle == b->angle && a->angular_velocity == b->angular_velocity;
}

/* Sets `memories` to those on which models run: the test's arena and, if there is one, the
 * collector. Returns their number. */
static inline size_t
memories_of_tests(pqt_memory *memories[2])
{
    memories[0] = arena;
    memories[1] = pqt_collector();
    return memories[1] == NULL ? 1 : 2;
}

#endif
