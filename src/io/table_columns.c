/* SPDX-License-Identifier: MIT */
/*
 * table_columns.c: reads boxes and ids from the columns of positions and ids, and finds the numbers
 * that stand for a box.
 */
#include "config.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/error_internal.h"
#include "base/format_double.h"
#include "base/fp.h"
#include "base/parse_double.h"
#include "io/table_internal.h"
#include "io/wkt.h"

enum { LONGEST_NUMBER = 1000 }; /* bytes of a number with a decimal comma */

/* ---- Rows ---- */

/* Returns the name of a column with coordinates, as the header has it. */
static pqti_quotation
coordinate_name(const pqt_table *table, size_t index)
{
    pqti_csv csv = pqti_table_record(table, 0);
    const size_t start = csv.at;
    pqti_csv_field found;
    for (size_t column = 0; column <= table->columns.coordinate[index]; column++)
        pqti_csv_next(&csv, start, &found);
    return pqti_quote(found.text.bytes, found.text.length);
}

/* Returns true if the text is inf, infinity or nan, in upper or lower case, with an optional
   sign. */
static bool
is_infinite_word(const pqt_field *text)
{
    const bool has_sign = text->length > 0 && (*text->bytes == '+' || *text->bytes == '-');
    const pqt_field word = {text->bytes + has_sign, text->length - has_sign, false};
    return pqti_is_spelled(&word, "inf") || pqti_is_spelled(&word, "infinity") ||
           pqti_is_spelled(&word, "nan");
}

bool
pqti_table_parse(const pqt_table *table, const pqt_field *text, double *number)
{
    char copy[LONGEST_NUMBER];
    const char *comma = table->separator == ';' ? memchr(text->bytes, ',', text->length) : NULL;
    if (comma == NULL)
        return pqti_parse_double(text->bytes, text->length, number);
    if (text->length > sizeof copy || memchr(text->bytes, '.', text->length) != NULL)
        return false;
    memcpy(copy, text->bytes, text->length);
    copy[comma - text->bytes] = '.';
    return pqti_parse_double(copy, text->length, number);
}

/* Reads the coordinate with a given index from its field. */
static bool
read_number(const pqt_table *table, const pqt_field *text, size_t index, size_t line,
            double *number, pqt_error *error)
{
    const bool is_number = pqti_table_parse(table, text, number);
    if (is_number && isfinite(*number))
        return true;
    pqti_error_set(error, PQT_ERROR_FORMAT, line, "line %zu: %s is not a %s (%s)", line,
                   coordinate_name(table, index).text,
                   is_number || is_infinite_word(text) ? "finite number" : "number",
                   pqti_quote(text->bytes, text->length).text);
    return false;
}

/* Checks the sides of a box on one axis: in the table, they are columns `axis` and `axis` + 2. */
static bool
check_sides(const pqt_table *table, const double numbers[4], size_t axis, size_t line,
            pqt_error *error)
{
    const pqt_table_position position = table->columns.position;
    const double first = numbers[axis], second = numbers[axis + 2];
    if (position != PQT_TABLE_SIZES && first > second) {
        pqti_error_set(error, PQT_ERROR_BOX, line, "line %zu: box is inverted (%s %s > %s %s)",
                       line, coordinate_name(table, axis).text, pqti_format_double(first).text,
                       coordinate_name(table, axis + 2).text, pqti_format_double(second).text);
        return false;
    }
    if (position == PQT_TABLE_SIZES && (second < 0 || !isfinite(first + second))) {
        pqti_error_set(error, PQT_ERROR_BOX, line, "line %zu: %s is %s (%s)", line,
                       coordinate_name(table, axis + 2).text, second < 0 ? "negative" : "too large",
                       pqti_format_double(second).text);
        return false;
    }
    return true;
}

static pqt_box
box_of(const pqt_table_columns *columns, const double n[4])
{
    if (columns->position == PQT_TABLE_SIZES)
        return (pqt_box){{n[0], n[1]}, {n[0] + n[2], n[1] + n[3]}};
    if (columns->coordinates == 2)
        return (pqt_box){{n[0], n[1]}, {n[0], n[1]}};
    return (pqt_box){{n[0], n[1]}, {n[2], n[3]}};
}

