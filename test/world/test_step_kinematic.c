/* SPDX-License-Identifier: MIT */
/* test_step_kinematic.c: tests kinematic bodies: the bodies that they push and wake, and the walls
 * that stop them. */
#include "config.h"

#include <pqt/contact_event.h>

#include "error_support.h"
#include "obstacle_support.h"
#include "step_support.h"
#include "suite.h"

#define DT (1 / 60.0)

enum { MANY = 40, ROUNDS = 6 };

static pqt_body
kinematic(uint64_t id, double x, double y, double radius, double vx, double vy)
{
    pqt_body body = flying(id, x, y, radius, vx, vy);
    body.kinematic = true;
    return body;
}

static const pqt_world *
changed(const pqt_world *world, pqt_body body)
{
    pqt_error error = {0};
    return must_world(pqt_world_change(world, body, &error), &error);
}

static pqt_step_options
falling(double restitution)
{
    pqt_step_options options = PQT_STEP_DEFAULTS;
    options.restitution = restitution;
    options.gravity.y = 10;
    return options;
}

/* ---- Motion ---- */

START_TEST(nothing_but_a_wall_changes_the_velocity_of_a_kinematic_body)
{
    const double restitutions[] = {1, 0.5, 0};
    const pqt_pixel_box pixels = {{30, 40}, {32, 60}};
    pqt_step_options options = falling(restitutions[_i]);
    options.damping = 0.5;
    pqt_body post = ball(2, 50, 50, 3), rival = kinematic(3, 90, 50, 3, -5, 0);
    post.fixed = true;
    const pqt_world *world = obstructed_at(small_world(), boxes_in(arena, &pixels, 1), 0, 0);
    world = added(added(added(world, kinematic(1, 10, 50, 3, 10, 0)), post), rival);
    for (uint64_t id = 10; id < 18; id++)
        world = added(world, flying(id, 10 + 10 * (double)(id - 10), 20, 2, 0, 30));
    for (int k = 1; k <= 6; k++) {
        world = stepped(world, 1, &options);
        ck_assert_double_eq(body_of(world, 1).position.x, 10 + 10 * k);
        ck_assert_double_eq(body_of(world, 1).position.y, 50);
        ck_assert_double_eq(body_of(world, 1).velocity.x, 10);
        ck_assert_double_eq(body_of(world, 3).position.x, 90 - 5 * k);
        ck_assert_double_eq(body_of(world, 2).position.x, 50);
    }
    expect_sound_world(world);
}
END_TEST

START_TEST(a_wall_stops_a_kinematic_body_which_continues_along_it)
{
    pqt_step_options options = falling(1);
    options.events = true;
    const pqt_world *world = added(small_world(), kinematic(1, 90, 50, 3, 14, -4));
    world = stepped(world, 1, &options);
    ck_assert_double_eq(body_of(world, 1).position.x, 97);
    ck_assert_double_eq(body_of(world, 1).position.y, 46);
    ck_assert_double_eq(body_of(world, 1).velocity.x, 0);
    ck_assert_double_eq(body_of(world, 1).velocity.y, -4);
    size_t count = 0;
    pqt_world_events(world, &count);
    ck_assert_uint_eq(count, 0);
    world = after_steps(world, 20, 1, &options);
    ck_assert_double_eq(body_of(world, 1).position.y, 3);
    ck_assert_double_eq(body_of(world, 1).velocity.y, 0);
    ck_assert_ptr_eq(stepped(world, 1, &options), world);
}
END_TEST

/* In the frame of the kinematic body, the ball bounces off a fixed one. */
START_TEST(a_ball_leaves_a_kinematic_body_as_a_fixed_one_in_its_frame)
{
    const double restitutions[] = {1, 0.75, 0.5, 0};
    for (size_t i = 0; i < 4; i++) {
        pqt_step_options options = PQT_STEP_DEFAULTS;
        options.restitution = restitutions[i];
        const pqt_world *world = added(small_world(), kinematic(7, 20, 50, 5, 8, 0));
        world = stepped(added(world, flying(1, 60, 50, 5, -4, 0)), 4, &options);
        ck_assert_double_eq_tol(body_of(world, 1).velocity.x, 8 + 12 * restitutions[i], 1e-12);
        /* The bodies meet after 2.5 s, when they are at 40 and 50. */
        ck_assert_double_eq_tol(body_of(world, 1).position.x, 50 + (8 + 12 * restitutions[i]) * 1.5,
                                1e-9);
        ck_assert_double_eq(body_of(world, 7).position.x, 52);
    }
}
END_TEST

