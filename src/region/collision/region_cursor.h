/* SPDX-License-Identifier: MIT */
/*
 * region_cursor.h: a cursor over the nodes of a region, down to single pixels or to coarser cells.
 * A box is treated as a single full node.
 *
 * Nodes smaller than tiles exist only in cursors: blocks of 8 x 8 pixels are read from the bits of
 * the tile, and smaller squares from the bits of the block. A node that is full, or a cell that
 * counts as full, is not divided.
 *
 * Two full nodes overlap if and only if the offset is strictly inside a certain box, their *overlap
 * range*. This box is the union of the overlap ranges of all their pixels, because the ranges of
 * adjacent pixels overlap. So tests of full nodes are exact, and a mover is never caught on the
 * edge between two pixels.
 *
 * One source of this folder has no header of its own: region_sweep_shape.c.
 */
#ifndef PQTI_REGION_CURSOR_H
#define PQTI_REGION_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt/query.h>
#include <pqt/region_overlap.h>

#include "region/collision/fixpos.h"
#include "region/region_node.h"

/* A shape that is tested: a region, which is read in cells, or a box. */
typedef struct pqti_shape_view {
    const pqt_region *region; /* NULL if the shape is a box */
    pqti_fixpos min, max;     /* the corners of a box, in subpixels */
    int cell_level;           /* for a region: cells have sides of 2^cell_level pixels */
    bool is_inner;            /* for a region: cells are read as PQT_COARSE_INNER */
} pqti_shape_view;

typedef enum pqti_cursor_coverage {
    PQTI_CURSOR_EMPTY,
    PQTI_CURSOR_MIXED,
    PQTI_CURSOR_FULL
} pqti_cursor_coverage;

typedef struct pqti_region_cursor {
    pqti_cursor_coverage coverage;
    int level;              /* for a region: the side is 2^level pixels */
    const pqti_rnode *node; /* if mixed: its inner node, or the tile that it is in */
    uint64_t block;         /* if mixed and level <= 3: the pixels of the block, row by row */
    pqti_fixpos min, max;   /* the corners of its square or box, in subpixels */
} pqti_region_cursor;

/* The open box of the offsets at which two nodes overlap, in subpixels. */
typedef struct pqti_overlap_range {
    pqti_fixpos min, max;
} pqti_overlap_range;

static inline pqti_overlap_range
pqti_overlap_range_of(const pqti_region_cursor *a, const pqti_region_cursor *b)
{
    return (pqti_overlap_range){{a->min.x - b->max.x, a->min.y - b->max.y},
                                {a->max.x - b->min.x, a->max.y - b->min.y}};
}

/* Selects which one of two nodes is divided: the larger one if both are mixed, otherwise the mixed
 * one. */
static inline bool
pqti_divides_first(const pqti_region_cursor *a, const pqti_region_cursor *b)
{
    return a->coverage == PQTI_CURSOR_MIXED &&
           (b->coverage != PQTI_CURSOR_MIXED || a->level >= b->level);
}

/* Returns the shape of all pixels of a region. */
pqti_shape_view pqti_shape_view_of(const pqt_region *region);

/* Returns the shape of a region that is read in cells. `side` is a power of two. */
pqti_shape_view pqti_shape_view_of_cells(const pqt_region *region, int32_t side,
                                         pqt_coarse_kind kind);

/* Sets the root cursors of a shape and returns their number, at most four. None of them is
 * empty. */
int pqti_shape_view_roots(const pqti_shape_view *shape, pqti_region_cursor cursors[4]);

/* Returns a quadrant of a mixed node. Its coverage is not set yet: see pqti_region_cursor_fill. */
static inline pqti_region_cursor
pqti_region_cursor_quadrant(const pqti_region_cursor *cursor, int i)
{
    const int64_t half = (cursor->max.x - cursor->min.x) / 2;
    const pqti_fixpos min = {cursor->min.x + (i & 1) * half, cursor->min.y + (i >> 1) * half};
    return (pqti_region_cursor){.coverage = PQTI_CURSOR_EMPTY,
                                .level = cursor->level - 1,
                                .node = cursor->node,
                                .block = cursor->block,
                                .min = min,
                                .max = {min.x + half, min.y + half}};
}

/* Counts the division of a node in the statistics, which may be NULL. It counts as a node, and also
 * as a leaf if it has at most 64 x 64 pixels. */
static inline void
pqti_stats_add_division(pqt_query_stats *stats, const pqti_region_cursor *divided)
{
    if (stats == NULL)
        return;
    stats->nodes++;
    stats->leaves += divided->level <= PQTI_TILE_LEVEL;
}

/* Sets the coverage of quadrant `i`. Returns false if the quadrant is empty. */
bool pqti_region_cursor_fill(const pqti_shape_view *shape, pqti_region_cursor *quadrant, int i);

/* Sets `quadrants` to the quadrants of a mixed node that are not empty, and returns their
 * number. */
int pqti_region_cursor_quadrants(const pqti_shape_view *shape, const pqti_region_cursor *cursor,
                                 pqti_region_cursor quadrants[4]);

/* A position in half subpixels. An odd number represents all positions between two subpixels. */
typedef struct pqti_half_pos {
    int64_t x, y;
} pqti_half_pos;

/*
 * Returns true if two shapes overlap when b is at a position. Unless `hit` is NULL, sets it to full
 * nodes of a and b that overlap. Tries the quadrants of a from `first` on, and the quadrants of b
 * from the opposite one on. */
bool pqti_shape_views_overlap(const pqti_shape_view *a, const pqti_shape_view *b,
                              pqti_half_pos half_pos, int first, pqti_region_cursor hit[2]);

#endif
