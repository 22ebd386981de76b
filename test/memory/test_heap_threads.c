/* SPDX-License-Identifier: MIT */
/* test_heap_threads.c: tests heaps that several threads use at once, and threads that end. */
#include "config.h"

#include <pqt.h>

#include <sched.h>
#include <stdatomic.h>

#include "heap_cycles.h"
#include "heap_support.h"
#include "memory_support.h"
#include "random.h"
#include "suite.h"

/*
 * A thread waits for the end of a cycle after EDITS_OF_CYCLE edits. So between the beginning of one
 * cycle and the end of the next one it makes at most EDITS_KEPT edits. The second cycle frees
 * everything that was unreachable when it began. Therefore a heap contains its live blocks and the
 * versions of EDITS_KEPT edits of each thread, however the threads are scheduled.
 */
enum { EDITS_OF_CYCLE = 1000, EDITS_KEPT = 3 * EDITS_OF_CYCLE };

/* An edit moves two items, which takes about 2000 bytes. It may need them twice, because each
   failed exchange of one writer is due to an edit by another one. */
enum { BYTES_OF_EDIT = 4000 };

typedef struct pace {
    pqt_memory *heap;
    uint64_t cycles; /* the number of cycles that had ended when the thread last waited */
    size_t edits;    /* the number of edits since then */
} pace;

/* Counts an edit. If it was the last one that the thread may make, waits for the end of a cycle.
   Call it outside of scopes. */
static void
keep_pace(pace *p)
{
    if (++p->edits < EDITS_OF_CYCLE)
        return;
    while (pqt_memory_get_stats(p->heap).collections == p->cycles)
        sched_yield();
    p->cycles = pqt_memory_get_stats(p->heap).collections;
    p->edits = 0;
}

/* Returns the maximum number of bytes of a heap with `live` bytes and threads that wait for cycles.
   The 4 MiB are for blocks that threads have reserved, and for free blocks of chunks. */
static unsigned long long
level_of(uint64_t live, size_t threads)
{
    return live + (unsigned long long)threads * EDITS_KEPT * BYTES_OF_EDIT + (4U << 20) +
           QUARANTINED_BYTES;
}

static void
store_most(atomic_ullong *most, const pqt_memory *heap)
{
    const unsigned long long bytes = pqt_memory_get_stats(heap).bytes;
    if (bytes > atomic_load(most))
        atomic_store(most, bytes);
}

/* Writers, readers that pin, readers in scopes, and a thread that only reclaims. Item 0 of a
   version counts the updates: its left side is the number of the version modulo PLACES. */
enum { CREW_WRITERS = 2, CREW_READERS = 3, CREW_ITEMS = 500, PLACES = 900 };

typedef struct crew {
    pqt_head *head;
    pqt_memory *heap;
    atomic_bool ends, reclaiming_ends;
    atomic_size_t reads;
    atomic_ullong most; /* the maximum number of bytes of the heap so far */
    size_t edits_of_each;
} crew;

static pqt_box
box_of_number(uint64_t number)
{
    const double x = (double)(number % PLACES);
    return (pqt_box){{x, 7}, {x + 5, 9}};
}

static bool
is_version_whole(const pqt_tree *tree, uint64_t number)
{
    const pqt_item counter = {box_of_number(number), 0};
    pqt_item item;
    return pqt_tree_count(tree) == CREW_ITEMS && pqt_tree_contains(tree, counter) &&
           pqt_tree_find(tree, number % CREW_ITEMS, &item) && pqt_tree_contains(tree, item);
}

static bool
reads_by_pins(void *context)
{
    crew *c = context;
    for (size_t i = 0; !atomic_load(&c->ends); i++) {
        uint64_t number;
        pqt_pin *pin = pqt_head_pin(c->head, &number, NULL);
        REQUIRE(pin != NULL && is_version_whole(pqt_pin_get_tree(pin), number));
        if (i % 64 == 0)
            REQUIRE(pqt_tree_check(pqt_pin_get_tree(pin), NULL));
        pqt_unpin(&pin);
        atomic_fetch_add(&c->reads, 1);
    }
    return true;
}

