/* SPDX-License-Identifier: MIT */
/*
 * edit.c - path copying: one descent that makes items present or absent.
 *
 * At an inner node the edits fall into ranges, one for each part, as the items themselves do; a
 * part without edits is taken over as it is, in the copy of the node. Leaves are edited in
 * edit_leaf.c. The way back exchanges the parts: only there is decided whether a node stays one. A
 * node that removals could turn into a leaf is edited as if it were one, lest its leaves be made in
 * vain. Where most leaves of a part would change, the part is made anew (edit_rebuild.c).
 */
#include "config.h"

#include "tree/edit.h"

#include "memory/memory_internal.h"
#include "tree/edit_leaf.h"
#include "tree/edit_list.h"
#include "tree/edit_rebuild.h"
#include "tree/node_build.h"
#include "tree/path_compress.h"

/*
 * From this share of edits on, a part of so many items is made anew: with 0.15 edits an item that
 * costs a third more than to edit its leaves one by one, with 0.3 a tenth less. A larger part is
 * divided first: its items stay in the cache then.
 */
enum { MOST_REBUILT = 512, SHARE_REBUILT = 4, LEAST_EDITS = 8 };

/* Whether items and edits are few enough for the one to be looked for among the other. */
static bool
are_few(const pqti_space *space, pqti_place place, pqti_ref ref, pqti_edits edits)
{
    if (ref.count <= PQTI_FEW_ITEMS)
        return edits.count <= PQTI_FEW_ITEMS;
    return ref.leaf && edits.count <= LEAST_EDITS &&
           pqti_is_leaf_at(space, place, ref.count + edits.count);
}

enum { MOST_FETCHED = 16 /* edits whose parts are asked for before they are needed */ };

static bool
is_to_be_rebuilt(const pqti_space *space, pqti_ref ref, pqti_edits edits)
{
    return !ref.leaf && ref.count > space->capacity && ref.count <= MOST_REBUILT &&
           edits.count > LEAST_EDITS && edits.count >= ref.count / SHARE_REBUILT;
}

static size_t
count_removals(pqti_edits edits)
{
    size_t removals = 0;
    for (size_t i = 0; i < edits.count; i++)
        removals += edits.entries[i].removal;
    return removals;
}

/* The part to which the first of the edits belongs, and how many of them do. */
static int
first_part(pqti_place place, pqti_edits edits, size_t *count)
{
    int part = pqti_part_of(place, &edits.entries[0], &edits.items[edits.entries[0].index]);
    for (*count = 1; *count < edits.count; ++*count) {
        const pqti_entry *entry = &edits.entries[*count];
        if (pqti_part_of(place, entry, &edits.items[entry->index]) != part)
            break;
    }
    return part;
}

/* Of bound edits the removal goes first where their ways part: what it finds decides. */
static PQTI_NOINLINE const pqti_entry *
removal_first(pqti_place place, const pqt_item *items, const pqti_entry *entries,
              pqti_entry turned[2])
{
    int first = pqti_part_of(place, &entries[0], &items[entries[0].index]);
    if (first == pqti_part_of(place, &entries[1], &items[entries[1].index]))
        return entries;
    turned[0] = entries[1];
    turned[1] = entries[0];
    return turned;
}

/* Asks for the parts that the first edits belong to, lest each be waited for in turn. */
static void
fetch_parts(pqti_place place, pqti_ref ref, pqti_edits edits)
{
    for (size_t i = 0; i < edits.count && i < MOST_FETCHED; i++) {
        const pqti_entry *entry = &edits.entries[i];
        int part = pqti_part_of(place, entry, &edits.items[entry->index]);
        pqti_fetch_part(pqti_part_ref(ref.at, ref.count, part));
    }
}

/* At the node's own place. Only parts with edits are looked at; the others are in the copy of the
   node. */
