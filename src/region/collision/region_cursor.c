/* SPDX-License-Identifier: MIT */
/*
 * region_cursor.c - a region as squares within squares, down to single pixels or to coarser cells.
 */
#include "config.h"

#include "region/collision/region_cursor.h"

#include <stddef.h>

#include "base/error_internal.h"
#include "region/tile.h"

#define BRICK_LEVEL 3

/* Of 8 x 8 bits, the upper left square of 1, 2, 4 to a side. */
static const uint64_t corner[3] = {1, 0x0303, 0x0f0f0f0f};

pqti_figure
pqti_figure_of(const pqt_region *region)
{
    return (pqti_figure){.region = region};
}

static int
level_of_side(int32_t side)
{
    int level = 0;
    while (pqti_side(level) < side)
        level++;
    return level;
}

pqti_figure
pqti_figure_of_cells(const pqt_region *region, int32_t side, pqt_cell_reading reading)
{
    return (pqti_figure){
        .region = region, .cell_level = level_of_side(side), .surely = reading == PQT_CELLS_SURELY};
}

/* What a mixed part counts as, if it is a cell. */
static pqti_filling
read_cell(const pqti_figure *figure, pqti_filling filling, int level)
{
    if (filling != PQTI_PART_MIXED || level > figure->cell_level)
        return filling;
    PQT_INVARIANT(level > 0 || figure->cell_level > 0, "a pixel is empty or full");
    return figure->surely ? PQTI_PART_EMPTY : PQTI_PART_FULL;
}

static pqti_filling
filling_of(const pqti_square *square)
{
    if (pqti_is_plain(square))
        return square == PQTI_FULL ? PQTI_PART_FULL : PQTI_PART_EMPTY;
    return PQTI_PART_MIXED;
}

static pqti_filling
filling_of_bits(uint64_t any, uint64_t all, uint64_t mask)
{
    if ((any & mask) == 0)
        return PQTI_PART_EMPTY;
    return (all & mask) == mask ? PQTI_PART_FULL : PQTI_PART_MIXED;
}

/* A quadrant, or the cell that is larger and holds it; then it is at most mixed. */
static pqti_shape_cell
quadrant_part(const pqti_figure *figure, int i)
{
    const int own = figure->region->level;
    const int level = own > figure->cell_level ? own : figure->cell_level;
    const pqti_square *square = figure->region->quadrant[i];
    const pqti_plot plot = pqti_quadrant_plot(level, i);
    const int64_t side = (int64_t)pqti_side(level) * PQT_PIXEL_STEPS;
    const pqti_fixpos min = {(int64_t)plot.x * PQT_PIXEL_STEPS, (int64_t)plot.y * PQT_PIXEL_STEPS};
    pqti_filling filling = filling_of(square);
    if (filling == PQTI_PART_FULL && level > own)
        filling = PQTI_PART_MIXED;
    return (pqti_shape_cell){.filling = read_cell(figure, filling, level),
                             .level = level,
                             .square = square,
                             .min = min,
                             .max = {min.x + side, min.y + side}};
}

int
pqti_figure_parts(const pqti_figure *figure, pqti_shape_cell parts[4])
{
    int count = 0;
    if (figure->region == NULL) {
        parts[0] =
            (pqti_shape_cell){.filling = PQTI_PART_FULL, .min = figure->min, .max = figure->max};
        return 1;
    }
    for (int i = 0; i < 4; i++) {
        parts[count] = quadrant_part(figure, i);
        count += parts[count].filling != PQTI_PART_EMPTY;
    }
    return count;
}

/* Eight bytes of eight rows as one word. */
static uint64_t
read_brick(const pqti_tile *tile, int x, int y)
{
    uint64_t brick = 0;
    for (int row = 0; row < 8; row++)
        brick |= (tile->rows[y + row] >> x & 0xff) << 8 * row;
    return brick;
}

/* Where in its tile a part lies, pixels. */
static int
within_tile(int64_t steps)
{
    return (int)((steps / PQT_PIXEL_STEPS) & (PQTI_TILE_SIDE - 1));
}

/* A part of a tile that is no larger than a quarter of it. */
static void
read_tile(const pqti_figure *figure, pqti_shape_cell *child)
{
    const pqti_tile *tile = (const pqti_tile *)child->square;
    const int x = within_tile(child->min.x), y = within_tile(child->min.y);
    const uint64_t mask = corner[child->level - BRICK_LEVEL] << (y / 8 * 8 + x / 8);
    child->filling =
        read_cell(figure, filling_of_bits(tile->occupied, tile->full, mask), child->level);
    if (child->level == BRICK_LEVEL && child->filling == PQTI_PART_MIXED)
        child->brick = read_brick(tile, x, y);
}

