/* SPDX-License-Identifier: MIT */
/*
 * cmd_demo.c: `pqt demo`: shows and checks the main features of the library with a map of the
 * world.
 *
 * Two datasets, cities (points) and parts of countries (boxes), are edited at random, and every
 * version is kept. Then the whole history is checked against a plain array and measured, and a map
 * is drawn.
 */
#include "config.h"

#include "tool/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <popt.h>
#include <pqt.h>

#include "tool/cli.h"
#include "tool/csv_table.h"
#include "tool/data_file.h"
#include "tool/demo/dataset.h"
#include "tool/demo/demo_picture.h"
#include "tool/message.h"
#include "tool/numbers.h"
#include "tool/out.h"

enum { MOST_EDITS = 1000000 };

static const char purpose[] =
    "Loads 49,025 cities and 4,253 boxes of countries, edits them at random, and keeps every\n"
    "version. Then checks versions of the whole history against a plain list, prints what they\n"
    "cost, and draws a map. Status: 0, or 1 if a check fails, or 2 for an error.\n";

static const struct poptOption table_of_options[] = {
    {"output", 'o', POPT_ARG_STRING, NULL, 'o', "write to this file (default: pqt-demo.svg)",
     "OUT.svg"},
    {"edits", '\0', POPT_ARG_STRING, NULL, 'e', "number of edits (default: 20000)", "N"},
    {"seed", '\0', POPT_ARG_STRING, NULL, 's', "seed of the random numbers (default: 1)", "N"},
    {"data", '\0', POPT_ARG_STRING, NULL, 'd', "folder of cities.csv and countries.csv", "DIR"},
    COMMON_OPTIONS};

typedef struct request {
    char *output;
    char *data;
    size_t edits;
    uint64_t seed;
} request;

static void
replace_text(char **text, poptContext context)
{
    free(*text);
    *text = text_option(context);
}

static request
read_request(poptContext context)
{
    request req = {.edits = 20000, .seed = 1};
    int letter;
    while ((letter = next_option(context)) != 0) {
        if (letter == 'o')
            replace_text(&req.output, context);
        if (letter == 'd')
            replace_text(&req.data, context);
        if (letter == 'e')
            req.edits = (size_t)number_option(context, "--edits", 0, MOST_EDITS);
        if (letter == 's')
            req.seed = (uint64_t)number_option(context, "--seed", 0, INT64_MAX);
    }
    no_argument(context);
    if (req.output != NULL && strcmp(req.output, "-") == 0)
        die(NULL, 0, "--output may not be standard output, which receives the report (-)");
    return req;
}

/* Returns the path of a data file in the folder that the user named, or in the place where it is
   installed. */
static char *
path_to_read(const char *file, const char *folder)
{
    if (folder != NULL)
        return data_file_in(folder, file);
    char *path = data_file(file);
    if (path == NULL)
        die(file, 0, "cannot be found in %s (name its folder with --data)", PQT_DATA_DIR);
    return path;
}

static dataset
load_dataset(const char *name, const char *file, const request *req)
{
    char *path = path_to_read(file, req->data);
    table rows = table_read(path, KEEP_ITEMS);
    dataset map = dataset_of(name, rows.items, rows.count, req->seed);
    table_free(&rows);
    free(path);
    return map;
}

static void
run_dataset(dataset *map, size_t edits)
{
    dataset_edit(map, edits);
    dataset_search(map);
    dataset_measure(map);
    dataset_check(map);
}

static void
print_row(const char *what, digits cities, digits countries)
{
    printf("%-42s %14s %14s\n", what, cities.text, countries.text);
}

static digits
plain_number(double number)
{
    digits out;
    snprintf(out.text, sizeof out.text, "%.1f", number);
    return out;
}

static digits
further_bytes_of(const dataset *map)
{
    size_t further = map->count > 1 ? map->count - 1 : 1;
    return in_bytes((double)map->further_bytes / (double)further);
}

/* Returns the ratio of the size of plain copies to the size of the versions. */
static digits
saving_of(const dataset *map)
{
    digits out;
    double ratio = (double)map->plain_bytes / (double)(map->first_bytes + map->further_bytes);
    snprintf(out.text, sizeof out.text, ratio < 10 ? "%.1f x" : "%.0f x", ratio);
    return out;
}

static digits
fingerprint_of(const dataset *map)
{
    digits out;
    pqt_fingerprint print = pqt_tree_fingerprint(dataset_version(map, map->count - 1));
    snprintf(out.text, sizeof out.text, "%08x", (unsigned)(print.low >> 32));
    return out;
}

static void
print_results(const dataset *a, const dataset *b)
{
    print_row("", (digits){"cities"}, (digits){"countries"});
    print_row("items in the first version", grouped(pqt_tree_count(dataset_version(a, 0))),
              grouped(pqt_tree_count(dataset_version(b, 0))));
    print_row("random edits (insert, remove, move)", grouped(a->plain.edits),
              grouped(b->plain.edits));
    print_row("versions kept, every one searchable", grouped(a->count), grouped(b->count));
    print_row("items in the newest version", grouped(a->plain.count), grouped(b->plain.count));
    print_row("first digits of its fingerprint", fingerprint_of(a), fingerprint_of(b));
    puts("");
    print_row("memory of the first version", in_bytes((double)a->first_bytes),
              in_bytes((double)b->first_bytes));
    print_row("memory of each further version, on average", further_bytes_of(a),
              further_bytes_of(b));
    print_row("memory of all versions", in_bytes((double)(a->first_bytes + a->further_bytes)),
              in_bytes((double)(b->first_bytes + b->further_bytes)));
    print_row("full copies of a plain list would take", in_bytes((double)a->plain_bytes),
              in_bytes((double)b->plain_bytes));
    print_row("  that is", saving_of(a), saving_of(b));
    puts("");
    print_row("time of an edit", in_time(a->edit_time), in_time(b->edit_time));
    print_row("time of a search, newest version", in_time(a->new_search_time),
              in_time(b->new_search_time));
    print_row("time of a search, any old version", in_time(a->old_search_time),
              in_time(b->old_search_time));
    print_row("  items that such a search finds", plain_number(a->found), plain_number(b->found));
    puts("");
    print_row("checks against a plain list: passed", grouped(a->checks - a->failed),
              grouped(b->checks - b->failed));
    print_row("                             failed", grouped(a->failed), grouped(b->failed));
}

static void
draw_picture(const char *file, const dataset *cities, const dataset *countries)
{
    map_content content = {dataset_version(cities, 0), dataset_version(countries, 0),
                           cities->count + countries->count - 2};
    FILE *stream = output_open(file, "SVG");
    demo_draw_map(stream, &content);
    output_close();
}

int
demo_command(int count, const char **arguments)
{
    poptContext context = begin_options(count, arguments, table_of_options, "[OPTION...]", purpose);
    request req = read_request(context);
    const char *picture = req.output != NULL ? req.output : "pqt-demo.svg";
    dataset cities = load_dataset("cities", "cities.csv", &req);
    dataset countries = load_dataset("countries", "countries.csv", &req);
    run_dataset(&cities, req.edits - req.edits / 5);
    run_dataset(&countries, req.edits / 5);
    print_results(&cities, &countries);
    draw_picture(picture, &cities, &countries);
    printf("\nThe map is in %s.\n", picture);
    bool passed = cities.failed + countries.failed == 0;
    dataset_free(&cities);
    dataset_free(&countries);
    free(req.output);
    free(req.data);
    poptFreeContext(context);
    finish_standard_output();
    return passed ? STATUS_FOUND : STATUS_NOTHING;
}