/* Reads the box of a geometry. Returns false and sets `error` if it has none. */
static bool
read_geometry(const pqt_table *table, const pqt_field *text, size_t line, pqt_box *box,
              pqt_error *error)
{
    const pqti_wkt found = pqti_wkt_read(text->bytes, text->length);
    *box = found.box;
    if (found.fault == NULL)
        return true;
    const size_t rest = text->length - found.at;
    pqti_error_set(error, PQT_ERROR_FORMAT, line, "line %zu: %s %s (%s)", line,
                   coordinate_name(table, 0).text, found.fault,
                   pqti_quote(text->bytes + found.at, rest).text);
    return false;
}

bool
pqti_table_read_box(const pqt_table *table, const pqt_field *fields, size_t line, pqt_box *box,
                    pqt_error *error)
{
    const pqt_table_columns *columns = &table->columns;
    double numbers[4] = {0};
    if (columns->position == PQT_TABLE_GEOMETRIES)
        return read_geometry(table, &fields[columns->coordinate[0]], line, box, error);
    for (size_t i = 0; i < columns->coordinates; i++)
        if (!read_number(table, &fields[columns->coordinate[i]], i, line, &numbers[i], error))
            return false;
    if (table->is_on_sphere && columns->coordinates == 4 && columns->position != PQT_TABLE_SIZES &&
        numbers[0] > numbers[2])
        numbers[2] += 360;
    if (columns->coordinates == 4 && (!check_sides(table, numbers, 0, line, error) ||
                                      !check_sides(table, numbers, 1, line, error)))
        return false;
    *box = box_of(columns, numbers);
    return true;
}

bool
pqti_table_id_is_text(const pqt_field *field)
{
    return field->length == 0 || strchr("0123456789+-.", field->bytes[0]) == NULL;
}

bool
pqti_table_read_id(const pqt_field *field, size_t line, uint64_t *id, pqt_error *error)
{
    uint64_t value = 0;
    bool is_id = field->length > 0;
    for (size_t i = 0; i < field->length && is_id; i++) {
        const unsigned digit = (unsigned)field->bytes[i] - '0';
        is_id = digit <= 9 && value <= (UINT64_MAX - digit) / 10;
        value = value * 10 + digit;
    }
    *id = value;
    if (!is_id)
        pqti_error_set(error, PQT_ERROR_FORMAT, line,
                       "line %zu: id is not a whole number from 0 to 18446744073709551615 (%s)",
                       line, pqti_quote(field->bytes, field->length).text);
    return is_id;
}

/* ---- Boxes as numbers ---- */

/* Returns the double that follows a positive one or 0, or precedes it. */
static double
neighbour(double number, int step)
{
    return pqti_double_of(pqti_bits_of(number) + (uint64_t)(int64_t)step);
}

/* Sets `size` such that low + size is `high`. It keeps its old value if that is right. Returns
   false if there is no such size, which can be if low is much larger than high. */
static bool
find_size(double low, double high, double *size)
{
    const double difference = high - low;
    const double candidates[] = {*size, difference, neighbour(difference, 1),
                                 difference > 0 ? neighbour(difference, -1) : difference};
    for (size_t i = 0; i < sizeof candidates / sizeof candidates[0]; i++)
        if (candidates[i] >= 0 && low + candidates[i] == high) {
            *size = candidates[i];
            return true;
        }
    return false;
}

bool
pqti_table_write_box(const pqt_table_columns *columns, const pqt_box *box, double numbers[4])
{
    const double west = numbers[0];
    numbers[0] = box->min.x;
    numbers[1] = box->min.y;
    if (columns->position == PQT_TABLE_SIZES)
        return find_size(box->min.x, box->max.x, &numbers[2]) &&
               find_size(box->min.y, box->max.y, &numbers[3]);
    const bool crossed = west > numbers[2]; /* the antimeridian: see pqti_table_read_box */
    if (!crossed || west != box->min.x || numbers[2] + 360 != box->max.x)
        numbers[2] = box->max.x;
    numbers[3] = box->max.y;
    return columns->coordinates != 2 || (box->min.x == box->max.x && box->min.y == box->max.y);
}
