/* SPDX-License-Identifier: MIT */
/*
 * conflict.h - ids that two sides gave different values, and what becomes of them.
 *
 * Conflicts are found in two lists of differences, that of each side from what both started from.
 * They are *settled on both sides* before anything is merged: each side gets the value that was
 * decided, and then the two agree.
 */
#ifndef PQTI_CONFLICT_H
#define PQTI_CONFLICT_H

#include <pqt/merge.h>

#include "tree/algebra/changelist.h"

/*
 * Has all conflicts between two indexed lists decided; what must be made true of both sides to
 * settle them is written to `resolution`, of equal items the last counting, and indexed. False with
 * an error told.
 */
bool pqti_resolve_conflicts(const pqt_tree *tree, const pqti_changelist *ours,
                            const pqti_changelist *theirs, const pqt_merge_options *options,
                            pqti_changelist *resolution, pqt_error *error);

/* One side with the wishes, indexed, true of it; NULL with an error told. */
const pqt_tree *pqti_apply_resolution(const pqt_tree *side, const pqti_changelist *resolution,
                                      pqt_error *error);

typedef struct pqti_merge_sides {
    const pqt_tree *ours, *theirs;
} pqti_merge_sides;

/* Settles both; a side of which the wishes were true stays as it is. False with an error told. */
bool pqti_apply_resolution_to_both(pqti_merge_sides *sides, const pqti_changelist *resolution,
                                   pqt_error *error);

#endif
