/* SPDX-License-Identifier: MIT */
/* test_step_loading.c: tests which bodies a step reads if few are awake, and that those that it
 * does not read have no effect. */
#include "config.h"

#include <pqt/contact_event.h>

#include "hooks.h"
#include "obstacle_support.h"
#include "random.h"
#include "step_support.h"
#include "suite.h"
#include "tree/item_hash.h"
#include "world/world_internal.h"

#define DT (1 / 60.0)
#define GRAVITY 10.0

/* Sleepers have the ids from 1 on. */
enum { FEW = 128, MANY = 2048, MOVER = 100000, BALLAST = 200000, MOST_BALLAST = 64, ROUNDS = 30 };

static pqt_step_options
falling(pqt_step_report *report)
{
    pqt_step_options options = PQT_STEP_DEFAULTS;
    options.restitution = 0.25;
    options.gravity.y = GRAVITY;
    options.sleep_steps = 2;
    options.report = report;
    return options;
}

/* Returns a floor of balls that sleep, which do not touch each other. */
static const pqt_world *
sleepers(size_t count)
{
    static pqt_body bodies[MANY];
    const pqt_step_options options = falling(NULL);
    const pqt_box bounds = {{0, -2000}, {3 * (double)MANY, 0}};
    for (size_t i = 0; i < count; i++)
        bodies[i] = ball(i + 1, 2 + 3 * (double)i, -1, 1);
    const pqt_world *world = with_bodies(world_in(bounds, true, arena), bodies, count);
    world = after_steps(world, 4, DT, &options);
    require(pqt_world_is_asleep(world, 1) && pqt_world_is_asleep(world, count), "a ball is awake");
    return world;
}

/* ---- Counts ---- */

/* The cost of a step. */
typedef struct step_cost {
    uint64_t visited;
    size_t scratch_bytes, kept_bytes; /* of the blocks that it allocated */
} step_cost;

static step_cost
cost_of_step(const pqt_world *world, const pqt_world **next)
{
    hooks watch = {0};
    pqt_step_report report = {0};
    const pqt_step_options options = falling(&report);
    hooks_start(&watch);
    *next = stepped(world, DT, &options);
    hooks_stop();
    expect_sound_world(*next);
    return (step_cost){report.visited, watch.bytes[PQTI_BLOCK_SCRATCH], hooks_kept_bytes(&watch)};
}

/* Returns the greatest costs of several steps. */
static step_cost
cost_of_steps(const pqt_world *world, int steps)
{
    step_cost most = {0, 0, 0};
    for (int i = 0; i < steps; i++) {
        const step_cost cost = cost_of_step(world, &world);
        most.visited = cost.visited > most.visited ? cost.visited : most.visited;
        if (cost.scratch_bytes > most.scratch_bytes)
            most.scratch_bytes = cost.scratch_bytes;
        if (cost.kept_bytes > most.kept_bytes)
            most.kept_bytes = cost.kept_bytes;
    }
    return most;
}

/* The body map divides by 4 at each level, and so does the tree. Each further level adds one node
   of each, and own items. */
START_TEST(a_step_with_one_ball_awake_costs_the_same_among_any_number_of_sleepers)
{
    enum { LEVELS = 2, BYTES_OF_LEVEL = 1024 };
    const pqt_body flier = flying(MOVER, 100, -1000, 1, 5, 0);
    const step_cost few = cost_of_steps(added(sleepers(FEW), flier), 30);
    const step_cost many = cost_of_steps(added(sleepers(FEW << (2 * LEVELS)), flier), 30);
    ck_assert_uint_eq(few.visited, 1);
    ck_assert_uint_eq(many.visited, 1);
    ck_assert_uint_eq(many.scratch_bytes, few.scratch_bytes);
    ck_assert_uint_le(many.kept_bytes, few.kept_bytes + LEVELS * BYTES_OF_LEVEL);
    const step_cost none = cost_of_steps(sleepers(MANY), 3);
    ck_assert_uint_eq(none.visited + none.scratch_bytes + none.kept_bytes, 0);
}
END_TEST

START_TEST(a_ball_near_sleepers_visits_only_those_near_it)
{
    pqt_body above = flying(MOVER, 2 + 3.0 * 50, -3.2, 1, 0, 0);
    above.acceleration.y = -GRAVITY;
    const step_cost near = cost_of_steps(added(sleepers(MANY), above), 30);
    ck_assert_uint_gt(near.visited, 1);
    ck_assert_uint_le(near.visited, 4);
}
END_TEST

