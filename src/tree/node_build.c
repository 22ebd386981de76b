/* SPDX-License-Identifier: MIT */
/*
 * node_build.c: makes nodes and leaves.
 *
 * Whether items form an empty subtree, a leaf or a node depends on their number alone (the capacity
 * rule in node.h). So a bulk build and a sequence of edits make the same shape from the same items.
 * A node with all of its items in one quadrant is not stored: the reference to the quadrant becomes
 * a compressed edge. Hash nodes are always stored.
 */
#include "config.h"

#include "tree/node_build.h"

#include <math.h>
#include <string.h>

#include "base/error_internal.h"
#include "base/simd.h"
#include "memory/memory_internal.h"
#include "tree/draft_state.h"
#include "tree/leaf_cover.h"
#include "tree/node.h"
#include "tree/side_range.h"

_Static_assert(offsetof(pqti_inner, fingerprint) + 16 == sizeof(pqti_inner) &&
                   offsetof(pqti_own_items, at) == 0,
               "the collector does not scan the last word of a node: no pointer may be there");

enum { ALL_QUADRANTS = (1 << PQTI_QUADRANTS) - 1 };

static inline void
set_quadrant_qbox(pqti_inner *node, int i, pqti_qbox qbox)
{
    node->min_x[i] = qbox.min_x;
    node->min_y[i] = qbox.min_y;
    node->max_x[i] = qbox.max_x;
    node->max_y[i] = qbox.max_y;
}

static inline void
set_quadrant(pqti_inner *node, int i, pqti_node_ref quadrant)
{
    set_quadrant_qbox(node, i, quadrant.qbox);
    node->child[i] = quadrant.at;
    node->count[i] = quadrant.tagged_count;
}

static pqti_side_range *
own_side_range(pqti_inner *hash_node)
{
    return (pqti_side_range *)(void *)hash_node->own;
}

/* If one quadrant holds all items, sets *ref to a compressed edge to it and returns true. */
static bool
take_only_quadrant(const pqti_node_ref children[PQTI_CHILDREN], size_t count, pqti_node_ref *ref)
{
    for (int i = 0; i < PQTI_QUADRANTS; i++)
        if (children[i].count == count) {
            *ref = children[i];
            ref->skips = true;
            return true;
        }
    return false;
}

static uint32_t
count_children(const pqti_node_ref children[PQTI_CHILDREN])
{
    uint32_t count = 0;
    for (int i = 0; i < PQTI_CHILDREN; i++)
        count += children[i].count;
    return count;
}

/* Returns a node whose members are not set, or NULL if out of memory. */
static inline pqti_inner *
alloc_inner(const pqti_domain *domain, bool has_own_items, bool is_hash)
{
    enum { CHILDREN = offsetof(pqti_inner, child), OWN = offsetof(pqti_inner, own) };
    static pqti_layout plain =
        PQTI_WRITTEN_LAYOUT(sizeof(pqti_inner), PQTI_REFERENCES(CHILDREN, PQTI_QUADRANTS));
    static pqti_layout with_own_items =
        PQTI_WRITTEN_LAYOUT(sizeof(pqti_inner) + sizeof(pqti_own_items),
                            PQTI_REFERENCES(CHILDREN, PQTI_QUADRANTS) |
                                PQTI_REFERENCES(OWN + offsetof(pqti_own_items, at), 1));
    static pqti_layout with_hash = PQTI_WRITTEN_LAYOUT(sizeof(pqti_inner) + sizeof(pqti_side_range),
                                                       PQTI_REFERENCES(CHILDREN, PQTI_QUADRANTS));
    PQT_INVARIANT(!has_own_items || !is_hash, "a hash node has own items");
    pqti_layout *layout = is_hash ? &with_hash : has_own_items ? &with_own_items : &plain;
    return domain->draft != NULL ? pqti_owner_alloc_node(&domain->draft->owner, layout)
                                 : pqti_alloc_node(domain->options.memory, layout);
}

/* Returns true if a qbox was computed. The qboxes of own items and of the root are not. */
static inline bool
is_known(pqti_qbox qbox)
{
    return qbox.min_x <= qbox.max_x;
}

