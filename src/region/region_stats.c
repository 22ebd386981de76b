/* SPDX-License-Identifier: MIT */
/* region_stats.c: counts the nodes and bytes of a version, and the bytes that versions share. */
#include "config.h"

#include "base/error_internal.h"
#include "memory/block_table.h"
#include "region/quad.h"
#include "region/region_internal.h"
#include "region/tile.h"

static size_t
rnode_bytes(const pqt_memory *memory, const pqti_rnode *node, int level)
{
    size_t requested =
        level == PQTI_TILE_LEVEL ? sizeof(pqti_tile) : pqti_rounded(sizeof(pqti_rinner));
    return pqti_block_size(memory, node, requested);
}

/* The sums of the squares below nodes. A node that is at several places counts at each. */
typedef struct square_count {
    const pqt_memory *memory;
    pqt_region_stats stats;
    pqti_block_memo below;  /* for each block, its index in `sums` plus 1 */
    pqt_region_stats *sums; /* the sums of a block and the squares below it, in scratch */
    size_t count, capacity;
} square_count;

static void
square_count_free(square_count *c)
{
    pqti_block_memo_free(&c->below);
    pqti_free_scratch(c->sums);
}

/* Remembers what a block added to the sums, which were `before`. */
static void
keep_sum(square_count *c, const pqti_rnode *node, const pqt_region_stats *before)
{
    if (!pqti_block_memo_is_on(&c->below))
        return;
    pqt_region_stats *sums = pqti_grow_scratch(c->sums, c->count, &c->capacity, 1, sizeof *sums);
    if (sums == NULL)
        return;
    c->sums = sums;
    c->sums[c->count++] = (pqt_region_stats){.nodes = c->stats.nodes - before->nodes,
                                             .leaves = c->stats.leaves - before->leaves,
                                             .full = c->stats.full - before->full,
                                             .bytes = c->stats.bytes - before->bytes};
    pqti_block_memo_add(&c->below, node, (const void *)(uintptr_t)c->count);
}

static void
add_sum(square_count *c, const pqt_region_stats *sum)
{
    c->stats.nodes += sum->nodes;
    c->stats.leaves += sum->leaves;
    c->stats.full += sum->full;
    c->stats.bytes += sum->bytes;
}

static void
count_node(square_count *c, const pqti_rnode *node, int level)
{
    if (pqti_is_uniform(node)) {
        c->stats.full += node == PQTI_FULL;
        return;
    }
    const size_t known = (size_t)(uintptr_t)pqti_block_memo_enter(&c->below, node);
    if (known != 0) {
        add_sum(c, &c->sums[known - 1]);
        return;
    }
    const pqt_region_stats before = c->stats;
    c->stats.bytes += rnode_bytes(c->memory, node, level);
    c->stats.leaves += level == PQTI_TILE_LEVEL;
    c->stats.nodes += level > PQTI_TILE_LEVEL;
    for (int i = 0; i < 4 && level > PQTI_TILE_LEVEL; i++)
        count_node(c, ((const pqti_rinner *)node)->child[i], level - 1);
    keep_sum(c, node, &before);
}

pqt_region_stats
pqti_region_stats(const pqt_region *region, uint64_t *entered)
{
    square_count c = {
        .memory = region->memory,
        .stats = {.pixels = region->count,
                  .bytes = pqti_block_size(region->memory, region, sizeof *region),
                  .level = region->level},
    };
    for (int i = 0; i < 4; i++)
        count_node(&c, region->quadrant[i], region->level);
    *entered = c.below.entered;
    square_count_free(&c);
    return c.stats;
}

pqt_region_stats
pqt_region_get_stats(const pqt_region *region)
{
    uint64_t entered;
    PQTI_ASSERT_REGION(region);
    return pqti_region_stats(region, &entered);
}

typedef struct shared_walk {
    const pqt_region *a, *b;
    square_count shared;
} shared_walk;

/* Counts the blocks that two nodes share. Path copying keeps every block at its position, so a
 * shared block is at the same position in both versions. */
