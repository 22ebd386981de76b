/* SPDX-License-Identifier: MIT */
/*
 * tree_check.c: checks every invariant of a version.
 *
 * It computes from the items alone what every node must store, and compares the results with the
 * nodes. It relies on the data in a node only to reach the node's children.
 */
#include "config.h"

#include <string.h>

#include "base/arithmetic.h"
#include "base/error_internal.h"
#include "base/validate.h"
#include "memory/memory_internal.h"
#include "tree/idmap.h"
#include "tree/path_compress.h"
#include "tree/side_range.h"

/* A step of the path, from a node at this level to this child. */
typedef struct step {
    pqti_level level;
    int child_index;
} step;

typedef struct checker {
    const pqti_domain *domain;
    const void *ids;
    pqt_error *error;
    step path[PQTI_MAX_DEPTH];
    int depth;
    bool any; /* true if last_item and last_key are set */
    pqt_item last_item;
    pqti_key last_key;
} checker;

/* Sums over the items of a subtree. */
typedef struct summary {
    pqt_fingerprint fingerprint;
    pqti_qbox qbox;
    pqti_side_range side_range;
} summary;

static const summary nothing = {{0, 0}, {UINT32_MAX, UINT32_MAX, 0, 0}, PQTI_EMPTY_SIDE_RANGE};

static bool
report_corrupt_tree(const checker *c, const char *invariant)
{
    pqti_error_set(c->error, PQT_ERROR_CORRUPT, 0, "%d step%s below the root: %s", c->depth,
                   c->depth == 1 ? "" : "s", invariant);
    return false;
}

static bool
check_path(const checker *c, const pqti_key *key, const pqt_item *item)
{
    for (int i = 0; i < c->depth; i++)
        if (pqti_child_index(c->path[i].level, key, item) != c->path[i].child_index)
            return report_corrupt_tree(c, "an item is not in the child that its key determines");
    return true;
}

static bool
check_id(const checker *c, const pqti_key *key, const pqt_item *item)
{
    pqti_locator found;
    if (!c->domain->options.unique_ids)
        return true;
    const pqti_locator right = pqti_locator_at(key, item);
    if (pqti_idmap_find(c->ids, item->id, &found) && found.centre == right.centre &&
        found.level_and_hash == right.level_and_hash)
        return true;
    return report_corrupt_tree(c, "an item is not in the id map");
}

static bool
check_item(checker *c, const pqt_item *item)
{
    pqt_box clean = pqti_box_positive_zero(item->box);
    if (!pqt_box_is_valid(item->box) || memcmp(&clean, &item->box, sizeof clean) != 0)
        return report_corrupt_tree(c, "an item's box is not valid");
    if (c->domain->options.strict_bounds &&
        !pqt_box_relates(item->box, c->domain->bounds, PQT_INSIDE))
        return report_corrupt_tree(c, "an item leaves the bounds of a strict tree");
    pqti_key key = pqti_key_of(c->domain, item, 0);
    if (c->any && pqti_compare(&c->last_key, &c->last_item, &key, item) >= 0)
        return report_corrupt_tree(c, "items are not in tree order, or an item occurs twice");
    c->any = true;
    c->last_item = *item;
    c->last_key = key;
    return check_path(c, &key, item) && check_id(c, &key, item);
}

static bool
check_item_leaf(checker *c, pqti_level level, pqti_node_ref ref, summary *sums)
{
    pqti_leaf_view view = pqti_view(ref.at, ref.count);
    for (uint32_t i = 0; i < ref.count; i++) {
        pqt_item item = pqti_view_item(view, i);
        if (!check_item(c, &item))
            return false;
        sums->fingerprint = pqti_fingerprint_add(sums->fingerprint, pqti_item_fingerprint(&item));
        sums->qbox =
            pqti_qbox_union(sums->qbox, pqti_qbox_of(c->domain, level.outliers, &item.box));
        sums->side_range =
            pqti_side_range_union(sums->side_range, (pqti_side_range){item.box, item.box});
    }
    return true;
}

