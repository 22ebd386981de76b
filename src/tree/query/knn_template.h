/* SPDX-License-Identifier: MIT */
/*
 * knn_template.h - the one search for items in order of a key: nearest first, or front to back.
 *
 * This is a template: nearest.c, ray.c and sweep_tree.c include it after they have said what is
 * asked, as a type `knn_params`, and define the five functions that are declared below without a
 * body. So all is compiled for one kind of key.
 *
 * Items are ranked by key, and by their place in tree order where keys are equal. A place is known
 * without a look at the item: it is the count of what comes before, which the nodes hold. So a tie
 * is a comparison of two numbers, and a subtree that comes too late for a tie is passed over.
 *
 * The search goes depth first and keeps the best so far (topk.h). A quarter is passed over if even
 * the least key that its columns allow is beyond the worst of them. It begins with the way to the
 * home of the question, the cell that it lies in, without a look at anything else (rank_home): what
 * is found there parts what must be looked at from what need not. Of other nodes, the quadrants are
 * entered in order of their bounds (rank_quarters). Measured against a queue of nodes over the
 * whole tree, that is faster, and it needs no memory.
 *
 * Identical boxes have one key, which columns cannot tell. But hash nodes can: their items are
 * asked for all at once, and those that come too late for a tie are passed over (rank_mixed).
 *
 * More is found by further searches, each for what comes after the last one found (rank_more).
 * Quarters all of which was found before are passed over like those beyond. Where boxes lie over
 * each other, columns cannot tell what was found before, and each search meets all of them again.
 * With room for k items, n of them cannot be sorted without n / k looks at each (J. Pagter,
 * T. Rauhe, "Optimal time-space trade-offs for sorting", 1998). So a visitor that goes on gets more
 * and more at a time (knn_results_template.h).
 */
#ifndef PQTI_KNN_TEMPLATE_H
#define PQTI_KNN_TEMPLATE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt/query.h>

#include "tree/query/child_order.h"
#include "tree/query/topk_heap.h"
#include "tree/side_range.h"

/* Between what is wanted, in keys or in another measure of the same order. */
typedef struct limits {
    double worst_wanted; /* with r->worst_place: nothing is wanted from here on */
    double
        last_found; /* with r->last_place: all up to here was found before; below 0: nothing was */
} limits;

typedef struct knn_search {
    knn_params params;
    pqt_filter_fn *filter;
    void *context;
    pqt_query_stats *stats;
    uint32_t origin_x, origin_y; /* columns where the question lies */
    uint32_t depth;              /* of the deepest cells */
    double wanted;               /* no greater key is wanted */
    limits limits;               /* in keys */
    limits measured;             /* in the measure of the question, set by it */
    uint32_t worst_rank, last_rank;
    pqti_many *many; /* NULL: they are few enough for `topk` */
    bool all;        /* all are to be counted, however many are kept */
    pqti_topk topk;
} knn_search;

/* Puts the limits into the question's own measure: `worst_wanted` has changed. */
static void measure_worst(knn_search *r);

/* The same: `last_found` has changed. */
static void measure_last(knn_search *r);

/*
 * Sets for each quarter of a node a bound that no key in it is below, INFINITY if nothing in it is
 * wanted. Returns the limits in the measure of the bounds: the search comes back to them after they
 * moved.
 */
static const limits *bound_quadrants(const knn_search *r, const pqti_inner *node, bool outliers,
                                     double bounds[PQTI_QUADRANTS]);

/*
 * Sets a key that none of a hash node's items is below; of identical boxes, that of all of them.
 * False: none is wanted, whatever its place.
 */
static bool find_least_key(const knn_search *r, const pqti_side_range *side_range, double *key);

/* Offers what may be wanted of a leaf; `rank` is that of its first item. */
static void scan_leaf(knn_search *r, const void *leaf, uint32_t count, uint32_t rank);

/* ---- What is wanted ---- */

