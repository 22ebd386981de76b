/* SPDX-License-Identifier: MIT */
/* quad.h: inner nodes of a region, and access to the children of any node. */
#ifndef PQTI_QUAD_H
#define PQTI_QUAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt/region.h>

#include "base/hash.h"
#include "memory/memory_internal.h"
#include "region/region_node.h"

/* Sets the four children of any node above tile level, including sentinels and padding. */
void pqti_rnode_children(const pqt_region *region, const pqti_rnode *node, int level,
                         const pqti_rnode *child[4]);

/* Returns the node at column `x` and row `y` of the lattice of nodes of a level. */
const pqti_rnode *pqti_rnode_at(const pqt_region *region, int64_t x, int64_t y, int level);

/* Returns the number of pixels of a node. The node must not be padding. */
uint64_t pqti_rnode_count(const pqti_rnode *node, int level);

/*
 * Returns the node with these four children of `level` - 1: a sentinel if all are empty or all are
 * full, otherwise a new inner node. None of the children is padding. Returns NULL if there is no
 * memory.
 *
 * `base` is NULL or a node of `level`. If it is an inner node, the new count and fingerprint are
 * computed from those of `base` and from the children that differ. Equal children are not read.
 */
const pqti_rnode *pqti_rinner_make(pqt_memory *memory, const pqti_rnode *const child[4], int level,
                                   const pqti_rnode *base);

/* Returns the term for a child. The fingerprint of an inner node and the hash of a region are the
 * sums of these terms. */
uint64_t pqti_rnode_child_hash(uint64_t fingerprint, int child);

#endif
