/* SPDX-License-Identifier: MIT */
/* head_typed.c - heads of trees and heads of regions, over heads of anything. */
#include "config.h"

#include "version/head_internal.h"

#include "base/error_internal.h"
#include "region/region_internal.h"
#include "tree/tree_internal.h"

static pqti_published
published_tree(const pqt_tree *tree)
{
    return (pqti_published){tree, tree != NULL ? tree->space->options.memory : NULL};
}

pqt_head *
pqt_head_make(const pqt_tree *first, pqt_error *error)
{
    if (!pqti_may_go_on(first, error))
        return NULL;
    return pqti_head_make(PQTI_KIND_TREE, published_tree(first), error);
}

const pqt_tree *
pqt_head_load(const pqt_head *head, uint64_t *number)
{
    const pqti_head_value newest = pqti_head_load(__func__, head, PQTI_KIND_TREE);
    if (number != NULL)
        *number = newest.number;
    return newest.version;
}

pqt_pin *
pqt_head_pin(const pqt_head *head, uint64_t *number, pqt_error *error)
{
    return pqti_head_pin(__func__, head, PQTI_KIND_TREE, number, error);
}

bool
pqt_head_publish(pqt_head *head, const pqt_tree *next, pqt_error *error)
{
    if (!pqti_may_go_on(next, error))
        return false;
    return pqti_head_publish(__func__, head, PQTI_KIND_TREE, published_tree(next), error);
}

typedef struct tree_update {
    pqt_head_update_fn *update;
    void *context;
} tree_update;

static pqti_published
next_tree(const void *now, void *context, pqt_error *error)
{
    const tree_update *by = context;
    return published_tree(by->update(now, by->context, error));
}

const pqt_tree *
pqt_head_update(pqt_head *head, pqt_head_update_fn *update, void *context, uint64_t *number,
                pqt_error *error)
{
    PQT_ASSERT(update != NULL, "there is no function to update by");
    tree_update by = {update, context};
    const pqti_head_value made =
        pqti_head_update(__func__, head, PQTI_KIND_TREE, next_tree, &by, error);
    if (made.version != NULL && number != NULL)
        *number = made.number;
    return made.version;
}

static pqti_published
published_region(const pqt_region *region)
{
    return (pqti_published){region, region != NULL ? region->memory : NULL};
}

pqt_head *
pqt_head_make_region(const pqt_region *first, pqt_error *error)
{
    if (!pqti_region_may_go_on(first, error))
        return NULL;
    return pqti_head_make(PQTI_KIND_REGION, published_region(first), error);
}

const pqt_region *
pqt_head_load_region(const pqt_head *head, uint64_t *number)
{
    const pqti_head_value newest = pqti_head_load(__func__, head, PQTI_KIND_REGION);
    if (number != NULL)
        *number = newest.number;
    return newest.version;
}

pqt_pin *
pqt_head_pin_region(const pqt_head *head, uint64_t *number, pqt_error *error)
{
    return pqti_head_pin(__func__, head, PQTI_KIND_REGION, number, error);
}

bool
pqt_head_publish_region(pqt_head *head, const pqt_region *next, pqt_error *error)
{
    if (!pqti_region_may_go_on(next, error))
        return false;
    return pqti_head_publish(__func__, head, PQTI_KIND_REGION, published_region(next), error);
}

typedef struct region_update {
    pqt_head_update_region_fn *update;
    void *context;
} region_update;

static pqti_published
next_region(const void *now, void *context, pqt_error *error)
{
    const region_update *by = context;
    return published_region(by->update(now, by->context, error));
}

const pqt_region *
pqt_head_update_region(pqt_head *head, pqt_head_update_region_fn *update, void *context,
                       uint64_t *number, pqt_error *error)
{
    PQT_ASSERT(update != NULL, "there is no function to update by");
    region_update by = {update, context};
    const pqti_head_value made =
        pqti_head_update(__func__, head, PQTI_KIND_REGION, next_region, &by, error);
    if (made.version != NULL && number != NULL)
        *number = made.number;
    return made.version;
}
