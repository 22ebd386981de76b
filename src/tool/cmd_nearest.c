/* SPDX-License-Identifier: MIT */
/* cmd_nearest.c: `pqt nearest`: finds the items nearest to a point. */
#include "config.h"

#include "tool/commands.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <popt.h>
#include <pqt.h>

#include "tool/cli.h"
#include "tool/column_options.h"
#include "tool/csv_table.h"
#include "tool/csv_write.h"
#include "tool/globe.h"
#include "tool/globe_picture.h"
#include "tool/message.h"
#include "tool/numbers.h"
#include "tool/picture.h"
#include "tool/row_writer.h"
#include "tool/tool_memory.h"

enum { MOST_WANTED = 1000000000 };

static const char purpose[] =
    "Prints the rows of FILE whose items are nearest to a point, nearest first, as CSV: all\n"
    "columns of FILE, then the distance; a column id comes first if FILE has none. The distance\n"
    "is that to the item's box, 0 inside and on its edge. Items at equal distances come in tree\n"
    "order. With --globe, distances are those of great circles, in metres. Status: 0 found, 1 "
    "nothing found, 2 an error.\n";

static const struct poptOption table_of_options[] = {
    {"point", 'p', POPT_ARG_STRING, NULL, 'p', "measure from this point (required)", "X,Y"},
    {"k", 'k', POPT_ARG_STRING, NULL, 'k', "print N items (default: 1)", "N"},
    GLOBE_OPTION,
    {"max", '\0', POPT_ARG_STRING, NULL, 'm', "print no item farther than D", "D"},
    ROW_FORMAT_OPTION('F', "csv (default), json, ndjson, geojson or wkt"),
    PICTURE_OPTIONS,
    COLUMN_OPTIONS,
    COMMON_OPTIONS};

typedef struct request {
    const char *file;
    pqt_vec point;
    bool has_point;
    size_t most;
    double max_distance;
    pqt_surface surface;
    row_format format;
    picture drawn;
} request;

/* Ends the program with an error if the point is not on the globe, or a picture is wanted: it would
   show no distances along great circles. */
static void
check_on_globe(const request *req)
{
    if (!pqt_box_is_on_sphere((pqt_box){req->point, req->point}))
        die(NULL, 0, "--point is not on the globe (%s,%s): it is longitude,latitude in degrees",
            shortest(req->point.x).text, shortest(req->point.y).text);
}

static request
read_request(poptContext context)
{
    request req = {.most = 1, .max_distance = HUGE_VAL};
    int letter;
    while ((letter = next_option(context)) != 0) {
        if (letter == 'p')
            req.point = point_option(context, "--point");
        if (letter == 'k')
            req.most = (size_t)number_option(context, "--k", 1, MOST_WANTED);
        if (letter == 'm')
            req.max_distance = distance_option(context, "--max");
        if (letter == 'G')
            req.surface = PQT_SPHERE;
        if (letter == 'F')
            req.format = row_format_option(context, ROWS_WKT);
        picture_option(&req.drawn, context, letter);
        req.has_point = req.has_point || letter == 'p';
    }
    if (!req.has_point)
        die(NULL, 0, "no point is given (--point X,Y)");
    req.drawn.is_globe = req.surface == PQT_SPHERE;
    if (req.drawn.is_globe)
        check_on_globe(&req);
    req.file = only_argument(context);
    picture_guard(&req.drawn, req.file);
    return req;
}

/* The results, sorted with the nearest first. */
typedef struct results {
    pqt_near *items;
    size_t count;
} results;

static results
find_nearest(const request *req, const pqt_tree *tree)
{
    results found = {.items = NULL};
    size_t capacity = 0, most = pqt_tree_count(tree);
    pqt_box from = {req->point, req->point};
    pqt_nearest_options options = PQT_NEAREST_DEFAULTS;
    options.max_distance = req->max_distance;
    options.surface = req->surface;
    if (most > req->most)
        most = req->most;
    found.items = xgrow(NULL, &capacity, most, sizeof *found.items);
    found.count = pqt_tree_nearest(tree, from, &options, found.items, most);
    return found;
}

/* Returns the part of the map of the globe to draw: a box around the point that reaches beyond the
   nearest points of all results. If all distances are 0, it contains the results; if there is no
   result, it contains all items. */
static pqt_box
part_of_globe(const request *req, const results *found, const pqt_tree *ground)
{
    pqt_box whole = globe_extent((pqt_box){req->point, req->point}), shown = whole;
    for (size_t i = 0; i < found->count; i++) {
        const pqt_box box = found->items[i].item.box;
        const pqt_vec end = globe_nearest_point(req->point, box);
        shown = pqt_box_union(shown, globe_extent((pqt_box){end, end}));
        whole = pqt_box_union(whole, globe_extent(box));
    }
    if (found->count == 0)
        return pqt_box_union(whole, pqt_tree_bounds(ground));
    const pqt_vec size = pqt_box_size(shown);
    const double longer = fmax(size.x, size.y);
    return longer > 0 ? pqt_box_grown(shown, longer / 4) : whole;
}

/* Returns the box to draw: a box around the point that reaches beyond the farthest result. If all
   distances are 0, the box contains the point and all results. If there is no result, it contains
   the point and all items. */
