/* SPDX-License-Identifier: MIT */
/* test_contact_events.c: tests the contact events that steps record in versions. */
#include "config.h"

#include <string.h>

#include <pqt/contact_event.h>

#include "hooks.h"
#include "obstacle_support.h"
#include "step_support.h"
#include "suite.h"

enum { MANY = 60, ROUNDS = 8 };

static pqt_step_options
listing(double restitution)
{
    pqt_step_options options = PQT_STEP_DEFAULTS;
    options.restitution = restitution;
    options.events = true;
    return options;
}

static const pqt_contact_event *
only_event(const pqt_world *world)
{
    size_t count = 0;
    const pqt_contact_event *events = pqt_world_events(world, &count);
    ck_assert_uint_eq(count, 1);
    return events;
}

static size_t
count_events(const pqt_world *world)
{
    size_t count = 77;
    require((pqt_world_events(world, &count) == NULL) == (count == 0), "an array without events");
    return count;
}

/* ---- Hits ---- */

START_TEST(a_hit_of_two_bodies_has_time_impulse_point_and_normal)
{
    const pqt_step_options options = listing(0.5);
    pqt_body a = flying(9, 20, 50, 2, 10, 0), b = flying(4, 40, 50, 3, -5, 0);
    a.mass = 6;
    b.mass = 3;
    const pqt_world *world = stepped(added(added(small_world(), a), b), 2, &options);
    const pqt_contact_event *event = only_event(world);
    ck_assert_int_eq(event->kind, PQT_CONTACT_HIT);
    ck_assert_int_eq(event->side, PQT_SIDE_BODY);
    ck_assert_uint_eq(event->low, 4);
    ck_assert_uint_eq(event->high, 9);
    ck_assert_double_eq_tol(event->time, 1, 1e-12);
    ck_assert_double_eq_tol(event->impulse, 1.5 * 15 * 2, 1e-9); /* (1 + e) v m, m = 6 3 / 9 */
    ck_assert_double_eq_tol(event->point.x, 32, 1e-9);
    ck_assert_double_eq(event->point.y, 50);
    ck_assert_double_eq(event->normal.x, -1);
    ck_assert_double_eq(event->normal.y, 0);
}
END_TEST

START_TEST(hits_of_walls_and_obstacles_name_their_side)
{
    static const struct {
        double vx, vy;
        pqt_contact_side side;
        pqt_vec point;
    } cases[] = {
        {-100, 0, PQT_SIDE_LEFT, {0, 50}},
        {100, 0, PQT_SIDE_RIGHT, {100, 50}},
        {0, -100, PQT_SIDE_UPPER, {50, 0}},
        {0, 100, PQT_SIDE_LOWER, {50, 100}},
    };
    const pqt_step_options options = listing(1);
    for (size_t i = 0; i < 4; i++) {
        pqt_body body = flying(3, 50, 50, 2, cases[i].vx, cases[i].vy);
        body.mass = 2;
        const pqt_contact_event *event =
            only_event(stepped(added(small_world(), body), 0.5, &options));
        ck_assert_int_eq(event->side, cases[i].side);
        ck_assert_uint_eq(event->low, 3);
        ck_assert_uint_eq(event->high, 3);
        ck_assert_double_eq(event->impulse, 400);
        ck_assert_double_eq(event->point.x, cases[i].point.x);
        ck_assert_double_eq(event->point.y, cases[i].point.y);
        ck_assert_double_eq_tol(event->time, 0.48, 1e-12);
    }
    const pqt_pixel_box box = {{60, 40}, {62, 60}};
    pqt_body body = flying(3, 50, 50, 2, 100, 0);
    body.mass = 2;
    const pqt_world *world = obstructed_at(small_world(), boxes_in(arena, &box, 1), 0, 0);
    const pqt_contact_event *event = only_event(stepped(added(world, body), 0.1, &options));
    ck_assert_int_eq(event->side, PQT_SIDE_OBSTACLE);
    ck_assert_double_eq_tol(event->point.x, 60, 1e-9);
    ck_assert_double_eq(event->normal.x, 1);
    ck_assert_double_eq_tol(event->impulse, 400, 1e-9);
}
END_TEST

/* A ball stops between a wall and a fixed ball. Each contact leaves a smaller speed, until the
 * speed is a denormal number, and an impulse is 0. The step had 128 such hits, without end. */
