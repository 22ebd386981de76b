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
make_lock(pqti_gate *gate)
{
    atomic_init(&gate->waiting, 0);
    if (pthread_mutex_init(&gate->lock, NULL) != 0)
        return false;
    if (make_condition(&gate->raised))
        return true;
    pthread_mutex_destroy(&gate->lock);
    return false;
}

bool
pqti_gate_open(pqti_gate *gate, uint64_t reached)
{
    if (!pqti_fork_watch())
        return false;
    atomic_init(&gate->reached, reached);
    atomic_init(&gate->made_at, pqti_fork_count());
    return make_lock(gate);
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
renew_in_child(pqti_gate *gate)
{
    pqti_fork_renew(&gate->made_at, renew_lock, gate);
}

void
pqti_gate_close(pqti_gate *gate)
{
    renew_in_child(gate);
    pthread_cond_destroy(&gate->raised);
    pthread_mutex_destroy(&gate->lock);
}

void
pqti_gate_raise(pqti_gate *gate, uint64_t reached)
{
    uint64_t now = atomic_load(&gate->reached);
    while (now < reached && !atomic_compare_exchange_weak(&gate->reached, &now, reached))
        ;
    if (pqti_gate_waiters(gate) == 0)
        return;
    pthread_mutex_lock(&gate->lock);
    pthread_cond_broadcast(&gate->raised);
    pthread_mutex_unlock(&gate->lock);
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
sleep_until(pqti_gate *gate, const struct timespec *deadline)
{
    if (deadline != NULL)
        return pthread_cond_timedwait(&gate->raised, &gate->lock, deadline) == 0;
    return pthread_cond_wait(&gate->raised, &gate->lock) == 0;
}

/* Under the lock, which the thread holds again where it is cancelled. */
static void
sleep_until_above(pqti_gate *gate, uint64_t after, const struct timespec *deadline)
{
    bool in_time = true;
    while (atomic_load(&gate->reached) <= after && in_time)
        in_time = sleep_until(gate, deadline);
}

static void
leave(void *context)
{
    pqti_gate *gate = context;
    atomic_fetch_sub(&gate->waiting, 1);
    pthread_mutex_unlock(&gate->lock);
}

bool
pqti_gate_wait(pqti_gate *gate, uint64_t after, double seconds)
{
    if (atomic_load(&gate->reached) > after || seconds <= 0)
        return atomic_load(&gate->reached) > after;
    struct timespec deadline = {0, 0};
    const bool endless = seconds >= FOR_EVER;
    if (!endless)
        deadline = deadline_in(seconds);
    renew_in_child(gate);
    pthread_mutex_lock(&gate->lock);
    atomic_fetch_add(&gate->waiting, 1);
    pthread_cleanup_push(leave, gate);
    sleep_until_above(gate, after, endless ? NULL : &deadline);
    pthread_cleanup_pop(1);
    return atomic_load(&gate->reached) > after;
}

unsigned
pqti_gate_waiters(pqti_gate *gate)
{
    if (atomic_load(&gate->waiting) != 0)
        renew_in_child(gate);
    return atomic_load(&gate->waiting);
}
