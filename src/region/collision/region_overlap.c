/* SPDX-License-Identifier: MIT */
/*
 * region_overlap.c: tests whether a region overlaps another region, a box or a circle, and computes
 * the area of an intersection.
 *
 * The algorithm descends both trees in pairs of nodes that intersect. The larger node of a pair is
 * divided first. If one node is full, the answer follows from the counts in the other node.
 */
#include "config.h"

#include "region/collision/region_overlap_internal.h"

#include <stddef.h>
#include <string.h>

#include <pqt/circle.h>
#include <pqt/region_overlap.h>
#include <pqt/vec.h>

#include "base/error_internal.h"
#include "region/bits.h"
#include "region/collision/fixpos.h"
#include "region/collision/flat_region.h"
#include "region/collision/region_cursor.h"
#include "region/region_internal.h"
#include "region/tile.h"

/* Two nodes with their cells in a's coordinates, and their intersection, which is not empty. */
typedef struct pair {
    const pqti_rnode *a, *b;
    pqti_rcell cell_a, cell_b;
    pqt_pixel_box common;
} pair;

/* Makes a pair. Returns false if the intersection is empty. */
static inline bool
make_pair(pair *p, const pqti_rnode *a, pqti_rcell cell_a, const pqti_rnode *b, pqti_rcell cell_b)
{
    if (a == PQTI_EMPTY || b == PQTI_EMPTY)
        return false;
    *p = (pair){a, b, cell_a, cell_b,
                pqti_box_common(pqti_rcell_box(cell_a), pqti_rcell_box(cell_b))};
    return !pqti_box_is_empty(p->common);
}

/* Makes a pair from the i-th child of the larger node and the other node. Returns false if the
 * intersection is empty. */
static inline bool
make_child_pair(const pair *p, int i, pair *child)
{
    if (p->cell_a.level >= p->cell_b.level)
        return make_pair(child, ((const pqti_rinner *)p->a)->child[i],
                         pqti_rcell_child(p->cell_a, i), p->b, p->cell_b);
    return make_pair(child, p->a, p->cell_a, ((const pqti_rinner *)p->b)->child[i],
                     pqti_rcell_child(p->cell_b, i));
}

static bool
both_are_tiles(const pair *p)
{
    return p->cell_a.level == PQTI_TILE_LEVEL && p->cell_b.level == PQTI_TILE_LEVEL;
}

static pqti_strips
strips_of(const pair *p)
{
    const uint64_t *a = ((const pqti_tile *)p->a)->rows, *b = ((const pqti_tile *)p->b)->rows;
    const pqt_pixel_box common = p->common;
    PQT_INVARIANT(common.min.y < common.max.y && common.max.y - common.min.y <= PQTI_TILE_SIDE,
                  "the intersection of two tiles does not have 1 to 64 rows");
    return (pqti_strips){a + (common.min.y - p->cell_a.y), b + (common.min.y - p->cell_b.y),
                         common.min.x - p->cell_a.x, common.min.x - p->cell_b.x,
                         common.max.y - common.min.y};
}

/* ---- Overlap ---- */

/* Returns the number of clear pixels in a mixed node above the tile level. */
static inline uint64_t
missing_in(const pqti_rnode *node, int level)
{
    return (UINT64_C(1) << 2 * level) - ((const pqti_rinner *)node)->count;
}

/* Returns true if the nodes must overlap by the pigeonhole principle, because their clear pixels
 * together are fewer than the pixels of the intersection. */
static inline bool
must_overlap(const pair *p)
{
    if (p->cell_a.level == PQTI_TILE_LEVEL || p->cell_b.level == PQTI_TILE_LEVEL)
        return false;
    const uint64_t width = (uint64_t)(p->common.max.x - p->common.min.x);
    const uint64_t height = (uint64_t)(p->common.max.y - p->common.min.y);
    return missing_in(p->a, p->cell_a.level) + missing_in(p->b, p->cell_b.level) < width * height;
}

