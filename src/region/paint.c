/* SPDX-License-Identifier: MIT */
/*
 * paint.c: paints primitives into a region in one descent.
 *
 * The descent keeps, for each node, the list of the primitives that intersect the node, in their
 * order. If one of them sets or clears the whole node, the primitives before it and the old content
 * of the node do not matter. So a node has a *backdrop* in addition to its old content, on which
 * the remaining primitives are painted. If no primitive remains, the backdrop is the result. In a
 * tile, all primitives are painted on the same 64 words, and the tile is made once.
 *
 * Invariant: if the pixels of a node do not change in the end, the result is the old node. Tiles
 * are compared by rows, inner nodes by children.
 */
#include "config.h"

#include "region/paint.h"

#include <string.h>

#include "base/error_internal.h"
#include "region/bits.h"
#include "region/quad.h"
#include "region/region_internal.h"
#include "region/tile.h"

/* The number of list entries on the stack. In a descent, one primitive needs at most this number,
 * and most calls with two or three primitives need no more. */
enum { FEW = 64 };

/* A stack of lists, one for each node on the path. An entry is 2 * index of the primitive, plus 1
 * if the primitive covers the node completely. */
typedef struct list_stack {
    uint32_t *entries; /* the array `few`, or an array in scratch memory */
    size_t count, capacity;
    uint32_t few[FEW];
} list_stack;

/* One list of the stack. It is given by its first index, because the entries may be moved. */
typedef struct list {
    size_t start, count;
} list;

typedef struct painter {
    const pqt_region *region;
    const pqti_primitives *primitives;
    list_stack all;
} painter;

static bool
push_to_list(list_stack *all, uint32_t entry)
{
    if (all->count == all->capacity) {
        uint32_t *more = pqti_alloc_scratch(2 * all->capacity, sizeof *more);
        if (more == NULL)
            return false;
        memcpy(more, all->entries, all->count * sizeof *more);
        if (all->entries != all->few)
            pqti_free_scratch(all->entries);
        all->entries = more;
        all->capacity *= 2;
    }
    all->entries[all->count++] = entry;
    return true;
}

static void
drop_first(list *of, size_t count)
{
    of->start += count;
    of->count -= count;
}

static pqt_paint_op
op_of(const painter *p, uint32_t entry)
{
    return p->primitives->primitives != NULL ? p->primitives->primitives[entry / 2].op
                                             : PQT_PAINT_SET;
}

/* Pushes a new list: the primitives in the list `of` that intersect a child node. Returns false
 * when out of memory. */
static bool
select_primitives(painter *p, list of, pqti_rcell cell, list *selected)
{
    selected->start = p->all.count;
    for (size_t i = of.start; i < of.start + of.count; i++) {
        uint32_t entry = p->all.entries[i];
        pqti_primitive tmp;
        if (entry % 2 == 0) {
            pqti_raster_coverage cover =
                pqti_primitive_covers(pqti_primitive_at(p->primitives, entry / 2, &tmp), cell);
            if (cover == PQTI_RASTER_OUTSIDE)
                continue;
            entry += cover == PQTI_RASTER_WHOLLY;
        }
        if (!push_to_list(&p->all, entry))
            return false;
    }
    selected->count = p->all.count - selected->start;
    return true;
}

/* Finds the last primitive that sets or clears the whole node. Makes it the backdrop and drops the
 * primitives up to it. */
static void
find_backdrop(const painter *p, const pqti_rnode **backdrop, list *primitives)
{
    for (size_t left = primitives->count; left > 0; left--) {
        uint32_t entry = p->all.entries[primitives->start + left - 1];
        if (entry % 2 == 1 && op_of(p, entry) != PQT_PAINT_TOGGLE) {
            *backdrop = op_of(p, entry) == PQT_PAINT_SET ? PQTI_FULL : PQTI_EMPTY;
            drop_first(primitives, left);
            return;
        }
    }
}

