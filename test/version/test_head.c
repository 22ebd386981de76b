/* SPDX-License-Identifier: MIT */
/*
 * test_head.c: tests the functions of heads one by one: results, waits and errors.
 *
 * test_gc_roots.c tests what a head keeps alive, and test_head_threads.c its use by many threads.
 */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

#include <pqt/region.h>

#include "head_support.h"
#include "hooks.h"
#include "memory/memory_internal.h"
#include "suite.h"
#include "version/head_internal.h"

static void
expect_newest(const pqt_head *head, const pqt_tree *tree, uint64_t number)
{
    uint64_t found = 0;
    ck_assert_ptr_eq(pqt_head_load(head, &found), tree);
    ck_assert_uint_eq(found, number);
    ck_assert_uint_eq(pqt_head_number(head), number);
}

/* ---- Making, loading, publishing ---- */

START_TEST(the_first_version_of_a_head_has_number_1)
{
    use_memory(_i);
    const pqt_tree *tree = inserted(small_tree(2), cat);
    pqt_head *head = head_of(tree);
    expect_newest(head, tree, 1);
    ck_assert_ptr_eq(pqt_head_load(head, NULL), tree);
    pqt_head_destroy(&head);
    ck_assert_ptr_null(head);
    ck_assert(pqt_tree_contains(tree, cat));
}
END_TEST

START_TEST(each_version_that_is_published_is_the_newest)
{
    use_memory(_i);
    const pqt_tree *tree = small_tree(2);
    pqt_head *head = head_of(tree);
    for (uint64_t i = 0; i < 50; i++) {
        const pqt_tree *before = pqt_head_load(head, NULL);
        tree = inserted(tree, dot_of_grid(8, (size_t)i));
        publish(head, tree);
        expect_newest(head, tree, i + 2);
        ck_assert_uint_eq(pqt_tree_count(before), i);
    }
    pqt_head_destroy(&head);
}
END_TEST

START_TEST(loading_allocates_nothing)
{
    use_memory(_i);
    const pqt_tree *tree = inserted(small_tree(2), cat);
    pqt_head *head = head_of(tree);
    hooks watch = {0};
    hooks_start(&watch);
    expect_newest(head, tree, 1);
    hooks_stop();
    ck_assert_uint_eq(watch.calls, 0);
    pqt_head_destroy(&head);
}
END_TEST

START_TEST(the_newest_version_is_not_published_again)
{
    use_memory(_i);
    const pqt_tree *tree = small_tree(2);
    pqt_head *head = head_of(tree);
    publish(head, tree);
    expect_newest(head, tree, 1);
    pqt_head_destroy(&head);
}
END_TEST

/* An older version may be published again, as an undo does. */
START_TEST(an_older_version_may_be_published_again)
{
    use_memory(_i);
    const pqt_tree *before = small_tree(2), *after = inserted(before, cat);
    pqt_head *head = head_of(before);
    publish(head, after);
    publish(head, before);
    expect_newest(head, before, 3);
    pqt_head_destroy(&head);
}
END_TEST

START_TEST(heads_may_hold_trees_of_any_bounds_and_options)
{
    pqt_head *head = head_of(small_tree(2));
    const pqt_tree *other = made(box(-5, -5, 5, 5), options_of(7, 3));
    publish(head, other);
    expect_newest(head, other, 2);
    pqt_head_destroy(&head);
}
END_TEST

START_TEST(publishing_a_failure_passes_it_on)
{
    const pqt_tree *tree = small_tree(2);
    pqt_error error = earlier_failure();
    ck_assert_ptr_null(pqt_head_make(NULL, &error));
    ck_assert_ptr_null(pqt_head_make(NULL, NULL));
    pqt_head *head = head_of(tree);
    ck_assert(!pqt_head_publish(head, NULL, &error));
    ck_assert(!pqt_head_publish(head, NULL, NULL));
    expect_earlier_failure(&error);
    expect_newest(head, tree, 1);
    pqt_head_destroy(&head);
}
END_TEST

