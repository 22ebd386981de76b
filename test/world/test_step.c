/* SPDX-License-Identifier: MIT */
/* test_step.c: tests steps of worlds case by case: contacts, walls, time, and errors. */
#include "config.h"

#include "hooks.h"
#include "step_support.h"
#include "suite.h"

/* ---- Two bodies ---- */

START_TEST(equal_balls_exchange_their_velocities)
{
    pqt_step_report report = {0};
    pqt_step_options options = reporting(&report);
    const pqt_body bodies[] = {flying(1, 40, 50, 1, 10, 0), flying(2, 60, 50, 1, 0, 0)};
    const pqt_world *world = with_bodies(small_world(), bodies, 2);
    world = stepped(world, 3, &options);
    pqt_body a = body_of(world, 1), b = body_of(world, 2);
    ck_assert(a.velocity.x == 0 && b.velocity.x == 10);
    ck_assert(a.position.x == 58 && b.position.x == 72);
    ck_assert_uint_eq(report.contacts, 1);
    ck_assert_uint_eq(report.bounces, 0);
    ck_assert_uint_gt(report.tests, 0);
    ck_assert_uint_eq(report.plastic, 0);
}
END_TEST

START_TEST(restitution_scales_the_rebound)
{
    const double restitution[] = {0, 0.5, 1};
    const double left[] = {5, 2.5, 0};
    for (int i = 0; i < 3; i++) {
        pqt_step_options options = PQT_STEP_DEFAULTS;
        options.restitution = restitution[i];
        const pqt_body bodies[] = {flying(1, 40, 50, 1, 10, 0), flying(2, 60, 50, 1, 0, 0)};
        const pqt_world *world = stepped(with_bodies(small_world(), bodies, 2), 2, &options);
        ck_assert(body_of(world, 1).velocity.x == left[i]);
        ck_assert(body_of(world, 2).velocity.x == 10 - left[i]);
    }
}
END_TEST

START_TEST(an_impulse_travels_through_a_row)
{
    const pqt_world *world = added(small_world(), flying(0, 20, 50, 1, 16, 0));
    for (uint64_t i = 1; i <= 5; i++)
        world = added(world, ball(i, 30 + 2 * (double)i, 50, 1));
    world = stepped(world, 2, NULL);
    for (uint64_t i = 0; i < 5; i++)
        ck_assert(body_of(world, i).velocity.x == 0);
    ck_assert(body_of(world, 5).velocity.x == 16);
    ck_assert(body_of(world, 0).position.x == 30 && body_of(world, 5).position.x == 62);
}
END_TEST

START_TEST(a_ball_bounces_off_a_wall)
{
    pqt_step_report report = {0};
    pqt_step_options options = reporting(&report);
    const pqt_world *world = added(small_world(), flying(1, 10, 20, 2, -8, -18));
    world = stepped(world, 2, &options);
    pqt_body body = body_of(world, 1);
    ck_assert(body.position.x == 10 && body.position.y == 20);
    ck_assert(body.velocity.x == 8 && body.velocity.y == 18);
    ck_assert_uint_eq(report.bounces, 2);
    options.restitution = 0.5;
    world = stepped(world, 20, &options);
    body = body_of(world, 1);
    ck_assert(body.velocity.x == -4 && body.velocity.y == 4.5);
}
END_TEST

/* Measures the heights of the first BOUNCES rebounds of a ball that falls from a height of 10. */
enum { BOUNCES = 6 };

static void
measure_rebounds(double restitution, double dt, double *heights)
{
    pqt_step_options options = PQT_STEP_DEFAULTS;
    const pqt_world *world = world_in((pqt_box){{0, 0}, {20, 20}}, true, arena);
    options.restitution = restitution;
    options.gravity.y = 10;
    world = added(world, ball(1, 10, 9, 1));
    bool rises = false;
    for (size_t bounces = 0; bounces < BOUNCES;) {
        const double speed = body_of(world = stepped(world, dt, &options), 1).velocity.y;
        if (rises && speed >= 0)
            heights[bounces++] = 19 - body_of(world, 1).position.y;
        rises = speed < 0;
    }
}

