/* SPDX-License-Identifier: MIT */
/*
 * test_reclaimed.c - a version that was reclaimed while the program still uses it is noticed, and a
 * version that lives is never taken for one.
 */
#include "config.h"

#include <pqt.h>

#include <stdlib.h>
#include <string.h>

#include "memory_support.h"
#include "misuse.h"
#include "suite.h"

#if PQT_WITH_COLLECTOR
#define GC_THREADS
#define GC_NO_THREAD_REDIRECTS
#include <gc/gc.h>
#endif

#define BOUNDS ((pqt_box){{0, 0}, {1000, 1000}})

static inline pqt_item
item_of(uint64_t id)
{
    const double x = (double)(id * 7919 % 990), y = (double)(id * 104729 % 990);
    return (pqt_item){{{x, y}, {x + 5, y + 5}}, id};
}

static inline void
expect_sentence(void (*program)(void *), void *context)
{
    char text[MISUSE_TEXT];
    if (!misuse_can_be_tested())
        return;
    ck_assert(misuse_aborts(program, context, text));
    ck_assert_msg(strstr(text, "the version was reclaimed") != NULL, "%s", text);
    ck_assert_msg(strstr(text, "hold it by a pin") != NULL, "%s", text);
}

#if PQT_WITH_COLLECTOR

/* ---- The first program that everybody writes ---- */

typedef struct step {
    struct step *before;
    const pqt_tree *tree;
} step;

static void
undo_by_malloc(void *unused)
{
    enum { EDITS = 20000 };
    step *list = calloc(1, sizeof *list);
    (void)unused;
    list->tree = pqt_tree_make(BOUNDS, NULL, NULL);
    for (uint64_t i = 0; i < EDITS; i++) {
        step *next = malloc(sizeof *next);
        next->before = list;
        next->tree = pqt_tree_insert(list->tree, item_of(i), NULL);
        list = next;
    }
    for (; list != NULL; list = list->before)
        (void)pqt_tree_count(list->tree);
}

START_TEST(an_undo_list_in_memory_from_malloc_ends_with_a_sentence)
{
    expect_sentence(undo_by_malloc, NULL);
}
END_TEST

typedef struct document {
    const pqt_tree *now, *saved;
} document;

/* Makes the document in a thread that ends, so that no stack refers to the saved version. */
static bool
open_document(void *context)
{
    document *opened = context;
    REQUIRE(pqt_thread_attach(NULL));
    opened->saved = pqt_tree_insert(pqt_tree_make(BOUNDS, NULL, NULL), item_of(0), NULL);
    opened->now = pqt_tree_insert(opened->saved, item_of(1), NULL);
    pqt_thread_detach();
    return true;
}

static void
save_by_malloc(void *unused)
{
    document *opened = malloc(sizeof *opened);
    (void)unused;
    (void)pqt_init(NULL);
    (void)in_thread(open_document, opened);
    for (uint64_t i = 2; i < 5000; i++) {
        opened->now = pqt_tree_insert(opened->now, item_of(i), NULL);
        if (i % 1000 == 999)
            pqti_collect(pqt_collector());
    }
    pqti_collect(pqt_collector());
    (void)pqt_tree_any(opened->saved, &(pqt_query){.window = BOUNDS}, NULL);
}

START_TEST(a_version_saved_in_memory_from_malloc_ends_with_a_sentence)
{
    expect_sentence(save_by_malloc, NULL);
}
END_TEST

static void
use_after_a_collection(void *use)
{
    document *opened = malloc(sizeof *opened);
    pqt_error error = {0};
    size_t count = 0;
    (void)pqt_init(NULL);
    (void)in_thread(open_document, opened);
    (void)!pqt_tree_make(BOUNDS, NULL, NULL); /* by which the collector knows the thread */
    pqti_collect(pqt_collector());
    switch (*(const int *)use) {
    case 0:
        (void)pqt_tree_count(opened->saved);
        break;
    case 1:
        (void)!pqt_tree_insert(opened->saved, item_of(7), &error);
        break;
    case 2:
        (void)!pqt_tree_pin(opened->saved, &error);
        break;
    case 3:
        (void)pqt_tree_equals(pqt_tree_make(BOUNDS, NULL, NULL), opened->saved);
        break;
    case 4:
        (void)pqt_diff_collect(pqt_tree_make(BOUNDS, NULL, NULL), opened->saved, NULL, NULL, 0,
                               &count, &error);
        break;
    case 5:
        (void)!pqt_history_make(pqt_history_trees(), opened->saved, NULL, &error);
        break;
    case 6:
        (void)!pqt_head_make(opened->saved, &error);
        break;
    default:
        (void)!pqt_tree_copy(opened->saved, pqt_collector(), &error);
    }
}

