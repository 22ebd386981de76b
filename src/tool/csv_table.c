/* SPDX-License-Identifier: MIT */
/*
 * csv_table.c: the rows of a CSV, GeoJSON or .pqt file as items.
 *
 * The library reads CSV (pqt/table.h). The fields of the other columns are kept as text without
 * quotes, so that rows can be compared and written, or read again (row_source.h).
 */
#include "config.h"

#include "tool/csv_table.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tool/input_file.h"
#include "tool/message.h"
#include "tool/part_build.h"
#include "tool/progress.h"
#include "tool/row_source.h"
#include "tool/tool_memory.h"

/* ---- Texts ---- */

/* Appends the text of a field with a zero byte after it. Returns the index at which it begins. */
static size_t
append_field(texts *all, pqt_field field)
{
    const size_t at = all->length, length = field.length; /* its text is at most as long */
    all->bytes = xgrow(all->bytes, &all->capacity, at + length + 1, 1);
    all->length += pqt_field_text(field, all->bytes + at, length);
    all->bytes[all->length++] = '\0';
    return at;
}

static void
keep_name(table_columns *columns, size_t column, pqt_field name)
{
    columns->name_at =
        xgrow(columns->name_at, &columns->name_at_capacity, column + 1, sizeof *columns->name_at);
    columns->name_at[column] = append_field(&columns->names, name);
}

/* Keeps the fields of a row that are neither ids nor coordinates. */
static void
keep_row(table *rows, size_t row, const pqt_field *fields)
{
    rows->kept_at = xgrow(rows->kept_at, &rows->kept_at_capacity, row + 1, sizeof *rows->kept_at);
    rows->kept_at[row] = rows->kept.length;
    for (size_t c = 0; c < rows->columns.count; c++)
        if (column_is_other(&rows->columns, c))
            append_field(&rows->kept, fields[c]);
}

static bool
is_named_id(pqt_field name)
{
    return name.length == 2 && strncasecmp(name.bytes, "id", 2) == 0;
}

static void
keep_names(table *rows, const pqt_field *names)
{
    for (size_t c = 0; c < rows->columns.count; c++) {
        keep_name(&rows->columns, c, names[c]);
        rows->columns.has_id_of_text |= rows->columns.id != c && is_named_id(names[c]);
    }
}

/* Keeps the names of the columns and the fields of all rows. */
static void
keep_texts(table *rows)
{
    size_t capacity = 0;
    pqt_field *fields = xgrow(NULL, &capacity, rows->columns.count, sizeof *fields);
    pqt_table_fields(rows->source, PQT_TABLE_HEADER, fields);
    keep_names(rows, fields);
    for (size_t row = 0; row < rows->count; row++) {
        pqt_table_fields(rows->source, row, fields);
        keep_row(rows, row, fields);
    }
    free(fields);
}

/* ---- Reading ---- */

/* Sets what a table knows about the columns of its file. */
static void
set_columns(table *rows, const pqt_table_columns *columns)
{
    const pqt_table_position position = columns->position;
    rows->has_ids = columns->id != PQT_TABLE_NONE;
    rows->is_geographic = position == PQT_TABLE_DEGREES || position == PQT_TABLE_DEGREE_BOXES ||
                          position == PQT_TABLE_GEOMETRIES;
    rows->columns.count = columns->count;
    /* A size that is computed from a box can differ in its last digit, so it is kept as text, and
       so is a geometry. */
    rows->columns.places = position == PQT_TABLE_SIZES        ? 2
                           : position == PQT_TABLE_GEOMETRIES ? 0
                                                              : (int)columns->coordinates;
    rows->columns.coordinates = columns->coordinates;
    rows->columns.id = columns->id;
    memcpy(rows->columns.rank, columns->coordinate, sizeof rows->columns.rank);
}

static void
add_record(table *rows, const pqt_table_record *record, kept_part kept)
{
    rows->items = xgrow(rows->items, &rows->capacity, rows->count + 1, sizeof *rows->items);
    rows->items[rows->count] = record->item;
    if (kept == KEEP_TEXTS)
        keep_row(rows, rows->count, record->fields);
    rows->count++;
}

/* Returns the rows of a CSV or GeoJSON file with their items, and with what else is needed: the
   file, of which fields are read again, or the texts of all fields. */
static table
rows_of_source(const input_file *from, kept_part kept)
{
    row_source *source = row_source_open(from, kept == KEEP_FILE);
    table rows = {.is_json = from->is_json};
    pqt_table_record record;
    size_t capacity = 0;
    pqt_table_columns columns = row_source_columns(source);
    set_columns(&rows, &columns);
    while (row_source_next(source, &record)) {
        if (rows.count == 0) { /* the first row shows whether ids are text */
            columns = row_source_columns(source);
            set_columns(&rows, &columns);
        }
        add_record(&rows, &record, kept);
    }
    pqt_field *names = xgrow(NULL, &capacity, columns.count, sizeof *names);
    row_source_names(source, names);
    keep_names(&rows, names);
    free(names);
    rows.again = row_source_end(source);
    return rows;
}

