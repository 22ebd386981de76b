/* SPDX-License-Identifier: MIT */
/* store.c: opens, closes, checks and compacts a store, and reports its counts. */
#include "config.h"

#include <pqt/heap.h>
#include <pqt/store.h>

#include <string.h>

#include "base/cancellation.h"
#include "base/error_internal.h"

bool
pqt_is_store(const void *bytes, size_t count)
{
    static const uint8_t application[] = {'p', 'q', 't', 's'};
    PQT_ASSERT(bytes != NULL || count == 0, "bytes is NULL, and count is not 0");
    return count >= PQT_STORE_HEAD && memcmp(bytes, "SQLite format 3", 16) == 0 &&
           memcmp((const uint8_t *)bytes + 68, application, sizeof application) == 0;
}

#if PQT_WITH_SQLITE

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/format_double.h"
#include "base/option_structs.h"
#include "io/bytes_internal.h"
#include "memory/memory_internal.h"
#include "store/side_file.h"
#include "store/store_internal.h"
#if PQT_WITH_WORLDS
#include "store/store_recording_internal.h"
#endif

PQTI_DEFINE_OPTIONS(pqti_store_options, pqt_store_options, keyframe_ratio, PQT_STORE_DEFAULTS);

static bool
validate_options(const pqt_store_options *options, pqt_error *error)
{
    if ((unsigned)options->access > PQT_STORE_READ)
        pqti_error_set(error, PQT_ERROR_OPTION, 0, "access is %d, not a pqt_store_access",
                       (int)options->access);
    else if ((unsigned)options->sync > PQT_STORE_FULL)
        pqti_error_set(error, PQT_ERROR_OPTION, 0, "sync is %d, not a pqt_store_sync",
                       (int)options->sync);
    else if (!(options->keyframe_ratio >= 0.125))
        pqti_error_set(error, PQT_ERROR_OPTION, 0,
                       "keyframe_ratio is %s, but must be 0.125 or more",
                       pqti_format_double(options->keyframe_ratio).text);
    else
        return true;
    return false;
}

static bool
report_errno(const char *what, pqt_error *error)
{
    pqti_error_set(error, PQT_ERROR_STREAM, 0, "the store cannot be %s: %s (errno %d)", what,
                   strerror(errno), errno);
    return false;
}

/* Copies a path to scratch memory. */
static bool
keep_path(pqt_store *store, const char *folder, const char *name, pqt_error *error)
{
    const size_t size = strlen(folder) + strlen(name) + 2;
    store->path = pqti_alloc_scratch(size, 1);
    if (store->path == NULL)
        pqti_out_of_memory(error);
    else
        snprintf(store->path, size, "%s%s%s", folder, name[0] != '\0' ? "/" : "", name);
    return store->path != NULL;
}

/* Sets the path of a file that does not exist yet: the resolved path of its folder, and its
   name. */
static bool
find_new_path(pqt_store *store, const char *path, pqt_error *error)
{
    struct stat link;
    const char *slash = strrchr(path, '/'), *name = slash == NULL ? path : slash + 1;
    if (name[0] == '\0' || lstat(path, &link) == 0) {
        errno = ENOENT;
        return report_errno(name[0] == '\0' ? "created" : "opened", error);
    }
    char *folder = slash == NULL ? strdup(".") : strndup(path, (size_t)(slash - path) + 1);
    char *real = folder == NULL ? NULL : realpath(folder, NULL);
    const bool done = real != NULL
                          ? keep_path(store, strcmp(real, "/") == 0 ? "" : real, name, error)
                          : report_errno("created", error);
    free(folder);
    free(real);
    return done;
}

/* Resolves the symbolic links in the path of the file, so that all processes lock the same name. */
static bool
find_path(pqt_store *store, const char *path, pqt_error *error)
{
    struct stat there;
    char *real = realpath(path, NULL);
    if (real == NULL && errno == ENOENT && store->options.access == PQT_STORE_CREATE)
        return find_new_path(store, path, error);
    if (real == NULL)
        return report_errno("opened", error);
    const bool is_regular = stat(real, &there) != 0 || S_ISREG(there.st_mode);
    if (!is_regular)
        pqti_error_set(error, PQT_ERROR_STREAM, 0, "the store is not a regular file");
    const bool done = is_regular && keep_path(store, real, "", error);
    free(real);
    return done;
}

