/* SPDX-License-Identifier: MIT */
/* test_segment.c: tests circles, segments and rays. */
#include "config.h"

#include <float.h>
#include <math.h>

#include <pqt/circle.h>
#include <pqt/ray.h>
#include <pqt/segment.h>

#include "exact_segment.h"
#include "random.h"
#include "suite.h"

__extension__ typedef __int128 wide;

static const double TINIEST = 0x1p-1074;

static pqt_vec
vec(double x, double y)
{
    return (pqt_vec){x, y};
}

static pqt_circle
circle(double x, double y, double radius)
{
    return (pqt_circle){{x, y}, radius};
}

static pqt_segment
segment(double from_x, double from_y, double to_x, double to_y)
{
    return (pqt_segment){{from_x, from_y}, {to_x, to_y}};
}

static bool
equal(pqt_vec a, pqt_vec b)
{
    return a.x == b.x && a.y == b.y;
}

/* Returns a number with either sign and any size up to 1e3, often with a long fraction. */
static double
rolled(dice *d)
{
    return ldexp(dice_real(d) - 0.5, (int)dice_below(d, 20) - 9);
}

START_TEST(a_circle_is_valid_if_its_box_is)
{
    ck_assert(pqt_circle_is_valid(circle(1, 2, 3)));
    ck_assert(pqt_circle_is_valid(circle(1, 2, 0)));
    ck_assert(pqt_circle_is_valid(circle(0, 0, DBL_MAX)));
    ck_assert(!pqt_circle_is_valid(circle(1, 2, -1)));
    ck_assert(!pqt_circle_is_valid(circle(1e20, 1e20, -1)));
    ck_assert(!pqt_circle_is_valid(circle(1, 2, NAN)));
    ck_assert(!pqt_circle_is_valid(circle(NAN, 2, 1)));
    ck_assert(!pqt_circle_is_valid(circle(1, INFINITY, 1)));
    ck_assert(!pqt_circle_is_valid(circle(1, INFINITY, INFINITY)));
    ck_assert(!pqt_circle_is_valid(circle(DBL_MAX, 0, DBL_MAX)));
}
END_TEST

START_TEST(the_box_of_a_circle_is_plain_where_sums_are_exact)
{
    pqt_box box = pqt_circle_box(circle(1, -2, 3.5));
    ck_assert(equal(box.min, vec(-2.5, -5.5)) && equal(box.max, vec(4.5, 1.5)));
    box = pqt_circle_box(circle(3, 3, 3));
    ck_assert(equal(box.min, vec(0, 0)) && !signbit(box.min.x) && !signbit(box.min.y));
    box = pqt_circle_box(circle(7, 8, 0));
    ck_assert(equal(box.min, vec(7, 8)) && equal(box.max, vec(7, 8)));
}
END_TEST

START_TEST(the_box_of_a_circle_is_rounded_outward)
{
    pqt_box box = pqt_circle_box(circle(1, -1, 0x1p-60));
    ck_assert(equal(box.min, vec(nextafter(1, 0), nextafter(-1, -2))));
    ck_assert(equal(box.max, vec(nextafter(1, 2), nextafter(-1, 0))));
    box = pqt_circle_box(circle(1e16, 0, 1));
    ck_assert(box.min.x == 1e16 - 1 || box.min.x == 1e16 - 2);
    ck_assert(box.max.x == 1e16 + 2);
}
END_TEST

/*
 * Computes in units of 2^-64, in which the centre and the radius are integers, so that their sum is
 * exact. The next double inwards must be too small.
 */
