/* SPDX-License-Identifier: MIT */
/*
 * leaf_scan.h: tests the sides of the items in a leaf against limits, and sets a bit for each hit.
 *
 * Many items of a tested leaf are hits, in no predictable pattern, so a branch for each item would
 * cost more than all the comparisons. The loop tests two items at a time without branches. Callers
 * then branch on the bits of a block of items.
 */
#ifndef PQTI_LEAF_SCAN_H
#define PQTI_LEAF_SCAN_H

#include <stdint.h>

#include "base/simd.h"
#include "tree/node.h"

enum { PQTI_SCAN_ITEMS = 64 }; /* the number of items that are tested together */

/* Returns the bits of all items in the block that begins at `from`. */
static inline uint64_t
pqti_all_of_scan(uint32_t from, uint32_t count)
{
    return count - from < PQTI_SCAN_ITEMS ? (UINT64_C(1) << (count - from)) - 1 : UINT64_MAX;
}

/* Returns two bits. Bit k is set if item i + k has a min of at most `most` and a max of at least
   `least` on both axes, for k = 0 and 1. */
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
 * Does the same for the items from `from` to `from` + 63 of a leaf with `count` items. The lowest
 * bit belongs to item `from`, which is less than `count`. If the number of items is odd, the last
 * load also reads the first element of the next array, and the bit of that element is cleared.
 * There is always a next array: the ids follow max_y.
 */
static inline uint64_t
pqti_sides_within(const pqti_leaf_view *sides, pqt_vec most, pqt_vec least, uint32_t from,
                  uint32_t count)
{
    uint32_t end = count - from < PQTI_SCAN_ITEMS ? count : from + PQTI_SCAN_ITEMS;
    uint64_t hits = 0;
    for (uint32_t i = from; i < end; i += 2)
        hits |= (uint64_t)pqti_f64x2_within(*sides, most, least, i) << (i - from);
    return hits & pqti_all_of_scan(from, count);
}

#endif
