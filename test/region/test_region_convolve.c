/* SPDX-License-Identifier: MIT */
/*
 * test_region_convolve.c: compares overlap counts with loops over pixels, and transforms with sums.
 * test_region_cases compares them with scipy.
 */
#include "config.h"

#include <math.h>

#include <pqt/region_convolve.h>
#include <pqt/region_overlap.h>

#include "hooks.h"
#include "region/collision/ntt.h"
#include "region_support.h"
#include "suite.h"

/* Compares all counts of a box with those at each offset. */
static void
expect_counts(const pqt_region *a, const pqt_region *b, pqt_pixel_box box)
{
    pqt_error error = {0};
    const size_t width = (size_t)(box.max.x - box.min.x), stride = width + 2;
    const size_t height = (size_t)(box.max.y - box.min.y);
    uint32_t *counts = malloc((stride * height + 1) * sizeof *counts);
    memset(counts, 0xa5, stride * height * sizeof *counts);
    ck_assert_msg(pqt_region_convolve(a, b, box, counts, stride, &error), "%s", error.text);
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < stride; x++) {
            const pqt_vec offset = {box.min.x + (double)x, box.min.y + (double)y};
            const double must =
                x < width ? pqt_region_overlap_area(a, b, offset).pixels : (double)0xa5a5a5a5;
            ck_assert_msg(counts[y * stride + x] == must, "%g, %g: %u", offset.x, offset.y,
                          counts[y * stride + x]);
        }
    free(counts);
}

START_TEST(counts_are_those_of_each_offset)
{
    pqt_error error = {0};
    pqt_memory *other = pqt_arena_make(0, &error);
    const pqt_region *regions[] = {region_of(NOISE, 40, 90, (pqt_pixel){-20, 70}, arena),
                                   region_of(MAZE, 131, 66, (pqt_pixel){-70, -30}, arena),
                                   boxed(box_of(7, 8, 9, 9)),
                                   region_of(SOLID, 64, 64, (pqt_pixel){-64, 0}, other)};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++) {
            const pqt_pixel_box all = pqt_region_overlap_offsets(regions[i], regions[k]);
            pqt_pixel_box part = {{all.min.x - 3, all.min.y + 2}, {all.max.x + 1, all.min.y + 9}};
            expect_counts(regions[i], regions[k], all);
            expect_counts(regions[i], regions[k], part);
            part.max.y = all.max.y + 2;
            expect_counts(regions[i], regions[k], part);
            part.max.x = part.min.x + 2;
            expect_counts(regions[i], regions[k], part); /* no pixels overlap */
        }
    pqt_arena_destroy(&other);
}
END_TEST

