/* SPDX-License-Identifier: MIT */
/*
 * circle.c: bounding boxes of circles, distances between circles, and overlap tests.
 *
 * A search by boxes must find every pair of circles that these predicates accept. Two properties
 * guarantee it. First, the box of a circle is rounded outward, so it contains the circle even if
 * the exact sum of centre and radius is not a double. Second, rounding is monotone: if two boxes
 * are apart on one axis, the gap between the centres on that axis is at least the sum of the radii,
 * before and after rounding, and the distance is at least the gap. So distance < sum of radii
 * implies that the boxes overlap. Equality may result from rounding alone, so a predicate that uses
 * <= also compares the boxes.
 */
#include "config.h"

#include <pqt/circle.h>

#include <math.h>

#include "base/exact.h"
#include "base/fp.h"

bool
pqt_circle_is_valid(pqt_circle circle)
{
    return circle.radius >= 0 && pqt_box_is_valid(pqt_circle_box(circle));
}

pqt_box
pqt_circle_box(pqt_circle circle)
{
    return (pqt_box){
        {pqti_sub_round_down(circle.centre.x, circle.radius),
         pqti_sub_round_down(circle.centre.y, circle.radius)},
        {pqti_add_round_up(circle.centre.x, circle.radius),
         pqti_add_round_up(circle.centre.y, circle.radius)},
    };
}

double
pqt_circle_distance_to_point(pqt_circle circle, pqt_vec point)
{
    return pqti_fmax(0, pqt_vec_distance(circle.centre, point) - circle.radius);
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
