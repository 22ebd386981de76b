/* SPDX-License-Identifier: MIT */
/*
 * grid.h: finds neighbours among balls of similar size by a uniform grid.
 *
 * Each ball is in one cell, the cell of the upper left corner of its swept box. A cell is at least
 * as large as every swept box, so balls whose boxes touch are in the same cell or in adjacent
 * cells. A grid is unsuitable if a few cells hold most of the balls, or if some balls are much
 * larger than the others. Then a tree is better.
 */
#ifndef PQTI_GRID_H
#define PQTI_GRID_H

#include "world/ball.h"

typedef struct pqti_grid {
    pqt_vec corner;         /* the upper left corner of the first cell */
    pqt_vec side;           /* the width and height of a cell */
    uint32_t across, down;  /* columns and rows of cells; a position outside is in an outer cell */
    pqt_box *swept_aabbs;   /* the swept box of each ball; owned by the caller */
    uint32_t *first, *next; /* linked lists, by cell and by ball; PQTI_NO_BALL ends a list */
} pqti_grid;

#define PQTI_NO_BALL UINT32_MAX

typedef bool pqti_visit_neighbour_fn(uint32_t a, uint32_t b, void *context);

/*
 * Makes a grid of balls from their swept boxes, and sorts both arrays in the order of the cells. If
 * a grid is unsuitable, sets *fits to false and leaves the arrays as they were. The swept boxes
 * belong to the grid until it is freed. Returns false when out of memory. The caller frees the
 * grid in either case.
 */
bool pqti_grid_make(pqti_grid *grid, pqti_ball *balls, pqt_box *swept_aabbs, size_t count,
                    bool *fits);

/* Visits each pair of balls whose swept boxes touch. Call this function once, before the functions
 * below. Returns false if `visit` stopped it. */
bool pqti_grid_pairs(pqti_grid *grid, pqti_visit_neighbour_fn *visit, void *context);

/* Visits each ball whose swept box touches the swept box of `ball`. Returns false if `visit`
 * stopped it. */
bool pqti_grid_neighbours(const pqti_grid *grid, uint32_t ball, pqti_visit_neighbour_fn *visit,
                          void *context);

/* Changes the swept box of a ball. If the box is too large for a cell, returns false and changes
 * nothing. */
bool pqti_grid_move(pqti_grid *grid, uint32_t ball, pqt_box swept_aabb);

void pqti_grid_free(pqti_grid *grid);

#endif
