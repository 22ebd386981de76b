/* SPDX-License-Identifier: MIT */
/*
 * row_writer.c: writes rows in the formats that --format names.
 *
 * In JSON, a field that is a number of JSON that each double keeps is a number, and any other field
 * is a string. So all numbers are read back with their values, and all other fields as they were.
 */
#include "config.h"

#include "tool/row_writer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tool/cli.h"
#include "tool/column_options.h"
#include "tool/csv_write.h"
#include "tool/geometry_json.h"
#include "tool/globe_picture.h"
#include "tool/json_text.h"
#include "tool/message.h"
#include "tool/numbers.h"
#include "tool/tool_memory.h"

static const char *const format_names[] = {NULL, "csv", "json", "ndjson", "geojson", "wkt", "pqt"};
enum { FORMATS = sizeof format_names / sizeof format_names[0] };

enum { MOST_SPELLED = 400 }; /* a longer number is written as short as possible */

row_format
row_format_option(poptContext context, row_format last)
{
    char *text = text_option(context);
    for (int format = ROWS_CSV; format <= (int)last; format++)
        if (strcmp(text, format_names[format]) == 0) {
            free(text);
            return (row_format)format;
        }
    die(NULL, 0, "--format is not csv, json, %s (%s)",
        last == ROWS_NDJSON ? "or ndjson"
        : last == ROWS_WKT  ? "ndjson, geojson or wkt"
                            : "ndjson, geojson, wkt or pqt",
        quote_text(text).text);
}

row_format
row_format_of(row_format chosen, const char *file)
{
    const char *ending = file != NULL ? strrchr(file, '.') : NULL;
    for (int format = ROWS_CSV; chosen == ROWS_BY_NAME && ending != NULL && format < FORMATS;
         format++)
        if (strcasecmp(ending + 1, format_names[format]) == 0)
            return (row_format)format;
    return chosen == ROWS_BY_NAME ? ROWS_CSV : chosen;
}

const char *
row_format_name(row_format format)
{
    return format == ROWS_CSV || format == ROWS_WKT ? "CSV" : format_names[format];
}

/* ---- JSON ---- */

/* Writes a name or, if `is_field`, a field. Ends the program with an error if it is not UTF-8. */
static void
write_text(const row_writer *to, const char *text, bool is_field)
{
    check_json_text(text, to->file);
    (is_field ? write_json_field : write_json_string)(to->stream, text);
}

static bool
is_csv(const row_writer *to)
{
    return to->format == ROWS_CSV || to->format == ROWS_WKT;
}

/* ---- Cells ---- */

/* Writes what is between two cells and, in JSON, the name of the next column. */
static void
begin_cell(row_writer *to)
{
    if (to->has_cell)
        putc(',', to->stream);
    to->has_cell = true;
    if (is_csv(to))
        return;
    write_text(to, to->next, false);
    putc(':', to->stream);
    to->next += strlen(to->next) + 1;
}

static void
put_text(row_writer *to, const char *text)
{
    begin_cell(to);
    if (is_csv(to))
        write_field(to->stream, text);
    else
        write_text(to, text, true);
}

void
rows_put_number(row_writer *to, double number)
{
    begin_cell(to);
    fputs(shortest(number).text, to->stream);
}

static void
put_id(row_writer *to, uint64_t id)
{
    begin_cell(to);
    if (is_csv(to))
        fprintf(to->stream, "%" PRIu64, id);
    else
        write_json_id(to->stream, id);
}

/* ---- Columns ---- */

row_writer
rows_begin(FILE *stream, row_format format, const char *file)
{
    return (row_writer){
        .stream = stream, .format = format, .file = file, .is_globe = chosen_columns.is_globe};
}

/* Remembers the name of a column for JSON. */
static void
add_name(row_writer *to, const char *prefix, const char *name)
{
    texts *names = &to->names;
    const size_t length = strlen(prefix) + strlen(name) + 1, at = names->length;
    names->bytes = xgrow(names->bytes, &names->capacity, at + length, 1);
    strcat(strcpy(names->bytes + at, prefix), name);
    names->length += length;
}

/* Ends the program with an error if the names of two columns of JSON are equal. */
static void
check_names(const row_writer *to)
{
    size_t capacity = 0, count = 0;
    const char **sorted = NULL;
    for (size_t at = 0; at < to->names.length; at += strlen(to->names.bytes + at) + 1) {
        sorted = xgrow(sorted, &capacity, count + 1, sizeof *sorted);
        sorted[count++] = to->names.bytes + at;
    }
    check_json_names(sorted, count, to->file);
    free(sorted);
}

/* Returns true if a column holds positions. */
static bool
holds_position(const table_columns *columns, size_t column)
{
    for (size_t i = 0; i < columns->coordinates; i++)
        if (columns->rank[i] == column)
            return true;
    return false;
}

