/* SPDX-License-Identifier: MIT */
/**
 * @file circle.h - circles.
 *
 * All functions here are pure: they depend on their arguments alone, never fail, and may be called
 * from any thread. They are made for valid shapes; is_valid tells. They give the same bits on every
 * machine, and are as good at 1e300 and 1e-300 as at 1.
 *
 * Whether circles touch or overlap is decided by the rounded distance. Whatever is said to touch,
 * the boxes touch too, and whatever is said to overlap, the boxes overlap: a search by boxes misses
 * none.
 */
#ifndef PQT_CIRCLE_H
#define PQT_CIRCLE_H

#include <stdbool.h>

#include <pqt/box.h>
#include <pqt/export.h>
#include <pqt/vec.h>

PQT_BEGIN_DECLARATIONS

/** A disc: all points no farther from the centre than the radius. See pqt_circle_is_valid. */
typedef struct pqt_circle {
    pqt_vec centre; /**< world units, finite */
    double radius;  /**< world units, >= 0; 0 is a point */
} pqt_circle;

/** @name Circles */
/** @{ */

/** Whether the radius is >= 0 and the circle's box finite. @since 0.1 */
PQT_API bool pqt_circle_is_valid(pqt_circle circle);

/**
 * The box of a circle: the smallest one that holds it whole.
 *
 * Where centre plus or minus radius is no double, the box is rounded outward, so a side may differ
 * in its last place from a plain sum.
 *
 * @since 0.1
 */
PQT_API pqt_box pqt_circle_box(pqt_circle circle);

/**
 * The distance from a circle to a point.
 *
 * The distance to the centre is rounded as by pqt_vec_distance, then the radius is taken off.
 *
 * @return  world units; 0 in and on the circle
 * @since 0.1
 */
PQT_API double pqt_circle_distance_to_point(pqt_circle circle, pqt_vec point);

/**
 * Whether two circles have a point in common; one common point is enough.
 *
 * @return  whether their boxes touch and pqt_vec_distance of the centres is <= the sum of the radii
 * @since 0.1
 */
PQT_API bool pqt_circle_touches(pqt_circle a, pqt_circle b);

/**
 * Whether the insides of two circles meet.
 *
 * A circle of radius 0 counts where it lies strictly inside the other; two of them never overlap.
 *
 * @return  whether pqt_vec_distance of the centres is < the sum of the radii
 * @since 0.1
 */
PQT_API bool pqt_circle_overlaps(pqt_circle a, pqt_circle b);

/**
 * Whether a circle and a box have a point in common; one common point is enough.
 *
 * @return  whether the circle's box touches `box` and pqt_box_distance_to_point of the centre is <=
 *          the radius
 * @since 0.1
 */
PQT_API bool pqt_circle_touches_box(pqt_circle circle, pqt_box box);

/**
 * Whether the insides of a circle and a box meet.
 *
 * A point or line box counts where it reaches into the circle, a circle of radius 0 where it lies
 * strictly inside the box; two that are both flat never overlap.
 *
 * @return  whether pqt_box_distance_to_point of the centre is < the radius; for a radius of 0,
 *          whether the centre overlaps `box` as a point box does
 * @since 0.1
 */
PQT_API bool pqt_circle_overlaps_box(pqt_circle circle, pqt_box box);
/** @} */

PQT_END_DECLARATIONS

#endif
