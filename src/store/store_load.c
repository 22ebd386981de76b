/* SPDX-License-Identifier: MIT */
/*
 * store_load.c: loads versions of a store, and forgets them.
 *
 * A version is made from the version at the start of a path: its nearest ancestor that is loaded,
 * its nearest keyframe, the current version, or the one that was loaded last, whichever costs
 * least. The changes on the path are applied together. The result must have the fingerprint that
 * the entry had when it was pushed.
 *
 * Each version that is loaded costs the bytes that it does not share with the start of its path.
 * The sum counts each block of the loaded versions at least once. When it exceeds the limit, all
 * but the current version are forgotten.
 */
#include "config.h"

#include "base/error_internal.h"
#include "memory/memory_internal.h"
#include "store/store_internal.h"

/* A path from a version to the one to load. */
typedef struct load_path {
    uint32_t start, top; /* slots: where it begins, and the common ancestor */
    bool from_keyframe;  /* the version of `start` is a keyframe, not a loaded one */
    uint64_t cost;
} load_path;

static pqt_store *
store_of(const pqt_history *history)
{
    return history->store;
}

static bool
is_keyframe(const pqti_record *record)
{
    return record->keyframe == record->number;
}

/* Finds the nearest start on the path to the first record, which has a keyframe. */
static load_path
path_from_above(const pqt_history *history, uint32_t slot)
{
    const pqti_record *records = history->records;
    uint32_t at = slot;
    while (records[at].value == NULL && !is_keyframe(&records[at]))
        at = records[at].parent;
    const bool from_keyframe = records[at].value == NULL;
    const uint64_t cost = records[slot].path_cost - records[at].path_cost;
    const uint64_t first = from_keyframe ? store_of(history)->keyframe_bytes : 0;
    return (load_path){at, at, from_keyframe, cost + first};
}

/* Returns true if the change of each record from `slot` up to below `top` can be used. */
static bool
has_changes(const pqti_record *records, uint32_t slot, uint32_t top, bool backwards)
{
    for (; slot != top; slot = records[slot].parent)
        if (records[slot].encoding == PQTI_NO_CHANGE ||
            (backwards && records[slot].encoding != PQTI_REVERSIBLE))
            return false;
    return true;
}

/* Replaces the path if one from a loaded version is cheaper. */
static void
try_start(const pqt_history *history, uint32_t start, uint32_t slot, load_path *best)
{
    const pqti_record *records = history->records;
    if (start >= history->count || records[start].value == NULL)
        return;
    const uint32_t top = pqti_history_common(history, start, slot);
    const uint64_t cost =
        records[start].path_cost + records[slot].path_cost - 2 * records[top].path_cost;
    if (cost < best->cost && has_changes(records, start, top, true) &&
        has_changes(records, slot, top, false))
        *best = (load_path){start, top, false, cost};
}

static load_path
best_path(const pqt_history *history, uint32_t slot)
{
    load_path path = path_from_above(history, slot);
    try_start(history, history->current, slot, &path);
    try_start(history, store_of(history)->last_loaded, slot, &path);
    return path;
}

/* Reads the change of a record, in one direction. */
static bool
read_change(const pqt_history *history, uint32_t slot, bool backwards, pqti_changes *changes,
            pqt_error *error)
{
    const uint64_t number = history->records[slot].number;
    pqti_byte_source source;
    pqt_fingerprint fingerprint;
    pqt_error failure = {0};
    if (!pqti_read_change(store_of(history), number, &source, &fingerprint, error))
        return false;
    const bool done = pqti_change_read(changes, &source, backwards, &failure);
    pqti_change_end(store_of(history));
    if (done)
        return true;
    if (failure.status == PQT_ERROR_FORMAT)
        return pqti_entry_fault(number, failure.text, error);
    pqti_error_set(error, failure.status, failure.index, "%s", failure.text);
    return false;
}

/* Reads the changes from `top`, the ancestor, down to `slot`. */
static bool
read_downwards(const pqt_history *history, uint32_t slot, uint32_t top, pqti_changes *changes,
               pqt_error *error)
{
    const pqti_record *records = history->records;
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
        done = read_change(history, slots[i], false, changes, error);
    pqti_free_scratch(slots);
    return done;
}

/* Applies the changes on a path to the version at its start. */
static const void *
follow_path(const pqt_history *history, const load_path *path, uint32_t slot, const void *start,
            pqt_error *error)
{
    pqti_changes changes;
    const pqti_record *records = history->records;
    pqti_changes_begin(&changes, store_of(history)->kind, start, history->memory);
    bool done = true;
    for (uint32_t at = path->start; at != path->top && done; at = records[at].parent)
        done = read_change(history, at, true, &changes, error);
    done = done && read_downwards(history, slot, path->top, &changes, error);
    const void *version = done ? pqti_changes_apply(&changes, start, error) : NULL;
    pqti_changes_free(&changes);
    return version;
}

