/* SPDX-License-Identifier: MIT */
/* test_copy.c: tests that copies of versions in another memory share the blocks that their
 * originals share. */
#include "config.h"

#include <pqt/memory.h>
#include <pqt/tree.h>

#include "hooks.h"
#include "memory/memory_internal.h"
#include "options_support.h"
#include "suite.h"
#include "tree/node.h"
#include "tree_support.h"

/* Returns a second arena, in addition to the one of each test. */
static pqt_memory *
another_arena(void)
{
    pqt_memory *memory = pqt_arena_make(0, NULL);
    ck_assert_ptr_nonnull(memory);
    return memory;
}

static const pqt_tree *
copied(const pqt_tree *tree, pqt_memory *memory)
{
    pqt_error error = {0};
    const pqt_tree *copy = pqt_tree_copy(tree, memory, &error);
    return must(copy, &error);
}

static void
all_copied(const pqt_tree *const *trees, size_t count, pqt_memory *memory, const pqt_tree **copies)
{
    pqt_error error = {0};
    bool done = pqt_tree_copy_all(trees, count, memory, copies, &error);
    require(done && error.status == PQT_OK, error.text);
}

enum { VERSIONS = 64 };

/* Makes versions, each of which differs a little from the previous one. Items of all kinds are
   inserted and removed. */
static void
grow_versions(const pqt_tree *tree, const pqt_tree **versions)
{
    for (size_t i = 0; i < VERSIONS; i++) {
        switch (i % 4) {
        case 0:
            tree = inserted(tree, twin(i));
            break;
        case 1:
            tree = inserted(tree, dot(20 + (double)i, 3, 2000 + i));
            break;
        case 2:
            tree = removed(tree, dot_of_grid(16, i * 3));
            break;
        case 3:
            tree = moved(tree, dot_of_grid(16, i * 3), point(3, (double)i / 8));
            break;
        }
        versions[i] = tree;
    }
}

static void
expect_copy(const pqt_tree *copy, const pqt_tree *tree, pqt_memory *memory)
{
    ck_assert_ptr_ne(copy, tree);
    ck_assert_ptr_eq(pqt_tree_memory(copy), memory);
    expect_sound(copy);
    expect_equal(copy, tree);
    ck_assert_uint_eq(pqt_tree_count(copy), pqt_tree_count(tree));
}

/* ---- Between arenas ---- */

START_TEST(a_copy_is_an_equal_version_in_the_other_memory)
{
    pqt_memory *other = another_arena();
    const pqt_tree *trees[] = {
        small_tree(2),
        inserted(small_tree(2), dot(1, 1, 1)),
        with_grid(small_tree(1), 16),
        with_grid(small_tree(24), 16),
        with_grid(unique_tree(2), 16),
        with_items(small_tree(1), (pqt_item[]){twin(1), twin(2), twin(3)}, 3),
        with_grid(made(world_box, options_of(1000, 0)), 30)};
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) {
        const pqt_tree *copy = copied(trees[i], other);
        expect_copy(copy, trees[i], other);
        ck_assert_uint_eq(pqt_tree_get_stats(copy).bytes, pqt_tree_get_stats(trees[i]).bytes);
        ck_assert_uint_eq(pqt_tree_shared_bytes(copy, trees[i]), 0);
        expect_copy(copied(copy, arena), copy, arena);
    }
    pqt_arena_destroy(&other);
}
END_TEST

START_TEST(a_copy_has_the_same_options_except_the_memory)
{
    pqt_memory *other = another_arena();
    pqt_tree_options options = options_of(5, 11);
    options.strict_bounds = options.unique_ids = true;
    const pqt_tree *tree = with_grid(made(world_box, options), 8);
    pqt_tree_options had = options_of_tree(copied(tree, other));
    ck_assert_uint_eq(had.size, sizeof had);
    ck_assert_int_eq(had.leaf_capacity, 5);
    ck_assert_int_eq(had.max_depth, 11);
    ck_assert(had.strict_bounds && had.unique_ids && !had.ids_are_pointers);
    ck_assert_ptr_eq(had.memory, other);
    pqt_arena_destroy(&other);
}
END_TEST

