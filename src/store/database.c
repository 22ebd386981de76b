/* SPDX-License-Identifier: MIT */
/*
 * database.c: the database of a store.
 *
 * The file may come from anyone, so the SQL text of each table must equal the text below exactly,
 * and the file may hold nothing else. This ensures that no trigger or view in such a file ever
 * runs.
 */
#include "config.h"

#include "store/database.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error_internal.h"
#include "base/fork.h"
#include "memory/memory_internal.h"

enum { BUSY_MILLISECONDS = 5000 };

static const char *const tables[] = {
    "CREATE TABLE entry(number INTEGER PRIMARY KEY, parent INTEGER NOT NULL, label TEXT NOT NULL, "
    "time REAL NOT NULL, key INTEGER NOT NULL, added INTEGER NOT NULL, redo INTEGER, "
    "encoding INTEGER NOT NULL, fingerprint BLOB NOT NULL, checksum INTEGER NOT NULL, "
    "changes BLOB) STRICT",
    "CREATE TABLE history(id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, current INTEGER NOT NULL, "
    "saved INTEGER NOT NULL, next INTEGER NOT NULL, entries INTEGER NOT NULL, "
    "names INTEGER NOT NULL, checksum INTEGER NOT NULL) STRICT",
    "CREATE TABLE keyframe(entry INTEGER NOT NULL, part INTEGER NOT NULL, bytes BLOB NOT NULL, "
    "PRIMARY KEY(entry, part)) STRICT, WITHOUT ROWID",
    "CREATE TABLE name(entry INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum INTEGER NOT NULL) "
    "STRICT",
    /* present only in stores that hold a recording: */
    "CREATE TABLE recording(id INTEGER PRIMARY KEY, numbers BLOB NOT NULL, "
    "checksum INTEGER NOT NULL) STRICT",
    "CREATE TABLE step(number INTEGER PRIMARY KEY, fingerprint BLOB NOT NULL, "
    "checksum INTEGER NOT NULL) STRICT",
};

enum { ALL_TABLES = sizeof tables / sizeof *tables, TABLES = ALL_TABLES - 2, HISTORY_TABLE = 1 };

static const char uncounted_history[] =
    "CREATE TABLE history(id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, current INTEGER NOT NULL, "
    "saved INTEGER NOT NULL, next INTEGER NOT NULL, checksum INTEGER NOT NULL) STRICT";

static const char *const texts[PQTI_STATEMENTS] = {
    [PQTI_BEGIN] = "BEGIN IMMEDIATE",
    [PQTI_BEGIN_READING] = "BEGIN",
    [PQTI_COMMIT] = "COMMIT",
    [PQTI_READ_STATE] = ("SELECT kind, current, saved, next, entries, names, checksum, "
                         "id = 1 AND (SELECT count(*) FROM history) = 1 FROM history"),
    [PQTI_READ_UNCOUNTED_STATE] = ("SELECT kind, current, saved, next, 0, 0, checksum, "
                                   "id = 1 AND (SELECT count(*) FROM history) = 1 FROM history"),
    [PQTI_WRITE_STATE] = "REPLACE INTO history VALUES (1, ?, ?, ?, ?, ?, ?, ?)",
    [PQTI_READ_ENTRIES] = ("SELECT number, parent, label, time, key, added, redo, encoding, "
                           "fingerprint, checksum, length(changes) FROM entry ORDER BY number"),
    [PQTI_READ_NAMES] = "SELECT entry, name, checksum FROM name ORDER BY entry",
    [PQTI_READ_KEYFRAMES] =
        "SELECT entry, sum(length(bytes)) FROM keyframe GROUP BY entry ORDER BY entry",
    [PQTI_READ_CHANGE] = "SELECT changes, fingerprint FROM entry WHERE number = ?",
    [PQTI_READ_KEYFRAME] = "SELECT bytes FROM keyframe WHERE entry = ? AND part = ?",
    [PQTI_WRITE_ENTRY] = "REPLACE INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [PQTI_WRITE_REDO] = "UPDATE entry SET redo = ?2 WHERE number = ?1",
    [PQTI_WRITE_NAME] = "REPLACE INTO name VALUES (?, ?, ?)",
    [PQTI_WRITE_KEYFRAME] = "INSERT INTO keyframe VALUES (?, ?, ?)",
    [PQTI_DELETE_ENTRY] = "DELETE FROM entry WHERE number = ?",
    [PQTI_DELETE_NAME] = "DELETE FROM name WHERE entry = ?",
    [PQTI_DELETE_KEYFRAME] = "DELETE FROM keyframe WHERE entry = ?",
    [PQTI_DELETE_ENTRIES_AFTER] = "DELETE FROM entry WHERE number > ?",
    [PQTI_DELETE_NAMES_AFTER] = "DELETE FROM name WHERE entry > ?",
    [PQTI_READ_RECORDING] = ("SELECT numbers, checksum, "
                             "id = 1 AND (SELECT count(*) FROM recording) = 1 FROM recording"),
    [PQTI_WRITE_RECORDING] = "INSERT INTO recording VALUES (1, ?, ?)",
    [PQTI_READ_STEPS] = "SELECT number, fingerprint, checksum FROM step ORDER BY number",
    [PQTI_WRITE_STEP] = "INSERT INTO step VALUES (?, ?, ?)",
    [PQTI_DELETE_KEYFRAMES_AFTER] = "DELETE FROM keyframe WHERE entry > ?",
};

