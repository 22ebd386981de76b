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

#include "base/error_internal.h"
#include "base/simd.h"
#include "region/bits.h"
#include "region/region_internal.h"
#include "region/tile.h"

/* Two squares, both where they lie in a's coordinates, and what they have in common there: not
   nothing. */
typedef struct pair {
    const pqti_square *a, *b;
    pqti_plot plot_a, plot_b;
    pqt_pixel_box common;
} pair;

/* False if they have nothing in common. */
static inline bool
pair_up(pair *p, const pqti_square *a, pqti_plot plot_a, const pqti_square *b, pqti_plot plot_b)
{
    if (a == PQTI_EMPTY || b == PQTI_EMPTY)
        return false;
    *p =
        (pair){a, b, plot_a, plot_b, pqti_box_common(pqti_plot_box(plot_a), pqti_plot_box(plot_b))};
    return !pqti_box_is_empty(p->common);
}

/* The larger square is divided; the other keeps its place. False if nothing is in common. */
static inline bool
pair_up_child(const pair *p, int i, pair *child)
{
    if (p->plot_a.level >= p->plot_b.level)
        return pair_up(child, ((const pqti_quad *)p->a)->child[i], pqti_child_plot(p->plot_a, i),
                       p->b, p->plot_b);
    return pair_up(child, p->a, p->plot_a, ((const pqti_quad *)p->b)->child[i],
                   pqti_child_plot(p->plot_b, i));
}

static bool
are_tiles(const pair *p)
{
    return p->plot_a.level == PQTI_TILE_LEVEL && p->plot_b.level == PQTI_TILE_LEVEL;
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
    return (strips){a + (common.min.y - p->plot_a.y), b + (common.min.y - p->plot_b.y),
                    common.min.x - p->plot_a.x, common.min.x - p->plot_b.x,
                    common.max.y - common.min.y};
}

static inline uint64_t
strip(const strips *s, int y)
{
    return (s->a[y] >> s->shift_a) & (s->b[y] >> s->shift_b);
}

/* ---- whether ---- */

static bool
tiles_overlap(const pair *p)
{
    const strips s = strips_of(p);
    for (int y = 0; y < s.count; y++)
        if (strip(&s, y) != 0)
            return true;
    return false;
}

/* Of a square that is mixed and above tile size. */
static inline uint64_t
missing_in(const pqti_square *square, int level)
{
    return (UINT64_C(1) << 2 * level) - ((const pqti_quad *)square)->count;
}

/* Where less is missing in both together than they have in common, some pixel is in both. */
static inline bool
must_overlap(const pair *p)
{
    if (p->plot_a.level == PQTI_TILE_LEVEL || p->plot_b.level == PQTI_TILE_LEVEL)
        return false;
    const uint64_t width = (uint64_t)(p->common.max.x - p->common.min.x);
    const uint64_t height = (uint64_t)(p->common.max.y - p->common.min.y);
    return missing_in(p->a, p->plot_a.level) + missing_in(p->b, p->plot_b.level) < width * height;
}

static bool pair_overlaps(const pair *p);

/* The quarter in which the middle of what is common lies: there a pixel in both is most likely. */
static inline int
likely_quarter(const pair *p, pqti_plot plot)
{
    const int32_t half = pqti_side(plot.level - 1);
    const int32_t x = p->common.min.x + (p->common.max.x - p->common.min.x) / 2;
    const int32_t y = p->common.min.y + (p->common.max.y - p->common.min.y) / 2;
    return (x >= plot.x + half) + 2 * (y >= plot.y + half);
}

