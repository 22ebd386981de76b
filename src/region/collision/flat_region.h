/* SPDX-License-Identifier: MIT */
/*
 * flat_region.h: a region whose quadrants are tiles, as most sprites are.
 *
 * The collision of two such regions is a loop over at most 16 pairs of tiles. Each tile is first
 * reduced to the box of its occupied blocks, so most of these pairs are rejected by their boxes. A
 * sprite of 32 x 32 pixels around the origin has a part in each of four tiles.
 */
#ifndef PQTI_FLAT_REGION_H
#define PQTI_FLAT_REGION_H

#include <stdbool.h>
#include <stdint.h>

#include <pqt/region.h>

#include "region/collision/strips.h"
#include "region/region_internal.h"
#include "region/region_node.h"
#include "region/tile.h"

typedef struct pqti_flat_tile {
    const uint64_t *rows;
    pqt_pixel at;      /* the coordinates of its upper left pixel */
    pqt_pixel_box box; /* contains its pixels */
    bool is_full;      /* it has all pixels of its box */
} pqti_flat_tile;

typedef struct pqti_flat_region {
    int count; /* number of quadrants that are not empty */
    pqti_flat_tile tile[4];
} pqti_flat_region;

/* Returns true if the quadrants of two regions are tiles. A build without fast paths descends the
 * trees of such regions, too. */
static inline bool
pqti_are_flat(const pqt_region *a, const pqt_region *b)
{
#ifdef PQT_PLAIN
    (void)a;
    (void)b;
    return false;
#else
    return a->level == PQTI_TILE_LEVEL && b->level == PQTI_TILE_LEVEL;
#endif
}

/* Sets `flat` to the tiles of a region whose quadrants are tiles. `order` has the numbers of the
 * quadrants in the order in which their tiles are wanted. */
void pqti_flatten(const pqt_region *region, const int order[4], pqti_flat_region *flat);

/* Returns the box, in a's coordinates, that contains the pixels of both tiles if b is moved by
 * `offset`. */
static inline pqt_pixel_box
pqti_flat_common(const pqti_flat_tile *a, const pqti_flat_tile *b, pqt_pixel offset)
{
    const pqt_pixel_box moved = {{b->box.min.x + offset.x, b->box.min.y + offset.y},
                                 {b->box.max.x + offset.x, b->box.max.y + offset.y}};
    return pqti_box_common(a->box, moved);
}

/* Returns the rows of both tiles in their common box, which is not empty. */
static inline pqti_strips
pqti_flat_strips(const pqti_flat_tile *a, const pqti_flat_tile *b, pqt_pixel offset,
                 const pqt_pixel_box *common)
{
    return (pqti_strips){a->rows + (common->min.y - a->at.y),
                         b->rows + (common->min.y - offset.y - b->at.y), common->min.x - a->at.x,
                         common->min.x - offset.x - b->at.x, common->max.y - common->min.y};
}

/* Returns true if the regions overlap at a whole offset. */
bool pqti_flat_regions_overlap(const pqti_flat_region *a, const pqti_flat_region *b,
                               pqt_pixel offset);

/* Returns the number of pixels that the regions have in common at a whole offset. */
uint64_t pqti_flat_regions_area(const pqti_flat_region *a, const pqti_flat_region *b,
                                pqt_pixel offset);

#endif
