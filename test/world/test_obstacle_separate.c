/* SPDX-License-Identifier: MIT */
/*
 * test_obstacle_separate.c: tests that balls that overlap pixels when a step begins move out, and
 * never deeper in.
 */
#include "config.h"

#include "obstacle_support.h"
#include "suite.h"
#include "world/obstacle_toi.h"

static const pqt_pixel_box block = {{30, 30}, {70, 70}};

START_TEST(a_ball_that_is_slightly_embedded_moves_out_and_continues)
{
    pqt_step_report report = {0};
    pqt_step_options options = reporting(&report);
    const pqt_world *world =
        added(obstructed(small_world(), &block, 1), flying(1, 28.5, 50, 2, -4, 1));
    world = stepped(world, 1, &options);
    const pqt_body body = body_of(world, 1);
    ck_assert(body.position.x == 24 && body.position.y == 51);
    ck_assert(body.velocity.x == -4 && body.velocity.y == 1);
    ck_assert_uint_eq(report.embedded, 1);
    ck_assert_uint_eq(report.separated, 1);
    ck_assert_uint_eq(report.obstacle_hits, 0);
}
END_TEST

/* The ball moves out by one radius per step. Meanwhile its velocity neither moves it nor
 * changes. */
START_TEST(a_deeply_embedded_ball_moves_out_step_by_step)
{
    pqt_step_report report = {0};
    pqt_step_options options = reporting(&report);
    options.gravity.y = 10;
    const pqt_world *world =
        added(obstructed(small_world(), &block, 1), flying(1, 37.5, 50, 2, 3, 0));
    for (int i = 1; i <= 4; i++) {
        const pqt_body before = body_of(world, 1);
        world = stepped(world, 0.125, &options);
        const pqt_body after = body_of(world, 1);
        ck_assert(fabs(after.position.x - (37.5 - 2 * i)) < 1e-8 && after.position.y == 50);
        ck_assert(after.velocity.x == 3 && after.velocity.y == 0);
        ck_assert(before.position.x - after.position.x <= 2);
    }
    world = stepped(world, 0.125, &options);
    ck_assert(body_of(world, 1).position.x < 28 && body_of(world, 1).velocity.x == -3);
    ck_assert_uint_eq(report.embedded, 5);
    ck_assert_uint_eq(report.obstacle_hits, 1);
}
END_TEST

START_TEST(moving_out_of_pixels_respects_the_walls)
{
    /* The shortest path out of this rock would pass through the wall on the left. */
    const pqt_pixel_box rock = {{0, 20}, {30, 80}};
    const pqt_world *world = added(obstructed(small_world(), &rock, 1), ball(1, 4, 50, 3));
    double depth = HUGE_VAL;
    for (int i = 0; i < 10; i++) {
        world = stepped(world, 0.1, NULL);
        const pqt_body body = body_of(world, 1);
        ck_assert(33 - body.position.x < depth);
        depth = 33 - body.position.x;
    }
    ck_assert(body_of(world, 1).position.x == 33 && body_of(world, 1).position.y == 50);
    ck_assert_ptr_eq(stepped(world, 0.1, NULL), world);
}
END_TEST

START_TEST(a_ball_without_free_space_does_not_move)
{
    const pqt_pixel_box all = {{-10, -10}, {110, 110}};
    const pqt_world *world = added(obstructed(small_world(), &all, 1), flying(1, 50, 50, 3, 5, 5));
    pqt_step_options options = PQT_STEP_DEFAULTS;
    options.gravity.y = 10;
    ck_assert_ptr_eq(stepped(world, 0.1, &options), world);
}
END_TEST

/* Two balls move out of the rocks above and below into a gap with room for one. The same ball moves
   into it whether it is above or below. */