START_TEST(a_copy_does_not_need_the_memory_it_came_from)
{
    pqt_memory *left = another_arena();
    pqt_tree_options options = options_of(2, 24);
    options.unique_ids = true;
    const pqt_tree *wanted = with_grid(made(world_box, options), 16);
    options.memory = left;
    const pqt_tree *copy = copied(with_grid(made(world_box, options), 16), arena);
    pqt_arena_destroy(&left);
    expect_sound(copy);
    expect_equal(copy, wanted);
    const pqt_tree *next = moved(inserted(copy, dot(1, 1, 999)), dot_of_grid(16, 3), point(5, 5));
    expect_sound(next);
    ck_assert(pqt_tree_find(next, 3, NULL));
    ck_assert_uint_eq(pqt_tree_count(next), 257);
}
END_TEST

START_TEST(copying_into_its_own_memory_returns_the_same_version)
{
    const pqt_tree *tree = with_grid(small_tree(2), 8), *copies[3];
    const pqt_tree *trees[] = {tree, small_tree(2), tree};
    pqt_memory_stats before = pqt_memory_get_stats(arena);
    ck_assert_ptr_eq(copied(tree, arena), tree);
    all_copied(trees, 3, arena, copies);
    for (size_t i = 0; i < 3; i++)
        ck_assert_ptr_eq(copies[i], trees[i]);
    ck_assert_uint_eq(pqt_memory_get_stats(arena).bytes, before.bytes);
}
END_TEST

/* ---- Several at once ---- */

START_TEST(copies_share_the_nodes_that_the_versions_share)
{
    pqt_memory *other = another_arena();
    for (int unique = 0; unique < 2; unique++) {
        const pqt_tree *versions[VERSIONS], *copies[VERSIONS];
        grow_versions(with_grid(unique ? unique_tree(2) : small_tree(2), 16), versions);
        all_copied(versions, VERSIONS, other, copies);
        for (size_t i = 0; i < VERSIONS; i++) {
            expect_copy(copies[i], versions[i], other);
            for (size_t j = 0; j < i; j += 5)
                ck_assert_uint_eq(pqt_tree_shared_bytes(copies[i], copies[j]),
                                  pqt_tree_shared_bytes(versions[i], versions[j]));
        }
    }
    pqt_arena_destroy(&other);
}
END_TEST

/* Returns the sum of the bytes of a list of versions, each without the bytes that it shares with
 * the previous one. */
static size_t
bytes_of_all(const pqt_tree *const *trees, size_t count)
{
    size_t bytes = pqt_tree_get_stats(trees[0]).bytes;
    for (size_t i = 1; i < count; i++)
        bytes += pqt_tree_get_stats(trees[i]).bytes - pqt_tree_shared_bytes(trees[i - 1], trees[i]);
    return bytes;
}

START_TEST(copying_all_takes_little_more_than_the_distinct_nodes)
{
    pqt_memory *other = another_arena();
    const pqt_tree *versions[VERSIONS], *copies[VERSIONS];
    hooks watch = {.fail_at = 0};
    grow_versions(with_grid(small_tree(2), 16), versions);
    hooks_start(&watch);
    all_copied(versions, VERSIONS, other, copies);
    hooks_stop();
    size_t distinct = bytes_of_all(versions, VERSIONS);
    ck_assert_uint_ge(hooks_kept_bytes(&watch), distinct);
    ck_assert_uint_lt(hooks_kept_bytes(&watch), distinct + distinct / 4);
    ck_assert_uint_eq(bytes_of_all(copies, VERSIONS), distinct);
    pqt_arena_destroy(&other);
}
END_TEST

START_TEST(a_version_that_occurs_twice_is_copied_once)
{
    pqt_memory *other = another_arena();
    const pqt_tree *tree = with_grid(small_tree(2), 8), *next = removed(tree, dot_of_grid(8, 1));
    const pqt_tree *trees[] = {tree, next, tree, tree}, *copies[4];
    all_copied(trees, 4, other, copies);
    ck_assert_ptr_eq(copies[0], copies[2]);
    ck_assert_ptr_eq(copies[0], copies[3]);
    ck_assert_ptr_ne(copies[0], copies[1]);
    expect_copy(copies[1], next, other);
    pqt_arena_destroy(&other);
}
END_TEST

