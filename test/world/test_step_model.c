/* SPDX-License-Identifier: MIT */
/*
 * test_step_model.c: tests steps of many bodies: conserved quantities, independence of order and
 * memory, and a comparison with a plain simulation.
 *
 * With PQT_TEST_SCALE=67, the conservation test runs 10,000 steps.
 */
#include "config.h"

#include <string.h>

#include <pqt/limits.h>
#include <pqt/pairs.h>

#include "step_support.h"
#include "suite.h"

/* ---- Conservation ---- */

enum { BALLS = 500, STEPS = 150 };

static size_t
count_pairs(const pqt_world *world)
{
    return pqt_pairs_count(pqt_world_tree(world), NULL,
                           &(pqt_pair_query){.relation = PQT_OVERLAPS});
}

START_TEST(many_steps_lose_no_body_and_no_energy)
{
    static pqt_body bodies[BALLS];
    dice d = {test_seed(__func__)};
    size_t steps = test_scaled(STEPS);
    bool walls = _i == 0;
    pqt_step_report report = {0};
    pqt_step_options options = reporting(&report);
    pqt_memory *memory = pqt_collector() != NULL ? pqt_collector() : arena;
    scatter_keys(&d, bodies, BALLS, 1000, 0.3);
    const pqt_world *world =
        with_bodies(world_in(box(0, 0, 1000, 1000), walls, memory), bodies, BALLS);
    pqt_world_stats before = pqt_world_get_stats(world), after = before;
    for (size_t i = 0; i < steps; i++) {
        world = stepped(world, 0.01, &options);
        list_bodies(world, bodies);
        size_t pairs = expect_apart(world, bodies, BALLS);
        require(count_pairs(world) == pairs, "the tree finds other pairs than brute force");
    }
    after = pqt_world_get_stats(world);
    expect_sound_world(world);
    require(report.contacts > (steps < STEPS ? steps : STEPS) && report.plastic == 0 &&
                report.delayed == 0,
            "no gas");
    ck_assert(fabs(after.energy / before.energy - 1) < 1e-9);
    pqt_vec lost = pqt_vec_subtract(after.momentum, before.momentum);
    ck_assert(walls || pqt_vec_length(lost) < 1e-9 * before.momentum_scale);
}
END_TEST

START_TEST(a_box_that_is_sixty_percent_full_conserves_energy)
{
    enum { MANY = 2000, FULL_STEPS = 8 };
    static pqt_body bodies[MANY];
    dice d = {test_seed(__func__)};
    pqt_step_report report = {0};
    pqt_step_options options = reporting(&report);
    scatter_keys(&d, bodies, MANY, 300, 0.68);
    double area = 0;
    for (size_t i = 0; i < MANY; i++)
        area += 3.14159265 * bodies[i].radius * bodies[i].radius;
    ck_assert(area > 0.6 * 300 * 300);
    const pqt_world *world = with_bodies(world_in(box(0, 0, 300, 300), true, arena), bodies, MANY);
    pqt_world_stats before = pqt_world_get_stats(world);
    for (size_t i = 0; i < FULL_STEPS; i++) {
        world = stepped(world, 0.01, &options);
        list_bodies(world, bodies);
        require(expect_apart(world, bodies, MANY) == count_pairs(world), "pairs are missing");
    }
    ck_assert_uint_gt(report.contacts, 1000);
    ck_assert_uint_eq(report.plastic, 0);
    ck_assert(fabs(pqt_world_get_stats(world).energy / before.energy - 1) < 1e-12);
}
END_TEST

/* ---- Irrelevant properties ---- */

static void
shuffle(dice *d, pqt_body *bodies, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        size_t k = dice_below(d, i);
        pqt_body kept = bodies[i - 1];
        bodies[i - 1] = bodies[k];
        bodies[k] = kept;
    }
}

/* Draws bodies. Some of them overlap, are fixed or are fast, and many have contacts with the same
   body at the same time. */
static void
draw_mixed(dice *d, pqt_body *bodies, size_t count)
{
    scatter_keys(d, bodies, count, 100, 0.5);
    for (size_t i = 0; i < count; i++) {
        if (i % 11 == 3)
            bodies[i].velocity = (pqt_vec){0, 0}, bodies[i].fixed = true;
        if (i % 13 == 5)
            bodies[i].velocity.x *= 20;
        /* at one position, with equal sizes, so that both are within the walls */
        if (i % 17 == 8) {
            bodies[i].position = bodies[i - 1].position;
            bodies[i].radius = fmin(bodies[i].radius, bodies[i - 1].radius);
        }
        if (i % 5 == 2)
            bodies[i].mass = 1e-6 + dice_real(d) * 1e6;
    }
}

