/* SPDX-License-Identifier: MIT */
/* advice.h: measures by how much the bounds of a tree slow down its searches, and recommends better
   bounds. */
#ifndef ADVICE_H
#define ADVICE_H

#include <pqt.h>

#include "tool/csv_table.h"

/*
 * Prints the number of boxes that a search tests in a tree built from the rows. If the user
 * specified its bounds, also measures a tree with the smallest bounds, and prints advice if
 * searches in that tree test less than half as many boxes or if items are outside the bounds.
 * `outside` is the number of items outside.
 */
void print_bounds_advice(const pqt_tree *tree, const table *rows, const pqt_tree_options *options,
                         bool bounds_are_given, size_t outside);

#endif
