/* SPDX-License-Identifier: MIT */
/*
 * test_cost.c: tests the number of bytes and blocks that an edit allocates for the new version.
 *
 * No test measures time, so no result depends on the machine. Trees are in arenas, where a block
 * takes exactly the number of bytes that were requested.
 */
#include "config.h"

#include <pqt/memory.h>
#include <pqt/tree.h>

#include "hooks.h"
#include "large_trees.h"
#include "random.h"
#include "suite.h"

/* ---- One edit ---- */

typedef enum edit { INSERT, REMOVE, MOVE } edit;

/* Returns the number of bytes that one edit of the field's tree keeps. */
static size_t
bytes_of_edit(field *f, edit kind, const mass *c)
{
    pqt_item item = f->items[dice_below(&f->d, f->count)];
    pqt_item fresh = {c->draw(&f->d), dice_next(&f->d) | UINT64_C(1) << 63};
    hooks watch = {0};
    pqt_error error = {0};
    const pqt_tree *next = NULL;
    hooks_start(&watch);
    if (kind == INSERT)
        next = pqt_tree_insert(f->tree, fresh, &error);
    else if (kind == REMOVE)
        next = pqt_tree_remove(f->tree, item, &error);
    else
        next = pqt_tree_move(f->tree, item, around(fresh.box.min.x, fresh.box.max.y, 1, 1), &error);
    hooks_stop();
    ck_assert_msg(next != NULL && next != f->tree, "%s: %s", f->name, error.text);
    return hooks_kept_bytes(&watch);
}

static size_t
most_bytes(field *f, edit kind, const mass *c)
{
    size_t most = 0;
    for (int i = 0; i < EDITS; i++) {
        size_t bytes = bytes_of_edit(f, kind, c);
        most = bytes > most ? bytes : most;
    }
    return most;
}

START_TEST(one_edit_among_100000_copies_less_than_8_kb)
{
    for (int unique = 0; unique < 2; unique++) {
        field f = field_make(&masses[_i], HUNDRED_THOUSAND, unique == 1);
        size_t inserted = most_bytes(&f, INSERT, &masses[_i]);
        size_t removed = most_bytes(&f, REMOVE, &masses[_i]);
        size_t moved = most_bytes(&f, MOVE, &masses[_i]);
        fprintf(stderr, "# %s%s: bytes kept at most: insert %zu, remove %zu, move %zu\n", f.name,
                unique == 1 ? ", unique ids" : "", inserted, removed, moved);
        ck_assert_uint_lt(inserted, MOST_EDIT_BYTES);
        ck_assert_uint_lt(removed, MOST_EDIT_BYTES);
        ck_assert_uint_lt(moved, MOST_EDIT_BYTES);
        field_free(&f);
    }
}
END_TEST

/* Prints the bytes of the version, and the average number of bytes of its moves. */
static void
measure_moves(bool unique, double *version, double *move)
{
    field f = field_make(&masses[0], HUNDRED_THOUSAND, unique);
    size_t sum = 0;
    for (int i = 0; i < EDITS; i++)
        sum += bytes_of_edit(&f, MOVE, &masses[0]);
    *version = (double)pqt_tree_get_stats(f.tree).bytes;
    *move = (double)sum / EDITS;
    field_free(&f);
}

START_TEST(unique_ids_cost_30_bytes_per_item_and_500_per_move)
{
    double plain, plain_move, unique, unique_move;
    measure_moves(false, &plain, &plain_move);
    measure_moves(true, &unique, &unique_move);
    double per_item = (unique - plain) / HUNDRED_THOUSAND;
    fprintf(stderr, "# id map: %.1f bytes an item, %.0f a move\n", per_item,
            unique_move - plain_move);
    ck_assert_double_lt(per_item, 30);
    ck_assert_double_lt(unique_move - plain_move, 520);
}
END_TEST

START_TEST(an_insert_into_100000_uniform_items_keeps_less_than_2_kb)
{
    field f = field_make(&masses[0], HUNDRED_THOUSAND, false);
    size_t sum = 0;
    for (int i = 0; i < EDITS; i++)
        sum += bytes_of_edit(&f, INSERT, &masses[0]);
    ck_assert_uint_lt(sum / EDITS, 2000);
    ck_assert_uint_lt(most_bytes(&f, INSERT, &masses[0]), 2600);
    field_free(&f);
}
END_TEST