START_TEST(a_ball_in_a_wedge_has_no_hit_without_an_impulse)
{
    pqt_step_options options = listing(0);
    options.friction = _i == 0 ? 0.5 : 0;
    pqt_body post = ball(1, 2.5, 0, 1.2);
    post.fixed = true;
    const pqt_world *world = world_in(box(0, -20, 40, 20), true, arena);
    world = added(added(world, flying(0, 1.2, -3, 1, 0, 3)), post);
    size_t hits = 0, count = 0;
    for (int step = 0; step < 100; step++) {
        world = stepped(world, 1 / 60.0, &options);
        const pqt_contact_event *events = pqt_world_events(world, &count);
        for (size_t i = 0; i < count; i++)
            require(events[i].impulse > 0, "a hit without an impulse");
        hits += count;
    }
    ck_assert_uint_gt(hits, 0);
    ck_assert_uint_eq(count, 0);
    ck_assert_ptr_eq(stepped(world, 1 / 60.0, &options), world);
}
END_TEST

/* Returns random balls between walls. At a restitution of 0, some of them touch when the step
 * begins. */
static const pqt_world *
random_world(dice *d, bool backward)
{
    pqt_body bodies[MANY];
    const pqt_world *world = world_in(box(0, 0, 100, 100), true, arena);
    for (size_t i = 0; i < MANY; i++) {
        bodies[i] = flying(i, 6 + 12 * (double)(i % 8), 6 + 12 * (double)(i / 8),
                           i % 3 == 0 ? 6 : 1 + 5 * dice_real(d), 200 * dice_real(d) - 100,
                           200 * dice_real(d) - 100);
        bodies[i].mass = 0.5 + dice_real(d);
        if (i % 11 == 0) {
            bodies[i].fixed = true;
            bodies[i].velocity = (pqt_vec){0, 0};
        }
    }
    for (size_t i = 0; i < MANY; i++)
        world = added(world, bodies[backward ? MANY - 1 - i : i]);
    return world;
}

/* The momentum of a body and the sum of its impulses. Rounding errors are relative to this sum. */
typedef struct account {
    pqt_vec momentum;
    double sum;
} account;

static void
add_impulse(account *a, pqt_vec normal, double impulse)
{
    a->momentum.x += impulse * normal.x;
    a->momentum.y += impulse * normal.y;
    a->sum += fabs(impulse);
}

/* Checks the order of events, and adds their impulses to the accounts of bodies by id. */
static void
add_impulses(const pqt_world *world, account *accounts)
{
    size_t count = 0;
    const pqt_contact_event *events = pqt_world_events(world, &count);
    for (size_t i = 0; i < count; i++) {
        const pqt_contact_event *e = &events[i];
        require(i == 0 || events[i - 1].time <= e->time, "events are not in the order of time");
        require(i == 0 || e->kind == PQT_CONTACT_HIT || events[i - 1].kind != PQT_CONTACT_HIT,
                "a hit precedes a lasting contact");
        require(e->impulse > 0, "an event without an impulse");
        add_impulse(&accounts[e->low], e->normal, -e->impulse);
        if (e->side == PQT_SIDE_BODY)
            add_impulse(&accounts[e->high], e->normal, e->impulse);
    }
}

/*
 * A step from a world without lasting contacts has an event for each impulse.
 *
 * With seeds 7 and 16 and a restitution of 0.3, a ball is between a wall and a fixed ball, in a gap
 * that is barely narrower than the ball. It has impulses of more than 1e9.
 */
START_TEST(the_impulses_of_all_events_explain_each_velocity)
{
    static const double restitutions[] = {1, 0.7, 0.3, 0};
    static const uint64_t wedges[] = {7, 16};
    const bool is_wedge = _i >= ROUNDS;
    dice d = {is_wedge ? wedges[_i - ROUNDS] : test_seed(__func__) + (uint64_t)_i};
    account accounts[MANY] = {0};
    const pqt_step_options options = listing(is_wedge ? 0.3 : restitutions[_i % 4]);
    const pqt_world *before = random_world(&d, false);
    const pqt_world *after = stepped(before, 0.5, &options);
    for (uint64_t i = 0; i < MANY; i++) {
        const pqt_body body = body_of(before, i);
        accounts[i].momentum = pqt_vec_scale(body.velocity, body.mass);
    }
    add_impulses(after, accounts);
    ck_assert_uint_gt(count_events(after), MANY);
    for (uint64_t i = 0; i < MANY; i++) {
        const pqt_body body = body_of(after, i);
        const double allowed = 1e-9 + 0x1p-51 * accounts[i].sum;
        if (body.fixed)
            continue;
        ck_assert_double_eq_tol(body.mass * body.velocity.x, accounts[i].momentum.x, allowed);
        ck_assert_double_eq_tol(body.mass * body.velocity.y, accounts[i].momentum.y, allowed);
    }
}
END_TEST

