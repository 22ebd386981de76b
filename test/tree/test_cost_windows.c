/* SPDX-License-Identifier: MIT */
/* test_cost_windows.c: tests the number of items that a window query tests. */
#include "config.h"

#include <pqt/memory.h>
#include <pqt/tree.h>

#include "hooks.h"
#include "large_trees.h"
#include "random.h"
#include "suite.h"
#include "tree_bounds.h"

/* ---- Windows ---- */

/* Returns a window around an item that grows until it finds about ten items, if possible. */
static pqt_query
window_of_ten(field *f, pqt_query_stats *stats)
{
    pqt_box box = f->items[dice_below(&f->d, f->count)].box;
    double x = box.min.x / 2 + box.max.x / 2;
    double y = box.min.y / 2 + box.max.y / 2;
    pqt_query query = {around(x, y, 0, 0), PQT_TOUCHES, NULL, NULL, NULL, NULL, PQT_PLANE, {0}};
    for (double size = 1e-12; pqt_tree_count_in(f->tree, &query) < 10; size *= 1.2)
        query.window = around(x, y, size, size);
    query.stats = stats;
    return query;
}

/* Queries sixty windows of ten hits each. The items of a leaf inside the window are counted without
 * tests. */
static void
expect_cheap_windows(field *f, uint64_t limit)
{
    uint64_t most = 0;
    size_t found = 0;
    for (int i = 0; i < EDITS; i++) {
        pqt_query_stats stats = {0, 0, 0};
        pqt_query query = window_of_ten(f, &stats);
        size_t count = pqt_tree_collect_ids(f->tree, &query, NULL, 0);
        ck_assert_uint_ge(count, 10);
        found = count > found ? count : found;
        most = stats.boxes > most ? stats.boxes : most;
    }
    fprintf(stderr, "# %s: %" PRIu64 " boxes tested at most for up to %zu hits\n", f->name, most,
            found);
    ck_assert_uint_gt(most, found / 2);
    ck_assert_uint_lt(most, limit);
    ck_assert_uint_lt(found, 60);
}

START_TEST(a_window_of_ten_hits_tests_fewer_than_1000_boxes)
{
    field f = field_make(&masses[_i], HUNDRED_THOUSAND, false);
    expect_cheap_windows(&f, MOST_BOXES);
    field_free(&f);
}
END_TEST

/* ---- Windows in trees whose bounds, depth or capacity do not suit the items ---- */

static const pqt_box far_square = {{5e6, 5e6}, {5e6 + 100, 5e6 + 100}};

static pqt_box
just_outside(dice *d)
{
    return around(5e6 + 101 + dice_real(d) * 100, 5e6 + dice_real(d) * 100, 0.1, 0.1);
}

static pqt_box
wider_than_the_world(dice *d)
{
    return around(5e6 + 50, 5e6 + dice_real(d) * 100, 101, 1e-4);
}

static pqt_box
outside_on_one_side(dice *d)
{
    return around(10020 + dice_real(d) * 10000, dice_real(d) * 10000, dice_real(d) * 30,
                  dice_real(d) * 30);
}

static pqt_box
far_outside(dice *d)
{
    return around(1e6 + dice_real(d) * 1000, 1e6 + dice_real(d) * 1000, 0.3, 0.3);
}

/* A function that makes a version from the items of a field. */
typedef const pqt_tree *grow_fn(const field *f, pqt_box bounds, const pqt_tree_options *options,
                                pqt_error *error);

static const pqt_tree *
grow_at_once(const field *f, pqt_box bounds, const pqt_tree_options *options, pqt_error *error)
{
    return pqt_tree_insert_all(pqt_tree_make(bounds, options, error), f->items, f->count, error);
}

/* Makes a version whose bounds are those of a few other items, which remain in it. */
static const pqt_tree *
grow_from_few(const field *f, pqt_box bounds, const pqt_tree_options *options, pqt_error *error)
{
    const pqt_item few[] = {{{bounds.min, bounds.min}, 1}, {{bounds.max, bounds.max}, 2}};
    return pqt_tree_insert_all(pqt_tree_of(few, 2, options, error), f->items, f->count, error);
}

static int
by_left_side(const void *a, const void *b)
{
    const pqt_item *first = a, *second = b;
    return (first->box.min.x > second->box.min.x) - (first->box.min.x < second->box.min.x);
}

/* Inserts the items one by one from left to right. This is the worst order for a tree whose shape
 * depends on the order. */