START_TEST(an_edit_that_changes_nothing_allocates_nothing)
{
    field f = field_make(&masses[_i], 2000, true);
    pqt_item held = f.items[7];
    pqt_item absent = {held.box, held.id + 1000000};
    pqt_item elsewhere = {around(9, 9, 1, 2), held.id};
    pqt_change none = {PQT_REMOVE, absent, held.box};
    pqt_query all = {{{-INFINITY, -INFINITY}, {INFINITY, INFINITY}},
                     PQT_TOUCHES,
                     NULL,
                     NULL,
                     NULL,
                     NULL,
                     PQT_PLANE,
                     {0}};
    hooks watch = {0};
    pqt_error error = {0};
    hooks_start(&watch);
    ck_assert_ptr_eq(pqt_tree_remove(f.tree, absent, &error), f.tree);
    ck_assert_ptr_eq(pqt_tree_remove(f.tree, elsewhere, &error), f.tree);
    ck_assert_ptr_eq(pqt_tree_remove_id(f.tree, absent.id, &error), f.tree);
    ck_assert_ptr_eq(pqt_tree_move(f.tree, absent, elsewhere.box, &error), f.tree);
    ck_assert_ptr_eq(pqt_tree_move_id(f.tree, absent.id, elsewhere.box, &error), f.tree);
    ck_assert_ptr_eq(pqt_tree_move(f.tree, held, held.box, &error), f.tree);
    ck_assert_ptr_eq(pqt_tree_move_id(f.tree, held.id, held.box, &error), f.tree);
    ck_assert_ptr_eq(pqt_tree_insert(f.tree, held, &error), f.tree);
    ck_assert_ptr_eq(pqt_tree_insert_all(f.tree, NULL, 0, &error), f.tree);
    ck_assert_ptr_eq(pqt_tree_remove_all(f.tree, NULL, 0, &error), f.tree);
    ck_assert_ptr_eq(pqt_tree_search(f.tree, &all, &error), f.tree);
    hooks_stop();
    ck_assert_uint_eq(watch.calls, 0);
    hooks_start(&watch);
    ck_assert_ptr_eq(pqt_tree_apply(f.tree, &none, 1, &error), f.tree);
    ck_assert_ptr_eq(pqt_tree_insert_all(f.tree, f.items, f.count, &error), f.tree);
    hooks_stop();
    ck_assert_uint_eq(hooks_kept_blocks(&watch), 0);
    ck_assert_int_eq(error.status, PQT_OK);
    field_free(&f);
}
END_TEST

START_TEST(reading_allocates_nothing)
{
    field f = field_make(&masses[_i], 2000, true);
    pqt_query query = {{{0, 0}, {5000, 5000}}, PQT_TOUCHES, NULL, NULL, NULL, NULL, PQT_PLANE, {0}};
    pqt_item items[16];
    uint64_t ids[16];
    hooks watch = {0};
    hooks_start(&watch);
    size_t count = pqt_tree_count_in(f.tree, &query);
    ck_assert_uint_eq(pqt_tree_collect(f.tree, &query, items, 16), count);
    ck_assert_uint_eq(pqt_tree_collect_ids(f.tree, &query, ids, 16), count);
    ck_assert(pqt_tree_any(f.tree, &query, items) == (count > 0));
    ck_assert(pqt_tree_contains(f.tree, f.items[0]));
    ck_assert(pqt_tree_find(f.tree, 0, &items[0]));
    ck_assert(pqt_tree_equals(f.tree, f.tree));
    ck_assert_uint_eq(pqt_tree_get_stats(f.tree).items, 2000);
    ck_assert_uint_gt(pqt_tree_shared_bytes(f.tree, f.tree), 0);
    ck_assert(pqt_tree_check(f.tree, NULL));
    hooks_stop();
    ck_assert_uint_eq(watch.calls, 0);
    field_free(&f);
}
END_TEST

START_TEST(clearing_allocates_only_the_new_version)
{
    field f = field_make(&masses[0], 2000, true);
    hooks watch = {0};
    pqt_error error = {0};
    hooks_start(&watch);
    const pqt_tree *empty = pqt_tree_clear(f.tree, &error);
    hooks_stop();
    ck_assert_msg(empty != NULL, "%s", error.text);
    ck_assert_uint_eq(pqt_tree_count(empty), 0);
    ck_assert_uint_le(hooks_kept_blocks(&watch), 1);
    field_free(&f);
}
END_TEST

/* ---- Reported and allocated bytes ---- */

/*
 * Expects that the exclusive bytes of a version are exactly those that were allocated for it. If
 * `spare` is set, a quarter more may be allocated, because a batch that removes most items of a
 * node may make leaves and then merge them.
 */
static void
expect_bytes(const char *doing, const pqt_tree *before, const pqt_tree *next, const hooks *watch,
             bool spare)
{
    size_t own = 0;
    if (next != before)
        own = pqt_tree_get_stats(next).bytes - pqt_tree_shared_bytes(next, before);
    size_t allowed = spare ? own / 4 : 0;
    ck_assert_msg(own <= hooks_kept_bytes(watch) && hooks_kept_bytes(watch) <= own + allowed,
                  "%s: %zu bytes are its own, %zu were made", doing, own, hooks_kept_bytes(watch));
}

