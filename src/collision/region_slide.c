/* SPDX-License-Identifier: MIT */
/* region_slide.c - a region or a box that goes on along what blocks it. */
#include "config.h"

#include <pqt/region_sweep.h>

#include "base/error.h"

/* What slides: a region, or a box if that is NULL. */
typedef struct slider {
    pqt_moving_region region;
    pqt_mover box;
    pqt_moving_region other;
    const pqt_region_sweep_options *options;
} slider;

static pqt_region_sweep
sweep_to(slider *s, pqt_vec from, pqt_vec to)
{
    s->region.from = s->box.from = from;
    s->region.to = s->box.to = to;
    return s->region.region != NULL ? pqt_region_sweep_region(s->region, s->other, s->options)
                                    : pqt_region_sweep_box(s->box, s->other, s->options);
}

static double
size_of(double movement)
{
    return movement < 0 ? -movement : movement;
}

/* Where it may still go: without what is blocked, and at a corner without the shorter way. */
static pqt_vec
goal_after(const pqt_region_sweep *sweep, pqt_vec goal)
{
    const pqt_vec stop = sweep->stop;
    unsigned given_up = sweep->blocked;
    if (given_up & PQT_BLOCKED_CORNER)
        given_up =
            size_of(goal.x - stop.x) >= size_of(goal.y - stop.y) ? PQT_BLOCKED_Y : PQT_BLOCKED_X;
    return (pqt_vec){given_up & PQT_BLOCKED_X ? stop.x : goal.x,
                     given_up & PQT_BLOCKED_Y ? stop.y : goal.y};
}

static pqt_region_slide
slide(slider *s, pqt_vec from, pqt_vec goal, int bounces)
{
    PQT_ASSERT_IN("pqt_region_slide", bounces >= 0, "bounces are below 0");
    pqt_region_slide result = {.last = sweep_to(s, from, goal)};
    pqt_region_sweep now = result.last;
    for (;;) {
        result.status = now.status;
        result.stop = now.stop;
        result.blocked |= now.blocked;
        if (now.blocked != 0)
            result.last = now;
        if (now.status != PQT_SWEEP_HITS || result.bounces == bounces)
            return result;
        result.bounces++;
        goal = goal_after(&now, goal);
        now = sweep_to(s, now.stop, goal);
    }
}

pqt_region_slide
pqt_region_slide_region(pqt_moving_region mover, const pqt_region *other, pqt_vec at, int bounces,
                        const pqt_region_sweep_options *options)
{
    PQT_ASSERT(mover.region != NULL && other != NULL, "a region is NULL");
    slider s = {.region = mover, .other = {other, at, at}, .options = options};
    return slide(&s, mover.from, mover.to, bounces);
}

pqt_region_slide
pqt_region_slide_box(pqt_mover mover, const pqt_region *other, pqt_vec at, int bounces,
                     const pqt_region_sweep_options *options)
{
    PQT_ASSERT(other != NULL, "the region is NULL");
    slider s = {.box = mover, .other = {other, at, at}, .options = options};
    return slide(&s, mover.from, mover.to, bounces);
}
