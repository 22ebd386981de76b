/* SPDX-License-Identifier: MIT */
/* test_search.c: tests that a search returns a version with exactly the matching items. */
#include "config.h"

#include <pqt/limits.h>
#include <pqt/tree.h>

#include "hooks.h"
#include "options_support.h"
#include "random.h"
#include "suite.h"
#include "tree/node.h"
#include "tree_support.h"

/* Checks that the result of a search equals a tree into which the found items are inserted one by
 * one. */
static void
expect_found(const pqt_tree *tree, pqt_query query)
{
    const pqt_tree *built = pqt_tree_clear(tree, NULL), *result = searched(tree, query);
    const found_list *list = found_by(tree, query);
    for (size_t i = 0; i < list->count; i++)
        built = inserted(built, list->items[i]);
    expect_sound(result);
    expect_equal(result, built);
    ck_assert_uint_eq(pqt_tree_count(result), list->count);
}

/* Adds dots, large boxes, outliers and items with equal hashes to a tree. */
static const pqt_tree *
mixed_tree(const pqt_tree *tree)
{
    tree = with_grid(tree, 8);
    for (uint64_t i = 0; i < 10; i++) {
        pqt_item items[] = {boxed(box(3, (double)i, 12, (double)i + 1), 300 + i),
                            dot(20 + (double)i, -3, 400 + i), boxed(twin(i).box, twin(i).id),
                            boxed(box(8, 8, 8 + (double)i, 8), 500 + i)};
        tree = with_items(tree, items, 4);
    }
    return tree;
}

START_TEST(a_search_contains_exactly_the_items_found)
{
    const pqt_box windows[] = {whole_plane,           world_box,
                               box(0, 0, 8, 8),       box(8, 8, 16, 16),
                               box(3, 3, 12, 13),     point(8, 8),
                               point(3, 3),           box(17, -5, 30, 0),
                               box(-9, -9, -8, -8),   box(0, 8, 16, 8),
                               box(-20, -20, 36, 36), box(-INFINITY, 4, 8, INFINITY),
                               box(-0.0, -0.0, 9, 9), box(1, 1, 1, 1)};
    for (int capacity = 1; capacity <= 128; capacity *= 4) {
        const pqt_tree *trees[] = {
            mixed_tree(small_tree(capacity)), mixed_tree(unique_tree(capacity)),
            mixed_tree(made(world_box, options_of(capacity, 0))),
            mixed_tree(made(world_box, options_of(capacity, PQT_MAX_DEPTH)))};
        for (size_t t = 0; t < 4; t++)
            for (size_t w = 0; w < sizeof windows / sizeof *windows; w++)
                for (int relation = PQT_TOUCHES; relation <= PQT_COVERS; relation++)
                    expect_found(trees[t], query_of(windows[w], (pqt_relation)relation));
    }
}
END_TEST

START_TEST(a_search_leaves_the_given_version_alone)
{
    const pqt_tree *tree = mixed_tree(small_tree(2)), *same = mixed_tree(small_tree(2));
    searched(tree, query_of(box(2, 2, 9, 9), PQT_TOUCHES));
    expect_equal(tree, same);
    expect_sound(tree);
}
END_TEST

START_TEST(finding_everything_returns_the_same_version)
{
    const pqt_tree *trees[] = {small_tree(2), with_grid(small_tree(2), 8),
                               mixed_tree(small_tree(1)), mixed_tree(unique_tree(24)),
                               with_grid(small_tree(100), 4)};
    for (size_t i = 0; i < 5; i++) {
        ck_assert_ptr_eq(searched(trees[i], query_of_all()), trees[i]);
        ck_assert_ptr_eq(searched(trees[i], query_of(box(-99, -99, 99, 99), PQT_INSIDE)), trees[i]);
        ck_assert_ptr_eq(searched(trees[i], query_of(box(-99, -99, 99, 99), PQT_OVERLAPS)),
                         trees[i]);
    }
}
END_TEST

START_TEST(finding_nothing_returns_the_empty_version)
{
    const pqt_tree *empty = unique_tree(2), *tree = with_grid(empty, 8);
    const pqt_tree *result = searched(tree, query_of(box(1.5, 0, 1.6, 16), PQT_TOUCHES));
    expect_equal(result, empty);
    expect_sound(result);
    ck_assert_ptr_eq(searched(empty, query_of(point(1, 1), PQT_TOUCHES)), empty);
}
END_TEST

