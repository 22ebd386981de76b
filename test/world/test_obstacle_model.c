/* SPDX-License-Identifier: MIT */
/*
 * test_obstacle_model.c: tests many balls among pixels. No ball enters a pixel or is lost. Results
 * depend only on the bodies, and agree with a plain simulation.
 */
#include "config.h"

#include <pqt/circle.h>
#include <pqt/recording.h>

#include "hooks.h"
#include "obstacle_support.h"
#include "suite.h"

/* ---- A plain simulation in long doubles, which tests all edges and corners of pixels at each
 * event ---- */

enum { SIDE = 24, PLAIN = 6, PLAIN_ROUNDS = 60 };

typedef struct plain_ball {
    long double x, y, vx, vy, r, m;
} plain_ball;

typedef struct plain_world {
    bool pixel[SIDE][SIDE]; /* by rows; the pixels of the border are empty */
    plain_ball balls[PLAIN];
} plain_world;

/* The kind of the next contact of a ball. */
typedef enum plain_kind { NOTHING, BALL, LINE, CORNER } plain_kind;

/* The next contact, or the end of the time span. */
typedef struct plain_event {
    long double span;
    size_t a, b;
    plain_kind kind;
    long double x, y; /* for a line, the direction away from it; for a corner, its position */
} plain_event;

static bool
is_full(const plain_world *w, int x, int y)
{
    return x >= 0 && x < SIDE && y >= 0 && y < SIDE && w->pixel[y][x];
}

static void
consider(plain_event *e, plain_event other)
{
    if (other.span < e->span)
        *e = other;
}

/* Tests a one-sided line between two ends. The ends of a wall are at infinity. */
static void
consider_line(plain_event *e, const plain_world *w, size_t a, bool across_y, long double line,
              int sign, long double low, long double high)
{
    const plain_ball *p = &w->balls[a];
    long double at = across_y ? p->y : p->x, v = across_y ? p->vy : p->vx;
    long double other = across_y ? p->x : p->y, along = across_y ? p->vx : p->vy;
    long double gap = sign * (at - line) - p->r;
    if (sign * v >= 0 || gap < -1e-9L)
        return;
    long double span = gap / (-sign * v), there = other + along * span;
    if (there >= low && there <= high)
        consider(
            e, (plain_event){fmaxl(span, 0), a, a, LINE, across_y ? 0 : sign, across_y ? sign : 0});
}

/* Returns the time at which a point that moves from (x, y) reaches a circle of radius r around
 * 0. */
static long double
meeting(long double x, long double y, long double vx, long double vy, long double r)
{
    long double a = vx * vx + vy * vy, b = x * vx + y * vy, c = x * x + y * y - r * r;
    long double root = b * b - a * c;
    return b < 0 && root > 0 ? fmaxl((-b - sqrtl(root)) / a, 0) : HUGE_VALL;
}

static void
consider_corner(plain_event *e, const plain_world *w, size_t a, int x, int y)
{
    const plain_ball *p = &w->balls[a];
    long double span = meeting(p->x - x, p->y - y, p->vx, p->vy, p->r);
    consider(e, (plain_event){span, a, a, CORNER, x, y});
}

/* Tests one pixel: its sides without a neighbouring pixel, and its corners without a pixel on
 * either side. */
static void
consider_pixel(plain_event *e, const plain_world *w, size_t a, int x, int y)
{
    for (int s = -1; s <= 1; s += 2) {
        if (!is_full(w, x + s, y))
            consider_line(e, w, a, false, s < 0 ? x : x + 1, s, y, y + 1);
        if (!is_full(w, x, y + s))
            consider_line(e, w, a, true, s < 0 ? y : y + 1, s, x, x + 1);
        for (int t = -1; t <= 1; t += 2)
            if (!is_full(w, x + s, y) && !is_full(w, x, y + t))
                consider_corner(e, w, a, s < 0 ? x : x + 1, t < 0 ? y : y + 1);
    }
}

static void
consider_obstacle(plain_event *e, const plain_world *w, size_t a)
{
    consider_line(e, w, a, false, 0, 1, -HUGE_VALL, HUGE_VALL);
    consider_line(e, w, a, false, SIDE, -1, -HUGE_VALL, HUGE_VALL);
    consider_line(e, w, a, true, 0, 1, -HUGE_VALL, HUGE_VALL);
    consider_line(e, w, a, true, SIDE, -1, -HUGE_VALL, HUGE_VALL);
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++)
            if (is_full(w, x, y))
                consider_pixel(e, w, a, x, y);
}

