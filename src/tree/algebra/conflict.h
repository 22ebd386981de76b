/* SPDX-License-Identifier: MIT */
/*
 * conflict.h: finds and resolves conflicts: ids that two sides changed to different values.
 *
 * Conflicts are found in two lists of differences, one for each side from the common base. They are
 * resolved *on both sides* before anything is merged: each side gets the decided value, so the two
 * agree.
 */
#ifndef PQTI_CONFLICT_H
#define PQTI_CONFLICT_H

#include <pqt/merge.h>

#include "tree/algebra/changelist.h"

/*
 * Resolves all conflicts between two indexed lists. Writes the changes that both sides need to
 * `resolution` and indexes it; of changes of equal items the last one counts. Returns false and
 * sets an error on failure.
 */
bool pqti_resolve_conflicts(const pqt_tree *tree, const pqti_changelist *ours,
                            const pqti_changelist *theirs, const pqt_merge_options *options,
                            pqti_changelist *resolution, pqt_error *error);

/* Applies an indexed resolution to one side. Returns NULL and sets an error on failure. */
const pqt_tree *pqti_apply_resolution(const pqt_tree *side, const pqti_changelist *resolution,
                                      pqt_error *error);

typedef struct pqti_merge_sides {
    const pqt_tree *ours, *theirs;
} pqti_merge_sides;

/* Applies a resolution to both sides. A side that it does not change stays the same version.
   Returns false and sets an error on failure. */
bool pqti_apply_resolution_to_both(pqti_merge_sides *sides, const pqti_changelist *resolution,
                                   pqt_error *error);

#endif
