/* SPDX-License-Identifier: MIT */
/*
 * measure.h - runs of a workload: every contestant in turn, each run in a process of its own.
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

enum { MOST_CONTESTANTS = 8, MOST_REPEATS = 99 };

/* What is to be measured. */
typedef struct plan {
    const workload *task;
    distribution shape;
    size_t count;
    const peer *contestants[MOST_CONTESTANTS]; /* the first is pqt */
    size_t contestant_count;
    size_t repeats;
} plan;

/* A figure of several runs. */
typedef struct measured {
    double median;
    double spread; /* half of what lies between the least and the greatest */
} measured;

typedef struct outcome {
    bool possible; /* false: the workload does not suit the contestant */
    measured figures[MOST_FIGURES];
} outcome;

/* False: a run failed, or two contestants answered differently; a message was shown. */
bool measure(const plan *what, outcome outcomes[MOST_CONTESTANTS]);

#endif
