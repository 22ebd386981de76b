/* SPDX-License-Identifier: MIT */
/*
 * toi_position.c: computes the positions at which two movers that hit each other stop.
 *
 * A stop must be free according to the predicates, and the next sweep in the same direction must
 * find that the movers touch. For a resting box, exact rounding achieves both: on the blocked axis,
 * the stop is the last double that is not beyond the side. On the other axis, it is the position at
 * the time of impact, adjusted so that the sides still face each other.
 *
 * For other shapes, the positions at the time of impact are backed off along the motion until the
 * predicate says that they are free: by one rounding error of the motion, then by two, four and so
 * on. From there, the rest of the motion is swept again, because the error of the first sweep
 * depends on the length of the whole motion. One repetition is usually enough. Each repetition
 * gains 48 bits, so MAX_SWEEPS repetitions cover motions from 1e308 to the smallest doubles.
 */
#include "config.h"

#include "collision/toi_position.h"

#include <math.h>

#include <pqt/circle.h>
#include <pqt/segment.h>
#include <pqt/sweep.h>

#include "base/fp.h"
#include "collision/contact_convex.h"
#include "collision/mover.h"
#include "collision/toi.h"
#include "collision/toi_shapes.h"

enum { MAX_SWEEPS = 48, MANTISSA_BITS = 53 };

static bool
rests_at_zero(const pqt_mover *mover)
{
    return mover->kind == PQT_MOVER_BOX && pqti_mover_rests(mover) && mover->from.x == 0 &&
           mover->from.y == 0;
}

/* ---- Stops at a resting box ---- */

/* Returns the first step by which a position is backed off: its rounding error. Each further step
 * is twice as long. */
static double
first_step(double position)
{
    return pqti_fmax(pqti_fabs(position) * ldexp(1, -MANTISSA_BITS), PQTI_SMALLEST);
}

/* Moves a position by `step` toward the start of the motion, but not beyond the start. Returns the
 * result. */
static double
back_off(double position, double from, double step)
{
    return position > from ? pqti_fmax(position - step, from) : pqti_fmin(position + step, from);
}

/* Backs a position off along the motion until the boxes are no longer apart at the far side. The
 * steps grow, because a step may vanish when the sides are rounded. */
static double
back_off_axis(const pqti_swept_axis *axis, double position, int sign)
{
    pqti_swept_axis then = *axis;
    then.a_from = position;
    for (double step = first_step(position); then.a_from != axis->a_from; step *= 2) {
        if (pqti_apart_boxes(&then, sign) != sign)
            break;
        then.a_from = back_off(position, axis->a_from, step);
    }
    return then.a_from;
}

/* Returns the position at the time of impact on an axis that is not blocked, computed from the
 * nearer end of the motion. In exact arithmetic, the boxes overlap on this axis. If the rounded
 * boxes do not, the position is adjusted to the near side, or backed off at the far side. */
static double
position_on_free_axis(pqti_swept_axis axis, const pqti_toi *toi)
{
    double motion = axis.a_to - axis.a_from, half = axis.a_to / 2 - axis.a_from / 2;
    double slope = isfinite(motion) ? motion / toi->motion / toi->motion_unit
                                    : half / toi->motion * (2 / toi->motion_unit);
    double position = toi->time >= 0.5   ? axis.a_to - slope * toi->overshoot
                      : isfinite(motion) ? axis.a_from + motion * toi->time
                                         : axis.a_from + half * (2 * toi->time);
    pqti_swept_axis then = axis;
    then.a_from = position;
    int sign = axis.a_to > axis.a_from ? 1 : -1;
    int apart = pqti_apart_boxes(&then, sign);
    if (apart == 0 || axis.a_from == axis.a_to)
        return position;
    if (apart == -sign)
        return pqti_toi_stop_at_side(&axis);
    return back_off_axis(&axis, position, sign);
}

static bool
hits_at_once(const pqt_mover *a, const pqt_mover *b)
{
    pqti_toi toi = pqti_toi_of(a, b, false);
    return toi.hits && toi.time == 0;
}

/* Returns true if two motions from `position` hit the box at once: one to the end of the motion,
 * and one by the whole length of the motion. */
static bool
hits_at_once_from(const pqt_mover *a, const pqt_mover *b, pqt_vec position)
{
    pqt_vec motion = pqt_vec_subtract(a->to, a->from);
    pqt_mover rest = *a, further = *a;
    rest.from = further.from = position;
    further.to = pqt_vec_add(position, motion);
    return hits_at_once(&rest, b) && (!pqt_mover_is_valid(further) || hits_at_once(&further, b));
}

/* Backs a stop off along the side, in growing steps, if the sides face each other over so short a
 * length that the next sweep would pass the corner because of the stop's rounding error. */
