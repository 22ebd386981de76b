/* SPDX-License-Identifier: MIT */
/*
 * csv_table.c: reads the rows of a CSV or .pqt file as items.
 *
 * The first record names the columns. There are three sets of columns for positions. A file must
 * have the columns of exactly one set, since with two sets the position would be ambiguous. Other
 * columns are ignored or kept as text.
 */
#include "config.h"

#include "tool/tool.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tool/input_file.h"

/* The meaning of a column. */
typedef enum role { MIN_X, MIN_Y, MAX_X, MAX_Y, X, Y, LON, LAT, ID, ROLES } role;

static const char *const role_names[ROLES] = {"min_x", "min_y", "max_x", "max_y", "x",
                                              "y",     "lon",   "lat",   "id"};

/* A set of columns for positions: the `count` roles from `first` onwards. */
static const struct position_format {
    role first;
    int count;
    const char *names;
} position_formats[] = {{MIN_X, 4, "min_x,min_y,max_x,max_y"}, {X, 2, "x,y"}, {LON, 2, "lon,lat"}};
enum { POSITION_FORMATS = sizeof position_formats / sizeof position_formats[0] };

static const size_t absent = SIZE_MAX;

typedef struct table_reader {
    const char *file;
    table rows;
    size_t column_of[ROLES];
    size_t columns; /* the number of columns in the header; 0: the header has not been read yet */
    const struct position_format *position_format; /* the set of columns that the file uses */
    double numbers[4];                             /* the numbers of the current row */
    uint64_t id;
    bool keeps_all;
    char header[100]; /* the beginning of the header, for messages */
} table_reader;

/* Appends a string with its terminating zero byte. Returns the index at which it begins. */
static size_t
append_text(texts *all, const char *text, size_t length)
{
    size_t at = all->length;
    all->bytes = xgrow(all->bytes, &all->capacity, at + length + 1, 1);
    memcpy(all->bytes + at, text, length);
    all->bytes[at + length] = '\0';
    all->length = at + length + 1;
    return at;
}

static void
keep_name(table_columns *columns, size_t column, const char *text, size_t length)
{
    columns->name_at =
        xgrow(columns->name_at, &columns->name_at_capacity, column + 1, sizeof *columns->name_at);
    columns->name_at[column] = append_text(&columns->names, text, length);
}

static void
read_header_field(table_reader *state, size_t line, size_t column, const char *text, size_t length)
{
    size_t used = strlen(state->header);
    snprintf(state->header + used, sizeof state->header - used, column > 0 ? ",%s" : "%s", text);
    if (state->keeps_all)
        keep_name(&state->rows.columns, column, text, length);
    for (int i = 0; i < ROLES; i++) {
        if (strlen(role_names[i]) != length || strcasecmp(role_names[i], text) != 0)
            continue;
        if (state->column_of[i] != absent)
            die(state->file, line, "column occurs twice (%s)", role_names[i]);
        state->column_of[i] = column;
    }
}

static int
count_columns_of(const table_reader *state, const struct position_format *position_format)
{
    int found = 0;
    for (int i = 0; i < position_format->count; i++)
        found += state->column_of[position_format->first + (role)i] != absent;
    return found;
}

static _Noreturn void
die_without_positions(const table_reader *state, size_t line)
{
    for (const struct position_format *position_format = position_formats;
         position_format < position_formats + POSITION_FORMATS; position_format++)
        for (int i = 0; i < position_format->count && count_columns_of(state, position_format) > 0;
             i++)
            if (state->column_of[position_format->first + (role)i] == absent)
                die(state->file, line, "column is missing (%s)",
                    role_names[(int)position_format->first + i]);
    die(state->file, line, "no columns min_x,min_y,max_x,max_y or x,y or lon,lat (%s)",
        quote_text(state->header).text);
}

static void
finish_header(table_reader *state, size_t line, size_t columns)
{
    for (const struct position_format *position_format = position_formats;
         position_format < position_formats + POSITION_FORMATS; position_format++) {
        if (count_columns_of(state, position_format) < position_format->count)
            continue;
        if (state->position_format != NULL)
            die(state->file, line, "positions are given by two sets of columns (%s and %s)",
                state->position_format->names, position_format->names);
        state->position_format = position_format;
    }
    if (state->position_format == NULL)
        die_without_positions(state, line);
    state->columns = columns;
    state->rows.columns.count = columns;
    state->rows.columns.places = state->position_format->count;
    for (int i = 0; i < state->position_format->count; i++)
        state->rows.columns.rank[i] = state->column_of[state->position_format->first + (role)i];
    state->rows.columns.id = state->column_of[ID];
    state->rows.is_geographic = state->position_format->first == LON;
    state->rows.has_ids = state->column_of[ID] != absent;
}

