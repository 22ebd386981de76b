/* SPDX-License-Identifier: MIT */
/*
 * wkt.c: reads the boxes of geometries in well-known text, and writes boxes as geometries.
 *
 * A geometry is a word, which says how deeply its positions are nested, and a list in parentheses:
 * POINT (1 2), LINESTRING (1 2, 3 4), POLYGON ((1 2, 3 4, 5 6, 1 2)). The depth is at most
 * DEEPEST, also of collections, so a hostile text cannot exhaust the stack.
 */
#include "config.h"

#include "io/wkt.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/format_double.h"
#include "base/parse_double.h"

enum { DEEPEST = 32, MOST_NUMBERS = 4 };

/* A text that is being read. */
typedef struct reader {
    const char *text;
    size_t length, at;
    size_t positions; /* the number of positions so far */
    bool is_flat;     /* all positions have two numbers */
    pqti_wkt found;
} reader;

/* Remembers the first fault. Returns false. */
static bool
refuse(reader *from, const char *fault, size_t at)
{
    if (from->found.fault == NULL) {
        from->found.fault = fault;
        from->found.at = at;
    }
    return false;
}

static bool
is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static void
skip_blanks(reader *from)
{
    while (from->at < from->length && strchr(" \t\r\n", from->text[from->at]) != NULL &&
           from->text[from->at] != '\0')
        from->at++;
}

/* Reads a character if it is next. */
static bool
take(reader *from, char c)
{
    skip_blanks(from);
    if (from->at == from->length || from->text[from->at] != c)
        return false;
    from->at++;
    return true;
}

/* Reads a word if it is next, in upper or lower case, even if letters follow it. */
static bool
take_beginning(reader *from, const char *word)
{
    size_t i = 0;
    skip_blanks(from);
    while (word[i] != '\0' && from->at + i < from->length &&
           (from->text[from->at + i] & ~0x20) == word[i] && is_letter(from->text[from->at + i]))
        i++;
    if (word[i] != '\0')
        return false;
    from->at += i;
    return true;
}

/* Reads a whole word if it is next. */
static bool
take_word(reader *from, const char *word)
{
    const size_t start = from->at;
    if (take_beginning(from, word) &&
        (from->at == from->length || !is_letter(from->text[from->at])))
        return true;
    from->at = start;
    return false;
}

/* Reads a number if one is next. */
static bool
take_number(reader *from, double *number)
{
    skip_blanks(from);
    const size_t start = from->at;
    size_t end = start;
    while (end < from->length && from->text[end] != '\0' &&
           strchr("0123456789+-.eE", from->text[end]) != NULL)
        end++;
    if (end == start)
        return false;
    if (!pqti_parse_double(from->text + start, end - start, number))
        return refuse(from, "is not a number", start);
    if (!isfinite(*number))
        return refuse(from, "is not a finite number", start);
    from->at = end;
    return true;
}

static bool
read_position(reader *from)
{
    double numbers[MOST_NUMBERS];
    int count = 0;
    while (count < MOST_NUMBERS && take_number(from, &numbers[count]))
        count++;
    if (count < 2)
        return refuse(from, "has no position where one must be", from->at);
    const pqt_box here = {{numbers[0], numbers[1]}, {numbers[0], numbers[1]}};
    from->found.box = from->positions == 0 ? here : pqt_box_union(from->found.box, here);
    from->is_flat = from->is_flat && count == 2;
    from->positions++;
    return from->found.fault == NULL;
}

/* Reads a list in parentheses, or EMPTY. Its elements are positions if `depth` is 1, and otherwise
   lists of a smaller depth. A position in a list of several may have parentheses (MULTIPOINT). */
static bool
read_list(reader *from, int depth)
{
    if (take_word(from, "EMPTY"))
        return true;
    if (!take(from, '('))
        return refuse(from, "has no ( where a list must begin", from->at);
    do {
        const bool is_list = depth > 1;
        const bool has_parenthesis = !is_list && take(from, '(');
        if (is_list ? !read_list(from, depth - 1) : !read_position(from))
            return false;
        if (has_parenthesis && !take(from, ')'))
            return refuse(from, "has no ) where a point must end", from->at);
    } while (take(from, ','));
    return take(from, ')') || refuse(from, "has no ) where a list must end", from->at);
}

/* The kinds of geometries with straight lines, and how deeply their positions are nested. No name
   begins with another one. */
static const struct kind {
    const char *name;
    int depth;
} kinds[] = {{"POINT", 1},
             {"LINESTRING", 1},
             {"POLYGON", 2},
             {"MULTIPOINT", 1},
             {"MULTILINESTRING", 2},
             {"MULTIPOLYGON", 3},
             {"GEOMETRYCOLLECTION", 0},
             {"TRIANGLE", 2},
             {"TIN", 3},
             {"POLYHEDRALSURFACE", 3}};
