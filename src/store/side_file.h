/* SPDX-License-Identifier: MIT */
/*
 * side_file.h: the files that belong to a store by their names, and the names of the store itself.
 *
 * A store NAME has the files NAME-writer (the lock of its writer) and NAME-wal, NAME-shm and
 * NAME-journal (the log, its index and the journal, which SQLite makes). They are opened by their
 * names alone, so anybody who can put a link there makes the library write into the file that the
 * link leads to. So no such name is opened unless it is free or leads to a file that a writer of
 * the store may have made.
 */
#ifndef PQTI_SIDE_FILE_H
#define PQTI_SIDE_FILE_H

#include <stdbool.h>
#include <sys/stat.h>

#include <pqt/error.h>

/* Returns a name with a suffix in scratch memory. Returns NULL and sets `error` if there is no
   memory. */
char *pqti_side_file_name(const char *store, const char *suffix, pqt_error *error);

/* Returns true if a file is a regular one with a single name, and belongs to this user, to root, to
   the owner of the store, or to another user who may write the store. Otherwise sets
   PQT_ERROR_STREAM. `owner` is the status of the store, or NULL if the store does not exist yet. */
bool pqti_side_file_is_ours(const char *suffix, const struct stat *file, const struct stat *owner,
                            pqt_error *error);

/* Returns true if the name with this suffix is free, or leads to a file that is ours. Otherwise
   sets PQT_ERROR_STREAM. Follows no link. */
bool pqti_side_file_check(const char *store, const char *suffix, const struct stat *owner,
                          pqt_error *error);

/* Checks the names of the files that SQLite makes. */
bool pqti_side_files_check(const char *store, pqt_error *error);

/* Removes the files that SQLite makes. */
void pqti_side_files_remove(const char *store);

/* Sets PQT_ERROR_CONFLICT for a store whose file has several names, which may not be written: each
   name has a lock and a log of its own. Names another one if it is in the same folder. Returns
   false. */
bool pqti_refuse_names(const char *store, nlink_t names, pqt_error *error);

/* Returns true if a store can be read by this name: its file has no other name in the same folder
   that has a log or a writer. Otherwise sets PQT_ERROR_CONFLICT. */
bool pqti_may_read_by_name(const char *store, pqt_error *error);

#endif
