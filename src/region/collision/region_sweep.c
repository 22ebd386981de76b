/* SPDX-License-Identifier: MIT */
/*
 * region_sweep.c: sweeps a region or a box against a region, and slides shapes along a region.
 *
 * The search uses the motion of the mover relative to the other region. At a hit, the offset is at
 * a whole subpixel on at least one axis, where an overlap range begins. On the other axis, it may
 * be between two subpixels, and it is rounded toward the start. This causes no overlap: ranges
 * begin and end at whole subpixels, so a range that contained the rounded position would also
 * contain the positions behind it, including the position of the hit.
 */
#include "config.h"

#include <pqt/region_sweep.h>

#include <math.h>

#include "base/error_internal.h"
#include "base/fp.h"
#include "collision/mover.h"
#include "collision/toi.h"
#include "collision/toi_position.h"
#include "region/collision/overlap_visit.h"
#include "region/collision/region_overlap_internal.h"
#include "region/collision/region_toi.h"
#include "region/collision/region_toi_shape.h"
#include "region/region_internal.h"

/* One of the two shapes and its motion, in subpixels. */
typedef struct sweep_operand {
    pqti_shape_view shape;
    pqti_fixpos from, to;
} sweep_operand;

typedef struct sweep_operands {
    sweep_operand mover, other;
    const pqt_region_sweep_options *options;
    pqti_region_motion motion;
    const pqti_small_region *small; /* the mover, if it overlaps at the start; see exit_walk.h */
} sweep_operands;

static pqti_fixpos
fixpos_difference(pqti_fixpos a, pqti_fixpos b)
{
    return (pqti_fixpos){a.x - b.x, a.y - b.y};
}

/* ---- Times ---- */

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
fraction_of(const pqti_region_motion *motion, int64_t time)
{
    if (time == PQTI_TIME_NEVER)
        return (pqt_fraction){0, 0};
    const int64_t divisor = common_divisor(motion->end, time);
    return (pqt_fraction){time / divisor, motion->end / divisor};
}

static double
fraction_to_double(pqt_fraction fraction)
{
    return fraction.den != 0 ? (double)fraction.num / (double)fraction.den : INFINITY;
}

/* ---- Blocked axes ---- */

/* Returns a whole subpixel with the same pixels on both sides as a position in half subpixels. */
static int64_t
subpixel_of(int64_t half_subpixels)
{
    const int64_t below = pqti_floor_divide(half_subpixels, 2);
    return below + (half_subpixels % 2 != 0 && below % PQT_SUBPIXELS == 0);
}

/* Returns true if the shapes overlap at a position. If a position is between two subpixels, regions
 * of pixels overlap there if and only if they overlap at the one that subpixel_of chooses. So that
 * one is tested, by rows, which is faster. */
static bool
overlaps_at(const sweep_operands *s, pqti_half_pos half_pos)
{
    const pqti_shape_view *mover = &s->mover.shape, *other = &s->other.shape;
    if (mover->region == NULL || mover->cell_level > 0 || other->cell_level > 0)
        return pqti_shape_views_overlap(other, mover, half_pos, 0, NULL);
    const pqti_fixpos position = {subpixel_of(half_pos.x), subpixel_of(half_pos.y)};
    return pqti_regions_overlap_at(other->region, mover->region, position);
}

/* Returns the position half a subpixel farther along the motion on the given axes. */
static pqti_half_pos
push_half_pos(const pqti_region_motion *motion, pqti_half_pos half_pos, unsigned axes)
{
    return (pqti_half_pos){half_pos.x + (axes & PQT_BLOCKED_X ? pqti_sign_of(motion->motion.x) : 0),
                           half_pos.y +
                               (axes & PQT_BLOCKED_Y ? pqti_sign_of(motion->motion.y) : 0)};
}

static unsigned
blocked_at(const sweep_operands *s, pqti_half_pos half_pos)
{
    unsigned blocked = 0;
    if (overlaps_at(s, push_half_pos(&s->motion, half_pos, PQT_BLOCKED_X)))
        blocked |= PQT_BLOCKED_X;
    if (overlaps_at(s, push_half_pos(&s->motion, half_pos, PQT_BLOCKED_Y)))
        blocked |= PQT_BLOCKED_Y;
    return blocked != 0 ? blocked : PQT_BLOCKED_X | PQT_BLOCKED_Y | PQT_BLOCKED_CORNER;
}

