/* SPDX-License-Identifier: MIT */
/* test_tree.c - making trees, what a version knows of itself, its check, and holding it by a
   pin. */
#include "config.h"

#include <float.h>
#include <pthread.h>
#include <stdio.h>

#include <pqt/limits.h>
#include <pqt/tree.h>

#include "hooks.h"
#include "memory/memory.h"
#include "suite.h"
#include "tree/node.h"
#include "tree_support.h"

/* ---- making ---- */

START_TEST(an_empty_tree_holds_nothing)
{
    pqt_error error = {0};
    const pqt_tree *tree = must(pqt_tree_make(world_box,
                                              &(pqt_tree_options){sizeof(pqt_tree_options), 24, 24,
                                                                  false, false, false, arena},
                                              &error),
                                &error);
    pqt_tree_stats stats = pqt_tree_get_stats(tree);
    ck_assert_uint_eq(pqt_tree_count(tree), 0);
    ck_assert_uint_eq(pqt_tree_fingerprint(tree).low | pqt_tree_fingerprint(tree).high, 0);
    ck_assert_uint_eq(stats.items | stats.nodes | stats.leaves | stats.depth, 0);
    ck_assert_uint_eq(stats.bytes, PQTI_VERSION_SIZE);
    ck_assert(!pqt_tree_contains(tree, dot(0, 0, 0)));
    ck_assert(!pqt_tree_any(tree, asking_all(), NULL));
    expect_sound(tree);
}
END_TEST

START_TEST(the_defaults_are_those_of_the_header)
{
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    ck_assert_uint_eq(options.size, sizeof options);
    ck_assert_int_eq(options.leaf_capacity, 24);
    ck_assert_int_eq(options.max_depth, 24);
    ck_assert(!options.strict_bounds && !options.unique_ids && !options.ids_are_pointers);
    ck_assert_ptr_null(options.memory);
}
END_TEST

START_TEST(bounds_and_options_are_those_it_was_made_with)
{
    pqt_tree_options options = options_of(7, 9);
    options.strict_bounds = options.unique_ids = true;
    pqt_box bounds = box(-3, 2, 5, 40);
    const pqt_tree *empty = made(bounds, options);
    const pqt_tree *trees[] = {empty, inserted(empty, dot(0, 3, 1)),
                               removed(inserted(empty, dot(0, 3, 1)), dot(0, 3, 1)),
                               pqt_tree_clear(inserted(empty, dot(0, 3, 1)), NULL)};
    for (size_t i = 0; i < 4; i++) {
        pqt_tree_options had = pqt_tree_get_options(trees[i]);
        pqt_box held = pqt_tree_bounds(trees[i]);
        ck_assert_uint_eq(had.size, sizeof had);
        ck_assert_int_eq(had.leaf_capacity, 7);
        ck_assert_int_eq(had.max_depth, 9);
        ck_assert(had.strict_bounds && had.unique_ids && !had.ids_are_pointers);
        ck_assert_ptr_eq(had.memory, arena);
        ck_assert(memcmp(&held, &bounds, sizeof bounds) == 0);
    }
}
END_TEST

START_TEST(bounds_lose_their_minus_zeros)
{
    pqt_box bounds = pqt_tree_bounds(made(box(-0.0, -0.0, -0.0, -0.0), options_of(2, 4)));
    pqt_box zeros = box(0, 0, 0, 0);
    ck_assert(memcmp(&bounds, &zeros, sizeof zeros) == 0);
}
END_TEST

START_TEST(bad_bounds_are_refused_with_their_number)
{
    const struct {
        pqt_box bounds;
        const char *text;
    } bad[] = {
        {box(NAN, 0, 1, 1), "bounds: min.x is nan"},
        {box(0, -INFINITY, 1, 1), "bounds: min.y is -inf"},
        {box(0, 0, INFINITY, 1), "bounds: max.x is inf"},
        {box(0, 0, 1, NAN), "bounds: max.y is nan"},
        {box(4, 0, 3, 1), "bounds: box is inside out (x 4 > 3)"},
        {box(0, 2.5, 3, 1), "bounds: box is inside out (y 2.5 > 1)"},
    };
    pqt_tree_options options = options_of(2, 4);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        pqt_error error = {0};
        ck_assert_ptr_null(pqt_tree_make(bad[i].bounds, &options, &error));
        expect_failure(&error, PQT_ERROR_BOX, 0, bad[i].text);
        ck_assert_ptr_null(pqt_tree_make(bad[i].bounds, &options, NULL));
    }
}
END_TEST

static void
expect_bad_option(pqt_tree_options options, const char *text)
{
    pqt_item item = dot(1, 1, 1);
    pqt_error error = {0};
    ck_assert_ptr_null(pqt_tree_make(world_box, &options, &error));
    expect_failure(&error, PQT_ERROR_OPTION, 0, text);
    error = (pqt_error){0};
    ck_assert_ptr_null(pqt_tree_of(&item, 1, &options, &error));
    expect_failure(&error, PQT_ERROR_OPTION, 0, text);
    ck_assert_ptr_null(pqt_tree_make(world_box, &options, NULL));
}

START_TEST(a_bad_option_is_refused_by_its_name)
{
    pqt_tree_options options = options_of(2, 4);
    char text[100];
    options.size = 0;
    snprintf(text, sizeof text, "size is 0, must be %zu: start from PQT_TREE_DEFAULTS",
             sizeof options);
    expect_bad_option(options, text);
    options.size = sizeof options + 8;
    snprintf(text, sizeof text, "size is %zu, must be %zu: start from PQT_TREE_DEFAULTS",
             sizeof options + 8, sizeof options);
    expect_bad_option(options, text);
    expect_bad_option(options_of(0, 4), "leaf_capacity is 0, must be 1 to 1024");
    expect_bad_option(options_of(-1, 4), "leaf_capacity is -1, must be 1 to 1024");
    expect_bad_option(options_of(1025, 4), "leaf_capacity is 1025, must be 1 to 1024");
    expect_bad_option(options_of(2, -1), "max_depth is -1, must be 0 to 32");
    expect_bad_option(options_of(2, 33), "max_depth is 33, must be 0 to 32");
}
END_TEST

START_TEST(options_at_their_limits_are_taken)
{
    const int limits[][2] = {
        {1, 0}, {1, PQT_MAX_DEPTH}, {PQT_MAX_CAPACITY, 0}, {PQT_MAX_CAPACITY, PQT_MAX_DEPTH}};
    for (size_t i = 0; i < 4; i++) {
        const pqt_tree *tree = made(world_box, options_of(limits[i][0], limits[i][1]));
        tree = with_grid(tree, 40);
        ck_assert_uint_eq(pqt_tree_count(tree), 1600);
        expect_sound(tree);
    }
}
END_TEST

START_TEST(ids_in_an_arena_cannot_be_pointers)
{
    pqt_tree_options options = options_of(2, 4);
    options.ids_are_pointers = true;
    expect_bad_option(options, "ids_are_pointers is set, and memory is not the collector");
}
END_TEST

START_TEST(making_keeps_an_earlier_failure)
{
    pqt_tree_options options = options_of(2, 4);
    pqt_item item = dot(1, 1, 1);
    pqt_error error = earlier_failure();
    ck_assert_ptr_null(pqt_tree_make(world_box, &options, &error));
    ck_assert_ptr_null(pqt_tree_make(box(NAN, 0, 0, 0), &options, &error));
    ck_assert_ptr_null(pqt_tree_of(&item, 1, &options, &error));
    ck_assert_ptr_null(pqt_tree_of(NULL, 0, &options, &error));
    expect_earlier_failure(&error);
}
END_TEST