bool
pqti_database_failed(const pqti_database *database, int code, pqt_error *error)
{
    switch (code & 0xff) {
    case SQLITE_NOMEM:
        pqti_out_of_memory(error);
        break;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        pqti_error_set(error, PQT_ERROR_FORMAT, 0, "the file is not a store, or is damaged");
        break;
    case SQLITE_BUSY:
        pqti_error_set(error, PQT_ERROR_STREAM, 0,
                       "another program has locked the store for too long");
        break;
    case SQLITE_TOOBIG:
        pqti_error_set(error, PQT_ERROR_LIMIT, 0,
                       "the changes of the entry have more bytes than a row can hold");
        break;
    case SQLITE_FULL:
        pqti_error_set(error, PQT_ERROR_STREAM, 0, "the disk is full");
        break;
    default:
        pqti_error_set(error, PQT_ERROR_STREAM, 0, "%s (SQLite error %d)",
                       database->connection == NULL ? sqlite3_errstr(code)
                                                    : sqlite3_errmsg(database->connection),
                       code);
    }
    return false;
}

static bool
is_inherited(const pqti_database *database)
{
    return database->opened_at != pqti_fork_count();
}

static bool
is_ours(const pqti_database *database, pqt_error *error)
{
    if (!is_inherited(database))
        return true;
    pqti_error_set(error, PQT_ERROR_STREAM, 0,
                   "the store was opened before a fork: the child must open it for itself");
    return false;
}

/* Rolls back a failed transaction if that was not possible when it failed. Until then, its rows
   must not be seen. */
static bool
finish_rollback(pqti_database *database, pqt_error *error)
{
    if (database->must_roll_back && !sqlite3_get_autocommit(database->connection)) {
        const int code = sqlite3_exec(database->connection, "ROLLBACK", NULL, NULL, NULL);
        if (code != SQLITE_OK)
            return pqti_database_failed(database, code, error);
    }
    database->must_roll_back = false;
    return true;
}

bool
pqti_database_is_usable(pqti_database *database, pqt_error *error)
{
    return is_ours(database, error) && finish_rollback(database, error);
}

bool
pqti_execute(pqti_database *database, const char *sql, pqt_error *error)
{
    if (!pqti_database_is_usable(database, error))
        return false;
    const int code = sqlite3_exec(database->connection, sql, NULL, NULL, NULL);
    return code == SQLITE_OK || pqti_database_failed(database, code, error);
}

/* Opens the file with these flags, and reads from it, because sqlite3_open_v2 alone does not access
   the file. */
