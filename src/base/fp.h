/* SPDX-License-Identifier: MIT */
/*
 * fp.h: minimum, maximum and absolute value of doubles.
 *
 * These replace fmin, fmax and fabs of libm, from which the library uses only four functions. The
 * compiler turns each function below into one instruction.
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
