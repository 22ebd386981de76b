/* SPDX-License-Identifier: MIT */
/*
 * region_sweep.c - a region or a box on its way past a region.
 *
 * The way of the mover is that relative to the other. At a hit one axis at least is at a whole
 * step, where a reach begins; the other may be between two steps, and is rounded toward the start.
 * That does not bring it into anything: reaches begin and end at whole steps, so one that held the
 * step would hold what lies behind it as well, and with it the place of the hit.
 */
#include "config.h"

#include <pqt/region_sweep.h>

#include <math.h>

#include "base/error_internal.h"
#include "collision/toi.h"
#include "collision/toi_position.h"
#include "region/collision/overlap_visit.h"
#include "region/collision/region_overlap_internal.h"
#include "region/collision/region_toi.h"
#include "region/region_internal.h"

/* One of the two, and where it goes, in steps. */
typedef struct actor {
    pqti_figure figure;
    pqti_fixpos from, to;
} actor;

typedef struct scene {
    actor mover, other;
    const pqt_region_sweep_options *options;
    pqti_way way;
} scene;

static pqti_fixpos
difference(pqti_fixpos a, pqti_fixpos b)
{
    return (pqti_fixpos){a.x - b.x, a.y - b.y};
}

/* ---- times ---- */

static int64_t
common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static pqt_fraction
fraction_of(const pqti_way *way, int64_t time)
{
    if (time == PQTI_NO_TIME)
        return (pqt_fraction){0, 0};
    const int64_t divisor = common_divisor(way->end, time);
    return (pqt_fraction){time / divisor, way->end / divisor};
}

static double
value_of(pqt_fraction fraction)
{
    return fraction.under != 0 ? (double)fraction.over / (double)fraction.under : INFINITY;
}

/* ---- what blocks ---- */

/* A step with the same pixels on both sides as a place in half steps. */
static int64_t
step_of(int64_t half_steps)
{
    const int64_t below = pqti_floor_divide(half_steps, 2);
    return below + (half_steps % 2 != 0 && below % PQT_PIXEL_STEPS == 0);
}

/* Regions of pixels overlap at places between two steps just as at one of the steps, and there row
   by row. */
static bool
overlaps_at(const scene *s, pqti_spot spot)
{
    const pqti_figure *mover = &s->mover.figure, *other = &s->other.figure;
    if (mover->region == NULL || mover->cell_level > 0 || other->cell_level > 0)
        return pqti_figures_overlap(other, mover, spot, 0, NULL);
    const pqti_fixpos place = {step_of(spot.x), step_of(spot.y)};
    return pqti_regions_overlap_at(other->region, mover->region, place);
}

/* The same place a little farther on some axes. */
static pqti_spot
pushed(const pqti_way *way, pqti_spot spot, unsigned axes)
{
    return (pqti_spot){spot.x + (axes & PQT_BLOCKED_X ? pqti_sign_of(way->along.x) : 0),
                       spot.y + (axes & PQT_BLOCKED_Y ? pqti_sign_of(way->along.y) : 0)};
}

static unsigned
blocked_at(const scene *s, pqti_spot spot)
{
    unsigned blocked = 0;
    if (overlaps_at(s, pushed(&s->way, spot, PQT_BLOCKED_X)))
        blocked |= PQT_BLOCKED_X;
    if (overlaps_at(s, pushed(&s->way, spot, PQT_BLOCKED_Y)))
        blocked |= PQT_BLOCKED_Y;
    return blocked != 0 ? blocked : PQT_BLOCKED_X | PQT_BLOCKED_Y | PQT_BLOCKED_CORNER;
}

static pqt_vec
normal_of(const pqti_way *way, unsigned blocked)
{
    const double x = blocked & PQT_BLOCKED_X ? -pqti_sign_of(way->along.x) : 0;
    const double y = blocked & PQT_BLOCKED_Y ? -pqti_sign_of(way->along.y) : 0;
    return pqt_vec_normalize((pqt_vec){x + 0.0, y + 0.0});
}

/* ---- the pair that meets ---- */

static int32_t
pixel_of(int64_t steps)
{
    return (int32_t)pqti_floor_divide(steps, PQT_PIXEL_STEPS);
}

static pqt_pixel
corner_of(const pqti_shape_cell *part)
{
    return (pqt_pixel){pixel_of(part->min.x), pixel_of(part->min.y)};
}

static bool
take_first(const pqt_pixel_run *run, void *context)
{
    *(pqt_pixel *)context = (pqt_pixel){run->min_x, run->y};
    return false;
}

