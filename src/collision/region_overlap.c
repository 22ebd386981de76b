/* SPDX-License-Identifier: MIT */
/*
 * region_overlap.c - whether two regions overlap, and the area that they have in common.
 *
 * Both trees are walked down as pairs of squares that lie on each other. The larger square of a pair is
 * divided first. Where one is full, what the other has in it is a count that its nodes know.
 */
#include "config.h"

#include "collision/region_overlap.h"

#include <stddef.h>

#include "base/error.h"
#include "region/bits.h"
#include "region/region.h"
#include "region/tile.h"

static pqt_pixel_box
moved(pqt_pixel_box box, pqt_pixel by)
{
    return (pqt_pixel_box){{box.min.x + by.x, box.min.y + by.y},
                           {box.max.x + by.x, box.max.y + by.y}};
}

/* Two squares that lie on each other. Boxes are where they lie in a's coordinates. */
typedef struct pair {
    const pqti_square *a, *b;
    pqti_plot plot_a, plot_b; /* b's in its own coordinates */
    pqt_pixel offset;
} pair;

static pqt_pixel_box
common_box(const pair *p)
{
    return pqti_box_common(pqti_plot_box(p->plot_a), moved(pqti_plot_box(p->plot_b), p->offset));
}

/* Of one square, its own child `i`. */
static pair
divided(const pair *p, bool divide_a, int i)
{
    pair child = *p;
    if (divide_a) {
        child.a = ((const pqti_quad *)p->a)->child[i];
        child.plot_a = pqti_child_plot(p->plot_a, i);
    } else {
        child.b = ((const pqti_quad *)p->b)->child[i];
        child.plot_b = pqti_child_plot(p->plot_b, i);
    }
    return child;
}

/* Two tiles, their rows lined up at the left of what they have in common. */
typedef struct strips {
    const uint64_t *a, *b;
    int shift_a, shift_b;
    int count;
} strips;

static strips
strips_of(const pair *p, pqt_pixel_box common)
{
    const uint64_t *a = ((const pqti_tile *)p->a)->rows, *b = ((const pqti_tile *)p->b)->rows;
    return (strips){a + (common.min.y - p->plot_a.y),
                    b + (common.min.y - p->offset.y - p->plot_b.y), common.min.x - p->plot_a.x,
                    common.min.x - p->offset.x - p->plot_b.x, common.max.y - common.min.y};
}

static inline uint64_t
strip(const strips *s, int y)
{
    return (s->a[y] >> s->shift_a) & (s->b[y] >> s->shift_b);
}

/* ---- whether ---- */

static bool
tiles_overlap(const pair *p, pqt_pixel_box common)
{
    const strips s = strips_of(p, common);
    for (int y = 0; y < s.count; y++)
        if (strip(&s, y) != 0)
            return true;
    return false;
}

static bool
pair_overlaps(const pair *p)
{
    if (p->a == PQTI_EMPTY || p->b == PQTI_EMPTY)
        return false;
    const pqt_pixel_box common = common_box(p);
    if (pqti_box_is_empty(common))
        return false;
    if (p->a == PQTI_FULL)
        return pqti_square_any_in(p->b, p->plot_b,
                                  moved(common, (pqt_pixel){-p->offset.x, -p->offset.y}));
    if (p->b == PQTI_FULL)
        return pqti_square_any_in(p->a, p->plot_a, common);
    if (p->plot_a.level == PQTI_TILE_LEVEL && p->plot_b.level == PQTI_TILE_LEVEL)
        return tiles_overlap(p, common);
    const bool divide_a = p->plot_a.level >= p->plot_b.level;
    for (int i = 0; i < 4; i++) {
        const pair child = divided(p, divide_a, i);
        if (pair_overlaps(&child))
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
        *p = (pair){a->quadrant[of_a], b->quadrant[of_b], pqti_quadrant_plot(a->level, of_a),
                    pqti_quadrant_plot(b->level, of_b), offset};
        return true;
    }
    return false;
}

