/* SPDX-License-Identifier: MIT */
/*
 * workload.h: makes versions of moving items, each of which can be checked on its own.
 *
 * Every second item rests, so a window must find the same resting items in every version. The other
 * items move in pairs, by whole distances: one moves to the right as far as the other moves to the
 * left. So the sum of their left edges is the same in every version. Ids are 0, 1, 2 ...; items
 * with even ids rest.
 */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include <pqt.h>

#include "tool/demo/dataset.h"

enum { WORKLOAD_CHECKS = 256 };

/* A window with about ten hits, and the sum of id + 1 over the resting items in it. */
typedef struct check_query {
    pqt_box window;
    uint64_t sum;
} check_query;

typedef struct workload {
    pqt_item *items; /* the items of the writer's newest version */
    size_t count;
    double lefts; /* the sum of the left edges of the moving items */
    dice luck;
    check_query check_queries[WORKLOAD_CHECKS];
} workload;

/* Makes a workload of at least four items. */
workload workload_make(size_t count);
void workload_free(workload *all);

/* Makes the next version. Returns NULL and sets an error on failure. If `corrupt`, the version has
   a wrong sum. */
const pqt_tree *workload_move(workload *all, const pqt_tree *tree, bool corrupt, pqt_error *error);

/* Runs the check query with this number. Returns true if the result is right. */
bool workload_run_check(const workload *all, const pqt_tree *tree, size_t number);

/* Checks a whole version by visiting all its items. Reads nothing that the writer writes. */
bool workload_check(const workload *all, const pqt_tree *tree);

/* Returns true if a version equals the writer's newest version, item by item. */
bool workload_equals(const workload *all, const pqt_tree *tree);

#endif
