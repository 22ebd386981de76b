/* SPDX-License-Identifier: MIT */
/* cmd_ray.c: `pqt ray`: finds the items that a segment hits, from front to back. */
#include "config.h"

#include "tool/commands.h"

#include <stdio.h>
#include <stdlib.h>

#include <popt.h>
#include <pqt.h>

#include "tool/cli.h"
#include "tool/column_options.h"
#include "tool/csv_table.h"
#include "tool/csv_write.h"
#include "tool/message.h"
#include "tool/numbers.h"
#include "tool/picture.h"
#include "tool/row_writer.h"
#include "tool/tool_memory.h"

static const char purpose[] =
    "Prints the row of FILE whose item the segment between two points hits first, or the rows of\n"
    "all items that it hits, front to back, as CSV: all columns of FILE, then the fraction; a\n"
    "column id comes first if FILE has none. The fraction is 0 at the first point and 1 at the\n"
    "second; an item that contains the first point has 0. A segment that touches an item at one "
    "point hits it.\n"
    "Status: 0 found, 1 nothing found, 2 an error.\n";

static const struct poptOption table_of_options[] = {
    {"from", '\0', POPT_ARG_STRING, NULL, 'F', "the start point (required)", "X,Y"},
    {"to", '\0', POPT_ARG_STRING, NULL, 'T', "the end point (required)", "X,Y"},
    {"all", 'a', POPT_ARG_NONE, NULL, 'a', "print all hits, not only the first", NULL},
    ROW_FORMAT_OPTION('O', "csv (default), json, ndjson, geojson or wkt"),
    PICTURE_OPTIONS,
    COLUMN_OPTIONS,
    COMMON_OPTIONS};

typedef struct request {
    const char *file;
    pqt_segment segment;
    bool has_from, has_to;
    bool wants_all;
    row_format format;
    picture drawn;
} request;

static request
read_request(poptContext context)
{
    request req = {.file = NULL};
    int letter;
    while ((letter = next_option(context)) != 0) {
        if (letter == 'F')
            req.segment.from = point_option(context, "--from");
        if (letter == 'T')
            req.segment.to = point_option(context, "--to");
        if (letter == 'O')
            req.format = row_format_option(context, ROWS_WKT);
        picture_option(&req.drawn, context, letter);
        req.has_from = req.has_from || letter == 'F';
        req.has_to = req.has_to || letter == 'T';
        req.wants_all = req.wants_all || letter == 'a';
    }
    if (!req.has_from)
        die(NULL, 0, "no start is given (--from X,Y)");
    if (!req.has_to)
        die(NULL, 0, "no end is given (--to X,Y)");
    req.file = only_argument(context);
    picture_guard(&req.drawn, req.file);
    return req;
}

/* The hits, sorted from front to back. */
typedef struct hits {
    pqt_ray_hit *items;
    size_t count, capacity;
    bool only_first;
} hits;

static bool
keep_hit(const pqt_ray_hit *hit, void *context)
{
    hits *all = context;
    all->items = xgrow(all->items, &all->capacity, all->count + 1, sizeof *all->items);
    all->items[all->count++] = *hit;
    return !all->only_first;
}

/* Returns the box to draw: the bounds of the segment. If it has no length, the box also contains
   the boxes that were hit. */
static pqt_box
box_to_draw(const request *req, const hits *found)
{
    pqt_box cell = pqt_segment_box(req->segment);
    if (pqt_vec_distance(req->segment.from, req->segment.to) > 0)
        return cell;
    for (size_t i = 0; i < found->count; i++)
        cell = pqt_box_union(cell, found->items[i].item.box);
    return cell;
}

/* Draws the items that were hit, the segment, and the points of entry, which are segments of length
   0. */
static void
draw_found(picture *drawn, const request *req, const hits *found)
{
    size_t item_capacity = 0, entry_capacity = 0;
    pqt_item *items = xgrow(NULL, &item_capacity, found->count, sizeof *items);
    pqt_segment *entries = xgrow(NULL, &entry_capacity, found->count, sizeof *entries);
    for (size_t i = 0; i < found->count; i++) {
        pqt_vec entry = pqt_segment_at(req->segment, found->items[i].entry);
        items[i] = found->items[i].item;
        entries[i] = (pqt_segment){entry, entry};
    }
    picture_items(drawn, items, found->count, "found");
    pqt_svg_segments(&drawn->svg, &req->segment, 1, "segment");
    pqt_svg_box(&drawn->svg, (pqt_box){req->segment.from, req->segment.from}, "mark");
    pqt_svg_segments(&drawn->svg, entries, found->count, "entry");
    free(items);
    free(entries);
}

static void
draw_hits(request *req, const hits *found, const pqt_tree *tree, table *rows)
{
    picture *drawn = &req->drawn;
    char what[60];
    snprintf(what, sizeof what, "%s hit%s of a segment", grouped(found->count).text,
             found->count == 1 ? "" : "s");
    picture_begin_over(drawn, req->file, what, box_to_draw(req, found), tree);
    draw_found(drawn, req, found);
    result_items shown = {.items = NULL};
    for (size_t i = 0; i < found->count; i++)
        result_items_add(&shown, &found->items[i].item);
    picture_tooltips(drawn, rows, tree, &shown);
    pqt_svg_key(&drawn->svg, PQT_SVG_DOT, "mark", "its start");
    pqt_svg_key(&drawn->svg, PQT_SVG_LINE, "segment", "the segment");
    pqt_svg_key(&drawn->svg, drawn->sign, "found", "hit");
    pqt_svg_key(&drawn->svg, PQT_SVG_DOT, "entry", "its entries");
    pqt_svg_key(&drawn->svg, drawn->sign, "ground", "items");
    picture_end(drawn);
}

static void
print_hits(const request *req, const hits *found, table *rows)
{
    row_writer to = rows_begin(stdout, row_format_of(req->format, NULL), req->file);
    rows_add_columns(&to, &rows->columns, "");
    rows_add_column(&to, unused_name(&rows->columns, "fraction").text);
    for (size_t i = 0; i < found->count && !ferror(stdout); i++) {
        rows_begin_row(&to);
        rows_put_item(&to, rows, &found->items[i].item);
        rows_put_number(&to, found->items[i].entry);
        rows_end_row(&to);
    }
    rows_end(&to);
}

int
ray_command(int count, const char **arguments)
{
    poptContext context = begin_options(count, arguments, table_of_options,
                                        "--from X,Y --to X,Y [OPTION...] FILE", purpose);
    request req = read_request(context);
    table rows = table_read(req.file, KEEP_FILE);
    const pqt_tree *tree = table_tree(&rows, NULL, req.file);
    hits found = {.only_first = !req.wants_all};
    const pqt_cast cast = pqt_cast_segment(req.segment);
    pqt_tree_visit_cast(tree, &cast, keep_hit, &found);
    picture_adapt(&req.drawn, &rows);
    if (req.drawn.output != NULL)
        draw_hits(&req, &found, tree, &rows);
    print_hits(&req, &found, &rows);
    free(found.items);
    table_free(&rows);
    poptFreeContext(context);
    picture_release(&req.drawn);
    return found.count > 0 ? STATUS_FOUND : STATUS_NOTHING;
}
