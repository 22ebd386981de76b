/* SPDX-License-Identifier: MIT */
/* test_step_categories.c: tests categories and masks, which decide which bodies meet in a step. */
#include "config.h"

#include <string.h>

#include "step_support.h"
#include "suite.h"

enum { MANY = 150, ROUNDS = 6, STEPS = 60 };

static bool
meet(const pqt_body *a, const pqt_body *b)
{
    return (a->mask == 0 || (a->mask & b->category) != 0) &&
           (b->mask == 0 || (b->mask & a->category) != 0);
}

/* Two balls fly toward each other. */
START_TEST(two_bodies_meet_if_the_mask_of_each_has_the_other)
{
    static const uint32_t bits[] = {0, 1, 2, 3, UINT32_C(1) << 31, UINT32_MAX};
    enum { BITS = sizeof bits / sizeof *bits };
    for (size_t i = 0; i < BITS * BITS * BITS * BITS; i++) {
        pqt_body a = flying(1, 40, 50, 1, 10, 0), b = flying(2, 60, 50, 1, -10, 0);
        a.category = bits[i % BITS];
        a.mask = bits[i / BITS % BITS];
        b.category = bits[i / BITS / BITS % BITS];
        b.mask = bits[i / BITS / BITS / BITS];
        pqt_step_report report = {0};
        const pqt_step_options options = reporting(&report);
        const pqt_world *world = stepped(added(added(small_world(), a), b), 2, &options);
        ck_assert_uint_eq(report.contacts, meet(&a, &b));
        ck_assert_uint_eq(report.tests > 0, meet(&a, &b));
        ck_assert_double_eq(body_of(world, 1).velocity.x, meet(&a, &b) ? -10 : 10);
        ck_assert_uint_eq(body_of(world, 2).category, b.category);
        ck_assert_uint_eq(body_of(world, 2).mask, b.mask);
    }
}
END_TEST

/* Checks that bodies that can meet do not overlap. Returns the number of overlaps between other
 * bodies. */
static size_t
overlaps_of_strangers(const pqt_world *world, pqt_body *bodies)
{
    size_t overlaps = 0;
    list_bodies(world, bodies);
    for (size_t i = 0; i < MANY; i++)
        for (size_t k = 0; k < i; k++) {
            if (!meet(&bodies[i], &bodies[k]))
                overlaps += depth_of(&bodies[i], &bodies[k]) > 0.1;
            else
                require(depth_of(&bodies[i], &bodies[k]) <= allowed_depth(&bodies[i], &bodies[k]),
                        "two balls that meet overlap");
        }
    return overlaps;
}

/* Bodies have equal or mixed sizes, for both kinds of broad phase. */
START_TEST(random_bodies_overlap_only_those_that_they_do_not_meet)
{
    dice d = {test_seed(__func__) + (uint64_t)_i};
    pqt_body bodies[MANY];
    size_t overlaps = 0;
    const pqt_world *world = world_in(box(0, 0, 300, 300), true, arena), *other = world;
    for (size_t i = 0; i < MANY; i++) {
        const double radius = _i % 2 == 0 ? 4 : 1 + 8 * dice_real(&d) * dice_real(&d);
        bodies[i] = flying(i, 12 + 24 * (double)(i % 12), 12 + 21 * (double)(i / 12), radius,
                           400 * dice_real(&d) - 200, 400 * dice_real(&d) - 200);
        bodies[i].category = (uint32_t)dice_below(&d, 8);
        bodies[i].mask = (uint32_t)dice_below(&d, 8);
        bodies[i].fixed = false;
        world = added(world, bodies[i]);
    }
    for (size_t i = MANY; i-- > 0;)
        other = added(other, bodies[i]);
    for (int k = 0; k < STEPS; k++) {
        world = stepped(world, 0.05, NULL);
        other = stepped(other, 0.05, NULL);
        overlaps += overlaps_of_strangers(world, bodies);
        require(pqt_world_equals(world, other), "the order of insertion has an effect");
    }
    ck_assert_uint_gt(overlaps, 100);
    expect_sound_world(world);
}
END_TEST

START_TEST(bodies_that_do_not_meet_rest_and_stay_inside_each_other)
{
    pqt_step_report report = {0};
    pqt_step_options options = reporting(&report);
    options.restitution = 0.3;
    options.gravity.y = 10;
    const pqt_world *world = world_in(box(0, 0, 20, 20), true, arena);
    for (uint64_t i = 0; i < 4; i++) {
        pqt_body body = ball(i, 10 + 0.1 * (double)i, 10, 1);
        body.category = body.mask = UINT32_C(1) << i;
        world = added(world, body);
    }
    world = after_steps(world, 300, 1 / 60.0, &options);
    ck_assert_uint_eq(report.overlaps + report.separated + report.contacts, 0);
    for (uint64_t i = 0; i < 4; i++) {
        ck_assert_double_eq(body_of(world, i).position.x, 10 + 0.1 * (double)i);
        ck_assert_double_eq_tol(body_of(world, i).position.y, 19, 0.01);
        require(pqt_world_is_asleep(world, i), "it does not sleep");
    }
    /* From now on they can meet. */
    pqt_body body = body_of(world, 0);
    body.category = body.mask = 0;
    pqt_error error = {0};
    const pqt_world *changed = must_world(pqt_world_change(world, body, &error), &error);
    require(!pqt_fingerprint_equals(pqt_world_fingerprint(world), pqt_world_fingerprint(changed)),
            "the fingerprint does not depend on the masks");
    require(pqt_world_differs(world, changed, NULL), "no difference is found");
    stepped(changed, 1 / 60.0, &options);
    ck_assert_uint_eq(report.overlaps,
                      0); /* body 0 meets none of them, because their masks exclude it */
    for (uint64_t i = 1; i < 4; i++) {
        body = body_of(changed, i);
        body.mask = 0;
        changed = must_world(pqt_world_change(changed, body, &error), &error);
    }
    stepped(changed, 1 / 60.0, &options);
    ck_assert_uint_eq(report.overlaps, 6);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("step_categories");
    TCase *tests = add_tests(suite, "meeting");
    tcase_add_test(tests, two_bodies_meet_if_the_mask_of_each_has_the_other);
    tcase_add_loop_test(tests, random_bodies_overlap_only_those_that_they_do_not_meet, 0,
                        (int)test_scaled(ROUNDS));
    tcase_add_test(tests, bodies_that_do_not_meet_rest_and_stay_inside_each_other);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
