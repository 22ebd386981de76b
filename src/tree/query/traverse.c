/* SPDX-License-Identifier: MIT */
/*
 * traverse.c: the window traversal that all readers use.
 *
 * A child whose columns are outside the window's is never read. Within a subtree that is inside the
 * window, nothing is compared. Subtrees are regarded as inside only if the query has no filter.
 * Hash nodes are classified by the exact ranges of their items' sides, so one comparison accepts
 * or rejects any number of identical boxes.
 *
 * Blocks are scattered in memory, and waiting for one after another takes longer than everything
 * else. So all children of a node that will be read are prefetched before the first of them is
 * entered, and leaves wait in a queue before they are passed to the reader. The size of a leaf is
 * unpredictable, and a mispredicted branch costs more than a prefetch, so a fixed number of cache
 * lines is prefetched in each leaf.
 */
#include "config.h"

#include "tree/query/traverse.h"

#include "base/simd.h"

/* Masks with a bit for each quadrant of a node. */
typedef struct child_masks {
    unsigned found;  /* the quadrant may contain a hit; some empty quadrants are included */
    unsigned inside; /* all items of the quadrant are inside the window */
} child_masks;

#ifdef PQT_PLAIN

typedef struct qwindow_lanes {
    pqti_qwindow qwindow;
    bool outliers; /* true if the columns are on the outlier grid */
} qwindow_lanes;

static inline qwindow_lanes
qwindow_lanes_of(const pqti_window *window, bool outliers)
{
    qwindow_lanes by = {*pqti_qwindow_at(window, outliers), outliers};
    /* The filter must be called for each item, so no subtree counts as inside. */
    if (window->filter != NULL) {
        by.qwindow.inside_min_x = UINT32_MAX;
        by.qwindow.inside_max_x = 0;
    }
    return by;
}

static inline child_masks
classify_children(const qwindow_lanes *by, const pqti_inner *node)
{
    child_masks masks = {0, 0};
    for (int i = 0; i < PQTI_QUADRANTS; i++) {
        masks.found |= (unsigned)pqti_may_find(&by->qwindow, node, i) << i;
        masks.inside |= (unsigned)pqti_is_inside(&by->qwindow, node, i) << i;
    }
    return masks;
}

#else

/*
 * Fast path. It is equivalent to pqti_may_find and pqti_is_inside for each quadrant. Every test
 * passes without it.
 */

/* A quantised window with each number in four lanes, one for each quadrant. */
typedef struct qwindow_lanes {
    pqti_i32x4_biased isect_max_x, isect_max_y, isect_min_x, isect_min_y;
    pqti_i32x4_biased inside_min_x, inside_min_y, inside_max_x, inside_max_y;
    bool outliers; /* true if the columns are on the outlier grid */
} qwindow_lanes;

static inline qwindow_lanes
qwindow_lanes_of(const pqti_window *window, bool outliers)
{
    const pqti_qwindow *numbers = pqti_qwindow_at(window, outliers);
    bool tested =
        window->filter != NULL; /* the filter must be called for each item, so no subtree counts
                                   as inside */
    return (qwindow_lanes){
        .isect_max_x = pqti_i32x4_biased_of(numbers->isect_max_x),
        .isect_max_y = pqti_i32x4_biased_of(numbers->isect_max_y),
        .isect_min_x = pqti_i32x4_biased_of(numbers->isect_min_x),
        .isect_min_y = pqti_i32x4_biased_of(numbers->isect_min_y),
        .inside_min_x = pqti_i32x4_biased_of(tested ? UINT32_MAX : numbers->inside_min_x),
        .inside_min_y = pqti_i32x4_biased_of(numbers->inside_min_y),
        .inside_max_x = pqti_i32x4_biased_of(tested ? 0 : numbers->inside_max_x),
        .inside_max_y = pqti_i32x4_biased_of(numbers->inside_max_y),
        .outliers = outliers,
    };
}

static inline child_masks
classify_children(const qwindow_lanes *by, const pqti_inner *node)
{
    pqti_i32x4_biased min_x = pqti_i32x4_biased_load(node->min_x),
                      min_y = pqti_i32x4_biased_load(node->min_y);
    pqti_i32x4_biased max_x = pqti_i32x4_biased_load(node->max_x),
                      max_y = pqti_i32x4_biased_load(node->max_y);
    pqti_mask32x4 outside =
        pqti_mask32x4_or(pqti_mask32x4_or(pqti_i32x4_biased_gt(min_x, by->isect_max_x),
                                          pqti_i32x4_biased_gt(min_y, by->isect_max_y)),
                         pqti_mask32x4_or(pqti_i32x4_biased_lt(max_x, by->isect_min_x),
                                          pqti_i32x4_biased_lt(max_y, by->isect_min_y)));
    pqti_mask32x4 not_inside =
        pqti_mask32x4_or(pqti_mask32x4_or(pqti_i32x4_biased_lt(min_x, by->inside_min_x),
                                          pqti_i32x4_biased_lt(min_y, by->inside_min_y)),
                         pqti_mask32x4_or(pqti_i32x4_biased_gt(max_x, by->inside_max_x),
                                          pqti_i32x4_biased_gt(max_y, by->inside_max_y)));
    return (child_masks){pqti_mask32x4_clear_bits(outside), pqti_mask32x4_clear_bits(not_inside)};
}

