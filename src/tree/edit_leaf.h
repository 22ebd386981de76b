/* SPDX-License-Identifier: MIT */
/* edit_leaf.h: applies a few edits to a few items: makes a leaf, or a subtree if the items exceed
   the capacity. */
#ifndef PQTI_EDIT_LEAF_H
#define PQTI_EDIT_LEAF_H

#include "tree/edit_list.h"
#include "tree/node.h"

/* The most items, and the most edits, that are applied in one piece. */
enum { PQTI_FEW_ITEMS = 64 };

/*
 * Applies at most PQTI_FEW_ITEMS edits to a subtree of at most as many items, or to a leaf of any
 * size that stays a leaf. If the subtree is a node and remains a node, sets `*inner` to true and
 * does nothing: the caller then edits its children one by one.
 */
pqti_outcome pqti_edit_few(const pqti_domain *domain, pqti_level level, pqti_edits edits,
                           pqti_node_ref *ref, pqt_fingerprint *fingerprint, bool *inner);

#endif