/* Applies primitives to a uniform backdrop as long as it remains uniform. */
static void
paint_uniform(const painter *p, const pqti_rnode **backdrop, list *primitives)
{
    for (; primitives->count > 0 && pqti_is_uniform(*backdrop); drop_first(primitives, 1)) {
        uint32_t entry = p->all.entries[primitives->start];
        pqt_paint_op op = op_of(p, entry);
        if (op == PQT_PAINT_TOGGLE && entry % 2 == 1)
            *backdrop = *backdrop == PQTI_FULL ? PQTI_EMPTY : PQTI_FULL;
        else if (op == PQT_PAINT_TOGGLE || (op == PQT_PAINT_SET) != (*backdrop == PQTI_FULL))
            return;
    }
}

static void
paint_row(uint64_t *row, pqt_paint_op op, uint64_t mask)
{
    if (op == PQT_PAINT_SET)
        *row |= mask;
    else if (op == PQT_PAINT_CLEAR)
        *row &= ~mask;
    else
        *row ^= mask;
}

/* Paints the intersection of a primitive with a tile onto the tile's rows. */
static void
paint_rows(uint64_t rows[PQTI_TILE_SIDE], const pqti_primitive *primitive, bool covers_all,
           pqti_rcell cell)
{
    const pqt_pixel_box tile = pqti_rcell_box(cell);
    const pqt_pixel_box box = covers_all ? tile : pqti_box_common(tile, primitive->box);
    for (int32_t y = box.min.y; y < box.max.y; y++) {
        pqti_span span = {tile.min.x, tile.max.x};
        if (!covers_all)
            span = pqti_primitive_row(primitive, y);
        const int from = span.from > tile.min.x ? span.from - tile.min.x : 0;
        const int to = span.to < tile.max.x ? span.to - tile.min.x : PQTI_TILE_SIDE;
        if (from < to)
            paint_row(&rows[y - cell.y], primitive->op, pqti_bits_between(from, to));
    }
}

static const pqti_rnode *
paint_tile(painter *p, pqti_rcell cell, const pqti_rnode *old, const pqti_rnode *backdrop,
           list primitives)
{
    uint64_t rows[PQTI_TILE_SIDE];
    memcpy(rows, pqti_rows_of(backdrop), sizeof rows);
    for (size_t i = primitives.start; i < primitives.start + primitives.count; i++) {
        uint32_t entry = p->all.entries[i];
        pqti_primitive tmp;
        paint_rows(rows, pqti_primitive_at(p->primitives, entry / 2, &tmp), entry % 2 == 1, cell);
    }
    return pqti_tile_make(p->region->memory, rows, old, NULL);
}

static const pqti_rnode *paint_node(painter *p, pqti_rcell cell, const pqti_rnode *old,
                                    const pqti_rnode *backdrop, list primitives);

static const pqti_rnode *
paint_inner(painter *p, pqti_rcell cell, const pqti_rnode *old, const pqti_rnode *backdrop,
            list primitives)
{
    const pqti_rnode *before[4], *below[4], *after[4];
    bool unchanged = pqti_is_allocated(old);
    pqti_rnode_children(p->region, old, cell.level, before);
    pqti_rnode_children(p->region, backdrop, cell.level, below);
    for (int i = 0; i < 4; i++) {
        pqti_rcell child = pqti_rcell_child(cell, i);
        size_t top = p->all.count;
        list selected;
        if (!select_primitives(p, primitives, child, &selected))
            return NULL;
        after[i] = paint_node(p, child, before[i], below[i], selected);
        p->all.count = top;
        if (after[i] == NULL)
            return NULL;
        unchanged = unchanged && after[i] == before[i];
    }
    return unchanged ? old : pqti_rinner_make(p->region->memory, after, cell.level, old);
}

