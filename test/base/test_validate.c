/* SPDX-License-Identifier: MIT */
/* test_validate.c: tests the validation of items, boxes and windows. */
#include "config.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/validate.h"
#include "suite.h"

static pqt_item
item(double min_x, double min_y, double max_x, double max_y, uint64_t id)
{
    return (pqt_item){{{min_x, min_y}, {max_x, max_y}}, id};
}

static void
check_error(const pqt_error *error, size_t index, const char *text)
{
    ck_assert_int_eq(error->status, PQT_ERROR_BOX);
    ck_assert_uint_eq(error->index, index);
    ck_assert_str_eq(error->text, text);
}

static void
check_item_refused(pqt_item refused, size_t index, const char *text)
{
    pqt_error error = {0};
    pqt_item admitted = item(1, 2, 3, 4, 5);
    ck_assert(!pqti_validate_item(&refused, index, &admitted, &error));
    ck_assert(!pqti_validate_item(&refused, index, &admitted, NULL));
    ck_assert(pqt_item_equals(admitted, item(1, 2, 3, 4, 5)));
    check_error(&error, index, text);
}

static void
check_box_refused(pqt_box refused, const char *what, const char *text)
{
    pqt_error error = {0};
    pqt_box admitted = {{1, 2}, {3, 4}};
    ck_assert(!pqti_validate_box(&refused, what, &admitted, &error));
    ck_assert(admitted.min.x == 1 && admitted.max.y == 4);
    check_error(&error, 0, text);
}

START_TEST(items_are_the_same_if_all_five_numbers_are)
{
    pqt_item a = item(1, 2, 3, 4, 5);
    ck_assert(pqt_item_equals(a, a));
    ck_assert(!pqt_item_equals(a, item(0, 2, 3, 4, 5)));
    ck_assert(!pqt_item_equals(a, item(1, 0, 3, 4, 5)));
    ck_assert(!pqt_item_equals(a, item(1, 2, 9, 4, 5)));
    ck_assert(!pqt_item_equals(a, item(1, 2, 3, 9, 5)));
    ck_assert(!pqt_item_equals(a, item(1, 2, 3, 4, 5 + (UINT64_C(1) << 63))));
}
END_TEST

START_TEST(minus_zero_equals_zero_and_nan_equals_nothing)
{
    pqt_item nan = item(NAN, 0, 1, 1, 5);
    ck_assert(pqt_item_equals(item(-0.0, 0, 1, 1, 5), item(0.0, 0, 1, 1, 5)));
    ck_assert(!pqt_item_equals(nan, nan));
}
END_TEST

START_TEST(valid_items_are_accepted_unchanged)
{
    const pqt_item good[] = {
        item(1, 2, 3, 4, 5),
        item(7, 7, 7, 7, 0),
        item(-DBL_MAX, -DBL_MAX, DBL_MAX, DBL_MAX, UINT64_MAX),
        item(-0x1p-1074, 0, 0, 0x1p-1074, 1),
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        pqt_error error = {0};
        pqt_item admitted;
        ck_assert(pqti_validate_item(&good[i], i, &admitted, &error));
        ck_assert(pqt_item_equals(admitted, good[i]));
        ck_assert_int_eq(error.status, PQT_OK);
    }
}
END_TEST

START_TEST(minus_zero_becomes_zero_bit_for_bit)
{
    const pqt_item negative = item(-0.0, -0.0, -0.0, -0.0, 5);
    pqt_item expected = item(0.0, 0.0, 0.0, 0.0, 5), admitted;
    ck_assert(pqti_validate_item(&negative, 0, &admitted, NULL));
    ck_assert_mem_eq(&admitted.box, &expected.box, sizeof expected.box);
    pqt_box box;
    ck_assert(pqti_validate_box(&(pqt_box){{-0.0, -0.0}, {-0.0, -0.0}}, "bounds", &box, NULL));
    ck_assert_mem_eq(&box, &expected.box, sizeof box);
    ck_assert(pqti_validate_window(&(pqt_box){{-0.0, -0.0}, {-0.0, -0.0}}, "window", &box, NULL));
    ck_assert_mem_eq(&box, &expected.box, sizeof box);
    box = pqti_box_positive_zero((pqt_box){{-0.0, -1}, {-0.0, 2}});
    ck_assert(!signbit(box.min.x) && box.min.y == -1 && !signbit(box.max.x) && box.max.y == 2);
}
END_TEST

