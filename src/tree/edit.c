/* SPDX-License-Identifier: MIT */
/*
 * edit.c: makes items present or absent in one descent, by path copying.
 *
 * At a node, the sorted edits form one range for each child, as the items do. A child without edits
 * is shared. Leaves are edited in edit_leaf.c. On the way back up, each node is copied with its new
 * children (node_build.c). A node that removals could turn into a leaf is edited as if it were a
 * leaf. Otherwise, new leaves would be made below it only to be dropped. A subtree in which most
 * leaves would change is rebuilt (edit_rebuild.c).
 */
#include "config.h"

#include "tree/edit.h"

#include "memory/memory_internal.h"
#include "tree/draft_state.h"
#include "tree/edit_leaf.h"
#include "tree/edit_list.h"
#include "tree/edit_rebuild.h"
#include "tree/node_build.h"
#include "tree/path_compress.h"

/*
 * A subtree of at most MOST_REBUILT items is rebuilt if there are more than LEAST_EDITS edits and
 * at least one for every ITEMS_PER_EDIT items. Compared with editing leaves one by one, rebuilding
 * costs a third more if there are 0.15 edits per item, and a tenth less if there are 0.3. The edits
 * of a larger subtree are first divided among its children, so that the items of each rebuilt
 * subtree stay in the cache.
 */
enum { MOST_REBUILT = 512, ITEMS_PER_EDIT = 4, LEAST_EDITS = 8 };

/* Returns true if there are so few items and edits that edit_leaf.c can apply them. */
static bool
are_few(const pqti_domain *domain, pqti_level level, pqti_node_ref ref, pqti_edits edits)
{
    if (ref.count <= PQTI_FEW_ITEMS)
        return edits.count <= PQTI_FEW_ITEMS;
    return ref.leaf && edits.count <= LEAST_EDITS &&
           pqti_fits_leaf(domain, level, ref.count + edits.count);
}

enum { MOST_FETCHED = 16 /* the number of edits whose children are prefetched */ };

static bool
is_to_be_rebuilt(pqti_node_ref ref, const pqti_edits *edits)
{
    return edits->count > LEAST_EDITS && edits->count >= ref.count / ITEMS_PER_EDIT &&
           ref.count <= MOST_REBUILT && pqti_is_node(ref);
}

static size_t
count_removals(const pqti_edits *edits)
{
    size_t removals = 0;
    for (size_t i = 0; i < edits->count; i++)
        removals += edits->keys[i].removal;
    return removals;
}

/*
 * Returns the child to which the first edit belongs, and sets `*count` to the number of edits that
 * belong to it.
 */
static int
first_edited_child(pqti_level level, pqti_edits edits, size_t *count)
{
    int child_index = pqti_child_index(level, &edits.keys[0], &edits.items[edits.keys[0].index]);
    for (*count = 1; *count < edits.count; ++*count) {
        const pqti_key *key = &edits.keys[*count];
        if (pqti_child_index(level, key, &edits.items[key->index]) != child_index)
            break;
    }
    return child_index;
}

/* A move is a removal plus an insertion. If they go to different children, puts the removal
   first: if it finds that the item is absent, the insertion is skipped. */
static PQTI_NOINLINE const pqti_key *
removal_first(pqti_level level, const pqt_item *items, const pqti_key *keys, pqti_key turned[2])
{
    int first = pqti_child_index(level, &keys[0], &items[keys[0].index]);
    if (first == pqti_child_index(level, &keys[1], &items[keys[1].index]))
        return keys;
    turned[0] = keys[1];
    turned[1] = keys[0];
    return turned;
}

/* Prefetches the children to which the first MOST_FETCHED edits belong. */
static void
prefetch_edited_children(pqti_level level, pqti_node_ref ref, const pqti_edits *edits)
{
    for (size_t i = 0; i < edits->count && i < MOST_FETCHED; i++) {
        const pqti_key *key = &edits->keys[i];
        int child_index = pqti_child_index(level, key, &edits->items[key->index]);
        pqti_prefetch_child(pqti_child_ref(ref.at, ref.count, child_index));
    }
}