/* Of squares of one size, both are divided at once. */
static bool
quarters_overlap(const pair *p)
{
    const int of_a = likely_quarter(p, p->plot_a), of_b = likely_quarter(p, p->plot_b);
    for (int i = 0; i < 4; i++) {
        const pqti_square *a = ((const pqti_quad *)p->a)->child[i ^ of_a];
        if (a == PQTI_EMPTY)
            continue;
        const pqti_plot plot_a = pqti_child_plot(p->plot_a, i ^ of_a);
        for (int k = 0; k < 4; k++) {
            pair child;
            if (pair_up(&child, a, plot_a, ((const pqti_quad *)p->b)->child[k ^ of_b],
                        pqti_child_plot(p->plot_b, k ^ of_b)) &&
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
        return pqti_square_any_in(p->b, p->plot_b, p->common);
    if (p->b == PQTI_FULL)
        return pqti_square_any_in(p->a, p->plot_a, p->common);
    if (are_tiles(p))
        return tiles_overlap(p);
    if (must_overlap(p))
        return true;
    if (p->plot_a.level == p->plot_b.level)
        return quarters_overlap(p);
    const int first = likely_quarter(p, p->plot_a.level > p->plot_b.level ? p->plot_a : p->plot_b);
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
        pqti_plot plot_b = pqti_quadrant_plot(b->level, of_b);
        plot_b.x += offset.x;
        plot_b.y += offset.y;
        if (pair_up(p, a->quadrant[of_a], pqti_quadrant_plot(a->level, of_a), b->quadrant[of_b],
                    plot_b))
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
    const pqti_corners corners = pqti_corners_of(offset);
    for (int i = 0; i < corners.count; i++)
        if (regions_overlap(a, b, corners.at[i]))
            return true;
    return false;
}

bool
pqt_region_overlaps(const pqt_region *a, const pqt_region *b, pqt_vec offset)
{
    PQT_ASSERT(a != NULL && b != NULL, "a region is NULL");
    pqti_fixpos place;
    return pqti_fixpos_of(offset, PQTI_REACH, &place) && pqti_regions_overlap_at(a, b, place);
}

/* ---- how much: two rows side by side, so that one instruction does for both ---- */

static inline pqti_words
strips_at(const strips *s, int y)
{
    return (pqti_words_load(s->a + y) >> s->shift_a) & (pqti_words_load(s->b + y) >> s->shift_b);
}

/* Adds three bits in each place: the sum's low bits into `low`, what is carried is returned. */
static inline pqti_words
add_up(pqti_words *low, pqti_words b, pqti_words c)
{
    const pqti_words partial = *low ^ b, carry = (*low & b) | (partial & c);
    *low = partial ^ c;
    return carry;
}

static inline uint64_t
bits_in_both(pqti_words both)
{
    return pqti_bits_in(both[0]) + pqti_bits_in(both[1]);
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
    const pqti_words none = {0, 0};
    pqti_words ones = none, twos = none, fours = none;
    uint64_t count = 0;
    int y = 0;
    for (; y + 16 <= s->count; y += 16) {
        pqti_words two_a = add_up(&ones, strips_at(s, y), strips_at(s, y + 2));
        pqti_words two_b = add_up(&ones, strips_at(s, y + 4), strips_at(s, y + 6));
        const pqti_words four_a = add_up(&twos, two_a, two_b);
        two_a = add_up(&ones, strips_at(s, y + 8), strips_at(s, y + 10));
        two_b = add_up(&ones, strips_at(s, y + 12), strips_at(s, y + 14));
        const pqti_words four_b = add_up(&twos, two_a, two_b);
        count += 8 * bits_in_both(add_up(&fours, four_a, four_b));
    }
    pqti_words eights = none;
    for (; y < s->count; y += 2) {
        const pqti_words one = y + 2 <= s->count ? strips_at(s, y) : (pqti_words){strip(s, y), 0};
        const pqti_words two = add_up(&ones, one, none), four = add_up(&twos, two, none);
        eights ^= add_up(&fours, four, none);
    }
    return count + 8 * bits_in_both(eights) + 4 * bits_in_both(fours) + 2 * bits_in_both(twos) +
           bits_in_both(ones);
}

static uint64_t
pair_area(const pair *p)
{
    if (p->a == PQTI_FULL)
        return pqti_square_count_in(p->b, p->plot_b, p->common);
    if (p->b == PQTI_FULL)
        return pqti_square_count_in(p->a, p->plot_a, p->common);
    if (are_tiles(p)) {
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
    pqti_fixpos place;
    uint64_t steps = 0;
    if (pqti_fixpos_of(offset, PQTI_REACH, &place)) {
        const pqti_corners corners = pqti_corners_of(place);
        for (int i = 0; i < corners.count; i++)
            steps += corners.weight[i] * area_at(a, b, corners.at[i]);
    }
    return (pqt_overlap_area){steps, ldexp((double)steps, -20)};
}
