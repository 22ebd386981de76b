/* SPDX-License-Identifier: MIT */
/**
 * @file limits.h - the numbers that the library is built around.
 *
 * There is no tolerance among them: comparisons are exact, so nothing depends on the size of the
 * world or on the unit that it is measured in.
 */
#ifndef PQT_LIMITS_H
#define PQT_LIMITS_H

/**
 * How many times the bounds of a tree can be halved. Unit: halvings.
 *
 * Reason: the bounds are cut into 2^32 columns and rows, and a cell cannot be finer than these.
 * If raised, cells would be told apart by digits that columns do not have, and the way to a cell,
 * two bits for each halving, would no longer fit 64 bits. If lowered, only deep trees suffer.
 */
#define PQT_MAX_DEPTH 32

/**
 * How large a leaf's capacity may be chosen. Unit: items.
 *
 * Reason: each edit copies a leaf whole, so larger ones cost more than they save.
 * If raised, the stack: a leaf's items, 40 bytes each, stand on it while nodes are made.
 */
#define PQT_MAX_CAPACITY 1024

/**
 * How many items one version can hold. Unit: items.
 *
 * Reason: counts are kept in 29 bits, and the three bits beside them tell leaves from inner nodes,
 * and kinds of those. If raised, these bits would be overwritten, and leaves taken for nodes.
 */
#define PQT_MAX_ITEMS 536870911

#endif
