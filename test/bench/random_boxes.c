/* SPDX-License-Identifier: MIT */
/*
 * random_boxes.c: the data of the benchmark: boxes, moves and windows that are the same on every
 * machine.
 *
 * The numbers of a box are drawn in the order x, y, w, h; before w, MIXED draws whether the box is
 * large. CLUMPED first draws its centres. For each box it then draws a centre and two numbers,
 * which are made Gaussian by the transform of Box and Muller (1958, "A note on the generation of
 * random normal deviates").
 */
#include "random_boxes.h"

#include <math.h>
#include <stdlib.h>

#include <pqt/segment.h>

#include "random.h"

enum { ITEM_SEED = 42, MOVE_SEED = 43, WINDOW_SEED = 44, FRAME_SEED = 45, SEGMENT_SEED = 46 };

enum { CENTRES = 100 };
static const double SIGMA = 50; /* in world units */
static const double LARGE_SHARE = 0.01;
static const double LARGE_SIDE = 1000; /* in world units */
static const double MOST_MOVED = 10;   /* in world units, on each axis */
static const double MOST_MOVED_IN_A_FRAME = 5;
static const double SEGMENT_LENGTH = 1000; /* in world units */
static const double TWO_PI = 6.283185307179586;

/* The box of a pile. No line that divides the tree crosses it. */
static const pqt_box PILE = {{3333, 4444}, {3343, 4454}};
static const double THIN_LENGTH = 1000; /* the maximum length, in world units */
static const double THINNESS = 0.01;    /* the width of a thin box as a fraction of a usual width */

static double
within(double low, double value, double high)
{
    return value < low ? low : value > high ? high : value;
}

static double
cut(double value)
{
    return within(0, value, WORLD_SIDE);
}

static pqt_item
item_at(pqt_vec corner, pqt_vec size, size_t id)
{
    pqt_vec opposite = {cut(corner.x + size.x), cut(corner.y + size.y)};
    return (pqt_item){{corner, opposite}, id};
}

/* Draws a point. The two statements fix the order, because C does not specify which of two
 * arguments is evaluated first. */
static pqt_vec
draw_within(dice *d, double side)
{
    double x = dice_real(d) * side;
    double y = dice_real(d) * side;
    return (pqt_vec){x, y};
}

static double
largest_side(size_t count)
{
    return WORLD_SIDE / sqrt((double)count);
}

static pqt_item
draw_spread(dice *d, distribution shape, size_t count, size_t id)
{
    pqt_vec corner = draw_within(d, WORLD_SIDE);
    bool large = shape == MIXED && dice_real(d) < LARGE_SHARE;
    return item_at(corner, draw_within(d, large ? LARGE_SIDE : largest_side(count)), id);
}

/* Draws the centres first, from ITEM_SEED, so that they are the same for items and windows. */
static void
draw_centres(dice *d, pqt_vec centres[CENTRES])
{
    for (int i = 0; i < CENTRES; i++)
        centres[i] = draw_within(d, WORLD_SIDE);
}

static pqt_vec
draw_in_clump(dice *d, const pqt_vec centres[CENTRES])
{
    pqt_vec centre = centres[(size_t)(dice_real(d) * CENTRES)];
    double radius = SIGMA * sqrt(-2 * log(dice_real(d)));
    double angle = TWO_PI * dice_real(d);
    return (pqt_vec){cut(centre.x + radius * cos(angle)), cut(centre.y + radius * sin(angle))};
}

static pqt_item
draw_clumped(dice *d, const pqt_vec centres[CENTRES], size_t count, size_t id)
{
    pqt_vec corner = draw_in_clump(d, centres);
    return item_at(corner, draw_within(d, largest_side(count)), id);
}

static pqt_item
draw_thin(dice *d, size_t count, size_t id)
{
    pqt_vec corner = draw_within(d, WORLD_SIDE);
    double length = dice_real(d) * THIN_LENGTH;
    double width = dice_real(d) * THINNESS * largest_side(count);
    bool lies = dice_real(d) < 0.5;
    return item_at(corner, (pqt_vec){lies ? length : width, lies ? width : length}, id);
}

