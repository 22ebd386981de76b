/* SPDX-License-Identifier: MIT */
/*
 * batch_flatten.c - large batches: changes are done, in their order, to all items of the tree in
 * one array.
 *
 * With many changes for each leaf it costs less to have all items at hand than to ask the tree for
 * each. They stand in tree order, so that they are almost sorted when the changes are done; and a
 * table tells where the items of an id are. Ids stay what they are wherever items move, so nothing
 * in the table ever moves. Without unique ids an item is looked for among those of its id: where
 * too many share one, this is no way.
 *
 * Items and slots lie anywhere in memory, and to wait for each in turn takes longer than all the
 * rest: so those of a run of changes are asked for first.
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

enum {
    RUN = 32,      /* items, or changes, whose slots are asked for together */
    MOST_ALIKE = 8 /* items of one id */
};

#define NOWHERE UINT32_MAX /* an item that is not in the array */

/* What became of an item of the array. */
enum { KEPT, CAME, GONE };

typedef struct bulk {
    const pqt_tree *tree;
    bool unique;
    pqti_entry *entries; /* of what is left in the end, and as many to sort them */
    pqt_item *items;     /* of the tree, in its order; then what is inserted */
    uint8_t *fates;
    size_t count, changed; /* how many; how often one changed */
    /* A slot is the number of an item, plus 1, and above it as many upper bits of its id's hash as
       it has room for: its tag. So few items are looked at in vain. 0: empty. */
    uint32_t *slots;
    size_t mask;
    uint32_t numbers; /* the bits of a number */
    bool alike;       /* some items share an id */
    bool crowded;     /* too many share one */
    bool again;       /* some item changed more than once */
} bulk;

/* ---- the table ---- */

static inline uint32_t
tag_of(const bulk *b, uint64_t hash)
{
    return (uint32_t)(hash >> 32) & ~b->numbers;
}

/* Whether a slot is that of an item of this id. */
static inline bool
has_id(const bulk *b, uint32_t slot, uint32_t tag, uint64_t id)
{
    return (slot & ~b->numbers) == tag && b->items[(slot & b->numbers) - 1].id == id;
}

/* Gives an item of the array its slot. */
static void
enter(bulk *b, size_t number, uint64_t hash)
{
    const uint32_t tag = tag_of(b, hash);
    unsigned alike = 0;
    size_t i = pqti_first_slot(hash, b->mask);
    for (; b->slots[i] != 0; i = pqti_next_slot(i, b->mask))
        alike += has_id(b, b->slots[i], tag, b->items[number].id);
    b->slots[i] = tag | ((uint32_t)number + 1);
    b->alike |= alike > 0;
    b->crowded |= alike >= MOST_ALIKE;
}

/* The item of an id, and of a box if one is given, be it gone or not. */
static uint32_t
find(const bulk *b, uint64_t id, uint64_t hash, const pqt_box *box)
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
    return NOWHERE;
}

static void
ask_for_slots(const bulk *b, const uint64_t *hashes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        pqti_prefetch(&b->slots[pqti_first_slot(hashes[i], b->mask)]);
}

/* The items that these slots most likely lead to. */
static void
ask_for_items(const bulk *b, const uint64_t *hashes, size_t count)
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
enter_all(bulk *b)
{
    uint64_t hashes[RUN];
    for (size_t from = 0, size; from < b->count && !b->crowded; from += size) {
        size = size_of_run(from, b->count);
        for (size_t i = 0; i < size; i++)
            hashes[i] = pqti_id_key(b->items[from + i].id);
        ask_for_slots(b, hashes, size);
        for (size_t i = 0; i < size; i++)
            enter(b, from + i, hashes[i]);
    }
}

/* ---- the changes ---- */

static void
mark(bulk *b, size_t at, uint8_t fate)
{
    b->again |= b->fates[at] != KEPT;
    b->fates[at] = fate;
    b->changed++;
}

static void
put(bulk *b, uint32_t at, pqt_box box)
{
    if (b->fates[at] != GONE && pqti_box_equals(&box, &b->items[at].box))
        return;
    b->items[at].box = pqti_box_positive_zero(box);
    mark(b, at, CAME);
}

static void
insert(bulk *b, const pqt_item *item, uint64_t hash)
{
    uint32_t at = find(b, item->id, hash, b->unique ? NULL : &item->box);
    if (at == NOWHERE) {
        b->items[b->count] = (pqt_item){pqti_box_positive_zero(item->box), item->id};
        mark(b, b->count, CAME);
        enter(b, b->count++, hash);
    } else {
        put(b, at, item->box);
    }
}

/* A tree is a set: where an item comes to be what another is, or was, that one stands for both. */
static void
move(bulk *b, uint32_t at, pqt_box to, uint64_t hash)
{
    uint32_t there = b->alike ? find(b, b->items[at].id, hash, &to) : NOWHERE;
    if (there == NOWHERE || there == at) {
        put(b, at, to);
    } else {
        put(b, there, to);
        mark(b, at, GONE);
    }
}

static void
change(bulk *b, const pqti_changes *changes, size_t i, uint64_t hash)
{
    pqt_change_kind kind = pqti_kind_at(changes, i);
    const pqt_item *item = pqti_item_at(changes, i);
    if (kind == PQT_INSERT) {
        insert(b, item, hash);
        return;
    }
    uint32_t at = find(b, item->id, hash, pqti_goes_by_id(kind) ? NULL : &item->box);
    if (at == NOWHERE || b->fates[at] == GONE)
        return;
    if (pqti_moves(kind))
        move(b, at, changes->changes[i].to, hash);
    else
        mark(b, at, GONE);
}