/* The system function that fails. The functions below replace those of the system. */
static enum { NONE_FAILS, MUTEX_FAILS, CONDITION_FAILS, CLOCK_FAILS, WAYS_TO_FAIL } failing;

typedef int init_mutex_fn(pthread_mutex_t *mutex, const pthread_mutexattr_t *kind);
typedef int init_kind_fn(pthread_condattr_t *kind);
typedef int set_clock_fn(pthread_condattr_t *kind, clockid_t clock);

int
pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *kind)
{
    init_mutex_fn *init = (init_mutex_fn *)dlsym(RTLD_NEXT, "pthread_mutex_init");
    return failing == MUTEX_FAILS ? ENOMEM : init(mutex, kind);
}

int
pthread_condattr_init(pthread_condattr_t *kind)
{
    init_kind_fn *init = (init_kind_fn *)dlsym(RTLD_NEXT, "pthread_condattr_init");
    return failing == CONDITION_FAILS ? ENOMEM : init(kind);
}

int
pthread_condattr_setclock(pthread_condattr_t *kind, clockid_t clock)
{
    set_clock_fn *set = (set_clock_fn *)dlsym(RTLD_NEXT, "pthread_condattr_setclock");
    return failing == CLOCK_FAILS ? EINVAL : set(kind, clock);
}

START_TEST(a_head_without_a_lock_is_refused_and_leaves_no_pin)
{
    const pqt_tree *tree = small_tree(2);
    for (failing = MUTEX_FAILS; failing != WAYS_TO_FAIL; failing++) {
        pqt_error error = {0};
        ck_assert_ptr_null(pqt_head_make(tree, &error));
        ck_assert_int_eq(error.status, PQT_ERROR_MEMORY);
        ck_assert_uint_eq(pqt_memory_get_stats(arena).pins, 0);
    }
    failing = NONE_FAILS;
    pqt_head *head = head_of(tree);
    expect_newest(head, tree, 1);
    pqt_head_destroy(&head);
}
END_TEST

static const char elsewhere[] = "head: the version is not in the memory of the first version";

static const void *
give_context(const void *now, void *context, pqt_error *error)
{
    (void)now;
    (void)error;
    return context;
}

START_TEST(a_version_in_another_memory_is_refused)
{
    pqt_error error = {0};
    const pqt_tree *tree = small_tree(2);
    pqt_memory *other = pqt_arena_make(0, NULL);
    pqt_head *head = head_of(tree);
    const pqt_tree *stranger = pqt_tree_copy(tree, other, &error);
    ck_assert(!pqt_head_publish(head, must(stranger, &error), &error));
    expect_failure(&error, PQT_ERROR_MISMATCH, 0, elsewhere);
    error = (pqt_error){0};
    /* The context is not const, and give_context does not write to it. */
    void *given = (void *)(uintptr_t)stranger;
    ck_assert_ptr_null(pqt_head_update(head, give_context, given, NULL, &error));
    expect_failure(&error, PQT_ERROR_MISMATCH, 0, elsewhere);
    expect_newest(head, tree, 1);
    pqt_head_destroy(&head);
    pqt_arena_destroy(&other);
}
END_TEST

START_TEST(destroying_no_head_does_nothing)
{
    pqt_head *none = NULL;
    pqt_head_destroy(&none);
    pqt_head_destroy(NULL);
    ck_assert_ptr_null(none);
}
END_TEST

/* ---- Updating ---- */

START_TEST(an_update_publishes_the_result_of_its_function)
{
    use_memory(_i);
    pqt_error error = {0};
    uint64_t number = 0;
    pqt_head *head = head_of(small_tree(2));
    const pqt_tree *next = pqt_head_update(head, insert_cat, NULL, &number, &error);
    ck_assert(pqt_tree_contains(must(next, &error), cat));
    ck_assert_uint_eq(number, 2);
    expect_newest(head, next, 2);
    /* the cat is already present */
    ck_assert_ptr_eq(pqt_head_update(head, insert_cat, NULL, NULL, NULL), next);
    expect_newest(head, next, 2);
    pqt_head_destroy(&head);
}
END_TEST

