/* SPDX-License-Identifier: MIT */
/*
 * segment.c: intersects segments and rays with boxes.
 *
 * The sign of (to - from) x (corner - from) says which side of the line a corner is on. It is
 * computed with plain doubles unless the corner is so near to the line that a rounding error could
 * change the sign. The bound on the error is from J. R. Shewchuk, "Adaptive precision
 * floating-point arithmetic and fast robust geometric predicates", 1997, section 4.1. Otherwise the
 * products are expanded and summed exactly (exact.h).
 */
#include "config.h"

#include "base/segment_internal.h"

#include <math.h>

#include <pqt/segment.h>

#include "base/error_internal.h"
#include "base/exact.h"
#include "base/fp.h"
#include "base/validate.h"
#include "base/vec_internal.h"

/* If the sum of magnitudes is above this, products that underflow do not matter. */
#define MIN_SUM 0x1p-1000

/*
 * An upper bound on the error of the determinant, relative to the sum of the magnitudes of its
 * products: (3 + 16 e) e for e = 2^-53.
 */
#define DETERMINANT_ERROR 0x1p-51

#define SMALLEST 0x1p-1074 /* the smallest double above 0 */

pqt_vec
pqti_direction_between(pqt_vec a, pqt_vec b, int *exponent)
{
    pqt_vec difference = pqt_vec_subtract(b, a);
    if (pqt_vec_is_finite(difference))
        return pqti_vec_frexp(difference, exponent);
    /* Halve the numbers first, because their difference would overflow. */
    difference = pqt_vec_subtract(pqt_vec_scale(b, 0.5), pqt_vec_scale(a, 0.5));
    difference = pqti_vec_frexp(difference, exponent);
    *exponent += 1;
    return difference;
}

static int
sign_of_motion(double from, double to)
{
    return (to > from) - (to < from);
}

static void
set_dir_is_normal(pqti_prepared_ray *ray)
{
    ray->dir_is_normal =
        pqti_dir_is_normal(ray->dir.x, ray->sign_x) && pqti_dir_is_normal(ray->dir.y, ray->sign_y);
}

static pqti_prepared_ray
invalid_ray(void)
{
    return (pqti_prepared_ray){.box = {{INFINITY, INFINITY}, {-INFINITY, -INFINITY}}};
}

pqti_prepared_ray
pqti_prepared_ray_of_segment(pqt_segment segment)
{
    if (!pqt_segment_is_valid(segment))
        return invalid_ray();
    pqti_prepared_ray ray = {
        .from = segment.from,
        .to = segment.to,
        .sign_x = sign_of_motion(segment.from.x, segment.to.x),
        .sign_y = sign_of_motion(segment.from.y, segment.to.y),
        .box = pqt_segment_box(segment),
    };
    ray.dir = pqti_direction_between(segment.from, segment.to, &ray.exponent);
    set_dir_is_normal(&ray);
    return ray;
}

/* Makes the box infinite in the direction of a ray. */
static void
extend_to_infinity(double *min, double *max, int sign)
{
    if (sign < 0)
        *min = -INFINITY;
    if (sign > 0)
        *max = INFINITY;
}

pqti_prepared_ray
pqti_prepared_ray_of_ray(pqt_ray ray)
{
    if (!pqt_vec_is_finite(ray.from) || !pqt_vec_is_finite(ray.direction))
        return invalid_ray();
    pqti_prepared_ray line = {
        .from = ray.from,
        .to = ray.direction,
        .is_ray = true,
        .sign_x = sign_of_motion(0, ray.direction.x),
        .sign_y = sign_of_motion(0, ray.direction.y),
        .box = {ray.from, ray.from},
    };
    extend_to_infinity(&line.box.min.x, &line.box.max.x, line.sign_x);
    extend_to_infinity(&line.box.min.y, &line.box.max.y, line.sign_y);
    line.dir = pqti_vec_frexp(ray.direction, &line.exponent);
    set_dir_is_normal(&line);
    return line;
}

