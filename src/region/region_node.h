/* SPDX-License-Identifier: MIT */
/*
 * region_node.h - the squares that a region consists of, and the one place where they are born.
 *
 *     pqt_region --> quadrant 0..3 --> quad --> quad --> ... --> tile
 *
 *               -2^k          0          2^k
 *         -2^k  +-------------+-----------+
 *               |  quadrant 0 | 1         |        each of the four is a square of level k,
 *            0  +-------------+-----------+        that is, with sides of 2^k pixels
 *               |           2 | 3         |
 *          2^k  +-------------+-----------+
 *
 * A square of level 6 is a tile (tile.h) or a mark, one of a higher level a quad or a mark. There
 * are two marks, for squares without pixels and for squares full of them; they are the same for
 * all regions and all levels. A quad has neither four empty nor four full children. k is the
 * smallest level, from 6, that holds all pixels. So the pixels determine every node.
 *
 * Squares around the origin are never cut by growing: a region of level k seen as one of a higher
 * level has an *outer* square in each quadrant, which holds the quadrant next to the origin and
 * nothing else. Outer squares are marks as well; they exist only while a function runs, and stand
 * in no node.
 *
 * A square's *fingerprint* follows from its pixels: of a quad it is the sum of mixes of its
 * children's, each mixed with its place. So a path copy works it out from the old one and the
 * child that changed, and does not touch the others.
 *
 * Quads are written between allocation and return of pqti_quad_make, regions of pqti_region_new,
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

/* A mark, a quad, or a tile. */
typedef struct pqti_square {
    uint64_t fingerprint;
} pqti_square;

typedef struct pqti_quad {
    pqti_square square; /* first */
    const pqti_square *child[4];
    uint64_t count; /* pixels that belong; last, since no pointer may be there */
} pqti_quad;

struct pqt_region {
    pqt_memory *memory;
    const pqti_square *quadrant[4];
    uint64_t mixes; /* the sum of the quadrants' mixes */
    uint64_t count; /* pixels that belong */
    int level;      /* last, since no pointer may be there */
};

_Static_assert(offsetof(pqti_quad, count) >= sizeof(pqti_quad) - sizeof(uint64_t) &&
                   offsetof(pqt_region, level) >= sizeof(pqt_region) - sizeof(uint64_t),
               "the last word of a node is not searched for pointers");

/* Empty, full, and the outer squares of the four quadrants. */
extern const pqti_square pqti_marks[6];
#define PQTI_EMPTY (&pqti_marks[0])
#define PQTI_FULL (&pqti_marks[1])
#define PQTI_OUTER(quadrant) (&pqti_marks[2 + (quadrant)])

/* Empty or full. */
static inline bool
pqti_is_plain(const pqti_square *square)
{
    return square == PQTI_EMPTY || square == PQTI_FULL;
}

static inline bool
pqti_is_outer(const pqti_square *square)
{
    /* As numbers: pointers to different objects have no order. */
    return (uintptr_t)square - (uintptr_t)PQTI_OUTER(0) < 4 * sizeof *square;
}

/* Whether it is a block of memory. */
static inline bool
pqti_is_block(const pqti_square *square)
{
    return !pqti_is_plain(square) && !pqti_is_outer(square);
}

/* Where a square lies. */
typedef struct pqti_plot {
    int32_t x, y; /* its upper left pixel */
    int level;    /* its sides are 2^level pixels */
} pqti_plot;

static inline int32_t
pqti_side(int level)
{
    return (int32_t)1 << level;
}

/* Children and quadrants are numbered alike: 1 is added on the right, 2 below. */
static inline pqti_plot
pqti_child_plot(pqti_plot plot, int child)
{
    int32_t half = pqti_side(plot.level - 1);
    return (pqti_plot){plot.x + (child & 1) * half, plot.y + (child >> 1) * half, plot.level - 1};
}

static inline pqti_plot
pqti_quadrant_plot(int level, int quadrant)
{
    int32_t side = pqti_side(level);
    return (pqti_plot){(quadrant & 1) ? 0 : -side, (quadrant >> 1) ? 0 : -side, level};
}

static inline pqt_pixel_box
pqti_plot_box(pqti_plot plot)
{
    int32_t side = pqti_side(plot.level);
    return (pqt_pixel_box){{plot.x, plot.y}, {plot.x + side, plot.y + side}};
}

/* A quadrant of a region seen as one of a level that is not below its own. */
static inline const pqti_square *
pqti_quadrant(const pqt_region *region, int level, int quadrant)
{
    const pqti_square *square = region->quadrant[quadrant];
    return level == region->level || square == PQTI_EMPTY ? square : PQTI_OUTER(quadrant);
}

#endif
