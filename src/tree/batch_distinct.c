/* SPDX-License-Identifier: MIT */
/*
 * batch_distinct.c - changes without unique ids: a move is two wishes that are tied, one for
 * absence and one for presence.
 *
 * Wishes must be sorted anyway; then those for the same item stand side by side, and so it shows
 * whether any two changes touch the same item. If a move is among them, their order matters, and
 * they are to be played through (batch_replay.c). Else a move depends on one thing alone, whether
 * its item is there. That is asked in one walk over the tree, in its order: the descent that
 * follows finds the same leaves near at hand.
 */
#include "config.h"

#include <string.h>

#include "base/hashtable.h"
#include "base/validate.h"
#include "memory/memory_internal.h"
#include "tree/batch_input.h"
#include "tree/batch_plan.h"
#include "tree/edit_list.h"
#include "tree/item_hash.h"
#include "tree/node.h"
#include "tree/path_compress.h"

/* What ties a wish; two that are tied follow each other. */
enum { UNTIED, GOES, COMES, DROPPED };

typedef struct ties {
    const pqt_tree *tree;
    pqti_wishes *wishes;
    uint8_t *ties; /* of each wish */
    bool dropped;  /* some of them */
} ties;

static void
wish(ties *t, const pqt_item *item, bool removal, uint8_t tie)
{
    pqti_wishes *wishes = t->wishes;
    t->ties[wishes->count] = tie;
    wishes->room[wishes->count] = *item;
    wishes->removals[wishes->count++] = removal;
}

static void
wish_all(ties *t, const pqti_changes *changes)
{
    for (size_t i = 0; i < changes->count; i++) {
        pqt_change change = pqti_change_at(changes, i);
        pqt_item target = {change.to, change.item.id};
        if (pqti_is_idle(&change))
            continue;
        if (change.kind != PQT_MOVE) {
            wish(t, &change.item, change.kind == PQT_REMOVE, UNTIED);
        } else if (memcmp(&change.item, &target, sizeof target) != 0) {
            wish(t, &change.item, true, GOES);
            wish(t, &target, false, COMES);
        }
    }
}

/* Whether no two wishes for the same item stand side by side, of which one is tied. */
static bool
are_apart(const ties *t, const pqti_entry *entries, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const pqti_entry *a = &entries[i - 1], *b = &entries[i];
        if (a->centre == b->centre && (t->ties[a->index] | t->ties[b->index]) != UNTIED &&
            memcmp(&t->wishes->items[a->index], &t->wishes->items[b->index], sizeof(pqt_item)) == 0)
            return false;
    }
    return true;
}

static void
ask_leaf(ties *t, pqti_ref leaf, const pqti_entry *entries, size_t count)
{
    pqti_leaf_view view = pqti_view_or_none(leaf.at, leaf.count);
    for (size_t i = 0; i < count; i++) {
        uint32_t index = entries[i].index;
        if (pqti_view_find(view, leaf.count, &t->wishes->items[index]) < leaf.count)
            continue;
        t->ties[index] = t->ties[index + 1] = DROPPED;
        t->dropped = true;
    }
}

/* Asks for the items that are to go, in order, all of them below one part; drops the wishes of
   those that are not there. */
static void
ask_part(ties *t, pqti_place place, pqti_ref ref, const pqti_entry *entries, size_t count)
{
    if (ref.count == 0 || ref.leaf) {
        ask_leaf(t, ref, entries, count);
        return;
    }
    place = pqti_place_of_node(t->tree->space, place, ref);
    pqti_fetch_items(t->wishes->items, entries, count);
    if (count > PQTI_PARTS)
        pqti_fetch_leaves(ref.at);
    while (count > 0) {
        const pqt_item *items = t->wishes->items;
        int part = pqti_part_of(place, &entries[0], &items[entries[0].index]);
        size_t own = 1;
        while (own < count &&
               pqti_part_of(place, &entries[own], &items[entries[own].index]) == part)
            own++;
        ask_part(t, pqti_part_place(t->tree->space, place, part),
                 pqti_part_ref(ref.at, ref.count, part), entries, own);
        entries += own;
        count -= own;
    }
}

/* Copies the entries of certain wishes, in their order; returns how many. `target` may be
   `entries`. */
static size_t
choose(const ties *t, const pqti_entry *entries, size_t count, uint8_t from, uint8_t to,
       pqti_entry *target)
{
    size_t chosen = 0;
    for (size_t i = 0; i < count; i++) {
        uint8_t tie = t->ties[entries[i].index];
        if (tie >= from && tie <= to)
            target[chosen++] = entries[i];
    }
    return chosen;
}

static bool
settle(ties *t, pqti_entry *entries, pqti_entry *spare, size_t *count)
{
    size_t sorted = t->wishes->count;
    pqti_sort_wishes(t->tree->space, t->wishes, entries, spare);
    if (!are_apart(t, entries, sorted))
        return false;
    sorted = pqti_drop_overruled(entries, sorted, t->wishes->items);
    ask_part(t, PQTI_ROOT, pqti_root(t->tree), spare,
             choose(t, entries, sorted, GOES, GOES, spare));
    *count = t->dropped ? choose(t, entries, sorted, UNTIED, COMES, entries) : sorted;
    return true;
}

