/* SPDX-License-Identifier: MIT */
/*
 * print_worlds.c: results of steps of worlds.
 */
#include "results.h"

#include <inttypes.h>
#include <math.h>

#include <pqt/pixels.h>
#include <pqt/worlds.h>

enum { BODIES = 600, WORLD_STEPS = 60, CROWD = 300, PILE_STEPS = 200 };

/* Prints a world after some steps. Bodies overlap, fly fast, and fall, some of them among
 * pixels. */
static void
print_world(printer *p, bool among_pixels)
{
    pqt_world_options options = PQT_WORLD_DEFAULTS;
    pqt_step_options how = PQT_STEP_DEFAULTS;
    pqt_error error = {0};
    options.memory = p->memory;
    how.gravity.y = 10;
    how.damping = 0.01;
    const pqt_world *world = pqt_world_make((pqt_box){{0, 0}, {1000, 1000}}, &options, &error);
    for (uint64_t id = 0; id < BODIES; id++) {
        pqt_body body = {.id = id, .radius = draw(p, 2, 9)};
        body.position = (pqt_vec){draw(p, 10, 990), draw(p, 10, 990)};
        body.velocity = (pqt_vec){draw(p, -180, 180), draw(p, -9000, 9000)};
        world = pqt_world_add(world, body, &error);
    }
    if (among_pixels) {
        const pqt_region *region = draw_obstacle(p, 40, 1000, &error);
        world = pqt_world_set_obstacle(world, (pqt_obstacle){region, {0.3, -0.7}}, &error);
    }
    fprintf(p->out, "%s\n", among_pixels ? "among pixels" : "free");
    for (int i = 0; i < WORLD_STEPS; i++) {
        how.restitution = i < WORLD_STEPS / 2 ? 1 : 0.7;
        world = pqt_world_step(world, 0.01, &how, &error);
        must(world != NULL && pqt_world_check(world, &error), "world", &error);
        pqt_fingerprint fingerprint = pqt_world_fingerprint(world);
        fprintf(p->out, "step %-3d %016" PRIx64 "%016" PRIx64 "\n", i + 1, fingerprint.high,
                fingerprint.low);
    }
    byte_hash sum = NO_BYTES;
    print_bytes(p, pqt_world_write(world, hash_bytes, &sum, &error), &sum, &error);
    print_tree(p, "tree", pqt_world_tree(world), &error);
}

/* Prints a world of touching bodies, in clusters of all sizes, while other bodies hit them. */
static void
print_crowd(printer *p)
{
    pqt_world_options options = PQT_WORLD_DEFAULTS;
    pqt_step_options how = PQT_STEP_DEFAULTS;
    pqt_error error = {0};
    options.memory = p->memory;
    options.walls = false;
    how.restitution = 0.25;
    const pqt_world *world = pqt_world_make((pqt_box){{0, 0}, {1000, 1000}}, &options, &error);
    for (uint64_t id = 0; id < CROWD; id++) {
        pqt_body body = {.id = id * 7919, .radius = 1, .mass = draw(p, 1, 100)};
        body.position = (pqt_vec){500 + 2 * (double)(id % 20), 500 + 2 * (double)(id / 20)};
        if (id % 20 == 0)
            body.velocity = (pqt_vec){draw(p, 1, 90), draw(p, -9, 9)};
        world = pqt_world_add(world, body, &error);
    }
    fprintf(p->out, "crowd\n");
    for (int i = 0; i < WORLD_STEPS; i++) {
        world = pqt_world_step(world, 0.01, &how, &error);
        pqt_fingerprint fingerprint = pqt_world_fingerprint(world);
        fprintf(p->out, "step %-3d %016" PRIx64 "%016" PRIx64 "\n", i + 1, fingerprint.high,
                fingerprint.low);
    }
}

/* Prints a world of balls that fall on each other and settle. With friction, some of them
 * turn at first. */
static void
print_pile(printer *p, double friction)
{
    pqt_world_options options = PQT_WORLD_DEFAULTS;
    pqt_step_options how = PQT_STEP_DEFAULTS;
    pqt_error error = {0};
    options.memory = p->memory;
    how.restitution = 0.5;
    how.gravity.y = 10;
    how.friction = friction;
    const pqt_world *world = pqt_world_make((pqt_box){{0, -100}, {12, 0}}, &options, &error);
    for (uint64_t id = 0; id < CROWD; id++) {
        pqt_body body = {.id = id * 7919, .radius = draw(p, 1, 4) / 8};
        body.position = (pqt_vec){0.6 + 1.15 * (double)(id % 10), -0.6 - 1.2 * (double)(id / 10)};
        if (friction > 0 && id % 4 == 0)
            body.angular_velocity = draw(p, -20, 20);
        world = pqt_world_add(world, body, &error);
    }
    fprintf(p->out, "%s\n", friction > 0 ? "pile with friction" : "pile");
    for (int i = 0; i < PILE_STEPS; i++) {
        world = pqt_world_step(world, 1 / 60.0, &how, &error);
        pqt_fingerprint fingerprint = pqt_world_fingerprint(world);
        if (i % 20 == 19)
            fprintf(p->out, "step %-3d %016" PRIx64 "%016" PRIx64 "\n", i + 1, fingerprint.high,
                    fingerprint.low);
    }
}