/* Returns true if the count and the fingerprint of a new node are the sums of its children's,
   and its qbox contains their qboxes. Only debug builds call this. */
static inline bool
node_agrees_with_children(const pqti_inner *node, pqti_node_ref ref)
{
    pqt_fingerprint sum = {0, 0};
    uint32_t count = 0;
    for (int i = 0; i < PQTI_CHILDREN; i++) {
        const pqti_node_ref child = pqti_child_ref(node, ref.count, i);
        sum = pqti_fingerprint_add(sum, pqti_node_ref_fingerprint(child));
        count += child.count;
        if (i == PQTI_OWN_ITEMS || child.count == 0 || !is_known(ref.qbox))
            continue;
        if (child.qbox.min_x < ref.qbox.min_x || child.qbox.min_y < ref.qbox.min_y ||
            child.qbox.max_x > ref.qbox.max_x || child.qbox.max_y > ref.qbox.max_y)
            return false;
    }
    return count == ref.count && sum.low == node->fingerprint.low &&
           sum.high == node->fingerprint.high;
}

bool
pqti_inner_from_children(const pqti_domain *domain, pqti_level level,
                         const pqti_node_ref children[PQTI_CHILDREN], pqt_fingerprint fingerprint,
                         pqti_node_ref *inner)
{
    const pqti_node_ref *own = &children[PQTI_OWN_ITEMS];
    bool is_hash = level.division == PQTI_BY_HASH;
    uint32_t count = count_children(children);
    if (!is_hash && take_only_quadrant(children, count, inner))
        return true;
    PQT_INVARIANT(!is_hash || own->count == 0, "a hash node has own items");
    PQT_INVARIANT(!pqti_fits_leaf(domain, level, count), "a node holds no more than a leaf could");
    pqti_inner *node = alloc_inner(domain, own->count > 0, is_hash);
    if (node == NULL)
        return false;
    for (int i = 0; i < PQTI_QUADRANTS; i++)
        set_quadrant(node, i, children[i]);
    node->fingerprint = fingerprint;
    if (own->count > 0)
        node->own[0] = (pqti_own_items){own->at, own->tagged_count};
    if (is_hash)
        *own_side_range(node) = pqti_side_range_of_quadrants(node);
    *inner = (pqti_node_ref){node, {count | (is_hash ? PQTI_HASH_BIT : 0)}, PQTI_EMPTY_QBOX};
    for (int i = 0; i < PQTI_CHILDREN; i++)
        inner->qbox = pqti_qbox_union(inner->qbox, children[i].qbox);
    PQTI_DEBUG_ASSERT(node_agrees_with_children(node, *inner),
                      "a node does not agree with its children");
    return true;
}

bool
pqti_node_from_children(const pqti_domain *domain, pqti_level level,
                        const pqti_node_ref children[PQTI_CHILDREN], pqt_fingerprint fingerprint,
                        pqti_node_ref *joined)
{
    size_t count = count_children(children);
    if (pqti_fits_leaf(domain, level, count))
        return pqti_leaf_of_children(domain, level, children, count, joined);
    return pqti_inner_from_children(domain, level, children, fingerprint, joined);
}

/* Returns the count of a node after children were replaced. Sets *emptied to true if one of the
   new children is empty. Differences wrap modulo 2^32, so the order of the children does not
   matter. */
static inline uint32_t
count_exchanged(pqti_node_ref ref, const pqti_node_ref children[PQTI_CHILDREN], unsigned changed,
                bool *emptied)
{
    uint32_t count = ref.count;
    *emptied = false;
    for (unsigned rest = changed; rest != 0; rest &= rest - 1) {
        int child_index = __builtin_ctz(rest);
        count += children[child_index].count - pqti_child_ref(ref.at, ref.count, child_index).count;
        *emptied |= children[child_index].tagged_count == 0;
    }
    return count;
}

/* Returns a child of a node after the replacement. */
static inline pqti_node_ref
replaced_child(pqti_node_ref ref, const pqti_node_ref children[PQTI_CHILDREN], unsigned changed,
               int child_index)
{
    return changed >> child_index & 1 ? children[child_index]
                                      : pqti_child_ref(ref.at, ref.count, child_index);
}

