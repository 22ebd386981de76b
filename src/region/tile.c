/* SPDX-License-Identifier: MIT */
/*
 * tile.c: creates and checks tiles.
 *
 * The fingerprint of a tile is a sum over its rows, so a changed row changes a single term.
 */
#include "config.h"

#include "region/tile.h"

#include <string.h>

#include "base/error_internal.h"

#include "region/bits.h"

static const uint64_t no_rows[PQTI_TILE_SIDE];

#define ONES_8                                                                                     \
    UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX
const pqti_tile pqti_full_tile = {
    .count = PQTI_TILE_SIDE * PQTI_TILE_SIDE,
    .occupied = UINT64_MAX,
    .full = UINT64_MAX,
    .rows = {ONES_8, ONES_8, ONES_8, ONES_8, ONES_8, ONES_8, ONES_8, ONES_8}};

const uint64_t *
pqti_rows_of(const pqti_rnode *node)
{
    if (pqti_is_allocated(node))
        return ((const pqti_tile *)node)->rows;
    return node == PQTI_FULL ? pqti_full_tile.rows : no_rows;
}

static uint64_t
row_hash(uint64_t row, int y)
{
    return pqti_hash_mix64(row ^ (uint64_t)(y + 1) * UINT64_C(0x9e3779b97f4a7c15));
}

static uint64_t
hash_rows(const uint64_t *rows)
{
    uint64_t sum = 0;
    for (int y = 0; y < PQTI_TILE_SIDE; y++)
        sum += row_hash(rows[y], y);
    return sum;
}

/* The sums over 16 rows stay below 256 in each byte, so the bytes are added up only once per 16
 * rows. */
uint32_t
pqti_count_rows(const uint64_t *rows)
{
    uint32_t count = 0;
    for (int top = 0; top < PQTI_TILE_SIDE; top += 16) {
        uint64_t bytes = 0;
        for (int y = top; y < top + 16; y++)
            bytes += pqti_bits_in_bytes(rows[y]);
        uint64_t pairs =
            (bytes & UINT64_C(0x00ff00ff00ff00ff)) + (bytes >> 8 & UINT64_C(0x00ff00ff00ff00ff));
        count += (uint32_t)(pairs * UINT64_C(0x0001000100010001) >> 48);
    }
    return count;
}

/* One row of blocks: the columns that are set in any, and in all, of its eight rows of pixels. */
typedef struct block_row {
    uint64_t any, all;
} block_row;

static block_row
read_blocks(const uint64_t *rows, int block_y)
{
    block_row blocks = {0, UINT64_MAX};
    for (int y = 8 * block_y; y < 8 * block_y + 8; y++) {
        blocks.any |= rows[y];
        blocks.all &= rows[y];
    }
    return blocks;
}

static uint64_t
occupied_of(block_row blocks)
{
    return pqti_bytes_set(blocks.any);
}

static uint64_t
full_of(block_row blocks)
{
    return pqti_bytes_set(~blocks.all) ^ 0xff;
}

/* Returns true if all 64 rows equal `word`, which is 0 or all ones. */
static bool
all_rows_equal(const uint64_t *rows, uint64_t word)
{
    uint64_t differing = 0;
    for (int y = 0; y < PQTI_TILE_SIDE; y++)
        differing |= rows[y] ^ word;
    return differing == 0;
}

static bool
has_rows(const pqti_rnode *node, const uint64_t *rows)
{
    return node != NULL && pqti_is_allocated(node) &&
           memcmp(((const pqti_tile *)node)->rows, rows, sizeof no_rows) == 0;
}

const pqti_rnode *
pqti_tile_make(pqt_memory *memory, const uint64_t rows[PQTI_TILE_SIDE], const pqti_rnode *old,
               const pqti_rnode *other)
{
    PQT_INVARIANT(old == NULL || !pqti_is_padding(old), "a tile is padding");
    if (rows[0] == 0 && all_rows_equal(rows, 0))
        return PQTI_EMPTY;
    if (rows[0] == UINT64_MAX && all_rows_equal(rows, UINT64_MAX))
        return PQTI_FULL;
    if (has_rows(old, rows))
        return old;
    if (has_rows(other, rows))
        return other;
    pqti_tile *tile = pqti_alloc_leaf(memory, sizeof *tile);
    if (tile == NULL)
        return NULL;
    tile->node.fingerprint = hash_rows(rows);
    tile->count = pqti_count_rows(rows);
    tile->occupied = tile->full = 0;
    for (int i = 0; i < 8; i++) {
        block_row blocks = read_blocks(rows, i);
        tile->occupied |= occupied_of(blocks) << 8 * i;
        tile->full |= full_of(blocks) << 8 * i;
    }
    memcpy(tile->rows, rows, sizeof tile->rows);
    return &tile->node;
}

