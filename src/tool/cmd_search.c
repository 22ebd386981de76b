/* SPDX-License-Identifier: MIT */
/* cmd_search.c - `pqt search`: the items that stand in a relation to a window. */
#include "config.h"

#include "tool/tool.h"

static const char purpose[] =
    "Prints the rows of FILE whose items stand in a relation to a window, as CSV: the header and\n"
    "all columns of FILE, so that every command reads them; a column id first if FILE has none.\n"
    "touches (the default): they have a point in common; overlaps: more than an edge;\n"
    "inside: the item lies within the window; covers: the window lies within the item.\n"
    "A side of the window may be inf or -inf. Status: 0 found, 1 nothing found, 2 an error.\n";

static const struct poptOption table_of_options[] = {
    {"window", 'w', POPT_ARG_STRING, NULL, 'w', "search this window (needed)", "X0,Y0,X1,Y1"},
    {"relation", 'r', POPT_ARG_STRING, NULL, 'r', "touches (default), overlaps, inside or covers",
     "NAME"},
    {"count", 'c', POPT_ARG_NONE, NULL, 'c', "print only how many they are", NULL},
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
    request asked = {.query.relation = PQT_TOUCHES};
    int letter;
    while ((letter = next_option(context)) != 0) {
        if (letter == 'w')
            asked.query.window = box_option(context, "--window", true);
        if (letter == 'r')
            asked.query.relation = relation_option(context);
        asked.has_window = asked.has_window || letter == 'w';
        asked.only_count = asked.only_count || letter == 'c';
    }
    if (!asked.has_window)
        complain(NULL, 0, "no window is given (--window X0,Y0,X1,Y1)");
    asked.file = only_argument(context);
    return asked;
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
    pqt_tree_visit(tree, query, print_item, rows);
}

int
search_command(int count, const char **arguments)
{
    poptContext context = begin_options(count, arguments, table_of_options,
                                        "--window X0,Y0,X1,Y1 [OPTION...] FILE", purpose);
    request asked = read_request(context);
    table rows = table_read_all(asked.file);
    const pqt_tree *tree = tree_of_items(rows.items, rows.count, asked.file);
    size_t found = pqt_tree_count_in(tree, asked.query);
    if (asked.only_count)
        printf("%zu\n", found);
    else
        print(tree, asked.query, &rows);
    table_free(&rows);
    poptFreeContext(context);
    finish_standard_output();
    return found > 0 ? STATUS_FOUND : STATUS_NOTHING;
}