START_TEST(order_and_memory_do_not_matter)
{
    enum { MANY = 90, MIXED_STEPS = 25 };
    pqt_body bodies[MANY];
    pqt_memory *memories[2];
    dice d = {test_seed(__func__) + (uint64_t)_i};
    size_t count = memories_of_tests(memories);
    draw_mixed(&d, bodies, MANY);
    const pqt_world *one = world_in(arena_box, true, memories[0]);
    for (size_t i = 0; i < MANY; i++)
        one = added(one, bodies[i]);
    shuffle(&d, bodies, MANY);
    const pqt_world *other =
        with_bodies(world_in(arena_box, true, memories[count - 1]), bodies, MANY);
    for (size_t i = 0; i < MIXED_STEPS; i++) {
        one = stepped(one, 0.01, NULL);
        other = stepped(other, 0.01, NULL);
        require(pqt_world_equals(one, other), "the order of bodies has an effect");
    }
    expect_sound_world(one);
    expect_sound_world(other);
}
END_TEST

START_TEST(the_shape_of_the_tree_does_not_matter)
{
    enum { MANY = 90, MIXED_STEPS = 25 };
    pqt_body bodies[MANY];
    dice d = {test_seed(__func__)};
    draw_mixed(&d, bodies, MANY);
    pqt_world_options options = PQT_WORLD_DEFAULTS;
    options.memory = arena;
    options.leaf_capacity = _i == 0 ? 1 : PQT_MAX_CAPACITY;
    pqt_error error = {0};
    const pqt_world *empty = must_world(pqt_world_make(arena_box, &options, &error), &error);
    const pqt_world *other = with_bodies(empty, bodies, MANY);
    const pqt_world *one = with_bodies(world_in(arena_box, true, arena), bodies, MANY);
    ck_assert_uint_ne(pqt_world_get_stats(one).cells, pqt_world_get_stats(other).cells);
    for (size_t i = 0; i < MIXED_STEPS; i++) {
        one = stepped(one, 0.01, NULL);
        other = stepped(other, 0.01, NULL);
        require(pqt_world_fingerprint(one).high == pqt_world_fingerprint(other).high,
                "the tree has an effect on the result");
    }
}
END_TEST

/*
 * A distant and much larger body is added, so that the broad phase uses a tree instead of a grid.
 * The body also changes the average size and speed of bodies, and therefore their horizons.
 */
START_TEST(the_way_neighbours_are_found_does_not_matter)
{
    enum { MANY = 300, GAS_STEPS = 30 };
    pqt_body bodies[MANY + 1], alone[MANY + 1];
    dice d = {_i == 3 ? 14 : test_seed(__func__) + (uint64_t)_i};
    pqt_step_report report = {0};
    pqt_step_options options = reporting(&report);
    scatter_keys(&d, bodies, MANY, 100, 0.3);
    for (size_t i = 0; _i == 1 && i < MANY; i += 10) /* some bodies leave the grid during a step */
        bodies[i].mass = 1e-4;
    for (size_t i = 7; _i >= 2 && i < MANY; i += 60) /* some bodies reach their horizons */
        bodies[i].velocity.x *= 300;
    bodies[MANY] = ball(MANY, 5e5, 5e5, 1000);
    bodies[MANY].fixed = true;
    const pqt_world *empty = world_in(box(-9e5, -9e5, 9e5, 9e5), true, arena);
    const pqt_world *world = with_bodies(empty, bodies, MANY);
    const pqt_world *other = with_bodies(empty, bodies, MANY + 1);
    for (size_t k = 0; k < GAS_STEPS; k++) {
        world = stepped(world, 0.01, &options);
        other = stepped(other, 0.01, NULL);
        list_bodies(world, alone);
        list_bodies(other, bodies);
        for (size_t i = 0; i < MANY; i++)
            require(same_body(&alone[i], &bodies[i]),
                    "the search for neighbours has an effect on the result");
    }
    ck_assert_uint_gt(report.contacts, 100);
}
END_TEST

START_TEST(old_worlds_are_unchanged)
{
    enum { MANY = 60, KEPT = 30 };
    pqt_body bodies[MANY];
    pqt_memory *memories[2];
    size_t count = memories_of_tests(memories);
    for (size_t k = 0; k < count; k++) {
        dice d = {test_seed(__func__)};
        const pqt_world *kept[KEPT];
        pqt_fingerprint fingerprints[KEPT];
        draw_mixed(&d, bodies, MANY);
        kept[0] = with_bodies(world_in(arena_box, true, memories[k]), bodies, MANY);
        for (size_t i = 0; i < KEPT; i++) {
            fingerprints[i] = pqt_world_fingerprint(kept[i]);
            if (i + 1 < KEPT)
                kept[i + 1] = stepped(kept[i], 0.01, NULL);
        }
        const pqt_world *fresh = kept[0];
        for (size_t i = 0; i < KEPT; i++) {
            expect_sound_world(kept[i]);
            require(fingerprints[i].low == pqt_world_fingerprint(kept[i]).low,
                    "an old world changed");
            require(pqt_world_equals(fresh, kept[i]), "a repeated run gives a different result");
            fresh = stepped(fresh, 0.01, NULL);
        }
    }
}
END_TEST