static void
consider_pair(plain_event *e, const plain_world *w, size_t i, size_t k)
{
    const plain_ball *p = &w->balls[i], *q = &w->balls[k];
    long double span = meeting(p->x - q->x, p->y - q->y, p->vx - q->vx, p->vy - q->vy, p->r + q->r);
    consider(e, (plain_event){span, i, k, BALL, 0, 0});
}

static void
plain_answer(plain_world *w, const plain_event *e)
{
    plain_ball *p = &w->balls[e->a], *q = &w->balls[e->b];
    plain_ball stone = {.x = e->x, .y = e->y};
    if (e->kind == LINE)
        stone = (plain_ball){.x = p->x - e->x, .y = p->y - e->y};
    if (e->kind != BALL)
        q = &stone;
    long double nx = p->x - q->x, ny = p->y - q->y;
    long double s = 2 * (nx * (p->vx - q->vx) + ny * (p->vy - q->vy)) / (nx * nx + ny * ny);
    long double to_p = e->kind == BALL ? q->m / (p->m + q->m) : 1;
    p->vx -= nx * s * to_p;
    p->vy -= ny * s * to_p;
    q->vx += nx * s * (1 - to_p);
    q->vy += ny * s * (1 - to_p);
}

/* Runs a step of a plain world. Returns the number of contacts. */
static size_t
plain_step(plain_world *w, long double dt)
{
    size_t contacts = 0;
    while (dt > 0) {
        plain_event e = {.span = dt};
        for (size_t i = 0; i < PLAIN; i++) {
            consider_obstacle(&e, w, i);
            for (size_t k = 0; k < i; k++)
                consider_pair(&e, w, k, i);
        }
        for (size_t i = 0; i < PLAIN; i++) {
            w->balls[i].x += w->balls[i].vx * e.span;
            w->balls[i].y += w->balls[i].vy * e.span;
        }
        if (e.kind != NOTHING)
            plain_answer(w, &e);
        contacts += e.kind != NOTHING;
        dt -= e.span;
    }
    return contacts;
}

/* Returns single pixels and some blocks, which fill about an eighth of the area. */
static const pqt_region *
draw_pixels(dice *d, plain_world *w)
{
    pqt_pixel_box boxes[SIDE * SIDE];
    size_t count = 0;
    for (int k = 0; k < 40; k++) {
        const int x = 1 + (int)dice_below(d, SIDE - 6), y = 1 + (int)dice_below(d, SIDE - 6);
        const int size = dice_chance(d, 20) ? 3 : 1;
        for (int i = 0; i < size * size; i++)
            w->pixel[y + i / size][x + i % size] = true;
        boxes[count++] = pixels(x, y, x + size, y + size);
    }
    return boxes_in(arena, boxes, count);
}

/* Returns a ball that overlaps no pixel and no other ball. */
static pqt_body
draw_ball(dice *d, const pqt_world *world, size_t id)
{
    for (;;) {
        const double r = 0.2 + 0.5 * dice_real(d), width = SIDE - 2 * r;
        const double x = r + width * dice_real(d), y = r + width * dice_real(d);
        const double vx = 20 * dice_real(d) - 10, vy = 20 * dice_real(d) - 10;
        pqt_body body = flying(id, x, y, r, vx, vy);
        const pqt_box box = pqt_circle_box(circle_of(&body));
        body.mass = 1 + 3 * dice_real(d);
        if (!pqt_world_is_obstructed(world, circle_of(&body)) &&
            !pqt_tree_any(pqt_world_tree(world),
                          &(pqt_query){.window = box, .relation = PQT_TOUCHES}, NULL))
            return body;
    }
}

