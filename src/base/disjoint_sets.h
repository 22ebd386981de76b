/* SPDX-License-Identifier: MIT */
/*
 * disjoint_sets.h: a union-find forest over indices.
 *
 * `parents[i]` is the parent of i. A root is its own parent, and it identifies its set. Each search
 * for a root halves the path that it follows (Tarjan, van Leeuwen, Worst-case analysis of set union
 * algorithms, 1984).
 */
#ifndef PQTI_DISJOINT_SETS_H
#define PQTI_DISJOINT_SETS_H

#include <stddef.h>
#include <stdint.h>

/* Puts each index into a set of its own. */
static inline void
pqti_sets_begin(uint32_t *parents, size_t count)
{
    for (uint32_t i = 0; i < count; i++)
        parents[i] = i;
}

/* Returns the root of the set that contains an index. */
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
