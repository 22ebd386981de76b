/* SPDX-License-Identifier: MIT */
/* test_fingerprint.c: tests comparing and combining fingerprints. */
#include <pqt.h>

#include "suite.h"

/* Implements the definition in fingerprint.h a second time. */
static uint64_t
defined_half(uint64_t s, uint64_t m, const uint64_t words[4])
{
    for (int i = 0; i < 4; i++) {
        s = (s ^ words[i]) * m;
        s = s ^ s >> 32;
    }
    s = (s ^ s >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    s = (s ^ s >> 27) * UINT64_C(0x94d049bb133111eb);
    return s ^ s >> 31;
}

static pqt_fingerprint
flipped(pqt_fingerprint fingerprint, int bit)
{
    uint64_t *half = bit < 64 ? &fingerprint.low : &fingerprint.high;
    *half ^= UINT64_C(1) << bit % 64;
    return fingerprint;
}

static int
bits_that_differ(pqt_fingerprint a, pqt_fingerprint b)
{
    return __builtin_popcountll(a.low ^ b.low) + __builtin_popcountll(a.high ^ b.high);
}

static const pqt_fingerprint one = {1, 2}, two = {3, 4}, three = {UINT64_MAX, 0};

START_TEST(fingerprints_are_equal_if_all_128_bits_are)
{
    ck_assert(pqt_fingerprint_equals(one, one));
    for (int bit = 0; bit < 128; bit++)
        ck_assert(!pqt_fingerprint_equals(one, flipped(one, bit)));
    ck_assert(!pqt_fingerprint_equals(one, (pqt_fingerprint){one.high, one.low}));
}
END_TEST

START_TEST(combining_follows_the_definition_in_the_header)
{
    const uint64_t words[] = {1, 2, 3, 4};
    const pqt_fingerprint pair = pqt_fingerprint_combine(one, two);
    ck_assert_uint_eq(
        pair.low, defined_half(UINT64_C(0xbb67ae8584caa73b), UINT64_C(0xd6e8feb86659fd93), words));
    ck_assert_uint_eq(
        pair.high, defined_half(UINT64_C(0x3c6ef372fe94f82b), UINT64_C(0xaf251af3b0f025b5), words));
}
END_TEST

START_TEST(a_combined_fingerprint_equals_a_recorded_one)
{
    const pqt_fingerprint pair = pqt_fingerprint_combine(one, two);
    ck_assert_uint_eq(pair.low, UINT64_C(0xb3f19d13536694e3));
    ck_assert_uint_eq(pair.high, UINT64_C(0xec0d648ea96878bc));
}
END_TEST

START_TEST(the_order_of_combining_matters)
{
    const pqt_fingerprint none = {0, 0};
    const pqt_fingerprint left = pqt_fingerprint_combine(pqt_fingerprint_combine(one, two), three);
    const pqt_fingerprint right = pqt_fingerprint_combine(one, pqt_fingerprint_combine(two, three));
    ck_assert(!pqt_fingerprint_equals(pqt_fingerprint_combine(one, two),
                                      pqt_fingerprint_combine(two, one)));
    ck_assert(!pqt_fingerprint_equals(left, right));
    ck_assert(!pqt_fingerprint_equals(pqt_fingerprint_combine(one, none), one));
    ck_assert(!pqt_fingerprint_equals(pqt_fingerprint_combine(none, one), one));
    ck_assert(!pqt_fingerprint_equals(pqt_fingerprint_combine(none, none), none));
}
END_TEST

START_TEST(each_bit_of_both_parts_changes_about_half_of_the_result)
{
    const pqt_fingerprint pair = pqt_fingerprint_combine(one, two);
    for (int bit = 0; bit < 128; bit++) {
        const int first = bits_that_differ(pair, pqt_fingerprint_combine(flipped(one, bit), two));
        const int second = bits_that_differ(pair, pqt_fingerprint_combine(one, flipped(two, bit)));
        ck_assert_int_gt(first, 32);
        ck_assert_int_lt(first, 96);
        ck_assert_int_gt(second, 32);
        ck_assert_int_lt(second, 96);
    }
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("fingerprint");
    TCase *tests = tcase_create("fingerprint");
    tcase_add_test(tests, fingerprints_are_equal_if_all_128_bits_are);
    tcase_add_test(tests, combining_follows_the_definition_in_the_header);
    tcase_add_test(tests, a_combined_fingerprint_equals_a_recorded_one);
    tcase_add_test(tests, the_order_of_combining_matters);
    tcase_add_test(tests, each_bit_of_both_parts_changes_about_half_of_the_result);
    suite_add_tcase(suite, tests);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
