/* SPDX-License-Identifier: MIT */
/*
 * batch_flatten.c: applies a large batch to an array of all items of the tree.
 *
 * Fast path. It is equivalent to pqti_plan_replay. Every test passes without it.
 *
 * If there are many changes per leaf, it costs less to apply them to an array of all items than to
 * descend once for each change. The array is in tree order at first, so it is almost sorted after
 * the changes. A hash table maps an id to the indices of the items with this id. A move does not
 * change the id, so the table does not change either. Without unique ids, a search compares the
 * boxes of all items with the given id. If more than MAX_DUPS items share an id, the strategy is
 * not applicable.
 *
 * Items and slots are at random addresses, and waiting for one after another would take most of the
 * time. So the items and slots for a run of changes are prefetched together.
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

#ifndef PQT_PLAIN

enum {
    RUN = 32,    /* the number of items, or changes, whose slots are prefetched together */
    MAX_DUPS = 8 /* the maximal number of items with the same id */
};

#define NOT_FOUND UINT32_MAX /* the result of a search that finds no item */

/* The net change of an item in the array. */
enum { KEPT, INSERTED, REMOVED };

typedef struct bulk {
    const pqt_tree *tree;
    bool unique;
    pqti_key *keys;  /* the keys of the remaining items, and as much room again for sorting them */
    pqt_item *items; /* the items of the tree in tree order, then the inserted ones */
    uint8_t *net_changes;
    /* the number of items in the array; the number of net changes, see forget_undone */
    size_t count, changed;
    /* Each slot holds in its lower bits the index of an item, plus 1, and in its upper bits a
       tag, which consists of bits of the hash of the item's id. The tag prevents most needless
       comparisons. An empty slot is 0. */
    uint32_t *slots;
    size_t mask;
    uint32_t numbers;   /* the mask of the bits of a slot that hold the index */
    bool has_dups;      /* true if some items share an id */
    bool too_many_dups; /* true if more than MAX_DUPS items share an id */
    bool rechanged;     /* true if some item has changed more than once */
} bulk;

/* ---- The table of ids ---- */

static inline uint32_t
tag_of(const bulk *b, uint64_t hash)
{
    return (uint32_t)(hash >> 32) & ~b->numbers;
}

/* Returns true if the item in a slot has this id. */
static inline bool
has_id(const bulk *b, uint32_t slot, uint32_t tag, uint64_t id)
{
    return (slot & ~b->numbers) == tag && b->items[(slot & b->numbers) - 1].id == id;
}

/* Adds an item of the array to the table. */
static void
insert_into_id_table(bulk *b, size_t number, uint64_t hash)
{
    const uint32_t tag = tag_of(b, hash);
    unsigned alike = 0;
    size_t i = pqti_first_slot(hash, b->mask);
    for (; b->slots[i] != 0; i = pqti_next_slot(i, b->mask))
        alike += has_id(b, b->slots[i], tag, b->items[number].id);
    b->slots[i] = tag | ((uint32_t)number + 1);
    b->has_dups |= alike > 0;
    b->too_many_dups |= alike >= MAX_DUPS;
}

/*
 * Finds an item by its id and, if `box` is not NULL, by its box. Also finds items that were
 * removed.
 */
static uint32_t
find_in_id_table(const bulk *b, uint64_t id, uint64_t hash, const pqt_box *box)
{
    const uint32_t tag = tag_of(b, hash);
    size_t i = pqti_first_slot(hash, b->mask);
    for (; b->slots[i] != 0; i = pqti_next_slot(i, b->mask)) {
        if (!has_id(b, b->slots[i], tag, id))
            continue;
        uint32_t at = (b->slots[i] & b->numbers) - 1;
        if (box == NULL || pqti_box_equals(box, &b->items[at].box))
            return at;
    }
    return NOT_FOUND;
}

static void
prefetch_slots(const bulk *b, const uint64_t *hashes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        pqti_prefetch(&b->slots[pqti_first_slot(hashes[i], b->mask)]);
}

/*
 * For each hash, prefetches the first item whose tag matches, because it is most likely the right
 * one.
 */
static void
prefetch_likely_items(const bulk *b, const uint64_t *hashes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const uint32_t tag = tag_of(b, hashes[i]);
        size_t at = pqti_first_slot(hashes[i], b->mask);
        while (b->slots[at] != 0 && (b->slots[at] & ~b->numbers) != tag)
            at = pqti_next_slot(at, b->mask);
        if (b->slots[at] == 0)
            continue;
        const pqt_item *likely = &b->items[(b->slots[at] & b->numbers) - 1];
        pqti_prefetch(likely);
        pqti_prefetch(&likely->id);
    }
}