static bool
reads_in_scopes(void *context)
{
    crew *c = context;
    pace p = {.heap = c->heap};
    while (!atomic_load(&c->ends)) {
        uint64_t number;
        REQUIRE(pqt_scope_begin(c->heap, NULL));
        const pqt_tree *tree = pqt_head_load(c->head, &number);
        REQUIRE(is_version_whole(tree, number));
        const pqt_tree *own = pqt_tree_remove_id(tree, 3, NULL);
        REQUIRE(own != NULL && pqt_tree_count(own) == CREW_ITEMS - 1);
        pqt_scope_end(c->heap);
        keep_pace(&p);
        atomic_fetch_add(&c->reads, 1);
    }
    return true;
}

static void
reclaim_and_measure(pqt_memory *heap, size_t call, atomic_ullong *most)
{
    if (pqt_memory_reclaim(heap, call % 100 == 0 ? PQT_RECLAIM_ALL : 5000))
        sched_yield();
    store_most(most, heap);
}

static bool
reclaims(void *context)
{
    crew *c = context;
    for (size_t i = 0; !atomic_load(&c->reclaiming_ends); i++)
        reclaim_and_measure(c->heap, i, &c->most);
    return true;
}

/* Counts the update, and moves another item. */
static const void *
count_and_move(const void *tree, void *context, pqt_error *error)
{
    pqt_item counter, item;
    (void)context;
    if (!pqt_tree_find(tree, 0, &counter))
        return NULL;
    const uint64_t number = (uint64_t)counter.box.min.x + 1;
    tree = pqt_tree_move_id(tree, 0, box_of_number(number), error);
    const uint64_t id = 1 + number % (CREW_ITEMS - 1);
    if (tree == NULL || !pqt_tree_find(tree, id, &item))
        return NULL;
    item.box.max.x += item.box.max.x - item.box.min.x > 5 ? -1 : 1;
    return pqt_tree_move_id(tree, id, item.box, error);
}

static bool
writes(void *context)
{
    crew *c = context;
    pace p = {.heap = c->heap};
    /* Runs at least until a cycle has ended. */
    for (size_t i = 0; i < c->edits_of_each || pqt_memory_get_stats(c->heap).collections == 0;
         i++) {
        REQUIRE(pqt_scope_begin(c->heap, NULL));
        REQUIRE(pqt_head_update(c->head, count_and_move, NULL, NULL, NULL) != NULL);
        pqt_scope_end(c->heap);
        keep_pace(&p);
    }
    return true;
}

START_TEST(threads_write_read_and_reclaim_at_once)
{
    crew c = {.heap = make_heap(), .edits_of_each = test_scaled(10000)};
    const pqt_tree *first = make_full_tree(c.heap, CREW_ITEMS, true);
    c.head = pqt_head_make(pqt_tree_move_id(first, 0, box_of_number(1), NULL), NULL);
    reclaim_all(c.heap);
    const uint64_t live = used_bytes(c.heap);
    /* one of the readers makes edits, too */
    const unsigned long long level = level_of(live, CREW_WRITERS + 1);
    job reclaimer = {.check = reclaims, .context = &c}, writers[CREW_WRITERS];
    job readers[CREW_READERS] = {{.check = reads_by_pins, .context = &c},
                                 {.check = reads_by_pins, .context = &c},
                                 {.check = reads_in_scopes, .context = &c}};
    begin(&reclaimer);
    for (int i = 0; i < CREW_READERS; i++)
        begin(&readers[i]);
    for (int i = 0; i < CREW_WRITERS; i++) {
        writers[i] = (job){.check = writes, .context = &c};
        begin(&writers[i]);
    }
    bool passed = true;
    for (int i = 0; i < CREW_WRITERS; i++)
        passed = end(&writers[i]) && passed;
    while (passed && atomic_load(&c.reads) < 100)
        sched_yield();
    atomic_store(&c.ends, true);
    for (int i = 0; i < CREW_READERS; i++)
        passed = end(&readers[i]) && passed;
    atomic_store(&c.reclaiming_ends, true); /* the last thread that waits for a cycle has ended */
    passed = end(&reclaimer) && passed;
    ck_assert(passed);
    const uint64_t edits = pqt_head_number(c.head) - 1;
    ck_assert_uint_ge(edits, CREW_WRITERS * c.edits_of_each);
    printf("# %llu edits, %zu reads, %llu cycles, at most %llu bytes, bound %llu\n",
           (unsigned long long)edits, atomic_load(&c.reads),
           (unsigned long long)pqt_memory_get_stats(c.heap).collections, atomic_load(&c.most),
           level);
    ck_assert_uint_gt(pqt_memory_get_stats(c.heap).collections, 0);
    const unsigned long long most = atomic_load(&c.most);
    ck_assert_uint_le(most, level);
    reclaim_all(c.heap);
    /* threads that have ended have returned their blocks */
    ck_assert_uint_le(used_bytes(c.heap), 2 * live);
    pqt_head_destroy(&c.head);
    reclaim_all(c.heap);
    ck_assert_uint_eq(used_bytes(c.heap), 0);
    pqt_heap_destroy(&c.heap);
}
END_TEST