static pqt_item
draw_item(dice *d, distribution shape, const pqt_vec centres[CENTRES], size_t count, size_t id)
{
    switch (shape) {
    case CLUMPED:
        return draw_clumped(d, centres, count, id);
    case IDENTICAL:
        return (pqt_item){PILE, id};
    case THIN:
        return draw_thin(d, count, id);
    default:
        return draw_spread(d, shape, count, id);
    }
}

static int
compare_min_x(const void *a, const void *b)
{
    double x = ((const pqt_item *)a)->box.min.x, y = ((const pqt_item *)b)->box.min.x;
    return (x > y) - (x < y);
}

void
draw_items(distribution shape, pqt_item *items, size_t count)
{
    dice d = {ITEM_SEED};
    pqt_vec centres[CENTRES];
    if (shape == CLUMPED)
        draw_centres(&d, centres);
    for (size_t i = 0; i < count; i++)
        items[i] = draw_item(&d, shape, centres, count, i);
    if (shape == SORTED)
        qsort(items, count, sizeof *items, compare_min_x);
    for (size_t i = 0; i < count; i++)
        items[i] = (pqt_item){place_box(shape, items[i].box), i};
}

uint64_t
known_pairs(distribution shape, size_t count)
{
    static const uint64_t of_100000[DISTRIBUTIONS] = {
        [UNIFORM] = 50284, [CLUMPED] = 1623595, [MIXED] = 296093, [SORTED] = 50284};
    return count == 100000 ? of_100000[shape] : 0;
}

/* Draws the displacement of an interval: at most `most`, such that the interval remains within low
 * .. high. */
static double
draw_way(dice *d, double most, double min, double max, double low, double high)
{
    double motion = (2 * dice_real(d) - 1) * most;
    if (min + motion < low)
        return low - min;
    return max + motion > high ? high - max : motion;
}

static drawn_move
draw_move(dice *d, distribution shape, double most, pqt_item *item)
{
    pqt_item from = *item;
    pqt_box world = drawn_world(shape), box = item->box;
    most *= unit_of(shape);
    double x = draw_way(d, most, box.min.x, box.max.x, world.min.x, world.max.x);
    double y = draw_way(d, most, box.min.y, box.max.y, world.min.y, world.max.y);
    item->box = pqt_box_moved(box, (pqt_vec){x, y});
    return (drawn_move){from, item->box};
}

void
draw_moves(distribution shape, pqt_item *items, size_t count, drawn_move *moves, size_t move_count)
{
    dice d = {MOVE_SEED};
    for (size_t i = 0; i < move_count; i++) {
        pqt_item *item = &items[(size_t)(dice_real(&d) * (double)count)];
        moves[i] = draw_move(&d, shape, MOST_MOVED, item);
    }
}

size_t
draw_frame(distribution shape, uint64_t frame, bool all, pqt_item *items, size_t count,
           drawn_move *moves)
{
    dice d = {FRAME_SEED + (frame << 32)};
    size_t step = all ? 1 : 100, moved = 0;
    for (size_t first = 0; first < count; first += step) {
        size_t left = count - first;
        size_t chosen = (size_t)(dice_real(&d) * (double)(left < step ? left : step));
        moves[moved++] = draw_move(&d, shape, MOST_MOVED_IN_A_FRAME, &items[first + chosen]);
    }
    return moved;
}

/*
 * Returns the average number of boxes that a window touches. `reach` is the side of the window plus
 * the mean side of a box: the window touches the boxes that begin in a square of this side. In
 * clumps the windows are clumped too. There, the distance between two corners of one clump is
 * Gaussian with a sigma of sqrt(2) SIGMA on each axis.
 */
