/* SPDX-License-Identifier: MIT */
/*
 * cmd_draw.c: `pqt draw`: draws cells and items, and a window with the items that it finds; or
 * writes the pixels of an image.
 */
#include "config.h"

#include "tool/commands.h"

#include <stdio.h>
#include <stdlib.h>

#include <popt.h>
#include <pqt.h>
#include <pqt/pixels.h>

#include "tool/cli.h"
#include "tool/column_options.h"
#include "tool/csv_table.h"
#include "tool/globe.h"
#include "tool/globe_picture.h"
#include "tool/input_file.h"
#include "tool/message.h"
#include "tool/numbers.h"
#include "tool/out.h"
#include "tool/picture.h"
#include "tool/tool_memory.h"
#include "tool/tooltips.h"

static const char purpose[] =
    "Draws the items of FILE and the cells of their tree as SVG; with a window, also the\n"
    "window and the items that have the relation to it. OUT.svg is replaced when the picture\n"
    "is complete; - is standard output. y points down, but up for latitudes.\n"
    "If FILE is a .pqt file or a store with an image, OUT.png has its pixels.\n"
    "With --globe, the map has longitudes from -180 to 180, and the window is\n"
    "west,south,east,north. Boxes across the antimeridian are drawn in two parts.\n"
    "Status: 0, or 2 for an error.\n";

static const struct poptOption table_of_options[] = {
    {"output", 'o', POPT_ARG_STRING, NULL, 'o', "write to this file (required)", "OUT.svg"},
    {"window", 'w', POPT_ARG_STRING, NULL, 'w', "the window, drawn with its results",
     "X0,Y0,X1,Y1"},
    {"relation", 'r', POPT_ARG_STRING, NULL, 'r',
     "the relation: touches (default), overlaps, inside or covers", "NAME"},
    GLOBE_OPTION,
    {"flip-y", 'f', POPT_ARG_NONE, NULL, 'f', "let y point up in the picture", NULL},
    COLUMN_OPTIONS,
    COMMON_OPTIONS};

typedef struct request {
    const char *file;
    char *output;
    pqt_query query;
    char *window; /* the text of --window, or NULL */
    bool is_globe;
    bool flip_y;
    bool has_relation;
} request;

static request
read_request(poptContext context)
{
    request req = {.query.relation = PQT_TOUCHES};
    int letter;
    while ((letter = next_option(context)) != 0) {
        if (letter == 'o') {
            free(req.output);
            req.output = text_option(context);
        }
        if (letter == 'w') {
            free(req.window);
            req.window = text_option(context);
        }
        if (letter == 'r')
            req.query.relation = relation_option(context);
        req.has_relation = req.has_relation || letter == 'r';
        req.is_globe = req.is_globe || letter == 'G';
        req.flip_y = req.flip_y || letter == 'f';
    }
    if (req.output == NULL)
        die(NULL, 0, "no output is named (-o OUT.svg)");
    if (req.window != NULL)
        req.query.window = req.is_globe ? globe_window(sides_of(req.window, "--window"), req.window)
                                        : window_of(req.window, "--window");
    req.query.surface = req.is_globe ? PQT_SPHERE : PQT_PLANE;
    req.file = only_argument(context);
    output_guard(req.output, req.file);
    return req;
}

/* Returns the box of the picture, which contains all items and the window. It has a margin if the
   window extends beyond the items. */
static pqt_box
box_to_draw(const request *req, pqt_box bounds)
{
    const pqt_box window =
        req->is_globe ? globe_extent(req->query.window) : picture_window(req->query.window, bounds);
    if (req->window == NULL || pqt_box_covers(bounds, window))
        return bounds;
    return picture_framed(pqt_box_union(bounds, window));
}

/* Draws the window and its results on the map of the globe. */
static void
draw_found_on_globe(pqt_svg *svg, const request *req, const pqt_tree *tree)
{
    const pqt_query all = pqt_query_all();
    const globe_parts window = globe_cut(req->query.window);
    size_t capacity = 0, count = pqt_tree_count_in(tree, &req->query);
    pqt_item *items = xgrow(NULL, &capacity, count, sizeof *items);
    pqt_tree_collect(tree, &req->query, items, count);
    if (count > 0)
        pqt_svg_items(svg, globe_tree(items, count, req->file), &all, "found");
    for (size_t i = 0; i < window.count; i++)
        pqt_svg_box(svg, window.boxes[i], "window");
    free(items);
}

