/* SPDX-License-Identifier: MIT */
/*
 * setops.c: set operations on two subtrees.
 *
 *     equal               kept or dropped
 *     empty, anything     kept or dropped
 *     inner, inner        combined child by child
 *     leaf, anything      each item of the leaf is looked up on the other side, which is then
 *                         edited or dropped; so in a large subtree only the paths to a few items
 *                         are entered
 */
#include "config.h"

#include "tree/algebra/setops.h"

#include <string.h>

#include "base/error_internal.h"
#include "memory/memory_internal.h"
#include "tree/algebra/changelist.h"
#include "tree/edit.h"
#include "tree/edit_list.h"
#include "tree/node_build.h"
#include "tree/tree_internal.h"

/* Among so few items, comparing all ids is the fastest way to find an item. */
enum { FEW = 32 };

typedef struct combiner {
    const pqti_domain *domain;
    pqt_query_stats *stats;
    pqti_keep_mask keep_mask;
} combiner;

/* Returns true if `children` equal the children of `whole`. */
static bool
children_equal(const pqti_node_ref children[PQTI_CHILDREN], const pqti_node_ref *whole)
{
    for (int i = 0; i < PQTI_CHILDREN; i++) {
        const pqti_node_ref child = pqti_child_of(whole, i);
        if (!pqti_subtree_equal(&children[i], &child))
            return false;
    }
    return true;
}

bool
pqti_node_from_children_or(const pqti_domain *domain, pqti_level level,
                           pqti_node_ref children[PQTI_CHILDREN], const pqti_node_ref *a,
                           const pqti_node_ref *b, pqti_node_ref *joined)
{
    PQT_INVARIANT(pqti_has_children(*a) && pqti_has_children(*b),
                  "the children of a leaf were requested");
    pqt_fingerprint fingerprint = {0, 0};
    if (children_equal(children, a) || children_equal(children, b)) {
        *joined = children_equal(children, a) ? *a : *b;
        return true;
    }
    for (int i = 0; i < PQTI_CHILDREN; i++)
        fingerprint = pqti_fingerprint_add(fingerprint, pqti_node_ref_fingerprint(children[i]));
    children[PQTI_OWN_ITEMS].qbox = pqti_own_qbox(
        domain, pqti_child_level(domain, level, PQTI_OWN_ITEMS), &children[PQTI_OWN_ITEMS]);
    return pqti_node_from_children(domain, level, children, fingerprint, joined);
}

/* The items of a leaf as edits. `removal` is true if the other side also holds the item. */
typedef struct candidate_list {
    const combiner *combiner;
    pqt_item *items;
    pqti_key *keys;
    size_t count;
    size_t common; /* the number of items that the other side also holds */
} candidate_list;

static bool
view_has_item(pqti_leaf_view view, size_t count, const pqt_item *item)
{
    for (size_t i = 0; i < count; i++) {
        if (view.id[i] != item->id)
            continue;
        pqt_item own = pqti_view_item(view, i);
        if (memcmp(&own, item, sizeof own) == 0)
            return true;
    }
    return false;
}

/* An item of the other side, with its key. */
typedef struct candidate {
    pqt_item item;
    pqti_key key;
} candidate;

static candidate
candidate_at(const candidate_list *candidates, const pqti_leaf_view *view, size_t i)
{
    candidate c = {.item = pqti_view_item(*view, i)};
    c.key = pqti_key_of(candidates->combiner->domain, &c.item, 0);
    return c;
}

/* Finds the items that two lists in tree order have in common, by merging the lists. Returns the
   number of comparisons. */
static size_t
merge_common(candidate_list *candidates, size_t from, size_t to, pqti_leaf_view view, size_t count)
{
    candidate other = candidate_at(candidates, &view, 0);
    size_t compared = 0;
    for (size_t i = from, next = 0; i < to && next < count; compared++) {
        int order =
            pqti_compare(&candidates->keys[i], &candidates->items[i], &other.key, &other.item);
        candidates->keys[i].removal = order == 0;
        i += order <= 0;
        next += order >= 0;
        if (order >= 0 && next < count)
            other = candidate_at(candidates, &view, next);
    }
    return compared;
}