/* Returns true if the format has a geometry in place of the columns of positions. */
static bool
has_geometry(const row_writer *to)
{
    return to->format == ROWS_GEOJSON || to->format == ROWS_WKT;
}

/* Returns true if a column is written as a cell of its own. */
static bool
is_written(const row_writer *to, const table_columns *columns, size_t column)
{
    return !has_geometry(to) || (column != columns->id && !holds_position(columns, column));
}

/* Returns true if the id of an item is the first cell, apart from the columns of its table. */
static bool
begins_with_id(const row_writer *to, const table_columns *columns)
{
    if (to->format == ROWS_GEOJSON)
        return false;
    return adds_ids(columns) || (to->format == ROWS_WKT && columns->id != SIZE_MAX);
}

static void
add_column(row_writer *to, const char *prefix, const char *name)
{
    if (!is_csv(to)) {
        add_name(to, prefix, name);
        return;
    }
    if (to->has_cell)
        putc(',', to->stream);
    to->has_cell = true;
    write_prefixed(to->stream, prefix, name);
}

void
rows_add_column(row_writer *to, const char *name)
{
    add_column(to, "", name);
}

void
rows_add_columns(row_writer *to, const table_columns *columns, const char *prefix)
{
    if (begins_with_id(to, columns))
        add_column(to, prefix, "id");
    if (to->format == ROWS_WKT && columns->coordinates == 1)
        add_column(to, prefix, column_name(columns, columns->rank[0]));
    else if (to->format == ROWS_WKT)
        add_column(to, prefix, unused_name(columns, "wkt").text);
    for (size_t c = 0; c < columns->count; c++)
        if (is_written(to, columns, c))
            add_column(to, prefix, column_name(columns, c));
}

/* ---- Rows ---- */

/* Writes what precedes the first row, or what is between two rows. */
void
rows_begin_row(row_writer *to)
{
    static const char collection[] = "{\"type\":\"FeatureCollection\",\"features\":[\n";
    const bool is_array = to->format == ROWS_JSON || to->format == ROWS_GEOJSON;
    if (to->rows == 0 && is_csv(to))
        putc('\n', to->stream);
    if (to->rows == 0)
        check_names(to);
    if (to->rows == 0 && is_array)
        fputs(to->format == ROWS_JSON ? "[\n" : collection, to->stream);
    if (to->rows > 0 && is_array)
        fputs(",\n", to->stream);
    if (to->format == ROWS_JSON || to->format == ROWS_NDJSON)
        putc('{', to->stream);
    to->rows++;
    to->has_cell = false;
    to->next = to->names.bytes;
}

/* Returns the text of the geometry in a row, or NULL if the row has coordinates. */
static const char *
geometry_of(const table_columns *columns, const char *fields)
{
    const size_t geometry = columns->rank[0];
    if (columns->coordinates != 1)
        return NULL;
    for (size_t c = 0; c < geometry; c++)
        if (column_is_other(columns, c))
            fields = next_field(fields);
    return fields;
}

/* Ends the program with an error if a box is not one of longitudes and latitudes. */
static void
check_degrees(const row_writer *to, const pqt_item *item)
{
    const pqt_box earth = {{-180, -90}, {180, 90}};
    if (!pqt_box_relates(item->box, earth, PQT_INSIDE))
        die(to->file, 0,
            "GeoJSON has longitudes and latitudes, but id %" PRIu64 " reaches from %s,%s to %s,%s",
            item->id, shortest(item->box.min.x).text, shortest(item->box.min.y).text,
            shortest(item->box.max.x).text, shortest(item->box.max.y).text);
}

/* Writes the geometry of a feature and, if it crosses the antimeridian, its bbox (RFC 7946, section
   5.2). */
static void
put_geometry(row_writer *to, const pqt_item *item, const char *geometry, const box_text *box)
{
    const globe_parts cut = globe_cut(item->box);
    const bool is_beyond = to->is_globe && (item->box.min.x < -180 || item->box.max.x > 180);
    if (geometry != NULL)
        write_geometry_json(to->stream, geometry, is_beyond);
    if (geometry == NULL && is_beyond)
        write_globe_box_json(to->stream, item->box);
    else if (geometry == NULL)
        write_box_json(to->stream, box);
    if (is_beyond && cut.count == 2)
        fprintf(to->stream, ",\"bbox\":[%s,%s,%s,%s]", shortest(cut.boxes[0].min.x).text,
                shortest(item->box.min.y).text, shortest(cut.boxes[1].max.x).text,
                shortest(item->box.max.y).text);
}

/* Begins a feature, up to the first of its properties. If the column id has texts, they are a
   property, and there is no other id. */
