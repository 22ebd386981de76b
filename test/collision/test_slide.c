/* SPDX-License-Identifier: MIT */
/*
 * test_slide.c: tests slides along walls, floors of many boxes, and balls, and slides in very small
 * steps.
 */
#include "config.h"

#include <pqt/circle.h>

#include "random.h"
#include "suite.h"
#include "sweep_support.h"

static const pqt_box unit = {{0, 0}, {1, 1}};

static pqt_slide
slid(const pqt_tree *tree, double x, double y, double to_x, double to_y, unsigned bounces)
{
    return pqt_tree_slide(tree, pqt_mover_box(unit, at(x, y), at(to_x, to_y)), bounces, NULL);
}

static void
expect_slide(pqt_slide s, double x, double y, unsigned bounces, unsigned blocked)
{
    ck_assert_msg(s.stop.x == x && s.stop.y == y, "stopped at %.17g, %.17g", s.stop.x, s.stop.y);
    ck_assert_uint_eq(s.bounces, bounces);
    ck_assert_uint_eq(s.blocked, blocked);
}

/* ---- Rules ---- */

START_TEST(the_free_axis_is_kept)
{
    const pqt_tree *tree = inserted(small_tree(4), boxed(box(5, 0, 6, 16), 1));
    expect_slide(slid(tree, 0, 0, 8, 8, 3), 4, 8, 1, PQT_BLOCKED_X);
    expect_slide(slid(tree, 0, 0, 8, 8, 0), 4, 4, 0, PQT_BLOCKED_X);
    expect_slide(slid(tree, 4, 4, 8, 8, 3), 4, 8, 1, PQT_BLOCKED_X);
    expect_slide(slid(tree, 4, 4, 8, 4, 3), 4, 4, 0, PQT_BLOCKED_X);
    expect_slide(slid(tree, 0, 0, 3, 8, 3), 3, 8, 0, 0);
}
END_TEST

START_TEST(an_inner_corner_stops_both_axes)
{
    const pqt_item items[] = {boxed(box(5, 0, 6, 9), 1), boxed(box(0, 8, 6, 9), 2)};
    const pqt_tree *tree = with_items(small_tree(4), items, 2);
    pqt_slide s = slid(tree, 0, 0, 8, 14, 3);
    expect_slide(s, 4, 7, 1, PQT_BLOCKED_X | PQT_BLOCKED_Y);
    ck_assert(s.first.item.id == 1 || s.first.item.id == 2);
    expect_slide(slid(tree, 4, 7, 8, 14, 3), 4, 7, 1, PQT_BLOCKED_X | PQT_BLOCKED_Y);
}
END_TEST

START_TEST(a_corner_is_passed_on_the_longer_side)
{
    const pqt_tree *tree = inserted(small_tree(4), boxed(box(5, 5, 6, 6), 1));
    expect_slide(slid(tree, 2, 2, 8, 8, 3), 8, 4, 1, PQT_BLOCKED_X | PQT_BLOCKED_Y);
    /* The mover reaches both sides at the same time: the gaps are 2 and 2.5, the motions 4 and
       5. */
    expect_slide(slid(tree, 2, 1.5, 6, 6.5, 3), 4, 6.5, 1, PQT_BLOCKED_X | PQT_BLOCKED_Y);
}
END_TEST

START_TEST(a_mover_that_starts_overlapping_does_not_slide)
{
    const pqt_tree *tree = inserted(small_tree(4), boxed(box(5, 0, 6, 16), 1));
    pqt_slide s = slid(tree, 5, 5, 9, 9, 3);
    expect_slide(s, 5, 5, 0, 0);
    ck_assert_int_eq(s.first.status, PQT_SWEEP_OVERLAPS);
}
END_TEST

START_TEST(a_circle_slides_round_a_corner)
{
    const pqt_tree *tree = inserted(small_tree(4), boxed(box(4, 4, 8, 8), 1));
    pqt_vec position = at(3.5, 0);
    for (int i = 0; i < 40; i++) {
        pqt_mover ball = pqt_mover_circle(1, position, at(position.x, position.y + 0.25));
        pqt_slide s = pqt_tree_slide(tree, ball, 3, NULL);
        ck_assert(!pqt_circle_overlaps_box((pqt_circle){s.stop, 1}, box(4, 4, 8, 8)));
        position = s.stop;
    }
    ck_assert_msg(position.y > 9 && position.x <= 3 && position.x > 2, "%g %g", position.x,
                  position.y);
}
END_TEST

/* ---- Floors ---- */

enum { FLOOR = 1000 };

/* Returns a flat floor of many boxes of different widths and depths. Their upper sides are at
 * `height`. */
