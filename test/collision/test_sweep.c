/* SPDX-License-Identifier: MIT */
/*
 * test_sweep.c: tests the rules of sweeps of one mover against another, following the table of
 * cases in sweep.h.
 */
#include "config.h"

#include <float.h>

#include "suite.h"
#include "sweep_support.h"

/* Sweeps a box of 1 x 1 whose position is its top left corner. */
static pqt_sweep
unit_swept(double x, double y, double to_x, double to_y, pqt_box b)
{
    return swept(pqt_mover_box(unit_box, at(x, y), at(to_x, to_y)), still(b));
}

static void
expect_vec(pqt_vec v, double x, double y)
{
    ck_assert_msg(v.x == x && v.y == y, "(%.17g, %.17g) for (%g, %g)", v.x, v.y, x, y);
}

static void
expect_hit(pqt_sweep s, double time, pqt_vec stop, unsigned blocked, pqt_vec normal)
{
    ck_assert_int_eq(s.status, PQT_SWEEP_HITS);
    ck_assert_msg(s.time == time, "time %.17g for %g", s.time, time);
    expect_vec(s.stop, stop.x, stop.y);
    ck_assert_uint_eq(s.blocked, blocked);
    expect_vec(s.normal, normal.x, normal.y);
}

static void
expect_end(pqt_sweep s, pqt_sweep_status status, pqt_vec stop)
{
    ck_assert_int_eq(s.status, status);
    ck_assert(s.time == 1);
    expect_vec(s.stop, stop.x, stop.y);
    ck_assert_uint_eq(s.blocked, 0);
    expect_vec(s.normal, 0, 0);
}

/* ---- Boxes: the cases of the table ---- */

START_TEST(a_box_stops_next_to_the_item_that_it_hits)
{
    expect_hit(unit_swept(0, 0, 8, 0, box(3, 0, 5, 1)), 0.25, at(2, 0), 1, at(-1, 0));
    expect_hit(unit_swept(8, 0, 0, 0, box(3, 0, 5, 1)), 0.375, at(5, 0), 1, at(1, 0));
    expect_hit(unit_swept(0, 0, 4, 8, box(0, 3, 5, 4)), 0.25, at(1, 2), 2, at(0, -1));
    expect_hit(unit_swept(0, 8, 4, 0, box(0, 3, 5, 4)), 0.5, at(2, 4), 2, at(0, 1));
    expect_end(unit_swept(0, 0, 8, 0, box(3, 2, 5, 3)), PQT_SWEEP_FREE, at(8, 0));
}
END_TEST

START_TEST(ending_in_contact_is_not_a_hit)
{
    expect_end(unit_swept(0, 0, 2, 0, box(3, 0, 5, 1)), PQT_SWEEP_TOUCHES, at(2, 0));
    expect_end(unit_swept(0, 0, 2, 2, box(3, 3, 5, 5)), PQT_SWEEP_TOUCHES, at(2, 2));
}
END_TEST

START_TEST(starting_in_overlap_has_its_own_status)
{
    pqt_sweep s = unit_swept(2.5, 0, 8.5, 0, box(3, 0, 5, 1));
    ck_assert_int_eq(s.status, PQT_SWEEP_OVERLAPS);
    ck_assert(s.time == 0 && s.exit == 2.5 / 6);
    expect_vec(s.stop, 2.5, 0);
    expect_vec(s.free_position, 2, 0);
    expect_vec(s.normal, -1, 0);
    s = unit_swept(2.5, 0, 2.5, 0, box(3, 0, 5, 1));
    ck_assert_int_eq(s.status, PQT_SWEEP_OVERLAPS);
    ck_assert(s.exit == INFINITY);
}
END_TEST

/* The distance of the start from the origin is more than the largest double. */
START_TEST(a_free_position_near_the_largest_doubles_is_free)
{
    const double x = 2.4687318045535798e306, y = 3.9321124737961426e306;
    const pqt_vec from = at(1.3989064293343138e308, 1.3207048762950216e308);
    const pqt_mover a = pqt_mover_box(box(-x, -y, x, y), from, at(1e308, -1e308));
    const pqt_mover b = still(box(from.x, from.y, 1.4016521553024731e308, 1.3487598196282236e308));
    const pqt_sweep s = swept(a, b);
    ck_assert_int_eq(s.status, PQT_SWEEP_OVERLAPS);
    expect_vec(s.normal, -1, 0);
    ck_assert(s.free_position.x < from.x && s.free_position.x > from.x - 1.01 * x);
    ck_assert(s.free_position.y == from.y);
    ck_assert(!movers_overlap(a, s.free_position, b, b.from));
}
END_TEST

