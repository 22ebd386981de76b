/* SPDX-License-Identifier: MIT */
/*
 * test_default_memory.c: tests the memory that NULL selects: the collector, or a heap in a build
 * without it.
 *
 * The first call that reclaims that heap changes the state of the process, so tests that depend on
 * this state run in a child.
 */
#include "config.h"

#include <pqt.h>
#include <pqt/pixels.h>
#include <pqt/worlds.h>

#include <stdlib.h>
#include <string.h>

#include "memory_support.h"
#include "misuse.h"
#include "suite.h"

static const pqt_box bounds = {{0, 0}, {1000, 1000}};

static pqt_item
item_of(uint64_t id)
{
    const double x = (double)(id * 7919 % 990), y = (double)(id * 104729 % 990);
    return (pqt_item){{{x, y}, {x + 5, y + 5}}, id};
}

START_TEST(null_means_the_default_memory)
{
    pqt_error error = {0};
    pqt_memory *memory = pqt_default_memory(&error);
    ck_assert_msg(memory != NULL, "%s", error.text);
    if (pqt_collector() != NULL)
        ck_assert_ptr_eq(memory, pqt_collector());
    ck_assert_ptr_eq(pqt_default_memory(&error), memory);
    ck_assert_ptr_eq(pqt_tree_memory(pqt_tree_make(bounds, NULL, &error)), memory);
    ck_assert_ptr_eq(pqt_region_memory(pqt_region_make(NULL, &error)), memory);
    ck_assert_ptr_eq(pqt_world_memory(pqt_world_make(bounds, NULL, &error)), memory);
    ck_assert_int_eq(error.status, PQT_OK);
    error.status = PQT_ERROR_BOX;
    ck_assert_ptr_eq(pqt_default_memory(&error), memory);
}
END_TEST

/* ---- A program written for the collector ---- */

enum { VERSIONS = 3000 };

/* Keeps each version in memory from malloc, in addition to a history and a head. */
static bool
keeps_versions_anywhere(void *unused)
{
    pqt_error error = {0};
    const pqt_tree **versions = malloc((VERSIONS + 1) * sizeof *versions);
    pqt_history_entry_info info = {.label = "insert"};
    (void)unused;
    versions[0] = pqt_tree_make(bounds, NULL, &error);
    pqt_history *history =
        pqt_history_make(pqt_history_kind_of(PQT_KIND_TREE), versions[0], NULL, &error);
    pqt_head *head = pqt_head_make(versions[0], &error);
    for (uint64_t i = 0; i < VERSIONS; i++) {
        versions[i + 1] = pqt_tree_insert(pqt_head_load(head, NULL), item_of(i), &error);
        REQUIRE(pqt_history_push(history, versions[i + 1], &info, &error));
        REQUIRE(pqt_head_publish(head, versions[i + 1], &error));
    }
    pqt_head_destroy(&head);
    pqt_history_destroy(&history);
    for (size_t i = 0; i <= VERSIONS; i++)
        REQUIRE(pqt_tree_count(versions[i]) == i && pqt_tree_check(versions[i], NULL));
    free(versions);
    return true;
}

START_TEST(a_default_heap_keeps_all_versions_until_the_first_reclaim)
{
    ck_assert(in_child(keeps_versions_anywhere, NULL));
}
END_TEST

static void
load_after_reclaiming(void *unused)
{
    pqt_head *head = pqt_head_make(pqt_tree_make(bounds, NULL, NULL), NULL);
    (void)unused;
    (void)pqt_head_load(head, NULL); /* this is still allowed */
    (void)pqt_memory_reclaim(pqt_default_memory(NULL), 1);
    (void)pqt_head_load(head, NULL);
}

static void
destroy_default(void *unused)
{
    pqt_memory *memory = pqt_default_memory(NULL);
    (void)unused;
    pqt_heap_destroy(&memory);
}

