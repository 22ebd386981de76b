/* SPDX-License-Identifier: MIT */
/*
 * fork.h - locks that a child of fork finds free, although another thread of its parent held them.
 *
 * The child has the one thread that forked. A lock that another thread held at that moment stays
 * locked there for ever, and a condition variable counts threads that are gone. So whatever owns
 * such things keeps the number of forks at which it made them, compares it before it uses them, and
 * makes them again where it differs.
 */
#ifndef PQTI_FORK_H
#define PQTI_FORK_H

#include <stdatomic.h>
#include <stdbool.h>

/* To be called before the first lock is made. False: no memory. */
bool pqti_fork_watch(void);

/* How many forks lie between this process and the one that watched first. */
unsigned pqti_fork_count(void);

/*
 * Calls `renew` for an object that was made, or renewed, in a process before this one: once a
 * process, whichever of its threads comes first. `made_at` is the object's pqti_fork_count.
 */
void pqti_fork_renew(atomic_uint *made_at, void (*renew)(void *object), void *object);

#endif