/* Checks that with ignore_overlap a mover reaches its end. The other results are the same as
 * without the option. */
static void
expect_within(pqt_mover a, pqt_mover b)
{
    pqt_sweep_options options = PQT_SWEEP_DEFAULTS;
    options.ignore_overlap = true;
    pqt_sweep s = pqt_sweep_pair(a, b, &options), stays = swept(a, b);
    ck_assert_int_eq(s.status, PQT_SWEEP_OVERLAPS);
    ck_assert_int_eq(stays.status, PQT_SWEEP_OVERLAPS);
    ck_assert(s.time == 1 && stays.time == 0);
    expect_vec(s.stop, a.to.x, a.to.y);
    expect_vec(s.stop_b, b.to.x, b.to.y);
    ck_assert(s.exit > 1 && s.exit == stays.exit);
    expect_vec(s.free_position, stays.free_position.x, stays.free_position.y);
    expect_vec(s.normal, stays.normal.x, stays.normal.y);
}

START_TEST(an_option_ignores_the_overlap_at_the_start)
{
    pqt_sweep_options options = PQT_SWEEP_DEFAULTS;
    options.ignore_overlap = true;
    pqt_mover a = pqt_mover_box(unit_box, at(2.5, 0), at(8.5, 0));
    expect_end(pqt_sweep_pair(a, still(box(3, 0, 5, 1)), &options), PQT_SWEEP_FREE, at(8.5, 0));
    a.to.x = 5;
    expect_end(pqt_sweep_pair(a, still(box(3, 0, 5, 1)), &options), PQT_SWEEP_TOUCHES, at(5, 0));
    a.to.x = 3;
    expect_within(a, still(box(3, 0, 5, 1)));
}
END_TEST

START_TEST(a_mover_that_does_not_leave_an_ignored_overlap_overlaps)
{
    const pqt_mover a = pqt_mover_box(unit_box, at(2.5, 0), at(3, 0)), b = still(box(3, 0, 5, 1));
    const pqt_mover round = pqt_mover_circle(1, at(3, 0), at(4, 0));
    const pqt_mover flees = pqt_mover_box(box(3, 0, 5, 1), at(0, 0), at(-1, 0));
    expect_within(b, a);
    expect_within(a, round);
    expect_within(round, a);
    expect_within(a, flees);
    expect_within(still(unit_box), still(unit_box));
    expect_within(round, still_circle(2, 0, 2));
}
END_TEST

START_TEST(starting_in_contact_and_moving_away_or_along_is_not_a_hit)
{
    expect_end(unit_swept(2, 0, 0, 0, box(3, 0, 5, 1)), PQT_SWEEP_FREE, at(0, 0));
    expect_end(unit_swept(2, 0, 2, 9, box(3, 0, 5, 1)), PQT_SWEEP_FREE, at(2, 9));
    expect_end(unit_swept(2, 0, 2, 0.5, box(3, 0, 5, 1)), PQT_SWEEP_TOUCHES, at(2, 0.5));
}
END_TEST

START_TEST(starting_in_contact_and_moving_in_hits_at_once)
{
    expect_hit(unit_swept(2, 0, 3, 0, box(3, 0, 5, 1)), 0, at(2, 0), 1, at(-1, 0));
    expect_hit(unit_swept(2, 0, 3, 0.5, box(3, 0, 5, 1)), 0, at(2, 0), 1, at(-1, 0));
    /* A box on a floor moves down by a thousandth, so that only y is blocked. */
    expect_hit(unit_swept(0, 0, 2, 0.001, box(-9, 1, 9, 2)), 0, at(0, 0), 2, at(0, -1));
}
END_TEST

