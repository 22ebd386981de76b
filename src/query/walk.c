/* SPDX-License-Identifier: MIT */
/*
 * walk.c - the one walk that all readers of a window share.
 *
 * A child whose columns miss the window's is never touched. From a part that lies wholly inside on,
 * nothing is compared any more; that is only decided where no filter is asked. Mixed nodes are decided on
 * by the exact sides of their items, so identical boxes are by one comparison.
 *
 * Blocks lie anywhere in memory, and to wait for each in turn takes longer than all the rest. So those of
 * a node's children that will be read are asked for all at once, before the first of them is entered;
 * and leaves wait a few places in a queue before they are handed over.
 */
#include "config.h"

#include "query/walk.h"

enum {
    AHEAD = 1024, /* bytes of a child asked for at most: a leaf of usual size */
    ALL_QUARTERS = (1 << PQTI_QUARTERS) - 1
};

static bool walk_part(pqti_walk *walk, const pqti_sieve *sieve, const void *at, uint32_t marked);

/* Asks for what will be read of a child: of a node, all but the fingerprint; of a leaf, all, or the ids. */
static inline void
prefetch_child(const pqti_inner *node, int i, bool whole)
{
    const void *at = node->child[i];
    size_t from = 0, to = offsetof(pqti_inner, fingerprint);
    if (at == NULL)
        return;
    if ((node->count[i] & PQTI_LEAF_BIT) != 0) {
        size_t count = node->count[i] & PQTI_COUNT_MASK;
        to = count * 5 * sizeof(uint64_t);
        from = whole ? count * 4 * sizeof(uint64_t) : 0;
    }
    pqti_fetch(at, from, to < from + AHEAD ? to : from + AHEAD);
}

/* The same for the children whose bits are set in `found`. */
static inline void
prefetch_children(const pqti_inner *node, unsigned found, unsigned whole)
{
    for (; found != 0; found &= found - 1) {
        int i = __builtin_ctz(found);
        prefetch_child(node, i, whole >> i & 1);
    }
}

/* Hands the leaf over that has waited longest. */
static bool
hand_over(pqti_walk *walk)
{
    const pqti_waiting *next = &walk->waiting[walk->handed++ % PQTI_LATE];
    pqti_tally_leaf(&walk->window, next->inside ? 0 : next->count);
    return walk->leaf(walk, pqti_view(next->leaf, next->count), next->count, next->inside);
}

static bool
hand_over_all(pqti_walk *walk)
{
    while (walk->handed != walk->met)
        if (!hand_over(walk))
            return false;
    return true;
}

static inline bool
walk_leaf(pqti_walk *walk, const void *leaf, uint32_t count, bool inside)
{
    if (walk->met - walk->handed == PQTI_LATE && !hand_over(walk))
        return false;
    walk->waiting[walk->met++ % PQTI_LATE] = (pqti_waiting){leaf, count, inside};
    return true;
}

/* Leaf by leaf of a part of which all items are hits. */
static bool
walk_leaves(pqti_walk *walk, const void *at, uint32_t marked)
{
    const pqti_inner *node = at;
    if ((marked & PQTI_LEAF_BIT) != 0)
        return walk_leaf(walk, at, marked & PQTI_COUNT_MASK, true);
    if (marked == 0)
        return true;
    pqti_tally_node(&walk->window);
    if (pqti_bucket_count(node, marked) > 0 &&
        !walk_leaves(walk, node->bucket->at, node->bucket->count))
        return false;
    prefetch_children(node, ALL_QUARTERS, ALL_QUARTERS);
    for (int i = 0; i < PQTI_QUARTERS; i++)
        if (!walk_leaves(walk, node->child[i], node->count[i]))
            return false;
    return true;
}

/* All items of a part are hits. */
static inline bool
walk_whole(pqti_walk *walk, const void *at, uint32_t marked)
{
    if (walk->whole == NULL)
        return walk_leaves(walk, at, marked);
    return hand_over_all(walk) && walk->whole(walk, (pqti_ref){at, {marked}, PQTI_EMPTY_EXTENT});
}

static bool
walk_quarters(pqti_walk *walk, const pqti_sieve *sieve, const pqti_inner *node)
{
    unsigned found = pqti_may_find_in(sieve, node);
    unsigned inside = walk->window.query.filter == NULL ? pqti_are_inside(sieve, node) : 0;
    prefetch_children(node, found, inside);
    for (; found != 0; found &= found - 1) {
        int i = __builtin_ctz(found);
        if (inside >> i & 1 ? !walk_whole(walk, node->child[i], node->count[i])
                            : !walk_part(walk, sieve, node->child[i], node->count[i]))
            return false;
    }
    return true;
}

/* Items that only their mixes part. */
static PQTI_NOINLINE bool
walk_mixed(pqti_walk *walk, const pqti_sieve *sieve, const pqti_inner *node, uint32_t marked)
{
    pqti_verdict verdict = pqti_judge(&walk->window, node);
    if (verdict == PQTI_ALL && walk->window.query.filter == NULL)
        return walk_whole(walk, node, marked);
    pqti_tally_node(&walk->window);
    return verdict == PQTI_NONE || walk_quarters(walk, sieve, node);
}

/* The bucket of a node that holds `count` items, if it has one. */
static inline bool
walk_bucket(pqti_walk *walk, const pqti_sieve *sieve, const pqti_inner *node, uint32_t count)
{
    return pqti_bucket_count(node, count) == 0 ||
           walk_part(walk, sieve, node->bucket->at, node->bucket->count);
}

/* The count of a part is as in its parent, with the top bits. */
static bool
walk_part(pqti_walk *walk, const pqti_sieve *sieve, const void *at, uint32_t marked)
{
    if (marked == 0)
        return true;
    if (!PQTI_IS_PLAIN_NODE(marked))
        return (marked & PQTI_LEAF_BIT) != 0 ? walk_leaf(walk, at, marked & PQTI_COUNT_MASK, false)
                                             : walk_mixed(walk, sieve, at, marked);
    pqti_tally_node(&walk->window);
    return walk_bucket(walk, sieve, at, marked) && walk_quarters(walk, sieve, at);
}

/* The root: its bucket alone is on the stray lattice. */
static bool
walk_root(pqti_walk *walk, const pqt_tree *tree)
{
    pqti_tally_node(&walk->window);
    return walk_bucket(walk, &walk->window.strays, tree->root, tree->count) &&
           walk_quarters(walk, &walk->window.bounds, tree->root);
}

bool
pqti_walk_run(pqti_walk *walk, const pqt_tree *tree)
{
    if (walk->window.empty || tree->count == 0)
        return true;
    return (tree->leaf ? walk_leaf(walk, tree->root, tree->count, false) : walk_root(walk, tree)) &&
           hand_over_all(walk);
}
