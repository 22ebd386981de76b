/* SPDX-License-Identifier: MIT */
/*
 * item_hash.h - the numbers that stand for an item: its mix, its fingerprint, and the key of its
 * id.
 *
 * The five words of an item run through a chain: each is xored into the state, which is then
 * multiplied by an odd constant and folded. So two items with equal sums of fields, or with two
 * fields exchanged, have different mixes; a sum of hashes of fields would not see it. The id comes
 * last, and every step is a bijection of the state: for a given box, different ids have different
 * mixes. Two chains with different constants run side by side; the first is the mix, which also
 * parts items that no cell can tell apart. It guards against accident; whoever picks ids on purpose
 * can make equal mixes.
 */
#ifndef PQTI_ITEM_HASH_H
#define PQTI_ITEM_HASH_H

#include <stdint.h>
#include <string.h>

#include <pqt/item.h>
#include <pqt/tree.h>

#include "base/hash.h"

static inline uint64_t
pqti_bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline uint64_t
pqti_hash_combine_box(uint64_t state, const pqt_box *box, uint64_t odd)
{
    state = pqti_hash_combine(state, pqti_bits_of(box->min.x), odd);
    state = pqti_hash_combine(state, pqti_bits_of(box->min.y), odd);
    state = pqti_hash_combine(state, pqti_bits_of(box->max.x), odd);
    return pqti_hash_combine(state, pqti_bits_of(box->max.y), odd);
}

/* The 64 bits that part items beyond the maximal depth. For a given box, a bijection of the id. */
static inline uint64_t
pqti_item_hash(const pqt_item *item)
{
    return pqti_hash_mix64(item->id ^ pqti_hash_combine_box(UINT64_C(0x9e3779b97f4a7c15),
                                                            &item->box,
                                                            UINT64_C(0xd6e8feb86659fd93)));
}

/* What an item adds to the fingerprint of a version: `low` is its mix. */
static inline pqt_fingerprint
pqti_item_fingerprint(const pqt_item *item)
{
    uint64_t high = pqti_hash_combine_box(UINT64_C(0x6a09e667f3bcc909), &item->box,
                                          UINT64_C(0xaf251af3b0f025b5));
    return (pqt_fingerprint){pqti_item_hash(item), pqti_hash_mix64(~item->id ^ high)};
}

static inline pqt_fingerprint
pqti_fingerprint_add(pqt_fingerprint a, pqt_fingerprint b)
{
    return (pqt_fingerprint){a.low + b.low, a.high + b.high};
}

static inline pqt_fingerprint
pqti_fingerprint_subtract(pqt_fingerprint a, pqt_fingerprint b)
{
    return (pqt_fingerprint){a.low - b.low, a.high - b.high};
}

#endif
