/* SPDX-License-Identifier: MIT */
/*
 * tile_dda.c: computes the time at which a moving tile first overlaps another tile.
 *
 * A tile consists of 8 x 8 blocks of 8 x 8 pixels, and the cells (blocks or pixels) of both levels
 * are bits of 64-bit words. Two such words, shifted against each other by whole cells, overlap if
 * their AND is not 0. So one instruction tests all pairs of cells at that shift. A shift is
 * *active* while the offset differs from it by less than a cell on both axes. The motion traverses
 * the lattice of shifts. At most four shifts are active at a time, and at each line of the lattice
 * that the motion crosses, others become active:
 *
 *     . . . . .       the offset crosses the line: the two shifts N
 *     . o N . .       become active, and two of the others no longer are
 *     . o-N-> .
 *     . . . . .
 *
 * The algorithm traverses the blocks first. For each shift at which some blocks overlap, it
 * traverses the pixels of these pairs of blocks. The first overlap that a traversal finds is the
 * first in time, so the traversal ends there.
 *
 * Source: J. Amanatides, A. Woo, "A Fast Voxel Traversal Algorithm for Ray Tracing", 1987.
 */
#include "config.h"

#include "region/collision/tile_dda.h"

#include "base/error_internal.h"
#include "region/bits.h"
#include "region/tile.h"

enum {
    BLOCK_SIDE = 8,
    PIXEL_SUBPIXELS = PQT_SUBPIXELS,
    BLOCK_SUBPIXELS = BLOCK_SIDE * PIXEL_SUBPIXELS
};

/* ---- Words of 8 x 8 cells ---- */

/* Shifts the cells of a word by less than 8 to the right and down. Cells that leave the word are
 * lost. */
static uint64_t
shift_block(uint64_t cells, int dx, int dy)
{
    const uint64_t column = UINT64_C(0x0101010101010101);
    if (dx >= 0)
        cells = (cells << dx) & (column * (UINT64_C(0xff) << dx & 0xff));
    else
        cells = (cells >> -dx) & (column * (UINT64_C(0xff) >> -dx));
    return dy >= 0 ? cells << BLOCK_SIDE * dy : cells >> -BLOCK_SIDE * dy;
}

/* Reads 8 x 8 pixels of a tile as one word. */
static uint64_t
block_of(const pqti_tile *tile, int block)
{
    const uint64_t *rows = tile->rows + (block & ~7);
    const int x = (block & 7) * BLOCK_SIDE;
    uint64_t pixels = 0;
    for (int y = 0; y < BLOCK_SIDE; y++)
        pixels |= (rows[y] >> x & 0xff) << BLOCK_SIDE * y;
    return pixels;
}

/* ---- Traversal ---- */

/* The state on one axis: the active shifts, the first of which is `low`, and the time at which the
 * next one becomes active. */
typedef struct axis_steps {
    int64_t position; /* the offset at time 0, in subpixels */
    int64_t unit;     /* time per subpixel */
    int64_t side;     /* the side of a cell, in subpixels */
    int64_t next;
    int64_t low;
    int sign, count;
} axis_steps;

typedef struct tile_traversal {
    axis_steps x, y;
    int64_t time;
    bool new_x, new_y; /* the axes on which the last advance made a shift active */
} tile_traversal;

/* Computes the active shifts just after a time. */
static void
start_axis(axis_steps *steps, int64_t time)
{
    steps->count = 2;
    steps->next = PQTI_TIME_NEVER;
    if (steps->sign == 0) {
        steps->low = pqti_floor_divide(steps->position, steps->side);
        steps->count = steps->low * steps->side == steps->position ? 1 : 2;
    } else if (steps->sign > 0) {
        steps->low =
            pqti_floor_divide(steps->position * steps->unit + time, steps->side * steps->unit);
        steps->next = ((steps->low + 1) * steps->side - steps->position) * steps->unit;
    } else {
        steps->low =
            pqti_ceil_divide(steps->position * steps->unit - time, steps->side * steps->unit) - 1;
        steps->next = (steps->position - steps->low * steps->side) * steps->unit;
    }
}

