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
typedef struct pqti_wishes {
    const pqt_item *items; /* the caller's own where they are wished for as they are; else `room` */
    pqt_item *room;
    bool *removals; /* NULL: all are to be present */
    size_t count;
    bool whole; /* the items are all that shall be there: build them anew */
    bool bound; /* a removal and an insertion, and no insertion without the removal */
    /* The wishes in order, no item twice; NULL: not sorted yet. The items may be in its block. */
    pqti_entry *sorted;
    size_t sorted_count;
    pqti_id_edit *id_edits; /* with unique_ids, the same for the id map, always as differences */
    size_t id_count;
} pqti_wishes;

void pqti_wishes_free(pqti_wishes *wishes);

/* Works the wishes out and sorts them, those for equal items in the order in which they came. */
void pqti_sort_wishes(const pqti_space *space, const pqti_wishes *wishes, pqti_entry *entries,
                      pqti_entry *spare);

/* Leaves the last of sorted wishes for equal items; returns how many are left. */
size_t pqti_drop_overruled(pqti_entry *entries, size_t count, const pqt_item *items);

/* What became of an item, or with unique ids of an id. */
typedef struct pqti_fate {
    bool was, is;
    pqt_item before, after; /* as far as it was, and is */
} pqti_fate;

/* Adds the wishes that make it so. */
void pqti_wish(pqti_wishes *wishes, const pqti_fate *fate, bool unique_ids);

/* Edits in the order of their items, no item twice. */
typedef struct pqti_edits {
    const pqt_item *items; /* what the entries' index counts in */
    const pqti_entry *entries;
    size_t count;
    bool bound; /* a removal and an insertion: if there is nothing to remove, nothing is inserted */
} pqti_edits;

typedef enum pqti_outcome {
    PQTI_FAILED, /* no memory */
    PQTI_SAME,   /* nothing changed, nothing was allocated for the tree */
    PQTI_CHANGED
} pqti_outcome;

/* Empty wishes with room for `count`, in scratch memory to be freed by pqti_wishes_free. False: no
   memory. */
bool pqti_wishes_make(pqti_wishes *wishes, size_t count, bool unique);

/* Adds one wish: that an item is present, or absent. */
void pqti_wish_item(pqti_wishes *wishes, const pqt_item *item, bool removal);

#endif