/* Rebound k of a ball reaches restitution^(2 k) times the first height. A step adds gravity at its
   start, so that a height may differ by the distance of one step at the speed of the first
   impact. */
START_TEST(a_bouncing_ball_reaches_the_heights_of_the_formula)
{
    static const double restitutions[] = {0.5, 0.8, 1};
    const double e = restitutions[_i], impact_speed = sqrt(2 * 10 * 10);
    for (double dt = 0x1p-8; dt >= 0x1p-14; dt /= 8) {
        double heights[BOUNCES], height = 10;
        measure_rebounds(e, dt, heights);
        for (size_t k = 0; k < BOUNCES; k++) {
            height *= e * e;
            ck_assert(fabs(heights[k] - height) <= impact_speed * dt);
        }
    }
}
END_TEST

START_TEST(a_fixed_body_does_not_move)
{
    pqt_body rock = ball(2, 60, 50, 5);
    rock.fixed = true;
    const pqt_world *world = added(added(small_world(), rock), flying(1, 40, 50, 1, 28, 0));
    world = stepped(world, 1, NULL);
    ck_assert(body_of(world, 1).velocity.x == -28 && body_of(world, 1).position.x == 40);
    rock.mass = body_of(world, 2).mass;
    pqt_body after = body_of(world, 2);
    ck_assert(same_body(&after, &rock));
}
END_TEST

START_TEST(points_pass_each_other)
{
    pqt_body a = flying(1, 40, 50, 0, 10, 0), b = flying(2, 60, 50, 0, -10, 0);
    a.mass = b.mass = 1;
    const pqt_world *world = stepped(added(added(small_world(), a), b), 2, NULL);
    ck_assert(body_of(world, 1).position.x == 60 && body_of(world, 2).position.x == 40);
    pqt_body c = ball(3, 50, 50, 1);
    c.fixed = true;
    world = stepped(added(added(small_world(), a), c), 2, NULL);
    ck_assert(body_of(world, 1).position.x == 38);
}
END_TEST

START_TEST(balls_of_very_different_masses_conserve_momentum_and_energy)
{
    pqt_step_report report = {0};
    pqt_step_options options = reporting(&report);
    pqt_body heavy = flying(1, 50, 50, 5, -1, 0.5), light = flying(2, 20, 50, 5, 3, 0);
    heavy.mass = 1e12;
    light.mass = 1;
    const pqt_world *world = added(added(small_world(), heavy), light);
    pqt_world_stats before = pqt_world_get_stats(world);
    world = after_steps(world, 200, 0.1, &options);
    pqt_world_stats after = pqt_world_get_stats(world);
    ck_assert_uint_gt(report.contacts, 0);
    ck_assert_uint_eq(report.plastic, 0);
    ck_assert(fabs(after.energy / before.energy - 1) < 1e-12);
    expect_sound_world(world);
}
END_TEST

/* ---- Time ---- */

START_TEST(velocities_are_updated_before_positions)
{
    pqt_step_options options = PQT_STEP_DEFAULTS;
    options.gravity = (pqt_vec){0, 8};
    options.damping = 1;
    pqt_body body = flying(1, 50, 50, 1, 6, 0);
    body.acceleration = (pqt_vec){4, 2};
    const pqt_world *world = stepped(added(small_world(), body), 1, &options);
    pqt_body after = body_of(world, 1);
    ck_assert(after.velocity.x == 5 && after.velocity.y == 5);
    ck_assert(after.position.x == 55 && after.position.y == 55);
}
END_TEST