static PQTI_NOINLINE bool
leaf_of_exchange(const pqti_domain *domain, pqti_level level,
                 const pqti_node_ref children[PQTI_CHILDREN], unsigned changed, size_t count,
                 pqti_node_ref *ref)
{
    pqti_node_ref all[PQTI_CHILDREN];
    for (int i = 0; i < PQTI_CHILDREN; i++)
        all[i] = replaced_child(*ref, children, changed, i);
    if (!pqti_leaf_of_children(domain, level, all, count, ref))
        return false;
    for (int i = 0; i < PQTI_CHILDREN; i++)
        pqti_drop_subtree(domain, &all[i]);
    return true;
}

/*
 * Does the same as take_only_quadrant for a node whose children are replaced. Returns false for a
 * hash node.
 */
static PQTI_NOINLINE bool
exchange_leaves_one(const pqti_node_ref children[PQTI_CHILDREN], unsigned changed, size_t count,
                    pqti_node_ref *ref)
{
    if (ref->is_hash)
        return false;
    pqti_node_ref all[PQTI_CHILDREN];
    for (int i = 0; i < PQTI_CHILDREN; i++)
        all[i] = replaced_child(*ref, children, changed, i);
    return take_only_quadrant(all, count, ref);
}

static bool
equal_extents(pqti_qbox a, pqti_qbox b)
{
    return ((a.min_x ^ b.min_x) | (a.min_y ^ b.min_y) | (a.max_x ^ b.max_x) |
            (a.max_y ^ b.max_y)) == 0;
}

/* Returns true if the qbox of a node was computed and remains valid, because the qbox of each
   replaced quadrant does not change. */
static bool
qbox_unchanged(pqti_node_ref ref, const pqti_node_ref children[PQTI_CHILDREN], unsigned changed)
{
    if (!is_known(ref.qbox) || changed >> PQTI_OWN_ITEMS != 0)
        return false;
    for (; changed != 0; changed &= changed - 1) {
        int i = __builtin_ctz(changed);
        if (!equal_extents(pqti_quadrant_ref(ref.at, i).qbox, children[i].qbox))
            return false;
    }
    return true;
}

static bool
side_ranges_unchanged(const pqti_inner *hash_node, const pqti_node_ref children[PQTI_CHILDREN],
                      unsigned changed)
{
    for (; changed != 0; changed &= changed - 1)
        if (!pqti_side_range_unchanged(hash_node, __builtin_ctz(changed),
                                       &children[__builtin_ctz(changed)]))
            return false;
    return true;
}

/* Returns the qbox of a node. The qbox of the root is never read and remains empty. */
static pqti_qbox
qbox_of_inner(const pqti_domain *domain, pqti_level level, const pqti_inner *node,
              pqti_node_ref own)
{
    if (level.division == PQTI_BY_CELL && level.depth == 0)
        return PQTI_EMPTY_QBOX;
    pqti_qbox qbox = pqti_quadrants_qbox(node);
    if (own.count == 0)
        return qbox;
    pqti_level inside = pqti_child_level(domain, level, PQTI_OWN_ITEMS);
    return pqti_qbox_union(qbox, pqti_own_qbox(domain, inside, &own));
}

/* Copies the quadrants and the fingerprint. In WebAssembly, engines implement the copy of a large
   structure by a call, which takes longer than this loop. */
static inline void
copy_members(pqti_inner *node, const pqti_inner *from)
{
    _Static_assert(sizeof *node % sizeof(pqti_f64x2) == 0, "a node consists of whole vectors");
#pragma GCC unroll 8
    for (size_t i = 0; i < sizeof *node; i += sizeof(pqti_f64x2))
        pqti_f64x2_store((double *)((char *)node + i),
                         pqti_f64x2_load((const double *)((const char *)from + i)));
}

/* Copies a node with a new fingerprint and new own items, but with the old quadrants. Returns
   NULL if out of memory. */
