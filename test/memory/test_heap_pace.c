/* SPDX-License-Identifier: MIT */
/*
 * test_heap_pace.c: tests how much work a call on a heap does, and that paced reclaiming bounds its
 * memory.
 */
#include "config.h"

#include <pqt.h>

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "heap_cycles.h"
#include "heap_support.h"
#include "memory_support.h"
#include "random.h"
#include "suite.h"

/* ---- Work and memory ---- */

/* Returns the number of blocks that the next call marks and sweeps. */
static uint64_t
work_of(pqt_memory *heap, size_t blocks)
{
    const pqt_memory_stats before = pqt_memory_get_stats(heap);
    pqt_memory_reclaim(heap, blocks);
    const pqt_memory_stats after = pqt_memory_get_stats(heap);
    return after.blocks_marked - before.blocks_marked + after.blocks_swept - before.blocks_swept;
}

START_TEST(no_call_marks_or_sweeps_more_than_its_limit)
{
    pqt_memory *heap = make_heap();
    pqt_history *history = make_history(make_full_tree(heap, 5000, true), 0, false);
    dice d = {test_seed("no_call_marks_or_sweeps_more_than_its_limit")};
    for (uint64_t i = 0; i < test_scaled(3000); i++) {
        const size_t blocks = dice_below(&d, 100);
        push(history, nudge(current_of(history), i % 5000, 1), "move");
        ck_assert_uint_le(work_of(heap, blocks), blocks);
    }
    ck_assert_uint_gt(pqt_memory_get_stats(heap).blocks_marked, 1000);
    /* A sequence of calls that process one block each also ends a cycle. */
    const uint64_t cycles = pqt_memory_get_stats(heap).collections;
    for (size_t i = 0; i < 10000000 && pqt_memory_get_stats(heap).collections == cycles; i++) {
        if (i % 64 == 0)
            nudge(current_of(history), i % 5000, 1);
        ck_assert_uint_le(work_of(heap, 1), 1);
    }
    ck_assert_uint_gt(pqt_memory_get_stats(heap).collections, cycles);
    pqt_history_destroy(&history);
    pqt_heap_destroy(&heap);
}
END_TEST

/* Threads that use a heap. Each waits until all of them have used it. Their states remain in the
   heap. */
enum { VISITORS = 30 };

typedef struct visits {
    pqt_memory *heap;
    atomic_size_t count;
} visits;

static bool
visits_together(void *context)
{
    visits *v = context;
    REQUIRE(pqt_scope_begin(v->heap, NULL));
    pqt_scope_end(v->heap);
    atomic_fetch_add(&v->count, 1);
    while (atomic_load(&v->count) < VISITORS)
        sched_yield();
    return true;
}

static void
visit_by_many_threads(pqt_memory *heap)
{
    visits v = {.heap = heap};
    job jobs[VISITORS];
    for (int i = 0; i < VISITORS; i++) {
        jobs[i] = (job){.check = visits_together, .context = &v};
        begin(&jobs[i]);
    }
    for (int i = 0; i < VISITORS; i++)
        ck_assert(end(&jobs[i]));
}

/* Returns the number of steps that the next call takes: references popped from the mark stack,
   words and pins scanned, states of threads visited, roots and blocks. */
static uint64_t
steps_of(pqt_memory *heap, size_t blocks)
{
    const pqti_heap *inside = (const pqti_heap *)heap;
    const uint64_t before = inside->steps;
    pqt_memory_reclaim(heap, blocks);
    return inside->steps - before;
}

/* There are many threads, and many pins of few versions, so that the mark stack contains
 * duplicates. */
