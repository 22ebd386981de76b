/* SPDX-License-Identifier: MIT */
/*
 * eventcount.c - a number that only grows, and threads that wait until it has passed another.
 *
 * Who raises the number writes it and then looks for waiting threads; who waits counts itself in
 * and then looks at the number. Both in one order that all threads agree on, so one of the two sees
 * the other: no wake-up is lost, and no lock is taken where nobody waits.
 *
 * The only file of the library that reads a clock.
 */
#include "config.h"

#include "version/eventcount.h"

#include <math.h>
#include <time.h>

#include "base/fork.h"

/* A deadline further away than this is none: 30 years, which any time_t can count. */
#define FOR_EVER 1e9

static bool
make_condition(pthread_cond_t *condition)
{
    pthread_condattr_t kind;
    if (pthread_condattr_init(&kind) != 0)
        return false;
    /* Not the clock of the wall, which may be set. */
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

/* Neither lock nor condition can be destroyed: they are the parent's threads'. That a new one
   cannot be made where another lies is not so on any system that we know. */
static void
renew_lock(void *gate)
{
    (void)make_lock(gate);
}

/* To be called before the lock is taken, or the count of those who wait is believed. */
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

/* Under the lock. False: the deadline has passed; NULL: there is none. */
static bool
sleep_until(pqti_eventcount *eventcount, const struct timespec *deadline)
{
    if (deadline != NULL)
        return pthread_cond_timedwait(&eventcount->raised, &eventcount->lock, deadline) == 0;
    return pthread_cond_wait(&eventcount->raised, &eventcount->lock) == 0;
}

/* Under the lock, which the thread holds again where it is cancelled. */
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
    atomic_fetch_sub(&eventcount->waiting, 1);
    pthread_mutex_unlock(&eventcount->lock);
}

bool
pqti_eventcount_wait(pqti_eventcount *eventcount, uint64_t after, double seconds)
{
    if (atomic_load(&eventcount->count) > after || seconds <= 0)
        return atomic_load(&eventcount->count) > after;
    struct timespec deadline = {0, 0};
    const bool endless = seconds >= FOR_EVER;
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
