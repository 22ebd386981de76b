/* SPDX-License-Identifier: MIT */
/*
 * rank.h - the one search for items in order of a key: nearest first, or front to back.
 *
 * This is a template: nearest.c and ray.c include it after they have said what is asked, as a type
 * `question`, and define the functions that are declared below without a body. So all is compiled for
 * one kind of key.
 *
 * Items are ranked by key, and by their place in tree order where keys are equal. A place is known
 * without a look at the item: it is the count of what comes before, which the nodes hold. So a tie is a
 * comparison of two numbers, and a subtree that comes too late for a tie is passed over.
 *
 * The search goes depth first and keeps the best so far in a sorted array. A quarter is passed over if even
 * the least key that its columns allow is beyond the worst of them. It begins with the way to the home
 * of the question, the cell that it lies in, without a look at anything else: what is found there parts what
 * must be looked at from what need not. Of other nodes, the quarters are entered in order of their
 * bounds. Measured against a queue of nodes over the whole tree, that is faster, and it needs no memory.
 *
 * Identical boxes have one key, which columns cannot tell. But mixed nodes can: their items are asked for all at
 * once, and those that come too late for a tie are passed over.
 *
 * More is found by further searches, each for what comes after the last one found. Quarters all of
 * which was found before are passed over like those beyond.
 */
#ifndef PQTI_RANK_H
#define PQTI_RANK_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt/query.h>

#include "base/pair.h"
#include "tree/spread.h"

enum {
    BATCH = 64,     /* what one search finds at most */
    FIRST_BATCH = 8 /* for a visitor, who may soon have enough */
};

/* One that is found. Keys are doubles >= 0, whose bits order as they do, and compare faster. */
typedef struct ranked {
    uint64_t key;
    uint32_t place;
    uint32_t source; /* where it is, as an index of the sources */
} ranked;

/* An item in its leaf. */
typedef struct source {
    const void *leaf;
    uint32_t leaf_count, index;
} source;

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
    size_t room, count; /* how many are looked for, and are found */
    ranked best[BATCH];
    source sources[BATCH];
} ranking;

/* Puts the limits into the question's own measure: `worst` has changed. */
static void measure_worst(ranking *r);

/* The same: `last` has changed. */
static void measure_last(ranking *r);

/*
 * Sets for each quarter of a node a bound that no key in it is below, INFINITY if nothing in it is wanted.
 * Returns the limits in the measure of the bounds: the search comes back to them after they moved.
 */
static const limits *bound_quarters(const ranking *r, const pqti_inner *node, bool strays,
                                    double bounds[PQTI_QUARTERS]);

/*
 * Sets a key that none of a mixed node's items is below; of identical boxes, that of all of them. False: none is
 * wanted, whatever its place.
 */
static bool find_least_key(const ranking *r, const pqti_spread *spread, double *key);

/* Offers what may be wanted of a leaf; `place` is that of its first item. */
static void scan_leaf(ranking *r, const void *leaf, uint32_t count, uint32_t place);

/* ---- Keeping the best ---- */

static inline bool
is_before(uint64_t key_a, uint32_t place_a, uint64_t key_b, uint32_t place_b)
{
    return key_a < key_b || (key_a == key_b && place_a < place_b);
}

static inline bool
is_wanted(const ranking *r, uint64_t key, uint32_t place)
{
    if (!is_before(key, place, pqti_bits_of(r->limits.worst), r->worst_place))
        return false;
    return r->limits.last < 0 || is_before(pqti_bits_of(r->limits.last), r->last_place, key, place);
}

/* Puts one where it belongs; if there is no room, the worst goes, and its source is used again. */
static inline void
keep(ranking *r, uint64_t key, uint32_t place, source from)
{
    bool full = r->count == r->room;
    size_t hole = full ? r->count - 1 : r->count++;
    uint32_t used = full ? r->best[hole].source : (uint32_t)hole;
    r->sources[used] = from;
    while (hole > 0 && is_before(key, place, r->best[hole - 1].key, r->best[hole - 1].place)) {
        r->best[hole] = r->best[hole - 1];
        hole--;
    }
    r->best[hole] = (ranked){key, place, used};
}

