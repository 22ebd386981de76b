/* SPDX-License-Identifier: MIT */
/*
 * history_query.c: queries about past entries: the last change of an item or window, and the
 * changes between two times.
 *
 * Comparing an entry with the current one does not show when an item last changed: it may have
 * changed and changed back. So the search reads the summaries of changes (history_index.c):
 *
 *     a record has a summary without the item or window: continue at the jump
 *     otherwise the record's own change has it: found
 *     otherwise: continue at the parent
 *
 * The number of steps is bounded as follows. A path of n records consists of trees whose ranks do
 * not decrease towards the root, with at most eight trees of the lowest rank and seven of each
 * other rank. The highest rank h is the largest one whose trees have at most n records, that is,
 * (8^(h + 1) - 1) / 7 <= n. So at most 7 (h + 1) + 1 steps pass over trees or enter the tree with
 * the answer, and at most 8 steps for each rank below h search that tree. A tip may have no summary
 * yet, which adds one step: 15 h + 9.
 */
#include "config.h"

#include "tree/history/tree_history.h"

#include "base/error_internal.h"
#include "tree/algebra/codescent.h"
#include "tree/query/query_prep.h"
#include "tree/tree_internal.h"

/* A search for the last change of an item or in a window. */
typedef struct search {
    const pqt_history *history;
    size_t tree;            /* the index of the tree among the trees of a version */
    const pqt_query *query; /* the query with the window; NULL: search for `id` */
    uint64_t id;
    pqti_window window; /* in a store: the prepared window of the query */
    pqt_change change;  /* the change of the item `id`, once it is found */
    bool found;
    bool failed;
} search;

