/* SPDX-License-Identifier: MIT */
/* test_step_falling.c: tests of crowds that fall into a bin: they gain no energy and settle. */
#include "config.h"

#include "step_support.h"
#include "suite.h"

#define GRAVITY 100.0
#define LARGEST 4.0 /* the largest radius; the smallest is 1 */
#define CELL (2.025 * LARGEST)

enum { LEAST_PER_ROW = 4, MOST_PER_ROW = 8, MOST_FALLING = 800, DELAYED = 60 };

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
settled(const pqt_world *world, size_t count, int steps, const pqt_step_options *options)
{
    const double first = energy_above_floor(world, count);
    for (int k = 0; k < steps; k++) {
        world = stepped(world, 0.01, options);
        const double allowed = first * (1 + 1e-9) + options->report->separation_energy;
        const double now = energy_above_floor(world, count);
        if (!(now <= allowed))
            ck_abort_msg("step %d: the energy %.17g is above %.17g", k, now, allowed);
    }
    return world;
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
    expect_sound_world(settled(filled_bin(DELAYED, LEAST_PER_ROW), DELAYED, 600, &options));
    ck_assert_uint_gt(report.delayed, 1000);
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
    world = settled(world, counts[_i], 600, &options);
    expect_sound_world(world);
    ck_assert_uint_gt(report.clusters, 100);
    ck_assert_uint_eq(report.delayed, 0);
    ck_assert_double_lt(pqt_world_get_stats(world).energy, 1e-3 * first);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("step_falling");
    TCase *tests = add_tests(suite, "crowds");
    tcase_add_loop_test(tests, delayed_bodies_gain_no_energy, 0, 6);
    tcase_add_loop_test(tests, a_crowd_that_falls_is_not_delayed, 0, 3);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
