/* SPDX-License-Identifier: MIT */
/*
 * test_waiting.c: tests moments at which one thread must wait for another, or must let it go first.
 *
 * Such a moment lasts nanoseconds, so threads that run freely hardly ever meet in it. Here,
 * functions that replace those of the system stop a thread there, or count how often it lets others
 * go first. All versions are in arenas and heaps, so the collector does not call these functions.
 */
#include "config.h"

#include <pqt.h>

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "memory_support.h"
#include "suite.h"
#include "tree_support.h"

/* ---- A condition that gives other threads time before the wait begins ---- */

enum { YIELDS = 2000 };

static atomic_uint broadcasts;
static atomic_bool is_before_wait; /* a thread has decided to wait */
static atomic_bool is_publishing, has_published;
static atomic_bool was_too_early; /* a thread published after that, and before the wait began */
static atomic_bool was_unlocked;  /* a thread waited without the lock */

static int
wait_slowly(pthread_mutex_t *lock)
{
    const unsigned before = atomic_load(&broadcasts);
    if (pthread_mutex_trylock(lock) != EBUSY)
        atomic_store(&was_unlocked, true);
    atomic_store(&is_before_wait, true);
    while (!atomic_load(&is_publishing))
        sched_yield();
    for (int i = 0; i < YIELDS && !atomic_load(&has_published); i++)
        sched_yield();
    if (atomic_load(&has_published) || atomic_load(&broadcasts) != before)
        atomic_store(&was_too_early, true);
    pthread_mutex_unlock(lock);
    while (atomic_load(&broadcasts) == before && !atomic_load(&was_too_early))
        sched_yield();
    return pthread_mutex_lock(lock);
}

int
pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *lock)
{
    (void)condition;
    return wait_slowly(lock);
}

int
pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *lock,
                       const struct timespec *deadline)
{
    (void)condition;
    (void)deadline;
    return wait_slowly(lock);
}

int
pthread_cond_broadcast(pthread_cond_t *condition)
{
    (void)condition;
    atomic_fetch_add(&broadcasts, 1);
    return 0;
}

typedef struct waiter {
    pqt_head *head;
    double seconds;
} waiter;

static bool
waits(void *context)
{
    const waiter *w = context;
    return pqt_head_wait(w->head, 1, w->seconds);
}

/* The waiting thread has counted itself and has read the number of the newest version. If the
   publication did not wait for it now, it would wake nobody. _i selects a wait without a deadline.
 */
START_TEST(a_publication_waits_until_a_thread_that_is_about_to_wait_can_be_woken)
{
    const pqt_tree *tree = small_tree(2);
    waiter w = {pqt_head_make(tree, NULL), _i == 0 ? 1000 : 1e9};
    ck_assert_ptr_nonnull(w.head);
    job other = {.check = waits, .context = &w};
    begin(&other);
    while (!atomic_load(&is_before_wait))
        sched_yield();
    const pqt_tree *next = inserted(tree, (pqt_item){box(1, 1, 3, 2), 7});
    atomic_store(&is_publishing, true);
    const bool done = pqt_head_publish(w.head, next, NULL);
    atomic_store(&has_published, true);
    ck_assert(end(&other) && done);
    ck_assert_msg(!was_unlocked, "the thread waits without the lock");
    ck_assert_msg(!was_too_early, "the publication wakes nobody");
    ck_assert_uint_eq(broadcasts, 1);
    pqt_head_destroy(&w.head);
}
END_TEST

/* ---- Slices ---- */

static _Thread_local size_t unlocked;

int
pthread_mutex_unlock(pthread_mutex_t *lock)
{
    typedef int unlock_fn(pthread_mutex_t *);
    static _Atomic(unlock_fn *) unlock;
    unlock_fn *found = atomic_load(&unlock);
    if (found == NULL) {
        found = (unlock_fn *)dlsym(RTLD_NEXT, "pthread_mutex_unlock");
        atomic_store(&unlock, found);
    }
    unlocked++;
    return found(lock);
}

/* A call that reclaims everything takes long. Other threads must be able to take a lock of the heap
   meanwhile: after every 256 blocks, the call unlocks the heap. */
START_TEST(a_call_that_reclaims_a_whole_heap_lets_others_in_after_each_slice)
{
    enum { ITEMS = 20000, SLICE = 256 };
    pqt_memory *heap = pqt_heap_make(NULL, NULL);
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.memory = heap;
    options.leaf_capacity = 1;
    ck_assert(pqt_scope_begin(heap, NULL));
    const pqt_tree *tree = pqt_tree_make(box(0, 0, ITEMS, ITEMS), &options, NULL);
    for (uint64_t i = 0; i < ITEMS; i++)
        tree = pqt_tree_insert(tree, (pqt_item){box((double)i, (double)i, (double)i, (double)i), i},
                               NULL);
    pqt_pin *pin = pqt_tree_pin(tree, NULL);
    ck_assert_ptr_nonnull(pin);
    pqt_scope_end(heap);
    const size_t before = unlocked;
    const pqt_memory_stats at_first = pqt_memory_get_stats(heap);
    ck_assert(pqt_memory_reclaim(heap, PQT_RECLAIM_ALL));
    const pqt_memory_stats at_last = pqt_memory_get_stats(heap);
    const uint64_t blocks = at_last.blocks_marked - at_first.blocks_marked + at_last.blocks_swept -
                            at_first.blocks_swept;
    ck_assert_uint_gt(blocks, 20 * SLICE);
    ck_assert_uint_ge(unlocked - before, blocks / SLICE);
    pqt_unpin(&pin);
    pqt_heap_destroy(&heap);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("waiting");
    TCase *tests = tcase_create("moments");
    tcase_add_checked_fixture(tests, open_arena, close_arena);
    tcase_add_loop_test(
        tests, a_publication_waits_until_a_thread_that_is_about_to_wait_can_be_woken, 0, 2);
    tcase_add_test(tests, a_call_that_reclaims_a_whole_heap_lets_others_in_after_each_slice);
    suite_add_tcase(suite, tests);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
