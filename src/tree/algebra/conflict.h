/* SPDX-License-Identifier: MIT */
/*
 * conflict.h: finds and resolves conflicts, which are ids that two sides changed to different
 * values.
 *
 * Conflicts are found in two lists of differences, one from the common base to each side. They are
 * resolved *on both sides* before anything is merged: the decided value is stored in each side, so
 * that the two agree.
 */
#ifndef PQTI_CONFLICT_H
#define PQTI_CONFLICT_H

#include <pqt/merge.h>

#include "tree/algebra/changelist.h"

/*
 * Resolves all conflicts between two indexed lists. Sets `resolution` to the changes that both
 * sides need, and indexes it. If several of these changes have equal items, the last one takes
 * effect. Returns false and sets an error on failure.
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

/* Applies a resolution to both sides. If it does not change a side, that side remains the same
   version. Returns false and sets an error on failure. */
bool pqti_apply_resolution_to_both(pqti_merge_sides *sides, const pqti_changelist *resolution,
                                   pqt_error *error);

#endif
