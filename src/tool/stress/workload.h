/* SPDX-License-Identifier: MIT */
/*
 * workload.h - items that move so that each version can be checked by itself.
 *
 * Every second item stands still, so a window must find just those of them that it found in the
 * beginning. The others move in twos, one to the right as far as the other to the left, by whole
 * numbers: so the sum of their left edges is the same in each version. Ids are 0, 1, 2 ...; even
 * ones stand.
 */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include <pqt.h>

#include "tool/demo/dataset.h"

enum { CROWD_QUESTIONS = 256 };

/* A window of about ten hits, and the sum of the ids that stand there, each counted with one
   more. */
typedef struct question {
    pqt_box window;
    uint64_t sum;
} question;

typedef struct crowd {
    pqt_item *items; /* as they are in the writer's newest version */
    size_t count;
    double lefts; /* the sum of the left edges of those that move */
    dice luck;
    question questions[CROWD_QUESTIONS];
} crowd;

/* A crowd of at least four. */
crowd crowd_make(size_t count);
void crowd_free(crowd *all);

/* The next version; NULL with an error told. A spoilt one has a sum that is wrong. */
const pqt_tree *crowd_move(crowd *all, const pqt_tree *tree, bool spoilt, pqt_error *error);

/* Asks one question, by its number; whether the answer is right. */
bool crowd_ask(const crowd *all, const pqt_tree *tree, size_t number);

/* Whether a version is whole: visits all of it. Reads nothing that the writer writes. */
bool crowd_check(const crowd *all, const pqt_tree *tree);

/* Whether a version is the writer's newest, item by item. */
bool crowd_equals(const crowd *all, const pqt_tree *tree);

#endif
