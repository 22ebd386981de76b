/* SPDX-License-Identifier: MIT */
/*
 * batch.h: turns a list of changes into edits.
 *
 * Changes apply in order, and one may depend on another: a move of an item that an earlier change
 * removed does nothing. The edits no longer depend on an order. There are five strategies: changes
 * that depend on nothing become edits directly (batch.c); many changes are applied to an array of
 * all items (batch_flatten.c); changes of distinct items, or of distinct ids, are looked up
 * independently (batch_distinct.c); all others are replayed (batch_replay.c).
 */
#ifndef PQTI_BATCH_H
#define PQTI_BATCH_H

#include <stdbool.h>
#include <stddef.h>

#include <pqt/tree.h>

#include "tree/edit_list.h"

/*
 * Validates changes and computes their edits. Free them by pqti_edit_list_free. On failure sets the
 * error and returns false; there is nothing to free then.
 */
bool pqti_edit_list_of(const pqt_tree *tree, const pqt_change *changes, size_t count,
                       pqti_edit_list *edit_list, pqt_error *error);

/* Does the same for many changes of one kind, PQT_INSERT or PQT_REMOVE. */
bool pqti_edit_list_of_items(const pqt_tree *tree, pqt_change_kind kind, const pqt_item *items,
                             size_t count, pqti_edit_list *edit_list, pqt_error *error);

#endif
