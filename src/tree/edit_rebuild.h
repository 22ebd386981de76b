/* SPDX-License-Identifier: MIT */
/*
 * edit_rebuild.h - a part that is made anew beside the one that stood there, and shares what stays
 * as it
   was.
 */
#ifndef PQTI_EDIT_REBUILD_H
#define PQTI_EDIT_REBUILD_H

#include "tree/edit_list.h"
#include "tree/node.h"

/* Fulfils edits in a part of any shape and size, as pqti_edit does. */
pqti_outcome pqti_rebuild(const pqti_domain *domain, pqti_level level, pqti_edits edits,
                          pqti_node_ref *ref, pqt_fingerprint *fingerprint);

/*
 * Builds what stands at a place as pqti_build does, where `old` stood before: parts to which no
 * item came, and from which none went, are those of `old`. Entries tell which items were there.
 */
bool pqti_build_with_neighbours(const pqti_domain *domain, pqti_level level, pqti_node_ref old,
                                const pqt_item *items, const pqti_key *keys, size_t count,
                                pqti_node_ref *built, pqt_fingerprint *fingerprint);

#endif