static bool pair_overlaps(const pair *p);

/* Returns the quadrant that contains the centre of the intersection, where an overlap is most
 * likely. */
static inline int
likely_quadrant(const pair *p, pqti_rcell cell)
{
    const int32_t half = pqti_side(cell.level - 1);
    const int32_t x = p->common.min.x + (p->common.max.x - p->common.min.x) / 2;
    const int32_t y = p->common.min.y + (p->common.max.y - p->common.min.y) / 2;
    return (x >= cell.x + half) + 2 * (y >= cell.y + half);
}

/* Tests two nodes of the same size, which are divided at the same time. */
static bool
quadrants_overlap(const pair *p)
{
    const int of_a = likely_quadrant(p, p->cell_a), of_b = likely_quadrant(p, p->cell_b);
    for (int i = 0; i < 4; i++) {
        const pqti_rnode *a = ((const pqti_rinner *)p->a)->child[i ^ of_a];
        if (a == PQTI_EMPTY)
            continue;
        const pqti_rcell cell_a = pqti_rcell_child(p->cell_a, i ^ of_a);
        for (int k = 0; k < 4; k++) {
            pair child;
            if (make_pair(&child, a, cell_a, ((const pqti_rinner *)p->b)->child[k ^ of_b],
                          pqti_rcell_child(p->cell_b, k ^ of_b)) &&
                pair_overlaps(&child))
                return true;
        }
    }
    return false;
}

static bool
pair_overlaps(const pair *p)
{
    if (p->a == PQTI_FULL)
        return pqti_rnode_any_in(p->b, p->cell_b, &p->common);
    if (p->b == PQTI_FULL)
        return pqti_rnode_any_in(p->a, p->cell_a, &p->common);
    if (both_are_tiles(p)) {
        const pqti_strips strips = strips_of(p);
        return pqti_strips_overlap(&strips);
    }
    if (must_overlap(p))
        return true;
    if (p->cell_a.level == p->cell_b.level)
        return quadrants_overlap(p);
    const int first = likely_quadrant(p, p->cell_a.level > p->cell_b.level ? p->cell_a : p->cell_b);
    for (int i = 0; i < 4; i++) {
        pair child;
        if (make_child_pair(p, i ^ first, &child) && pair_overlaps(&child))
            return true;
    }
    return false;
}

/* Makes the next pair of quadrants after number `*last`. Returns false if no pair is left. */
static bool
next_quadrants(const pqt_region *a, const pqt_region *b, pqt_pixel offset, int *last, pair *p)
{
    while (++*last < 16) {
        const int of_a = *last >> 2, of_b = *last & 3;
        if (a->quadrant[of_a] == PQTI_EMPTY || b->quadrant[of_b] == PQTI_EMPTY)
            continue;
        pqti_rcell cell_b = pqti_rcell_quadrant(b->level, of_b);
        cell_b.x += offset.x;
        cell_b.y += offset.y;
        if (make_pair(p, a->quadrant[of_a], pqti_rcell_quadrant(a->level, of_a), b->quadrant[of_b],
                      cell_b))
            return true;
    }
    return false;
}

/* Returns true if the regions overlap at a whole offset. */
static bool
regions_overlap(const pqt_region *a, const pqt_region *b, pqt_pixel offset)
{
    pair p;
    for (int i = -1; next_quadrants(a, b, offset, &i, &p);)
        if (pair_overlaps(&p))
            return true;
    return false;
}

static const int in_rows[4] = {0, 1, 2, 3};

static bool
have_no_common_pixel(const pqti_tile_pair *tiles, void *context)
{
    (void)context;
    return !pqti_strips_overlap(&tiles->strips);
}

/* Returns true if two regions of a single tile overlap at a whole offset. */
static PQTI_INLINE bool
single_tiles_overlap(const pqt_region *a, const pqt_region *b, pqt_pixel offset)
{
    return !pqti_visit_single_tiles(a, b, offset, have_no_common_pixel, NULL);
}

