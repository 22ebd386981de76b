/* SPDX-License-Identifier: MIT */
/*
 * boolean.c: computes union, intersection, difference and xor of two regions at any offset, crops,
 * and complements.
 *
 * A pixel's membership in the result depends only on its membership in a and in b, so an operation
 * is a truth table of four entries. The entry for pixels in neither region is always 0, because the
 * result would be infinite otherwise.
 *
 * The nodes of the result are on the lattice of a. b may be offset from that lattice, so up to four
 * nodes of b, the *window*, cover a node of the result:
 *
 *      node 0 +-----+-----+ node 1
 *             |   dx| . . |          the window begins at dx, dy in node 0, 0 <= dx, dy < side;
 *             | dy.-+---. |          if dx is 0, nodes 1 and 3 are not covered and are copies of
 *             +---+-+---+-+          0 and 2; if dy is 0, nodes 2 and 3 are copies of 0 and 1
 *             | . . |   |
 *      node 2 +-----+-----+ node 3
 *
 * The window of a child consists of children of these nodes. In a tile, each row is assembled from
 * two shifted words of b. At levels whose side divides the offset, a window is a single node, which
 * the result can share.
 *
 * Invariant: if a node of the result has the same pixels as a's node, it is a's node. If it has the
 * same children as a window that is a single node, it is that node.
 *
 * If b is in another memory, the result must not share its nodes: then no window counts as a single
 * node, unless it is a sentinel, and the descent ends at tiles, which are made from the rows.
 */
#include "config.h"

#include <string.h>

#include "base/error_internal.h"
#include "region/bits.h"
#include "region/quad.h"
#include "region/region_internal.h"
#include "region/tile.h"

/* The truth tables. Bit 2 * (in a) + (in b) says whether the pixel is in the result. */
typedef enum table { UNION = 0xe, INTERSECTION = 0x8, DIFFERENCE = 0x4, XOR = 0x6 } table;

typedef struct region_combiner {
    pqt_memory *memory;
    const pqt_region *a, *b;
    table truth_table;
} region_combiner;

typedef struct window {
    const pqti_rnode *node[4];
    int32_t dx, dy;
} window;

static bool
eval_truth_table(table answers, bool in_a, bool in_b)
{
    return (answers >> (2 * in_a + in_b) & 1) != 0;
}

static const pqti_rnode *
uniform_node(bool full)
{
    return full ? PQTI_FULL : PQTI_EMPTY;
}

/* ---- Windows ---- */

/* Returns the node of b that is exactly the window and may be in the result, or NULL if the window
 * consists of several nodes, is padding, or is in another memory. */
static const pqti_rnode *
single_node(const region_combiner *combiner, const window *w)
{
    const pqti_rnode *node = w->node[0];
    const bool may_share = combiner->memory == combiner->b->memory || pqti_is_uniform(node);
    return w->dx == 0 && w->dy == 0 && !pqti_is_padding(node) && may_share ? node : NULL;
}

/* Returns true if a window is completely empty or completely full. */
static bool
is_uniform_window(const window *w)
{
    return pqti_is_uniform(w->node[0]) && w->node[0] == w->node[1] && w->node[0] == w->node[2] &&
           w->node[0] == w->node[3];
}

/* Selects the nodes of a window that begins at column x and row y of a grid of nodes. */
static void
select_window_nodes(window *w, const pqti_rnode *grid[4][4], int x, int y)
{
    for (int i = 0; i < 4; i++) {
        int column = w->dx != 0 ? x + (i & 1) : x;
        int row = w->dy != 0 ? y + (i >> 1) : y;
        w->node[i] = grid[row][column];
    }
}

/* Computes the windows of the four children of a node. */
static void
split_window(const region_combiner *combiner, const window *w, int level, window below[4])
{
    PQT_INVARIANT(w->dx >= 0 && w->dx < pqti_side(level) && w->dy >= 0 && w->dy < pqti_side(level),
                  "a window does not begin in its first node");
    const pqti_rnode *grid[4][4];
    const int32_t half = pqti_side(level - 1);
    for (int i = 0; i < 4; i++) {
        const pqti_rnode *child[4];
        pqti_rnode_children(combiner->b, w->node[i], level, child);
        for (int k = 0; k < 4; k++)
            grid[2 * (i >> 1) + (k >> 1)][2 * (i & 1) + (k & 1)] = child[k];
    }
    for (int i = 0; i < 4; i++) {
        below[i].dx = w->dx & (half - 1);
        below[i].dy = w->dy & (half - 1);
        select_window_nodes(&below[i], grid, (w->dx >= half) + (i & 1), (w->dy >= half) + (i >> 1));
    }
}

