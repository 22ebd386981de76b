/* SPDX-License-Identifier: MIT */
/*
 * shim_trees.c: replaces shim.c in pqt-trees.wasm, which has only trees and histories of trees.
 *
 * build_wasm leaves out the sources for other kinds of versions, for convexes and for arenas. The
 * rest of the library refers to the functions below. JavaScript passes no convex and no document,
 * so most of these functions are never called.
 */
#define PQTJS_TREES
#include "shim.c"

#include "document/document_internal.h"
#include "io/bytes_internal.h"
#include "never_called.h"

NEVER_CALLED(size_t, pqt_document_count, const pqt_document *document)
NEVER_CALLED(bool, pqt_document_exclusive_bytes, const pqt_document *document,
             const pqt_document *const *others, size_t count, size_t *bytes, pqt_error *error)
NEVER_CALLED(bool, pqt_map_exclusive_bytes, const pqt_map *map, const pqt_map *const *others,
             size_t count, size_t *bytes, pqt_error *error)
NEVER_CALLED(bool, pqt_region_exclusive_bytes, const pqt_region *region,
             const pqt_region *const *others, size_t count, size_t *bytes, pqt_error *error)
NEVER_CALLED(bool, pqt_world_exclusive_bytes, const pqt_world *world,
             const pqt_world *const *others, size_t count, size_t *bytes, pqt_error *error)
NEVER_CALLED(bool, pqti_check_schemas, const pqt_document *a, const pqt_document *b,
             pqt_error *error)
NEVER_CALLED(void, pqti_part_failed, pqt_error *error, const char *part, const pqt_error *from)

/* Each history destroys its index, which is an arena or NULL. Here it is always NULL. */
void
pqt_arena_destroy(pqt_memory **arena)
{
    if (*arena != NULL)
        __builtin_trap();
}

/* Bytes are those of trees: lib/ checks the kind first. */

bool
pqt_version_write(const void *version, pqt_write_fn *write, void *context, pqt_error *error)
{
    return pqti_write_version(&pqti_tree_bytes, version, write, context, error);
}

const void *
pqt_version_read(pqt_kind kind, pqt_read_fn *read, void *context, pqt_memory *memory,
                 pqt_error *error)
{
    (void)kind;
    return pqti_read_version(&pqti_tree_bytes, read, context, memory, error);
}
