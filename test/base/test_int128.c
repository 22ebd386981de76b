/* SPDX-License-Identifier: MIT */
/* test_int128.c: compares integers of 128 bits with digits of 16 bits, multiplied as on paper. */
#include "config.h"

#include <string.h>

#include "base/int128.h"
#include "random.h"
#include "suite.h"

enum { DIGITS = 8, ROUNDS = 20000 };

/* A number modulo 2^128, the lowest digit first. */
typedef struct paper {
    uint32_t digit[DIGITS];
} paper;

static paper
paper_of(pqti_int128 value)
{
    paper p;
    for (int i = 0; i < DIGITS; i++)
        p.digit[i] = (uint32_t)((i < 4 ? value.low : value.high) >> (16 * (i % 4)) & 0xffff);
    return p;
}

static paper
paper_carry(const uint64_t columns[DIGITS])
{
    paper p;
    uint64_t carry = 0;
    for (int i = 0; i < DIGITS; i++) {
        carry += columns[i];
        p.digit[i] = (uint32_t)(carry & 0xffff);
        carry >>= 16;
    }
    return p;
}

static paper
paper_add(paper a, paper b, uint64_t more)
{
    uint64_t columns[DIGITS];
    for (int i = 0; i < DIGITS; i++)
        columns[i] = (uint64_t)a.digit[i] + b.digit[i] + (i == 0 ? more : 0);
    return paper_carry(columns);
}

static paper
paper_multiply(paper a, paper b)
{
    uint64_t columns[DIGITS] = {0};
    for (int i = 0; i < DIGITS; i++)
        for (int k = 0; i + k < DIGITS; k++)
            columns[i + k] += (uint64_t)a.digit[i] * b.digit[k];
    return paper_carry(columns);
}

static paper
paper_opposite(paper a)
{
    for (int i = 0; i < DIGITS; i++)
        a.digit[i] ^= 0xffff;
    return paper_add(a, (paper){{0}}, 1);
}

static void
expect_paper(pqti_int128 value, paper must)
{
    const paper found = paper_of(value);
    ck_assert_msg(memcmp(&found, &must, sizeof must) == 0, "%016llx%016llx",
                  (unsigned long long)value.high, (unsigned long long)value.low);
}

/* Returns a number with many bits that are equal to their neighbours, so that carries are long. */
static uint64_t
draw_word(dice *d)
{
    const uint64_t word = dice_next(d);
    switch (dice_below(d, 4)) {
    case 0:
        return word;
    case 1:
        return word >> dice_below(d, 64);
    case 2:
        return ~(word >> dice_below(d, 64));
    default:
        return (UINT64_C(1) << dice_below(d, 64)) - dice_below(d, 2);
    }
}

START_TEST(sums_and_products_are_those_of_digits_on_paper)
{
    dice d = {test_seed("sums_and_products")};
    for (size_t i = 0; i < test_scaled(ROUNDS); i++) {
        const pqti_int128 a = {draw_word(&d), draw_word(&d)}, b = {draw_word(&d), draw_word(&d)};
        const paper p = paper_of(a), q = paper_of(b);
        expect_paper(pqti_int128_add(a, b), paper_add(p, q, 0));
        expect_paper(pqti_int128_subtract(a, b), paper_add(p, paper_opposite(q), 0));
        expect_paper(pqti_int128_multiply(a, b), paper_multiply(p, q));
        expect_paper(
            pqti_int128_of_product(a.low, b.low),
            paper_multiply(paper_of((pqti_int128){0, a.low}), paper_of((pqti_int128){0, b.low})));
        const int64_t small = (int64_t)draw_word(&d);
        ck_assert_int_eq(pqti_int128_is_negative(pqti_int128_of(small)), small < 0);
        expect_paper(pqti_int128_add(pqti_int128_of(small), pqti_int128_of(-1)),
                     paper_add(paper_of(pqti_int128_of(small)), paper_opposite((paper){{1}}), 0));
    }
}
END_TEST

/* Neighbours of a double are one unit apart. A value is compared with both by exact differences. */
static void
expect_nearest(uint64_t mantissa, int shift, pqti_int128 beyond, double must)
{
    const pqti_int128 unit =
        pqti_int128_multiply(pqti_int128_of((int64_t)mantissa),
                             shift < 64 ? (pqti_int128){0, UINT64_C(1) << shift}
                                        : (pqti_int128){UINT64_C(1) << (shift - 64), 0});
    const pqti_int128 value = pqti_int128_add(unit, beyond);
    ck_assert_double_eq(pqti_int128_to_double(value), must);
    ck_assert_double_eq(pqti_int128_to_double(pqti_int128_subtract(pqti_int128_of(0), value)),
                        -must);
}

START_TEST(a_double_is_the_nearest_and_even_if_two_are)
{
    const uint64_t even = UINT64_C(1) << 52, odd = even + 1;
    for (int shift = 12; shift < 74; shift++) {
        const pqti_int128 half = shift <= 64 ? (pqti_int128){0, UINT64_C(1) << (shift - 1)}
                                             : (pqti_int128){UINT64_C(1) << (shift - 65), 0};
        const pqti_int128 one = pqti_int128_of(1);
        const double low = ldexp((double)even, shift), high = ldexp((double)odd, shift);
        const double next = ldexp((double)(odd + 1), shift);
        expect_nearest(even, shift, pqti_int128_of(0), low);
        expect_nearest(even, shift, pqti_int128_subtract(half, one), low);
        expect_nearest(even, shift, half, low);
        expect_nearest(even, shift, pqti_int128_add(half, one), high);
        expect_nearest(odd, shift, pqti_int128_subtract(half, one), high);
        expect_nearest(odd, shift, half, next);
    }
    ck_assert_double_eq(pqti_int128_to_double(pqti_int128_of(0)), 0);
    ck_assert_double_eq(pqti_int128_to_double(pqti_int128_of(INT64_MIN)), -0x1p63);
    ck_assert_double_eq(pqti_int128_to_double((pqti_int128){UINT64_C(1) << 63, 0}), -0x1p127);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("int128");
    TCase *tcase = tcase_create("int128");
    tcase_add_test(tcase, sums_and_products_are_those_of_digits_on_paper);
    tcase_add_test(tcase, a_double_is_the_nearest_and_even_if_two_are);
    suite_add_tcase(suite, tcase);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