/* Makes the items of the source those of the table. Rows without ids have items of their own,
   because a merge gives them ids. */
static void
share_items(table *rows)
{
    const pqt_item *items = pqt_table_items(rows->source);
    rows->has_shared_items = rows->has_ids;
    if (rows->has_ids) {
        rows->items = (pqt_item *)(uintptr_t)items; /* nothing writes to them */
        return;
    }
    rows->items = xgrow(NULL, &rows->capacity, rows->count, sizeof *rows->items);
    if (rows->count > 0)
        memcpy(rows->items, items, rows->count * sizeof *rows->items);
}

/* Returns the rows of a CSV or GeoJSON file with all their texts and with its bytes. */
static table
rows_of_csv(const input_file *from)
{
    pqt_table *source = read_whole_table(from);
    const pqt_table_columns columns = pqt_table_get_columns(source);
    table rows = {.count = pqt_table_count(source), .is_json = from->is_json, .source = source};
    set_columns(&rows, &columns);
    share_items(&rows);
    keep_texts(&rows);
    return rows;
}

static bool
append_item(const pqt_item *item, void *context)
{
    table *rows = context;
    rows->items[rows->count++] = *item;
    return true;
}

/* Returns the items of a tree as rows with the columns id, min_x, min_y, max_x and max_y. */
static table
rows_of_tree(const pqt_tree *tree)
{
    static const char *const names[] = {"id", "min_x", "min_y", "max_x", "max_y"};
    table rows = {.has_ids = true, .tree = tree};
    table_columns *columns = &rows.columns;
    rows.items = xgrow(NULL, &rows.capacity, pqt_tree_count(tree), sizeof *rows.items);
    pqt_tree_visit(tree, NULL, append_item, &rows);
    columns->count = sizeof names / sizeof names[0];
    columns->places = 4;
    columns->coordinates = 4;
    columns->id = 0;
    for (size_t i = 0; i < columns->count; i++) {
        keep_name(columns, i, (pqt_field){names[i], strlen(names[i]), false});
        if (i > 0)
            columns->rank[i - 1] = i;
    }
    return rows;
}

table
table_from(input_file *from, kept_part kept)
{
    if (from->is_pqt)
        return rows_of_tree(input_of_kind(from, PQT_KIND_TREE));
    return kept == KEEP_ALL ? rows_of_csv(from) : rows_of_source(from, kept);
}

table
table_read(const char *file, kept_part kept)
{
    input_file from = input_open(file);
    const table rows = table_from(&from, kept);
    input_close(&from);
    return rows;
}

void
table_replace_columns(table *rows, pqt_table *source, texts fields)
{
    const pqt_table_columns columns = pqt_table_get_columns(source);
    size_t capacity = 0, at = 0, others = 0;
    pqt_field *names = xgrow(NULL, &capacity, columns.count, sizeof *names);
    pqt_table_free(rows->source);
    rows->source = source;
    rows->columns.names.length = 0;
    rows->columns.has_id_of_text = false;
    set_columns(rows, &columns);
    if (rows->has_shared_items)
        share_items(rows);
    pqt_table_fields(source, PQT_TABLE_HEADER, names);
    keep_names(rows, names);
    free(names);
    free(rows->kept.bytes);
    rows->kept = fields;
    for (size_t c = 0; c < columns.count; c++)
        others += column_is_other(&rows->columns, c);
    for (size_t row = 0; row < rows->count; row++) {
        rows->kept_at[row] = at;
        for (size_t i = 0; i < others; i++)
            at += strlen(fields.bytes + at) + 1;
    }
}

void
table_free(table *rows)
{
    if (!rows->has_shared_items)
        free(rows->items);
    free(rows->columns.names.bytes);
    free(rows->columns.name_at);
    free(rows->kept.bytes);
    free(rows->kept_at);
    free(rows->index.ids);
    free(rows->index.rows);
    pqt_table_free(rows->source);
    row_source_close(rows->again);
    *rows = (table){.items = NULL};
}

bool
column_is_other(const table_columns *columns, size_t column)
{
    for (int i = 0; i < columns->places; i++)
        if (column == columns->rank[i])
            return false;
    return column != columns->id;
}

const char *
table_fields(const table *rows, size_t row)
{
    return rows->kept.length > 0 ? rows->kept.bytes + rows->kept_at[row] : "";
}

const char *
table_fields_again(table *rows, size_t row)
{
    if (rows->again == NULL)
        return table_fields(rows, row);
    const pqt_table_record record = row_source_again(rows->again, row);
    rows->kept.length = 0;
    keep_row(rows, 0, record.fields);
    rows->fields_again = record.fields;
    return rows->kept.length > 0 ? rows->kept.bytes : "";
}

const char *
next_field(const char *field)
{
    return field + strlen(field) + 1;
}

static int
compare_numbers(double a, double b)
{
    return (a > b) - (a < b);
}