/*
 * Returns the sign of (to - from) x (corner - from), expanded: the products from.x from.y cancel.
 */
static int
exact_side(const pqti_prepared_ray *ray, pqt_vec corner)
{
    pqt_vec from = ray->from, to = ray->to;
    pqti_exact_dot exact = {.count = 0};
    pqti_exact_dot_add(&exact, to.x, corner.y, false);
    pqti_exact_dot_add(&exact, to.x, from.y, true);
    pqti_exact_dot_add(&exact, to.y, corner.x, true);
    pqti_exact_dot_add(&exact, to.y, from.x, false);
    if (!ray->is_ray) {
        pqti_exact_dot_add(&exact, from.x, corner.y, true);
        pqti_exact_dot_add(&exact, from.y, corner.x, false);
    }
    return pqti_exact_dot_sign(&exact);
}

/* Returns the side of the line that a corner is on, as a number below, equal to or above 0. */
static int
side_of(const pqti_prepared_ray *ray, pqt_vec corner)
{
    double left = ray->dir.x * (corner.y - ray->from.y);
    double right = ray->dir.y * (corner.x - ray->from.x);
    double sum = pqti_fabs(left) + pqti_fabs(right);
    double determinant = left - right;
    if (ray->dir_is_normal && sum >= MIN_SUM && pqti_fabs(determinant) > DETERMINANT_ERROR * sum)
        return determinant > 0 ? 1 : -1;
    return exact_side(ray, corner);
}

bool
pqti_prepared_ray_touches(const pqti_prepared_ray *ray, const pqt_box *box)
{
    const pqt_box *all = &ray->box;
    if (!(all->min.x <= box->max.x && box->min.x <= all->max.x && all->min.y <= box->max.y &&
          box->min.y <= all->max.y))
        return false;
    if (ray->sign_x == 0 || ray->sign_y == 0)
        return true;
    bool descends = ray->sign_x == ray->sign_y; /* because y points down */
    pqt_vec one = {descends ? box->min.x : box->max.x, box->max.y};
    pqt_vec other = {descends ? box->max.x : box->min.x, box->min.y};
    return side_of(ray, one) * side_of(ray, other) <= 0;
}

/* ---- The box of a prefix of a line ---- */

/* An upper bound on the relative error of a position on a line. */
#define POSITION_ERROR 0x1p-48

/*
 * Returns one coordinate of the point at a fraction of a line, plus an error bound in the direction
 * of the line. Returns infinity on overflow.
 */
static inline double
position_on_line(double from, double to, bool is_ray, double fraction, int sign)
{
    double motion = (is_ray ? to : to - from) * fraction;
    double error = (pqti_fabs(from) + pqti_fabs(motion)) * POSITION_ERROR + 0x1p-1060;
    return from + motion + sign * error;
}

pqt_box
pqti_prepared_ray_box_until(const pqti_prepared_ray *ray, double fraction)
{
    pqt_box box = ray->box;
    PQT_INVARIANT(fraction >= 0, "a prefix of a ray has a negative length");
    if (fraction == INFINITY)
        return box;
    if (fraction > 0)
        fraction = pqti_fmax(fraction, PQTI_MIN_FRACTION);
    double x = position_on_line(ray->from.x, ray->to.x, ray->is_ray, fraction, ray->sign_x);
    double y = position_on_line(ray->from.y, ray->to.y, ray->is_ray, fraction, ray->sign_y);
    if (ray->sign_x > 0)
        box.max.x = pqti_fmin(box.max.x, x);
    else if (ray->sign_x < 0)
        box.min.x = pqti_fmax(box.min.x, x);
    if (ray->sign_y > 0)
        box.max.y = pqti_fmin(box.max.y, y);
    else if (ray->sign_y < 0)
        box.min.y = pqti_fmax(box.min.y, y);
    return box;
}

/* ---- Entry and exit ---- */

