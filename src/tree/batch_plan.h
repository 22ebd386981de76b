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
    const pqti_changes *changes;
} pqti_batch;

typedef enum pqti_taken {
    PQTI_NO_MEMORY, /* the wishes are as they were */
    PQTI_NO_WAY,    /* it must be another; the wishes are as they were */
    PQTI_TAKEN
} pqti_taken;

/* Of changes `inserts` insert; it fills empty wishes. No way where many items have one id. */
pqti_taken pqti_take_in_bulk(const pqti_batch *batch, size_t inserts, pqti_wishes *wishes);

/* Without unique ids; the wishes are sorted then. No way if some item is touched twice. */
pqti_taken pqti_take_tied(const pqti_batch *batch, pqti_wishes *wishes);

/* With unique ids. No way if some id is touched twice. */
pqti_taken pqti_take_once(const pqti_batch *batch, pqti_wishes *wishes);

/* False: no memory. */
bool pqti_take_in_order(const pqti_batch *batch, pqti_wishes *wishes);

#endif
