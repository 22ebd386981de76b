/* SPDX-License-Identifier: MIT */
/* edit_list.h: edit lists, the items that must be present or absent. */
#ifndef PQTI_EDIT_LIST_H
#define PQTI_EDIT_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include <pqt/tree.h>

#include "tree/idmap.h"
#include "tree/key.h"

/* Items that must be present or absent, in any order. Of several equal items, the last one is
 * used. */
typedef struct pqti_edit_list {
    /* the caller's array if it can be used as it is, otherwise `storage` */
    const pqt_item *items;
    pqt_item *storage;
    bool *removals; /* NULL: all must be present */
    size_t count;
    bool replaces_all; /* the items are all items of the next version: rebuild it */
    /* The edits in tree order, no item twice; NULL: not sorted yet. May share the items' block. */
    pqti_key *sorted;
    size_t sorted_count;
    pqti_id_edit *id_edits; /* with unique_ids, the edits of the id map; only what differs */
    size_t id_count;
} pqti_edit_list;

void pqti_edit_list_free(pqti_edit_list *edit_list);

/* Computes the keys of the edits and sorts them stably. */
void pqti_edit_list_sort(const pqti_domain *domain, const pqti_edit_list *edit_list, pqti_key *keys,
                         pqti_key *spare);

/* Keeps the last of the edits of equal items, which are sorted. Returns the number kept. */
size_t pqti_dedup_keep_last(pqti_key *keys, size_t count, const pqt_item *items);

/* The net change of an item or, with unique ids, of an id. */
typedef struct pqti_net_change {
    bool was_present, is_present;
    pqt_item before, after; /* each is set only if it was, or is, present */
} pqti_net_change;

/* Adds the edits that lead to a net change. */
void pqti_edit_list_add(pqti_edit_list *edit_list, const pqti_net_change *net_change,
                        bool unique_ids);

/* Edits in the order of their items, no item twice. */
typedef struct pqti_edits {
    const pqt_item *items; /* the array that `index` of a key refers to */
    const pqti_key *keys;
    size_t count;
    /* a removal and an insertion: if the removed item is absent, nothing is inserted */
    bool is_move;
} pqti_edits;

/* Returns true if the edits are sorted and no item occurs twice. For debug builds. */
bool pqti_edits_are_sorted(pqti_edits edits);

typedef enum pqti_outcome {
    PQTI_FAILED, /* no memory */
    PQTI_SAME,   /* nothing changed, nothing was allocated for the tree */
    PQTI_CHANGED
} pqti_outcome;

/* Makes an empty list with room for `count` edits. Free it by pqti_edit_list_free. Returns false if
   there is no memory. */
bool pqti_edit_list_make(pqti_edit_list *edit_list, size_t count, bool unique);

/* Adds one edit: the item must be present, or absent if `removal`. */
void pqti_edit_list_add_item(pqti_edit_list *edit_list, const pqt_item *item, bool removal);

#endif
