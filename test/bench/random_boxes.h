/* SPDX-License-Identifier: MIT */
/*
 * random_boxes.h: what the benchmark measures with: boxes, moves and windows, the same on every
 * machine.
 *
 * All numbers come from splitmix64 (random.h) with fixed seeds, in a fixed order, so that a figure
 * can be compared with one taken elsewhere. At 100,000 items the boxes are known to make a certain
 * number of touching pairs; the benchmark checks that they do.
 */
#ifndef BENCH_RANDOM_BOXES_H
#define BENCH_RANDOM_BOXES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt/segment.h>

#include "distributions.h"

/* Boxes cut at the world's edge, with ids 0 .. count - 1. */
void draw_items(distribution shape, pqt_item *items, size_t count);

/* Touching pairs among `count` drawn items, where that is known; else 0. */
uint64_t known_pairs(distribution shape, size_t count);

/* An item that is moved by up to 10 drawn units on each axis, and stays within the drawn world. */
typedef struct drawn_move {
    pqt_item from;
    pqt_box to;
} drawn_move;

/* Moves of single items, one after another; `items` end as the moves leave them. */
void draw_moves(distribution shape, pqt_item *items, size_t count, drawn_move *moves,
                size_t move_count);

/*
 * One frame: each item, or one of each hundred, moves by up to 5 drawn units on each axis and stays
 * within the drawn world. `moves` has room for as many as there are items; returns how many move,
 * no item twice.
 */
size_t draw_frame(distribution shape, uint64_t frame, bool all, pqt_item *items, size_t count,
                  drawn_move *moves);

/*
 * Square windows that on average touch about `hits` of `count` drawn items: anywhere in the world,
 * or in the clumps where the items are. Large items come on top; so do neighbours where even a
 * point touches more. In a pile each touches all.
 */
void draw_windows(distribution shape, size_t count, unsigned hits, pqt_box *windows,
                  size_t window_count);

/*
 * Segments of length 1000 in any direction, which begin anywhere or, where boxes are clumped or
 * piled, there.
 */
void draw_segments(distribution shape, pqt_segment *segments, size_t count);

#endif
