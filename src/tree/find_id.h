/* SPDX-License-Identifier: MIT */
/* find_id.h: finds items by their ids, in a tree with unique ids. */
#ifndef PQTI_FIND_ID_H
#define PQTI_FIND_ID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt/item.h>
#include <pqt/query.h>
#include <pqt/tree.h>

#include "tree/locator.h"

/*
 * Finds the item with this id and locator in a tree. Returns false if there is none. Unless `stats`
 * is NULL, adds the nodes, leaves and items that it reads.
 */
bool pqti_find_located(const pqt_tree *tree, uint64_t id, const pqti_locator *locator,
                       pqt_query_stats *stats, pqt_item *found);

/* Finds the item with an id in a tree with unique ids. Returns false if the id is absent. */
bool pqti_find_id(const pqt_tree *tree, uint64_t id, pqt_item *found);

/* Looks up at most PQTI_IDMAP_RUN ids at once, those of `items`. Sets found[i] to true if an
   item has the id of items[i], and then replaces items[i] by this item. */
void pqti_find_ids(const pqt_tree *tree, pqt_item *items, size_t count, bool *found);

#endif