static size_t
size_of_run(size_t from, size_t count)
{
    return count - from < RUN ? count - from : RUN;
}

static void
index_old_items(bulk *b)
{
    uint64_t hashes[RUN];
    for (size_t from = 0, size; from < b->count && !b->too_many_dups; from += size) {
        size = size_of_run(from, b->count);
        for (size_t i = 0; i < size; i++)
            hashes[i] = pqti_id_key(b->items[from + i].id);
        prefetch_slots(b, hashes, size);
        for (size_t i = 0; i < size; i++)
            insert_into_id_table(b, from + i, hashes[i]);
    }
}

/* ---- Changes ---- */

static void
set_net_change(bulk *b, size_t at, uint8_t net_change)
{
    b->rechanged |= b->net_changes[at] != KEPT;
    b->net_changes[at] = net_change;
    b->changed++;
}

static void
set_item_box(bulk *b, uint32_t at, const pqt_box *box)
{
    if (b->net_changes[at] != REMOVED && pqti_box_equals(box, &b->items[at].box))
        return;
    b->items[at].box = pqti_box_positive_zero(*box);
    set_net_change(b, at, INSERTED);
}

static void
insert_flat_item(bulk *b, const pqt_item *item, uint64_t hash)
{
    uint32_t at = find_in_id_table(b, item->id, hash, b->unique ? NULL : &item->box);
    if (at == NOT_FOUND) {
        b->items[b->count] = (pqt_item){pqti_box_positive_zero(item->box), item->id};
        set_net_change(b, b->count, INSERTED);
        insert_into_id_table(b, b->count++, hash);
    } else {
        set_item_box(b, at, &item->box);
    }
}

/* Moves an item. A tree is a set. So if the array already holds an item that equals the moved
   one, even one that was removed, makes that item present and removes the moved one. */
static void
move_flat_item(bulk *b, uint32_t at, pqt_box to, uint64_t hash)
{
    uint32_t there = b->has_dups ? find_in_id_table(b, b->items[at].id, hash, &to) : NOT_FOUND;
    if (there == NOT_FOUND || there == at) {
        set_item_box(b, at, &to);
    } else {
        set_item_box(b, there, &to);
        set_net_change(b, at, REMOVED);
    }
}

static void
replay_flat_change(bulk *b, const pqti_change_array *changes, size_t i, uint64_t hash)
{
    pqt_change_kind kind = pqti_change_kind_at(changes, i);
    const pqt_item *item = pqti_item_at(changes, i);
    if (kind == PQT_INSERT) {
        insert_flat_item(b, item, hash);
        return;
    }
    uint32_t at = find_in_id_table(b, item->id, hash, pqti_is_by_id(kind) ? NULL : &item->box);
    if (at == NOT_FOUND || b->net_changes[at] == REMOVED)
        return;
    if (pqti_moves(kind))
        move_flat_item(b, at, changes->changes[i].to, hash);
    else
        set_net_change(b, at, REMOVED);
}

static void
change_all(bulk *b, const pqti_change_array *changes)
{
    uint64_t hashes[RUN];
    for (size_t from = 0, size; from < changes->count && !b->too_many_dups; from += size) {
        size = size_of_run(from, changes->count);
        for (size_t i = 0; i < size; i++)
            hashes[i] = pqti_id_key(pqti_item_at(changes, from + i)->id);
        prefetch_slots(b, hashes, size);
        prefetch_likely_items(b, hashes, size);
        for (size_t i = 0; i < size; i++)
            replay_flat_change(b, changes, from + i, hashes[i]);
    }
}

/* ---- Net changes ---- */

/* Marks the items that equal their old state as KEPT, because changes may undo each other, and
   counts those that changed. Returns false when out of memory. */
static bool
forget_undone(bulk *b)
{
    const size_t count = b->tree->count;
    pqt_item *before = pqti_alloc_scratch(count, sizeof *before);
    if (before == NULL)
        return false;
    (void)pqti_collect_items(pqti_root(b->tree), before);
    for (size_t i = 0; i < count; i++)
        if (b->net_changes[i] == INSERTED && pqti_item_equals(&before[i], &b->items[i]))
            b->net_changes[i] = KEPT;
    pqti_free_scratch(before);
    b->changed = 0;
    for (size_t i = 0; i < b->count; i++)
        b->changed += b->net_changes[i] == INSERTED || (b->net_changes[i] == REMOVED && i < count);
    return true;
}