START_TEST(the_order_of_separation_depends_on_the_ids_alone)
{
    const pqt_pixel_box rocks[] = {{{30, 20}, {70, 47}}, {{30, 53}, {70, 80}}};
    size_t below = 0;
    for (uint64_t id = 1; id < 20; id++) {
        double moved[2];
        for (int i = 0; i < 2; i++) {
            const double above = i == 0 ? 1 : -1;
            const pqt_body bodies[] = {ball(id, 50, 50 - 3 * above, 2),
                                       ball(id + 100, 50, 50 + 3 * above, 2)};
            pqt_world const *world = obstructed(small_world(), rocks, 2);
            world = stepped(with_bodies(world, bodies, 2), 0.1, NULL);
            moved[i] = above * (body_of(world, id).position.y - (50 - 3 * above));
        }
        ck_assert_msg(moved[0] == moved[1], "%.17g and %.17g", moved[0], moved[1]);
        below += moved[0] > 1.5;
    }
    ck_assert(below > 0 && below < 19);
}
END_TEST

START_TEST(removing_pixels_frees_a_ball_and_adding_them_embeds_it)
{
    pqt_error error = {0};
    const pqt_world *world = added(small_world(), flying(1, 50, 50, 2, 8, 0));
    const pqt_world *filled = obstructed(world, &block, 1);
    const pqt_region *ground = pqt_world_get_obstacle(filled).region;
    ck_assert_ptr_ne(stepped(filled, 0.1, NULL), filled);
    ck_assert(depth_in(filled, &(pqt_body){.position = {50, 50}, .radius = 2}) == 22);
    ground =
        pqt_region_paint(ground, pqt_paint_disc(PQT_PAINT_CLEAR, (pqt_vec){50, 50}, 8), &error);
    const pqt_world *opened = obstructed_at(filled, must_region(ground, &error), 0, 0);
    ck_assert(body_of(stepped(opened, 0.1, NULL), 1).position.x == 50.8);
}
END_TEST

/* Checks that no body enters pixels, moves deeper into pixels or another body, or moves by more
   than its radius. */
static void
expect_coming_out(const pqt_world *world, const pqt_body *before, const pqt_body *after,
                  size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const pqt_body *a = &before[i], *b = &after[i];
        if (b->fixed)
            continue;
        const double was = depth_in(world, a), is = depth_in(world, b);
        require(was > 0 || is == 0, "a body got into pixels");
        require(is <= was * (1 + 1e-12), "a body got deeper into pixels");
        require(distance_of(a, b) <= fmax(b->radius, 1.0 / 1024) * (1 + 1e-12),
                "a body moved by more than its radius");
        for (size_t k = 0; k < i; k++)
            require(depth_of(b, &after[k]) <=
                        fmax(0, depth_of(a, &before[k])) + allowed_depth(b, &after[k]),
                    "a body got deeper into another");
    }
}

/* Returns the number of bodies that overlap pixels. Checks that each of them is next to another
   body, which blocks it. */
static size_t
count_stuck(const pqt_world *world, const pqt_body *bodies, size_t count)
{
    size_t stuck = 0;
    for (size_t i = 0; i < count; i++) {
        double gap = HUGE_VAL;
        if (bodies[i].fixed || !pqt_world_is_obstructed(world, circle_of(&bodies[i])))
            continue;
        for (size_t k = 0; k < count; k++)
            if (k != i)
                gap = fmin(gap, -depth_of(&bodies[i], &bodies[k]));
        require(gap < 1e-6, "a body is in pixels that could come out");
        stuck++;
    }
    return stuck;
}

/* The balls are at rest and placed at random over pixels and each other. */
START_TEST(piles_among_pixels_separate)
{
    enum { MANY = 70, STEPS = 60 };
    pqt_body before[MANY], after[MANY];
    dice d = {test_seed(__func__) + (uint64_t)_i};
    pqt_pixel_box rocks[30];
    for (int i = 0; i < 30; i++) {
        const int x = (int)dice_below(&d, 90), y = (int)dice_below(&d, 90);
        rocks[i] = pixels(x, y, x + 1 + (int)dice_below(&d, 9), y + 1 + (int)dice_below(&d, 9));
    }
    const pqt_world *world = obstructed(small_world(), rocks, 30);
    for (size_t i = 0; i < MANY; i++) {
        const double r = 0.5 + 2 * dice_real(&d);
        pqt_body body =
            ball(i, r + (100 - 2 * r) * dice_real(&d), r + (100 - 2 * r) * dice_real(&d), r);
        body.fixed = i % 17 == 0;
        body.mass = 1;
        world = added(world, body);
    }
    list_bodies(world, after);
    for (int steps = 0; steps < STEPS; steps++) {
        memcpy(before, after, sizeof before);
        world = stepped(world, 0.01, NULL);
        list_bodies(world, after);
        expect_coming_out(world, before, after, MANY);
    }
    ck_assert_uint_lt(count_stuck(world, after, MANY), 6);
    ck_assert(pqt_world_get_stats(world).energy == 0);
    expect_sound_world(world);
}
END_TEST

