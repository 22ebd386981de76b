/* SPDX-License-Identifier: MIT */
/*
 * toi_position.c - where two movers stop that hit each other.
 *
 * A stop must be free by the predicates, and must be such that the next sweep in the same direction
 * finds them touching. Beside a box that stands still both follow from exact roundings: on the axis
 * that is blocked, the last double that is not beyond the side. On the other axis the place is that
 * of the time, but so that the sides still face each other.
 *
 * Elsewhere places are measured: those of the time are taken back along the way until the predicate
 * calls them free, by one rounding of the way, then by two, four and so on. From there it is swept
 * again, as the first time was only as exact as the whole way is long; mostly once. Each time
 * brings 48 bits, so MOST_SWEEPS do for ways from 1e308 down to the smallest doubles.
 */
#include "config.h"

#include "collision/toi_position.h"

#include <math.h>

#include <pqt/circle.h>
#include <pqt/segment.h>
#include <pqt/sweep.h>

#include "base/fp.h"
#include "collision/mover.h"
#include "collision/toi.h"
#include "collision/toi_shapes.h"

enum { MOST_SWEEPS = 48, MANTISSA_BITS = 53 };

static bool
rests_at_zero(const pqt_mover *mover)
{
    return mover->kind == PQT_MOVER_BOX && pqti_mover_rests(mover) && mover->from.x == 0 &&
           mover->from.y == 0;
}

/* ---- Beside a box ---- */

/* The first of the steps back from a place, each twice as long as the one before: its rounding. */
static double
first_step(double place)
{
    return pqti_greater(pqti_magnitude(place) * ldexp(1, -MANTISSA_BITS), PQTI_SMALLEST);
}

/* A place taken back toward where the way begins, or that. */
static double
taken_back(double place, double from, double step)
{
    return place > from ? pqti_greater(place - step, from) : pqti_lesser(place + step, from);
}

/* Back from a place on the way, until the boxes at it are not apart any more at the side at which
 * they leave. A rounding of the place may be lost in those of the sides: so steps grow. */
static double
place_back(const pqti_course_axis *axis, double place, int heading)
{
    pqti_course_axis then = *axis;
    then.a_from = place;
    for (double step = first_step(place); then.a_from != axis->a_from; step *= 2) {
        if (pqti_apart_boxes(&then, heading) != heading)
            break;
        then.a_from = taken_back(place, axis->a_from, step);
    }
    return then.a_from;
}

/* The place at a time on an axis that is not blocked, counted from the nearer end of the way. The
 * boxes overlap on it in truth: if not by the places' rounding, then the side at which they came is
 * touched, or that at which they leave kept. */
static double
place_facing(pqti_course_axis axis, const pqti_impact *impact)
{
    double way = axis.a_to - axis.a_from, half = axis.a_to / 2 - axis.a_from / 2;
    double slope =
        isfinite(way) ? way / impact->way / impact->unit : half / impact->way * (2 / impact->unit);
    double place = impact->time >= 0.5 ? axis.a_to - slope * impact->beyond
                   : isfinite(way)     ? axis.a_from + way * impact->time
                                       : axis.a_from + half * (2 * impact->time);
    pqti_course_axis then = axis;
    then.a_from = place;
    int heading = axis.a_to > axis.a_from ? 1 : -1;
    int apart = pqti_apart_boxes(&then, heading);
    if (apart == 0 || axis.a_from == axis.a_to)
        return place;
    if (apart == -heading)
        return pqti_stop_beside(&axis);
    return place_back(&axis, place, heading);
}

static bool
hits_at_once(const pqt_mover *a, const pqt_mover *b)
{
    pqti_impact impact = pqti_impact_of(a, b, false);
    return impact.hits && impact.time == 0;
}

/* Whether a way from a place meets the box at once, to where the whole leads or as far again. */
static bool
stays_at(const pqt_mover *a, const pqt_mover *b, pqt_vec place)
{
    pqt_vec way = pqt_vec_subtract(a->to, a->from);
    pqt_mover rest = *a, further = *a;
    rest.from = further.from = place;
    further.to = pqt_vec_add(place, way);
    return hits_at_once(&rest, b) && (!pqt_mover_is_valid(further) || hits_at_once(&further, b));
}

/* Where the sides face each other by so little that the rounding of the stop would let the next way
 * pass the corner, it is taken back along the side, by steps that grow. */
static pqt_vec
place_staying(const pqt_mover *a, const pqt_mover *b, pqt_vec stop, bool along_x)
{
    pqt_vec place = stop;
    double *moved = along_x ? &place.x : &place.y;
    double from = along_x ? a->from.x : a->from.y, whole = *moved;
    for (double step = first_step(whole);; step *= 2) {
        if (stays_at(a, b, place))
            return place;
        if (*moved == from)
            break;
        *moved = taken_back(whole, from, step);
    }
    return stop;
}

