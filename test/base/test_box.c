/* SPDX-License-Identifier: MIT */
/* test_box.c: tests boxes, their four relations, and their measures. */
#include "config.h"

#include <float.h>
#include <math.h>

#include <pqt/box.h>

#include "misuse.h"
#include "random.h"
#include "suite.h"

static const double TINIEST = 0x1p-1074;

static pqt_box
box(double min_x, double min_y, double max_x, double max_y)
{
    return pqt_box_make(min_x, min_y, max_x, max_y);
}

static bool
equal(pqt_box a, pqt_box b)
{
    return a.min.x == b.min.x && a.min.y == b.min.y && a.max.x == b.max.x && a.max.y == b.max.y;
}

/* Returns a valid box on the grid of integers 0..5, so that each relation between two boxes occurs
 * often. */
static pqt_box
rolled(dice *d)
{
    double x = (double)dice_below(d, 6), y = (double)dice_below(d, 6);
    return box(x, y, x + (double)dice_below(d, 6 - (size_t)x),
               y + (double)dice_below(d, 6 - (size_t)y));
}

START_TEST(a_box_is_made_from_four_numbers_or_a_size)
{
    pqt_box made = box(1, 2, 3, 5);
    ck_assert(made.min.x == 1 && made.min.y == 2 && made.max.x == 3 && made.max.y == 5);
    ck_assert(equal(pqt_box_from_size((pqt_vec){1, 2}, (pqt_vec){2, 3}), made));
    ck_assert(equal(pqt_box_from_size((pqt_vec){4, 4}, (pqt_vec){0, 0}), box(4, 4, 4, 4)));
}
END_TEST

START_TEST(negative_sizes_make_boxes_that_are_not_valid)
{
    ck_assert(!pqt_box_is_valid(pqt_box_from_size((pqt_vec){0, 0}, (pqt_vec){-1, 1})));
}
END_TEST

START_TEST(points_and_lines_are_valid)
{
    ck_assert(pqt_box_is_valid(box(0, 0, 10, 10)));
    ck_assert(pqt_box_is_valid(box(7, 7, 7, 7)));
    ck_assert(pqt_box_is_valid(box(7, 0, 7, 9)));
    ck_assert(pqt_box_is_valid(box(-DBL_MAX, -DBL_MAX, DBL_MAX, DBL_MAX)));
    ck_assert(pqt_box_is_valid(box(0.0, 0, -0.0, 0)));
}
END_TEST

START_TEST(nan_infinity_and_min_above_max_are_not_valid)
{
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < 3; i++) {
        ck_assert(!pqt_box_is_valid(box(bad[i], 0, 1, 1)));
        ck_assert(!pqt_box_is_valid(box(0, bad[i], 1, 1)));
        ck_assert(!pqt_box_is_valid(box(0, 0, bad[i], 1)));
        ck_assert(!pqt_box_is_valid(box(0, 0, 1, bad[i])));
    }
    ck_assert(!pqt_box_is_valid(box(1, 0, nextafter(1, 0), 1)));
    ck_assert(!pqt_box_is_valid(box(0, 1, 1, nextafter(1, 0))));
}
END_TEST

START_TEST(boxes_with_a_common_edge_or_corner_touch_and_do_not_overlap)
{
    pqt_box middle = box(2, 2, 4, 4);
    for (int x = 0; x <= 4; x += 2) {
        for (int y = 0; y <= 4; y += 2) {
            pqt_box other = box(x, y, x + 2, y + 2);
            bool same = x == 2 && y == 2;
            ck_assert(pqt_box_touches(middle, other));
            ck_assert(pqt_box_overlaps(middle, other) == same);
        }
    }
    ck_assert(!pqt_box_touches(middle, box(nextafter(4, 5), 2, 6, 4)));
    ck_assert(!pqt_box_touches(middle, box(2, 0, 4, nextafter(2, 0))));
}
END_TEST

