/* SPDX-License-Identifier: MIT */
/*
 * region_sweep_circle.c: sweeps of a circle against a region.
 *
 * The first full node that the circle hits, treated as a box, stops it. Adjacent boxes cause no
 * ghost collisions at their common edge: the bounding square of the circle is compared exactly, and
 * at equal times a side takes precedence over a corner.
 */
#include "config.h"

#include <math.h>
#include <stddef.h>

#include <pqt/circle.h>
#include <pqt/region_sweep.h>

#include "base/error_internal.h"
#include "base/fp.h"
#include "collision/toi_position.h"
#include "collision/toi_shapes.h"
#include "region/collision/region_overlap_internal.h"
#include "region/collision/region_toi.h"
#include "region/collision/region_toi_circle.h"

/* attempts to find a free stop before the circle stays at its start */
enum { MAX_ATTEMPTS = 8 };

static bool
positions_equal(pqt_vec a, pqt_vec b)
{
    return a.x == b.x && a.y == b.y;
}

static bool
circle_overlaps(const pqti_circle_sweep *p, pqti_circle_sweep_positions at)
{
    return pqti_circle_sweep_overlaps(p, at, 0, NULL);
}

/* ---- Stops ---- */

/* The positions of both when the circle stops. */
typedef struct circle_stop {
    double time;
    pqti_circle_sweep_positions at;
} circle_stop;

/* The stop at the node that is hit first. The normal is computed there. */
static circle_stop
stop_at_hit(const pqti_circle_sweep *p, pqti_circle_sweep_hit *first)
{
    const pqti_mover_pair pair = pqti_circle_sweep_pair(p, &first->cursor);
    const pqti_toi_positions stop = pqti_toi_positions_of(&pair.a, &pair.b, &first->toi);
    circle_stop h = {stop.time, {stop.a, stop.b}};
    if (pair.swapped)
        h.at = (pqti_circle_sweep_positions){stop.b, stop.a};
    if (positions_equal(p->from.region, p->to.region))
        h.at.region = p->from.region;
    return h;
}

/* The last position before a stop without overlap: backs off by one rounding error, by two, by
   four, and so on. */
static circle_stop
back_off_circle(const pqti_circle_sweep *p, circle_stop h)
{
    const pqti_circle_sweep path = {.from = p->from, .to = h.at};
    for (int bits = -53; bits < 0; bits++) {
        const double share = 1 - ldexp(1, bits);
        const pqti_circle_sweep_positions at = pqti_circle_sweep_positions_at(&path, share);
        if (!circle_overlaps(p, at))
            return (circle_stop){h.time * share, at};
    }
    return (circle_stop){0, p->from};
}

/* The stop at one node may, by rounding, overlap another that would be hit slightly later. If so,
   backs off and sweeps again. */
static circle_stop
free_position_of_circle(const pqti_circle_sweep *p, circle_stop h)
{
    pqti_circle_sweep rest = *p;
    for (int i = 0; i < MAX_ATTEMPTS; i++) {
        if (!circle_overlaps(p, h.at))
            return h;
        h = back_off_circle(&rest, h);
        rest.from = h.at;
        pqti_circle_sweep_hit next = pqti_circle_sweep_first(&rest);
        if (next.key == INFINITY || next.toi.time == 0)
            return h;
        h.at = stop_at_hit(&rest, &next).at;
    }
    return (circle_stop){0, p->from};
}

/* ---- Initial overlap ---- */

/* The time at which the circle leaves everything that it overlaps; INFINITY without a motion. */
static double
exit_time_of_circle(const pqti_circle_sweep *p)
{
    const pqt_vec of_circle = pqt_vec_subtract(p->to.circle, p->from.circle);
    const pqt_vec motion =
        pqt_vec_subtract(of_circle, pqt_vec_subtract(p->to.region, p->from.region));
    const int last_quadrant = (motion.x > 0) + 2 * (motion.y > 0);
    double time = 0, more = 0x1p-52;
    while (time < INFINITY) {
        pqti_region_cursor hit;
        if (!pqti_circle_sweep_overlaps(p, pqti_circle_sweep_positions_at(p, time), last_quadrant,
                                        &hit))
            return time;
        const pqti_mover_pair pair = pqti_circle_sweep_pair(p, &hit);
        const double exit = pqti_time_of_exit(&pair.a, &pair.b);
        /* if it has left it up to rounding, advance by more and more rounding errors */
        more = exit > time ? 0x1p-52 : 2 * more;
        time = exit > time ? exit : time + pqti_fmax(time, 1) * more;
    }
    return time;
}

/* How far the circle must move along `axis` from the start to leave the region. */
static double
length_out_along(const pqti_circle_sweep *p, pqt_vec axis)
{
    pqti_circle_sweep pushed = *p;
    pushed.to = (pqti_circle_sweep_positions){pqt_vec_add(p->from.circle, axis), p->from.region};
    double length = exit_time_of_circle(&pushed);
    for (double more = 0x1p-52;; more *= 2) {
        const pqt_vec there = pqt_vec_add(p->from.circle, pqt_vec_scale(axis, length));
        if (!circle_overlaps(p, (pqti_circle_sweep_positions){there, p->from.region}))
            return length;
        length += pqti_fmax(length, 1) * more;
    }
}

static pqt_vec
smallest_circle_push(const pqti_circle_sweep *p)
{
    static const pqt_vec axes[4] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    pqt_vec push = {0, 0};
    double least = INFINITY;
    for (int i = 0; i < 4; i++) {
        const double length = length_out_along(p, axes[i]);
        if (length >= least)
            continue;
        least = length;
        push = (pqt_vec){axes[i].x != 0 ? axes[i].x * length : 0,
                         axes[i].y != 0 ? axes[i].y * length : 0};
    }
    return push;
}

