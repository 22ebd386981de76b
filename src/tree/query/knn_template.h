/* SPDX-License-Identifier: MIT */
/*
 * knn_template.h: finds the k best items by a key, for example the nearest ones, or the first ones
 * along a line.
 *
 * This is a template. nearest.c, ray.c and sweep_tree.c define the macro KNN_NAME and the type
 * knn_params before they include it, and then the five functions that are declared below without a
 * body. So each of these files compiles the search for its own kind of key. The names that they
 * define differ: scan_leaf is KNN_NAME(scan_leaf), and so nearest_scan_leaf in nearest.c.
 *
 * Items are sorted by key, and by rank (their number in tree order) where keys are equal. The
 * search knows the rank of an item before it reads the item, because it adds up the counts that
 * nodes hold. So comparing two ranks decides a tie, and a subtree is skipped if its ranks are too
 * high to win a tie.
 *
 * The search is a depth-first branch and bound (N. Roussopoulos, S. Kelley, F. Vincent, "Nearest
 * neighbor queries", 1995) with a sorted list of the best items so far (topk.h). It skips a
 * quadrant if the least key that the quadrant's columns allow exceeds the worst key in the list. It
 * first descends to the cell that contains the query point, without computing any bounds
 * (search_knn_origin). The items found there make it possible to prune most other nodes. In the
 * others, it enters the quadrants in the order of their bounds (search_knn_in_order). Measurements
 * show that this is faster than one priority queue of nodes for the whole tree, and it allocates no
 * memory.
 *
 * Identical boxes have equal keys, but columns do not show whether boxes are identical. The side
 * ranges of hash nodes do (side_range.h). If all boxes of a hash node are identical, one key is
 * computed for all its items, and items whose ranks are too high to win a tie are skipped
 * (search_knn_hash_node).
 *
 * Further results need further searches, each for the items after the last result found. A quadrant
 * whose items were all found before is skipped like one that is too far away. If boxes overlap each
 * other, columns do not show which of them were found before, so each search reads all of these
 * boxes again. With memory for k items, sorting n items takes about n / k passes over them (J.
 * Pagter, T. Rauhe, "Optimal time-space trade-offs for sorting", 1998). So a visitor that continues
 * receives larger and larger batches (knn_results_template.h).
 */
#ifndef PQTI_KNN_TEMPLATE_H
#define PQTI_KNN_TEMPLATE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt/query.h>

#include "tree/query/child_order.h"
#include "tree/query/query_prep.h"
#include "tree/query/topk_heap.h"
#include "tree/side_range.h"

/* ---- Names that a user defines ---- */

#define knn_params KNN_NAME(params)
#define measure_worst KNN_NAME(measure_worst)
#define measure_last KNN_NAME(measure_last)
#define bound_quadrants KNN_NAME(bound_quadrants)
#define find_least_key KNN_NAME(find_least_key)
#define scan_leaf KNN_NAME(scan_leaf)

/*
 * The limits between which keys are wanted, either as keys or in another measure with the same
 * order.
 */
typedef struct limits {
    double worst_wanted; /* with worst_rank, the key and rank that every wanted item precedes */
    /* With last_rank, the key and rank of the last item that earlier searches found. It is
       negative if there is no such item. */
    double last_found;
} limits;

typedef struct knn_search {
    knn_params params;
    pqt_filter_fn *filter;
    void *context;
    pqt_query_stats *stats;
    uint32_t origin_x, origin_y; /* the columns of the query point */
    uint32_t depth;              /* the depth of the deepest cells */
    double wanted;               /* greater keys are not wanted */
    limits limits;               /* the limits as keys */
    /* the limits in the measure of the params; measure_worst and measure_last set them */
    limits measured;
    uint32_t worst_rank, last_rank;
    pqti_many *many; /* NULL if `topk` is large enough */
    bool all;        /* true if all matching items are counted, even those that are not kept */
    pqti_topk topk;
} knn_search;

/* Converts `limits.worst_wanted`, which has changed, to the measure of the params. */
static void measure_worst(knn_search *search);

/* Converts `limits.last_found`, which has changed, to the measure of the params. */
static void measure_last(knn_search *search);

/*
 * Computes a lower bound on the keys in each quadrant of a node. The bound is INFINITY if nothing
 * in the quadrant is wanted. Returns the limits in the measure of the bounds. The search compares
 * the bounds with these limits again later, because the limits change.
 */
