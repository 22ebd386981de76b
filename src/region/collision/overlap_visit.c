/* SPDX-License-Identifier: MIT */
/*
 * overlap_visit.c: visits all pixels in which two regions overlap, or finds the first one as seen
 * from a side.
 *
 * The algorithm descends both trees in pairs of nodes that intersect. A descent ends at a *tile
 * overlap*, where both nodes are full or the rows of their common box have at most 64 pixels.
 */
#include "config.h"

#include "region/collision/overlap_visit.h"

#include "base/error_internal.h"
#include "region/bits.h"
#include "region/collision/flat_region.h"
#include "region/region_internal.h"
#include "region/tile.h"

/* The intersection of two nodes, as a box in a's coordinates. */
typedef struct tile_overlap {
    pqt_pixel_box box;
    const uint64_t *rows_a, *rows_b; /* rows from the box's first one on; NULL if the node is
                                        full */
    int shift_a, shift_b;            /* bit position of the box's left side in the rows */
} tile_overlap;

typedef struct overlap_walk {
    const pqt_region *a, *b;
    pqt_pixel offset;
    const int *order; /* the order in which the children of a node are visited */
    bool (*may_enter)(struct overlap_walk *walk, pqt_pixel_box box);
    bool (*handle_overlap)(struct overlap_walk *walk,
                           const tile_overlap *at); /* returns true to continue */
    pqt_visit_pixel_pairs_fn *visit;
    void *context;
    pqt_side side;
    bool found;
    pqt_pixel_pair first; /* the first pair; valid if `found` is set */
} overlap_walk;

static uint64_t
common_row(const tile_overlap *at, int y)
{
    PQT_INVARIANT(at->box.min.x < at->box.max.x && at->box.max.x - at->box.min.x <= 64,
                  "a row of a tile overlap does not fit into a word");
    uint64_t row = pqti_bits_between(0, at->box.max.x - at->box.min.x);
    if (at->rows_a != NULL)
        row &= at->rows_a[y] >> at->shift_a;
    if (at->rows_b != NULL)
        row &= at->rows_b[y] >> at->shift_b;
    return row;
}

static bool
is_divisible(const pqti_rnode *node, pqti_rcell cell)
{
    return node != PQTI_FULL && cell.level > PQTI_TILE_LEVEL;
}

static bool
overlap_tiles(overlap_walk *walk, const pqti_rnode *a, pqti_rcell cell_a, const pqti_rnode *b,
              pqti_rcell cell_b, pqt_pixel_box common)
{
    tile_overlap at = {.box = common};
    if (a != PQTI_FULL) {
        at.rows_a = pqti_rows_of(a) + (common.min.y - cell_a.y);
        at.shift_a = common.min.x - cell_a.x;
    }
    if (b != PQTI_FULL) {
        at.rows_b = pqti_rows_of(b) + (common.min.y - walk->offset.y - cell_b.y);
        at.shift_b = common.min.x - walk->offset.x - cell_b.x;
    }
    return walk->handle_overlap(walk, &at);
}

static bool
overlap_rnodes(overlap_walk *walk, const pqti_rnode *a, pqti_rcell cell_a, const pqti_rnode *b,
               pqti_rcell cell_b)
{
    if (a == PQTI_EMPTY || b == PQTI_EMPTY)
        return true;
    const pqti_rcell moved = {cell_b.x + walk->offset.x, cell_b.y + walk->offset.y, cell_b.level};
    const pqt_pixel_box common = pqti_box_common(pqti_rcell_box(cell_a), pqti_rcell_box(moved));
    if (pqti_box_is_empty(common) || (walk->may_enter != NULL && !walk->may_enter(walk, common)))
        return true;
    const bool can_a = is_divisible(a, cell_a), can_b = is_divisible(b, cell_b);
    if (!can_a && !can_b)
        return overlap_tiles(walk, a, cell_a, b, cell_b, common);
    const bool divides_a = can_a && (!can_b || cell_a.level >= cell_b.level);
    const pqti_rinner *inner = (const pqti_rinner *)(divides_a ? a : b);
    for (int i = 0; i < 4; i++) {
        const int k = walk->order[i];
        if (divides_a
                ? !overlap_rnodes(walk, inner->child[k], pqti_rcell_child(cell_a, k), b, cell_b)
                : !overlap_rnodes(walk, a, cell_a, inner->child[k], pqti_rcell_child(cell_b, k)))
            return false;
    }
    return true;
}

/* Handles the overlap of two tiles of regions of few tiles. */
static bool
overlap_tile_pair(const pqti_tile_pair *pair, void *context)
{
    overlap_walk *walk = context;
    if (walk->may_enter != NULL && !walk->may_enter(walk, pair->common))
        return true;
    const tile_overlap overlap = {pair->common, pair->a == &pqti_full_tile ? NULL : pair->strips.a,
                                  pair->b == &pqti_full_tile ? NULL : pair->strips.b,
                                  pair->strips.shift_a, pair->strips.shift_b};
    return walk->handle_overlap(walk, &overlap);
}

