/* SPDX-License-Identifier: MIT */
/* test_region_sweep.c: tests sweeps among pixels, row by row of the table in region_sweep.h. */
#include "config.h"

#include <float.h>

#include <pqt/region_sweep.h>

#include "hooks.h"
#include "misuse.h"
#include "random.h"
#include "region_overlap_support.h"
#include "region_pixel_lists.h"
#include "suite.h"

#define STEP (1.0 / PQT_SUBPIXELS)

/* Sweeps a pixel past a region at rest. */
static pqt_region_sweep
sweep_pixel(const pqt_region *other, double x, double y, double to_x, double to_y)
{
    const pqt_region_mover pixel = {box_of(0, 0, 1, 1), {x, y}, {to_x, to_y}};
    return pqt_region_sweep_region(pixel, resting(other), NULL);
}

static void
expect(const pqt_region_sweep *s, pqt_sweep_status status, double time, double x, double y,
       unsigned blocked)
{
    ck_assert_int_eq(s->status, status);
    ck_assert(s->time == time);
    ck_assert(s->stop.x == x && s->stop.y == y);
    ck_assert_uint_eq(s->blocked, blocked);
}

/* ---- The table ---- */

START_TEST(touching_and_moving_away_or_along_is_not_a_hit)
{
    const pqt_region *wall = box_of(0, 0, 10, 10);
    pqt_region_sweep s = sweep_pixel(wall, 10, 5, 20, 5);
    expect(&s, PQT_SWEEP_FREE, 1, 20, 5, 0);
    s = sweep_pixel(wall, 10, 5, 10, -20);
    expect(&s, PQT_SWEEP_FREE, 1, 10, -20, 0);
    s = sweep_pixel(wall, 10, 5, 10, 4);
    expect(&s, PQT_SWEEP_TOUCHES, 1, 10, 4, 0);
}
END_TEST

START_TEST(touching_and_moving_in_is_a_hit_at_0_that_names_the_axes)
{
    const pqt_pixel_box corner[] = {{{0, 0}, {10, 10}}, {{0, 0}, {1, 20}}};
    const pqt_region *wall = boxes_of(corner, 2);
    pqt_region_sweep s = sweep_pixel(wall, 10, 5, 9, 5);
    expect(&s, PQT_SWEEP_HITS, 0, 10, 5, PQT_BLOCKED_X);
    ck_assert(s.normal.x == 1 && s.normal.y == 0);
    ck_assert(s.met.a.x == 0 && s.met.b.x == 9 && s.met.b.y == 5);
    s = sweep_pixel(wall, 5, 10, 6, 8);
    expect(&s, PQT_SWEEP_HITS, 0, 5, 10, PQT_BLOCKED_Y);
    ck_assert(s.normal.x == 0 && s.normal.y == 1);
    s = sweep_pixel(wall, 1, 10, 0, 9);
    expect(&s, PQT_SWEEP_HITS, 0, 1, 10, PQT_BLOCKED_X | PQT_BLOCKED_Y);
    ck_assert(s.normal.x == s.normal.y && s.normal.x > 0.7071 && s.normal.x < 0.7072);
    s = sweep_pixel(wall, 10, 10, 9, 9);
    expect(&s, PQT_SWEEP_HITS, 0, 10, 10, PQT_BLOCKED_X | PQT_BLOCKED_Y | PQT_BLOCKED_CORNER);
}
END_TEST

START_TEST(ending_in_contact_is_reported_but_not_a_hit)
{
    const pqt_region *wall = box_of(0, 0, 10, 10);
    pqt_region_sweep s = sweep_pixel(wall, 20, 5, 10, 5);
    expect(&s, PQT_SWEEP_TOUCHES, 1, 10, 5, PQT_BLOCKED_X);
    ck_assert_int_eq(s.exact_time.num, 1);
    ck_assert_int_eq(s.exact_time.den, 1);
    s = sweep_pixel(wall, 20, 5, 10 + STEP, 5);
    expect(&s, PQT_SWEEP_FREE, 1, 10 + STEP, 5, 0);
    s = sweep_pixel(wall, 20, 20, 10, 10);
    expect(&s, PQT_SWEEP_TOUCHES, 1, 10, 10, PQT_BLOCKED_X | PQT_BLOCKED_Y | PQT_BLOCKED_CORNER);
    s = sweep_pixel(wall, 10, 20, 10, 10);
    expect(&s, PQT_SWEEP_TOUCHES, 1, 10, 10, 0);
}
END_TEST

START_TEST(starting_in_an_overlap_has_its_own_status)
{
    const pqt_region *wall = box_of(0, 0, 10, 10);
    pqt_region_sweep s = sweep_pixel(wall, 9, 5, 13, 5);
    expect(&s, PQT_SWEEP_OVERLAPS, 0, 9, 5, 0);
    ck_assert(s.exit == 0.25 && s.exact_exit.num == 1 && s.exact_exit.den == 4);
    ck_assert(s.push_out.x == 1 && s.push_out.y == 0);
    s = sweep_pixel(wall, 5, 8.5, 5, 8);
    ck_assert_int_eq(s.status, PQT_SWEEP_OVERLAPS);
    ck_assert(s.exit == 19 && s.push_out.x == 0 && s.push_out.y == 1.5);
    s = sweep_pixel(wall, 5, 5, 5, 5);
    ck_assert_int_eq(s.status, PQT_SWEEP_OVERLAPS);
    ck_assert(s.exit == INFINITY && s.exact_exit.den == 0);
    ck_assert(s.push_out.x == 5 && s.push_out.y == 0);
    s = sweep_pixel(wall, 10, 5, 10, 5);
    expect(&s, PQT_SWEEP_TOUCHES, 1, 10, 5, 0);
    s = sweep_pixel(wall, 11, 5, 11, 5);
    expect(&s, PQT_SWEEP_FREE, 1, 11, 5, 0);
}
END_TEST

