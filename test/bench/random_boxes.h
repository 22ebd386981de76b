/* SPDX-License-Identifier: MIT */
/*
 * random_boxes.h: the data of the benchmark: boxes, moves and windows that are the same on every
 * machine.
 *
 * All numbers come from splitmix64 (random.h) with fixed seeds, in a fixed order. So figures from
 * different machines can be compared. The number of touching pairs among 100,000 items is known,
 * and the benchmark checks it.
 */
#ifndef BENCH_RANDOM_BOXES_H
#define BENCH_RANDOM_BOXES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt/segment.h>

#include "distributions.h"

/* Draws boxes that are clipped at the edges of the world, with ids 0 .. count - 1. */
void draw_items(distribution shape, pqt_item *items, size_t count);

/* Returns the number of touching pairs among `count` drawn items if it is known, otherwise 0. */
uint64_t known_pairs(distribution shape, size_t count);

/* A move of an item by up to 10 units of WORLD_SIDE (distributions.h) on each axis. The item stays
   within the world. */
typedef struct drawn_move {
    pqt_item from;
    pqt_box to;
} drawn_move;

/* Draws moves of single items, one after another. Afterwards `items` contains the moved items. */
void draw_moves(distribution shape, pqt_item *items, size_t count, drawn_move *moves,
                size_t move_count);

/*
 * Draws one frame: each item, or one item in every hundred, moves by up to 5 units of WORLD_SIDE on
 * each axis and stays within the world. `moves` has a capacity of `count`. Returns the number of
 * moves, each of a different item.
 */
size_t draw_frame(distribution shape, uint64_t frame, bool all, pqt_item *items, size_t count,
                  drawn_move *moves);

/*
 * Draws square windows that touch about `hits` of `count` drawn items on average, anywhere in the
 * world or in the clumps of items. They touch more if some items are large, or if even a point
 * touches more. In a pile each window touches all items.
 */
void draw_windows(distribution shape, size_t count, unsigned hits, pqt_box *windows,
                  size_t window_count);

/*
 * Draws segments of length 1000 in any direction. They begin anywhere, or near the boxes if the
 * boxes are clumped or piled.
 */
void draw_segments(distribution shape, pqt_segment *segments, size_t count);

#endif