START_TEST(a_hit_of_a_kinematic_body_is_reported_where_it_is)
{
    pqt_step_options options = PQT_STEP_DEFAULTS;
    options.events = true;
    size_t count = 0;
    const pqt_world *world = added(small_world(), kinematic(1, 20, 50, 5, 8, 0));
    world = stepped(added(world, flying(7, 60, 50, 5, -4, 0)), 4, &options);
    const pqt_contact_event *event = pqt_world_events(world, &count);
    ck_assert_uint_eq(count, 1);
    ck_assert_double_eq_tol(event->time, 2.5, 1e-12);
    ck_assert_double_eq_tol(event->point.x, 45, 1e-9);
    ck_assert_double_eq(event->normal.x, 1);
    ck_assert_double_eq_tol(event->impulse, 2 * 12 * body_of(world, 7).mass, 1e-9);
}
END_TEST

START_TEST(a_platform_carries_a_pile_up_and_down)
{
    pqt_step_options options = falling(0.25);
    options.gravity.y = 100;
    const pqt_world *world = small_world();
    for (uint64_t id = 0; id < 9; id++)
        world = added(world, kinematic(id, 42 + 2 * (double)id, 80, 1.5, 0, 0));
    for (uint64_t id = 20; id < 23; id++)
        world = added(world, ball(id, 46 + 2.5 * (double)(id - 20), 77, 1));
    world = after_steps(world, 60, DT, &options);
    for (int way = 0; way < 4; way++) {
        const double speed = way % 2 == 0 ? -6 : 3;
        for (uint64_t id = 0; id < 9; id++) {
            pqt_body part = body_of(world, id);
            part.velocity.y = speed;
            world = changed(world, part);
        }
        world = after_steps(world, 90, DT, &options);
        for (uint64_t id = 20; id < 23; id++) {
            const pqt_body rider = body_of(world, id);
            const double top = body_of(world, 0).position.y;
            ck_assert_double_eq_tol(rider.velocity.y, speed, 0.2);
            ck_assert_double_gt(rider.position.y, top - 2.5 - 0.1);
            ck_assert_double_lt(rider.position.y, top - 1.8);
        }
    }
    expect_sound_world(world);
}
END_TEST

/* ---- Sleep ---- */

START_TEST(balls_sleep_on_a_kinematic_body_only_while_it_does_not_move)
{
    pqt_step_report report = {0};
    pqt_step_options options = falling(0.25);
    options.report = &report;
    const pqt_world *world = added(small_world(), kinematic(1, 50, 80, 10, 0, 0));
    world = added(world, ball(2, 50, 68.9, 1));
    world = after_steps(world, 100, DT, &options);
    require(pqt_world_is_asleep(world, 2) && !pqt_world_is_asleep(world, 1), "the ball is awake");
    ck_assert_ptr_eq(stepped(world, DT, &options), world);
    expect_sound_world(world);
    pqt_body platform = body_of(world, 1);
    platform.velocity.y = 0x1p-10; /* as slow as a quiet body */
    world = changed(world, platform);
    require(!pqt_world_is_asleep(world, 2), "the ball sleeps while its support moves");
    world = after_steps(world, 200, DT, &options);
    require(!pqt_world_is_asleep(world, 2), "the ball falls asleep while its support moves");
    platform = body_of(world, 1);
    platform.velocity.y = 0;
    world = after_steps(changed(world, platform), 100, DT, &options);
    require(pqt_world_is_asleep(world, 2), "the ball does not fall asleep again");
}
END_TEST

START_TEST(a_kinematic_body_wakes_only_bodies_that_it_hits)
{
    pqt_step_report report = {0};
    pqt_step_options options = falling(0.25);
    const pqt_world *world = added(small_world(), ball(1, 50, 99, 1));
    world = after_steps(added(world, ball(2, 80, 99, 1)), 100, DT, &options);
    require(pqt_world_is_asleep(world, 1) && pqt_world_is_asleep(world, 2), "they are awake");
    options.report = &report;
    world = stepped(added(world, kinematic(3, 40, 98, 2, 30, 0)), DT, &options);
    require(pqt_world_is_asleep(world, 1), "it wakes before it is hit");
    world = after_steps(world, 30, DT, &options);
    require(!pqt_world_is_asleep(world, 1), "it sleeps though it was hit");
    require(pqt_world_is_asleep(world, 2), "another one wakes");
    ck_assert_uint_eq(report.woken, 1);
    ck_assert_double_gt(body_of(world, 1).position.x, body_of(world, 3).position.x);
}
END_TEST