static inline bool
is_wanted(const knn_search *r, uint64_t key, uint32_t rank)
{
    if (!pqti_is_before(key, rank, pqti_bits_of(r->limits.worst_wanted), r->worst_rank))
        return false;
    return r->limits.last_found < 0 ||
           pqti_is_before(pqti_bits_of(r->limits.last_found), r->last_rank, key, rank);
}

/* Whether a key is greater than what is wanted, or comes too late for a tie. */
static inline bool
is_too_late(const knn_search *r, double key, uint32_t rank)
{
    return !pqti_is_before(pqti_bits_of(key), rank, pqti_bits_of(r->limits.worst_wanted),
                           r->worst_rank);
}

/* Whether all of some identical boxes were found before; `last` is the last one's place. */
static inline bool
were_found(const knn_search *r, double key, uint32_t last)
{
    return r->limits.last_found >= 0 && !pqti_is_before(pqti_bits_of(r->limits.last_found),
                                                        r->last_rank, pqti_bits_of(key), last);
}

/* As many as there is room for are found: only what is better than the worst of them is wanted. */
static inline void
limit_to(knn_search *r, uint64_t worst, uint32_t rank)
{
    r->limits.worst_wanted = pqti_topk_key_of(worst);
    r->worst_rank = rank;
    measure_worst(r);
}

static inline void
limit_to_worst(knn_search *r)
{
    const pqti_topk_entry *worst = pqti_topk_worst(&r->topk);
    limit_to(r, worst->key, worst->rank);
}

/* As offer() does it, for more than can be sorted one by one. */
static PQTI_NOINLINE void
keep_among_many(knn_search *r, pqti_found one)
{
    pqti_many_keep(r->many, one);
    if (r->many->count == r->many->capacity && !r->all)
        limit_to(r, r->many->all[0].key, r->many->all[0].rank);
}

/* Item i of a leaf is kept if it is wanted. */
static inline void
offer_item(knn_search *r, pqti_leaf_view view, uint32_t count, uint32_t i, double key,
           uint32_t rank)
{
    uint64_t bits = pqti_bits_of(key);
    if (!is_wanted(r, bits, rank))
        return;
    if (r->filter != NULL) {
        pqt_item item = pqti_view_item(view, i);
        if (!r->filter(&item, r->context))
            return;
    }
    if (r->many != NULL) {
        keep_among_many(r, (pqti_found){bits, view.min_x + i, count, rank});
        return;
    }
    pqti_topk_keep(&r->topk, bits, rank, (pqti_topk_source){view.min_x, count, i});
    if (r->topk.count == r->topk.capacity)
        limit_to_worst(r);
}

/* ---- Quarters ---- */

/* The quarters of a node, as they are known before any is entered. */
typedef struct quadrant_bounds {
    const pqti_inner *node;
    bool outliers;
    uint32_t ranks[PQTI_QUADRANTS]; /* of their first items */
    double bounds[PQTI_QUADRANTS];  /* no key in them is below */
    const limits *limits;           /* in the measure of the bounds */
} quadrant_bounds;

/*
 * Where some were found before: of a quarter whose places are all up to the last one's, only
 * greater keys are wanted. If the worst has the last one's key, only places between them are.
 */
static void
skip_found(const knn_search *r, quadrant_bounds *q)
{
    bool only_ties = r->limits.worst_wanted == r->limits.last_found;
    double above_last = q->limits->last_found + 0x1p-1074;
    for (int i = 0; i < PQTI_QUADRANTS; i++) {
        bool early = q->ranks[i] + pqti_items_in(q->node->count[i]) <= r->last_rank + 1;
        bool queued = q->ranks[i] >= r->worst_rank;
        if (only_ties && (early || queued))
            q->bounds[i] = INFINITY;
        else if (early && q->bounds[i] < above_last)
            q->bounds[i] = above_last;
    }
}

/* Whether nothing in a quarter is wanted any more: the limits may have moved meanwhile. */
static inline bool
bound_is_beyond(const knn_search *r, const quadrant_bounds *q, unsigned i)
{
    double bound = q->bounds[i], worst = q->limits->worst_wanted;
    return bound > worst || bound == INFINITY || (bound == worst && q->ranks[i] > r->worst_rank);
}

