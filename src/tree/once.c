/* SPDX-License-Identifier: MIT */
/*
 * once.c - changes with unique ids, of which no two touch the same id: each is judged by what is there alone.
 *
 * Such are almost all batches: a frame of a simulation, an import, a difference. A hash table of the ids
 * tells whether a batch is one, and finds the change that is meant for an item when the
 * items of the tree are gone through. Its slots hold 32 bits of the hash, so that few changes are looked
 * at in vain.
 */
#include "config.h"

#include <string.h>

#include "base/item.h"
#include "memory/memory.h"
#include "tree/batch.h"
#include "tree/mix.h"
#include "tree/node.h"

enum { RUN = PQTI_IDS_RUN }; /* items that are looked up together */

typedef struct slot {
    uint32_t tag;    /* upper bits of the hash */
    uint32_t number; /* of the change, plus 1; 0: empty */
} slot;

typedef struct once {
    const pqti_batch *batch;
    slot *slots;
    size_t mask;
    bool *met; /* for each change, whether its item was there; where all items are gone through */
    pqti_wishes *wishes;
    pqt_item *kept; /* items that stay, written backwards from the end of the wishes' room */
    size_t kept_count;
    pqt_item run[RUN]; /* items of the tree that are judged next */
    size_t run_count;
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
    for (size_t i = (size_t)hash & o->mask;; i = (i + 1) & o->mask) {
        slot *at = &o->slots[i];
        if (at->number == 0 || (at->tag == hash >> 32 && touched_id(o, at->number - 1) == id))
            return at;
    }
}

/*
 * Slots and changes lie anywhere in memory, and to wait for each in turn takes longer than all the rest:
 * so those of a run of items are asked for first.
 */
static void
hash_run(const once *o, const pqt_item *items, size_t count, uint64_t *hashes)
{
    for (size_t i = 0; i < count; i++) {
        hashes[i] = pqti_id_key(items[i].id);
        pqti_prefetch(&o->slots[hashes[i] & o->mask]);
    }
}

static void
ask_for_changes(const once *o, const uint64_t *hashes, size_t count)
{
    const pqt_change *changes = o->batch->changes->changes;
    for (size_t i = 0; i < count && changes != NULL; i++) {
        size_t at = (size_t)hashes[i] & o->mask;
        while (o->slots[at].number != 0 && o->slots[at].tag != hashes[i] >> 32)
            at = (at + 1) & o->mask;
        if (o->slots[at].number == 0)
            continue;
        const pqt_change *likely = &changes[o->slots[at].number - 1];
        pqti_prefetch(likely);
        pqti_prefetch(&likely->to.max); /* it may lie across two lines */
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
    bool by_id = change->kind == PQT_REMOVE_ID || change->kind == PQT_MOVE_ID;
    bool meant = old != NULL && (by_id || pqt_item_equals(*old, change->item));
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

static void
judge_item(once *o, const pqt_item *item, uint64_t hash)
{
    pqti_fate fate = {true, true, *item, *item};
    size_t number = slot_of(o, item->id, hash)->number;
    if (number != 0) {
        pqt_change change = pqti_change_at(o->batch->changes, number - 1);
        o->met[number - 1] = true;
        fate = fate_of(&change, item);
    }
    if (fate.is && pqt_item_equals(fate.before, fate.after))
        o->kept[-(ptrdiff_t)++o->kept_count] = *item;
    else
        pqti_wish(o->wishes, &fate, true);
}

static void
judge_run(once *o)
{
    uint64_t hashes[RUN];
    hash_run(o, o->run, o->run_count, hashes);
    ask_for_changes(o, hashes, o->run_count);
    for (size_t i = 0; i < o->run_count; i++)
        judge_item(o, &o->run[i], hashes[i]);
    o->run_count = 0;
}

static bool
take_item(const pqt_item *item, void *context)
{
    once *o = context;
    o->run[o->run_count++] = *item;
    if (o->run_count == RUN)
        judge_run(o);
    return true;
}

/* Goes through all items of the tree; what no item was there for can only be inserted. */
static void
judge_all(once *o)
{
    pqti_each_item(pqti_root(o->batch->tree), take_item, o);
    judge_run(o);
    for (size_t i = 0; i < o->batch->changes->count; i++) {
        pqt_change change = pqti_change_at(o->batch->changes, i);
        if (o->met[i] || pqti_is_idle(&change))
            continue;
        pqti_fate fate = fate_of(&change, NULL);
        pqti_wish(o->wishes, &fate, true);
    }
}

/* Instead of the differences, what shall be there: what came, and what was kept. */
static void
wish_whole(const once *o)
{
    pqti_wishes *wishes = o->wishes;
    size_t came = 0;
    for (size_t i = 0; i < wishes->count; i++)
        if (!wishes->removals[i])
            wishes->room[came++] = wishes->room[i];
    memmove(wishes->room + came, o->kept - o->kept_count, o->kept_count * sizeof *o->kept);
    wishes->count = came + o->kept_count;
    memset(wishes->removals, 0, wishes->count * sizeof *wishes->removals);
    wishes->whole = true;
}

static bool
make_table(once *o)
{
    size_t count = o->batch->changes->count, slots = 16;
    while (slots < 2 * count)
        slots *= 2;
    o->mask = slots - 1;
    o->slots = pqti_scratch(slots, sizeof *o->slots);
    o->met = o->slots == NULL ? NULL : pqti_scratch(count, sizeof *o->met);
    if (o->met == NULL) {
        pqti_scratch_free(o->slots);
        return false;
    }
    memset(o->slots, 0, slots * sizeof *o->slots);
    memset(o->met, 0, count * sizeof *o->met);
    return true;
}

pqti_taken
pqti_take_once(const pqti_batch *batch, pqti_wishes *wishes)
{
    const pqt_tree *tree = batch->tree;
    once o = {.batch = batch, .wishes = wishes};
    if (!make_table(&o))
        return PQTI_NO_MEMORY;
    bool apart = enter_all(&o);
    if (apart && batch->known) {
        o.kept = wishes->room + 2 * batch->changes->count + tree->count;
        judge_all(&o);
        if (wishes->count > tree->count)
            wish_whole(&o);
    } else if (apart) {
        ask_for_each(&o);
    }
    pqti_scratch_free(o.slots);
    pqti_scratch_free(o.met);
    return apart ? PQTI_TAKEN : PQTI_NOT_ONCE;
}
