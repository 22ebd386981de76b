/* SPDX-License-Identifier: MIT */
/* tree.c - making a tree, and what a version knows of itself. */
#include "config.h"

#include <stddef.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/error_internal.h"
#include "base/validate.h"
#include "memory/memory_internal.h"
#include "tree/idmap.h"
#include "tree/path_compress.h"
#include "tree/tree_internal.h"
#include "tree/update.h"

bool
pqti_may_go_on_in(const char *function, const pqt_tree *tree, pqt_error *error)
{
    PQT_ASSERT_IN(function, tree != NULL || error == NULL || pqti_failed(error),
                  "the tree is NULL, and no earlier failure was told");
    return tree != NULL && pqti_may_compute(error);
}

const pqt_tree *
pqti_version_of(const pqti_space *space, pqti_ref root, pqt_fingerprint fingerprint,
                const void *ids, pqt_error *error)
{
    _Static_assert(sizeof(pqt_tree) <= PQTI_VERSION_SIZE &&
                       offsetof(pqt_tree, ids) + sizeof(void *) < PQTI_VERSION_SIZE,
                   "no pointer in a node's last word");
    pqt_tree *tree = pqti_node(space->options.memory, PQTI_VERSION_SIZE);
    if (tree == NULL) {
        pqti_out_of_memory(error);
        return NULL;
    }
    *tree = (pqt_tree){
        .space = space,
        .root = root.at,
        .ids = ids,
        .count = root.count,
        .leaf = root.leaf,
        .deep = root.deep,
        .fingerprint = fingerprint,
    };
    return tree;
}

static const pqt_tree *
make_empty(const pqti_space *space, pqt_error *error)
{
    if (space == NULL)
        return NULL;
    return pqti_version_of(space, PQTI_EMPTY_REF, (pqt_fingerprint){0, 0}, NULL, error);
}

const pqt_tree *
pqt_tree_make(pqt_box bounds, const pqt_tree_options *options, pqt_error *error)
{
    return pqti_may_compute(error) ? make_empty(pqti_space_make(bounds, options, error), error)
                                   : NULL;
}

const pqt_tree *
pqt_tree_clear(const pqt_tree *tree, pqt_error *error)
{
    if (!pqti_may_go_on(tree, error))
        return NULL;
    return tree->count == 0 ? tree : make_empty(tree->space, error);
}

static inline void
extend(pqt_box *bounds, const pqt_box *box)
{
    bounds->min.x = box->min.x < bounds->min.x ? box->min.x : bounds->min.x;
    bounds->min.y = box->min.y < bounds->min.y ? box->min.y : bounds->min.y;
    bounds->max.x = box->max.x > bounds->max.x ? box->max.x : bounds->max.x;
    bounds->max.y = box->max.y > bounds->max.y ? box->max.y : bounds->max.y;
}

static bool
bounds_of(const pqt_item *items, size_t count, pqt_box *bounds, pqt_error *error)
{
    *bounds = (pqt_box){{0, 0}, {0, 0}};
    for (size_t i = 0; i < count; i++) {
        pqt_item item;
        if (!pqti_item_admit(items[i], i, &item, error))
            return false;
        if (i == 0)
            *bounds = item.box;
        extend(bounds, &item.box);
    }
    return true;
}

const pqt_tree *
pqt_tree_of(const pqt_item *items, size_t count, const pqt_tree_options *options, pqt_error *error)
{
    PQT_ASSERT(items != NULL || count == 0, "items is NULL, and count is not 0");
    pqt_box bounds;
    if (pqti_failed(error) || !pqti_may_count(count, error) ||
        !bounds_of(items, count, &bounds, error))
        return NULL;
    const pqt_tree *empty = pqt_tree_make(bounds, options, error);
    return empty == NULL ? NULL : pqt_tree_insert_all(empty, items, count, error);
}

