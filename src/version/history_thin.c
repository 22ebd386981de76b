/* SPDX-License-Identifier: MIT */
/*
 * history_thin.c - dropping entries: one, a branch, or the more the older they are.
 *
 * First a flag for each record says whether it is kept. Then a plan is made, which can fail. Then
 * the records from the first dropped one on are moved down within the array, and linked again:
 * depths and jumps change for what followed a dropped record, which always stands above it. What
 * followed a dropped record follows its nearest kept ancestor. An index depends on all records: it
 * is built anew, and the records with it, beside the old ones.
 *
 * The cost. Every record below `droppable_from` is always kept, and thinning does not look at it. A
 * record that ceases to be current, saved or named lowers that slot again.
 *
 *   - If what is always kept leaves a quarter of the limit free, thinning ends with that quarter
 *     free. It looks at n records for each of O(log n) values of `recent`, and a quarter of the
 *     limit's pushes share that.
 *   - Else thinning drops everything else, and all below the newest record is always kept then. The
 *     next thinning looks at what was pushed since, again for O(log n) values of `recent`.
 *   - If what is always kept fills the limit, each push would drop the record before it. The new
 *     record takes its slot at once, and thinning looks at no other.
 *
 * So a push costs O(log n) amortised, without an index. A record that was saved, and is dropped
 * when it is not any more, costs as much as was pushed since it was saved; one that loses its name
 * costs O(n), as setting a name does.
 */
#include "config.h"

#include "version/history_internal.h"

#include <string.h>

#include "base/error_internal.h"

/* Whether a record is kept even if it is not current. */
static bool
is_protected(const pqt_history *history, uint32_t slot)
{
    return slot == 0 || slot == history->saved ||
           (history->group_depth > 0 && slot == history->group_start) ||
           history->records[slot].name != NULL;
}

static bool
is_always_kept(const pqt_history *history, uint32_t slot)
{
    return slot == history->current || is_protected(history, slot);
}

void
pqti_history_unprotect(pqt_history *history, uint32_t slot)
{
    if (slot < history->droppable_from && !is_always_kept(history, slot))
        history->droppable_from = slot;
}

/* The first record that is not always kept; the count if there is none. */
static uint32_t
first_droppable(pqt_history *history)
{
    uint32_t slot = history->droppable_from;
    for (; slot < history->count && is_always_kept(history, slot); slot++)
        history->thinning_steps++;
    history->droppable_from = slot;
    return slot;
}

/* What becomes of a record. */
typedef struct relocation {
    uint32_t kept_above; /* the old slot of the nearest kept record above it, or its own */
    uint32_t to;         /* the new slot of that one */
    uint32_t redo;       /* the new slot of the nearest kept record that its redo links lead to */
    uint32_t led_from;   /* its parent, if that stays and its redo link leads here */
    size_t added;        /* of a kept one, its bytes beside its new parent */
} relocation;

/* Records from a slot on, of which some are dropped; all below are kept and stay where they are. */
typedef struct plan {
    const pqt_history *history;
    const bool *kept; /* a flag for each record from `from` on */
    uint32_t from, count;
    relocation *moves; /* as many as there are flags */
} plan;

static bool
is_kept(const plan *p, uint32_t slot)
{
    return slot < p->from || p->kept[slot - p->from];
}

static uint32_t
kept_above(const plan *p, uint32_t slot)
{
    return slot < p->from ? slot : p->moves[slot - p->from].kept_above;
}

static uint32_t
new_slot_of(const plan *p, uint32_t slot)
{
    return slot < p->from ? slot : p->moves[slot - p->from].to;
}

/* Parents stand below their children. */
static bool
plan_parents(const plan *p, pqt_error *error)
{
    const pqti_record *records = p->history->records;
    uint32_t next = p->from;
    for (uint32_t slot = p->from; slot < p->count; slot++) {
        const pqti_record *record = &records[slot];
        relocation *r = &p->moves[slot - p->from];
        const uint32_t above = slot == 0 ? 0 : kept_above(p, record->parent);
        const bool stays = is_kept(p, slot);
        r->kept_above = stays ? slot : above;
        r->to = stays ? next++ : new_slot_of(p, above);
        r->added = record->added;
        if (stays && above != record->parent &&
            !pqti_history_exclusive_bytes(p->history, record->value, &records[above].value, 1,
                                          &r->added, error))
            return false;
    }
    return true;
}

