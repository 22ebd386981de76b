/* SPDX-License-Identifier: MIT */
/* cmd_pairs.c - `pqt pairs`: the pairs of items that meet, in one file or between two. */
#include "config.h"

#include "tool/tool.h"

#include <stdlib.h>
#include <string.h>

#include "tool/picture.h"

static const char purpose[] =
    "Prints the pairs of items of FILE that meet, each once, as CSV: all columns of the first "
    "item's\n"
    "row, then all of the second item's, with second_ before their names; a column id first if a\n"
    "file has none. Every command reads that as the first items. With FILE2, the pairs of an item\n"
    "of FILE and one of FILE2.\n"
    "touches (the default): they have a point in common; overlaps: more than an edge;\n"
    "inside: the first lies within the second; covers: the second lies within the first.\n"
    "Status: 0 found, 1 nothing found, 2 an error.\n";

static const struct poptOption table_of_options[] = {
    {"relation", 'r', POPT_ARG_STRING, NULL, 'r', "touches (default), overlaps, inside or covers",
     "NAME"},
    {"count", 'c', POPT_ARG_NONE, NULL, 'c', "print only how many they are", NULL},
    {"offset", 'o', POPT_ARG_STRING, NULL, 'o', "move the items of FILE2 by this", "X,Y"},
    PICTURE_OPTIONS,
    COMMON_OPTIONS};

typedef struct request {
    const char *file;
    const char *file2; /* NULL: pairs within one file */
    pqt_pair_query query;
    bool has_offset;
    bool only_count;
    picture drawn;
} request;

static void
read_files(request *asked, poptContext context)
{
    asked->file = file_argument(context, 0);
    asked->file2 = poptGetArg(context);
    no_argument(context);
    picture_guard(&asked->drawn, asked->file);
    if (asked->file2 != NULL)
        picture_guard(&asked->drawn, asked->file2);
    else if (asked->has_offset)
        complain(NULL, 0, "--offset moves a second file, and none is named (FILE2)");
    input_guard(asked->file, asked->file2);
}

static request
read_request(poptContext context)
{
    request asked = {.query.relation = PQT_TOUCHES};
    int letter;
    while ((letter = next_option(context)) != 0) {
        if (letter == 'r')
            asked.query.relation = relation_option(context);
        if (letter == 'o')
            asked.query.offset = point_option(context, "--offset");
        picture_option(&asked.drawn, context, letter);
        asked.only_count = asked.only_count || letter == 'c';
        asked.has_offset = asked.has_offset || letter == 'o';
    }
    read_files(&asked, context);
    return asked;
}

/* The rows of a file, and a version of them; without a file, neither. */
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
    read.rows = table_read_all(file);
    read.tree = tree_of_items(read.rows.items, read.rows.count, file);
    return read;
}

/* The pairs as they are drawn: both items, and a line from middle to middle. */
typedef struct gathering {
    pqt_item *items;
    pqt_segment *lines;
    size_t item_count, item_capacity;
    size_t line_count, line_capacity;
    pqt_vec offset;
} gathering;

static bool
gather_pair(const pqt_item *a, const pqt_item *b, void *context)
{
    gathering *all = context;
    pqt_item moved = {pqt_box_moved(b->box, all->offset), b->id};
    all->items = grown(all->items, &all->item_capacity, all->item_count + 2, sizeof *all->items);
    all->lines = grown(all->lines, &all->line_capacity, all->line_count + 1, sizeof *all->lines);
    all->items[all->item_count++] = *a;
    all->items[all->item_count++] = moved;
    all->lines[all->line_count++] =
        (pqt_segment){pqt_box_centre(a->box), pqt_box_centre(moved.box)};
    return true;
}

static void
draw_pairs(const request *asked, picture *drawn, const side *first, const side *second)
{
    gathering all = {.offset = asked->query.offset};
    pqt_pairs_visit(first->tree, second->tree, asked->query, gather_pair, &all);
    picture_items(drawn, all.items, all.item_count, "found");
    pqt_svg_segments(&drawn->svg, all.lines, all.line_count, "link");
    free(all.items);
    free(all.lines);
}