/* Returns true if two regions of few tiles overlap at a whole offset. */
static bool
flat_regions_overlap(const pqt_region *a, const pqt_region *b, pqt_pixel offset)
{
    return !pqti_visit_tile_pairs(a, b, offset, in_rows, have_no_common_pixel, NULL);
}

bool
pqti_regions_overlap_at(const pqt_region *a, const pqt_region *b, pqti_fixpos offset)
{
    const pqti_lattice_weights weights = pqti_lattice_weights_of(offset);
    const bool are_flat = pqti_are_flat(a, b, PQTI_FLAT_LEVEL);
    for (int i = 0; i < weights.count; i++)
        if ((are_flat ? flat_regions_overlap : regions_overlap)(a, b, weights.at[i]))
            return true;
    return false;
}

bool
pqt_region_overlaps(const pqt_region *a, const pqt_region *b, pqt_vec offset)
{
    PQT_ASSERT(a != NULL && b != NULL, "a region is NULL");
    pqti_assert_region_alive(__func__, a);
    pqti_assert_region_alive(__func__, b);
    pqt_pixel whole;
    if (pqti_are_single_tiles(a, b) && pqti_whole_position_of(offset, PQTI_MAX_OFFSET, &whole))
        return single_tiles_overlap(a, b, whole);
    pqti_fixpos position;
    return pqti_fixpos_of(offset, PQTI_MAX_OFFSET, &position) &&
           pqti_regions_overlap_at(a, b, position);
}

/* ---- Area ---- */

static uint64_t
pair_area(const pair *p)
{
    if (p->a == PQTI_FULL)
        return pqti_rnode_count_in(p->b, p->cell_b, &p->common);
    if (p->b == PQTI_FULL)
        return pqti_rnode_count_in(p->a, p->cell_a, &p->common);
    if (both_are_tiles(p)) {
        const pqti_strips strips = strips_of(p);
        return pqti_strips_count(&strips);
    }
    uint64_t area = 0;
    for (int i = 0; i < 4; i++) {
        pair child;
        if (make_child_pair(p, i, &child))
            area += pair_area(&child);
    }
    return area;
}

static uint64_t
area_at(const pqt_region *a, const pqt_region *b, pqt_pixel offset)
{
    uint64_t area = 0;
    pair p;
    for (int i = -1; next_quadrants(a, b, offset, &i, &p);)
        area += pair_area(&p);
    return area;
}

static bool
add_area_of_tiles(const pqti_tile_pair *tiles, void *context)
{
    *(uint64_t *)context += pqti_strips_count(&tiles->strips);
    return true;
}

/* Returns the area of two regions of few tiles at a whole offset. */
static uint64_t
flat_area_at(const pqt_region *a, const pqt_region *b, pqt_pixel offset)
{
    uint64_t area = 0;
    pqti_visit_tile_pairs(a, b, offset, in_rows, add_area_of_tiles, &area);
    return area;
}

/* Returns the area in subpixels. */
static uint64_t
overlap_area(const pqt_region *a, const pqt_region *b, const pqti_lattice_weights *weights)
{
    const bool are_flat = pqti_are_flat(a, b, PQTI_FLAT_LEVEL);
    uint64_t subpixels = 0;
    for (int i = 0; i < weights->count; i++)
        subpixels += weights->weight[i] * (are_flat ? flat_area_at : area_at)(a, b, weights->at[i]);
    return subpixels;
}

pqt_overlap_area
pqt_region_overlap_area(const pqt_region *a, const pqt_region *b, pqt_vec offset)
{
    PQT_ASSERT(a != NULL && b != NULL, "a region is NULL");
    pqti_assert_region_alive(__func__, a);
    pqti_assert_region_alive(__func__, b);
    pqti_fixpos position;
    uint64_t subpixels = 0;
    if (pqti_fixpos_of(offset, PQTI_MAX_OFFSET, &position)) {
        const pqti_lattice_weights weights = pqti_lattice_weights_of(position);
        subpixels = overlap_area(a, b, &weights);
    }
    return (pqt_overlap_area){subpixels, ldexp((double)subpixels, -20)};
}

