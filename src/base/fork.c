/* SPDX-License-Identifier: MIT */
/* fork.c: makes locks usable in a child process after fork, and closes descriptors there. */
#include "config.h"

#include "base/fork.h"

#include <pthread.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * This lock is held while an object is renewed, while the list of descriptors changes, and by a
 * thread that forks. So a child never inherits an object that is only partly renewed, nor a
 * descriptor that is missing in the list.
 */
static pthread_mutex_t fork_lock = PTHREAD_MUTEX_INITIALIZER;
static pqti_private_descriptor *descriptors; /* protected by fork_lock */

static pthread_once_t watch_once = PTHREAD_ONCE_INIT;
static bool is_watching;
static unsigned forks; /* written only while the process has one thread */

void
pqti_fork_hold(void)
{
    pthread_mutex_lock(&fork_lock);
}

void
pqti_fork_release(void)
{
    pthread_mutex_unlock(&fork_lock);
}

static bool
is_same_file(const pqti_private_descriptor *added)
{
    struct stat now;
    return fstat(added->descriptor, &now) == 0 && now.st_dev == added->device &&
           now.st_ino == added->number;
}

/* Closes the child's copies only: the descriptors of the parent, and its locks, remain. */
static void
after_fork_in_child(void)
{
    forks++;
    for (; descriptors != NULL; descriptors = descriptors->next) {
        if (is_same_file(descriptors))
            close(descriptors->descriptor);
        descriptors->descriptor = -1;
        descriptors->is_added = false;
    }
    pqti_fork_release();
}

static void
watch_fork(void)
{
    is_watching = pthread_atfork(pqti_fork_hold, pqti_fork_release, after_fork_in_child) == 0;
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
    pqti_fork_hold();
    if (atomic_load_explicit(made_at, memory_order_relaxed) != forks) {
        renew(object);
        atomic_store_explicit(made_at, forks, memory_order_release);
    }
    pqti_fork_release();
}

bool
pqti_fork_add(pqti_private_descriptor *added, int descriptor)
{
    struct stat file;
    *added = (pqti_private_descriptor){.descriptor = -1};
    if (descriptor < 0 || fstat(descriptor, &file) != 0)
        return false;
    *added =
        (pqti_private_descriptor){descriptor, true, file.st_dev, file.st_ino, descriptors, NULL};
    if (descriptors != NULL)
        descriptors->previous = added;
    descriptors = added;
    return true;
}

void
pqti_fork_remove(pqti_private_descriptor *removed)
{
    if (!removed->is_added)
        return;
    if (removed->previous != NULL)
        removed->previous->next = removed->next;
    else
        descriptors = removed->next;
    if (removed->next != NULL)
        removed->next->previous = removed->previous;
    removed->descriptor = -1;
    removed->is_added = false;
}
