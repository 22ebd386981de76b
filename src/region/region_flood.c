/* SPDX-License-Identifier: MIT */
/*
 * region_flood.c: finds the component that contains a pixel, and reads nothing far from it.
 *
 * The reached pixels are in a *mirror*: a quadtree in scratch memory with those squares of the
 * region in which a pixel was reached. A full square is reached as a whole, whatever its size. In a
 * tile, whole runs are reached at once.
 *
 * A square in which pixels were reached waits. When its turn comes, a tile spreads through its
 * rows; then both kinds of squares reach the pixels next to their edges. A row of a tile waits only
 * if one more of its runs was reached, and each pixel of an edge is passed on once, so the work in
 * a tile is proportional to its runs, however often it waits.
 */
#include "config.h"

#include <string.h>

#include "base/error_internal.h"
#include "memory/memory_internal.h"
#include "region/bits.h"
#include "region/quad.h"
#include "region/region_flood.h"
#include "region/region_internal.h"
#include "region/tile.h"

/* The number of a node of the mirror is its index plus 1. */
#define UNREACHED 0
#define WHOLE UINT32_MAX /* a full square */

enum { EDGES = 4 };

typedef struct mirror_inner {
    uint32_t child[4];
} mirror_inner;

typedef struct mirror_tile {
    const uint64_t *pixels;        /* the rows of the region's tile */
    uint64_t rows[PQTI_TILE_SIDE]; /* the reached pixels */
    uint64_t waiting;              /* a bit for each row that has not been spread */
    uint64_t passed_on[EDGES];     /* the pixels of each edge whose neighbours were reached */
    pqti_rcell cell;
    uint32_t next; /* the number of the next waiting tile */
    bool is_waiting;
} mirror_tile;

typedef struct flood {
    const pqt_region *region;
    int32_t aside; /* 1 if diagonal neighbours are neighbours, otherwise 0 */
    mirror_inner *inners;
    size_t inner_count, inner_capacity;
    mirror_tile *tiles;
    size_t tile_count, tile_capacity;
    pqti_rcell *full; /* the full squares that wait */
    size_t full_count, full_capacity;
    uint32_t waiting_tile; /* the number of the first tile that waits */
    uint32_t quadrant[4];
    uint64_t entered; /* the squares of the region that were read */
    bool failed;      /* there is no memory */
} flood;

/* ---- Rows ---- */

/* Returns the runs of a row that contain one of some pixels of the row. */
static uint64_t
runs_with(uint64_t row, uint64_t pixels)
{
    uint64_t up = row, down = row;
    for (int by = 1; by < PQTI_TILE_SIDE; by *= 2) {
        pixels |= (up & pixels << by) | (down & pixels >> by);
        up &= up << by;
        down &= down >> by;
    }
    return pixels;
}

static void
reach_row(mirror_tile *tile, int y, uint64_t pixels)
{
    pixels &= tile->pixels[y] & ~tile->rows[y];
    if (pixels == 0)
        return;
    tile->rows[y] |= runs_with(tile->pixels[y], pixels);
    tile->waiting |= UINT64_C(1) << y;
}

static void
spread_rows(mirror_tile *tile, bool aside)
{
    while (tile->waiting != 0) {
        const int y = pqti_lowest_bit(tile->waiting);
        const uint64_t row = tile->rows[y], reached = aside ? row | row << 1 | row >> 1 : row;
        tile->waiting &= tile->waiting - 1;
        if (y > 0)
            reach_row(tile, y - 1, reached);
        if (y < PQTI_TILE_SIDE - 1)
            reach_row(tile, y + 1, reached);
    }
}

/* ---- The mirror ---- */

static uint32_t
add_inner(flood *f)
{
    mirror_inner *inners =
        pqti_grow_scratch(f->inners, f->inner_count, &f->inner_capacity, 1, sizeof *inners);
    if (inners == NULL) {
        f->failed = true;
        return UNREACHED;
    }
    f->inners = inners;
    memset(&inners[f->inner_count], 0, sizeof *inners);
    return (uint32_t)++f->inner_count;
}

static uint32_t
add_tile(flood *f, const uint64_t *pixels, pqti_rcell cell)
{
    mirror_tile *tiles =
        pqti_grow_scratch(f->tiles, f->tile_count, &f->tile_capacity, 1, sizeof *tiles);
    if (tiles == NULL) {
        f->failed = true;
        return UNREACHED;
    }
    f->tiles = tiles;
    memset(&tiles[f->tile_count], 0, sizeof *tiles);
    tiles[f->tile_count].pixels = pixels;
    tiles[f->tile_count].cell = cell;
    return (uint32_t)++f->tile_count;
}

