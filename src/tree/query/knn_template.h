/* SPDX-License-Identifier: MIT */
/*
 * knn_template.h - the one search for items in order of a key: nearest first, or front to back.
 *
 * This is a template: nearest.c, ray.c and sweep_tree.c include it after they have said what is
 * asked, as a type `question`, and define the five functions that are declared below without a
 * body. So all is compiled for one kind of key.
 *
 * Items are ranked by key, and by their place in tree order where keys are equal. A place is known
 * without a look at the item: it is the count of what comes before, which the nodes hold. So a tie
 * is a comparison of two numbers, and a subtree that comes too late for a tie is passed over.
 *
 * The search goes depth first and keeps the best so far (topk.h). A quarter is passed over if even
 * the least key that its columns allow is beyond the worst of them. It begins with the way to the
 * home of the question, the cell that it lies in, without a look at anything else (rank_home): what
 * is found there parts what must be looked at from what need not. Of other nodes, the quarters are
 * entered in order of their bounds (rank_quarters). Measured against a queue of nodes over the
 * whole tree, that is faster, and it needs no memory.
 *
 * Identical boxes have one key, which columns cannot tell. But mixed nodes can: their items are
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
    double worst; /* with r->worst_place: nothing is wanted from here on */
    double last;  /* with r->last_place: all up to here was found before; below 0: nothing was */
} limits;

typedef struct ranking {
    question question;
    pqt_filter_fn *filter;
    void *context;
    pqt_tally *tally;
    uint32_t home_x, home_y; /* columns where the question lies */
    uint32_t depth;          /* of the deepest cells */
    double most;             /* no greater key is wanted */
    limits limits;           /* in keys */
    limits measured;         /* in the measure of the question, set by it */
    uint32_t worst_place, last_place;
    pqti_many *many; /* NULL: they are few enough for `best` */
    bool all;        /* all are to be counted, however many are kept */
    pqti_best best;
} ranking;

/* Puts the limits into the question's own measure: `worst` has changed. */
static void measure_worst(ranking *r);

/* The same: `last` has changed. */
static void measure_last(ranking *r);

/*
 * Sets for each quarter of a node a bound that no key in it is below, INFINITY if nothing in it is
 * wanted. Returns the limits in the measure of the bounds: the search comes back to them after they
 * moved.
 */
static const limits *bound_quarters(const ranking *r, const pqti_inner *node, bool strays,
                                    double bounds[PQTI_QUARTERS]);

/*
 * Sets a key that none of a mixed node's items is below; of identical boxes, that of all of them.
 * False: none is wanted, whatever its place.
 */
static bool find_least_key(const ranking *r, const pqti_spread *spread, double *key);

/* Offers what may be wanted of a leaf; `place` is that of its first item. */
static void scan_leaf(ranking *r, const void *leaf, uint32_t count, uint32_t place);

/* ---- What is wanted ---- */

static inline bool
is_wanted(const ranking *r, uint64_t key, uint32_t place)
{
    if (!pqti_is_before(key, place, pqti_bits_of(r->limits.worst), r->worst_place))
        return false;
    return r->limits.last < 0 ||
           pqti_is_before(pqti_bits_of(r->limits.last), r->last_place, key, place);
}

/* Whether a key is greater than what is wanted, or comes too late for a tie. */
static inline bool
is_too_late(const ranking *r, double key, uint32_t place)
{
    return !pqti_is_before(pqti_bits_of(key), place, pqti_bits_of(r->limits.worst), r->worst_place);
}

/* Whether all of some identical boxes were found before; `last` is the last one's place. */
static inline bool
were_found(const ranking *r, double key, uint32_t last)
{
    return r->limits.last >= 0 &&
           !pqti_is_before(pqti_bits_of(r->limits.last), r->last_place, pqti_bits_of(key), last);
}

/* As many as there is room for are found: only what is better than the worst of them is wanted. */
static inline void
limit_to(ranking *r, uint64_t worst, uint32_t place)
{
    r->limits.worst = pqti_key_of(worst);
    r->worst_place = place;
    measure_worst(r);
}

static inline void
limit_to_worst(ranking *r)
{
    const pqti_ranked *worst = pqti_best_worst(&r->best);
    limit_to(r, worst->key, worst->place);
}

/* As offer() does it, for more than can be sorted one by one. */
static PQTI_NOINLINE void
keep_among_many(ranking *r, pqti_found one)
{
    pqti_many_keep(r->many, one);
    if (r->many->count == r->many->room && !r->all)
        limit_to(r, r->many->all[0].key, r->many->all[0].place);
}

