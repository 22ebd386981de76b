/* SPDX-License-Identifier: MIT */
/*
 * toi_circle.c: computes the time of impact of a circle with a circle or a box.
 *
 * A circle is swept as a point against the other shape grown by its radius (Minkowski sum). Against
 * a circle, the time is the first root of a quadratic equation. Against a box, it is the first time
 * at which the point hits one of six shapes: two boxes, of which one is grown along x only and one
 * along y only, and the circles around the four corners. Hits of the boxes are decided exactly, as
 * in toi_box.c. The square around the circle is swept first: the circle hits nothing that the
 * square does not hit, and hits nothing earlier. So rounding cannot cause a hit at a corner inside
 * a flat floor.
 *
 * Distances are computed in doubles. Differences of positions are computed first. Then distances
 * and motions whose squares would overflow or underflow are scaled to near 1, each by a power of
 * two of its own: a short distance keeps its bits however far from the origin the shapes are, and
 * however long the motion is.
 */
#include "config.h"

#include <math.h>

#include "base/error_internal.h"
#include "base/fp.h"
#include "base/vec_internal.h"
#include "collision/mover.h"
#include "collision/toi_shapes.h"

/* Two circles. The second one is reduced to a point, and the centre of the first one must not come
 * nearer to it than the sum of both radii. */
typedef struct circle_approach {
    pqt_vec a_from, a_to, b_from, b_to;
    pqti_radius_sum radii;
    bool strict; /* an overlap below the measurable error also counts as a hit */
} circle_approach;

static double
scaled(double value, int exponent)
{
    return exponent == 0 ? value : ldexp(value, exponent);
}

static pqti_sizes
sizes_at_start(const circle_approach *approach)
{
    const pqti_sizes none = {0, 0, approach->radii.a + approach->radii.b};
    return pqti_larger_sizes(pqti_larger_sizes(none, approach->a_from), approach->b_from);
}

static pqti_sizes
sizes_of_all(const circle_approach *approach)
{
    return pqti_larger_sizes(pqti_larger_sizes(sizes_at_start(approach), approach->a_to),
                             approach->b_to);
}

/* The relative motion of two circles. Distances are in units of 2^unit, and the motion is in units
 * of 2^motion_unit. */
typedef struct course {
    pqt_vec apart, end, motion;
    double distance, length; /* of `apart` and `motion` */
    double radius_sum;
    double whole_time; /* the time at which the motion ends, in units of 2^(unit - motion_unit) */
    int unit, motion_unit;
} course;

/* Returns false if squares could overflow or underflow. */
static bool
is_safe_course(const course *c)
{
    return c->distance >= PQTI_LEAST_SAFE && c->distance <= PQTI_GREATEST_SAFE &&
           c->length >= PQTI_LEAST_SAFE && c->length <= PQTI_GREATEST_SAFE &&
           c->radius_sum <= PQTI_GREATEST_SAFE;
}

static course
course_of(const circle_approach *approach)
{
    course c = {.radius_sum = approach->radii.a + approach->radii.b, .whole_time = 1};
    c.apart = pqt_vec_subtract(approach->a_from, approach->b_from);
    c.end = pqt_vec_subtract(approach->a_to, approach->b_to);
    c.motion = pqt_vec_subtract(pqt_vec_subtract(approach->a_to, approach->a_from),
                                pqt_vec_subtract(approach->b_to, approach->b_from));
    c.distance = pqt_vec_length(c.apart);
    c.length = pqt_vec_length(c.motion);
    return c;
}

static void
scale_course(course *c)
{
    c->unit = pqti_exponent_of_unit(pqti_larger_component(c->radius_sum, c->apart));
    c->motion_unit = pqti_exponent_of_unit(pqti_larger_component(0, c->motion));
    c->apart = pqti_vec_ldexp(c->apart, -c->unit);
    c->end = pqti_vec_ldexp(c->end, -c->unit);
    c->motion = pqti_vec_ldexp(c->motion, -c->motion_unit);
    c->distance = pqt_vec_length(c->apart);
    c->length = pqt_vec_length(c->motion);
    c->radius_sum = ldexp(c->radius_sum, -c->unit);
    c->whole_time = ldexp(1, c->motion_unit - c->unit);
}

