/* SPDX-License-Identifier: MIT */
/* advice.h: measures by how much the bounds of a tree slow down its searches, and recommends better
   bounds. */
#ifndef ADVICE_H
#define ADVICE_H

#include <pqt.h>

#include "tool/csv_table.h"

/* Some of the items of a table, around which searches are measured. */
enum { ADVICE_SAMPLES = 64 };
typedef struct advice_items {
    pqt_item items[ADVICE_SAMPLES]; /* at regular intervals in the rows */
    size_t count;
} advice_items;

advice_items advice_sample(const table *rows);

/*
 * Prints the number of boxes that a search tests in a tree built from the rows. If the user
 * specified its bounds, also measures a tree with the smallest bounds, and prints advice if
 * searches in that tree test less than half as many boxes or if items are outside the bounds.
 * `outside` is the number of items outside.
 */
void print_bounds_advice(const pqt_tree *tree, const advice_items *sample,
                         const pqt_tree_options *options, bool bounds_are_given, size_t outside);

#endif
