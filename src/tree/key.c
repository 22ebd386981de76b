/* SPDX-License-Identifier: MIT */
/* key.c - working out where an item belongs. */
#include "config.h"

#include "tree/key.h"

#include "base/simd.h"

/* Spreads 32 bits to every second bit, those of x and y side by side, and joins them. */
static inline uint64_t
morton_of(pqti_u64x2 bits)
{
    bits = (bits | bits << 16) & UINT64_C(0x0000ffff0000ffff);
    bits = (bits | bits << 8) & UINT64_C(0x00ff00ff00ff00ff);
    bits = (bits | bits << 4) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    bits = (bits | bits << 2) & UINT64_C(0x3333333333333333);
    bits = (bits | bits << 1) & UINT64_C(0x5555555555555555);
    return bits[1] << 1 | bits[0];
}

/* The first depth at which cells of the axis are narrower than `half_size`, halves compared. */
static unsigned
level_on_axis(const pqti_axis *axis, double half_size, unsigned most)
{
    unsigned level = 0;
    while (level < most && !(half_size > axis->half_cell[level]))
        level++;
    return level;
}

/*
 * The same on both axes, the lesser one. A cell is half as wide at each depth: its power falls by
 * one, and its fraction stays. The bits of doubles are the power, then the fraction; so their
 * difference has the depth above the fraction, and that of a size of 0 is beyond any. In the
 * smallest worlds cells have no such powers.
 */
static inline unsigned
level_of(const pqti_domain *domain, pqti_f64x2 half_size)
{
    if (domain->x.half_extent < 0x1p-900 || domain->y.half_extent < 0x1p-900)
        return level_on_axis(&domain->y, half_size[1],
                             level_on_axis(&domain->x, half_size[0], domain->depth));
    int64_t x = (int64_t)(pqti_bits_of(domain->x.half_extent) - pqti_bits_of(half_size[0]));
    int64_t y = (int64_t)(pqti_bits_of(domain->y.half_extent) - pqti_bits_of(half_size[1]));
    int64_t level = ((x < y ? x : y) >> 52) + 1;
    return level < 0 ? 0 : level > (int64_t)domain->depth ? domain->depth : (unsigned)level;
}

/* The columns of an item's centre, and its level. */
typedef struct spot {
    pqti_u64x2 qcoords;
    unsigned level;
} spot;

/* As pqti_qcoord has them, of a centre within the bounds, both side by side. */
static inline pqti_u64x2
qcoords_within(const pqti_domain *domain, pqti_f64x2 centre)
{
    const pqti_f64x2 low = {domain->x.half_low, domain->y.half_low};
    const pqti_f64x2 divisor = {domain->x.divisor, domain->y.divisor};
    const pqti_f64x2 columns = (centre / 2 - low) / divisor * 0x1p32;
    const pqti_u64x2 whole = {(uint64_t)(int64_t)columns[0], (uint64_t)(int64_t)columns[1]};
    return whole - (whole >> 32); /* 2^32, of a centre on the last edge, is in the last column */
}

static inline spot
cell_pos_of(const pqti_domain *domain, pqti_f64x2 min, pqti_f64x2 max)
{
    const pqti_f64x2 low = min / 2, high = max / 2;
    const pqti_f64x2 centre = low + high;
    const bool outside = pqti_mask64x2_any(centre < pqti_f64x2_load(&domain->bounds.min.x)) ||
                         pqti_mask64x2_any(centre > pqti_f64x2_load(&domain->bounds.max.x));
    unsigned level = outside ? 0 : level_of(domain, high - low);
    if (level == 0)
        return (spot){{pqti_outlier_qcoord(&domain->x, centre[0]),
                       pqti_outlier_qcoord(&domain->y, centre[1])},
                      0};
    return (spot){qcoords_within(domain, centre), level};
}

pqti_key
pqti_key_of_sides(const pqti_domain *domain, pqti_f64x2 min, pqti_f64x2 max)
{
    spot at = cell_pos_of(domain, min, max);
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
