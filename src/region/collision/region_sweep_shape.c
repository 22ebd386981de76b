/* SPDX-License-Identifier: MIT */
/*
 * region_sweep_shape.c: sweeps a circle or a convex against a region.
 *
 * Full nodes are treated as boxes, and the first one that the mover hits stops it. Adjacent boxes
 * cause no ghost collisions at their common edge: comparisons are exact for the bounding square of
 * a circle and for the sides of a convex without a radius, and at equal times a side takes
 * precedence over a corner.
 */
#include "config.h"

#include <math.h>
#include <stddef.h>

#include <pqt/circle.h>
#include <pqt/convex.h>
#include <pqt/region_sweep.h>

#include "base/error_internal.h"
#include "base/fp.h"
#include "base/placed.h"
#include "collision/toi_position.h"
#include "collision/toi_shapes.h"
#include "region/collision/region_overlap_internal.h"
#include "region/collision/region_toi.h"
#include "region/collision/region_toi_shape.h"

/* The number of attempts to find a free stop. If all fail, the mover remains at its start. */
enum { MAX_ATTEMPTS = 8 };

static bool
positions_equal(pqt_vec a, pqt_vec b)
{
    return a.x == b.x && a.y == b.y;
}

static bool
mover_overlaps(const pqti_shape_sweep *sweep, const pqti_shape_sweep_positions *at)
{
    return sweep->find_overlap(sweep, at, 0, NULL);
}

/* ---- Stops ---- */

/* The time at which the mover stops, and the positions of both shapes at that time. */
typedef struct shape_stop {
    double time;
    pqti_shape_sweep_positions at;
} shape_stop;

/* Returns the stop at the node that is hit first. Also computes the normal there. */
static shape_stop
stop_at_hit(const pqti_shape_sweep *sweep, pqti_shape_sweep_hit *first)
{
    const pqti_mover_pair pair = pqti_shape_sweep_pair(sweep, &first->cursor);
    const pqti_toi_positions stop = pqti_toi_positions_of(&pair.a, &pair.b, &first->toi);
    shape_stop shape = {stop.time, {stop.a, stop.b}};
    if (pair.swapped)
        shape.at = (pqti_shape_sweep_positions){stop.b, stop.a};
    if (positions_equal(sweep->from.region, sweep->to.region))
        shape.at.region = sweep->from.region;
    return shape;
}

/* Returns a position before a stop at which nothing overlaps. Backs off by one rounding error, then
 * by two, four and so on, until there is no overlap. */
static shape_stop
back_off_shape(const pqti_shape_sweep *sweep, shape_stop stop)
{
    const pqti_shape_sweep path = {.from = sweep->from, .to = stop.at};
    for (int bits = -53; bits < 0; bits++) {
        const double share = 1 - ldexp(1, bits);
        const pqti_shape_sweep_positions at = pqti_shape_sweep_positions_at(&path, share);
        if (!mover_overlaps(sweep, &at))
            return (shape_stop){stop.time * share, at};
    }
    return (shape_stop){0, sweep->from};
}

/* Returns a stop without an overlap. Because of rounding, the stop at one node may overlap another
 * node that would be hit slightly later. In that case, backs off and sweeps again. */
static shape_stop
free_position_of_shape(const pqti_shape_sweep *sweep, shape_stop stop)
{
    pqti_shape_sweep rest = *sweep;
    for (int i = 0; i < MAX_ATTEMPTS; i++) {
        if (!mover_overlaps(sweep, &stop.at))
            return stop;
        stop = back_off_shape(&rest, stop);
        rest.from = stop.at;
        pqti_shape_sweep_hit next = pqti_shape_sweep_first(&rest);
        if (next.key == INFINITY || next.toi.time == 0)
            return stop;
        stop.at = stop_at_hit(&rest, &next).at;
    }
    return (shape_stop){0, sweep->from};
}

/* ---- Initial overlap ---- */

/* Returns the time at which the mover has left all nodes that it overlaps, or INFINITY if there is
 * no motion. */