static const limits *bound_quadrants(const knn_search *search, const pqti_inner *node,
                                     bool outliers, double bounds[PQTI_QUADRANTS]);

/* Computes a lower bound on the keys of a hash node's items. If all their boxes are identical,
   the bound is the exact key of each item. Returns false if no item is wanted, whatever its
   rank. */
static bool find_least_key(const knn_search *search, const pqti_side_range *side_range,
                           double *key);

/*
 * Offers to the list those items of a leaf that may be wanted. `rank` is the rank of the leaf's
 * first item.
 */
static void scan_leaf(knn_search *search, const void *leaf, uint32_t count, uint32_t rank);

/* ---- Limits ---- */

static inline bool
is_wanted(const knn_search *search, uint64_t key, uint32_t rank)
{
    if (!pqti_is_before(key, rank, pqti_bits_of(search->limits.worst_wanted), search->worst_rank))
        return false;
    return search->limits.last_found < 0 ||
           pqti_is_before(pqti_bits_of(search->limits.last_found), search->last_rank, key, rank);
}

/*
 * Returns true if a key is greater than the greatest wanted key, or if it is equal but the rank is
 * too high.
 */
static inline bool
is_too_late(const knn_search *search, double key, uint32_t rank)
{
    return !pqti_is_before(pqti_bits_of(key), rank, pqti_bits_of(search->limits.worst_wanted),
                           search->worst_rank);
}

/* Returns true if all items in a set of identical boxes were found before. `last` is the rank of
   the last one. */
static inline bool
were_found(const knn_search *search, double key, uint32_t last)
{
    return search->limits.last_found >= 0 &&
           !pqti_is_before(pqti_bits_of(search->limits.last_found), search->last_rank,
                           pqti_bits_of(key), last);
}

/* Narrows the limits when the list is full: only items better than its worst one are wanted. */
static inline void
limit_to(knn_search *search, uint64_t worst, uint32_t rank)
{
    search->limits.worst_wanted = pqti_double_of(worst);
    search->worst_rank = rank;
    measure_worst(search);
}

static inline void
limit_to_worst(knn_search *search)
{
    const pqti_topk_candidate *worst = pqti_topk_worst(&search->topk);
    limit_to(search, worst->key, worst->rank);
}

/* Handles the case of offer_item in which more results are wanted than `topk` holds. */
static PQTI_NOINLINE void
keep_among_many(knn_search *search, pqti_found one)
{
    pqti_many_keep(search->many, one);
    if (search->many->count == search->many->capacity && !search->all)
        limit_to(search, search->many->all[0].key, search->many->all[0].rank);
}

/* Keeps item i of a leaf if it is wanted. */
static inline void
offer_item(knn_search *search, pqti_leaf_view view, uint32_t count, uint32_t i, double key,
           uint32_t rank)
{
    uint64_t bits = pqti_bits_of(key);
    if (!is_wanted(search, bits, rank))
        return;
    if (search->filter != NULL) {
        pqt_item item = pqti_view_item(view, i);
        if (!search->filter(&item, search->context))
            return;
    }
    if (search->many != NULL) {
        keep_among_many(search, (pqti_found){bits, view.min_x + i, count, rank});
        return;
    }
    pqti_topk_keep(&search->topk, bits, rank, (pqti_topk_source){view.min_x, count, i});
    if (search->topk.count == search->topk.capacity)
        limit_to_worst(search);
}

/* ---- Quadrants ---- */

/* The bounds of a node's quadrants, computed before any is entered. */
typedef struct quadrant_bounds {
    const pqti_inner *node;
    bool outliers;
    uint32_t ranks[PQTI_QUADRANTS]; /* the rank of each quadrant's first item */
    double bounds[PQTI_QUADRANTS];  /* lower bounds on the keys in each quadrant */
    const limits *limits;           /* the limits in the measure of the bounds */
} quadrant_bounds;

/*
 * Raises the bounds of quadrants to skip the results found before. If no rank in a quadrant exceeds
 * the rank of the last result, only items with greater keys than that result are wanted. If the
 * greatest wanted key equals the key of the last result, only ranks between the two are wanted.
 */
