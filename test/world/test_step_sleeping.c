/* SPDX-License-Identifier: MIT */
/* test_step_sleeping.c: tests which bodies fall asleep, which events wake them, and how much
 * sleeping bodies cost. */
#include "config.h"

#include <pqt/recording.h>

#include "hooks.h"
#include "obstacle_support.h"
#include "step_support.h"
#include "suite.h"
#include "world/rest_edit.h"

#define GRAVITY 10.0
#define DT (1 / 60.0)

enum { PILE = 6, PILES = 5, FLOOR = 1000, ENOUGH = 300 };

static pqt_step_options
falling(pqt_step_report *report)
{
    pqt_step_options options = PQT_STEP_DEFAULTS;
    options.restitution = 0.25;
    options.gravity.y = GRAVITY;
    options.report = report;
    return options;
}

/* Returns the id of a body of pile p. Its bodies have consecutive ids from PILE p on. */
static uint64_t
id_in_pile(int pile, int ball)
{
    return (uint64_t)(pile * PILE + ball);
}

/* Returns piles of three, two and one balls, each between two fixed balls, and far away from each
 * other. */
static const pqt_world *
piles(int count, bool backward, pqt_memory *memory)
{
    pqt_body bodies[PILES * (PILE + 2)];
    size_t n = 0;
    const pqt_world *world = world_in((pqt_box){{0, -200}, {1000, 0}}, true, memory);
    for (int p = 0; p < count; p++) {
        const double x = 20 + 40 * p;
        for (int i = 0; i < PILE; i++) {
            const int row = i < 3 ? 0 : i < 5 ? 1 : 2, at = i - (row == 0 ? 0 : row == 1 ? 3 : 5);
            bodies[n++] = ball(id_in_pile(p, i), x + 2 * at + row, -1 - 1.8 * row, 1);
        }
        for (int side = 0; side < 2; side++) {
            pqt_body post =
                ball((uint64_t)(FLOOR + 2 * p + side), side == 0 ? x - 2 : x + 6, -1, 1);
            post.fixed = true;
            bodies[n++] = post;
        }
    }
    for (size_t i = 0; i < n; i++)
        world = added(world, bodies[backward ? n - 1 - i : i]);
    return world;
}

static const pqt_world *
sleeping_piles(int count, pqt_memory *memory)
{
    const pqt_step_options options = falling(NULL);
    return after_steps(piles(count, false, memory), ENOUGH, DT, &options);
}

static size_t
asleep_in_pile(const pqt_world *world, int pile)
{
    size_t count = 0;
    for (int i = 0; i < PILE; i++)
        count += pqt_world_is_asleep(world, id_in_pile(pile, i));
    return count;
}

static const pqt_world *
changed(const pqt_world *world, pqt_body body)
{
    pqt_error error = {0};
    return must_world(pqt_world_change(world, body, &error), &error);
}

/* ---- Falling asleep ---- */

START_TEST(piles_fall_asleep_and_steps_return_the_world_itself)
{
    pqt_step_report report = {0};
    const pqt_step_options options = falling(&report);
    const pqt_world *world = sleeping_piles(PILES, arena);
    for (int p = 0; p < PILES; p++)
        ck_assert_uint_eq(asleep_in_pile(world, p), PILE);
    require(!pqt_world_is_asleep(world, FLOOR), "a fixed body sleeps");
    require(!pqt_world_is_asleep(world, 5000), "no body sleeps");
    expect_sound_world(world);
    ck_assert_double_eq(pqt_world_get_stats(world).energy, 0);
    ck_assert_ptr_eq(stepped(world, DT, &options), world);
    ck_assert_uint_eq(report.asleep, PILES * PILE);
    ck_assert_uint_eq(report.tests + report.contacts + report.resting + report.passes, 0);
}
END_TEST

