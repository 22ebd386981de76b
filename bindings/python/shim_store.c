/* SPDX-License-Identifier: MIT */
/*
 * shim_store.c: the functions for stores that store.py calls.
 *
 * One thread at a time may use a store and its history or recording, so each call on any of them
 * locks the store. The Python objects of the store and of the history share the store, and the last
 * one that is freed closes it. Closing the store explicitly destroys its history: the object of the
 * history remains, but each call on it fails. The same applies to a recording.
 *
 * In a child process after fork, closing the store and freeing an object do nothing. Every other
 * call fails.
 */
#include "shim.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct pqtpy_store {
    pthread_mutex_t mutex;
    pqt_store *store;           /* NULL if it is closed */
    pqtpy_history *history;     /* the object of its history; NULL if that is not open */
    pqtpy_recording *recording; /* the object of its recording; NULL if that is not open */
    unsigned holders;           /* the number of objects that hold it */
    pid_t process;              /* the process that opened it */
};

/* ---- Locks ---- */

static bool
is_of_parent(const pqtpy_store *store)
{
    return store->process != getpid();
}

bool
lock_store(pqtpy_store *store, pqt_error *error)
{
    if (store == NULL) {
        fail(error, PQT_ERROR_MISMATCH, 0, "there is no store");
        return false;
    }
    if (is_of_parent(store)) {
        fail(error, PQT_ERROR_MISMATCH, 0, "a store cannot be used in a child process after fork");
        return false;
    }
    pthread_mutex_lock(&store->mutex);
    if (store->store != NULL)
        return true;
    pthread_mutex_unlock(&store->mutex);
    fail(error, PQT_ERROR_MISMATCH, 0, "the store is closed");
    return false;
}

void
unlock_store(pqtpy_store *store)
{
    pthread_mutex_unlock(&store->mutex);
}

void
forget_failure(pqtpy_store *store)
{
    (void)pqt_store_get_error(store->store, NULL);
}

void
report_failure(pqtpy_store *store, pqt_error *error)
{
    (void)pqt_store_get_error(store->store, error);
}

/* ---- Holders ---- */

/* Removes one holder, and closes the store if none is left. The store is locked. */
static void
drop_holder(pqtpy_store *store)
{
    const bool is_last = --store->holders == 0;
    if (is_last)
        (void)pqt_store_close(&store->store, NULL);
    pthread_mutex_unlock(&store->mutex);
    if (!is_last)
        return;
    pthread_mutex_destroy(&store->mutex);
    free(store);
}

void
pqtpy_store_release(pqtpy_store *store)
{
    if (store == NULL || is_of_parent(store))
        return;
    pthread_mutex_lock(&store->mutex);
    drop_holder(store);
}

void
leave_store(pqtpy_history *of)
{
    pqtpy_store *store = of->store;
    if (is_of_parent(store))
        return;
    pthread_mutex_lock(&store->mutex);
    if (store->history == of)
        store->history = NULL;
    pqt_history_destroy(&of->history);
    drop_holder(store);
}

void
leave_store_recording(pqtpy_recording *of)
{
    pqtpy_store *store = of->store;
    if (is_of_parent(store))
        return;
    pthread_mutex_lock(&store->mutex);
    if (store->recording == of)
        store->recording = NULL;
    pqt_recording_destroy(&of->recording);
    drop_holder(store);
}

/* ---- Opening and closing ---- */

/* Opens a store. If `is_limited` is false, `max_loaded` is ignored and the library's default
   applies. */
pqtpy_store *
pqtpy_store_open(const char *path, int access, int sync, bool is_limited, size_t max_loaded,
                 double keyframe_ratio, pqt_error *error)
{
    pqt_store_options options = PQT_STORE_DEFAULTS;
    options.access = (pqt_store_access)access;
    options.sync = (pqt_store_sync)sync;
    options.keyframe_ratio = keyframe_ratio;
    if (is_limited)
        options.max_loaded = max_loaded;
    pqtpy_store *store = make_array(1, sizeof *store, error);
    if (store == NULL)
        return NULL;
    store->store = pqt_store_open(path, &options, error);
    if (store->store == NULL) {
        free(store);
        return NULL;
    }
    pthread_mutex_init(&store->mutex, NULL);
    store->holders = 1;
    store->process = getpid();
    return store;
}

/* Closes the history if it is open, as its object does when it is freed. */
static void
close_history(pqtpy_store *store)
{
    if (store->history != NULL)
        pqt_history_destroy(&store->history->history);
    store->history = NULL;
}

/* Closes a store for all its holders. Does nothing if it is closed already. */
bool
pqtpy_store_close(pqtpy_store *store, pqt_error *error)
{
    if (store == NULL || is_of_parent(store))
        return true;
    pthread_mutex_lock(&store->mutex);
    close_history(store);
    if (store->recording != NULL)
        pqt_recording_destroy(&store->recording->recording);
    store->recording = NULL;
    const bool closed = pqt_store_close(&store->store, error);
    unlock_store(store);
    return closed;
}