START_TEST(the_box_of_a_circle_is_the_smallest_that_holds_it)
{
    dice d = {test_seed("the_box_of_a_circle_is_the_smallest_that_holds_it")};
    for (size_t i = 0; i < test_scaled(50000); i++) {
        double centre = ldexp((double)(dice_next(&d) >> 11), -(int)dice_below(&d, 60));
        double radius = ldexp((double)(dice_next(&d) >> 11), -(int)dice_below(&d, 60));
        pqt_box box = pqt_circle_box(circle(centre, -centre, radius));
        wide sum = (wide)(centre * 0x1p64) + (wide)(radius * 0x1p64);
        wide difference = (wide)(centre * 0x1p64) - (wide)(radius * 0x1p64);
        wide max = (wide)(box.max.x * 0x1p64);
        wide less = (wide)(nextafter(box.max.x, 0) * 0x1p64);
        wide min = (wide)(box.min.x * 0x1p64);
        wide more = (wide)(nextafter(box.min.x, DBL_MAX) * 0x1p64);
        ck_assert(max == sum || (max > sum && less < sum));
        ck_assert(min == difference || (min < difference && more > difference));
        ck_assert(box.min.y == -box.max.x && box.max.y == -box.min.x);
    }
}
END_TEST

START_TEST(distance_to_a_point_begins_at_the_edge_of_the_circle)
{
    ck_assert_double_eq(pqt_circle_distance_to_point(circle(1, 1, 2), vec(1, 1)), 0);
    ck_assert_double_eq(pqt_circle_distance_to_point(circle(1, 1, 5), vec(4, 5)), 0);
    ck_assert_double_eq(pqt_circle_distance_to_point(circle(1, 1, 2), vec(4, 5)), 3);
    ck_assert_double_eq(pqt_circle_distance_to_point(circle(0, 0, 0), vec(3, 4)), 5);
    double u = 0x1p1000;
    ck_assert_double_eq(pqt_circle_distance_to_point(circle(0, 0, u), vec(3 * u, 4 * u)), 4 * u);
    u = 0x1p-1070;
    ck_assert_double_eq(pqt_circle_distance_to_point(circle(0, 0, u), vec(3 * u, 4 * u)), 4 * u);
}
END_TEST

START_TEST(circles_with_one_common_point_touch_and_do_not_overlap)
{
    const double units[] = {0x1p-1070, 1, 0x1p1000};
    for (size_t i = 0; i < 3; i++) {
        double u = units[i];
        pqt_circle fixed = circle(0, 0, 2 * u);
        ck_assert(pqt_circle_touches(fixed, circle(3 * u, 4 * u, 3 * u)));
        ck_assert(!pqt_circle_overlaps(fixed, circle(3 * u, 4 * u, 3 * u)));
        ck_assert(pqt_circle_overlaps(fixed, circle(3 * u, 4 * u, 3.5 * u)));
        ck_assert(!pqt_circle_touches(fixed, circle(3 * u, 4 * u, 2.5 * u)));
        ck_assert(pqt_circle_overlaps(fixed, fixed));
    }
}
END_TEST

START_TEST(a_circle_of_radius_zero_is_a_point)
{
    pqt_circle disc = circle(0, 0, 5), point = circle(3, 4, 0);
    ck_assert(pqt_circle_touches(disc, point));
    ck_assert(!pqt_circle_overlaps(disc, point));
    ck_assert(pqt_circle_overlaps(disc, circle(3, 3, 0)));
    ck_assert(pqt_circle_overlaps(circle(3, 3, 0), disc));
    ck_assert(pqt_circle_touches(point, point));
    ck_assert(!pqt_circle_overlaps(point, point));
}
END_TEST

START_TEST(a_circle_touches_a_box_at_its_edge_or_corner)
{
    pqt_box box = pqt_box_make(0, 0, 10, 10);
    ck_assert(pqt_circle_touches_box(circle(-2, 5, 2), box));
    ck_assert(!pqt_circle_overlaps_box(circle(-2, 5, 2), box));
    ck_assert(pqt_circle_overlaps_box(circle(-2, 5, 2.5), box));
    ck_assert(!pqt_circle_touches_box(circle(-2, 5, 1.5), box));
    ck_assert(pqt_circle_touches_box(circle(13, 14, 5), box));
    ck_assert(!pqt_circle_overlaps_box(circle(13, 14, 5), box));
    ck_assert(!pqt_circle_touches_box(circle(13, 14, 4.5), box));
    ck_assert(pqt_circle_overlaps_box(circle(5, 5, 1), box));
    ck_assert(pqt_circle_overlaps_box(circle(5, 5, 99), box));
}
END_TEST

