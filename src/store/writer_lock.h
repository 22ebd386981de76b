/* SPDX-License-Identifier: MIT */
/*
 * writer_lock.h: the lock of the process that writes a store.
 *
 * The lock is an flock on the file NAME-writer, which contains the number and the machine of the
 * process as text. The system releases it when the process ends, for whatever reason. The process
 * removes the file at the end if it can.
 */
#ifndef PQTI_WRITER_LOCK_H
#define PQTI_WRITER_LOCK_H

#include <stdbool.h>

#include <pqt/error.h>

typedef struct pqti_writer_lock {
    char *path;     /* scratch; NULL: not locked */
    int descriptor; /* the descriptor of the file */
} pqti_writer_lock;

/* Locks a store. Returns false and sets `error` on failure: PQT_ERROR_CONFLICT if another one has
   the lock. */
bool pqti_writer_lock_take(pqti_writer_lock *lock, const char *store, pqt_error *error);

/* Releases the lock, if it is held. */
void pqti_writer_lock_release(pqti_writer_lock *lock);

#endif
