/* SPDX-License-Identifier: MIT */
/*
 * tree_history.h: the index of a history of trees, or of versions that contain trees.
 *
 * A version of a history of trees is a tree itself. A document may contain several trees. All
 * versions that an index covers have the same positions (inner_trees.h), so the index numbers the
 * trees of the first version, and a given tree is at the same position in each version.
 *
 * Sources of this folder: history_index.c, history_trees.c, history_query.c.
 */
#ifndef PQTI_TREE_HISTORY_H
#define PQTI_TREE_HISTORY_H

#include <pqt/diff.h>
#include <pqt/history_query.h>

#include "tree/history/inner_trees.h"
#include "version/history_internal.h"

/* The items of one tree that changed in a run of records. It is in the arena of the index. */
typedef struct pqti_summary {
    const struct pqti_summary *next; /* the summary of the next tree */
    const pqt_tree *items;           /* the boxes of the items before and after each change */
    size_t id_count;
    uint64_t ids[]; /* the ids of the items, sorted, without duplicates */
} pqti_summary;

/* A tree that the index covers. */
typedef struct pqti_indexed_tree {
    size_t position;
    const pqt_tree *no_items; /* an empty tree in the arena, from which summaries are made */
} pqti_indexed_tree;

/* The index of a history, in an arena of its own. */
typedef struct pqti_tree_index {
    pqti_index base;
    pqt_memory *arena;
    const pqti_inner_trees *inner; /* how the versions contain the trees */
    size_t count;
    pqti_indexed_tree trees[];
} pqti_tree_index;

/** history_trees.c: the trees of versions */

/* Returns the position of the tree with index `tree`. */
size_t pqti_history_position_of_tree(const pqt_history *history, size_t tree);

/* Returns the tree with index `tree` in a version. */
const pqt_tree *pqti_history_tree_of(const pqt_history *history, const void *value, size_t tree);

/* Finds the index of the tree with the given name. NULL selects the only tree. Returns false and
   sets PQT_ERROR_OPTION if there is no such tree. */
bool pqti_history_find_tree(const pqt_history *history, const char *part, size_t *tree,
                            pqt_error *error);

/* Returns the tree with the given name in a version, even if no index covers the tree. NULL selects
   the only tree. Returns NULL and sets PQT_ERROR_OPTION if there is no such tree. */
const pqt_tree *pqti_history_named_tree(const pqt_history *history, const void *value,
                                        const char *part, pqt_error *error);

/* Returns true if the index covers the trees of a version together with those of the current one.
   Otherwise sets PQT_ERROR_MISMATCH. */
bool pqti_history_check_trees(const pqt_history *history, const void *value, pqt_error *error);

/** history_index.c: the index */

/* The functions of an index of trees, for the rows of the kinds whose versions contain trees. */
extern const pqti_index_calls pqti_tree_index_calls;

/* Makes the summary of a record in a store, if a query can use it. Returns false and sets `error`
   on failure. */
bool pqti_index_complete(const pqt_history *history, uint32_t slot, pqt_error *error);

/* Forgets all summaries of a history in a store. Queries rebuild them. If there is no memory for an
   empty index, keeps them. */
void pqti_index_forget(pqt_history *history);

/* Returns the summary of a record for one of the trees. The record must have a summary. */
const pqti_summary *pqti_summary_of_tree(const pqti_record *record, size_t tree);

/* Returns true if the item with a given id changed in the run of a summary. */
bool pqti_summary_has(const pqti_summary *summary, uint64_t id);

#endif
