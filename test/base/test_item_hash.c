/* SPDX-License-Identifier: MIT */
/*
 * test_item_hash.c: tests the hash and the fingerprint of items. They have no collisions in samples
 * where none is expected, and do not show the structure of the input.
 */
#include <math.h>
#include <stdlib.h>

#include "random.h"
#include "suite.h"
#include "tree/item_hash.h"

enum { SIDE = 1000, GRID = SIDE * SIDE, SAMPLES = 2000, WORDS = 5, BITS = 64 };

static int
compare_words(const void *a, const void *b)
{
    const uint64_t *x = a;
    const uint64_t *y = b;
    return *x < *y ? -1 : *x > *y;
}

static size_t
count_repeated(uint64_t *words, size_t count)
{
    size_t repeated = 0;
    qsort(words, count, sizeof *words, compare_words);
    for (size_t i = 1; i < count; i++)
        repeated += words[i] == words[i - 1];
    return repeated;
}

static double
bits_in(uint64_t word)
{
    return (double)__builtin_popcountll(word);
}

/* Returns a tile of a grid. The doubles of such boxes have few bits set, like those of most users'
 * boxes. */
static pqt_item
tile(size_t i, uint64_t id)
{
    double x = (double)(i % SIDE);
    double y = (double)(i / SIDE);
    return (pqt_item){{{x, y}, {x + 1, y + 1}}, id};
}

/* Returns one of a million items. They differ in their boxes, their ids, or both. */
static pqt_item
item_of_kind(size_t i, int kind)
{
    if (kind == 0)
        return tile(i, 0);
    return kind == 1 ? tile(0, i) : tile(i, i);
}

START_TEST(a_million_tiles_have_a_million_fingerprints)
{
    uint64_t *low = calloc(GRID, sizeof *low);
    uint64_t *high = calloc(GRID, sizeof *high);
    for (size_t i = 0; i < GRID; i++) {
        pqt_item item = item_of_kind(i, _i);
        pqt_fingerprint fingerprint = pqti_item_fingerprint(&item);
        low[i] = fingerprint.low;
        high[i] = fingerprint.high;
        if (i % 1000 == 0)
            ck_assert_uint_eq(fingerprint.low, pqti_item_hash(&item));
    }
    ck_assert_uint_eq(count_repeated(low, GRID), 0);
    ck_assert_uint_eq(count_repeated(high, GRID), 0);
    free(low);
    free(high);
}
END_TEST

/* Trees divide items by two bits of the hash at a time. So each of these digits should divide items
   into about equal quarters. */
START_TEST(the_digits_of_the_hash_are_spread_evenly)
{
    enum { ITEMS = 100000 };
    for (int m = 0; m < 32; m++) {
        size_t counts[4] = {0, 0, 0, 0};
        for (size_t i = 0; i < ITEMS; i++) {
            pqt_item item = item_of_kind(i, _i);
            counts[pqti_item_hash(&item) >> (62 - 2 * m) & 3]++;
        }
        for (int q = 0; q < 4; q++)
            ck_assert_msg(counts[q] > ITEMS / 4 - 900 && counts[q] < ITEMS / 4 + 900,
                          "digit %d is %d in %zu of %d items", m, q, counts[q], ITEMS);
    }
}
END_TEST

/* Flips one bit in one of the five words of an item. The resulting box may be invalid. */
static pqt_item
turned(pqt_item item, size_t word, size_t bit)
{
    uint64_t words[WORDS];
    memcpy(words, &item, sizeof words);
    words[word] ^= UINT64_C(1) << bit;
    memcpy(&item, words, sizeof item);
    return item;
}

/* Measures the average number of bits that change in each half if bit `bit` of word `word` is
 * flipped. */