static const pqt_tree *
floor_tree(dice *d, double height, double size)
{
    pqt_error error = {0};
    pqt_item items[FLOOR];
    double x = 0;
    for (size_t i = 0; i < FLOOR; i++) {
        double width = size * (dice_chance(d, 50) ? 1 : 0.1 + dice_real(d));
        items[i] = boxed(box(x, height, x + width, height + size * (0.2 + dice_real(d))), i);
        x += width;
        items[i].box.max.x = x;
    }
    const pqt_tree *tree = made(box(0, height - 8 * size, x, height + 8 * size), options_of(8, 24));
    tree = pqt_tree_insert_all(tree, items, FLOOR, &error);
    return must(tree, &error);
}

static bool
lies_in_any(const pqt_tree *tree, const pqt_mover *mover, pqt_vec position)
{
    pqt_sweep s = pqt_tree_sweep(tree, pqt_mover_box(mover->box, position, position), NULL);
    if (mover->kind == PQT_MOVER_CIRCLE)
        s = pqt_tree_sweep(tree, pqt_mover_circle(mover->radius, position, position), NULL);
    return s.status == PQT_SWEEP_OVERLAPS;
}

/*
 * Slides along a floor while pushed into it. Checks that the mover keeps its height exactly and
 * reaches its goal, so that the seams between the boxes do not stop it.
 */
static void
slide_on_floor(dice *d, pqt_mover mover, double height, double size)
{
    const pqt_tree *tree = floor_tree(d, height, size);
    pqt_vec position = at(4 * size, height - 4 * size);
    mover.from = position;
    mover.to = at(position.x, height + size);
    position = pqt_tree_sweep(tree, mover, NULL).stop;
    double level = position.y, last = FLOOR / 4 * size, step = size / 7;
    for (size_t i = 0; i < test_scaled(10000); i++) {
        double push =
            dice_chance(d, 20) ? 0 : size * dice_real(d) * (dice_chance(d, 50) ? 1 : 1e-6);
        double to_x = position.x + step * (dice_chance(d, 10) ? 1e-9 : dice_real(d));
        mover.from = position;
        mover.to = at(to_x, position.y + push);
        pqt_slide s = pqt_tree_slide(tree, mover, 3, NULL);
        require(s.stop.y == level, "the height is kept");
        require(s.stop.x == to_x, "no seam is felt");
        require(s.blocked == (mover.to.y > mover.from.y ? PQT_BLOCKED_Y : 0u),
                "y alone is blocked");
        require(!lies_in_any(tree, &mover, s.stop), "the stop is free");
        position = s.stop;
        if (position.x > last || position.x < 4 * size)
            step = position.x > last ? -fabs(step) : fabs(step);
    }
}

static const struct {
    double height, size;
} floors[] = {{0, 1}, {1e9, 1}, {-3.7, 0.1}, {1e-9, 1e-9}, {12345.678, 1e-3}};

START_TEST(a_box_slides_along_a_floor_of_many_boxes)
{
    dice d = {test_seed("a_box_slides_along_a_floor_of_many_boxes") + (uint64_t)_i};
    double size = floors[_i].size;
    pqt_box shape = box(-0.3 * size, -0.7 * size, 0.4 * size, 0.1 * size);
    slide_on_floor(&d, pqt_mover_box(shape, at(0, 0), at(0, 0)), floors[_i].height, size);
}
END_TEST

/* With seed 21, several motions in a row end near the first box of the floor. The circle must not
 * move past that box. */
START_TEST(a_circle_slides_along_a_floor_of_many_boxes)
{
    const int which = _i % 5;
    dice d = {_i == 5 ? 21
                      : test_seed("a_circle_slides_along_a_floor_of_many_boxes") + (uint64_t)_i};
    double size = floors[which].size;
    pqt_mover ball = pqt_mover_circle(0.37 * size, at(0, 0), at(0, 0));
    slide_on_floor(&d, ball, floors[which].height, size);
}
END_TEST

/* The mover moves onto the floor at an angle many times. It always lands on the floor and never
   stops at a seam. */
START_TEST(a_mover_that_lands_at_an_angle_rests_on_the_floor)
{
    dice d = {test_seed("a_mover_that_lands_at_an_angle_rests_on_the_floor") + (uint64_t)_i};
    double size = floors[_i].size, height = floors[_i].height;
    const pqt_tree *tree = floor_tree(&d, height, size);
    pqt_mover movers[] = {
        pqt_mover_box(box(-0.5 * size, -0.5 * size, 0.5 * size, 0.5 * size), at(0, 0), at(0, 0)),
        pqt_mover_circle(0.5 * size, at(0, 0), at(0, 0))};
    double level =
        pqt_tree_sweep(
            tree, pqt_mover_circle(0.5 * size, at(9 * size, height - size), at(9 * size, height)),
            NULL)
            .stop.y;
    for (size_t i = 0; i < test_scaled(10000); i++) {
        pqt_mover mover = movers[i % 2];
        mover.from =
            at((20 + dice_real(&d) * 200) * size, height - (0.5 + 3 * dice_real(&d)) * size);
        if (mover.from.y > level)
            continue;
        mover.to = at(mover.from.x + (dice_real(&d) - 0.5) * 8 * size, height + 2 * size);
        pqt_slide s = pqt_tree_slide(tree, mover, 3, NULL);
        require(s.stop.y == level, "the floor's height");
        require(s.stop.x == mover.to.x, "the way along it");
        require(s.first.blocked == PQT_BLOCKED_Y, "y alone is blocked");
    }
}
END_TEST