START_TEST(the_smallest_step_hits)
{
    static const double steps[] = {1e-7, 1e-12, 1e-200, TINIEST};
    for (size_t i = 0; i < 4; i++) {
        pqt_mover a = pqt_mover_box(box(-1, 0, 0, 1), at(0, 0), at(steps[i], 0));
        expect_hit(swept(a, still(box(0, 0, 1, 1))), 0, at(0, 0), 1, at(-1, 0));
    }
}
END_TEST

START_TEST(grazing_a_corner_is_not_a_hit)
{
    expect_end(unit_swept(0, 2, 4, -2, box(0, 0, 1, 1)), PQT_SWEEP_FREE, at(4, -2));
    expect_end(unit_swept(2, 0, 2, 9, box(3, 3, 4, 4)), PQT_SWEEP_FREE, at(2, 9));
    /* The next double is a hit. */
    pqt_sweep s = unit_swept(0, 2, 4, nextafter(-2, -3), box(0, 0, 1, 1));
    ck_assert_int_eq(s.status, PQT_SWEEP_HITS);
}
END_TEST

START_TEST(a_corner_that_hits_a_corner_blocks_both_axes)
{
    pqt_sweep s = unit_swept(0, 0, 8, 8, box(3, 3, 5, 5));
    pqt_vec normal = pqt_vec_normalize(at(-1, -1));
    expect_hit(s, 0.25, at(2, 2), PQT_BLOCKED_X | PQT_BLOCKED_Y, normal);
    s = unit_swept(2, 2, 8, 8, box(3, 3, 5, 5));
    expect_hit(s, 0, at(2, 2), PQT_BLOCKED_X | PQT_BLOCKED_Y, normal);
}
END_TEST

START_TEST(two_movers_hit_each_other_by_their_relative_motion)
{
    pqt_mover a = pqt_mover_box(unit_box, at(0, 0), at(4, 0));
    pqt_mover b = pqt_mover_box(unit_box, at(5, 0), at(1, 0.5));
    pqt_sweep s = swept(a, b);
    expect_hit(s, 0.5, at(2, 0), 1, at(-1, 0));
    expect_vec(s.stop_b, 3, 0.25);
    /* If both have the same motion, they do not meet. */
    b = pqt_mover_box(unit_box, at(1, 0), at(5, 0));
    expect_end(swept(a, b), PQT_SWEEP_TOUCHES, at(4, 0));
    /* A moving box hits a mover at rest. */
    s = swept(still(unit_box), pqt_mover_box(unit_box, at(5, 0), at(0, 0)));
    expect_hit(s, 0.8, at(0, 0), 1, at(-1, 0));
    expect_vec(s.stop_b, 1, 0);
}
END_TEST

/* The preceding position on the path, 2^-1074, has no effect when it is added to the sides. There
   the boxes would be apart on both axes. */
START_TEST(a_stop_at_a_barely_hit_box_is_stable)
{
    const double a = 0x1.31cfd3999f7bp-3, b = 0x1.cab7bd666f389p-2;
    pqt_mover wall = still(box(b, -2 * a, 2 * b, -a));
    pqt_sweep s = swept(pqt_mover_box(box(0, 0, b, b), at(a, 0), at(-2 * a, -b)), wall);
    ck_assert_int_eq(s.status, PQT_SWEEP_HITS);
    pqt_mover rest = pqt_mover_box(box(0, 0, b, b), s.stop, at(-2 * a, -b));
    expect_hit(swept(rest, wall), 0, s.stop, PQT_BLOCKED_Y, at(0, 1));
}
END_TEST

/* The boxes overlap at the end, but only by rounding. */
START_TEST(boxes_that_meet_by_rounding_have_the_normal_of_a_side)
{
    pqt_mover a = pqt_mover_box(
        box(0x1.f44p+9, 0x1.f426666666666p+9, 0x1.f473333333333p+9, 0x1.f44ccccccccccp+9),
        at(0x1.f41999999999ap+9, 0x1.f426666666666p+9), at(0x1.f466666666666p+9, 0x1.f44p+9));
    pqt_mover b = pqt_mover_box(
        box(0x1.f44cccccccccdp+9, 0x1.f40cccccccccdp+9, 0x1.f48p+9, 0x1.f41999999999ap+9),
        at(0x1.f40cccccccccdp+9, 0x1.f433333333333p+9),
        at(0x1.f45999999999ap+9, 0x1.f44cccccccccdp+9));
    pqt_sweep s = swept(a, b), turned = swept(b, a);
    ck_assert_int_eq(s.status, PQT_SWEEP_HITS);
    ck_assert_uint_eq(s.blocked, PQT_BLOCKED_Y);
    expect_vec(s.normal, 0, 1);
    expect_vec(turned.normal, 0, -1);
}
END_TEST

