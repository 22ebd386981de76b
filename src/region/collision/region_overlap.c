/* SPDX-License-Identifier: MIT */
/*
 * region_overlap.c - whether two regions overlap, and the area that they have in common.
 *
 * Both trees are walked down as pairs of squares that lie on each other. The larger square of a
 * pair is divided first. Where one is full, what the other has in it is a count that its nodes
 * know.
 */
#include "config.h"

#include "region/collision/region_overlap_internal.h"

#include <stddef.h>
#include <string.h>

#include <pqt/circle.h>
#include <pqt/region_overlap.h>
#include <pqt/vec.h>

#include "base/error_internal.h"
#include "base/simd.h"
#include "region/bits.h"
#include "region/collision/fixpos.h"
#include "region/collision/region_cursor.h"
#include "region/region_internal.h"
#include "region/tile.h"

/* Two squares, both where they lie in a's coordinates, and what they have in common there: not
   nothing. */
typedef struct pair {
    const pqti_rnode *a, *b;
    pqti_rcell cell_a, cell_b;
    pqt_pixel_box common;
} pair;

/* False if they have nothing in common. */
static inline bool
pair_up(pair *p, const pqti_rnode *a, pqti_rcell cell_a, const pqti_rnode *b, pqti_rcell cell_b)
{
    if (a == PQTI_EMPTY || b == PQTI_EMPTY)
        return false;
    *p = (pair){a, b, cell_a, cell_b,
                pqti_box_common(pqti_rcell_box(cell_a), pqti_rcell_box(cell_b))};
    return !pqti_box_is_empty(p->common);
}

/* The larger square is divided; the other keeps its place. False if nothing is in common. */
static inline bool
pair_up_child(const pair *p, int i, pair *child)
{
    if (p->cell_a.level >= p->cell_b.level)
        return pair_up(child, ((const pqti_rinner *)p->a)->child[i], pqti_rcell_child(p->cell_a, i),
                       p->b, p->cell_b);
    return pair_up(child, p->a, p->cell_a, ((const pqti_rinner *)p->b)->child[i],
                   pqti_rcell_child(p->cell_b, i));
}

static bool
are_both_tiles(const pair *p)
{
    return p->cell_a.level == PQTI_TILE_LEVEL && p->cell_b.level == PQTI_TILE_LEVEL;
}

/* Two tiles, their rows lined up at the left of what they have in common. */
typedef struct strips {
    const uint64_t *a, *b;
    int shift_a, shift_b;
    int count;
} strips;

static strips
strips_of(const pair *p)
{
    const uint64_t *a = ((const pqti_tile *)p->a)->rows, *b = ((const pqti_tile *)p->b)->rows;
    const pqt_pixel_box common = p->common;
    return (strips){a + (common.min.y - p->cell_a.y), b + (common.min.y - p->cell_b.y),
                    common.min.x - p->cell_a.x, common.min.x - p->cell_b.x,
                    common.max.y - common.min.y};
}

static inline uint64_t
common_row_bits(const strips *s, int y)
{
    return (s->a[y] >> s->shift_a) & (s->b[y] >> s->shift_b);
}

/* ---- whether ---- */

static bool
tiles_overlap(const pair *p)
{
    const strips s = strips_of(p);
    for (int y = 0; y < s.count; y++)
        if (common_row_bits(&s, y) != 0)
            return true;
    return false;
}

/* Of a square that is mixed and above tile size. */
static inline uint64_t
missing_in(const pqti_rnode *node, int level)
{
    return (UINT64_C(1) << 2 * level) - ((const pqti_rinner *)node)->count;
}

/* Where less is missing in both together than they have in common, some pixel is in both. */
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

/* The quadrant in which the middle of what is common lies: there a pixel in both is most likely. */
static inline int
likely_quadrant(const pair *p, pqti_rcell cell)
{
    const int32_t half = pqti_side(cell.level - 1);
    const int32_t x = p->common.min.x + (p->common.max.x - p->common.min.x) / 2;
    const int32_t y = p->common.min.y + (p->common.max.y - p->common.min.y) / 2;
    return (x >= cell.x + half) + 2 * (y >= cell.y + half);
}