static const void *
fail_aloud(const void *now, void *context, pqt_error *error)
{
    (void)context;
    return pqt_tree_insert(now, dot(NAN, 0, 3), error);
}

static const void *
fail_silently(const void *now, void *context, pqt_error *error)
{
    (void)now;
    (void)context;
    (void)error;
    return NULL;
}

/* A function that returns a version although one of its calls fails. */
static const void *
insert_dog_after_a_failure(const void *now, void *context, pqt_error *error)
{
    (void)fail_aloud(now, context, error);
    return inserted(now, dog);
}

START_TEST(an_update_that_fails_publishes_nothing)
{
    pqt_error error = {0};
    uint64_t number = 77;
    const pqt_tree *tree = inserted(small_tree(2), cat);
    pqt_head *head = head_of(tree);
    ck_assert_ptr_null(pqt_head_update(head, fail_aloud, NULL, &number, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_BOX);
    error = (pqt_error){0};
    ck_assert_ptr_null(pqt_head_update(head, fail_silently, NULL, &number, &error));
    expect_failure(&error, PQT_ERROR_CALLBACK, 0, "head: the update function returned NULL");
    ck_assert_ptr_null(pqt_head_update(head, fail_silently, NULL, &number, NULL));
    ck_assert_uint_eq(number, 77);
    expect_newest(head, tree, 1);
    pqt_head_destroy(&head);
}
END_TEST

START_TEST(an_update_function_that_returns_a_version_has_not_failed)
{
    pqt_error error = {0};
    uint64_t number = 77;
    pqt_head *head = head_of(small_tree(2));
    const pqt_tree *next = pqt_head_update(head, insert_dog_after_a_failure, NULL, &number, &error);
    ck_assert_ptr_nonnull(next);
    ck_assert_int_eq(error.status, PQT_OK);
    ck_assert_uint_eq(number, 2);
    expect_newest(head, next, 2);
    pqt_head_destroy(&head);
}
END_TEST

/* Fails if the error that it receives holds a failure already. */
static const void *
insert_cat_into_an_empty_error(const void *now, void *context, pqt_error *error)
{
    ck_assert_int_eq(error->status, PQT_OK);
    return insert_cat(now, context, error);
}

START_TEST(an_update_function_receives_an_empty_error)
{
    pqt_error error = earlier_failure();
    pqt_head *head = head_of(small_tree(2));
    ck_assert_ptr_nonnull(
        pqt_head_update(head, insert_cat_into_an_empty_error, NULL, NULL, &error));
    ck_assert_ptr_nonnull(pqt_head_update(head, insert_cat_into_an_empty_error, NULL, NULL, NULL));
    ck_assert_ptr_null(pqt_head_update(head, fail_aloud, NULL, NULL, &error));
    expect_earlier_failure(&error);
    pqt_head_destroy(&head);
}
END_TEST

/* An update that another writer overtakes several times. */
typedef struct race {
    pqt_head *head;
    size_t left, calls;
} race;

static const void *
lose_the_race(const void *now, void *context, pqt_error *error)
{
    race *against = context;
    against->calls++;
    if (against->left > 0)
        publish(against->head, inserted(now, dot_of_grid(8, 10 + against->left--)));
    return pqt_tree_insert(now, cat, error);
}

START_TEST(an_update_that_loses_to_another_is_repeated)
{
    use_memory(_i);
    pqt_error error = {0};
    uint64_t number;
    race against = {head_of(small_tree(2)), 5, 0};
    const pqt_tree *next = pqt_head_update(against.head, lose_the_race, &against, &number, &error);
    ck_assert_uint_eq(against.calls, 6);
    ck_assert_uint_eq(number, 7);
    ck_assert_uint_eq(pqt_tree_count(must(next, &error)), 6);
    expect_newest(against.head, next, 7);
    pqt_head_destroy(&against.head);
}
END_TEST

/* ---- Regions ---- */

static const void *
paint_a_disc(const void *now, void *context, pqt_error *error)
{
    const double *radius = context;
    return pqt_region_paint(now, pqt_paint_disc(PQT_PAINT_SET, (pqt_vec){20, 20}, *radius), error);
}

START_TEST(a_head_of_regions_works_like_one_of_trees)
{
    pqt_error error = {0};
    uint64_t number = 0;
    double radius = 5, not_one = NAN;
    const pqt_region *blank = pqt_region_make(arena, &error);
    pqt_head *head = pqt_head_make(blank, &error);
    ck_assert_ptr_eq(pqt_head_load_region(head, &number), blank);
    ck_assert_uint_eq(number, 1);
    const pqt_region *disc = pqt_head_update(head, paint_a_disc, &radius, &number, &error);
    ck_assert_uint_eq(number, 2);
    ck_assert(pqt_head_publish(head, blank, &error));
    ck_assert(pqt_head_publish(head, disc, &error));
    pqt_pin *pin = pqt_head_pin(head, &number, &error);
    ck_assert_ptr_eq(pqt_pin_get_region(pin), disc);
    ck_assert_uint_eq(number, 4);
    ck_assert_int_eq(error.status, PQT_OK);
    ck_assert_ptr_null(pqt_head_update(head, paint_a_disc, &not_one, &number, &error));
    ck_assert_int_ne(error.status, PQT_OK);
    ck_assert(!pqt_head_publish(head, NULL, &error));
    ck_assert_ptr_null(pqt_head_make(NULL, &error));
    ck_assert_uint_eq(pqt_head_number(head), 4);
    pqt_unpin(&pin);
    pqt_head_destroy(&head);
}
END_TEST

/* ---- Waiting ---- */

START_TEST(a_wait_returns_at_once_if_there_is_a_newer_version)
{
    pqt_head *head = head_of(small_tree(2));
    ck_assert(pqt_head_wait(head, 0, 0));
    ck_assert(pqt_head_wait(head, 0, -1));
    ck_assert(pqt_head_wait(head, 0, INFINITY));
    publish(head, inserted(small_tree(2), cat));
    ck_assert(pqt_head_wait(head, 1, 0));
    ck_assert(pqt_head_wait(head, 1, 1e300));
    pqt_head_destroy(&head);
}
END_TEST

START_TEST(a_wait_of_0_seconds_only_checks)
{
    pqt_head *head = head_of(small_tree(2));
    ck_assert(!pqt_head_wait(head, 1, 0));
    ck_assert(!pqt_head_wait(head, 1, -INFINITY));
    ck_assert(!pqt_head_wait(head, UINT64_MAX, 0));
    pqt_head_destroy(&head);
}
END_TEST

START_TEST(a_wait_ends_at_its_timeout)
{
    pqt_head *head = head_of(small_tree(2));
    ck_assert(!pqt_head_wait(head, 1, 1e-9));
    ck_assert(!pqt_head_wait(head, 1, 0.02));
    ck_assert(!pqt_head_wait(head, 1, TINIEST));
    pqt_head_destroy(&head);
}
END_TEST

typedef struct waiter {
    pqt_head *head;
    uint64_t after;
    double seconds;
    bool found;
    pthread_t thread;
} waiter;

/* Waits in a thread that is not attached, because waiting does not require it. */
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
    while (pqti_head_waiters(head) < count)
        sched_yield();
}