/* ---- A plain simulation in long doubles, which tests all pairs at each event ---- */

enum { PLAIN = 150, PLAIN_ROUNDS = 60 };

typedef struct plain_ball {
    long double x, y, vx, vy, r, m;
    bool fixed;
} plain_ball;

/* The next contact, or the end of the time span. */
typedef struct plain_event {
    long double span;
    size_t a, b; /* b == PLAIN: a wall across x; PLAIN + 1: a wall across y; otherwise a ball */
    bool any;
} plain_event;

static void
consider(plain_event *e, long double span, size_t a, size_t b)
{
    if (span < e->span)
        *e = (plain_event){span < 0 ? 0 : span, a, b, true};
}

static void
consider_walls(plain_event *e, const plain_ball *p, size_t a, long double side)
{
    if (p->vx != 0)
        consider(e, ((p->vx > 0 ? side - p->r : p->r) - p->x) / p->vx, a, PLAIN);
    if (p->vy != 0)
        consider(e, ((p->vy > 0 ? side - p->r : p->r) - p->y) / p->vy, a, PLAIN + 1);
}

static void
consider_pair(plain_event *e, const plain_ball *balls, size_t i, size_t k)
{
    const plain_ball *p = &balls[i], *q = &balls[k];
    long double dx = q->x - p->x, dy = q->y - p->y, wx = q->vx - p->vx, wy = q->vy - p->vy;
    long double a = wx * wx + wy * wy, b = dx * wx + dy * wy;
    long double c = dx * dx + dy * dy - (p->r + q->r) * (p->r + q->r);
    long double root = b * b - a * c;
    if (b < 0 && root > 0)
        consider(e, (-b - sqrtl(root)) / a, i, k);
}

static void
plain_answer(plain_ball *balls, const plain_event *e)
{
    plain_ball *p = &balls[e->a];
    if (e->b == PLAIN)
        p->vx = -p->vx;
    if (e->b == PLAIN + 1)
        p->vy = -p->vy;
    if (e->b >= PLAIN)
        return;
    plain_ball *q = &balls[e->b];
    long double dx = q->x - p->x, dy = q->y - p->y;
    long double s = 2 * (dx * (q->vx - p->vx) + dy * (q->vy - p->vy)) / (dx * dx + dy * dy);
    long double to_p = p->fixed ? 0 : q->fixed ? 1 : q->m / (p->m + q->m);
    long double to_q = q->fixed ? 0 : p->fixed ? 1 : p->m / (p->m + q->m);
    p->vx += dx * s * to_p;
    p->vy += dy * s * to_p;
    q->vx -= dx * s * to_q;
    q->vy -= dy * s * to_q;
}

/* Runs a step of the plain simulation. Returns the number of contacts. */
static size_t
plain_step(plain_ball *balls, size_t count, long double side, long double dt)
{
    size_t contacts = 0;
    while (dt > 0) {
        plain_event e = {.span = dt};
        for (size_t i = 0; i < count; i++) {
            if (!balls[i].fixed)
                consider_walls(&e, &balls[i], i, side);
            for (size_t k = 0; k < i; k++)
                consider_pair(&e, balls, k, i);
        }
        for (size_t i = 0; i < count; i++) {
            balls[i].x += balls[i].vx * e.span;
            balls[i].y += balls[i].vy * e.span;
        }
        if (e.any)
            plain_answer(balls, &e);
        contacts += e.any;
        dt -= e.span;
    }
    return contacts;
}

/* Returns the greatest difference between the coordinates in two lists of balls. */
static long double
greatest_difference(const plain_ball *a, const plain_ball *b, size_t count)
{
    long double most = 0;
    for (size_t i = 0; i < count; i++)
        most = fmaxl(most, fmaxl(fabsl(a[i].x - b[i].x), fabsl(a[i].y - b[i].y)));
    return most;
}

/*
 * Returns the distance between `end` and the result of the plain simulation if it starts at other
 * positions, an ulp from those of `start`. Each contact between two balls multiplies such a
 * difference. The factor is larger if they graze each other.
 */