START_TEST(the_smallest_push_prefers_left_right_up_down)
{
    const pqt_region *wall = box_of(0, 0, 3, 3);
    pqt_region_sweep s = sweep_pixel(wall, 1, 1, 1, 1);
    ck_assert(s.push_out.x == -2 && s.push_out.y == 0);
    s = sweep_pixel(wall, 1 + STEP, 1, 2, 2);
    ck_assert(s.push_out.x == 2 - STEP && s.push_out.y == 0);
    s = sweep_pixel(wall, 1, 1 - STEP, 2, 2);
    ck_assert(s.push_out.x == 0 && s.push_out.y == STEP - 2);
}
END_TEST

START_TEST(an_option_lets_an_overlapping_mover_leave)
{
    const pqt_pixel_box two[] = {{{0, 0}, {10, 10}}, {{15, 0}, {16, 10}}};
    const pqt_region *walls = boxes_of(two, 2);
    pqt_region_sweep_options options = PQT_REGION_SWEEP_DEFAULTS;
    options.ignore_overlap = true;
    pqt_region_mover pixel = {box_of(0, 0, 1, 1), {8, 5}, {24, 5}};
    pqt_region_sweep s = pqt_region_sweep_region(pixel, resting(walls), &options);
    expect(&s, PQT_SWEEP_HITS, 6.0 / 16, 14, 5, PQT_BLOCKED_X);
    ck_assert(s.exit == 2.0 / 16 && s.push_out.x == 2);
    pixel.to.x = 9;
    s = pqt_region_sweep_region(pixel, resting(walls), &options);
    expect(&s, PQT_SWEEP_OVERLAPS, 1, 9, 5, 0);
    ck_assert(s.exit == 2 && s.exact_time.num == 1 && s.exact_time.den == 1 && s.push_out.x == 2);
    pixel.to.x = 8;
    s = pqt_region_sweep_region(pixel, resting(walls), &options);
    expect(&s, PQT_SWEEP_OVERLAPS, 1, 8, 5, 0);
    ck_assert(s.exit == INFINITY && s.normal.x == 0 && s.normal.y == 0);
    pixel.to.x = 10;
    s = pqt_region_sweep_region(pixel, resting(walls), &options);
    expect(&s, PQT_SWEEP_TOUCHES, 1, 10, 5, 0);
    ck_assert(s.exit == 1);
}
END_TEST

START_TEST(ways_out_that_are_skipped_are_zero)
{
    const pqt_region_mover pixel = {box_of(0, 0, 1, 1), {8, 5}, {24, 5}};
    const pqt_mover disc = pqt_mover_circle(0.5, (pqt_vec){8.5, 5.5}, (pqt_vec){24, 5.5});
    const pqt_region_mover wall = resting(box_of(0, 0, 10, 10));
    for (int i = 0; i < 8; i++) {
        pqt_region_sweep_options options = PQT_REGION_SWEEP_DEFAULTS;
        options.skip_exit = (i & 1) != 0;
        options.skip_push_out = (i & 2) != 0;
        options.ignore_overlap = (i & 4) != 0;
        const bool has_exit = !options.skip_exit || options.ignore_overlap;
        pqt_region_sweep s = pqt_region_sweep_region(pixel, wall, &options);
        ck_assert(s.exit == (has_exit ? 2.0 / 16 : 0) && s.exact_exit.num == has_exit);
        ck_assert(s.push_out.x == (options.skip_push_out ? 0 : 2));
        ck_assert_int_eq(s.status, options.ignore_overlap ? PQT_SWEEP_FREE : PQT_SWEEP_OVERLAPS);
        s = pqt_region_sweep_mover(disc, wall, &options);
        ck_assert(has_exit ? s.exit > 0 : s.exit == 0);
        ck_assert(options.skip_push_out ? s.push_out.x == 0 : s.push_out.x == 2);
        ck_assert_int_eq(s.status, options.ignore_overlap ? PQT_SWEEP_FREE : PQT_SWEEP_OVERLAPS);
    }
}
END_TEST

START_TEST(a_mover_that_leaves_an_overlap_at_the_end_reports_the_next_contact)
{
    const pqt_pixel_box ends[] = {{{0, 0}, {1, 1}}, {{2, 0}, {3, 1}}};
    const pqt_region_mover pixel = {box_of(0, 0, 1, 1), {0.5, 0}, {1, 0}};
    pqt_region_sweep_options options = PQT_REGION_SWEEP_DEFAULTS;
    options.ignore_overlap = true;
    const pqt_region_sweep s = pqt_region_sweep_region(pixel, resting(boxes_of(ends, 2)), &options);
    expect(&s, PQT_SWEEP_TOUCHES, 1, 1, 0, PQT_BLOCKED_X);
    ck_assert(s.exit == 1 && s.met.b.x == 2 && s.normal.x == -1);
}
END_TEST

