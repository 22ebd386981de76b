/* SPDX-License-Identifier: MIT */
/*
 * topk.h - the best few of the items that a search has found so far, sorted.
 *
 * They are sorted by key, and where keys are equal by place in tree order. What moves when a better
 * one comes are 16 bytes for each that is worse: where an item is to be found stands apart, and
 * stays.
 */
#ifndef PQTI_TOPK_H
#define PQTI_TOPK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "tree/node.h"

enum { PQTI_TOPK = 64 }; /* what one search finds at most */

/* One that is found. Keys are doubles >= 0, whose bits order as they do, and compare faster. */
typedef struct pqti_topk_entry {
    uint64_t key;
    uint32_t rank;
    uint32_t source; /* an index of the sources */
} pqti_topk_entry;

/* Where it was found: an item in its leaf. */
typedef struct pqti_topk_source {
    const void *leaf;
    uint32_t leaf_count, index;
} pqti_topk_source;

typedef struct pqti_topk {
    size_t capacity, count; /* how many are looked for, and are found */
    pqti_topk_entry entries[PQTI_TOPK];
    pqti_topk_source sources[PQTI_TOPK];
} pqti_topk;

static inline bool
pqti_is_before(uint64_t key_a, uint32_t rank_a, uint64_t key_b, uint32_t rank_b)
{
    return key_a < key_b || (key_a == key_b && rank_a < rank_b);
}

/* Puts one where it belongs; if there is no room, the worst goes, and its source is used again. */
static inline void
pqti_topk_keep(pqti_topk *best, uint64_t key, uint32_t rank, pqti_topk_source from)
{
    pqti_topk_entry *ranked = best->entries;
    bool full = best->count == best->capacity;
    size_t hole = full ? best->count - 1 : best->count++;
    uint32_t used = full ? ranked[hole].source : (uint32_t)hole;
    best->sources[used] = from;
    while (hole > 0 && pqti_is_before(key, rank, ranked[hole - 1].key, ranked[hole - 1].rank)) {
        ranked[hole] = ranked[hole - 1];
        hole--;
    }
    ranked[hole] = (pqti_topk_entry){key, rank, used};
}

/* The last of those kept, of which there is one at least. */
static inline const pqti_topk_entry *
pqti_topk_worst(const pqti_topk *best)
{
    return &best->entries[best->count - 1];
}

/* The key of which these are the bits. */
static inline double
pqti_topk_key_of(uint64_t bits)
{
    double key;
    memcpy(&key, &bits, sizeof key);
    return key;
}

/* The i-th best. */
static inline pqt_item
pqti_topk_item(const pqti_topk *best, size_t i)
{
    const pqti_topk_source *from = &best->sources[best->entries[i].source];
    return pqti_view_item(pqti_view(from->leaf, from->leaf_count), from->index);
}

#endif