START_TEST(an_island_without_support_stays_awake_and_conserves_momentum)
{
    pqt_step_options options = falling(NULL);
    options.gravity.y = 0;
    options.rest_speed = 1;
    options.sleep_steps = 1;
    const pqt_world *world = world_in((pqt_box){{-100, -100}, {100, 100}}, false, arena);
    for (uint64_t i = 0; i < 9; i++)
        world = added(world, flying(i, 1.99 * (double)(i % 3), 1.99 * (double)(i / 3), 1, 0.01, 0));
    world = after_steps(world, ENOUGH, DT, &options);
    for (uint64_t i = 0; i < 9; i++)
        require(!pqt_world_is_asleep(world, i), "a free body sleeps");
    ck_assert_double_eq_tol(pqt_world_get_stats(world).momentum.x,
                            0.01 * pqt_world_get_stats(world).momentum_scale / 0.01, 1e-12);
    ck_assert_double_gt(pqt_world_get_stats(world).momentum.x, 0);
}
END_TEST

START_TEST(nothing_sleeps_before_its_quiet_steps_or_without_the_option)
{
    pqt_step_options options = falling(NULL);
    const pqt_world *world = sleeping_piles(1, arena);
    options.sleep_steps = 0;
    world = stepped(world, DT, &options);
    ck_assert_uint_eq(asleep_in_pile(world, 0), 0);
    world = after_steps(world, 2 * ENOUGH, DT, &options);
    ck_assert_uint_eq(asleep_in_pile(world, 0), 0);
    options.sleep_steps = 7;
    world = after_steps(world, 6, DT, &options);
    ck_assert_uint_eq(asleep_in_pile(world, 0), 0);
    world = stepped(world, DT, &options);
    ck_assert_uint_eq(asleep_in_pile(world, 0), PILE);
}
END_TEST

START_TEST(steps_without_sleep_count_no_quiet_steps)
{
    pqt_step_options options = falling(NULL);
    const pqt_world *world = world_in((pqt_box){{0, -200}, {1000, 0}}, true, arena);
    world = after_steps(added(world, ball(1, 500, -1, 1)), 59, DT, &options);
    options.sleep_steps = 0;
    options.gravity.x = 5;
    world = after_steps(world, 10, DT, &options);
    options.gravity.x = -5;
    world = after_steps(world, 10, DT, &options);
    options = falling(NULL);
    world = after_steps(world, 59, DT, &options);
    require(!pqt_world_is_asleep(world, 1), "the body sleeps before its quiet steps");
    require(pqt_world_is_asleep(stepped(world, DT, &options), 1), "the body does not sleep");
}
END_TEST

/* Removing the overlap takes more steps than `sleep_steps`. */
START_TEST(bodies_that_overlap_more_than_rest_allows_separate_before_they_sleep)
{
    const pqt_step_options options = falling(NULL);
    const pqt_world *world = world_in((pqt_box){{0, -200}, {2, 0}}, true, arena);
    pqt_body post = ball(1, 1, -1, 1);
    post.fixed = true;
    world = added(added(world, post), ball(2, 1, -2.8, 1));
    world = after_steps(world, 3 * ENOUGH, DT, &options);
    require(pqt_world_is_asleep(world, 2), "the ball does not sleep");
    ck_assert_double_le(2 - (body_of(world, 1).position.y - body_of(world, 2).position.y),
                        1.0 / 16);
}
END_TEST

/* Fast balls divide the step into windows, each of which sorts the balls into another order. */
START_TEST(a_pile_falls_asleep_below_balls_that_pass_in_the_same_step)
{
    enum { FAST = 60 };
    pqt_step_report report = {0};
    pqt_step_options options = falling(&report);
    const pqt_world *world = piles(PILES, false, arena);
    for (const pqt_world *next = world; asleep_in_pile(next, 0) == 0;
         next = stepped(world, DT, &options))
        world = next;
    for (uint64_t i = 0; i < FAST; i++)
        world = added(world, flying(2000 + i, 600 - 5 * (double)i, -150, 1, 2e4, 0));
    report = (pqt_step_report){0};
    world = stepped(world, DT, &options);
    for (int p = 0; p < PILES; p++)
        ck_assert_uint_eq(asleep_in_pile(world, p), PILE);
    ck_assert_uint_eq(report.asleep, PILES * PILE);
    expect_sound_world(world);
}
END_TEST

/* ---- Waking ---- */

