/* SPDX-License-Identifier: MIT */
/**
 * @file store.h - stores: histories and recordings in files, saved with each push and step.
 *
 * A store is a file that holds one history: its versions, labels, names, times, keys, the undo
 * position, the redo links and the saved mark. A history in a store is used like any other. Each
 * change is in the file when the function that makes it returns.
 *
 *     #include <pqt/stores.h>
 *
 *     pqt_store *store = pqt_store_open("plan.pqts", NULL, &error);
 *     if (store == NULL)
 *         return fprintf(stderr, "%s\n", error.text), 1;
 *     pqt_history *history = NULL;
 *     if (pqt_store_kind(store) != PQT_KIND_NONE) {
 *         history = pqt_history_open(store, NULL, NULL, &error);
 *     } else {
 *         history = pqt_history_make(pqt_history_kind_of(PQT_KIND_TREE), tree, NULL, &error);
 *         pqt_history_save(history, store, &error);
 *     }
 *     ...
 *     pqt_history_destroy(&history);
 *     pqt_store_close(&store, &error);
 *
 * **Promises.** A push that returned true is in the file even if the process dies, at any moment
 * and in any way. With PQT_STORE_FULL it is also there after the machine has lost power. With
 * PQT_STORE_NORMAL the last pushes may then be missing, and the history is as it was at an earlier
 * moment. Each version that is loaded has the fingerprint that it had when it was pushed. Damage is
 * found and named, and never yields a wrong version.
 *
 * **One writer.** One process writes a store. Any number of processes may read it at the same time;
 * a reader sees the history as it was when it opened the store. If another program removes the
 * writer's lock, or removes or replaces the file or its log, all functions that write fail with
 * PQT_ERROR_CONFLICT from then on.
 *
 * **Loading.** pqt_history_open reads the entries and loads the current version. Another version is
 * loaded when a function needs it, and shares blocks with the loaded version that it is made from.
 * That reads at most one whole version, and changes of `keyframe_ratio` times its bytes, or times
 * 64 KiB if it has fewer. When loaded versions exceed the option `max_loaded`, the next call that
 * loads a version or changes the history forgets all but the current one. To keep a version that
 * pqt_history_value_of returned, pin it. A visitor of entries may call that function.
 *
 * **Errors.** Functions of history.h that write to the store, and pqt_history_save, fail with
 * PQT_ERROR_STREAM if it cannot be written. They fail with PQT_ERROR_LIMIT if the row of an entry
 * would have more than 10^9 bytes, or if its number would be above 2^63 - 2. Functions that load a
 * version or read changes fail as pqt_history_open does. A function that fails in these ways has
 * changed neither the history nor the file.
 *
 * **Files.** The file is a database of SQLite, 3.37 or later. While it is open, the files with
 * `-wal`, `-shm` and `-writer` added to its name belong to it. Move, copy and remove the file and
 * its `-wal` together. A process that has a store open must not open its file in another way, for
 * example to copy it; pqt_is_store_file is safe. A file with several names (hard links) can only be
 * read. docs/manual.md, "Files, names and locks", has the reasons, and the rules for links and for
 * folders that cannot be written.
 *
 * **Forks.** In a child process after fork, functions that read or write a store fail with
 * PQT_ERROR_STREAM, and pqt_store_close only frees memory. The child cannot open that file for
 * itself: close the store before the fork, or open it after exec. If another thread was in a call
 * of a store at the moment of the fork, the child may be unable to open any store.
 *
 * **Cancellation.** No function of a store or its history is a cancellation point. A thread that is
 * cancelled in one completes it first.
 */
#ifndef PQT_STORE_H
#define PQT_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt/bytes.h>
#include <pqt/error.h>
#include <pqt/export.h>
#include <pqt/history.h>
#include <pqt/memory.h>

PQT_BEGIN_DECLARATIONS

/** A store. One thread at a time may use it and its history. */
typedef struct pqt_store pqt_store;

/** The access to a store. */
typedef enum pqt_store_access {
    PQT_STORE_CREATE = 0, /**< for reading and writing; a missing or empty file becomes a store */
    PQT_STORE_WRITE = 1,  /**< for reading and writing; a missing file is an error */
    /** for reading; changes of the history fail, except that the undo position and the saved mark
        change in memory only */
    PQT_STORE_READ = 2
} pqt_store_access;

/** The failures that a push survives once it has returned. */
typedef enum pqt_store_sync {
    PQT_STORE_NORMAL = 0, /**< the death of the process: the system has the data */
    PQT_STORE_FULL = 1    /**< also the loss of power: the disk has the data */
} pqt_store_sync;

/** Options of a store. Start from PQT_STORE_DEFAULTS. */
typedef struct pqt_store_options {
    size_t size;             /**< sizeof(pqt_store_options), set by PQT_STORE_DEFAULTS */
    pqt_store_access access; /**< the access */
    pqt_store_sync sync;     /**< the failures that a push survives */
    size_t max_loaded;       /**< bytes of loaded versions; see above */
    /** at least 0.125. A larger one makes the file smaller, and loading versions slower: a whole
        version is written when the changes since the last one exceed its bytes times this factor.
        Each change counts with 64 bytes more for its row, and a version as at least 64 KiB */
    double keyframe_ratio;
} pqt_store_options;

