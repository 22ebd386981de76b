/* SPDX-License-Identifier: MIT */
/* separate.h - moving apart what overlaps when a step begins. */
#ifndef PQTI_SEPARATE_H
#define PQTI_SEPARATE_H

#include <pqt/step.h>

#include "world/broadphase.h"

static inline bool
pqti_can_move(const pqti_ball *ball)
{
    return !ball->still && ball->radius > 0;
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
    double way = push < 0 ? low - from : high - from;
    return push == 0 || way / push >= 1 ? 1 : way / push;
}

static inline double
pqti_clear_of_walls(const pqti_ball *ball, pqt_vec push)
{
    const pqt_box *room = &ball->room;
    return pqti_lesser(pqti_clear_of_wall(ball->position.x, push.x, room->min.x, room->max.x),
                       pqti_clear_of_wall(ball->position.y, push.y, room->min.y, room->max.y));
}

/* The share of a push after which the ball comes to a wall or as near to another as it may, at most
   1. */
double pqti_clear_share(const pqti_broad *broad, const pqti_ball *ball, pqt_vec push);

/* Whether a ball at `place` would be nearer to another than it may come, or nearer still. */
bool pqti_is_too_near(const pqti_broad *broad, const pqti_ball *ball, pqt_vec place);

/*
 * Moves overlapping balls apart, each by at most its radius, before any time has passed; counts
 * them in the report. False with an error told: no memory.
 */
bool pqti_separate(pqti_broad *broad, pqt_step_report *report, pqt_error *error);

/* The second part of it: lets heaps swell that pushes did not part. False with an error told: no
   memory. */
bool pqti_swell(pqti_broad *broad, pqt_error *error);

#endif
