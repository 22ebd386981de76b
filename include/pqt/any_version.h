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
#include <stddef.h>

#include <pqt/error.h>
#include <pqt/export.h>
#include <pqt/kind.h>
#include <pqt/memory.h>

PQT_BEGIN_DECLARATIONS

/** The number of bytes that pqt_bytes_kind_of needs. */
#define PQT_BYTES_HEAD 20

/**
 * Takes bytes of a version, in order. It must return.
 *
 * @param bytes    `count` bytes, valid during the call; count > 0
 * @param count    the number of bytes
 * @param context  as passed to the function that calls it
 * @return         false if they cannot be taken; it is then not called again
 */
typedef bool pqt_write_fn(const void *bytes, size_t count, void *context);

/**
 * Supplies bytes of a version, in order. It must return.
 *
 * @param bytes     room for `capacity` bytes; capacity > 0
 * @param capacity  the size of `bytes`
 * @param count     set to the number of bytes supplied, at most `capacity`; fewer are allowed; 0 at
 *                  the end of the data
 * @param context   as passed to the function that calls it
 * @return          false if reading failed
 */
typedef bool pqt_read_fn(void *bytes, size_t capacity, size_t *count, void *context);

/**
 * Recognises the format and the kind of the version from the first bytes.
 *
 * @param bytes  `count` bytes, the first PQT_BYTES_HEAD of the data or more; NULL if count is 0
 * @param count  the number of bytes
 * @return       the kind; PQT_KIND_NONE if they are not in this format, or too few to tell;
 *               PQT_KIND_OTHER if they are in this format, but this library does not know the kind,
 *               or if they hold a history (pqt_is_history)
 * @thread  any
 */
PQT_API pqt_kind pqt_bytes_kind_of(const void *bytes, size_t count);

/**
 * Writes a version.
 *
 * @param version  a version of any kind; the ids of its items are not pointers
 * @param write    called once for each section, with at most 163,952 bytes
 * @param context  passed to `write`
 * @return         false on failure; some bytes may have been written
 *
 * @error PQT_ERROR_OPTION    a tree has ids_are_pointers: an address means nothing elsewhere
 * @error PQT_ERROR_CALLBACK  `write` returned false
 * @error PQT_ERROR_MEMORY    out of scratch memory
 * @cost    the functions for one kind say it
 * @thread  any number at once on one version
 */
PQT_API bool pqt_version_write(const void *version, pqt_write_fn *write, void *context,
                               pqt_error *error);

/**
 * Reads a version. It reads no byte after the version, so several may follow each other.
 *
 * @param kind     the kind, which pqt_bytes_kind_of finds in the first bytes
 * @param read     called until the version is complete
 * @param context  passed to `read`
 * @param memory   where the version will live; NULL: the default memory
 * @return         a version equal to the one that was written; NULL on failure
 *
 * @error PQT_ERROR_FORMAT    the bytes are of another format, of a newer version of this format,
 *                            damaged, incomplete, or hold another kind; index is the byte where the
 *                            faulty section begins
 * @error PQT_ERROR_CALLBACK  `read` returned false, or gave more bytes than there was room for
 * @error PQT_ERROR_MEMORY, PQT_ERROR_THREAD  as pqt_tree_make
 * @cost    the functions for one kind say it
 * @thread  any number at once, each with its own context
 */
PQT_API PQT_NODISCARD const void *pqt_version_read(pqt_kind kind, pqt_read_fn *read, void *context,
                                                   pqt_memory *memory, pqt_error *error);

/**
 * Writes a version to a file, completely or not at all.
 *
 * The bytes go to a new file in the same folder, named `.pqt-PROCESS-NUMBER.tmp`, which is flushed
 * to the disk (fsync) and then renamed to `path`. On failure it is removed, and the file at `path`
 * is unchanged. A process that is killed may leave it behind. An existing file keeps its
 * permissions, and a symbolic link its name. Anything else, such as a pipe or /dev/stdout, is
 * written directly.
 *
 * @param version  as pqt_version_write
 * @param path     not NULL
 * @return         false on failure
 * @error PQT_ERROR_STREAM the file cannot be created, written, flushed or renamed; the text has the
 *        value of errno, but not the path
 * @error and those of pqt_version_write, without PQT_ERROR_CALLBACK
 */
PQT_API bool pqt_version_save(const void *version, const char *path, pqt_error *error);

/**
 * Reads a version from a file that holds nothing else. It has the bounds and the options of the
 * version that was saved, except for the memory.
 *
 * @param kind    the kind
 * @param path    not NULL
 * @param memory  where the version will live; NULL: the default memory
 * @return        the version; NULL on failure
 * @error PQT_ERROR_STREAM  the file cannot be opened or read; the text has the value of errno, but
 *                          not the path
 * @error PQT_ERROR_FORMAT  as pqt_version_read; or bytes follow the version
 * @error and the other errors of pqt_version_read, without PQT_ERROR_CALLBACK
 */
PQT_API PQT_NODISCARD const void *pqt_version_load(pqt_kind kind, const char *path,
                                                   pqt_memory *memory, pqt_error *error);

PQT_END_DECLARATIONS

#endif