/** Initial value of options: read and write, create; pushes survive the death of the process; 256
    MiB of loaded versions; a ratio of 0.5. */
#define PQT_STORE_DEFAULTS                                                                         \
    {                                                                                              \
        sizeof(pqt_store_options), PQT_STORE_CREATE, PQT_STORE_NORMAL, (size_t)256 << 20, 0.5      \
    }

/** Sizes of a store, and counts since it was opened. */
typedef struct pqt_store_stats {
    uint64_t entries;        /**< entries of the history, or steps of the recording */
    uint64_t keyframes;      /**< entries whose version is stored whole */
    uint64_t change_bytes;   /**< bytes of the changes between versions */
    uint64_t keyframe_bytes; /**< bytes of the whole versions */
    uint64_t file_bytes;     /**< bytes of the file */
    uint64_t loads;          /**< versions that were loaded */
    uint64_t changes_read;   /**< changes that were read to load them */
    uint64_t keyframes_read; /**< keyframes that were read to load them */
    size_t loaded_bytes;     /**< an upper bound on the bytes of the loaded versions of a history */
} pqt_store_stats;

/** The number of bytes that pqt_is_store needs. */
#define PQT_STORE_HEAD 72

/**
 * Recognises a store by the first bytes of its file.
 *
 * @param bytes  the first `count` bytes; NULL if count is 0
 * @param count  PQT_STORE_HEAD or more; with fewer the result is false
 * @return       true if they begin a store
 * @thread  any
 */
PQT_API bool pqt_is_store(const void *bytes, size_t count);

/**
 * Recognises a store by the name of its file. A process that has the store open may call it.
 *
 * A store that is being made, or whose first writer was killed, is recognised, too. Its file is
 * empty or does not say yet what it is, but the lock of a writer is next to it.
 *
 * @param path  the name of the file; not NULL
 * @return      true if it is a store; false if it is not, or cannot be read
 * @thread  any
 */
PQT_API bool pqt_is_store_file(const char *path);

/**
 * Opens a store.
 *
 * @param path     the name of the file; not NULL
 * @param options  NULL means PQT_STORE_DEFAULTS
 * @return         the store, to be closed by pqt_store_close; NULL on failure
 *
 * @error PQT_ERROR_CONFLICT     another writer has the store open, or a process has begun to make
 *                               it, and may have died since; the text names the process. Or the
 *                               file has several names: then it can only be read, and not if
 *                               another has a log or a lock
 * @error PQT_ERROR_FORMAT       the file is not a store, is of a newer version, or is damaged
 * @error PQT_ERROR_OPTION       an option is out of range
 * @error PQT_ERROR_STREAM       the file cannot be opened, read or written. Or its lock or its log
 *                               is a link, or not a file of a writer. Or it has a log, and is in a
 *                               folder that cannot be written, where no log can be read
 * @error PQT_ERROR_UNSUPPORTED  the library was built without SQLite
 * @error PQT_ERROR_MEMORY       out of memory
 * @cost  O(1); O(entries) for a store of format version 1 that is opened for writing
 */
PQT_API PQT_NODISCARD pqt_store *pqt_store_open(const char *path, const pqt_store_options *options,
                                                pqt_error *error);

/**
 * Closes a store and sets the pointer to NULL.
 *
 * @param store  NULL and a pointer to NULL are allowed; its history, or its recording, must be
 *               destroyed
 * @return       false if something could not be written; the store is closed in either case
 * @error PQT_ERROR_STREAM    the undo position, a redo link or the saved mark could not be
 *                            written. If pqt_store_get_error has not reported why, the error is
 *                            that failure
 * @error PQT_ERROR_CONFLICT  likewise, because the lock or a file of the store was removed or
 *                            replaced
 */
PQT_API bool pqt_store_close(pqt_store **store, pqt_error *error);

/**
 * Returns the kind of the versions of a store.
 *
 * @param store  not NULL
 * @return       the kind; PQT_KIND_NONE if the store is empty; PQT_KIND_WORLD if it holds a
 *               recording
 */
PQT_API pqt_kind pqt_store_kind(const pqt_store *store);

/**
 * Reports the last failure of a function that has no parameter for it: pqt_history_undo,
 * pqt_history_redo and pqt_history_value_of, which load a version; and those that change the undo
 * position, the saved mark and groups. These are written again with the next change.
 *
 * @param store  not NULL
 * @param error  set to the failure, if there is one; may be NULL; an earlier error in it is kept
 * @return       false if there was a failure since the last call of this function
 */
PQT_API bool pqt_store_get_error(pqt_store *store, pqt_error *error);

/**
 * Counts the contents of a store, and its work.
 *
 * @param store  not NULL
 * @param stats  set on success
 * @return       false on failure
 * @error PQT_ERROR_STREAM, PQT_ERROR_FORMAT  the file cannot be read, or is damaged
 * @cost  O(entries)
 */
