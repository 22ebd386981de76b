/* SPDX-License-Identifier: MIT */
/* flat_region.c: the overlaps of regions whose quadrants are tiles. */
#include "config.h"

#include "region/collision/flat_region.h"

#include "region/bits.h"

/* Returns the box of the occupied blocks of a tile. */
static pqt_pixel_box
box_of_blocks(const pqti_tile *tile, pqt_pixel at)
{
    const uint64_t blocks = tile->occupied;
    uint64_t columns = blocks | blocks >> 32;
    columns |= columns >> 16;
    columns = (columns | columns >> 8) & 0xff;
    PQT_INVARIANT(blocks != 0, "a tile has no occupied block");
    return (pqt_pixel_box){
        {at.x + 8 * pqti_lowest_bit(columns), at.y + (pqti_lowest_bit(blocks) & ~7)},
        {at.x + 8 * pqti_highest_bit(columns) + 8, at.y + (pqti_highest_bit(blocks) & ~7) + 8}};
}

void
pqti_flatten(const pqt_region *region, const int order[4], pqti_flat_region *flat)
{
    PQT_INVARIANT(region->level == PQTI_TILE_LEVEL, "the quadrants of a region are no tiles");
    flat->count = 0;
    for (int i = 0; i < 4; i++) {
        const pqti_rnode *node = region->quadrant[order[i]];
        if (node == PQTI_EMPTY)
            continue;
        const pqti_rcell cell = pqti_rcell_quadrant(PQTI_TILE_LEVEL, order[i]);
        pqti_flat_tile *tile = &flat->tile[flat->count++];
        tile->rows = pqti_rows_of(node);
        tile->at = (pqt_pixel){cell.x, cell.y};
        tile->is_full = node == PQTI_FULL;
        tile->box =
            tile->is_full ? pqti_rcell_box(cell) : box_of_blocks((const pqti_tile *)node, tile->at);
    }
}

static bool
tiles_overlap(const pqti_flat_tile *a, const pqti_flat_tile *b, pqt_pixel offset)
{
    const pqt_pixel_box common = pqti_flat_common(a, b, offset);
    if (pqti_box_is_empty(common))
        return false;
    const pqti_strips strips = pqti_flat_strips(a, b, offset, &common);
    return pqti_strips_overlap(&strips);
}

bool
pqti_flat_regions_overlap(const pqti_flat_region *a, const pqti_flat_region *b, pqt_pixel offset)
{
    for (int i = 0; i < a->count; i++)
        for (int k = 0; k < b->count; k++)
            if (tiles_overlap(&a->tile[i], &b->tile[k], offset))
                return true;
    return false;
}

static uint64_t
area_of_tiles(const pqti_flat_tile *a, const pqti_flat_tile *b, pqt_pixel offset)
{
    const pqt_pixel_box common = pqti_flat_common(a, b, offset);
    if (pqti_box_is_empty(common))
        return 0;
    const pqti_strips strips = pqti_flat_strips(a, b, offset, &common);
    return pqti_strips_count(&strips);
}

uint64_t
pqti_flat_regions_area(const pqti_flat_region *a, const pqti_flat_region *b, pqt_pixel offset)
{
    uint64_t area = 0;
    for (int i = 0; i < a->count; i++)
        for (int k = 0; k < b->count; k++)
            area += area_of_tiles(&a->tile[i], &b->tile[k], offset);
    return area;
}
