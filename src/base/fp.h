/* SPDX-License-Identifier: MIT */
/*
 * fp.h: minimum, maximum and absolute value of doubles.
 *
 * fmin, fmax and fabs are functions of libm, of which the library uses only four. The compiler
 * turns each of these into one instruction.
 */
#ifndef PQTI_FP_H
#define PQTI_FP_H

static inline double
pqti_fmin(double a, double b)
{
    return b < a ? b : a;
}

static inline double
pqti_fmax(double a, double b)
{
    return b > a ? b : a;
}

static inline double
pqti_fabs(double a)
{
    return a < 0 ? -a : a;
}

#endif
