/* SPDX-License-Identifier: MIT */
/**
 * @file line.h - lines: versions that programs on many machines share, in PostgreSQL.
 *
 * A line is a sequence of versions with the numbers 1, 2, 3, ... in a database. Any number of
 * programs may push to it. A push succeeds if no other one came first. Otherwise, the program
 * merges what the others pushed, and tries again. Any number of programs may follow a line: they
 * fetch the changes that they lack, and their threads read the newest version from a head, without
 * a lock.
 *
 *     pqt_line *line = pqt_line_open("postgresql://db.example/city#plan", NULL, NULL, &error);
 *     if (line == NULL || pqt_line_number(line) == 0)
 *         ...                                              no database, or nothing was pushed yet
 *     const pqt_tree *base = pqt_line_version(line);
 *     const pqt_tree *mine = pqt_tree_insert(base, item, &error);
 *     pqt_line_update(line, base, mine, "Add a house", NULL, NULL, &error);
 *     ...
 *     while (pqt_line_wait(line, 60, &error))              a follower, in a thread of its own
 *         printf("version %llu\n", (unsigned long long)pqt_line_number(line));
 *     ...
 *     pqt_line_close(&line);
 *
 * The address of a line is a connection URL of libpq, `#`, and the name of the line. The
 * environment and the files of libpq (PGUSER, PGPASSFILE, PGSSLMODE, ...) complete the URL, and
 * configure encryption and authentication. In a password, `@`, `/` and `#` are written as `%40`,
 * `%2F` and `%23`. docs/sharing.md says how to run the database.
 *
 * All versions of a line are of one kind. Each is stored as the change from the previous one, and
 * some are stored whole, too (*keyframes*).
 *
 * **Promises.** A push that returned true is in the database, as durable as its setting
 * `synchronous_commit` makes it. No two versions of a line have the same number. A fetched version
 * has the fingerprint that it had when it was pushed. Of several versions that are fetched at once,
 * only the last is made and compared with its fingerprint. pqt_line_load makes and compares the
 * others. Each version has a hash, which is always compared, and which covers the hash of the
 * previous version: if two versions have equal hashes, the lines up to them are equal. No error
 * contains a password.
 *
 * **Connections.** A call that finds the connection lost connects again and continues; a push is
 * neither lost nor made twice. When the number of seconds in the option `patience` has passed, the
 * call fails with PQT_ERROR_STREAM. pqt_line_open tries to connect only once.
 *
 * **Forks.** In a child process after fork, functions that need the database fail with
 * PQT_ERROR_STREAM, and pqt_line_close only frees memory. A child opens the line for itself.
 *
 * **Cancellation.** A thread may be cancelled while it waits in pqt_line_wait; the line remains
 * usable. No other function is a cancellation point: a thread that is cancelled in one completes it
 * first. If the database cannot be reached, that takes about the seconds of `patience`.
 *
 * Only libraries that were configured with `--with-postgresql` have lines; in others, pqt_line_open
 * fails with PQT_ERROR_UNSUPPORTED.
 */
#ifndef PQT_LINE_H
#define PQT_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt/bytes.h>
#include <pqt/error.h>
#include <pqt/export.h>
#include <pqt/fingerprint.h>
#include <pqt/head.h>
#include <pqt/memory.h>

PQT_BEGIN_DECLARATIONS

/** A line. One thread at a time may use it; any thread may read its head. */
typedef struct pqt_line pqt_line;

/** The access to a line. */
typedef enum pqt_line_access {
    PQT_LINE_CREATE = 0, /**< for reading and pushing. The first push creates a missing line, of the
                            kind of its version; if the push then fails, an empty line remains */
    PQT_LINE_WRITE = 1,  /**< for reading and pushing; a missing line is an error */
    PQT_LINE_READ = 2    /**< for reading; pushes fail, and a missing line is an error */
} pqt_line_access;

