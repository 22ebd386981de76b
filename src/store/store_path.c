/* SPDX-License-Identifier: MIT */
/*
 * store_path.c: finds the path of changes along which a version is loaded.
 *
 * A path begins at a loaded version or at a keyframe. Changes of trees, maps and regions can be
 * applied in both directions, so a path may begin above the version to load, below it, or on
 * another branch. The cost of a path is the cost of its changes, plus a quarter of the size of the
 * keyframe if it begins at one: loading a keyframe takes a quarter of the time that it takes to
 * apply as many bytes of changes (measured with 100,000 items).
 *
 * A start above the version always exists, since the first record has a keyframe. The search for a
 * cheaper start visits the records below the version to load, then those below its parent, and so
 * on, as long as the changes on the way cost less than the best path. The number of visits is
 * limited to the number of changes that the path from the start above may have, since a visit takes
 * a hundredth of the time that a change takes. Two starts that are often the best ones are always
 * tried: the current version, and the version that was loaded last.
 */
#include "config.h"

#include "store/store_internal.h"

enum { KEYFRAME_BYTES_A_COST = 4 };

typedef struct path_search {
    const pqt_history *history;
    uint64_t keyframe_cost;
    uint64_t visits; /* the number of visits that may still be made */
    pqti_load_path best;
} path_search;

/* Replaces the best path by one that begins at a given record, if that record has a version and the
   path is cheaper. `cost` is the cost of the changes. */
static void
consider_start(path_search *s, uint32_t start, uint32_t top, uint64_t cost)
{
    const pqti_record *record = &s->history->records[start];
    const bool from_keyframe = record->value == NULL;
    if (from_keyframe && record->keyframe != record->number)
        return;
    if (from_keyframe)
        cost += s->keyframe_cost;
    if (cost < s->best.cost)
        s->best = (pqti_load_path){start, top, from_keyframe, cost};
}

static path_search
search_from_above(const pqt_history *history, uint32_t slot)
{
    const pqti_record *records = history->records;
    const pqt_store *store = history->store;
    path_search s = {
        history, store->keyframe_bytes / KEYFRAME_BYTES_A_COST, 0, {0, 0, false, UINT64_MAX}};
    uint32_t at = slot;
    while (records[at].value == NULL && records[at].keyframe != records[at].number)
        at = records[at].parent;
    consider_start(&s, at, at, records[slot].path_cost - records[at].path_cost);
    s.visits = s.best.cost / PQTI_CHANGE_COST;
    return s;
}

/* Returns the record below `top` that follows `at` and all its descendants in preorder, or
   PQTI_NO_SLOT if there is none. */
static uint32_t
record_after(const pqti_record *records, uint32_t at, uint32_t top)
{
    while (at != top && records[at].next == PQTI_NO_SLOT)
        at = records[at].parent;
    return at == top ? PQTI_NO_SLOT : records[at].next;
}

/* Searches the descendants of `top`, except `left` and its descendants. `cost` is the cost of the
   changes from `top` to the version to load. */
static void
search_below(path_search *s, uint32_t top, uint32_t left, uint64_t cost)
{
    const pqti_record *records = s->history->records;
    uint32_t at = records[top].first;
    for (; at != PQTI_NO_SLOT && s->visits > 0; s->visits--) {
        const uint64_t further = cost + records[at].path_cost - records[top].path_cost;
        const bool leads_back = at != left && records[at].encoding == PQTI_REVERSIBLE;
        const bool is_near = leads_back && further < s->best.cost;
        if (is_near)
            consider_start(s, at, top, further);
        at = is_near && records[at].value == NULL && records[at].first != PQTI_NO_SLOT
                 ? records[at].first
                 : record_after(records, at, top);
    }
}

/* Tries a record and then the records around it. No start beyond a loaded version is nearer than
   that version. */
static void
search_around(path_search *s, uint32_t slot)
{
    const pqti_record *records = s->history->records;
    uint32_t at = slot, left = PQTI_NO_SLOT;
    uint64_t cost = 0;
    search_below(s, at, left, cost);
    while (s->visits > 0 && records[at].encoding != PQTI_NO_CHANGE && at != 0) {
        left = at;
        at = records[at].parent;
        cost = records[slot].path_cost - records[at].path_cost;
        s->visits--;
        if (cost >= s->best.cost)
            return;
        consider_start(s, at, at, cost);
        if (records[at].value != NULL)
            return;
        search_below(s, at, left, cost);
    }
}

/* Returns true if the changes of all records from `slot` up to, but not including, `top` can be
   used. */
static bool
has_changes(const pqti_record *records, uint32_t slot, uint32_t top, bool backwards)
{
    for (; slot != top; slot = records[slot].parent)
        if (records[slot].encoding == PQTI_NO_CHANGE ||
            (backwards && records[slot].encoding != PQTI_REVERSIBLE))
            return false;
    return true;
}

/* Tries a version anywhere in the history as a start. */
static void
try_loaded(path_search *s, uint32_t start, uint32_t slot)
{
    const pqti_record *records = s->history->records;
    if (start >= s->history->count || records[start].value == NULL)
        return;
    const uint32_t top = pqti_history_common(s->history, start, slot);
    const uint64_t cost =
        records[start].path_cost + records[slot].path_cost - 2 * records[top].path_cost;
    if (cost < s->best.cost && has_changes(records, start, top, true) &&
        has_changes(records, slot, top, false))
        s->best = (pqti_load_path){start, top, false, cost};
}

pqti_load_path
pqti_store_path_from_above(const pqt_history *history, uint32_t slot)
{
    return search_from_above(history, slot).best;
}

pqti_load_path
pqti_store_find_path(const pqt_history *history, uint32_t slot)
{
    const pqt_store *store = history->store;
    path_search s = search_from_above(history, slot);
    search_around(&s, slot);
    try_loaded(&s, history->current, slot);
    try_loaded(&s, store->last_loaded, slot);
    return s.best;
}
