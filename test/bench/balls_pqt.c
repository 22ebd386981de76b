/* SPDX-License-Identifier: MIT */
/* balls_pqt.c: a world of pqt as a contestant. It keeps the worlds of all steps. */
#include "balls.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_KEPT = 1 << 16 };

typedef struct kept_worlds {
    pqt_step_options options;
    pqt_memory *arena;        /* used in a build without the collector */
    pqt_pin *pins[MOST_KEPT]; /* pins of the worlds of all steps so far */
    size_t last, longest;     /* the current step, and the last step that was run */
} kept_worlds;

static void
free_worlds(void *state)
{
    kept_worlds *k = state;
    for (size_t i = 0; i <= k->longest; i++)
        pqt_unpin(&k->pins[i]);
    pqt_arena_destroy(&k->arena);
    free(k);
}

static bool
keep(kept_worlds *k, const pqt_world *world, pqt_error *error)
{
    pqt_pin *pin = pqt_world_pin(world, error);
    if (pin == NULL) {
        fprintf(stderr, "world: %s\n", error->text);
        return false;
    }
    pqt_unpin(&k->pins[k->last]);
    k->pins[k->last] = pin;
    if (k->last > k->longest)
        k->longest = k->last;
    return true;
}

static void *
make_worlds(const flying_ball *balls, size_t count, const ball_setting *setting)
{
    pqt_error error = {0};
    pqt_world_options options = PQT_WORLD_DEFAULTS;
    kept_worlds *k = calloc(1, sizeof *k);
    pqt_body *bodies = calloc(count, sizeof *bodies);
    if (k == NULL || bodies == NULL)
        return NULL;
    k->options = (pqt_step_options)PQT_STEP_DEFAULTS;
    k->options.restitution = setting->restitution;
    k->options.gravity.y = setting->gravity;
    k->options.sleep_steps = setting->sleeps ? k->options.sleep_steps : 0;
    if (pqt_collector() == NULL)
        k->arena = options.memory = pqt_arena_make(0, &error);
    for (size_t i = 0; i < count; i++)
        bodies[i] = (pqt_body){.id = i,
                               .position = balls[i].position,
                               .velocity = balls[i].velocity,
                               .radius = balls[i].radius};
    const pqt_world *world = pqt_world_make((pqt_box){{0, 0}, setting->size}, &options, &error);
    bool good = keep(k, pqt_world_add_all(world, bodies, count, &error), &error);
    free(bodies);
    if (good)
        return k;
    free_worlds(k);
    return NULL;
}

static bool
step_world(void *state)
{
    kept_worlds *k = state;
    pqt_error error = {0};
    const pqt_world *now = pqt_pin_get_world(k->pins[k->last]);
    const pqt_world *next = pqt_world_step(now, BALL_STEP, &k->options, &error);
    return ++k->last < MOST_KEPT && keep(k, next, &error);
}

static bool
look_at(const pqt_body *body, void *context)
{
    ((flying_ball *)context)[body->id] =
        (flying_ball){body->position, body->velocity, body->radius};
    return true;
}

static void
look_at_world(const void *state, flying_ball *balls)
{
    const kept_worlds *k = state;
    pqt_world_visit(pqt_pin_get_world(k->pins[k->last]), NULL, look_at, balls);
}

static void
go_to(void *state, size_t step)
{
    ((kept_worlds *)state)->last = step;
}

static double
own_bytes(const void *state)
{
    const kept_worlds *k = state;
    const pqt_world *now = pqt_pin_get_world(k->pins[k->last]);
    if (k->last == 0)
        return (double)pqt_world_get_stats(now).bytes;
    const pqt_world *before = pqt_pin_get_world(k->pins[k->last - 1]);
    return (double)(pqt_world_get_stats(now).bytes - pqt_world_shared_bytes(before, now));
}

const simulator simulator_pqt = {
    "pqt",         "pqt_world_step, every step kept",
    make_worlds,   step_world,
    look_at_world, go_to,
    own_bytes,     free_worlds,
};