static void
change_all(bulk *b, const pqti_changes *changes)
{
    uint64_t hashes[RUN];
    for (size_t from = 0, size; from < changes->count && !b->crowded; from += size) {
        size = size_of_run(from, changes->count);
        for (size_t i = 0; i < size; i++)
            hashes[i] = pqti_id_key(pqti_item_at(changes, from + i)->id);
        ask_for_slots(b, hashes, size);
        ask_for_items(b, hashes, size);
        for (size_t i = 0; i < size; i++)
            change(b, changes, from + i, hashes[i]);
    }
}

/* ---- what is wished then ---- */

/* Changes may undo each other: what is as it was has not changed. */
static bool
forget_undone(bulk *b)
{
    const size_t count = b->tree->count;
    pqt_item *before = pqti_scratch(count, sizeof *before);
    if (before == NULL)
        return false;
    (void)pqti_gather(pqti_root(b->tree), before);
    for (size_t i = 0; i < count; i++)
        if (b->fates[i] == CAME && pqti_item_equals(&before[i], &b->items[i]))
            b->fates[i] = KEPT;
    pqti_scratch_free(before);
    b->changed = 0;
    for (size_t i = 0; i < b->count; i++)
        b->changed += b->fates[i] == CAME || (b->fates[i] == GONE && i < count);
    return true;
}

/* What changed, for the id map; no id stands in the array twice. */
static void
list_ids(const bulk *b, pqti_wishes *wishes)
{
    for (size_t i = 0; i < b->count; i++) {
        bool removal = b->fates[i] == GONE;
        if (b->fates[i] == CAME || (removal && i < b->tree->count))
            wishes->id_edits[wishes->id_count++] =
                (pqti_id_edit){pqti_id_key(b->items[i].id), b->items[i], removal};
    }
}

/* Leaves what is not gone. */
static void
close_gaps(bulk *b)
{
    size_t left = 0;
    for (size_t i = 0; i < b->count; i++) {
        if (b->fates[i] == GONE)
            continue;
        b->fates[left] = b->fates[i];
        if (left < i)
            b->items[left] = b->items[i];
        left++;
    }
    b->count = left;
}

static void
sort(bulk *b)
{
    pqti_entries_of(b->tree->space, b->items, b->count, b->entries);
    for (size_t i = 0; i < b->count; i++)
        b->entries[i].kept = b->fates[i] == KEPT;
    pqti_sort(b->entries, b->count, b->entries + b->count, b->items);
}

/* False: no memory. The block is the wishes' then, if something changed. */
static bool
conclude(bulk *b, pqti_wishes *wishes)
{
    if (b->again && !forget_undone(b))
        return false;
    if (b->changed == 0)
        return true;
    if (b->unique) {
        wishes->id_edits = pqti_scratch(b->changed, sizeof *wishes->id_edits);
        if (wishes->id_edits == NULL)
            return false;
        list_ids(b, wishes);
    }
    close_gaps(b);
    sort(b);
    wishes->items = b->items;
    wishes->count = wishes->sorted_count = b->count;
    wishes->sorted = b->entries;
    wishes->whole = true;
    return true;
}

static pqti_taken
take(bulk *b, const pqti_changes *changes, pqti_wishes *wishes)
{
    b->count = (size_t)(pqti_gather(pqti_root(b->tree), b->items) - b->items);
    memset(b->slots, 0, (b->mask + 1) * sizeof *b->slots);
    enter_all(b);
    change_all(b, changes);
    if (b->crowded)
        return PQTI_NO_WAY;
    return conclude(b, wishes) ? PQTI_TAKEN : PQTI_NO_MEMORY;
}

/*
 * One block for all, for `room` items: of several, malloc would give each back, and the next batch
 * wait for fresh pages, a quarter of its time. The table lies where entries will, since it has done
 * its part before there are any.
 */
static bool
make_room(bulk *b, size_t room)
{
    enum { SPARE = 2 /* the least table takes more than the entries of two items */ };
    _Static_assert(2 * sizeof(pqti_entry) >= 3 * sizeof *b->slots &&
                       SPARE * 2 * sizeof(pqti_entry) >= PQTI_LEAST_SLOTS * sizeof *b->slots,
                   "the table, less than three slots an item, fits into the entries");
    const size_t all = room + SPARE;
    b->mask = pqti_slots_for(room) - 1;
    b->numbers = 1;
    while (b->numbers < room + 1)
        b->numbers = b->numbers << 1 | 1;
    void *block = pqti_scratch(all, 2 * sizeof *b->entries + sizeof *b->items + sizeof *b->fates);
    if (block == NULL)
        return false;
    b->entries = block;
    b->slots = block;
    b->items = (pqt_item *)(void *)(b->entries + 2 * all);
    b->fates = (uint8_t *)(b->items + all);
    memset(b->fates, KEPT, all * sizeof *b->fates);
    return true;
}

pqti_taken
pqti_take_in_bulk(const pqti_batch *batch, size_t inserts, pqti_wishes *wishes)
{
    bulk b = {.tree = batch->tree, .unique = batch->tree->space->options.unique_ids};
    *wishes = (pqti_wishes){0};
    if (!make_room(&b, batch->tree->count + inserts))
        return PQTI_NO_MEMORY;
    pqti_taken taken = take(&b, batch->changes, wishes);
    if (wishes->sorted == NULL)
        pqti_scratch_free(b.entries);
    return taken;
}