/** Options of a line. Start from PQT_LINE_DEFAULTS. */
typedef struct pqt_line_options {
    size_t size;            /**< sizeof(pqt_line_options), set by PQT_LINE_DEFAULTS */
    pqt_line_access access; /**< the access */
    const char *author;     /**< the author of pushes, with the limits of a label; NULL: none */
    double patience;        /**< seconds for which to try to restore a lost connection, 0 to 1e6 */
    /** at least 0.125. A larger one makes the database smaller, and loading versions slower: see
     * pqt_store_options.keyframe_ratio */
    double keyframe_ratio;
} pqt_line_options;

/** Initial value of options: read, push, create; half a minute of patience. */
#define PQT_LINE_DEFAULTS                                                                          \
    {                                                                                              \
        sizeof(pqt_line_options), PQT_LINE_CREATE, NULL, 30.0, 1.0                                 \
    }

/** The number of bytes of the hash of a version. */
#define PQT_LINE_HASH 32

/** The maximum number of bytes of the name of a line, of a label and of an author. */
#define PQT_LINE_TEXT 100

/** A version of a line, without its contents. */
typedef struct pqt_line_entry {
    uint64_t number;             /**< 1 for the first one */
    const char *label;           /**< UTF-8; valid during the call */
    const char *author;          /**< the option `author`; may be empty; valid during the call */
    const char *role;            /**< the authenticated database role; valid during the call */
    double time;                 /**< seconds since 1970, by the clock of the database */
    pqt_fingerprint fingerprint; /**< the fingerprint of the version */
    uint8_t hash[PQT_LINE_HASH]; /**< covers its change and all earlier versions */
    size_t change_bytes;         /**< the size of its change; 0 if only a whole version is stored */
    size_t keyframe_bytes;       /**< the size of the whole version; 0 if it is not stored */
} pqt_line_entry;

/** Counts of an open line. */
typedef struct pqt_line_stats {
    uint64_t fetched;        /**< versions whose change was fetched */
    uint64_t change_bytes;   /**< bytes of these changes */
    uint64_t keyframes;      /**< versions that were fetched whole */
    uint64_t keyframe_bytes; /**< bytes of these */
    uint64_t pushed;         /**< versions that were pushed */
    uint64_t pushed_bytes;   /**< bytes of their changes and keyframes */
    uint64_t conflicts;      /**< pushes that failed because another one came first */
    uint64_t reconnects;     /**< connections that were restored */
} pqt_line_stats;

/**
 * Opens a line, and fetches its newest version.
 *
 * @param address  a PostgreSQL URL, `#`, and the name of the line; not NULL. Write a `#` in the URL
 *                 as `%23`
 * @param memory   the memory for its versions; NULL: the default memory
 * @param options  NULL means PQT_LINE_DEFAULTS
 * @return         the line, to be closed by pqt_line_close; NULL on failure
 *
 * @error PQT_ERROR_OPTION       an option is out of range, the address names no line, or its URL is
 *                               not valid; the text does not repeat the URL
 * @error PQT_ERROR_STREAM       no connection can be made, the role has no access, or the line is
 *                               missing; the text quotes the server
 * @error PQT_ERROR_FORMAT       the database has no schema `pqt`, or one of a newer library; or a
 *                               version is damaged, which the text names
 * @error PQT_ERROR_UNSUPPORTED  the library was built without PostgreSQL
 * @error PQT_ERROR_MEMORY, PQT_ERROR_THREAD  as pqt_tree_make
 * @cost  fetches the newest keyframe and the changes after it
 */
PQT_API PQT_NODISCARD pqt_line *pqt_line_open(const char *address, pqt_memory *memory,
                                              const pqt_line_options *options, pqt_error *error);

/**
 * Closes a line, destroys its head, and sets the pointer to NULL.
 *
 * @param line  NULL and a pointer to NULL are allowed
 */
PQT_API void pqt_line_close(pqt_line **line);

/**
 * Returns the kind of the versions of a line.
 *
 * @param line  not NULL
 * @return      the kind; PQT_KIND_NONE if nothing was pushed yet
 */
PQT_API pqt_kind pqt_line_kind(const pqt_line *line);

/**
 * Returns the number of the newest version that was fetched or pushed.
 *
 * @param line  not NULL
 * @return      the number; 0 if there is none
 */
PQT_API uint64_t pqt_line_number(const pqt_line *line);

