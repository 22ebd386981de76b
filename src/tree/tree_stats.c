/* SPDX-License-Identifier: MIT */
/* tree_stats.c - what a version consists of, and what two versions share. */
#include "config.h"

#include "base/error_internal.h"
#include "memory/memory_internal.h"
#include "tree/idmap.h"
#include "tree/path_compress.h"
#include "tree/tree_internal.h"

/* Bytes of the one block that a ref points to. */
static size_t
block_bytes(const pqt_memory *memory, pqti_ref ref)
{
    size_t asked = pqti_leaf_size(ref.count);
    if (!ref.leaf)
        asked = pqti_inner_size(pqti_bucket_count(ref.at, ref.count) > 0, ref.mixed);
    return pqti_block_size(memory, ref.at, asked);
}

static void
count_part(const pqt_memory *memory, pqti_ref ref, size_t depth, pqt_tree_stats *stats)
{
    if (ref.at == NULL)
        return;
    stats->bytes += block_bytes(memory, ref);
    if (ref.leaf) {
        stats->leaves++;
        return;
    }
    stats->nodes++;
    if (depth + 1 > stats->depth)
        stats->depth = depth + 1;
    const pqti_inner *node = ref.at;
    count_part(memory, pqti_bucket_ref(node, ref.count), depth + 1, stats);
    for (int i = 0; i < PQTI_QUARTERS; i++)
        count_part(memory, pqti_quarter(node, i), depth + 1, stats);
}

/* The version's own block; what all versions of a tree share is not counted. */
static size_t
version_bytes(const pqt_tree *tree)
{
    return pqti_block_size(tree->space->options.memory, tree, PQTI_VERSION_SIZE);
}

pqt_tree_stats
pqt_tree_get_stats(const pqt_tree *tree)
{
    PQT_ASSERT(tree != NULL, "the tree is NULL");
    const pqt_memory *memory = tree->space->options.memory;
    pqt_tree_stats stats = {.items = tree->count, .bytes = version_bytes(tree)};
    count_part(memory, pqti_root(tree), 0, &stats);
    stats.bytes += pqti_ids_bytes(memory, tree->ids);
    return stats;
}

static void shared_part(const pqti_space *space, pqti_place place, pqti_ref a, pqti_ref b,
                        pqt_tree_stats *stats);

static void
shared_parts(const pqti_space *space, pqti_place place, pqti_ref a, pqti_ref b,
             pqt_tree_stats *stats)
{
    for (int i = 0; i < PQTI_PARTS; i++)
        shared_part(space, pqti_part_place(space, place, i), pqti_part_ref(a.at, a.count, i),
                    pqti_part_ref(b.at, b.count, i), stats);
}

static PQTI_NOINLINE void
shared_deep(const pqti_space *space, pqti_place place, pqti_ref a, pqti_ref b,
            pqt_tree_stats *stats)
{
    pqti_division both;
    pqti_divide(&both, space, place, (pqti_ref[]){a, b}, 2);
    shared_parts(space, both.at, both.node[0], both.node[1], stats);
}

/* Path copying keeps every block at its place, so a shared one stands at the same place in both. */
static void
shared_part(const pqti_space *space, pqti_place place, pqti_ref a, pqti_ref b,
            pqt_tree_stats *stats)
{
    if (a.at == NULL || b.at == NULL)
        return;
    if (a.at == b.at)
        count_part(space->options.memory, a, 0, stats);
    else if (!a.leaf && !b.leaf)
        (a.deep || b.deep ? shared_deep : shared_parts)(space, place, a, b, stats);
}

size_t
pqt_tree_shared_bytes(const pqt_tree *a, const pqt_tree *b)
{
    PQT_ASSERT(a != NULL && b != NULL, "a tree is NULL");
    const pqt_memory *memory = a->space->options.memory;
    pqt_tree_stats stats = {0};
    if (a == b)
        return pqt_tree_get_stats(a).bytes;
    if (!pqti_space_equals(a->space, b->space))
        return 0;
    shared_part(a->space, PQTI_ROOT, pqti_root(a), pqti_root(b), &stats);
    return stats.bytes + pqti_ids_shared_bytes(memory, a->ids, b->ids);
}

/* Blocks on the longest way from a root to a leaf, and one slice more for the roots. */
enum { SLICES = 65 + 1, ID_SLICES = 23 + 1 };

/* What stands at a place on the way; a node that stands deeper goes along until its own place is
   come to. */
typedef struct traveller {
    pqti_ref ref;
    pqti_chain chain; /* if the ref is deep */
} traveller;

/* What the others hold at the places on the way, a slice of `width` of them for each level. */
typedef struct beside {
    const pqti_space *space;
    const pqt_memory *memory;
    traveller *slices;
    const void **id_slices; /* of the id maps */
    size_t width;
} beside;

static bool
is_among(const void *block, const traveller *others, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (others[i].ref.at == block)
            return true;
    return false;
}

static traveller
traveller_at(const pqti_space *space, pqti_place place, pqti_ref ref)
{
    traveller t = {.ref = ref};
    if (ref.deep)
        t.chain = pqti_chain_of(space, place, ref);
    return t;
}

