/* SPDX-License-Identifier: MIT */
/* test_vec.c: tests vectors whose size is near 1, or at either end of the range of doubles. */
#include "config.h"

#include <float.h>
#include <math.h>

#include <pqt/vec.h>

#include "base/vec_internal.h"
#include "random.h"
#include "suite.h"

__extension__ typedef unsigned __int128 wide;

static const double TINIEST = 0x1p-1074;

static pqt_vec
vec(double x, double y)
{
    return (pqt_vec){x, y};
}

/* Returns a number with either sign whose exponent is drawn from least .. most. */
static double
rolled(dice *d, int least, int most)
{
    int exponent = least + (int)dice_below(d, (size_t)(most - least + 1));
    double value = ldexp(1 + dice_real(d), exponent);
    return dice_chance(d, 50) ? -value : value;
}

START_TEST(vectors_with_nan_or_infinity_are_not_finite)
{
    ck_assert(pqt_vec_is_finite(vec(0, -0.0)));
    ck_assert(pqt_vec_is_finite(vec(DBL_MAX, -TINIEST)));
    ck_assert(!pqt_vec_is_finite(vec(NAN, 0)));
    ck_assert(!pqt_vec_is_finite(vec(0, NAN)));
    ck_assert(!pqt_vec_is_finite(vec(INFINITY, 0)));
    ck_assert(!pqt_vec_is_finite(vec(0, -INFINITY)));
}
END_TEST

START_TEST(sums_differences_and_multiples_are_computed_axis_by_axis)
{
    pqt_vec sum = pqt_vec_add(vec(1, 2), vec(10, -20));
    pqt_vec difference = pqt_vec_subtract(vec(1, 2), vec(10, -20));
    pqt_vec multiple = pqt_vec_scale(vec(1.5, -2), -4);
    ck_assert(sum.x == 11 && sum.y == -18);
    ck_assert(difference.x == -9 && difference.y == 22);
    ck_assert(multiple.x == -6 && multiple.y == 8);
}
END_TEST

START_TEST(dot_is_zero_at_right_angles)
{
    ck_assert_double_eq(pqt_vec_dot(vec(3, 4), vec(2, 5)), 26);
    ck_assert_double_eq(pqt_vec_dot(vec(3, 4), vec(-4, 3)), 0);
    ck_assert_double_eq(pqt_vec_dot(vec(0, 0), vec(7, 7)), 0);
    ck_assert_double_lt(pqt_vec_dot(vec(1, 0), vec(-1, 9)), 0);
}
END_TEST

START_TEST(dot_is_correct_if_products_overflow_or_underflow)
{
    ck_assert_double_eq(pqt_vec_dot(vec(1e300, 1e300), vec(1e300, -1e300)), 0);
    ck_assert_double_eq(pqt_vec_dot(vec(0x1p1000, 0x1p1000), vec(0x1p24, -0x1.8p23)), 0x1p1022);
    ck_assert_double_eq(pqt_vec_dot(vec(0x1.8p-600, 0x1p-600), vec(0x1p-470, -0x1p-470)),
                        0x1p-1071);
    ck_assert_double_eq(pqt_vec_dot(vec(1e300, 1e-300), vec(1e-300, 1e300)), 2);
    ck_assert_double_eq(pqt_vec_dot(vec(0x1p1000, 0x1p-60), vec(0, 0x1p-1000)), 0x1p-1060);
    ck_assert_double_eq(pqt_vec_dot(vec(0x1p-60, 0x1p1000), vec(0x1p-1000, 0)), 0x1p-1060);
    ck_assert_double_eq(pqt_vec_dot(vec(TINIEST, TINIEST), vec(0x1p1000, 0x1p1000)), 0x1p-73);
    ck_assert(isinf(pqt_vec_dot(vec(1e300, 0), vec(1e300, 0))));
    ck_assert(isnan(pqt_vec_dot(vec(NAN, 0), vec(1, 1))));
}
END_TEST

START_TEST(dot_scales_by_powers_of_two_exactly)
{
    dice d = {test_seed("dot_scales_by_powers_of_two_exactly")};
    for (size_t i = 0; i < test_scaled(20000); i++) {
        pqt_vec a = vec(rolled(&d, -20, 20), rolled(&d, -20, 20));
        pqt_vec b = vec(rolled(&d, -20, 20), rolled(&d, -20, 20));
        double plain = pqt_vec_dot(a, b);
        ck_assert(plain == a.x * b.x + a.y * b.y);
        int k = (int)dice_below(&d, 1080) - 570;
        a = vec(ldexp(a.x, k), ldexp(a.y, k));
        b = vec(ldexp(b.x, k), ldexp(b.y, k));
        ck_assert_double_eq(pqt_vec_dot(a, b), ldexp(plain, 2 * k));
    }
}
END_TEST

