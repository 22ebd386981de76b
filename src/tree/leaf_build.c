/* SPDX-License-Identifier: MIT */
/* leaf_build.c - leaves are made here, and what they cover is worked out. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "base/simd.h"
#include "memory/memory_internal.h"
#include "tree/leaf_cover.h"
#include "tree/node.h"
#include "tree/node_build.h"

/* A leaf's block. Ids that point to collected memory must be seen by the collector. */
static void *
leaf_block(const pqti_space *space, size_t count)
{
    pqt_memory *memory = space->options.memory;
    size_t size = pqti_leaf_size(count);
    return space->options.ids_are_pointers ? pqti_scanned_leaf(memory, size)
                                           : pqti_leaf(memory, size);
}

static pqti_ref
leaf_ref(const pqti_space *space, pqti_place place, const void *block, size_t count)
{
    return (pqti_ref){
        block, {(uint32_t)count | PQTI_LEAF_BIT}, pqti_leaf_extent(space, place, block, count)};
}

/* Fills slot i of a leaf's block. */
static inline void
write_item(void *block, size_t count, size_t i, const pqt_item *item)
{
    double *numbers = block;
    uint64_t *words = block;
    numbers[i] = item->box.min.x;
    numbers[count + i] = item->box.min.y;
    numbers[2 * count + i] = item->box.max.x;
    numbers[3 * count + i] = item->box.max.y;
    words[4 * count + i] = item->id;
}

bool
pqti_leaf_of(const pqti_space *space, pqti_place place, const pqt_item *items, size_t count,
             pqti_ref *leaf)
{
    *leaf = PQTI_EMPTY_REF;
    if (count == 0)
        return true;
    void *block = leaf_block(space, count);
    if (block == NULL)
        return false;
    for (size_t i = 0; i < count; i++)
        write_item(block, count, i, &items[i]);
    *leaf = leaf_ref(space, place, block, count);
    return true;
}

/* Items that are copied to a leaf. */
typedef struct transfer {
    void *to;
    size_t count; /* of all items of that leaf */
    pqti_leaf_view from;
    cover cover;
} transfer;

/* Copies two sides of boxes to slots of one of the leaf's arrays: 0 to 3, in pqti_view's order. */
static inline pqti_pair
copy_pair(const transfer *t, size_t array, size_t to, const double *from)
{
    const pqti_pair pair = pqti_pair_load(from);
    pqti_pair_store((double *)t->to + array * t->count + to, pair);
    return pair;
}

/* Two at a time, in all five arrays at once; ids are no doubles, and copied as what they are. */
static inline void
copy_items(transfer *t, size_t to, size_t from, size_t end)
{
    for (; from + 2 <= end; from += 2, to += 2) {
        pqti_pair min_x = copy_pair(t, 0, to, t->from.min_x + from);
        pqti_pair min_y = copy_pair(t, 1, to, t->from.min_y + from);
        pqti_pair max_x = copy_pair(t, 2, to, t->from.max_x + from);
        pqti_pair max_y = copy_pair(t, 3, to, t->from.max_y + from);
        memcpy((uint64_t *)t->to + 4 * t->count + to, t->from.id + from, 2 * sizeof *t->from.id);
        cover_pair(&t->cover, min_x, min_y, max_x, max_y);
    }
    if (from < end) {
        pqt_item item = pqti_view_item(t->from, from);
        write_item(t->to, t->count, to, &item);
        cover_box(&t->cover, &item.box);
    }
}

/* What the leaf covers is worked out while it is copied: to read at once in pairs what was just
   written, at other ends of pairs, would take longer. */
bool
pqti_leaf_of_stretches(const pqti_space *space, pqti_place place, const pqti_leaf_view *old,
                       const pqti_leaf_run *stretches, size_t stretch_count, size_t count,
                       pqti_ref *leaf)
{
    *leaf = PQTI_EMPTY_REF;
    if (count == 0)
        return true;
    transfer t = {leaf_block(space, count), count, *old, no_cover};
    if (t.to == NULL)
        return false;
    size_t next = 0;
    for (const pqti_leaf_run *s = stretches; s < stretches + stretch_count; s++) {
        copy_items(&t, next, s->from, s->to);
        next += s->to - s->from;
        if (s->come == NULL)
            continue;
        write_item(t.to, count, next++, s->come);
        cover_box(&t.cover, &s->come->box);
    }
    *leaf = (pqti_ref){
        t.to, {(uint32_t)count | PQTI_LEAF_BIT}, extent_of_cover(space, place, &t.cover)};
    return true;
}

bool
pqti_leaf_of_entries(const pqti_space *space, pqti_place place, const pqt_item *items,
                     const pqti_entry *entries, size_t count, pqti_ref *leaf,
                     pqt_fingerprint *fingerprint)
{
    void *block = leaf_block(space, count);
    if (block == NULL)
        return false;
    pqt_fingerprint sum = *fingerprint;
    for (size_t i = 0; i < count; i++) {
        const pqt_item *item = &items[entries[i].index];
        write_item(block, count, i, item);
        sum = pqti_fingerprint_add(sum, pqti_item_fingerprint(item));
    }
    *fingerprint = sum;
    *leaf = leaf_ref(space, place, block, count);
    return true;
}

/* A leaf on its way: items are written one after another. */
typedef struct leaf_writer {
    void *block;
    size_t count, next;
} leaf_writer;

static bool
write_next(const pqt_item *item, void *context)
{
    leaf_writer *writer = context;
    write_item(writer->block, writer->count, writer->next++, item);
    return true;
}

bool
pqti_leaf_of_parts(const pqti_space *space, pqti_place place, const pqti_ref parts[PQTI_PARTS],
                   size_t count, pqti_ref *leaf)
{
    *leaf = PQTI_EMPTY_REF;
    if (count == 0)
        return true;
    leaf_writer writer = {leaf_block(space, count), count, 0};
    if (writer.block == NULL)
        return false;
    for (int i = 0; i < PQTI_PARTS; i++)
        pqti_each_item(parts[pqti_part_order[i]], write_next, &writer);
    *leaf = leaf_ref(space, place, writer.block, count);
    return true;
}
