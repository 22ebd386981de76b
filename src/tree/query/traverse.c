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

/* A quantised window, each number once for each quadrant. */
typedef struct qwindow_lanes {
    pqti_i32x4_biased isect_max_x, isect_max_y, isect_min_x, isect_min_y;
    pqti_i32x4_biased inside_min_x, inside_min_y, inside_max_x, inside_max_y;
} qwindow_lanes;

static inline qwindow_lanes
qwindow_of_walk(const pqti_window *window, const pqti_qwindow *numbers)
{
    bool tested = window->query.filter != NULL; /* each item is: no part is taken to lie inside */
    return (qwindow_lanes){
        .isect_max_x = pqti_i32x4_biased_of(numbers->isect_max_x),
        .isect_max_y = pqti_i32x4_biased_of(numbers->isect_max_y),
        .isect_min_x = pqti_i32x4_biased_of(numbers->isect_min_x),
        .isect_min_y = pqti_i32x4_biased_of(numbers->isect_min_y),
        .inside_min_x = pqti_i32x4_biased_of(tested ? UINT32_MAX : numbers->inside_min_x),
        .inside_min_y = pqti_i32x4_biased_of(numbers->inside_min_y),
        .inside_max_x = pqti_i32x4_biased_of(tested ? 0 : numbers->inside_max_x),
        .inside_max_y = pqti_i32x4_biased_of(numbers->inside_max_y),
    };
}

/* Of the quarters of a node, a bit each. */
typedef struct judgement {
    unsigned found;  /* may hold something to be found; one that is empty may be among them */
    unsigned inside; /* all items lie inside the window */
} judgement;

static inline judgement
classify_children(const qwindow_lanes *by, const pqti_inner *node)
{
    pqti_i32x4_biased min_x = pqti_i32x4_biased_load(node->min_x),
                      min_y = pqti_i32x4_biased_load(node->min_y);
    pqti_i32x4_biased max_x = pqti_i32x4_biased_load(node->max_x),
                      max_y = pqti_i32x4_biased_load(node->max_y);
    pqti_mask32x4 beside =
        pqti_mask32x4_or(pqti_mask32x4_or(pqti_i32x4_biased_gt(min_x, by->isect_max_x),
                                          pqti_i32x4_biased_gt(min_y, by->isect_max_y)),
                         pqti_mask32x4_or(pqti_i32x4_biased_lt(max_x, by->isect_min_x),
                                          pqti_i32x4_biased_lt(max_y, by->isect_min_y)));
    pqti_mask32x4 beyond =
        pqti_mask32x4_or(pqti_mask32x4_or(pqti_i32x4_biased_lt(min_x, by->inside_min_x),
                                          pqti_i32x4_biased_lt(min_y, by->inside_min_y)),
                         pqti_mask32x4_or(pqti_i32x4_biased_gt(max_x, by->inside_max_x),
                                          pqti_i32x4_biased_gt(max_y, by->inside_max_y)));
    return (judgement){pqti_mask32x4_clear_bits(beside), pqti_mask32x4_clear_bits(beyond)};
}

/* A part of a node as the node knows it. */
typedef struct tagged_ref {
    const void *at;
    uint32_t tagged_count; /* the count with the top bits; 0: there is nothing */
} tagged_ref;

static inline tagged_ref
quadrant_ref_of(const pqti_inner *node, int i)
{
    return (tagged_ref){node->child[i], node->count[i]};
}

static inline tagged_ref
own_items_of(const pqti_inner *node, uint32_t count)
{
    bool any = pqti_own_count(node, count) > 0;
    return any ? (tagged_ref){node->own->at, node->own->count} : (tagged_ref){NULL, 0};
}

static inline bool
counts_as_leaf(tagged_ref p)
{
    return (p.tagged_count & PQTI_LEAF_BIT) != 0;
}