/* Item i of a leaf is kept if it is wanted. */
static inline void
offer(ranking *r, pqti_leaf_view view, uint32_t count, uint32_t i, double key, uint32_t place)
{
    uint64_t bits = pqti_bits_of(key);
    if (!is_wanted(r, bits, place))
        return;
    if (r->filter != NULL) {
        pqt_item item = pqti_view_item(view, i);
        if (!r->filter(&item, r->context))
            return;
    }
    if (r->many != NULL) {
        keep_among_many(r, (pqti_found){bits, view.min_x + i, count, place});
        return;
    }
    pqti_best_keep(&r->best, bits, place, (pqti_source){view.min_x, count, i});
    if (r->best.count == r->best.room)
        limit_to_worst(r);
}

/* ---- Quarters ---- */

/* The quarters of a node, as they are known before any is entered. */
typedef struct quarters {
    const pqti_inner *node;
    bool strays;
    uint32_t places[PQTI_QUARTERS]; /* of their first items */
    double bounds[PQTI_QUARTERS];   /* no key in them is below */
    const limits *limits;           /* in the measure of the bounds */
} quarters;

/*
 * Where some were found before: of a quarter whose places are all up to the last one's, only
 * greater keys are wanted. If the worst has the last one's key, only places between them are.
 */
static void
pass_over_found(const ranking *r, quarters *q)
{
    bool only_ties = r->limits.worst == r->limits.last;
    double above_last = q->limits->last + 0x1p-1074;
    for (int i = 0; i < PQTI_QUARTERS; i++) {
        bool early = q->places[i] + pqti_items_in(q->node->count[i]) <= r->last_place + 1;
        bool late = q->places[i] >= r->worst_place;
        if (only_ties && (early || late))
            q->bounds[i] = INFINITY;
        else if (early && q->bounds[i] < above_last)
            q->bounds[i] = above_last;
    }
}

/* Whether nothing in a quarter is wanted any more: the limits may have moved meanwhile. */
static inline bool
is_beyond(const ranking *r, const quarters *q, unsigned i)
{
    double bound = q->bounds[i], worst = q->limits->worst;
    return bound > worst || bound == INFINITY || (bound == worst && q->places[i] > r->worst_place);
}

static void rank_part(ranking *r, const void *at, uint32_t count, bool strays, uint32_t place);

/* Enters a quarter, unless it is beyond. */
static inline void
rank_quarter(ranking *r, const quarters *q, unsigned i)
{
    if (is_beyond(r, q, i))
        return;
    rank_part(r, q->node->child[i], q->node->count[i], q->strays, q->places[i]);
}

/* Enters the quarters in order of their bounds. */
static inline __attribute__((always_inline)) void
rank_in_order(ranking *r, const quarters *q)
{
    uint64_t order[PQTI_QUARTERS];
    pqti_order_quarters(q->bounds, order);
    for (int i = 0; i < PQTI_QUARTERS; i++)
        rank_quarter(r, q, order[i] % PQTI_QUARTERS);
}

/* Bounds a node's quarters, and enters those that may hold something, but not the one `done`. */
static inline __attribute__((always_inline)) void
rank_quarters(ranking *r, quarters *q, unsigned done)
{
    if (is_too_late(r, 0, q->places[0]))
        return; /* no key is below 0 */
    q->limits = bound_quarters(r, q->node, q->strays, q->bounds);
    if (r->limits.last >= 0)
        pass_over_found(r, q);
    unsigned near = pqti_near_quarters(q->limits->worst, q->bounds) & ~(1U << done);
    if (near == 0)
        return;
    if ((near & (near - 1)) == 0) {
        rank_quarter(r, q, (unsigned)__builtin_ctz(near));
        return;
    }
    if (done < PQTI_QUARTERS)
        q->bounds[done] = INFINITY;
    pqti_fetch_quarters(q->node, near);
    rank_in_order(r, q);
}

/* ---- The search ---- */

static inline void
rank_leaf(ranking *r, const void *leaf, uint32_t count, uint32_t place)
{
    if (r->tally != NULL) {
        r->tally->leaves++;
        r->tally->boxes += count;
    }
    scan_leaf(r, leaf, count, place);
}

/* Enters a mixed node. Each of its parts has items from all over it, so no order is better than
   that of the tree. */
static PQTI_NOINLINE void
rank_mixed(ranking *r, const pqti_inner *node, uint32_t count, bool strays, uint32_t place)
{
    const pqti_spread *spread = pqti_spread_of(node);
    uint32_t places[PQTI_QUARTERS];
    double least;
    pqti_count_node(r->tally);
    if (!find_least_key(r, spread, &least) ||
        (pqti_is_one_box(spread) && were_found(r, least, place + count - 1)))
        return;
    pqti_find_places(node, place, places);
    for (int i = 0; i < PQTI_QUARTERS; i++)
        if (!is_too_late(r, least, places[i]))
            rank_part(r, node->child[i], node->count[i], strays, places[i]);
}

