/* SPDX-License-Identifier: MIT */
/* test_image_diff.c: tests differences and merges of images. */
#include "config.h"

#include "hooks.h"
#include "image_model.h"
#include "image_support.h"
#include "suite.h"

static const pqt_rgba blue = {0, 0, 255, 255};

static const pqt_image *
boxed(const pqt_image *image, pqt_pixel_box box, pqt_rgba colour)
{
    pqt_error error = {0};
    const pqt_paint paint = pqt_paint_box(PQT_PAINT_SET, box);
    image = pqt_image_paint(image, paint, colour, PQT_INK_REPLACE, &error);
    ck_assert_msg(image != NULL, "%s", error.text);
    return image;
}

static const pqt_image *
blank(void)
{
    return pqt_image_make(300, 200, white, arena, NULL);
}

typedef struct box_list {
    pqt_pixel_box boxes[20];
    size_t count, most;
} box_list;

static bool
list_box(const pqt_pixel_box *box, void *context)
{
    box_list *list = context;
    ck_assert_uint_lt(list->count, 20);
    list->boxes[list->count++] = *box;
    return list->count != list->most;
}

static void
expect_box(pqt_pixel_box box, int32_t min_x, int32_t min_y, int32_t max_x, int32_t max_y)
{
    ck_assert_int_eq(box.min.x, min_x);
    ck_assert_int_eq(box.min.y, min_y);
    ck_assert_int_eq(box.max.x, max_x);
    ck_assert_int_eq(box.max.y, max_y);
}

START_TEST(a_difference_is_a_tight_box_for_each_tile)
{
    pqt_error error = {0};
    box_list list = {.count = 0};
    const pqt_image *next = boxed(blank(), (pqt_pixel_box){{14, 3}, {19, 5}}, red);
    ck_assert(pqt_image_visit_diff(blank(), next, list_box, &list, &error));
    ck_assert_uint_eq(list.count, 2);
    expect_box(list.boxes[0], 14, 3, 16, 5);
    expect_box(list.boxes[1], 16, 3, 19, 5);
}
END_TEST

START_TEST(a_square_of_another_colour_is_one_box)
{
    pqt_error error = {0};
    box_list list = {.count = 0};
    const pqt_image *next = boxed(blank(), (pqt_pixel_box){{0, 0}, {300, 200}}, red);
    ck_assert(pqt_image_visit_diff(blank(), next, list_box, &list, &error));
    ck_assert_uint_eq(list.count, 1);
    expect_box(list.boxes[0], 0, 0, 300, 200);
}
END_TEST

START_TEST(a_visitor_stops_a_difference)
{
    pqt_error error = {0};
    box_list list = {.most = 1};
    const pqt_image *next = boxed(blank(), (pqt_pixel_box){{14, 3}, {19, 5}}, red);
    ck_assert(!pqt_image_visit_diff(blank(), next, list_box, &list, &error));
    ck_assert_int_eq(error.status, PQT_OK);
    ck_assert_uint_eq(list.count, 1);
}
END_TEST