START_TEST(a_step_without_time_or_motion_returns_the_same_version)
{
    const pqt_world *moving = added(small_world(), flying(1, 50, 50, 1, 6, 0));
    const pqt_world *resting = added(added(small_world(), ball(1, 50, 50, 1)), ball(2, 52, 50, 1));
    ck_assert_ptr_eq(stepped(moving, 0, NULL), moving);
    ck_assert_ptr_eq(stepped(resting, 1, NULL), resting);
    const pqt_world *empty = small_world();
    ck_assert_ptr_eq(stepped(empty, 1, NULL), empty);
}
END_TEST

START_TEST(bodies_at_rest_are_shared)
{
    enum { MANY = 20000 };
    static pqt_body bodies[MANY];
    dice d = {4};
    scatter_keys(&d, bodies, MANY, 100, 0.3);
    for (size_t i = 0; i < MANY; i++)
        bodies[i].velocity = (pqt_vec){0, 0};
    bodies[777].velocity = (pqt_vec){0.1, 0};
    const pqt_world *world = with_bodies(small_world(), bodies, MANY);
    const pqt_world *next = stepped(world, 0.01, NULL);
    size_t own = pqt_world_get_stats(next).bytes - pqt_world_shared_bytes(world, next);
    ck_assert_uint_lt(own, 5000);
    expect_sound_world(next);
}
END_TEST

START_TEST(twice_the_speed_in_half_the_time_leads_to_the_same_position)
{
    enum { MANY = 60, STEPS = 100 };
    pqt_body bodies[MANY], slow[MANY], fast[MANY];
    dice d = {8};
    scatter_keys(&d, bodies, MANY, 100, 0.4);
    const pqt_world *world = with_bodies(small_world(), bodies, MANY);
    for (size_t i = 0; i < MANY; i++)
        bodies[i].velocity = pqt_vec_scale(bodies[i].velocity, 2);
    const pqt_world *other = with_bodies(small_world(), bodies, MANY);
    for (size_t k = 0; k < STEPS; k++) {
        world = stepped(world, 0.02, NULL);
        other = stepped(other, 0.01, NULL);
        list_bodies(world, slow);
        list_bodies(other, fast);
        for (size_t i = 0; i < MANY; i++) {
            require(slow[i].position.x == fast[i].position.x &&
                        slow[i].position.y == fast[i].position.y,
                    "the places differ");
            require(2 * slow[i].velocity.x == fast[i].velocity.x, "the velocities differ");
        }
    }
}
END_TEST

/* ---- Speed ---- */

START_TEST(a_fast_ball_passes_through_nothing)
{
    const pqt_world *world = small_world();
    for (uint64_t i = 0; i < 50; i++) {
        pqt_body post = ball(i, 50, 1 + 2 * (double)i, 1);
        post.fixed = true;
        world = added(world, post);
    }
    world = added(world, flying(99, 10, 33.25, 1, 1e6, 1234.5));
    pqt_step_report report = {0};
    pqt_step_options options = reporting(&report);
    for (int i = 0; i < 200; i++) {
        world = stepped(world, 1.0 / 64 / 64, &options);
        pqt_body bullet = body_of(world, 99);
        require(bullet.position.x < 50 && bullet.position.x >= 1, "the bullet passed through");
    }
    ck_assert_uint_gt(report.contacts, 0);
    ck_assert_uint_gt(report.bounces, 100);
}
END_TEST

START_TEST(a_fast_ball_does_not_pass_a_row_of_balls)
{
    enum { MANY = 20 };
    pqt_body bodies[MANY];
    const pqt_world *world = added(small_world(), flying(0, 2, 50, 1, 1e6, 0));
    for (uint64_t i = 1; i < MANY; i++)
        world = added(world, ball(i, 2 + 4.5 * (double)i, 50, 1));
    for (int k = 0; k < 50; k++) {
        world = stepped(world, 0.0001, NULL);
        list_bodies(world, bodies);
        expect_apart(world, bodies, MANY);
        for (size_t i = 1; i < MANY; i++)
            require(bodies[i].position.x > bodies[i - 1].position.x,
                    "two balls exchanged their places");
    }
    ck_assert(fabs(pqt_world_get_stats(world).energy / (0.5 * body_of(world, 0).mass * 1e12) - 1) <
              1e-12);
}
END_TEST

