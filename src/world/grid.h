/* SPDX-License-Identifier: MIT */
/*
 * grid.h - neighbours among balls of about one size, by cells that no reach is larger than.
 *
 * Each ball stands in one cell, that of its reach's upper left corner. Corners of reaches that
 * touch are no further apart than a cell is wide and high; so neighbours stand in the same cell or
 * in one beside it. Where balls crowd in a few cells, or some are much larger than the others, a
 * grid will not do: a tree then does better.
 */
#ifndef PQTI_GRID_H
#define PQTI_GRID_H

#include "world/ball.h"

typedef struct pqti_grid {
    pqt_vec corner;         /* upper left, of the first cell */
    pqt_vec side;           /* of a cell */
    uint32_t across, down;  /* how many cells; what lies beyond them counts to the outermost */
    pqt_box *swept_aabbs;   /* of all balls; the caller's */
    uint32_t *first, *next; /* of the balls in a cell, by cell and by ball; or PQTI_NO_BALL */
} pqti_grid;

#define PQTI_NO_BALL UINT32_MAX

typedef bool pqti_visit_neighbour_fn(uint32_t a, uint32_t b, void *context);

/*
 * Makes a grid of balls by their reaches, and sorts both into the order of its cells; *fits is
 * false, and they are as they were, if a grid would not do. The reaches belong to the grid until it
 * is freed, as it is to be in any case. False: no memory.
 */
bool pqti_grid_make(pqti_grid *grid, pqti_ball *balls, pqt_box *swept_aabbs, size_t count,
                    bool *fits);

/* Visits each two balls whose reaches touch; once, before any other question. False if `visit`
   stopped it. */
bool pqti_grid_pairs(pqti_grid *grid, pqti_visit_neighbour_fn *visit, void *context);

/* Visits `ball` with each other whose reach touches its. False if `visit` stopped it. */
bool pqti_grid_neighbours(const pqti_grid *grid, uint32_t ball, pqti_visit_neighbour_fn *visit,
                          void *context);

/* Gives a ball another reach. False, with nothing changed: it is too large for a cell. */
bool pqti_grid_move(pqti_grid *grid, uint32_t ball, pqt_box swept_aabb);

void pqti_grid_free(pqti_grid *grid);

#endif