bool
pqti_regions_overlap(const pqt_region *a, const pqt_region *b, pqt_pixel offset)
{
    pair p;
    for (int i = -1; next_quadrants(a, b, offset, &i, &p);)
        if (pair_overlaps(&p))
            return true;
    return false;
}

bool
pqti_regions_overlap_at(const pqt_region *a, const pqt_region *b, pqti_place offset)
{
    const pqti_corners corners = pqti_corners_of(offset);
    for (int i = 0; i < corners.count; i++)
        if (pqti_regions_overlap(a, b, corners.at[i]))
            return true;
    return false;
}

bool
pqt_region_overlaps(const pqt_region *a, const pqt_region *b, pqt_vec offset)
{
    PQT_ASSERT(a != NULL && b != NULL, "a region is NULL");
    pqti_place place;
    return pqti_place_of(offset, PQTI_REACH, &place) && pqti_regions_overlap_at(a, b, place);
}

/* ---- how much ---- */

/* Adds three bits in each place: the sum's low bits into `low`, what is carried is returned. */
static inline uint64_t
add_up(uint64_t *low, uint64_t b, uint64_t c)
{
    const uint64_t partial = *low ^ b, carry = (*low & b) | (partial & c);
    *low = partial ^ c;
    return carry;
}

/*
 * How many bits of the strips are 1. Eight words are added up bit by bit, in each of the 64 places,
 * before any bits are counted.
 *
 * Source: R. M. Harley and D. Seal's counter, as told in H. S. Warren, Hacker's Delight, section 5-1.
 */
static uint64_t
count_strips(const strips *s)
{
    uint64_t ones = 0, twos = 0, fours = 0, count = 0;
    int y = 0;
    for (; y + 8 <= s->count; y += 8) {
        uint64_t two_a = add_up(&ones, strip(s, y), strip(s, y + 1));
        uint64_t two_b = add_up(&ones, strip(s, y + 2), strip(s, y + 3));
        uint64_t four_a = add_up(&twos, two_a, two_b);
        two_a = add_up(&ones, strip(s, y + 4), strip(s, y + 5));
        two_b = add_up(&ones, strip(s, y + 6), strip(s, y + 7));
        uint64_t four_b = add_up(&twos, two_a, two_b);
        count += UINT64_C(8) * pqti_bits_in(add_up(&fours, four_a, four_b));
    }
    for (; y < s->count; y++)
        count += pqti_bits_in(strip(s, y));
    return count + UINT64_C(4) * pqti_bits_in(fours) + UINT64_C(2) * pqti_bits_in(twos) +
           pqti_bits_in(ones);
}

static uint64_t
pair_area(const pair *p)
{
    if (p->a == PQTI_EMPTY || p->b == PQTI_EMPTY)
        return 0;
    const pqt_pixel_box common = common_box(p);
    if (pqti_box_is_empty(common))
        return 0;
    if (p->a == PQTI_FULL)
        return pqti_square_count_in(p->b, p->plot_b,
                                    moved(common, (pqt_pixel){-p->offset.x, -p->offset.y}));
    if (p->b == PQTI_FULL)
        return pqti_square_count_in(p->a, p->plot_a, common);
    if (p->plot_a.level == PQTI_TILE_LEVEL && p->plot_b.level == PQTI_TILE_LEVEL) {
        const strips s = strips_of(p, common);
        return count_strips(&s);
    }
    uint64_t area = 0;
    for (int i = 0; i < 4; i++) {
        const pair child = divided(p, p->plot_a.level >= p->plot_b.level, i);
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
    pqti_place place;
    uint64_t steps = 0;
    if (pqti_place_of(offset, PQTI_REACH, &place)) {
        const pqti_corners corners = pqti_corners_of(place);
        for (int i = 0; i < corners.count; i++)
            steps += corners.weight[i] * area_at(a, b, corners.at[i]);
    }
    return (pqt_overlap_area){steps, ldexp((double)steps, -20)};
}