static void search_knn_child(knn_search *r, const void *at, uint32_t count, bool outliers,
                             uint32_t rank);

/* Enters a quarter, unless it is beyond. */
static inline void
search_knn_quadrant(knn_search *r, const quadrant_bounds *q, unsigned i)
{
    if (bound_is_beyond(r, q, i))
        return;
    search_knn_child(r, q->node->child[i], q->node->count[i], q->outliers, q->ranks[i]);
}

/* Enters the quadrants in order of their bounds. */
static inline __attribute__((always_inline)) void
rank_in_order(knn_search *r, const quadrant_bounds *q)
{
    uint64_t order[PQTI_QUADRANTS];
    pqti_order_quadrants(q->bounds, order);
    for (int i = 0; i < PQTI_QUADRANTS; i++)
        search_knn_quadrant(r, q, order[i] % PQTI_QUADRANTS);
}

/* Bounds a node's quadrants, and enters those that may hold something, but not the one `done`. */
static inline __attribute__((always_inline)) void
search_knn_quadrants(knn_search *r, quadrant_bounds *q, unsigned done)
{
    if (is_too_late(r, 0, q->ranks[0]))
        return; /* no key is below 0 */
    q->limits = bound_quadrants(r, q->node, q->outliers, q->bounds);
    if (r->limits.last_found >= 0)
        skip_found(r, q);
    unsigned near = pqti_near_quadrants(q->limits->worst_wanted, q->bounds) & ~(1U << done);
    if (near == 0)
        return;
    if ((near & (near - 1)) == 0) {
        search_knn_quadrant(r, q, (unsigned)__builtin_ctz(near));
        return;
    }
    if (done < PQTI_QUADRANTS)
        q->bounds[done] = INFINITY;
    pqti_fetch_quarters(q->node, near);
    rank_in_order(r, q);
}

/* ---- The search ---- */

static inline void
search_knn_leaf(knn_search *r, const void *leaf, uint32_t count, uint32_t rank)
{
    if (r->stats != NULL) {
        r->stats->leaves++;
        r->stats->boxes += count;
    }
    scan_leaf(r, leaf, count, rank);
}

/* Enters a hash node. Each of its parts has items from all over it, so no order is better than
   that of the tree. */
static PQTI_NOINLINE void
search_knn_hash_node(knn_search *r, const pqti_inner *node, uint32_t count, bool outliers,
                     uint32_t rank)
{
    const pqti_side_range *side_range = pqti_side_range_of(node);
    uint32_t ranks[PQTI_QUADRANTS];
    double least;
    pqti_stats_count_node(r->stats);
    if (!find_least_key(r, side_range, &least) ||
        (pqti_all_boxes_equal(side_range) && were_found(r, least, rank + count - 1)))
        return;
    pqti_find_ranks(node, rank, ranks);
    for (int i = 0; i < PQTI_QUADRANTS; i++)
        if (!is_too_late(r, least, ranks[i]))
            search_knn_child(r, node->child[i], node->count[i], outliers, ranks[i]);
}

/* Enters a part; its count is as in its parent, with the top bits. */
static void
search_knn_child(knn_search *r, const void *at, uint32_t count, bool outliers, uint32_t rank)
{
    if (count == 0)
        return;
    if (!PQTI_IS_PLAIN_NODE(count)) {
        ((count & PQTI_LEAF_BIT) != 0)
            ? search_knn_leaf(r, at, pqti_items_in(count), rank)
            : search_knn_hash_node(r, at, pqti_items_in(count), outliers, rank);
        return;
    }
    const pqti_inner *node = at;
    pqti_stats_count_node(r->stats);
    uint32_t own_count = pqti_own_count(node, count);
    if (own_count > 0)
        search_knn_child(r, node->own->at, node->own->count, outliers, rank);
    quadrant_bounds q = {.node = node, .outliers = outliers};
    pqti_find_ranks(node, rank + own_count, q.ranks);
    search_knn_quadrants(r, &q, PQTI_QUADRANTS);
}

