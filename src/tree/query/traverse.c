/* SPDX-License-Identifier: MIT */
/*
 * traverse.c - the one walk that all readers of a window share.
 *
 * A child whose columns miss the window's is never touched. From a part that lies wholly inside on,
 * nothing is compared any more; that is only decided where no filter is asked. Mixed nodes are
 * decided on by the exact sides of their items, so identical boxes are by one comparison.
 *
 * Blocks lie anywhere in memory, and to wait for each in turn takes longer than all the rest. So
 * those of a node's children that will be read are asked for all at once, before the first of them
 * is entered; and leaves wait in a list before they are handed over. How large a leaf is cannot be
 * foreseen, and a wrong guess costs more than asking: so it is asked for at a fixed number of
 * places.
 */
#include "config.h"

#include "tree/query/traverse.h"

#include "base/simd.h"

/* A sieve, each number once for each quarter. */
typedef struct sieve {
    pqti_biased begin_by_x, begin_by_y, end_from_x, end_from_y;
    pqti_biased from_x, from_y, to_x, to_y;
} sieve;

static inline sieve
sieve_of(const pqti_window *window, const pqti_sieve *numbers)
{
    bool tested = window->query.filter != NULL; /* each item is: no part is taken to lie inside */
    return (sieve){
        .begin_by_x = pqti_biased_of(numbers->begin_by_x),
        .begin_by_y = pqti_biased_of(numbers->begin_by_y),
        .end_from_x = pqti_biased_of(numbers->end_from_x),
        .end_from_y = pqti_biased_of(numbers->end_from_y),
        .from_x = pqti_biased_of(tested ? UINT32_MAX : numbers->from_x),
        .from_y = pqti_biased_of(numbers->from_y),
        .to_x = pqti_biased_of(tested ? 0 : numbers->to_x),
        .to_y = pqti_biased_of(numbers->to_y),
    };
}

/* Of the quarters of a node, a bit each. */
typedef struct judgement {
    unsigned found;  /* may hold something to be found; one that is empty may be among them */
    unsigned inside; /* all items lie inside the window */
} judgement;

static inline judgement
judge(const sieve *by, const pqti_inner *node)
{
    pqti_biased min_x = pqti_biased_load(node->min_x), min_y = pqti_biased_load(node->min_y);
    pqti_biased max_x = pqti_biased_load(node->max_x), max_y = pqti_biased_load(node->max_y);
    pqti_biased beside = (min_x > by->begin_by_x) | (min_y > by->begin_by_y) |
                         (max_x < by->end_from_x) | (max_y < by->end_from_y);
    pqti_biased beyond =
        (min_x < by->from_x) | (min_y < by->from_y) | (max_x > by->to_x) | (max_y > by->to_y);
    return (judgement){pqti_biased_bits(~beside), pqti_biased_bits(~beyond)};
}

/* A part of a node as the node knows it. */
typedef struct part {
    const void *at;
    uint32_t marked; /* the count with the top bits; 0: there is nothing */
} part;

static inline part
quarter_of(const pqti_inner *node, int i)
{
    return (part){node->child[i], node->count[i]};
}

static inline part
bucket_of(const pqti_inner *node, uint32_t count)
{
    bool any = pqti_bucket_count(node, count) > 0;
    return any ? (part){node->bucket->at, node->bucket->count} : (part){NULL, 0};
}

static inline bool
is_leaf(part p)
{
    return (p.marked & PQTI_LEAF_BIT) != 0;
}

/* A node, mixed or not. */
static inline bool
is_node(part p)
{
    return !is_leaf(p) && p.marked != 0;
}

/* Prefetches four places of a block. An address as a number: an empty part has the null pointer, to
   which nothing may be added, and to test for it takes longer than to prefetch nothing. */
static inline void
fetch_four(uintptr_t at, size_t step)
{
    pqti_prefetch((const void *)at);
    pqti_prefetch((const void *)(at + step));
    pqti_prefetch((const void *)(at + 2 * step));
    pqti_prefetch((const void *)(at + 3 * step));
}

/* Asks for what is read of a part that lies wholly inside: of a leaf, the ids alone. */
static inline void
fetch_inside(part p)
{
    size_t count = p.marked & PQTI_COUNT_MASK;
    if (is_leaf(p))
        fetch_four((uintptr_t)p.at + count * 4 * sizeof(double), count * sizeof(uint64_t) / 4);
    else
        fetch_four((uintptr_t)p.at, offsetof(pqti_inner, fingerprint) / 4);
}

/* Asks for what is read of any other part. */
static inline void
fetch(part p)
{
    enum { LINE = 64, PLACES = 8 };
    size_t count = p.marked & PQTI_COUNT_MASK;
    size_t size = is_leaf(p) ? count * 5 * sizeof(double) : offsetof(pqti_inner, fingerprint);
    size_t step = size < LINE * PLACES ? size / PLACES : LINE;
    fetch_four((uintptr_t)p.at, step);
    fetch_four((uintptr_t)p.at + 4 * step, step);
}