START_TEST(a_plain_simulation_agrees)
{
    dice d = {test_seed(__func__)};
    size_t rounds = test_scaled(PLAIN_ROUNDS), contacts = 0, bumps = 0;
    for (size_t round = 0; round < rounds; round++) {
        plain_world plain = {0};
        pqt_step_report report = {0};
        pqt_step_options options = reporting(&report);
        const pqt_region *region = draw_pixels(&d, &plain);
        const pqt_world *world =
            obstructed_at(world_in(box(0, 0, SIDE, SIDE), true, arena), region, 0, 0);
        for (size_t i = 0; i < PLAIN; i++) {
            const pqt_body b = draw_ball(&d, world, i);
            plain.balls[i] = (plain_ball){b.position.x, b.position.y, b.velocity.x,
                                          b.velocity.y, b.radius,     b.mass};
            world = added(world, b);
        }
        const size_t met = plain_step(&plain, 0.5L);
        world = stepped(world, 0.5, &options);
        require(report.contacts + report.bounces + report.obstacle_hits == met,
                "the number of contacts differs");
        contacts += met;
        bumps += report.obstacle_hits;
        for (size_t i = 0; i < PLAIN; i++) {
            const pqt_body b = body_of(world, i);
            require(fabsl(plain.balls[i].x - b.position.x) < 1e-6L &&
                        fabsl(plain.balls[i].y - b.position.y) < 1e-6L,
                    "a body is not where plain arithmetic puts it");
        }
    }
    ck_assert(rounds < PLAIN_ROUNDS || (bumps > 2 * rounds && contacts > bumps));
}
END_TEST

/* ---- Pictures ---- */

/* Returns the region of a picture of characters, in which each # is a square of `size` pixels. */
static const pqt_region *
drawn(pqt_memory *memory, const char *const *rows, size_t count, int32_t size)
{
    pqt_pixel_box boxes[1000];
    size_t full = 0;
    for (size_t y = 0; y < count; y++)
        for (size_t x = 0; rows[y][x] != 0; x++)
            if (rows[y][x] == '#')
                boxes[full++] = pixels((int32_t)x * size, (int32_t)y * size,
                                       (int32_t)(x + 1) * size, (int32_t)(y + 1) * size);
    return boxes_in(memory, boxes, full);
}

/* A funnel above a maze with stairs, nooks, single pixels and narrow passages. */
static const char *const funnel[] = {
    "#                              #", "#                              #",
    "#                              #", "##                            ##",
    "# #                          # #", "#  #                        #  #",
    "#   #                      #   #", "#    ##                  ##    #",
    "#      ##              ##      #", "#        ##          ##        #",
    "#          ###    ###          #", "#                              #",
    "#   ########          ######   #", "#          #   ####            #",
    "#   #      #                   #", "#   #   #  ######   ########   #",
    "#   #   #                  #   #", "#       #   #   #   #   #      #",
    "#  ######                 #    #", "#              #      ##       #",
    "#    #    #         #      #   #", "################################",
};
enum { FUNNEL_ROWS = sizeof funnel / sizeof *funnel, CELL = 6 };

static const pqt_world *
funnel_world(pqt_memory *memory)
{
    const pqt_box bounds = box(0, -200, 32 * CELL, FUNNEL_ROWS * CELL);
    return obstructed_at(world_in(bounds, true, memory), drawn(memory, funnel, FUNNEL_ROWS, CELL),
                         0, 0);
}

/* Places balls in rows above the funnel. */
static void
pour(dice *d, pqt_body *bodies, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const double r = 0.7 + 0.5 * dice_real(d);
        bodies[i] = flying(i, 9 + 2.5 * (double)(i % 70), -5 - 2.5 * (double)(i / 70), r,
                           2 * dice_real(d) - 1, 20);
        bodies[i].position.x += (1.24 - r) * (2 * dice_real(d) - 1);
    }
}

START_TEST(two_thousand_balls_fall_through_a_funnel)
{
    enum { MANY = 2000, STEPS = 40 };
    static pqt_body bodies[MANY];
    dice d = {test_seed(__func__)};
    pqt_step_report report = {0};
    pqt_step_options options = reporting(&report);
    options.restitution = 0.95;
    options.gravity.y = 60;
    options.damping = 0.05;
    pour(&d, bodies, MANY);
    const pqt_world *world = with_bodies(funnel_world(arena), bodies, MANY);
    const size_t steps = test_scaled(STEPS);
    for (size_t i = 0; i < steps; i++) {
        world = stepped(world, 0.05, &options);
        list_bodies(world, bodies);
        expect_apart_within(world, bodies, MANY, 0.25); /* they lie on each other */
        expect_nobody_inside(world, bodies, MANY);
    }
    expect_sound_world(world);
    ck_assert(steps < STEPS || report.obstacle_hits > 100 * steps);
    ck_assert_uint_eq(report.embedded, 0);
}
END_TEST

