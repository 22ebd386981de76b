/* SPDX-License-Identifier: MIT */
/* find_id.c: finds items by their ids. */
#include "config.h"

#include "tree/find_id.h"

#include "base/error_internal.h"
#include "base/hash.h"
#include "tree/idmap.h"
#include "tree/node.h"
#include "tree/path_compress.h"

/* A search for an id. */
typedef struct id_search {
    uint64_t id;
    pqt_query_stats *stats; /* may be NULL */
    pqt_item *found;
} id_search;

/* Returns the child to which a locator leads from a node at `level`. */
static inline int
located_child(pqti_level level, const pqti_locator *locator)
{
    if (level.division == PQTI_BY_HASH)
        return pqti_digit((uint64_t)(locator->level_and_hash & ~PQTI_LOCATOR_LEVEL) << 32,
                          level.depth);
    if (level.division == PQTI_BY_CELL &&
        (locator->level_and_hash & PQTI_LOCATOR_LEVEL) == level.depth)
        return PQTI_OWN_ITEMS;
    return pqti_digit(locator->centre, level.depth);
}

/*
 * Descends to the leaf to which a locator leads, or to the node at which its digits end. A
 * compressed edge needs no comparison of digits: the item that is looked for is below it.
 */
static pqti_node_ref
located_subtree(const pqt_tree *tree, const pqti_locator *locator, pqt_query_stats *stats)
{
    pqti_node_ref ref = pqti_root(tree);
    pqti_level level = PQTI_ROOT;
    while (pqti_is_node(ref)) {
        level = pqti_level_of_node(tree->domain, level, ref);
        if (level.division == PQTI_BY_HASH && level.depth == PQTI_LOCATOR_DIGITS)
            break;
        if (stats != NULL)
            stats->nodes++;
        const int child_index = located_child(level, locator);
        ref = pqti_child_without_qbox(ref.at, ref.count, child_index);
        level = pqti_child_level(tree->domain, level, child_index);
    }
    return ref;
}

static bool
find_in_leaf(const id_search *search, pqti_node_ref leaf)
{
    const pqti_leaf_view view = pqti_view_or_none(leaf.at, leaf.count);
    if (search->stats != NULL) {
        search->stats->leaves++;
        search->stats->boxes += leaf.count;
    }
    for (uint32_t i = 0; i < leaf.count; i++) {
        if (view.id[i] == search->id) {
            *search->found = pqti_view_item(view, i);
            return true;
        }
    }
    return false;
}

/* Searches all leaves below a hash node. */
static bool
find_below(const id_search *search, pqti_node_ref ref)
{
    if (!pqti_is_node(ref))
        return find_in_leaf(search, ref);
    if (search->stats != NULL)
        search->stats->nodes++;
    for (int i = 0; i < PQTI_QUADRANTS; i++)
        if (find_below(search, pqti_quadrant_ref(ref.at, i)))
            return true;
    return false;
}

bool
pqti_find_located(const pqt_tree *tree, uint64_t id, const pqti_locator *locator,
                  pqt_query_stats *stats, pqt_item *found)
{
    const id_search search = {id, stats, found};
    return find_below(&search, located_subtree(tree, locator, stats));
}

bool
pqti_find_id(const pqt_tree *tree, uint64_t id, pqt_item *found)
{
    pqti_locator locator;
    if (!pqti_idmap_find(tree->ids, id, &locator))
        return false;
    const bool is_there = pqti_find_located(tree, id, &locator, NULL, found);
    PQT_INVARIANT(is_there, "the id map leads to a leaf without the id");
    return is_there;
}

void
pqti_find_ids(const pqt_tree *tree, pqt_item *items, size_t count, bool *found)
{
    uint64_t keys[PQTI_IDMAP_RUN];
    pqti_locator locators[PQTI_IDMAP_RUN];
    PQT_INVARIANT(count > 0 && count <= PQTI_IDMAP_RUN, "more ids than a run are looked up");
    for (size_t i = 0; i < count; i++)
        keys[i] = pqti_id_key(items[i].id);
    pqti_idmap_find_run(tree->ids, keys, count, locators, found);
    for (size_t i = 0; i < count; i++)
        if (found[i])
            found[i] = pqti_find_located(tree, items[i].id, &locators[i], NULL, &items[i]);
}