static inline double
key_of(const ranked *one)
{
    double key;
    memcpy(&key, &one->key, sizeof key);
    return key;
}

/* As many as there is room for are found: no more is wanted than is better than the worst of them. */
static inline void
limit_to_worst(ranking *r)
{
    r->limits.worst = key_of(&r->best[r->count - 1]);
    r->worst_place = r->best[r->count - 1].place;
    measure_worst(r);
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
    keep(r, bits, place, (source){view.min_x, count, i});
    if (r->count == r->room)
        limit_to_worst(r);
}

static inline pqt_item
item_of(const ranking *r, const ranked *one)
{
    const source *from = &r->sources[one->source];
    return pqti_view_item(pqti_view(from->leaf, from->leaf_count), from->index);
}

/* ---- The search ---- */

/* Whether a key is greater than what is wanted, or comes too late for a tie. */
static inline bool
is_too_late(const ranking *r, double key, uint32_t place)
{
    return !is_before(pqti_bits_of(key), place, pqti_bits_of(r->limits.worst), r->worst_place);
}

static inline uint32_t
items_in(uint32_t count)
{
    return count & PQTI_COUNT_MASK;
}

/* The places of the first items of the quarters. */
static inline void
find_places(const pqti_inner *node, uint32_t place, uint32_t places[PQTI_QUARTERS])
{
    for (int i = 0; i < PQTI_QUARTERS; i++) {
        places[i] = place;
        place += items_in(node->count[i]);
    }
}

/*
 * Where some were found before: of a quarter whose places are all up to the last one's, only greater
 * keys are wanted. If the worst has the last one's key, only places between them are.
 */
static void
pass_over_found(const ranking *r, const limits *in_bounds, const pqti_inner *node,
                const uint32_t places[PQTI_QUARTERS], double bounds[PQTI_QUARTERS])
{
    bool only_ties = r->limits.worst == r->limits.last;
    for (int i = 0; i < PQTI_QUARTERS; i++) {
        bool early = places[i] + items_in(node->count[i]) <= r->last_place + 1;
        bool late = places[i] >= r->worst_place;
        double above_last = in_bounds->last + 0x1p-1074;
        if (only_ties && (early || late))
            bounds[i] = INFINITY;
        else if (early && bounds[i] < above_last)
            bounds[i] = above_last;
    }
}

/* Bits of doubles >= 0 order as they do; the number of the quarter replaces the last two. */
static inline uint64_t
numbered(double bound, unsigned quarter)
{
    return (pqti_bits_of(bound) & ~UINT64_C(3)) | quarter;
}

static inline void
order_two(uint64_t *a, uint64_t *b)
{
    uint64_t less = *a < *b ? *a : *b, more = *a < *b ? *b : *a;
    *a = less;
    *b = more;
}

/* The quarters in order of their bounds, but of their numbers where those are nearly equal. */
static inline void
order_quarters(const double bounds[PQTI_QUARTERS], uint64_t order[PQTI_QUARTERS])
{
    for (unsigned i = 0; i < PQTI_QUARTERS; i++)
        order[i] = numbered(bounds[i], i);
    order_two(&order[0], &order[1]);
    order_two(&order[2], &order[3]);
    order_two(&order[0], &order[2]);
    order_two(&order[1], &order[3]);
    order_two(&order[1], &order[2]);
}

/* Whether nothing with this bound, from this place on, is wanted any more. */
static inline bool
is_beyond(const ranking *r, const limits *in_bounds, double bound, uint32_t place)
{
    return bound > in_bounds->worst || bound == INFINITY ||
           (bound == in_bounds->worst && place > r->worst_place);
}

/* A bit for each quarter whose bound is not beyond the worst. */
static inline unsigned
near_quarters(const limits *in_bounds, const double bounds[PQTI_QUARTERS])
{
    pqti_pair worst = {in_bounds->worst, in_bounds->worst};
    return pqti_mask_bits(pqti_pair_load(bounds) <= worst) |
           pqti_mask_bits(pqti_pair_load(bounds + 2) <= worst) << 2;
}

