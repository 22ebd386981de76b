/* SPDX-License-Identifier: MIT */
/* changed.h - the ids that changed between two versions: what each was, and what it is. */
#ifndef PQTI_CHANGED_H
#define PQTI_CHANGED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt/query.h>
#include <pqt/tree.h>

/* An id of which the two versions do not have the same item. */
typedef struct pqti_changed {
    bool was, is;
    pqt_item before, after; /* as far as it was, and is */
} pqti_changed;

/* Those between two versions, in scratch memory, and a hash table of their ids. */
typedef struct pqti_changes_by_id {
    pqti_changed *changed; /* in the tree order of what is found first of each */
    size_t count;
    uint32_t *slots; /* the number of one, plus 1; 0: empty */
    size_t mask;
} pqti_changes_by_id;

/*
 * Finds all that changed between versions with unique ids that match. False: no memory, and nothing
 * to be freed; else free it with pqti_changes_by_id_free.
 */
bool pqti_changes_by_id_of(const pqt_tree *before, const pqt_tree *after, pqt_tally *tally,
                           pqti_changes_by_id *all);

void pqti_changes_by_id_free(pqti_changes_by_id *all);

/* What became of an id; NULL: nothing, or it is in neither version. */
const pqti_changed *pqti_changed_find(const pqti_changes_by_id *all, uint64_t id);

#endif
