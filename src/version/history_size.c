/* SPDX-License-Identifier: MIT */
/*
 * history_size.c: counts the bytes that a history takes.
 *
 * If each version is made from the previous one, the entries that share a block form a connected
 * part of the history, because path copying does not move blocks. So the sum of the bytes that each
 * entry does not share with its parent counts every block once.
 *
 * Dropping an entry with several children may divide such a part. Then the children that share a
 * block of the dropped entry are siblings, and each of them counts the block. So the sum is never
 * too small.
 */
#include "config.h"

#include <string.h>

#include <pqt/history.h>

#include "base/error_internal.h"
#include "memory/kind_calls.h"
#include "version/history_internal.h"

bool
pqti_history_exclusive_bytes(const pqt_history *history, const void *value,
                             const void *const *others, size_t count, size_t *bytes,
                             pqt_error *error)
{
    *bytes = 0;
    if (history->kind.bytes == NULL ||
        history->kind.bytes(value, others, count, bytes, history->kind.context))
        return true;
    if (history->versions != PQT_KIND_NONE)
        return pqti_bytes_failed(error);
    pqti_error_set(error, PQT_ERROR_CALLBACK, 0, "%s: the `bytes` function of the kind failed",
                   history->kind.name);
    return false;
}

size_t
pqti_history_index_bytes(const pqt_history *history)
{
    return history->index == NULL ? 0 : history->index->calls->bytes(history->index);
}

/* Does not count the index in a store: a query makes it larger, which must not make the next push
   drop entries. */
size_t
pqti_history_limited_bytes(const pqt_history *history)
{
    return history->bytes + (history->backing == NULL ? pqti_history_index_bytes(history) : 0);
}

/* Returns the size of a string in a leaf of its own. Returns 0 for a constant or a string that the
   parent shares. */
static size_t
text_bytes(const pqt_history *history, const char *text, const char *before)
{
    if (text == NULL || text == before || *text == '\0')
        return 0;
    const size_t asked = pqti_rounded(strlen(text) + 1);
    return pqti_block_size(history->memory, text, asked);
}

pqt_history_stats
pqt_history_get_stats(const pqt_history *history)
{
    PQTI_ASSERT_HISTORY(history);
    const pqti_record *records = history->records;
    pqt_history_stats stats = {
        .entries = history->count,
        .bytes = history->bytes,
        .index_bytes = pqti_history_index_bytes(history),
        .entry_bytes = sizeof *history + history->capacity * sizeof *records,
    };
    for (uint32_t slot = 0; slot < history->count; slot++) {
        const pqti_record *record = &records[slot];
        stats.branches += record->first == PQTI_NO_SLOT;
        stats.entry_bytes += text_bytes(history, record->label, records[record->parent].label) +
                             text_bytes(history, record->name, NULL);
    }
    return stats;
}

/* Returns the versions of a record's parent and children, in an array in scratch memory. Returns
   NULL and sets `error` on failure. */
static const void **
neighbours_of(const pqt_history *history, uint32_t slot, size_t *count, pqt_error *error)
{
    const pqti_record *records = history->records;
    size_t capacity = 1, found = 0;
    for (uint32_t child = records[slot].first; child != PQTI_NO_SLOT; child = records[child].next)
        capacity++;
    const void **values = pqti_alloc_scratch(capacity, sizeof *values);
    if (values == NULL) {
        pqti_out_of_memory(error);
        return NULL;
    }
    bool loaded = true;
    if (slot != 0)
        loaded =
            (values[found++] = pqti_history_load(history, records[slot].parent, error)) != NULL;
    for (uint32_t child = records[slot].first; loaded && child != PQTI_NO_SLOT;
         child = records[child].next)
        loaded = (values[found++] = pqti_history_load(history, child, error)) != NULL;
    *count = found;
    if (!loaded) {
        pqti_free_scratch(values);
        return NULL;
    }
    return values;
}

bool
pqt_history_get_bytes(const pqt_history *history, uint64_t entry, pqt_history_bytes *bytes,
                      pqt_error *error)
{
    PQTI_ASSERT_HISTORY(history);
    PQT_ASSERT(bytes != NULL, "bytes is NULL");
    const uint32_t slot = pqti_history_require_slot(history, entry, error);
    if (slot == PQTI_NO_SLOT)
        return false;
    const pqti_record *record = &history->records[slot];
    pqt_history_bytes result = {.added = record->added};
    size_t count = 0;
    const void **neighbours = neighbours_of(history, slot, &count, error);
    const void *value = neighbours == NULL ? NULL : pqti_history_load(history, slot, error);
    if (value == NULL) {
        pqti_free_scratch(neighbours);
        return false;
    }
    const bool done =
        pqti_history_exclusive_bytes(history, value, NULL, 0, &result.all, error) &&
        pqti_history_exclusive_bytes(history, value, neighbours, count, &result.freed, error);
    pqti_free_scratch(neighbours);
    PQT_INVARIANT(!done || result.freed <= result.all,
                  "dropping an entry frees more than its version takes");
    result.shared = result.all - result.freed;
    if (done)
        *bytes = result;
    return done;
}
