/* SPDX-License-Identifier: MIT */
/*
 * shim_history.c: the functions that history.py calls, with the lock of the history held.
 *
 * A history may be in a store. Then each call locks the store, and reports the failures that the
 * store keeps.
 */
#include "shim.h"

#include <stdlib.h>
#include <string.h>

/* Frees everything that nothing holds if memory is exhausted, and returns whether to try the call
   again. */
static bool
try_again(pqt_error *error)
{
    if (error->status != PQT_ERROR_MEMORY || heap == NULL)
        return false;
    *error = (pqt_error){0};
    pqt_memory_reclaim(heap, PQT_RECLAIM_ALL);
    return true;
}

/* ---- Use of a history that may be in a store ---- */

/* Returns the history; the caller must call end_use afterwards. Returns NULL if the history cannot
   be used. */
static pqt_history *
begin_use(pqtpy_history *of, pqt_error *error)
{
    if (of == NULL) {
        fail(error, PQT_ERROR_MISMATCH, 0, "there is no history");
        return NULL;
    }
    if (of->store == NULL)
        return of->history;
    if (!lock_store(of->store, error))
        return NULL;
    if (of->history == NULL) {
        unlock_store(of->store);
        fail(error, PQT_ERROR_MISMATCH, 0, "another object has the history");
        return NULL;
    }
    forget_failure(of->store);
    return of->history;
}

static void
end_use(pqtpy_history *of, pqt_error *error)
{
    if (of->store == NULL)
        return;
    report_failure(of->store, error);
    unlock_store(of->store);
}

pqtpy_history *
wrap_history(pqt_history *history, pqt_kind kind, pqt_error *error)
{
    pqtpy_history *of = history == NULL ? NULL : make_array(1, sizeof *of, error);
    if (of != NULL)
        *of = (pqtpy_history){.history = history, .kind = kind};
    else
        pqt_history_destroy(&history);
    return of;
}

/* Makes a history that begins with a version; a limit of 0 means no limit. */
pqtpy_history *
pqtpy_history_make(const void *pin, size_t entries, size_t bytes, bool indexed, double time,
                   pqt_error *error)
{
    if (pin == NULL) {
        fail(error, PQT_ERROR_MISMATCH, 0, "there is no version");
        return NULL;
    }
    const pqt_kind kind = pqt_pin_get_kind(pin);
    const pqt_history_kind *values = pqt_history_kind_of(kind);
    pqt_history_options options = PQT_HISTORY_DEFAULTS;
    options.max_entries = entries;
    options.max_bytes = bytes;
    options.indexed = indexed;
    options.time = time;
    pqt_history *history = pqt_history_make(values, pqt_pin_get_version(pin), &options, error);
    if (history == NULL && try_again(error))
        history = pqt_history_make(values, pqt_pin_get_version(pin), &options, error);
    return wrap_history(history, kind, error);
}

/* ---- Bytes ---- */

/* The source of a history: a file, or bytes if `path` is NULL. */
typedef struct history_source {
    const char *path;
    source bytes;
} history_source;

static pqt_history *
read_once(history_source *from, const pqt_history_options *options, pqt_error *error)
{
    from->bytes.next = 0;
    return from->path != NULL ? pqt_history_load_file(from->path, options, heap, error)
                              : pqt_history_read(read_bytes, &from->bytes, options, heap, error);
}

static pqtpy_history *
read_history(history_source *from, size_t entries, size_t limit, bool indexed, pqt_error *error)
{
    pqt_history_options options = PQT_HISTORY_DEFAULTS;
    options.max_entries = entries;
    options.max_bytes = limit;
    options.indexed = indexed;
    pqt_memory *memory = begin_scope(error); /* makes the heap if there is none */
    if (memory == NULL)
        return NULL;
    pqt_scope_end(memory);
    pqt_history *history = read_once(from, &options, error);
    if (history == NULL && try_again(error))
        history = read_once(from, &options, error);
    reclaim_paced();
    return history == NULL ? NULL
                           : wrap_history(history, pqt_kind_of(pqt_history_value(history)), error);
}

pqtpy_history *
pqtpy_history_read(const char *bytes, size_t count, size_t entries, size_t limit, bool indexed,
                   pqt_error *error)
{
    history_source from = {NULL, {bytes, 0, count}};
    return read_history(&from, entries, limit, indexed, error);
}

pqtpy_history *
pqtpy_history_load(const char *path, size_t entries, size_t limit, bool indexed, pqt_error *error)
{
    history_source from = {.path = path};
    return read_history(&from, entries, limit, indexed, error);
}

bool
pqtpy_history_write(pqtpy_history *of, pqtpy_bytes *bytes, pqt_error *error)
{
    target to = {bytes, error};
    pqt_history *history = begin_use(of, error);
    const bool done = history != NULL && pqt_history_write(history, flat_append, &to, error);
    if (history != NULL)
        end_use(of, error);
    return done;
}