/* Scales numbers so that their sums do not overflow. */
static void
prevent_overflow(circle_approach *approach)
{
    const pqti_sizes sizes = sizes_of_all(approach);
    if (pqti_fmax(pqti_fmax(sizes.x, sizes.y), sizes.radius) <= PQTI_LARGEST_ADDEND)
        return;
    approach->a_from = pqti_vec_ldexp(approach->a_from, PQTI_SCALE_OF_ADDENDS);
    approach->a_to = pqti_vec_ldexp(approach->a_to, PQTI_SCALE_OF_ADDENDS);
    approach->b_from = pqti_vec_ldexp(approach->b_from, PQTI_SCALE_OF_ADDENDS);
    approach->b_to = pqti_vec_ldexp(approach->b_to, PQTI_SCALE_OF_ADDENDS);
    approach->radii.a = ldexp(approach->radii.a, PQTI_SCALE_OF_ADDENDS);
    approach->radii.b = ldexp(approach->radii.b, PQTI_SCALE_OF_ADDENDS);
}

/* Returns true if the circles are apart by no more than the error at the start. */
static bool
touches_at_start(const circle_approach *approach, const course *c)
{
    const pqti_sizes sizes = sizes_at_start(approach);
    const double most = pqti_size_along(&sizes, (pqt_vec){1, 1}, PQTI_SWEPT_ERROR);
    if (!(c->distance <= c->radius_sum + scaled(most, -c->unit)))
        return false;
    const pqt_vec normal = {c->apart.x / c->distance, c->apart.y / c->distance};
    return c->distance <= c->radius_sum + scaled(pqti_error_along(&sizes, normal), -c->unit);
}

/* Returns the depth below which an overlap on the way does not count. `at_end` is true if it is
 * deepest at the end. */
static double
least_dip(const circle_approach *approach, const course *c, bool at_end)
{
    const pqti_sizes sizes = sizes_of_all(approach);
    const pqt_vec across = {c->motion.y / c->length, c->motion.x / c->length};
    const pqt_vec normal = at_end ? pqt_vec_normalize(c->end) : across;
    return scaled(pqti_error_along(&sizes, normal), -c->unit);
}

/* Returns an impact at a time in units of 2^(unit - motion_unit). */
static pqti_toi
impact_at(double time, const course *c)
{
    pqti_toi toi = {.hits = true, .is_round = true};
    toi.time = pqti_fmin(scaled(time, c->unit - c->motion_unit), 1);
    pqt_vec then = pqt_vec_add(c->apart, pqt_vec_scale(c->motion, time));
    toi.normal = pqt_vec_normalize(then);
    toi.blocked = pqti_blocked_axes(toi.normal);
    return toi;
}

static pqti_toi
impact_of_approach(circle_approach approach)
{
    const pqti_toi none = {.hits = false};
    PQT_INVARIANT(approach.radii.a >= 0 && approach.radii.b >= 0, "a radius is negative");
    course c = course_of(&approach);
    if (!is_safe_course(&c)) {
        prevent_overflow(&approach);
        c = course_of(&approach);
        scale_course(&c);
    }
    double toward = -pqt_vec_dot(c.apart, c.motion);
    if (!(toward > (approach.strict ? 0 : PQTI_LEAST_STEEPNESS) * c.distance * c.length))
        return none;
    double line_distance = pqti_fabs(c.apart.x * c.motion.y - c.apart.y * c.motion.x) / c.length;
    bool at_end = !(toward < c.length * c.length * c.whole_time);
    double nearest = at_end ? pqti_fmax(line_distance, pqt_vec_length(c.end)) : line_distance;
    if (!(nearest < c.radius_sum))
        return none;
    if (touches_at_start(&approach, &c))
        return impact_at(0, &c);
    if (!approach.strict && !(nearest < c.radius_sum - least_dip(&approach, &c, at_end)))
        return none;
    double half_chord = sqrt((c.radius_sum - line_distance) * (c.radius_sum + line_distance));
    double gap = (c.distance - c.radius_sum) * (c.distance + c.radius_sum);
    double time = gap / ((toward / c.length + half_chord) * c.length);
    return impact_at(pqti_fmin(time, c.whole_time), &c);
}

