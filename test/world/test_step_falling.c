/* SPDX-License-Identifier: MIT */
/*
 * test_step_falling.c: tests of crowds that fall or are pressed, and of bodies that are delayed.
 *
 * A PQT_TEST_SCALE below 1 reduces the number of steps. The crowds then do not settle, so the tests
 * check the energy, the speeds and the passes only.
 */
#include "config.h"

#include "obstacle_support.h"
#include "suite.h"

#define GRAVITY 100.0
#define LARGEST 4.0 /* the largest radius; the smallest is 1 */
#define CELL (2.025 * LARGEST)

enum { LEAST_PER_ROW = 4, MOST_PER_ROW = 8, MOST_FALLING = 800, DELAYED = 60, SETTLING = 600 };

/* Makes a bin that is filled with one ball of random size in each cell. */
static const pqt_world *
filled_bin(size_t count, size_t per_row)
{
    dice d = {42};
    pqt_body bodies[MOST_FALLING];
    for (size_t i = 0; i < count; i++) {
        const double radius = 1 + (LARGEST - 1) * dice_real(&d), room = CELL - 2 * radius;
        const double x = CELL * (double)(i % per_row) + radius + room * dice_real(&d);
        const double y = CELL * (double)(i / per_row) + radius + room * dice_real(&d);
        bodies[i] = ball(i, x, y, radius);
    }
    const pqt_vec size = {CELL * (double)per_row, CELL * (double)(count / per_row)};
    return with_bodies(world_in((pqt_box){{0, 0}, size}, true, arena), bodies, count);
}

/* Returns the energy of motion and height, relative to the floor. Ignores spins. */
static double
energy_above_floor(const pqt_world *world, size_t count)
{
    double energy = 0;
    pqt_body bodies[MOST_FALLING];
    list_bodies(world, bodies);
    for (size_t i = 0; i < count; i++) {
        const pqt_vec v = bodies[i].velocity;
        const double height = pqt_world_bounds(world).max.y - bodies[i].position.y;
        energy += bodies[i].mass * (0.5 * pqt_vec_dot(v, v) + GRAVITY * height);
    }
    return energy;
}

/* Makes steps, and expects that the energy never exceeds the energy at the start by more than the
 * separation of overlaps added. Returns the last version. */
static const pqt_world *
settled(const pqt_world *world, size_t count, size_t steps, const pqt_step_options *options)
{
    const double first = energy_above_floor(world, count);
    for (size_t k = 0; k < steps; k++) {
        world = stepped(world, 0.01, options);
        const double allowed = first * (1 + 1e-9) + options->report->separation_energy;
        const double now = energy_above_floor(world, count);
        if (!(now <= allowed))
            ck_abort_msg("step %zu: the energy %.17g is above %.17g", k, now, allowed);
    }
    return world;
}

/* Returns the number of steps in which a crowd settles, or fewer if the tests are scaled down. */
static size_t
settling_steps(void)
{
    return test_scaled_from(SETTLING, 10);
}

static pqt_step_options
falling_with(double restitution, pqt_step_report *report)
{
    pqt_step_options options = reporting(report);
    options.restitution = restitution;
    options.gravity.y = GRAVITY;
    return options;
}

/* With a budget of one contact, nearly all bodies are delayed in nearly all steps. */
START_TEST(delayed_bodies_gain_no_energy)
{
    static const double restitutions[] = {0, 0.5, 0.8};
    pqt_step_report report = {0};
    pqt_step_options options = falling_with(restitutions[_i % 3], &report);
    options.contact_budget = 1;
    options.friction = _i < 3 ? 0 : 0.5;
    expect_sound_world(
        settled(filled_bin(DELAYED, LEAST_PER_ROW), DELAYED, settling_steps(), &options));
    ck_assert(settling_steps() < SETTLING || report.delayed > 1000);
}
END_TEST

