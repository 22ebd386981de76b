/* SPDX-License-Identifier: MIT */
/*
 * sorted_items.h: a version of items that come in tree order, such as those of a file.
 *
 * Nothing is sorted: the builder for sorted keys takes the items as they are. Their order is
 * checked as they come, so a false one is found before the next items are read.
 */
#ifndef PQTI_SORTED_ITEMS_H
#define PQTI_SORTED_ITEMS_H

#include <stdbool.h>
#include <stddef.h>

#include <pqt/tree.h>

#include "tree/key.h"

typedef struct pqti_sorted_items {
    const pqt_tree *empty; /* the empty version that the items are for; kept alive by the caller */
    size_t most;           /* how many items come at most */
    pqt_item *items;       /* scratch */
    pqti_key *keys;        /* scratch */
    size_t count, capacity;
} pqti_sorted_items;

/* Room for `more` items behind those that are there; NULL: no memory. */
pqt_item *pqti_sorted_items_reserve(pqti_sorted_items *sorted, size_t more);

/* Checks the `more` items that were written there, and adds them: valid, without -0.0, inside
   strict bounds, each after the one before it. False with an error told. */
bool pqti_sorted_items_add(pqti_sorted_items *sorted, size_t more, pqt_error *error);

/* The version of all items that were added. NULL with an error told: no memory, or an id that
   occurs twice among unique ones. */
const pqt_tree *pqti_sorted_items_build(const pqti_sorted_items *sorted, pqt_error *error);

void pqti_sorted_items_free(pqti_sorted_items *sorted);

#endif
