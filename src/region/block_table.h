/* SPDX-License-Identifier: MIT */
/*
 * block_table.h - a hash table from blocks to blocks, in scratch memory.
 *
 * What makes two keys equal, and their hash, is the user's; keys of one hash are looked through one
 * after the other:
 *
 *     for (const pqti_hashtable_slot *at = pqti_hashtable_first(&table, hash); at != NULL;
 *          at = pqti_hashtable_next(&table, at))
 *         if (is_it(at->key))
 *             return at->value;
 *
 * No collector looks into scratch memory: keys and values must be reachable from elsewhere.
 */
#ifndef PQTI_BLOCK_TABLE_H
#define PQTI_BLOCK_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct pqti_hashtable_slot {
    uint64_t hash;
    const void *key, *value; /* no key: the slot is free */
} pqti_hashtable_slot;

/* Zero it before the first use, or make it. */
typedef struct pqti_hashtable {
    pqti_hashtable_slot *slots;
    size_t used, mask;
} pqti_hashtable;

/* False: no memory. */
bool pqti_hashtable_make(pqti_hashtable *hashtable);
bool pqti_hashtable_add(pqti_hashtable *hashtable, uint64_t hash, const void *key,
                        const void *value);

void pqti_hashtable_free(pqti_hashtable *hashtable);

/* The slots of a hash, one after the other; NULL after the last. */
const pqti_hashtable_slot *pqti_hashtable_first(const pqti_hashtable *hashtable, uint64_t hash);
const pqti_hashtable_slot *pqti_hashtable_next(const pqti_hashtable *hashtable,
                                               const pqti_hashtable_slot *slot);

/* Blocks as themselves: what was added for this very one, or NULL. */
const void *pqti_hashtable_of_block(const pqti_hashtable *hashtable, const void *block);
bool pqti_hashtable_add_block(pqti_hashtable *hashtable, const void *block, const void *value);

#endif