size_t
pqt_tree_count(const pqt_tree *tree)
{
    PQT_ASSERT(tree != NULL, "the tree is NULL");
    return tree->count;
}

pqt_box
pqt_tree_bounds(const pqt_tree *tree)
{
    PQT_ASSERT(tree != NULL, "the tree is NULL");
    return tree->space->bounds;
}

pqt_tree_options
pqt_tree_get_options(const pqt_tree *tree)
{
    PQT_ASSERT(tree != NULL, "the tree is NULL");
    return tree->space->options;
}

pqt_fingerprint
pqt_tree_fingerprint(const pqt_tree *tree)
{
    PQT_ASSERT(tree != NULL, "the tree is NULL");
    return tree->fingerprint;
}

bool
pqt_tree_contains(const pqt_tree *tree, pqt_item item)
{
    PQT_ASSERT(tree != NULL, "the tree is NULL");
    if (!pqt_box_is_valid(item.box))
        return false;
    item.box = pqti_box_positive_zero(item.box);
    pqti_entry entry = pqti_entry_of(tree->space, &item, 0);
    pqti_ref ref = pqti_root(tree);
    pqti_place place = PQTI_ROOT;
    while (ref.count > 0 && !ref.leaf) {
        place = pqti_place_of_node(tree->space, place, ref);
        int part = pqti_part_of(place, &entry, &item);
        ref = pqti_part_ref(ref.at, ref.count, part);
        place = pqti_part_place(tree->space, place, part);
    }
    return ref.count > 0 &&
           pqti_view_find(pqti_view(ref.at, ref.count), ref.count, &item) < ref.count;
}

bool
pqt_tree_find(const pqt_tree *tree, uint64_t id, pqt_item *found)
{
    PQT_ASSERT(tree != NULL, "the tree is NULL");
    PQT_ASSERT(tree->space->options.unique_ids, "finding by id needs a tree with unique_ids");
    pqt_item item;
    if (!pqti_ids_find(tree->ids, id, &item))
        return false;
    if (found != NULL)
        *found = item;
    return true;
}

static bool equal_parts(pqti_ref a, pqti_ref b);

static bool
equal_nodes(const pqti_inner *a, const pqti_inner *b, uint32_t count)
{
    if (memcmp(&a->fingerprint, &b->fingerprint, sizeof a->fingerprint) != 0)
        return false;
    if (!equal_parts(pqti_bucket_ref(a, count), pqti_bucket_ref(b, count)))
        return false;
    for (int i = 0; i < PQTI_QUARTERS; i++)
        if (!equal_parts(pqti_quarter(a, i), pqti_quarter(b, i)))
            return false;
    return true;
}

/* Equal items make equal shapes, so a difference of shape is one of items. */
static bool
equal_parts(pqti_ref a, pqti_ref b)
{
    if (a.at == b.at)
        return true;
    if (a.marked != b.marked)
        return false;
    if (a.leaf)
        return memcmp(a.at, b.at, a.count * 5 * sizeof(uint64_t)) == 0;
    return equal_nodes(a.at, b.at, a.count);
}

bool
pqt_tree_equals(const pqt_tree *a, const pqt_tree *b)
{
    PQT_ASSERT(a != NULL && b != NULL, "a tree is NULL");
    if (a == b)
        return true;
    return pqti_space_equals(a->space, b->space) &&
           memcmp(&a->fingerprint, &b->fingerprint, sizeof a->fingerprint) == 0 &&
           equal_parts(pqti_root(a), pqti_root(b));
}

pqt_pin *
pqt_tree_pin(const pqt_tree *tree, pqt_error *error)
{
    return pqti_may_go_on(tree, error)
               ? pqti_pin(tree->space->options.memory, PQTI_KIND_TREE, tree, error)
               : NULL;
}

const pqt_tree *
pqt_pin_tree(const pqt_pin *pin)
{
    return pqti_pinned(__func__, pin, PQTI_KIND_TREE);
}
