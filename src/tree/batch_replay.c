/* SPDX-License-Identifier: MIT */
/*
 * batch_replay.c: replays changes that depend on one another, in order.
 *
 * A table of the items, or ids, that the changes address holds the current state of each. The tree
 * is read only to learn their states before the batch.
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

/* Says whether an item is present, as far as this is known. */
typedef enum presence { UNKNOWN, ABSENT, PRESENT } presence;

/* The state of an item or, with unique ids, of an id to which changes apply. */
typedef struct item_state {
    pqt_item first; /* the item in the tree, valid if `before` is PRESENT */
    pqt_item last;  /* the item after the changes so far, valid if `after` is PRESENT */
    presence before, after;
} item_state;

/*
 * A hash table, with open addressing, of the items or ids to which changes apply. A slot holds an
 * index into `states`, plus 1.
 */
typedef struct table {
    const pqt_tree *tree;
    bool unique;
    item_state *states;
    size_t count;
    uint32_t *slots;
    size_t mask;
} table;

static bool
same_item_or_id(const table *t, const pqt_item *a, const pqt_item *b)
{
    return t->unique ? a->id == b->id : memcmp(a, b, sizeof *a) == 0;
}

/*
 * Returns the state of an item or of its id. Adds a state when a change addresses it for the first
 * time.
 */
static item_state *
lookup_state(table *t, const pqt_item *item)
{
    size_t slot =
        pqti_first_slot(t->unique ? pqti_id_key(item->id) : pqti_item_hash(item), t->mask);
    for (; t->slots[slot] != 0; slot = pqti_next_slot(slot, t->mask)) {
        item_state *known = &t->states[t->slots[slot] - 1];
        if (same_item_or_id(t, &known->first, item))
            return known;
    }
    item_state *new = &t->states[t->count++];
    t->slots[slot] = (uint32_t)t->count;
    *new = (item_state){*item, *item, UNKNOWN, UNKNOWN};
    if (t->unique)
        new->before = new->after = pqti_find_id(t->tree, item->id, &new->first) ? PRESENT : ABSENT;
    if (new->before == PRESENT)
        new->last = new->first;
    return new;
}

static bool
state_is_present(const table *t, item_state *touched)
{
    if (touched->after == UNKNOWN)
        touched->before = touched->after =
            pqt_tree_contains(t->tree, touched->first) ? PRESENT : ABSENT;
    return touched->after == PRESENT;
}

/* Returns true if the item is present with this box and id. */
static bool
tree_has_item(const table *t, item_state *touched, const pqt_item *item)
{
    return state_is_present(t, touched) && memcmp(&touched->last, item, sizeof *item) == 0;
}

static void
replay_put(item_state *touched, const pqt_item *item)
{
    touched->last = *item;
    touched->after = PRESENT;
}

static void
replay_move(table *t, item_state *from, pqt_box to)
{
    pqt_item target = {to, from->last.id};
    from->after = ABSENT;
    replay_put(lookup_state(t, &target), &target);
}

static void
replay_change(table *t, const pqt_change *change)
{
    item_state *touched = lookup_state(t, &change->item);
    switch (change->kind) {
    case PQT_INSERT:
        replay_put(touched, &change->item);
        break;
    case PQT_REMOVE:
        if (!t->unique || tree_has_item(t, touched, &change->item))
            touched->after = ABSENT;
        break;
    case PQT_MOVE:
        if (tree_has_item(t, touched, &change->item))
            replay_move(t, touched, change->to);
        break;
    case PQT_REMOVE_ID:
        touched->after = ABSENT;
        break;
    case PQT_MOVE_ID:
        if (state_is_present(t, touched))
            replay_move(t, touched, change->to);
        break;
    }
}

static void
emit_replayed_changes(const table *t, pqti_edit_list *edit_list)
{
    for (size_t i = 0; i < t->count; i++) {
        const item_state *touched = &t->states[i];
        /* If the state before is unknown, the item was never looked up. Removing an absent item
           does nothing. The state after is known: each kind of change sets it. */
        bool is = touched->after == PRESENT;
        bool was = touched->before == PRESENT || (touched->before == UNKNOWN && !is);
        pqti_net_change net_change = {was, is, touched->first, touched->last};
        pqti_edit_list_add(edit_list, &net_change, t->tree->domain);
    }
}

/* Makes a table with room for `capacity` items. */
static bool
make_replay_table(table *t, const pqt_tree *tree, size_t capacity)
{
    const size_t slots = pqti_slots_for(capacity);
    *t = (table){.tree = tree, .unique = tree->domain->options.unique_ids, .mask = slots - 1};
    t->states = pqti_alloc_scratch(capacity, sizeof *t->states);
    t->slots = t->states == NULL ? NULL : pqti_alloc_scratch(slots, sizeof *t->slots);
    if (t->slots == NULL) {
        pqti_free_scratch(t->states);
        return false;
    }
    memset(t->slots, 0, slots * sizeof *t->slots);
    return true;
}

static void
free_table(table *t)
{
    pqti_free_scratch(t->slots);
    pqti_free_scratch(t->states);
}

bool
pqti_plan_replay(const pqti_batch *batch, pqti_edit_list *edit_list)
{
    const pqt_tree *tree = batch->tree;
    table t;
    if (!make_replay_table(&t, tree, 2 * batch->changes->count))
        return false;
    for (size_t i = 0; i < batch->changes->count; i++) {
        pqt_change change = pqti_change_at(batch->changes, i);
        if (!pqti_is_noop(&change))
            replay_change(&t, &change);
    }
    emit_replayed_changes(&t, edit_list);
    free_table(&t);
    return true;
}
