/* SPDX-License-Identifier: MIT */
/*
 * simulate_scenes.c: defines the scenes of `pqt simulate --scene` as data.
 *
 * The positions are constants, or sums and products of constants, so that a scene is the same on
 * every machine.
 */
#include "config.h"

#include "tool/simulate_scenes.h"

#include <stdlib.h>
#include <string.h>

#include <pqt.h>
#include <pqt/worlds.h>

#include "tool/message.h"
#include "tool/tool_memory.h"

#define EARTH                                                                                      \
    {                                                                                              \
        0, 9.81                                                                                    \
    }

static const simulate_scene scenes[] = {
    {
        /* Large and small balls fall into a bin and settle. */
        .name = "pile",
        .bounds = {{0, 0}, {24, 24}},
        .gravity = EARTH,
        .restitution = 0.3,
        .steps = 1000,
        .parts = {{.balls = 14,
                   .rows = 7,
                   .first = {1.5, 22},
                   .across = {1.6, 0},
                   .down = {0, -2.4},
                   .radius = 0.6,
                   .mass = 1.44},
                  {.balls = 14,
                   .rows = 7,
                   .first = {2.2, 20.8},
                   .across = {1.6, 0},
                   .down = {0, -2.4},
                   .radius = 0.4,
                   .mass = 0.64}},
    },
    {
        /* Fifteen rows form a pyramid. Without friction it flattens; with friction it becomes a
           heap. */
        .name = "pyramid",
        .bounds = {{0, 0}, {40, 20}},
        .gravity = EARTH,
        .restitution = 0,
        .steps = 150,
        .parts = {{.balls = 15,
                   .rows = 15,
                   .fewer = 1,
                   .first = {13, 19.5},
                   .across = {1, 0},
                   .down = {0.5, -0.8661},
                   .radius = 0.5,
                   .mass = 1}},
    },
    {
        /* One ball hits a row of five that touch. The last one flies off at the same speed and
           rebounds from the wall. */
        .name = "cradle",
        .bounds = {{0, 0}, {40, 8}},
        .restitution = 1,
        .steps = 500,
        .parts =
            {{.balls = 1, .rows = 1, .first = {5, 4}, .radius = 1, .mass = 1, .velocity = {10, 0}},
             {.balls = 5, .rows = 1, .first = {16, 4}, .across = {2, 0}, .radius = 1, .mass = 1}},
    },
    {
        /* This is a break shot in billiards on a 9-foot table, without friction. The balls of the
           triangle are 50 um apart, and the cue ball hits it away from its centre line. */
        .name = "billiards",
        .bounds = {{0, 0}, {2.54, 1.27}},
        .restitution = 1,
        .steps = 100,
        .parts = {{.balls = 1,
                   .rows = 1,
                   .first = {0.635, 0.64},
                   .radius = 0.028575,
                   .mass = 0.17,
                   .velocity = {8, 0}},
                  {.balls = 5,
                   .rows = 5,
                   .fewer = 1,
                   .first = {1.905, 0.635},
                   .across = {0.04953665, 0.0286},
                   .down = {0.04953665, -0.0286},
                   .radius = 0.028575,
                   .mass = 0.17}},
    },
    {
        /* A ball pushes another, which is a million times lighter, against the left wall. The two
           balls hit each other, and the lighter ball hits the wall, 3141 times in total. These are
           the first digits of pi. Source: G. Galperin, "Playing pool with pi", 2003. */
        .name = "pi",
        .bounds = {{0, 0}, {60, 10}},
        .restitution = 1,
        .steps = 400,
        .parts = {{.balls = 1, .rows = 1, .first = {8, 5}, .radius = 1, .mass = 1},
                  {.balls = 1,
                   .rows = 1,
                   .first = {20, 5},
                   .radius = 4,
                   .mass = 1e6,
                   .velocity = {-10, 0}}},
    },
};

enum { SCENES = sizeof scenes / sizeof scenes[0] };

const simulate_scene *
simulate_find_scene(const char *name)
{
    for (size_t i = 0; i < SCENES; i++)
        if (strcmp(scenes[i].name, name) == 0)
            return &scenes[i];
    die(NULL, 0, "--scene is not pile, pyramid, cradle, billiards or pi (%s)",
        quote_text(name).text);
}

static const pqt_world *
add_rows(const pqt_world *world, const scene_rows *part, pqt_error *error)
{
    size_t balls = part->balls;
    for (size_t row = 0; row < part->rows; row++, balls -= part->fewer)
        for (size_t i = 0; i < balls; i++) {
            const pqt_vec along = pqt_vec_scale(part->across, (double)i);
            const pqt_vec below = pqt_vec_scale(part->down, (double)row);
            const pqt_body ball = {.id = world != NULL ? pqt_world_count(world) : 0,
                                   .position = pqt_vec_add(part->first, pqt_vec_add(along, below)),
                                   .velocity = part->velocity,
                                   .radius = part->radius,
                                   .mass = part->mass};
            world = pqt_world_add(world, ball, error);
        }
    return world;
}

const pqt_world *
simulate_scene_world(const simulate_scene *scene)
{
    pqt_world_options options = PQT_WORLD_DEFAULTS;
    pqt_error error = {0};
    options.memory = tool_memory();
    const pqt_world *world = pqt_world_make(scene->bounds, &options, &error);
    for (size_t i = 0; i < SCENE_MOST_PARTS; i++)
        world = add_rows(world, &scene->parts[i], &error);
    if (world == NULL)
        die_error(NULL, &error);
    return world;
}
