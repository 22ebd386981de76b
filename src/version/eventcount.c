/* SPDX-License-Identifier: MIT */
/*
 * eventcount.c: a counter that only increases, and a way for threads to wait until it exceeds a
 * value.
 *
 * A thread that raises the counter writes it and then reads the number of waiting threads. A thread
 * that waits increments that number and then reads the counter. All four accesses are sequentially
 * consistent, so at least one of the two threads sees the other: no wake-up is lost, and no lock is
 * taken if no thread waits.
 *
 * Only this file and line/connection.c read a clock, to limit how long a thread waits.
 */
#include "config.h"

#include "version/eventcount.h"

#include <math.h>
#include <time.h>

#include "base/error_internal.h"
#include "base/fork.h"

/* The longest wait with a deadline, in seconds: 30 years, which fits any time_t. A longer wait has
   no deadline. */
#define NO_DEADLINE 1e9

static bool
make_condition(pthread_cond_t *condition)
{
    pthread_condattr_t kind;
    if (pthread_condattr_init(&kind) != 0)
        return false;
    /* CLOCK_MONOTONIC, because the wall clock may be set during a wait. */
    const bool made = pthread_condattr_setclock(&kind, CLOCK_MONOTONIC) == 0 &&
                      pthread_cond_init(condition, &kind) == 0;
    pthread_condattr_destroy(&kind);
    return made;
}

static bool
make_lock(pqti_eventcount *eventcount)
{
    atomic_init(&eventcount->waiting, 0);
    if (pthread_mutex_init(&eventcount->lock, NULL) != 0)
        return false;
    if (make_condition(&eventcount->raised))
        return true;
    pthread_mutex_destroy(&eventcount->lock);
    return false;
}

bool
pqti_eventcount_open(pqti_eventcount *eventcount, uint64_t reached)
{
    if (!pqti_fork_watch())
        return false;
    atomic_init(&eventcount->count, reached);
    atomic_init(&eventcount->made_at, pqti_fork_count());
    return make_lock(eventcount);
}

/* Overwrites the lock and the condition in a child process. Threads of the parent process may hold
   them, so they cannot be destroyed. On all known systems, initialisation over an old lock
   succeeds. */
static void
renew_lock(void *eventcount)
{
    (void)make_lock(eventcount);
}

/* Renews the lock in a child process. Call this before taking the lock and before using
   `waiting`. */
static void
renew_in_child(pqti_eventcount *eventcount)
{
    pqti_fork_renew(&eventcount->made_at, renew_lock, eventcount);
}

void
pqti_eventcount_close(pqti_eventcount *eventcount)
{
    renew_in_child(eventcount);
    pthread_cond_destroy(&eventcount->raised);
    pthread_mutex_destroy(&eventcount->lock);
}

void
pqti_eventcount_raise(pqti_eventcount *eventcount, uint64_t reached)
{
    uint64_t now = atomic_load(&eventcount->count);
    while (now < reached && !atomic_compare_exchange_weak(&eventcount->count, &now, reached))
        ;
    if (pqti_eventcount_waiters(eventcount) == 0)
        return;
    pthread_mutex_lock(&eventcount->lock);
    pthread_cond_broadcast(&eventcount->raised);
    pthread_mutex_unlock(&eventcount->lock);
}

static struct timespec
deadline_in(double seconds)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    const double whole = floor(seconds);
    at.tv_sec += (time_t)whole;
    at.tv_nsec += (long)((seconds - whole) * 1e9);
    if (at.tv_nsec >= 1000000000) {
        at.tv_nsec -= 1000000000;
        at.tv_sec++;
    }
    return at;
}

/* Waits until the counter is raised. The caller holds the lock. Returns false after the deadline;
   NULL means that there is no deadline. */
static bool
sleep_until(pqti_eventcount *eventcount, const struct timespec *deadline)
{
    if (deadline != NULL)
        return pthread_cond_timedwait(&eventcount->raised, &eventcount->lock, deadline) == 0;
    return pthread_cond_wait(&eventcount->raised, &eventcount->lock) == 0;
}

/* Waits until the counter exceeds `after` or the deadline has passed. The caller holds the lock. If
   the thread is cancelled while it waits, it reacquires the lock. */
static void
sleep_until_above(pqti_eventcount *eventcount, uint64_t after, const struct timespec *deadline)
{
    bool in_time = true;
    while (atomic_load(&eventcount->count) <= after && in_time)
        in_time = sleep_until(eventcount, deadline);
}

static void
leave_wait(void *context)
{
    pqti_eventcount *eventcount = context;
    const unsigned waited = atomic_fetch_sub(&eventcount->waiting, 1);
    PQT_INVARIANT(waited > 0, "a thread that waited was not counted");
    (void)waited;
    pthread_mutex_unlock(&eventcount->lock);
}

bool
pqti_eventcount_wait(pqti_eventcount *eventcount, uint64_t after, double seconds)
{
    if (atomic_load(&eventcount->count) > after || seconds <= 0)
        return atomic_load(&eventcount->count) > after;
    struct timespec deadline = {0, 0};
    const bool endless = seconds >= NO_DEADLINE;
    if (!endless)
        deadline = deadline_in(seconds);
    renew_in_child(eventcount);
    pthread_mutex_lock(&eventcount->lock);
    atomic_fetch_add(&eventcount->waiting, 1);
    pthread_cleanup_push(leave_wait, eventcount);
    sleep_until_above(eventcount, after, endless ? NULL : &deadline);
    pthread_cleanup_pop(1);
    return atomic_load(&eventcount->count) > after;
}

unsigned
pqti_eventcount_waiters(pqti_eventcount *eventcount)
{
    if (atomic_load(&eventcount->waiting) != 0)
        renew_in_child(eventcount);
    return atomic_load(&eventcount->waiting);
}