static double
parse_number(const table_reader *state, size_t line, role which, const char *text, size_t length)
{
    double number = 0;
    number_fault fault = read_number(text, length, &number);
    if (fault != NUMBER_FINE)
        die(state->file, line, "%s is not a %s (%s)", role_names[which],
            fault == NUMBER_NOT_ONE ? "number" : "finite number", quote(text, length).text);
    return number;
}

static uint64_t
parse_id(const table_reader *state, size_t line, const char *text, size_t length)
{
    uint64_t id;
    if (!read_id(text, length, &id))
        die(state->file, line, "id is not a whole number from 0 to %" PRIu64 " (%s)", UINT64_MAX,
            quote(text, length).text);
    return id;
}

/* Keeps a field of the current row, after the fields that were kept before. */
static void
keep_field(table *rows, const char *text, size_t length)
{
    size_t at = append_text(&rows->kept, text, length);
    if (rows->kept_rows > rows->count)
        return;
    rows->kept_at =
        xgrow(rows->kept_at, &rows->kept_at_capacity, rows->count + 1, sizeof *rows->kept_at);
    rows->kept_at[rows->count] = at;
    rows->kept_rows = rows->count + 1;
}

static void
read_field(void *context, size_t line, size_t column, const char *text, size_t length)
{
    table_reader *state = context;
    if (state->columns == 0) {
        read_header_field(state, line, column, text, length);
        return;
    }
    for (int i = 0; i < state->position_format->count; i++) {
        role which = state->position_format->first + (role)i;
        if (column == state->column_of[which])
            state->numbers[i] = parse_number(state, line, which, text, length);
    }
    if (column == state->column_of[ID])
        state->id = parse_id(state, line, text, length);
    if (state->keeps_all && column_is_other(&state->rows.columns, column))
        keep_field(&state->rows, text, length);
}

static pqt_box
box_of_row(const table_reader *state, size_t line)
{
    const double *n = state->numbers;
    if (state->position_format->count == 2)
        return (pqt_box){{n[0], n[1]}, {n[0], n[1]}};
    if (n[0] > n[2])
        die(state->file, line, "box is inverted (min_x %s > max_x %s)", shortest(n[0]).text,
            shortest(n[2]).text);
    if (n[1] > n[3])
        die(state->file, line, "box is inverted (min_y %s > max_y %s)", shortest(n[1]).text,
            shortest(n[3]).text);
    return (pqt_box){{n[0], n[1]}, {n[2], n[3]}};
}

static void
finish_record(void *context, size_t line, size_t columns)
{
    table_reader *state = context;
    if (state->columns == 0) {
        finish_header(state, line, columns);
        return;
    }
    if (columns != state->columns)
        die(state->file, line, "wrong number of fields (%zu where the header has %zu)", columns,
            state->columns);
    table *rows = &state->rows;
    rows->items = xgrow(rows->items, &rows->capacity, rows->count + 1, sizeof *rows->items);
    rows->items[rows->count] =
        (pqt_item){box_of_row(state, line), rows->has_ids ? state->id : rows->count};
    rows->count++;
}

static table
read_csv(const input_file *from, bool keeps_all)
{
    table_reader state = {.file = from->name, .keeps_all = keeps_all};
    csv_reader reader = {read_field, finish_record, &state};
    for (int i = 0; i < ROLES; i++)
        state.column_of[i] = absent;
    size_t lines = csv_read(from, &reader);
    if (state.columns == 0)
        die(from->name, lines + 1, "no header (end of file)");
    return state.rows;
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
    static const role roles[] = {ID, MIN_X, MIN_Y, MAX_X, MAX_Y};
    table rows = {.has_ids = true, .tree = tree};
    table_columns *columns = &rows.columns;
    rows.items = xgrow(NULL, &rows.capacity, pqt_tree_count(tree), sizeof *rows.items);
    pqt_tree_visit(tree, NULL, append_item, &rows);
    columns->count = sizeof roles / sizeof roles[0];
    columns->places = 4;
    columns->id = 0;
    for (size_t i = 0; i < columns->count; i++) {
        keep_name(columns, i, role_names[roles[i]], strlen(role_names[roles[i]]));
        if (i > 0)
            columns->rank[i - 1] = i;
    }
    return rows;
}

static table
read_from(input_file *from, bool keeps_all)
{
    return from->is_pqt ? rows_of_tree(input_tree(from)) : read_csv(from, keeps_all);
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
    return rows->kept_rows > row ? rows->kept.bytes + rows->kept_at[row] : "";
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

const pqt_tree *
tree_of_items(const pqt_item *items, size_t count, const char *file)
{
    pqt_error error = {0};
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.memory = tool_memory();
    const pqt_tree *tree = pqt_tree_of(items, count, &options, &error);
    if (tree == NULL)
        die_error(file, &error);
    return tree;
}