/* ---- Refused steps ---- */

static const struct bad_step {
    double dt, restitution, damping, gravity;
    const char *text;
} bad_steps[] = {
    {-0.5, 1, 0, 0, "dt is -0.5, not in 0 .. 1.6069380442589903e+60"},
    {NAN, 1, 0, 0, "dt is nan, not in 0 .. 1.6069380442589903e+60"},
    {INFINITY, 1, 0, 0, "dt is inf, not in 0 .. 1.6069380442589903e+60"},
    {1, 1.5, 0, 0, "restitution is 1.5, not in 0 .. 1"},
    {1, NAN, 0, 0, "restitution is nan, not in 0 .. 1"},
    {1, 1, -1, 0, "damping is -1, not in 0 .. 1.6069380442589903e+60"},
    {1, 1, 0, NAN, "|gravity.y| is nan, not in 0 .. 1.6069380442589903e+60"},
};

START_TEST(a_bad_step_is_refused)
{
    const struct bad_step *bad = &bad_steps[_i];
    pqt_step_options options = PQT_STEP_DEFAULTS;
    pqt_error error = {0};
    options.restitution = bad->restitution;
    options.damping = bad->damping;
    options.gravity.y = bad->gravity;
    const pqt_world *world = added(small_world(), flying(1, 50, 50, 1, 1, 1));
    ck_assert_ptr_null(pqt_world_step(world, bad->dt, &options, &error));
    expect_failure(&error, PQT_ERROR_OPTION, 0, bad->text);
}
END_TEST

START_TEST(a_body_that_leaves_the_number_range_is_refused)
{
    pqt_error error = {0};
    const pqt_world *world =
        added(world_in(arena_box, false, arena), flying(7, 50, 50, 1, 1e40, 0));
    ck_assert_ptr_null(pqt_world_step(world, 1e30, NULL, &error));
    expect_failure(&error, PQT_ERROR_LIMIT, 0,
                   "body with id 7: its position or velocity is beyond 2^200");
    pqt_step_options options = PQT_STEP_DEFAULTS;
    options.restitution = 0; /* a wall would remove the speed again */
    options.gravity.x = -0x1p199;
    error = (pqt_error){0};
    world = added(small_world(), ball(8, 50, 50, 1));
    ck_assert_ptr_null(pqt_world_step(world, 4, &options, &error));
    expect_failure(&error, PQT_ERROR_LIMIT, 0,
                   "body with id 8: its position or velocity is beyond 2^200");
    options.size = 1;
    error = (pqt_error){0};
    ck_assert_ptr_null(pqt_world_step(world, 1, &options, &error));
    expect_wrong_size(&error, 1, sizeof options, "PQT_STEP_DEFAULTS");
    error = earlier_failure();
    ck_assert_ptr_null(pqt_world_step(NULL, 1, NULL, &error));
    expect_earlier_failure(&error);
}
END_TEST

START_TEST(a_step_of_null_stops_the_program)
{
    pqt_error error = {0};
    (void)!pqt_world_step(NULL, 1, NULL, &error);
}
END_TEST

/* ---- Failing memories ---- */

static const pqt_world *
busy_world(pqt_memory *memory, size_t count)
{
    pqt_body bodies[64];
    dice d = {21};
    scatter_keys(&d, bodies, count, 100, 0.6);
    bodies[1].position = bodies[0].position; /* an overlap to separate */
    bodies[2].velocity.x *= 16;              /* a body that gets new neighbours */
    return with_bodies(world_in(arena_box, true, memory), bodies, count);
}

static const pqt_world *
shot_at_world(void)
{
    pqt_body bodies[64];
    dice d = {22};
    scatter_keys(&d, bodies, 64, 100, 0.2);
    for (size_t i = 0; i < 64; i++)
        bodies[i].velocity = (pqt_vec){i == 9 ? 2e4 : 0, i == 9 ? 1e4 : 0};
    return with_bodies(small_world(), bodies, 64);
}

