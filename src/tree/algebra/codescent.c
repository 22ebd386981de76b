/* SPDX-License-Identifier: MIT */
/*
 * codescent.c: finds the items that only one of two versions holds, by traversing both
 * simultaneously.
 *
 *     inner, inner        compare each child with the child at the same position
 *     leaf, anything      merge the leaf's items with those of the other side, both in tree order
 *
 * The number of differences is at least the difference of the counts. So if a leaf is merged with a
 * subtree of a thousand items, most of these items are differences, and no time is wasted.
 */
#include "config.h"

#include "tree/algebra/codescent.h"

#include <string.h>

#include "base/error_internal.h"
#include "base/validate.h"

static bool
nodes_equal(const pqti_inner *a, const pqti_inner *b, uint32_t count)
{
    pqti_node_ref own_a = pqti_own_ref(a, count), own_b = pqti_own_ref(b, count);
    return memcmp(&a->fingerprint, &b->fingerprint, sizeof a->fingerprint) == 0 &&
           memcmp(a, b, offsetof(pqti_inner, child)) == 0 &&
           memcmp(a->count, b->count, sizeof a->count) == 0 && own_a.leaf == own_b.leaf;
}

bool
pqti_subtree_equal(const pqti_node_ref *a, const pqti_node_ref *b)
{
    _Static_assert(offsetof(pqti_inner, child) == PQTI_QUADRANTS * sizeof(pqti_qbox),
                   "*a node does not begin with the bounds of its quadrants");
    if (a->at == b->at)
        return true;
    if (a->tagged_count != b->tagged_count)
        return false;
    if (a->leaf)
        return memcmp(a->at, b->at, a->count * 5 * sizeof(uint64_t)) == 0;
    return nodes_equal(a->at, b->at, a->count);
}

/* A merge of the items of a leaf with the items of the other side. */
typedef struct leaf_join {
    const pqti_codescent *codescent;
    bool added;          /* true if the other side is the later version */
    bool is_single_leaf; /* true if the other side is a single leaf */
    pqti_leaf_view view;
    size_t next, count;
    pqt_item item; /* item number `next` of the leaf, if next < count */
} leaf_join;

static void
advance_join(leaf_join *join)
{
    if (++join->next < join->count)
        join->item = pqti_view_item(join->view, join->next);
}

static bool
emit_item(const pqti_codescent *codescent, const pqt_item *item, bool added)
{
    if (codescent->window != NULL && !pqti_finds(codescent->window, item))
        return true;
    return codescent->found(codescent->state, item, added);
}

/* Returns true if the leaf's next item precedes `other` in tree order. */
static bool
item_is_before(const leaf_join *join, const pqt_item *other)
{
    pqti_key a = pqti_key_of(join->codescent->domain, &join->item, 0);
    pqti_key b = pqti_key_of(join->codescent->domain, other, 0);
    return pqti_compare(&a, &join->item, &b, other) < 0;
}

/* Merges an item of the other side: emits the leaf's items that precede it, and the item itself
   unless the leaf also holds it. */
static bool
join_item_in_order(leaf_join *join, const pqt_item *other)
{
    while (join->next < join->count) {
        if (memcmp(&join->item, other, sizeof *other) == 0) {
            advance_join(join);
            return true;
        }
        if (!item_is_before(join, other))
            break;
        if (!emit_item(join->codescent, &join->item, !join->added))
            return false;
        advance_join(join);
    }
    return emit_item(join->codescent, other, join->added);
}

static inline bool
items_equal(const pqti_leaf_view *a, size_t i, const pqti_leaf_view *b, size_t j)
{
    return (a->id[i] == b->id[j]) & (a->min_x[i] == b->min_x[j]) & (a->min_y[i] == b->min_y[j]) &
           (a->max_x[i] == b->max_x[j]) & (a->max_y[i] == b->max_y[j]);
}

/* Returns the number of equal items at the beginning of two leaves, but at most `most`. */
static size_t
count_common_first(pqti_leaf_view a, pqti_leaf_view b, size_t most)
{
    size_t same = 0;
    while (same < most && items_equal(&a, same, &b, same))
        same++;
    return same;
}

/* Returns the number of equal items at the end of two leaves, but at most `most`. */
static size_t
count_common_last(pqti_leaf_view a, size_t a_count, pqti_leaf_view b, size_t b_count, size_t most)
{
    size_t same = 0;
    while (same < most && items_equal(&a, a_count - 1 - same, &b, b_count - 1 - same))
        same++;
    return same;
}

/* Drops the common items at the beginning and the end of two leaves. Usually few items are left. */
static void
trim_common(leaf_join *join, pqti_leaf_view other, size_t *from, size_t *to)
{
    PQT_INVARIANT(join->next == 0 && *from == 0, "leaves are trimmed after the merge began");
    size_t fewer = join->count < *to ? join->count : *to;
    size_t first = count_common_first(join->view, other, fewer);
    size_t last = count_common_last(join->view, join->count, other, *to, fewer - first);
    join->next = *from = first;
    join->count -= last;
    *to -= last;
    if (join->next < join->count)
        join->item = pqti_view_item(join->view, join->next);
}

