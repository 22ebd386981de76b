/* SPDX-License-Identifier: MIT */
/*
 * codescent.h - two versions side by side: what stands in the one and not in the other.
 *
 * Both are walked together, place by place. Parts that are the same are passed over, so the walk
 * enters what differs and the way there, and no more.
 *
 * Sources of this folder without a header of their own: restore.c.
 */
#ifndef PQTI_CODESCENT_H
#define PQTI_CODESCENT_H

#include <stdbool.h>

#include "tree/path_compress.h"
#include "tree/query/query_prep.h"

/* Is handed an item that one version alone has; false stops. */
typedef bool pqti_found_fn(void *state, const pqt_item *item, bool added);

/* A walk over two versions. */
typedef struct pqti_codescent {
    const pqti_domain *domain;
    const pqti_window *window; /* NULL: everything counts */
    pqti_found_fn *found;
    void *state;
    pqt_query_stats *stats; /* NULL: nothing is counted */
} pqti_codescent;

/* Hands over what differs in what stands at a place, in tree order; false if it was stopped. */
bool pqti_codescend(const pqti_codescent *codescent, pqti_level level, pqti_node_ref before,
                    pqti_node_ref after);

/*
 * Whether two parts at the same place hold the same items. Inner nodes are not entered: they are
 * the same if all is equal that they say of their parts, and their fingerprints of 128 bits are.
 */
bool pqti_subtree_equal(pqti_node_ref a, pqti_node_ref b);

/* Whether two versions may be compared; tells PQT_ERROR_MISMATCH with the field that differs. */
bool pqti_check_compatible(const pqt_tree *a, const pqt_tree *b, pqt_error *error);

/* A part of a part; nothing of nothing. */
static inline pqti_node_ref
pqti_child_of(pqti_node_ref ref, int child_index)
{
    if (ref.count == 0)
        return PQTI_EMPTY_REF;
    return child_index == PQTI_OWN_ITEMS ? pqti_own_ref(ref.at, ref.count)
                                         : pqti_quadrant_ref(ref.at, child_index);
}

/* Whether a part can be divided where another one is: an empty one has empty parts. */
static inline bool
pqti_has_children(pqti_node_ref ref)
{
    return ref.count == 0 || !ref.leaf;
}

/* Whether all items of a part are at hand. */
static inline bool
pqti_is_leaf_or_empty(pqti_node_ref ref)
{
    return ref.count == 0 || ref.leaf;
}

/* Whether a query finds an item, its filter asked. */
static inline bool
pqti_finds(const pqti_window *window, const pqt_item *item)
{
    /* An item is a leaf of one: its five numbers lie as those of a leaf do. */
    return pqti_relates(window, pqti_view(item, 1), 0) && pqti_passes(window, item);
}

/* A node at its own place; one in thought is none. */
static inline void
pqti_stats_add_ref_node(pqt_query_stats *stats, pqti_node_ref ref)
{
    if (stats != NULL)
        stats->nodes += ref.count > 0 && !ref.skips;
}

static inline void
pqti_count_items(pqt_query_stats *stats, size_t compared)
{
    if (stats != NULL)
        stats->boxes += compared;
}

/* A leaf, and how many of its items are compared one by one. */
static inline void
pqti_stats_add_ref_leaf(pqt_query_stats *stats, size_t compared)
{
    if (stats != NULL)
        stats->leaves++;
    pqti_count_items(stats, compared);
}

#endif