START_TEST(events_do_not_depend_on_the_order_of_insertion)
{
    dice d = {test_seed(__func__)}, same = d;
    const pqt_step_options options = listing(0.5);
    const pqt_world *world = random_world(&d, false), *other = random_world(&same, true);
    for (int k = 0; k < 20; k++) {
        size_t count = 0, count_of_other = 0;
        world = stepped(world, 0.1, &options);
        other = stepped(other, 0.1, &options);
        const pqt_contact_event *events = pqt_world_events(world, &count);
        const pqt_contact_event *events_of_other = pqt_world_events(other, &count_of_other);
        ck_assert_uint_eq(count, count_of_other);
        require(count == 0 || memcmp(events, events_of_other, count * sizeof *events) == 0,
                "the order of insertion has an effect");
    }
}
END_TEST

/* ---- Lasting contacts ---- */

START_TEST(a_ball_that_comes_to_rest_begins_one_contact_and_ends_it_when_it_leaves)
{
    pqt_step_options options = listing(0.3);
    options.gravity.y = 10;
    const pqt_world *world = added(small_world(), ball(1, 50, 95, 2));
    size_t begins = 0, hits = 0;
    for (int k = 0; k < 300; k++) {
        size_t count = 0;
        world = stepped(world, 1 / 60.0, &options);
        const pqt_contact_event *events = pqt_world_events(world, &count);
        for (size_t i = 0; i < count; i++) {
            begins += events[i].kind == PQT_CONTACT_BEGIN;
            hits += events[i].kind == PQT_CONTACT_HIT;
            ck_assert_int_ne(events[i].kind, PQT_CONTACT_END);
            ck_assert_int_eq(events[i].side, PQT_SIDE_LOWER);
        }
    }
    ck_assert_uint_eq(begins, 1);
    ck_assert_uint_gt(hits, 0);
    require(pqt_world_is_asleep(world, 1), "the ball does not sleep");
    ck_assert_uint_eq(count_events(world), 0);
    options.gravity.y = -10;
    world = stepped(world, 1 / 60.0, &options);
    const pqt_contact_event *event = only_event(world);
    ck_assert_int_eq(event->kind, PQT_CONTACT_END);
    ck_assert_int_eq(event->side, PQT_SIDE_LOWER);
    ck_assert_double_eq(event->time, 0);
    ck_assert_double_eq(event->impulse, 0);
    ck_assert_uint_eq(count_events(stepped(world, 1 / 60.0, &options)), 0);
}
END_TEST

/* The order does not depend on the sort of the C library. */
START_TEST(contacts_with_pixels_on_several_sides_begin_in_the_order_of_their_normals)
{
    const pqt_pixel_box boxes[] = {{{40, 60}, {62, 62}}, {{60, 40}, {62, 62}}};
    pqt_step_options options = listing(0);
    options.gravity = (pqt_vec){10, 10};
    const pqt_world *world = obstructed_at(small_world(), boxes_in(arena, boxes, 2), 0, 0);
    world = added(world, ball(1, 57.5, 57.5, 2));
    pqt_vec normals[2] = {{0, 0}, {0, 0}};
    size_t begins = 0;
    for (int k = 0; k < 60 && begins < 2; k++) {
        size_t count = 0;
        world = stepped(world, 1 / 60.0, &options);
        const pqt_contact_event *events = pqt_world_events(world, &count);
        for (size_t i = 0; i < count; i++)
            if (events[i].kind == PQT_CONTACT_BEGIN && begins < 2)
                normals[begins++] = events[i].normal;
    }
    ck_assert_uint_eq(begins, 2);
    ck_assert(normals[0].x == 0 && normals[0].y == 1 && normals[1].x == 1 && normals[1].y == 0);
}
END_TEST

START_TEST(a_step_without_events_does_not_keep_those_of_the_previous_step)
{
    pqt_step_options options = listing(0);
    const pqt_world *world = added(small_world(), flying(1, 50, 95, 2, 0, 10));
    world = stepped(world, 1, &options); /* the ball stops at the wall */
    ck_assert_uint_eq(count_events(world), 1);
    const pqt_world *next = stepped(world, 1, &options);
    ck_assert_uint_eq(count_events(next), 0);
    require(pqt_world_equals(next, world), "a step at rest changes the world");
    ck_assert_ptr_eq(stepped(next, 1, &options), next);
}
END_TEST

