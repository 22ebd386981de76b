/* SPDX-License-Identifier: MIT */
/*
 * test_sphere.c: compares distances on the sphere with distances of 60 digits, and relations with
 * sets of positions on a circle.
 */
#include "config.h"

#include <float.h>
#include <stdio.h>

#include <pqt/sphere.h>

#include "base/sphere_internal.h"
#include "random.h"
#include "tree_support.h"

/* ---- Distances ---- */

/* Returns the largest error, in metres, that sphere.h allows for a distance. */
static double
allowed_error(double metres)
{
    return metres <= 1e7 ? 1e-6 : 0.3;
}

START_TEST(distances_are_those_of_60_digits)
{
    const char *top = getenv("srcdir");
    char path[4096], line[512];
    snprintf(path, sizeof path, "%s/test/sphere.txt", top == NULL ? "." : top);
    FILE *file = fopen(path, "r");
    ck_assert_msg(file != NULL, "%s cannot be read", path);
    size_t rows = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        pqt_vec from;
        pqt_box to;
        double metres;
        if (line[0] == '#')
            continue;
        ck_assert_int_eq(sscanf(line, "%lf %lf %lf %lf %lf %lf %lf", &from.x, &from.y, &to.min.x,
                                &to.min.y, &to.max.x, &to.max.y, &metres),
                         7);
        const double found = pqt_sphere_distance(from, to);
        ck_assert_msg(fabs(found - metres) <= allowed_error(metres), "%.17g, not %s", found, line);
        rows++;
    }
    fclose(file);
    ck_assert_uint_eq(rows, 200);
}
END_TEST

START_TEST(a_point_in_a_box_has_the_distance_0)
{
    const pqt_box fiji = pqt_sphere_box(177, -20, -178, -12);
    ck_assert(fiji.min.x == 177 && fiji.max.x == 182);
    ck_assert(pqt_sphere_distance((pqt_vec){-179, -15}, fiji) == 0);
    ck_assert(pqt_sphere_distance((pqt_vec){181, -15}, fiji) == 0);
    ck_assert(pqt_sphere_distance((pqt_vec){177, -20}, fiji) == 0);
    ck_assert(pqt_sphere_distance((pqt_vec){-178, -12}, fiji) == 0);
    ck_assert(pqt_sphere_distance((pqt_vec){0, 0}, box(-180, -90, 180, 90)) == 0);
    ck_assert(pqt_sphere_distance((pqt_vec){300, 5}, box(-180, 0, 180, 10)) == 0);
}
END_TEST

START_TEST(a_window_is_made_of_four_sides_that_queries_accept)
{
    static const struct {
        double west, south, east, north;
        bool is_window;
    } cases[] = {{177, -20, -178, -12, true},
                 {-180, -90, 180, 90, true},
                 {5, 5, 5, 5, true},
                 {180, 0, -180, 0, true},
                 {-INFINITY, -INFINITY, INFINITY, INFINITY, true},
                 {-INFINITY, 0, 5, 1, true},
                 {-540, 0, 540, 1, true},
                 {0, 0, -361, 1, false},
                 {-541, 0, 0, 1, false},
                 {181, 0, 180.5, 1, false},
                 {0, 5, 1, 4, false},
                 {0, 0, 1, 91, false},
                 {INFINITY, 0, 5, 1, false},
                 {5, 0, -INFINITY, 1, false},
                 {NAN, 0, 1, 1, false},
                 {0, 0, 1, NAN, false}};
    const pqt_box everything = box(-180, -90, 180, 90);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double west = cases[i].west, south = cases[i].south;
        const double east = cases[i].east, north = cases[i].north;
        const pqt_box expected = pqt_sphere_box(west, south, east, north);
        pqt_box window;
        ck_assert_int_eq(pqt_sphere_window(west, south, east, north, &window), cases[i].is_window);
        ck_assert_mem_eq(&window, &expected, sizeof expected);
        ck_assert_int_eq(pqt_sphere_relates(everything, window, PQT_TOUCHES), cases[i].is_window);
    }
}
END_TEST

