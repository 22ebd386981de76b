/* SPDX-License-Identifier: MIT */
/*
 * toi_exit.c - when two that overlap will be apart.
 *
 * The difference of two shapes is convex, so there is one such time. That of a circle and a box is
 * made of two boxes and four circles: it is left when the last of those is that the way goes
 * through.
 */
#include "config.h"

#include <math.h>

#include "base/exact.h"
#include "base/fp.h"
#include "collision/mover.h"
#include "collision/toi_shapes.h"

/* When a way goes through something, as fractions of it; entry above exit: not at all. */
typedef struct stay {
    double entry, exit;
} stay;

/* a - b, with what is lost of it. */
static double
difference(double a, double b, double *lost)
{
    double rounded = a - b;
    *lost = pqti_sum_lost(a, -b, rounded);
    return rounded;
}

/* How far a moves as seen from b: 0 only if they move alike. */
static double
way_of(double a_from, double a_to, double b_from, double b_to)
{
    double lost_a, lost_b, lost;
    double way_a = difference(a_to, a_from, &lost_a), way_b = difference(b_to, b_from, &lost_b);
    double way = difference(way_a, way_b, &lost);
    return way + (lost + (lost_a - lost_b));
}

static pqt_vec
way_between(const pqt_mover *a, const pqt_mover *b)
{
    return (pqt_vec){way_of(a->from.x, a->to.x, b->from.x, b->to.x),
                     way_of(a->from.y, a->to.y, b->from.y, b->to.y)};
}

static stay
stay_on_axis(const pqti_course_axis *axis, double way)
{
    double apart = axis->a_from - axis->b_from;
    double before = axis->b_min - axis->a_max - apart, behind = axis->b_max - axis->a_min - apart;
    if (way == 0)
        return before < 0 && behind > 0 ? (stay){-INFINITY, INFINITY} : (stay){1, 0};
    return way > 0 ? (stay){before / way, behind / way} : (stay){behind / way, before / way};
}

static stay
stay_in_box(const pqti_course_axis *x, const pqti_course_axis *y, pqt_vec way)
{
    stay on_x = stay_on_axis(x, way.x), on_y = stay_on_axis(y, way.y);
    return (stay){pqti_greater(on_x.entry, on_y.entry), pqti_lesser(on_x.exit, on_y.exit)};
}

/* In a circle around a point of b. */
static stay
stay_in_circle(const pqt_mover *a, const pqt_mover *b, pqt_vec around, double reach, pqt_vec way)
{
    pqt_vec apart = pqt_vec_subtract(pqt_vec_subtract(a->from, b->from), around);
    double length = pqt_vec_length(way);
    pqt_vec along = pqt_vec_normalize(way);
    double middle = -pqt_vec_dot(apart, along);
    double beside = pqti_magnitude(pqt_vec_dot(apart, (pqt_vec){-along.y, along.x}));
    if (beside >= reach)
        return (stay){1, 0};
    double half_chord = sqrt((reach - beside) / (reach + beside)) * (reach + beside);
    return (stay){(middle - half_chord) / length, (middle + half_chord) / length};
}

static double
later_exit(double exit, stay through)
{
    return through.entry <= through.exit ? pqti_greater(exit, through.exit) : exit;
}

static double
exit_of_circle_from_box(const pqt_mover *a, const pqt_mover *b)
{
    pqt_vec way = way_between(a, b);
    pqti_course_axis x = pqti_course_x(a, b), y = pqti_course_y(a, b);
    pqti_course_axis centre_x = pqti_course_centre(&x), centre_y = pqti_course_centre(&y);
    double exit = later_exit(0, stay_in_box(&x, &centre_y, way));
    exit = later_exit(exit, stay_in_box(&centre_x, &y, way));
    for (int i = 0; i < 4; i++) {
        pqt_vec corner = {i % 2 == 1 ? b->box.max.x : b->box.min.x,
                          i / 2 == 1 ? b->box.max.y : b->box.min.y};
        exit = later_exit(exit, stay_in_circle(a, b, corner, a->radius, way));
    }
    return exit;
}

/* The same in units of 256: differences of the largest numbers would overflow. */
static pqt_mover
shrunk(const pqt_mover *mover)
{
    const double unit = 0x1p-8;
    pqt_mover m = *mover;
    m.box = (pqt_box){pqt_vec_scale(m.box.min, unit), pqt_vec_scale(m.box.max, unit)};
    m.radius *= unit;
    m.from = pqt_vec_scale(m.from, unit);
    m.to = pqt_vec_scale(m.to, unit);
    return m;
}

static double
larger(double size, pqt_vec v)
{
    return pqti_greater(size, pqti_greater(pqti_magnitude(v.x), pqti_magnitude(v.y)));
}

static bool
is_large(const pqt_mover *mover)
{
    double size = larger(larger(mover->radius, mover->from), mover->to);
    return larger(larger(size, mover->box.min), mover->box.max) > 0x1p1000;
}

static double
exit_of(const pqt_mover *a, const pqt_mover *b)
{
    bool circle_a = a->kind == PQT_MOVER_CIRCLE, circle_b = b->kind == PQT_MOVER_CIRCLE;
    pqt_vec way = way_between(a, b);
    if (way.x == 0 && way.y == 0)
        return INFINITY;
    if (circle_a && circle_b)
        return later_exit(0, stay_in_circle(a, b, (pqt_vec){0, 0}, a->radius + b->radius, way));
    if (circle_a)
        return exit_of_circle_from_box(a, b);
    if (circle_b)
        return exit_of_circle_from_box(b, a);
    pqti_course_axis x = pqti_course_x(a, b), y = pqti_course_y(a, b);
    return later_exit(0, stay_in_box(&x, &y, way));
}

double
pqti_exit(const pqt_mover *a, const pqt_mover *b)
{
    if (!is_large(a) && !is_large(b))
        return exit_of(a, b);
    pqt_mover small_a = shrunk(a), small_b = shrunk(b);
    return exit_of(&small_a, &small_b);
}
