/* SPDX-License-Identifier: MIT */
/*
 * walk.h - the one walk that all readers of a window share.
 *
 * It meets leaves in tree order and hands them over in two ways: leaves that may hold hits, to be
 * tested item by item, and, where `whole` is given, parts that lie wholly inside the window.
 */
#ifndef PQTI_WALK_H
#define PQTI_WALK_H

#include "tree/window.h"

typedef struct pqti_walk pqti_walk;

enum { PQTI_LATE = 8 }; /* leaves that wait while they come from memory; a power of two */

typedef struct pqti_waiting {
    const void *leaf;
    uint32_t count;
    bool inside;
} pqti_waiting;

struct pqti_walk {
    pqti_window window;
    /* A leaf, of which some items may be hits, or all are if `inside`; false stops the walk. */
    bool (*leaf)(pqti_walk *walk, pqti_leaf_view view, uint32_t count, bool inside);
    /* A part of which all items are hits; NULL: its leaves are handed over. False stops the walk. */
    bool (*whole)(pqti_walk *walk, pqti_ref part);
    void *state;          /* the reader's own */
    unsigned met, handed; /* leaves so far; what lies between them waits */
    pqti_waiting waiting[PQTI_LATE];
};

/* Makes a walk ready; the reader sets what it is to be handed. */
static inline pqti_walk
pqti_walk_of(const pqt_tree *tree, pqt_query query, void *state)
{
    pqti_walk walk; /* what waits is not written before it is there */
    walk.window = pqti_window_in(tree, query);
    walk.leaf = NULL;
    walk.whole = NULL;
    walk.state = state;
    walk.met = walk.handed = 0;
    return walk;
}

/* True if it came to its end. */
bool pqti_walk_run(pqti_walk *walk, const pqt_tree *tree);

/* As pqt_tree_visit, for who cares for boxes alone: of many identical ones, some may be left out, but not the
   first (visit.c). */
bool pqti_visit_boxes(const pqt_tree *tree, pqt_query query, pqt_visit_fn *visit, void *context);

#endif
