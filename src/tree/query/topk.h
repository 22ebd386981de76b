/* SPDX-License-Identifier: MIT */
/*
 * topk.h: the sorted list of the k best items that a search has found so far.
 *
 * Candidates are sorted by key, and by rank where keys are equal. An insertion moves 16 bytes for
 * each candidate that is worse. The positions of the items in their leaves are stored in a second
 * array, whose elements do not move.
 */
#ifndef PQTI_TOPK_H
#define PQTI_TOPK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/error_internal.h"
#include "base/fp.h"
#include "tree/node.h"

enum { PQTI_TOPK = 64 }; /* the capacity of the list */

/* A candidate of the list. Keys are doubles >= 0, so their bit patterns have the same order and are
   compared faster. */
typedef struct pqti_topk_candidate {
    uint64_t key;
    uint32_t rank;
    uint32_t source; /* an index into `sources` */
} pqti_topk_candidate;

/* The position of an item: its leaf and its index in the leaf. */
typedef struct pqti_topk_source {
    const void *leaf;
    uint32_t leaf_count, index;
} pqti_topk_source;

typedef struct pqti_topk {
    size_t capacity, count; /* the number of items wanted, and the number found */
    pqti_topk_candidate candidates[PQTI_TOPK];
    pqti_topk_source sources[PQTI_TOPK];
} pqti_topk;

static inline bool
pqti_is_before(uint64_t key_a, uint32_t rank_a, uint64_t key_b, uint32_t rank_b)
{
    return key_a < key_b || (key_a == key_b && rank_a < rank_b);
}

/* Inserts a candidate at its position. If the list is full, drops the worst one and reuses its
   element of `sources`. */
static inline void
pqti_topk_keep(pqti_topk *list, uint64_t key, uint32_t rank, pqti_topk_source from)
{
    pqti_topk_candidate *ranked = list->candidates;
    bool full = list->count == list->capacity;
    size_t hole = full ? list->count - 1 : list->count++;
    uint32_t used = full ? ranked[hole].source : (uint32_t)hole;
    list->sources[used] = from;
    while (hole > 0 && pqti_is_before(key, rank, ranked[hole - 1].key, ranked[hole - 1].rank)) {
        ranked[hole] = ranked[hole - 1];
        hole--;
    }
    ranked[hole] = (pqti_topk_candidate){key, rank, used};
}

/* Returns the worst candidate. The list must not be empty. */
static inline const pqti_topk_candidate *
pqti_topk_worst(const pqti_topk *list)
{
    PQT_INVARIANT(list->count > 0, "the list is empty");
    return &list->candidates[list->count - 1];
}

/* Returns the i-th best item. */
static inline pqt_item
pqti_topk_item(const pqti_topk *list, size_t i)
{
    const pqti_topk_source *from = &list->sources[list->candidates[i].source];
    return pqti_view_item(pqti_view(from->leaf, from->leaf_count), from->index);
}

#endif
