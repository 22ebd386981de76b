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

#include <string.h>

#include "memory/memory_internal.h"
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
