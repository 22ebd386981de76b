/* SPDX-License-Identifier: MIT */
/*
 * fingerprint.c: compares and combines fingerprints.
 *
 * The constants of pqt_fingerprint_combine are part of its definition in the header. The
 * multipliers are also used for items (item_hash.h). The initial states are the fractional parts of
 * the square roots of 3 and 5, which differ from the initial states of items.
 */
#include "config.h"

#include <pqt/fingerprint.h>

#include "base/hash.h"

bool
pqt_fingerprint_equals(pqt_fingerprint a, pqt_fingerprint b)
{
    return a.low == b.low && a.high == b.high;
}

static uint64_t
hash_pair(uint64_t state, pqt_fingerprint a, pqt_fingerprint b, uint64_t odd)
{
    state = pqti_hash_combine(state, a.low, odd);
    state = pqti_hash_combine(state, a.high, odd);
    state = pqti_hash_combine(state, b.low, odd);
    return pqti_hash_mix64(pqti_hash_combine(state, b.high, odd));
}

pqt_fingerprint
pqt_fingerprint_combine(pqt_fingerprint a, pqt_fingerprint b)
{
    return (pqt_fingerprint){
        hash_pair(UINT64_C(0xbb67ae8584caa73b), a, b, UINT64_C(0xd6e8feb86659fd93)),
        hash_pair(UINT64_C(0x3c6ef372fe94f82b), a, b, UINT64_C(0xaf251af3b0f025b5))};
}