static long double
error_of_an_ulp(const plain_ball *start, const plain_ball *end, size_t count, long double side,
                long double dt)
{
    const long double ulp = 0x1p-46L; /* the ulp of doubles from 64 to 128 */
    plain_ball moved[PLAIN];
    long double most = 0;
    for (size_t way = 0; way < 4; way++) {
        for (size_t i = 0; i < count; i++) {
            moved[i] = start[i];
            moved[i].x += (way + i) % 2 == 0 ? ulp : -ulp;
            moved[i].y += (way / 2 + i / 2) % 2 == 0 ? ulp : -ulp;
        }
        (void)plain_step(moved, count, side, dt);
        most = fmaxl(most, greatest_difference(moved, end, count));
    }
    return most;
}

/* Draws balls that cover a fraction of 100 x 100. The first `bullets` of them are 60 times
 * faster. */
static void
draw_balls(dice *d, pqt_body *bodies, plain_ball *balls, size_t count, double share, size_t bullets)
{
    scatter_keys(d, bodies, count, 100, share);
    for (size_t i = 0; i < count; i++) {
        pqt_body *b = &bodies[i];
        b->mass = 1 + 3 * dice_real(d);
        b->fixed = i == 4;
        if (i < bullets)
            b->velocity = pqt_vec_scale(b->velocity, 60);
        if (b->fixed)
            b->velocity = (pqt_vec){0, 0};
        balls[i] = (plain_ball){b->position.x, b->position.y, b->velocity.x, b->velocity.y,
                                b->radius,     b->mass,       b->fixed};
    }
}

/*
 * Compares one step of random balls with the plain simulation. Positions may differ by a few times
 * the error that an ulp at the start causes. Returns the number of contacts.
 */
static size_t
compare_with_plain(dice *d, size_t count, double share, size_t bullets, double dt,
                   pqt_step_report *report)
{
    pqt_body bodies[PLAIN];
    plain_ball start[PLAIN], end[PLAIN], result[PLAIN] = {0};
    pqt_step_options options = reporting(report);
    draw_balls(d, bodies, start, count, share, bullets);
    memcpy(end, start, count * sizeof *end);
    const size_t met = plain_step(end, count, 100, dt);
    const long double allowed = 1e-8L + 32 * error_of_an_ulp(start, end, count, 100, dt);
    const pqt_world *world = stepped(with_bodies(small_world(), bodies, count), dt, &options);
    list_bodies(world, bodies);
    require(report->contacts + report->bounces == met, "the number of contacts differs");
    for (size_t i = 0; i < count; i++)
        result[i] = (plain_ball){.x = bodies[i].position.x, .y = bodies[i].position.y};
    require(greatest_difference(result, end, count) < allowed,
            "a body is not where plain arithmetic puts it");
    return met;
}

/* With seeds 3 (here) and 2 (bullets), contacts amplify rounding errors to more than 1e-6. */
START_TEST(a_plain_simulation_agrees)
{
    dice d = {_i == 0 ? test_seed(__func__) : 3};
    size_t rounds = test_scaled(PLAIN_ROUNDS), contacts = 0;
    for (size_t round = 0; round < rounds; round++) {
        pqt_step_report report = {0};
        contacts += compare_with_plain(&d, 9, 0.2, 0, 0.75, &report);
    }
    ck_assert_uint_gt(contacts, 5 * rounds);
}
END_TEST

/* Bodies move so far that most paths cross. Such steps are divided into windows. */
START_TEST(a_plain_simulation_of_far_flights_agrees)
{
    dice d = {test_seed(__func__)};
    for (size_t round = 0; round < test_scaled(4); round++) {
        pqt_step_report report = {0};
        size_t met = compare_with_plain(&d, PLAIN, 0.05, 0, 0.2, &report);
        require(met > PLAIN, "few meet");
    }
}
END_TEST

/* Some bodies are much faster than the others. They reach their horizons. */
START_TEST(a_plain_simulation_of_bullets_agrees)
{
    dice d = {_i == 0 ? test_seed(__func__) : 2};
    size_t met = 0;
    const size_t rounds = test_scaled(8);
    for (size_t round = 0; round < rounds; round++) {
        pqt_step_report report = {0};
        met += compare_with_plain(&d, PLAIN, 0.05, 3, 0.01, &report);
    }
    ck_assert_uint_gt(met, 20 * rounds);
}
END_TEST

/* Checks a step with many contacts: it separates `bodies`, conserves their energy, makes no plastic
   contacts, and tests few pairs. */
static void
expect_few_questions(const pqt_world *world, double dt, pqt_body *bodies, size_t count)
{
    pqt_step_report report = {0};
    pqt_step_options options = reporting(&report);
    const double energy = pqt_world_get_stats(world).energy;
    world = stepped(world, dt, &options);
    list_bodies(world, bodies);
    expect_apart(world, bodies, count);
    ck_assert_uint_gt(report.contacts, 5000);
    ck_assert_uint_lt(report.tests, 40 * report.contacts);
    ck_assert_uint_eq(report.plastic, 0);
    ck_assert(fabs(pqt_world_get_stats(world).energy / energy - 1) < 1e-12);
}

