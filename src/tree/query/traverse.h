/* SPDX-License-Identifier: MIT */
/*
 * traverse.h: the window traversal for all functions that take a query. Here, they are called
 * readers.
 *
 * It visits leaves in tree order and passes them to the reader in batches. Each of these leaves
 * either may contain hits or consists of hits only. If the reader sets `visit_contained`, whole
 * subtrees that consist of hits are passed to that function, in the same order.
 *
 * Source files in this folder without a header of their own: search.c.
 */
#ifndef PQTI_TRAVERSE_H
#define PQTI_TRAVERSE_H

#include "tree/query/query_prep.h"

typedef struct pqti_traversal pqti_traversal;

enum {
    /* the number of leaves in the first batch; each further batch is twice as large */
    PQTI_SHORT_QUEUE = 4,
    /* the maximal number of leaves in a batch, which limits the waste if a reader stops early */
    PQTI_LONG_QUEUE = 32
};

/* A leaf in the queue, while its memory is being prefetched. */
typedef struct pqti_queued_leaf {
    const void *leaf;
    uint32_t count;
    bool is_contained; /* true if all of its items are hits */
} pqti_queued_leaf;

struct pqti_traversal {
    pqti_window window;
    /* Receives leaves in order. Returns false to stop the traversal. */
    bool (*leaves)(pqti_traversal *walk, const pqti_queued_leaf *leaves, size_t count);
    /*
     * Receives a subtree whose items are all hits, or an empty subtree, without its quantised box.
     * Returns false to stop the traversal. If this member is NULL, the leaves of such subtrees are
     * queued.
     */
    bool (*visit_contained)(pqti_traversal *walk, pqti_node_ref child);
    void *state;      /* belongs to the reader */
    bool reads_sides; /* the reader reads more than the ids of leaves that consist of hits */
    /* the number of leaves in the queue, and the number in a full batch */
    size_t queued, queue_len;
    /* elements from index `queued` on are not initialised */
    pqti_queued_leaf queue[PQTI_LONG_QUEUE];
};

/* Initialises a traversal. The reader then sets its function members. */
static inline void
pqti_traverse_begin(pqti_traversal *walk, const pqt_tree *tree, const pqt_query *query, void *state)
{
    walk->window = pqti_window_in(tree, query);
    walk->leaves = NULL;
    walk->visit_contained = NULL;
    walk->state = state;
    walk->reads_sides = false;
    walk->queued = 0;
    walk->queue_len = PQTI_SHORT_QUEUE;
}

/* Returns the arrays of a leaf from a batch, and adds the leaf to the query statistics. */
static inline pqti_leaf_view
pqti_traverse_enter(const pqti_traversal *walk, const pqti_queued_leaf *leaf)
{
    pqti_stats_add_leaf(&walk->window, leaf->is_contained ? 0 : leaf->count);
    return pqti_view(leaf->leaf, leaf->count);
}

/* Runs the traversal. Returns true if no function stopped it. */
bool pqti_traverse_run(pqti_traversal *walk, const pqt_tree *tree);

/*
 * Does the same as pqt_tree_visit, for visitors that need only boxes. If many boxes are identical,
 * it may visit only the first of them (query.c).
 */
bool pqti_visit_boxes(const pqt_tree *tree, const pqt_query *query, pqt_visit_fn *visit,
                      void *context);

#endif
