/* SPDX-License-Identifier: MIT */
/**
 * @file contact.h - contacts of shapes: where, how deep, and the push that separates them.
 *
 * Two shapes have a contact if the predicates of circle.h, box.h and convex.h say that they touch.
 * Its depth is above 0 if and only if those predicates say that they overlap. So shapes that only
 * touch have a contact of depth 0, and at a position where a sweep (sweep.h) stops, no contact has
 * a depth above 0.
 *
 * The normal always points from `b` to `a`: moving `a` along it separates the shapes. If several
 * displacements are equally short, left is preferred, then right, up, down. All functions are pure,
 * never fail, and may be called from any thread. They expect valid shapes, and are as accurate at
 * 1e300 and 1e-300 as at 1.
 */
#ifndef PQT_CONTACT_H
#define PQT_CONTACT_H

#include <stdbool.h>

#include <pqt/box.h>
#include <pqt/circle.h>
#include <pqt/convex.h>
#include <pqt/export.h>
#include <pqt/vec.h>

PQT_BEGIN_DECLARATIONS

/** The contact of two shapes. */
typedef struct pqt_contact {
    bool touches;  /**< false: they are apart, and all other members are 0 */
    bool overlaps; /**< their interiors intersect */
    /** the distance by which `a` must be moved along the normal until the shapes only touch, world
        units, finite; above 0 if they overlap, otherwise 0 */
    double depth;
    pqt_vec normal; /**< the direction from `b` to `a`, of length 1 */
    /** the midpoint of the deepest points of the two shapes; between parallel sides, in the middle
        of the parts that face each other; if the shapes only touch, a common point */
    pqt_vec point;
    /** the displacement of `a` that separates it from `b`: normal * depth, made slightly longer
        where the predicates need that to confirm it; (0, 0) if the shapes do not overlap */
    pqt_vec push;
} pqt_contact;

/**
 * Computes the contact of two circles.
 *
 * @param a  the first circle, valid
 * @param b  the second circle, valid
 * @return   the contact; the normal is on the line through the centres, or (1, 0) if they are equal
 */
PQT_API pqt_contact pqt_contact_circles(pqt_circle a, pqt_circle b);

/**
 * Computes the contact of a circle and a box.
 *
 * @param a  the circle, valid
 * @param b  the box, valid; it may be a line or a point
 * @return   the contact; the normal points from the nearest point of the box to the centre, or, if
 *           the box contains the centre, out of the nearest side
 */
PQT_API pqt_contact pqt_contact_circle_box(pqt_circle a, pqt_box b);

/**
 * Computes the contact of two boxes.
 *
 * @param a  the first box, valid
 * @param b  the second box, valid
 * @return   the contact; the normal is along the axis on which the shorter displacement separates
 *           the boxes; the point is the middle of the intersection
 */
PQT_API pqt_contact pqt_contact_boxes(pqt_box a, pqt_box b);

/**
 * Computes the contact of two convexes. If several sides are equally deep, those of `b` precede
 * those of `a`, each in the order of the vertices.
 *
 * @param a  the first convex, valid
 * @param b  the second convex, valid
 * @return   the contact; the normal is the outward normal of the side through which the shortest
 *           displacement separates the shapes; if the polygons are apart, the direction of the
 *           shortest distance between them
 * @cost    O(1)
 * @source  the separating axis test: C. Ericson, Real-Time Collision Detection, 2005, 5.2.1
 */
PQT_API pqt_contact pqt_contact_convexes(const pqt_convex *a, const pqt_convex *b);

/**
 * Computes the contact of a convex and a box. The rules are the same as for pqt_contact_convexes.
 *
 * @param a  the convex, valid
 * @param b  the box, valid; it may be a line or a point
 * @return   the contact
 */
PQT_API pqt_contact pqt_contact_convex_box(const pqt_convex *a, pqt_box b);

/**
 * Computes the contact of a convex and a circle. The rules are the same as for
 * pqt_contact_convexes.
 *
 * @param a  the convex, valid
 * @param b  the circle, valid
 * @return   the contact
 */
PQT_API pqt_contact pqt_contact_convex_circle(const pqt_convex *a, pqt_circle b);

PQT_END_DECLARATIONS

#endif