static uint32_t
reach_full(flood *f, pqti_rcell cell)
{
    pqti_rcell *full =
        pqti_grow_scratch(f->full, f->full_count, &f->full_capacity, 1, sizeof *full);
    if (full == NULL) {
        f->failed = true;
        return UNREACHED;
    }
    f->full = full;
    f->full[f->full_count++] = cell;
    return WHOLE;
}

static void
let_tile_wait(flood *f, uint32_t number)
{
    mirror_tile *tile = &f->tiles[number - 1];
    if (tile->waiting == 0 || tile->is_waiting)
        return;
    tile->is_waiting = true;
    tile->next = f->waiting_tile;
    f->waiting_tile = number;
}

static uint32_t
reach_tile(flood *f, const uint64_t *pixels, pqti_rcell cell, uint32_t number,
           const pqt_pixel_box *box)
{
    const uint64_t mask = pqti_bits_between(box->min.x - cell.x, box->max.x - cell.x);
    uint64_t any = 0;
    for (int32_t y = box->min.y; y < box->max.y; y++)
        any |= pixels[y - cell.y] & mask;
    if (any == 0)
        return number;
    if (number == UNREACHED)
        number = add_tile(f, pixels, cell);
    if (number == UNREACHED)
        return UNREACHED;
    for (int32_t y = box->min.y; y < box->max.y; y++)
        reach_row(&f->tiles[number - 1], y - cell.y, mask);
    let_tile_wait(f, number);
    return number;
}

/* Sets a child of an inner node of the mirror, which is added if there is none. Returns the number
 * of the node. */
static uint32_t
set_child(flood *f, uint32_t number, int child, uint32_t reached)
{
    if (number == UNREACHED)
        number = add_inner(f);
    if (number != UNREACHED)
        f->inners[number - 1].child[child] = reached;
    return number;
}

/* Reaches the pixels of a node in a box. Returns the number of the node in the mirror, which was
 * `number` before. */
static uint32_t
reach_node(flood *f, const pqti_rnode *node, pqti_rcell cell, uint32_t number,
           const pqt_pixel_box *box)
{
    const pqt_pixel_box common = pqti_box_common(pqti_rcell_box(cell), *box);
    if (node == PQTI_EMPTY || number == WHOLE || pqti_box_is_empty(common))
        return number;
    f->entered++;
    if (node == PQTI_FULL)
        return reach_full(f, cell);
    if (cell.level == PQTI_TILE_LEVEL)
        return reach_tile(f, pqti_rows_of(node), cell, number, &common);
    for (int i = 0; i < 4; i++) {
        const uint32_t old = number == UNREACHED ? UNREACHED : f->inners[number - 1].child[i];
        const uint32_t reached = reach_node(f, ((const pqti_rinner *)node)->child[i],
                                            pqti_rcell_child(cell, i), old, &common);
        if (reached != old)
            number = set_child(f, number, i, reached);
    }
    return number;
}

static void
reach_box(flood *f, int32_t min_x, int32_t min_y, int32_t max_x, int32_t max_y)
{
    const pqt_pixel_box box = {{min_x, min_y}, {max_x, max_y}};
    for (int i = 0; i < 4; i++)
        f->quadrant[i] = reach_node(f, f->region->quadrant[i],
                                    pqti_rcell_quadrant(f->region->level, i), f->quadrant[i], &box);
}

/* ---- Edges ---- */

/* Reaches the neighbours of the pixels min..max - 1 of an edge of a cell: the upper, lower, left
 * and right one, in this order. */
static void
pass_on_stretch(flood *f, pqti_rcell cell, int edge, int32_t min, int32_t max)
{
    const int32_t side = pqti_side(cell.level), x = cell.x, y = cell.y;
    min -= f->aside;
    max += f->aside;
    if (edge < 2) {
        const int32_t row = edge == 0 ? y - 1 : y + side;
        reach_box(f, x + min, row, x + max, row + 1);
    } else {
        const int32_t column = edge == 2 ? x - 1 : x + side;
        reach_box(f, column, y + min, column + 1, y + max);
    }
}