static pqt_vec
normal_of_side(const pqti_region_motion *motion, unsigned blocked)
{
    const double x = blocked & PQT_BLOCKED_X ? -pqti_sign_of(motion->motion.x) : 0;
    const double y = blocked & PQT_BLOCKED_Y ? -pqti_sign_of(motion->motion.y) : 0;
    return pqt_vec_normalize((pqt_vec){x + 0.0, y + 0.0});
}

/* ---- The pair of pixels at a hit ---- */

static int32_t
pixel_of_subpixels(int64_t subpixels)
{
    return (int32_t)pqti_floor_divide(subpixels, PQT_SUBPIXELS);
}

static pqt_pixel
corner_of_cursor(const pqti_region_cursor *cursor)
{
    return (pqt_pixel){pixel_of_subpixels(cursor->min.x), pixel_of_subpixels(cursor->min.y)};
}

static bool
keep_first_pixel(const pqt_pixel_run *run, void *context)
{
    *(pqt_pixel *)context = (pqt_pixel){run->min_x, run->y};
    return false;
}

static pqt_pixel
first_in_box(const sweep_operands *s, pqti_half_pos half_pos)
{
    const pqti_shape_view *box = &s->mover.shape;
    const int64_t pixel = 2 * PQT_SUBPIXELS;
    const pqt_pixel_box window = {{(int32_t)pqti_floor_divide(half_pos.x + 2 * box->min.x, pixel),
                                   (int32_t)pqti_floor_divide(half_pos.y + 2 * box->min.y, pixel)},
                                  {(int32_t)pqti_ceil_divide(half_pos.x + 2 * box->max.x, pixel),
                                   (int32_t)pqti_ceil_divide(half_pos.y + 2 * box->max.y, pixel)}};
    pqt_pixel first = {0, 0};
    pqt_region_visit_runs(s->other.shape.region, window, keep_first_pixel, &first);
    return first;
}

/* Returns the pair that pqt_region_first_overlap finds for the mover and the other shape at a
 * position where they overlap. For cells, returns any pair. */
static pqt_pixel_pair
pair_at(const sweep_operands *s, pqti_half_pos half_pos)
{
    const pqti_shape_view *mover = &s->mover.shape, *other = &s->other.shape;
    pqt_pixel_pair pair = {{0, 0}, {0, 0}};
    pqti_region_cursor hit[2] = {{.level = 0}, {.level = 0}};
    if (mover->cell_level > 0 || other->cell_level > 0) {
        pqti_shape_views_overlap(other, mover, half_pos, 0, hit);
        return (pqt_pixel_pair){mover->region != NULL ? corner_of_cursor(&hit[1]) : pair.a,
                                corner_of_cursor(&hit[0])};
    }
    if (mover->region == NULL)
        return (pqt_pixel_pair){pair.a, first_in_box(s, half_pos)};
    const pqti_fixpos offset_of_other = {-subpixel_of(half_pos.x), -subpixel_of(half_pos.y)};
    pqti_regions_first(mover->region, other->region, offset_of_other, PQT_FROM_TOP, &pair);
    return pair;
}

/* ---- Stops ---- */

/* Returns the position at a given time, rounded toward the start. `time` is at most 1. */
static int64_t
position_along(int64_t from, int64_t to, pqt_fraction time)
{
    PQT_INVARIANT(time.num >= 0 && time.num <= time.den, "a stop is not between start and end");
    return from + (to - from) * time.num / time.den;
}

/* Sets the stops of both shapes. A shape that does not move on an axis keeps its exact position,
 * and the position of the other shape follows from the offset. */
static void
set_stops(const sweep_operands *s, pqti_fixpos offset, pqt_region_sweep *result)
{
    const sweep_operand *mover = &s->mover, *other = &s->other;
    const pqt_fraction time = result->exact_time;
    pqti_fixpos at = {position_along(other->from.x, other->to.x, time),
                      position_along(other->from.y, other->to.y, time)};
    if (mover->from.x == mover->to.x)
        at.x = mover->from.x - offset.x;
    if (mover->from.y == mover->to.y)
        at.y = mover->from.y - offset.y;
    result->stop_other = pqti_vec_of(at);
    result->stop = pqti_vec_of((pqti_fixpos){at.x + offset.x, at.y + offset.y});
}

/* ---- Initial overlap ---- */

static int64_t
exit_distance(const sweep_operands *s, pqti_fixpos along)
{
    const pqti_region_motion exit_motion =
        pqti_region_motion_make(&s->mover.shape, &s->other.shape, s->motion.from, along, NULL);
    return pqti_region_motion_exit(&exit_motion, s->small);
}