/* Some threads wait without a limit, some for a long time, and some for the version after the next
 * one. */
START_TEST(publishing_wakes_all_waiting_threads)
{
    use_memory(_i);
    const pqt_tree *tree = small_tree(2);
    pqt_head *head = head_of(tree);
    waiter all[] = {{.after = 1, .seconds = INFINITY},
                    {.after = 1, .seconds = 1000},
                    {.after = 2, .seconds = INFINITY},
                    {.after = 3, .seconds = 1e9}};
    for (size_t i = 0; i < 4; i++) {
        all[i].head = head;
        ck_assert_int_eq(pthread_create(&all[i].thread, NULL, wait_at_head, &all[i]), 0);
    }
    await_waiters(head, 4);
    for (size_t i = 0; i < 3; i++)
        publish(head, tree = inserted(tree, dot_of_grid(8, i)));
    for (size_t i = 0; i < 4; i++) {
        ck_assert_int_eq(pthread_join(all[i].thread, NULL), 0);
        ck_assert(all[i].found);
    }
    pqt_head_destroy(&head);
}
END_TEST

/* The deadline is in another second than the clock, unless the test runs in the first nanosecond of
   one, so that the fractions of both are carried. */
START_TEST(a_long_wait_with_a_fraction_lasts_until_a_version_is_published)
{
    const pqt_tree *tree = small_tree(2);
    pqt_head *head = head_of(tree);
    waiter one = {.head = head, .after = 1, .seconds = 1000000.999999999};
    ck_assert_int_eq(pthread_create(&one.thread, NULL, wait_at_head, &one), 0);
    await_waiters(head, 1);
    publish(head, inserted(tree, dot_of_grid(8, 0)));
    ck_assert_int_eq(pthread_join(one.thread, NULL), 0);
    ck_assert(one.found);
    pqt_head_destroy(&head);
}
END_TEST

