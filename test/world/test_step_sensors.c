/* SPDX-License-Identifier: MIT */
/* test_step_sensors.c: compares the events of sensors with the positions of bodies. */
#include "config.h"

#include <string.h>

#include <pqt/contact_event.h>

#include "hooks.h"
#include "obstacle_support.h"
#include "step_support.h"
#include "suite.h"

#define DT (1 / 60.0)

enum { MANY = 36, ROUNDS = 12, PIECES = 50 };

static pqt_step_options
listing(double restitution)
{
    pqt_step_options options = PQT_STEP_DEFAULTS;
    options.restitution = restitution;
    options.events = true;
    return options;
}

static pqt_body
sensor(uint64_t id, double x, double y, double radius)
{
    pqt_body body = ball(id, x, y, radius);
    body.fixed = body.sensor = true;
    return body;
}

static bool
is_of_sensor(const pqt_contact_event *event)
{
    return event->kind == PQT_SENSOR_BEGIN || event->kind == PQT_SENSOR_END;
}

/* Returns the events of sensors of a version. They are the last events. */
static const pqt_contact_event *
sensor_events(const pqt_world *world, size_t *count)
{
    const pqt_contact_event *events = pqt_world_events(world, count);
    size_t others = 0;
    while (others < *count && !is_of_sensor(&events[others]))
        others++;
    for (size_t i = others; i < *count; i++)
        require(is_of_sensor(&events[i]), "another event follows those of sensors");
    *count -= others;
    return *count == 0 ? NULL : events + others;
}

static size_t
count_sensor_events(const pqt_world *world)
{
    size_t count = 0;
    sensor_events(world, &count);
    return count;
}

/* ---- One sensor ---- */

START_TEST(a_body_that_passes_a_sensor_in_one_step_has_two_events)
{
    const pqt_step_options options = listing(1);
    size_t count = 0;
    const pqt_world *world = added(small_world(), sensor(9, 50, 50, 5));
    const pqt_world *after = stepped(added(world, flying(4, 20, 50, 2, 100, 0)), 0.5, &options);
    const pqt_contact_event *events = pqt_world_events(after, &count);
    ck_assert_uint_eq(count, 2);
    for (size_t i = 0; i < 2; i++) {
        ck_assert_int_eq(events[i].kind, i == 0 ? PQT_SENSOR_BEGIN : PQT_SENSOR_END);
        ck_assert_int_eq(events[i].side, PQT_SIDE_BODY);
        ck_assert_uint_eq(events[i].low, 4);
        ck_assert_uint_eq(events[i].high, 9);
        ck_assert_double_eq(events[i].impulse, 0);
        ck_assert_double_eq_tol(events[i].time, i == 0 ? 0.23 : 0.37, 1e-12);
        ck_assert_double_eq_tol(events[i].point.x, i == 0 ? 45 : 55, 1e-9);
        ck_assert_double_eq(events[i].normal.x, i == 0 ? 1 : -1);
    }
    ck_assert_double_eq(body_of(after, 4).position.x, 70);
    ck_assert_double_eq(body_of(after, 4).velocity.x, 100);
}
END_TEST

/* The body is so fast that the times at which it enters and leaves have the same double. */
START_TEST(a_body_that_passes_a_sensor_at_once_enters_before_it_leaves)
{
    const pqt_step_options options = listing(1);
    size_t count = 0;
    const pqt_world *world = added(world_in(box(-1, -1, 1, 1), false, arena), sensor(9, 0, 0, 5));
    world = added(world, flying(4, -0x1p59, 0, 2, 0x1p60, 0));
    const pqt_contact_event *events = sensor_events(stepped(world, 1, &options), &count);
    ck_assert_uint_eq(count, 2);
    ck_assert_double_eq(events[0].time, events[1].time);
    ck_assert_int_eq(events[0].kind, PQT_SENSOR_BEGIN);
    ck_assert_int_eq(events[1].kind, PQT_SENSOR_END);
}
END_TEST