/* Writers with their own indexed histories, readers that pin what the writers publish, and a thread
   that reclaims. */
enum { WRITERS = 2, READERS = 2, WRITTEN = 300 };

typedef struct archive {
    pqt_memory *heap;
    pqt_head *heads[WRITERS];
    atomic_size_t next, edits, reads;
    atomic_ullong most; /* the maximum number of bytes of the heap so far */
    atomic_bool ends;
    size_t edits_of_each;
} archive;

static bool
writes_an_indexed_history(void *context)
{
    archive *a = context;
    pqt_head *head = a->heads[atomic_fetch_add(&a->next, 1)];
    pace p = {.heap = a->heap};
    REQUIRE(pqt_scope_begin(a->heap, NULL));
    pqt_history *history = make_history(pqt_head_load(head, NULL), 50, true);
    pqt_scope_end(a->heap);
    for (uint64_t i = 0; i < a->edits_of_each; i++) {
        char label[32];
        snprintf(label, sizeof label, "edit %d", (int)(i % 20));
        REQUIRE(pqt_scope_begin(a->heap, NULL));
        if (i % 7 == 6)
            (void)pqt_history_undo(history);
        else
            push(history, nudge(current_of(history), i % WRITTEN, i / WRITTEN % 2 ? 1 : -1), label);
        REQUIRE(pqt_head_publish(head, current_of(history), NULL));
        pqt_scope_end(a->heap);
        atomic_fetch_add(&a->edits, 1);
        keep_pace(&p);
    }
    REQUIRE(pqt_tree_check(current_of(history), NULL));
    pqt_history_destroy(&history);
    return true;
}

static bool
pins_what_is_published(void *context)
{
    archive *a = context;
    for (size_t i = 0; !atomic_load(&a->ends); i++) {
        uint64_t number;
        pqt_item item;
        pqt_pin *pin = pqt_head_pin(a->heads[i % WRITERS], &number, NULL);
        REQUIRE(pin != NULL);
        const pqt_tree *tree = pqt_pin_get_tree(pin);
        REQUIRE(pqt_tree_count(tree) == WRITTEN);
        REQUIRE(pqt_tree_find(tree, number % WRITTEN, &item) && pqt_tree_contains(tree, item));
        if (i % 64 == 0)
            REQUIRE(pqt_tree_check(tree, NULL));
        pqt_unpin(&pin);
        atomic_fetch_add(&a->reads, 1);
    }
    return true;
}

static bool
reclaims_the_archive(void *context)
{
    archive *a = context;
    for (size_t i = 0; !atomic_load(&a->ends); i++)
        reclaim_and_measure(a->heap, i, &a->most);
    return true;
}

