/* SPDX-License-Identifier: MIT */
/*
 * test_region_cases.c: compares results for regions with those of scipy, skimage and Pillow, which
 * test/region_cases.txt holds and test/region/region_cases.py writes.
 */
#include "config.h"

#include <stdio.h>

#include <pqt/region_affine.h>
#include <pqt/region_convolve.h>
#include <pqt/region_morph.h>

#include "case_file.h"
#include "region_support.h"
#include "suite.h"

static FILE *cases;

static void
open_cases(void)
{
    cases = open_case_file("region_cases.txt");
    open_arena();
}

static void
close_cases(void)
{
    fclose(cases);
    close_arena();
}

static int32_t
read_whole(void)
{
    return (int32_t)read_case_number(cases);
}

/* Reads rows of pixels. */
static const pqt_region *
read_pixels(int32_t width, int32_t height, pqt_pixel at)
{
    pqt_error error = {0};
    const size_t w = (size_t)width, h = (size_t)height;
    uint8_t *bytes = malloc(w * h + 1);
    for (size_t i = 0; i < w * h; i++) {
        char pixel = 0;
        ck_assert_int_eq(fscanf(cases, " %c", &pixel), 1);
        ck_assert(pixel == '#' || pixel == '.');
        bytes[i] = pixel == '#';
    }
    const pqt_byte_image image = {bytes, w, h, w, 1, 0};
    const pqt_region *region = pqt_region_of_bytes(&image, at, arena, &error);
    free(bytes);
    return sound(region, &error);
}

START_TEST(skeletons_are_those_of_skimage)
{
    pqt_error error = {0};
    int count = 0;
    for (; find_case(cases, "skeleton"); count++) {
        const int32_t width = read_whole(), height = read_whole();
        const pqt_pixel at = {-5 * count, -64 + count};
        const pqt_region *region = read_pixels(width, height, at);
        const pqt_region *must = read_pixels(width, height, at);
        const pqt_region *lines = sound(pqt_region_skeleton(region, &error), &error);
        ck_assert_msg(pqt_region_equals(lines, must), "case %d", count);
        ck_assert_ptr_eq(pqt_region_skeleton(lines, &error), lines);
    }
    ck_assert_int_eq(count, 9);
}
END_TEST

static void
compare_squares(const pqt_region *region, pqt_pixel_box window, pqt_distance_target target)
{
    pqt_error error = {0};
    const size_t width = (size_t)(window.max.x - window.min.x), stride = width + 3;
    const size_t height = (size_t)(window.max.y - window.min.y);
    uint32_t *squares = calloc(stride * height, sizeof *squares);
    ck_assert_msg(pqt_region_distances(region, window, target, squares, stride, &error), "%s",
                  error.text);
    for (size_t i = 0; i < stride * height; i++) {
        const uint32_t must = i % stride < width ? (uint32_t)read_case_number(cases) : 0;
        ck_assert_msg(squares[i] == must, "%zu, %zu: %u in place of %u", i % stride, i / stride,
                      squares[i], must);
    }
    free(squares);
}

START_TEST(distances_are_those_of_scipy)
{
    int count = 0;
    for (; find_case(cases, "distances"); count++) {
        const int32_t width = read_whole(), height = read_whole();
        const pqt_pixel at = {-7 * count, 3};
        const pqt_pixel_box window = {at, {at.x + width, at.y + height}};
        const pqt_region *region = read_pixels(width, height, at);
        compare_squares(region, window, PQT_DISTANCE_TO_REGION);
        compare_squares(region, window, PQT_DISTANCE_TO_OUTSIDE);
    }
    ck_assert_int_eq(count, 7);
}
END_TEST

START_TEST(dilations_and_erosions_by_discs_are_those_of_scipy)
{
    pqt_error error = {0};
    int count = 0;
    for (; find_case(cases, "discs"); count++) {
        const int32_t width = read_whole(), height = read_whole();
        const double radius = read_case_number(cases);
        const int32_t margin = read_whole();
        const pqt_pixel at = {-9, -70 + count};
        const pqt_region *region = read_pixels(width, height, at);
        const pqt_region *larger = read_pixels(width + 2 * margin, height + 2 * margin,
                                               (pqt_pixel){at.x - margin, at.y - margin});
        const pqt_region *smaller = read_pixels(width, height, at);
        const pqt_region *dilated = pqt_region_dilate_disc(region, radius, &error);
        const pqt_region *eroded = pqt_region_erode_disc(region, radius, &error);
        ck_assert_msg(pqt_region_equals(sound(dilated, &error), larger), "case %d", count);
        ck_assert_msg(pqt_region_equals(sound(eroded, &error), smaller), "case %d", count);
    }
    ck_assert_int_eq(count, 6);
}
END_TEST

