/* SPDX-License-Identifier: MIT */
/*
 * test_step_separate.c: tests steps of crowded worlds: overlaps are removed, and steps with
 * squeezed bodies end.
 */
#include "config.h"

#include "hooks.h"
#include "random.h"
#include "step_support.h"
#include "suite.h"

/* ---- Overlaps ---- */

START_TEST(overlapping_balls_that_separate_keep_their_velocities)
{
    pqt_step_report report = {0};
    pqt_step_options options = reporting(&report);
    const pqt_body bodies[] = {flying(1, 49, 50, 2, -1, 0), flying(2, 51, 50, 2, 1, 0)};
    const pqt_world *world = with_bodies(small_world(), bodies, 2);
    world = stepped(world, 0.01, &options);
    ck_assert(body_of(world, 1).velocity.x == -1 && body_of(world, 2).velocity.x == 1);
    ck_assert_uint_eq(report.overlaps, 1);
    ck_assert_uint_eq(report.separated, 2);
    ck_assert_uint_eq(report.contacts, 0);
    pqt_body a = body_of(world, 1), b = body_of(world, 2);
    ck_assert(depth_of(&a, &b) <= allowed_depth(&a, &b));
}
END_TEST

START_TEST(overlapping_balls_that_approach_bounce_once)
{
    pqt_step_report report = {0};
    pqt_step_options options = reporting(&report);
    const pqt_body bodies[] = {flying(1, 49, 50, 2, 1, 0), flying(2, 51, 50, 2, -1, 0)};
    const pqt_world *world = with_bodies(small_world(), bodies, 2);
    world = after_steps(world, 20, 0.01, &options);
    ck_assert_uint_eq(report.contacts, 1);
    ck_assert(body_of(world, 1).velocity.x == -1 && body_of(world, 2).velocity.x == 1);
}
END_TEST

/* A push by a radius moves the whole flight. Without it, the flight ends before the target. */
START_TEST(a_pushed_body_hits_what_is_in_its_new_way)
{
    const pqt_body behind = {.id = 1, .position = {9, 50}, .radius = 1, .mass = 1, .fixed = true};
    const pqt_body bodies[] = {behind, flying(2, 10, 50, 1, 100, 0), ball(3, 61.8, 50, 0.1)};
    pqt_step_report report = {0};
    const pqt_step_options options = reporting(&report);
    const pqt_world *world = stepped(with_bodies(small_world(), bodies, 3), 0.5, &options);
    ck_assert_uint_eq(report.separated, 1);
    ck_assert_uint_eq(report.contacts, 1);
    ck_assert_double_gt(body_of(world, 3).velocity.x, 50);
}
END_TEST

START_TEST(a_step_of_no_time_separates_nothing)
{
    pqt_error error = {0};
    const pqt_body bodies[] = {flying(1, 49, 50, 2, 1, 0), flying(2, 51, 50, 2, -1, 0)};
    const pqt_world *world = with_bodies(small_world(), bodies, 2);
    ck_assert_ptr_eq(pqt_world_step(world, 0, NULL, &error), world);
    ck_assert_ptr_ne(pqt_world_step(world, 1e-9, NULL, &error), world);
}
END_TEST

/* The end of the push is free, but a small ball is on its path. */
START_TEST(a_push_stops_at_the_first_body_in_its_path)
{
    const pqt_body left = {.id = 1, .position = {45, 50}, .radius = 4, .fixed = true};
    const pqt_body small = {.id = 3, .position = {52, 54.15}, .radius = 0.25, .fixed = true};
    const pqt_body bodies[] = {left, ball(2, 50, 50, 4), small};
    const pqt_world *world = stepped(with_bodies(small_world(), bodies, 3), 0.01, NULL);
    const pqt_body pushed = body_of(world, 2);
    ck_assert_msg(pushed.position.x > 50.5 && pushed.position.x < 52, "%.17g", pushed.position.x);
    ck_assert(depth_of(&pushed, &small) <= allowed_depth(&pushed, &small));
}
END_TEST

