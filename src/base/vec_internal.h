/* SPDX-License-Identifier: MIT */
/* vec_internal.h: scaling of vectors whose squares overflow or underflow. */
#ifndef PQTI_VEC_INTERNAL_H
#define PQTI_VEC_INTERNAL_H

#include <pqt/vec.h>

/* Returns v * 2^-exponent with its greater component in 0.5 .. 1, so that its square neither
 * overflows nor underflows. Returns a zero or non-finite vector unchanged, with the exponent 0. */
pqt_vec pqti_vec_frexp(pqt_vec v, int *exponent);

#endif