static pqt_box
box_to_draw(const request *req, const results *found, const pqt_tree *tree)
{
    pqt_box point = {req->point, req->point};
    double farthest = found->count > 0 ? found->items[found->count - 1].distance : 0;
    pqt_box cell = pqt_box_grown(point, 1.25 * farthest);
    if (farthest > 0 && pqt_box_is_valid(cell))
        return cell;
    if (found->count == 0 || farthest > 0)
        return pqt_box_union(point, pqt_tree_bounds(tree));
    for (size_t i = 0; i < found->count; i++)
        cell = pqt_box_union(cell, found->items[i].item.box);
    return cell;
}

static double
clamp_number(double low, double value, double high)
{
    return value < low ? low : value > high ? high : value;
}

/* Returns the segment along which a distance was measured, from the point to the nearest point of a
   box. */
static pqt_segment
distance_segment(pqt_vec point, pqt_box box)
{
    pqt_vec end = {clamp_number(box.min.x, point.x, box.max.x),
                   clamp_number(box.min.y, point.y, box.max.y)};
    return (pqt_segment){point, end};
}

/* Draws the results on the map of the globe, and the great circles along which their distances were
   measured. */
static void
draw_found_on_globe(picture *drawn, const request *req, const results *found)
{
    size_t capacity = 0;
    pqt_item *items = xgrow(NULL, &capacity, found->count, sizeof *items);
    for (size_t i = 0; i < found->count; i++)
        items[i] = found->items[i].item;
    if (found->count > 0) {
        const pqt_query all = pqt_query_all();
        pqt_svg_items(&drawn->svg, globe_tree(items, found->count, req->file), &all, "found");
    }
    for (size_t i = 0; i < found->count; i++)
        globe_draw_arc(&drawn->svg, req->point, globe_nearest_point(req->point, items[i].box),
                       "link");
    free(items);
}

static void
draw_found(picture *drawn, const request *req, const results *found)
{
    size_t item_capacity = 0, line_capacity = 0;
    pqt_item *items = xgrow(NULL, &item_capacity, found->count, sizeof *items);
    pqt_segment *lines = xgrow(NULL, &line_capacity, found->count, sizeof *lines);
    for (size_t i = 0; i < found->count; i++) {
        items[i] = found->items[i].item;
        lines[i] = distance_segment(req->point, items[i].box);
    }
    picture_items(drawn, items, found->count, "found");
    pqt_svg_segments(&drawn->svg, lines, found->count, "link");
    free(items);
    free(lines);
}

static void
draw_nearest(request *req, const results *found, const pqt_tree *tree, table *rows)
{
    picture *drawn = &req->drawn;
    char what[60];
    snprintf(what, sizeof what, "%s nearest to a point", grouped(found->count).text);
    if (drawn->is_globe) {
        const pqt_tree *ground = globe_ground(tree, req->file);
        picture_begin_over(drawn, req->file, what, part_of_globe(req, found, ground), ground);
        draw_found_on_globe(drawn, req, found);
    } else {
        picture_begin_over(drawn, req->file, what, box_to_draw(req, found, tree), tree);
        draw_found(drawn, req, found);
    }
    const pqt_box at = {req->point, req->point};
    pqt_svg_box(&drawn->svg, drawn->is_globe ? globe_cut(at).boxes[0] : at, "mark");
    result_items shown = {.items = NULL};
    for (size_t i = 0; i < found->count; i++)
        result_items_add(&shown, &found->items[i].item);
    picture_tooltips(drawn, rows, tree, &shown);
    pqt_svg_key(&drawn->svg, PQT_SVG_DOT, "mark", "the point");
    pqt_svg_key(&drawn->svg, drawn->sign, "found", "nearest");
    pqt_svg_key(&drawn->svg, PQT_SVG_LINE, "link", "their distances");
    pqt_svg_key(&drawn->svg, drawn->sign, "ground", "items");
    picture_end(drawn);
}

static void
print_nearest(const request *req, const results *found, table *rows)
{
    row_writer to = rows_begin(stdout, row_format_of(req->format, NULL), req->file);
    rows_add_columns(&to, &rows->columns, "");
    rows_add_column(&to, unused_name(&rows->columns, "distance").text);
    for (size_t i = 0; i < found->count && !ferror(stdout); i++) {
        rows_begin_row(&to);
        rows_put_item(&to, rows, &found->items[i].item);
        rows_put_number(&to, found->items[i].distance);
        rows_end_row(&to);
    }
    rows_end(&to);
}

int
nearest_command(int count, const char **arguments)
{
    poptContext context =
        begin_options(count, arguments, table_of_options, "--point X,Y [OPTION...] FILE", purpose);
    request req = read_request(context);
    table rows = table_read(req.file, KEEP_FILE);
    if (req.surface == PQT_SPHERE)
        globe_require(rows.items, rows.count, req.file);
    const pqt_tree *tree = table_tree(&rows, NULL, req.file);
    results found = find_nearest(&req, tree);
    picture_adapt(&req.drawn, &rows);
    if (req.drawn.output != NULL)
        draw_nearest(&req, &found, tree, &rows);
    print_nearest(&req, &found, &rows);
    free(found.items);
    table_free(&rows);
    poptFreeContext(context);
    picture_release(&req.drawn);
    return found.count > 0 ? STATUS_FOUND : STATUS_NOTHING;
}
