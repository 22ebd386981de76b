/* SPDX-License-Identifier: MIT */
/* cmd_info.c: `pqt info`: prints the contents of a file and the structure of its tree. */
#include "config.h"

#include "tool/commands.h"

#include <stdio.h>

#include <popt.h>
#include <pqt.h>

#include "tool/advice.h"
#include "tool/cli.h"
#include "tool/column_options.h"
#include "tool/csv_table.h"
#include "tool/info_task.h"
#include "tool/message.h"
#include "tool/out.h"
#include "tool/tool_memory.h"

static const char purpose[] =
    "Prints the contents of FILE and the structure of the tree of its items. The options show\n"
    "what other trees of the same items cost. Bounds up to about 100,000 times as large as the\n"
    "extent of the items cost nothing; much larger ones make searches slow, and so do bounds far\n"
    "from the items. If so, a line of advice names better bounds. A .pqt file may hold a tree, a\n"
    "region, a world, a map or a document; without options, its tree is described as it was "
    "written.\n";

static const struct poptOption table_of_options[] = {
    {"bounds", 'b', POPT_ARG_STRING, NULL, 'b', "bounds of the tree (default: those of the items)",
     "X0,Y0,X1,Y1"},
    {"capacity", 'c', POPT_ARG_STRING, NULL, 'c', "maximum number of items in a leaf (default: 24)",
     "N"},
    {"depth", 'd', POPT_ARG_STRING, NULL, 'd',
     "maximum depth: halvings of the bounds (default: 32)", "N"},
    COLUMN_OPTIONS,
    COMMON_OPTIONS};

typedef struct request {
    const char *file;
    pqt_tree_options options;
    bool has_bounds;
    bool has_options;
    pqt_box bounds;
} request;

static request
read_request(poptContext context)
{
    request req = {.options = PQT_TREE_DEFAULTS};
    int letter;
    req.options.memory = tool_memory();
    while ((letter = next_option(context)) != 0) {
        if (letter == 'b')
            req.bounds = box_option(context, "--bounds", false);
        if (letter == 'c')
            req.options.leaf_capacity =
                (int)number_option(context, "--capacity", 1, PQT_MAX_CAPACITY);
        if (letter == 'd')
            req.options.max_depth = (int)number_option(context, "--depth", 0, PQT_MAX_DEPTH);
        req.has_bounds = req.has_bounds || letter == 'b';
        req.has_options = true;
    }
    req.file = only_argument(context);
    return req;
}

/* Returns true if the command describes the tree in a .pqt file itself, not a tree with other
   options. */
static bool
uses_tree_of_file(const request *req, const table *rows)
{
    return rows->tree != NULL && !req->has_options;
}

static const pqt_tree *
make_tree(const request *req, const table *rows)
{
    pqt_error error = {0};
    const pqt_tree *tree;
    if (uses_tree_of_file(req, rows)) {
        tree = rows->tree;
    } else if (req->has_bounds) {
        tree = pqt_tree_make(req->bounds, &req->options, &error);
        tree = pqt_tree_insert_all(tree, rows->items, rows->count, &error);
    } else {
        tree = pqt_tree_of(rows->items, rows->count, &req->options, &error);
    }
    if (tree == NULL || !pqt_tree_check(tree, &error))
        die_error(req->file, &error);
    return tree;
}

/* The numbers of items of several kinds. */
typedef struct item_counts {
    pqt_box bounds; /* the bounds of the tree */
    size_t points;
    size_t outside; /* items whose centre is outside the bounds */
} item_counts;

static bool
count_item(const pqt_item *item, void *context)
{
    item_counts *all = context;
    pqt_box box = item->box;
    pqt_vec centre = {box.min.x / 2 + box.max.x / 2, box.min.y / 2 + box.max.y / 2};
    pqt_box at = {centre, centre};
    all->points += box.min.x == box.max.x && box.min.y == box.max.y;
    all->outside += !pqt_box_relates(at, all->bounds, PQT_INSIDE);
    return true;
}

static item_counts
count_items(const pqt_tree *tree)
{
    item_counts all = {.bounds = pqt_tree_bounds(tree)};
    pqt_tree_visit(tree, NULL, count_item, &all);
    return all;
}

static void
print_items(const table *rows, const pqt_tree *tree, item_counts all)
{
    info_print_number("rows", rows->count);
    info_print_number("items", pqt_tree_count(tree));
    info_print_number("points", all.points);
    info_print_box("bounds", all.bounds);
    info_print_number("out of bounds", all.outside);
    info_print_fingerprint(pqt_tree_fingerprint(tree));
}

static void
print_tree(const request *req, const pqt_tree *tree)
{
    pqt_tree_stats stats = pqt_tree_get_stats(tree);
    printf("%-16s %d items per leaf, %d halvings at most%s%s\n", "options",
           req->options.leaf_capacity, req->options.max_depth,
           req->options.strict_bounds ? ", strict bounds" : "",
           req->options.unique_ids ? ", unique ids" : "");
    info_print_number("inner nodes", stats.nodes);
    info_print_number("leaves", stats.leaves);
    info_print_number("depth", stats.depth);
    info_print_number("bytes", stats.bytes);
    if (stats.items > 0)
        printf("%-16s %.1f\n", "bytes per item", (double)stats.bytes / (double)stats.items);
}

static void
describe_items(request *req, input_file *from)
{
    table rows = table_from(from);
    const pqt_tree *tree = make_tree(req, &rows);
    item_counts all = count_items(tree);
    if (uses_tree_of_file(req, &rows)) {
        pqt_tree_get_options(tree, &req->options);
        req->has_bounds = true;
    }
    if (from->is_pqt)
        info_print_pqt(from);
    else
        printf("%-16s %s\n", "file", quote_text(req->file).text);
    print_items(&rows, tree, all);
    print_tree(req, tree);
    print_bounds_advice(tree, &rows, &req->options, req->has_bounds, all.outside);
    table_free(&rows);
}

int
info_command(int count, const char **arguments)
{
    poptContext context =
        begin_options(count, arguments, table_of_options, "[OPTION...] FILE", purpose);
    request req = read_request(context);
    input_file from = input_open(req.file);
    switch (from.kind) {
    case PQT_KIND_REGION:
        info_print_region(&from);
        break;
    case PQT_KIND_WORLD:
        info_print_world(&from);
        break;
    case PQT_KIND_MAP:
        info_print_map(&from);
        break;
    case PQT_KIND_DOCUMENT:
        info_print_document(&from);
        break;
    default:
        describe_items(&req, &from);
    }
    input_close(&from);
    poptFreeContext(context);
    finish_standard_output();
    return STATUS_FOUND;
}
