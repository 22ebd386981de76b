/* SPDX-License-Identifier: MIT */
/*
 * exit_walk.c: moves a small region out of another one, from line to line of the lattice of whole
 * offsets.
 *
 * Two regions overlap at an offset if and only if they do at one of the whole offsets around it:
 * the four corners of its square, the two ends of its line, or itself. On a line, these are some of
 * the corners of the next square. So the first free offset after the start is on a line, and only
 * the one or two whole offsets around the crossing of a line are tested.
 *
 * In mazes and noise, the search for a pair of full squares that overlap ends at a single pixel,
 * again and again. A test of the rows of both regions costs less than one of these searches.
 */
#include "config.h"

#include "region/collision/exit_walk.h"

#include <pqt/region_sweep.h>

#include "region/quad.h"
#include "region/region_internal.h"
#include "region/tile.h"

#define NO_TILE INT64_MIN

/* The rows of 2 x 2 tiles. The windows of a small region at an offset and at the next one, on both
 * axes, are within them. */
typedef struct tile_square {
    const pqt_region *region;
    int64_t x, y; /* the column and row of the upper left tile; NO_TILE before the first */
    const uint64_t *rows[2][2];
} tile_square;

static void
read_tile_square(tile_square *tiles, int64_t x, int64_t y)
{
    tiles->x = x;
    tiles->y = y;
    for (int i = 0; i < 4; i++)
        tiles->rows[i >> 1][i & 1] =
            pqti_rows_of(pqti_rnode_at(tiles->region, x + (i & 1), y + (i >> 1), PQTI_TILE_LEVEL));
}

static inline void
set_tile_square(tile_square *tiles, int64_t x, int64_t y)
{
    if (tiles->x != x || tiles->y != y)
        read_tile_square(tiles, x, y);
}

/* Returns the 64 pixels that begin at a bit of the left one of two words. */
static inline uint64_t
word_between(uint64_t left, uint64_t right, int bit)
{
    return left >> bit | right << 1 << (PQTI_TILE_SIDE - 1 - bit);
}

#ifndef PQT_PLAIN
/* Reads the pixels of 64 columns and of `height` rows. */
static void
read_small_region(pqti_small_region *small, const pqt_region *region, pqt_pixel min, int height)
{
    const int inside = PQTI_TILE_SIDE - 1;
    tile_square tiles = {.region = region, .x = NO_TILE};
    set_tile_square(&tiles, min.x >> PQTI_TILE_LEVEL, min.y >> PQTI_TILE_LEVEL);
    small->min = min;
    small->height = height;
    for (int i = 0; i < height; i++) {
        const int y = (min.y & inside) + i;
        const uint64_t *const *rows = tiles.rows[y >> PQTI_TILE_LEVEL];
        small->rows[i] = word_between(rows[0][y & inside], rows[1][y & inside], min.x & inside);
    }
}
#endif

bool
pqti_small_region_make(pqti_small_region *small, const pqt_region *region)
{
#ifdef PQT_PLAIN
    (void)small;
    (void)region;
    return false;
#else
    const pqt_pixel_box box = pqt_region_bounds(region);
    if (pqti_box_is_empty(box) || box.max.x - box.min.x > PQTI_TILE_SIDE ||
        box.max.y - box.min.y > PQTI_TILE_SIDE)
        return false;
    read_small_region(small, region, box.min, box.max.y - box.min.y);
    return true;
#endif
}

bool
pqti_small_region_around(pqti_small_region *small, const pqt_region *region, pqt_pixel pixel)
{
#ifdef PQT_PLAIN
    (void)small;
    (void)region;
    (void)pixel;
    return false;
#else
    const int half = PQTI_TILE_SIDE / 2;
    read_small_region(small, region, (pqt_pixel){pixel.x - half, pixel.y - half}, PQTI_TILE_SIDE);
    return true;
#endif
}

/* ---- The walk ---- */

/* The state on one axis: the mover is between the whole offsets `low` and low + 1, or, if it does
 * not move, exactly at `low`. */
typedef struct walk_axis {
    int64_t low;
    bool is_between;
    int sign;
    int64_t line; /* the whole offset that it reaches next */
    int64_t next; /* the time at which it does */
    int64_t step; /* the time from one to the next */
} walk_axis;

typedef struct exit_walk {
    walk_axis x, y;
    const pqti_small_region *small;
    tile_square tiles;
    int likely; /* the row that overlapped last, which is tested first */
} exit_walk;