/* Edits a node at its own level. Reads only the children with edits. */
static pqti_outcome
edit_inner_node(const pqti_domain *domain, pqti_level level, const pqti_edits *edits,
                pqti_node_ref *ref, pqt_fingerprint *fingerprint)
{
    pqti_edits rest = *edits; /* the edits of children that are not visited yet */
    pqti_key turned[2];
    pqti_node_ref children[PQTI_CHILDREN];
    pqt_fingerprint change = {0, 0};
    unsigned changed = 0;
    if (rest.is_move && rest.count == 2 && !rest.keys[0].removal)
        rest.keys = removal_first(level, rest.items, rest.keys, turned);
    pqti_prefetch_items(rest.items, rest.keys, rest.count);
    if (rest.count > 2)
        prefetch_edited_children(level, *ref, &rest);
    while (rest.count > 0) {
        pqti_edits own = rest;
        int child_index = first_edited_child(level, rest, &own.count);
        rest.keys += own.count;
        rest.count -= own.count;
        children[child_index] = pqti_child_ref(ref->at, ref->count, child_index);
        pqti_outcome outcome = pqti_edit(domain, pqti_child_level(domain, level, child_index), own,
                                         &children[child_index], &change);
        bool missed = rest.is_move && outcome == PQTI_SAME && own.keys[0].removal;
        if (outcome == PQTI_FAILED || missed)
            return outcome;
        changed |= (outcome == PQTI_CHANGED ? 1u : 0u) << child_index;
    }
    if (changed == 0)
        return PQTI_SAME;
    if (!pqti_replace_children(domain, level, children, changed, change, ref))
        return PQTI_FAILED;
    *fingerprint = pqti_fingerprint_add(*fingerprint, change);
    return PQTI_CHANGED;
}

/*
 * Edits a node below a compressed edge: at the node's own level if all edits follow the edge to its
 * end, otherwise at the level where the first of them leaves the edge.
 */
static PQTI_NOINLINE pqti_outcome
edit_skip(const pqti_domain *domain, pqti_level level, const pqti_edits *edits, pqti_node_ref *ref,
          pqt_fingerprint *fingerprint)
{
    pqti_inner virtual_node;
    pqti_skip skip = pqti_skip_of(domain, level, ref);
    unsigned depth = pqti_skip_match(&skip, level, skip.end, edits->keys, edits->count);
    pqti_level at = pqti_level_on_skip(domain, level, depth);
    pqti_node_ref node = pqti_expand_skip(domain, level, &skip, ref, depth, &virtual_node);
    pqti_outcome outcome = edit_inner_node(domain, at, edits, &node, fingerprint);
    if (outcome == PQTI_CHANGED)
        *ref = pqti_recompress(level, at, node);
    return outcome;
}

static inline pqti_outcome
edit_children(const pqti_domain *domain, pqti_level level, const pqti_edits *edits,
              pqti_node_ref *ref, pqt_fingerprint *fingerprint)
{
    return (ref->skips ? edit_skip : edit_inner_node)(domain, level, edits, ref, fingerprint);
}

/* Builds a subtree in place of an empty one. All edits are insertions. */
static pqti_outcome
build_new(const pqti_domain *domain, pqti_level level, const pqti_edits *edits, pqti_node_ref *ref,
          pqt_fingerprint *fingerprint)
{
    bool built =
        pqti_build(domain, level, edits->items, edits->keys, edits->count, ref, fingerprint);
    return built ? PQTI_CHANGED : PQTI_FAILED;
}

static pqti_outcome
edit_subtree(const pqti_domain *domain, pqti_level level, const pqti_edits *edits,
             pqti_node_ref *ref, pqt_fingerprint *fingerprint)
{
    if (edits->count == 0)
        return PQTI_SAME;
    if (is_to_be_rebuilt(*ref, edits))
        return pqti_rebuild(domain, level, edits, ref, fingerprint);
    if (!ref->leaf && pqti_stays_node(domain, ref->count, ref->count / 2u))
        return edit_children(domain, level, edits, ref, fingerprint);
    size_t removals = count_removals(edits);
    if (ref->count == 0 && removals == 0)
        return build_new(domain, level, edits, ref, fingerprint);
    bool inner = !ref->leaf && pqti_stays_node(domain, ref->count, (uint32_t)removals);
    if (!inner && !are_few(domain, level, *ref, *edits))
        return pqti_rebuild(domain, level, edits, ref, fingerprint);
    if (!inner) {
        pqti_outcome outcome = pqti_edit_few(domain, level, *edits, ref, fingerprint, &inner);
        if (!inner)
            return outcome;
    }
    return edit_children(domain, level, edits, ref, fingerprint);
}

