/* SPDX-License-Identifier: MIT */
/*
 * flat_region.h: regions of few tiles, as most sprites are, as pairs of tiles in a loop.
 *
 * The descent of two trees makes a pair of nodes at each level, with its cells and their
 * intersection. If a quadrant has at most 4 x 4 tiles, as those of a picture of 256 x 256
 * pixels, that costs more than the rows of the tiles. So each tile of one region is compared with
 * the at most four tiles of the other one that it intersects. Tiles are first reduced to the boxes
 * of their occupied blocks, so most of these pairs are rejected by their boxes. A sprite of 32 x 32
 * pixels around the origin has a part in each of four tiles.
 */
#ifndef PQTI_FLAT_REGION_H
#define PQTI_FLAT_REGION_H

#include <stdbool.h>
#include <stdint.h>

#include <pqt/region.h>

#include "base/attributes.h"
#include "region/bits.h"
#include "region/collision/strips.h"
#include "region/region_internal.h"
#include "region/region_node.h"
#include "region/tile.h"

/* The greatest level of such a region. */
enum { PQTI_FLAT_LEVEL = 8 };

/* A tile of a region, in the coordinates of the first region. */
typedef struct pqti_flat_tile {
    const pqti_tile *tile; /* pqti_full_tile for the full sentinel */
    pqt_pixel at;          /* the coordinates of its upper left pixel */
    pqt_pixel_box box;     /* the box of its occupied blocks */
} pqti_flat_tile;

/* Two tiles, one of each region, whose boxes intersect. */
typedef struct pqti_tile_pair {
    const pqti_tile *a, *b;
    pqt_pixel_box common;
    pqti_strips strips; /* their rows in the common box */
} pqti_tile_pair;

/* Returns true to continue. */
typedef bool pqti_visit_tile_pair_fn(const pqti_tile_pair *pair, void *context);

/* Returns true if the levels of two regions are at most `level`. A build without fast paths
 * descends the trees of such regions, too. */
static inline bool
pqti_are_flat(const pqt_region *a, const pqt_region *b, int level)
{
#ifdef PQT_PLAIN
    (void)a;
    (void)b;
    (void)level;
    return false;
#else
    return a->level <= level && b->level <= level;
#endif
}

/* Returns the tile of a node that is not empty. */
static PQTI_INLINE const pqti_tile *
pqti_tile_of_node(const pqti_rnode *node)
{
    return node == PQTI_FULL ? &pqti_full_tile : (const pqti_tile *)node;
}

/* Sets a tile from its node, which is not empty. */
static PQTI_INLINE void
pqti_flat_tile_set(pqti_flat_tile *flat, const pqti_rnode *node, int32_t x, int32_t y)
{
    const pqti_tile *tile = pqti_tile_of_node(node);
    const uint64_t blocks = tile->occupied;
    uint64_t columns = blocks | blocks >> 32;
    columns |= columns >> 16;
    columns = (columns | columns >> 8) & 0xff;
    PQT_INVARIANT(blocks != 0, "a tile has no occupied block");
    flat->tile = tile;
    flat->at = (pqt_pixel){x, y};
    flat->box.min =
        (pqt_pixel){x + 8 * pqti_lowest_bit(columns), y + (pqti_lowest_bit(blocks) & ~7)};
    flat->box.max =
        (pqt_pixel){x + 8 * pqti_highest_bit(columns) + 8, y + (pqti_highest_bit(blocks) | 7) + 1};
}

/* Visits two tiles if their boxes intersect. */
static PQTI_INLINE bool
pqti_visit_flat_tiles(const pqti_flat_tile *a, const pqti_flat_tile *b,
                      pqti_visit_tile_pair_fn *visit, void *context)
{
    const pqt_pixel_box common = pqti_box_common(a->box, b->box);
    if (pqti_box_is_empty(common))
        return true;
    const pqti_tile_pair pair = {a->tile,
                                 b->tile,
                                 common,
                                 {a->tile->rows + (common.min.y - a->at.y),
                                  b->tile->rows + (common.min.y - b->at.y), common.min.x - a->at.x,
                                  common.min.x - b->at.x, common.max.y - common.min.y}};
    return visit(&pair, context);
}

/* ---- Regions of at most 2 x 2 tiles ---- */

/* Sets the tiles of a region that are not empty, in the given order of the quadrants, and returns
 * their number. */