START_TEST(a_search_keeps_bounds_options_and_memory)
{
    pqt_tree_options options = options_of(3, 9);
    options.unique_ids = options.strict_bounds = true;
    const pqt_tree *result =
        searched(with_grid(made(world_box, options), 8), query_of(box(0, 0, 7, 7), PQT_TOUCHES));
    pqt_tree_options kept = options_of_tree(result);
    ck_assert(kept.unique_ids && kept.strict_bounds && kept.leaf_capacity == 3);
    ck_assert_int_eq(kept.max_depth, 9);
    ck_assert_ptr_eq(kept.memory, arena);
    ck_assert(pqt_tree_bounds(result).max.x == 16);
    ck_assert_ptr_null(pqt_tree_insert(result, dot(17, 0, 1000), NULL));
}
END_TEST

START_TEST(a_search_shares_each_subtree_inside_the_window)
{
    const pqt_tree *tree = with_grid(small_tree(4), 16);
    const pqti_inner *root = tree->root;
    const pqti_inner *half = searched(tree, query_of(box(-1, -1, 7.9, 17), PQT_TOUCHES))->root;
    ck_assert_ptr_eq(half->child[0], root->child[0]);
    ck_assert_ptr_eq(half->child[2], root->child[2]);
    ck_assert_ptr_null(half->child[1]);
    ck_assert_ptr_null(half->child[3]);
    const pqti_inner *most = searched(tree, query_of(box(-1, -1, 15, 17), PQT_TOUCHES))->root;
    ck_assert_ptr_eq(most->child[0], root->child[0]);
    ck_assert_ptr_eq(most->child[2], root->child[2]);
    ck_assert_ptr_ne(most->child[1], root->child[1]);
    ck_assert_ptr_eq(((const pqti_inner *)most->child[1])->child[0],
                     ((const pqti_inner *)root->child[1])->child[0]);
}
END_TEST

/* A leaf is shared if all of its items are found. This holds even if its bounds are not inside the
   window, so that each item is tested. */
START_TEST(a_leaf_that_is_found_whole_is_shared)
{
    const pqt_tree *tree = with_items(
        small_tree(2),
        (pqt_item[]){dot(1, 1, 1), dot(2, 2, 2), dot(9, 9, 3), dot(9, 10, 4), dot(10, 9, 5)}, 5);
    const pqt_tree *result = searched(tree, query_of(box(1, 1, 9, 16), PQT_TOUCHES));
    ck_assert_uint_eq(pqt_tree_count(result), 4);
    ck_assert_ptr_eq(((const pqti_inner *)result->root)->child[0],
                     ((const pqti_inner *)tree->root)->child[0]);
}
END_TEST

/* Searches a quarter of a grid. No edge of the window is on the midline of a cell. */
START_TEST(a_quarter_of_many_items_shares_nine_tenths)
{
    size_t side = 50 + (size_t)(250 * (test_scaled(100) >= 100));
    const pqt_tree *tree = with_grid(small_tree(24), side);
    const pqt_tree *result = searched(tree, query_of(box(3.9, 3.7, 11.9, 11.7), PQT_TOUCHES));
    size_t bytes = pqt_tree_get_stats(result).bytes, count = side * side;
    ck_assert_uint_gt(pqt_tree_count(result), count / 5);
    ck_assert_uint_lt(pqt_tree_count(result), count / 3);
    if (side == 300)
        ck_assert_uint_gt(pqt_tree_shared_bytes(tree, result) * 10, bytes * 9);
    expect_sound(result);
}
END_TEST

START_TEST(a_few_items_found_among_many_make_one_leaf)
{
    const pqt_tree *tree = with_grid(small_tree(8), 64);
    hooks watch = {.fail_at = 0};
    hooks_start(&watch);
    const pqt_tree *result = searched(tree, query_of(box(7, 7, 7.5, 7.5), PQT_TOUCHES));
    hooks_stop();
    pqt_tree_stats stats = pqt_tree_get_stats(result);
    ck_assert_uint_eq(stats.items, 4);
    ck_assert_uint_eq(stats.leaves, 1);
    ck_assert_uint_eq(stats.nodes, 0);
    ck_assert_uint_eq(hooks_kept_blocks(&watch), 2); /* the leaf and the version record */
}
END_TEST