static void
count_shared(shared_walk *walk, const pqti_rnode *a, const pqti_rnode *b, int level)
{
    if (pqti_is_uniform(a) || pqti_is_uniform(b))
        return;
    if (a == b && pqti_is_allocated(a)) {
        count_node(&walk->shared, a, level);
        return;
    }
    if (level == PQTI_TILE_LEVEL)
        return;
    const pqti_rnode *in_a[4], *in_b[4];
    pqti_rnode_children(walk->a, a, level, in_a);
    pqti_rnode_children(walk->b, b, level, in_b);
    for (int i = 0; i < 4; i++)
        count_shared(walk, in_a[i], in_b[i], level - 1);
}

size_t
pqt_region_shared_bytes(const pqt_region *a, const pqt_region *b)
{
    PQT_ASSERT(a != NULL && b != NULL, "a region is NULL");
    pqti_assert_region_alive(__func__, a);
    pqti_assert_region_alive(__func__, b);
    if (a == b)
        return pqt_region_get_stats(a).bytes;
    shared_walk walk = {.a = a, .b = b, .shared = {.memory = a->memory}};
    const int level = a->level > b->level ? a->level : b->level;
    for (int i = 0; i < 4; i++)
        count_shared(&walk, pqti_quadrant(a, level, i), pqti_quadrant(b, level, i), level);
    square_count_free(&walk.shared);
    return walk.shared.stats.bytes;
}

/* A node and its region. The region is needed to divide padding. */
typedef struct owned_square {
    const pqt_region *region;
    const pqti_rnode *node;
} owned_square;

/* The nodes of the other versions at the positions on the path. Each level has a slice of `width`
 * nodes. */
typedef struct region_exclusive {
    owned_square *level_bytes;
    size_t width;
} region_exclusive;

enum { LEVELS = PQTI_TOP_LEVEL - PQTI_TILE_LEVEL + 1 };

static bool
region_has_node(const pqti_rnode *node, const owned_square *others, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (others[i].node == node)
            return true;
    return false;
}

/* Stores the nodes of the other versions at the position of a child. Returns their number. Omits
 * uniform nodes, which are not blocks and have no blocks below them. */
static size_t
rnode_children_of(const owned_square *others, size_t count, int level, int child,
                  owned_square *below)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        const pqti_rnode *in[4];
        pqti_rnode_children(others[i].region, others[i].node, level, in);
        below[found] = (owned_square){others[i].region, in[child]};
        found += !pqti_is_uniform(in[child]);
    }
    return found;
}

static size_t
exclusive_bytes_below(const region_exclusive *exclusive, owned_square own,
                      const owned_square *others, size_t count, int level)
{
    if (pqti_is_uniform(own.node))
        return 0;
    const bool is_block = pqti_is_allocated(own.node);
    if (is_block && region_has_node(own.node, others, count))
        return 0;
    size_t bytes = is_block ? rnode_bytes(own.region->memory, own.node, level) : 0;
    if (level == PQTI_TILE_LEVEL)
        return bytes;
    const pqti_rnode *in[4];
    owned_square *below =
        exclusive->level_bytes + (size_t)(level - 1 - PQTI_TILE_LEVEL) * exclusive->width;
    pqti_rnode_children(own.region, own.node, level, in);
    for (int i = 0; i < 4; i++) {
        size_t found = rnode_children_of(others, count, level, i, below);
        bytes += exclusive_bytes_below(exclusive, (owned_square){own.region, in[i]}, below, found,
                                       level - 1);
    }
    return bytes;
}

static int
highest_level(const pqt_region *region, const pqt_region *const *others, size_t count)
{
    int level = region->level;
    for (size_t i = 0; i < count; i++)
        level = others[i]->level > level ? others[i]->level : level;
    return level;
}

