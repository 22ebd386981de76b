/* SPDX-License-Identifier: MIT */
/* count.c - whether, and how much, a query finds, without listing it. */
#include "config.h"

#include "base/error.h"
#include "query/walk.h"

static bool
count_leaf(pqti_walk *walk, pqti_leaf_view view, uint32_t count, bool inside)
{
    size_t *found = walk->state;
    if (inside) {
        *found += count;
        return true;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!pqti_meets(&walk->window, view, i))
            continue;
        pqt_item item = pqti_view_item(view, i);
        *found += pqti_passes(&walk->window, &item);
    }
    return true;
}

static bool
count_whole(pqti_walk *walk, pqti_ref part)
{
    *(size_t *)walk->state += part.count;
    return true;
}

size_t
pqt_tree_count_in(const pqt_tree *tree, pqt_query query)
{
    PQT_ASSERT(tree != NULL, "the tree is NULL");
    size_t found = 0;
    pqti_walk walk = pqti_walk_of(tree, query, &found);
    walk.leaf = count_leaf;
    walk.whole = count_whole;
    pqti_walk_run(&walk, tree);
    return found;
}

static bool
take_first(const pqt_item *item, void *context)
{
    *(pqt_item *)context = *item;
    return false;
}

bool
pqt_tree_any(const pqt_tree *tree, pqt_query query, pqt_item *found)
{
    pqt_item first;
    if (pqt_tree_visit(tree, query, take_first, &first))
        return false;
    if (found != NULL)
        *found = first;
    return true;
}