START_TEST(a_search_of_a_search_equals_a_search_of_the_common_window)
{
    const pqt_tree *tree = mixed_tree(small_tree(2));
    pqt_query left = query_of(box(0, 0, 9, 16), PQT_INSIDE),
              upper = query_of(box(0, 0, 16, 9), PQT_INSIDE);
    const pqt_tree *both = searched(searched(tree, left), upper);
    expect_equal(both, searched(searched(tree, upper), left));
    expect_equal(both, searched(tree, query_of(box(0, 0, 9, 9), PQT_INSIDE)));
    ck_assert_ptr_eq(searched(both, left), both);
}
END_TEST

START_TEST(a_result_is_a_version_like_any_other)
{
    const pqt_tree *tree = mixed_tree(unique_tree(2));
    const pqt_tree *result = searched(tree, query_of(box(0, 0, 9, 9), PQT_INSIDE));
    const pqt_tree *next =
        moved(inserted(result, dot(3, 3, 777)), dot_of_grid(8, 0), point(15, 15));
    expect_sound(next);
    ck_assert_uint_eq(pqt_tree_count(next), pqt_tree_count(result) + 1);
    ck_assert(pqt_tree_contains(next, dot(15, 15, 0)));
}
END_TEST

/* ---- Filters, ids, statistics ---- */

static bool
has_bits(const pqt_item *item, void *context)
{
    const uint64_t *bits = context;
    return (item->id & *bits) == 0;
}

static bool
counts_calls(const pqt_item *item, void *context)
{
    (void)item;
    ++*(size_t *)context;
    return true;
}

START_TEST(a_filter_decides_which_items_are_found)
{
    static const uint64_t bits[] = {0, 1, 3, 15, UINT64_MAX};
    for (int capacity = 1; capacity <= 128; capacity *= 4) {
        const pqt_tree *trees[] = {mixed_tree(small_tree(capacity)),
                                   mixed_tree(unique_tree(capacity))};
        for (size_t t = 0; t < 2; t++) {
            for (size_t i = 0; i < 5; i++) {
                uint64_t mask = bits[i];
                pqt_query query = query_of_all();
                query.filter = has_bits;
                query.context = &mask;
                expect_found(trees[t], query);
                query.window = box(2, 2, 11, 9);
                expect_found(trees[t], query);
            }
        }
    }
}
END_TEST

START_TEST(a_filter_that_accepts_all_items_returns_the_same_version)
{
    const pqt_tree *tree = mixed_tree(small_tree(2));
    size_t calls = 0;
    pqt_query query = query_of_all();
    query.filter = counts_calls;
    query.context = &calls;
    ck_assert_ptr_eq(searched(tree, query), tree);
    ck_assert_uint_eq(calls, pqt_tree_count(tree));
}
END_TEST

START_TEST(a_subtree_that_a_filter_accepts_whole_is_shared)
{
    const pqt_tree *tree = with_grid(small_tree(4), 16);
    const pqti_inner *root = tree->root;
    uint64_t mask = UINT64_MAX << 7; /* ids from 128 on, not the lower half of the grid */
    pqt_query query = query_of_all();
    query.filter = has_bits;
    query.context = &mask;
    const pqti_inner *upper = searched(tree, query)->root;
    ck_assert_ptr_eq(upper->child[0], root->child[0]);
    ck_assert_ptr_eq(upper->child[1], root->child[1]);
    ck_assert_ptr_null(upper->child[2]);
    ck_assert_ptr_null(upper->child[3]);
}
END_TEST

/* At the last level, a leaf can have more items than its capacity. A search may find some of
 * them. */
