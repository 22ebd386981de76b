/* SPDX-License-Identifier: MIT */
/*
 * table_header.c: finds the columns of positions and ids among the names in a header.
 *
 * The names of columns are in one table, `spellings`. A table must have the columns of exactly one
 * position, since the boxes would be ambiguous otherwise. The caller's options can name the columns
 * instead.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "base/error_internal.h"
#include "base/utf8.h"
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
    GEOMETRY,
    ID,
    ROLES
} role;

/* Returns true if several columns may have names of a role. The first name in `spellings` then
   decides. */
static bool
may_repeat(role which)
{
    return which == ID || which == GEOMETRY;
}

/* The names of columns, in lower case: those of pqt, which messages use, and after them those of
   other tools. If several columns have names of ids or geometries, the first in this list is the
   one. */
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
    /* GDAL, PostGIS, QGIS, geopandas and R's sf */
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
    {"wkt", GEOMETRY},
    {"geometry", GEOMETRY},
    {"geom", GEOMETRY},
    {"the_geom", GEOMETRY},
    {"st_astext", GEOMETRY},
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
               {PQT_TABLE_DEGREES, LON, 2, "lon,lat"},
               {PQT_TABLE_GEOMETRIES, GEOMETRY, 1, "wkt"}};
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

bool
pqti_is_spelled(const pqt_field *name, const char *spelling)
{
    size_t at = 0;
    while (at < name->length && spelling[at] != '\0' &&
           lower(name->bytes[at]) == lower(spelling[at]))
        at++;
    return at == name->length && spelling[at] == '\0';
}

/* Returns the index of the spelling of a column's name, or SPELLINGS if it is another name. */
static size_t
spelling_of(const pqt_field *name)
{
    size_t i = 0;
    while (i < SPELLINGS && !pqti_is_spelled(name, spellings[i].name))
        i++;
    return i;
}

/* The names in a header. */
typedef struct header {
    const pqt_field *names;
    size_t count;
    size_t line;
} header;

static pqti_quotation
quote_header(const header *of)
{
    const char *last = of->names[of->count - 1].bytes + of->names[of->count - 1].length;
    return pqti_quote(of->names->bytes, (size_t)(last - of->names->bytes));
}

/* Returns true if a text is UTF-8. */
static bool
is_utf8(const pqt_field *text)
{
    for (size_t at = 0, length; at < text->length; at += length) {
        char character[5] = {0};
        const size_t rest = text->length - at;
        memcpy(character, text->bytes + at, rest < 4 ? rest : 4);
        length = pqti_utf8_length(character);
        if (length == 0)
            return false;
    }
    return true;
}

/* Sets the error for a header without the columns that are `missing` if one of its names is not
   UTF-8, which is then the likely reason. Returns false if all of them are. */
static bool
report_encoding(const header *of, const char *missing, pqt_error *error)
{
    const pqt_field *name = of->names;
    while (name < of->names + of->count && is_utf8(name))
        name++;
    if (name == of->names + of->count)
        return false;
    pqti_error_set(error, PQT_ERROR_FORMAT, of->line,
                   "line %zu: no %s; the names look like Windows-1252, not UTF-8 (%s)", of->line,
                   missing, pqti_quote(name->bytes, name->length).text);
    return true;
}

