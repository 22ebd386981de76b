/* SPDX-License-Identifier: MIT */
/*
 * table_write.c: writes tables with other rows, and keeps the bytes of all fields that do not
 * change.
 *
 * A row is written field by field. The bytes of an unchanged field, which include the blanks and
 * the quotes around it, are copied. So an unchanged row is copied. The line end of a record is
 * written before the next record, since the last record may have none.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/error_internal.h"
#include "base/format_double.h"
#include "base/validate.h"
#include "io/table_internal.h"
#include "io/wkt.h"
#include "memory/memory_internal.h"

/* A table that is being written. */
typedef struct writer {
    const pqt_table *table;
    pqt_write_fn *write;
    void *context;
    pqt_error *error;
    pqti_csv_field *fields; /* the fields of the source of the current row, in scratch memory */
    pqt_field *samples;     /* the fields of the first row or of the header: see is_quoted_column */
    size_t capacity;
    const char *line_end; /* the line end that is due; NULL: the one of the header */
    size_t line_end_length;
} writer;

/* ---- Bytes ---- */

static bool
put(writer *to, const char *bytes, size_t count)
{
    if (count == 0 || to->write(bytes, count, to->context))
        return true;
    pqti_error_set(to->error, PQT_ERROR_CALLBACK, 0, "the write function failed");
    return false;
}

static bool
put_text(writer *to, const char *text)
{
    return put(to, text, strlen(text));
}

/* Returns the end of a record without its line end. */
static size_t
end_of_text(const pqt_table *table, size_t record)
{
    size_t end = table->ends[record];
    if (table->bytes[end - 1] == '\n')
        end -= end > 1 && table->bytes[end - 2] == '\r' ? 2 : 1;
    else if (table->bytes[end - 1] == '\r')
        end--;
    return end;
}

/* Makes the line end of a record due, or the one of the header if it has none. */
static void
set_line_end(writer *to, size_t record)
{
    const pqt_table *table = to->table;
    const size_t text_end = end_of_text(table, record);
    to->line_end = table->bytes + text_end;
    to->line_end_length = table->ends[record] - text_end;
    if (to->line_end_length == 0 && record > 0) {
        set_line_end(to, 0);
    } else if (to->line_end_length == 0) {
        to->line_end = "\n";
        to->line_end_length = 1;
    }
}

static bool
put_line_end(writer *to)
{
    return put(to, to->line_end, to->line_end_length);
}

/* ---- Text ---- */

/* Returns the next character of a field's text, and advances *at. */
static char
next_character(const pqt_field *field, size_t *at)
{
    const char c = field->bytes[*at];
    *at += field->is_quoted && c == '"' ? 2 : 1;
    return c;
}

static bool
is_same_text(const pqt_field *a, const pqt_field *b)
{
    size_t at = 0, other = 0;
    while (at < a->length && other < b->length)
        if (next_character(a, &at) != next_character(b, &other))
            return false;
    return at >= a->length && other >= b->length;
}

/* Returns true if a text would be read differently without quotes. */
static bool
needs_quotes(const writer *to, const pqt_field *text)
{
    const char separator = to->table->separator;
    for (size_t i = 0; i < text->length; i++)
        if (strchr("\"\r\n", text->bytes[i]) != NULL || text->bytes[i] == separator)
            return true;
    return text->length > 0 && (pqti_csv_is_blank(text->bytes[0], separator) ||
                                pqti_csv_is_blank(text->bytes[text->length - 1], separator));
}

static bool
put_field(writer *to, const pqt_field *text, bool is_quoted)
{
    if (!is_quoted && !needs_quotes(to, text))
        return put(to, text->bytes, text->length);
    if (!put_text(to, "\""))
        return false;
    for (size_t at = 0; at < text->length;) {
        const char c = next_character(text, &at);
        if (!put(to, (char[]){c, '"'}, c == '"' ? 2 : 1))
            return false;
    }
    return put_text(to, "\"");
}

/* ---- Columns ---- */

