/* SPDX-License-Identifier: MIT */
/* vec_internal.h: scales vectors, also those whose squares would overflow or underflow. */
#ifndef PQTI_VEC_INTERNAL_H
#define PQTI_VEC_INTERNAL_H

#include <math.h>

#include <pqt/vec.h>

/*
 * Returns v * 2^-exponent, where the exponent is chosen so that the greater component is in 0.5 ..
 * 1 and its square neither overflows nor underflows. Returns a zero or non-finite vector unchanged,
 * with an exponent of 0.
 */
pqt_vec pqti_vec_frexp(pqt_vec v, int *exponent);

/* Returns v * 2^exponent. */
static inline pqt_vec
pqti_vec_ldexp(pqt_vec v, int exponent)
{
    return (pqt_vec){ldexp(v.x, exponent), ldexp(v.y, exponent)};
}

/* Returns the point that is `length` away from another one in the direction of a unit vector. */
static inline pqt_vec
pqti_vec_along(pqt_vec from, pqt_vec direction, double length)
{
    return (pqt_vec){from.x + direction.x * length, from.y + direction.y * length};
}

#endif
