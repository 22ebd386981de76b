/* SPDX-License-Identifier: MIT */
/*
 * tile.h: the leaf of a region: 64 x 64 pixels as 64 words.
 *
 * Bit x of row y is the pixel at (x, y) relative to the tile's upper left corner. A tile is divided
 * into 8 x 8 blocks of 8 x 8 pixels. Bit 8 * (y / 8) + x / 8 of `occupied` is set if any pixel of
 * the block is set, and the same bit of `full` if all of them are set:
 *
 *     block  0  1  2 ..  7
 *            8  9 10 .. 15
 *           ..
 *           56 57 58 .. 63
 *
 * A tile is neither empty nor full, because such nodes are sentinels (region_node.h).
 */
#ifndef PQTI_TILE_H
#define PQTI_TILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory/memory_internal.h"
#include "region/region_node.h"

typedef struct pqti_tile {
    pqti_rnode node;   /* must be first; its fingerprint is the sum of the hashes of the rows */
    uint64_t count;    /* number of pixels */
    uint64_t occupied; /* a bit for each block: at least one pixel is set */
    uint64_t full;     /* a bit for each block: all pixels are set */
    uint64_t rows[PQTI_TILE_SIDE];
} pqti_tile;

_Static_assert(sizeof(pqti_tile) % PQTI_GRANULE == 0,
               "the size of a tile is not a multiple of the granule");

/* A tile of all pixels, for loops over rows. It is no node: that is the sentinel. */
extern const pqti_tile pqti_full_tile;

/* Returns the rows of any node of tile level, including sentinels and padding. */
const uint64_t *pqti_rows_of(const pqti_rnode *node);

/*
 * Returns the node with these rows: a sentinel, `old` or `other` if it has the same rows, or a new
 * tile.
 *
 * `old` and `other` are NULL or nodes of tile level. Returns NULL when out of memory.
 */
const pqti_rnode *pqti_tile_make(pqt_memory *memory, const uint64_t rows[PQTI_TILE_SIDE],
                                 const pqti_rnode *old, const pqti_rnode *other);

/* Returns the node with one pixel toggled. x and y are relative to the tile. Returns NULL when out
 * of memory. */
const pqti_rnode *pqti_tile_toggle(pqt_memory *memory, const pqti_rnode *old, int x, int y);

/* Returns the number of set bits in all rows. */
uint32_t pqti_count_rows(const uint64_t *rows);

/* Returns the smallest box around the pixels of these rows, which are not all 0. */
pqt_pixel_box pqti_box_of_rows(const uint64_t rows[PQTI_TILE_SIDE], pqti_rcell cell);

/* Returns true if the other members of a tile agree with its rows. Otherwise, returns false and
 * sets `*broken` to the first violation. */
bool pqti_tile_check(const pqti_tile *tile, const char **broken);

#endif