static inline pqti_inner *
copy_node(const pqti_domain *domain, pqti_node_ref old, pqti_node_ref own, pqt_fingerprint change)
{
    const pqti_inner *from = old.at;
    pqti_inner *node = alloc_inner(domain, own.count > 0, old.is_hash);
    if (node == NULL)
        return NULL;
    copy_members(node, from);
    node->fingerprint = pqti_fingerprint_add(from->fingerprint, change);
    if (own.count > 0)
        node->own[0] = (pqti_own_items){own.at, own.tagged_count};
    return node;
}

/* Does the same as pqti_replace_children, and does not drop the node. */
static inline bool
replace_children(const pqti_domain *domain, pqti_level level,
                 const pqti_node_ref children[PQTI_CHILDREN], unsigned changed,
                 pqt_fingerprint change, pqti_node_ref *ref)
{
    bool emptied;
    PQT_INVARIANT(changed != 0 && changed < 1u << PQTI_CHILDREN, "no child changed");
    uint32_t count = count_exchanged(*ref, children, changed, &emptied);
    if (!pqti_stays_node(domain, count, 0))
        return leaf_of_exchange(domain, level, children, changed, count, ref);
    if ((emptied || ref->skips) && exchange_leaves_one(children, changed, count, ref))
        return true;
    pqti_node_ref own = replaced_child(*ref, children, changed, PQTI_OWN_ITEMS);
    pqti_inner *node = copy_node(domain, *ref, own, change);
    if (node == NULL)
        return false;
    for (unsigned rest = changed & ALL_QUADRANTS; rest != 0; rest &= rest - 1)
        set_quadrant(node, __builtin_ctz(rest), children[__builtin_ctz(rest)]);
    if (ref->is_hash)
        *own_side_range(node) = side_ranges_unchanged(ref->at, children, changed)
                                    ? *pqti_side_range_of(ref->at)
                                    : pqti_side_range_of_quadrants(node);
    if (!qbox_unchanged(*ref, children, changed))
        ref->qbox = qbox_of_inner(domain, level, node, own);
    ref->at = node;
    ref->tagged_count = count | (ref->is_hash ? PQTI_HASH_BIT : 0);
    PQTI_DEBUG_ASSERT(node_agrees_with_children(node, *ref),
                      "a node does not agree with its children");
    return true;
}

bool
pqti_replace_children(const pqti_domain *domain, pqti_level level,
                      const pqti_node_ref children[PQTI_CHILDREN], unsigned changed,
                      pqt_fingerprint change, pqti_node_ref *ref)
{
    const pqti_node_ref old = *ref;
    if (!replace_children(domain, level, children, changed, change, ref))
        return false;
    pqti_drop_replaced(domain, &old);
    return true;
}

#ifndef PQT_PLAIN

/*
 * Fast path. It is equivalent to pqti_replace_children at each node of a path. Every test passes
 * without it.
 *
 * If the qbox of a node does not change when a child is replaced, the qboxes of the nodes above it
 * do not change either, and are not computed.
 */

/* Returns true if a step of the path is plain: the replaced child is a quadrant that does not
   become empty, and its node does not become a leaf. Nearly all steps are plain. */
static inline bool
is_plain_step(const pqti_domain *domain, const pqti_path_step *entry, uint32_t tagged_count)
{
    return entry->child_index != PQTI_OWN_ITEMS && tagged_count != 0 &&
           pqti_stays_node(domain,
                           (entry->tagged_count & PQTI_COUNT_MASK) -
                               (entry->node->count[entry->child_index] & PQTI_COUNT_MASK) +
                               (tagged_count & PQTI_COUNT_MASK),
                           0);
}

/*
 * Replaces the child in a step of the path that is not plain. If own items are replaced, their qbox
 * is not known, because it is not stored.
 */
