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
#include "tool/globe.h"
#include "tool/info_task.h"
#include "tool/message.h"
#include "tool/out.h"
#include "tool/tool_memory.h"

static const char purpose[] =
    "Prints the contents of FILE and the structure of the tree of its items. The options show\n"
    "what other trees of the same items cost. Bounds up to about 100,000 times as large as the\n"
    "extent of the items cost nothing; much larger ones make searches slow, and so do bounds far\n"
    "from the items. If so, a line of advice names better bounds. A .pqt file may hold a tree, a\n"
    "region, a world, a map or a document; without options, its tree is described as it was\n"
    "written. Status: 0, or 2 for an error.\n";

static const struct poptOption table_of_options[] = {
    {"bounds", '\0', POPT_ARG_STRING, NULL, 'b', "bounds of the tree (default: those of the items)",
     "X0,Y0,X1,Y1"},
    {"capacity", '\0', POPT_ARG_STRING, NULL, 'c',
     "maximum number of items in a leaf (default: 24)", "N"},
    {"depth", '\0', POPT_ARG_STRING, NULL, 'd',
     "maximum depth: halvings of the bounds (default: 32)", "N"},
    {"json", 'j', POPT_ARG_NONE, NULL, 'j', "print JSON: an object", NULL},
    GLOBE_OPTION,
    COLUMN_OPTIONS,
    COMMON_OPTIONS};

typedef struct request {
    const char *file;
    pqt_tree_options options;
    bool has_bounds;
    bool has_options;
    pqt_box bounds;
    facts all; /* what is printed */
} request;

static request
read_request(poptContext context)
{
    request req = {.options = PQT_TREE_DEFAULTS, .all.width = 16};
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
        req.all.are_json = req.all.are_json || letter == 'j';
        req.has_options = req.has_options || (letter != 'j' && letter != 'G');
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
make_tree(const request *req, table *rows)
{
    pqt_error error = {0};
    const pqt_tree *tree;
    if (uses_tree_of_file(req, rows))
        tree = rows->tree;
    else if (req->has_bounds)
        tree = table_tree_in(rows, req->bounds, &req->options, req->file);
    else
        tree = table_tree(rows, &req->options, req->file);
    if (!pqt_tree_check(tree, &error))
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
print_items(facts *to, const table *rows, const pqt_tree *tree, item_counts all)
{
    fact_number(to, "rows", rows->count);
    fact_number(to, "items", pqt_tree_count(tree));
    fact_number(to, "points", all.points);
    fact_box(to, "bounds", all.bounds);
    fact_number(to, "out of bounds", all.outside);
    info_print_fingerprint(to, pqt_tree_fingerprint(tree));
}

/* Prints the options of the tree, in JSON one by one. */
static void
print_options(facts *to, const pqt_tree_options *options)
{
    if (!to->are_json) {
        printf("%-16s %d items per leaf, %d halvings at most%s%s\n", "options",
               options->leaf_capacity, options->max_depth,
               options->strict_bounds ? ", strict bounds" : "",
               options->unique_ids ? ", unique ids" : "");
        return;
    }
    fact_number(to, "leaf capacity", (uint64_t)options->leaf_capacity);
    fact_number(to, "max depth", (uint64_t)options->max_depth);
    fact_name(to, "strict bounds");
    fputs(options->strict_bounds ? "true" : "false", stdout);
    fact_name(to, "unique ids");
    fputs(options->unique_ids ? "true" : "false", stdout);
}

static void
print_tree(facts *to, const pqt_tree_options *options, const pqt_tree *tree)
{
    pqt_tree_stats stats = pqt_tree_get_stats(tree);
    print_options(to, options);
    fact_number(to, "inner nodes", stats.nodes);
    fact_number(to, "leaves", stats.leaves);
    fact_number(to, "depth", stats.depth);
    fact_number(to, "bytes", stats.bytes);
    if (stats.items > 0 && !to->are_json)
        printf("%-16s %.1f\n", "bytes per item", (double)stats.bytes / (double)stats.items);
}

static void
describe_items(request *req, input_file *from)
{
    table rows = table_from(from, KEEP_ITEMS);
    if (chosen_columns.is_globe)
        globe_require(rows.items, rows.count, req->file);
    const advice_items sample = advice_sample(&rows);
    const pqt_tree *tree = make_tree(req, &rows);
    item_counts all = count_items(tree);
    if (uses_tree_of_file(req, &rows)) {
        pqt_tree_get_options(tree, &req->options);
        req->has_bounds = true;
    }
    if (from->is_pqt)
        info_print_pqt(&req->all, from);
    else
        fact_text(&req->all, "file", quote_text(req->file).text);
    print_items(&req->all, &rows, tree, all);
    print_tree(&req->all, &req->options, tree);
    if (!req->all.are_json)
        print_bounds_advice(tree, &sample, &req->options, req->has_bounds, all.outside);
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
        info_print_region(&req.all, &from);
        break;
    case PQT_KIND_IMAGE:
        info_print_image(&req.all, &from);
        break;
    case PQT_KIND_WORLD:
        info_print_world(&req.all, &from);
        break;
    case PQT_KIND_MAP:
        info_print_map(&req.all, &from);
        break;
    case PQT_KIND_DOCUMENT:
        info_print_document(&req.all, &from);
        break;
    default:
        describe_items(&req, &from);
    }
    facts_end(&req.all);
    input_close(&from);
    poptFreeContext(context);
    finish_standard_output();
    return STATUS_FOUND;
}