static double
sum_of_depths(const pqt_body *bodies, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++)
            sum += fmax(0, depth_of(&bodies[i], &bodies[k]));
    return sum;
}

/* A hundred balls are at one position in a bowl. They separate and do not enter the pixels. */
START_TEST(a_pile_in_a_bowl_stays_in_it)
{
    enum { MANY = 100, STEPS = 40 };
    pqt_body before[MANY], after[MANY];
    const pqt_pixel_box bowl[] = {{{30, 80}, {70, 82}}, {{28, 40}, {30, 82}}, {{70, 40}, {72, 82}}};
    const pqt_world *world = obstructed(small_world(), bowl, 3);
    for (uint64_t i = 0; i < MANY; i++)
        world = added(world, ball(i, 50, 78, 1));
    list_bodies(world, after);
    const double sum = sum_of_depths(after, MANY);
    for (int steps = 0; steps < STEPS; steps++) {
        memcpy(before, after, sizeof before);
        world = stepped(world, 0.01, NULL);
        list_bodies(world, after);
        expect_coming_out(world, before, after, MANY);
        for (size_t i = 0; i < MANY; i++)
            require(after[i].position.x > 30 && after[i].position.x < 70 &&
                        after[i].position.y < 80,
                    "a ball left the bowl");
    }
    ck_assert(sum_of_depths(after, MANY) < sum / 10);
}
END_TEST

/* ---- Positions that overlap by rounding ---- */

/* Returns a ball between distant walls. */
static pqti_ball
ball_to_free(double radius)
{
    return (pqti_ball){.radius = radius, .centre_bounds = {{-1e9, -1e9}, {1e9, 1e9}}};
}

/* Returns the free position for a ball that moves from `from` to `position`. Checks that it is
   free. */
static pqt_vec
freed(const pqti_obstacle_view *obstacle, double radius, pqt_vec from, pqt_vec position)
{
    const pqti_ball ball = ball_to_free(radius);
    ck_assert(!pqti_obstacle_view_overlaps(obstacle, from, radius));
    const pqt_vec free = pqti_obstacle_view_nudge_free(obstacle, &ball, from, position);
    ck_assert_msg(!pqti_obstacle_view_overlaps(obstacle, free, radius), "%.17g, %.17g", free.x,
                  free.y);
    return free;
}

static pqti_obstacle_view
barrier_of(const pqt_pixel_box *boxes, size_t count, pqt_vec at)
{
    const pqt_region *region = boxes_in(arena, boxes, count);
    const pqt_pixel_box bounds = pqt_region_bounds(region);
    return pqti_obstacle_view_of(region, at, &bounds);
}

/* `from` is far away along the side, so that moving back toward it would move the ball far. */
START_TEST(a_position_near_a_side_is_moved_straight_away_from_it)
{
    const pqti_obstacle_view obstacle = barrier_of(&block, 1, (pqt_vec){0, 0});
    for (int i = 0; i < 4; i++) {
        const bool upright = i % 2 == 1, behind = i / 2 == 1;
        const double side = behind ? 72 : 28, in = behind ? -1 : 1;
        for (double deep = 0x1p-45; deep < 0x1p-10; deep *= 8) {
            const pqt_vec at = {side + in * deep, 50.25}, from = {side - in * 1e-3, 60};
            const pqt_vec free =
                upright ? freed(&obstacle, 2, (pqt_vec){from.y, from.x}, (pqt_vec){at.y, at.x})
                        : freed(&obstacle, 2, from, at);
            const double across = upright ? free.y : free.x, along = upright ? free.x : free.y;
            ck_assert(along == at.y);
            ck_assert_msg(in * (side - across) >= 0 && in * (side - across) < 1e-12, "%.17g",
                          across);
        }
    }
}
END_TEST

