/* SPDX-License-Identifier: MIT */
/*
 * table_columns.c: the columns of positions and ids: their names, and boxes from and to the numbers
 * in them.
 *
 * The names of columns are in one table, `spellings`. A table must have the columns of exactly one
 * position, since the boxes would be ambiguous otherwise.
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

/* The meaning of a column. */
typedef enum role {
    MIN_X,
    MIN_Y,
    MAX_X,
    MAX_Y,
    X,
    Y,
    WIDTH,
    HEIGHT,
    MIN_LON,
    MIN_LAT,
    MAX_LON,
    MAX_LAT,
    LON,
    LAT,
    ID,
    ROLES
} role;

/* The names of columns, in lower case: those of pqt, which messages use, and after them those of
   other tools. If several columns have names of ids, the first in this list has the ids. */
static const struct spelling {
    const char *name;
    role role;
} spellings[] = {
    {"min_x", MIN_X},
    {"min_y", MIN_Y},
    {"max_x", MAX_X},
    {"max_y", MAX_Y},
    {"x", X},
    {"y", Y},
    {"w", WIDTH},
    {"h", HEIGHT},
    {"min_lon", MIN_LON},
    {"min_lat", MIN_LAT},
    {"max_lon", MAX_LON},
    {"max_lat", MAX_LAT},
    {"lon", LON},
    {"lat", LAT},
    {"id", ID},
    {"width", WIDTH},
    {"height", HEIGHT},
    /* GDAL, PostGIS and R's sf */
    {"minx", MIN_X},
    {"miny", MIN_Y},
    {"maxx", MAX_X},
    {"maxy", MAX_Y},
    {"xmin", MIN_X},
    {"ymin", MIN_Y},
    {"xmax", MAX_X},
    {"ymax", MAX_Y},
    {"st_xmin", MIN_X},
    {"st_ymin", MIN_Y},
    {"st_xmax", MAX_X},
    {"st_ymax", MAX_Y},
    {"st_x", X},
    {"st_y", Y},
    {"fid", ID},
    {"easting", X},
    {"northing", Y},
    /* the sides of a map, where the top is above the bottom */
    {"left", MIN_X},
    {"bottom", MIN_Y},
    {"right", MAX_X},
    {"top", MAX_Y},
    {"west", MIN_LON},
    {"south", MIN_LAT},
    {"east", MAX_LON},
    {"north", MAX_LAT},
    /* GTFS, OpenStreetMap, GBIF, Movebank, GeoNames */
    {"lng", LON},
    {"long", LON},
    {"longitude", LON},
    {"latitude", LAT},
    {"stop_lon", LON},
    {"stop_lat", LAT},
    {"stop_id", ID},
    {"@lon", LON},
    {"@lat", LAT},
    {"@id", ID},
    {"osm_id", ID},
    {"decimallongitude", LON},
    {"decimallatitude", LAT},
    {"gbifid", ID},
    {"location-long", LON},
    {"location-lat", LAT},
    {"geonameid", ID},
};
enum { SPELLINGS = sizeof spellings / sizeof spellings[0] };

enum { LONGEST_NUMBER = 1000 }; /* bytes of a number with a decimal comma */

/* The positions. Each has the `count` roles from `first` onwards. If two begin with the same role,
   the larger one comes first, and a table that has its columns has this one. */
static const struct layout {
    pqt_table_position position;
    role first;
    size_t count;
    const char *names;
} layouts[] = {{PQT_TABLE_BOXES, MIN_X, 4, "min_x,min_y,max_x,max_y"},
               {PQT_TABLE_SIZES, X, 4, "x,y,w,h"},
               {PQT_TABLE_POINTS, X, 2, "x,y"},
               {PQT_TABLE_DEGREE_BOXES, MIN_LON, 4, "min_lon,min_lat,max_lon,max_lat"},
               {PQT_TABLE_DEGREES, LON, 2, "lon,lat"}};
enum { LAYOUTS = sizeof layouts / sizeof layouts[0] };

static const char *
name_of(role which)
{
    const struct spelling *spelling = spellings;
    while (spelling->role != which)
        spelling++;
    return spelling->name;
}

/* ---- The header ---- */

static char
lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool
is_spelled(const pqt_field *name, const char *spelling)
{
    size_t at = 0;
    while (at < name->length && spelling[at] != '\0' && lower(name->bytes[at]) == spelling[at])
        at++;
    return at == name->length && spelling[at] == '\0';
}

/* Returns the index of the spelling of a column's name, or SPELLINGS if it is another name. */
static size_t
spelling_of(const pqt_field *name)
{
    size_t i = 0;
    while (i < SPELLINGS && !is_spelled(name, spellings[i].name))
        i++;
    return i;
}

