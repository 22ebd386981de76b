/* SPDX-License-Identifier: MIT */
/*
 * shim_history.c: the functions that history.py calls, with the lock of the history held.
 *
 * A history may be in a store. Then each call locks the store, and reports the failures that the
 * store keeps.
 */
#include "shim.h"

#include <stdlib.h>

/* ---- Use of a history that may be in a store ---- */

pqt_history *
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

void
end_use(pqtpy_history *of, pqt_error *error)
{
    reclaim_paced();
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
        *of = (pqtpy_history){
            .history = history,
            .kind = kind != PQT_KIND_NONE ? kind : pqt_kind_of(pqt_history_value(history))};
    else
        pqt_history_destroy(&history);
    return of;
}

bool
takes_version(const pqtpy_history *of, const void *pin, pqt_error *error)
{
    const bool takes = pqtpy_history_kind(of) == pqtpy_kind(pin);
    if (!takes)
        fail(error, PQT_ERROR_MISMATCH, 0, "the history has versions of another kind");
    return takes;
}

bool
try_again_in(pqtpy_history *of, pqt_error *error)
{
    if (!retry_call(false, false, error))
        return false;
    if (of->store != NULL)
        forget_failure(of->store);
    return true;
}

pqt_pin *
pin_any(const void *version, pqt_error *error)
{
    return version == NULL ? NULL : pqt_version_pin(version, error);
}

/* ---- Files ---- */

pqtpy_history *
pqtpy_history_load(const char *path, size_t entries, size_t limit, bool indexed, pqt_error *error)
{
    pqt_history_options options = PQT_HISTORY_DEFAULTS;
    options.max_entries = entries;
    options.max_bytes = limit;
    options.indexed = indexed;
    RETURN_HISTORY(pqt_history_load_file(path, &options, heap, error));
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
