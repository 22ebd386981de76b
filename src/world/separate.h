/* SPDX-License-Identifier: MIT */
/* separate.h - moving apart what overlaps when a step begins. */
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
pqti_from_to(pqt_vec a, pqt_vec b)
{
    return (pqt_vec){b.x - a.x, b.y - a.y};
}

/* The share of a push on one axis after which a ball comes to its wall, at most 1. */
static inline double
pqti_clear_of_wall(double from, double push, double low, double high)
{
    double motion = push < 0 ? low - from : high - from;
    return push == 0 || motion / push >= 1 ? 1 : motion / push;
}

static inline double
pqti_clear_of_walls(const pqti_ball *ball, pqt_vec push)
{
    const pqt_box *center_bounds = &ball->center_bounds;
    return pqti_fmin(
        pqti_clear_of_wall(ball->position.x, push.x, center_bounds->min.x, center_bounds->max.x),
        pqti_clear_of_wall(ball->position.y, push.y, center_bounds->min.y, center_bounds->max.y));
}

/* The share of a push after which the ball comes to a wall or as near to another as it may, at most
   1. */
double pqti_clear_share(const pqti_broad_phase *broad_phase, const pqti_ball *ball, pqt_vec push);

/* Whether a ball at `position` would be nearer to another than it may come, or nearer still. */
bool pqti_is_too_near(const pqti_broad_phase *broad_phase, const pqti_ball *ball, pqt_vec position);

/*
 * Moves overlapping balls apart, each by at most its radius, before any time has passed; counts
 * them in the report. False with an error told: no memory.
 */
bool pqti_separate(pqti_broad_phase *broad_phase, pqt_step_report *report, pqt_error *error);

/* The second part of it: lets heaps swell that pushes did not part. False with an error told: no
   memory. */
bool pqti_separate_islands(pqti_broad_phase *broad_phase, pqt_error *error);

#endif