START_TEST(a_tree_that_finds_no_memory_is_told)
{
    pqt_item items[] = {dot(1, 1, 1), dot(2, 2, 2), dot(3, 3, 3)};
    pqt_tree_options options = options_of(1, 4);
    pqt_error error = {0};
    for (size_t n = 1; n <= 2; n++) {
        hooks watch = {.fail_at = n};
        error = (pqt_error){0};
        hooks_start(&watch);
        ck_assert_ptr_null(pqt_tree_make(world_box, &options, &error));
        hooks_stop();
        ck_assert_int_eq(error.status, PQT_ERROR_MEMORY);
        error = (pqt_error){0};
        hooks_start(&watch);
        ck_assert_ptr_null(pqt_tree_of(items, 3, &options, &error));
        hooks_stop();
        ck_assert_int_eq(error.status, PQT_ERROR_MEMORY);
    }
    options.memory = pqt_arena_make(1, NULL);
    error = (pqt_error){0};
    ck_assert_ptr_null(pqt_tree_make(world_box, &options, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_MEMORY);
    pqt_arena_destroy(&options.memory);
}
END_TEST

/* ---- making of items ---- */

static const pqt_tree *
tree_of(const pqt_item *items, size_t count, pqt_tree_options options)
{
    pqt_error error = {0};
    const pqt_tree *tree = pqt_tree_of(items, count, &options, &error);
    return must(tree, &error);
}

START_TEST(a_tree_of_items_has_their_smallest_bounds)
{
    pqt_item items[] = {dot(3, -2, 1), boxed(box(-1, 0, 2, 9), 2), dot(4, 4, 3)};
    const pqt_tree *tree = tree_of(items, 3, options_of(1, 24));
    pqt_box bounds = pqt_tree_bounds(tree);
    ck_assert(bounds.min.x == -1 && bounds.min.y == -2 && bounds.max.x == 4 && bounds.max.y == 9);
    expect_items(tree, items, 3);
    expect_equal(tree, with_items(made(bounds, options_of(1, 24)), items, 3));
}
END_TEST

START_TEST(a_tree_of_no_items_is_bounded_by_a_point)
{
    const pqt_tree *tree = tree_of(NULL, 0, options_of(1, 24));
    expect_equal(tree, made(box(0, 0, 0, 0), options_of(1, 24)));
    ck_assert_uint_eq(pqt_tree_count(tree), 0);
    const pqt_tree *more = inserted(tree, dot(3, 3, 3));
    expect_items(more, (pqt_item[]){dot(3, 3, 3)}, 1);
}
END_TEST

START_TEST(an_item_that_occurs_twice_is_held_once)
{
    pqt_item items[] = {dot(3, 0, 1), dot(4, 4, 1), dot(3, -0.0, 1), dot(4, 4, 1), dot(3, 0, 2)};
    expect_items(tree_of(items, 5, options_of(1, 24)),
                 (pqt_item[]){dot(3, 0, 1), dot(4, 4, 1), dot(3, 0, 2)}, 3);
}
END_TEST

START_TEST(of_equal_unique_ids_the_last_counts)
{
    pqt_item items[] = {dot(3, 3, 1), dot(4, 4, 2), dot(9, 9, 1), dot(5, 5, 1), dot(4, 4, 2)};
    pqt_tree_options options = options_of(1, 24);
    options.unique_ids = true;
    const pqt_tree *tree = tree_of(items, 5, options);
    expect_items(tree, (pqt_item[]){dot(4, 4, 2), dot(5, 5, 1)}, 2);
    ck_assert(pqt_tree_bounds(tree).max.x == 9);
}
END_TEST

START_TEST(the_order_of_items_does_not_matter_and_the_array_is_not_kept)
{
    enum { COUNT = 200 };
    pqt_item items[COUNT], reversed[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        reversed[COUNT - 1 - i] = items[i] = i % 9 == 0 ? twin(i) : dot_of_grid(16, i);
    const pqt_tree *tree = tree_of(items, COUNT, options_of(2, 24));
    const pqt_tree *other = tree_of(reversed, COUNT, options_of(2, 24));
    memset(items, 0xff, sizeof items);
    expect_equal(tree, other);
    expect_items(tree, reversed, COUNT);
}
END_TEST

START_TEST(a_strict_tree_of_items_holds_them_all)
{
    pqt_item items[] = {boxed(box(-4, 0, 3, 1), 1), dot(7, -9, 2), boxed(box(0, 0, 0, 5), 3)};
    pqt_tree_options options = options_of(1, 24);
    options.strict_bounds = true;
    const pqt_tree *tree = tree_of(items, 3, options);
    expect_items(tree, items, 3);
    ck_assert_ptr_null(pqt_tree_insert(tree, dot(8, 0, 4), NULL));
}
END_TEST

START_TEST(a_bad_item_of_many_is_refused_by_its_index)
{
    pqt_item items[20];
    pqt_tree_options options = options_of(1, 24);
    pqt_error error = {0};
    for (size_t i = 0; i < 20; i++)
        items[i] = dot_of_grid(8, i);
    items[17].box = box(4, 0, 3, 1);
    ck_assert_ptr_null(pqt_tree_of(items, 20, &options, &error));
    expect_failure(&error, PQT_ERROR_BOX, 17, "item 17: box is inside out (x 4 > 3)");
    items[5].box.max.y = INFINITY;
    error = (pqt_error){0};
    ck_assert_ptr_null(pqt_tree_of(items, 20, &options, &error));
    expect_failure(&error, PQT_ERROR_BOX, 5, "item 5: max.y is inf");
}
END_TEST

/* ---- contains and find ---- */

START_TEST(contains_asks_for_the_very_item)
{
    pqt_item items[] = {dot(8, 8, 1),
                        boxed(box(0, 0, 16, 16), 2),
                        boxed(box(-9, -9, 40, 40), 3),
                        dot(16, 0, 4),
                        dot(20, 20, 5),
                        boxed(box(8, 0, 8, 16), 6),
                        twin(3),
                        dot(0, 0, 7)};
    const pqt_tree *tree = with_items(with_grid(small_tree(1), 16), items, 8);
    for (size_t i = 0; i < 8; i++) {
        pqt_item other = items[i];
        ck_assert(pqt_tree_contains(tree, items[i]));
        other.id++;
        ck_assert(!pqt_tree_contains(tree, other));
        other = items[i];
        other.box.max.x = nextafter(other.box.max.x, INFINITY);
        ck_assert(!pqt_tree_contains(tree, other));
        other = items[i];
        other.box.min.y = nextafter(other.box.min.y, -INFINITY);
        ck_assert(!pqt_tree_contains(tree, other));
    }
    ck_assert(pqt_tree_contains(tree, dot(-0.0, -0.0, 7)));
}
END_TEST

START_TEST(what_no_tree_can_hold_is_not_contained)
{
    const pqt_tree *tree = with_grid(small_tree(1), 4);
    ck_assert(!pqt_tree_contains(tree, boxed(box(NAN, 2, 2, 2), 0)));
    ck_assert(!pqt_tree_contains(tree, boxed(box(2, 2, INFINITY, 2), 0)));
    ck_assert(!pqt_tree_contains(tree, boxed(box(2, 3, 2, 2), 0)));
}
END_TEST

START_TEST(find_tells_the_item_of_an_id)
{
    const pqt_tree *tree = inserted(with_grid(unique_tree(1), 8), dot(-0.0, 1, UINT64_MAX));
    pqt_item found = dot(1, 2, 3);
    for (size_t i = 0; i < 64; i++) {
        ck_assert(pqt_tree_find(tree, i, &found));
        ck_assert(same_bits(found, dot_of_grid(8, i)));
        ck_assert(pqt_tree_find(tree, i, NULL));
    }
    ck_assert(pqt_tree_find(tree, UINT64_MAX, &found) && same_bits(found, dot(0, 1, UINT64_MAX)));
}
END_TEST

START_TEST(find_leaves_its_answer_alone_where_there_is_none)
{
    pqt_item found = dot(1, 2, 3);
    ck_assert(!pqt_tree_find(with_grid(unique_tree(1), 8), 64, &found));
    ck_assert(!pqt_tree_find(unique_tree(1), 0, &found));
    ck_assert(same_bits(found, dot(1, 2, 3)));
    ck_assert(!pqt_tree_find(unique_tree(1), 0, NULL));
}
END_TEST

/* ---- equals and fingerprint ---- */

START_TEST(versions_of_equal_items_are_equal_however_they_came_about)
{
    const pqt_tree *tree = with_grid(small_tree(2), 8), *other = small_tree(2);
    for (size_t i = 64; i-- > 0;)
        other = inserted(inserted(other, dot_of_grid(8, i)), dot(1, (double)i, 100 + i));
    ck_assert(!pqt_tree_equals(tree, other));
    for (size_t i = 0; i < 64; i++)
        other = removed(other, dot(1, (double)i, 100 + i));
    expect_equal(tree, other);
    expect_equal(tree, tree);
}
END_TEST

START_TEST(one_item_more_or_other_makes_versions_differ)
{
    const pqt_tree *tree = with_grid(small_tree(2), 8);
    const pqt_tree *others[] = {
        inserted(tree, dot(1, 1, 99)),
        removed(tree, dot_of_grid(8, 63)),
        moved(tree, dot_of_grid(8, 0), point(1, nextafter(1, 2))),
        inserted(removed(tree, dot_of_grid(8, 30)), boxed(dot_of_grid(8, 30).box, 31)),
        small_tree(2),
    };
    for (size_t i = 0; i < 5; i++) {
        pqt_fingerprint a = pqt_tree_fingerprint(tree), b = pqt_tree_fingerprint(others[i]);
        ck_assert(!pqt_tree_equals(tree, others[i]) && !pqt_tree_equals(others[i], tree));
        ck_assert_uint_ne(a.low, b.low);
        ck_assert_uint_ne(a.high, b.high);
    }
}
END_TEST

START_TEST(versions_of_other_bounds_or_options_differ)
{
    pqt_tree_options options[5];
    pqt_item item = dot(1, 1, 1);
    for (size_t i = 0; i < 5; i++)
        options[i] = options_of(i == 1 ? 3 : 2, i == 2 ? 23 : 24);
    options[3].strict_bounds = true;
    options[4].unique_ids = true;
    const pqt_tree *tree = inserted(made(world_box, options[0]), item);
    for (size_t i = 1; i < 5; i++) {
        ck_assert(!pqt_tree_equals(tree, inserted(made(world_box, options[i]), item)));
        ck_assert(!pqt_tree_equals(made(world_box, options[0]), made(world_box, options[i])));
    }
    ck_assert(!pqt_tree_equals(tree, inserted(made(box(0, 0, 16, 15), options[0]), item)));
    expect_equal(tree, inserted(made(world_box, options[0]), item));
}
END_TEST

START_TEST(versions_in_other_memories_can_be_equal)
{
    pqt_tree_options options = options_of(2, 24);
    const pqt_tree *tree = with_grid(made(world_box, options), 8);
    options.memory = pqt_arena_make(0, NULL);
    expect_equal(tree, with_grid(made(world_box, options), 8));
    pqt_arena_destroy(&options.memory);
}
END_TEST

/* Equality is exact: it is the walk that decides where fingerprints agree. */
START_TEST(equal_fingerprints_do_not_make_versions_equal)
{
    const pqt_box to[] = {point(1.5, 1), point(15, 15), point(-9, -9)};
    for (int i = 0; i < 9; i++) {
        const pqt_tree *tree = with_grid(small_tree(i < 3 ? 1 : i < 6 ? 20 : 100), 8);
        const pqt_tree *other = moved(tree, dot_of_grid(8, 0), to[i % 3]);
        ((pqt_tree *)(uintptr_t)other)->fingerprint = tree->fingerprint;
        if (!other->leaf)
            ((pqti_inner *)(uintptr_t)other->root)->fingerprint = tree->fingerprint;
        ck_assert(!pqt_tree_equals(tree, other) && !pqt_tree_equals(other, tree));
    }
}
END_TEST

START_TEST(a_fingerprint_is_the_sum_over_the_items_whatever_the_options)
{
    pqt_item items[] = {dot(1, 1, 1), dot(9, 9, 2), boxed(box(-9, 0, 40, 3), 3), twin(1), twin(2)};
    pqt_fingerprint sum = {0, 0};
    for (size_t i = 0; i < 5; i++) {
        pqt_fingerprint one = pqt_tree_fingerprint(inserted(small_tree(1), items[i]));
        sum = (pqt_fingerprint){sum.low + one.low, sum.high + one.high};
    }
    pqt_tree_options unique = options_of(3, 0);
    unique.unique_ids = true;
    const pqt_tree *trees[] = {with_items(small_tree(1), items, 5),
                               with_items(made(point(3, 3), options_of(24, 32)), items, 5),
                               with_items(made(world_box, unique), items, 5),
                               tree_of(items, 5, options_of(2, 7))};
    for (size_t i = 0; i < 4; i++) {
        ck_assert_uint_eq(pqt_tree_fingerprint(trees[i]).low, sum.low);
        ck_assert_uint_eq(pqt_tree_fingerprint(trees[i]).high, sum.high);
    }
}
END_TEST

/* A sum of mixes of the fields would not see that two were exchanged. */
START_TEST(exchanged_numbers_make_other_fingerprints)
{
    const pqt_item pairs[][4] = {
        {boxed(box(1, 2, 3, 4), 5), boxed(box(6, 7, 8, 9), 10), boxed(box(1, 7, 3, 9), 5),
         boxed(box(6, 2, 8, 4), 10)},
        {dot(1, 2, 1), dot(3, 4, 2), dot(1, 2, 2), dot(3, 4, 1)},
        {dot(1, 2, 1), dot(3, 4, 2), dot(1, 4, 1), dot(3, 2, 2)},
        {dot(1, 2, 1), dot(2, 1, 2), dot(1, 2, 2), dot(2, 1, 1)},
    };
    for (size_t i = 0; i < 4; i++) {
        const pqt_tree *a = with_items(small_tree(1), pairs[i], 2);
        const pqt_tree *b = with_items(small_tree(1), pairs[i] + 2, 2);
        ck_assert_uint_ne(pqt_tree_fingerprint(a).low, pqt_tree_fingerprint(b).low);
        ck_assert_uint_ne(pqt_tree_fingerprint(a).high, pqt_tree_fingerprint(b).high);
    }
}
END_TEST

/* ---- stats and shared bytes ---- */

enum { NODE = 128, NODE_WITH_BUCKET = 144, LEAF_OF_1 = 48, LEAF_OF_2 = 80, VERSION = 48 };

static void
expect_stats(const pqt_tree *tree, pqt_tree_stats expected)
{
    pqt_tree_stats stats = pqt_tree_get_stats(tree);
    ck_assert_uint_eq(stats.items, expected.items);
    ck_assert_uint_eq(stats.nodes, expected.nodes);
    ck_assert_uint_eq(stats.leaves, expected.leaves);
    ck_assert_uint_eq(stats.depth, expected.depth);
    ck_assert_uint_eq(stats.bytes, expected.bytes);
}

START_TEST(stats_of_a_root_that_is_a_leaf)
{
    const pqt_tree *tree = inserted(small_tree(2), dot(1, 1, 1));
    expect_stats(tree, (pqt_tree_stats){1, 0, 1, 0, VERSION + LEAF_OF_1});
    tree = inserted(tree, dot(9, 9, 2));
    expect_stats(tree, (pqt_tree_stats){2, 0, 1, 0, VERSION + LEAF_OF_2});
}
END_TEST

START_TEST(stats_of_nodes_below_each_other)
{
    const pqt_tree *tree = with_items(small_tree(1), (pqt_item[]){dot(1, 1, 1), dot(9, 9, 2)}, 2);
    expect_stats(tree, (pqt_tree_stats){2, 1, 2, 1, VERSION + NODE + 2 * LEAF_OF_1});
    tree = inserted(tree, dot(5, 1, 3));
    expect_stats(tree, (pqt_tree_stats){3, 2, 3, 2, VERSION + 2 * NODE + 3 * LEAF_OF_1});
    tree = inserted(tree, dot(1, 3, 4)); /* beside 1, 1 only at the third halving */
    expect_stats(tree, (pqt_tree_stats){4, 3, 4, 3, VERSION + 3 * NODE + 4 * LEAF_OF_1});
}
END_TEST

START_TEST(stats_of_nodes_beside_each_other)
{
    expect_stats(with_grid(small_tree(1), 4),
                 (pqt_tree_stats){16, 5, 16, 2, VERSION + 5 * NODE + 16 * LEAF_OF_1});
}
END_TEST

START_TEST(stats_of_buckets)
{
    pqt_item large = boxed(box(-9, -9, 40, 40), 1), other = dot(-9, -9, 2);
    const pqt_tree *tree = with_items(small_tree(1), (pqt_item[]){large, dot(1, 1, 3)}, 2);
    expect_stats(tree, (pqt_tree_stats){2, 1, 2, 1, VERSION + NODE_WITH_BUCKET + 2 * LEAF_OF_1});
    tree = inserted(tree, other);
    expect_stats(tree,
                 (pqt_tree_stats){3, 2, 3, 2, VERSION + NODE_WITH_BUCKET + NODE + 3 * LEAF_OF_1});
    tree = removed(tree, dot(1, 1, 3)); /* a node with nothing but a bucket */
    expect_stats(tree,
                 (pqt_tree_stats){2, 2, 2, 2, VERSION + NODE_WITH_BUCKET + NODE + 2 * LEAF_OF_1});
}
END_TEST

/* An item as large as the world stops at the first halving, in the cell of its centre. */
START_TEST(stats_of_a_bucket_below_the_root)
{
    const pqt_tree *tree =
        with_items(small_tree(1), (pqt_item[]){boxed(world_box, 1), dot(9, 9, 2)}, 2);
    expect_stats(tree, (pqt_tree_stats){2, 1, 2, 1, VERSION + NODE_WITH_BUCKET + 2 * LEAF_OF_1});
}
END_TEST

/* An id map: up to 8 ids a block of 40 bytes each and 8 more; above, nodes of 80. */
START_TEST(stats_count_the_id_map)
{
    pqt_item two[] = {dot(1, 1, 1), dot(9, 9, 2)};
    expect_stats(with_items(unique_tree(2), two, 2),
                 (pqt_tree_stats){2, 0, 1, 0, VERSION + LEAF_OF_2 + 96});
    const pqt_tree *tree = with_grid(unique_tree(24), 2);
    for (uint64_t id = 4; id < 8; id++)
        tree = inserted(tree, dot(3, 3, id));
    expect_stats(tree, (pqt_tree_stats){8, 0, 1, 0, VERSION + 8 * 40 + 336});
    const pqt_tree *plain = with_grid(small_tree(2), 3), *unique = with_grid(unique_tree(2), 3);
    size_t map = pqt_tree_get_stats(unique).bytes - pqt_tree_get_stats(plain).bytes;
    ck_assert_uint_gt(map, 80 + 9 * 40);
    ck_assert_uint_le(map, 80 + 9 * 48);
}
END_TEST

/* What was counted by watching the memory is what the version says that it takes. */
START_TEST(bytes_are_what_was_taken)
{
    pqt_item items[300];
    pqt_error error = {0};
    for (size_t i = 0; i < 300; i++)
        items[i] = i % 7 == 0 ? twin(i) : dot_of_grid(20, i);
    for (int unique = 0; unique < 2; unique++) {
        const pqt_tree *empty = unique ? unique_tree(3) : small_tree(3);
        hooks watch = {.fail_at = 0};
        hooks_start(&watch);
        const pqt_tree *tree = must(pqt_tree_insert_all(empty, items, 300, &error), &error);
        hooks_stop();
        pqt_tree_stats stats = pqt_tree_get_stats(tree);
        ck_assert_uint_eq(stats.items, 300);
        ck_assert(unique || stats.bytes == hooks_kept_bytes(&watch));
        ck_assert(unique || stats.nodes + stats.leaves + 1 == hooks_kept_blocks(&watch));
    }
}
END_TEST

START_TEST(a_version_shares_all_bytes_with_itself)
{
    const pqt_tree *trees[] = {small_tree(2), with_grid(small_tree(2), 8),
                               with_grid(unique_tree(2), 8)};
    for (size_t i = 0; i < 3; i++)
        ck_assert_uint_eq(pqt_tree_shared_bytes(trees[i], trees[i]),
                          pqt_tree_get_stats(trees[i]).bytes);
}
END_TEST

START_TEST(strangers_share_nothing)
{
    const pqt_tree *tree = with_grid(unique_tree(2), 8);
    ck_assert_uint_eq(pqt_tree_shared_bytes(tree, with_grid(unique_tree(2), 8)), 0);
    ck_assert_uint_eq(pqt_tree_shared_bytes(tree, unique_tree(2)), 0);
    ck_assert_uint_eq(pqt_tree_shared_bytes(small_tree(2), small_tree(2)), 0);
}
END_TEST

/* Two dots apart, then one of them moved within its cell: the other's leaf is all that is
   shared. */
START_TEST(shared_bytes_are_those_of_the_shared_nodes)
{
    const pqt_tree *old = with_items(small_tree(1), (pqt_item[]){dot(1, 1, 1), dot(9, 9, 2)}, 2);
    const pqt_tree *new = moved(old, dot(1, 1, 1), point(2, 2));
    ck_assert_uint_eq(pqt_tree_shared_bytes(old, new), LEAF_OF_1);
    ck_assert_uint_eq(pqt_tree_shared_bytes(new, old), LEAF_OF_1);
    const pqt_tree *more = inserted(old, dot(-9, -9, 3));
    ck_assert_uint_eq(pqt_tree_shared_bytes(old, more), 2 * LEAF_OF_1);
}
END_TEST

/* What a version costs beside another is its own bytes less the shared: so says the header. */
START_TEST(a_version_costs_its_bytes_less_the_shared_ones)
{
    for (int unique = 0; unique < 2; unique++) {
        const pqt_tree *old = with_grid(unique ? unique_tree(4) : small_tree(4), 32);
        hooks watch = {.fail_at = 0};
        hooks_start(&watch);
        const pqt_tree *new = inserted(old, dot(3, 3, 5000));
        hooks_stop();
        size_t cost = pqt_tree_get_stats(new).bytes - pqt_tree_shared_bytes(old, new);
        /* The id map may make a leaf in vain when one is split. */
        ck_assert_uint_le(cost, hooks_kept_bytes(&watch));
        ck_assert(unique || cost == hooks_kept_bytes(&watch));
        ck_assert_uint_lt(cost, 4000);
    }
}
END_TEST

/* ---- asking never allocates ---- */

START_TEST(asking_allocates_nothing)
{
    const pqt_tree *tree = with_grid(unique_tree(2), 8), *other = with_grid(unique_tree(2), 8);
    pqt_item item;
    pqt_error error = {0};
    hooks watch = {.fail_at = 1};
    hooks_start(&watch);
    ck_assert_uint_eq(pqt_tree_count(tree), 64);
    ck_assert(pqt_tree_bounds(tree).max.x == 16);
    ck_assert(pqt_tree_get_options(tree).unique_ids);
    ck_assert(pqt_tree_contains(tree, dot_of_grid(8, 9)));
    ck_assert(pqt_tree_find(tree, 9, &item));
    ck_assert(pqt_tree_equals(tree, other));
    ck_assert_uint_ne(pqt_tree_fingerprint(tree).low, 0);
    ck_assert(pqt_tree_check(tree, &error));
    ck_assert_uint_eq(pqt_tree_get_stats(tree).items, 64);
    ck_assert_uint_eq(pqt_tree_shared_bytes(tree, other), 0);
    hooks_stop();
    ck_assert_uint_eq(watch.calls, 0);
}
END_TEST

/* ---- check ---- */

static void *
writable(const void *block)
{
    return (void *)(uintptr_t)block;
}

static pqti_inner *
root_of(const pqt_tree *tree)
{
    ck_assert(!tree->leaf);
    return writable(tree->root);
}

/* 16 dots, capacity 2: the root, four nodes, sixteen leaves of one. */
static const pqt_tree *
grown(void)
{
    return with_grid(small_tree(2), 4);
}

/* The same with three items in the root's bucket, which is a node. */
static const pqt_tree *
with_bucket(void)
{
    return with_items(grown(), (pqt_item[]){twin(0), dot(-5, -5, 1), dot(40, -5, 1)}, 3);
}

/* The one item of the first leaf below the root, dot 2, 2: its four numbers. */
static double *
first_leaf(const pqt_tree *tree)
{
    return writable(((const pqti_inner *)root_of(tree)->child[0])->child[0]);
}

static const pqt_tree *
lose_a_child(void)
{
    const pqt_tree *tree = grown();
    root_of(tree)->child[2] = NULL;
    return tree;
}

static const pqt_tree *
find_a_child(void)
{
    const pqt_tree *tree = with_items(small_tree(1), (pqt_item[]){dot(1, 1, 1), dot(9, 9, 2)}, 2);
    root_of(tree)->child[1] = root_of(tree)->child[0];
    return tree;
}

static const pqt_tree *
lose_the_root(void)
{
    const pqt_tree *tree = grown();
    ((pqt_tree *)writable(tree))->root = NULL;
    return tree;
}

static const pqt_tree *
mark_nothing_as_a_leaf(void)
{
    const pqt_tree *tree = with_items(small_tree(1), (pqt_item[]){dot(1, 1, 1), dot(9, 9, 2)}, 2);
    root_of(tree)->count[1] = PQTI_LEAF_BIT;
    return tree;
}

static const pqt_tree *
mark_a_node_as_a_leaf(void)
{
    const pqt_tree *tree = grown();
    root_of(tree)->count[0] |= PQTI_LEAF_BIT;
    return tree;
}

static const pqt_tree *
mark_a_leaf_as_a_node(void)
{
    const pqt_tree *tree = grown();
    pqti_inner *node = writable(root_of(tree)->child[3]);
    node->count[3] &= ~PQTI_LEAF_BIT;
    return tree;
}

static const pqt_tree *
count_too_much(void)
{
    const pqt_tree *tree = grown();
    root_of(tree)->count[1]++;
    return tree;
}

static const pqt_tree *
count_too_few(void)
{
    const pqt_tree *tree = with_bucket();
    root_of(tree)->count[1]--;
    return tree;
}

static const pqt_tree *
count_the_version_wrong(void)
{
    const pqt_tree *tree = with_bucket();
    ((pqt_tree *)writable(tree))->count++;
    return tree;
}

static const pqt_tree *
count_the_bucket_wrong(void)
{
    const pqt_tree *tree = with_bucket();
    root_of(tree)->bucket->count++;
    ((pqt_tree *)writable(tree))->count++;
    return tree;
}

static const pqt_tree *
stain_a_fingerprint(void)
{
    const pqt_tree *tree = grown();
    ((pqti_inner *)writable(root_of(tree)->child[3]))->fingerprint.high ^= 1;
    return tree;
}

static const pqt_tree *
stain_the_root(void)
{
    const pqt_tree *tree = grown();
    root_of(tree)->fingerprint.low ^= UINT64_C(1) << 63;
    return tree;
}

static const pqt_tree *
stain_the_version(void)
{
    const pqt_tree *tree = grown();
    ((pqt_tree *)writable(tree))->fingerprint.high++;
    return tree;
}

static const pqt_tree *
stain_an_id(void)
{
    const pqt_tree *tree = grown();
    ((uint64_t *)writable(first_leaf(tree)))[4] ^= 1;
    return tree;
}

static const pqt_tree *
widen_bounds_left(void)
{
    const pqt_tree *tree = grown();
    root_of(tree)->min_x[1]--;
    return tree;
}

static const pqt_tree *
widen_bounds_up(void)
{
    const pqt_tree *tree = grown();
    root_of(tree)->min_y[2]--;
    return tree;
}

static const pqt_tree *
narrow_bounds_right(void)
{
    const pqt_tree *tree = grown();
    root_of(tree)->max_x[0]--;
    return tree;
}

static const pqt_tree *
narrow_bounds_below(void)
{
    const pqt_tree *tree = grown();
    ((pqti_inner *)writable(root_of(tree)->child[0]))->max_y[1]--;
    return tree;
}

static const pqt_tree *
give_nothing_bounds(void)
{
    const pqt_tree *tree = with_items(small_tree(1), (pqt_item[]){dot(1, 1, 1), dot(9, 9, 2)}, 2);
    root_of(tree)->max_x[1] = 1;
    return tree;
}

static const pqt_tree *
write_nan(void)
{
    const pqt_tree *tree = grown();
    first_leaf(tree)[0] = NAN;
    return tree;
}

static const pqt_tree *
write_infinity(void)
{
    const pqt_tree *tree = grown();
    first_leaf(tree)[3] = INFINITY;
    return tree;
}

static const pqt_tree *
write_inside_out(void)
{
    const pqt_tree *tree = grown();
    first_leaf(tree)[2] = 1;
    return tree;
}

static const pqt_tree *
write_minus_zero(void)
{
    const pqt_tree *tree = inserted(small_tree(2), dot(0, 0, 1));
    ((double *)writable(tree->root))[1] = -0.0;
    return tree;
}

static const pqt_tree *
write_out_of_strict_bounds(void)
{
    const pqt_tree *tree = inserted(strict_tree(), dot(16, 16, 1));
    ((double *)writable(tree->root))[3] = nextafter(16, 17);
    return tree;
}

static const pqt_tree *
write_into_another_cell(void)
{
    const pqt_tree *tree = grown();
    first_leaf(tree)[0] = first_leaf(tree)[2] = 6;
    return tree;
}

static const pqt_tree *
write_into_a_bucket(void)
{
    const pqt_tree *tree = with_items(grown(), (pqt_item[]){dot(-5, -5, 1)}, 1);
    double *numbers = writable(root_of(tree)->bucket->at);
    for (int i = 0; i < 4; i++)
        numbers[i] = 1;
    return tree;
}

static const pqt_tree *
write_one_item_twice(void)
{
    const pqt_tree *tree = with_items(small_tree(2), (pqt_item[]){dot(1, 1, 1), dot(1, 1, 2)}, 2);
    uint64_t *words = writable(tree->root);
    words[8] = words[9];
    return tree;
}

static const pqt_tree *
exchange_two_items(void)
{
    const pqt_tree *tree = with_items(small_tree(2), (pqt_item[]){dot(1, 1, 1), dot(9, 9, 2)}, 2);
    uint64_t *words = writable(tree->root);
    for (int i = 0; i < 10; i += 2) {
        uint64_t first = words[i];
        words[i] = words[i + 1];
        words[i + 1] = first;
    }
    return tree;
}

static const pqt_tree *
exchange_two_children(void)
{
    const pqt_tree *tree = grown();
    pqti_inner *root = root_of(tree);
    const void *first = root->child[0];
    root->child[0] = root->child[1];
    root->child[1] = first;
    return tree;
}

static const pqt_tree *
make_a_ring(void)
{
    const pqt_tree *tree = grown();
    pqti_inner *root = root_of(tree);
    root->child[0] = root;
    root->count[0] = 16;
    for (int i = 1; i < 4; i++) {
        root->child[i] = NULL;
        root->count[i] = 0;
    }
    return tree;
}

static const pqt_tree *
make_a_deep_ring(void)
{
    const pqt_tree *tree = make_a_ring();
    ((pqt_tree *)writable(tree))->deep = true;
    return tree;
}

static const pqt_tree *
lose_a_deep_child(void)
{
    const pqt_tree *tree = grown();
    pqti_inner *root = root_of(tree);
    ((pqt_tree *)writable(tree))->deep = true;
    root->child[0] = NULL;
    return tree;
}

static const pqt_tree *
mark_the_root_deep(void)
{
    const pqt_tree *tree = grown();
    ((pqt_tree *)writable(tree))->deep = true;
    return tree;
}

static const pqt_tree *
mark_nothing_deep(void)
{
    const pqt_tree *tree = with_items(small_tree(1), (pqt_item[]){dot(1, 1, 1), dot(9, 9, 2)}, 2);
    root_of(tree)->count[1] = PQTI_DEEP_BIT;
    return tree;
}

static const pqt_tree *
mark_a_leaf_deep(void)
{
    const pqt_tree *tree = with_items(small_tree(2), (pqt_item[]){dot(1, 1, 1), dot(9, 9, 2)}, 2);
    ((pqt_tree *)writable(tree))->deep = true;
    return tree;
}

/* Items in one small cell, whose node is taken for that of the root. */
static const pqt_tree *
leave_the_root_unmarked(void)
{
    pqt_item items[] = {dot(1, 1, 1), dot(1.5, 1, 2), dot(1, 1.5, 3)};
    const pqt_tree *tree = with_items(small_tree(1), items, 3);
    ck_assert(tree->deep);
    ((pqt_tree *)writable(tree))->deep = false;
    return tree;
}

static const pqt_tree *
lose_the_id_map(void)
{
    const pqt_tree *tree = with_grid(unique_tree(2), 4);
    ((pqt_tree *)writable(tree))->ids = NULL;
    return tree;
}

static const pqt_tree *
take_an_older_id_map(void)
{
    const pqt_tree *old = with_grid(unique_tree(2), 4);
    const pqt_tree *tree = moved(old, dot_of_grid(4, 0), point(1, 1));
    ((pqt_tree *)writable(tree))->ids = old->ids;
    return tree;
}

static const pqt_tree *
take_a_larger_id_map(void)
{
    const pqt_tree *tree = with_grid(unique_tree(2), 4);
    ((pqt_tree *)writable(tree))->ids = inserted(tree, dot(1, 1, 99))->ids;
    return tree;
}

static const pqt_tree *
take_an_id_map_unasked(void)
{
    const pqt_tree *tree = grown();
    ((pqt_tree *)writable(tree))->ids = with_grid(unique_tree(2), 4)->ids;
    return tree;
}

/* A small id map is one leaf: the count of its items, then the items. */
static const pqt_tree *
exchange_two_ids(void)
{
    const pqt_tree *tree = with_items(unique_tree(2), (pqt_item[]){dot(1, 1, 1), dot(9, 9, 2)}, 2);
    char *map = writable(tree->ids);
    pqt_item items[2], exchanged[2];
    memcpy(items, map + sizeof(uint64_t), sizeof items);
    exchanged[0] = items[1];
    exchanged[1] = items[0];
    memcpy(map + sizeof(uint64_t), exchanged, sizeof exchanged);
    return tree;
}

static const pqt_tree *
count_the_id_map_wrong(void)
{
    const pqt_tree *tree = with_grid(unique_tree(2), 4);
    ++*(uint64_t *)writable(tree->ids);
    return tree;
}

static const struct {
    const pqt_tree *(*spoil)(void);
    const char *text;
} spoilt[] = {
    {lose_a_child,
     "1 steps below the root: a part without items is not NULL, or one with items is"},
    {find_a_child,
     "1 steps below the root: a part without items is not NULL, or one with items is"},
    {lose_the_root,
     "0 steps below the root: a part without items is not NULL, or one with items is"},
    {mark_nothing_as_a_leaf, "1 steps below the root: a part without items is marked a leaf"},
    {mark_a_node_as_a_leaf, "1 steps below the root: a leaf holds more than its capacity"},
    {mark_a_leaf_as_a_node, "2 steps below the root: a node holds no more than a leaf could"},
    {count_too_much, "0 steps below the root: the quarters of a node hold more items than it"},
    {count_too_few, "0 steps below the root: a node's count is not that of its parts"},
    {count_the_version_wrong, "0 steps below the root: a node's count is not that of its parts"},
    {count_the_bucket_wrong, "1 steps below the root: a node inside a bucket has a bucket"},
    {stain_a_fingerprint,
     "1 steps below the root: the fingerprint of a node is not that of its items"},
    {stain_the_root, "0 steps below the root: the fingerprint of a node is not that of its items"},
    {stain_the_version,
     "0 steps below the root: the fingerprint of the version is not that of its items"},
    {stain_an_id, "1 steps below the root: the fingerprint of a node is not that of its items"},
    {widen_bounds_left, "0 steps below the root: the bounds of a child are not those of its items"},
    {widen_bounds_up, "0 steps below the root: the bounds of a child are not those of its items"},
    {narrow_bounds_right,
     "0 steps below the root: the bounds of a child are not those of its items"},
    {narrow_bounds_below,
     "1 steps below the root: the bounds of a child are not those of its items"},
    {give_nothing_bounds,
     "0 steps below the root: the bounds of a child are not those of its items"},
    {write_nan, "2 steps below the root: an item's box is not valid"},
    {write_infinity, "2 steps below the root: an item's box is not valid"},
    {write_inside_out, "2 steps below the root: an item's box is not valid"},
    {write_minus_zero, "0 steps below the root: an item's box is not valid"},
    {write_out_of_strict_bounds,
     "0 steps below the root: an item leaves the bounds of a strict tree"},
    {write_into_another_cell,
     "2 steps below the root: an item is in a part where it does not belong"},
    {write_into_a_bucket, "1 steps below the root: an item is in a part where it does not belong"},
    {write_one_item_twice, "0 steps below the root: items are out of order, or one is there twice"},
    {exchange_two_items, "0 steps below the root: items are out of order, or one is there twice"},
    {exchange_two_children,
     "2 steps below the root: an item is in a part where it does not belong"},
    {make_a_ring, "0 steps below the root: a node holds all of its items in one quarter"},
    {make_a_deep_ring, "0 steps below the root: a node that stands deeper leads to no leaf"},
    {lose_a_deep_child, "0 steps below the root: a node that stands deeper leads to no leaf"},
    {mark_the_root_deep, "0 steps below the root: a node at its own place is marked deep"},
    {mark_nothing_deep, "1 steps below the root: a part without items is marked deep"},
    {mark_a_leaf_deep, "0 steps below the root: a leaf, or a node below mixes, is marked deep"},
    {leave_the_root_unmarked,
     "1 steps below the root: an item is in a part where it does not belong"},
    {lose_the_id_map, "2 steps below the root: an item is not in the id map"},
    {take_an_older_id_map, "2 steps below the root: an item is not in the id map"},
    {take_a_larger_id_map,
     "0 steps below the root: the id map does not hold as many items as the tree"},
    {take_an_id_map_unasked,
     "0 steps below the root: the id map does not hold as many items as the tree"},
    {exchange_two_ids, "0 steps below the root: the id map is out of order"},
    {count_the_id_map_wrong, "0 steps below the root: the id map is out of order"},
};

_Static_assert(PQTI_MOST_DEPTH == 65, "the text above tells it");

START_TEST(check_tells_what_is_broken_and_where)
{
    const pqt_tree *tree = spoilt[_i].spoil();
    pqt_error error = {0}, earlier = earlier_failure();
    ck_assert(!pqt_tree_check(tree, &error));
    expect_failure(&error, PQT_ERROR_BROKEN, 0, spoilt[_i].text);
    ck_assert(!pqt_tree_check(tree, NULL));
    ck_assert(!pqt_tree_check(tree, &earlier));
    expect_earlier_failure(&earlier);
}
END_TEST

START_TEST(check_finds_nothing_where_nothing_is_broken)
{
    pqt_error earlier = earlier_failure();
    const pqt_tree *trees[] = {small_tree(1), grown(), with_bucket(), with_grid(unique_tree(2), 8),
                               with_grid(made(world_box, options_of(1, 0)), 8)};
    for (size_t i = 0; i < 5; i++) {
        expect_sound(trees[i]);
        ck_assert(pqt_tree_check(trees[i], NULL));
        ck_assert(pqt_tree_check(trees[i], &earlier));
    }
    expect_earlier_failure(&earlier);
}
END_TEST

/* ---- pins ---- */

START_TEST(a_pin_keeps_its_version)
{
    const pqt_tree *tree = with_grid(small_tree(2), 8);
    pqt_error error = {0};
    pqt_pin *pin = pqt_tree_pin(tree, &error), *other = pqt_tree_pin(tree, &error);
    ck_assert_int_eq(error.status, PQT_OK);
    ck_assert_ptr_eq(pqt_pin_tree(pin), tree);
    ck_assert_ptr_eq(pqt_pin_tree(other), tree);
    ck_assert_ptr_ne(pin, other);
    ck_assert_uint_eq(pqt_memory_get_stats(arena).pins, 2);
    pqt_unpin(&pin);
    ck_assert_ptr_null(pin);
    ck_assert_ptr_eq(pqt_pin_tree(other), tree);
    pqt_unpin(&other);
    ck_assert_uint_eq(pqt_memory_get_stats(arena).pins, 0);
}
END_TEST

START_TEST(an_empty_version_can_be_pinned)
{
    const pqt_tree *tree = small_tree(2);
    pqt_pin *pin = pqt_tree_pin(tree, NULL);
    ck_assert_ptr_eq(pqt_pin_tree(pin), tree);
    pqt_unpin(&pin);
}
END_TEST

START_TEST(pinning_passes_an_earlier_failure_on)
{
    pqt_error error = earlier_failure();
    ck_assert_ptr_null(pqt_tree_pin(NULL, &error));
    ck_assert_ptr_null(pqt_tree_pin(small_tree(2), &error));
    ck_assert_ptr_null(pqt_tree_pin(NULL, NULL));
    expect_earlier_failure(&error);
    ck_assert_uint_eq(pqt_memory_get_stats(arena).pins, 0);
}
END_TEST

START_TEST(a_pin_that_finds_no_memory_is_told)
{
    const pqt_tree *tree = with_grid(small_tree(2), 8);
    pqt_error error = {0};
    hooks watch = {.fail_at = 1};
    hooks_start(&watch);
    ck_assert_ptr_null(pqt_tree_pin(tree, &error));
    hooks_stop();
    ck_assert_int_eq(error.status, PQT_ERROR_MEMORY);
    expect_sound(tree);
}
END_TEST

/* ---- mistakes ---- */

static bool
stop_at_cell(const pqt_cell *cell, void *context)
{
    (void)cell;
    (void)context;
    return false;
}

static void
ask_count(void)
{
    pqt_tree_count(NULL);
}

static void
ask_bounds(void)
{
    pqt_tree_bounds(NULL);
}

static void
ask_options(void)
{
    pqt_tree_get_options(NULL);
}

static void
ask_contains(void)
{
    pqt_tree_contains(NULL, dot(1, 1, 1));
}

static void
ask_find(void)
{
    pqt_tree_find(NULL, 1, NULL);
}

static void
ask_equals_first(void)
{
    pqt_tree_equals(NULL, small_tree(2));
}

static void
ask_equals_second(void)
{
    pqt_tree_equals(small_tree(2), NULL);
}

static void
ask_equals_both(void)
{
    pqt_tree_equals(NULL, NULL);
}

static void
ask_fingerprint(void)
{
    pqt_tree_fingerprint(NULL);
}

static void
ask_check(void)
{
    pqt_tree_check(NULL, &(pqt_error){0});
}

static void
ask_stats(void)
{
    pqt_tree_get_stats(NULL);
}

static void
ask_shared_first(void)
{
    pqt_tree_shared_bytes(NULL, small_tree(2));
}

static void
ask_shared_second(void)
{
    pqt_tree_shared_bytes(small_tree(2), NULL);
}

static void
ask_cells(void)
{
    pqt_tree_visit_cells(NULL, stop_at_cell, NULL);
}

static void
ask_pin(void)
{
    (void)!pqt_tree_pin(NULL, &(pqt_error){0});
}

static void
ask_pinned(void)
{
    pqt_pin_tree(NULL);
}

static void
ask_find_without_unique_ids(void)
{
    pqt_tree_find(small_tree(2), 1, NULL);
}

static void
give_no_items(void)
{
    (void)!pqt_tree_of(NULL, 1, NULL, &(pqt_error){0});
}

static void (*const mistakes[])(void) = {
    ask_count,
    ask_bounds,
    ask_options,
    ask_contains,
    ask_find,
    ask_equals_first,
    ask_equals_second,
    ask_equals_both,
    ask_fingerprint,
    ask_check,
    ask_stats,
    ask_shared_first,
    ask_shared_second,
    ask_cells,
    ask_pin,
    ask_pinned,
    ask_find_without_unique_ids,
    give_no_items,
};

START_TEST(a_mistake_stops_the_program)
{
    mistakes[_i]();
}
END_TEST

/* ---- the collector ---- */

static void *
make_off_main(void *context)
{
    (void)!pqt_tree_make(world_box, NULL, context);
    return NULL;
}

/* The first test: in one process (CK_FORK=no) the collector must not have been started before. */
START_TEST(a_first_tree_off_main_is_refused)
{
    pqt_error error = {0};
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, make_off_main, &error), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert_int_eq(error.status, PQT_ERROR_THREAD);
}
END_TEST

START_TEST(without_options_a_tree_has_the_defaults_in_the_collector)
{
    pqt_error error = {0};
    pqt_item item = dot(1, 1, 1);
    const pqt_tree *trees[] = {pqt_tree_make(world_box, NULL, &error),
                               pqt_tree_of(&item, 1, NULL, &error)};
    for (size_t i = 0; i < 2; i++) {
        pqt_tree_options options = pqt_tree_get_options(must(trees[i], &error));
        pqt_tree_options defaults = PQT_TREE_DEFAULTS;
        ck_assert_ptr_eq(options.memory, pqt_collector());
        options.memory = NULL;
        ck_assert(options.leaf_capacity == defaults.leaf_capacity &&
                  options.max_depth == defaults.max_depth && options.size == defaults.size);
        ck_assert(!options.strict_bounds && !options.unique_ids && !options.ids_are_pointers);
    }
}
END_TEST

START_TEST(pointers_make_versions_differ_from_those_without)
{
    pqt_error error = {0};
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    const pqt_tree *plain = must(pqt_tree_make(world_box, &options, &error), &error);
    options.ids_are_pointers = true;
    const pqt_tree *pointers = must(pqt_tree_make(world_box, &options, &error), &error);
    ck_assert(pqt_tree_get_options(pointers).ids_are_pointers);
    ck_assert(!pqt_tree_equals(plain, pointers));
}
END_TEST

/* A build without the collector has none to offer by default. */
START_TEST(without_the_collector_memory_must_be_named)
{
    pqt_error error = {0};
    ck_assert_ptr_null(pqt_tree_make(world_box, NULL, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_UNSUPPORTED);
}
END_TEST

/* Garbage is made in a thread that ends: a stack that lives on may still hold what should be
   lost. */
static const void *
in_a_thread(void *(*make)(void *), void *context)
{
    pthread_t thread;
    void *result = NULL;
    ck_assert_int_eq(pthread_create(&thread, NULL, make, context), 0);
    ck_assert_int_eq(pthread_join(thread, &result), 0);
    return result;
}

/* Collects, and has what was given back taken and overwritten. */
static void
overwrite_what_is_lost(void)
{
    static const size_t sizes[] = {48, 64, 80, 96, 128, 144, 176, 208, 336, 352};
    pqti_collect(pqt_collector());
    pqti_collect(pqt_collector());
    for (size_t i = 0; i < 20000; i++) {
        size_t size = sizes[i % (sizeof sizes / sizeof *sizes)];
        memset(pqti_leaf(pqt_collector(), size), 0xee, size);
        memset(pqti_node(pqt_collector(), size), 0xee, size);
    }
}

enum { PAYLOAD_BYTES = 64, PAYLOAD_WORDS = PAYLOAD_BYTES / 8 };

/* How items come into a tree: each way makes its leaves by another hand. */
typedef enum payload_way { ONE_BY_ONE, AT_ONCE, BY_MOVES, BY_SEARCH, BY_REMOVAL, WAYS } payload_way;

typedef struct payload_tree {
    size_t count;
    payload_way way;
    int capacity;
} payload_tree;

static pqt_item
item_with_payload(size_t i, double y)
{
    uint64_t *payload = pqti_leaf(pqt_collector(), PAYLOAD_BYTES);
    for (size_t word = 0; word < PAYLOAD_WORDS; word++)
        payload[word] = i * 1000 + word;
    return dot((double)i, y, (uint64_t)(uintptr_t)payload);
}

static const pqt_tree *
hold_payloads(const payload_tree *plan, const pqt_tree *tree, pqt_error *error)
{
    pqt_item *items = pqti_node(pqt_collector(), 16 * (5 * plan->count + 1));
    for (size_t i = 0; i < plan->count; i++)
        items[i] = item_with_payload(i, plan->way == BY_MOVES ? 9 : 2);
    if (plan->way == AT_ONCE)
        tree = pqt_tree_insert_all(tree, items, plan->count, error);
    for (size_t i = 0; i < plan->count && plan->way != AT_ONCE; i++)
        tree = pqt_tree_insert(tree, items[i], error);
    for (size_t i = 0; i < plan->count && plan->way == BY_MOVES; i++)
        tree = pqt_tree_move(tree, items[i], point((double)i, 2), error);
    for (size_t i = 0; i < 5 && plan->way >= BY_SEARCH; i++)
        tree = pqt_tree_insert(tree, dot((double)i, 3, i), error);
    if (plan->way == BY_SEARCH)
        tree = pqt_tree_search(tree, asking(box(0, 2, 99, 2), PQT_TOUCHES), error);
    for (size_t i = 0; i < 5 && plan->way == BY_REMOVAL; i++)
        tree = pqt_tree_remove(tree, dot((double)i, 3, i), error);
    return tree;
}

/* The pin of a version that alone holds its payloads. */
static void *
pin_payloads(void *context)
{
    const payload_tree *plan = context;
    pqt_error error = {0};
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.ids_are_pointers = true;
    options.leaf_capacity = plan->capacity;
    if (!pqt_thread_attach(&error))
        return NULL;
    const pqt_tree *tree = pqt_tree_make(world_box, &options, &error);
    pqt_pin *pin = pqt_tree_pin(hold_payloads(plan, tree, &error), &error);
    pqt_thread_detach();
    return pin;
}

static bool
payload_is_whole(const pqt_item *item, void *context)
{
    const uint64_t *payload = (const uint64_t *)(uintptr_t)item->id;
    for (size_t word = 0; word < PAYLOAD_WORDS; word++)
        if (payload[word] != (uint64_t)item->box.min.x * 1000 + word)
            return false;
    ++*(size_t *)context;
    return true;
}

/* Leaves of an even count end with an id in their last word, which the collector must see too. */
START_TEST(what_pointer_ids_point_to_lives_as_long_as_a_version)
{
    static const size_t counts[] = {1, 2, 3, 4, 5, 6, 7, 8, 12, 16};
    static const int capacities[] = {24, 1, 2, 4};
    size_t count = counts[_i % 10];
    ck_assert(pqt_init(NULL));
    for (int way = 0; way < WAYS; way++) {
        for (int i = 0; i < 4; i++) {
            payload_tree plan = {count, (payload_way)way, capacities[i]};
            pqt_pin *pin = writable(in_a_thread(pin_payloads, &plan));
            size_t whole = 0;
            ck_assert_ptr_nonnull(pin);
            overwrite_what_is_lost();
            bool all = pqt_tree_visit(pqt_pin_tree(pin), asking_all(), payload_is_whole, &whole);
            ck_assert_msg(all && whole == count,
                          "way %d, capacity %d: %zu of %zu payloads are whole", way, capacities[i],
                          whole, count);
            expect_sound(pqt_pin_tree(pin));
            pqt_unpin(&pin);
        }
    }
}
END_TEST

/* A pin lies in malloc'ed memory, where the collector does not look. */
static void *
pin_a_grid(void *context)
{
    pqt_pin **pin = context;
    pqt_error error = {0};
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.leaf_capacity = 2;
    options.unique_ids = true;
    if (!pqt_thread_attach(&error))
        return NULL;
    const pqt_tree *tree = pqt_tree_make(world_box, &options, &error);
    for (size_t i = 0; i < 400; i++)
        tree = pqt_tree_insert(tree, dot_of_grid(20, i), &error);
    *pin = pqt_tree_pin(tree, &error);
    pqt_thread_detach();
    return NULL;
}

START_TEST(a_pinned_version_survives_collections)
{
    pqt_pin **pin = malloc(sizeof *pin);
    pqt_item found;
    ck_assert_ptr_nonnull(pin);
    *pin = NULL;
    ck_assert(pqt_init(NULL));
    in_a_thread(pin_a_grid, pin);
    ck_assert_ptr_nonnull(*pin);
    overwrite_what_is_lost();
    ck_assert_uint_eq(pqt_tree_count(pqt_pin_tree(*pin)), 400);
    expect_sound(pqt_pin_tree(*pin));
    for (size_t i = 0; i < 400; i++)
        ck_assert(pqt_tree_find(pqt_pin_tree(*pin), i, &found) &&
                  same_bits(found, dot_of_grid(20, i)));
    pqt_unpin(pin);
    free(pin);
}
END_TEST

static void
add_collector(Suite *suite)
{
    TCase *tests = add_tests(suite, "collector");
    if (pqt_collector() == NULL) {
        tcase_add_test(tests, without_the_collector_memory_must_be_named);
        return;
    }
    tcase_add_test(tests, a_first_tree_off_main_is_refused);
    tcase_add_test(tests, without_options_a_tree_has_the_defaults_in_the_collector);
    tcase_add_test(tests, pointers_make_versions_differ_from_those_without);
    tcase_add_loop_test(tests, what_pointer_ids_point_to_lives_as_long_as_a_version, 0, 10);
    tcase_add_test(tests, a_pinned_version_survives_collections);
}

static void
add_making(Suite *suite)
{
    TCase *tests = add_tests(suite, "making");
    tcase_add_test(tests, an_empty_tree_holds_nothing);
    tcase_add_test(tests, the_defaults_are_those_of_the_header);
    tcase_add_test(tests, bounds_and_options_are_those_it_was_made_with);
    tcase_add_test(tests, bounds_lose_their_minus_zeros);
    tcase_add_test(tests, bad_bounds_are_refused_with_their_number);
    tcase_add_test(tests, a_bad_option_is_refused_by_its_name);
    tcase_add_test(tests, options_at_their_limits_are_taken);
    tcase_add_test(tests, ids_in_an_arena_cannot_be_pointers);
    tcase_add_test(tests, making_keeps_an_earlier_failure);
    tcase_add_test(tests, a_tree_that_finds_no_memory_is_told);
    tcase_add_test(tests, a_tree_of_items_has_their_smallest_bounds);
    tcase_add_test(tests, a_tree_of_no_items_is_bounded_by_a_point);
    tcase_add_test(tests, an_item_that_occurs_twice_is_held_once);
    tcase_add_test(tests, of_equal_unique_ids_the_last_counts);
    tcase_add_test(tests, the_order_of_items_does_not_matter_and_the_array_is_not_kept);
    tcase_add_test(tests, a_strict_tree_of_items_holds_them_all);
    tcase_add_test(tests, a_bad_item_of_many_is_refused_by_its_index);
}

static void
add_asking(Suite *suite)
{
    TCase *tests = add_tests(suite, "asking");
    tcase_add_test(tests, contains_asks_for_the_very_item);
    tcase_add_test(tests, what_no_tree_can_hold_is_not_contained);
    tcase_add_test(tests, find_tells_the_item_of_an_id);
    tcase_add_test(tests, find_leaves_its_answer_alone_where_there_is_none);
    tcase_add_test(tests, versions_of_equal_items_are_equal_however_they_came_about);
    tcase_add_test(tests, one_item_more_or_other_makes_versions_differ);
    tcase_add_test(tests, versions_of_other_bounds_or_options_differ);
    tcase_add_test(tests, versions_in_other_memories_can_be_equal);
    tcase_add_test(tests, equal_fingerprints_do_not_make_versions_equal);
    tcase_add_test(tests, a_fingerprint_is_the_sum_over_the_items_whatever_the_options);
    tcase_add_test(tests, exchanged_numbers_make_other_fingerprints);
    tcase_add_test(tests, asking_allocates_nothing);
    tcase_add_misuse_tests(tests, a_mistake_stops_the_program, sizeof mistakes / sizeof *mistakes);
}

static void
add_stats(Suite *suite)
{
    TCase *tests = add_tests(suite, "stats");
    tcase_add_test(tests, stats_of_a_root_that_is_a_leaf);
    tcase_add_test(tests, stats_of_nodes_below_each_other);
    tcase_add_test(tests, stats_of_nodes_beside_each_other);
    tcase_add_test(tests, stats_of_buckets);
    tcase_add_test(tests, stats_of_a_bucket_below_the_root);
    tcase_add_test(tests, stats_count_the_id_map);
    tcase_add_test(tests, bytes_are_what_was_taken);
    tcase_add_test(tests, a_version_shares_all_bytes_with_itself);
    tcase_add_test(tests, strangers_share_nothing);
    tcase_add_test(tests, shared_bytes_are_those_of_the_shared_nodes);
    tcase_add_test(tests, a_version_costs_its_bytes_less_the_shared_ones);
}

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("tree");
    add_collector(suite);
    add_making(suite);
    add_asking(suite);
    add_stats(suite);
    TCase *checks = add_tests(suite, "check");
    tcase_add_test(checks, check_finds_nothing_where_nothing_is_broken);
    tcase_add_loop_test(checks, check_tells_what_is_broken_and_where, 0,
                        (int)(sizeof spoilt / sizeof *spoilt));
    TCase *pins = add_tests(suite, "pins");
    tcase_add_test(pins, a_pin_keeps_its_version);
    tcase_add_test(pins, an_empty_version_can_be_pinned);
    tcase_add_test(pins, pinning_passes_an_earlier_failure_on);
    tcase_add_test(pins, a_pin_that_finds_no_memory_is_told);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