START_TEST(events_alternate_from_step_to_step)
{
    const pqt_step_options options = listing(1);
    const pqt_world *world = added(small_world(), sensor(9, 50, 50, 5));
    world = added(world, flying(4, 20, 50, 2, 10, 0));
    for (int k = 0; k < 20; k++) { /* the body enters after 2.3 s and leaves after 3.7 s */
        size_t count = 0;
        world = stepped(world, 0.25, &options);
        const pqt_contact_event *events = sensor_events(world, &count);
        ck_assert_uint_eq(count, k == 9 || k == 14);
        if (count == 1)
            ck_assert_int_eq(events->kind, k == 9 ? PQT_SENSOR_BEGIN : PQT_SENSOR_END);
    }
}
END_TEST

START_TEST(masks_roles_and_options_decide_which_bodies_a_sensor_detects)
{
    pqt_step_options options = listing(1);
    pqt_body area = sensor(9, 50, 50, 5);
    area.mask = 4;
    pqt_body stranger = flying(4, 20, 50, 2, 100, 0), friend = flying(5, 20, 52, 2, 100, 0);
    friend.category = 4;
    stranger.category = 8;
    const pqt_world *world = added(small_world(), area);
    ck_assert_uint_eq(count_sensor_events(stepped(added(world, stranger), 0.5, &options)), 0);
    ck_assert_uint_eq(count_sensor_events(stepped(added(world, friend), 0.5, &options)), 2);
    friend.sensor = true;
    ck_assert_uint_eq(count_sensor_events(stepped(added(world, friend), 0.5, &options)), 0);
    friend.sensor = false;
    options.events = false;
    ck_assert_uint_eq(count_sensor_events(stepped(added(world, friend), 0.5, &options)), 0);
}
END_TEST

START_TEST(a_moving_sensor_finds_resting_bodies_and_does_not_wake_them)
{
    pqt_step_options options = listing(0.25);
    options.gravity.y = 10;
    pqt_body post = ball(1, 30, 50, 3), probe = flying(9, 10, 98, 1.5, 20, 0);
    post.fixed = true;
    probe.kinematic = probe.sensor = true;
    const pqt_world *world = added(added(small_world(), post), ball(2, 40, 99, 1));
    world = after_steps(world, 100, DT, &options);
    require(pqt_world_is_asleep(world, 2), "the ball is awake");
    world = added(world, probe);
    probe.id = 10;
    probe.position.y = 50;
    world = added(world, probe);
    size_t begins = 0, ends = 0;
    for (int k = 0; k < 180; k++) {
        size_t count = 0;
        world = stepped(world, DT, &options);
        const pqt_contact_event *events = sensor_events(world, &count);
        for (size_t i = 0; i < count; i++) {
            begins += events[i].kind == PQT_SENSOR_BEGIN;
            ends += events[i].kind == PQT_SENSOR_END;
        }
        require(pqt_world_is_asleep(world, 2), "the sensor wakes the ball");
    }
    ck_assert_uint_eq(begins, 2);
    ck_assert_uint_eq(ends, 2);
}
END_TEST

START_TEST(a_body_that_is_put_into_a_sensor_has_no_event_until_it_leaves)
{
    const pqt_step_options options = listing(1);
    size_t count = 0;
    const pqt_world *world = added(small_world(), sensor(9, 50, 50, 5));
    world = stepped(added(world, flying(4, 50, 50, 2, 10, 0)), 0.5, &options);
    ck_assert_uint_eq(count_sensor_events(world), 0);
    world = stepped(world, 0.5, &options);
    const pqt_contact_event *events = sensor_events(world, &count);
    ck_assert_uint_eq(count, 1);
    ck_assert_int_eq(events->kind, PQT_SENSOR_END);
    ck_assert_double_eq_tol(events->time, 0.2, 1e-12);
}
END_TEST