/* When one cluster delayed a body, the bodies above it were delayed, too, and hung in the air. */
START_TEST(a_crowd_that_falls_is_not_delayed)
{
    static const size_t counts[] = {200, 400, MOST_FALLING};
    static const size_t per_row[] = {LEAST_PER_ROW, LEAST_PER_ROW, MOST_PER_ROW};
    pqt_step_report report = {0};
    const pqt_step_options options = falling_with(0.8, &report);
    const pqt_world *world = filled_bin(counts[_i], per_row[_i]);
    const double first = energy_above_floor(world, counts[_i]);
    world = settled(world, counts[_i], settling_steps(), &options);
    expect_sound_world(world);
    ck_assert_uint_eq(report.delayed, 0);
    if (settling_steps() < SETTLING)
        return;
    ck_assert_uint_gt(report.clusters, 100);
    ck_assert_double_lt(pqt_world_get_stats(world).energy, 1e-3 * first);
}
END_TEST

START_TEST(a_delayed_body_may_have_a_tiny_acceleration)
{
    static const double xs[] = {0, 3, 7};
    const double speed = 1e30;
    pqt_step_report report = {0};
    pqt_step_options options = reporting(&report);
    const pqt_world *world = world_in((pqt_box){{-1e3, -1e3}, {1e3, 1e3}}, false, arena);
    options.contact_budget = 1;
    for (uint64_t i = 0; i < 3; i++) {
        pqt_body body = flying(i, xs[i], 0, 1, i == 0 ? speed : 0, 0);
        body.mass = 1;
        body.acceleration.x = 1e-130;
        world = added(world, body);
    }
    world = stepped(world, 10 / speed, &options);
    ck_assert_uint_eq(report.delayed, 2);
    ck_assert_double_lt(fabs(pqt_world_get_stats(world).momentum.x / speed - 1), 1e-12);
}
END_TEST

/* ---- Crowds that cannot rest ---- */

/* Visits a body, and raises the speed in the context to that of a body that is not kinematic. */
static bool
raise_to_speed(const pqt_body *body, void *context)
{
    double *fastest = context;
    if (!body->kinematic)
        *fastest = fmax(*fastest, sqrt(pqt_vec_dot(body->velocity, body->velocity)));
    return true;
}

/* Adds balls with the radius 1 in a square grid, `across` in a row, and with random speeds. */
static const pqt_world *
with_balls(const pqt_world *world, size_t across, pqt_vec corner, uint64_t seed)
{
    const double cell = 2.1;
    dice d = {seed};
    for (uint64_t i = 0; i < across * across; i++) {
        const double x = corner.x + cell * (double)(i % across) + 1.15;
        const double y = corner.y + cell * (double)(i / across) + 1.15;
        const double vx = 2 * dice_real(&d) - 1, vy = 2 * dice_real(&d) - 1;
        world = added(world, flying(i, x, y, 1, vx, vy));
    }
    return world;
}

static const pqt_world *
with_piston(const pqt_world *world, double x, double y, double radius, pqt_vec velocity)
{
    pqt_body piston = flying(100000, x, y, radius, velocity.x, velocity.y);
    piston.kinematic = true;
    return added(world, piston);
}

/* Makes a world in which a kinematic piston of this speed presses balls against the floor. */
static const pqt_world *
pressed_at_the_floor(size_t across, double speed, uint64_t seed)
{
    const double side = 2.1 * (double)across + 0.2;
    const pqt_world *world = world_in((pqt_box){{0, 0}, {side, 7 * side}}, true, arena);
    world = with_balls(world, across, (pqt_vec){0, 6 * side}, seed);
    return with_piston(world, side / 2, 2.5 * side, side / 2, (pqt_vec){0, speed});
}

/* Makes a world in which it presses them into a corner. */
static const pqt_world *
pressed_in_a_corner(size_t across, double speed, uint64_t seed)
{
    const double side = 2.1 * (double)across + 0.2, along = speed / sqrt(2);
    const pqt_world *world = world_in((pqt_box){{0, 0}, {3 * side, 3 * side}}, true, arena);
    world = with_balls(world, across, (pqt_vec){2 * side - 0.1, 2 * side - 0.1}, seed);
    return with_piston(world, side, side, 0.8 * side, (pqt_vec){along, along});
}

/* Returns the highest speed that a ball has after one of the steps. */
static double
fastest_within(const pqt_world *world, size_t steps, const pqt_step_options *options)
{
    double fastest = 0;
    for (size_t k = 0; k < steps; k++) {
        world = stepped(world, 0.01, options);
        pqt_world_visit(world, NULL, raise_to_speed, &fastest);
    }
    return fastest;
}

