/* SPDX-License-Identifier: MIT */
/*
 * region_sweep_circle.c - a circle on its way past a region.
 *
 * The first full square that is met as a box stops the circle. Boxes side by side make no ghosts,
 * since the square around the circle is decided exactly, and at equal times a side comes before a
 * corner.
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

/* How often a stop is sought that lies in nothing, before the circle stays where it was. */
enum { MOST_TRIES = 8 };

static bool
is_same(pqt_vec a, pqt_vec b)
{
    return a.x == b.x && a.y == b.y;
}

static bool
is_within(const pqti_passage *p, pqti_places at)
{
    return pqti_passage_overlaps(p, at, 0, NULL);
}

/* ---- stops ---- */

/* Where both are when the circle stops. */
typedef struct halt {
    double time;
    pqti_places at;
} halt;

/* Beside the square that is met first. The normal is measured there. */
static halt
halt_beside(const pqti_passage *p, pqti_encounter *first)
{
    const pqti_pair_met two = pqti_passage_pair(p, &first->met);
    const pqti_stop stop = pqti_stop_at(&two.a, &two.b, &first->impact);
    halt h = {stop.time, {stop.a, stop.b}};
    if (two.turned)
        h.at = (pqti_places){stop.b, stop.a};
    if (is_same(p->from.region, p->to.region))
        h.at.region = p->from.region;
    return h;
}

/* The last places before a stop that are free of everything: back by one rounding, by two, by
   four... */
static halt
taken_back(const pqti_passage *p, halt h)
{
    const pqti_passage way = {.from = p->from, .to = h.at};
    for (int bits = -53; bits < 0; bits++) {
        const double part = 1 - ldexp(1, bits);
        const pqti_places at = pqti_places_at(&way, part);
        if (!is_within(p, at))
            return (halt){h.time * part, at};
    }
    return (halt){0, p->from};
}

/* The stop beside one square may by rounding lie in another that is met a hair later: then from a
 * place before that it is swept on. */
static halt
freed(const pqti_passage *p, halt h)
{
    pqti_passage rest = *p;
    for (int i = 0; i < MOST_TRIES; i++) {
        if (!is_within(p, h.at))
            return h;
        h = taken_back(&rest, h);
        rest.from = h.at;
        pqti_encounter next = pqti_passage_first(&rest);
        if (next.key == INFINITY || next.impact.time == 0)
            return h;
        h.at = halt_beside(&rest, &next).at;
    }
    return (halt){0, p->from};
}

/* ---- starting in it ---- */

/* When the circle is out of all that it overlaps; INFINITY without a movement. */
static double
exit_of(const pqti_passage *p)
{
    const pqt_vec of_circle = pqt_vec_subtract(p->to.circle, p->from.circle);
    const pqt_vec way = pqt_vec_subtract(of_circle, pqt_vec_subtract(p->to.region, p->from.region));
    const int last_quarter = (way.x > 0) + 2 * (way.y > 0);
    double time = 0, more = 0x1p-52;
    while (time < INFINITY) {
        pqti_shape_cell met;
        if (!pqti_passage_overlaps(p, pqti_places_at(p, time), last_quarter, &met))
            return time;
        const pqti_pair_met two = pqti_passage_pair(p, &met);
        const double exit = pqti_exit(&two.a, &two.b);
        /* Where it is out already, but for roundings, it goes on by ever more of them. */
        more = exit > time ? 0x1p-52 : 2 * more;
        time = exit > time ? exit : time + pqti_greater(time, 1) * more;
    }
    return time;
}

/* How far it is out of the region along an axis, from where both are at the start. */
static double
push_along(const pqti_passage *p, pqt_vec axis)
{
    pqti_passage pushed = *p;
    pushed.to = (pqti_places){pqt_vec_add(p->from.circle, axis), p->from.region};
    double length = exit_of(&pushed);
    for (double more = 0x1p-52;; more *= 2) {
        const pqt_vec there = pqt_vec_add(p->from.circle, pqt_vec_scale(axis, length));
        if (!is_within(p, (pqti_places){there, p->from.region}))
            return length;
        length += pqti_greater(length, 1) * more;
    }
}

static pqt_vec
smallest_push(const pqti_passage *p)
{
    static const pqt_vec axes[4] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    pqt_vec push = {0, 0};
    double least = INFINITY;
    for (int i = 0; i < 4; i++) {
        const double length = push_along(p, axes[i]);
        if (length >= least)
            continue;
        least = length;
        push = (pqt_vec){axes[i].x != 0 ? axes[i].x * length : 0,
                         axes[i].y != 0 ? axes[i].y * length : 0};
    }
    return push;
}

