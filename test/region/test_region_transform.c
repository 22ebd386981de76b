/* SPDX-License-Identifier: MIT */
/* test_region_transform.c: tests components, outlines, transformations and morphology of
 * regions. */
#include "config.h"

#include <string.h>

#include "region_support.h"
#include "suite.h"

START_TEST(invalid_arguments_of_transforms_are_refused)
{
    const pqt_region *region = boxed(box_of(-3, -3, 3, 3));
    const pqt_connectivity none[] = {(pqt_connectivity)0, (pqt_connectivity)5,
                                     (pqt_connectivity)-8};
    for (int i = 0; i < 3; i++) {
        pqt_error error = {0};
        stopper s = {0, 1};
        expect_failure(pqt_region_dilate(region, 1, none[i], &error), &error, PQT_ERROR_OPTION, 0);
        error = (pqt_error){0};
        expect_failure(pqt_region_erode(region, 1, none[i], &error), &error, PQT_ERROR_OPTION, 0);
        error = (pqt_error){0};
        expect_failure(pqt_region_outline(region, none[i], &error), &error, PQT_ERROR_OPTION, 0);
        error = (pqt_error){0};
        expect_failure(pqt_region_component(region, here, none[i], &error), &error,
                       PQT_ERROR_OPTION, 0);
        error = (pqt_error){0};
        expect_failure(pqt_region_largest_component(region, none[i], &error), &error,
                       PQT_ERROR_OPTION, 0);
        error = (pqt_error){0};
        ck_assert(!pqt_region_visit_components(region, none[i], 0, stop_at_region, &s, &error));
        ck_assert_int_eq(error.status, PQT_ERROR_OPTION);
        ck_assert_uint_eq(s.seen, 0);
    }
    for (int turn = -1; turn < 10; turn += 9) {
        pqt_error error = {0};
        expect_failure(pqt_region_transform(region, (pqt_transform)turn, &error), &error,
                       PQT_ERROR_OPTION, 0);
    }
    const int32_t factors[][2] = {{0, 1}, {1, 0}, {-1, 1}, {1, INT32_MIN}};
    for (int i = 0; i < 4; i++) {
        pqt_error error = {0};
        expect_failure(pqt_region_scale(region, factors[i][0], factors[i][1], &error), &error,
                       PQT_ERROR_OPTION, 0);
    }
    pqt_error error = {0};
    expect_failure(pqt_region_dilate(region, -1, PQT_CONNECTIVITY_4, &error), &error,
                   PQT_ERROR_OPTION, 0);
    error = (pqt_error){0};
    expect_failure(pqt_region_scale(region, 1, INT32_MAX, &error), &error, PQT_ERROR_LIMIT, 0);
    error = (pqt_error){0};
    expect_failure(pqt_region_dilate(region, INT32_MAX, PQT_CONNECTIVITY_8, &error), &error,
                   PQT_ERROR_LIMIT, 0);
    ck_assert_ptr_nonnull(strstr(error.text, "steps: 2147483647"));
    ck_assert_ptr_null(pqt_region_dilate(region, LIMIT, PQT_CONNECTIVITY_4, NULL));
}
END_TEST

START_TEST(transforms_of_an_empty_region_are_empty)
{
    const pqt_region *none = nothing();
    pqt_error error = {0};
    stopper s = {0, SIZE_MAX};
    ck_assert_ptr_eq(pqt_region_dilate(none, INT32_MAX, PQT_CONNECTIVITY_8, &error), none);
    ck_assert_ptr_eq(pqt_region_erode(none, INT32_MAX, PQT_CONNECTIVITY_4, &error), none);
    ck_assert_ptr_eq(pqt_region_outline(none, PQT_CONNECTIVITY_4, &error), none);
    ck_assert_ptr_eq(pqt_region_transform(none, PQT_ROTATE_90, &error), none);
    ck_assert_ptr_eq(pqt_region_scale(none, INT32_MAX, 5, &error), none);
    ck_assert_ptr_eq(pqt_region_component(none, here, PQT_CONNECTIVITY_4, &error), none);
    ck_assert(pqt_region_visit_components(none, PQT_CONNECTIVITY_4, 0, stop_at_region, &s, &error));
    ck_assert_uint_eq(s.seen, 0);
    ck_assert_int_eq(error.status, PQT_OK);
}
END_TEST