/* ---- The history ---- */

/* Returns the kind of the versions; 0 if the store is empty, -1 on failure. */
int
pqtpy_store_kind(pqtpy_store *store, pqt_error *error)
{
    if (!lock_store(store, error))
        return -1;
    const int kind = (int)pqt_store_kind(store->store);
    unlock_store(store);
    return kind;
}

static void
hold_history(pqtpy_store *store, pqtpy_history *of)
{
    of->store = store;
    store->history = of;
    store->holders++;
}

/* Saves a history in the store. Python code holds the lock of the history. */
bool
pqtpy_store_save(pqtpy_store *store, pqtpy_history *of, pqt_error *error)
{
    if (of == NULL || of->store != NULL) {
        fail(error, PQT_ERROR_MISMATCH, 0, "the history is already in a store");
        return false;
    }
    if (!lock_store(store, error))
        return false;
    const bool saved = pqt_history_save(of->history, store->store, error);
    if (saved)
        hold_history(store, of);
    unlock_store(store);
    return saved;
}

/* Opens the history. A limit of 0 means no limit. If another object has the history, Python is
   about to free that object, which can then no longer use the history. */
pqtpy_history *
pqtpy_store_history(pqtpy_store *store, size_t entries, size_t bytes, bool indexed,
                    pqt_error *error)
{
    pqt_history_options options = PQT_HISTORY_DEFAULTS;
    options.max_entries = entries;
    options.max_bytes = bytes;
    options.indexed = indexed;
    if (!has_heap(error) || !lock_store(store, error))
        return NULL;
    close_history(store);
    pqtpy_history *of = wrap_history(pqt_history_open(store->store, &options, heap, error),
                                     pqt_store_kind(store->store), error);
    if (of != NULL)
        hold_history(store, of);
    reclaim_paced();
    unlock_store(store);
    return of;
}

/* ---- The recording ---- */

/* Writes whether the store has a recording. */
bool
pqtpy_store_has_recording(pqtpy_store *store, bool *has_recording, pqt_error *error)
{
    if (!lock_store(store, error))
        return false;
    *has_recording = pqt_store_has_recording(store->store);
    unlock_store(store);
    return true;
}

static void
hold_recording(pqtpy_store *store, pqtpy_recording *of)
{
    of->store = store;
    store->recording = of;
    store->holders++;
}

/* Saves a recording in the store. Python code holds the lock of the recording. */
bool
pqtpy_store_save_recording(pqtpy_store *store, pqtpy_recording *of, pqt_error *error)
{
    if (of == NULL || of->store != NULL) {
        fail(error, PQT_ERROR_MISMATCH, 0, "the recording is already in a store");
        return false;
    }
    if (!lock_store(store, error))
        return false;
    const bool saved = pqt_recording_save(of->recording, store->store, error);
    if (saved)
        hold_recording(store, of);
    reclaim_paced();
    unlock_store(store);
    return saved;
}

/* Opens the recording, or takes it from an object that Python is about to free. */
static pqt_recording *
open_or_take_recording(pqtpy_store *store, pqt_error *error)
{
    if (store->recording == NULL)
        return pqt_recording_open(store->store, heap, error);
    pqt_recording *recording = store->recording->recording;
    store->recording->recording = NULL;
    store->recording = NULL;
    return recording;
}

pqtpy_recording *
pqtpy_store_recording(pqtpy_store *store, pqt_error *error)
{
    if (!has_heap(error) || !lock_store(store, error))
        return NULL;
    pqtpy_recording *of = wrap_recording(open_or_take_recording(store, error), error);
    if (of != NULL)
        hold_recording(store, of);
    unlock_store(store);
    return of;
}

/* ---- The file ---- */

bool
pqtpy_store_check(pqtpy_store *store, pqt_error *error)
{
    if (!lock_store(store, error))
        return false;
    const bool done = pqt_store_check(store->store, error);
    unlock_store(store);
    return done;
}

bool
pqtpy_store_compact(pqtpy_store *store, pqt_error *error)
{
    if (!lock_store(store, error))
        return false;
    const bool done = pqt_store_compact(store->store, error);
    unlock_store(store);
    return done;
}

/* Writes nine numbers: the entries, the keyframes, the bytes of changes, of keyframes and of the
   file, the loads, the changes and the keyframes that were read, and the bytes of loaded versions.
 */
bool
pqtpy_store_stats(pqtpy_store *store, uint64_t *figures, pqt_error *error)
{
    pqt_store_stats stats = {0};
    if (!lock_store(store, error))
        return false;
    const bool done = pqt_store_get_stats(store->store, &stats, error);
    unlock_store(store);
    const uint64_t values[9] = {stats.entries,        stats.keyframes,      stats.change_bytes,
                                stats.keyframe_bytes, stats.file_bytes,     stats.loads,
                                stats.changes_read,   stats.keyframes_read, stats.loaded_bytes};
    memcpy(figures, values, sizeof values);
    return done;
}
