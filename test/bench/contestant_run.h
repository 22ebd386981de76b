/* SPDX-License-Identifier: MIT */
/*
 * contestant_run.h: one run of a contestant, from its start to its end.
 *
 * Contains the steps that all workloads need before and after their own task.
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
    pqt_item *items; /* their ids are 0 .. count - 1, in this order */
    void *state;
    bool reads_items; /* windows read the sides of items, too */
} trial;

/* Gives the contestant its items, but builds no index. Prints a message and returns false if out of
   memory. */
bool trial_start(trial *t, const workload *task, const peer *contestant, distribution shape,
                 size_t count);

/* Does what trial_start does, and then builds the index. */
bool trial_start_built(trial *t, const workload *task, const peer *contestant, distribution shape,
                       size_t count);

void trial_finish(trial *t);

/* Prints a message that begins with the names of the workload and the contestant. Returns false. */
bool trial_complain(const trial *t, const char *sentence);

/* Returns the processor time of this process, summed over all processors, in nanoseconds. */
double trial_now(void);

/* Allocates zeroed memory. Ends the program if out of memory. */
void *trial_room(size_t count, size_t size);

bool answer_equals(answer a, answer b);

#endif