START_TEST(what_does_not_lie_on_the_sphere_has_no_distance)
{
    const pqt_vec here = {0, 0};
    static const pqt_box others[] = {
        {{0, 80}, {0, 91}},   {{0, -91}, {0, 0}},   {{-541, 0}, {0, 0}},
        {{0, 0}, {541, 0}},   {{5, 0}, {4, 0}},     {{0, 5}, {0, 4}},
        {{NAN, 0}, {NAN, 0}}, {{0, NAN}, {0, NAN}}, {{0, 0}, {INFINITY, 0}}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        ck_assert(!pqt_box_is_on_sphere(others[i]));
        ck_assert(isnan(pqt_sphere_distance(here, others[i])));
        ck_assert(isnan(pqt_sphere_distance(others[i].max, point(0, 0))) ||
                  pqt_box_is_on_sphere(point(others[i].max.x, others[i].max.y)));
    }
    ck_assert(pqt_box_is_on_sphere(box(-540, -90, 540, 90)));
}
END_TEST

/* Returns a latitude, often near a pole or round. */
static double
draw_latitude(dice *d)
{
    if (dice_chance(d, 20))
        return (dice_chance(d, 50) ? -1 : 1) * (90 - exp2(-40 * dice_real(d)));
    return dice_chance(d, 20) ? 10.0 * (double)dice_below(d, 19) - 90 : 180 * dice_real(d) - 90;
}

static pqt_box
draw_on_sphere(dice *d)
{
    const double a = draw_latitude(d), b = draw_latitude(d);
    const double west = dice_chance(d, 20) ? -180 : 360 * dice_real(d) - 180;
    const double width = 360 * exp2(-20 * dice_real(d));
    return box(west, fmin(a, b), west + width, fmax(a, b));
}

/* Returns a latitude near that of the point of a meridian that is nearest to `from`. */
static double
draw_near_foot(dice *d, pqt_vec from, double longitude)
{
    const double radian = 3.14159265358979 / 180, gap = (longitude - from.x) * radian;
    const double foot = atan2(sin(from.y * radian), cos(from.y * radian) * cos(gap)) / radian;
    return foot + (dice_real(d) - 0.5) * exp2(-10 - 20 * dice_real(d));
}

/* Returns a point of a box, mostly on its western or eastern side, where the nearest point is. */
static pqt_box
draw_point_in(dice *d, pqt_vec from, pqt_box outer)
{
    const double part = dice_chance(d, 90) ? (double)dice_below(d, 2) : dice_real(d);
    const double x = part == 1 ? outer.max.x : outer.min.x + part * (outer.max.x - outer.min.x);
    double y = outer.min.y + dice_real(d) * (outer.max.y - outer.min.y);
    if (dice_chance(d, 40))
        y = draw_near_foot(d, from, x);
    else if (dice_chance(d, 60))
        y = dice_chance(d, 50) ? outer.min.y : outer.max.y;
    return point(fmin(x, outer.max.x), fmin(fmax(y, outer.min.y), outer.max.y));
}

/* The rounding errors are found, so that the margin is one for something. */
START_TEST(a_box_is_hardly_farther_away_than_a_point_in_it)
{
    dice d = {test_seed(running_test)};
    double most = 0;
    for (size_t i = 0; i < test_scaled(500000); i++) {
        const pqt_vec at = {360 * ((double)dice_below(&d, 3) - 1.5 + dice_real(&d)),
                            draw_latitude(&d)};
        const pqti_sphere_point from = pqti_sphere_point_of(at);
        const pqt_box outer = draw_on_sphere(&d), inner = draw_point_in(&d, at, outer);
        most = fmax(most, pqti_haversine(&from, &outer) - pqti_haversine(&from, &inner));
    }
    ck_assert_msg(most > 1e-16 && most <= PQTI_HAVERSINE_ERROR / 3, "farther by %g", most);
}
END_TEST

START_TEST(a_haversine_of_a_distance_is_not_exceeded)
{
    dice d = {test_seed(running_test)};
    for (size_t i = 0; i < test_scaled(200000); i++) {
        const double haversine = dice_chance(&d, 50) ? dice_real(&d) : exp2(-200 * dice_real(&d));
        const double bound = pqti_haversine_of_metres(pqti_metres_of_haversine(haversine));
        require(bound >= haversine, "a haversine exceeds that of its distance");
        require(bound == 2 || bound <= haversine * (1 + 1e-11) + 1e-300, "it is not close");
    }
    ck_assert(pqti_haversine_of_metres(0) > 0);
    ck_assert(pqti_haversine_of_metres(INFINITY) == 2);
    ck_assert(pqti_metres_of_haversine(0) == 0);
}
END_TEST

