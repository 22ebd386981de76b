/* SPDX-License-Identifier: MIT */
/* region_slide.c - a region, a box or a circle that goes on along what blocks it. */
#include "config.h"

#include <pqt/region_sweep.h>

#include "base/error_internal.h"
#include "collision/toi.h"
#include "collision/toi_position.h"
#include "region/collision/region_options.h"

typedef pqt_region_sweep sweep_shape_fn(pqt_mover mover, pqt_moving_region other,
                                        const pqt_region_sweep_options *options);

/* What slides: a region, or a shape if that is NULL. */
typedef struct slider {
    pqt_moving_region region;
    pqt_mover shape;
    sweep_shape_fn *sweep_shape;
    pqt_moving_region other;
    const pqt_region_sweep_options *options;
} slider;

static pqt_region_sweep
sweep_to(slider *s, pqt_vec from, pqt_vec to)
{
    s->region.from = s->shape.from = from;
    s->region.to = s->shape.to = to;
    if (s->region.region != NULL)
        return pqt_region_sweep_region(s->region, s->other, s->options);
    return s->sweep_shape(s->shape, s->other, s->options);
}

static double
size_of(double movement)
{
    return movement < 0 ? -movement : movement;
}

/* Whether a circle met a corner. */
static bool
is_round(const slider *s, const pqt_region_sweep *sweep)
{
    return s->sweep_shape == pqt_region_sweep_circle &&
           sweep->blocked == (PQT_BLOCKED_X | PQT_BLOCKED_Y);
}

/* Where it may still go: without what is blocked, and at a corner without the shorter way. */
static pqt_vec
goal_after(const slider *s, const pqt_region_sweep *sweep, pqt_vec goal)
{
    const pqt_vec stop = sweep->stop;
    unsigned given_up = sweep->blocked;
    if (is_round(s, sweep))
        return pqti_end_along_tangent(stop, goal, sweep->normal);
    if (given_up & PQT_BLOCKED_CORNER)
        given_up =
            size_of(goal.x - stop.x) >= size_of(goal.y - stop.y) ? PQT_BLOCKED_Y : PQT_BLOCKED_X;
    return (pqt_vec){given_up & PQT_BLOCKED_X ? stop.x : goal.x,
                     given_up & PQT_BLOCKED_Y ? stop.y : goal.y};
}

/* Whether a goal is not back from where the whole way leads. */
static bool
leads_on(pqt_vec stop, pqt_vec goal, pqt_vec whole)
{
    return pqt_vec_dot(pqt_vec_subtract(goal, stop), whole) >= 0;
}

static pqt_region_slide
slide(const char *function, slider *s, pqt_vec from, pqt_vec goal, int bounces)
{
    PQT_ASSERT_IN(function, bounces >= 0, "bounces are below 0");
    (void)pqti_region_options(function, s->options);
    const pqt_vec whole = pqt_vec_subtract(goal, from);
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
        goal = goal_after(s, &now, goal);
        if (is_round(s, &now) && !leads_on(now.stop, goal, whole))
            return result;
        result.bounces++;
        now = sweep_to(s, now.stop, goal);
    }
}

static pqt_region_slide
slide_shape(const char *function, sweep_shape_fn *sweep_shape, pqt_mover mover,
            pqt_moving_region other, int bounces, const pqt_region_sweep_options *options)
{
    slider s = {.shape = mover, .sweep_shape = sweep_shape, .other = other, .options = options};
    return slide(function, &s, mover.from, mover.to, bounces);
}

pqt_region_slide
pqt_region_slide_region(pqt_moving_region mover, const pqt_region *other, pqt_vec at, int bounces,
                        const pqt_region_sweep_options *options)
{
    PQT_ASSERT(mover.region != NULL && other != NULL, "a region is NULL");
    slider s = {.region = mover, .other = {other, at, at}, .options = options};
    return slide(__func__, &s, mover.from, mover.to, bounces);
}

pqt_region_slide
pqt_region_slide_box(pqt_mover mover, const pqt_region *other, pqt_vec at, int bounces,
                     const pqt_region_sweep_options *options)
{
    PQT_ASSERT(other != NULL, "the region is NULL");
    return slide_shape(__func__, pqt_region_sweep_box, mover, (pqt_moving_region){other, at, at},
                       bounces, options);
}

pqt_region_slide
pqt_region_slide_circle(pqt_mover mover, const pqt_region *other, pqt_vec at, int bounces,
                        const pqt_region_sweep_options *options)
{
    PQT_ASSERT(other != NULL, "the region is NULL");
    return slide_shape(__func__, pqt_region_sweep_circle, mover, (pqt_moving_region){other, at, at},
                       bounces, options);
}
