/* SPDX-License-Identifier: MIT */
/* hash.h - the finalizer of hashes and fingerprints, a bijection of 64-bit words. */
#ifndef PQTI_HASH_H
#define PQTI_HASH_H

#include <stdint.h>

/* Each bit of the input changes about half of the bits of the output. Source: D. Stafford, "Better
 * bit mixing", 2011, variant 13; also the finalizer of splitmix64. */
static inline uint64_t
pqti_hash_mix64(uint64_t word)
{
    word = (word ^ (word >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    word = (word ^ (word >> 27)) * UINT64_C(0x94d049bb133111eb);
    return word ^ (word >> 31);
}

#endif
