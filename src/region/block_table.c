/* SPDX-License-Identifier: MIT */
/* block_table.c - a hash table from blocks to blocks, open, at most half full. */
#include "config.h"

#include "region/block_table.h"

#include <string.h>

#include "base/error_internal.h"
#include "region/region_node.h"

enum { FIRST_SLOTS = 256 };

/* Where a hash is looked for first. Fingerprints are sums of mixes; their low bits will do. */
static size_t
place_of(const pqti_table *table, uint64_t hash)
{
    return (size_t)hash & table->mask;
}

static void
put(pqti_table *table, pqti_slot slot)
{
    size_t i = place_of(table, slot.hash);
    while (table->slots[i].key != NULL)
        i = (i + 1) & table->mask;
    table->slots[i] = slot;
}

static bool
resize(pqti_table *table, size_t count)
{
    const pqti_table old = *table;
    pqti_slot *slots = pqti_scratch(count, sizeof *slots);
    if (slots == NULL)
        return false;
    memset(slots, 0, count * sizeof *slots);
    table->slots = slots;
    table->mask = count - 1;
    for (size_t i = 0; old.slots != NULL && i <= old.mask; i++)
        if (old.slots[i].key != NULL)
            put(table, old.slots[i]);
    pqti_scratch_free(old.slots);
    return true;
}

bool
pqti_table_make(pqti_table *table)
{
    *table = (pqti_table){.slots = NULL};
    return resize(table, FIRST_SLOTS);
}

void
pqti_table_free(pqti_table *table)
{
    pqti_scratch_free(table->slots);
    *table = (pqti_table){.slots = NULL};
}

bool
pqti_table_add(pqti_table *table, uint64_t hash, const void *key, const void *value)
{
    PQT_INVARIANT(key != NULL, "a slot without a key is free");
    if (2 * table->used >= table->mask && !resize(table, 2 * (table->mask + 1)))
        return false;
    put(table, (pqti_slot){hash, key, value});
    table->used++;
    return true;
}

/* The first slot of the hash from place i on. */
static const pqti_slot *
find_from(const pqti_table *table, size_t i, uint64_t hash)
{
    for (; table->slots[i].key != NULL; i = (i + 1) & table->mask)
        if (table->slots[i].hash == hash)
            return &table->slots[i];
    return NULL;
}

const pqti_slot *
pqti_table_first(const pqti_table *table, uint64_t hash)
{
    return find_from(table, place_of(table, hash), hash);
}

const pqti_slot *
pqti_table_next(const pqti_table *table, const pqti_slot *slot)
{
    return find_from(table, ((size_t)(slot - table->slots) + 1) & table->mask, slot->hash);
}

static uint64_t
hash_of_block(const void *block)
{
    return pqti_finish((uintptr_t)block);
}

const void *
pqti_table_of_block(const pqti_table *table, const void *block)
{
    const pqti_slot *at = pqti_table_first(table, hash_of_block(block));
    return at != NULL ? at->value : NULL; /* pqti_finish is a bijection: no other has the hash */
}

bool
pqti_table_add_block(pqti_table *table, const void *block, const void *value)
{
    return pqti_table_add(table, hash_of_block(block), block, value);
}