double
pqti_circle_time_of_exit(pqt_circle circle, const pqt_region *region, pqt_vec at, pqt_vec axis)
{
    const pqti_circle_sweep p = {
        .shape = pqti_shape_view_of(region), .radius = circle.radius, .from = {circle.centre, at}};
    return length_out_along(&p, axis);
}

/* ---- Sweeps ---- */

static int32_t
pixel_within(double position, int64_t min, int64_t max)
{
    const double first = pqti_pixels_of(min), last = pqti_pixels_of(max) - 1;
    return (int32_t)pqti_fmin(last, pqti_fmax(first, floor(position)));
}

/* The pixel of a node that is nearest to the circle. Between two pixels, it is the right or lower
   one. */
static pqt_pixel
nearest_pixel(const pqti_region_cursor *cursor, pqti_circle_sweep_positions at)
{
    const pqt_vec centre = pqt_vec_subtract(at.circle, at.region);
    return (pqt_pixel){pixel_within(centre.x, cursor->min.x, cursor->max.x),
                       pixel_within(centre.y, cursor->min.y, cursor->max.y)};
}

static pqt_vec
normal_for_circle(const pqti_mover_pair *pair, pqt_vec normal)
{
    return pair->swapped ? pqt_vec_scale(normal, -1) : normal;
}

/* The status of a sweep that ends without an overlap. */
static pqt_sweep_status
status_at_end(const pqti_circle_sweep *p)
{
    return pqti_circle_sweep_touches(p, p->to) ? PQT_SWEEP_TOUCHES : PQT_SWEEP_FREE;
}

/* Sweeps from a position without an overlap, which was reached at time `since`. */
static void
sweep_from(const pqti_circle_sweep *p, double since, pqt_region_sweep *result)
{
    pqti_circle_sweep_hit first = pqti_circle_sweep_first(p);
    if (first.key == INFINITY) {
        result->status = status_at_end(p);
        return;
    }
    const pqti_mover_pair pair = pqti_circle_sweep_pair(p, &first.cursor);
    const circle_stop h = free_position_of_circle(p, stop_at_hit(p, &first));
    result->status = PQT_SWEEP_HITS;
    result->time = since + (1 - since) * h.time;
    result->stop = h.at.circle;
    result->stop_other = h.at.region;
    result->blocked = first.toi.blocked;
    result->normal = normal_for_circle(&pair, first.toi.normal);
    result->met.b = nearest_pixel(&first.cursor, h.at);
}

static pqt_region_sweep
sweep_circle(pqti_circle_sweep *p, bool ignore_overlap)
{
    pqt_region_sweep result = {.status = PQT_SWEEP_FREE, .time = 1};
    result.stop = p->to.circle;
    result.stop_other = p->to.region;
    if (circle_overlaps(p, p->from)) {
        result.exit = exit_time_of_circle(p);
        result.push_out = smallest_circle_push(p);
        if (!ignore_overlap) {
            result.status = PQT_SWEEP_OVERLAPS;
            result.time = 0;
            result.stop = p->from.circle;
            result.stop_other = p->from.region;
            return result;
        }
        if (result.exit >= 1) {
            result.status = circle_overlaps(p, p->to) ? PQT_SWEEP_OVERLAPS : status_at_end(p);
            return result;
        }
        p->from = pqti_circle_sweep_positions_at(p, result.exit);
    }
    sweep_from(p, result.exit, &result);
    return result;
}

static bool
validate_circle_obstacle(pqt_region_mover other, pqti_circle_sweep *p)
{
    pqti_fixpos from, to;
    if (!pqti_fixpos_of(other.from, PQT_PIXEL_LIMIT, &from) ||
        !pqti_fixpos_of(other.to, PQT_PIXEL_LIMIT, &to))
        return false;
    p->from.region = pqti_vec_of(from);
    p->to.region = pqti_vec_of(to);
    return true;
}

static bool
position_is_within_limit(pqt_vec position)
{
    const double most = PQT_PIXEL_LIMIT;
    return pqti_fabs(position.x) <= most && pqti_fabs(position.y) <= most;
}

/* Refuses a circle of radius 0, because it would pass between pixels. */
static bool
validate_circle_sweep(pqt_mover mover, pqti_circle_sweep *p)
{
    p->radius = mover.radius;
    p->from.circle = mover.from;
    p->to.circle = mover.to;
    return mover.kind == PQT_MOVER_CIRCLE && mover.radius > 0 && mover.radius <= PQT_PIXEL_LIMIT &&
           position_is_within_limit(mover.from) && position_is_within_limit(mover.to);
}

pqt_region_sweep
pqt_region_sweep_circle(pqt_mover mover, pqt_region_mover other,
                        const pqt_region_sweep_options *options)
{
    pqt_region_sweep_options converted;
    options = pqti_region_options(__func__, options, &converted);
    PQT_ASSERT(other.region != NULL, "the region is NULL");
    pqti_assert_region_alive(__func__, other.region);
    const pqt_cells cells = options->cells;
    pqti_circle_sweep p = {.shape =
                               pqti_shape_view_of_cells(other.region, cells.side_b, cells.kind),
                           .stats = options->stats};
    if (!validate_circle_sweep(mover, &p) || !validate_circle_obstacle(other, &p))
        return pqti_region_sweep_none(mover.from, other.from);
    return sweep_circle(&p, options->ignore_overlap);
}
