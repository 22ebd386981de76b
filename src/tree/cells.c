/* SPDX-License-Identifier: MIT */
/* cells.c - visiting the subdivision itself, to draw it or to look at it. */
#include "config.h"

#include <math.h>

#include "base/error_internal.h"
#include "tree/path_compress.h"

typedef struct cell_walk {
    const pqti_space *space;
    pqt_visit_cell_fn *visit;
    void *context;
} cell_walk;

/* A cell by its column and row among 2^depth. */
typedef struct cell_at {
    uint32_t x, y;
    int depth;
} cell_at;

/* Where the i-th of 2^depth parts begins: rising with i, and exact at both ends. */
static double
line_at(double low, double high, uint64_t i, int depth)
{
    if (i == UINT64_C(1) << depth)
        return high;
    double line = 2 * (low / 2 + (high / 2 - low / 2) * ldexp((double)i, -depth));
    return i == 0 || line < low ? low : line > high ? high : line;
}

pqt_box
pqti_cell_box(const pqti_space *space, uint32_t x, uint32_t y, int depth)
{
    const pqt_box *bounds = &space->bounds;
    return (pqt_box){{line_at(bounds->min.x, bounds->max.x, x, depth),
                      line_at(bounds->min.y, bounds->max.y, y, depth)},
                     {line_at(bounds->min.x, bounds->max.x, x + UINT64_C(1), depth),
                      line_at(bounds->min.y, bounds->max.y, y + UINT64_C(1), depth)}};
}

static bool
visit_cell(const cell_walk *walk, cell_at at, pqt_cell_kind kind, size_t count)
{
    pqt_cell cell = {pqti_cell_box(walk->space, at.x, at.y, at.depth), kind, at.depth, count};
    return walk->visit(&cell, walk->context);
}

static cell_at
quarter_of(cell_at at, unsigned i)
{
    return (cell_at){at.x << 1 | (i & 1), at.y << 1 | (i >> 1 & 1), at.depth + 1};
}

/* The cell where a node that stands deeper stands. */
static PQTI_NOINLINE cell_at
end_of_chain(const pqti_space *space, pqti_ref ref, cell_at at)
{
    const pqti_place place = {PQTI_SPACE, (uint8_t)at.depth, false};
    const pqti_chain chain = pqti_chain_of(space, place, ref);
    while (at.depth < (int)chain.end)
        at = quarter_of(at, pqti_chain_digit(&chain, (unsigned)at.depth));
    return at;
}

static bool
walk_part(const cell_walk *walk, pqti_ref ref, cell_at at)
{
    if (ref.at == NULL)
        return true;
    if (ref.deep)
        at = end_of_chain(walk->space, ref, at);
    if (ref.leaf)
        return visit_cell(walk, at, PQT_CELL_LEAF, ref.count);
    const pqti_inner *node = ref.at;
    if (!visit_cell(walk, at, PQT_CELL_INNER, ref.count))
        return false;
    uint32_t stopped = pqti_bucket_count(node, ref.count);
    if (stopped > 0 && !visit_cell(walk, at, PQT_CELL_BUCKET, stopped))
        return false;
    for (unsigned i = 0; i < PQTI_QUARTERS; i++)
        if (!walk_part(walk, pqti_quarter(node, (int)i), quarter_of(at, i)))
            return false;
    return true;
}

bool
pqt_tree_visit_cells(const pqt_tree *tree, pqt_visit_cell_fn *visit, void *context)
{
    PQT_ASSERT(tree != NULL && visit != NULL, "the tree or the visitor is NULL");
    cell_walk walk = {tree->space, visit, context};
    return walk_part(&walk, pqti_root(tree), (cell_at){0, 0, 0});
}