START_TEST(a_ball_that_bounces_among_sleepers_visits_only_those_that_it_wakes_and_others_near_it)
{
    const step_cost hit = cost_of_steps(added(sleepers(MANY), flying(MOVER, 151, -5, 1, 1, 4)), 60);
    ck_assert_uint_gt(hit.visited, 2);
    ck_assert_uint_le(hit.visited, 24);
}
END_TEST

/* Heavy balls hit light ones, which leave their covers one after the other. */
START_TEST(many_balls_that_leave_their_covers_visit_few_more_than_all)
{
    enum { PAIRS = MANY / 20 };
    const pqt_world *world = sleepers(MANY);
    for (size_t i = 0; i < PAIRS; i++) {
        const double x = 20 + 50 * (double)i, speed = 400 * (1 + (double)i / PAIRS / 2);
        pqt_body heavy = flying(MOVER + 2 * i, x, -500, 1, speed, 0);
        heavy.mass = 1000;
        world = added(added(world, heavy), flying(MOVER + 2 * i + 1, x + 2.2, -500, 0.1, 0, 0));
    }
    const size_t count = MANY + 2 * PAIRS;
    const step_cost cost = cost_of_steps(world, 1);
    ck_assert_uint_gt(cost.visited, count);
    ck_assert_uint_le(cost.visited, count + count / 2);
}
END_TEST

START_TEST(fixed_bodies_are_not_visited_either)
{
    static pqt_body bodies[MANY];
    const pqt_step_options options = falling(NULL);
    for (size_t i = 0; i < MANY; i++) {
        bodies[i] = ball(i + 1, 2 + 3 * (double)(i % 64), -20 - 3 * (double)(i / 64), 1);
        bodies[i].fixed = true;
    }
    const pqt_world *world =
        with_bodies(world_in((pqt_box){{0, -400}, {400, 0}}, true, arena), bodies, MANY);
    ck_assert_ptr_eq(stepped(world, DT, &options), world);
    ck_assert_uint_eq(cost_of_steps(world, 1).visited, 0);
    ck_assert_uint_le(cost_of_steps(added(world, flying(MOVER, 100, -250, 1, 5, 0)), 90).visited,
                      12);
    pqt_body wheel = bodies[0];
    wheel.fixed = false;
    wheel.kinematic = true;
    wheel.angular_velocity = 1;
    pqt_error error = {0};
    world = must_world(pqt_world_change(world, wheel, &error), &error);
    ck_assert_uint_eq(cost_of_steps(world, 2).visited, 1);
    ck_assert_double_eq(body_of(stepped(world, 0.5, &options), wheel.id).angle, 0.5);
}
END_TEST

START_TEST(a_step_in_which_many_are_awake_or_overlap_visits_all)
{
    pqt_step_report report = {0};
    const pqt_step_options options = falling(&report);
    const pqt_world *world = sleepers(FEW);
    const pqt_world *crowd = world;
    for (uint64_t i = 0; i <= FEW / 6; i++)
        crowd = added(crowd, flying(MOVER + i, 10 + 5 * (double)i, -1000, 1, 1, 0));
    (void)stepped(crowd, DT, &options);
    ck_assert_uint_eq(report.visited, pqt_world_count(crowd));
    world = added(added(world, ball(MOVER, 100, -1000, 1)), ball(MOVER + 1, 100.5, -1000, 1));
    report = (pqt_step_report){0};
    world = stepped(world, DT, &options);
    ck_assert_uint_eq(report.separated, 2);
    ck_assert_uint_ge(report.visited, FEW + 2);
    expect_sound_world(world);
}
END_TEST

/* ---- Results ---- */

/* Adds balls that fly far away from all others. They are a fifth of all bodies, which a step then
   visits. */
static const pqt_world *
with_ballast(const pqt_world *world, size_t *count)
{
    static pqt_body bodies[MOST_BALLAST];
    *count = pqt_world_count(world) / 4 + 1;
    require(*count <= MOST_BALLAST, "there is too little ballast");
    for (size_t i = 0; i < *count; i++)
        bodies[i] = flying(BALLAST + i, 5 + 4 * (double)i, -1990, 1, 2, -1);
    return with_bodies(world, bodies, *count);
}

static const pqt_world *
without_ballast(const pqt_world *world, size_t count)
{
    pqt_error error = {0};
    for (size_t i = 0; i < count; i++)
        world = must_world(pqt_world_remove(world, BALLAST + i, &error), &error);
    return world;
}