START_TEST(overlap_counts_are_those_of_scipy)
{
    pqt_error error = {0};
    int cases_read = 0;
    for (; find_case(cases, "convolve"); cases_read++) {
        const int32_t aw = read_whole(), ah = read_whole();
        const int32_t bw = read_whole(), bh = read_whole();
        const pqt_region *a = read_pixels(aw, ah, (pqt_pixel){-3, 60});
        const pqt_region *b = read_pixels(bw, bh, (pqt_pixel){50, -70});
        const pqt_pixel_box all = box_of(-3 - 50 - bw + 1, 60 + 70 - bh + 1, aw - 53, ah + 130);
        const size_t width = (size_t)(aw + bw - 1), height = (size_t)(ah + bh - 1);
        uint32_t *counts = malloc(width * height * sizeof *counts);
        ck_assert_msg(pqt_region_convolve(a, b, all, counts, width, &error), "%s", error.text);
        for (size_t i = 0; i < width * height; i++)
            ck_assert_uint_eq(counts[i], (uint32_t)read_case_number(cases));
        free(counts);
    }
    ck_assert_int_eq(cases_read, 4);
}
END_TEST

/* Compares a region with rows of pixels, of which those that are ? may be either. */
static void
expect_shares(const pqt_region *region, int32_t width, int32_t height, int number)
{
    for (int32_t y = 0; y < height; y++)
        for (int32_t x = 0; x < width; x++) {
            char pixel = 0;
            ck_assert_int_eq(fscanf(cases, " %c", &pixel), 1);
            ck_assert_msg(pixel == '?' ||
                              pqt_region_contains(region, (pqt_pixel){x, y}) == (pixel == '#'),
                          "case %d: %d, %d must be %c", number, x, y, pixel);
        }
}

START_TEST(resized_regions_are_those_of_pillow)
{
    pqt_error error = {0};
    int count = 0;
    for (; find_case(cases, "resize"); count++) {
        const int32_t width = read_whole(), height = read_whole();
        const pqt_pixel_box from = box_of(0, 0, width, height);
        const int32_t w = read_whole(), h = read_whole();
        const pqt_region *region = read_pixels(width, height, here), *made;
        made = pqt_region_resize(region, from, box_of(0, 0, w, h), PQT_SAMPLE_NEAREST, &error);
        expect_shares(sound(made, &error), w, h, count);
        made = pqt_region_resize(region, from, box_of(0, 0, w, h), PQT_SAMPLE_AREA, &error);
        expect_shares(sound(made, &error), w, h, count);
    }
    ck_assert_int_eq(count, 6);
}
END_TEST

START_TEST(mapped_regions_are_those_of_scipy)
{
    pqt_error error = {0};
    int count = 0;
    for (; find_case(cases, "affine"); count++) {
        const int32_t width = read_whole(), height = read_whole();
        pqt_affine whole = {.xx = read_case_number(cases)};
        whole.xy = read_case_number(cases);
        whole.dx = read_case_number(cases);
        whole.yx = read_case_number(cases);
        whole.yy = read_case_number(cases);
        whole.dy = read_case_number(cases);
        const pqt_region *region = read_pixels(width, height, here), *made;
        made = pqt_region_map(region, whole, PQT_SAMPLE_NEAREST, &error);
        expect_shares(sound(made, &error), 2 * width, 2 * height, count);
        made = pqt_region_map(region, whole, PQT_SAMPLE_AREA, &error);
        expect_shares(sound(made, &error), 2 * width, 2 * height, count);
    }
    ck_assert_int_eq(count, 5);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("region_cases");
    TCase *tcase = tcase_create("cases of other libraries");
    tcase_add_checked_fixture(tcase, open_cases, close_cases);
    tcase_add_test(tcase, skeletons_are_those_of_skimage);
    tcase_add_test(tcase, distances_are_those_of_scipy);
    tcase_add_test(tcase, dilations_and_erosions_by_discs_are_those_of_scipy);
    tcase_add_test(tcase, overlap_counts_are_those_of_scipy);
    tcase_add_test(tcase, resized_regions_are_those_of_pillow);
    tcase_add_test(tcase, mapped_regions_are_those_of_scipy);
    suite_add_tcase(suite, tcase);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
