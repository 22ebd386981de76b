/* SPDX-License-Identifier: MIT */
/*
 * tile.h - the leaf of a region: 64 x 64 pixels as 64 words.
 *
 * Bit x of row y is the pixel x to the right of and y below the tile's upper left corner. A tile
 * is cut into 8 x 8 blocks of 8 x 8 pixels; bit 8 * (y / 8) + x / 8 of `occupied` tells whether
 * any pixel of the block belongs, the same bit of `full` whether all do:
 *
 *     block  0  1  2 ..  7
 *            8  9 10 .. 15
 *           ..
 *           56 57 58 .. 63
 *
 * A tile holds neither no pixel nor all of them: squares like that are marks, see region_node.h.
 */
#ifndef PQTI_TILE_H
#define PQTI_TILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory/memory_internal.h"
#include "region/region_node.h"

typedef struct pqti_tile {
    pqti_rnode node;   /* first: its fingerprint is the sum of hashes of the rows */
    uint64_t count;    /* pixels that belong */
    uint64_t occupied; /* by block: any pixel belongs */
    uint64_t full;     /* by block: all pixels belong */
    uint64_t rows[PQTI_TILE_SIDE];
} pqti_tile;

_Static_assert(sizeof(pqti_tile) % PQTI_GRANULE == 0, "a leaf is a multiple of the granule");

/* The rows of a square of tile size, of a mark too. */
const uint64_t *pqti_rows_of(const pqti_rnode *node);

/*
 * The square with these rows: a mark, `old` or `other` if it has the same rows, or a new tile.
 *
 * `old` and `other` are squares of tile size or NULL. NULL: no memory.
 */
const pqti_rnode *pqti_tile_make(pqt_memory *memory, const uint64_t rows[PQTI_TILE_SIDE],
                                 const pqti_rnode *old, const pqti_rnode *other);

/* The square with one pixel the other way round, x and y within the tile. NULL: no memory. */
const pqti_rnode *pqti_tile_toggle(pqt_memory *memory, const pqti_rnode *old, int x, int y);

/* The tight box of the pixels of these rows, which are not all 0. */
pqt_pixel_box pqti_box_of_rows(const uint64_t rows[PQTI_TILE_SIDE], pqti_rcell cell);

/* Whether all that is kept beside the rows follows from them; tells the first that does not. */
bool pqti_tile_check(const pqti_tile *tile, const char **broken);

#endif