static PQTI_INLINE int
pqti_flatten(const pqt_region *region, pqt_pixel offset, const int order[4], pqti_flat_tile flat[4])
{
    int count = 0;
    for (int i = 0; i < 4; i++)
        if (region->quadrant[order[i]] != PQTI_EMPTY) {
            const pqti_rcell cell = pqti_rcell_quadrant(PQTI_TILE_LEVEL, order[i]);
            pqti_flat_tile_set(&flat[count++], region->quadrant[order[i]], cell.x + offset.x,
                               cell.y + offset.y);
        }
    return count;
}

static PQTI_INLINE bool
pqti_visit_pairs_of_quadrants(const pqt_region *a, const pqt_region *b, pqt_pixel offset,
                              const int order[4], pqti_visit_tile_pair_fn *visit, void *context)
{
    pqti_flat_tile tiles_a[4], tiles_b[4];
    const int count_a = pqti_flatten(a, (pqt_pixel){0, 0}, order, tiles_a);
    const int count_b = pqti_flatten(b, offset, order, tiles_b);
    for (int i = 0; i < count_a; i++)
        for (int k = 0; k < count_b; k++)
            if (!pqti_visit_flat_tiles(&tiles_a[i], &tiles_b[k], visit, context))
                return false;
    return true;
}

/* ---- Regions of more tiles ---- */

/* A quadrant of each region. Both cells are in a's coordinates. */
typedef struct pqti_quadrant_pair {
    const pqti_rnode *a, *b;
    pqti_rcell cell_a, cell_b;
    pqt_pixel offset; /* of b */
    bool from_right, from_bottom;
} pqti_quadrant_pair;

/* Returns the tile at a pixel of a quadrant. */
static PQTI_INLINE const pqti_rnode *
pqti_tile_in_quadrant(const pqti_rnode *node, int level, int32_t x, int32_t y)
{
    while (level-- > PQTI_TILE_LEVEL && !pqti_is_uniform(node))
        node = ((const pqti_rinner *)node)->child[(x >> level & 1) + 2 * (y >> level & 1)];
    return node;
}

/* Visits the pairs of a tile of a with tiles of b. `common` is the intersection of the
 * quadrants. */
static PQTI_INLINE bool
pqti_visit_pairs_of_tile(const pqti_quadrant_pair *of, const pqti_flat_tile *tile,
                         const pqt_pixel_box *common, pqti_visit_tile_pair_fn *visit, void *context)
{
    const pqt_pixel_box box = pqti_box_common(tile->box, *common);
    const pqt_pixel offset = of->offset;
    const int outside = -PQTI_TILE_SIDE;
    pqti_flat_tile b;
    for (int32_t y = ((box.min.y - offset.y) & outside) + offset.y; y < box.max.y;
         y += PQTI_TILE_SIDE)
        for (int32_t x = ((box.min.x - offset.x) & outside) + offset.x; x < box.max.x;
             x += PQTI_TILE_SIDE) {
            const pqti_rnode *node =
                pqti_tile_in_quadrant(of->b, of->cell_b.level, x - offset.x, y - offset.y);
            if (node == PQTI_EMPTY)
                continue;
            pqti_flat_tile_set(&b, node, x, y);
            if (!pqti_visit_flat_tiles(tile, &b, visit, context))
                return false;
        }
    return true;
}

static PQTI_INLINE bool
pqti_visit_pairs_in_quadrants(const pqti_quadrant_pair *of, pqti_visit_tile_pair_fn *visit,
                              void *context)
{
    const pqt_pixel_box common =
        pqti_box_common(pqti_rcell_box(of->cell_a), pqti_rcell_box(of->cell_b));
    if (pqti_box_is_empty(common))
        return true;
    const int32_t left = common.min.x >> PQTI_TILE_LEVEL, top = common.min.y >> PQTI_TILE_LEVEL;
    const int32_t columns = ((common.max.x - 1) >> PQTI_TILE_LEVEL) + 1 - left;
    const int32_t rows = ((common.max.y - 1) >> PQTI_TILE_LEVEL) + 1 - top;
    pqti_flat_tile a;
    for (int32_t i = 0; i < rows; i++)
        for (int32_t k = 0; k < columns; k++) {
            const int32_t x = (left + (of->from_right ? columns - 1 - k : k)) * PQTI_TILE_SIDE;
            const int32_t y = (top + (of->from_bottom ? rows - 1 - i : i)) * PQTI_TILE_SIDE;
            const pqti_rnode *node = pqti_tile_in_quadrant(of->a, of->cell_a.level, x, y);
            if (node == PQTI_EMPTY)
                continue;
            pqti_flat_tile_set(&a, node, x, y);
            if (!pqti_visit_pairs_of_tile(of, &a, &common, visit, context))
                return false;
        }
    return true;
}