/* The quarter of a cell where the home of the question is. */
static inline unsigned
origin_quadrant(const knn_search *r, unsigned depth)
{
    return (r->origin_y >> (31 - depth) & 1) << 1 | (r->origin_x >> (31 - depth) & 1);
}

/* Enters a cell on the way to the question's home: first the quarter of that, the bucket last. */
static void
search_knn_origin(knn_search *r, const pqti_inner *node, uint32_t count, unsigned depth,
                  uint32_t rank)
{
    uint32_t own_count = pqti_own_count(node, count);
    pqti_stats_count_node(r->stats);
    if (depth < r->depth) { /* the deepest cells have a bucket alone */
        unsigned home = origin_quadrant(r, depth);
        quadrant_bounds q = {.node = node, .outliers = false};
        pqti_find_ranks(node, rank + own_count, q.ranks);
        if ((node->count[home] & PQTI_LEAF_BIT) != 0) {
            pqti_prefetch_leaf_quadrants(node);
            search_knn_leaf(r, node->child[home], pqti_items_in(node->count[home]), q.ranks[home]);
        } else if ((node->count[home] & PQTI_SKIP_BIT) != 0) {
            search_knn_child(r, node->child[home], node->count[home], false, q.ranks[home]);
        } else if (node->count[home] > 0) {
            search_knn_origin(r, node->child[home], node->count[home], depth + 1, q.ranks[home]);
        }
        search_knn_quadrants(r, &q, home);
    }
    if (own_count > 0)
        search_knn_child(r, node->own->at, node->own->count, depth == 0, rank);
}

/* Looks for what comes after all that was found before. */
static void
rank_tree(knn_search *r, const pqt_tree *tree)
{
    r->limits.worst_wanted = r->wanted;
    r->worst_rank = UINT32_MAX;
    measure_worst(r);
    measure_last(r);
    if (tree->count > 0 && tree->leaf)
        search_knn_leaf(r, tree->root, tree->count, 0);
    else if (tree->skips)
        search_knn_child(r, tree->root, tree->count, false, 0);
    else if (tree->count > 0)
        search_knn_origin(r, tree->root, tree->count, 0, 0);
}

/* Finds the best `capacity` that come after all that was found before: no more than PQTI_TOPK. */
static size_t
search_knn(knn_search *r, const pqt_tree *tree, size_t capacity)
{
    r->topk.capacity = capacity;
    r->topk.count = 0;
    rank_tree(r, tree);
    if (r->topk.count > 0) {
        r->limits.last_found = pqti_topk_key_of(pqti_topk_worst(&r->topk)->key);
        r->last_rank = pqti_topk_worst(&r->topk)->rank;
    }
    return r->topk.count;
}

/* The same for as many as there is room for in an array, which is sorted. */
static inline void
rank_many(knn_search *r, const pqt_tree *tree, pqti_many *many)
{
    many->count = many->found = 0;
    r->many = many;
    r->topk.capacity = 0;
    rank_tree(r, tree);
    r->many = NULL;
    pqti_many_sort(many);
    if (many->count > 0) {
        r->limits.last_found = pqti_topk_key_of(many->all[many->count - 1].key);
        r->last_rank = many->all[many->count - 1].rank;
    }
}

/* Makes a ranking of all keys up to `most`, begun where `at` lies; the rest is the includer's. */
static void
rank_from(knn_search *r, const pqt_tree *tree, pqt_vec at, double most)
{
    r->origin_x = pqti_qcoord(&tree->domain->x, at.x);
    r->origin_y = pqti_qcoord(&tree->domain->y, at.y);
    r->depth = tree->domain->depth;
    r->wanted = most;
    r->many = NULL;
    r->all = false;
    r->limits.last_found = -1;
    r->last_rank = 0;
}

#endif
