/* SPDX-License-Identifier: MIT */
/*
 * edit_rebuild.c: merges the items of a subtree with many edits and rebuilds it.
 *
 * The items of a subtree and the edits are both in tree order, so one pass merges them without
 * sorting. This is done if most leaves of a subtree have edits: then the same work for each item
 * costs less than a decision at each leaf. Subtrees that no edit changes are shared.
 */
#include "config.h"

#include "tree/edit_rebuild.h"

#include <string.h>

#include "memory/memory_internal.h"
#include "tree/draft_state.h"
#include "tree/edit_list.h"
#include "tree/node_build.h"
#include "tree/path_compress.h"

enum { AHEAD = 16 /* the number of edits by which prefetching is ahead of merging */ };

typedef struct merging {
    const pqti_domain *domain;
    const pqt_item *old; /* the old items in tree order, and their keys */
    const pqti_key *old_keys;
    size_t old_count;
    pqti_edits edits;
    pqt_item *items; /* the merged items, with enough room for all of them */
    pqti_key *keys;
    size_t count;
    bool changed; /* true if some edit changes something */
    bool absent;  /* true if a removal found no item */
} merging;

static inline void
merge_add_item(merging *m, const pqt_item *item, const pqti_key *key, bool kept)
{
    m->items[m->count] = *item;
    m->keys[m->count] = *key;
    m->keys[m->count].index = (uint32_t)m->count;
    m->keys[m->count].kept = kept;
    m->count++;
}

/*
 * Returns a number below, equal to or above zero if an old item precedes, equals or follows the
 * item of an edit.
 */
static inline int
compare_old_and_edit(const merging *m, size_t old, const pqti_key *edit, const pqt_item *item)
{
    int order = pqti_compare_paths(&m->old_keys[old], edit);
    if (order != 0)
        return order;
    if (memcmp(&m->old[old], item, sizeof *item) == 0)
        return 0;
    return pqti_compare(&m->old_keys[old], &m->old[old], edit, item);
}

/*
 * Adds the old items that precede an edit, and the result of the edit. Returns the index of the
 * next old item.
 */
static inline size_t
merge_item_edit(merging *m, size_t next, const pqti_key *edit)
{
    const pqt_item *item = &m->edits.items[edit->index];
    int order = 1;
    while (next < m->old_count && (order = compare_old_and_edit(m, next, edit, item)) < 0) {
        merge_add_item(m, &m->old[next], &m->old_keys[next], true);
        next++;
    }
    bool present = next < m->old_count && order == 0;
    m->changed |= present == edit->removal;
    m->absent |= edit->removal && !present;
    if (!edit->removal && !present)
        merge_add_item(m, item, edit, false);
    return next + (edit->removal && present);
}

static void
merge_all(merging *m)
{
    size_t next = 0;
    for (size_t i = 0; i < m->edits.count; i++) {
        if (i + AHEAD < m->edits.count) {
            const pqt_item *later = &m->edits.items[m->edits.keys[i + AHEAD].index];
            pqti_prefetch(later);
            pqti_prefetch(&later->id);
        }
        next = merge_item_edit(m, next, &m->edits.keys[i]);
    }
    for (; next < m->old_count; next++)
        merge_add_item(m, &m->old[next], &m->old_keys[next], true);
}

/* Returns true if the items are exactly those of the old subtree. */
static bool
are_kept(pqti_node_ref old, const pqti_key *keys, size_t count)
{
    bool kept = old.count == count;
    for (size_t i = 0; kept && i < count; i++)
        kept = keys[i].kept;
    return kept;
}

