/* SPDX-License-Identifier: MIT */
/* pairs_leaf.h - a search for pairs on its way: between two parts of versions, and between their
   leaves. */
#ifndef PQTI_PAIRS_LEAF_H
#define PQTI_PAIRS_LEAF_H

#include <pqt/pairs.h>

#include "base/simd.h"
#include "tree/node.h"

/* One of the two versions, or the only one. */
typedef struct pqti_pairing_side {
    const pqti_domain *domain;
    pqt_vec offset;
    bool is_unmoved; /* its bounds' lattice is the common one, and it is not moved */
} pqti_pairing_side;

typedef struct pqti_pairing {
    const pqti_domain *bounds; /* whose lattice all columns are on */
    pqti_pairing_side first, second;
    bool within; /* pairs within one version: first and second are the same */
    bool still;  /* the second has no offset */
    bool every;  /* what touches is a pair, without more questions */
    pqt_pair_query query;
    pqt_visit_pair_fn *visit;
    void *context;
} pqti_pairing;

/* A part of a version, its qbox on the common lattice. */
typedef struct pqti_pairing_node {
    pqti_node_ref ref;
    pqti_level level;
    bool offset_qbox; /* to the common lattice from another one */
    pqt_box box;      /* of one that was brought: all its items, where they are compared */
} pqti_pairing_node;

static inline pqt_box
pqti_moved(pqt_box box, pqt_vec by)
{
    return (pqt_box){{box.min.x + by.x, box.min.y + by.y}, {box.max.x + by.x, box.max.y + by.y}};
}

/* Which quarters of a node, a bit each, have columns that meet others. */
static inline unsigned
pqti_quadrants_relate(const pqti_inner *node, pqti_qbox qbox)
{
    pqti_i32x4_biased min_x = pqti_i32x4_biased_load(node->min_x),
                      min_y = pqti_i32x4_biased_load(node->min_y),
                      max_x = pqti_i32x4_biased_load(node->max_x),
                      max_y = pqti_i32x4_biased_load(node->max_y);
    pqti_mask32x4 after =
        pqti_mask32x4_or(pqti_i32x4_biased_gt(min_x, pqti_i32x4_biased_of(qbox.max_x)),
                         pqti_i32x4_biased_gt(min_y, pqti_i32x4_biased_of(qbox.max_y)));
    pqti_mask32x4 before =
        pqti_mask32x4_or(pqti_i32x4_biased_lt(max_x, pqti_i32x4_biased_of(qbox.min_x)),
                         pqti_i32x4_biased_lt(max_y, pqti_i32x4_biased_of(qbox.min_y)));
    return pqti_mask32x4_clear_bits(pqti_mask32x4_or(after, before));
}

/* The items of two leaves against each other; false: the visitor stopped it. */
bool pqti_pairing_leaves(const pqti_pairing *j, const pqti_pairing_node *a,
                         const pqti_pairing_node *b);

/* The items of a leaf against each other. */
bool pqti_pairing_leaf(const pqti_pairing *j, pqti_node_ref leaf);

#endif