static void
set_blocks(pqti_tile *tile, int block_y)
{
    block_row blocks = read_blocks(tile->rows, block_y);
    uint64_t mask = UINT64_C(0xff) << 8 * block_y;
    tile->occupied = (tile->occupied & ~mask) | occupied_of(blocks) << 8 * block_y;
    tile->full = (tile->full & ~mask) | full_of(blocks) << 8 * block_y;
}

/* Makes a tile with a single pixel from an empty node, or a tile with a single gap from a full
 * node. */
static const pqti_rnode *
toggle_in_uniform_tile(pqt_memory *memory, const pqti_rnode *uniform, int x, int y)
{
    uint64_t rows[PQTI_TILE_SIDE];
    memcpy(rows, pqti_rows_of(uniform), sizeof rows);
    rows[y] ^= UINT64_C(1) << x;
    return pqti_tile_make(memory, rows, NULL, NULL);
}

const pqti_rnode *
pqti_tile_toggle(pqt_memory *memory, const pqti_rnode *node, int x, int y)
{
    if (!pqti_is_allocated(node))
        return toggle_in_uniform_tile(memory, node, x, y);
    PQT_INVARIANT(x >= 0 && x < PQTI_TILE_SIDE && y >= 0 && y < PQTI_TILE_SIDE,
                  "the pixel is not in the tile");
    const pqti_tile *old = (const pqti_tile *)node;
    const uint64_t row = old->rows[y] ^ UINT64_C(1) << x;
    const bool sets = (row >> x & 1) != 0;
    if (sets ? old->count == 64 * 64 - 1 : old->count == 1)
        return sets ? PQTI_FULL : PQTI_EMPTY;
    pqti_tile *tile = pqti_alloc_leaf(memory, sizeof *tile);
    if (tile == NULL)
        return NULL;
    *tile = *old;
    tile->rows[y] = row;
    tile->count = sets ? old->count + 1 : old->count - 1;
    tile->node.fingerprint += row_hash(row, y) - row_hash(old->rows[y], y);
    set_blocks(tile, y / 8);
    return &tile->node;
}

pqt_pixel_box
pqti_box_of_rows(const uint64_t rows[PQTI_TILE_SIDE], pqti_rcell cell)
{
    PQT_INVARIANT(!all_rows_equal(rows, 0), "the box of an empty tile was requested");
    uint64_t any = 0;
    int top = 0, bottom = PQTI_TILE_SIDE;
    while (rows[top] == 0)
        top++;
    while (rows[bottom - 1] == 0)
        bottom--;
    for (int y = top; y < bottom; y++)
        any |= rows[y];
    return (pqt_pixel_box){{cell.x + pqti_lowest_bit(any), cell.y + top},
                           {cell.x + pqti_highest_bit(any) + 1, cell.y + bottom}};
}

bool
pqti_tile_check(const pqti_tile *tile, const char **broken)
{
    *broken = NULL;
    if (all_rows_equal(tile->rows, 0) || all_rows_equal(tile->rows, UINT64_MAX))
        *broken = "the tile is empty or full";
    else if (tile->count != pqti_count_rows(tile->rows))
        *broken = "the count does not match the pixels";
    for (int i = 0; i < 8 && *broken == NULL; i++) {
        block_row blocks = read_blocks(tile->rows, i);
        if ((tile->occupied >> 8 * i & 0xff) != occupied_of(blocks))
            *broken = "the occupied blocks do not match the pixels";
        else if ((tile->full >> 8 * i & 0xff) != full_of(blocks))
            *broken = "the full blocks do not match the pixels";
    }
    if (*broken == NULL && tile->node.fingerprint != hash_rows(tile->rows))
        *broken = "the fingerprint does not match the pixels";
    return *broken == NULL;
}
