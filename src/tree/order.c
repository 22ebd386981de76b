/* SPDX-License-Identifier: MIT */
/*
 * order.c - working out where an item belongs, and sorting by it.
 *
 * The order is that of nine keys, one after the other; all are unsigned integers, so one radix sort
 * serves for each. Ranges that agree in one key are sorted by the next. Nothing is compared more than
 * once a digit, so identical or clumped items sort as fast as spread ones.
 */
#include "config.h"

#include "tree/order.h"

#include "base/pair.h"

enum {
    KEY_PATH,  /* filled up with zeros, so that a prefix is not after what goes on; */
    KEY_LEVEL, /* and before it */
    KEY_CENTRE,
    KEY_MIX,
    KEY_MIN_X,
    KEY_MIN_Y,
    KEY_MAX_X,
    KEY_MAX_Y,
    KEY_ID,
    KEYS
};

enum {
    FEW = 16,        /* sorted by insertion: below it, counting costs more than it saves */
    MANY = 4096,     /* from here on, wide digits: their table of counts pays */
    NARROW_BITS = 6, /* three levels of a path */
    WIDE_BITS = 12   /* six levels of a path */
};

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

/* The first `depth` digits, the rest zeros. Two shifts, since one of 64 is none. */
static inline uint64_t
cut_to_depth(uint64_t morton, unsigned depth)
{
    return morton & ~(UINT64_MAX >> depth >> depth);
}

/* The first depth at which cells of the axis are narrower than `half_size`, halves compared. */
static unsigned
level_on_axis(const pqti_axis *axis, double half_size, unsigned most)
{
    if (half_size == 0)
        return most;
    if (axis->half_extent < 0x1p-900) { /* cells may be too small for their powers to count */
        unsigned level = 0;
        while (level < most && !(half_size > axis->half_cell[level]))
            level++;
        return level;
    }
    /* A cell is half as wide at each depth: its power falls by one, and its fraction stays. The bits of
       doubles are the power, then the fraction; so their difference has the depth above the fraction. */
    int64_t apart = (int64_t)(pqti_bits_of(axis->half_extent) - pqti_bits_of(half_size));
    int64_t level = (apart >> 52) + 1;
    return level < 0 ? 0 : level > (int64_t)most ? most : (unsigned)level;
}