START_TEST(a_sensor_that_is_edited_wakes_nothing)
{
    pqt_error error = {0};
    pqt_step_options options = listing(0.25);
    options.gravity.y = 10;
    pqt_body area = sensor(9, 20, 50, 3);
    const pqt_world *world = added(added(small_world(), area), ball(2, 40, 99, 1));
    world = after_steps(world, 100, DT, &options);
    area.position = (pqt_vec){40, 97};
    world = must_world(pqt_world_change(world, area, &error), &error);
    require(pqt_world_is_asleep(world, 2), "the sensor wakes the ball");
    ck_assert_ptr_eq(stepped(world, DT, &options), world);
}
END_TEST

/* ---- Events at one time ---- */

/* Adds bodies in either order. The tests place them symmetrically, so their events have equal
 * times, bit for bit. */
static const pqt_world *
with_bodies_in_order(const pqt_body *bodies, size_t count, bool backward)
{
    const pqt_world *world = small_world();
    for (size_t i = 0; i < count; i++)
        world = added(world, bodies[backward ? count - 1 - i : i]);
    return world;
}

/* Expects that all begin at one time and all end at a later one, each time in the order of `low`
 * and `high`. */
static void
expect_in_order(const pqt_world *world, size_t pairs)
{
    size_t count = 0;
    const pqt_contact_event *events = sensor_events(world, &count);
    ck_assert_uint_eq(count, 2 * pairs);
    for (size_t i = 0; i < count; i++) {
        ck_assert_int_eq(events[i].kind, i < pairs ? PQT_SENSOR_BEGIN : PQT_SENSOR_END);
        if (i % pairs == 0)
            continue;
        ck_assert(events[i - 1].time == events[i].time);
        ck_assert(events[i - 1].low < events[i].low ||
                  (events[i - 1].low == events[i].low && events[i - 1].high < events[i].high));
    }
}

START_TEST(a_body_that_enters_sensors_at_one_time_has_events_in_the_order_of_ids)
{
    const pqt_step_options options = listing(1);
    static const uint64_t ids[] = {4, 8, 12};
    for (int i = 0; i < 3; i++)
        for (int backward = 0; backward < 2; backward++) {
            const pqt_body bodies[] = {flying(ids[i], 20, 50, 2, 100, 0), sensor(7, 50, 46, 5),
                                       sensor(10, 50, 54, 5), sensor(9, 50, 46, 5),
                                       sensor(6, 50, 54, 5)};
            expect_in_order(stepped(with_bodies_in_order(bodies, 5, backward), 0.5, &options), 4);
        }
}
END_TEST

START_TEST(bodies_that_enter_a_sensor_at_one_time_have_events_in_the_order_of_ids)
{
    const pqt_step_options options = listing(1);
    static const uint64_t ids[] = {1, 5, 20};
    for (int i = 0; i < 3; i++)
        for (int backward = 0; backward < 2; backward++) {
            const pqt_body bodies[] = {sensor(ids[i], 50, 50, 5), flying(9, 20, 47, 2, 100, 0),
                                       flying(2, 20, 53, 2, 100, 0),
                                       flying(8, 80, 42.5, 2, -100, 0),
                                       flying(3, 80, 57.5, 2, -100, 0)};
            const pqt_world *world = with_bodies_in_order(bodies, 3, backward);
            expect_in_order(stepped(world, 0.5, &options), 2);
            size_t count = 0;
            world = with_bodies_in_order(bodies, 5, backward);
            (void)sensor_events(stepped(world, 0.5, &options), &count);
            ck_assert_uint_eq(count, 4); /* the others pass the sensor at a distance */
        }
}
END_TEST

/* ---- Random worlds ---- */

/* Returns balls between walls, and sensors that are fixed, are kinematic or fly with the balls. */
static const pqt_world *
random_world(dice *d, bool backward, bool without)
{
    pqt_body bodies[MANY];
    const pqt_world *world = world_in(box(0, 0, 100, 100), true, arena);
    for (size_t i = 0; i < MANY; i++) {
        bodies[i] =
            flying(i, 8 + 16 * (double)(i % 6), 8 + 16 * (double)(i / 6), 1 + 6 * dice_real(d),
                   200 * dice_real(d) - 100, 200 * dice_real(d) - 100);
        bodies[i].mass = 0.5 + dice_real(d);
        bodies[i].sensor = i % 4 == 0;
        bodies[i].kinematic = i % 8 == 0;
        if (i % 12 == 0) {
            bodies[i].kinematic = false;
            bodies[i].fixed = true;
            bodies[i].velocity = (pqt_vec){0, 0};
        }
    }
    for (size_t i = 0; i < MANY; i++) {
        const size_t at = backward ? MANY - 1 - i : i;
        if (!(without && bodies[at].sensor))
            world = added(world, bodies[at]);
    }
    return world;
}