static bool
join_leaves(leaf_join *join, const pqti_node_ref *ref)
{
    pqti_leaf_view view = pqti_view(ref->at, ref->count);
    size_t from = 0, to = ref->count;
    if (join->is_single_leaf) {
        trim_common(join, view, &from, &to);
        pqti_count_items(join->codescent->stats, join->count - join->next);
    }
    pqti_stats_add_ref_leaf(join->codescent->stats, to - from);
    for (size_t i = from; i < to; i++) {
        pqt_item item = pqti_view_item(view, i);
        if (!join_item_in_order(join, &item))
            return false;
    }
    return true;
}

/*
 * Returns the child of an inner node at `child_index`. Returns an empty ref if the window excludes
 * it.
 */
static pqti_node_ref
nth_child(const pqti_codescent *codescent, pqti_level level, const pqti_node_ref *ref,
          int child_index)
{
    if (codescent->window != NULL && ref->count > 0 && child_index != PQTI_OWN_ITEMS &&
        !pqti_window_may_find(codescent->window, level.outliers, ref->at, child_index))
        return PQTI_EMPTY_REF;
    return pqti_child_of(ref, child_index);
}

/* Returns the index of the n-th child in tree order, in which own items precede quadrants. */
static int
child_in_tree_order(int n)
{
    return n == 0 ? PQTI_OWN_ITEMS : n - 1;
}

static bool
join_leaf_with_child(leaf_join *join, pqti_level level, const pqti_node_ref *ref)
{
    if (ref->count == 0)
        return true;
    if (ref->leaf)
        return join_leaves(join, ref);
    level = pqti_level_of_node(join->codescent->domain, level, *ref);
    pqti_stats_count_node(join->codescent->stats);
    for (int n = 0; n < PQTI_CHILDREN; n++) {
        int child_index = child_in_tree_order(n);
        pqti_node_ref child = nth_child(join->codescent, level, ref, child_index);
        if (!join_leaf_with_child(
                join, pqti_child_level(join->codescent->domain, level, child_index), &child))
            return false;
    }
    return true;
}

/* Compares a leaf, or an empty subtree, with any subtree. */
static bool
join_leaf_with_subtree(const pqti_codescent *codescent, pqti_level level, const pqti_node_ref *leaf,
                       const pqti_node_ref *other, bool added)
{
    const bool is_single_leaf = other->leaf && other->count > 0;
    leaf_join join = {.codescent = codescent,
                      .added = added,
                      .is_single_leaf = is_single_leaf,
                      .count = leaf->count};
    if (leaf->count > 0) {
        pqti_stats_add_ref_leaf(codescent->stats, is_single_leaf ? 0 : leaf->count);
        join.view = pqti_view(leaf->at, leaf->count);
        join.item = pqti_view_item(join.view, 0);
    }
    if (!join_leaf_with_child(&join, level, other))
        return false;
    for (; join.next < join.count; advance_join(&join))
        if (!emit_item(codescent, &join.item, !added))
            return false;
    return true;
}

static inline bool
is_shared(const pqti_inner *before, const pqti_inner *after, int quadrant)
{
    return before->child[quadrant] == after->child[quadrant];
}

/* Prefetches the children that differ, because waiting for each in turn would take longer. */
static void
prefetch_differing(const pqti_inner *before, const pqti_inner *after)
{
    for (int i = 0; i < PQTI_QUADRANTS; i++) {
        if (is_shared(before, after, i))
            continue;
        pqti_prefetch_child(pqti_quadrant_ref(before, i));
        pqti_prefetch_child(pqti_quadrant_ref(after, i));
    }
}

static bool
codescend_inner(const pqti_codescent *codescent, pqti_level level, const pqti_node_ref *before,
                const pqti_node_ref *after)
{
    pqti_stats_add_ref_node(codescent->stats, before);
    pqti_stats_add_ref_node(codescent->stats, after);
    prefetch_differing(before->at, after->at);
    for (int n = 0; n < PQTI_CHILDREN; n++) {
        int child_index = child_in_tree_order(n);
        if (child_index != PQTI_OWN_ITEMS && is_shared(before->at, after->at, child_index))
            continue;
        const pqti_node_ref child_before = nth_child(codescent, level, before, child_index);
        const pqti_node_ref child_after = nth_child(codescent, level, after, child_index);
        if (!pqti_codescend(codescent, pqti_child_level(codescent->domain, level, child_index),
                            &child_before, &child_after))
            return false;
    }
    return true;
}

static PQTI_NOINLINE bool
codescend_skips(const pqti_codescent *codescent, pqti_level level, const pqti_node_ref *before,
                const pqti_node_ref *after)
{
    pqti_alignment both;
    pqti_align(&both, codescent->domain, level, (pqti_node_ref[]){*before, *after}, 2);
    return codescend_inner(codescent, both.at, &both.node[0], &both.node[1]);
}

bool
pqti_codescend(const pqti_codescent *codescent, pqti_level level, const pqti_node_ref *before,
               const pqti_node_ref *after)
{
    if (pqti_subtree_equal(before, after))
        return true;
    if (before->count == 0 || before->leaf)
        return join_leaf_with_subtree(codescent, level, before, after, true);
    if (after->count == 0 || after->leaf)
        return join_leaf_with_subtree(codescent, level, after, before, false);
    return (before->skips || after->skips ? codescend_skips : codescend_inner)(codescent, level,
                                                                               before, after);
}

bool
pqti_find_differences(const pqti_codescent *codescent, const pqt_tree *before,
                      const pqt_tree *after)
{
    const pqti_node_ref root_before = pqti_root(before), root_after = pqti_root(after);
    return pqti_codescend(codescent, PQTI_ROOT, &root_before, &root_after);
}
