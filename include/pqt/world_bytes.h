/* SPDX-License-Identifier: MIT */
/**
 * @file world_bytes.h - worlds as bytes: written to a file or a callback, and read back.
 *
 * These are the functions of any_version.h with the types of this kind.
 */
#ifndef PQT_WORLD_BYTES_H
#define PQT_WORLD_BYTES_H

#include <stdbool.h>

#include <pqt/any_version.h>
#include <pqt/bytes.h>
#include <pqt/error.h>
#include <pqt/export.h>
#include <pqt/kind.h>
#include <pqt/memory.h>
#include <pqt/world.h>

PQT_BEGIN_DECLARATIONS

/**
 * Like pqt_tree_write, for a world with its obstacle.
 *
 * @param world    any version
 * @param write    called once for each section
 * @param context  passed to `write`
 * @return         false on failure; some bytes may have been written
 * @cost  O(n log n) time; scratch memory of 100 bytes per body, and the scratch memory for its
 *        obstacle
 */
static inline bool
pqt_world_write(const pqt_world *world, pqt_write_fn *write, void *context, pqt_error *error)
{
    return pqt_version_write(world, write, context, error);
}

/**
 * Like pqt_tree_read, for a world.
 *
 * @param read     called until the data is complete
 * @param context  passed to `read`
 * @param memory   NULL: the default memory
 * @return         the version; NULL on failure
 * @cost  as pqt_world_add_all
 */
PQT_NODISCARD static inline const pqt_world *
pqt_world_read(pqt_read_fn *read, void *context, pqt_memory *memory, pqt_error *error)
{
    return (const pqt_world *)pqt_version_read(PQT_KIND_WORLD, read, context, memory, error);
}

/**
 * Like pqt_tree_save, for a world.
 *
 * @param world  any version
 * @param path   the name of the file
 * @return       false on failure
 */
static inline bool
pqt_world_save(const pqt_world *world, const char *path, pqt_error *error)
{
    return pqt_version_save(world, path, error);
}

/**
 * Like pqt_tree_load, for a world.
 *
 * @param path    the name of the file
 * @param memory  NULL: the default memory
 * @return        the version; NULL on failure
 */
PQT_NODISCARD static inline const pqt_world *
pqt_world_load(const char *path, pqt_memory *memory, pqt_error *error)
{
    return (const pqt_world *)pqt_version_load(PQT_KIND_WORLD, path, memory, error);
}

PQT_END_DECLARATIONS

#endif