/* Returns true if a version has the fingerprint of its entry. */
static bool
check_fingerprint(const pqt_history *history, uint32_t slot, const void *version, pqt_error *error)
{
    const uint64_t number = history->records[slot].number;
    pqti_byte_source unused;
    pqt_fingerprint wanted;
    pqt_store *store = store_of(history);
    if (!pqti_read_change(store, number, &unused, &wanted, error))
        return false;
    store->counts.changes_read -= unused.bytes != NULL;
    pqti_change_end(store);
    return pqt_fingerprint_equals(wanted, pqt_version_fingerprint(store->kind, version)) ||
           pqti_entry_fault(number, "its changes make a different version", error);
}

/* Makes the version of a record along a path. */
static const void *
make_version(const pqt_history *history, const load_path *path, uint32_t slot, size_t *bytes,
             pqt_error *error)
{
    const pqti_record *first = &history->records[path->start];
    const void *start = path->from_keyframe ? pqti_read_keyframe(store_of(history), first->number,
                                                                 history->memory, error)
                                            : first->value;
    if (start == NULL)
        return NULL;
    const void *version =
        path->start == slot ? start : follow_path(history, path, slot, start, error);
    if (version == NULL || !check_fingerprint(history, slot, version, error) ||
        !pqti_history_exclusive_bytes(history, version, &start, path->from_keyframe ? 0 : 1, bytes,
                                      error))
        return NULL;
    return version;
}

/* If damage on the path may explain a failure, the error names the requested entry. */
static void
report(pqt_store *store, const pqti_record *record, const pqt_error *failure, pqt_error *error)
{
    if (failure->status == PQT_ERROR_MEMORY || failure->status == PQT_ERROR_STREAM ||
        failure->status == PQT_ERROR_FORMAT || failure->status == PQT_ERROR_THREAD)
        pqti_error_set(error, failure->status, failure->index, "%s", failure->text);
    else
        pqti_entry_fault(record->number, failure->text, error);
    if (error == NULL)
        pqti_store_keep_failure(store, failure);
}

const void *
pqti_store_load(pqt_history *history, uint32_t slot, pqt_error *error)
{
    pqt_store *store = store_of(history);
    pqt_error failure = {0};
    size_t bytes = 0;
    if (!pqti_scope_begin(history->memory)) {
        pqti_out_of_memory(error);
        return NULL;
    }
    const load_path path = best_path(history, slot);
    const void *version = make_version(history, &path, slot, &bytes, &failure);
    if (version != NULL) {
        pqti_history_set_value(history, slot, version);
        store->counts.loads++;
        store->counts.loaded_bytes += bytes;
        store->last_loaded = slot;
    } else {
        report(store, &history->records[slot], &failure, error);
    }
    pqti_scope_end(history->memory);
    return version;
}

/* Returns true for the current version, and for the one that a cancelled group returns to. */
static bool
is_kept_loaded(const pqt_history *history, uint32_t slot)
{
    return history->records[slot].value == NULL || slot == history->current ||
           (history->group_depth > 0 && slot == history->group_start);
}

void
pqti_store_trim(pqt_history *history)
{
    pqt_store *store = store_of(history);
    size_t current = 0;
    if (store->counts.loaded_bytes <= store->trim_above ||
        !pqti_history_exclusive_bytes(history, history->records[history->current].value, NULL, 0,
                                      &current, NULL))
        return;
    for (uint32_t slot = 0; slot < history->count; slot++)
        if (!is_kept_loaded(history, slot))
            pqti_history_set_value(history, slot, NULL);
    store->counts.loaded_bytes = current;
    store->last_loaded = history->current;
    store->trim_above =
        store->options.max_loaded / 2 > current ? store->options.max_loaded : 2 * current;
}

bool
pqti_store_check_entry(pqt_history *history, uint32_t slot, pqt_error *error)
{
    pqt_store *store = store_of(history);
    const pqti_record *record = &history->records[slot];
    size_t bytes = 0;
    if (is_keyframe(record)) {
        const load_path whole = {slot, slot, true, 0};
        const void *version = make_version(history, &whole, slot, &bytes, error);
        if (version == NULL || !pqt_version_check(store->kind, version, error))
            return false;
    }
    if (record->encoding == PQTI_NO_CHANGE)
        return true;
    pqti_history_trim(history);
    if (pqti_history_load(history, record->parent, error) == NULL)
        return false;
    const load_path step = {record->parent, record->parent, false, 0};
    const void *version = make_version(history, &step, slot, &bytes, error);
    if (version != NULL && record->value == NULL) {
        pqti_history_set_value(history, slot, version);
        store->counts.loaded_bytes += bytes;
    }
    return version != NULL;
}
