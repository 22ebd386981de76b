/* SPDX-License-Identifier: MIT */
/**
 * @file segment.h - segments and rays.
 *
 * All functions here are pure: they depend on their arguments alone, never fail, and may be called
 * from any thread. They are made for valid shapes; is_valid tells. They give the same bits on every
 * machine, and are as good at 1e300 and 1e-300 as at 1.
 *
 * Whatever is said to touch, the boxes touch too: a search by boxes misses none.
 */
#ifndef PQT_SEGMENT_H
#define PQT_SEGMENT_H

#include <stdbool.h>

#include <pqt/box.h>
#include <pqt/export.h>
#include <pqt/vec.h>

PQT_BEGIN_DECLARATIONS

/** The straight line between two points, both included. They may be equal: then it is a point. */
typedef struct pqt_segment {
    pqt_vec from, to; /**< world units, finite */
} pqt_segment;

/** A half line: it begins at a point and goes on without end. */
typedef struct pqt_ray {
    pqt_vec from;      /**< world units, finite */
    pqt_vec direction; /**< finite, not zero, of any length; its length is the unit of pqt_ray_at */
} pqt_ray;

/** @name Segments */
/** @{ */

/** Whether the four numbers are finite. @since 0.1 */
PQT_API bool pqt_segment_is_valid(pqt_segment segment);

/** The smallest box that holds a segment, exactly. @since 0.1 */
PQT_API pqt_box pqt_segment_box(pqt_segment segment);

/**
 * The point at a fraction of a segment.
 *
 * @param fraction  0 is `from`, 1 is `to`, both exactly; between them the point never leaves the
 *                  segment's box; below 0 and above 1 it goes on along the line
 * @since 0.1
 */
PQT_API pqt_vec pqt_segment_at(pqt_segment segment, double fraction);

/**
 * The point of a segment that is nearest to a given point.
 *
 * The error is a few units in the last place of the segment's length.
 *
 * @return  a point in the segment's box; an end exactly, for points well beyond it; `from` if both
 *          ends are equal
 * @since 0.1
 */
PQT_API pqt_vec pqt_segment_closest(pqt_segment segment, pqt_vec point);

/**
 * Whether a segment and a box have a point in common; one common point is enough.
 *
 * It is decided exactly, whatever the numbers: a corner that lies on the segment is touched, one
 * that lies beside it by less than doubles can tell is not.
 *
 * @return  false for a segment or a box that is not valid
 * @since 0.1
 */
PQT_API bool pqt_segment_touches_box(pqt_segment segment, pqt_box box);
/** @} */

/** @name Rays */
/** @{ */

/** Whether the four numbers are finite and the direction is not zero. @since 0.1 */
PQT_API bool pqt_ray_is_valid(pqt_ray ray);

/**
 * The point of a ray at a distance from its beginning.
 *
 * @param t  >= 0, in lengths of the direction: world units if that is normalized
 * @return   from + direction * t, product and sum rounded
 * @since 0.1
 */
PQT_API pqt_vec pqt_ray_at(pqt_ray ray, double t);

/**
 * Whether a ray and a box have a point in common; one common point is enough.
 *
 * Exactly, as for segments. A direction of zero makes the ray a point.
 *
 * @return  false for a box that is not valid, and for a ray with a number that is not finite
 * @since 0.1
 */
PQT_API bool pqt_ray_touches_box(pqt_ray ray, pqt_box box);
/** @} */

PQT_END_DECLARATIONS

#endif
