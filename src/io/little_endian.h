/* SPDX-License-Identifier: MIT */
/* little_endian.h: stores and loads numbers as bytes, the lowest byte first, on every processor. */
#ifndef PQTI_LITTLE_ENDIAN_H
#define PQTI_LITTLE_ENDIAN_H

#include <stdint.h>
#include <string.h>

/* Returns a word, with its bytes reversed on a processor that stores the highest byte first. */
static inline uint64_t
pqti_le64(uint64_t word)
{
#if defined __BYTE_ORDER__ && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return __builtin_bswap64(word);
#else
    return word;
#endif
}

static inline void
pqti_store_le64(uint8_t *to, uint64_t word)
{
    word = pqti_le64(word);
    memcpy(to, &word, sizeof word);
}

static inline uint64_t
pqti_load_le64(const uint8_t *from)
{
    uint64_t word;
    memcpy(&word, from, sizeof word);
    return pqti_le64(word);
}

/* Stores a number of 1 to 8 bytes. */
static inline void
pqti_store_le(uint8_t *to, uint64_t number, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        to[i] = (uint8_t)(number >> (8 * i));
}

static inline uint64_t
pqti_load_le(const uint8_t *from, unsigned size)
{
    uint64_t number = 0;
    for (unsigned i = 0; i < size; i++)
        number |= (uint64_t)from[i] << (8 * i);
    return number;
}

#endif
