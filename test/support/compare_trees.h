/* SPDX-License-Identifier: MIT */
/* compare_trees.h: compares a version, node for node, with the tree that the builder predicts. */
#ifndef TEST_COMPARE_TREES_H
#define TEST_COMPARE_TREES_H

#include <stdbool.h>

#include <pqt/tree.h>

#include "builder.h"

/* The first difference and its path, for the log of the test. */
typedef struct complaint {
    char text[512];
} complaint;

/* Writes a complaint and returns false, so that a check ends with `return complain(why, ...)`. */
__attribute__((format(printf, 2, 3))) bool complain(complaint *why, const char *format, ...);

/* Compares every node, leaf, bound and fingerprint, and the statistics of the version. */
bool compare_tree(const pqt_tree *tree, const built_tree *built, complaint *why);

/* Compares the cells that a visitor receives: their order, kinds, depths and counts. */
bool compare_cells(const pqt_tree *tree, const built_tree *built, complaint *why);

bool same_item(pqt_item a, pqt_item b);
bool same_fingerprint(pqt_fingerprint a, pqt_fingerprint b);

#endif