static void rank_part(ranking *r, const void *at, uint32_t count, bool strays, uint32_t place);

static inline void
tally_node(const ranking *r)
{
    if (r->tally != NULL)
        r->tally->nodes++;
}

/*
 * Where a part begins to be divided, and its count there. Numbers on the stray lattice begin alike, so there many nodes
 * in turn hold all in one quarter; what bounds the first of them bounds the last.
 */
static inline const void *
divided_part(const ranking *r, const void *at, uint32_t *count)
{
    while (*count != 0 && PQTI_IS_PLAIN_NODE(*count)) {
        const pqti_inner *node = at;
        unsigned only = 0;
        while (only < PQTI_QUARTERS && items_in(node->count[only]) != *count)
            only++;
        if (only == PQTI_QUARTERS)
            break;
        tally_node(r);
        at = node->child[only];
        *count = node->count[only];
    }
    return at;
}

/* Asks for a quarter that is soon to be entered: of a leaf, where the sides of its boxes begin. */
static inline void
fetch_quarter(const pqti_inner *node, unsigned quarter)
{
    const double *at = node->child[quarter];
    uint32_t count = items_in(node->count[quarter]);
    if (count == 0)
        return;
    if ((node->count[quarter] & PQTI_LEAF_BIT) == 0) {
        pqti_fetch(at, 0, sizeof(pqti_inner));
        return;
    }
    for (uint32_t side = 0; side < 4; side++)
        pqti_prefetch(at + side * count);
}

/* Enters a quarter, unless nothing with its bound is wanted any more. */
static inline void
rank_quarter(ranking *r, const pqti_inner *node, bool strays, unsigned quarter, uint32_t place,
             const limits *in_bounds, double bound)
{
    if (is_beyond(r, in_bounds, bound, place))
        return;
    const void *at = node->child[quarter];
    uint32_t count = node->count[quarter];
    if (strays)
        at = divided_part(r, at, &count);
    rank_part(r, at, count, strays, place);
}

/* Enters the quarters of a node that may hold something, but not the one that is done. */
static inline __attribute__((always_inline)) void
rank_quarters(ranking *r, const pqti_inner *node, bool strays, const uint32_t places[PQTI_QUARTERS],
              unsigned done)
{
    if (is_too_late(r, 0, places[0]))
        return; /* no key is below 0 */
    double bounds[PQTI_QUARTERS];
    uint64_t order[PQTI_QUARTERS];
    const limits *in_bounds = bound_quarters(r, node, strays, bounds);
    if (r->limits.last >= 0)
        pass_over_found(r, in_bounds, node, places, bounds);
    unsigned near = near_quarters(in_bounds, bounds) & ~(1U << done);
    if (near == 0)
        return;
    if ((near & (near - 1)) == 0) {
        unsigned only = (unsigned)__builtin_ctz(near);
        rank_quarter(r, node, strays, only, places[only], in_bounds, bounds[only]);
        return;
    }
    if (done < PQTI_QUARTERS)
        bounds[done] = INFINITY;
    for (unsigned next = near; next != 0; next &= next - 1)
        fetch_quarter(node, (unsigned)__builtin_ctz(next));
    order_quarters(bounds, order);
    for (int i = 0; i < PQTI_QUARTERS; i++) {
        unsigned next = order[i] % PQTI_QUARTERS;
        rank_quarter(r, node, strays, next, places[next], in_bounds, bounds[next]);
    }
}

static inline void
rank_leaf(ranking *r, const void *leaf, uint32_t count, uint32_t place)
{
    if (r->tally != NULL) {
        r->tally->leaves++;
        r->tally->boxes += count;
    }
    scan_leaf(r, leaf, count, place);
}

/* Whether all of some identical boxes were found before. */
static inline bool
were_found(const ranking *r, double key, uint32_t last)
{
    return r->limits.last >= 0 &&
           !is_before(pqti_bits_of(r->limits.last), r->last_place, pqti_bits_of(key), last);
}

