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

typedef enum pqti_rule {
    PQTI_ONLY_A = 1,
    PQTI_ONLY_B = 2,
    PQTI_BOTH = 4,
    PQTI_UNION = PQTI_ONLY_A | PQTI_ONLY_B | PQTI_BOTH,
    PQTI_INTERSECTION = PQTI_BOTH,
    PQTI_DIFFERENCE = PQTI_ONLY_A
} pqti_rule;

/* False: no memory. Where the result equals `a` it is that very part, or else that of `b`. */
bool pqti_combine(const pqti_space *space, pqt_tally *tally, pqti_rule rule, pqti_place place,
                  pqti_ref a, pqti_ref b, pqti_ref *result);

/*
 * Joins the parts of a place, as pqti_join; but if they are all the parts of `a`, or all of `b`, it
 * is that. Either may be nothing, none is a leaf. False: no memory.
 */
bool pqti_join_or_take(const pqti_space *space, pqti_place place, pqti_ref parts[PQTI_PARTS],
                       pqti_ref a, pqti_ref b, pqti_ref *joined);

/* The result itself, or whichever of two parts it equals. */
static inline pqti_ref
pqti_prefer(pqti_ref result, pqti_ref a, pqti_ref b)
{
    if (pqti_same(result, a))
        return a;
    return pqti_same(result, b) ? b : result;
}

/*
 * The version with a root: the first of those given that holds the same items, else a new one. Its
 * id map follows from that of `near` by what differs; NULL: from the empty one.
 */
const pqt_tree *pqti_version_with(pqti_ref root, const pqt_tree *near, const pqt_tree *const *given,
                                  size_t count, pqt_tally *tally, pqt_error *error);

/*
 * Whether `a` has room for what `to` holds and `from` does not, within a window (NULL: everywhere);
 * tells PQT_ERROR_LIMIT.
 */
bool pqti_has_room(const pqt_tree *a, const pqt_tree *from, const pqt_tree *to,
                   const pqti_window *window, pqt_error *error);

#endif