static bool
overlap_quadrants(overlap_walk *walk)
{
    for (int i = 0; i < 16; i++) {
        const int of_a = walk->order[i >> 2], of_b = walk->order[i & 3];
        if (walk->a->quadrant[of_a] == PQTI_EMPTY || walk->b->quadrant[of_b] == PQTI_EMPTY)
            continue;
        if (!overlap_rnodes(walk, walk->a->quadrant[of_a],
                            pqti_rcell_quadrant(walk->a->level, of_a), walk->b->quadrant[of_b],
                            pqti_rcell_quadrant(walk->b->level, of_b)))
            return false;
    }
    return true;
}

/* Walks over the overlaps at each of the whole offsets, until handle_overlap ends it. Regions up to
 * `flat_level` are walked as pairs of tiles. */
static bool
walk_overlaps(overlap_walk *walk, const pqti_lattice_weights *weights, int flat_level)
{
    const bool are_flat = pqti_are_flat(walk->a, walk->b, flat_level);
    bool goes_on = true;
    for (int i = 0; goes_on && i < weights->count; i++) {
        walk->offset = weights->at[i];
        goes_on = are_flat ? pqti_visit_tile_pairs(walk->a, walk->b, walk->offset, walk->order,
                                                   overlap_tile_pair, walk)
                           : overlap_quadrants(walk);
    }
    return goes_on;
}

/* ---- All ---- */

static bool
emit_pixel_pairs(const overlap_walk *walk, int32_t x, int32_t y, int32_t width, int32_t height)
{
    const pqt_pixel_pairs pairs = {{x, y}, {x - walk->offset.x, y - walk->offset.y}, width, height};
    return walk->visit(&pairs, walk->context);
}

/* Visits the runs of set bits in each row. */
static bool
emit_row_runs(overlap_walk *walk, const tile_overlap *at)
{
    for (int32_t y = 0; y < at->box.max.y - at->box.min.y; y++)
        for (uint64_t row = common_row(at, y); row != 0;) {
            const int from = pqti_lowest_bit(row);
            const uint64_t gaps = ~(row | ((row & (0 - row)) - 1));
            const int to = gaps != 0 ? pqti_lowest_bit(gaps) : 64;
            if (!emit_pixel_pairs(walk, at->box.min.x + from, at->box.min.y + y, to - from, 1))
                return false;
            row &= ~pqti_bits_between(from, to);
        }
    return true;
}

static bool
emit_tile_overlap(overlap_walk *walk, const tile_overlap *at)
{
    if (at->rows_a != NULL || at->rows_b != NULL)
        return emit_row_runs(walk, at);
    return emit_pixel_pairs(walk, at->box.min.x, at->box.min.y, at->box.max.x - at->box.min.x,
                            at->box.max.y - at->box.min.y);
}

static const int in_rows[4] = {0, 1, 2, 3};

bool
pqt_region_visit_overlap(const pqt_region *a, const pqt_region *b, pqt_vec offset,
                         pqt_visit_pixel_pairs_fn *visit, void *context)
{
    PQT_ASSERT(a != NULL && b != NULL && visit != NULL, "a region or visit is NULL");
    pqti_assert_region_alive(__func__, a);
    pqti_assert_region_alive(__func__, b);
    pqti_fixpos position;
    if (!pqti_fixpos_of(offset, PQTI_MAX_OFFSET, &position))
        return true;
    const pqti_lattice_weights weights = pqti_lattice_weights_of(position);
    overlap_walk walk = {.a = a,
                         .b = b,
                         .order = in_rows,
                         .handle_overlap = emit_tile_overlap,
                         .visit = visit,
                         .context = context};
    /* The pairs of tiles are the same as those of the descent if no node is above tile level. */
    return walk_overlaps(&walk, &weights, PQTI_TILE_LEVEL);
}

/* ---- The first ---- */

/* Returns true if pixel a precedes pixel b as seen from a side. */
static bool
pixel_pair_is_before(pqt_side side, pqt_pixel a, pqt_pixel b)
{
    const bool by_rows = side == PQT_FROM_TOP || side == PQT_FROM_BOTTOM;
    const bool backward = side == PQT_FROM_BOTTOM || side == PQT_FROM_RIGHT;
    const int32_t main_a = by_rows ? a.y : a.x, main_b = by_rows ? b.y : b.x;
    if (main_a != main_b)
        return backward ? main_a > main_b : main_a < main_b;
    return by_rows ? a.x < b.x : a.y < b.y;
}

/* Returns the first pixel of a full box, as seen from the side. */
static pqt_pixel
first_full_pixel(pqt_side side, pqt_pixel_box box)
{
    return (pqt_pixel){side == PQT_FROM_RIGHT ? box.max.x - 1 : box.min.x,
                       side == PQT_FROM_BOTTOM ? box.max.y - 1 : box.min.y};
}

/* Returns true if a box may contain a pixel that precedes the first one so far. The same pixel of a
 * may occur again, with another pixel of b. */
static bool
may_come_first(overlap_walk *walk, pqt_pixel_box box)
{
    return !walk->found ||
           !pixel_pair_is_before(walk->side, walk->first.a, first_full_pixel(walk->side, box));
}

