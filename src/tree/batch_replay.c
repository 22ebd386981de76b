/* SPDX-License-Identifier: MIT */
/*
 * batch_replay.c - changes that depend on one another: they are played through, in their order.
 *
 * A table of the items (or ids) that they touch says what has become of each so far; the tree is
 * asked only for what was there before.
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

/* Whether an item is there, as far as it is known. */
typedef enum presence { UNKNOWN, ABSENT, PRESENT } presence;

/* An item, or with unique ids an id, that changes touch. */
typedef struct trace {
    pqt_item first; /* as the tree holds it, where `before` says so */
    pqt_item last;  /* as the changes leave it, where `after` says so */
    presence before, after;
} trace;

/* An open hash table of what is touched: slots hold an index into `all`, plus 1. */
typedef struct table {
    const pqt_tree *tree;
    bool unique;
    trace *all;
    size_t count;
    uint32_t *slots;
    size_t mask;
} table;

static bool
is_same(const table *t, const pqt_item *a, const pqt_item *b)
{
    return t->unique ? a->id == b->id : memcmp(a, b, sizeof *a) == 0;
}

/* The entry of an item, or of its id, made if it is touched for the first time. */
static trace *
touch(table *t, const pqt_item *item)
{
    size_t slot = pqti_first_slot(t->unique ? pqti_id_key(item->id) : pqti_mix(item), t->mask);
    for (; t->slots[slot] != 0; slot = pqti_next_slot(slot, t->mask)) {
        trace *known = &t->all[t->slots[slot] - 1];
        if (is_same(t, &known->first, item))
            return known;
    }
    trace *new = &t->all[t->count++];
    t->slots[slot] = (uint32_t)t->count;
    *new = (trace){*item, *item, UNKNOWN, UNKNOWN};
    if (t->unique)
        new->before = new->after =
            pqti_ids_find(t->tree->ids, item->id, &new->first) ? PRESENT : ABSENT;
    if (new->before == PRESENT)
        new->last = new->first;
    return new;
}

static bool
is_present(const table *t, trace *touched)
{
    if (touched->after == UNKNOWN)
        touched->before = touched->after =
            pqt_tree_contains(t->tree, touched->first) ? PRESENT : ABSENT;
    return touched->after == PRESENT;
}

/* Whether the very item, box and id, is there. */
static bool
holds(const table *t, trace *touched, const pqt_item *item)
{
    return is_present(t, touched) && memcmp(&touched->last, item, sizeof *item) == 0;
}

static void
put(trace *touched, const pqt_item *item)
{
    touched->last = *item;
    touched->after = PRESENT;
}

static void
move(table *t, trace *from, pqt_box to)
{
    pqt_item target = {to, from->last.id};
    from->after = ABSENT;
    put(touch(t, &target), &target);
}

static void
play(table *t, const pqt_change *change)
{
    trace *touched = touch(t, &change->item);
    switch (change->kind) {
    case PQT_INSERT:
        put(touched, &change->item);
        break;
    case PQT_REMOVE:
        if (!t->unique || holds(t, touched, &change->item))
            touched->after = ABSENT;
        break;
    case PQT_MOVE:
        if (holds(t, touched, &change->item))
            move(t, touched, change->to);
        break;
    case PQT_REMOVE_ID:
        touched->after = ABSENT;
        break;
    case PQT_MOVE_ID:
        if (is_present(t, touched))
            move(t, touched, change->to);
        break;
    }
}

static void
conclude(const table *t, pqti_wishes *wishes)
{
    for (size_t i = 0; i < t->count; i++) {
        const trace *touched = &t->all[i];
        if (touched->after == UNKNOWN)
            continue;
        /* An item of which is not known that it was there is wished away in case it was. */
        bool is = touched->after == PRESENT;
        bool was = touched->before == PRESENT || (touched->before == UNKNOWN && !is);
        pqti_fate fate = {was, is, touched->first, touched->last};
        pqti_wish(wishes, &fate, t->unique);
    }
}

/* A table with room for so many. */
static bool
make_table(table *t, const pqt_tree *tree, size_t room)
{
    const size_t slots = pqti_slots_for(room);
    *t = (table){.tree = tree, .unique = tree->space->options.unique_ids, .mask = slots - 1};
    t->all = pqti_scratch(room, sizeof *t->all);
    t->slots = t->all == NULL ? NULL : pqti_scratch(slots, sizeof *t->slots);
    if (t->slots == NULL) {
        pqti_scratch_free(t->all);
        return false;
    }
    memset(t->slots, 0, slots * sizeof *t->slots);
    return true;
}

static void
free_table(table *t)
{
    pqti_scratch_free(t->slots);
    pqti_scratch_free(t->all);
}

bool
pqti_take_in_order(const pqti_batch *batch, pqti_wishes *wishes)
{
    const pqt_tree *tree = batch->tree;
    table t;
    if (!make_table(&t, tree, 2 * batch->changes->count))
        return false;
    for (size_t i = 0; i < batch->changes->count; i++) {
        pqt_change change = pqti_change_at(batch->changes, i);
        if (!pqti_is_idle(&change))
            play(&t, &change);
    }
    conclude(&t, wishes);
    free_table(&t);
    return true;
}