static PQTI_NOINLINE bool
replace_child(const pqti_domain *domain, const pqti_path_step *path, size_t i,
              pqt_fingerprint change, pqti_node_ref *child)
{
    const pqti_path_step *entry = &path[i];
    bool is_quadrant = i > 0 && path[i - 1].child_index != PQTI_OWN_ITEMS;
    pqti_node_ref children[PQTI_CHILDREN];
    children[entry->child_index] = *child;
    *child =
        is_quadrant ? pqti_quadrant_ref(path[i - 1].node, path[i - 1].child_index) : PQTI_EMPTY_REF;
    child->at = entry->node;
    child->tagged_count = entry->tagged_count;
    if (!replace_children(domain, entry->level, children, 1u << entry->child_index, change, child))
        return false;
    if ((entry->tagged_count & PQTI_SKIP_BIT) != 0)
        child->skips = child->count > 0 && !child->leaf;
    return true;
}

/* Says whether the replaced subtree has the same qbox and the same side range as the old one. If
   so, they do not change in the nodes above it. */
typedef struct unchanged {
    bool qbox, side_range;
} unchanged;

static PQTI_NOINLINE void
set_side_range(pqti_inner *node, const pqti_path_step *entry, pqti_node_ref child, unchanged *kept)
{
    kept->side_range =
        kept->side_range || pqti_side_range_unchanged(entry->node, entry->child_index, &child);
    *own_side_range(node) =
        kept->side_range ? *pqti_side_range_of(entry->node) : pqti_side_range_of_quadrants(node);
}

/* Replaces the child in a plain step of the path. */
static inline bool
replace_quadrant(const pqti_domain *domain, const pqti_path_step *entry, pqt_fingerprint change,
                 pqti_node_ref *at, unchanged *kept)
{
    const pqti_node_ref old = {entry->node, {entry->tagged_count}, PQTI_EMPTY_QBOX};
    const pqti_node_ref own = pqti_own_ref(entry->node, old.count);
    pqti_inner *node = copy_node(domain, old, own, change);
    if (node == NULL)
        return false;
    const uint32_t others =
        old.tagged_count - (entry->node->count[entry->child_index] & PQTI_COUNT_MASK);
    kept->qbox = kept->qbox ||
                 equal_extents(pqti_quadrant_ref(entry->node, entry->child_index).qbox, at->qbox);
    if (kept->qbox) {
        node->child[entry->child_index] = at->at;
        node->count[entry->child_index] = at->tagged_count;
    } else {
        set_quadrant(node, entry->child_index, *at);
        at->qbox = qbox_of_inner(domain, entry->level, node, own);
    }
    if (old.is_hash)
        set_side_range(node, entry, *at, kept);
    at->at = node;
    at->tagged_count = others + (at->tagged_count & PQTI_COUNT_MASK);
    PQTI_DEBUG_ASSERT(
        node_agrees_with_children(node, (pqti_node_ref){node, {at->tagged_count}, PQTI_EMPTY_QBOX}),
        "a node does not agree with its children");
    return true;
}

/* Drops the nodes of a path that was copied. None is owned below one that is not. */
static PQTI_NOINLINE void
drop_path(const pqti_domain *domain, const pqti_path_step *path, size_t length)
{
    for (size_t i = 0; i < length && pqti_owns(&domain->draft->owner, path[i].node); i++)
        pqti_drop_owned(domain, (pqti_node_ref){path[i].node, {path[i].tagged_count}, {0}});
}

bool
pqti_copy_path(const pqti_domain *domain, const pqti_path_step *path, size_t length,
               pqti_qbox whole, pqt_fingerprint change, pqti_node_ref *at)
{
    unchanged kept = {false, false};
    PQTI_DEBUG_ASSERT(length <= PQTI_MAX_DEPTH, "a path is longer than a tree is deep");
    for (size_t i = length; i-- > 0;) {
        const pqti_path_step *entry = &path[i];
        if (is_plain_step(domain, entry, at->tagged_count)) {
            if (!replace_quadrant(domain, entry, change, at, &kept))
                return false;
            continue;
        }
        if (kept.qbox && entry->child_index != PQTI_OWN_ITEMS)
            at->qbox = pqti_quadrant_ref(entry->node, entry->child_index).qbox;
        kept = (unchanged){false, false};
        if (!replace_child(domain, path, i, change, at))
            return false;
    }
    if (kept.qbox)
        at->qbox = whole;
    if (domain->draft != NULL)
        drop_path(domain, path, length);
    return true;
}

