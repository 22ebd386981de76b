/* SPDX-License-Identifier: MIT */
/* region_query.c: counts pixels, computes bounds, compares regions, and implements pixel and window
 * queries. */
#include "config.h"

#include <string.h>

#include "base/disjoint_sets.h"
#include "base/error_internal.h"
#include "memory/memory_internal.h"
#include "region/bits.h"
#include "memory/block_table.h"
#include "region/quad.h"
#include "region/region_internal.h"
#include "region/tile.h"

uint64_t
pqt_region_count(const pqt_region *region)
{
    PQTI_ASSERT_REGION(region);
    return region->count;
}

/* Returns the upper half of the fingerprint, a chained hash of the count, the level and the
 * quadrants. The lower half is a sum over the quadrants, so a collision of one half rarely
 * coincides with a collision of the other. */
static uint64_t
hash_quadrants(const pqt_region *region)
{
    const uint64_t odd = UINT64_C(0xaf251af3b0f025b5);
    uint64_t state = pqti_hash_combine(UINT64_C(0x6a09e667f3bcc909), region->count, odd);
    state = pqti_hash_combine(state, (uint64_t)region->level, odd);
    for (int i = 0; i < 4; i++)
        state = pqti_hash_combine(state, region->quadrant[i]->fingerprint, odd);
    return pqti_hash_mix64(state);
}

pqt_fingerprint
pqt_region_fingerprint(const pqt_region *region)
{
    PQTI_ASSERT_REGION(region);
    return (pqt_fingerprint){pqti_hash_mix64(region->hash + (uint64_t)region->level),
                             hash_quadrants(region)};
}

bool
pqt_region_contains(const pqt_region *region, pqt_pixel pixel)
{
    PQTI_ASSERT_REGION(region);
    const int inside = PQTI_TILE_SIDE - 1;
    const pqti_rnode *node = pqti_rnode_at(region, pixel.x >> PQTI_TILE_LEVEL,
                                           pixel.y >> PQTI_TILE_LEVEL, PQTI_TILE_LEVEL);
    return (pqti_rows_of(node)[pixel.y & inside] >> (pixel.x & inside) & 1) != 0;
}

/* ---- Windows ---- */

static uint64_t
cell_area(const pqt_pixel_box *box)
{
    return (uint64_t)(box->max.x - box->min.x) * (uint64_t)(box->max.y - box->min.y);
}

/* Returns the mask of the bits of a tile's rows that are in a box. The box is inside the tile. */
static uint64_t
mask_of(const pqt_pixel_box *box, pqti_rcell cell)
{
    PQT_INVARIANT(pqti_box_holds(pqti_rcell_box(cell), *box), "a box is not inside its tile");
    return pqti_bits_between(box->min.x - cell.x, box->max.x - cell.x);
}

static uint64_t
count_tile(const pqti_tile *tile, pqti_rcell cell, const pqt_pixel_box *box)
{
    uint64_t count = 0, mask = mask_of(box, cell);
    for (int32_t y = box->min.y; y < box->max.y; y++)
        count += pqti_bits_in(tile->rows[y - cell.y] & mask);
    return count;
}

uint64_t
pqti_rnode_count_in(const pqti_rnode *node, pqti_rcell cell, const pqt_pixel_box *window)
{
    pqt_pixel_box all = pqti_rcell_box(cell);
    pqt_pixel_box common = pqti_box_common(all, *window);
    if (node == PQTI_EMPTY || pqti_box_is_empty(common))
        return 0;
    if (node == PQTI_FULL)
        return cell_area(&common);
    if (pqti_box_holds(*window, all))
        return pqti_rnode_count(node, cell.level);
    if (cell.level == PQTI_TILE_LEVEL)
        return count_tile((const pqti_tile *)node, cell, &common);
    uint64_t count = 0;
    for (int i = 0; i < 4; i++)
        count += pqti_rnode_count_in(((const pqti_rinner *)node)->child[i],
                                     pqti_rcell_child(cell, i), window);
    return count;
}

uint64_t
pqt_region_count_in(const pqt_region *region, pqt_pixel_box window)
{
    PQTI_ASSERT_REGION(region);
    uint64_t count = 0;
    for (int i = 0; i < 4; i++)
        count += pqti_rnode_count_in(region->quadrant[i], pqti_rcell_quadrant(region->level, i),
                                     &window);
    return count;
}

/* Returns the mask of a tile's blocks that a box intersects. The box is inside the tile. */
static uint64_t
blocks_of(const pqt_pixel_box *box, pqti_rcell cell)
{
    uint64_t columns = pqti_bits_between((box->min.x - cell.x) / 8, (box->max.x - cell.x + 7) / 8);
    uint64_t rows =
        pqti_bits_between((box->min.y - cell.y) / 8 * 8, (box->max.y - cell.y + 7) / 8 * 8);
    return columns * UINT64_C(0x0101010101010101) & rows;
}

static bool
any_in_tile(const pqti_tile *tile, pqti_rcell cell, const pqt_pixel_box *box)
{
    uint64_t mask = mask_of(box, cell);
    if ((tile->occupied & blocks_of(box, cell)) == 0)
        return false;
    for (int32_t y = box->min.y; y < box->max.y; y++)
        if ((tile->rows[y - cell.y] & mask) != 0)
            return true;
    return false;
}

