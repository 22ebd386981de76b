/* SPDX-License-Identifier: MIT */
/*
 * disjoint_sets.h: a union-find forest over indices.
 *
 * `parents[i]` is the parent of i; a root is its own parent and names its set. Paths are halved
 * as they are walked (Tarjan, van Leeuwen, Worst-case analysis of set union algorithms, 1984).
 */
#ifndef PQTI_DISJOINT_SETS_H
#define PQTI_DISJOINT_SETS_H

#include <stddef.h>
#include <stdint.h>

/* Makes a set of each index. */
static inline void
pqti_sets_begin(uint32_t *parents, size_t count)
{
    for (uint32_t i = 0; i < count; i++)
        parents[i] = i;
}

/* Returns the root of an index. */
static inline uint32_t
pqti_set_root(uint32_t *parents, uint32_t i)
{
    while (parents[i] != i) {
        parents[i] = parents[parents[i]];
        i = parents[i];
    }
    return i;
}

/* Unites the sets of two indices. The root of `a` becomes the root of both. */
static inline void
pqti_sets_unite(uint32_t *parents, uint32_t a, uint32_t b)
{
    parents[pqti_set_root(parents, b)] = pqti_set_root(parents, a);
}

#endif