/* ---- Bullets ---- */

START_TEST(fast_balls_do_not_pass_a_wall_of_one_pixel)
{
    enum { MANY = 40, STEPS = 100 };
    pqt_body bodies[MANY];
    dice d = {test_seed(__func__)};
    const pqt_pixel_box wall = {{50, 0}, {51, 100}};
    pqt_step_report report = {0};
    pqt_step_options options = reporting(&report);
    for (size_t i = 0; i < MANY; i++) {
        const double r = i % 4 == 0 ? 0.001 : 0.2 + dice_real(&d);
        bodies[i] = flying(i, 40, 1.2 + 2.4 * (double)i, r, 1e6 * (1 + dice_real(&d)),
                           2e6 * dice_real(&d) - 1e6);
    }
    const pqt_world *world = with_bodies(obstructed(small_world(), &wall, 1), bodies, MANY);
    for (size_t k = 0; k < STEPS; k++) {
        world = stepped(world, 1.0 / 65536, &options);
        list_bodies(world, bodies);
        expect_nobody_inside(world, bodies, MANY);
        for (size_t i = 0; i < MANY; i++)
            require(bodies[i].position.x < 50, "a bullet passed through");
    }
    ck_assert_uint_gt(report.obstacle_hits, 10 * STEPS);
}
END_TEST

/* ---- Irrelevant properties ---- */

enum { GAS = 120 };

/* Returns true if a body overlaps neither a pixel nor an earlier body. */
static bool
is_free(const pqt_world *world, const pqt_body *bodies, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (depth_of(&bodies[i], &bodies[k]) > -1)
            return false;
    return !pqt_world_is_obstructed(world, circle_of(&bodies[i]));
}

/* Returns a maze, in which balls may begin inside rock and inside each other. */
static const pqt_world *
gas_world(pqt_memory *memory, const pqt_pixel at, pqt_body bodies[GAS], bool buried)
{
    dice d = {77};
    pqt_error error = {0};
    const pqt_region *region = drawn(memory, funnel, FUNNEL_ROWS, CELL);
    region = must_region(pqt_region_move(region, at, &error), &error);
    const pqt_world *world = world_in(box(0, 0, 32 * CELL, FUNNEL_ROWS * CELL), true, memory);
    world = obstructed_at(world, region, -at.x, -at.y);
    for (size_t i = 0; i < GAS; i++) {
        const double x = 14 * (double)(i % 13) + 12, y = 12 * (double)(i / 13) + 10;
        bodies[i] = flying(i, x, y, 0.5 + dice_real(&d), 120 * dice_real(&d) - 60,
                           120 * dice_real(&d) - 60);
        while (!buried && !is_free(world, bodies, i))
            bodies[i].position = (pqt_vec){2 + (32 * CELL - 4) * dice_real(&d),
                                           2 + (FUNNEL_ROWS * CELL - 4) * dice_real(&d)};
    }
    return world;
}

static void
turn_round(pqt_body *bodies, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        const pqt_body kept = bodies[i];
        bodies[i] = bodies[count - 1 - i];
        bodies[count - 1 - i] = kept;
    }
}

START_TEST(order_and_memory_do_not_matter)
{
    pqt_memory *memories[2];
    const size_t count = memories_of_tests(memories);
    pqt_body bodies[GAS];
    const pqt_world *one = gas_world(memories[0], (pqt_pixel){0, 0}, bodies, true);
    const pqt_world *other = gas_world(memories[count - 1], (pqt_pixel){0, 0}, bodies, true);
    one = with_bodies(one, bodies, GAS);
    turn_round(bodies, GAS);
    for (size_t i = 0; i < GAS; i++)
        other = added(other, bodies[i]);
    pqt_step_report report = {0};
    pqt_step_options options = reporting(&report);
    for (size_t i = 0; i < 40; i++) {
        one = stepped(one, 0.02, &options);
        other = stepped(other, 0.02, NULL);
        require(pqt_world_equals(one, other), "the order of bodies has an effect");
        require(pqt_world_fingerprint(one).low == pqt_world_fingerprint(other).low,
                "fingerprints differ");
    }
    ck_assert_uint_gt(report.obstacle_hits, 100);
    ck_assert_uint_gt(report.embedded, 20);
    expect_sound_world(one);
    expect_sound_world(other);
}
END_TEST

