/* SPDX-License-Identifier: MIT */
/*
 * exact.h: sums of doubles and of their products, exact or with directed rounding.
 *
 * The sign of a sum of products is exact: the products are added as integers that are as wide as
 * the range of their exponents, a long accumulator as in U. W. Kulisch, W. L. Miranker, "Computer
 * arithmetic in theory and practice", 1981. It is correct for all finite doubles, whereas
 * floating-point expansions overflow or underflow at the ends of the range.
 */
#ifndef PQTI_EXACT_H
#define PQTI_EXACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/error_internal.h"

enum { PQTI_MAX_PRODUCTS = 40 };

/* A product of two doubles other than 0: a * b * 2^exponent. */
typedef struct pqti_product {
    uint64_t a, b;
    int exponent;
    bool negative;
} pqti_product;

/* A sum of products; initialise with {.count = 0}. */
typedef struct pqti_exact_dot {
    size_t count;
    int min_exponent, max_exponent; /* the least and greatest exponent of the products */
    pqti_product products[PQTI_MAX_PRODUCTS];
} pqti_exact_dot;

/* Adds a * b, or subtracts it if `opposite`; both must be finite. At most PQTI_MAX_PRODUCTS
 * times. */
void pqti_exact_dot_add(pqti_exact_dot *exact, double a, double b, bool opposite);

/* Returns the sign: below 0, 0 or above 0. */
int pqti_exact_dot_sign(const pqti_exact_dot *exact);

/* Returns |a / b|, for b other than 0. The error before the last rounding is below 2^-100, so that
 * equal quotients of different sums give equal doubles, unless they are that near to the middle of
 * two doubles. */
double pqti_exact_quotient(const pqti_exact_dot *a, const pqti_exact_dot *b);

/* Returns the sign of |a * b| - |c * d|. */
int pqti_exact_compare_products(const pqti_exact_dot *a, const pqti_exact_dot *b,
                                const pqti_exact_dot *c, const pqti_exact_dot *d);

/* Returns the sign of root^2 - |a * b|. */
int pqti_exact_compare_square(const pqti_exact_dot *root, const pqti_exact_dot *a,
                              const pqti_exact_dot *b);

/* Returns a + b - sum, where `sum` is the rounded a + b: the exact rounding error unless the sum
 * overflows. Source: D. E. Knuth, The Art of Computer Programming 2, section 4.2.2, theorem B. */
static inline double
pqti_two_sum_error(double a, double b, double sum)
{
    double share = sum - a;
    return (a - (sum - share)) + (b - share);
}

/* Returns the next double toward infinity; `value` must not be 0. */
static inline double
pqti_next_up(double value)
{
    PQT_INVARIANT(value != 0, "the next double of 0 has another sign");
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits = value > 0 ? bits + 1 : bits - 1;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Returns the least double >= a + b. A sum of 0 is exact, because sums do not underflow. */
static inline double
pqti_add_round_up(double a, double b)
{
    double sum = a + b;
    return pqti_two_sum_error(a, b, sum) > 0 ? pqti_next_up(sum) : sum;
}

/* Returns the greatest double <= a - b, never -0.0. */
static inline double
pqti_sub_round_down(double a, double b)
{
    return 0 - pqti_add_round_up(-a, b);
}

#endif
