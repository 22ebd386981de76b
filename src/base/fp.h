/* SPDX-License-Identifier: MIT */
/*
 * fp.h - choosing between doubles.
 *
 * Written out because fmin, fmax and fabs are functions of libm, of which the library uses four
 * only, and because the compiler turns these into one instruction each.
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
