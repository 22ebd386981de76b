/* SPDX-License-Identifier: MIT */
/*
 * test_cost_bounds.c: counts what queries and edits cost with the default options, in bounds that
 * fit the items and in bounds that are far larger.
 *
 * The items are in a square of 100 x 100, on a line or on a diagonal.
 */
#include "config.h"

#include <pqt/nearest.h>
#include <pqt/pairs.h>

#include "hooks.h"
#include "large_trees.h"
#include "suite.h"

enum { QUERIES = 300, NEAR = 10, MOVES = 200 };

static pqt_box
in_a_square(dice *d)
{
    return around(dice_real(d) * 100, dice_real(d) * 100, dice_real(d) * 0.1, dice_real(d) * 0.1);
}

static pqt_box
on_a_line(dice *d)
{
    return around(dice_real(d) * 100, 50, dice_real(d) * 0.001, 0);
}

static pqt_box
on_a_diagonal(dice *d)
{
    const double at = dice_real(d) * 100;
    return around(at, at, dice_real(d) * 0.001, dice_real(d) * 0.001);
}

typedef struct layout {
    const char *name;
    draw_fn *draw;
    double window; /* the width of a window that finds about ten items */
    double far;    /* bounds from -far to far have cells that hold no more items than a leaf */
} layout;

static const layout layouts[] = {
    {"in a square", in_a_square, 1, 1e9},
    {"on a line", on_a_line, 0.01, 1e7},
    {"on a diagonal", on_a_diagonal, 0.01, 1e7},
};

enum { LAYOUTS = sizeof layouts / sizeof *layouts };

/* The average costs of one operation. */
typedef struct costs {
    double window, nearest, pair; /* nodes, leaves and boxes */
    double move;                  /* bytes that a version keeps */
} costs;

static double
steps_of(const pqt_query_stats *stats, size_t operations)
{
    return (double)(stats->nodes + stats->leaves + stats->boxes) / (double)operations;
}

static double
window_cost(field *f, const layout *l)
{
    pqt_query_stats stats = {0};
    size_t found = 0;
    for (int i = 0; i < QUERIES; i++) {
        const pqt_vec at = f->items[dice_below(&f->d, f->count)].box.min;
        const pqt_query query = {.window = around(at.x, at.y, l->window, l->window),
                                 .relation = PQT_TOUCHES,
                                 .stats = &stats};
        found += pqt_tree_collect_ids(f->tree, &query, NULL, 0);
    }
    ck_assert_uint_ge(found, 8 * QUERIES);
    ck_assert_uint_le(found, 20 * QUERIES);
    return steps_of(&stats, QUERIES);
}

static double
nearest_cost(field *f)
{
    pqt_query_stats stats = {0};
    pqt_nearest_options options = PQT_NEAREST_DEFAULTS;
    pqt_near near[NEAR];
    options.stats = &stats;
    for (int i = 0; i < QUERIES; i++) {
        const pqt_vec at = f->items[dice_below(&f->d, f->count)].box.min;
        ck_assert_uint_eq(pqt_tree_nearest(f->tree, (pqt_box){at, at}, &options, near, NEAR), NEAR);
    }
    return steps_of(&stats, QUERIES);
}

static double
pair_cost(const field *f)
{
    pqt_query_stats stats = {0};
    const pqt_pair_query query = {.relation = PQT_TOUCHES, .stats = &stats};
    ck_assert_uint_gt(pqt_pairs_count(f->tree, NULL, &query), 0);
    return steps_of(&stats, f->count);
}

static double
move_cost(field *f)
{
    hooks watch = {.fail_at = 0};
    pqt_error error = {0};
    hooks_start(&watch);
    for (int i = 0; i < MOVES; i++) {
        pqt_item *item = &f->items[(size_t)i * (f->count / MOVES)];
        const pqt_box to = {{item->box.min.x + 1e-4, item->box.min.y},
                            {item->box.max.x + 1e-4, item->box.max.y}};
        f->tree = pqt_tree_move(f->tree, *item, to, &error);
        item->box = to;
    }
    hooks_stop();
    ck_assert_msg(f->tree != NULL, "%s", error.text);
    return (double)hooks_kept_bytes(&watch) / MOVES;
}

static costs
costs_in(const layout *l, pqt_box bounds)
{
    field f = field_draw(l->name, l->draw, HUNDRED_THOUSAND);
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    pqt_error error = {0};
    options.memory = f.arena;
    f.tree = pqt_tree_insert_all(pqt_tree_make(bounds, &options, &error), f.items, f.count, &error);
    ck_assert_msg(f.tree != NULL, "%s", error.text);
    const double window = window_cost(&f, l), nearest = nearest_cost(&f);
    const costs found = {window, nearest, pair_cost(&f), move_cost(&f)};
    fprintf(stderr, "# %s, bounds %g .. %g: window %.0f, nearest %.0f, pairs %.1f, move %.0f B\n",
            l->name, bounds.min.x, bounds.max.x, found.window, found.nearest, found.pair,
            found.move);
    field_free(&f);
    return found;
}

START_TEST(far_bounds_cost_little_more_than_tight_ones_at_the_defaults)
{
    static const pqt_box tight = {{0, 0}, {100, 100}};
    const double end = layouts[_i].far;
    const pqt_box far = {{-end, -end}, {end, end}};
    const costs a = costs_in(&layouts[_i], tight), b = costs_in(&layouts[_i], far);
    ck_assert_double_le(b.window, 1.5 * a.window);
    ck_assert_double_le(b.nearest, 2.2 * a.nearest);
    ck_assert_double_le(b.pair, 1.5 * a.pair);
    ck_assert_double_le(b.move, 1.5 * a.move);
}
END_TEST

/* Half of the quadrants of a node on a line are empty, so a path has twice as many nodes. */
START_TEST(items_on_a_line_cost_little_more_than_items_in_a_square)
{
    static const pqt_box tight = {{0, 0}, {100, 100}};
    const costs square_costs = costs_in(&layouts[0], tight);
    for (int i = 1; i < LAYOUTS; i++) {
        const costs line = costs_in(&layouts[i], tight);
        ck_assert_double_le(line.window, 1.5 * square_costs.window);
        ck_assert_double_le(line.nearest, 1.5 * square_costs.nearest);
        ck_assert_double_le(line.pair, 1.5 * square_costs.pair);
        ck_assert_double_le(line.move, 1.8 * square_costs.move);
    }
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("cost_bounds");
    TCase *tests = tcase_create("bounds");
    tcase_add_loop_test(tests, far_bounds_cost_little_more_than_tight_ones_at_the_defaults, 0,
                        LAYOUTS);
    tcase_add_test(tests, items_on_a_line_cost_little_more_than_items_in_a_square);
    suite_add_tcase(suite, tests);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