START_TEST(regions_as_far_as_possible_are_counted)
{
    const pqt_region *first = boxed(box_of(-LIMIT, -LIMIT, 2 - LIMIT, 1 - LIMIT));
    const pqt_region *last = boxed(box_of(LIMIT - 3, LIMIT - 1, LIMIT, LIMIT));
    const pqt_region *all = boxed(box_of(-LIMIT, -LIMIT, LIMIT, LIMIT));
    const pqt_region *row = boxed(box_of(-LIMIT, 0, LIMIT, 1));
    const pqt_pixel_box far = pqt_region_overlap_offsets(first, last);
    pqt_error error = {0};
    uint32_t count = 7;
    expect_box(far, 1 - 2 * LIMIT, 1 - 2 * LIMIT, 5 - 2 * LIMIT, 2 - 2 * LIMIT);
    expect_counts(first, last, far);
    expect_counts(all, row, box_of(-2, LIMIT - 1, 2, LIMIT + 1));
    ck_assert(pqt_region_convolve(first, last,
                                  box_of(INT32_MAX - 1, INT32_MIN, INT32_MAX, INT32_MIN + 1),
                                  &count, 1, &error));
    ck_assert_uint_eq(count, 0);
    ck_assert(pqt_region_convolve(all, row, box_of(1, 0, 2, 1), &count, 1, &error));
    ck_assert_uint_eq(count, 2 * LIMIT - 1);
    expect_box(pqt_region_overlap_offsets(first, nothing()), 0, 0, 0, 0);
    ck_assert(pqt_region_convolve(nothing(), all, box_of(1, 0, 2, 1), &count, 1, &error));
    ck_assert_uint_eq(count, 0);
    ck_assert(!pqt_region_convolve(all, all, box_of(1, 0, 2, 1), &count, 1, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_LIMIT);
}
END_TEST

START_TEST(invalid_offsets_are_refused)
{
    const pqt_region *region = boxed(box_of(0, 0, 3, 3));
    uint32_t count = 7;
    const struct {
        pqt_pixel_box offsets;
        size_t stride;
        pqt_status status;
    } wrong[] = {
        {{{0, 0}, {-1, 1}}, 1, PQT_ERROR_BOX},
        {{{0, 0}, {2, 1}}, 1, PQT_ERROR_OPTION},
        {{{0, 0}, {1, 3}}, PTRDIFF_MAX / 4, PQT_ERROR_OPTION},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        pqt_error error = {0};
        ck_assert(!pqt_region_convolve(region, region, wrong[i].offsets, &count, wrong[i].stride,
                                       &error));
        ck_assert_msg(error.status == wrong[i].status, "%zu: %s", i, error.text);
        ck_assert_uint_eq(count, 7);
    }
    ck_assert(pqt_region_convolve(region, region, box_of(5, 5, 5, 9), NULL, 0, NULL));
}
END_TEST

/* The only allocation is that of the transforms. */
START_TEST(transforms_without_memory_fail)
{
    const pqt_region *region = region_of(NOISE, 150, 150, here, arena);
    const pqt_pixel_box all = pqt_region_overlap_offsets(region, region);
    uint32_t *counts = malloc(299 * 299 * sizeof *counts);
    pqt_error error = {0};
    hooks watch = {.fail_at = 1};
    hooks_start(&watch);
    const bool done = pqt_region_convolve(region, region, all, counts, 299, &error);
    hooks_stop();
    ck_assert_uint_eq(watch.failures, 1);
    ck_assert(!done);
    ck_assert_int_eq(error.status, PQT_ERROR_MEMORY);
    error = (pqt_error){0};
    ck_assert(pqt_region_convolve(region, region, all, counts, 299, &error));
    ck_assert_uint_eq(counts[149 * 299 + 149], pqt_region_count(region));
    free(counts);
}
END_TEST

/* ---- Transforms ---- */

/* Compares the product of two transforms with the cyclic convolution, summed one by one. */
static void
expect_convolution(dice *d, size_t columns, size_t rows)
{
    enum { MOST = 16 * 16 };
    uint64_t a[MOST], b[MOST];
    uint32_t x[MOST], y[MOST], roots[MOST];
    const size_t count = columns * rows;
    for (size_t i = 0; i < count; i++) {
        a[i] = dice_below(d, PQTI_NTT_PRIME);
        b[i] = dice_chance(d, 10) ? PQTI_NTT_PRIME - 1 : dice_below(d, PQTI_NTT_PRIME);
        x[i] = (uint32_t)((a[i] << 32) % PQTI_NTT_PRIME);
        y[i] = (uint32_t)((b[i] << 32) % PQTI_NTT_PRIME);
    }
    pqti_ntt_forward(x, columns, rows, rows, roots);
    pqti_ntt_forward(y, columns, rows, rows, roots);
    for (size_t i = 0; i < count; i++)
        x[i] = pqti_ntt_multiply(x[i], y[i]);
    pqti_ntt_back(x, columns, rows, rows, roots);
    for (size_t i = 0; i < count; i++) {
        uint64_t sum = 0;
        for (size_t k = 0; k < count; k++) {
            const size_t column = (i % columns + columns - k % columns) % columns;
            const size_t row = (i / columns + rows - k / columns) % rows;
            sum = (sum + a[k] * b[row * columns + column]) % PQTI_NTT_PRIME;
        }
        ck_assert_uint_eq(pqti_ntt_multiply(x[i], pqti_ntt_inverse((uint32_t)count)), sum);
    }
}

START_TEST(products_of_transforms_are_convolutions)
{
    dice d = {test_seed("products_of_transforms")};
    ck_assert_uint_eq(PQTI_NTT_ONE, (UINT64_C(1) << 32) % PQTI_NTT_PRIME);
    for (size_t columns = 1; columns <= 16; columns *= 2)
        for (size_t rows = 1; rows <= 16; rows *= 2)
            expect_convolution(&d, columns, rows);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("region_convolve");
    TCase *tcase = region_tests("counts");
    tcase_add_test(tcase, counts_are_those_of_each_offset);
    tcase_add_test(tcase, regions_as_far_as_possible_are_counted);
    tcase_add_test(tcase, invalid_offsets_are_refused);
    tcase_add_test(tcase, transforms_without_memory_fail);
    tcase_add_test(tcase, products_of_transforms_are_convolutions);
    suite_add_tcase(suite, tcase);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
