/* SPDX-License-Identifier: MIT */
/* cmd_search.c - `pqt search`: the items that have a relation to a window. */
#include "config.h"

#include "tool/tool.h"

static const char purpose[] =
    "Prints the rows of FILE whose items have a relation to a window, as CSV: all columns of\n"
    "FILE, so that every command can read them; a column id comes first if FILE has none.\n"
    "touches (default): they have a common point; overlaps: they share more than an edge;\n"
    "inside: the item is within the window; covers: the window is within the item.\n"
    "A side of the window may be inf or -inf. Status: 0 found, 1 nothing found, 2 an error.\n";

static const struct poptOption table_of_options[] = {
    {"window", 'w', POPT_ARG_STRING, NULL, 'w', "search this window (required)", "X0,Y0,X1,Y1"},
    {"relation", 'r', POPT_ARG_STRING, NULL, 'r', "touches (default), overlaps, inside or covers",
     "NAME"},
    {"count", 'c', POPT_ARG_NONE, NULL, 'c', "print only the number of items", NULL},
    COMMON_OPTIONS};

typedef struct request {
    const char *file;
    pqt_query query;
    bool has_window;
    bool only_count;
} request;

static request
read_request(poptContext context)
{
    request req = {.query.relation = PQT_TOUCHES};
    int letter;
    while ((letter = next_option(context)) != 0) {
        if (letter == 'w')
            req.query.window = box_option(context, "--window", true);
        if (letter == 'r')
            req.query.relation = relation_option(context);
        req.has_window = req.has_window || letter == 'w';
        req.only_count = req.only_count || letter == 'c';
    }
    if (!req.has_window)
        die(NULL, 0, "no window is given (--window X0,Y0,X1,Y1)");
    req.file = only_argument(context);
    return req;
}

static bool
print_item(const pqt_item *item, void *context)
{
    write_item(stdout, context, item);
    putchar('\n');
    return !ferror(stdout);
}

static void
print(const pqt_tree *tree, pqt_query query, table *rows)
{
    write_names(stdout, &rows->columns, "");
    putchar('\n');
    pqt_tree_visit(tree, &query, print_item, rows);
}

int
search_command(int count, const char **arguments)
{
    poptContext context = begin_options(count, arguments, table_of_options,
                                        "--window X0,Y0,X1,Y1 [OPTION...] FILE", purpose);
    request req = read_request(context);
    table rows = table_read_all(req.file);
    const pqt_tree *tree = tree_of_items(rows.items, rows.count, req.file);
    size_t found = pqt_tree_count_in(tree, &req.query);
    if (req.only_count)
        printf("%zu\n", found);
    else
        print(tree, req.query, &rows);
    table_free(&rows);
    poptFreeContext(context);
    finish_standard_output();
    return found > 0 ? STATUS_FOUND : STATUS_NOTHING;
}