/* Redo links lead to children, which stand above. */
static void
plan_redo(const plan *p)
{
    for (uint32_t slot = p->count; slot-- > p->from;) {
        const pqti_record *record = &p->history->records[slot];
        const uint32_t redo = record->redo;
        relocation *r = &p->moves[slot - p->from];
        r->redo = PQTI_NO_SLOT;
        if (redo != PQTI_NO_SLOT)
            r->redo = is_kept(p, redo) ? new_slot_of(p, redo) : p->moves[redo - p->from].redo;
        const bool is_led_to =
            record->parent < p->from && p->history->records[record->parent].redo == slot;
        r->led_from = is_led_to ? record->parent : PQTI_NO_SLOT;
    }
}

/* False with an error told. What is lent is freed by the caller. */
static bool
make_plan(plan *p, pqt_error *error)
{
    p->moves = pqti_alloc_scratch(p->count - p->from, sizeof *p->moves);
    if (p->moves == NULL) {
        pqti_out_of_memory(error);
        return false;
    }
    if (!plan_parents(p, error))
        return false;
    plan_redo(p);
    return true;
}

/* The records of the plan are no children any more of those below. */
static void
cut_off(const plan *p, pqt_history *history)
{
    pqti_record *records = history->records;
    for (uint32_t slot = p->count; slot-- > p->from;) {
        history->bytes -= records[slot].added;
        if (records[slot].parent < p->from)
            pqti_history_unchain_last(records, &records[records[slot].parent]);
    }
    history->count = p->from;
}

/* The kept ones, appended to `next`: the same history, cut off, or one without records. */
static void
append_kept(const plan *p, pqt_history *next)
{
    const pqti_record *old = p->history->records;
    for (uint32_t slot = p->from; slot < p->count; slot++) {
        if (!is_kept(p, slot))
            continue;
        pqti_record record = old[slot];
        record.parent = new_slot_of(p, record.parent);
        record.added = p->moves[slot - p->from].added;
        record.summary = NULL;
        pqti_history_append(next, record);
    }
}

/* What redo leads to: the nearest kept record on the way that it led, or else the newest child. */
static void
set_redo(pqt_history *next, uint32_t slot, uint32_t redo)
{
    pqti_record *record = &next->records[slot];
    record->redo = redo != PQTI_NO_SLOT ? redo : record->last;
}

static void
set_links(const plan *p, pqt_history *next)
{
    for (uint32_t slot = p->from; slot < p->count; slot++) {
        const relocation *r = &p->moves[slot - p->from];
        const bool stays = r->kept_above == slot;
        if (stays)
            set_redo(next, r->to, r->redo);
        if (r->led_from != PQTI_NO_SLOT)
            set_redo(next, r->led_from, stays ? r->to : r->redo);
    }
    next->current = new_slot_of(p, next->current);
    next->saved = new_slot_of(p, next->saved);
    next->group_start = next->group_depth > 0 ? new_slot_of(p, next->group_start) : 0;
}

/* Room for what is kept, and a quarter more. */
static uint32_t
capacity_for(uint32_t kept)
{
    return kept / 4 < UINT32_MAX - 2 - kept ? kept + kept / 4 + 1 : kept;
}

static void
drop_in_place(const plan *p, pqt_history *history)
{
    cut_off(p, history);
    append_kept(p, history);
    memset(&history->records[history->count], 0,
           (p->count - history->count) * sizeof *history->records);
    set_links(p, history);
    if (history->capacity / 2 > capacity_for(history->count))
        (void)pqti_history_resize(history, capacity_for(history->count));
}

static bool
make_index(pqt_history *next, pqt_error *error)
{
    if (!pqti_index_make(next, next->records[0].value, error))
        return false;
    for (uint32_t slot = 0; slot < next->count; slot++)
        if (next->records[slot].first != PQTI_NO_SLOT && !pqti_index_seal(next, slot, error))
            return false;
    return true;
}

static bool
alloc_kept_records(pqt_history *next, uint32_t capacity, pqt_error *error)
{
    if (pqti_history_resize(next, capacity))
        return true;
    pqti_out_of_memory(error);
    return false;
}

/* With an index; false with an error told, and nothing changed. */
static bool
drop_beside(const plan *p, pqt_history *history, pqt_error *error)
{
    pqt_history next = *history;
    next.count = next.capacity = 0;
    next.bytes = 0;
    next.records = NULL;
    next.index = NULL;
    uint32_t kept = 0;
    for (uint32_t slot = 0; slot < p->count; slot++)
        kept += is_kept(p, slot);
    bool done = alloc_kept_records(&next, capacity_for(kept), error);
    if (done) {
        append_kept(p, &next);
        set_links(p, &next);
        done = make_index(&next, error);
    }
    pqti_history_release(done ? history : &next);
    if (done)
        *history = next;
    return done;
}

