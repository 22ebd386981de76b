/* SPDX-License-Identifier: MIT */
/*
 * edit.h - path copying: one descent that makes items present or absent.
 *
 * An edit is an item and a wish, that it be there or not. Edits that find their wish fulfilled
 * change nothing. All edits of a call go down together, so each node on their way is copied once.
 */
#ifndef PQTI_EDIT_H
#define PQTI_EDIT_H

#include "tree/edit_list.h"
#include "tree/node.h"

/*
 * Fulfils edits in what stands at `level`: `ref` becomes what stands there then, and the sum of the
 * items that came less that of those that went is added to `fingerprint`.
 */
pqti_outcome pqti_edit(const pqti_domain *domain, pqti_level level, pqti_edits edits,
                       pqti_node_ref *ref, pqt_fingerprint *fingerprint);

#endif
