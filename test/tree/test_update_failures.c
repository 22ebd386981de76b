/* SPDX-License-Identifier: MIT */
/*
 * test_update_failures.c: tests edits that fail: after an earlier failure, for lack of memory, and
 * through misuse.
 */
#include "config.h"

#include <pqt/tree.h>

#include "hooks.h"
#include "suite.h"
#include "tree_support.h"

/* ---- NULL, earlier failures, failing allocations ---- */

typedef const pqt_tree *change_fn(const pqt_tree *tree, pqt_error *error);

static const pqt_tree *
by_insert(const pqt_tree *tree, pqt_error *error)
{
    return pqt_tree_insert(tree, dot(3, 3, 99), error);
}

static const pqt_tree *
by_insert_all(const pqt_tree *tree, pqt_error *error)
{
    return pqt_tree_insert_all(tree, (pqt_item[]){dot(3, 3, 99), dot(5, 5, 98)}, 2, error);
}

static const pqt_tree *
by_remove(const pqt_tree *tree, pqt_error *error)
{
    return pqt_tree_remove(tree, dot_of_grid(4, 1), error);
}

static const pqt_tree *
by_remove_all(const pqt_tree *tree, pqt_error *error)
{
    return pqt_tree_remove_all(tree, (pqt_item[]){dot_of_grid(4, 1), dot_of_grid(4, 2)}, 2, error);
}

static const pqt_tree *
by_remove_id(const pqt_tree *tree, pqt_error *error)
{
    return pqt_tree_remove_id(tree, 1, error);
}

static const pqt_tree *
by_move(const pqt_tree *tree, pqt_error *error)
{
    return pqt_tree_move(tree, dot_of_grid(4, 1), point(3, 3), error);
}

static const pqt_tree *
by_move_id(const pqt_tree *tree, pqt_error *error)
{
    return pqt_tree_move_id(tree, 1, point(3, 3), error);
}

static const pqt_tree *
by_apply(const pqt_tree *tree, pqt_error *error)
{
    return pqt_tree_apply(tree, (pqt_change[]){inserting(dot(3, 3, 99)), removing_id(2)}, 2, error);
}

/* Moves the whole 4 x 4 grid. In a tree without other items, this is enough to rebuild the tree. */
static const pqt_tree *
by_many_moves(const pqt_tree *tree, pqt_error *error)
{
    pqt_change changes[16];
    for (size_t i = 0; i < 16; i++)
        changes[i] = moving(dot_of_grid(4, i), point((double)i, 1));
    return pqt_tree_apply(tree, changes, 16, error);
}

static const pqt_tree *
by_clear(const pqt_tree *tree, pqt_error *error)
{
    return pqt_tree_clear(tree, error);
}

static change_fn *const change_fns[] = {by_insert,     by_insert_all, by_remove,  by_remove_all,
                                        by_remove_id,  by_move,       by_move_id, by_apply,
                                        by_many_moves, by_clear};

#define CHANGE_FNS (sizeof change_fns / sizeof *change_fns)

START_TEST(null_passes_an_earlier_failure_on)
{
    pqt_error error = earlier_failure();
    for (size_t i = 0; i < CHANGE_FNS; i++) {
        ck_assert_ptr_null(change_fns[i](NULL, &error));
        expect_earlier_failure(&error);
        ck_assert_ptr_null(change_fns[i](NULL, NULL));
    }
}
END_TEST

START_TEST(an_edit_works_after_a_refused_one_with_the_same_error)
{
    const pqt_tree *tree = with_grid(unique_tree(2), 4);
    pqt_error error = {0};
    ck_assert_ptr_null(pqt_tree_insert(tree, boxed(box(1, 1, 0, 0), 1), &error));
    const pqt_error refusal = error;
    for (size_t i = 0; i < CHANGE_FNS; i++) {
        const pqt_tree *next = change_fns[i](tree, &error);
        ck_assert_ptr_nonnull(next);
        ck_assert(pqt_tree_equals(next, change_fns[i](tree, NULL)));
        ck_assert_mem_eq(&error, &refusal, sizeof error);
    }
}
END_TEST

START_TEST(null_without_an_earlier_failure_stops_the_program)
{
    pqt_error error = {0};
    change_fns[_i](NULL, &error);
}
END_TEST