static size_t
exclusive_bytes_of(const region_exclusive *exclusive, const pqt_region *region,
                   const pqt_region *const *others, size_t count)
{
    const int level = highest_level(region, others, count);
    owned_square *top =
        exclusive->level_bytes + (size_t)(level - PQTI_TILE_LEVEL) * exclusive->width;
    size_t bytes = pqti_block_size(region->memory, region, sizeof *region);
    for (int i = 0; i < 4; i++) {
        size_t found = 0;
        for (size_t k = 0; k < count; k++) {
            top[found] = (owned_square){others[k], pqti_quadrant(others[k], level, i)};
            found += !pqti_is_uniform(top[found].node);
        }
        owned_square own = {region, pqti_quadrant(region, level, i)};
        bytes += exclusive_bytes_below(exclusive, own, top, found, level);
    }
    return bytes;
}

static bool
is_one_of(const pqt_region *region, const pqt_region *const *others, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (others[i] == region)
            return true;
    return false;
}

/* Computes the exclusive bytes for several other versions, whose slices do not fit on the stack and
 * are allocated. Returns false when out of memory. */
static bool
exclusive_bytes_of_many(const pqt_region *region, const pqt_region *const *others, size_t count,
                        size_t *bytes)
{
    if (count > SIZE_MAX / LEVELS)
        return false;
    region_exclusive exclusive = {pqti_alloc_scratch(LEVELS * count, sizeof *exclusive.level_bytes),
                                  count};
    if (exclusive.level_bytes == NULL)
        return false;
    *bytes = exclusive_bytes_of(&exclusive, region, others, count);
    pqti_free_scratch(exclusive.level_bytes);
    return true;
}

bool
pqt_region_exclusive_bytes(const pqt_region *region, const pqt_region *const *others, size_t count,
                           size_t *bytes, pqt_error *error)
{
    owned_square few[LEVELS];
    PQT_ASSERT(others != NULL || count == 0, "others is NULL, and count is not 0");
    PQT_ASSERT(bytes != NULL, "bytes is NULL");
    if (!pqti_region_check_input(region, error))
        return false;
    for (size_t i = 0; i < count; i++) {
        PQT_ASSERT(others[i] != NULL, "a region of the array is NULL");
        pqti_assert_region_alive(__func__, others[i]);
    }
    if (is_one_of(region, others, count))
        *bytes = 0;
    else if (count <= 1)
        *bytes = exclusive_bytes_of(&(region_exclusive){few, 1}, region, others, count);
    else if (!exclusive_bytes_of_many(region, others, count, bytes)) {
        pqti_out_of_memory(error);
        return false;
    }
    pqti_keep_alive(region);
    return true;
}

static pqt_square_kind
kind_of_rnode(const pqti_rnode *node, int level)
{
    if (node == PQTI_FULL)
        return PQT_SQUARE_FULL;
    return level == PQTI_TILE_LEVEL ? PQT_SQUARE_LEAF : PQT_SQUARE_INNER;
}

static bool
visit_node(const pqti_rnode *node, pqti_rcell cell, pqt_visit_square_fn *visit, void *context)
{
    if (node == PQTI_EMPTY)
        return true;
    pqt_square seen = {pqti_rcell_box(cell), kind_of_rnode(node, cell.level),
                       pqti_rnode_count(node, cell.level)};
    if (!visit(&seen, context))
        return false;
    if (seen.kind != PQT_SQUARE_INNER)
        return true;
    for (int i = 0; i < 4; i++)
        if (!visit_node(((const pqti_rinner *)node)->child[i], pqti_rcell_child(cell, i), visit,
                        context))
            return false;
    return true;
}

bool
pqt_region_visit_squares(const pqt_region *region, pqt_visit_square_fn *visit, void *context)
{
    PQT_ASSERT(region != NULL && visit != NULL, "the region or the visitor is NULL");
    pqti_assert_region_alive(__func__, region);
    for (int i = 0; i < 4; i++)
        if (!visit_node(region->quadrant[i], pqti_rcell_quadrant(region->level, i), visit, context))
            return false;
    return true;
}