/* The same pixels with other coordinates and another origin are divided into other squares. */
START_TEST(the_division_of_pixels_into_squares_does_not_matter)
{
    pqt_body bodies[GAS], moved[GAS];
    const pqt_world *one = gas_world(arena, (pqt_pixel){0, 0}, bodies, false);
    const pqt_world *other = gas_world(arena, (pqt_pixel){-37, 101}, bodies, false);
    one = with_bodies(one, bodies, GAS);
    other = with_bodies(other, bodies, GAS);
    for (int i = 0; i < 40; i++) {
        one = stepped(one, 0.02, NULL);
        other = stepped(other, 0.02, NULL);
        list_bodies(one, bodies);
        list_bodies(other, moved);
        for (size_t k = 0; k < GAS; k++)
            require(same_body(&bodies[k], &moved[k]), "the division into squares has an effect");
    }
    ck_assert(!pqt_world_equals(one, other));
}
END_TEST

/* Adds fixed points inside pixels, which no ball can reach. They reduce the average speed and the
   average distance between bodies. */
static const pqt_world *
with_points_in_rock(const pqt_world *world, size_t count)
{
    dice d = {78};
    for (size_t id = GAS; id < GAS + count;) {
        pqt_body point = ball(id, 32 * CELL * dice_real(&d), FUNNEL_ROWS * CELL * dice_real(&d), 0);
        point.mass = 1;
        point.fixed = true;
        if (!pqt_world_is_obstructed(world, (pqt_circle){point.position, 0.01}))
            continue;
        world = added(world, point);
        id++;
    }
    return world;
}

START_TEST(the_length_of_horizons_does_not_matter)
{
    enum { POINTS = 300 };
    pqt_body bodies[GAS], others[GAS + POINTS];
    pqt_step_report report = {0}, other_report = {0};
    pqt_step_options options = reporting(&report), other_options = reporting(&other_report);
    const pqt_world *one = gas_world(arena, (pqt_pixel){0, 0}, bodies, false);
    for (size_t i = 0; i < GAS; i += 30)
        bodies[i].velocity = pqt_vec_scale(bodies[i].velocity, 200);
    one = with_bodies(one, bodies, GAS);
    const pqt_world *other = with_points_in_rock(one, POINTS);
    for (int i = 0; i < 10; i++) {
        one = stepped(one, 0.01, &options);
        other = stepped(other, 0.01, &other_options);
        list_bodies(one, bodies);
        list_bodies(other, others);
        for (size_t k = 0; k < GAS; k++)
            require(same_body(&bodies[k], &others[k]), "horizons have an effect");
        expect_nobody_inside(one, bodies, GAS);
    }
    ck_assert_uint_gt(report.obstacle_hits, 200);
    ck_assert_uint_ne(report.squares, other_report.squares);
}
END_TEST

START_TEST(energy_is_conserved_among_pixels)
{
    pqt_body bodies[GAS];
    pqt_step_report report = {0};
    pqt_step_options options = reporting(&report);
    const pqt_world *world = gas_world(arena, (pqt_pixel){0, 0}, bodies, false);
    const size_t steps = test_scaled(300);
    world = with_bodies(world, bodies, GAS);
    const double energy = pqt_world_get_stats(world).energy;
    for (size_t i = 0; i < steps; i++) {
        world = stepped(world, 0.02, &options);
        list_bodies(world, bodies);
        expect_apart(world, bodies, GAS);
        expect_nobody_inside(world, bodies, GAS);
    }
    ck_assert(steps < 100 || report.obstacle_hits > 3 * steps);
    ck_assert_uint_eq(report.plastic, 0);
    ck_assert_uint_eq(report.embedded, 0);
    ck_assert(fabs(pqt_world_get_stats(world).energy / energy - 1) < 1e-9);
}
END_TEST

