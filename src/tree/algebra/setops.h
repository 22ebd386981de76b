/* SPDX-License-Identifier: MIT */
/*
 * setops.h - sets of items made of two others, part by part.
 *
 * A rule says which items are kept: those of the first alone, of the second alone, of both. Parts
 * that are the same, and parts against nothing, are decided as a whole, without being entered.
 */
#ifndef PQTI_SETOPS_H
#define PQTI_SETOPS_H

#include "tree/algebra/codescent.h"

typedef enum pqti_keep_mask {
    PQTI_ONLY_A = 1,
    PQTI_ONLY_B = 2,
    PQTI_BOTH = 4,
    PQTI_UNION = PQTI_ONLY_A | PQTI_ONLY_B | PQTI_BOTH,
    PQTI_INTERSECTION = PQTI_BOTH,
    PQTI_DIFFERENCE = PQTI_ONLY_A
} pqti_keep_mask;

/* False: no memory. Where the result equals `a` it is that very part, or else that of `b`. */
bool pqti_combine(const pqti_domain *domain, pqt_query_stats *stats, pqti_keep_mask keep_mask,
                  pqti_level level, pqti_node_ref a, pqti_node_ref b, pqti_node_ref *result);

/*
 * Joins the parts of a place, as pqti_node_from_children; but if they are all the parts of `a`, or
 * all of `b`, it is that. Either may be nothing, none is a leaf. False: no memory.
 */
bool pqti_node_from_children_or(const pqti_domain *domain, pqti_level level,
                                pqti_node_ref children[PQTI_CHILDREN], pqti_node_ref a,
                                pqti_node_ref b, pqti_node_ref *joined);

/* The result itself, or whichever of two parts it equals. */
static inline pqti_node_ref
pqti_prefer(pqti_node_ref result, pqti_node_ref a, pqti_node_ref b)
{
    if (pqti_subtree_equal(result, a))
        return a;
    return pqti_subtree_equal(result, b) ? b : result;
}

/*
 * The version with a root: the first of those given that holds the same items, else a new one. Its
 * id map follows from that of `near` by what differs; NULL: from the empty one.
 */
const pqt_tree *pqti_version_with(pqti_node_ref root, const pqt_tree *near,
                                  const pqt_tree *const *given, size_t count,
                                  pqt_query_stats *stats, pqt_error *error);

/*
 * Whether `a` has room for what `to` holds and `from` does not, within a window (NULL: everywhere);
 * tells PQT_ERROR_LIMIT.
 */
bool pqti_has_capacity(const pqt_tree *a, const pqt_tree *from, const pqt_tree *to,
                       const pqti_window *window, pqt_error *error);

#endif