static void
find_in_leaf(candidate_list *candidates, size_t from, size_t to, pqti_node_ref leaf)
{
    pqti_leaf_view view = pqti_view(leaf.at, leaf.count);
    size_t compared = leaf.count;
    if (leaf.count > FEW && to - from > FEW)
        compared = merge_common(candidates, from, to, view, leaf.count);
    else
        for (size_t i = from; i < to; i++)
            candidates->keys[i].removal = view_has_item(view, leaf.count, &candidates->items[i]);
    for (size_t i = from; i < to; i++)
        candidates->common += candidates->keys[i].removal;
    pqti_stats_add_ref_leaf(candidates->combiner->stats, compared);
}

/* Looks up a range of the items in a subtree. */
static void
find_in_subtree(candidate_list *candidates, size_t from, size_t to, pqti_level level,
                const pqti_node_ref *ref)
{
    if (from == to || ref->count == 0)
        return;
    if (ref->leaf) {
        find_in_leaf(candidates, from, to, *ref);
        return;
    }
    level = pqti_level_of_node(candidates->combiner->domain, level, *ref);
    pqti_stats_count_node(candidates->combiner->stats);
    while (from < to) {
        int child_index =
            pqti_child_index(level, &candidates->keys[from], &candidates->items[from]);
        size_t end = from + 1;
        while (end < to && pqti_child_index(level, &candidates->keys[end],
                                            &candidates->items[end]) == child_index)
            end++;
        const pqti_node_ref child = pqti_child_of(ref, child_index);
        find_in_subtree(candidates, from, end,
                        pqti_child_level(candidates->combiner->domain, level, child_index), &child);
        from = end;
    }
}

static bool
make_candidates(candidate_list *candidates, const combiner *c, pqti_node_ref leaf)
{
    *candidates = (candidate_list){.combiner = c, .count = leaf.count};
    candidates->items = pqti_alloc_scratch(candidates->count, sizeof *candidates->items);
    candidates->keys = candidates->items == NULL
                           ? NULL
                           : pqti_alloc_scratch(candidates->count, sizeof *candidates->keys);
    if (candidates->keys == NULL)
        return false;
    pqti_collect_items(leaf, candidates->items);
    pqti_keys_of(c->domain, candidates->items, candidates->count, candidates->keys);
    pqti_stats_add_ref_leaf(c->stats, 0);
    return true;
}

static void
free_candidates(candidate_list *candidates)
{
    pqti_free_scratch(candidates->keys);
    pqti_free_scratch(candidates->items);
}

/*
 * Keeps only the items that the other side also holds or, unless `common`, only those that it does
 * not hold.
 */
static void
filter_candidates(candidate_list *candidates, bool common)
{
    size_t count = 0;
    for (size_t i = 0; i < candidates->count; i++)
        if (candidates->keys[i].removal == common)
            candidates->keys[count++] = candidates->keys[i];
    candidates->count = count;
}

/* Inserts the listed items into the other side, or removes them from it. */
static bool
edit_other(candidate_list *candidates, pqti_level level, bool removes, pqti_node_ref other,
           pqti_node_ref *result)
{
    pqt_fingerprint ignored = {0, 0};
    filter_candidates(candidates, removes);
    *result = other;
    pqti_edits edits = {candidates->items, candidates->keys, candidates->count, false};
    return pqti_edit(candidates->combiner->domain, level, edits, result, &ignored) != PQTI_FAILED;
}

