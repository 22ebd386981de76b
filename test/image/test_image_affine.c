/* SPDX-License-Identifier: MIT */
/*
 * test_image_affine.c: tests maps of images, and compares them with those of Pillow, which
 * test/image_cases.txt holds and test/image/image_cases.py writes. test_image_model compares random
 * ones with their definition.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pqt/image.h>

#include "image/image_internal.h"
#include "case_file.h"
#include "image_model.h"
#include "image_support.h"
#include "suite.h"

enum { LIMIT = PQT_PIXEL_LIMIT };

static const pqt_image *
resized(const pqt_image *image, size_t width, size_t height, pqt_sampling sampling)
{
    pqt_error error = {0};
    return sound(pqt_image_resize(image, pqt_image_bounds(image), width, height, sampling, &error),
                 &error);
}

/* ---- Cases of Pillow ---- */

static FILE *cases;

static void
open_cases(void)
{
    cases = open_case_file("image_cases.txt");
    open_arena();
}

static void
close_cases(void)
{
    fclose(cases);
    close_arena();
}

/* Reads a pixel. Returns false if it may have any colour. */
static bool
read_pixel(pqt_rgba *colour)
{
    char word[16];
    unsigned r, g, b, a;
    ck_assert_int_eq(fscanf(cases, " %15s", word), 1);
    if (strcmp(word, "any") == 0)
        return false;
    ck_assert_int_eq(sscanf(word, "%2x%2x%2x%2x", &r, &g, &b, &a), 4);
    *colour = (pqt_rgba){(uint8_t)r, (uint8_t)g, (uint8_t)b, (uint8_t)a};
    return true;
}

static void
read_size(size_t size[2])
{
    size[0] = (size_t)read_case_number(cases);
    size[1] = (size_t)read_case_number(cases);
}

static const pqt_image *
read_image(const size_t size[2])
{
    static uint8_t bytes[80 * 80 * 4];
    pqt_error error = {0};
    ck_assert_uint_le(size[0] * size[1] * 4, sizeof bytes);
    for (size_t i = 0; i < size[0] * size[1]; i++) {
        pqt_rgba colour;
        ck_assert(read_pixel(&colour));
        memcpy(bytes + 4 * i, (uint8_t[]){colour.r, colour.g, colour.b, colour.a}, 4);
    }
    return sound(pqt_image_of_rgba(bytes, size[0], size[1], 4 * size[0], arena, &error), &error);
}

static int
difference(pqt_rgba a, pqt_rgba b)
{
    const int of[4] = {abs(a.r - b.r), abs(a.g - b.g), abs(a.b - b.b), abs(a.a - b.a)};
    int most = 0;
    for (int i = 0; i < 4; i++)
        most = of[i] > most ? of[i] : most;
    return most;
}

/* Compares a result with the pixels of a case, whose channels may differ by `most`. */
static void
compare_result(const pqt_image *made, int most)
{
    const pqt_pixel size = pqt_image_bounds(made).max;
    int compared = 0;
    for (int32_t y = 0; y < size.y; y++)
        for (int32_t x = 0; x < size.x; x++) {
            pqt_rgba must;
            if (!read_pixel(&must))
                continue;
            const pqt_rgba is = pqt_image_pixel(made, (pqt_pixel){x, y});
            ck_assert_msg(difference(is, must) <= most,
                          "pixel %d, %d is %d, %d, %d, %d and not %d, %d, %d, %d", (int)x, (int)y,
                          is.r, is.g, is.b, is.a, must.r, must.g, must.b, must.a);
            compared++;
        }
    ck_assert_int_gt(4 * compared, 3 * size.x * size.y);
}

START_TEST(resizes_to_the_nearest_pixel_are_those_of_pillow)
{
    size_t from[2], to[2];
    int count = 0;
    for (; find_case(cases, "nearest"); count++) {
        read_size(from);
        read_size(to);
        compare_result(resized(read_image(from), to[0], to[1], PQT_SAMPLE_NEAREST), 0);
    }
    ck_assert_int_ge(count, 3);
}
END_TEST

START_TEST(resizes_by_area_are_those_of_pillow)
{
    size_t from[2], to[2];
    int count = 0;
    for (; find_case(cases, "area"); count++) {
        read_size(from);
        read_size(to);
        compare_result(resized(read_image(from), to[0], to[1], PQT_SAMPLE_AREA), 0);
    }
    ck_assert_int_ge(count, 4);
}
END_TEST

