/* SPDX-License-Identifier: MIT */
/*
 * segment.c - a segment or a ray, and what it has in common with a box.
 *
 * On which side of the line a corner lies is the sign of (to - from) x (corner - from). Plain
 * doubles tell it unless the corner is within their rounding of the line: the bound of the error is
 * that of J. R. Shewchuk, "Adaptive precision floating-point arithmetic and fast robust geometric
 * predicates", 1997, section 4.1. If they cannot tell, the products are multiplied out and added up
 * without any rounding (exact.h).
 */
#include "config.h"

#include "base/segment_internal.h"

#include <math.h>

#include <pqt/segment.h>

#include "base/exact.h"
#include "base/fp.h"
#include "base/validate.h"
#include "base/vec_internal.h"

/* Products that are lost do not matter beside a sum of magnitudes as great as this. */
#define LEAST_SUM 0x1p-1000

/* Above the error of the determinant, in units of the sum of its products' magnitudes: (3 + 16 e) e
   for e = 2^-53. */
#define DETERMINANT_ERROR 0x1p-51

#define SMALLEST 0x1p-1074 /* of all doubles above 0 */

pqt_vec
pqti_way_between(pqt_vec a, pqt_vec b, int *exponent)
{
    pqt_vec whole = pqt_vec_subtract(b, a);
    if (pqt_vec_is_finite(whole))
        return pqti_vec_scaled(whole, exponent);
    /* By halves, where the whole would overflow. */
    whole = pqt_vec_subtract(pqt_vec_scale(b, 0.5), pqt_vec_scale(a, 0.5));
    whole = pqti_vec_scaled(whole, exponent);
    *exponent += 1;
    return whole;
}

static int
heading_of(double from, double to)
{
    return (to > from) - (to < from);
}

static void
judge(pqti_line *line)
{
    line->sharp = pqti_is_sharp(line->along.x, line->heading_x) &&
                  pqti_is_sharp(line->along.y, line->heading_y);
}

static pqti_line
invalid_line(void)
{
    return (pqti_line){.box = {{INFINITY, INFINITY}, {-INFINITY, -INFINITY}}};
}

pqti_line
pqti_line_of_segment(pqt_segment segment)
{
    if (!pqt_segment_is_valid(segment))
        return invalid_line();
    pqti_line line = {
        .from = segment.from,
        .to = segment.to,
        .heading_x = heading_of(segment.from.x, segment.to.x),
        .heading_y = heading_of(segment.from.y, segment.to.y),
        .box = pqt_segment_box(segment),
    };
    line.along = pqti_way_between(segment.from, segment.to, &line.exponent);
    judge(&line);
    return line;
}

/* An axis along which a ray goes has no end. */
static void
open_side(double *min, double *max, int heading)
{
    if (heading < 0)
        *min = -INFINITY;
    if (heading > 0)
        *max = INFINITY;
}

pqti_line
pqti_line_of_ray(pqt_ray ray)
{
    if (!pqt_vec_is_finite(ray.from) || !pqt_vec_is_finite(ray.direction))
        return invalid_line();
    pqti_line line = {
        .from = ray.from,
        .to = ray.direction,
        .endless = true,
        .heading_x = heading_of(0, ray.direction.x),
        .heading_y = heading_of(0, ray.direction.y),
        .box = {ray.from, ray.from},
    };
    open_side(&line.box.min.x, &line.box.max.x, line.heading_x);
    open_side(&line.box.min.y, &line.box.max.y, line.heading_y);
    line.along = pqti_vec_scaled(ray.direction, &line.exponent);
    judge(&line);
    return line;
}

/* The sign of (to - from) x (corner - from), multiplied out: from.x from.y would come with both
   signs. */
static int
exact_side(const pqti_line *line, pqt_vec corner)
{
    pqt_vec from = line->from, to = line->to;
    pqti_sum sum = {.count = 0};
    pqti_sum_add(&sum, to.x, corner.y, false);
    pqti_sum_add(&sum, to.x, from.y, true);
    pqti_sum_add(&sum, to.y, corner.x, true);
    pqti_sum_add(&sum, to.y, from.x, false);
    if (!line->endless) {
        pqti_sum_add(&sum, from.x, corner.y, true);
        pqti_sum_add(&sum, from.y, corner.x, false);
    }
    return pqti_sum_sign(&sum);
}

/* Below 0, 0 or above: on which side of the line a corner lies. */
static int
side_of(const pqti_line *line, pqt_vec corner)
{
    double left = line->along.x * (corner.y - line->from.y);
    double right = line->along.y * (corner.x - line->from.x);
    double sum = pqti_magnitude(left) + pqti_magnitude(right);
    double determinant = left - right;
    if (line->sharp && sum >= LEAST_SUM && pqti_magnitude(determinant) > DETERMINANT_ERROR * sum)
        return determinant > 0 ? 1 : -1;
    return exact_side(line, corner);
}

bool
pqti_line_touches(const pqti_line *line, const pqt_box *box)
{
    const pqt_box *all = &line->box;
    if (!(all->min.x <= box->max.x && box->min.x <= all->max.x && all->min.y <= box->max.y &&
          box->min.y <= all->max.y))
        return false;
    if (line->heading_x == 0 || line->heading_y == 0)
        return true;
    bool falls = line->heading_x == line->heading_y; /* y points down */
    pqt_vec one = {falls ? box->min.x : box->max.x, box->max.y};
    pqt_vec other = {falls ? box->max.x : box->min.x, box->min.y};
    return side_of(line, one) * side_of(line, other) <= 0;
}

/* ---- The box of a part of it ---- */

/* More than what a place on the line is rounded by, of the numbers that it is made of. */
#define PLACE_ERROR 0x1p-48