static axis_steps
axis_steps_of(int64_t from, int64_t along, int64_t unit, int64_t origin, int64_t side)
{
    return (axis_steps){
        .position = from - origin, .unit = unit, .side = side, .sign = (along > 0) - (along < 0)};
}

/* Begins a traversal. `origin` is the offset of shift 0. */
static tile_traversal
begin_traversal(const pqti_region_motion *motion, pqti_fixpos origin, int64_t side, int64_t time)
{
    tile_traversal traversal = {
        .x = axis_steps_of(motion->from.x, motion->motion.x, motion->unit_x, origin.x, side),
        .y = axis_steps_of(motion->from.y, motion->motion.y, motion->unit_y, origin.y, side),
        .time = time,
        .new_x = true,
        .new_y = true};
    start_axis(&traversal.x, time);
    start_axis(&traversal.y, time);
    return traversal;
}

static bool
advance_axis(axis_steps *steps, int64_t time)
{
    if (steps->next != time)
        return false;
    steps->low += steps->sign;
    steps->next += steps->side * steps->unit;
    return true;
}

/* Returns true if no other shift of less than 8 will become active. */
static bool
is_past(const axis_steps *steps)
{
    return steps->sign > 0 ? steps->low >= BLOCK_SIDE : steps->low < -BLOCK_SIDE;
}

/* Advances to the next line. At a corner of the lattice, advances on both axes at once, so that a
 * shift that is only touched does not become active. Returns false if there is no line before the
 * limit. */
static bool
advance_traversal(tile_traversal *traversal, int64_t limit)
{
    traversal->time = traversal->x.next < traversal->y.next ? traversal->x.next : traversal->y.next;
    if (traversal->time >= limit)
        return false;
    traversal->new_x = advance_axis(&traversal->x, traversal->time);
    traversal->new_y = advance_axis(&traversal->y, traversal->time);
    return !is_past(&traversal->x) && !is_past(&traversal->y);
}

static bool
is_newest(const axis_steps *steps, bool is_new_on_axis, int i)
{
    return is_new_on_axis && i == (steps->sign > 0 ? steps->count - 1 : 0);
}

/* Returns true if a shift became active in the last advance. At the start, all shifts count as
 * new. */
static bool
is_new(const tile_traversal *traversal, bool at_start, int i, int k)
{
    return at_start || is_newest(&traversal->x, traversal->new_x, i) ||
           is_newest(&traversal->y, traversal->new_y, k);
}

static bool
is_in_range(int64_t shift)
{
    return shift > -BLOCK_SIDE && shift < BLOCK_SIDE;
}

/* Returns the time at which a shift becomes active. It is exact even for shifts that are active at
 * the start. */
static int64_t
time_on_axis(const axis_steps *steps, int64_t shift)
{
    if (steps->sign == 0)
        return INT64_MIN;
    return steps->sign > 0 ? ((shift - 1) * steps->side - steps->position) * steps->unit
                           : (steps->position - (shift + 1) * steps->side) * steps->unit;
}

static int64_t
time_of_shift(const tile_traversal *traversal, int64_t dx, int64_t dy)
{
    const int64_t x = time_on_axis(&traversal->x, dx), y = time_on_axis(&traversal->y, dy);
    return x > y ? x : y;
}

/* ---- Search ---- */

typedef struct search {
    const pqti_region_motion *motion;
    const pqti_tile *other, *mover;
    pqti_fixpos origin; /* the offset at which the tiles coincide */
    int64_t since, best;
} search;

/* The pairs of blocks that overlap at a shift. */
typedef struct block_pairs {
    uint64_t others[64], movers[64];
    int count;
} block_pairs;

static void
collect_block_pairs(block_pairs *p, const search *s, uint64_t blocks, int dx, int dy)
{
    p->count = 0;
    for (; blocks != 0; blocks &= blocks - 1) {
        const int block = pqti_lowest_bit(blocks);
        PQT_INVARIANT(block >= BLOCK_SIDE * dy + dx && block - BLOCK_SIDE * dy - dx < 64,
                      "the mover has no block at this shift");
        p->others[p->count] = block_of(s->other, block);
        p->movers[p->count++] = block_of(s->mover, block - BLOCK_SIDE * dy - dx);
    }
}