static atomic_int signals_received;

static void
count_signal(int signal)
{
    (void)signal;
    atomic_fetch_add(&signals_received, 1);
}

/* Sends one signal after another. The waiting thread handles each one, and continues to wait. Each
   signal is sent until it is handled, because thread sanitizer delays one that arrives shortly
   before a thread sleeps. */
static void
interrupt(const waiter *this)
{
    const struct timespec a_while = {.tv_nsec = 1000000};
    for (int i = 1; i <= 20; i++)
        while (atomic_load(&signals_received) < i) {
            ck_assert_int_eq(pthread_kill(this->thread, SIGUSR1), 0);
            nanosleep(&a_while, NULL);
        }
}

/* _i selects whether the wait has no limit or a long one. */
START_TEST(a_signal_does_not_end_a_wait)
{
    const struct sigaction action = {.sa_handler = count_signal};
    const pqt_tree *tree = small_tree(2);
    pqt_head *head = head_of(tree);
    waiter one = {.head = head, .after = 1, .seconds = _i == 0 ? INFINITY : 1000};
    ck_assert_int_eq(sigaction(SIGUSR1, &action, NULL), 0);
    ck_assert_int_eq(pthread_create(&one.thread, NULL, wait_at_head, &one), 0);
    await_waiters(head, 1);
    interrupt(&one);
    ck_assert_uint_eq(pqti_head_waiters(head), 1);
    publish(head, inserted(tree, cat));
    ck_assert_int_eq(pthread_join(one.thread, NULL), 0);
    ck_assert(one.found);
    pqt_head_destroy(&head);
}
END_TEST

/* ---- Misuse ---- */

static void
name_no_head(int way)
{
    static double radius = 3;
    uint64_t number;
    pqt_error error = {0};
    const pqt_tree *tree = small_tree(2);
    const pqt_tree *blank = small_tree(2);
    switch (way) {
    case 0:
        (void)pqt_head_load(NULL, &number);
        break;
    case 1:
        (void)(pqt_head_pin(NULL, &number, &error) == NULL);
        break;
    case 2:
        (void)pqt_head_publish(NULL, tree, &error);
        break;
    case 3:
        (void)pqt_head_update(NULL, insert_cat, NULL, NULL, &error);
        break;
    case 4:
        (void)pqt_head_number(NULL);
        break;
    case 5:
        (void)pqt_head_wait(NULL, 1, 0);
        break;
    case 6:
        (void)pqt_head_load_region(NULL, &number);
        break;
    case 7:
        (void)(pqt_head_pin(NULL, &number, &error) == NULL);
        break;
    case 8:
        (void)pqt_head_publish(NULL, blank, &error);
        break;
    case 9:
        (void)pqt_head_update(NULL, paint_a_disc, &radius, NULL, &error);
        break;
    }
}

