/* SPDX-License-Identifier: MIT */
/* stats.h - the bytes that a version alone holds, among others. */
#ifndef PQTI_TREE_STATS_H
#define PQTI_TREE_STATS_H

#include <stdbool.h>
#include <stddef.h>

#include <pqt/tree.h>

/*
 * The bytes of those blocks of a version that none of `count` others holds at the same place. Parts
 * that another one shares are not entered. False: no scratch memory, which is asked for only if
 * there are several others.
 */
bool pqti_tree_bytes_beside(const pqt_tree *tree, const pqt_tree *const *others, size_t count,
                            size_t *bytes);

#endif