/*
 * ---- Boxes ----
 *
 * A flat box on the edge between two rows or columns of pixels is inside no pixel. But it is inside
 * the region at positions that have pixels on both sides.
 */

/* Clamps a coordinate to one pixel beyond the limit. The result of a test is the same for all
 * coordinates beyond that. */
static double
clamp_near_pixels(double value)
{
    const double most = PQT_PIXEL_LIMIT + 1;
    return value < -most ? -most : value > most ? most : value;
}

/* The half-open range of the pixels that an interval intersects. A point between two pixels
 * intersects both. */
typedef struct pixel_span {
    int32_t from, to;
    bool on_edge; /* the interval is a point between two pixels */
} pixel_span;

static pixel_span
pixel_span_of(double min, double max)
{
    min = clamp_near_pixels(min);
    max = clamp_near_pixels(max);
    const double below = floor(min);
    if (min == max && below == min)
        return (pixel_span){(int32_t)min - 1, (int32_t)min + 1, true};
    return (pixel_span){(int32_t)below, -(int32_t)floor(-max), false};
}

/* A search along an edge for a position with pixels on both sides. */
typedef struct seam {
    const pqt_region *region;
    bool along_x;
    bool found;
} seam;

static bool
check_seam_run(const pqt_pixel_run *run, void *context)
{
    seam *s = context;
    if (s->along_x)
        s->found = pqt_region_any_in(
            s->region, (pqt_pixel_box){{run->min_x, run->y + 1}, {run->max_x, run->y + 2}});
    else
        s->found = run->max_x - run->min_x == 2;
    return !s->found;
}

bool
pqt_region_overlaps_box(const pqt_region *region, pqt_box box)
{
    PQTI_ASSERT_REGION(region);
    if (!pqt_box_is_valid(box))
        return false;
    const pixel_span x = pixel_span_of(box.min.x, box.max.x),
                     y = pixel_span_of(box.min.y, box.max.y);
    const pqt_pixel_box window = {{x.from, y.from}, {x.to, y.to}};
    if (!x.on_edge && !y.on_edge)
        return pqt_region_any_in(region, window);
    if (x.on_edge && y.on_edge)
        return pqt_region_count_in(region, window) == 4;
    seam s = {region, y.on_edge, false};
    const pqt_pixel_box upper = {window.min, {window.max.x, window.min.y + 1}};
    pqt_region_visit_runs(region, y.on_edge ? upper : window, check_seam_run, &s);
    return s.found;
}

/* ---- Circles ---- */

/* Returns true if a circle overlaps a box. A box is never farther from a point than a box inside
 * it, so nodes can be rejected like pixels. */
static bool
circle_overlaps_box(const pqt_circle *circle, pqt_pixel_box box)
{
    const pqt_box square = {{box.min.x, box.min.y}, {box.max.x, box.max.y}};
    return pqt_circle_overlaps_box(*circle, square);
}

/* Tests the pixels of a row one by one, which is enough because a run is no nearer than its nearest
 * pixel. */
static bool
circle_overlaps_row(const pqt_circle *circle, uint64_t row, pqti_rcell cell, int32_t y)
{
    for (; row != 0; row &= row - 1) {
        const int32_t x = cell.x + pqti_lowest_bit(row);
        if (circle_overlaps_box(circle, (pqt_pixel_box){{x, y}, {x + 1, y + 1}}))
            return true;
    }
    return false;
}