/* By area, Pillow's results are means of samples. */
START_TEST(maps_are_those_of_pillow)
{
    pqt_error error = {0};
    size_t from[2], to[2];
    int count = 0;
    for (; find_case(cases, "map"); count++) {
        pqt_affine map;
        read_size(from);
        read_size(to);
        map.xx = read_case_number(cases);
        map.xy = read_case_number(cases);
        map.dx = read_case_number(cases);
        map.yx = read_case_number(cases);
        map.yy = read_case_number(cases);
        map.dy = read_case_number(cases);
        const pqt_image *image = read_image(from);
        compare_result(
            sound(pqt_image_map(image, map, to[0], to[1], PQT_SAMPLE_NEAREST, &error), &error), 0);
        compare_result(
            sound(pqt_image_map(image, map, to[0], to[1], PQT_SAMPLE_AREA, &error), &error), 6);
    }
    ck_assert_int_ge(count, 3);
}
END_TEST

/* ---- Properties ---- */

START_TEST(colours_of_clear_pixels_do_not_bleed)
{
    pqt_error error = {0};
    const pqt_rgba hidden = {0, 255, 0, 0};
    const pqt_image *image = pqt_image_make(2, 1, red, arena, &error);
    image = sound(pqt_image_set_pixel(image, (pqt_pixel){1, 0}, hidden, &error), &error);
    const pqt_image *one = resized(image, 1, 1, PQT_SAMPLE_AREA);
    ck_assert(same_rgba(pqt_image_pixel(one, (pqt_pixel){0, 0}), (pqt_rgba){255, 0, 0, 128}));
    const pqt_image *far =
        pqt_image_resize(image, (pqt_pixel_box){{0, 0}, {400, 400}}, 1, 1, PQT_SAMPLE_AREA, &error);
    ck_assert(same_rgba(pqt_image_pixel(far, (pqt_pixel){0, 0}), (pqt_rgba){0, 0, 0, 0}));
    const pqt_image *same = resized(image, 2, 1, PQT_SAMPLE_NEAREST);
    ck_assert_ptr_eq(same, image);
    same = resized(image, 2, 1, PQT_SAMPLE_AREA);
    ck_assert(same_rgba(pqt_image_pixel(same, (pqt_pixel){1, 0}), (pqt_rgba){0, 0, 0, 0}));
}
END_TEST

START_TEST(one_colour_costs_no_more_than_a_node_of_each_level)
{
    pqt_error error = {0};
    const pqt_affine turn = pqt_affine_rotation((pqt_vec){3, 4}, (pqt_vec){LIMIT / 2, LIMIT / 2});
    const pqt_image *plain = sound(pqt_image_make(LIMIT, LIMIT, red, arena, &error), &error);
    const pqt_image *small = resized(plain, 1, 1, PQT_SAMPLE_AREA);
    ck_assert(same_rgba(pqt_image_pixel(small, (pqt_pixel){0, 0}), red));
    ck_assert_ptr_eq(resized(plain, LIMIT, LIMIT, PQT_SAMPLE_AREA), plain);
    ck_assert(pqt_image_equals(resized(small, LIMIT, LIMIT, PQT_SAMPLE_AREA), plain));
    const pqt_image *turned = pqt_image_map(small, turn, 64, 64, PQT_SAMPLE_AREA, &error);
    ck_assert_uint_eq(pqt_image_get_stats(sound(turned, &error)).tiles, 0);
}
END_TEST

/* A turn of a picture of one colour covers its area, and its edges are blended with alpha. */
START_TEST(a_turned_square_keeps_its_area_in_alpha)
{
    pqt_error error = {0};
    const pqt_image *square = pqt_image_make(60, 60, red, arena, &error);
    for (int i = 1; i < 8; i++) {
        pqt_affine turn = pqt_affine_rotation((pqt_vec){5 - i, i * 0.7}, (pqt_vec){30, 30});
        turn.dx += 20;
        turn.dy += 20;
        const pqt_image *made =
            sound(pqt_image_map(square, turn, 100, 100, PQT_SAMPLE_AREA, &error), &error);
        int64_t sum = 0;
        for (int32_t y = 0; y < 100; y++)
            for (int32_t x = 0; x < 100; x++) {
                const pqt_rgba colour = pqt_image_pixel(made, (pqt_pixel){x, y});
                ck_assert(colour.a == 0 || (colour.r == 255 && colour.g == 0 && colour.b == 0));
                sum += colour.a;
            }
        ck_assert_int_le(llabs(sum - 60 * 60 * 255), 300);
    }
}
END_TEST