START_TEST(a_null_head_stops_the_program)
{
    name_no_head(_i);
}
END_TEST

START_TEST(a_null_version_stops_the_program)
{
    pqt_error error = {0};
    if (_i == 0)
        (void)!pqt_head_make(NULL, &error);
    else
        (void)pqt_head_publish(head_of(small_tree(2)), NULL, &error);
}
END_TEST

START_TEST(a_null_update_function_stops_the_program)
{
    pqt_error error = {0};
    pqt_head *head = head_of(small_tree(2));
    (void)pqt_head_update(head, NULL, NULL, NULL, &error);
}
END_TEST

START_TEST(a_head_of_trees_holds_no_regions)
{
    pqt_error error = {0};
    double radius = 3;
    pqt_head *head = head_of(small_tree(2));
    const pqt_region *blank = pqt_region_make(arena, &error);
    pqt_head *canvas = pqt_head_make(blank, &error);
    if (_i == 0)
        (void)pqt_region_count(pqt_head_load_region(head, NULL));
    else if (_i == 1)
        (void)pqt_head_publish(head, blank, &error);
    else if (_i == 2)
        (void)pqt_head_update(head, paint_a_disc, &radius, NULL, &error);
    else if (_i == 3)
        (void)pqt_pin_get_region(pqt_head_pin(head, NULL, &error));
    else
        (void)pqt_tree_count(pqt_head_load(canvas, NULL));
}
END_TEST

START_TEST(a_timeout_must_be_a_number)
{
    (void)pqt_head_wait(head_of(small_tree(2)), 1, NAN);
}
END_TEST

/* In the collector, the freed block can still be read, and its magic number shows that it is not a
   head. */
START_TEST(a_destroyed_head_is_not_used_through_another_pointer)
{
    use_memory(1);
    pqt_head *head = head_of(small_tree(2));
    pqt_head *stale = head;
    pqt_head_destroy(&head);
    if (_i == 0)
        (void)pqt_head_load(stale, NULL);
    else if (_i == 1)
        (void)pqt_head_wait(stale, 1, 0);
    else
        pqt_head_destroy(&stale);
}
END_TEST

START_TEST(heads_must_be_destroyed_before_their_arena)
{
    pqt_head *head = head_of(small_tree(2));
    pqt_arena_destroy(&arena);
    pqt_head_destroy(&head);
}
END_TEST

/* Publishes from the allocation hook of another publication. */
static bool
publish_in_between(pqti_block kind, size_t size, void *context)
{
    race *against = context;
    (void)kind;
    (void)size;
    if (against->left-- == 1)
        publish(against->head, small_tree(3));
    return true;
}

START_TEST(two_threads_do_not_publish_at_once)
{
    race against = {head_of(small_tree(2)), 1, 0};
    const pqt_tree *next = small_tree(4);
    pqti_set_allocation_hook(publish_in_between, &against);
    (void)pqt_head_publish(against.head, next, NULL);
}
END_TEST

static void *
use_unattached(void *context)
{
    waiter *this = context;
    if (this->after == 0)
        (void)pqt_head_load(this->head, NULL);
    else if (this->after == 1)
        (void)(pqt_head_pin(this->head, NULL, NULL) == NULL);
    else
        (void)pqt_head_update(this->head, insert_cat, NULL, NULL, NULL);
    return NULL;
}

