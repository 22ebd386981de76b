/* SPDX-License-Identifier: MIT */
/*
 * workloads.h: the tasks of the benchmark. Each workload runs one task with one contestant.
 *
 *     W1   build an index from an array
 *     W2   insert one by one, every version kept alive
 *     W2b  move single items, only the newest state kept
 *     W3   square windows of about 1, 10, 100 and 1000 hits: their ids
 *     W3i  the same windows: each side of each item
 *     W4   all overlapping pairs
 *     W5   every box moves: the new state, and all of its pairs
 *     W5b  one box in a hundred moves: the new state, and the pairs that began or ended
 *     W6   the ten nearest to a point
 *     W7   the first box that a segment of length 1000 enters
 *     W7b  the first box that a box of 10 x 10 meets on a motion of length 1000
 *     W8   one writer that publishes every change, and one reader
 *     W9   bytes per item held
 *
 * Times are the processor times of the process, summed over all processors; for W8 see
 * writer_and_reader.c. A contestant's answers are compared with those of a plain array and of the
 * other contestants before its times count.
 */
#ifndef BENCH_WORKLOADS_H
#define BENCH_WORKLOADS_H

#include <stdbool.h>
#include <stddef.h>

#include "peer.h"
#include "random_boxes.h"

enum { MOST_FIGURES = 4 };

/* A result of one run of a workload. Smaller is better. */
typedef struct figure {
    double value;
    answer found; /* the answers of the run, which are equal for all contestants */
} figure;

typedef struct workload workload;

struct workload {
    const char *name;
    const char *what;                 /* a one-line description */
    const char *labels[MOST_FIGURES]; /* the names of its figures; NULL ends the list */
    const char *units[MOST_FIGURES];
    const char *shapes; /* capitals of its distributions, if the user names none */
    bool (*suits)(const peer *contestant); /* returns whether the contestant can do this task */
    const char *otherwise;                 /* the message for contestants that cannot do it */
    /* Runs the task. If the contestant fails or its answers are wrong, prints a message and returns
       false. */
    bool (*run)(const workload *self, const peer *contestant, distribution shape, size_t count,
                figure figures[MOST_FIGURES]);
};

extern const workload workloads[];
extern const size_t workload_count;

/* Returns true if little but the output would be measured: pairs in a pile. */
bool is_too_much(const workload *task, distribution shape, size_t count);

#endif