static void
draw_found(pqt_svg *svg, const pqt_tree *tree, pqt_query query)
{
    pqt_svg_items(svg, tree, &query, "found");
    pqt_svg_box(svg, query.window, "window");
}

static bool
add_result(const pqt_item *item, void *context)
{
    result_items_add(context, item);
    return !((result_items *)context)->are_many;
}

static void
draw_tooltips(pqt_svg *svg, const request *req, table *rows, const pqt_tree *tree, pqt_box shown)
{
    static const pqt_vec no_offset = {0, 0};
    tooltips tips = {.shown = shown, .is_globe = req->is_globe};
    result_items found = {.items = NULL};
    if (req->window != NULL)
        pqt_tree_visit(tree, &req->query, add_result, &found);
    tooltips_add_tree(&tips, rows, tree, no_offset, &found);
    result_items_free(&found);
    tooltips_draw(&tips, svg);
}

static void
draw_keys(pqt_svg *svg, const request *req, const pqt_tree *tree, pqt_svg_sign sign)
{
    char text[60];
    if (req->window != NULL) {
        snprintf(text, sizeof text, "found: %s",
                 grouped(pqt_tree_count_in(tree, &req->query)).text);
        pqt_svg_key(svg, PQT_SVG_BOX, "window", "window");
        pqt_svg_key(svg, sign, "found", text);
    }
    pqt_svg_key(svg, sign, "items", "items");
    pqt_svg_key(svg, PQT_SVG_BOX, "cells", "cells of the tree");
}

static void
draw_tree(FILE *stream, const request *req, table *rows, const pqt_tree *tree)
{
    const pqt_query all = pqt_query_all();
    const pqt_tree *ground = req->is_globe ? globe_ground(tree, req->file) : tree;
    size_t items = pqt_tree_count(tree);
    pqt_error error = {0};
    char what[60], style[60];
    pqt_svg svg;
    snprintf(what, sizeof what, "%s item%s", grouped(items).text, items == 1 ? "" : "s");
    snprintf(style, sizeof style, ".dot{stroke-width:%s}\n", dot_width(items));
    picture_title title = title_of(req->file, what);
    pqt_svg_options options = PICTURE_DEFAULTS;
    options.title = title.text;
    options.style = style;
    options.flip_y = req->flip_y || rows->is_geographic || req->is_globe;
    const pqt_box shown = box_to_draw(req, pqt_tree_bounds(ground));
    if (!pqt_svg_begin(&svg, stream, shown, &options, &error))
        die_error(req->output, &error);
    pqt_svg_cells(&svg, tree, "cells");
    pqt_svg_items(&svg, ground, &all, "items");
    if (req->window != NULL && req->is_globe)
        draw_found_on_globe(&svg, req, tree);
    else if (req->window != NULL)
        draw_found(&svg, tree, req->query);
    draw_tooltips(&svg, req, rows, tree, shown);
    draw_keys(&svg, req, tree, sign_of(rows));
    pqt_svg_end(&svg, NULL); /* output_close reports a failure, because it knows the cause */
}

static void
draw_items(const request *req, input_file *from)
{
    output_check_name(req->output, "SVG");
    table rows = table_from(from, KEEP_FILE);
    if (req->is_globe)
        globe_require(rows.items, rows.count, req->file);
    const pqt_tree *tree = table_tree(&rows, NULL, req->file);
    draw_tree(output_open(req->output, "SVG"), req, &rows, tree);
    output_close();
    table_free(&rows);
}

/* Writes all pixels of an image. */
static void
draw_image(const request *req, input_file *from)
{
    pqt_error error = {0};
    const pqt_image *image = input_of_kind(from, PQT_KIND_IMAGE);
    if (req->window != NULL || req->has_relation || req->is_globe || req->flip_y)
        die(req->file, 0, "holds an image, which is written whole, without other options than -o");
    const bool is_written = pqt_png_write_image(output_open(req->output, "PNG"), image, &error);
    if (is_written || error.status == PQT_ERROR_STREAM)
        output_close(); /* reports the cause of a failure */
    if (!is_written)
        die_error(req->output, &error);
}

int
draw_command(int count, const char **arguments)
{
    poptContext context =
        begin_options(count, arguments, table_of_options, "-o OUT.svg [OPTION...] FILE", purpose);
    request req = read_request(context);
    input_file from = input_open(req.file);
    if (from.is_pqt && from.kind == PQT_KIND_IMAGE)
        draw_image(&req, &from);
    else
        draw_items(&req, &from);
    input_close(&from);
    free(req.output);
    free(req.window);
    poptFreeContext(context);
    return STATUS_FOUND;
}
