/* SPDX-License-Identifier: MIT */
/*
 * toi_circle.c - when a circle meets a circle, or a box.
 *
 * A circle is swept as a point against what is the other's shape grown by its radius. Against a
 * circle that is the first root of a quadratic equation. Against a box it is the first of two
 * boxes, one grown along x alone and one along y alone, which are decided as boxes are, and of the
 * circles around the corners. The square around the circle comes first: what it does not hit, the
 * circle does not, and before it does, the circle does not either. So rounding cannot make a ghost
 * of the corners along a flat floor.
 *
 * Sizes are measured by plain doubles; numbers that are too large or too small for their squares
 * are brought near 1 by a power of two beforehand.
 */
#include "config.h"

#include <math.h>

#include "base/fp.h"
#include "collision/mover.h"
#include "collision/toi_shapes.h"

/* Between these, squares and products of squares neither overflow nor vanish. */
#define SAFE_MIN 0x1p-200
#define SAFE_MAX 0x1p+200

/* A way less steep than this dips by less than 2^-56 of the distance: it leads along. */
#define LEAST_STEEPNESS 0x1p-28

/* Two circles, the second as a point that the first's centre must not come nearer to than
   `reach`. */
typedef struct approach {
    pqt_vec a_from, a_to, b_from, b_to;
    double reach;
    bool strict; /* to dip by less than can be measured is to hit, too */
} approach;

static double
larger(double size, pqt_vec v)
{
    return pqti_greater(size, pqti_greater(pqti_magnitude(v.x), pqti_magnitude(v.y)));
}

static pqt_vec
times_power(pqt_vec v, int exponent)
{
    return (pqt_vec){ldexp(v.x, exponent), ldexp(v.y, exponent)};
}

static double
size_at_start(const approach *p)
{
    return larger(larger(p->reach, p->a_from), p->b_from);
}

/* Brings all numbers near 1 if need be. */
static void
bring_near_one(approach *p)
{
    double size = larger(larger(size_at_start(p), p->a_to), p->b_to);
    if ((size >= SAFE_MIN && size <= SAFE_MAX) || size == 0)
        return;
    int exponent = 1024;
    if (isfinite(size))
        (void)frexp(size, &exponent);
    p->a_from = times_power(p->a_from, -exponent);
    p->a_to = times_power(p->a_to, -exponent);
    p->b_from = times_power(p->b_from, -exponent);
    p->b_to = times_power(p->b_to, -exponent);
    p->reach = isfinite(p->reach) ? ldexp(p->reach, -exponent) : 2;
}

static pqti_impact
impact_at(double time, pqt_vec apart, pqt_vec way)
{
    pqti_impact impact = {.hits = true, .is_round = true, .time = time};
    pqt_vec then = pqt_vec_add(apart, pqt_vec_scale(way, time));
    impact.normal = pqt_vec_normalize(then);
    impact.blocked =
        (impact.normal.x != 0 ? PQT_BLOCKED_X : 0u) | (impact.normal.y != 0 ? PQT_BLOCKED_Y : 0u);
    return impact;
}

static pqti_impact
impact_of_approach(approach p)
{
    const pqti_impact none = {.hits = false};
    bring_near_one(&p);
    pqt_vec apart = pqt_vec_subtract(p.a_from, p.b_from);
    pqt_vec end = pqt_vec_subtract(p.a_to, p.b_to);
    pqt_vec way =
        pqt_vec_subtract(pqt_vec_subtract(p.a_to, p.a_from), pqt_vec_subtract(p.b_to, p.b_from));
    double distance = pqt_vec_length(apart), length = pqt_vec_length(way);
    double toward = -pqt_vec_dot(apart, way);
    if (!(toward > (p.strict ? 0 : LEAST_STEEPNESS) * distance * length))
        return none;
    double beside = pqti_magnitude(apart.x * way.y - apart.y * way.x) / length;
    bool comes_by = toward < length * length;
    double nearest = comes_by ? beside : pqti_greater(beside, pqt_vec_length(end));
    bool touches = distance <= p.reach + size_at_start(&p) * PQTI_COURSE_ERROR;
    double size = larger(larger(size_at_start(&p), p.a_to), p.b_to);
    double dip = touches || p.strict ? 0 : size * PQTI_COURSE_ERROR;
    if (!(nearest < p.reach - dip))
        return none;
    if (touches)
        return impact_at(0, apart, way);
    double half_chord = sqrt((p.reach - beside) * (p.reach + beside));
    double gap = (distance - p.reach) * (distance + p.reach);
    double time = gap / ((toward / length + half_chord) * length);
    return impact_at(pqti_lesser(time, 1), apart, way);
}

