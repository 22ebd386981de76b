/* SPDX-License-Identifier: MIT */
/* build_trusted.h - a tree of many items at once, where all of them are new. */
#ifndef PQTI_BUILD_TRUSTED_H
#define PQTI_BUILD_TRUSTED_H

#include <pqt/tree.h>

/*
 * The tree that holds just these items, with the bounds and options of `like`. They are valid, hold
 * no -0.0, and no id occurs twice; so nothing needs to be asked, which makes it four times as fast
 * as pqt_tree_apply. NULL with an error told: no memory.
 */
const pqt_tree *pqti_tree_anew(const pqt_tree *like, const pqt_item *items, size_t count,
                               pqt_error *error);

#endif
