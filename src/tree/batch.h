/* SPDX-License-Identifier: MIT */
/*
 * batch.h - what a list of changes comes to.
 *
 * Changes are done in order, and one may depend on another: a move of what an earlier one removed
 * does nothing. What is left here are wishes that no longer depend on their order. There are five
 * ways to them: nothing that depends on what is there (batch.c); many changes, done to all items of
 * the tree (batch_flatten.c); no item touched twice (batch_distinct.c), or no id
 * (batch_distinct.c); all else is played through (batch_replay.c).
 */
#ifndef PQTI_BATCH_H
#define PQTI_BATCH_H

#include <stdbool.h>
#include <stddef.h>

#include <pqt/tree.h>

#include "tree/edit_list.h"

/*
 * Checks changes and works out their wishes, in scratch memory to be freed by pqti_edit_list_free.
 * False with an error told on failure, nothing to be freed.
 */
bool pqti_edit_list_of(const pqt_tree *tree, const pqt_change *changes, size_t count,
                       pqti_edit_list *edit_list, pqt_error *error);

/* The same for one kind of change of many items, PQT_INSERT or PQT_REMOVE. */
bool pqti_edit_list_of_items(const pqt_tree *tree, pqt_change_kind kind, const pqt_item *items,
                             size_t count, pqti_edit_list *edit_list, pqt_error *error);

#endif
