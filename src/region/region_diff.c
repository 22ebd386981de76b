/* SPDX-License-Identifier: MIT */
/*
 * region_diff.c: finds the boxes in which two versions differ.
 *
 * Both versions are traversed together. If they have the same node at a position, or nodes with
 * equal fingerprints, they do not differ there. So the traversal enters only nodes that changed.
 */
#include "config.h"

#include "region/region_internal.h"

#include "base/error_internal.h"
#include "region/quad.h"
#include "region/region_internal.h"
#include "region/tile.h"

typedef struct diff_walk {
    const pqt_region *before, *after;
    pqt_visit_pixel_box_fn *visit; /* NULL: the pixels are only counted */
    void *context;
    size_t nodes;    /* the number of nodes entered */
    uint64_t pixels; /* the number of pixels counted */
} diff_walk;

static uint64_t
box_area(const pqt_pixel_box *box)
{
    return (uint64_t)(box->max.x - box->min.x) * (uint64_t)(box->max.y - box->min.y);
}

/*
 * Returns true if two nodes count as equal. Padding is never equal: all regions use the same
 * sentinels for it, but the content depends on the region. Nodes that the versions share have equal
 * addresses. Different nodes count as equal if their 64-bit fingerprints are equal.
 */
static bool
nodes_equal(const pqti_rnode *a, const pqti_rnode *b)
{
    if (pqti_is_padding(a) || pqti_is_padding(b))
        return false;
    return a == b ||
           (pqti_is_allocated(a) && pqti_is_allocated(b) && a->fingerprint == b->fingerprint);
}

/* Visits a square whose pixels all differ, or counts them. */
static bool
visit_square(diff_walk *walk, pqti_rcell cell)
{
    const pqt_pixel_box box = pqti_rcell_box(cell);
    if (walk->visit != NULL)
        return walk->visit(&box, walk->context);
    walk->pixels += box_area(&box);
    return true;
}

/* Visits the box of the pixels that differ in a tile, or counts them. */
static bool
visit_tile(diff_walk *walk, const pqti_rnode *a, const pqti_rnode *b, pqti_rcell cell)
{
    uint64_t rows[PQTI_TILE_SIDE];
    const uint64_t *of_a = pqti_rows_of(a), *of_b = pqti_rows_of(b);
    for (int y = 0; y < PQTI_TILE_SIDE; y++)
        rows[y] = of_a[y] ^ of_b[y];
    if (walk->visit == NULL) {
        walk->pixels += pqti_count_rows(rows);
        return true;
    }
    const pqt_pixel_box box = pqti_box_of_rows(rows, cell);
    return walk->visit(&box, walk->context);
}

static bool
diff_nodes(diff_walk *walk, const pqti_rnode *a, const pqti_rnode *b, pqti_rcell cell)
{
    if (nodes_equal(a, b))
        return true;
    walk->nodes += (size_t)pqti_is_allocated(a) + (size_t)pqti_is_allocated(b);
    if (pqti_is_uniform(a) && pqti_is_uniform(b))
        return visit_square(walk, cell);
    if (cell.level == PQTI_TILE_LEVEL)
        return visit_tile(walk, a, b, cell);
    const pqti_rnode *in_a[4], *in_b[4];
    pqti_rnode_children(walk->before, a, cell.level, in_a);
    pqti_rnode_children(walk->after, b, cell.level, in_b);
    for (int i = 0; i < 4; i++)
        if (!diff_nodes(walk, in_a[i], in_b[i], pqti_rcell_child(cell, i)))
            return false;
    return true;
}

static bool
diff_regions(diff_walk *walk)
{
    const pqt_region *before = walk->before, *after = walk->after;
    const int level = before->level > after->level ? before->level : after->level;
    bool unstopped = true;
    for (int i = 0; i < 4 && unstopped; i++)
        unstopped = diff_nodes(walk, pqti_quadrant(before, level, i),
                               pqti_quadrant(after, level, i), pqti_rcell_quadrant(level, i));
    return unstopped;
}

bool
pqti_region_visit_diff(const pqt_region *before, const pqt_region *after,
                       pqt_visit_pixel_box_fn *visit, void *context, size_t *squares)
{
    diff_walk walk = {before, after, visit, context, 0, 0};
    const bool unstopped = diff_regions(&walk);
    *squares = walk.nodes;
    return unstopped;
}

uint64_t
pqti_region_count_diff(const pqt_region *before, const pqt_region *after)
{
    diff_walk walk = {before, after, NULL, NULL, 0, 0};
    if (before != after)
        diff_regions(&walk);
    return walk.pixels;
}

bool
pqt_region_visit_diff(const pqt_region *before, const pqt_region *after,
                      pqt_visit_pixel_box_fn *visit, void *context)
{
    PQT_ASSERT(before != NULL && after != NULL && visit != NULL, "a region or visit is NULL");
    pqti_assert_region_alive(__func__, before);
    pqti_assert_region_alive(__func__, after);
    size_t squares;
    return before == after || pqti_region_visit_diff(before, after, visit, context, &squares);
}

/* ---- Damage: a limited number of boxes ---- */

typedef struct damage {
    pqt_pixel_box *boxes;
    size_t count, capacity;
} damage;

/* Returns the amount by which the area of a box grows if it is extended by another box. */
static uint64_t
area_growth(const pqt_pixel_box *box, const pqt_pixel_box *other)
{
    pqt_pixel_box extended = *box;
    pqti_box_extend(&extended, other);
    return box_area(&extended) - box_area(box);
}

static bool
collect_pixel_damage(const pqt_pixel_box *box, void *context)
{
    damage *d = context;
    size_t best = 0;
    if (d->count < d->capacity) {
        d->boxes[d->count++] = *box;
        return true;
    }
    for (size_t i = 1; i < d->count; i++)
        if (area_growth(&d->boxes[i], box) < area_growth(&d->boxes[best], box))
            best = i;
    pqti_box_extend(&d->boxes[best], box);
    return true;
}

size_t
pqt_region_damage(const pqt_region *before, const pqt_region *after, pqt_pixel_box *boxes,
                  size_t capacity)
{
    PQT_ASSERT(before != NULL && after != NULL, "a region is NULL");
    pqti_assert_region_alive(__func__, before);
    pqti_assert_region_alive(__func__, after);
    PQT_ASSERT(boxes != NULL && capacity > 0, "boxes is NULL, or the capacity is 0");
    damage d = {boxes, 0, capacity};
    pqt_region_visit_diff(before, after, collect_pixel_damage, &d);
    return d.count;
}
