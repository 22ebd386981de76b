/* SPDX-License-Identifier: MIT */
/**
 * @file region_bytes.h - regions as bytes: written to a file or a callback, and read back.
 *
 * These are the functions of any_version.h with the types of this kind.
 */
#ifndef PQT_REGION_BYTES_H
#define PQT_REGION_BYTES_H

#include <stdbool.h>

#include <pqt/any_version.h>
#include <pqt/bytes.h>
#include <pqt/error.h>
#include <pqt/export.h>
#include <pqt/kind.h>
#include <pqt/memory.h>
#include <pqt/region.h>

PQT_BEGIN_DECLARATIONS

/**
 * Like pqt_tree_write, for a region. A square that occurs several times is written once.
 *
 * @param region   any version
 * @param write    called once for each section
 * @param context  passed to `write`
 * @return         false on failure; some bytes may have been written
 * @cost  O(distinct nodes) expected time; scratch memory of 400 kB, and 50 bytes per node
 */
static inline bool
pqt_region_write(const pqt_region *region, pqt_write_fn *write, void *context, pqt_error *error)
{
    return pqt_version_write(region, write, context, error);
}

/**
 * Like pqt_tree_read, for a region. Squares that are equal share one node.
 *
 * @param read     called until the data is complete
 * @param context  passed to `read`
 * @param memory   NULL: the default memory
 * @return         the version; NULL on failure
 * @cost  O(bytes) time; scratch memory of 16 bytes per node, and 500 kB
 */
PQT_NODISCARD static inline const pqt_region *
pqt_region_read(pqt_read_fn *read, void *context, pqt_memory *memory, pqt_error *error)
{
    return (const pqt_region *)pqt_version_read(PQT_KIND_REGION, read, context, memory, error);
}

/**
 * Like pqt_tree_save, for a region.
 *
 * @param region  any version
 * @param path    the name of the file
 * @return        false on failure
 */
static inline bool
pqt_region_save(const pqt_region *region, const char *path, pqt_error *error)
{
    return pqt_version_save(region, path, error);
}

/**
 * Like pqt_tree_load, for a region.
 *
 * @param path    the name of the file
 * @param memory  NULL: the default memory
 * @return        the version; NULL on failure
 */
PQT_NODISCARD static inline const pqt_region *
pqt_region_load(const char *path, pqt_memory *memory, pqt_error *error)
{
    return (const pqt_region *)pqt_version_load(PQT_KIND_REGION, path, memory, error);
}

PQT_END_DECLARATIONS

#endif