static int64_t
floor_divide(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

/* Returns the window for a node of the result, where b is moved by the offset. */
static window
window_at(const region_combiner *combiner, pqti_rcell cell, pqt_pixel offset)
{
    const int64_t side = pqti_side(cell.level);
    const int64_t x = (int64_t)cell.x - offset.x, y = (int64_t)cell.y - offset.y;
    const int64_t column = floor_divide(x, side), row = floor_divide(y, side);
    window w = {.dx = (int32_t)(x - column * side), .dy = (int32_t)(y - row * side)};
    for (int i = 0; i < 4; i++)
        w.node[i] = pqti_rnode_at(combiner->b, w.dx != 0 ? column + (i & 1) : column,
                                  w.dy != 0 ? row + (i >> 1) : row, cell.level);
    return w;
}

/* Assembles the rows of a window of the size of a tile. Its row y begins at (dx, dy + y) in node
 * 0. */
static void
read_window(const window *w, uint64_t rows[PQTI_TILE_SIDE])
{
    for (int below = 0; below < 2; below++) {
        const uint64_t *left = pqti_rows_of(w->node[2 * below]);
        const uint64_t *right = pqti_rows_of(w->node[2 * below + 1]);
        const int from = below ? 0 : w->dy, to = below ? w->dy : PQTI_TILE_SIDE;
        uint64_t *row = rows + (below ? PQTI_TILE_SIDE - w->dy : 0);
        if (w->dx == 0)
            memcpy(row, left + from, (size_t)(to - from) * sizeof *row);
        else
            for (int y = from; y < to; y++)
                *row++ = left[y] >> w->dx | right[y] << (PQTI_TILE_SIDE - w->dx);
    }
}

/* ---- Combining ---- */

/* Returns the result for a node of a that is full or empty, if no descent is needed; otherwise
 * NULL. */
static const pqti_rnode *
result_by_a(const region_combiner *combiner, bool in_a, const window *w)
{
    bool without = eval_truth_table(combiner->truth_table, in_a, false),
         with = eval_truth_table(combiner->truth_table, in_a, true);
    if (without == with)
        return uniform_node(with);
    if (is_uniform_window(w))
        return uniform_node(w->node[0] == PQTI_FULL ? with : without);
    return with ? single_node(combiner, w) : NULL;
}

/* Returns the result for a window of the second region that is full or empty and a node of the
 * first that is neither, if no descent is needed; otherwise NULL. */
static const pqti_rnode *
result_by_b(const region_combiner *combiner, const pqti_rnode *node, bool in_b)
{
    bool without = eval_truth_table(combiner->truth_table, false, in_b),
         with = eval_truth_table(combiner->truth_table, true, in_b);
    if (without == with)
        return uniform_node(with);
    return with && !pqti_is_padding(node) ? node : NULL;
}

/* Returns the result if no descent is needed, otherwise NULL. */
static const pqti_rnode *
result_without_descent(const region_combiner *combiner, const pqti_rnode *node, const window *w)
{
    if (pqti_is_uniform(node))
        return result_by_a(combiner, node == PQTI_FULL, w);
    if (is_uniform_window(w))
        return result_by_b(combiner, node, w->node[0] == PQTI_FULL);
    if (node != single_node(combiner, w))
        return NULL;
    return eval_truth_table(combiner->truth_table, true, true) ? node : PQTI_EMPTY;
}

static const pqti_rnode *
combine_tiles(const region_combiner *combiner, const pqti_rnode *node, const window *w)
{
    uint64_t rows[PQTI_TILE_SIDE];
    const uint64_t *of_a = pqti_rows_of(node);
    read_window(w, rows);
    switch (combiner->truth_table) {
    case UNION:
        for (int y = 0; y < PQTI_TILE_SIDE; y++)
            rows[y] = of_a[y] | rows[y];
        break;
    case INTERSECTION:
        for (int y = 0; y < PQTI_TILE_SIDE; y++)
            rows[y] = of_a[y] & rows[y];
        break;
    case DIFFERENCE:
        for (int y = 0; y < PQTI_TILE_SIDE; y++)
            rows[y] = of_a[y] & ~rows[y];
        break;
    case XOR:
        for (int y = 0; y < PQTI_TILE_SIDE; y++)
            rows[y] = of_a[y] ^ rows[y];
        break;
    }
    return pqti_tile_make(combiner->memory, rows, node, single_node(combiner, w));
}

static bool
has_same_children(const pqti_rnode *node, const pqti_rnode *const child[4])
{
    return node != NULL && pqti_is_allocated(node) &&
           memcmp(((const pqti_rinner *)node)->child, child, 4 * sizeof *child) == 0;
}

static const pqti_rnode *combine_nodes(const region_combiner *combiner, int level,
                                       const pqti_rnode *a, const window *w);

static const pqti_rnode *
combine_inner_nodes(const region_combiner *combiner, int level, const pqti_rnode *node,
                    const window *w)
{
    const pqti_rnode *before[4], *child[4];
    window below[4];
    pqti_rnode_children(combiner->a, node, level, before);
    split_window(combiner, w, level, below);
    for (int i = 0; i < 4; i++) {
        child[i] = combine_nodes(combiner, level - 1, before[i], &below[i]);
        if (child[i] == NULL)
            return NULL;
    }
    if (has_same_children(node, child))
        return node;
    if (has_same_children(single_node(combiner, w), child))
        return single_node(combiner, w);
    /* If the table keeps the pixels that are in both, the result shares much with `node`, so its
     * count is computed from the count of `node`. Otherwise, all its pixels are counted. */
    return pqti_rinner_make(combiner->memory, child, level,
                            eval_truth_table(combiner->truth_table, true, true) ? node : NULL);
}

/* Combines a node of the first region with a window of the second. Returns NULL when out of
 * memory. */
static const pqti_rnode *
combine_nodes(const region_combiner *combiner, int level, const pqti_rnode *node, const window *w)
{
    const pqti_rnode *known = result_without_descent(combiner, node, w);
    if (known != NULL)
        return known;
    return level == PQTI_TILE_LEVEL ? combine_tiles(combiner, node, w)
                                    : combine_inner_nodes(combiner, level, node, w);
}

/* ---- Regions ---- */

static bool
combine_quadrants(const region_combiner *combiner, int level, pqt_pixel offset,
                  const pqti_rnode *quadrant[4])
{
    for (int i = 0; i < 4; i++) {
        window w = window_at(combiner, pqti_rcell_quadrant(level, i), offset);
        quadrant[i] = combine_nodes(combiner, level, pqti_quadrant(combiner->a, level, i), &w);
        if (quadrant[i] == NULL)
            return false;
    }
    return true;
}

static bool
is_zero(pqt_pixel offset)
{
    return offset.x == 0 && offset.y == 0;
}

/* Clamps a coordinate to 32 bits, a range that extends far beyond PQT_PIXEL_LIMIT. */
static int32_t
clamp_to_int32(int64_t coordinate)
{
    return (int32_t)(coordinate < INT32_MIN   ? INT32_MIN
                     : coordinate > INT32_MAX ? INT32_MAX
                                              : coordinate);
}

static pqt_pixel_box
move_clamped(const pqt_pixel_box *box, pqt_pixel by)
{
    return (pqt_pixel_box){
        {clamp_to_int32((int64_t)box->min.x + by.x), clamp_to_int32((int64_t)box->min.y + by.y)},
        {clamp_to_int32((int64_t)box->max.x + by.x), clamp_to_int32((int64_t)box->max.y + by.y)}};
}

/* Returns the box that a region of the given level covers. */
static pqt_pixel_box
box_of_level(int level)
{
    const int32_t side = pqti_side(level);
    return (pqt_pixel_box){{-side, -side}, {side, side}};
}

/* Computes the smallest level, at least `least`, that can hold a moved region. Returns false and
 * sets an error if no level can. */
static bool
level_of_moved(const pqt_region *region, pqt_pixel offset, int least, int *level, pqt_error *error)
{
    pqt_pixel_box box = box_of_level(region->level);
    box = move_clamped(&box, offset);
    *level = region->level > least ? region->level : least;
    if (region->count == 0 || is_zero(offset) || pqti_box_holds(box_of_level(*level), box))
        return true;
    /* The region's pixels may fit even if its nodes do not. An unnecessary level would cost more
     * than this check. */
    box = pqt_region_bounds(region);
    box = move_clamped(&box, offset);
    if (pqti_box_is_too_far(&box)) {
        pqti_error_set(error, PQT_ERROR_LIMIT, 0,
                       "offset %d, %d: the region extends more than %d pixels from 0", offset.x,
                       offset.y, PQT_PIXEL_LIMIT);
        return false;
    }
    *level = pqti_level_of(&box);
    if (*level < least)
        *level = least;
    return true;
}

/* Returns the version with these quadrants: a if it has them, b if it has them, was not moved and
 * is in the same memory, or a new one. */
static const pqt_region *
finish_boolean(const region_combiner *combiner, int level, const pqti_rnode *quadrant[4],
               pqt_pixel offset, pqt_error *error)
{
    const bool may_be_b = is_zero(offset) && combiner->memory == combiner->b->memory;
    pqti_shrink(&level, quadrant);
    if (pqti_region_has(combiner->a, level, quadrant))
        return combiner->a;
    if (may_be_b && pqti_region_has(combiner->b, level, quadrant))
        return combiner->b;
    const pqt_region *base =
        eval_truth_table(combiner->truth_table, true, true) ? combiner->a : NULL;
    const pqt_region *next = pqti_region_new(combiner->memory, level, quadrant, base, error);
    /* If a and b hold equal nodes that they do not share, the result has some nodes of each and may
     * still equal b. */
    return next != NULL && may_be_b && pqt_region_equals(next, combiner->b) ? combiner->b : next;
}

static const pqt_region *
combine_regions(const char *function, table answers, const pqt_region *a, const pqt_region *b,
                pqt_pixel offset, pqt_error *error)
{
    const pqti_rnode *quadrant[4];
    if (!pqti_region_may_go_on_in(function, a, error) ||
        !pqti_region_may_go_on_in(function, b, error))
        return NULL;
    region_combiner combiner = {a->memory, a, b, answers};
    int level = a->level;
    if (eval_truth_table(answers, false, true) &&
        !level_of_moved(b, offset, a->level, &level, error))
        return NULL;
    if (combine_quadrants(&combiner, level, offset, quadrant))
        return finish_boolean(&combiner, level, quadrant, offset, error);
    pqti_out_of_memory(error);
    return NULL;
}

const pqt_region *
pqt_region_union(const pqt_region *a, const pqt_region *b, pqt_pixel offset, pqt_error *error)
{
    return combine_regions(__func__, UNION, a, b, offset, error);
}

const pqt_region *
pqt_region_intersection(const pqt_region *a, const pqt_region *b, pqt_pixel offset,
                        pqt_error *error)
{
    return combine_regions(__func__, INTERSECTION, a, b, offset, error);
}

const pqt_region *
pqt_region_difference(const pqt_region *a, const pqt_region *b, pqt_pixel offset, pqt_error *error)
{
    return combine_regions(__func__, DIFFERENCE, a, b, offset, error);
}

const pqt_region *
pqt_region_xor(const pqt_region *a, const pqt_region *b, pqt_pixel offset, pqt_error *error)
{
    return combine_regions(__func__, XOR, a, b, offset, error);
}

/* Moves a region, by uniting an empty region with it at the offset. */
const pqt_region *
pqt_region_move(const pqt_region *region, pqt_pixel offset, pqt_error *error)
{
    const pqti_rnode *quadrant[4];
    int level;
    if (!pqti_region_check_input(region, error))
        return NULL;
    if (region->count == 0 || is_zero(offset))
        return region;
    if (!level_of_moved(region, offset, PQTI_TILE_LEVEL, &level, error))
        return NULL;
    const pqt_region empty = {.memory = region->memory,
                              .quadrant = {PQTI_EMPTY, PQTI_EMPTY, PQTI_EMPTY, PQTI_EMPTY},
                              .level = level};
    const region_combiner combiner = {region->memory, &empty, region, UNION};
    if (combine_quadrants(&combiner, level, offset, quadrant)) {
        pqti_shrink(&level, quadrant);
        return pqti_region_new(region->memory, level, quadrant, NULL, error);
    }
    pqti_out_of_memory(error);
    return NULL;
}

/* ---- Crop and complement ---- */

/* Selects the pixels of a box that are in the region, or those that are not. */

typedef struct clipper {
    const pqt_region *region;
    pqt_pixel_box box;
    bool inverts; /* selects the pixels that are not in the region */
} clipper;

static const pqti_rnode *
clip_tile(const clipper *c, const pqti_rnode *node, pqti_rcell cell, pqt_pixel_box common)
{
    uint64_t rows[PQTI_TILE_SIDE] = {0};
    const uint64_t *old = pqti_rows_of(node);
    const uint64_t mask = pqti_bits_between(common.min.x - cell.x, common.max.x - cell.x);
    for (int32_t y = common.min.y - cell.y; y < common.max.y - cell.y; y++)
        rows[y] = (c->inverts ? ~old[y] : old[y]) & mask;
    return pqti_tile_make(c->region->memory, rows, node, NULL);
}

static const pqti_rnode *clip_node(const clipper *c, const pqti_rnode *node, pqti_rcell cell);

static const pqti_rnode *
clip_inner(const clipper *c, const pqti_rnode *node, pqti_rcell cell)
{
    const pqti_rnode *old[4], *child[4];
    pqti_rnode_children(c->region, node, cell.level, old);
    for (int i = 0; i < 4; i++) {
        child[i] = clip_node(c, old[i], pqti_rcell_child(cell, i));
        if (child[i] == NULL)
            return NULL;
    }
    if (pqti_is_allocated(node) && memcmp(old, child, sizeof old) == 0)
        return node;
    return pqti_rinner_make(c->region->memory, child, cell.level, c->inverts ? NULL : node);
}

/* Selects the pixels of a node. Returns NULL when out of memory. */
static const pqti_rnode *
clip_node(const clipper *c, const pqti_rnode *node, pqti_rcell cell)
{
    const pqt_pixel_box all = pqti_rcell_box(cell);
    const pqt_pixel_box common = pqti_box_common(all, c->box);
    if (pqti_box_is_empty(common) || node == (c->inverts ? PQTI_FULL : PQTI_EMPTY))
        return PQTI_EMPTY;
    if (pqti_box_holds(c->box, all) && !pqti_is_padding(node)) {
        if (!c->inverts)
            return node;
        if (node == PQTI_EMPTY)
            return PQTI_FULL;
    }
    return cell.level == PQTI_TILE_LEVEL ? clip_tile(c, node, cell, common)
                                         : clip_inner(c, node, cell);
}

static const pqt_region *
crop_region(const clipper *c, int level, pqt_error *error)
{
    const pqti_rnode *quadrant[4];
    for (int i = 0; i < 4; i++) {
        const pqti_rcell cell = pqti_rcell_quadrant(level, i);
        const pqti_rnode *old = pqti_rnode_at(c->region, (i & 1) - 1, (i >> 1) - 1, level);
        quadrant[i] = clip_node(c, old, cell);
        if (quadrant[i] == NULL) {
            pqti_out_of_memory(error);
            return NULL;
        }
    }
    return pqti_region_next(c->region, level, quadrant, error);
}

const pqt_region *
pqt_region_crop(const pqt_region *region, pqt_pixel_box box, pqt_error *error)
{
    if (!pqti_region_check_input(region, error) || !pqti_validate_pixel_box(&box, "box", 0, error))
        return NULL;
    return crop_region(&(clipper){region, box, false}, region->level, error);
}

const pqt_region *
pqt_region_complement(const pqt_region *region, pqt_pixel_box box, pqt_error *error)
{
    if (!pqti_region_check_input(region, error) ||
        !pqti_validate_pixel_box(&box, "box", 0, error) ||
        !pqti_validate_pixel(&box, "box", 0, error))
        return NULL;
    return crop_region(&(clipper){region, box, true}, pqti_level_of(&box), error);
}