#ifndef PQT_PLAIN

/*
 * Fast path. It is equivalent to edit_subtree. Every test passes without it.
 *
 * Most calls apply a single edit, or a removal and an insertion whose items are near each other.
 * One loop descends and records the path of these edits. Then pqti_copy_path copies the nodes of
 * the path from the bottom up.
 */

/* Returns true if all edits go to the same child of a node at `level`. */
static inline bool
go_to_one_child(pqti_level level, pqti_edits edits)
{
    const pqti_key *first = &edits.keys[0], *last = &edits.keys[edits.count - 1];
    return last == first || pqti_child_index(level, last, &edits.items[last->index]) ==
                                pqti_child_index(level, first, &edits.items[first->index]);
}

/*
 * Sets *own to the level at the end of a compressed edge. Returns true if all edits follow the edge
 * to its end and then go to the same child.
 */
static PQTI_NOINLINE bool
follow_skip(const pqti_domain *domain, pqti_edits edits, pqti_level level, pqti_node_ref ref,
            pqti_level *own)
{
    pqti_skip skip = pqti_skip_of(domain, level, &ref);
    unsigned depth = pqti_skip_match(&skip, level, skip.end, edits.keys, edits.count);
    *own = pqti_level_on_skip(domain, level, skip.end);
    return depth >= skip.end && go_to_one_child(*own, edits);
}

/* Descends to a child and records the step. */
static inline void
step_down(const pqti_domain *domain, int child_index, pqti_level *level, pqti_node_ref *ref,
          pqti_path_step *entry)
{
    pqti_prefetch(ref->at); /* the cache line that contains the qboxes */
    *entry = (pqti_path_step){ref->at, ref->tagged_count, *level, (int8_t)child_index};
    *ref = pqti_child_without_qbox(ref->at, ref->count, child_index);
    *level = pqti_child_level(domain, *level, child_index);
}

/*
 * Records the rest of a path, which leads through hash nodes. Computes the hash of each edit once.
 */
static PQTI_NOINLINE size_t
path_of_hash_nodes(const pqti_domain *domain, pqti_edits edits, uint32_t limit, pqti_level *level,
                   pqti_node_ref *ref, pqti_path_step *path)
{
    const uint64_t first = pqti_item_hash(&edits.items[edits.keys[0].index]);
    const uint64_t last = pqti_item_hash(&edits.items[edits.keys[edits.count - 1].index]);
    size_t length = 0;
    while (!ref->leaf && ref->count > limit) {
        const int child_index = pqti_digit(first, level->depth);
        if (pqti_digit(last, level->depth) != child_index)
            break;
        step_down(domain, child_index, level, ref, &path[length++]);
    }
    return length;
}

/*
 * Records the path of one or two edits down to the node at which they diverge, or to one with so
 * few items that removals could turn it into a leaf. Returns the length of the path, and sets `ref`
 * and `level` to its end. A move removes one item and inserts one, so it does not change the count,
 * unless the inserted item is already present. The loop works on copies of `ref` and `level`, which
 * the compiler keeps in registers.
 */
static PQTI_INLINE size_t
path_of_few_edits(const pqti_domain *domain, pqti_edits edits, pqti_level *end_level,
                  pqti_node_ref *end, pqti_path_step *path)
{
    pqti_level level = *end_level;
    pqti_node_ref ref = *end;
    const pqti_key *first = &edits.keys[0], *last = &edits.keys[edits.count - 1];
    const bool in_turn = edits.is_move && edits.count == 2;
    const uint32_t limit = pqti_leaf_limit(domain, in_turn ? 0 : (uint32_t)edits.count);
    size_t length = 0;
    bool meets_hash_node = false;
    while (ref.count > limit) {
        if (ref.tagged_count >= PQTI_SKIP_BIT) {
            pqti_level own = level;
            if (ref.leaf || (ref.skips && !follow_skip(domain, edits, level, ref, &own)))
                break;
            level = own;
            meets_hash_node = ref.is_hash;
            if (meets_hash_node)
                break;
        }
        int child_index = pqti_child_index(level, first, &edits.items[first->index]);
        if (last != first &&
            pqti_child_index(level, last, &edits.items[last->index]) != child_index)
            break;
        step_down(domain, child_index, &level, &ref, &path[length++]);
    }
    *end_level = level;
    *end = ref;
    if (meets_hash_node)
        length += path_of_hash_nodes(domain, edits, limit, end_level, end, path + length);
    if (length > 0 && path[length - 1].child_index != PQTI_OWN_ITEMS)
        end->qbox = pqti_quadrant_ref(path[length - 1].node, path[length - 1].child_index).qbox;
    return length;
}

