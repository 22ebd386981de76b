/* SPDX-License-Identifier: MIT */
/*
 * contestant_run.h: one contestant with its items, from start to end of a run.
 *
 * What a workload does between the two is its own; what all of them need is here.
 */
#ifndef BENCH_CONTESTANT_RUN_H
#define BENCH_CONTESTANT_RUN_H

#include <stdbool.h>
#include <stddef.h>

#include "workloads.h"

typedef struct trial {
    const workload *task;
    const peer *contestant;
    distribution shape;
    size_t count;
    pqt_item *items; /* ids 0 .. count - 1, in this order */
    void *state;
} trial;

/* The contestant has its items, and no index. False: it has no memory, and a message was shown. */
bool trial_start(trial *t, const workload *task, const peer *contestant, distribution shape,
                 size_t count);

/* As trial_start, with an index. */
bool trial_start_built(trial *t, const workload *task, const peer *contestant, distribution shape,
                       size_t count);

void trial_finish(trial *t);

/* Shows a sentence with the names of the workload and the contestant; false. */
bool trial_complain(const trial *t, const char *sentence);

/* Nanoseconds that this process has taken on all processors. */
double trial_now(void);

/* Zeroed memory, or the end of the run. */
void *trial_room(size_t count, size_t size);

bool answer_equals(answer a, answer b);

#endif
