/* SPDX-License-Identifier: MIT */
/*
 * block_table.h - a hash table from blocks to blocks, in scratch memory.
 *
 * What makes two keys equal, and their hash, is the user's; keys of one hash are looked through one
 * after the other:
 *
 *     for (const pqti_slot *at = pqti_table_first(&table, hash); at != NULL;
 *          at = pqti_table_next(&table, at))
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

typedef struct pqti_slot {
    uint64_t hash;
    const void *key, *value; /* no key: the slot is free */
} pqti_slot;

/* Zero it before the first use, or make it. */
typedef struct pqti_table {
    pqti_slot *slots;
    size_t used, mask;
} pqti_table;

/* False: no memory. */
bool pqti_table_make(pqti_table *table);
bool pqti_table_add(pqti_table *table, uint64_t hash, const void *key, const void *value);

void pqti_table_free(pqti_table *table);

/* The slots of a hash, one after the other; NULL after the last. */
const pqti_slot *pqti_table_first(const pqti_table *table, uint64_t hash);
const pqti_slot *pqti_table_next(const pqti_table *table, const pqti_slot *slot);

/* Blocks as themselves: what was added for this very one, or NULL. */
const void *pqti_table_of_block(const pqti_table *table, const void *block);
bool pqti_table_add_block(pqti_table *table, const void *block, const void *value);

#endif
