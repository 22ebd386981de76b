/* SPDX-License-Identifier: MIT */
/* hash.h: hash chains, the finalizer of hashes and fingerprints, and the keys of ids in tries. */
#ifndef PQTI_HASH_H
#define PQTI_HASH_H

#include <stdint.h>

/*
 * Mixes a word: each bit of the input changes about half of the bits of the output. Source: D.
 * Stafford, "Better bit mixing", 2011, variant 13. This is also the finalizer of splitmix64.
 */
static inline uint64_t
pqti_hash_mix64(uint64_t word)
{
    word = (word ^ (word >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    word = (word ^ (word >> 27)) * UINT64_C(0x94d049bb133111eb);
    return word ^ (word >> 31);
}

/* Inverts pqti_hash_mix64. Its factors are the inverses of those of pqti_hash_mix64 modulo 2^64. */
static inline uint64_t
pqti_hash_unmix64(uint64_t word)
{
    word = (word ^ (word >> 31) ^ (word >> 62)) * UINT64_C(0x319642b2d24d8ec3);
    word = (word ^ (word >> 27) ^ (word >> 54)) * UINT64_C(0x96de1b173f119089);
    return word ^ (word >> 30) ^ (word >> 60);
}

/*
 * Adds a word to a hash chain. For a given word, the result is a bijection of the state, and for a
 * given state, one of the word.
 */
static inline uint64_t
pqti_hash_combine(uint64_t state, uint64_t word, uint64_t odd)
{
    state = (state ^ word) * odd;
    return state ^ (state >> 32);
}

#define PQTI_ID_OFFSET UINT64_C(0x9e3779b97f4a7c15)

/*
 * Returns the key of an id in a trie. The key is a bijection of the id, so different ids have
 * different keys.
 */
static inline uint64_t
pqti_id_key(uint64_t id)
{
    return pqti_hash_mix64(id + PQTI_ID_OFFSET);
}

/* Returns the id that has a given key: the inverse of pqti_id_key. */
static inline uint64_t
pqti_id_of_key(uint64_t key)
{
    return pqti_hash_unmix64(key) - PQTI_ID_OFFSET;
}

#endif