static PQTI_INLINE bool
pqti_visit_pairs_of_many_tiles(const pqt_region *a, const pqt_region *b, pqt_pixel offset,
                               const int order[4], pqti_visit_tile_pair_fn *visit, void *context)
{
    pqti_quadrant_pair of = {
        .offset = offset, .from_right = (order[0] & 1) != 0, .from_bottom = (order[0] & 2) != 0};
    for (int i = 0; i < 16; i++) {
        const int of_a = order[i >> 2], of_b = order[i & 3];
        of.a = a->quadrant[of_a];
        of.b = b->quadrant[of_b];
        if (of.a == PQTI_EMPTY || of.b == PQTI_EMPTY)
            continue;
        of.cell_a = pqti_rcell_quadrant(a->level, of_a);
        of.cell_b = pqti_rcell_quadrant(b->level, of_b);
        of.cell_b.x += offset.x;
        of.cell_b.y += offset.y;
        if (!pqti_visit_pairs_in_quadrants(&of, visit, context))
            return false;
    }
    return true;
}

/* ---- Regions of a single tile ---- */

static PQTI_INLINE bool
pqti_is_single_tile(const pqt_region *region)
{
    const pqti_rnode *const *quadrant = region->quadrant;
    return region->level == PQTI_TILE_LEVEL && quadrant[0] == PQTI_EMPTY &&
           quadrant[1] == PQTI_EMPTY && quadrant[2] == PQTI_EMPTY && quadrant[3] != PQTI_EMPTY;
}

/* Returns true if two regions have pixels only in the tile to the right of and below the origin, as
 * most sprites have. */
static PQTI_INLINE bool
pqti_are_single_tiles(const pqt_region *a, const pqt_region *b)
{
#ifdef PQT_PLAIN
    (void)a;
    (void)b;
    return false;
#else
    return pqti_is_single_tile(a) && pqti_is_single_tile(b);
#endif
}

/* Visits the tiles of two regions of a single tile, the second of which is moved by an offset, in
 * the rows of blocks that both occupy, if there are any. */
static PQTI_INLINE bool
pqti_visit_single_tiles(const pqt_region *of_a, const pqt_region *of_b, pqt_pixel offset,
                        pqti_visit_tile_pair_fn *visit, void *context)
{
    const pqti_tile *a = pqti_tile_of_node(of_a->quadrant[3]);
    const pqti_tile *b = pqti_tile_of_node(of_b->quadrant[3]);
    const int32_t top_a = pqti_lowest_bit(a->occupied) & ~7;
    const int32_t top_b = (pqti_lowest_bit(b->occupied) & ~7) + offset.y;
    const int32_t bottom_a = (pqti_highest_bit(a->occupied) | 7) + 1;
    const int32_t bottom_b = (pqti_highest_bit(b->occupied) | 7) + 1 + offset.y;
    const int32_t left = offset.x > 0 ? offset.x : 0;
    const int32_t right = PQTI_TILE_SIDE + (offset.x < 0 ? offset.x : 0);
    const int32_t top = top_a > top_b ? top_a : top_b;
    const int32_t bottom = bottom_a < bottom_b ? bottom_a : bottom_b;
    if (top >= bottom || left >= right)
        return true;
    const pqti_tile_pair pair = {
        a,
        b,
        {{left, top}, {right, bottom}},
        {a->rows + top, b->rows + (top - offset.y), left, left - offset.x, bottom - top}};
    return visit(&pair, context);
}

/* ---- All of them ---- */

/* Visits the pairs of tiles whose boxes intersect if b is moved by a whole offset, until `visit`
 * returns false. Quadrants are visited in the given order, and the tiles of a from the side of the
 * first quadrant. Returns false if `visit` did. */
static PQTI_INLINE bool
pqti_visit_tile_pairs(const pqt_region *a, const pqt_region *b, pqt_pixel offset,
                      const int order[4], pqti_visit_tile_pair_fn *visit, void *context)
{
    if (pqti_are_single_tiles(a, b))
        return pqti_visit_single_tiles(a, b, offset, visit, context);
    return a->level == PQTI_TILE_LEVEL && b->level == PQTI_TILE_LEVEL
               ? pqti_visit_pairs_of_quadrants(a, b, offset, order, visit, context)
               : pqti_visit_pairs_of_many_tiles(a, b, offset, order, visit, context);
}

#endif
