/* SPDX-License-Identifier: MIT */
/*
 * changelist.h: a list of inserted and removed items in scratch memory.
 *
 * The list holds the differences between two versions. It can be searched by id, applied to a third
 * version, or converted to edits of the id map.
 */
#ifndef PQTI_CHANGELIST_H
#define PQTI_CHANGELIST_H

#include "tree/algebra/codescent.h"
#include "tree/idmap.h"

typedef struct pqti_id_slot {
    uint64_t id;
    size_t index;
} pqti_id_slot;

/* Must be initialised with {0}. */
typedef struct pqti_changelist {
    pqt_item *items;
    bool *removals; /* removals[i] is true if items[i] is removed, and false if it is inserted */
    size_t count, capacity;
    pqti_id_slot *by_id; /* the items sorted by id; set by pqti_changelist_index */
} pqti_changelist;

/* The functions below that return bool return false when out of memory. pqti_changelist_free
   frees a list. */

bool pqti_changelist_add(pqti_changelist *list, const pqt_item *item, bool removal);

/* Appends the changes that turn `before` into `after`, in tree order. */
bool pqti_changelist_differences(pqti_changelist *list, const pqti_domain *domain,
                                 const pqti_window *window, pqt_query_stats *stats,
                                 pqti_level level, pqti_node_ref before, pqti_node_ref after);

/* Fills and sorts by_id. Items with equal ids keep the order of the list. */
bool pqti_changelist_index(pqti_changelist *list);

/* Returns the end of the run of equal ids that begins at index `from` of by_id. Unless `stats`
   is NULL, adds the length of the run to stats->boxes. */
size_t pqti_changelist_run(const pqti_changelist *list, size_t from, pqt_query_stats *stats);

/* Writes one edit of the id map for each id of an indexed list. Returns the number of edits. */
size_t pqti_changelist_id_edits(const pqti_changelist *list, const pqti_domain *domain,
                                pqti_id_edit *edits);

/* Applies the list, which must be in tree order, to the subtree `*ref` at `level`. Does not
   change `*ref` if nothing changes in the subtree. */
bool pqti_changelist_edit(const pqti_changelist *list, const pqti_domain *domain, pqti_level level,
                          pqti_node_ref *ref);

void pqti_changelist_free(pqti_changelist *list);

#endif
