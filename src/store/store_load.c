/* SPDX-License-Identifier: MIT */
/*
 * store_load.c: loads versions of a store, and forgets them.
 *
 * A version is made from the version at the start of a path (store_path.c). The changes on the path
 * are applied together. The result must have the fingerprint that the entry had when it was pushed.
 *
 * A load along a long path also keeps some versions on the way, one after each KEPT_EVERY bytes of
 * changes, as long as half of the limit on loaded bytes is free. So a later load of a version near
 * this path reads few changes. Each version that is kept is checked like the last one.
 *
 * For each loaded version, the bytes that it does not share with the previous version on the path
 * are added to a sum, so the sum counts each block of the loaded versions at least once. When it
 * exceeds the limit, all versions except the current one are forgotten.
 */
#include "config.h"

#include <string.h>

#include "base/cancellation.h"
#include "base/error_internal.h"
#include "memory/memory_internal.h"
#include "store/store_internal.h"
#include "tree/history/tree_history.h"

/* The cost of the changes between two versions that a load keeps; see above. */
#define KEPT_EVERY PQTI_KEYFRAME_LEAST

static bool
is_keyframe(const pqti_record *record)
{
    return record->keyframe == record->number;
}

bool
pqti_store_read_change(const pqt_history *history, uint32_t slot, bool backwards,
                       pqti_changes *changes, pqt_error *error)
{
    const uint64_t number = history->records[slot].number;
    pqti_byte_source source;
    pqt_fingerprint fingerprint;
    pqt_error failure = {0};
    if (!pqti_read_change(pqti_store_of(history), number, &source, &fingerprint, error))
        return false;
    const bool done = pqti_change_read(changes, &source, backwards, &failure);
    pqti_change_end(pqti_store_of(history));
    if (done)
        return true;
    if (failure.status == PQT_ERROR_FORMAT)
        return pqti_entry_fault(number, failure.text, error);
    pqti_error_set(error, failure.status, failure.index, "%s", failure.text);
    return false;
}

/* Returns true if a version has the fingerprint of its entry. */
static bool
check_fingerprint(const pqt_history *history, uint32_t slot, const void *version, pqt_error *error)
{
    const uint64_t number = history->records[slot].number;
    pqti_byte_source unused;
    pqt_fingerprint wanted;
    pqt_store *store = pqti_store_of(history);
    if (!pqti_read_change(store, number, &unused, &wanted, error))
        return false;
    store->counts.changes_read -= unused.bytes != NULL;
    pqti_change_end(store);
    return pqt_fingerprint_equals(wanted, pqt_version_fingerprint(version)) ||
           pqti_entry_fault(number, "its changes make a different version", error);
}

/* A version that follows a path of changes. It must be on the stack, where the collector finds the
   version. */
typedef struct walk {
    pqt_history *history;
    const void *version; /* the version before the changes */
    bool is_shared;      /* the version is in a record, and its bytes have been counted */
    pqti_changes changes;
    uint64_t cost; /* the cost of the changes since that version */
} walk;

static void
begin_changes(walk *w)
{
    pqti_changes_begin(&w->changes, pqti_store_of(w->history)->kind, w->version,
                       w->history->memory);
    w->cost = 0;
}

/* Sets the version of a walk to the one at the start of a path. */
static bool
begin_walk(walk *w, pqt_history *history, const pqti_load_path *path, pqt_error *error)
{
    const pqti_record *first = &history->records[path->start];
    *w = (walk){.history = history, .version = first->value, .is_shared = !path->from_keyframe};
    if (path->from_keyframe)
        w->version = pqti_read_keyframe(pqti_store_of(history), "entry", first->number,
                                        history->memory, error);
    if (w->version != NULL)
        begin_changes(w);
    return w->version != NULL;
}

/* Counts the bytes that a version does not share with the last version that was put into a
   record. */
static bool
count_bytes(const walk *w, const void *version, size_t *bytes, pqt_error *error)
{
    return pqti_history_exclusive_bytes(w->history, version, &w->version, w->is_shared ? 1 : 0,
                                        bytes, error);
}

/* Puts a version into its record, unless the record has one. The walk continues from the version of
   the record. */
static void
keep_version(walk *w, uint32_t slot, const void *version, size_t bytes)
{
    const pqti_record *record = &w->history->records[slot];
    if (record->value == NULL) {
        pqti_history_set_value(w->history, slot, version);
        pqti_store_count_loaded(pqti_store_of(w->history), record->number, bytes);
    }
    w->version = record->value;
    w->is_shared = true;
}