/* Without this check, such a thread would work until a collection reclaimed the version. */
START_TEST(a_thread_that_loads_must_be_attached)
{
    use_memory(1);
    waiter stranger = {.head = head_of(small_tree(2)), .after = (uint64_t)_i};
    pthread_create(&stranger.thread, NULL, use_unattached, &stranger);
    pthread_join(stranger.thread, NULL);
}
END_TEST

START_TEST(a_head_with_waiting_threads_cannot_be_destroyed)
{
    waiter late = {.head = head_of(small_tree(2)), .after = 1, .seconds = INFINITY};
    pthread_create(&late.thread, NULL, wait_at_head, &late);
    await_waiters(late.head, 1);
    pqt_head_destroy(&late.head);
}
END_TEST

static void
add_mistakes(Suite *suite)
{
    TCase *tests = add_tests(suite, "mistakes");
    tcase_add_misuse_tests(tests, a_null_head_stops_the_program, 10);
    tcase_add_misuse_tests(tests, a_null_version_stops_the_program, 2);
    tcase_add_misuse_tests(tests, a_null_update_function_stops_the_program, 1);
    if (PQT_WITH_PIXELS)
        tcase_add_misuse_tests(tests, a_head_of_trees_holds_no_regions, 5);
    tcase_add_misuse_test(tests, a_timeout_must_be_a_number);
    tcase_add_misuse_test(tests, heads_must_be_destroyed_before_their_arena);
    tcase_add_misuse_test(tests, two_threads_do_not_publish_at_once);
    tcase_add_misuse_test(tests, a_head_with_waiting_threads_cannot_be_destroyed);
    if (pqt_collector() != NULL) {
        tcase_add_misuse_tests(tests, a_destroyed_head_is_not_used_through_another_pointer, 3);
        tcase_add_misuse_tests(tests, a_thread_that_loads_must_be_attached, 3);
    }
}

static void
add_calls(Suite *suite)
{
    TCase *tests = add_tests(suite, "calls");
    add_to_each(tests, the_first_version_of_a_head_has_number_1);
    add_to_each(tests, each_version_that_is_published_is_the_newest);
    add_to_each(tests, loading_allocates_nothing);
    add_to_each(tests, the_newest_version_is_not_published_again);
    add_to_each(tests, an_older_version_may_be_published_again);
    tcase_add_test(tests, heads_may_hold_trees_of_any_bounds_and_options);
    tcase_add_test(tests, publishing_a_failure_passes_it_on);
    tcase_add_test(tests, a_head_without_a_lock_is_refused_and_leaves_no_pin);
    tcase_add_test(tests, a_version_in_another_memory_is_refused);
    tcase_add_test(tests, destroying_no_head_does_nothing);
    add_to_each(tests, an_update_publishes_the_result_of_its_function);
    tcase_add_test(tests, an_update_that_fails_publishes_nothing);
    tcase_add_test(tests, an_update_function_that_returns_a_version_has_not_failed);
    tcase_add_test(tests, an_update_function_receives_an_empty_error);
    add_to_each(tests, an_update_that_loses_to_another_is_repeated);
    if (PQT_WITH_PIXELS)
        tcase_add_test(tests, a_head_of_regions_works_like_one_of_trees);
    tcase_add_test(tests, a_wait_returns_at_once_if_there_is_a_newer_version);
    tcase_add_test(tests, a_wait_of_0_seconds_only_checks);
    tcase_add_test(tests, a_wait_ends_at_its_timeout);
    add_to_each(tests, publishing_wakes_all_waiting_threads);
    tcase_add_test(tests, a_long_wait_with_a_fraction_lasts_until_a_version_is_published);
    tcase_add_loop_test(tests, a_signal_does_not_end_a_wait, 0, 2);
}

int
main(void)
{
    Suite *suite = suite_create("head");
    add_calls(suite);
    add_mistakes(suite);
    return run_suite(suite);
}
