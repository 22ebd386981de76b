/* SPDX-License-Identifier: MIT */
/*
 * child_order.h - what a search knows of a node's quarters before it enters one: places, and an
 * order.
 *
 * Quarters are entered in order of their bounds, which are doubles >= 0: the bits of these order as
 * they do, and the last two of them give way to the number of the quarter.
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

/* The places of the quarters' first items, if that of the first of all is `place`. */
static inline void
pqti_find_places(const pqti_inner *node, uint32_t place, uint32_t places[PQTI_QUARTERS])
{
    for (int i = 0; i < PQTI_QUARTERS; i++) {
        places[i] = place;
        place += pqti_items_in(node->count[i]);
    }
}

/* A bit for each quarter whose bound is not beyond the worst. */
static inline unsigned
pqti_near_quarters(double worst, const double bounds[PQTI_QUARTERS])
{
    pqti_pair both = {worst, worst};
    return pqti_mask_bits(pqti_pair_load(bounds) <= both) |
           pqti_mask_bits(pqti_pair_load(bounds + 2) <= both) << 2;
}

static inline uint64_t
pqti_numbered(double bound, unsigned quarter)
{
    return (pqti_bits_of(bound) & ~UINT64_C(3)) | quarter;
}

static inline void
pqti_order_two(uint64_t *a, uint64_t *b)
{
    uint64_t less = *a < *b ? *a : *b, more = *a < *b ? *b : *a;
    *a = less;
    *b = more;
}

/*
 * The quarters in order of their bounds, but of their numbers where those are nearly equal. The
 * number of each is the remainder by PQTI_QUARTERS.
 */
static inline void
pqti_order_quarters(const double bounds[PQTI_QUARTERS], uint64_t order[PQTI_QUARTERS])
{
    for (unsigned i = 0; i < PQTI_QUARTERS; i++)
        order[i] = pqti_numbered(bounds[i], i);
    pqti_order_two(&order[0], &order[1]);
    pqti_order_two(&order[2], &order[3]);
    pqti_order_two(&order[0], &order[2]);
    pqti_order_two(&order[1], &order[3]);
    pqti_order_two(&order[1], &order[2]);
}

/* Asks for a quarter that is soon to be entered: of a leaf, where the sides of its boxes begin. */
static inline void
pqti_fetch_quarter(const pqti_inner *node, unsigned quarter)
{
    const double *at = node->child[quarter];
    uint32_t count = pqti_items_in(node->count[quarter]);
    if (count == 0)
        return;
    if ((node->count[quarter] & PQTI_LEAF_BIT) == 0) {
        pqti_fetch(at, 0, sizeof(pqti_inner));
        return;
    }
    for (uint32_t side = 0; side < 4; side++)
        pqti_prefetch(at + side * count);
}

/* Asks for the quarters whose bits are set. */
static inline void
pqti_fetch_quarters(const pqti_inner *node, unsigned bits)
{
    for (; bits != 0; bits &= bits - 1)
        pqti_fetch_quarter(node, (unsigned)__builtin_ctz(bits));
}

/* Asks for those that are leaves: where one is about to be scanned, they will often be next. */
static inline void
pqti_fetch_leaf_quarters(const pqti_inner *node)
{
    for (unsigned i = 0; i < PQTI_QUARTERS; i++)
        if (node->count[i] > PQTI_LEAF_BIT)
            pqti_fetch_quarter(node, i);
}

static inline void
pqti_count_node(pqt_tally *tally)
{
    if (tally != NULL)
        tally->nodes++;
}

#endif