START_TEST(a_recording_rewinds_among_pixels)
{
    pqt_error error = {0};
    pqt_body bodies[GAS];
    pqt_recording_divergence divergence;
    const pqt_world *empty = gas_world(arena, (pqt_pixel){0, 0}, bodies, true);
    const pqt_world *first = with_bodies(empty, bodies, GAS), *kept[30] = {first};
    pqt_recording *recording = pqt_recording_make(first, 0.02, NULL, 7, &error);
    for (size_t i = 1; i < 30; i++)
        kept[i] = must_world(pqt_recording_step(recording, NULL, &error), &error);
    for (size_t i = 30; i-- > 0;) {
        const pqt_world *again = must_world(pqt_recording_at(recording, i, &error), &error);
        require(pqt_world_equals(again, kept[i]), "a repeated step gives a different result");
        expect_sound_world(kept[i]);
    }
    ck_assert(pqt_recording_verify(recording, &divergence, &error) && !divergence.found);
    /* Runs with different obstacles differ in the first step. */
    const pqt_world *bare = obstructed(first, (const pqt_pixel_box[]){{{0, 0}, {1, 1}}}, 1);
    pqt_recording *other = pqt_recording_make(bare, 0.02, NULL, 7, &error);
    for (size_t i = 1; i < 30; i++)
        (void)must_world(pqt_recording_step(other, NULL, &error), &error);
    ck_assert(pqt_recording_compare(recording, other, &divergence, &error));
    ck_assert(divergence.found && divergence.step == 0);
    pqt_recording_destroy(&recording);
    pqt_recording_destroy(&other);
}
END_TEST

/* ---- Costs ---- */

START_TEST(a_body_far_from_pixels_tests_few_squares)
{
    const pqt_pixel_box ground = {{0, 60}, {100, 1000}};
    pqt_body bodies[GAS];
    pqt_step_report report = {0};
    pqt_step_options options = reporting(&report);
    dice d = {test_seed(__func__)};
    scatter_keys(&d, bodies, GAS, 50, 0.3);
    const pqt_world *world = with_bodies(obstructed(small_world(), &ground, 1), bodies, GAS);
    (void)stepped(world, 0.01, &options);
    ck_assert_uint_eq(report.squares, 0); /* no ball reaches the box of all pixels */
    /* The ground is uneven, and one ball flies into it. The search visits about as many squares as
       the region has levels. */
    pqt_error error = {0};
    const pqt_region *rough = boxes_in(arena, &ground, 1);
    for (int i = 0; i < 400; i++) {
        const pqt_pixel p = {(int)dice_below(&d, 100), 60 + (int)dice_below(&d, 900)};
        rough = must_region(pqt_region_paint(rough, pqt_paint_pixel(PQT_PAINT_CLEAR, p), &error),
                            &error);
    }
    for (int i = 0; i < 50; i++) {
        report = (pqt_step_report){0};
        world = added(small_world(), flying(1, 1 + 98 * dice_real(&d), 58.9, 1, 1, 2));
        (void)stepped(obstructed_at(world, rough, 0, 0), 0.1, &options);
        require(report.obstacle_hits >= 1 && report.squares < 80, "too many squares");
    }
}
END_TEST

START_TEST(a_world_without_an_obstacle_tests_no_square)
{
    pqt_body bodies[GAS];
    pqt_step_report report = {0};
    pqt_step_options options = reporting(&report);
    dice d = {test_seed(__func__)};
    hooks watch = {0}, other = {0};
    scatter_keys(&d, bodies, GAS, 100, 0.3);
    const pqt_world *world = with_bodies(small_world(), bodies, GAS);
    hooks_start(&watch);
    (void)stepped(world, 0.01, &options);
    hooks_stop();
    ck_assert_uint_eq(report.squares + report.obstacle_hits + report.embedded, 0);
    world = obstructed(world, (const pqt_pixel_box[]){{{500, 500}, {501, 501}}}, 1);
    hooks_start(&other);
    (void)stepped(world, 0.01, &options);
    hooks_stop();
    ck_assert_uint_eq(other.calls, watch.calls + 1); /* for predicted contacts with pixels */
    ck_assert_uint_eq(hooks_kept_bytes(&other), hooks_kept_bytes(&watch));
}
END_TEST

/* ---- Failing memories ---- */

