/* SPDX-License-Identifier: MIT */
/*
 * svg.c: draws versions as SVG pictures on a stream.
 *
 *     +--------------------------------+
 *     | title                          |
 *     |  +--------------------------+  |
 *     |  | map: an inner <svg>      |  |   the inner <svg> clips at the edges of the map and has
 *     |  |                          |  |   coordinates of its own, from 0,0
 *     |  |                          |  |
 *     |  +--------------------------+  |
 *     |  keys                    note  |
 *     +--------------------------------+
 *
 * Each function writes its output to the stream at once. The stream remembers a failure (ferror),
 * so only pqt_svg_end checks for one. viewport.h maps world coordinates to the map.
 */
#include "config.h"

#include <pqt/svg.h>

#include <pqt/circle.h>
#include <pqt/segment.h>
#include <pqt/tree.h>

#include "base/error_internal.h"
#include "base/format_double.h"
#include "base/option_structs.h"
#include "io/svg_path.h"
#include "io/viewport.h"
#include "io/xml.h"

/* Lengths in picture units. */
#define MARGIN 16.0       /* the space around the map */
#define HEAD 44.0         /* the space above a map with a title */
#define FOOT 38.0         /* the space below the map, for the keys and the note */
#define SMALLEST_BOX 0.5  /* a box that is smaller in width and height is drawn as a dot */
#define SMALLEST_CELL 1.0 /* smaller cells are not drawn, since their lines would merge */
#define KEY_WIDTH 18.0
#define LETTER 6.4 /* the average width of a letter in a key; the viewer chooses the font */
#define LEAST_SIDE 16.0
#define MOST_SIDE 16384.0

/* The maximum number of lines in a path: some viewers take time quadratic in the number of crossing
   lines. */
enum { LINES_A_PATH = 200 };

static const char built_in_style[] =
    "text{font:12px system-ui,'Helvetica Neue',Arial,sans-serif;fill:#26323f}\n"
    ".title{font-size:18px;font-weight:600}\n"
    ".note{font-size:11px;fill:#66727f;text-anchor:end}\n"
    ".paper{fill:#fff}\n"
    ".map{fill:#f7f9fb}\n"
    "path,circle{fill:none;stroke:#555;stroke-width:.8;stroke-linecap:round;stroke-linejoin:round;"
    "pointer-events:none}\n"
    ".cells{stroke:#c3ccd6;stroke-width:.5}\n"
    ".items{stroke:#2b5f92;fill:#2b5f92;fill-opacity:.08}\n"
    ".found{stroke:#d2352b;fill:#d2352b;fill-opacity:.12}\n"
    ".window{stroke:#222;stroke-width:1.4;stroke-dasharray:6 4}\n"
    ".dot{stroke-width:2.2;fill:none}\n"
    "path.sign{stroke-width:1}\n"
    "path.sign.dot{stroke-width:6}\n" /* the dots on the map may be smaller than this */
    ".tip{stroke:none;pointer-events:all}\n"
    ".tip.dot{stroke-width:8}\n"; /* only the pointer meets this stroke */

static pqti_svg_path
svg_path_of(const pqt_svg *svg, const char *class_name, const char *more)
{
    return (pqti_svg_path){.stream = svg->stream, .class_name = class_name, .more = more};
}

static void
write_number(const pqt_svg *svg, const char *before, double units)
{
    fputs(before, svg->stream);
    pqti_write_hundredths(svg->stream, pqti_hundredths(units));
}

static void
write_text(const pqt_svg *svg, const char *class_name, pqt_vec position, const char *text)
{
    fputs("<text class=\"", svg->stream);
    pqti_xml_text(svg->stream, class_name);
    write_number(svg, "\" x=\"", position.x);
    write_number(svg, "\" y=\"", position.y);
    fputs("\">", svg->stream);
    pqti_xml_text(svg->stream, text);
    fputs("</text>\n", svg->stream);
}

static void
write_rectangle(const pqt_svg *svg, const char *class_name, pqt_vec size)
{
    fprintf(svg->stream, "<rect class=\"%s\"", class_name);
    write_number(svg, " width=\"", size.x);
    write_number(svg, "\" height=\"", size.y);
    fputs("\"/>\n", svg->stream);
}

static bool
side_is_valid(const char *name, double side, pqt_error *error)
{
    if (side >= LEAST_SIDE && side <= MOST_SIDE)
        return true;
    pqti_error_set(error, PQT_ERROR_OPTION, 0, "svg: %s is not in 16..16384 (%s)", name,
                   pqti_format_double(side).text);
    return false;
}

