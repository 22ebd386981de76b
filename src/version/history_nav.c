/* SPDX-License-Identifier: MIT */
/*
 * history_nav.c: undoes, redoes and checks out entries, and reads and visits them.
 *
 * Invariant: the redo links from the root lead to the current record, and perhaps beyond it.
 */
#include "config.h"

#include "version/history_internal.h"

#include "base/error_internal.h"

/* Returns the record to which undo leads, or PQTI_NO_SLOT if there is none. */
static uint32_t
undo_slot(const pqt_history *history)
{
    if (history->group_depth > 0 || history->current == 0)
        return PQTI_NO_SLOT;
    return history->records[history->current].parent;
}

/* Returns the record to which redo leads, or PQTI_NO_SLOT if there is none. */
static uint32_t
redo_slot(const pqt_history *history)
{
    return history->group_depth > 0 ? PQTI_NO_SLOT : history->records[history->current].redo;
}

/* Makes a record current. `top` is its nearest ancestor on the path of the redo links. */
static void
make_current(pqt_history *history, uint32_t slot, uint32_t top)
{
    history->current = slot;
    history->coalescing_ended = true;
    pqti_history_state_changed(history, slot, top);
}

/* Makes the record to which undo or redo leads current. Returns false if `slot` is PQTI_NO_SLOT. */
static bool
go_to(pqt_history *history, uint32_t slot)
{
    pqti_history_trim(history);
    if (slot == PQTI_NO_SLOT || pqti_history_load(history, slot, NULL) == NULL)
        return false;
    make_current(history, slot, slot);
    return true;
}

bool
pqt_history_undo(pqt_history *history)
{
    PQTI_ASSERT_HISTORY(history);
    return go_to(history, undo_slot(history));
}

bool
pqt_history_redo(pqt_history *history)
{
    PQTI_ASSERT_HISTORY(history);
    return go_to(history, redo_slot(history));
}

bool
pqt_history_checkout(pqt_history *history, uint64_t entry, pqt_error *error)
{
    PQTI_ASSERT_HISTORY(history);
    if (history->group_depth > 0) {
        pqti_error_set(error, PQT_ERROR_MISMATCH, 0,
                       "entry %llu: checkout is not possible while a group is open",
                       (unsigned long long)entry);
        return false;
    }
    const uint32_t slot = pqti_history_require_slot(history, entry, error);
    pqti_history_trim(history);
    if (slot == PQTI_NO_SLOT || pqti_history_load(history, slot, error) == NULL)
        return false;
    const uint32_t common = pqti_history_common(history, history->current, slot);
    for (uint32_t at = slot; at != common; at = history->records[at].parent) {
        pqti_record *parent = &history->records[history->records[at].parent];
        parent->redo_changed |= parent->redo != at;
        parent->redo = at;
    }
    make_current(history, slot, common);
    return true;
}

const char *
pqt_history_undo_label(const pqt_history *history)
{
    PQTI_ASSERT_HISTORY(history);
    return undo_slot(history) == PQTI_NO_SLOT ? NULL : history->records[history->current].label;
}

const char *
pqt_history_redo_label(const pqt_history *history)
{
    PQTI_ASSERT_HISTORY(history);
    const uint32_t slot = redo_slot(history);
    return slot == PQTI_NO_SLOT ? NULL : history->records[slot].label;
}

const void *
pqt_history_value(const pqt_history *history)
{
    PQTI_ASSERT_HISTORY(history);
    return history->records[history->current].value;
}

uint64_t
pqt_history_current(const pqt_history *history)
{
    PQTI_ASSERT_HISTORY(history);
    return history->records[history->current].number;
}

static pqt_history_entry
entry_info_of(const pqt_history *history, uint32_t slot)
{
    const pqti_record *records = history->records, *record = &records[slot];
    const pqti_record *current = &records[history->current];
    pqt_history_entry entry = {
        .number = record->number,
        .parent = records[record->parent].number,
        .depth = record->depth,
        .label = record->label,
        .name = record->name,
        .time = record->time,
        .value = record->value,
        .added = record->added,
        .is_current = slot == history->current,
        .is_saved = slot == history->saved,
    };
    entry.is_on_path = record->depth <= current->depth &&
                       pqti_history_ancestor(history, history->current, record->depth) == slot;
    for (uint32_t child = record->first; child != PQTI_NO_SLOT; child = records[child].next)
        entry.children++;
    return entry;
}