/* Where a line comes to at a fraction of it, on one axis, or a little later; infinite, if that
   overflows. */
static inline double
place_at(double from, double to, bool endless, double fraction, int heading)
{
    double way = (endless ? to : to - from) * fraction;
    double error = (pqti_magnitude(from) + pqti_magnitude(way)) * PLACE_ERROR + 0x1p-1060;
    return from + way + heading * error;
}

pqt_box
pqti_line_box_until(const pqti_line *line, double fraction)
{
    pqt_box box = line->box;
    if (fraction == INFINITY)
        return box;
    if (fraction > 0)
        fraction = pqti_greater(fraction, PQTI_LEAST_FRACTION);
    double x = place_at(line->from.x, line->to.x, line->endless, fraction, line->heading_x);
    double y = place_at(line->from.y, line->to.y, line->endless, fraction, line->heading_y);
    if (line->heading_x > 0)
        box.max.x = pqti_lesser(box.max.x, x);
    else if (line->heading_x < 0)
        box.min.x = pqti_greater(box.min.x, x);
    if (line->heading_y > 0)
        box.max.y = pqti_lesser(box.max.y, y);
    else if (line->heading_y < 0)
        box.min.y = pqti_greater(box.min.y, y);
    return box;
}

/* ---- Where a line enters and leaves ---- */

/* The fraction of the line at which one of its coordinates is `at`. */
static double
fraction_at(double from, double to, bool endless, double at)
{
    double way = at - from, all = endless ? to : to - from;
    if (isfinite(way) && isfinite(all))
        return way / all;
    return (at / 2 - from / 2) / (endless ? to / 2 : to / 2 - from / 2);
}

/* One axis of a line and of a box that it touches. */
typedef struct span {
    double from, to;
    double min, max;
    int heading;
} span;

/* Where the line enters the span of the box; 0 if it begins there, and only then. */
static double
entry_of(const span *s, bool endless)
{
    bool outside = s->heading > 0 ? s->from < s->min : s->from > s->max;
    if (!outside)
        return 0;
    double entry = fraction_at(s->from, s->to, endless, s->heading > 0 ? s->min : s->max);
    return pqti_greater(entry, SMALLEST);
}

static double
exit_of(const span *s, bool endless)
{
    if (s->heading == 0)
        return INFINITY;
    return fraction_at(s->from, s->to, endless, s->heading > 0 ? s->max : s->min);
}

double
pqti_line_entry(const pqti_line *line, const pqt_box *box)
{
    const span x = {line->from.x, line->to.x, box->min.x, box->max.x, line->heading_x};
    const span y = {line->from.y, line->to.y, box->min.y, box->max.y, line->heading_y};
    return pqti_greater(entry_of(&x, line->endless), entry_of(&y, line->endless));
}

pqti_clip
pqti_line_clip(const pqti_line *line, const pqt_box *box)
{
    const span x = {line->from.x, line->to.x, box->min.x, box->max.x, line->heading_x};
    const span y = {line->from.y, line->to.y, box->min.y, box->max.y, line->heading_y};
    double entry_x = entry_of(&x, line->endless), entry_y = entry_of(&y, line->endless);
    double entry = pqti_greater(entry_x, entry_y);
    double exit = pqti_lesser(exit_of(&x, line->endless), exit_of(&y, line->endless));
    exit = pqti_lesser(exit, line->endless ? INFINITY : 1);
    pqti_clip clip = {.entry = entry, .exit = pqti_greater(entry, exit)};
    if (entry_x > 0 && entry_x >= entry_y)
        clip.normal.x = -line->heading_x;
    else if (entry_y > 0)
        clip.normal.y = -line->heading_y;
    return clip;
}

/* The public functions of segments and rays. */

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

/* Counts from the nearer end, so that both ends and all lines along an axis are exact. */
static double
between(double from, double to, double fraction)
{
    double half = to / 2 - from / 2;
    return fraction < 0.5 ? from + half * (2 * fraction) : to - half * (2 * (1 - fraction));
}

pqt_vec
pqt_segment_at(pqt_segment segment, double fraction)
{
    return (pqt_vec){between(segment.from.x, segment.to.x, fraction),
                     between(segment.from.y, segment.to.y, fraction)};
}

pqt_vec
pqt_segment_closest(pqt_segment segment, pqt_vec point)
{
    int of_along, of_toward;
    pqt_vec along = pqti_way_between(segment.from, segment.to, &of_along);
    pqt_vec toward = pqti_way_between(segment.from, point, &of_toward);
    double square = pqt_vec_dot(along, along);
    if (square == 0)
        return segment.from;
    double fraction = ldexp(pqt_vec_dot(toward, along) / square, of_toward - of_along);
    return pqt_segment_at(segment, pqti_lesser(1, pqti_greater(0, fraction)));
}

static bool
touches(pqti_line line, pqt_box box)
{
    return pqti_box_is_valid(&box) && pqti_line_touches(&line, &box);
}

bool
pqt_segment_touches_box(pqt_segment segment, pqt_box box)
{
    return touches(pqti_line_of_segment(segment), box);
}

bool
pqt_ray_is_valid(pqt_ray ray)
{
    return pqt_vec_is_finite(ray.from) && pqt_vec_is_finite(ray.direction) &&
           (ray.direction.x != 0 || ray.direction.y != 0);
}

pqt_vec
pqt_ray_at(pqt_ray ray, double t)
{
    return pqt_vec_add(ray.from, pqt_vec_scale(ray.direction, t));
}

bool
pqt_ray_touches_box(pqt_ray ray, pqt_box box)
{
    return touches(pqti_line_of_ray(ray), box);
}
