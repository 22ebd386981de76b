/* SPDX-License-Identifier: MIT */
/* cmd_pairs.c: `pqt pairs`: finds the pairs of items that have a relation, in one file or between
   two files. */
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
#include "tool/csv_write.h"
#include "tool/message.h"
#include "tool/numbers.h"
#include "tool/out.h"
#include "tool/picture.h"
#include "tool/row_writer.h"
#include "tool/tool_memory.h"

static const char purpose[] =
    "Prints the pairs of items of FILE that have a relation, each once, as CSV: all columns of "
    "the\n"
    "first item's row, then those of the second item's, with the prefix second_; a column id "
    "comes\n"
    "first if a file has none. Other commands read the first items of this output. With FILE2, "
    "the\n"
    "pairs have one item of FILE and one of FILE2.\n"
    "touches (default): they have a common point; overlaps: they share more than an edge;\n"
    "inside: the first is within the second; covers: the second is within the first.\n"
    "Status: 0 found, 1 nothing found, 2 an error.\n";

static const struct poptOption table_of_options[] = {
    {"relation", 'r', POPT_ARG_STRING, NULL, 'r',
     "the relation: touches (default), overlaps, inside or covers", "NAME"},
    {"count", 'c', POPT_ARG_NONE, NULL, 'c', "print only how many there are", NULL},
    {"offset", '\0', POPT_ARG_STRING, NULL, 'o', "move the second file", "X,Y"},
    ROW_FORMAT_OPTION('F', "csv (default), json or ndjson"),
    PICTURE_OPTIONS,
    COLUMN_OPTIONS,
    COMMON_OPTIONS};

typedef struct request {
    const char *file;
    const char *file2; /* NULL: the pairs are in one file */
    pqt_pair_query query;
    bool has_offset;
    bool only_count;
    row_format format;
    picture drawn;
} request;

static void
read_files(request *req, poptContext context)
{
    req->file = file_argument(context, 0);
    req->file2 = poptGetArg(context);
    no_argument(context);
    picture_guard(&req->drawn, req->file);
    if (req->file2 != NULL)
        picture_guard(&req->drawn, req->file2);
    else if (req->has_offset)
        die(NULL, 0, "--offset needs a second file (FILE2)");
    input_guard(req->file, req->file2);
}

static request
read_request(poptContext context)
{
    request req = {.query.relation = PQT_TOUCHES};
    int letter;
    while ((letter = next_option(context)) != 0) {
        if (letter == 'r')
            req.query.relation = relation_option(context);
        if (letter == 'o')
            req.query.offset = point_option(context, "--offset");
        if (letter == 'F')
            req.format = row_format_option(context, ROWS_NDJSON);
        picture_option(&req.drawn, context, letter);
        req.only_count = req.only_count || letter == 'c';
        req.has_offset = req.has_offset || letter == 'o';
    }
    read_files(&req, context);
    return req;
}

/* The rows of a file and a version of them, or neither if there is no such file. */
typedef struct side {
    table rows;
    const pqt_tree *tree;
} side;

static side
read_side(const char *file)
{
    side read = {.tree = NULL};
    if (file == NULL)
        return read;
    read.rows = table_read(file, KEEP_FILE);
    read.tree = table_tree(&read.rows, NULL, file);
    return read;
}

/* The items of the pairs. */
typedef struct pair_items {
    result_items first, second;
    result_items *of_second; /* `first` if there is one file */
} pair_items;

static bool
add_items(const pqt_item *a, const pqt_item *b, void *context)
{
    pair_items *found = context;
    result_items_add(&found->first, a);
    result_items_add(found->of_second, b);
    return !found->first.are_many && !found->of_second->are_many;
}

static void
draw_tooltips(const request *req, picture *drawn, side *first, side *second)
{
    static const pqt_vec no_offset = {0, 0};
    pair_items found = {.first.items = NULL};
    found.of_second = second->tree != NULL ? &found.second : &found.first;
    pqt_pairs_visit(first->tree, second->tree, &req->query, add_items, &found);
    tooltips_add_tree(&drawn->tips, &first->rows, first->tree, no_offset, &found.first);
    if (second->tree != NULL)
        tooltips_add_tree(&drawn->tips, &second->rows, second->tree, req->query.offset,
                          &found.second);
    result_items_free(&found.first);
    result_items_free(&found.second);
    tooltips_draw(&drawn->tips, &drawn->svg);
}

/* The items and segments to draw: both items of each pair, and a segment between their centres. */
typedef struct pair_drawing {
    pqt_item *items;
    pqt_segment *lines;
    size_t item_count, item_capacity;
    size_t line_count, line_capacity;
    pqt_vec offset;
} pair_drawing;