static void
skip_found(const knn_search *search, quadrant_bounds *q)
{
    bool only_ties = search->limits.worst_wanted == search->limits.last_found;
    double above_last = q->limits->last_found + 0x1p-1074;
    for (int i = 0; i < PQTI_QUADRANTS; i++) {
        bool early = q->ranks[i] + pqti_items_in(q->node->count[i]) <= search->last_rank + 1;
        bool too_late = q->ranks[i] >= search->worst_rank;
        if (only_ties && (early || too_late))
            q->bounds[i] = INFINITY;
        else if (early && q->bounds[i] < above_last)
            q->bounds[i] = above_last;
    }
}

/* Returns true if nothing in a quadrant is still wanted. The limits may have changed since the
   bounds were computed. */
static inline bool
bound_is_beyond(const knn_search *search, const quadrant_bounds *q, unsigned i)
{
    double bound = q->bounds[i], worst = q->limits->worst_wanted;
    return bound > worst || bound == INFINITY ||
           (bound == worst && q->ranks[i] > search->worst_rank);
}

static void search_knn_child(knn_search *search, const void *at, uint32_t count, bool outliers,
                             uint32_t rank);

/* Enters a quadrant, unless its bound is beyond the limits. */
static inline void
search_knn_quadrant(knn_search *search, const quadrant_bounds *q, unsigned i)
{
    if (bound_is_beyond(search, q, i))
        return;
    search_knn_child(search, q->node->child[i], q->node->count[i], q->outliers, q->ranks[i]);
}

/* Enters the quadrants in the order of their bounds. */
static inline __attribute__((always_inline)) void
search_knn_in_order(knn_search *search, const quadrant_bounds *q)
{
    uint64_t order[PQTI_QUADRANTS];
    pqti_order_quadrants(q->bounds, order);
    for (int i = 0; i < PQTI_QUADRANTS; i++)
        search_knn_quadrant(search, q, order[i] % PQTI_QUADRANTS);
}

/* Computes the bounds of a node's quadrants, and enters the quadrants within the limits except
   quadrant `done`. */
static inline __attribute__((always_inline)) void
search_knn_quadrants(knn_search *search, quadrant_bounds *q, unsigned done)
{
    if (is_too_late(search, 0, q->ranks[0]))
        return; /* because no key is below 0 */
    q->limits = bound_quadrants(search, q->node, q->outliers, q->bounds);
    if (search->limits.last_found >= 0)
        skip_found(search, q);
    unsigned near = pqti_near_quadrants(q->limits->worst_wanted, q->bounds) & ~(1U << done);
    if (near == 0)
        return;
    if ((near & (near - 1)) == 0) {
        search_knn_quadrant(search, q, (unsigned)__builtin_ctz(near));
        return;
    }
    if (done < PQTI_QUADRANTS)
        q->bounds[done] = INFINITY;
    pqti_prefetch_quadrants(q->node, near);
    search_knn_in_order(search, q);
}

/* ---- Search ---- */

static inline void
search_knn_leaf(knn_search *search, const void *leaf, uint32_t count, uint32_t rank)
{
    if (search->stats != NULL) {
        search->stats->leaves++;
        search->stats->boxes += count;
    }
    scan_leaf(search, leaf, count, rank);
}

/* Enters a hash node. Any of its children may hold items from any part of the node's cell, so no
   order of the children is better than tree order. */
static PQTI_NOINLINE void
search_knn_hash_node(knn_search *search, const pqti_inner *node, uint32_t count, bool outliers,
                     uint32_t rank)
{
    const pqti_side_range *side_range = pqti_side_range_of(node);
    uint32_t ranks[PQTI_QUADRANTS];
    double least;
    pqti_stats_count_node(search->stats);
    if (!find_least_key(search, side_range, &least) ||
        (pqti_all_boxes_equal(side_range) && were_found(search, least, rank + count - 1)))
        return;
    pqti_find_ranks(node, rank, ranks);
    for (int i = 0; i < PQTI_QUADRANTS; i++)
        if (!is_too_late(search, least, ranks[i]))
            search_knn_child(search, node->child[i], node->count[i], outliers, ranks[i]);
}

/* Enters a child. `count` is the tagged count that its parent stores. */
static void
search_knn_child(knn_search *search, const void *at, uint32_t count, bool outliers, uint32_t rank)
{
    if (count == 0)
        return;
    if (!PQTI_IS_PLAIN_NODE(count)) {
        ((count & PQTI_LEAF_BIT) != 0)
            ? search_knn_leaf(search, at, pqti_items_in(count), rank)
            : search_knn_hash_node(search, at, pqti_items_in(count), outliers, rank);
        return;
    }
    const pqti_inner *node = at;
    pqti_stats_count_node(search->stats);
    uint32_t own_count = pqti_own_count(node, count);
    if (own_count > 0)
        search_knn_child(search, node->own->at, node->own->count, outliers, rank);
    quadrant_bounds q = {.node = node, .outliers = outliers};
    pqti_find_ranks(node, rank + own_count, q.ranks);
    search_knn_quadrants(search, &q, PQTI_QUADRANTS);
}

