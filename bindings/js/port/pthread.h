/* SPDX-License-Identifier: MIT */
/*
 * pthread.h: POSIX threads for a program with one thread, such as a WebAssembly instance.
 *
 * It has the functions that the library calls, except those for heads. No thread can wait, so locks
 * do nothing. No thread ends, so destructors never run. There is no fork. The types have their own
 * names, because the headers of a system may define the POSIX names.
 */
#ifndef PQT_PORT_PTHREAD_H
#define PQT_PORT_PTHREAD_H

/* These are before the macros, because they may declare thread types. */
#include <stdlib.h>
#include <sys/types.h>

typedef char pqt_one_thread;

#define pthread_mutex_t pqt_one_thread
#define pthread_once_t pqt_one_thread
#define pthread_key_t pqt_one_thread

#define PTHREAD_MUTEX_INITIALIZER 0
#define PTHREAD_ONCE_INIT 0
#define PTHREAD_CANCEL_DISABLE 0

static inline int
pqt_does_nothing(const void *object)
{
    (void)object;
    return 0;
}

#define pthread_mutex_init(mutex, attributes) pqt_does_nothing(mutex)
#define pthread_mutex_destroy(mutex) pqt_does_nothing(mutex)
#define pthread_mutex_lock(mutex) pqt_does_nothing(mutex)
#define pthread_mutex_unlock(mutex) pqt_does_nothing(mutex)
#define pthread_key_create(key, destroy) ((void)(destroy), *(key) = 0, pqt_does_nothing(key))
#define pthread_key_delete(key) ((void)(key), pqt_does_nothing(NULL))
#define pthread_setspecific(key, value) ((void)(key), pqt_does_nothing(value))
#define pthread_atfork(before, parent, child)                                                      \
    ((void)(before), (void)(parent), (void)(child), pqt_does_nothing(NULL))
#define pthread_setcancelstate(state, previous) (*(previous) = (state), pqt_does_nothing(previous))

static inline int
pthread_once(pthread_once_t *once, void (*initialise)(void))
{
    if (!*once) {
        *once = 1;
        initialise();
    }
    return 0;
}

#endif
