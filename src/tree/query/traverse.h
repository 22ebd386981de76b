/* SPDX-License-Identifier: MIT */
/*
 * traverse.h - the one walk that all readers of a window share.
 *
 * It meets leaves in tree order and hands them over many at a time: those that may hold hits, and
 * those of which all items are hits. Where `is_contained` is given, parts that lie wholly inside go
 * there, in turn.
 *
 * Sources of this folder without a header of their own: search.c.
 */
#ifndef PQTI_TRAVERSE_H
#define PQTI_TRAVERSE_H

#include "tree/query/query_prep.h"

typedef struct pqti_traversal pqti_traversal;

enum {
    PQTI_SHORT_QUEUE =
        4, /* leaves that wait before the first are handed over; then twice as many, */
    PQTI_LONG_QUEUE = 32 /* and so on up to here: a reader that stops early has not paid for many */
};

/* A leaf that waits while it comes from memory. */
typedef struct pqti_queued_leaf {
    const void *leaf;
    uint32_t count;
    bool is_contained; /* all of its items are hits */
} pqti_queued_leaf;

struct pqti_traversal {
    pqti_window window;
    /* Some leaves, in order; false stops the walk. */
    bool (*leaves)(pqti_traversal *walk, const pqti_queued_leaf *leaves, size_t count);
    /* A part of which all items are hits, its extent not worked out, or one without any; false
       stops the walk. NULL: its leaves are handed over. */
    bool (*is_contained)(pqti_traversal *walk, pqti_node_ref child);
    void *state;                 /* the reader's own */
    size_t coverages, queue_len; /* leaves that wait, and how many do before they are handed over */
    pqti_queued_leaf queue[PQTI_LONG_QUEUE]; /* not written before they are there */
};

/* Makes a walk ready; the reader sets what it is to be handed. */
static inline void
pqti_traverse_begin(pqti_traversal *walk, const pqt_tree *tree, pqt_query query, void *state)
{
    walk->window = pqti_window_in(tree, query);
    walk->leaves = NULL;
    walk->is_contained = NULL;
    walk->state = state;
    walk->coverages = 0;
    walk->queue_len = PQTI_SHORT_QUEUE;
}

/* What is in a leaf that was handed over. */
static inline pqti_leaf_view
pqti_traverse_enter(const pqti_traversal *walk, const pqti_queued_leaf *leaf)
{
    pqti_stats_add_leaf(&walk->window, leaf->is_contained ? 0 : leaf->count);
    return pqti_view(leaf->leaf, leaf->count);
}

/* True if it came to its end. */
bool pqti_traverse_run(pqti_traversal *walk, const pqt_tree *tree);

/* As pqt_tree_visit, for who cares for boxes alone: of many identical ones, some may be left out,
   but not the first (query.c). */
bool pqti_visit_boxes(const pqt_tree *tree, pqt_query query, pqt_visit_fn *visit, void *context);

#endif