/* Of squares of one size, both are divided at once. */
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
            if (pair_up(&child, a, cell_a, ((const pqti_rinner *)p->b)->child[k ^ of_b],
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
        return pqti_rnode_any_in(p->b, p->cell_b, p->common);
    if (p->b == PQTI_FULL)
        return pqti_rnode_any_in(p->a, p->cell_a, p->common);
    if (are_both_tiles(p))
        return tiles_overlap(p);
    if (must_overlap(p))
        return true;
    if (p->cell_a.level == p->cell_b.level)
        return quadrants_overlap(p);
    const int first = likely_quadrant(p, p->cell_a.level > p->cell_b.level ? p->cell_a : p->cell_b);
    for (int i = 0; i < 4; i++) {
        pair child;
        if (pair_up_child(p, i ^ first, &child) && pair_overlaps(&child))
            return true;
    }
    return false;
}

/* Begins with the pair of quadrants after the `last`-th; false if there is none left. */
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
        if (pair_up(p, a->quadrant[of_a], pqti_rcell_quadrant(a->level, of_a), b->quadrant[of_b],
                    cell_b))
            return true;
    }
    return false;
}

/* At a whole offset. */
static bool
regions_overlap(const pqt_region *a, const pqt_region *b, pqt_pixel offset)
{
    pair p;
    for (int i = -1; next_quadrants(a, b, offset, &i, &p);)
        if (pair_overlaps(&p))
            return true;
    return false;
}

bool
pqti_regions_overlap_at(const pqt_region *a, const pqt_region *b, pqti_fixpos offset)
{
    const pqti_lattice_weights weights = pqti_lattice_weights_of(offset);
    for (int i = 0; i < weights.count; i++)
        if (regions_overlap(a, b, weights.at[i]))
            return true;
    return false;
}

bool
pqt_region_overlaps(const pqt_region *a, const pqt_region *b, pqt_vec offset)
{
    PQT_ASSERT(a != NULL && b != NULL, "a region is NULL");
    pqti_fixpos position;
    return pqti_fixpos_of(offset, PQTI_MAX_OFFSET, &position) &&
           pqti_regions_overlap_at(a, b, position);
}

/* ---- how much: two rows side by side, so that one instruction does for both ---- */

static inline pqti_u64x2
strips_at(const strips *s, int y)
{
    return pqti_u64x2_and(pqti_u64x2_shift_right(pqti_u64x2_load(s->a + y), (unsigned)s->shift_a),
                          pqti_u64x2_shift_right(pqti_u64x2_load(s->b + y), (unsigned)s->shift_b));
}

/* Adds three bits in each place: the sum's low bits into `low`, what is carried is returned. */
static inline pqti_u64x2
sum_strips(pqti_u64x2 *low, pqti_u64x2 b, pqti_u64x2 c)
{
    const pqti_u64x2 partial = pqti_u64x2_xor(*low, b);
    const pqti_u64x2 carry = pqti_u64x2_or(pqti_u64x2_and(*low, b), pqti_u64x2_and(partial, c));
    *low = pqti_u64x2_xor(partial, c);
    return carry;
}

static inline uint64_t
bits_in_both(pqti_u64x2 both)
{
    return pqti_bits_in(pqti_u64x2_lane(both, 0)) + pqti_bits_in(pqti_u64x2_lane(both, 1));
}

/*
 * How many bits of the strips are 1. Sixteen rows are added up bit by bit, in each of the 64
 * places, before any bits are counted; what is left of them adds eight to a place at most.
 *
 * Source: R. M. Harley and D. Seal's counter, as told in H. S. Warren, Hacker's Delight, section
 * 5-1.
 */
static uint64_t
count_strips(const strips *s)
{
    const pqti_u64x2 none = pqti_u64x2_splat(0);
    pqti_u64x2 ones = none, twos = none, fours = none;
    uint64_t count = 0;
    int y = 0;
    for (; y + 16 <= s->count; y += 16) {
        pqti_u64x2 two_a = sum_strips(&ones, strips_at(s, y), strips_at(s, y + 2));
        pqti_u64x2 two_b = sum_strips(&ones, strips_at(s, y + 4), strips_at(s, y + 6));
        const pqti_u64x2 four_a = sum_strips(&twos, two_a, two_b);
        two_a = sum_strips(&ones, strips_at(s, y + 8), strips_at(s, y + 10));
        two_b = sum_strips(&ones, strips_at(s, y + 12), strips_at(s, y + 14));
        const pqti_u64x2 four_b = sum_strips(&twos, two_a, two_b);
        count += 8 * bits_in_both(sum_strips(&fours, four_a, four_b));
    }
    pqti_u64x2 eights = none;
    for (; y < s->count; y += 2) {
        const pqti_u64x2 one =
            y + 2 <= s->count ? strips_at(s, y) : pqti_u64x2_of(common_row_bits(s, y), 0);
        const pqti_u64x2 two = sum_strips(&ones, one, none), four = sum_strips(&twos, two, none);
        eights = pqti_u64x2_xor(eights, sum_strips(&fours, four, none));
    }
    return count + 8 * bits_in_both(eights) + 4 * bits_in_both(fours) + 2 * bits_in_both(twos) +
           bits_in_both(ones);
}