static pqti_stop
stop_beside(const pqt_mover *a, const pqt_mover *b, const pqti_impact *impact)
{
    pqti_course_axis x = pqti_course_x(a, b), y = pqti_course_y(a, b);
    bool on_x = (impact->blocked & PQT_BLOCKED_X) != 0,
         on_y = (impact->blocked & PQT_BLOCKED_Y) != 0;
    pqti_stop stop = {impact->time, a->from, b->from};
    if (impact->time == 0)
        return stop;
    stop.a.x = on_x ? pqti_stop_beside(&x) : place_facing(x, impact);
    stop.a.y = on_y ? pqti_stop_beside(&y) : place_facing(y, impact);
    if (on_x != on_y)
        stop.a = place_staying(a, b, stop.a, on_y);
    return stop;
}

/* ---- Measured ---- */

static pqti_stop
places_at(const pqt_mover *a, const pqt_mover *b, double time)
{
    return (pqti_stop){time, pqt_segment_at((pqt_segment){a->from, a->to}, time),
                       pqt_segment_at((pqt_segment){b->from, b->to}, time)};
}

/* Whether they do not overlap at places on their way, and did not meet before: roundings of the way
 * may be wider than what they met with, and lead beyond it. */
static bool
is_before_all(const pqt_mover *a, const pqt_mover *b, const pqti_stop *stop)
{
    pqt_mover part_a = *a, part_b = *b;
    part_a.to = stop->a;
    part_b.to = stop->b;
    return !pqt_mover_overlaps(*a, stop->a, *b, stop->b) &&
           !pqti_impact_of(&part_a, &part_b, false).hits;
}

/* When they meet on the way to places where they overlap, be it by less than counts. */
static double
time_of_least_dip(const pqt_mover *a, const pqt_mover *b, const pqti_stop *stop)
{
    pqt_mover part_a = *a, part_b = *b;
    part_a.to = stop->a;
    part_b.to = stop->b;
    pqti_impact impact = pqti_impact_of(&part_a, &part_b, true);
    return impact.hits ? stop->time * impact.time : stop->time;
}

/* The last places up to a time that are free; those of the start are. */
static pqti_stop
free_places(const pqt_mover *a, const pqt_mover *b, double time)
{
    pqti_stop stop = places_at(a, b, time);
    if (pqt_mover_overlaps(*a, stop.a, *b, stop.b)) {
        time = time_of_least_dip(a, b, &stop);
        stop = places_at(a, b, time);
    }
    for (int bits = -MANTISSA_BITS; bits <= 0; bits++) {
        if (is_before_all(a, b, &stop))
            return stop;
        stop = places_at(a, b, time - ldexp(time, bits));
    }
    return (pqti_stop){0, a->from, b->from};
}

/* Back along the way of a as seen from b. In quarters, where the whole would overflow. */
static pqt_vec
normal_against_way(const pqt_mover *a, const pqt_mover *b)
{
    pqt_vec way_a = pqt_vec_subtract(a->to, a->from), way_b = pqt_vec_subtract(b->to, b->from);
    pqt_vec back = pqt_vec_subtract(way_b, way_a);
    if (pqt_vec_is_finite(back))
        return pqt_vec_normalize(back);
    way_a = pqt_vec_subtract(pqt_vec_scale(a->to, 0.25), pqt_vec_scale(a->from, 0.25));
    way_b = pqt_vec_subtract(pqt_vec_scale(b->to, 0.25), pqt_vec_scale(b->from, 0.25));
    return pqt_vec_normalize(pqt_vec_subtract(way_b, way_a));
}

pqti_impact
pqti_impact_or_end(const pqt_mover *a, const pqt_mover *b)
{
    pqti_impact impact = pqti_impact_of(a, b, false);
    if (impact.hits || !pqt_mover_overlaps(*a, a->to, *b, b->to))
        return impact;
    impact = pqti_impact_of(a, b, true);
    if (impact.hits)
        return impact;
    impact = (pqti_impact){.hits = true, .time = 1, .is_round = true};
    impact.blocked = PQT_BLOCKED_X | PQT_BLOCKED_Y;
    impact.normal = normal_against_way(a, b);
    return impact;
}

static bool
is_same_place(pqt_vec a, pqt_vec b)
{
    return a.x == b.x && a.y == b.y;
}