static pqt_vec
back_off_past_corner(const pqt_mover *a, const pqt_mover *b, pqt_vec stop, bool along_x)
{
    pqt_vec position = stop;
    double *moved = along_x ? &position.x : &position.y;
    double from = along_x ? a->from.x : a->from.y, whole = *moved;
    for (double step = first_step(whole);; step *= 2) {
        if (hits_at_once_from(a, b, position))
            return position;
        if (*moved == from)
            break;
        *moved = back_off(whole, from, step);
    }
    return stop;
}

static pqti_toi_positions
stop_at_side(const pqt_mover *a, const pqt_mover *b, const pqti_toi *toi)
{
    pqti_swept_axis x = pqti_swept_x(a, b), y = pqti_swept_y(a, b);
    bool on_x = (toi->blocked & PQT_BLOCKED_X) != 0, on_y = (toi->blocked & PQT_BLOCKED_Y) != 0;
    pqti_toi_positions stop = {toi->time, a->from, b->from, 0};
    if (toi->time == 0)
        return stop;
    stop.a.x = on_x ? pqti_toi_stop_at_side(&x) : position_on_free_axis(x, toi);
    stop.a.y = on_y ? pqti_toi_stop_at_side(&y) : position_on_free_axis(y, toi);
    if (on_x != on_y)
        stop.a = back_off_past_corner(a, b, stop.a, on_y);
    return stop;
}

/* ---- Measured stops ---- */

static pqti_toi_positions
positions_at(const pqt_mover *a, const pqt_mover *b, double time)
{
    return (pqti_toi_positions){time, pqt_segment_at((pqt_segment){a->from, a->to}, time),
                                pqt_segment_at((pqt_segment){b->from, b->to}, time), 0};
}

/* Returns true if the movers do not overlap at a stop and do not hit each other before it. The
 * second condition is necessary because the rounding error of the motion may exceed the width of
 * the other shape, so that the stop may be beyond it. */
static bool
is_before_all(const pqt_mover *a, const pqt_mover *b, const pqti_toi_positions *stop)
{
    pqt_mover prefix_a = *a, prefix_b = *b;
    prefix_a.to = stop->a;
    prefix_b.to = stop->b;
    return !pqti_mover_overlaps(a, stop->a, b, stop->b) &&
           !pqti_toi_of(&prefix_a, &prefix_b, false).hits;
}

/* Returns the time at which the movers hit each other on the way to positions at which they
 * overlap, even if they overlap by less than the error. */
static double
time_of_least_dip(const pqt_mover *a, const pqt_mover *b, const pqti_toi_positions *stop)
{
    pqt_mover prefix_a = *a, prefix_b = *b;
    prefix_a.to = stop->a;
    prefix_b.to = stop->b;
    pqti_toi toi = pqti_toi_of(&prefix_a, &prefix_b, true);
    return toi.hits ? stop->time * toi.time : stop->time;
}

/* Returns the last free positions found up to a time. The start is free. */
static pqti_toi_positions
last_free_positions(const pqt_mover *a, const pqt_mover *b, double time)
{
    pqti_toi_positions stop = positions_at(a, b, time);
    if (pqti_mover_overlaps(a, stop.a, b, stop.b)) {
        time = time_of_least_dip(a, b, &stop);
        stop = positions_at(a, b, time);
    }
    int tested = 0;
    for (int bits = -MANTISSA_BITS; bits <= 0; bits++) {
        tested++;
        if (is_before_all(a, b, &stop)) {
            stop.tested = tested;
            return stop;
        }
        stop = positions_at(a, b, time - ldexp(time, bits));
    }
    return (pqti_toi_positions){0, a->from, b->from, tested};
}

/* Returns the direction against the motion of a relative to b. Computes a quarter of it if the
 * whole would overflow. */
static pqt_vec
normal_against_motion(const pqt_mover *a, const pqt_mover *b)
{
    pqt_vec motion_a = pqt_vec_subtract(a->to, a->from),
            motion_b = pqt_vec_subtract(b->to, b->from);
    pqt_vec back = pqt_vec_subtract(motion_b, motion_a);
    if (pqt_vec_is_finite(back))
        return pqt_vec_normalize(back);
    motion_a = pqt_vec_subtract(pqt_vec_scale(a->to, 0.25), pqt_vec_scale(a->from, 0.25));
    motion_b = pqt_vec_subtract(pqt_vec_scale(b->to, 0.25), pqt_vec_scale(b->from, 0.25));
    return pqt_vec_normalize(pqt_vec_subtract(motion_b, motion_a));
}