enum { KINDS = sizeof kinds / sizeof kinds[0], POINT = 0, POLYGON = 2 };

/* Reads the name of a kind, and Z, M or ZM after it, with or without a blank. Returns KINDS if it
   is not one. */
static size_t
read_kind(reader *from)
{
    for (size_t i = 0; i < KINDS; i++) {
        if (!take_beginning(from, kinds[i].name))
            continue;
        if (!take_word(from, "ZM") && !take_word(from, "Z"))
            take_word(from, "M");
        return from->at < from->length && is_letter(from->text[from->at]) ? KINDS : i;
    }
    return KINDS;
}

/* Returns the fault of a text that begins with no known kind. */
static const char *
fault_of_kind(const reader *from)
{
    const char *text = from->text + from->at;
    const size_t rest = from->length - from->at;
    if (rest == 0)
        return "is empty, and has no box";
    if (rest > 2 && text[0] == '0' && (text[1] == '0' || text[1] == '1'))
        return "is hexadecimal WKB; ST_AsText writes WKT";
    if (rest > 5 && memcmp(text, "SRID=", 5) == 0)
        return "has an SRID; ST_AsText writes WKT";
    return "is not WKT with straight lines";
}

static bool
read_geometry(reader *from, int depth, size_t *kind)
{
    skip_blanks(from);
    const size_t start = from->at;
    *kind = read_kind(from);
    if (*kind == KINDS)
        return refuse(from, fault_of_kind(from), start);
    if (kinds[*kind].depth > 0) {
        const size_t before = from->positions;
        if (!read_list(from, kinds[*kind].depth))
            return false;
        return *kind != POINT || from->positions <= before + 1 ||
               refuse(from, "is a point with several positions", start);
    }
    if (take_word(from, "EMPTY"))
        return true;
    if (depth == DEEPEST)
        return refuse(from, "is nested too deeply", start);
    if (!take(from, '('))
        return refuse(from, "has no ( where a list must begin", from->at);
    do {
        size_t inner;
        if (!read_geometry(from, depth + 1, &inner))
            return false;
    } while (take(from, ','));
    return take(from, ')') || refuse(from, "has no ) where a list must end", from->at);
}

/* Returns true if a polygon with these corners goes around the box, and its first step is
   on an axis. */
static bool
goes_around(const pqt_box *box, const double corners[5][2], size_t axis)
{
    const double low[] = {box->min.x, box->min.y}, high[] = {box->max.x, box->max.y};
    for (size_t i = 0; i < 5; i++, axis = 1 - axis)
        for (size_t a = 0; a < 2; a++) {
            if (corners[i][a] != low[a] && corners[i][a] != high[a])
                return false;
            if (i > 0 && (corners[i][a] != corners[i - 1][a]) != (a != axis && low[a] < high[a]))
                return false;
        }
    return true;
}

/* Returns true if the text, which is a polygon with five positions, is the rectangle around its
   box. */
static bool
is_rectangle(const reader *whole)
{
    reader from = {.text = whole->text, .length = whole->length};
    double corners[5][2];
    read_kind(&from);
    take(&from, '(');
    take(&from, '(');
    for (size_t i = 0; i < 5; i++, take(&from, ','))
        if (!take_number(&from, &corners[i][0]) || !take_number(&from, &corners[i][1]))
            return false;
    return goes_around(&whole->found.box, (const double(*)[2])corners, 0) ||
           goes_around(&whole->found.box, (const double(*)[2])corners, 1);
}

pqti_wkt
pqti_wkt_read(const char *text, size_t length)
{
    reader from = {.text = text, .length = length, .is_flat = true};
    size_t kind = KINDS;
    if (!read_geometry(&from, 0, &kind))
        return from.found;
    skip_blanks(&from);
    if (from.at < length)
        refuse(&from, "has text after its geometry", from.at);
    else if (from.positions == 0)
        refuse(&from, "is an empty geometry, which has no box", 0);
    else if (from.is_flat)
        from.found.is_box =
            kind == POINT || (kind == POLYGON && from.positions == 5 && is_rectangle(&from));
    return from.found;
}

size_t
pqti_wkt_write(const pqt_box *box, char text[PQTI_WKT_LONGEST])
{
    const pqti_double_text x0 = pqti_format_double(box->min.x), y0 = pqti_format_double(box->min.y),
                           x1 = pqti_format_double(box->max.x), y1 = pqti_format_double(box->max.y);
    if (box->min.x == box->max.x && box->min.y == box->max.y)
        return (size_t)snprintf(text, PQTI_WKT_LONGEST, "POINT (%s %s)", x0.text, y0.text);
    return (size_t)snprintf(text, PQTI_WKT_LONGEST, "POLYGON ((%s %s, %s %s, %s %s, %s %s, %s %s))",
                            x0.text, y0.text, x1.text, y0.text, x1.text, y1.text, x0.text, y1.text,
                            x0.text, y0.text);
}