/* Applies the changes, checks the resulting version against its record, and keeps it. */
static bool
apply_and_keep(walk *w, uint32_t slot, pqt_error *error)
{
    size_t bytes = 0;
    const void *version = pqti_changes_apply(&w->changes, w->version, error);
    if (version == NULL || !check_fingerprint(w->history, slot, version, error) ||
        !count_bytes(w, version, &bytes, error))
        return false;
    keep_version(w, slot, version, bytes);
    return true;
}

/* Returns true if a load keeps a version. `cost` is the cost of the changes since the last version
   that it kept, and `rest` is the cost of the changes that remain on the path. */
static bool
is_kept_on_path(const walk *w, uint64_t cost, uint64_t rest)
{
    const pqt_store *store = pqti_store_of(w->history);
    return cost >= KEPT_EVERY && rest >= KEPT_EVERY &&
           store->counts.loaded_bytes < store->trim_above / 2;
}

/* Reads the changes for the next step of a path, which leads to the record in `slot`. */
static bool
take_step(walk *w, uint32_t changed, uint32_t slot, uint64_t *rest, pqt_error *error)
{
    const pqti_record *records = w->history->records, *record = &records[changed];
    const uint64_t cost = record->path_cost - records[record->parent].path_cost;
    if (!pqti_store_read_change(w->history, changed, slot != changed, &w->changes, error))
        return false;
    w->cost += cost;
    *rest -= cost;
    if (!is_kept_on_path(w, w->cost, *rest))
        return true;
    if (!apply_and_keep(w, slot, error))
        return false;
    pqti_changes_free(&w->changes);
    begin_changes(w);
    return true;
}

/* Follows the changes from the ancestor `top` down to `slot`. */
static bool
walk_down(walk *w, uint32_t top, uint32_t slot, uint64_t *rest, pqt_error *error)
{
    const pqti_record *records = w->history->records;
    const size_t count = records[slot].depth - records[top].depth;
    uint32_t *slots = pqti_alloc_scratch(count + 1, sizeof *slots);
    if (slots == NULL) {
        pqti_out_of_memory(error);
        return false;
    }
    for (size_t i = count; i-- > 0; slot = records[slot].parent)
        slots[i] = slot;
    bool done = true;
    for (size_t i = 0; i < count && done; i++)
        done = take_step(w, slots[i], slots[i], rest, error);
    pqti_free_scratch(slots);
    return done;
}

/* Follows a path, puts its version into the record of `slot`, and returns it. */
static const void *
follow_path(pqt_history *history, const pqti_load_path *path, uint32_t slot, pqt_error *error)
{
    walk w;
    size_t bytes = 0;
    const pqti_record *records = history->records;
    uint64_t rest =
        records[path->start].path_cost + records[slot].path_cost - 2 * records[path->top].path_cost;
    bool done = begin_walk(&w, history, path, error);
    if (done && path->from_keyframe && is_kept_on_path(&w, KEPT_EVERY, rest)) {
        done = check_fingerprint(history, path->start, w.version, error) &&
               count_bytes(&w, w.version, &bytes, error);
        if (done)
            keep_version(&w, path->start, w.version, bytes);
    }
    for (uint32_t at = path->start; at != path->top && done; at = records[at].parent)
        done = take_step(&w, at, records[at].parent, &rest, error);
    done = done && walk_down(&w, path->top, slot, &rest, error) && apply_and_keep(&w, slot, error);
    pqti_changes_free(&w.changes);
    return done ? records[slot].value : NULL;
}

/* Makes the error name the requested entry if damage on the path may have caused the failure. */
static void
report_failure(pqt_store *store, const pqti_record *record, const pqt_error *failure,
               pqt_error *error)
{
    if (failure->status == PQT_ERROR_MEMORY || failure->status == PQT_ERROR_STREAM ||
        failure->status == PQT_ERROR_FORMAT || failure->status == PQT_ERROR_THREAD ||
        failure->status == PQT_ERROR_UNSUPPORTED)
        pqti_error_set(error, failure->status, failure->index, "%s", failure->text);
    else
        pqti_entry_fault(record->number, failure->text, error);
    if (error == NULL)
        pqti_store_keep_failure(store, failure);
}

/* Loads a version along the cheapest path. If that path is damaged, tries the path from above,
   which may be intact. So damage below a version does not prevent loading it. */
static const void *
load_cheapest(pqt_history *history, uint32_t slot, pqt_error *error)
{
    pqt_error failure = {0};
    const pqti_load_path path = pqti_store_find_path(history, slot);
    const void *version = follow_path(history, &path, slot, &failure);
    if (version != NULL)
        return version;
    const pqti_load_path above = pqti_store_path_from_above(history, slot);
    if (failure.status != PQT_ERROR_MEMORY && failure.status != PQT_ERROR_STREAM &&
        above.start != path.start)
        version = follow_path(history, &above, slot, error);
    else
        pqti_error_set(error, failure.status, failure.index, "%s", failure.text);
    return version;
}

