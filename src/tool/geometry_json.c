/* SPDX-License-Identifier: MIT */
/*
 * geometry_json.c: writes geometries and boxes as GeoJSON.
 *
 * The parentheses of well-known text are nested like the arrays of GeoJSON. Numbers are written as
 * they were read if they are numbers of JSON, too.
 */
#include "config.h"

#include "tool/geometry_json.h"

#include <string.h>
#include <strings.h>

#include "tool/json_text.h"
#include "tool/numbers.h"

/* A text that is being read. */
typedef struct cursor {
    const char *at;
    FILE *stream;
    size_t kept; /* the number of coordinates that each position keeps */
} cursor;

/* The kinds of geometries, and how deeply their positions are nested; -1: a collection. */
static const struct kind {
    const char *wkt, *type;
    int depth;
} kinds[] = {{"POINT", "Point", 0},
             {"LINESTRING", "LineString", 1},
             {"POLYGON", "Polygon", 2},
             {"TRIANGLE", "Polygon", 2},
             {"MULTIPOINT", "MultiPoint", 1},
             {"MULTILINESTRING", "MultiLineString", 2},
             {"MULTIPOLYGON", "MultiPolygon", 3},
             {"TIN", "MultiPolygon", 3},
             {"POLYHEDRALSURFACE", "MultiPolygon", 3},
             {"GEOMETRYCOLLECTION", "GeometryCollection", -1}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* ---- Text ---- */

static void
skip_blanks(cursor *from)
{
    from->at += strspn(from->at, " \t\r\n");
}

static bool
take(cursor *from, char c)
{
    skip_blanks(from);
    if (*from->at != c)
        return false;
    from->at++;
    return true;
}

/* Writes the next number if there is one. */
static bool
copy_number(cursor *from, size_t index)
{
    double number;
    size_t precision;
    skip_blanks(from);
    const size_t length = strspn(from->at, "0123456789+-.eE");
    if (length == 0)
        return false;
    if (index < from->kept) {
        fputs(index > 0 ? "," : "", from->stream);
        if (json_number_length(from->at, &precision) == length) {
            fwrite(from->at, 1, length, from->stream);
        } else {
            read_number(from->at, length, &number);
            fputs(shortest(number).text, from->stream);
        }
    }
    from->at += length;
    return true;
}

/* ---- Geometries ---- */

/* Reads a word if it is next, in upper or lower case. */
static bool
take_word(cursor *from, const char *word)
{
    const size_t length = strlen(word);
    skip_blanks(from);
    if (strncasecmp(from->at, word, length) != 0)
        return false;
    from->at += length;
    return true;
}

/* Writes a position. A point may have one pair of parentheses more than it needs. */
static void
copy_position(cursor *from)
{
    size_t open = 0;
    while (take(from, '('))
        open++;
    fputc('[', from->stream);
    for (size_t i = 0; copy_number(from, i);)
        i++;
    fputc(']', from->stream);
    for (; open > 0; open--)
        take(from, ')');
}

static void
copy_list(cursor *from, int depth)
{
    if (take_word(from, "EMPTY")) {
        fputs("[]", from->stream);
        return;
    }
    if (depth == 0) {
        copy_position(from);
        return;
    }
    take(from, '(');
    fputc('[', from->stream);
    do {
        copy_list(from, depth - 1);
        skip_blanks(from);
        fputs(*from->at == ',' ? "," : "", from->stream);
    } while (take(from, ','));
    fputc(']', from->stream);
    take(from, ')');
}

/* Reads the name of a kind, and which coordinates the positions have. */
static const struct kind *
take_kind(cursor *from)
{
    const struct kind *kind = kinds;
    while (kind < kinds + KINDS - 1 && !take_word(from, kind->wkt))
        kind++;
    if (kind == kinds + KINDS - 1)
        take_word(from, kind->wkt);
    const bool has_z = take_word(from, "Z"), has_m = take_word(from, "M");
    from->kept = has_m && !has_z ? 2 : 3;
    return kind;
}

static void
copy_geometry(cursor *from)
{
    const struct kind *kind = take_kind(from);
    fprintf(from->stream, "{\"type\":\"%s\",\"%s\":", kind->type,
            kind->depth < 0 ? "geometries" : "coordinates");
    if (kind->depth >= 0) {
        copy_list(from, kind->depth);
    } else if (take_word(from, "EMPTY")) {
        fputs("[]", from->stream);
    } else {
        take(from, '(');
        fputc('[', from->stream);
        do {
            copy_geometry(from);
            skip_blanks(from);
            fputs(*from->at == ',' ? "," : "", from->stream);
        } while (take(from, ','));
        fputc(']', from->stream);
        take(from, ')');
    }
    fputc('}', from->stream);
}

void
write_geometry_json(FILE *stream, const char *wkt)
{
    cursor from = {.at = wkt, .stream = stream};
    copy_geometry(&from);
}

/* ---- Boxes ---- */

static bool
is_point(const pqt_box *box)
{
    return box->min.x == box->max.x && box->min.y == box->max.y;
}

/* Writes the corners of a box, with text around and between them. */
static void
write_corners(FILE *stream, const pqt_box *box, const char *before, const char *between,
              const char *after)
{
    const pqt_vec corners[] = {
        box->min, {box->max.x, box->min.y}, box->max, {box->min.x, box->max.y}, box->min};
    for (size_t i = 0; i < 5; i++)
        fprintf(stream, "%s%s%s%s%s%s", i > 0 ? "," : "", before, shortest(corners[i].x).text,
                between, shortest(corners[i].y).text, after);
}

void
write_box_json(FILE *stream, const pqt_box *box)
{
    if (is_point(box)) {
        fprintf(stream, "{\"type\":\"Point\",\"coordinates\":[%s,%s]}", shortest(box->min.x).text,
                shortest(box->min.y).text);
        return;
    }
    fputs("{\"type\":\"Polygon\",\"coordinates\":[[", stream);
    write_corners(stream, box, "[", ",", "]");
    fputs("]]}", stream);
}

void
write_box_wkt(FILE *stream, const pqt_box *box)
{
    if (is_point(box)) {
        fprintf(stream, "POINT (%s %s)", shortest(box->min.x).text, shortest(box->min.y).text);
        return;
    }
    fputs("\"POLYGON ((", stream);
    write_corners(stream, box, "", " ", "");
    fputs("))\"", stream);
}
