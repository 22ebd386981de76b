/* SPDX-License-Identifier: MIT */
/*
 * measure.h: runs of a workload: every contestant in turn, each run in a process of its own.
 *
 * In turn, so that a busy machine is busy for all. In processes of their own, so that no run finds
 * a heap or a cache that another has left. The answers of all runs are compared before a figure is
 * given out.
 */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stdbool.h>
#include <stddef.h>

#include "workloads.h"

enum { MOST_CONTESTANTS = 16, MOST_REPEATS = 99 };

/* The measurement. */
typedef struct plan {
    const workload *task;
    distribution shape;
    size_t count;
    const peer *contestants[MOST_CONTESTANTS]; /* the first is pqt */
    size_t contestant_count;
    size_t repeats;
    unsigned most_seconds; /* of the processor that one run of a peer may take */
} plan;

/* A figure of several runs. */
typedef struct measured {
    double median;
    double spread; /* half of the range from the least to the greatest */
} measured;

/* The outcome of a contestant. */
typedef enum ending {
    MEASURED,
    UNSUITED,   /* the workload does not suit it */
    UNFINISHED, /* it was stopped after `most_seconds` */
    WRONG,      /* it found something else than pqt, or than a plain array */
    CRASHED
} ending;

typedef struct outcome {
    ending ended;
    measured figures[MOST_FIGURES]; /* only if it was measured */
} outcome;

/*
 * False: a run of pqt failed, and a message was shown. What becomes of a peer is told in its
 * outcome; one that does not get through its first run is not run again.
 */
bool measure(const plan *what, outcome outcomes[MOST_CONTESTANTS]);

#endif