pqti_toi
pqti_toi_circles(const pqt_mover *a, const pqt_mover *b, pqti_radius_sum radii, bool strict)
{
    return impact_of_approach((circle_approach){a->from, a->to, b->from, b->to, radii, strict});
}

/* ---- A circle and a box ---- */

/* Restricts a hit of a box that is grown along one axis to the sides across that axis, because only
 * these sides belong to the grown shape. */
static pqti_toi
restrict_to_side(const pqti_toi *hit, unsigned side)
{
    pqti_toi toi = *hit;
    toi.hits = toi.hits && (toi.blocked & side) != 0;
    if (toi.blocked != side) /* a corner, where two sides are hit at once */
        toi.normal = side == PQT_BLOCKED_X ? (pqt_vec){toi.normal.x < 0 ? -1 : 1, 0}
                                           : (pqt_vec){0, toi.normal.y < 0 ? -1 : 1};
    toi.blocked = side;
    return toi;
}

static pqti_toi
earlier_toi(pqti_toi one, pqti_toi other)
{
    return other.hits && (!one.hits || other.time < one.time) ? other : one;
}

/* Sweeps the circle against a corner of the box. The hit cannot precede the hit of the square
 * around the circle. If both have the same time, the circle hits the side. */
static pqti_toi
impact_at_corner(const pqt_mover *a, const pqt_mover *b, pqt_vec corner, const pqti_toi *square,
                 bool strict)
{
    circle_approach approach = {
        a->from,        a->to, pqt_vec_add(b->from, corner), pqt_vec_add(b->to, corner),
        {a->radius, 0}, strict};
    pqti_toi toi = impact_of_approach(approach);
    if (toi.hits && square->blocked != 0 && toi.time <= square->time) {
        toi.time = square->time;
        toi.blocked = square->blocked;
        toi.normal = square->normal;
    }
    return toi;
}

static pqti_toi
toi_of_corners(const pqt_mover *a, const pqt_mover *b, const pqti_toi *square, pqti_toi first,
               bool strict)
{
    bool flat_x = b->box.min.x == b->box.max.x, flat_y = b->box.min.y == b->box.max.y;
    for (int i = 0; i < 4; i++) {
        bool right = i % 2 == 1, low = i / 2 == 1;
        if ((right && flat_x) || (low && flat_y))
            continue;
        pqt_vec corner = {right ? b->box.max.x : b->box.min.x, low ? b->box.max.y : b->box.min.y};
        first = earlier_toi(first, impact_at_corner(a, b, corner, square, strict));
    }
    return first;
}

pqti_toi
pqti_toi_circle_box(const pqt_mover *a, const pqt_mover *b, bool strict)
{
    PQT_INVARIANT(a->kind == PQT_MOVER_CIRCLE && b->kind == PQT_MOVER_BOX,
                  "the movers are not a circle and a box");
    pqti_swept_axis x = pqti_swept_x(a, b), y = pqti_swept_y(a, b);
    if (a->radius == 0)
        return pqti_toi_boxes(&x, &y, pqti_apart_boxes);
    pqti_toi square = pqti_toi_boxes(&x, &y, pqti_apart_circle);
    if (!square.hits)
        return square;
    pqti_swept_axis centre_x = pqti_swept_centre(&x), centre_y = pqti_swept_centre(&y);
    pqti_toi by_x = pqti_toi_boxes(&x, &centre_y, pqti_apart_circle);
    pqti_toi by_y = pqti_toi_boxes(&centre_x, &y, pqti_apart_circle);
    pqti_toi face =
        earlier_toi(restrict_to_side(&by_x, PQT_BLOCKED_X), restrict_to_side(&by_y, PQT_BLOCKED_Y));
    if (face.hits && face.time <= square.time)
        return face;
    return toi_of_corners(a, b, &square, face, strict);
}