static pqt_pixel
first_in_box(const scene *s, pqti_spot spot)
{
    const pqti_figure *box = &s->mover.figure;
    const int64_t pixel = 2 * PQT_PIXEL_STEPS;
    const pqt_pixel_box window = {{(int32_t)pqti_floor_divide(spot.x + 2 * box->min.x, pixel),
                                   (int32_t)pqti_floor_divide(spot.y + 2 * box->min.y, pixel)},
                                  {(int32_t)pqti_ceil_divide(spot.x + 2 * box->max.x, pixel),
                                   (int32_t)pqti_ceil_divide(spot.y + 2 * box->max.y, pixel)}};
    pqt_pixel first = {0, 0};
    pqt_region_visit_runs(s->other.figure.region, window, take_first, &first);
    return first;
}

/* The first pair that overlaps at a spot where there is one. */
static pqt_pixel_pair
pair_at(const scene *s, pqti_spot spot)
{
    const pqti_figure *mover = &s->mover.figure, *other = &s->other.figure;
    pqt_pixel_pair pair = {{0, 0}, {0, 0}};
    pqti_shape_cell met[2] = {{.level = 0}, {.level = 0}};
    if (mover->cell_level > 0 || other->cell_level > 0) {
        pqti_figures_overlap(other, mover, spot, 0, met);
        return (pqt_pixel_pair){mover->region != NULL ? corner_of(&met[1]) : pair.a,
                                corner_of(&met[0])};
    }
    if (mover->region == NULL)
        return (pqt_pixel_pair){pair.a, first_in_box(s, spot)};
    pqti_regions_first(other->region, mover->region,
                       (pqti_fixpos){step_of(spot.x), step_of(spot.y)}, PQT_FROM_TOP, &pair);
    return (pqt_pixel_pair){pair.b, pair.a};
}

/* ---- where both are ---- */

/* As far along as the time tells, rounded toward the start. Only while not after the end. */
static int64_t
part_of_way(int64_t from, int64_t to, pqt_fraction time)
{
    return from + (to - from) * time.over / time.under;
}

/* Who rests stays exactly where it is; the other is where the offset between them says. */
static void
set_stops(const scene *s, pqti_fixpos offset, pqt_region_sweep *result)
{
    const actor *mover = &s->mover, *other = &s->other;
    const pqt_fraction time = result->exact_time;
    pqti_fixpos at = {part_of_way(other->from.x, other->to.x, time),
                      part_of_way(other->from.y, other->to.y, time)};
    if (mover->from.x == mover->to.x)
        at.x = mover->from.x - offset.x;
    if (mover->from.y == mover->to.y)
        at.y = mover->from.y - offset.y;
    result->stop_other = pqti_vec_of(at);
    result->stop = pqti_vec_of((pqti_fixpos){at.x + offset.x, at.y + offset.y});
}

/* ---- starting in it ---- */

static int64_t
steps_out(const scene *s, pqti_fixpos along)
{
    const pqti_way way =
        pqti_way_make(&s->mover.figure, &s->other.figure, s->way.from, along, NULL);
    return pqti_way_exit(&way);
}

static pqt_vec
smallest_push(const scene *s)
{
    static const pqti_fixpos ways[4] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    int64_t least = PQTI_NO_TIME;
    pqti_fixpos push = {0, 0};
    for (int i = 0; i < 4; i++) {
        const int64_t steps = steps_out(s, ways[i]);
        if (steps >= least)
            continue;
        least = steps;
        push = (pqti_fixpos){ways[i].x * steps, ways[i].y * steps};
    }
    return pqti_vec_of(push);
}

/* ---- sweeping ---- */

static bool
touches_at(const scene *s, pqti_spot spot)
{
    for (int i = 0; i < 4; i++)
        if (overlaps_at(s, (pqti_spot){spot.x + (i & 1) * 2 - 1, spot.y + (i >> 1) * 2 - 1}))
            return true;
    return false;
}

static void
tell_stop(const scene *s, int64_t time, pqt_region_sweep *result)
{
    const int64_t at = time == PQTI_NO_TIME ? s->way.end : time;
    result->exact_time = fraction_of(&s->way, at);
    result->time = value_of(result->exact_time);
    set_stops(s, pqti_way_stop(&s->way, at), result);
    if (time == PQTI_NO_TIME)
        return;
    const pqti_spot spot = pqti_way_spot(&s->way, time);
    result->status = time < s->way.end ? PQT_SWEEP_HITS : PQT_SWEEP_TOUCHES;
    result->blocked = blocked_at(s, spot);
    result->normal = normal_of(&s->way, result->blocked);
    result->met = pair_at(s, pushed(&s->way, spot, result->blocked));
}