START_TEST(a_position_near_a_corner_is_moved_straight_away_from_it)
{
    const pqti_obstacle_view obstacle = barrier_of(&block, 1, (pqt_vec){0, 0});
    /* The corner is at (30, 30). The offsets form a triangle with sides 3, 4 and 5. */
    const pqt_vec free = freed(&obstacle, 5, (pqt_vec){20, 29}, (pqt_vec){27 + 0x1p-20, 26});
    ck_assert(fabs(pqt_vec_distance(free, (pqt_vec){30, 30}) - 5) < 1e-12);
    ck_assert(fabs((30 - free.x) * 4 - (30 - free.y) * (3 - 0x1p-20)) < 1e-11);
    const pqt_vec other = freed(&obstacle, 5, (pqt_vec){80, 80}, (pqt_vec){73, 74 - 0x1p-20});
    ck_assert(fabs(pqt_vec_distance(other, (pqt_vec){70, 70}) - 5) < 1e-12);
    ck_assert(other.x > 73 && other.y > 74 - 0x1p-20);
}
END_TEST

START_TEST(a_position_in_a_corner_is_moved_away_from_both_sides)
{
    const pqt_pixel_box nook[] = {{{30, 30}, {70, 40}}, {{60, 30}, {70, 70}}};
    const pqti_obstacle_view obstacle = barrier_of(nook, 2, (pqt_vec){0, 0});
    const pqt_vec free = freed(&obstacle, 3, (pqt_vec){40, 60}, (pqt_vec){57 + 1e-9, 43 - 1e-9});
    ck_assert(free.x <= 57 && free.x > 57 - 1e-12 && free.y >= 43 && free.y < 43 + 1e-12);
}
END_TEST

/* The ball is between two corners. Moving away from one moves it into the other, each time by a
   smaller distance. The start is far away, beyond a whole rock. */
START_TEST(a_position_between_two_corners_is_moved_away_from_both)
{
    const pqt_pixel_box rocks[] = {{{-5, 0}, {0, 5}}, {{3, 0}, {8, 5}}};
    const pqti_obstacle_view obstacle = barrier_of(rocks, 2, (pqt_vec){0, 0});
    for (double deep = 0x1p-46; deep < 0x1p-28; deep *= 4) {
        const pqt_vec position = {1.5 + deep / 3, -sqrt(4 - 1.5 * 1.5) + deep};
        const pqt_vec free = freed(&obstacle, 2, (pqt_vec){-1000, -1.33}, position);
        ck_assert_msg(pqt_vec_distance(free, position) < 4 * deep + 1e-12, "%.17g for %.17g",
                      pqt_vec_distance(free, position), deep);
    }
}
END_TEST

/* Far from 0, the rounding of positions exceeds the distance to move, so that the first move may
   have no effect. */
START_TEST(a_position_far_from_0_is_moved_in_spite_of_rounding)
{
    dice d = {test_seed(__func__)};
    const pqt_pixel_box pixels = {{-9, -9}, {7, 7}};
    for (int i = 0; i < 20000; i++) {
        const double scale = ldexp(1, (int)dice_below(&d, 20));
        const pqti_obstacle_view obstacle =
            barrier_of(&pixels, 1, (pqt_vec){floor(scale * dice_real(&d)), floor(scale)});
        const double radius = 0.01 + 3 * dice_real(&d), angle = 1.57 * dice_real(&d);
        const pqt_vec corner = {obstacle.bounds.max.x, obstacle.bounds.min.y};
        pqt_vec position = {corner.x + radius * (1 - 1e-9), corner.y + 16 * dice_real(&d)};
        if (dice_chance(&d, 50))
            position = (pqt_vec){corner.x + radius * cos(angle) * (1 - 1e-9),
                                 corner.y - radius * sin(angle) * (1 - 1e-9)};
        const pqt_vec from = {corner.x + 1e5, corner.y - 1e5};
        const pqt_vec free = freed(&obstacle, radius, from, position);
        ck_assert_msg(pqt_vec_distance(free, position) < 1e-8 + 0x1p-45 * scale, "%.17g of %.17g",
                      pqt_vec_distance(free, position), radius);
    }
}
END_TEST

