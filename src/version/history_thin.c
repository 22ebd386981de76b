/* SPDX-License-Identifier: MIT */
/*
 * history_thin.c - dropping entries: one, a branch, or the more the older they are.
 *
 * What is dropped is decided first, a flag for each slot. Then the history is written anew beside
 * itself, and takes the place of the old one when all has gone well. What followed a dropped record
 * follows the nearest kept one above it.
 */
#include "config.h"

#include "version/history_internal.h"

#include "base/error_internal.h"

static bool
is_always_kept(const pqt_history *history, uint32_t slot)
{
    return slot == 0 || slot == history->current || slot == history->saved ||
           (history->group_depth > 0 && slot == history->group_start) ||
           history->records[slot].name != NULL;
}

/* Where a slot goes: to its new one or, for a dropped one, to that of the nearest kept above it. */
typedef struct moving {
    const pqt_history *from;
    const bool *kept;
    uint32_t *to;
} moving;

/* A record after the dropped ones above it are gone, its links not set. */
static bool
moved_record(const moving *m, uint32_t slot, pqti_record *record, pqt_error *error)
{
    const pqti_record *old = m->from->records;
    *record = old[slot];
    record->summary = NULL;
    record->parent = m->to[old[slot].parent];
    if (slot == 0 || m->kept[old[slot].parent])
        return true;
    uint32_t above = old[slot].parent;
    while (!m->kept[above])
        above = old[above].parent;
    return pqti_history_exclusive_bytes(m->from, record->value, &old[above].value, 1,
                                        &record->added, error);
}

static bool
move_records(const moving *m, pqt_history *next, pqt_error *error)
{
    for (uint32_t slot = 0; slot < m->from->count; slot++) {
        pqti_record record;
        if (!m->kept[slot]) {
            m->to[slot] = m->to[m->from->records[slot].parent];
            continue;
        }
        if (!moved_record(m, slot, &record, error))
            return false;
        m->to[slot] = pqti_history_append(next, record);
    }
    return true;
}

/* What redo leads to: the nearest kept record on the way that it led, or else the newest child. */
static void
move_redo_links(const moving *m, pqt_history *next)
{
    const pqti_record *old = m->from->records;
    for (uint32_t slot = 0; slot < m->from->count; slot++) {
        if (!m->kept[slot])
            continue;
        uint32_t redo = old[slot].redo;
        while (redo != PQTI_NO_SLOT && !m->kept[redo])
            redo = old[redo].redo;
        pqti_record *record = &next->records[m->to[slot]];
        record->redo = redo != PQTI_NO_SLOT ? m->to[redo] : record->last;
    }
}

static bool
move_index(pqt_history *next, pqt_error *error)
{
    if (!next->options.indexed)
        return true;
    if (!pqti_index_make(next, next->records[0].value, error))
        return false;
    for (uint32_t slot = 0; slot < next->count; slot++)
        if (next->records[slot].first != PQTI_NO_SLOT && !pqti_index_seal(next, slot, error))
            return false;
    return true;
}

static bool
move_all(const moving *m, pqt_history *next, pqt_error *error)
{
    if (!move_records(m, next, error) || !move_index(next, error))
        return false;
    move_redo_links(m, next);
    next->current = m->to[m->from->current];
    next->saved = m->to[m->from->saved];
    next->group_start = m->to[m->from->group_start];
    return true;
}

/* Room for what is kept, and a quarter more; false with an error told. */
static bool
alloc_kept_records(pqt_history *next, const bool *kept, uint32_t count, pqt_error *error)
{
    uint32_t left = 0;
    for (uint32_t slot = 0; slot < count; slot++)
        left += kept[slot];
    left += left / 4 < UINT32_MAX - 2 - left ? left / 4 + 1 : 0;
    next->records = pqti_pin_block(next->memory, left * sizeof *next->records);
    next->capacity = next->records == NULL ? 0 : left;
    if (next->records == NULL)
        pqti_out_of_memory(error);
    return next->records != NULL;
}

/* Drops what is not kept; false with an error told, and nothing changed. */
static bool
drop_others(pqt_history *history, const bool *kept, pqt_error *error)
{
    pqt_history next = *history;
    next.count = 0;
    next.bytes = 0;
    next.records = NULL;
    next.index = NULL;
    moving m = {history, kept, pqti_alloc_scratch(history->count, sizeof *m.to)};
    if (m.to == NULL)
        pqti_out_of_memory(error);
    const bool done = m.to != NULL && alloc_kept_records(&next, kept, history->count, error) &&
                      move_all(&m, &next, error);
    pqti_free_scratch(m.to);
    pqti_history_release(done ? history : &next);
    if (done)
        *history = next;
    return done;
}

