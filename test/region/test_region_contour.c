/* SPDX-License-Identifier: MIT */
/* test_region_contour.c: tests contours of regions; test_region_model compares them with
 * bitmaps. */
#include "config.h"

#include <math.h>

#include <pqt/region_collect.h>
#include <pqt/region_contour.h>

#include "region/run_list.h"
#include "region_contours.h"
#include "region_support.h"
#include "suite.h"

enum { MOST_CORNERS = 4096, MOST_CONTOURS = 64 };

/* All contours of a region, in order. */
typedef struct contours {
    pqt_pixel corners[MOST_CORNERS];
    pqt_contour all[MOST_CONTOURS];
    size_t count, used;
} contours;

static bool
keep_contour(const pqt_contour *contour, void *context)
{
    contours *c = context;
    ck_assert_uint_lt(c->count, MOST_CONTOURS);
    ck_assert_uint_le(c->used + contour->count, MOST_CORNERS);
    memcpy(c->corners + c->used, contour->corners, contour->count * sizeof *c->corners);
    c->all[c->count] = *contour;
    c->all[c->count++].corners = c->corners + c->used;
    c->used += contour->count;
    return true;
}

static contours found;

static void
find_contours(const pqt_region *region, pqt_connectivity connectivity, double tolerance)
{
    pqt_error error = {0};
    found.count = found.used = 0;
    ck_assert_msg(
        pqt_region_visit_contours(region, connectivity, tolerance, keep_contour, &found, &error),
        "%s", error.text);
}

static void
expect_corners(size_t index, const pqt_pixel *corners, size_t count)
{
    ck_assert_uint_lt(index, found.count);
    ck_assert_uint_eq(found.all[index].count, count);
    ck_assert_mem_eq(found.all[index].corners, corners, count * sizeof *corners);
}

START_TEST(a_square_with_a_hole_has_two_contours)
{
    const pqt_region *square =
        painted(boxed(box_of(0, 0, 5, 5)), pqt_paint_pixel(PQT_PAINT_CLEAR, (pqt_pixel){2, 2}));
    const pqt_pixel outer[] = {{0, 0}, {5, 0}, {5, 5}, {0, 5}};
    const pqt_pixel hole[] = {{2, 3}, {3, 3}, {3, 2}, {2, 2}};
    find_contours(square, PQT_CONNECTIVITY_4, 0);
    ck_assert_uint_eq(found.count, 2);
    expect_corners(0, outer, 4);
    expect_corners(1, hole, 4);
    ck_assert(!found.all[0].is_hole && found.all[1].is_hole);
    ck_assert_uint_eq(found.all[1].outer, 0);
}
END_TEST

START_TEST(pixels_that_share_a_corner_have_one_contour_or_two)
{
    const pqt_region *two =
        painted(boxed(box_of(-1, -1, 0, 0)), pqt_paint_pixel(PQT_PAINT_SET, (pqt_pixel){0, 0}));
    const pqt_pixel joined[] = {{-1, -1}, {0, -1}, {0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 0}, {-1, 0}};
    const pqt_pixel lower[] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    find_contours(two, PQT_CONNECTIVITY_8, 0);
    ck_assert_uint_eq(found.count, 1);
    expect_corners(0, joined, 8);
    find_contours(two, PQT_CONNECTIVITY_4, 0);
    ck_assert_uint_eq(found.count, 2);
    expect_corners(1, lower, 4);
    ck_assert(!found.all[1].is_hole);
}
END_TEST

/* A ring, a disc inside it, and a hole in that disc. */
START_TEST(an_island_in_a_hole_is_a_component_of_its_own)
{
    const pqt_region *rings = boxed(box_of(-9, -9, 9, 9));
    for (int32_t i = 7; i > 0; i -= 2)
        rings = painted(rings, pqt_paint_box(PQT_PAINT_TOGGLE, box_of(-i, -i, i, i)));
    find_contours(rings, PQT_CONNECTIVITY_4, 0);
    ck_assert_uint_eq(found.count, 5);
    for (size_t i = 0; i < 5; i++) {
        ck_assert_uint_eq(found.all[i].number, i);
        ck_assert_uint_eq(found.all[i].is_hole, i % 2);
        ck_assert_uint_eq(found.all[i].outer, i - i % 2);
    }
}
END_TEST

START_TEST(a_region_without_pixels_has_no_contour)
{
    find_contours(nothing(), PQT_CONNECTIVITY_8, 3);
    ck_assert_uint_eq(found.count, 0);
}
END_TEST

START_TEST(all_pixels_have_one_contour_of_four_corners)
{
    const pqt_pixel corners[] = {{-LIMIT, -2}, {LIMIT, -2}, {LIMIT, 2}, {-LIMIT, 2}};
    find_contours(boxed(box_of(-LIMIT, -2, LIMIT, 2)), PQT_CONNECTIVITY_4, 0);
    expect_corners(0, corners, 4);
    find_contours(boxed(box_of(-LIMIT, -2, LIMIT, 2)), PQT_CONNECTIVITY_4, LIMIT);
    ck_assert_uint_eq(found.all[0].count, 3);
}
END_TEST

static long double
distance_of(pqt_pixel p, pqt_pixel a, pqt_pixel b)
{
    const long double dx = b.x - a.x, dy = b.y - a.y, px = p.x - a.x, py = p.y - a.y;
    long double at = (px * dx + py * dy) / (dx * dx + dy * dy);
    at = at < 0 ? 0 : at > 1 ? 1 : at;
    return hypotl(px - at * dx, py - at * dy);
}

