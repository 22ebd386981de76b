/* SPDX-License-Identifier: MIT */
/* test_parse_double.c: tests decimal numbers as doubles, in any locale. */
#include "config.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format_double.h"
#include "base/parse_double.h"
#include "random.h"
#include "suite.h"

enum { LONGEST_TEXT = 2000 };

static double
parsed(const char *text)
{
    double value = NAN;
    ck_assert_msg(pqti_parse_double(text, strlen(text), &value), "%s", text);
    return value;
}

/* Checks that a text gives the double that strtod gives, bit for bit. */
static void
check_like_strtod(const char *text)
{
    const double expected = strtod(text, NULL), value = parsed(text);
    ck_assert_msg(memcmp(&value, &expected, sizeof value) == 0, "%s: %.17g, not %.17g", text, value,
                  expected);
}

static double
random_double(dice *d)
{
    const uint64_t bits = dice_next(d);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

START_TEST(numbers_are_read_as_the_nearest_double)
{
    ck_assert(parsed("1.50") == 1.5);
    ck_assert(parsed("+.5e1") == 5);
    ck_assert(parsed("007.") == 7);
    ck_assert(parsed("0.1") == 0.1);
    ck_assert(parsed("1e23") == 1e23);
    ck_assert(parsed("9007199254740993") == 9007199254740992.0);
    ck_assert(parsed("9007199254740993.00000000000000000000000000000000001") == 9007199254740994.0);
    ck_assert(signbit(parsed("-0")) && parsed("-0.0e999999999") == 0);
}
END_TEST

START_TEST(the_ends_of_the_range_are_read)
{
    ck_assert(parsed("1.7976931348623157e308") == DBL_MAX);
    ck_assert(isinf(parsed("-1.7976931348623159e308")));
    ck_assert(isinf(parsed("1e99999999999999999999")));
    ck_assert(parsed("5e-324") == 0x1p-1074);
    ck_assert(parsed("2.4703282292062327e-324") == 0);
    ck_assert(parsed("2.4703282292062328e-324") == 0x1p-1074);
    ck_assert(parsed("2.2250738585072011e-308") == 0x0.fffffffffffffp-1022);
    ck_assert(parsed("1e-99999999999999999999") == 0);
}
END_TEST

START_TEST(anything_else_is_not_a_number)
{
    static const char *const texts[] = {"",
                                        " 1",
                                        "1 ",
                                        "+",
                                        "-",
                                        ".",
                                        "e5",
                                        "1e",
                                        "1e+",
                                        "0x1",
                                        "1,5",
                                        "1.2.3",
                                        "inf",
                                        "nan",
                                        "--1",
                                        "1e5.",
                                        "1f",
                                        "1e 5",
                                        ("\xc2\xa0"
                                         "1"),
                                        "1_0"};
    double value;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        ck_assert_msg(!pqti_parse_double(texts[i], strlen(texts[i]), &value), "%s", texts[i]);
    ck_assert(!pqti_parse_double("1\0", 2, &value));
}
END_TEST

START_TEST(a_number_has_at_most_1077_bytes)
{
    char text[LONGEST_TEXT];
    double value;
    memset(text, '0', sizeof text);
    text[PQTI_LONGEST_NUMBER - 1] = '5';
    ck_assert(pqti_parse_double(text, PQTI_LONGEST_NUMBER, &value) && value == 5);
    ck_assert(!pqti_parse_double(text, PQTI_LONGEST_NUMBER + 1, &value));
}
END_TEST

START_TEST(every_double_is_read_from_any_number_of_digits)
{
    dice d = {test_seed("every_double_is_read_from_any_number_of_digits")};
    char text[LONGEST_TEXT];
    for (size_t i = 0; i < test_scaled(50000); i++) {
        const double value = random_double(&d);
        if (!isfinite(value))
            continue;
        snprintf(text, sizeof text, "%.*g", 1 + (int)dice_below(&d, 25), value);
        check_like_strtod(text);
        ck_assert(parsed(pqti_format_double(value).text) == value);
    }
}
END_TEST

START_TEST(the_middle_between_two_doubles_is_read_as_the_even_one)
{
    dice d = {test_seed("the_middle_between_two_doubles_is_read_as_the_even_one")};
    char text[LONGEST_TEXT];
    for (size_t i = 0; i < test_scaled(5000); i++) {
        /* A long double has the middle of two doubles that are normal. */
        const double value = ldexp(1 + dice_real(&d), (int)dice_below(&d, 1800) - 900);
        const long double middle =
            ((long double)value + (long double)nextafter(value, INFINITY)) / 2;
        const int length = snprintf(text, sizeof text, "%.1000Le", middle);
        if (length >= PQTI_LONGEST_NUMBER)
            continue;
        check_like_strtod(text);
        char *last = strchr(text, 'e') - 1;
        *last += 1;
        check_like_strtod(text);
    }
}
END_TEST

/* Writes a random number of digits with a point and an exponent. */
static void
write_random(dice *d, char *text, size_t digits, int exponent)
{
    const size_t point = dice_below(d, digits + 1);
    size_t length = 0;
    for (size_t i = 0; i < digits; i++) {
        if (i == point)
            text[length++] = '.';
        text[length++] = (char)('0' + dice_below(d, 10));
    }
    sprintf(text + length, "e%d", exponent);
}

START_TEST(random_digits_are_read_like_strtod_does)
{
    dice d = {test_seed("random_digits_are_read_like_strtod_does")};
    char text[LONGEST_TEXT];
    for (size_t i = 0; i < test_scaled(20000); i++) {
        write_random(&d, text, 1 + dice_below(&d, 40), (int)dice_below(&d, 760) - 380);
        check_like_strtod(text);
    }
    for (size_t i = 0; i < test_scaled(200); i++) {
        write_random(&d, text, 1060, (int)dice_below(&d, 1800) - 1500);
        check_like_strtod(text);
    }
}
END_TEST

/* Returns the words that are multiplied or divided to read a text. */
static size_t
work_of(const char *text)
{
    size_t work = 0;
    double value;
    ck_assert(pqti_parse_double_counting(text, strlen(text), &value, &work));
    return work;
}

/* 13 fives take one pass, and the number has at most 29 words. A pass for each power of
   ten would take 4,900 words for 1e308. */
START_TEST(a_double_is_read_with_a_few_hundred_word_operations)
{
    char text[LONGEST_TEXT];
    size_t most = 0;
    ck_assert_uint_eq(work_of("123.456e-7"), 0);
    for (int power = -342; power <= 308; power++) {
        snprintf(text, sizeof text, "12345678901234567e%d", power);
        const size_t work = work_of(text);
        most = work > most ? work : most;
    }
    ck_assert_uint_le(work_of("1e300"), 300);
    ck_assert_uint_le(most, 420);
}
END_TEST

/* The digits are groups of nine, so 120 passes over 112 words at most. */
START_TEST(the_longest_number_is_read_with_one_pass_for_nine_digits)
{
    char text[LONGEST_TEXT];
    memset(text, '9', sizeof text);
    text[PQTI_LONGEST_NUMBER] = '\0';
    text[1] = '.';
    ck_assert_uint_le(work_of(text), 120 * 112);
    text[1] = '9';
    memcpy(text + PQTI_LONGEST_NUMBER - 6, "e-1390", 6);
    ck_assert_uint_le(work_of(text), 240 * 112);
    check_like_strtod(text);
}
END_TEST

START_TEST(a_locale_with_decimal_commas_changes_nothing)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (setlocale(LC_NUMERIC, names[i]) != NULL)
            break;
    double value;
    ck_assert(parsed("1.5") == 1.5 && parsed("123456789012345678.25") == 123456789012345680.0);
    ck_assert(!pqti_parse_double("1,5", 3, &value));
    setlocale(LC_NUMERIC, "C");
}
END_TEST

static Suite *
number_suite(void)
{
    Suite *suite = suite_create("number");
    TCase *tests = tcase_create("parse");
    tcase_add_test(tests, numbers_are_read_as_the_nearest_double);
    tcase_add_test(tests, the_ends_of_the_range_are_read);
    tcase_add_test(tests, anything_else_is_not_a_number);
    tcase_add_test(tests, a_number_has_at_most_1077_bytes);
    tcase_add_test(tests, every_double_is_read_from_any_number_of_digits);
    tcase_add_test(tests, the_middle_between_two_doubles_is_read_as_the_even_one);
    tcase_add_test(tests, random_digits_are_read_like_strtod_does);
    tcase_add_test(tests, a_double_is_read_with_a_few_hundred_word_operations);
    tcase_add_test(tests, the_longest_number_is_read_with_one_pass_for_nine_digits);
    tcase_add_test(tests, a_locale_with_decimal_commas_changes_nothing);
    suite_add_tcase(suite, tests);
    return suite;
}

int
main(void)
{
    return run_suite(number_suite());
}