static bool
block_pairs_overlap(const block_pairs *p, int dx, int dy)
{
    for (int i = 0; i < p->count; i++)
        if ((p->others[i] & shift_block(p->movers[i], dx, dy)) != 0)
            return true;
    return false;
}

/* Tests the shifts of pixels that have just become active. */
static void
test_shifted_pixels(search *s, const block_pairs *p, const tile_traversal *traversal, bool at_start)
{
    for (int i = 0; i < traversal->x.count; i++)
        for (int k = 0; k < traversal->y.count; k++) {
            const int64_t dx = traversal->x.low + i, dy = traversal->y.low + k;
            if (!is_new(traversal, at_start, i, k) || !is_in_range(dx) || !is_in_range(dy) ||
                !block_pairs_overlap(p, (int)dx, (int)dy))
                continue;
            const int64_t time = time_of_shift(traversal, dx, dy);
            s->best = time < s->best ? time : s->best;
        }
}

static void
traverse_pixels(search *s, const block_pairs *p, pqti_fixpos origin, int64_t time)
{
    tile_traversal traversal = begin_traversal(s->motion, origin, PIXEL_SUBPIXELS, time);
    test_shifted_pixels(s, p, &traversal, true);
    while (advance_traversal(&traversal, s->best))
        test_shifted_pixels(s, p, &traversal, false);
}

/* Tests a shift of blocks that has just become active. */
static void
test_blocks(search *s, const tile_traversal *traversal, int dx, int dy)
{
    const uint64_t blocks = s->other->occupied & shift_block(s->mover->occupied, dx, dy);
    const int64_t time = time_of_shift(traversal, dx, dy);
    if (blocks == 0 || time >= s->best)
        return;
    if ((s->other->full & shift_block(s->mover->full, dx, dy)) != 0) {
        s->best = time;
        return;
    }
    block_pairs p;
    collect_block_pairs(&p, s, blocks, dx, dy);
    if (s->motion->stats != NULL) {
        s->motion->stats->nodes += (uint64_t)p.count;
        s->motion->stats->leaves += (uint64_t)p.count;
    }
    const pqti_fixpos origin = {s->origin.x + dx * BLOCK_SUBPIXELS,
                                s->origin.y + dy * BLOCK_SUBPIXELS};
    traverse_pixels(s, &p, origin, time > s->since ? time : s->since);
}

static void
test_all_blocks(search *s, const tile_traversal *traversal, bool at_start)
{
    for (int i = 0; i < traversal->x.count; i++)
        for (int k = 0; k < traversal->y.count; k++) {
            const int64_t dx = traversal->x.low + i, dy = traversal->y.low + k;
            if (is_new(traversal, at_start, i, k) && is_in_range(dx) && is_in_range(dy))
                test_blocks(s, traversal, (int)dx, (int)dy);
        }
}

int64_t
pqti_tiles_first(const pqti_region_motion *motion, const pqti_region_cursor *other,
                 const pqti_region_cursor *mover, int64_t in, int64_t since, int64_t best)
{
    PQT_INVARIANT(other->coverage == PQTI_CURSOR_MIXED && other->level == PQTI_TILE_LEVEL &&
                      mover->coverage == PQTI_CURSOR_MIXED && mover->level == PQTI_TILE_LEVEL,
                  "a node is not a tile");
    search s = {.motion = motion,
                .other = (const pqti_tile *)other->node,
                .mover = (const pqti_tile *)mover->node,
                .origin = {other->min.x - mover->min.x, other->min.y - mover->min.y},
                .since = since,
                .best = best};
    tile_traversal traversal =
        begin_traversal(motion, s.origin, BLOCK_SUBPIXELS, in > since ? in : since);
    test_all_blocks(&s, &traversal, true);
    while (advance_traversal(&traversal, s.best))
        test_all_blocks(&s, &traversal, false);
    return s.best;
}
