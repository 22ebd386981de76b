/* SPDX-License-Identifier: MIT */
/*
 * region_node.h: the nodes of a region.
 *
 *     pqt_region --> quadrant 0..3 --> inner node --> inner node --> ... --> tile
 *
 *               -2^k          0          2^k
 *         -2^k  +-------------+-----------+
 *               |  quadrant 0 | 1         |        each of the four is a node of level k,
 *            0  +-------------+-----------+        that is, with sides of 2^k pixels
 *               |           2 | 3         |
 *          2^k  +-------------+-----------+
 *
 * A node of level 6 is a tile (tile.h) or a sentinel. A node of a higher level is an inner node or
 * a sentinel. The two sentinels for uniform nodes, empty and full, are shared by all regions and
 * levels. An inner node has neither four empty nor four full children. k is the smallest level, at
 * least 6, that holds all pixels. So the pixels determine every node.
 *
 * A region of level k can be treated as a region of a higher level without copying. Each of its
 * quadrants is then *padding*: a virtual node that contains the original quadrant next to the
 * origin and is empty elsewhere. Padding is represented by sentinels, too. It exists only while a
 * function runs, and is never a child of a node.
 *
 * A node's *fingerprint* is determined by its pixels. The fingerprint of an inner node is the sum
 * of the hashes of its children's fingerprints, each combined with the child's position. So path
 * copying computes it from the old fingerprint and the changed child, without reading the other
 * children.
 *
 * Nodes and regions are written only before they are returned: inner nodes in pqti_rinner_make,
 * regions in pqti_region_new, and tiles in two functions of tile.c. The only exception is the sign
 * of a region (memory_internal.h).
 */
#ifndef PQTI_REGION_NODE_H
#define PQTI_REGION_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt/region.h>

#include "base/error_internal.h"
#include "base/hash.h"
#include "memory/memory_internal.h"

#define PQTI_TILE_LEVEL 6
#define PQTI_TILE_SIDE 64
#define PQTI_TOP_LEVEL 20 /* 2^20 is PQT_PIXEL_LIMIT */

/* A sentinel, an inner node, or a tile. */
typedef struct pqti_rnode {
    uint64_t fingerprint;
} pqti_rnode;

typedef struct pqti_rinner {
    pqti_rnode node; /* must be first */
    const pqti_rnode *child[4];
    uint64_t count; /* number of pixels; in the last word, which must not hold a pointer */
} pqti_rinner;

struct pqt_region {
    int level;     /* level of the quadrants */
    uint32_t sign; /* see pqti_version */
    pqt_memory *memory;
    const pqti_rnode *quadrant[4];
    uint64_t hash;  /* the sum of pqti_rnode_child_hash over the quadrants */
    uint64_t count; /* number of pixels; in the last word, which must not hold a pointer */
};

/* Stops the program if the region was reclaimed. `function` is the public function that was called
   with it. */
static inline void
pqti_assert_region_alive(const char *function, const pqt_region *region)
{
    pqti_assert_version(function, PQT_KIND_REGION, region);
}

extern const struct pqti_kind_calls pqti_region_calls; /* see kind_calls.h */

/* Checks the region with which a public function was called. */
#define PQTI_ASSERT_REGION(region)                                                                 \
    (PQT_ASSERT((region) != NULL, "the region is NULL"), pqti_assert_region_alive(__func__, region))

_Static_assert(offsetof(pqti_rinner, count) >= sizeof(pqti_rinner) - sizeof(uint64_t) &&
                   offsetof(pqt_region, count) >= sizeof(pqt_region) - sizeof(uint64_t),
               "the collector does not scan the last word of a node: no pointer may be there");

/* The sentinels: empty, full, and the padding of the four quadrants. */
extern const pqti_rnode pqti_sentinels[6];
#define PQTI_EMPTY (&pqti_sentinels[0])
#define PQTI_FULL (&pqti_sentinels[1])
#define PQTI_PADDING(quadrant) (&pqti_sentinels[2 + (quadrant)])

/* Returns true if a node is the empty or the full sentinel. */
static inline bool
pqti_is_uniform(const pqti_rnode *node)
{
    return node == PQTI_EMPTY || node == PQTI_FULL;
}

static inline bool
pqti_is_padding(const pqti_rnode *node)
{
    /* The pointers are compared as numbers, because pointers to different objects have no order. */
    return (uintptr_t)node - (uintptr_t)PQTI_PADDING(0) < 4 * sizeof *node;
}

/* Returns true if a node is an allocated block rather than a sentinel. */
static inline bool
pqti_is_allocated(const pqti_rnode *node)
{
    return !pqti_is_uniform(node) && !pqti_is_padding(node);
}

/* The position and level of a node. */
typedef struct pqti_rcell {
    int32_t x, y; /* the coordinates of its upper left pixel */
    int level;    /* its sides are 2^level pixels */
} pqti_rcell;

static inline int32_t
pqti_side(int level)
{
    return (int32_t)1 << level;
}

/* Returns a child of a cell. Children are numbered like quadrants: bit 0 is set on the right, bit 1
 * at the bottom. */
static inline pqti_rcell
pqti_rcell_child(pqti_rcell cell, int child)
{
    int32_t half = pqti_side(cell.level - 1);
    return (pqti_rcell){cell.x + (child & 1) * half, cell.y + (child >> 1) * half, cell.level - 1};
}

static inline pqti_rcell
pqti_rcell_quadrant(int level, int quadrant)
{
    int32_t side = pqti_side(level);
    return (pqti_rcell){(quadrant & 1) ? 0 : -side, (quadrant >> 1) ? 0 : -side, level};
}

static inline pqt_pixel_box
pqti_rcell_box(pqti_rcell cell)
{
    int32_t side = pqti_side(cell.level);
    return (pqt_pixel_box){{cell.x, cell.y}, {cell.x + side, cell.y + side}};
}

/* Returns a quadrant of a region that is treated as a region of `level`, which is at least its own
 * level. */
static inline const pqti_rnode *
pqti_quadrant(const pqt_region *region, int level, int quadrant)
{
    const pqti_rnode *node = region->quadrant[quadrant];
    return level == region->level || node == PQTI_EMPTY ? node : PQTI_PADDING(quadrant);
}

#endif