/* Paints a list of primitives on a node. Returns NULL when out of memory. */
static const pqti_rnode *
paint_node(painter *p, pqti_rcell cell, const pqti_rnode *old, const pqti_rnode *backdrop,
           list primitives)
{
    find_backdrop(p, &backdrop, &primitives);
    paint_uniform(p, &backdrop, &primitives);
    if (primitives.count == 0 && !pqti_is_padding(backdrop))
        return backdrop;
    return cell.level == PQTI_TILE_LEVEL ? paint_tile(p, cell, old, backdrop, primitives)
                                         : paint_inner(p, cell, old, backdrop, primitives);
}

/* Returns the level that the region may need after painting. */
static int
level_needed(const pqt_region *old, const pqti_primitives *primitives)
{
    pqt_pixel_box box = {{0, 0}, {0, 0}};
    for (size_t i = 0; i < primitives->count; i++) {
        pqti_primitive tmp;
        const pqti_primitive *primitive = pqti_primitive_at(primitives, i, &tmp);
        if (primitive->op != PQT_PAINT_CLEAR)
            pqti_box_extend(&box, &primitive->box);
    }
    int level = pqti_level_of(&box);
    return level > old->level ? level : old->level;
}

/* Pushes the list of all primitives. Returns false when out of memory. */
static bool
list_primitives(painter *p, list *all)
{
    *all = (list){0, p->primitives->count};
    for (uint32_t i = 0; i < p->primitives->count; i++)
        if (!push_to_list(&p->all, 2 * i))
            return false;
    return true;
}

static bool
paint_quadrants(painter *p, int level, const pqti_rnode *quadrant[4])
{
    list all, selected;
    if (!list_primitives(p, &all))
        return false;
    for (int i = 0; i < 4; i++) {
        const pqti_rnode *old = pqti_quadrant(p->region, level, i);
        pqti_rcell cell = pqti_rcell_quadrant(level, i);
        p->all.count = all.count;
        if (!select_primitives(p, all, cell, &selected))
            return false;
        quadrant[i] = paint_node(p, cell, old, old, selected);
        if (quadrant[i] == NULL)
            return false;
    }
    return true;
}

bool
pqti_paint_quadrants(const pqt_region *old, const pqti_primitives *primitives, int *level,
                     const pqti_rnode *quadrant[4], pqt_error *error)
{
    painter p = {.region = old, .primitives = primitives};
    PQT_INVARIANT(primitives->count <= PQTI_MAX_PRIMITIVES, "there are too many primitives");
    p.all.entries = p.all.few;
    p.all.capacity = FEW;
    *level = level_needed(old, primitives);
    bool painted = paint_quadrants(&p, *level, quadrant);
    if (p.all.entries != p.all.few)
        pqti_free_scratch(p.all.entries);
    if (!painted)
        pqti_out_of_memory(error);
    return painted;
}

/* ---- Public functions: one pixel by path copying, everything else by the descent above ---- */

static const pqt_region *
paint_primitives(const pqt_region *region, const pqti_primitive *primitives, size_t count,
                 pqt_error *error)
{
    const pqti_rnode *quadrant[4];
    int level;
    pqti_primitives source = {.primitives = primitives, .count = count};
    if (!pqti_paint_quadrants(region, &source, &level, quadrant, error))
        return NULL;
    return pqti_region_next(region, level, quadrant, error);
}

static int
child_at(pqt_pixel pixel, int level)
{
    return (pixel.x >> (level - 1) & 1) + 2 * (pixel.y >> (level - 1) & 1);
}

