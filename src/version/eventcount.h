/* SPDX-License-Identifier: MIT */
/*
 * eventcount.h - a number that only grows, and threads that wait until it has passed another.
 *
 * Raising and asking take no lock unless somebody waits.
 */
#ifndef PQTI_EVENTCOUNT_H
#define PQTI_EVENTCOUNT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct pqti_eventcount {
    _Atomic uint64_t count;
    atomic_uint waiting; /* threads in pqti_eventcount_wait; written under the lock */
    atomic_uint made_at; /* see fork.h: in a child the lock is made again, and nobody waits */
    pthread_mutex_t lock;
    pthread_cond_t raised;
} pqti_eventcount;

/* False if the system has no lock left to give. */
bool pqti_eventcount_open(pqti_eventcount *eventcount, uint64_t reached);

/* Nobody may be waiting. */
void pqti_eventcount_close(pqti_eventcount *eventcount);

/* Raises the number, unless another thread has raised it further, and wakes those who wait. */
void pqti_eventcount_raise(pqti_eventcount *eventcount, uint64_t reached);

/*
 * Waits until the number is above `after`, but no longer than so many seconds: 0 or less not at
 * all, infinity for ever. Returns whether it is. A thread that is cancelled here waits no more.
 */
bool pqti_eventcount_wait(pqti_eventcount *eventcount, uint64_t after, double seconds);

/* How many threads of this process wait. */
unsigned pqti_eventcount_waiters(pqti_eventcount *eventcount);

#endif