static bool
add_pair(const pqt_item *a, const pqt_item *b, void *context)
{
    pair_drawing *all = context;
    pqt_item moved = {pqt_box_moved(b->box, all->offset), b->id};
    all->items = xgrow(all->items, &all->item_capacity, all->item_count + 2, sizeof *all->items);
    all->lines = xgrow(all->lines, &all->line_capacity, all->line_count + 1, sizeof *all->lines);
    all->items[all->item_count++] = *a;
    all->items[all->item_count++] = moved;
    all->lines[all->line_count++] =
        (pqt_segment){pqt_box_centre(a->box), pqt_box_centre(moved.box)};
    return true;
}

static void
draw_pair_lines(const request *req, picture *drawn, const side *first, const side *second)
{
    pair_drawing all = {.offset = req->query.offset};
    pqt_pairs_visit(first->tree, second->tree, &req->query, add_pair, &all);
    picture_items(drawn, all.items, all.item_count, "found");
    pqt_svg_segments(&drawn->svg, all.lines, all.line_count, "link");
    free(all.items);
    free(all.lines);
}

/* Returns the bounds of the items of the second file at the offset at which they are drawn. If
   there is no second file, returns `otherwise`. */
static pqt_box
bounds_of_second(const request *req, const side *second, pqt_box otherwise)
{
    if (second->tree == NULL)
        return otherwise;
    pqt_box moved = pqt_box_moved(pqt_tree_bounds(second->tree), req->query.offset);
    return pqt_box_is_valid(moved) ? moved : otherwise;
}

/* Draws all rows of a file, moved by an offset. */
static void
draw_ground(picture *drawn, const side *from, pqt_vec offset)
{
    size_t capacity = 0;
    const size_t count = pqt_tree_count(from->tree);
    const pqt_query all = pqt_query_all();
    pqt_item *moved = xgrow(NULL, &capacity, count, sizeof *moved);
    pqt_tree_collect(from->tree, &all, moved, count);
    for (size_t i = 0; i < count; i++)
        moved[i].box = pqt_box_moved(moved[i].box, offset);
    picture_items(drawn, moved, count, "ground");
    free(moved);
}

static void
draw_pairs(request *req, side *first, side *second, size_t found)
{
    static const pqt_vec zero_offset = {0, 0};
    picture *drawn = &req->drawn;
    pqt_box bounds = pqt_tree_bounds(first->tree);
    pqt_box shown = pqt_box_union(bounds, bounds_of_second(req, second, bounds));
    char what[60];
    snprintf(what, sizeof what, "%s pair%s", grouped(found).text, found == 1 ? "" : "s");
    picture_begin(drawn, req->file, what, shown, first->rows.count + second->rows.count);
    draw_ground(drawn, first, zero_offset);
    if (second->tree != NULL)
        draw_ground(drawn, second, req->query.offset);
    draw_pair_lines(req, drawn, first, second);
    draw_tooltips(req, drawn, first, second);
    pqt_svg_key(&drawn->svg, drawn->sign, "found", "items of pairs");
    pqt_svg_key(&drawn->svg, PQT_SVG_LINE, "link", "pairs, from centre to centre");
    pqt_svg_key(&drawn->svg, drawn->sign, "ground", "items");
    picture_end(drawn);
}

/* The output, and the tables that contain the two items of a pair. */
typedef struct pair_output {
    row_writer to;
    table *first, *second;
} pair_output;

static bool
print_pair(const pqt_item *a, const pqt_item *b, void *context)
{
    pair_output *output = context;
    rows_begin_row(&output->to);
    rows_put_item(&output->to, output->first, a);
    rows_put_item(&output->to, output->second, b);
    rows_end_row(&output->to);
    return !ferror(stdout);
}

static void
print_pairs(const request *req, side *first, side *second)
{
    pair_output output = {rows_begin(stdout, row_format_of(req->format, NULL), req->file),
                          &first->rows, second->tree != NULL ? &second->rows : &first->rows};
    const added_name prefix = unused_prefix(&output.first->columns, "second");
    rows_add_columns(&output.to, &output.first->columns, "");
    rows_add_columns(&output.to, &output.second->columns, prefix.text);
    pqt_pairs_visit(first->tree, second->tree, &req->query, print_pair, &output);
    rows_end(&output.to);
}

int
pairs_command(int count, const char **arguments)
{
    poptContext context =
        begin_options(count, arguments, table_of_options, "[OPTION...] FILE [FILE2]", purpose);
    request req = read_request(context);
    side first = read_side(req.file), second = read_side(req.file2);
    size_t found = pqt_pairs_count(first.tree, second.tree, &req.query);
    picture_adapt(&req.drawn, &first.rows);
    if (second.tree != NULL)
        picture_adapt(&req.drawn, &second.rows);
    if (req.drawn.output != NULL)
        draw_pairs(&req, &first, &second, found);
    if (req.only_count)
        printf("%zu\n", found);
    else
        print_pairs(&req, &first, &second);
    table_free(&first.rows);
    table_free(&second.rows);
    poptFreeContext(context);
    picture_release(&req.drawn);
    return found > 0 ? STATUS_FOUND : STATUS_NOTHING;
}