START_TEST(no_call_takes_more_steps_than_its_limit)
{
    enum { PINS = 20000 };
    pqt_memory *heap = make_heap();
    pqt_pin **pins = calloc(PINS, sizeof(pqt_pin *));
    const pqt_tree *tree = make_full_tree(heap, 3000, true);
    pqt_pin *first = pqt_tree_pin(tree, NULL);
    visit_by_many_threads(heap);
    dice d = {test_seed("no_call_takes_more_steps_than_its_limit")};
    const size_t usual = test_scaled(4 * (size_t)PINS);
    for (size_t i = 0; i < usual || pqt_memory_get_stats(heap).collections <= 2; i++) {
        const size_t blocks = dice_chance(&d, 10) ? dice_below(&d, 1000) : dice_below(&d, 60);
        if (i % 10 == 0)
            tree = nudge(pins[i % PINS] != NULL ? pqt_pin_get_tree(pins[i % PINS])
                                                : pqt_pin_get_tree(first),
                         i % 3000, 1);
        pqt_unpin(&pins[i % PINS]);
        pins[i % PINS] = pqt_tree_pin(i % 10 == 0 ? tree : pqt_pin_get_tree(first), NULL);
        ck_assert_uint_le(steps_of(heap, blocks), blocks);
    }
    for (size_t i = 0; i < PINS; i++)
        pqt_unpin(&pins[i]);
    pqt_unpin(&first);
    reclaim_all(heap);
    ck_assert_uint_eq(used_bytes(heap), 0);
    pqt_heap_destroy(&heap);
    free(pins);
}
END_TEST

typedef struct counted_release {
    uint64_t bytes;
} counted_release;

static void *
allocate_for_counting(size_t bytes, size_t alignment, void *context)
{
    (void)context;
    return aligned_alloc(alignment, bytes);
}

static void
release_and_count(void *memory, size_t bytes, void *context)
{
    counted_release *r = context;
    r->bytes += bytes;
    free(memory);
}

/* A map has values of 1 MiB, and a tree has many slabs. */
START_TEST(memory_is_given_back_in_slices)
{
    enum { VALUES = 40, SIZE = 1 << 20, SLICE = 100, STEP = 4096 };
    counted_release released = {0};
    pqt_heap_options options = PQT_HEAP_DEFAULTS;
    options.allocate = allocate_for_counting;
    options.release = release_and_count;
    options.context = &released;
    pqt_memory *heap = pqt_heap_make(&options, NULL);
    pqt_map_options map_options = PQT_MAP_DEFAULTS;
    map_options.values = PQT_MAP_BYTE_VALUES;
    map_options.memory = heap;
    const pqt_map *map = pqt_map_make(&map_options, NULL);
    void *bytes = calloc(1, SIZE);
    for (uint64_t i = 0; i < VALUES; i++)
        map = pqt_map_insert(map, pqt_map_id(i), pqt_map_bytes(bytes, SIZE), NULL);
    ck_assert_ptr_nonnull(map);
    (void)make_full_tree(heap, 20000, true);
    uint64_t steps = 0;
    do {
        const uint64_t taken = steps_of(heap, SLICE);
        steps += taken;
        ck_assert_uint_le(taken, SLICE);
        ck_assert_uint_le(released.bytes, steps * STEP);
    } while (pqt_memory_get_stats(heap).collections == 0);
    ck_assert_uint_gt(released.bytes, (uint64_t)VALUES * SIZE);
    free(bytes);
    pqt_heap_destroy(&heap);
}

END_TEST

/* With the option, the heap does not grow although only pushes and publishes reclaim. */
START_TEST(reclaiming_at_pushes_alone_bounds_the_heap)
{
    pqt_heap_options options = PQT_HEAP_DEFAULTS;
    options.reclaim_at_push = true;
    pqt_memory *heap = pqt_heap_make(&options, NULL);
    pqt_history *history = make_history(make_full_tree(heap, 3000, true), 50, false);
    pqt_head *head = pqt_head_make(current_of(history), NULL);
    for (uint64_t i = 0; i < 20000; i++) {
        push(history, nudge(current_of(history), i % 3000, i / 3000 % 2 ? 1 : -1), "move");
        ck_assert(pqt_head_publish(head, current_of(history), NULL));
    }
    const uint64_t most = pqt_memory_get_stats(heap).bytes;
    reclaim_all(heap);
    ck_assert_uint_lt(most, 3 * used_bytes(heap) + 1000000);
    ck_assert(pqt_tree_check(current_of(history), NULL));
    pqt_head_destroy(&head);
    pqt_history_destroy(&history);
    pqt_heap_destroy(&heap);
}

END_TEST

