/* SPDX-License-Identifier: MIT */
/*
 * exact.h - sums of doubles and of their products, without rounding or nearly so.
 *
 * The sign of a sum of products is told exactly: products are added up in whole numbers as long as
 * the span of their exponents asks for, a long accumulator as in U. W. Kulisch, W. L. Miranker,
 * "Computer arithmetic in theory and practice", 1981. That is right for all finite doubles, where
 * expansions of doubles would fail among the largest and the smallest.
 */
#ifndef PQTI_EXACT_H
#define PQTI_EXACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { PQTI_MAX_PRODUCTS = 32 };

/* A product of two doubles that are not 0: a * b * 2^exponent. */
typedef struct pqti_product {
    uint64_t a, b;
    int exponent;
    bool negative;
} pqti_product;

/* A sum of products; starts from {.count = 0}. */
typedef struct pqti_exact_dot {
    size_t count;
    int min_exponent, max_exponent; /* exponents */
    pqti_product products[PQTI_MAX_PRODUCTS];
} pqti_exact_dot;

/* Adds a * b, or its opposite; both finite. */
void pqti_exact_dot_add(pqti_exact_dot *exact, double a, double b, bool opposite);

/* Below 0, 0 or above. */
int pqti_exact_dot_sign(const pqti_exact_dot *exact);

/* What is lost where `sum`, the rounded a + b, is taken for it: exactly, unless it overflows.
 * Source: D. E. Knuth, The Art of Computer Programming 2, section 4.2.2, theorem B. */
static inline double
pqti_two_sum_error(double a, double b, double sum)
{
    double share = sum - a;
    return (a - (sum - share)) + (b - share);
}

/* The double after one that is not zero, toward infinity. */
static inline double
pqti_next_up(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits = value > 0 ? bits + 1 : bits - 1;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The least double that is no less than a + b. A sum that is zero is exact, as sums never
   underflow. */
static inline double
pqti_add_round_up(double a, double b)
{
    double sum = a + b;
    return pqti_two_sum_error(a, b, sum) > 0 ? pqti_next_up(sum) : sum;
}

/* The greatest double that is no more than a - b. Taken from 0, so that no -0.0 comes out. */
static inline double
pqti_sub_round_down(double a, double b)
{
    return 0 - pqti_add_round_up(-a, b);
}

#endif
