/* SPDX-License-Identifier: MIT */
/* test_format_double.c: tests doubles as text, in any locale. */
#include "config.h"

#include <errno.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format_double.h"
#include "random.h"
#include "suite.h"

static const double TINIEST = 0x1p-1074;

static void
check_text(double value, const char *text)
{
    ck_assert_str_eq(pqti_format_double(value).text, text);
}

static double
rolled(dice *d)
{
    uint64_t bits = dice_next(d);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

START_TEST(numbers_are_as_short_as_they_can_be)
{
    check_text(1, "1");
    check_text(-3.5, "-3.5");
    check_text(0.1, "0.1");
    check_text(0.1 + 0.2, "0.30000000000000004");
    check_text(1.0 / 3, "0.3333333333333333");
    check_text(1e23, "1e+23");
    check_text(1e-7, "1e-07");
    check_text(123456789, "123456789");
    check_text(9007199254740993, "9007199254740992");
    check_text(-1e300, "-1e+300");
}
END_TEST

START_TEST(the_ends_of_the_range_are_short_too)
{
    check_text(TINIEST, "5e-324");
    check_text(-3 * TINIEST, "-1.5e-323");
    check_text(DBL_MIN, "2.2250738585072014e-308");
    check_text(DBL_MAX, "1.7976931348623157e+308");
    check_text(-DBL_MAX, "-1.7976931348623157e+308");
}
END_TEST

START_TEST(zero_has_no_sign)
{
    check_text(0.0, "0");
    check_text(-0.0, "0");
}
END_TEST

START_TEST(nan_and_infinity_have_names)
{
    check_text(NAN, "nan");
    check_text(-NAN, "nan");
    check_text(INFINITY, "inf");
    check_text(-INFINITY, "-inf");
}
END_TEST

START_TEST(every_double_reads_back)
{
    dice d = {test_seed("every_double_reads_back")};
    for (size_t i = 0; i < test_scaled(50000); i++) {
        double value = rolled(&d);
        pqti_double_text number = pqti_format_double(value);
        ck_assert_uint_le(strlen(number.text), 24);
        ck_assert(isnan(value) || strtod(number.text, NULL) == value);
    }
}
END_TEST

/* The numbers have up to 15 digits, of which the last one is not 0. */
START_TEST(decimal_numbers_are_printed_as_they_were_written)
{
    dice d = {test_seed("decimal_numbers_are_printed_as_they_were_written")};
    for (size_t i = 0; i < test_scaled(50000); i++) {
        char text[32];
        int decimals = 1 + (int)dice_below(&d, 9);
        double value = 1 + dice_real(&d) * 9e5;
        int length = snprintf(text, sizeof text, "%.*f", decimals, i % 2 == 0 ? value : -value);
        text[length - 1] = (char)('1' + dice_below(&d, 9));
        check_text(strtod(text, NULL), text);
    }
}
END_TEST

START_TEST(errno_is_not_changed)
{
    errno = ENOENT;
    (void)pqti_format_double(TINIEST);
    (void)pqti_format_double(DBL_MAX);
    ck_assert_int_eq(errno, ENOENT);
}
END_TEST

START_TEST(any_decimal_separator_of_the_host_becomes_a_point)
{
    ck_assert_str_eq(pqti_replace_decimal_point("-1,5e-07").text, "-1.5e-07");
    ck_assert_str_eq(pqti_replace_decimal_point("0.25").text, "0.25");
    /* the Arabic decimal separator */
    ck_assert_str_eq(pqti_replace_decimal_point("12\331\2535").text, "12.5");
    ck_assert_str_eq(pqti_replace_decimal_point("12::::::::::::::::5e+300").text, "12.5e+300");
    ck_assert_str_eq(pqti_replace_decimal_point("42").text, "42");
    ck_assert_str_eq(pqti_replace_decimal_point("").text, "");
}
END_TEST

START_TEST(a_text_that_is_too_long_is_cut)
{
    pqti_double_text number =
        pqti_replace_decimal_point("1,2345678901234567890123456789012345678901");
    ck_assert_str_eq(number.text, "1.23456789012345678901234567890");
}
END_TEST

/* Sets a locale that writes 1,5. Returns false if this machine has none. */
static bool
write_commas(void)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8",  "de_DE",      "fr_FR.UTF-8",
                                        "fr_FR.utf8",  "nl_NL.UTF-8", "ru_RU.UTF-8"};
    char text[8];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (setlocale(LC_ALL, names[i]) == NULL)
            continue;
        (void)snprintf(text, sizeof text, "%.1f", 1.5);
        if (strcmp(text, "1,5") == 0)
            return true;
    }
    (void)setlocale(LC_ALL, "C");
    return false;
}

START_TEST(a_host_that_writes_commas_changes_nothing)
{
    if (!write_commas())
        fprintf(stderr, "no locale with a decimal comma here: tried without one\n");
    check_text(-3.5, "-3.5");
    check_text(0.1 + 0.2, "0.30000000000000004");
    check_text(DBL_MAX, "1.7976931348623157e+308");
    check_text(-3 * TINIEST, "-1.5e-323");
    (void)setlocale(LC_ALL, "C");
}
END_TEST

static Suite *
number_suite(void)
{
    Suite *suite = suite_create("number");
    TCase *texts = tcase_create("texts");
    tcase_add_test(texts, numbers_are_as_short_as_they_can_be);
    tcase_add_test(texts, the_ends_of_the_range_are_short_too);
    tcase_add_test(texts, zero_has_no_sign);
    tcase_add_test(texts, nan_and_infinity_have_names);
    tcase_add_test(texts, every_double_reads_back);
    tcase_add_test(texts, decimal_numbers_are_printed_as_they_were_written);
    tcase_add_test(texts, errno_is_not_changed);
    suite_add_tcase(suite, texts);

    TCase *locales = tcase_create("locales");
    tcase_add_test(locales, any_decimal_separator_of_the_host_becomes_a_point);
    tcase_add_test(locales, a_text_that_is_too_long_is_cut);
    tcase_add_test(locales, a_host_that_writes_commas_changes_nothing);
    suite_add_tcase(suite, locales);
    return suite;
}

int
main(void)
{
    return run_suite(number_suite());
}
