/* SPDX-License-Identifier: MIT */
/* test_region_moments.c: tests moments of regions; test_region_model compares them with bitmaps. */
#include "config.h"

#include <math.h>

#include "region_support.h"
#include "suite.h"

static void
expect_close(double value, double must)
{
    ck_assert_msg(fabs(value - must) <= 4 * 0x1p-52 * fabs(must), "%.17g in place of %.17g", value,
                  must);
}

static void
expect_same_shape(const pqt_region_moments *a, const pqt_region_moments *b)
{
    ck_assert_uint_eq(a->count, b->count);
    ck_assert_double_eq(a->xx, b->xx);
    ck_assert_double_eq(a->xy, b->xy);
    ck_assert_double_eq(a->yy, b->yy);
    ck_assert_double_eq(a->axis.x, b->axis.x);
    ck_assert_double_eq(a->axis.y, b->axis.y);
}

/* The points 0..n - 1 have the variance (n * n - 1) / 12. */
static double
variance_of_line(double n)
{
    return (n * n - 1) / 12;
}

START_TEST(a_box_has_the_moments_of_its_sides)
{
    const pqt_pixel_box boxes[] = {box_of(0, 0, 1, 1),
                                   box_of(3, -2, 10, 3),
                                   box_of(-70, -700, 5, 90),
                                   box_of(-LIMIT, 5, LIMIT, 6),
                                   box_of(0, 0, LIMIT, LIMIT),
                                   box_of(-LIMIT, -LIMIT, LIMIT, LIMIT),
                                   box_of(0, -LIMIT, LIMIT, LIMIT)};
    for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++) {
        const pqt_pixel_box box = boxes[i];
        const int64_t width = box.max.x - box.min.x, height = box.max.y - box.min.y;
        const int64_t edges_x = (int64_t)box.min.x + box.max.x;
        const int64_t edges_y = (int64_t)box.min.y + box.max.y;
        const pqt_region_moments m = pqt_region_get_moments(boxed(box));
        ck_assert_uint_eq(m.count, (uint64_t)(width * height));
        ck_assert_int_eq(m.sum_x, (edges_x - 1) * width / 2 * height +
                                      (edges_x - 1) * width % 2 * height / 2);
        ck_assert_int_eq(m.sum_y, (edges_y - 1) * height / 2 * width +
                                      (edges_y - 1) * height % 2 * width / 2);
        ck_assert_double_eq(m.centroid.x, (double)edges_x / 2);
        ck_assert_double_eq(m.centroid.y, (double)edges_y / 2);
        expect_close(m.xx, variance_of_line((double)width));
        expect_close(m.yy, variance_of_line((double)height));
        ck_assert_double_eq(m.xy, 0);
        ck_assert_double_eq(m.axis.x, width >= height ? 1 : 0);
        ck_assert_double_eq(m.axis.y, width >= height ? 0 : 1);
    }
}
END_TEST

START_TEST(an_empty_region_has_moments_of_zero)
{
    const pqt_region_moments m = pqt_region_get_moments(nothing());
    ck_assert_uint_eq(m.count, 0);
    ck_assert_int_eq(m.sum_x, 0);
    ck_assert_double_eq(m.centroid.x, 0);
    ck_assert_double_eq(m.xx + m.xy + m.yy, 0);
    ck_assert_double_eq(m.axis.x, 1);
    ck_assert_double_eq(m.axis.y, 0);
}
END_TEST

/* In the corners of the range, sums of squares are 2^40 times those near the origin. */
START_TEST(a_moved_region_has_the_same_central_moments)
{
    const pqt_region *shape = region_of(NOISE, 150, 90, here, arena);
    const pqt_region_moments m = pqt_region_get_moments(shape);
    const pqt_pixel moves[] = {{-3, 7},
                               {-LIMIT, -LIMIT},
                               {LIMIT - 150, LIMIT - 90},
                               {LIMIT - 150, -LIMIT},
                               {-LIMIT, LIMIT - 90}};
    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++) {
        const pqt_region *moved = pqt_region_move(shape, moves[i], NULL);
        const pqt_region_moments n = pqt_region_get_moments(moved);
        expect_same_shape(&n, &m);
        ck_assert_int_eq(n.sum_x, m.sum_x + moves[i].x * (int64_t)m.count);
        ck_assert_int_eq(n.sum_y, m.sum_y + moves[i].y * (int64_t)m.count);
    }
}
END_TEST