bool
pqtpy_history_save(pqtpy_history *of, const char *path, pqt_error *error)
{
    pqt_history *history = begin_use(of, error);
    const bool done = history != NULL && pqt_history_save_file(history, path, error);
    if (history != NULL)
        end_use(of, error);
    return done;
}

/* Returns the kind of the versions, a pqt_kind. */
int
pqtpy_history_kind(const pqtpy_history *of)
{
    return of == NULL ? 0 : (int)of->kind;
}

void
pqtpy_history_destroy(pqtpy_history *of)
{
    if (of == NULL)
        return;
    if (of->store != NULL)
        leave_store(of);
    else
        pqt_history_destroy(&of->history);
    free(of);
}

/* ---- Changes ---- */

/* Adds an entry. Pushes with the same key make one entry; 0 means no key. A time of NaN means the
 * time of the current entry. */
bool
pqtpy_history_push(pqtpy_history *of, const void *pin, const char *label, double time, uint64_t key,
                   bool keep_equal, pqt_error *error)
{
    pqt_history *history = begin_use(of, error);
    if (history == NULL)
        return false;
    if (pqtpy_kind(pin) != (int)of->kind) {
        end_use(of, error);
        fail(error, PQT_ERROR_MISMATCH, 0, "the history has versions of another kind");
        return false;
    }
    const void *version = pqt_pin_get_version(pin);
    const pqt_history_entry_info info = {
        .label = label, .time = time, .key = key, .keep_equal = keep_equal};
    bool pushed = pqt_history_push(history, version, &info, error);
    if (!pushed && try_again(error))
        pushed = pqt_history_push(history, version, &info, error);
    pqt_memory_reclaim(heap, PQT_RECLAIM_PACED);
    if (of->store != NULL)
        forget_failure(of->store); /* the push reported it, or succeeded when tried again */
    end_use(of, error);
    return pushed;
}

/* The commands that have no error parameter, with the same numbers as in history.py. */
enum { UNDO = 1, REDO, MARK_SAVED, BEGIN, END, CANCEL, IS_MODIFIED };

static bool
run_command(pqt_history *history, int command, const char *label)
{
    switch (command) {
    case UNDO:
        return pqt_history_undo(history);
    case REDO:
        return pqt_history_redo(history);
    case MARK_SAVED:
        pqt_history_mark_saved(history);
        return true;
    case BEGIN:
        pqt_history_begin(history, label);
        return true;
    case END:
        return pqt_history_end(history);
    case CANCEL:
        return pqt_history_cancel(history);
    default:
        return pqt_history_is_modified(history);
    }
}

/* Runs a command, and returns the result of the function of the library. Sets `error` if the store
   could not load the version, in which case nothing has changed, or if it could not write the
   change. */
bool
pqtpy_history_do(pqtpy_history *of, int command, const char *label, pqt_error *error)
{
    pqt_history *history = begin_use(of, error);
    if (history == NULL)
        return false;
    const bool done = run_command(history, command, label);
    reclaim_paced();
    end_use(of, error);
    return done;
}

bool
pqtpy_history_checkout(pqtpy_history *of, uint64_t entry, pqt_error *error)
{
    pqt_history *history = begin_use(of, error);
    if (history == NULL)
        return false;
    const bool done = pqt_history_checkout(history, entry, error);
    reclaim_paced();
    end_use(of, error);
    return done && error->status == PQT_OK;
}

/* Names an entry; NULL removes its name. */
bool
pqtpy_history_set_name(pqtpy_history *of, uint64_t entry, const char *name, pqt_error *error)
{
    pqt_history *history = begin_use(of, error);
    if (history == NULL)
        return false;
    const bool done = pqt_history_set_name(history, entry, name, error);
    end_use(of, error);
    return done;
}

/* ---- Reading ---- */

bool
pqtpy_history_find(pqtpy_history *of, const char *name, uint64_t *entry, pqt_error *error)
{
    pqt_history *history = begin_use(of, error);
    if (history == NULL)
        return false;
    const bool found = pqt_history_find(history, name, entry);
    end_use(of, error);
    return found;
}

/* Pins the current version, or the version of an entry. */
pqt_pin *
pqtpy_history_value(pqtpy_history *of, bool current, uint64_t entry, pqt_error *error)
{
    pqt_history *history = begin_use(of, error);
    if (history == NULL)
        return NULL;
    const void *version =
        pqt_history_value_of(history, current ? pqt_history_current(history) : entry);
    pqt_pin *pin = version == NULL ? NULL : pqt_version_pin(version, error);
    reclaim_paced();
    end_use(of, error);
    if (version == NULL)
        fail(error, PQT_ERROR_MISMATCH, 0, "there is no entry with this number");
    return pin;
}

