/* SPDX-License-Identifier: MIT */
/* cmd_search.c: `pqt search`: finds the items that have a relation to a window. */
#include "config.h"

#include "tool/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <popt.h>
#include <pqt.h>

#include "tool/cli.h"
#include "tool/column_options.h"
#include "tool/csv_table.h"
#include "tool/globe.h"
#include "tool/message.h"
#include "tool/out.h"
#include "tool/output_version.h"
#include "tool/row_writer.h"
#include "tool/tool_memory.h"

static const char purpose[] =
    "Prints the rows of FILE whose items have a relation to a window, as CSV or in another "
    "format.\n"
    "All columns of FILE are printed, after a column id if FILE has none, so that every command\n"
    "can read the output.\n"
    "touches (default): they have a common point; overlaps: they share more than an edge;\n"
    "inside: the item is within the window; covers: the window is within the item.\n"
    "With --globe, the window is west,south,east,north and may cross the antimeridian.\n"
    "A side of the window may be inf or -inf. If OUT is a .pqt file, it contains only ids and\n"
    "boxes. Status: 0 found, 1 nothing found, 2 an error.\n";

static const struct poptOption table_of_options[] = {
    {"window", 'w', POPT_ARG_STRING, NULL, 'w', "the window (required)", "X0,Y0,X1,Y1"},
    {"relation", 'r', POPT_ARG_STRING, NULL, 'r',
     "the relation: touches (default), overlaps, inside or covers", "NAME"},
    GLOBE_OPTION,
    {"count", 'c', POPT_ARG_NONE, NULL, 'c', "print only how many there are", NULL},
    {"output", 'o', POPT_ARG_STRING, NULL, 'o', "write to this file, which may be FILE", "OUT"},
    ROW_FORMAT_OPTION('F',
                      "csv, json, ndjson, geojson, wkt or pqt (default: by the ending of OUT)"),
    COLUMN_OPTIONS,
    COMMON_OPTIONS};

typedef struct request {
    const char *file;
    pqt_query query;
    char *window; /* the text of --window */
    bool only_count;
    char *output; /* NULL: the result goes to standard output */
    row_format format;
} request;

static request
read_request(poptContext context)
{
    request req = {.query.relation = PQT_TOUCHES};
    int letter;
    while ((letter = next_option(context)) != 0) {
        if (letter == 'w') {
            free(req.window);
            req.window = text_option(context);
        }
        if (letter == 'G')
            req.query.surface = PQT_SPHERE;
        if (letter == 'r')
            req.query.relation = relation_option(context);
        if (letter == 'o') {
            free(req.output);
            req.output = text_option(context);
        }
        if (letter == 'F')
            req.format = row_format_option(context, ROWS_PQT);
        req.only_count = req.only_count || letter == 'c';
    }
    if (req.window == NULL)
        die(NULL, 0, "no window is given (--window X0,Y0,X1,Y1)");
    req.query.window = req.query.surface == PQT_SPHERE
                           ? globe_window(sides_of(req.window, "--window"), req.window)
                           : window_of(req.window, "--window");
    if (req.only_count && (req.output != NULL || req.format != ROWS_BY_NAME))
        die(NULL, 0, "--count cannot be used with --%s", req.output != NULL ? "output" : "format");
    req.file = only_argument(context);
    return req;
}

typedef struct row_output {
    row_writer to;
    table *rows;
} row_output;

static bool
write_row(const pqt_item *item, void *context)
{
    row_output *output = context;
    rows_begin_row(&output->to);
    rows_put_item(&output->to, output->rows, item);
    rows_end_row(&output->to);
    return !ferror(output->to.stream);
}

static void
write_rows(FILE *stream, row_format format, const request *req, const pqt_tree *tree, table *rows)
{
    row_output output = {rows_begin(stream, format, req->file), rows};
    rows_add_columns(&output.to, &rows->columns, "");
    pqt_tree_visit(tree, &req->query, write_row, &output);
    rows_end(&output.to);
}

/* Writes a tree of the items that were found. Its bounds are the smallest that contain them. */
static void
write_pqt(FILE *stream, const char *file, const pqt_tree *tree, pqt_query query, size_t count)
{
    size_t capacity = 0;
    pqt_item *items = xgrow(NULL, &capacity, count, sizeof *items);
    pqt_tree_collect(tree, &query, items, count);
    output_version(stream, file, tree_of_items(items, count, file));
    free(items);
}

static void
write_found(const request *req, const pqt_tree *tree, table *rows, size_t count)
{
    const bool is_file = req->output != NULL && strcmp(req->output, "-") != 0;
    const row_format format = row_format_of(req->format, req->output);
    const char *name = req->format == ROWS_BY_NAME ? row_format_name(format) : NULL;
    FILE *stream = is_file ? output_open(req->output, name) : stdout;
    if (format == ROWS_PQT)
        write_pqt(stream, req->output, tree, req->query, count);
    else
        write_rows(stream, format, req, tree, rows);
}

int
search_command(int count, const char **arguments)
{
    poptContext context = begin_options(count, arguments, table_of_options,
                                        "--window X0,Y0,X1,Y1 [OPTION...] FILE", purpose);
    request req = read_request(context);
    table rows = table_read(req.file, KEEP_FILE);
    if (req.query.surface == PQT_SPHERE)
        globe_require(rows.items, rows.count, req.file);
    const pqt_tree *tree = table_tree(&rows, NULL, req.file);
    size_t found = pqt_tree_count_in(tree, &req.query);
    if (req.only_count)
        printf("%zu\n", found);
    else
        write_found(&req, tree, &rows, found);
    finish_standard_output();
    output_close();
    table_free(&rows);
    free(req.output);
    free(req.window);
    poptFreeContext(context);
    return found > 0 ? STATUS_FOUND : STATUS_NOTHING;
}
