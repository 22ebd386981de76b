/* SPDX-License-Identifier: MIT */
/*
 * test_store_model.c: makes random edits to a history in a store, and compares it with a plain tree
 * of snapshots. The store is closed and reopened many times, and read while it is written.
 */
#include "config.h"

#include <stdio.h>

#include <pqt/heap.h>
#include <pqt/store.h>

#include "history_pair.h"
#include "history_support.h"
#include "random.h"
#include "store/store_internal.h"
#include "store_support.h"
#include "suite.h"

static size_t
draw_from_dice(void *luck, size_t bound)
{
    return dice_below(luck, bound);
}

/* The options of a run, and the frequency with which it reopens the store. */
typedef struct plan {
    size_t max_loaded; /* in bytes; 0: versions are forgotten at each call */
    double keyframe_ratio;
    size_t reopen; /* the percentage of steps that reopen it */
    bool indexed;
} plan;

static pqt_store *
open_with(const store_folder *folder, const plan *how, pqt_store_access access)
{
    pqt_error error = {0};
    pqt_store_options options = PQT_STORE_DEFAULTS;
    options.access = access;
    options.max_loaded = how->max_loaded;
    options.keyframe_ratio = how->keyframe_ratio;
    pqt_store *store = pqt_store_open(folder->path, &options, &error);
    require(store != NULL, error.text);
    return store;
}

static pqt_history *
open_history(const plan *how, const history_pair *p, pqt_store *store)
{
    pqt_error error = {0};
    pqt_history_options options = PQT_HISTORY_DEFAULTS;
    options.indexed = how->indexed;
    options.max_entries = p->max_entries;
    pqt_history *history = pqt_history_open(store, &options, p->memory, &error);
    require(history != NULL, error.text);
    return history;
}

/* Compares answers about the past of a random entry, which load no version. */
static void
expect_answers(history_pair *p, pqt_store *store)
{
    const uint64_t loads = store->counts.loads;
    const uint64_t tip = p->m->moments[p->draw(p->luck, p->m->count)].number;
    history_pair_expect_window(p, tip);
    history_pair_expect_item(p, tip);
    require(store->counts.loads == loads, "no version is loaded");
}

/* Reads the store as another process would. */
static void
expect_a_reader_sees_all(const store_folder *folder, const plan *how, const history_pair *p)
{
    pqt_error error = {0};
    history_pair reading = *p;
    pqt_store *store = open_with(folder, how, PQT_STORE_READ);
    reading.history = open_history(how, p, store);
    for (int i = 0; i < 5 && how->indexed; i++)
        expect_answers(&reading, store);
    history_pair_expect_current(&reading);
    history_pair_expect_all(&reading);
    require(pqt_store_check(store, &error), error.text);
    require(!pqt_history_push(reading.history, pqt_history_value(reading.history),
                              &(pqt_history_entry_info){.keep_equal = true}, &error) &&
                error.status == PQT_ERROR_MISMATCH,
            "a reader cannot push");
    pqt_history_destroy(&reading.history);
    close_store(&store);
}

static void
reopen(const store_folder *folder, const plan *how, history_pair *p, pqt_store **store)
{
    pqt_history_destroy(&p->history);
    close_store(store);
    *store = open_with(folder, how, PQT_STORE_WRITE);
    p->history = open_history(how, p, *store);
    p->m->sealed = true;
}

static void
run(pqt_memory *memory, bool unique, const plan *how, size_t max_entries)
{
    static history_model m;
    dice d = {test_seed("store") + unique + how->reopen};
    history_pair p = {.m = &m, .draw = draw_from_dice, .luck = &d, .max_entries = max_entries};
    const store_folder folder = make_store_folder();
    pqt_store *store = open_with(&folder, how, PQT_STORE_CREATE);
    pqt_error error = {0};
    history_pair_begin(&p, memory, unique, how->indexed);
    for (int i = 0; i < 20; i++)
        history_pair_do_something(&p);
    while (p.m->groups > 0)
        history_pair_do_something(&p);
    require(pqt_history_save(p.history, store, &error), error.text);
    for (size_t i = 0; i < test_scaled(600); i++) {
        history_pair_do_something(&p);
        history_pair_expect_current(&p);
        history_pair_expect_path(&p);
        history_pair_expect_times(&p, m.moments[dice_below(&d, m.count)].number);
        if (how->indexed)
            expect_answers(&p, store);
        require(pqt_store_get_error(store, &error), error.text);
        if (m.groups == 0 && dice_below(&d, 100) < how->reopen)
            reopen(&folder, how, &p, &store);
        if (i % 50 == 0)
            pqti_collect(memory);
        if (i % 100 == 0)
            expect_a_reader_sees_all(&folder, how, &p);
        if (i % 40 == 0)
            history_pair_expect_all(&p);
        expect_droppable_list(p.history);
    }
    require(pqt_store_check(store, &error) && pqt_store_compact(store, &error), error.text);
    history_pair_expect_all(&p);
    expect_a_reader_sees_all(&folder, how, &p);
    pqt_history_destroy(&p.history);
    close_store(&store);
    remove_store_folder(&folder);
}

static const plan plans[] = {{0, 0.125, 20, false},   {0, 1, 5, false},     {1 << 28, 1, 10, false},
                             {1 << 28, 64, 0, false}, {0, 0.125, 10, true}, {1 << 28, 1, 2, true}};

START_TEST(a_stored_history_is_a_tree_of_snapshots)
{
    run(arena, _i % 2 == 1, &plans[_i / 2], 0);
}
END_TEST

START_TEST(a_stored_history_in_a_heap_is_a_tree_of_snapshots)
{
    pqt_error error = {0};
    pqt_memory *heap = pqt_heap_make(NULL, &error);
    require(heap != NULL, error.text);
    run(heap, _i % 2 == 1, &plans[_i / 2], 0);
    pqt_heap_destroy(&heap);
}
END_TEST

START_TEST(a_stored_history_in_the_collector_is_a_tree_of_snapshots)
{
    pqt_error error = {0};
    if (pqt_collector() == NULL)
        return;
    ck_assert(pqt_init(&error));
    run(pqt_collector(), _i % 2 == 1, &plans[_i / 2], 0);
}
END_TEST

/* Each push beyond the limit drops entries, also on disk, and also after the history is reopened
   with that limit. */
START_TEST(a_limited_history_drops_entries_of_its_store)
{
    static const plan often = {0, 0.125, 10, false}, indexed = {1 << 20, 0.125, 10, true};
    run(arena, _i % 2 == 1, _i < 4 ? &often : &indexed, (size_t)(_i / 2 % 2 == 0 ? 3 : 12));
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("store model");
    TCase *tests = add_tests(suite, "store model");
    const int count = 2 * (int)(sizeof plans / sizeof *plans);
    tcase_add_loop_test(tests, a_stored_history_is_a_tree_of_snapshots, 0, count);
    tcase_add_loop_test(tests, a_stored_history_in_a_heap_is_a_tree_of_snapshots, 0, count);
    tcase_add_loop_test(tests, a_stored_history_in_the_collector_is_a_tree_of_snapshots, 0, count);
    tcase_add_loop_test(tests, a_limited_history_drops_entries_of_its_store, 0, 8);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
