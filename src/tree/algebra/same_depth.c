/* SPDX-License-Identifier: MIT */
/* same_depth.c: checks pairs of versions, and builds versions again with another max_depth. */
#include "config.h"

#include "tree/algebra/same_depth.h"

#include <string.h>

#include <pqt/heap.h>

#include "base/error_internal.h"
#include "memory/memory_internal.h"

/* Returns the first field in which the domains of two versions differ, or NULL. Ignores
   max_depth. */
static const char *
field_that_differs(const pqti_domain *a, const pqti_domain *b)
{
    if (memcmp(&a->bounds, &b->bounds, sizeof a->bounds) != 0)
        return "bounds";
    if (a->capacity != b->capacity)
        return "leaf_capacity";
    if (a->options.strict_bounds != b->options.strict_bounds)
        return "strict_bounds";
    if (a->options.unique_ids != b->options.unique_ids)
        return "unique_ids";
    if (a->options.ids_are_pointers != b->options.ids_are_pointers)
        return "ids_are_pointers";
    return a->options.memory != b->options.memory ? "memory" : NULL;
}

bool
pqti_check_comparable(const pqt_tree *a, const pqt_tree *b, pqt_error *error)
{
    const char *field = a->domain == b->domain ? NULL : field_that_differs(a->domain, b->domain);
    if (field == NULL)
        return true;
    pqti_error_set(error, PQT_ERROR_MISMATCH, 0, "the versions differ in %s", field);
    return false;
}

bool
pqti_are_of_one_shape(const pqt_tree *a, const pqt_tree *b)
{
    return a->domain->depth == b->domain->depth && pqti_check_comparable(a, b, NULL);
}

/* Returns a version with the items of `tree`, and the bounds and options of `like`. */
static const pqt_tree *
build_like(const pqt_tree *tree, const pqt_tree *like, pqt_error *error)
{
    const pqt_tree *empty = pqt_tree_clear(like, error);
    pqt_item *items = pqti_alloc_scratch((size_t)tree->count + 1, sizeof *items);
    const pqt_tree *built = NULL;
    if (items == NULL)
        pqti_out_of_memory(error);
    if (items != NULL && empty != NULL) {
        (void)pqti_collect_items(pqti_root(tree), items);
        built = pqt_tree_insert_all(empty, items, tree->count, error);
    }
    pqti_free_scratch(items);
    pqti_keep_alive(tree);
    return built;
}

bool
pqti_same_depth_begin(pqti_same_depth *same, const pqt_tree *a, const pqt_tree *b, pqt_error *error)
{
    pqt_memory *memory = a->domain->options.memory;
    *same = (pqti_same_depth){b, NULL};
    if (!pqti_check_comparable(a, b, error))
        return false;
    if (a->domain->depth == b->domain->depth)
        return true;
    if (!pqt_scope_begin(memory, error))
        return false;
    same->tree = build_like(b, a, error);
    if (same->tree == NULL) {
        pqt_scope_end(memory);
        return false;
    }
    same->memory = memory;
    return true;
}

void
pqti_same_depth_end(const pqti_same_depth *same)
{
    if (same->memory != NULL)
        pqt_scope_end(same->memory);
    pqti_keep_alive(same->tree);
}
