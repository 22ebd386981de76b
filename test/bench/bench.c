/* SPDX-License-Identifier: MIT */
/*
 * bench.c - the benchmark: pqt beside its peers, in one run.
 *
 * Only ratios within one run mean something: machines differ, and so do days. What is measured is
 * said in workloads.h, what with in draws.h, and how in measure.h.
 */
#include "measure.h"
#include "report.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CHOSEN = 16, EXIT_USAGE = 2 };

/* What the options ask for; what is not named stays as the workload has it. */
typedef struct options {
    const char *workloads; /* names with commas between them; NULL: all */
    const char *shapes;    /* letters with commas between them; NULL: each workload's own */
    size_t counts[MOST_CHOSEN];
    size_t count_count;
    size_t repeats;
    format form;
    bool with_arena;
    const char *peer; /* NULL: all that are built in; "none": pqt alone */
} options;

static const char help[] =
    "Usage: bench [OPTION...]\n"
    "Measures pqt beside the libraries that it was built with, and beside baselines of its own.\n"
    "\n"
    "  --workload NAME,...        of W1, W2, W2b, W3, W4, W5, W5b, W6, W7, W7b, W8, W9 (all)\n"
    "  --distribution LETTER,...  of U, C, M (each workload's own)\n"
    "  --n COUNT,...              items (100000)\n"
    "  --format table|csv         how the figures are printed (table)\n"
    "  --repeat COUNT             runs of which the median is taken, 1 to 99 (3)\n"
    "  --memory collector|arena   arena: measure pqt in an arena as well (collector)\n"
    "  --peer NAME                only this peer; none: pqt alone (all)\n"
    "  --help                     this\n"
    "\n"
    "Exit status: 0; 1 if a run failed or answers differ; 2 for a wrong option.\n";

static void
refuse(const char *option, const char *value)
{
    fprintf(stderr, "bench: --%s: %s is no choice; see bench --help\n", option, value);
    exit(EXIT_USAGE);
}

/* Whether `name` is one of the names in `list`, which have commas between them. */
static bool
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
number_of(const char *option, const char *text, size_t most, const char **end)
{
    char *after;
    unsigned long long number = strtoull(text, &after, 10);
    bool ended = *after == '\0' || (end != NULL && *after == ',');
    if (!ended || text[0] < '1' || text[0] > '9' || number > most)
        refuse(option, text);
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
            refuse("n", text);
        o->counts[o->count_count++] = number_of("n", text, PQT_MAX_ITEMS, &text);
        more = *text == ',';
    }
}

/* Each name of the list must be a workload's. */
static void
take_workloads(options *o, const char *text)
{
    size_t named = 1, known = 0;
    for (const char *comma = strchr(text, ','); comma != NULL; comma = strchr(comma + 1, ','))
        named++;
    for (size_t i = 0; i < workload_count; i++)
        known += lists(text, workloads[i].name);
    if (known != named)
        refuse("workload", text);
    o->workloads = text;
}

static void
take_shapes(options *o, const char *text)
{
    distribution shape;
    for (size_t i = 0; i == 0 || text[i - 1] != '\0'; i++)
        if (i % 2 == 0 ? !distribution_of(text[i], &shape) : text[i] != ',' && text[i] != '\0')
            refuse("distribution", text);
    o->shapes = text;
}

/* Of two words the index of the one that was given. */
static int
choice(const char *option, const char *text, const char *first, const char *second)
{
    if (strcmp(text, first) != 0 && strcmp(text, second) != 0)
        refuse(option, text);
    return strcmp(text, second) == 0;
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
        o->form = choice("format", text, "table", "csv") == 1 ? CSV : TABLE;
        break;
    case 'r':
        o->repeats = number_of("repeat", text, MOST_REPEATS, NULL);
        break;
    case 'm':
        o->with_arena = choice("memory", text, "collector", "arena") == 1;
        break;
    case 'p':
        o->peer = text;
        break;
    case 'h':
        fputs(help, stdout);
        exit(EXIT_SUCCESS);
    default:
        fputs("Try bench --help.\n", stderr);
        exit(EXIT_USAGE);
    }
}

static options
options_of(int argc, char **argv)
{
    static const struct option known[] = {{"workload", required_argument, NULL, 'w'},
                                          {"distribution", required_argument, NULL, 'd'},
                                          {"n", required_argument, NULL, 'n'},
                                          {"format", required_argument, NULL, 'f'},
                                          {"repeat", required_argument, NULL, 'r'},
                                          {"memory", required_argument, NULL, 'm'},
                                          {"peer", required_argument, NULL, 'p'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    options o = {.counts = {100000}, .count_count = 1, .repeats = 3};
    int letter;
    while ((letter = getopt_long(argc, argv, "", known, NULL)) != -1)
        take_option(&o, letter, optarg);
    if (optind < argc) {
        fprintf(stderr, "bench: %s: there are options only; see bench --help\n", argv[optind]);
        exit(EXIT_USAGE);
    }
    return o;
}

/* pqt first, then what it is compared with. */
static void
choose_contestants(const options *o, plan *what)
{
    static const peer *const peers[] = {
#if BENCH_WITH_BOOST
        &peer_boost_packed,
        &peer_boost_rstar,
#endif
#if BENCH_WITH_BOX2D
        &peer_box2d,
#endif
        &peer_grid,
        &peer_sweep,
        &peer_pqt_pinned,
        NULL,
    };
    bool found = o->peer == NULL || strcmp(o->peer, "none") == 0;
    what->contestants[what->contestant_count++] = &peer_pqt;
    if (o->with_arena &&
        pqt_collector() != NULL) /* without the collector, pqt is in an arena already */
        what->contestants[what->contestant_count++] = &peer_pqt_arena;
    for (size_t i = 0; peers[i] != NULL; i++) {
        if (o->peer != NULL && strcmp(o->peer, peers[i]->name) != 0)
            continue;
        what->contestants[what->contestant_count++] = peers[i];
        found = true;
    }
    if (!found)
        refuse("peer", o->peer);
}

/* One workload on all distributions that are asked for. */
static bool
run_workload(const options *o, const workload *task, plan *what)
{
    outcome outcomes[MOST_CONTESTANTS];
    const char *shapes = o->shapes != NULL ? o->shapes : task->shapes;
    if (!task->suits(what->contestants[0]))
        return true;
    what->task = task;
    report_task(o->form, what);
    for (size_t i = 0; shapes[i] != '\0'; i++) {
        if (!distribution_of(shapes[i], &what->shape))
            continue; /* a comma */
        if (!measure(what, outcomes))
            return false;
        report(o->form, what, outcomes);
    }
    return true;
}

int
main(int argc, char **argv)
{
    options o = options_of(argc, argv);
    plan what = {.repeats = o.repeats};
    choose_contestants(&o, &what);
    report_begin(o.form, &what);
    for (size_t i = 0; i < workload_count; i++) {
        if (o.workloads != NULL && !lists(o.workloads, workloads[i].name))
            continue;
        for (size_t j = 0; j < o.count_count; j++) {
            what.count = o.counts[j];
            if (!run_workload(&o, &workloads[i], &what))
                return EXIT_FAILURE;
        }
    }
    return EXIT_SUCCESS;
}