/* A flag for each slot, all set; NULL with an error told. */
static bool *
make_flags(const pqt_history *history, pqt_error *error)
{
    bool *kept = pqti_alloc_scratch(history->count, sizeof *kept);
    if (kept == NULL)
        pqti_out_of_memory(error);
    for (uint32_t slot = 0; kept != NULL && slot < history->count; slot++)
        kept[slot] = true;
    return kept;
}

/* Whether a number of an age is kept: of ages below recent x 2^g, the multiples of 2^g. */
static bool
entry_outlives(uint64_t number, uint64_t age, size_t recent)
{
    uint64_t below = recent, step = 1;
    while (below > 0 && age >= below && below <= UINT64_MAX / 2) {
        below *= 2;
        step *= 2;
    }
    return below > 0 && number % step == 0;
}

/* Sets the flags of what thinning keeps; returns how many entries that are. */
static size_t
choose_entries_to_drop(const pqt_history *history, size_t recent, bool *kept)
{
    size_t count = 0;
    for (uint32_t slot = 0; slot < history->count; slot++) {
        const uint64_t number = history->records[slot].number;
        kept[slot] = is_always_kept(history, slot) ||
                     entry_outlives(number, history->next_number - 1 - number, recent);
        count += kept[slot];
    }
    return count;
}

bool
pqt_history_thin(pqt_history *history, size_t recent, pqt_error *error)
{
    PQTI_ASSERT_HISTORY(history);
    bool *kept = pqti_error_is_set(error) ? NULL : make_flags(history, error);
    if (kept == NULL)
        return false;
    const bool done = choose_entries_to_drop(history, recent, kept) == history->count ||
                      drop_others(history, kept, error);
    pqti_free_scratch(kept);
    return done;
}

static bool
exceeds_limits(size_t limit, size_t value)
{
    return limit != 0 && value > limit;
}

/* What a thinning for a limit leaves: three quarters of it, not counting what cannot be dropped. */
static size_t
goal_of(size_t limit, size_t fixed)
{
    return limit <= fixed ? limit : limit - (limit - fixed) / 4;
}

/*
 * Down to three quarters, so that the next thinning is far away: each costs a copy of all records,
 * which a quarter of the limit's pushes share.
 */
void
pqti_history_enforce(pqt_history *history)
{
    const size_t most_entries = history->options.max_entries;
    const size_t most_bytes = history->options.max_bytes;
    if (!exceeds_limits(most_entries, history->count) &&
        !exceeds_limits(most_bytes, pqti_history_limited_bytes(history)))
        return;
    const size_t entries = goal_of(most_entries, 0);
    const size_t bytes = goal_of(most_bytes, history->records[0].added);
    bool *kept = make_flags(history, NULL);
    size_t recent = history->count;
    bool go_on = kept != NULL;
    while (go_on && recent > 0) {
        recent /= 2;
        const size_t left = choose_entries_to_drop(history, recent, kept);
        if (recent > 0 && exceeds_limits(entries, left))
            continue;
        go_on = (left == history->count || drop_others(history, kept, NULL)) &&
                exceeds_limits(bytes, pqti_history_limited_bytes(history));
    }
    pqti_free_scratch(kept);
}

bool
pqt_history_drop(pqt_history *history, uint64_t entry, pqt_error *error)
{
    PQTI_ASSERT_HISTORY(history);
    if (pqti_error_is_set(error))
        return false;
    const uint32_t slot = pqti_history_must_slot(history, entry, error);
    if (slot == PQTI_NO_SLOT)
        return false;
    if (is_always_kept(history, slot)) {
        pqti_error_set(error, PQT_ERROR_MISMATCH, 0, "entry %llu: it is kept, being %s",
                       (unsigned long long)entry,
                       slot == 0                             ? "the first"
                       : slot == history->current            ? "current"
                       : slot == history->saved              ? "saved"
                       : history->records[slot].name != NULL ? "named"
                                                             : "where a group began");
        return false;
    }
    bool *kept = make_flags(history, error);
    if (kept == NULL)
        return false;
    kept[slot] = false;
    const bool done = drop_others(history, kept, error);
    pqti_free_scratch(kept);
    return done;
}

bool
pqt_history_drop_branch(pqt_history *history, uint64_t entry, pqt_error *error)
{
    PQTI_ASSERT_HISTORY(history);
    if (pqti_error_is_set(error))
        return false;
    const uint32_t top = pqti_history_must_slot(history, entry, error);
    bool *kept = top == PQTI_NO_SLOT ? NULL : make_flags(history, error);
    if (kept == NULL)
        return false;
    const uint32_t depth = history->records[top].depth;
    for (uint32_t slot = top; slot < history->count; slot++)
        if (history->records[slot].depth >= depth &&
            pqti_history_ancestor(history, slot, depth) == top)
            kept[slot] = is_always_kept(history, slot);
    const bool done = drop_others(history, kept, error);
    pqti_free_scratch(kept);
    return done;
}
