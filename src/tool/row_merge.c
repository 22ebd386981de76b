/* SPDX-License-Identifier: MIT */
/*
 * row_merge.c: performs three-way merges of rows.
 *
 * The library merges the versions of positions and the versions of keys (row_table.h). It calls a
 * callback for each id that both sides changed to different values. If each side changed a single
 * row with that id, the rows are merged column by column, and the position counts as one column.
 * Otherwise the id is a conflict.
 */
#include "config.h"

#include "tool/row_merge.h"

#include <stdlib.h>
#include <string.h>

#include <pqt.h>

#include "tool/csv_table.h"
#include "tool/message.h"
#include "tool/tool_memory.h"

/* Merges three values. Returns NULL if both sides changed the value differently. */
static const void *
merge_values(const void *const values[SIDES], int (*compare)(const void *, const void *))
{
    if (compare(values[BASE], values[OURS]) == 0 || compare(values[OURS], values[THEIRS]) == 0)
        return values[THEIRS];
    return compare(values[BASE], values[THEIRS]) == 0 ? values[OURS] : NULL;
}

static int
compare_places(const void *a, const void *b)
{
    return compare_items(a, b);
}

static int
compare_texts(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Merges three rows with the same id column by column. Returns NO_ROW if both sides changed a
   column differently. */
static size_t
merge_columns(rows *all, const size_t numbers[SIDES])
{
    const void *places[SIDES], *values[SIDES];
    size_t capacity = 0;
    const char **fields = xgrow(NULL, &capacity, all->fields + 1, sizeof *fields);
    for (int s = 0; s < SIDES; s++) {
        places[s] = &all->all[numbers[s]].item;
        values[s] = all->all[numbers[s]].fields;
    }
    const pqt_item *place = merge_values(places, compare_places);
    bool is_merged = place != NULL;
    for (size_t i = 0; i < all->fields && is_merged; i++) {
        fields[i] = merge_values(values, compare_texts);
        is_merged = fields[i] != NULL;
        for (int s = 0; s < SIDES; s++)
            values[s] = next_field(values[s]);
    }
    size_t made = is_merged ? rows_make_up(all, *place, fields) : NO_ROW;
    free(fields);
    return made;
}

/* Adds a conflict and appends its rows to `conflicting`, grouped by side. */
static void
add_conflict(merger *m, const pqt_conflict *conflict)
{
    const pqt_items *sides[SIDES] = {&conflict->base, &conflict->ours, &conflict->theirs};
    conflict_rows added = {.id = conflict->id, .first = m->conflicting_count};
    for (int s = 0; s < SIDES; s++) {
        added.counts[s] = sides[s]->count;
        for (size_t i = 0; i < sides[s]->count; i++) {
            m->conflicting = xgrow(m->conflicting, &m->conflicting_capacity,
                                   m->conflicting_count + 1, sizeof *m->conflicting);
            m->conflicting[m->conflicting_count++] =
                rows_find(m->rows, &sides[s]->items[i], m->are_keys);
        }
    }
    m->conflicts = xgrow(m->conflicts, &m->capacity, m->count + 1, sizeof *m->conflicts);
    m->conflicts[m->count++] = added;
}

static pqt_resolution
resolve_conflict(const pqt_conflict *conflict, pqt_items *answer, void *context)
{
    merger *m = context;
    add_conflict(m, conflict);
    const conflict_rows *last = &m->conflicts[m->count - 1];
    if (last->counts[BASE] != 1 || last->counts[OURS] != 1 || last->counts[THEIRS] != 1)
        return m->resolution;
    size_t made = merge_columns(m->rows, m->conflicting + last->first);
    if (made == NO_ROW)
        return m->resolution;
    m->conflicting_count = last->first;
    m->count--;
    m->answer = rows_key(m->rows, made);
    *answer = (pqt_items){&m->answer, 1};
    return PQT_KEEP_ITEMS;
}

static bool
add_merged(const pqt_item *item, void *context)
{
    merger *m = context;
    m->merged = xgrow(m->merged, &m->merged_capacity, m->merged_count + 1, sizeof *m->merged);
    m->merged[m->merged_count++] = rows_find(m->rows, item, m->are_keys);
    return true;
}

static void
merge_versions(merger *m, const pqt_tree *const sides[SIDES])
{
    pqt_merge_options options = PQT_MERGE_DEFAULTS;
    pqt_error error = {0};
    options.resolve = resolve_conflict;
    options.context = m;
    const pqt_tree *merged =
        pqt_tree_merge(sides[BASE], sides[OURS], sides[THEIRS], &options, &error);
    if (merged == NULL)
        die_error(NULL, &error);
    pqt_tree_visit(merged, NULL, add_merged, m);
}

static int
compare_conflicts(const void *a, const void *b)
{
    const conflict_rows *first = a, *second = b;
    return (first->id > second->id) - (first->id < second->id);
}

static const row *rows_being_sorted;

static int
compare_numbers_of_rows(const void *a, const void *b)
{
    return compare_rows(&rows_being_sorted[*(const size_t *)a],
                        &rows_being_sorted[*(const size_t *)b]);
}

/* Sorts the rows by id. A row that was made by merging columns may already be among them. */
static void
sort_merged(merger *m)
{
    size_t kept = 0;
    rows_being_sorted = m->rows->all;
    if (m->merged_count > 0)
        qsort(m->merged, m->merged_count, sizeof *m->merged, compare_numbers_of_rows);
    for (size_t i = 0; i < m->merged_count; i++)
        if (kept == 0 || compare_numbers_of_rows(&m->merged[kept - 1], &m->merged[i]) != 0)
            m->merged[kept++] = m->merged[i];
    m->merged_count = kept;
}

merger
merge_rows(rows *all, pqt_resolution resolution)
{
    merger m = {.rows = all, .resolution = resolution};
    const pqt_tree *sides[SIDES];
    rows_places(all, false, sides);
    merge_versions(&m, sides);
    m.are_keys = true;
    rows_keys(all, sides);
    merge_versions(&m, sides);
    if (m.count > 0)
        qsort(m.conflicts, m.count, sizeof *m.conflicts, compare_conflicts);
    sort_merged(&m);
    return m;
}

void
merger_free(merger *m)
{
    free(m->conflicts);
    free(m->conflicting);
    free(m->merged);
    *m = (merger){.rows = NULL};
}
