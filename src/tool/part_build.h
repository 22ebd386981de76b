/* SPDX-License-Identifier: MIT */
/* part_build.h: builds a tree from an array of items that is freed part by part. */
#ifndef PART_BUILD_H
#define PART_BUILD_H

#include <stddef.h>

#include <pqt.h>

/*
 * Inserts items in an empty tree, and frees their array, which must come from xgrow. `file` is the
 * name in the message if that fails.
 *
 * The result equals that of pqt_tree_insert_all, but the array and the tree are never whole at the
 * same time: the items are divided by place, and inserted in parts, from the end of the array to
 * its beginning. Each part is inserted in its own subtrees, so few nodes are made twice.
 */
const pqt_tree *build_in_parts(const pqt_tree *empty, pqt_item *items, size_t count,
                               const char *file);

#endif
