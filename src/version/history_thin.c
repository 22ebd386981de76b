/* SPDX-License-Identifier: MIT */
/*
 * history_thin.c: drops one entry, a branch, or old entries.
 *
 * A drop has three steps. The first sets `is_dropped` in each record to drop. The second makes a
 * plan, which may fail. The third moves the records after the first dropped one down in the array
 * and links them again: the new parent of a record whose parent is dropped is its nearest kept
 * ancestor, so its depth and jump change. Such a record has a higher slot than the dropped one, so
 * the records below the first dropped slot stay as they are. An index covers all records, so a
 * history with an index is rebuilt as a whole in new memory. In a store, the records that move lose
 * their summaries, and queries rebuild them.
 *
 * The costs are as follows. A list contains the records that thinning may drop and the current one.
 * Thinning examines only the records in this list, once for each of O(log n) values of `recent`,
 * and moves the records after the first dropped one.
 *
 *   - If the records that are always kept leave a quarter of `max_entries` free, thinning leaves
 *     that quarter free, and the pushes that fill it share the cost of the thinning.
 *   - Otherwise thinning drops all other records. The next thinning examines and moves the records
 *     that were pushed after it.
 *   - If the records that are always kept fill the limit, each push drops the entry that the push
 *     before it added. The new record takes its slot at once.
 *   - If a limit on bytes applies to many small versions and a few large ones, each push of a
 *     large version may need a thinning. Each thinning drops another large version, and all but
 *     O(log n) of the small versions that are older.
 *
 * So without an index, a push costs O(log n) amortised. Dropping a record after its name was
 * removed costs O(n), as setting the name did. Dropping a record that has lost the saved mark costs
 * as much as the pushes since the record was made.
 */
#include "config.h"

#include "version/history_internal.h"

#include <string.h>

#include "base/error_internal.h"

static bool
is_always_kept(const pqt_history *history, uint32_t slot)
{
    return slot == history->current || pqti_history_is_protected(history, slot);
}

/* The new slot and links that a plan gives to a record. */
typedef struct relocation {
    uint32_t kept_above; /* the old slot of its nearest kept ancestor, or of the record itself if it
                            is kept */
    uint32_t to;         /* the new slot of that ancestor or record */
    uint32_t redo;       /* the new slot of the nearest kept record along its redo links */
    uint32_t redo_parent; /* its old parent, if that is below the plan and has a redo link to this
                            record */
    size_t added; /* the number of bytes that a kept record does not share with its new parent */
} relocation;

/* The plan for the records from slot `from` onwards. All records below it are kept and do not
   move. */
typedef struct plan {
    const pqt_history *history;
    uint32_t from, count;
    relocation *moves; /* one element for each record from slot `from` onwards */
} plan;

static bool
is_kept(const plan *p, uint32_t slot)
{
    return !p->history->records[slot].is_dropped;
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

/* Counts the bytes that a record does not share with its new parent. */
static bool
count_added(const pqt_history *history, uint32_t slot, uint32_t above, relocation *r,
            pqt_error *error)
{
    pqti_history_trim(history);
    const void *const before = pqti_history_load(history, above, error);
    const void *value = before == NULL ? NULL : pqti_history_load(history, slot, error);
    return value != NULL &&
           pqti_history_exclusive_bytes(history, value, &before, 1, &r->added, error);
}

/* Plans the slots and the parents. A parent has a lower slot than its children, so it is planned
   before them. */
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
        if (stays && above != record->parent && !count_added(p->history, slot, above, r, error))
            return false;
    }
    return true;
}

/* Plans the redo links. A link leads to a child, which has a higher slot, so the child is planned
   before its parent. */
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
        const bool is_redo_of_parent =
            record->parent < p->from && p->history->records[record->parent].redo == slot;
        r->redo_parent = is_redo_of_parent ? record->parent : PQTI_NO_SLOT;
    }
}

/* Makes a plan. Returns false and sets `error` on failure. The caller frees the moves in either
   case. */
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

/* Removes the records of the plan from the history, from its links and from the list of droppable
   records. */
static void
cut_off(const plan *p, pqt_history *history)
{
    pqti_record *records = history->records;
    for (uint32_t slot = p->count; slot-- > p->from;) {
        history->bytes -= records[slot].added;
        pqti_history_unlink_droppable(history, slot);
        if (records[slot].parent < p->from)
            pqti_history_unchain_last(records, &records[records[slot].parent]);
    }
    history->count = p->from;
}

/* Appends the kept records to `next`, which is the history itself after cut_off, or an empty
   history. */
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
        pqti_history_append(next, &record);
    }
}