START_TEST(some_items_of_a_leaf_below_the_last_hash_bits_can_be_found)
{
    enum { TWINS = 20 };
    pqt_item twins[TWINS];
    for (size_t i = 0; i < TWINS; i++)
        twins[i] = twin(i);
    const pqt_tree *tree = inserted(with_items(small_tree(4), twins, TWINS), dot(1, 1, 1));
    for (size_t most = 0; most < TWINS; most++) {
        double half = 20.5 + (double)most;
        pqt_query query = query_of(box(8 - half, 8 - half, 8 + half, 8 + half), PQT_INSIDE);
        expect_found(tree, query);
        ck_assert_uint_eq(pqt_tree_count(searched(tree, query)), most + 2);
    }
}
END_TEST

START_TEST(the_id_map_of_a_result_contains_only_its_items)
{
    const pqt_tree *tree = with_grid(unique_tree(2), 16);
    pqt_query query = query_of(box(0, 0, 9, 7), PQT_TOUCHES);
    const pqt_tree *result = searched(tree, query);
    for (size_t i = 0; i < 256; i++) {
        pqt_item found, item = dot_of_grid(16, i);
        bool right = pqt_box_touches(item.box, query.window);
        ck_assert(pqt_tree_find(result, i, &found) == right);
        ck_assert(!right || same_bits(found, item));
    }
    ck_assert_ptr_null(searched(tree, query_of(point(0, 0), PQT_TOUCHES))->ids);
}
END_TEST

START_TEST(a_search_counts_the_nodes_it_entered)
{
    pqt_query_stats stats = {0, 0, 0};
    pqt_query query = query_of(box(0, 0, 8, 8), PQT_TOUCHES);
    const pqt_tree *tree = with_grid(small_tree(4), 64);
    query.stats = &stats;
    const pqt_tree *result = searched(tree, query);
    ck_assert_uint_eq(pqt_tree_count(result), 1024);
    ck_assert_uint_gt(stats.nodes, 0);
    ck_assert_uint_lt(stats.nodes + stats.leaves, 300);
    ck_assert_uint_lt(stats.boxes, 600);
    stats = (pqt_query_stats){0, 0, 0};
    query.window = whole_plane;
    ck_assert_ptr_eq(searched(tree, query), tree);
    ck_assert_uint_eq(stats.nodes, 1);
    ck_assert_uint_eq(stats.leaves + stats.boxes, 0);
}
END_TEST

/* ---- Failures ---- */

START_TEST(a_bad_window_is_refused_and_its_number_is_reported)
{
    const struct {
        pqt_box window;
        const char *text;
    } bad[] = {
        {box(NAN, 0, 1, 1), "window: min.x is nan"},
        {box(-INFINITY, NAN, 1, 1), "window: min.y is nan"},
        {box(-INFINITY, 0, NAN, 1), "window: max.x is nan"},
        {box(0, -INFINITY, INFINITY, NAN), "window: max.y is nan"},
        {box(4, 0, 3, 1), "window: box is inverted (x 4 > 3)"},
        {box(0, 2.5, INFINITY, 1), "window: box is inverted (y 2.5 > 1)"},
        {box(INFINITY, 0, -INFINITY, 1), "window: box is inverted (x inf > -inf)"},
    };
    const pqt_tree *trees[] = {with_grid(small_tree(2), 8), small_tree(2)};
    for (size_t i = 0; i < 2 * sizeof bad / sizeof *bad; i++) {
        pqt_error error = {0};
        pqt_query query = query_of(bad[i / 2].window, (pqt_relation)(1 + i % 4));
        ck_assert_ptr_null(pqt_tree_search(trees[i % 2], &query, &error));
        expect_failure(&error, PQT_ERROR_BOX, 0, bad[i / 2].text);
        ck_assert_ptr_null(pqt_tree_search(trees[i % 2], &query, NULL));
    }
}
END_TEST

START_TEST(infinite_windows_are_not_a_failure)
{
    const pqt_tree *tree = mixed_tree(small_tree(2));
    const pqt_box windows[] = {whole_plane, box(-INFINITY, 4, INFINITY, 9),
                               point(INFINITY, -INFINITY)};
    for (size_t i = 0; i < 3; i++)
        for (int relation = PQT_TOUCHES; relation <= PQT_COVERS; relation++)
            expect_found(tree, query_of(windows[i], (pqt_relation)relation));
}
END_TEST