/* Moves 500 of 3,000 items as one version. */
static const pqt_tree *
scatter(const pqt_tree *tree, uint64_t round)
{
    pqt_change changes[500];
    for (uint64_t i = 0; i < 500; i++) {
        const pqt_item to = item_of(round * 500 + i);
        changes[i] = (pqt_change){PQT_MOVE_ID, {to.box, (round * 7 + i * 6) % 3000}, to.box};
    }
    return pqt_tree_apply(tree, changes, 500, NULL);
}

/* A version of many changes allocates many more blocks than one of a single edit. */
START_TEST(paced_reclaiming_keeps_up_with_batches)
{
    pqt_memory *heap = make_heap();
    pqt_pin *pin = pqt_tree_pin(make_full_tree(heap, 3000, true), NULL);
    reclaim_all(heap);
    const uint64_t live = used_bytes(heap);
    uint64_t most = 0;
    for (uint64_t round = 0; round < 400; round++) {
        pqt_pin *next = pqt_tree_pin(scatter(pqt_pin_get_tree(pin), round), NULL);
        pqt_unpin(&pin);
        pin = next;
        pqt_memory_reclaim(heap, PQT_RECLAIM_PACED);
        most = used_bytes(heap) > most ? used_bytes(heap) : most;
    }
    ck_assert(pqt_tree_check(pqt_pin_get_tree(pin), NULL));
    ck_assert_uint_lt(most, 4 * live + 1000000);
    ck_assert(pqt_memory_get_stats(heap).collections > 20);
    pqt_unpin(&pin);
    pqt_heap_destroy(&heap);
}
END_TEST

static pqt_memory *
make_growing_heap(double growth)
{
    pqt_heap_options options = PQT_HEAP_DEFAULTS;
    options.growth = growth;
    pqt_memory *heap = pqt_heap_make(&options, NULL);
    ck_assert_ptr_nonnull(heap);
    return heap;
}

/* Returns the maximum number of used bytes of a heap with `live` bytes, if PQT_RECLAIM_PACED
   follows each version and a version takes at most 400,000 bytes. A heap grows by 256 KiB at
   least. */
static uint64_t
most_of_paced(double growth, uint64_t live)
{
    return (uint64_t)((growth + 1) * (double)live) + 262144 + 2 * 400000;
}

enum { PACED_KEYS = 10000, PACED_CHANGES = 2500 };

/* Changes the values of 2,500 of 10,000 keys as one version. */
static const pqt_map *
change_values(const pqt_map *map, uint64_t round)
{
    static const char *const values[] = {"a", "b", "c"};
    pqt_map_change changes[PACED_CHANGES];
    for (uint64_t i = 0; i < PACED_CHANGES; i++)
        changes[i] = (pqt_map_change){.kind = PQT_MAP_INSERT,
                                      .key = pqt_map_id((round * 7919 + i * 4) % PACED_KEYS),
                                      .value = pqt_map_bytes(values[(round + i) % 3], 1)};
    return pqt_map_apply(map, changes, PACED_CHANGES, NULL);
}

/* Replaces a pinned version by the next one, and reclaims as the packages do after each call. */
static void
replace_paced(pqt_memory *heap, pqt_pin **pin, pqt_pin *next)
{
    pqt_unpin(pin);
    *pin = next;
    pqt_memory_reclaim(heap, PQT_RECLAIM_PACED);
}

static const double paced_growths[] = {1.5, 4, 10};

/* Blocks that are allocated during a cycle count as growth, not as live. */
START_TEST(paced_reclaiming_bounds_batches_of_trees)
{
    const double growth = paced_growths[_i];
    pqt_memory *heap = make_growing_heap(growth);
    pqt_pin *pin = pqt_tree_pin(make_full_tree(heap, 3000, true), NULL);
    reclaim_all(heap);
    const uint64_t live = used_bytes(heap);
    const size_t rounds = test_scaled_from(400, 20);
    for (uint64_t round = 0; round < rounds; round++) {
        replace_paced(heap, &pin, pqt_tree_pin(scatter(pqt_pin_get_tree(pin), round), NULL));
        ck_assert_uint_le(used_bytes(heap), most_of_paced(growth, live));
    }
    pqt_unpin(&pin);
    pqt_heap_destroy(&heap);
}
END_TEST

