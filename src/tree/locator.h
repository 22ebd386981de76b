/* SPDX-License-Identifier: MIT */
/*
 * locator.h: locators, by which the id map leads to the leaf that holds an item.
 *
 * A locator has what determines the path of an item in the tree: the two numbers of its key, and
 * the first digits of its hash. It takes 12 bytes, where the box takes 32. A search by id finds the
 * locator in the id map, descends to the leaf, and compares the ids there.
 *
 * PQTI_LOCATOR_DIGITS digits of a hash divide the items of a crowded cell into 2^26 parts, so a
 * part has less than ten items even if all PQT_MAX_ITEMS items are in one cell. Only if ids are
 * chosen such that the hashes have equal digits, a search compares more ids.
 */
#ifndef PQTI_LOCATOR_H
#define PQTI_LOCATOR_H

#include <stdint.h>

#include <pqt/item.h>

#include "tree/item_hash.h"
#include "tree/key.h"

enum { PQTI_LOCATOR_DIGITS = 13 };

/* The bits of `level_and_hash` for the level. The upper ones hold the first digits of the hash. */
#define PQTI_LOCATOR_LEVEL UINT32_C(63)

typedef struct pqti_locator {
    uint64_t centre; /* as in the key */
    uint32_t level_and_hash;
} pqti_locator;

/* Returns the locator of an item, given its key. */
static inline pqti_locator
pqti_locator_at(const pqti_key *key, const pqt_item *item)
{
    const uint32_t digits = (uint32_t)(pqti_item_hash(item) >> 32) & ~PQTI_LOCATOR_LEVEL;
    return (pqti_locator){key->centre, digits | key->level};
}

static inline pqti_locator
pqti_locator_of(const pqti_domain *domain, const pqt_item *item)
{
    const pqti_key key = pqti_key_of(domain, item, 0);
    return pqti_locator_at(&key, item);
}

#endif
