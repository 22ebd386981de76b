/* SPDX-License-Identifier: MIT */
/*
 * node.c - nodes and leaves are made here.
 *
 * What stands at a place depends on the count of its items alone: none, nothing; up to the leaf
 * capacity, a leaf; else a node - but where nothing is left to divide by, a leaf. That makes the
 * shape canonical, whoever asks for the node: bulk build, edits, search. And a node that is not
 * mixed and would hold all of its items in one quarter is never made: what stands in the quarter is
 * taken in its place.
 */
#include "config.h"

#include "tree/node.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/pair.h"
#include "memory/memory.h"
#include "tree/spread.h"

_Static_assert(offsetof(pqti_inner, fingerprint) + 16 == sizeof(pqti_inner) &&
                   offsetof(pqti_bucket, at) == 0,
               "the last word of a node is not searched: no pointer may be there");

enum { ALL_QUARTERS = (1 << PQTI_QUARTERS) - 1 };

/* The smallest box around the items of a leaf on its way: each side twice, for one half of them and
   for the other. */
typedef struct cover {
    pqti_pair min_x, min_y, max_x, max_y;
} cover;

static const cover no_cover = {
    {INFINITY, INFINITY}, {INFINITY, INFINITY}, {-INFINITY, -INFINITY}, {-INFINITY, -INFINITY}};

/* Adds two items, or one twice. */
static inline void
cover_pair(cover *c, pqti_pair min_x, pqti_pair min_y, pqti_pair max_x, pqti_pair max_y)
{
    c->min_x = pqti_pair_lesser(c->min_x, min_x);
    c->min_y = pqti_pair_lesser(c->min_y, min_y);
    c->max_x = pqti_pair_greater(c->max_x, max_x);
    c->max_y = pqti_pair_greater(c->max_y, max_y);
}

static inline void
cover_box(cover *c, const pqt_box *box)
{
    cover_pair(c, (pqti_pair){box->min.x, box->min.x}, (pqti_pair){box->min.y, box->min.y},
               (pqti_pair){box->max.x, box->max.x}, (pqti_pair){box->max.y, box->max.y});
}

static inline pqti_extent
extent_of_cover(const pqti_space *space, pqti_place place, const cover *c)
{
    const pqti_pair min = pqti_pair_lesser((pqti_pair){c->min_x[0], c->min_y[0]},
                                           (pqti_pair){c->min_x[1], c->min_y[1]});
    const pqti_pair max = pqti_pair_greater((pqti_pair){c->max_x[0], c->max_y[0]},
                                            (pqti_pair){c->max_x[1], c->max_y[1]});
    return pqti_extent_of_sides(space, place.strays, min, max);
}

static pqti_extent
extent_of_leaf(const pqti_space *space, pqti_place place, const void *leaf, size_t count)
{
    const pqti_leaf_view view = pqti_view(leaf, count);
    const pqt_box last = pqti_view_item(view, count - 1).box;
    cover all = no_cover;
    for (size_t i = 0; i + 2 <= count; i += 2)
        cover_pair(&all, pqti_pair_load(view.min_x + i), pqti_pair_load(view.min_y + i),
                   pqti_pair_load(view.max_x + i), pqti_pair_load(view.max_y + i));
    cover_box(&all, &last);
    return extent_of_cover(space, place, &all);
}

static pqti_extent
extent_of_quarters(const pqti_inner *node)
{
    pqti_extent extent = PQTI_EMPTY_EXTENT;
    for (int i = 0; i < PQTI_QUARTERS; i++)
        extent = pqti_extent_union(extent, pqti_quarter(node, i).extent);
    return extent;
}

pqti_extent
pqti_bucket_extent(const pqti_space *space, pqti_place place, pqti_ref bucket)
{
    if (bucket.count == 0)
        return PQTI_EMPTY_EXTENT;
    return bucket.leaf ? extent_of_leaf(space, place, bucket.at, bucket.count)
                       : extent_of_quarters(bucket.at);
}

void
pqti_parts(const pqti_space *space, pqti_place place, pqti_ref ref, pqti_ref parts[PQTI_PARTS])
{
    const pqti_inner *node = ref.at;
    for (int i = 0; i < PQTI_QUARTERS; i++)
        parts[i] = pqti_quarter(node, i);
    pqti_ref bucket = pqti_bucket_ref(node, ref.count);
    bucket.extent = pqti_bucket_extent(space, pqti_part_place(space, place, PQTI_BUCKET), bucket);
    parts[PQTI_BUCKET] = bucket;
}

pqti_ref
pqti_first_part(pqti_ref ref)
{
    const pqti_inner *node = ref.at;
    int i = 0;
    if (pqti_bucket_count(node, ref.count) > 0)
        return pqti_bucket_ref(node, ref.count);
    while (node->count[i] == 0)
        i++;
    return pqti_quarter(node, i);
}

pqti_ref
pqti_last_part(pqti_ref ref)
{
    const pqti_inner *node = ref.at;
    int i = PQTI_QUARTERS - 1;
    while (i >= 0 && node->count[i] == 0)
        i--;
    return pqti_part_ref(node, ref.count, i < 0 ? PQTI_BUCKET : i);
}

pqt_item
pqti_first_item(pqti_ref ref)
{
    while (!ref.leaf)
        ref = pqti_first_part(ref);
    return pqti_view_item(pqti_view(ref.at, ref.count), 0);
}