START_TEST(paced_reclaiming_bounds_batches_of_maps)
{
    const double growth = paced_growths[_i];
    pqt_memory *heap = make_growing_heap(growth);
    pqt_map_options options = PQT_MAP_DEFAULTS;
    options.memory = heap;
    options.values = PQT_MAP_BYTE_VALUES;
    const pqt_map *map = pqt_map_make(&options, NULL);
    for (uint64_t round = 0; round < PACED_KEYS; round++)
        map = pqt_map_insert(map, pqt_map_id(round), pqt_map_bytes("x", 1), NULL);
    pqt_pin *pin = pqt_map_pin(map, NULL);
    reclaim_all(heap);
    const uint64_t live = used_bytes(heap);
    const size_t rounds = test_scaled_from(300, 20);
    for (uint64_t round = 0; round < rounds; round++) {
        replace_paced(heap, &pin, pqt_map_pin(change_values(pqt_pin_get_map(pin), round), NULL));
        ck_assert_uint_le(used_bytes(heap), most_of_paced(growth, live));
    }
    pqt_unpin(&pin);
    pqt_heap_destroy(&heap);
}
END_TEST

typedef struct waiting_scope {
    pqt_memory *heap;
    pthread_barrier_t begun, ends;
} waiting_scope;

static void *
keep_a_scope_open(void *context)
{
    waiting_scope *scope = context;
    ck_assert(pqt_scope_begin(scope->heap, NULL));
    pthread_barrier_wait(&scope->begun);
    pthread_barrier_wait(&scope->ends);
    pqt_scope_end(scope->heap);
    return NULL;
}

/* Moves items one by one, and reclaims after each version. */
static void
nudge_paced(pqt_memory *heap, pqt_pin **pin, uint64_t edits)
{
    for (uint64_t i = 0; i < edits; i++) {
        const double by = i % 2 == 0 ? 1 : -1;
        pqt_pin *next = pqt_tree_pin(nudge(pqt_pin_get_tree(*pin), i * 13 % 2000, by), NULL);
        replace_paced(heap, pin, next);
    }
}

/* Nor are blocks live that were allocated while a scope delayed the cycle. So the next cycle begins
   at once, and the memory falls before as many blocks have been allocated again. */
START_TEST(memory_falls_after_a_long_scope)
{
    const double growth = paced_growths[_i];
    waiting_scope scope = {.heap = make_growing_heap(growth)};
    pqt_pin *pin = pqt_tree_pin(make_full_tree(scope.heap, 2000, true), NULL);
    reclaim_all(scope.heap);
    const uint64_t live = used_bytes(scope.heap);
    pthread_t thread;
    pthread_barrier_init(&scope.begun, NULL, 2);
    pthread_barrier_init(&scope.ends, NULL, 2);
    ck_assert_int_eq(pthread_create(&thread, NULL, keep_a_scope_open, &scope), 0);
    pthread_barrier_wait(&scope.begun);
    nudge_paced(scope.heap, &pin, 10000);
    ck_assert_uint_gt(used_bytes(scope.heap), 2 * most_of_paced(growth, live));
    pthread_barrier_wait(&scope.ends);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    nudge_paced(scope.heap, &pin, 10000);
    ck_assert_uint_le(used_bytes(scope.heap), most_of_paced(growth, live));
    pthread_barrier_destroy(&scope.begun);
    pthread_barrier_destroy(&scope.ends);
    pqt_unpin(&pin);
    pqt_heap_destroy(&scope.heap);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("heap pace");
    TCase *tests = tcase_create("heap pace");
    tcase_add_test(tests, no_call_marks_or_sweeps_more_than_its_limit);
    tcase_add_test(tests, no_call_takes_more_steps_than_its_limit);
    tcase_add_test(tests, memory_is_given_back_in_slices);
    tcase_add_test(tests, reclaiming_at_pushes_alone_bounds_the_heap);
    tcase_add_test(tests, paced_reclaiming_keeps_up_with_batches);
    tcase_add_loop_test(tests, paced_reclaiming_bounds_batches_of_trees, 0, 3);
    tcase_add_loop_test(tests, paced_reclaiming_bounds_batches_of_maps, 0, 3);
    tcase_add_loop_test(tests, memory_falls_after_a_long_scope, 0, 3);
    suite_add_tcase(suite, tests);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