/* Returns true if the run of a summary may contain the change to find. */
static bool
summary_may_match(const search *s, const pqti_summary *summary)
{
    return s->query != NULL ? pqt_tree_any(summary->items, s->query, NULL)
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

/* Finds the change of an item. With unique ids, two look-ups in the id maps suffice. */
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

/* Returns true if the query selects the item of a change, either before or after the change. */
static bool
is_found(const search *s, const pqt_change *change)
{
    const pqt_item moved = {change->to, change->item.id};
    if (s->query->stats != NULL)
        s->query->stats->boxes += change->kind == PQT_MOVE ? 2 : 1;
    return pqti_finds(&s->window, &change->item) ||
           (change->kind == PQT_MOVE && pqti_finds(&s->window, &moved));
}

static bool
stop_at_match(const pqt_change *change, void *context)
{
    search *s = context;
    if (s->query == NULL)
        return stop_at_id(change, context);
    s->found = is_found(s, change);
    return !s->found;
}

/* Searches the changes of a record that is in a store. */
static void
check_stored_change(search *s, uint32_t slot, pqt_error *error)
{
    const pqt_history *history = s->history;
    if (s->query != NULL) {
        const pqt_tree *tree = pqti_history_tree_of(history, pqt_history_value(history), s->tree);
        s->window = pqti_window_of(tree->domain, s->query);
    }
    s->failed = !history->backing->visit_changes(history, slot, s->tree, stop_at_match, s, error) &&
                !s->found;
}

/* Searches the difference between a record and its parent. */
static void
check_record_change(search *s, uint32_t slot, pqt_error *error)
{
    const pqti_record *record = &s->history->records[slot];
    if (s->history->backing != NULL) {
        check_stored_change(s, slot, error);
        return;
    }
    const void *parent = s->history->records[record->parent].value;
    const pqt_tree *before = pqti_history_tree_of(s->history, parent, s->tree);
    const pqt_tree *after = pqti_history_tree_of(s->history, record->value, s->tree);
    if (s->query != NULL)
        s->failed = !pqti_diff_visit_unpaired(before, after, s->query, stop_at_first, s, error) &&
                    !s->found;
    else if (after->domain->options.unique_ids)
        check_id_change(s, before, after);
    else
        s->failed = !pqt_tree_visit_diff(before, after, NULL, stop_at_id, s, error) && !s->found;
}

/* Writes the change that an entry made to the item. */
static void
fill_answer(const search *s, const pqti_record *record, pqt_history_answer *answer)
{
    answer->found = true;
    answer->entry = record->number;
    answer->before = s->history->records[record->parent].number;
    answer->time = record->time;
    answer->change = s->change;
}

static bool
search_from(search *s, uint32_t slot, pqt_history_answer *answer, pqt_error *error)
{
    const pqti_record *records = s->history->records;
    pqt_history_answer result = {.found = false};
    while (slot != 0 && !s->found && !s->failed) {
        const pqti_record *record = &records[slot];
        result.steps++;
        s->failed = !pqti_index_complete(s->history, slot, error);
        if (s->failed)
            break;
        if (record->summary != NULL &&
            !summary_may_match(s, pqti_summary_of_tree(record, s->tree))) {
            slot = record->jump;
            continue;
        }
        check_record_change(s, slot, error);
        if (!s->found)
            slot = record->parent;
    }
    if (s->failed)
        return false;
    if (s->found)
        fill_answer(s, &records[slot], &result);
    *answer = result;
    return true;
}

/* Finds the slot at which a search begins and the index of the tree to search. Returns PQTI_NO_SLOT
   and sets `error` on failure. */
static uint32_t
slot_to_search_from(const pqt_history *history, const char *part, uint64_t tip, size_t *tree,
                    pqt_error *error)
{
    if (history->index == NULL) {
        pqti_error_set(error, PQT_ERROR_OPTION, 0,
                       "indexed: the history was made without an index");
        return PQTI_NO_SLOT;
    }
    if (!pqti_history_find_tree(history, part, tree, error))
        return PQTI_NO_SLOT;
    return pqti_history_require_slot(history, tip, error);
}

bool
pqt_history_last_change(const pqt_history *history, const char *part, uint64_t tip,
                        const pqt_query *query, pqt_history_answer *answer, pqt_error *error)
{
    size_t tree = 0;
    PQTI_ASSERT_HISTORY(history);
    PQT_ASSERT(answer != NULL, "the answer is NULL");
    const uint32_t slot = slot_to_search_from(history, part, tip, &tree, error);
    pqt_query valid = query != NULL ? *query : pqt_query_all();
    if (slot == PQTI_NO_SLOT || !pqti_query_check(&valid, error))
        return false;
    search s = {.history = history, .tree = tree, .query = &valid};
    return search_from(&s, slot, answer, error);
}

bool
pqt_history_last_item_change(const pqt_history *history, const char *part, uint64_t tip,
                             uint64_t id, pqt_history_answer *answer, pqt_error *error)
{
    size_t tree = 0;
    PQTI_ASSERT_HISTORY(history);
    PQT_ASSERT(answer != NULL, "the answer is NULL");
    const uint32_t slot = slot_to_search_from(history, part, tip, &tree, error);
    search s = {.history = history, .tree = tree, .id = id};
    return slot != PQTI_NO_SLOT && search_from(&s, slot, answer, error);
}

/* Returns the tree at a given time, or the first version's tree if the time is earlier. Returns
   NULL and sets `error` on failure. */
static const pqt_tree *
tree_at(const pqt_history *history, const char *part, uint64_t tip, double time, pqt_error *error)
{
    uint64_t entry = 0;
    uint32_t slot = 0;
    if (time != time) {
        pqti_error_set(error, PQT_ERROR_OPTION, 0, "time is NaN");
        return NULL;
    }
    if (time >= history->records[0].time && pqt_history_entry_at(history, tip, time, &entry))
        slot = pqti_history_slot(history, entry);
    const void *value = pqti_history_load(history, slot, error);
    return value == NULL ? NULL : pqti_history_named_tree(history, value, part, error);
}

bool
pqt_history_visit_changes(const pqt_history *history, const char *part, uint64_t tip, double from,
                          double to, const pqt_query *query, pqt_visit_change_fn *visit,
                          void *context, pqt_error *error)
{
    PQTI_ASSERT_HISTORY(history);
    PQT_ASSERT(visit != NULL, "the visitor is NULL");
    if (pqti_history_require_slot(history, tip, error) == PQTI_NO_SLOT)
        return false;
    const pqt_tree *before = tree_at(history, part, tip, from, error);
    const pqt_tree *after = before == NULL ? NULL : tree_at(history, part, tip, to, error);
    return after != NULL && pqt_tree_visit_diff(before, after, query, visit, context, error);
}
