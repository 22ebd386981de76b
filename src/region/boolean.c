/* SPDX-License-Identifier: MIT */
/*
 * boolean.c - two regions into one: union, intersection, difference, xor, at any offset.
 *
 * Whether a pixel belongs follows from whether it belongs to a and to b: an operation is a table of
 * four answers. Its first answer is always no, or the result would have no end.
 *
 * The result's squares are those of a's lattice. b lies beside that lattice, so on a square of the
 * result lie up to four squares of b, its *window*:
 *
 *      part 0 +-----+-----+ part 1
 *             |   dx| . . |          the square begins dx, dy within part 0, 0 <= dx, dy < side;
 *             | dy.-+---. |          where dx is 0, parts 1 and 3 are not met and stand as copies
 *             +---+-+---+-+          of 0 and 2; where dy is 0, parts 2 and 3 as those of 0 and 1
 *             | . . |   |
 *      part 2 +-----+-----+ part 3
 *
 * One level down the window of a child is found among the children of the parts. In a tile, a row
 * is two words of b shifted against each other. From the level down whose side divides the
 * offset, the window is one square, and the result can share it.
 *
 * Invariant: what has the pixels of a's square is a's square. What takes all its children from a
 * window of one square is that one.
 */
#include "config.h"

#include <string.h>

#include "base/error_internal.h"
#include "region/bits.h"
#include "region/quad.h"
#include "region/region_internal.h"
#include "region/tile.h"

/* Bit 2 * (belongs to a) + (belongs to b). */
typedef enum table { UNION = 0xe, INTERSECTION = 0x8, DIFFERENCE = 0x4, XOR = 0x6 } table;

typedef struct joiner {
    pqt_memory *memory;
    const pqt_region *a, *b;
    table truth_table;
} joiner;

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

/* ---- windows ---- */

/* The one square that a window is; NULL if it is several, or an outer square. */
static const pqti_rnode *
only_square(const window *w)
{
    return w->dx == 0 && w->dy == 0 && !pqti_is_padding(w->node[0]) ? w->node[0] : NULL;
}

/* Whether all of a window is empty, or full. */
static bool
is_plain_window(const window *w)
{
    return pqti_is_uniform(w->node[0]) && w->node[0] == w->node[1] && w->node[0] == w->node[2] &&
           w->node[0] == w->node[3];
}

/* Chooses the parts of a window out of columns and rows of squares, beginning at x, y. */
static void
choose_source_nodes(window *w, const pqti_rnode *grid[4][4], int x, int y)
{
    for (int i = 0; i < 4; i++) {
        int column = w->dx != 0 ? x + (i & 1) : x;
        int row = w->dy != 0 ? y + (i >> 1) : y;
        w->node[i] = grid[row][column];
    }
}

/* The windows of the four children of a square of a level. */
static void
split_window(const joiner *j, const window *w, int level, window below[4])
{
    PQT_INVARIANT(w->dx >= 0 && w->dx < pqti_side(level) && w->dy >= 0 && w->dy < pqti_side(level),
                  "a window begins within its first part");
    const pqti_rnode *grid[4][4];
    const int32_t half = pqti_side(level - 1);
    for (int i = 0; i < 4; i++) {
        const pqti_rnode *child[4];
        pqti_rnode_children(j->b, w->node[i], level, child);
        for (int k = 0; k < 4; k++)
            grid[2 * (i >> 1) + (k >> 1)][2 * (i & 1) + (k & 1)] = child[k];
    }
    for (int i = 0; i < 4; i++) {
        below[i].dx = w->dx & (half - 1);
        below[i].dy = w->dy & (half - 1);
        choose_source_nodes(&below[i], grid, (w->dx >= half) + (i & 1), (w->dy >= half) + (i >> 1));
    }
}

