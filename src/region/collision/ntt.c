/* SPDX-License-Identifier: MIT */
/*
 * ntt.c: number-theoretic transforms.
 *
 * A transform decimates in frequency, and the way back in time, so no numbers are exchanged for
 * their order (W. M. Gentleman, G. Sande, "Fast Fourier transforms: for fun and profit", 1966). A
 * transform along columns applies each step to whole rows, which are consecutive in memory.
 */
#include "config.h"

#include "region/collision/ntt.h"

#include "base/error_internal.h"

enum { GENERATOR = 31, TWOS = 27 }; /* 31 generates the group of the prime, of 15 * 2^27 elements */

static uint32_t
add(uint32_t a, uint32_t b)
{
    const uint32_t sum = a + b;
    return sum >= PQTI_NTT_PRIME ? sum - PQTI_NTT_PRIME : sum;
}

static uint32_t
subtract(uint32_t a, uint32_t b)
{
    return a >= b ? a - b : a - b + PQTI_NTT_PRIME;
}

/* Returns the Montgomery form of a small number. */
static uint32_t
montgomery(uint32_t n)
{
    return (uint32_t)(((uint64_t)n << 32) % PQTI_NTT_PRIME);
}

static uint32_t
power(uint32_t base, uint32_t exponent)
{
    uint32_t result = PQTI_NTT_ONE;
    for (; exponent > 0; exponent >>= 1) {
        if (exponent & 1)
            result = pqti_ntt_multiply(result, base);
        base = pqti_ntt_multiply(base, base);
    }
    return result;
}

uint32_t
pqti_ntt_inverse(uint32_t n)
{
    return pqti_ntt_multiply(power(montgomery(n), PQTI_NTT_PRIME - 2), 1);
}

/* Sets the first half of the powers of a root of unity of order n, or of its inverse. */
static void
set_roots(uint32_t *roots, size_t n, bool inverse)
{
    uint32_t root = power(montgomery(GENERATOR), (uint32_t)((PQTI_NTT_PRIME - 1) / n));
    if (inverse)
        root = power(root, PQTI_NTT_PRIME - 2);
    uint32_t next = PQTI_NTT_ONE;
    for (size_t i = 0; i < n / 2; i++) {
        roots[i] = next;
        next = pqti_ntt_multiply(next, root);
    }
}

/* Transforms n elements of `width` numbers each. */
static void
transform_axis(uint32_t *data, size_t n, size_t width, const uint32_t *roots)
{
    for (size_t half = n / 2, step = 1; half > 0; half /= 2, step *= 2)
        for (size_t block = 0; block < n; block += 2 * half)
            for (size_t k = 0; k < half; k++) {
                uint32_t *a = data + (block + k) * width, *b = a + half * width;
                const uint32_t root = roots[k * step];
                for (size_t i = 0; i < width; i++) {
                    const uint32_t sum = add(a[i], b[i]);
                    b[i] = pqti_ntt_multiply(subtract(a[i], b[i]), root);
                    a[i] = sum;
                }
            }
}

static void
transform_axis_back(uint32_t *data, size_t n, size_t width, const uint32_t *roots)
{
    for (size_t half = 1, step = n / 2; half < n; half *= 2, step /= 2)
        for (size_t block = 0; block < n; block += 2 * half)
            for (size_t k = 0; k < half; k++) {
                uint32_t *a = data + (block + k) * width, *b = a + half * width;
                const uint32_t root = roots[k * step];
                for (size_t i = 0; i < width; i++) {
                    const uint32_t other = pqti_ntt_multiply(b[i], root);
                    b[i] = subtract(a[i], other);
                    a[i] = add(a[i], other);
                }
            }
}

void
pqti_ntt_forward(uint32_t *data, size_t columns, size_t rows, size_t used, uint32_t *roots)
{
    PQT_INVARIANT(columns >> TWOS <= 1 && rows >> TWOS <= 1, "a transform is too long");
    set_roots(roots, columns, false);
    for (size_t y = 0; y < used; y++)
        transform_axis(data + y * columns, columns, 1, roots);
    set_roots(roots, rows, false);
    transform_axis(data, rows, columns, roots);
}

void
pqti_ntt_back(uint32_t *data, size_t columns, size_t rows, size_t used, uint32_t *roots)
{
    set_roots(roots, rows, true);
    transform_axis_back(data, rows, columns, roots);
    set_roots(roots, columns, true);
    for (size_t y = 0; y < used; y++)
        transform_axis_back(data + y * columns, columns, 1, roots);
}
