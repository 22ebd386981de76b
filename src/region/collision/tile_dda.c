/* SPDX-License-Identifier: MIT */
/*
 * tile_dda.c - when a tile on its way first comes into another tile.
 *
 * Both tiles are 8 x 8 blocks of 8 x 8 pixels, and either is a word of 64 bits. Shifted against
 * each other by whole cells, two such words overlap if their AND is not 0: one instruction for all
 * pairs of cells at that shift. A shift d counts while the offset is less than a cell from it on
 * both axes: so the way is a walk over the lattice of shifts, where four at most are at hand, and
 * at each crossing of a line of the lattice some more come to hand.
 *
 *     . . . . .       the offset comes over the line: the two shifts N
 *     . o N . .       come to hand, two of the others are over
 *     . o-N-> .
 *     . . . . .
 *
 * First the blocks are walked over; for each shift at which some of them overlap, those pairs of
 * blocks are, pixel by pixel. What is found first comes first in the walk, so it ends there.
 *
 * Source: the walk over a grid is that of J. Amanatides, A. Woo, A Fast Voxel Traversal Algorithm
 * for Ray Tracing, 1987.
 */
#include "config.h"

#include "region/collision/tile_dda.h"

#include "region/bits.h"
#include "region/tile.h"

enum {
    BLOCK_SIDE = 8,
    PIXEL_SUBPIXELS = PQT_SUBPIXELS,
    BLOCK_SUBPIXELS = BLOCK_SIDE * PIXEL_SUBPIXELS
};

/* ---- words of 8 x 8 cells ---- */

/* Moved by less than 8 to the right and down; what leaves is lost. */
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

/* Eight bytes of eight rows. */
static uint64_t
block_of(const pqti_tile *tile, int brick)
{
    const uint64_t *rows = tile->rows + (brick & ~7);
    const int x = (brick & 7) * BLOCK_SIDE;
    uint64_t pixels = 0;
    for (int y = 0; y < BLOCK_SIDE; y++)
        pixels |= (rows[y] >> x & 0xff) << BLOCK_SIDE * y;
    return pixels;
}

/* ---- the walk ---- */

/* One axis: which shifts are at hand, from `low` on, and when the next one is. */
typedef struct axis_steps {
    int64_t position; /* of the offset at time 0, steps */
    int64_t unit;     /* time of a step */
    int64_t side;     /* of a cell, steps */
    int64_t next;
    int64_t low;
    int sign, count;
} axis_steps;

typedef struct walk {
    axis_steps x, y;
    int64_t time;
    bool new_x, new_y; /* what came to hand last */
} walk;

/* What is at hand right after a time. */
static void
track_start(axis_steps *k, int64_t time)
{
    k->count = 2;
    k->next = PQTI_TIME_NEVER;
    if (k->sign == 0) {
        k->low = pqti_floor_divide(k->position, k->side);
        k->count = k->low * k->side == k->position ? 1 : 2;
    } else if (k->sign > 0) {
        k->low = pqti_floor_divide(k->position * k->unit + time, k->side * k->unit);
        k->next = ((k->low + 1) * k->side - k->position) * k->unit;
    } else {
        k->low = pqti_ceil_divide(k->position * k->unit - time, k->side * k->unit) - 1;
        k->next = (k->position - k->low * k->side) * k->unit;
    }
}

static axis_steps
track_of(int64_t from, int64_t along, int64_t unit, int64_t origin, int64_t side)
{
    return (axis_steps){
        .position = from - origin, .unit = unit, .side = side, .sign = (along > 0) - (along < 0)};
}

/* The way as seen from a shift of 0, at `origin`. */
static walk
walk_from(const pqti_region_motion *motion, pqti_fixpos origin, int64_t side, int64_t time)
{
    walk w = {.x = track_of(motion->from.x, motion->motion.x, motion->unit_x, origin.x, side),
              .y = track_of(motion->from.y, motion->motion.y, motion->unit_y, origin.y, side),
              .time = time,
              .new_x = true,
              .new_y = true};
    track_start(&w.x, time);
    track_start(&w.y, time);
    return w;
}

static bool
track_goes_on(axis_steps *k, int64_t time)
{
    if (k->next != time)
        return false;
    k->low += k->sign;
    k->next += k->side * k->unit;
    return true;
}

/* No shift of less than 8 will come any more. */
static bool
is_past(const axis_steps *k)
{
    return k->sign > 0 ? k->low >= BLOCK_SIDE : k->low < -BLOCK_SIDE;
}

/* Both axes at once where the way goes through a corner, lest a shift come that is but grazed.
 * False if nothing comes before the limit. */
static bool
walk_on(walk *w, int64_t limit)
{
    w->time = w->x.next < w->y.next ? w->x.next : w->y.next;
    if (w->time >= limit)
        return false;
    w->new_x = track_goes_on(&w->x, w->time);
    w->new_y = track_goes_on(&w->y, w->time);
    return !is_past(&w->x) && !is_past(&w->y);
}

static bool
is_newest(const axis_steps *k, bool came, int i)
{
    return came && i == (k->sign > 0 ? k->count - 1 : 0);
}