static void
expect_avalanche(size_t word, size_t bit)
{
    double low = 0, high = 0;
    uint64_t all_low = 0, all_high = 0;
    for (size_t i = 0; i < SAMPLES; i++) {
        pqt_item item = tile(i * 331 % GRID, i);
        pqt_item other = turned(item, word, bit);
        pqt_fingerprint a = pqti_item_fingerprint(&item);
        pqt_fingerprint b = pqti_item_fingerprint(&other);
        low += bits_in(a.low ^ b.low);
        high += bits_in(a.high ^ b.high);
        all_low |= a.low ^ b.low;
        all_high |= a.high ^ b.high;
    }
    ck_assert_msg(fabs(low / SAMPLES - 32) < 1, "bit %zu of word %zu turns %f bits of low", bit,
                  word, low / SAMPLES);
    ck_assert_msg(fabs(high / SAMPLES - 32) < 1, "bit %zu of word %zu turns %f bits of high", bit,
                  word, high / SAMPLES);
    ck_assert_uint_eq(all_low, UINT64_MAX);
    ck_assert_uint_eq(all_high, UINT64_MAX);
}

START_TEST(each_bit_of_an_item_flips_half_of_the_bits)
{
    for (size_t word = 0; word < WORDS; word++) {
        for (size_t bit = 0; bit < BITS; bit++)
            expect_avalanche(word, bit);
    }
}
END_TEST

START_TEST(each_bit_is_flipped_half_of_the_time)
{
    size_t counts[BITS] = {0};
    size_t trials = 0;
    for (size_t i = 0; i < SAMPLES; i++) {
        for (size_t word = 0; word < WORDS; word++, trials++) {
            pqt_item item = tile(i * 331 % GRID, i);
            pqt_item other = turned(item, word, (i * 7 + word) % BITS);
            uint64_t difference = pqti_item_hash(&item) ^ pqti_item_hash(&other);
            for (int bit = 0; bit < BITS; bit++)
                counts[bit] += difference >> bit & 1;
        }
    }
    for (int bit = 0; bit < BITS; bit++)
        ck_assert_msg(counts[bit] > trials * 47 / 100 && counts[bit] < trials * 53 / 100,
                      "bit %d is turned in %zu of %zu trials", bit, counts[bit], trials);
}
END_TEST

/* Exchanged fields would go unnoticed if fingerprints were sums of fields, or of hashes of
 * fields. */
START_TEST(exchanged_fields_make_a_different_fingerprint)
{
    const pqt_item items[] = {
        {{{1, 2}, {3, 4}}, 5}, {{{2, 1}, {3, 4}}, 5}, {{{1, 2}, {4, 3}}, 5},
        {{{1, 2}, {3, 5}}, 4}, {{{1, 3}, {2, 4}}, 5}, {{{0, 3}, {3, 4}}, 5},
    };
    const pqt_item crossed[] = {{{{1, 2}, {3, 4}}, 7}, {{{5, 6}, {7, 8}}, 9}};
    const pqt_item straight[] = {{{{1, 2}, {3, 4}}, 9}, {{{5, 6}, {7, 8}}, 7}};
    for (int i = 1; i < 6; i++)
        ck_assert_uint_ne(pqti_item_hash(&items[0]), pqti_item_hash(&items[i]));
    ck_assert_uint_ne(pqti_item_hash(&crossed[0]) + pqti_item_hash(&crossed[1]),
                      pqti_item_hash(&straight[0]) + pqti_item_hash(&straight[1]));
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("mix");
    TCase *mix = tcase_create("mix");
    tcase_add_loop_test(mix, a_million_tiles_have_a_million_fingerprints, 0, 3);
    tcase_add_loop_test(mix, the_digits_of_the_hash_are_spread_evenly, 0, 3);
    tcase_add_test(mix, each_bit_of_an_item_flips_half_of_the_bits);
    tcase_add_test(mix, each_bit_is_flipped_half_of_the_time);
    tcase_add_test(mix, exchanged_fields_make_a_different_fingerprint);
    suite_add_tcase(suite, mix);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
