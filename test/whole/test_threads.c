/* SPDX-License-Identifier: MIT */
/*
 * test_threads.c: tests threads that read a version while others make versions from it.
 *
 * Every answer is checked; those of a writer are compared with its own model. Answers become wrong
 * if blocks are allocated twice, or written after publication. With arenas, thread sanitizer
 * detects such faults even if the answers are correct: --enable-sanitizer=thread --without-gc.
 */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include <pqt/memory.h>
#include <pqt/tree.h>

#include "memory/memory_internal.h"
#include "plain_model.h"
#include "random.h"
#include "require.h"
#include "suite.h"
#include "tree_bounds.h"

enum { WRITERS = 3, READERS = 3, ITEMS = 800, EDITS = 2000, QUESTIONS = 40, KEPT = 4 };

static const pqt_box world_bounds = {{0, 0}, {1000, 1000}};

/* A query of the base version, and its result computed from all items. */
typedef struct question {
    pqt_query query;
    size_t count;
    uint64_t sum; /* the sum of the ids */
} question;

/* Static, so that the collector finds the versions in it. */
static struct {
    pqt_memory *memory;
    const pqt_tree *base;
    model m;
    question questions[QUESTIONS];
    atomic_int writing; /* the number of writers that have not finished */
    _Atomic(const pqt_tree *) newest[WRITERS];
} shared;

/* A version with its model. A pin holds the version, because this struct is in memory from
 * malloc. */
typedef struct kept {
    pqt_pin *pin;
    model m;
} kept;

typedef struct job job;
struct job {
    pthread_t thread;
    bool (*work)(job *this);
    bool attached;
    bool passed;
    size_t number; /* its number among the writers or the readers */
    dice d;
    kept all[KEPT]; /* the versions that a writer keeps */
};

static bool
add_id(const pqt_item *item, void *context)
{
    *(uint64_t *)context += item->id;
    return true;
}

/* ---- The work of the threads ---- */

/* Makes a random change. Applies it to the model directly, because model_apply is too slow for many
 * changes. */
static pqt_change
change_something(dice *d, model *m)
{
    pqt_item fresh = model_item((pqt_item){draw_box(d, world_bounds, BOXES_MIXED), dice_next(d)});
    pqt_item *item = &m->items[dice_below(d, m->count)];
    pqt_change change = {PQT_MOVE, *item, fresh.box};
    if (m->count < m->room && dice_chance(d, 60)) {
        change = (pqt_change){PQT_INSERT, fresh, fresh.box};
        m->items[m->count++] = fresh;
    } else if (m->count > ITEMS / 2 && dice_chance(d, 40)) {
        change.kind = PQT_REMOVE;
        *item = m->items[--m->count];
    } else {
        item->box = fresh.box;
    }
    return change;
}

static bool
keep(kept *k, const pqt_tree *tree, const model *m)
{
    pqt_error error = {0};
    k->pin = pqt_tree_pin(tree, &error);
    k->m = model_copy(m);
    REQUIRE(k->pin != NULL);
    return true;
}

/* Makes a chain of versions from the base, and publishes each one. Keeps KEPT of them. */
static bool
write_versions(job *this)
{
    const pqt_tree *tree = shared.base;
    model m = model_copy(&shared.m);
    size_t edits = test_scaled(EDITS / KEPT);
    pqt_error error = {0};
    for (size_t i = 0; i < KEPT; i++) {
        for (size_t k = 0; k < edits; k++) {
            pqt_change changes[5];
            size_t count = k % 10 == 0 ? 5 : 1;
            for (size_t c = 0; c < count; c++)
                changes[c] = change_something(&this->d, &m);
            tree = pqt_tree_apply(tree, changes, count, &error);
            REQUIRE(tree != NULL);
            atomic_store_explicit(&shared.newest[this->number], tree, memory_order_release);
        }
        REQUIRE(keep(&this->all[i], tree, &m));
    }
    model_free(&m);
    return true;
}

/* Queries the base version, from which all writers start, until they finish. */
static bool
read_base(job *this)
{
    do {
        const question *q = &shared.questions[dice_below(&this->d, QUESTIONS)];
        uint64_t sum = 0;
        REQUIRE(pqt_tree_count_in(shared.base, &q->query) == q->count);
        REQUIRE(pqt_tree_visit(shared.base, &q->query, add_id, &sum) && sum == q->sum);
    } while (atomic_load(&shared.writing) > 0);
    return true;
}

/* Visits all items of the newest version of a random writer. */
static bool
read_newest(job *this)
{
    const pqt_query all = {{{-INFINITY, -INFINITY}, {INFINITY, INFINITY}},
                           PQT_TOUCHES,
                           NULL,
                           NULL,
                           NULL,
                           NULL,
                           PQT_PLANE,
                           {0}};
    do {
        size_t writer = dice_below(&this->d, WRITERS);
        const pqt_tree *tree = atomic_load_explicit(&shared.newest[writer], memory_order_acquire);
        uint64_t sum = 0;
        if (dice_chance(&this->d, 5))
            pqti_collect(shared.memory);
        REQUIRE(pqt_tree_check(tree, NULL));
        REQUIRE(pqt_tree_visit(tree, &all, add_id, &sum));
        REQUIRE(pqt_tree_collect_ids(tree, &all, NULL, 0) == pqt_tree_count(tree));
        pqti_keep_alive(tree);
    } while (atomic_load(&shared.writing) > 0);
    return true;
}

