/* SPDX-License-Identifier: MIT */
/* count.c - whether, and how much, a query finds, without listing it. */
#include "config.h"

#include "base/error.h"
#include "query/walk.h"

/* How many of the items of a run that stand in the relation pass the filter. */
static size_t
count_passing(const pqti_window *window, pqti_leaf_view view, uint32_t from, uint64_t hits)
{
    if (window->query.filter == NULL)
        return (size_t)__builtin_popcountll(hits);
    size_t passing = 0;
    for (; hits != 0; hits &= hits - 1) {
        pqt_item item = pqti_view_item(view, from + (uint32_t)__builtin_ctzll(hits));
        passing += pqti_passes(window, &item);
    }
    return passing;
}

static bool
count_leaf(pqti_walk *walk, pqti_leaf_view view, uint32_t count, bool inside)
{
    const pqti_window *window = &walk->window;
    size_t *found = walk->state;
    if (inside) {
        *found += count;
        return true;
    }
    for (uint32_t from = 0; from < count; from += PQTI_RUN)
        *found += count_passing(window, view, from, pqti_hits(window, view, from, count));
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
