/* SPDX-License-Identifier: MIT */
/*
 * batch_distinct.c: plans batches in which no two changes address the same item or, with unique
 * ids, the same id.
 *
 * Fast path. It is equivalent to pqti_plan_replay for such batches. Every test passes without it.
 *
 * Without unique ids, a move consists of two edits, its halves: a removal and an insertion. Edits
 * must be sorted anyway, and sorting makes the edits of one item adjacent, so it reveals whether
 * two changes address the same item. If they do and one of them is a move, their order matters, and
 * batch_replay.c plans the batch. Otherwise the effect of a move depends only on whether its item
 * is present. One traversal in tree order looks up all of these items. The descent that applies the
 * edits then finds the leaves in the cache.
 */
#include "config.h"

#include <string.h>

#include "base/hashtable.h"
#include "base/validate.h"
#include "memory/memory_internal.h"
#include "tree/batch_input.h"
#include "tree/batch_plan.h"
#include "tree/edit_list.h"
#include "tree/find_id.h"
#include "tree/item_hash.h"
#include "tree/node.h"
#include "tree/path_compress.h"

#ifndef PQT_PLAIN

/*
 * Says whether an edit is half of a move, and which half. The two halves of a move are adjacent,
 * the removal first.
 */
enum { NOT_A_HALF, REMOVE_HALF, INSERT_HALF, DROPPED_HALF };

typedef struct move_halves {
    const pqt_tree *tree;
    pqti_edit_list *edit_list;
    uint8_t *halves; /* for each edit, one of the values above */
    bool dropped;    /* true if some edits are DROPPED_HALF */
} move_halves;

static void
add_edit_of_half(move_halves *halves, const pqt_item *item, bool removal, uint8_t tie)
{
    pqti_edit_list *edit_list = halves->edit_list;
    halves->halves[edit_list->count] = tie;
    edit_list->storage[edit_list->count] = *item;
    edit_list->removals[edit_list->count++] = removal;
}

static void
add_edits_of_changes(move_halves *halves, const pqti_change_array *changes)
{
    for (size_t i = 0; i < changes->count; i++) {
        pqt_change change = pqti_change_at(changes, i);
        pqt_item target = {change.to, change.item.id};
        if (pqti_is_noop(&change))
            continue;
        if (change.kind != PQT_MOVE) {
            add_edit_of_half(halves, &change.item, change.kind == PQT_REMOVE, NOT_A_HALF);
        } else if (memcmp(&change.item, &target, sizeof target) != 0) {
            add_edit_of_half(halves, &change.item, true, REMOVE_HALF);
            add_edit_of_half(halves, &target, false, INSERT_HALF);
        }
    }
}

/* Returns false if two edits address the same item and one of them is half of a move. */
static bool
are_apart(const move_halves *halves, const pqti_key *keys, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const pqti_key *a = &keys[i - 1], *b = &keys[i];
        if (a->centre == b->centre &&
            (halves->halves[a->index] | halves->halves[b->index]) != NOT_A_HALF &&
            memcmp(&halves->edit_list->items[a->index], &halves->edit_list->items[b->index],
                   sizeof(pqt_item)) == 0)
            return false;
    }
    return true;
}

/* Drops the moves whose item is not in the leaf. */
static void
drop_absent_moves(move_halves *halves, pqti_node_ref leaf, const pqti_key *keys, size_t count)
{
    pqti_leaf_view view = pqti_view_or_none(leaf.at, leaf.count);
    for (size_t i = 0; i < count; i++) {
        uint32_t index = keys[i].index;
        if (pqti_view_find(view, leaf.count, &halves->edit_list->items[index]) < leaf.count)
            continue;
        halves->halves[index] = halves->halves[index + 1] = DROPPED_HALF;
        halves->dropped = true;
    }
}

/* Searches a subtree for the items that moves remove, in tree order. Drops the moves whose item
   is absent. */