static pqt_vec
smallest_region_push(const sweep_operands *s)
{
    static const pqti_fixpos directions[4] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    int64_t least = PQTI_TIME_NEVER;
    pqti_fixpos push = {0, 0};
    for (int i = 0; i < 4; i++) {
        const int64_t subpixels = exit_distance(s, directions[i]);
        if (subpixels >= least)
            continue;
        least = subpixels;
        push = (pqti_fixpos){directions[i].x * subpixels, directions[i].y * subpixels};
    }
    return pqti_vec_of(push);
}

/* ---- Sweeps ---- */

static bool
touches_at(const sweep_operands *s, pqti_half_pos half_pos)
{
    for (int i = 0; i < 4; i++)
        if (overlaps_at(
                s, (pqti_half_pos){half_pos.x + (i & 1) * 2 - 1, half_pos.y + (i >> 1) * 2 - 1}))
            return true;
    return false;
}

static void
set_stop(const sweep_operands *s, int64_t time, pqt_region_sweep *result)
{
    const int64_t at = time == PQTI_TIME_NEVER ? s->motion.end : time;
    result->exact_time = fraction_of(&s->motion, at);
    result->time = fraction_to_double(result->exact_time);
    set_stops(s, pqti_region_motion_stop(&s->motion, at), result);
    if (time == PQTI_TIME_NEVER)
        return;
    const pqti_half_pos half_pos = pqti_region_motion_half_pos(&s->motion, time);
    result->status = time < s->motion.end ? PQT_SWEEP_HITS : PQT_SWEEP_TOUCHES;
    result->blocked = blocked_at(s, half_pos);
    result->normal = normal_of_side(&s->motion, result->blocked);
    result->met = pair_at(s, push_half_pos(&s->motion, half_pos, result->blocked));
}

/* Sets the exit and the push, unless they are skipped. Returns the time of the exit, or 0. */
static int64_t
set_ways_out(sweep_operands *s, pqt_region_sweep *result)
{
    const pqti_shape_view *mover = &s->mover.shape, *other = &s->other.shape;
    pqti_small_region small;
    if (mover->region != NULL && mover->cell_level == 0 && other->cell_level == 0 &&
        pqti_small_region_make(&small, mover->region))
        s->small = &small;
    int64_t out = 0;
    if (!s->options->skip_exit || s->options->ignore_overlap) {
        out = pqti_region_motion_exit(&s->motion, s->small);
        result->exact_exit = fraction_of(&s->motion, out);
        result->exit = fraction_to_double(result->exact_exit);
    }
    if (!s->options->skip_push_out)
        result->push_out = smallest_region_push(s);
    s->small = NULL;
    return out;
}

static pqt_region_sweep
sweep_regions(sweep_operands *s)
{
    pqt_region_sweep result = {.status = PQT_SWEEP_FREE};
    int64_t time = pqti_region_motion_first(&s->motion, 0), out = 0;
    if (time < 0) {
        out = set_ways_out(s, &result);
        if (!s->options->ignore_overlap) {
            result.status = PQT_SWEEP_OVERLAPS;
            result.exact_time = (pqt_fraction){0, 1};
            set_stops(s, s->motion.from, &result);
            return result;
        }
        time = out <= s->motion.end ? pqti_region_motion_first(&s->motion, out) : PQTI_TIME_NEVER;
    }
    set_stop(s, time, &result);
    if (time != PQTI_TIME_NEVER)
        return result;
    if (out > s->motion.end)
        result.status = PQT_SWEEP_OVERLAPS;
    else if (touches_at(s, pqti_region_motion_half_pos(&s->motion, s->motion.end)))
        result.status = PQT_SWEEP_TOUCHES;
    return result;
}

/* ---- Validation ---- */

static bool
fixpos_is_within_limit(pqti_fixpos position)
{
    const int64_t most = (int64_t)PQT_PIXEL_LIMIT * PQT_SUBPIXELS;
    return position.x >= -most && position.x <= most && position.y >= -most && position.y <= most;
}

static bool
validate_positions(pqt_vec from, pqt_vec to, sweep_operand *operand)
{
    return pqti_fixpos_of(from, PQT_PIXEL_LIMIT, &operand->from) &&
           pqti_fixpos_of(to, PQT_PIXEL_LIMIT, &operand->to);
}

