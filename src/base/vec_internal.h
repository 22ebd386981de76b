/* SPDX-License-Identifier: MIT */
/* vec_internal.h: scales vectors whose squares would overflow or underflow. */
#ifndef PQTI_VEC_INTERNAL_H
#define PQTI_VEC_INTERNAL_H

#include <pqt/vec.h>

/*
 * Returns v * 2^-exponent, where the exponent is chosen so that the greater component is in 0.5 ..
 * 1 and its square neither overflows nor underflows. Returns a zero or non-finite vector unchanged,
 * with an exponent of 0.
 */
pqt_vec pqti_vec_frexp(pqt_vec v, int *exponent);

#endif