START_TEST(the_status_says_if_a_box_left_the_overlap)
{
    const pqt_region *wall = box_of(0, 0, 10, 10);
    pqt_region_sweep_options options = PQT_REGION_SWEEP_DEFAULTS;
    options.ignore_overlap = true;
    pqt_mover mover = pqt_mover_box(pqt_box_make(0, 0, 0.5, 0.5), (pqt_vec){9, 5}, (pqt_vec){0, 0});
    mover.to = (pqt_vec){10 - STEP, 5};
    pqt_region_sweep s = pqt_region_sweep_mover(mover, resting(wall), &options);
    expect(&s, PQT_SWEEP_OVERLAPS, 1, 10 - STEP, 5, 0);
    mover.to.x = 10;
    s = pqt_region_sweep_mover(mover, resting(wall), &options);
    expect(&s, PQT_SWEEP_TOUCHES, 1, 10, 5, 0);
    mover.to.x = 10 + STEP;
    s = pqt_region_sweep_mover(mover, resting(wall), &options);
    expect(&s, PQT_SWEEP_FREE, 1, 10 + STEP, 5, 0);
}
END_TEST

START_TEST(a_slide_that_ends_in_an_ignored_overlap_says_so)
{
    const pqt_region *wall = box_of(0, 0, 10, 10);
    pqt_region_sweep_options options = PQT_REGION_SWEEP_DEFAULTS;
    options.ignore_overlap = true;
    pqt_region_mover pixel = {box_of(0, 0, 1, 1), {8, 5}, {9, 6}};
    pqt_region_slide s = pqt_region_slide_region(pixel, wall, (pqt_vec){0, 0}, 2, &options);
    ck_assert_int_eq(s.status, PQT_SWEEP_OVERLAPS);
    ck_assert(s.stop.x == 9 && s.stop.y == 6 && s.bounces == 0 && s.last.time == 1);
    s = pqt_region_slide_region(pixel, wall, (pqt_vec){0, 0}, 2, NULL);
    ck_assert_int_eq(s.status, PQT_SWEEP_OVERLAPS);
    ck_assert(s.stop.x == 8 && s.stop.y == 5 && s.bounces == 0 && s.last.time == 0);
}
END_TEST

/* The pixel meets two others at the same time. It meets one at a side, on x. It meets the other at
   a corner, which it would miss if it moved along x only. */
START_TEST(the_reported_pair_is_that_of_the_blocked_axes_alone)
{
    const pqt_pixel_box two[] = {{{4, -1}, {5, 0}}, {{4, 0}, {5, 1}}};
    const pqt_region_sweep s = sweep_pixel(boxes_of(two, 2), 1, 2, 5, -2);
    expect(&s, PQT_SWEEP_HITS, 0.5, 3, 0, PQT_BLOCKED_X);
    ck_assert(s.met.b.x == 4 && s.met.b.y == 0);
    /* A little farther along both axes it would also overlap the upper one, which precedes the
       other one. */
    pqt_pixel_pair pair;
    ck_assert(pqt_region_first_overlap(boxes_of(two, 2), box_of(0, 0, 1, 1),
                                       (pqt_vec){3 + STEP, -STEP}, PQT_FROM_TOP, &pair));
    ck_assert(pair.a.x == 4 && pair.a.y == -1);
}
END_TEST

/* Two pairs meet at the same time. In the order of the mover's pixels, the pair on the right comes
   first; in the order of the wall's pixels, the pair on the left. */
START_TEST(the_reported_pair_is_the_first_overlap_of_the_mover_with_the_other)
{
    const pqt_pixel_box parts[] = {{{10, 0}, {11, 1}}, {{0, 1}, {1, 2}}},
                        walls[] = {{{20, 1}, {21, 2}}, {{10, 1}, {11, 2}}};
    const pqt_region *mover = boxes_of(parts, 2), *wall = boxes_of(walls, 2);
    const pqt_region_sweep s =
        pqt_region_sweep_region((pqt_region_mover){mover, {5, 0.5}, {13, 0.5}},
                                (pqt_region_mover){wall, {0, 0}, {0, 0}}, NULL);
    expect(&s, PQT_SWEEP_HITS, 0.5, 9, 0.5, PQT_BLOCKED_X);
    ck_assert(s.met.a.x == 10 && s.met.a.y == 0 && s.met.b.x == 20 && s.met.b.y == 1);
    /* The offset is the position of the second operand relative to the first. */
    pqt_pixel_pair first;
    ck_assert(
        pqt_region_first_overlap(mover, wall, (pqt_vec){-9 - STEP, -0.5}, PQT_FROM_TOP, &first));
    ck_assert(first.a.x == 10 && first.a.y == 0 && first.b.x == 20 && first.b.y == 1);
}
END_TEST

START_TEST(motions_of_less_than_a_step_round_to_none_or_to_a_hit)
{
    const pqt_region *wall = box_of(0, 0, 10, 10);
    pqt_region_sweep s = sweep_pixel(wall, 10, 5, 10 - 1e-7, 5);
    expect(&s, PQT_SWEEP_TOUCHES, 1, 10, 5, 0);
    s = sweep_pixel(wall, 10, 5, 10 - 0.001, 5);
    expect(&s, PQT_SWEEP_HITS, 0, 10, 5, PQT_BLOCKED_X);
    s = sweep_pixel(wall, 10 + 1e-7, 5, 10 - 1e-7, 5);
    expect(&s, PQT_SWEEP_TOUCHES, 1, 10, 5, 0);
}
END_TEST

