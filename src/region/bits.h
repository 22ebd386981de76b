/* SPDX-License-Identifier: MIT */
/* bits.h - words of 64 pixels: the lowest bit is the leftmost. */
#ifndef PQTI_BITS_H
#define PQTI_BITS_H

#include <stdint.h>

/* The bits from..to - 1; 0 <= from < to <= 64. */
static inline uint64_t
pqti_bits_between(int from, int to)
{
    return (~UINT64_C(0) << from) & (~UINT64_C(0) >> (64 - to));
}

/* Which bit is the lowest that is 1; the word is not 0. */
static inline int
pqti_lowest_bit(uint64_t word)
{
    return __builtin_ctzll(word);
}

/* Which bit is the highest that is 1; the word is not 0. */
static inline int
pqti_highest_bit(uint64_t word)
{
    return 63 - __builtin_clzll(word);
}

/* How many bits of each byte are 1. */
static inline uint64_t
pqti_bits_in_bytes(uint64_t word)
{
    word -= word >> 1 & UINT64_C(0x5555555555555555);
    word = (word & UINT64_C(0x3333333333333333)) + (word >> 2 & UINT64_C(0x3333333333333333));
    return (word + (word >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
}

/* How many bits are 1: without the machine's own instruction, which not every build may use. */
static inline uint32_t
pqti_bits_in(uint64_t word)
{
    return (uint32_t)(pqti_bits_in_bytes(word) * UINT64_C(0x0101010101010101) >> 56);
}

/* The top bits of eight bytes, gathered into the lowest eight. */
static inline uint64_t
pqti_top_bits(uint64_t bytes)
{
    bytes = bytes >> 7 & UINT64_C(0x0101010101010101);
    return bytes * UINT64_C(0x0102040810204080) >> 56;
}

/* Of eight bytes a bit each: whether the byte is not 0. */
static inline uint64_t
pqti_bytes_set(uint64_t bytes)
{
    const uint64_t low7 = UINT64_C(0x7f7f7f7f7f7f7f7f);
    return pqti_top_bits(((bytes & low7) + low7) | bytes);
}

#endif
