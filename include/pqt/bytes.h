/* SPDX-License-Identifier: MIT */
/**
 * @file bytes.h - versions as bytes: written to a file or a callback, and read back.
 *
 * A version determines its bytes: equal versions give equal bytes, on every platform and in every
 * memory. docs/format.md specifies the format. A file name ends in `.pqt` by convention; a reader
 * recognises the format by its first bytes.
 *
 *     pqt_error error = {0};
 *     if (!pqt_tree_save(tree, "map.pqt", &error))
 *         return complain(&error);
 *     const pqt_tree *same = pqt_tree_load("map.pqt", NULL, &error);
 *
 * A reader trusts nothing. It checks the checksum of each section, each number, the order of the
 * items and the fingerprint of the whole. Each failure leaves one line in the error, which names
 * the byte where the faulty section begins; `error.index` is also that byte. A reader allocates
 * memory as data arrive, so a short file with large numbers in it costs little.
 *
 * Functions that save and load are no cancellation points: a thread that is cancelled in one
 * completes it first, so it leaves no temporary file. Functions with a callback are, if the
 * callback is.
 */
#ifndef PQT_BYTES_H
#define PQT_BYTES_H

#include <stdbool.h>
#include <stddef.h>

#include <pqt/any_version.h>
#include <pqt/document.h>
#include <pqt/error.h>
#include <pqt/export.h>
#include <pqt/kind.h>
#include <pqt/map.h>
#include <pqt/memory.h>
#include <pqt/tree.h>

PQT_BEGIN_DECLARATIONS

/** @name Callbacks */
/** @{ */

/**
 * Does the same as pqt_version_write, for a tree.
 *
 * @param tree     any version whose ids are not pointers
 * @param write    called once for each section
 * @param context  passed to `write`
 * @return         false on failure; some bytes may have been written
 * @cost  O(n) time; scratch memory of 400 kB at most
 */
static inline bool
pqt_tree_write(const pqt_tree *tree, pqt_write_fn *write, void *context, pqt_error *error)
{
    return pqt_version_write(tree, write, context, error);
}

/**
 * Does the same as pqt_version_write, for a map. Entries are written in ascending order of ids, or
 * of the bytes of their keys.
 *
 * @param map      any version
 * @param write    called once for each section
 * @param context  passed to `write`
 * @return         false on failure; some bytes may have been written
 * @cost  O(n log n) time; scratch memory of 400 kB, and 50 bytes per entry
 */
static inline bool
pqt_map_write(const pqt_map *map, pqt_write_fn *write, void *context, pqt_error *error)
{
    return pqt_version_write(map, write, context, error);
}

/**
 * Does the same as pqt_version_write, for a document. Its parts are written in the order of their
 * names.
 *
 * @param document  any version whose trees have no pointer ids
 * @param write     called once for each section
 * @param context   passed to `write`
 * @return          false on failure; some bytes may have been written
 * @cost  the costs of writing its parts, one after the other
 */
static inline bool
pqt_document_write(const pqt_document *document, pqt_write_fn *write, void *context,
                   pqt_error *error)
{
    return pqt_version_write(document, write, context, error);
}

/**
 * Does the same as pqt_version_read, for a tree.
 *
 * @param read     called until the version is complete
 * @param context  passed to `read`
 * @param memory   where the version will live; NULL: the default memory
 * @return         the version; NULL on failure
 * @cost  O(n) time; scratch memory of 60 bytes per item, 180 with unique_ids, and 500 kB
 */
PQT_NODISCARD static inline const pqt_tree *
pqt_tree_read(pqt_read_fn *read, void *context, pqt_memory *memory, pqt_error *error)
{
    return (const pqt_tree *)pqt_version_read(PQT_KIND_TREE, read, context, memory, error);
}

/**
 * Does the same as pqt_version_read, for a map.
 *
 * @param read     called until the version is complete
 * @param context  passed to `read`
 * @param memory   where the version will live; NULL: the default memory
 * @return         the version; NULL on failure
 * @cost  O(n log n) time; scratch memory of 250 bytes per entry, twice the size of its byte
 *        strings, and 500 kB
 */
PQT_NODISCARD static inline const pqt_map *
pqt_map_read(pqt_read_fn *read, void *context, pqt_memory *memory, pqt_error *error)
{
    return (const pqt_map *)pqt_version_read(PQT_KIND_MAP, read, context, memory, error);
}

/**
 * Does the same as pqt_version_read, for a document.
 *
 * @param read     called until the version is complete
 * @param context  passed to `read`
 * @param memory   where the version will live; NULL: the default memory
 * @return         the version; NULL on failure
 * @cost  the costs of reading its parts
 */
PQT_NODISCARD static inline const pqt_document *
pqt_document_read(pqt_read_fn *read, void *context, pqt_memory *memory, pqt_error *error)
{
    return (const pqt_document *)pqt_version_read(PQT_KIND_DOCUMENT, read, context, memory, error);
}
/** @} */

/** @name Files */
/** @{ */

/**
 * Does the same as pqt_version_save, for a tree.
 *
 * @param tree  any version whose ids are not pointers
 * @param path  not NULL
 * @return      false on failure
 */
static inline bool
pqt_tree_save(const pqt_tree *tree, const char *path, pqt_error *error)
{
    return pqt_version_save(tree, path, error);
}

/**
 * Does the same as pqt_version_save, for a map.
 *
 * @param map   any version
 * @param path  not NULL
 * @return      false on failure
 */
static inline bool
pqt_map_save(const pqt_map *map, const char *path, pqt_error *error)
{
    return pqt_version_save(map, path, error);
}

/**
 * Does the same as pqt_version_save, for a document.
 *
 * @param document  any version
 * @param path      not NULL
 * @return          false on failure
 */
static inline bool
pqt_document_save(const pqt_document *document, const char *path, pqt_error *error)
{
    return pqt_version_save(document, path, error);
}

/**
 * Does the same as pqt_version_load, for a tree. The bounds and the options of the tree, such as
 * unique_ids, are those in the file.
 *
 * @param path    not NULL
 * @param memory  where the version will live; NULL: the default memory
 * @return        the version; NULL on failure
 */
PQT_NODISCARD static inline const pqt_tree *
pqt_tree_load(const char *path, pqt_memory *memory, pqt_error *error)
{
    return (const pqt_tree *)pqt_version_load(PQT_KIND_TREE, path, memory, error);
}

/**
 * Does the same as pqt_version_load, for a map.
 *
 * @param path    not NULL
 * @param memory  where the version will live; NULL: the default memory
 * @return        the version; NULL on failure
 */
PQT_NODISCARD static inline const pqt_map *
pqt_map_load(const char *path, pqt_memory *memory, pqt_error *error)
{
    return (const pqt_map *)pqt_version_load(PQT_KIND_MAP, path, memory, error);
}

/**
 * Does the same as pqt_version_load, for a document.
 *
 * @param path    not NULL
 * @param memory  where the version will live; NULL: the default memory
 * @return        the version; NULL on failure
 */
PQT_NODISCARD static inline const pqt_document *
pqt_document_load(const char *path, pqt_memory *memory, pqt_error *error)
{
    return (const pqt_document *)pqt_version_load(PQT_KIND_DOCUMENT, path, memory, error);
}
/** @} */

PQT_END_DECLARATIONS

#endif
