/* SPDX-License-Identifier: MIT */
/*
 * knn_results_template.h - what a search in order of a key (knn_template.h) finds: in the caller's
 * array, or handed over to a visitor.
 *
 * This is a template as knn_template.h is, which it follows: nearest.c and ray.c define `result`
 * and the function of it that is declared below without a body.
 *
 * A visitor may soon have enough, so it gets a few at first. If it goes on, it gets four times as
 * many at a time, and at last MOST_AT_ONCE: each search may meet again all that was found before.
 */
#ifndef PQTI_KNN_RESULTS_TEMPLATE_H
#define PQTI_KNN_RESULTS_TEMPLATE_H

#include "tree/query/knn_template.h"

enum {
    FIRST_BATCH = 8,
    BATCH_GROWTH = 4,
    MOST_AT_ONCE = 2048 /* on the stack, 24 bytes each */
};

_Static_assert(sizeof(result) >= sizeof(pqti_found), "each result has room for what is found");

/* The result of an item, its key and its rank. */
static result result_of(const knn_search *r, pqt_item item, double key, uint32_t rank);

static result
result_of_found(const knn_search *r, const pqti_found *one)
{
    return result_of(r, pqti_found_item(one), pqti_topk_key_of(one->key), one->rank);
}

/* The i-th of the best few. */
static result
best_result(const knn_search *r, size_t i)
{
    const pqti_topk_entry *one = &r->topk.entries[i];
    return result_of(r, pqti_topk_item(&r->topk, i), pqti_topk_key_of(one->key), one->rank);
}

/* ---- In an array ---- */

/*
 * Writes the first ones, and returns how many these are and how many were found. What is found is
 * sorted at the beginning of the array, and made a result from the last on: so none is overwritten
 * before it is read.
 */
static pqti_many
find_many(knn_search *r, const pqt_tree *tree, result *results, size_t capacity)
{
    pqti_many many = {.all = (pqti_found *)results, .capacity = capacity};
    rank_many(r, tree, &many);
    for (size_t i = many.count; i-- > 0;) {
        const pqti_found one = many.all[i];
        results[i] = result_of_found(r, &one);
    }
    return many;
}

/* ---- To a visitor ---- */

typedef bool visit_fn(const result *one, void *context);

/* Whether a visit goes on; else the visitor has stopped it, or has been handed all. */
typedef enum visit_state { GOES_ON, STOPPED, HAS_ALL } visit_state;

/* Hands over the next few. */
static visit_state
visit_few(knn_search *r, const pqt_tree *tree, size_t capacity, visit_fn *visit, void *context)
{
    size_t count = search_knn(r, tree, capacity);
    for (size_t i = 0; i < count; i++) {
        result one = best_result(r, i);
        if (!visit(&one, context))
            return STOPPED;
    }
    return count < capacity ? HAS_ALL : GOES_ON;
}

/* Hands over the next ones, for which an array is lent. */
static visit_state
visit_many(knn_search *r, const pqt_tree *tree, pqti_many *many, visit_fn *visit, void *context)
{
    rank_many(r, tree, many);
    for (size_t i = 0; i < many->count; i++) {
        result one = result_of_found(r, &many->all[i]);
        if (!visit(&one, context))
            return STOPPED;
    }
    return many->count < many->capacity ? HAS_ALL : GOES_ON;
}

static inline size_t
next_room(size_t capacity)
{
    return capacity < MOST_AT_ONCE / BATCH_GROWTH ? capacity * BATCH_GROWTH : MOST_AT_ONCE;
}

/* Hands over all that come after the first ones. In a frame of its own, since that is large. */
static PQTI_NOINLINE visit_state
visit_rest(knn_search *r, const pqt_tree *tree, visit_fn *visit, void *context)
{
    pqti_found all[MOST_AT_ONCE];
    pqti_many many = {.all = all, .capacity = next_room(PQTI_TOPK)};
    visit_state state = visit_many(r, tree, &many, visit, context);
    while (state == GOES_ON) {
        many.capacity = next_room(many.capacity);
        state = visit_many(r, tree, &many, visit, context);
    }
    return state;
}

/* Hands over all, until the visitor has enough; false if it has. */
static bool
visit_in_order(knn_search *r, const pqt_tree *tree, visit_fn *visit, void *context)
{
    visit_state state = visit_few(r, tree, FIRST_BATCH, visit, context);
    if (state == GOES_ON)
        state = visit_few(r, tree, PQTI_TOPK, visit, context);
    if (state == GOES_ON)
        state = visit_rest(r, tree, visit, context);
    return state == HAS_ALL;
}

#endif