START_TEST(a_point_overlaps_only_boxes_that_it_is_strictly_inside)
{
    pqt_box window = box(0, 0, 10, 10);
    ck_assert(pqt_box_overlaps(box(5, 5, 5, 5), window));
    ck_assert(!pqt_box_overlaps(box(0, 5, 0, 5), window));
    ck_assert(!pqt_box_overlaps(box(10, 10, 10, 10), window));
    ck_assert(pqt_box_touches(box(10, 10, 10, 10), window));
    ck_assert(pqt_box_overlaps(box(5, -5, 5, 15), window));
    ck_assert(!pqt_box_overlaps(box(0, -5, 0, 15), window));
    ck_assert(!pqt_box_overlaps(box(5, 5, 5, 5), box(5, 5, 5, 5)));
}
END_TEST

START_TEST(inside_and_covers_include_the_edges)
{
    pqt_box window = box(0, 0, 10, 10);
    ck_assert(pqt_box_is_inside(window, window));
    ck_assert(pqt_box_covers(window, window));
    ck_assert(pqt_box_is_inside(box(0, 3, 5, 10), window));
    ck_assert(pqt_box_covers(window, box(0, 3, 5, 10)));
    ck_assert(!pqt_box_is_inside(box(0, 3, 5, nextafter(10, 11)), window));
    ck_assert(!pqt_box_is_inside(box(nextafter(0, -1), 3, 5, 10), window));
    ck_assert(!pqt_box_covers(box(0, 3, 5, 10), window));
}
END_TEST

/* Compares the definitions in the header with sets of points. A point of the half grid represents
   the inside of a cell. */
START_TEST(relations_agree_with_point_sets)
{
    dice d = {test_seed("relations_agree_with_point_sets")};
    for (size_t i = 0; i < test_scaled(20000); i++) {
        pqt_box a = rolled(&d), w = rolled(&d);
        bool common = false, a_in_w = true, w_in_a = true;
        for (double x = 0; x <= 5; x += 0.5) {
            for (double y = 0; y <= 5; y += 0.5) {
                bool in_a = pqt_box_contains(a, (pqt_vec){x, y});
                bool in_w = pqt_box_contains(w, (pqt_vec){x, y});
                common |= in_a && in_w;
                a_in_w &= in_w || !in_a;
                w_in_a &= in_a || !in_w;
            }
        }
        ck_assert(pqt_box_relates(a, w, PQT_TOUCHES) == common);
        ck_assert(pqt_box_relates(a, w, PQT_INSIDE) == a_in_w);
        ck_assert(pqt_box_relates(a, w, PQT_COVERS) == w_in_a);
    }
}
END_TEST

START_TEST(relates_tests_the_given_relation)
{
    dice d = {test_seed("relates_tests_the_given_relation")};
    for (size_t i = 0; i < test_scaled(20000); i++) {
        pqt_box a = rolled(&d), w = rolled(&d);
        ck_assert(pqt_box_relates(a, w, PQT_TOUCHES) == pqt_box_touches(a, w));
        ck_assert(pqt_box_relates(a, w, PQT_OVERLAPS) == pqt_box_overlaps(a, w));
        ck_assert(pqt_box_relates(a, w, PQT_INSIDE) == pqt_box_is_inside(a, w));
        ck_assert(pqt_box_relates(a, w, PQT_COVERS) == pqt_box_covers(a, w));
        ck_assert(pqt_box_touches(a, w) == pqt_box_touches(w, a));
        ck_assert(pqt_box_overlaps(a, w) == pqt_box_overlaps(w, a));
        ck_assert(pqt_box_is_inside(a, w) == pqt_box_covers(w, a));
        ck_assert(pqt_box_touches(a, w) || !pqt_box_overlaps(a, w));
    }
}
END_TEST

START_TEST(nan_has_no_relation)
{
    for (int relation = PQT_TOUCHES; relation <= PQT_COVERS; relation++) {
        for (int number = 0; number < 8; number++) {
            double n[8] = {0, 0, 1, 1, 0, 0, 1, 1};
            n[number] = NAN;
            ck_assert(!pqt_box_relates(box(n[0], n[1], n[2], n[3]), box(n[4], n[5], n[6], n[7]),
                                       (pqt_relation)relation));
        }
    }
}
END_TEST

