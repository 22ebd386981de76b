/* SPDX-License-Identifier: MIT */
/*
 * batch.h: turns a list of changes into edits.
 *
 * Changes apply in order, and one may depend on another: for example, a move of an item that an
 * earlier change removed does nothing. The edits, however, do not depend on their order. There are
 * six strategies. Changes that depend on nothing become edits directly (batch.c), and so do the
 * first items of a tree if their ids differ (batch_first.c). Many changes are applied to an array
 * of all items (batch_flatten.c). If all changes have distinct items, or
 * distinct ids, each is looked up independently (batch_distinct.c, two strategies). All other
 * changes are replayed (batch_replay.c).
 */
#ifndef PQTI_BATCH_H
#define PQTI_BATCH_H

#include <stdbool.h>
#include <stddef.h>

#include <pqt/tree.h>

#include "tree/edit_list.h"

/*
 * Validates changes and computes their edits. The caller frees these with pqti_edit_list_free. On
 * failure sets the error and returns false, and there is nothing to free.
 */
bool pqti_edit_list_of(const pqt_tree *tree, const pqt_change *changes, size_t count,
                       pqti_edit_list *edit_list, pqt_error *error);

/* Does the same for many items and one kind of change, PQT_INSERT or PQT_REMOVE. */
bool pqti_edit_list_of_items(const pqt_tree *tree, pqt_change_kind kind, const pqt_item *items,
                             size_t count, pqti_edit_list *edit_list, pqt_error *error);

#endif