double
pqti_circle_exit(pqt_circle circle, const pqt_region *region, pqt_vec at, pqt_vec axis)
{
    const pqti_passage p = {
        .figure = pqti_figure_of(region), .radius = circle.radius, .from = {circle.centre, at}};
    return push_along(&p, axis);
}

/* ---- sweeping ---- */

static int32_t
pixel_within(double place, int64_t min, int64_t max)
{
    const double first = pqti_pixels_of(min), last = pqti_pixels_of(max) - 1;
    return (int32_t)pqti_lesser(last, pqti_greater(first, floor(place)));
}

/* The pixel of a square that is nearest to the circle; between two, the right or lower one. */
static pqt_pixel
nearest_pixel(const pqti_shape_cell *part, pqti_places at)
{
    const pqt_vec centre = pqt_vec_subtract(at.circle, at.region);
    return (pqt_pixel){pixel_within(centre.x, part->min.x, part->max.x),
                       pixel_within(centre.y, part->min.y, part->max.y)};
}

static pqt_vec
seen_from_square(const pqti_pair_met *two, pqt_vec normal)
{
    return two->turned ? pqt_vec_scale(normal, -1) : normal;
}

/* The status of a sweep that reaches its end, where the circle overlaps nothing. */
static pqt_sweep_status
status_at_end(const pqti_passage *p)
{
    return pqti_passage_touches(p, p->to) ? PQT_SWEEP_TOUCHES : PQT_SWEEP_FREE;
}

/* From where it overlaps nothing. `since` is when that is. */
static void
sweep_on(const pqti_passage *p, double since, pqt_region_sweep *result)
{
    pqti_encounter first = pqti_passage_first(p);
    if (first.key == INFINITY) {
        result->status = status_at_end(p);
        return;
    }
    const pqti_pair_met two = pqti_passage_pair(p, &first.met);
    const halt h = freed(p, halt_beside(p, &first));
    result->status = PQT_SWEEP_HITS;
    result->time = since + (1 - since) * h.time;
    result->stop = h.at.circle;
    result->stop_other = h.at.region;
    result->blocked = first.impact.blocked;
    result->normal = seen_from_square(&two, first.impact.normal);
    result->met.b = nearest_pixel(&first.met, h.at);
}

static pqt_region_sweep
sweep(pqti_passage *p, bool ignore_overlap)
{
    pqt_region_sweep result = {.status = PQT_SWEEP_FREE, .time = 1};
    result.stop = p->to.circle;
    result.stop_other = p->to.region;
    if (is_within(p, p->from)) {
        result.exit = exit_of(p);
        result.out = smallest_push(p);
        if (!ignore_overlap) {
            result.status = PQT_SWEEP_OVERLAPS;
            result.time = 0;
            result.stop = p->from.circle;
            result.stop_other = p->from.region;
            return result;
        }
        if (result.exit >= 1) {
            result.status = is_within(p, p->to) ? PQT_SWEEP_OVERLAPS : status_at_end(p);
            return result;
        }
        p->from = pqti_places_at(p, result.exit);
    }
    sweep_on(p, result.exit, &result);
    return result;
}

static bool
admit_region(pqt_moving_region other, pqti_passage *p)
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
is_near(pqt_vec place)
{
    const double most = PQT_PIXEL_LIMIT;
    return pqti_magnitude(place.x) <= most && pqti_magnitude(place.y) <= most;
}

/* A point would slip between pixels. */
static bool
admit_circle(pqt_mover mover, pqti_passage *p)
{
    p->radius = mover.radius;
    p->from.circle = mover.from;
    p->to.circle = mover.to;
    return mover.kind == PQT_MOVER_CIRCLE && mover.radius > 0 && mover.radius <= PQT_PIXEL_LIMIT &&
           is_near(mover.from) && is_near(mover.to);
}

pqt_region_sweep
pqt_region_sweep_circle(pqt_mover mover, pqt_moving_region other,
                        const pqt_region_sweep_options *options)
{
    options = pqti_region_options(__func__, options);
    PQT_ASSERT(other.region != NULL, "the region is NULL");
    const pqt_cells cells = options->cells;
    pqti_passage p = {.figure = pqti_figure_of_cells(other.region, cells.side_b, cells.reading),
                      .tally = options->tally};
    if (!admit_circle(mover, &p) || !admit_region(other, &p))
        return pqti_region_none(mover.from, other.from);
    return sweep(&p, options->ignore_overlap);
}