bool
pqt_history_get_entry(const pqt_history *history, uint64_t number, pqt_history_entry *entry)
{
    PQTI_ASSERT_HISTORY(history);
    PQT_ASSERT(entry != NULL, "entry is NULL");
    const uint32_t slot = pqti_history_slot(history, number);
    if (slot == PQTI_NO_SLOT)
        return false;
    *entry = entry_info_of(history, slot);
    return true;
}

const void *
pqt_history_value_of(const pqt_history *history, uint64_t entry)
{
    PQTI_ASSERT_HISTORY(history);
    const uint32_t slot = pqti_history_slot(history, entry);
    pqti_history_trim(history);
    return slot == PQTI_NO_SLOT ? NULL : pqti_history_load(history, slot, NULL);
}

/* Returns the successor of a record in preorder, or PQTI_NO_SLOT after the last one. */
static uint32_t
next_in_preorder(const pqti_record *records, uint32_t slot)
{
    if (records[slot].first != PQTI_NO_SLOT)
        return records[slot].first;
    while (slot != 0 && records[slot].next == PQTI_NO_SLOT)
        slot = records[slot].parent;
    return slot == 0 ? PQTI_NO_SLOT : records[slot].next;
}

bool
pqt_history_visit(const pqt_history *history, pqt_visit_entry_fn *visit, void *context)
{
    PQTI_ASSERT_HISTORY(history);
    PQT_ASSERT(visit != NULL, "the visitor is NULL");
    uint32_t slot = 0;
    for (; slot != PQTI_NO_SLOT; slot = next_in_preorder(history->records, slot)) {
        const pqt_history_entry entry = entry_info_of(history, slot);
        if (!visit(&entry, context))
            return false;
    }
    return true;
}

bool
pqt_history_visit_branches(const pqt_history *history, pqt_visit_entry_fn *visit, void *context)
{
    PQTI_ASSERT_HISTORY(history);
    PQT_ASSERT(visit != NULL, "the visitor is NULL");
    for (uint32_t slot = 0; slot < history->count; slot++) {
        if (history->records[slot].first != PQTI_NO_SLOT)
            continue;
        const pqt_history_entry entry = entry_info_of(history, slot);
        if (!visit(&entry, context))
            return false;
    }
    return true;
}

bool
pqt_history_visit_path(const pqt_history *history, uint64_t from, uint64_t to,
                       pqt_visit_entry_fn *visit, void *context)
{
    PQTI_ASSERT_HISTORY(history);
    PQT_ASSERT(visit != NULL, "the visitor is NULL");
    const uint32_t start = pqti_history_slot(history, from);
    const uint32_t end = pqti_history_slot(history, to);
    if (start == PQTI_NO_SLOT || end == PQTI_NO_SLOT)
        return false;
    const pqti_record *records = history->records;
    const uint32_t top = records[pqti_history_common(history, start, end)].depth;
    const uint32_t up = records[start].depth - top, down = records[end].depth - top;
    for (uint64_t i = 0; i <= (uint64_t)up + down; i++) {
        const uint32_t slot =
            i <= up ? pqti_history_ancestor(history, start, records[start].depth - (uint32_t)i)
                    : pqti_history_ancestor(history, end, top + (uint32_t)(i - up));
        const pqt_history_entry entry = entry_info_of(history, slot);
        if (!visit(&entry, context))
            return false;
    }
    return true;
}

bool
pqt_history_common_ancestor(const pqt_history *history, uint64_t a, uint64_t b, uint64_t *entry)
{
    PQTI_ASSERT_HISTORY(history);
    PQT_ASSERT(entry != NULL, "entry is NULL");
    const uint32_t slot_a = pqti_history_slot(history, a), slot_b = pqti_history_slot(history, b);
    if (slot_a == PQTI_NO_SLOT || slot_b == PQTI_NO_SLOT)
        return false;
    *entry = history->records[pqti_history_common(history, slot_a, slot_b)].number;
    return true;
}

bool
pqt_history_entry_at(const pqt_history *history, uint64_t tip, double time, uint64_t *entry)
{
    PQTI_ASSERT_HISTORY(history);
    PQT_ASSERT(entry != NULL, "entry is NULL");
    const pqti_record *records = history->records;
    uint32_t slot = pqti_history_slot(history, tip);
    if (slot == PQTI_NO_SLOT || !(records[0].time <= time))
        return false;
    while (records[slot].time > time) {
        const uint32_t jump = records[slot].jump;
        slot = records[jump].time > time ? jump : records[slot].parent;
    }
    *entry = records[slot].number;
    return true;
}