static pqti_outcome
edit_node(const pqti_space *space, pqti_place place, pqti_edits edits, pqti_ref *ref,
          pqt_fingerprint *fingerprint)
{
    pqti_entry turned[2];
    pqti_ref parts[PQTI_PARTS];
    pqt_fingerprint change = {0, 0};
    unsigned changed = 0;
    if (edits.bound && edits.count == 2 && !edits.entries[0].removal)
        edits.entries = removal_first(place, edits.items, edits.entries, turned);
    pqti_fetch_items(edits.items, edits.entries, edits.count);
    if (edits.count > 2)
        fetch_parts(place, *ref, edits);
    while (edits.count > 0) {
        pqti_edits own = edits;
        int part = first_part(place, edits, &own.count);
        edits.entries += own.count;
        edits.count -= own.count;
        parts[part] = pqti_part_ref(ref->at, ref->count, part);
        pqti_outcome outcome =
            pqti_edit(space, pqti_part_place(space, place, part), own, &parts[part], &change);
        bool missed = edits.bound && outcome == PQTI_SAME && own.entries[0].removal;
        if (outcome == PQTI_FAILED || missed)
            return outcome;
        changed |= (outcome == PQTI_CHANGED ? 1u : 0u) << part;
    }
    if (changed == 0)
        return PQTI_SAME;
    if (!pqti_exchange(space, place, parts, changed, change, ref))
        return PQTI_FAILED;
    *fingerprint = pqti_fingerprint_add(*fingerprint, change);
    return PQTI_CHANGED;
}

/* Of a node that stands deeper: at its own place if all edits lead there, or else where their ways
   part. */
static PQTI_NOINLINE pqti_outcome
edit_chain(const pqti_space *space, pqti_place place, pqti_edits edits, pqti_ref *ref,
           pqt_fingerprint *fingerprint)
{
    pqti_inner thought;
    pqti_chain chain = pqti_chain_of(space, place, *ref);
    unsigned depth = pqti_chain_follow(&chain, place, chain.end, edits.entries, edits.count);
    pqti_place at = pqti_place_on_chain(space, place, depth);
    pqti_ref node = pqti_think(space, place, &chain, *ref, depth, &thought);
    pqti_outcome outcome = edit_node(space, at, edits, &node, fingerprint);
    if (outcome == PQTI_CHANGED)
        *ref = pqti_lifted(place, at, node);
    return outcome;
}

static inline pqti_outcome
edit_parts(const pqti_space *space, pqti_place place, pqti_edits edits, pqti_ref *ref,
           pqt_fingerprint *fingerprint)
{
    return (ref->deep ? edit_chain : edit_node)(space, place, edits, ref, fingerprint);
}

/* Where nothing was, the edits are the items. */
static pqti_outcome
build_new(const pqti_space *space, pqti_place place, pqti_edits edits, pqti_ref *ref,
          pqt_fingerprint *fingerprint)
{
    bool built =
        pqti_build(space, place, edits.items, edits.entries, edits.count, ref, fingerprint);
    return built ? PQTI_CHANGED : PQTI_FAILED;
}

static pqti_outcome
edit(const pqti_space *space, pqti_place place, pqti_edits edits, pqti_ref *ref,
     pqt_fingerprint *fingerprint)
{
    if (edits.count == 0)
        return PQTI_SAME;
    if (is_to_be_rebuilt(space, *ref, edits))
        return pqti_rebuild(space, place, edits, ref, fingerprint);
    if (!ref->leaf && ref->count > 2 * space->capacity)
        return edit_parts(space, place, edits, ref, fingerprint);
    size_t removals = count_removals(edits);
    if (ref->count == 0 && removals == 0)
        return build_new(space, place, edits, ref, fingerprint);
    bool inner = !ref->leaf && ref->count > space->capacity + removals;
    if (!inner && !are_few(space, place, *ref, edits))
        return pqti_rebuild(space, place, edits, ref, fingerprint);
    if (!inner) {
        pqti_outcome outcome = pqti_edit_few(space, place, edits, ref, fingerprint, &inner);
        if (!inner)
            return outcome;
    }
    return edit_parts(space, place, edits, ref, fingerprint);
}

/* Whether all edits lead to one part of a node at `place`. */
static inline bool
lead_to_one(pqti_place place, pqti_edits edits)
{
    const pqti_entry *first = &edits.entries[0], *last = &edits.entries[edits.count - 1];
    return last == first || pqti_part_of(place, last, &edits.items[last->index]) ==
                                pqti_part_of(place, first, &edits.items[first->index]);
}

/* Comes to the own place of a node that stands deeper, if the edits do not part up to there. */
static PQTI_NOINLINE bool
follow_chain(const pqti_space *space, pqti_edits edits, pqti_place *place, pqti_ref ref)
{
    pqti_chain chain = pqti_chain_of(space, *place, ref);
    unsigned depth = pqti_chain_follow(&chain, *place, chain.end, edits.entries, edits.count);
    pqti_place own = pqti_place_on_chain(space, *place, chain.end);
    if (depth < chain.end || !lead_to_one(own, edits))
        return false;
    *place = own;
    return true;
}