/*
 * The second step is so long that it is divided into windows. In the third step most balls are at
 * rest, and one reaches its horizon. In these two steps each of the first allocations fails in
 * turn; of the later allocations, only some fail.
 */
START_TEST(each_failed_allocation_of_a_step_is_handled)
{
    const double dt = _i == 1 ? 0.4 : 0.02;
    const pqt_world *world = _i == 2 ? shot_at_world() : busy_world(arena, _i == 0 ? 24 : 60);
    const pqt_world *expected = stepped(world, dt, NULL);
    size_t failures = 0;
    for (size_t n = 1;; n += _i == 0 ? 1 : 1 + n / 16) {
        hooks watch = {.fail_at = n};
        pqt_error error = {0};
        pqt_step_report report = {0};
        pqt_step_options options = reporting(&report);
        hooks_start(&watch);
        const pqt_world *next = pqt_world_step(world, dt, &options, &error);
        hooks_stop();
        if (watch.failures == 0) {
            require(pqt_world_equals(must_world(next, &error), expected), "the result differs");
            break;
        }
        failures++;
        require(next == NULL && error.status == PQT_ERROR_MEMORY, "a failure is not reported");
        require(report.tests == 0, "a failed step writes a report");
    }
    ck_assert_uint_gt(failures, _i == 0 ? 40 : 25);
    expect_sound_world(world);
}
END_TEST

START_TEST(a_collection_at_each_allocation_of_a_step_loses_nothing)
{
    pqt_memory *memory = pqt_collector();
    if (memory == NULL)
        return;
    const pqt_world *world = busy_world(memory, 40);
    const pqt_world *expected = after_steps(busy_world(arena, 40), 3, 0.01, NULL);
    hooks watch = {.collect_every = 1, .memory = memory};
    hooks_start(&watch);
    world = after_steps(world, 3, 0.01, NULL);
    hooks_stop();
    ck_assert_uint_gt(watch.collections, 50);
    expect_sound_world(world);
    ck_assert(pqt_world_equals(world, expected));
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("step");
    TCase *tests = add_tests(suite, "bodies");
    tcase_add_test(tests, equal_balls_exchange_their_velocities);
    tcase_add_test(tests, restitution_scales_the_rebound);
    tcase_add_test(tests, an_impulse_travels_through_a_row);
    tcase_add_test(tests, a_ball_bounces_off_a_wall);
    tcase_add_loop_test(tests, a_bouncing_ball_reaches_the_heights_of_the_formula, 0, 3);
    tcase_add_test(tests, a_fixed_body_does_not_move);
    tcase_add_test(tests, points_pass_each_other);
    tcase_add_test(tests, balls_of_very_different_masses_conserve_momentum_and_energy);
    tests = add_tests(suite, "time");
    tcase_add_test(tests, velocities_are_updated_before_positions);
    tcase_add_test(tests, a_step_without_time_or_motion_returns_the_same_version);
    tcase_add_test(tests, bodies_at_rest_are_shared);
    tcase_add_test(tests, twice_the_speed_in_half_the_time_leads_to_the_same_position);
    tests = add_tests(suite, "speed");
    tcase_add_test(tests, a_fast_ball_passes_through_nothing);
    tcase_add_test(tests, a_fast_ball_does_not_pass_a_row_of_balls);
    tests = add_tests(suite, "refusals");
    tcase_add_loop_test(tests, a_bad_step_is_refused, 0, sizeof bad_steps / sizeof *bad_steps);
    tcase_add_test(tests, a_body_that_leaves_the_number_range_is_refused);
    tcase_add_misuse_test(tests, a_step_of_null_stops_the_program);
    tests = add_tests(suite, "hostile");
    tcase_add_loop_test(tests, each_failed_allocation_of_a_step_is_handled, 0, 3);
    tcase_add_test(tests, a_collection_at_each_allocation_of_a_step_loses_nothing);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
