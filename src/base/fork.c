/* SPDX-License-Identifier: MIT */
/* fork.c: makes locks usable in a child process after fork. */
#include "config.h"

#include "base/fork.h"

#include <pthread.h>

/*
 * This lock is held while an object is renewed, and by a thread that forks. So a child never
 * inherits an object that is only partly renewed.
 */
static pthread_mutex_t renewal_lock = PTHREAD_MUTEX_INITIALIZER;

static pthread_once_t watch_once = PTHREAD_ONCE_INIT;
static bool is_watching;
static unsigned forks; /* written only while the process has one thread */

static void
before_fork(void)
{
    pthread_mutex_lock(&renewal_lock);
}

static void
after_fork_in_parent(void)
{
    pthread_mutex_unlock(&renewal_lock);
}

static void
after_fork_in_child(void)
{
    forks++;
    pthread_mutex_unlock(&renewal_lock);
}

static void
watch_fork(void)
{
    is_watching = pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child) == 0;
}

bool
pqti_fork_watch(void)
{
    return pthread_once(&watch_once, watch_fork) == 0 && is_watching;
}

unsigned
pqti_fork_count(void)
{
    return forks;
}

void
pqti_fork_renew(atomic_uint *made_at, void (*renew)(void *object), void *object)
{
    if (atomic_load_explicit(made_at, memory_order_acquire) == forks)
        return;
    pthread_mutex_lock(&renewal_lock);
    if (atomic_load_explicit(made_at, memory_order_relaxed) != forks) {
        renew(object);
        atomic_store_explicit(made_at, forks, memory_order_release);
    }
    pthread_mutex_unlock(&renewal_lock);
}
