/* SPDX-License-Identifier: MIT */
/*
 * fork.h: makes locks usable in a child process after fork, even if another thread of the parent
 * held them, and closes descriptors there that belong to the parent alone.
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
#include <sys/types.h>

/* Must be called before the first lock is made. Returns false when out of memory. */
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

/*
 * A descriptor that a child process closes after fork, before fork returns there. A lock, or a
 * connection, lasts as long as any process has a descriptor of it. So without this, a child that
 * never calls the library would keep a lock of its parent after the parent has died. A child that
 * executes another program, such as one of posix_spawn, closes a descriptor with O_CLOEXEC then.
 */
typedef struct pqti_private_descriptor {
    int descriptor; /* a child process sets this to -1 */
    bool is_added;
    dev_t device; /* the file, because another library may close it, and its number be reused: */
    ino_t number;
    struct pqti_private_descriptor *next, *previous;
} pqti_private_descriptor;

/*
 * Between these two calls, no other thread forks: between the call that opens a descriptor and the
 * one that adds it, or between removing and closing it. They must not be nested. A child
 * process may use them at once.
 */
void pqti_fork_hold(void);
void pqti_fork_release(void);

/*
 * Adds a descriptor. Returns false if it is -1, or if the system does not describe its file. The
 * caller has called pqti_fork_watch and pqti_fork_hold.
 */
bool pqti_fork_add(pqti_private_descriptor *added, int descriptor);

/* Removes a descriptor without closing it. The caller has called pqti_fork_hold. */
void pqti_fork_remove(pqti_private_descriptor *removed);

#endif
