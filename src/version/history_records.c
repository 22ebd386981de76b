/* SPDX-License-Identifier: MIT */
/*
 * history_records.c: the records of a history and their links.
 *
 * Invariants: slots are in the order of numbers; a parent has a lower slot than its children; the
 * children of a record are linked in the order of slots; the depth, rank and jump of a record are
 * computed from those of its parent (history_internal.h).
 */
#include "config.h"

#include "version/history_internal.h"

#include <string.h>

#include "base/error_internal.h"
#include "memory/kind_calls.h"

enum { FIRST_CAPACITY = 16 };

/* PQTI_NO_SLOT must not be a valid slot, and a count must fit in 32 bits. */
#define MOST_RECORDS (UINT32_MAX - 1)

pqt_history *
pqti_history_new(const pqt_history_kind *kind, const pqt_history_options *options,
                 pqt_memory *memory, pqt_error *error)
{
    pqt_history *history = pqti_alloc_scratch(1, sizeof *history);
    if (history == NULL) {
        pqti_out_of_memory(error);
        return NULL;
    }
    *history = (pqt_history){
        .self = history,
        .kind = *kind,
        .versions = pqti_kind_of_values(kind),
        .options = *options,
        .memory = memory,
        .first_droppable = PQTI_NO_SLOT,
    };
    return history;
}

bool
pqti_history_cannot_be_indexed(pqt_error *error)
{
    pqti_error_set(
        error, PQT_ERROR_OPTION, 0,
        "indexed: only a history of trees, or of documents with trees, can have an index");
    return false;
}

bool
pqti_history_make_index(pqt_history *history, const void *first, pqt_error *error)
{
    const pqti_index_calls *calls =
        history->versions == PQT_KIND_NONE ? NULL : pqti_calls_of_kind(history->versions)->index;
    if (calls == NULL)
        return pqti_history_cannot_be_indexed(error);
    history->index = calls->make(history, first, error);
    return history->index != NULL;
}

void
pqti_history_release(pqt_history *history)
{
    pqti_free_holder(history->memory, history->records);
    history->records = NULL;
    if (history->index != NULL)
        history->index->calls->destroy(history->index);
    history->index = NULL;
}

void
pqti_history_free(pqt_history *history)
{
    if (history->backing != NULL)
        history->backing->detach(history);
    pqti_history_release(history);
    pqti_free_scratch(history);
}

static void
hold_text(const char *text, pqti_marker *marker)
{
    if (text != NULL && text[0] != '\0') /* the empty string is a constant, not allocated */
        pqti_mark(marker, text);
}

static void
hold_version(const void *version, void *marker)
{
    pqti_mark(marker, version);
}

static void
trace_record(const pqt_history *history, const pqti_record *record, pqti_marker *marker)
{
    if (record->value != NULL)
        history->kind.trace(record->value, hold_version, marker, history->kind.context);
    hold_text(record->label, marker);
    hold_text(record->name, marker);
}

static bool
trace_records(pqti_roots roots, size_t *next, size_t most, pqti_marker *marker)
{
    const pqti_record *records = roots.block;
    const size_t count = roots.size / sizeof *records;
    for (; most > 0 && *next < count; most--)
        trace_record(roots.context, &records[(*next)++], marker);
    return *next == count;
}

/* Returns a zeroed array whose records keep their values, labels and names alive. Returns NULL when
   out of memory. */
static pqti_record *
alloc_records(const pqt_history *history, size_t count)
{
    return pqti_alloc_holder(history->memory, count * sizeof(pqti_record), trace_records,
                             history->self);
}

static void
add_root(const void *version, void *memory)
{
    pqti_root_added(memory, version);
}

static void
remove_root(const void *version, void *memory)
{
    pqti_root_removed(memory, version);
}

void
pqti_history_record_added(const pqt_history *history, const pqti_record *record)
{
    if (history->memory->calls->reclaiming == NULL)
        return;
    if (record->value != NULL)
        history->kind.trace(record->value, add_root, history->memory, history->kind.context);
    if (record->label[0] != '\0')
        pqti_root_added(history->memory, record->label);
    if (record->name != NULL && record->name[0] != '\0')
        pqti_root_added(history->memory, record->name);
}