static void
expect_same_events(const pqt_world *a, const pqt_world *b)
{
    size_t of_a, of_b;
    const pqt_contact_event *x = pqt_world_events(a, &of_a), *y = pqt_world_events(b, &of_b);
    ck_assert_uint_eq(of_a, of_b);
    if (of_a > 0)
        ck_assert_mem_eq(x, y, of_a * sizeof *x);
}

/* Steps a world, and compares it with the same world among ballast. Sets *some if the step did not
   visit all bodies. */
static const pqt_world *
stepped_and_compared(const pqt_world *world, const pqt_step_options *options, bool *some)
{
    pqt_step_report report = {0}, whole = {0};
    pqt_step_options o = *options;
    size_t ballast;
    o.report = &whole;
    const pqt_world *all = with_ballast(world, &ballast), *all_next = stepped(all, DT, &o);
    ck_assert_uint_ge(whole.visited, pqt_world_count(all));
    o.report = &report;
    const pqt_world *next = stepped(world, DT, &o);
    *some = report.visited < pqt_world_count(world);
    expect_same_events(next, all_next);
    require(pqt_world_equals(next, without_ballast(all_next, ballast)),
            "the result depends on which bodies are loaded");
    /* tests depend on the windows of time, and a sum of energies on the order of the balls */
    ck_assert_double_eq_tol(report.separation_energy, whole.separation_energy,
                            1e-12 * (1 + whole.separation_energy));
    report.separation_energy = whole.separation_energy;
    report.tests = whole.tests = report.squares = whole.squares = report.visited = whole.visited =
        0;
    ck_assert_mem_eq(&report, &whole, sizeof report);
    expect_sound_world(next);
    return next;
}

/* Returns a body that is usually on the floor. */
static pqt_body
random_body(dice *d, uint64_t id)
{
    const double radius = dice_chance(d, 5) ? 0 : 0.4 + dice_real(d) * 1.1;
    const double x = 3 + 2.5 * (double)id + dice_real(d);
    pqt_body body = ball(id, x, -radius - (dice_chance(d, 10) ? 4 * dice_real(d) : 0), radius);
    body.mass = radius == 0 ? 1 : 0;
    body.fixed = dice_chance(d, 15);
    body.kinematic = !body.fixed && dice_chance(d, 2);
    body.sensor = dice_chance(d, 8);
    if (body.kinematic && dice_chance(d, 50))
        body.velocity.x = dice_real(d) - 0.5;
    if (body.kinematic && dice_chance(d, 50))
        body.angular_velocity = 1;
    if (dice_chance(d, 5))
        body.mask = body.category = 2;
    return body;
}

static const pqt_world *
random_world(dice *d)
{
    const size_t count = 60 + dice_below(d, 60);
    const pqt_world *world = world_in((pqt_box){{0, -2000}, {330, 0}}, true, arena);
    if (dice_chance(d, 40)) {
        const pqt_pixel_box boxes[] = {{{40, -3}, {60, -1}}, {{100, -30}, {140, -28}}};
        world = obstructed_at(world, boxes_in(arena, boxes, 2), 0, 0);
    }
    for (uint64_t id = 1; id <= count; id++)
        world = added(world, random_body(d, id));
    return world;
}

static pqt_step_options
random_options(dice *d)
{
    pqt_step_options options = falling(NULL);
    options.restitution = dice_real(d) * 0.6;
    options.friction = dice_chance(d, 50) ? 0.5 : 0;
    options.damping = 2;
    options.events = dice_chance(d, 70);
    options.sleep_steps = 2 + dice_below(d, 6);
    return options;
}

/* Adds a ball that hits sleepers, or removes or changes a body. */
static const pqt_world *
disturbed(dice *d, const pqt_world *world, uint64_t id)
{
    pqt_error error = {0};
    const uint64_t other = 1 + dice_below(d, 60);
    pqt_body body;
    if (dice_chance(d, 70) || !pqt_world_find(world, other, &body)) {
        const double speed = dice_chance(d, 10) ? 3000 : 40;
        return added(world,
                     flying(id, 2 + 320 * dice_real(d), -6 - 20 * dice_real(d), 0.2 + dice_real(d),
                            speed * (dice_real(d) - 0.5), 20 * dice_real(d)));
    }
    body.user_data++;
    return must_world(dice_chance(d, 50) ? pqt_world_remove(world, other, &error)
                                         : pqt_world_change(world, body, &error),
                      &error);
}