/* What of it stands at one part of a place; nothing of a leaf. */
static traveller
part_of(const pqti_space *space, pqti_place place, const traveller *whole, int part)
{
    const traveller nothing = {.ref = PQTI_EMPTY_REF};
    if (whole->ref.leaf || whole->ref.at == NULL)
        return nothing;
    if (!whole->ref.deep)
        return traveller_at(space, pqti_part_place(space, place, part),
                            pqti_part_ref(whole->ref.at, whole->ref.count, part));
    if ((int)pqti_chain_digit(&whole->chain, place.depth) != part)
        return nothing;
    traveller next = *whole;
    next.ref.deep = next.chain.end > place.depth + 1u;
    return next;
}

/* What the others have at one part of a place; returns how many have something there. */
static size_t
parts_of(const pqti_space *space, pqti_place place, const traveller *others, size_t count, int part,
         traveller *parts)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        parts[found] = part_of(space, place, &others[i], part);
        found += parts[found].ref.at != NULL;
    }
    return found;
}

static size_t
bytes_beside(const beside *b, pqti_place place, const traveller *own, const traveller *others,
             size_t count, size_t level)
{
    PQT_INVARIANT(level < SLICES, "a tree is deeper than a tree can be");
    if (own->ref.at == NULL || is_among(own->ref.at, others, count))
        return 0;
    size_t bytes = own->ref.deep ? 0 : block_bytes(b->memory, own->ref);
    traveller *below = b->slices + level * b->width;
    for (int part = 0; part < PQTI_PARTS && !own->ref.leaf; part++) {
        traveller next = part_of(b->space, place, own, part);
        if (next.ref.at == NULL)
            continue;
        size_t found = parts_of(b->space, place, others, count, part, below);
        bytes +=
            bytes_beside(b, pqti_part_place(b->space, place, part), &next, below, found, level + 1);
    }
    return bytes;
}

/* The roots of those that have one, and can share anything. */
static size_t
roots_of(const pqti_space *space, const pqt_tree *const *others, size_t count, traveller *roots)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        if (others[i]->root != NULL && pqti_space_equals(space, others[i]->space))
            roots[found++] = traveller_at(space, PQTI_ROOT, pqti_root(others[i]));
    return found;
}

static bool
is_one_of(const pqt_tree *tree, const pqt_tree *const *others, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (others[i] == tree)
            return true;
    return false;
}

static size_t
all_bytes_beside(const beside *b, const pqt_tree *tree, const pqt_tree *const *others, size_t count)
{
    traveller *roots = b->slices + (SLICES - 1) * b->width;
    const void **maps = b->id_slices + (ID_SLICES - 1) * b->width;
    size_t found = roots_of(b->space, others, count, roots);
    traveller own = traveller_at(b->space, PQTI_ROOT, pqti_root(tree));
    for (size_t i = 0; i < count; i++)
        maps[i] = others[i]->ids;
    return version_bytes(tree) + bytes_beside(b, PQTI_ROOT, &own, roots, found, 0) +
           pqti_ids_bytes_beside(b->memory, tree->ids, maps, count, b->id_slices, b->width);
}

/* Several others need more slices than the stack has room for. */
static bool
beside_many(const pqt_tree *tree, const pqt_tree *const *others, size_t count, size_t *bytes)
{
    if (count > SIZE_MAX / SLICES)
        return false;
    beside b = {.space = tree->space, .memory = tree->space->options.memory, .width = count};
    b.slices = pqti_scratch(SLICES * count, sizeof *b.slices);
    b.id_slices = b.slices == NULL ? NULL : pqti_scratch(ID_SLICES * count, sizeof *b.id_slices);
    const bool is_ready = b.id_slices != NULL;
    if (is_ready)
        *bytes = all_bytes_beside(&b, tree, others, count);
    pqti_scratch_free(b.slices);
    pqti_scratch_free(b.id_slices);
    return is_ready;
}

static size_t
beside_one(const pqt_tree *tree, const pqt_tree *const *others, size_t count)
{
    traveller few[SLICES];
    const void *few_ids[ID_SLICES];
    beside b = {tree->space, tree->space->options.memory, few, few_ids, 1};
    return all_bytes_beside(&b, tree, others, count);
}

bool
pqt_tree_exclusive_bytes(const pqt_tree *tree, const pqt_tree *const *others, size_t count,
                         size_t *bytes, pqt_error *error)
{
    PQT_ASSERT(others != NULL || count == 0, "others is NULL, and count is not 0");
    PQT_ASSERT(bytes != NULL, "bytes is NULL");
    if (!pqti_may_go_on(tree, error))
        return false;
    if (is_one_of(tree, others, count))
        *bytes = 0;
    else if (count <= 1)
        *bytes = beside_one(tree, others, count);
    else if (!beside_many(tree, others, count, bytes)) {
        pqti_out_of_memory(error);
        return false;
    }
    pqti_keep(tree);
    return true;
}