/* Enters a part; its count is as in its parent, with the top bits. */
static void
rank_part(ranking *r, const void *at, uint32_t count, bool strays, uint32_t place)
{
    if (count == 0)
        return;
    if (!PQTI_IS_PLAIN_NODE(count)) {
        ((count & PQTI_LEAF_BIT) != 0) ? rank_leaf(r, at, pqti_items_in(count), place)
                                       : rank_mixed(r, at, pqti_items_in(count), strays, place);
        return;
    }
    const pqti_inner *node = at;
    pqti_count_node(r->tally);
    uint32_t in_bucket = pqti_bucket_count(node, count);
    if (in_bucket > 0)
        rank_part(r, node->bucket->at, node->bucket->count, strays, place);
    quarters q = {.node = node, .strays = strays};
    pqti_find_places(node, place + in_bucket, q.places);
    rank_quarters(r, &q, PQTI_QUARTERS);
}

/* The quarter of a cell where the home of the question is. */
static inline unsigned
home_quarter(const ranking *r, unsigned depth)
{
    return (r->home_y >> (31 - depth) & 1) << 1 | (r->home_x >> (31 - depth) & 1);
}

/* Enters a cell on the way to the question's home: first the quarter of that, the bucket last. */
static void
rank_home(ranking *r, const pqti_inner *node, uint32_t count, unsigned depth, uint32_t place)
{
    uint32_t in_bucket = pqti_bucket_count(node, count);
    pqti_count_node(r->tally);
    if (depth < r->depth) { /* the deepest cells have a bucket alone */
        unsigned home = home_quarter(r, depth);
        quarters q = {.node = node, .strays = false};
        pqti_find_places(node, place + in_bucket, q.places);
        if ((node->count[home] & PQTI_LEAF_BIT) != 0) {
            pqti_fetch_leaf_quarters(node);
            rank_leaf(r, node->child[home], pqti_items_in(node->count[home]), q.places[home]);
        } else if ((node->count[home] & PQTI_DEEP_BIT) != 0) {
            rank_part(r, node->child[home], node->count[home], false, q.places[home]);
        } else if (node->count[home] > 0) {
            rank_home(r, node->child[home], node->count[home], depth + 1, q.places[home]);
        }
        rank_quarters(r, &q, home);
    }
    if (in_bucket > 0)
        rank_part(r, node->bucket->at, node->bucket->count, depth == 0, place);
}

/* Looks for what comes after all that was found before. */
static void
rank_tree(ranking *r, const pqt_tree *tree)
{
    r->limits.worst = r->most;
    r->worst_place = UINT32_MAX;
    measure_worst(r);
    measure_last(r);
    if (tree->count > 0 && tree->leaf)
        rank_leaf(r, tree->root, tree->count, 0);
    else if (tree->deep)
        rank_part(r, tree->root, tree->count, false, 0);
    else if (tree->count > 0)
        rank_home(r, tree->root, tree->count, 0, 0);
}

/* Finds the best `room` that come after all that was found before: no more than PQTI_BEST. */
static size_t
rank_more(ranking *r, const pqt_tree *tree, size_t room)
{
    r->best.room = room;
    r->best.count = 0;
    rank_tree(r, tree);
    if (r->best.count > 0) {
        r->limits.last = pqti_key_of(pqti_best_worst(&r->best)->key);
        r->last_place = pqti_best_worst(&r->best)->place;
    }
    return r->best.count;
}

/* The same for as many as there is room for in an array, which is sorted. */
static inline void
rank_many(ranking *r, const pqt_tree *tree, pqti_many *many)
{
    many->count = many->found = 0;
    r->many = many;
    r->best.room = 0;
    rank_tree(r, tree);
    r->many = NULL;
    pqti_many_sort(many);
    if (many->count > 0) {
        r->limits.last = pqti_key_of(many->all[many->count - 1].key);
        r->last_place = many->all[many->count - 1].place;
    }
}

/* Makes a ranking of all keys up to `most`, begun where `at` lies; the rest is the includer's. */
static void
rank_from(ranking *r, const pqt_tree *tree, pqt_vec at, double most)
{
    r->home_x = pqti_column(&tree->space->x, at.x);
    r->home_y = pqti_column(&tree->space->y, at.y);
    r->depth = tree->space->depth;
    r->most = most;
    r->many = NULL;
    r->all = false;
    r->limits.last = -1;
    r->last_place = 0;
}

#endif