START_TEST(points_and_lines_are_hit_by_the_inside_of_a_mover)
{
    expect_hit(unit_swept(0, 0, 8, 0, box(3, 0.5, 3, 0.5)), 0.25, at(2, 0), 1, at(-1, 0));
    expect_end(unit_swept(0, 0, 8, 0, box(3, 1, 3, 1)), PQT_SWEEP_FREE, at(8, 0));
    pqt_mover dot = pqt_mover_box(box(0, 0, 0, 0), at(0, 0.5), at(8, 0.5));
    expect_hit(swept(dot, still(box(2, 0, 4, 1))), 0.25, at(2, 0.5), 1, at(-1, 0));
    expect_end(swept(dot, still(box(2, 0.5, 2, 0.5))), PQT_SWEEP_FREE, at(8, 0.5));
}
END_TEST

/* ---- Circles ---- */

START_TEST(a_circle_hits_a_circle)
{
    pqt_mover a = pqt_mover_circle(1, at(0, 0), at(8, 0));
    expect_hit(swept(a, still_circle(5, 0, 2)), 0.25, at(2, 0), 1, at(-1, 0));
    pqt_sweep s = swept(pqt_mover_circle(2, at(-6, 4), at(6, 4)), still_circle(0, 0, 3));
    ck_assert_int_eq(s.status, PQT_SWEEP_HITS);
    ck_assert(fabs(s.time - 0.25) < 1e-15 && fabs(s.stop.x + 3) < 1e-14 && s.stop.y == 4);
    ck_assert(pqt_vec_distance(s.normal, at(-0.6, 0.8)) < 1e-14);
    ck_assert_uint_eq(s.blocked, PQT_BLOCKED_X | PQT_BLOCKED_Y);
    /* Grazing is not a hit. Neither is touching at the end. */
    expect_end(swept(pqt_mover_circle(2, at(-6, 5), at(6, 5)), still_circle(0, 0, 3)),
               PQT_SWEEP_FREE, at(6, 5));
    a.to.x = 2;
    expect_end(swept(a, still_circle(5, 0, 2)), PQT_SWEEP_TOUCHES, at(2, 0));
}
END_TEST

START_TEST(circles_that_touch_block_each_other_only_inward)
{
    pqt_mover b = still_circle(3, 0, 2);
    expect_hit(swept(pqt_mover_circle(1, at(0, 0), at(1, 0)), b), 0, at(0, 0), 1, at(-1, 0));
    ck_assert_int_eq(swept(pqt_mover_circle(1, at(0, 0), at(1e-9, 0)), b).status, PQT_SWEEP_HITS);
    expect_end(swept(pqt_mover_circle(1, at(0, 0), at(-1, 0)), b), PQT_SWEEP_FREE, at(-1, 0));
    expect_end(swept(pqt_mover_circle(1, at(0, 0), at(0, 5)), b), PQT_SWEEP_FREE, at(0, 5));
}
END_TEST

