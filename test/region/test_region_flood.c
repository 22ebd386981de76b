/* SPDX-License-Identifier: MIT */
/* test_region_flood.c: counts the squares that a search for one component reads.
 * test_region_model compares components with bitmaps. */
#include "config.h"

#include <stdio.h>

#include "hooks.h"
#include "region/region_flood.h"
#include "region_support.h"
#include "suite.h"

static const pqt_region *
flooded(const pqt_region *region, pqt_pixel pixel, pqt_connectivity connectivity, uint64_t *entered)
{
    pqt_error error = {0};
    return sound(pqti_region_flood(region, pixel, connectivity, entered, &error), &error);
}

static const pqt_region *
with_disc(const pqt_region *region, double x, double y, double radius)
{
    return painted(region, pqt_paint_disc(PQT_PAINT_SET, (pqt_vec){x, y}, radius));
}

/* Noise of 4096 squared has 4,096 leaves. */
START_TEST(a_component_costs_nothing_for_the_others)
{
    const pqt_region *noise = region_of(NOISE, 4096, 4096, here, arena);
    const pqt_region *alone = with_disc(nothing(), -300, 300, 100);
    const pqt_region *both = with_disc(noise, -300, 300, 100);
    uint64_t of_one, of_both, of_none;
    const pqt_region *found = flooded(both, (pqt_pixel){-300, 300}, PQT_CONNECTIVITY_8, &of_both);
    ck_assert(pqt_region_equals(found, alone));
    flooded(alone, (pqt_pixel){-300, 300}, PQT_CONNECTIVITY_8, &of_one);
    flooded(both, (pqt_pixel){-9, -9}, PQT_CONNECTIVITY_8, &of_none);
    fprintf(stderr, "a disc reads %llu squares, beside noise %llu\n", (unsigned long long)of_one,
            (unsigned long long)of_both);
    ck_assert_uint_eq(of_none, 0);
    ck_assert_uint_lt(of_both, 600);
    /* The canvas of the noise is three levels higher. */
    ck_assert_uint_lt(of_both, 2 * of_one);
}
END_TEST

START_TEST(a_full_square_is_one_whatever_its_size)
{
    uint64_t small, large;
    flooded(boxed(box_of(0, 0, 128, 128)), here, PQT_CONNECTIVITY_4, &small);
    const pqt_region *square = boxed(box_of(0, 0, LIMIT, LIMIT));
    ck_assert_ptr_eq(flooded(square, (pqt_pixel){5, 5}, PQT_CONNECTIVITY_4, &large), square);
    ck_assert_uint_eq(small, 1);
    ck_assert_uint_eq(large, 1);
    const pqt_region *all = boxed(box_of(-LIMIT, -LIMIT, LIMIT, LIMIT));
    ck_assert_ptr_eq(flooded(all, here, PQT_CONNECTIVITY_8, &large), all);
    ck_assert_uint_eq(large, 4);
}
END_TEST

/* Each tooth enters a leaf again, 32 times from above or below. */
START_TEST(a_leaf_that_is_entered_often_costs_its_runs)
{
    enum { TEETH = 128, HEIGHT = 512 };
    pqt_pixel_box teeth[2 * TEETH];
    for (int32_t i = 0; i < TEETH; i++) {
        teeth[i] = box_of(2 * i, 0, 2 * i + 1, HEIGHT);
        teeth[TEETH + i] = i % 2 == 0 ? box_of(2 * i, 0, 2 * i + 3, 1)
                                      : box_of(2 * i, HEIGHT - 1, 2 * i + 3, HEIGHT);
    }
    const pqt_region *snake = pqt_region_of_boxes(teeth, 2 * TEETH - 1, arena, NULL);
    uint64_t entered;
    ck_assert_ptr_eq(flooded(snake, here, PQT_CONNECTIVITY_4, &entered), snake);
    const size_t leaves = pqt_region_get_stats(snake).leaves;
    fprintf(stderr, "a snake of %zu leaves reads %llu squares\n", leaves,
            (unsigned long long)entered);
    ck_assert_uint_eq(leaves, 32);
    /* Each end of a tooth in a leaf is passed on once, through at most 5 levels. */
    ck_assert_uint_lt(entered, 2 * TEETH * (HEIGHT / 64) * 5);
}
END_TEST

START_TEST(leaves_of_one_component_are_shared)
{
    const pqt_region *disc = with_disc(nothing(), 700, 700, 500);
    const pqt_region *two = with_disc(disc, -700, 700, 20);
    uint64_t entered;
    hooks watch = {.fail_at = 0};
    hooks_start(&watch);
    const pqt_region *found =
        pqti_region_flood(two, (pqt_pixel){700, 700}, PQT_CONNECTIVITY_4, &entered, NULL);
    hooks_stop();
    ck_assert(pqt_region_equals(found, disc));
    ck_assert_uint_lt(hooks_kept_bytes(&watch), 100); /* the version */
}
END_TEST

static bool
keep_region(const pqt_region *region, void *context)
{
    const pqt_region ***next = context;
    *(*next)++ = region;
    return true;
}

START_TEST(components_below_the_minimum_are_not_made)
{
    const pqt_region *region = boxed(box_of(0, 0, 3, 3));
    region = painted(region, pqt_paint_box(PQT_PAINT_SET, box_of(10, 0, 12, 2)));
    region = painted(region, pqt_paint_box(PQT_PAINT_SET, box_of(0, 10, 10, 11)));
    region = painted(region, pqt_paint_box(PQT_PAINT_SET, box_of(0, 20, 2, 25)));
    const uint64_t minima[] = {0, 4, 5, 9, 10, 11};
    const size_t counts[] = {4, 4, 3, 3, 2, 0};
    for (size_t i = 0; i < sizeof minima / sizeof *minima; i++) {
        const pqt_region *found[4], **next = found;
        hooks watch = {.fail_at = 0};
        hooks_start(&watch);
        ck_assert(pqt_region_visit_components(region, PQT_CONNECTIVITY_4, minima[i], keep_region,
                                              &next, NULL));
        hooks_stop();
        ck_assert_uint_eq((size_t)(next - found), counts[i]);
        for (const pqt_region **one = found; one < next; one++)
            ck_assert_uint_ge(pqt_region_count(*one), minima[i]);
        ck_assert_uint_eq(watch.blocks[PQTI_BLOCK_SCRATCH] > 0, true);
        if (counts[i] == 0)
            ck_assert_uint_eq(hooks_kept_bytes(&watch), 0);
    }
    /* Two components have 10 pixels. */
    const pqt_region *largest = pqt_region_largest_component(region, PQT_CONNECTIVITY_4, NULL);
    expect_box(pqt_region_bounds(largest), 0, 10, 10, 11);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("region_flood");
    TCase *tcase = region_tests("flood");
    tcase_add_test(tcase, a_component_costs_nothing_for_the_others);
    tcase_add_test(tcase, a_full_square_is_one_whatever_its_size);
    tcase_add_test(tcase, a_leaf_that_is_entered_often_costs_its_runs);
    tcase_add_test(tcase, leaves_of_one_component_are_shared);
    tcase_add_test(tcase, components_below_the_minimum_are_not_made);
    suite_add_tcase(suite, tcase);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
