/* SPDX-License-Identifier: MIT */
/*
 * pthread.h: POSIX threads for a program with one thread, which is what a WebAssembly instance is.
 *
 * It has the functions that the library calls outside its heads. No thread can wait, so locks do
 * nothing; no thread ends, so destructors never run; and there is no fork.
 */
#ifndef PQT_PORT_PTHREAD_H
#define PQT_PORT_PTHREAD_H

typedef char pthread_mutex_t;
typedef char pthread_once_t;
typedef char pthread_key_t;

#define PTHREAD_MUTEX_INITIALIZER 0
#define PTHREAD_ONCE_INIT 0
#define PTHREAD_CANCEL_DISABLE 0

#define pthread_mutex_init(mutex, attributes) (*(mutex) = PTHREAD_MUTEX_INITIALIZER)
#define pthread_mutex_destroy(mutex) ((void)(mutex), 0)
#define pthread_mutex_lock(mutex) ((void)(mutex), 0)
#define pthread_mutex_unlock(mutex) ((void)(mutex), 0)
#define pthread_key_create(key, destroy) ((void)(destroy), *(key) = 0)
#define pthread_setspecific(key, value) ((void)(key), (void)(value), 0)
#define pthread_atfork(before, parent, child) ((void)(before), (void)(parent), (void)(child), 0)
#define pthread_setcancelstate(state, previous) (*(previous) = (state), 0)

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