START_TEST(a_circle_hits_the_side_of_a_box_and_its_corner)
{
    pqt_mover b = still(box(4, 0, 8, 8));
    expect_hit(swept(pqt_mover_circle(1, at(0, 3), at(8, 5)), b), 0.375, at(3, 3.75), 1, at(-1, 0));
    expect_hit(swept(pqt_mover_circle(1, at(5, -4), at(5, 4)), b), 0.375, at(5, -1), 2, at(0, -1));
    pqt_sweep s = swept(pqt_mover_circle(5, at(-9, -3), at(7, -3)), b);
    ck_assert_int_eq(s.status, PQT_SWEEP_HITS);
    ck_assert(fabs(s.stop.x) < 1e-14 && s.stop.y == -3 && fabs(s.time - 9.0 / 16) < 1e-15);
    ck_assert(pqt_vec_distance(s.normal, at(-0.8, -0.6)) < 1e-14);
    /* The square around the circle would hit, but the circle does not. */
    expect_end(swept(pqt_mover_circle(1, at(2, -1.5), at(4, -1)), still(box(5, 0, 6, 6))),
               PQT_SWEEP_FREE, at(4, -1));
    expect_end(swept(pqt_mover_circle(1, at(0, -1), at(20, -1)), b), PQT_SWEEP_FREE, at(20, -1));
}
END_TEST

/* At the hit, the centre is level with the end of a side, so the circle meets the side and not the
   corner. */
START_TEST(a_circle_is_stopped_by_the_very_end_of_a_side)
{
    const pqt_mover square = still(box(-5, -5, 5, 5));
    for (int i = 0; i < 8; i++) {
        const double x = (i & 1) != 0 ? 1 : -1, y = (i & 2) != 0 ? 1 : -1;
        const bool swapped = (i & 4) != 0;
        const pqt_vec from = swapped ? at(8 * y, 9 * x) : at(9 * x, 8 * y);
        const pqt_vec to = swapped ? at(2 * y, 3 * x) : at(3 * x, 2 * y);
        const pqt_vec stop = swapped ? at(5 * y, 6 * x) : at(6 * x, 5 * y);
        const pqt_vec normal = swapped ? at(0, x) : at(x, 0);
        const unsigned blocked = swapped ? PQT_BLOCKED_Y : PQT_BLOCKED_X;
        expect_hit(swept(pqt_mover_circle(1, from, to), square), 0.5, stop, blocked, normal);
        /* Does the same with a moving square and a circle at rest. */
        const pqt_mover flies =
            pqt_mover_box(box(-5, -5, 5, 5), at(0, 0), pqt_vec_subtract(from, to));
        const pqt_sweep s = swept(flies, still_circle(from.x, from.y, 1));
        ck_assert_int_eq(s.status, PQT_SWEEP_HITS);
        ck_assert_uint_eq(s.blocked, blocked);
        expect_vec(s.normal, -normal.x, -normal.y);
    }
}
END_TEST

/* At the hit, the centre is beyond the end of a side by so little that the corner is hit at the
 * same time as the side, in doubles. The side counts, with its exact normal, whichever moves. */
START_TEST(a_corner_that_is_hit_at_the_time_of_its_side_has_the_normal_of_the_side)
{
    static const double beyond[] = {1e-9, 3.6e-10, 1e-11, 0x1p-49};
    for (size_t k = 0; k < sizeof beyond / sizeof *beyond; k++)
        for (int i = 0; i < 8; i++) {
            const double x = (i & 1) != 0 ? 1 : -1, y = (i & 2) != 0 ? 1 : -1;
            const bool swapped = (i & 4) != 0;
            const double end = (5 + beyond[k]) * y;
            const pqt_vec from = swapped ? at(end, 9 * x) : at(9 * x, end);
            const pqt_vec to = swapped ? at(end, 3 * x) : at(3 * x, end);
            const pqt_vec normal = swapped ? at(0, x) : at(x, 0);
            const unsigned blocked = swapped ? PQT_BLOCKED_Y : PQT_BLOCKED_X;
            const pqt_vec way = pqt_vec_subtract(to, from), half = pqt_vec_scale(way, 0.5);
            const pqt_box square = box(-5, -5, 5, 5);
            const pqt_sweep sweeps[] = {
                swept(pqt_mover_circle(1, from, to), still(square)),
                swept(still_circle(from.x, from.y, 1),
                      pqt_mover_box(square, at(0, 0), pqt_vec_scale(way, -1))),
                swept(pqt_mover_circle(1, from, pqt_vec_add(from, half)),
                      pqt_mover_box(square, at(0, 0), pqt_vec_scale(half, -1)))};
            for (int j = 0; j < 3; j++) {
                ck_assert_int_eq(sweeps[j].status, PQT_SWEEP_HITS);
                ck_assert_uint_eq(sweeps[j].blocked, blocked);
                expect_vec(sweeps[j].normal, normal.x, normal.y);
            }
        }
}
END_TEST

