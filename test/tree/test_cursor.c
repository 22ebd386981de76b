/* SPDX-License-Identifier: MIT */
/* test_cursor.c: tests that a cursor finds the same items as a visit, and keeps reading the same
 * version. */
#include "config.h"

#include <math.h>
#include <string.h>

#include <pqt.h>

#include "misuse.h"
#include "random.h"
#include "suite.h"
#include "tree_bounds.h"

enum { MANY = 600 };

static pqt_memory *arena;

static void
open_arena(void)
{
    arena = pqt_arena_make(0, NULL);
    ck_assert_ptr_nonnull(arena);
}

static void
close_arena(void)
{
    pqt_arena_destroy(&arena);
}

static const pqt_tree *
mixed_tree(dice *d, pqt_box bounds, box_layout kind, int capacity, int depth)
{
    static pqt_item items[MANY];
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    pqt_error error = {0};
    options.leaf_capacity = capacity;
    options.max_depth = depth;
    options.memory = arena;
    for (size_t i = 0; i < MANY; i++)
        items[i] = (pqt_item){draw_box(d, bounds, kind), i};
    const pqt_tree *tree = pqt_tree_make(bounds, &options, &error);
    tree = pqt_tree_insert_all(tree, items, MANY, &error);
    ck_assert_msg(tree != NULL, "%s", error.text);
    return tree;
}

static bool
filter_odd(const pqt_item *item, void *context)
{
    (void)context;
    return item->id % 2 == 1;
}

/* Compares every step with the array that collect writes. */
static bool
agrees(const pqt_tree *tree, pqt_query query)
{
    static pqt_item all[MANY];
    pqt_query_stats visited = {0}, stepped = {0};
    query.stats = &visited;
    size_t count = pqt_tree_collect(tree, &query, all, MANY);
    query.stats = &stepped;
    pqt_cursor cursor;
    pqt_item item;
    size_t i = 0;
    for (pqt_cursor_open(&cursor, tree, &query); pqt_cursor_next(&cursor, &item); i++)
        if (i == count || !pqt_item_equals(item, all[i]))
            return false;
    return i == count && !pqt_cursor_next(&cursor, &item) &&
           memcmp(&visited, &stepped, sizeof visited) == 0;
}

START_TEST(a_cursor_finds_what_a_visit_finds_in_its_order)
{
    dice d = {test_seed("cursor")};
    for (size_t round = 0; round < test_scaled(400); round++) {
        pqt_box bounds = worlds[dice_below(&d, worlds_count)].bounds;
        box_layout kind = (box_layout)dice_below(&d, BOX_LAYOUTS);
        static const int capacities[] = {1, 2, 24, 64}, depths[] = {0, 1, 8, 24};
        const pqt_tree *tree =
            mixed_tree(&d, bounds, kind, capacities[dice_below(&d, 4)], depths[dice_below(&d, 4)]);
        for (int i = 0; i < 20; i++) {
            pqt_query query = {.window = draw_window(&d, bounds, kind),
                               .relation = (pqt_relation)(1 + dice_below(&d, 4)),
                               .filter = dice_chance(&d, 30) ? filter_odd : NULL};
            ck_assert_msg(agrees(tree, query), "round %zu, %s", round, box_layout_name(kind));
        }
        close_arena();
        open_arena();
    }
}
END_TEST

static const pqt_query all = {.window = {{-INFINITY, -INFINITY}, {INFINITY, INFINITY}},
                              .relation = PQT_TOUCHES};

START_TEST(a_cursor_keeps_reading_its_version_while_the_loop_edits)
{
    dice d = {1};
    const pqt_tree *old = mixed_tree(&d, (pqt_box){{0, 0}, {1, 1}}, BOXES_UNIFORM, 4, 24);
    const pqt_tree *tree = old;
    pqt_cursor cursor;
    pqt_item item;
    pqt_error error = {0};
    size_t seen = 0;
    for (pqt_cursor_open(&cursor, tree, &all); pqt_cursor_next(&cursor, &item); seen++) {
        tree = pqt_tree_remove(tree, item, &error);
        ck_assert_msg(tree != NULL, "%s", error.text);
    }
    ck_assert_uint_eq(seen, MANY);
    ck_assert_uint_eq(pqt_tree_count(tree), 0);
    ck_assert_ptr_eq(cursor.tree, old);
}
END_TEST

START_TEST(a_copy_of_a_cursor_remembers_the_position)
{
    dice d = {2};
    const pqt_tree *tree = mixed_tree(&d, (pqt_box){{0, 0}, {1, 1}}, BOXES_MIXED, 2, 24);
    pqt_cursor cursor;
    pqt_item item, again;
    pqt_cursor_open(&cursor, tree, &all);
    for (int i = 0; i < 100; i++)
        ck_assert(pqt_cursor_next(&cursor, &item));
    pqt_cursor copy = cursor;
    for (int i = 100; i < MANY; i++) {
        ck_assert(pqt_cursor_next(&cursor, &item) && pqt_cursor_next(&copy, &again));
        ck_assert(pqt_item_equals(item, again));
    }
    ck_assert(!pqt_cursor_next(&cursor, &item) && !pqt_cursor_next(&copy, &again));
}
END_TEST

START_TEST(a_cursor_without_results_is_at_its_end_and_does_not_write_the_item)
{
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.memory = arena;
    const pqt_tree *empty = pqt_tree_make((pqt_box){{0, 0}, {1, 1}}, &options, NULL);
    pqt_item item = {{{1, 2}, {3, 4}}, 5}, before = item;
    pqt_cursor cursor;
    pqt_cursor_open(&cursor, empty, &all);
    ck_assert(!pqt_cursor_next(&cursor, &item));
    ck_assert(!pqt_cursor_next(&cursor, &item));
    ck_assert(pqt_item_equals(item, before));
}
END_TEST

static void
open_without_a_tree(void)
{
    pqt_cursor cursor;
    pqt_cursor_open(&cursor, NULL, &all);
}

START_TEST(a_cursor_without_a_tree_stops_the_program)
{
    open_without_a_tree();
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("cursor");
    TCase *tcase = tcase_create("cursor");
    tcase_add_checked_fixture(tcase, open_arena, close_arena);
    tcase_add_test(tcase, a_cursor_finds_what_a_visit_finds_in_its_order);
    tcase_add_test(tcase, a_cursor_keeps_reading_its_version_while_the_loop_edits);
    tcase_add_test(tcase, a_copy_of_a_cursor_remembers_the_position);
    tcase_add_test(tcase, a_cursor_without_results_is_at_its_end_and_does_not_write_the_item);
    tcase_add_misuse_test(tcase, a_cursor_without_a_tree_stops_the_program);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
