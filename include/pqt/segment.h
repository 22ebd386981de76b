/* SPDX-License-Identifier: MIT */
/**
 * @file segment.h - segments and rays.
 *
 * All functions here are pure: they depend on their arguments only, never fail, and may be called
 * from any thread. They expect valid shapes (pqt_segment_is_valid, pqt_ray_is_valid). Results are
 * bit-identical on every machine, and as accurate at 1e300 and 1e-300 as at 1.
 *
 * If a segment touches a box, the segment's box touches it too, so a search by boxes misses no such
 * segment.
 */
#ifndef PQT_SEGMENT_H
#define PQT_SEGMENT_H

#include <stdbool.h>

#include <pqt/box.h>
#include <pqt/export.h>
#include <pqt/vec.h>

PQT_BEGIN_DECLARATIONS

/** The straight line between two points, both included. Equal points make it a point. */
typedef struct pqt_segment {
    pqt_vec from; /**< the start, world units, finite */
    pqt_vec to;   /**< the end, world units, finite */
} pqt_segment;

/** A half line: it starts at a point and has no end. */
typedef struct pqt_ray {
    pqt_vec from;      /**< the start, world units, finite */
    pqt_vec direction; /**< finite, not zero, of any length, which is the unit of distances */
} pqt_ray;

/** @name Segments */
/** @{ */

/**
 * Returns whether a segment is valid.
 *
 * @param segment  any numbers
 * @return         true if the four numbers are finite
 */
PQT_API bool pqt_segment_is_valid(pqt_segment segment);

/**
 * Returns the smallest box that contains a segment, exactly.
 *
 * @param segment  valid
 * @return         the box
 */
PQT_API pqt_box pqt_segment_box(pqt_segment segment);

/**
 * Returns the point at a fraction of a segment.
 *
 * @param segment   valid
 * @param fraction  0 is `from` and 1 is `to`, both exactly; below 0 and above 1 the point continues
 *                  along the line
 * @return          the point; for fractions in 0..1 it is inside the segment's box
 */
PQT_API pqt_vec pqt_segment_at(pqt_segment segment, double fraction);
/** @} */

/** @name Rays */
/** @{ */

/**
 * Returns whether a ray is valid.
 *
 * @param ray  any numbers
 * @return     true if the four numbers are finite and the direction is not zero
 */
PQT_API bool pqt_ray_is_valid(pqt_ray ray);
/** @} */

PQT_END_DECLARATIONS

#endif
