/* SPDX-License-Identifier: MIT */
/*
 * test_step_momentum.c: tests that steps conserve momentum, and energy if the restitution is 1.
 *
 * With PQT_TEST_SCALE=167, each random crowd runs for 10,000 steps.
 */
#include "config.h"

#include "hooks.h"
#include "obstacle_support.h"
#include "suite.h"

static const pqt_box wide_box = {{-1e4, -1e4}, {1e4, 1e4}};

/* Returns the allowed rounding error of the momentum, as a fraction of the scale of the
 * momentum. */
static double
allowed_share(const pqt_step_report *report)
{
    return fmax(1e-12, 0x1p-52 * (double)(report->contacts + report->bounces + report->resting));
}

static void
expect_kept_momentum(const pqt_world *world, const pqt_world_stats *before,
                     const pqt_step_report *report)
{
    const pqt_world_stats after = pqt_world_get_stats(world);
    const double scale = fmax(before->momentum_scale, after.momentum_scale);
    const double allowed = allowed_share(report) * scale;
    if (!(fabs(after.momentum.x - before->momentum.x) <= allowed &&
          fabs(after.momentum.y - before->momentum.y) <= allowed))
        ck_abort_msg("momentum %.17g, %.17g was %.17g, %.17g", after.momentum.x, after.momentum.y,
                     before->momentum.x, before->momentum.y);
    require(report->resting > 0 || after.energy <= before->energy * (1 + allowed_share(report)),
            "the energy grew"); /* separating bodies at rest may add energy */
}

/* ---- Rows ---- */

typedef struct row_case {
    /* the number of free balls of radius 1 and mass 1 in the row, which touch each other */
    size_t count;
    double mass; /* the mass of the ball that hits the row at a speed of 10 */
    double restitution;
    uint64_t budget;
} row_case;

static const row_case row_cases[] = {
    {8, 1, 0, 0},      {16, 1, 0, 0},      {32, 1, 0, 0},       {100, 1, 0, 0},
    {4, 1000, 0, 0},   {8, 1000, 0.5, 0},  {32, 1e9, 0.3, 0},   {32, 1e-9, 0.3, 0},
    {8, 1, 0, 1},      {8, 1000, 0.5, 1},  {8, 1000, 1, 1},     {32, 1, 0.9, 7},
    {100, 1, 0.99, 0}, {100, 1000, 1, 50}, {200, 3, 0.0625, 0},
};

enum { ROW_CASES = sizeof row_cases / sizeof *row_cases, MOST_IN_ROW = 200 };

static const pqt_world *
row_world(const row_case *c, bool backward)
{
    pqt_body bodies[MOST_IN_ROW + 1];
    bodies[0] = flying(0, -10, 0, 1, 10, 0);
    bodies[0].mass = c->mass;
    for (size_t i = 1; i <= c->count; i++) {
        bodies[i] = ball(i, 2 * (double)i, 0, 1);
        bodies[i].mass = 1;
    }
    const pqt_world *world = world_in(wide_box, false, arena);
    for (size_t i = 0; backward && i <= c->count; i++)
        world = added(world, bodies[c->count - i]);
    return backward ? world : with_bodies(world, bodies, c->count + 1);
}

START_TEST(a_row_that_is_hit_conserves_momentum)
{
    const row_case *c = &row_cases[_i];
    pqt_step_report report = {0};
    pqt_step_options options = reporting(&report);
    options.restitution = c->restitution;
    options.contact_budget = c->budget;
    const pqt_world *world = row_world(c, false), *other = row_world(c, true);
    const pqt_world_stats before = pqt_world_get_stats(world);
    for (int k = 0; k < 120; k++) {
        world = stepped(world, 1 / 60.0, &options);
        expect_kept_momentum(world, &before, &report);
    }
    other = after_steps(other, 120, 1 / 60.0, &options);
    ck_assert(pqt_world_equals(world, other));
    ck_assert_uint_gt(report.contacts, 1);
    if (c->budget != 0)
        ck_assert_uint_gt(report.delayed, 0);
}
END_TEST

START_TEST(a_plastic_row_moves_as_one)
{
    const row_case c = {32, 1, 0, 0};
    pqt_step_options options = PQT_STEP_DEFAULTS;
    options.restitution = 0;
    const pqt_world *world = after_steps(row_world(&c, false), 240, 1 / 60.0, &options);
    for (uint64_t i = 0; i <= c.count; i++)
        ck_assert(fabs(body_of(world, i).velocity.x - 10.0 / 33) < 1e-4);
}
END_TEST

/* ---- Exact contacts ---- */

typedef struct pi_case {
    double mass;
    uint64_t contacts;
} pi_case;

/* A ball of this mass hits a ball of mass 1, which is at rest in front of a wall, repeatedly until
 * it is turned back. The digits of the number of contacts are the first digits of pi. Source:
 * Galperin 2003, "Playing pool with pi". */