/**
 * Returns the newest version that was fetched or pushed.
 *
 * @param line  not NULL
 * @return      a version of the kind of the line; NULL if there is none. The line keeps it until a
 *              newer one replaces it: pin it to keep it longer
 * @cost  O(1)
 */
PQT_API const void *pqt_line_version(const pqt_line *line);

/**
 * Fetches the versions that were pushed after the newest one.
 *
 * @param line  not NULL
 * @return      false on failure: pqt_line_version is unchanged
 *
 * @error PQT_ERROR_STREAM    the database cannot be reached
 * @error PQT_ERROR_FORMAT    a version is damaged; the text names it, and `index` is its number
 * @error PQT_ERROR_MISMATCH  the database has lost versions that were fetched before, or has others
 *                            in their place
 * @error PQT_ERROR_MEMORY    out of memory
 * @cost  the changes of these versions
 */
PQT_API bool pqt_line_fetch(pqt_line *line, pqt_error *error);

/**
 * Waits until a version is pushed, and fetches it.
 *
 * It returns as soon as there is a version newer than pqt_line_number returned before the call.
 *
 * @param line     not NULL
 * @param seconds  the longest time to wait: a finite number, 0 or more; 0 fetches the versions that
 *                 are there
 * @return         true if a version was fetched, or if the time is over: then pqt_line_number is
 *                 unchanged; false on failure
 *
 * @error PQT_ERROR_OPTION  seconds is out of range
 * @error PQT_ERROR_STREAM, PQT_ERROR_FORMAT, PQT_ERROR_MISMATCH, PQT_ERROR_MEMORY  as
 *        pqt_line_fetch
 */
PQT_API bool pqt_line_wait(pqt_line *line, double seconds, pqt_error *error);

/**
 * Pushes a version after the newest one that was fetched. A version that is equal to the newest one
 * is not pushed.
 *
 * @param line     not NULL
 * @param kind     the kind of the version, which must be the kind of the line
 * @param version  in the memory of the line
 * @param label    at most PQT_LINE_TEXT bytes of UTF-8 without control characters; NULL: empty
 * @return         false on failure: nothing was pushed, except that after PQT_ERROR_STREAM or
 *                 PQT_ERROR_MEMORY the database may have the version: call pqt_line_fetch to see
 *
 * @error PQT_ERROR_CONFLICT  another version came first: fetch it and merge, or call
 *                            pqt_line_update, which does so
 * @error PQT_ERROR_MISMATCH  the line is of another kind, or open for reading; the version is in
 *                            another memory; the ids of a tree are pointers; or the database has
 *                            lost versions that were fetched before
 * @error PQT_ERROR_OPTION    the label is too long, not UTF-8, or has control characters
 * @error PQT_ERROR_STREAM    the database cannot be reached, the role may not push, or a version or
 *                            its change has more bytes than a row can hold, 1 GiB
 * @error PQT_ERROR_MEMORY    out of memory
 * @cost  finds the changes since the newest version, and makes one round trip to the database
 */
PQT_API bool pqt_line_push(pqt_line *line, pqt_kind kind, const void *version, const char *label,
                           pqt_error *error);

/** A version to push. */
typedef struct pqt_line_new {
    const void *version; /**< not NULL */
    const char *label;   /**< as in pqt_line_push */
} pqt_line_new;

/**
 * Pushes several versions, one after the other, in one transaction: all of them, or none.
 *
 * @param line      not NULL
 * @param kind      as in pqt_line_push
 * @param versions  `count` versions, the oldest first; NULL if count is 0
 * @param count     any
 * @return          false on failure, like pqt_line_push
 * @error PQT_ERROR_CONFLICT, PQT_ERROR_MISMATCH, PQT_ERROR_OPTION, PQT_ERROR_STREAM,
 *        PQT_ERROR_MEMORY  as pqt_line_push
 */
PQT_API bool pqt_line_push_all(pqt_line *line, pqt_kind kind, const pqt_line_new *versions,
                               size_t count, pqt_error *error);

/**
 * Merges two versions that were made from a third one.
 *
 * @param base     the version that both were made from
 * @param ours     the version that is being pushed
 * @param theirs   the newest version of the line
 * @param context  as given to pqt_line_update
 * @param error    empty; to be set on failure
 * @return         the merged version, of the same kind; NULL on failure
 */