/* Returns the index of a column among the coordinates, or `coordinates` if it is not one. */
static size_t
coordinate_at(const pqt_table_columns *columns, size_t column)
{
    size_t i = 0;
    while (i < columns->coordinates && columns->coordinate[i] != column)
        i++;
    return i;
}

static bool
is_other_column(const pqt_table_columns *columns, size_t column)
{
    return column != columns->id && coordinate_at(columns, column) == columns->coordinates;
}

/* Returns the column of another table that has the same meaning, or PQT_TABLE_NONE. The columns
   that are neither coordinates nor ids correspond in their order: `next` follows the last of those
   that were returned. */
static size_t
column_in(const pqt_table_columns *columns, size_t column, const pqt_table_columns *other,
          size_t *next)
{
    const size_t coordinate = coordinate_at(columns, column);
    if (other == columns)
        return column;
    if (column == columns->id)
        return other->id;
    if (coordinate < columns->coordinates)
        return other->position == columns->position ? other->coordinate[coordinate]
                                                    : PQT_TABLE_NONE;
    while (*next < other->count)
        if (is_other_column(other, (*next)++))
            return *next - 1;
    return PQT_TABLE_NONE;
}

/* Returns true if new fields of a column are in quotes, like those of the first row. */
static bool
is_quoted_column(const writer *to, size_t column)
{
    return to->samples[column].is_quoted;
}

/* ---- Rows ---- */

/* A row that is being written. */
typedef struct output_row {
    const pqt_table_row *row;
    double numbers[4];     /* the numbers of its position */
    size_t next;           /* the column of its source that follows the other columns so far */
    bool has_new_geometry; /* its geometry is written from its box */
} output_row;

/* Finds the fields of the row's source. Returns false without memory. */
static bool
find_fields(writer *to, const pqt_table_row *row)
{
    const pqt_table *source = row->table;
    if (to->capacity < source->columns.count) {
        pqti_csv_field *grown =
            pqti_resize_scratch(to->fields, 0, source->columns.count, sizeof *grown);
        if (grown == NULL) {
            pqti_out_of_memory(to->error);
            return false;
        }
        to->fields = grown;
        to->capacity = source->columns.count;
    }
    pqti_csv csv = pqti_table_record(source, row->row + 1);
    const size_t start = csv.at;
    for (size_t i = 0; i < source->columns.count; i++)
        pqti_csv_next(&csv, start, &to->fields[i]);
    return true;
}

/* Returns the number in a field of a table, or -1. */
static double
number_in(const pqt_table *table, const pqti_csv_field *field)
{
    double number = -1;
    pqti_table_parse(table, &field->text, &number);
    return number;
}

/* Returns true if the fields of a table are written as those of the one that is written. */
static bool
is_spelled_alike(const writer *to, const pqt_table *source)
{
    return source->separator == to->table->separator &&
           source->has_decimal_comma == to->table->has_decimal_comma;
}

/* Computes the numbers of a row's position. Returns false and sets `error` if there are none. */
static bool
find_numbers(writer *to, output_row *out, size_t index)
{
    const pqt_table_row *row = out->row;
    const pqt_table_columns *columns = &to->table->columns;
    const pqt_table_columns *source = row->table == NULL ? NULL : &row->table->columns;
    pqt_item admitted;
    if (!pqti_validate_item(&row->item, index, &admitted, to->error))
        return false;
    if (source != NULL && source->position == columns->position)
        for (size_t i = 0; i < columns->coordinates; i++)
            out->numbers[i] = number_in(row->table, &to->fields[source->coordinate[i]]);
    if (pqti_table_write_box(columns, &admitted.box, out->numbers))
        return true;
    pqti_error_set(to->error, PQT_ERROR_MISMATCH, index,
                   "row %zu: the columns cannot hold the box of id %llu", index,
                   (unsigned long long)row->item.id);
    return false;
}

/* Decides how the geometry of a row is written: the given or the old one if it has the box of the
   item, otherwise one that is made from the box. Returns false and sets `error` if more than a box
   would be lost, or if the given one has another box. */
