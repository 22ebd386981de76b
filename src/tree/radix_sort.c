/* SPDX-License-Identifier: MIT */
/*
 * radix_sort.c: sorts keys in tree order.
 *
 * Tree order compares nine sort keys, one after another. All are unsigned integers, so the same
 * radix sort works for each. It sorts by the two most significant digits that differ. Then it sorts
 * each range of entries with equal digits by the remaining digits and by the next sort key.
 * Insertion sort, which compares items with each other, sorts only short ranges. So identical or
 * clustered items are sorted as fast as evenly distributed ones.
 */
#include "config.h"

#include "tree/key.h"

enum {
    KEY_PATH,  /* padded with zeros, so a prefix never exceeds its continuations */
    KEY_LEVEL, /* puts a prefix before its continuations */
    KEY_CENTRE,
    KEY_HASH,
    KEY_MIN_X,
    KEY_MIN_Y,
    KEY_MAX_X,
    KEY_MAX_Y,
    KEY_ID,
    KEYS
};

enum {
    FEW = 16, /* for so few entries, counting costs more than insertion sort */
    /* maximal bits of a digit; more would scatter entries over too many cache lines */
    MOST_BITS = 11
};

static uint64_t
sort_key_of(int key, const pqti_key *entry, const pqt_item *item)
{
    switch (key) {
    case KEY_PATH:
        return pqti_cut_to_depth(entry->centre, entry->level);
    case KEY_LEVEL:
        return entry->level;
    case KEY_CENTRE:
        return entry->centre;
    case KEY_HASH:
        return pqti_item_hash(item);
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

/* Does the same as sort_key_of during the sort, with a fast case for the most frequent sort key.
   For KEY_HASH, `centre` holds the hash: see sort_by_hash. */
static inline uint64_t
quick_key_of(int key, const pqti_key *entry, const pqt_item *items)
{
    if (key == KEY_PATH)
        return pqti_cut_to_depth(entry->centre, entry->level);
    return key == KEY_HASH ? entry->centre : sort_key_of(key, entry, &items[entry->index]);
}

int
pqti_compare(const pqti_key *a, const pqt_item *item_a, const pqti_key *b, const pqt_item *item_b)
{
    int order = pqti_compare_paths(a, b);
    for (int key = KEY_HASH; order == 0 && key < KEYS; key++) {
        uint64_t key_a = sort_key_of(key, a, item_a);
        uint64_t key_b = sort_key_of(key, b, item_b);
        order = (key_a > key_b) - (key_a < key_b);
    }
    return order;
}

static inline bool
key_is_before(const pqti_key *a, const pqti_key *b, const pqt_item *items)
{
    int order = pqti_compare_paths(a, b);
    if (order == 0)
        order = pqti_compare(a, &items[a->index], b, &items[b->index]);
    return order < 0;
}

static void
sort_few(pqti_key *keys, size_t count, const pqt_item *items)
{
    for (size_t i = 1; i < count; i++) {
        pqti_key key = keys[i];
        size_t j = i;
        for (; j > 0 && key_is_before(&key, &keys[j - 1], items); j--)
            keys[j] = keys[j - 1];
        keys[j] = key;
    }
}

/* Advances *key to the first sort key before `end` in which entries differ. Returns the bits in
   which they differ, or 0 if they agree in all of these sort keys. */
static uint64_t
differing_bits(const pqti_key *keys, size_t count, const pqt_item *items, int *key, int end)
{
    for (; *key < end; ++*key) {
        uint64_t first = quick_key_of(*key, &keys[0], items);
        uint64_t differing = 0;
        for (size_t i = 1; i < count; i++)
            differing |= first ^ quick_key_of(*key, &keys[i], items);
        if (differing != 0)
            return differing;
    }
    return 0;
}

/* Two adjacent digits of `bits` bits each, the lower of which begins at bit `shift`. For each
   value of a digit, `ends` holds the index to which the next entry with this value is written. */
typedef struct digits {
    unsigned shift, bits;
    uint32_t ends[2][1 << MOST_BITS];
} digits;

static inline uint32_t
radix_digit_of(const digits *d, int digit, uint64_t key)
{
    return (uint32_t)(key >> (d->shift + (unsigned)digit * d->bits)) & ((1u << d->bits) - 1);
}

/* Chooses digits from the highest bits that differ. They have enough bits to leave few entries
   in each range if the sort keys are evenly distributed. */
static void
choose_digits(digits *d, size_t count, uint64_t differing)
{
    unsigned top = 64 - (unsigned)__builtin_clzll(differing);
    unsigned enough = (64 - (unsigned)__builtin_clzll(count) + 3) / 2;
    d->bits = enough < MOST_BITS ? enough : MOST_BITS;
    if (2 * d->bits > top)
        d->bits = (top + 1) / 2;
    d->shift = top > 2 * d->bits ? top - 2 * d->bits : 0;
}

/* Counts the values of both digits, and converts the counts to first indices. */
static void
count_digits(digits *d, const pqti_key *keys, size_t count, const pqt_item *items, int key)
{
    const size_t size = (size_t)1 << d->bits;
    for (int digit = 0; digit < 2; digit++)
        memset(d->ends[digit], 0, size * sizeof *d->ends[digit]);
    for (size_t i = 0; i < count; i++) {
        uint64_t number = quick_key_of(key, &keys[i], items);
        d->ends[0][radix_digit_of(d, 0, number)]++;
        d->ends[1][radix_digit_of(d, 1, number)]++;
    }
    for (int digit = 0; digit < 2; digit++) {
        uint32_t sum = 0;
        for (size_t i = 0; i < size; i++) {
            uint32_t own = d->ends[digit][i];
            d->ends[digit][i] = sum;
            sum += own;
        }
    }
}

/* Copies entries in the order of one digit. Entries with equal digits keep their order. */
static void
scatter_keys(digits *d, int digit, const pqti_key *from, size_t count, const pqt_item *items,
             int key, pqti_key *to)
{
    for (size_t i = 0; i < count; i++)
        to[d->ends[digit][radix_digit_of(d, digit, quick_key_of(key, &from[i], items))]++] =
            from[i];
}

/*
 * Returns the number of entries, from the first on, that agree with the first in the bits from
 * `shift` up.
 */
static size_t
size_of_range(const pqti_key *keys, size_t count, const pqt_item *items, int key, unsigned shift)
{
    uint64_t first = quick_key_of(key, &keys[0], items) >> shift;
    size_t size = 1;
    while (size < count && quick_key_of(key, &keys[size], items) >> shift == first)
        size++;
    return size;
}

static void sort_by(pqti_key *keys, size_t count, pqti_key *spare, const pqt_item *items, int key,
                    digits *d);

/* Sorts entries with the same centre by hash. During the sort, the hashes replace the centres,
   so each hash is computed once and stored in its entry. */
static void
sort_by_hash(pqti_key *keys, size_t count, pqti_key *spare, const pqt_item *items, digits *d)
{
    const uint64_t centre = keys[0].centre;
    for (size_t i = 0; i < count; i++)
        keys[i].centre = pqti_item_hash(&items[keys[i].index]);
    sort_by(keys, count, spare, items, KEY_HASH, d);
    for (size_t i = count - 1; i > 0; i--) {
        keys[i].new_hash = keys[i].centre != keys[i - 1].centre;
        keys[i].centre = centre;
    }
    keys[0].centre = centre;
}

/* The whole recursion shares one `digits`, because one per call would overflow a small stack. */
static void
sort_by(pqti_key *keys, size_t count, pqti_key *spare, const pqt_item *items, int key, digits *d)
{
    if (count <= FEW) {
        sort_few(keys, count, items);
        return;
    }
    int end = key < KEY_HASH ? KEY_HASH : KEYS;
    uint64_t differing = differing_bits(keys, count, items, &key, end);
    if (differing == 0) {
        if (end == KEY_HASH)
            sort_by_hash(keys, count, spare, items, d);
        return;
    }
    choose_digits(d, count, differing);
    count_digits(d, keys, count, items, key);
    scatter_keys(d, 0, keys, count, items, key, spare);
    scatter_keys(d, 1, spare, count, items, key, keys);
    for (size_t from = 0, shift = d->shift; from < count;) {
        size_t size = size_of_range(keys + from, count - from, items, key, (unsigned)shift);
        if (size > 1)
            sort_by(keys + from, size, spare + from, items, key, d);
        from += size;
    }
}

static PQTI_NOINLINE void
sort_many(pqti_key *keys, size_t count, pqti_key *spare, const pqt_item *items)
{
    digits d;
    sort_by(keys, count, spare, items, KEY_PATH, &d);
}

void
pqti_sort(pqti_key *keys, size_t count, pqti_key *spare, const pqt_item *items)
{
    if (count <= FEW)
        sort_few(keys, count, items);
    else
        sort_many(keys, count, spare, items);
}
