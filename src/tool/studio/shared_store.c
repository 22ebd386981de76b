/* SPDX-License-Identifier: MIT */
/* shared_store.c: the history of a store, which pages share together with its undo position. */
#include "config.h"

#include "tool/studio/shared_store.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <pqt.h>
#include <pqt/stores.h>

#include "tool/message.h"
#include "tool/tool_memory.h"

/* ---- Opening ---- */

static pqt_store *
open_for(const char *path, pqt_store_access access, pqt_error *error)
{
    pqt_store_options options = PQT_STORE_DEFAULTS;
    options.access = access;
    return pqt_store_open(path, &options, error);
}

/* Adds the first version to an empty store. */
static void
begin_history(shared_history *shared)
{
    pqt_error error = {0};
    if (shared->not_writable.text[0] != '\0')
        die(shared->name, 0, "the store is empty and cannot be written");
    pqt_history *history =
        pqt_history_make(pqt_history_kind_of(PQT_KIND_DOCUMENT), make_empty_scene(), NULL, &error);
    if (history == NULL || !pqt_history_save(history, shared->store, &error))
        die_error(shared->name, &error);
    shared->history = history;
}

/* ---- Changes ---- */

/* Returns the time for a push, which is the time of the clock or, if that is later, the time of the
   current entry. */
static double
time_of_push(const shared_history *shared)
{
    pqt_history_entry current;
    const double now = (double)time(NULL);
    pqt_history_get_entry(shared->history, pqt_history_current(shared->history), &current);
    return now >= current.time ? now : NAN;
}

/* Makes a change in memory. If the undo position cannot be written, the store keeps the failure,
   which pqt_store_get_error returns. */
static bool
make_store_change(shared_history *shared, const shared_change *change, const void *version,
                  pqt_error *error)
{
    const char *op = change->op;
    if (strcmp(op, "push") == 0) {
        const pqt_history_entry_info info = {
            .label = change->text, .time = time_of_push(shared), .key = change->key};
        return pqt_history_push(shared->history, version, &info, error);
    }
    if (strcmp(op, "checkout") == 0)
        return pqt_history_checkout(shared->history, change->entry, error);
    if (strcmp(op, "name") == 0)
        return pqt_history_set_name(shared->history, change->entry,
                                    change->text[0] != '\0' ? change->text : NULL, error);
    if (strcmp(op, "undo") == 0)
        (void)pqt_history_undo(shared->history);
    else if (strcmp(op, "redo") == 0)
        (void)pqt_history_redo(shared->history);
    else if (strcmp(op, "saved") == 0)
        pqt_history_mark_saved(shared->history);
    else
        snprintf(error->text, sizeof error->text, "a store does not support this change");
    return error->text[0] == '\0';
}

/* Returns true if a change was possible, but could not be written. A conflict is a name that
   another entry has, or a lock or a file of the store that was removed. */
static bool
is_write_failure(const shared_change *change, const pqt_error *error)
{
    return error->status == PQT_ERROR_STREAM || error->status == PQT_ERROR_MEMORY ||
           (error->status == PQT_ERROR_CONFLICT && strcmp(change->op, "name") != 0);
}

static shared_outcome
change_store(shared_history *shared, const shared_change *change, const void *version,
             pqt_error *error)
{
    const uint64_t before = pqt_history_current(shared->history);
    (void)pqt_store_get_error(shared->store, NULL); /* discards the error of an earlier change */
    const bool is_written = make_store_change(shared, change, version, error) &&
                            pqt_store_get_error(shared->store, error);
    if (!is_written && pqt_history_current(shared->history) == before)
        return is_write_failure(change, error) ? SHARED_FAILED : SHARED_REFUSED;
    shared->touched =
        strcmp(change->op, "name") == 0 ? change->entry : pqt_history_current(shared->history);
    shared->number++;
    return is_written ? SHARED_DONE : SHARED_FAILED;
}

/* ---- Reading ---- */

static const void *
store_version_of(shared_history *shared, uint64_t number, pqt_error *error)
{
    pqt_history_entry entry;
    if (!pqt_history_get_entry(shared->history, number, &entry)) {
        snprintf(error->text, sizeof error->text, "there is no entry %" PRIu64, number);
        return NULL;
    }
    const void *version = pqt_history_value_of(shared->history, number);
    if (version == NULL)
        pqt_store_get_error(shared->store, error);
    return version;
}

typedef struct entry_writer {
    FILE *stream;
    bool is_first;
    bool has_saved;
    uint64_t saved;
} entry_writer;

static bool
write_entry(const pqt_history_entry *entry, void *context)
{
    entry_writer *writer = context;
    fprintf(writer->stream, "%s[%" PRIu64 ",%" PRIu64 ",", writer->is_first ? "" : ",",
            entry->number, entry->parent);
    write_json_text(writer->stream, entry->label);
    fputc(',', writer->stream);
    write_json_text(writer->stream, entry->name);
    fprintf(writer->stream, ",%.17g,\"\"]", entry->time);
    writer->is_first = false;
    return true;
}

static bool
find_saved(const pqt_history_entry *entry, void *context)
{
    entry_writer *writer = context;
    writer->has_saved = entry->is_saved;
    writer->saved = entry->number;
    return !entry->is_saved;
}

static bool
write_store(shared_history *shared, uint64_t after, FILE *stream, pqt_error *error)
{
    (void)error;
    entry_writer writer = {.stream = stream, .is_first = true};
    pqt_history_visit(shared->history, find_saved, &writer);
    fprintf(stream, ",\"current\":%" PRIu64 ",\"saved\":", pqt_history_current(shared->history));
    if (writer.has_saved)
        fprintf(stream, "%" PRIu64, writer.saved);
    else
        fputs("null", stream);
    fputs(",\"redo\":", stream);
    write_json_text(stream, pqt_history_redo_label(shared->history));
    fputs(",\"entries\":[", stream);
    pqt_history_entry touched;
    if (after == 0)
        pqt_history_visit(shared->history, write_entry, &writer);
    else if (pqt_history_get_entry(shared->history, shared->touched, &touched))
        write_entry(&touched, &writer);
    fputs("]", stream);
    return true;
}

static void
close_store(shared_history *shared)
{
    pqt_error error = {0};
    pqt_history_destroy(&shared->history);
    if (!pqt_store_close(&shared->store, &error))
        die_error(shared->name, &error);
}

static const shared_functions functions_of_stores = {
    "store", change_store, store_version_of, write_store, close_store, NULL, NULL};

shared_history *
shared_open_store(const char *path, const char *name)
{
    pqt_error error = {0};
    shared_history *shared = shared_make(&functions_of_stores, name);
    const bool is_protected = access(path, W_OK) != 0 && errno != ENOENT;
    if (is_protected)
        snprintf(shared->not_writable.text, sizeof shared->not_writable.text,
                 "the file cannot be written (%s)", strerror(errno));
    else
        shared->store = open_for(path, PQT_STORE_CREATE, &error);
    if (error.status == PQT_ERROR_CONFLICT)
        shared->not_writable = error;
    if (shared->not_writable.text[0] != '\0') {
        error = (pqt_error){0};
        shared->store = open_for(path, PQT_STORE_READ, &error);
    }
    if (shared->store == NULL)
        die_error(path, &error);
    if (pqt_store_kind(shared->store) == PQT_KIND_NONE)
        begin_history(shared);
    else
        shared->history = pqt_history_open(shared->store, NULL, tool_memory(), &error);
    if (shared->history == NULL)
        die_error(path, &error);
    shared->kind = pqt_store_kind(shared->store);
    require_scenes(shared);
    return shared;
}