pqt_item
pqti_last_item(pqti_ref ref)
{
    while (!ref.leaf)
        ref = pqti_last_part(ref);
    return pqti_view_item(pqti_view(ref.at, ref.count), ref.count - 1);
}

pqt_fingerprint
pqti_ref_fingerprint(pqti_ref ref)
{
    pqt_fingerprint sum = {0, 0};
    if (ref.at == NULL)
        return sum;
    if (!ref.leaf)
        return ((const pqti_inner *)ref.at)->fingerprint;
    pqti_leaf_view view = pqti_view(ref.at, ref.count);
    for (uint32_t i = 0; i < ref.count; i++) {
        pqt_item item = pqti_view_item(view, i);
        sum = pqti_fingerprint_add(sum, pqti_item_fingerprint(&item));
    }
    return sum;
}

void
pqti_each_item(pqti_ref ref, pqt_visit_fn *visit, void *context)
{
    if (ref.at == NULL)
        return;
    if (ref.leaf) {
        pqti_leaf_view view = pqti_view(ref.at, ref.count);
        for (uint32_t i = 0; i < ref.count; i++) {
            pqt_item item = pqti_view_item(view, i);
            (void)visit(&item, context);
        }
        return;
    }
    const pqti_inner *node = ref.at;
    pqti_each_item(pqti_bucket_ref(node, ref.count), visit, context);
    for (int i = 0; i < PQTI_QUARTERS; i++)
        pqti_each_item(pqti_quarter(node, i), visit, context);
}

pqt_item *
pqti_gather(pqti_ref ref, pqt_item *items)
{
    if (ref.at == NULL)
        return items;
    if (ref.leaf) {
        pqti_leaf_view view = pqti_view(ref.at, ref.count);
        for (uint32_t i = 0; i < ref.count; i++)
            *items++ = pqti_view_item(view, i);
        return items;
    }
    const pqti_inner *node = ref.at;
    pqti_fetch_leaves(node);
    items = pqti_gather(pqti_bucket_ref(node, ref.count), items);
    for (int i = 0; i < PQTI_QUARTERS; i++)
        items = pqti_gather(pqti_quarter(node, i), items);
    return items;
}

void
pqti_fetch_leaves(const pqti_inner *node)
{
    for (int i = 0; i < PQTI_QUARTERS; i++) {
        pqti_ref quarter = pqti_quarter(node, i);
        if (quarter.leaf)
            pqti_fetch(quarter.at, 0, pqti_leaf_size(quarter.count));
    }
}

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
        block, {(uint32_t)count | PQTI_LEAF_BIT}, extent_of_leaf(space, place, block, count)};
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

/* Items of a leaf that are copied to another. */
typedef struct transfer {
    uint64_t *to;
    const uint64_t *from;
    size_t to_size, from_size; /* of all items of the leaves */
    cover cover;
} transfer;

static inline pqti_pair
copy_pair(const transfer *t, size_t word, size_t to, size_t from)
{
    pqti_pair pair;
    memcpy(&pair, t->from + word * t->from_size + from, sizeof pair);
    memcpy(t->to + word * t->to_size + to, &pair, sizeof pair);
    return pair;
}

/* Two at a time, in all five arrays at once; ids are no doubles, and copied as what they are. */
static inline void
copy_items(transfer *t, size_t to, size_t from, size_t end)
{
    for (; from + 2 <= end; from += 2, to += 2) {
        pqti_pair min_x = copy_pair(t, 0, to, from), min_y = copy_pair(t, 1, to, from);
        pqti_pair max_x = copy_pair(t, 2, to, from), max_y = copy_pair(t, 3, to, from);
        memcpy(t->to + 4 * t->to_size + to, t->from + 4 * t->from_size + from, 2 * sizeof *t->to);
        cover_pair(&t->cover, min_x, min_y, max_x, max_y);
    }
    if (from < end) {
        pqt_item item = pqti_view_item(pqti_view(t->from, t->from_size), from);
        write_item(t->to, t->to_size, to, &item);
        cover_box(&t->cover, &item.box);
    }
}

/* What the leaf covers is worked out while it is copied: to read at once in pairs what was just
   written, at other ends of pairs, would take longer. */
bool
pqti_leaf_of_stretches(const pqti_space *space, pqti_place place, const void *old, size_t old_count,
                       const pqti_stretch *stretches, size_t stretch_count, size_t count,
                       pqti_ref *leaf)
{
    *leaf = PQTI_EMPTY_REF;
    if (count == 0)
        return true;
    transfer t = {leaf_block(space, count), old, count, old_count, no_cover};
    if (t.to == NULL)
        return false;
    size_t next = 0;
    for (const pqti_stretch *s = stretches; s < stretches + stretch_count; s++) {
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

void
pqti_gather_as_leaf(pqti_ref ref, uint64_t *block)
{
    leaf_writer writer = {block, ref.count, 0};
    pqti_each_item(ref, write_next, &writer);
}

/* Few items in several parts become one leaf. */
static bool
leaf_of_parts(const pqti_space *space, pqti_place place, const pqti_ref parts[PQTI_PARTS],
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

bool
pqti_join(const pqti_space *space, pqti_place place, const pqti_ref parts[PQTI_PARTS],
          pqt_fingerprint fingerprint, pqti_ref *joined)
{
    size_t count = count_parts(parts);
    if (pqti_is_leaf_at(space, place, count))
        return leaf_of_parts(space, place, parts, count, joined);
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
    return leaf_of_parts(space, place, all, count, ref);
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
    pqti_extent extent = extent_of_quarters(node);
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