static bool
choose_geometry(const writer *to, output_row *out, size_t index)
{
    const pqt_table_row *row = out->row;
    const pqt_table_columns *columns = &to->table->columns;
    const size_t column = columns->coordinate[0];
    const bool is_given = row->fields != NULL && row->fields[column].bytes != NULL;
    const pqt_field *field = is_given ? &row->fields[column] : NULL;
    if (!is_given && row->table != NULL && row->table->columns.position == columns->position)
        field = &to->fields[row->table->columns.coordinate[0]].text;
    if (field == NULL) {
        out->has_new_geometry = true;
        return true;
    }
    const pqti_wkt found = pqti_wkt_read(field->bytes, field->length);
    out->has_new_geometry = found.fault != NULL || !pqti_box_equals(&found.box, &row->item.box);
    if (!out->has_new_geometry || (found.is_box && !is_given))
        return true;
    pqti_error_set(to->error, PQT_ERROR_MISMATCH, index,
                   "row %zu: the geometry of id %llu does not have its box", index,
                   (unsigned long long)row->item.id);
    return false;
}

/* A reader would refuse a zero byte. */
static bool
check_fields(const writer *to, const pqt_table_row *row, size_t index)
{
    for (size_t i = 0; row->fields != NULL && i < to->table->columns.count; i++) {
        const pqt_field field = row->fields[i];
        if (field.length == 0 || memchr(field.bytes, 0, field.length) == NULL)
            continue;
        pqti_error_set(to->error, PQT_ERROR_FORMAT, index, "row %zu: column %zu: zero byte", index,
                       i);
        return false;
    }
    return true;
}

static bool
put_copy(writer *to, const pqt_table *source, size_t column)
{
    const pqti_csv_field *field = &to->fields[column];
    return put(to, source->bytes + field->start, field->end - field->start);
}

/* Returns true if the source of a row has the same number in a column. */
static bool
has_number(const writer *to, const output_row *out, size_t coordinate, size_t column)
{
    return column != PQT_TABLE_NONE && is_spelled_alike(to, out->row->table) &&
           number_in(out->row->table, &to->fields[column]) == out->numbers[coordinate];
}

static bool
has_id(const writer *to, const output_row *out, size_t column)
{
    uint64_t id;
    return column != PQT_TABLE_NONE && is_spelled_alike(to, out->row->table) &&
           pqti_table_read_id(&to->fields[column].text, 0, &id, NULL) && id == out->row->item.id;
}

/* Writes a number or an id. */
static bool
put_value(writer *to, size_t column, size_t source, const char *text)
{
    const bool is_quoted =
        source == PQT_TABLE_NONE ? is_quoted_column(to, column) : to->fields[source].text.is_quoted;
    return put_field(to, &(pqt_field){text, strlen(text), false}, is_quoted);
}

/* Writes a coordinate, with a decimal comma if those of the table have one. */
static bool
put_number(writer *to, size_t column, size_t source, double number)
{
    pqti_double_text text = pqti_format_double(number);
    char *point = strchr(text.text, '.');
    if (point != NULL && to->table->has_decimal_comma)
        *point = ',';
    return put_value(to, column, source, text.text);
}

/* Writes a field of another column. `source` is its column in the row's table. */
static bool
put_other(writer *to, const pqt_table_row *row, size_t column, size_t source)
{
    const pqt_field none = {NULL, 0, false};
    const pqt_field *given = row->fields != NULL ? &row->fields[column] : &none;
    if (source == PQT_TABLE_NONE)
        return put_field(to, given, given->bytes != NULL && is_quoted_column(to, column));
    if (given->bytes == NULL || is_same_text(given, &to->fields[source].text)) {
        if (is_spelled_alike(to, row->table))
            return put_copy(to, row->table, source);
        given = &to->fields[source].text;
    }
    return put_field(to, given, to->fields[source].text.is_quoted);
}

