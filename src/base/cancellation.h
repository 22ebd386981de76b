/* SPDX-License-Identifier: MIT */
/*
 * cancellation.h: keeps a thread from being cancelled within a function.
 *
 * A thread that is cancelled within a call leaves what the call has begun: a transaction, a
 * temporary file, a descriptor, a lock or memory. So each function that uses files or connections
 * disables cancellation. A request to cancel the thread takes effect at the next cancellation point
 * after the call. Callbacks of such a function run in the same state.
 */
#ifndef PQTI_CANCELLATION_H
#define PQTI_CANCELLATION_H

#include <pthread.h>

static inline int
pqti_disable_cancellation(void)
{
    int before;
    (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    return before;
}

static inline void
pqti_restore_cancellation(const int *before)
{
    int disabled;
    (void)pthread_setcancelstate(*before, &disabled);
}

/*
 * Declares that the calling thread cannot be cancelled from here to the end of the block. At that
 * end, wherever it is left except by longjmp, the earlier state returns.
 */
#define PQTI_NOT_CANCELLABLE                                                                       \
    __attribute__((unused, cleanup(pqti_restore_cancellation))) const int cancellation_before =    \
        pqti_disable_cancellation()

#endif
