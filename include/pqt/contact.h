/* SPDX-License-Identifier: MIT */
/**
 * @file contact.h - how circles and boxes that meet touch each other, and what they do then.
 *
 * There is a contact where the predicates of circle.h and segment.h and box.h say that two shapes
 * touch, and its depth is above 0 exactly where they say that the shapes overlap. So two that only
 * touch have a contact of depth 0, and what a sweep (sweep.h) stops never has a depth.
 *
 * The normal always leads from `b` to `a`: along it, `a` is moved away. Where several ways out are
 * equally short, the order is left, right, up, down. All functions are pure, never fail, and may be
 * called from any thread; they are made for valid shapes, and are as good at 1e300 and 1e-300 as at
 * 1.
 */
#ifndef PQT_CONTACT_H
#define PQT_CONTACT_H

#include <stdbool.h>

#include <pqt/box.h>
#include <pqt/circle.h>
#include <pqt/export.h>
#include <pqt/vec.h>

PQT_BEGIN_DECLARATIONS

/** How two shapes meet. */
typedef struct pqt_contact {
    bool touches;  /**< false: they are apart, and all else here is 0 */
    bool overlaps; /**< their insides meet */
    /** how far `a` must be moved along the normal until they only touch, world units, finite; above
        0 if they overlap, else 0 */
    double depth;
    pqt_vec normal; /**< of length 1, from `b` to `a` */
    /** the middle between the deepest points, one of each shape; where they only touch, a point
        that they have in common */
    pqt_vec point;
    /** the movement of `a` out of `b`: normal * depth, and as many roundings more as the predicates
        need to confirm it. (0, 0) if they do not overlap */
    pqt_vec push;
} pqt_contact;

/**
 * The contact of two circles.
 *
 * @return  along the line of the centres. Centres that coincide have none: then the normal is
 *          (1, 0)
 * @since   0.1
 */
PQT_API pqt_contact pqt_contact_circles(pqt_circle a, pqt_circle b);

/**
 * The contact of a circle and a box.
 *
 * @param a  the circle
 * @param b  the box; it may be a line or a point
 * @return   with the normal from the nearest point of the box to the centre; if the box contains
 *           the centre, out of the nearest side
 * @since    0.1
 */
PQT_API pqt_contact pqt_contact_circle_box(pqt_circle a, pqt_box b);

/**
 * The contact of two boxes.
 *
 * @return  with the normal along the axis on which the way out is shortest; the point is the middle
 *          of what the boxes have in common
 * @since   0.1
 */
PQT_API pqt_contact pqt_contact_boxes(pqt_box a, pqt_box b);

/** What takes part in a collision. */
typedef struct pqt_impact_body {
    pqt_vec velocity; /**< world units per second, finite */
    double mass;      /**< above 0; INFINITY for what no collision moves */
} pqt_impact_body;

/** The velocities after a collision. */
typedef struct pqt_impact_result {
    bool applied; /**< false: the velocities are those given */
    pqt_vec a, b; /**< velocities, world units per second */
} pqt_impact_result;

/**
 * What two bodies do when they meet: the elastic response.
 *
 * Only bodies that approach each other respond: those that already move apart, or along each other,
 * keep their velocities. So two that overlap for a while cannot turn round again and again. The
 * velocity along the contact does not change. The sum of the momenta is kept but for the rounding
 * of each velocity; with a restitution of 1 so is the energy. Two bodies of infinite mass do not
 * respond.
 *
 *     pqt_contact contact = pqt_contact_circles(a.circle, b.circle);
 *     pqt_impact_result after = pqt_contact_respond(a.moving, b.moving, contact.normal, 1);
 *
 * @param a, b         the bodies
 * @param normal       of length 1, from `b` to `a`
 * @param restitution  0 .. 1: which part of the speed of approach is left as speed of departure
 * @return             as given, without `applied`, also if a velocity or the normal is not finite,
 *                     a mass is not above 0, the restitution not in 0 .. 1, or a speed after it
 *                     beyond the largest double
 *
 * @source  the impulse of a collision of two bodies: I. Newton's law of impact, in any textbook of
 *          mechanics
 * @since   0.1
 */
PQT_API pqt_impact_result pqt_contact_respond(pqt_impact_body a, pqt_impact_body b, pqt_vec normal,
                                              double restitution);

PQT_END_DECLARATIONS

#endif
