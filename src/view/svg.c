/* SPDX-License-Identifier: MIT */
/*
 * svg.c - pictures of versions, written to a stream as SVG.
 *
 *     +--------------------------------+
 *     | title                          |
 *     |  +--------------------------+  |
 *     |  | map: an <svg> of its own,|  |   the inner <svg> cuts off what leaves the map, and gives it
 *     |  | so it cuts and begins at |  |   coordinates of its own, from 0,0
 *     |  | 0,0                      |  |
 *     |  +--------------------------+  |
 *     |  keys                    note  |
 *     +--------------------------------+
 *
 * All is written as it is drawn. A stream remembers its first failure by itself (ferror), so only the
 * end looks at it. Places are computed from halves and as quotients, as on the tree's lattice, so
 * worlds of 1e300 and 1e-300 are drawn like any other; what lies far outside the map is brought near
 * it, which changes nothing that can be seen.
 */
#include "config.h"

#include <pqt/svg.h>

#include <math.h>

#include <pqt/tree.h>

#include "base/error.h"
#include "base/number.h"
#include "view/pen.h"
#include "view/xml.h"

/* Picture units. */
#define MARGIN 16.0  /* around all */
#define HEAD 44.0    /* above the map, if there is a title */
#define FOOT 38.0    /* below the map, for keys and note */
#define OUTSIDE 64.0 /* where far things are brought: farther off the map than strokes are wide */
#define SMALLEST_BOX 0.5  /* smaller both ways: a dot */
#define SMALLEST_CELL 1.0 /* lines in smaller cells would be a blot */
#define KEY_WIDTH 18.0
#define LETTER 6.4 /* of a key's text, on average: the writer cannot know the reader's font */
#define LEAST_SIDE 16.0
#define MOST_SIDE 16384.0

/* Lines of one path that cross each other cost some viewers the square of their number. */
enum { LINES_A_PATH = 200 };

static const char built_in_style[] =
    "text{font:12px system-ui,'Helvetica Neue',Arial,sans-serif;fill:#26323f}\n"
    ".title{font-size:18px;font-weight:600}\n"
    ".note{font-size:11px;fill:#66727f;text-anchor:end}\n"
    ".paper{fill:#fff}\n"
    ".map{fill:#f7f9fb}\n"
    "path,circle{fill:none;stroke:#555;stroke-width:.8;stroke-linecap:round;stroke-linejoin:round}"
    "\n"
    ".cells{stroke:#c3ccd6;stroke-width:.5}\n"
    ".items{stroke:#2b5f92;fill:#2b5f92;fill-opacity:.08}\n"
    ".found{stroke:#d2352b;fill:#d2352b;fill-opacity:.12}\n"
    ".window{stroke:#222;stroke-width:1.4;stroke-dasharray:6 4}\n"
    ".dot{stroke-width:2.2;fill:none}\n"
    "path.sign{stroke-width:1}\n"
    "path.sign.dot{stroke-width:6}\n"; /* however small the dots are that it explains */

static double
clamped(double value, double low, double high)
{
    if (!(value > low)) /* NaN too */
        return low;
    return value < high ? value : high;
}

/* From world units to picture units on the map. */
static pqt_vec
spot_of(const pqt_svg *svg, pqt_vec p)
{
    pqt_vec spot = {(p.x / 2 - svg->half_low.x) / svg->half_extent * svg->scale + svg->inset.x,
                    (p.y / 2 - svg->half_low.y) / svg->half_extent * svg->scale + svg->inset.y};
    if (svg->flip_y)
        spot.y = svg->map.y - spot.y;
    return spot;
}

/* The same in hundredths, and near the map. */
static int32_t
map_x(const pqt_svg *svg, double x)
{
    double spot = spot_of(svg, (pqt_vec){x, 0}).x;
    return pqti_hundredths(clamped(spot, -OUTSIDE, svg->map.x + OUTSIDE));
}

static int32_t
map_y(const pqt_svg *svg, double y)
{
    double spot = spot_of(svg, (pqt_vec){0, y}).y;
    return pqti_hundredths(clamped(spot, -OUTSIDE, svg->map.y + OUTSIDE));
}

/* A box on the map; min <= max, whichever way y points. */
typedef struct patch {
    int32_t min_x, min_y, max_x, max_y;
} patch;

static patch
patch_of(const pqt_svg *svg, const pqt_box *box)
{
    int32_t top = map_y(svg, svg->flip_y ? box->max.y : box->min.y);
    int32_t bottom = map_y(svg, svg->flip_y ? box->min.y : box->max.y);
    return (patch){map_x(svg, box->min.x), top, map_x(svg, box->max.x), bottom};
}

