/* SPDX-License-Identifier: MIT */
/* tree.c: makes empty trees, reads the properties of a version, searches for one item, and
   compares versions. */
#include "config.h"

#include "tree/tree_internal.h"

#include <stddef.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/error_internal.h"
#include "base/option_structs.h"
#include "base/validate.h"
#include "memory/memory_internal.h"
#include "tree/find_id.h"
#include "tree/path_compress.h"

static const pqt_tree *
make_empty(const pqti_domain *domain, pqt_error *error)
{
    if (domain == NULL)
        return NULL;
    return pqti_version_of(domain, &PQTI_EMPTY_REF, &(pqt_fingerprint){0, 0}, NULL, error);
}

const pqt_tree *
pqti_tree_make(const pqt_box *bounds, const pqt_tree_options *options, pqt_error *error)
{
    return pqti_may_compute(error) ? make_empty(pqti_domain_make(bounds, options, error), error)
                                   : NULL;
}

const pqt_tree *
pqt_tree_make(pqt_box bounds, const pqt_tree_options *options, pqt_error *error)
{
    return pqti_tree_make(&bounds, options, error);
}

const pqt_tree *
pqt_tree_clear(const pqt_tree *tree, pqt_error *error)
{
    if (!pqti_check_input(tree, error))
        return NULL;
    return tree->count == 0 ? tree : make_empty(tree->domain, error);
}

size_t
pqt_tree_count(const pqt_tree *tree)
{
    PQTI_ASSERT_TREE(tree);
    return tree->count;
}

pqt_box
pqt_tree_bounds(const pqt_tree *tree)
{
    PQTI_ASSERT_TREE(tree);
    return tree->domain->bounds;
}

pqt_memory *
pqt_tree_memory(const pqt_tree *tree)
{
    PQTI_ASSERT_TREE(tree);
    return tree->domain->options.memory;
}

void
pqt_tree_get_options(const pqt_tree *tree, pqt_tree_options *options)
{
    PQTI_ASSERT_TREE(tree);
    pqti_options_write(__func__, &pqti_tree_options_layout, &tree->domain->options, options);
}

pqt_fingerprint
pqt_tree_fingerprint(const pqt_tree *tree)
{
    PQTI_ASSERT_TREE(tree);
    return tree->fingerprint;
}

bool
pqt_tree_contains(const pqt_tree *tree, pqt_item item)
{
    PQTI_ASSERT_TREE(tree);
    if (!pqt_box_is_valid(item.box))
        return false;
    item.box = pqti_box_positive_zero(item.box);
    pqti_key key = pqti_key_of(tree->domain, &item, 0);
    pqti_node_ref ref = pqti_root(tree);
    pqti_level level = PQTI_ROOT;
    while (ref.count > 0 && !ref.leaf) {
        level = pqti_level_of_node(tree->domain, level, ref);
        int child_index = pqti_child_index(level, &key, &item);
        ref = pqti_child_ref(ref.at, ref.count, child_index);
        level = pqti_child_level(tree->domain, level, child_index);
    }
    return ref.count > 0 &&
           pqti_view_find(pqti_view(ref.at, ref.count), ref.count, &item) < ref.count;
}

bool
pqt_tree_find(const pqt_tree *tree, uint64_t id, pqt_item *found)
{
    PQTI_ASSERT_TREE(tree);
    PQT_ASSERT(tree->domain->options.unique_ids, "finding by id needs a tree with unique_ids");
    pqt_item item;
    if (!pqti_find_id(tree, id, &item))
        return false;
    if (found != NULL)
        *found = item;
    return true;
}

static bool equal_subtrees(pqti_node_ref a, pqti_node_ref b);

static bool
equal_nodes(const pqti_inner *a, const pqti_inner *b, uint32_t count)
{
    if (memcmp(&a->fingerprint, &b->fingerprint, sizeof a->fingerprint) != 0)
        return false;
    if (!equal_subtrees(pqti_own_ref(a, count), pqti_own_ref(b, count)))
        return false;
    for (int i = 0; i < PQTI_QUADRANTS; i++)
        if (!equal_subtrees(pqti_quadrant_ref(a, i), pqti_quadrant_ref(b, i)))
            return false;
    return true;
}

/* Shapes are canonical, so subtrees of different shapes hold different items. */
static bool
equal_subtrees(pqti_node_ref a, pqti_node_ref b)
{
    if (a.at == b.at)
        return true;
    if (a.tagged_count != b.tagged_count)
        return false;
    if (a.leaf)
        return memcmp(a.at, b.at, a.count * 5 * sizeof(uint64_t)) == 0;
    return equal_nodes(a.at, b.at, a.count);
}

/* Says whether a tree contains all items that are visited. */
typedef struct containment {
    const pqt_tree *tree;
    bool whole;
} containment;

static bool
find_item(const pqt_item *item, void *context)
{
    containment *contained = context;
    contained->whole = contained->whole && pqt_tree_contains(contained->tree, *item);
    return contained->whole;
}

/* Compares versions that differ in max_depth, and so in shape. */
static bool
holds_the_items_of(const pqt_tree *a, const pqt_tree *b)
{
    containment contained = {a, a->count == b->count};
    if (contained.whole)
        pqti_each_item(pqti_root(b), find_item, &contained);
    return contained.whole;
}

bool
pqt_tree_equals(const pqt_tree *a, const pqt_tree *b)
{
    PQT_ASSERT(a != NULL && b != NULL, "a tree is NULL");
    pqti_assert_alive(__func__, a);
    pqti_assert_alive(__func__, b);
    if (a == b)
        return true;
    if (!pqti_domain_is_like(a->domain, b->domain) ||
        memcmp(&a->fingerprint, &b->fingerprint, sizeof a->fingerprint) != 0)
        return false;
    return a->domain->depth == b->domain->depth ? equal_subtrees(pqti_root(a), pqti_root(b))
                                                : holds_the_items_of(a, b);
}