/* Keeps some of the leaf's items, and none of the other side's. */
static bool
keep_some(candidate_list *candidates, pqti_level level, bool common, pqti_node_ref leaf,
          pqti_node_ref *result)
{
    filter_candidates(candidates, common);
    *result = leaf;
    if (candidates->count == leaf.count)
        return true;
    for (size_t i = 0; i < candidates->count; i++)
        candidates->items[i] = candidates->items[candidates->keys[i].index];
    return pqti_leaf_of(candidates->combiner->domain, level, candidates->items, candidates->count,
                        result);
}

/*
 * Applies the mask as seen from the leaf: PQTI_ONLY_A selects the items that only the leaf holds.
 */
static bool
apply_mask(candidate_list *candidates, pqti_level level, pqti_keep_mask keep_mask,
           pqti_node_ref leaf, pqti_node_ref other, pqti_node_ref *result)
{
    if (keep_mask & PQTI_BOTH && candidates->common == other.count) {
        *result =
            /* because the leaf holds all items of the other side */
            keep_mask == PQTI_UNION ? leaf : other;
        return true;
    }
    if (!(keep_mask & PQTI_ONLY_B))
        return keep_some(candidates, level, keep_mask == PQTI_BOTH, leaf, result);
    return edit_other(candidates, level, keep_mask == PQTI_ONLY_B, other, result);
}

static pqti_keep_mask
mirrored_mask(pqti_keep_mask keep_mask)
{
    bool one_side = keep_mask == PQTI_ONLY_A || keep_mask == PQTI_ONLY_B;
    return one_side ? keep_mask ^ (PQTI_ONLY_A | PQTI_ONLY_B) : keep_mask;
}

static bool
combine_leaf(const combiner *c, pqti_level level, pqti_keep_mask keep_mask,
             const pqti_node_ref *leaf, const pqti_node_ref *other, pqti_node_ref *result)
{
    candidate_list candidates;
    bool made = make_candidates(&candidates, c, *leaf);
    if (made) {
        find_in_subtree(&candidates, 0, candidates.count, level, other);
        PQT_INVARIANT(candidates.common <= candidates.count && candidates.common <= other->count,
                      "a subtree has fewer items than the common ones");
        made = apply_mask(&candidates, level, keep_mask, *leaf, *other, result);
    }
    free_candidates(&candidates);
    return made;
}

static bool combine_nodes(const combiner *c, pqti_level level, const pqti_node_ref *a,
                          const pqti_node_ref *b, pqti_node_ref *result);

static bool
combine_inner(const combiner *c, pqti_level level, const pqti_node_ref *a, const pqti_node_ref *b,
              pqti_node_ref *result)
{
    pqti_node_ref children[PQTI_CHILDREN];
    pqti_stats_add_ref_node(c->stats, a);
    pqti_stats_add_ref_node(c->stats, b);
    for (int i = 0; i < PQTI_CHILDREN; i++) {
        const pqti_node_ref child_a = pqti_child_of(a, i), child_b = pqti_child_of(b, i);
        if (!combine_nodes(c, pqti_child_level(c->domain, level, i), &child_a, &child_b,
                           &children[i]))
            return false;
    }
    return pqti_node_from_children_or(c->domain, level, children, a, b, result);
}

static PQTI_NOINLINE bool
combine_skips(const combiner *c, pqti_level level, const pqti_node_ref *a, const pqti_node_ref *b,
              pqti_node_ref *result)
{
    pqti_alignment both;
    pqti_align(&both, c->domain, level, (pqti_node_ref[]){*a, *b}, 2);
    if (!combine_inner(c, both.at, &both.node[0], &both.node[1], result))
        return false;
    *result = pqti_align_back(&both, result);
    return true;
}

