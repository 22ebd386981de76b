/* SPDX-License-Identifier: MIT */
/* edit_list.h: edit lists, which name the items that must be present or absent. */
#ifndef PQTI_EDIT_LIST_H
#define PQTI_EDIT_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include <pqt/tree.h>

#include "tree/idmap.h"
#include "tree/key.h"

/*
 * Items that must be present or absent, in any order. If several items are equal, the last one is
 * used.
 */
typedef struct pqti_edit_list {
    /* the caller's array if it can be used as it is, otherwise `storage` */
    const pqt_item *items;
    pqt_item *storage;
    bool *removals; /* removals[i]: item i must be absent; NULL if all items must be present */
    size_t count;
    /* the next version has exactly these items, so the tree is rebuilt from them */
    bool replaces_all;
    /* The edits in tree order without repeated items, or NULL if they are not sorted yet. They
       may be in the same block as the items. */
    pqti_key *sorted;
    size_t sorted_count;
    /* with unique_ids, the edits of the id map, but only those that change it */
    pqti_id_edit *id_edits;
    size_t id_count;
} pqti_edit_list;

void pqti_edit_list_free(pqti_edit_list *edit_list);

/* Computes the keys of the edits and sorts them stably. */
void pqti_edit_list_sort(const pqti_domain *domain, const pqti_edit_list *edit_list, pqti_key *keys,
                         pqti_key *spare);

/*
 * Keeps only the last edit of each item. The edits must be sorted. Returns the number of edits that
 * remain.
 */
size_t pqti_dedup_keep_last(pqti_key *keys, size_t count, const pqt_item *items);

/* The net change of an item or, if ids are unique, of an id. */
typedef struct pqti_net_change {
    bool was_present, is_present;
    /* set only if the item was present before or is present after the batch */
    pqt_item before, after;
} pqti_net_change;

/* Adds the edits that produce a net change. */
void pqti_edit_list_add(pqti_edit_list *edit_list, const pqti_net_change *net_change,
                        const pqti_domain *domain);

/* Edits in tree order, without repeated items. The functions for single edits take them by value,
   because loads through a pointer made single edits slower in WebAssembly. */
typedef struct pqti_edits {
    const pqt_item *items; /* the array to which the `index` of a key refers */
    const pqti_key *keys;
    size_t count;
    /* The edits are a removal and an insertion. If the removed item is absent, nothing is
       inserted. */
    bool is_move;
} pqti_edits;

/* Returns true if the edits are sorted and no item is repeated. Only debug builds call this. */
bool pqti_edits_are_sorted(const pqti_edits *edits);

typedef enum pqti_outcome {
    PQTI_FAILED, /* there was no memory */
    PQTI_SAME,   /* nothing changed, and nothing was allocated for the tree */
    PQTI_CHANGED
} pqti_outcome;

/* Makes an empty list with room for `count` edits. The caller frees it with pqti_edit_list_free.
   Returns false when out of memory. */
bool pqti_edit_list_make(pqti_edit_list *edit_list, size_t count, bool unique);

/* Adds one edit: the item must be absent if `removal`, otherwise present. */
void pqti_edit_list_add_item(pqti_edit_list *edit_list, const pqt_item *item, bool removal);

#endif
