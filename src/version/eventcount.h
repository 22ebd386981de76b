/* SPDX-License-Identifier: MIT */
/*
 * eventcount.h: a counter that only increases, and a way for threads to wait until it exceeds a
 * value.
 *
 * Raising and reading the counter take no lock unless a thread waits.
 */
#ifndef PQTI_EVENTCOUNT_H
#define PQTI_EVENTCOUNT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct pqti_eventcount {
    _Atomic uint64_t count;
    atomic_uint waiting; /* the number of threads in pqti_eventcount_wait; written under the lock */
    atomic_uint
        made_at; /* the value of the fork counter (fork.h) when the lock was made: a child process
                    makes a new lock, and none of its threads is waiting */
    pthread_mutex_t lock;
    pthread_cond_t raised;
} pqti_eventcount;

/* Initialises the counter with `reached`. Returns false if the system cannot make a lock. */
bool pqti_eventcount_open(pqti_eventcount *eventcount, uint64_t reached);

/* Destroys the lock. No thread may be waiting. */
void pqti_eventcount_close(pqti_eventcount *eventcount);

/* Raises the counter to `reached`, unless it is higher already, and wakes all waiting threads. */
void pqti_eventcount_raise(pqti_eventcount *eventcount, uint64_t reached);

/*
 * Waits until the counter exceeds `after`, but for at most `seconds`. If `seconds` is 0 or less,
 * returns at once; if it is infinite, waits without a limit. Returns true if the counter exceeds
 * `after`. A thread may be cancelled here; it is then no longer counted as waiting.
 */
bool pqti_eventcount_wait(pqti_eventcount *eventcount, uint64_t after, double seconds);

/* Returns the number of threads of this process that are waiting. */
unsigned pqti_eventcount_waiters(pqti_eventcount *eventcount);

#endif
