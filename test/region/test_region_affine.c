/* SPDX-License-Identifier: MIT */
/*
 * test_region_affine.c: tests maps of regions. test_region_cases compares them with scipy and
 * Pillow.
 */
#include "config.h"

#include <math.h>

#include <pqt/region_affine.h>
#include <pqt/region_overlap.h>

#include "hooks.h"
#include "region_support.h"
#include "suite.h"

static const pqt_sampling samplings[] = {PQT_SAMPLE_NEAREST, PQT_SAMPLE_AREA};

static const pqt_region *
mapped(const pqt_region *region, pqt_affine map, pqt_sampling sampling)
{
    pqt_error error = {0};
    return sound(pqt_region_map(region, map, sampling, &error), &error);
}

static const pqt_region *
picture(void)
{
    const pqt_region *noise = region_of(NOISE, 90, 70, (pqt_pixel){-30, -20}, arena);
    return painted(noise, pqt_paint_disc(PQT_PAINT_SET, (pqt_vec){120, 40}, 75));
}

START_TEST(headings_along_an_axis_are_quarter_turns)
{
    const pqt_vec headings[] = {{5, 0}, {0, 0.1}, {-3, 0}, {0, -7e9}};
    const pqt_transform turns[] = {0, PQT_ROTATE_90, PQT_ROTATE_180, PQT_ROTATE_270};
    const pqt_region *region = picture();
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 2; k++) {
            const pqt_affine turn = pqt_affine_rotation(headings[i], (pqt_vec){0, 0});
            const pqt_region *made = mapped(region, turn, samplings[k]);
            if (i == 0)
                ck_assert_ptr_eq(made, region);
            else
                ck_assert(pqt_region_equals(made, pqt_region_transform(region, turns[i], NULL)));
        }
}
END_TEST

START_TEST(mirrors_moves_and_whole_factors_are_exact)
{
    const pqt_region *region = picture();
    const pqt_vec origin = {0, 0};
    for (int k = 0; k < 2; k++) {
        const pqt_region *made =
            mapped(region, pqt_affine_scaling((pqt_vec){3, 2}, origin), samplings[k]);
        ck_assert(pqt_region_equals(made, pqt_region_scale(region, 3, 2, NULL)));
        made = mapped(region, pqt_affine_scaling((pqt_vec){-1, 1}, origin), samplings[k]);
        ck_assert(pqt_region_equals(made, pqt_region_transform(region, PQT_FLIP_X, NULL)));
        made = mapped(region, (pqt_affine){.xx = 1, .yy = 1, .dx = -70, .dy = 5}, samplings[k]);
        ck_assert(pqt_region_equals(made, pqt_region_move(region, (pqt_pixel){-70, 5}, NULL)));
        made = mapped(region, (pqt_affine){.xy = 1, .yx = 1}, samplings[k]);
        ck_assert(pqt_region_equals(made, pqt_region_transform(region, PQT_FLIP_DIAGONAL, NULL)));
    }
}
END_TEST

START_TEST(a_turned_box_keeps_its_area_and_turns_back)
{
    const pqt_region *box = boxed(box_of(-200, -100, 200, 100));
    const pqt_vec centre = {13, -8};
    for (int i = 1; i < 12; i++) {
        const pqt_vec heading = {5 - i, i * 0.7}, back = {heading.x, -heading.y};
        const pqt_affine turn = pqt_affine_rotation(heading, centre);
        const pqt_affine both = pqt_affine_compose(turn, pqt_affine_rotation(back, centre));
        ck_assert_double_eq_tol(both.xx, 1, 1e-15);
        ck_assert_double_eq_tol(both.xy, 0, 1e-15);
        ck_assert_double_eq_tol(both.dx, 0, 1e-12);
        for (int k = 0; k < 2; k++) {
            const double count = (double)pqt_region_count(mapped(box, turn, samplings[k]));
            ck_assert_double_eq_tol(count, 400 * 200, 200);
            ck_assert_double_eq_tol((double)pqt_region_count(mapped(box, both, samplings[k])),
                                    400 * 200, 0.5);
        }
    }
}
END_TEST

/* A pixel of the shrunken region is set if at least half of its pixels are. */
START_TEST(areas_of_whole_fractions_are_counted)
{
    const pqt_region *region = picture();
    const pqt_affine third = pqt_affine_scaling((pqt_vec){0.25, 0.5}, (pqt_vec){0, 0});
    const pqt_region *made = mapped(region, third, PQT_SAMPLE_AREA);
    const pqt_region *resized = pqt_region_resize(region, box_of(-40, -40, 280, 200),
                                                  box_of(-10, -20, 70, 100), PQT_SAMPLE_AREA, NULL);
    ck_assert(pqt_region_equals(made, sound(resized, NULL)));
    for (int32_t y = -20; y < 100; y++)
        for (int32_t x = -10; x < 70; x++) {
            const pqt_pixel_box from = box_of(4 * x, 2 * y, 4 * x + 4, 2 * y + 2);
            ck_assert_int_eq(pqt_region_contains(made, (pqt_pixel){x, y}),
                             pqt_region_count_in(region, from) >= 4);
        }
}
END_TEST

