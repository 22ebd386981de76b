/* SPDX-License-Identifier: MIT */
/* shim_world.c: the functions for worlds and recordings that lib/world.js calls. */
#include "shim.h"

#include <math.h>

_Static_assert(sizeof(pqt_body) == 112 && offsetof(pqt_body, position) == 8 &&
                   offsetof(pqt_body, fixed) == 72 && offsetof(pqt_body, kinematic) == 73 &&
                   offsetof(pqt_body, sensor) == 74 && offsetof(pqt_body, own_friction) == 75 &&
                   offsetof(pqt_body, friction) == 76 && offsetof(pqt_body, user_data) == 80 &&
                   offsetof(pqt_body, category) == 88 && offsetof(pqt_body, mask) == 92 &&
                   offsetof(pqt_body, angle) == 96 && offsetof(pqt_body, angular_velocity) == 104,
               "as in lib/world.js");

const pqt_world *
world_of(const pqt_pin *pin)
{
    return held_version(pin, PQT_KIND_WORLD);
}

/* ---- Construction and edits ---- */

pqt_pin *
EXPORT(pqtjs_world_make)(double min_x, double min_y, double max_x, double max_y, int walls,
                         int capacity)
{
    pqt_world_options options = PQT_WORLD_DEFAULTS;
    options.walls = walls != 0;
    options.leaf_capacity = capacity;
    options.memory = memory_of_versions();
    const pqt_box bounds = {{min_x, min_y}, {max_x, max_y}};
    RETURN_PINNED(world, pqt_world_make(bounds, &options, &failure));
}

/* The edits, with the same numbers as in lib/world.js. */
enum { ADD, CHANGE, REMOVE, CLEAR };

/* Edits a world. The buffer holds `count` bodies, or ids of bodies to be removed. */
static const pqt_world *
edit(const pqt_world *world, int kind, size_t count)
{
    const pqt_body *bodies = (const pqt_body *)buffer;
    switch (kind) {
    case ADD:
        return pqt_world_add_all(world, bodies, count, &failure);
    case CHANGE:
        return pqt_world_change_all(world, bodies, count, &failure);
    case REMOVE:
        return pqt_world_remove_all(world, (const uint64_t *)buffer, count, &failure);
    default:
        return pqt_world_clear(world, &failure);
    }
}

pqt_pin *
EXPORT(pqtjs_world_edit)(pqt_pin *pin, int kind, size_t count)
{
    const pqt_world *world = world_of(pin);
    if (world == NULL)
        return NULL;
    RETURN_PINNED(world, edit(world, kind, count));
}

/* Sets the obstacle, or removes it if `region` is NULL. */
static const pqt_world *
set_obstacle(const pqt_world *world, const pqt_region *region, double x, double y)
{
    if (region == NULL)
        region = pqt_region_make(memory_of_versions(), &failure);
    return pqt_world_set_obstacle(world, (pqt_obstacle){region, {x, y}}, &failure);
}

pqt_pin *
EXPORT(pqtjs_world_set_obstacle)(pqt_pin *pin, int has_region, pqt_pin *of_region, double x,
                                 double y)
{
    const pqt_world *world = world_of(pin);
    const pqt_region *region = has_region ? region_of(of_region) : NULL;
    if (world == NULL || (has_region && region == NULL))
        return NULL;
    RETURN_PINNED(world, set_obstacle(world, region, x, y));
}

/* Returns a pin on the obstacle; NULL on failure, and if the world has none. Writes to the buffer 1
   and the position of the obstacle; or 0 if the world has none. */
pqt_pin *
EXPORT(pqtjs_world_obstacle)(pqt_pin *pin)
{
    const pqt_world *world = world_of(pin);
    if (world == NULL)
        return NULL;
    const pqt_obstacle obstacle = pqt_world_get_obstacle(world);
    const double figures[3] = {obstacle.region != NULL, obstacle.at.x, obstacle.at.y};
    memcpy(buffer, figures, sizeof figures);
    if (obstacle.region == NULL)
        return NULL;
    return keep(pqt_region_pin(obstacle.region, &failure));
}

/* ---- Steps ---- */