START_TEST(a_ball_wakes_the_pile_that_it_hits_and_no_other)
{
    pqt_step_report report = {0};
    const pqt_step_options options = falling(&report);
    const pqt_world *world = sleeping_piles(3, arena);
    world = added(world, flying(900, 62, -30, 1, 0, 5));
    while (asleep_in_pile(world, 1) == PILE) {
        require(body_of(world, 900).position.y < -5, "the ball passes the pile");
        const double mass = body_of(world, 900).mass;
        const double momentum = pqt_world_get_stats(world).momentum.y;
        report = (pqt_step_report){0};
        world = stepped(world, DT, &options);
        const double added_by_gravity = mass * GRAVITY * DT * (report.woken > 0 ? 1 + PILE : 1);
        ck_assert_double_le(pqt_world_get_stats(world).momentum.y,
                            momentum + added_by_gravity + 1e-9);
    }
    ck_assert_uint_eq(report.woken, PILE);
    ck_assert_uint_eq(report.asleep, 2 * PILE);
    ck_assert_uint_eq(asleep_in_pile(world, 1), 0);
    ck_assert_uint_eq(asleep_in_pile(world, 0) + asleep_in_pile(world, 2), 2 * PILE);
    expect_sound_world(world);
    world = after_steps(world, 3 * ENOUGH, DT, &options);
    ck_assert_uint_eq(asleep_in_pile(world, 1), PILE);
    const pqt_body last = body_of(world, 900);
    require(pqt_world_is_asleep(world, 900) || fabs(last.velocity.y) < 1e-9,
            "the ball neither sleeps nor slides along the floor");
}
END_TEST

/* A body that was touched may sleep again after one quiet step. */
START_TEST(bodies_that_sleep_again_in_the_same_step_do_not_count_as_woken)
{
    pqt_step_report report = {0};
    pqt_step_options options = falling(&report);
    options.sleep_steps = 1;
    const pqt_world *world = world_in((pqt_box){{0, -200}, {4, 0}}, true, arena);
    pqt_body heavy = ball(1, 2, -2, 2);
    heavy.mass = 1000;
    world = after_steps(added(world, heavy), 3, DT, &options);
    require(pqt_world_is_asleep(world, 1), "the ball does not sleep");
    world = added(world, flying(2, 2, -10, 0.1, 0, 5));
    size_t touched = 0;
    for (int i = 0; i < 100; i++) {
        const bool slept = pqt_world_is_asleep(world, 1);
        report = (pqt_step_report){0};
        world = stepped(world, DT, &options);
        const bool sleeps = pqt_world_is_asleep(world, 1);
        ck_assert_uint_eq(report.woken, slept && !sleeps);
        touched += slept && sleeps && report.contacts > 0;
    }
    ck_assert_uint_gt(touched, 0);
}
END_TEST

START_TEST(a_ball_that_is_placed_on_a_pile_wakes_it)
{
    const pqt_step_options options = falling(NULL);
    const pqt_world *world = sleeping_piles(2, arena);
    const pqt_body top = body_of(world, id_in_pile(1, 5));
    /* There is a gap between the ball and the box of the top ball, so the edit wakes nothing. The
       gap is so narrow that the ball falls through it in one step. */
    world = added(world, ball(900, top.position.x, top.position.y - 2.0001, 1));
    ck_assert_uint_eq(asleep_in_pile(world, 1), PILE);
    world = after_steps(world, 2, DT, &options);
    ck_assert_uint_eq(asleep_in_pile(world, 1), 0);
    ck_assert_uint_eq(asleep_in_pile(world, 0), PILE);
}
END_TEST

/* Each run of the engine wakes the next ball of a row, until all are woken at once. */
START_TEST(a_row_of_sleepers_that_hit_each_other_in_one_step_conserves_momentum)
{
    enum { ROW = 12 };
    pqt_step_report report = {0};
    pqt_step_options options = falling(&report);
    const pqt_world *world = world_in((pqt_box){{0, -200}, {1000, 0}}, true, arena);
    for (uint64_t i = 0; i < ROW; i++)
        world = added(world, ball(i, 10 + 5 * (double)i, -1, 1));
    world = after_steps(world, 100, DT, &options);
    const pqt_body fast = flying(900, 2, -1, 1, 20000, 0);
    world = added(world, fast);
    report = (pqt_step_report){0};
    world = stepped(world, 0.1, &options);
    ck_assert_uint_eq(report.woken, ROW);
    ck_assert_uint_ge(report.contacts, ROW);
    ck_assert_double_eq_tol(pqt_world_get_stats(world).momentum.x, 20000 * body_of(world, 900).mass,
                            1e-6);
    expect_sound_world(world);
}
END_TEST