static bool
validate_region_mover(const char *function, const pqt_region_mover *region, int32_t side,
                      pqt_coarse_kind kind, sweep_operand *operand)
{
    PQT_ASSERT_IN(function, region->region != NULL, "the region is NULL");
    pqti_assert_region_alive(function, region->region);
    operand->shape = pqti_shape_view_of_cells(region->region, side, kind);
    return validate_positions(region->from, region->to, operand);
}

/* Rejects a box without width or height, because it would pass between pixels. */
static bool
validate_sweep_box(const pqt_mover *mover, sweep_operand *operand)
{
    operand->shape = (pqti_shape_view){.region = NULL};
    return pqti_fixpos_of(mover->box.min, PQT_PIXEL_LIMIT, &operand->shape.min) &&
           pqti_fixpos_of(mover->box.max, PQT_PIXEL_LIMIT, &operand->shape.max) &&
           operand->shape.min.x < operand->shape.max.x &&
           operand->shape.min.y < operand->shape.max.y &&
           validate_positions(mover->from, mover->to, operand);
}

/* Sweeps if both shapes are valid and the relative motion is not too long. Otherwise, returns
 * `none`. */
static pqt_region_sweep
sweep_validated(sweep_operands *s, bool is_valid, pqt_region_sweep none)
{
    if (!is_valid)
        return none;
    const pqti_fixpos from = fixpos_difference(s->mover.from, s->other.from);
    const pqti_fixpos motion = fixpos_difference(fixpos_difference(s->mover.to, s->other.to), from);
    if (!fixpos_is_within_limit(from) || !fixpos_is_within_limit(motion))
        return none;
    s->motion =
        pqti_region_motion_make(&s->mover.shape, &s->other.shape, from, motion, s->options->stats);
    return sweep_regions(s);
}

static pqt_region_sweep
sweep_region_mover(const pqt_region_mover *mover, const pqt_region_mover *other,
                   const pqt_region_sweep_options *options)
{
    static const char function[] = "pqt_region_sweep_region";
    pqt_region_sweep_options converted;
    sweep_operands s = {.options = pqti_region_options(function, options, &converted)};
    const pqt_cells cells = s.options->cells;
    const bool mover_is_valid =
        validate_region_mover(function, mover, cells.side_a, cells.kind, &s.mover);
    const bool other_is_valid =
        validate_region_mover(function, other, cells.side_b, cells.kind, &s.other);
    return sweep_validated(&s, mover_is_valid && other_is_valid,
                           pqti_region_sweep_none(mover->from, other->from));
}

pqt_region_sweep
pqt_region_sweep_region(pqt_region_mover mover, pqt_region_mover other,
                        const pqt_region_sweep_options *options)
{
    return sweep_region_mover(&mover, &other, options);
}

static pqt_region_sweep
sweep_box(const char *function, const pqt_mover *mover, const pqt_region_mover *other,
          const pqt_region_sweep_options *options)
{
    sweep_operands s = {.options = options};
    const pqt_cells cells = options->cells;
    const bool other_is_valid =
        validate_region_mover(function, other, cells.side_b, cells.kind, &s.other);
    const bool mover_is_valid = validate_sweep_box(mover, &s.mover);
    return sweep_validated(&s, mover_is_valid && other_is_valid,
                           pqti_region_sweep_none(mover->from, other->from));
}

static pqt_region_sweep
sweep_mover(const pqt_mover *mover, const pqt_region_mover *other,
            const pqt_region_sweep_options *options)
{
    static const char function[] = "pqt_region_sweep_mover";
    pqt_region_sweep_options converted;
    options = pqti_region_options(function, options, &converted);
    PQT_ASSERT_IN(function, pqti_mover_has_shape(mover), PQTI_BAD_MOVER);
    if (mover->kind == PQT_MOVER_BOX)
        return sweep_box(function, mover, other, options);
    PQT_ASSERT_IN(function, other->region != NULL, "the region is NULL");
    pqti_assert_region_alive(function, other->region);
    return pqti_region_sweep_shape(mover, other, options);
}

pqt_region_sweep
pqt_region_sweep_mover(pqt_mover mover, pqt_region_mover other,
                       const pqt_region_sweep_options *options)
{
    return sweep_mover(&mover, &other, options);
}

/* ---- Slides ---- */

/* The sliding shape: a region, or another shape if the region is NULL. It is swept through a
 * pointer, so that a program which slides regions only does not contain the sweeps of shapes. */
typedef struct slider slider;
struct slider {
    pqt_region_mover region;
    pqt_mover shape;
    pqt_region_sweep (*sweep)(const slider *s);
    pqt_region_mover other;
    const pqt_region_sweep_options *options;
};