START_TEST(flat_boxes_and_circles_overlap_boxes_that_they_enter)
{
    pqt_box point = pqt_box_make(3, 4, 3, 4), line = pqt_box_make(-9, 3, 9, 3);
    ck_assert(pqt_circle_touches_box(circle(0, 0, 5), point));
    ck_assert(!pqt_circle_overlaps_box(circle(0, 0, 5), point));
    ck_assert(pqt_circle_overlaps_box(circle(0, 0, 6), point));
    ck_assert(pqt_circle_overlaps_box(circle(0, 0, 5), line));
    ck_assert(!pqt_circle_overlaps_box(circle(0, 0, 3), line));
    ck_assert(pqt_circle_overlaps_box(circle(1, 1, 0), pqt_box_make(0, 0, 2, 2)));
    ck_assert(!pqt_circle_overlaps_box(circle(0, 1, 0), pqt_box_make(0, 0, 2, 2)));
    ck_assert(pqt_circle_touches_box(circle(0, 1, 0), pqt_box_make(0, 0, 2, 2)));
    ck_assert(!pqt_circle_overlaps_box(circle(3, 4, 0), point));
}
END_TEST

/* The pairs nearly touch by construction: the sum of the radii equals the distance except for a few
   rounding errors. */
START_TEST(circles_that_overlap_have_boxes_that_overlap)
{
    dice d = {test_seed("circles_that_overlap_have_boxes_that_overlap")};
    size_t touching = 0, apart = 0;
    for (size_t i = 0; i < test_scaled(50000); i++) {
        pqt_circle a = circle(rolled(&d), dice_chance(&d, 50) ? 0 : rolled(&d), 0);
        pqt_circle b = circle(rolled(&d), dice_chance(&d, 50) ? a.centre.y : rolled(&d), 0);
        double distance = pqt_vec_distance(a.centre, b.centre);
        a.radius = distance * dice_real(&d);
        b.radius = nextafter(fmax(0, distance - a.radius), dice_chance(&d, 50) ? 0 : INFINITY);
        pqt_box box_a = pqt_circle_box(a), box_b = pqt_circle_box(b);
        ck_assert(pqt_circle_touches(a, b) == pqt_circle_touches(b, a));
        ck_assert(pqt_circle_overlaps(a, b) == pqt_circle_overlaps(b, a));
        ck_assert(pqt_circle_touches(a, b) || !pqt_circle_overlaps(a, b));
        ck_assert(pqt_box_touches(box_a, box_b) || !pqt_circle_touches(a, b));
        ck_assert(pqt_box_overlaps(box_a, box_b) || !pqt_circle_overlaps(a, b));
        ck_assert(pqt_box_touches(box_a, box_b) || !pqt_circle_touches_box(a, box_b));
        ck_assert(pqt_box_overlaps(box_a, box_b) || !pqt_circle_overlaps_box(a, box_b));
        *(pqt_circle_touches(a, b) ? &touching : &apart) += 1;
    }
    ck_assert(touching > 0 && apart > 0);
}
END_TEST

/* The distance rounds down to the sum of the radii, but the true distance is slightly greater. */
START_TEST(circles_that_only_rounding_brings_together_do_not_touch)
{
    pqt_circle a = circle(0x1.3333333333333p-2, 0, 0x1.89623b2557434p-3);
    pqt_circle b = circle(0x1.30acf2fe6acdap+0, 0, 0x1.6567bd99e630dp-1);
    ck_assert(pqt_vec_distance(a.centre, b.centre) == a.radius + b.radius);
    ck_assert(!pqt_box_touches(pqt_circle_box(a), pqt_circle_box(b)));
    ck_assert(!pqt_circle_touches(a, b));
    ck_assert(!pqt_circle_overlaps(a, b));
}
END_TEST

