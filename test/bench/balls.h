/* SPDX-License-Identifier: MIT */
/*
 * balls.h: the interface of a contestant of the benchmark of worlds.
 *
 * A contestant receives the same balls before the clock starts and makes steps of the same length,
 * without friction. Its accuracy is measured afterwards.
 */
#ifndef BENCH_BALLS_H
#define BENCH_BALLS_H

#include <stdbool.h>
#include <stddef.h>

#include <pqt.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Seconds of a step. */
#define BALL_STEP 0.01

/* A ball: its area is its mass. World units, and world units per second. */
typedef struct flying_ball {
    pqt_vec position, velocity;
    double radius;
} flying_ball;

typedef struct ball_setting {
    pqt_vec size;   /* the size of a box from 0, 0 with four walls */
    double gravity; /* toward larger y, world units per second squared */
    double restitution;
    bool sleeps; /* bodies at rest may fall asleep */
} ball_setting;

typedef struct simulator {
    const char *name; /* one word, for tables */
    const char *what; /* on one line */
    /* Makes a state with these balls. NULL: it failed. */
    void *(*make)(const flying_ball *balls, size_t count, const ball_setting *setting);
    bool (*step)(void *state); /* false: it failed */
    /* Writes the positions and velocities of the balls, in their given order. */
    void (*look)(const void *state, flying_ball *balls);
    /* Goes to the world after `step` steps, which must have been made. NULL: it keeps no worlds. */
    void (*go)(void *state, size_t step);
    double (*bytes)(const void *state); /* the bytes that the last step keeps; NULL as for `go` */
    void (*free)(void *state);
} simulator;

extern const simulator simulator_pqt;
#if BENCH_WITH_BOX2D
extern const simulator simulator_box2d;
extern const simulator simulator_box2d_discrete;
#endif
#if BENCH_WITH_CHIPMUNK
extern const simulator simulator_chipmunk_tree;
extern const simulator simulator_chipmunk_hash;
#endif

#ifdef __cplusplus
}
#endif

#endif