static double
exit_time_of_shape(const pqti_shape_sweep *sweep)
{
    const pqt_vec of_mover = pqt_vec_subtract(sweep->to.mover, sweep->from.mover);
    const pqt_vec motion =
        pqt_vec_subtract(of_mover, pqt_vec_subtract(sweep->to.region, sweep->from.region));
    const int last_quadrant = (motion.x > 0) + 2 * (motion.y > 0);
    double time = 0, more = 0x1p-52;
    while (time < INFINITY) {
        pqti_region_cursor hit;
        const pqti_shape_sweep_positions at = pqti_shape_sweep_positions_at(sweep, time);
        if (!sweep->find_overlap(sweep, &at, last_quadrant, &hit))
            return time;
        const pqti_mover_pair pair = pqti_shape_sweep_pair(sweep, &hit);
        const double exit = pqti_time_of_exit(&pair.a, &pair.b);
        /* If the mover has left the node up to rounding, advance by more and more rounding
         * errors. */
        more = exit > time ? 0x1p-52 : 2 * more;
        time = exit > time ? exit : time + pqti_fmax(time, 1) * more;
    }
    return time;
}

/* Returns the distance by which the mover must move along `axis` from the start to leave the
 * region. */
static double
length_out_along(const pqti_shape_sweep *sweep, pqt_vec axis)
{
    pqti_shape_sweep pushed = *sweep;
    pushed.to =
        (pqti_shape_sweep_positions){pqt_vec_add(sweep->from.mover, axis), sweep->from.region};
    double length = exit_time_of_shape(&pushed);
    for (double more = 0x1p-52;; more *= 2) {
        const pqti_shape_sweep_positions there = {
            pqt_vec_add(sweep->from.mover, pqt_vec_scale(axis, length)), sweep->from.region};
        if (!mover_overlaps(sweep, &there))
            return length;
        length += pqti_fmax(length, 1) * more;
    }
}

static pqt_vec
smallest_push(const pqti_shape_sweep *sweep)
{
    static const pqt_vec axes[4] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    pqt_vec push = {0, 0};
    double least = INFINITY;
    for (int i = 0; i < 4; i++) {
        const double length = length_out_along(sweep, axes[i]);
        if (length >= least)
            continue;
        least = length;
        push = (pqt_vec){axes[i].x != 0 ? axes[i].x * length : 0,
                         axes[i].y != 0 ? axes[i].y * length : 0};
    }
    return push;
}

double
pqti_circle_time_of_exit(const pqt_circle *circle, const pqt_region *region, pqt_vec at,
                         pqt_vec axis)
{
    const pqti_shape_sweep sweep = {
        .shape = pqti_shape_view_of(region),
        .mover = pqt_mover_circle(circle->radius, circle->centre, circle->centre),
        .from = {circle->centre, at},
        .find_overlap = pqti_circle_find_overlap};
    return length_out_along(&sweep, axis);
}

/* ---- Sweeps ---- */

static pqt_vec
normal_for_mover(const pqti_mover_pair *pair, pqt_vec normal)
{
    return pair->swapped ? pqt_vec_scale(normal, -1) : normal;
}

/* Returns the status of a sweep that ends without an overlap. */
static pqt_sweep_status
status_at_end(const pqti_shape_sweep *sweep)
{
    return pqti_shape_sweep_touches(sweep, &sweep->to) ? PQT_SWEEP_TOUCHES : PQT_SWEEP_FREE;
}

