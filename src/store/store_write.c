/* SPDX-License-Identifier: MIT */
/*
 * store_write.c: the functions that a history calls when it changes. Each call is one transaction.
 *
 * A keyframe is written when the changes since the last one take more than `keyframe_ratio` times
 * its bytes (pqti_needs_keyframe). Changes can be applied in both directions, so loading a version
 * from the nearest keyframe reads changes of at most half that size.
 */
#include "config.h"

#include <string.h>

#include "base/cancellation.h"
#include "base/error_internal.h"
#include "io/little_endian.h"
#include "memory/memory_internal.h"
#include "store/store_internal.h"

static bool
is_writable(const pqt_store *store, pqt_error *error)
{
    if (store->options.access != PQT_STORE_READ)
        return true;
    pqti_error_set(error, PQT_ERROR_MISMATCH, 0, "the store is open for reading only");
    return false;
}

/* Appends the checksum that ends a change. */
static void
seal_change(const pqt_store *store, pqti_byte_buffer *change)
{
    uint8_t sum[4];
    pqti_store_le(sum, pqti_crc32c(&store->checksums, 0, change->bytes, change->length),
                  sizeof sum);
    pqti_put_bytes(change, sum, sizeof sum);
}

/* Makes the changes from the parent's version to a record's version. Sets the encoding and the
   costs of the record. Returns false and sets `error` on failure. */
static bool
make_change(const pqt_store *store, pqti_record *record, const pqti_record *parent,
            uint64_t keyframe_cost, const void *before, const void *version,
            pqti_byte_buffer *change, pqt_error *error)
{
    pqti_encoding encoding = PQTI_NO_CHANGE;
    if (parent != NULL &&
        !pqti_change_write(change, store->kind, before, version, &encoding, error))
        return false;
    record->encoding = (uint8_t)encoding;
    record->path_cost = parent == NULL ? 0 : parent->path_cost;
    if (encoding != PQTI_NO_CHANGE) {
        seal_change(store, change);
        record->path_cost += change->length + PQTI_CHANGE_COST;
    }
    const bool is_key = encoding == PQTI_NO_CHANGE ||
                        pqti_needs_keyframe(record->path_cost - keyframe_cost,
                                            store->keyframe_bytes, store->options.keyframe_ratio);
    record->keyframe = is_key ? record->number : parent->keyframe;
    if (change->failed)
        pqti_out_of_memory(error);
    return !change->failed;
}

/* Writes the row of a record with its change. */
static bool
write_row(pqt_store *store, const pqti_record *record, uint64_t parent, const void *version,
          const pqti_byte_buffer *change, pqt_error *error)
{
    return pqti_write_entry(store, record, parent,
                            record->encoding == PQTI_NO_CHANGE ? NULL : change,
                            pqt_version_fingerprint(version), error);
}

bool
pqti_store_entry(pqt_store *store, pqti_record *record, const pqti_record *parent,
                 uint64_t keyframe_cost, const void *before, const void *version, pqt_error *error)
{
    pqti_byte_buffer change = {0};
    const bool done =
        make_change(store, record, parent, keyframe_cost, before, version, &change, error) &&
        write_row(store, record, parent == NULL ? 0 : parent->number, version, &change, error) &&
        (record->keyframe != record->number ||
         pqti_write_keyframe(store, record->number, version, error));
    pqti_buffer_free(&change);
    return done;
}

static uint64_t
cost_of_keyframe(const pqt_history *history, const pqti_record *record)
{
    return history->records[pqti_history_slot(history, record->keyframe)].path_cost;
}

/* ---- Links ---- */

static uint64_t
number_of(const pqt_history *history, uint32_t slot)
{
    return history->records[slot].number;
}

/* Writes the redo link of a record if it has changed. No link is stored if it leads to the newest
   child. */
