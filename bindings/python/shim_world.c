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

static const pqt_world *
step(const pqt_world *world, double dt, pqt_step_options options, pqt_step_report *report,
     pqt_error *error)
{
    *report = (pqt_step_report){0};
    options.report = report;
    return pqt_world_step(world, dt, &options, error);
}

static pqt_pin *
pin_step(const pqt_world *world, double dt, pqt_step_options options, pqt_step_report *report,
         pqt_error *error)
{
    RETURN_PINNED(world, step(world, dt, options, report, error));
}

/* Makes the world after a step, and sets the 15 counts and the energy of its report. */
pqt_pin *
pqtpy_world_step(const pqt_pin *pin, double dt, const double *numbers, uint64_t sleep_steps,
                 uint64_t contact_budget, bool events, uint64_t *counts, double *energy,
                 pqt_error *error)
{
    _Static_assert(offsetof(pqt_step_report, separation_energy) == 15 * sizeof(uint64_t),
                   "as in world.py");
    pqt_step_options options = step_options(numbers, sleep_steps);
    options.contact_budget = contact_budget;
    options.events = events;
    const pqt_world *world = pqt_pin_get_world(pin);
    pqt_step_report report;
    pqt_pin *made = pin_step(world, dt, options, &report, error);
    if (made != NULL) {
        memcpy(counts, &report, 15 * sizeof *counts);
        *energy = report.separation_energy;
    }
    return made;
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

pqt_pin *
pqtpy_world_clear(const pqt_pin *pin, pqt_error *error)
{
    RETURN_PINNED(world, pqt_world_clear(pqt_pin_get_world(pin), error));
}

/* Makes the world of the bodies whose boxes a window finds. */
pqt_pin *
pqtpy_world_search(const pqt_pin *pin, const double *window, int relation, pqt_error *error)
{
    pqt_query query;
    if (!query_or_fail(box_of(window), relation, 0, &query, error))
        return NULL;
    RETURN_PINNED(world, pqt_world_search(pqt_pin_get_world(pin), &query, error));
}

static bool
append_body(const pqt_body *body, void *context)
{
    target *to = context;
    return append(to->bytes, body, sizeof *body, to->error);
}

/* Appends the bodies whose boxes a window finds, or all if it is NULL, 112 bytes each. */
bool
pqtpy_world_bodies(const pqt_pin *pin, const double *window, int relation, pqtpy_bytes *bodies,
                   pqt_error *error)
{
    target to = {bodies, error};
    pqt_query query;
    if (window != NULL && !query_or_fail(box_of(window), relation, 0, &query, error))
        return false;
    return pqt_world_visit(pqt_pin_get_world(pin), window == NULL ? NULL : &query, append_body,
                           &to);
}

/* Sets the 112 bytes of the body with an id; returns false if there is none. */
bool
pqtpy_world_find(const pqt_pin *pin, uint64_t id, char *body)
{
    pqt_body found;
    if (!pqt_world_find(pqt_pin_get_world(pin), id, &found))
        return false;
    memcpy(body, &found, sizeof found);
    return true;
}

bool
pqtpy_world_is_asleep(const pqt_pin *pin, uint64_t id)
{
    return pqt_world_is_asleep(pqt_pin_get_world(pin), id);
}

/* Appends at most `most` bodies, nearest first, and their distances. */
bool
pqtpy_world_nearest(const pqt_pin *pin, double x, double y, size_t most, pqtpy_bytes *bodies,
                    pqtpy_bytes *distances, pqt_error *error)
{
    const pqt_world *world = pqt_pin_get_world(pin);
    const size_t count = pqt_world_count(world), room = most < count ? most : count;
    pqt_near_body *found = make_array(room, sizeof *found, error);
    if (found == NULL)
        return false;
    const size_t written = pqt_world_nearest(world, (pqt_vec){x, y}, found, room);
    bool all = true;
    for (size_t i = 0; i < written && all; i++)
        all = append(bodies, &found[i].body, sizeof found[i].body, error) &&
              append(distances, &found[i].distance, sizeof found[i].distance, error);
    free(found);
    return all;
}

/* Sets the lowest id whose body differs between two worlds; returns false if they are equal. */
bool
pqtpy_world_differs(const pqt_pin *pin, const pqt_pin *other, uint64_t *id)
{
    return pqt_world_differs(pqt_pin_get_world(pin), pqt_pin_get_world(other), id);
}

static bool
append_crossing(const pqt_crossing *crossing, void *context)
{
    target *to = context;
    const uint64_t entered = crossing->entered;
    return append(to->bytes, &crossing->body, sizeof crossing->body, to->error) &&
           append(to->bytes, &entered, sizeof entered, to->error);
}

/* Appends the bodies that crossed the edge of a zone, each followed by 1 if it entered it and by 0
   if it left it. The zone is a box, or a region and its position, the first two numbers. */
bool
pqtpy_world_crossings(const pqt_pin *before, const pqt_pin *after, const double *box,
                      const pqt_pin *region, pqtpy_bytes *crossings, pqt_error *error)
{
    target to = {crossings, error};
    pqt_zone zone = {.box = {{0, 0}, {0, 0}}};
    if (region == NULL)
        zone.box = box_of(box);
    else
        zone = (pqt_zone){.region = pqt_pin_get_region(region), .at = {box[0], box[1]}};
    return pqt_world_visit_crossings(pqt_pin_get_world(before), pqt_pin_get_world(after), &zone,
                                     append_crossing, &to, error);
}

/* Appends the events of the step that made a world, 72 bytes each. */
bool
pqtpy_world_events(const pqt_pin *pin, pqtpy_bytes *events, pqt_error *error)
{
    _Static_assert(sizeof(pqt_contact_event) == 72 && offsetof(pqt_contact_event, low) == 16 &&
                       offsetof(pqt_contact_event, impulse) == 32,
                   "as in world.py");
    size_t count;
    const pqt_contact_event *found = pqt_world_events(pqt_pin_get_world(pin), &count);
    return found == NULL || append(events, found, count * sizeof *found, error);
}

/* Pins the region of the obstacle, and sets its position; NULL without an error if there is
   none. */
pqt_pin *
pqtpy_world_obstacle(const pqt_pin *pin, double *at, pqt_error *error)
{
    const pqt_obstacle obstacle = pqt_world_get_obstacle(pqt_pin_get_world(pin));
    if (obstacle.region == NULL)
        return NULL;
    at[0] = obstacle.at.x;
    at[1] = obstacle.at.y;
    return pqt_region_pin(obstacle.region, error);
}

bool
pqtpy_world_is_obstructed(const pqt_pin *pin, double x, double y, double radius)
{
    return pqt_world_is_obstructed(pqt_pin_get_world(pin), (pqt_circle){{x, y}, radius});
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