START_TEST(mistakes_stop_the_program_with_a_message)
{
    char text[MISUSE_TEXT];
    if (!misuse_can_be_tested())
        return;
    ck_assert(misuse_aborts(load_after_reclaiming, NULL, text));
    ck_assert_msg(strstr(text, "pqt_head_load: a version of a heap") != NULL, "%s", text);
    ck_assert(misuse_aborts(destroy_default, NULL, text));
    ck_assert_msg(strstr(text, "pqt_heap_destroy: the default memory cannot be destroyed") != NULL,
                  "%s", text);
}
END_TEST

/* ---- A program for both ---- */

/* Keeps the newest version by a pin, and reclaims after each edit. */
static bool
stays_level(void *unused)
{
    pqt_error error = {0};
    pqt_memory *memory = pqt_default_memory(&error);
    uint64_t early = 0;
    (void)unused;
    pqt_pin *pin = pqt_tree_pin(pqt_tree_make(bounds, NULL, &error), &error);
    for (uint64_t i = 0; i < 100000; i++) {
        const pqt_tree *tree = pqt_pin_get_tree(pin);
        if (i >= 1000)
            tree = pqt_tree_remove(tree, item_of(i - 1000), &error);
        pqt_pin *next = pqt_tree_pin(pqt_tree_insert(tree, item_of(i), &error), &error);
        REQUIRE(error.status == PQT_OK);
        pqt_unpin(&pin);
        pin = next;
        (void)pqt_memory_reclaim(memory, 1000);
        if (i == 20000)
            early = pqt_memory_get_stats(memory).bytes;
    }
    REQUIRE(pqt_tree_count(pqt_pin_get_tree(pin)) == 1000);
    REQUIRE(pqt_tree_check(pqt_pin_get_tree(pin), NULL));
    /* With the collector, a few MiB of garbage may wait for the next collection. A leak of 80,000
       versions would take more than 64 MiB. */
    const uint64_t limit = memory == pqt_collector() ? early + (32 << 20) : early + early / 2;
    REQUIRE(pqt_memory_get_stats(memory).bytes <= limit);
    pqt_unpin(&pin);
    return true;
}

START_TEST(a_program_that_reclaims_takes_limited_memory)
{
    pqt_error error = {0};
    ck_assert_msg(pqt_init(&error), "%s", error.text);
    ck_assert(in_child(stays_level, NULL));
}
END_TEST

enum { THREADS = 8 };

typedef struct first_call {
    pthread_barrier_t *start;
    pqt_memory *memory;
} first_call;

static bool
makes_a_tree(void *context)
{
    first_call *call = context;
    REQUIRE(pqt_thread_attach(NULL));
    pthread_barrier_wait(call->start);
    call->memory = pqt_tree_memory(pqt_tree_make(bounds, NULL, NULL));
    pqt_thread_detach();
    return true;
}

static bool
threads_agree(void *unused)
{
    pthread_barrier_t start;
    first_call calls[THREADS];
    job jobs[THREADS];
    (void)unused;
    REQUIRE(pqt_init(NULL) && pthread_barrier_init(&start, NULL, THREADS) == 0);
    for (size_t i = 0; i < THREADS; i++) {
        calls[i] = (first_call){.start = &start};
        jobs[i] = (job){makes_a_tree, &calls[i], false, 0};
        begin(&jobs[i]);
    }
    for (size_t i = 0; i < THREADS; i++)
        REQUIRE(end(&jobs[i]) && calls[i].memory == pqt_default_memory(NULL));
    pthread_barrier_destroy(&start);
    return true;
}

START_TEST(threads_that_first_use_the_default_memory_at_once_agree)
{
    ck_assert(in_child(threads_agree, NULL));
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("default memory");
    TCase *tests = tcase_create("default memory");
    /* This test runs first. The heap does not exist yet, so the threads race to make it. */
    tcase_add_loop_test(tests, threads_that_first_use_the_default_memory_at_once_agree, 0, 20);
    if (PQT_WITH_WORLDS)
        tcase_add_test(tests, null_means_the_default_memory);
    tcase_add_test(tests, a_program_that_reclaims_takes_limited_memory);
    if (pqt_collector() == NULL) {
        tcase_add_test(tests, a_default_heap_keeps_all_versions_until_the_first_reclaim);
        tcase_add_test(tests, mistakes_stop_the_program_with_a_message);
    }
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