/* Replaces the child in a plain step of the path, in the node itself. */
static inline void
change_quadrant(const pqti_domain *domain, const pqti_path_step *entry, pqt_fingerprint change,
                unchanged *kept, pqti_node_ref *at)
{
    pqti_inner *node = (pqti_inner *)(uintptr_t)entry->node;
    const int i = entry->child_index;
    const pqti_node_ref before = pqti_quadrant_ref(node, i);
    const uint32_t others = entry->tagged_count - before.count;
    node->fingerprint = pqti_fingerprint_add(node->fingerprint, change);
    kept->qbox = kept->qbox || equal_extents(before.qbox, at->qbox);
    if ((entry->tagged_count & PQTI_HASH_BIT) != 0)
        kept->side_range = kept->side_range || pqti_side_range_unchanged(node, i, at);
    node->child[i] = at->at;
    node->count[i] = at->tagged_count;
    at->tagged_count = others + at->count;
    at->at = node;
    if ((entry->tagged_count & PQTI_HASH_BIT) != 0 && !kept->side_range)
        *own_side_range(node) = pqti_side_range_of_quadrants(node);
    if (kept->qbox)
        return;
    set_quadrant_qbox(node, i, at->qbox);
    at->qbox = qbox_of_inner(domain, entry->level, node, pqti_own_ref(node, at->count));
}

/* Returns the number of nodes at the beginning of the path whose steps are plain, whatever the
   steps below them do. Counts grow upwards, so only the lowest of these nodes could become a
   leaf. */
static inline size_t
count_plain_steps(const pqti_domain *domain, const pqti_path_step *path, size_t length,
                  const pqti_node_ref *at)
{
    size_t plain = 0;
    if (length == 0)
        return 0;
    const pqti_path_step *last = &path[length - 1];
    const pqti_node_ref before =
        pqti_child_ref(last->node, last->tagged_count & PQTI_COUNT_MASK, last->child_index);
    while (plain < length && path[plain].child_index != PQTI_OWN_ITEMS)
        plain++;
    if (plain == length && at->count == 0)
        plain--;
    while (plain > 0 && !pqti_stays_node(domain,
                                         (path[plain - 1].tagged_count & PQTI_COUNT_MASK) -
                                             before.count + at->count,
                                         0))
        plain--;
    return plain;
}

/* The nodes above the lowest one that the draft owns are owned as well. */
bool
pqti_copy_not_owned(const pqti_domain *domain, const pqti_path_step *path, size_t length,
                    pqti_qbox whole, pqt_fingerprint change, size_t *owned, pqti_node_ref *at)
{
    const pqti_owner *owner = &domain->draft->owner;
    size_t rest = count_plain_steps(domain, path, length, at);
    if (rest > 0 && !pqti_owns(owner, path[0].node))
        rest = 0;
    while (rest > 0 && !pqti_owns(owner, path[rest - 1].node))
        rest--;
    *owned = rest;
    if (rest == length)
        return true;
    const pqti_qbox top =
        rest > 0 ? pqti_quadrant_ref(path[rest - 1].node, path[rest - 1].child_index).qbox : whole;
    return pqti_copy_path(domain, path + rest, length - rest, top, change, at);
}

void
pqti_change_owned(const pqti_domain *domain, const pqti_path_step *path, size_t owned,
                  pqti_qbox whole, pqt_fingerprint change, pqti_node_ref *at)
{
    unchanged kept = {false, false};
    for (size_t i = owned; i-- > 0;)
        change_quadrant(domain, &path[i], change, &kept, at);
    if (kept.qbox)
        at->qbox = whole;
}

#endif

/* ---- Leaves ---- */

/*
 * Allocates the block of a leaf. The collector must scan it if its ids point to collected memory.
 */
static void *
leaf_block(const pqti_domain *domain, size_t count)
{
    pqt_memory *memory = domain->options.memory;
    size_t size = pqti_leaf_size(count);
    if (domain->options.ids_are_pointers)
        return pqti_alloc_scanned_leaf(memory, size);
    return domain->draft != NULL ? pqti_owner_alloc_leaf(&domain->draft->owner, size)
                                 : pqti_alloc_leaf(memory, size);
}

