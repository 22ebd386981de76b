/* SPDX-License-Identifier: MIT */
/*
 * region_cursor.h - a region as squares within squares, down to single pixels or to coarser cells;
 * and a box as one full part.
 *
 * Below tiles the squares exist only here: bricks of 8 x 8 pixels are read off the tile's own bits,
 * and then smaller squares off the brick's. A part that is full, or that is a cell which counts as
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
typedef struct pqti_figure {
    const pqt_region *region; /* NULL: a box */
    pqti_fixpos min, max;     /* of a box, steps */
    int cell_level;           /* of a region: cells have sides of 2^cell_level pixels */
    bool surely;              /* of a region: as PQT_CELLS_SURELY */
} pqti_figure;

typedef enum pqti_filling { PQTI_PART_EMPTY, PQTI_PART_MIXED, PQTI_PART_FULL } pqti_filling;

typedef struct pqti_shape_cell {
    pqti_filling filling;
    int level;                 /* of squares: sides of 2^level pixels */
    const pqti_square *square; /* mixed: the quad or tile that it is, or that it lies in */
    uint64_t brick;            /* mixed, level 3 or less: the pixels of the brick, row by row */
    pqti_fixpos min, max;      /* steps */
} pqti_shape_cell;

/* The offsets at which two parts overlap: strictly between. Steps. */
typedef struct pqti_reach {
    pqti_fixpos min, max;
} pqti_reach;

static inline pqti_reach
pqti_overlap_range_of(const pqti_shape_cell *a, const pqti_shape_cell *b)
{
    return (pqti_reach){{a->min.x - b->max.x, a->min.y - b->max.y},
                        {a->max.x - b->min.x, a->max.y - b->min.y}};
}

/* Of two mixed parts the larger is divided, else the one that is mixed. */
static inline bool
pqti_divides_first(const pqti_shape_cell *a, const pqti_shape_cell *b)
{
    return a->filling == PQTI_PART_MIXED && (b->filling != PQTI_PART_MIXED || a->level >= b->level);
}

/* All pixels of a region. */
pqti_figure pqti_figure_of(const pqt_region *region);

/* A region in cells whose side is a power of two. */
pqti_figure pqti_figure_of_cells(const pqt_region *region, int32_t side, pqt_cell_reading reading);

/* The parts that a figure consists of, at most four; how many. None is empty. */
int pqti_figure_parts(const pqti_figure *figure, pqti_shape_cell parts[4]);

/* A quarter of a mixed part: where it lies; what fills it is not known yet. */
static inline pqti_shape_cell
pqti_part_quarter(const pqti_shape_cell *part, int i)
{
    const int64_t half = (part->max.x - part->min.x) / 2;
    const pqti_fixpos min = {part->min.x + (i & 1) * half, part->min.y + (i >> 1) * half};
    return (pqti_shape_cell){.filling = PQTI_PART_EMPTY,
                             .level = part->level - 1,
                             .square = part->square,
                             .brick = part->brick,
                             .min = min,
                             .max = {min.x + half, min.y + half}};
}

/* What a division adds to a tally, which may be NULL: a node; within 64 x 64 pixels, a leaf as
   well. */
static inline void
pqti_tally_division(pqt_tally *tally, const pqti_shape_cell *divided)
{
    if (tally == NULL)
        return;
    tally->nodes++;
    tally->leaves += divided->level <= PQTI_TILE_LEVEL;
}

/* Finds out what fills the quarter `i` of a part; false if nothing does. */
bool pqti_part_fill(const pqti_figure *figure, pqti_shape_cell *quarter, int i);

/* A place in half steps: odd numbers stand for all that lies between two steps. */
typedef struct pqti_spot {
    int64_t x, y;
} pqti_spot;

/*
 * Whether two figures overlap with b at a spot. `met`, unless NULL, is set to full parts of a and
 * of b that do. Quarters of a are tried from `first` on, quarters of b from the opposite one.
 */
bool pqti_figures_overlap(const pqti_figure *a, const pqti_figure *b, pqti_spot spot, int first,
                          pqti_shape_cell met[2]);

#endif
