/* SPDX-License-Identifier: MIT */
/* flat_worlds.c: the calls for worlds. */
#include "flat.h"

#include <math.h>
#include <stdlib.h>

_Static_assert(sizeof(pqt_body) == 112 && offsetof(pqt_body, position) == 8 &&
                   offsetof(pqt_body, fixed) == 72 && offsetof(pqt_body, kinematic) == 73 &&
                   offsetof(pqt_body, sensor) == 74 && offsetof(pqt_body, own_friction) == 75 &&
                   offsetof(pqt_body, friction) == 76 && offsetof(pqt_body, user_data) == 80 &&
                   offsetof(pqt_body, category) == 88 && offsetof(pqt_body, mask) == 92 &&
                   offsetof(pqt_body, angle) == 96 && offsetof(pqt_body, angular_velocity) == 104,
               "as in world.js and world.py");

/* ---- Construction and edits ---- */

const pqt_world *
flat_world_make(pqt_box bounds, bool walls, int capacity, pqt_memory *memory, pqt_error *error)
{
    pqt_world_options options = PQT_WORLD_DEFAULTS;
    options.walls = walls;
    options.leaf_capacity = capacity;
    options.memory = memory;
    return pqt_world_make(bounds, &options, error);
}

const pqt_world *
flat_world_set_obstacle(const pqt_world *world, const pqt_region *region, pqt_vec at,
                        pqt_error *error)
{
    return pqt_world_set_obstacle(world, (pqt_obstacle){region, at}, error);
}

const pqt_world *
flat_world_remove_obstacle(const pqt_world *world, pqt_memory *memory, pqt_error *error)
{
    const pqt_region *none = pqt_region_make(memory, error);
    return none == NULL ? NULL : flat_world_set_obstacle(world, none, (pqt_vec){0, 0}, error);
}

bool
flat_world_obstacle_at(const pqt_world *world, double *at)
{
    const pqt_obstacle obstacle = pqt_world_get_obstacle(world);
    memcpy(at, &obstacle.at, sizeof obstacle.at);
    return obstacle.region != NULL;
}

const pqt_region *
flat_world_obstacle(const pqt_world *world, pqt_error *error)
{
    (void)error;
    return pqt_world_get_obstacle(world).region;
}

/* ---- Steps ---- */

/* Sets a count from a double; fails with a text unless it is an integer of at least 0. */
static bool
take_count(double number, uint64_t *count, const char *text, pqt_error *error)
{
    const bool is_count = number >= 0 && floor(number) == number && number <= 9007199254740992.0;
    *count = is_count ? (uint64_t)number : 0;
    if (!is_count)
        flat_fail(error, PQT_ERROR_OPTION, 0, text);
    return is_count;
}

bool
flat_step_options(const double *numbers, double *dt, pqt_step_options *options, pqt_error *error)
{
    *options = (pqt_step_options)PQT_STEP_DEFAULTS;
    *dt = numbers[0];
    options->restitution = numbers[1];
    options->gravity = (pqt_vec){numbers[2], numbers[3]};
    options->damping = numbers[4];
    options->rest_speed = numbers[5];
    options->events = numbers[8] != 0;
    options->friction = numbers[9];
    return take_count(numbers[6], &options->contact_budget,
                      "the contact budget must be an integer from 0 to 2^53", error) &&
           take_count(numbers[7], &options->sleep_steps,
                      "the steps before sleep must be an integer from 0 to 2^53", error);
}

const pqt_world *
flat_world_step(const pqt_world *world, const double *numbers, uint64_t *report, pqt_error *error)
{
    _Static_assert(sizeof(pqt_step_report) == FLAT_REPORT_WORDS * sizeof *report &&
                       offsetof(pqt_step_report, separation_energy) == 16 * sizeof *report,
                   "as in world.js and world.py");
    pqt_step_options options;
    pqt_step_report counts = {0};
    double dt;
    if (!flat_step_options(numbers, &dt, &options, error))
        return NULL;
    options.report = &counts;
    const pqt_world *made = pqt_world_step(world, dt, &options, error);
    if (made != NULL)
        memcpy(report, &counts, sizeof counts);
    return made;
}

/* ---- Reading ---- */

void
flat_world_describe(const pqt_world *world, double *found)
{
    const pqt_box bounds = pqt_world_bounds(world);
    const pqt_world_stats stats = pqt_world_get_stats(world);
    pqt_world_options options = PQT_WORLD_DEFAULTS;
    pqt_world_get_options(world, &options);
    const double figures[12] = {bounds.min.x,         bounds.min.y,        bounds.max.x,
                                bounds.max.y,         options.walls,       options.leaf_capacity,
                                (double)stats.bodies, (double)stats.cells, (double)stats.bytes,
                                stats.energy,         stats.momentum.x,    stats.momentum.y};
    memcpy(found, figures, sizeof figures);
}

static bool
append_body(const pqt_body *body, void *out)
{
    return flat_append(body, sizeof *body, out);
}

bool
flat_world_bodies(const pqt_world *world, const pqt_query *query, void *out)
{
    return pqt_world_visit(world, query, append_body, out);
}

bool
flat_world_nearest(const pqt_world *world, pqt_vec point, size_t most, void *out, pqt_error *error)
{
    _Static_assert(sizeof(pqt_near_body) == 120, "as in world.js and world.py");
    const size_t bodies = pqt_world_count(world), room = most < bodies ? most : bodies;
    pqt_near_body *near = calloc(room + 1, sizeof *near);
    if (near == NULL) {
        flat_fail(error, PQT_ERROR_MEMORY, 0, "out of memory (results of a call)");
        return false;
    }
    const size_t count = pqt_world_nearest(world, point, near, room);
    const bool all = flat_append(near, count * sizeof *near, out);
    free(near);
    return all;
}

static bool
append_crossing(const pqt_crossing *crossing, void *out)
{
    const uint64_t entered = crossing->entered;
    return flat_append(&crossing->body, sizeof crossing->body, out) &&
           flat_append(&entered, sizeof entered, out);
}

bool
flat_world_crossings(const pqt_world *before, const pqt_world *after, pqt_box zone, void *out,
                     pqt_error *error)
{
    const pqt_zone in = {.box = zone};
    return pqt_world_visit_crossings(before, after, &in, append_crossing, out, error);
}

bool
flat_world_region_crossings(const pqt_world *before, const pqt_world *after, const pqt_region *zone,
                            pqt_vec at, void *out, pqt_error *error)
{
    const pqt_zone in = {.region = zone, .at = at};
    return pqt_world_visit_crossings(before, after, &in, append_crossing, out, error);
}

bool
flat_world_events(const pqt_world *world, void *out)
{
    _Static_assert(sizeof(pqt_contact_event) == 72 && offsetof(pqt_contact_event, kind) == 8 &&
                       offsetof(pqt_contact_event, low) == 16 &&
                       offsetof(pqt_contact_event, impulse) == 32,
                   "as in world.js and world.py");
    size_t count = 0;
    const pqt_contact_event *events = pqt_world_events(world, &count);
    return count == 0 || flat_append(events, count * sizeof *events, out);
}