/* Versions of one tree share their domain. So must their copies. */
START_TEST(copies_of_versions_with_one_domain_share_a_domain)
{
    pqt_memory *other = another_arena();
    const pqt_tree *mine = with_grid(small_tree(2), 8), *alien = with_grid(unique_tree(3), 4);
    const pqt_tree *trees[] = {mine, alien, removed(mine, dot_of_grid(8, 5)),
                               removed(alien, dot_of_grid(4, 5)), small_tree(2)};
    const pqt_tree *copies[5];
    all_copied(trees, 5, other, copies);
    for (size_t i = 0; i < 5; i++)
        for (size_t j = 0; j < i; j++)
            ck_assert((trees[i]->domain == trees[j]->domain) ==
                      (copies[i]->domain == copies[j]->domain));
    for (size_t i = 0; i < 5; i++)
        expect_copy(copies[i], trees[i], other);
    pqt_arena_destroy(&other);
}
END_TEST

/* If versions of several memories are copied, those that are already in the target memory are
 * not. */
START_TEST(versions_of_several_memories_can_be_copied_together)
{
    pqt_memory *other = another_arena();
    pqt_tree_options options = options_of(2, 24);
    options.memory = other;
    const pqt_tree *here = with_grid(small_tree(2), 8),
                   *there = with_grid(made(world_box, options), 8);
    const pqt_tree *trees[] = {here, there}, *copies[2];
    all_copied(trees, 2, other, copies);
    ck_assert_ptr_eq(copies[1], there);
    expect_copy(copies[0], here, other);
    pqt_arena_destroy(&other);
}
END_TEST

START_TEST(copying_no_versions_is_not_a_failure)
{
    pqt_error error = {0};
    ck_assert(pqt_tree_copy_all(NULL, 0, arena, NULL, &error));
    ck_assert_int_eq(error.status, PQT_OK);
    ck_assert(pqt_tree_copy_all(NULL, 0, arena, NULL, NULL));
}
END_TEST

/* The version has enough blocks for the table of copies to grow. */
START_TEST(thousands_of_nodes_are_copied)
{
    pqt_memory *other = another_arena();
    const pqt_tree *tree = with_grid(unique_tree(1), 60);
    expect_copy(copied(tree, other), tree, other);
    pqt_arena_destroy(&other);
}
END_TEST

/* ---- Failures ---- */

