/* SPDX-License-Identifier: MIT */
/*
 * history_kinds.c: the kinds of values that the library has: trees, regions, worlds, maps and
 * documents.
 */
#include "config.h"

#include "version/history_internal.h"

#include <pqt/region.h>

#include "map/map_internal.h"
#include "memory/memory_internal.h"
#include "region/region_node.h"
#include "tree/node.h"
#include "world/world_internal.h"

/* Calls `hold` for a value that is itself a version. */
static void
trace_version(const void *value, pqt_hold_fn *hold, void *holder, void *context)
{
    (void)context;
    hold(value, holder);
}

static pqt_memory *
memory_of_tree(const void *tree, void *context)
{
    (void)context;
    pqti_assert_kind(NULL, PQT_KIND_TREE, tree);
    pqti_assert_alive(NULL, tree);
    return ((const pqt_tree *)tree)->domain->options.memory;
}

static bool
equal_trees(const void *a, const void *b, void *context)
{
    (void)context;
    return pqt_tree_equals(a, b);
}

static bool
bytes_of_tree(const void *tree, const void *const *others, size_t count, size_t *bytes,
              void *context)
{
    (void)context;
    return pqt_tree_exclusive_bytes(tree, (const pqt_tree *const *)others, count, bytes, NULL);
}

const pqt_history_kind *
pqt_history_trees(void)
{
    static const pqt_history_kind kind = {sizeof kind,   "trees", memory_of_tree, equal_trees,
                                          bytes_of_tree, NULL,    trace_version};
    return &kind;
}

static pqt_memory *
memory_of_region(const void *region, void *context)
{
    (void)context;
    pqti_assert_kind(NULL, PQT_KIND_REGION, region);
    pqti_assert_region_alive(NULL, region);
    return ((const pqt_region *)region)->memory;
}

static bool
equal_regions(const void *a, const void *b, void *context)
{
    (void)context;
    return pqt_region_equals(a, b);
}

static bool
bytes_of_region(const void *region, const void *const *others, size_t count, size_t *bytes,
                void *context)
{
    (void)context;
    return pqt_region_exclusive_bytes(region, (const pqt_region *const *)others, count, bytes,
                                      NULL);
}

const pqt_history_kind *
pqt_history_regions(void)
{
    static const pqt_history_kind kind = {sizeof kind,   "regions",       memory_of_region,
                                          equal_regions, bytes_of_region, NULL,
                                          trace_version};
    return &kind;
}

static pqt_memory *
memory_of_map(const void *map, void *context)
{
    (void)context;
    pqti_assert_kind(NULL, PQT_KIND_MAP, map);
    pqti_assert_map_alive(NULL, map);
    return ((const pqt_map *)map)->memory;
}

static bool
equal_maps(const void *a, const void *b, void *context)
{
    (void)context;
    return pqt_map_equals(a, b);
}

static bool
bytes_of_map(const void *map, const void *const *others, size_t count, size_t *bytes, void *context)
{
    (void)context;
    return pqt_map_exclusive_bytes(map, (const pqt_map *const *)others, count, bytes, NULL);
}

const pqt_history_kind *
pqt_history_maps(void)
{
    static const pqt_history_kind kind = {sizeof kind,  "maps", memory_of_map, equal_maps,
                                          bytes_of_map, NULL,   trace_version};
    return &kind;
}

static pqt_memory *
memory_of_world(const void *world, void *context)
{
    (void)context;
    pqti_assert_kind(NULL, PQT_KIND_WORLD, world);
    pqti_assert_world_alive(NULL, world);
    return pqti_world_memory(world);
}

static bool
equal_worlds(const void *a, const void *b, void *context)
{
    (void)context;
    return pqt_world_equals(a, b);
}

static bool
bytes_of_world(const void *world, const void *const *others, size_t count, size_t *bytes,
               void *context)
{
    (void)context;
    return pqt_world_exclusive_bytes(world, (const pqt_world *const *)others, count, bytes, NULL);
}

const pqt_history_kind *
pqt_history_worlds(void)
{
    static const pqt_history_kind kind = {sizeof kind,    "worlds", memory_of_world, equal_worlds,
                                          bytes_of_world, NULL,     trace_version};
    return &kind;
}

static pqt_memory *
memory_of_document(const void *document, void *context)
{
    (void)context;
    pqti_assert_kind(NULL, PQT_KIND_DOCUMENT, document);
    return pqt_document_memory(document);
}

static bool
equal_documents(const void *a, const void *b, void *context)
{
    (void)context;
    return pqt_document_equals(a, b);
}

static bool
bytes_of_document(const void *document, const void *const *others, size_t count, size_t *bytes,
                  void *context)
{
    (void)context;
    return pqt_document_exclusive_bytes(document, (const pqt_document *const *)others, count, bytes,
                                        NULL);
}

const pqt_history_kind *
pqt_history_documents(void)
{
    static const pqt_history_kind kind = {sizeof kind,     "documents",       memory_of_document,
                                          equal_documents, bytes_of_document, NULL,
                                          trace_version};
    return &kind;
}

bool
pqti_history_has_trees(const pqt_history *history)
{
    return history->kind.bytes == pqt_history_trees()->bytes;
}

bool
pqti_history_has_documents(const pqt_history *history)
{
    return history->kind.bytes == pqt_history_documents()->bytes;
}

bool
pqti_history_has_versions(const pqt_history *history)
{
    return pqti_history_has_trees(history) || pqti_history_has_documents(history) ||
           history->kind.bytes == pqt_history_regions()->bytes ||
           history->kind.bytes == pqt_history_worlds()->bytes ||
           history->kind.bytes == pqt_history_maps()->bytes;
}
