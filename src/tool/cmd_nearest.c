/* SPDX-License-Identifier: MIT */
/* cmd_nearest.c - `pqt nearest`: the items nearest to a point. */
#include "config.h"

#include "tool/tool.h"

#include <math.h>
#include <stdlib.h>

#include "tool/picture.h"

enum { MOST_WANTED = 1000000000 };

static const char purpose[] =
    "Prints the rows of FILE whose items are nearest to a point, nearest first, as CSV: the "
    "header\n"
    "and all columns of FILE, then the distance; a column id first if FILE has none. The distance\n"
    "is that of the item's box, 0 in it and on its edge. Items at equal distances come in the\n"
    "order of the tree. Status: 0 found, 1 nothing found, 2 an error.\n";

static const struct poptOption table_of_options[] = {
    {"point", 'p', POPT_ARG_STRING, NULL, 'p', "measure from this point (needed)", "X,Y"},
    {"k", 'k', POPT_ARG_STRING, NULL, 'k', "print so many (default: 1)", "N"},
    {"max", 'm', POPT_ARG_STRING, NULL, 'm', "no farther than this", "D"},
    PICTURE_OPTIONS,
    COMMON_OPTIONS};

typedef struct request {
    const char *file;
    pqt_vec point;
    bool has_point;
    size_t most;
    double max_distance;
    picture drawn;
} request;

static request
read_request(poptContext context)
{
    request asked = {.most = 1, .max_distance = HUGE_VAL};
    int letter;
    while ((letter = next_option(context)) != 0) {
        if (letter == 'p')
            asked.point = point_option(context, "--point");
        if (letter == 'k')
            asked.most = (size_t)number_option(context, "--k", 1, MOST_WANTED);
        if (letter == 'm')
            asked.max_distance = distance_option(context, "--max");
        picture_option(&asked.drawn, context, letter);
        asked.has_point = asked.has_point || letter == 'p';
    }
    if (!asked.has_point)
        complain(NULL, 0, "no point is given (--point X,Y)");
    asked.file = only_argument(context);
    picture_guard(&asked.drawn, asked.file);
    return asked;
}

/* What was found, nearest first. */
typedef struct finds {
    pqt_near *items;
    size_t count;
} finds;

static finds
find(const request *asked, const pqt_tree *tree)
{
    finds found = {.items = NULL};
    size_t capacity = 0, most = pqt_tree_count(tree);
    pqt_box from = {asked->point, asked->point};
    pqt_nearest_options options = PQT_NEAREST_DEFAULTS;
    options.max_distance = asked->max_distance;
    if (most > asked->most)
        most = asked->most;
    found.items = grown(NULL, &capacity, most, sizeof *found.items);
    found.count = pqt_tree_nearest(tree, from, &options, found.items, most);
    return found;
}

/* What there is to see: the distances, or the boxes that the point is in, or, if nothing is found,
   all. */
static pqt_box
part_of(const request *asked, const finds *found, const pqt_tree *tree)
{
    pqt_box point = {asked->point, asked->point};
    double farthest = found->count > 0 ? found->items[found->count - 1].distance : 0;
    pqt_box cell = pqt_box_grown(point, 1.25 * farthest);
    if (farthest > 0 && pqt_box_is_valid(cell))
        return cell;
    if (found->count == 0 || farthest > 0)
        return pqt_box_union(point, pqt_tree_bounds(tree));
    for (size_t i = 0; i < found->count; i++)
        cell = pqt_box_union(cell, found->items[i].item.box);
    return cell;
}

static double
nearest_between(double low, double value, double high)
{
    return value < low ? low : value > high ? high : value;
}

/* The line that a distance measures: from the point to the nearest one of the box. */
static pqt_segment
line_to(pqt_vec point, pqt_box box)
{
    pqt_vec end = {nearest_between(box.min.x, point.x, box.max.x),
                   nearest_between(box.min.y, point.y, box.max.y)};
    return (pqt_segment){point, end};
}

static void
draw_found(picture *drawn, const request *asked, const finds *found)
{
    size_t item_capacity = 0, line_capacity = 0;
    pqt_item *items = grown(NULL, &item_capacity, found->count, sizeof *items);
    pqt_segment *lines = grown(NULL, &line_capacity, found->count, sizeof *lines);
    for (size_t i = 0; i < found->count; i++) {
        items[i] = found->items[i].item;
        lines[i] = line_to(asked->point, items[i].box);
    }
    picture_items(drawn, items, found->count, "found");
    pqt_svg_segments(&drawn->svg, lines, found->count, "link");
    free(items);
    free(lines);
}

static void
draw(request *asked, const finds *found, const pqt_tree *tree)
{
    picture *drawn = &asked->drawn;
    char what[60];
    snprintf(what, sizeof what, "%s nearest to a point", grouped(found->count).text);
    picture_begin_over(drawn, asked->file, what, part_of(asked, found, tree), tree);
    draw_found(drawn, asked, found);
    pqt_svg_box(&drawn->svg, (pqt_box){asked->point, asked->point}, "mark");
    pqt_svg_key(&drawn->svg, PQT_SVG_DOT, "mark", "the point");
    pqt_svg_key(&drawn->svg, drawn->sign, "found", "nearest");
    pqt_svg_key(&drawn->svg, PQT_SVG_LINE, "link", "their distances");
    pqt_svg_key(&drawn->svg, drawn->sign, "ground", "items");
    picture_end(drawn);
}

static void
print(const finds *found, table *rows)
{
    write_names(stdout, &rows->columns, "");
    printf(",%s\n", unused_name(&rows->columns, "distance").text);
    for (size_t i = 0; i < found->count && !ferror(stdout); i++) {
        write_item(stdout, rows, &found->items[i].item);
        printf(",%s\n", shortest(found->items[i].distance).text);
    }
}

int
nearest_command(int count, const char **arguments)
{
    poptContext context =
        begin_options(count, arguments, table_of_options, "--point X,Y [OPTION...] FILE", purpose);
    request asked = read_request(context);
    table rows = table_read_all(asked.file);
    const pqt_tree *tree = tree_of_items(rows.items, rows.count, asked.file);
    finds found = find(&asked, tree);
    picture_suit(&asked.drawn, &rows);
    if (asked.drawn.output != NULL)
        draw(&asked, &found, tree);
    print(&found, &rows);
    free(found.items);
    table_free(&rows);
    poptFreeContext(context);
    picture_release(&asked.drawn);
    return found.count > 0 ? STATUS_FOUND : STATUS_NOTHING;
}