/* A straight push would move the ball into those that it touches. So it moves along the tangent. */
START_TEST(a_push_is_deflected_by_bodies_that_touch)
{
    for (int i = 0; i < 2; i++) {
        const double below = i == 0 ? 1 : -1;
        const pqt_body left = {.id = 1, .position = {46, 50}, .radius = 4, .fixed = true};
        const pqt_body touched = {
            .id = 3, .position = {52.4, 50 + below * 3.2}, .radius = 2, .fixed = true};
        const pqt_body bodies[] = {left, ball(2, 50, 50, 2), touched};
        const pqt_world *world = stepped(with_bodies(small_world(), bodies, 3), 0.01, NULL);
        const pqt_body pushed = body_of(world, 2);
        ck_assert_msg(pushed.position.x > 50.5 && below * (50 - pushed.position.y) > 0.5,
                      "%.17g, %.17g", pushed.position.x, pushed.position.y);
        ck_assert(depth_of(&pushed, &touched) <= allowed_depth(&pushed, &touched));
    }
}
END_TEST

/* Checks that no ball moves by more than its radius, moves deeper into another one, or begins to
   overlap one. */
static void
expect_parting(const pqt_body *before, const pqt_body *after, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        require(pqt_vec_is_finite(after[i].position), "NaN");
        require(distance_of(&before[i], &after[i]) <= after[i].radius * (1 + 1e-12),
                "a body moved by more than its radius");
        for (size_t k = 0; k < i; k++) {
            double was = fmax(0, depth_of(&before[i], &before[k]));
            require(depth_of(&after[i], &after[k]) <= was + allowed_depth(&after[i], &after[k]),
                    "a body got deeper into another");
        }
    }
}

static double
deepest(const pqt_body *bodies, size_t count)
{
    double worst = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++)
            worst = fmax(worst,
                         depth_of(&bodies[i], &bodies[k]) - allowed_depth(&bodies[i], &bodies[k]));
    return worst;
}

enum { HEAP = 100 };

/* Runs steps with balls at rest until nothing moves. Checks that the balls are then apart and at
 * rest. */
static void
expect_to_part(const pqt_world *world, size_t most_steps)
{
    pqt_body before[HEAP], after[HEAP];
    size_t steps = 0;
    list_bodies(world, after);
    for (bool moved = true; moved && steps < most_steps; steps++) {
        const pqt_world *next = stepped(world, 0.01, NULL);
        moved = next != world;
        world = next;
        memcpy(before, after, sizeof before);
        list_bodies(world, after);
        expect_parting(before, after, HEAP);
    }
    ck_assert_uint_lt(steps, most_steps); /* the last step moved nothing */
    expect_apart(world, after, HEAP);
    ck_assert(pqt_world_get_stats(world).energy == 0);
}

/* Bodies far away change the cells in which neighbours are found, and so the order in which a body
 * finds them. */
START_TEST(bodies_far_away_do_not_change_how_a_crowd_separates)
{
    enum { CROWD = 60, AWAY = 400 };
    dice d = {test_seed("a crowd and bodies far away")};
    for (size_t i = 0; i < test_scaled_from(20, 4); i++) {
        pqt_body bodies[CROWD + AWAY];
        for (uint64_t id = 0; id < CROWD; id++)
            bodies[id] = ball(dice_next(&d), 20 + 20 * dice_real(&d), 20 + 20 * dice_real(&d),
                              1 + 2 * dice_real(&d));
        for (uint64_t id = 0; id < AWAY; id++)
            bodies[CROWD + id] =
                ball(dice_next(&d), 80 + 19 * dice_real(&d), 80 + 19 * dice_real(&d), 0.01);
        const pqt_world *alone = with_bodies(small_world(), bodies, CROWD);
        const pqt_world *together = with_bodies(small_world(), bodies, CROWD + AWAY);
        alone = after_steps(alone, 3, 0.01, NULL);
        together = after_steps(together, 3, 0.01, NULL);
        for (uint64_t id = 0; id < CROWD; id++) {
            const pqt_vec a = body_of(alone, bodies[id].id).position;
            const pqt_vec b = body_of(together, bodies[id].id).position;
            ck_assert_msg(a.x == b.x && a.y == b.y, "crowd %zu: %a, %a is not %a, %a", i, a.x, a.y,
                          b.x, b.y);
        }
    }
}
END_TEST