/* Returns the distance of a corner from the nearest side of a polygon. */
static long double
distance_of_polygon(pqt_pixel p, const pqt_contour *polygon)
{
    long double least = INFINITY;
    for (size_t i = 0; i < polygon->count; i++) {
        const long double distance =
            distance_of(p, polygon->corners[i], polygon->corners[(i + 1) % polygon->count]);
        least = distance < least ? distance : least;
    }
    return least;
}

/* The steps of a diagonal through the whole range, where squares of distances have 86 bits. */
START_TEST(each_corner_is_within_the_tolerance_of_a_large_polygon)
{
    enum { STEPS = 256, STEP = 2 * LIMIT / STEPS };
    static pqt_pixel_box stairs[STEPS];
    static contours exact;
    for (int32_t i = 0; i < STEPS; i++)
        stairs[i] = box_of(-LIMIT, -LIMIT + i * STEP, -LIMIT + (i + 1) * STEP,
                           -LIMIT + i * STEP + 1 + i % 7);
    for (int32_t i = 1; i < STEPS; i++)
        stairs[i - 1].max.y = -LIMIT + i * STEP + i % 7;
    const pqt_region *region = pqt_region_of_boxes(stairs, STEPS, arena, NULL);
    find_contours(sound(region, NULL), PQT_CONNECTIVITY_4, 0);
    exact = found;
    size_t before = SIZE_MAX;
    for (double tolerance = 1; tolerance <= LIMIT; tolerance *= 4) {
        find_contours(region, PQT_CONNECTIVITY_4, tolerance);
        ck_assert_uint_eq(found.count, 1);
        ck_assert_uint_le(found.all[0].count, before);
        before = found.all[0].count;
        for (size_t i = 0; i < exact.all[0].count; i++)
            ck_assert(distance_of_polygon(exact.corners[i], &found.all[0]) <= tolerance);
    }
    ck_assert_uint_eq(before, 3);
}
END_TEST

/* A corner that is exactly as far as the tolerance is left out. */
START_TEST(the_tolerance_is_inclusive)
{
    const pqt_region *bump =
        painted(boxed(box_of(0, 0, 100, 10)), pqt_paint_box(PQT_PAINT_SET, box_of(50, 10, 51, 13)));
    find_contours(bump, PQT_CONNECTIVITY_4, 3);
    ck_assert_uint_eq(found.all[0].count, 4);
    find_contours(bump, PQT_CONNECTIVITY_4, 3 - 1.0 / 1024);
    ck_assert_uint_gt(found.all[0].count, 4);
}
END_TEST

START_TEST(more_runs_than_the_limit_are_refused)
{
    const pqt_region *region = region_of(CHECKERBOARD, 10, 10, here, arena);
    const size_t most = pqti_most_runs;
    pqt_error errors[5] = {{0}};
    pqt_contour_arrays arrays = {.corners = NULL};
    size_t count;
    stopper s = {0, SIZE_MAX};
    found.count = found.used = 0;
    pqti_most_runs = 49;
    ck_assert(!pqt_region_visit_contours(region, PQT_CONNECTIVITY_4, 0, keep_contour, &found,
                                         &errors[0]));
    ck_assert(!pqt_region_visit_components(region, PQT_CONNECTIVITY_4, 0, stop_at_region, &s,
                                           &errors[1]));
    ck_assert_ptr_null(pqt_region_largest_component(region, PQT_CONNECTIVITY_4, &errors[2]));
    ck_assert(!pqt_region_collect_contours(region, PQT_CONNECTIVITY_4, 0, &arrays, &errors[3]));
    ck_assert(
        !pqt_region_collect_components(region, PQT_CONNECTIVITY_4, 0, NULL, 0, &count, &errors[4]));
    for (int i = 0; i < 5; i++) {
        ck_assert_int_eq(errors[i].status, PQT_ERROR_LIMIT);
        ck_assert_str_eq(errors[i].text, "the region has more than 49 runs");
    }
    pqti_most_runs = 50;
    ck_assert(
        pqt_region_visit_contours(region, PQT_CONNECTIVITY_4, 0, keep_contour, &found, &errors[0]));
    pqti_most_runs = most;
    ck_assert_uint_eq(found.count, 50);
}
END_TEST

START_TEST(invalid_arguments_of_contours_are_refused)
{
    const double tolerances[] = {-1.0 / 1024, NAN, INFINITY, LIMIT + 1.0};
    const pqt_region *box = boxed(box_of(0, 0, 5, 5));
    for (int i = 0; i < 4; i++) {
        pqt_error error = {0};
        ck_assert(!pqt_region_visit_contours(box, PQT_CONNECTIVITY_4, tolerances[i], keep_contour,
                                             &found, &error));
        ck_assert_int_eq(error.status, PQT_ERROR_OPTION);
        ck_assert_ptr_nonnull(strstr(error.text, "tolerance"));
    }
    pqt_error error = {0};
    ck_assert(
        !pqt_region_visit_contours(box, (pqt_connectivity)6, 0, keep_contour, &found, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_OPTION);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("region_contour");
    TCase *tcase = region_tests("contour");
    tcase_add_test(tcase, a_square_with_a_hole_has_two_contours);
    tcase_add_test(tcase, pixels_that_share_a_corner_have_one_contour_or_two);
    tcase_add_test(tcase, an_island_in_a_hole_is_a_component_of_its_own);
    tcase_add_test(tcase, a_region_without_pixels_has_no_contour);
    tcase_add_test(tcase, all_pixels_have_one_contour_of_four_corners);
    tcase_add_test(tcase, each_corner_is_within_the_tolerance_of_a_large_polygon);
    tcase_add_test(tcase, the_tolerance_is_inclusive);
    tcase_add_test(tcase, more_runs_than_the_limit_are_refused);
    tcase_add_test(tcase, invalid_arguments_of_contours_are_refused);
    suite_add_tcase(suite, tcase);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