/* Both move obliquely. At the hit, one is above the other: the difference of x is a rounding error,
 * and often 0 at the stop. */
START_TEST(movers_that_meet_one_above_the_other_have_an_upright_normal)
{
    dice d = {test_seed(__func__)};
    size_t exact = 0;
    for (size_t i = 0; i < 20000; i++) {
        const double x = (double)dice_below(&d, 200) / 10 - 10, y = (double)dice_below(&d, 99) / 10;
        const pqt_vec way = at((double)dice_below(&d, 40) / 10 - 2, 0.1 + dice_real(&d));
        const pqt_vec other = at((double)dice_below(&d, 40) / 10 - 2, -0.1 - dice_real(&d));
        const pqt_vec place = at(x, y - 2), upper = at(x, y);
        const pqt_sweep s =
            swept(pqt_mover_circle(1, pqt_vec_subtract(place, way), pqt_vec_add(place, way)),
                  pqt_mover_circle(1, pqt_vec_subtract(upper, other), pqt_vec_add(upper, other)));
        ck_assert_int_eq(s.status, PQT_SWEEP_HITS);
        ck_assert_msg(pqt_vec_distance(s.normal, at(0, -1)) < 1e-9, "%zu: (%.17g, %.17g)", i,
                      s.normal.x, s.normal.y);
        exact += s.normal.x == 0 && s.blocked == PQT_BLOCKED_Y;
    }
    ck_assert_msg(exact > 100, "only %zu are exact", exact);
}
END_TEST

/* A circle passes the side of a box at a distance of rounding errors and hits its corner. The first
   stop is backed off by 1/32 of the motion, and a sweep of the rest finds the hit later. */
START_TEST(the_time_of_a_hit_is_when_the_stop_is_reached)
{
    const pqt_box low = box(-8.7500000000000008e-10, -9.5809215807406199e-10,
                            5.0000000000000003e-10, -5.0000000000000003e-10);
    const double from = -1.3750000000000001e-09, to = -1.1250000000000001e-09;
    const pqt_sweep s =
        swept(pqt_mover_box(low, at(-2.125e-09, from), at(-2.125e-09, to)),
              pqt_mover_circle(8.7500000000000008e-10, at(-3.875e-09, 2.2870080757392631e-09),
                               at(-3.875e-09, -1.7500000000000002e-09)));
    ck_assert_int_eq(s.status, PQT_SWEEP_HITS);
    const double reached = (s.stop.y - from) / (to - from);
    ck_assert_msg(fabs(s.time - reached) < 1e-14, "time %.17g for %.17g", s.time, reached);
}
END_TEST

START_TEST(an_overlapping_circle_gets_its_free_position)
{
    pqt_sweep s = swept(pqt_mover_circle(2, at(3, 4), at(-5, 4)), still(box(4, 0, 8, 8)));
    ck_assert_int_eq(s.status, PQT_SWEEP_OVERLAPS);
    ck_assert(s.exit == 0.125);
    expect_vec(s.free_position, 2, 4);
    expect_vec(s.normal, -1, 0);
    s = swept(pqt_mover_circle(1, at(0, 0), at(0, 6)), still_circle(0, 0, 2));
    ck_assert(s.status == PQT_SWEEP_OVERLAPS && s.exit == 0.5);
    expect_vec(s.free_position, 3, 0);
    s = swept(still(box(4, 0, 8, 8)), pqt_mover_circle(2, at(3, 4), at(-5, 4)));
    ck_assert(s.status == PQT_SWEEP_OVERLAPS && s.exit == 0.125);
    expect_vec(s.normal, 1, 0);
    expect_vec(s.free_position, 1, 0);
}
END_TEST

/* ---- Invalid arguments ---- */