/* Whether anything of it can be seen: strokes reach out by less than half of OUTSIDE. */
static bool
is_seen(const pqt_svg *svg, const patch *place)
{
    int32_t reach = pqti_hundredths(OUTSIDE / 2);
    return place->max_x >= -reach && place->min_x <= pqti_hundredths(svg->map.x) + reach &&
           place->max_y >= -reach && place->min_y <= pqti_hundredths(svg->map.y) + reach;
}

static bool
is_smaller(const patch *place, double units)
{
    int32_t side = pqti_hundredths(units);
    return place->max_x - place->min_x < side && place->max_y - place->min_y < side;
}

static pqti_pen
pen_of(const pqt_svg *svg, const char *class_name, const char *more)
{
    return (pqti_pen){.stream = svg->stream, .class_name = class_name, .more = more};
}

static void
write_number(const pqt_svg *svg, const char *before, double units)
{
    fputs(before, svg->stream);
    pqti_write_hundredths(svg->stream, pqti_hundredths(units));
}

static void
write_text(const pqt_svg *svg, const char *class_name, pqt_vec place, const char *text)
{
    fputs("<text class=\"", svg->stream);
    pqti_xml_text(svg->stream, class_name);
    write_number(svg, "\" x=\"", place.x);
    write_number(svg, "\" y=\"", place.y);
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

/* Lays the world into the map: the side that is longer for its room fills it, the other is centred. */
static void
fit(pqt_svg *svg, pqt_box world, double width, double height)
{
    double half_width = world.max.x / 2 - world.min.x / 2;
    double half_height = world.max.y / 2 - world.min.y / 2;
    bool wide = half_width / width >= half_height / height;
    svg->half_low = (pqt_vec){world.min.x / 2, world.min.y / 2};
    svg->half_extent = wide ? half_width : half_height;
    svg->scale = wide ? width : height;
    if (svg->half_extent == 0) { /* a point: any scale shows it */
        svg->half_extent = 1;
        svg->scale = 1;
    }
    double used_x = half_width / svg->half_extent * svg->scale;
    double used_y = half_height / svg->half_extent * svg->scale;
    svg->map = (pqt_vec){clamped(used_x, width / 2, width), clamped(used_y, height / 2, height)};
    svg->inset = (pqt_vec){(svg->map.x - used_x) / 2, (svg->map.y - used_y) / 2};
}

static bool
side_is_valid(const char *name, double side, pqt_error *error)
{
    if (side >= LEAST_SIDE && side <= MOST_SIDE)
        return true;
    pqti_fail(error, PQT_ERROR_OPTION, 0, "svg: %s is not in 16..16384 (%s)", name,
              pqti_number_of(side).text);
    return false;
}

static bool
options_are_valid(const pqt_svg_options *options, pqt_error *error)
{
    return pqti_size_is(options->size, sizeof *options, "PQT_SVG_DEFAULTS", error) &&
           side_is_valid("width", options->width, error) &&
           side_is_valid("height", options->height, error);
}

static bool
world_is_valid(pqt_box world, pqt_error *error)
{
    if (pqt_box_is_valid(world))
        return true;
    pqti_fail(error, PQT_ERROR_BOX, 0, "svg: world is no box (%s, %s .. %s, %s)",
              pqti_number_of(world.min.x).text, pqti_number_of(world.min.y).text,
              pqti_number_of(world.max.x).text, pqti_number_of(world.max.y).text);
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

/* All that comes before the map's own content. */
static void
write_head(pqt_svg *svg, const pqt_svg_options *options)
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

bool
pqt_svg_begin(pqt_svg *svg, FILE *stream, pqt_box world, const pqt_svg_options *options,
              pqt_error *error)
{
    static const pqt_svg_options defaults = PQT_SVG_DEFAULTS;
    PQT_ASSERT(svg != NULL && stream != NULL, "a picture needs a stream");
    *svg = (pqt_svg){.stream = NULL};
    if (options == NULL)
        options = &defaults;
    if (pqti_failed(error) || !options_are_valid(options, error) || !world_is_valid(world, error))
        return false;
    svg->stream = stream;
    svg->note = options->note;
    svg->flip_y = options->flip_y;
    svg->on_map = true;
    svg->key_x = MARGIN;
    fit(svg, world, options->width, options->height);
    write_head(svg, options);
    return true;
}

typedef struct drawing {
    const pqt_svg *svg;
    pqti_pen pen;
} drawing;

/* The two lines that divide a cell into its quarters. */
static bool
draw_division(const pqt_cell *cell, void *context)
{
    drawing *now = context;
    patch place = patch_of(now->svg, &cell->box);
    if (cell->kind != PQT_CELL_INNER || !is_seen(now->svg, &place) ||
        is_smaller(&place, SMALLEST_CELL))
        return true;
    int32_t x = map_x(now->svg, cell->box.min.x / 2 + cell->box.max.x / 2);
    int32_t y = map_y(now->svg, cell->box.min.y / 2 + cell->box.max.y / 2);
    pqti_pen_line(&now->pen, place.min_x, y, place.max_x, y);
    pqti_pen_line(&now->pen, x, place.min_y, x, place.max_y);
    return true;
}

static bool
draw_box(const pqt_item *item, void *context)
{
    drawing *now = context;
    patch place = patch_of(now->svg, &item->box);
    if (is_seen(now->svg, &place) && !is_smaller(&place, SMALLEST_BOX))
        pqti_pen_box(&now->pen, place.min_x, place.min_y, place.max_x, place.max_y);
    return true;
}

static bool
draw_dot(const pqt_item *item, void *context)
{
    drawing *now = context;
    patch place = patch_of(now->svg, &item->box);
    if (is_seen(now->svg, &place) && is_smaller(&place, SMALLEST_BOX))
        pqti_pen_dot(&now->pen, (place.min_x + place.max_x) / 2, (place.min_y + place.max_y) / 2);
    return true;
}

/* Whether there is anything to draw on: a picture that was begun, and its map not yet finished. */
static bool
is_open(const pqt_svg *svg)
{
    PQT_ASSERT(svg->stream == NULL || svg->on_map, "keys come last, after all that is on the map");
    return svg->stream != NULL;
}

void
pqt_svg_cells(pqt_svg *svg, const pqt_tree *tree, const char *class_name)
{
    if (!is_open(svg))
        return;
    drawing now = {svg, pen_of(svg, class_name, "")};
    pqt_box bounds = pqt_tree_bounds(tree);
    patch place = patch_of(svg, &bounds);
    if (is_seen(svg, &place))
        pqti_pen_box(&now.pen, place.min_x, place.min_y, place.max_x, place.max_y);
    pqt_tree_visit_cells(tree, draw_division, &now);
    pqti_pen_lift(&now.pen);
}

void
pqt_svg_items(pqt_svg *svg, const pqt_tree *tree, pqt_query query, const char *class_name)
{
    if (!is_open(svg))
        return;
    drawing boxes = {svg, pen_of(svg, class_name, "")};
    pqt_tree_visit(tree, query, draw_box, &boxes);
    pqti_pen_lift(&boxes.pen);
    drawing dots = {svg, pen_of(svg, class_name, " dot")};
    pqt_tree_visit(tree, query, draw_dot, &dots);
    pqti_pen_lift(&dots.pen);
}

void
pqt_svg_box(pqt_svg *svg, pqt_box box, const char *class_name)
{
    if (!is_open(svg) || !(box.min.x <= box.max.x && box.min.y <= box.max.y))
        return;
    patch place = patch_of(svg, &box);
    bool is_dot = is_smaller(&place, SMALLEST_BOX);
    pqti_pen pen = pen_of(svg, class_name, is_dot ? " dot" : "");
    if (is_seen(svg, &place) && is_dot)
        pqti_pen_dot(&pen, (place.min_x + place.max_x) / 2, (place.min_y + place.max_y) / 2);
    else if (is_seen(svg, &place))
        pqti_pen_box(&pen, place.min_x, place.min_y, place.max_x, place.max_y);
    pqti_pen_lift(&pen);
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
    if (!is_open(svg) || !pqt_circle_is_valid(circle))
        return;
    pqt_box box = pqt_circle_box(circle);
    patch place = patch_of(svg, &box);
    double radius = circle.radius / 2 / svg->half_extent * svg->scale;
    if (is_smaller(&place, SMALLEST_BOX))
        pqt_svg_box(svg, (pqt_box){circle.centre, circle.centre}, class_name);
    else if (is_seen(svg, &place) && radius <= MOST_SIDE)
        write_circle(svg, spot_of(svg, circle.centre), radius, class_name);
}

/* The part of a segment that is drawn, from 0 to 1; nothing of it if first > last. */
typedef struct span {
    double first, last;
} span;

/*
 * Cuts a span to where one coordinate lies between low and high: it is `from` at 0, and grows by `step`
 * to 1. The fences may be infinite, as those of worlds of 1e308 are.
 */
static void
cut(span *part, double from, double step, double low, double high)
{
    if (step == 0) {
        if (from < low || from > high)
            part->last = -1;
        return;
    }
    double first = ((step > 0 ? low : high) - from) / step;
    double last = ((step > 0 ? high : low) - from) / step;
    if (first > part->first)
        part->first = first;
    if (last < part->last)
        part->last = last;
}

/* Where the fence about the map stands: OUTSIDE off it, in half world units. */
static double
fence(const pqt_svg *svg, double half_low, double units)
{
    return half_low + units / svg->scale * svg->half_extent;
}

/* Cuts at the fence, as Y. Liang and B. Barsky do ("A new concept and method for line clipping", 1984). */
static span
span_on_map(const pqt_svg *svg, pqt_vec half_from, pqt_vec half_step)
{
    span part = {0, 1};
    cut(&part, half_from.x, half_step.x, fence(svg, svg->half_low.x, -svg->inset.x - OUTSIDE),
        fence(svg, svg->half_low.x, svg->map.x - svg->inset.x + OUTSIDE));
    cut(&part, half_from.y, half_step.y, fence(svg, svg->half_low.y, -svg->inset.y - OUTSIDE),
        fence(svg, svg->half_low.y, svg->map.y - svg->inset.y + OUTSIDE));
    return part;
}

static void
draw_segment(const pqt_svg *svg, pqti_pen *pen, const pqt_segment *segment)
{
    pqt_vec from = {segment->from.x / 2, segment->from.y / 2};
    pqt_vec step = {segment->to.x / 2 - from.x, segment->to.y / 2 - from.y};
    if (!pqt_segment_is_valid(*segment))
        return;
    span part = span_on_map(svg, from, step);
    if (!(part.first <= part.last))
        return;
    pqt_vec begin = pqt_segment_at(*segment, part.first);
    pqt_vec end = pqt_segment_at(*segment, part.last);
    pqti_pen_line(pen, map_x(svg, begin.x), map_y(svg, begin.y), map_x(svg, end.x),
                  map_y(svg, end.y));
}

void
pqt_svg_segments(pqt_svg *svg, const pqt_segment *segments, size_t count, const char *class_name)
{
    PQT_ASSERT(segments != NULL || count == 0, "segments without an array");
    if (!is_open(svg))
        return;
    pqti_pen pen = pen_of(svg, class_name, "");
    for (size_t i = 0; i < count; i++) {
        draw_segment(svg, &pen, &segments[i]);
        if (pen.shapes < LINES_A_PATH)
            continue;
        pqti_pen_lift(&pen);
        pen = pen_of(svg, class_name, "");
    }
    pqti_pen_lift(&pen);
}

void
pqt_svg_text(pqt_svg *svg, pqt_vec place, const char *text, const char *class_name)
{
    int32_t x, y;
    if (!is_open(svg))
        return;
    x = map_x(svg, place.x);
    y = map_y(svg, place.y);
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

/* Characters of UTF-8 text: its bytes without those that continue a character. */
static size_t
letters_of(const char *text)
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
    pqti_pen pen = pen_of(svg, class_name, sign == PQT_SVG_DOT ? " sign dot" : " sign");
    double y = svg->below - 4; /* half the height of a letter above the line of the text */
    int32_t left = pqti_hundredths(svg->key_x), middle = pqti_hundredths(y);
    if (sign == PQT_SVG_DOT)
        pqti_pen_dot(&pen, left + pqti_hundredths(KEY_WIDTH / 2), middle);
    else if (sign == PQT_SVG_LINE)
        pqti_pen_line(&pen, left, middle, left + pqti_hundredths(KEY_WIDTH), middle);
    else
        pqti_pen_box(&pen, left, pqti_hundredths(y - 5), left + pqti_hundredths(KEY_WIDTH),
                     pqti_hundredths(y + 5));
    pqti_pen_lift(&pen);
    write_text(svg, "key", (pqt_vec){svg->key_x + KEY_WIDTH + 6, svg->below}, text);
    svg->key_x += KEY_WIDTH + 6 + LETTER * (double)letters_of(text) + MARGIN;
    svg->key_x = clamped(svg->key_x, 0, MOST_SIDE);
}

bool
pqt_svg_end(pqt_svg *svg, pqt_error *error)
{
    if (svg->stream == NULL) {
        pqti_fail(error, PQT_ERROR_STREAM, 0, "svg: the picture was never begun");
        return false;
    }
    finish_map(svg);
    if (svg->note != NULL)
        write_text(svg, "note", (pqt_vec){svg->map.x + MARGIN, svg->below}, svg->note);
    fputs("</svg>\n", svg->stream);
    bool written = fflush(svg->stream) == 0 && ferror(svg->stream) == 0;
    if (!written)
        pqti_fail(error, PQT_ERROR_STREAM, 0, "svg: the stream could not be written");
    svg->stream = NULL;
    return written;
}