static bool
svg_options_are_valid(const pqt_svg_options *options, pqt_error *error)
{
    return side_is_valid("width", options->width, error) &&
           side_is_valid("height", options->height, error);
}

static bool
world_is_valid(pqt_box world, pqt_error *error)
{
    if (pqt_box_is_valid(world))
        return true;
    pqti_error_set(error, PQT_ERROR_BOX, 0, "svg: world is not a valid box (%s, %s .. %s, %s)",
                   pqti_format_double(world.min.x).text, pqti_format_double(world.min.y).text,
                   pqti_format_double(world.max.x).text, pqti_format_double(world.max.y).text);
    return false;
}

static void
write_style(const pqt_svg *svg, const char *style)
{
    fputs("<style>\n", svg->stream);
    pqti_xml_text(svg->stream, built_in_style);
    if (style != NULL)
        pqti_xml_text(svg->stream, style);
    fputs("</style>\n", svg->stream);
}

/* Writes everything that comes before the content of the map. */
static void
write_svg_head(pqt_svg *svg, const pqt_svg_options *options)
{
    double top = options->title != NULL ? HEAD : MARGIN;
    pqt_vec all = {svg->map.x + 2 * MARGIN, top + svg->map.y + FOOT};
    svg->below = top + svg->map.y + FOOT / 2 + 4;
    write_number(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", all.x);
    write_number(svg, "\" height=\"", all.y);
    write_number(svg, "\" viewBox=\"0 0 ", all.x);
    write_number(svg, " ", all.y);
    fputs("\">\n", svg->stream);
    if (options->title != NULL) {
        fputs("<title>", svg->stream);
        pqti_xml_text(svg->stream, options->title);
        fputs("</title>\n", svg->stream);
    }
    write_style(svg, options->style);
    write_rectangle(svg, "paper", all);
    if (options->title != NULL)
        write_text(svg, "title", (pqt_vec){MARGIN, HEAD - 15}, options->title);
    write_number(svg, "<svg x=\"", MARGIN);
    write_number(svg, "\" y=\"", top);
    write_number(svg, "\" width=\"", svg->map.x);
    write_number(svg, "\" height=\"", svg->map.y);
    fputs("\">\n", svg->stream);
    write_rectangle(svg, "map", svg->map);
}

PQTI_DEFINE_OPTIONS(pqti_svg_options, pqt_svg_options, style, PQT_SVG_DEFAULTS);

bool
pqt_svg_begin(pqt_svg *svg, FILE *stream, pqt_box world, const pqt_svg_options *options,
              pqt_error *error)
{
    pqt_svg_options converted;
    PQT_ASSERT(svg != NULL, "the picture is NULL");
    PQT_ASSERT(stream != NULL, "the stream is NULL");
    *svg = (pqt_svg){.stream = NULL};
    options = pqti_options_read(&pqti_svg_options_layout, options, &converted, error);
    if (options == NULL || !svg_options_are_valid(options, error) || !world_is_valid(world, error))
        return false;
    svg->stream = stream;
    svg->note = options->note;
    svg->flip_y = options->flip_y;
    svg->on_map = true;
    svg->key_x = MARGIN;
    pqti_viewport_fit(svg, world, options->width, options->height);
    write_svg_head(svg, options);
    return true;
}

typedef struct drawing {
    const pqt_svg *svg;
    pqti_svg_path path;
} drawing;

/* Draws the two lines that divide a cell into its quadrants. */
static bool
draw_cell_axes(const pqt_cell *cell, void *context)
{
    drawing *now = context;
    pqti_device_rect rect = pqti_viewport_rect(now->svg, &cell->box);
    if (cell->kind != PQT_CELL_INNER || !pqti_viewport_shows(now->svg, &rect) ||
        pqti_device_rect_is_smaller(&rect, SMALLEST_CELL))
        return true;
    int32_t x = pqti_viewport_x(now->svg, cell->box.min.x / 2 + cell->box.max.x / 2);
    int32_t y = pqti_viewport_y(now->svg, cell->box.min.y / 2 + cell->box.max.y / 2);
    pqti_svg_path_line(&now->path, rect.min_x, y, rect.max_x, y);
    pqti_svg_path_line(&now->path, x, rect.min_y, x, rect.max_y);
    return true;
}

static bool
draw_box(const pqt_item *item, void *context)
{
    drawing *now = context;
    pqti_device_rect rect = pqti_viewport_rect(now->svg, &item->box);
    if (pqti_viewport_shows(now->svg, &rect) && !pqti_device_rect_is_smaller(&rect, SMALLEST_BOX))
        pqti_svg_path_box(&now->path, rect.min_x, rect.min_y, rect.max_x, rect.max_y);
    return true;
}

static bool
draw_dot(const pqt_item *item, void *context)
{
    drawing *now = context;
    pqti_device_rect rect = pqti_viewport_rect(now->svg, &item->box);
    if (pqti_viewport_shows(now->svg, &rect) && pqti_device_rect_is_smaller(&rect, SMALLEST_BOX))
        pqti_svg_path_dot(&now->path, (rect.min_x + rect.max_x) / 2, (rect.min_y + rect.max_y) / 2);
    return true;
}

/* Returns true if pqt_svg_begin succeeded. Aborts the program if a key has already finished the
   map. */
static bool
is_open_in(const char *function, const pqt_svg *svg)
{
    PQT_ASSERT_IN(function, svg->stream == NULL || svg->on_map,
                  "a key has finished the map, so nothing can be drawn on it");
    return svg->stream != NULL;
}

#define svg_is_open(svg) is_open_in(__func__, svg)

void
pqt_svg_cells(pqt_svg *svg, const pqt_tree *tree, const char *class_name)
{
    if (!svg_is_open(svg))
        return;
    drawing now = {svg, svg_path_of(svg, class_name, "")};
    pqt_box bounds = pqt_tree_bounds(tree);
    pqti_device_rect rect = pqti_viewport_rect(svg, &bounds);
    if (pqti_viewport_shows(svg, &rect))
        pqti_svg_path_box(&now.path, rect.min_x, rect.min_y, rect.max_x, rect.max_y);
    pqt_tree_visit_cells(tree, draw_cell_axes, &now);
    pqti_svg_path_close(&now.path);
}

void
pqt_svg_items(pqt_svg *svg, const pqt_tree *tree, const pqt_query *query, const char *class_name)
{
    if (!svg_is_open(svg))
        return;
    drawing boxes = {svg, svg_path_of(svg, class_name, "")};
    pqt_tree_visit(tree, query, draw_box, &boxes);
    pqti_svg_path_close(&boxes.path);
    drawing dots = {svg, svg_path_of(svg, class_name, " dot")};
    pqt_tree_visit(tree, query, draw_dot, &dots);
    pqti_svg_path_close(&dots.path);
}

static void
draw_rect(pqti_svg_path *path, const pqti_device_rect *rect, bool is_dot)
{
    if (is_dot)
        pqti_svg_path_dot(path, (rect->min_x + rect->max_x) / 2, (rect->min_y + rect->max_y) / 2);
    else
        pqti_svg_path_box(path, rect->min_x, rect->min_y, rect->max_x, rect->max_y);
}

void
pqt_svg_box(pqt_svg *svg, pqt_box box, const char *class_name)
{
    if (!svg_is_open(svg) || !(box.min.x <= box.max.x && box.min.y <= box.max.y))
        return;
    pqti_device_rect rect = pqti_viewport_rect(svg, &box);
    bool is_dot = pqti_device_rect_is_smaller(&rect, SMALLEST_BOX);
    pqti_svg_path path = svg_path_of(svg, class_name, is_dot ? " dot" : "");
    if (pqti_viewport_shows(svg, &rect))
        draw_rect(&path, &rect, is_dot);
    pqti_svg_path_close(&path);
}

void
pqt_svg_tip(pqt_svg *svg, pqt_box box, const char *text)
{
    if (!svg_is_open(svg) || !(box.min.x <= box.max.x && box.min.y <= box.max.y))
        return;
    pqti_device_rect rect = pqti_viewport_rect(svg, &box);
    bool is_dot = pqti_device_rect_is_smaller(&rect, SMALLEST_BOX);
    pqti_svg_path path = svg_path_of(svg, "tip", is_dot ? " dot" : "");
    if (!pqti_viewport_shows(svg, &rect))
        return;
    draw_rect(&path, &rect, is_dot);
    pqti_svg_path_close_with_title(&path, text);
}

static void
write_circle(const pqt_svg *svg, pqt_vec centre, double radius, const char *class_name)
{
    fputs("<circle class=\"", svg->stream);
    pqti_xml_text(svg->stream, class_name);
    write_number(svg, "\" cx=\"", centre.x);
    write_number(svg, "\" cy=\"", centre.y);
    write_number(svg, "\" r=\"", radius);
    fputs("\"/>\n", svg->stream);
}

void
pqt_svg_circle(pqt_svg *svg, pqt_circle circle, const char *class_name)
{
    if (!svg_is_open(svg) || !pqt_circle_is_valid(circle))
        return;
    pqt_box box = pqt_circle_box(circle);
    pqti_device_rect rect = pqti_viewport_rect(svg, &box);
    double radius = circle.radius / 2 / svg->half_extent * svg->scale;
    if (pqti_device_rect_is_smaller(&rect, SMALLEST_BOX))
        pqt_svg_box(svg, (pqt_box){circle.centre, circle.centre}, class_name);
    else if (pqti_viewport_shows(svg, &rect) && radius <= MOST_SIDE)
        write_circle(svg, pqti_viewport_point(svg, circle.centre), radius, class_name);
}

static void
draw_segment(const pqt_svg *svg, pqti_svg_path *path, pqt_segment segment)
{
    if (pqt_segment_is_valid(segment) && pqti_viewport_clip(svg, &segment))
        pqti_svg_path_line(path, pqti_viewport_x(svg, segment.from.x),
                           pqti_viewport_y(svg, segment.from.y), pqti_viewport_x(svg, segment.to.x),
                           pqti_viewport_y(svg, segment.to.y));
}

void
pqt_svg_segments(pqt_svg *svg, const pqt_segment *segments, size_t count, const char *class_name)
{
    PQT_ASSERT(segments != NULL || count == 0, "segments is NULL, and count is not 0");
    if (!svg_is_open(svg))
        return;
    pqti_svg_path path = svg_path_of(svg, class_name, "");
    for (size_t i = 0; i < count; i++) {
        draw_segment(svg, &path, segments[i]);
        if (path.shapes < LINES_A_PATH)
            continue;
        pqti_svg_path_close(&path);
        path = svg_path_of(svg, class_name, "");
    }
    pqti_svg_path_close(&path);
}

void
pqt_svg_text(pqt_svg *svg, pqt_vec position, const char *text, const char *class_name)
{
    int32_t x, y;
    if (!svg_is_open(svg))
        return;
    x = pqti_viewport_x(svg, position.x);
    y = pqti_viewport_y(svg, position.y);
    if (x >= 0 && x <= pqti_hundredths(svg->map.x) && y >= 0 && y <= pqti_hundredths(svg->map.y))
        write_text(svg, class_name, (pqt_vec){x / 100.0, y / 100.0}, text);
}

static void
finish_map(pqt_svg *svg)
{
    if (svg->on_map)
        fputs("</svg>\n", svg->stream);
    svg->on_map = false;
}

/* Counts the characters in UTF-8 text: all bytes except continuation bytes. */
static size_t
count_letters(const char *text)
{
    size_t letters = 0;
    for (; *text != '\0'; text++)
        letters += ((unsigned char)*text & 0xc0) != 0x80;
    return letters;
}

void
pqt_svg_key(pqt_svg *svg, pqt_svg_sign sign, const char *class_name, const char *text)
{
    if (svg->stream == NULL)
        return;
    finish_map(svg);
    pqti_svg_path path = svg_path_of(svg, class_name, sign == PQT_SVG_DOT ? " sign dot" : " sign");
    double y = svg->below - 4; /* half the height of the letters above their baseline */
    int32_t left = pqti_hundredths(svg->key_x), middle = pqti_hundredths(y);
    if (sign == PQT_SVG_DOT)
        pqti_svg_path_dot(&path, left + pqti_hundredths(KEY_WIDTH / 2), middle);
    else if (sign == PQT_SVG_LINE)
        pqti_svg_path_line(&path, left, middle, left + pqti_hundredths(KEY_WIDTH), middle);
    else
        pqti_svg_path_box(&path, left, pqti_hundredths(y - 5), left + pqti_hundredths(KEY_WIDTH),
                          pqti_hundredths(y + 5));
    pqti_svg_path_close(&path);
    write_text(svg, "key", (pqt_vec){svg->key_x + KEY_WIDTH + 6, svg->below}, text);
    svg->key_x += KEY_WIDTH + 6 + LETTER * (double)count_letters(text) + MARGIN;
    svg->key_x = pqti_clamped(svg->key_x, 0, MOST_SIDE);
}

bool
pqt_svg_end(pqt_svg *svg, pqt_error *error)
{
    if (svg->stream == NULL) {
        pqti_error_set(error, PQT_ERROR_STREAM, 0, "svg: pqt_svg_begin failed or was not called");
        return false;
    }
    finish_map(svg);
    if (svg->note != NULL)
        write_text(svg, "note", (pqt_vec){svg->map.x + MARGIN, svg->below}, svg->note);
    fputs("</svg>\n", svg->stream);
    bool written = fflush(svg->stream) == 0 && ferror(svg->stream) == 0;
    if (!written)
        pqti_error_set(error, PQT_ERROR_STREAM, 0, "svg: the stream could not be written");
    svg->stream = NULL;
    return written;
}
