/* SPDX-License-Identifier: MIT */
/*
 * edit.h: path copying: one descent that makes items present or absent.
 *
 * An edit is a required final state: this item present, or this item absent. An edit whose state
 * holds already changes nothing. All edits of a call descend together, so each node on their paths
 * is copied once.
 */
#ifndef PQTI_EDIT_H
#define PQTI_EDIT_H

#include "tree/edit_list.h"
#include "tree/node.h"

/*
 * Applies edits to the subtree `*ref` at `level`. Returns the new subtree in `*ref`, and adds to
 * `*fingerprint` the sum over the inserted items less that over the removed ones.
 */
pqti_outcome pqti_edit(const pqti_domain *domain, pqti_level level, pqti_edits edits,
                       pqti_node_ref *ref, pqt_fingerprint *fingerprint);

#endif