static inline unsigned
level_of(const pqti_space *space, pqti_pair half_size)
{
    unsigned level = level_on_axis(&space->x, half_size[0], space->depth);
    return level_on_axis(&space->y, half_size[1], level);
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
spot_of(const pqti_space *space, const pqt_box *box)
{
    const pqti_pair low = pqti_pair_load(&box->min.x) / 2, high = pqti_pair_load(&box->max.x) / 2;
    const pqti_pair centre = low + high;
    const pqti_mask outside = (centre < pqti_pair_load(&space->bounds.min.x)) |
                              (centre > pqti_pair_load(&space->bounds.max.x));
    unsigned level = pqti_mask_any(outside) ? 0 : level_of(space, high - low);
    if (level == 0)
        return (spot){
            {pqti_stray_column(&space->x, centre[0]), pqti_stray_column(&space->y, centre[1])}, 0};
    return (spot){columns_within(space, centre), level};
}

static inline pqti_entry
entry_at(const pqti_space *space, spot at)
{
    return (pqti_entry){
        .centre = cut_to_depth(morton_of(at.columns), at.level == 0 ? PQT_MAX_DEPTH : space->depth),
        .level = (uint8_t)at.level,
    };
}

pqti_entry
pqti_entry_of(const pqti_space *space, const pqt_item *item, size_t index)
{
    pqti_entry entry = entry_at(space, spot_of(space, &item->box));
    entry.index = (uint32_t)index;
    return entry;
}

void
pqti_entries_of(const pqti_space *space, const pqt_item *items, size_t count, pqti_entry *entries)
{
    for (size_t i = 0; i < count; i++) {
        entries[i] = entry_at(space, spot_of(space, &items[i].box));
        entries[i].index = (uint32_t)i;
    }
}

static uint64_t
key_of(int key, const pqti_entry *entry, const pqt_item *item)
{
    switch (key) {
    case KEY_PATH:
        return cut_to_depth(entry->centre, entry->level);
    case KEY_LEVEL:
        return entry->level;
    case KEY_CENTRE:
        return entry->centre;
    case KEY_MIX:
        return pqti_mix(item);
    case KEY_MIN_X:
        return pqti_ordered(item->box.min.x);
    case KEY_MIN_Y:
        return pqti_ordered(item->box.min.y);
    case KEY_MAX_X:
        return pqti_ordered(item->box.max.x);
    case KEY_MAX_Y:
        return pqti_ordered(item->box.max.y);
    default:
        return item->id;
    }
}

/* The same while sorting, with the key of almost all comparisons at hand. Mixes stand in the place of centres there,
   see sort_by_mix. */
static inline uint64_t
quick_key_of(int key, const pqti_entry *entry, const pqt_item *items)
{
    if (key == KEY_PATH)
        return cut_to_depth(entry->centre, entry->level);
    return key == KEY_MIX ? entry->centre : key_of(key, entry, &items[entry->index]);
}

int
pqti_compare(const pqti_entry *a, const pqt_item *item_a, const pqti_entry *b,
             const pqt_item *item_b)
{
    int order = pqti_compare_ways(a, b);
    for (int key = KEY_MIX; order == 0 && key < KEYS; key++) {
        uint64_t key_a = key_of(key, a, item_a);
        uint64_t key_b = key_of(key, b, item_b);
        order = (key_a > key_b) - (key_a < key_b);
    }
    return order;
}

static inline bool
is_before(const pqti_entry *a, const pqti_entry *b, const pqt_item *items)
{
    int order = pqti_compare_ways(a, b);
    if (order == 0)
        order = pqti_compare(a, &items[a->index], b, &items[b->index]);
    return order < 0;
}

static void
sort_few(pqti_entry *entries, size_t count, const pqt_item *items)
{
    for (size_t i = 1; i < count; i++) {
        pqti_entry entry = entries[i];
        size_t j = i;
        for (; j > 0 && is_before(&entry, &entries[j - 1], items); j--)
            entries[j] = entries[j - 1];
        entries[j] = entry;
    }
}

/* The first key from `key` on, and before `end`, in which entries differ, and the bits in which they do; 0: in none. */
static uint64_t
differing_bits(const pqti_entry *entries, size_t count, const pqt_item *items, int *key, int end)
{
    for (; *key < end; ++*key) {
        uint64_t first = quick_key_of(*key, &entries[0], items);
        uint64_t differing = 0;
        for (size_t i = 1; i < count; i++)
            differing |= first ^ quick_key_of(*key, &entries[i], items);
        if (differing != 0)
            return differing;
    }
    return 0;
}

static void sort_by(pqti_entry *entries, size_t count, pqti_entry *spare, const pqt_item *items,
                    int key, uint32_t *ends);

/* Moves entries into the order of one digit of a key; `ends` is room for its counts. */
static void
scatter(pqti_entry *entries, size_t count, pqti_entry *spare, const pqt_item *items, int key,
        unsigned shift, uint32_t *ends, unsigned digits)
{
    memset(ends, 0, digits * sizeof *ends);
    for (size_t i = 0; i < count; i++) {
        spare[i] = entries[i];
        ends[quick_key_of(key, &spare[i], items) >> shift & (digits - 1)]++;
    }
    uint32_t sum = 0;
    for (unsigned digit = 0; digit < digits; digit++) {
        uint32_t size = ends[digit];
        ends[digit] = sum;
        sum += size;
    }
    for (size_t i = 0; i < count; i++) {
        uint64_t digit = quick_key_of(key, &spare[i], items) >> shift & (digits - 1);
        entries[ends[digit]++] = spare[i];
    }
}

/* How many entries, from the first on, agree with it above `shift`. */
static size_t
size_of_range(const pqti_entry *entries, size_t count, const pqt_item *items, int key,
              unsigned shift)
{
    uint64_t first = quick_key_of(key, &entries[0], items) >> shift;
    size_t size = 1;
    while (size < count && quick_key_of(key, &entries[size], items) >> shift == first)
        size++;
    return size;
}

/* Entries of one centre. Their mixes take its place meanwhile: each is worked out once, and lies where it is compared. */
static void
sort_by_mix(pqti_entry *entries, size_t count, pqti_entry *spare, const pqt_item *items,
            uint32_t *ends)
{
    const uint64_t centre = entries[0].centre;
    for (size_t i = 0; i < count; i++)
        entries[i].centre = pqti_mix(&items[entries[i].index]);
    sort_by(entries, count, spare, items, KEY_MIX, ends);
    for (size_t i = 0; i < count; i++)
        entries[i].centre = centre;
}

/* `ends` is one table for the whole recursion, lest it fill a small stack: so where ranges end is read
   off the entries again. */
static void
sort_by(pqti_entry *entries, size_t count, pqti_entry *spare, const pqt_item *items, int key,
        uint32_t *ends)
{
    if (count <= FEW) {
        sort_few(entries, count, items);
        return;
    }
    int end = key < KEY_MIX ? KEY_MIX : KEYS;
    uint64_t differing = differing_bits(entries, count, items, &key, end);
    if (differing == 0) {
        if (end == KEY_MIX)
            sort_by_mix(entries, count, spare, items, ends);
        return;
    }
    unsigned top = 64 - (unsigned)__builtin_clzll(differing);
    unsigned bits = count >= MANY ? WIDE_BITS : NARROW_BITS;
    unsigned shift = top > bits ? top - bits : 0;
    scatter(entries, count, spare, items, key, shift, ends, 1u << bits);
    for (size_t from = 0; from < count;) {
        size_t size = size_of_range(entries + from, count - from, items, key, shift);
        sort_by(entries + from, size, spare + from, items, key, ends);
        from += size;
    }
}

static PQTI_NOINLINE void
sort_many(pqti_entry *entries, size_t count, pqti_entry *spare, const pqt_item *items)
{
    uint32_t ends[1 << WIDE_BITS];
    sort_by(entries, count, spare, items, KEY_PATH, ends);
}

void
pqti_sort(pqti_entry *entries, size_t count, pqti_entry *spare, const pqt_item *items)
{
    if (count <= FEW)
        sort_few(entries, count, items);
    else
        sort_many(entries, count, spare, items);
}