static const pi_case pi_cases[] = {{1, 3}, {1e2, 31}, {1e4, 314}, {1e6, 3141}, {1e8, 31415}};

START_TEST(contacts_of_two_balls_and_a_wall_count_the_digits_of_pi)
{
    const pi_case *c = &pi_cases[_i];
    pqt_step_report report = {0};
    pqt_step_options options = reporting(&report);
    pqt_body pebble = ball(1, 30, 50, 1), heavy = flying(2, 40, 50, 1, -10, 0);
    pebble.mass = 1;
    heavy.mass = c->mass;
    const pqt_world *world = world_in((pqt_box){{0, 0}, {1e4, 100}}, true, arena);
    world = added(added(world, pebble), heavy);
    const double energy = pqt_world_get_stats(world).energy;
    world = after_steps(world, 600, 0.1, &options);
    ck_assert_uint_eq(report.contacts + report.bounces, c->contacts);
    ck_assert_uint_eq(report.plastic + report.delayed, 0);
    ck_assert(fabs(pqt_world_get_stats(world).energy / energy - 1) < 1e-11);
}
END_TEST

START_TEST(touching_balls_fall_freely)
{
    pqt_step_report report = {0};
    pqt_step_options options = reporting(&report);
    const pqt_world *world = world_in(wide_box, false, arena);
    options.restitution = 0;
    options.gravity.y = 10;
    for (uint64_t i = 0; i < 100; i++)
        world = added(world, ball(i, 2 * (double)(i % 10), 2 * (double)(i / 10), 1));
    world = after_steps(world, 120, 1 / 60.0, &options);
    for (uint64_t i = 0; i < 100; i++)
        ck_assert(fabs(body_of(world, i).velocity.y - 20) < 1e-12);
    ck_assert_uint_eq(report.delayed, 0);
}
END_TEST

/* ---- Contacts of earlier instants ---- */

/* Makes a world in which a ball with the id 2 flies to and fro between two walls, two pixels or two
 * fixed balls. */
static const pqt_world *
world_to_and_fro(int kind)
{
    const pqt_pixel_box posts[] = {pixels(10, 40, 12, 60), pixels(90, 40, 92, 60)};
    const pqt_world *world = added(small_world(), flying(2, 50, 50, 1, 1000, 0));
    if (kind == 1)
        world = obstructed(world, posts, 2);
    for (uint64_t id = 1; id <= 3 && kind == 2; id += 2) {
        pqt_body post = ball(id, 20 * (double)id, 50, 1);
        post.fixed = true;
        world = added(world, post);
    }
    return world;
}

START_TEST(at_a_restitution_of_1_contacts_of_earlier_instants_do_not_count)
{
    pqt_step_report report = {0};
    const pqt_step_options options = reporting(&report);
    const pqt_world *world = stepped(world_to_and_fro(_i), 10, &options);
    ck_assert_uint_gt(report.contacts + report.bounces + report.obstacle_hits, PQT_STEP_CONTACTS);
    ck_assert_uint_eq(report.clusters + report.plastic + report.delayed, 0);
    ck_assert_double_eq_tol(fabs(body_of(world, 2).velocity.x), 1000, 1e-9);
}
END_TEST

/* The contacts of a heavy ball, a pebble and the floor happen at one instant, so they form a
 * cluster. The pebble slides away and hits a wall later in the same step. */
START_TEST(after_a_cluster_a_ball_bounces_again_at_a_later_instant)
{
    pqt_step_report report = {0};
    const pqt_step_options options = reporting(&report);
    pqt_body pebble = flying(1, 50, 99, 1, 20, 0), heavy = flying(2, 50, 97, 1, 0, 10);
    pebble.mass = 1;
    heavy.mass = 1e8;
    const pqt_world *world = stepped(added(added(small_world(), pebble), heavy), 4, &options);
    ck_assert_uint_gt(report.clusters, 0);
    ck_assert_uint_eq(report.delayed, 0);
    ck_assert_double_eq(body_of(world, 1).velocity.x, -20);
}
END_TEST

/* ---- Random crowds ---- */

enum { CROWD = 60 };

/* Makes balls of random masses that move toward the middle of a square, some of them in a lattice
 * in which they touch, some apart. There are no walls. */
static const pqt_world *
crowd(dice *d, bool turn)
{
    pqt_body bodies[CROWD];
    const double pitch = dice_chance(d, 50) ? 2 : 2 + dice_real(d), exponent = 30 * dice_real(d);
    for (uint64_t i = 0; i < CROWD; i++) {
        const double x = pitch * (double)(i % 8) - 8, y = pitch * (double)(i / 8) - 8;
        bodies[i] = flying(i * 0x9e3779b97f4a7c15, x, y, 1, 0, 0);
        bodies[i].mass = exp2(exponent * (dice_real(d) - 0.5));
        if (dice_chance(d, 60))
            bodies[i].velocity = (pqt_vec){-x * dice_real(d), -y * dice_real(d)};
        if (turn && dice_chance(d, 50))
            bodies[i].angular_velocity = 20 * dice_real(d) - 10;
    }
    return with_bodies(world_in(wide_box, false, arena), bodies, CROWD);
}