/* ---- Relations ---- */

/*
 * The model is a circle of 48 positions, of which the even ones are multiples of 15 degrees. A set
 * of longitudes is a set of positions. Two intervals of multiples of 15 degrees have a common
 * interior if and only if they have a common odd position, or a single position of one is strictly
 * inside the other.
 */
enum { POSITIONS = 48, STEP = 15 };

typedef struct arc {
    int begin, end; /* multiples of 15 degrees */
} arc;

static bool
arc_is_round(arc a)
{
    return a.end - a.begin >= POSITIONS / 2;
}

/* Returns the set of positions of an arc, with or without its ends. */
static uint64_t
positions_of(arc a, bool with_ends)
{
    uint64_t set = 0;
    const int inset = with_ends || arc_is_round(a) ? 0 : 1;
    for (int i = 2 * a.begin + inset; i <= 2 * a.end - inset; i++)
        set |= UINT64_C(1) << ((i % POSITIONS + POSITIONS) % POSITIONS);
    return set;
}

static bool
arcs_relate(arc item, arc window, pqt_relation relation)
{
    const uint64_t a = positions_of(item, true), w = positions_of(window, true);
    const uint64_t inner_a = positions_of(item, false), inner_w = positions_of(window, false);
    switch (relation) {
    case PQT_TOUCHES:
        return (a & w) != 0;
    case PQT_OVERLAPS:
        return ((inner_a & inner_w) != 0) || (item.begin == item.end && (a & inner_w) != 0) ||
               (window.begin == window.end && (inner_a & w) != 0);
    case PQT_INSIDE:
        return (a & ~w) == 0;
    default:
        return (w & ~a) == 0;
    }
}

static arc
draw_arc(dice *d)
{
    const int begin = (int)dice_below(d, 73) - 36;
    const int room = 36 - begin;
    const int width = (int)dice_below(d, dice_chance(d, 70) ? 5 : 40);
    return (arc){begin, begin + (width < room ? width : room)};
}

START_TEST(relations_of_longitudes_are_those_of_sets_on_a_circle)
{
    dice d = {test_seed(running_test)};
    size_t true_ones[5] = {0};
    for (size_t i = 0; i < test_scaled(200000); i++) {
        const arc item = draw_arc(&d), window = draw_arc(&d);
        const pqt_relation relation = (pqt_relation)(1 + dice_below(&d, 4));
        const bool expected = arcs_relate(item, window, relation);
        const bool got =
            pqt_sphere_relates(box(item.begin * STEP, 0, item.end * STEP, 1),
                               box(window.begin * STEP, 0, window.end * STEP, 1), relation);
        true_ones[relation] += expected;
        ck_assert_msg(got == expected, "%d..%d %s %d..%d", item.begin, item.end,
                      pqt_relation_name(relation), window.begin, window.end);
    }
    for (int i = PQT_TOUCHES; i <= PQT_COVERS; i++)
        ck_assert_uint_gt(true_ones[i], test_scaled(1000));
}
END_TEST

START_TEST(longitudes_are_compared_without_rounding)
{
    dice d = {test_seed(running_test)};
    for (size_t i = 0; i < test_scaled(20000); i++) {
        /* multiples of 2^-45, as are all doubles from 128 to 256 */
        const int64_t unit = INT64_C(1) << 45, turn = 360 * unit;
        const int64_t window = 179 * unit + (int64_t)dice_below(&d, (size_t)unit);
        const int64_t item = window - turn + (int64_t)dice_below(&d, 3) - 1;
        const double w = (double)window / (double)unit, a = (double)item / (double)unit;
        ck_assert((int64_t)(a * (double)unit) == item && (int64_t)(w * (double)unit) == window);
        ck_assert(pqt_sphere_relates(point(a, 0), point(w, 0), PQT_TOUCHES) ==
                  (item + turn == window));
        ck_assert(pqt_sphere_relates(point(a, 0), box(w, 0, w + 1, 0), PQT_INSIDE) ==
                  (item + turn >= window));
    }
}
END_TEST

