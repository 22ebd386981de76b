/* SPDX-License-Identifier: MIT */
/* pairs_leaf.h: the state of a search for pairs, and the search within and between leaves. */
#ifndef PQTI_PAIRS_LEAF_H
#define PQTI_PAIRS_LEAF_H

#include <pqt/pairs.h>

#include "base/error_internal.h"
#include "base/relation.h"
#include "base/simd.h"
#include "tree/node.h"

/* One of the two versions of a search, or the only one. */
typedef struct pqti_pairing_side {
    const pqti_domain *domain;
    pqt_vec offset;
    bool is_unmoved; /* its bounds are the common grid, and it has no offset */
} pqti_pairing_side;

typedef struct pqti_pairing {
    const pqti_domain *bounds; /* the common grid: all columns are in this domain */
    pqti_pairing_side first, second;
    bool within; /* the pairs are within one version: `first` and `second` are the same */
    bool still;  /* the second side has no offset */
    bool every;  /* every pair that touches is accepted without a further test */
    pqt_pair_query query;
    pqt_visit_pair_fn *visit;
    void *context;
} pqti_pairing;

/* A node of one side, with its qbox on the common grid. */
typedef struct pqti_pairing_node {
    pqti_node_ref ref;
    pqti_level level;
    bool offset_qbox; /* the qbox was converted from another grid */
    pqt_box box;      /* if converted: the box around all its items, with the offset */
} pqti_pairing_node;

static inline pqt_box
pqti_moved(pqt_box box, pqt_vec by)
{
    return (pqt_box){{box.min.x + by.x, box.min.y + by.y}, {box.max.x + by.x, box.max.y + by.y}};
}

/* Returns a bit for each quadrant of a node whose columns overlap `qbox`. */
static inline unsigned
pqti_quadrants_relate(const pqti_inner *node, const pqti_qbox *qbox)
{
    pqti_i32x4_biased min_x = pqti_i32x4_biased_load(node->min_x),
                      min_y = pqti_i32x4_biased_load(node->min_y),
                      max_x = pqti_i32x4_biased_load(node->max_x),
                      max_y = pqti_i32x4_biased_load(node->max_y);
    pqti_mask32x4 after =
        pqti_mask32x4_or(pqti_i32x4_biased_gt(min_x, pqti_i32x4_biased_of(qbox->max_x)),
                         pqti_i32x4_biased_gt(min_y, pqti_i32x4_biased_of(qbox->max_y)));
    pqti_mask32x4 before =
        pqti_mask32x4_or(pqti_i32x4_biased_lt(max_x, pqti_i32x4_biased_of(qbox->min_x)),
                         pqti_i32x4_biased_lt(max_y, pqti_i32x4_biased_of(qbox->min_y)));
    return pqti_mask32x4_clear_bits(pqti_mask32x4_or(after, before));
}

/* Visits the pairs between the items of two leaves. Returns false if the visitor stopped. */
bool pqti_pairing_leaves(const pqti_pairing *pairing, const pqti_pairing_node *a,
                         const pqti_pairing_node *b);

/* Visits the pairs within one leaf. Returns false if the visitor stopped. */
bool pqti_pairing_leaf(const pqti_pairing *pairing, pqti_node_ref leaf);

/* Returns true if a query is not NULL, names a valid relation, and has zeros in its reserved
 * words. */
static inline bool
pqti_pair_query_is_valid(const pqt_pair_query *query)
{
    return query != NULL && pqti_relation_is_valid(query->relation) &&
           pqti_words_are_zero(query->reserved, 4);
}

/* Checks the query with which a public function was called, like PQT_ASSERT. */
#define PQTI_ASSERT_PAIR_QUERY(query)                                                              \
    PQT_ASSERT(                                                                                    \
        pqti_pair_query_is_valid(query),                                                           \
        "the query is NULL, its relation is not a pqt_relation, or its reserved words are not 0")

#endif
