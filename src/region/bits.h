/* SPDX-License-Identifier: MIT */
/* bits.h: operations on words of 64 pixels. The lowest bit is the leftmost pixel. */
#ifndef PQTI_BITS_H
#define PQTI_BITS_H

#include <stdint.h>

/* Returns the word whose bits from..to - 1 are set, where 0 <= from < to <= 64. */
static inline uint64_t
pqti_bits_between(int from, int to)
{
    return (~UINT64_C(0) << from) & (~UINT64_C(0) >> (64 - to));
}

/* Returns the index of the lowest set bit. The word is not 0. */
static inline int
pqti_lowest_bit(uint64_t word)
{
    return __builtin_ctzll(word);
}

/* Returns the index of the highest set bit. The word is not 0. */
static inline int
pqti_highest_bit(uint64_t word)
{
    return 63 - __builtin_clzll(word);
}

/* Returns the number of set bits in each byte. */
static inline uint64_t
pqti_bits_in_bytes(uint64_t word)
{
    word -= word >> 1 & UINT64_C(0x5555555555555555);
    word = (word & UINT64_C(0x3333333333333333)) + (word >> 2 & UINT64_C(0x3333333333333333));
    return (word + (word >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
}

/* Returns the number of set bits. Does not use the machine instruction, which is not available in
 * every build. */
static inline uint32_t
pqti_bits_in(uint64_t word)
{
    return (uint32_t)(pqti_bits_in_bytes(word) * UINT64_C(0x0101010101010101) >> 56);
}

/* Gathers the top bits of eight bytes into the lowest eight bits. */
static inline uint64_t
pqti_top_bits(uint64_t bytes)
{
    bytes = bytes >> 7 & UINT64_C(0x0101010101010101);
    return bytes * UINT64_C(0x0102040810204080) >> 56;
}

/* Returns a bit for each of eight bytes, which is set if the byte is not 0. */
static inline uint64_t
pqti_bytes_set(uint64_t bytes)
{
    const uint64_t low7 = UINT64_C(0x7f7f7f7f7f7f7f7f);
    return pqti_top_bits(((bytes & low7) + low7) | bytes);
}

#endif
