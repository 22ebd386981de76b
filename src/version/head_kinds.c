/* SPDX-License-Identifier: MIT */
/*
 * head_kinds.c: the public functions for heads, for each kind of version.
 *
 * Each of them calls the function in head_internal.h that does the work for versions of any kind.
 */
#include "config.h"

#include "version/head_internal.h"

#include "base/error_internal.h"
#include "document/document_internal.h"
#include "map/map_internal.h"
#include "region/region_internal.h"
#include "region/region_node.h"
#include "tree/tree_internal.h"
#include "world/world_internal.h"

/* ---- Heads of trees ---- */

static pqti_head_value
published_tree(const pqt_tree *tree)
{
    return (pqti_head_value){tree, tree != NULL ? tree->domain->options.memory : NULL};
}

pqt_head *
pqt_head_make(const pqt_tree *first, pqt_error *error)
{
    if (!pqti_check_input(first, error))
        return NULL;
    return pqti_head_make(PQT_KIND_TREE, published_tree(first), error);
}

const pqt_tree *
pqt_head_load(const pqt_head *head, uint64_t *number)
{
    const pqti_numbered_value newest = pqti_head_load(__func__, head, PQT_KIND_TREE);
    if (number != NULL)
        *number = newest.number;
    return newest.version;
}

pqt_pin *
pqt_head_pin(const pqt_head *head, uint64_t *number, pqt_error *error)
{
    return pqti_head_pin(__func__, head, PQT_KIND_TREE, number, error);
}

bool
pqt_head_publish(pqt_head *head, const pqt_tree *next, pqt_error *error)
{
    if (!pqti_check_input(next, error))
        return false;
    return pqti_head_publish(__func__, head, PQT_KIND_TREE, published_tree(next), error);
}

typedef struct tree_update {
    pqt_head_update_fn *update;
    void *context;
} tree_update;

static pqti_head_value
update_tree(const void *now, void *context, pqt_error *error)
{
    const tree_update *by = context;
    return published_tree(by->update(now, by->context, error));
}

const pqt_tree *
pqt_head_update(pqt_head *head, pqt_head_update_fn *update, void *context, uint64_t *number,
                pqt_error *error)
{
    PQT_ASSERT(update != NULL, "the update function is NULL");
    tree_update by = {update, context};
    const pqti_numbered_value made =
        pqti_head_update(__func__, head, PQT_KIND_TREE, update_tree, &by, error);
    if (made.version != NULL && number != NULL)
        *number = made.number;
    return made.version;
}

/* ---- Heads of regions ---- */

static pqti_head_value
published_region(const pqt_region *region)
{
    return (pqti_head_value){region, region != NULL ? region->memory : NULL};
}

pqt_head *
pqt_head_make_region(const pqt_region *first, pqt_error *error)
{
    if (!pqti_region_check_input(first, error))
        return NULL;
    return pqti_head_make(PQT_KIND_REGION, published_region(first), error);
}

const pqt_region *
pqt_head_load_region(const pqt_head *head, uint64_t *number)
{
    const pqti_numbered_value newest = pqti_head_load(__func__, head, PQT_KIND_REGION);
    if (number != NULL)
        *number = newest.number;
    return newest.version;
}

pqt_pin *
pqt_head_pin_region(const pqt_head *head, uint64_t *number, pqt_error *error)
{
    return pqti_head_pin(__func__, head, PQT_KIND_REGION, number, error);
}

bool
pqt_head_publish_region(pqt_head *head, const pqt_region *next, pqt_error *error)
{
    if (!pqti_region_check_input(next, error))
        return false;
    return pqti_head_publish(__func__, head, PQT_KIND_REGION, published_region(next), error);
}

typedef struct region_update {
    pqt_head_update_region_fn *update;
    void *context;
} region_update;

static pqti_head_value
update_region(const void *now, void *context, pqt_error *error)
{
    const region_update *by = context;
    return published_region(by->update(now, by->context, error));
}

const pqt_region *
pqt_head_update_region(pqt_head *head, pqt_head_update_region_fn *update, void *context,
                       uint64_t *number, pqt_error *error)
{
    PQT_ASSERT(update != NULL, "the update function is NULL");
    region_update by = {update, context};
    const pqti_numbered_value made =
        pqti_head_update(__func__, head, PQT_KIND_REGION, update_region, &by, error);
    if (made.version != NULL && number != NULL)
        *number = made.number;
    return made.version;
}

/* ---- Heads of worlds ---- */

static pqti_head_value
published_world(const pqt_world *world)
{
    return (pqti_head_value){world, world != NULL ? pqti_world_memory(world) : NULL};
}

pqt_head *
pqt_head_make_world(const pqt_world *first, pqt_error *error)
{
    if (!pqti_world_check_input(first, error))
        return NULL;
    return pqti_head_make(PQT_KIND_WORLD, published_world(first), error);
}

const pqt_world *
pqt_head_load_world(const pqt_head *head, uint64_t *number)
{
    const pqti_numbered_value newest = pqti_head_load(__func__, head, PQT_KIND_WORLD);
    if (number != NULL)
        *number = newest.number;
    return newest.version;
}

