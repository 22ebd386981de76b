/* SPDX-License-Identifier: MIT */
/*
 * topk_init_template.h: fills the empty list of the k best items with the items of the first leaf,
 * all at once.
 *
 * If items were inserted one by one, the processor would mispredict most of the branches, because
 * the keys are compared in random order. Instead, this file counts, for each key, the lesser keys
 * in the leaf, without branches. It is included after knn_template.h.
 */
#ifndef PQTI_TOPK_INIT_TEMPLATE_H
#define PQTI_TOPK_INIT_TEMPLATE_H

#include "tree/query/knn_template.h"

enum {
    MAX_LEAF =
        24, /* at most PQTI_TOPK; for larger leaves, comparing all pairs of keys takes longer */
    MIN_WANTED = 5 /* if fewer items are wanted, most insertions move nothing */
};

_Static_assert((int)MAX_LEAF <= (int)PQTI_TOPK, "a list has no space for the items of such a leaf");

/* The items of a leaf that are wanted. */
typedef struct first_items {
    double keys[MAX_LEAF + 1]; /* the keys, followed by an infinite one */
    uint32_t index[MAX_LEAF];
    uint32_t count;
} first_items;

/* Returns the number of keys that are less than `key`. */
static inline uint32_t
count_below(const first_items *first, double key)
{
    return pqti_f64_count_below(first->keys, first->count, key);
}

/* Returns true if all keys are equal, as they are for identical boxes. */
static inline bool
all_keys_equal(const first_items *first)
{
    uint32_t same = 1;
    while (same < first->count && first->keys[same] == first->keys[0])
        same++;
    return same >= first->count;
}

/* Adds, for each item, the number of earlier items with an equal key. */
static void
count_equal_keys_before(const first_items *first, uint32_t before[MAX_LEAF])
{
    for (uint32_t i = 1; i < first->count; i++)
        for (uint32_t j = 0; j < i; j++)
            before[i] += first->keys[j] == first->keys[i];
}

/* Computes, for each item, the number of items that precede it in key order. If all keys differ,
   the counts of lesser keys are 0 to count - 1 in some order, as their sum shows. Otherwise
   earlier items with equal keys are counted too. */
static void
count_before(const first_items *first, uint32_t before[MAX_LEAF])
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

/*
 * Returns true if the items of a leaf may fill the list: the list is empty, and there is no filter
 * to call.
 */
static inline bool
can_init_topk(const knn_search *search, uint32_t count)
{
    return search->topk.count == 0 && search->topk.capacity >= MIN_WANTED && count <= MAX_LEAF &&
           search->filter == NULL;
}

/* Fills the list with the wanted items of a leaf. `rank` is the rank of the leaf's first item. */
static void
init_topk(knn_search *search, const first_items *first, const void *leaf, uint32_t leaf_count,
          uint32_t rank)
{
    pqti_topk *list = &search->topk;
    uint32_t before[MAX_LEAF];
    count_before(first, before);
    for (uint32_t i = 0; i < first->count; i++) {
        uint32_t at = before[i];
        list->candidates[at] =
            (pqti_topk_candidate){pqti_bits_of(first->keys[i]), rank + first->index[i], at};
        list->sources[at] = (pqti_topk_source){leaf, leaf_count, first->index[i]};
    }
    list->count = first->count < list->capacity ? first->count : list->capacity;
    if (list->count == list->capacity)
        limit_to_worst(search);
}

#endif
