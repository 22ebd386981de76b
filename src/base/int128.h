/* SPDX-License-Identifier: MIT */
/*
 * int128.h: signed integers of 128 bits, for exact sums of squares and products of such sums.
 *
 * Results are exact if they fit; otherwise they are reduced modulo 2^128. Compilers have such a
 * type for 64-bit machines only, so it is not used.
 */
#ifndef PQTI_INT128_H
#define PQTI_INT128_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* high * 2^64 + low, in two's complement. */
typedef struct pqti_int128 {
    uint64_t high, low;
} pqti_int128;

static inline pqti_int128
pqti_int128_of(int64_t value)
{
    return (pqti_int128){value < 0 ? UINT64_MAX : 0, (uint64_t)value};
}

static inline bool
pqti_int128_is_negative(pqti_int128 value)
{
    return value.high >> 63 != 0;
}

static inline pqti_int128
pqti_int128_add(pqti_int128 a, pqti_int128 b)
{
    const uint64_t low = a.low + b.low;
    return (pqti_int128){a.high + b.high + (low < a.low), low};
}

static inline pqti_int128
pqti_int128_subtract(pqti_int128 a, pqti_int128 b)
{
    return (pqti_int128){a.high - b.high - (a.low < b.low), a.low - b.low};
}

/* Returns the product of two unsigned words, from the products of their halves. */
static inline pqti_int128
pqti_int128_of_product(uint64_t a, uint64_t b)
{
    const uint64_t half = UINT32_MAX;
    const uint64_t low = (a & half) * (b & half), high = (a >> 32) * (b >> 32);
    const uint64_t first = (a >> 32) * (b & half) + (low >> 32);
    const uint64_t second = (a & half) * (b >> 32) + (first & half);
    return (pqti_int128){high + (first >> 32) + (second >> 32), second << 32 | (low & half)};
}

static inline pqti_int128
pqti_int128_multiply(pqti_int128 a, pqti_int128 b)
{
    pqti_int128 product = pqti_int128_of_product(a.low, b.low);
    product.high += a.high * b.low + a.low * b.high;
    return product;
}

/* Returns the double that is nearest to a value without a sign. */
static inline double
pqti_int128_magnitude_to_double(pqti_int128 value)
{
    if (value.high == 0)
        return (double)value.low;
    /* The upper 64 bits. If a bit below them is set, so is the last one: the result is rounded
     * alike. */
    const int zeros = __builtin_clzll(value.high);
    const uint64_t below = zeros == 0 ? 0 : value.low >> (64 - zeros);
    const uint64_t upper = value.high << zeros | below | (value.low << zeros != 0);
    return ldexp((double)upper, 64 - zeros);
}

/* Returns the double that is nearest to a value, as the conversion of a 64-bit integer does. */
static inline double
pqti_int128_to_double(pqti_int128 value)
{
    if (!pqti_int128_is_negative(value))
        return pqti_int128_magnitude_to_double(value);
    return -pqti_int128_magnitude_to_double(pqti_int128_subtract(pqti_int128_of(0), value));
}

#endif
