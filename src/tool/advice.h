/* SPDX-License-Identifier: MIT */
/* advice.h - what the bounds of a tree cost its searches, and which ones would serve better. */
#ifndef ADVICE_H
#define ADVICE_H

#include "tool/tool.h"

/*
 * Prints how many boxes a search in a tree of rows tests. If its bounds were given, also measures
 * the tree with the smallest bounds, and prints advice if searches test less than half there, or if
 * items lie out of bounds. `outside`: how many do.
 */
void advise(const pqt_tree *tree, const table *rows, const pqt_tree_options *options,
            bool bounds_are_given, size_t outside);

#endif