void
pqti_history_record_removed(const pqt_history *history, const pqti_record *record)
{
    if (history->memory->calls->reclaiming == NULL)
        return;
    if (record->value != NULL)
        history->kind.trace(record->value, remove_root, history->memory, history->kind.context);
    if (record->label != NULL && record->label[0] != '\0')
        pqti_root_removed(history->memory, record->label);
    if (record->name != NULL && record->name[0] != '\0')
        pqti_root_removed(history->memory, record->name);
}

const void *
pqti_history_load(const pqt_history *history, uint32_t slot, pqt_error *error)
{
    const void *value = history->records[slot].value;
    if (value == NULL && history->backing != NULL)
        value = history->backing->load(history->self, slot, error);
    return value;
}

void
pqti_history_trim(const pqt_history *history)
{
    if (history->backing != NULL)
        history->backing->trim(history->self);
}

void
pqti_history_set_value(pqt_history *history, uint32_t slot, const void *value)
{
    pqti_lock_roots(history->memory);
    pqti_history_record_removed(history, &history->records[slot]);
    history->records[slot].value = value;
    pqti_history_record_added(history, &history->records[slot]);
    pqti_unlock_roots(history->memory);
}

void
pqti_history_state_changed(pqt_history *history, uint32_t slot, uint32_t top)
{
    if (history->backing != NULL)
        history->backing->state_changed(history, slot, top);
}

bool
pqti_history_resize(pqt_history *history, uint32_t capacity)
{
    const size_t size = sizeof *history->records;
    pqti_record *records = capacity <= SIZE_MAX / size ? alloc_records(history, capacity) : NULL;
    if (records == NULL)
        return false;
    pqti_lock_roots(history->memory);
    if (history->count > 0)
        memcpy(records, history->records, history->count * size);
    pqti_unlock_roots(history->memory);
    pqti_free_copied_holder(history->memory, history->records);
    history->records = records;
    history->capacity = capacity;
    return true;
}

bool
pqti_history_reserve(pqt_history *history, pqt_error *error)
{
    if (history->count < history->capacity)
        return true;
    if (history->count >= MOST_RECORDS) {
        pqti_error_set(error, PQT_ERROR_LIMIT, 0, "history: it has %zu entries, which is the limit",
                       (size_t)history->count);
        return false;
    }
    const uint32_t half = history->capacity / 2 + FIRST_CAPACITY;
    const uint32_t left = MOST_RECORDS - history->capacity;
    if (pqti_history_resize(history, history->capacity + (half < left ? half : left)))
        return true;
    pqti_out_of_memory(error);
    return false;
}

/* Sets the jump and the rank of a record from its parent; see history_internal.h. */
static void
set_jump(const pqti_record *records, pqti_record *record)
{
    uint32_t past = record->parent;
    const uint32_t rank = records[past].rank;
    int equal = 0;
    for (; equal < PQTI_INDEX_BRANCHES && past != 0 && records[past].rank == rank; equal++)
        past = records[past].jump;
    record->rank = equal == PQTI_INDEX_BRANCHES ? rank + 1 : 0;
    record->jump = equal == PQTI_INDEX_BRANCHES ? past : record->parent;
}

uint32_t
pqti_history_append(pqt_history *history, const pqti_record *added)
{
    PQT_INVARIANT(history->count < history->capacity, "no capacity was reserved for a record");
    pqti_record *records = history->records, record = *added;
    const uint32_t slot = history->count++;
    record.first = record.last = record.previous = record.next = record.redo = PQTI_NO_SLOT;
    PQT_INVARIANT(slot == 0 || (record.parent < slot && records[slot - 1].number < record.number),
                  "a record precedes its parent, or numbers do not increase");
    record.depth = record.rank = 0;
    record.is_droppable = record.is_dropped = false;
    if (slot == 0) {
        record.parent = record.jump = 0;
    } else {
        pqti_record *parent = &records[record.parent];
        record.depth = parent->depth + 1;
        set_jump(records, &record);
        record.previous = parent->last;
        if (parent->first == PQTI_NO_SLOT)
            parent->first = slot;
        else
            records[parent->last].next = slot;
        parent->last = slot;
    }
    pqti_lock_roots(history->memory);
    records[slot] = record;
    pqti_history_record_added(history, &record);
    pqti_unlock_roots(history->memory);
    history->bytes += record.added;
    return slot;
}

