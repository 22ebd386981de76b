/* SPDX-License-Identifier: MIT */
/* quad.h - quads: the inner nodes of a region, and their children. */
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
void pqti_children(const pqt_region *region, const pqti_square *square, int level,
                   const pqti_square *child[4]);

/* The square at column and row `x`, `y` of the lattice of squares of a level. */
const pqti_square *pqti_square_at(const pqt_region *region, int64_t x, int64_t y, int level);

/* Pixels that belong; not of an outer square. */
uint64_t pqti_square_count(const pqti_square *square, int level);

/*
 * The square of these four children, of level - 1: a mark, or a new quad; none of them is outer.
 *
 * `base`, if it is a quad of that level, is where count and fingerprint are worked out from:
 * children that stay are not touched then. Else NULL. NULL: no memory.
 */
const pqti_square *pqti_quad_make(pqt_memory *memory, const pqti_square *const child[4], int level,
                                  const pqti_square *base);

/* What a quad's fingerprint is the sum of, over its children; and a region's `mixes`. */
uint64_t pqti_child_mix(uint64_t fingerprint, int child);

#endif