pqti_impact
pqti_impact_circles(const pqt_mover *a, const pqt_mover *b, double reach, bool strict)
{
    return impact_of_approach((approach){a->from, a->to, b->from, b->to, reach, strict});
}

/* ---- A circle and a box ---- */

/* Of what is grown along one axis, only the sides across it are sides of the grown box. */
static pqti_impact
by_side(const pqti_impact *met, unsigned side)
{
    pqti_impact impact = *met;
    impact.hits = impact.hits && (impact.blocked & side) != 0;
    if (impact.blocked != side) /* two sides at once */
        impact.normal = side == PQT_BLOCKED_X ? (pqt_vec){impact.normal.x < 0 ? -1 : 1, 0}
                                              : (pqt_vec){0, impact.normal.y < 0 ? -1 : 1};
    impact.blocked = side;
    return impact;
}

static pqti_impact
earlier(pqti_impact one, pqti_impact other)
{
    return other.hits && (!one.hits || other.time < one.time) ? other : one;
}

/* The circle and a corner. It cannot be met before the square is that goes with the circle; if it
 * is at that very time, the circle lies flat against the side. */
static pqti_impact
impact_at_corner(const pqt_mover *a, const pqt_mover *b, pqt_vec corner, const pqti_impact *square,
                 bool strict)
{
    approach p = {a->from,   a->to, pqt_vec_add(b->from, corner), pqt_vec_add(b->to, corner),
                  a->radius, strict};
    pqti_impact impact = impact_of_approach(p);
    if (impact.hits && square->blocked != 0 && impact.time <= square->time) {
        impact.time = square->time;
        impact.blocked = square->blocked;
        impact.normal = square->normal;
    }
    return impact;
}

static pqti_impact
impact_of_corners(const pqt_mover *a, const pqt_mover *b, const pqti_impact *square,
                  pqti_impact first, bool strict)
{
    bool flat_x = b->box.min.x == b->box.max.x, flat_y = b->box.min.y == b->box.max.y;
    for (int i = 0; i < 4; i++) {
        bool right = i % 2 == 1, low = i / 2 == 1;
        if ((right && flat_x) || (low && flat_y))
            continue;
        pqt_vec corner = {right ? b->box.max.x : b->box.min.x, low ? b->box.max.y : b->box.min.y};
        first = earlier(first, impact_at_corner(a, b, corner, square, strict));
    }
    return first;
}

pqti_impact
pqti_impact_circle_box(const pqt_mover *a, const pqt_mover *b, bool strict)
{
    pqti_course_axis x = pqti_course_x(a, b), y = pqti_course_y(a, b);
    if (a->radius == 0)
        return pqti_impact_boxes(&x, &y, pqti_apart_boxes);
    pqti_impact square = pqti_impact_boxes(&x, &y, pqti_apart_circle);
    if (!square.hits)
        return square;
    pqti_course_axis centre_x = pqti_course_centre(&x), centre_y = pqti_course_centre(&y);
    pqti_impact by_x = pqti_impact_boxes(&x, &centre_y, pqti_apart_circle);
    pqti_impact by_y = pqti_impact_boxes(&centre_x, &y, pqti_apart_circle);
    pqti_impact face = earlier(by_side(&by_x, PQT_BLOCKED_X), by_side(&by_y, PQT_BLOCKED_Y));
    if (face.hits && face.time <= square.time)
        return face;
    return impact_of_corners(a, b, &square, face, strict);
}