static bool
write_redo(pqt_history *history, uint32_t slot, pqt_error *error)
{
    pqti_record *record = &history->records[slot];
    if (!record->redo_changed)
        return true;
    pqti_database *database = &pqti_store_of(history)->database;
    sqlite3_stmt *statement = pqti_statement_of(database, PQTI_WRITE_REDO, error);
    if (statement == NULL)
        return false;
    sqlite3_bind_int64(statement, 1, (int64_t)record->number);
    if (record->redo != record->last)
        sqlite3_bind_int64(statement, 2, (int64_t)number_of(history, record->redo));
    return pqti_run(database, statement, error);
}

/* Returns the slot of the next record whose redo link may have changed: the parent of `slot`, or
   the record before it if `all` is true. */
static uint32_t
next_link(const pqt_history *history, uint32_t slot, bool all)
{
    return all ? slot - 1 : history->records[slot].parent;
}

/* Writes the redo links that have changed on the path from `slot` up to `top`, or of all records
   below `slot` if `all` is true. */
static bool
write_links(pqt_history *history, uint32_t slot, uint32_t top, bool all, pqt_error *error)
{
    for (uint32_t at = slot; at != top; at = next_link(history, at, all))
        if (!write_redo(history, next_link(history, at, all), error))
            return false;
    return true;
}

/* Updates the records whose links were written. */
static void
take_links(pqt_history *history, uint32_t slot, uint32_t top, bool all)
{
    for (uint32_t at = slot; at != top; at = next_link(history, at, all)) {
        pqti_record *record = &history->records[next_link(history, at, all)];
        record->redo_is_stored =
            record->redo_changed ? record->redo != record->last : record->redo_is_stored;
        record->redo_changed = false;
    }
}

/* Deletes the rows of records that a cancelled group has removed. */
static bool
delete_popped(pqt_history *history, pqt_error *error)
{
    pqti_database *database = &pqti_store_of(history)->database;
    const uint64_t last = number_of(history, history->count - 1);
    return pqti_store_of(history)->last_number <= last ||
           (pqti_run_number(database, PQTI_DELETE_ENTRIES_AFTER, last, error) &&
            pqti_run_number(database, PQTI_DELETE_NAMES_AFTER, last, error) &&
            pqti_run_number(database, PQTI_DELETE_KEYFRAMES_AFTER, last, error));
}

/* Returns the state of a history. */
static pqti_store_state
state_of(const pqt_history *history)
{
    return (pqti_store_state){.current = number_of(history, history->current),
                              .saved = number_of(history, history->saved),
                              .next = history->next_number,
                              .entries = history->count,
                              .names = pqti_store_of(history)->names};
}

/* ---- Saving ---- */

/* Deletes the rows of an entry. */
static bool
delete_entry(pqt_store *store, uint64_t number, pqt_error *error)
{
    return pqti_run_number(&store->database, PQTI_DELETE_ENTRY, number, error) &&
           pqti_run_number(&store->database, PQTI_DELETE_NAME, number, error) &&
           pqti_run_number(&store->database, PQTI_DELETE_KEYFRAME, number, error);
}

/* Deletes the rows of entries that a new entry overwrites or replaces. */
static bool
delete_replaced(pqt_history *history, const pqti_record *made, uint32_t replaced, pqt_error *error)
{
    if (replaced == PQTI_NO_SLOT)
        return true;
    const pqti_record *old = &history->records[replaced];
    if (old->number != made->number)
        return delete_entry(pqti_store_of(history), old->number, error);
    return old->keyframe != old->number ||
           pqti_run_number(&pqti_store_of(history)->database, PQTI_DELETE_KEYFRAME, old->number,
                           error);
}

/* Removes the redo link of the parent. After the next push, redo leads to the new entry because it
   is the newest child, so no link need be stored. */
static bool
clear_redo(pqt_store *store, const pqti_record *parent, pqt_error *error)
{
    return (!parent->redo_is_stored && !store->state_is_stale) ||
           pqti_run_number(&store->database, PQTI_WRITE_REDO, parent->number, error);
}