bool
pqti_rnode_any_in(const pqti_rnode *node, pqti_rcell cell, const pqt_pixel_box *window)
{
    pqt_pixel_box all = pqti_rcell_box(cell);
    pqt_pixel_box common = pqti_box_common(all, *window);
    if (node == PQTI_EMPTY || pqti_box_is_empty(common))
        return false;
    if (node == PQTI_FULL || pqti_box_holds(*window, all))
        return true;
    if (cell.level == PQTI_TILE_LEVEL)
        return any_in_tile((const pqti_tile *)node, cell, &common);
    for (int i = 0; i < 4; i++)
        if (pqti_rnode_any_in(((const pqti_rinner *)node)->child[i], pqti_rcell_child(cell, i),
                              window))
            return true;
    return false;
}

bool
pqt_region_any_in(const pqt_region *region, pqt_pixel_box window)
{
    PQTI_ASSERT_REGION(region);
    for (int i = 0; i < 4; i++)
        if (pqti_rnode_any_in(region->quadrant[i], pqti_rcell_quadrant(region->level, i), &window))
            return true;
    return false;
}

/* ---- Bounds ---- */

/* Extends a box by the pixels of a node. Skips nodes that are inside the box already. */
static void
extend_bounds(pqt_pixel_box *box, const pqti_rnode *node, pqti_rcell cell)
{
    pqt_pixel_box all = pqti_rcell_box(cell);
    if (node == PQTI_EMPTY || (!pqti_box_is_empty(*box) && pqti_box_holds(*box, all)))
        return;
    if (node != PQTI_FULL && cell.level == PQTI_TILE_LEVEL)
        all = pqti_box_of_rows(pqti_rows_of(node), cell);
    if (node == PQTI_FULL || cell.level == PQTI_TILE_LEVEL)
        pqti_box_extend(box, &all);
    else
        for (int i = 0; i < 4; i++)
            extend_bounds(box, ((const pqti_rinner *)node)->child[i], pqti_rcell_child(cell, i));
}

pqt_pixel_box
pqt_region_bounds(const pqt_region *region)
{
    PQTI_ASSERT_REGION(region);
    pqt_pixel_box box = {{0, 0}, {0, 0}};
    for (int i = 0; i < 4; i++)
        extend_bounds(&box, region->quadrant[i], pqti_rcell_quadrant(region->level, i));
    return box;
}

/* ---- Equality ---- */

/*
 * A comparison of two versions. Nodes that are being compared, or were found equal, are in one set.
 * If two nodes are in one set already, they are not compared again: if they differ, so do two nodes
 * that are being compared. So there are fewer comparisons than blocks, however these are shared.
 *
 * Source: J. E. Hopcroft, R. M. Karp, "A linear algorithm for testing equivalence of finite
 * automata", 1971.
 */
typedef struct comparison {
    pqti_block_memo numbers; /* for each block, its index in `parents` plus 1 */
    uint32_t *parents;       /* the union-find forest (disjoint_sets.h), in scratch memory */
    size_t count, capacity;
} comparison;

/* Returns the index of a block plus 1, or 0 if it has none. */
static size_t
number_of_block(comparison *c, const pqti_rnode *node)
{
    const size_t number = (size_t)(uintptr_t)pqti_block_memo_enter(&c->numbers, node);
    if (number != 0 || !pqti_block_memo_is_on(&c->numbers) || c->count == UINT32_MAX)
        return number;
    uint32_t *parents =
        pqti_grow_scratch(c->parents, c->count, &c->capacity, 1, sizeof *c->parents);
    if (parents == NULL)
        return 0;
    c->parents = parents;
    c->parents[c->count] = (uint32_t)c->count;
    c->count++;
    pqti_block_memo_add(&c->numbers, node, (const void *)(uintptr_t)c->count);
    return c->count;
}

/* Puts two nodes into one set. Returns true if they were in one set already. */
static bool
unite_nodes(comparison *c, const pqti_rnode *a, const pqti_rnode *b)
{
    const size_t i = number_of_block(c, a), k = number_of_block(c, b);
    if (i == 0 || k == 0)
        return false;
    const uint32_t root = pqti_set_root(c->parents, (uint32_t)(i - 1));
    if (root == pqti_set_root(c->parents, (uint32_t)(k - 1)))
        return true;
    pqti_sets_unite(c->parents, root, (uint32_t)(k - 1));
    return false;
}

static bool
nodes_equal(comparison *c, const pqti_rnode *a, const pqti_rnode *b, int level)
{
    if (a == b)
        return true;
    if (!pqti_is_allocated(a) || !pqti_is_allocated(b) || a->fingerprint != b->fingerprint)
        return false;
    if (unite_nodes(c, a, b))
        return true;
    if (level == PQTI_TILE_LEVEL)
        return memcmp(pqti_rows_of(a), pqti_rows_of(b), PQTI_TILE_SIDE * sizeof(uint64_t)) == 0;
    for (int i = 0; i < 4; i++)
        if (!nodes_equal(c, ((const pqti_rinner *)a)->child[i], ((const pqti_rinner *)b)->child[i],
                         level - 1))
            return false;
    return true;
}

bool
pqti_region_equals(const pqt_region *a, const pqt_region *b, uint64_t *entered)
{
    comparison c = {.count = 0};
    bool equal = a->level == b->level && a->count == b->count && a->hash == b->hash;
    for (int i = 0; i < 4 && equal; i++)
        equal = nodes_equal(&c, a->quadrant[i], b->quadrant[i], a->level);
    *entered = c.numbers.entered;
    pqti_block_memo_free(&c.numbers);
    pqti_free_scratch(c.parents);
    return equal;
}

bool
pqt_region_equals(const pqt_region *a, const pqt_region *b)
{
    uint64_t entered;
    PQT_ASSERT(a != NULL && b != NULL, "a region is NULL");
    pqti_assert_region_alive(__func__, a);
    pqti_assert_region_alive(__func__, b);
    return a == b || pqti_region_equals(a, b, &entered);
}
