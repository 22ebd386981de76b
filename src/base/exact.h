/* SPDX-License-Identifier: MIT */
/*
 * exact.h: sums of doubles and of their products, computed exactly or with directed rounding.
 *
 * The sign of a sum of products is computed exactly. The products are added as integers that are as
 * wide as the range of their exponents. This is the long accumulator of U. W. Kulisch, W. L.
 * Miranker, "Computer arithmetic in theory and practice", 1981. The sign is correct for all finite
 * doubles, whereas floating-point expansions overflow or underflow at the ends of the range.
 */
#ifndef PQTI_EXACT_H
#define PQTI_EXACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/error_internal.h"
#include "base/fp.h"

enum { PQTI_MAX_PRODUCTS = 40 };

/* A product of two doubles, neither of which is 0: a * b * 2^exponent. */
typedef struct pqti_product {
    uint64_t a, b;
    int exponent;
    bool negative;
} pqti_product;

/* A sum of products; initialise with {.count = 0}. */
typedef struct pqti_exact_dot {
    size_t count;
    int min_exponent, max_exponent; /* the least and the greatest exponent of the products */
    pqti_product products[PQTI_MAX_PRODUCTS];
} pqti_exact_dot;

/*
 * Adds a * b, or subtracts it if `opposite`. Both factors must be finite. A sum takes at most
 * PQTI_MAX_PRODUCTS products.
 */
void pqti_exact_dot_add(pqti_exact_dot *exact, double a, double b, bool opposite);

/* Returns the sign of the sum: below 0, 0 or above 0. */
int pqti_exact_dot_sign(const pqti_exact_dot *exact);

/*
 * Returns |a / b|, where b is not 0. The error before the last rounding is below 2^-100. So equal
 * quotients of different sums are equal doubles, unless they are within this error of the midpoint
 * between two doubles.
 */
double pqti_exact_quotient(const pqti_exact_dot *a, const pqti_exact_dot *b);

/* Returns the sign of |a * b| - |c * d|. */
int pqti_exact_compare_products(const pqti_exact_dot *a, const pqti_exact_dot *b,
                                const pqti_exact_dot *c, const pqti_exact_dot *d);

/* Returns the sign of root^2 - |a * b|. */
int pqti_exact_compare_square(const pqti_exact_dot *root, const pqti_exact_dot *a,
                              const pqti_exact_dot *b);

/*
 * Returns a + b - sum, where `sum` is the rounded a + b. This is the exact rounding error unless
 * the sum overflows. Source: D. E. Knuth, The Art of Computer Programming 2, section 4.2.2, theorem
 * B.
 */
static inline double
pqti_two_sum_error(double a, double b, double sum)
{
    double share = sum - a;
    return (a - (sum - share)) + (b - share);
}

/* Returns the next greater double. `value` must not be 0. */
static inline double
pqti_next_up(double value)
{
    PQT_INVARIANT(value != 0, "the next double of 0 has another sign");
    const uint64_t bits = pqti_bits_of(value);
    return pqti_double_of(value > 0 ? bits + 1 : bits - 1);
}

/* Returns the least double >= a + b. A rounded sum of 0 is exact, because sums do not underflow. */
static inline double
pqti_add_round_up(double a, double b)
{
    double sum = a + b;
    return pqti_two_sum_error(a, b, sum) > 0 ? pqti_next_up(sum) : sum;
}

/* Returns the greatest double <= a - b, but never -0.0. */
static inline double
pqti_sub_round_down(double a, double b)
{
    return 0 - pqti_add_round_up(-a, b);
}

#endif