typedef const pqt_world *edit_fn(const pqt_world *world, pqt_error *error);

static const pqt_world *
remove_a_post(const pqt_world *world, pqt_error *error)
{
    return pqt_world_remove(world, FLOOR + 3, error);
}

static const pqt_world *
remove_a_ball(const pqt_world *world, pqt_error *error)
{
    return pqt_world_remove(world, id_in_pile(1, 0), error);
}

static const pqt_world *
push_a_ball(const pqt_world *world, pqt_error *error)
{
    pqt_body body = body_of(world, id_in_pile(1, 4));
    body.velocity.x = 1;
    return pqt_world_change(world, body, error);
}

static const pqt_world *
add_a_ball_into_a_pile(const pqt_world *world, pqt_error *error)
{
    const pqt_body top = body_of(world, id_in_pile(1, 5));
    return pqt_world_add(world, ball(900, top.position.x + 1, top.position.y, 1), error);
}

static const pqt_world *
add_a_fixed_ball_into_a_pile(const pqt_world *world, pqt_error *error)
{
    pqt_body body = ball(900, 62, -3, 1);
    body.fixed = true;
    return pqt_world_add(world, body, error);
}

static const pqt_world *
apply_two_changes(const pqt_world *world, pqt_error *error)
{
    pqt_body body = body_of(world, id_in_pile(1, 4));
    body.user_data = 7;
    const pqt_body_change changes[] = {{PQT_BODY_CHANGE, body},
                                       {PQT_BODY_ADD, ball(901, 500, -50, 1)}};
    return pqt_world_apply(world, changes, 2, error);
}

static const pqt_world *
search_without_a_ball(const pqt_world *world, pqt_error *error)
{
    const pqt_query query = {.window = {{0, -200}, {62.5, 0}}, .relation = PQT_INSIDE};
    return pqt_world_search(world, &query, error);
}

START_TEST(an_edit_wakes_the_island_of_a_body_that_it_touches)
{
    static edit_fn *const edits[] = {remove_a_post,
                                     remove_a_ball,
                                     push_a_ball,
                                     add_a_ball_into_a_pile,
                                     apply_two_changes,
                                     search_without_a_ball,
                                     add_a_fixed_ball_into_a_pile};
    const pqt_step_options options = falling(NULL);
    const pqt_world *world = sleeping_piles(2, arena);
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        pqt_error error = {0};
        const pqt_world *edited = must_world(edits[i](world, &error), &error);
        ck_assert_uint_eq(asleep_in_pile(edited, 0), PILE);
        ck_assert_uint_eq(asleep_in_pile(edited, 1), 0);
        expect_sound_world(edited);
        expect_sound_world(stepped(edited, DT, &options));
    }
    pqt_error error = {0};
    expect_sound_world(pqt_world_clear(world, &error));
    ck_assert_uint_eq(asleep_in_pile(pqt_world_clear(world, &error), 0), 0);
}
END_TEST

/* The new list of sleepers keeps the contacts of the pile that slept on. */
START_TEST(a_pile_that_sleeps_again_leaves_another_one_whole)
{
    pqt_error error = {0};
    const pqt_step_options options = falling(NULL);
    const pqt_world *world = must_world(push_a_ball(sleeping_piles(2, arena), &error), &error);
    ck_assert_uint_eq(asleep_in_pile(world, 1), 0);
    world = after_steps(world, ENOUGH, DT, &options);
    ck_assert_uint_eq(asleep_in_pile(world, 0) + asleep_in_pile(world, 1), 2 * PILE);
    pqt_body body = body_of(world, id_in_pile(0, 4));
    body.velocity.x = 1;
    world = changed(world, body);
    ck_assert_uint_eq(asleep_in_pile(world, 0), 0);
    ck_assert_uint_eq(asleep_in_pile(world, 1), PILE);
    expect_sound_world(world);
}
END_TEST