/* Returns the gap between two bodies, which is negative if they overlap. */
static double
gap_of(const pqt_world *world, uint64_t a, uint64_t b)
{
    const pqt_body x = body_of(world, a), y = body_of(world, b);
    return -depth_of(&x, &y);
}

/* Expects that the events of `whole` up to a time lead from the pairs that touch in `before` to
 * those that touch in `now`. `now` is later than `before` by this time. */
static void
expect_pairs(const pqt_world *before, const pqt_world *now, const pqt_world *whole, double time)
{
    size_t count = 0;
    const pqt_contact_event *events = sensor_events(whole, &count);
    for (uint64_t a = 0; a < MANY; a += 4)
        for (uint64_t b = 0; b < MANY; b++) {
            if (b % 4 == 0)
                continue;
            bool touches = gap_of(before, a, b) <= 0;
            for (size_t i = 0; i < count && events[i].time <= time; i++)
                if ((events[i].low == a && events[i].high == b) ||
                    (events[i].low == b && events[i].high == a)) {
                    require((events[i].kind == PQT_SENSOR_BEGIN) != touches,
                            "events do not alternate");
                    touches = !touches;
                }
            const double gap = gap_of(now, a, b);
            require(fabs(gap) < 1e-7 || (gap < 0) == touches, "an event is missing");
        }
}

START_TEST(events_lead_from_the_pairs_of_one_version_to_those_of_the_next)
{
    dice d = {test_seed(__func__) + (uint64_t)_i};
    const pqt_step_options options = listing(1);
    const pqt_world *before = random_world(&d, false, false);
    const pqt_world *whole = stepped(before, 0.25, &options);
    ck_assert_uint_gt(count_sensor_events(whole), 0);
    for (int k = 1; k <= PIECES; k++)
        expect_pairs(before, stepped(before, 0.25 * k / PIECES, &options), whole,
                     0.25 * k / PIECES);
    expect_pairs(before, whole, whole, 0.25);
}
END_TEST

START_TEST(events_lead_from_step_to_step_at_each_restitution)
{
    static const double restitutions[] = {1, 0.5, 0};
    dice d = {test_seed(__func__) + (uint64_t)_i};
    pqt_step_options options = listing(restitutions[_i % 3]);
    options.gravity.y = 50;
    const pqt_world *world = random_world(&d, false, false);
    for (int k = 0; k < 60; k++) {
        const pqt_world *next = stepped(world, 2 * DT, &options);
        size_t count = 0;
        const pqt_contact_event *events = sensor_events(next, &count);
        expect_pairs(world, next, next, 2 * DT);
        for (size_t i = 1; i < count; i++)
            require(
                events[i - 1].time < events[i].time ||
                    (events[i - 1].time == events[i].time &&
                     (events[i - 1].low < events[i].low || (events[i - 1].low == events[i].low &&
                                                            events[i - 1].high <= events[i].high))),
                "the events are not in order");
        world = next;
    }
}
END_TEST

