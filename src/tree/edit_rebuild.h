/* SPDX-License-Identifier: MIT */
/*
 * edit_rebuild.h: rebuilds a subtree, and shares with the old subtree everything that does not
 * change.
 */
#ifndef PQTI_EDIT_REBUILD_H
#define PQTI_EDIT_REBUILD_H

#include "tree/edit_list.h"
#include "tree/node.h"

/* Applies edits to a subtree of any shape and size. The result is the same as that of pqti_edit. */
pqti_outcome pqti_rebuild(const pqti_domain *domain, pqti_level level, const pqti_edits *edits,
                          pqti_node_ref *ref, pqt_fingerprint *fingerprint);

/*
 * Builds a subtree as pqti_build does, to replace `old`. Shares those subtrees of `old` whose items
 * are the same. `kept` of a key is true if its item is in `old`.
 */
bool pqti_build_with_neighbours(const pqti_domain *domain, pqti_level level, pqti_node_ref old,
                                const pqt_item *items, const pqti_key *keys, size_t count,
                                pqti_node_ref *built, pqt_fingerprint *fingerprint);

#endif