static pqt_region_sweep
sweep_sliding_region(const slider *s)
{
    return sweep_region_mover(&s->region, &s->other, s->options);
}

static pqt_region_sweep
sweep_sliding_shape(const slider *s)
{
    return sweep_mover(&s->shape, &s->other, s->options);
}

static pqt_region_sweep
sweep_to(slider *s, pqt_vec from, pqt_vec to)
{
    s->region.from = s->shape.from = from;
    s->region.to = s->shape.to = to;
    return s->sweep(s);
}

/* Returns true if a circle or a convex hit a shape with an oblique normal. */
static bool
hit_obliquely(const slider *s, const pqt_region_sweep *sweep)
{
    return s->region.region == NULL && s->shape.kind != PQT_MOVER_BOX &&
           sweep->blocked == (PQT_BLOCKED_X | PQT_BLOCKED_Y);
}

/* Returns the new goal. The blocked component of the motion is removed; at a corner, it is the
 * shorter component. */
static pqt_vec
next_goal(const slider *s, const pqt_region_sweep *sweep, pqt_vec goal)
{
    const pqt_vec stop = sweep->stop;
    unsigned dropped_axes = sweep->blocked;
    if (hit_obliquely(s, sweep))
        return s->shape.kind == PQT_MOVER_CONVEX
                   ? pqti_end_along_side(stop, goal, sweep->normal)
                   : pqti_end_along_tangent(stop, goal, sweep->normal);
    if (dropped_axes & PQT_BLOCKED_CORNER)
        dropped_axes = pqti_fabs(goal.x - stop.x) >= pqti_fabs(goal.y - stop.y) ? PQT_BLOCKED_Y
                                                                                : PQT_BLOCKED_X;
    return (pqt_vec){dropped_axes & PQT_BLOCKED_X ? stop.x : goal.x,
                     dropped_axes & PQT_BLOCKED_Y ? stop.y : goal.y};
}

/* Returns true if the motion to a goal does not go back against the whole motion. */
static bool
region_slide_continues(pqt_vec stop, pqt_vec goal, pqt_vec whole)
{
    return pqt_vec_dot(pqt_vec_subtract(goal, stop), whole) >= 0;
}

static pqt_region_slide
slide_along(const char *function, slider *s, pqt_vec from, pqt_vec goal, unsigned bounces)
{
    pqt_region_sweep_options converted;
    s->options = pqti_region_options(function, s->options, &converted);
    const pqt_vec whole = pqt_vec_subtract(goal, from);
    pqt_region_slide result = {.last = sweep_to(s, from, goal)};
    pqt_region_sweep sweep = result.last;
    for (;;) {
        result.status = sweep.status;
        result.stop = sweep.stop;
        result.blocked |= sweep.blocked;
        if (sweep.blocked != 0)
            result.last = sweep;
        if (sweep.status != PQT_SWEEP_HITS || result.bounces == bounces)
            return result;
        goal = next_goal(s, &sweep, goal);
        if (hit_obliquely(s, &sweep) && !region_slide_continues(sweep.stop, goal, whole))
            return result;
        result.bounces++;
        sweep = sweep_to(s, sweep.stop, goal);
    }
}

pqt_region_slide
pqt_region_slide_region(pqt_region_mover mover, const pqt_region *other, pqt_vec at,
                        unsigned bounces, const pqt_region_sweep_options *options)
{
    PQT_ASSERT(mover.region != NULL && other != NULL, "a region is NULL");
    pqti_assert_region_alive(__func__, mover.region);
    pqti_assert_region_alive(__func__, other);
    slider s = {.region = mover,
                .sweep = sweep_sliding_region,
                .other = {other, at, at},
                .options = options};
    return slide_along(__func__, &s, mover.from, mover.to, bounces);
}

pqt_region_slide
pqt_region_slide_mover(pqt_mover mover, const pqt_region *other, pqt_vec at, unsigned bounces,
                       const pqt_region_sweep_options *options)
{
    PQT_ASSERT(pqti_mover_has_shape(&mover), PQTI_BAD_MOVER);
    PQT_ASSERT(other != NULL, "the region is NULL");
    pqti_assert_region_alive(__func__, other);
    slider s = {
        .shape = mover, .sweep = sweep_sliding_shape, .other = {other, at, at}, .options = options};
    return slide_along(__func__, &s, mover.from, mover.to, bounces);
}