#endif

/* Clears the `found` bits of quadrants that the window's shape excludes, and the `inside` bits of
   those that it does not contain. */
static PQTI_NOINLINE child_masks
restrict_to_shape(const pqti_window *window, bool outliers, const pqti_inner *node,
                  child_masks masks)
{
    child_masks kept = {0, 0};
    for (unsigned rest = masks.found; rest != 0; rest &= rest - 1) {
        int i = __builtin_ctz(rest);
        if (!pqti_shape_may_find(window, outliers, node, i))
            continue;
        kept.found |= 1u << i;
        if (masks.inside >> i & 1 && pqti_shape_contains(window, outliers, node, i))
            kept.inside |= 1u << i;
    }
    return kept;
}

/* A child as its parent stores it. */
typedef struct tagged_ref {
    const void *at;
    uint32_t tagged_count; /* 0 if the child is empty */
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
counts_as_leaf(tagged_ref ref)
{
    return (ref.tagged_count & PQTI_LEAF_BIT) != 0;
}

/* Returns true if a child is an inner node, which may be a hash node. */
static inline bool
is_node(tagged_ref ref)
{
    return !counts_as_leaf(ref) && ref.tagged_count != 0;
}

/* Prefetches four cache lines of a block. The address is a number because an empty child is a
   null pointer, to which nothing may be added. Testing for it would take longer than a useless
   prefetch. */
static inline void
prefetch_four(uintptr_t at, size_t step)
{
    pqti_prefetch((const void *)at);
    pqti_prefetch((const void *)(at + step));
    pqti_prefetch((const void *)(at + 2 * step));
    pqti_prefetch((const void *)(at + 3 * step));
}

/* Prefetches the parts of a child that will be read if it is not inside the window. */
static inline void
prefetch_partial(tagged_ref ref)
{
    enum { LINE_SIZE = 64, LINES = 8 };
    size_t count = ref.tagged_count & PQTI_COUNT_MASK;
    size_t size =
        counts_as_leaf(ref) ? count * 5 * sizeof(double) : offsetof(pqti_inner, fingerprint);
    size_t step = size < LINE_SIZE * LINES ? size / LINES : LINE_SIZE;
    prefetch_four((uintptr_t)ref.at, step);
    prefetch_four((uintptr_t)ref.at + 4 * step, step);
}

/* Prefetches the parts of a child inside the window that will be read. In a leaf, these are the ids
   only, unless the reader reads sides. */
static inline void
prefetch_inside(const pqti_traversal *walk, tagged_ref ref)
{
    size_t count = ref.tagged_count & PQTI_COUNT_MASK;
    if (!counts_as_leaf(ref))
        prefetch_four((uintptr_t)ref.at, offsetof(pqti_inner, fingerprint) / 4);
    else if (walk->reads_sides)
        prefetch_partial(ref);
    else
        prefetch_four((uintptr_t)ref.at + count * 4 * sizeof(double), count * sizeof(uint64_t) / 4);
}

static PQTI_NOINLINE bool
flush_queue(pqti_traversal *walk)
{
    size_t count = walk->queued;
    if (walk->queue_len < PQTI_LONG_QUEUE)
        walk->queue_len *= 2;
    walk->queued = 0;
    return walk->leaves(walk, walk->queue, count);
}

static inline bool
flush_all(pqti_traversal *walk)
{
    return walk->queued == 0 || flush_queue(walk);
}

/* Queues a leaf, or ignores an empty child. */
static inline bool
queue_leaf(pqti_traversal *walk, tagged_ref leaf, bool inside)
{
    if (walk->queued == walk->queue_len && !flush_queue(walk))
        return false;
    walk->queue[walk->queued] =
        (pqti_queued_leaf){leaf.at, leaf.tagged_count & PQTI_COUNT_MASK, inside};
    walk->queued += leaf.tagged_count != 0;
    return true;
}

static bool visit_contained_node(pqti_traversal *walk, const pqti_inner *node,
                                 uint32_t tagged_count);

/* Visits a child whose items are all hits. */
static inline bool
visit_contained_child(pqti_traversal *walk, tagged_ref ref)
{
    return is_node(ref) ? visit_contained_node(walk, ref.at, ref.tagged_count)
                        : queue_leaf(walk, ref, true);
}

static bool
visit_contained_node(pqti_traversal *walk, const pqti_inner *node, uint32_t tagged_count)
{
    pqti_stats_add_node(&walk->window);
    for (int i = 0; i < PQTI_QUADRANTS; i++)
        prefetch_inside(walk, quadrant_ref_of(node, i));
    if (!visit_contained_child(walk, own_items_of(node, tagged_count)))
        return false;
    for (int i = 0; i < PQTI_QUADRANTS; i++)
        if (!visit_contained_child(walk, quadrant_ref_of(node, i)))
            return false;
    return true;
}

/* Like visit_contained_child, but passes the whole child to the reader if it has a function for
   this. */
static inline bool
visit_contained_subtree(pqti_traversal *walk, tagged_ref ref)
{
    if (walk->visit_contained == NULL)
        return visit_contained_child(walk, ref);
    return flush_all(walk) &&
           walk->visit_contained(walk,
                                 (pqti_node_ref){ref.at, {ref.tagged_count}, PQTI_EMPTY_QBOX});
}

static bool traverse_node(pqti_traversal *walk, const qwindow_lanes *by, tagged_ref node);

/* Visits a child that may have hits. */
static inline bool
traverse_child(pqti_traversal *walk, const qwindow_lanes *by, tagged_ref ref)
{
    return is_node(ref) ? traverse_node(walk, by, ref) : queue_leaf(walk, ref, false);
}

static inline bool
traverse_quadrants(pqti_traversal *walk, const qwindow_lanes *by, const pqti_inner *node)
{
    child_masks masks = classify_children(by, node);
    if (walk->window.has_shape)
        masks = restrict_to_shape(&walk->window, by->outliers, node, masks);
    for (unsigned rest = masks.found; rest != 0; rest &= rest - 1) {
        int i = __builtin_ctz(rest);
        if (masks.inside >> i & 1)
            prefetch_inside(walk, quadrant_ref_of(node, i));
        else
            prefetch_partial(quadrant_ref_of(node, i));
    }
    for (unsigned rest = masks.found; rest != 0; rest &= rest - 1) {
        int i = __builtin_ctz(rest);
        if (masks.inside >> i & 1 ? !visit_contained_subtree(walk, quadrant_ref_of(node, i))
                                  : !traverse_child(walk, by, quadrant_ref_of(node, i)))
            return false;
    }
    return true;
}

/* Visits a hash node. */
static PQTI_NOINLINE bool
traverse_hash_node(pqti_traversal *walk, const qwindow_lanes *by, tagged_ref node)
{
    pqti_coverage coverage = pqti_classify(&walk->window, node.at);
    if (coverage == PQTI_COVERAGE_ALL && walk->window.filter == NULL)
        return visit_contained_subtree(walk, node);
    pqti_stats_add_node(&walk->window);
    return coverage == PQTI_COVERAGE_NONE || traverse_quadrants(walk, by, node.at);
}

static bool
traverse_node(pqti_traversal *walk, const qwindow_lanes *by, tagged_ref node)
{
    if (!PQTI_IS_PLAIN_NODE(node.tagged_count))
        return traverse_hash_node(walk, by, node);
    pqti_stats_add_node(&walk->window);
    return traverse_child(walk, by, own_items_of(node.at, node.tagged_count)) &&
           traverse_quadrants(walk, by, node.at);
}

static PQTI_NOINLINE bool
traverse_outliers(pqti_traversal *walk, tagged_ref outliers)
{
    qwindow_lanes by = qwindow_lanes_of(&walk->window, true);
    return traverse_child(walk, &by, outliers);
}

/* Visits the root. Only its own items are on the outlier grid. */
static bool
traverse_root(pqti_traversal *walk, const pqti_inner *node, uint32_t count)
{
    qwindow_lanes by = qwindow_lanes_of(&walk->window, false);
    tagged_ref outliers = own_items_of(node, count);
    pqti_stats_add_node(&walk->window);
    return (outliers.tagged_count == 0 || traverse_outliers(walk, outliers)) &&
           traverse_quadrants(walk, &by, node);
}

/* Visits the node at the end of the root's compressed edge. */
static bool
traverse_root_skip(pqti_traversal *walk, tagged_ref node)
{
    qwindow_lanes by = qwindow_lanes_of(&walk->window, false);
    return traverse_node(walk, &by, node);
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
                                               : traverse_root(walk, root.at, root.count);
    return walked && flush_all(walk);
}
