/* SPDX-License-Identifier: MIT */
/* cells.c: visits the cells of a tree, and computes their boxes. */
#include "config.h"

#include <math.h>

#include "base/error_internal.h"
#include "tree/path_compress.h"

typedef struct cell_walk {
    const pqti_domain *domain;
    pqt_visit_cell_fn *visit;
    void *context;
} cell_walk;

/* A cell, given by its column and row among 2^depth columns and rows. */
typedef struct cell_at {
    uint32_t x, y;
    int depth;
} cell_at;

/* Divides the interval low..high into 2^depth equal parts, and returns the beginning of part i.
   The result does not decrease as i grows, and is exact at both ends. */
static double
line_at(double low, double high, uint64_t i, int depth)
{
    if (i == UINT64_C(1) << depth)
        return high;
    double line = 2 * (low / 2 + (high / 2 - low / 2) * ldexp((double)i, -depth));
    return i == 0 || line < low ? low : line > high ? high : line;
}

pqt_box
pqti_cell_box(const pqti_domain *domain, uint32_t x, uint32_t y, int depth)
{
    const pqt_box *bounds = &domain->bounds;
    return (pqt_box){{line_at(bounds->min.x, bounds->max.x, x, depth),
                      line_at(bounds->min.y, bounds->max.y, y, depth)},
                     {line_at(bounds->min.x, bounds->max.x, x + UINT64_C(1), depth),
                      line_at(bounds->min.y, bounds->max.y, y + UINT64_C(1), depth)}};
}

static bool
visit_tree_cell(const cell_walk *walk, cell_at at, pqt_cell_kind kind, pqti_node_ref ref)
{
    pqt_cell cell = {pqti_cell_box(walk->domain, at.x, at.y, at.depth), kind, at.depth, ref.count,
                     ref.at};
    return walk->visit(&cell, walk->context);
}

static cell_at
cell_quadrant_of(cell_at at, unsigned i)
{
    return (cell_at){at.x << 1 | (i & 1), at.y << 1 | (i >> 1 & 1), at.depth + 1};
}

/* Returns the cell of the node at the end of a compressed edge. */
static PQTI_NOINLINE cell_at
end_of_skip(const pqti_domain *domain, const pqti_node_ref *ref, cell_at at)
{
    const pqti_level level = {PQTI_BY_CELL, (uint8_t)at.depth, false};
    const pqti_skip skip = pqti_skip_of(domain, level, ref);
    while (at.depth < (int)skip.end)
        at = cell_quadrant_of(at, pqti_skip_digit(&skip, (unsigned)at.depth));
    return at;
}

static bool
visit_cell_child(const cell_walk *walk, const pqti_node_ref *ref, cell_at at)
{
    if (ref->at == NULL)
        return true;
    if (ref->skips)
        at = end_of_skip(walk->domain, ref, at);
    if (ref->leaf)
        return visit_tree_cell(walk, at, PQT_CELL_LEAF, *ref);
    const pqti_inner *node = ref->at;
    if (!visit_tree_cell(walk, at, PQT_CELL_INNER, *ref))
        return false;
    const pqti_node_ref own = pqti_own_ref(node, ref->count);
    if (own.at != NULL && !visit_tree_cell(walk, at, PQT_CELL_OWN_ITEMS, own))
        return false;
    for (unsigned i = 0; i < PQTI_QUADRANTS; i++) {
        const pqti_node_ref child = pqti_quadrant_ref(node, (int)i);
        if (!visit_cell_child(walk, &child, cell_quadrant_of(at, i)))
            return false;
    }
    return true;
}

bool
pqt_tree_visit_cells(const pqt_tree *tree, pqt_visit_cell_fn *visit, void *context)
{
    PQT_ASSERT(tree != NULL && visit != NULL, "the tree or the visitor is NULL");
    pqti_assert_alive(__func__, tree);
    cell_walk walk = {tree->domain, visit, context};
    const pqti_node_ref root = pqti_root(tree);
    return visit_cell_child(&walk, &root, (cell_at){0, 0, 0});
}