static pqti_stop
stop_measured(const pqt_mover *a, const pqt_mover *b, const pqti_impact *impact)
{
    if (impact->time == 0)
        return (pqti_stop){0, a->from, b->from};
    pqti_stop stop = free_places(a, b, impact->time);
    pqt_mover rest_a = *a, rest_b = *b;
    for (int i = 0; i < MOST_SWEEPS; i++) {
        rest_a.from = stop.a;
        rest_b.from = stop.b;
        pqti_impact again = pqti_impact_or_end(&rest_a, &rest_b);
        if (!again.hits || again.time == 0)
            break;
        pqti_stop next = free_places(&rest_a, &rest_b, again.time);
        if (is_same_place(next.a, stop.a) && is_same_place(next.b, stop.b))
            break;
        stop = (pqti_stop){stop.time, next.a, next.b};
    }
    if (is_same_place(stop.a, a->from) && is_same_place(stop.b, b->from))
        stop.time = 0;
    return stop;
}

/* The way from one shape to another at a stop, one of them a circle; none if they are not apart. */
static pqt_vec
normal_at(const pqt_mover *a, const pqt_mover *b, const pqti_stop *stop)
{
    if (a->kind == PQT_MOVER_CIRCLE && b->kind == PQT_MOVER_CIRCLE)
        return pqt_vec_normalize(pqt_vec_subtract(stop->a, stop->b));
    if (a->kind == PQT_MOVER_BOX && b->kind == PQT_MOVER_CIRCLE) {
        pqti_stop turned = {stop->time, stop->b, stop->a};
        return pqt_vec_scale(normal_at(b, a, &turned), -1);
    }
    pqt_box box = pqt_mover_box_at(*b, stop->b);
    pqt_vec nearest = {pqti_lesser(box.max.x, pqti_greater(box.min.x, stop->a.x)),
                       pqti_lesser(box.max.y, pqti_greater(box.min.y, stop->a.y))};
    return pqt_vec_normalize(pqt_vec_subtract(stop->a, nearest));
}

pqti_stop
pqti_stop_at(const pqt_mover *a, const pqt_mover *b, pqti_impact *impact)
{
    if (!impact->is_round && rests_at_zero(b))
        return stop_beside(a, b, impact);
    pqti_stop stop = stop_measured(a, b, impact);
    bool is_side = impact->blocked == PQT_BLOCKED_X || impact->blocked == PQT_BLOCKED_Y;
    bool has_circle = a->kind == PQT_MOVER_CIRCLE || b->kind == PQT_MOVER_CIRCLE;
    if (impact->is_round && !is_side && has_circle) {
        pqt_vec normal = normal_at(a, b, &stop);
        if (normal.x != 0 || normal.y != 0)
            impact->normal = normal;
        if (impact->normal.x == 0 && impact->normal.y == 0) /* lost beside the length of the way */
            impact->normal = normal_against_way(a, b);
        impact->blocked = PQT_BLOCKED_X | PQT_BLOCKED_Y;
    }
    return stop;
}

/* ---- The way out ---- */

static pqt_circle
circle_at(const pqt_mover *mover, pqt_vec place)
{
    return (pqt_circle){place, mover->radius};
}

static pqt_contact
contact_at_start(const pqt_mover *a, const pqt_mover *b)
{
    bool circle_a = a->kind == PQT_MOVER_CIRCLE, circle_b = b->kind == PQT_MOVER_CIRCLE;
    pqt_box box_a = pqt_mover_box_at(*a, a->from), box_b = pqt_mover_box_at(*b, b->from);
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
    double x = pqti_lesser(a->max.x - b->min.x, b->max.x - a->min.x);
    return pqti_lesser(x, pqti_lesser(a->max.y - b->min.y, b->max.y - a->min.y));
}

double
pqti_depth(const pqt_mover *a, const pqt_mover *b)
{
    if (a->kind != PQT_MOVER_BOX || b->kind != PQT_MOVER_BOX)
        return contact_at_start(a, b).depth;
    pqt_box box_a = pqt_mover_box_at(*a, a->from), box_b = pqt_mover_box_at(*b, b->from);
    return pqti_depth_of_boxes(&box_a, &box_b);
}

pqt_vec
pqti_way_out(const pqt_mover *a, const pqt_mover *b, pqt_contact *contact)
{
    *contact = contact_at_start(a, b);
    pqt_vec out = pqt_vec_add(a->from, contact->push);
    if (a->kind != PQT_MOVER_BOX)
        return out;
    /* A box's sides are rounded from its place anew: so the push is made longer until those are
       free. */
    double more = contact->depth * 0x1p-53;
    pqt_box shape = a->box;
    more = pqti_greater(more, pqt_vec_length(a->from) * 0x1p-53);
    more = pqti_greater(more, pqt_vec_length(shape.min) * 0x1p-53);
    more = pqti_greater(more, pqt_vec_length(shape.max) * 0x1p-53);
    more = pqti_greater(more, 0x1p-1074);
    for (int i = 0; i < 64 && pqt_mover_overlaps(*a, out, *b, b->from); i++, more *= 2)
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
