/* SPDX-License-Identifier: MIT */
/*
 * node_build.c - nodes are made here.
 *
 * What stands at a place depends on the count of its items alone: none, nothing; up to the leaf
 * capacity, a leaf; else a node - but where nothing is left to divide by, a leaf. That makes the
 * shape canonical, whoever asks for the node: bulk build, edits, search. And a node that is not
 * mixed and would hold all of its items in one quarter is never made: what stands in the quarter is
 * taken in its place.
 */
#include "config.h"

#include "tree/node_build.h"

#include <math.h>
#include <string.h>

#include "base/simd.h"
#include "memory/memory_internal.h"
#include "tree/leaf_cover.h"
#include "tree/node.h"
#include "tree/side_range.h"

_Static_assert(offsetof(pqti_inner, fingerprint) + 16 == sizeof(pqti_inner) &&
                   offsetof(pqti_bucket, at) == 0,
               "the last word of a node is not searched: no pointer may be there");

enum { ALL_QUARTERS = (1 << PQTI_QUARTERS) - 1 };

static inline void
set_quarter(pqti_inner *node, int i, pqti_ref quarter)
{
    node->min_x[i] = quarter.extent.min_x;
    node->min_y[i] = quarter.extent.min_y;
    node->max_x[i] = quarter.extent.max_x;
    node->max_y[i] = quarter.extent.max_y;
    node->child[i] = quarter.at;
    node->count[i] = quarter.marked;
}

static pqti_spread *
own_spread(pqti_inner *mixed)
{
    return (pqti_spread *)(void *)mixed->bucket;
}

/* Whether one quarter has all items; then it is what stands there. */
static bool
take_only_quarter(const pqti_ref parts[PQTI_PARTS], size_t count, pqti_ref *ref)
{
    for (int i = 0; i < PQTI_QUARTERS; i++)
        if (parts[i].count == count) {
            *ref = parts[i];
            ref->deep = true;
            return true;
        }
    return false;
}

static uint32_t
count_parts(const pqti_ref parts[PQTI_PARTS])
{
    uint32_t count = 0;
    for (int i = 0; i < PQTI_PARTS; i++)
        count += parts[i].count;
    return count;
}

bool
pqti_inner_of(const pqti_space *space, pqti_place place, const pqti_ref parts[PQTI_PARTS],
              pqt_fingerprint fingerprint, pqti_ref *inner)
{
    const pqti_ref *bucket = &parts[PQTI_BUCKET];
    bool mixed = place.kind == PQTI_MIX;
    uint32_t count = count_parts(parts);
    if (!mixed && take_only_quarter(parts, count, inner))
        return true;
    pqti_inner *node = pqti_node(space->options.memory, pqti_inner_size(bucket->count > 0, mixed));
    if (node == NULL)
        return false;
    for (int i = 0; i < PQTI_QUARTERS; i++)
        set_quarter(node, i, parts[i]);
    node->fingerprint = fingerprint;
    if (bucket->count > 0)
        node->bucket[0] = (pqti_bucket){bucket->at, bucket->marked};
    if (mixed)
        *own_spread(node) = pqti_spread_of_quarters(node);
    *inner = (pqti_ref){node, {count | (mixed ? PQTI_MIXED_BIT : 0)}, PQTI_EMPTY_EXTENT};
    for (int i = 0; i < PQTI_PARTS; i++)
        inner->extent = pqti_extent_union(inner->extent, parts[i].extent);
    return true;
}

bool
pqti_join(const pqti_space *space, pqti_place place, const pqti_ref parts[PQTI_PARTS],
          pqt_fingerprint fingerprint, pqti_ref *joined)
{
    size_t count = count_parts(parts);
    if (pqti_is_leaf_at(space, place, count))
        return pqti_leaf_of_parts(space, place, parts, count, joined);
    return pqti_inner_of(space, place, parts, fingerprint, joined);
}

/* The items of a node after the exchange, and whether a part lost all; unsigned differences, so no
   order of parts matters. */
static inline uint32_t
count_exchanged(pqti_ref ref, const pqti_ref parts[PQTI_PARTS], unsigned changed, bool *emptied)
{
    uint32_t count = ref.count;
    *emptied = false;
    for (unsigned rest = changed; rest != 0; rest &= rest - 1) {
        int part = __builtin_ctz(rest);
        count += parts[part].count - pqti_part_ref(ref.at, ref.count, part).count;
        *emptied |= parts[part].marked == 0;
    }
    return count;
}

/* A part of a node after the exchange. */
static inline pqti_ref
exchanged(pqti_ref ref, const pqti_ref parts[PQTI_PARTS], unsigned changed, int part)
{
    return changed >> part & 1 ? parts[part] : pqti_part_ref(ref.at, ref.count, part);
}

static PQTI_NOINLINE bool
leaf_of_exchange(const pqti_space *space, pqti_place place, const pqti_ref parts[PQTI_PARTS],
                 unsigned changed, size_t count, pqti_ref *ref)
{
    pqti_ref all[PQTI_PARTS];
    for (int i = 0; i < PQTI_PARTS; i++)
        all[i] = exchanged(*ref, parts, changed, i);
    return pqti_leaf_of_parts(space, place, all, count, ref);
}

