/* SPDX-License-Identifier: MIT */
/*
 * test_collector.c: tests how the collector starts, which versions it keeps, and which ones it
 * reclaims.
 *
 * Garbage is made in threads that end, because a stack that is still in use may contain a pointer
 * to it. No test expects an exact number of reclaimed blocks.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "memory_support.h"
#include "misuse.h"
#include "suite.h"

/* ---- Starting the collector: each test runs in a child that has not started it ---- */

static bool
is_refused(void *unused)
{
    (void)unused;
    pqt_error init = {0}, memory = {0}, attach = {0};
    REQUIRE(!pqt_init(&init) && init.status == PQT_ERROR_THREAD);
    REQUIRE(strcmp(init.text,
                   "thread: the first call must come from the main thread; call pqt_init there") ==
            0);
    REQUIRE(pqti_memory_or_default(NULL, &memory) == NULL && memory.status == PQT_ERROR_THREAD);
    REQUIRE(pqti_memory_or_default(pqt_collector(), NULL) == NULL);
    REQUIRE(!pqt_thread_attach(&attach) && attach.status == PQT_ERROR_THREAD);
    pqt_thread_detach();
    return true;
}

static bool
is_welcome(void *unused)
{
    (void)unused;
    pqt_error error = {0};
    REQUIRE(pqt_init(&error) && pqt_thread_attach(&error) && error.status == PQT_OK);
    pqt_memory *memory = pqti_memory_or_default(NULL, &error);
    REQUIRE(memory == pqt_collector());
    REQUIRE(is_whole(make_version(memory, 5), 5));
    pqti_collect(memory);
    pqt_thread_detach();
    return true;
}

static bool
refuses_until_main_has_called(void *unused)
{
    pqt_error error = {0};
    REQUIRE(in_thread(is_refused, unused));
    REQUIRE(pqt_init(&error) && error.status == PQT_OK);
    REQUIRE(in_thread(is_welcome, unused));
    REQUIRE(pqt_init(&error));
    return true;
}

static bool
starts_lazily(void *unused)
{
    REQUIRE(pqti_memory_or_default(NULL, NULL) == pqt_collector());
    REQUIRE(in_thread(is_welcome, unused));
    return true;
}

static bool
asks_for_the_collector(void *unused)
{
    (void)unused;
    const pqt_memory_stats stats = pqt_memory_get_stats(pqt_collector());
    REQUIRE(stats.bytes == 0 && stats.limit == 0 && stats.pins == 0);
    pqti_collect(pqt_collector());
    return true;
}

/* Lets a thread request the collector before the main thread uses it. If the thread had started the
 * collector, the main thread could not use it. */
static bool
can_start_after_being_asked_for(void *unused)
{
    REQUIRE(in_thread(asks_for_the_collector, unused));
    return starts_lazily(unused);
}

static bool
uses_an_arena(void *unused)
{
    (void)unused;
    pqt_memory *arena = pqt_arena_make(0, NULL);
    REQUIRE(pqti_memory_or_default(arena, NULL) == arena);
    REQUIRE(is_whole(make_version(arena, 5), 5));
    pqt_arena_destroy(&arena);
    return true;
}

static bool
serves_arenas_before_the_start(void *unused)
{
    REQUIRE(in_thread(uses_an_arena, unused));
    REQUIRE(in_thread(is_refused, unused));
    return true;
}

/* Adds blocks to a list until the heap is full. */
static bool
fills_the_heap(void *memory)
{
    size_t given = 0;
    version *list = NULL;
    REQUIRE(pqt_thread_attach(NULL));
    for (version *next; (next = pqti_alloc_list(memory, sizeof *next)) != NULL; given++) {
        next->parts[0] = list;
        list = next;
    }
    REQUIRE(given * sizeof *list >= 1 << 20 && given * sizeof *list <= 8 << 20);
    REQUIRE(pqti_alloc_leaf(memory, 1 << 20) == NULL);
    for (; list != NULL; list = list->parts[0])
        given--;
    REQUIRE(given == 0);
    pqt_thread_detach();
    return true;
}

static bool
survives_a_full_heap(void *unused)
{
    (void)unused;
    pqt_error error = {0};
    setenv("GC_MAXIMUM_HEAP_SIZE", "8388608", 1);
    REQUIRE(pqt_init(NULL));
    pqt_memory *memory = pqt_collector();
    REQUIRE(in_thread(fills_the_heap, memory));
    pqti_collect(memory);
    REQUIRE(is_whole(make_version(memory, 5), 5));
    pqt_pin *pin = pqti_pin(memory, PQT_KIND_TREE, &error, &error);
    REQUIRE(pin != NULL && error.status == PQT_OK);
    pqt_unpin(&pin);
    return true;
}

