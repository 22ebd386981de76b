/* SPDX-License-Identifier: MIT */
/*
 * contact.c: contacts of circles and boxes.
 *
 * The predicates of circle.h, segment.h and box.h decide whether two shapes touch and whether they
 * overlap. Depth, normal and point are rounded. The push is tested: it is lengthened by a rounding
 * error, which doubles with each attempt, until the predicate confirms that the pushed shape is
 * free.
 */
#include "config.h"

#include <pqt/contact.h>

#include <float.h>
#include <math.h>
#include <stddef.h>

#include <pqt/circle.h>

#include "base/fp.h"
#include "base/segment_internal.h"

/* A push is lengthened at most MAX_TRIES times. The first extension is FIRST_ROUNDING (2^-53) of
 * the largest number involved. */
#define MAX_TRIES 64
#define FIRST_ROUNDING 0x1p-53

#define SMALLEST 0x1p-1074 /* the smallest double above 0 */

/* A direction out of a box, and the distance in that direction. */
typedef struct box_exit {
    pqt_vec normal;
    double length;
} box_exit;

/* Returns a - b for a >= b, or DBL_MAX instead of infinity. */
static double
finite_difference(double a, double b)
{
    return pqti_fmin(a - b, DBL_MAX);
}

/* Returns the shortest exit of `inner` from `outer`, to the left, right, top or bottom. The boxes
 * touch. */
static box_exit
shortest_exit(const pqt_box *inner, const pqt_box *outer)
{
    const box_exit pushes[] = {
        {{-1, 0}, finite_difference(inner->max.x, outer->min.x)},
        {{1, 0}, finite_difference(outer->max.x, inner->min.x)},
        {{0, -1}, finite_difference(inner->max.y, outer->min.y)},
        {{0, 1}, finite_difference(outer->max.y, inner->min.y)},
    };
    box_exit best = pushes[0];
    for (int i = 1; i < 4; i++)
        if (pushes[i].length < best.length)
            best = pushes[i];
    return best;
}

/* Returns the first amount by which a push is lengthened: the larger one of the rounding errors of
 * `position` and `length`, which are added. */
static double
first_rounding(pqt_vec position, double length)
{
    double size = pqti_fmax(pqti_fabs(position.x), pqti_fabs(position.y));
    size = pqti_fmin(pqti_fmax(size, length), DBL_MAX);
    return pqti_fmax(size * FIRST_ROUNDING, SMALLEST);
}

/* ---- Circles ---- */

/* The shape out of which a circle is pushed. */
typedef struct obstacle {
    const pqt_circle *circle; /* NULL: the obstacle is `box` */
    const pqt_box *box;
} obstacle;

static bool
is_overlapped(const obstacle *from, pqt_circle circle)
{
    return from->circle != NULL ? pqt_circle_overlaps(circle, *from->circle)
                                : pqt_circle_overlaps_box(circle, *from->box);
}

/* Returns the motion along `normal` that moves a circle out of an obstacle. */
static pqt_vec
push_of_circle(const obstacle *from, pqt_circle circle, pqt_vec normal, double depth)
{
    double more = first_rounding(circle.centre, pqti_fmax(depth, circle.radius));
    pqt_vec push = pqt_vec_scale(normal, depth);
    for (int i = 0; i < MAX_TRIES; i++) {
        pqt_circle moved = {pqt_vec_add(circle.centre, push), circle.radius};
        if (!is_overlapped(from, moved))
            break;
        push = pqt_vec_scale(normal, pqti_fmin(depth + more, DBL_MAX));
        more *= 2;
    }
    return push;
}

/* Returns the direction from one point to another, or `otherwise` if they coincide. */
static pqt_vec
unit_direction_of(pqt_vec from, pqt_vec to, pqt_vec otherwise)
{
    int exponent;
    pqt_vec motion = pqti_direction_between(from, to, &exponent);
    return motion.x == 0 && motion.y == 0 ? otherwise : pqt_vec_normalize(motion);
}