START_TEST(length_of_3_4_is_5_at_every_power_of_two)
{
    for (int k = -1074; k <= 1021; k++) {
        double unit = ldexp(1, k);
        ck_assert_double_eq(pqt_vec_length(vec(3 * unit, 4 * unit)), 5 * unit);
        ck_assert_double_eq(pqt_vec_length(vec(-4 * unit, 3 * unit)), 5 * unit);
    }
}
END_TEST

START_TEST(length_along_an_axis_is_the_number_itself)
{
    const double lengths[] = {0, TINIEST, 3 * TINIEST, DBL_MIN, 1e-300, 0.1, 1e300, DBL_MAX};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        ck_assert_double_eq(pqt_vec_length(vec(lengths[i], 0)), lengths[i]);
        ck_assert_double_eq(pqt_vec_length(vec(0, -lengths[i])), lengths[i]);
    }
}
END_TEST

START_TEST(length_beyond_the_largest_double_is_infinite)
{
    ck_assert(isinf(pqt_vec_length(vec(DBL_MAX, DBL_MAX))));
    ck_assert(isinf(pqt_vec_length(vec(-INFINITY, 1))));
    ck_assert(isnan(pqt_vec_length(vec(NAN, 1))));
    ck_assert(isnan(pqt_vec_length(vec(1, NAN))));
}
END_TEST

/*
 * The numbers are 53-bit integers, so that the squares can be compared exactly as 128-bit integers.
 * The length is at least 2^52, so it is an integer as well.
 */
START_TEST(length_is_within_2_units_in_the_last_place)
{
    dice d = {test_seed("length_is_within_2_units_in_the_last_place")};
    for (size_t i = 0; i < test_scaled(50000); i++) {
        uint64_t x = (dice_next(&d) >> 12) | UINT64_C(1) << 52;
        uint64_t y = dice_next(&d) >> (11 + dice_below(&d, 53));
        double length = pqt_vec_length(vec((double)x, -(double)y));
        uint64_t unit = length < 0x1p53 ? 1 : 2;
        wide square = (wide)x * x + (wide)y * y;
        wide low = (uint64_t)length - 2 * unit, high = (uint64_t)length + 2 * unit;
        ck_assert(low * low < square && square < high * high);
    }
}
END_TEST

START_TEST(length_scales_by_powers_of_two_exactly)
{
    dice d = {test_seed("length_scales_by_powers_of_two_exactly")};
    for (size_t i = 0; i < test_scaled(20000); i++) {
        pqt_vec v = vec(rolled(&d, -30, 30), rolled(&d, -30, 30));
        int k = (int)dice_below(&d, 1960) - 970;
        pqt_vec scaled = vec(ldexp(v.x, k), ldexp(v.y, k));
        ck_assert_double_eq(pqt_vec_length(scaled), ldexp(pqt_vec_length(v), k));
    }
}
END_TEST

/* The numbers are neighbouring doubles, also around the values at which the computation changes. */
START_TEST(a_longer_vector_is_never_measured_shorter)
{
    dice d = {test_seed("a_longer_vector_is_never_measured_shorter")};
    const int places[] = {-1070, -460, -450, 0, 500, 510};
    for (size_t i = 0; i < test_scaled(60000); i++) {
        int place = places[i % (sizeof places / sizeof *places)];
        pqt_vec v = vec(fabs(rolled(&d, place - 4, place + 4)), fabs(rolled(&d, place - 4, place)));
        double length = pqt_vec_length(v);
        ck_assert(pqt_vec_length(vec(nextafter(v.x, INFINITY), v.y)) >= length);
        ck_assert(pqt_vec_length(vec(v.x, nextafter(v.y, INFINITY))) >= length);
        ck_assert(length >= v.x && length >= v.y);
    }
}
END_TEST

START_TEST(distance_is_the_length_of_the_difference)
{
    ck_assert_double_eq(pqt_vec_distance(vec(1, 2), vec(4, 6)), 5);
    ck_assert_double_eq(pqt_vec_distance(vec(4, 6), vec(1, 2)), 5);
    ck_assert_double_eq(pqt_vec_distance(vec(7, 7), vec(7, 7)), 0);
    ck_assert_double_eq(pqt_vec_distance(vec(-1e300, 0), vec(1e300, 0)), 2e300);
    ck_assert_double_eq(pqt_vec_distance(vec(0, 1e-300), vec(0, -1e-300)), 2e-300);
    ck_assert_double_eq(pqt_vec_distance(vec(0, 0), vec(3 * TINIEST, 4 * TINIEST)), 5 * TINIEST);
    ck_assert(isinf(pqt_vec_distance(vec(-DBL_MAX, 0), vec(DBL_MAX, 0))));
}
END_TEST

