/* SPDX-License-Identifier: MIT */
/*
 * geometry_json.c: writes geometries and boxes as GeoJSON.
 *
 * The parentheses of well-known text are nested like the arrays of GeoJSON. Numbers are written as
 * they were read if they are numbers of JSON, too.
 */
#include "config.h"

#include "tool/geometry_json.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "tool/globe_picture.h"
#include "tool/json_text.h"
#include "tool/numbers.h"

/* A text that is being read. */
typedef struct cursor {
    const char *at;
    FILE *stream;      /* NULL: nothing is written, and the longitudes are measured */
    size_t kept;       /* the number of coordinates that each position keeps */
    bool is_globe;     /* longitudes beyond 180 are written as those on the other side */
    double west, east; /* the least and the greatest longitude that was measured */
    double turn;       /* added to the longitudes of the current part */
    bool is_cut;       /* no part crosses the antimeridian */
} cursor;

/* The kinds of geometries, how deeply their positions are nested, and how deeply those of a part
   that is a geometry of its own; -1: a collection. */
static const struct kind {
    const char *wkt, *type;
    int depth, part;
} kinds[] = {{"POINT", "Point", 0, 0},
             {"LINESTRING", "LineString", 1, 1},
             {"POLYGON", "Polygon", 2, 2},
             {"TRIANGLE", "Polygon", 2, 2},
             {"MULTIPOINT", "MultiPoint", 1, 0},
             {"MULTILINESTRING", "MultiLineString", 2, 1},
             {"MULTIPOLYGON", "MultiPolygon", 3, 2},
             {"TIN", "MultiPolygon", 3, 2},
             {"POLYHEDRALSURFACE", "MultiPolygon", 3, 2},
             {"GEOMETRYCOLLECTION", "GeometryCollection", -1, -1}};
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

static void
put(const cursor *from, const char *text)
{
    if (from->stream != NULL)
        fputs(text, from->stream);
}

static void
measure(cursor *from, double longitude)
{
    from->west = fmin(from->west, longitude);
    from->east = fmax(from->east, longitude);
}

