/* SPDX-License-Identifier: MIT */
/*
 * batch_plan.h: the strategies for changes that depend on the items of the tree: batch_distinct.c,
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

/* Changes that depend on the items of the tree. All of them are valid. */
typedef struct pqti_batch {
    const pqt_tree *tree;
    const pqti_change_array *changes;
} pqti_batch;

typedef enum pqti_plan_result {
    PQTI_PLAN_NO_MEMORY,      /* the edit list is unchanged */
    PQTI_PLAN_NOT_APPLICABLE, /* another strategy is needed; the edit list is unchanged */
    PQTI_PLAN_MADE
} pqti_plan_result;

#ifndef PQT_PLAIN

/* Applies the changes, `inserts` of which insert, to an array of all items. Fills an empty edit
   list. Not applicable if many items share an id. */
pqti_plan_result pqti_plan_flatten(const pqti_batch *batch, size_t inserts,
                                   pqti_edit_list *edit_list);

/* Without unique ids. The edits it makes are sorted. Not applicable if an item is touched twice. */
pqti_plan_result pqti_plan_distinct_items(const pqti_batch *batch, pqti_edit_list *edit_list);

/* With unique ids. Not applicable if an id is touched twice. */
pqti_plan_result pqti_plan_distinct_ids(const pqti_batch *batch, pqti_edit_list *edit_list);

#endif

/* Replays the changes in order. Returns false if there is no memory. */
bool pqti_plan_replay(const pqti_batch *batch, pqti_edit_list *edit_list);

#endif