/* Returns true if a number is an integer of at least 0. Fails otherwise. */
static bool
is_number_of_steps(double figure, const char *text)
{
    if (figure >= 0 && floor(figure) == figure && figure <= 9e15)
        return true;
    fail(PQT_ERROR_OPTION, text);
    return false;
}

/* Reads the options of a step from the buffer, ten doubles: the duration, restitution, gravity
   (two), damping, rest speed, budget, steps before sleep, whether events are listed, and friction.
 */
static bool
take_options(double *dt, pqt_step_options *options)
{
    double figures[10];
    memcpy(figures, buffer, sizeof figures);
    *options = (pqt_step_options)PQT_STEP_DEFAULTS;
    *dt = figures[0];
    options->restitution = figures[1];
    options->gravity = (pqt_vec){figures[2], figures[3]};
    options->damping = figures[4];
    options->rest_speed = figures[5];
    if (!is_number_of_steps(figures[6], "contactBudget must be an integer of at least 0") ||
        !is_number_of_steps(figures[7], "sleepSteps must be an integer of at least 0"))
        return false;
    options->contact_budget = (uint64_t)figures[6];
    options->sleep_steps = (uint64_t)figures[7];
    options->events = figures[8] != 0;
    options->friction = figures[9];
    return true;
}

/* The number of counts in a report; their names are in lib/world.js. The energy follows them. */
#define REPORT_COUNTS (offsetof(pqt_step_report, separation_energy) / sizeof(uint64_t))

static void
write_report(const pqt_step_report *report)
{
    _Static_assert(REPORT_COUNTS == 15 && sizeof *report == 16 * sizeof(uint64_t),
                   "as in lib/world.js");
    memcpy(buffer, report, sizeof *report);
}

/* Steps a world with the options in the buffer, and writes the report to the buffer: 64-bit counts,
   and the energy. */
pqt_pin *
EXPORT(pqtjs_world_step)(pqt_pin *pin)
{
    const pqt_world *world = world_of(pin);
    pqt_step_options options;
    pqt_step_report report = {0};
    double dt;
    if (world == NULL || !take_options(&dt, &options))
        return NULL;
    options.report = &report;
    const pqt_world *made = pqt_world_step(world, dt, &options, &failure);
    if (made == NULL && try_again()) {
        report = (pqt_step_report){0};
        made = pqt_world_step(world, dt, &options, &failure);
    }
    write_report(&report);
    return keep(pqt_world_pin(made, &failure));
}

/* ---- Reading ---- */

_Static_assert(sizeof(pqt_contact_event) == 72 && offsetof(pqt_contact_event, kind) == 8 &&
                   offsetof(pqt_contact_event, low) == 16 &&
                   offsetof(pqt_contact_event, impulse) == 32,
               "as in lib/world.js");

/* Fills the buffer with the events of a world, and returns their number; -1 on failure. */
int32_t
EXPORT(pqtjs_world_events)(pqt_pin *pin)
{
    const pqt_world *world = world_of(pin);
    size_t count = 0;
    if (world == NULL)
        return -1;
    const pqt_contact_event *events = pqt_world_events(world, &count);
    if (!extend(count * sizeof *events))
        return -1;
    if (count > 0)
        memcpy(buffer, events, count * sizeof *events);
    return (int32_t)count;
}

/* Appends a body, and a 64-bit word that is 1 if the body entered. */
static bool
append_crossing(const pqt_crossing *crossing, void *context)
{
    (void)context;
    return append(&crossing->body, sizeof crossing->body) && append_word(crossing->entered);
}

/* Fills the buffer with the crossings of a zone. Returns the number of bytes written; -1 on
   failure. The zone is a region with its pixel 0, 0 at min_x, min_y, or a box. */
int32_t
EXPORT(pqtjs_world_crossings)(pqt_pin *before, pqt_pin *after, int has_region, pqt_pin *of_region,
                              double min_x, double min_y, double max_x, double max_y)
{
    const pqt_world *first = world_of(before), *second = world_of(after);
    pqt_zone zone = {.box = {{min_x, min_y}, {max_x, max_y}}, .at = {min_x, min_y}};
    if (has_region)
        zone.region = region_of(of_region);
    if (first == NULL || second == NULL || (has_region && zone.region == NULL))
        return -1;
    begin_append();
    if (!pqt_world_visit_crossings(first, second, &zone, append_crossing, NULL, &failure))
        return -1;
    return appended();
}

