/* SPDX-License-Identifier: MIT */
/*
 * svg_path.c: writes many shapes as one SVG path element, in few bytes.
 *
 * Moves are relative to the end of the previous shape. In tree order, neighbours follow each other,
 * so the numbers are short. "m" begins a shape relative to the current point; the first "m" of a
 * path is absolute, because the current point is 0,0 before it. "z" returns to the beginning of the
 * shape. A dot is a line of length 0: with round caps, SVG draws a disc as wide as the stroke.
 */
#include "config.h"

#include "io/svg_path.h"

#include <math.h>

#include "base/error_internal.h"
#include "io/xml.h"

enum { SHAPES_A_LINE = 16 }; /* keeps lines short for editors and for diff */

/* The text for one shape: at most five numbers of at most 13 characters, each with a command. */
typedef struct piece {
    char text[96];
    size_t length;
} piece;

static void
append_piece(piece *out, char character)
{
    PQT_INVARIANT(out->length < sizeof out->text, "a shape does not fit its text");
    out->text[out->length++] = character;
}

/* Examples: 1234 -> "12.34", 50 -> ".5", -300 -> "-3" */
static void
append_hundredths(piece *out, int32_t hundredths)
{
    uint32_t rest = hundredths < 0 ? 0 - (uint32_t)hundredths : (uint32_t)hundredths;
    uint32_t whole = rest / 100;
    char digits[12];
    size_t count = 0;
    if (hundredths < 0)
        append_piece(out, '-');
    for (; whole > 0; whole /= 10)
        digits[count++] = (char)('0' + whole % 10);
    if (rest == 0)
        digits[count++] = '0';
    while (count > 0)
        append_piece(out, digits[--count]);
    if (rest % 100 == 0)
        return;
    append_piece(out, '.');
    append_piece(out, (char)('0' + rest / 10 % 10));
    if (rest % 10 != 0)
        append_piece(out, (char)('0' + rest % 10));
}

static void
append_command(piece *out, char command, int32_t argument)
{
    append_piece(out, command);
    append_hundredths(out, argument);
}

static void
append_step(piece *out, char command, int32_t step_x, int32_t step_y)
{
    append_command(out, command, step_x);
    if (step_y >= 0) /* a minus sign also separates the numbers */
        append_piece(out, ' ');
    append_hundredths(out, step_y);
}

static void
append_move(piece *out, pqti_svg_path *path, int32_t x, int32_t y)
{
    append_step(out, 'm', x - path->x, y - path->y);
    path->x = x;
    path->y = y;
}

static void
open_element(pqti_svg_path *path)
{
    fputs("<path class=\"", path->stream);
    pqti_xml_text(path->stream, path->class_name);
    fputs(path->more, path->stream);
    fputs("\" d=\"", path->stream);
    path->is_open = true;
}

static void
write_piece(pqti_svg_path *path, const piece *out)
{
    if (!path->is_open)
        open_element(path);
    else if (path->shapes % SHAPES_A_LINE == 0)
        putc('\n', path->stream);
    fwrite(out->text, 1, out->length, path->stream);
    path->shapes++;
}

int32_t
pqti_hundredths(double units)
{
    return (int32_t)floor(units * 100 + 0.5);
}

void
pqti_write_hundredths(FILE *stream, int32_t hundredths)
{
    piece out = {.length = 0};
    append_hundredths(&out, hundredths);
    fwrite(out.text, 1, out.length, stream);
}

void
pqti_svg_path_line(pqti_svg_path *path, int32_t x, int32_t y, int32_t to_x, int32_t to_y)
{
    piece out = {.length = 0};
    append_move(&out, path, x, y);
    if (to_y == y)
        append_command(&out, 'h', to_x - x);
    else if (to_x == x)
        append_command(&out, 'v', to_y - y);
    else
        append_step(&out, 'l', to_x - x, to_y - y);
    write_piece(path, &out);
    path->x = to_x;
    path->y = to_y;
}

void
pqti_svg_path_box(pqti_svg_path *path, int32_t x, int32_t y, int32_t to_x, int32_t to_y)
{
    piece out = {.length = 0};
    append_move(&out, path, x, y);
    append_command(&out, 'h', to_x - x);
    append_command(&out, 'v', to_y - y);
    append_command(&out, 'h', x - to_x);
    append_piece(&out, 'z');
    write_piece(path, &out);
}

void
pqti_svg_path_dot(pqti_svg_path *path, int32_t x, int32_t y)
{
    if (path->is_open && x == path->x && y == path->y)
        return;
    pqti_svg_path_line(path, x, y, x, y);
}

void
pqti_svg_path_close_with_title(pqti_svg_path *path, const char *title)
{
    fputs("\"><title>", path->stream);
    pqti_xml_text(path->stream, title);
    fputs("</title></path>\n", path->stream);
    path->is_open = false;
}

void
pqti_svg_path_close(pqti_svg_path *path)
{
    if (path->is_open)
        fputs("\"/>\n", path->stream);
    path->is_open = false;
}
