/* SPDX-License-Identifier: MIT */
/*
 * writer_lock.h: the lock that a process holds while it writes a store.
 *
 * The lock is an flock on the file NAME-writer, which contains the id of the process and the name
 * of its machine as text. The file is opened without following a link, and nothing is written to it
 * unless it is empty or contains such a text. The system releases the lock when the process ends,
 * for whatever reason: its children close their copies of the descriptor. The process tries to
 * remove the file when it releases the lock. If another program has removed it before, another
 * process can lock the store, too, so pqti_writer_lock_check must fail then.
 */
#ifndef PQTI_WRITER_LOCK_H
#define PQTI_WRITER_LOCK_H

#include <stdbool.h>
#include <sys/types.h>

#include <pqt/error.h>

#include "base/fork.h"

enum { PQTI_HOLDER_SIZE = 128 }; /* more than the text of a holder has */

/* The file that had a name. */
typedef struct pqti_named_file {
    bool is_there;
    dev_t device;
    ino_t number;
    nlink_t names; /* the number of its names */
} pqti_named_file;

typedef struct pqti_writer_lock {
    char *path;     /* in scratch memory; NULL: not locked */
    char *log_path; /* in scratch memory: the name of the log of the database */
    pqti_private_descriptor file;
    pqti_named_file store, log; /* the files of the database since pqti_writer_lock_watch */
} pqti_writer_lock;

/* Locks a store. Returns false and sets `error` on failure: PQT_ERROR_CONFLICT if another process
   holds the lock. */
bool pqti_writer_lock_take(pqti_writer_lock *lock, const char *store, pqt_error *error);

/* Records the files of the database, which is open. */
void pqti_writer_lock_watch(pqti_writer_lock *lock, const char *store);

/* Returns true if no other process can have locked the store since the lock was taken, if the files
   of the database still have their names, so that other processes see what is written to them, and
   if the store has one name, so that other processes see the lock. Otherwise sets
   PQT_ERROR_CONFLICT. */
bool pqti_writer_lock_check(const pqti_writer_lock *lock, const char *store, pqt_error *error);

/* Returns true if a writer holds the lock of a store, or has died while it did. Only the lock
   itself could tell the two apart, and to try it could refuse a writer. Writes the text that
   identifies the writer to `holder`. */
bool pqti_writer_lock_exists(const char *store, char holder[PQTI_HOLDER_SIZE]);

/* Releases the lock if it is held. In a child of the process that took it, only frees memory. */
void pqti_writer_lock_release(pqti_writer_lock *lock);

#endif