static void
pass_on_pixels(flood *f, pqti_rcell cell, int edge, uint64_t pixels)
{
    while (pixels != 0) {
        const int min = pqti_lowest_bit(pixels);
        const uint64_t outside = ~pixels & ~UINT64_C(0) << min;
        const int max = outside != 0 ? pqti_lowest_bit(outside) : PQTI_TILE_SIDE;
        pass_on_stretch(f, cell, edge, min, max);
        pixels &= ~pqti_bits_between(min, max);
    }
}

/* Returns the reached pixels of a column, from the top. */
static uint64_t
column_of(const mirror_tile *tile, int x)
{
    uint64_t column = 0;
    for (int y = 0; y < PQTI_TILE_SIDE; y++)
        column |= (tile->rows[y] >> x & 1) << y;
    return column;
}

static void
run_tile(flood *f, uint32_t number)
{
    mirror_tile *tile = &f->tiles[number - 1];
    f->waiting_tile = tile->next;
    tile->is_waiting = false;
    spread_rows(tile, f->aside != 0);
    const pqti_rcell cell = tile->cell;
    uint64_t edges[EDGES] = {tile->rows[0], tile->rows[PQTI_TILE_SIDE - 1], column_of(tile, 0),
                             column_of(tile, PQTI_TILE_SIDE - 1)};
    for (int i = 0; i < EDGES; i++) {
        edges[i] &= ~tile->passed_on[i];
        tile->passed_on[i] |= edges[i];
    }
    /* From here on, the tiles may be moved. */
    for (int i = 0; i < EDGES && !f->failed; i++)
        pass_on_pixels(f, cell, i, edges[i]);
}

static void
run_full(flood *f)
{
    const pqti_rcell cell = f->full[--f->full_count];
    for (int i = 0; i < EDGES && !f->failed; i++)
        pass_on_stretch(f, cell, i, 0, pqti_side(cell.level));
}

static void
run_flood(flood *f, pqt_pixel pixel)
{
    reach_box(f, pixel.x, pixel.y, pixel.x + 1, pixel.y + 1);
    while (!f->failed && (f->full_count > 0 || f->waiting_tile != UNREACHED))
        if (f->full_count > 0)
            run_full(f);
        else
            run_tile(f, f->waiting_tile);
}

/* ---- The component ---- */

static const pqti_rnode *
make_reached(const flood *f, const pqti_rnode *node, int level, uint32_t number)
{
    pqt_memory *memory = f->region->memory;
    if (number == UNREACHED)
        return PQTI_EMPTY;
    if (number == WHOLE)
        return PQTI_FULL;
    if (level == PQTI_TILE_LEVEL)
        return pqti_tile_make(memory, f->tiles[number - 1].rows, node, NULL);
    const pqti_rnode *const *old = ((const pqti_rinner *)node)->child;
    const pqti_rnode *child[4];
    for (int i = 0; i < 4; i++) {
        child[i] = make_reached(f, old[i], level - 1, f->inners[number - 1].child[i]);
        if (child[i] == NULL)
            return NULL;
    }
    return memcmp(child, old, sizeof child) == 0 ? node
                                                 : pqti_rinner_make(memory, child, level, node);
}

static const pqt_region *
make_component(const flood *f, pqt_error *error)
{
    const pqt_region *region = f->region;
    const pqti_rnode *quadrant[4];
    bool complete = !f->failed;
    for (int i = 0; i < 4 && complete; i++) {
        quadrant[i] = make_reached(f, region->quadrant[i], region->level, f->quadrant[i]);
        complete = quadrant[i] != NULL;
    }
    if (complete)
        return pqti_region_next(region, region->level, quadrant, error);
    pqti_out_of_memory(error);
    return NULL;
}

const pqt_region *
pqti_region_flood(const pqt_region *region, pqt_pixel pixel, pqt_connectivity connectivity,
                  uint64_t *entered, pqt_error *error)
{
    flood f = {.region = region, .aside = connectivity == PQT_CONNECTIVITY_8 ? 1 : 0};
    if (pqt_region_contains(region, pixel))
        run_flood(&f, pixel);
    const pqt_region *component = make_component(&f, error);
    *entered = f.entered;
    pqti_free_scratch(f.inners);
    pqti_free_scratch(f.tiles);
    pqti_free_scratch(f.full);
    return component;
}

const pqt_region *
pqt_region_component(const pqt_region *region, pqt_pixel pixel, pqt_connectivity connectivity,
                     pqt_error *error)
{
    uint64_t entered;
    if (!pqti_region_check_input(region, error) || !pqti_validate_connectivity(connectivity, error))
        return NULL;
    return pqti_region_flood(region, pixel, connectivity, &entered, error);
}