static uint64_t
pair_area(const pair *p)
{
    if (p->a == PQTI_FULL)
        return pqti_rnode_count_in(p->b, p->cell_b, p->common);
    if (p->b == PQTI_FULL)
        return pqti_rnode_count_in(p->a, p->cell_a, p->common);
    if (are_both_tiles(p)) {
        const strips s = strips_of(p);
        return count_strips(&s);
    }
    uint64_t area = 0;
    for (int i = 0; i < 4; i++) {
        pair child;
        if (pair_up_child(p, i, &child))
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

pqt_overlap_area
pqt_region_overlap_area(const pqt_region *a, const pqt_region *b, pqt_vec offset)
{
    PQT_ASSERT(a != NULL && b != NULL, "a region is NULL");
    pqti_fixpos position;
    uint64_t steps = 0;
    if (pqti_fixpos_of(offset, PQTI_MAX_OFFSET, &position)) {
        const pqti_lattice_weights weights = pqti_lattice_weights_of(position);
        for (int i = 0; i < weights.count; i++)
            steps += weights.weight[i] * area_at(a, b, weights.at[i]);
    }
    return (pqt_overlap_area){steps, ldexp((double)steps, -20)};
}

/*
 * Whether a region overlaps a box or a circle.
 *
 * What is flat and lies on the edge between two rows or columns of pixels is in no pixel, but may
 * be inside of the region: where there are pixels on both sides of it.
 */

/* ---- boxes ---- */

/* A coordinate within a pixel of where pixels may lie: beyond that nothing changes. */
static double
clamp_near_pixels(double value)
{
    const double most = PQT_PIXEL_LIMIT + 1;
    return value < -most ? -most : value > most ? most : value;
}

/* Pixels that a stretch of one axis meets: half open. A point between two of them is in both. */
typedef struct pixel_span {
    int32_t from, to;
    bool on_edge; /* it is such a point */
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

/* Looks for a place along an edge that has pixels on both sides. */
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
    PQT_ASSERT(region != NULL, "the region is NULL");
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

/* ---- circles ---- */

/* A box never is farther from a point than a box in it, so squares tell what pixels would. */
static bool
circle_overlaps_box(const pqt_circle *circle, pqt_pixel_box box)
{
    const pqt_box square = {{box.min.x, box.min.y}, {box.max.x, box.max.y}};
    return pqt_circle_overlaps_box(*circle, square);
}

/* The nearest pixel of a run is no farther than the run. */
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
    PQT_ASSERT(region != NULL, "the region is NULL");
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
 * Whether a circle overlaps a region that is put somewhere.
 *
 * What pqt_circle_overlaps_box says of the box of each pixel, decided by full squares. A distance
 * is no less than it is along one axis, rounded or not; so most squares are passed over without a
 * square root.
 */

typedef struct circle_query {
    pqti_shape_view shape;
    pqt_circle circle;
    pqt_vec at;
    pqt_box met;
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
test_circle_cell(circle_query *l, const pqti_region_cursor *part)
{
    const pqt_box box = {
        {pqti_pixels_of(part->min.x) + l->at.x, pqti_pixels_of(part->min.y) + l->at.y},
        {pqti_pixels_of(part->max.x) + l->at.x, pqti_pixels_of(part->max.y) + l->at.y}};
    if (!circle_overlaps(&l->circle, &box))
        return false;
    if (part->coverage == PQTI_CURSOR_FULL) {
        l->met = box;
        return true;
    }
    for (int i = 0; i < 4; i++) {
        pqti_region_cursor quadrant = pqti_region_cursor_quadrant(part, i);
        if (pqti_region_cursor_fill(&l->shape, &quadrant, i) && test_circle_cell(l, &quadrant))
            return true;
    }
    return false;
}

bool
pqti_circle_overlaps_region(pqt_circle circle, const pqt_region *region, pqt_vec at, pqt_box *met)
{
    circle_query l = {.shape = pqti_shape_view_of(region), .circle = circle, .at = at};
    pqti_region_cursor parts[4];
    const int count = pqti_shape_view_roots(&l.shape, parts);
    for (int i = 0; i < count; i++) {
        if (!test_circle_cell(&l, &parts[i]))
            continue;
        if (met != NULL)
            *met = l.met;
        return true;
    }
    return false;
}