START_TEST(the_first_call_off_main_is_refused)
{
    ck_assert(in_child(refuses_until_main_has_called, NULL));
}
END_TEST

START_TEST(the_first_call_from_main_starts_the_collector)
{
    ck_assert(in_child(starts_lazily, NULL));
}
END_TEST

START_TEST(getting_the_collector_does_not_start_it)
{
    ck_assert(in_child(can_start_after_being_asked_for, NULL));
}
END_TEST

START_TEST(an_arena_needs_no_start)
{
    ck_assert(in_child(serves_arenas_before_the_start, NULL));
}
END_TEST

START_TEST(a_full_heap_is_reported_as_out_of_memory)
{
    ck_assert(in_child(survives_a_full_heap, NULL));
}
END_TEST

/* ---- Versions that the collector keeps or reclaims ---- */

enum { PINNED = 1000, POINTERS = 4 };

/* The array of pins is in memory from malloc, which the collector does not scan. */
typedef struct hoard {
    pqt_memory *memory;
    pqt_pin **pins;
} hoard;

static bool
fill_hoard(void *context)
{
    hoard *all = context;
    REQUIRE(pqt_thread_attach(NULL));
    for (unsigned i = 0; i < PINNED; i++) {
        version *made = make_version(all->memory, 1000 * (uint64_t)i);
        all->pins[i] = pqti_pin(all->memory, PQT_KIND_TREE, made, NULL);
        REQUIRE(all->pins[i] != NULL);
    }
    pqt_thread_detach();
    return true;
}

/* Checks all pinned blocks in a thread that is not attached, because readers of pinned versions
 * need not be. */
static bool
read_hoard(void *context)
{
    const hoard *all = context;
    for (unsigned i = 0; i < PINNED; i++)
        REQUIRE(is_whole(all->pins[i]->object, 1000 * (uint64_t)i));
    return true;
}

/* Removes all pins in a thread that is not attached, because unpinning does not require it
 * either. */
static bool
empty_hoard(void *context)
{
    const hoard *all = context;
    for (unsigned i = 0; i < PINNED; i++)
        pqt_unpin(&all->pins[i]);
    return true;
}

static hoard
make_hoard(void)
{
    hoard made = {make_memory(1), malloc(PINNED * sizeof *made.pins)};
    ck_assert_ptr_nonnull(made.pins);
    ck_assert(in_thread(fill_hoard, &made));
    return made;
}

START_TEST(pins_in_malloced_memory_keep_their_versions)
{
    hoard all = make_hoard();
    collect_and_overwrite(all.memory);
    ck_assert(in_thread(read_hoard, &all));
    ck_assert(in_thread(empty_hoard, &all));
    free(all.pins);
}
END_TEST

static uint64_t
used_bytes(pqt_memory *memory)
{
    pqti_collect(memory);
    pqti_collect(memory);
    return pqt_memory_get_stats(memory).bytes;
}

START_TEST(an_unpinned_version_is_reclaimed)
{
    const uint64_t before = used_bytes(make_memory(1));
    hoard all = make_hoard();
    const uint64_t pinned = used_bytes(all.memory);
    /* Blocks that were free are used first. */
    ck_assert(pinned >= before + PINNED * VERSION_BYTES / 2);
    ck_assert(in_thread(empty_hoard, &all));
    ck_assert(used_bytes(all.memory) <= pinned - PINNED * VERSION_BYTES / 2);
    free(all.pins);
}
END_TEST

static bool
reads_while_collecting(check_fn *check, hoard *all)
{
    job reader = {check, all, false, 0};
    begin(&reader);
    for (int i = 0; i < 20; i++)
        pqti_collect(all->memory);
    return end(&reader);
}

START_TEST(an_unattached_thread_may_read_and_unpin_during_collections)
{
    hoard all = make_hoard();
    ck_assert(reads_while_collecting(read_hoard, &all));
    ck_assert(reads_while_collecting(empty_hoard, &all));
    ck_assert_uint_eq(pqt_memory_get_stats(all.memory).pins, 0);
    free(all.pins);
}
END_TEST

/* Stores the only pointer to each of many nodes in a leaf, which is not scanned. */
static bool
hide_nodes_in_leaves(void *context)
{
    const hoard *all = context;
    REQUIRE(pqt_thread_attach(NULL));
    for (unsigned i = 0; i < PINNED; i++) {
        void **leaf = pqti_alloc_leaf(all->memory, 16);
        leaf[0] = make_version(all->memory, i);
        all->pins[i] = pqti_pin(all->memory, PQT_KIND_TREE, leaf, NULL);
    }
    pqt_thread_detach();
    return true;
}