static void
read_bits(const pqti_figure *figure, pqti_shape_cell *child)
{
    const int x = within_tile(child->min.x) & 7, y = within_tile(child->min.y) & 7;
    const uint64_t mask = corner[child->level] << (8 * y + x);
    child->filling =
        read_cell(figure, filling_of_bits(child->brick, child->brick, mask), child->level);
}

bool
pqti_part_fill(const pqti_figure *figure, pqti_shape_cell *quarter, int i)
{
    if (quarter->level >= PQTI_TILE_LEVEL) {
        quarter->square = ((const pqti_quad *)quarter->square)->child[i];
        quarter->filling = read_cell(figure, filling_of(quarter->square), quarter->level);
    } else if (quarter->level >= BRICK_LEVEL) {
        read_tile(figure, quarter);
    } else {
        read_bits(figure, quarter);
    }
    return quarter->filling != PQTI_PART_EMPTY;
}

/* ---- overlap at a spot ---- */

typedef struct cover {
    const pqti_figure *a, *b;
    pqti_spot spot;
    int first;
    pqti_shape_cell *met;
} cover;

static bool
holds_spot(const pqti_reach *reach, pqti_spot spot)
{
    return 2 * reach->min.x < spot.x && spot.x < 2 * reach->max.x && 2 * reach->min.y < spot.y &&
           spot.y < 2 * reach->max.y;
}

/* Two parts, neither empty, that overlap at the spot. */
static bool
cover_pair(const cover *c, const pqti_shape_cell *a, const pqti_shape_cell *b)
{
    if (a->filling == PQTI_PART_FULL && b->filling == PQTI_PART_FULL) {
        if (c->met != NULL) {
            c->met[0] = *a;
            c->met[1] = *b;
        }
        return true;
    }
    const bool divides_a = pqti_divides_first(a, b);
    for (int n = 0; n < 4; n++) {
        const int i = divides_a ? n ^ c->first : n ^ 3 ^ c->first;
        pqti_shape_cell quarter = pqti_part_quarter(divides_a ? a : b, i);
        const pqti_shape_cell *of_a = divides_a ? &quarter : a, *of_b = divides_a ? b : &quarter;
        const pqti_reach reach = pqti_overlap_range_of(of_a, of_b);
        if (holds_spot(&reach, c->spot) && pqti_part_fill(divides_a ? c->a : c->b, &quarter, i) &&
            cover_pair(c, of_a, of_b))
            return true;
    }
    return false;
}

bool
pqti_figures_overlap(const pqti_figure *a, const pqti_figure *b, pqti_spot spot, int first,
                     pqti_shape_cell met[2])
{
    const cover c = {a, b, spot, first, met};
    pqti_shape_cell parts_a[4], parts_b[4];
    const int count_a = pqti_figure_parts(a, parts_a), count_b = pqti_figure_parts(b, parts_b);
    for (int i = 0; i < count_a; i++)
        for (int k = 0; k < count_b; k++) {
            const pqti_reach reach = pqti_overlap_range_of(&parts_a[i], &parts_b[k]);
            if (holds_spot(&reach, spot) && cover_pair(&c, &parts_a[i], &parts_b[k]))
                return true;
        }
    return false;
}

/* ---- cells ---- */

static bool
is_side(int32_t side)
{
    return side >= 1 && side <= PQT_PIXEL_LIMIT && (side & (side - 1)) == 0;
}

bool
pqt_cells_are_valid(pqt_cells cells)
{
    return is_side(cells.side_a) && is_side(cells.side_b) &&
           (cells.reading == PQT_CELLS_MAYBE || cells.reading == PQT_CELLS_SURELY);
}

bool
pqt_region_overlaps_cells(const pqt_region *a, const pqt_region *b, pqt_vec offset, pqt_cells cells)
{
    PQT_ASSERT(a != NULL && b != NULL, "a region is NULL");
    PQT_ASSERT(pqt_cells_are_valid(cells), "the sides of cells must be powers of two");
    pqti_fixpos place;
    /* Cells reach farther than their pixels. */
    if (!pqti_fixpos_of(offset, 2 * PQTI_REACH, &place))
        return false;
    const pqti_figure of_a = pqti_figure_of_cells(a, cells.side_a, cells.reading);
    const pqti_figure of_b = pqti_figure_of_cells(b, cells.side_b, cells.reading);
    return pqti_figures_overlap(&of_a, &of_b, (pqti_spot){2 * place.x, 2 * place.y}, 0, NULL);
}
