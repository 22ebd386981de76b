/* SPDX-License-Identifier: MIT */
/*
 * region_node.h - the squares that a region consists of, and the one place where they are born.
 *
 *     pqt_region --> quadrant 0..3 --> inner node --> inner node --> ... --> tile
 *
 *               -2^k          0          2^k
 *         -2^k  +-------------+-----------+
 *               |  quadrant 0 | 1         |        each of the four is a square of level k,
 *            0  +-------------+-----------+        that is, with sides of 2^k pixels
 *               |           2 | 3         |
 *          2^k  +-------------+-----------+
 *
 * A square of level 6 is a tile (tile.h) or a mark, one of a higher level an inner node or a mark.
 * There are two marks, for squares without pixels and for squares full of them; they are the same
 * for all regions and all levels. A inner node has neither four empty nor four full children. k is
 * the smallest level, from 6, that holds all pixels. So the pixels determine every node.
 *
 * Squares around the origin are never cut by growing: a region of level k seen as one of a higher
 * level has an *outer* square in each quadrant, which holds the quadrant next to the origin and
 * nothing else. Outer squares are marks as well; they exist only while a function runs, and stand
 * in no node.
 *
 * A square's *fingerprint* follows from its pixels: of an inner node it is the sum of hashes of its
 * children's, each mixed with its place. So a path copy works it out from the old one and the
 * child that changed, and does not touch the others.
 *
 * Quads are written between allocation and return of pqti_rinner_make, regions of pqti_region_new,
 * tiles of two functions of tile.c, and nowhere else.
 */
#ifndef PQTI_REGION_NODE_H
#define PQTI_REGION_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt/region.h>

#include "base/hash.h"
#include "memory/memory_internal.h"

#define PQTI_TILE_LEVEL 6
#define PQTI_TILE_SIDE 64
#define PQTI_TOP_LEVEL 20 /* 2^20 is PQT_PIXEL_LIMIT */

/* A mark, an inner node, or a tile. */
typedef struct pqti_rnode {
    uint64_t fingerprint;
} pqti_rnode;

typedef struct pqti_rinner {
    pqti_rnode node; /* first */
    const pqti_rnode *child[4];
    uint64_t count; /* pixels that belong; last, since no pointer may be there */
} pqti_rinner;

struct pqt_region {
    pqt_memory *memory;
    const pqti_rnode *quadrant[4];
    uint64_t hash;  /* the sum of the quadrants' mixes */
    uint64_t count; /* pixels that belong */
    int level;      /* last, since no pointer may be there */
};

_Static_assert(offsetof(pqti_rinner, count) >= sizeof(pqti_rinner) - sizeof(uint64_t) &&
                   offsetof(pqt_region, level) >= sizeof(pqt_region) - sizeof(uint64_t),
               "the last word of a node is not searched for pointers");

/* Empty, full, and the outer squares of the four quadrants. */
extern const pqti_rnode pqti_sentinels[6];
#define PQTI_EMPTY (&pqti_sentinels[0])
#define PQTI_FULL (&pqti_sentinels[1])
#define PQTI_PADDING(quadrant) (&pqti_sentinels[2 + (quadrant)])

/* Empty or full. */
static inline bool
pqti_is_uniform(const pqti_rnode *node)
{
    return node == PQTI_EMPTY || node == PQTI_FULL;
}

static inline bool
pqti_is_padding(const pqti_rnode *node)
{
    /* As numbers: pointers to different objects have no order. */
    return (uintptr_t)node - (uintptr_t)PQTI_PADDING(0) < 4 * sizeof *node;
}

/* Whether it is a block of memory. */
static inline bool
pqti_is_allocated(const pqti_rnode *node)
{
    return !pqti_is_uniform(node) && !pqti_is_padding(node);
}

/* Where a square lies. */
typedef struct pqti_rcell {
    int32_t x, y; /* its upper left pixel */
    int level;    /* its sides are 2^level pixels */
} pqti_rcell;

static inline int32_t
pqti_side(int level)
{
    return (int32_t)1 << level;
}

/* Children and quadrants are numbered alike: 1 is added on the right, 2 below. */
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

/* A quadrant of a region seen as one of a level that is not below its own. */
static inline const pqti_rnode *
pqti_quadrant(const pqt_region *region, int level, int quadrant)
{
    const pqti_rnode *node = region->quadrant[quadrant];
    return level == region->level || node == PQTI_EMPTY ? node : PQTI_PADDING(quadrant);
}

#endif
