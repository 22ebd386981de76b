/* SPDX-License-Identifier: MIT */
/*
 * history_index.c: the change index: summaries of the items that changed in runs of records.
 *
 * The summary of a record covers the run from the record up to its jump (history_internal.h). It is
 * the union of the record's own change and the summaries of the eight trees in its run, so each
 * changed item is stored once for each rank: O(log n) times. A record of rank 0 has no summary,
 * because computing the difference from its parent takes no longer.
 *
 * Summaries are in an arena that belongs to the history, whatever memory holds the versions. So the
 * collector does not scan them, and a history that drops records rebuilds the whole index. An id
 * that is a pointer keeps nothing alive in a summary; the versions keep its target alive.
 *
 * In a history in a store, the versions need not be loaded, since the changes are in the file. So a
 * summary is made from the changes when a query needs it (pqti_index_complete), using smaller
 * summaries where these exist.
 */
#include "config.h"

#include "tree/history/tree_history.h"

#include <stdlib.h>

#include "base/error_internal.h"
#include "tree/algebra/changelist.h"
#include "tree/algebra/codescent.h"

/* Makes an empty tree with the options of a tree, in the arena. */
static const pqt_tree *
empty_tree(const pqt_tree *tree, pqt_memory *arena, pqt_error *error)
{
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.memory = arena;
    options.max_depth = tree->domain->options.max_depth;
    return pqt_tree_make(pqt_tree_bounds(tree), &options, error);
}

/* Adds the trees of the first version to an index that has room for them. */
static bool
add_trees(pqti_tree_index *index, const void *first, pqt_error *error)
{
    for (size_t position = 0; position < index->inner->count(first); position++) {
        const pqt_tree *tree = index->inner->at(first, position);
        if (tree == NULL)
            continue;
        const pqt_tree *no_items = empty_tree(tree, index->arena, error);
        if (no_items == NULL)
            return false;
        index->trees[index->count++] = (pqti_indexed_tree){position, no_items};
    }
    return index->count > 0 || pqti_history_cannot_be_indexed(error);
}

static pqti_index *
make_index(const pqt_history *history, const void *first, pqt_error *error)
{
    const pqti_inner_trees *inner = pqti_calls_of_kind(history->versions)->trees;
    pqt_memory *arena = pqt_arena_make(0, error);
    if (arena == NULL)
        return NULL;
    const size_t size = sizeof(pqti_tree_index) + inner->count(first) * sizeof(pqti_indexed_tree);
    pqti_tree_index *index = pqti_alloc_leaf(arena, pqti_rounded(size));
    if (index == NULL)
        pqti_out_of_memory(error);
    else
        *index =
            (pqti_tree_index){.base.calls = &pqti_tree_index_calls, .arena = arena, .inner = inner};
    if (index == NULL || !add_trees(index, first, error)) {
        pqt_arena_destroy(&arena);
        return NULL;
    }
    return &index->base;
}

static void
destroy_index(pqti_index *index)
{
    pqt_memory *arena = ((pqti_tree_index *)index)->arena; /* the index is in it */
    pqt_arena_destroy(&arena);
}

static size_t
bytes_of_index(const pqti_index *index)
{
    return (size_t)pqt_memory_get_stats(((const pqti_tree_index *)index)->arena).bytes;
}

const pqti_summary *
pqti_summary_of_tree(const pqti_record *record, size_t tree)
{
    const pqti_summary *summary = record->summary;
    for (size_t i = 0; i < tree; i++)
        summary = summary->next;
    return summary;
}

/* The items that changed in a run of records, while they are collected. */
typedef struct gathering {
    pqti_changelist list;
    size_t tree; /* the index of the tree among the trees of a version */
    bool failed;
    pqt_error *error; /* set if the collection failed, except for lack of memory */
} gathering;

static bool
gather_item(const pqt_item *item, void *context)
{
    gathering *all = context;
    all->failed = all->failed || !pqti_changelist_add(&all->list, item, false);
    return !all->failed;
}

static bool
gather_change(const pqt_change *change, void *context)
{
    const pqt_item moved = {change->to, change->item.id};
    return gather_item(&change->item, context) &&
           (change->kind != PQT_MOVE || gather_item(&moved, context));
}

/* Collects the items that differ between a record and its parent. */
static void
gather_own(gathering *all, const pqt_history *history, uint32_t slot)
{
    const pqti_record *record = &history->records[slot];
    if (history->backing != NULL) {
        all->failed = !history->backing->visit_changes(history, slot, all->tree, gather_change, all,
                                                       all->error);
        return;
    }
    const void *parent = history->records[record->parent].value;
    const pqt_tree *before = pqti_history_tree_of(history, parent, all->tree);
    const pqt_tree *after = pqti_history_tree_of(history, record->value, all->tree);
    if (!pqti_diff_visit_unpaired(before, after, NULL, gather_change, all, NULL))
        all->failed = true;
}

