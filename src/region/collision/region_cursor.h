/* SPDX-License-Identifier: MIT */
/*
 * region_cursor.h - a region as squares within squares, down to single pixels or to coarser cells;
 * and a box as one full part.
 *
 * Below tiles the squares exist only here: blocks of 8 x 8 pixels are read off the tile's own bits,
 * and then smaller squares off the block's. A part that is full, or that is a cell which counts as
 * full, is not divided, so the two go by one way.
 *
 * Two parts overlap while the offset is inside of one open box, their *reach*: that is the union of
 * the reaches of all their pixels, since those of neighbours overlap. This is what makes it exact
 * to go by full squares, and why an edge between two pixels stops nothing.
 *
 * Sources of this folder without a header of their own: region_sweep_circle.c.
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

/* What is moved or met: a region read in cells, or a box. */
typedef struct pqti_shape_view {
    const pqt_region *region; /* NULL: a box */
    pqti_fixpos min, max;     /* of a box, steps */
    int cell_level;           /* of a region: cells have sides of 2^cell_level pixels */
    bool is_inner;            /* of a region: as PQT_COARSE_INNER */
} pqti_shape_view;

typedef enum pqti_cursor_coverage {
    PQTI_CURSOR_EMPTY,
    PQTI_CURSOR_MIXED,
    PQTI_CURSOR_FULL
} pqti_cursor_coverage;

typedef struct pqti_region_cursor {
    pqti_cursor_coverage coverage;
    int level;              /* of squares: sides of 2^level pixels */
    const pqti_rnode *node; /* mixed: the quad or tile that it is, or that it lies in */
    uint64_t block;         /* mixed, level 3 or less: the pixels of the block, row by row */
    pqti_fixpos min, max;   /* steps */
} pqti_region_cursor;

/* The offsets at which two parts overlap: strictly between. Steps. */
typedef struct pqti_overlap_range {
    pqti_fixpos min, max;
} pqti_overlap_range;

static inline pqti_overlap_range
pqti_overlap_range_of(const pqti_region_cursor *a, const pqti_region_cursor *b)
{
    return (pqti_overlap_range){{a->min.x - b->max.x, a->min.y - b->max.y},
                                {a->max.x - b->min.x, a->max.y - b->min.y}};
}

/* Of two mixed parts the larger is divided, else the one that is mixed. */
static inline bool
pqti_divides_first(const pqti_region_cursor *a, const pqti_region_cursor *b)
{
    return a->coverage == PQTI_CURSOR_MIXED &&
           (b->coverage != PQTI_CURSOR_MIXED || a->level >= b->level);
}

/* All pixels of a region. */
pqti_shape_view pqti_shape_view_of(const pqt_region *region);

/* A region in cells whose side is a power of two. */
pqti_shape_view pqti_shape_view_of_cells(const pqt_region *region, int32_t side,
                                         pqt_coarse_kind reading);

/* The parts that a figure consists of, at most four; how many. None is empty. */
int pqti_shape_view_roots(const pqti_shape_view *shape, pqti_region_cursor parts[4]);

/* A quarter of a mixed part: where it lies; what fills it is not known yet. */
static inline pqti_region_cursor
pqti_region_cursor_quadrant(const pqti_region_cursor *part, int i)
{
    const int64_t half = (part->max.x - part->min.x) / 2;
    const pqti_fixpos min = {part->min.x + (i & 1) * half, part->min.y + (i >> 1) * half};
    return (pqti_region_cursor){.coverage = PQTI_CURSOR_EMPTY,
                                .level = part->level - 1,
                                .node = part->node,
                                .block = part->block,
                                .min = min,
                                .max = {min.x + half, min.y + half}};
}

/* What a division adds to a tally, which may be NULL: a node; within 64 x 64 pixels, a leaf as
   well. */
static inline void
pqti_stats_add_division(pqt_query_stats *stats, const pqti_region_cursor *divided)
{
    if (stats == NULL)
        return;
    stats->nodes++;
    stats->leaves += divided->level <= PQTI_TILE_LEVEL;
}

/* Finds out what fills the quadrant `i` of a part; false if nothing does. */
bool pqti_region_cursor_fill(const pqti_shape_view *shape, pqti_region_cursor *quadrant, int i);

/* A place in half steps: odd numbers stand for all that lies between two steps. */
typedef struct pqti_half_pos {
    int64_t x, y;
} pqti_half_pos;

/*
 * Whether two figures overlap with b at a spot. `hit`, unless NULL, is set to full parts of a and
 * of b that do. Quarters of a are tried from `first` on, quadrants of b from the opposite one.
 */
bool pqti_shape_views_overlap(const pqti_shape_view *a, const pqti_shape_view *b,
                              pqti_half_pos half_pos, int first, pqti_region_cursor hit[2]);

#endif