/* Sets the result of an edit. */
static inline pqti_outcome
set_edited(const pqti_node_ref *at, pqt_fingerprint change, pqti_node_ref *ref,
           pqt_fingerprint *fingerprint)
{
    ref->at = at->at;
    ref->tagged_count = at->tagged_count;
    ref->qbox = at->qbox;
    *fingerprint = pqti_fingerprint_add(*fingerprint, change);
    return PQTI_CHANGED;
}

/* Applies one or two edits: descends to the node at which they diverge, edits it, and copies the
   path. */
static PQTI_NOINLINE pqti_outcome
edit_along_path(const pqti_domain *domain, pqti_level level, pqti_edits edits, pqti_node_ref *ref,
                pqt_fingerprint *fingerprint)
{
    pqti_path_step path[PQTI_MAX_DEPTH];
    pqt_fingerprint change = {0, 0};
    pqti_node_ref at = *ref;
    size_t length = path_of_few_edits(domain, edits, &level, &at, path);
    pqti_outcome outcome = edit_subtree(domain, level, &edits, &at, &change);
    if (outcome != PQTI_CHANGED)
        return outcome;
    if (!pqti_copy_path(domain, path, length, ref->qbox, change, &at))
        return PQTI_FAILED;
    return set_edited(&at, change, ref, fingerprint);
}

/* The path of edits of a draft, and the subtree at its end. */
typedef struct draft_path {
    pqti_path_step steps[PQTI_MAX_DEPTH];
    size_t length;
    size_t owned; /* the number of nodes at the beginning that are changed in place */
    pqti_level level;
    pqti_node_ref at;
    pqt_fingerprint change;
} draft_path;

static PQTI_NOINLINE void
begin_path(const pqti_domain *domain, pqti_edits edits, pqti_level level, pqti_node_ref from,
           draft_path *p)
{
    p->level = level;
    p->at = from;
    p->change = (pqt_fingerprint){0, 0};
    p->length = path_of_few_edits(domain, edits, &p->level, &p->at, p->steps);
}

/* Edits the subtree at the end of a path, and copies the nodes that are not owned. */
static inline pqti_outcome
edit_end(const pqti_domain *domain, const pqti_edits *edits, pqti_qbox whole, draft_path *p)
{
    const pqti_outcome outcome = edit_subtree(domain, p->level, edits, &p->at, &p->change);
    if (outcome == PQTI_CHANGED &&
        !pqti_copy_not_owned(domain, p->steps, p->length, whole, p->change, &p->owned, &p->at))
        return PQTI_FAILED;
    return outcome;
}

/*
 * The two ways of a far move below the node at which they part, the *fork*.
 *
 * In the general case, the fork and the nodes below it on both ways are copied. If the draft owns
 * the fork, both ways are prepared as the path of a single edit is, and then changed one after the
 * other.
 */
typedef struct fork_ways {
    draft_path away, there;        /* of the removal and of the insertion; both begin at the fork */
    pqti_edits removal, insertion; /* one edit each */
} fork_ways;

/* Returns true if all nodes of a path are owned and its steps lead to quadrants. */
static bool
owns_path(const pqti_owner *owner, const draft_path *p)
{
    for (size_t i = 0; i < p->length; i++)
        if (p->steps[i].child_index == PQTI_OWN_ITEMS)
            return false;
    return p->length == 0 ||
           (pqti_owns(owner, p->steps[0].node) && pqti_owns(owner, p->steps[p->length - 1].node));
}

