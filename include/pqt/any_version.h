/* SPDX-License-Identifier: MIT */
/**
 * @file any_version.h - writes, reads, saves and loads versions of any kind.
 *
 * A version says its own kind (kind.h). Bytes and files say at their beginning which kind they hold
 * (pqt_bytes_kind_of), and a reader names the kind that it needs:
 *
 *     const void *newest = pqt_history_value(history);
 *     pqt_version_save(newest, "newest.pqt", &error);
 *
 * A library that was built without regions or worlds refuses their bytes, and a document with such
 * a part, with PQT_ERROR_UNSUPPORTED.
 *
 * PQT_KIND_NONE and PQT_KIND_OTHER stop the program with a message. A function fails with the
 * errors of the function for that kind.
 */
#ifndef PQT_ANY_VERSION_H
#define PQT_ANY_VERSION_H

#include <stdbool.h>

#include <pqt/bytes.h>
#include <pqt/error.h>
#include <pqt/export.h>
#include <pqt/kind.h>
#include <pqt/memory.h>

PQT_BEGIN_DECLARATIONS

/**
 * Writes a version, as pqt_tree_write does.
 *
 * @param version  a version of any kind
 * @param write    called once for each section
 * @param context  passed to `write`
 * @return         false on failure; some bytes may have been written
 */
PQT_API bool pqt_version_write(const void *version, pqt_write_fn *write, void *context,
                               pqt_error *error);

/**
 * Reads a version, as pqt_tree_read does.
 *
 * @param kind     the kind, which pqt_bytes_kind_of finds in the first bytes
 * @param read     called until the version is complete
 * @param context  passed to `read`
 * @param memory   where the version will live; NULL: the default memory
 * @return         the version; NULL on failure
 */
PQT_API PQT_NODISCARD const void *pqt_version_read(pqt_kind kind, pqt_read_fn *read, void *context,
                                                   pqt_memory *memory, pqt_error *error);

/**
 * Writes a version to a file, completely or not at all, as pqt_tree_save does.
 *
 * @param version  a version of any kind
 * @param path     not NULL
 * @return         false on failure
 */
PQT_API bool pqt_version_save(const void *version, const char *path, pqt_error *error);

/**
 * Reads a version from a file that holds nothing else, as pqt_tree_load does.
 *
 * @param kind    the kind
 * @param path    not NULL
 * @param memory  where the version will live; NULL: the default memory
 * @return        the version; NULL on failure
 */
PQT_API PQT_NODISCARD const void *pqt_version_load(pqt_kind kind, const char *path,
                                                   pqt_memory *memory, pqt_error *error);

PQT_END_DECLARATIONS

#endif