static bool check_child(checker *c, pqti_level level, const pqti_node_ref *ref, summary *sums);

static bool
check_step(checker *c, pqti_level level, int child_index, const pqti_node_ref *ref, summary *sums)
{
    /* It guards the array. No damage is known that leads here: in cells, each node has fewer items
       than the one above, and at the last level of hashes, a node should have been a leaf. */
    if (c->depth == PQTI_MAX_DEPTH)
        return report_corrupt_tree(c, "the tree is too deep");
    c->path[c->depth++] = (step){level, child_index};
    bool sound = check_child(c, pqti_child_level(c->domain, level, child_index), ref, sums);
    c->depth--;
    return sound;
}

static bool
check_quadrant(checker *c, pqti_level level, const pqti_inner *node, int i, summary *all)
{
    summary own = nothing;
    pqti_node_ref ref = pqti_quadrant_ref(node, i);
    if (!check_step(c, level, i, &ref, &own))
        return false;
    if (memcmp(&own.qbox, &ref.qbox, sizeof own.qbox) != 0)
        return report_corrupt_tree(c, "the bounds of a child are not those of its items");
    all->fingerprint = pqti_fingerprint_add(all->fingerprint, own.fingerprint);
    all->qbox = pqti_qbox_union(all->qbox, own.qbox);
    all->side_range = pqti_side_range_union(all->side_range, own.side_range);
    return true;
}

static uint64_t
count_quadrants(const pqti_node_ref *ref)
{
    uint64_t quadrants = 0;
    for (int i = 0; i < PQTI_QUADRANTS; i++)
        quadrants += pqti_quadrant_ref(ref->at, i).count;
    return quadrants;
}

/*
 * Returns true if a leaf is reached by repeated calls of `next`, which is pqti_first_child or
 * pqti_last_child.
 */
static bool
leads_to_leaf(pqti_node_ref ref, pqti_node_ref (*next)(pqti_node_ref))
{
    for (int i = 0; i < PQTI_MAX_DEPTH && ref.count > 0 && ref.at != NULL; i++) {
        if (ref.leaf)
            return true;
        if (count_quadrants(&ref) > ref.count)
            return false;
        ref = next(ref);
    }
    return false;
}

static bool
check_counts(const checker *c, pqti_level level, pqti_node_ref ref)
{
    uint64_t quadrants = count_quadrants(&ref);
    if (quadrants > ref.count)
        return report_corrupt_tree(c, "the quadrants of a node hold more items than the node");
    if (quadrants == ref.count)
        return true;
    if (level.division != PQTI_BY_CELL)
        return report_corrupt_tree(c, "a node of own items has own items");
    if (pqti_own_ref(ref.at, ref.count).count != ref.count - quadrants)
        return report_corrupt_tree(c, "the count of a node is not the sum of its children's");
    return true;
}

static bool
check_inner(checker *c, pqti_level level, const pqti_node_ref *ref, summary *sums)
{
    const pqti_inner *node = ref->at;
    if (!check_counts(c, level, *ref))
        return false;
    for (int i = 0; i < PQTI_QUADRANTS; i++)
        if (level.division != PQTI_BY_HASH && pqti_quadrant_ref(node, i).count == ref->count)
            return report_corrupt_tree(c, "a node holds all of its items in one quadrant");
    pqti_node_ref own = pqti_own_ref(node, ref->count);
    if (own.count > 0 && !check_step(c, level, PQTI_OWN_ITEMS, &own, sums))
        return false;
    for (int i = 0; i < PQTI_QUADRANTS; i++)
        if (!check_quadrant(c, level, node, i, sums))
            return false;
    if (memcmp(&sums->fingerprint, &node->fingerprint, sizeof node->fingerprint) != 0)
        return report_corrupt_tree(c, "the fingerprint of a node is not that of its items");
    if (ref->is_hash &&
        memcmp(&sums->side_range, pqti_side_range_of(node), sizeof sums->side_range) != 0)
        return report_corrupt_tree(c, "the side range of a hash node is not that of its items");
    return true;
}

