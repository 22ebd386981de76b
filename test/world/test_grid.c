/* SPDX-License-Identifier: MIT */
/*
 * test_grid.c: tests that the grid of a step either finds the same neighbours as a comparison of
 * all boxes, or reports that it cannot be used.
 */
#include "config.h"

#include <float.h>

#include "hooks.h"
#include "step_support.h"
#include "suite.h"
#include "world/grid.h"

enum { MOST = 400 };

/* Balls with the swept boxes of a step: squares around their positions, of 0.3 to 1 times a given
 * size. */
typedef struct scene {
    pqti_ball balls[MOST];
    pqt_box swept_aabbs[MOST];
    size_t count;
    bool met[MOST][MOST];
} scene;

static const struct layout {
    const char *name;
    pqt_box place; /* the box in which the corners of the swept boxes are drawn */
    double size;
    bool fits;
} layouts[] = {
    {"even", {{0, 0}, {100, 100}}, 5, true},
    {"sparse", {{-1e6, -1e6}, {1e6, 1e6}}, 5, true},
    {"a row", {{0, 7}, {1000, 7}}, 2, true},
    {"a column of points", {{3, 0}, {3, 1000}}, 0, true},
    {"far away", {{5e9, -5e9}, {5e9 + 100, -5e9 + 100}}, 4, true},
    {"the largest numbers", {{-0x1p400, -0x1p400}, {0x1p400, 0x1p400}}, 0x1p396, true},
    {"the smallest numbers", {{0, 0}, {0x1p-1060, 0x1p-1060}}, 0x1p-1065, true},
    {"one position", {{4, 4}, {4, 4}}, 1, false},
    {"crowded", {{0, 0}, {10, 10}}, 8, false},
};

static double
interpolate(dice *d, double low, double high)
{
    double share = dice_real(d);
    return low * (1 - share) + high * share;
}

static pqt_box
draw_reach(dice *d, const struct layout *l)
{
    pqt_vec from = {interpolate(d, l->place.min.x, l->place.max.x),
                    interpolate(d, l->place.min.y, l->place.max.y)};
    if (dice_chance(d, 30)) /* corners on the grid lines */
        from.x = l->place.min.x + l->size * (double)dice_below(d, 40);
    return box(from.x, from.y, from.x + l->size * interpolate(d, 0.3, 1),
               from.y + l->size * (dice_chance(d, 20) ? 1 : interpolate(d, 0.3, 1)));
}

static void
draw_scene(scene *s, dice *d, const struct layout *l)
{
    s->count = 300 + dice_below(d, MOST - 300);
    memset(s->met, 0, sizeof s->met);
    for (size_t i = 0; i < s->count; i++) {
        s->swept_aabbs[i] = draw_reach(d, l);
        s->balls[i] = (pqti_ball){.id = i, .position = s->swept_aabbs[i].min};
    }
}

static bool
note(uint32_t a, uint32_t b, void *context)
{
    scene *s = context;
    require(a != b && !s->met[a][b] && !s->met[b][a], "a pair is visited twice");
    s->met[a][b] = true;
    return true;
}

static void
expect_all_pairs(const scene *s)
{
    for (size_t i = 0; i < s->count; i++)
        for (size_t k = 0; k < i; k++)
            require((s->met[i][k] || s->met[k][i]) ==
                        pqt_box_touches(s->swept_aabbs[i], s->swept_aabbs[k]),
                    "a pair is missing, or does not touch");
}

/* Checks that each ball occurs once, with its radius. */
static void
expect_same_balls(const scene *s)
{
    bool seen[MOST] = {false};
    for (size_t i = 0; i < s->count; i++) {
        require(s->balls[i].id < s->count && !seen[s->balls[i].id], "a ball is missing");
        require(s->balls[i].position.x == s->swept_aabbs[i].min.x &&
                    s->balls[i].position.y == s->swept_aabbs[i].min.y,
                "a ball does not have its swept box");
        seen[s->balls[i].id] = true;
    }
}

static bool
note_one(uint32_t ball, uint32_t other, void *context)
{
    bool(*met)[MOST] = context;
    require(!met[ball][other], "a neighbour is visited twice");
    met[ball][other] = true;
    return true;
}