void
pqti_history_unchain_last(pqti_record *records, pqti_record *parent)
{
    PQT_INVARIANT(parent->last != PQTI_NO_SLOT, "the record has no child");
    const uint32_t before = records[parent->last].previous;
    parent->last = before;
    if (before == PQTI_NO_SLOT)
        parent->first = PQTI_NO_SLOT;
    else
        records[before].next = PQTI_NO_SLOT;
}

void
pqti_history_pop(pqt_history *history)
{
    const uint32_t slot = history->count - 1;
    const pqti_record *record = &history->records[slot];
    PQT_INVARIANT(slot > 0 && slot != history->current && record->first == PQTI_NO_SLOT,
                  "the record to remove is current or has children");
    pqti_record *parent = &history->records[record->parent];
    pqti_history_unchain_last(history->records, parent);
    if (parent->redo == slot)
        parent->redo = parent->last;
    history->bytes -= record->added;
    pqti_history_unlink_droppable(history, slot);
    pqti_lock_roots(history->memory);
    pqti_history_record_removed(history, &history->records[slot]);
    history->records[slot] = (pqti_record){0};
    pqti_unlock_roots(history->memory);
    history->count--;
}

bool
pqti_history_is_protected(const pqt_history *history, uint32_t slot)
{
    return slot == 0 || slot == history->saved ||
           (history->group_depth > 0 && slot == history->group_start) ||
           history->records[slot].name != NULL;
}

static void
link_droppable(pqt_history *history, uint32_t slot)
{
    pqti_record *record = &history->records[slot];
    record->is_droppable = true;
    record->droppable_previous = PQTI_NO_SLOT;
    record->droppable_next = history->first_droppable;
    if (record->droppable_next != PQTI_NO_SLOT)
        history->records[record->droppable_next].droppable_previous = slot;
    history->first_droppable = slot;
}

void
pqti_history_unlink_droppable(pqt_history *history, uint32_t slot)
{
    pqti_record *record = &history->records[slot];
    if (!record->is_droppable)
        return;
    const uint32_t previous = record->droppable_previous, next = record->droppable_next;
    record->is_droppable = false;
    if (previous == PQTI_NO_SLOT)
        history->first_droppable = next;
    else
        history->records[previous].droppable_next = next;
    if (next != PQTI_NO_SLOT)
        history->records[next].droppable_previous = previous;
}

void
pqti_history_update_droppable(pqt_history *history, uint32_t slot)
{
    const bool is_protected = pqti_history_is_protected(history, slot);
    if (is_protected)
        pqti_history_unlink_droppable(history, slot);
    else if (!history->records[slot].is_droppable)
        link_droppable(history, slot);
}

uint32_t
pqti_history_slot(const pqt_history *history, uint64_t number)
{
    uint32_t low = 0, high = history->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (history->records[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < history->count && history->records[low].number == number ? low : PQTI_NO_SLOT;
}

uint32_t
pqti_history_require_slot(const pqt_history *history, uint64_t number, pqt_error *error)
{
    const uint32_t slot = pqti_history_slot(history, number);
    if (slot == PQTI_NO_SLOT)
        pqti_error_set(error, PQT_ERROR_MISMATCH, 0,
                       "entry %llu: the history has no entry with this number",
                       (unsigned long long)number);
    return slot;
}

uint32_t
pqti_history_ancestor(const pqt_history *history, uint32_t slot, uint32_t depth)
{
    const pqti_record *records = history->records;
    PQT_INVARIANT(depth <= records[slot].depth, "an ancestor is not deeper");
    while (records[slot].depth > depth) {
        const uint32_t jump = records[slot].jump;
        slot = records[jump].depth >= depth ? jump : records[slot].parent;
    }
    return slot;
}

uint32_t
pqti_history_common(const pqt_history *history, uint32_t a, uint32_t b)
{
    const pqti_record *records = history->records;
    if (records[a].depth > records[b].depth)
        a = pqti_history_ancestor(history, a, records[b].depth);
    else
        b = pqti_history_ancestor(history, b, records[a].depth);
    /* Records of equal depth have jumps of equal length, so both sides stay at equal depth. */
    while (a != b) {
        const bool apart = records[a].jump != records[b].jump;
        a = apart ? records[a].jump : records[a].parent;
        b = apart ? records[b].jump : records[b].parent;
    }
    return a;
}