START_TEST(a_hundred_coincident_balls_separate)
{
    const pqt_world *world = small_world();
    for (uint64_t i = 0; i < HEAP; i++)
        world = added(world, ball(i, 50, 50, 1 + 0.01 * (double)i * (double)(_i == 1)));
    expect_to_part(world, 200);
}
END_TEST

/* Each pair of balls overlaps. So each pair has a minimum distance, and its balls may hit each
 * other. */
START_TEST(coincident_balls_cost_a_test_and_64_bytes_per_pair_and_soon_less)
{
    enum { MOST = 400 };
    pqt_step_report report = {0};
    const pqt_step_options options = reporting(&report);
    const size_t count = _i == 0 ? 100 : _i == 1 ? 200 : MOST, pairs = count * (count - 1) / 2;
    pqt_body bodies[MOST];
    for (size_t i = 0; i < count; i++)
        bodies[i] = ball(i, 50, 50, 0.5);
    const pqt_world *world = with_bodies(small_world(), bodies, count);
    hooks watch = {.fail_at = 0};
    hooks_start(&watch);
    world = stepped(world, 0.01, &options);
    hooks_stop();
    ck_assert_uint_eq(report.overlaps, pairs);
    ck_assert_uint_eq(report.tests, pairs);
    ck_assert_uint_le(watch.bytes[PQTI_BLOCK_SCRATCH], 64 * pairs + 4096 * count);
    world = after_steps(world, 8, 0.01, &options);
    report = (pqt_step_report){0};
    stepped(world, 0.01, &options);
    ck_assert_uint_le(report.tests, pairs / 4);
    ck_assert_uint_le(report.overlaps, pairs / 16);
}
END_TEST

/* The balls touch a wall: the centre of each ball is one radius away from it. */
START_TEST(a_hundred_balls_in_a_corner_separate)
{
    const double low = 0, high = 100;
    dice d = {test_seed(__func__)};
    const pqt_world *world = small_world();
    for (uint64_t i = 0; i < HEAP; i++) {
        double r = (double)(13 + dice_below(&d, 116)) / 64, x = r + 3 * dice_real(&d), y = r;
        world = added(world, ball(i, _i & 1 ? high - x : low + x, _i & 2 ? high - y : low + y, r));
    }
    expect_to_part(world, 600);
}
END_TEST

START_TEST(a_pile_of_overlapping_balls_separates_within_its_walls)
{
    enum { MANY = 120, STEPS = 60 };
    pqt_body before[MANY], after[MANY];
    dice d = {test_seed(__func__)};
    for (size_t i = 0; i < MANY; i++) {
        double r = 0.5 + 3 * dice_real(&d);
        before[i] = ball(i, r + (40 - 2 * r) * dice_real(&d), r + (40 - 2 * r) * dice_real(&d), r);
        before[i].fixed = i % 17 == 0;
    }
    const pqt_world *world = with_bodies(world_in(box(0, 0, 40, 40), true, arena), before, MANY);
    list_bodies(world, after);
    double first = deepest(after, MANY);
    for (size_t k = 0; k < STEPS; k++) {
        memcpy(before, after, sizeof before);
        world = stepped(world, 0.01, NULL);
        list_bodies(world, after);
        expect_parting(before, after, MANY);
        expect_sound_world(world);
    }
    ck_assert(deepest(after, MANY) <= first);
}
END_TEST

START_TEST(a_step_with_squeezed_bodies_ends)
{
    /* Three balls in a row touch each other, and fixed balls at both ends, so that there is no
       room. */
    pqt_body left = ball(0, 10, 50, 1), right = ball(4, 18, 50, 1);
    left.fixed = right.fixed = true;
    const pqt_body bodies[] = {left, flying(1, 12, 50, 1, 5, 0), flying(2, 14, 50, 1, -3, 0),
                               flying(3, 16, 50, 1, 100, 0), right};
    pqt_step_report report = {0};
    pqt_step_options options = reporting(&report);
    const pqt_world *world = with_bodies(small_world(), bodies, 5);
    pqt_body after[5];
    for (int k = 0; k < 10; k++) {
        world = stepped(world, 0.01, &options);
        list_bodies(world, after);
        expect_apart(world, after, 5);
    }
    ck_assert_uint_gt(report.plastic, 0);
}
END_TEST