START_TEST(a_segment_is_valid_if_it_is_finite)
{
    ck_assert(pqt_segment_is_valid(segment(1, 2, 3, 4)));
    ck_assert(pqt_segment_is_valid(segment(1, 2, 1, 2)));
    ck_assert(!pqt_segment_is_valid(segment(NAN, 2, 3, 4)));
    ck_assert(!pqt_segment_is_valid(segment(1, 2, 3, INFINITY)));
}
END_TEST

START_TEST(the_box_of_a_segment_goes_from_end_to_end)
{
    pqt_box box = pqt_segment_box(segment(5, 1, 2, 9));
    ck_assert(equal(box.min, vec(2, 1)) && equal(box.max, vec(5, 9)));
}
END_TEST

START_TEST(a_point_of_a_segment_is_found_by_its_fraction)
{
    pqt_segment line = segment(1, 10, 5, 2);
    ck_assert(equal(pqt_segment_at(line, 0), line.from));
    ck_assert(equal(pqt_segment_at(line, 0.25), vec(2, 8)));
    ck_assert(equal(pqt_segment_at(line, 0.5), vec(3, 6)));
    ck_assert(equal(pqt_segment_at(line, 0.75), vec(4, 4)));
    ck_assert(equal(pqt_segment_at(line, 1), line.to));
    ck_assert(equal(pqt_segment_at(line, -1), vec(-3, 18)));
    ck_assert(equal(pqt_segment_at(line, 2), vec(9, -6)));
}
END_TEST

START_TEST(a_point_of_a_segment_never_leaves_its_box)
{
    dice d = {test_seed("a_point_of_a_segment_never_leaves_its_box")};
    for (size_t i = 0; i < test_scaled(50000); i++) {
        double unit = i % 3 == 0 ? TINIEST * 0x1p9 : i % 3 == 1 ? 1 : 0x1p1010;
        pqt_segment line =
            segment(rolled(&d) * unit, rolled(&d) * unit, rolled(&d) * unit, rolled(&d) * unit);
        line.to.y = i % 2 == 0 ? line.from.y : line.to.y;
        pqt_vec point = pqt_segment_at(line, dice_real(&d));
        ck_assert(pqt_box_contains(pqt_segment_box(line), point));
        ck_assert(equal(pqt_segment_at(line, 0), line.from));
        ck_assert(equal(pqt_segment_at(line, 1), line.to));
    }
    pqt_segment widest = segment(-DBL_MAX, DBL_MAX, DBL_MAX, DBL_MAX);
    ck_assert(equal(pqt_segment_at(widest, 0.5), vec(0, DBL_MAX)));
}
END_TEST

static bool
segment_touches_box(pqt_segment line, pqt_box box)
{
    const pqt_cast cast = pqt_cast_segment(line);
    return pqt_cast_at_item(&cast, (pqt_item){box, 0}).hit;
}

static bool
ray_touches_box(pqt_ray ray, pqt_box box)
{
    const pqt_cast cast = pqt_cast_ray(ray);
    return pqt_cast_at_item(&cast, (pqt_item){box, 0}).hit;
}

START_TEST(a_segment_touches_boxes_that_it_crosses_or_ends_at)
{
    pqt_box box = pqt_box_make(2, 2, 6, 4);
    ck_assert(segment_touches_box(segment(0, 0, 8, 8), box));
    ck_assert(segment_touches_box(segment(3, 3, 4, 3), box));
    ck_assert(segment_touches_box(segment(0, 3, 2, 3), box));
    ck_assert(!segment_touches_box(segment(0, 3, 1.9, 3), box));
    ck_assert(segment_touches_box(segment(0, 2, 9, 2), box));
    ck_assert(!segment_touches_box(segment(0, 1.9, 9, 1.9), box));
    ck_assert(segment_touches_box(segment(6, 0, 6, 9), box));
    ck_assert(segment_touches_box(segment(6, 9, 6, 0), box));
}
END_TEST

