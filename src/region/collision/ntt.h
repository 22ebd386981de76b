/* SPDX-License-Identifier: MIT */
/*
 * ntt.h: number-theoretic transforms of two-dimensional arrays: Fourier transforms modulo a prime,
 * in which all results are exact.
 *
 * The prime is 15 * 2^27 + 1, so a transform may have up to 2^27 elements on each axis. Numbers are
 * in Montgomery form: n is stored as n * 2^32 modulo the prime (P. L. Montgomery, "Modular
 * multiplication without trial division", 1985).
 */
#ifndef PQTI_NTT_H
#define PQTI_NTT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PQTI_NTT_PRIME UINT32_C(2013265921)
#define PQTI_NTT_ONE UINT32_C(268435454) /* the Montgomery form of 1 */

/* Returns a * b / 2^32 modulo the prime: the product of two numbers in Montgomery form. */
static inline uint32_t
pqti_ntt_multiply(uint32_t a, uint32_t b)
{
    const uint32_t negative_inverse = UINT32_C(2013265919); /* -1 / prime modulo 2^32 */
    const uint64_t product = (uint64_t)a * b;
    const uint32_t multiple = (uint32_t)product * negative_inverse;
    const uint32_t result = (uint32_t)((product + (uint64_t)multiple * PQTI_NTT_PRIME) >> 32);
    return result >= PQTI_NTT_PRIME ? result - PQTI_NTT_PRIME : result;
}

/*
 * Transforms `rows` rows of `columns` numbers in place, or back. Both are powers of two. The result
 * is in bit-reversed order on both axes, from which the way back begins; it multiplies all numbers
 * by rows * columns. Only the first `used` rows may have numbers other than 0 before the transform,
 * and only these are computed on the way back. `roots` has room for half of the larger axis.
 */
void pqti_ntt_forward(uint32_t *data, size_t columns, size_t rows, size_t used, uint32_t *roots);
void pqti_ntt_back(uint32_t *data, size_t columns, size_t rows, size_t used, uint32_t *roots);

/* Returns 1 / n modulo the prime, not in Montgomery form: a product with it is no longer in this
 * form either. */
uint32_t pqti_ntt_inverse(uint32_t n);

#endif
