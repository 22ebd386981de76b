/* SPDX-License-Identifier: MIT */
/*
 * fork.h: makes locks usable in a child process after fork, even if another thread of the parent
 * held them.
 *
 * The child has only the thread that forked. In the child, a lock that another thread held at that
 * moment is never unlocked, and a condition variable counts waiting threads that do not exist. So
 * the owner of such objects stores the fork count at which it made them, compares it with the
 * current one before each use, and makes them again if the two differ.
 */
#ifndef PQTI_FORK_H
#define PQTI_FORK_H

#include <stdatomic.h>
#include <stdbool.h>

/* Must be called before the first lock is made. Returns false if there is no memory. */
bool pqti_fork_watch(void);

/*
 * Returns the number of forks between the process that first called pqti_fork_watch and this one.
 */
unsigned pqti_fork_count(void);

/*
 * Calls `renew` if the object was made, or last renewed, in an ancestor process. In each process,
 * only the first thread that calls this renews the object. `made_at` is the pqti_fork_count at
 * which the object was made or renewed.
 */
void pqti_fork_renew(atomic_uint *made_at, void (*renew)(void *object), void *object);

#endif
