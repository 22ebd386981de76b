/* SPDX-License-Identifier: MIT */
/*
 * history_pair.h: a history and its model, with random operations on both and comparisons.
 *
 * The caller chooses the source of random numbers: a seed, or the bytes of a fuzzer. Only the
 * history keeps versions alive.
 */
#ifndef TEST_HISTORY_PAIR_H
#define TEST_HISTORY_PAIR_H

#include <pqt/history_query.h>

#include "history_model.h"

typedef struct history_pair {
    history_model *m;
    pqt_history *history;
    pqt_memory *memory;
    /* The limits; 0 means none. Set a byte limit only with an arena, where the model may read old
       values. The model does not count the bytes of an index. */
    size_t max_entries, max_bytes;
    size_t named; /* the percentage of pushes that get a name */
    double clock;
    size_t (*draw)(void *luck, size_t bound); /* returns a number below the bound */
    void *luck;
} history_pair;

/** history_pair.c */

/* Starts both with an empty tree. Set `model`, `luck` and the limits first. */
void history_pair_begin(history_pair *p, pqt_memory *memory, bool unique, bool indexed);

/* Performs a random operation: a push, an undo, a group, a name, a drop, and so on. */
void history_pair_do_something(history_pair *p);

/* Returns the item with an id at a position. */
pqt_item history_pair_item(size_t id, int x, int y);

/* Sets the position of an id in a snapshot. Returns true if it changed. */
bool history_pair_set_position(snapshot *now, size_t id, int x, int y);

/** history_compare.c: each function ends the program if the history differs from the model */

void history_pair_expect_current(history_pair *p);
void history_pair_expect_all(history_pair *p);

/* Compares the path between two random entries. */
void history_pair_expect_path(history_pair *p);

/* Compare queries of the past of an entry: by time, by window, by item. */
void history_pair_expect_times(history_pair *p, uint64_t tip);
void history_pair_expect_window(history_pair *p, uint64_t tip);
void history_pair_expect_item(history_pair *p, uint64_t tip);

/* Returns the maximum number of steps of such a query for an entry with this many ancestors. */
uint64_t history_pair_most_steps(uint64_t entries);

#endif