START_TEST(images_of_other_sizes_or_memories_are_refused)
{
    pqt_error error = {0};
    box_list list = {.count = 0};
    pqt_memory *other = pqt_arena_make(0, NULL);
    const pqt_image *base = blank(), *wide = pqt_image_make(301, 200, white, arena, NULL);
    const pqt_image *away = pqt_image_copy(base, other, &error);
    ck_assert(!pqt_image_visit_diff(base, wide, list_box, &list, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_MISMATCH);
    ck_assert_str_eq(error.text, "size: the images are 300 x 200 and 301 x 200");
    error = (pqt_error){0};
    ck_assert_ptr_null(pqt_image_merge(base, base, wide, NULL, NULL, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_MISMATCH);
    error = (pqt_error){0};
    ck_assert_ptr_null(pqt_image_merge(base, away, base, NULL, NULL, &error));
    ck_assert_str_eq(error.text, "memory: the images are in different memories");
    pqt_arena_destroy(&other);
}
END_TEST

START_TEST(a_merge_has_the_changes_of_both_sides)
{
    pqt_error error = {0};
    const pqt_image *base = blank();
    const pqt_image *ours = boxed(base, (pqt_pixel_box){{3, 3}, {9, 9}}, red);
    const pqt_image *theirs = boxed(base, (pqt_pixel_box){{10, 3}, {90, 80}}, blue);
    const pqt_image *merged = pqt_image_merge(base, ours, theirs, NULL, NULL, &error);
    ck_assert_msg(merged != NULL, "%s", error.text);
    ck_assert(pqt_image_equals(merged, boxed(ours, (pqt_pixel_box){{10, 3}, {90, 80}}, blue)));
    ck_assert_ptr_eq(pqt_image_merge(base, ours, base, NULL, NULL, &error), ours);
    ck_assert_ptr_eq(pqt_image_merge(base, base, theirs, NULL, NULL, &error), theirs);
    ck_assert_ptr_eq(pqt_image_merge(base, ours, ours, NULL, NULL, &error), ours);
}
END_TEST

static pqt_image_resolution
answer_with(const pqt_pixel_box *box, void *context)
{
    (void)box;
    return *(const pqt_image_resolution *)context;
}

START_TEST(a_conflict_is_an_error_that_names_its_box)
{
    pqt_error error = {0};
    pqt_image_resolution answer = (pqt_image_resolution)7;
    const pqt_image *base = blank();
    const pqt_image *ours = boxed(base, (pqt_pixel_box){{3, 3}, {9, 9}}, red);
    const pqt_image *theirs = boxed(base, (pqt_pixel_box){{7, 4}, {12, 12}}, blue);
    ck_assert_ptr_null(pqt_image_merge(base, ours, theirs, NULL, NULL, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_CONFLICT);
    ck_assert_str_eq(error.text,
                     "the pixels from 7, 4 to 9, 9: both sides changed them differently");
    error = (pqt_error){0};
    ck_assert_ptr_null(pqt_image_merge(base, ours, theirs, answer_with, &answer, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_CALLBACK);
    error = (pqt_error){0};
    answer = PQT_IMAGE_KEEP_BASE;
    const pqt_image *merged = pqt_image_merge(base, ours, theirs, answer_with, &answer, &error);
    ck_assert(same_rgba(pqt_image_pixel(merged, (pqt_pixel){8, 8}), white));
    ck_assert(same_rgba(pqt_image_pixel(merged, (pqt_pixel){3, 3}), red));
    ck_assert(same_rgba(pqt_image_pixel(merged, (pqt_pixel){11, 11}), blue));
}
END_TEST

START_TEST(each_failed_allocation_of_a_merge_is_reported)
{
    const pqt_image *base = blank();
    const pqt_image *ours = boxed(base, (pqt_pixel_box){{3, 3}, {49, 49}}, red);
    const pqt_image *theirs = boxed(base, (pqt_pixel_box){{50, 3}, {90, 80}}, blue);
    for (hooks watch = {.fail_at = 1};; watch.fail_at++) {
        pqt_error error = {0};
        hooks_start(&watch);
        const pqt_image *merged = pqt_image_merge(base, ours, theirs, NULL, NULL, &error);
        hooks_stop();
        if (watch.failures == 0) {
            ck_assert_msg(merged != NULL, "%s", error.text);
            ck_assert_uint_gt(watch.fail_at, 3);
            return;
        }
        ck_assert_ptr_null(merged);
        ck_assert_int_eq(error.status, PQT_ERROR_MEMORY);
    }
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("image_diff");
    TCase *tests = tcase_create("image_diff");
    tcase_add_checked_fixture(tests, open_arena, close_arena);
    tcase_add_test(tests, a_difference_is_a_tight_box_for_each_tile);
    tcase_add_test(tests, a_square_of_another_colour_is_one_box);
    tcase_add_test(tests, a_visitor_stops_a_difference);
    tcase_add_test(tests, images_of_other_sizes_or_memories_are_refused);
    tcase_add_test(tests, a_merge_has_the_changes_of_both_sides);
    tcase_add_test(tests, a_conflict_is_an_error_that_names_its_box);
    tcase_add_test(tests, each_failed_allocation_of_a_merge_is_reported);
    suite_add_tcase(suite, tests);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
