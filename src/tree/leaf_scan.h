/* SPDX-License-Identifier: MIT */
/*
 * leaf_scan.h - which items of a leaf have their sides within bounds: a bit for each.
 *
 * Of the items of a leaf that is tested at all, many are hits, in no pattern: a branch on each
 * would cost more than all the comparisons. So two at a time leave a bit each, and only the bits
 * are branched on.
 */
#ifndef PQTI_LEAF_SCAN_H
#define PQTI_LEAF_SCAN_H

#include <stdint.h>

#include "base/simd.h"
#include "tree/node.h"

enum { PQTI_SIMD_BLOCK = 64 }; /* items that are tested at once */

/* The bits of as many items, none left out. */
static inline uint64_t
pqti_all_of_block(uint32_t from, uint32_t count)
{
    return count - from < PQTI_SIMD_BLOCK ? (UINT64_C(1) << (count - from)) - 1 : UINT64_MAX;
}

/* Which of two items have mins at most `most`, and maxs at least `least`: a bit for each. */
static inline unsigned
pqti_f64x2_within(pqti_leaf_view sides, pqt_vec most, pqt_vec least, uint32_t i)
{
    pqti_mask64x2 x = pqti_mask64x2_and(
        pqti_f64x2_le(pqti_f64x2_load(sides.min_x + i), pqti_f64x2_splat(most.x)),
        pqti_f64x2_ge(pqti_f64x2_load(sides.max_x + i), pqti_f64x2_splat(least.x)));
    pqti_mask64x2 y = pqti_mask64x2_and(
        pqti_f64x2_le(pqti_f64x2_load(sides.min_y + i), pqti_f64x2_splat(most.y)),
        pqti_f64x2_ge(pqti_f64x2_load(sides.max_y + i), pqti_f64x2_splat(least.y)));
    return pqti_mask64x2_bits(pqti_mask64x2_and(x, y));
}

/*
 * Which of the items `from` to `from` + 63 of a leaf of `count` have mins at most `most`, and maxs
 * at least `least`; the lowest bit is for `from`, which is below `count`. If an odd number is
 * tested, the last has the first of the next array at its side, or the first id: it is there, and
 * its bit is dropped.
 */
static inline uint64_t
pqti_sides_within(pqti_leaf_view sides, pqt_vec most, pqt_vec least, uint32_t from, uint32_t count)
{
    uint32_t end = count - from < PQTI_SIMD_BLOCK ? count : from + PQTI_SIMD_BLOCK;
    uint64_t hits = 0;
    for (uint32_t i = from; i < end; i += 2)
        hits |= (uint64_t)pqti_f64x2_within(sides, most, least, i) << (i - from);
    return hits & pqti_all_of_block(from, count);
}

#endif