/* ---- Creeping ---- */

/* Steps much smaller than the distance between two doubles do not move the mover. Larger steps add
 * up exactly. */
START_TEST(creeping_neither_sticks_nor_drifts)
{
    const pqt_tree *tree = inserted(small_tree(4), boxed(box(0, 8, 16, 9), 1));
    pqt_vec position = at(1, 7);
    double target = 1;
    for (int i = 0; i < 100000; i++) {
        target += 0x1p-14;
        pqt_slide s = slid(tree, position.x, position.y, target, position.y + 0x1p-20, 3);
        require(s.stop.x == target && s.stop.y == 7, "it creeps");
        position = s.stop;
    }
    ck_assert(position.x == 1 + 100000 * 0x1p-14);
    /* Moves toward a wall in small steps until it is reached. */
    tree = inserted(tree, boxed(box(10, 0, 11, 16), 2));
    for (int i = 0; i < 100000; i++) {
        target += 0x1p-14;
        position = slid(tree, position.x, position.y, target, position.y + 1e-300, 3).stop;
        require(position.y == 7 && position.x == fmin(target, 9),
                "it creeps to the wall, and stays");
    }
    ck_assert(position.x == 9);
}
END_TEST

/* ---- A random walk ---- */

static void
walk_in_noise(dice *d, pqt_mover mover, double middle)
{
    enum { STONES = 400 };
    const pqt_tree *tree = made(box(middle, middle, middle + 64, middle + 64), options_of(4, 24));
    for (uint64_t id = 0; id < STONES; id++) {
        double x = middle + dice_real(d) * 64, y = middle + dice_real(d) * 64;
        if (dice_chance(d, 50))
            x = floor(x), y = floor(y);
        if (x < middle + 3 && y < middle + 3)
            continue;
        tree = inserted(tree, boxed(box(x, y, x + 1, y + 1), id));
    }
    pqt_vec position = at(middle + 1, middle + 1);
    size_t stays = 0;
    for (size_t i = 0; i < test_scaled(10000); i++) {
        double radius_sum = dice_chance(d, 20) ? 1e-8 : 6;
        mover.from = position;
        mover.to = at(position.x + (dice_real(d) - 0.5) * radius_sum,
                      position.y + (dice_real(d) - 0.5) * radius_sum);
        pqt_slide s = pqt_tree_slide(tree, mover, 4, NULL);
        require(s.first.status != PQT_SWEEP_OVERLAPS, "it never overlaps");
        require(!lies_in_any(tree, &mover, s.stop), "nor at a stop");
        stays = s.stop.x == position.x && s.stop.y == position.y ? stays + 1 : 0;
        require(stays < 64, "it never sticks");
        position = s.stop;
        position.x = fmin(fmax(position.x, middle - 2), middle + 66);
        position.y = fmin(fmax(position.y, middle - 2), middle + 66);
        if (lies_in_any(tree, &mover, position))
            position = s.stop;
    }
}

START_TEST(a_slide_through_noise_never_overlaps)
{
    dice d = {test_seed("a_slide_through_noise_never_overlaps")};
    pqt_mover mover = pqt_mover_box(box(-0.4, -0.4, 0.4, 0.4), at(0, 0), at(0, 0));
    pqt_mover ball = pqt_mover_circle(0.4, at(0, 0), at(0, 0));
    walk_in_noise(&d, mover, 0);
    walk_in_noise(&d, ball, 0);
    walk_in_noise(&d, mover, 1e9);
    walk_in_noise(&d, ball, 1e9);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("slide");
    TCase *rules = add_tests(suite, "rules");
    tcase_add_test(rules, the_free_axis_is_kept);
    tcase_add_test(rules, an_inner_corner_stops_both_axes);
    tcase_add_test(rules, a_corner_is_passed_on_the_longer_side);
    tcase_add_test(rules, a_mover_that_starts_overlapping_does_not_slide);
    tcase_add_test(rules, a_circle_slides_round_a_corner);
    TCase *random = add_tests(suite, "floors");
    const int count = (int)(sizeof floors / sizeof *floors);
    tcase_add_loop_test(random, a_box_slides_along_a_floor_of_many_boxes, 0, count);
    tcase_add_loop_test(random, a_circle_slides_along_a_floor_of_many_boxes, 0, count + 1);
    tcase_add_loop_test(random, a_mover_that_lands_at_an_angle_rests_on_the_floor, 0, count);
    tcase_add_test(random, creeping_neither_sticks_nor_drifts);
    tcase_add_test(random, a_slide_through_noise_never_overlaps);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
