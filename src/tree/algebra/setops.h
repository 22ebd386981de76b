/* SPDX-License-Identifier: MIT */
/*
 * setops.h: set operations on two subtrees.
 *
 * A mask selects the items to keep: those in the first subtree only, those in the second only,
 * those in both, or any combination. The operations enter neither equal subtrees nor a subtree
 * whose counterpart is empty.
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

/* Combines two subtrees. If the result equals `a` or `b`, that subtree itself is returned.
   Returns false when out of memory. */
bool pqti_combine(const pqti_domain *domain, pqt_query_stats *stats, pqti_keep_mask keep_mask,
                  pqti_level level, pqti_node_ref a, pqti_node_ref b, pqti_node_ref *result);

/*
 * Makes a subtree from children, as pqti_node_from_children does. If the children equal those of
 * `a` or `b`, the result is that subtree. `a` or `b` may be empty, but neither is a leaf. Returns
 * false when out of memory.
 */
bool pqti_node_from_children_or(const pqti_domain *domain, pqti_level level,
                                pqti_node_ref children[PQTI_CHILDREN], const pqti_node_ref *a,
                                const pqti_node_ref *b, pqti_node_ref *joined);

/* Returns `a` or `b` if the result equals it, otherwise the result. */
static inline pqti_node_ref
pqti_prefer(pqti_node_ref result, pqti_node_ref a, pqti_node_ref b)
{
    if (pqti_subtree_equal(&result, &a))
        return a;
    return pqti_subtree_equal(&result, &b) ? b : result;
}

/*
 * Returns the first of the given versions that holds the same items as `root`. If there is none,
 * makes a new version. Its id map is made by applying the differences to the id map of `closest`,
 * or to an empty map if `closest` is NULL.
 */
const pqt_tree *pqti_version_with(pqti_node_ref root, const pqt_tree *closest,
                                  const pqt_tree *const *given, size_t count,
                                  pqt_query_stats *stats, pqt_error *error);

/* Returns true if `a` has room for all items that `to` holds and `from` does not, within a
   window or, if `window` is NULL, everywhere. Otherwise sets PQT_ERROR_LIMIT. */
bool pqti_has_capacity(const pqt_tree *tree, const pqt_tree *from, const pqt_tree *to,
                       const pqti_window *window, pqt_error *error);

#endif
