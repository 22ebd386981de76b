/* SPDX-License-Identifier: MIT */
/* inherited.h: what a child of a fork must not use of the SQLite of its parent. */
#ifndef PQTI_INHERITED_H
#define PQTI_INHERITED_H

#include <sqlite3.h>
#include <stdbool.h>

#include <pqt/error.h>

/* Returns true in a child in which a lock of SQLite stays locked. */
bool pqti_sqlite_is_stuck(void);

/* Must be called before SQLite is used. Returns false and sets `error` if this process cannot use
   it. */
bool pqti_sqlite_may_be_used(pqt_error *error);

/* A file that this process, or an ancestor at the time of its fork, has open. */
typedef struct pqti_open_file pqti_open_file;

/* Sets *file to a new entry for the file that will be opened, or to NULL if there is no such file.
   Returns false and sets `error` on failure: an ancestor has it open, or out of memory. */
bool pqti_open_file_add(pqti_open_file **file, const char *path, pqt_error *error);

/* Removes an entry, after the file was closed. Does nothing if it is NULL. */
void pqti_open_file_remove(pqti_open_file *file);

/* Keeps the connection that a child may not close, so that leak checkers find it. Does nothing if
   the entry is NULL. */
void pqti_open_file_abandon(pqti_open_file *file, sqlite3 *connection);

#endif
