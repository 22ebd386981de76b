/* SPDX-License-Identifier: MIT */
/* store_history.c: saves a history in an empty store, and opens the history of a store. */
#include "config.h"

#include <pqt/store.h>

#include "base/cancellation.h"
#include "base/error_internal.h"
#include "memory/memory_internal.h"
#include "store/store_internal.h"
#include "tree/node.h"

/* ---- Saving ---- */

static bool
may_save(const pqt_history *history, const pqt_store *store, pqt_error *error)
{
    if (store->options.access == PQT_STORE_READ)
        pqti_error_set(error, PQT_ERROR_MISMATCH, 0, "the store is open for reading only");
    else if (store->kind != PQT_KIND_NONE)
        pqti_error_set(error, PQT_ERROR_MISMATCH, 0, "the store is not empty");
    else if (history->backing != NULL)
        pqti_error_set(error, PQT_ERROR_MISMATCH, 0, "the history is already in a store");
    else if (history->group_depth > 0)
        pqti_error_set(error, PQT_ERROR_MISMATCH, 0, "a group of the history is open");
    else if (history->versions == PQT_KIND_NONE)
        pqti_error_set(error, PQT_ERROR_OPTION, 0, "the history holds %s, which no store can hold",
                       history->kind.name);
    else
        return true;
    return false;
}

static bool
save_record(pqt_store *store, pqt_history *history, uint32_t slot, pqt_error *error)
{
    pqti_record *records = history->records, *record = &records[slot];
    const pqti_record *parent = slot == 0 ? NULL : &records[record->parent];
    uint64_t keyframe_cost = 0;
    if (parent != NULL)
        keyframe_cost = records[pqti_history_slot(history, parent->keyframe)].path_cost;
    record->redo_is_stored = false;
    record->redo_changed = record->redo != record->last;
    return pqti_store_entry(store, record, parent, keyframe_cost,
                            parent == NULL ? NULL : parent->value, record->value, error) &&
           (record->name == NULL || pqti_write_name(store, record->number, record->name, error));
}

static bool
save_records(pqt_store *store, pqt_history *history, pqt_error *error)
{
    store->names = 0;
    for (uint32_t slot = 0; slot < history->count; slot++) {
        if (!save_record(store, history, slot, error))
            return false;
        store->names += history->records[slot].name != NULL;
    }
    return pqti_write_state(
        store,
        &(pqti_store_state){.current = history->records[history->current].number,
                            .saved = history->records[history->saved].number,
                            .next = history->next_number,
                            .entries = history->count,
                            .names = store->names},
        error);
}

bool
pqt_history_save(pqt_history *history, pqt_store *store, pqt_error *error)
{
    PQTI_NOT_CANCELLABLE;
    PQT_ASSERT(history != NULL || pqti_may_be_null(error),
               "the history is NULL, and no earlier error is set");
    PQT_ASSERT(store != NULL, "the store is NULL");
    if (history == NULL || !may_save(history, store, error))
        return false;
    store->kind = history->versions;
    if (!pqti_store_begin(store, error) ||
        !pqti_end_transaction(&store->database, save_records(store, history, error), error)) {
        store->kind = PQT_KIND_NONE;
        store->keyframe_bytes = store->last_number = 0;
        return false;
    }
    store->history = history;
    store->counts.loaded_bytes = history->bytes;
    store->loaded_is_partial = true;
    store->last_loaded = history->current;
    history->has_summaries = history->index != NULL;
    history->backing = &pqti_store_backing;
    history->store = store;
    pqti_history_state_changed(history, PQTI_NO_SLOT, 0); /* writes the redo links */
    return true;
}

/* ---- Opening ---- */

/* Makes an empty index. Fails if an entry and its parent have versions that one index cannot cover
   together. */
static bool
make_index(pqt_history *history, pqt_error *error)
{
    const void *current = history->records[history->current].value;
    if (!pqti_history_make_index(history, current, error))
        return false;
    for (uint32_t slot = 1; slot < history->count; slot++)
        if (history->records[slot].encoding == PQTI_NO_CHANGE)
            return pqti_store_not_covered(history->records[slot].number, error);
    return true;
}

/* Reads the records of a history, and loads its current version. A scope must be open: the labels
   are not in the records at once. */
static bool
fill_history(pqt_store *store, pqt_history *history, pqt_error *error)
{
    pqti_store_state state;
    if (!pqti_read_state(store, &state, error) || !pqti_read_entries(store, history, &state, error))
        return false;
    history->coalescing_ended = true;
    for (uint32_t slot = 0; slot < history->count; slot++)
        pqti_history_update_droppable(history, slot);
    return pqti_history_load(history, history->current, error) != NULL &&
           (!history->options.indexed || make_index(history, error));
}

pqt_history *
pqt_history_open(pqt_store *store, const pqt_history_options *options, pqt_memory *memory,
                 pqt_error *error)
{
    PQTI_NOT_CANCELLABLE;
    pqt_history_options converted;
    PQT_ASSERT(store != NULL, "the store is NULL");
    options = pqti_history_read_options(options, &converted, error);
    if (options == NULL)
        return NULL;
    if (store->kind == PQT_KIND_NONE || store->history != NULL || store->has_recording) {
        pqti_error_set(error, PQT_ERROR_MISMATCH, 0, "%s",
                       store->history != NULL ? "the history of the store is open"
                       : store->has_recording ? "the store holds a recording, not a history"
                                              : "the store is empty");
        return NULL;
    }
    memory = pqti_memory_or_default(memory, error);
    pqt_history *history =
        memory == NULL ? NULL
                       : pqti_history_new(pqt_history_kind_of(store->kind), options, memory, error);
    if (history == NULL)
        return NULL;
    history->options.label = NULL; /* the first entry has the label of its row */
    store->history = history;
    store->last_loaded = 0;
    store->trim_above = store->options.max_loaded;
    store->counts.loaded_bytes = 0;
    store->loaded_count = 0;
    store->loaded_is_partial = false;
    history->backing = &pqti_store_backing;
    history->store = store;
    const bool has_scope = pqti_scope_begin(memory, error);
    const bool done = has_scope && fill_history(store, history, error);
    if (has_scope)
        pqti_scope_end(memory);
    if (!done)
        pqt_history_destroy(&history);
    return history;
}