START_TEST(an_infinite_window_relates_to_every_box)
{
    pqt_box all = box(-INFINITY, -INFINITY, INFINITY, INFINITY);
    pqt_box item = box(-DBL_MAX, 0, DBL_MAX, 0);
    ck_assert(pqt_box_relates(item, all, PQT_TOUCHES));
    ck_assert(pqt_box_relates(item, all, PQT_OVERLAPS));
    ck_assert(pqt_box_relates(item, all, PQT_INSIDE));
    ck_assert(!pqt_box_relates(item, all, PQT_COVERS));
}
END_TEST

START_TEST(an_invalid_relation_stops_the_program)
{
    (void)pqt_box_relates(box(0, 0, 1, 1), box(0, 0, 1, 1), (pqt_relation)5);
}
END_TEST

START_TEST(contains_includes_edges_and_corners)
{
    pqt_box window = box(0, 0, 10, 5);
    ck_assert(pqt_box_contains(window, (pqt_vec){5, 2}));
    ck_assert(pqt_box_contains(window, (pqt_vec){0, 0}));
    ck_assert(pqt_box_contains(window, (pqt_vec){10, 5}));
    ck_assert(pqt_box_contains(window, (pqt_vec){10, 0}));
    ck_assert(!pqt_box_contains(window, (pqt_vec){nextafter(10, 11), 2}));
    ck_assert(!pqt_box_contains(window, (pqt_vec){5, nextafter(0, -1)}));
    ck_assert(!pqt_box_contains(window, (pqt_vec){NAN, 2}));
    ck_assert(pqt_box_contains(box(3, 3, 3, 3), (pqt_vec){3, 3}));
}
END_TEST

START_TEST(union_holds_both_and_no_more)
{
    ck_assert(equal(pqt_box_union(box(0, 0, 1, 1), box(5, -2, 6, 0)), box(0, -2, 6, 1)));
    ck_assert(equal(pqt_box_union(box(0, 0, 9, 9), box(3, 3, 4, 4)), box(0, 0, 9, 9)));
    ck_assert(equal(pqt_box_union(box(1, 1, 1, 1), box(1, 1, 1, 1)), box(1, 1, 1, 1)));
}
END_TEST

START_TEST(intersection_is_the_common_box)
{
    pqt_box common;
    ck_assert(pqt_box_intersection(box(0, 0, 4, 4), box(2, -1, 9, 3), &common));
    ck_assert(equal(common, box(2, 0, 4, 3)));
    ck_assert(pqt_box_intersection(box(0, 0, 4, 4), box(4, 1, 9, 3), &common));
    ck_assert(equal(common, box(4, 1, 4, 3)));
    ck_assert(pqt_box_intersection(box(0, 0, 4, 4), box(4, 4, 9, 9), NULL));
}
END_TEST

START_TEST(without_an_intersection_the_result_is_unchanged)
{
    pqt_box common = box(1, 2, 3, 4);
    ck_assert(!pqt_box_intersection(box(0, 0, 4, 4), box(5, 5, 9, 9), &common));
    ck_assert(!pqt_box_intersection(box(0, 0, 4, 4), box(5, 5, 9, 9), NULL));
    ck_assert(equal(common, box(1, 2, 3, 4)));
}
END_TEST

START_TEST(moved_moves_both_corners)
{
    ck_assert(equal(pqt_box_moved(box(0, 1, 2, 3), (pqt_vec){10, -1}), box(10, 0, 12, 2)));
    ck_assert(equal(pqt_box_moved(box(0, 1, 2, 3), (pqt_vec){0, 0}), box(0, 1, 2, 3)));
}
END_TEST

START_TEST(grown_adds_a_margin_on_four_sides)
{
    ck_assert(equal(pqt_box_grown(box(0, 0, 4, 2), 1), box(-1, -1, 5, 3)));
    ck_assert(equal(pqt_box_grown(box(0, 0, 4, 2), -0.5), box(0.5, 0.5, 3.5, 1.5)));
    ck_assert(equal(pqt_box_grown(box(0, 0, 4, 2), 0), box(0, 0, 4, 2)));
}
END_TEST