/* Enters a mixed node. Each of its parts has items from all over it, so no order is better than that of the tree. */
static PQTI_NOINLINE void
rank_mixed(ranking *r, const pqti_inner *node, uint32_t count, bool strays, uint32_t place)
{
    const pqti_spread *spread = pqti_spread_of(node);
    uint32_t places[PQTI_QUARTERS];
    double least;
    tally_node(r);
    if (!find_least_key(r, spread, &least) ||
        (pqti_is_one_box(spread) && were_found(r, least, place + count - 1)))
        return;
    find_places(node, place, places);
    for (int i = 0; i < PQTI_QUARTERS; i++)
        if (!is_too_late(r, least, places[i]))
            rank_part(r, node->child[i], node->count[i], strays, places[i]);
}

/* Enters a part; its count is as in its parent, with the top bits. */
static void
rank_part(ranking *r, const void *at, uint32_t count, bool strays, uint32_t place)
{
    uint32_t places[PQTI_QUARTERS];
    if (count == 0)
        return;
    if (!PQTI_IS_PLAIN_NODE(count)) {
        ((count & PQTI_LEAF_BIT) != 0) ? rank_leaf(r, at, items_in(count), place)
                                       : rank_mixed(r, at, items_in(count), strays, place);
        return;
    }
    const pqti_inner *node = at;
    tally_node(r);
    uint32_t in_bucket = pqti_bucket_count(node, count);
    if (in_bucket > 0)
        rank_part(r, node->bucket->at, node->bucket->count, strays, place);
    find_places(node, place + in_bucket, places);
    rank_quarters(r, node, strays, places, PQTI_QUARTERS);
}

/* The leaves beside the one that is about to be scanned will often be next. */
static inline void
fetch_leaves(const pqti_inner *node)
{
    for (unsigned i = 0; i < PQTI_QUARTERS; i++)
        if (node->count[i] > PQTI_LEAF_BIT)
            fetch_quarter(node, i);
}

/* Enters a cell on the way to the home of the question: first the quarter where that is. */
static void
rank_home(ranking *r, const pqti_inner *node, uint32_t count, unsigned depth, uint32_t place)
{
    uint32_t places[PQTI_QUARTERS];
    uint32_t in_bucket = pqti_bucket_count(node, count);
    tally_node(r);
    if (depth < r->depth) { /* the deepest cells have a bucket alone */
        unsigned home = (r->home_y >> (31 - depth) & 1) << 1 | (r->home_x >> (31 - depth) & 1);
        find_places(node, place + in_bucket, places);
        if ((node->count[home] & PQTI_LEAF_BIT) != 0) {
            fetch_leaves(node);
            rank_leaf(r, node->child[home], items_in(node->count[home]), places[home]);
        } else if (node->count[home] > 0) {
            rank_home(r, node->child[home], node->count[home], depth + 1, places[home]);
        }
        rank_quarters(r, node, false, places, home);
    }
    if (in_bucket > 0)
        rank_part(r, node->bucket->at, node->bucket->count, depth == 0, place);
}

/* Finds the best `room` that come after all that was found before. */
static size_t
rank_more(ranking *r, const pqt_tree *tree, size_t room)
{
    r->room = room;
    r->count = 0;
    r->limits.worst = r->most;
    r->worst_place = UINT32_MAX;
    measure_worst(r);
    measure_last(r);
    if (tree->count > 0 && tree->leaf)
        rank_leaf(r, tree->root, tree->count, 0);
    else if (tree->count > 0)
        rank_home(r, tree->root, tree->count, 0, 0);
    if (r->count > 0) {
        r->limits.last = key_of(&r->best[r->count - 1]);
        r->last_place = r->best[r->count - 1].place;
    }
    return r->count;
}

/* Makes a ranking of all keys up to `most`, which begins where `at` lies; the rest is the includer's. */
static void
rank_from(ranking *r, const pqt_tree *tree, pqt_vec at, double most)
{
    r->home_x = pqti_column(&tree->space->x, at.x);
    r->home_y = pqti_column(&tree->space->y, at.y);
    r->depth = tree->space->depth;
    r->most = most;
    r->limits.last = -1;
    r->last_place = 0;
}

#endif
