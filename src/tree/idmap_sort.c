/* SPDX-License-Identifier: MIT */
/*
 * idmap_sort.c - edits of the id map in the order of their keys.
 *
 * Keys are as good as random (item_hash.h). So with as many buckets as there are edits, told apart
 * by the first bits, most stand where they belong once they are in their bucket; few are left to be
 * moved by a place or two. Whoever picks ids on purpose can make many meet in one bucket: then all
 * are sorted by comparisons.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "memory/memory_internal.h"
#include "tree/idmap.h"

enum {
    FEW = 24,       /* sorted by insertion alone, wherever they stand */
    CROWDED = 24,   /* random keys do not crowd a bucket so */
    MOST_BITS = 16, /* beyond it, counts leave the caches; then buckets hold several */
};

static int
by_key(const void *a, const void *b)
{
    uint64_t key_a = ((const pqti_id_edit *)a)->key;
    uint64_t key_b = ((const pqti_id_edit *)b)->key;
    return key_a < key_b ? -1 : key_a > key_b;
}

static void
insert_each(pqti_id_edit *edits, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        if (edits[i - 1].key <= edits[i].key)
            continue;
        pqti_id_edit edit = edits[i];
        size_t j = i;
        for (; j > 0 && edits[j - 1].key > edit.key; j--)
            edits[j] = edits[j - 1];
        edits[j] = edit;
    }
}

/* Where each bucket begins, from how many it holds; returns the most that one holds. */
static uint32_t
add_up(uint32_t *buckets, size_t count)
{
    uint32_t sum = 0, most = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t size = buckets[i];
        most = size > most ? size : most;
        buckets[i] = sum;
        sum += size;
    }
    return most;
}

/* Sorts `edits` with room for a copy of them and for 2^bits buckets, all 0. */
static void
sort_by_buckets(pqti_id_edit *edits, size_t count, pqti_id_edit *spare, uint32_t *buckets,
                unsigned bits)
{
    for (size_t i = 0; i < count; i++)
        buckets[edits[i].key >> (64 - bits)]++;
    if (add_up(buckets, (size_t)1 << bits) > CROWDED + (count >> bits)) {
        qsort(edits, count, sizeof *edits, by_key);
        return;
    }
    memcpy(spare, edits, count * sizeof *edits);
    for (size_t i = 0; i < count; i++)
        edits[buckets[spare[i].key >> (64 - bits)]++] = spare[i];
    insert_each(edits, count);
}

bool
pqti_ids_sort(pqti_id_edit *edits, size_t count)
{
    if (count <= FEW) {
        insert_each(edits, count);
        return true;
    }
    unsigned bits = 1;
    while (bits < MOST_BITS && count >> bits > 1)
        bits++;
    pqti_id_edit *spare = pqti_scratch(count, sizeof *spare);
    uint32_t *buckets = spare == NULL ? NULL : pqti_scratch((size_t)1 << bits, sizeof *buckets);
    if (buckets != NULL) {
        memset(buckets, 0, ((size_t)1 << bits) * sizeof *buckets);
        sort_by_buckets(edits, count, spare, buckets, bits);
    }
    pqti_scratch_free(spare);
    pqti_scratch_free(buckets);
    return buckets != NULL;
}
