/* SPDX-License-Identifier: MIT */
/* test_tree.c: tests making trees, properties of versions, and pins. */
#include "config.h"

#include <stdio.h>

#include <pqt/limits.h>
#include <pqt/tree.h>

#include "hooks.h"
#include "options_support.h"
#include "suite.h"
#include "tree/node.h"
#include "tree_support.h"

/* ---- Making ---- */

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
    ck_assert(!pqt_tree_any(tree, (pqt_query[]){query_of_all()}, NULL));
    expect_sound(tree);
}
END_TEST

START_TEST(the_defaults_are_those_of_the_header)
{
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    ck_assert_uint_eq(options.size, sizeof options);
    ck_assert_int_eq(options.leaf_capacity, 24);
    ck_assert_int_eq(options.max_depth, 32);
    ck_assert(!options.strict_bounds && !options.unique_ids && !options.ids_are_pointers);
    ck_assert_ptr_null(options.memory);
}
END_TEST

START_TEST(a_tree_has_the_bounds_and_options_it_was_made_with)
{
    pqt_tree_options options = options_of(7, 9);
    options.strict_bounds = options.unique_ids = true;
    pqt_box bounds = box(-3, 2, 5, 40);
    const pqt_tree *empty = made(bounds, options);
    const pqt_tree *trees[] = {empty, inserted(empty, dot(0, 3, 1)),
                               removed(inserted(empty, dot(0, 3, 1)), dot(0, 3, 1)),
                               pqt_tree_clear(inserted(empty, dot(0, 3, 1)), NULL)};
    for (size_t i = 0; i < 4; i++) {
        pqt_tree_options had = options_of_tree(trees[i]);
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

START_TEST(minus_zeros_in_bounds_become_zeros)
{
    pqt_box bounds = pqt_tree_bounds(made(box(-0.0, -0.0, -0.0, -0.0), options_of(2, 4)));
    pqt_box zeros = box(0, 0, 0, 0);
    ck_assert(memcmp(&bounds, &zeros, sizeof zeros) == 0);
}
END_TEST

START_TEST(bad_bounds_are_refused_and_their_number_is_reported)
{
    const struct {
        pqt_box bounds;
        const char *text;
    } bad[] = {
        {box(NAN, 0, 1, 1), "bounds: min.x is nan"},
        {box(0, -INFINITY, 1, 1), "bounds: min.y is -inf"},
        {box(0, 0, INFINITY, 1), "bounds: max.x is inf"},
        {box(0, 0, 1, NAN), "bounds: max.y is nan"},
        {box(4, 0, 3, 1), "bounds: box is inverted (x 4 > 3)"},
        {box(0, 2.5, 3, 1), "bounds: box is inverted (y 2.5 > 1)"},
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

START_TEST(a_bad_option_is_refused_and_named)
{
    pqt_tree_options options = options_of(2, 4);
    char text[100];
    options.size = 0;
    snprintf(text, sizeof text,
             "size is 0, but must be %zu to 4096: initialise with PQT_TREE_DEFAULTS",
             sizeof options);
    expect_bad_option(options, text);
    expect_bad_option(options_of(0, 4), "leaf_capacity is 0, but must be 1 to 1024");
    expect_bad_option(options_of(-1, 4), "leaf_capacity is -1, but must be 1 to 1024");
    expect_bad_option(options_of(1025, 4), "leaf_capacity is 1025, but must be 1 to 1024");
    expect_bad_option(options_of(2, -1), "max_depth is -1, but must be 0 to 32");
    expect_bad_option(options_of(2, 33), "max_depth is 33, but must be 0 to 32");
}
END_TEST

START_TEST(options_at_their_limits_are_accepted)
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
    pqt_item item = dot(1, NAN, 1);
    pqt_error error = earlier_failure();
    ck_assert_ptr_null(pqt_tree_make(box(NAN, 0, 0, 0), &options, &error));
    ck_assert_ptr_null(pqt_tree_of(&item, 1, &options, &error));
    expect_earlier_failure(&error);
}
END_TEST

START_TEST(a_tree_that_cannot_be_allocated_is_reported)
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

/* ---- Making from items ---- */

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

START_TEST(the_last_item_of_equal_unique_ids_is_kept)
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

START_TEST(a_bad_item_of_many_is_refused_and_its_index_is_reported)
{
    pqt_item items[20];
    pqt_tree_options options = options_of(1, 24);
    pqt_error error = {0};
    for (size_t i = 0; i < 20; i++)
        items[i] = dot_of_grid(8, i);
    items[17].box = box(4, 0, 3, 1);
    ck_assert_ptr_null(pqt_tree_of(items, 20, &options, &error));
    expect_failure(&error, PQT_ERROR_BOX, 17, "item 17: box is inverted (x 4 > 3)");
    items[5].box.max.y = INFINITY;
    error = (pqt_error){0};
    ck_assert_ptr_null(pqt_tree_of(items, 20, &options, &error));
    expect_failure(&error, PQT_ERROR_BOX, 5, "item 5: max.y is inf");
}
END_TEST

/* ---- contains and find ---- */

START_TEST(contains_compares_box_and_id)
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

START_TEST(an_invalid_item_is_not_contained)
{
    const pqt_tree *tree = with_grid(small_tree(1), 4);
    ck_assert(!pqt_tree_contains(tree, boxed(box(NAN, 2, 2, 2), 0)));
    ck_assert(!pqt_tree_contains(tree, boxed(box(2, 2, INFINITY, 2), 0)));
    ck_assert(!pqt_tree_contains(tree, boxed(box(2, 3, 2, 2), 0)));
}
END_TEST

START_TEST(find_returns_the_item_of_an_id)
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

START_TEST(find_does_not_write_if_it_finds_nothing)
{
    pqt_item found = dot(1, 2, 3);
    ck_assert(!pqt_tree_find(with_grid(unique_tree(1), 8), 64, &found));
    ck_assert(!pqt_tree_find(unique_tree(1), 0, &found));
    ck_assert(same_bits(found, dot(1, 2, 3)));
    ck_assert(!pqt_tree_find(unique_tree(1), 0, NULL));
}
END_TEST

/* ---- equals and fingerprint ---- */

START_TEST(versions_of_equal_items_are_equal_whatever_their_history)
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

START_TEST(an_added_or_changed_item_makes_versions_differ)
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

START_TEST(versions_with_different_bounds_or_options_differ)
{
    pqt_tree_options options[4];
    pqt_item item = dot(1, 1, 1);
    for (size_t i = 0; i < 4; i++)
        options[i] = options_of(i == 1 ? 3 : 2, 24);
    options[2].strict_bounds = true;
    options[3].unique_ids = true;
    const pqt_tree *tree = inserted(made(world_box, options[0]), item);
    for (size_t i = 1; i < 4; i++) {
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

/* Equality is exact: if fingerprints are equal, a traversal decides. */
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
    pqt_fingerprint fingerprint = {0, 0};
    for (size_t i = 0; i < 5; i++) {
        pqt_fingerprint one = pqt_tree_fingerprint(inserted(small_tree(1), items[i]));
        fingerprint = (pqt_fingerprint){fingerprint.low + one.low, fingerprint.high + one.high};
    }
    pqt_tree_options unique = options_of(3, 0);
    unique.unique_ids = true;
    const pqt_tree *trees[] = {with_items(small_tree(1), items, 5),
                               with_items(made(point(3, 3), options_of(24, 32)), items, 5),
                               with_items(made(world_box, unique), items, 5),
                               tree_of(items, 5, options_of(2, 7))};
    for (size_t i = 0; i < 4; i++) {
        ck_assert_uint_eq(pqt_tree_fingerprint(trees[i]).low, fingerprint.low);
        ck_assert_uint_eq(pqt_tree_fingerprint(trees[i]).high, fingerprint.high);
    }
}
END_TEST

/* A sum of hashes of fields would not show that two fields were swapped. */
START_TEST(exchanged_numbers_make_different_fingerprints)
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

/* ---- Reading never allocates ---- */

START_TEST(queries_allocate_nothing)
{
    const pqt_tree *tree = with_grid(unique_tree(2), 8), *other = with_grid(unique_tree(2), 8);
    pqt_item item;
    pqt_error error = {0};
    hooks watch = {.fail_at = 1};
    hooks_start(&watch);
    ck_assert_uint_eq(pqt_tree_count(tree), 64);
    ck_assert(pqt_tree_bounds(tree).max.x == 16);
    ck_assert(options_of_tree(tree).unique_ids);
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

/* ---- Pins ---- */

START_TEST(a_pin_keeps_its_version)
{
    const pqt_tree *tree = with_grid(small_tree(2), 8);
    pqt_error error = {0};
    pqt_pin *pin = pqt_tree_pin(tree, &error), *other = pqt_tree_pin(tree, &error);
    ck_assert_int_eq(error.status, PQT_OK);
    ck_assert_ptr_eq(pqt_pin_get_tree(pin), tree);
    ck_assert_ptr_eq(pqt_pin_get_tree(other), tree);
    ck_assert_ptr_ne(pin, other);
    ck_assert_uint_eq(pqt_memory_get_stats(arena).pins, 2);
    pqt_unpin(&pin);
    ck_assert_ptr_null(pin);
    ck_assert_ptr_eq(pqt_pin_get_tree(other), tree);
    pqt_unpin(&other);
    ck_assert_uint_eq(pqt_memory_get_stats(arena).pins, 0);
}
END_TEST

START_TEST(an_empty_version_can_be_pinned)
{
    const pqt_tree *tree = small_tree(2);
    pqt_pin *pin = pqt_tree_pin(tree, NULL);
    ck_assert_ptr_eq(pqt_pin_get_tree(pin), tree);
    pqt_unpin(&pin);
}
END_TEST

START_TEST(pinning_passes_an_earlier_failure_on)
{
    pqt_error error = earlier_failure();
    ck_assert_ptr_null(pqt_tree_pin(NULL, &error));
    ck_assert_ptr_null(pqt_tree_pin(NULL, NULL));
    expect_earlier_failure(&error);
    ck_assert_uint_eq(pqt_memory_get_stats(arena).pins, 0);
}
END_TEST

START_TEST(a_pin_that_cannot_be_allocated_is_reported)
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

START_TEST(the_extent_is_the_smallest_box_around_the_items_also_outside_the_bounds)
{
    pqt_box found = {{1, 2}, {3, 4}};
    const pqt_tree *tree = small_tree(2);
    ck_assert(!pqt_tree_extent(tree, &found));
    ck_assert_double_eq(found.max.y, 4);
    tree = with_grid(tree, 9);
    ck_assert(pqt_tree_extent(tree, &found));
    const pqt_box grid = found;
    ck_assert_double_eq(grid.min.x, dot_of_grid(9, 0).box.min.x);
    ck_assert_double_eq(grid.max.y, dot_of_grid(9, 80).box.max.y);
    tree = inserted(tree, boxed(box(-1e300, 5, -1e9, 7), 1000));
    ck_assert(pqt_tree_extent(tree, &found));
    ck_assert(
        same_bits(boxed(found, 0), boxed(box(-1e300, grid.min.y, grid.max.x, grid.max.y), 0)));
    tree = removed(tree, boxed(box(-1e300, 5, -1e9, 7), 1000));
    ck_assert(pqt_tree_extent(tree, &found) && same_bits(boxed(found, 0), boxed(grid, 0)));
}
END_TEST

static void
add_making(Suite *suite)
{
    TCase *tests = add_tests(suite, "making");
    tcase_add_test(tests, an_empty_tree_holds_nothing);
    tcase_add_test(tests, the_defaults_are_those_of_the_header);
    tcase_add_test(tests, a_tree_has_the_bounds_and_options_it_was_made_with);
    tcase_add_test(tests, minus_zeros_in_bounds_become_zeros);
    tcase_add_test(tests, bad_bounds_are_refused_and_their_number_is_reported);
    tcase_add_test(tests, a_bad_option_is_refused_and_named);
    tcase_add_test(tests, options_at_their_limits_are_accepted);
    tcase_add_test(tests, ids_in_an_arena_cannot_be_pointers);
    tcase_add_test(tests, making_keeps_an_earlier_failure);
    tcase_add_test(tests, a_tree_that_cannot_be_allocated_is_reported);
    tcase_add_test(tests, a_tree_of_items_has_their_smallest_bounds);
    tcase_add_test(tests, a_tree_of_no_items_is_bounded_by_a_point);
    tcase_add_test(tests, an_item_that_occurs_twice_is_held_once);
    tcase_add_test(tests, the_last_item_of_equal_unique_ids_is_kept);
    tcase_add_test(tests, the_order_of_items_does_not_matter_and_the_array_is_not_kept);
    tcase_add_test(tests, a_strict_tree_of_items_holds_them_all);
    tcase_add_test(tests, a_bad_item_of_many_is_refused_and_its_index_is_reported);
}

static void
add_asking(Suite *suite)
{
    TCase *tests = add_tests(suite, "asking");
    tcase_add_test(tests, contains_compares_box_and_id);
    tcase_add_test(tests, the_extent_is_the_smallest_box_around_the_items_also_outside_the_bounds);
    tcase_add_test(tests, an_invalid_item_is_not_contained);
    tcase_add_test(tests, find_returns_the_item_of_an_id);
    tcase_add_test(tests, find_does_not_write_if_it_finds_nothing);
    tcase_add_test(tests, versions_of_equal_items_are_equal_whatever_their_history);
    tcase_add_test(tests, an_added_or_changed_item_makes_versions_differ);
    tcase_add_test(tests, versions_with_different_bounds_or_options_differ);
    tcase_add_test(tests, versions_in_other_memories_can_be_equal);
    tcase_add_test(tests, equal_fingerprints_do_not_make_versions_equal);
    tcase_add_test(tests, a_fingerprint_is_the_sum_over_the_items_whatever_the_options);
    tcase_add_test(tests, exchanged_numbers_make_different_fingerprints);
    tcase_add_test(tests, queries_allocate_nothing);
}

static void
add_pins(Suite *suite)
{
    TCase *tests = add_tests(suite, "pins");
    tcase_add_test(tests, a_pin_keeps_its_version);
    tcase_add_test(tests, an_empty_version_can_be_pinned);
    tcase_add_test(tests, pinning_passes_an_earlier_failure_on);
    tcase_add_test(tests, a_pin_that_cannot_be_allocated_is_reported);
}

int
main(void)
{
    Suite *suite = suite_create("tree");
    add_making(suite);
    add_asking(suite);
    add_pins(suite);
    return run_suite(suite);
}