static size_t
count_found(const struct layout *layout, const size_t column_of[ROLES])
{
    size_t found = 0;
    for (size_t i = 0; i < layout->count; i++)
        found += column_of[layout->first + i] != PQT_TABLE_NONE;
    return found;
}

/* Sets the error for a header without a whole position. */
static void
report_no_position(const pqt_field *names, size_t count, size_t line, const size_t column_of[ROLES],
                   pqt_error *error)
{
    const char *last = names[count - 1].bytes + names[count - 1].length;
    /* Positions with the same first role differ only in columns that are optional. */
    for (const struct layout *layout = layouts; layout < layouts + LAYOUTS; layout++)
        for (size_t i = 0; i < layout->count && count_found(layout, column_of) > 0; i++)
            if (column_of[layout->first + i] == PQT_TABLE_NONE) {
                pqti_error_set(error, PQT_ERROR_FORMAT, line, "line %zu: column is missing (%s)",
                               line, name_of((role)(layout->first + i)));
                return;
            }
    pqti_error_set(error, PQT_ERROR_FORMAT, line,
                   "line %zu: no columns min_x,min_y,max_x,max_y or x,y or lon,lat (%s)", line,
                   pqti_quote(names->bytes, (size_t)(last - names->bytes)).text);
}

/* Chooses the position whose columns a table has. Returns NULL and sets `error` if there is not
   exactly one. */
static const struct layout *
choose_layout(const pqt_field *names, size_t count, size_t line, const size_t column_of[ROLES],
              pqt_error *error)
{
    const struct layout *chosen = NULL;
    for (const struct layout *layout = layouts; layout < layouts + LAYOUTS; layout++) {
        if (count_found(layout, column_of) < layout->count)
            continue;
        if (chosen != NULL && chosen->first == layout->first)
            continue;
        if (chosen != NULL) {
            pqti_error_set(error, PQT_ERROR_FORMAT, line,
                           "line %zu: columns of two positions (%s and %s)", line, chosen->names,
                           layout->names);
            return NULL;
        }
        chosen = layout;
    }
    if (chosen == NULL)
        report_no_position(names, count, line, column_of, error);
    return chosen;
}

bool
pqti_table_find_columns(const pqt_field *names, size_t count, size_t line,
                        pqt_table_columns *columns, pqt_error *error)
{
    size_t column_of[ROLES], spelled[ROLES] = {0};
    for (size_t i = 0; i < ROLES; i++)
        column_of[i] = PQT_TABLE_NONE;
    for (size_t i = 0; i < count; i++) {
        const size_t spelling = spelling_of(&names[i]);
        if (spelling == SPELLINGS)
            continue;
        const role which = spellings[spelling].role;
        const bool is_taken = column_of[which] != PQT_TABLE_NONE;
        if (is_taken && (which != ID || spelling == spelled[which])) {
            pqti_error_set(error, PQT_ERROR_FORMAT, line, "line %zu: column occurs twice (%s)",
                           line, name_of(which));
            return false;
        }
        if (is_taken && spelling > spelled[which])
            continue;
        column_of[which] = i;
        spelled[which] = spelling;
    }
    const struct layout *layout = choose_layout(names, count, line, column_of, error);
    if (layout == NULL)
        return false;
    *columns = (pqt_table_columns){.count = count,
                                   .position = layout->position,
                                   .coordinates = layout->count,
                                   .id = column_of[ID]};
    for (size_t i = 0; i < layout->count; i++)
        columns->coordinate[i] = column_of[layout->first + i];
    return true;
}

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
    return is_spelled(&word, "inf") || is_spelled(&word, "infinity") || is_spelled(&word, "nan");
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

bool
pqti_table_read_box(const pqt_table *table, const pqt_field *fields, size_t line, pqt_box *box,
                    pqt_error *error)
{
    const pqt_table_columns *columns = &table->columns;
    double numbers[4] = {0};
    for (size_t i = 0; i < columns->coordinates; i++)
        if (!read_number(table, &fields[columns->coordinate[i]], i, line, &numbers[i], error))
            return false;
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
    numbers[0] = box->min.x;
    numbers[1] = box->min.y;
    if (columns->position == PQT_TABLE_SIZES)
        return find_size(box->min.x, box->max.x, &numbers[2]) &&
               find_size(box->min.y, box->max.y, &numbers[3]);
    numbers[2] = box->max.x;
    numbers[3] = box->max.y;
    return columns->coordinates == 4 || (box->min.x == box->max.x && box->min.y == box->max.y);
}