START_TEST(a_bad_number_is_refused_and_named)
{
    check_item_refused(item(NAN, 0, 1, 1, 5), 17, "item 17: min.x is nan");
    check_item_refused(item(0, -NAN, 1, 1, 5), 17, "item 17: min.y is nan");
    check_item_refused(item(0, 0, INFINITY, 1, 5), 0, "item 0: max.x is inf");
    check_item_refused(item(0, 0, 1, -INFINITY, 5), 3, "item 3: max.y is -inf");
    check_item_refused(item(0, INFINITY, 1, NAN, 5), 3, "item 3: min.y is inf");
    check_item_refused(item(0, NAN, 1, 1, 5), SIZE_MAX, "item 18446744073709551615: min.y is nan");
}
END_TEST

START_TEST(an_inverted_box_is_refused_and_its_numbers_are_reported)
{
    check_item_refused(item(4, 0, 3, 1, 5), 17, "item 17: box is inverted (x 4 > 3)");
    check_item_refused(item(0, 0.1, 3, -1e300, 5), 2, "item 2: box is inverted (y 0.1 > -1e+300)");
    check_item_refused(item(3, 5, 3, 1, 5), 2, "item 2: box is inverted (y 5 > 1)");
    check_item_refused(item(4, 4, 3, 3, 5), 2, "item 2: box is inverted (x 4 > 3)");
    check_item_refused(item(0x1p-1074, 0, 0, 0, 5), 2, "item 2: box is inverted (x 5e-324 > 0)");
}
END_TEST

START_TEST(the_longest_message_is_not_cut)
{
    check_item_refused(item(-1.2345678901234568e-300, 0, -1.7976931348623157e308, 1, 5), 1234567890,
                       "item 1234567890: box is inverted "
                       "(x -1.2345678901234568e-300 > -1.7976931348623157e+308)");
}
END_TEST

START_TEST(an_earlier_error_is_kept)
{
    pqt_error error = {9, PQT_ERROR_MEMORY, "earlier"};
    const pqt_item refused = item(NAN, 0, 1, 1, 5);
    pqt_item admitted;
    ck_assert(!pqti_validate_item(&refused, 17, &admitted, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_MEMORY);
    ck_assert_str_eq(error.text, "earlier");
}
END_TEST

START_TEST(bad_bounds_are_refused_and_named)
{
    check_box_refused((pqt_box){{INFINITY, 0}, {1, 1}}, "bounds", "bounds: min.x is inf");
    check_box_refused((pqt_box){{0, 0}, {1, NAN}}, "bounds", "bounds: max.y is nan");
    check_box_refused((pqt_box){{0, 2}, {1, 1}}, "bounds", "bounds: box is inverted (y 2 > 1)");
}
END_TEST

START_TEST(windows_may_be_infinite_but_not_nan_or_inverted)
{
    pqt_error error = {0};
    pqt_box admitted, all = {{-INFINITY, -INFINITY}, {INFINITY, INFINITY}};
    ck_assert(pqti_validate_window(&all, "window", &admitted, &error));
    ck_assert_mem_eq(&admitted, &all, sizeof all);
    ck_assert(
        !pqti_validate_window(&(pqt_box){{-INFINITY, NAN}, {1, 1}}, "window", &admitted, &error));
    check_error(&error, 0, "window: min.y is nan");
    error = (pqt_error){0};
    ck_assert(
        !pqti_validate_window(&(pqt_box){{INFINITY, 0}, {0, 1}}, "window", &admitted, &error));
    check_error(&error, 0, "window: box is inverted (x inf > 0)");
    ck_assert_mem_eq(&admitted, &all, sizeof all);
}
END_TEST

static Suite *
item_suite(void)
{
    Suite *suite = suite_create("item");
    TCase *equality = tcase_create("equality");
    tcase_add_test(equality, items_are_the_same_if_all_five_numbers_are);
    tcase_add_test(equality, minus_zero_equals_zero_and_nan_equals_nothing);
    suite_add_tcase(suite, equality);

    TCase *door = tcase_create("door");
    tcase_add_test(door, valid_items_are_accepted_unchanged);
    tcase_add_test(door, minus_zero_becomes_zero_bit_for_bit);
    tcase_add_test(door, a_bad_number_is_refused_and_named);
    tcase_add_test(door, an_inverted_box_is_refused_and_its_numbers_are_reported);
    tcase_add_test(door, the_longest_message_is_not_cut);
    tcase_add_test(door, an_earlier_error_is_kept);
    tcase_add_test(door, bad_bounds_are_refused_and_named);
    tcase_add_test(door, windows_may_be_infinite_but_not_nan_or_inverted);
    suite_add_tcase(suite, door);
    return suite;
}

int
main(void)
{
    return run_suite(item_suite());
}
