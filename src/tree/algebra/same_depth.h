/* SPDX-License-Identifier: MIT */
/*
 * same_depth.h: pairs of versions that may differ in max_depth.
 *
 * Algorithms that traverse two versions together need trees of the same shape. If the versions
 * differ in max_depth, the second one is built again with the depth of the first. This takes
 * O(n log n) time, and memory for n items in the memory of the first version.
 */
#ifndef PQTI_SAME_DEPTH_H
#define PQTI_SAME_DEPTH_H

#include "tree/node.h"

typedef struct pqti_same_depth {
    const pqt_tree *tree; /* the second version, with the max_depth of the first */
    pqt_memory *memory;   /* the memory whose scope is open; NULL if nothing was built */
} pqti_same_depth;

/* Returns true if two versions differ in nothing but their items and max_depth. Otherwise sets
   PQT_ERROR_MISMATCH with a message that names the field in which they differ. */
bool pqti_check_comparable(const pqt_tree *a, const pqt_tree *b, pqt_error *error);

/* Returns true if two versions have the same max_depth as well, and are comparable. */
bool pqti_are_of_one_shape(const pqt_tree *a, const pqt_tree *b);

/*
 * Checks that two versions are comparable, and gives `b` the max_depth of `a`. A version that is
 * built lives in a scope, because callbacks of the caller may reclaim versions. Returns false and
 * sets the error on failure; then no scope is open.
 */
bool pqti_same_depth_begin(pqti_same_depth *same, const pqt_tree *a, const pqt_tree *b,
                           pqt_error *error);
void pqti_same_depth_end(const pqti_same_depth *same);

#endif