pqti_taken
pqti_take_tied(const pqti_batch *batch, pqti_wishes *wishes)
{
    ties t = {.tree = batch->tree, .wishes = wishes};
    size_t most = 2 * batch->changes->count;
    t.ties = pqti_scratch(most, sizeof *t.ties);
    pqti_entry *entries = t.ties == NULL ? NULL : pqti_scratch(most, 2 * sizeof *entries);
    if (entries == NULL) {
        pqti_scratch_free(t.ties);
        return PQTI_NO_MEMORY;
    }
    wish_all(&t, batch->changes);
    bool settled = settle(&t, entries, entries + wishes->count, &wishes->sorted_count);
    pqti_scratch_free(t.ties);
    if (settled) {
        wishes->sorted = entries;
        return PQTI_TAKEN;
    }
    pqti_scratch_free(entries);
    wishes->count = 0;
    return PQTI_NO_WAY;
}

/*
 * Changes with unique ids, of which no two touch the same id: each is judged
 * by what is there alone.
 *
 * Such are almost all batches: a frame of a simulation, an import, a difference. A hash table of
 * the ids tells whether a batch is one. Its slots hold 32 bits of the hash, so that few changes are
 * looked at in vain.
 */

enum { RUN = PQTI_IDS_RUN }; /* ids that are looked up together */

typedef struct slot {
    uint32_t tag;    /* upper bits of the hash */
    uint32_t number; /* of the change, plus 1; 0: empty */
} slot;

typedef struct once {
    const pqti_batch *batch;
    slot *slots;
    size_t mask;
    pqti_wishes *wishes;
} once;

static uint64_t
touched_id(const once *o, size_t number)
{
    return pqti_touched_at(o->batch->changes, number).id;
}

/* The slot of an id: that of the change that touches it, or an empty one. */
static slot *
slot_of(const once *o, uint64_t id, uint64_t hash)
{
    for (size_t i = pqti_first_slot(hash, o->mask);; i = pqti_next_slot(i, o->mask)) {
        slot *at = &o->slots[i];
        if (at->number == 0 || (at->tag == hash >> 32 && touched_id(o, at->number - 1) == id))
            return at;
    }
}

/* Slots lie anywhere in memory, and to wait for each in turn takes longer than all the rest: so
   those of a run are asked for first. */
static void
hash_run(const once *o, const pqt_item *items, size_t count, uint64_t *hashes)
{
    for (size_t i = 0; i < count; i++) {
        hashes[i] = pqti_id_key(items[i].id);
        pqti_prefetch(&o->slots[pqti_first_slot(hashes[i], o->mask)]);
    }
}

/* What a run of changes touches. */
static size_t
touched_run(const once *o, size_t from, pqt_item *items)
{
    size_t count = o->batch->changes->count - from;
    count = count < RUN ? count : RUN;
    for (size_t i = 0; i < count; i++)
        items[i] = pqti_touched_at(o->batch->changes, from + i);
    return count;
}

/* Whether no two changes touch the same id; fills the table. */
static bool
enter_all(const once *o)
{
    pqt_item items[RUN];
    uint64_t hashes[RUN];
    size_t count;
    for (size_t from = 0; from < o->batch->changes->count; from += count) {
        count = touched_run(o, from, items);
        hash_run(o, items, count, hashes);
        for (size_t i = 0; i < count; i++) {
            slot *at = slot_of(o, items[i].id, hashes[i]);
            if (at->number != 0)
                return false;
            *at = (slot){(uint32_t)(hashes[i] >> 32), (uint32_t)(from + i + 1)};
        }
    }
    return true;
}

/* What a change makes of the item that it touches; `old` is NULL if there is none. */
static pqti_fate
fate_of(const pqt_change *change, const pqt_item *old)
{
    pqti_fate fate = {.was = old != NULL, .is = old != NULL};
    if (old != NULL)
        fate.before = fate.after = *old;
    bool meant =
        old != NULL && (pqti_goes_by_id(change->kind) || pqti_item_equals(old, &change->item));
    if (change->kind == PQT_INSERT) {
        fate.is = true;
        fate.after = change->item;
    } else if (meant && pqti_moves(change->kind)) {
        fate.after.box = change->to;
    } else if (meant) {
        fate.is = false;
    }
    return fate;
}

/* Asks the tree for each id. */
static void
ask_for_each(const once *o)
{
    pqt_item olds[RUN];
    bool there[RUN];
    size_t count;
    for (size_t from = 0; from < o->batch->changes->count; from += count) {
        count = touched_run(o, from, olds);
        pqti_ids_find_run(o->batch->tree->ids, olds, count, there);
        for (size_t i = 0; i < count; i++) {
            pqt_change change = pqti_change_at(o->batch->changes, from + i);
            pqti_fate fate = fate_of(&change, there[i] ? &olds[i] : NULL);
            if (!pqti_is_idle(&change))
                pqti_wish(o->wishes, &fate, true);
        }
    }
}

static bool
make_table(once *o)
{
    const size_t slots = pqti_slots_for(o->batch->changes->count);
    o->mask = slots - 1;
    o->slots = pqti_scratch(slots, sizeof *o->slots);
    if (o->slots == NULL)
        return false;
    memset(o->slots, 0, slots * sizeof *o->slots);
    return true;
}

pqti_taken
pqti_take_once(const pqti_batch *batch, pqti_wishes *wishes)
{
    once o = {.batch = batch, .wishes = wishes};
    if (!make_table(&o))
        return PQTI_NO_MEMORY;
    bool apart = enter_all(&o);
    if (apart)
        ask_for_each(&o);
    pqti_scratch_free(o.slots);
    return apart ? PQTI_TAKEN : PQTI_NO_WAY;
}