uint64_t
pqtpy_history_current(pqtpy_history *of, pqt_error *error)
{
    pqt_history *history = begin_use(of, error);
    if (history == NULL)
        return 0;
    const uint64_t current = pqt_history_current(history);
    end_use(of, error);
    return current;
}

static bool
read_entry(const pqt_history *history, uint64_t number, uint64_t *figures, double *time,
           pqtpy_bytes *label, pqtpy_bytes *name, pqt_error *error)
{
    pqt_history_entry entry;
    if (!pqt_history_get_entry(history, number, &entry)) {
        fail(error, PQT_ERROR_MISMATCH, 0, "there is no entry with this number");
        return false;
    }
    const uint64_t values[8] = {entry.number, entry.parent,     entry.depth,    entry.children,
                                entry.added,  entry.is_current, entry.is_saved, entry.is_on_path};
    memcpy(figures, values, sizeof values);
    *time = entry.time;
    return append(label, entry.label, strlen(entry.label), error) &&
           (entry.name == NULL || append(name, entry.name, strlen(entry.name), error));
}

/* Writes eight figures: number, parent, depth, children, bytes added, is_current, is_saved,
   is_on_path. */
bool
pqtpy_history_entry(pqtpy_history *of, uint64_t number, uint64_t *figures, double *time,
                    pqtpy_bytes *label, pqtpy_bytes *name, pqt_error *error)
{
    pqt_history *history = begin_use(of, error);
    if (history == NULL)
        return false;
    const bool done = read_entry(history, number, figures, time, label, name, error);
    end_use(of, error);
    return done;
}

static bool
append_number(const pqt_history_entry *entry, void *context)
{
    target *to = context;
    return append(to->bytes, &entry->number, sizeof entry->number, to->error);
}

/* Appends the numbers of all entries. */
bool
pqtpy_history_numbers(pqtpy_history *of, pqtpy_bytes *numbers, pqt_error *error)
{
    target to = {numbers, error};
    pqt_history *history = begin_use(of, error);
    if (history == NULL)
        return false;
    const bool done = pqt_history_visit(history, append_number, &to);
    end_use(of, error);
    return done;
}

/* ---- The past ---- */

/* Writes three figures and the time: whether there was a change, the entry that made it, and its
   parent. */
static void
write_answer(const pqt_history_answer *answer, uint64_t *figures, double *time)
{
    figures[0] = answer->found;
    figures[1] = answer->entry;
    figures[2] = answer->before;
    *time = answer->time;
}

/* Finds the last change in a window. NULL for `tip` means the current entry, for `window` any
   change. */
bool
pqtpy_history_last_change(pqtpy_history *of, const char *part, const uint64_t *tip,
                          const double *window, int relation, uint64_t *figures, double *time,
                          pqt_error *error)
{
    pqt_query query;
    pqt_history_answer answer = {0};
    if (window != NULL && !flat_query(box_of(window), relation, 0, &query, error))
        return false;
    pqt_history *history = begin_use(of, error);
    if (history == NULL)
        return false;
    const bool done =
        pqt_history_last_change(history, part, tip != NULL ? *tip : pqt_history_current(history),
                                window != NULL ? &query : NULL, &answer, error);
    reclaim_paced();
    end_use(of, error);
    write_answer(&answer, figures, time);
    return done;
}

/* Finds the last change of an item, and appends it, if there is one. */
bool
pqtpy_history_last_item_change(pqtpy_history *of, const char *part, const uint64_t *tip,
                               uint64_t id, uint64_t *figures, double *time, pqtpy_bytes *change,
                               pqt_error *error)
{
    pqt_history_answer answer = {0};
    pqt_history *history = begin_use(of, error);
    if (history == NULL)
        return false;
    const bool done = pqt_history_last_item_change(
        history, part, tip != NULL ? *tip : pqt_history_current(history), id, &answer, error);
    reclaim_paced();
    end_use(of, error);
    write_answer(&answer, figures, time);
    return done && (!answer.found || append(change, &answer.change, sizeof answer.change, error));
}

/* ---- Dropping ---- */

/* The ways to drop entries, with the same numbers as in history.py. */
enum { THIN = 1, DROP, DROP_BRANCH };

static bool
drop(pqt_history *history, int command, uint64_t number, pqt_error *error)
{
    switch (command) {
    case THIN:
        return pqt_history_thin(history, number < SIZE_MAX ? (size_t)number : SIZE_MAX, error);
    case DROP:
        return pqt_history_drop(history, number, error);
    default:
        return pqt_history_drop_branch(history, number, error);
    }
}

bool
pqtpy_history_drop(pqtpy_history *of, int command, uint64_t number, pqt_error *error)
{
    pqt_history *history = begin_use(of, error);
    if (history == NULL)
        return false;
    const bool done = drop(history, command, number, error);
    reclaim_paced();
    end_use(of, error);
    return done;
}
