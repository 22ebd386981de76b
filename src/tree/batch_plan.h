/* SPDX-License-Identifier: MIT */
/*
 * batch_plan.h: the strategies for changes that depend on the items of the tree. They are
 * implemented in batch_distinct.c, batch_first.c, batch_flatten.c and batch_replay.c.
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

/* Changes that depend on the items of the tree. All changes have been validated. */
typedef struct pqti_batch {
    const pqt_tree *tree;
    const pqti_change_array *changes;
} pqti_batch;

typedef enum pqti_plan_result {
    PQTI_PLAN_NO_MEMORY,      /* there was no memory; the edit list is unchanged */
    PQTI_PLAN_NOT_APPLICABLE, /* another strategy is needed; the edit list is unchanged */
    PQTI_PLAN_MADE
} pqti_plan_result;

#ifndef PQT_PLAIN

/* Applies the changes to an array of all items, and fills an empty edit list. `inserts` is the
   number of changes that insert. The strategy is not applicable if many items share an id. */
pqti_plan_result pqti_plan_flatten(const pqti_batch *batch, size_t inserts,
                                   pqti_edit_list *edit_list);

/*
 * Plans the insertion of an array of items in an empty tree with unique ids. The strategy is not
 * applicable if an id occurs twice.
 */
pqti_plan_result pqti_plan_first_items(const pqti_batch *batch, pqti_edit_list *edit_list);

/*
 * Plans a batch for a tree without unique ids. The resulting edits are sorted. The strategy is not
 * applicable if two changes address the same item.
 */
pqti_plan_result pqti_plan_distinct_items(const pqti_batch *batch, pqti_edit_list *edit_list);

/*
 * Plans a batch for a tree with unique ids. The strategy is not applicable if two changes address
 * the same id.
 */
pqti_plan_result pqti_plan_distinct_ids(const pqti_batch *batch, pqti_edit_list *edit_list);

#endif

/* Replays the changes in order. Returns false when out of memory. */
bool pqti_plan_replay(const pqti_batch *batch, pqti_edit_list *edit_list);

#endif