static bool
save_in_transaction(pqt_history *history, pqti_record *made, uint32_t replaced, pqt_error *error)
{
    pqt_store *store = pqti_store_of(history);
    pqti_record *parent = &history->records[made->parent];
    const void *before = pqti_history_load(history, made->parent, error);
    const uint64_t next =
        made->number < history->next_number ? history->next_number : made->number + 1;
    if (next > PQTI_STORE_MAX_NEXT) {
        pqti_error_set(error, PQT_ERROR_LIMIT, 0, "no entry can have a higher number than %llu",
                       (unsigned long long)made->number - 1);
        return false;
    }
    if (store->state_is_stale && !write_links(history, history->count, 0, true, error))
        return false;
    /* A push replaces neither the saved entry nor a named one. So neither the number of the saved
       entry changes nor the count of names. */
    pqti_store_state state = state_of(history);
    state.current = made->number;
    state.next = next;
    state.entries += replaced == PQTI_NO_SLOT;
    return before != NULL && delete_popped(history, error) &&
           delete_replaced(history, made, replaced, error) &&
           pqti_store_entry(store, made, parent, cost_of_keyframe(history, parent), before,
                            made->value, error) &&
           clear_redo(store, parent, error) && pqti_write_state(store, &state, error);
}

static bool
save_entry(pqt_history *history, pqti_record *made, uint32_t replaced, pqt_error *error)
{
    PQTI_NOT_CANCELLABLE;
    pqt_store *store = pqti_store_of(history);
    const uint64_t keyframe_bytes = store->keyframe_bytes, last = store->last_number;
    if (!is_writable(store, error) || !pqti_store_begin(store, error))
        return false;
    const bool done = save_in_transaction(history, made, replaced, error);
    if (!pqti_end_transaction(&store->database, done, error)) {
        store->keyframe_bytes = keyframe_bytes;
        store->last_number = last;
        return false;
    }
    if (store->state_is_stale)
        take_links(history, history->count, 0, true);
    store->state_is_stale = false;
    history->records[made->parent].redo_is_stored = false;
    pqti_store_count_loaded(store, made->number, made->added);
    return true;
}

/* ---- Dropping ---- */

/*
 * Thinning first makes all the new changes, from versions that are loaded along the old paths, and
 * then writes their rows. New keyframes are written at once, since no path leads through them yet.
 */

/* The new costs and changes of a kept record. Only the first dropped record and the records after
   it have one. */
typedef struct new_row {
    uint64_t path_cost, keyframe;
    pqt_fingerprint fingerprint;
    pqti_byte_buffer change; /* set if the record has a new parent */
    uint8_t encoding;
    bool is_written;
} new_row;

typedef struct dropping {
    pqt_history *history;
    const pqti_drops *drops;
    new_row *rows; /* in scratch memory: one element for each record from drops->from onwards */
} dropping;

/* Returns a copy of a record with its new costs. */
static pqti_record
with_new_costs(const dropping *d, uint32_t slot)
{
    pqti_record record = d->history->records[slot];
    if (slot >= d->drops->from) {
        const new_row *row = &d->rows[slot - d->drops->from];
        record.path_cost = row->path_cost;
        record.keyframe = row->keyframe;
        record.encoding = row->encoding;
    }
    return record;
}

/* Returns the new path cost of the keyframe above a record. */
static uint64_t
new_keyframe_cost(const dropping *d, const pqti_record *record)
{
    return with_new_costs(d, pqti_history_slot(d->history, record->keyframe)).path_cost;
}

/* Makes the changes of a record whose parent is dropped. */
static bool
change_parent(const dropping *d, uint32_t slot, uint32_t above, pqti_record *record,
              pqt_error *error)
{
    pqt_history *history = d->history;
    new_row *row = &d->rows[slot - d->drops->from];
    const pqti_record parent = with_new_costs(d, above);
    pqti_history_trim(history);
    const void *before = pqti_history_load(history, above, error);
    const void *version = before == NULL ? NULL : pqti_history_load(history, slot, error);
    if (version == NULL ||
        !make_change(pqti_store_of(history), record, &parent, new_keyframe_cost(d, &parent), before,
                     version, &row->change, error))
        return false;
    row->fingerprint = pqt_version_fingerprint(version);
    row->is_written = true;
    return true;
}