/* By the definition: a pixel at a time, in integers. */
static bool
is_resized(const pqt_region *region, pqt_pixel_box from, pqt_pixel_box to, pqt_pixel at,
           pqt_sampling sampling)
{
    const int64_t n = from.max.x - from.min.x, m = to.max.x - to.min.x, i = at.x - to.min.x;
    const int64_t p = from.max.y - from.min.y, q = to.max.y - to.min.y, k = at.y - to.min.y;
    if (sampling == PQT_SAMPLE_NEAREST)
        return pqt_region_contains(region,
                                   (pqt_pixel){from.min.x + (int32_t)((2 * i + 1) * n / (2 * m)),
                                               from.min.y + (int32_t)((2 * k + 1) * p / (2 * q))});
    int64_t covered = 0;
    for (int64_t y = k * p; y < (k + 1) * p; y++)
        for (int64_t x = i * n; x < (i + 1) * n; x++)
            covered += pqt_region_contains(
                region, (pqt_pixel){from.min.x + (int32_t)(x / m), from.min.y + (int32_t)(y / q)});
    return 2 * covered >= n * p;
}

START_TEST(resized_regions_follow_the_definition)
{
    pqt_error error = {0};
    dice d = {test_seed("resized_regions")};
    const pqt_region *region = picture();
    for (size_t i = 0; i < test_scaled(60); i++) {
        const pqt_sampling sampling = samplings[dice_below(&d, 2)];
        const pqt_pixel a = {(int32_t)dice_below(&d, 90) - 40, (int32_t)dice_below(&d, 70) - 30};
        const pqt_pixel b = {(int32_t)dice_below(&d, 200) - 100,
                             (int32_t)dice_below(&d, 200) - 100};
        const pqt_pixel_box from = {
            a, {a.x + 1 + (int32_t)dice_below(&d, 40), a.y + 1 + (int32_t)dice_below(&d, 40)}};
        const pqt_pixel_box to = {
            b, {b.x + 1 + (int32_t)dice_below(&d, 70), b.y + 1 + (int32_t)dice_below(&d, 70)}};
        const pqt_region *made =
            sound(pqt_region_resize(region, from, to, sampling, &error), &error);
        ck_assert_uint_eq(pqt_region_count_in(made, to), pqt_region_count(made));
        for (int k = 0; k < 200; k++) {
            const pqt_pixel at = {
                to.min.x + (int32_t)dice_below(&d, (uint64_t)(to.max.x - to.min.x)),
                to.min.y + (int32_t)dice_below(&d, (uint64_t)(to.max.y - to.min.y))};
            ck_assert_int_eq(pqt_region_contains(made, at),
                             is_resized(region, from, to, at, sampling));
        }
    }
}
END_TEST

START_TEST(the_largest_regions_are_mapped)
{
    const pqt_region *all = boxed(box_of(-LIMIT, -LIMIT, LIMIT, LIMIT));
    const pqt_pixel_box whole = box_of(-LIMIT, -LIMIT, LIMIT, LIMIT);
    for (int k = 0; k < 2; k++) {
        const pqt_affine small = pqt_affine_scaling((pqt_vec){0x1p-16, 0x1p-20}, (pqt_vec){0, 0});
        const pqt_affine large = pqt_affine_scaling((pqt_vec){0x1p6, 0x1p10}, (pqt_vec){0, 0});
        const pqt_region *made = mapped(all, small, samplings[k]);
        ck_assert(pqt_region_equals(made, boxed(box_of(-16, -1, 16, 1))));
        made = mapped(made, large, samplings[k]);
        ck_assert(pqt_region_equals(made, boxed(box_of(-1024, -1024, 1024, 1024))));
        made = pqt_region_resize(all, whole, box_of(3, 4, 5, 5), samplings[k], NULL);
        ck_assert(pqt_region_equals(sound(made, NULL), boxed(box_of(3, 4, 5, 5))));
        made = pqt_region_resize(made, box_of(3, 4, 5, 5), whole, samplings[k], NULL);
        ck_assert(pqt_region_equals(sound(made, NULL), all));
    }
}
END_TEST

