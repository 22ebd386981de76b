/* SPDX-License-Identifier: MIT */
/*
 * workloads.h: what is measured: each workload puts one contestant through one task.
 *
 *     W1   build an index from an array
 *     W2   insert one by one, every version kept alive
 *     W2b  move single items, only the newest state kept
 *     W3   square windows of about 1, 10, 100 and 1000 hits
 *     W4   all overlapping pairs
 *     W5   every box moves: the new state, and all of its pairs
 *     W5b  one box in a hundred moves: the new state, and the pairs that began or ended
 *     W6   the ten nearest to a point
 *     W7   the first box that a segment of length 1000 enters
 *     W7b  the first box that a box of 10 x 10 meets on a way of 1000
 *     W8   one writer that lets every change be seen, and one reader
 *     W9   bytes per item held
 *
 * Times are those of the process on all its processors, but see writer_and_reader.c for W8. Before
 * a time counts, the contestant's answers are compared with those of a plain array, and with those
 * of the other contestants.
 */
#ifndef BENCH_WORKLOADS_H
#define BENCH_WORKLOADS_H

#include <stdbool.h>
#include <stddef.h>

#include "peer.h"
#include "random_boxes.h"

enum { MOST_FIGURES = 4 };

/* What one run of a workload comes to; smaller is better. */
typedef struct figure {
    double value;
    answer found; /* what was found on the way: equal for all contestants */
} figure;

typedef struct workload workload;

struct workload {
    const char *name;
    const char *what;                 /* on one line */
    const char *labels[MOST_FIGURES]; /* of its figures; NULL: no more */
    const char *units[MOST_FIGURES];
    const char
        *shapes; /* the capitals of distributions that it is run on unless others are named */
    bool (*suits)(const peer *contestant); /* whether it can do this at all */
    const char *otherwise;                 /* what is said of those that cannot */
    /* False: the contestant failed, or answered wrongly; a message was shown. */
    bool (*run)(const workload *self, const peer *contestant, distribution shape, size_t count,
                figure figures[MOST_FIGURES]);
};

extern const workload workloads[];
extern const size_t workload_count;

/* Whether the answer would take longer to tell than to find: pairs of a pile. */
bool is_too_much(const workload *task, distribution shape, size_t count);

#endif
