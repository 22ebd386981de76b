/* SPDX-License-Identifier: MIT */
/* count.c - whether, and how much, a query finds, without listing it. */
#include "config.h"

#include "base/error_internal.h"
#include "tree/query/traverse.h"

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

static size_t
count_leaf(const pqti_walk *walk, const pqti_waiting *leaf)
{
    const pqti_window *window = &walk->window;
    pqti_leaf_view view = pqti_walk_enter(walk, leaf);
    if (leaf->inside)
        return leaf->count;
    size_t found = 0;
    for (uint32_t from = 0; from < leaf->count; from += PQTI_RUN)
        found += count_passing(window, view, from, pqti_hits(window, view, from, leaf->count));
    return found;
}

static bool
count_leaves(pqti_walk *walk, const pqti_waiting *leaves, size_t count)
{
    size_t *found = walk->state;
    for (size_t i = 0; i < count; i++)
        *found += count_leaf(walk, &leaves[i]);
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
    pqti_walk walk;
    pqti_walk_begin(&walk, tree, query, &found);
    walk.leaves = count_leaves;
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
    PQT_ASSERT(tree != NULL, "the tree is NULL");
    pqt_item first;
    if (pqt_tree_visit(tree, query, take_first, &first))
        return false;
    if (found != NULL)
        *found = first;
    return true;
}
