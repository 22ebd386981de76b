/* SPDX-License-Identifier: MIT */
/* column_merge.c: gives the tables of a merge the same columns. */
#include "config.h"

#include "tool/column_merge.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <pqt.h>

#include "tool/csv_write.h"
#include "tool/message.h"
#include "tool/tool_memory.h"

#define NONE PQT_TABLE_NONE

/* A column of the result. */
typedef struct merged_column {
    const char *name;
    bool is_other;    /* it holds neither positions nor ids */
    size_t at[SIDES]; /* the column of each file, or NONE */
} merged_column;

/* The columns of the result. */
typedef struct layout {
    merged_column *all;
    size_t count, capacity;
} layout;

static const char *const side_names[SIDES] = {"base", "ours", "theirs"};

/* ---- Columns of files ---- */

/* Returns the number of the coordinate in a column, or the number of coordinates. */
static size_t
coordinate_of(const table_columns *columns, size_t column)
{
    size_t i = 0;
    while (i < columns->coordinates && columns->rank[i] != column)
        i++;
    return i;
}

static bool
is_named_column(const table_columns *columns, size_t column)
{
    return column != columns->id && coordinate_of(columns, column) == columns->coordinates;
}

/* Returns the column of a file with a name, or NONE. */
static size_t
column_named(const table_columns *columns, const char *name)
{
    for (size_t c = 0; c < columns->count; c++)
        if (is_named_column(columns, c) && strcasecmp(column_name(columns, c), name) == 0)
            return c;
    return NONE;
}

/* Returns the column of another file that has the same meaning, or NONE. */
static size_t
column_like(const table_columns *columns, size_t column, const table_columns *other)
{
    const size_t coordinate = coordinate_of(columns, column);
    if (column == columns->id)
        return other->id;
    return coordinate < columns->coordinates ? other->rank[coordinate]
                                             : column_named(other, column_name(columns, column));
}

/* Returns true if the files have the same columns in the same order. */
static bool
are_alike(const table tables[SIDES])
{
    const table_columns *ours = &tables[OURS].columns;
    for (size_t side = 0; side < SIDES; side++) {
        const table_columns *other = &tables[side].columns;
        size_t a = 0, b = 0;
        for (;; a++, b++) {
            while (a < ours->count && !is_named_column(ours, a))
                a++;
            while (b < other->count && !is_named_column(other, b))
                b++;
            if (a == ours->count || b == other->count)
                break;
            if (strcasecmp(column_name(ours, a), column_name(other, b)) != 0)
                return false;
        }
        if (a < ours->count || b < other->count)
            return false;
    }
    return true;
}

/* Ends the program with an error if two columns of a file have one name. */
static void
check_names(const table *from, const char *file)
{
    const table_columns *columns = &from->columns;
    for (size_t c = 0; c < columns->count; c++)
        if (is_named_column(columns, c) && column_named(columns, column_name(columns, c)) != c)
            die(file, 0, "column occurs twice, so its changes cannot be merged (%s)",
                quote_text(column_name(columns, c)).text);
}

/* ---- Columns of the result ---- */

static void
insert_column(layout *to, size_t index, merged_column column)
{
    to->all = xgrow(to->all, &to->capacity, to->count + 1, sizeof *to->all);
    memmove(to->all + index + 1, to->all + index, (to->count - index) * sizeof *to->all);
    to->all[index] = column;
    to->count++;
}

/* Returns a column of a file with those of the other files that have the same meaning. */
static merged_column
merged_column_of(const table tables[SIDES], size_t side, size_t column)
{
    const table_columns *columns = &tables[side].columns;
    merged_column made = {.name = column_name(columns, column),
                          .is_other = is_named_column(columns, column)};
    for (size_t s = 0; s < SIDES; s++)
        made.at[s] = column_like(columns, column, &tables[s].columns);
    return made;
}

/* Returns the place in the result after the columns that precede a column of THEIRS. */
static size_t
place_after(const layout *of, size_t column)
{
    while (column-- > 0)
        for (size_t i = 0; i < of->count; i++)
            if (of->all[i].at[THEIRS] == column)
                return i + 1;
    return 0;
}

