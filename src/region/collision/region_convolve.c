/* SPDX-License-Identifier: MIT */
/*
 * region_convolve.c: counts the pixels that two regions have in common at all offsets.
 *
 * Few offsets or small regions are counted one by one. Otherwise both regions are written to
 * arrays, the second one turned by half a turn, whose convolution modulo a prime has all counts. It
 * is exact, because each count is less than the prime: a region in such an array has at most 2^26
 * pixels.
 */
#include "config.h"

#include <string.h>

#include <pqt/region_convolve.h>
#include <pqt/region_overlap.h>

#include "base/error_internal.h"
#include "memory/memory_internal.h"
#include "region/collision/ntt.h"
#include "region/region_internal.h"

/* The largest arrays, and the steps that a butterfly and a pair of tiles take: measured. */
enum { MOST_NUMBERS = 1 << 26, BUTTERFLY_STEPS = 4, TILE_STEPS = 100 };

/* The regions, and the array of the counts. */
typedef struct convolution {
    const pqt_region *a, *b;
    pqt_pixel_box offsets; /* as passed */
    pqt_pixel_box all;     /* the offsets at which there may be pixels */
    uint32_t *counts;
    size_t stride;
} convolution;

pqt_pixel_box
pqt_region_overlap_offsets(const pqt_region *a, const pqt_region *b)
{
    PQTI_ASSERT_REGION(a);
    PQTI_ASSERT_REGION(b);
    if (a->count == 0 || b->count == 0)
        return (pqt_pixel_box){{0, 0}, {0, 0}};
    const pqt_pixel_box of_a = pqt_region_bounds(a), of_b = pqt_region_bounds(b);
    return (pqt_pixel_box){{of_a.min.x - of_b.max.x + 1, of_a.min.y - of_b.max.y + 1},
                           {of_a.max.x - of_b.min.x, of_a.max.y - of_b.min.y}};
}

static uint32_t *
counts_of_row(const convolution *c, int32_t x, int32_t y)
{
    return c->counts + (size_t)((int64_t)y - c->offsets.min.y) * c->stride +
           (size_t)((int64_t)x - c->offsets.min.x);
}

static void
count_one_by_one(const convolution *c, pqt_pixel_box box)
{
    for (int32_t y = box.min.y; y < box.max.y; y++) {
        uint32_t *row = counts_of_row(c, box.min.x, y);
        for (int32_t x = box.min.x; x < box.max.x; x++)
            *row++ = (uint32_t)(pqt_region_overlap_area(c->a, c->b, (pqt_vec){x, y}).subpixels /
                                ((uint64_t)PQT_SUBPIXELS * PQT_SUBPIXELS));
    }
}

/* ---- By transforms ---- */

static size_t
power_of_two(int32_t least)
{
    size_t power = 1;
    while (power < (size_t)least)
        power *= 2;
    return power;
}

/* An array with the pixels of a region. */
typedef struct number_array {
    uint32_t *data;
    size_t columns, rows;
    pqt_pixel_box box; /* the bounds of the region */
    bool is_turned;
} number_array;

static bool
write_run(const pqt_pixel_run *run, void *context)
{
    const number_array *array = context;
    const pqt_pixel_box *box = &array->box;
    const int32_t y = array->is_turned ? box->max.y - 1 - run->y : run->y - box->min.y;
    const int32_t x = array->is_turned ? box->max.x - run->max_x : run->min_x - box->min.x;
    uint32_t *row = array->data + (size_t)y * array->columns;
    for (int32_t i = 0; i < run->max_x - run->min_x; i++)
        row[x + i] = PQTI_NTT_ONE;
    return true;
}

/* Writes a region to an array and transforms it. */
static void
transform_region(number_array *array, const pqt_region *region, uint32_t *roots)
{
    memset(array->data, 0, array->columns * array->rows * sizeof *array->data);
    array->box = pqt_region_bounds(region);
    pqt_region_visit_runs(region, array->box, write_run, array);
    pqti_ntt_forward(array->data, array->columns, array->rows,
                     (size_t)(array->box.max.y - array->box.min.y), roots);
}

