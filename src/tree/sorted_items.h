/* SPDX-License-Identifier: MIT */
/*
 * sorted_items.h: builds a tree from items that are already in tree order, such as those in a file.
 *
 * The items are not sorted again, but passed to the bulk build for sorted keys. Each call that adds
 * items checks their order, so an error is found before the next items are read.
 */
#ifndef PQTI_SORTED_ITEMS_H
#define PQTI_SORTED_ITEMS_H

#include <stdbool.h>
#include <stddef.h>

#include <pqt/tree.h>

#include "tree/key.h"

typedef struct pqti_sorted_items {
    /* an empty version with the options of the tree; the caller keeps it alive */
    const pqt_tree *empty;
    size_t most;     /* the maximal number of items */
    pqt_item *items; /* in scratch memory */
    pqti_key *keys;  /* in scratch memory */
    size_t count, capacity;
} pqti_sorted_items;

/* Returns room for `more` items after those already added, or NULL if out of memory. */
pqt_item *pqti_sorted_items_reserve(pqti_sorted_items *sorted, size_t more);

/* Adds the `more` items that the caller has written to the reserved room. They must be valid,
   without -0.0, inside strict bounds, and in tree order without repetition. Otherwise sets the
   error and returns false. */
bool pqti_sorted_items_add(pqti_sorted_items *sorted, size_t more, pqt_error *error);

/* Returns the version that consists of all items added. Returns NULL and sets the error if out
   of memory, or if an id occurs twice in a tree with unique ids. */
const pqt_tree *pqti_sorted_items_build(const pqti_sorted_items *sorted, pqt_error *error);

void pqti_sorted_items_free(pqti_sorted_items *sorted);

#endif
