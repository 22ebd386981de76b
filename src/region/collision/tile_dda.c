/* SPDX-License-Identifier: MIT */
/*
 * tile_dda.c - when a tile on its way first comes into another tile.
 *
 * Both tiles are 8 x 8 bricks of 8 x 8 pixels, and either is a word of 64 bits. Shifted against
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
 * First the bricks are walked over; for each shift at which some of them overlap, those pairs of
 * bricks are, pixel by pixel. What is found first comes first in the walk, so it ends there.
 *
 * Source: the walk over a grid is that of J. Amanatides, A. Woo, A Fast Voxel Traversal Algorithm
 * for Ray Tracing, 1987.
 */
#include "config.h"

#include "region/collision/tile_dda.h"

#include "region/bits.h"
#include "region/tile.h"

enum { BRICK_SIDE = 8, PIXEL_STEPS = PQT_PIXEL_STEPS, BRICK_STEPS = BRICK_SIDE * PIXEL_STEPS };

/* ---- words of 8 x 8 cells ---- */

/* Moved by less than 8 to the right and down; what leaves is lost. */
static uint64_t
shifted(uint64_t cells, int dx, int dy)
{
    const uint64_t column = UINT64_C(0x0101010101010101);
    if (dx >= 0)
        cells = (cells << dx) & (column * (UINT64_C(0xff) << dx & 0xff));
    else
        cells = (cells >> -dx) & (column * (UINT64_C(0xff) >> -dx));
    return dy >= 0 ? cells << BRICK_SIDE * dy : cells >> -BRICK_SIDE * dy;
}

/* Eight bytes of eight rows. */
static uint64_t
brick_of(const pqti_tile *tile, int brick)
{
    const uint64_t *rows = tile->rows + (brick & ~7);
    const int x = (brick & 7) * BRICK_SIDE;
    uint64_t pixels = 0;
    for (int y = 0; y < BRICK_SIDE; y++)
        pixels |= (rows[y] >> x & 0xff) << BRICK_SIDE * y;
    return pixels;
}

/* ---- the walk ---- */

/* One axis: which shifts are at hand, from `low` on, and when the next one is. */
typedef struct track {
    int64_t place; /* of the offset at time 0, steps */
    int64_t unit;  /* time of a step */
    int64_t side;  /* of a cell, steps */
    int64_t next;
    int64_t low;
    int sign, count;
} track;

typedef struct walk {
    track x, y;
    int64_t time;
    bool new_x, new_y; /* what came to hand last */
} walk;

/* What is at hand right after a time. */
static void
track_start(track *k, int64_t time)
{
    k->count = 2;
    k->next = PQTI_NO_TIME;
    if (k->sign == 0) {
        k->low = pqti_floor_divide(k->place, k->side);
        k->count = k->low * k->side == k->place ? 1 : 2;
    } else if (k->sign > 0) {
        k->low = pqti_floor_divide(k->place * k->unit + time, k->side * k->unit);
        k->next = ((k->low + 1) * k->side - k->place) * k->unit;
    } else {
        k->low = pqti_ceil_divide(k->place * k->unit - time, k->side * k->unit) - 1;
        k->next = (k->place - k->low * k->side) * k->unit;
    }
}

static track
track_of(int64_t from, int64_t along, int64_t unit, int64_t origin, int64_t side)
{
    return (track){
        .place = from - origin, .unit = unit, .side = side, .sign = (along > 0) - (along < 0)};
}

/* The way as seen from a shift of 0, at `origin`. */
static walk
walk_from(const pqti_way *way, pqti_fixpos origin, int64_t side, int64_t time)
{
    walk w = {.x = track_of(way->from.x, way->along.x, way->unit_x, origin.x, side),
              .y = track_of(way->from.y, way->along.y, way->unit_y, origin.y, side),
              .time = time,
              .new_x = true,
              .new_y = true};
    track_start(&w.x, time);
    track_start(&w.y, time);
    return w;
}

static bool
track_goes_on(track *k, int64_t time)
{
    if (k->next != time)
        return false;
    k->low += k->sign;
    k->next += k->side * k->unit;
    return true;
}

/* No shift of less than 8 will come any more. */
static bool
is_past(const track *k)
{
    return k->sign > 0 ? k->low >= BRICK_SIDE : k->low < -BRICK_SIDE;
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
is_newest(const track *k, bool came, int i)
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
    return shift > -BRICK_SIDE && shift < BRICK_SIDE;
}