START_TEST(each_failed_allocation_of_a_step_is_handled)
{
    pqt_body bodies[GAS];
    const pqt_world *world = gas_world(arena, (pqt_pixel){0, 0}, bodies, true);
    world = with_bodies(world, bodies, 40);
    const pqt_world *expected = stepped(world, 0.02, NULL);
    size_t failures = 0;
    for (size_t n = 1;; n++) {
        hooks watch = {.fail_at = n};
        pqt_error error = {0};
        pqt_step_report report = {0};
        pqt_step_options options = reporting(&report);
        hooks_start(&watch);
        const pqt_world *next = pqt_world_step(world, 0.02, &options, &error);
        hooks_stop();
        if (watch.failures == 0) {
            require(pqt_world_equals(must_world(next, &error), expected), "the result differs");
            break;
        }
        failures++;
        require(next == NULL && error.status == PQT_ERROR_MEMORY, "a failure is not reported");
        require(report.squares == 0 && report.embedded == 0, "a failed step writes a report");
    }
    ck_assert_uint_gt(failures, 20);
    expect_sound_world(world);
}
END_TEST

START_TEST(each_failed_allocation_of_an_obstacle_is_handled)
{
    pqt_error error = {0};
    pqt_memory *other = pqt_arena_make(0, &error);
    const pqt_world *world = added(small_world(), ball(1, 50, 50, 1));
    const pqt_region *region = drawn(arena, funnel, FUNNEL_ROWS, CELL);
    const pqt_world *expected = obstructed_at(world, region, 1, 2);
    for (size_t n = 1;; n++) {
        hooks watch = {.fail_at = n};
        error = (pqt_error){0};
        hooks_start(&watch);
        const pqt_world *next =
            pqt_world_set_obstacle(world, (pqt_obstacle){region, {1, 2}}, &error);
        next = pqt_world_copy(next, other, &error);
        hooks_stop();
        if (watch.failures == 0) {
            ck_assert(pqt_world_equals(must_world(next, &error), expected));
            ck_assert_uint_gt(n, 5);
            break;
        }
        require(next == NULL && error.status == PQT_ERROR_MEMORY, "a failure is not reported");
    }
    pqt_arena_destroy(&other);
}
END_TEST

START_TEST(a_collection_at_each_allocation_loses_nothing)
{
    pqt_memory *memory = pqt_collector();
    pqt_body bodies[GAS];
    if (memory == NULL)
        return;
    const pqt_world *expected = gas_world(arena, (pqt_pixel){0, 0}, bodies, true);
    expected = after_steps(with_bodies(expected, bodies, 60), 3, 0.02, NULL);
    hooks watch = {.collect_every = 1, .memory = memory};
    hooks_start(&watch);
    const pqt_world *world = gas_world(memory, (pqt_pixel){0, 0}, bodies, true);
    world = after_steps(with_bodies(world, bodies, 60), 3, 0.02, NULL);
    hooks_stop();
    ck_assert_uint_gt(watch.collections, 100);
    expect_sound_world(world);
    ck_assert(pqt_world_equals(world, expected));
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("obstacle_model");
    TCase *tests = add_tests(suite, "plain");
    tcase_add_test(tests, a_plain_simulation_agrees);
    tests = add_tests(suite, "many");
    tcase_add_test(tests, two_thousand_balls_fall_through_a_funnel);
    tcase_add_test(tests, fast_balls_do_not_pass_a_wall_of_one_pixel);
    tcase_add_test(tests, energy_is_conserved_among_pixels);
    tests = add_tests(suite, "determinism");
    tcase_add_test(tests, order_and_memory_do_not_matter);
    tcase_add_test(tests, the_division_of_pixels_into_squares_does_not_matter);
    tcase_add_test(tests, the_length_of_horizons_does_not_matter);
    tcase_add_test(tests, a_recording_rewinds_among_pixels);
    tests = add_tests(suite, "costs");
    tcase_add_test(tests, a_body_far_from_pixels_tests_few_squares);
    tcase_add_test(tests, a_world_without_an_obstacle_tests_no_square);
    tests = add_tests(suite, "hostile");
    tcase_add_test(tests, each_failed_allocation_of_a_step_is_handled);
    tcase_add_test(tests, each_failed_allocation_of_an_obstacle_is_handled);
    tcase_add_test(tests, a_collection_at_each_allocation_loses_nothing);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
