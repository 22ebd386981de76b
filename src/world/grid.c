/* SPDX-License-Identifier: MIT */
/*
 * grid.c: finds neighbours among balls of similar size by a uniform grid.
 *
 * First the balls are sorted by cell (counting sort), so that the balls of adjacent cells are
 * consecutive in the array, and close together in memory for the rest of the step. Then each cell
 * gets a linked list, so that balls can move between cells.
 */
#include "config.h"

#include "world/grid.h"

#include <string.h>

#include <pqt/box.h>

#include "base/error_internal.h"
#include "memory/memory_internal.h"

/* See docs/world.md, "Neighbours". */
enum {
    EXTRA_CELLS = 16, /* a grid may have this many more cells than balls */
    CROWD = 16        /* balls are crowded if their cells hold more than this on average */
};

/* A cell is larger than the largest swept box by this factor, to allow for rounding errors in the
 * divisions that find cells. See docs/world.md, "Neighbours". */
#define CELL_SLACK (1 + 0x1p-16)

/* ---- Cells ---- */

static double
columns_of(double extent, double side)
{
    return side > 0 ? floor(extent / side) + 1 : 1;
}

/* Chooses cells as large as the largest swept box, or larger if there would be too many. */
static void
choose_cells(pqti_grid *grid, size_t count)
{
    pqt_box all = grid->swept_aabbs[0];
    pqt_vec side = {0, 0};
    for (size_t i = 0; i < count; i++) {
        pqt_box swept_aabb = grid->swept_aabbs[i];
        all = pqt_box_union(all, swept_aabb);
        side.x = pqti_fmax(side.x, swept_aabb.max.x - swept_aabb.min.x);
        side.y = pqti_fmax(side.y, swept_aabb.max.y - swept_aabb.min.y);
    }
    const double max_cells = (double)count + EXTRA_CELLS;
    const pqt_vec extent = {all.max.x - all.min.x, all.max.y - all.min.y};
    side.x = pqti_fmax(side.x * CELL_SLACK, extent.x / max_cells);
    side.y = pqti_fmax(side.y * CELL_SLACK, extent.y / max_cells);
    while (columns_of(extent.x, side.x) * columns_of(extent.y, side.y) > max_cells)
        side = (pqt_vec){side.x * 2, side.y * 2};
    grid->corner = all.min;
    grid->side = side;
    PQT_INVARIANT(columns_of(extent.x, side.x) * columns_of(extent.y, side.y) <= max_cells,
                  "a grid has too many cells");
    grid->across = (uint32_t)columns_of(extent.x, side.x);
    grid->down = (uint32_t)columns_of(extent.y, side.y);
}

static uint32_t
column_of(double value, double corner, double side, uint32_t columns)
{
    double column = side > 0 ? (value - corner) / side : 0;
    if (!(column > 0))
        return 0;
    return column < columns ? (uint32_t)column : columns - 1;
}

static uint32_t
across_of(const pqti_grid *grid, double x)
{
    return column_of(x, grid->corner.x, grid->side.x, grid->across);
}

static uint32_t
down_of(const pqti_grid *grid, double y)
{
    return column_of(y, grid->corner.y, grid->side.y, grid->down);
}

static uint32_t
cell_of(const pqti_grid *grid, const pqt_box *swept_aabb)
{
    return down_of(grid, swept_aabb->min.y) * grid->across + across_of(grid, swept_aabb->min.x);
}

/* ---- Construction ---- */

/* Finds the cell of each ball, and stores the end of the run of cell c in first[c + 1]. Returns
 * false if the balls are crowded. */
static bool
count_balls(pqti_grid *grid, uint32_t *cell_of_ball, size_t count)
{
    const size_t cells = (size_t)grid->across * grid->down;
    uint64_t crowding = 0;
    memset(grid->first, 0, (cells + 1) * sizeof *grid->first);
    for (size_t i = 0; i < count; i++) {
        cell_of_ball[i] = cell_of(grid, &grid->swept_aabbs[i]);
        grid->first[cell_of_ball[i] + 1]++;
    }
    for (size_t c = 0; c < cells; c++) {
        crowding += (uint64_t)grid->first[c + 1] * grid->first[c + 1];
        grid->first[c + 1] += grid->first[c];
    }
    return crowding <= CROWD * (uint64_t)count;
}

/* Moves the ball at order[i] to i, for all i, one cycle of the permutation after another. Destroys
 * `order`. */
static void
reorder_balls(pqti_ball *balls, pqt_box *swept_aabbs, uint32_t *order, size_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const pqti_ball ball = balls[i];
        const pqt_box swept_aabb = swept_aabbs[i];
        uint32_t to = i;
        for (uint32_t from = order[to]; from != i; from = order[to]) {
            balls[to] = balls[from];
            swept_aabbs[to] = swept_aabbs[from];
            order[to] = to;
            to = from;
        }
        balls[to] = ball;
        swept_aabbs[to] = swept_aabb;
        order[to] = to;
    }
}

/* Sorts the balls by cell. The sort is stable. */
static void
sort_balls(pqti_grid *grid, pqti_ball *balls, const uint32_t *cell_of_ball, size_t count)
{
    const size_t cells = (size_t)grid->across * grid->down;
    uint32_t *order = grid->next;
    for (size_t i = count; i-- > 0;)
        order[--grid->first[cell_of_ball[i] + 1]] = (uint32_t)i;
    /* Now first[c + 1] is the start of cell c. */
    memmove(grid->first, grid->first + 1, cells * sizeof *grid->first);
    grid->first[cells] = (uint32_t)count;
    reorder_balls(balls, grid->swept_aabbs, order, count);
}

