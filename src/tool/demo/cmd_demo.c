/* SPDX-License-Identifier: MIT */
/*
 * cmd_demo.c - `pqt demo`: the library's main job, shown and checked on a map of the world.
 *
 * Two layers, cities (points) and parts of countries (boxes), are edited at random, and every
 * version is kept. Then the whole history is checked against a plain list, measured, and drawn.
 */
#include "config.h"

#include "tool/tool.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool/demo/dataset.h"
#include "tool/demo/demo_picture.h"

#ifndef PQT_DATA_DIR
#define PQT_DATA_DIR "/usr/local/share/pqt/examples/data"
#endif

enum { MOST_EDITS = 1000000 };

static const char purpose[] =
    "Loads 49,025 cities and 4,253 boxes of countries, edits them at random, and keeps every\n"
    "version. Then it goes back all over the history, checks versions against a plain list,\n"
    "says what they cost, and draws a map. Status: 0, or 1 if a check fails, or 2 for an error.\n";

static const struct poptOption table_of_options[] = {
    {"output", 'o', POPT_ARG_STRING, NULL, 'o', "draw the map there (default: pqt-demo.svg)",
     "OUT.svg"},
    {"edits", 'e', POPT_ARG_STRING, NULL, 'e', "make so many edits (default: 20000)", "N"},
    {"seed", 's', POPT_ARG_STRING, NULL, 's', "make other edits (default: 1)", "N"},
    {"data", 'd', POPT_ARG_STRING, NULL, 'd', "take cities.csv and countries.csv from there",
     "DIR"},
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
    request asked = {.edits = 20000, .seed = 1};
    int letter;
    while ((letter = next_option(context)) != 0) {
        if (letter == 'o')
            replace_text(&asked.output, context);
        if (letter == 'd')
            replace_text(&asked.data, context);
        if (letter == 'e')
            asked.edits = (size_t)number_option(context, "--edits", 0, MOST_EDITS);
        if (letter == 's')
            asked.seed = (uint64_t)number_option(context, "--seed", 0, INT64_MAX);
    }
    no_argument(context);
    if (asked.output != NULL && strcmp(asked.output, "-") == 0)
        complain(NULL, 0, "--output is standard output, where the report goes (-)");
    return asked;
}

/* A file of the data in a folder: `before` and `between` lead to the folder. */
static char *
path_of(const char *before, size_t length, const char *between, const char *file)
{
    size_t capacity = 0, needed = length + strlen(between) + strlen(file) + 2;
    char *path = grown(NULL, &capacity, needed, 1);
    snprintf(path, capacity, "%.*s%s/%s", (int)length, before, between, file);
    return path;
}

/*
 * Finds a file of the data: beside the program, if it is run where it was built; where it was
 * installed; or below the current folder, for those who build in another folder than the source.
 */
static char *
find_data(const char *file)
{
    static const char in_source[] = "docs/examples/data";
    const char *slash = strrchr(program_name, '/');
    size_t folder = slash != NULL ? (size_t)(slash - program_name) + 1 : 0;
    char *places[] = {
        path_of(program_name, folder, in_source, file),
        path_of(program_name, folder, "../docs/examples/data", file),    /* from libtool's .libs */
        path_of(program_name, folder, "../../docs/examples/data", file), /* or build/.libs */
        path_of(program_name, folder, "../share/pqt/examples/data", file), /* if it was moved */
        path_of(PQT_DATA_DIR, strlen(PQT_DATA_DIR), "", file),
        path_of("", 0, in_source, file),
    };
    char *found = NULL;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        if (found == NULL && access(places[i], R_OK) == 0)
            found = places[i];
        else
            free(places[i]);
    }
    if (found == NULL)
        complain(file, 0, "is not found in %s (name its folder by --data)", PQT_DATA_DIR);
    return found;
}

static layer
load_layer(const char *name, const char *file, const request *asked)
{
    char *path =
        asked->data != NULL ? path_of(asked->data, strlen(asked->data), "", file) : find_data(file);
    table rows = table_read(path);
    layer map = layer_of(name, rows.items, rows.count, asked->seed);
    table_free(&rows);
    free(path);
    return map;
}

static void
run_layer(layer *map, size_t edits)
{
    layer_edit(map, edits);
    layer_search(map);
    layer_measure(map);
    layer_check(map);
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
further_of(const layer *map)
{
    size_t further = map->count > 1 ? map->count - 1 : 1;
    return in_bytes((double)map->further_bytes / (double)further);
}

/* How many times the versions' bytes the copies would take. */
static digits
saving_of(const layer *map)
{
    digits out;
    double ratio = (double)map->plain_bytes / (double)(map->first_bytes + map->further_bytes);
    snprintf(out.text, sizeof out.text, ratio < 10 ? "%.1f x" : "%.0f x", ratio);
    return out;
}

static digits
fingerprint_of(const layer *map)
{
    digits out;
    pqt_fingerprint print = pqt_tree_fingerprint(layer_version(map, map->count - 1));
    snprintf(out.text, sizeof out.text, "%08x", (unsigned)(print.low >> 32));
    return out;
}

static void
print_results(const layer *a, const layer *b)
{
    print_row("", (digits){"cities"}, (digits){"countries"});
    print_row("items in the first version", grouped(pqt_tree_count(layer_version(a, 0))),
              grouped(pqt_tree_count(layer_version(b, 0))));
    print_row("random edits (insert, remove, move)", grouped(a->plain.edits),
              grouped(b->plain.edits));
    print_row("versions kept, every one searchable", grouped(a->count), grouped(b->count));
    print_row("items in the newest version", grouped(a->plain.count), grouped(b->plain.count));
    print_row("its fingerprint, the first digits", fingerprint_of(a), fingerprint_of(b));
    puts("");
    print_row("memory of the first version", in_bytes((double)a->first_bytes),
              in_bytes((double)b->first_bytes));
    print_row("memory of each further version, on average", further_of(a), further_of(b));
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
draw_picture(const char *file, const layer *cities, const layer *countries)
{
    map_content content = {layer_version(cities, 0), layer_version(countries, 0),
                           cities->count + countries->count - 2};
    FILE *stream = output_open(file);
    map_draw(stream, &content);
    output_close();
}

int
demo_command(int count, const char **arguments)
{
    poptContext context = begin_options(count, arguments, table_of_options, "[OPTION...]", purpose);
    request asked = read_request(context);
    const char *picture = asked.output != NULL ? asked.output : "pqt-demo.svg";
    layer cities = load_layer("cities", "cities.csv", &asked);
    layer countries = load_layer("countries", "countries.csv", &asked);
    run_layer(&cities, asked.edits - asked.edits / 5);
    run_layer(&countries, asked.edits / 5);
    print_results(&cities, &countries);
    draw_picture(picture, &cities, &countries);
    printf("\nThe map is in %s.\n", picture);
    bool passed = cities.failed + countries.failed == 0;
    layer_free(&cities);
    layer_free(&countries);
    free(asked.output);
    free(asked.data);
    poptFreeContext(context);
    finish_standard_output();
    return passed ? STATUS_FOUND : STATUS_NOTHING;
}
