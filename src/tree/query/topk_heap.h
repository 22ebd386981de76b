/* SPDX-License-Identifier: MIT */
/*
 * topk_heap.h: keeps the k best items in the caller's array, if k exceeds the capacity of topk.h,
 * which sorts by insertion.
 *
 * When the array is full, it becomes a binary heap with the worst item at the root. From then on,
 * each better item replaces the root. Finally the array is sorted in place (J. W. J. Williams,
 * "Algorithm 232: heapsort", 1964).
 */
#ifndef PQTI_TOPK_HEAP_H
#define PQTI_TOPK_HEAP_H

#include <stdbool.h>
#include <stddef.h>

#include "tree/query/topk.h"

/* A candidate. It may be stored in the memory of the caller's results. */
typedef struct pqti_found {
    uint64_t key;
    const double *at; /* the address of the item's min_x in its leaf */
    uint32_t leaf_count, rank;
} __attribute__((may_alias)) pqti_found;

typedef struct pqti_many {
    pqti_found *all;
    size_t capacity, count; /* the size of the array, and the number of candidates in it */
    size_t found;           /* the number of items that were offered */
} pqti_many;

static inline bool
pqti_is_earlier(const pqti_found *a, const pqti_found *b)
{
    return pqti_is_before(a->key, a->rank, b->key, b->rank);
}

static inline pqt_item
pqti_found_item(const pqti_found *one)
{
    return pqti_view_item(pqti_view(one->at, one->leaf_count), 0);
}

/*
 * Stores `one` at index `at` or, as long as a child is worse, moves that child up and continues
 * below it.
 */
static inline void
pqti_many_sift_down(pqti_found *all, size_t count, size_t at, pqti_found one)
{
    for (size_t below = 2 * at + 1; below < count; below = 2 * at + 1) {
        if (below + 1 < count && pqti_is_earlier(&all[below], &all[below + 1]))
            below++;
        if (!pqti_is_earlier(&one, &all[below]))
            break;
        all[at] = all[below];
        at = below;
    }
    all[at] = one;
}

static inline void
pqti_many_make_heap(const pqti_many *m)
{
    for (size_t i = m->count / 2; i-- > 0;)
        pqti_many_sift_down(m->all, m->count, i, m->all[i]);
}

static inline void
pqti_many_keep(pqti_many *m, pqti_found one)
{
    m->found++;
    if (m->count < m->capacity) {
        m->all[m->count++] = one;
        if (m->count == m->capacity)
            pqti_many_make_heap(m);
    } else if (m->capacity > 0 && pqti_is_earlier(&one, &m->all[0])) {
        pqti_many_sift_down(m->all, m->count, 0, one);
    }
}

/* Sorts the candidates. The worst one is moved to its final position first. */
static inline void
pqti_many_sort(const pqti_many *m)
{
    if (m->count < m->capacity)
        pqti_many_make_heap(m);
    for (size_t i = m->count; i-- > 1;) {
        pqti_found one = m->all[i];
        m->all[i] = m->all[0];
        pqti_many_sift_down(m->all, i, 0, one);
    }
}

#endif
