/* SPDX-License-Identifier: MIT */
/*
 * fork.h: locks that are usable in a child after fork, even if another thread of the parent held
 * them.
 *
 * The child has only the thread that forked. A lock that another thread held at that moment stays
 * locked in the child, and a condition variable counts threads that do not exist. So the owner of
 * such objects stores the fork count at which it made them, compares it before each use, and makes
 * them again if it differs.
 */
#ifndef PQTI_FORK_H
#define PQTI_FORK_H

#include <stdatomic.h>
#include <stdbool.h>

/* Call before the first lock is made. Returns false if there is no memory. */
bool pqti_fork_watch(void);

/* Returns the number of forks between this process and the one that called pqti_fork_watch
 * first. */
unsigned pqti_fork_count(void);

/* Calls `renew` for an object that was made or renewed in an ancestor process: once for each
 * process, by the first thread that calls this. `made_at` is the object's pqti_fork_count. */
void pqti_fork_renew(atomic_uint *made_at, void (*renew)(void *object), void *object);

#endif