PQT_API bool pqt_store_get_stats(pqt_store *store, pqt_store_stats *stats, pqt_error *error);

/**
 * Checks a whole store: the database, each entry, each change and each keyframe. It loads each
 * version by its change, and by its keyframe if it has one, and compares the fingerprint. Versions
 * that it has loaded are forgotten as the option `max_loaded` requires; a heap with the option
 * `reclaim_at_push` frees them during the check. It loads the keys of a recording;
 * pqt_recording_verify repeats the steps. If neither the history nor the recording is open, it
 * opens it in a heap of its own, and closes it.
 *
 * @param store  not NULL; it may be empty
 * @return       false on failure
 * @error PQT_ERROR_FORMAT  something is damaged, which the text names; if it belongs to an entry or
 *                          a step, this is the first one with a fault, and `index` is its number
 * @error PQT_ERROR_STREAM, PQT_ERROR_MEMORY  as pqt_history_open
 * @cost  O(changes + keyframes)
 */
PQT_API bool pqt_store_check(pqt_store *store, pqt_error *error);

/**
 * Returns the space of dropped entries to the file system. Thinning alone leaves the file as
 * large as it was, and new versions use the space.
 *
 * @param store  not NULL
 * @return       false on failure: no version has changed
 * @error PQT_ERROR_MISMATCH  the store is open for reading
 * @error PQT_ERROR_STREAM    the disk is full; or a reader has had the store open for too long, and
 *                            the file shrinks when the last program closes it
 * @error PQT_ERROR_CONFLICT  the lock or a file of the store was removed or replaced
 * @error PQT_ERROR_FORMAT    the file is damaged
 * @error PQT_ERROR_MEMORY    out of memory
 * @cost  O(bytes of the file)
 */
PQT_API bool pqt_store_compact(pqt_store *store, pqt_error *error);

/**
 * Saves a history in an empty store. From then on the history is in the store.
 *
 * @param history  of trees, regions, worlds, maps or documents (pqt_history_kind_of), in no
 *                 store, without an open group; NULL if an earlier call failed. An index is then
 *                 that of pqt_history_open
 * @param store    empty, open for writing; not NULL
 * @return         false on failure: the store is empty, and the history is in no store
 *
 * @error PQT_ERROR_MISMATCH  the store is not empty, or is open for reading; the history is in a
 *                            store, or a group is open
 * @error PQT_ERROR_CONFLICT  the lock or a file of the store was removed or replaced
 * @error PQT_ERROR_OPTION    the kind is not one of these, or the ids of a tree are pointers
 * @error PQT_ERROR_STREAM    the file cannot be written
 * @error PQT_ERROR_MEMORY    out of memory
 * @cost  O(changes of all versions), and some whole versions
 */
PQT_API bool pqt_history_save(pqt_history *history, pqt_store *store, pqt_error *error);

/**
 * Opens the history of a store. Its entries have the numbers, labels, names and times that they
 * had. The next push adds an entry, whatever its key.
 *
 * The limits of the options hold for the pushes that follow: the first one that exceeds a limit
 * thins the history. `max_bytes` limits the bytes that the versions take in memory when all of them
 * are loaded, without the index.
 *
 * With the option `indexed`, pqt_history_last_change and pqt_history_last_item_change answer from
 * the changes in the file, and load no version. The index is made as they need it: the first query
 * reads the changes of most entries on its path, about 1 us each, and later ones few. The index
 * takes up to about 500 bytes for each changed item, and is forgotten, as versions are, when it
 * exceeds `max_loaded`. These queries also fail as loading a version does.
 *
 * @param store    not empty, and its history is not open; not NULL
 * @param options  limits and index; `time` and `label` are ignored; NULL means PQT_HISTORY_DEFAULTS
 * @param memory   where its versions will live; NULL: the default memory. In an arena, versions
 *                 that are forgotten keep their memory
 * @return         the history, to be destroyed by pqt_history_destroy; NULL on failure
 *
 * @error PQT_ERROR_MISMATCH  the store is empty or holds a recording, or its history is open; or
 *                            `indexed` is set, and the bounds, options or parts of an entry differ
 *                            from those of its parent: the text names the entry
 * @error PQT_ERROR_OPTION    as pqt_history_make
 * @error PQT_ERROR_FORMAT    the store is damaged; the text names the entry
 * @error PQT_ERROR_STREAM    the file cannot be read
 * @error PQT_ERROR_MEMORY, PQT_ERROR_THREAD  as pqt_history_make
 * @cost  O(entries), and the current version is loaded
 */
PQT_API PQT_NODISCARD pqt_history *pqt_history_open(pqt_store *store,
                                                    const pqt_history_options *options,
                                                    pqt_memory *memory, pqt_error *error);

/**
 * Returns whether a store holds a recording.
 *
 * @param store  not NULL
 * @return       true if it holds a recording, and no history
 */
PQT_API bool pqt_store_has_recording(const pqt_store *store);

PQT_END_DECLARATIONS

#endif
