/* SPDX-License-Identifier: MIT */
/*
 * knn_results_template.h: passes the results of a search (knn_template.h) in key order to an array
 * or a visitor.
 *
 * This is a template like knn_template.h and is included after it. nearest.c and ray.c define the
 * type `result` and the function `result_of`, which is declared below under the
 * name KNN_NAME(result_of).
 *
 * A visitor may stop early, so the first batch is small. Each further batch is four times as large,
 * up to MOST_AT_ONCE, because each search may visit the items of all earlier searches again.
 */
#ifndef PQTI_KNN_RESULTS_TEMPLATE_H
#define PQTI_KNN_RESULTS_TEMPLATE_H

#include "tree/query/knn_template.h"

enum {
    FIRST_BATCH = 8,
    BATCH_GROWTH = 4,
    MOST_AT_ONCE = 2048 /* these are on the stack and take 24 bytes each */
};

_Static_assert(sizeof(result) >= sizeof(pqti_found),
               "a candidate does not fit into the memory of a result");

#define result_of KNN_NAME(result_of)

/* Makes a result from an item, its key and its rank. */
static result result_of(const knn_search *search, pqt_item item, double key, uint32_t rank);

static result
result_of_found(const knn_search *search, const pqti_found *one)
{
    return result_of(search, pqti_found_item(one), pqti_double_of(one->key), one->rank);
}

/* Returns the i-th best result. */
static result
best_result(const knn_search *search, size_t i)
{
    const pqti_topk_candidate *one = &search->topk.candidates[i];
    return result_of(search, pqti_topk_item(&search->topk, i), pqti_double_of(one->key), one->rank);
}

/* ---- Into an array ---- */

/*
 * Writes the best results to the array. Returns the number of results written and the number found.
 * The array first holds the sorted candidates. They are converted to results from the last to the
 * first, so that none is overwritten before it is read.
 */
static pqti_many
find_many(knn_search *search, const pqt_tree *tree, result *results, size_t capacity)
{
    pqti_many many = {.all = (pqti_found *)results, .capacity = capacity};
    search_knn_many(search, tree, &many);
    for (size_t i = many.count; i-- > 0;) {
        const pqti_found one = many.all[i];
        results[i] = result_of_found(search, &one);
    }
    return many;
}

/* ---- To a visitor ---- */

typedef bool visit_fn(const result *one, void *context);

/* The state of a visit: not finished, stopped by the visitor, or finished. */
typedef enum visit_state { VISIT_UNFINISHED, VISIT_STOPPED, VISIT_FINISHED } visit_state;

/* Visits the next few results. */
static visit_state
visit_few(knn_search *search, const pqt_tree *tree, size_t capacity, visit_fn *visit, void *context)
{
    size_t count = search_knn(search, tree, capacity);
    for (size_t i = 0; i < count; i++) {
        result one = best_result(search, i);
        if (!visit(&one, context))
            return VISIT_STOPPED;
    }
    return count < capacity ? VISIT_FINISHED : VISIT_UNFINISHED;
}

/* Visits the next results, which are collected in the caller's array first. */
static visit_state
visit_many(knn_search *search, const pqt_tree *tree, pqti_many *many, visit_fn *visit,
           void *context)
{
    search_knn_many(search, tree, many);
    for (size_t i = 0; i < many->count; i++) {
        result one = result_of_found(search, &many->all[i]);
        if (!visit(&one, context))
            return VISIT_STOPPED;
    }
    return many->count < many->capacity ? VISIT_FINISHED : VISIT_UNFINISHED;
}

static inline size_t
next_capacity(size_t capacity)
{
    return capacity < MOST_AT_ONCE / BATCH_GROWTH ? capacity * BATCH_GROWTH : MOST_AT_ONCE;
}

/*
 * Visits all results that follow the first batches. It is not inlined, because its frame is large.
 */
static PQTI_NOINLINE visit_state
visit_rest(knn_search *search, const pqt_tree *tree, visit_fn *visit, void *context)
{
    pqti_found all[MOST_AT_ONCE];
    pqti_many many = {.all = all, .capacity = next_capacity(PQTI_TOPK)};
    visit_state state = visit_many(search, tree, &many, visit, context);
    while (state == VISIT_UNFINISHED) {
        many.capacity = next_capacity(many.capacity);
        state = visit_many(search, tree, &many, visit, context);
    }
    return state;
}

/* Visits all results until the visitor stops. Returns false if it has stopped. */
static bool
visit_in_order(knn_search *search, const pqt_tree *tree, visit_fn *visit, void *context)
{
    visit_state state = visit_few(search, tree, FIRST_BATCH, visit, context);
    if (state == VISIT_UNFINISHED)
        state = visit_few(search, tree, PQTI_TOPK, visit, context);
    if (state == VISIT_UNFINISHED)
        state = visit_rest(search, tree, visit, context);
    return state == VISIT_FINISHED;
}

#endif