/* A part of a node without what it covers: that lies in another line of memory, which only the way
   up needs, and for which nothing waits before. */
static inline pqti_ref
part_on_way(const pqti_inner *node, uint32_t count, int part)
{
    if (part == PQTI_BUCKET)
        return pqti_bucket_ref(node, count);
    return (pqti_ref){node->child[part], {node->count[part]}, PQTI_EMPTY_EXTENT};
}

/* Goes one step down. */
static inline void
step_down(const pqti_space *space, int part, pqti_place *place, pqti_ref *ref, pqti_step *step)
{
    pqti_prefetch(ref->at); /* that line */
    *step = (pqti_step){ref->at, ref->marked, *place, (int8_t)part};
    *ref = part_on_way(ref->at, ref->count, part);
    *place = pqti_part_place(space, *place, part);
}

/* The rest of a way, among nodes that divide by mixes: each edit's is worked out once. */
static PQTI_NOINLINE size_t
way_of_mixes(const pqti_space *space, pqti_edits edits, size_t few, pqti_place *place,
             pqti_ref *ref, pqti_step *way)
{
    const uint64_t first = pqti_mix(&edits.items[edits.entries[0].index]);
    const uint64_t last = pqti_mix(&edits.items[edits.entries[edits.count - 1].index]);
    size_t length = 0;
    while (ref->count > few && !ref->leaf) {
        const int part = pqti_digit(first, place->depth);
        if (pqti_digit(last, place->depth) != part)
            break;
        step_down(space, part, place, ref, &way[length++]);
    }
    return length;
}

/*
 * The way of one or two edits down to where they part, or to where so few items are left that they
 * may become a leaf; returns its length. `ref` and `place` end there. Bound edits take and bring
 * one: but for an item that is there already, as many are left.
 */
static inline size_t
way_of_few(const pqti_space *space, pqti_edits edits, pqti_place *place, pqti_ref *ref,
           pqti_step *way)
{
    const pqti_entry *first = &edits.entries[0], *last = &edits.entries[edits.count - 1];
    const bool in_turn = edits.bound && edits.count == 2;
    const size_t few = space->capacity + (in_turn ? 0 : edits.count);
    size_t length = 0;
    while (ref->count > few) {
        if (ref->marked >= PQTI_DEEP_BIT) {
            if (ref->leaf || (ref->deep && !follow_chain(space, edits, place, *ref)))
                break;
            if (ref->mixed) {
                length += way_of_mixes(space, edits, few, place, ref, way + length);
                break;
            }
        }
        int part = pqti_part_of(*place, first, &edits.items[first->index]);
        if (last != first && pqti_part_of(*place, last, &edits.items[last->index]) != part)
            break;
        step_down(space, part, place, ref, &way[length++]);
    }
    if (length > 0 && way[length - 1].part != PQTI_BUCKET)
        ref->extent = pqti_quarter(way[length - 1].node, way[length - 1].part).extent;
    return length;
}

/* Most edits are one, or a removal and an insertion near by: down their way and up again in two
   loops. */
static PQTI_NOINLINE pqti_outcome
edit_few(const pqti_space *space, pqti_place place, pqti_edits edits, pqti_ref *ref,
         pqt_fingerprint *fingerprint)
{
    pqti_step way[PQTI_MOST_DEPTH];
    pqt_fingerprint change = {0, 0};
    pqti_ref at = *ref;
    size_t length = way_of_few(space, edits, &place, &at, way);
    pqti_outcome outcome = edit(space, place, edits, &at, &change);
    if (outcome != PQTI_CHANGED)
        return outcome;
    if (!pqti_copy_way(space, way, length, ref->extent, change, &at))
        return PQTI_FAILED;
    *ref = at;
    *fingerprint = pqti_fingerprint_add(*fingerprint, change);
    return PQTI_CHANGED;
}

pqti_outcome
pqti_edit(const pqti_space *space, pqti_place place, pqti_edits edits, pqti_ref *ref,
          pqt_fingerprint *fingerprint)
{
    bool few = edits.count == 1 || edits.count == 2;
    return (few ? edit_few : edit)(space, place, edits, ref, fingerprint);
}