static bool
build_children(const pqti_domain *domain, pqti_level level, pqti_node_ref old,
               const pqt_item *items, const pqti_key *keys, size_t count, pqti_node_ref *built,
               pqt_fingerprint *fingerprint)
{
    pqti_node_ref olds[PQTI_CHILDREN], children[PQTI_CHILDREN];
    pqt_fingerprint sum = {0, 0};
    pqti_child_refs(domain, level, &old, olds);
    pqti_prefetch_items(items, keys, count);
    for (int i = 0; i < PQTI_CHILDREN; i++) {
        int child_index = pqti_child_order[i];
        size_t own = pqti_subtree_size(level, child_index, items, keys, count);
        if (!pqti_build_with_neighbours(domain, pqti_child_level(domain, level, child_index),
                                        olds[child_index], items, keys, own, &children[child_index],
                                        &sum))
            return false;
        keys += own;
        count -= own;
    }
    *fingerprint = pqti_fingerprint_add(*fingerprint, sum);
    if (!pqti_inner_from_children(domain, level, children, sum, built))
        return false;
    pqti_drop_replaced(domain, &old);
    return true;
}

/* Builds a subtree that replaces a node below a compressed edge, at the depth up to which all
   items follow the edge. */
static PQTI_NOINLINE bool
build_on_skip(const pqti_domain *domain, pqti_level level, pqti_node_ref old, const pqt_item *items,
              const pqti_key *keys, size_t count, pqti_node_ref *built,
              pqt_fingerprint *fingerprint)
{
    pqti_inner virtual_node;
    pqti_skip skip = pqti_skip_of(domain, level, &old);
    unsigned depth = pqti_skip_match(&skip, level, skip.end, keys, count);
    pqti_level at = pqti_level_on_skip(domain, level, depth);
    pqti_node_ref node = pqti_expand_skip(domain, level, &skip, &old, depth, &virtual_node);
    if (!build_children(domain, at, node, items, keys, count, built, fingerprint))
        return false;
    *built = pqti_recompress(level, at, *built);
    return true;
}

bool
pqti_build_with_neighbours(const pqti_domain *domain, pqti_level level, pqti_node_ref old,
                           const pqt_item *items, const pqti_key *keys, size_t count,
                           pqti_node_ref *built, pqt_fingerprint *fingerprint)
{
    if (are_kept(old, keys, count)) {
        *built = old;
        *fingerprint = pqti_fingerprint_add(*fingerprint, pqti_node_ref_fingerprint(old));
        return true;
    }
    if (!pqti_is_node(old) || pqti_fits_leaf(domain, level, count)) {
        if (!pqti_build(domain, level, items, keys, count, built, fingerprint))
            return false;
        pqti_drop_subtree(domain, &old);
        return true;
    }
    return (old.skips ? build_on_skip : build_children)(domain, level, old, items, keys, count,
                                                        built, fingerprint);
}

static pqti_outcome
finish_rebuild(const merging *m, pqti_level level, pqti_node_ref *ref, pqt_fingerprint *fingerprint)
{
    pqt_fingerprint before = pqti_node_ref_fingerprint(*ref), after = {0, 0};
    if (!m->changed || (m->absent && m->edits.is_move))
        return PQTI_SAME;
    if (!pqti_build_with_neighbours(m->domain, level, *ref, m->items, m->keys, m->count, ref,
                                    &after))
        return PQTI_FAILED;
    *fingerprint = pqti_fingerprint_add(*fingerprint, pqti_fingerprint_subtract(after, before));
    return PQTI_CHANGED;
}

PQTI_NOINLINE pqti_outcome
pqti_rebuild(const pqti_domain *domain, pqti_level level, const pqti_edits *edits,
             pqti_node_ref *ref, pqt_fingerprint *fingerprint)
{
    size_t old = ref->count, all = old + (old + edits->count);
    pqt_item *items = pqti_alloc_scratch(all, sizeof *items);
    pqti_key *keys = items == NULL ? NULL : pqti_alloc_scratch(all, sizeof *keys);
    if (keys == NULL) {
        pqti_free_scratch(items);
        return PQTI_FAILED;
    }
    merging m = {.domain = domain,
                 .old = items,
                 .old_keys = keys,
                 .old_count = old,
                 .edits = *edits,
                 .items = items + old,
                 .keys = keys + old};
    pqti_collect_items(*ref, items);
    pqti_keys_of(domain, items, old, keys);
    merge_all(&m);
    pqti_outcome outcome = finish_rebuild(&m, level, ref, fingerprint);
    pqti_free_scratch(items);
    pqti_free_scratch(keys);
    return outcome;
}