START_TEST(a_box_grows_into_a_box_and_shrinks_back)
{
    const pqt_region *box = boxed(box_of(-10, 20, 90, 50));
    const pqt_region *larger = pqt_region_dilate(box, 1000, PQT_CONNECTIVITY_8, NULL);
    sound(larger, NULL);
    ck_assert(pqt_region_equals(larger, boxed(box_of(-1010, -980, 1090, 1050))));
    ck_assert(pqt_region_equals(pqt_region_erode(larger, 1000, PQT_CONNECTIVITY_8, NULL), box));
    ck_assert_uint_eq(pqt_region_count(pqt_region_erode(box, 15, PQT_CONNECTIVITY_8, NULL)), 0);
    ck_assert_uint_eq(pqt_region_count(pqt_region_erode(box, INT32_MAX, PQT_CONNECTIVITY_4, NULL)),
                      0);
    const pqt_region *rim = pqt_region_outline(box, PQT_CONNECTIVITY_4, NULL);
    ck_assert_uint_eq(pqt_region_count(sound(rim, NULL)), 2 * 100 + 2 * 28);
    ck_assert_ptr_eq(pqt_region_outline(rim, PQT_CONNECTIVITY_4, NULL), rim);
}
END_TEST

START_TEST(a_pixel_grows_into_a_diamond)
{
    const pqt_region *pixel =
        painted(nothing(), pqt_paint_pixel(PQT_PAINT_SET, (pqt_pixel){-1, 70}));
    for (int32_t steps = 0; steps < 200; steps += 1 + steps / 5) {
        const pqt_region *diamond = pqt_region_dilate(pixel, steps, PQT_CONNECTIVITY_4, NULL);
        ck_assert_uint_eq(pqt_region_count(sound(diamond, NULL)),
                          2 * (uint64_t)steps * (uint64_t)(steps + 1) + 1);
        expect_box(pqt_region_bounds(diamond), -1 - steps, 70 - steps, steps, 71 + steps);
        ck_assert(
            pqt_region_equals(pqt_region_erode(diamond, steps, PQT_CONNECTIVITY_4, NULL), pixel));
    }
}
END_TEST

START_TEST(eroding_treats_pixels_beyond_the_limit_as_empty)
{
    const pqt_region *all = boxed(box_of(-LIMIT, -LIMIT, LIMIT, LIMIT));
    const pqt_region *inner = pqt_region_erode(all, 3, PQT_CONNECTIVITY_8, NULL);
    expect_box(pqt_region_bounds(sound(inner, NULL)), 3 - LIMIT, 3 - LIMIT, LIMIT - 3, LIMIT - 3);
    ck_assert(pqt_region_equals(pqt_region_dilate(inner, 3, PQT_CONNECTIVITY_8, NULL), all));
    ck_assert_ptr_null(pqt_region_dilate(inner, 4, PQT_CONNECTIVITY_8, NULL));
    ck_assert_ptr_eq(pqt_region_transform(all, PQT_ROTATE_90, NULL), all);
}
END_TEST

START_TEST(a_shared_corner_connects_with_8_neighbours_but_not_with_4)
{
    static const pqt_pixel_box boxes[] = {{{-5, -5}, {0, 0}}, {{0, 0}, {5, 5}}};
    const pqt_region *region = pqt_region_of_boxes(boxes, 2, arena, NULL);
    const pqt_pixel last = {4, 4};
    ck_assert_ptr_eq(pqt_region_component(region, here, PQT_CONNECTIVITY_8, NULL), region);
    const pqt_region *one = pqt_region_component(region, last, PQT_CONNECTIVITY_4, NULL);
    ck_assert(pqt_region_equals(sound(one, NULL), boxed(boxes[1])));
    stopper s = {0, SIZE_MAX};
    ck_assert(pqt_region_visit_components(region, PQT_CONNECTIVITY_8, 0, stop_at_region, &s, NULL));
    ck_assert_uint_eq(s.seen, 1);
    s.seen = 0;
    ck_assert(pqt_region_visit_components(region, PQT_CONNECTIVITY_4, 0, stop_at_region, &s, NULL));
    ck_assert_uint_eq(s.seen, 2);
    s = (stopper){0, 1};
    ck_assert(
        !pqt_region_visit_components(region, PQT_CONNECTIVITY_4, 0, stop_at_region, &s, NULL));
    ck_assert_uint_eq(s.seen, 1);
}
END_TEST

/* The teeth of a comb are one pixel wide and joined only at their ends. Every pixel of a
 * checkerboard is alone. */
START_TEST(combs_are_one_component_and_checkerboards_are_many)
{
    pqt_pixel_box teeth[151];
    for (int32_t i = 0; i < 150; i++)
        teeth[i] = box_of(2 * i, 0, 2 * i + 1, 200);
    teeth[150] = box_of(0, 200, 300, 201);
    const pqt_region *comb = pqt_region_of_boxes(teeth, 151, arena, NULL);
    const pqt_region *board = region_of(CHECKERBOARD, 100, 100, here, arena);
    stopper s = {0, SIZE_MAX};
    ck_assert_ptr_eq(pqt_region_component(comb, here, PQT_CONNECTIVITY_4, NULL), comb);
    ck_assert_ptr_eq(pqt_region_component(board, here, PQT_CONNECTIVITY_8, NULL), board);
    ck_assert(pqt_region_visit_components(board, PQT_CONNECTIVITY_4, 0, stop_at_region, &s, NULL));
    ck_assert_uint_eq(s.seen, 5000);
}
END_TEST