const void *
pqti_store_load(pqt_history *history, uint32_t slot, pqt_error *error)
{
    PQTI_NOT_CANCELLABLE;
    pqt_store *store = pqti_store_of(history);
    pqt_error failure = {0};
    if (!pqti_scope_begin(history->memory, error))
        return NULL;
    const void *version = load_cheapest(history, slot, &failure);
    if (version != NULL) {
        store->counts.loads++;
        store->last_loaded = slot;
    } else {
        report_failure(store, &history->records[slot], &failure, error);
    }
    pqti_scope_end(history->memory);
    return version;
}

/* ---- Forgetting ---- */

/* Makes room for one more number in `loaded`. */
static bool
reserve_loaded(pqt_store *store)
{
    if (store->loaded_count < store->loaded_capacity)
        return true;
    const size_t capacity = store->loaded_capacity * 2 + 64;
    uint64_t *larger = pqti_alloc_scratch(capacity, sizeof *larger);
    if (larger == NULL)
        return false;
    if (store->loaded_count > 0)
        memcpy(larger, store->loaded, store->loaded_count * sizeof *larger);
    pqti_free_scratch(store->loaded);
    store->loaded = larger;
    store->loaded_capacity = capacity;
    return true;
}

/* If there is no memory for the number, the next trim examines all records. */
void
pqti_store_count_loaded(pqt_store *store, uint64_t number, size_t bytes)
{
    store->counts.loaded_bytes += bytes;
    if (reserve_loaded(store))
        store->loaded[store->loaded_count++] = number;
    else
        store->loaded_is_partial = true;
}

/* Forgets a version, unless it is the current one or the one to which a cancelled group returns.
   Records that these two are loaded. */
static void
forget_version(pqt_history *history, uint32_t slot)
{
    pqt_store *store = pqti_store_of(history);
    const pqti_record *record = &history->records[slot];
    if (record->value == NULL)
        return;
    if (slot != history->current && (history->group_depth == 0 || slot != history->group_start))
        pqti_history_set_value(history, slot, NULL);
    else
        pqti_store_count_loaded(store, record->number, 0);
}

static void
forget_all(pqt_history *history)
{
    pqt_store *store = pqti_store_of(history);
    const size_t count = store->loaded_count;
    store->loaded_count = 0; /* forget() adds at most one number for each number that is read */
    if (store->loaded_is_partial) {
        store->loaded_is_partial = false;
        for (uint32_t slot = 0; slot < history->count; slot++)
            forget_version(history, slot);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const uint32_t slot = pqti_history_slot(history, store->loaded[i]);
        if (slot != PQTI_NO_SLOT)
            forget_version(history, slot);
    }
}

void
pqti_store_trim(pqt_history *history)
{
    pqt_store *store = pqti_store_of(history);
    size_t current = 0;
    if (pqti_history_index_bytes(history) > store->options.max_loaded)
        pqti_index_forget(history);
    if (store->counts.loaded_bytes <= store->trim_above ||
        !pqti_history_exclusive_bytes(history, history->records[history->current].value, NULL, 0,
                                      &current, NULL))
        return;
    forget_all(history);
    store->counts.loaded_bytes = current;
    store->last_loaded = history->current;
    store->trim_above =
        store->options.max_loaded / 2 > current ? store->options.max_loaded : 2 * current;
}

/* ---- Checking ---- */

/* Loads the version of a keyframe and checks it. */
static bool
check_keyframe(pqt_history *history, uint32_t slot, pqt_error *error)
{
    pqt_store *store = pqti_store_of(history);
    const void *version =
        pqti_read_keyframe(store, "entry", history->records[slot].number, history->memory, error);
    return version != NULL && check_fingerprint(history, slot, version, error) &&
           pqt_version_check(version, error);
}

bool
pqti_store_check_entry(pqt_history *history, uint32_t slot, pqt_error *error)
{
    const pqti_record *record = &history->records[slot];
    if (is_keyframe(record) && !check_keyframe(history, slot, error))
        return false;
    if (record->encoding == PQTI_NO_CHANGE)
        return true;
    pqti_history_trim(history);
    if (pqti_history_load(history, record->parent, error) == NULL)
        return false;
    const pqti_load_path step = {record->parent, record->parent, false, 0};
    return follow_path(history, &step, slot, error) != NULL;
}