START_TEST(grazing_a_corner_is_not_a_hit)
{
    const pqt_region *wall = box_of(0, 0, 10, 10);
    pqt_region_sweep s = sweep_pixel(wall, 5, 15, 15, 5);
    expect(&s, PQT_SWEEP_FREE, 1, 15, 5, 0);
    s = sweep_pixel(wall, 5 - STEP, 15, 15 - STEP, 5);
    ck_assert_int_eq(s.status, PQT_SWEEP_HITS);
}
END_TEST

START_TEST(a_mover_pushed_into_a_floor_slides_along_it)
{
    const pqt_region *floor = box_of(-500, 0, 1000, 10);
    const pqt_region_mover pixel = {box_of(0, 0, 1, 1), {0, -1}, {100, -0.999}};
    const pqt_region_slide s = pqt_region_slide_region(pixel, floor, (pqt_vec){0, 0}, 2, NULL);
    ck_assert_int_eq(s.status, PQT_SWEEP_TOUCHES);
    ck_assert(s.stop.x == 100 && s.stop.y == -1);
    ck_assert_uint_eq(s.blocked, PQT_BLOCKED_Y);
    ck_assert_int_eq(s.bounces, 1);
    ck_assert(s.last.normal.x == 0 && s.last.normal.y == -1);
}
END_TEST

/* ---- Further cases ---- */

START_TEST(a_motion_of_any_length_stops_exactly_at_the_wall)
{
    const pqt_region *wall = box_of(100, -1000, 1, 2000);
    const pqt_region_sweep s = sweep_pixel(wall, 0, 0, 300000, 1000);
    ck_assert_int_eq(s.status, PQT_SWEEP_HITS);
    ck_assert(s.stop.x == 99);
    ck_assert_int_eq(s.exact_time.num, 33);
    ck_assert_int_eq(s.exact_time.den, 100000);
    ck_assert(s.stop.y == floor(0.33 * PQT_SUBPIXELS) / PQT_SUBPIXELS);
}
END_TEST

START_TEST(a_mover_passes_a_gap_of_exactly_its_width)
{
    const pqt_pixel_box two[] = {{{0, 0}, {10, 10}}, {{11, 0}, {20, 10}}};
    const pqt_region *walls = boxes_of(two, 2);
    pqt_region_sweep s = sweep_pixel(walls, 10, -5, 10, 20);
    expect(&s, PQT_SWEEP_FREE, 1, 10, 20, 0);
    s = sweep_pixel(walls, 10 + STEP, -5, 10 + STEP, 20);
    expect(&s, PQT_SWEEP_HITS, 4.0 / 25, 10 + STEP, -1, PQT_BLOCKED_Y);
}
END_TEST

START_TEST(only_the_relative_motion_of_two_movers_counts)
{
    const pqt_region *pixel = box_of(0, 0, 1, 1);
    const pqt_region_mover left = {pixel, {0, 0}, {10, 3}}, right = {pixel, {11, 0}, {1, 3}};
    const pqt_region_sweep s = pqt_region_sweep_region(left, right, NULL);
    ck_assert_int_eq(s.status, PQT_SWEEP_HITS);
    ck_assert(s.time == 0.5);
    ck_assert(s.stop.x == 5 && s.stop.y == 1.5);
    ck_assert(s.stop_other.x == 6 && s.stop_other.y == 1.5);
    const pqt_region_mover along = {pixel, {0, 0}, {100, 3}}, same = {pixel, {1, 0}, {101, 3}};
    const pqt_region_sweep t = pqt_region_sweep_region(along, same, NULL);
    expect(&t, PQT_SWEEP_TOUCHES, 1, 100, 3, 0);
    ck_assert(t.stop_other.x == 101 && t.stop_other.y == 3);
}
END_TEST

START_TEST(a_resting_region_stays_in_place)
{
    const pqt_region *pixel = box_of(0, 0, 1, 1);
    const pqt_region_mover moves = {pixel, {10, 0.3}, {-10, 0.7}};
    const pqt_region_sweep s = pqt_region_sweep_region(resting(pixel), moves, NULL);
    ck_assert_int_eq(s.status, PQT_SWEEP_HITS);
    ck_assert(s.stop.x == 0 && s.stop.y == 0);
    ck_assert(s.stop_other.x == 1);
    ck_assert(s.normal.x == -1 && s.normal.y == 0);
}
END_TEST

START_TEST(a_box_sweeps_as_pixels_of_any_size_do)
{
    const pqt_region *wall = box_of(0, 0, 10, 10);
    pqt_mover mover =
        pqt_mover_box(pqt_box_make(0, 0, 2.5, 0.25), (pqt_vec){5, -3}, (pqt_vec){5, 5});
    pqt_region_sweep s = pqt_region_sweep_mover(mover, resting(wall), NULL);
    expect(&s, PQT_SWEEP_HITS, 2.75 / 8, 5, -0.25, PQT_BLOCKED_Y);
    ck_assert(s.met.b.x == 5 && s.met.b.y == 0);
    mover.to = (pqt_vec){5, -0.25};
    s = pqt_region_sweep_mover(mover, resting(wall), NULL);
    expect(&s, PQT_SWEEP_TOUCHES, 1, 5, -0.25, PQT_BLOCKED_Y);
    mover.from = (pqt_vec){8, 9};
    s = pqt_region_sweep_mover(mover, resting(wall), NULL);
    ck_assert_int_eq(s.status, PQT_SWEEP_OVERLAPS);
    ck_assert(s.push_out.x == 0 && s.push_out.y == 1);
}
END_TEST