/* The number of tested pairs per contact does not depend on the length of motions. */
START_TEST(long_steps_test_no_more_pairs_for_a_contact)
{
    static pqt_body bodies[BALLS];
    dice d = {test_seed(__func__)};
    scatter_keys(&d, bodies, BALLS, 300, 0.3);
    const pqt_world *world = with_bodies(world_in(box(0, 0, 300, 300), true, arena), bodies, BALLS);
    expect_few_questions(world, 1, bodies, BALLS);
}
END_TEST

/* Nor does it depend on the factor by which some bodies are faster than the others. */
START_TEST(fast_balls_test_no_more_pairs_for_a_contact)
{
    enum { MANY = 700 };
    static pqt_body bodies[MANY];
    dice d = {test_seed(__func__)};
    scatter_keys(&d, bodies, MANY, 85, 0.08);
    for (size_t i = 0; i < MANY; i++)
        bodies[i].velocity = (pqt_vec){i % 100 == 0 ? 1e6 : 0, i % 50 == 0 ? 3e5 : 0};
    const pqt_world *world = with_bodies(small_world(), bodies, MANY);
    expect_few_questions(world, 1e-3, bodies, MANY);
}
END_TEST

/* A box in which balls fly for a long time. */
typedef struct long_flight {
    double cell, speed, seconds; /* a ball begins in each cell of this size */
    uint64_t contacts;
} long_flight;

/* Nor does it depend on the number of windows of time into which the step is divided. After 512
 * windows, the rest of the step was one window, in which all pairs are neighbours. The boxes are
 * filled to 8 % and to 8 millionths. */
START_TEST(very_long_steps_test_no_more_pairs_for_a_contact)
{
    enum { MANY = 1000, ACROSS = 32 };
    static const long_flight flights[] = {{31, 60, 450, 200000}, {3125, 60000, 200, 50000}};
    static pqt_body bodies[MANY];
    const long_flight *f = &flights[_i];
    const double size = f->cell * ACROSS;
    dice d = {test_seed(__func__)};
    pqt_step_report report = {0};
    pqt_step_options options = reporting(&report);
    options.contact_budget = UINT64_MAX;
    for (uint64_t i = 0; i < MANY; i++)
        bodies[i] = flying(i, f->cell * ((double)(i % ACROSS) + 0.5),
                           f->cell * ((double)(i / ACROSS) + 0.5), 3 + 4 * dice_real(&d),
                           f->speed * (2 * dice_real(&d) - 1), f->speed * (2 * dice_real(&d) - 1));
    const pqt_world *world =
        with_bodies(world_in(box(0, 0, size, size), true, arena), bodies, MANY);
    world = stepped(world, f->seconds, &options);
    list_bodies(world, bodies);
    expect_apart(world, bodies, MANY);
    const uint64_t contacts = report.contacts + report.bounces;
    ck_assert_uint_gt(contacts, f->contacts);
    ck_assert_uint_lt(report.tests, 40 * contacts);
}
END_TEST

/* One ball is heavy and fast, and makes all others fast. */
START_TEST(a_heavy_bullet_causes_few_tests_for_a_contact)
{
    enum { MANY = 800 };
    static pqt_body bodies[MANY];
    dice d = {test_seed(__func__)};
    pqt_step_report report = {0};
    const pqt_step_options options = reporting(&report);
    scatter_keys(&d, bodies, MANY, 100, 0.2);
    for (size_t i = 0; i < MANY; i++)
        bodies[i].mass = 1;
    bodies[0].mass = 1e12;
    bodies[0].velocity = (pqt_vec){1e7, 3e6};
    stepped(with_bodies(small_world(), bodies, MANY), 1 / 60.0, &options);
    ck_assert_uint_gt(report.contacts, 200000);
    ck_assert_uint_lt(report.tests, 40 * report.contacts);
}
END_TEST

/* The balls never meet, but fly so far that no number of windows would suffice to keep their
 * neighbours few. So only 512 windows are short, and all pairs are neighbours in the rest. */
START_TEST(a_step_without_contacts_is_divided_into_at_most_512_windows)
{
    enum { ACROSS = 14, ALL = ACROSS * ACROSS, WINDOWS = 512, NEIGHBOURS = 8 * ALL + 1024 };
    pqt_body bodies[ALL];
    pqt_step_report report = {0};
    const pqt_step_options options = reporting(&report);
    for (uint64_t i = 0; i < ALL; i++)
        bodies[i] = flying(i, 3 * (double)(i % ACROSS), 3 * (double)(i / ACROSS), 1, 1e6, 1e6);
    const pqt_world *world = world_in(box(-10, -10, 100, 100), false, arena);
    world = stepped(with_bodies(world, bodies, ALL), 1, &options);
    ck_assert_uint_eq(report.contacts, 0);
    ck_assert_uint_gt(report.tests, WINDOWS * ALL);
    ck_assert_uint_le(report.tests, WINDOWS * NEIGHBOURS / 2 + ALL * ALL);
    for (uint64_t i = 0; i < ALL; i++)
        ck_assert_double_eq_tol(body_of(world, i).position.x, 1e6 + bodies[i].position.x, 1e-9);
}
END_TEST