/* Where the items of the second file are drawn; those of the first one, if there is no second. */
static pqt_box
bounds_of_second(const request *asked, const side *second, pqt_box otherwise)
{
    if (second->tree == NULL)
        return otherwise;
    pqt_box moved = pqt_box_moved(pqt_tree_bounds(second->tree), asked->query.offset);
    return pqt_box_is_valid(moved) ? moved : otherwise;
}

/* Draws all rows of a file, moved by an offset. */
static void
draw_ground(picture *drawn, const side *from, pqt_vec offset)
{
    size_t capacity = 0;
    pqt_item *moved = grown(NULL, &capacity, from->rows.count, sizeof *moved);
    for (size_t i = 0; i < from->rows.count; i++)
        moved[i] =
            (pqt_item){pqt_box_moved(from->rows.items[i].box, offset), from->rows.items[i].id};
    picture_items(drawn, moved, from->rows.count, "ground");
    free(moved);
}

static void
draw(request *asked, const side *first, const side *second, size_t found)
{
    static const pqt_vec nowhere_else = {0, 0};
    picture *drawn = &asked->drawn;
    pqt_box bounds = pqt_tree_bounds(first->tree);
    pqt_box shown = pqt_box_union(bounds, bounds_of_second(asked, second, bounds));
    char what[60];
    snprintf(what, sizeof what, "%s pair%s", grouped(found).text, found == 1 ? "" : "s");
    picture_begin(drawn, asked->file, what, shown, first->rows.count + second->rows.count);
    draw_ground(drawn, first, nowhere_else);
    if (second->tree != NULL)
        draw_ground(drawn, second, asked->query.offset);
    draw_pairs(asked, drawn, first, second);
    pqt_svg_key(&drawn->svg, drawn->sign, "found", "items that meet");
    pqt_svg_key(&drawn->svg, PQT_SVG_LINE, "link", "pairs, from middle to middle");
    pqt_svg_key(&drawn->svg, drawn->sign, "ground", "items");
    picture_end(drawn);
}

/* Where the two items of a pair have their rows. */
typedef struct sources {
    table *first, *second;
} sources;

static bool
print_pair(const pqt_item *a, const pqt_item *b, void *context)
{
    const sources *from = context;
    write_item(stdout, from->first, a);
    putchar(',');
    write_item(stdout, from->second, b);
    putchar('\n');
    return !ferror(stdout);
}

static void
print(const request *asked, side *first, side *second)
{
    sources from = {&first->rows, second->tree != NULL ? &second->rows : &first->rows};
    write_names(stdout, &from.first->columns, "");
    putchar(',');
    write_names(stdout, &from.second->columns, unused_prefix(&from.first->columns, "second").text);
    putchar('\n');
    pqt_pairs_visit(first->tree, second->tree, asked->query, print_pair, &from);
}

int
pairs_command(int count, const char **arguments)
{
    poptContext context =
        begin_options(count, arguments, table_of_options, "[OPTION...] FILE [FILE2]", purpose);
    request asked = read_request(context);
    side first = read_side(asked.file), second = read_side(asked.file2);
    size_t found = pqt_pairs_count(first.tree, second.tree, asked.query);
    picture_suit(&asked.drawn, &first.rows);
    if (second.tree != NULL)
        picture_suit(&asked.drawn, &second.rows);
    if (asked.drawn.output != NULL)
        draw(&asked, &first, &second, found);
    if (asked.only_count)
        printf("%zu\n", found);
    else
        print(&asked, &first, &second);
    table_free(&first.rows);
    table_free(&second.rows);
    poptFreeContext(context);
    picture_release(&asked.drawn);
    return found > 0 ? STATUS_FOUND : STATUS_NOTHING;
}