/* Toggles one pixel of a quadrant by copying the path to the pixel, beginning with the tile. */
static const pqti_rnode *
toggle_in_quadrant(const pqt_region *region, const pqti_rnode *node, pqt_pixel pixel)
{
    const pqti_rnode *path[PQTI_TOP_LEVEL + 1];
    for (int level = region->level; level > PQTI_TILE_LEVEL; level--) {
        path[level] = node;
        if (pqti_is_allocated(node))
            node = ((const pqti_rinner *)node)->child[child_at(pixel, level)];
    }
    const int inside = PQTI_TILE_SIDE - 1;
    node = pqti_tile_toggle(region->memory, node, pixel.x & inside, pixel.y & inside);
    for (int level = PQTI_TILE_LEVEL + 1; node != NULL && level <= region->level; level++) {
        const pqti_rnode *child[4];
        pqti_rnode_children(region, path[level], level, child);
        child[child_at(pixel, level)] = node;
        node = pqti_rinner_make(region->memory, child, level, path[level]);
    }
    return node;
}

/* Paints one pixel that is within the region's level. */
static const pqt_region *
paint_pixel(const pqt_region *region, pqt_paint_op op, pqt_pixel pixel, pqt_error *error)
{
    const pqti_rnode *quadrant[4];
    PQT_INVARIANT(pqti_box_holds(pqti_rcell_box(pqti_rcell_quadrant(
                                     region->level, (pixel.x >= 0) + 2 * (pixel.y >= 0))),
                                 (pqt_pixel_box){pixel, {pixel.x + 1, pixel.y + 1}}),
                  "the pixel is beyond the region's level");
    int changed = (pixel.x >= 0) + 2 * (pixel.y >= 0);
    if (op != PQT_PAINT_TOGGLE && pqt_region_contains(region, pixel) == (op == PQT_PAINT_SET))
        return region;
    for (int i = 0; i < 4; i++)
        quadrant[i] = region->quadrant[i];
    quadrant[changed] = toggle_in_quadrant(region, quadrant[changed], pixel);
    if (quadrant[changed] != NULL)
        return pqti_region_next(region, region->level, quadrant, error);
    pqti_out_of_memory(error);
    return NULL;
}

/* Returns true if a primitive is a single pixel within the region's level. */
static bool
is_near_pixel(const pqt_region *region, const pqti_primitive *primitive)
{
    int32_t side = pqti_side(region->level);
    pqt_pixel_box box = primitive->box;
    return primitive->is_box && (int64_t)box.max.x - box.min.x == 1 &&
           (int64_t)box.max.y - box.min.y == 1 && box.min.x >= -side && box.min.x < side &&
           box.min.y >= -side && box.min.y < side;
}

const pqt_region *
pqt_region_paint(const pqt_region *region, pqt_paint paint, pqt_error *error)
{
    pqti_primitive primitive;
    if (!pqti_region_check_input(region, error) || !pqti_primitive_of(&paint, 0, &primitive, error))
        return NULL;
    if (is_near_pixel(region, &primitive))
        return paint_pixel(region, primitive.op, primitive.box.min, error);
    return paint_primitives(region, &primitive, 1, error);
}

/* Converts paints to primitives. Returns NULL and sets an error on failure. */
static pqti_primitive *
make_primitives(const pqt_paint *paints, size_t count, pqt_error *error)
{
    pqti_primitive *primitives = pqti_alloc_scratch(count, sizeof *primitives);
    if (primitives == NULL) {
        pqti_out_of_memory(error);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        if (!pqti_primitive_of(&paints[i], i, &primitives[i], error)) {
            pqti_free_scratch(primitives);
            return NULL;
        }
    }
    return primitives;
}

const pqt_region *
pqt_region_paint_all(const pqt_region *region, const pqt_paint *paints, size_t count,
                     pqt_error *error)
{
    PQT_ASSERT(paints != NULL || count == 0, "paints is NULL, and count is not 0");
    if (!pqti_region_check_input(region, error))
        return NULL;
    if (count <= 1)
        return count == 0 ? region : pqt_region_paint(region, paints[0], error);
    if (!pqti_validate_primitive_count(count, error))
        return NULL;
    pqti_primitive *primitives = make_primitives(paints, count, error);
    if (primitives == NULL)
        return NULL;
    const pqt_region *next = paint_primitives(region, primitives, count, error);
    pqti_free_scratch(primitives);
    return next;
}
