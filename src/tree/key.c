/* SPDX-License-Identifier: MIT */
/*
 * key.c: computes the keys of items.
 *
 * A key consists of the Morton code (Z order; Morton 1966) of the centre of the box and of the
 * level, which follows from the size of the box.
 */
#include "config.h"

#include "tree/key.h"

#include "base/error_internal.h"
#include "base/simd.h"

/*
 * Takes one step of the computation of a Morton code: moves the upper half of each group of bits up
 * by `by` bits.
 */
static inline pqti_u64x2
spread_bits(pqti_u64x2 bits, unsigned by, uint64_t kept)
{
    return pqti_u64x2_and(pqti_u64x2_or(bits, pqti_u64x2_shift_left(bits, by)),
                          pqti_u64x2_splat(kept));
}

/* Returns the Morton code of a column and a row: spreads the 32 bits of each to every second
   bit, and interleaves the two results. */
static inline uint64_t
morton_of(pqti_u64x2 bits)
{
    bits = spread_bits(bits, 16, UINT64_C(0x0000ffff0000ffff));
    bits = spread_bits(bits, 8, UINT64_C(0x00ff00ff00ff00ff));
    bits = spread_bits(bits, 4, UINT64_C(0x0f0f0f0f0f0f0f0f));
    bits = spread_bits(bits, 2, UINT64_C(0x3333333333333333));
    bits = spread_bits(bits, 1, UINT64_C(0x5555555555555555));
    return pqti_u64x2_lane(bits, 1) << 1 | pqti_u64x2_lane(bits, 0);
}

/* Returns the first depth at which the cells are narrower than an item on one axis, but at most
   `most`. Compares half widths. */
static unsigned
level_on_axis(const pqti_axis *axis, double half_size, unsigned most)
{
    unsigned level = 0;
    while (level < most && !(half_size > axis->half_cell[level]))
        level++;
    return level;
}

/*
 * Returns the level of an item, the lesser result of level_on_axis on the two axes. The width of a
 * cell halves at each depth: its exponent decreases by one, and its mantissa does not change. A
 * double stores the exponent above the mantissa, so the difference between the bits of two widths
 * contains the depth above the mantissa. For an item of width 0, this difference exceeds every
 * depth. In very small bounds, widths may be subnormal and have no such exponent; there
 * level_on_axis compares them.
 */
static inline unsigned
level_of(const pqti_domain *domain, pqti_f64x2 half_size)
{
    const double width = pqti_f64x2_lane(half_size, 0), height = pqti_f64x2_lane(half_size, 1);
    if (domain->x.half_extent < 0x1p-900 || domain->y.half_extent < 0x1p-900)
        return level_on_axis(&domain->y, height, level_on_axis(&domain->x, width, domain->depth));
    int64_t x = (int64_t)(pqti_bits_of(domain->x.half_extent) - pqti_bits_of(width));
    int64_t y = (int64_t)(pqti_bits_of(domain->y.half_extent) - pqti_bits_of(height));
    int64_t level = ((x < y ? x : y) >> 52) + 1;
    return level < 0 ? 0 : level > (int64_t)domain->depth ? domain->depth : (unsigned)level;
}

/* The column and the row of an item's centre, and the item's level. */
typedef struct spot {
    pqti_u64x2 qcoords;
    unsigned level;
} spot;

/* Returns pqti_qcoord of both coordinates of a centre within the bounds. */
static inline pqti_u64x2
qcoords_within(const pqti_domain *domain, pqti_f64x2 centre)
{
    const pqti_u64x2 whole = pqti_u64x2_truncate(pqti_unclamped_qcoords(domain, centre));
    /* For a centre on the last edge, the division gives 2^32, but the centre belongs to the last
       column. */
    return pqti_u64x2_sub(whole, pqti_u64x2_shift_right(whole, 32));
}

static inline spot
cell_pos_of(const pqti_domain *domain, pqti_f64x2 min, pqti_f64x2 max)
{
    const pqti_f64x2 two = pqti_f64x2_splat(2);
    const pqti_f64x2 low = pqti_f64x2_div(min, two), high = pqti_f64x2_div(max, two);
    const pqti_f64x2 centre = pqti_f64x2_add(low, high);
    const pqti_f64x2 least = pqti_f64x2_load(&domain->bounds.min.x);
    const pqti_f64x2 greatest = pqti_f64x2_load(&domain->bounds.max.x);
    const bool outside = pqti_mask64x2_any(pqti_f64x2_lt(centre, least)) ||
                         pqti_mask64x2_any(pqti_f64x2_gt(centre, greatest));
    unsigned level = outside ? 0 : level_of(domain, pqti_f64x2_sub(high, low));
    if (level == 0)
        return (spot){pqti_u64x2_of(pqti_outlier_qcoord(&domain->x, pqti_f64x2_lane(centre, 0)),
                                    pqti_outlier_qcoord(&domain->y, pqti_f64x2_lane(centre, 1))),
                      0};
    return (spot){qcoords_within(domain, centre), level};
}

pqti_key
pqti_key_of_sides(const pqti_domain *domain, pqti_f64x2 min, pqti_f64x2 max)
{
    spot at = cell_pos_of(domain, min, max);
    PQTI_DEBUG_ASSERT(at.level <= domain->depth, "an item is deeper than the tree");
    return (pqti_key){
        .centre =
            pqti_cut_to_depth(morton_of(at.qcoords), at.level == 0 ? PQT_MAX_DEPTH : domain->depth),
        .level = (uint8_t)at.level,
    };
}

pqti_key
pqti_key_of(const pqti_domain *domain, const pqt_item *item, size_t index)
{
    pqti_key key = pqti_key_of_sides(domain, pqti_f64x2_load(&item->box.min.x),
                                     pqti_f64x2_load(&item->box.max.x));
    key.index = (uint32_t)index;
    return key;
}

void
pqti_keys_of(const pqti_domain *domain, const pqt_item *items, size_t count, pqti_key *keys)
{
    for (size_t i = 0; i < count; i++)
        keys[i] = pqti_key_of(domain, &items[i], i);
}
