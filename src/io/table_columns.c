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

/* The names of columns, in lower case. The first name of a role is used in messages. */
static const struct spelling {
    const char *name;
    role role;
} spellings[] = {{"min_x", MIN_X},
                 {"min_y", MIN_Y},
                 {"max_x", MAX_X},
                 {"max_y", MAX_Y},
                 {"x", X},
                 {"y", Y},
                 {"w", WIDTH},
                 {"width", WIDTH},
                 {"h", HEIGHT},
                 {"height", HEIGHT},
                 {"min_lon", MIN_LON},
                 {"min_lat", MIN_LAT},
                 {"max_lon", MAX_LON},
                 {"max_lat", MAX_LAT},
                 {"lon", LON},
                 {"lat", LAT},
                 {"id", ID}};
enum { SPELLINGS = sizeof spellings / sizeof spellings[0] };

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

/* Returns the role of a column, or ROLES if it has none. */
static role
role_of(const pqt_field *name)
{
    for (size_t i = 0; i < SPELLINGS; i++)
        if (is_spelled(name, spellings[i].name))
            return spellings[i].role;
    return ROLES;
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
    size_t column_of[ROLES];
    for (size_t i = 0; i < ROLES; i++)
        column_of[i] = PQT_TABLE_NONE;
    for (size_t i = 0; i < count; i++) {
        const role which = role_of(&names[i]);
        if (which == ROLES)
            continue;
        if (column_of[which] != PQT_TABLE_NONE) {
            pqti_error_set(error, PQT_ERROR_FORMAT, line, "line %zu: column occurs twice (%s)",
                           line, name_of(which));
            return false;
        }
        column_of[which] = i;
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

static const struct layout *
layout_of(const pqt_table_columns *columns)
{
    const struct layout *layout = layouts;
    while (layout->position != columns->position)
        layout++;
    return layout;
}

static const char *
coordinate_name(const pqt_table_columns *columns, size_t index)
{
    return name_of(layout_of(columns)->first + (role)index);
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

static bool
read_number(const pqt_field *text, const char *name, size_t line, double *number, pqt_error *error)
{
    const bool is_number = pqti_parse_double(text->bytes, text->length, number);
    if (is_number && isfinite(*number))
        return true;
    pqti_error_set(error, PQT_ERROR_FORMAT, line, "line %zu: %s is not a %s (%s)", line, name,
                   is_number || is_infinite_word(text) ? "finite number" : "number",
                   pqti_quote(text->bytes, text->length).text);
    return false;
}

/* Checks the sides of a box on one axis: in the table, they are columns `axis` and `axis` + 2. */
static bool
check_sides(const pqt_table_columns *columns, const double numbers[4], size_t axis, size_t line,
            pqt_error *error)
{
    const char *low = coordinate_name(columns, axis), *high = coordinate_name(columns, axis + 2);
    const double first = numbers[axis], second = numbers[axis + 2];
    if (columns->position != PQT_TABLE_SIZES && first > second) {
        pqti_error_set(error, PQT_ERROR_BOX, line, "line %zu: box is inverted (%s %s > %s %s)",
                       line, low, pqti_format_double(first).text, high,
                       pqti_format_double(second).text);
        return false;
    }
    if (columns->position == PQT_TABLE_SIZES && (second < 0 || !isfinite(first + second))) {
        pqti_error_set(error, PQT_ERROR_BOX, line, "line %zu: %s is %s (%s)", line, high,
                       second < 0 ? "negative" : "too large", pqti_format_double(second).text);
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
pqti_table_read_box(const pqt_table_columns *columns, const pqt_field *fields, size_t line,
                    pqt_box *box, pqt_error *error)
{
    double numbers[4] = {0};
    for (size_t i = 0; i < columns->coordinates; i++)
        if (!read_number(&fields[columns->coordinate[i]], coordinate_name(columns, i), line,
                         &numbers[i], error))
            return false;
    if (columns->coordinates == 4 && (!check_sides(columns, numbers, 0, line, error) ||
                                      !check_sides(columns, numbers, 1, line, error)))
        return false;
    *box = box_of(columns, numbers);
    return true;
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