static void
prefetch_child_of_change(move_halves *halves, pqti_level level, pqti_node_ref ref,
                         const pqti_key *keys, size_t count)
{
    if (ref.count == 0 || ref.leaf) {
        drop_absent_moves(halves, ref, keys, count);
        return;
    }
    level = pqti_level_of_node(halves->tree->domain, level, ref);
    pqti_prefetch_items(halves->edit_list->items, keys, count);
    if (count > PQTI_CHILDREN)
        pqti_prefetch_leaves(ref.at);
    while (count > 0) {
        const pqt_item *items = halves->edit_list->items;
        int child_index = pqti_child_index(level, &keys[0], &items[keys[0].index]);
        size_t own = 1;
        while (own < count &&
               pqti_child_index(level, &keys[own], &items[keys[own].index]) == child_index)
            own++;
        prefetch_child_of_change(halves, pqti_child_level(halves->tree->domain, level, child_index),
                                 pqti_child_ref(ref.at, ref.count, child_index), keys, own);
        keys += own;
        count -= own;
    }
}

/* Copies the keys of those edits whose half is in `from`..`to`, in order. Returns their number.
   `target` may be the same array as `keys`. */
static size_t
copy_halves(const move_halves *halves, const pqti_key *keys, size_t count, uint8_t from, uint8_t to,
            pqti_key *target)
{
    size_t chosen = 0;
    for (size_t i = 0; i < count; i++) {
        uint8_t tie = halves->halves[keys[i].index];
        if (tie >= from && tie <= to)
            target[chosen++] = keys[i];
    }
    return chosen;
}

/* Sorts the edits and drops the moves of absent items. Returns false if two changes address the
   same item and one of them is a move. */
static bool
settle_halves(move_halves *halves, pqti_key *keys, pqti_key *spare, size_t *count)
{
    size_t sorted = halves->edit_list->count;
    pqti_edit_list_sort(halves->tree->domain, halves->edit_list, keys, spare);
    if (!are_apart(halves, keys, sorted))
        return false;
    sorted = pqti_dedup_keep_last(keys, sorted, halves->edit_list->items);
    prefetch_child_of_change(halves, PQTI_ROOT, pqti_root(halves->tree), spare,
                             copy_halves(halves, keys, sorted, REMOVE_HALF, REMOVE_HALF, spare));
    *count =
        halves->dropped ? copy_halves(halves, keys, sorted, NOT_A_HALF, INSERT_HALF, keys) : sorted;
    return true;
}

pqti_plan_result
pqti_plan_distinct_items(const pqti_batch *batch, pqti_edit_list *edit_list)
{
    move_halves halves = {.tree = batch->tree, .edit_list = edit_list};
    size_t most = 2 * batch->changes->count;
    halves.halves = pqti_alloc_scratch(most, sizeof *halves.halves);
    pqti_key *keys = halves.halves == NULL ? NULL : pqti_alloc_scratch(most, 2 * sizeof *keys);
    if (keys == NULL) {
        pqti_free_scratch(halves.halves);
        return PQTI_PLAN_NO_MEMORY;
    }
    add_edits_of_changes(&halves, batch->changes);
    bool settled = settle_halves(&halves, keys, keys + edit_list->count, &edit_list->sorted_count);
    pqti_free_scratch(halves.halves);
    if (settled) {
        edit_list->sorted = keys;
        return PQTI_PLAN_MADE;
    }
    pqti_free_scratch(keys);
    edit_list->count = 0;
    return PQTI_PLAN_NOT_APPLICABLE;
}

/*
 * With unique ids, if no two changes address the same id, the net change of each depends on the
 * tree alone.
 *
 * Almost all batches are of this kind: for example, the changes in one frame of a simulation, an
 * import, or a difference. A hash table of ids detects repeated ones. Its slots hold 32 bits of
 * each hash, so that changes with different ids are rarely compared.
 */

enum { RUN = PQTI_IDMAP_RUN }; /* the number of ids that are looked up together */

typedef struct slot {
    uint32_t tag;    /* the upper bits of the hash */
    uint32_t number; /* the number of the change plus 1, or 0 if the slot is empty */
} slot;

typedef struct once {
    const pqti_batch *batch;
    slot *slots;
    size_t mask;
    pqti_edit_list *edit_list;
} once;

static uint64_t
touched_id(const once *o, size_t number)
{
    return pqti_target_item(o->batch->changes, number).id;
}