/* Whether after the exchange one quarter has all items; then it is what stands there. */
static PQTI_NOINLINE bool
exchange_leaves_one(const pqti_ref parts[PQTI_PARTS], unsigned changed, size_t count, pqti_ref *ref)
{
    if (ref->mixed)
        return false;
    pqti_ref all[PQTI_PARTS];
    for (int i = 0; i < PQTI_PARTS; i++)
        all[i] = exchanged(*ref, parts, changed, i);
    return take_only_quarter(all, count, ref);
}

static bool
equal_extents(pqti_extent a, pqti_extent b)
{
    return ((a.min_x ^ b.min_x) | (a.min_y ^ b.min_y) | (a.max_x ^ b.max_x) |
            (a.max_y ^ b.max_y)) == 0;
}

/* Whether an extent was worked out: those of buckets and roots are not. */
static inline bool
is_known(pqti_extent extent)
{
    return extent.min_x <= extent.max_x;
}

/* Whether the columns that a node covers are known, and stay, since those of its quarters do. */
static bool
keeps_extent(pqti_ref ref, const pqti_ref parts[PQTI_PARTS], unsigned changed)
{
    if (!is_known(ref.extent) || changed >> PQTI_BUCKET != 0)
        return false;
    for (; changed != 0; changed &= changed - 1) {
        int i = __builtin_ctz(changed);
        if (!equal_extents(pqti_quarter(ref.at, i).extent, parts[i].extent))
            return false;
    }
    return true;
}

static bool
keeps_spread(const pqti_inner *mixed, const pqti_ref parts[PQTI_PARTS], unsigned changed)
{
    for (; changed != 0; changed &= changed - 1)
        if (!pqti_spread_keeps(mixed, __builtin_ctz(changed), parts[__builtin_ctz(changed)]))
            return false;
    return true;
}

/* The columns that a node covers; nobody asks for those of the root. */
static pqti_extent
extent_of_inner(const pqti_space *space, pqti_place place, const pqti_inner *node, pqti_ref bucket)
{
    if (place.kind == PQTI_SPACE && place.depth == 0)
        return PQTI_EMPTY_EXTENT;
    pqti_extent extent = pqti_quarters_extent(node);
    if (bucket.count == 0)
        return extent;
    pqti_place inside = pqti_part_place(space, place, PQTI_BUCKET);
    return pqti_extent_union(extent, pqti_bucket_extent(space, inside, bucket));
}

/* A copy of a node with what changes in any case, its quarters still those of the old one; NULL: no
   memory. */
static inline pqti_inner *
copy_node(const pqti_space *space, pqti_ref old, pqti_ref bucket, pqt_fingerprint change)
{
    const pqti_inner *from = old.at;
    pqti_inner *node =
        pqti_node(space->options.memory, pqti_inner_size(bucket.count > 0, old.mixed));
    if (node == NULL)
        return NULL;
    *node = *from;
    node->fingerprint = pqti_fingerprint_add(from->fingerprint, change);
    if (bucket.count > 0)
        node->bucket[0] = (pqti_bucket){bucket.at, bucket.marked};
    return node;
}

bool
pqti_exchange(const pqti_space *space, pqti_place place, const pqti_ref parts[PQTI_PARTS],
              unsigned changed, pqt_fingerprint change, pqti_ref *ref)
{
    bool emptied;
    uint32_t count = count_exchanged(*ref, parts, changed, &emptied);
    if (count <= space->capacity) /* no node is at the last place */
        return leaf_of_exchange(space, place, parts, changed, count, ref);
    if ((emptied || ref->deep) && exchange_leaves_one(parts, changed, count, ref))
        return true;
    pqti_ref bucket = exchanged(*ref, parts, changed, PQTI_BUCKET);
    pqti_inner *node = copy_node(space, *ref, bucket, change);
    if (node == NULL)
        return false;
    for (unsigned rest = changed & ALL_QUARTERS; rest != 0; rest &= rest - 1)
        set_quarter(node, __builtin_ctz(rest), parts[__builtin_ctz(rest)]);
    if (ref->mixed)
        *own_spread(node) = keeps_spread(ref->at, parts, changed) ? *pqti_spread_of(ref->at)
                                                                  : pqti_spread_of_quarters(node);
    if (!keeps_extent(*ref, parts, changed))
        ref->extent = extent_of_inner(space, place, node, bucket);
    ref->at = node;
    ref->marked = count | (ref->mixed ? PQTI_MIXED_BIT : 0);
    return true;
}

/* Whether a step is from a node that stays one, to a quarter that does not lose all: nearly all
   are. */
static inline bool
is_plain_step(const pqti_space *space, const pqti_step *step, uint32_t marked)
{
    return step->part != PQTI_BUCKET && marked != 0 &&
           (step->marked & PQTI_COUNT_MASK) - (step->node->count[step->part] & PQTI_COUNT_MASK) +
                   (marked & PQTI_COUNT_MASK) >
               space->capacity;
}