/* Sweeps from a position without an overlap that was reached at time `since`. */
static void
sweep_from(const pqti_shape_sweep *sweep, double since, pqt_region_sweep *result)
{
    pqti_shape_sweep_hit first = pqti_shape_sweep_first(sweep);
    if (first.key == INFINITY) {
        result->status = status_at_end(sweep);
        return;
    }
    const pqti_mover_pair pair = pqti_shape_sweep_pair(sweep, &first.cursor);
    const shape_stop stop = free_position_of_shape(sweep, stop_at_hit(sweep, &first));
    result->status = PQT_SWEEP_HITS;
    result->time = since + (1 - since) * stop.time;
    result->stop = stop.at.mover;
    result->stop_other = stop.at.region;
    result->blocked = first.toi.blocked;
    result->normal = normal_for_mover(&pair, first.toi.normal);
    result->met.b = pqti_shape_sweep_pixel(sweep, &first.cursor, &stop.at);
}

static pqt_region_sweep
sweep_shape(pqti_shape_sweep *sweep, const pqt_region_sweep_options *options)
{
    pqt_region_sweep result = {.status = PQT_SWEEP_FREE, .time = 1};
    result.stop = sweep->to.mover;
    result.stop_other = sweep->to.region;
    if (mover_overlaps(sweep, &sweep->from)) {
        if (!options->skip_exit || options->ignore_overlap)
            result.exit = exit_time_of_shape(sweep);
        if (!options->skip_push_out)
            result.push_out = smallest_push(sweep);
        if (!options->ignore_overlap) {
            result.status = PQT_SWEEP_OVERLAPS;
            result.time = 0;
            result.stop = sweep->from.mover;
            result.stop_other = sweep->from.region;
            return result;
        }
        if (result.exit >= 1) {
            result.status =
                mover_overlaps(sweep, &sweep->to) ? PQT_SWEEP_OVERLAPS : status_at_end(sweep);
            return result;
        }
        sweep->from = pqti_shape_sweep_positions_at(sweep, result.exit);
    }
    sweep_from(sweep, result.exit, &result);
    return result;
}

static bool
validate_obstacle(const pqt_region_mover *other, pqti_shape_sweep *sweep)
{
    pqti_fixpos from, to;
    if (!pqti_fixpos_of(other->from, PQT_PIXEL_LIMIT, &from) ||
        !pqti_fixpos_of(other->to, PQT_PIXEL_LIMIT, &to))
        return false;
    sweep->from.region = pqti_vec_of(from);
    sweep->to.region = pqti_vec_of(to);
    return true;
}

static bool
position_is_within_limit(pqt_vec position)
{
    const double most = PQT_PIXEL_LIMIT;
    return pqti_fabs(position.x) <= most && pqti_fabs(position.y) <= most;
}

/* Rejects a circle of radius 0, because it would pass between pixels. */
static bool
is_sweepable_circle(const pqt_mover *mover)
{
    return mover->radius > 0 && mover->radius <= PQT_PIXEL_LIMIT;
}

static bool
is_sweepable_convex(const pqt_mover *mover)
{
    if (!pqt_convex_is_valid(mover->convex))
        return false;
    const pqt_box box = pqt_convex_box(mover->convex);
    return position_is_within_limit(box.min) && position_is_within_limit(box.max);
}

static bool
is_sweepable(const pqt_mover *mover)
{
    return mover->kind == PQT_MOVER_CIRCLE ? is_sweepable_circle(mover)
                                           : is_sweepable_convex(mover);
}

pqt_region_sweep
pqti_region_sweep_shape(const pqt_mover *mover, const pqt_region_mover *other,
                        const pqt_region_sweep_options *options)
{
    const pqt_cells cells = options->cells;
    pqti_shape_sweep sweep = {
        .shape = pqti_shape_view_of_cells(other->region, cells.side_b, cells.kind),
        .mover = *mover,
        .find_overlap =
            mover->kind == PQT_MOVER_CIRCLE ? pqti_circle_find_overlap : pqti_mover_find_overlap,
        .stats = options->stats};
    sweep.from.mover = mover->from;
    sweep.to.mover = mover->to;
    if (!is_sweepable(mover) || !position_is_within_limit(mover->from) ||
        !position_is_within_limit(mover->to) || !validate_obstacle(other, &sweep))
        return pqti_region_sweep_none(mover->from, other->from);
    return sweep_shape(&sweep, options);
}