/* Between a piston and the floor, no solution of a cluster ends all approaches. */
START_TEST(a_crowd_under_a_piston_is_solved_in_few_passes)
{
    pqt_step_report report = {0};
    const pqt_step_options options = falling_with(0.8, &report);
    const pqt_world *world = pressed_at_the_floor(6, 50, 1 + (uint64_t)_i);
    ck_assert_double_lt(fastest_within(world, test_scaled_from(150, 20), &options), 5 * 50);
    ck_assert_uint_lt(report.passes, 500000);
}
END_TEST

/* If a piston leaves balls no room, no impulses end all approaches. The impulses of islands grew
 * without bound, and balls reached a speed of 1e11. */
START_TEST(a_piston_flings_no_ball_that_it_crushes)
{
    static const double restitutions[] = {0.8, 0, 0.8, 0}, frictions[] = {0.5, 0.5, 0, 0};
    for (int i = 0; i < 4; i++) {
        pqt_step_report report = {0};
        pqt_step_options options = falling_with(restitutions[i], &report);
        options.friction = frictions[i];
        const pqt_world *world = pressed_at_the_floor(3, 5, 1 + (uint64_t)_i);
        ck_assert_double_lt(fastest_within(world, test_scaled_from(500, 20), &options), 5 * 5);
    }
}
END_TEST

/* Walls stop the piston, which still overlaps balls. They had no room to separate, either. */
START_TEST(a_piston_that_stops_flings_no_ball)
{
    pqt_step_report report = {0};
    const pqt_step_options options = falling_with(0.5, &report);
    const pqt_world *world = pressed_in_a_corner(3, 7, 1 + (uint64_t)_i);
    ck_assert_double_lt(fastest_within(world, test_scaled_from(400, 20), &options), 8 * 7);
}
END_TEST

/* Without a rest speed, more clusters delay a ball later, but delay it. */
START_TEST(a_crowd_without_a_rest_speed_causes_few_clusters)
{
    enum { ACROSS = 20 };
    pqt_step_report report = {0};
    pqt_step_options options = reporting(&report);
    const pqt_world *world = world_in((pqt_box){{-1e3, -1e3}, {1e3, 1e3}}, false, arena);
    options.restitution = 0.5;
    for (uint64_t i = 0; i < ACROSS * ACROSS; i++) {
        const double x = 2.2 * (double)(i % ACROSS) - 22, y = 2.2 * (double)(i / ACROSS) - 22;
        world = added(world, flying(i, x, y, 1, -x / 2, -y / 2));
    }
    after_steps(world, 10, 0.1, &options);
    ck_assert_uint_lt(report.clusters, 2000);
}
END_TEST

/* ---- A body without room ---- */

/* Returns balls that fly in the right half of a world. In its left half is a shaft, one pixel
 * wide. */
static const pqt_world *
beside_a_shaft(void)
{
    const pqt_pixel_box sides[] = {pixels(10, 10, 20, 90), pixels(21, 10, 31, 90)};
    const pqt_world *world = obstructed(world_in(box(0, 0, 200, 100), true, arena), sides, 2);
    for (uint64_t i = 1; i < DELAYED; i++)
        world = added(world, flying(i, 110 + 8 * (double)(i % 10), 10 + 8 * (double)(i / 10), 2,
                                    40 * (double)(i % 3) - 40, 30 * (double)(i % 5) - 60));
    return world;
}

/* The ball has two billionths of a pixel to fly to and fro. It made as many contacts as all bodies
 * together may, and then all were delayed. */