START_TEST(random_crowds_conserve_momentum)
{
    static const double restitutions[] = {0, 0.25, 0.75, 1};
    static const uint64_t budgets[] = {0, 0, 1, 40};
    dice d = {test_seed(__func__) + (uint64_t)_i};
    pqt_step_report report = {0};
    pqt_step_options options = reporting(&report);
    options.restitution = restitutions[_i % 4];
    options.contact_budget = budgets[_i / 4 % 4];
    options.friction = _i / 16 % 2 == 1 ? 0.5 : 0;
    options.rest_speed = _i / 32 == 1 ? 1 : 0;
    const size_t steps = test_scaled(60);
    for (int round = 0; round < 4; round++) {
        const pqt_world *world = crowd(&d, options.friction > 0);
        pqt_world_stats before = pqt_world_get_stats(world);
        report = (pqt_step_report){0};
        for (size_t k = 0; k < steps; k++) {
            world = stepped(world, 0.02, &options);
            expect_kept_momentum(world, &before, &report);
        }
        expect_sound_world(world);
    }
}
END_TEST

/* A heavy ball hits a square of 40 x 40 balls that touch each other. */
START_TEST(a_large_crowd_that_is_hit_conserves_momentum)
{
    enum { ROW = 40 };
    pqt_step_report report = {0};
    pqt_step_options options = reporting(&report);
    pqt_body hammer = flying(ROW * ROW, -20, ROW, 10, 100, 0);
    const pqt_world *world = world_in(wide_box, false, arena);
    uint64_t clusters = 0;
    options.restitution = 0;
    hammer.mass = 1e6;
    for (uint64_t i = 0; i < ROW * ROW; i++)
        world = added(world, ball(i, 2 * (double)(i % ROW), 2 * (double)(i / ROW), 1));
    world = added(world, hammer);
    const pqt_world_stats before = pqt_world_get_stats(world);
    for (int k = 0; k < 12; k++) {
        report = (pqt_step_report){0};
        world = stepped(world, 1 / 60.0, &options);
        clusters += report.clusters;
    }
    ck_assert_uint_gt(clusters, 100);
    expect_kept_momentum(world, &before, &report);
}
END_TEST

/* ---- Failing memories ---- */

START_TEST(each_failed_allocation_of_a_step_with_a_cluster_is_handled)
{
    const row_case c = {100, 1, 0, 0};
    pqt_step_options options = PQT_STEP_DEFAULTS;
    options.restitution = 0;
    const pqt_world *world = NULL, *expected = row_world(&c, false);
    pqt_step_report report = {0};
    options.report = &report;
    while (report.clusters == 0) {
        world = expected;
        expected = stepped(world, 1 / 60.0, &options);
    }
    size_t failures = 0;
    for (size_t n = 1;; n++) {
        hooks watch = {.fail_at = n};
        pqt_error error = {0};
        options.report = NULL;
        hooks_start(&watch);
        const pqt_world *next = pqt_world_step(world, 1 / 60.0, &options, &error);
        hooks_stop();
        if (watch.failures == 0) {
            require(pqt_world_equals(must_world(next, &error), expected), "the result differs");
            break;
        }
        failures++;
        require(next == NULL && error.status == PQT_ERROR_MEMORY, "a failure is not reported");
    }
    ck_assert_uint_gt(failures, 10);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("step_momentum");
    TCase *tests = add_tests(suite, "rows");
    tcase_add_loop_test(tests, a_row_that_is_hit_conserves_momentum, 0, ROW_CASES);
    tcase_add_test(tests, a_plastic_row_moves_as_one);
    tests = add_tests(suite, "exact");
    tcase_add_loop_test(tests, contacts_of_two_balls_and_a_wall_count_the_digits_of_pi, 0,
                        sizeof pi_cases / sizeof *pi_cases);
    tcase_add_test(tests, touching_balls_fall_freely);
    tcase_add_loop_test(tests, at_a_restitution_of_1_contacts_of_earlier_instants_do_not_count, 0,
                        3);
    tcase_add_test(tests, after_a_cluster_a_ball_bounces_again_at_a_later_instant);
    tests = add_tests(suite, "crowds");
    tcase_add_loop_test(tests, random_crowds_conserve_momentum, 0, 64);
    tcase_add_test(tests, a_large_crowd_that_is_hit_conserves_momentum);
    tests = add_tests(suite, "hostile");
    tcase_add_test(tests, each_failed_allocation_of_a_step_with_a_cluster_is_handled);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
