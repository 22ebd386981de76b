/* SPDX-License-Identifier: MIT */
/*
 * test_interrupted.c: tests that nothing remains locked if a thread is cancelled or exits inside a
 * call, or if a process forks while other threads are inside one.
 *
 * If a fault makes a child hang, an alarm ends it.
 */
#include "config.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "head_support.h"
#include "memory/memory_internal.h"
#include "require.h"
#include "suite.h"
#include "version/head_internal.h"

typedef struct waiter {
    pqt_head *head;
    uint64_t after;
    double seconds;
    bool found;
    pthread_t thread;
} waiter;

static void *
wait_at_head(void *context)
{
    waiter *this = context;
    this->found = pqt_head_wait(this->head, this->after, this->seconds);
    return NULL;
}

static void
await_waiters(pqt_head *head, unsigned count)
{
    while (pqti_head_waiters(head) != count)
        sched_yield();
}

static void
begin_waiting(waiter *this)
{
    ck_assert_int_eq(pthread_create(&this->thread, NULL, wait_at_head, this), 0);
}

/* ---- Cancellation ---- */

static void
expect_cancelled(pthread_t thread)
{
    void *result = NULL;
    ck_assert_int_eq(pthread_cancel(thread), 0);
    ck_assert_int_eq(pthread_join(thread, &result), 0);
    ck_assert_ptr_eq(result, PTHREAD_CANCELED);
}

/* _i selects whether the wait has no limit or a long one. */
START_TEST(a_thread_that_is_cancelled_while_it_waits_leaves_the_head_to_others)
{
    const pqt_tree *tree = small_tree(2);
    pqt_head *head = head_of(tree);
    const double seconds = _i == 0 ? INFINITY : 1000;
    waiter cancelled = {.head = head, .after = 1, .seconds = seconds};
    waiter other = {.head = head, .after = 1, .seconds = seconds};
    begin_waiting(&cancelled);
    begin_waiting(&other);
    await_waiters(head, 2);
    expect_cancelled(cancelled.thread);
    ck_assert_uint_eq(pqti_head_waiters(head), 1);
    publish(head, inserted(tree, cat));
    ck_assert_int_eq(pthread_join(other.thread, NULL), 0);
    ck_assert(other.found);
    ck_assert(!pqt_head_wait(head, 2, 1e-9));
    pqt_head_destroy(&head);
}
END_TEST

#if !TESTED_WITH_ADDRESS_SANITIZER

static void *
work_until_cancelled(void *context)
{
    pqt_error error = {0};
    pqt_head *head = context;
    if (!pqt_thread_attach(&error))
        return NULL;
    for (size_t i = 0;; i = (i + 1) % 64) {
        const pqt_tree *tree = pqt_head_load(head, NULL);
        tree = pqt_tree_remove(tree, dot_of_grid(8, i), &error);
        tree = pqt_tree_insert(tree, dot_of_grid(8, i), &error);
        if (!pqt_head_publish(head, tree, &error))
            return NULL;
        pthread_testcancel();
    }
}

/* Only waiting is a cancellation point. No call to the collector is one. */
START_TEST(threads_that_are_cancelled_while_they_make_versions_leave_the_memory_to_others)
{
    use_memory(1);
    pqt_error error = {0};
    for (int i = 0; i < 20; i++) {
        pthread_t thread;
        pqt_head *head = head_of(small_tree(2));
        ck_assert_int_eq(pthread_create(&thread, NULL, work_until_cancelled, head), 0);
        while (pqt_head_number(head) < 50)
            pqti_collect(pqt_collector());
        expect_cancelled(thread);
        pqti_collect(pqt_collector());
        const pqt_tree *tree = pqt_tree_insert(pqt_head_load(head, NULL), cat, &error);
        ck_assert(pqt_head_publish(head, must(tree, &error), &error));
        pqt_head_destroy(&head);
    }
}
END_TEST

#endif

static const void *
exit_thread(const void *now, void *context, pqt_error *error)
{
    (void)now;
    (void)error;
    pthread_exit(context);
}