START_TEST(a_body_without_room_spends_only_its_own_budget)
{
    pqt_step_report report = {0}, report_without = {0};
    const pqt_step_options options = reporting(&report), without = reporting(&report_without);
    const pqt_body trapped = flying(0, 20.5, 30, 0.5 - 1e-9, 50, 3);
    const pqt_world *others = beside_a_shaft(), *world = added(others, trapped);
    for (int step = 0; step < 3; step++) {
        report = (pqt_step_report){0};
        world = stepped(world, 0.1, &options);
        others = stepped(others, 0.1, &without);
        ck_assert_uint_eq(report.delayed, 1);
        ck_assert_uint_le(report.obstacle_hits, PQT_STEP_BODY_BUDGET + 1);
        for (uint64_t id = 1; id < DELAYED; id++) {
            const pqt_body with = body_of(world, id), alone = body_of(others, id);
            require(same_body(&with, &alone), "the body in the shaft changes another");
        }
    }
    const pqt_body left = body_of(world, 0);
    expect_nobody_inside(world, &left, 1);
    ck_assert_double_gt(left.position.y, 30);
    ck_assert_double_eq(fabs(left.velocity.x), 50);
    ck_assert_uint_gt(report_without.contacts, 20);
}
END_TEST

/* A sixteenth of an explicit budget is the budget of a body, if that is more. */
START_TEST(a_larger_budget_is_larger_for_each_body)
{
    pqt_step_report report = {0};
    pqt_step_options options = reporting(&report);
    options.contact_budget = PQT_STEP_BODY_SHARE * (PQT_STEP_BODY_BUDGET + 1000);
    const pqt_world *world = added(beside_a_shaft(), flying(0, 20.5, 30, 0.5 - 1e-9, 50, 3));
    stepped(world, 0.1, &options);
    ck_assert_uint_eq(report.obstacle_hits, PQT_STEP_BODY_BUDGET + 1001);
    ck_assert_uint_eq(report.delayed, 1);
}
END_TEST

/* A ball flies to and fro between two fixed ones, a billionth apart, until it has spent its budget.
 * Another one then hits it from the side. It has the higher id first, and then the lower one. */
START_TEST(a_body_that_hits_a_delayed_one_is_delayed)
{
    const uint64_t delayed = _i == 0 ? 1 : 2, hits_it = _i == 0 ? 2 : 1;
    const double room = 1e-9;
    const pqt_body bodies[] = {
        {.id = 3, .position = {-2 - room, 0}, .radius = 1, .mass = 1, .fixed = true},
        {.id = 4, .position = {2 + room, 0}, .radius = 1, .mass = 1, .fixed = true},
        flying(delayed, 0, 0, 1, 50, 0),
        flying(hits_it, 0, 10, 1, 0, -80),
    };
    pqt_step_report report = {0};
    const pqt_step_options options = reporting(&report);
    const pqt_world *world =
        with_bodies(world_in(box(-100, -100, 100, 100), false, arena), bodies, 4);
    world = stepped(world, 1, &options);
    ck_assert_uint_gt(report.contacts, 1000);
    ck_assert_uint_eq(report.delayed, 2);
    ck_assert_double_eq_tol(body_of(world, hits_it).position.y, 2, 1e-8);
    ck_assert_double_eq_tol(body_of(world, hits_it).velocity.y, 0, 1e-6);
    ck_assert_double_eq_tol(body_of(world, delayed).velocity.y, -80, 1e-6);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("step_falling");
    TCase *tests = add_tests(suite, "crowds");
    tcase_add_loop_test(tests, delayed_bodies_gain_no_energy, 0, 6);
    tcase_add_loop_test(tests, a_crowd_that_falls_is_not_delayed, 0, 3);
    tcase_add_test(tests, a_delayed_body_may_have_a_tiny_acceleration);
    tests = add_tests(suite, "budgets");
    tcase_add_test(tests, a_body_without_room_spends_only_its_own_budget);
    tcase_add_test(tests, a_larger_budget_is_larger_for_each_body);
    tcase_add_loop_test(tests, a_body_that_hits_a_delayed_one_is_delayed, 0, 2);
    tests = add_tests(suite, "crowds that cannot rest");
    tcase_add_loop_test(tests, a_crowd_under_a_piston_is_solved_in_few_passes, 0, 5);
    tcase_add_loop_test(tests, a_piston_flings_no_ball_that_it_crushes, 0, 8);
    tcase_add_loop_test(tests, a_piston_that_stops_flings_no_ball, 0, 24);
    tcase_add_test(tests, a_crowd_without_a_rest_speed_causes_few_clusters);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