START_TEST(coarse_cells_stop_sooner_or_later)
{
    const pqt_region *dot = box_of(17, 1, 1, 1), *pixel = box_of(0, 0, 1, 1);
    const pqt_region_mover mover = {pixel, {0, 0}, {100, 0}};
    pqt_region_sweep_options options = PQT_REGION_SWEEP_DEFAULTS;
    options.cells.side_b = 16;
    pqt_region_sweep s = pqt_region_sweep_region(mover, resting(dot), &options);
    expect(&s, PQT_SWEEP_HITS, 0.15, 15, 0, PQT_BLOCKED_X);
    ck_assert(s.met.b.x == 16 && s.met.b.y == 0);
    options.cells.kind = PQT_COARSE_INNER;
    s = pqt_region_sweep_region(mover, resting(dot), &options);
    expect(&s, PQT_SWEEP_FREE, 1, 100, 0, 0);
}
END_TEST

/* ---- Invalid arguments ---- */

START_TEST(invalid_or_distant_positions_are_not_swept)
{
    const pqt_region *pixel = box_of(0, 0, 1, 1);
    const double bad[] = {NAN, INFINITY, -INFINITY, 1e300, -PQT_PIXEL_LIMIT - 1.0};
    for (size_t i = 0; i < 5; i++) {
        const pqt_region_mover from = {pixel, {bad[i], 0}, {0, 0}},
                               to = {pixel, {0, 0}, {0, bad[i]}};
        const pqt_region_sweep a = pqt_region_sweep_region(from, resting(pixel), NULL);
        const pqt_region_sweep b = pqt_region_sweep_region(resting(pixel), to, NULL);
        const pqt_region_sweep c = pqt_region_sweep_mover(
            pqt_mover_box(pqt_box_make(0, 0, 1, 1), (pqt_vec){0, bad[i]}, (pqt_vec){0, 0}),
            resting(pixel), NULL);
        const pqt_region_sweep d = pqt_region_sweep_mover(
            pqt_mover_box(pqt_box_make(bad[i], 0, 1, 1), (pqt_vec){0, 0}, (pqt_vec){0, 0}),
            resting(pixel), NULL);
        ck_assert_int_eq(a.status, PQT_SWEEP_NONE);
        ck_assert_int_eq(b.status, PQT_SWEEP_NONE);
        ck_assert_int_eq(c.status, PQT_SWEEP_NONE);
        ck_assert_int_eq(d.status, PQT_SWEEP_NONE);
    }
    const double far = 0.75 * PQT_PIXEL_LIMIT;
    const pqt_region_mover apart = {pixel, {far, 0}, {far, 0}},
                           other = {pixel, {-far, 0}, {far, 0}};
    ck_assert_int_eq(pqt_region_sweep_region(apart, other, NULL).status, PQT_SWEEP_NONE);
    const pqt_region_mover long_way = {pixel, {far, 0}, {-far, 0}};
    ck_assert_int_eq(pqt_region_sweep_region(long_way, resting(pixel), NULL).status,
                     PQT_SWEEP_NONE);
}
END_TEST

START_TEST(an_invalid_sweep_leaves_both_in_place)
{
    const pqt_region *pixel = box_of(0, 0, 1, 1);
    const pqt_vec from = {7, -3}, to = {NAN, 0};
    const pqt_region_mover lost = {pixel, from, to};
    const pqt_region_sweep a = pqt_region_sweep_region(lost, resting(pixel), NULL);
    ck_assert(a.stop.x == 7 && a.stop.y == -3 && a.stop_other.x == 0);
    const pqt_mover box = pqt_mover_box(pqt_box_make(0, 0, 1, 1), from, from);
    const pqt_region_sweep b = pqt_region_sweep_mover(box, lost, NULL);
    ck_assert(b.stop.x == 7 && b.stop.y == -3 && b.stop_other.x == 7);
    const pqt_region_slide c = pqt_region_slide_region(lost, pixel, (pqt_vec){0, 0}, 2, NULL);
    ck_assert(c.status == PQT_SWEEP_NONE && c.stop.x == 7 && c.stop.y == -3);
}
END_TEST

START_TEST(movers_other_than_boxes_are_not_swept)
{
    const pqt_region *pixel = box_of(0, 0, 1, 1);
    const pqt_vec at = {5, 5};
    const pqt_mover movers[] = {pqt_mover_box(pqt_box_make(1, 0, 0, 1), at, at),
                                pqt_mover_box(pqt_box_make(0, 0, 0, 1), at, at),
                                pqt_mover_box(pqt_box_make(0, 0, 1, 1e-5), at, at)};
    for (size_t i = 0; i < 3; i++)
        ck_assert_int_eq(pqt_region_sweep_mover(movers[i], resting(pixel), NULL).status,
                         PQT_SWEEP_NONE);
}
END_TEST