START_TEST(leaves_are_not_searched_for_pointers)
{
    hoard all = {make_memory(1), malloc(PINNED * sizeof *all.pins)};
    const uint64_t before = used_bytes(all.memory);
    ck_assert(in_thread(hide_nodes_in_leaves, &all));
    ck_assert(used_bytes(all.memory) <= before + PINNED * VERSION_BYTES / 2);
    ck_assert(in_thread(empty_hoard, &all));
    free(all.pins);
}
END_TEST

/* Fills each leaf with pointers to blocks to which nothing else points. */
static bool
fill_leaves_with_pointers(void *context)
{
    const hoard *all = context;
    REQUIRE(pqt_thread_attach(NULL));
    for (unsigned i = 0; i < PINNED; i++) {
        void **leaf = pqti_alloc_scanned_leaf(all->memory, POINTERS * sizeof *leaf);
        memset(leaf, 0, POINTERS * sizeof *leaf);
        all->pins[i] = pqti_pin(all->memory, PQT_KIND_TREE, leaf, NULL);
        for (unsigned j = 0; j < POINTERS; j++) {
            leaf[j] = pqti_alloc_leaf(all->memory, sizeof(version));
            fill(leaf[j], i + j);
        }
    }
    pqt_thread_detach();
    return true;
}

static bool
follow_pointers_in_leaves(void *context)
{
    const hoard *all = context;
    for (unsigned i = 0; i < PINNED; i++)
        for (unsigned j = 0; j < POINTERS; j++)
            REQUIRE(is_filled(((void *const *)all->pins[i]->object)[j], i + j));
    return true;
}

START_TEST(scanned_leaves_are_searched_to_their_last_word)
{
    hoard all = {make_memory(1), malloc(PINNED * sizeof *all.pins)};
    ck_assert(in_thread(fill_leaves_with_pointers, &all));
    collect_and_overwrite(all.memory);
    ck_assert(in_thread(follow_pointers_in_leaves, &all));
    ck_assert(in_thread(empty_hoard, &all));
    free(all.pins);
}
END_TEST

START_TEST(the_collector_counts_its_bytes_and_collections_and_has_no_limit)
{
    pqt_memory *memory = make_memory(1);
    version *made = make_version(memory, 1);
    const uint64_t before = pqt_memory_get_stats(memory).collections;
    pqti_collect(memory);
    pqti_collect(memory);
    const pqt_memory_stats stats = pqt_memory_get_stats(memory);
    ck_assert_uint_ge(stats.collections, before + 2);
    ck_assert(stats.bytes >= VERSION_BYTES);
    ck_assert(stats.limit == 0 && stats.pins == 0);
    ck_assert(is_whole(made, 1));
}
END_TEST

START_TEST(the_collector_cannot_be_destroyed)
{
    pqt_memory *memory = make_memory(1);
    pqt_arena_destroy(&memory);
}
END_TEST

static void
add_starts(Suite *suite)
{
    TCase *tests = tcase_create("start");
    tcase_add_test(tests, the_first_call_off_main_is_refused);
    tcase_add_test(tests, the_first_call_from_main_starts_the_collector);
    tcase_add_test(tests, getting_the_collector_does_not_start_it);
    tcase_add_test(tests, an_arena_needs_no_start);
    tcase_add_test(tests, a_full_heap_is_reported_as_out_of_memory);
    suite_add_tcase(suite, tests);
}

static void
add_collector(Suite *suite)
{
    TCase *tests = tcase_create("collector");
    tcase_add_test(tests, pins_in_malloced_memory_keep_their_versions);
    tcase_add_test(tests, an_unpinned_version_is_reclaimed);
    tcase_add_test(tests, an_unattached_thread_may_read_and_unpin_during_collections);
    tcase_add_test(tests, leaves_are_not_searched_for_pointers);
    tcase_add_test(tests, scanned_leaves_are_searched_to_their_last_word);
    tcase_add_test(tests, the_collector_counts_its_bytes_and_collections_and_has_no_limit);
    suite_add_tcase(suite, tests);
}

static void
add_mistakes(Suite *suite)
{
    TCase *tests = tcase_create("mistakes");
    tcase_add_misuse_test(tests, the_collector_cannot_be_destroyed);
    suite_add_tcase(suite, tests);
}

int
main(void)
{
    Suite *suite = suite_create("collector");
    if (pqt_collector() == NULL)
        return run_suite(suite);
    /* These tests come first, because without fork an earlier test would start the collector. */
    add_starts(suite);
    add_collector(suite);
    add_mistakes(suite);
    return run_suite(suite);
}