/* Computes the costs of a record that keeps its changes while the costs of its parent may be
   new. */
static void
keep_change(const dropping *d, uint32_t above, pqti_record *record)
{
    const pqti_record parent = with_new_costs(d, above);
    record->path_cost += parent.path_cost - d->history->records[above].path_cost;
    const bool is_key = record->encoding == PQTI_NO_CHANGE ||
                        pqti_needs_keyframe(record->path_cost - new_keyframe_cost(d, &parent),
                                            pqti_store_of(d->history)->keyframe_bytes,
                                            pqti_store_of(d->history)->options.keyframe_ratio);
    record->keyframe = is_key ? record->number : parent.keyframe;
}

/* Makes the new changes of a kept record, and writes a keyframe if the record needs one. */
static bool
make_row(const dropping *d, uint32_t slot, pqt_error *error)
{
    pqt_history *history = d->history;
    pqti_record record = history->records[slot];
    const uint32_t above = slot == 0 ? 0 : d->drops->parent(d->drops->plan, slot);
    const bool has_keyframe = record.keyframe == record.number;
    if (slot != 0 && above != record.parent) {
        if (!change_parent(d, slot, above, &record, error))
            return false;
    } else if (slot != 0) {
        keep_change(d, above, &record);
    }
    if (!has_keyframe && record.keyframe == record.number) {
        pqti_history_trim(history);
        const void *version = pqti_history_load(history, slot, error);
        if (version == NULL ||
            !pqti_write_keyframe(pqti_store_of(history), record.number, version, error))
            return false;
    }
    new_row *row = &d->rows[slot - d->drops->from];
    row->path_cost = record.path_cost;
    row->keyframe = has_keyframe ? record.number : record.keyframe;
    row->encoding = record.encoding;
    return true;
}

/* Writes the row of a record that has a new parent, or deletes the row of a dropped record. */
static bool
write_new_row(const dropping *d, uint32_t slot, pqt_error *error)
{
    pqt_store *store = pqti_store_of(d->history);
    const new_row *row = &d->rows[slot - d->drops->from];
    if (d->history->records[slot].is_dropped)
        return delete_entry(store, d->history->records[slot].number, error);
    if (!row->is_written)
        return true;
    pqti_record record = with_new_costs(d, slot);
    const uint32_t above = d->drops->parent(d->drops->plan, slot);
    record.added = d->drops->added(d->drops->plan, slot);
    return pqti_write_entry(store, &record, number_of(d->history, above),
                            record.encoding == PQTI_NO_CHANGE ? NULL : &row->change,
                            row->fingerprint, error);
}

static bool
drop_in_transaction(const dropping *d, pqt_error *error)
{
    pqt_history *history = d->history;
    pqti_store_state state = state_of(history);
    for (uint32_t slot = d->drops->from; slot < history->count; slot++)
        if (!history->records[slot].is_dropped && !make_row(d, slot, error))
            return false;
    for (uint32_t slot = d->drops->from; slot < history->count; slot++) {
        if (!write_new_row(d, slot, error))
            return false;
        state.entries -= history->records[slot].is_dropped;
    }
    /* The current, the saved and the named entries are never dropped. */
    return delete_popped(history, error) && pqti_write_state(pqti_store_of(history), &state, error);
}

/* Updates the records from the rows that were written. A row that was written again has no redo
   link yet. */
static void
take_rows(const dropping *d)
{
    for (uint32_t slot = d->drops->from; slot < d->history->count; slot++) {
        pqti_record *record = &d->history->records[slot];
        const new_row *row = &d->rows[slot - d->drops->from];
        if (record->is_dropped)
            continue;
        record->path_cost = row->path_cost;
        record->keyframe = row->keyframe;
        record->encoding = row->encoding;
        record->redo_is_stored &= !row->is_written;
    }
}

