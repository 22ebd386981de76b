/* SPDX-License-Identifier: MIT */
/*
 * toi_exit.c: computes the time at which two overlapping movers separate.
 *
 * The Minkowski difference of two convex shapes is convex, so a motion leaves it once. The
 * difference of a circle and a box is the union of two boxes and four circles. The motion leaves it
 * when it leaves the last one of these shapes through which it passes.
 */
#include "config.h"

#include <math.h>

#include "base/exact.h"
#include "base/fp.h"
#include "collision/mover.h"
#include "collision/toi_shapes.h"

/* The interval of fractions in which a motion is inside a shape. It is empty if entry > exit. */
typedef struct stay {
    double entry, exit;
} stay;

/* Returns a - b, rounded, and stores the rounding error. */
static double
exact_difference(double a, double b, double *lost)
{
    double rounded = a - b;
    *lost = pqti_two_sum_error(a, -b, rounded);
    return rounded;
}

/* Returns the motion of a relative to b on one axis. It is 0 only if both motions are equal. */
static double
relative_motion_of(double a_from, double a_to, double b_from, double b_to)
{
    double lost_a, lost_b, lost;
    double motion_a = exact_difference(a_to, a_from, &lost_a),
           motion_b = exact_difference(b_to, b_from, &lost_b);
    double motion = exact_difference(motion_a, motion_b, &lost);
    return motion + (lost + (lost_a - lost_b));
}

static pqt_vec
relative_motion(const pqt_mover *a, const pqt_mover *b)
{
    return (pqt_vec){relative_motion_of(a->from.x, a->to.x, b->from.x, b->to.x),
                     relative_motion_of(a->from.y, a->to.y, b->from.y, b->to.y)};
}

static stay
stay_on_axis(const pqti_swept_axis *axis, double motion)
{
    double apart = axis->a_from - axis->b_from;
    double before = axis->b_min - axis->a_max - apart, behind = axis->b_max - axis->a_min - apart;
    if (motion == 0)
        return before < 0 && behind > 0 ? (stay){-INFINITY, INFINITY} : (stay){1, 0};
    return motion > 0 ? (stay){before / motion, behind / motion}
                      : (stay){behind / motion, before / motion};
}

static stay
stay_in_box(const pqti_swept_axis *x, const pqti_swept_axis *y, pqt_vec motion)
{
    stay on_x = stay_on_axis(x, motion.x), on_y = stay_on_axis(y, motion.y);
    return (stay){pqti_fmax(on_x.entry, on_y.entry), pqti_fmin(on_x.exit, on_y.exit)};
}

/* Returns the interval in which the motion is inside a circle around a point of b. */
static stay
stay_in_circle(const pqt_mover *a, const pqt_mover *b, pqt_vec around, double radius_sum,
               pqt_vec motion)
{
    pqt_vec apart = pqt_vec_subtract(pqt_vec_subtract(a->from, b->from), around);
    double length = pqt_vec_length(motion);
    pqt_vec direction = pqt_vec_normalize(motion);
    double middle = -pqt_vec_dot(apart, direction);
    double line_distance = pqti_fabs(pqt_vec_dot(apart, (pqt_vec){-direction.y, direction.x}));
    if (line_distance >= radius_sum)
        return (stay){1, 0};
    double half_chord = sqrt((radius_sum - line_distance) / (radius_sum + line_distance)) *
                        (radius_sum + line_distance);
    return (stay){(middle - half_chord) / length, (middle + half_chord) / length};
}

static double
later_exit(double exit, stay through)
{
    return through.entry <= through.exit ? pqti_fmax(exit, through.exit) : exit;
}

static double
exit_of_circle_from_box(const pqt_mover *a, const pqt_mover *b)
{
    pqt_vec motion = relative_motion(a, b);
    pqti_swept_axis x = pqti_swept_x(a, b), y = pqti_swept_y(a, b);
    pqti_swept_axis centre_x = pqti_swept_centre(&x), centre_y = pqti_swept_centre(&y);
    double exit = later_exit(0, stay_in_box(&x, &centre_y, motion));
    exit = later_exit(exit, stay_in_box(&centre_x, &y, motion));
    for (int i = 0; i < 4; i++) {
        pqt_vec corner = {i % 2 == 1 ? b->box.max.x : b->box.min.x,
                          i / 2 == 1 ? b->box.max.y : b->box.min.y};
        exit = later_exit(exit, stay_in_circle(a, b, corner, a->radius, motion));
    }
    return exit;
}

/* Returns the mover in units of 256, because differences of the largest numbers would overflow
 * otherwise. */
static pqt_mover
scale_down_mover(const pqt_mover *mover)
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
max_abs_component(double size, pqt_vec v)
{
    return pqti_fmax(size, pqti_fmax(pqti_fabs(v.x), pqti_fabs(v.y)));
}

static bool
is_large(const pqt_mover *mover)
{
    double size = max_abs_component(max_abs_component(mover->radius, mover->from), mover->to);
    return max_abs_component(max_abs_component(size, mover->box.min), mover->box.max) > 0x1p1000;
}

static double
exit_time_of_movers(const pqt_mover *a, const pqt_mover *b)
{
    bool circle_a = a->kind == PQT_MOVER_CIRCLE, circle_b = b->kind == PQT_MOVER_CIRCLE;
    pqt_vec motion = relative_motion(a, b);
    if (motion.x == 0 && motion.y == 0)
        return INFINITY;
    if (circle_a && circle_b)
        return later_exit(0, stay_in_circle(a, b, (pqt_vec){0, 0}, a->radius + b->radius, motion));
    if (circle_a)
        return exit_of_circle_from_box(a, b);
    if (circle_b)
        return exit_of_circle_from_box(b, a);
    pqti_swept_axis x = pqti_swept_x(a, b), y = pqti_swept_y(a, b);
    return later_exit(0, stay_in_box(&x, &y, motion));
}

double
pqti_time_of_exit(const pqt_mover *a, const pqt_mover *b)
{
    if (pqti_has_convex(a, b))
        return pqti_exit_of_convex(a, b);
    if (!is_large(a) && !is_large(b))
        return exit_time_of_movers(a, b);
    pqt_mover small_a = scale_down_mover(a), small_b = scale_down_mover(b);
    return exit_time_of_movers(&small_a, &small_b);
}