int
compare_items(const pqt_item *a, const pqt_item *b)
{
    int order = (a->id > b->id) - (a->id < b->id);
    order = order != 0 ? order : compare_numbers(a->box.min.x, b->box.min.x);
    order = order != 0 ? order : compare_numbers(a->box.min.y, b->box.min.y);
    order = order != 0 ? order : compare_numbers(a->box.max.x, b->box.max.x);
    return order != 0 ? order : compare_numbers(a->box.max.y, b->box.max.y);
}

/* ---- The rows of items ---- */

static bool
are_in_order(const uint64_t *ids, size_t count)
{
    size_t i = 1;
    while (i < count && ids[i - 1] <= ids[i])
        i++;
    return i >= count;
}

/* An id and its row. */
typedef struct id_row {
    uint64_t id;
    size_t row;
} id_row;

static int
compare_id_rows(const void *a, const void *b)
{
    const id_row *first = a, *second = b;
    const int order = (first->id > second->id) - (first->id < second->id);
    return order != 0 ? order : (first->row > second->row) - (first->row < second->row);
}

/* Sorts the rows by id, and then by row. */
static void
sort_by_id(row_index *index, size_t count)
{
    size_t capacity = 0;
    id_row *sorted = xgrow(NULL, &capacity, count, sizeof *sorted);
    for (size_t i = 0; i < count; i++)
        sorted[i] = (id_row){index->ids[i], i};
    qsort(sorted, count, sizeof *sorted, compare_id_rows);
    capacity = 0;
    index->rows = xgrow(NULL, &capacity, count, sizeof *index->rows);
    for (size_t i = 0; i < count; i++) {
        index->ids[i] = sorted[i].id;
        index->rows[i] = sorted[i].row;
    }
    free(sorted);
}

/* Makes the index, for which the items are needed. */
static void
make_index(table *rows)
{
    size_t capacity = 0;
    row_index *index = &rows->index;
    if (index->ids != NULL || !rows->has_ids)
        return;
    index->ids = xgrow(NULL, &capacity, rows->count, sizeof *index->ids);
    for (size_t i = 0; i < rows->count; i++)
        index->ids[i] = rows->items[i].id;
    if (!are_in_order(index->ids, rows->count))
        sort_by_id(index, rows->count);
}

static pqt_item
item_of_row(table *rows, size_t row)
{
    return rows->items != NULL ? rows->items[row] : row_source_again(rows->again, row).item;
}

size_t
table_row(table *rows, const pqt_item *item)
{
    size_t low = 0, high = rows->count;
    if (!rows->has_ids)
        return (size_t)item->id;
    if (rows->tree != NULL)
        return 0; /* it has no other fields */
    make_index(rows);
    const row_index *index = &rows->index;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (index->ids[middle] < item->id)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low + 1 < rows->count && index->ids[low + 1] == item->id; low++) {
        const pqt_item found = item_of_row(rows, index->rows != NULL ? index->rows[low] : low);
        if (compare_items(&found, item) == 0)
            break;
    }
    return index->rows != NULL ? index->rows[low] : low;
}

/* ---- Versions ---- */

/* Returns the smallest bounds that contain all items, as pqt_tree_of does. */
static pqt_box
bounds_of(const table *rows)
{
    pqt_box bounds = {{0, 0}, {0, 0}};
    for (size_t i = 0; i < rows->count; i++)
        bounds = i == 0 ? rows->items[i].box : pqt_box_union(bounds, rows->items[i].box);
    return bounds;
}

static const pqt_tree *
insert_items(const pqt_tree *empty, const pqt_item *items, size_t count, const char *file)
{
    pqt_error error = {0};
    progress_begin_wait("building", count);
    const pqt_tree *tree = pqt_tree_insert_all(empty, items, count, &error);
    progress_end();
    if (tree == NULL)
        die_error(file, &error);
    return tree;
}

const pqt_tree *
table_tree_in(table *rows, pqt_box bounds, const pqt_tree_options *options, const char *file)
{
    pqt_error error = {0};
    const pqt_tree *empty = pqt_tree_make(bounds, options, &error);
    if (empty == NULL)
        die_error(file, &error);
    if (rows->tree != NULL || rows->source != NULL)
        return insert_items(empty, rows->items, rows->count, file);
    if (rows->again != NULL)
        make_index(rows);
    const pqt_tree *tree = build_in_parts(empty, rows->items, rows->count, file);
    rows->items = NULL;
    return tree;
}

const pqt_tree *
table_tree(table *rows, const pqt_tree_options *options, const char *file)
{
    pqt_tree_options defaults = PQT_TREE_DEFAULTS;
    defaults.memory = tool_memory();
    return table_tree_in(rows, bounds_of(rows), options != NULL ? options : &defaults, file);
}

const pqt_tree *
tree_of_items(const pqt_item *items, size_t count, const char *file)
{
    pqt_error error = {0};
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.memory = tool_memory();
    progress_begin_wait("building", count);
    const pqt_tree *tree = pqt_tree_of(items, count, &options, &error);
    progress_end();
    if (tree == NULL)
        die_error(file, &error);
    return tree;
}