/* `half_subpixels` is the offset after the start of the walk. */
static walk_axis
start_walk_axis(int64_t from, int64_t along, int64_t unit, int64_t half_subpixels)
{
    const int64_t side = 2 * PQT_SUBPIXELS;
    walk_axis axis = {.low = pqti_floor_divide(half_subpixels, side),
                      .is_between = along != 0 || half_subpixels % side != 0,
                      .sign = pqti_sign_of(along),
                      .next = PQTI_TIME_NEVER,
                      .step = PQT_SUBPIXELS * unit};
    if (along < 0)
        axis.low = pqti_ceil_divide(half_subpixels, side) - 1;
    axis.line = axis.low + (along > 0);
    if (along > 0)
        axis.next = (axis.line * PQT_SUBPIXELS - from) * unit;
    else if (along < 0)
        axis.next = (from - axis.line * PQT_SUBPIXELS) * unit;
    return axis;
}

static void
cross_line(walk_axis *axis)
{
    axis->low += axis->sign;
    axis->line += axis->sign;
    axis->next += axis->step;
}

/* Returns true if a row of the mover overlaps the row `y` of the tiles, from column `x` on. */
static inline bool
row_overlaps(const exit_walk *walk, int i, int x, int y)
{
    const uint64_t *const *rows = walk->tiles.rows[y >> PQTI_TILE_LEVEL];
    const int row = y & (PQTI_TILE_SIDE - 1);
    return (walk->small->rows[i] & word_between(rows[x >> PQTI_TILE_LEVEL][row], rows[1][row],
                                                x & (PQTI_TILE_SIDE - 1))) != 0;
}

/* Returns true if the regions overlap at a whole offset. x and y are the position of the mover's
 * upper left pixel at that offset, relative to the tiles: 0..64. */
static inline bool
overlap_in_tiles(exit_walk *walk, int x, int y)
{
    if (row_overlaps(walk, walk->likely, x, y + walk->likely))
        return true;
    for (int i = 0; i < walk->small->height; i++)
        if (row_overlaps(walk, i, x, y + i)) {
            walk->likely = i;
            return true;
        }
    return false;
}

/* The whole offsets around a position: one or two on each axis, from x and y on. */
typedef struct offsets {
    int64_t x, y;
    int count_x, count_y;
} offsets;

static inline bool
overlap_around(exit_walk *walk, const offsets *around)
{
    const int inside = PQTI_TILE_SIDE - 1;
    const int64_t column = walk->small->min.x + around->x, row = walk->small->min.y + around->y;
    set_tile_square(&walk->tiles, column >> PQTI_TILE_LEVEL, row >> PQTI_TILE_LEVEL);
    for (int k = 0; k < around->count_y; k++)
        for (int i = 0; i < around->count_x; i++)
            if (overlap_in_tiles(walk, (int)(column & inside) + i, (int)(row & inside) + k))
                return true;
    return false;
}

/* Returns the whole offsets around a position. */
static offsets
offsets_around(pqti_half_pos at)
{
    const int64_t side = 2 * PQT_SUBPIXELS;
    const int64_t x = pqti_floor_divide(at.x, side), y = pqti_floor_divide(at.y, side);
    return (offsets){x, y, x * side != at.x ? 2 : 1, y * side != at.y ? 2 : 1};
}

/* Advances to the next line: of x, of y or, at a corner, of both. Sets the whole offsets around the
 * crossing, and returns its time. */
static inline int64_t
cross_next_line(exit_walk *walk, offsets *around)
{
    walk_axis *x = &walk->x, *y = &walk->y;
    const int64_t time = x->next < y->next ? x->next : y->next;
    const bool crosses_x = x->next == time, crosses_y = y->next == time;
    *around = (offsets){crosses_x ? x->line : x->low, crosses_y ? y->line : y->low,
                        !crosses_x && x->is_between ? 2 : 1, !crosses_y && y->is_between ? 2 : 1};
    if (crosses_x)
        cross_line(x);
    if (crosses_y)
        cross_line(y);
    return time;
}

bool
pqti_exit_walk(const pqti_region_motion *motion, const pqti_small_region *small, pqti_half_pos at,
               int lines, int64_t *time)
{
    exit_walk walk = {.x = start_walk_axis(motion->from.x, motion->motion.x, motion->unit_x, at.x),
                      .y = start_walk_axis(motion->from.y, motion->motion.y, motion->unit_y, at.y),
                      .small = small,
                      .tiles = {.region = motion->other->region, .x = NO_TILE}};
    offsets around = offsets_around(at);
    for (; overlap_around(&walk, &around); lines--) {
        if (lines == 0)
            return false;
        *time = cross_next_line(&walk, &around);
    }
    return true;
}