void
print_worlds(printer *p)
{
    print_world(p, false);
    print_world(p, true);
    print_crowd(p);
    print_pile(p, 0);
    print_pile(p, 0.4);
}

/* ---- Scenes: bodies, options and edits that are all drawn ---- */

enum { SCENES = 100, SCENE_STEPS = 24, SCENE_BODIES = 60, SCENE_SIDE = 64 };

static double
pick(printer *p, const double *choices, size_t count)
{
    return choices[dice_below(&p->source, count)];
}

/* The size of a scene and what its bodies are like. */
typedef struct scene {
    double unit;    /* world units that count as one here */
    bool has_walls; /* the bounds are walls */
    bool is_dense;  /* many bodies touch at the start */
    size_t kinds;   /* one body in `kinds` is fixed, kinematic, a sensor or the like */
} scene;

static pqt_body
draw_body(printer *p, const scene *s, uint64_t id)
{
    static const double speeds[] = {0, 1, 20, 500}, masses[] = {0, 1e-3, 1, 1e4};
    dice *d = &p->source;
    pqt_body body = {.id = id * 7919, .radius = s->unit * draw(p, 0.3, 1.5)};
    const double u = s->unit, side = SCENE_SIDE - 4, speed = u * pick(p, speeds, 4);
    body.position.x = s->is_dense ? u * (2 + (double)(id % 9) * 2.2) : u * draw(p, 2, 2 + side);
    body.position.y = s->is_dense ? u * (2 + (double)(id / 9) * 1.9) : u * draw(p, 2, 2 + side);
    body.velocity.x = draw(p, -speed, speed);
    body.velocity.y = draw(p, -speed, speed);
    body.mass = u * u * pick(p, masses, 4);
    if (dice_chance(d, 30))
        body.angular_velocity = draw(p, -20, 20);
    if (dice_chance(d, 10))
        body.acceleration = (pqt_vec){u * draw(p, -30, 30), u * draw(p, -30, 30)};
    if (dice_below(d, s->kinds) == 0) {
        switch (dice_below(d, 6)) {
        case 0:
            body.fixed = true;
            break;
        case 1:
            body.kinematic = true;
            break;
        case 2:
            body.sensor = true;
            break;
        case 3:
            body.own_friction = true;
            body.friction = (float)draw(p, 0, 2);
            break;
        case 4:
            body.category = 1u << dice_below(d, 3);
            body.mask = (uint32_t)dice_below(d, 8);
            break;
        default:
            body.radius = 0;
            body.mass = u * u;
        }
    }
    if (body.fixed) {
        body.velocity = body.acceleration = (pqt_vec){0, 0};
        body.angular_velocity = 0;
    }
    if (body.kinematic)
        body.acceleration = (pqt_vec){0, 0};
    return body;
}

/* Removes, replaces and adds a few bodies. */
static const pqt_world *
edit_scene(printer *p, const scene *s, const pqt_world *world, pqt_error *error)
{
    for (int i = 0; i < 4; i++) {
        const pqt_body body = draw_body(p, s, dice_below(&p->source, SCENE_BODIES));
        pqt_body old;
        if (!pqt_world_find(world, body.id, &old))
            world = pqt_world_add(world, body, error);
        else if (i == 0)
            world = pqt_world_remove(world, body.id, error);
        else
            world = pqt_world_change(world, body, error);
        must(world != NULL, "edit of a world", error);
    }
    return world;
}

static void
hash_events(const pqt_world *world, byte_hash *sum)
{
    size_t count;
    const pqt_contact_event *events = pqt_world_events(world, &count);
    for (size_t i = 0; i < count; i++) {
        hash_integer((uint64_t)events[i].kind * 8 + (uint64_t)events[i].side, sum);
        hash_integer(events[i].low ^ events[i].high << 32, sum);
        hash_number(events[i].time, sum);
        hash_number(events[i].impulse, sum);
        hash_vec(events[i].point, sum);
        hash_vec(events[i].normal, sum);
    }
}