int32_t
EXPORT(pqtjs_world_count)(pqt_pin *pin)
{
    const pqt_world *world = world_of(pin);
    return world == NULL ? -1 : (int32_t)pqt_world_count(world);
}

/* Writes the bounds, whether they are walls, and the capacity to the buffer, as six doubles. */
int32_t
EXPORT(pqtjs_world_describe)(pqt_pin *pin)
{
    const pqt_world *world = world_of(pin);
    if (world == NULL)
        return 0;
    const pqt_box bounds = pqt_world_bounds(world);
    pqt_world_options options = PQT_WORLD_DEFAULTS;
    pqt_world_get_options(world, &options);
    const double figures[6] = {bounds.min.x, bounds.min.y,  bounds.max.x,
                               bounds.max.y, options.walls, options.leaf_capacity};
    memcpy(buffer, figures, sizeof figures);
    return 1;
}

/* Writes the bodies, cells, bytes, energy and momentum to the buffer, as six doubles. */
int32_t
EXPORT(pqtjs_world_stats)(pqt_pin *pin)
{
    const pqt_world *world = world_of(pin);
    if (world == NULL)
        return 0;
    const pqt_world_stats stats = pqt_world_get_stats(world);
    const double figures[6] = {(double)stats.bodies, (double)stats.cells, (double)stats.bytes,
                               stats.energy,         stats.momentum.x,    stats.momentum.y};
    memcpy(buffer, figures, sizeof figures);
    return 1;
}

/* Fills the buffer with the bodies whose boxes touch a window, and returns their number; -1 on
   failure. */
int32_t
EXPORT(pqtjs_world_bodies)(pqt_pin *pin, double min_x, double min_y, double max_x, double max_y)
{
    const pqt_world *world = world_of(pin);
    pqt_query query;
    if (world == NULL || !query_from(min_x, min_y, max_x, max_y, PQT_TOUCHES, &query))
        return -1;
    const size_t room = buffer_size / sizeof(pqt_body);
    size_t count = pqt_world_collect(world, &query, (pqt_body *)buffer, room);
    if (count > room) {
        if (!extend(count * sizeof(pqt_body)))
            return -1;
        count = pqt_world_collect(world, &query, (pqt_body *)buffer, count);
    }
    return (int32_t)count;
}

/* Replaces an id in the buffer with its body. Returns whether there is one; -1 on failure. */
int32_t
EXPORT(pqtjs_world_find)(pqt_pin *pin)
{
    const pqt_world *world = world_of(pin);
    if (world == NULL)
        return -1;
    uint64_t id;
    memcpy(&id, buffer, sizeof id);
    pqt_body body;
    if (!pqt_world_find(world, id, &body))
        return 0;
    memcpy(buffer, &body, sizeof body);
    return 1;
}

/* Returns 1 if the body whose id is in the buffer is asleep, 0 if not, -1 on failure. */
int32_t
EXPORT(pqtjs_world_is_asleep)(pqt_pin *pin)
{
    const pqt_world *world = world_of(pin);
    if (world == NULL)
        return -1;
    uint64_t id;
    memcpy(&id, buffer, sizeof id);
    return pqt_world_is_asleep(world, id);
}

/* Fills the buffer with the bodies nearest to a finite point, 120 bytes each, ending with the
   distance. Returns their number, or -1 on failure. */
int32_t
EXPORT(pqtjs_world_nearest)(pqt_pin *pin, double x, double y, double most)
{
    _Static_assert(sizeof(pqt_near_body) == 120, "as in lib/world.js");
    const pqt_world *world = world_of(pin);
    if (world == NULL)
        return -1;
    const size_t bodies = pqt_world_count(world);
    const size_t count = most < (double)bodies ? (size_t)most : bodies;
    if (!extend(count * sizeof(pqt_near_body)))
        return -1;
    return (int32_t)pqt_world_nearest(world, (pqt_vec){x, y}, (pqt_near_body *)buffer, count);
}