static void
report_twice(const header *of, const char *name, pqt_error *error)
{
    pqti_error_set(error, PQT_ERROR_FORMAT, of->line, "line %zu: column occurs twice (%s)",
                   of->line, name);
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
report_no_position(const header *of, const size_t column_of[ROLES], pqt_error *error)
{
    if (report_encoding(of, "position", error))
        return;
    /* Positions with the same first role differ only in columns that are optional. */
    for (const struct layout *layout = layouts; layout < layouts + LAYOUTS; layout++)
        for (size_t i = 0; i < layout->count && count_found(layout, column_of) > 0; i++)
            if (column_of[layout->first + i] == PQT_TABLE_NONE) {
                pqti_error_set(error, PQT_ERROR_FORMAT, of->line,
                               "line %zu: column is missing (%s)", of->line,
                               name_of((role)(layout->first + i)));
                return;
            }
    pqti_error_set(error, PQT_ERROR_FORMAT, of->line,
                   "line %zu: no columns min_x,min_y,max_x,max_y or x,y or lon,lat or wkt (%s)",
                   of->line, quote_header(of).text);
}

/* Chooses the position whose columns a table has. Returns NULL and sets `error` if there is not
   exactly one. */
static const struct layout *
choose_layout(const header *of, const size_t column_of[ROLES], pqt_error *error)
{
    const struct layout *chosen = NULL;
    for (const struct layout *layout = layouts; layout < layouts + LAYOUTS; layout++) {
        if (count_found(layout, column_of) < layout->count)
            continue;
        if (chosen != NULL && chosen->first == layout->first)
            continue;
        if (chosen != NULL) {
            pqti_error_set(error, PQT_ERROR_FORMAT, of->line,
                           "line %zu: columns of two positions (%s and %s)", of->line,
                           chosen->names, layout->names);
            return NULL;
        }
        chosen = layout;
    }
    if (chosen == NULL)
        report_no_position(of, column_of, error);
    return chosen;
}

/* Finds the column of each role by its name. If several columns have names of ids or geometries,
   the first in `spellings` is the one. With `only_ids`, finds no other role. Returns false and sets
   `error` if two columns have the same role. */
static bool
find_roles(const header *of, bool only_ids, size_t column_of[ROLES], pqt_error *error)
{
    size_t spelled[ROLES] = {0};
    for (size_t i = 0; i < ROLES; i++)
        column_of[i] = PQT_TABLE_NONE;
    for (size_t i = 0; i < of->count; i++) {
        const size_t spelling = spelling_of(&of->names[i]);
        if (spelling == SPELLINGS || (only_ids && spellings[spelling].role != ID))
            continue;
        const role which = spellings[spelling].role;
        const bool is_taken = column_of[which] != PQT_TABLE_NONE;
        if (is_taken && (!may_repeat(which) || spelling == spelled[which])) {
            report_twice(of, name_of(which), error);
            return false;
        }
        if (is_taken && spelling > spelled[which])
            continue;
        column_of[which] = i;
        spelled[which] = spelling;
    }
    return true;
}

/* Finds the columns of the position, and of the ids, by their usual names. */
static bool
find_usual_columns(const header *of, const size_t column_of[ROLES], pqt_table_columns *columns,
                   pqt_error *error)
{
    const struct layout *layout = choose_layout(of, column_of, error);
    if (layout == NULL)
        return false;
    columns->position = layout->position;
    columns->coordinates = layout->count;
    for (size_t i = 0; i < layout->count; i++)
        columns->coordinate[i] = column_of[layout->first + i];
    return true;
}

/* ---- Columns that the caller names ---- */

size_t
pqti_table_named_count(const pqt_table_options *options)
{
    size_t count = 0;
    while (count < 4 && options->position[count] != NULL)
        count++;
    return count;
}

/* Finds the column that the caller names. Returns false and sets `error` if there is not exactly
   one. */
static bool
find_named(const header *of, const char *name, size_t *column, pqt_error *error)
{
    *column = PQT_TABLE_NONE;
    for (size_t i = 0; i < of->count; i++) {
        if (!pqti_is_spelled(&of->names[i], name))
            continue;
        if (*column != PQT_TABLE_NONE) {
            report_twice(of, pqti_quote(name, strlen(name)).text, error);
            return false;
        }
        *column = i;
    }
    const pqti_quotation wanted = pqti_quote(name, strlen(name));
    char missing[sizeof wanted.text + 8];
    snprintf(missing, sizeof missing, "column %s", wanted.text);
    if (*column == PQT_TABLE_NONE && !report_encoding(of, missing, error))
        pqti_error_set(error, PQT_ERROR_FORMAT, of->line, "line %zu: no %s (%s)", of->line, missing,
                       quote_header(of).text);
    return *column != PQT_TABLE_NONE;
}

/* Finds the columns of the position that the caller names. If the first one usually has longitudes,
   it has them here, too. */
static bool
find_named_position(const header *of, const pqt_table_options *options, pqt_table_columns *columns,
                    pqt_error *error)
{
    columns->coordinates = pqti_table_named_count(options);
    for (size_t i = 0; i < columns->coordinates; i++)
        if (!find_named(of, options->position[i], &columns->coordinate[i], error))
            return false;
    const size_t spelling = spelling_of(&of->names[columns->coordinate[0]]);
    const role first = spelling < SPELLINGS ? spellings[spelling].role : ROLES;
    const bool is_box = columns->coordinates == 4;
    if (columns->coordinates == 1)
        columns->position = PQT_TABLE_GEOMETRIES;
    else if (first == LON || first == MIN_LON)
        columns->position = is_box ? PQT_TABLE_DEGREE_BOXES : PQT_TABLE_DEGREES;
    else
        columns->position = is_box ? PQT_TABLE_BOXES : PQT_TABLE_POINTS;
    return true;
}

bool
pqti_table_check_options(const pqt_table_options *options, pqt_error *error)
{
    const size_t count = pqti_table_named_count(options);
    const char *names[5];
    size_t named = 0;
    if (options->surface != PQT_PLANE && options->surface != PQT_SPHERE) {
        pqti_error_set(error, PQT_ERROR_OPTION, 0, "surface: %d is not a surface",
                       (int)options->surface);
        return false;
    }
    for (size_t i = count; i < 4; i++)
        if (options->position[i] != NULL || count == 3) {
            pqti_error_set(error, PQT_ERROR_OPTION, 0,
                           "position: the columns of a position are 1, 2 or 4");
            return false;
        }
    for (size_t i = 0; i < count; i++)
        names[named++] = options->position[i];
    if (options->id != NULL)
        names[named++] = options->id;
    for (size_t i = 1; i < named; i++)
        for (size_t j = 0; j < i; j++)
            if (pqti_is_spelled(&(pqt_field){names[i], strlen(names[i]), false}, names[j])) {
                pqti_error_set(error, PQT_ERROR_OPTION, 0, "a column is named twice (%s)",
                               pqti_quote(names[i], strlen(names[i])).text);
                return false;
            }
    return true;
}

bool
pqti_table_find_columns(const pqt_field *names, size_t count, size_t line,
                        const pqt_table_options *options, pqt_table_columns *columns,
                        pqt_error *error)
{
    const header of = {names, count, line};
    const bool names_position = options->position[0] != NULL;
    size_t column_of[ROLES];
    *columns = (pqt_table_columns){.count = count};
    if (names_position && !find_named_position(&of, options, columns, error))
        return false;
    if (options->id != NULL && !find_named(&of, options->id, &columns->id, error))
        return false;
    if (names_position && options->id != NULL)
        return true;
    if (!find_roles(&of, names_position, column_of, error))
        return false;
    if (options->id == NULL)
        columns->id = column_of[ID];
    return names_position || find_usual_columns(&of, column_of, columns, error);
}
