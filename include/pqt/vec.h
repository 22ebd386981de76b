/* SPDX-License-Identifier: MIT */
/**
 * @file vec.h - points and displacements in the plane.
 *
 * All functions here are pure: they depend on their arguments only, never fail, and may be called
 * from any thread. Results are bit-identical on every machine. Each operation is rounded once
 * unless its description says otherwise. Intermediate squares and products neither overflow nor
 * underflow, so lengths of 1e300 and of 1e-300 are as accurate as lengths of 1. NaN in gives NaN
 * out.
 */
#ifndef PQT_VEC_H
#define PQT_VEC_H

#include <stdbool.h>

#include <pqt/export.h>

PQT_BEGIN_DECLARATIONS

/** A point or a displacement, in world units. y points down. */
typedef struct pqt_vec {
    double x; /**< world units, to the right */
    double y; /**< world units, down */
} pqt_vec;

/**
 * Returns whether both coordinates are finite: neither NaN nor infinite.
 *
 * @param v  any vector
 * @return   true if both are finite
 */
PQT_API bool pqt_vec_is_finite(pqt_vec v);

/**
 * Adds two displacements, or moves a point.
 *
 * @param a  a point or a displacement
 * @param b  the displacement to add
 * @return   a + b on each axis; infinite if the sum exceeds the largest double
 */
PQT_API pqt_vec pqt_vec_add(pqt_vec a, pqt_vec b);

/**
 * Returns the displacement from one point to another.
 *
 * @param a  the end of the displacement
 * @param b  its start
 * @return   a - b on each axis; infinite if the difference exceeds the largest double
 */
PQT_API pqt_vec pqt_vec_subtract(pqt_vec a, pqt_vec b);

/**
 * Multiplies a displacement by a number.
 *
 * @param v       the displacement
 * @param factor  without a unit: 2 doubles the length, -1 reverses the direction
 * @return        v * factor on each axis
 */
PQT_API pqt_vec pqt_vec_scale(pqt_vec v, double factor);

/**
 * Returns the dot product: positive if the angle between two displacements is below 90 degrees, 0
 * at a right angle.
 *
 * The products may overflow or underflow if their sum does not: the dot product of (1e300, 1e300)
 * and (1e300, -1e300) is 0, not NaN.
 *
 * @param a  a displacement
 * @param b  a displacement
 * @return   a.x * b.x + a.y * b.y, in square world units; the products and the sum are rounded once
 *           each
 */
PQT_API double pqt_vec_dot(pqt_vec a, pqt_vec b);

/**
 * Returns the length of a displacement.
 *
 * The error is below 2 units in the last place. If the squares and their sum need no rounding, the
 * result is the exact length, rounded once: the length of (3, 4) is 5, and the same holds if all
 * numbers are multiplied by a power of two. The function is monotonic: a vector that is longer on
 * one axis and not shorter on the other is never measured shorter.
 *
 * @param v  a displacement
 * @return   world units, >= 0; infinite if the length exceeds the largest double
 */
PQT_API double pqt_vec_length(pqt_vec v);

/**
 * Returns the distance between two points.
 *
 * The difference is rounded once on each axis, and its length is computed as in pqt_vec_length, so
 * the error is below 3 units in the last place.
 *
 * @param a  a point
 * @param b  a point
 * @return   world units, >= 0; infinite if the distance exceeds the largest double
 */
PQT_API double pqt_vec_distance(pqt_vec a, pqt_vec b);

/**
 * Returns the displacement of length 1 in the same direction.
 *
 * @param v  finite
 * @return   v / length(v), each axis within 3 units in the last place; **the zero vector for the
 *           zero vector**, which has no direction
 */
PQT_API pqt_vec pqt_vec_normalize(pqt_vec v);

PQT_END_DECLARATIONS

#endif