static void *
exit_in_update(void *context)
{
    pqt_head *head = context;
    /* An arena needs no attached thread, and the collector has not started. */
    (void)pqt_thread_attach(NULL);
    (void)pqt_head_update(head, exit_thread, context, NULL, NULL);
    return NULL;
}

START_TEST(a_thread_that_exits_in_an_update_leaves_the_head_to_others)
{
    use_memory(_i);
    void *result = NULL;
    pthread_t thread;
    const pqt_tree *tree = small_tree(2);
    pqt_head *head = head_of(tree);
    ck_assert_int_eq(pthread_create(&thread, NULL, exit_in_update, head), 0);
    ck_assert_int_eq(pthread_join(thread, &result), 0);
    ck_assert_ptr_eq(result, head);
    publish(head, inserted(tree, cat));
    pqti_collect(pqt_tree_memory(tree));
    ck_assert_uint_eq(pqt_head_number(head), 2);
    pqt_head_destroy(&head);
}
END_TEST

/* ---- Forks ---- */

typedef bool child_fn(void *context);

/* Runs a function in a child, which an alarm ends if it hangs. */
static bool
in_child_with_alarm(child_fn *run, void *context)
{
    int status = -1;
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGALRM, SIG_DFL); /* suite.c handles it otherwise */
        alarm(600);
        _exit(run(context) ? EXIT_SUCCESS : EXIT_FAILURE);
    }
    REQUIRE(child > 0 && waitpid(child, &status, 0) == child);
    return status == 0;
}

static bool
uses_the_head(void *context)
{
    pqt_error error = {0};
    pqt_head *head = context;
    waiter mine = {.head = head, .seconds = INFINITY};
    /* The number in the version. The head's number may be one less while the version is being
       published. */
    uint64_t number;
    const pqt_tree *tree = pqt_head_load(head, &number);
    mine.after = number + 1;
    REQUIRE(pqti_head_waiters(head) == 0);
    REQUIRE(pqt_head_publish(head, tree = pqt_tree_insert(tree, dog, &error), &error));
    REQUIRE(!pqt_head_wait(head, number + 1, 0.001));
    REQUIRE(pthread_create(&mine.thread, NULL, wait_at_head, &mine) == 0);
    while (pqti_head_waiters(head) == 0)
        sched_yield();
    REQUIRE(pqt_head_publish(head, pqt_tree_remove(tree, dog, &error), &error));
    REQUIRE(pthread_join(mine.thread, NULL) == 0 && mine.found);
    pqt_head_destroy(&head);
    return true;
}

static bool
uses_the_head_in_a_child(void *head)
{
    return in_child_with_alarm(uses_the_head, head);
}

/* _i selects the memory, and whether the head is used in a child, or in a child of a child. */
START_TEST(a_child_uses_a_head_at_which_threads_of_its_parent_wait)
{
    use_memory(_i / 2);
    const pqt_tree *tree = small_tree(2);
    pqt_head *head = head_of(tree);
    waiter here[2];
    for (int i = 0; i < 2; i++) {
        here[i] = (waiter){.head = head, .after = 1, .seconds = i == 0 ? INFINITY : 1000};
        begin_waiting(&here[i]);
    }
    await_waiters(head, 2);
    ck_assert(in_child_with_alarm(_i % 2 == 0 ? uses_the_head : uses_the_head_in_a_child, head));
    ck_assert_uint_eq(pqti_head_waiters(head), 2);
    publish(head, inserted(tree, cat));
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(pthread_join(here[i].thread, NULL), 0);
        ck_assert(here[i].found);
    }
    pqt_head_destroy(&head);
}
END_TEST

enum { FORKS = 40 };

/* In a checked arena each block comes from malloc. The block that the publishing thread was about
   to link is lost in the child, which memcheck reports. */
#if !PQTI_CHECKED_ARENA

/* Another thread publishes to the head, but never the version that a thread waits for. So the lock
   is taken repeatedly. */
typedef struct traffic {
    pqt_head *head;
    const pqt_tree *trees[2];
    atomic_bool is_over;
} traffic;

static void *
publish_until_over(void *context)
{
    traffic *here = context;
    for (unsigned i = 1; !atomic_load(&here->is_over); i++)
        if (!pqt_head_publish(here->head, here->trees[i % 2], NULL))
            return NULL;
    return context;
}