START_TEST(a_segment_through_a_corner_touches_and_one_next_to_it_does_not)
{
    const double units[] = {0x1p-1070, 0x1p-1000, 1, 0x1p1018};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        double u = units[i];
        pqt_box box = pqt_box_make(2 * u, 2 * u, 6 * u, 4 * u);
        ck_assert(segment_touches_box(segment(0, 4 * u, 4 * u, 0), box));
        ck_assert(!segment_touches_box(segment(0, 4 * u, nextafter(4 * u, 0), 0), box));
        ck_assert(segment_touches_box(segment(4 * u, 6 * u, 8 * u, 2 * u), box));
        ck_assert(!segment_touches_box(segment(5 * u, 6 * u, 8 * u, 2 * u), box));
        ck_assert(segment_touches_box(segment(8 * u, 5 * u, 2 * u, 2 * u), box));
    }
}
END_TEST

START_TEST(a_segment_of_zero_length_touches_boxes_that_contain_it)
{
    pqt_box box = pqt_box_make(2, 2, 6, 4);
    ck_assert(segment_touches_box(segment(3, 3, 3, 3), box));
    ck_assert(segment_touches_box(segment(2, 2, 2, 2), box));
    ck_assert(!segment_touches_box(segment(2, 1, 2, 1), box));
    ck_assert(segment_touches_box(segment(2, 1, 2, 1), pqt_box_make(2, 1, 2, 1)));
}
END_TEST

START_TEST(an_invalid_shape_touches_nothing)
{
    pqt_box box = pqt_box_make(2, 2, 6, 4);
    ck_assert(!segment_touches_box(segment(NAN, 0, 8, 8), box));
    ck_assert(!segment_touches_box(segment(0, 0, INFINITY, 8), box));
    ck_assert(!segment_touches_box(segment(0, 0, 8, 8), pqt_box_make(6, 2, 2, 4)));
    ck_assert(!segment_touches_box(segment(0, 0, 8, 8), pqt_box_make(2, NAN, 6, 4)));
    ck_assert(!segment_touches_box(segment(0, 0, 8, 8), pqt_box_make(2, 2, INFINITY, 4)));
    ck_assert(!ray_touches_box((pqt_ray){{0, 0}, {NAN, 1}}, box));
    ck_assert(!ray_touches_box((pqt_ray){{0, -INFINITY}, {1, 1}}, box));
    ck_assert(!ray_touches_box((pqt_ray){{3, 3}, {1, 1}}, pqt_box_make(2, 2, 6, NAN)));
}
END_TEST

/* ---- Touching, compared with integers of arbitrary length ---- */

/* A family of lines and boxes, defined by the distribution of their numbers. */
typedef double draw_number(dice *d);

/* Draws numbers so that every second line runs along an edge or through a corner. */
static double
small_whole(dice *d)
{
    return (double)dice_below(d, 9);
}

static double
tiny_whole(dice *d)
{
    return small_whole(d) * TINIEST;
}

static double
huge_whole(dice *d)
{
    return (small_whole(d) - 4) * 0x1p1021;
}

/* Draws numbers that differ by a few ulps of 1. */
static double
beside_one(dice *d)
{
    return 1 + (double)dice_below(d, 33) * 0x1p-52;
}

/* Draws numbers so that the ends are far apart, and the sides of the box differ by ulps. */
static double
far_and_fine(dice *d)
{
    double far = (double)dice_below(d, 3) - 1;
    return dice_chance(d, 50) ? far : far + (double)dice_below(d, 9) * 0x1p-53;
}