START_TEST(an_invalid_mover_is_not_swept)
{
    const pqt_mover good = pqt_mover_box(unit_box, at(0, 0), at(1, 0));
    const pqt_mover bad[] = {
        pqt_mover_box(unit_box, at(NAN, 0), at(1, 0)),
        pqt_mover_box(unit_box, at(0, 0), at(1, INFINITY)),
        pqt_mover_box(box(1, 0, 0, 1), at(0, 0), at(1, 0)),
        pqt_mover_box(box(0, 0, 1, NAN), at(0, 0), at(1, 0)),
        pqt_mover_box(box(0, 0, DBL_MAX, 1), at(0, 0), at(DBL_MAX, 0)),
        pqt_mover_circle(-1, at(0, 0), at(1, 0)),
        pqt_mover_circle(NAN, at(0, 0), at(1, 0)),
        pqt_mover_circle(INFINITY, at(0, 0), at(1, 0)),
        pqt_mover_circle(1, at(0, -INFINITY), at(1, 0)),
    };
    ck_assert(pqt_mover_is_valid(good));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ck_assert(!pqt_mover_is_valid(bad[i]));
        pqt_sweep s = swept(good, bad[i]);
        ck_assert_int_eq(s.status, PQT_SWEEP_NONE);
        expect_vec(s.stop, 0, 0);
        ck_assert_int_eq(swept(bad[i], good).status, PQT_SWEEP_NONE);
    }
}
END_TEST

START_TEST(mistakes_of_the_caller_stop_the_program)
{
    const pqt_mover good = pqt_mover_box(unit_box, at(0, 0), at(1, 0)), none = {.radius = 1};
    const pqt_sweep_options bad = {.size = 1};
    switch (_i) {
    case 0:
        (void)pqt_sweep_pair(good, none, NULL);
        break;
    case 1:
        (void)pqt_sweep_pair(none, good, NULL);
        break;
    case 2:
        (void)pqt_sweep_pair(good, good, &bad);
        break;
    default:
        (void)pqt_mover_is_valid(none);
        break;
    }
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("sweep");
    TCase *boxes = add_tests(suite, "boxes");
    tcase_add_test(boxes, a_box_stops_next_to_the_item_that_it_hits);
    tcase_add_test(boxes, ending_in_contact_is_not_a_hit);
    tcase_add_test(boxes, starting_in_overlap_has_its_own_status);
    tcase_add_test(boxes, a_free_position_near_the_largest_doubles_is_free);
    tcase_add_test(boxes, an_option_ignores_the_overlap_at_the_start);
    tcase_add_test(boxes, a_mover_that_does_not_leave_an_ignored_overlap_overlaps);
    tcase_add_test(boxes, starting_in_contact_and_moving_away_or_along_is_not_a_hit);
    tcase_add_test(boxes, starting_in_contact_and_moving_in_hits_at_once);
    tcase_add_test(boxes, the_smallest_step_hits);
    tcase_add_test(boxes, grazing_a_corner_is_not_a_hit);
    tcase_add_test(boxes, a_corner_that_hits_a_corner_blocks_both_axes);
    tcase_add_test(boxes, two_movers_hit_each_other_by_their_relative_motion);
    tcase_add_test(boxes, a_stop_at_a_barely_hit_box_is_stable);
    tcase_add_test(boxes, boxes_that_meet_by_rounding_have_the_normal_of_a_side);
    tcase_add_test(boxes, points_and_lines_are_hit_by_the_inside_of_a_mover);
    TCase *circles = add_tests(suite, "circles");
    tcase_add_test(circles, a_circle_hits_a_circle);
    tcase_add_test(circles, circles_that_touch_block_each_other_only_inward);
    tcase_add_test(circles, a_circle_hits_the_side_of_a_box_and_its_corner);
    tcase_add_test(circles, a_circle_is_stopped_by_the_very_end_of_a_side);
    tcase_add_test(circles,
                   a_corner_that_is_hit_at_the_time_of_its_side_has_the_normal_of_the_side);
    tcase_add_test(circles, movers_that_meet_one_above_the_other_have_an_upright_normal);
    tcase_add_test(circles, the_time_of_a_hit_is_when_the_stop_is_reached);
    tcase_add_test(circles, an_overlapping_circle_gets_its_free_position);
    TCase *bad = add_tests(suite, "bad");
    tcase_add_test(bad, an_invalid_mover_is_not_swept);
    tcase_add_misuse_tests(bad, mistakes_of_the_caller_stop_the_program, 4);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