/* Returns a pin on the tree of the boxes of the bodies. */
pqt_pin *
EXPORT(pqtjs_world_tree)(pqt_pin *pin)
{
    const pqt_world *world = world_of(pin);
    if (world == NULL)
        return NULL;
    RETURN_PINNED(tree, pqt_world_tree(world));
}

/* Writes the lowest id that differs to the buffer, and returns whether there is one; -1 on
   failure. */
int32_t
EXPORT(pqtjs_world_differs)(pqt_pin *pin, pqt_pin *other)
{
    const pqt_world *a = world_of(pin), *b = world_of(other);
    if (a == NULL || b == NULL)
        return -1;
    uint64_t id = 0;
    const bool differ = pqt_world_differs(a, b, &id);
    memcpy(buffer, &id, sizeof id);
    return differ;
}

VERSION_FUNCTIONS(world)

/* ---- Recordings ---- */

static bool
is_recording(const pqt_recording *recording)
{
    if (recording == NULL)
        fail(PQT_ERROR_MISMATCH, "the recording was freed");
    return recording != NULL;
}

static bool
is_step(const pqt_recording *recording, double step)
{
    if (!is_recording(recording))
        return false;
    if (step >= 0 && floor(step) == step && step <= (double)pqt_recording_last(recording))
        return true;
    fail(PQT_ERROR_OPTION, "the recording has no step with this number");
    return false;
}

/* Begins a recording. The buffer holds the options of the steps. */
pqt_recording *
EXPORT(pqtjs_recording_make)(pqt_pin *pin, double every)
{
    const pqt_world *world = world_of(pin);
    pqt_step_options options;
    double dt;
    if (world == NULL || !take_options(&dt, &options))
        return NULL;
    const size_t distance = every >= 1 && every <= (double)INT32_MAX ? (size_t)every : 0;
    pqt_recording *made = pqt_recording_make(world, dt, &options, distance, &failure);
    if (made == NULL && try_again())
        made = pqt_recording_make(world, dt, &options, distance, &failure);
    return made;
}

void
EXPORT(pqtjs_recording_destroy)(pqt_recording *recording)
{
    pqt_recording_destroy(&recording);
}

/* Makes the next step. Returns a pin on the world after it, and writes the report to the buffer. */
pqt_pin *
EXPORT(pqtjs_recording_step)(pqt_recording *recording)
{
    if (!is_recording(recording))
        return NULL;
    pqt_step_report report = {0};
    const pqt_world *made = pqt_recording_step(recording, &report, &failure);
    if (made == NULL && try_again()) {
        report = (pqt_step_report){0};
        made = pqt_recording_step(recording, &report, &failure);
    }
    write_report(&report);
    return keep(pqt_world_pin(made, &failure));
}

/* Returns the number of the last step, or the number of stored worlds; -1 on failure. */
double
EXPORT(pqtjs_recording_count)(pqt_recording *recording, int kept)
{
    if (!is_recording(recording))
        return -1;
    return (double)(kept ? pqt_recording_kept(recording) : pqt_recording_last(recording));
}

pqt_pin *
EXPORT(pqtjs_recording_at)(pqt_recording *recording, double step)
{
    if (!is_step(recording, step))
        return NULL;
    RETURN_PINNED(world, pqt_recording_at(recording, (size_t)step, &failure));
}

/* Writes the fingerprint of a step to the buffer. */
int32_t
EXPORT(pqtjs_recording_fingerprint)(pqt_recording *recording, double step)
{
    if (!is_step(recording, step))
        return 0;
    const pqt_fingerprint fingerprint = pqt_recording_fingerprint(recording, (size_t)step);
    memcpy(buffer, &fingerprint, sizeof fingerprint);
    return 1;
}

/* Returns 1 if all steps give the same worlds when they are repeated; -1 if not, and on failure. */
int32_t
EXPORT(pqtjs_recording_verify)(pqt_recording *recording)
{
    if (!is_recording(recording))
        return -1;
    const bool same = pqt_recording_verify(recording, NULL, &failure);
    keep(NULL);
    return same ? 1 : -1;
}
