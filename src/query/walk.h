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

struct pqti_walk {
    pqti_window window;
    /* A leaf, of which some items may be hits, or all are if `inside`; false stops the walk. */
    bool (*leaf)(pqti_walk *walk, pqti_leaf_view view, uint32_t count, bool inside);
    /* A part of which all items are hits; NULL: its leaves are handed over. False stops the walk. */
    bool (*whole)(pqti_walk *walk, pqti_ref part);
    void *state; /* the reader's own */
};

/* Makes a walk ready; the reader sets what it is to be handed. */
static inline pqti_walk
pqti_walk_of(const pqt_tree *tree, pqt_query query, void *state)
{
    return (pqti_walk){.window = pqti_window_in(tree, query), .state = state};
}

/* True if it came to its end. */
bool pqti_walk_run(pqti_walk *walk, const pqt_tree *tree);

#endif
