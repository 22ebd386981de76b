/* SPDX-License-Identifier: MIT */
/*
 * edit.h: makes items present or absent in one descent, by path copying.
 *
 * An edit requires a final state: an item must be present, or it must be absent. If it already is,
 * the edit changes nothing. All edits of a call descend together, so each node on their paths is
 * copied only once.
 */
#ifndef PQTI_EDIT_H
#define PQTI_EDIT_H

#include "tree/edit_list.h"
#include "tree/node.h"

/*
 * Applies edits to the subtree `*ref` at `level`. Sets `*ref` to the new subtree, and adds to
 * `*fingerprint` the terms of the inserted items minus those of the removed items.
 */
pqti_outcome pqti_edit(const pqti_domain *domain, pqti_level level, pqti_edits edits,
                       pqti_node_ref *ref, pqt_fingerprint *fingerprint);

/*
 * Does the same with one or two edits of the whole tree of a draft, and may change blocks that the
 * draft owns. So nothing may fail after this function has returned PQTI_CHANGED.
 */
pqti_outcome pqti_edit_draft(const pqti_domain *domain, pqti_edits edits, pqti_node_ref *ref,
                             pqt_fingerprint *fingerprint);

#endif
