/* SPDX-License-Identifier: MIT */
/* options.h: parses the command line of the benchmark. */
#ifndef BENCH_OPTIONS_H
#define BENCH_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "distributions.h"
#include "report.h"

enum { MOST_CHOSEN = 32 };

typedef struct options {
    const char *workloads; /* names separated by commas; NULL means all */
    bool chooses_shapes;   /* if false, each workload uses its own distributions */
    bool shapes[DISTRIBUTIONS];
    size_t counts[MOST_CHOSEN];
    size_t count_count;
    size_t repeats;
    unsigned most_seconds;
    format form;
    const char *memories; /* names of memories (see peers.h), separated by commas */
    const char *peers;    /* names separated by commas; NULL means all, "none" means pqt alone */
} options;

/* Parses the command line. Prints the help and exits if it is requested, or prints an error and
 * exits with status 2. */
options options_of(int argc, char **argv);

/* Returns true if `name` is in `list`, whose names are separated by commas. */
bool lists(const char *list, const char *name);

#endif