START_TEST(indexed_histories_are_written_pinned_and_reclaimed_at_once)
{
    archive a = {.heap = make_heap(), .edits_of_each = test_scaled(6000)};
    for (int i = 0; i < WRITERS; i++)
        a.heads[i] = pqt_head_make(make_full_tree(a.heap, WRITTEN, true), NULL);
    reclaim_all(a.heap);
    const uint64_t live = used_bytes(a.heap);
    job writers[WRITERS], readers[READERS],
        reclaimer = {.check = reclaims_the_archive, .context = &a};
    begin(&reclaimer);
    for (int i = 0; i < READERS; i++) {
        readers[i] = (job){.check = pins_what_is_published, .context = &a};
        begin(&readers[i]);
    }
    for (int i = 0; i < WRITERS; i++) {
        writers[i] = (job){.check = writes_an_indexed_history, .context = &a};
        begin(&writers[i]);
    }
    bool passed = true;
    for (int i = 0; i < WRITERS; i++)
        passed = end(&writers[i]) && passed;
    while (passed && (atomic_load(&a.reads) < 100 || pqt_memory_get_stats(a.heap).collections == 0))
        sched_yield();
    atomic_store(&a.ends, true);
    passed = end(&reclaimer) && passed;
    for (int i = 0; i < READERS; i++)
        passed = end(&readers[i]) && passed;
    ck_assert(passed);
    const unsigned long long level = level_of(live, WRITERS);
    printf("# %zu edits, %zu reads, %llu cycles, at most %llu bytes, bound %llu\n",
           atomic_load(&a.edits), atomic_load(&a.reads),
           (unsigned long long)pqt_memory_get_stats(a.heap).collections, atomic_load(&a.most),
           level);
    const unsigned long long most = atomic_load(&a.most);
    ck_assert_uint_le(most, level);
    reclaim_all(a.heap); /* the histories are destroyed, and each head holds one version */
    ck_assert_uint_le(used_bytes(a.heap), 2 * live);
    for (int i = 0; i < WRITERS; i++)
        pqt_head_destroy(&a.heads[i]);
    reclaim_all(a.heap);
    ck_assert_uint_eq(used_bytes(a.heap), 0);
    pqt_heap_destroy(&a.heap);
}
END_TEST

/* A thread pins a version of its scope while the cycle waits for that scope. It unpins the version
   after another thread has made a version from it in a newer scope. */
enum { HOLDS = 1, MAY_PIN, HAS_PINNED, MAY_END };

typedef struct lender {
    pqt_memory *heap;
    pqt_pin *pin;
    atomic_int stage;
} lender;

static void
await(lender *l, int stage)
{
    while (atomic_load(&l->stage) < stage)
        sched_yield();
}

static bool
lends_a_version(void *context)
{
    lender *l = context;
    REQUIRE(pqt_scope_begin(l->heap, NULL));
    const pqt_tree *tree = make_full_tree(l->heap, 2000, true);
    atomic_store(&l->stage, HOLDS);
    await(l, MAY_PIN);
    l->pin = pqt_tree_pin(tree, NULL);
    atomic_store(&l->stage, HAS_PINNED);
    await(l, MAY_END);
    pqt_unpin(&l->pin);
    pqt_scope_end(l->heap);
    return true;
}

START_TEST(a_version_made_from_a_pinned_one_outlives_the_pin)
{
    lender l = {.heap = make_heap()};
    job other = {.check = lends_a_version, .context = &l};
    begin(&other);
    await(&l, HOLDS);
    ck_assert(!pqt_memory_reclaim(l.heap, PQT_RECLAIM_ALL));
    atomic_store(&l.stage, MAY_PIN);
    await(&l, HAS_PINNED);
    ck_assert(pqt_scope_begin(l.heap, NULL));
    const pqt_tree *tree = nudge(pqt_pin_get_tree(l.pin), 7, 1);
    atomic_store(&l.stage, MAY_END);
    ck_assert(end(&other));
    /* Ends the cycle. The next cycle waits for this scope. */
    ck_assert(!pqt_memory_reclaim(l.heap, PQT_RECLAIM_ALL));
    ck_assert_uint_eq(pqt_memory_get_stats(l.heap).collections, 1);
    (void)make_full_tree(l.heap, 2000, false); /* reuses the freed blocks */
    ck_assert(pqt_tree_check(tree, NULL));
    pqt_scope_end(l.heap);
    pqt_heap_destroy(&l.heap);
}
END_TEST

/* Two threads make versions, keep them by pins, and reclaim. Blocks of one word pass from one
   thread to the other. */
enum { KEPT_BY_EACH = 40, ITEMS_OF_EACH = 30 };