pqt_contact
pqt_contact_circles(pqt_circle a, pqt_circle b)
{
    if (!pqt_circle_touches(a, b))
        return (pqt_contact){.touches = false};
    double distance = pqt_vec_distance(a.centre, b.centre), radius_sum = a.radius + b.radius;
    pqt_contact contact = {.touches = true, .overlaps = distance < radius_sum};
    contact.normal = unit_direction_of(b.centre, a.centre, (pqt_vec){1, 0});
    double middle = distance / 2 - a.radius / 2 + b.radius / 2;
    contact.point = pqt_vec_add(b.centre, pqt_vec_scale(contact.normal, middle));
    if (!contact.overlaps)
        return contact;
    contact.depth = finite_difference(radius_sum, distance);
    contact.push = push_of_circle(&(obstacle){.circle = &b}, a, contact.normal, contact.depth);
    return contact;
}

static double
clamp_to_interval(double value, double min, double max)
{
    return pqti_fmin(max, pqti_fmax(min, value));
}

/* Returns the exit of a circle from a box that touches it, and the nearest point of the box. */
static box_exit
exit_of_circle(const pqt_circle *circle, const pqt_box *box, pqt_vec *nearest)
{
    pqt_vec c = circle->centre;
    *nearest = (pqt_vec){clamp_to_interval(c.x, box->min.x, box->max.x),
                         clamp_to_interval(c.y, box->min.y, box->max.y)};
    double distance = pqt_box_distance_to_point(*box, c);
    if (distance > 0)
        return (box_exit){unit_direction_of(*nearest, c, (pqt_vec){1, 0}),
                          circle->radius - distance};
    box_exit push = shortest_exit(&(pqt_box){c, c}, box);
    *nearest = pqt_vec_add(c, pqt_vec_scale(push.normal, push.length));
    push.length = pqti_fmin(push.length + circle->radius, DBL_MAX);
    return push;
}

pqt_contact
pqt_contact_circle_box(pqt_circle a, pqt_box b)
{
    if (!pqt_circle_touches_box(a, b))
        return (pqt_contact){.touches = false};
    pqt_vec nearest;
    box_exit push = exit_of_circle(&a, &b, &nearest);
    pqt_contact contact = {.touches = true, .overlaps = pqt_circle_overlaps_box(a, b)};
    contact.normal = push.normal;
    contact.point = nearest;
    if (!contact.overlaps)
        return contact;
    contact.depth = push.length;
    contact.point = pqt_vec_subtract(nearest, pqt_vec_scale(push.normal, push.length / 2));
    contact.push = push_of_circle(&(obstacle){.box = &b}, a, contact.normal, contact.depth);
    return contact;
}

/* ---- Boxes ---- */

/* Returns the motion along an axis that moves one box out of another. */
static pqt_vec
push_of_box(const pqt_box *box, const pqt_box *from, const box_exit *exit)
{
    double more = pqti_fmax(first_rounding(box->min, exit->length), first_rounding(box->max, 0));
    pqt_vec push = pqt_vec_scale(exit->normal, exit->length);
    for (int i = 0; i < MAX_TRIES; i++) {
        if (!pqt_box_overlaps(pqt_box_moved(*box, push), *from))
            break;
        push = pqt_vec_scale(exit->normal, pqti_fmin(exit->length + more, DBL_MAX));
        more *= 2;
    }
    return push;
}

pqt_contact
pqt_contact_boxes(pqt_box a, pqt_box b)
{
    pqt_box common;
    if (!pqt_box_intersection(a, b, &common))
        return (pqt_contact){.touches = false};
    box_exit push = shortest_exit(&a, &b);
    pqt_contact contact = {.touches = true, .overlaps = pqt_box_overlaps(a, b)};
    contact.normal = push.normal;
    contact.point = pqt_box_centre(common);
    if (!contact.overlaps)
        return contact;
    contact.depth = push.length;
    contact.push = push_of_box(&a, &b, &push);
    return contact;
}