/* Counts at all offsets, and writes those in a box. Returns false when out of memory. */
static bool
count_by_transforms(const convolution *c, pqt_pixel_box box)
{
    const int32_t height = c->all.max.y - c->all.min.y;
    number_array a = {.columns = power_of_two(c->all.max.x - c->all.min.x),
                      .rows = power_of_two(height)};
    const size_t numbers = a.columns * a.rows;
    const size_t roots = a.columns > a.rows ? a.columns : a.rows;
    a.data = pqti_alloc_scratch(2 * numbers + roots, sizeof *a.data);
    if (a.data == NULL)
        return false;
    number_array b = a;
    b.data = a.data + numbers;
    b.is_turned = true;
    transform_region(&a, c->a, b.data + numbers);
    transform_region(&b, c->b, b.data + numbers);
    for (size_t i = 0; i < numbers; i++)
        a.data[i] = pqti_ntt_multiply(a.data[i], b.data[i]);
    pqti_ntt_back(a.data, a.columns, a.rows, (size_t)height, b.data + numbers);
    const uint32_t scale = pqti_ntt_inverse((uint32_t)numbers);
    for (int32_t y = box.min.y; y < box.max.y; y++) {
        const uint32_t *from =
            a.data + (size_t)(y - c->all.min.y) * a.columns + (size_t)(box.min.x - c->all.min.x);
        uint32_t *to = counts_of_row(c, box.min.x, y);
        for (int32_t x = box.min.x; x < box.max.x; x++)
            *to++ = pqti_ntt_multiply(*from++, scale);
    }
    pqti_free_scratch(a.data);
    return true;
}

/* Returns true if transforms are cheaper than counting at each offset of a box. */
static bool
transforms_pay(const convolution *c, pqt_pixel_box box)
{
    const size_t columns = power_of_two(c->all.max.x - c->all.min.x);
    const size_t rows = power_of_two(c->all.max.y - c->all.min.y);
    if ((uint64_t)columns * rows > MOST_NUMBERS)
        return false;
    const pqt_region_stats a = pqt_region_get_stats(c->a), b = pqt_region_get_stats(c->b);
    const uint64_t tiles = 1 + (a.leaves < b.leaves ? a.leaves : b.leaves);
    const uint64_t offsets = (uint64_t)(box.max.x - box.min.x) * (uint64_t)(box.max.y - box.min.y);
    uint64_t levels = 0;
    for (size_t n = columns * rows; n > 1; n /= 2)
        levels++;
    return columns * rows * levels * 3 / 2 * BUTTERFLY_STEPS < offsets * tiles * TILE_STEPS;
}

/* ---- Arguments ---- */

static bool
check_convolution(const convolution *c, pqt_error *error)
{
    if (!pqti_validate_pixel_box(&c->offsets, "offsets", 0, error))
        return false;
    const uint64_t width = (uint64_t)((int64_t)c->offsets.max.x - c->offsets.min.x);
    const uint64_t height = (uint64_t)((int64_t)c->offsets.max.y - c->offsets.min.y);
    const uint64_t most = PTRDIFF_MAX / sizeof *c->counts;
    if (c->a->count > UINT32_MAX && c->b->count > UINT32_MAX)
        pqti_error_set(error, PQT_ERROR_LIMIT, 0, "both regions have more than 2^32 - 1 pixels");
    else if (c->stride < width)
        pqti_error_set(error, PQT_ERROR_OPTION, 0,
                       "stride: %zu is less than the width of the offsets, %llu", c->stride,
                       (unsigned long long)width);
    else if (width > most || (height > 1 && c->stride > (most - width) / (height - 1)))
        pqti_error_set(error, PQT_ERROR_OPTION, 0,
                       "stride: %llu rows of %zu numbers exceed the address space",
                       (unsigned long long)height, c->stride);
    else
        return true;
    return false;
}

static void
clear_counts(const convolution *c)
{
    const size_t width = (size_t)((int64_t)c->offsets.max.x - c->offsets.min.x);
    for (int32_t y = c->offsets.min.y; y < c->offsets.max.y; y++)
        memset(counts_of_row(c, c->offsets.min.x, y), 0, width * sizeof *c->counts);
}

bool
pqt_region_convolve(const pqt_region *a, const pqt_region *b, pqt_pixel_box offsets,
                    uint32_t *counts, size_t stride, pqt_error *error)
{
    if (!pqti_region_check_input(a, error) || !pqti_region_check_input(b, error))
        return false;
    const convolution c = {a, b, offsets, pqt_region_overlap_offsets(a, b), counts, stride};
    if (!check_convolution(&c, error))
        return false;
    if (pqti_box_is_empty(offsets))
        return true;
    PQT_ASSERT(counts != NULL, "counts is NULL, and there are offsets");
    const pqt_pixel_box box = pqti_box_common(offsets, c.all);
    if (!pqti_box_holds(box, offsets))
        clear_counts(&c);
    if (pqti_box_is_empty(box))
        return true;
    if (!transforms_pay(&c, box))
        count_one_by_one(&c, box);
    else if (!count_by_transforms(&c, box)) {
        pqti_out_of_memory(error);
        return false;
    }
    return true;
}
