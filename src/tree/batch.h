/* SPDX-License-Identifier: MIT */
/*
 * batch.h - what a list of changes comes to.
 *
 * Changes are done in order, and one may depend on another: a move of what an earlier one removed
 * does nothing. What is left here are wishes that no longer depend on their order. There are five
 * ways to them: nothing that depends on what is there (batch.c); many changes, done to all items of
 * the tree (batch_flatten.c); no item touched twice (batch_distinct.c), or no id
 * (batch_distinct_ids.c); all else is played through (batch_replay.c).
 */
#ifndef PQTI_BATCH_H
#define PQTI_BATCH_H

#include <stdbool.h>
#include <stddef.h>

#include <pqt/tree.h>

#include "tree/batch_input.h"
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

/*
 * Checks changes and works out their wishes, in scratch memory to be freed by pqti_wishes_free.
 * False with an error told on failure, nothing to be freed.
 */
bool pqti_wishes_of(const pqt_tree *tree, const pqt_change *changes, size_t count,
                    pqti_wishes *wishes, pqt_error *error);

/* The same for one kind of change of many items, PQT_INSERT or PQT_REMOVE. */
bool pqti_wishes_of_items(const pqt_tree *tree, pqt_change_kind kind, const pqt_item *items,
                          size_t count, pqti_wishes *wishes, pqt_error *error);

void pqti_wishes_free(pqti_wishes *wishes);

/* Refuses more items or changes at once than can be counted. */
bool pqti_may_count(size_t count, pqt_error *error);

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

/* The ways for changes that depend on what is there: all are admitted already. */
typedef struct pqti_batch {
    const pqt_tree *tree;
    const pqti_changes *changes;
} pqti_batch;

typedef enum pqti_taken {
    PQTI_NO_MEMORY, /* the wishes are as they were */
    PQTI_NO_WAY,    /* it must be another; the wishes are as they were */
    PQTI_TAKEN
} pqti_taken;

/* Of changes `inserts` insert; it fills empty wishes. No way where many items have one id. */
pqti_taken pqti_take_in_bulk(const pqti_batch *batch, size_t inserts, pqti_wishes *wishes);

/* The wishes of the others have room for two a change. */

/* Without unique ids; the wishes are sorted then. No way if some item is touched twice. */
pqti_taken pqti_take_tied(const pqti_batch *batch, pqti_wishes *wishes);

/* With unique ids. No way if some id is touched twice. */
pqti_taken pqti_take_once(const pqti_batch *batch, pqti_wishes *wishes);

/* False: no memory. */
bool pqti_take_in_order(const pqti_batch *batch, pqti_wishes *wishes);

#endif