START_TEST(sensors_change_no_motion)
{
    dice d = {test_seed(__func__) + (uint64_t)_i}, same = d;
    pqt_step_options options = listing(0.5), silent = listing(0.5);
    options.gravity.y = silent.gravity.y = 20;
    silent.events = false;
    const pqt_world *with = random_world(&d, false, false), *quiet = with;
    const pqt_world *without = random_world(&same, false, true);
    for (int k = 0; k < 20; k++) {
        with = stepped(with, DT, &options);
        quiet = stepped(quiet, DT, &silent);
        without = stepped(without, DT, &options);
        require(pqt_world_equals(with, quiet), "events change a motion");
    }
    for (uint64_t id = 0; id < MANY; id++)
        if (id % 4 != 0) {
            const pqt_body a = body_of(with, id), b = body_of(without, id);
            /* With other time windows, results are rounded differently. */
            ck_assert_double_eq_tol(a.position.x, b.position.x, 1e-6);
            ck_assert_double_eq_tol(a.position.y, b.position.y, 1e-6);
        }
}
END_TEST

START_TEST(events_of_sensors_do_not_depend_on_the_order_of_insertion)
{
    dice d = {test_seed(__func__)}, same = d;
    const pqt_step_options options = listing(0.5);
    const pqt_world *world = random_world(&d, false, false);
    const pqt_world *other = random_world(&same, true, false);
    for (int k = 0; k < 20; k++) {
        size_t count = 0, count_of_other = 0;
        world = stepped(world, 0.1, &options);
        other = stepped(other, 0.1, &options);
        const pqt_contact_event *events = sensor_events(world, &count);
        const pqt_contact_event *events_of_other = sensor_events(other, &count_of_other);
        ck_assert_uint_eq(count, count_of_other);
        require(count == 0 || memcmp(events, events_of_other, count * sizeof *events) == 0,
                "the order of insertion has an effect");
    }
}
END_TEST

START_TEST(each_failed_allocation_of_a_step_with_sensors_is_handled)
{
    dice d = {test_seed(__func__)};
    const pqt_step_options options = listing(0.5);
    const pqt_world *world = random_world(&d, false, false);
    const pqt_world *expected = stepped(world, 0.25, &options);
    size_t failures = 0;
    for (size_t n = 1;; n++) {
        hooks watch = {.fail_at = n};
        pqt_error error = {0};
        hooks_start(&watch);
        const pqt_world *next = pqt_world_step(world, 0.25, &options, &error);
        hooks_stop();
        if (watch.failures == 0) {
            require(pqt_world_equals(must_world(next, &error), expected), "the result differs");
            ck_assert_uint_eq(count_sensor_events(next), count_sensor_events(expected));
            break;
        }
        failures++;
        require(next == NULL && error.status == PQT_ERROR_MEMORY, "a failure is not reported");
    }
    ck_assert_uint_gt(failures, 15);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("step_sensors");
    TCase *tests = add_tests(suite, "one sensor");
    tcase_add_test(tests, a_body_that_passes_a_sensor_in_one_step_has_two_events);
    tcase_add_test(tests, a_body_that_passes_a_sensor_at_once_enters_before_it_leaves);
    tcase_add_test(tests, events_alternate_from_step_to_step);
    tcase_add_test(tests, masks_roles_and_options_decide_which_bodies_a_sensor_detects);
    tcase_add_test(tests, a_moving_sensor_finds_resting_bodies_and_does_not_wake_them);
    tcase_add_test(tests, a_body_that_is_put_into_a_sensor_has_no_event_until_it_leaves);
    tcase_add_test(tests, a_sensor_that_is_edited_wakes_nothing);
    tests = add_tests(suite, "one time");
    tcase_add_test(tests, a_body_that_enters_sensors_at_one_time_has_events_in_the_order_of_ids);
    tcase_add_test(tests, bodies_that_enter_a_sensor_at_one_time_have_events_in_the_order_of_ids);
    tests = add_tests(suite, "random worlds");
    tcase_add_loop_test(tests, events_lead_from_the_pairs_of_one_version_to_those_of_the_next, 0,
                        ROUNDS);
    tcase_add_loop_test(tests, events_lead_from_step_to_step_at_each_restitution, 0, ROUNDS);
    tcase_add_loop_test(tests, sensors_change_no_motion, 0, ROUNDS);
    tcase_add_test(tests, events_of_sensors_do_not_depend_on_the_order_of_insertion);
    tcase_add_test(tests, each_failed_allocation_of_a_step_with_sensors_is_handled);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
