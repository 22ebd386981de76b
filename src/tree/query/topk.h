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

enum { PQTI_BEST = 64 }; /* what one search finds at most */

/* One that is found. Keys are doubles >= 0, whose bits order as they do, and compare faster. */
typedef struct pqti_ranked {
    uint64_t key;
    uint32_t place;
    uint32_t source; /* an index of the sources */
} pqti_ranked;

/* Where it was found: an item in its leaf. */
typedef struct pqti_source {
    const void *leaf;
    uint32_t leaf_count, index;
} pqti_source;

typedef struct pqti_best {
    size_t room, count; /* how many are looked for, and are found */
    pqti_ranked ranked[PQTI_BEST];
    pqti_source sources[PQTI_BEST];
} pqti_best;

static inline bool
pqti_is_before(uint64_t key_a, uint32_t place_a, uint64_t key_b, uint32_t place_b)
{
    return key_a < key_b || (key_a == key_b && place_a < place_b);
}

/* Puts one where it belongs; if there is no room, the worst goes, and its source is used again. */
static inline void
pqti_best_keep(pqti_best *best, uint64_t key, uint32_t place, pqti_source from)
{
    pqti_ranked *ranked = best->ranked;
    bool full = best->count == best->room;
    size_t hole = full ? best->count - 1 : best->count++;
    uint32_t used = full ? ranked[hole].source : (uint32_t)hole;
    best->sources[used] = from;
    while (hole > 0 && pqti_is_before(key, place, ranked[hole - 1].key, ranked[hole - 1].place)) {
        ranked[hole] = ranked[hole - 1];
        hole--;
    }
    ranked[hole] = (pqti_ranked){key, place, used};
}

/* The last of those kept, of which there is one at least. */
static inline const pqti_ranked *
pqti_best_worst(const pqti_best *best)
{
    return &best->ranked[best->count - 1];
}

/* The key of which these are the bits. */
static inline double
pqti_key_of(uint64_t bits)
{
    double key;
    memcpy(&key, &bits, sizeof key);
    return key;
}

/* The i-th best. */
static inline pqt_item
pqti_best_item(const pqti_best *best, size_t i)
{
    const pqti_source *from = &best->sources[best->ranked[i].source];
    return pqti_view_item(pqti_view(from->leaf, from->leaf_count), from->index);
}

#endif