/* Sets the redo links. Each leads to the nearest kept record along the old redo links, and to the
   newest child if there is none. */
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
        if (r->redo_parent != PQTI_NO_SLOT)
            set_redo(next, r->redo_parent, stays ? r->to : r->redo);
    }
    next->current = new_slot_of(p, next->current);
    next->saved = new_slot_of(p, next->saved);
    next->group_start = next->group_depth > 0 ? new_slot_of(p, next->group_start) : 0;
    for (uint32_t slot = p->from; slot < next->count; slot++)
        pqti_history_update_droppable(next, slot);
}

/* Returns a capacity that leaves room for a quarter more than the kept records. */
static uint32_t
capacity_for(uint32_t kept)
{
    return kept / 4 < UINT32_MAX - 2 - kept ? kept + kept / 4 + 1 : kept;
}

/* Makes the store write the redo links that differ from those in the file. */
static void
store_redo(pqt_history *history)
{
    for (uint32_t slot = 0; slot < history->count; slot++) {
        pqti_record *record = &history->records[slot];
        record->redo_changed |= record->redo_is_stored || record->redo != record->last;
    }
    pqti_history_state_changed(history, PQTI_NO_SLOT, 0);
}

static void
drop_in_place(const plan *p, pqt_history *history)
{
    cut_off(p, history);
    append_kept(p, history);
    pqti_lock_roots(history->memory);
    pqti_roots_removed(history->memory);
    memset(&history->records[history->count], 0,
           (p->count - history->count) * sizeof *history->records);
    pqti_unlock_roots(history->memory);
    set_links(p, history);
    if (history->backing != NULL)
        store_redo(history);
    if (history->capacity / 2 > capacity_for(history->count))
        (void)pqti_history_resize(history, capacity_for(history->count));
}

