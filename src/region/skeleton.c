/* SPDX-License-Identifier: MIT */
/*
 * skeleton.c: thins regions to lines that are one pixel wide (Z. Guo, R. W. Hall, "Parallel
 * thinning with two-subiteration algorithms", 1989).
 *
 * The region is copied to a bitmap with a row of zeros above and below. The neighbours of a pixel
 * are numbered as in the source:
 *
 *     4 3 2
 *     5 . 1
 *     6 7 8
 *
 * A pixel is removed if its removal changes no connection (a pass from 0 to 1 occurs once around
 * it), if it is no end of a line (the lower of two counts of neighbours is 2 or 3), and if it is on
 * the side of the subiteration. This is computed for 64 pixels at once. All pixels of a
 * subiteration are decided before any of them is removed: two buffers keep a row and the one above
 * it.
 *
 * A row is skipped if it and its neighbours did not change in the last two subiterations.
 */
#include "config.h"

#include <string.h>

#include <pqt/region_morph.h>

#include "base/error_internal.h"
#include "memory/memory_internal.h"
#include "region/region_internal.h"

typedef struct thinning {
    pqt_pixel_box box;
    size_t words;     /* words of a row; the lowest bit is the leftmost pixel */
    size_t rows;      /* rows, with those of zeros */
    uint64_t *bits;   /* the bitmap */
    uint64_t *kept;   /* a row before the removal, and the one above it */
    uint8_t *changed; /* for each row: bit 0, it changed in this subiteration; bit 1, in the last */
} thinning;

static bool
mark_bits(const pqt_pixel_run *run, void *context)
{
    const thinning *t = context;
    uint64_t *row = t->bits + (size_t)(run->y - t->box.min.y + 1) * t->words;
    const size_t from = (size_t)(run->min_x - t->box.min.x);
    for (size_t x = from; x < from + (size_t)(run->max_x - run->min_x); x++)
        row[x / 64] |= UINT64_C(1) << x % 64;
    return true;
}

/* Return the right and the left neighbours of the pixels of the word at `i`. */
static uint64_t
right_of(const uint64_t *row, size_t i, size_t words)
{
    return row[i] >> 1 | (i + 1 < words ? row[i + 1] << 63 : 0);
}

static uint64_t
left_of(const uint64_t *row, size_t i)
{
    return row[i] << 1 | (i > 0 ? row[i - 1] >> 63 : 0);
}

/* Returns the bits of which at least two of four are set. */
static uint64_t
two_of_four(const uint64_t p[4])
{
    return (p[0] & p[1]) | (p[2] & p[3]) | ((p[0] | p[1]) & (p[2] | p[3]));
}

/* Returns the pixels that a subiteration removes, from the pixels x[0] and their neighbours
 * x[1..8]. */
static uint64_t
removed_bits(const uint64_t x[9], bool is_second)
{
    uint64_t b[4], n1[4], n2[4];
    for (int i = 0; i < 4; i++) {
        const uint64_t next = x[2 * i + 2], after = x[i == 3 ? 1 : 2 * i + 3];
        b[i] = ~x[2 * i + 1] & (next | after);
        n1[i] = x[2 * i + 1] | next;
        n2[i] = next | after;
    }
    const uint64_t passes_once = (b[0] ^ b[1] ^ b[2] ^ b[3]) & ~(b[0] & b[1]) & ~(b[2] & b[3]);
    const uint64_t at_least_2 = two_of_four(n1) & two_of_four(n2);
    const uint64_t both_4 = n1[0] & n1[1] & n1[2] & n1[3] & n2[0] & n2[1] & n2[2] & n2[3];
    const uint64_t other_side =
        is_second ? (x[6] | x[7] | ~x[4]) & x[5] : (x[2] | x[3] | ~x[8]) & x[1];
    return x[0] & passes_once & at_least_2 & ~both_4 & ~other_side;
}

/* Removes pixels of a row, given the row above it and itself before the removal. Returns true if
 * there were any. */
