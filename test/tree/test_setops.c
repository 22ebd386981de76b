/* SPDX-License-Identifier: MIT */
/* test_setops.c: tests union, intersection and difference of versions, and restores. */
#include "config.h"

#include <pqt/merge.h>
#include <pqt/tree.h>

#include "merge_support.h"
#include "suite.h"
#include "tree_support.h"

/* ---- Union, intersection, difference ---- */

START_TEST(set_operations_equal_those_of_plain_sets)
{
    pqt_item one = dot(1, 1, 1), two = dot(9, 1, 2), three = dot(1, 9, 3), four = dot(9, 9, 4);
    for (int unique = 0; unique < 2; unique++) {
        const pqt_tree *empty = unique ? unique_tree(1) : small_tree(1);
        const pqt_tree *a = with_items(empty, (pqt_item[]){one, two, three}, 3);
        const pqt_tree *b = with_items(empty, (pqt_item[]){three, four, two}, 3);
        expect_items(united(a, b), (pqt_item[]){one, two, three, four}, 4);
        expect_items(common_to(a, b), (pqt_item[]){two, three}, 2);
        expect_items(without(a, b), &one, 1);
        expect_items(without(b, a), &four, 1);
        ck_assert_ptr_eq(united(a, empty), a);
        ck_assert_ptr_eq(united(empty, a), a);
        ck_assert_ptr_eq(common_to(a, empty), empty);
        ck_assert_ptr_eq(common_to(empty, a), empty);
        ck_assert_ptr_eq(without(a, empty), a);
        ck_assert_ptr_eq(without(empty, a), empty);
        ck_assert_uint_eq(pqt_tree_count(without(a, a)), 0);
    }
}
END_TEST

START_TEST(unions_and_intersections_with_a_subset_return_one_of_the_two)
{
    for (int unique = 0; unique < 2; unique++) {
        const pqt_tree *small = with_grid(unique ? unique_tree(2) : small_tree(2), 8);
        const pqt_tree *large = inserted(small, dot(3, 3, 900));
        ck_assert_ptr_eq(united(small, large), large);
        ck_assert_ptr_eq(united(large, small), large);
        ck_assert_ptr_eq(common_to(small, large), small);
        ck_assert_ptr_eq(common_to(large, small), small);
    }
}
END_TEST

START_TEST(a_union_of_an_id_at_two_places_is_a_conflict_if_ids_are_unique)
{
    const pqt_tree *a = with_items(unique_tree(1), (pqt_item[]){dot(1, 1, 7), dot(5, 5, 8)}, 2);
    const pqt_tree *b = with_items(unique_tree(1), (pqt_item[]){dot(2, 2, 7), dot(6, 6, 9)}, 2);
    judge j = {.decision = PQT_KEEP_THEIRS};
    pqt_merge_options options = resolved_by(&j);
    pqt_error error = {0};
    const pqt_tree *tree = pqt_tree_union(a, b, &options, &error);
    expect_items(must(tree, &error), (pqt_item[]){dot(2, 2, 7), dot(5, 5, 8), dot(6, 6, 9)}, 3);
    ck_assert_uint_eq(j.calls, 1);
    ck_assert_uint_eq(j.base_count, 0);
    ck_assert_uint_eq(j.ours_count + j.theirs_count, 2);
    ck_assert_ptr_null(pqt_tree_union(a, b, NULL, &error));
    expect_failure(&error, PQT_ERROR_CONFLICT, 0,
                   "id 7 has different values in ours and in theirs");
}
END_TEST

START_TEST(a_union_keeps_both_places_if_ids_are_not_unique)
{
    pqt_item items[] = {dot(1, 1, 7), dot(2, 2, 7)};
    judge j = {.decision = PQT_KEEP_NEITHER};
    pqt_merge_options options = resolved_by(&j);
    pqt_error error = {0};
    const pqt_tree *tree = pqt_tree_union(inserted(small_tree(1), items[0]),
                                          inserted(small_tree(1), items[1]), &options, &error);
    expect_items(must(tree, &error), items, 2);
    ck_assert_uint_eq(j.calls, 0);
}
END_TEST

/* ---- Restore ---- */

