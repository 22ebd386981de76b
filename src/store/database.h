/* SPDX-License-Identifier: MIT */
/*
 * database.h: the database of a store: its tables and statements. Failures in SQLite are reported
 * through pqt_error.
 */
#ifndef PQTI_DATABASE_H
#define PQTI_DATABASE_H

#include <stdbool.h>
#include <stdint.h>

#include <pqt/error.h>

#include <sqlite3.h>

#include "store/inherited.h"

enum {
    PQTI_STORE_APPLICATION = 0x70717473, /* "pqts", the application_id of the file */
    PQTI_STORE_VERSION = 2,              /* the user_version of the file */
    PQTI_UNCOUNTED_VERSION = 1,          /* of a file whose history table has no counts */
    PQTI_HEADER_VERSION = 18 /* the byte of a file that is 2 if the database has a log */
};

/* The prepared statements. database.c holds their SQL text. */
typedef enum pqti_statement {
    PQTI_BEGIN,
    PQTI_BEGIN_READING,
    PQTI_COMMIT,
    PQTI_READ_STATE,
    PQTI_READ_UNCOUNTED_STATE,
    PQTI_WRITE_STATE,
    PQTI_READ_ENTRIES,
    PQTI_READ_NAMES,
    PQTI_READ_KEYFRAMES,
    PQTI_READ_CHANGE,
    PQTI_READ_KEYFRAME,
    PQTI_WRITE_ENTRY,
    PQTI_WRITE_REDO,
    PQTI_WRITE_NAME,
    PQTI_WRITE_KEYFRAME,
    PQTI_DELETE_ENTRY,
    PQTI_DELETE_NAME,
    PQTI_DELETE_KEYFRAME,
    PQTI_DELETE_ENTRIES_AFTER,
    PQTI_DELETE_NAMES_AFTER,
    PQTI_DELETE_KEYFRAMES_AFTER,
    PQTI_READ_RECORDING,
    PQTI_WRITE_RECORDING,
    PQTI_READ_STEPS,
    PQTI_WRITE_STEP,
    PQTI_STATEMENTS
} pqti_statement;

typedef struct pqti_database {
    sqlite3 *connection;
    sqlite3_stmt *statements[PQTI_STATEMENTS]; /* each statement is prepared when it is first
                                                  used */
    unsigned opened_at;                        /* the pqti_fork_count at which it was opened */
    pqti_open_file *file;                      /* its file in the list of open files, or NULL */
    int version;         /* the user_version of the file, since it was created or validated */
    bool must_roll_back; /* a transaction has failed, and may still be open */
} pqti_database;

/* Opens the file. Returns false and sets `error` on failure. The caller must close the database in
   either case. */
bool pqti_database_open(pqti_database *database, const char *path, bool for_writing,
                        pqt_error *error);

/* Reads the first bytes of a file with SQLite's functions, and changes nothing. When a process
   closes a file in another way, the system ends all locks that the process has on the file, also
   those of its open databases. Returns the number of bytes, or 0 on failure. */
size_t pqti_database_read_header(const char *path, void *bytes, size_t count);

/* Makes a database that is open for writing sync as the store requires. */
bool pqti_database_set_sync(pqti_database *database, bool full_sync, pqt_error *error);

/* Makes the database write changes to its log, -wal. Until then, it uses a journal, which writes
   them to the file itself. */
bool pqti_database_use_log(pqti_database *database, pqt_error *error);

/* Closes the database. In a child of the process that opened it, this only forgets it: SQLite would
   change the files as if the child had the parent's locks. */
void pqti_database_close(pqti_database *database);

/* Returns false and sets `error` if a parent of this process opened the database, or if a failed
   transaction can still not be rolled back. Such a database runs no statement. */
bool pqti_database_is_usable(pqti_database *database, pqt_error *error);

/* Prepares a statement, which the caller must finalize. Returns NULL and sets `error` on failure:
   always in a child of the process that opened the database. */
sqlite3_stmt *pqti_prepare(pqti_database *database, const char *sql, pqt_error *error);

/* Sets *is_empty to true if the database has no tables. Returns false and sets `error` on
   failure. */
bool pqti_database_is_empty(pqti_database *database, bool *is_empty, pqt_error *error);

/* Creates the tables in a transaction of its own. */
bool pqti_database_create(pqti_database *database, pqt_error *error);

/* Creates the tables of a recording within the open transaction. */
bool pqti_database_create_recording(pqti_database *database, pqt_error *error);

/* Replaces the table of the history by one with counts, without rows, within the open
   transaction. */
bool pqti_database_add_counts(pqti_database *database, pqt_error *error);

/* Returns true if the file is a store of this version, or of an earlier one, that contains the
   tables of a store, perhaps those of a recording, and no others. Sets *has_recording to true if it
   contains those of a recording. */
bool pqti_database_validate(pqti_database *database, bool *has_recording, pqt_error *error);

/* Sets `error` from the last failure of SQLite, and returns false. */
bool pqti_database_failed(const pqti_database *database, int code, pqt_error *error);

/* Returns a statement without bound values. Returns NULL and sets `error` on failure. */
sqlite3_stmt *pqti_statement_of(pqti_database *database, pqti_statement statement,
                                pqt_error *error);

/* Runs a statement that returns no rows, and resets it. */
bool pqti_run(pqti_database *database, sqlite3_stmt *statement, pqt_error *error);

/* Like pqti_run, for a statement without parameters. */
bool pqti_run_plain(pqti_database *database, pqti_statement statement, pqt_error *error);

/* Like pqti_run, for a statement whose only parameter is a number. */
bool pqti_run_number(pqti_database *database, pqti_statement statement, uint64_t number,
                     pqt_error *error);

/* Steps to the next row. Sets *has_row to false after the last row. Returns false and sets `error`
   on failure. */
bool pqti_next_row(pqti_database *database, sqlite3_stmt *statement, bool *has_row,
                   pqt_error *error);

/* Rolls back a transaction that a call has left open, for example one that a callback left by
   longjmp. Returns false and sets `error` on failure. */
bool pqti_abandon_transaction(pqti_database *database, pqt_error *error);

/* Commits the transaction if `done`, otherwise rolls it back: if that fails, before the next
   statement. Returns true if it was committed. */
bool pqti_end_transaction(pqti_database *database, bool done, pqt_error *error);

/* Runs SQL text that has no parameters. */
bool pqti_execute(pqti_database *database, const char *sql, pqt_error *error);

#endif
