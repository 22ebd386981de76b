/* SPDX-License-Identifier: MIT */
/*
 * measure.h: runs the contestants of a workload in turn, each run in its own process.
 *
 * Contestants take turns, so that load on the machine affects all of them. Each run has its own
 * process, so that it does not inherit the heap or the caches of another run. The answers of all
 * runs are compared before figures are reported.
 */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stdbool.h>
#include <stddef.h>

#include "workloads.h"

enum { MOST_CONTESTANTS = 16, MOST_REPEATS = 99 };

/* A measurement: a workload, its data, and the contestants. */
typedef struct plan {
    const workload *task;
    distribution shape;
    size_t count;
    const peer *contestants[MOST_CONTESTANTS]; /* the first one is pqt */
    size_t contestant_count;
    size_t repeats;
    unsigned most_seconds; /* the maximum processor time of one run of a peer, in seconds */
} plan;

/* A figure, summarised over several runs. */
typedef struct measured {
    double median;
    double spread; /* half of the difference between the largest and the smallest value */
} measured;

/* The outcome of the runs of a contestant. */
typedef enum ending {
    MEASURED,
    UNSUITED,   /* it cannot do the task */
    UNFINISHED, /* it was stopped after `most_seconds` */
    WRONG,      /* its answers differ from those of pqt or of a plain array */
    CRASHED
} ending;

typedef struct outcome {
    ending ended;
    measured figures[MOST_FIGURES]; /* set only if it was measured */
} outcome;

/*
 * Runs the plan. If a run of pqt fails, prints a message and returns false. The failure of a peer
 * is recorded in its outcome; a peer that does not finish its first run is not run again.
 */
bool measure(const plan *what, outcome outcomes[MOST_CONTESTANTS]);

#endif