START_TEST(without_its_support_a_pile_falls_apart)
{
    const pqt_step_options options = falling(NULL);
    pqt_error error = {0};
    const pqt_world *world = sleeping_piles(1, arena);
    world = must_world(pqt_world_remove(world, FLOOR + 1, &error), &error);
    world = after_steps(world, 60, DT, &options);
    ck_assert_double_gt(body_of(world, id_in_pile(0, 2)).position.x, 24.5);
}
END_TEST

START_TEST(different_gravity_elastic_steps_and_obstacles_wake_everything)
{
    pqt_step_options options = falling(NULL);
    const pqt_world *world = sleeping_piles(2, arena);
    options.gravity.x = 1;
    const pqt_world *tilted = stepped(world, DT, &options);
    ck_assert_uint_eq(asleep_in_pile(tilted, 0) + asleep_in_pile(tilted, 1), 0);
    options = falling(NULL);
    options.restitution = 1;
    const pqt_world *elastic = stepped(world, DT, &options);
    ck_assert_uint_eq(asleep_in_pile(elastic, 0) + asleep_in_pile(elastic, 1), 0);
    const pqt_pixel_box box = {{300, -20}, {310, -10}};
    const pqt_world *obstructed = obstructed_at(world, boxes_in(arena, &box, 1), 0, 0);
    ck_assert_uint_eq(asleep_in_pile(obstructed, 0) + asleep_in_pile(obstructed, 1), 0);
    expect_sound_world(obstructed);
}
END_TEST

/* ---- Cost ---- */

START_TEST(an_island_asleep_adds_no_test_contact_or_node_to_a_step)
{
    pqt_step_report with = {0}, alone = {0};
    pqt_step_options options = falling(&with);
    const pqt_body flier = flying(900, 500, -100, 1, 20, 0);
    const pqt_world *world = added(sleeping_piles(PILES, arena), flier);
    const pqt_world *lonely = added(world_in(pqt_world_bounds(world), true, arena), flier);
    for (int i = 0; i < 100; i++) {
        const pqt_world *next = stepped(world, DT, &options);
        size_t of_step = 0, of_change = 0;
        pqt_error error = {0};
        const pqt_world *moved = changed(world, body_of(next, 900));
        require(pqt_world_exclusive_bytes(next, &world, 1, &of_step, &error), error.text);
        require(pqt_world_exclusive_bytes(moved, &world, 1, &of_change, &error), error.text);
        ck_assert_uint_le(of_step, of_change);
        world = next;
        options.report = &alone;
        lonely = stepped(lonely, DT, &options);
        options.report = &with;
    }
    ck_assert_uint_eq(with.asleep, 100 * PILES * PILE);
    with.asleep = 0;
    ck_assert_mem_eq(&with, &alone, sizeof with);
    const pqt_body flown = body_of(world, 900), flown_alone = body_of(lonely, 900);
    require(same_body(&flown, &flown_alone), "the motion depends on which bodies sleep");
}
END_TEST

/* Returns the number of bytes that adding or changing a body takes, scratch memory included. */
static size_t
bytes_of_edit(const pqt_world *world, pqt_body body, bool adds)
{
    hooks watch = {0};
    size_t bytes = 0;
    pqt_error error = {0};
    hooks_start(&watch);
    const pqt_world *edited = (adds ? pqt_world_add : pqt_world_change)(world, body, &error);
    hooks_stop();
    must_world(edited, &error);
    for (size_t kind = 0; kind < HOOKS_KINDS; kind++)
        bytes += watch.bytes[kind];
    return bytes;
}

/* Returns the number of bytes that a step takes, scratch memory included. The step must return the
   world itself. */
static size_t
bytes_of_sleep(const pqt_world *world)
{
    hooks watch = {0};
    size_t bytes = 0;
    const pqt_step_options options = falling(NULL);
    hooks_start(&watch);
    const pqt_world *next = stepped(world, DT, &options);
    hooks_stop();
    ck_assert_ptr_eq(next, world);
    for (size_t kind = 0; kind < HOOKS_KINDS; kind++)
        bytes += watch.bytes[kind];
    return bytes;
}