START_TEST(the_zero_vector_normalizes_to_itself)
{
    pqt_vec zero = pqt_vec_normalize(vec(0, 0));
    ck_assert(zero.x == 0 && zero.y == 0);
    zero = pqt_vec_normalize(vec(-0.0, -0.0));
    ck_assert(zero.x == 0 && zero.y == 0);
}
END_TEST

START_TEST(along_an_axis_normalize_is_exact)
{
    const double lengths[] = {TINIEST, 1e-300, 0.1, 3, 1e300, DBL_MAX};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        pqt_vec right = pqt_vec_normalize(vec(lengths[i], 0));
        pqt_vec up = pqt_vec_normalize(vec(0, -lengths[i]));
        ck_assert(right.x == 1 && right.y == 0);
        ck_assert(up.x == 0 && up.y == -1);
    }
}
END_TEST

START_TEST(normalize_gives_one_answer_at_every_power_of_two)
{
    for (int k = -1074; k <= 1021; k++) {
        pqt_vec v = pqt_vec_normalize(vec(ldexp(-3, k), ldexp(4, k)));
        ck_assert(v.x == -3.0 / 5 && v.y == 4.0 / 5);
    }
}
END_TEST

START_TEST(normalize_gives_length_one)
{
    dice d = {test_seed("normalize_gives_length_one")};
    for (size_t i = 0; i < test_scaled(20000); i++) {
        pqt_vec v = pqt_vec_normalize(vec(rolled(&d, -1074, 1022), rolled(&d, -1074, 1022)));
        ck_assert(fabs(pqt_vec_length(v) - 1) <= 4 * DBL_EPSILON);
    }
    pqt_vec none = pqt_vec_normalize(vec(NAN, 1));
    ck_assert(isnan(none.x) && isnan(none.y));
}
END_TEST

START_TEST(scaled_brings_the_greater_component_to_a_half_or_more)
{
    int exponent = 99;
    pqt_vec v = pqti_vec_frexp(vec(-6, 0.25), &exponent);
    ck_assert(v.x == -0.75 && v.y == 0.03125 && exponent == 3);
    v = pqti_vec_frexp(vec(0, TINIEST), &exponent);
    ck_assert(v.x == 0 && v.y == 0.5 && exponent == -1073);
    v = pqti_vec_frexp(vec(0, 0), &exponent);
    ck_assert(v.x == 0 && v.y == 0 && exponent == 0);
    v = pqti_vec_frexp(vec(1, INFINITY), &exponent);
    ck_assert(v.x == 1 && isinf(v.y) && exponent == 0);
}
END_TEST

static Suite *
vec_suite(void)
{
    Suite *suite = suite_create("vec");
    TCase *sums = tcase_create("sums");
    tcase_add_test(sums, vectors_with_nan_or_infinity_are_not_finite);
    tcase_add_test(sums, sums_differences_and_multiples_are_computed_axis_by_axis);
    tcase_add_test(sums, dot_is_zero_at_right_angles);
    tcase_add_test(sums, dot_is_correct_if_products_overflow_or_underflow);
    tcase_add_test(sums, dot_scales_by_powers_of_two_exactly);
    suite_add_tcase(suite, sums);

    TCase *lengths = tcase_create("lengths");
    tcase_add_test(lengths, length_of_3_4_is_5_at_every_power_of_two);
    tcase_add_test(lengths, length_along_an_axis_is_the_number_itself);
    tcase_add_test(lengths, length_beyond_the_largest_double_is_infinite);
    tcase_add_test(lengths, length_is_within_2_units_in_the_last_place);
    tcase_add_test(lengths, length_scales_by_powers_of_two_exactly);
    tcase_add_test(lengths, a_longer_vector_is_never_measured_shorter);
    tcase_add_test(lengths, distance_is_the_length_of_the_difference);
    tcase_add_test(lengths, the_zero_vector_normalizes_to_itself);
    tcase_add_test(lengths, along_an_axis_normalize_is_exact);
    tcase_add_test(lengths, normalize_gives_one_answer_at_every_power_of_two);
    tcase_add_test(lengths, normalize_gives_length_one);
    tcase_add_test(lengths, scaled_brings_the_greater_component_to_a_half_or_more);
    suite_add_tcase(suite, lengths);
    return suite;
}

int
main(void)
{
    return run_suite(vec_suite());
}
