/* SPDX-License-Identifier: MIT */
/*
 * balls.h: what the benchmark of worlds asks of each contestant: to let the same balls fly.
 *
 * A contestant gets its balls before the clock runs, and is asked for steps of the same length. All
 * are without friction, gravity and sleep, and give back all of the approach. How exact each is, is
 * asked afterwards.
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

typedef struct simulator {
    const char *name; /* one word, for tables */
    const char *what; /* on one line */
    /* A state for these balls in a box from 0, 0 with four walls. NULL: it failed. */
    void *(*make)(const flying_ball *balls, size_t count, pqt_vec size);
    bool (*step)(void *state); /* false: it failed */
    /* Writes where the balls are and how fast, in the order in which they came. */
    void (*look)(const void *state, flying_ball *balls);
    /* Goes to the world after so many steps, which were made. NULL: keeps nothing to go back to. */
    void (*go)(void *state, size_t step);
    double (*bytes)(const void *state); /* that the last step kept. NULL as well then */
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
