/* SPDX-License-Identifier: MIT */
/* update.h - from wishes to the next version. */
#ifndef PQTI_UPDATE_H
#define PQTI_UPDATE_H

#include "tree/batch.h"
#include "tree/edit_list.h"
#include "tree/node.h"

/*
 * The version in which wishes are fulfilled: `tree` itself if they were before, NULL with an error
 * told on failure. Reorders their id edits.
 */
const pqt_tree *pqti_fulfil(const pqt_tree *tree, pqti_wishes *wishes, pqt_error *error);

#endif
