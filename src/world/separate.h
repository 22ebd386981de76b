/* SPDX-License-Identifier: MIT */
/* separate.h: separates balls that overlap when a step begins. */
#ifndef PQTI_SEPARATE_H
#define PQTI_SEPARATE_H

#include <pqt/step.h>

#include "world/broadphase.h"

static inline bool
pqti_can_move(const pqti_ball *ball)
{
    return !ball->is_static && ball->radius > 0;
}

static inline pqt_vec
pqti_vec_between(pqt_vec a, pqt_vec b)
{
    return (pqt_vec){b.x - a.x, b.y - a.y};
}

/* Returns the fraction of a push on one axis after which a ball reaches its wall, at most 1. */
static inline double
pqti_clear_of_wall(double from, double push, double low, double high)
{
    double motion = push < 0 ? low - from : high - from;
    return push == 0 || motion / push >= 1 ? 1 : motion / push;
}

static inline double
pqti_clear_of_walls(const pqti_ball *ball, pqt_vec push)
{
    const pqt_box *centre_bounds = &ball->centre_bounds;
    return pqti_fmin(
        pqti_clear_of_wall(ball->position.x, push.x, centre_bounds->min.x, centre_bounds->max.x),
        pqti_clear_of_wall(ball->position.y, push.y, centre_bounds->min.y, centre_bounds->max.y));
}

/* Returns the fraction of a push after which a ball reaches a wall or its least distance from
 * another ball, at most 1. */
double pqti_clear_fraction(const pqti_broad_phase *broad_phase, const pqti_ball *ball,
                           pqt_vec push);

/* Returns true if a ball at `position` would be nearer to another ball than their least distance,
 * and nearer than it is now. */
bool pqti_is_too_near(const pqti_broad_phase *broad_phase, const pqti_ball *ball, pqt_vec position);

/* Separates overlapping balls before the motion begins. Each ball moves by at most its radius.
 * Counts the balls in the report. Returns false with an error set when out of memory, or without
 * one if balls overlap and bodies are lacking, which may belong to an island. */
bool pqti_separate(pqti_broad_phase *broad_phase, pqt_step_report *report, pqt_error *error);

#endif