static const pqt_tree *
grow_in_order(const field *f, pqt_box bounds, const pqt_tree_options *options, pqt_error *error)
{
    const pqt_tree *tree = pqt_tree_make(bounds, options, error);
    hooks watch = {0};
    qsort(f->items, f->count, sizeof *f->items, by_left_side);
    hooks_start(&watch);
    for (size_t i = 0; i < f->count; i++)
        tree = pqt_tree_insert(tree, f->items[i], error);
    hooks_stop();
    ck_assert_uint_lt(hooks_kept_bytes(&watch) / f->count, 2000);
    ck_assert(pqt_tree_equals(tree, grow_at_once(f, bounds, options, error)));
    return tree;
}

typedef struct landscape {
    const char *name;
    draw_fn *draw;
    const pqt_box *bounds;
    int max_depth, capacity;
    grow_fn *grow;
} landscape;

static const landscape landscapes[] = {
    {"just outside a far world", just_outside, &far_square, 24, 24, grow_at_once},
    {"thin, wider than the world", wider_than_the_world, &far_square, 24, 24, grow_at_once},
    {"outside on one side, depth 8", outside_on_one_side, &square, 8, 24, grow_at_once},
    {"outside on one side, depth 4", outside_on_one_side, &square, 4, 24, grow_at_once},
    {"a cloud of outliers far away", far_outside, &square, 24, 24, grow_at_once},
    {"uniform, depth 0", uniform, &square, 0, 24, grow_at_once},
    {"far from the bounds of the first", far_outside, &square, 24, 24, grow_from_few},
    {"in sorted order", uniform, &square, 24, 24, grow_in_order},
    {"uniform, capacity 1", uniform, &square, 24, 1, grow_at_once},
    {"uniform, capacity 1024", uniform, &square, 24, 1024, grow_at_once},
};

enum { LANDSCAPES = sizeof landscapes / sizeof *landscapes };

static field
landscape_field(const landscape *l)
{
    field f = field_draw(l->name, l->draw, HUNDRED_THOUSAND);
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    pqt_error error = {0};
    options.memory = f.arena;
    options.max_depth = l->max_depth;
    options.leaf_capacity = l->capacity;
    f.tree = l->grow(&f, *l->bounds, &options, &error);
    ck_assert_msg(f.tree != NULL, "%s: %s", f.name, error.text);
    ck_assert_uint_ge(pqt_tree_count(f.tree), f.count);
    return f;
}

START_TEST(bounds_depth_and_capacity_that_fit_badly_keep_windows_cheap)
{
    const landscape *l = &landscapes[_i];
    field f = landscape_field(l);
    /* A window may contain the common corner of four leaves. */
    uint64_t leaves = 4 * (uint64_t)l->capacity;
    expect_cheap_windows(&f, leaves > MOST_BOXES ? leaves : MOST_BOXES);
    field_free(&f);
}
END_TEST

/* ---- Windows in trees whose bounds are far larger than the area that the items occupy ---- */

static pqt_box
in_a_hundred(dice *d)
{
    return around(dice_real(d) * 100, dice_real(d) * 100, dice_real(d) * 0.1, dice_real(d) * 0.1);
}

/* Returns the average number of boxes that a window of 1 x 1 tests, over a thousand windows. Such a
 * window finds eleven. */
static double
boxes_tested(field *f, pqt_box bounds, int max_depth)
{
    enum { WINDOWS = 1000 };
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    pqt_error error = {0};
    pqt_query_stats stats = {0, 0, 0};
    size_t found = 0;
    options.memory = f->arena;
    options.max_depth = max_depth;
    f->tree = grow_at_once(f, bounds, &options, &error);
    ck_assert_msg(f->tree != NULL, "%s", error.text);
    for (int i = 0; i < WINDOWS; i++) {
        double x = 1 + dice_real(&f->d) * 98, y = 1 + dice_real(&f->d) * 98;
        pqt_query query = {around(x, y, 1, 1), PQT_TOUCHES, NULL, NULL, &stats, NULL,
                           PQT_PLANE,          {0}};
        found += pqt_tree_collect_ids(f->tree, &query, NULL, 0);
    }
    ck_assert_double_ge((double)found / WINDOWS, 10);
    ck_assert_double_le((double)found / WINDOWS, 12);
    double tested = (double)stats.boxes / WINDOWS;
    fprintf(stderr, "# bounds %g .. %g, depth %d: %.0f boxes tested\n", bounds.min.x, bounds.max.x,
            max_depth, tested);
    return tested;
}

static pqt_box
square_from(double low, double high)
{
    return (pqt_box){{low, low}, {high, high}};
}

