/* SPDX-License-Identifier: MIT */
/*
 * test_collector_settings.c: tests that no call to the library changes a setting of the collector,
 * because the settings belong to the program.
 */
#include "config.h"

#include <pthread.h>
#include <string.h>

#include <pqt.h>

#include "suite.h"

#if PQT_WITH_COLLECTOR

#include <gc/gc.h>

/* All settings of the collector that can be read, except those that it counts itself. */
typedef struct settings {
    GC_word numbers[13];
    GC_warn_proc warn;
    GC_oom_func no_memory;
    GC_finalizer_notifier_proc finalize;
    GC_abort_func give_up;
    GC_on_heap_resize_proc resize;
    GC_on_collection_event_proc event;
} settings;

static settings
read_settings(void)
{
    settings all;
    memset(&all, 0, sizeof all);
    GC_word numbers[] = {
        GC_get_free_space_divisor(),
        (GC_word)GC_get_full_freq(),
        GC_get_time_limit(),
        (GC_word)GC_get_dont_expand(),
        (GC_word)GC_get_no_dls(),
        (GC_word)GC_get_all_interior_pointers(),
        (GC_word)GC_get_finalize_on_demand(),
        (GC_word)GC_get_java_finalization(),
        (GC_word)GC_get_dont_precollect(),
        GC_get_max_retries(),
        (GC_word)GC_get_pages_executable(),
        (GC_word)GC_get_force_unmap_on_gcollect(),
        (GC_word)GC_get_rate(),
    };
    memcpy(all.numbers, numbers, sizeof numbers);
    all.warn = GC_get_warn_proc();
    all.no_memory = GC_get_oom_fn();
    all.finalize = GC_get_finalizer_notifier();
    all.give_up = GC_get_abort_func();
    all.resize = GC_get_on_heap_resize();
    all.event = GC_get_on_collection_event();
    return all;
}

static void *
come_and_go(void *tree)
{
    pqt_error error = {0};
    bool right = pqt_thread_attach(&error);
    right = right && pqt_tree_insert(tree, (pqt_item){{{1, 1}, {2, 2}}, 9}, &error) != NULL;
    pqt_thread_detach();
    return right ? tree : NULL;
}

/* Uses versions, pins, a head, a thread that ends, and collections. */
static void
use_the_library(void)
{
    pqt_error error = {0};
    pthread_t thread;
    void *returned = NULL;
    const pqt_tree *tree = pqt_tree_make((pqt_box){{0, 0}, {9, 9}}, NULL, &error);
    for (uint64_t id = 0; id < 500; id++)
        tree = pqt_tree_insert(tree, (pqt_item){{{1, 1}, {2, 2}}, id}, &error);
    pqt_pin *pin = pqt_tree_pin(tree, &error);
    pqt_head *head = pqt_head_make(tree, &error);
    ck_assert_msg(pin != NULL && head != NULL, "%s", error.text);
    ck_assert_int_eq(pthread_create(&thread, NULL, come_and_go, (void *)(uintptr_t)tree), 0);
    ck_assert_int_eq(pthread_join(thread, &returned), 0);
    ck_assert_ptr_nonnull(returned);
    GC_gcollect();
    pqt_head_destroy(&head);
    pqt_unpin(&pin);
    GC_gcollect();
}

START_TEST(starting_the_collector_keeps_its_default_settings)
{
    const settings before = read_settings();
    use_the_library();
    const settings after = read_settings();
    ck_assert_mem_eq(&after, &before, sizeof before);
}
END_TEST

static void
host_warns(char *text, GC_word value)
{
    (void)text;
    (void)value;
}

static void
host_hears(GC_EventType event)
{
    (void)event;
}

START_TEST(settings_of_the_host_are_kept)
{
    GC_INIT();
    GC_set_free_space_divisor(2);
    GC_set_full_freq(7);
    GC_set_finalize_on_demand(1);
    GC_set_max_retries(3);
    GC_set_warn_proc(host_warns);
    GC_set_on_collection_event(host_hears);
    const settings before = read_settings();
    ck_assert_uint_eq(before.numbers[0], 2);
    use_the_library();
    const settings after = read_settings();
    ck_assert_mem_eq(&after, &before, sizeof before);
}
END_TEST

/* ---- Static data, which is scanned unless the program excludes it ---- */

enum { HELD = 200 };

static const pqt_tree *looked_through[HELD];
static const pqt_tree *excluded[HELD];

/* The collector clears an element when its version is reclaimed. It finds no pointers in the
 * array. */
static GC_word *links;

static void __attribute__((noinline)) hold_versions(void)
{
    pqt_error error = {0};
    links = calloc(2 * HELD, sizeof *links);
    ck_assert_ptr_nonnull(links);
    for (int i = 0; i < 2 * HELD; i++) {
        const pqt_tree *tree = pqt_tree_make((pqt_box){{0, 0}, {9, 9}}, NULL, &error);
        ck_assert_msg(tree != NULL, "%s", error.text);
        (i < HELD ? looked_through : excluded)[i % HELD] = tree;
        links[i] = GC_HIDE_POINTER(tree);
        ck_assert_int_eq(GC_general_register_disappearing_link((void **)&links[i], tree), 0);
    }
}

static int
count_links(int from)
{
    int count = 0;
    for (int i = from; i < from + HELD; i++)
        count += links[i] != 0;
    return count;
}

START_TEST(static_data_hold_versions_unless_the_host_excludes_them)
{
    ck_assert(pqt_init(NULL));
    GC_exclude_static_roots(excluded, excluded + HELD);
    hold_versions();
    GC_gcollect();
    GC_gcollect();
    ck_assert_int_eq(count_links(0), HELD);
    /* the stack may contain some pointers by chance */
    ck_assert_int_le(count_links(HELD), HELD / 10);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("settings");
    TCase *tests = tcase_create("settings");
    tcase_add_test(tests, starting_the_collector_keeps_its_default_settings);
    tcase_add_test(tests, settings_of_the_host_are_kept);
    tcase_add_test(tests, static_data_hold_versions_unless_the_host_excludes_them);
    suite_add_tcase(suite, tests);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}

#else

#include <stdio.h>

int
main(void)
{
    puts("1..0 # SKIP this build has no collector");
    return 0;
}

#endif