/* ---- Crushing ---- */

START_TEST(a_ball_that_is_crushed_at_a_wall_stays_inside_and_the_step_ends)
{
    const double restitutions[] = {1, 0.5, 0};
    for (int i = 0; i < 3; i++) {
        pqt_step_report report = {0};
        pqt_step_options options = PQT_STEP_DEFAULTS;
        options.restitution = restitutions[i];
        options.report = &report;
        const pqt_world *world = added(small_world(), kinematic(1, 50, 50, 8, 60, 0));
        world = added(added(world, ball(2, 70, 50, 4)), ball(3, 80, 50, 4));
        world = after_steps(world, 60, DT, &options);
        ck_assert_uint_lt(report.contacts, 60 * 500);
        ck_assert_double_eq(body_of(world, 1).position.x, 92);
        for (uint64_t id = 2; id < 4; id++) {
            const pqt_body crushed = body_of(world, id);
            require(pqt_box_contains((pqt_box){{4, 4}, {96, 96}}, crushed.position), "outside");
            ck_assert_double_lt(pqt_vec_length(crushed.velocity), 100 * 60);
        }
        expect_sound_world(world);
    }
}
END_TEST

/* A kinematic body presses a ball against a wall, a little from the right, so that the ball would
 * be flung to the left. On its right, two balls of the same island overlap and have room. */
START_TEST(balls_that_overlap_in_a_crushed_island_are_separated)
{
    pqt_step_options options = falling(0);
    options.rest_speed = 10;
    const double sine = 0.1, cosine = 0.99498743710662;
    const pqt_world *world =
        added(small_world(), kinematic(1, 50 + 8 * sine, 96 - 8 * cosine, 4, 0, 50));
    world = added(added(world, ball(2, 50, 96, 4)), ball(3, 58, 96, 4));
    world = added(world, ball(4, 65.8, 96, 4));
    const pqt_world *next = stepped(world, DT, &options);
    const double overlap =
        8 - pqt_vec_distance(body_of(next, 3).position, body_of(next, 4).position);
    ck_assert_msg(overlap < 0.2 - 1e-3, "they overlap by %.17g", overlap);
    ck_assert_double_lt(pqt_vec_length(body_of(next, 2).velocity), 4 * 50 + 11);
}
END_TEST

START_TEST(a_spent_budget_lets_kinematic_bodies_pass)
{
    pqt_step_options options = PQT_STEP_DEFAULTS;
    options.contact_budget = 1;
    const pqt_world *world = added(small_world(), kinematic(1, 10, 50, 2, 60, 0));
    for (uint64_t id = 2; id < 8; id++)
        world = added(world, ball(id, 10 + 8 * (double)id, 50, 2));
    world = stepped(world, 1, &options);
    ck_assert_double_eq(body_of(world, 1).position.x, 70);
    expect_sound_world(world);
}
END_TEST

/* ---- Values ---- */

static const pqt_world *
random_world(dice *d, bool backward, pqt_memory *memory)
{
    pqt_body bodies[MANY];
    const pqt_world *world = world_in(box(0, 0, 100, 100), true, memory);
    for (size_t i = 0; i < MANY; i++) {
        bodies[i] = flying(i, 7 + 14 * (double)(i % 7), 7 + 14 * (double)(i / 7),
                           1 + 5 * dice_real(d), 60 * dice_real(d) - 30, 60 * dice_real(d) - 30);
        bodies[i].kinematic = i % 5 == 0;
        bodies[i].sensor = i % 7 == 3;
    }
    for (size_t i = 0; i < MANY; i++)
        world = added(world, bodies[backward ? MANY - 1 - i : i]);
    return world;
}

START_TEST(worlds_with_kinematic_bodies_do_not_depend_on_order_memory_or_bytes)
{
    dice d = {test_seed(__func__) + (uint64_t)_i}, same = d;
    pqt_error error = {0};
    pqt_step_options options = falling((double)(_i % 3) / 2);
    pqt_memory *other_arena = pqt_arena_make(0, &error);
    const pqt_world *world = random_world(&d, false, arena);
    const pqt_world *other = random_world(&same, true, other_arena);
    for (int k = 0; k < 40; k++) {
        world = stepped(world, 2 * DT, &options);
        other = stepped(other, 2 * DT, &options);
        require(pqt_world_equals(world, other), "the order of insertion has an effect");
        if (k % 8 == 0)
            other = written_and_read(other, other_arena);
    }
    expect_sound_world(world);
    pqt_arena_destroy(&other_arena);
}
END_TEST