/* A step that visits bodies holds them in scratch memory. */
START_TEST(a_step_of_a_world_asleep_visits_no_body)
{
    const pqt_world *world = sleeping_piles(PILES, arena);
    ck_assert_uint_eq(bytes_of_sleep(world), 0);
    pqt_body platform = flying(901, 500, -100, 1, 0, 0);
    platform.kinematic = true;
    world = added(world, platform);
    ck_assert_uint_eq(bytes_of_sleep(world), 0);
    platform.angular_velocity = 1;
    const pqt_world *turning = changed(world, platform);
    const pqt_step_options options = falling(NULL);
    require(stepped(turning, DT, &options) != turning, "a platform does not turn");
    platform.angular_velocity = 0;
    ck_assert_uint_eq(bytes_of_sleep(changed(turning, platform)), 0);
    pqt_error error = {0};
    world = must_world(pqt_world_remove(world, platform.id, &error), &error);
    ck_assert_uint_eq(bytes_of_sleep(world), 0);
    expect_sound_world(world);
}
END_TEST

START_TEST(an_edit_far_from_bodies_asleep_takes_no_memory_for_them)
{
    const pqt_world *world = added(piles(PILES, false, arena), ball(900, 900, -100, 1));
    const pqt_world *asleep = added(sleeping_piles(PILES, arena), ball(900, 900, -100, 1));
    ck_assert_uint_eq(asleep_in_pile(asleep, 0), PILE);
    ck_assert_uint_eq(bytes_of_edit(asleep, ball(901, 910, -100, 1), true),
                      bytes_of_edit(world, ball(901, 910, -100, 1), true));
    ck_assert_uint_eq(bytes_of_edit(asleep, ball(900, 900, -100, 2), false),
                      bytes_of_edit(world, ball(900, 900, -100, 2), false));
}
END_TEST

/* ---- The value of a world ---- */

START_TEST(sleep_belongs_to_the_value_of_a_world)
{
    const pqt_world *world = sleeping_piles(2, arena);
    pqt_error error = {0};
    pqt_body bodies[2 * (PILE + 2)];
    const size_t count = pqt_world_collect(world, NULL, bodies, sizeof bodies / sizeof *bodies);
    const pqt_world *awake =
        with_bodies(world_in(pqt_world_bounds(world), true, arena), bodies, count);
    uint64_t id = 99;
    require(!pqt_world_equals(world, awake), "which bodies sleep is not part of the value");
    require(pqt_world_differs(world, awake, &id), "no difference is found");
    ck_assert_uint_eq(id, 0);
    require(!pqt_fingerprint_equals(pqt_world_fingerprint(world), pqt_world_fingerprint(awake)),
            "the fingerprint does not depend on which bodies sleep");
    pqt_memory *other = pqt_arena_make(0, &error);
    const pqt_world *copy = pqt_world_copy(world, other, &error);
    require(pqt_world_equals(must_world(copy, &error), world), "a copy differs");
    expect_sound_world(copy);
    size_t exclusive = 0;
    require(pqt_world_exclusive_bytes(copy, NULL, 0, &exclusive, &error), error.text);
    ck_assert_uint_eq(exclusive, pqt_world_get_stats(copy).bytes);
    pqt_arena_destroy(&other);
}
END_TEST

/* Drops a ball on piles whose bodies were inserted in ascending or descending order. */
static const pqt_world *
bombarded(bool backward)
{
    const pqt_step_options options = falling(NULL);
    const pqt_world *world = after_steps(piles(3, backward, arena), ENOUGH, DT, &options);
    return added(world, flying(900, 21.3, -20, 1.5, 0, 3));
}

START_TEST(sleepers_do_not_depend_on_the_order_of_insertion)
{
    const pqt_step_options options = falling(NULL);
    const pqt_world *world = bombarded(false), *other = bombarded(true);
    for (int i = 0; i < 2 * ENOUGH; i++) {
        world = stepped(world, DT, &options);
        other = stepped(other, DT, &options);
        require(pqt_world_equals(world, other), "the order of insertion has an effect");
    }
    ck_assert_uint_eq(asleep_in_pile(world, 0), PILE);
}
END_TEST

