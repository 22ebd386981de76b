/* SPDX-License-Identifier: MIT */
/*
 * region_cursor.c: a cursor over the nodes of a region, down to single pixels or to coarser cells.
 */
#include "config.h"

#include "region/collision/region_cursor.h"

#include <stddef.h>

#include "base/error_internal.h"
#include "region/tile.h"

#define BLOCK_LEVEL 3

/* Masks for the upper left squares with sides of 1, 2 and 4 in a word of 8 x 8 bits. */
static const uint64_t corner_mask[3] = {1, 0x0303, 0x0f0f0f0f};

pqti_shape_view
pqti_shape_view_of(const pqt_region *region)
{
    return (pqti_shape_view){.region = region};
}

static int
level_of_side(int32_t side)
{
    int level = 0;
    while (pqti_side(level) < side)
        level++;
    return level;
}

pqti_shape_view
pqti_shape_view_of_cells(const pqt_region *region, int32_t side, pqt_coarse_kind kind)
{
    return (pqti_shape_view){
        .region = region, .cell_level = level_of_side(side), .is_inner = kind == PQT_COARSE_INNER};
}

/* Returns the coverage of a node. A mixed node that is not larger than a cell counts as empty for
 * inner cells, and as full for outer cells. */
static pqti_cursor_coverage
read_cell(const pqti_shape_view *shape, pqti_cursor_coverage coverage, int level)
{
    if (coverage != PQTI_CURSOR_MIXED || level > shape->cell_level)
        return coverage;
    PQT_INVARIANT(level > 0 || shape->cell_level > 0, "a pixel is neither empty nor full");
    return shape->is_inner ? PQTI_CURSOR_EMPTY : PQTI_CURSOR_FULL;
}

static pqti_cursor_coverage
coverage_of(const pqti_rnode *node)
{
    if (pqti_is_uniform(node))
        return node == PQTI_FULL ? PQTI_CURSOR_FULL : PQTI_CURSOR_EMPTY;
    return PQTI_CURSOR_MIXED;
}

static pqti_cursor_coverage
coverage_of_bits(uint64_t any, uint64_t all, uint64_t mask)
{
    if ((any & mask) == 0)
        return PQTI_CURSOR_EMPTY;
    return (all & mask) == mask ? PQTI_CURSOR_FULL : PQTI_CURSOR_MIXED;
}

/* Returns the cursor of a quadrant of the root. If cells are larger than the quadrant, returns the
 * cursor of the cell that contains it, which is mixed even if the quadrant is full. */
static pqti_region_cursor
cursor_of_quadrant(const pqti_shape_view *shape, int i)
{
    const int own = shape->region->level;
    const int level = own > shape->cell_level ? own : shape->cell_level;
    const pqti_rnode *node = shape->region->quadrant[i];
    const pqti_rcell cell = pqti_rcell_quadrant(level, i);
    const int64_t side = (int64_t)pqti_side(level) * PQT_SUBPIXELS;
    const pqti_fixpos min = {(int64_t)cell.x * PQT_SUBPIXELS, (int64_t)cell.y * PQT_SUBPIXELS};
    pqti_cursor_coverage coverage = coverage_of(node);
    if (coverage == PQTI_CURSOR_FULL && level > own)
        coverage = PQTI_CURSOR_MIXED;
    return (pqti_region_cursor){.coverage = read_cell(shape, coverage, level),
                                .level = level,
                                .node = node,
                                .min = min,
                                .max = {min.x + side, min.y + side}};
}

int
pqti_shape_view_roots(const pqti_shape_view *shape, pqti_region_cursor cursors[4])
{
    int count = 0;
    if (shape->region == NULL) {
        cursors[0] = (pqti_region_cursor){
            .coverage = PQTI_CURSOR_FULL, .min = shape->min, .max = shape->max};
        return 1;
    }
    for (int i = 0; i < 4; i++) {
        cursors[count] = cursor_of_quadrant(shape, i);
        count += cursors[count].coverage != PQTI_CURSOR_EMPTY;
    }
    return count;
}

/* Reads 8 x 8 pixels of a tile as one word. */
static uint64_t
read_block(const pqti_tile *tile, int x, int y)
{
    uint64_t block = 0;
    for (int row = 0; row < 8; row++)
        block |= (tile->rows[y + row] >> x & 0xff) << 8 * row;
    return block;
}

/* Returns the position of a node in its tile, in pixels. */
static int
within_tile(int64_t subpixels)
{
    return (int)((subpixels / PQT_SUBPIXELS) & (PQTI_TILE_SIDE - 1));
}

/* Reads the coverage of a square whose size is at most a quarter of a tile. */
static void
read_tile(const pqti_shape_view *shape, pqti_region_cursor *child)
{
    const pqti_tile *tile = (const pqti_tile *)child->node;
    const int x = within_tile(child->min.x), y = within_tile(child->min.y);
    const uint64_t mask = corner_mask[child->level - BLOCK_LEVEL] << (y / 8 * 8 + x / 8);
    child->coverage =
        read_cell(shape, coverage_of_bits(tile->occupied, tile->full, mask), child->level);
    if (child->level == BLOCK_LEVEL && child->coverage == PQTI_CURSOR_MIXED)
        child->block = read_block(tile, x, y);
}

static void
fill_from_block(const pqti_shape_view *shape, pqti_region_cursor *child)
{
    const int x = within_tile(child->min.x) & 7, y = within_tile(child->min.y) & 7;
    const uint64_t mask = corner_mask[child->level] << (8 * y + x);
    child->coverage =
        read_cell(shape, coverage_of_bits(child->block, child->block, mask), child->level);
}

