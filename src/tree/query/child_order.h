/* SPDX-License-Identifier: MIT */
/*
 * child_order.h: the ranks of a node's quadrants and the order in which a search enters them.
 *
 * Quadrants are entered in the order of their bounds. Bounds are doubles >= 0, so their bit
 * patterns have the same order. The two lowest bits are replaced by the number of the quadrant.
 */
#ifndef PQTI_CHILD_ORDER_H
#define PQTI_CHILD_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include <pqt/query.h>

#include "base/simd.h"
#include "tree/node.h"

static inline uint32_t
pqti_items_in(uint32_t count)
{
    return count & PQTI_COUNT_MASK;
}

/* Computes the rank of each quadrant's first item. `rank` is the rank of the node's first item. */
static inline void
pqti_find_ranks(const pqti_inner *node, uint32_t rank, uint32_t ranks[PQTI_QUADRANTS])
{
    for (int i = 0; i < PQTI_QUADRANTS; i++) {
        ranks[i] = rank;
        rank += pqti_items_in(node->count[i]);
    }
}

/* Returns a mask of the quadrants whose bounds do not exceed `worst`. */
static inline unsigned
pqti_near_quadrants(double worst, const double bounds[PQTI_QUADRANTS])
{
    const pqti_f64x2 both = pqti_f64x2_splat(worst);
    return pqti_mask64x2_bits(pqti_f64x2_le(pqti_f64x2_load(bounds), both)) |
           pqti_mask64x2_bits(pqti_f64x2_le(pqti_f64x2_load(bounds + 2), both)) << 2;
}

static inline uint64_t
pqti_bound_and_quadrant(double bound, unsigned quadrant)
{
    return (pqti_bits_of(bound) & ~UINT64_C(3)) | quadrant;
}

static inline void
pqti_order_two(uint64_t *a, uint64_t *b)
{
    uint64_t less = *a < *b ? *a : *b, more = *a < *b ? *b : *a;
    *a = less;
    *b = more;
}

/* Sorts the quadrants by their bounds, and by their numbers where the bounds are nearly equal.
   The number of a quadrant is its entry modulo PQTI_QUADRANTS. */
static inline void
pqti_order_quadrants(const double bounds[PQTI_QUADRANTS], uint64_t order[PQTI_QUADRANTS])
{
    for (unsigned i = 0; i < PQTI_QUADRANTS; i++)
        order[i] = pqti_bound_and_quadrant(bounds[i], i);
    pqti_order_two(&order[0], &order[1]);
    pqti_order_two(&order[2], &order[3]);
    pqti_order_two(&order[0], &order[2]);
    pqti_order_two(&order[1], &order[3]);
    pqti_order_two(&order[1], &order[2]);
}

/* Prefetches a quadrant that the search enters soon. In a leaf, prefetches the beginnings of the
   four arrays of sides. */
static inline void
pqti_prefetch_quadrant(const pqti_inner *node, unsigned quadrant)
{
    const double *at = node->child[quadrant];
    uint32_t count = pqti_items_in(node->count[quadrant]);
    if (count == 0)
        return;
    if ((node->count[quadrant] & PQTI_LEAF_BIT) == 0) {
        pqti_prefetch_bytes(at, 0, sizeof(pqti_inner));
        return;
    }
    for (uint32_t side = 0; side < 4; side++)
        pqti_prefetch(at + side * count);
}

/* Prefetches the quadrants whose bits are set. */
static inline void
pqti_prefetch_quadrants(const pqti_inner *node, unsigned bits)
{
    for (; bits != 0; bits &= bits - 1)
        pqti_prefetch_quadrant(node, (unsigned)__builtin_ctz(bits));
}

/*
 * Prefetches the quadrants that are leaves, because after the scan of a leaf these are often next.
 */
static inline void
pqti_prefetch_leaf_quadrants(const pqti_inner *node)
{
    for (unsigned i = 0; i < PQTI_QUADRANTS; i++)
        if (node->count[i] > PQTI_LEAF_BIT)
            pqti_prefetch_quadrant(node, i);
}

#endif