/* Two pixels as far apart as possible have the greatest central moments per pixel. */
START_TEST(two_corners_have_the_greatest_moments)
{
    const int32_t last = LIMIT - 1;
    const pqt_pixel corners[][2] = {{{-LIMIT, -LIMIT}, {last, last}},
                                    {{-LIMIT, last}, {last, -LIMIT}}};
    for (int i = 0; i < 2; i++) {
        const pqt_region *two =
            painted(painted(nothing(), pqt_paint_pixel(PQT_PAINT_SET, corners[i][0])),
                    pqt_paint_pixel(PQT_PAINT_SET, corners[i][1]));
        const pqt_region_moments m = pqt_region_get_moments(two);
        const double half = (double)(2 * (int64_t)LIMIT - 1) / 2, sign = i == 0 ? 1 : -1;
        ck_assert_double_eq(m.xx, half * half);
        ck_assert_double_eq(m.yy, half * half);
        ck_assert_double_eq(m.xy, sign * half * half);
        expect_close(m.axis.x, sqrt(0.5));
        expect_close(m.axis.y, sign * sqrt(0.5));
    }
}
END_TEST

/* The axis is the longer one, so the variance along it is at least half of the sum. */
START_TEST(the_axis_follows_a_stroke)
{
    for (int degrees = -85; degrees <= 90; degrees += 5) {
        const double angle = degrees * 3.14159265358979323846 / 180;
        const pqt_vec end = {100 * cos(angle), 100 * sin(angle)};
        const pqt_vec start = {-end.x, -end.y};
        const pqt_region *line = painted(nothing(), pqt_paint_stroke(PQT_PAINT_SET, start, end, 2));
        const pqt_region_moments m = pqt_region_get_moments(line);
        ck_assert_double_eq_tol(m.axis.x * m.axis.x + m.axis.y * m.axis.y, 1, 1e-15);
        ck_assert(m.axis.x > 0 || (m.axis.x == 0 && m.axis.y == 1));
        ck_assert_double_eq_tol(m.axis.x * sin(angle) - m.axis.y * cos(angle), 0, 0.01);
        const double along = m.xx * m.axis.x * m.axis.x + 2 * m.xy * m.axis.x * m.axis.y +
                             m.yy * m.axis.y * m.axis.y;
        ck_assert_double_ge(along, (m.xx + m.yy) / 2);
    }
}
END_TEST

START_TEST(a_disc_has_no_greater_direction)
{
    const pqt_region *disc =
        painted(nothing(), pqt_paint_disc(PQT_PAINT_SET, (pqt_vec){500.5, -3.5}, 90));
    const pqt_region_moments m = pqt_region_get_moments(disc);
    ck_assert_double_eq(m.centroid.x, 500.5);
    ck_assert_double_eq(m.centroid.y, -3.5);
    ck_assert_double_eq(m.xx, m.yy);
    ck_assert_double_eq(m.xy, 0);
    ck_assert_double_eq(m.axis.x, 1);
    ck_assert_double_eq(m.axis.y, 0);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("region_moments");
    TCase *tcase = region_tests("moments");
    tcase_add_test(tcase, a_box_has_the_moments_of_its_sides);
    tcase_add_test(tcase, an_empty_region_has_moments_of_zero);
    tcase_add_test(tcase, a_moved_region_has_the_same_central_moments);
    tcase_add_test(tcase, two_corners_have_the_greatest_moments);
    tcase_add_test(tcase, the_axis_follows_a_stroke);
    tcase_add_test(tcase, a_disc_has_no_greater_direction);
    suite_add_tcase(suite, tcase);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
