/* SPDX-License-Identifier: MIT */
/*
 * topk_init_template.h - ranking the first items that a search for the nearest finds, all of a leaf
 * at once.
 *
 * Put in one after another, items come in any order, and what the processor foresees of where each
 * belongs is mostly wrong. To count how many of a leaf's keys are below each of them needs no
 * foresight. It is included after knn_template.h.
 */
#ifndef PQTI_TOPK_INIT_TEMPLATE_H
#define PQTI_TOPK_INIT_TEMPLATE_H

#include "tree/query/knn_template.h"

enum {
    AT_ONCE = 24,   /* keys, not above PQTI_TOPK: of more, to compare all with all takes longer */
    WORTH_WHILE = 5 /* for fewer that are looked for, few come to belong anywhere */
};

/* Some items of a leaf. */
typedef struct first_items {
    double keys[AT_ONCE + 1]; /* the one after the last is infinite */
    uint32_t index[AT_ONCE];
    uint32_t count;
} first_items;

/* How many keys are below another. */
static inline uint32_t
count_below(const first_items *first, double key)
{
    return pqti_f64_count_below(first->keys, first->count, key);
}

/* Whether all keys are equal, as those of identical boxes are. */
static inline bool
all_keys_equal(const first_items *first)
{
    uint32_t same = 1;
    while (same < first->count && first->keys[same] == first->keys[0])
        same++;
    return same >= first->count;
}

/* Of equal keys, those of earlier items come first. */
static void
count_equal_keys_before(const first_items *first, uint32_t before[AT_ONCE])
{
    for (uint32_t i = 1; i < first->count; i++)
        for (uint32_t j = 0; j < i; j++)
            before[i] += first->keys[j] == first->keys[i];
}

/* How many come before each. If no keys are equal, these are all numbers below the count. */
static void
count_before(const first_items *first, uint32_t before[AT_ONCE])
{
    uint32_t count = first->count, sum = 0;
    if (all_keys_equal(first)) {
        for (uint32_t i = 0; i < count; i++)
            before[i] = i;
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        before[i] = count_below(first, first->keys[i]);
        sum += before[i];
    }
    if (2 * sum + count != count * count)
        count_equal_keys_before(first, before);
}

/* Whether the items of a leaf can be ranked so: nothing is found yet, and nobody is to be asked. */
static inline bool
can_be_first(const knn_search *r, uint32_t count)
{
    return r->topk.count == 0 && r->topk.capacity >= WORTH_WHILE && count <= AT_ONCE &&
           r->filter == NULL;
}

/* Ranks items that are wanted; `rank` is that of the leaf's first. */
static void
init_topk(knn_search *r, const first_items *first, const void *leaf, uint32_t leaf_count,
          uint32_t rank)
{
    pqti_topk *best = &r->topk;
    uint32_t before[AT_ONCE];
    count_before(first, before);
    for (uint32_t i = 0; i < first->count; i++) {
        uint32_t at = before[i];
        best->entries[at] =
            (pqti_topk_entry){pqti_bits_of(first->keys[i]), rank + first->index[i], at};
        best->sources[at] = (pqti_topk_source){leaf, leaf_count, first->index[i]};
    }
    best->count = first->count < best->capacity ? first->count : best->capacity;
    if (best->count == best->capacity)
        limit_to_worst(r);
}

#endif