static layout
layout_of(const table tables[SIDES])
{
    layout made = {.all = NULL};
    for (size_t c = 0; c < tables[OURS].columns.count; c++) {
        const merged_column column = merged_column_of(tables, OURS, c);
        const bool is_removed = column.at[BASE] != NONE && column.at[THEIRS] == NONE;
        if (!is_removed || !column.is_other)
            insert_column(&made, made.count, column);
    }
    for (size_t c = 0; c < tables[THEIRS].columns.count; c++) {
        const merged_column column = merged_column_of(tables, THEIRS, c);
        const bool is_removed = column.at[BASE] != NONE && column.is_other;
        if (column.at[OURS] == NONE && !is_removed)
            insert_column(&made, place_after(&made, c), column);
    }
    const size_t id = tables[BASE].columns.id;
    if (id != NONE && tables[OURS].columns.id == NONE && tables[THEIRS].columns.id == NONE)
        insert_column(&made, 0, merged_column_of(tables, BASE, id));
    return made;
}

/* ---- Rows of other files ---- */

/* A row of a file, and its key: its id or, if no file has ids, its box. */
typedef struct keyed_row {
    pqt_item key;
    size_t row;
} keyed_row;

static pqt_item
key_of(const pqt_item *item, bool by_id)
{
    return by_id ? (pqt_item){.id = item->id} : (pqt_item){item->box, 0};
}

static int
compare_keyed_rows(const void *a, const void *b)
{
    return compare_items(&((const keyed_row *)a)->key, &((const keyed_row *)b)->key);
}

/* Returns the rows of a file sorted by their keys. */
static keyed_row *
sort_rows(const table *from, bool by_id)
{
    size_t capacity = 0;
    keyed_row *sorted = xgrow(NULL, &capacity, from->count, sizeof *sorted);
    for (size_t i = 0; i < from->count; i++)
        sorted[i] = (keyed_row){key_of(&from->items[i], by_id), i};
    if (from->count > 0)
        qsort(sorted, from->count, sizeof *sorted, compare_keyed_rows);
    return sorted;
}

/* Returns the number of rows with a key, and sets *first to the first one in the sorted array. */
static size_t
find_rows(const keyed_row *sorted, size_t count, const pqt_item *key, size_t *first)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare_items(&sorted[middle].key, key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *first = low;
    while (low < count && compare_items(&sorted[low].key, key) == 0)
        low++;
    return low - *first;
}

/* Returns the field of a row in a column that holds text. */
static const char *
field_at(const table *from, size_t row, size_t column)
{
    const char *field = table_fields(from, row);
    for (size_t c = 0; c < column; c++)
        if (column_is_other(&from->columns, c))
            field = next_field(field);
    return field;
}

/* ---- Conflicts ---- */

/* Returns true if a row of a side has another field in a column than each row of BASE with its
   key. */
static bool
has_changed_field(const table tables[SIDES], const keyed_row *base, const merged_column *column,
                  size_t side, size_t row, bool by_id)
{
    const pqt_item key = key_of(&tables[side].items[row], by_id);
    const char *field = field_at(&tables[side], row, column->at[side]);
    size_t first;
    const size_t count = find_rows(base, tables[BASE].count, &key, &first);
    for (size_t i = first; i < first + count; i++)
        if (strcmp(field_at(&tables[BASE], base[i].row, column->at[BASE]), field) == 0)
            return false;
    return count > 0;
}

/* Adds a conflict if a side changed a field of a column that the other side removed. */
static void
check_removal(column_merge *result, const table tables[SIDES], const keyed_row *base,
              const merged_column *column, bool by_id)
{
    const size_t side = column->at[OURS] != NONE ? OURS : THEIRS;
    char text[400];
    for (size_t row = 0; row < tables[side].count; row++) {
        if (!has_changed_field(tables, base, column, side, row, by_id))
            continue;
        snprintf(text, sizeof text, "column %s: removed in %s, changed in %s (id %" PRIu64 ")",
                 quote_text(column->name).text, side_names[side == OURS ? THEIRS : OURS],
                 side_names[side], tables[side].items[row].id);
        append_bytes(&result->conflict_texts, text, strlen(text) + 1);
        result->conflicts++;
        return;
    }
}

static void
check_removals(column_merge *result, const table tables[SIDES], const keyed_row *base, bool by_id)
{
    const table_columns *columns = &tables[BASE].columns;
    for (size_t c = 0; c < columns->count; c++) {
        const merged_column column = merged_column_of(tables, BASE, c);
        if (column.is_other && (column.at[OURS] == NONE) != (column.at[THEIRS] == NONE))
            check_removal(result, tables, base, &column, by_id);
    }
}

