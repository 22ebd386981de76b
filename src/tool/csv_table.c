/* SPDX-License-Identifier: MIT */
/*
 * csv_table.c - the rows of a CSV file, as items.
 *
 * The first record names the columns. A place is given in one of three ways, never in two at once:
 * which one is meant would be a guess. Columns of other names are passed over, or kept as they are.
 */
#include "config.h"

#include "tool/tool.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* What a column can be. The first four of a row's roles are its numbers. */
typedef enum role { MIN_X, MIN_Y, MAX_X, MAX_Y, X, Y, LON, LAT, ID, ROLES } role;

static const char *const role_names[ROLES] = {"min_x", "min_y", "max_x", "max_y", "x",
                                              "y",     "lon",   "lat",   "id"};

/* The ways to give a place: `count` roles from `first` on. */
static const struct way {
    role first;
    int count;
    const char *names;
} ways[] = {{MIN_X, 4, "min_x,min_y,max_x,max_y"}, {X, 2, "x,y"}, {LON, 2, "lon,lat"}};
enum { WAYS = sizeof ways / sizeof ways[0] };

static const size_t absent = SIZE_MAX;

typedef struct reading {
    const char *file;
    table rows;
    size_t column_of[ROLES];
    size_t columns;        /* of the header; 0: it was not read yet */
    const struct way *way; /* how places are given */
    double numbers[4];     /* of this row */
    uint64_t id;
    bool keeps_all;
    char header[100]; /* its beginning, for complaints */
} reading;

/* Appends a text to others, each ended by a zero; returns where it begins. */
static size_t
append_text(texts *all, const char *text, size_t length)
{
    size_t at = all->length;
    all->bytes = grown(all->bytes, &all->capacity, at + length + 1, 1);
    memcpy(all->bytes + at, text, length);
    all->bytes[at + length] = '\0';
    all->length = at + length + 1;
    return at;
}

static void
keep_name(table_columns *columns, size_t column, const char *text, size_t length)
{
    columns->name_at =
        grown(columns->name_at, &columns->name_at_capacity, column + 1, sizeof *columns->name_at);
    columns->name_at[column] = append_text(&columns->names, text, length);
}

static void
take_header_field(reading *now, size_t line, size_t column, const char *text, size_t length)
{
    size_t used = strlen(now->header);
    snprintf(now->header + used, sizeof now->header - used, column > 0 ? ",%s" : "%s", text);
    if (now->keeps_all)
        keep_name(&now->rows.columns, column, text, length);
    for (int i = 0; i < ROLES; i++) {
        if (strlen(role_names[i]) != length || strcasecmp(role_names[i], text) != 0)
            continue;
        if (now->column_of[i] != absent)
            complain(now->file, line, "column is there twice (%s)", role_names[i]);
        now->column_of[i] = column;
    }
}

static int
columns_of_way(const reading *now, const struct way *way)
{
    int found = 0;
    for (int i = 0; i < way->count; i++)
        found += now->column_of[way->first + (role)i] != absent;
    return found;
}

static _Noreturn void
complain_of_places(const reading *now, size_t line)
{
    for (const struct way *way = ways; way < ways + WAYS; way++)
        for (int i = 0; i < way->count && columns_of_way(now, way) > 0; i++)
            if (now->column_of[way->first + (role)i] == absent)
                complain(now->file, line, "column is missing (%s)",
                         role_names[(int)way->first + i]);
    complain(now->file, line, "no columns min_x,min_y,max_x,max_y or x,y or lon,lat (%s)",
             quote_text(now->header).text);
}

static void
take_header(reading *now, size_t line, size_t columns)
{
    for (const struct way *way = ways; way < ways + WAYS; way++) {
        if (columns_of_way(now, way) < way->count)
            continue;
        if (now->way != NULL)
            complain(now->file, line, "places are given in two ways (%s and %s)", now->way->names,
                     way->names);
        now->way = way;
    }
    if (now->way == NULL)
        complain_of_places(now, line);
    now->columns = columns;
    now->rows.columns.count = columns;
    now->rows.columns.places = now->way->count;
    for (int i = 0; i < now->way->count; i++)
        now->rows.columns.rank[i] = now->column_of[now->way->first + (role)i];
    now->rows.columns.id = now->column_of[ID];
    now->rows.is_geographic = now->way->first == LON;
    now->rows.has_ids = now->column_of[ID] != absent;
}