static bool
thin_row(const thinning *t, size_t y, const uint64_t *above, const uint64_t *before, bool is_second)
{
    uint64_t *row = t->bits + y * t->words, any = 0;
    const uint64_t *below = row + t->words;
    for (size_t i = 0; i < t->words; i++) {
        if (before[i] == 0)
            continue;
        const uint64_t x[9] = {before[i],
                               right_of(before, i, t->words),
                               right_of(above, i, t->words),
                               above[i],
                               left_of(above, i),
                               left_of(before, i),
                               left_of(below, i),
                               below[i],
                               right_of(below, i, t->words)};
        const uint64_t removed = removed_bits(x, is_second);
        row[i] &= ~removed;
        any |= removed;
    }
    return any != 0;
}

/* Runs a subiteration. Returns true if it removed a pixel. */
static bool
thin_once(const thinning *t, bool is_second)
{
    const size_t bytes = t->words * sizeof *t->bits;
    bool any = false;
    memset(t->kept, 0, bytes); /* the row above the first one */
    for (size_t y = 1; y + 1 < t->rows; y++) {
        uint64_t *above = t->kept + (y % 2 == 1 ? 0 : t->words);
        uint64_t *before = t->kept + (y % 2 == 1 ? t->words : 0);
        memcpy(before, t->bits + y * t->words, bytes);
        t->changed[y] = (uint8_t)(t->changed[y] << 1);
        /* The row above already has its new mark, the row below has the one of the last time. */
        if (((t->changed[y - 1] | t->changed[y]) & 6) == 0 && (t->changed[y + 1] & 3) == 0)
            continue;
        if (!thin_row(t, y, above, before, is_second))
            continue;
        t->changed[y] |= 1;
        any = true;
    }
    return any;
}

static void
thin_all(const thinning *t)
{
    memset(t->changed, 1, t->rows);
    t->changed[t->rows - 1] = 0;
    bool first = true, second = true;
    while (first || second) {
        first = thin_once(t, false);
        if (!first && !second)
            return;
        second = thin_once(t, true);
    }
}

static const pqt_region *
region_of_bitmap(const thinning *t, pqt_memory *memory, pqt_error *error)
{
    const size_t stride = t->words * sizeof *t->bits;
    uint8_t *bytes = (uint8_t *)t->bits;
    for (size_t i = 0; i < t->words * t->rows; i++) {
        const uint64_t word = t->bits[i];
        for (int k = 0; k < 8; k++)
            bytes[8 * i + (size_t)k] = (uint8_t)(word >> 8 * k);
    }
    const pqt_bit_image image = {bytes + stride, (size_t)(t->box.max.x - t->box.min.x), t->rows - 2,
                                 stride, PQT_BITS_LOW_FIRST};
    return pqt_region_of_bits(&image, t->box.min, memory, error);
}

/* Allocates an empty bitmap for a box. Returns false and sets an error on failure. */
static bool
thinning_begin(thinning *t, pqt_pixel_box box, pqt_error *error)
{
    const uint64_t width = (uint64_t)(box.max.x - box.min.x);
    const uint64_t height = (uint64_t)(box.max.y - box.min.y);
    *t = (thinning){.box = box, .words = (size_t)(width + 63) / 64, .rows = (size_t)height + 2};
    if (width * height > PQT_SKELETON_LIMIT) {
        pqti_error_set(error, PQT_ERROR_LIMIT, 0,
                       "the box around the region has %llu x %llu pixels, more than 2^32",
                       (unsigned long long)width, (unsigned long long)height);
        return false;
    }
    t->bits = pqti_alloc_scratch(t->words + 1, (t->rows + 2) * sizeof *t->bits);
    if (t->bits == NULL) {
        pqti_out_of_memory(error);
        return false;
    }
    t->kept = t->bits + t->words * t->rows;
    t->changed = (uint8_t *)(t->kept + 2 * t->words);
    memset(t->bits, 0, t->words * t->rows * sizeof *t->bits);
    return true;
}

const pqt_region *
pqt_region_skeleton(const pqt_region *region, pqt_error *error)
{
    thinning t;
    if (!pqti_region_check_input(region, error))
        return NULL;
    if (region->count == 0)
        return region;
    const pqt_pixel_box box = pqt_region_bounds(region);
    if (!thinning_begin(&t, box, error))
        return NULL;
    pqt_region_visit_runs(region, box, mark_bits, &t);
    thin_all(&t);
    const pqt_region *next = region_of_bitmap(&t, region->memory, error);
    pqti_free_scratch(t.bits);
    return next != NULL && pqt_region_equals(next, region) ? region : next;
}
