/* SPDX-License-Identifier: MIT */
/* vec_internal.h - vectors beyond the range of squares. */
#ifndef PQTI_VEC_INTERNAL_H
#define PQTI_VEC_INTERNAL_H

#include <pqt/vec.h>

/*
 * v * 2^-exponent, with its greater component in 0.5 .. 1: its square is neither too large nor too
 * small. The zero vector and what is not finite come back as they are, with the exponent 0.
 */
pqt_vec pqti_vec_frexp(pqt_vec v, int *exponent);

#endif
