/* SPDX-License-Identifier: MIT */
/* draw.c - `pqt draw`: a picture of the cells, the items, and a window with what it finds. */
#include "config.h"

#include "tool/tool.h"

#include <stdlib.h>
#include <string.h>

static const char purpose[] =
    "Draws the items of FILE and the cells of their tree as SVG; with a window, also the\n"
    "window and the items that stand in the relation to it. OUT.svg is replaced when the\n"
    "picture is whole; - is standard output. y points down, but up for lon,lat.\n";

static const struct poptOption table_of_options[] = {
    {"output", 'o', POPT_ARG_STRING, NULL, 'o', "write the picture there (needed)", "OUT.svg"},
    {"window", 'w', POPT_ARG_STRING, NULL, 'w', "draw this window and what it finds",
     "X0,Y0,X1,Y1"},
    {"relation", 'r', POPT_ARG_STRING, NULL, 'r', "touches (default), overlaps, inside or covers",
     "NAME"},
    {"flip-y", 'f', POPT_ARG_NONE, NULL, 'f', "let y point up", NULL},
    COMMON_OPTIONS};

typedef struct request {
    const char *file;
    char *output;
    pqt_query query;
    bool has_window;
    bool flip_y;
} request;

static request
read_request(poptContext context)
{
    request asked = {.query.relation = PQT_TOUCHES};
    int letter;
    while ((letter = next_option(context)) != 0) {
        if (letter == 'o') {
            free(asked.output);
            asked.output = text_option(context);
        }
        if (letter == 'w')
            asked.query.window = box_option(context, "--window", true);
        if (letter == 'r')
            asked.query.relation = relation_option(context);
        asked.has_window = asked.has_window || letter == 'w';
        asked.flip_y = asked.flip_y || letter == 'f';
    }
    if (asked.output == NULL)
        complain(NULL, 0, "no output is named (-o OUT.svg)");
    asked.file = only_argument(context);
    if (is_same_file(asked.file, asked.output))
        complain(asked.output, 0, "output is the input itself (%s)", quote_text(asked.file).text);
    return asked;
}

static void
draw_found(pqt_svg *svg, const pqt_tree *tree, pqt_query query)
{
    char text[60];
    pqt_svg_items(svg, tree, query, "found");
    pqt_svg_box(svg, query.window, "window");
    snprintf(text, sizeof text, "found: %s", grouped(pqt_tree_count_in(tree, query)).text);
    pqt_svg_key(svg, PQT_SVG_BOX, "window", "window");
    pqt_svg_key(svg, PQT_SVG_BOX, "found", text);
}

/* Dots that suit their number: few are to be seen, many are not to be a blot. */
static const char *
style_for(size_t items)
{
    if (items < 500)
        return ".dot{stroke-width:6}\n";
    return items < 10000 ? ".dot{stroke-width:3.5}\n" : NULL;
}

static void
write_title(char *text, size_t room, const char *file, size_t items)
{
    const char *slash = strrchr(file, '/');
    const char *name = strcmp(file, "-") == 0 ? "standard input" : slash != NULL ? slash + 1 : file;
    snprintf(text, room, "%.200s: %s item%s", name, grouped(items).text, items == 1 ? "" : "s");
}

static void
draw(FILE *stream, const request *asked, const table *rows, const pqt_tree *tree)
{
    pqt_query all = {.window = pqt_tree_bounds(tree), .relation = PQT_TOUCHES};
    pqt_svg_options options = PQT_SVG_DEFAULTS;
    pqt_error error = {0};
    char title[300];
    pqt_svg svg;
    write_title(title, sizeof title, asked->file, pqt_tree_count(tree));
    options.title = title;
    options.style = style_for(pqt_tree_count(tree));
    options.flip_y = asked->flip_y || rows->is_geographic;
    options.width = 1200;
    options.height = 900;
    if (!pqt_svg_begin(&svg, stream, pqt_tree_bounds(tree), &options, &error))
        complain_error(asked->output, &error);
    pqt_svg_cells(&svg, tree, "cells");
    pqt_svg_items(&svg, tree, all, "items");
    if (asked->has_window)
        draw_found(&svg, tree, asked->query);
    pqt_svg_key(&svg, PQT_SVG_BOX, "items", "items");
    pqt_svg_key(&svg, PQT_SVG_BOX, "cells", "cells of the tree");
    pqt_svg_end(&svg, NULL); /* output_close sees a failure too, and knows why */
}

int
draw_command(int count, const char **arguments)
{
    poptContext context =
        begin_options(count, arguments, table_of_options, "-o OUT.svg [OPTION...] FILE", purpose);
    request asked = read_request(context);
    table rows = table_read(asked.file);
    const pqt_tree *tree = table_tree(&rows, asked.file);
    draw(output_open(asked.output), &asked, &rows, tree);
    output_close();
    table_free(&rows);
    free(asked.output);
    poptFreeContext(context);
    return STATUS_FOUND;
}