/* Drops what is not kept; `kept` has a flag for each record from `from` on. False with an error
   told, and nothing changed. */
static bool
drop_others(pqt_history *history, uint32_t from, const bool *kept, pqt_error *error)
{
    plan p = {history, kept, from, history->count, NULL};
    history->thinning_steps += p.count - p.from;
    const bool done =
        make_plan(&p, error) && (history->index == NULL || drop_beside(&p, history, error));
    if (done && history->index == NULL)
        drop_in_place(&p, history);
    pqti_free_scratch(p.moves);
    return done;
}

/* The first record that flags are wanted for, if `slot` is the first that may be dropped: an index
   is made of all records. */
static uint32_t
flags_from(const pqt_history *history, uint32_t slot)
{
    return history->index != NULL ? 0 : slot;
}

/* A flag for each record from a slot on, all set; NULL with an error told. */
static bool *
make_flags(const pqt_history *history, uint32_t from, pqt_error *error)
{
    bool *kept = pqti_alloc_scratch(history->count - from, sizeof *kept);
    if (kept == NULL)
        pqti_out_of_memory(error);
    else
        memset(kept, true, history->count - from);
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

/* Sets the flags of what thinning keeps; returns how many entries that are in all. */
static size_t
choose_entries_to_drop(pqt_history *history, uint32_t from, size_t recent, bool *kept)
{
    size_t count = from;
    for (uint32_t slot = from; slot < history->count; slot++) {
        const uint64_t number = history->records[slot].number;
        kept[slot - from] = is_always_kept(history, slot) ||
                            entry_outlives(number, history->next_number - 1 - number, recent);
        count += kept[slot - from];
    }
    history->thinning_steps += history->count - from;
    return count;
}

bool
pqt_history_thin(pqt_history *history, size_t recent, pqt_error *error)
{
    PQTI_ASSERT_HISTORY(history);
    if (pqti_error_is_set(error))
        return false;
    const uint32_t from = flags_from(history, first_droppable(history));
    bool *kept = make_flags(history, from, error);
    if (kept == NULL)
        return false;
    const bool done = choose_entries_to_drop(history, from, recent, kept) == history->count ||
                      drop_others(history, from, kept, error);
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

/* Whether a history with so many entries and bytes more is beyond a limit. */
static bool
would_be_beyond(const pqt_history *history, size_t entries, size_t bytes)
{
    return exceeds_limits(history->options.max_entries, history->count + entries) ||
           exceeds_limits(history->options.max_bytes, pqti_history_limited_bytes(history) + bytes);
}

bool
pqti_history_push_drops_current(pqt_history *history, size_t added)
{
    const uint32_t current = history->current;
    /* Nothing follows the last record: a parent has a lower slot. */
    return current == history->count - 1 && !is_protected(history, current) &&
           would_be_beyond(history, 1, added) && first_droppable(history) == history->count;
}

/*
 * Down to three quarters, so that the next thinning is far away: what it costs is shared among a
 * quarter of the limit's pushes.
 */
void
pqti_history_enforce(pqt_history *history)
{
    if (!would_be_beyond(history, 0, 0) || first_droppable(history) == history->count)
        return;
    const size_t entries = goal_of(history->options.max_entries, 0);
    const size_t bytes = goal_of(history->options.max_bytes, history->records[0].added);
    const uint32_t from = flags_from(history, history->droppable_from);
    bool *kept = make_flags(history, from, NULL);
    size_t recent = history->count;
    bool go_on = kept != NULL;
    while (go_on && recent > 0) {
        recent /= 2;
        const size_t left = choose_entries_to_drop(history, from, recent, kept);
        if (recent > 0 && exceeds_limits(entries, left))
            continue;
        go_on = (left == history->count || drop_others(history, from, kept, NULL)) &&
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
    const uint32_t from = flags_from(history, slot);
    bool *kept = make_flags(history, from, error);
    if (kept == NULL)
        return false;
    kept[slot - from] = false;
    const bool done = drop_others(history, from, kept, error);
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
    const uint32_t from = top == PQTI_NO_SLOT ? 0 : flags_from(history, top);
    bool *kept = top == PQTI_NO_SLOT ? NULL : make_flags(history, from, error);
    if (kept == NULL)
        return false;
    const uint32_t depth = history->records[top].depth;
    for (uint32_t slot = top; slot < history->count; slot++)
        if (history->records[slot].depth >= depth &&
            pqti_history_ancestor(history, slot, depth) == top)
            kept[slot - from] = is_always_kept(history, slot);
    const bool done = drop_others(history, from, kept, error);
    pqti_free_scratch(kept);
    return done;
}