static bool
put_column(writer *to, output_row *out, size_t column)
{
    const pqt_table_row *row = out->row;
    const pqt_table_columns *columns = &to->table->columns;
    const size_t coordinate = coordinate_at(columns, column);
    const size_t source = row->table == NULL
                              ? PQT_TABLE_NONE
                              : column_in(columns, column, &row->table->columns, &out->next);
    if (column == columns->id) {
        char digits[24];
        if (has_id(to, out, source))
            return put_copy(to, row->table, source);
        snprintf(digits, sizeof digits, "%llu", (unsigned long long)row->item.id);
        return put_value(to, column, source, digits);
    }
    if (out->has_new_geometry && coordinate == 0) {
        char text[PQTI_WKT_LONGEST];
        pqti_wkt_write(&row->item.box, text);
        return put_value(to, column, source, text);
    }
    if (coordinate < columns->coordinates && columns->position != PQT_TABLE_GEOMETRIES) {
        if (has_number(to, out, coordinate, source))
            return put_copy(to, row->table, source);
        return put_number(to, column, source, out->numbers[coordinate]);
    }
    return put_other(to, row, column, source);
}

/* Writes the blank lines before the source of a row. */
static bool
put_blank_lines(writer *to, const pqt_table_row *row)
{
    const pqt_table *source = row->table;
    if (source == NULL || !is_spelled_alike(to, source))
        return true;
    const size_t start = source->ends[row->row];
    return put(to, source->bytes + start, pqti_table_record(source, row->row + 1).at - start);
}

static bool
put_row(writer *to, const pqt_table_row *row, size_t index)
{
    const pqt_table_columns *columns = &to->table->columns;
    output_row out = {.row = row, .numbers = {-1, -1, -1, -1}};
    PQT_ASSERT_IN("pqt_table_write", row->table == NULL || row->row < row->table->count,
                  "a row is not one of its table");
    if (row->table != NULL && !find_fields(to, row))
        return false;
    if (!find_numbers(to, &out, index) || !check_fields(to, row, index))
        return false;
    if (columns->position == PQT_TABLE_GEOMETRIES && !choose_geometry(to, &out, index))
        return false;
    if (!put_line_end(to) || !put_blank_lines(to, row))
        return false;
    for (size_t column = 0; column < columns->count; column++) {
        if (column > 0 && !put(to, &to->table->separator, 1))
            return false;
        if (!put_column(to, &out, column))
            return false;
    }
    set_line_end(to, row->table == to->table ? row->row + 1 : 0);
    return true;
}

static bool
put_table(writer *to, const pqt_table_row *rows, size_t count)
{
    const pqt_table *table = to->table;
    const size_t last = table->records - 1;
    if (!put(to, table->bytes, end_of_text(table, 0)))
        return false;
    set_line_end(to, 0);
    for (size_t i = 0; i < count; i++)
        if (!put_row(to, &rows[i], i))
            return false;
    if (end_of_text(table, last) < table->ends[last] && !put_line_end(to))
        return false;
    return put(to, table->bytes + table->ends[last], table->length - table->ends[last]);
}

bool
pqt_table_write(const pqt_table *table, const pqt_table_row *rows, size_t count,
                pqt_write_fn *write, void *context, pqt_error *error)
{
    PQT_ASSERT(table != NULL, "the table is NULL");
    PQT_ASSERT(rows != NULL || count == 0, "the array of rows is NULL");
    PQT_ASSERT(write != NULL, "the write function is NULL");
    if (!pqti_may_compute(error))
        return false;
    writer to = {.table = table, .write = write, .context = context, .error = error};
    to.samples = pqti_alloc_scratch(table->columns.count, sizeof *to.samples);
    if (to.samples == NULL) {
        pqti_out_of_memory(error);
        return false;
    }
    pqt_table_fields(table, table->count > 0 ? 0 : PQT_TABLE_HEADER, to.samples);
    const bool was_written = put_table(&to, rows, count);
    pqti_free_scratch(to.samples);
    pqti_free_scratch(to.fields);
    return was_written;
}