/* A node, mixed or not. */
static inline bool
is_node(tagged_ref p)
{
    return !counts_as_leaf(p) && p.tagged_count != 0;
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
fetch_inside(tagged_ref p)
{
    size_t count = p.tagged_count & PQTI_COUNT_MASK;
    if (counts_as_leaf(p))
        fetch_four((uintptr_t)p.at + count * 4 * sizeof(double), count * sizeof(uint64_t) / 4);
    else
        fetch_four((uintptr_t)p.at, offsetof(pqti_inner, fingerprint) / 4);
}

/* Asks for what is read of any other part. */
static inline void
prefetch_leaf(tagged_ref p)
{
    enum { LINE = 64, PLACES = 8 };
    size_t count = p.tagged_count & PQTI_COUNT_MASK;
    size_t size =
        counts_as_leaf(p) ? count * 5 * sizeof(double) : offsetof(pqti_inner, fingerprint);
    size_t step = size < LINE * PLACES ? size / PLACES : LINE;
    fetch_four((uintptr_t)p.at, step);
    fetch_four((uintptr_t)p.at + 4 * step, step);
}

static PQTI_NOINLINE bool
flush_queue(pqti_traversal *walk)
{
    size_t met = walk->coverages;
    if (walk->queue_len < PQTI_LONG_QUEUE)
        walk->queue_len *= 2;
    walk->coverages = 0;
    return walk->leaves(walk, walk->queue, met);
}

static inline bool
hand_over_all(pqti_traversal *walk)
{
    return walk->coverages == 0 || flush_queue(walk);
}

/* A leaf, or nothing. */
static inline bool
queue_leaf(pqti_traversal *walk, tagged_ref leaf, bool inside)
{
    if (walk->coverages == walk->queue_len && !flush_queue(walk))
        return false;
    walk->queue[walk->coverages] =
        (pqti_queued_leaf){leaf.at, leaf.tagged_count & PQTI_COUNT_MASK, inside};
    walk->coverages += leaf.tagged_count != 0;
    return true;
}

static bool take_node(pqti_traversal *walk, const pqti_inner *node, uint32_t tagged_count);

/* A part of which all items are hits. */
static inline bool
take_whole_child(pqti_traversal *walk, tagged_ref p)
{
    return is_node(p) ? take_node(walk, p.at, p.tagged_count) : queue_leaf(walk, p, true);
}

static bool
take_node(pqti_traversal *walk, const pqti_inner *node, uint32_t tagged_count)
{
    pqti_stats_add_node(&walk->window);
    for (int i = 0; i < PQTI_QUADRANTS; i++)
        fetch_inside(quadrant_ref_of(node, i));
    if (!take_whole_child(walk, own_items_of(node, tagged_count)))
        return false;
    for (int i = 0; i < PQTI_QUADRANTS; i++)
        if (!take_whole_child(walk, quadrant_ref_of(node, i)))
            return false;
    return true;
}

/* The same, but the reader may want it as a whole. */
static inline bool
take_whole(pqti_traversal *walk, tagged_ref p)
{
    if (walk->is_contained == NULL)
        return take_whole_child(walk, p);
    return hand_over_all(walk) &&
           walk->is_contained(walk, (pqti_node_ref){p.at, {p.tagged_count}, PQTI_EMPTY_QBOX});
}

static bool walk_node(pqti_traversal *walk, const qwindow_lanes *by, tagged_ref node);

/* A part of which some items may be hits. */
static inline bool
traverse_child(pqti_traversal *walk, const qwindow_lanes *by, tagged_ref p)
{
    return is_node(p) ? walk_node(walk, by, p) : queue_leaf(walk, p, false);
}

static inline bool
traverse_quadrants(pqti_traversal *walk, const qwindow_lanes *by, const pqti_inner *node)
{
    judgement which = classify_children(by, node);
    for (unsigned rest = which.found; rest != 0; rest &= rest - 1) {
        int i = __builtin_ctz(rest);
        if (which.inside >> i & 1)
            fetch_inside(quadrant_ref_of(node, i));
        else
            prefetch_leaf(quadrant_ref_of(node, i));
    }
    for (unsigned rest = which.found; rest != 0; rest &= rest - 1) {
        int i = __builtin_ctz(rest);
        if (which.inside >> i & 1 ? !take_whole(walk, quadrant_ref_of(node, i))
                                  : !traverse_child(walk, by, quadrant_ref_of(node, i)))
            return false;
    }
    return true;
}

/* Items that only their hashes part. */
static PQTI_NOINLINE bool
traverse_hash_node(pqti_traversal *walk, const qwindow_lanes *by, tagged_ref node)
{
    pqti_coverage coverage = pqti_classify(&walk->window, node.at);
    if (coverage == PQTI_COVERAGE_ALL && walk->window.query.filter == NULL)
        return take_whole(walk, node);
    pqti_stats_add_node(&walk->window);
    return coverage == PQTI_COVERAGE_NONE || traverse_quadrants(walk, by, node.at);
}

static bool
walk_node(pqti_traversal *walk, const qwindow_lanes *by, tagged_ref node)
{
    if (!PQTI_IS_PLAIN_NODE(node.tagged_count))
        return traverse_hash_node(walk, by, node);
    pqti_stats_add_node(&walk->window);
    return traverse_child(walk, by, own_items_of(node.at, node.tagged_count)) &&
           traverse_quadrants(walk, by, node.at);
}

static PQTI_NOINLINE bool
traverse_outliers(pqti_traversal *walk, tagged_ref strays)
{
    qwindow_lanes by = qwindow_of_walk(&walk->window, &walk->window.outliers);
    return traverse_child(walk, &by, strays);
}

/* The root: its bucket alone is on the outlier lattice. */
static bool
walk_root(pqti_traversal *walk, const pqti_inner *node, uint32_t count)
{
    qwindow_lanes by = qwindow_of_walk(&walk->window, &walk->window.bounds);
    tagged_ref strays = own_items_of(node, count);
    pqti_stats_add_node(&walk->window);
    return (strays.tagged_count == 0 || traverse_outliers(walk, strays)) &&
           traverse_quadrants(walk, &by, node);
}

/* What the root points to, where no node stands there. */
static bool
traverse_root_skip(pqti_traversal *walk, tagged_ref node)
{
    qwindow_lanes by = qwindow_of_walk(&walk->window, &walk->window.bounds);
    return walk_node(walk, &by, node);
}

bool
pqti_traverse_run(pqti_traversal *walk, const pqt_tree *tree)
{
    if (walk->window.empty)
        return true;
    pqti_node_ref root = pqti_root(tree);
    tagged_ref top = {root.at, root.tagged_count};
    bool walked = root.leaf || root.count == 0 ? queue_leaf(walk, top, false)
                  : root.skips                 ? traverse_root_skip(walk, top)
                                               : walk_root(walk, root.at, root.count);
    return walked && hand_over_all(walk);
}
