/* SPDX-License-Identifier: MIT */
/*
 * codescent.h: finds the items that only one of two versions holds, by traversing both
 * simultaneously.
 *
 * The traversal visits the two nodes at each position together. It skips shared and equal subtrees,
 * so it enters only nodes that differ.
 *
 * Source files in this folder without a header of their own: diff.c, restore.c, tree_kind.c.
 */
#ifndef PQTI_CODESCENT_H
#define PQTI_CODESCENT_H

#include <stdbool.h>

#include <pqt/diff.h>

#include "tree/path_compress.h"
#include "tree/query/query_prep.h"

/* Receives an item that only one version holds. Returns false to stop the traversal. */
typedef bool pqti_found_fn(void *state, const pqt_item *item, bool added);

/* A traversal of two versions. */
typedef struct pqti_codescent {
    const pqti_domain *domain;
    const pqti_window *window; /* NULL if the traversal is not restricted to a window */
    pqti_found_fn *found;
    void *state;
    pqt_query_stats *stats; /* NULL if nothing is to be counted */
} pqti_codescent;

/* Calls `found` for the differences between two subtrees at the same level, in tree order.
   Returns false if `found` returned false. */
bool pqti_codescend(const pqti_codescent *codescent, pqti_level level, const pqti_node_ref *before,
                    const pqti_node_ref *after);

/* Does the same for two versions. */
bool pqti_find_differences(const pqti_codescent *codescent, const pqt_tree *before,
                           const pqt_tree *after);

/*
 * Returns true if two subtrees at the same level hold the same items. Inner nodes are not entered:
 * they are regarded as equal if their counts, quantised boxes and 128-bit fingerprints are equal.
 */
bool pqti_subtree_equal(const pqti_node_ref *a, const pqti_node_ref *b);

/*
 * Visits the changes as pqt_tree_visit_diff does, but each move as a PQT_REMOVE and a PQT_INSERT,
 * in tree order. A change is visited as soon as it is found. Allocates nothing unless the versions
 * differ in max_depth. Both versions must be alive.
 */
bool pqti_diff_visit_unpaired(const pqt_tree *before, const pqt_tree *after, const pqt_query *query,
                              pqt_visit_change_fn *visit, void *context, pqt_error *error);

/* Returns a child of a subtree. Returns an empty ref if the subtree is empty. */
static inline pqti_node_ref
pqti_child_of(const pqti_node_ref *ref, int child_index)
{
    if (ref->count == 0)
        return PQTI_EMPTY_REF;
    return child_index == PQTI_OWN_ITEMS ? pqti_own_ref(ref->at, ref->count)
                                         : pqti_quadrant_ref(ref->at, child_index);
}

/*
 * Returns true if a subtree has children that can be compared. An empty subtree has empty children.
 */
static inline bool
pqti_has_children(pqti_node_ref ref)
{
    return ref.count == 0 || !ref.leaf;
}

/* Returns true if a subtree is a leaf or empty. */
static inline bool
pqti_is_leaf_or_empty(pqti_node_ref ref)
{
    return ref.count == 0 || ref.leaf;
}

/* Returns true if a query finds an item. Calls the filter, if there is one. */
static inline bool
pqti_finds(const pqti_window *window, const pqt_item *item)
{
    /* The five numbers of an item have the layout of a leaf that holds only this item. */
    return pqti_relates(window, pqti_view(item, 1), 0) && pqti_passes(window, item);
}

/* Counts a node, if there is one. Virtual nodes are not counted, because they are not in memory. */
static inline void
pqti_stats_add_ref_node(pqt_query_stats *stats, const pqti_node_ref *ref)
{
    if (ref->count > 0 && !ref->skips)
        pqti_stats_count_node(stats);
}

static inline void
pqti_count_items(pqt_query_stats *stats, size_t compared)
{
    if (stats != NULL)
        stats->boxes += compared;
}

/* Counts a leaf, and those of its items that are compared one by one. */
static inline void
pqti_stats_add_ref_leaf(pqt_query_stats *stats, size_t compared)
{
    if (stats != NULL)
        stats->leaves++;
    pqti_count_items(stats, compared);
}

#endif