static double
of_any_size(dice *d)
{
    double number = ldexp(dice_real(d) - 0.5, (int)dice_below(d, 2098) - 1073);
    return dice_chance(d, 10) ? 0 : number;
}

/* Draws large and small numbers for the same line. */
static double
of_either_end(dice *d)
{
    double number = ldexp(1, dice_chance(d, 50) ? 1000 : -1000) * (small_whole(d) - 4);
    return dice_chance(d, 20) ? nextafter(number, 0) : number;
}

static draw_number *const families[] = {small_whole,  tiny_whole,  huge_whole,   beside_one,
                                        far_and_fine, of_any_size, of_either_end};

enum { FAMILIES = sizeof families / sizeof *families };

static void
sort_two(double *a, double *b)
{
    if (*a > *b) {
        double more = *a;
        *a = *b;
        *b = more;
    }
}

static pqt_box
draw_box_of(dice *d, draw_number *draw)
{
    double numbers[4];
    for (size_t i = 0; i < 4; i++)
        numbers[i] = draw(d);
    pqt_box box = pqt_box_make(numbers[0], numbers[1], numbers[2], numbers[3]);
    sort_two(&box.min.x, &box.max.x);
    sort_two(&box.min.y, &box.max.y);
    return box;
}

/* Returns a segment whose middle is a corner of the box except for rounding. Now and then it is
   moved a little. */
static pqt_segment
aim_at_corner(dice *d, pqt_segment line, pqt_box box)
{
    pqt_vec corner = {dice_chance(d, 50) ? box.min.x : box.max.x,
                      dice_chance(d, 50) ? box.min.y : box.max.y};
    pqt_vec to = {corner.x + (corner.x - line.from.x), corner.y + (corner.y - line.from.y)};
    if (!pqt_vec_is_finite(to))
        return line;
    line.to = to;
    if (dice_chance(d, 50))
        line.to.x = nextafter(to.x, dice_chance(d, 50) ? -DBL_MAX : DBL_MAX);
    return line;
}

START_TEST(touching_a_box_is_decided_exactly)
{
    dice d = {test_seed("touching_a_box_is_decided_exactly") + (uint64_t)_i};
    draw_number *draw = families[_i];
    size_t touched[2] = {0, 0}, missed[2] = {0, 0};
    for (size_t i = 0; i < test_scaled(6000); i++) {
        double numbers[4];
        for (size_t k = 0; k < 4; k++)
            numbers[k] = draw(&d);
        pqt_segment line = segment(numbers[0], numbers[1], numbers[2], numbers[3]);
        pqt_box box = draw_box_of(&d, draw);
        line = dice_chance(&d, 40) ? aim_at_corner(&d, line, box) : line;
        bool must = exactly_touches(line.from, line.to, false, box);
        ck_assert(segment_touches_box(line, box) == must);
        ck_assert(segment_touches_box((pqt_segment){line.to, line.from}, box) == must);
        touched[0] += must;
        missed[0] += !must;
        must = exactly_touches(line.from, line.to, true, box);
        ck_assert(ray_touches_box((pqt_ray){line.from, line.to}, box) == must);
        touched[1] += must;
        missed[1] += !must;
    }
    ck_assert(touched[0] > 0 && touched[1] > 0 && missed[0] > 0 && missed[1] > 0);
}
END_TEST

START_TEST(a_ray_is_valid_if_its_direction_is_not_zero)
{
    ck_assert(pqt_ray_is_valid((pqt_ray){{1, 2}, {0, -1}}));
    ck_assert(pqt_ray_is_valid((pqt_ray){{1, 2}, {TINIEST, 0}}));
    ck_assert(!pqt_ray_is_valid((pqt_ray){{1, 2}, {0, -0.0}}));
    ck_assert(!pqt_ray_is_valid((pqt_ray){{1, NAN}, {1, 0}}));
    ck_assert(!pqt_ray_is_valid((pqt_ray){{1, 2}, {INFINITY, 0}}));
}
END_TEST

