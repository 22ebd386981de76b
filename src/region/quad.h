/* SPDX-License-Identifier: MIT */
/* inner node.h - inner nodes: the inner nodes of a region, and their children. */
#ifndef PQTI_QUAD_H
#define PQTI_QUAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt/region.h>

#include "base/hash.h"
#include "memory/memory_internal.h"
#include "region/region_node.h"

/* The four children of any square of a region that is above tile size. */
void pqti_rnode_children(const pqt_region *region, const pqti_rnode *node, int level,
                         const pqti_rnode *child[4]);

/* The square at column and row `x`, `y` of the lattice of squares of a level. */
const pqti_rnode *pqti_rnode_at(const pqt_region *region, int64_t x, int64_t y, int level);

/* Pixels that belong; not of an outer square. */
uint64_t pqti_rnode_count(const pqti_rnode *node, int level);

/*
 * The square of these four children, of level - 1: a mark, or a new inner node; none of them is
 * outer.
 *
 * `base`, if it is an inner node of that level, is where count and fingerprint are worked out from:
 * children that stay are not touched then. Else NULL. NULL: no memory.
 */
const pqti_rnode *pqti_rinner_make(pqt_memory *memory, const pqti_rnode *const child[4], int level,
                                   const pqti_rnode *base);

/* What an inner node's fingerprint is the sum of, over its children; and a region's `mixes`. */
uint64_t pqti_rnode_child_hash(uint64_t fingerprint, int child);

#endif