/* Moves balls, some of them beyond all cells, and checks their neighbours. */
static void
move_balls(scene *s, pqti_grid *grid, dice *d, const struct layout *l)
{
    for (size_t move = 0; move < 200; move++) {
        uint32_t ball = (uint32_t)dice_below(d, s->count);
        pqt_box swept_aabb = draw_reach(d, l);
        if (dice_chance(d, 30)) {
            double motion = 3 * (l->place.max.x - l->place.min.x);
            swept_aabb.min.x -= motion;
            swept_aabb.max.x -= motion;
        }
        if (!pqti_grid_move(grid, ball, swept_aabb))
            continue;
        require(s->swept_aabbs[ball].min.x == swept_aabb.min.x, "a swept box is not changed");
        memset(s->met[ball], 0, sizeof s->met[ball]);
        pqti_grid_neighbours(grid, ball, note_one, s->met);
        for (size_t k = 0; k < s->count; k++)
            require(s->met[ball][k] ==
                        (k != ball && pqt_box_touches(s->swept_aabbs[k], swept_aabb)),
                    "a neighbour is missing, or does not touch");
    }
}

START_TEST(a_grid_finds_the_pairs_of_a_full_comparison)
{
    const struct layout *l = &layouts[_i];
    dice d = {test_seed(l->name)};
    static scene s;
    for (size_t round = 0; round < test_scaled(6); round++) {
        pqti_grid grid = {.first = NULL};
        bool fits;
        draw_scene(&s, &d, l);
        require(pqti_grid_make(&grid, s.balls, s.swept_aabbs, s.count, &fits), "out of memory");
        require(fits == l->fits, "the grid is not accepted or refused as expected");
        expect_same_balls(&s);
        if (fits) {
            require((uint64_t)grid.across * grid.down <= s.count + 16, "too many cells");
            require(pqti_grid_pairs(&grid, note, &s), "a visit without a stop was stopped");
            expect_all_pairs(&s);
            move_balls(&s, &grid, &d, l);
        }
        pqti_grid_free(&grid);
    }
}
END_TEST

static bool
stop(uint32_t a, uint32_t b, void *context)
{
    (void)a;
    (void)b;
    return ++*(int *)context < 3;
}

START_TEST(a_visitor_may_stop_and_a_large_radius_is_refused)
{
    static scene s;
    dice d = {3};
    pqti_grid grid = {.first = NULL};
    bool fits;
    int visits = 0;
    draw_scene(&s, &d, &layouts[0]);
    ck_assert(pqti_grid_make(&grid, s.balls, s.swept_aabbs, s.count, &fits) && fits);
    ck_assert(!pqti_grid_pairs(&grid, stop, &visits));
    ck_assert_int_eq(visits, 3);
    pqti_grid_free(&grid);
    grid = (pqti_grid){.first = NULL};
    memset(s.met, 0, sizeof s.met);
    ck_assert(pqti_grid_make(&grid, s.balls, s.swept_aabbs, s.count, &fits) && fits);
    ck_assert(pqti_grid_pairs(&grid, note, &s));
    pqt_box before = s.swept_aabbs[5];
    ck_assert(!pqti_grid_move(&grid, 5, box(0, 0, grid.side.x, 1)));
    ck_assert(!pqti_grid_move(&grid, 5, box(0, 0, 1, DBL_MAX)));
    ck_assert(memcmp(&s.swept_aabbs[5], &before, sizeof before) == 0);
    pqti_grid_free(&grid);
}
END_TEST

START_TEST(each_failed_allocation_of_a_grid_is_handled)
{
    static scene s;
    dice d = {3};
    draw_scene(&s, &d, &layouts[0]);
    for (size_t n = 1; n <= 4; n++) {
        hooks watch = {.fail_at = n};
        pqti_grid grid = {.first = NULL};
        bool fits;
        hooks_start(&watch);
        bool made = pqti_grid_make(&grid, s.balls, s.swept_aabbs, s.count, &fits);
        hooks_stop();
        require(made == (watch.failures == 0) && fits == made, "a failure is not reported");
        require(made == (n == 4), "the number of allocations differs");
        expect_same_balls(&s);
        pqti_grid_free(&grid);
    }
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("grid");
    TCase *tests = add_tests(suite, "grid");
    tcase_add_loop_test(tests, a_grid_finds_the_pairs_of_a_full_comparison, 0,
                        sizeof layouts / sizeof *layouts);
    tcase_add_test(tests, a_visitor_may_stop_and_a_large_radius_is_refused);
    tcase_add_test(tests, each_failed_allocation_of_a_grid_is_handled);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
