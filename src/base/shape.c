/* SPDX-License-Identifier: MIT */
/*
 * shape.c - circles, segments and rays.
 *
 * What the predicates confirm, a search by boxes must find. Two things see to it. The box of a
 * circle is rounded outward, so it holds the circle even where no sum of centre and radius is a
 * double. And rounding never turns an order round: were two boxes apart on one axis, the gap of the
 * centres on that axis would be no less than the sum of the radii, before rounding and after, and
 * the distance is no less than the gap. So distance < radii means that the boxes overlap. Only
 * equality may come from rounding alone; so where <= decides, the boxes are asked as well.
 */
#include "config.h"

#include <pqt/shape.h>

#include <math.h>

#include "base/exact.h"
#include "base/fp.h"
#include "base/segment.h"
#include "base/validate.h"

bool
pqt_circle_is_valid(pqt_circle circle)
{
    return circle.radius >= 0 && pqt_box_is_valid(pqt_circle_box(circle));
}

pqt_box
pqt_circle_box(pqt_circle circle)
{
    return (pqt_box){
        {pqti_difference_down(circle.centre.x, circle.radius),
         pqti_difference_down(circle.centre.y, circle.radius)},
        {pqti_sum_up(circle.centre.x, circle.radius), pqti_sum_up(circle.centre.y, circle.radius)},
    };
}

double
pqt_circle_distance_to_point(pqt_circle circle, pqt_vec point)
{
    return pqti_greater(0, pqt_vec_distance(circle.centre, point) - circle.radius);
}

bool
pqt_circle_touches(pqt_circle a, pqt_circle b)
{
    return pqt_box_touches(pqt_circle_box(a), pqt_circle_box(b)) &&
           pqt_vec_distance(a.centre, b.centre) <= a.radius + b.radius;
}

bool
pqt_circle_overlaps(pqt_circle a, pqt_circle b)
{
    return pqt_vec_distance(a.centre, b.centre) < a.radius + b.radius;
}

bool
pqt_circle_touches_box(pqt_circle circle, pqt_box box)
{
    return pqt_box_touches(pqt_circle_box(circle), box) &&
           pqt_box_distance_to_point(box, circle.centre) <= circle.radius;
}

bool
pqt_circle_overlaps_box(pqt_circle circle, pqt_box box)
{
    if (circle.radius == 0)
        return pqt_box_overlaps((pqt_box){circle.centre, circle.centre}, box);
    return pqt_box_distance_to_point(box, circle.centre) < circle.radius;
}

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
