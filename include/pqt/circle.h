/* SPDX-License-Identifier: MIT */
/**
 * @file circle.h - circles.
 *
 * All functions here are pure: they depend on their arguments only, never fail, and may be called
 * from any thread. They expect valid shapes (pqt_circle_is_valid). Results are bit-identical on
 * every machine, and as accurate at 1e300 and 1e-300 as at 1.
 *
 * The predicates compare the rounded distance. If two shapes touch, their boxes touch too; if they
 * overlap, their boxes overlap too. So a search by boxes misses no such pair.
 */
#ifndef PQT_CIRCLE_H
#define PQT_CIRCLE_H

#include <stdbool.h>

#include <pqt/box.h>
#include <pqt/export.h>
#include <pqt/vec.h>

PQT_BEGIN_DECLARATIONS

/** A disc: all points whose distance from the centre is at most the radius. */
typedef struct pqt_circle {
    pqt_vec centre; /**< world units, finite */
    double radius;  /**< world units, >= 0; a radius of 0 is a point */
} pqt_circle;

/** @name Circles */
/** @{ */

/**
 * Returns whether a circle is valid.
 *
 * @param circle  any numbers
 * @return        true if the radius is >= 0 and the circle's box is finite
 */
PQT_API bool pqt_circle_is_valid(pqt_circle circle);

/**
 * Returns the smallest box that contains a circle.
 *
 * If centre plus or minus radius is not a double, the side is rounded outward, so it may differ in
 * the last place from the rounded sum.
 *
 * @param circle  valid
 * @return        the box
 */
PQT_API pqt_box pqt_circle_box(pqt_circle circle);

/**
 * Returns the distance from a circle to a point.
 *
 * This is pqt_vec_distance from the centre, minus the radius.
 *
 * @param circle  valid
 * @param point   finite
 * @return        world units; 0 inside and on the circle
 */
PQT_API double pqt_circle_distance_to_point(pqt_circle circle, pqt_vec point);

/**
 * Returns whether two circles have at least one common point.
 *
 * @param a  valid
 * @param b  valid
 * @return   true if their boxes touch and pqt_vec_distance of the centres is <= the sum of the
 *           radii
 */
PQT_API bool pqt_circle_touches(pqt_circle a, pqt_circle b);

/**
 * Returns whether the interiors of two circles intersect.
 *
 * A circle of radius 0 overlaps a larger one if it is strictly inside the larger one. Two circles
 * of radius 0 never overlap.
 *
 * @param a  valid
 * @param b  valid
 * @return   true if pqt_vec_distance of the centres is < the sum of the radii
 */
PQT_API bool pqt_circle_overlaps(pqt_circle a, pqt_circle b);

/**
 * Returns whether a circle and a box have at least one common point.
 *
 * @param circle  valid
 * @param box     valid
 * @return        true if the circle's box touches `box` and pqt_box_distance_to_point of the centre
 *                is <= the radius
 */
PQT_API bool pqt_circle_touches_box(pqt_circle circle, pqt_box box);

/**
 * Returns whether the interiors of a circle and a box intersect.
 *
 * A box that is a point or a line overlaps a circle if it reaches into the interior of the circle.
 * A circle of radius 0 overlaps a box if it is strictly inside the box. A flat box and a circle of
 * radius 0 never overlap.
 *
 * @param circle  valid
 * @param box     valid
 * @return        true if pqt_box_distance_to_point of the centre is < the radius; for a radius of
 *                0, if the centre as a point box overlaps `box`
 */
PQT_API bool pqt_circle_overlaps_box(pqt_circle circle, pqt_box box);
/** @} */

PQT_END_DECLARATIONS

#endif