pqt_pin *
pqt_head_pin_world(const pqt_head *head, uint64_t *number, pqt_error *error)
{
    return pqti_head_pin(__func__, head, PQT_KIND_WORLD, number, error);
}

bool
pqt_head_publish_world(pqt_head *head, const pqt_world *next, pqt_error *error)
{
    if (!pqti_world_check_input(next, error))
        return false;
    return pqti_head_publish(__func__, head, PQT_KIND_WORLD, published_world(next), error);
}

typedef struct world_update {
    pqt_head_update_world_fn *update;
    void *context;
} world_update;

static pqti_head_value
update_world(const void *now, void *context, pqt_error *error)
{
    const world_update *by = context;
    return published_world(by->update(now, by->context, error));
}

const pqt_world *
pqt_head_update_world(pqt_head *head, pqt_head_update_world_fn *update, void *context,
                      uint64_t *number, pqt_error *error)
{
    PQT_ASSERT(update != NULL, "the update function is NULL");
    world_update by = {update, context};
    const pqti_numbered_value made =
        pqti_head_update(__func__, head, PQT_KIND_WORLD, update_world, &by, error);
    if (made.version != NULL && number != NULL)
        *number = made.number;
    return made.version;
}

/* ---- Heads of maps ---- */

static pqti_head_value
published_map(const pqt_map *map)
{
    return (pqti_head_value){map, map != NULL ? map->memory : NULL};
}

pqt_head *
pqt_head_make_map(const pqt_map *first, pqt_error *error)
{
    if (!pqti_map_check_input(first, error))
        return NULL;
    return pqti_head_make(PQT_KIND_MAP, published_map(first), error);
}

const pqt_map *
pqt_head_load_map(const pqt_head *head, uint64_t *number)
{
    const pqti_numbered_value newest = pqti_head_load(__func__, head, PQT_KIND_MAP);
    if (number != NULL)
        *number = newest.number;
    return newest.version;
}

pqt_pin *
pqt_head_pin_map(const pqt_head *head, uint64_t *number, pqt_error *error)
{
    return pqti_head_pin(__func__, head, PQT_KIND_MAP, number, error);
}

bool
pqt_head_publish_map(pqt_head *head, const pqt_map *next, pqt_error *error)
{
    if (!pqti_map_check_input(next, error))
        return false;
    return pqti_head_publish(__func__, head, PQT_KIND_MAP, published_map(next), error);
}

typedef struct map_update {
    pqt_head_update_map_fn *update;
    void *context;
} map_update;

static pqti_head_value
next_map(const void *now, void *context, pqt_error *error)
{
    const map_update *by = context;
    return published_map(by->update(now, by->context, error));
}

const pqt_map *
pqt_head_update_map(pqt_head *head, pqt_head_update_map_fn *update, void *context, uint64_t *number,
                    pqt_error *error)
{
    PQT_ASSERT(update != NULL, "the update function is NULL");
    map_update by = {update, context};
    const pqti_numbered_value made =
        pqti_head_update(__func__, head, PQT_KIND_MAP, next_map, &by, error);
    if (made.version != NULL && number != NULL)
        *number = made.number;
    return made.version;
}

/* ---- Heads of documents ---- */

static pqti_head_value
published_document(const pqt_document *document)
{
    return (pqti_head_value){document, document != NULL ? document->memory : NULL};
}

pqt_head *
pqt_head_make_document(const pqt_document *first, pqt_error *error)
{
    if (!pqti_document_check_input(first, error))
        return NULL;
    return pqti_head_make(PQT_KIND_DOCUMENT, published_document(first), error);
}

const pqt_document *
pqt_head_load_document(const pqt_head *head, uint64_t *number)
{
    const pqti_numbered_value newest = pqti_head_load(__func__, head, PQT_KIND_DOCUMENT);
    if (number != NULL)
        *number = newest.number;
    return newest.version;
}

pqt_pin *
pqt_head_pin_document(const pqt_head *head, uint64_t *number, pqt_error *error)
{
    return pqti_head_pin(__func__, head, PQT_KIND_DOCUMENT, number, error);
}

bool
pqt_head_publish_document(pqt_head *head, const pqt_document *next, pqt_error *error)
{
    if (!pqti_document_check_input(next, error))
        return false;
    return pqti_head_publish(__func__, head, PQT_KIND_DOCUMENT, published_document(next), error);
}

typedef struct document_update {
    pqt_head_update_document_fn *update;
    void *context;
} document_update;

static pqti_head_value
next_document(const void *now, void *context, pqt_error *error)
{
    const document_update *by = context;
    return published_document(by->update(now, by->context, error));
}

const pqt_document *
pqt_head_update_document(pqt_head *head, pqt_head_update_document_fn *update, void *context,
                         uint64_t *number, pqt_error *error)
{
    PQT_ASSERT(update != NULL, "the update function is NULL");
    document_update by = {update, context};
    const pqti_numbered_value made =
        pqti_head_update(__func__, head, PQT_KIND_DOCUMENT, next_document, &by, error);
    if (made.version != NULL && number != NULL)
        *number = made.number;
    return made.version;
}