/* Collects the items that changed in the run of a record. */
static void
gather_run(gathering *all, const pqt_history *history, uint32_t slot)
{
    const uint32_t end = history->records[slot].jump;
    while (slot != end && !all->failed) {
        const pqti_record *record = &history->records[slot];
        if (record->summary != NULL)
            (void)pqt_tree_visit(pqti_summary_of_tree(record, all->tree)->items, NULL, gather_item,
                                 all);
        else
            gather_own(all, history, slot);
        slot = record->summary != NULL ? record->jump : record->parent;
    }
}

/* Writes the distinct ids of an indexed list in increasing order, and returns their number. */
static size_t
write_ids(const pqti_changelist *list, uint64_t *ids)
{
    size_t count = 0;
    for (size_t from = 0; from < list->count; from = pqti_changelist_run(list, from, NULL))
        ids[count++] = list->by_id[from].id;
    return count;
}

static pqti_summary *
make_summary(const pqti_tree_index *index, size_t tree, pqti_changelist *list)
{
    size_t ids = 0;
    if (!pqti_changelist_index(list))
        return NULL;
    for (size_t from = 0; from < list->count; from = pqti_changelist_run(list, from, NULL))
        ids++;
    const size_t size = sizeof(pqti_summary) + ids * sizeof(uint64_t);
    const pqt_tree *items =
        pqt_tree_insert_all(index->trees[tree].no_items, list->items, list->count, NULL);
    pqti_summary *summary =
        items == NULL ? NULL : pqti_alloc_leaf(index->arena, pqti_rounded(size));
    if (summary == NULL)
        return NULL;
    summary->next = NULL;
    summary->items = items;
    summary->id_count = write_ids(list, summary->ids);
    return summary;
}

/* Returns the summary of one tree for the run of a record. On failure, returns NULL, and sets
   `error` unless the cause is lack of memory. */
static pqti_summary *
make_tree_summary(const pqt_history *history, uint32_t slot, size_t tree, pqt_error *error)
{
    const pqti_tree_index *index = (const pqti_tree_index *)history->index;
    gathering all = {.tree = tree, .error = error};
    gather_run(&all, history, slot);
    pqti_summary *summary = all.failed ? NULL : make_summary(index, tree, &all.list);
    pqti_changelist_free(&all.list);
    return summary;
}

/* Makes the summaries of a record, if its rank needs them. */
static bool
summarise_trees(const pqt_history *history, uint32_t slot, pqt_error *error)
{
    pqti_record *record = &history->records[slot];
    const pqti_summary *first = NULL;
    pqt_error failure = {0};
    if (record->rank == 0 || record->summary != NULL)
        return true;
    for (size_t tree = ((pqti_tree_index *)history->index)->count; tree-- > 0;) {
        pqti_summary *summary = make_tree_summary(history, slot, tree, &failure);
        if (summary == NULL) {
            if (failure.status == PQT_OK)
                pqti_out_of_memory(&failure);
            pqti_error_set(error, failure.status, failure.index, "%s", failure.text);
            return false;
        }
        summary->next = first;
        first = summary;
    }
    record->summary = first;
    return true;
}

static bool
seal(pqt_history *history, uint32_t slot, pqt_error *error)
{
    return history->backing != NULL || summarise_trees(history, slot, error);
}

bool
pqti_index_complete(const pqt_history *history, uint32_t slot, pqt_error *error)
{
    history->self->has_summaries = true;
    return history->backing == NULL || history->records[slot].first == PQTI_NO_SLOT ||
           summarise_trees(history, slot, error);
}

void
pqti_index_forget(pqt_history *history)
{
    if (!history->has_summaries)
        return;
    pqti_index *empty = make_index(history, pqt_history_value(history), NULL);
    if (empty == NULL)
        return;
    destroy_index(history->index);
    history->index = empty;
    for (uint32_t slot = 0; slot < history->count; slot++)
        history->records[slot].summary = NULL;
    history->has_summaries = false;
}

static int
compare_indexed_ids(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

bool
pqti_summary_has(const pqti_summary *summary, uint64_t id)
{
    return bsearch(&id, summary->ids, summary->id_count, sizeof id, compare_indexed_ids) != NULL;
}

const pqti_index_calls pqti_tree_index_calls = {
    .make = make_index,
    .destroy = destroy_index,
    .bytes = bytes_of_index,
    .covers = pqti_history_check_trees,
    .seal = seal,
};