bool
pqti_grid_make(pqti_grid *grid, pqti_ball *balls, pqt_box *swept_aabbs, size_t count, bool *fits)
{
    grid->swept_aabbs = swept_aabbs;
    choose_cells(grid, count);
    grid->first = pqti_alloc_scratch((size_t)grid->across * grid->down + 1, sizeof *grid->first);
    grid->next = pqti_alloc_scratch(count, sizeof *grid->next);
    uint32_t *cell_of_ball = pqti_alloc_scratch(count, sizeof *cell_of_ball);
    bool good = grid->first != NULL && grid->next != NULL && cell_of_ball != NULL;
    *fits = good && count_balls(grid, cell_of_ball, count);
    if (*fits)
        sort_balls(grid, balls, cell_of_ball, count);
    pqti_free_scratch(cell_of_ball);
    return good;
}

/* ---- Queries ---- */

typedef struct neighbour_visit {
    const pqti_grid *grid;
    pqti_visit_neighbour_fn *visit;
    void *context;
} neighbour_visit;

/* Visits those balls of a run whose swept boxes touch the swept box of `ball`. */
static bool
visit_run(const neighbour_visit *v, uint32_t ball, uint32_t from, uint32_t to)
{
    const pqt_box *swept_aabbs = v->grid->swept_aabbs, own = swept_aabbs[ball];
    for (uint32_t i = from; i < to; i++)
        if ((swept_aabbs[i].min.x <= own.max.x) & (own.min.x <= swept_aabbs[i].max.x) &
                (swept_aabbs[i].min.y <= own.max.y) & (own.min.y <= swept_aabbs[i].max.y) &&
            !v->visit(ball, i, v->context))
            return false;
    return true;
}

/* Visits the pairs of each ball of a cell with the later balls of the cell, the cell on the right,
 * and the three cells below. */
static bool
visit_grid_cell(const neighbour_visit *v, uint32_t x, uint32_t y)
{
    const pqti_grid *grid = v->grid;
    const uint32_t *row = grid->first + (size_t)y * grid->across, *below = row + grid->across;
    uint32_t left = x > 0 ? x - 1 : 0, right = x + 1 < grid->across ? x + 1 : x;
    for (uint32_t i = row[x]; i < row[x + 1]; i++)
        if (!visit_run(v, i, i + 1, row[right + 1]) ||
            (y + 1 < grid->down && !visit_run(v, i, below[left], below[right + 1])))
            return false;
    return true;
}

/* Converts the runs to linked lists. */
static void
link_runs_of_cells(pqti_grid *grid)
{
    const size_t cells = (size_t)grid->across * grid->down;
    for (size_t c = 0; c < cells; c++) {
        uint32_t from = grid->first[c], to = grid->first[c + 1];
        for (uint32_t i = from; i < to; i++)
            grid->next[i] = i + 1 < to ? i + 1 : PQTI_NO_BALL;
        if (from == to)
            grid->first[c] = PQTI_NO_BALL;
    }
}

bool
pqti_grid_pairs(pqti_grid *grid, pqti_visit_neighbour_fn *visit, void *context)
{
    const neighbour_visit v = {grid, visit, context};
    for (uint32_t y = 0; y < grid->down; y++)
        for (uint32_t x = 0; x < grid->across; x++)
            if (!visit_grid_cell(&v, x, y))
                return false;
    link_runs_of_cells(grid);
    return true;
}

static bool
visit_others_of_cell(const neighbour_visit *v, uint32_t ball, uint32_t cell)
{
    for (uint32_t i = v->grid->first[cell]; i != PQTI_NO_BALL; i = v->grid->next[i])
        if (i != ball && !visit_run(v, ball, i, i + 1))
            return false;
    return true;
}

bool
pqti_grid_neighbours(const pqti_grid *grid, uint32_t ball, pqti_visit_neighbour_fn *visit,
                     void *context)
{
    const neighbour_visit v = {grid, visit, context};
    const pqt_box *swept_aabb = &grid->swept_aabbs[ball];
    const uint32_t x = across_of(grid, swept_aabb->min.x), y = down_of(grid, swept_aabb->min.y);
    const uint32_t right = across_of(grid, swept_aabb->max.x),
                   low = down_of(grid, swept_aabb->max.y);
    for (uint32_t row = y > 0 ? y - 1 : 0; row <= low; row++)
        for (uint32_t qcoord = x > 0 ? x - 1 : 0; qcoord <= right; qcoord++)
            if (!visit_others_of_cell(&v, ball, row * grid->across + qcoord))
                return false;
    return true;
}

bool
pqti_grid_move(pqti_grid *grid, uint32_t ball, pqt_box swept_aabb)
{
    if (!((swept_aabb.max.x - swept_aabb.min.x) * CELL_SLACK <= grid->side.x) ||
        !((swept_aabb.max.y - swept_aabb.min.y) * CELL_SLACK <= grid->side.y))
        return false;
    uint32_t *link = &grid->first[cell_of(grid, &grid->swept_aabbs[ball])];
    while (*link != ball) {
        PQT_INVARIANT(*link != PQTI_NO_BALL, "a ball is not in its cell");
        link = &grid->next[*link];
    }
    *link = grid->next[ball];
    link = &grid->first[cell_of(grid, &swept_aabb)];
    grid->next[ball] = *link;
    *link = ball;
    grid->swept_aabbs[ball] = swept_aabb;
    return true;
}

void
pqti_grid_free(pqti_grid *grid)
{
    pqti_free_scratch(grid->next);
    pqti_free_scratch(grid->first);
}