static void
begin_feature(row_writer *to, const table_columns *columns, const pqt_item *item,
              const char *geometry, const box_text *box)
{
    if (!to->is_globe)
        check_degrees(to, item);
    fputs("{\"type\":\"Feature\"", to->stream);
    if (columns->id != SIZE_MAX || adds_ids(columns)) {
        fputs(",\"id\":", to->stream);
        write_json_id(to->stream, item->id);
    }
    fputs(",\"geometry\":", to->stream);
    put_geometry(to, item, geometry, box);
    fputs(",\"properties\":{", to->stream);
}

/* Returns true if a field can be written in place of a number: it is this number and, for JSON, one
   of JSON. */
static bool
may_stay(const row_writer *to, pqt_field field, double number)
{
    double value;
    size_t precision;
    char text[MOST_SPELLED + 1];
    if (field.length > MOST_SPELLED ||
        read_number(field.bytes, field.length, &value) != NUMBER_FINE || value != number)
        return false;
    memcpy(text, field.bytes, field.length);
    text[field.length] = '\0';
    return is_csv(to) || json_number_length(text, &precision) == field.length;
}

/* Sets the numbers of an item, as the row that was read last spells them if it has them and they
   can be written so. Other numbers are as short as possible. */
static void
spell_box(box_text *box, const row_writer *to, const table *rows, const pqt_item *item)
{
    const table_columns *columns = &rows->columns;
    const double numbers[] = {item->box.min.x, item->box.min.y, item->box.max.x, item->box.max.y};
    const bool are_columns = rows->fields_again != NULL && columns->places > 0 &&
                             (size_t)columns->places == columns->coordinates;
    box->is_point = numbers[0] == numbers[2] && numbers[1] == numbers[3];
    for (size_t i = 0; i < 4; i++) {
        const size_t column = are_columns ? columns->rank[i % columns->coordinates] : 0;
        if (are_columns && may_stay(to, rows->fields_again[column], numbers[i])) {
            box->numbers[i] = rows->fields_again[column].bytes;
            box->lengths[i] = rows->fields_again[column].length;
            continue;
        }
        box->made[i] = shortest(numbers[i]);
        box->numbers[i] = box->made[i].text;
        box->lengths[i] = strlen(box->made[i].text);
    }
}

/* Writes an id, in CSV as the row that was read last spells it. */
static void
put_spelled_id(row_writer *to, const table *rows, uint64_t id)
{
    uint64_t value;
    const pqt_field *field =
        rows->fields_again != NULL ? &rows->fields_again[rows->columns.id] : NULL;
    if (is_csv(to) && field != NULL && read_id(field->bytes, field->length, &value) &&
        value == id) {
        begin_cell(to);
        fwrite(field->bytes, 1, field->length, to->stream);
    } else {
        put_id(to, id);
    }
}

static void
put_cell(row_writer *to, const table *rows, size_t column, const pqt_item *item,
         const box_text *box, const char *field)
{
    const table_columns *columns = &rows->columns;
    int side = 0;
    while (side < columns->places && columns->rank[side] != column)
        side++;
    if (column == columns->id) {
        put_spelled_id(to, rows, item->id);
    } else if (side < columns->places) {
        begin_cell(to);
        fwrite(box->numbers[side], 1, box->lengths[side], to->stream);
    } else {
        put_text(to, field);
    }
}

void
rows_put_item(row_writer *to, table *rows, const pqt_item *item)
{
    const table_columns *columns = &rows->columns;
    const char *field = table_fields_again(rows, table_row(rows, item));
    const char *geometry = geometry_of(columns, field);
    box_text box;
    spell_box(&box, to, rows, item);
    if (to->format == ROWS_GEOJSON)
        begin_feature(to, columns, item, geometry, &box);
    if (begins_with_id(to, columns))
        put_id(to, item->id);
    if (to->format == ROWS_WKT && geometry != NULL) {
        put_text(to, geometry);
    } else if (to->format == ROWS_WKT) {
        begin_cell(to);
        write_box_wkt(to->stream, &box);
    }
    for (size_t c = 0; c < columns->count; c++) {
        if (is_written(to, columns, c))
            put_cell(to, rows, c, item, &box, field);
        if (column_is_other(columns, c))
            field = next_field(field);
    }
}

void
rows_end_row(row_writer *to)
{
    if (to->format == ROWS_GEOJSON)
        putc('}', to->stream);
    if (!is_csv(to))
        putc('}', to->stream);
    if (is_csv(to) || to->format == ROWS_NDJSON)
        putc('\n', to->stream);
}

void
rows_end(row_writer *to)
{
    if (to->rows == 0 && is_csv(to))
        putc('\n', to->stream);
    if (to->format == ROWS_JSON)
        fputs(to->rows > 0 ? "\n]\n" : "[]\n", to->stream);
    if (to->format == ROWS_GEOJSON)
        fputs(to->rows > 0 ? "\n]}\n" : "{\"type\":\"FeatureCollection\",\"features\":[]}\n",
              to->stream);
    free(to->names.bytes);
}