static int64_t
floor_divide(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

/* The window of a square of the result, b being moved by the offset. */
static window
window_at(const joiner *j, pqti_rcell cell, pqt_pixel offset)
{
    const int64_t side = pqti_side(cell.level);
    const int64_t x = (int64_t)cell.x - offset.x, y = (int64_t)cell.y - offset.y;
    const int64_t column = floor_divide(x, side), row = floor_divide(y, side);
    window w = {.dx = (int32_t)(x - column * side), .dy = (int32_t)(y - row * side)};
    for (int i = 0; i < 4; i++)
        w.node[i] = pqti_rnode_at(j->b, w.dx != 0 ? column + (i & 1) : column,
                                  w.dy != 0 ? row + (i >> 1) : row, cell.level);
    return w;
}

/* The rows of a window of tile size: row y of it begins dx, dy within the upper left part. */
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

/* ---- joining ---- */

/* What follows where a has all of a square, or nothing of it; NULL: nothing does. */
static const pqti_rnode *
known_by_a(const joiner *j, bool in_a, const window *w)
{
    bool without = eval_truth_table(j->truth_table, in_a, false),
         with = eval_truth_table(j->truth_table, in_a, true);
    if (without == with)
        return uniform_node(with);
    if (is_plain_window(w))
        return uniform_node(w->node[0] == PQTI_FULL ? with : without);
    return with ? only_square(w) : NULL;
}

/* The same for b, and a square of a that has some pixels. */
static const pqti_rnode *
known_by_b(const joiner *j, const pqti_rnode *a, bool in_b)
{
    bool without = eval_truth_table(j->truth_table, false, in_b),
         with = eval_truth_table(j->truth_table, true, in_b);
    if (without == with)
        return uniform_node(with);
    return with && !pqti_is_padding(a) ? a : NULL;
}

/* What follows without looking into squares; NULL: nothing does. */
static const pqti_rnode *
known_result(const joiner *j, const pqti_rnode *a, const window *w)
{
    if (pqti_is_uniform(a))
        return known_by_a(j, a == PQTI_FULL, w);
    if (is_plain_window(w))
        return known_by_b(j, a, w->node[0] == PQTI_FULL);
    if (a != only_square(w))
        return NULL;
    return eval_truth_table(j->truth_table, true, true) ? a : PQTI_EMPTY;
}

static const pqti_rnode *
join_tiles(const joiner *j, const pqti_rnode *a, const window *w)
{
    uint64_t rows[PQTI_TILE_SIDE];
    const uint64_t *of_a = pqti_rows_of(a);
    read_window(w, rows);
    switch (j->truth_table) {
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
    return pqti_tile_make(j->memory, rows, a, only_square(w));
}

static bool
has_same_children(const pqti_rnode *node, const pqti_rnode *const child[4])
{
    return node != NULL && pqti_is_allocated(node) &&
           memcmp(((const pqti_rinner *)node)->child, child, 4 * sizeof *child) == 0;
}

static const pqti_rnode *join_squares(const joiner *j, int level, const pqti_rnode *a,
                                      const window *w);

static const pqti_rnode *
join_quads(const joiner *j, int level, const pqti_rnode *a, const window *w)
{
    const pqti_rnode *before[4], *child[4];
    window below[4];
    pqti_rnode_children(j->a, a, level, before);
    split_window(j, w, level, below);
    for (int i = 0; i < 4; i++) {
        child[i] = join_squares(j, level - 1, before[i], &below[i]);
        if (child[i] == NULL)
            return NULL;
    }
    if (has_same_children(a, child))
        return a;
    if (has_same_children(only_square(w), child))
        return only_square(w);
    /* What both share stays where the table keeps it, and need not be touched to count it; where
       the table drops it, what is left is counted afresh. */
    return pqti_rinner_make(j->memory, child, level,
                            eval_truth_table(j->truth_table, true, true) ? a : NULL);
}

/* NULL: no memory. */
static const pqti_rnode *
join_squares(const joiner *j, int level, const pqti_rnode *a, const window *w)
{
    const pqti_rnode *known = known_result(j, a, w);
    if (known != NULL)
        return known;
    return level == PQTI_TILE_LEVEL ? join_tiles(j, a, w) : join_quads(j, level, a, w);
}

/* ---- regions ---- */

static bool
join_quadrants(const joiner *j, int level, pqt_pixel offset, const pqti_rnode *quadrant[4])
{
    for (int i = 0; i < 4; i++) {
        window w = window_at(j, pqti_rcell_quadrant(level, i), offset);
        quadrant[i] = join_squares(j, level, pqti_quadrant(j->a, level, i), &w);
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

/* A coordinate kept within what 32 bits hold, far outside PQT_PIXEL_LIMIT. */
static int32_t
clamp_to_int32(int64_t coordinate)
{
    return (int32_t)(coordinate < INT32_MIN   ? INT32_MIN
                     : coordinate > INT32_MAX ? INT32_MAX
                                              : coordinate);
}

static pqt_pixel_box
move_clamped(pqt_pixel_box box, pqt_pixel by)
{
    return (pqt_pixel_box){
        {clamp_to_int32((int64_t)box.min.x + by.x), clamp_to_int32((int64_t)box.min.y + by.y)},
        {clamp_to_int32((int64_t)box.max.x + by.x), clamp_to_int32((int64_t)box.max.y + by.y)}};
}

/* What a region of a level covers. */
static pqt_pixel_box
box_of_level(int level)
{
    const int32_t side = pqti_side(level);
    return (pqt_pixel_box){{-side, -side}, {side, side}};
}

/* The level, at least `least`, that holds a moved region. False with an error told if none does. */
static bool
level_of_moved(const pqt_region *region, pqt_pixel offset, int least, int *level, pqt_error *error)
{
    pqt_pixel_box box = move_clamped(box_of_level(region->level), offset);
    *level = region->level > least ? region->level : least;
    if (region->count == 0 || is_zero(offset) || pqti_box_holds(box_of_level(*level), box))
        return true;
    /* Its pixels may fit where its squares do not: a level more costs more than to see. */
    box = move_clamped(pqt_region_bounds(region), offset);
    if (pqti_box_is_too_far(box)) {
        pqti_error_set(error, PQT_ERROR_LIMIT, 0,
                       "offset %d, %d: the region leaves the %d pixels to each side of 0", offset.x,
                       offset.y, PQT_PIXEL_LIMIT);
        return false;
    }
    *level = pqti_level_of(box) > least ? pqti_level_of(box) : least;
    return true;
}

/* The version of these quadrants: a, an unmoved b, or a new one. */
static const pqt_region *
finish_boolean(const joiner *j, int level, const pqti_rnode *quadrant[4], pqt_pixel offset,
               pqt_error *error)
{
    pqti_shrink(&level, quadrant);
    if (pqti_region_has(j->a, level, quadrant))
        return j->a;
    if (is_zero(offset) && pqti_region_has(j->b, level, quadrant))
        return j->b;
    const pqt_region *base = eval_truth_table(j->truth_table, true, true) ? j->a : NULL;
    const pqt_region *next = pqti_region_new(j->memory, level, quadrant, base, error);
    /* Where a and b have equal squares that they do not share, it is made of both. */
    return next != NULL && is_zero(offset) && pqt_region_equals(next, j->b) ? j->b : next;
}

static bool
may_join(const char *function, const pqt_region *a, const pqt_region *b, pqt_error *error)
{
    if (!pqti_region_may_go_on_in(function, a, error) ||
        !pqti_region_may_go_on_in(function, b, error))
        return false;
    if (a->memory == b->memory)
        return true;
    pqti_error_set(error, PQT_ERROR_MISMATCH, 0, "memory: the regions live in different ones");
    return false;
}

static const pqt_region *
join(const char *function, table answers, const pqt_region *a, const pqt_region *b,
     pqt_pixel offset, pqt_error *error)
{
    const pqti_rnode *quadrant[4];
    if (!may_join(function, a, b, error))
        return NULL;
    joiner j = {a->memory, a, b, answers};
    int level = a->level;
    if (eval_truth_table(answers, false, true) &&
        !level_of_moved(b, offset, a->level, &level, error))
        return NULL;
    if (join_quadrants(&j, level, offset, quadrant))
        return finish_boolean(&j, level, quadrant, offset, error);
    pqti_out_of_memory(error);
    return NULL;
}

const pqt_region *
pqt_region_union(const pqt_region *a, const pqt_region *b, pqt_pixel offset, pqt_error *error)
{
    return join(__func__, UNION, a, b, offset, error);
}

const pqt_region *
pqt_region_intersection(const pqt_region *a, const pqt_region *b, pqt_pixel offset,
                        pqt_error *error)
{
    return join(__func__, INTERSECTION, a, b, offset, error);
}

const pqt_region *
pqt_region_difference(const pqt_region *a, const pqt_region *b, pqt_pixel offset, pqt_error *error)
{
    return join(__func__, DIFFERENCE, a, b, offset, error);
}

const pqt_region *
pqt_region_xor(const pqt_region *a, const pqt_region *b, pqt_pixel offset, pqt_error *error)
{
    return join(__func__, XOR, a, b, offset, error);
}

/* The union of nothing with the moved region. */
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
    const pqt_region nothing = {.memory = region->memory,
                                .quadrant = {PQTI_EMPTY, PQTI_EMPTY, PQTI_EMPTY, PQTI_EMPTY},
                                .level = level};
    const joiner j = {region->memory, &nothing, region, UNION};
    if (join_quadrants(&j, level, offset, quadrant)) {
        pqti_shrink(&level, quadrant);
        return pqti_region_new(region->memory, level, quadrant, NULL, error);
    }
    pqti_out_of_memory(error);
    return NULL;
}

/* The pixels of a box that belong, or those that do not. */

typedef struct clipper {
    const pqt_region *region;
    pqt_pixel_box box;
    bool inverts; /* those that do not belong */
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

static const pqti_rnode *clip_square(const clipper *c, const pqti_rnode *node, pqti_rcell cell);

static const pqti_rnode *
clip_inner(const clipper *c, const pqti_rnode *node, pqti_rcell cell)
{
    const pqti_rnode *old[4], *child[4];
    pqti_rnode_children(c->region, node, cell.level, old);
    for (int i = 0; i < 4; i++) {
        child[i] = clip_square(c, old[i], pqti_rcell_child(cell, i));
        if (child[i] == NULL)
            return NULL;
    }
    if (pqti_is_allocated(node) && memcmp(old, child, sizeof old) == 0)
        return node;
    return pqti_rinner_make(c->region->memory, child, cell.level, c->inverts ? NULL : node);
}

/* NULL: no memory. */
static const pqti_rnode *
clip_square(const clipper *c, const pqti_rnode *node, pqti_rcell cell)
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
        quadrant[i] = clip_square(c, old, cell);
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
    if (!pqti_region_check_input(region, error) || !pqti_validate_pixel_box(box, "box", 0, error))
        return NULL;
    return crop_region(&(clipper){region, box, false}, region->level, error);
}

const pqt_region *
pqt_region_complement(const pqt_region *region, pqt_pixel_box box, pqt_error *error)
{
    if (!pqti_region_check_input(region, error) || !pqti_validate_pixel_box(box, "box", 0, error) ||
        !pqti_validate_pixel(box, "box", 0, error))
        return NULL;
    int level = pqti_box_is_empty(box) ? PQTI_TILE_LEVEL : pqti_level_of(box);
    return crop_region(&(clipper){region, box, true}, level, error);
}
