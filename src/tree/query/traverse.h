/* SPDX-License-Identifier: MIT */
/*
 * traverse.h: the traversal of a window that all readers use.
 *
 * It visits leaves in tree order and passes them to the reader in batches. A leaf either may hold
 * hits, or consists only of hits. If the reader sets `visit_contained`, whole subtrees that
 * consist of hits are passed to that function, in the same order.
 *
 * Sources of this folder without a header of their own: search.c.
 */
#ifndef PQTI_TRAVERSE_H
#define PQTI_TRAVERSE_H

#include "tree/query/query_prep.h"

typedef struct pqti_traversal pqti_traversal;

enum {
    PQTI_SHORT_QUEUE = 4, /* the leaves of the first batch; each further batch is twice as large */
    PQTI_LONG_QUEUE = 32  /* the most leaves in a batch: a reader that stops early pays for few */
};

/* A leaf in the queue, while its memory is being prefetched. */
typedef struct pqti_queued_leaf {
    const void *leaf;
    uint32_t count;
    bool is_contained; /* all of its items are hits */
} pqti_queued_leaf;

struct pqti_traversal {
    pqti_window window;
    /* Receives leaves in order; returns false to stop. */
    bool (*leaves)(pqti_traversal *walk, const pqti_queued_leaf *leaves, size_t count);
    /* Receives a subtree whose items are all hits, or an empty one, without its quantised box;
     * returns false to stop. If it is NULL, the leaves of such subtrees are queued. */
    bool (*visit_contained)(pqti_traversal *walk, pqti_node_ref child);
    void *state;                             /* the reader's own */
    size_t queued, queue_len;                /* the leaves in the queue, and in a batch */
    pqti_queued_leaf queue[PQTI_LONG_QUEUE]; /* entries from `queued` on are not initialised */
};

/* Initialises a traversal. The reader then sets its functions. */
static inline void
pqti_traverse_begin(pqti_traversal *walk, const pqt_tree *tree, const pqt_query *query, void *state)
{
    walk->window = pqti_window_in(tree, query);
    walk->leaves = NULL;
    walk->visit_contained = NULL;
    walk->state = state;
    walk->queued = 0;
    walk->queue_len = PQTI_SHORT_QUEUE;
}

/* Opens a leaf of a batch. */
static inline pqti_leaf_view
pqti_traverse_enter(const pqti_traversal *walk, const pqti_queued_leaf *leaf)
{
    pqti_stats_add_leaf(&walk->window, leaf->is_contained ? 0 : leaf->count);
    return pqti_view(leaf->leaf, leaf->count);
}

/* Runs the traversal. Returns true if no function stopped it. */
bool pqti_traverse_run(pqti_traversal *walk, const pqt_tree *tree);

/* Like pqt_tree_visit, for visitors that need only boxes. If many boxes are identical, it may visit
 * only the first of them (query.c). */
bool pqti_visit_boxes(const pqt_tree *tree, const pqt_query *query, pqt_visit_fn *visit,
                      void *context);

#endif