/* The counts that follow from the bodies alone, whichever of them a step loads. */
static void
hash_report(const pqt_step_report *r, byte_hash *sum)
{
    const uint64_t counts[] = {r->contacts,  r->bounces, r->obstacle_hits, r->overlaps,
                               r->separated, r->resting, r->plastic,       r->delayed,
                               r->embedded,  r->asleep,  r->woken};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        hash_integer(counts[i], sum);
    hash_number(r->separation_energy, sum);
}

static bool
hash_shot(const pqt_shot_hit *hit, void *context)
{
    hash_integer(hit->body.id, context);
    hash_number(hit->sweep.time, context);
    hash_vec(hit->sweep.normal, context);
    return true;
}

/* The bodies near a point, and those that shots meet between two versions. */
static void
hash_queries(printer *p, const scene *s, const pqt_world *before, const pqt_world *after,
             byte_hash *sum)
{
    enum { NEAREST = 5 };
    pqt_error error = {0};
    pqt_near_body near[NEAREST];
    const double side = s->unit * SCENE_SIDE;
    const pqt_vec from = {draw(p, 0, side), draw(p, 0, side)};
    const pqt_vec to = {draw(p, 0, side), draw(p, 0, side)};
    const size_t count = pqt_world_nearest(after, from, near, NEAREST);
    for (size_t i = 0; i < count; i++) {
        hash_integer(near[i].body.id, sum);
        hash_number(near[i].distance, sum);
    }
    const pqt_moment moment = {before, after, draw(p, 0, 1)};
    const pqt_shot shot = pqt_shot_of(pqt_mover_circle(s->unit * draw(p, 0, 1), from, to));
    must(pqt_moment_visit_hits(&moment, &shot, hash_shot, sum, &error), "shot", &error);
}

static void
print_scene(printer *p, int number)
{
    static const double restitutions[] = {0, 0.3, 0.8, 1}, frictions[] = {0, 0.1, 0.6, 3};
    static const double gravities[] = {0, 10, 10, 400}, budgets[] = {0, 0, 0, 40, 400};
    static const double rests[] = {0, 0.5, 20}, quiet[] = {0, 3, 12};
    dice *d = &p->source;
    pqt_world_options options = PQT_WORLD_DEFAULTS;
    pqt_step_options how = PQT_STEP_DEFAULTS;
    pqt_error error = {0};
    const scene s = {.unit = ldexp(1, (int)dice_below(d, 5) * 20 - 40),
                     .has_walls = dice_chance(d, 75),
                     .is_dense = dice_chance(d, 50),
                     .kinds = 1 + dice_below(d, 12)};
    options.memory = p->memory;
    options.walls = s.has_walls;
    how.restitution = pick(p, restitutions, 4);
    how.friction = pick(p, frictions, 4);
    how.gravity.y = s.unit * pick(p, gravities, 4);
    how.damping = dice_chance(d, 30) ? 0.5 : 0;
    how.contact_budget = (uint64_t)pick(p, budgets, 5);
    how.rest_speed = s.unit * pick(p, rests, 3);
    how.sleep_steps = (uint64_t)pick(p, quiet, 3);
    how.events = dice_chance(d, 70);
    const double side = s.unit * SCENE_SIDE;
    const pqt_world *world = pqt_world_make((pqt_box){{0, 0}, {side, side}}, &options, &error);
    if (s.unit == 1 && dice_chance(d, 60)) {
        const pqt_region *region = draw_obstacle(p, 6, SCENE_SIDE, &error);
        world = pqt_world_set_obstacle(world, (pqt_obstacle){region, {0.5, 0.25}}, &error);
    }
    for (uint64_t id = 0; id < SCENE_BODIES; id++)
        world = pqt_world_add(world, draw_body(p, &s, id), &error);
    must(world != NULL, "world of a scene", &error);
    byte_hash sum = NO_BYTES;
    for (int i = 1; i <= SCENE_STEPS; i++) {
        const pqt_world *before = world;
        pqt_step_report report = {0};
        how.report = &report;
        world = pqt_world_step(world, 1 / 60.0, &how, &error);
        must(world != NULL, "step of a scene", &error);
        hash_report(&report, &sum);
        hash_events(world, &sum);
        hash_queries(p, &s, before, world, &sum);
        if (i % 8 == 0) {
            const pqt_fingerprint fingerprint = pqt_world_fingerprint(world);
            hash_integer(fingerprint.high, &sum);
            hash_integer(fingerprint.low, &sum);
            world = edit_scene(p, &s, world, &error);
        }
    }
    char what[32];
    snprintf(what, sizeof what, "scene %d", number);
    print_hash(p, what, &sum);
}

void
print_scenes(printer *p)
{
    for (int i = 1; i <= SCENES; i++)
        print_scene(p, i);
}
