/* SPDX-License-Identifier: MIT */
/* collect.c - what a query finds, into the caller's arrays. */
#include "config.h"

#include <string.h>

#include "base/error_internal.h"
#include "tree/query/traverse.h"

/* An array of items or of ids, whatever its caller asked for. */
typedef struct collection {
    pqt_item *items;
    uint64_t *ids;
    size_t capacity, found;
} collection;

static bool
collect_item(const pqt_item *item, void *context)
{
    collection *all = context;
    if (all->found < all->capacity)
        all->items[all->found] = *item;
    all->found++;
    return true;
}

size_t
pqt_tree_collect(const pqt_tree *tree, pqt_query query, pqt_item *items, size_t capacity)
{
    PQT_ASSERT(tree != NULL, "the tree is NULL");
    PQT_ASSERT(items != NULL || capacity == 0, "items is NULL, and capacity is not 0");
    collection all = {.items = items, .capacity = capacity};
    pqt_tree_visit(tree, query, collect_item, &all);
    return all.found;
}

static bool
collect_ids(const uint64_t *ids, size_t count, void *context)
{
    collection *all = context;
    size_t room = all->found < all->capacity ? all->capacity - all->found : 0;
    size_t taken = count < room ? count : room;
    if (taken > 0)
        memcpy(all->ids + all->found, ids, taken * sizeof *ids);
    all->found += count;
    return true;
}

size_t
pqt_tree_collect_ids(const pqt_tree *tree, pqt_query query, uint64_t *ids, size_t capacity)
{
    PQT_ASSERT(tree != NULL, "the tree is NULL");
    PQT_ASSERT(ids != NULL || capacity == 0, "ids is NULL, and capacity is not 0");
    collection all = {.ids = ids, .capacity = capacity};
    pqt_tree_visit_ids(tree, query, collect_ids, &all);
    return all.found;
}
