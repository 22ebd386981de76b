/* SPDX-License-Identifier: MIT */
/**
 * @file limits.h - the limits of the library.
 *
 * None of them is a tolerance. Comparisons are exact, so no result depends on the size of the world
 * or on its unit of length. Pixels have a limit of their own, PQT_PIXEL_LIMIT in region.h.
 */
#ifndef PQT_LIMITS_H
#define PQT_LIMITS_H

/**
 * The maximum of a tree's option `max_depth`. Unit: halvings of the bounds.
 *
 * Reason: the bounds are divided into 2^32 columns and rows, and a cell cannot be smaller than one
 * of them. If raised, keys would need digits that columns do not have, and the path to a cell, two
 * bits for each halving, would not fit in 64 bits. If lowered, only deep trees suffer.
 */
#define PQT_MAX_DEPTH 32

/**
 * The maximum of the option `leaf_capacity`. Unit: items.
 *
 * Reason: each edit copies a whole leaf, so larger leaves cost more than they save. If raised,
 * building nodes needs more stack, which holds the items of a leaf, 40 bytes each.
 */
#define PQT_MAX_CAPACITY 1024

/**
 * The maximum number of items of one version. Unit: items.
 *
 * Reason: counts have 29 bits, and the other three bits of their word are the tag of a node
 * reference: leaf, hash node, compressed edge. If raised, counts would overwrite the tag, and
 * leaves would be read as nodes.
 */
#define PQT_MAX_ITEMS 536870911

/**
 * The maximum number of vertices of a pqt_convex. Unit: vertices.
 *
 * Reason: a predicate of two shapes tests each vertex against each side of the other, and the
 * vertices are an array in the struct. If raised, shapes grow by 16 bytes for each vertex.
 */
#define PQT_MAX_CONVEX_VERTICES 8

#endif