static bool
circle_overlaps_tile(const pqt_circle *circle, const pqti_tile *tile, pqti_rcell cell)
{
    for (int32_t y = 0; y < PQTI_TILE_SIDE; y++) {
        const pqt_pixel_box row = {{cell.x, cell.y + y}, {cell.x + PQTI_TILE_SIDE, cell.y + y + 1}};
        if (tile->rows[y] != 0 && circle_overlaps_box(circle, row) &&
            circle_overlaps_row(circle, tile->rows[y], cell, cell.y + y))
            return true;
    }
    return false;
}

static bool
circle_overlaps_rnode(const pqt_circle *circle, const pqti_rnode *node, pqti_rcell cell)
{
    if (node == PQTI_EMPTY || !circle_overlaps_box(circle, pqti_rcell_box(cell)))
        return false;
    if (node == PQTI_FULL)
        return true;
    if (cell.level == PQTI_TILE_LEVEL)
        return circle_overlaps_tile(circle, (const pqti_tile *)node, cell);
    for (int i = 0; i < 4; i++)
        if (circle_overlaps_rnode(circle, ((const pqti_rinner *)node)->child[i],
                                  pqti_rcell_child(cell, i)))
            return true;
    return false;
}

bool
pqt_region_overlaps_circle(const pqt_region *region, pqt_circle circle)
{
    PQTI_ASSERT_REGION(region);
    if (!pqt_circle_is_valid(circle))
        return false;
    if (circle.radius == 0)
        return pqt_region_overlaps_box(region, (pqt_box){circle.centre, circle.centre});
    for (int i = 0; i < 4; i++)
        if (circle_overlaps_rnode(&circle, region->quadrant[i],
                                  pqti_rcell_quadrant(region->level, i)))
            return true;
    return false;
}

/*
 * ---- Circles and regions at a position ----
 *
 * pqt_circle_overlaps_box decides for the boxes of full nodes. A distance is never less than its
 * component along one axis, with or without rounding, so most nodes are rejected without a square
 * root.
 */

typedef struct circle_query {
    const pqt_circle *circle;
    const pqti_shape_view *region;
    pqt_vec at;
    int first;
    pqti_region_cursor *hit;
} circle_query;

static double
distance_to_interval(double min, double max, double value)
{
    if (value < min)
        return min - value;
    return value > max ? value - max : 0;
}

static bool
circle_overlaps(const pqt_circle *circle, const pqt_box *box)
{
    const double x = distance_to_interval(box->min.x, box->max.x, circle->centre.x);
    const double y = distance_to_interval(box->min.y, box->max.y, circle->centre.y);
    return x < circle->radius && y < circle->radius &&
           pqt_vec_length((pqt_vec){x, y}) < circle->radius;
}

static bool
test_circle_cell(const circle_query *query, const pqti_region_cursor *cursor)
{
    const pqt_box box = {
        {pqti_pixels_of(cursor->min.x) + query->at.x, pqti_pixels_of(cursor->min.y) + query->at.y},
        {pqti_pixels_of(cursor->max.x) + query->at.x, pqti_pixels_of(cursor->max.y) + query->at.y}};
    if (!circle_overlaps(query->circle, &box))
        return false;
    if (cursor->coverage == PQTI_CURSOR_FULL) {
        if (query->hit != NULL)
            *query->hit = *cursor;
        return true;
    }
    for (int n = 0; n < 4; n++) {
        const int i = n ^ query->first;
        pqti_region_cursor quadrant = pqti_region_cursor_quadrant(cursor, i);
        if (pqti_region_cursor_fill(query->region, &quadrant, i) &&
            test_circle_cell(query, &quadrant))
            return true;
    }
    return false;
}

bool
pqti_circle_overlaps_region(const pqt_circle *circle, const pqti_shape_view *region, pqt_vec at,
                            int first, pqti_region_cursor *hit)
{
    const circle_query query = {circle, region, at, first, hit};
    pqti_region_cursor cursors[4];
    const int count = pqti_shape_view_roots(region, cursors);
    for (int i = 0; i < count; i++)
        if (test_circle_cell(&query, &cursors[i]))
            return true;
    return false;
}