/* Returns the quadrant of a cell that contains the query point. */
static inline unsigned
origin_quadrant(const knn_search *search, unsigned depth)
{
    return (search->origin_y >> (31 - depth) & 1) << 1 | (search->origin_x >> (31 - depth) & 1);
}

/* Enters a cell on the path to the query point. Enters the quadrant with that point first and
   the own items last. */
static void
search_knn_origin(knn_search *search, const pqti_inner *node, uint32_t count, unsigned depth,
                  uint32_t rank)
{
    uint32_t own_count = pqti_own_count(node, count);
    pqti_stats_count_node(search->stats);
    if (depth < search->depth) { /* because the deepest cells have only own items */
        unsigned origin = origin_quadrant(search, depth);
        quadrant_bounds q = {.node = node, .outliers = false};
        pqti_find_ranks(node, rank + own_count, q.ranks);
        if ((node->count[origin] & PQTI_LEAF_BIT) != 0) {
            pqti_prefetch_leaf_quadrants(node);
            search_knn_leaf(search, node->child[origin], pqti_items_in(node->count[origin]),
                            q.ranks[origin]);
        } else if ((node->count[origin] & PQTI_SKIP_BIT) != 0) {
            search_knn_child(search, node->child[origin], node->count[origin], false,
                             q.ranks[origin]);
        } else if (node->count[origin] > 0) {
            search_knn_origin(search, node->child[origin], node->count[origin], depth + 1,
                              q.ranks[origin]);
        }
        search_knn_quadrants(search, &q, origin);
    }
    if (own_count > 0)
        search_knn_child(search, node->own->at, node->own->count, depth == 0, rank);
}

/* Runs one search for all items that follow the last result. */
static void
search_knn_tree(knn_search *search, const pqt_tree *tree)
{
    search->limits.worst_wanted = search->wanted;
    search->worst_rank = UINT32_MAX;
    measure_worst(search);
    measure_last(search);
    if (tree->count > 0 && tree->leaf)
        search_knn_leaf(search, tree->root, tree->count, 0);
    else if (tree->skips)
        search_knn_child(search, tree->root, tree->count, false, 0);
    else if (tree->count > 0)
        search_knn_origin(search, tree->root, tree->count, 0, 0);
}

/* Finds the best `capacity` items that follow the last result. `capacity` is at most PQTI_TOPK. */
static size_t
search_knn(knn_search *search, const pqt_tree *tree, size_t capacity)
{
    PQT_INVARIANT(capacity <= PQTI_TOPK, "the list of the best items does not have this capacity");
    search->topk.capacity = capacity;
    search->topk.count = 0;
    search_knn_tree(search, tree);
    if (search->topk.count > 0) {
        search->limits.last_found = pqti_double_of(pqti_topk_worst(&search->topk)->key);
        search->last_rank = pqti_topk_worst(&search->topk)->rank;
    }
    return search->topk.count;
}

/* Finds the best items that follow the last result, as many as the array holds, and sorts them. */
static inline void
search_knn_many(knn_search *search, const pqt_tree *tree, pqti_many *many)
{
    many->count = many->found = 0;
    search->many = many;
    search->topk.capacity = search->topk.count = 0;
    search_knn_tree(search, tree);
    search->many = NULL;
    pqti_many_sort(many);
    if (many->count > 0) {
        search->limits.last_found = pqti_double_of(many->all[many->count - 1].key);
        search->last_rank = many->all[many->count - 1].rank;
    }
}

/*
 * Prepares a search for all keys up to `most` around the point `at`. The including file sets the
 * other members.
 */
static void
prepare_knn(knn_search *search, const pqt_tree *tree, pqt_vec at, double most)
{
    search->origin_x = pqti_qcoord(&tree->domain->x, at.x);
    search->origin_y = pqti_qcoord(&tree->domain->y, at.y);
    search->depth = tree->domain->depth;
    search->wanted = most;
    search->many = NULL;
    search->all = false;
    search->limits.last_found = -1;
    search->last_rank = 0;
}

#endif