typedef const void *pqt_line_merge_fn(const void *base, const void *ours, const void *theirs,
                                      void *context, pqt_error *error);

/**
 * Pushes a version. If others pushed since `base`, it merges their changes first. If another push
 * comes first, it fetches, merges and tries again.
 *
 * @param line     not NULL, not empty
 * @param base     the version of the line from which `version` was made, however old; not NULL
 * @param version  the new version
 * @param label    as in pqt_line_push
 * @param merge    NULL: pqt_tree_merge, pqt_map_merge or pqt_document_merge without options, which
 *                 fail on a conflict; for regions, a pixel that one side changed is taken from that
 *                 side; worlds need a function
 * @param context  passed to `merge`
 * @return         the newest version, with the changes from `base` to `version` in it; NULL on
 *                 failure, like pqt_line_push; pqt_line_version may then be a newer version from
 *                 another program
 *
 * @error PQT_ERROR_CONFLICT  both sides changed the same thing, which the text names
 * @error PQT_ERROR_CALLBACK  `merge` returned NULL and set no error; an error that it set is kept
 * @error PQT_ERROR_MISMATCH, PQT_ERROR_OPTION, PQT_ERROR_STREAM, PQT_ERROR_FORMAT,
 *        PQT_ERROR_MEMORY  as pqt_line_push and pqt_line_fetch; PQT_ERROR_MISMATCH also for worlds
 *        without `merge`
 * @cost  with w writers at once, at most w pushes and merges
 */
PQT_API const void *pqt_line_update(pqt_line *line, const void *base, const void *version,
                                    const char *label, pqt_line_merge_fn *merge, void *context,
                                    pqt_error *error);

/**
 * Loads a version of a line.
 *
 * @param line    not NULL
 * @param number  1 to the number of the newest version in the database
 * @return        the version, which the line keeps until the next one is loaded; NULL on failure
 *
 * @error PQT_ERROR_OPTION  the line has no such version
 * @error PQT_ERROR_STREAM, PQT_ERROR_FORMAT, PQT_ERROR_MEMORY  as pqt_line_fetch
 * @cost  loads the keyframe before it and the changes after that one, or only the changes if one of
 *        the 64 versions before it was loaded last
 */
PQT_API const void *pqt_line_load(pqt_line *line, uint64_t number, pqt_error *error);

/**
 * Visits an entry.
 *
 * @param entry    valid during the call
 * @param context  as given to pqt_line_visit
 * @return         false to stop
 */
typedef bool pqt_line_visit_fn(const pqt_line_entry *entry, void *context);

/**
 * Visits the entries of a line in the order of their numbers, without their contents. The visitor
 * must not use the line.
 *
 * @param line     not NULL
 * @param first    the least number
 * @param last     the largest number; UINT64_MAX: the newest
 * @param visit    called for each entry; not NULL
 * @param context  passed to `visit`
 * @return         true if all were visited; false on failure, or if `visit` stopped it
 * @error PQT_ERROR_STREAM, PQT_ERROR_FORMAT  as pqt_line_fetch
 */
PQT_API bool pqt_line_visit(pqt_line *line, uint64_t first, uint64_t last, pqt_line_visit_fn *visit,
                            void *context, pqt_error *error);

/**
 * Returns the head of a line. From the first call on, fetches and pushes publish the newest version
 * to it. If several versions are fetched together, only the newest of them is published.
 *
 * @param line  not NULL, not empty
 * @return      the head, which pqt_line_close destroys; NULL on failure. Only the line publishes to
 *              it
 * @error PQT_ERROR_MISMATCH  the line is empty
 * @error PQT_ERROR_MEMORY    out of memory
 */
PQT_API const pqt_head *pqt_line_head(pqt_line *line, pqt_error *error);

/**
 * Counts the work of a line since it was opened.
 *
 * @param line   not NULL
 * @param stats  set to the counts
 */
PQT_API void pqt_line_get_stats(const pqt_line *line, pqt_line_stats *stats);

PQT_END_DECLARATIONS

#endif
