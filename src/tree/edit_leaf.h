/* SPDX-License-Identifier: MIT */
/* edit_leaf.h - what a few edits make of a few items: another leaf, or the parts that it is divided
   into. */
#ifndef PQTI_EDIT_LEAF_H
#define PQTI_EDIT_LEAF_H

#include "tree/edit_list.h"
#include "tree/node.h"

/* Items, and edits, that are looked at together. */
enum { PQTI_FEW_ITEMS = 64 };

/*
 * Fulfils at most PQTI_FEW_ITEMS edits in a part of as many items at most, or in a leaf of any size
 * that stays one. An inner part is given up (`inner` set to true, nothing done) if too much is left
 * for a leaf: then its own parts are to be edited one by one.
 */
pqti_outcome pqti_edit_few(const pqti_domain *domain, pqti_level level, pqti_edits edits,
                           pqti_node_ref *ref, pqt_fingerprint *fingerprint, bool *inner);

#endif
