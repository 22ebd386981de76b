/* SPDX-License-Identifier: MIT */
/*
 * balls.h: the interface of the contestants in the world benchmark.
 *
 * All contestants receive the same balls before the clock starts, and take steps of the same length
 * without friction. Their accuracy is measured afterwards.
 */
#ifndef BENCH_BALLS_H
#define BENCH_BALLS_H

#include <stdbool.h>
#include <stddef.h>

#include <pqt/all.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The duration of a step, in seconds. */
#define BALL_STEP 0.01

/* A ball, whose mass is its area. Lengths are in world units, velocities in world units per
 * second. */
typedef struct flying_ball {
    pqt_vec position, velocity;
    double radius;
} flying_ball;

typedef struct ball_setting {
    pqt_vec size;   /* the balls are in a box from (0, 0) to this corner, with four walls */
    double gravity; /* the acceleration toward larger y, in world units per second squared */
    double restitution;
    bool sleeps; /* bodies at rest may fall asleep */
} ball_setting;

typedef struct simulator {
    const char *name; /* a one-word name, for tables */
    const char *what; /* a one-line description */
    /* Makes a state with these balls. Returns NULL on failure. */
    void *(*make)(const flying_ball *balls, size_t count, const ball_setting *setting);
    bool (*step)(void *state); /* returns false on failure */
    /* Writes the positions and velocities of the balls, in the order in which `make` received
       them. */
    void (*look)(const void *state, flying_ball *balls);
    /* Goes back to the world after `step` steps, which must already have been run. NULL if the
       contestant keeps no old worlds. */
    void (*go)(void *state, size_t step);
    /* Returns the number of bytes that the last step keeps. NULL if `go` is. */
    double (*bytes)(const void *state);
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