/* Returns the fraction of a line at which its coordinate on one axis is `at`. */
static double
fraction_at(double from, double to, bool is_ray, double at)
{
    double motion = at - from, all = is_ray ? to : to - from;
    if (isfinite(motion) && isfinite(all))
        return motion / all;
    return (at / 2 - from / 2) / (is_ray ? to / 2 : to / 2 - from / 2);
}

/* A line and a box that it touches, on one axis. */
typedef struct axis_interval {
    double from, to;
    double min, max;
    int sign;
} axis_interval;

/*
 * Returns the fraction at which the line enters the interval of the box. It is 0 if and only if the
 * line starts inside.
 */
static double
entry_time_of(const axis_interval *interval, bool is_ray)
{
    bool outside =
        interval->sign > 0 ? interval->from < interval->min : interval->from > interval->max;
    if (!outside)
        return 0;
    double entry = fraction_at(interval->from, interval->to, is_ray,
                               interval->sign > 0 ? interval->min : interval->max);
    return pqti_fmax(entry, SMALLEST);
}

static double
exit_time_of(const axis_interval *interval, bool is_ray)
{
    if (interval->sign == 0)
        return INFINITY;
    return fraction_at(interval->from, interval->to, is_ray,
                       interval->sign > 0 ? interval->max : interval->min);
}

double
pqti_prepared_ray_enter(const pqti_prepared_ray *ray, const pqt_box *box)
{
    const axis_interval x = {ray->from.x, ray->to.x, box->min.x, box->max.x, ray->sign_x};
    const axis_interval y = {ray->from.y, ray->to.y, box->min.y, box->max.y, ray->sign_y};
    return pqti_fmax(entry_time_of(&x, ray->is_ray), entry_time_of(&y, ray->is_ray));
}

pqti_slab_clip
pqti_prepared_ray_clip(const pqti_prepared_ray *ray, const pqt_box *box)
{
    const axis_interval x = {ray->from.x, ray->to.x, box->min.x, box->max.x, ray->sign_x};
    const axis_interval y = {ray->from.y, ray->to.y, box->min.y, box->max.y, ray->sign_y};
    double entry_x = entry_time_of(&x, ray->is_ray), entry_y = entry_time_of(&y, ray->is_ray);
    double entry = pqti_fmax(entry_x, entry_y);
    double exit = pqti_fmin(exit_time_of(&x, ray->is_ray), exit_time_of(&y, ray->is_ray));
    exit = pqti_fmin(exit, ray->is_ray ? INFINITY : 1);
    pqti_slab_clip clip = {.entry = entry, .exit = pqti_fmax(entry, exit)};
    if (entry_x > 0 && entry_x >= entry_y)
        clip.normal.x = -ray->sign_x;
    else if (entry_y > 0)
        clip.normal.y = -ray->sign_y;
    PQT_INVARIANT(clip.entry >= 0 && clip.entry <= clip.exit,
                  "a ray leaves a box before it enters");
    return clip;
}

/* ---- The public functions of segments and rays ---- */

bool
pqt_segment_is_valid(pqt_segment segment)
{
    return pqt_vec_is_finite(segment.from) && pqt_vec_is_finite(segment.to);
}

pqt_box
pqt_segment_box(pqt_segment segment)
{
    return pqt_box_union((pqt_box){segment.from, segment.from}, (pqt_box){segment.to, segment.to});
}

/*
 * Interpolates from the nearer end, so that both ends and all positions on axis-parallel lines are
 * exact.
 */
static double
interpolate(double from, double to, double fraction)
{
    double half = to / 2 - from / 2;
    return fraction < 0.5 ? from + half * (2 * fraction) : to - half * (2 * (1 - fraction));
}

pqt_vec
pqt_segment_at(pqt_segment segment, double fraction)
{
    return (pqt_vec){interpolate(segment.from.x, segment.to.x, fraction),
                     interpolate(segment.from.y, segment.to.y, fraction)};
}

bool
pqt_ray_is_valid(pqt_ray ray)
{
    return pqt_vec_is_finite(ray.from) && pqt_vec_is_finite(ray.direction) &&
           (ray.direction.x != 0 || ray.direction.y != 0);
}
