/* SPDX-License-Identifier: MIT */
/**
 * @file history_bytes.h - histories as bytes: written to a file or a callback, and read back.
 *
 * The bytes hold all that a history holds: each version, with its number, parent, label, name, time
 * and key; the current entry, the saved mark and the redo links. The first version is written
 * whole, and each other one as its changes from the version of its parent, as in a store. A world,
 * and a version whose bounds, options or parts differ from those of its parent, is written whole.
 *
 *     if (!pqt_history_save_file(history, "plan.pqt", &error))
 *         return complain(&error);
 *     pqt_history *same = pqt_history_load_file("plan.pqt", NULL, NULL, &error);
 *
 * Equal histories give equal bytes. docs/format.md specifies them. They are checked like those of a
 * version (bytes.h): an error has one line, which names the byte where the faulty section begins,
 * and the entry. The names of files end in `.pqt`, too; pqt_is_history recognises them.
 *
 * A library that was built without regions or worlds refuses a history of them, or of documents
 * with such a part, with PQT_ERROR_UNSUPPORTED.
 *
 * A file is for sending and keeping a history as a whole: it is written and read at once. A store
 * (store.h) has each push in the file when the push returns, and loads versions as they are needed.
 */
#ifndef PQT_HISTORY_BYTES_H
#define PQT_HISTORY_BYTES_H

#include <stdbool.h>
#include <stddef.h>

#include <pqt/any_version.h>
#include <pqt/error.h>
#include <pqt/export.h>
#include <pqt/history.h>
#include <pqt/memory.h>

PQT_BEGIN_DECLARATIONS

/**
 * Recognises a history by the first bytes of its data. pqt_bytes_kind_of returns PQT_KIND_OTHER for
 * them, because a history is not a version.
 *
 * @param bytes  the first `count` bytes; NULL if count is 0
 * @param count  PQT_BYTES_HEAD or more; with fewer the result is false
 * @return       true if they begin a history
 * @thread  any
 */
PQT_API bool pqt_is_history(const void *bytes, size_t count);

/**
 * Writes a history. One in a store can be written, too; its versions are loaded one after the
 * other.
 *
 * @param history  of trees, regions, worlds, maps or documents (pqt_history_kind_of), without an
 *                 open group; NULL if an earlier call failed
 * @param write    called once for each section, with at most 163,952 bytes
 * @param context  passed to `write`
 * @return         false on failure; some bytes may have been written
 *
 * @error PQT_ERROR_OPTION    the kind is not one of these, or the ids of a tree are pointers
 * @error PQT_ERROR_MISMATCH  a group is open
 * @error PQT_ERROR_CALLBACK  `write` returned false
 * @error PQT_ERROR_LIMIT     the next entry would have a higher number than 2^63 - 1
 * @error PQT_ERROR_MEMORY    out of memory
 * @error PQT_ERROR_FORMAT, PQT_ERROR_STREAM  a version cannot be loaded from the store of the
 *                                            history
 * @cost  O(changes of all versions), and the whole versions; scratch memory of 500 kB, and the
 *        bytes of one change
 */
PQT_API bool pqt_history_write(const pqt_history *history, pqt_write_fn *write, void *context,
                               pqt_error *error);

/**
 * Reads a history. It reads no byte after the history. The versions share structure, as they did
 * when they were made: each is made from the version of its parent.
 *
 * The limits of the options hold for the pushes that follow, and the next push adds an entry,
 * whatever its key, as after pqt_history_open.
 *
 * All versions are in memory at once. A file of hostile bytes can claim much: an entry of 30 bytes
 * copies a path of a tree, with a leaf of up to 1024 items. Read it into a heap or an arena with a
 * limit on its bytes.
 *
 * @param read     called until the history is complete
 * @param context  passed to `read`
 * @param options  limits and index; `time` and `label` are ignored; NULL means PQT_HISTORY_DEFAULTS
 * @param memory   where the versions will live; NULL: the default memory
 * @return         the history, to be destroyed by pqt_history_destroy; NULL on failure
 *
 * @error PQT_ERROR_FORMAT    the bytes are of another format, of a newer version of this format,
 *                            damaged or incomplete, or hold a version; index is the byte where the
 *                            faulty section begins
 * @error PQT_ERROR_MISMATCH  `indexed` is set, and the bounds, options or parts of the versions
 *                            differ
 * @error PQT_ERROR_OPTION, PQT_ERROR_MEMORY, PQT_ERROR_THREAD  as pqt_history_make
 * @error PQT_ERROR_CALLBACK  `read` returned false, or gave more bytes than there was room for
 * @cost  O(changes x depth), and the whole versions
 */
PQT_API PQT_NODISCARD pqt_history *pqt_history_read(pqt_read_fn *read, void *context,
                                                    const pqt_history_options *options,
                                                    pqt_memory *memory, pqt_error *error);

/**
 * Writes a history to a file, completely or not at all, as pqt_version_save does. The history does
 * not refer to the file afterwards. (pqt_history_save moves a history to a store.)
 *
 * @param history  as pqt_history_write
 * @param path     not NULL
 * @return         false on failure
 * @error PQT_ERROR_STREAM  as pqt_version_save
 * @error and those of pqt_history_write, without PQT_ERROR_CALLBACK
 */
PQT_API bool pqt_history_save_file(const pqt_history *history, const char *path, pqt_error *error);

/**
 * Reads a history from a file that holds nothing else.
 *
 * @param path     not NULL
 * @param options  as pqt_history_read
 * @param memory   where the versions will live; NULL: the default memory
 * @return         the history, to be destroyed by pqt_history_destroy; NULL on failure
 * @error PQT_ERROR_STREAM  as pqt_version_load
 * @error PQT_ERROR_FORMAT  as pqt_history_read; or bytes follow the history
 * @error and the other errors of pqt_history_read, without PQT_ERROR_CALLBACK
 */
PQT_API PQT_NODISCARD pqt_history *pqt_history_load_file(const char *path,
                                                         const pqt_history_options *options,
                                                         pqt_memory *memory, pqt_error *error);

PQT_END_DECLARATIONS

#endif