static inline bool
begins_at_quadrant(const draft_path *way, pqti_node_ref fork)
{
    return way->length > 0 && way->steps[0].node == fork.at &&
           way->steps[0].child_index != PQTI_OWN_ITEMS;
}

/* Descends on both ways. Returns true if the draft owns the fork, and the move changes two of its
   quadrants, of which the removal empties none. */
static PQTI_NOINLINE bool
find_ways(const pqti_domain *domain, const pqti_edits *edits, const draft_path *p, fork_ways *ways)
{
    const pqti_owner *owner = &domain->draft->owner;
    const int removal = edits->keys[0].removal ? 0 : 1;
    if (!pqti_owns(owner, p->at.at) || !pqti_stays_node(domain, p->at.count, 1) ||
        !owns_path(owner, p))
        return false;
    ways->removal = (pqti_edits){edits->items, edits->keys + removal, 1, false};
    ways->insertion = (pqti_edits){edits->items, edits->keys + (1 - removal), 1, false};
    begin_path(domain, ways->removal, p->level, p->at, &ways->away);
    begin_path(domain, ways->insertion, p->level, p->at, &ways->there);
    return begins_at_quadrant(&ways->away, p->at) && begins_at_quadrant(&ways->there, p->at) &&
           (ways->away.length > 1 || ways->away.at.count > 1);
}

/* Edits the ends of both ways, and then changes the ways. If the inserted item is present already,
   the move only removes. */
static PQTI_NOINLINE pqti_outcome
edit_ways(const pqti_domain *domain, fork_ways *ways, draft_path *p)
{
    draft_path *away = &ways->away, *there = &ways->there;
    pqti_outcome outcome = edit_end(domain, &ways->removal, p->at.qbox, away);
    if (outcome != PQTI_CHANGED)
        return outcome;
    outcome = edit_end(domain, &ways->insertion, p->at.qbox, there);
    if (outcome == PQTI_FAILED)
        return PQTI_FAILED;
    pqti_change_owned(domain, away->steps, away->owned, p->at.qbox, away->change, &away->at);
    p->at = away->at;
    p->change = away->change;
    if (outcome == PQTI_SAME)
        return PQTI_CHANGED;
    there->steps[0].tagged_count--;
    pqti_change_owned(domain, there->steps, there->owned, p->at.qbox, there->change, &there->at);
    p->at = there->at;
    p->change = pqti_fingerprint_add(p->change, there->change);
    return PQTI_CHANGED;
}

/* Applies one or two edits of a draft. Nothing fails once a node is changed in place. */
static pqti_outcome
edit_in_place(const pqti_domain *domain, pqti_edits edits, pqti_node_ref *ref,
              pqt_fingerprint *fingerprint)
{
    draft_path p;
    fork_ways ways;
    begin_path(domain, edits, PQTI_ROOT, *ref, &p);
    const bool forks = edits.is_move && pqti_is_node(p.at) && find_ways(domain, &edits, &p, &ways);
    const pqti_outcome outcome =
        forks ? edit_ways(domain, &ways, &p) : edit_end(domain, &edits, ref->qbox, &p);
    if (outcome != PQTI_CHANGED)
        return outcome;
    pqti_change_owned(domain, p.steps, forks ? p.length : p.owned, ref->qbox, p.change, &p.at);
    return set_edited(&p.at, p.change, ref, fingerprint);
}

#endif

pqti_outcome
pqti_edit(const pqti_domain *domain, pqti_level level, pqti_edits edits, pqti_node_ref *ref,
          pqt_fingerprint *fingerprint)
{
#ifndef PQT_PLAIN
    if (edits.count == 1 || edits.count == 2)
        return edit_along_path(domain, level, edits, ref, fingerprint);
#endif
    return edit_subtree(domain, level, &edits, ref, fingerprint);
}

pqti_outcome
pqti_edit_draft(const pqti_domain *domain, pqti_edits edits, pqti_node_ref *ref,
                pqt_fingerprint *fingerprint)
{
#ifndef PQT_PLAIN
    return edit_in_place(domain, edits, ref, fingerprint);
#else
    return edit_subtree(domain, PQTI_ROOT, &edits, ref, fingerprint);
#endif
}
