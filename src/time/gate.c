/* SPDX-License-Identifier: MIT */
/*
 * gate.c - a number that only grows, and threads that wait until it has passed another.
 *
 * Who raises the number writes it and then looks for waiting threads; who waits counts itself in
 * and then looks at the number. Both in one order that all threads agree on, so one of the two sees
 * the other: no wake-up is lost, and no lock is taken where nobody waits.
 *
 * The only file of the library that reads a clock.
 */
#include "config.h"

#include "time/gate.h"

#include <math.h>
#include <time.h>

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

bool
pqti_gate_open(pqti_gate *gate, uint64_t reached)
{
    atomic_init(&gate->reached, reached);
    atomic_init(&gate->waiting, 0);
    if (pthread_mutex_init(&gate->lock, NULL) != 0)
        return false;
    if (make_condition(&gate->raised))
        return true;
    pthread_mutex_destroy(&gate->lock);
    return false;
}

void
pqti_gate_close(pqti_gate *gate)
{
    pthread_cond_destroy(&gate->raised);
    pthread_mutex_destroy(&gate->lock);
}

void
pqti_gate_raise(pqti_gate *gate, uint64_t reached)
{
    uint64_t now = atomic_load(&gate->reached);
    while (now < reached && !atomic_compare_exchange_weak(&gate->reached, &now, reached))
        ;
    if (atomic_load(&gate->waiting) == 0)
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

bool
pqti_gate_wait(pqti_gate *gate, uint64_t after, double seconds)
{
    if (atomic_load(&gate->reached) > after || seconds <= 0)
        return atomic_load(&gate->reached) > after;
    struct timespec deadline = {0, 0};
    const bool endless = seconds >= FOR_EVER;
    if (!endless)
        deadline = deadline_in(seconds);
    pthread_mutex_lock(&gate->lock);
    atomic_fetch_add(&gate->waiting, 1);
    bool in_time = true;
    while (atomic_load(&gate->reached) <= after && in_time)
        in_time = sleep_until(gate, endless ? NULL : &deadline);
    const bool passed = atomic_load(&gate->reached) > after;
    atomic_fetch_sub(&gate->waiting, 1);
    pthread_mutex_unlock(&gate->lock);
    return passed;
}