static bool
make_index(pqt_history *next, pqt_error *error)
{
    if (!pqti_history_make_index(next, next->records[0].value, error))
        return false;
    for (uint32_t slot = 0; slot < next->count; slot++)
        if (next->records[slot].first != PQTI_NO_SLOT && !pqti_history_seal(next, slot, error))
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

/* Drops records from a history with an index. On failure, returns false, sets `error` and leaves
   the history unchanged. */
static bool
drop_with_index(const plan *p, pqt_history *history, pqt_error *error)
{
    pqt_history next = *history;
    next.count = next.capacity = 0;
    next.bytes = 0;
    next.records = NULL;
    next.index = NULL;
    next.first_droppable = PQTI_NO_SLOT;
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
    if (done) {
        pqti_lock_roots(history->memory); /* a collection cycle may be reading the fields of the
                                             history */
        *history = next;
        pqti_unlock_roots(history->memory);
    }
    return done;
}

/* Returns the new parent of a kept record other than the first one. */
static uint32_t
new_parent(const void *context, uint32_t slot)
{
    const plan *p = context;
    return kept_above(p, p->history->records[slot].parent);
}

/* Returns the number of bytes that a kept record does not share with its new parent. */
static size_t
new_added(const void *context, uint32_t slot)
{
    const plan *p = context;
    return p->moves[slot - p->from].added;
}

/*
 * Drops the records with `is_dropped`, all of which are at slot `first` or later. On failure,
 * returns false, sets `error` and leaves the history unchanged.
 */
static bool
drop_marked(pqt_history *history, uint32_t first, pqt_error *error)
{
    const bool has_index = history->index != NULL && history->backing == NULL;
    plan p = {.history = history, .from = has_index ? 0 : first, .count = history->count};
    history->thinning_steps += p.count - p.from;
    bool done = make_plan(&p, error);
    if (done && history->backing != NULL)
        done = history->backing->drop(history, &(pqti_drops){p.from, new_parent, new_added, &p},
                                      error);
    if (done && has_index)
        done = drop_with_index(&p, history, error);
    else if (done)
        drop_in_place(&p, history);
    for (uint32_t slot = first; !done && slot < history->count; slot++)
        history->records[slot].is_dropped = false;
    pqti_free_scratch(p.moves);
    return done;
}

/*
 * Returns true if thinning keeps an entry with this number and age. Among the ages below
 * recent x 2^g, thinning keeps the entries whose numbers are multiples of 2^g. If 2^z is the
 * largest power of two that divides the number, it keeps the entry while its age is below
 * recent x 2^z. */
static bool
entry_outlives(uint64_t number, uint64_t age, size_t recent)
{
    PQT_INVARIANT(number != 0, "entry 0 is not protected");
    while (number % 2 == 0) {
        number /= 2;
        age /= 2;
    }
    return age < recent;
}

/* The records that a thinning drops. */
typedef struct selection {
    uint32_t count; /* the number of selected records */
    uint32_t first; /* the lowest selected slot; the number of records if there is none */
} selection;

/* Sets `is_dropped` in the records that thinning drops. */
static selection
mark_entries_to_drop(pqt_history *history, size_t recent)
{
    selection drops = {.first = history->count};
    uint32_t next = PQTI_NO_SLOT;
    for (uint32_t slot = history->first_droppable; slot != PQTI_NO_SLOT; slot = next) {
        pqti_record *record = &history->records[slot];
        const uint64_t age = history->next_number - 1 - record->number;
        next = record->droppable_next;
        history->thinning_steps++;
        record->is_dropped =
            slot != history->current && !entry_outlives(record->number, age, recent);
        drops.count += record->is_dropped;
        if (record->is_dropped && slot < drops.first)
            drops.first = slot;
    }
    return drops;
}

bool
pqt_history_thin(pqt_history *history, size_t recent, pqt_error *error)
{
    PQTI_ASSERT_HISTORY(history);
    const selection drops = mark_entries_to_drop(history, recent);
    return drops.count == 0 || drop_marked(history, drops.first, error);
}

static bool
exceeds_limit(size_t limit, size_t value)
{
    return limit != 0 && value > limit;
}

/* Returns the size that a thinning tries to reach: `fixed`, plus three quarters of the difference
   between the limit and `fixed`. */
static size_t
goal_of(size_t limit, size_t fixed)
{
    return limit <= fixed ? limit : limit - (limit - fixed) / 4;
}

/* Returns true if the history would exceed a limit with this many more entries and bytes. */
static bool
would_exceed_limits(const pqt_history *history, size_t entries, size_t bytes)
{
    return exceeds_limit(history->options.max_entries, history->count + entries) ||
           exceeds_limit(history->options.max_bytes, pqti_history_limited_bytes(history) + bytes);
}

/* Returns true if thinning may not drop any record except perhaps the current one. */
static bool
has_nothing_droppable(const pqt_history *history)
{
    const uint32_t first = history->first_droppable;
    return first == PQTI_NO_SLOT ||
           (first == history->current && history->records[first].droppable_next == PQTI_NO_SLOT);
}

bool
pqti_history_push_drops_current(const pqt_history *history, size_t added)
{
    const uint32_t current = history->current;
    /* The last record has no children, since a parent has a lower slot than its children. */
    return current == history->count - 1 && history->records[current].is_droppable &&
           has_nothing_droppable(history) && would_exceed_limits(history, 1, added);
}

/* Thins to three quarters of the limit, so that the pushes that fill the free quarter again share
   the cost. */
void
pqti_history_enforce(pqt_history *history)
{
    if (!would_exceed_limits(history, 0, 0) || has_nothing_droppable(history))
        return;
    const size_t entries = goal_of(history->options.max_entries, 0);
    const size_t bytes = goal_of(history->options.max_bytes, history->records[0].added);
    size_t recent = history->count;
    bool goes_on = true;
    while (goes_on && recent > 0) {
        recent /= 2;
        const selection drops = mark_entries_to_drop(history, recent);
        if (recent > 0 && exceeds_limit(entries, history->count - drops.count))
            continue;
        goes_on = (drops.count == 0 || drop_marked(history, drops.first, NULL)) &&
                  exceeds_limit(bytes, pqti_history_limited_bytes(history));
    }
}

static const char *
reason_to_keep(const pqt_history *history, uint32_t slot)
{
    return slot == 0                             ? "the first"
           : slot == history->current            ? "current"
           : slot == history->saved              ? "saved"
           : history->records[slot].name != NULL ? "named"
                                                 : "the start of the open group";
}

bool
pqt_history_drop(pqt_history *history, uint64_t entry, pqt_error *error)
{
    PQTI_ASSERT_HISTORY(history);
    const uint32_t slot = pqti_history_require_slot(history, entry, error);
    if (slot == PQTI_NO_SLOT)
        return false;
    if (is_always_kept(history, slot)) {
        pqti_error_set(error, PQT_ERROR_MISMATCH, 0, "entry %llu: it is %s and cannot be dropped",
                       (unsigned long long)entry, reason_to_keep(history, slot));
        return false;
    }
    history->records[slot].is_dropped = true;
    return drop_marked(history, slot, error);
}

bool
pqt_history_drop_branch(pqt_history *history, uint64_t entry, pqt_error *error)
{
    PQTI_ASSERT_HISTORY(history);
    const uint32_t top = pqti_history_require_slot(history, entry, error);
    if (top == PQTI_NO_SLOT)
        return false;
    const uint32_t depth = history->records[top].depth;
    for (uint32_t slot = top; slot < history->count; slot++)
        history->records[slot].is_dropped = history->records[slot].depth >= depth &&
                                            pqti_history_ancestor(history, slot, depth) == top &&
                                            !is_always_kept(history, slot);
    return drop_marked(history, top, error);
}
