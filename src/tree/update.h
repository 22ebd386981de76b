/* SPDX-License-Identifier: MIT */
/* update.h - from wishes to the next version. */
#ifndef PQTI_UPDATE_H
#define PQTI_UPDATE_H

#include <pqt/tree.h>

#include "tree/batch.h"
#include "tree/edit_list.h"
#include "tree/node.h"

/*
 * The version in which wishes are fulfilled: `tree` itself if they were before, NULL with an error
 * told on failure. Reorders their id edits.
 */
const pqt_tree *pqti_apply_edits(const pqt_tree *tree, pqti_edit_list *edit_list, pqt_error *error);

/* A tree of many items at once, where all of them are new. */

/*
 * The tree that holds just these items, with the bounds and options of `like`. They are valid, hold
 * no -0.0, and no id occurs twice; so nothing needs to be asked, which makes it four times as fast
 * as pqt_tree_apply. NULL with an error told: no memory.
 */
const pqt_tree *pqti_tree_build_trusted(const pqt_tree *like, const pqt_item *items, size_t count,
                                        pqt_error *error);

#endif
