/* SPDX-License-Identifier: MIT */
/*
 * history_query.c - questions about the past, answered without looking at each version in turn.
 *
 * Equality with the present says nothing about when something last changed: it may have changed and
 * changed back. So a stretch is asked for the items that changed in it (history_index.c):
 *
 *     at a record with a summary: if it has nothing of what is asked for, on to the jump
 *     else, if the record's own change has something: found; if not, on to its parent
 *
 * The bound. A way of n records falls into trees of ranks that never fall towards the root, at most
 * seven of each but eight of the lowest; the highest rank is h, the largest for which a tree of
 * rank h, (8^(h + 1) - 1) / 7 records, is not larger than n. So at most 7 (h + 1) + 1 steps pass
 * over trees or enter the one that has the answer, and within it there are at most 8 for each rank
 * below h. One step more for a tip, which may have no summary yet: 15 h + 9.
 */
#include "config.h"

#include "version/history_internal.h"

#include <pqt/diff.h>

#include "base/error_internal.h"
#include "base/validate.h"
#include "tree/tree_internal.h"

bool
pqt_history_entry_at(const pqt_history *history, uint64_t tip, double time, uint64_t *entry)
{
    PQTI_ASSERT_HISTORY(history);
    PQT_ASSERT(entry != NULL, "there is no room for the entry");
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

/* What is looked for in the past. */
typedef struct search {
    const pqt_history *history;
    const pqt_query *query; /* a window; NULL: an id */
    uint64_t id;
    pqt_change change; /* what became of the id */
    bool found;
    bool failed;
} search;

static bool
may_be_in(const search *s, const pqti_summary *summary)
{
    return s->query != NULL ? pqt_tree_any(summary->items, *s->query, NULL)
                            : pqti_summary_has(summary, s->id);
}

static bool
stop_at_first(const pqt_change *change, void *context)
{
    search *s = context;
    (void)change;
    s->found = true;
    return false;
}

static bool
stop_at_id(const pqt_change *change, void *context)
{
    search *s = context;
    s->found = change->item.id == s->id;
    if (s->found)
        s->change = *change;
    return !s->found;
}

/* With unique ids, what became of an item is known without a walk. */
static void
check_id_change(search *s, const pqt_tree *before, const pqt_tree *after)
{
    pqt_item was = {0}, is = {0};
    const bool had = pqt_tree_find(before, s->id, &was), has = pqt_tree_find(after, s->id, &is);
    if (had == has && (!had || pqt_item_equals(was, is)))
        return;
    s->found = true;
    s->change.kind = !had ? PQT_INSERT : !has ? PQT_REMOVE : PQT_MOVE;
    s->change.item = had ? was : is;
    if (had && has)
        s->change.to = is.box;
}

/* Whether a record's own change has what is looked for. */
static void
check_record_change(search *s, const pqti_record *record, pqt_error *error)
{
    const pqt_tree *before = s->history->records[record->parent].value, *after = record->value;
    if (s->query != NULL)
        s->failed = !pqt_diff_visit_unpaired(before, after, s->query, stop_at_first, s, error);
    else if (after->domain->options.unique_ids)
        check_id_change(s, before, after);
    else
        s->failed = !pqt_diff_visit(before, after, NULL, stop_at_id, s, error);
}

/* What is told of the change that was found in an entry. */
static void
fill_answer(const search *s, const pqti_record *record, pqt_history_answer *told)
{
    told->found = true;
    told->entry = record->number;
    told->before = s->history->records[record->parent].number;
    told->time = record->time;
    told->change = s->change;
}

static bool
search_from(search *s, uint32_t slot, pqt_history_answer *answer, pqt_error *error)
{
    const pqti_record *records = s->history->records;
    pqt_history_answer told = {.found = false};
    while (slot != 0 && !s->found && !s->failed) {
        const pqti_record *record = &records[slot];
        told.steps++;
        if (record->summary != NULL && !may_be_in(s, record->summary)) {
            slot = record->jump;
            continue;
        }
        check_record_change(s, record, error);
        if (!s->found)
            slot = record->parent;
    }
    if (s->failed)
        return false;
    if (s->found)
        fill_answer(s, &records[slot], &told);
    *answer = told;
    return true;
}

/* The slot from which to search; PQTI_NO_SLOT with an error told. */
static uint32_t
slot_to_search_from(const pqt_history *history, uint64_t tip, pqt_error *error)
{
    if (pqti_error_is_set(error))
        return PQTI_NO_SLOT;
    if (history->index == NULL) {
        pqti_error_set(error, PQT_ERROR_OPTION, 0,
                       "indexed: the history was made without an index");
        return PQTI_NO_SLOT;
    }
    return pqti_history_must_slot(history, tip, error);
}

bool
pqt_history_last_change(const pqt_history *history, uint64_t tip, const pqt_query *query,
                        pqt_history_answer *answer, pqt_error *error)
{
    PQTI_ASSERT_HISTORY(history);
    PQT_ASSERT(query != NULL && answer != NULL, "the query or the answer is NULL");
    const uint32_t slot = slot_to_search_from(history, tip, error);
    pqt_query admitted = *query;
    if (slot == PQTI_NO_SLOT ||
        !pqti_validate_window(query->window, "window", &admitted.window, error))
        return false;
    search s = {.history = history, .query = &admitted};
    return search_from(&s, slot, answer, error);
}

bool
pqt_history_last_item_change(const pqt_history *history, uint64_t tip, uint64_t id,
                             pqt_history_answer *answer, pqt_error *error)
{
    PQTI_ASSERT_HISTORY(history);
    PQT_ASSERT(answer != NULL, "the answer is NULL");
    const uint32_t slot = slot_to_search_from(history, tip, error);
    search s = {.history = history, .id = id};
    return slot != PQTI_NO_SLOT && search_from(&s, slot, answer, error);
}

/* The version at a time, the first one for times before it; NULL with an error told. */
static const pqt_tree *
tree_at(const pqt_history *history, uint64_t tip, double time, pqt_error *error)
{
    uint64_t entry = 0;
    if (time != time) {
        pqti_error_set(error, PQT_ERROR_OPTION, 0, "time is nan");
        return NULL;
    }
    if (time < history->records[0].time)
        return history->records[0].value;
    return pqt_history_entry_at(history, tip, time, &entry) ? pqt_history_value_of(history, entry)
                                                            : NULL;
}

bool
pqt_history_visit_changes(const pqt_history *history, uint64_t tip, double from, double to,
                          const pqt_query *query, pqt_visit_change_fn *visit, void *context,
                          pqt_error *error)
{
    PQTI_ASSERT_HISTORY(history);
    PQT_ASSERT(visit != NULL, "the visitor is NULL");
    if (pqti_error_is_set(error) || pqti_history_must_slot(history, tip, error) == PQTI_NO_SLOT)
        return false;
    if (history->kind.bytes != pqt_history_trees()->bytes) {
        pqti_error_set(error, PQT_ERROR_OPTION, 0, "changes: the history holds %s, not trees",
                       history->kind.name);
        return false;
    }
    const pqt_tree *before = tree_at(history, tip, from, error);
    const pqt_tree *after = before == NULL ? NULL : tree_at(history, tip, to, error);
    return after != NULL && pqt_diff_visit(before, after, query, visit, context, error);
}
