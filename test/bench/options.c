/* SPDX-License-Identifier: MIT */
/* options.c: parses the command line of the benchmark. */
#include "options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peers.h"

enum { EXIT_USAGE = 2, MOST_SECONDS = 1000000 };

static const char usage[] =
    "Usage: bench [OPTION...]\n"
    "Compares pqt with the libraries that it was built with, and with baselines of its own.\n"
    "\n"
    "  --workload NAME,...      the tasks (all):\n";
static const char usage_of_shapes[] = "  --distribution NAME,...  the boxes (each "
                                      "workload's own of U, C, M); cliffs: all but these\n";
static const char usage_of_others[] =
    "  --n COUNT,...            items (100000)\n"
    "  --format table|csv       how the figures are printed (table)\n"
    "  --repeat COUNT           runs of which the median is taken, 1 to 99 (3)\n"
    "  --limit SECONDS          of processor time after which a peer's run is stopped (100)\n";
static const char usage_of_memories[] =
    "  --memory NAME,...        memories of pqt (collector), compared with the first:\n";
static const char usage_of_peers[] =
    "  --peer NAME,...          the peers (all); none: pqt alone\n";
static const char usage_end[] =
    "  --help                   this\n"
    "\n"
    "Exit status: 0; 1 if a run of pqt failed, or answers differ except "
    "on a cliff; 2 for a wrong option.\n";

static void
show_help(void)
{
    fputs(usage, stdout);
    for (size_t i = 0; i < workload_count; i++)
        printf("      %-13s %s\n", workloads[i].name, workloads[i].what);
    fputs(usage_of_shapes, stdout);
    for (int i = 0; i < DISTRIBUTIONS; i++)
        printf("      %-13s %s\n", distribution_name((distribution)i),
               distribution_what((distribution)i));
    fputs(usage_of_others, stdout);
    fputs(usage_of_memories, stdout);
    for (size_t i = 0; i < memory_count; i++)
        printf("      %-13s %s\n", memories[i].name, memories[i].contestant->what);
    fputs(usage_of_peers, stdout);
    for (size_t i = 0; i < peer_count; i++)
        printf("      %-13s %s\n", peers[i].name,
               peers[i].contestant != NULL ? "built in" : peers[i].package);
    fputs(usage_end, stdout);
}

static void
refuse_resolution(const char *option, const char *value)
{
    fprintf(stderr, "bench: --%s: %s is not a choice; see bench --help\n", option, value);
    exit(EXIT_USAGE);
}

bool
lists(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (; list != NULL; list = strchr(list, ',')) {
        list += *list == ',';
        if (strncmp(list, name, length) == 0 && (list[length] == ',' || list[length] == '\0'))
            return true;
    }
    return false;
}

static size_t
names_in(const char *list)
{
    size_t names = 1;
    for (const char *comma = strchr(list, ','); comma != NULL; comma = strchr(comma + 1, ','))
        names++;
    return names;
}

/* Parses a number >= 1. If `end` is not NULL, a comma and further text may follow the number, and
   *end is set to the end of the number. */
static size_t
number_of(const char *option, const char *text, size_t most, const char **end)
{
    char *after;
    unsigned long long number = strtoull(text, &after, 10);
    bool ended = *after == '\0' || (end != NULL && *after == ',');
    if (!ended || text[0] < '1' || text[0] > '9' || number > most)
        refuse_resolution(option, text);
    if (end != NULL)
        *end = after;
    return (size_t)number;
}

static void
take_counts(options *o, const char *text)
{
    o->count_count = 0;
    for (bool more = true; more; text++) {
        if (o->count_count == MOST_CHOSEN)
            refuse_resolution("n", text);
        o->counts[o->count_count++] = number_of("n", text, PQT_MAX_ITEMS, &text);
        more = *text == ',';
    }
}

/* Checks that each name in the list is the name of a workload. */
static void
take_workloads(options *o, const char *text)
{
    size_t known = 0;
    for (size_t i = 0; i < workload_count; i++)
        known += lists(text, workloads[i].name);
    if (known != names_in(text))
        refuse_resolution("workload", text);
    o->workloads = text;
}

static void
take_shapes(options *o, const char *text)
{
    static const char cliffs[] = "cliffs";
    o->chooses_shapes = true;
    for (const char *name = text; name != NULL; name = strchr(name, ',')) {
        distribution shape;
        name += *name == ',';
        if (strncmp(name, cliffs, strlen(cliffs)) == 0 && strcspn(name, ",") == strlen(cliffs))
            for (int i = 0; i < DISTRIBUTIONS; i++)
                o->shapes[i] = o->shapes[i] || is_cliff((distribution)i);
        else if (distribution_of(name, &shape))
            o->shapes[shape] = true;
        else
            refuse_resolution("distribution", name);
    }
}

static void
take_memories(options *o, const char *text)
{
    size_t known = lists(text, "collector");
    for (size_t i = 0; i < memory_count; i++)
        known += lists(text, memories[i].name);
    if (known != names_in(text))
        refuse_resolution("memory", text);
    o->memories = text;
}

/* Selects peers. A peer that is not installed is not an error; the report mentions it. */
static void
take_peers(options *o, const char *text)
{
    size_t known = lists(text, "none");
    for (size_t i = 0; i < peer_count; i++)
        known += lists(text, peers[i].name);
    if (known != names_in(text))
        refuse_resolution("peer", text);
    o->peers = text;
}

static void
take_format(options *o, const char *text)
{
    if (strcmp(text, "csv") != 0 && strcmp(text, "table") != 0)
        refuse_resolution("format", text);
    o->form = strcmp(text, "csv") == 0 ? CSV : TABLE;
}

static void
take_option(options *o, int letter, const char *text)
{
    switch (letter) {
    case 'w':
        take_workloads(o, text);
        break;
    case 'd':
        take_shapes(o, text);
        break;
    case 'n':
        take_counts(o, text);
        break;
    case 'f':
        take_format(o, text);
        break;
    case 'r':
        o->repeats = number_of("repeat", text, MOST_REPEATS, NULL);
        break;
    case 'l':
        o->most_seconds = (unsigned)number_of("limit", text, MOST_SECONDS, NULL);
        break;
    case 'm':
        take_memories(o, text);
        break;
    case 'p':
        take_peers(o, text);
        break;
    case 'h':
        show_help();
        exit(EXIT_SUCCESS);
    default:
        fputs("Try bench --help.\n", stderr);
        exit(EXIT_USAGE);
    }
}

options
options_of(int argc, char **argv)
{
    static const struct option known[] = {
        {"workload", required_argument, NULL, 'w'}, {"distribution", required_argument, NULL, 'd'},
        {"n", required_argument, NULL, 'n'},        {"format", required_argument, NULL, 'f'},
        {"repeat", required_argument, NULL, 'r'},   {"limit", required_argument, NULL, 'l'},
        {"memory", required_argument, NULL, 'm'},   {"peer", required_argument, NULL, 'p'},
        {"help", no_argument, NULL, 'h'},           {NULL, 0, NULL, 0}};
    options o = {.counts = {100000}, .count_count = 1, .repeats = 3, .most_seconds = 100};
    int letter;
    while ((letter = getopt_long(argc, argv, "", known, NULL)) != -1)
        take_option(&o, letter, optarg);
    if (optind < argc) {
        fprintf(stderr, "bench: %s: only options are allowed; see bench --help\n", argv[optind]);
        exit(EXIT_USAGE);
    }
    return o;
}
