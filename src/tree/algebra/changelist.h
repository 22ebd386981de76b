/* SPDX-License-Identifier: MIT */
/*
 * changelist.h - items that come and go, in scratch memory.
 *
 * What the list of the differences between two versions is for: to be looked at by id, to be made
 * true of a third version, and to take the id map along.
 */
#ifndef PQTI_CHANGELIST_H
#define PQTI_CHANGELIST_H

#include "tree/algebra/codescent.h"
#include "tree/idmap.h"

typedef struct pqti_id_slot {
    uint64_t id;
    size_t index;
} pqti_id_slot;

/* Start from {0}. */
typedef struct pqti_changelist {
    pqt_item *items;
    bool *removals; /* whether the item goes, else it comes */
    size_t count, capacity;
    pqti_id_slot *by_id; /* see pqti_changelist_index */
} pqti_changelist;

/* These return false if there is no memory. What they got is freed by pqti_changelist_free. */

bool pqti_changelist_add(pqti_changelist *list, const pqt_item *item, bool removal);

/* Appends what turns `before` into `after`, in tree order. */
bool pqti_changelist_differences(pqti_changelist *list, const pqti_domain *domain,
                                 const pqti_window *window, pqt_query_stats *stats,
                                 pqti_level level, pqti_node_ref before, pqti_node_ref after);

/* Orders by_id by id; equal ids stay in the order of the list. */
bool pqti_changelist_index(pqti_changelist *list);

/* The end of the run of equal ids in by_id that begins at `from`; its items are counted as compared
   (NULL: they are not). */
size_t pqti_changelist_run(const pqti_changelist *list, size_t from, pqt_query_stats *stats);

/* What an indexed list comes to for the id map: an edit for each id. Returns how many. */
size_t pqti_changelist_id_edits(const pqti_changelist *list, pqti_id_edit *edits);

/*
 * Makes the list, in tree order, true of what stands at a place: `ref` becomes that, or stays if it
 * was so before.
 */
bool pqti_changelist_edit(const pqti_changelist *list, const pqti_domain *domain, pqti_level level,
                          pqti_node_ref *ref);

void pqti_changelist_free(pqti_changelist *list);

#endif