/* Writes the next number if there is one. */
static bool
copy_number(cursor *from, size_t index)
{
    double number = 0;
    size_t precision;
    skip_blanks(from);
    const size_t length = strspn(from->at, "0123456789+-.eE");
    if (length == 0)
        return false;
    const bool is_longitude = index == 0 && from->is_globe;
    const double turn = is_longitude ? from->turn : 0;
    if (is_longitude || from->stream != NULL)
        read_number(from->at, length, &number);
    if (is_longitude && from->stream == NULL)
        measure(from, number);
    if (index < from->kept && from->stream != NULL) {
        put(from, index > 0 ? "," : "");
        if (turn == 0 && json_number_length(from->at, &precision) == length)
            fwrite(from->at, 1, length, from->stream);
        else
            put(from, shortest(number + turn).text);
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
    put(from, "[");
    for (size_t i = 0; copy_number(from, i);)
        i++;
    put(from, "]");
    for (; open > 0; open--)
        take(from, ')');
}

static void
copy_list(cursor *from, int depth)
{
    if (take_word(from, "EMPTY")) {
        put(from, "[]");
        return;
    }
    if (depth == 0) {
        copy_position(from);
        return;
    }
    take(from, '(');
    put(from, "[");
    do {
        copy_list(from, depth - 1);
        skip_blanks(from);
        put(from, *from->at == ',' ? "," : "");
    } while (take(from, ','));
    put(from, "]");
    take(from, ')');
}

/* Returns the number that is added to the longitudes of the next part, so that they are from -180
   to 180. A part that crosses the antimeridian has no such number. */
static double
turn_of_part(cursor *from, int depth)
{
    cursor ahead = *from;
    ahead.stream = NULL;
    ahead.west = INFINITY;
    ahead.east = -INFINITY;
    copy_list(&ahead, depth);
    const double turn = ahead.west >= 180 && ahead.east > 180     ? -360
                        : ahead.east <= -180 && ahead.west < -180 ? 360
                                                                  : 0;
    from->is_cut = from->is_cut && (ahead.west > ahead.east ||
                                    (ahead.west + turn >= -180 && ahead.east + turn <= 180));
    return turn;
}

/* Writes the parts of a geometry. */
static void
copy_parts(cursor *from, int depth, int part)
{
    if (depth > part && !take_word(from, "EMPTY")) {
        take(from, '(');
        put(from, "[");
        do {
            copy_parts(from, depth - 1, part);
            skip_blanks(from);
            put(from, *from->at == ',' ? "," : "");
        } while (take(from, ','));
        put(from, "]");
        take(from, ')');
        return;
    }
    if (depth > part) {
        put(from, "[]");
        return;
    }
    from->turn = from->is_globe ? turn_of_part(from, depth) : 0;
    copy_list(from, depth);
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
        copy_parts(from, kind->depth, kind->part);
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

bool
write_geometry_json(FILE *stream, const char *wkt, bool is_globe)
{
    cursor from = {.at = wkt, .stream = stream, .is_globe = is_globe, .is_cut = true};
    copy_geometry(&from);
    return from.is_cut || !is_globe;
}

/* ---- Boxes ---- */

static void
write_corner(FILE *stream, const box_text *box, size_t x, size_t y, const char *between)
{
    fprintf(stream, "%.*s%s%.*s", (int)box->lengths[x], box->numbers[x], between,
            (int)box->lengths[y], box->numbers[y]);
}

/* Writes the corners of a box, with text around and between them. */
static void
write_corners(FILE *stream, const box_text *box, const char *before, const char *between,
              const char *after)
{
    static const size_t x[] = {0, 2, 2, 0, 0}, y[] = {1, 1, 3, 3, 1};
    for (size_t i = 0; i < 5; i++) {
        fprintf(stream, "%s%s", i > 0 ? "," : "", before);
        write_corner(stream, box, x[i], y[i], between);
        fputs(after, stream);
    }
}

static box_text
text_of(pqt_box box)
{
    return (box_text){.made = {shortest(box.min.x), shortest(box.min.y), shortest(box.max.x),
                               shortest(box.max.y)},
                      .is_point = box.min.x == box.max.x && box.min.y == box.max.y};
}

/* Lets the numbers be those that were made. */
static const box_text *
with_made(box_text *box)
{
    for (size_t i = 0; i < 4; i++) {
        box->numbers[i] = box->made[i].text;
        box->lengths[i] = strlen(box->made[i].text);
    }
    return box;
}

void
write_globe_box_json(FILE *stream, pqt_box box)
{
    const globe_parts cut = globe_cut(box);
    if (cut.count == 1) {
        box_text whole = text_of(cut.boxes[0]);
        write_box_json(stream, with_made(&whole));
        return;
    }
    fputs("{\"type\":\"MultiPolygon\",\"coordinates\":[", stream);
    for (size_t i = 0; i < cut.count; i++) {
        box_text part = text_of(cut.boxes[i]);
        fputs(i > 0 ? ",[[" : "[[", stream);
        write_corners(stream, with_made(&part), "[", ",", "]");
        fputs("]]", stream);
    }
    fputs("]}", stream);
}

void
write_box_json(FILE *stream, const box_text *box)
{
    if (box->is_point) {
        fputs("{\"type\":\"Point\",\"coordinates\":[", stream);
        write_corner(stream, box, 0, 1, ",");
        fputs("]}", stream);
        return;
    }
    fputs("{\"type\":\"Polygon\",\"coordinates\":[[", stream);
    write_corners(stream, box, "[", ",", "]");
    fputs("]]}", stream);
}

void
write_box_wkt(FILE *stream, const box_text *box)
{
    if (box->is_point) {
        fputs("POINT (", stream);
        write_corner(stream, box, 0, 1, " ");
        fputs(")", stream);
        return;
    }
    fputs("\"POLYGON ((", stream);
    write_corners(stream, box, "", " ", "");
    fputs("))\"", stream);
}