START_TEST(a_full_arena_fails_the_copy_and_nothing_else)
{
    const pqt_tree *large = with_grid(small_tree(4), 64), *small = with_grid(small_tree(4), 4);
    const pqt_tree *trees[] = {small, large}, *copies[] = {NULL, large};
    pqt_memory *narrow = pqt_arena_make((size_t)64 * 1024, NULL);
    pqt_error error = {0};
    ck_assert_ptr_null(pqt_tree_copy(large, narrow, &error));
    expect_failure(&error, PQT_ERROR_MEMORY, 0, "memory: exhausted, or its limit is reached");
    error = (pqt_error){0};
    ck_assert(!pqt_tree_copy_all(trees, 2, narrow, copies, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_MEMORY);
    ck_assert_ptr_null(copies[0]);
    ck_assert_ptr_eq(copies[1], large);
    ck_assert_ptr_null(pqt_tree_copy(large, narrow, NULL));
    ck_assert_uint_le(pqt_memory_get_stats(narrow).bytes, 64 * 1024);
    expect_sound(large);
    pqt_arena_destroy(&narrow);
    narrow = pqt_arena_make((size_t)64 * 1024, NULL);
    expect_copy(copied(small, narrow), small, narrow);
    pqt_arena_destroy(&narrow);
    narrow = pqt_arena_make(1, NULL);
    ck_assert_ptr_null(pqt_tree_copy(small_tree(2), narrow, NULL));
    pqt_arena_destroy(&narrow);
}
END_TEST

/* Copies out of a full arena, as the manual describes. */
START_TEST(a_full_arena_can_be_copied_from)
{
    pqt_tree_options options = options_of(2, 24);
    pqt_error error = {0};
    size_t count = 0;
    options.memory = pqt_arena_make((size_t)256 * 1024, NULL);
    const pqt_tree *tree = made(world_box, options);
    for (const pqt_tree *next = tree; next != NULL; count++) {
        tree = next;
        next = pqt_tree_insert(tree, dot_of_grid(100, count), &error);
    }
    ck_assert_int_eq(error.status, PQT_ERROR_MEMORY);
    const pqt_tree *out = copied(tree, arena);
    pqt_arena_destroy(&options.memory);
    ck_assert_uint_eq(pqt_tree_count(out), count - 1);
    expect_sound(out);
    ck_assert_uint_eq(pqt_tree_count(inserted(out, dot_of_grid(100, count - 1))), count);
}
END_TEST

START_TEST(each_failed_allocation_of_a_copy_is_reported)
{
    pqt_memory *other = another_arena();
    const pqt_tree *starts[] = {with_grid(unique_tree(2), 6), with_grid(small_tree(200), 9),
                                with_grid(small_tree(1), 20)};
    const pqt_tree *tree = starts[_i % 3];
    pqt_memory *to = _i < 3 ? other : pqt_collector();
    const pqt_tree *trees[] = {tree, with_items(tree, (pqt_item[]){twin(1), twin(2)}, 2)};
    bool failed = true;
    for (size_t n = 1; failed; n++) {
        const pqt_tree *copies[2] = {NULL, NULL};
        pqt_error error = {0};
        hooks watch = {.fail_at = n};
        hooks_start(&watch);
        bool done = pqt_tree_copy_all(trees, 2, to, copies, &error);
        hooks_stop();
        failed = watch.failures > 0;
        require(done != failed, "a failed allocation went unseen");
        require(error.status == (failed ? PQT_ERROR_MEMORY : PQT_OK),
                "another status was reported");
        require(failed == (copies[0] == NULL) && failed == (copies[1] == NULL), "half was written");
    }
    expect_sound(trees[1]);
    pqt_arena_destroy(&other);
}
END_TEST

START_TEST(an_earlier_failure_is_passed_on)
{
    pqt_memory *other = another_arena();
    pqt_error error = earlier_failure();
    ck_assert_ptr_null(pqt_tree_copy(NULL, other, &error));
    ck_assert_ptr_null(pqt_tree_copy(NULL, other, NULL));
    expect_earlier_failure(&error);
    ck_assert_uint_eq(pqt_memory_get_stats(other).bytes, 0);
    pqt_arena_destroy(&other);
}
END_TEST

START_TEST(misuse_stops_the_program)
{
    const pqt_tree *trees[] = {small_tree(2), NULL}, *copies[2];
    pqt_error error = {0};
    switch (_i) {
    case 0:
        (void)!pqt_tree_copy(NULL, arena, &error);
        break;
    case 1:
        (void)!pqt_tree_copy_all(trees, 2, arena, copies, &error);
        break;
    case 2:
        (void)!pqt_tree_copy_all(NULL, 1, arena, copies, &error);
        break;
    case 3:
        (void)!pqt_tree_copy_all(trees, 1, arena, NULL, &error);
        break;
    }
}
END_TEST

/* ---- The collector ---- */

START_TEST(copies_go_into_the_collector_and_back)
{
    const pqt_tree *versions[VERSIONS], *copies[VERSIONS], *back[VERSIONS];
    pqt_memory *other = another_arena();
    for (int unique = 0; unique < 2; unique++) {
        grow_versions(with_grid(unique ? unique_tree(2) : small_tree(2), 16), versions);
        all_copied(versions, VERSIONS, NULL, copies);
        all_copied(copies, VERSIONS, other, back);
        for (size_t i = 0; i < VERSIONS; i++) {
            expect_copy(copies[i], versions[i], pqt_collector());
            expect_copy(back[i], versions[i], other);
            ck_assert(i == 0 || pqt_tree_shared_bytes(copies[i - 1], copies[i]) > 0);
            ck_assert(i == 0 || pqt_tree_shared_bytes(back[i - 1], back[i]) ==
                                    pqt_tree_shared_bytes(versions[i - 1], versions[i]));
        }
        ck_assert_ptr_eq(copied(copies[0], NULL), copies[0]);
        ck_assert_ptr_eq(copied(copies[0], pqt_collector()), copies[0]);
    }
    pqt_arena_destroy(&other);
}
END_TEST

/* Overwrites unreachable blocks of all sizes after a collection. */
static void
overwrite_what_is_lost(void)
{
    for (size_t i = 0; i < 20000; i++) {
        size_t size = 16 * (3 + i % 10);
        memset(pqti_alloc_leaf(pqt_collector(), size), 0xee, size);
        memset(pqti_alloc_list(pqt_collector(), size), 0xee, size);
    }
}

/* Until the last copy is made, only the copying function refers to the copies. So it must keep each
   of them alive. */
START_TEST(no_copy_is_lost_to_a_collection_at_any_allocation)
{
    ck_assert(pqt_init(NULL));
    for (int unique = 0; unique < 2; unique++) {
        const pqt_tree *versions[VERSIONS], *copies[VERSIONS];
        hooks watch = {.collect_every = 1, .memory = pqt_collector()};
        pqt_error error = {0};
        grow_versions(unique ? unique_tree(2) : small_tree(2), versions);
        hooks_start(&watch);
        bool done = pqt_tree_copy_all(versions, VERSIONS, NULL, copies, &error);
        hooks_stop();
        ck_assert(done);
        overwrite_what_is_lost();
        for (size_t i = 0; i < VERSIONS; i++)
            expect_copy(copies[i], versions[i], pqt_collector());
    }
}
END_TEST

START_TEST(pointers_do_not_leave_the_collector)
{
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    pqt_error error = {0};
    options.ids_are_pointers = true;
    const pqt_tree *tree = must(pqt_tree_make(world_box, &options, &error), &error);
    tree = inserted(tree, dot(1, 1, (uint64_t)(uintptr_t)tree));
    ck_assert_ptr_null(pqt_tree_copy(tree, arena, &error));
    expect_failure(&error, PQT_ERROR_OPTION, 0,
                   "ids_are_pointers is set, and memory is not the collector");
    ck_assert_ptr_null(pqt_tree_copy(tree, arena, NULL));
    ck_assert_ptr_eq(copied(tree, NULL), tree);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("copy");
    TCase *arenas = add_tests(suite, "arenas");
    tcase_add_test(arenas, a_copy_is_an_equal_version_in_the_other_memory);
    tcase_add_test(arenas, a_copy_has_the_same_options_except_the_memory);
    tcase_add_test(arenas, a_copy_does_not_need_the_memory_it_came_from);
    tcase_add_test(arenas, copying_into_its_own_memory_returns_the_same_version);
    tcase_add_test(arenas, copies_share_the_nodes_that_the_versions_share);
    tcase_add_test(arenas, copying_all_takes_little_more_than_the_distinct_nodes);
    tcase_add_test(arenas, a_version_that_occurs_twice_is_copied_once);
    tcase_add_test(arenas, copies_of_versions_with_one_domain_share_a_domain);
    tcase_add_test(arenas, versions_of_several_memories_can_be_copied_together);
    tcase_add_test(arenas, copying_no_versions_is_not_a_failure);
    tcase_add_test(arenas, thousands_of_nodes_are_copied);
    TCase *failures = add_tests(suite, "failures");
    tcase_add_test(failures, a_full_arena_fails_the_copy_and_nothing_else);
    tcase_add_test(failures, a_full_arena_can_be_copied_from);
    tcase_add_loop_test(failures, each_failed_allocation_of_a_copy_is_reported, 0,
                        pqt_collector() == NULL ? 3 : 6);
    tcase_add_test(failures, an_earlier_failure_is_passed_on);
    tcase_add_misuse_tests(failures, misuse_stops_the_program, 4);
    TCase *collector = add_tests(suite, "collector");
    if (pqt_collector() == NULL)
        return suite;
    tcase_add_test(collector, copies_go_into_the_collector_and_back);
    tcase_add_test(collector, no_copy_is_lost_to_a_collection_at_any_allocation);
    tcase_add_test(collector, pointers_do_not_leave_the_collector);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
