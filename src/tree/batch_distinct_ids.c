/* SPDX-License-Identifier: MIT */
/*
 * batch_distinct_ids.c - changes with unique ids, of which no two touch the same id: each is judged
 * by what is there alone.
 *
 * Such are almost all batches: a frame of a simulation, an import, a difference. A hash table of
 * the ids tells whether a batch is one. Its slots hold 32 bits of the hash, so that few changes are
 * looked at in vain.
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