START_TEST(a_child_uses_a_head_to_which_a_thread_of_its_parent_publishes)
{
    pthread_t publisher;
    void *result = NULL;
    const pqt_tree *tree = small_tree(2);
    traffic here = {head_of(tree), {tree, inserted(tree, cat)}, false};
    waiter never = {.head = here.head, .after = UINT64_MAX - 1, .seconds = INFINITY};
    begin_waiting(&never);
    await_waiters(here.head, 1);
    ck_assert_int_eq(pthread_create(&publisher, NULL, publish_until_over, &here), 0);
    for (int i = 0; i < FORKS; i++)
        ck_assert(in_child_with_alarm(uses_the_head, here.head));
    atomic_store(&here.is_over, true);
    ck_assert_int_eq(pthread_join(publisher, &result), 0);
    ck_assert_ptr_nonnull(result);
    expect_cancelled(never.thread);
    pqt_head_destroy(&here.head);
}
END_TEST

#endif

#if !TESTED_WITH_ADDRESS_SANITIZER

static pqt_memory *crowded;
static atomic_bool is_over;

/* Allocates blocks that need a chunk each until the arena is full, and then tries some more. */
static void *
open_chunks_until_over(void *unused)
{
    while (!atomic_load(&is_over))
        (void)pqti_alloc_leaf(crowded, 8192);
    return unused;
}

static bool
makes_versions_in_the_arena(void *unused)
{
    (void)unused;
    pqt_error error = {0};
    for (int i = 0; i < 100; i++) {
        const pqt_memory_stats stats = pqt_memory_get_stats(crowded);
        REQUIRE(pqti_alloc_leaf(crowded, 8192) != NULL || stats.bytes + 10000 > stats.limit);
    }
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.memory = pqt_arena_make(0, &error);
    const pqt_tree *tree = pqt_tree_make(box(0, 0, 8, 8), &options, &error);
    REQUIRE(pqt_tree_insert(tree, cat, &error) != NULL);
    pqt_arena_destroy(&options.memory);
    pqt_arena_destroy(&crowded);
    return crowded == NULL;
}

START_TEST(a_child_uses_an_arena_in_which_threads_of_its_parent_make_versions)
{
    enum { THREADS = 3 };
    pthread_t threads[THREADS];
    crowded = pqt_arena_make((size_t)64 << 20, NULL);
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, open_chunks_until_over, NULL), 0);
    for (int i = 0; i < FORKS; i++)
        ck_assert(in_child_with_alarm(makes_versions_in_the_arena, NULL));
    atomic_store(&is_over, true);
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
    pqt_arena_destroy(&crowded);
}
END_TEST

#endif

int
main(void)
{
    Suite *suite = suite_create("interrupted");
    TCase *tests = add_tests(suite, "cancellation");
    tcase_add_loop_test(tests, a_thread_that_is_cancelled_while_it_waits_leaves_the_head_to_others,
                        0, 2);
    /* After a cancellation, AddressSanitizer does not unpoison the frames that were unwound. At the
       end of the thread it then reports the functions that use the same part of the stack. */
#if !TESTED_WITH_ADDRESS_SANITIZER
    if (pqt_collector() != NULL)
        tcase_add_test(
            tests, threads_that_are_cancelled_while_they_make_versions_leave_the_memory_to_others);
#endif
    add_to_each(tests, a_thread_that_exits_in_an_update_leaves_the_head_to_others);
    tests = add_tests(suite, "forks");
    const int memories = pqt_collector() != NULL ? 2 : 1;
    tcase_add_loop_test(tests, a_child_uses_a_head_at_which_threads_of_its_parent_wait, 0,
                        2 * memories);
#if !PQTI_CHECKED_ARENA
    tcase_add_test(tests, a_child_uses_a_head_to_which_a_thread_of_its_parent_publishes);
#endif
/* If a thread of the parent held the lock of AddressSanitizer's allocator, it is still locked in a
   child. */
#if !TESTED_WITH_ADDRESS_SANITIZER
    tcase_add_test(tests, a_child_uses_an_arena_in_which_threads_of_its_parent_make_versions);
#endif
    return run_suite(suite);
}