static int
try_open(pqti_database *database, const char *path, int flags)
{
    sqlite3_close(database->connection);
    database->connection = NULL;
    int code = sqlite3_open_v2(path, &database->connection,
                               flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, NULL);
    if (code != SQLITE_OK)
        return code;
    sqlite3_busy_timeout(database->connection, BUSY_MILLISECONDS);
    sqlite3_db_config(database->connection, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(database->connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    code = sqlite3_exec(database->connection, "PRAGMA cell_size_check = ON", NULL, NULL, NULL);
    return code != SQLITE_OK
               ? code
               : sqlite3_exec(database->connection, "PRAGMA user_version", NULL, NULL, NULL);
}

/* Returns the URI that opens a file as immutable, that is, as one that no process changes. Escapes
   the characters that have a special meaning in URIs. */
static char *
immutable_uri(const char *path)
{
    static const char hex[] = "0123456789abcdef";
    char *uri = pqti_alloc_scratch(3 * strlen(path) + sizeof "file:?immutable=1", 1);
    if (uri == NULL)
        return NULL;
    char *to = uri + sprintf(uri, "file:");
    for (; *path != '\0'; path++) {
        if (*path != '%' && *path != '?' && *path != '#') {
            *to++ = *path;
        } else {
            *to++ = '%';
            *to++ = hex[(unsigned char)*path >> 4];
            *to++ = hex[*path & 15];
        }
    }
    strcpy(to, "?immutable=1");
    return uri;
}

/* Returns true if there is a file with this suffix that is not empty, or if that is not known. */
static bool
has_file(const char *path, const char *suffix)
{
    int is_there = 0;
    sqlite3_vfs *files = sqlite3_vfs_find(NULL);
    char *name = pqti_alloc_scratch(strlen(path) + strlen(suffix) + 1, 1);
    if (name == NULL)
        return true;
    strcpy(name, path);
    strcat(name, suffix);
    const int code = files->xAccess(files, name, SQLITE_ACCESS_EXISTS, &is_there);
    pqti_free_scratch(name);
    return code != SQLITE_OK || is_there;
}

/* Returns true if the last changes of a database may be in a log or a journal, not in its file. */
static bool
has_log(const char *path)
{
    return has_file(path, "-wal") || has_file(path, "-journal");
}

static bool
is_unwritable(int code)
{
    return (code & 0xff) == SQLITE_CANTOPEN || (code & 0xff) == SQLITE_READONLY;
}

/* Opens a file that may be in a read-only folder or on a read-only medium. An immutable file is
   read without its log, so a file that has one is not opened as immutable. */
static int
open_for_reading(pqti_database *database, const char *path)
{
    int code = try_open(database, path, SQLITE_OPEN_READWRITE);
    if (is_unwritable(code))
        code = try_open(database, path, SQLITE_OPEN_READONLY);
    if (is_unwritable(code) && !has_log(path)) {
        char *uri = immutable_uri(path);
        if (uri == NULL)
            return SQLITE_NOMEM;
        code = try_open(database, uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
        pqti_free_scratch(uri);
    }
    return code;
}

/* Reads a head without SQLite. Only a process that has no store open may do so, because closing the
   file ends all locks that the process has on it. */
static size_t
read_head_plainly(const char *path, void *bytes, size_t count)
{
    FILE *file = fopen(path, "rbe");
    const bool is_read = file != NULL && fread(bytes, 1, count, file) == count;
    if (file != NULL)
        fclose(file);
    return is_read ? count : 0;
}

size_t
pqti_database_read_header(const char *path, void *bytes, size_t count)
{
    if (pqti_sqlite_is_stuck())
        return read_head_plainly(path, bytes, count);
    sqlite3_vfs *files = sqlite3_vfs_find(NULL);
    sqlite3_file *file = pqti_alloc_scratch(1, (size_t)files->szOsFile);
    const char *name = sqlite3_create_filename(path, "", "", 0, NULL);
    size_t length = 0;
    if (file != NULL && name != NULL) {
        memset(file, 0, (size_t)files->szOsFile);
        if (files->xOpen(files, name, file, SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB, NULL) ==
                SQLITE_OK &&
            file->pMethods->xRead(file, bytes, (int)count, 0) == SQLITE_OK)
            length = count;
        if (file->pMethods != NULL)
            file->pMethods->xClose(file);
    }
    sqlite3_free_filename(name);
    pqti_free_scratch(file);
    return length;
}

bool
pqti_database_open(pqti_database *database, const char *path, bool for_writing, pqt_error *error)
{
    if (!pqti_sqlite_may_be_used(error))
        return false;
    *database = (pqti_database){.opened_at = pqti_fork_count()};
    if (!pqti_open_file_add(&database->file, path, error))
        return false;
    const int code = for_writing ? try_open(database, path, SQLITE_OPEN_READWRITE)
                                 : open_for_reading(database, path);
    if (!for_writing && is_unwritable(code) && has_log(path)) {
        pqti_error_set(error, PQT_ERROR_STREAM, 0,
                       "the store has a log (-wal), which is not readable in a read-only folder");
        return false;
    }
    if (code != SQLITE_OK)
        return pqti_database_failed(database, code, error);
    return for_writing || pqti_execute(database, "PRAGMA query_only = ON", error);
}

bool
pqti_database_set_sync(pqti_database *database, bool full_sync, pqt_error *error)
{
    return pqti_execute(
        database, full_sync ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL", error);
}

bool
pqti_database_use_log(pqti_database *database, pqt_error *error)
{
    return pqti_execute(database, "PRAGMA journal_mode = WAL", error);
}

void
pqti_database_close(pqti_database *database)
{
    if (!is_inherited(database)) {
        for (int i = 0; i < PQTI_STATEMENTS; i++)
            sqlite3_finalize(database->statements[i]);
        sqlite3_close(database->connection);
        pqti_open_file_remove(database->file);
    } else {
        pqti_open_file_abandon(database->file, database->connection);
    }
    *database = (pqti_database){0};
}

static sqlite3_stmt *
prepare(pqti_database *database, const char *sql, unsigned flags, pqt_error *error)
{
    sqlite3_stmt *statement = NULL;
    if (!pqti_database_is_usable(database, error))
        return NULL;
    const int code = sqlite3_prepare_v3(database->connection, sql, -1, flags, &statement, NULL);
    if (code != SQLITE_OK)
        pqti_database_failed(database, code, error);
    return statement;
}

sqlite3_stmt *
pqti_prepare(pqti_database *database, const char *sql, pqt_error *error)
{
    return prepare(database, sql, 0, error);
}

/* Reads the number that a statement returns in its only row. */
static bool
read_number(pqti_database *database, const char *sql, int64_t *number, pqt_error *error)
{
    sqlite3_stmt *statement = pqti_prepare(database, sql, error);
    if (statement == NULL)
        return false;
    const int code = sqlite3_step(statement);
    if (code == SQLITE_ROW)
        *number = sqlite3_column_int64(statement, 0);
    const bool done = code == SQLITE_ROW || pqti_database_failed(database, code, error);
    sqlite3_finalize(statement);
    return done;
}

bool
pqti_database_is_empty(pqti_database *database, bool *is_empty, pqt_error *error)
{
    int64_t count = 0;
    if (!read_number(database, "SELECT count(*) FROM sqlite_schema", &count, error))
        return false;
    *is_empty = count == 0;
    return true;
}

/* Writes the version into the file, within the open transaction. */
static bool
write_version(pqti_database *database, pqt_error *error)
{
    char pragma[48];
    snprintf(pragma, sizeof pragma, "PRAGMA user_version = %d", PQTI_STORE_VERSION);
    if (!pqti_execute(database, pragma, error))
        return false;
    database->version = PQTI_STORE_VERSION;
    return true;
}

bool
pqti_database_create(pqti_database *database, pqt_error *error)
{
    char pragma[48];
    snprintf(pragma, sizeof pragma, "PRAGMA application_id = %d", PQTI_STORE_APPLICATION);
    bool done = pqti_run_plain(database, PQTI_BEGIN, error) &&
                pqti_execute(database, pragma, error) && write_version(database, error);
    for (int i = 0; i < TABLES && done; i++)
        done = pqti_execute(database, tables[i], error);
    return pqti_end_transaction(database, done, error);
}

bool
pqti_database_add_counts(pqti_database *database, pqt_error *error)
{
    return pqti_execute(database, "DROP TABLE history", error) &&
           pqti_execute(database, tables[HISTORY_TABLE], error) && write_version(database, error);
}

bool
pqti_database_create_recording(pqti_database *database, pqt_error *error)
{
    bool done = true;
    for (int i = TABLES; i < ALL_TABLES && done; i++)
        done = pqti_execute(database, tables[i], error);
    return done;
}

/* Returns the SQL text of a table in a file of a given version. */
static const char *
text_of_table(int64_t version, int table)
{
    return version == PQTI_UNCOUNTED_VERSION && table == HISTORY_TABLE ? uncounted_history
                                                                       : tables[table];
}

/* Returns true if the database has exactly the tables that are defined above. The tables for
   recordings may be missing. */
static bool
has_our_tables(pqti_database *database, int64_t version, bool *is_ours, bool *has_recording,
               pqt_error *error)
{
    int code, count = 0;
    sqlite3_stmt *statement =
        pqti_prepare(database, "SELECT sql FROM sqlite_schema ORDER BY name", error);
    if (statement == NULL)
        return false;
    *is_ours = true;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        const char *text = (const char *)sqlite3_column_text(statement, 0);
        *is_ours &=
            count < ALL_TABLES && text != NULL && strcmp(text, text_of_table(version, count)) == 0;
        count++;
    }
    *is_ours &= count == TABLES || count == ALL_TABLES;
    *has_recording = count == ALL_TABLES;
    const bool done = code == SQLITE_DONE || pqti_database_failed(database, code, error);
    sqlite3_finalize(statement);
    return done;
}

bool
pqti_database_validate(pqti_database *database, bool *has_recording, pqt_error *error)
{
    int64_t application = 0, version = 0;
    bool is_ours = false;
    if (!read_number(database, "PRAGMA application_id", &application, error) ||
        !read_number(database, "PRAGMA user_version", &version, error) ||
        !has_our_tables(database, version, &is_ours, has_recording, error))
        return false;
    if (application == PQTI_STORE_APPLICATION && version > PQTI_STORE_VERSION)
        pqti_error_set(error, PQT_ERROR_FORMAT, 0,
                       "the store has version %d, but this release reads versions up to %d",
                       (int)version, PQTI_STORE_VERSION);
    else if (application != PQTI_STORE_APPLICATION || version < PQTI_UNCOUNTED_VERSION || !is_ours)
        pqti_error_set(error, PQT_ERROR_FORMAT, 0, "the file is a database, but not a store");
    else
        database->version = (int)version;
    return database->version != 0;
}

sqlite3_stmt *
pqti_statement_of(pqti_database *database, pqti_statement statement, pqt_error *error)
{
    sqlite3_stmt **at = &database->statements[statement];
    if (!pqti_database_is_usable(database, error))
        return NULL;
    if (*at == NULL) {
        *at = prepare(database, texts[statement], SQLITE_PREPARE_PERSISTENT, error);
    } else {
        sqlite3_reset(*at);
        sqlite3_clear_bindings(*at);
    }
    return *at;
}

bool
pqti_run(pqti_database *database, sqlite3_stmt *statement, pqt_error *error)
{
    const int code = sqlite3_step(statement);
    const bool done =
        code == SQLITE_DONE || code == SQLITE_ROW || pqti_database_failed(database, code, error);
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    return done;
}

bool
pqti_run_plain(pqti_database *database, pqti_statement statement, pqt_error *error)
{
    sqlite3_stmt *prepared = pqti_statement_of(database, statement, error);
    return prepared != NULL && pqti_run(database, prepared, error);
}

bool
pqti_run_number(pqti_database *database, pqti_statement statement, uint64_t number,
                pqt_error *error)
{
    sqlite3_stmt *prepared = pqti_statement_of(database, statement, error);
    if (prepared == NULL)
        return false;
    sqlite3_bind_int64(prepared, 1, (int64_t)number);
    return pqti_run(database, prepared, error);
}

bool
pqti_next_row(pqti_database *database, sqlite3_stmt *statement, bool *has_row, pqt_error *error)
{
    const int code = sqlite3_step(statement);
    *has_row = code == SQLITE_ROW;
    if (*has_row)
        return true;
    const bool done = code == SQLITE_DONE || pqti_database_failed(database, code, error);
    sqlite3_reset(statement);
    return done;
}

bool
pqti_abandon_transaction(pqti_database *database, pqt_error *error)
{
    if (!sqlite3_get_autocommit(database->connection))
        database->must_roll_back = true;
    return pqti_database_is_usable(database, error);
}

bool
pqti_end_transaction(pqti_database *database, bool done, pqt_error *error)
{
    if (done && pqti_run_plain(database, PQTI_COMMIT, error))
        return true;
    (void)pqti_abandon_transaction(database, NULL);
    return false;
}