/* Checks a node at the end of a compressed edge: all items must follow the path of the edge. */
static bool
check_skip(checker *c, pqti_level level, pqti_node_ref ref, summary *sums)
{
    int depth = c->depth;
    if (!leads_to_leaf(ref, pqti_first_child) || !leads_to_leaf(ref, pqti_last_child))
        return report_corrupt_tree(c, "a compressed edge leads to no leaf");
    pqti_skip skip = pqti_skip_of(c->domain, level, &ref);
    if (skip.end <= level.depth)
        return report_corrupt_tree(c, "an edge that skips no node is tagged compressed");
    for (unsigned i = level.depth; i < skip.end && c->depth < PQTI_MAX_DEPTH; i++) {
        c->path[c->depth++] = (step){level, (int)pqti_skip_digit(&skip, i)};
        level = pqti_quadrant_level(c->domain, level);
    }
    if (ref.is_hash != (level.division == PQTI_BY_HASH))
        return report_corrupt_tree(c, "the hash tag of a compressed edge is wrong");
    bool sound = check_inner(c, level, &ref, sums);
    c->depth = depth;
    return sound;
}

static bool
check_child(checker *c, pqti_level level, const pqti_node_ref *ref, summary *sums)
{
    if ((ref->at == NULL) != (ref->count == 0))
        return report_corrupt_tree(c, "an empty child is not NULL, or a child with items is");
    if (ref->at == NULL)
        return ref->leaf      ? report_corrupt_tree(c, "an empty child is tagged a leaf")
               : ref->is_hash ? report_corrupt_tree(c, "an empty child is tagged a hash node")
               : ref->skips   ? report_corrupt_tree(c, "an empty child is tagged compressed")
                              : true;
    if (ref->leaf != pqti_fits_leaf(c->domain, level, ref->count))
        return report_corrupt_tree(c, ref->leaf ? "a leaf holds more than its capacity"
                                                : "a node holds no more than a leaf could");
    if (ref->skips && (ref->leaf || level.division == PQTI_BY_HASH))
        return report_corrupt_tree(c,
                                   "an edge to a leaf or below a hash node is tagged compressed");
    if (ref->skips)
        return check_skip(c, level, *ref, sums);
    if (ref->is_hash != (!ref->leaf && level.division == PQTI_BY_HASH))
        return report_corrupt_tree(c, ref->is_hash
                                          ? "a node that is not a hash node is tagged as one"
                                          : "a hash node is not tagged as one");
    return ref->leaf ? check_item_leaf(c, level, *ref, sums) : check_inner(c, level, ref, sums);
}

static bool
check_ids(const checker *c, const pqt_tree *tree)
{
    if (!pqti_idmap_check(tree->ids))
        return report_corrupt_tree(c, "the id map is out of order");
    if (pqti_idmap_count(tree->ids) != (tree->domain->options.unique_ids ? tree->count : 0))
        return report_corrupt_tree(c, "the id map and the tree hold different numbers of items");
    return true;
}

bool
pqt_tree_check(const pqt_tree *tree, pqt_error *error)
{
    PQTI_ASSERT_TREE(tree);
    if (!pqti_arithmetic_is_default()) {
        pqti_report_arithmetic(error);
        return false;
    }
    checker c = {.domain = tree->domain, .ids = tree->ids, .error = error};
    summary all = nothing;
    const pqti_node_ref root = pqti_root(tree);
    if (!check_child(&c, PQTI_ROOT, &root, &all) || !check_ids(&c, tree))
        return false;
    if (memcmp(&all.fingerprint, &tree->fingerprint, sizeof all.fingerprint) != 0)
        return report_corrupt_tree(&c, "the fingerprint of the version is not that of its items");
    return true;
}