START_TEST(invalid_maps_are_refused)
{
    const pqt_region *region = boxed(box_of(0, 0, 3, 3));
    const pqt_affine unit = {.xx = 1, .yy = 1};
    const struct {
        pqt_affine map;
        pqt_status status;
    } wrong[] = {
        {{.xx = 1}, PQT_ERROR_OPTION},
        {{.xx = NAN, .yy = 1}, PQT_ERROR_OPTION},
        {{.xx = 1, .yy = 1, .dx = INFINITY}, PQT_ERROR_OPTION},
        {{.xx = 1e200, .yy = 1e200}, PQT_ERROR_OPTION},
        {pqt_affine_rotation((pqt_vec){0, 0}, (pqt_vec){3, 4}), PQT_ERROR_OPTION},
        {{.xx = 1e7, .yy = 1}, PQT_ERROR_LIMIT},
        {{.xx = 1e-7, .yy = 1}, PQT_ERROR_LIMIT},
        {{.xx = 1, .yy = 1, .dx = 1e7}, PQT_ERROR_LIMIT},
        {{.xx = 1, .yy = 1, .dx = LIMIT - 2}, PQT_ERROR_LIMIT},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        pqt_error error = {0};
        expect_failure(pqt_region_map(region, wrong[i].map, PQT_SAMPLE_AREA, &error), &error,
                       wrong[i].status, 0);
    }
    const pqt_pixel_box good = box_of(0, 0, 3, 3), inverted = box_of(0, 3, 3, 0);
    const pqt_pixel_box far = box_of(0, 0, LIMIT + 1, 3);
    pqt_error errors[7] = {{0}};
    expect_failure(pqt_region_map(region, unit, (pqt_sampling)3, &errors[0]), &errors[0],
                   PQT_ERROR_OPTION, 0);
    expect_failure(pqt_region_resize(region, good, good, (pqt_sampling)0, &errors[1]), &errors[1],
                   PQT_ERROR_OPTION, 0);
    expect_failure(pqt_region_resize(region, inverted, good, PQT_SAMPLE_AREA, &errors[2]),
                   &errors[2], PQT_ERROR_BOX, 0);
    expect_failure(pqt_region_resize(region, good, inverted, PQT_SAMPLE_AREA, &errors[3]),
                   &errors[3], PQT_ERROR_BOX, 0);
    expect_failure(pqt_region_resize(region, far, good, PQT_SAMPLE_AREA, &errors[4]), &errors[4],
                   PQT_ERROR_LIMIT, 0);
    expect_failure(pqt_region_resize(region, good, far, PQT_SAMPLE_AREA, &errors[5]), &errors[5],
                   PQT_ERROR_LIMIT, 0);
    const pqt_region *none = nothing();
    ck_assert_ptr_eq(pqt_region_map(none, unit, PQT_SAMPLE_AREA, &errors[6]), none);
    ck_assert_ptr_eq(pqt_region_resize(none, good, far, PQT_SAMPLE_AREA, NULL), NULL);
    ck_assert_uint_eq(pqt_region_count(pqt_region_resize(region, box_of(1, 1, 1, 5), good,
                                                         PQT_SAMPLE_AREA, &errors[6])),
                      0);
    ck_assert_ptr_eq(pqt_region_resize(region, good, good, PQT_SAMPLE_AREA, &errors[6]), region);
}
END_TEST

START_TEST(each_failed_allocation_of_a_map_is_reported)
{
    const pqt_region *region = picture();
    const pqt_affine turn = pqt_affine_rotation((pqt_vec){2, 1}, (pqt_vec){0, 0});
    for (hooks watch = {.fail_at = 1};; watch.fail_at++) {
        pqt_error errors[2] = {{0}};
        hooks_start(&watch);
        const pqt_region *turned = pqt_region_map(region, turn, PQT_SAMPLE_AREA, &errors[0]);
        hooks_stop();
        if (watch.failures == 0)
            break;
        expect_failure(turned, &errors[0], PQT_ERROR_MEMORY, 0);
    }
    for (hooks watch = {.fail_at = 1};; watch.fail_at++) {
        pqt_error error = {0};
        hooks_start(&watch);
        const pqt_region *resized = pqt_region_resize(
            region, box_of(0, 0, 90, 90), box_of(-5, 0, 70, 20), PQT_SAMPLE_AREA, &error);
        hooks_stop();
        if (watch.failures == 0)
            break;
        expect_failure(resized, &error, PQT_ERROR_MEMORY, 0);
    }
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("region_affine");
    TCase *tcase = region_tests("maps");
    tcase_add_test(tcase, headings_along_an_axis_are_quarter_turns);
    tcase_add_test(tcase, mirrors_moves_and_whole_factors_are_exact);
    tcase_add_test(tcase, a_turned_box_keeps_its_area_and_turns_back);
    tcase_add_test(tcase, areas_of_whole_fractions_are_counted);
    tcase_add_test(tcase, resized_regions_follow_the_definition);
    tcase_add_test(tcase, the_largest_regions_are_mapped);
    tcase_add_test(tcase, invalid_maps_are_refused);
    tcase_add_test(tcase, each_failed_allocation_of_a_map_is_reported);
    suite_add_tcase(suite, tcase);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
