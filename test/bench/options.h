/* SPDX-License-Identifier: MIT */
/* options.h: the command line of the benchmark. */
#ifndef BENCH_OPTIONS_H
#define BENCH_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "distributions.h"
#include "report.h"

enum { MOST_CHOSEN = 32 };

typedef struct options {
    const char *workloads; /* names with commas between them; NULL: all */
    bool chooses_shapes;   /* false: each workload has its own */
    bool shapes[DISTRIBUTIONS];
    size_t counts[MOST_CHOSEN];
    size_t count_count;
    size_t repeats;
    unsigned most_seconds;
    format form;
    const char *memories; /* names of peers.h with commas between them */
    const char *peers;    /* names with commas between them; NULL: all; "none": pqt alone */
} options;

/* Shows help and ends, or shows what is wrong with an option and ends with status 2. */
options options_of(int argc, char **argv);

/* Whether `name` is one of the names in `list`, which have commas between them. */
bool lists(const char *list, const char *name);

#endif
