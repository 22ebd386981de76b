/* SPDX-License-Identifier: MIT */
/*
 * batch.h - what a list of changes comes to.
 *
 * Changes are done in order, and one may depend on another: a move of what an earlier one removed
 * does nothing. Here they are played through on a table of the items (or ids) they touch, with the
 * tree asked only for what was there before. What is left are wishes that no longer depend on their order.
 *
 * A batch that touches a large share of the tree starts from a table of all its items instead, since
 * asking for so many one by one costs more.
 */
#ifndef PQTI_BATCH_H
#define PQTI_BATCH_H

#include <stdbool.h>
#include <stddef.h>

#include <pqt/tree.h>

#include "tree/ids.h"

/* Items that are to be present or absent, in any order; of equal items the last counts. */
typedef struct pqti_wishes {
    pqt_item *items;
    bool *removals;
    size_t count;
    bool whole;             /* the items are all that shall be there: build them anew */
    pqti_id_edit *id_edits; /* with unique_ids, the same for the id map, always as differences */
    size_t id_count;
} pqti_wishes;

/*
 * Checks changes and works out their wishes, in scratch memory to be freed by pqti_wishes_free.
 * False with an error told on failure, nothing to be freed.
 */
bool pqti_wishes_of(const pqt_tree *tree, const pqt_change *changes, size_t count,
                    pqti_wishes *wishes, pqt_error *error);

/* The same for one kind of change of many items, PQT_INSERT or PQT_REMOVE. */
bool pqti_wishes_of_items(const pqt_tree *tree, pqt_change_kind kind, const pqt_item *items,
                          size_t count, pqti_wishes *wishes, pqt_error *error);

void pqti_wishes_free(pqti_wishes *wishes);

/* Refuses more items or changes at once than can be counted. */
bool pqti_may_count(size_t count, pqt_error *error);

/* Refuses a box that a tree cannot take; what is taken is in *admitted. */
bool pqti_admit(const pqt_tree *tree, pqt_item item, size_t index, pqt_item *admitted,
                pqt_error *error);

#endif