START_TEST(a_ray_touches_boxes_ahead_of_it)
{
    pqt_box box = pqt_box_make(2, 2, 6, 4);
    ck_assert(ray_touches_box((pqt_ray){{0, 0}, {1, 1}}, box));
    ck_assert(!ray_touches_box((pqt_ray){{0, 0}, {-1, -1}}, box));
    ck_assert(!ray_touches_box((pqt_ray){{7, 3}, {1, 0}}, box));
    ck_assert(ray_touches_box((pqt_ray){{7, 3}, {-TINIEST, 0}}, box));
    ck_assert(ray_touches_box((pqt_ray){{6, 4}, {1, 1}}, box));
    ck_assert(ray_touches_box((pqt_ray){{0, 4}, {1, 0}}, box));
    ck_assert(ray_touches_box((pqt_ray){{0, 0}, {2, 4}}, box));
    ck_assert(!ray_touches_box((pqt_ray){{0, 0}, {2, nextafter(4, 5)}}, box));
    ck_assert(ray_touches_box((pqt_ray){{0, 0}, {2e300, 4e300}}, box));
    ck_assert(ray_touches_box((pqt_ray){{3, 3}, {0, 0}}, box));
    ck_assert(!ray_touches_box((pqt_ray){{1, 3}, {0, -0.0}}, box));
}
END_TEST

static Suite *
shape_suite(void)
{
    Suite *suite = suite_create("shape");
    TCase *circles = tcase_create("circles");
    tcase_add_test(circles, a_circle_is_valid_if_its_box_is);
    tcase_add_test(circles, the_box_of_a_circle_is_plain_where_sums_are_exact);
    tcase_add_test(circles, the_box_of_a_circle_is_rounded_outward);
    tcase_add_test(circles, the_box_of_a_circle_is_the_smallest_that_holds_it);
    tcase_add_test(circles, distance_to_a_point_begins_at_the_edge_of_the_circle);
    tcase_add_test(circles, circles_with_one_common_point_touch_and_do_not_overlap);
    tcase_add_test(circles, a_circle_of_radius_zero_is_a_point);
    tcase_add_test(circles, a_circle_touches_a_box_at_its_edge_or_corner);
    tcase_add_test(circles, flat_boxes_and_circles_overlap_boxes_that_they_enter);
    tcase_add_test(circles, circles_that_overlap_have_boxes_that_overlap);
    tcase_add_test(circles, circles_that_only_rounding_brings_together_do_not_touch);
    suite_add_tcase(suite, circles);

    TCase *segments = tcase_create("segments");
    tcase_add_test(segments, a_segment_is_valid_if_it_is_finite);
    tcase_add_test(segments, the_box_of_a_segment_goes_from_end_to_end);
    tcase_add_test(segments, a_point_of_a_segment_is_found_by_its_fraction);
    tcase_add_test(segments, a_point_of_a_segment_never_leaves_its_box);
    tcase_add_test(segments, a_segment_touches_boxes_that_it_crosses_or_ends_at);
    tcase_add_test(segments, a_segment_through_a_corner_touches_and_one_next_to_it_does_not);
    tcase_add_test(segments, a_segment_of_zero_length_touches_boxes_that_contain_it);
    tcase_add_test(segments, an_invalid_shape_touches_nothing);
    tcase_add_loop_test(segments, touching_a_box_is_decided_exactly, 0, FAMILIES);
    suite_add_tcase(suite, segments);

    TCase *rays = tcase_create("rays");
    tcase_add_test(rays, a_ray_is_valid_if_its_direction_is_not_zero);
    tcase_add_test(rays, a_ray_touches_boxes_ahead_of_it);
    suite_add_tcase(suite, rays);
    return suite;
}

int
main(void)
{
    return run_suite(shape_suite());
}