START_TEST(a_picture_is_flipped_turned_and_enlarged)
{
    static const uint8_t letter[3][2] = {{1, 0}, {1, 0}, {1, 1}};
    pqt_byte_image image = {&letter[0][0], 2, 3, 2, 1, 0};
    pqt_error error = {0};
    const pqt_region *l = pqt_region_of_bytes(&image, here, arena, &error);
    const pqt_region *flipped = pqt_region_transform(l, PQT_FLIP_X, &error);
    flipped = pqt_region_move(flipped, (pqt_pixel){2, 0}, &error);
    expect_box(pqt_region_bounds(sound(flipped, &error)), 0, 0, 2, 3);
    ck_assert(!pqt_region_contains(flipped, here));
    ck_assert(pqt_region_contains(flipped, (pqt_pixel){0, 2}));
    const pqt_region *turned = pqt_region_transform(l, PQT_ROTATE_90, &error);
    turned = pqt_region_move(turned, (pqt_pixel){3, 0}, &error);
    expect_box(pqt_region_bounds(sound(turned, &error)), 0, 0, 3, 2);
    ck_assert(pqt_region_contains(turned, (pqt_pixel){0, 1}));
    ck_assert(!pqt_region_contains(turned, (pqt_pixel){1, 1}));
    for (int turn = 1; turn <= 7; turn++) {
        const int back = turn == PQT_ROTATE_90    ? PQT_ROTATE_270
                         : turn == PQT_ROTATE_270 ? PQT_ROTATE_90
                                                  : turn;
        const pqt_region *there = pqt_region_transform(l, (pqt_transform)turn, &error);
        ck_assert(pqt_region_equals(pqt_region_transform(there, (pqt_transform)back, &error), l));
    }
    const pqt_region *large = pqt_region_scale(l, 100, 50, &error);
    expect_box(pqt_region_bounds(sound(large, &error)), 0, 0, 200, 150);
    ck_assert_uint_eq(pqt_region_count(large), pqt_region_count(l) * 5000);
    ck_assert_ptr_eq(pqt_region_scale(l, 1, 1, &error), l);
    const pqt_region *end = painted(nothing(), pqt_paint_pixel(PQT_PAINT_SET, (pqt_pixel){-1, -1}));
    end = pqt_region_scale(end, LIMIT, LIMIT, &error);
    expect_box(pqt_region_bounds(sound(end, &error)), -LIMIT, -LIMIT, 0, 0);
}
END_TEST

START_TEST(dilating_and_eroding_report_out_of_memory)
{
    pqt_error error = {0}, dilating = {0}, eroding = {0};
    pqt_memory *full = pqt_arena_make((size_t)1 << 16, &error);
    pqt_pixel_box boxes[40];
    for (int32_t i = 0; i < 40; i++)
        boxes[i] = (pqt_pixel_box){{100 * i, 0}, {100 * i + 30, 30}};
    const pqt_region *region = pqt_region_of_boxes(boxes, 40, full, &error);
    ck_assert_msg(region != NULL, "%s", error.text);
    ck_assert_ptr_null(pqt_region_dilate(region, 9, PQT_CONNECTIVITY_8, &dilating));
    ck_assert_int_eq(dilating.status, PQT_ERROR_MEMORY);
    ck_assert_ptr_null(pqt_region_erode(region, 9, PQT_CONNECTIVITY_8, &eroding));
    ck_assert_int_eq(eroding.status, PQT_ERROR_MEMORY);
    ck_assert(pqt_region_count(region) == 40 * 30 * 30 && pqt_region_check(region, &error));
    pqt_arena_destroy(&full);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("region_forms");
    TCase *tcase = region_tests("forms");
    tcase_add_test(tcase, invalid_arguments_of_transforms_are_refused);
    tcase_add_test(tcase, transforms_of_an_empty_region_are_empty);
    tcase_add_test(tcase, a_box_grows_into_a_box_and_shrinks_back);
    tcase_add_test(tcase, a_pixel_grows_into_a_diamond);
    tcase_add_test(tcase, eroding_treats_pixels_beyond_the_limit_as_empty);
    tcase_add_test(tcase, a_shared_corner_connects_with_8_neighbours_but_not_with_4);
    tcase_add_test(tcase, combs_are_one_component_and_checkerboards_are_many);
    tcase_add_test(tcase, a_picture_is_flipped_turned_and_enlarged);
    tcase_add_test(tcase, dilating_and_eroding_report_out_of_memory);
    suite_add_tcase(suite, tcase);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