/* Creates the file if it is missing, and sets store->is_new if this call has created it. The lock
   is held, so no other writer can have the file open. */
static bool
create_file(pqt_store *store, pqt_error *error)
{
    if (store->options.access != PQT_STORE_CREATE)
        return true;
    const int descriptor =
        open(store->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (descriptor < 0)
        return errno == EEXIST || report_errno("created", error);
    store->is_new = true;
    close(descriptor);
    return true;
}

static bool
has_one_name(const pqt_store *store, pqt_error *error)
{
    struct stat there;
    return stat(store->path, &there) != 0 || there.st_nlink < 2 ||
           pqti_refuse_names(store->path, there.st_nlink, error);
}

/* Refuses a store with a recording if the library has no worlds. */
static bool
check_recording_row(pqt_store *store, pqt_error *error)
{
#if PQT_WITH_WORLDS
    double dt;
    size_t every;
    pqt_step_options options;
    return pqti_read_recording(store, &dt, &every, &options, error);
#else
    return pqti_bytes_to_read(store->kind, error) != NULL;
#endif
}

static bool
read_kind(pqt_store *store, pqt_error *error)
{
    pqti_store_state state;
    if (store->has_recording) {
        store->kind = PQT_KIND_WORLD;
        return check_recording_row(store, error);
    }
    if (!pqti_read_state(store, &state, error))
        return false;
    store->kind = state.kind;
    return state.kind == PQT_KIND_NONE || pqti_bytes_to_read(state.kind, error) != NULL;
}

/* Creates the tables of a new store, or validates those of an existing one. A new store is written
   to the file itself, so that its first bytes show what it is before anything is in the log. */
static bool
open_tables(pqt_store *store, pqt_error *error)
{
    bool is_empty = false;
    if (!pqti_database_is_empty(&store->database, &is_empty, error))
        return false;
    if (is_empty && store->options.access == PQT_STORE_CREATE)
        return pqti_database_create(&store->database, error);
    return pqti_database_validate(&store->database, &store->has_recording, error);
}

static bool
open_for_writing(pqt_store *store, pqt_error *error)
{
    const bool done =
        pqti_writer_lock_take(&store->lock, store->path, error) &&
        pqti_side_files_check(store->path, error) && create_file(store, error) &&
        has_one_name(store, error) &&
        pqti_database_open(&store->database, store->path, true, error) &&
        pqti_database_set_sync(&store->database, store->options.sync == PQT_STORE_FULL, error) &&
        open_tables(store, error) && pqti_database_use_log(&store->database, error) &&
        pqti_store_add_counts(store, error) && read_kind(store, error);
    if (done)
        pqti_writer_lock_watch(&store->lock, store->path);
    return done;
}

/* Returns false and sets `error` if a writer has begun to make the store, and it has not got its
   tables and its log yet. The writer must not have to wait for this reader. */
static bool
is_made(pqt_store *store, pqt_error *error)
{
    char writer[PQTI_HOLDER_SIZE];
    uint8_t head[PQT_STORE_HEAD];
    const bool has_log = pqti_database_read_header(store->path, head, sizeof head) > 0 &&
                         head[PQTI_HEADER_VERSION] == 2;
    if (has_log || !pqti_writer_lock_exists(store->path, writer))
        return true;
    pqti_error_set(error, PQT_ERROR_CONFLICT, 0, "the store has no contents yet; begun by %s",
                   writer);
    return false;
}

/* Begins a read transaction that stays open, so that later reads see the history as it is now,
   whatever a writer does. */
static bool
open_for_reading(pqt_store *store, pqt_error *error)
{
    return pqti_side_files_check(store->path, error) && pqti_may_read_by_name(store->path, error) &&
           is_made(store, error) &&
           pqti_database_open(&store->database, store->path, false, error) &&
           pqti_run_plain(&store->database, PQTI_BEGIN_READING, error) &&
           open_tables(store, error) && read_kind(store, error);
}

static void
free_store(pqt_store *store)
{
    pqti_database_close(&store->database);
    pqti_writer_lock_release(&store->lock);
    pqti_free_scratch(store->path);
    pqti_free_scratch(store->loaded);
    pqti_free_scratch(store);
}

/* Frees a store that could not be opened. Removes the files if this call created the store. The
   lock is held meanwhile. */
static void
abandon_store(pqt_store *store)
{
    pqti_database_close(&store->database);
    if (store->is_new) {
        unlink(store->path);
        pqti_side_files_remove(store->path);
    }
    free_store(store);
}

pqt_store *
pqt_store_open(const char *path, const pqt_store_options *options, pqt_error *error)
{
    PQTI_NOT_CANCELLABLE;
    pqt_store_options converted;
    PQT_ASSERT(path != NULL, "path is NULL");
    options = pqti_options_read(&pqti_store_options_layout, options, &converted, error);
    if (options == NULL || !validate_options(options, error))
        return NULL;
    pqt_store *store = pqti_alloc_scratch(1, sizeof *store);
    if (store == NULL) {
        pqti_out_of_memory(error);
        return NULL;
    }
    *store = (pqt_store){.options = *options, .trim_above = options->max_loaded};
    pqti_crc32c_make_tables(&store->checksums);
    if (find_path(store, path, error) &&
        (options->access == PQT_STORE_READ ? open_for_reading(store, error)
                                           : open_for_writing(store, error)))
        return store;
    abandon_store(store);
    return NULL;
}

bool
pqt_store_close(pqt_store **store, pqt_error *error)
{
    PQTI_NOT_CANCELLABLE;
    if (store == NULL || *store == NULL)
        return true;
    PQT_ASSERT((*store)->history == NULL, "the history of the store is still open");
    PQT_ASSERT((*store)->recording == NULL, "the recording of the store is still open");
    const bool done = !(*store)->state_is_stale;
    const pqt_error *failure = &(*store)->failure; /* empty if it was reported */
    if (!done && failure->status != PQT_OK)
        pqti_error_set(error, failure->status, failure->index, "%s", failure->text);
    else if (!done)
        pqti_error_set(error, PQT_ERROR_STREAM, 0, "the undo position could not be written");
    free_store(*store);
    *store = NULL;
    return done;
}

pqt_kind
pqt_store_kind(const pqt_store *store)
{
    PQT_ASSERT(store != NULL, "the store is NULL");
    return store->kind;
}

bool
pqt_store_get_error(pqt_store *store, pqt_error *error)
{
    PQT_ASSERT(store != NULL, "the store is NULL");
    const pqt_error failure = store->failure;
    store->failure = (pqt_error){0};
    if (failure.status == PQT_OK)
        return true;
    pqti_error_set(error, failure.status, failure.index, "%s", failure.text);
    return false;
}

bool
pqt_store_get_stats(pqt_store *store, pqt_store_stats *stats, pqt_error *error)
{
    PQTI_NOT_CANCELLABLE;
    uint64_t entries[2] = {0}, keyframes[2] = {0};
    struct stat file;
    PQT_ASSERT(store != NULL, "the store is NULL");
    PQT_ASSERT(stats != NULL, "stats is NULL");
    if (!pqti_read_numbers(store,
                           store->has_recording
                               ? "SELECT count(*), 0 FROM step"
                               : "SELECT count(*), total(length(changes)) FROM entry",
                           entries, 2, error) ||
        !pqti_read_numbers(store,
                           "SELECT count(DISTINCT entry), total(length(bytes)) FROM keyframe",
                           keyframes, 2, error))
        return false;
    *stats = store->counts;
    stats->entries = entries[0];
    stats->change_bytes = entries[1];
    stats->keyframes = keyframes[0];
    stats->keyframe_bytes = keyframes[1];
    stats->file_bytes = stat(store->path, &file) == 0 ? (uint64_t)file.st_size : 0;
    return true;
}

/* Sets an error from SQLite's report about a page. The report has a line with the name of the
   database and a line with the fault, for example that the page cannot be read. Returns false. */
static bool
report_page(const char *text, pqt_error *error)
{
    const char *line = strchr(text, '\n'), *code = strstr(text, "error code=");
    const char *fault = line == NULL ? text : line + 1;
    if ((code != NULL && (atoi(code + strlen("error code=")) & 0xff) == SQLITE_IOERR) ||
        strstr(text, "failed to get page") != NULL)
        pqti_error_set(error, PQT_ERROR_STREAM, 0, "the store cannot be read: %.*s",
                       (int)strcspn(fault, "\n"), fault);
    else
        pqti_error_set(error, PQT_ERROR_FORMAT, 0, "the database is damaged: %.*s",
                       (int)strcspn(fault, "\n"), fault);
    return false;
}

/* Makes SQLite check the pages of the file. It has no text for its report if memory fails. */
static bool
check_pages(pqt_store *store, pqt_error *error)
{
    sqlite3_stmt *statement = pqti_prepare(&store->database, "PRAGMA integrity_check(1)", error);
    if (statement == NULL)
        return false;
    int code = sqlite3_step(statement);
    const char *text = (const char *)sqlite3_column_text(statement, 0);
    if (code == SQLITE_ROW && text == NULL)
        code = SQLITE_NOMEM;
    const bool done = code != SQLITE_ROW ? pqti_database_failed(&store->database, code, error)
                                         : strcmp(text, "ok") == 0 || report_page(text, error);
    sqlite3_finalize(statement);
    return done;
}

/* Makes SQLite check the pages of the file twice. If the last allocation of a check fails, that of
   its report, SQLite 3.46 says ok of a damaged page. */
static bool
check_database(pqt_store *store, pqt_error *error)
{
    return check_pages(store, error) && check_pages(store, error);
}

/* Checks an entry in a scope of its own, so that a heap can then reclaim the versions that were
   loaded only for this check. */
static bool
check_entry(pqt_history *history, uint32_t slot, pqt_error *error)
{
    if (!pqti_scope_begin(history->memory, error))
        return false;
    const bool done = pqti_store_check_entry(history, slot, error);
    pqti_scope_end_at_safe_point(history->memory, NULL, NULL);
    return done;
}

/* Checks the open history or recording. */
static bool
check_contents(pqt_store *store, pqt_error *error)
{
#if PQT_WITH_WORLDS
    if (store->recording != NULL)
        return pqti_check_recording(store, error);
#endif
    bool done = true;
    for (uint32_t slot = 0; slot < store->history->count && done; slot++)
        done = check_entry(store->history, slot, error);
    return done;
}

#if PQT_WITH_WORLDS
static bool
open_and_check_recording(pqt_store *store, pqt_memory *memory, pqt_error *error)
{
    pqt_recording *recording = pqt_recording_open(store, memory, error);
    const bool done = recording != NULL && check_contents(store, error);
    pqt_recording_destroy(&recording);
    return done;
}
#else
static bool
open_and_check_recording(pqt_store *store, pqt_memory *memory, pqt_error *error)
{
    (void)store;
    (void)memory;
    pqti_error_set(error, PQT_ERROR_UNSUPPORTED, 0, "worlds are not in this build");
    return false;
}
#endif

/* Opens the contents in a heap of their own, and checks them. */
static bool
open_and_check(pqt_store *store, pqt_error *error)
{
    pqt_heap_options options = PQT_HEAP_DEFAULTS;
    options.reclaim_at_push = true;
    pqt_memory *heap = pqt_heap_make(&options, error);
    if (heap == NULL)
        return false;
    bool done = false;
    if (pqt_store_has_recording(store)) {
        done = open_and_check_recording(store, heap, error);
    } else {
        pqt_history *history = pqt_history_open(store, NULL, heap, error);
        done = history != NULL && check_contents(store, error);
        pqt_history_destroy(&history);
    }
    pqt_heap_destroy(&heap);
    return done;
}

bool
pqt_store_check(pqt_store *store, pqt_error *error)
{
    PQTI_NOT_CANCELLABLE;
    PQT_ASSERT(store != NULL, "the store is NULL");
    if (!check_database(store, error))
        return false;
    if (pqt_store_kind(store) == PQT_KIND_NONE)
        return true;
    if (!pqti_check_counts(store, error))
        return false;
    return store->history != NULL || store->recording != NULL ? check_contents(store, error)
                                                              : open_and_check(store, error);
}

bool
pqt_store_compact(pqt_store *store, pqt_error *error)
{
    PQTI_NOT_CANCELLABLE;
    uint64_t is_blocked = 0; /* a reader prevented the file from being truncated */
    PQT_ASSERT(store != NULL, "the store is NULL");
    if (store->options.access == PQT_STORE_READ) {
        pqti_error_set(error, PQT_ERROR_MISMATCH, 0, "the store is open for reading only");
        return false;
    }
    if (!pqti_database_is_usable(&store->database, error) ||
        !pqti_writer_lock_check(&store->lock, store->path, error) ||
        !pqti_execute(&store->database, "VACUUM", error) ||
        !pqti_read_numbers(store, "PRAGMA wal_checkpoint(TRUNCATE)", &is_blocked, 1, error))
        return false;
    if (is_blocked != 0)
        pqti_error_set(error, PQT_ERROR_STREAM, 0,
                       "the file keeps its size until no other program reads the store");
    return is_blocked == 0;
}

bool
pqt_store_has_recording(const pqt_store *store)
{
    PQT_ASSERT(store != NULL, "the store is NULL");
    return store->has_recording;
}

#else /* without SQLite no store can be opened, so no other function can be called */

pqt_store *
pqt_store_open(const char *path, const pqt_store_options *options, pqt_error *error)
{
    PQT_ASSERT(path != NULL, "path is NULL");
    (void)options;
    pqti_error_set(error, PQT_ERROR_UNSUPPORTED, 0, "stores: this build has no SQLite");
    return NULL;
}

static bool
no_store(pqt_error *error)
{
    pqti_error_set(error, PQT_ERROR_UNSUPPORTED, 0, "stores: this build has no SQLite");
    return false;
}

bool
pqt_store_close(pqt_store **store, pqt_error *error)
{
    return store == NULL || *store == NULL || no_store(error);
}

pqt_kind
pqt_store_kind(const pqt_store *store)
{
    PQT_ASSERT(store != NULL, "the store is NULL");
    return PQT_KIND_NONE;
}

bool
pqt_store_get_error(pqt_store *store, pqt_error *error)
{
    PQT_ASSERT(store != NULL, "the store is NULL");
    return no_store(error);
}

bool
pqt_store_get_stats(pqt_store *store, pqt_store_stats *stats, pqt_error *error)
{
    PQT_ASSERT(store != NULL, "the store is NULL");
    PQT_ASSERT(stats != NULL, "stats is NULL");
    return no_store(error);
}

bool
pqt_store_check(pqt_store *store, pqt_error *error)
{
    PQT_ASSERT(store != NULL, "the store is NULL");
    return no_store(error);
}

bool
pqt_store_compact(pqt_store *store, pqt_error *error)
{
    PQT_ASSERT(store != NULL, "the store is NULL");
    return no_store(error);
}

bool
pqt_history_save(pqt_history *history, pqt_store *store, pqt_error *error)
{
    PQT_ASSERT(store != NULL, "the store is NULL");
    (void)history;
    return no_store(error);
}

pqt_history *
pqt_history_open(pqt_store *store, const pqt_history_options *options, pqt_memory *memory,
                 pqt_error *error)
{
    PQT_ASSERT(store != NULL, "the store is NULL");
    (void)options;
    (void)memory;
    no_store(error);
    return NULL;
}

bool
pqt_store_has_recording(const pqt_store *store)
{
    PQT_ASSERT(store != NULL, "the store is NULL");
    return false;
}

#endif