static bool
keeps_and_reclaims(void *context)
{
    pqt_memory *heap = context;
    static atomic_uint threads;
    dice d = {test_seed("keeps_and_reclaims") + atomic_fetch_add(&threads, 1)};
    pqt_pin *pins[KEPT_BY_EACH] = {NULL};
    uint64_t first[KEPT_BY_EACH];
    for (size_t i = 0; i < test_scaled(3000); i++) {
        const size_t k = dice_below(&d, KEPT_BY_EACH);
        for (uint64_t j = 0; pins[k] != NULL && j < ITEMS_OF_EACH; j++)
            REQUIRE(pqt_tree_contains(pqt_pin_get_tree(pins[k]), item_of(first[k] + j)));
        pqt_unpin(&pins[k]);
        REQUIRE(pqt_scope_begin(heap, NULL));
        const pqt_tree *tree = make_tree(heap, false);
        first[k] = dice_below(&d, 100000);
        for (uint64_t j = 0; j < ITEMS_OF_EACH; j++)
            tree = pqt_tree_insert(tree, item_of(first[k] + j), NULL);
        pins[k] = pqt_tree_pin(tree, NULL);
        REQUIRE(pins[k] != NULL);
        pqt_scope_end(heap);
        if (i % 7 == 0)
            pqt_memory_reclaim(heap, PQT_RECLAIM_ALL);
    }
    for (size_t k = 0; k < KEPT_BY_EACH; k++)
        pqt_unpin(&pins[k]);
    return true;
}

START_TEST(two_threads_never_take_the_same_block)
{
    pqt_memory *heap = make_heap();
    job jobs[] = {{.check = keeps_and_reclaims, .context = heap},
                  {.check = keeps_and_reclaims, .context = heap}};
    begin(&jobs[0]);
    begin(&jobs[1]);
    const bool first = end(&jobs[0]), second = end(&jobs[1]);
    ck_assert(first && second);
    reclaim_all(heap);
    ck_assert_uint_eq(used_bytes(heap), 0);
    pqt_heap_destroy(&heap);
}
END_TEST

static bool
stays_in_a_scope(void *context)
{
    return pqt_scope_begin(context, NULL) && make_tree(context, false) != NULL;
}

START_TEST(a_thread_that_ends_ends_its_scope)
{
    pqt_memory *heap = make_heap();
    ck_assert(in_thread(stays_in_a_scope, heap));
    reclaim_all(heap);
    pqt_heap_destroy(&heap);
}
END_TEST

static bool
keeps_versions_in_a_scope(void *context)
{
    pqt_memory *heap = context;
    REQUIRE(pqt_scope_begin(heap, NULL));
    const pqt_tree *tree = make_full_tree(heap, 1000, true);
    REQUIRE(!pqt_memory_reclaim(heap, PQT_RECLAIM_ALL));
    (void)make_full_tree(heap, 1000, false); /* would reuse the freed blocks */
    REQUIRE(pqt_tree_check(tree, NULL));
    pqt_scope_end(heap);
    return true;
}

static size_t
count_parts(pqt_memory *heap)
{
    size_t count = 0;
    const pqti_heap_thread *part = atomic_load(&inside_of(heap)->threads);
    for (; part != NULL; part = part->next)
        count++;
    return count;
}

START_TEST(a_thread_takes_the_part_of_one_that_ended_in_a_scope_and_has_a_scope_of_its_own)
{
    pqt_memory *heap = make_heap();
    for (int i = 0; i < 20; i++) {
        ck_assert(in_thread(stays_in_a_scope, heap));
        ck_assert(in_thread(keeps_versions_in_a_scope, heap));
    }
    ck_assert_uint_eq(count_parts(heap), 1);
    reclaim_all(heap);
    ck_assert_uint_eq(used_bytes(heap), 0);
    pqt_heap_destroy(&heap);
}
END_TEST

typedef struct guest {
    pqt_memory *heap;
    atomic_bool has_made, may_end;
} guest;

/* Takes blocks that it does not use all. It returns the others when it ends. */
static bool
makes_a_tree_and_waits(void *context)
{
    guest *g = context;
    REQUIRE(make_full_tree(g->heap, 3, true) != NULL);
    atomic_store(&g->has_made, true);
    while (!atomic_load(&g->may_end))
        sched_yield();
    return true;
}

