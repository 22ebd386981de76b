/* SPDX-License-Identifier: MIT */
/**
 * @file vec.h - points and movements in the plane.
 *
 * All functions here are pure: they depend on their arguments alone, never fail, and may be called
 * from any thread. They give the same bits on every machine. Each operation is rounded once where
 * nothing else is said; squares and products neither overflow nor vanish on the way, so lengths of
 * 1e300 and of 1e-300 are as good as lengths of 1. NaN in gives NaN out.
 */
#ifndef PQT_VEC_H
#define PQT_VEC_H

#include <stdbool.h>

#include <pqt/export.h>

PQT_BEGIN_DECLARATIONS

/** A point or a movement, world units; y points down. */
typedef struct pqt_vec {
    double x, y;
} pqt_vec;

/** Whether both numbers are finite: neither NaN nor infinite. @since 0.1 */
PQT_API bool pqt_vec_is_finite(pqt_vec v);

/**
 * Adds two movements, or moves a point.
 *
 * @return  a + b, on each axis; infinite where the sum is beyond the largest double
 * @since 0.1
 */
PQT_API pqt_vec pqt_vec_add(pqt_vec a, pqt_vec b);

/**
 * The movement that leads from one point to another.
 *
 * @param a  where it ends
 * @param b  where it begins
 * @return   a - b, on each axis; infinite where the difference is beyond the largest double
 * @since 0.1
 */
PQT_API pqt_vec pqt_vec_subtract(pqt_vec a, pqt_vec b);

/**
 * Makes a movement longer or shorter.
 *
 * @param v       the movement
 * @param factor  a plain number: 2 doubles the length, -1 turns the movement round
 * @return        v * factor, on each axis
 * @since 0.1
 */
PQT_API pqt_vec pqt_vec_scale(pqt_vec v, double factor);

/**
 * The dot product: positive where two movements agree, 0 where they are at right angles.
 *
 * The two products may overflow or vanish where their sum does not: (1e300, 1e300) . (1e300,
 * -1e300) is 0, not NaN.
 *
 * @return  a.x * b.x + a.y * b.y, square world units; the products and the sum are rounded once
 *          each
 * @since 0.1
 */
PQT_API double pqt_vec_dot(pqt_vec a, pqt_vec b);

/**
 * How long a movement is.
 *
 * The error is below 2 units in the last place; where the squares and their sum need no rounding
 * the length is the true one, rounded once: that of (3, 4) is 5, at any power of two. A vector that
 * is longer on one axis and no shorter on the other is never measured shorter.
 *
 * @return  world units, >= 0; infinite where the length is beyond the largest double
 * @since 0.1
 */
PQT_API double pqt_vec_length(pqt_vec v);

/**
 * How far two points are from each other.
 *
 * The difference is rounded once on each axis, then measured as by pqt_vec_length: the error is
 * below 3 units in the last place.
 *
 * @return  world units, >= 0; infinite where the distance is beyond the largest double
 * @since 0.1
 */
PQT_API double pqt_vec_distance(pqt_vec a, pqt_vec b);

/**
 * The movement of length 1 in the same direction.
 *
 * @param v  finite
 * @return   v / length(v), each axis within 3 units in the last place; **the zero vector for the
 *           zero vector**, which has no direction
 * @since 0.1
 */
PQT_API pqt_vec pqt_vec_normalize(pqt_vec v);

PQT_END_DECLARATIONS

#endif