START_TEST(worlds_with_sleepers_step_alike_after_saving_and_rewinding)
{
    const pqt_step_options options = falling(NULL);
    pqt_error error = {0};
    pqt_recording *recording = pqt_recording_make(bombarded(false), DT, &options, 32, &error);
    require(recording != NULL, error.text);
    const pqt_world *world = bombarded(false);
    for (size_t i = 1; i <= 200; i++) {
        const pqt_world *read = written_and_read(world, arena);
        require(pqt_world_equals(read, world), "the bytes differ");
        world = stepped(read, DT, &options);
        require(pqt_recording_step(recording, NULL, &error) != NULL, error.text);
    }
    require(pqt_recording_at(recording, 60, &error) != NULL, error.text);
    require(pqt_world_equals(must_world(pqt_recording_at(recording, 200, &error), &error), world),
            "the recording differs");
    require(pqt_recording_verify(recording, NULL, &error), error.text);
    pqt_recording_destroy(&recording);
}
END_TEST

START_TEST(an_invalid_state_of_rest_is_named)
{
    const pqt_world *world = sleeping_piles(1, arena);
    const pqt_body mover = flying(900, 500, -100, 1, 20, 0);
    world = added(world, mover);
    const pqti_rest_states good = world->rest;
    const pqti_rest_draft asleep = pqti_rest_draft_of(good.asleep);
    static const pqti_quiet_body absent = {77, 1}, fixed = {FLOOR, 1}, moving = {900, 1},
                                 restless = {0, 0}, sleeper = {0, 1};
    static const pqti_lasting_contact of_absent = {77, 77, 1, 1}, of_sleeper = {0, 1, 0, 1},
                                      of_flier = {0, 900, 0, 1}, of_posts = {1000, 1001, 0, 1},
                                      wrong = {1, 0, 0, 1};
    const struct {
        bool asleep;
        pqti_rest_draft draft;
        const char *fault;
    } cases[] = {
        {false,
         {.bodies = &absent, .body_count = 1},
         "there is no body with the id of a quiet one"},
        {false,
         {.bodies = &fixed, .body_count = 1},
         "a body that is quiet has no quiet steps, or is fixed or kinematic"},
        {false,
         {.bodies = &restless, .body_count = 1},
         "a body that is quiet has no quiet steps, or is fixed or kinematic"},
        {false, {.bodies = &sleeper, .body_count = 1}, "a body is awake and asleep"},
        {false, {.contacts = &of_absent, .contact_count = 1}, "a lasting contact has no body"},
        {false,
         {.contacts = &of_sleeper, .contact_count = 1},
         "a lasting contact of awake bodies names a body that is asleep"},
        {false, {.contacts = &wrong, .contact_count = 1}, "its ids are not in order"},
        {false,
         {.bodies = &moving, .body_count = 1, .gravity = {1, 0}},
         "gravity is stored for awake bodies"},
        {true, {.bodies = &moving, .body_count = 1}, "a body that is asleep moves"},
        {true,
         {.bodies = asleep.bodies, .body_count = PILE, .contacts = &of_flier, .contact_count = 1},
         "a lasting contact of sleeping bodies names a body that is awake"},
        {true,
         {.bodies = asleep.bodies, .body_count = PILE, .contacts = &of_posts, .contact_count = 1},
         "a lasting contact of sleeping bodies names a body that is awake"},
        {true,
         {.contacts = &of_sleeper, .contact_count = 1},
         "a lasting contact of sleeping bodies names a body that is awake"},
        {true,
         {.bodies = asleep.bodies, .body_count = PILE, .gravity = {NAN, 0}},
         "the gravity of sleeping bodies is invalid"},
    };
    ck_assert_ptr_null(pqti_validate_rest(world));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pqt_world wrong_world = *world;
        require(
            pqti_rest_make(arena, &cases[i].draft, NULL,
                           cases[i].asleep ? &wrong_world.rest.asleep : &wrong_world.rest.awake),
            "out of memory");
        ck_assert_pstr_eq(pqti_validate_rest(&wrong_world), cases[i].fault);
    }
}
END_TEST

/* ---- Without memory ---- */

