/* SPDX-License-Identifier: MIT */
/* edit_leaf.h: applies a few edits to a few items. The result is a leaf, or a subtree if the
   items exceed the capacity of a leaf. */
#ifndef PQTI_EDIT_LEAF_H
#define PQTI_EDIT_LEAF_H

#include "tree/edit_list.h"
#include "tree/node.h"

/* The greatest number of items and of edits that one call handles. */
enum { PQTI_FEW_ITEMS = 64 };

/*
 * Applies at most PQTI_FEW_ITEMS edits to a subtree of at most PQTI_FEW_ITEMS items, or to a leaf
 * of any size that remains a leaf. If the subtree is a node and remains a node, sets `*inner` to
 * true and does nothing else: the caller then edits the children one by one.
 */
pqti_outcome pqti_edit_few(const pqti_domain *domain, pqti_level level, pqti_edits edits,
                           pqti_node_ref *ref, pqt_fingerprint *fingerprint, bool *inner);

#endif
