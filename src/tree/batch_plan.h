/* SPDX-License-Identifier: MIT */
/*
 * batch_plan.h - the strategies for changes that depend on what is there: batch_distinct.c,
 * batch_replay.c and batch_flatten.c.
 */
#ifndef PQTI_BATCH_PLAN_H
#define PQTI_BATCH_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include <pqt/tree.h>

#include "tree/batch_input.h"
#include "tree/edit_list.h"
#include "tree/idmap.h"
#include "tree/key.h"

/* The ways for changes that depend on what is there: all are admitted already. */
typedef struct pqti_batch {
    const pqt_tree *tree;
    const pqti_change_array *changes;
} pqti_batch;

typedef enum pqti_plan_result {
    PQTI_PLAN_NO_MEMORY,      /* the wishes are as they were */
    PQTI_PLAN_NOT_APPLICABLE, /* it must be another; the wishes are as they were */
    PQTI_PLAN_MADE
} pqti_plan_result;

#ifndef PQT_PLAIN

/* Of changes `inserts` insert; it fills empty wishes. No way where many items have one id. */
pqti_plan_result pqti_plan_flatten(const pqti_batch *batch, size_t inserts,
                                   pqti_edit_list *edit_list);

/* Without unique ids; the wishes are sorted then. No way if some item is touched twice. */
pqti_plan_result pqti_plan_distinct_items(const pqti_batch *batch, pqti_edit_list *edit_list);

/* With unique ids. No way if some id is touched twice. */
pqti_plan_result pqti_plan_distinct_ids(const pqti_batch *batch, pqti_edit_list *edit_list);

#endif

/* False: no memory. */
bool pqti_plan_replay(const pqti_batch *batch, pqti_edit_list *edit_list);

#endif