START_TEST(each_kind_of_call_notices_a_version_that_the_last_collection_reclaimed)
{
    expect_sentence(use_after_a_collection, &_i);
}
END_TEST

/* ---- Versions that live ---- */

static const pqt_tree *kept;

START_TEST(versions_that_are_found_live_through_any_number_of_collections)
{
    pqt_error error = {0};
    const pqt_tree **collected = GC_malloc(2 * sizeof *collected);
    pqt_pin **pin = malloc(sizeof *pin);
    kept = pqt_tree_make(BOUNDS, NULL, &error);
    *pin = pqt_tree_pin(pqt_tree_insert(kept, item_of(1), &error), &error);
    collected[0] = pqt_tree_insert(pqt_pin_get_tree(*pin), item_of(2), &error);
    for (size_t i = 0; i < 300; i++) {
        if (i % 3 != 0)
            pqti_collect(pqt_collector());
        ck_assert_uint_eq(pqt_tree_count(kept), 0);
        ck_assert_uint_eq(pqt_tree_count(pqt_pin_get_tree(*pin)), 1);
        ck_assert_uint_eq(pqt_tree_count(collected[0]), 2);
        ck_assert(pqt_tree_check(pqt_tree_insert(collected[0], item_of(3), &error), &error));
    }
    pqt_unpin(pin);
    free(pin);
}
END_TEST

static bool
counts_pinned(void *pin)
{
    REQUIRE(pqt_tree_count(pqt_pin_get_tree(pin)) == 1);
    return true;
}

static void *
read_while_the_lock_is_held(void *pin)
{
    return in_thread(counts_pinned, pin) ? pin : NULL;
}

START_TEST(a_thread_that_is_not_attached_reads_a_pinned_version_without_the_collectors_lock)
{
    const pqt_tree *tree = pqt_tree_insert(pqt_tree_make(BOUNDS, NULL, NULL), item_of(1), NULL);
    pqt_pin *pin = pqt_tree_pin(tree, NULL);
    pqti_collect(pqt_collector());
    ck_assert_ptr_nonnull(GC_call_with_alloc_lock(read_while_the_lock_is_held, pin));
    pqt_unpin(&pin);
}
END_TEST

/* Collects in steps meanwhile, so that versions which live are unmarked at times. */
static bool
edits_while_collections_are_incremental(void *unused)
{
    (void)unused;
    REQUIRE(pqt_init(NULL));
    GC_enable_incremental();
    kept = pqt_tree_make(BOUNDS, NULL, NULL);
    const pqt_tree *tree = kept;
    for (uint64_t i = 0; i < 20000; i++) {
        tree = pqt_tree_insert(tree, item_of(i), NULL);
        (void)GC_collect_a_little();
        REQUIRE(pqt_tree_count(kept) == 0 && pqt_tree_count(tree) == i + 1);
    }
    return true;
}

START_TEST(versions_live_while_collections_are_incremental)
{
    ck_assert(in_child(edits_while_collections_are_incremental, NULL));
}
END_TEST

static void
add_collector(TCase *tests)
{
    tcase_add_loop_test(tests, an_undo_list_in_memory_from_malloc_ends_with_a_sentence, 0, 20);
    tcase_add_loop_test(tests, a_version_saved_in_memory_from_malloc_ends_with_a_sentence, 0, 20);
    tcase_add_loop_test(
        tests, each_kind_of_call_notices_a_version_that_the_last_collection_reclaimed, 0, 8);
    tcase_add_test(tests, versions_live_while_collections_are_incremental);
    tcase_add_test(tests, versions_that_are_found_live_through_any_number_of_collections);
    tcase_add_test(
        tests, a_thread_that_is_not_attached_reads_a_pinned_version_without_the_collectors_lock);
}

#endif

#if defined(PQT_DEBUG) && !TESTED_WITH_ADDRESS_SANITIZER

static void
use_after_reclaiming(void *heap)
{
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.memory = heap;
    const pqt_tree *tree = pqt_tree_make(BOUNDS, &options, NULL);
    (void)pqt_memory_reclaim(heap, PQT_RECLAIM_ALL);
    (void)pqt_tree_count(tree);
}

START_TEST(a_checked_heap_notices_a_version_that_it_reclaimed)
{
    pqt_memory *heap = pqt_heap_make(NULL, NULL);
    expect_sentence(use_after_reclaiming, heap);
    pqt_heap_destroy(&heap);
}
END_TEST

#endif

int
main(void)
{
    Suite *suite = suite_create("reclaimed");
    TCase *tests = tcase_create("reclaimed");
#if PQT_WITH_COLLECTOR
    add_collector(tests);
#endif
#if defined(PQT_DEBUG) && !TESTED_WITH_ADDRESS_SANITIZER
    tcase_add_loop_test(tests, a_checked_heap_notices_a_version_that_it_reclaimed, 0, 20);
#endif
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