static bool
combine_nodes(const combiner *c, pqti_level level, const pqti_node_ref *a, const pqti_node_ref *b,
              pqti_node_ref *result)
{
    *result = PQTI_EMPTY_REF;
    if (pqti_subtree_equal(a, b)) {
        if (c->keep_mask & PQTI_BOTH)
            *result = *a;
        return true;
    }
    if (a->count == 0 || b->count == 0) {
        if (c->keep_mask & (a->count == 0 ? PQTI_ONLY_B : PQTI_ONLY_A))
            *result = a->count == 0 ? *b : *a;
        return true;
    }
    if (!a->leaf && !b->leaf)
        return (a->skips || b->skips ? combine_skips : combine_inner)(c, level, a, b, result);
    if (b->leaf)
        return combine_leaf(c, level, mirrored_mask(c->keep_mask), b, a, result);
    return combine_leaf(c, level, c->keep_mask, a, b, result);
}

bool
pqti_combine(const pqti_domain *domain, pqt_query_stats *stats, pqti_keep_mask keep_mask,
             pqti_level level, pqti_node_ref a, pqti_node_ref b, pqti_node_ref *result)
{
    combiner c = {domain, stats, keep_mask};
    return combine_nodes(&c, level, &a, &b, result);
}

static bool
edit_ids(const pqti_changelist *list, const pqti_domain *domain, const void *map,
         const void **edited)
{
    pqti_id_edit *edits = pqti_alloc_scratch(list->count + 1, sizeof *edits);
    if (edits == NULL)
        return false;
    size_t count = pqti_changelist_id_edits(list, domain, edits);
    bool made = pqti_idmap_edit(domain->options.memory, NULL, map, edits, count, edited);
    pqti_free_scratch(edits);
    return made;
}

/*
 * Makes the id map of the result: applies the differences between `closest` and the new root to the
 * id map of `closest`.
 */
static bool
update_ids_of_result(pqti_node_ref root, const pqti_domain *domain, const pqt_tree *closest,
                     pqt_query_stats *stats, const void **ids)
{
    pqti_changelist list = {0};
    pqti_node_ref before = closest == NULL ? PQTI_EMPTY_REF : pqti_root(closest);
    *ids = NULL;
    if (!domain->options.unique_ids)
        return true;
    bool made = pqti_changelist_differences(&list, domain, NULL, stats, PQTI_ROOT, before, root) &&
                pqti_changelist_index(&list) &&
                edit_ids(&list, domain, closest == NULL ? NULL : closest->ids, ids);
    pqti_changelist_free(&list);
    return made;
}

const pqt_tree *
pqti_version_with(pqti_node_ref root, const pqt_tree *closest, const pqt_tree *const *given,
                  size_t count, pqt_query_stats *stats, pqt_error *error)
{
    const pqti_domain *domain = given[0]->domain;
    const void *ids;
    for (size_t i = 0; i < count; i++) {
        const pqti_node_ref known = pqti_root(given[i]);
        if (pqti_subtree_equal(&root, &known))
            return given[i];
    }
    if (!update_ids_of_result(root, domain, closest, stats, &ids)) {
        pqti_out_of_memory(error);
        return NULL;
    }
    const pqt_fingerprint fingerprint = pqti_node_ref_fingerprint(root);
    return pqti_version_of(domain, &root, &fingerprint, ids, error);
}

static bool
count_added_items(void *state, const pqt_item *item, bool added)
{
    (void)item;
    *(size_t *)state += added;
    return true;
}

bool
pqti_has_capacity(const pqt_tree *tree, const pqt_tree *from, const pqt_tree *to,
                  const pqti_window *window, pqt_error *error)
{
    size_t more = 0;
    if ((uint64_t)tree->count + to->count <= PQT_MAX_ITEMS)
        return true;
    pqti_codescent codescent = {tree->domain, window, count_added_items, &more, NULL};
    (void)pqti_find_differences(&codescent, from, to);
    if (more <= (size_t)(PQT_MAX_ITEMS - tree->count))
        return true;
    pqti_error_set(error, PQT_ERROR_LIMIT, 0, "%zu items and %zu more exceed the limit of %d",
                   (size_t)tree->count, more, PQT_MAX_ITEMS);
    return false;
}