/* The figures are those of docs/manual.md. */
START_TEST(bounds_cost_nothing_while_a_deepest_cell_holds_no_more_than_a_leaf)
{
    field f = field_draw("in a hundred", in_a_hundred, HUNDRED_THOUSAND);
    const double tight = boxes_tested(&f, square_from(0, 100), 24);
    ck_assert_double_le(tight, 60);
    ck_assert_double_le(boxes_tested(&f, square_from(-1e7, 1e7), 24), 1.5 * tight);
    boxes_tested(&f, square_from(-1e8, 1e8), 24);
    boxes_tested(&f, square_from(-1e9, 1e9), 24);
    boxes_tested(&f, square_from(1.7e9, 1.7e9 + 100), 24);
    ck_assert_double_le(boxes_tested(&f, square_from(0, 100), 32), 1.5 * tight);
    ck_assert_double_le(boxes_tested(&f, square_from(-1e7, 1e7), 32), 1.5 * tight);
    ck_assert_double_le(boxes_tested(&f, square_from(-1e8, 1e8), 32), 1.5 * tight);
    ck_assert_double_le(boxes_tested(&f, square_from(-1e9, 1e9), 32), 1.5 * tight);
    boxes_tested(&f, square_from(1.7e9, 1.7e9 + 100), 32);
    field_free(&f);
}
END_TEST

/*
 * If all boxes cover one point, a window cannot touch just ten of them, but it may touch none. A
 * cluster within one of the smallest cells cannot be pruned either, because no cell divides it.
 */
START_TEST(a_window_near_a_cluster_tests_none_of_it)
{
    field f = field_make(&masses[_i], HUNDRED_THOUSAND, false);
    pqt_query_stats stats = {0, 0, 0};
    pqt_query query = {
        around(30000, 30000, 10, 10), PQT_TOUCHES, NULL, NULL, &stats, NULL, PQT_PLANE, {0}};
    ck_assert_uint_eq(pqt_tree_count_in(f.tree, &query), 0);
    ck_assert_uint_eq(stats.boxes, 0);
    field_free(&f);
}
END_TEST

START_TEST(whole_subtrees_are_counted_without_being_entered)
{
    field f = field_make(&masses[_i], HUNDRED_THOUSAND, false);
    pqt_query_stats stats = {0, 0, 0};
    pqt_query query = {
        {{-1e6, -1e6}, {1e6, 1e6}}, PQT_TOUCHES, NULL, NULL, &stats, NULL, PQT_PLANE, {0}};
    ck_assert_uint_eq(pqt_tree_count_in(f.tree, &query), f.count);
    ck_assert_uint_le(stats.boxes, 200);
    field_free(&f);
}
END_TEST

START_TEST(only_the_edge_of_a_window_is_compared_item_by_item)
{
    field f = field_make(&masses[0], HUNDRED_THOUSAND, false);
    pqt_query_stats stats = {0, 0, 0};
    pqt_query query = {
        {{0, 0}, {5000, 5000}}, PQT_TOUCHES, NULL, NULL, &stats, NULL, PQT_PLANE, {0}};
    ck_assert_uint_gt(pqt_tree_count_in(f.tree, &query), f.count / 5);
    ck_assert_uint_le(stats.boxes, f.count / 50);
    ck_assert_uint_gt(stats.boxes, 0);
    field_free(&f);
}
END_TEST

static void
add_windows(Suite *suite)
{
    enum { IDENTICAL = 1, WORLD_SIZED = 3, CLUMPED = 4 };
    TCase *tests = tcase_create("windows");
    for (int i = 0; i < MASSES; i++) {
        if (i == IDENTICAL || i == WORLD_SIZED || i == CLUMPED)
            tcase_add_loop_test(tests, a_window_near_a_cluster_tests_none_of_it, i, i + 1);
        else
            tcase_add_loop_test(tests, a_window_of_ten_hits_tests_fewer_than_1000_boxes, i, i + 1);
    }
    tcase_add_loop_test(tests, bounds_depth_and_capacity_that_fit_badly_keep_windows_cheap, 0,
                        LANDSCAPES);
    tcase_add_test(tests, bounds_cost_nothing_while_a_deepest_cell_holds_no_more_than_a_leaf);
    tcase_add_loop_test(tests, whole_subtrees_are_counted_without_being_entered, 0, MASSES);
    tcase_add_test(tests, only_the_edge_of_a_window_is_compared_item_by_item);
    suite_add_tcase(suite, tests);
}

int
main(void)
{
    Suite *suite = suite_create("cost_windows");
    add_windows(suite);
    return run_suite(suite);
}