/* Whether one of those at hand is there since the last step; or all are, at the start. */
static bool
is_new(const walk *w, bool at_start, int i, int k)
{
    return at_start || is_newest(&w->x, w->new_x, i) || is_newest(&w->y, w->new_y, k);
}

static bool
is_in_range(int64_t shift)
{
    return shift > -BLOCK_SIDE && shift < BLOCK_SIDE;
}

/* When a shift comes to hand: exactly, also of those that are at hand at the start. */
static int64_t
time_on_axis(const axis_steps *k, int64_t shift)
{
    if (k->sign == 0)
        return INT64_MIN;
    return k->sign > 0 ? ((shift - 1) * k->side - k->position) * k->unit
                       : (k->position - (shift + 1) * k->side) * k->unit;
}

static int64_t
time_of_shift(const walk *w, int64_t dx, int64_t dy)
{
    const int64_t x = time_on_axis(&w->x, dx), y = time_on_axis(&w->y, dy);
    return x > y ? x : y;
}

/* ---- both walks ---- */

typedef struct search {
    const pqti_region_motion *motion;
    const pqti_tile *other, *mover;
    pqti_fixpos origin; /* the offset at which both tiles lie on each other */
    int64_t since, best;
} search;

/* Bricks of both that lie on each other at a shift. */
typedef struct block_pairs {
    uint64_t others[64], movers[64];
    int count;
} block_pairs;

static void
pile_up(block_pairs *p, const search *s, uint64_t bricks, int dx, int dy)
{
    p->count = 0;
    for (; bricks != 0; bricks &= bricks - 1) {
        const int brick = pqti_lowest_bit(bricks);
        p->others[p->count] = block_of(s->other, brick);
        p->movers[p->count++] = block_of(s->mover, brick - BLOCK_SIDE * dy - dx);
    }
}

static bool
pile_overlaps(const block_pairs *p, int dx, int dy)
{
    for (int i = 0; i < p->count; i++)
        if ((p->others[i] & shift_block(p->movers[i], dx, dy)) != 0)
            return true;
    return false;
}

/* Of those shifts of pixels that just came to hand. */
static void
test_shifted_pixels(search *s, const block_pairs *p, const walk *w, bool at_start)
{
    for (int i = 0; i < w->x.count; i++)
        for (int k = 0; k < w->y.count; k++) {
            const int64_t dx = w->x.low + i, dy = w->y.low + k;
            if (!is_new(w, at_start, i, k) || !is_in_range(dx) || !is_in_range(dy) ||
                !pile_overlaps(p, (int)dx, (int)dy))
                continue;
            const int64_t time = time_of_shift(w, dx, dy);
            s->best = time < s->best ? time : s->best;
        }
}

static void
walk_over_pixels(search *s, const block_pairs *p, pqti_fixpos origin, int64_t time)
{
    walk w = walk_from(s->motion, origin, PIXEL_SUBPIXELS, time);
    test_shifted_pixels(s, p, &w, true);
    while (walk_on(&w, s->best))
        test_shifted_pixels(s, p, &w, false);
}

/* A shift of blocks that just came to hand. */
static void
test_blocks(search *s, const walk *w, int dx, int dy)
{
    const uint64_t bricks = s->other->occupied & shift_block(s->mover->occupied, dx, dy);
    const int64_t time = time_of_shift(w, dx, dy);
    if (bricks == 0 || time >= s->best)
        return;
    if ((s->other->full & shift_block(s->mover->full, dx, dy)) != 0) {
        s->best = time;
        return;
    }
    block_pairs p;
    pile_up(&p, s, bricks, dx, dy);
    if (s->motion->stats != NULL) {
        s->motion->stats->nodes += (uint64_t)p.count;
        s->motion->stats->leaves += (uint64_t)p.count;
    }
    const pqti_fixpos origin = {s->origin.x + dx * BLOCK_SUBPIXELS,
                                s->origin.y + dy * BLOCK_SUBPIXELS};
    walk_over_pixels(s, &p, origin, time > s->since ? time : s->since);
}

static void
test_all_blocks(search *s, const walk *w, bool at_start)
{
    for (int i = 0; i < w->x.count; i++)
        for (int k = 0; k < w->y.count; k++) {
            const int64_t dx = w->x.low + i, dy = w->y.low + k;
            if (is_new(w, at_start, i, k) && is_in_range(dx) && is_in_range(dy))
                test_blocks(s, w, (int)dx, (int)dy);
        }
}

int64_t
pqti_tiles_first(const pqti_region_motion *motion, const pqti_region_cursor *other,
                 const pqti_region_cursor *mover, int64_t in, int64_t since, int64_t best)
{
    search s = {.motion = motion,
                .other = (const pqti_tile *)other->node,
                .mover = (const pqti_tile *)mover->node,
                .origin = {other->min.x - mover->min.x, other->min.y - mover->min.y},
                .since = since,
                .best = best};
    walk w = walk_from(motion, s.origin, BLOCK_SUBPIXELS, in > since ? in : since);
    test_all_blocks(&s, &w, true);
    while (walk_on(&w, s.best))
        test_all_blocks(&s, &w, false);
    return s.best;
}