START_TEST(bodies_that_are_not_loaded_have_no_effect)
{
    enum { STEPS = 120 };
    dice d = {test_seed("bodies_that_are_not_loaded_have_no_effect")};
    size_t steps = 0, with_some = 0;
    const size_t rounds = test_scaled_from(ROUNDS, 4);
    for (size_t round = 0; round < rounds; round++) {
        const pqt_step_options options = random_options(&d);
        const pqt_world *world = after_steps(random_world(&d), STEPS, DT, &options);
        for (uint64_t i = 0; i < STEPS; i++, steps++) {
            bool some;
            if (dice_chance(&d, 4))
                world = disturbed(&d, world, MOVER + i);
            world = stepped_and_compared(world, &options, &some);
            with_some += some;
        }
    }
    ck_assert_uint_gt(20 * with_some, steps);
}
END_TEST

/* A heavy ball hits a light one, which flies beyond both covers and hits a fixed ball. */
static const pqt_world *
struck(void)
{
    pqt_body heavy = flying(MOVER, 100, -30, 1, 400, 0);
    pqt_body light = ball(MOVER + 1, 102.2, -30, 0.1), post = ball(MOVER + 2, 113, -30, 1);
    heavy.mass = 1000;
    post.fixed = true;
    return added(added(added(sleepers(FEW), heavy), light), post);
}

START_TEST(a_ball_that_leaves_its_cover_hits_what_is_beyond)
{
    bool some;
    pqt_step_report report = {0};
    pqt_step_options options = falling(&report);
    options.restitution = 0.9;
    const pqt_world *world = struck();
    (void)stepped_and_compared(world, &options, &some);
    require(some, "all bodies were loaded");
    world = stepped(world, DT, &options);
    ck_assert_double_lt(body_of(world, MOVER + 1).velocity.x, 0);
    ck_assert_uint_gt(report.visited, 3); /* in two runs or more */
    ck_assert_uint_le(report.visited, 12);
}
END_TEST

/* The guess for the impulse of a contact may be up to what the heaviest body of the world could
   cause, wherever it is. */
START_TEST(the_heaviest_body_of_the_world_limits_guesses)
{
    bool some;
    const pqt_step_options options = falling(NULL);
    pqt_world world = *added(sleepers(FEW), ball(MOVER, 200, -1000, 1));
    world = *stepped(added(&world, ball(MOVER + 1, 700, -1, 1)), DT, &options);
    const pqti_rest_draft awake = pqti_rest_draft_of(world.rest.awake);
    ck_assert_uint_eq(awake.contact_count, 1);
    pqti_lasting_contact contact = awake.contacts[0];
    contact.impulse = 0x1p300;
    const pqti_rest_draft draft = {&contact, 1, awake.bodies, awake.body_count, {0, 0}};
    require(pqti_rest_make(arena, &draft, NULL, &world.rest.awake), "out of memory");
    (void)stepped_and_compared(&world, &options, &some);
    require(!some, "not all bodies were loaded");
    pqt_body heavy = ball(MOVER + 2, 300, -1900, 1);
    heavy.mass = 0x1p150;
    heavy.fixed = true;
    (void)stepped_and_compared(added(&world, heavy), &options, &some);
}
END_TEST

static int
by_key(const void *a, const void *b)
{
    const uint64_t x = pqti_id_key(((const pqti_quiet_body *)a)->id);
    const uint64_t y = pqti_id_key(((const pqti_quiet_body *)b)->id);
    return x < y ? -1 : x > y;
}

static bool
count_awake(const pqti_body_entry *entry, void *context)
{
    ck_assert_uint_eq(entry->statics->id, MOVER);
    ++*(size_t *)context;
    return true;
}

/* The children of the nodes at rest are invalid pointers, so that a search that reads them crashes.
   There are 10 fixed bodies below them. */
START_TEST(a_subtree_whose_bodies_are_asleep_or_fixed_is_not_entered)
{
    enum { SLEEPERS = 20 };
    const void *nowhere = (const void *)(uintptr_t)8;
    _Alignas(pqti_body_static_leaf) unsigned char
        block[sizeof(pqti_body_static_leaf) + sizeof(pqti_body_static)];
    pqti_body_static_leaf *leaf = (pqti_body_static_leaf *)block;
    leaf->count = 1;
    leaf->statics[0] = (pqti_body_static){.id = MOVER, .radius = 1};
    const pqti_body_dynamic dynamic_state = {.velocity = {1, 2}};
    const pqti_body_static_node resting = {
        SLEEPERS + 10, {nowhere, nowhere, nowhere, nowhere}, {SLEEPERS, 1, 1}};
    const pqti_body_dynamic_node below = {{nowhere, nowhere, nowhere, nowhere}, 0, 0};
    const pqti_body_static_node statics = {
        SLEEPERS + 11, {&resting, leaf, NULL, NULL}, {SLEEPERS + 1, 1, 1}};
    const pqti_body_dynamic_node dynamics = {{&below, &dynamic_state, NULL, NULL}, 1, 0};
    pqti_quiet_body asleep[SLEEPERS];
    size_t found = 0, awake = 0;
    for (uint64_t id = 0; found < SLEEPERS; id++)
        if (pqti_id_key(id) >> 62 == 0)
            asleep[found++] = (pqti_quiet_body){id, 1};
    qsort(asleep, SLEEPERS, sizeof *asleep, by_key);
    const pqti_bodymap bodies = {&statics, &dynamics, NULL};
    ck_assert(pqti_bodymap_visit_awake(&bodies, asleep, SLEEPERS, count_awake, &awake));
    ck_assert_uint_eq(awake, 1);
}
END_TEST