START_TEST(a_restore_sets_one_window_back)
{
    pqt_query left = query_of(box(0, 0, 8, 16), PQT_INSIDE);
    for (int unique = 0; unique < 2; unique++) {
        const pqt_tree *old = with_grid(unique ? unique_tree(2) : small_tree(2), 4);
        const pqt_tree *now = removed(removed(old, dot_of_grid(4, 0)), dot_of_grid(4, 3));
        now = inserted(inserted(now, dot(1, 1, 50)), dot(15, 15, 51));
        const pqt_tree *both = restored_by_window(now, old, left);
        expect_equal(both, inserted(removed(old, dot_of_grid(4, 3)), dot(15, 15, 51)));
        expect_sound(both);
        ck_assert_ptr_eq(restored_by_window(both, old, left), both);
    }
}
END_TEST

START_TEST(an_id_that_is_restored_replaces_its_item_elsewhere)
{
    pqt_query left = query_of(box(0, 0, 8, 16), PQT_INSIDE);
    const pqt_tree *old = with_grid(unique_tree(2), 4);
    const pqt_tree *now = moved(old, dot_of_grid(4, 0), point(15, 1));
    now = moved(now, dot_of_grid(4, 15), point(1, 15));
    const pqt_tree *both = restored_by_window(now, old, left);
    expect_sound(both);
    expect_equal(both, removed(old, dot_of_grid(4, 15)));
    const pqt_tree *plain_old = with_grid(small_tree(2), 4);
    const pqt_tree *plain_now = moved(plain_old, dot_of_grid(4, 0), point(15, 1));
    expect_equal(restored_by_window(plain_now, plain_old, left),
                 inserted(plain_now, dot_of_grid(4, 0)));
}
END_TEST

START_TEST(restoring_everything_returns_the_old_version_and_nothing_the_current_one)
{
    static const int capacities[] = {1, 2, 24, 100};
    for (size_t i = 0; i < 8; i++) {
        pqt_tree_options options = options_of(capacities[i / 2], 24);
        options.unique_ids = i % 2 == 1;
        const pqt_tree *empty = made(world_box, options), *old = with_grid(empty, 7);
        const pqt_tree *now = inserted(removed(old, dot_of_grid(7, 30)), dot(-50, 3, 1000));
        now = inserted(now, boxed(box(-1, -1, 30, 30), 1001));
        const pqt_tree *versions[] = {empty, old, now};
        for (size_t k = 0; k < 9; k++) {
            const pqt_tree *from = versions[k / 3], *to = versions[k % 3];
            ck_assert_ptr_eq(restored_by_window(from, to, query_of_all()), to);
            ck_assert_ptr_eq(
                restored_by_window(from, to, query_of(box(70, 70, 80, 80), PQT_TOUCHES)), from);
        }
    }
}
END_TEST

static bool
has_even_id(const pqt_item *item, void *context)
{
    (void)context;
    return item->id % 2 == 0;
}

START_TEST(a_restore_obeys_its_filter)
{
    pqt_query even = {whole_plane, PQT_INSIDE, has_even_id, NULL, NULL, NULL, PQT_PLANE, {0}};
    const pqt_tree *old = with_grid(small_tree(2), 4), *empty = small_tree(2);
    const pqt_tree *half = restored_by_window(empty, old, even);
    ck_assert_uint_eq(pqt_tree_count(half), 8);
    expect_equal(half, searched(old, even));
    expect_equal(restored_by_window(half, empty, even), empty);
    ck_assert_ptr_eq(restored_by_window(half, old, even), half);
}
END_TEST

static void
add_set_tests(Suite *suite)
{
    TCase *tests = add_tests(suite, "sets");
    tcase_add_test(tests, set_operations_equal_those_of_plain_sets);
    tcase_add_test(tests, unions_and_intersections_with_a_subset_return_one_of_the_two);
    tcase_add_test(tests, a_union_of_an_id_at_two_places_is_a_conflict_if_ids_are_unique);
    tcase_add_test(tests, a_union_keeps_both_places_if_ids_are_not_unique);
}

static void
add_restore_tests(Suite *suite)
{
    TCase *tests = add_tests(suite, "restore");
    tcase_add_test(tests, a_restore_sets_one_window_back);
    tcase_add_test(tests, an_id_that_is_restored_replaces_its_item_elsewhere);
    tcase_add_test(tests, restoring_everything_returns_the_old_version_and_nothing_the_current_one);
    tcase_add_test(tests, a_restore_obeys_its_filter);
}

int
main(void)
{
    Suite *suite = suite_create("sets");
    add_set_tests(suite);
    add_restore_tests(suite);
    return run_suite(suite);
}