/* Returns the slot of the change that addresses an id, or an empty slot if there is none. */
static slot *
id_slot_of(const once *o, uint64_t id, uint64_t hash)
{
    for (size_t i = pqti_first_slot(hash, o->mask);; i = pqti_next_slot(i, o->mask)) {
        slot *at = &o->slots[i];
        if (at->number == 0 || (at->tag == hash >> 32 && touched_id(o, at->number - 1) == id))
            return at;
    }
}

/* Computes the hashes of a run of ids and prefetches their slots. The slots are at random
   addresses, and waiting for one after another would take most of the time. */
static void
hash_run(const once *o, const pqt_item *items, size_t count, uint64_t *hashes)
{
    for (size_t i = 0; i < count; i++) {
        hashes[i] = pqti_id_key(items[i].id);
        pqti_prefetch(&o->slots[pqti_first_slot(hashes[i], o->mask)]);
    }
}

/* Writes the items that a run of changes addresses. Returns their number. */
static size_t
touched_run(const once *o, size_t from, pqt_item *items)
{
    size_t count = o->batch->changes->count - from;
    count = count < RUN ? count : RUN;
    for (size_t i = 0; i < count; i++)
        items[i] = pqti_target_item(o->batch->changes, from + i);
    return count;
}

/* Fills the hash table. Returns false if two changes address the same id. */
static bool
index_changed_ids(const once *o)
{
    pqt_item items[RUN];
    uint64_t hashes[RUN];
    size_t count;
    for (size_t from = 0; from < o->batch->changes->count; from += count) {
        count = touched_run(o, from, items);
        hash_run(o, items, count, hashes);
        for (size_t i = 0; i < count; i++) {
            slot *at = id_slot_of(o, items[i].id, hashes[i]);
            if (at->number != 0)
                return false;
            *at = (slot){(uint32_t)(hashes[i] >> 32), (uint32_t)(from + i + 1)};
        }
    }
    return true;
}

/*
 * Returns the net change that one change causes. `old` is the item with its id, or NULL if it is
 * absent.
 */
static pqti_net_change
net_change_of(const pqt_change *change, const pqt_item *old)
{
    pqti_net_change net_change = {.was_present = old != NULL, .is_present = old != NULL};
    if (old != NULL)
        net_change.before = net_change.after = *old;
    bool meant =
        old != NULL && (pqti_is_by_id(change->kind) || pqti_item_equals(old, &change->item));
    if (change->kind == PQT_INSERT) {
        net_change.is_present = true;
        net_change.after = change->item;
    } else if (meant && pqti_moves(change->kind)) {
        net_change.after.box = change->to;
    } else if (meant) {
        net_change.is_present = false;
    }
    return net_change;
}

/* Looks up each id in the id map and adds the edits of its change. */
static void
add_edits_of_ids(const once *o)
{
    pqt_item olds[RUN];
    bool is_present[RUN];
    size_t count;
    for (size_t from = 0; from < o->batch->changes->count; from += count) {
        count = touched_run(o, from, olds);
        pqti_find_ids(o->batch->tree, olds, count, is_present);
        for (size_t i = 0; i < count; i++) {
            pqt_change change = pqti_change_at(o->batch->changes, from + i);
            pqti_net_change net_change = net_change_of(&change, is_present[i] ? &olds[i] : NULL);
            if (!pqti_is_noop(&change))
                pqti_edit_list_add(o->edit_list, &net_change, o->batch->tree->domain);
        }
    }
}

static bool
make_distinct_table(once *o)
{
    const size_t slots = pqti_slots_for(o->batch->changes->count);
    o->mask = slots - 1;
    o->slots = pqti_alloc_scratch(slots, sizeof *o->slots);
    if (o->slots == NULL)
        return false;
    memset(o->slots, 0, slots * sizeof *o->slots);
    return true;
}

pqti_plan_result
pqti_plan_distinct_ids(const pqti_batch *batch, pqti_edit_list *edit_list)
{
    once o = {.batch = batch, .edit_list = edit_list};
    if (!make_distinct_table(&o))
        return PQTI_PLAN_NO_MEMORY;
    bool apart = index_changed_ids(&o);
    if (apart)
        add_edits_of_ids(&o);
    pqti_free_scratch(o.slots);
    return apart ? PQTI_PLAN_MADE : PQTI_PLAN_NOT_APPLICABLE;
}

#endif
