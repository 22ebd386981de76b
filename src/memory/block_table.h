/* SPDX-License-Identifier: MIT */
/*
 * block_table.h: a hash table from blocks to blocks, in scratch memory.
 *
 * The caller computes the hashes of keys and decides whether keys are equal. A lookup visits all
 * keys with one hash:
 *
 *     for (const pqti_hashtable_slot *at = pqti_hashtable_first(&table, hash); at != NULL;
 *          at = pqti_hashtable_next(&table, at))
 *         if (is_equal(at->key))
 *             return at->value;
 *
 * The collector does not scan scratch memory, so keys and values must be reachable from elsewhere.
 */
#ifndef PQTI_BLOCK_TABLE_H
#define PQTI_BLOCK_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct pqti_hashtable_slot {
    uint64_t hash;
    const void *key, *value; /* a slot without a key is free */
} pqti_hashtable_slot;

/* A hash table. Initialise it with zeros, or call pqti_hashtable_make. */
typedef struct pqti_hashtable {
    pqti_hashtable_slot *slots;
    size_t used, mask;
} pqti_hashtable;

/* These functions return false when out of memory. */
bool pqti_hashtable_make(pqti_hashtable *hashtable);
bool pqti_hashtable_add(pqti_hashtable *hashtable, uint64_t hash, const void *key,
                        const void *value);

void pqti_hashtable_free(pqti_hashtable *hashtable);

/* Return the slots with a hash, one after the other, and NULL after the last one. */
const pqti_hashtable_slot *pqti_hashtable_first(const pqti_hashtable *hashtable, uint64_t hash);
const pqti_hashtable_slot *pqti_hashtable_next(const pqti_hashtable *hashtable,
                                               const pqti_hashtable_slot *slot);

/* The functions below are for tables that are keyed by the address of a block. This one returns the
 * value that was added for a block, or NULL. */
const void *pqti_hashtable_of_block(const pqti_hashtable *hashtable, const void *block);
bool pqti_hashtable_add_block(pqti_hashtable *hashtable, const void *block, const void *value);

/*
 * The results of a traversal for the blocks that it has left, so that it enters a block that a
 * version has at many places once. A file of a kilobyte can describe a version with 2^28 places.
 *
 * A traversal of few blocks remembers nothing and allocates nothing. When out of memory, it
 * continues without: it takes longer and has the same result. Initialise it with zeros.
 */
typedef struct pqti_block_memo {
    pqti_hashtable results;
    uint64_t entered; /* the number of blocks entered */
    bool is_off;      /* there was no memory */
} pqti_block_memo;

/* Returns the result for a block. If there is none, counts the block as entered, and returns NULL.
 */
const void *pqti_block_memo_enter(pqti_block_memo *memo, const void *block);

/* Returns true if a traversal has entered enough blocks to remember them. */
bool pqti_block_memo_is_on(const pqti_block_memo *memo);

/* Remembers the result for a block that has none. */
void pqti_block_memo_add(pqti_block_memo *memo, const void *block, const void *result);

void pqti_block_memo_free(pqti_block_memo *memo);

#endif