/* Lists the edits of the id map. Ids are unique here, so the array holds no id twice. */
static void
list_ids(const bulk *b, pqti_edit_list *edit_list)
{
    for (size_t i = 0; i < b->count; i++) {
        bool removal = b->net_changes[i] == REMOVED;
        if (b->net_changes[i] == INSERTED || (removal && i < b->tree->count))
            edit_list->id_edits[edit_list->id_count++] =
                pqti_id_edit_of(b->tree->domain, &b->items[i], removal);
    }
}

/* Deletes the items marked REMOVED from the array. */
static void
remove_marked_items(bulk *b)
{
    size_t left = 0;
    for (size_t i = 0; i < b->count; i++) {
        if (b->net_changes[i] == REMOVED)
            continue;
        b->net_changes[left] = b->net_changes[i];
        if (left < i)
            b->items[left] = b->items[i];
        left++;
    }
    b->count = left;
}

static void
sort_flat_items(bulk *b)
{
    pqti_keys_of(b->tree->domain, b->items, b->count, b->keys);
    for (size_t i = 0; i < b->count; i++)
        b->keys[i].kept = b->net_changes[i] == KEPT;
    pqti_sort(b->keys, b->count, b->keys + b->count, b->items);
}

/* Makes the edit list. If something changed, the list then owns the block of `b`. Returns false
   when out of memory. */
static bool
emit_net_changes(bulk *b, pqti_edit_list *edit_list)
{
    if (b->rechanged && !forget_undone(b))
        return false;
    if (b->changed == 0)
        return true;
    if (b->unique) {
        edit_list->id_edits = pqti_alloc_scratch(b->changed, sizeof *edit_list->id_edits);
        if (edit_list->id_edits == NULL)
            return false;
        list_ids(b, edit_list);
    }
    remove_marked_items(b);
    sort_flat_items(b);
    edit_list->items = b->items;
    edit_list->count = edit_list->sorted_count = b->count;
    edit_list->sorted = b->keys;
    edit_list->replaces_all = true;
    return true;
}

static pqti_plan_result
flatten_and_apply(bulk *b, const pqti_change_array *changes, pqti_edit_list *edit_list)
{
    b->count = (size_t)(pqti_collect_items(pqti_root(b->tree), b->items) - b->items);
    memset(b->slots, 0, (b->mask + 1) * sizeof *b->slots);
    index_old_items(b);
    change_all(b, changes);
    if (b->too_many_dups)
        return PQTI_PLAN_NOT_APPLICABLE;
    return emit_net_changes(b, edit_list) ? PQTI_PLAN_MADE : PQTI_PLAN_NO_MEMORY;
}

/*
 * Allocates one block for all arrays, with room for `capacity` items. If each array had its own
 * block, free would return them to the system, and the next batch would spend a quarter of its time
 * on fresh pages. The table and the keys share the same memory, because the keys are computed only
 * after the last use of the table.
 */
static bool
make_id_table(bulk *b, size_t capacity)
{
    enum { SPARE = 2 /* the smallest table is larger than two keys */ };
    _Static_assert(2 * sizeof(pqti_key) >= 3 * sizeof *b->slots &&
                       SPARE * 2 * sizeof(pqti_key) >= PQTI_MIN_SLOTS * sizeof *b->slots,
                   "the table, with less than three slots per item, does not fit into the entries");
    const size_t all = capacity + SPARE;
    b->mask = pqti_slots_for(capacity) - 1;
    b->numbers = 1;
    while (b->numbers < capacity + 1)
        b->numbers = b->numbers << 1 | 1;
    void *block =
        pqti_alloc_scratch(all, 2 * sizeof *b->keys + sizeof *b->items + sizeof *b->net_changes);
    if (block == NULL)
        return false;
    b->keys = block;
    b->slots = block;
    b->items = (pqt_item *)(void *)(b->keys + 2 * all);
    b->net_changes = (uint8_t *)(b->items + all);
    memset(b->net_changes, KEPT, all * sizeof *b->net_changes);
    return true;
}

pqti_plan_result
pqti_plan_flatten(const pqti_batch *batch, size_t inserts, pqti_edit_list *edit_list)
{
    bulk b = {.tree = batch->tree, .unique = batch->tree->domain->options.unique_ids};
    *edit_list = (pqti_edit_list){0};
    if (!make_id_table(&b, batch->tree->count + inserts))
        return PQTI_PLAN_NO_MEMORY;
    pqti_plan_result plan = flatten_and_apply(&b, batch->changes, edit_list);
    if (edit_list->sorted == NULL)
        pqti_free_scratch(b.keys);
    return plan;
}

#endif