START_TEST(a_role_is_part_of_the_value_of_a_world)
{
    const pqt_body plain = ball(1, 50, 50, 3);
    enum { ROLES = 5 };
    pqt_body roles[ROLES] = {plain, plain, plain, plain, plain};
    roles[1].fixed = roles[2].kinematic = roles[3].sensor = roles[4].own_friction = true;
    for (int i = 0; i < ROLES; i++)
        for (int k = 0; k < ROLES; k++) {
            const pqt_world *a = added(small_world(), roles[i]),
                            *b = added(small_world(), roles[k]);
            ck_assert_int_eq(pqt_world_equals(a, b), i == k);
            ck_assert_int_eq(
                pqt_fingerprint_equals(pqt_world_fingerprint(a), pqt_world_fingerprint(b)), i == k);
            ck_assert_int_eq(pqt_world_differs(a, b, NULL), i != k);
        }
    const pqt_world *world = changed(added(small_world(), plain), roles[2]);
    require(body_of(world, 1).kinematic, "a change of a role is lost");
}
END_TEST

static void
expect_refusal(pqt_body body, const char *text)
{
    pqt_error error = {0};
    require(pqt_world_add(small_world(), body, &error) == NULL, "a wrong body is added");
    ck_assert_int_eq(error.status, PQT_ERROR_BODY);
    ck_assert_str_eq(error.text, text);
    ck_assert(names_its_index(&error));
}

START_TEST(roles_that_contradict_each_other_are_refused)
{
    pqt_body body = kinematic(1, 50, 50, 2, 0, 0);
    body.fixed = true;
    expect_refusal(body, "body 0: it is fixed but also kinematic");
    body = kinematic(1, 50, 50, 2, 1, 0);
    body.acceleration.x = 1;
    expect_refusal(body, "body 0: it is kinematic but has an acceleration");
    body = ball(1, 50, 50, 2);
    body.fixed = true;
    body.acceleration.y = 1;
    expect_refusal(body, "body 0: it is fixed but has an acceleration");
    body.acceleration.y = 0;
    body.velocity.y = 1;
    expect_refusal(body, "body 0: it is fixed but has a velocity");
}
END_TEST

START_TEST(kinematic_bodies_have_no_energy_and_no_momentum)
{
    const pqt_world *world = added(small_world(), flying(1, 20, 20, 2, 3, 4));
    const pqt_world_stats before = pqt_world_get_stats(world);
    const pqt_world_stats after =
        pqt_world_get_stats(added(world, kinematic(2, 60, 60, 2, 30, 40)));
    ck_assert_double_eq(after.energy, before.energy);
    ck_assert_double_eq(after.momentum.x, before.momentum.x);
    ck_assert_uint_eq(after.bodies, 2);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("step_kinematic");
    TCase *tests = add_tests(suite, "motion");
    tcase_add_loop_test(tests, nothing_but_a_wall_changes_the_velocity_of_a_kinematic_body, 0, 3);
    tcase_add_test(tests, a_wall_stops_a_kinematic_body_which_continues_along_it);
    tcase_add_test(tests, a_ball_leaves_a_kinematic_body_as_a_fixed_one_in_its_frame);
    tcase_add_test(tests, a_hit_of_a_kinematic_body_is_reported_where_it_is);
    tcase_add_test(tests, a_platform_carries_a_pile_up_and_down);
    tests = add_tests(suite, "sleep");
    tcase_add_test(tests, balls_sleep_on_a_kinematic_body_only_while_it_does_not_move);
    tcase_add_test(tests, a_kinematic_body_wakes_only_bodies_that_it_hits);
    tests = add_tests(suite, "crushing");
    tcase_add_test(tests, a_ball_that_is_crushed_at_a_wall_stays_inside_and_the_step_ends);
    tcase_add_test(tests, balls_that_overlap_in_a_crushed_island_are_separated);
    tcase_add_test(tests, a_spent_budget_lets_kinematic_bodies_pass);
    tests = add_tests(suite, "values");
    tcase_add_loop_test(tests, worlds_with_kinematic_bodies_do_not_depend_on_order_memory_or_bytes,
                        0, ROUNDS);
    tcase_add_test(tests, a_role_is_part_of_the_value_of_a_world);
    tcase_add_test(tests, roles_that_contradict_each_other_are_refused);
    tcase_add_test(tests, kinematic_bodies_have_no_energy_and_no_momentum);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