static PQTI_NOINLINE bool
hand_over(pqti_walk *walk)
{
    size_t met = walk->met;
    if (walk->late < PQTI_MANY_LATE)
        walk->late *= 2;
    walk->met = 0;
    return walk->leaves(walk, walk->waiting, met);
}

static inline bool
hand_over_all(pqti_walk *walk)
{
    return walk->met == 0 || hand_over(walk);
}

/* A leaf, or nothing. */
static inline bool
add_leaf(pqti_walk *walk, part leaf, bool inside)
{
    if (walk->met == walk->late && !hand_over(walk))
        return false;
    walk->waiting[walk->met] = (pqti_waiting){leaf.at, leaf.marked & PQTI_COUNT_MASK, inside};
    walk->met += leaf.marked != 0;
    return true;
}

static bool take_node(pqti_walk *walk, const pqti_inner *node, uint32_t marked);

/* A part of which all items are hits. */
static inline bool
take_part(pqti_walk *walk, part p)
{
    return is_node(p) ? take_node(walk, p.at, p.marked) : add_leaf(walk, p, true);
}

static bool
take_node(pqti_walk *walk, const pqti_inner *node, uint32_t marked)
{
    pqti_tally_node(&walk->window);
    for (int i = 0; i < PQTI_QUARTERS; i++)
        fetch_inside(quarter_of(node, i));
    if (!take_part(walk, bucket_of(node, marked)))
        return false;
    for (int i = 0; i < PQTI_QUARTERS; i++)
        if (!take_part(walk, quarter_of(node, i)))
            return false;
    return true;
}

/* The same, but the reader may want it as a whole. */
static inline bool
take_whole(pqti_walk *walk, part p)
{
    if (walk->whole == NULL)
        return take_part(walk, p);
    return hand_over_all(walk) &&
           walk->whole(walk, (pqti_ref){p.at, {p.marked}, PQTI_EMPTY_EXTENT});
}

static bool walk_node(pqti_walk *walk, const sieve *by, part node);

/* A part of which some items may be hits. */
static inline bool
walk_part(pqti_walk *walk, const sieve *by, part p)
{
    return is_node(p) ? walk_node(walk, by, p) : add_leaf(walk, p, false);
}

static inline bool
walk_quarters(pqti_walk *walk, const sieve *by, const pqti_inner *node)
{
    judgement which = judge(by, node);
    for (unsigned rest = which.found; rest != 0; rest &= rest - 1) {
        int i = __builtin_ctz(rest);
        if (which.inside >> i & 1)
            fetch_inside(quarter_of(node, i));
        else
            fetch(quarter_of(node, i));
    }
    for (unsigned rest = which.found; rest != 0; rest &= rest - 1) {
        int i = __builtin_ctz(rest);
        if (which.inside >> i & 1 ? !take_whole(walk, quarter_of(node, i))
                                  : !walk_part(walk, by, quarter_of(node, i)))
            return false;
    }
    return true;
}

/* Items that only their mixes part. */
static PQTI_NOINLINE bool
walk_mixed(pqti_walk *walk, const sieve *by, part node)
{
    pqti_verdict verdict = pqti_judge(&walk->window, node.at);
    if (verdict == PQTI_ALL && walk->window.query.filter == NULL)
        return take_whole(walk, node);
    pqti_tally_node(&walk->window);
    return verdict == PQTI_NONE || walk_quarters(walk, by, node.at);
}

static bool
walk_node(pqti_walk *walk, const sieve *by, part node)
{
    if (!PQTI_IS_PLAIN_NODE(node.marked))
        return walk_mixed(walk, by, node);
    pqti_tally_node(&walk->window);
    return walk_part(walk, by, bucket_of(node.at, node.marked)) && walk_quarters(walk, by, node.at);
}

static PQTI_NOINLINE bool
walk_strays(pqti_walk *walk, part strays)
{
    sieve by = sieve_of(&walk->window, &walk->window.strays);
    return walk_part(walk, &by, strays);
}

/* The root: its bucket alone is on the stray lattice. */
static bool
walk_root(pqti_walk *walk, const pqti_inner *node, uint32_t count)
{
    sieve by = sieve_of(&walk->window, &walk->window.bounds);
    part strays = bucket_of(node, count);
    pqti_tally_node(&walk->window);
    return (strays.marked == 0 || walk_strays(walk, strays)) && walk_quarters(walk, &by, node);
}

/* What the root points to, where no node stands there. */
static bool
walk_deep(pqti_walk *walk, part node)
{
    sieve by = sieve_of(&walk->window, &walk->window.bounds);
    return walk_node(walk, &by, node);
}

bool
pqti_walk_run(pqti_walk *walk, const pqt_tree *tree)
{
    if (walk->window.empty)
        return true;
    pqti_ref root = pqti_root(tree);
    part top = {root.at, root.marked};
    bool walked = root.leaf || root.count == 0 ? add_leaf(walk, top, false)
                  : root.deep                  ? walk_deep(walk, top)
                                               : walk_root(walk, root.at, root.count);
    return walked && hand_over_all(walk);
}