static const pqt_world *
step_once(const pqt_world *world, pqt_error *error)
{
    const pqt_step_options options = falling(NULL);
    return pqt_world_step(world, DT, &options, error);
}

/* Fails each allocation of a call in turn. */
static void
expect_failures(const pqt_world *world, edit_fn *call)
{
    pqt_error error = {0};
    const pqt_world *expected = must_world(call(world, &error), &error);
    size_t failures = 0;
    for (size_t n = 1;; n++) {
        hooks watch = {.fail_at = n};
        hooks_start(&watch);
        const pqt_world *next = call(world, &error);
        hooks_stop();
        if (watch.failures == 0) {
            require(pqt_world_equals(must_world(next, &error), expected), "the result differs");
            break;
        }
        failures++;
        require(next == NULL && error.status == PQT_ERROR_MEMORY, "a failure is not reported");
        error = (pqt_error){0};
    }
    ck_assert_uint_gt(failures, 4);
}

START_TEST(each_failed_allocation_of_a_step_or_an_edit_that_wakes_is_handled)
{
    const pqt_step_options options = falling(NULL);
    const pqt_world *world = sleeping_piles(2, arena);
    expect_failures(world, remove_a_ball);
    expect_failures(world, apply_two_changes);
    expect_failures(world, search_without_a_ball);
    world = added(world, flying(900, 62, -30, 1, 0, 5));
    for (const pqt_world *next = world; asleep_in_pile(next, 1) == PILE;
         next = stepped(world, DT, &options))
        world = next;
    expect_failures(world, step_once); /* the pile wakes */
    world = piles(1, false, arena);
    for (const pqt_world *next = world; asleep_in_pile(next, 0) == 0;
         next = stepped(world, DT, &options))
        world = next;
    expect_failures(world, step_once); /* the pile falls asleep */
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("step_sleeping");
    TCase *tests = add_tests(suite, "falling asleep");
    tcase_add_test(tests, piles_fall_asleep_and_steps_return_the_world_itself);
    tcase_add_test(tests, an_island_without_support_stays_awake_and_conserves_momentum);
    tcase_add_test(tests, nothing_sleeps_before_its_quiet_steps_or_without_the_option);
    tcase_add_test(tests, steps_without_sleep_count_no_quiet_steps);
    tcase_add_test(tests, bodies_that_overlap_more_than_rest_allows_separate_before_they_sleep);
    tcase_add_test(tests, a_pile_falls_asleep_below_balls_that_pass_in_the_same_step);
    tests = add_tests(suite, "waking");
    tcase_add_test(tests, a_ball_wakes_the_pile_that_it_hits_and_no_other);
    tcase_add_test(tests, bodies_that_sleep_again_in_the_same_step_do_not_count_as_woken);
    tcase_add_test(tests, a_ball_that_is_placed_on_a_pile_wakes_it);
    tcase_add_test(tests, a_row_of_sleepers_that_hit_each_other_in_one_step_conserves_momentum);
    tcase_add_test(tests, an_edit_wakes_the_island_of_a_body_that_it_touches);
    tcase_add_test(tests, a_pile_that_sleeps_again_leaves_another_one_whole);
    tcase_add_test(tests, without_its_support_a_pile_falls_apart);
    tcase_add_test(tests, different_gravity_elastic_steps_and_obstacles_wake_everything);
    tests = add_tests(suite, "cost");
    tcase_add_test(tests, an_island_asleep_adds_no_test_contact_or_node_to_a_step);
    tcase_add_test(tests, a_step_of_a_world_asleep_visits_no_body);
    tcase_add_test(tests, an_edit_far_from_bodies_asleep_takes_no_memory_for_them);
    tests = add_tests(suite, "values");
    tcase_add_test(tests, sleep_belongs_to_the_value_of_a_world);
    tcase_add_test(tests, sleepers_do_not_depend_on_the_order_of_insertion);
    tcase_add_test(tests, worlds_with_sleepers_step_alike_after_saving_and_rewinding);
    tcase_add_test(tests, an_invalid_state_of_rest_is_named);
    tests = add_tests(suite, "hostile");
    tcase_add_test(tests, each_failed_allocation_of_a_step_or_an_edit_that_wakes_is_handled);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
