/* SPDX-License-Identifier: MIT */
/* cmd_ray.c - `pqt ray`: what a segment hits, front to back. */
#include "config.h"

#include "tool/tool.h"

#include <stdlib.h>

#include "tool/picture.h"

static const char purpose[] =
    "Prints the row of FILE whose item the segment from one point to another hits first, or those\n"
    "of all that it hits, front to back, as CSV: the header and all columns of FILE, then the\n"
    "fraction; a column id first if FILE has none. The fraction is 0 at the first point and 1 at\n"
    "the second; an item that the segment begins in has 0. One common point is a hit.\n"
    "Status: 0 found, 1 nothing found, 2 an error.\n";

static const struct poptOption table_of_options[] = {
    {"from", '\0', POPT_ARG_STRING, NULL, 'F', "begin the segment there (needed)", "X,Y"},
    {"to", '\0', POPT_ARG_STRING, NULL, 'T', "end it there (needed)", "X,Y"},
    {"all", 'a', POPT_ARG_NONE, NULL, 'a', "go on behind the first hit", NULL},
    PICTURE_OPTIONS,
    COMMON_OPTIONS};

typedef struct request {
    const char *file;
    pqt_segment segment;
    bool has_from, has_to;
    bool wants_all;
    picture drawn;
} request;

static request
read_request(poptContext context)
{
    request asked = {.file = NULL};
    int letter;
    while ((letter = next_option(context)) != 0) {
        if (letter == 'F')
            asked.segment.from = point_option(context, "--from");
        if (letter == 'T')
            asked.segment.to = point_option(context, "--to");
        picture_option(&asked.drawn, context, letter);
        asked.has_from = asked.has_from || letter == 'F';
        asked.has_to = asked.has_to || letter == 'T';
        asked.wants_all = asked.wants_all || letter == 'a';
    }
    if (!asked.has_from)
        complain(NULL, 0, "no beginning is given (--from X,Y)");
    if (!asked.has_to)
        complain(NULL, 0, "no end is given (--to X,Y)");
    asked.file = only_argument(context);
    picture_guard(&asked.drawn, asked.file);
    return asked;
}

/* What was hit, front to back. */
typedef struct hits {
    pqt_ray_hit *items;
    size_t count, capacity;
    bool only_first;
} hits;

static bool
keep_hit(const pqt_ray_hit *hit, void *context)
{
    hits *all = context;
    all->items = grown(all->items, &all->capacity, all->count + 1, sizeof *all->items);
    all->items[all->count++] = *hit;
    return !all->only_first;
}

/* What there is to see: where the segment lies; of one without length, the boxes that it is in. */
static pqt_box
part_of(const request *asked, const hits *found)
{
    pqt_box cell = pqt_segment_box(asked->segment);
    if (pqt_vec_distance(asked->segment.from, asked->segment.to) > 0)
        return cell;
    for (size_t i = 0; i < found->count; i++)
        cell = pqt_box_union(cell, found->items[i].item.box);
    return cell;
}

/* The items that were hit, the segment, and the places where it enters them, as lines of no
   length. */
static void
draw_found(picture *drawn, const request *asked, const hits *found)
{
    size_t item_capacity = 0, entry_capacity = 0;
    pqt_item *items = grown(NULL, &item_capacity, found->count, sizeof *items);
    pqt_segment *entries = grown(NULL, &entry_capacity, found->count, sizeof *entries);
    for (size_t i = 0; i < found->count; i++) {
        pqt_vec entry = pqt_segment_at(asked->segment, found->items[i].entry);
        items[i] = found->items[i].item;
        entries[i] = (pqt_segment){entry, entry};
    }
    picture_items(drawn, items, found->count, "found");
    pqt_svg_segments(&drawn->svg, &asked->segment, 1, "way");
    pqt_svg_box(&drawn->svg, (pqt_box){asked->segment.from, asked->segment.from}, "mark");
    pqt_svg_segments(&drawn->svg, entries, found->count, "entry");
    free(items);
    free(entries);
}

static void
draw(request *asked, const hits *found, const pqt_tree *tree)
{
    picture *drawn = &asked->drawn;
    char what[60];
    snprintf(what, sizeof what, "%s hit%s of a segment", grouped(found->count).text,
             found->count == 1 ? "" : "s");
    picture_begin_over(drawn, asked->file, what, part_of(asked, found), tree);
    draw_found(drawn, asked, found);
    pqt_svg_key(&drawn->svg, PQT_SVG_DOT, "mark", "where it begins");
    pqt_svg_key(&drawn->svg, PQT_SVG_LINE, "way", "the segment");
    pqt_svg_key(&drawn->svg, drawn->sign, "found", "hit");
    pqt_svg_key(&drawn->svg, PQT_SVG_DOT, "entry", "where it enters");
    pqt_svg_key(&drawn->svg, drawn->sign, "ground", "items");
    picture_end(drawn);
}

static void
print(const hits *found, table *rows)
{
    write_names(stdout, &rows->columns, "");
    printf(",%s\n", unused_name(&rows->columns, "fraction").text);
    for (size_t i = 0; i < found->count && !ferror(stdout); i++) {
        write_item(stdout, rows, &found->items[i].item);
        printf(",%s\n", shortest(found->items[i].entry).text);
    }
}

int
ray_command(int count, const char **arguments)
{
    poptContext context = begin_options(count, arguments, table_of_options,
                                        "--from X,Y --to X,Y [OPTION...] FILE", purpose);
    request asked = read_request(context);
    table rows = table_read_all(asked.file);
    const pqt_tree *tree = tree_of_items(rows.items, rows.count, asked.file);
    hits found = {.only_first = !asked.wants_all};
    pqt_tree_visit_cast(tree, pqt_cast_segment(asked.segment), keep_hit, &found);
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