START_TEST(nothing_is_hit_without_pixels)
{
    const pqt_region *none = boxes_of(NULL, 0);
    pqt_region_sweep s = sweep_pixel(none, 0, 0, 10, 10);
    expect(&s, PQT_SWEEP_FREE, 1, 10, 10, 0);
    s = pqt_region_sweep_region((pqt_region_mover){none, {0, 0}, {5, 5}},
                                resting(box_of(0, 0, 9, 9)), NULL);
    expect(&s, PQT_SWEEP_FREE, 1, 5, 5, 0);
}
END_TEST

START_TEST(the_farthest_numbers_do_not_overflow)
{
    const int32_t most = PQT_PIXEL_LIMIT;
    const pqt_pixel_box corners[] = {{{-most, -most}, {1 - most, 1 - most}},
                                     {{most - 1, most - 1}, {most, most}}};
    const pqt_region *far = boxes_of(corners, 2), *all = box_of(-most, -most, 2 * most, 2 * most);
    for (int i = 0; i < 4; i++) {
        const double x = i & 1 ? most : -most, y = i & 2 ? most : -most;
        const pqt_region_mover way = {far, {x, y}, {0, 0}}, still = {all, {x, y}, {x, y}};
        const pqt_region_sweep s = pqt_region_sweep_region(way, resting(all), NULL);
        ck_assert_int_eq(s.status, i == 0 || i == 3 ? PQT_SWEEP_OVERLAPS : PQT_SWEEP_HITS);
        const pqt_region_sweep t = pqt_region_sweep_region(still, resting(all), NULL);
        ck_assert(t.push_out.x == (i & 1 ? most : -most) && t.push_out.y == 0);
        const pqt_region_sweep u = pqt_region_sweep_region(way, resting(far), NULL);
        ck_assert_int_ne(u.status, PQT_SWEEP_NONE);
    }
}
END_TEST

/* ---- Infinite motions ---- */

START_TEST(creeping_neither_sticks_nor_drifts)
{
    const pqt_region *wall = box_of(50, -10, 10, 20), *pixel = box_of(0, 0, 1, 1);
    pqt_vec at = {0, 0.5};
    const size_t count = test_scaled(100000);
    for (size_t i = 1; i <= count; i++) {
        const pqt_vec to = {(double)i * STEP, 0.5};
        const pqt_region_sweep s =
            pqt_region_sweep_region((pqt_region_mover){pixel, at, to}, resting(wall), NULL);
        const double expected = to.x < 49 ? to.x : 49;
        require(s.stop.x == expected && s.stop.y == 0.5, i, "it sticks or drifts");
        require(s.status == (to.x < 49    ? PQT_SWEEP_FREE
                             : to.x == 49 ? PQT_SWEEP_TOUCHES
                                          : PQT_SWEEP_HITS),
                i, "its status");
        at = s.stop;
    }
}
END_TEST

/* The floor is flat and consists of many boxes. A region of several pixels slides on it in both
   directions while it is pushed down. */
START_TEST(sliding_on_flat_floors_causes_no_ghost_collisions)
{
    dice d = {test_seed("sliding")};
    pqt_error error = {0};
    const pqt_region *floor = box_of(-300, 40, 600, 3);
    for (int32_t x = -300; x < 300; x += 7)
        floor = pqt_region_paint(
            floor, pqt_paint_box(PQT_PAINT_SET, (pqt_pixel_box){{x, 43}, {x + 5, 50 + x % 3}}),
            &error);
    const pqt_region *walker = box_of(-4, -9, 9, 9);
    ck_assert_msg(floor != NULL, "%s", error.text);
    pqt_vec at = {0.25, 40};
    for (size_t i = 0; i < test_scaled(100000); i++) {
        const double dx = (dice_real(&d) - 0.5) * 6, dy = dice_real(&d) * 2;
        pqt_vec to = {at.x + dx, at.y + dy};
        to.x = to.x < -250 ? -250 : to.x > 250 ? 250 : to.x;
        const pqt_region_slide s = pqt_region_slide_region((pqt_region_mover){walker, at, to},
                                                           floor, (pqt_vec){0, 0}, 2, NULL);
        require(s.status == PQT_SWEEP_TOUCHES, i, "it is on the floor");
        require((s.blocked & PQT_BLOCKED_X) == 0, i, "a ghost");
        require(s.stop.y == 40 && fabs(s.stop.x - to.x) <= STEP / 2, i, "it is stuck");
        require(!pqt_region_overlaps(floor, walker, s.stop), i, "it overlaps");
        at = s.stop;
    }
}
END_TEST