static pqti_node_ref
leaf_ref(const pqti_domain *domain, pqti_level level, const void *block, size_t count)
{
    return (pqti_node_ref){
        block, {(uint32_t)count | PQTI_LEAF_BIT}, pqti_leaf_qbox(domain, level, block, count)};
}

/* Writes an item to index i of a leaf's block. */
static inline void
write_item(void *block, size_t count, size_t i, const pqt_item *item)
{
    double *numbers = block;
    uint64_t *words = block;
    numbers[i] = item->box.min.x;
    numbers[count + i] = item->box.min.y;
    numbers[2 * count + i] = item->box.max.x;
    numbers[3 * count + i] = item->box.max.y;
    words[4 * count + i] = item->id;
}

bool
pqti_leaf_of(const pqti_domain *domain, pqti_level level, const pqt_item *items, size_t count,
             pqti_node_ref *leaf)
{
    *leaf = PQTI_EMPTY_REF;
    if (count == 0)
        return true;
    void *block = leaf_block(domain, count);
    if (block == NULL)
        return false;
    for (size_t i = 0; i < count; i++)
        write_item(block, count, i, &items[i]);
    *leaf = leaf_ref(domain, level, block, count);
    return true;
}

/* A copy of items to a new leaf. */
typedef struct transfer {
    void *to;
    size_t count; /* the number of items in the new leaf */
    pqti_leaf_view from;
    cover cover;
} transfer;

/* Copies one side of two boxes to index `to` of one of the leaf's arrays. `array` is 0 to 3, in
   the order of pqti_leaf_view. */
static inline pqti_f64x2
copy_pair(const transfer *t, size_t array, size_t to, const double *from)
{
    const pqti_f64x2 pair = pqti_f64x2_load(from);
    pqti_f64x2_store((double *)t->to + array * t->count + to, pair);
    return pair;
}

/* Copies items two at a time, in all five arrays. Copies ids as integers. */
static inline void
copy_items(transfer *t, size_t to, size_t from, size_t end)
{
    for (; from + 2 <= end; from += 2, to += 2) {
        pqti_f64x2 min_x = copy_pair(t, 0, to, t->from.min_x + from);
        pqti_f64x2 min_y = copy_pair(t, 1, to, t->from.min_y + from);
        pqti_f64x2 max_x = copy_pair(t, 2, to, t->from.max_x + from);
        pqti_f64x2 max_y = copy_pair(t, 3, to, t->from.max_y + from);
        memcpy((uint64_t *)t->to + 4 * t->count + to, t->from.id + from, 2 * sizeof *t->from.id);
        extend_qbox_by_two(&t->cover, min_x, min_y, max_x, max_y);
    }
    if (from < end) {
        pqt_item item = pqti_view_item(t->from, from);
        write_item(t->to, t->count, to, &item);
        cover_box(&t->cover, &item.box);
    }
}

/* Computes the cover of the leaf while it copies. If it loaded two numbers at once after storing
   them one by one, the load would have to wait for the stores. */
bool
pqti_leaf_of_runs(const pqti_domain *domain, pqti_level level, const pqti_leaf_view *old,
                  const pqti_item_run *runs, size_t run_count, size_t count, pqti_node_ref *leaf)
{
    *leaf = PQTI_EMPTY_REF;
    PQTI_DEBUG_ASSERT(pqti_fits_leaf(domain, level, count), "a leaf holds more than its capacity");
    if (count == 0)
        return true;
    transfer t = {leaf_block(domain, count), count, *old, empty_cover()};
    if (t.to == NULL)
        return false;
    size_t next = 0;
    for (const pqti_item_run *s = runs; s < runs + run_count; s++) {
        copy_items(&t, next, s->from, s->to);
        PQTI_DEBUG_ASSERT(s->from <= s->to, "a run of items ends before it begins");
        next += s->to - s->from;
        if (s->inserted == NULL)
            continue;
        write_item(t.to, count, next++, s->inserted);
        cover_box(&t.cover, &s->inserted->box);
    }
    PQTI_DEBUG_ASSERT(next == count, "runs and their leaf hold different numbers of items");
    *leaf = (pqti_node_ref){
        t.to, {(uint32_t)count | PQTI_LEAF_BIT}, qbox_of_cover(domain, level, &t.cover)};
    return true;
}

