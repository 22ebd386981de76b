/* SPDX-License-Identifier: MIT */
/* changed_items.h - the items that changed between two versions: what each was, and what it is. */
#ifndef PQTI_CHANGED_ITEMS_H
#define PQTI_CHANGED_ITEMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt/query.h>
#include <pqt/tree.h>

/*
 * An item that only one of the two versions has, or one that moved: whose id occurs exactly once
 * among those that went and once among those that came.
 */
typedef struct pqti_changed {
    bool was, is;
    bool apart;             /* others of its id went or came as well, so it is found by its box */
    pqt_item before, after; /* as far as it was, and is; else the same as the other */
} pqti_changed;

/* Those between two versions, in scratch memory, and a hash table of their ids; one of whole items
   for those that are apart. */
typedef struct pqti_changed_items {
    pqti_changed *changed;
    size_t count;
    uint32_t *by_id, *by_item; /* the number of one, plus 1; 0: an empty slot */
    size_t id_mask, item_mask;
} pqti_changed_items;

/*
 * Finds all that changed between versions that match, in an order that depends on them alone.
 * False: no memory, and nothing to be freed; else free it with pqti_changed_items_free.
 */
bool pqti_changed_items_of(const pqt_tree *before, const pqt_tree *after, pqt_tally *tally,
                           pqti_changed_items *all);

void pqti_changed_items_free(pqti_changed_items *all);

/* What became of an item of the earlier version or of the later one; NULL: both have it. */
const pqti_changed *pqti_changed_find(const pqti_changed_items *all, const pqt_item *item,
                                      bool later);

#endif