static const char *
edit_somehow(field *f, const pqt_tree *tree, bool unique, const pqt_tree **next, pqt_error *error)
{
    pqt_change changes[12];
    pqt_item last = f->items[dice_below(&f->d, f->count)];
    pqt_query query = {uniform(&f->d), PQT_TOUCHES, NULL, NULL, NULL, NULL, PQT_PLANE, {0}};
    for (size_t i = 0; i < 12; i++)
        changes[i] = draw_dependent_change(f, &last, unique);
    switch (dice_below(&f->d, 8)) {
    case 0:
        query.window.min = (pqt_vec){-1, dice_real(&f->d) * 300};
        query.window.max = (pqt_vec){10000, 10000};
        *next = pqt_tree_search(tree, &query, error);
        return "search";
    case 1:
        *next = pqt_tree_apply(tree, changes, 12, error);
        return "apply";
    case 2:
        *next = pqt_tree_remove(tree, f->items[dice_below(&f->d, f->count)], error);
        return "remove";
    case 3:
        *next = pqt_tree_move(tree, last, changes[0].to, error);
        return "move";
    default:
        *next = pqt_tree_insert(tree, (pqt_item){changes[0].to, last.id}, error);
        return "insert";
    }
}

START_TEST(a_version_costs_the_bytes_that_were_allocated_for_it)
{
    bool unique = _i % 2 == 1;
    static const int capacities[] = {1, 2, 8, 24, 64};
    field f = field_draw("bytes", uniform, 1200);
    for (int c = 0; c < 5; c++) {
        pqt_tree_options options = PQT_TREE_DEFAULTS;
        pqt_error error = {0};
        options.memory = f.arena;
        options.unique_ids = unique;
        options.leaf_capacity = capacities[c];
        const pqt_tree *next = NULL, *tree = pqt_tree_make(square, &options, &error);
        tree = pqt_tree_insert_all(tree, f.items, f.count / 4, &error);
        for (size_t i = 0; i < test_scaled(600); i++) {
            hooks watch = {0};
            hooks_start(&watch);
            const char *doing = edit_somehow(&f, tree, unique, &next, &error);
            hooks_stop();
            ck_assert_msg(next != NULL, "%s: %s", doing, error.text);
            expect_bytes(doing, tree, next, &watch, capacities[c] < 8 && doing[0] == 'a');
            tree = next;
        }
    }
    field_free(&f);
}
END_TEST

/* Fills a tree and empties it again, so that every leaf of the id map is split and merged. */
START_TEST(an_id_map_makes_no_unused_block)
{
    field f = field_draw("id map", uniform, 3000);
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    pqt_error error = {0};
    options.memory = f.arena;
    options.unique_ids = true;
    const pqt_tree *tree = pqt_tree_make(square, &options, &error);
    for (size_t i = 0; i < 2 * f.count; i++) {
        hooks watch = {0};
        bool up = i < f.count;
        const pqt_item item = f.items[up ? i : 2 * f.count - 1 - i];
        hooks_start(&watch);
        const pqt_tree *next =
            up ? pqt_tree_insert(tree, item, &error) : pqt_tree_remove_id(tree, item.id, &error);
        hooks_stop();
        ck_assert_msg(next != NULL && next != tree, "%s", error.text);
        if (i % 7 == 0 || i > 2 * f.count - 40 || i < 40)
            expect_bytes(up ? "insert" : "remove_id", tree, next, &watch, false);
        tree = next;
    }
    ck_assert_uint_eq(pqt_tree_count(tree), 0);
    field_free(&f);
}
END_TEST

static void
add_edits(Suite *suite)
{
    TCase *tests = tcase_create("edits");
    tcase_add_loop_test(tests, one_edit_among_100000_copies_less_than_8_kb, 0, MASSES);
    tcase_add_test(tests, an_insert_into_100000_uniform_items_keeps_less_than_2_kb);
    tcase_add_test(tests, unique_ids_cost_30_bytes_per_item_and_500_per_move);
    tcase_add_loop_test(tests, an_edit_that_changes_nothing_allocates_nothing, 0, MASSES);
    tcase_add_loop_test(tests, reading_allocates_nothing, 0, MASSES);
    tcase_add_test(tests, clearing_allocates_only_the_new_version);
    suite_add_tcase(suite, tests);
}

static void
add_bytes(Suite *suite)
{
    TCase *tests = tcase_create("bytes");
    tcase_add_loop_test(tests, a_version_costs_the_bytes_that_were_allocated_for_it, 0, 2);
    tcase_add_test(tests, an_id_map_makes_no_unused_block);
    suite_add_tcase(suite, tests);
}

int
main(void)
{
    Suite *suite = suite_create("cost");
    add_edits(suite);
    add_bytes(suite);
    return run_suite(suite);
}
