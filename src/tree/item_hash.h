/* SPDX-License-Identifier: MIT */
/*
 * item_hash.h: the hash and the fingerprint of an item.
 *
 * Each side of the box is xored into a state, which is then multiplied by an odd constant and
 * folded. The id is xored in last, and pqti_hash_mix64 mixes the result. The hash depends on the
 * order of the fields: unlike a sum of the fields' hashes, it changes if two fields are exchanged.
 * Every step is a bijection of the state, so different ids with the same box have different hashes.
 * A fingerprint consists of two such hashes with different constants. The first one is the hash of
 * the item, by which hash nodes divide their items. It is not cryptographic: one can choose ids so
 * that items with different boxes have equal hashes.
 */
#ifndef PQTI_ITEM_HASH_H
#define PQTI_ITEM_HASH_H

#include <stdint.h>

#include <pqt/item.h>
#include <pqt/tree.h>

#include "base/fp.h"
#include "base/hash.h"

static inline uint64_t
pqti_hash_combine_box(uint64_t state, const pqt_box *box, uint64_t odd)
{
    state = pqti_hash_combine(state, pqti_bits_of(box->min.x), odd);
    state = pqti_hash_combine(state, pqti_bits_of(box->min.y), odd);
    state = pqti_hash_combine(state, pqti_bits_of(box->max.x), odd);
    return pqti_hash_combine(state, pqti_bits_of(box->max.y), odd);
}

/*
 * Returns the hash by which hash nodes divide items. For a given box, the hash is a bijection of
 * the id.
 */
static inline uint64_t
pqti_item_hash(const pqt_item *item)
{
    return pqti_hash_mix64(item->id ^ pqti_hash_combine_box(UINT64_C(0x9e3779b97f4a7c15),
                                                            &item->box,
                                                            UINT64_C(0xd6e8feb86659fd93)));
}

/*
 * Returns the word. In WebAssembly, hides it from clang, which would compute both halves of a
 * fingerprint as a vector: processors multiply two such words by seven instructions.
 */
static inline uint64_t
pqti_hidden_from_vectors(uint64_t word)
{
#ifdef __wasm__
    __asm__("" : "+r"(word));
#endif
    return word;
}

/*
 * Returns the term of an item in the fingerprint of a version. Its `low` is the hash of the item.
 * This form is faster in a loop over many items, the next one for a single item.
 */
static inline pqt_fingerprint
pqti_item_fingerprint_in_loop(const pqt_item *item)
{
    uint64_t high = pqti_hash_combine_box(UINT64_C(0x6a09e667f3bcc909), &item->box,
                                          UINT64_C(0xaf251af3b0f025b5));
    return (pqt_fingerprint){pqti_item_hash(item), pqti_hash_mix64(~item->id ^ high)};
}

static inline pqt_fingerprint
pqti_item_fingerprint(const pqt_item *item)
{
    pqt_fingerprint term = pqti_item_fingerprint_in_loop(item);
    term.high = pqti_hidden_from_vectors(term.high);
    return term;
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