static void
offer_overlap(overlap_walk *walk, pqt_pixel pixel)
{
    const pqt_pixel_pair pair = {pixel, {pixel.x - walk->offset.x, pixel.y - walk->offset.y}};
    if (walk->found && (pixel_pair_is_before(walk->side, walk->first.a, pixel) ||
                        (!pixel_pair_is_before(walk->side, pixel, walk->first.a) &&
                         pixel_pair_is_before(walk->side, walk->first.b, pair.b))))
        return;
    walk->found = true;
    walk->first = pair;
}

/* Offers the first pixel of the first non-empty row, from the top or from the bottom. */
static void
offer_row(overlap_walk *walk, const tile_overlap *at)
{
    const int32_t height = at->box.max.y - at->box.min.y;
    for (int32_t i = 0; i < height; i++) {
        const int32_t y = walk->side == PQT_FROM_TOP ? i : height - 1 - i;
        const uint64_t row = common_row(at, y);
        if (row != 0) {
            offer_overlap(walk,
                          (pqt_pixel){at->box.min.x + pqti_lowest_bit(row), at->box.min.y + y});
            return;
        }
    }
}

/* Offers the topmost pixel of the first non-empty column, from the left or from the right. */
static void
offer_column(overlap_walk *walk, const tile_overlap *at)
{
    uint64_t any = 0;
    for (int32_t y = 0; y < at->box.max.y - at->box.min.y; y++)
        any |= common_row(at, y);
    if (any == 0)
        return;
    const int x = walk->side == PQT_FROM_LEFT ? pqti_lowest_bit(any) : pqti_highest_bit(any);
    int32_t y = 0;
    while ((common_row(at, y) >> x & 1) == 0)
        y++;
    offer_overlap(walk, (pqt_pixel){at->box.min.x + x, at->box.min.y + y});
}

static bool
offer_first_of_tiles(overlap_walk *walk, const tile_overlap *at)
{
    if (at->rows_a == NULL && at->rows_b == NULL)
        offer_overlap(walk, first_full_pixel(walk->side, at->box));
    else if (walk->side == PQT_FROM_TOP || walk->side == PQT_FROM_BOTTOM)
        offer_row(walk, at);
    else
        offer_column(walk, at);
    return true;
}

/* Returns the order of quadrants as seen from a side. */
static const int *
order_from(pqt_side side)
{
    static const int bottom[4] = {2, 3, 0, 1}, left[4] = {0, 2, 1, 3}, right[4] = {1, 3, 0, 2};
    switch (side) {
    case PQT_FROM_BOTTOM:
        return bottom;
    case PQT_FROM_LEFT:
        return left;
    case PQT_FROM_RIGHT:
        return right;
    default:
        return in_rows;
    }
}

bool
pqti_regions_first(const pqt_region *a, const pqt_region *b, pqti_fixpos offset, pqt_side side,
                   pqt_pixel_pair *first)
{
    const pqti_lattice_weights weights = pqti_lattice_weights_of(offset);
    overlap_walk walk = {.a = a,
                         .b = b,
                         .order = order_from(side),
                         .may_enter = may_come_first,
                         .handle_overlap = offer_first_of_tiles,
                         .side = side};
    walk_overlaps(&walk, &weights, PQTI_FLAT_LEVEL);
    if (walk.found && first != NULL)
        *first = walk.first;
    return walk.found;
}

bool
pqt_region_first_overlap(const pqt_region *a, const pqt_region *b, pqt_vec offset, pqt_side side,
                         pqt_pixel_pair *first)
{
    PQT_ASSERT(a != NULL && b != NULL, "a region is NULL");
    pqti_assert_region_alive(__func__, a);
    pqti_assert_region_alive(__func__, b);
    PQT_ASSERT(side >= PQT_FROM_TOP && side <= PQT_FROM_RIGHT, "the side is not a pqt_side");
    pqti_fixpos position;
    return pqti_fixpos_of(offset, PQTI_MAX_OFFSET, &position) &&
           pqti_regions_first(a, b, position, side, first);
}

/* An array of the caller, and the number of rectangles that were visited. */
typedef struct collected_pairs {
    pqt_pixel_pairs *pairs;
    size_t capacity, count;
} collected_pairs;

static bool
collect_pairs(const pqt_pixel_pairs *pairs, void *context)
{
    collected_pairs *all = context;
    if (all->count < all->capacity)
        all->pairs[all->count] = *pairs;
    all->count++;
    return true;
}

size_t
pqt_region_collect_overlap(const pqt_region *a, const pqt_region *b, pqt_vec offset,
                           pqt_pixel_pairs *pairs, size_t capacity)
{
    PQT_ASSERT(pairs != NULL || capacity == 0, "pairs is NULL, and capacity is not 0");
    PQTI_ASSERT_REGION(a);
    PQTI_ASSERT_REGION(b);
    collected_pairs all = {pairs, capacity, 0};
    pqt_region_visit_overlap(a, b, offset, collect_pairs, &all);
    return all.count;
}