/* Fast balls in columns cross fast balls in rows in the middle of the step, all at nearly the same
 * time. Windows become shorter up to that time, but not shorter than 2^-40 of it. Each pair is
 * tested in one of them. */
START_TEST(a_window_is_not_too_short_for_its_time)
{
    enum { LANES = 48 };
    const double speed = 0x1p50, lane = 4;
    pqt_body bodies[2 * LANES];
    pqt_step_report report = {0};
    const pqt_step_options options = reporting(&report);
    for (uint64_t i = 0; i < LANES; i++) {
        const double at_side = lane * (double)i;
        bodies[i] = flying(i, at_side, -speed / 2, 1, 0, speed);
        bodies[LANES + i] = flying(LANES + i, -speed / 2 - 300, at_side, 1, speed, 0);
    }
    const pqt_world *world = world_in(box(-1, -1, 1, 1), false, arena);
    world = stepped(with_bodies(world, bodies, 2 * LANES), 1, &options);
    ck_assert_uint_eq(report.contacts, 0);
    ck_assert_uint_le(report.tests, LANES * LANES);
    for (uint64_t i = 0; i < LANES; i++)
        ck_assert_double_eq_tol(body_of(world, i).position.y, speed / 2, 0.1);
}
END_TEST

/* Eight balls fly to and fro without room, each between two fixed ones that only it meets. A huge
 * ball crowds the cells of a grid, so that neighbours are found with a tree. After 32768 changes of
 * a tree in one window, its newest version is copied. A bullet then finds its target there. */
START_TEST(a_window_with_many_changes_copies_its_tree)
{
    enum { TRAPS = 8, BULLET = 3 * TRAPS, TARGET, HUGE_BALL, ALL };
    const double room = 1e-3, speed = 9;
    pqt_body bodies[ALL];
    pqt_step_report report = {0};
    const pqt_step_options options = reporting(&report);
    for (uint64_t i = 0; i < BULLET; i++) {
        bodies[i] = ball(i, (2 + room) * ((double)(i % 3) - 1), 3 * (double)(i / 3), 1);
        bodies[i].fixed = i % 3 != 1;
        bodies[i].velocity.x = i % 3 == 1 ? speed : 0;
        bodies[i].category = bodies[i].mask = UINT32_C(1) << i / 3;
    }
    bodies[BULLET] = flying(BULLET, 0, 50, 1, 1000, 0);
    bodies[TARGET] = ball(TARGET, 952, 50, 1);
    bodies[HUGE_BALL] = flying(HUGE_BALL, -2100, 0, 1000, 0, 1);
    bodies[BULLET].category = bodies[TARGET].mask = bodies[TARGET].category = 1 << TRAPS;
    bodies[BULLET].mask = 1 << TRAPS;
    bodies[HUGE_BALL].category = bodies[HUGE_BALL].mask = 2 << TRAPS;
    const pqt_world *world = world_in(box(-4000, -4000, 4000, 4000), false, arena);
    world = stepped(with_bodies(world, bodies, ALL), 1, &options);
    ck_assert_uint_ge(report.contacts, 36000);
    ck_assert_uint_eq(report.delayed, 0);
    for (uint64_t i = 1; i < BULLET; i += 3) {
        ck_assert_double_eq_tol(fabs(body_of(world, i).velocity.x), speed, 1e-9);
        ck_assert_double_le(fabs(body_of(world, i).position.x), room * (1 + 1e-9));
    }
    ck_assert_double_eq_tol(body_of(world, BULLET).position.x, 950, 1e-9);
    ck_assert_double_eq_tol(body_of(world, TARGET).position.x, 1002, 1e-9);
}
END_TEST

/* ---- Rounding of positions ---- */

/* Expects that no two bodies overlap by more than rounding may cause: 1e-9 of the smaller radius,
 * or 8 units in the last place of the positions or of the longest path. */