START_TEST(a_node_with_a_wrong_summary_is_found)
{
    const pqt_world *world = added(sleepers(FEW), flying(MOVER, 100, -1000, 1, 5, 0));
    pqti_bodymap bodies = world->bodies;
    ck_assert(pqti_bodymap_check(&bodies));
    pqti_body_static_node statics = *(const pqti_body_static_node *)bodies.statics;
    statics.summary.movable--;
    bodies.statics = &statics;
    ck_assert(!pqti_bodymap_check(&bodies));
    bodies = world->bodies;
    pqti_body_dynamic_node dynamics = *(const pqti_body_dynamic_node *)bodies.dynamics;
    dynamics.is_in_motion = !dynamics.is_in_motion;
    bodies.dynamics = &dynamics;
    ck_assert(!pqti_bodymap_check(&bodies));
}
END_TEST

/* ---- Without memory ---- */

START_TEST(each_failed_allocation_of_a_step_that_loads_some_bodies_is_handled)
{
    pqt_error error = {0};
    pqt_step_options options = falling(NULL);
    options.restitution = 0.9;
    options.events = true;
    const pqt_world *world = struck(), *expected = stepped(world, DT, &options);
    size_t failures = 0;
    for (size_t n = 1;; n++) {
        hooks watch = {.fail_at = n};
        hooks_start(&watch);
        const pqt_world *next = pqt_world_step(world, DT, &options, &error);
        hooks_stop();
        /* events of a run that is repeated may fail without effect */
        if (next != NULL)
            require(pqt_world_equals(must_world(next, &error), expected), "the result differs");
        else
            require(error.status == PQT_ERROR_MEMORY, "a failure is not reported");
        if (watch.failures == 0)
            break;
        failures += next == NULL;
        error = (pqt_error){0};
    }
    ck_assert_uint_gt(failures, 20);
}
END_TEST

/* Plain builds always load all bodies. */
#ifdef PQT_PLAIN
enum { LOADS_SOME = false };
#else
enum { LOADS_SOME = true };
#endif

/* Adds the tests of steps that load some bodies. */
static void
add_tests_of_some(Suite *suite)
{
    TCase *tests = add_tests(suite, "counts");
    tcase_add_test(tests, a_step_with_one_ball_awake_costs_the_same_among_any_number_of_sleepers);
    tcase_add_test(tests, a_ball_near_sleepers_visits_only_those_near_it);
    tcase_add_test(
        tests,
        a_ball_that_bounces_among_sleepers_visits_only_those_that_it_wakes_and_others_near_it);
    tcase_add_test(tests, many_balls_that_leave_their_covers_visit_few_more_than_all);
    tcase_add_test(tests, fixed_bodies_are_not_visited_either);
    tcase_add_test(tests, a_subtree_whose_bodies_are_asleep_or_fixed_is_not_entered);
    tests = add_tests(suite, "results");
    tcase_add_test(tests, bodies_that_are_not_loaded_have_no_effect);
    tcase_add_test(tests, a_ball_that_leaves_its_cover_hits_what_is_beyond);
    tests = add_tests(suite, "hostile");
    tcase_add_test(tests, each_failed_allocation_of_a_step_that_loads_some_bodies_is_handled);
}

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("step_loading");
    TCase *tests = add_tests(suite, "all");
    tcase_add_test(tests, a_step_in_which_many_are_awake_or_overlap_visits_all);
    tcase_add_test(tests, the_heaviest_body_of_the_world_limits_guesses);
    tcase_add_test(tests, a_node_with_a_wrong_summary_is_found);
    if (LOADS_SOME)
        add_tests_of_some(suite);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
