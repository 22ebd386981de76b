/* SPDX-License-Identifier: MIT */
/* key.c - working out where an item belongs. */
#include "config.h"

#include "tree/key.h"

#include "base/simd.h"

/* Spreads 32 bits to every second bit, those of x and y side by side, and joins them. */
static inline uint64_t
morton_of(pqti_words bits)
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
level_of(const pqti_space *space, pqti_pair half_size)
{
    if (space->x.half_extent < 0x1p-900 || space->y.half_extent < 0x1p-900)
        return level_on_axis(&space->y, half_size[1],
                             level_on_axis(&space->x, half_size[0], space->depth));
    int64_t x = (int64_t)(pqti_bits_of(space->x.half_extent) - pqti_bits_of(half_size[0]));
    int64_t y = (int64_t)(pqti_bits_of(space->y.half_extent) - pqti_bits_of(half_size[1]));
    int64_t level = ((x < y ? x : y) >> 52) + 1;
    return level < 0 ? 0 : level > (int64_t)space->depth ? space->depth : (unsigned)level;
}

/* The columns of an item's centre, and its level. */
typedef struct spot {
    pqti_words columns;
    unsigned level;
} spot;

/* As pqti_column has them, of a centre within the bounds, both side by side. */
static inline pqti_words
columns_within(const pqti_space *space, pqti_pair centre)
{
    const pqti_pair low = {space->x.half_low, space->y.half_low};
    const pqti_pair divisor = {space->x.divisor, space->y.divisor};
    const pqti_pair columns = (centre / 2 - low) / divisor * 0x1p32;
    const pqti_words whole = {(uint64_t)(int64_t)columns[0], (uint64_t)(int64_t)columns[1]};
    return whole - (whole >> 32); /* 2^32, of a centre on the last edge, is in the last column */
}

static inline spot
spot_of(const pqti_space *space, pqti_pair min, pqti_pair max)
{
    const pqti_pair low = min / 2, high = max / 2;
    const pqti_pair centre = low + high;
    const bool outside = pqti_mask_any(centre < pqti_pair_load(&space->bounds.min.x)) ||
                         pqti_mask_any(centre > pqti_pair_load(&space->bounds.max.x));
    unsigned level = outside ? 0 : level_of(space, high - low);
    if (level == 0)
        return (spot){
            {pqti_stray_column(&space->x, centre[0]), pqti_stray_column(&space->y, centre[1])}, 0};
    return (spot){columns_within(space, centre), level};
}

pqti_entry
pqti_entry_of_sides(const pqti_space *space, pqti_pair min, pqti_pair max)
{
    spot at = spot_of(space, min, max);
    return (pqti_entry){
        .centre =
            pqti_cut_to_depth(morton_of(at.columns), at.level == 0 ? PQT_MAX_DEPTH : space->depth),
        .level = (uint8_t)at.level,
    };
}

pqti_entry
pqti_entry_of(const pqti_space *space, const pqt_item *item, size_t index)
{
    pqti_entry entry = pqti_entry_of_sides(space, pqti_pair_load(&item->box.min.x),
                                           pqti_pair_load(&item->box.max.x));
    entry.index = (uint32_t)index;
    return entry;
}

void
pqti_entries_of(const pqti_space *space, const pqt_item *items, size_t count, pqti_entry *entries)
{
    for (size_t i = 0; i < count; i++)
        entries[i] = pqti_entry_of(space, &items[i], i);
}
