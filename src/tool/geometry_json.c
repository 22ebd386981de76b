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

#include "tool/antimeridian.h"
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
    bool crosses;      /* a part that was measured crosses the antimeridian */
    bool has_z;        /* the positions of a geometry that is cut have a third number */
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
    from->crosses = from->crosses || ahead.west + turn < -180 || ahead.east + turn > 180;
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

/* Returns true if a part of the next geometry crosses the antimeridian. */
static bool
crosses_antimeridian(const cursor *from, const struct kind *kind)
{
    cursor ahead = *from;
    ahead.stream = NULL;
    if (from->is_globe && kind->part > 0)
        copy_parts(&ahead, kind->depth, kind->part);
    return ahead.crosses;
}

/* ---- Cut geometries ---- */

/* Reads a position with its first three numbers. */
static position
read_position(cursor *from)
{
    double numbers[3] = {0, 0, 0};
    for (size_t i = 0;; i++) {
        double number = 0;
        skip_blanks(from);
        const size_t length = strspn(from->at, "0123456789+-.eE");
        if (length == 0)
            return (position){numbers[0], numbers[1], numbers[2]};
        read_number(from->at, length, &number);
        if (i < 3)
            numbers[i] = number;
        from->has_z = from->has_z || (i == 2 && from->kept == 3);
        from->at += length;
    }
}

/* Reads a line, or a ring without its last position. */
static void
read_path(cursor *from, paths *to, bool is_ring)
{
    if (take_word(from, "EMPTY"))
        return;
    paths_begin(to, is_ring && to->count > 0);
    take(from, '(');
    do {
        paths_add(to, read_position(from));
    } while (take(from, ','));
    take(from, ')');
    polyline *made = &to->all[to->count - 1];
    const position first = to->at[made->first], last = to->at[to->positions - 1];
    if (is_ring && made->count > 1 && first.x == last.x && first.y == last.y) {
        to->positions--;
        made->count--;
    }
}

static void
write_position(const cursor *to, position at)
{
    fprintf(to->stream, "[%s,%s", shortest(at.x).text, shortest(at.y).text);
    if (to->has_z)
        fprintf(to->stream, ",%s", shortest(at.z).text);
    fputs("]", to->stream);
}

/* Writes a path. A ring ends with its first position. */
static void
write_path(const cursor *to, const paths *from, const polyline *written, bool is_ring)
{
    fputs("[", to->stream);
    for (size_t i = 0; i < written->count + is_ring; i++) {
        fputs(i > 0 ? "," : "", to->stream);
        write_position(to, from->at[written->first + i % written->count]);
    }
    fputs("]", to->stream);
}

/* Writes the parts of one line or polygon. Returns true if there is any before or in it. */
static bool
write_parts(const cursor *to, const paths *parts, bool are_rings, bool has_part)
{
    for (size_t i = 0; i < parts->count; i++) {
        if (are_rings && !parts->all[i].is_hole)
            fputs(has_part ? "],[" : "[", to->stream);
        else
            fputs(has_part ? "," : "", to->stream);
        write_path(to, parts, &parts->all[i], are_rings);
        has_part = true;
    }
    return has_part;
}

/* Reads one line or polygon, and writes its parts. */
static bool
cut_part(cursor *from, bool is_polygon, bool has_part)
{
    paths read = {.at = NULL};
    if (is_polygon && !take_word(from, "EMPTY")) {
        take(from, '(');
        do {
            read_path(from, &read, true);
        } while (take(from, ','));
        take(from, ')');
    } else if (!is_polygon) {
        read_path(from, &read, false);
    }
    paths parts = is_polygon ? cut_polygon(&read) : cut_lines(&read);
    has_part = write_parts(from, &parts, is_polygon, has_part);
    paths_free(&read);
    paths_free(&parts);
    return has_part;
}

/* Writes a geometry of lines or polygons, of which one crosses the antimeridian, as several of
   them. */
static void
cut_geometry(cursor *from, const struct kind *kind)
{
    const bool are_polygons = kind->part == 2, are_many = kind->depth > kind->part;
    bool has_part = false;
    from->has_z = false;
    fprintf(from->stream, "{\"type\":\"%s\",\"coordinates\":[",
            are_polygons ? "MultiPolygon" : "MultiLineString");
    if (are_many)
        take(from, '(');
    do {
        has_part = cut_part(from, are_polygons, has_part);
    } while (are_many && take(from, ','));
    if (are_many)
        take(from, ')');
    fputs(are_polygons ? "]]}" : "]}", from->stream);
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
    if (crosses_antimeridian(from, kind)) {
        cut_geometry(from, kind);
        return;
    }
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

void
write_geometry_json(FILE *stream, const char *wkt, bool is_globe)
{
    cursor from = {.at = wkt, .stream = stream, .is_globe = is_globe};
    copy_geometry(&from);
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
