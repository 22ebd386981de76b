/* SPDX-License-Identifier: MIT */
/* inner_trees.h: how a version of a history contains trees: it is one, or its parts are. */
#ifndef PQTI_INNER_TREES_H
#define PQTI_INNER_TREES_H

#include <stdbool.h>
#include <stddef.h>

#include <pqt/error.h>
#include <pqt/tree.h>

/* The functions of a kind of versions that contain trees. A *position* is an index below the count.
   Versions that are comparable have the same positions. */
typedef struct pqti_inner_trees {
    size_t (*count)(const void *version);
    /* Returns the tree at a position, or NULL if something else is there. */
    const pqt_tree *(*at)(const void *version, size_t position);
    /* Returns the name of a position, or NULL if the version is the tree itself. */
    const char *(*name)(const void *version, size_t position);
    /* Returns true if two versions have the same positions. Otherwise sets PQT_ERROR_MISMATCH. */
    bool (*have_same_positions)(const void *a, const void *b, pqt_error *error);
} pqti_inner_trees;

#endif