bool
pqti_leaf_of_keys(const pqti_domain *domain, pqti_level level, const pqt_item *items,
                  const pqti_key *keys, size_t count, pqti_node_ref *leaf,
                  pqt_fingerprint *fingerprint)
{
    PQT_INVARIANT(pqti_fits_leaf(domain, level, count), "a leaf holds more than its capacity");
    void *block = leaf_block(domain, count);
    if (block == NULL)
        return false;
    pqt_fingerprint sum = *fingerprint;
    for (size_t i = 0; i < count; i++) {
        const pqt_item *item = &items[keys[i].index];
        write_item(block, count, i, item);
        sum = pqti_fingerprint_add(sum, pqti_item_fingerprint_in_loop(item));
    }
    *fingerprint = sum;
    *leaf = leaf_ref(domain, level, block, count);
    return true;
}

/* Writes items to a leaf one by one. */
typedef struct leaf_writer {
    void *block;
    size_t count, next;
} leaf_writer;

static bool
write_next(const pqt_item *item, void *context)
{
    leaf_writer *writer = context;
    write_item(writer->block, writer->count, writer->next++, item);
    return true;
}

bool
pqti_leaf_of_children(const pqti_domain *domain, pqti_level level,
                      const pqti_node_ref children[PQTI_CHILDREN], size_t count,
                      pqti_node_ref *leaf)
{
    *leaf = PQTI_EMPTY_REF;
    if (count == 0)
        return true;
    leaf_writer writer = {leaf_block(domain, count), count, 0};
    if (writer.block == NULL)
        return false;
    for (int i = 0; i < PQTI_CHILDREN; i++)
        pqti_each_item(children[pqti_child_order[i]], write_next, &writer);
    PQT_INVARIANT(writer.next == count, "children and their leaf hold different numbers of items");
    *leaf = leaf_ref(domain, level, writer.block, count);
    return true;
}

/*
 * Bulk building from sorted keys.
 *
 * The keys of a child are consecutive, and bisection finds the last one. Ranges of keys are divided
 * until they fit into leaves. The items themselves are read only when leaves are made.
 */

size_t
pqti_subtree_size(pqti_level level, int child_index, const pqt_item *items, const pqti_key *keys,
                  size_t count)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (pqti_child_index(level, &keys[middle], &items[keys[middle].index]) == child_index)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool
build_inner(const pqti_domain *domain, pqti_level level, const pqt_item *items,
            const pqti_key *keys, size_t count, pqti_node_ref *built, pqt_fingerprint *fingerprint)
{
    pqti_node_ref children[PQTI_CHILDREN];
    pqt_fingerprint sum = {0, 0};
    size_t from = 0;
    pqti_prefetch_items(items, keys, count);
    for (int i = 0; i < PQTI_CHILDREN; i++) {
        int child_index = pqti_child_order[i];
        size_t size = pqti_subtree_size(level, child_index, items, keys + from, count - from);
        if (!pqti_build(domain, pqti_child_level(domain, level, child_index), items, keys + from,
                        size, &children[child_index], &sum))
            return false;
        from += size;
    }
    PQTI_DEBUG_ASSERT(from == count, "sorted items belong to no child");
    *fingerprint = pqti_fingerprint_add(*fingerprint, sum);
    return pqti_inner_from_children(domain, level, children, sum, built);
}

bool
pqti_build(const pqti_domain *domain, pqti_level level, const pqt_item *items, const pqti_key *keys,
           size_t count, pqti_node_ref *built, pqt_fingerprint *fingerprint)
{
    *built = PQTI_EMPTY_REF;
    if (count == 0)
        return true;
    if (pqti_fits_leaf(domain, level, count))
        return pqti_leaf_of_keys(domain, level, items, keys, count, built, fingerprint);
    return build_inner(domain, level, items, keys, count, built, fingerprint);
}