START_TEST(shrinking_stops_at_the_centre)
{
    ck_assert(equal(pqt_box_grown(box(0, 0, 4, 2), -1), box(1, 1, 3, 1)));
    ck_assert(equal(pqt_box_grown(box(0, 0, 4, 2), -1.5), box(1.5, 1, 2.5, 1)));
    ck_assert(equal(pqt_box_grown(box(0, 0, 4, 2), -3), box(2, 1, 2, 1)));
    ck_assert(equal(pqt_box_grown(box(0, 0, 4, 2), -INFINITY), box(2, 1, 2, 1)));
    ck_assert(equal(pqt_box_grown(box(-DBL_MAX, 0, DBL_MAX, 1), -INFINITY), box(0, 0.5, 0, 0.5)));
}
END_TEST

START_TEST(size_and_centre_measure_a_box)
{
    pqt_box measured = box(1, -2, 4, 6);
    ck_assert(pqt_box_size(measured).x == 3 && pqt_box_size(measured).y == 8);
    ck_assert(pqt_box_centre(measured).x == 2.5 && pqt_box_centre(measured).y == 2);
}
END_TEST

START_TEST(the_centre_never_overflows)
{
    pqt_box widest = box(-DBL_MAX, DBL_MAX, DBL_MAX, DBL_MAX);
    ck_assert(isinf(pqt_box_size(widest).x));
    ck_assert(pqt_box_centre(widest).x == 0 && pqt_box_centre(widest).y == DBL_MAX);
    ck_assert(pqt_box_centre(box(-DBL_MAX, 0, -DBL_MAX, 1)).x == -DBL_MAX);
    pqt_box tiny = box(2 * TINIEST, 1e-300, 6 * TINIEST, 1e-300);
    ck_assert(pqt_box_centre(tiny).x == 4 * TINIEST && pqt_box_centre(tiny).y == 1e-300);
}
END_TEST

START_TEST(the_centre_is_in_the_box_except_by_one_denormal)
{
    dice d = {test_seed("the_centre_is_in_the_box_except_by_one_denormal")};
    for (size_t i = 0; i < test_scaled(20000); i++) {
        double x = ldexp(dice_real(&d), (int)dice_below(&d, 2000) - 1040);
        double y = x * (1 + dice_real(&d) * 0x1p-50);
        pqt_vec centre = pqt_box_centre(box(x, x, y, y));
        double slack = x < 0x1p-1020 ? TINIEST : 0;
        ck_assert(x - slack <= centre.x && centre.x <= y + slack);
    }
}
END_TEST

START_TEST(distance_is_zero_inside_and_on_the_edge)
{
    pqt_box target = box(0, 0, 10, 5);
    ck_assert_double_eq(pqt_box_distance_to_point(target, (pqt_vec){3, 3}), 0);
    ck_assert_double_eq(pqt_box_distance_to_point(target, (pqt_vec){10, 5}), 0);
    ck_assert_double_eq(pqt_box_distance_to_box(target, box(10, 5, 11, 11)), 0);
    ck_assert_double_eq(pqt_box_distance_to_box(target, box(-9, -9, 99, 99)), 0);
    ck_assert_double_eq(pqt_box_distance_to_box(target, box(4, 2, 5, 3)), 0);
    ck_assert_double_gt(pqt_box_distance_to_point(target, (pqt_vec){3, -TINIEST}), 0);
}
END_TEST

START_TEST(distance_goes_to_the_nearest_edge_or_corner)
{
    pqt_box target = box(0, 0, 10, 5);
    ck_assert_double_eq(pqt_box_distance_to_point(target, (pqt_vec){-2, 3}), 2);
    ck_assert_double_eq(pqt_box_distance_to_point(target, (pqt_vec){3, 9}), 4);
    ck_assert_double_eq(pqt_box_distance_to_point(target, (pqt_vec){13, 9}), 5);
    ck_assert_double_eq(pqt_box_distance_to_point(target, (pqt_vec){-4, -3}), 5);
    ck_assert_double_eq(pqt_box_distance_to_box(target, box(13, 9, 20, 20)), 5);
    ck_assert_double_eq(pqt_box_distance_to_box(box(13, 9, 20, 20), target), 5);
    ck_assert_double_eq(pqt_box_distance_to_box(target, box(2, -9, 3, -1)), 1);
}
END_TEST