static void
free_rows(dropping *d)
{
    for (uint32_t slot = d->drops->from; d->rows != NULL && slot < d->history->count; slot++)
        pqti_buffer_free(&d->rows[slot - d->drops->from].change);
    pqti_free_scratch(d->rows);
}

static bool
drop_entries(pqt_history *history, const pqti_drops *drops, pqt_error *error)
{
    PQTI_NOT_CANCELLABLE;
    pqt_store *store = pqti_store_of(history);
    const uint32_t count = history->count - drops->from;
    dropping d = {history, drops, NULL};
    if (!is_writable(store, error))
        return false;
    d.rows = pqti_alloc_scratch(count + 1u, sizeof *d.rows);
    if (d.rows == NULL) {
        pqti_out_of_memory(error);
        return false;
    }
    memset(d.rows, 0, (count + 1u) * sizeof *d.rows);
    const uint64_t keyframe_bytes = store->keyframe_bytes;
    const bool done = pqti_store_begin(store, error) &&
                      pqti_end_transaction(&store->database, drop_in_transaction(&d, error), error);
    if (done)
        take_rows(&d);
    else
        store->keyframe_bytes = keyframe_bytes;
    free_rows(&d);
    return done;
}

/* ---- The state ---- */

static bool
write_state(pqt_history *history, uint32_t slot, uint32_t top, bool all,
            const pqti_store_state *state, pqt_error *error)
{
    return write_links(history, slot, top, all, error) && delete_popped(history, error) &&
           pqti_write_state(pqti_store_of(history), state, error);
}

/* Updates the records and the store after the state was written. */
static void
take_state(pqt_history *history, uint32_t slot, uint32_t top, bool all,
           const pqti_store_state *state)
{
    pqt_store *store = pqti_store_of(history);
    store->state_is_stale = false;
    store->names = state->names;
    store->last_number = number_of(history, history->count - 1);
    take_links(history, slot, top, all);
}

static bool
set_name(pqt_history *history, uint32_t slot, const char *name, pqt_error *error)
{
    PQTI_NOT_CANCELLABLE;
    pqt_store *store = pqti_store_of(history);
    if (store->is_reading_names)
        return true;
    const bool all = store->state_is_stale;
    const uint32_t from = all ? history->count : 0;
    pqti_store_state state = state_of(history);
    state.names += name != NULL;
    state.names -= history->records[slot].name != NULL;
    const bool done =
        is_writable(store, error) && pqti_store_begin(store, error) &&
        pqti_end_transaction(&store->database,
                             pqti_write_name(store, number_of(history, slot), name, error) &&
                                 write_state(history, from, 0, all, &state, error),
                             error);
    if (done)
        take_state(history, from, 0, all, &state);
    return done;
}

static void
state_changed(pqt_history *history, uint32_t slot, uint32_t top)
{
    PQTI_NOT_CANCELLABLE;
    pqt_store *store = pqti_store_of(history);
    pqt_error failure = {0};
    if (store->options.access == PQT_STORE_READ)
        return;
    const bool all = store->state_is_stale || slot == PQTI_NO_SLOT;
    if (all) {
        slot = history->count;
        top = 0;
    }
    const pqti_store_state state = state_of(history);
    const bool done =
        pqti_store_begin(store, &failure) &&
        pqti_end_transaction(&store->database,
                             write_state(history, slot, top, all, &state, &failure), &failure);
    if (done) {
        take_state(history, slot, top, all, &state);
        return;
    }
    store->state_is_stale = true;
    pqti_store_keep_failure(store, &failure);
}

static void
detach_history(pqt_history *history)
{
    pqti_store_of(history)->history = NULL;
    history->backing = NULL;
    history->store = NULL;
}

const pqti_backing pqti_store_backing = {
    .load = pqti_store_load,
    .save = save_entry,
    .drop = drop_entries,
    .set_name = set_name,
    .visit_changes = pqti_store_visit_changes,
    .state_changed = state_changed,
    .trim = pqti_store_trim,
    .detach = detach_history,
};