bool
pqti_region_cursor_fill(const pqti_shape_view *shape, pqti_region_cursor *quadrant, int i)
{
    if (quadrant->level >= PQTI_TILE_LEVEL) {
        quadrant->node = ((const pqti_rinner *)quadrant->node)->child[i];
        quadrant->coverage = read_cell(shape, coverage_of(quadrant->node), quadrant->level);
    } else if (quadrant->level >= BLOCK_LEVEL) {
        read_tile(shape, quadrant);
    } else {
        fill_from_block(shape, quadrant);
    }
    return quadrant->coverage != PQTI_CURSOR_EMPTY;
}

int
pqti_region_cursor_quadrants(const pqti_shape_view *shape, const pqti_region_cursor *cursor,
                             pqti_region_cursor quadrants[4])
{
    int count = 0;
    for (int i = 0; i < 4; i++) {
        quadrants[count] = pqti_region_cursor_quadrant(cursor, i);
        count += pqti_region_cursor_fill(shape, &quadrants[count], i);
    }
    return count;
}

/* ---- Overlap at a position ---- */

typedef struct overlap_test {
    const pqti_shape_view *a, *b;
    pqti_half_pos half_pos;
    int first;
    pqti_region_cursor *hit;
} overlap_test;

static bool
range_has_half_pos(const pqti_overlap_range *overlap_range, pqti_half_pos half_pos)
{
    return 2 * overlap_range->min.x < half_pos.x && half_pos.x < 2 * overlap_range->max.x &&
           2 * overlap_range->min.y < half_pos.y && half_pos.y < 2 * overlap_range->max.y;
}

/* Returns true if the contents of two nodes overlap at the position. Neither node is empty, and
 * their overlap range contains the position. */
static bool
test_cursor_pair(const overlap_test *test, const pqti_region_cursor *a, const pqti_region_cursor *b)
{
    if (a->coverage == PQTI_CURSOR_FULL && b->coverage == PQTI_CURSOR_FULL) {
        if (test->hit != NULL) {
            test->hit[0] = *a;
            test->hit[1] = *b;
        }
        return true;
    }
    const bool divides_a = pqti_divides_first(a, b);
    for (int n = 0; n < 4; n++) {
        const int i = divides_a ? n ^ test->first : n ^ 3 ^ test->first;
        pqti_region_cursor quadrant = pqti_region_cursor_quadrant(divides_a ? a : b, i);
        const pqti_region_cursor *of_a = divides_a ? &quadrant : a,
                                 *of_b = divides_a ? b : &quadrant;
        const pqti_overlap_range overlap_range = pqti_overlap_range_of(of_a, of_b);
        if (range_has_half_pos(&overlap_range, test->half_pos) &&
            pqti_region_cursor_fill(divides_a ? test->a : test->b, &quadrant, i) &&
            test_cursor_pair(test, of_a, of_b))
            return true;
    }
    return false;
}

bool
pqti_shape_views_overlap(const pqti_shape_view *a, const pqti_shape_view *b, pqti_half_pos half_pos,
                         int first, pqti_region_cursor hit[2])
{
    const overlap_test test = {a, b, half_pos, first, hit};
    pqti_region_cursor cursors_a[4], cursors_b[4];
    const int count_a = pqti_shape_view_roots(a, cursors_a),
              count_b = pqti_shape_view_roots(b, cursors_b);
    for (int i = 0; i < count_a; i++)
        for (int k = 0; k < count_b; k++) {
            const pqti_overlap_range overlap_range =
                pqti_overlap_range_of(&cursors_a[i], &cursors_b[k]);
            if (range_has_half_pos(&overlap_range, half_pos) &&
                test_cursor_pair(&test, &cursors_a[i], &cursors_b[k]))
                return true;
        }
    return false;
}

/* ---- Cells ---- */

static bool
is_valid_side(int32_t side)
{
    return side >= 1 && side <= PQT_PIXEL_LIMIT && (side & (side - 1)) == 0;
}

bool
pqt_cells_are_valid(pqt_cells cells)
{
    return is_valid_side(cells.side_a) && is_valid_side(cells.side_b) &&
           (cells.kind == PQT_COARSE_OUTER || cells.kind == PQT_COARSE_INNER);
}

bool
pqt_region_overlaps_cells(const pqt_region *a, const pqt_region *b, pqt_vec offset, pqt_cells cells)
{
    PQT_ASSERT(a != NULL && b != NULL, "a region is NULL");
    pqti_assert_region_alive(__func__, a);
    pqti_assert_region_alive(__func__, b);
    PQT_ASSERT(pqt_cells_are_valid(cells),
               "the sides of the cells must be powers of two, and their kind a pqt_coarse_kind");
    pqti_fixpos position;
    /* The limit is doubled, because cells extend beyond their pixels. */
    if (!pqti_fixpos_of(offset, 2 * PQTI_MAX_OFFSET, &position))
        return false;
    const pqti_shape_view of_a = pqti_shape_view_of_cells(a, cells.side_a, cells.kind);
    const pqti_shape_view of_b = pqti_shape_view_of_cells(b, cells.side_b, cells.kind);
    return pqti_shape_views_overlap(&of_a, &of_b, (pqti_half_pos){2 * position.x, 2 * position.y},
                                    0, NULL);
}
