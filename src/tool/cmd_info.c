/* SPDX-License-Identifier: MIT */
/* cmd_info.c - `pqt info`: what a file holds, and what its tree looks like. */
#include "config.h"

#include "tool/tool.h"

#include <inttypes.h>

#include "tool/advice.h"

static const char purpose[] =
    "Says what FILE holds, and what the tree of its items consists of. The options show what\n"
    "other trees of the same items would cost. Bounds may be some 100,000 times as large as the\n"
    "space that the items take, at no cost; much larger ones make searches slow, and so do bounds\n"
    "that lie far from the items. A line of advice then says which bounds serve better.\n";

static const struct poptOption table_of_options[] = {
    {"bounds", 'b', POPT_ARG_STRING, NULL, 'b', "bounds of the tree (default: those of the items)",
     "X0,Y0,X1,Y1"},
    {"capacity", 'c', POPT_ARG_STRING, NULL, 'c', "items in a leaf at most (default: 24)", "N"},
    {"depth", 'd', POPT_ARG_STRING, NULL, 'd', "times the bounds are halved at most (default: 24)",
     "N"},
    COMMON_OPTIONS};

typedef struct request {
    const char *file;
    pqt_tree_options options;
    bool has_bounds;
    pqt_box bounds;
} request;

static request
read_request(poptContext context)
{
    request asked = {.options = PQT_TREE_DEFAULTS};
    int letter;
    asked.options.memory = tool_memory();
    while ((letter = next_option(context)) != 0) {
        if (letter == 'b')
            asked.bounds = box_option(context, "--bounds", false);
        if (letter == 'c')
            asked.options.leaf_capacity =
                (int)number_option(context, "--capacity", 1, PQT_MAX_CAPACITY);
        if (letter == 'd')
            asked.options.max_depth = (int)number_option(context, "--depth", 0, PQT_MAX_DEPTH);
        asked.has_bounds = asked.has_bounds || letter == 'b';
    }
    asked.file = only_argument(context);
    return asked;
}

static const pqt_tree *
make_tree(const request *asked, const table *rows)
{
    pqt_error error = {0};
    const pqt_tree *tree;
    if (asked->has_bounds) {
        tree = pqt_tree_make(asked->bounds, &asked->options, &error);
        tree = pqt_tree_insert_all(tree, rows->items, rows->count, &error);
    } else {
        tree = pqt_tree_of(rows->items, rows->count, &asked->options, &error);
    }
    if (tree == NULL || !pqt_tree_check(tree, &error))
        complain_error(asked->file, &error);
    return tree;
}

/* Items by what one can see of them. */
typedef struct sums {
    pqt_box bounds; /* of the tree */
    size_t points;
    size_t outside; /* their centre is out of bounds */
} sums;

static bool
sum_item(const pqt_item *item, void *context)
{
    sums *all = context;
    pqt_box box = item->box;
    pqt_vec centre = {box.min.x / 2 + box.max.x / 2, box.min.y / 2 + box.max.y / 2};
    pqt_box at = {centre, centre};
    all->points += box.min.x == box.max.x && box.min.y == box.max.y;
    all->outside += !pqt_box_relates(at, all->bounds, PQT_INSIDE);
    return true;
}

static sums
sums_of(const pqt_tree *tree)
{
    sums all = {.bounds = pqt_tree_bounds(tree)};
    pqt_tree_visit(tree, pqt_query_all(), sum_item, &all);
    return all;
}

static void
print_number(const char *name, size_t number)
{
    printf("%-16s %s\n", name, grouped(number).text);
}

static void
print_items(const request *asked, const table *rows, const pqt_tree *tree, sums all)
{
    pqt_fingerprint print = pqt_tree_fingerprint(tree);
    printf("%-16s %s\n", "file", quote_text(asked->file).text);
    print_number("rows", rows->count);
    print_number("items", pqt_tree_count(tree));
    print_number("points", all.points);
    printf("%-16s %s, %s .. %s, %s\n", "bounds", shortest(all.bounds.min.x).text,
           shortest(all.bounds.min.y).text, shortest(all.bounds.max.x).text,
           shortest(all.bounds.max.y).text);
    print_number("out of bounds", all.outside);
    printf("%-16s %016" PRIx64 "%016" PRIx64 "\n", "fingerprint", print.high, print.low);
}

static void
print_tree(const request *asked, const pqt_tree *tree)
{
    pqt_tree_stats stats = pqt_tree_get_stats(tree);
    printf("%-16s %d items a leaf, %d halvings at most\n", "options", asked->options.leaf_capacity,
           asked->options.max_depth);
    print_number("inner nodes", stats.nodes);
    print_number("leaves", stats.leaves);
    print_number("depth", stats.depth);
    print_number("bytes", stats.bytes);
    if (stats.items > 0)
        printf("%-16s %.1f\n", "bytes an item", (double)stats.bytes / (double)stats.items);
}

int
info_command(int count, const char **arguments)
{
    poptContext context =
        begin_options(count, arguments, table_of_options, "[OPTION...] FILE", purpose);
    request asked = read_request(context);
    table rows = table_read(asked.file);
    const pqt_tree *tree = make_tree(&asked, &rows);
    sums all = sums_of(tree);
    print_items(&asked, &rows, tree, all);
    print_tree(&asked, tree);
    advise(tree, &rows, &asked.options, asked.has_bounds, all.outside);
    table_free(&rows);
    poptFreeContext(context);
    finish_standard_output();
    return STATUS_FOUND;
}