static void *
run_job(void *context)
{
    job *this = context;
    pqt_error error = {0};
    bool ready = !this->attached || pqt_thread_attach(&error);
    this->passed = ready && this->work(this);
    if (!ready)
        fprintf(stderr, "# %s(%d): %s\n", running_test, running_iteration, error.text);
    if (this->work == write_versions)
        atomic_fetch_sub(&shared.writing, 1); /* without this, the readers would never end */
    if (this->attached)
        pqt_thread_detach();
    return NULL;
}

/* ---- The main thread of the test ---- */

static void
draw_question(dice *d, question *q)
{
    q->query = (pqt_query){draw_box(d, world_bounds, BOXES_MIXED),
                           (pqt_relation)(1 + dice_below(d, 4)),
                           NULL,
                           NULL,
                           NULL,
                           NULL,
                           PQT_PLANE,
                           {0}};
    q->count = q->sum = 0;
    for (size_t i = 0; i < shared.m.count; i++) {
        if (model_relates(shared.m.items[i].box, q->query.window, q->query.relation)) {
            q->count++;
            q->sum += shared.m.items[i].id;
        }
    }
}

static void
open_stage(dice *d, bool collector, bool unique)
{
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    pqt_error error = {0};
    static pqt_change changes[ITEMS];
    shared.memory = collector ? pqti_memory_or_default(NULL, &error) : pqt_arena_make(0, &error);
    ck_assert_msg(shared.memory != NULL, "%s", error.text);
    options.memory = shared.memory;
    options.leaf_capacity = 4;
    options.unique_ids = unique;
    shared.m = model_make(world_bounds, &options);
    shared.base = pqt_tree_make(world_bounds, &options, &error);
    for (uint64_t i = 0; i < ITEMS; i++)
        changes[i] =
            (pqt_change){PQT_INSERT, {draw_box(d, world_bounds, BOXES_MIXED), i}, world_bounds};
    model_apply(&shared.m, changes, ITEMS);
    shared.base = pqt_tree_apply(shared.base, changes, ITEMS, &error);
    ck_assert_msg(shared.base != NULL, "%s", error.text);
    for (size_t i = 0; i < QUESTIONS; i++)
        draw_question(d, &shared.questions[i]);
    for (size_t i = 0; i < WRITERS; i++)
        atomic_store(&shared.newest[i], shared.base);
}

static void
expect_kept(kept *k)
{
    complaint why = {{'\0'}};
    if (!check_version(&k->m, pqt_pin_get_tree(k->pin), &why))
        ck_abort_msg("%s", why.text);
    pqt_unpin(&k->pin);
    model_free(&k->m);
}

static void
close_stage(void)
{
    for (size_t i = 0; i < WRITERS; i++)
        atomic_store(&shared.newest[i], NULL);
    model_free(&shared.m);
    if (shared.memory != pqt_collector())
        pqt_arena_destroy(&shared.memory);
}

/* Runs writers and readers at once until the last writer ends. */
static void
run_all(bool (*read)(job *this), bool readers_attached)
{
    static job jobs[WRITERS + READERS];
    bool collected = shared.memory == pqt_collector();
    pqt_error error = {0};
    pqt_pin *pin = pqt_tree_pin(shared.base, &error);
    ck_assert_msg(pin != NULL, "%s", error.text);
    atomic_store(&shared.writing, WRITERS);
    for (size_t i = 0; i < WRITERS + READERS; i++) {
        bool writes = i < WRITERS;
        jobs[i] = (job){.work = writes ? write_versions : read,
                        .number = writes ? i : i - WRITERS,
                        .d = {i + 1}};
        jobs[i].attached = collected && (writes || readers_attached);
        ck_assert_int_eq(pthread_create(&jobs[i].thread, NULL, run_job, &jobs[i]), 0);
    }
    for (size_t i = 0; i < WRITERS + READERS; i++)
        ck_assert_int_eq(pthread_join(jobs[i].thread, NULL), 0);
    for (size_t i = 0; i < WRITERS + READERS; i++)
        ck_assert(jobs[i].passed);
    for (size_t i = 0; i < WRITERS * KEPT; i++)
        expect_kept(&jobs[i / KEPT].all[i % KEPT]);
    ck_assert(check_version(&shared.m, shared.base, &(complaint){{'\0'}}));
    pqt_unpin(&pin);
}

/* _i is 0 or 1 for the arena and 2 or 3 for the collector. Odd numbers mean unique ids. The readers
   are not attached, because the version is pinned. */
START_TEST(readers_of_a_version_do_not_see_edits_of_it)
{
    dice d = {test_seed("readers_of_a_version_do_not_see_edits_of_it")};
    open_stage(&d, _i >= 2, _i % 2 == 1);
    run_all(read_base, false);
    close_stage();
}
END_TEST

START_TEST(a_version_that_another_thread_publishes_is_whole)
{
    dice d = {test_seed("a_version_that_another_thread_publishes_is_whole")};
    open_stage(&d, _i >= 2, _i % 2 == 1);
    run_all(read_newest, true);
    close_stage();
}
END_TEST

static Suite *
make_suite(void)
{
    const int ways = pqt_collector() != NULL ? 4 : 2;
    Suite *suite = suite_create("threads");
    TCase *tests = tcase_create("readers and writers");
    tcase_add_loop_test(tests, readers_of_a_version_do_not_see_edits_of_it, 0, ways);
    tcase_add_loop_test(tests, a_version_that_another_thread_publishes_is_whole, 0, ways);
    suite_add_tcase(suite, tests);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
