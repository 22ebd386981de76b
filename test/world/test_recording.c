/* SPDX-License-Identifier: MIT */
/*
 * test_recording.c: tests recordings of worlds: reproducing any step, and finding the step at which
 * two runs diverge.
 */
#include "config.h"

#include "hooks.h"
#include "step_support.h"
#include "suite.h"
#include "world/recording_internal.h"

enum { MANY = 40, STEPS = 50 };

static const pqt_world *
gas(pqt_memory *memory)
{
    pqt_body bodies[MANY];
    dice d = {11};
    scatter_keys(&d, bodies, MANY, 100, 0.4);
    return with_bodies(world_in(arena_box, true, memory), bodies, MANY);
}

static pqt_recording *
recorded(const pqt_world *first, size_t steps, double restitution, size_t every)
{
    pqt_error error = {0};
    pqt_step_options options = PQT_STEP_DEFAULTS;
    options.restitution = restitution;
    pqt_recording *r = pqt_recording_make(first, 0.01, &options, every, &error);
    require(r != NULL, error.text);
    for (size_t i = 0; i < steps; i++)
        must_world(pqt_recording_step(r, NULL, &error), &error);
    return r;
}

START_TEST(any_step_can_be_recomputed)
{
    static const size_t every[] = {1, 7, 50, 1000};
    pqt_error error = {0};
    const pqt_world *fresh[STEPS + 1] = {gas(arena)};
    for (size_t i = 0; i < STEPS; i++)
        fresh[i + 1] = stepped(fresh[i], 0.01, NULL);
    pqt_recording *r = recorded(gas(arena), STEPS, 1, every[_i]);
    ck_assert_uint_eq(pqt_recording_last(r), STEPS);
    size_t keys = STEPS / every[_i] + 1;
    ck_assert_uint_eq(pqt_recording_kept(r), keys + (STEPS % every[_i] != 0));
    for (size_t i = 0; i <= STEPS; i++) {
        size_t step = i * 37 % (STEPS + 1);
        const pqt_world *world = must_world(pqt_recording_at(r, step, &error), &error);
        require(pqt_world_equals(world, fresh[step]), "a repeated step gives a different result");
        require(pqt_recording_fingerprint(r, step).low == pqt_world_fingerprint(world).low,
                "a fingerprint is not that of its step");
    }
    pqt_recording_divergence divergence = {.found = true};
    ck_assert(pqt_recording_verify(r, &divergence, &error));
    ck_assert(!divergence.found);
    ck_assert(pqt_recording_verify(r, NULL, &error));
    pqt_recording_destroy(&r);
    ck_assert_ptr_null(r);
    ck_assert_uint_eq(pqt_memory_get_stats(arena).pins, 0);
}
END_TEST