START_TEST(each_failed_allocation_is_reported_and_the_version_remains)
{
    const pqt_tree *trees[] = {with_grid(unique_tree(2), 4), crowded_grid(unique_tree(2)),
                               crowded_grid(unique_tree(300)), crowded_grid(unique_tree(272))};
    const pqt_tree *tree = trees[_i];
    size_t count = pqt_tree_count(tree);
    for (size_t i = 0; i < CHANGE_FNS; i++) {
        bool failed = true;
        for (size_t n = 1; failed; n++) {
            pqt_error error = {0};
            hooks watch = {.fail_at = n};
            hooks_start(&watch);
            const pqt_tree *next = change_fns[i](tree, &error);
            hooks_stop();
            failed = watch.failures > 0;
            require(failed == (next == NULL), "a failed allocation went unseen");
            require(error.status == (failed ? PQT_ERROR_MEMORY : PQT_OK),
                    "another status was reported");
        }
    }
    expect_sound(tree);
    ck_assert_uint_eq(pqt_tree_count(tree), count);
}
END_TEST

/* The test chains calls and checks once at the end, as the manual describes. */
START_TEST(a_chain_is_checked_at_its_end)
{
    const pqt_tree *tree = small_tree(2);
    pqt_item a = dot(1, 1, 1), b = dot(2, 2, 2);
    pqt_error error = {0};
    const pqt_tree *next = pqt_tree_insert(tree, a, &error);
    next = pqt_tree_insert(next, boxed(box(4, 0, 3, 1), 3), &error);
    next = pqt_tree_insert(next, boxed(box(NAN, 0, 3, 1), 4), &error);
    next = pqt_tree_remove(next, b, &error);
    ck_assert_ptr_null(next);
    expect_failure(&error, PQT_ERROR_BOX, 0, "item 0: box is inverted (x 4 > 3)");
}
END_TEST

/* ---- Misuse ---- */

START_TEST(null_arrays_stop_the_program)
{
    const pqt_tree *tree = small_tree(2);
    pqt_error error = {0};
    switch (_i) {
    case 0:
        (void)!pqt_tree_insert_all(tree, NULL, 1, &error);
        break;
    case 1:
        (void)!pqt_tree_remove_all(tree, NULL, 1, &error);
        break;
    case 2:
        (void)!pqt_tree_apply(tree, NULL, 1, &error);
        break;
    }
}
END_TEST

START_TEST(edits_by_id_need_unique_ids)
{
    const pqt_tree *tree = inserted(small_tree(2), dot(1, 1, 1));
    pqt_change changes[] = {inserting(dot(2, 2, 2)), removing_id(1), moving_id(1, point(3, 3))};
    pqt_error error = {0};
    switch (_i) {
    case 0:
        (void)!pqt_tree_remove_id(tree, 1, &error);
        break;
    case 1:
        (void)!pqt_tree_move_id(tree, 1, point(3, 3), &error);
        break;
    case 2:
        (void)!pqt_tree_apply(tree, changes, 2, &error);
        break;
    case 3:
        (void)!pqt_tree_apply(tree, changes + 2, 1, &error);
        break;
    }
}
END_TEST

START_TEST(a_change_of_no_kind_stops_the_program)
{
    pqt_change change = inserting(dot(1, 1, 1));
    change.kind = _i == 0 ? (pqt_change_kind)0 : (pqt_change_kind)6;
    (void)!pqt_tree_apply(unique_tree(2), &change, 1, NULL);
}
END_TEST

static void
add_failures(Suite *suite)
{
    TCase *tests = add_tests(suite, "failures");
    tcase_add_test(tests, null_passes_an_earlier_failure_on);
    tcase_add_test(tests, an_edit_works_after_a_refused_one_with_the_same_error);
    tcase_add_loop_test(tests, each_failed_allocation_is_reported_and_the_version_remains, 0, 4);
    tcase_add_test(tests, a_chain_is_checked_at_its_end);
    tcase_add_misuse_tests(tests, null_without_an_earlier_failure_stops_the_program, CHANGE_FNS);
    tcase_add_misuse_tests(tests, null_arrays_stop_the_program, 3);
    tcase_add_misuse_tests(tests, edits_by_id_need_unique_ids, 4);
    tcase_add_misuse_tests(tests, a_change_of_no_kind_stops_the_program, 2);
}

int
main(void)
{
    Suite *suite = suite_create("update_failures");
    add_failures(suite);
    return run_suite(suite);
}