/* ---- Versions ---- */

START_TEST(events_are_not_part_of_the_value_of_a_world)
{
    dice d = {test_seed(__func__)};
    pqt_error error = {0};
    pqt_step_options options = listing(0.5), silent = listing(0.5);
    silent.events = false;
    const pqt_world *world = random_world(&d, false);
    const pqt_world *with = stepped(world, 0.2, &options), *without = stepped(world, 0.2, &silent);
    ck_assert_uint_gt(count_events(with), 10);
    ck_assert_uint_eq(count_events(without), 0);
    require(pqt_world_equals(with, without) && !pqt_world_differs(with, without, NULL),
            "events are part of the value");
    require(pqt_fingerprint_equals(pqt_world_fingerprint(with), pqt_world_fingerprint(without)),
            "events are part of the fingerprint");
    ck_assert_uint_ge(pqt_world_get_stats(with).bytes,
                      pqt_world_get_stats(without).bytes +
                          count_events(with) * sizeof(pqt_contact_event));
    pqt_memory *other = pqt_arena_make(0, &error);
    const pqt_world *copy = must_world(pqt_world_copy(with, other, &error), &error);
    size_t count = 0;
    const pqt_contact_event *copied = pqt_world_events(copy, &count);
    ck_assert_uint_eq(count, count_events(with));
    ck_assert_mem_eq(copied, pqt_world_events(with, &count), count * sizeof *copied);
    size_t exclusive = 0;
    require(pqt_world_exclusive_bytes(copy, NULL, 0, &exclusive, &error), error.text);
    ck_assert_uint_eq(exclusive, pqt_world_get_stats(copy).bytes);
    pqt_arena_destroy(&other);
    ck_assert_uint_eq(count_events(must_world(pqt_world_remove(with, 1, &error), &error)), 0);
    ck_assert_uint_eq(count_events(must_world(pqt_world_clear(with, &error), &error)), 0);
    const pqt_pixel_box box = {{200, 200}, {201, 201}};
    ck_assert_uint_eq(count_events(obstructed_at(with, boxes_in(arena, &box, 1), 0, 0)), 0);
}
END_TEST

START_TEST(each_failed_allocation_of_a_step_that_lists_events_is_handled)
{
    dice d = {test_seed(__func__)};
    pqt_step_options options = listing(0);
    options.gravity.y = 50;
    const pqt_world *world = stepped(random_world(&d, false), 0.2, &options);
    const pqt_world *expected = stepped(world, 0.2, &options);
    size_t failures = 0;
    for (size_t n = 1;; n++) {
        hooks watch = {.fail_at = n};
        pqt_error error = {0};
        hooks_start(&watch);
        const pqt_world *next = pqt_world_step(world, 0.2, &options, &error);
        hooks_stop();
        if (watch.failures == 0) {
            require(pqt_world_equals(must_world(next, &error), expected), "the result differs");
            ck_assert_uint_eq(count_events(next), count_events(expected));
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
    Suite *suite = suite_create("contact_events");
    TCase *tests = add_tests(suite, "hits");
    tcase_add_test(tests, a_hit_of_two_bodies_has_time_impulse_point_and_normal);
    tcase_add_test(tests, hits_of_walls_and_obstacles_name_their_side);
    tcase_add_loop_test(tests, a_ball_in_a_wedge_has_no_hit_without_an_impulse, 0, 2);
    tcase_add_loop_test(tests, the_impulses_of_all_events_explain_each_velocity, 0, ROUNDS + 2);
    tcase_add_test(tests, events_do_not_depend_on_the_order_of_insertion);
    tests = add_tests(suite, "lasting contacts");
    tcase_add_test(tests, a_ball_that_comes_to_rest_begins_one_contact_and_ends_it_when_it_leaves);
    tcase_add_test(tests,
                   contacts_with_pixels_on_several_sides_begin_in_the_order_of_their_normals);
    tcase_add_test(tests, a_step_without_events_does_not_keep_those_of_the_previous_step);
    tests = add_tests(suite, "versions");
    tcase_add_test(tests, events_are_not_part_of_the_value_of_a_world);
    tcase_add_test(tests, each_failed_allocation_of_a_step_that_lists_events_is_handled);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