START_TEST(a_step_that_differs_is_named)
{
    pqt_error error = {0};
    pqt_recording_divergence found;
    pqt_recording *r = recorded(gas(arena), 30, 1, 8);
    r->dt = 0.011; /* as if another machine had made the other steps */
    ck_assert(!pqt_recording_verify(r, &found, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_CORRUPT);
    ck_assert_str_eq(error.text, "step 1 differs from the recording: see body 0 at step 8");
    ck_assert(found.found && found.step == 1 && found.seen == 8 && found.body == 0);
    error = (pqt_error){0};
    ck_assert_ptr_null(pqt_recording_at(r, 21, &error));
    ck_assert_str_eq(error.text, "step 17 differs from the recording: see body 0 at step 24");
    error = (pqt_error){0};
    ck_assert_ptr_nonnull(pqt_recording_at(r, 24, &error));
    pqt_recording_destroy(&r);
}
END_TEST

START_TEST(two_runs_diverge_at_a_step_and_a_body)
{
    pqt_error error = {0};
    pqt_recording_divergence found;
    const pqt_body bodies[] = {flying(7, 10, 50, 1, 100, 0), flying(5, 30.5, 50, 1, 0, 0),
                               ball(1, 50, 80, 2)};
    const pqt_world *world = with_bodies(small_world(), bodies, 3);
    pqt_recording *a = recorded(world, 30, 1, 4), *b = recorded(world, 25, 0.5, 9);
    ck_assert(pqt_recording_compare(a, b, &found, &error));
    ck_assert(found.found && found.step == 19 && found.seen == found.step && found.body == 5);
    pqt_recording *c = recorded(world, 12, 1, 5);
    ck_assert(pqt_recording_compare(a, c, &found, &error));
    ck_assert(!found.found);
    pqt_recording_destroy(&a);
    pqt_recording_destroy(&b);
    pqt_recording_destroy(&c);
}
END_TEST

START_TEST(a_recording_keeps_its_worlds)
{
    pqt_memory *memory = pqt_collector();
    if (memory == NULL)
        return;
    pqt_error error = {0};
    pqt_recording *r = recorded(gas(memory), STEPS, 1, 3);
    for (int i = 0; i < 5; i++)
        pqti_collect(memory);
    for (size_t i = 0; i <= STEPS; i++)
        expect_sound_world(must_world(pqt_recording_at(r, i, &error), &error));
    pqt_recording_destroy(&r);
}
END_TEST

START_TEST(reports_add_up)
{
    pqt_error error = {0};
    pqt_step_report report = {0}, once = {0};
    pqt_step_options options = reporting(&once);
    pqt_recording *r = pqt_recording_make(gas(arena), 0.01, &options, 2, &error);
    const pqt_world *world = gas(arena);
    for (int i = 0; i < 10; i++) {
        world = stepped(world, 0.01, &options);
        must_world(pqt_recording_step(r, &report, &error), &error);
    }
    ck_assert_uint_eq(report.contacts, once.contacts);
    ck_assert_uint_gt(report.tests, 0);
    pqt_recording_destroy(&r);
}
END_TEST

START_TEST(bad_recordings_are_refused)
{
    pqt_error error = {0};
    ck_assert_ptr_null(pqt_recording_make(gas(arena), 0, NULL, 1, &error));
    expect_failure(&error, PQT_ERROR_OPTION, 0,
                   "dt is 0, but must be above 0 and at most 1.6069380442589903e+60");
    error = (pqt_error){0};
    ck_assert_ptr_null(pqt_recording_make(gas(arena), NAN, NULL, 1, &error));
    expect_failure(&error, PQT_ERROR_OPTION, 0,
                   "dt is nan, but must be above 0 and at most 1.6069380442589903e+60");
    error = (pqt_error){0};
    ck_assert_ptr_null(pqt_recording_make(gas(arena), 1e300, NULL, 1, &error));
    expect_failure(&error, PQT_ERROR_OPTION, 0,
                   "dt is 1e+300, but must be above 0 and at most 1.6069380442589903e+60");
    error = (pqt_error){0};
    ck_assert_ptr_null(pqt_recording_make(gas(arena), 1, NULL, 0, &error));
    expect_failure(&error, PQT_ERROR_OPTION, 0, "every is 0, but must be at least 1");
    error = earlier_failure();
    ck_assert_ptr_null(pqt_recording_make(NULL, 1, NULL, 1, &error));
    expect_earlier_failure(&error);
    pqt_recording *r = recorded(gas(arena), 3, 1, 2);
    pqt_recording_destroy(&r);
    pqt_recording_destroy(&r);
    pqt_recording_destroy(NULL);
}
END_TEST

START_TEST(a_missing_recording_or_step_stops_the_program)
{
    pqt_recording *r = recorded(gas(arena), 3, 1, 2);
    switch (_i) {
    case 0:
        (void)!pqt_recording_at(r, 4, NULL);
        break;
    case 1:
        (void)!pqt_recording_at(NULL, 0, NULL);
        break;
    case 2:
        (void)!pqt_recording_fingerprint(r, 4).low;
        break;
    default:
        (void)!pqt_recording_step(NULL, NULL, NULL);
    }
}
END_TEST

START_TEST(each_failed_allocation_is_handled)
{
    const pqt_world *first = gas(arena);
    for (size_t n = 1, done = 0; !done; n++) {
        hooks watch = {.fail_at = n};
        pqt_error error = {0};
        const pqt_world *world = NULL;
        hooks_start(&watch);
        pqt_recording *r = pqt_recording_make(first, 0.01, NULL, 2, &error);
        for (int i = 0; i < 2 && r != NULL; i++)
            world = pqt_recording_step(r, NULL, &error);
        hooks_stop();
        done = watch.failures == 0;
        require(done == (error.status == PQT_OK), "a failure is not reported");
        require(done || error.status == PQT_ERROR_MEMORY, "a different failure is reported");
        require(!done || pqt_recording_at(r, 2, &error) == world, "the last world is not kept");
        pqt_recording_destroy(&r);
        require(pqt_memory_get_stats(arena).pins == 0, "a pin is left");
    }
}
END_TEST

/* With PQT_TEST_SCALE=100, there are 10,000 kept steps. */
START_TEST(kept_steps_equal_a_fresh_run)
{
    pqt_error error = {0};
    size_t steps = test_scaled(100);
    pqt_memory *memory = pqt_collector() != NULL ? pqt_collector() : arena;
    pqt_recording *r = recorded(gas(memory), steps, 1, 1);
    const pqt_world *fresh = gas(memory);
    for (size_t i = 0; i <= steps; i++) {
        require(pqt_world_equals(pqt_recording_at(r, i, &error), fresh), "a kept step differs");
        fresh = stepped(fresh, 0.01, NULL);
    }
    pqt_recording_destroy(&r);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("recording");
    TCase *tests = add_tests(suite, "recording");
    tcase_add_loop_test(tests, any_step_can_be_recomputed, 0, 4);
    tcase_add_test(tests, a_step_that_differs_is_named);
    tcase_add_test(tests, two_runs_diverge_at_a_step_and_a_body);
    tcase_add_test(tests, a_recording_keeps_its_worlds);
    tcase_add_test(tests, reports_add_up);
    tcase_add_test(tests, bad_recordings_are_refused);
    tcase_add_misuse_tests(tests, a_missing_recording_or_step_stops_the_program, 4);
    tcase_add_test(tests, each_failed_allocation_is_handled);
    tcase_add_test(tests, kept_steps_equal_a_fresh_run);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