static double
expected_hits(distribution shape, size_t count, double reach)
{
    if (shape == THIN) {
        double side = reach - largest_side(count) / 2;
        return (double)count * (side + THIN_LENGTH / 2) * reach / (WORLD_SIDE * WORLD_SIDE);
    }
    double spread = (double)count * (reach / WORLD_SIDE) * (reach / WORLD_SIDE);
    double share = erf(reach / (4 * SIGMA));
    return shape == CLUMPED ? spread + (double)count / CENTRES * share * share : spread;
}

static double
side_of_windows(distribution shape, size_t count, unsigned hits)
{
    double low = 0, high = WORLD_SIDE;
    for (int i = 0; i < 60; i++) {
        double reach = (low + high) / 2;
        if (expected_hits(shape, count, reach) < hits)
            low = reach;
        else
            high = reach;
    }
    double side = low - largest_side(count) / 2;
    return side < 0 ? 0 : side;
}

/* Draws a window. Its centre is drawn like the corner of a box, and then moved away from the edges
 * of the world. */
static pqt_box
draw_window_in_clump(dice *d, const pqt_vec centres[CENTRES], double side)
{
    pqt_vec middle = draw_in_clump(d, centres);
    pqt_vec corner = {within(0, middle.x - side / 2, WORLD_SIDE - side),
                      within(0, middle.y - side / 2, WORLD_SIDE - side)};
    return pqt_box_from_size(corner, (pqt_vec){side, side});
}

static pqt_box
draw_window_anywhere(dice *d, double side)
{
    return pqt_box_from_size(draw_within(d, WORLD_SIDE - side), (pqt_vec){side, side});
}

/* Draws a window that touches the pile. */
static pqt_box
draw_window_at_pile(dice *d, double side)
{
    pqt_vec motion = draw_within(d, side + (PILE.max.x - PILE.min.x));
    pqt_vec corner = {PILE.max.x - motion.x, PILE.max.y - motion.y};
    return pqt_box_from_size(corner, (pqt_vec){side, side});
}

static pqt_box
draw_window(dice *d, distribution shape, const pqt_vec centres[CENTRES], double side)
{
    switch (shape) {
    case CLUMPED:
        return draw_window_in_clump(d, centres, side);
    case IDENTICAL:
        return draw_window_at_pile(d, side);
    default:
        return draw_window_anywhere(d, side);
    }
}

void
draw_windows(distribution shape, size_t count, unsigned hits, pqt_box *windows, size_t window_count)
{
    dice d = {WINDOW_SEED}, of_items = {ITEM_SEED};
    pqt_vec centres[CENTRES];
    double side = side_of_windows(shape, count, hits);
    draw_centres(&of_items, centres);
    for (size_t i = 0; i < window_count; i++)
        windows[i] = place_box(shape, draw_window(&d, shape, centres, side));
}

/* Draws the first point of a segment. For a pile, it is within half the length of a segment from
 * the pile on each axis. */
static pqt_vec
draw_begin(dice *d, distribution shape, const pqt_vec centres[CENTRES])
{
    if (shape == CLUMPED)
        return draw_in_clump(d, centres);
    if (shape != IDENTICAL)
        return draw_within(d, WORLD_SIDE);
    pqt_vec motion = draw_within(d, SEGMENT_LENGTH);
    return (pqt_vec){PILE.min.x - SEGMENT_LENGTH / 2 + motion.x,
                     PILE.min.y - SEGMENT_LENGTH / 2 + motion.y};
}

void
draw_segments(distribution shape, pqt_segment *segments, size_t count)
{
    dice d = {SEGMENT_SEED}, of_items = {ITEM_SEED};
    pqt_vec centres[CENTRES];
    draw_centres(&of_items, centres);
    for (size_t i = 0; i < count; i++) {
        pqt_vec from = draw_begin(&d, shape, centres);
        double angle = TWO_PI * dice_real(&d);
        pqt_vec to = {from.x + SEGMENT_LENGTH * cos(angle), from.y + SEGMENT_LENGTH * sin(angle)};
        segments[i] = (pqt_segment){place_point(shape, from), place_point(shape, to)};
    }
}