START_TEST(latitudes_have_the_relation_of_the_plane)
{
    dice d = {test_seed(running_test)};
    for (size_t i = 0; i < test_scaled(20000); i++) {
        double side[4];
        for (int j = 0; j < 4; j++)
            side[j] = 15 * ((double)dice_below(&d, 13) - 6);
        const pqt_box item = box(0, fmin(side[0], side[1]), 30, fmax(side[0], side[1]));
        const pqt_box window = box(0, fmin(side[2], side[3]), 30, fmax(side[2], side[3]));
        const pqt_relation relation = (pqt_relation)(1 + dice_below(&d, 4));
        ck_assert(pqt_sphere_relates(item, window, relation) ==
                  pqt_box_relates(item, window, relation));
    }
}
END_TEST

START_TEST(infinite_sides_of_a_window_are_the_whole_sphere)
{
    const pqt_box all = box(-INFINITY, -INFINITY, INFINITY, INFINITY);
    const pqt_box half = box(-INFINITY, -INFINITY, 5, 0);
    ck_assert(pqt_sphere_relates(point(400, 90), all, PQT_TOUCHES));
    ck_assert(pqt_sphere_relates(point(400, 90), all, PQT_INSIDE));
    ck_assert(pqt_sphere_relates(box(-180, -90, 180, 90), all, PQT_COVERS));
    ck_assert(!pqt_sphere_relates(box(-180, -90, 170, 90), all, PQT_COVERS));
    ck_assert(pqt_sphere_relates(point(100, -1), half, PQT_INSIDE));
    ck_assert(!pqt_sphere_relates(point(100, 1), half, PQT_TOUCHES));
}
END_TEST

START_TEST(what_does_not_lie_on_the_sphere_has_no_relation)
{
    const pqt_box all = box(-180, -90, 180, 90);
    ck_assert(!pqt_sphere_relates(point(0, 91), all, PQT_TOUCHES));
    ck_assert(!pqt_sphere_relates(point(541, 0), all, PQT_TOUCHES));
    ck_assert(!pqt_sphere_relates(point(0, 0), box(0, 0, 0, 91), PQT_TOUCHES));
    ck_assert(!pqt_sphere_relates(point(0, 0), box(0, 0, 541, 0), PQT_TOUCHES));
    ck_assert(!pqt_sphere_relates(point(0, 0), box(1, 0, -1, 0), PQT_TOUCHES));
    ck_assert(!pqt_sphere_relates(point(0, 0), box(NAN, 0, NAN, 0), PQT_TOUCHES));
    ck_assert(!pqt_sphere_relates(point(0, 0), box(INFINITY, 0, -INFINITY, 0), PQT_TOUCHES));
    ck_assert(!pqt_sphere_relates(point(0, 0), box(NAN, 0, INFINITY, 0), PQT_TOUCHES));
}
END_TEST

START_TEST(a_relation_that_is_none_stops_the_program)
{
    (void)pqt_sphere_relates(point(0, 0), point(0, 0), (pqt_relation)(5 * _i));
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("sphere");
    TCase *distances = add_tests(suite, "distances");
    tcase_add_test(distances, distances_are_those_of_60_digits);
    tcase_add_test(distances, a_point_in_a_box_has_the_distance_0);
    tcase_add_test(distances, a_window_is_made_of_four_sides_that_queries_accept);
    tcase_add_test(distances, what_does_not_lie_on_the_sphere_has_no_distance);
    tcase_add_test(distances, a_box_is_hardly_farther_away_than_a_point_in_it);
    tcase_add_test(distances, a_haversine_of_a_distance_is_not_exceeded);
    TCase *relations = add_tests(suite, "relations");
    tcase_add_test(relations, relations_of_longitudes_are_those_of_sets_on_a_circle);
    tcase_add_test(relations, longitudes_are_compared_without_rounding);
    tcase_add_test(relations, latitudes_have_the_relation_of_the_plane);
    tcase_add_test(relations, infinite_sides_of_a_window_are_the_whole_sphere);
    tcase_add_test(relations, what_does_not_lie_on_the_sphere_has_no_relation);
    tcase_add_misuse_tests(relations, a_relation_that_is_none_stops_the_program, 2);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
