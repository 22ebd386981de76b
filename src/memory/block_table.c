/* SPDX-License-Identifier: MIT */
/*
 * block_table.c: a hash table from blocks to blocks, with open addressing, at most half full, and
 * the results that a traversal remembers.
 */
#include "config.h"

#include "memory/block_table.h"

#include <string.h>

#include "base/error_internal.h"
#include "base/hash.h"
#include "memory/memory_internal.h"

enum { FIRST_SLOTS = 256 };

/* A traversal that enters fewer blocks than this remembers none: a table would take longer. */
enum { FEW_BLOCKS = 4096 };

/* Returns the first slot to probe. Hashes are sums of mixed hashes, or mixed addresses, so their
 * low bits are sufficiently random. */
static size_t
slot_index_of(const pqti_hashtable *hashtable, uint64_t hash)
{
    return (size_t)hash & hashtable->mask;
}

static void
insert_into_slots(pqti_hashtable *hashtable, pqti_hashtable_slot slot)
{
    PQT_INVARIANT(hashtable->used <= hashtable->mask / 2 + 1,
                  "a hash table is more than half full");
    size_t i = slot_index_of(hashtable, slot.hash);
    while (hashtable->slots[i].key != NULL)
        i = (i + 1) & hashtable->mask;
    hashtable->slots[i] = slot;
}

static bool
resize_hashtable(pqti_hashtable *hashtable, size_t count)
{
    PQT_INVARIANT((count & (count - 1)) == 0, "the number of slots is not a power of 2");
    const pqti_hashtable old = *hashtable;
    pqti_hashtable_slot *slots = pqti_alloc_scratch(count, sizeof *slots);
    if (slots == NULL)
        return false;
    memset(slots, 0, count * sizeof *slots);
    hashtable->slots = slots;
    hashtable->mask = count - 1;
    for (size_t i = 0; old.slots != NULL && i <= old.mask; i++)
        if (old.slots[i].key != NULL)
            insert_into_slots(hashtable, old.slots[i]);
    pqti_free_scratch(old.slots);
    return true;
}

bool
pqti_hashtable_make(pqti_hashtable *hashtable)
{
    *hashtable = (pqti_hashtable){.slots = NULL};
    return resize_hashtable(hashtable, FIRST_SLOTS);
}

void
pqti_hashtable_free(pqti_hashtable *hashtable)
{
    pqti_free_scratch(hashtable->slots);
    *hashtable = (pqti_hashtable){.slots = NULL};
}

bool
pqti_hashtable_add(pqti_hashtable *hashtable, uint64_t hash, const void *key, const void *value)
{
    PQT_INVARIANT(key != NULL, "an entry of a hash table has no key");
    if (2 * hashtable->used >= hashtable->mask &&
        !resize_hashtable(hashtable, 2 * (hashtable->mask + 1)))
        return false;
    insert_into_slots(hashtable, (pqti_hashtable_slot){hash, key, value});
    hashtable->used++;
    return true;
}

/* Returns the first slot with the given hash from index i on. */
static const pqti_hashtable_slot *
find_from(const pqti_hashtable *hashtable, size_t i, uint64_t hash)
{
    for (; hashtable->slots[i].key != NULL; i = (i + 1) & hashtable->mask)
        if (hashtable->slots[i].hash == hash)
            return &hashtable->slots[i];
    return NULL;
}

const pqti_hashtable_slot *
pqti_hashtable_first(const pqti_hashtable *hashtable, uint64_t hash)
{
    return find_from(hashtable, slot_index_of(hashtable, hash), hash);
}

const pqti_hashtable_slot *
pqti_hashtable_next(const pqti_hashtable *hashtable, const pqti_hashtable_slot *slot)
{
    return find_from(hashtable, ((size_t)(slot - hashtable->slots) + 1) & hashtable->mask,
                     slot->hash);
}

static uint64_t
hash_of_block(const void *block)
{
    return pqti_hash_mix64((uintptr_t)block);
}

const void *
pqti_hashtable_of_block(const pqti_hashtable *hashtable, const void *block)
{
    const pqti_hashtable_slot *at = pqti_hashtable_first(hashtable, hash_of_block(block));
    return at != NULL ? at->value
                      : NULL; /* pqti_hash_mix64 is a bijection, so no other block has this hash */
}

bool
pqti_hashtable_add_block(pqti_hashtable *hashtable, const void *block, const void *value)
{
    return pqti_hashtable_add(hashtable, hash_of_block(block), block, value);
}

/* ---- Memos ---- */

bool
pqti_block_memo_is_on(const pqti_block_memo *memo)
{
    return memo->entered > FEW_BLOCKS && !memo->is_off;
}

const void *
pqti_block_memo_enter(pqti_block_memo *memo, const void *block)
{
    const void *result =
        memo->results.slots != NULL ? pqti_hashtable_of_block(&memo->results, block) : NULL;
    memo->entered += result == NULL;
    return result;
}

void
pqti_block_memo_add(pqti_block_memo *memo, const void *block, const void *result)
{
    if (pqti_block_memo_is_on(memo))
        memo->is_off = (memo->results.slots == NULL && !pqti_hashtable_make(&memo->results)) ||
                       !pqti_hashtable_add_block(&memo->results, block, result);
}

void
pqti_block_memo_free(pqti_block_memo *memo)
{
    pqti_hashtable_free(&memo->results);
}