/* The step has time for ten thousand contacts, and all of them occur. */
START_TEST(a_ball_between_two_walls_keeps_its_speed)
{
    pqt_step_report report = {0};
    pqt_step_options options = reporting(&report);
    const pqt_world *world = added(small_world(), flying(1, 50, 50, 49.5, 1000, 0));
    world = stepped(world, 10, &options);
    ck_assert_uint_eq(report.bounces, 10000);
    ck_assert_uint_eq(report.plastic + report.delayed, 0);
    ck_assert(fabs(body_of(world, 1).velocity.x) == 1000);
    expect_sound_world(world);
}
END_TEST

/* At a restitution below 1, a body has few contacts in a step, and stops at the walls. */
START_TEST(a_step_of_an_inelastic_ball_between_two_walls_ends)
{
    pqt_step_report report = {0};
    pqt_step_options options = reporting(&report);
    options.restitution = 1 - 0x1p-50;
    const pqt_world *world = added(small_world(), flying(1, 50, 50, 49.5, 1000, 0));
    world = stepped(world, 10, &options);
    ck_assert_uint_ge(report.bounces, PQT_STEP_CONTACTS);
    ck_assert_uint_le(report.bounces, 2 * PQT_STEP_CONTACTS);
    ck_assert_uint_gt(report.plastic, 0);
    ck_assert(body_of(world, 1).velocity.x == 0);
    expect_sound_world(world);
}
END_TEST

START_TEST(a_chain_falls_on_a_wall)
{
    enum { MANY = 12 };
    pqt_step_options options = PQT_STEP_DEFAULTS;
    pqt_body bodies[MANY];
    const pqt_world *world = small_world();
    options.restitution = 0.7;
    options.gravity.y = 50;
    for (uint64_t i = 0; i < MANY; i++)
        world = added(world, ball(i, 50, 99 - 2.5 * (double)i, 1));
    double energy = HUGE_VAL;
    for (int k = 0; k < 600; k++) {
        world = stepped(world, 0.01, &options);
        list_bodies(world, bodies);
        for (size_t i = 1; i < MANY; i++) {
            require(bodies[i].position.y < bodies[i - 1].position.y,
                    "two balls exchanged their places");
            require(depth_of(&bodies[i], &bodies[i - 1]) <= 0.0625,
                    "two overlap more than at rest");
        }
        if (k == 300)
            energy = pqt_world_get_stats(world).energy;
    }
    ck_assert(pqt_world_get_stats(world).energy <= energy);
    ck_assert(bodies[MANY - 1].position.y > 99 - 2 * (MANY - 1) - 0.5);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("step_apart");
    TCase *tests = add_tests(suite, "overlaps");
    tcase_add_test(tests, overlapping_balls_that_separate_keep_their_velocities);
    tcase_add_test(tests, overlapping_balls_that_approach_bounce_once);
    tcase_add_test(tests, a_pushed_body_hits_what_is_in_its_new_way);
    tcase_add_test(tests, a_step_of_no_time_separates_nothing);
    tcase_add_test(tests, a_push_stops_at_the_first_body_in_its_path);
    tcase_add_test(tests, a_push_is_deflected_by_bodies_that_touch);
    tcase_add_test(tests, bodies_far_away_do_not_change_how_a_crowd_separates);
    tcase_add_loop_test(tests, a_hundred_coincident_balls_separate, 0, 2);
    tcase_add_loop_test(tests, coincident_balls_cost_a_test_and_64_bytes_per_pair_and_soon_less, 0,
                        3);
    tcase_add_loop_test(tests, a_hundred_balls_in_a_corner_separate, 0, 4);
    tcase_add_test(tests, a_pile_of_overlapping_balls_separates_within_its_walls);
    tcase_add_test(tests, a_step_with_squeezed_bodies_ends);
    tcase_add_test(tests, a_ball_between_two_walls_keeps_its_speed);
    tcase_add_test(tests, a_step_of_an_inelastic_ball_between_two_walls_ends);
    tcase_add_test(tests, a_chain_falls_on_a_wall);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
