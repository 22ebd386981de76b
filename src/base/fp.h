/* SPDX-License-Identifier: MIT */
/*
 * fp.h: minimum, maximum, absolute value and bits of doubles.
 *
 * The first three replace fmin, fmax and fabs of libm, from which the library uses only four
 * functions. The compiler turns each function below into one instruction.
 */
#ifndef PQTI_FP_H
#define PQTI_FP_H

#include <stdint.h>
#include <string.h>

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

static inline uint64_t
pqti_bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Returns the double with these bits. */
static inline double
pqti_double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