START_TEST(a_thread_may_return_its_blocks_at_each_step_of_a_sweep)
{
    bool is_swept = false;
    for (size_t steps = 0; !is_swept; steps++) {
        guest g = {.heap = make_heap()};
        job other = {.check = makes_a_tree_and_waits, .context = &g};
        begin(&other);
        while (!atomic_load(&g.has_made))
            sched_yield();
        advance_to(g.heap, PQTI_SWEEPING);
        for (size_t i = 0; i < steps && !is_swept; i++)
            is_swept = pqt_memory_reclaim(g.heap, 1);
        atomic_store(&g.may_end, true);
        ck_assert(end(&other));
        reclaim_all(g.heap);
        ck_assert_uint_eq(used_bytes(g.heap), 0);
        pqt_heap_destroy(&g.heap);
    }
}
END_TEST

/* A thread that uses a heap again after its part was returned: in a destructor of the host, which
   may run after that of the library. Meanwhile another thread owns the part. */
typedef struct latecomer {
    pqt_memory *heap;
    pthread_key_t key;
    job successor;
    atomic_bool has_part, may_leave, has_left, may_end;
    int calls; /* of the destructor */
} latecomer;

static void
wait_until(atomic_bool *done)
{
    while (!atomic_load(done))
        sched_yield();
}

static bool
takes_the_part(void *context)
{
    latecomer *l = context;
    REQUIRE(pqt_scope_begin(l->heap, NULL));
    atomic_store(&l->has_part, true);
    wait_until(&l->may_leave);
    pqt_scope_end(l->heap);
    atomic_store(&l->has_left, true);
    wait_until(&l->may_end);
    return true;
}

/* At its first call, asks for another one, so that the library's destructor has run before it. The
   scope that it begins then must end with the thread. */
static void
use_heap_late(void *context)
{
    latecomer *l = context;
    if (l->calls++ == 0) {
        (void)pthread_setspecific(l->key, l);
        return;
    }
    begin(&l->successor);
    wait_until(&l->has_part);
    (void)pqt_scope_begin(l->heap, NULL);
}

static bool
uses_heap_and_ends(void *context)
{
    latecomer *l = context;
    return pthread_setspecific(l->key, l) == 0 && make_tree(l->heap, false) != NULL;
}

START_TEST(a_thread_that_uses_a_heap_after_its_part_was_returned_gets_another)
{
    latecomer l = {.heap = make_heap()};
    l.successor = (job){.check = takes_the_part, .context = &l};
    ck_assert_int_eq(pthread_key_create(&l.key, use_heap_late), 0);
    ck_assert(in_thread(uses_heap_and_ends, &l));
    ck_assert_int_eq(l.calls, 2);
    atomic_store(&l.may_leave, true);
    wait_until(&l.has_left);
    reclaim_all(l.heap); /* no scope is open */
    atomic_store(&l.may_end, true);
    ck_assert(end(&l.successor));
    pthread_key_delete(l.key);
    pqt_heap_destroy(&l.heap);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("heap threads");
    TCase *tests = tcase_create("heap threads");
    tcase_add_test(tests, a_thread_that_ends_ends_its_scope);
    tcase_add_test(tests,
                   a_thread_takes_the_part_of_one_that_ended_in_a_scope_and_has_a_scope_of_its_own);
    tcase_add_test(tests, a_thread_may_return_its_blocks_at_each_step_of_a_sweep);
    tcase_add_test(tests, a_thread_that_uses_a_heap_after_its_part_was_returned_gets_another);
    suite_add_tcase(suite, tests);

    TCase *threads = tcase_create("threads"); /* thread sanitizer runs these tests, too */
    tcase_add_test(threads, threads_write_read_and_reclaim_at_once);
    tcase_add_test(threads, indexed_histories_are_written_pinned_and_reclaimed_at_once);
    tcase_add_test(threads, a_version_made_from_a_pinned_one_outlives_the_pin);
    tcase_add_test(threads, two_threads_never_take_the_same_block);
    suite_add_tcase(suite, threads);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