static pqt_region_sweep
sweep(const scene *s)
{
    pqt_region_sweep result = {.status = PQT_SWEEP_FREE};
    int64_t time = pqti_way_first(&s->way, 0), out = 0;
    if (time < 0) {
        out = pqti_way_exit(&s->way);
        result.exact_exit = fraction_of(&s->way, out);
        result.exit = value_of(result.exact_exit);
        result.out = smallest_push(s);
        if (!s->options->ignore_overlap) {
            result.status = PQT_SWEEP_OVERLAPS;
            result.exact_time = (pqt_fraction){0, 1};
            set_stops(s, s->way.from, &result);
            return result;
        }
        time = out <= s->way.end ? pqti_way_first(&s->way, out) : PQTI_NO_TIME;
    }
    tell_stop(s, time, &result);
    if (time != PQTI_NO_TIME)
        return result;
    if (out > s->way.end)
        result.status = PQT_SWEEP_OVERLAPS;
    else if (touches_at(s, pqti_way_spot(&s->way, s->way.end)))
        result.status = PQT_SWEEP_TOUCHES;
    return result;
}

/* ---- admission ---- */

static bool
is_near(pqti_fixpos place)
{
    const int64_t most = (int64_t)PQT_PIXEL_LIMIT * PQT_PIXEL_STEPS;
    return place.x >= -most && place.x <= most && place.y >= -most && place.y <= most;
}

static bool
admit_places(pqt_vec from, pqt_vec to, actor *a)
{
    return pqti_fixpos_of(from, PQT_PIXEL_LIMIT, &a->from) &&
           pqti_fixpos_of(to, PQT_PIXEL_LIMIT, &a->to);
}

static bool
admit_region(const char *function, pqt_moving_region region, int32_t side, pqt_cell_reading reading,
             actor *a)
{
    PQT_ASSERT_IN(function, region.region != NULL, "the region is NULL");
    a->figure = pqti_figure_of_cells(region.region, side, reading);
    return admit_places(region.from, region.to, a);
}

/* A box without a width or height would slip between pixels. */
static bool
admit_box(pqt_mover mover, actor *a)
{
    a->figure = (pqti_figure){.region = NULL};
    return mover.kind == PQT_MOVER_BOX &&
           pqti_fixpos_of(mover.box.min, PQT_PIXEL_LIMIT, &a->figure.min) &&
           pqti_fixpos_of(mover.box.max, PQT_PIXEL_LIMIT, &a->figure.max) &&
           a->figure.min.x < a->figure.max.x && a->figure.min.y < a->figure.max.y &&
           admit_places(mover.from, mover.to, a);
}

/* Lays out the way of one as seen from the other, if both were admitted and it is not too long;
 * else `none` comes of it. */
static pqt_region_sweep
sweep_admitted(scene *s, bool admitted, pqt_region_sweep none)
{
    if (!admitted)
        return none;
    const pqti_fixpos from = difference(s->mover.from, s->other.from);
    const pqti_fixpos along = difference(difference(s->mover.to, s->other.to), from);
    if (!is_near(from) || !is_near(along))
        return none;
    s->way = pqti_way_make(&s->mover.figure, &s->other.figure, from, along, s->options->tally);
    return sweep(s);
}

pqt_region_sweep
pqt_region_sweep_region(pqt_moving_region mover, pqt_moving_region other,
                        const pqt_region_sweep_options *options)
{
    scene s = {.options = pqti_region_options(__func__, options)};
    const pqt_cells cells = s.options->cells;
    const bool mover_is_good = admit_region(__func__, mover, cells.side_a, cells.reading, &s.mover);
    const bool other_is_good = admit_region(__func__, other, cells.side_b, cells.reading, &s.other);
    return sweep_admitted(&s, mover_is_good && other_is_good,
                          pqti_region_none(mover.from, other.from));
}

pqt_region_sweep
pqt_region_sweep_box(pqt_mover mover, pqt_moving_region other,
                     const pqt_region_sweep_options *options)
{
    scene s = {.options = pqti_region_options(__func__, options)};
    const pqt_cells cells = s.options->cells;
    const bool other_is_good = admit_region(__func__, other, cells.side_b, cells.reading, &s.other);
    const bool mover_is_good = admit_box(mover, &s.mover);
    return sweep_admitted(&s, mover_is_good && other_is_good,
                          pqti_region_none(mover.from, other.from));
}

/* A region, a box or a circle that goes on along what blocks it. */

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
