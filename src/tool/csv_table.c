/* SPDX-License-Identifier: MIT */
/*
 * csv_table.c: the rows of a CSV, GeoJSON or .pqt file as items.
 *
 * The library reads CSV (pqt/table.h). The fields of the other columns are kept as text without
 * quotes, so that rows can be compared and written.
 */
#include "config.h"

#include "tool/csv_table.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "tool/column_options.h"
#include "tool/geojson_table.h"
#include "tool/input_file.h"
#include "tool/message.h"
#include "tool/progress.h"
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

/* Keeps the names of the columns and the fields of all rows. */
static void
keep_texts(table *rows)
{
    size_t capacity = 0;
    pqt_field *fields = xgrow(NULL, &capacity, rows->columns.count, sizeof *fields);
    pqt_table_fields(rows->source, PQT_TABLE_HEADER, fields);
    for (size_t c = 0; c < rows->columns.count; c++) {
        keep_name(&rows->columns, c, fields[c]);
        rows->columns.has_id_of_text |= rows->columns.id != c && is_named_id(fields[c]);
    }
    for (size_t row = 0; row < rows->count; row++) {
        pqt_table_fields(rows->source, row, fields);
        keep_row(rows, row, fields);
    }
    free(fields);
}

/* ---- Reading ---- */

/* A stream whose bytes are counted for the progress bar. */
typedef struct counted_stream {
    const input_file *from;
    uint64_t bytes;
} counted_stream;

static bool
read_stream(void *bytes, size_t capacity, size_t *count, void *context)
{
    counted_stream *stream = context;
    *count = fread(bytes, 1, capacity, stream->from->stream);
    if (ferror(stream->from->stream))
        die(stream->from->name, 0, "cannot be read (%s)", strerror(errno));
    stream->bytes += *count;
    progress_at(stream->bytes);
    return true;
}

/* Ends the program with the library's message, whose line is shown after the name of the file. */
static _Noreturn void
die_in_table(const char *file, const pqt_error *error)
{
    const char *message = strncmp(error->text, "line ", 5) == 0 ? strstr(error->text, ": ") : NULL;
    if (message == NULL)
        die_error(error->status == PQT_ERROR_OPTION ? NULL : file, error);
    die(file, error->index, "%s", message + 2);
}

static pqt_table *
read_csv(const input_file *from)
{
    struct stat status;
    const bool is_sized = fstat(fileno(from->stream), &status) == 0 && S_ISREG(status.st_mode);
    counted_stream stream = {.from = from};
    pqt_error error = {0};
    progress_begin("reading", is_sized ? (uint64_t)status.st_size : 0, PROGRESS_BYTES);
    pqt_table *read = pqt_table_read(read_stream, &stream, column_options(), &error);
    if (read == NULL)
        die_in_table(from->name, &error);
    progress_end();
    return read;
}

#if PQT_WITH_JANSSON
/* Reads GeoJSON, whose positions are always geometries, or plain objects of JSON. */
static pqt_table *
read_geojson(const input_file *from)
{
    geojson_table *geojson = geojson_open(from->name, from->stream);
    pqt_table_options options = *column_options();
    pqt_error error = {0};
    for (size_t i = 0; i < 4 && geojson_has_geometries(geojson); i++)
        options.position[i] = i == 0 ? "wkt" : NULL;
    pqt_table *read = pqt_table_read(geojson_read, geojson, &options, &error);
    if (read == NULL && error.status == PQT_ERROR_FORMAT)
        error.index = geojson_line(geojson, error.index);
    if (read == NULL)
        die_in_table(from->name, &error);
    geojson_close(geojson);
    progress_end();
    return read;
}

#else
static pqt_table *
read_geojson(const input_file *from)
{
    die(from->name, 0, "this pqt was built without jansson, and reads no JSON");
}
#endif

static table
rows_of_csv(const input_file *from, bool keeps_all)
{
    pqt_table *source = from->is_json ? read_geojson(from) : read_csv(from);
    const pqt_table_columns columns = pqt_table_get_columns(source);
    table rows = {.count = pqt_table_count(source), .is_json = from->is_json, .source = source};
    rows.has_ids = columns.id != PQT_TABLE_NONE;
    rows.is_geographic = columns.position == PQT_TABLE_DEGREES ||
                         columns.position == PQT_TABLE_DEGREE_BOXES ||
                         columns.position == PQT_TABLE_GEOMETRIES;
    rows.columns.count = columns.count;
    /* A size that is computed from a box can differ in its last digit, so it is kept as text, and
       so is a geometry. */
    rows.columns.places = columns.position == PQT_TABLE_SIZES        ? 2
                          : columns.position == PQT_TABLE_GEOMETRIES ? 0
                                                                     : (int)columns.coordinates;
    rows.columns.coordinates = columns.coordinates;
    rows.columns.id = columns.id;
    memcpy(rows.columns.rank, columns.coordinate, sizeof rows.columns.rank);
    rows.items = xgrow(NULL, &rows.capacity, rows.count, sizeof *rows.items);
    if (rows.count > 0)
        memcpy(rows.items, pqt_table_items(source), rows.count * sizeof *rows.items);
    if (keeps_all) {
        keep_texts(&rows);
    } else {
        pqt_table_free(source);
        rows.source = NULL;
    }
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

static table
read_from(input_file *from, bool keeps_all)
{
    return from->is_pqt ? rows_of_tree(input_of_kind(from, PQT_KIND_TREE))
                        : rows_of_csv(from, keeps_all);
}

table
table_from(input_file *from)
{
    return read_from(from, false);
}

static table
read_table(const char *file, bool keeps_all)
{
    input_file from = input_open(file);
    const table rows = read_from(&from, keeps_all);
    input_close(&from);
    return rows;
}

table
table_read(const char *file)
{
    return read_table(file, false);
}

table
table_read_all(const char *file)
{
    return read_table(file, true);
}

void
table_free(table *rows)
{
    free(rows->items);
    free(rows->columns.names.bytes);
    free(rows->columns.name_at);
    free(rows->kept.bytes);
    free(rows->kept_at);
    free(rows->by_item);
    pqt_table_free(rows->source);
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
next_field(const char *field)
{
    return field + strlen(field) + 1;
}

struct item_row {
    pqt_item item;
    size_t row;
};

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

/* Compares rows by item, then by row number. */
static int
compare_item_rows(const void *a, const void *b)
{
    const struct item_row *first = a, *second = b;
    int order = compare_items(&first->item, &second->item);
    return order != 0 ? order : (first->row > second->row) - (first->row < second->row);
}

static void
sort_by_item(table *rows)
{
    size_t capacity = 0;
    rows->by_item = xgrow(NULL, &capacity, rows->count, sizeof *rows->by_item);
    for (size_t i = 0; i < rows->count; i++)
        rows->by_item[i] = (struct item_row){rows->items[i], i};
    qsort(rows->by_item, rows->count, sizeof *rows->by_item, compare_item_rows);
}

size_t
table_row(table *rows, const pqt_item *item)
{
    size_t low = 0, high = rows->count;
    if (!rows->has_ids)
        return (size_t)item->id;
    if (rows->by_item == NULL)
        sort_by_item(rows);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_items(&rows->by_item[middle].item, item) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return rows->by_item[low].row;
}

bool *
table_flags(const table *rows)
{
    size_t capacity = 0;
    bool *flags = xgrow(NULL, &capacity, rows->count, sizeof *flags);
    memset(flags, 0, rows->count * sizeof *flags);
    return flags;
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