pqti_toi
pqti_toi_or_end(const pqt_mover *a, const pqt_mover *b)
{
    pqti_toi toi = pqti_toi_of(a, b, false);
    if (toi.hits || !pqti_mover_overlaps(a, a->to, b, b->to))
        return toi;
    toi = pqti_toi_of(a, b, true);
    if (toi.hits)
        return toi;
    /* The normal remains 0: a path whose rounding error exceeds the overlap does not tell which
     * side was hit. */
    return (pqti_toi){
        .hits = true, .time = 1, .is_round = true, .blocked = PQT_BLOCKED_X | PQT_BLOCKED_Y};
}

static bool
is_same_position(pqt_vec a, pqt_vec b)
{
    return a.x == b.x && a.y == b.y;
}

static bool
is_zero(pqt_vec v)
{
    return v.x == 0 && v.y == 0;
}

/* Replaces the side of an impact by that of a later one. */
static void
take_side(pqti_toi *toi, const pqti_toi *later)
{
    toi->normal = later->normal;
    toi->blocked = later->blocked;
}

/* Returns the stops. If the rest of the motion leads further, it also decides which side is hit,
 * because its rounding error is smaller than that of the whole motion. */
static pqti_toi_positions
stop_measured(const pqt_mover *a, const pqt_mover *b, pqti_toi *toi)
{
    if (toi->time == 0)
        return (pqti_toi_positions){0, a->from, b->from, 0};
    pqti_toi_positions stop = last_free_positions(a, b, toi->time);
    pqt_mover rest_a = *a, rest_b = *b;
    for (int i = 0; i < MAX_SWEEPS; i++) {
        rest_a.from = stop.a;
        rest_b.from = stop.b;
        pqti_toi again = pqti_toi_or_end(&rest_a, &rest_b);
        if (again.hits && is_zero(toi->normal))
            take_side(toi, &again);
        if (!again.hits || again.time == 0)
            break;
        pqti_toi_positions next = last_free_positions(&rest_a, &rest_b, again.time);
        if (is_same_position(next.a, stop.a) && is_same_position(next.b, stop.b))
            break;
        take_side(toi, &again);
        /* the times of `next` are fractions of the rest of the motion */
        const double time = stop.time + (1 - stop.time) * next.time;
        stop = (pqti_toi_positions){pqti_fmin(time, 1), next.a, next.b, stop.tested + next.tested};
    }
    if (is_same_position(stop.a, a->from) && is_same_position(stop.b, b->from))
        stop.time = 0;
    return stop;
}

/* Returns the direction from b to a at a stop, where one of them is a circle. Returns 0 if they are
 * not apart. */
static pqt_vec
normal_at(const pqt_mover *a, const pqt_mover *b, const pqti_toi_positions *stop)
{
    if (a->kind == PQT_MOVER_CIRCLE && b->kind == PQT_MOVER_CIRCLE)
        return pqt_vec_normalize(pqt_vec_subtract(stop->a, stop->b));
    if (a->kind == PQT_MOVER_BOX && b->kind == PQT_MOVER_CIRCLE) {
        pqti_toi_positions swapped = {.a = stop->b, .b = stop->a};
        return pqt_vec_scale(normal_at(b, a, &swapped), -1);
    }
    pqt_box box = pqti_mover_box_at(b, stop->b);
    pqt_vec nearest = {pqti_fmin(box.max.x, pqti_fmax(box.min.x, stop->a.x)),
                       pqti_fmin(box.max.y, pqti_fmax(box.min.y, stop->a.y))};
    return pqt_vec_normalize(pqt_vec_subtract(stop->a, nearest));
}

/* Returns a normal without its part along the motion. There is such a part if the shapes are
 * smaller than the rounding error of the stop, so that the stop is beyond one of them. */
static pqt_vec
without_part_along_motion(pqt_vec normal, pqt_vec back)
{
    const double against = pqt_vec_dot(normal, back);
    if (against >= -PQTI_LEAST_STEEPNESS)
        return normal;
    return pqt_vec_normalize(pqt_vec_subtract(normal, pqt_vec_scale(back, against)));
}

pqti_toi_positions
pqti_toi_positions_of(const pqt_mover *a, const pqt_mover *b, pqti_toi *toi)
{
    if (!toi->is_round && rests_at_zero(b))
        return stop_at_side(a, b, toi);
    pqti_toi_positions stop = stop_measured(a, b, toi);
    if (!toi->is_round)
        return stop;
    bool is_side = toi->blocked == PQT_BLOCKED_X || toi->blocked == PQT_BLOCKED_Y;
    bool has_circle = a->kind == PQT_MOVER_CIRCLE || b->kind == PQT_MOVER_CIRCLE;
    if (has_circle && !is_side && !pqti_has_convex(a, b)) {
        pqt_vec normal = normal_at(a, b, &stop);
        if (!is_zero(normal))
            toi->normal = normal;
    }
    const pqt_vec back = normal_against_motion(a, b);
    toi->normal = without_part_along_motion(toi->normal, back);
    if (is_zero(toi->normal)) /* unknown, or rounded to 0 */
        toi->normal = back;
    toi->blocked = pqti_blocked_axes(toi->normal);
    return stop;
}