/* ---- Tables with the columns of the result ---- */

/* Returns the field of the only row of a side with a key, or NULL. */
static const char *
only_field(const table tables[SIDES], keyed_row *const sorted[SIDES], const merged_column *column,
           size_t side, const pqt_item *key)
{
    size_t first;
    if (column->at[side] == NONE || find_rows(sorted[side], tables[side].count, key, &first) != 1)
        return NULL;
    return field_at(&tables[side], sorted[side][first].row, column->at[side]);
}

/* Returns the field of a row of BASE, or of a side that lacks a column that the other side
   added. If both sides added different fields, BASE has an empty one. */
static const char *
added_field(const table tables[SIDES], keyed_row *const sorted[SIDES], const merged_column *column,
            const pqt_item *key)
{
    const char *ours = only_field(tables, sorted, column, OURS, key);
    const char *theirs = only_field(tables, sorted, column, THEIRS, key);
    if (ours != NULL && theirs != NULL)
        return strcmp(ours, theirs) == 0 ? ours : "";
    return ours != NULL ? ours : theirs != NULL ? theirs : "";
}

/* Sets the fields of a row, for each column that holds text. */
static void
find_fields(const table *from, size_t row, const char **fields)
{
    const char *field = table_fields(from, row);
    for (size_t c = 0; c < from->columns.count; c++) {
        fields[c] = NULL;
        if (!column_is_other(&from->columns, c))
            continue;
        fields[c] = field;
        field = next_field(field);
    }
}

/* Returns the fields of all rows of a file in the columns of the result. */
static texts
fields_of_side(const table tables[SIDES], keyed_row *const sorted[SIDES], const layout *of,
               size_t side, bool by_id)
{
    texts all = {.bytes = NULL};
    const table *from = &tables[side];
    size_t capacity = 0;
    const char **own = xgrow(NULL, &capacity, from->columns.count, sizeof *own);
    for (size_t row = 0; row < from->count; row++) {
        const pqt_item key = key_of(&from->items[row], by_id);
        find_fields(from, row, own);
        for (size_t i = 0; i < of->count; i++) {
            const size_t at = of->all[i].at[side];
            const char *field = at != NONE ? own[at] : NULL;
            if (at == NONE && of->all[i].is_other)
                field = added_field(tables, sorted, &of->all[i], &key);
            if (field != NULL)
                append_bytes(&all, field, strlen(field) + 1);
        }
    }
    free(own);
    return all;
}

/* Returns the table of a side with the columns of the result. A column of ids that it does not have
   is left out. */
static pqt_table *
select_columns(const table *from, const layout *of, size_t side, const char *file)
{
    pqt_error error = {0};
    size_t capacity = 0, count = 0;
    pqt_table_column *columns = xgrow(NULL, &capacity, of->count, sizeof *columns);
    for (size_t i = 0; i < of->count; i++) {
        const merged_column *column = &of->all[i];
        if (column->at[side] != NONE || column->is_other)
            columns[count++] =
                (pqt_table_column){column->at[side], {column->name, strlen(column->name), false}};
    }
    pqt_table *selected = pqt_table_select(from->source, columns, count, &error);
    if (selected == NULL)
        die_error(file, &error);
    free(columns);
    return selected;
}

column_merge
align_columns(table tables[SIDES], const char *const files[SIDES])
{
    column_merge result = {.has_changed = !are_alike(tables)};
    const bool by_id = tables[BASE].has_ids || tables[OURS].has_ids || tables[THEIRS].has_ids;
    keyed_row *sorted[SIDES];
    texts fields[SIDES];
    pqt_table *selected[SIDES];
    if (!result.has_changed)
        return result;
    for (size_t s = 0; s < SIDES; s++) {
        check_names(&tables[s], files[s]);
        sorted[s] = sort_rows(&tables[s], by_id);
    }
    layout of = layout_of(tables);
    check_removals(&result, tables, sorted[BASE], by_id);
    for (size_t s = 0; s < SIDES; s++) {
        fields[s] = fields_of_side(tables, sorted, &of, s, by_id);
        selected[s] = select_columns(&tables[s], &of, s, files[s]);
    }
    for (size_t s = 0; s < SIDES; s++) {
        table_replace_columns(&tables[s], selected[s], fields[s]);
        free(sorted[s]);
    }
    free(of.all);
    return result;
}