START_TEST(a_slide_through_noise_never_overlaps_at_a_stop)
{
    dice d = {test_seed("a_walk_in_noise")};
    pqt_error error = {0};
    const pqt_region *noise = pqt_region_make(arena, &error);
    for (int i = 0; i < 3000; i++)
        noise = pqt_region_paint(
            noise,
            pqt_paint_pixel(PQT_PAINT_SET, (pqt_pixel){(int32_t)dice_below(&d, 200) - 100,
                                                       (int32_t)dice_below(&d, 200) - 100}),
            &error);
    noise = pqt_region_paint(
        noise, pqt_paint_box(PQT_PAINT_CLEAR, (pqt_pixel_box){{-5, -5}, {5, 5}}), &error);
    ck_assert_msg(noise != NULL, "%s", error.text);
    const pqt_region *walker = box_of(0, 0, 2, 2);
    pqt_vec at = {0, 0};
    size_t moved = 0;
    for (size_t i = 0; i < test_scaled(20000); i++) {
        const pqt_vec to = {at.x + (dice_real(&d) - 0.5) * 20, at.y + (dice_real(&d) - 0.5) * 20};
        const pqt_region_slide s = pqt_region_slide_region((pqt_region_mover){walker, at, to},
                                                           noise, (pqt_vec){0, 0}, 2, NULL);
        require(!pqt_region_overlaps(noise, walker, s.stop), i, "it overlaps");
        const pqt_region_sweep again = pqt_region_sweep_region(
            (pqt_region_mover){walker, s.stop, s.stop}, resting(noise), NULL);
        require(again.status == PQT_SWEEP_FREE || again.status == PQT_SWEEP_TOUCHES, i,
                "the next sweep starts in it");
        moved += s.stop.x != at.x || s.stop.y != at.y;
        at = fabs(s.stop.x) < 90 && fabs(s.stop.y) < 90 ? s.stop : (pqt_vec){0, 0};
    }
    ck_assert_uint_gt(moved, 0);
}
END_TEST

/* ---- Costs ---- */

START_TEST(a_sweep_visits_little_more_than_the_path_to_the_hit)
{
    pqt_error error = {0};
    const pqt_region *disc = pqt_region_make(arena, &error);
    disc = pqt_region_paint(disc, pqt_paint_disc(PQT_PAINT_SET, (pqt_vec){0, 0}, 2000), &error);
    ck_assert_msg(disc != NULL, "%s", error.text);
    pqt_query_stats stats = {0};
    pqt_region_sweep_options options = PQT_REGION_SWEEP_DEFAULTS;
    options.stats = &stats;
    const pqt_region_mover mover = {disc, {-10000, -300}, {10000, 300}};
    const pqt_region_sweep s = pqt_region_sweep_region(mover, resting(disc), &options);
    ck_assert_int_eq(s.status, PQT_SWEEP_HITS);
    /* Fewer pairs of squares are visited than a disc has rows. The path is five times that long. */
    ck_assert_uint_lt(stats.nodes, 4000);
    ck_assert_uint_gt(stats.nodes, 0);
    ck_assert_uint_gt(stats.boxes, 0);
}
END_TEST

START_TEST(sweeping_allocates_nothing)
{
    const pqt_region *wall = box_of(-70, 0, 140, 10), *pixel = box_of(0, 0, 1, 1);
    const pqt_region_mover mover = {pixel, {0, -20}, {30, 30}};
    hooks watch = {.fail_at = 0};
    hooks_start(&watch);
    const pqt_region_sweep s = pqt_region_sweep_region(mover, resting(wall), NULL);
    const pqt_region_slide t = pqt_region_slide_region(mover, wall, (pqt_vec){0, 0}, 3, NULL);
    hooks_stop();
    ck_assert_int_eq(s.status, PQT_SWEEP_HITS);
    ck_assert_int_eq(t.status, PQT_SWEEP_TOUCHES);
    ck_assert_uint_eq(watch.calls, 0);
}
END_TEST

/* ---- Slides ---- */

START_TEST(a_slide_gives_up_no_more_axes_than_the_options_allow)
{
    const pqt_region *wall = box_of(0, 0, 10, 10);
    const pqt_region_mover into = {box_of(0, 0, 1, 1), {20, 5}, {0, 7}};
    pqt_region_slide s = pqt_region_slide_region(into, wall, (pqt_vec){0, 0}, 0, NULL);
    ck_assert_int_eq(s.status, PQT_SWEEP_HITS);
    ck_assert(s.stop.x == 10 && s.stop.y == 6 && s.bounces == 0);
    s = pqt_region_slide_region(into, wall, (pqt_vec){0, 0}, 1, NULL);
    ck_assert_int_eq(s.status, PQT_SWEEP_TOUCHES);
    ck_assert(s.stop.x == 10 && s.stop.y == 7 && s.bounces == 1);
}
END_TEST

START_TEST(a_slide_takes_the_longer_direction_at_a_corner)
{
    const pqt_region *wall = box_of(0, 0, 10, 10);
    const pqt_region_mover even = {box_of(0, 0, 1, 1), {10, 10}, {5, 5}},
                           steep = {even.region, {10, 10}, {6, 5}};
    pqt_region_slide s = pqt_region_slide_region(even, wall, (pqt_vec){0, 0}, 2, NULL);
    ck_assert(s.stop.x == 5 && s.stop.y == 10);
    s = pqt_region_slide_region(steep, wall, (pqt_vec){0, 0}, 2, NULL);
    ck_assert(s.stop.x == 10 && s.stop.y == 5);
}
END_TEST

/* Rounding moves the start by more than the length of the motion. */
START_TEST(a_slide_across_less_than_a_step_ends_on_the_floor)
{
    const pqt_region *floor = box_of(-10, 40, 20, 3), *pixel = box_of(0, -1, 1, 1);
    const pqt_region_mover mover = {pixel, {0.0006, 40}, {0.0007, 41}};
    const pqt_region_slide s = pqt_region_slide_region(mover, floor, (pqt_vec){0, 0}, 2, NULL);
    ck_assert_int_eq(s.status, PQT_SWEEP_TOUCHES);
    ck_assert(s.stop.x == STEP && s.stop.y == 40 && s.bounces == 1);
}
END_TEST

