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
 * Distances are computed in doubles. Numbers whose squares would overflow or underflow are first
 * scaled to near 1 by a power of two.
 */
#include "config.h"

#include <math.h>

#include "base/error_internal.h"
#include "base/fp.h"
#include "collision/mover.h"
#include "collision/toi_shapes.h"

/* For numbers between these limits, squares and products of squares neither overflow nor
 * underflow. */
#define SAFE_MIN 0x1p-200
#define SAFE_MAX 0x1p+200

/* A motion whose cosine with the normal is smaller than this enters the circle by less than 2^-56
 * of the distance, so it counts as tangential. */
#define LEAST_STEEPNESS 0x1p-28

/* Two circles. The second one is reduced to a point, and the centre of the first one must not come
 * nearer to it than `radius_sum`. */
typedef struct approach {
    pqt_vec a_from, a_to, b_from, b_to;
    double radius_sum;
    bool strict; /* an overlap below the measurable error also counts as a hit */
} approach;

static double
larger_abs_component(double size, pqt_vec v)
{
    return pqti_fmax(size, pqti_fmax(pqti_fabs(v.x), pqti_fabs(v.y)));
}

static pqt_vec
times_power(pqt_vec v, int exponent)
{
    return (pqt_vec){ldexp(v.x, exponent), ldexp(v.y, exponent)};
}

static double
size_at_start(const approach *p)
{
    return larger_abs_component(larger_abs_component(p->radius_sum, p->a_from), p->b_from);
}

/* Scales all numbers to near 1 if they are outside SAFE_MIN .. SAFE_MAX. */
static void
normalise_scale(approach *p)
{
    double size = larger_abs_component(larger_abs_component(size_at_start(p), p->a_to), p->b_to);
    if ((size >= SAFE_MIN && size <= SAFE_MAX) || size == 0)
        return;
    int exponent = 1024;
    if (isfinite(size))
        (void)frexp(size, &exponent);
    p->a_from = times_power(p->a_from, -exponent);
    p->a_to = times_power(p->a_to, -exponent);
    p->b_from = times_power(p->b_from, -exponent);
    p->b_to = times_power(p->b_to, -exponent);
    p->radius_sum = isfinite(p->radius_sum) ? ldexp(p->radius_sum, -exponent) : 2;
}

static pqti_toi
impact_at(double time, pqt_vec apart, pqt_vec motion)
{
    pqti_toi toi = {.hits = true, .is_round = true, .time = time};
    pqt_vec then = pqt_vec_add(apart, pqt_vec_scale(motion, time));
    toi.normal = pqt_vec_normalize(then);
    toi.blocked =
        (toi.normal.x != 0 ? PQT_BLOCKED_X : 0u) | (toi.normal.y != 0 ? PQT_BLOCKED_Y : 0u);
    return toi;
}

static pqti_toi
impact_of_approach(approach p)
{
    const pqti_toi none = {.hits = false};
    PQT_INVARIANT(p.radius_sum >= 0, "a sum of radii is negative");
    normalise_scale(&p);
    pqt_vec apart = pqt_vec_subtract(p.a_from, p.b_from);
    pqt_vec end = pqt_vec_subtract(p.a_to, p.b_to);
    pqt_vec motion =
        pqt_vec_subtract(pqt_vec_subtract(p.a_to, p.a_from), pqt_vec_subtract(p.b_to, p.b_from));
    double distance = pqt_vec_length(apart), length = pqt_vec_length(motion);
    double toward = -pqt_vec_dot(apart, motion);
    if (!(toward > (p.strict ? 0 : LEAST_STEEPNESS) * distance * length))
        return none;
    double line_distance = pqti_fabs(apart.x * motion.y - apart.y * motion.x) / length;
    bool passes_nearest = toward < length * length;
    double nearest = passes_nearest ? line_distance : pqti_fmax(line_distance, pqt_vec_length(end));
    bool touches = distance <= p.radius_sum + size_at_start(&p) * PQTI_SWEPT_ERROR;
    double size = larger_abs_component(larger_abs_component(size_at_start(&p), p.a_to), p.b_to);
    double dip = touches || p.strict ? 0 : size * PQTI_SWEPT_ERROR;
    if (!(nearest < p.radius_sum - dip))
        return none;
    if (touches)
        return impact_at(0, apart, motion);
    double half_chord = sqrt((p.radius_sum - line_distance) * (p.radius_sum + line_distance));
    double gap = (distance - p.radius_sum) * (distance + p.radius_sum);
    double time = gap / ((toward / length + half_chord) * length);
    return impact_at(pqti_fmin(time, 1), apart, motion);
}

pqti_toi
pqti_toi_circles(const pqt_mover *a, const pqt_mover *b, double radius_sum, bool strict)
{
    return impact_of_approach((approach){a->from, a->to, b->from, b->to, radius_sum, strict});
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
    approach p = {a->from,   a->to, pqt_vec_add(b->from, corner), pqt_vec_add(b->to, corner),
                  a->radius, strict};
    pqti_toi toi = impact_of_approach(p);
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