/* When a shift comes to hand: exactly, also of those that are at hand at the start. */
static int64_t
time_on_axis(const track *k, int64_t shift)
{
    if (k->sign == 0)
        return INT64_MIN;
    return k->sign > 0 ? ((shift - 1) * k->side - k->place) * k->unit
                       : (k->place - (shift + 1) * k->side) * k->unit;
}

static int64_t
time_of_shift(const walk *w, int64_t dx, int64_t dy)
{
    const int64_t x = time_on_axis(&w->x, dx), y = time_on_axis(&w->y, dy);
    return x > y ? x : y;
}

/* ---- both walks ---- */

typedef struct search {
    const pqti_way *way;
    const pqti_tile *other, *mover;
    pqti_fixpos origin; /* the offset at which both tiles lie on each other */
    int64_t since, best;
} search;

/* Bricks of both that lie on each other at a shift. */
typedef struct pile {
    uint64_t others[64], movers[64];
    int count;
} pile;

static void
pile_up(pile *p, const search *s, uint64_t bricks, int dx, int dy)
{
    p->count = 0;
    for (; bricks != 0; bricks &= bricks - 1) {
        const int brick = pqti_lowest_bit(bricks);
        p->others[p->count] = brick_of(s->other, brick);
        p->movers[p->count++] = brick_of(s->mover, brick - BRICK_SIDE * dy - dx);
    }
}

static bool
pile_overlaps(const pile *p, int dx, int dy)
{
    for (int i = 0; i < p->count; i++)
        if ((p->others[i] & shifted(p->movers[i], dx, dy)) != 0)
            return true;
    return false;
}

/* Of those shifts of pixels that just came to hand. */
static void
look_at_pixels(search *s, const pile *p, const walk *w, bool at_start)
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
walk_over_pixels(search *s, const pile *p, pqti_fixpos origin, int64_t time)
{
    walk w = walk_from(s->way, origin, PIXEL_STEPS, time);
    look_at_pixels(s, p, &w, true);
    while (walk_on(&w, s->best))
        look_at_pixels(s, p, &w, false);
}

/* A shift of bricks that just came to hand. */
static void
look_at_bricks(search *s, const walk *w, int dx, int dy)
{
    const uint64_t bricks = s->other->occupied & shifted(s->mover->occupied, dx, dy);
    const int64_t time = time_of_shift(w, dx, dy);
    if (bricks == 0 || time >= s->best)
        return;
    if ((s->other->full & shifted(s->mover->full, dx, dy)) != 0) {
        s->best = time;
        return;
    }
    pile p;
    pile_up(&p, s, bricks, dx, dy);
    if (s->way->tally != NULL) {
        s->way->tally->nodes += (uint64_t)p.count;
        s->way->tally->leaves += (uint64_t)p.count;
    }
    const pqti_fixpos origin = {s->origin.x + dx * BRICK_STEPS, s->origin.y + dy * BRICK_STEPS};
    walk_over_pixels(s, &p, origin, time > s->since ? time : s->since);
}

static void
look_at_all_bricks(search *s, const walk *w, bool at_start)
{
    for (int i = 0; i < w->x.count; i++)
        for (int k = 0; k < w->y.count; k++) {
            const int64_t dx = w->x.low + i, dy = w->y.low + k;
            if (is_new(w, at_start, i, k) && is_in_range(dx) && is_in_range(dy))
                look_at_bricks(s, w, (int)dx, (int)dy);
        }
}

int64_t
pqti_tiles_first(const pqti_way *way, const pqti_shape_cell *other, const pqti_shape_cell *mover,
                 int64_t in, int64_t since, int64_t best)
{
    search s = {.way = way,
                .other = (const pqti_tile *)other->square,
                .mover = (const pqti_tile *)mover->square,
                .origin = {other->min.x - mover->min.x, other->min.y - mover->min.y},
                .since = since,
                .best = best};
    walk w = walk_from(way, s.origin, BRICK_STEPS, in > since ? in : since);
    look_at_all_bricks(&s, &w, true);
    while (walk_on(&w, s.best))
        look_at_all_bricks(&s, &w, false);
    return s.best;
}