static void
expect_failure(const void *made, const pqt_error *error, pqt_status status, const char *text)
{
    ck_assert_ptr_null(made);
    ck_assert_int_eq(error->status, status);
    ck_assert_str_eq(error->text, text);
}

START_TEST(bad_arguments_of_maps_are_refused)
{
    const pqt_image *image = pqt_image_make(4, 4, red, arena, NULL);
    const pqt_affine unit = {.xx = 1, .yy = 1};
    const pqt_pixel_box box = {{0, 0}, {3, 3}}, inverted = {{5, 0}, {4, 3}};
    const pqt_pixel_box far = {{0, 0}, {LIMIT + 1, 3}}, none = {{2, 2}, {2, 9}};
    pqt_error e[8] = {{0}};
    expect_failure(pqt_image_map(image, unit, 0, 4, PQT_SAMPLE_AREA, &e[0]), &e[0], PQT_ERROR_LIMIT,
                   "image: 0 x 4; each side must be 1..1048576 pixels");
    expect_failure(pqt_image_map(image, unit, 4, 4, (pqt_sampling)3, &e[1]), &e[1],
                   PQT_ERROR_OPTION, "sampling: 3 is not a pqt_sampling");
    expect_failure(
        pqt_image_map(image, (pqt_affine){.xx = 1, .yy = NAN}, 4, 4, PQT_SAMPLE_AREA, &e[2]), &e[2],
        PQT_ERROR_OPTION, "map: the matrix has no inverse");
    expect_failure(
        pqt_image_map(image, (pqt_affine){.xx = 1, .yy = 1e7}, 4, 4, PQT_SAMPLE_AREA, &e[3]), &e[3],
        PQT_ERROR_LIMIT, "map: a number of the map or its inverse is too large");
    expect_failure(pqt_image_resize(image, inverted, 4, 4, PQT_SAMPLE_AREA, &e[4]), &e[4],
                   PQT_ERROR_BOX, "from 0: box is inverted (x 5 > 4)");
    ck_assert_ptr_null(pqt_image_resize(image, far, 4, 4, PQT_SAMPLE_AREA, &e[5]));
    ck_assert_int_eq(e[5].status, PQT_ERROR_LIMIT);
    expect_failure(pqt_image_resize(image, box, 4, 4, (pqt_sampling)0, &e[6]), &e[6],
                   PQT_ERROR_OPTION, "sampling: 0 is not a pqt_sampling");
    expect_failure(pqt_image_resize(image, box, 4, LIMIT + 1, PQT_SAMPLE_AREA, &e[7]), &e[7],
                   PQT_ERROR_LIMIT, "image: 4 x 1048577; each side must be 1..1048576 pixels");
    const pqt_image *clear =
        sound(pqt_image_resize(image, none, 7, 5, PQT_SAMPLE_AREA, NULL), NULL);
    ck_assert(same_rgba(pqt_image_pixel(clear, (pqt_pixel){6, 4}), (pqt_rgba){0, 0, 0, 0}));
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("image_affine");
    TCase *tcase = tcase_create("cases");
    tcase_add_checked_fixture(tcase, open_cases, close_cases);
    tcase_add_test(tcase, resizes_to_the_nearest_pixel_are_those_of_pillow);
    tcase_add_test(tcase, resizes_by_area_are_those_of_pillow);
    tcase_add_test(tcase, maps_are_those_of_pillow);
    suite_add_tcase(suite, tcase);
    tcase = tcase_create("maps");
    tcase_add_checked_fixture(tcase, open_arena, close_arena);
    tcase_add_test(tcase, colours_of_clear_pixels_do_not_bleed);
    tcase_add_test(tcase, one_colour_costs_no_more_than_a_node_of_each_level);
    tcase_add_test(tcase, a_turned_square_keeps_its_area_in_alpha);
    tcase_add_test(tcase, bad_arguments_of_maps_are_refused);
    suite_add_tcase(suite, tcase);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