static void
expect_overlaps_by_rounding_only(const pqt_body *bodies, size_t count, double dt)
{
    double size = 0;
    for (size_t i = 0; i < count; i++) {
        const pqt_body *b = &bodies[i];
        size = fmax(size, fmax(fabs(b->position.x), fabs(b->position.y)));
        size = fmax(size, dt * fmax(fabs(b->velocity.x), fabs(b->velocity.y)));
    }
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++) {
            const pqt_vec d = pqt_vec_subtract(bodies[i].position, bodies[k].position);
            const double depth = bodies[i].radius + bodies[k].radius - pqt_vec_length(d);
            const double radius = fmin(bodies[i].radius, bodies[k].radius);
            ck_assert_msg(depth <= fmax(1e-9 * radius, 8 * 0x1p-52 * size),
                          "%zu and %zu overlap by %g", i, k, depth);
        }
}

/* Three heavy balls touch, and a light one flies to and fro between them. Each contact rounded the
 * positions of its balls, until the heavy ones overlapped by 60 times the bound. */
START_TEST(the_rounding_of_many_contacts_does_not_add_up)
{
    pqt_body bodies[] = {
        {.id = 0,
         .position = {0x1.86a76458ccf4fp+16, 0x1.86a9561a62037p+16},
         .velocity = {-0x1.17226ca151723p+4, 0x1.4275ecb4fedaep+4},
         .radius = 0x1.78a5d16d246d3p+1,
         .mass = 0x1.9p+6},
        {.id = 1,
         .position = {0x1.86acb9384770bp+16, 0x1.86accc38a1d2dp+16},
         .velocity = {-0x1.725ba5ff05326p+4, 0x1.acbdb6e9982bcp+4},
         .radius = 0x1.59a9872bdaa73p+0,
         .mass = 0x1.312dp+23},
        {.id = 2,
         .position = {0x1.86a1f8664dce9p+16, 0x1.86b20799bdd46p+16},
         .velocity = {-0x1.740d3ee716ac1p+21, 0x1.b494fe137091dp+23},
         .radius = 0x1.f86626cdb6726p+0,
         .mass = 0x1.4f8b588e368f1p-17},
        {.id = 3,
         .position = {0x1.86a4bfb358a5cp+16, 0x1.86ae4cbd5a2eep+16},
         .velocity = {-0x1.175fd8904f33ep+4, 0x1.436899ba961d9p+4},
         .radius = 0x1.5723666961b77p+1,
         .mass = 0x1.2a05f2p+33},
    };
    pqt_step_report report = {0};
    pqt_step_options options = reporting(&report);
    options.contact_budget = 1 << 20;
    const pqt_world *world =
        with_bodies(world_in(box(1e5, 1e5, 100020, 100020), true, arena), bodies, 4);
    world = stepped(world, 1 / 60.0, &options);
    list_bodies(world, bodies);
    expect_overlaps_by_rounding_only(bodies, 4, 1 / 60.0);
    ck_assert_uint_gt(report.contacts, 10000);
}
END_TEST

/* Masses that differ by factors of up to 2^180 make rounding add energy, but no overlap. */
START_TEST(no_ratio_of_masses_makes_bodies_overlap)
{
    enum { FEW = 6 };
    pqt_body bodies[FEW];
    dice d = {test_seed(__func__)};
    const pqt_step_options options = PQT_STEP_DEFAULTS;
    for (size_t round = test_scaled(40); round > 0; round--) {
        scatter_keys(&d, bodies, FEW, 20, 0.3);
        for (size_t i = 0; i < FEW; i++) {
            const double speed = exp2(24 * dice_real(&d));
            bodies[i].mass = exp2(180 * dice_real(&d) - 90);
            bodies[i].velocity =
                (pqt_vec){speed * (2 * dice_real(&d) - 1), speed * (2 * dice_real(&d) - 1)};
        }
        const pqt_world *world = with_bodies(world_in(box(0, 0, 20, 20), true, arena), bodies, FEW);
        list_bodies(stepped(world, 1 / 60.0, &options), bodies);
        expect_overlaps_by_rounding_only(bodies, FEW, 1 / 60.0);
    }
}
END_TEST

/* ---- Rounding in crowds ---- */

/* TRAPPED small balls fly to and fro between fixed ones until each one's contacts become a cluster.
 * A huge ball touches all small ones, so each of their clusters moves it a little. The first
 * cluster stops all of its small balls. */
enum { TRAPPED = 2250, QUICK = 2120, LEAST_CLUSTERS = TRAPPED - 64 };

#define HUGE_RADIUS 0x1.8p30
#define HUGE_UNIT 0x1p-22 /* the last place of its position: its centre is that far left of 0 */
#define ROOM 1e-5         /* between a small ball and each of its neighbours */
#define GAP 5e-5          /* between the huge ball and the small ones */

/* Returns the time at which a small ball has made its contacts. QUICK balls do so soon after each
 * other, while the huge ball moves by less than its last place. It moves by a quarter of that place
 * for each of the others. */
