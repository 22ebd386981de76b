/* SPDX-License-Identifier: MIT */
/**
 * @file image_bytes.h - images as bytes: written to a file or a callback, and read back.
 *
 * These are the functions of any_version.h with the types of this kind.
 */
#ifndef PQT_IMAGE_BYTES_H
#define PQT_IMAGE_BYTES_H

#include <stdbool.h>

#include <pqt/any_version.h>
#include <pqt/bytes.h>
#include <pqt/error.h>
#include <pqt/export.h>
#include <pqt/kind.h>
#include <pqt/memory.h>
#include <pqt/image.h>

PQT_BEGIN_DECLARATIONS

/**
 * Like pqt_tree_write, for an image. A tile of at most 128 colours is written as indices of a
 * palette.
 *
 * @param image    any version
 * @param write    called once for each section
 * @param context  passed to `write`
 * @return         false on failure; some bytes may have been written
 * @cost  O(nodes) time; scratch memory of 200 kB
 */
static inline bool
pqt_image_write(const pqt_image *image, pqt_write_fn *write, void *context, pqt_error *error)
{
    return pqt_version_write(image, write, context, error);
}

/**
 * Like pqt_tree_read, for an image.
 *
 * @param read     called until the data is complete
 * @param context  passed to `read`
 * @param memory   NULL: the default memory
 * @return         the version; NULL on failure
 * @cost  O(bytes) time; scratch memory of 200 kB
 */
PQT_NODISCARD static inline const pqt_image *
pqt_image_read(pqt_read_fn *read, void *context, pqt_memory *memory, pqt_error *error)
{
    return (const pqt_image *)pqt_version_read(PQT_KIND_IMAGE, read, context, memory, error);
}

/**
 * Like pqt_tree_save, for an image.
 *
 * @param image   any version
 * @param path    the name of the file
 * @return        false on failure
 */
static inline bool
pqt_image_save(const pqt_image *image, const char *path, pqt_error *error)
{
    return pqt_version_save(image, path, error);
}

/**
 * Like pqt_tree_load, for an image.
 *
 * @param path    the name of the file
 * @param memory  NULL: the default memory
 * @return        the version; NULL on failure
 */
PQT_NODISCARD static inline const pqt_image *
pqt_image_load(const char *path, pqt_memory *memory, pqt_error *error)
{
    return (const pqt_image *)pqt_version_load(PQT_KIND_IMAGE, path, memory, error);
}

PQT_END_DECLARATIONS

#endif
