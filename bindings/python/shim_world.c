/* SPDX-License-Identifier: MIT */
/* shim_world.c: the functions for worlds that world.py calls. */
#include "shim.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(pqt_body) == 112 && offsetof(pqt_body, position) == 8 &&
                   offsetof(pqt_body, velocity) == 24 && offsetof(pqt_body, acceleration) == 40 &&
                   offsetof(pqt_body, radius) == 56 && offsetof(pqt_body, mass) == 64 &&
                   offsetof(pqt_body, fixed) == 72 && offsetof(pqt_body, kinematic) == 73 &&
                   offsetof(pqt_body, sensor) == 74 && offsetof(pqt_body, own_friction) == 75 &&
                   offsetof(pqt_body, friction) == 76 && offsetof(pqt_body, user_data) == 80 &&
                   offsetof(pqt_body, category) == 88 && offsetof(pqt_body, mask) == 92 &&
                   offsetof(pqt_body, angle) == 96 && offsetof(pqt_body, angular_velocity) == 104,
               "as in world.py");

static const pqt_world *
make_world(const double *bounds, bool walls, int capacity, pqt_error *error)
{
    pqt_world_options options = PQT_WORLD_DEFAULTS;
    options.walls = walls;
    options.leaf_capacity = capacity;
    options.memory = heap;
    const pqt_box box = {{bounds[0], bounds[1]}, {bounds[2], bounds[3]}};
    return pqt_world_make(box, &options, error);
}

pqt_pin *
pqtpy_world_make(const double *bounds, bool walls, int capacity, pqt_error *error)
{
    RETURN_PINNED(world, make_world(bounds, walls, capacity, error));
}

/* The kinds of edits, with the same numbers as in world.py. */
enum { ADD = 1, CHANGE };

static const pqt_world *
edit(const pqt_world *world, int kind, const char *data, size_t count, pqt_error *error)
{
    pqt_body *bodies = make_array(count, sizeof *bodies, error);
    if (bodies == NULL)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        /* The bytes of booleans come from the caller, and may have values other than 0 and 1. */
        const char *body = data + i * sizeof *bodies;
        memcpy(&bodies[i], body, offsetof(pqt_body, fixed));
        bodies[i].fixed = body[offsetof(pqt_body, fixed)] != 0;
        bodies[i].kinematic = body[offsetof(pqt_body, kinematic)] != 0;
        bodies[i].sensor = body[offsetof(pqt_body, sensor)] != 0;
        bodies[i].own_friction = body[offsetof(pqt_body, own_friction)] != 0;
        memcpy((char *)&bodies[i] + offsetof(pqt_body, friction),
               body + offsetof(pqt_body, friction), sizeof *bodies - offsetof(pqt_body, friction));
    }
    const pqt_world *next = kind == ADD ? pqt_world_add_all(world, bodies, count, error)
                                        : pqt_world_change_all(world, bodies, count, error);
    free(bodies);
    return next;
}

/* Adds or changes `count` bodies of 112 bytes. */
pqt_pin *
pqtpy_world_edit(const pqt_pin *pin, int kind, const char *bodies, size_t count, pqt_error *error)
{
    RETURN_PINNED(world, edit(pqt_pin_get_world(pin), kind, bodies, count, error));
}

pqt_pin *
pqtpy_world_remove(const pqt_pin *pin, const uint64_t *ids, size_t count, pqt_error *error)
{
    RETURN_PINNED(world, pqt_world_remove_all(pqt_pin_get_world(pin), ids, count, error));
}

static const pqt_world *
set_obstacle(const pqt_world *world, const pqt_pin *pin, double x, double y, pqt_error *error)
{
    const pqt_region *region = pin == NULL ? pqt_region_make(heap, error) : pqt_pin_get_region(pin);
    if (region == NULL)
        return NULL;
    return pqt_world_set_obstacle(world, (pqt_obstacle){region, {x, y}}, error);
}

/* Sets the obstacle, or removes it if `region` is NULL. */
pqt_pin *
pqtpy_world_set_obstacle(const pqt_pin *pin, const pqt_pin *region, double x, double y,
                         pqt_error *error)
{
    RETURN_PINNED(world, set_obstacle(pqt_pin_get_world(pin), region, x, y, error));
}

pqt_step_options
step_options(const double *numbers, uint64_t sleep_steps)
{
    pqt_step_options options = PQT_STEP_DEFAULTS;
    options.restitution = numbers[0];
    options.gravity = (pqt_vec){numbers[1], numbers[2]};
    options.damping = numbers[3];
    options.rest_speed = numbers[4];
    options.sleep_steps = sleep_steps;
    options.friction = numbers[5];
    return options;
}

pqt_pin *
pqtpy_world_step(const pqt_pin *pin, double dt, const double *numbers, uint64_t sleep_steps,
                 pqt_error *error)
{
    const pqt_step_options options = step_options(numbers, sleep_steps);
    const pqt_world *world = pqt_pin_get_world(pin);
    RETURN_PINNED(world, pqt_world_step(world, dt, &options, error));
}

/* Pins the tree of the boxes of all bodies. */
pqt_pin *
pqtpy_world_tree(const pqt_pin *pin, pqt_error *error)
{
    return pqt_tree_pin(pqt_world_tree(pqt_pin_get_world(pin)), error);
}

size_t
pqtpy_world_count(const pqt_pin *pin)
{
    return pqt_world_count(pqt_pin_get_world(pin));
}

/* Fills `bodies` with all bodies, 112 bytes each. */
bool
pqtpy_world_bodies(const pqt_pin *pin, pqtpy_bytes *bodies, pqt_error *error)
{
    const pqt_world *world = pqt_pin_get_world(pin);
    const size_t count = pqt_world_count(world);
    if (count > SIZE_MAX / sizeof(pqt_body) || !reserve(bodies, count * sizeof(pqt_body), error)) {
        fail(error, PQT_ERROR_MEMORY, 0, "out of memory (results of a call)");
        return false;
    }
    pqt_world_collect(world, NULL, (pqt_body *)bodies->data, count);
    bodies->size = count * sizeof(pqt_body);
    return true;
}

/* Writes eight numbers: the bounds, whether there are walls, the energy, and the momentum. */
void
pqtpy_world_describe(const pqt_pin *pin, double *figures)
{
    const pqt_world *world = pqt_pin_get_world(pin);
    const pqt_box bounds = pqt_world_bounds(world);
    const pqt_world_stats stats = pqt_world_get_stats(world);
    pqt_world_options options = PQT_WORLD_DEFAULTS;
    pqt_world_get_options(world, &options);
    memcpy(figures, &bounds, sizeof bounds);
    figures[4] = options.walls;
    figures[5] = stats.energy;
    figures[6] = stats.momentum.x;
    figures[7] = stats.momentum.y;
}