START_TEST(distance_neither_overflows_nor_underflows)
{
    const double units[] = {TINIEST, 0x1p-1000, 1, 0x1p1000};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        double u = units[i];
        pqt_box target = box(-u, -u, u, u);
        ck_assert_double_eq(pqt_box_distance_to_point(target, (pqt_vec){4 * u, 5 * u}), 5 * u);
        ck_assert_double_eq(pqt_box_distance_to_box(target, box(4 * u, 5 * u, 9 * u, 9 * u)),
                            5 * u);
    }
    ck_assert_double_eq(pqt_box_distance_to_box(box(-1e300, 0, -1e300, 0), box(1e300, 0, 1e300, 0)),
                        2e300);
    ck_assert_double_eq(
        pqt_box_distance_to_box(box(-1e-300, 0, -1e-300, 0), box(1e-300, 0, 1e-300, 0)), 2e-300);
}
END_TEST

START_TEST(a_larger_box_is_never_measured_farther)
{
    dice d = {test_seed("a_larger_box_is_never_measured_farther")};
    for (size_t i = 0; i < test_scaled(20000); i++) {
        pqt_box inner = box(dice_real(&d), dice_real(&d), 1 + dice_real(&d), 1 + dice_real(&d));
        pqt_box outer = inner;
        pqt_vec point = {dice_real(&d) * 6 - 3, dice_real(&d) * 6 - 3};
        outer.min.x = nextafter(inner.min.x, -1);
        outer.max.y = nextafter(inner.max.y, 9);
        double distance = pqt_box_distance_to_point(inner, point);
        ck_assert(pqt_box_distance_to_point(outer, point) <= distance);
        ck_assert(pqt_box_distance_to_point(pqt_box_union(outer, box(0, 0, 1, 1)), point) <=
                  distance);
        ck_assert((distance == 0) == pqt_box_contains(inner, point));
    }
}
END_TEST

static Suite *
box_suite(void)
{
    Suite *suite = suite_create("box");
    TCase *making = tcase_create("making");
    tcase_add_test(making, a_box_is_made_from_four_numbers_or_a_size);
    tcase_add_test(making, negative_sizes_make_boxes_that_are_not_valid);
    tcase_add_test(making, points_and_lines_are_valid);
    tcase_add_test(making, nan_infinity_and_min_above_max_are_not_valid);
    suite_add_tcase(suite, making);

    TCase *relations = tcase_create("relations");
    tcase_add_test(relations, boxes_with_a_common_edge_or_corner_touch_and_do_not_overlap);
    tcase_add_test(relations, a_point_overlaps_only_boxes_that_it_is_strictly_inside);
    tcase_add_test(relations, inside_and_covers_include_the_edges);
    tcase_add_test(relations, relations_agree_with_point_sets);
    tcase_add_test(relations, relates_tests_the_given_relation);
    tcase_add_test(relations, nan_has_no_relation);
    tcase_add_test(relations, an_infinite_window_relates_to_every_box);
    tcase_add_misuse_test(relations, an_invalid_relation_stops_the_program);
    tcase_add_test(relations, contains_includes_edges_and_corners);
    suite_add_tcase(suite, relations);

    TCase *changing = tcase_create("changing");
    tcase_add_test(changing, union_holds_both_and_no_more);
    tcase_add_test(changing, intersection_is_the_common_box);
    tcase_add_test(changing, without_an_intersection_the_result_is_unchanged);
    tcase_add_test(changing, moved_moves_both_corners);
    tcase_add_test(changing, grown_adds_a_margin_on_four_sides);
    tcase_add_test(changing, shrinking_stops_at_the_centre);
    suite_add_tcase(suite, changing);

    TCase *measuring = tcase_create("measuring");
    tcase_add_test(measuring, size_and_centre_measure_a_box);
    tcase_add_test(measuring, the_centre_never_overflows);
    tcase_add_test(measuring, the_centre_is_in_the_box_except_by_one_denormal);
    tcase_add_test(measuring, distance_is_zero_inside_and_on_the_edge);
    tcase_add_test(measuring, distance_goes_to_the_nearest_edge_or_corner);
    tcase_add_test(measuring, distance_neither_overflows_nor_underflows);
    tcase_add_test(measuring, a_larger_box_is_never_measured_farther);
    suite_add_tcase(suite, measuring);
    return suite;
}

int
main(void)
{
    return run_suite(box_suite());
}