START_TEST(a_search_passes_an_earlier_failure_on)
{
    const pqt_tree *tree = with_grid(small_tree(2), 8);
    pqt_error error = earlier_failure();
    ck_assert_ptr_null(pqt_tree_search(NULL, (pqt_query[]){query_of_all()}, &error));
    ck_assert_ptr_null(
        pqt_tree_search(tree, (pqt_query[]){query_of(point(NAN, 0), PQT_TOUCHES)}, &error));
    ck_assert_ptr_null(pqt_tree_search(NULL, (pqt_query[]){query_of_all()}, NULL));
    expect_earlier_failure(&error);
}
END_TEST

START_TEST(each_failed_allocation_of_a_search_is_reported)
{
    const pqt_tree *trees[] = {mixed_tree(small_tree(1)), mixed_tree(unique_tree(2))};
    const pqt_box windows[] = {box(2, 2, 11, 9), point(-99, -99), box(3, 3, 5, 5)};
    for (size_t i = 0; i < 6; i++) {
        const pqt_tree *tree = trees[i % 2];
        bool failed = true;
        for (size_t n = 1; failed; n++) {
            pqt_error error = {0};
            hooks watch = {.fail_at = n};
            hooks_start(&watch);
            const pqt_tree *result =
                pqt_tree_search(tree, (pqt_query[]){query_of(windows[i / 2], PQT_TOUCHES)}, &error);
            hooks_stop();
            failed = watch.failures > 0;
            require(failed == (result == NULL), "a failed allocation went unseen");
            require(error.status == (failed ? PQT_ERROR_MEMORY : PQT_OK),
                    "another status was reported");
        }
        expect_equal(tree, mixed_tree(pqt_tree_clear(tree, NULL)));
    }
}
END_TEST

static void
search_null(void)
{
    (void)!pqt_tree_search(NULL, (pqt_query[]){query_of_all()}, &(pqt_error){0});
}

static void
search_without_relation(void)
{
    pqt_query query = {.window = whole_plane};
    (void)!pqt_tree_search(with_grid(small_tree(2), 4), &query, NULL);
}

static void (*const mistakes[])(void) = {search_null, search_without_relation};

START_TEST(misuse_stops_the_program)
{
    mistakes[_i]();
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("search");
    TCase *results = add_tests(suite, "results");
    tcase_add_test(results, a_search_contains_exactly_the_items_found);
    tcase_add_test(results, a_search_leaves_the_given_version_alone);
    tcase_add_test(results, finding_everything_returns_the_same_version);
    tcase_add_test(results, finding_nothing_returns_the_empty_version);
    tcase_add_test(results, a_search_keeps_bounds_options_and_memory);
    tcase_add_test(results, a_search_shares_each_subtree_inside_the_window);
    tcase_add_test(results, a_leaf_that_is_found_whole_is_shared);
    tcase_add_test(results, a_quarter_of_many_items_shares_nine_tenths);
    tcase_add_test(results, a_few_items_found_among_many_make_one_leaf);
    tcase_add_test(results, a_search_of_a_search_equals_a_search_of_the_common_window);
    tcase_add_test(results, a_result_is_a_version_like_any_other);
    TCase *extras = add_tests(suite, "extras");
    tcase_add_test(extras, a_filter_decides_which_items_are_found);
    tcase_add_test(extras, a_filter_that_accepts_all_items_returns_the_same_version);
    tcase_add_test(extras, a_subtree_that_a_filter_accepts_whole_is_shared);
    tcase_add_test(extras, some_items_of_a_leaf_below_the_last_hash_bits_can_be_found);
    tcase_add_test(extras, the_id_map_of_a_result_contains_only_its_items);
    tcase_add_test(extras, a_search_counts_the_nodes_it_entered);
    TCase *failures = add_tests(suite, "failures");
    tcase_add_test(failures, a_bad_window_is_refused_and_its_number_is_reported);
    tcase_add_test(failures, infinite_windows_are_not_a_failure);
    tcase_add_test(failures, a_search_passes_an_earlier_failure_on);
    tcase_add_test(failures, each_failed_allocation_of_a_search_is_reported);
    tcase_add_misuse_tests(failures, misuse_stops_the_program, sizeof mistakes / sizeof *mistakes);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