/* Any other step. No node has the columns of a bucket. */
static PQTI_NOINLINE bool
exchange_part(const pqti_space *space, const pqti_step *way, size_t i, pqt_fingerprint change,
              pqti_ref *part)
{
    const pqti_step *step = &way[i];
    bool is_quarter = i > 0 && way[i - 1].part != PQTI_BUCKET;
    pqti_ref parts[PQTI_PARTS];
    parts[step->part] = *part;
    *part = is_quarter ? pqti_quarter(way[i - 1].node, way[i - 1].part) : PQTI_EMPTY_REF;
    part->at = step->node;
    part->marked = step->marked;
    if (!pqti_exchange(space, step->place, parts, 1u << step->part, change, part))
        return false;
    if ((step->marked & PQTI_DEEP_BIT) != 0)
        part->deep = part->count > 0 && !part->leaf;
    return true;
}

/* What stands at the end of a way up covers what it did before, and so do all nodes above; theirs
   is not worked out then. */
typedef struct unchanged {
    bool columns, spread;
} unchanged;

static PQTI_NOINLINE void
set_spread(pqti_inner *node, const pqti_step *step, pqti_ref part, unchanged *kept)
{
    kept->spread = kept->spread || pqti_spread_keeps(step->node, step->part, part);
    *own_spread(node) = kept->spread ? *pqti_spread_of(step->node) : pqti_spread_of_quarters(node);
}

/* A plain step. */
static inline bool
exchange_quarter(const pqti_space *space, const pqti_step *step, pqt_fingerprint change,
                 pqti_ref *at, unchanged *kept)
{
    const pqti_ref old = {step->node, {step->marked}, PQTI_EMPTY_EXTENT};
    const pqti_ref bucket = pqti_bucket_ref(step->node, old.count);
    pqti_inner *node = copy_node(space, old, bucket, change);
    if (node == NULL)
        return false;
    const uint32_t others = old.marked - (step->node->count[step->part] & PQTI_COUNT_MASK);
    kept->columns =
        kept->columns || equal_extents(pqti_quarter(step->node, step->part).extent, at->extent);
    if (kept->columns) {
        node->child[step->part] = at->at;
        node->count[step->part] = at->marked;
    } else {
        set_quarter(node, step->part, *at);
        at->extent = extent_of_inner(space, step->place, node, bucket);
    }
    if (old.mixed)
        set_spread(node, step, *at, kept);
    at->at = node;
    at->marked = others + (at->marked & PQTI_COUNT_MASK);
    return true;
}

/* The same as pqti_exchange step by step, for the most common way to make nodes. */
bool
pqti_copy_way(const pqti_space *space, const pqti_step *way, size_t length, pqti_extent whole,
              pqt_fingerprint change, pqti_ref *at)
{
    unchanged kept = {false, false};
    for (size_t i = length; i-- > 0;) {
        const pqti_step *step = &way[i];
        if (is_plain_step(space, step, at->marked)) {
            if (!exchange_quarter(space, step, change, at, &kept))
                return false;
            continue;
        }
        if (kept.columns && step->part != PQTI_BUCKET)
            at->extent = pqti_quarter(step->node, step->part).extent;
        kept = (unchanged){false, false};
        if (!exchange_part(space, way, i, change, at))
            return false;
    }
    if (kept.columns)
        at->extent = whole;
    return true;
}

/* Leaves are made here, and what they cover is worked out. */

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

/*
 * What stands at a place, made of sorted entries at once.
 *
 * The entries of a part are a range, whose end is found by halving; ranges are divided on until one
 * fits into a leaf. Only leaves read the items themselves.
 */

size_t
pqti_size_of_part(pqti_place place, int part, const pqt_item *items, const pqti_entry *entries,
                  size_t count)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (pqti_part_of(place, &entries[middle], &items[entries[middle].index]) == part)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool
build_inner(const pqti_space *space, pqti_place place, const pqt_item *items,
            const pqti_entry *entries, size_t count, pqti_ref *built, pqt_fingerprint *fingerprint)
{
    pqti_ref parts[PQTI_PARTS];
    pqt_fingerprint sum = {0, 0};
    size_t from = 0;
    pqti_fetch_items(items, entries, count);
    for (int i = 0; i < PQTI_PARTS; i++) {
        int part = pqti_part_order[i];
        size_t size = pqti_size_of_part(place, part, items, entries + from, count - from);
        if (!pqti_build(space, pqti_part_place(space, place, part), items, entries + from, size,
                        &parts[part], &sum))
            return false;
        from += size;
    }
    *fingerprint = pqti_fingerprint_add(*fingerprint, sum);
    return pqti_inner_of(space, place, parts, sum, built);
}

bool
pqti_build(const pqti_space *space, pqti_place place, const pqt_item *items,
           const pqti_entry *entries, size_t count, pqti_ref *built, pqt_fingerprint *fingerprint)
{
    *built = PQTI_EMPTY_REF;
    if (count == 0)
        return true;
    if (pqti_is_leaf_at(space, place, count))
        return pqti_leaf_of_entries(space, place, items, entries, count, built, fingerprint);
    return build_inner(space, place, items, entries, count, built, fingerprint);
}
