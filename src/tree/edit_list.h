/* SPDX-License-Identifier: MIT */
/* edit_list.h - lists of edits: the items that are to be present or absent. */
#ifndef PQTI_EDIT_LIST_H
#define PQTI_EDIT_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include <pqt/tree.h>

#include "tree/idmap.h"
#include "tree/key.h"

/* Items that are to be present or absent, in any order; of equal items the last counts. */
typedef struct pqti_edit_list {
    /* the caller's own where they are wished for as they are; else `storage` */
    const pqt_item *items;
    pqt_item *storage;
    bool *removals; /* NULL: all are to be present */
    size_t count;
    bool replaces_all; /* the items are all that shall be there: build them anew */
    /* The wishes in order, no item twice; NULL: not sorted yet. The items may be in its block. */
    pqti_key *sorted;
    size_t sorted_count;
    pqti_id_edit *id_edits; /* with unique_ids, the same for the id map, always as differences */
    size_t id_count;
} pqti_edit_list;

void pqti_edit_list_free(pqti_edit_list *edit_list);

/* Works the wishes out and sorts them, those for equal items in the order in which they came. */
void pqti_edit_list_sort(const pqti_domain *domain, const pqti_edit_list *edit_list, pqti_key *keys,
                         pqti_key *spare);

/* Leaves the last of sorted wishes for equal items; returns how many are left. */
size_t pqti_dedup_keep_last(pqti_key *keys, size_t count, const pqt_item *items);

/* What became of an item, or with unique ids of an id. */
typedef struct pqti_net_change {
    bool was_present, is_present;
    pqt_item before, after; /* as far as it was, and is */
} pqti_net_change;

/* Adds the wishes that make it so. */
void pqti_edit_list_add(pqti_edit_list *edit_list, const pqti_net_change *net_change,
                        bool unique_ids);

/* Edits in the order of their items, no item twice. */
typedef struct pqti_edits {
    const pqt_item *items; /* what the entries' index counts in */
    const pqti_key *keys;
    size_t count;
    /* a removal and an insertion: if there is nothing to remove, nothing is inserted */
    bool is_move;
} pqti_edits;

/* Whether they are in that order. For debug builds. */
bool pqti_edits_are_sorted(pqti_edits edits);

typedef enum pqti_outcome {
    PQTI_FAILED, /* no memory */
    PQTI_SAME,   /* nothing changed, nothing was allocated for the tree */
    PQTI_CHANGED
} pqti_outcome;

/* Empty wishes with room for `count`, in scratch memory to be freed by pqti_edit_list_free. False:
 * no
   memory. */
bool pqti_edit_list_make(pqti_edit_list *edit_list, size_t count, bool unique);

/* Adds one wish: that an item is present, or absent. */
void pqti_edit_list_add_item(pqti_edit_list *edit_list, const pqt_item *item, bool removal);

#endif