START_TEST(a_slide_into_an_inner_corner_ends_there)
{
    const pqt_pixel_box boxes[] = {{{0, 0}, {100, 10}}, {{0, 0}, {10, 100}}};
    const pqt_region *room = boxes_of(boxes, 2);
    const pqt_mover mover =
        pqt_mover_box(pqt_box_make(0, 0, 1.5, 1.5), (pqt_vec){50, 30}, (pqt_vec){0, -20});
    const pqt_region_slide s = pqt_region_slide_mover(mover, room, (pqt_vec){0, 0}, 3, NULL);
    ck_assert(s.stop.x == 10 && s.stop.y == 10);
    ck_assert_uint_eq(s.blocked, PQT_BLOCKED_X | PQT_BLOCKED_Y);
    const pqt_mover in = pqt_mover_box(mover.box, (pqt_vec){5, 5}, (pqt_vec){50, 50});
    const pqt_region_slide t = pqt_region_slide_mover(in, room, (pqt_vec){0, 0}, 3, NULL);
    ck_assert_int_eq(t.status, PQT_SWEEP_OVERLAPS);
    ck_assert(t.stop.x == 5 && t.stop.y == 5 && t.last.push_out.x == -6.5 &&
              t.last.push_out.y == 0);
}
END_TEST

/* ---- Misuse ---- */

START_TEST(a_null_region_stops_the_program)
{
    pqt_region_sweep_region(resting(box_of(0, 0, 1, 1)), resting(NULL), NULL);
}
END_TEST

START_TEST(options_without_a_size_stop_the_program)
{
    const pqt_region *pixel = box_of(0, 0, 1, 1);
    const pqt_region_sweep_options options = {.size = 0};
    pqt_region_sweep_region(resting(pixel), resting(pixel), &options);
}
END_TEST

static void
add_table(TCase *tcase)
{
    tcase_add_test(tcase, touching_and_moving_away_or_along_is_not_a_hit);
    tcase_add_test(tcase, touching_and_moving_in_is_a_hit_at_0_that_names_the_axes);
    tcase_add_test(tcase, ending_in_contact_is_reported_but_not_a_hit);
    tcase_add_test(tcase, starting_in_an_overlap_has_its_own_status);
    tcase_add_test(tcase, the_smallest_push_prefers_left_right_up_down);
    tcase_add_test(tcase, an_option_lets_an_overlapping_mover_leave);
    tcase_add_test(tcase, ways_out_that_are_skipped_are_zero);
    tcase_add_test(tcase, a_mover_that_leaves_an_overlap_at_the_end_reports_the_next_contact);
    tcase_add_test(tcase, the_status_says_if_a_box_left_the_overlap);
    tcase_add_test(tcase, a_slide_that_ends_in_an_ignored_overlap_says_so);
    tcase_add_test(tcase, the_reported_pair_is_that_of_the_blocked_axes_alone);
    tcase_add_test(tcase, the_reported_pair_is_the_first_overlap_of_the_mover_with_the_other);
    tcase_add_test(tcase, motions_of_less_than_a_step_round_to_none_or_to_a_hit);
    tcase_add_test(tcase, grazing_a_corner_is_not_a_hit);
    tcase_add_test(tcase, a_mover_pushed_into_a_floor_slides_along_it);
}

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("region_sweep");
    TCase *tcase = tcase_create("region_sweep");
    tcase_add_checked_fixture(tcase, start, stop);
    add_table(tcase);
    tcase_add_test(tcase, a_motion_of_any_length_stops_exactly_at_the_wall);
    tcase_add_test(tcase, a_mover_passes_a_gap_of_exactly_its_width);
    tcase_add_test(tcase, only_the_relative_motion_of_two_movers_counts);
    tcase_add_test(tcase, a_resting_region_stays_in_place);
    tcase_add_test(tcase, a_box_sweeps_as_pixels_of_any_size_do);
    tcase_add_test(tcase, coarse_cells_stop_sooner_or_later);
    tcase_add_test(tcase, invalid_or_distant_positions_are_not_swept);
    tcase_add_test(tcase, an_invalid_sweep_leaves_both_in_place);
    tcase_add_test(tcase, movers_other_than_boxes_are_not_swept);
    tcase_add_test(tcase, nothing_is_hit_without_pixels);
    tcase_add_test(tcase, the_farthest_numbers_do_not_overflow);
    tcase_add_test(tcase, creeping_neither_sticks_nor_drifts);
    tcase_add_test(tcase, sliding_on_flat_floors_causes_no_ghost_collisions);
    tcase_add_test(tcase, a_slide_through_noise_never_overlaps_at_a_stop);
    tcase_add_test(tcase, a_sweep_visits_little_more_than_the_path_to_the_hit);
    tcase_add_test(tcase, sweeping_allocates_nothing);
    tcase_add_test(tcase, a_slide_gives_up_no_more_axes_than_the_options_allow);
    tcase_add_test(tcase, a_slide_takes_the_longer_direction_at_a_corner);
    tcase_add_test(tcase, a_slide_across_less_than_a_step_ends_on_the_floor);
    tcase_add_test(tcase, a_slide_into_an_inner_corner_ends_there);
    tcase_add_misuse_test(tcase, a_null_region_stops_the_program);
    tcase_add_misuse_test(tcase, options_without_a_size_stop_the_program);
    suite_add_tcase(suite, tcase);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