/* Moving the ball out of one wall moves it into the other. The ball goes back, but no farther than
 * needed. */
START_TEST(a_ball_in_a_passage_that_is_too_narrow_returns_to_the_entrance)
{
    const pqt_pixel_box gap[] = {{{30, 30}, {40, 70}}, {{43, 30}, {60, 70}}};
    const pqti_obstacle_view obstacle = barrier_of(gap, 2, (pqt_vec){0, 0});
    const pqt_vec from = {41.5, 20}, free = freed(&obstacle, 2, from, (pqt_vec){41.5, 50});
    ck_assert(free.x == 41.5 && free.y < 30 && free.y >= 20);
    /* If its centre is in pixels, there is no side to move away from. */
    const pqt_vec out = freed(&obstacle, 2, (pqt_vec){35, 27}, (pqt_vec){35, 31});
    ck_assert(out.x == 35 && out.y <= 28 && out.y >= 27);
}
END_TEST

START_TEST(a_position_stays_within_its_bounds)
{
    const pqti_obstacle_view obstacle = barrier_of(&block, 1, (pqt_vec){0, 0});
    pqti_ball ball = ball_to_free(2);
    ball.centre_bounds.min.x = 28 - 0x1p-40;
    const pqt_vec from = {28 - 0x1p-40, 50}, position = {28 + 0x1p-44, 50};
    pqt_vec free = pqti_obstacle_view_nudge_free(&obstacle, &ball, from, position);
    ck_assert(free.x >= ball.centre_bounds.min.x && free.x <= 28 && free.y == 50);
    free = pqti_obstacle_view_nudge_free(&obstacle, &ball, from, (pqt_vec){27, 50});
    ck_assert(free.x == ball.centre_bounds.min.x && free.y == 50);
}
END_TEST

/* The distance to the side is too small to divide by it. */
START_TEST(a_position_at_a_denormal_distance_from_a_side_is_moved_by_a_radius)
{
    const pqt_pixel_box pixels = {{0, -10}, {10, 10}};
    const pqti_obstacle_view obstacle = barrier_of(&pixels, 1, (pqt_vec){0, 0});
    const pqt_vec free = freed(&obstacle, 2, (pqt_vec){-3, 5}, (pqt_vec){-0x1p-1070, 5});
    ck_assert_msg(free.x <= -2 && free.x > -2 - 1e-12 && free.y == 5, "%.17g", free.x);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("obstacle_apart");
    TCase *tests = add_tests(suite, "single");
    tcase_add_test(tests, a_ball_that_is_slightly_embedded_moves_out_and_continues);
    tcase_add_test(tests, a_deeply_embedded_ball_moves_out_step_by_step);
    tcase_add_test(tests, moving_out_of_pixels_respects_the_walls);
    tcase_add_test(tests, a_ball_without_free_space_does_not_move);
    tcase_add_test(tests, the_order_of_separation_depends_on_the_ids_alone);
    tcase_add_test(tests, removing_pixels_frees_a_ball_and_adding_them_embeds_it);
    tests = add_tests(suite, "heaps");
    tcase_add_loop_test(tests, piles_among_pixels_separate, 0, 8);
    tcase_add_test(tests, a_pile_in_a_bowl_stays_in_it);
    tests = add_tests(suite, "roundings");
    tcase_add_test(tests, a_position_near_a_side_is_moved_straight_away_from_it);
    tcase_add_test(tests, a_position_near_a_corner_is_moved_straight_away_from_it);
    tcase_add_test(tests, a_position_in_a_corner_is_moved_away_from_both_sides);
    tcase_add_test(tests, a_position_between_two_corners_is_moved_away_from_both);
    tcase_add_test(tests, a_position_far_from_0_is_moved_in_spite_of_rounding);
    tcase_add_test(tests, a_ball_in_a_passage_that_is_too_narrow_returns_to_the_entrance);
    tcase_add_test(tests, a_position_stays_within_its_bounds);
    tcase_add_test(tests, a_position_at_a_denormal_distance_from_a_side_is_moved_by_a_radius);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