static double
number_in(const reading *now, size_t line, role which, const char *text, size_t length)
{
    double number = 0;
    number_fault fault = read_number(text, length, &number);
    if (fault != NUMBER_FINE)
        complain(now->file, line, "%s is not a %s (%s)", role_names[which],
                 fault == NUMBER_NOT_ONE ? "number" : "finite number", quote(text, length).text);
    return number;
}

static uint64_t
id_in(const reading *now, size_t line, const char *text, size_t length)
{
    uint64_t id;
    if (!read_id(text, length, &id))
        complain(now->file, line, "id is not a whole number from 0 to %" PRIu64 " (%s)", UINT64_MAX,
                 quote(text, length).text);
    return id;
}

/* Keeps a field of this row, after those of it that were kept already. */
static void
keep_field(table *rows, const char *text, size_t length)
{
    size_t at = append_text(&rows->kept, text, length);
    if (rows->kept_rows > rows->count)
        return;
    rows->kept_at =
        grown(rows->kept_at, &rows->kept_at_capacity, rows->count + 1, sizeof *rows->kept_at);
    rows->kept_at[rows->count] = at;
    rows->kept_rows = rows->count + 1;
}

static void
take_field(void *context, size_t line, size_t column, const char *text, size_t length)
{
    reading *now = context;
    if (now->columns == 0) {
        take_header_field(now, line, column, text, length);
        return;
    }
    for (int i = 0; i < now->way->count; i++) {
        role which = now->way->first + (role)i;
        if (column == now->column_of[which])
            now->numbers[i] = number_in(now, line, which, text, length);
    }
    if (column == now->column_of[ID])
        now->id = id_in(now, line, text, length);
    if (now->keeps_all && column_is_other(&now->rows.columns, column))
        keep_field(&now->rows, text, length);
}

static pqt_box
box_of_row(const reading *now, size_t line)
{
    const double *n = now->numbers;
    if (now->way->count == 2)
        return (pqt_box){{n[0], n[1]}, {n[0], n[1]}};
    if (n[0] > n[2])
        complain(now->file, line, "box is inside out (min_x %s > max_x %s)", shortest(n[0]).text,
                 shortest(n[2]).text);
    if (n[1] > n[3])
        complain(now->file, line, "box is inside out (min_y %s > max_y %s)", shortest(n[1]).text,
                 shortest(n[3]).text);
    return (pqt_box){{n[0], n[1]}, {n[2], n[3]}};
}

static void
take_record(void *context, size_t line, size_t columns)
{
    reading *now = context;
    if (now->columns == 0) {
        take_header(now, line, columns);
        return;
    }
    if (columns != now->columns)
        complain(now->file, line, "wrong number of fields (%zu where the header has %zu)", columns,
                 now->columns);
    table *rows = &now->rows;
    rows->items = grown(rows->items, &rows->capacity, rows->count + 1, sizeof *rows->items);
    rows->items[rows->count] =
        (pqt_item){box_of_row(now, line), rows->has_ids ? now->id : rows->count};
    rows->count++;
}

static table
read_table(const char *file, bool keeps_all)
{
    reading now = {.file = file, .keeps_all = keeps_all};
    csv_reader reader = {take_field, take_record, &now};
    for (int i = 0; i < ROLES; i++)
        now.column_of[i] = absent;
    size_t lines = csv_read(file, &reader);
    if (now.columns == 0)
        complain(file, lines + 1, "no header (end of file)");
    return now.rows;
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

/* By item; of equal items, the first row comes first. */
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
    rows->by_item = grown(NULL, &capacity, rows->count, sizeof *rows->by_item);
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
        complain_error(file, &error);
    return tree;
}