static double
time_of_cluster(size_t trapped, double speed)
{
    const double first = PQT_STEP_CONTACTS * ROOM, between = HUGE_UNIT / 4 / speed;
    const size_t slow = trapped < QUICK ? 0 : trapped - QUICK;
    return first + 1e-4 * between * (double)trapped + between * (double)slow;
}

/* Returns a ball of radius 1 at the side of the huge ball. It meets that ball if its category is
 * 1. */
static pqt_body
beside_huge_ball(uint64_t id, uint32_t category)
{
    const double y = (2 + ROOM) * ((double)id - TRAPPED);
    pqt_body body = ball(id, 1 + GAP - y * y / (2 * HUGE_RADIUS), y, 1);
    body.mass = 1e-12;
    body.category = category;
    return body;
}

/* Makes the world, in which the huge ball flies to the left with the given speed. */
static const pqt_world *
with_trapped_balls(double speed)
{
    static pqt_body bodies[2 * TRAPPED + 2];
    for (uint64_t i = 0; i < 2 * TRAPPED + 1; i++) {
        bodies[i] = beside_huge_ball(i, i % 2 == 0 ? 2 : 1);
        bodies[i].fixed = i % 2 == 0;
        if (i % 2 == 1)
            bodies[i].velocity.y =
                1.05 * 2 * ROOM * PQT_STEP_CONTACTS / time_of_cluster(i / 2, speed);
    }
    pqt_body *huge = &bodies[2 * TRAPPED + 1];
    *huge = flying(2 * TRAPPED + 1, -HUGE_RADIUS, 0, HUGE_RADIUS, -speed, 0);
    huge->mass = 1;
    huge->category = 4;
    huge->mask = 1;
    return with_bodies(world_in(box(-0x1p33, -0x1p33, 0x1p33, 0x1p33), false, arena), bodies,
                       2 * TRAPPED + 2);
}

/* Below a restitution of 1, only the first 2048 motions are rounded without making up for it. Each
 * of the later ones is too short for the position to change. */
START_TEST(the_rounding_of_more_than_2048_motions_does_not_add_up)
{
    const double speed = 0.1, dt = 1.2 * time_of_cluster(TRAPPED, speed);
    pqt_step_report report = {0};
    pqt_step_options options = reporting(&report);
    options.restitution = 0.9999;
    const pqt_world *world = stepped(with_trapped_balls(speed), dt, &options);
    const pqt_body huge = body_of(world, 2 * TRAPPED + 1);
    ck_assert_uint_ge(report.clusters, LEAST_CLUSTERS);
    ck_assert_double_eq(huge.velocity.x, -speed);
    const double error = (huge.position.x - (-HUGE_RADIUS - speed * dt)) / HUGE_UNIT;
    ck_assert_msg(fabs(error) <= 4, "the position is wrong by %g last places", error);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("step_model");
    TCase *tests = add_tests(suite, "conservation");
    tcase_add_loop_test(tests, many_steps_lose_no_body_and_no_energy, 0, 2);
    tcase_add_test(tests, a_box_that_is_sixty_percent_full_conserves_energy);
    tests = add_tests(suite, "determinism");
    tcase_add_loop_test(tests, order_and_memory_do_not_matter, 0, 4);
    tcase_add_loop_test(tests, the_shape_of_the_tree_does_not_matter, 0, 2);
    tcase_add_loop_test(tests, the_way_neighbours_are_found_does_not_matter, 0, 4);
    tcase_add_test(tests, old_worlds_are_unchanged);
    tests = add_tests(suite, "plain");
    tcase_add_loop_test(tests, a_plain_simulation_agrees, 0, 2);
    tests = add_tests(suite, "windows and horizons");
    tcase_add_test(tests, a_plain_simulation_of_far_flights_agrees);
    tcase_add_loop_test(tests, a_plain_simulation_of_bullets_agrees, 0, 2);
    tcase_add_test(tests, long_steps_test_no_more_pairs_for_a_contact);
    tcase_add_test(tests, fast_balls_test_no_more_pairs_for_a_contact);
    tcase_add_loop_test(tests, very_long_steps_test_no_more_pairs_for_a_contact, 0, 2);
    tcase_add_test(tests, a_heavy_bullet_causes_few_tests_for_a_contact);
    tcase_add_test(tests, a_window_with_many_changes_copies_its_tree);
    tcase_add_test(tests, a_step_without_contacts_is_divided_into_at_most_512_windows);
    tcase_add_test(tests, a_window_is_not_too_short_for_its_time);
    tests = add_tests(suite, "rounding");
    tcase_add_test(tests, the_rounding_of_many_contacts_does_not_add_up);
    tcase_add_test(tests, no_ratio_of_masses_makes_bodies_overlap);
    tcase_add_test(tests, the_rounding_of_more_than_2048_motions_does_not_add_up);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