/* ---- Push out of an overlap ---- */

static pqt_circle
circle_at(const pqt_mover *mover, pqt_vec position)
{
    return (pqt_circle){position, mover->radius};
}

typedef pqt_contact contact_fn(const pqti_placed *a, const pqti_placed *b);

static pqt_contact
contact_of_convexes(const pqt_mover *a, const pqt_mover *b, contact_fn *contact_of)
{
    pqti_box_corners corners_a, corners_b;
    const pqti_placed at_a = pqti_placed_mover(a, a->from, &corners_a);
    const pqti_placed at_b = pqti_placed_mover(b, b->from, &corners_b);
    return contact_of(&at_a, &at_b);
}

static pqt_contact
contact_at_start(const pqt_mover *a, const pqt_mover *b)
{
    if (pqti_has_convex(a, b))
        return contact_of_convexes(a, b, pqti_contact_of_placed);
    bool circle_a = a->kind == PQT_MOVER_CIRCLE, circle_b = b->kind == PQT_MOVER_CIRCLE;
    pqt_box box_a = pqti_mover_box_at(a, a->from), box_b = pqti_mover_box_at(b, b->from);
    if (circle_a && circle_b)
        return pqt_contact_circles(circle_at(a, a->from), circle_at(b, b->from));
    if (circle_a)
        return pqt_contact_circle_box(circle_at(a, a->from), box_b);
    if (!circle_b)
        return pqt_contact_boxes(box_a, box_b);
    pqt_contact contact = pqt_contact_circle_box(circle_at(b, b->from), box_a);
    contact.normal = pqt_vec_scale(contact.normal, -1);
    contact.push = pqt_vec_scale(contact.push, -1);
    return contact;
}

double
pqti_depth_of_boxes(const pqt_box *a, const pqt_box *b)
{
    double x = pqti_fmin(a->max.x - b->min.x, b->max.x - a->min.x);
    return pqti_fmin(x, pqti_fmin(a->max.y - b->min.y, b->max.y - a->min.y));
}

double
pqti_mover_depth(const pqt_mover *a, const pqt_mover *b)
{
    if (pqti_has_convex(a, b))
        return contact_of_convexes(a, b, pqti_contact_without_push).depth;
    if (a->kind != PQT_MOVER_BOX || b->kind != PQT_MOVER_BOX)
        return contact_at_start(a, b).depth;
    pqt_box box_a = pqti_mover_box_at(a, a->from), box_b = pqti_mover_box_at(b, b->from);
    return pqti_depth_of_boxes(&box_a, &box_b);
}

/* Returns the rounding error of a position. Scales the position first, because its length may
 * overflow. */
static double
rounding_of(pqt_vec position)
{
    return pqt_vec_length(pqt_vec_scale(position, 0x1p-53));
}

pqt_vec
pqti_push_out_position(const pqt_mover *a, const pqt_mover *b, pqt_contact *contact)
{
    *contact = contact_at_start(a, b);
    pqt_vec out = pqt_vec_add(a->from, contact->push);
    if (a->kind != PQT_MOVER_BOX || pqti_has_convex(a, b))
        return out;
    /* The sides of a box are rounded again at the new position, so the push is lengthened until
     * that position is free. */
    double more = contact->depth * 0x1p-53;
    pqt_box shape = a->box;
    more = pqti_fmax(more, rounding_of(a->from));
    more = pqti_fmax(more, rounding_of(shape.min));
    more = pqti_fmax(more, rounding_of(shape.max));
    more = pqti_fmax(more, 0x1p-1074);
    for (int i = 0; i < 64 && pqti_mover_overlaps(a, out, b, b->from); i++, more *= 2)
        out =
            pqt_vec_add(a->from, pqt_vec_add(contact->push, pqt_vec_scale(contact->normal, more)));
    return out;
}

pqt_vec
pqti_end_along_tangent(pqt_vec stop, pqt_vec to, pqt_vec normal)
{
    pqt_vec tangent = {-normal.y, normal.x};
    double length = pqt_vec_dot(pqt_vec_subtract(to, stop), tangent);
    return pqt_vec_add(stop, pqt_vec_scale(tangent, length));
}

pqt_vec
pqti_end_along_side(pqt_vec stop, pqt_vec to, pqt_vec normal)
{
    const pqt_vec end = pqti_end_along_tangent(stop, to, normal);
    const double size = pqti_fmax(pqti_fmax(pqti_fabs(stop.x), pqti_fabs(stop.y)),
                                  pqti_fmax(pqti_fabs(end.x), pqti_fabs(end.y)));
    return pqt_vec_add(end, pqt_vec_scale(normal, size * PQTI_SWEPT_ERROR));
}
