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

#include <pqt/document.h>
#include <pqt/error.h>
#include <pqt/export.h>
#include <pqt/kind.h>
#include <pqt/map.h>
#include <pqt/memory.h>
#include <pqt/tree.h>

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
 *               PQT_KIND_OTHER if they are in this format, but this library does not know the kind
 * @thread  any
 */
PQT_API pqt_kind pqt_bytes_kind_of(const void *bytes, size_t count);

/** @name Callbacks */
/** @{ */

/**
 * Writes a version.
 *
 * @param tree     any version whose ids are not pointers
 * @param write    called once for each section, with at most 163,952 bytes
 * @param context  passed to `write`
 * @return         false on failure; some bytes may have been written
 *
 * @error PQT_ERROR_OPTION    the tree has ids_are_pointers: an address means nothing elsewhere
 * @error PQT_ERROR_CALLBACK  `write` returned false
 * @error PQT_ERROR_MEMORY    out of scratch memory
 * @cost    O(n) time; scratch memory of 400 kB at most
 * @thread  any number at once on one version
 */
PQT_API bool pqt_tree_write(const pqt_tree *tree, pqt_write_fn *write, void *context,
                            pqt_error *error);

/**
 * Like pqt_tree_write, for a map. Entries are written in ascending order of ids, or of the bytes of
 * their keys.
 *
 * @param map      any version
 * @param write    called once for each section
 * @param context  passed to `write`
 * @return         false on failure; some bytes may have been written
 * @cost  O(n log n) time; scratch memory of 400 kB, and 50 bytes per entry
 */
PQT_API bool pqt_map_write(const pqt_map *map, pqt_write_fn *write, void *context,
                           pqt_error *error);

/**
 * Like pqt_tree_write, for a document with all its parts, in the order of their names.
 *
 * @param document  any version whose trees have no pointer ids
 * @param write     called once for each section, with at most 163,952 bytes
 * @param context   passed to `write`
 * @return          false on failure
 * @error PQT_ERROR_OPTION  a tree has ids_are_pointers
 * @cost  the costs of writing its parts, one after the other
 */
PQT_API bool pqt_document_write(const pqt_document *document, pqt_write_fn *write, void *context,
                                pqt_error *error);

/**
 * Reads a version. It reads no byte after the version, so several may follow each other.
 *
 * @param read     called until the version is complete
 * @param context  passed to `read`
 * @param memory   where the version will live; NULL: the default memory
 * @return         a version equal to the one that was written; NULL on failure
 *
 * @error PQT_ERROR_FORMAT    the bytes are of another format, of a newer version of this format,
 *                            damaged, incomplete, or hold something other than a tree; index is the
 *                            byte where the faulty section begins
 * @error PQT_ERROR_CALLBACK  `read` returned false, or gave more bytes than there was room for
 * @error PQT_ERROR_MEMORY, PQT_ERROR_THREAD  as pqt_tree_make
 * @cost    O(n) time; scratch memory of 60 bytes per item, 180 with unique_ids, and 500 kB
 * @thread  any number at once, each with its own context
 */
PQT_API PQT_NODISCARD const pqt_tree *pqt_tree_read(pqt_read_fn *read, void *context,
                                                    pqt_memory *memory, pqt_error *error);

/**
 * Like pqt_tree_read, for a map.
 *
 * @param read     called until the data is complete
 * @param context  passed to `read`
 * @param memory   NULL: the default memory
 * @return         the version; NULL on failure
 * @cost  O(n log n) time; scratch memory of 250 bytes per entry, twice the size of its byte
 *        strings, and 500 kB
 */
PQT_API PQT_NODISCARD const pqt_map *pqt_map_read(pqt_read_fn *read, void *context,
                                                  pqt_memory *memory, pqt_error *error);

/**
 * Like pqt_tree_read, for a document.
 *
 * @param read     called until the version is complete
 * @param context  passed to `read`
 * @param memory   where the version will live; NULL: the default memory
 * @return         the version; NULL on failure
 * @cost  the costs of reading its parts
 */
PQT_API PQT_NODISCARD const pqt_document *pqt_document_read(pqt_read_fn *read, void *context,
                                                            pqt_memory *memory, pqt_error *error);
/** @} */

/** @name Files */
/** @{ */

/**
 * Writes a version to a file, completely or not at all.
 *
 * The bytes go to a new file in the same folder, named `.pqt-PROCESS-NUMBER.tmp`, which is flushed
 * to the disk (fsync) and then renamed to `path`. On failure it is removed, and the file at `path`
 * is unchanged. A process that is killed may leave it behind. An existing file keeps its
 * permissions, and a symbolic link its name. Anything else, such as a pipe or /dev/stdout, is
 * written directly.
 *
 * @param tree  as pqt_tree_write
 * @param path  not NULL
 * @return      false on failure
 * @error PQT_ERROR_STREAM the file cannot be created, written, flushed or renamed; the text has the
 *        value of errno, but not the path
 * @error and those of pqt_tree_write, without PQT_ERROR_CALLBACK
 */
PQT_API bool pqt_tree_save(const pqt_tree *tree, const char *path, pqt_error *error);

/**
 * Like pqt_tree_save, for a map.
 *
 * @param map   any version
 * @param path  the name of the file
 * @return      false on failure
 */
PQT_API bool pqt_map_save(const pqt_map *map, const char *path, pqt_error *error);

/**
 * Like pqt_tree_save, for a document.
 *
 * @param document  as pqt_document_write
 * @param path      not NULL
 * @return          false on failure
 */
PQT_API bool pqt_document_save(const pqt_document *document, const char *path, pqt_error *error);

/**
 * Reads a version from a file that holds nothing else. It has the bounds and the options of the
 * tree that was saved, except for the memory.
 *
 * @param path    not NULL
 * @param memory  where the version will live; NULL: the default memory
 * @return        the version; NULL on failure
 * @error PQT_ERROR_STREAM  the file cannot be opened or read; the text has the value of errno, but
 *                          not the path
 * @error PQT_ERROR_FORMAT  as pqt_tree_read; or bytes follow the version
 * @error and the other errors of pqt_tree_read, without PQT_ERROR_CALLBACK
 */
PQT_API PQT_NODISCARD const pqt_tree *pqt_tree_load(const char *path, pqt_memory *memory,
                                                    pqt_error *error);

/**
 * Like pqt_tree_load, for a map.
 *
 * @param path    the name of the file
 * @param memory  NULL: the default memory
 * @return        the version; NULL on failure
 */
PQT_API PQT_NODISCARD const pqt_map *pqt_map_load(const char *path, pqt_memory *memory,
                                                  pqt_error *error);

/**
 * Like pqt_tree_load, for a document.
 *
 * @param path    not NULL
 * @param memory  where the version will live; NULL: the default memory
 * @return        the version; NULL on failure
 */
PQT_API PQT_NODISCARD const pqt_document *pqt_document_load(const char *path, pqt_memory *memory,
                                                            pqt_error *error);
/** @} */

PQT_END_DECLARATIONS

#endif
