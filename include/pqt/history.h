/* SPDX-License-Identifier: MIT */
/**
 * @file history.h - undo, redo and branches of versions.
 *
 * A history is a tree of *entries*. Each entry holds a version, and each but the first one follows
 * another entry, its parent. One entry is the *current* one. A push adds an entry after it. Undo
 * makes its parent current, redo the child that was last current. A push after an undo begins a
 * branch; the old branch is kept, and a checkout makes any entry current.
 *
 *     const pqt_history_kind *trees = pqt_history_kind_of(PQT_KIND_TREE);
 *     pqt_history *history = pqt_history_make(trees, tree, NULL, &error);
 *     tree = pqt_tree_move(tree, cat, box, &error);
 *     if (!pqt_history_push(history, tree, &(pqt_history_entry_info){.label = "Move"}, &error))
 *         complain(&error); // also if the move failed: NULL is not pushed
 *     if (pqt_history_undo(history))
 *         tree = pqt_history_value(history);
 *     pqt_history_destroy(&history);
 *
 * A history is in memory. The functions of history_bytes.h write it to a file as a whole, and a
 * store of <pqt/stores.h> keeps one in a file with each change.
 *
 * An entry is identified by its *number*: 0 for the first entry, and the next number for each new
 * one. A number does not change and is not used again. An entry has a *label* for menus, such as
 * "Move", which other entries may have too. It may also have a *name*, by which pqt_history_find
 * finds it. Names differ from each other, and an entry with a name is never dropped. One entry has
 * the *saved mark*: the version that the program saved last.
 *
 * Pushes with the same *key* are *coalesced*: while the mouse drags a box, each push replaces the
 * version of the previous one, so that the drag is one entry.
 *
 * A history keeps its versions alive until it is destroyed, whatever memory it is in. Unlike
 * versions, a history changes in place and has no lock: one thread at a time may use it. Any thread
 * may use its versions.
 *
 * Labels and names are valid until the next change of the history. A visitor must not change the
 * history.
 */
#ifndef PQT_HISTORY_H
#define PQT_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt/error.h>
#include <pqt/export.h>
#include <pqt/kind.h>
#include <pqt/memory.h>

PQT_BEGIN_DECLARATIONS

/** A tree of versions for undo and redo. */
typedef struct pqt_history pqt_history;

/** The longest label or name in bytes. Longer labels are cut, longer names are refused. */
#define PQT_MAX_LABEL 255

/** Options of a history. Start from PQT_HISTORY_DEFAULTS. */
typedef struct pqt_history_options {
    size_t size;        /**< sizeof(pqt_history_options), set by PQT_HISTORY_DEFAULTS */
    size_t max_entries; /**< a push beyond it thins the history; 0: no limit */
    size_t max_bytes;   /**< the same for the bytes of versions and index, as
                             pqt_history_get_stats counts them; 0: no limit */
    /** keeps a change index for pqt_history_last_change, over trees or over all trees of documents.
     * All versions must then have equal bounds and options, and documents equal schemas. The index
     * takes at least 64 KiB. */
    bool indexed;
    double time; /**< the time of the first entry, finite, in any unit */
    /** the label of the first entry, as `label` of pqt_history_entry_info; copied */
    const char *label;
} pqt_history_options;

/** Initial value of options: no limits, no index, time 0, an empty label. */
#define PQT_HISTORY_DEFAULTS                                                                       \
    {                                                                                              \
        sizeof(pqt_history_options), 0, 0, false, 0, NULL                                          \
    }

/** Label, time and key of a pushed value; all may be zero. */
typedef struct pqt_history_entry_info {
    /**
     * The label for a menu, such as "Move" for "Undo Move", in UTF-8; copied. NULL is an empty
     * label. A label never makes a push fail: it is cut after at most PQT_MAX_LABEL bytes, between
     * characters; control characters become spaces, and bytes that are not UTF-8 become U+FFFD.
     */
    const char *label;
    /** in your unit; finite, and not before the time of the current entry. NaN means that no time
        is given: the entry then takes the time of the current one. 0 means the same if it is before
        that time */
    double time;
    uint64_t key;    /**< not 0: replaces the current entry if that was pushed last with this key */
    bool keep_equal; /**< add an entry even if the value equals the current one */
    uint64_t reserved[4]; /**< must be 0; any other value stops the program */
} pqt_history_entry_info;

/** One entry. */
typedef struct pqt_history_entry {
    uint64_t number;   /**< number of the entry */
    uint64_t parent;   /**< number of the entry that it follows; 0 for the first entry */
    size_t depth;      /**< number of undo steps from it to the first entry */
    size_t children;   /**< number of entries that follow it; 0: it is the tip of a branch */
    const char *label; /**< never NULL */
    const char *name;  /**< NULL: the entry has no name */
    double time;       /**< the time of its push */
    const void *value; /**< the version; NULL: it is in a store and not loaded (store.h) */
    size_t added;      /**< bytes of its version that its parent's version does not share */
    bool is_current;   /**< undo and redo start here */
    bool is_saved;     /**< it has the saved mark */
    bool is_on_path;   /**< it is the current entry or an ancestor of it */
} pqt_history_entry;

/**
 * Visits one entry.
 *
 * @param entry    valid during the call
 * @param context  as passed to the function that visits
 * @return         true to continue, false to stop
 */
typedef bool pqt_visit_entry_fn(const pqt_history_entry *entry, void *context);

/** Sizes of a history. */
typedef struct pqt_history_stats {
    size_t entries;  /**< at least 1 */
    size_t branches; /**< number of entries without children */
    /**
     * Bytes of the versions, with shared blocks counted once: the sum of `added` of all entries. It
     * is exact if each version was made from that of its parent and no entry with several children
     * was dropped. Otherwise it may be too large. A version that is pushed again later is counted
     * again. The children of a dropped entry each count the blocks that they have from it, even if
     * they share them with each other.
     */
    size_t bytes;
    size_t index_bytes; /**< memory of the index from malloc; 0 without an index */
    size_t entry_bytes; /**< the entries with spare capacity, labels and names */
} pqt_history_stats;

/** Sizes of one entry among its neighbours, which are its parent and its children. */
typedef struct pqt_history_bytes {
    size_t all;    /**< bytes of all blocks of its version */
    size_t added;  /**< the bytes of these that its parent does not share */
    size_t shared; /**< the bytes of these that a neighbour shares */
    /**
     * all - shared: the bytes that dropping the entry frees if nothing else refers to them. A pin
     * or a variable may refer to them. So may another entry, if an old version was pushed again, or
     * if both entries were made from one that was dropped. The collector frees the bytes in one of
     * the next collections, an arena when it is destroyed.
     */
    size_t freed;
} pqt_history_bytes;

/** @name Making */
/** @{ */

/**
 * Makes a history with one entry, which is current and has the saved mark.
 *
 * @param kind     the kind of its values, such as pqt_history_kind_of(PQT_KIND_TREE); copied
 * @param first    the version of entry 0, which is never dropped
 * @param options  NULL means PQT_HISTORY_DEFAULTS
 * @return         the history, to be destroyed by pqt_history_destroy; NULL on failure
 *
 * @error PQT_ERROR_OPTION       a struct size is unknown, the time is not finite, or
 *                               `indexed` is set and the values are neither trees nor
 *                               documents with a tree
 * @error PQT_ERROR_CALLBACK     the kind's `bytes` failed
 * @error PQT_ERROR_THREAD       the first call of the library was not on the main thread
 * @error PQT_ERROR_MEMORY       out of memory
 */
PQT_API PQT_NODISCARD pqt_history *pqt_history_make(const pqt_history_kind *kind, const void *first,
                                                    const pqt_history_options *options,
                                                    pqt_error *error);

/** Destroys a history and sets the pointer to NULL. @param history NULL is allowed */
PQT_API void pqt_history_destroy(pqt_history **history);
/** @} */

/** @name Editing */
/** @{ */

/**
 * Adds an entry after the current one and makes it current. A value that equals the current one
 * adds no entry and succeeds, unless `keep_equal` is set.
 *
 * The push *replaces* the current entry, which keeps its number and its parent, in two cases: it
 * was made in the group that is open, or it was pushed last with the same key (a drag is one
 * entry). An entry that has successors, the saved mark or a name is never replaced, and neither is
 * one that undo, redo or checkout made current.
 *
 * If the history then exceeds a limit, it is thinned; see pqt_history_thin.
 *
 * @param history  not NULL
 * @param value    a value of the history's kind, in the same memory as the first; NULL if the edit
 *                 that should make it failed: the push then fails too
 * @param info     label, time and key; NULL: an empty label, the current entry's time, no key
 * @return         false on failure: nothing has changed
 *
 * @error PQT_ERROR_MISMATCH  the value is in another memory than the first one or, with an index,
 *                            its bounds, options or schema differ
 * @error PQT_ERROR_OPTION    the time is infinite, or earlier than the current entry's
 * @error PQT_ERROR_CALLBACK  the kind's `bytes` failed
 * @error PQT_ERROR_LIMIT     there are 2^32 - 2 entries
 * @error PQT_ERROR_MEMORY    out of memory
 *
 * @cost  O(new nodes), and O(log entries) amortised, with limits too: thinning does not examine
 *        entries that are always kept. With an index, thinning also rebuilds the index; see
 *        docs/design_log.md for the cost
 */
PQT_API bool pqt_history_push(pqt_history *history, const void *value,
                              const pqt_history_entry_info *info, pqt_error *error);

/**
 * Ends coalescing: the next push adds an entry even if its key equals the last one. Call it when
 * the mouse button is released.
 *
 * @param history  not NULL
 */
PQT_API void pqt_history_end_coalescing(pqt_history *history);

/**
 * Opens a group: all pushes until its end become one entry, with the group's label and the version
 * and time of the last push. Groups may be nested; only the outermost one counts.
 *
 * While a group is open, undo and redo return false, and checkout fails.
 *
 * @param history  not NULL
 * @param label    as in pqt_history_entry_info
 */
PQT_API void pqt_history_begin(pqt_history *history, const char *label);

/**
 * Closes the group that was opened last.
 *
 * @param history  not NULL
 * @return         false if none is open
 */
PQT_API bool pqt_history_end(pqt_history *history);

/**
 * Closes all open groups and makes the entry before them current. Drops the entries of the groups
 * except those with the saved mark or a name, and their ancestors.
 *
 * @param history  not NULL
 * @return         false if none is open
 */
PQT_API bool pqt_history_cancel(pqt_history *history);
/** @} */

/** @name Navigation. Only pqt_history_set_name allocates. */
/** @{ */

/**
 * Makes the parent of the current entry current.
 *
 * @param history  not NULL
 * @return         false at the first entry, in a group, and if a store could not load the version
 * @cost  O(1); in a store, the version is loaded if it is not in memory
 */
PQT_API bool pqt_history_undo(pqt_history *history);

/**
 * Makes the child that was current most recently the current entry. If thinning dropped that child,
 * takes the next entry on the same branch, or the newest child if none is left.
 *
 * @param history  not NULL
 * @return         false at the tip of a branch and in a group, and if a store could not load the
 *                 version
 * @cost  as pqt_history_undo
 */
PQT_API bool pqt_history_redo(pqt_history *history);

/**
 * Makes any entry current. Redo links along the path from the first entry then lead to it.
 *
 * @param history  not NULL
 * @param entry    the number of the entry
 * @return         false on failure
 * @error PQT_ERROR_MISMATCH  there is no entry with this number, or a group is open
 * @cost  O(entries between the target and its common ancestor with the current entry)
 */
PQT_API bool pqt_history_checkout(pqt_history *history, uint64_t entry, pqt_error *error);

/**
 * Returns the label of the entry that undo would leave.
 *
 * @param history  not NULL
 * @return         the label; NULL if undo would return false
 */
PQT_API const char *pqt_history_undo_label(const pqt_history *history);

/**
 * Returns the label of the entry that redo would make current.
 *
 * @param history  not NULL
 * @return         the label; NULL if redo would return false
 */
PQT_API const char *pqt_history_redo_label(const pqt_history *history);

/**
 * Moves the saved mark to the current entry.
 *
 * @param history  not NULL
 */
PQT_API void pqt_history_mark_saved(pqt_history *history);

/**
 * Returns whether the current version is not the saved one.
 *
 * @param history  not NULL
 * @return         true if the current entry does not have the saved mark
 */
PQT_API bool pqt_history_is_modified(const pqt_history *history);

/**
 * Names an entry, or removes its name. An entry with a name is never dropped.
 *
 * @param history  not NULL
 * @param entry    the number of the entry
 * @param name     1..PQT_MAX_LABEL bytes of UTF-8 without control characters, copied; NULL removes
 *                 the name
 * @return         false on failure
 * @error PQT_ERROR_MISMATCH  there is no entry with this number
 * @error PQT_ERROR_OPTION the name is empty, too long, or not valid UTF-8 without control
 *        characters
 * @error PQT_ERROR_CONFLICT  another entry has the name
 * @error PQT_ERROR_MEMORY    out of memory
 * @cost  O(entries)
 */
PQT_API bool pqt_history_set_name(pqt_history *history, uint64_t entry, const char *name,
                                  pqt_error *error);
/** @} */

/** @name Reading */
/** @{ */

/**
 * Returns the current version.
 *
 * @param history  not NULL
 * @return         the version
 * @cost  O(1)
 */
PQT_API const void *pqt_history_value(const pqt_history *history);

/**
 * Returns the number of the current entry.
 *
 * @param history  not NULL
 * @return         the number
 */
PQT_API uint64_t pqt_history_current(const pqt_history *history);

/**
 * Reads an entry.
 *
 * @param history  not NULL
 * @param number   the number of the entry
 * @param entry    set to the entry; not written if there is none
 * @return         false if there is none with this number
 * @cost  O(log entries + children)
 */
PQT_API bool pqt_history_get_entry(const pqt_history *history, uint64_t number,
                                   pqt_history_entry *entry);

/**
 * Returns the version of an entry.
 *
 * @param history  not NULL
 * @param entry    the number of the entry
 * @return         the version; NULL if there is no entry with this number, or if a store could not
 *                 load it (pqt_store_get_error)
 * @cost  O(log entries)
 */
PQT_API const void *pqt_history_value_of(const pqt_history *history, uint64_t entry);

/**
 * Finds the entry with a given name.
 *
 * @param history  not NULL
 * @param name     the name of an entry, as given to pqt_history_set_name; not NULL
 * @param entry    NULL, or set to its number; not written if there is none
 * @return         false if none has it
 * @cost  O(entries)
 */
PQT_API bool pqt_history_find(const pqt_history *history, const char *name, uint64_t *entry);

/**
 * Visits all entries in preorder: an entry before its children, children in the order of numbers.
 *
 * @param history  not NULL
 * @param visit    called for each entry; see error.h for visitors
 * @param context  passed to `visit`
 * @return         true if all entries were visited, false if `visit` stopped
 */
PQT_API bool pqt_history_visit(const pqt_history *history, pqt_visit_entry_fn *visit,
                               void *context);

/**
 * Visits the tips of the branches in the order of numbers; otherwise like pqt_history_visit.
 *
 * @param history  not NULL
 * @param visit    called for each entry; see error.h for visitors
 * @param context  passed to `visit`
 * @return         true if all were visited, false if `visit` stopped it
 */
PQT_API bool pqt_history_visit_branches(const pqt_history *history, pqt_visit_entry_fn *visit,
                                        void *context);

/**
 * Visits the entries on the path between two entries, both included: from `from` up to the common
 * ancestor, then down to `to`.
 *
 * @param history  not NULL
 * @param from     the number of the first entry
 * @param to       the number of the last entry
 * @param visit    called for each entry; see error.h for visitors
 * @param context  passed to `visit`
 * @return         false if an entry is unknown (then nothing is visited) or `visit` stopped
 * @cost  O(entries on the path x log entries)
 */
PQT_API bool pqt_history_visit_path(const pqt_history *history, uint64_t from, uint64_t to,
                                    pqt_visit_entry_fn *visit, void *context);

/**
 * Finds the last common ancestor of two entries, which may be one of them.
 *
 * @param history  not NULL
 * @param a        the number of an entry
 * @param b        the number of an entry
 * @param entry    set to the number of the common ancestor
 * @return         false if an entry is unknown
 * @cost    O(log entries)
 * @source  jump pointers: Myers, An applicative random-access stack, 1983; here with base 8
 */
PQT_API bool pqt_history_common_ancestor(const pqt_history *history, uint64_t a, uint64_t b,
                                         uint64_t *entry);

/**
 * Counts entries and bytes.
 *
 * @param history  not NULL
 * @return         the counts
 * @cost  O(entries)
 */
PQT_API pqt_history_stats pqt_history_get_stats(const pqt_history *history);

/**
 * Counts the bytes of an entry and of its neighbours.
 *
 * @param history  not NULL
 * @param entry    the number of the entry
 * @param bytes    set on success
 * @return         false on failure
 * @error PQT_ERROR_MISMATCH  there is no entry with this number
 * @error PQT_ERROR_CALLBACK  the kind's `bytes` failed
 * @error PQT_ERROR_MEMORY    out of scratch memory
 * @cost  O(nodes of its version)
 */
PQT_API bool pqt_history_get_bytes(const pqt_history *history, uint64_t entry,
                                   pqt_history_bytes *bytes, pqt_error *error);
/** @} */

/** @name Dropping. The children of a dropped entry follow its nearest ancestor that is kept. */
/** @{ */

/**
 * Drops old entries. The older the entries, the larger the fraction of them that it drops.
 *
 * All entries of the newest `recent` pushes are kept, half of those twice as old, a quarter of
 * those four times as old, and so on. More exactly: the *age* of an entry is the number of the
 * newest push minus its own number. If 2^k is the largest power of two that divides the number of
 * an entry, the entry is kept while its age is below `recent` x 2^k.
 *
 * These entries are always kept: the first, the current one, the one with the saved mark, those
 * with a name, and the one that was current when the open group began.
 *
 * A push that exceeds a limit of the options thins the history in the same way, with `recent` half
 * of the number of entries, then a quarter, and so on down to 0. It stops at three quarters of
 * max_entries and of the bytes that max_bytes leaves after the first entry, or when only entries
 * remain that are always kept; these may exceed a limit. If thinning fails, the next push tries
 * again.
 *
 * @param history  not NULL
 * @param recent   0: keep only the entries that are always kept
 * @return         false on failure: nothing has changed
 * @error PQT_ERROR_CALLBACK  the kind's `bytes` failed
 * @error PQT_ERROR_MEMORY    out of memory
 * @cost  O(entries + changes of the dropped entries); an index is rebuilt
 */
PQT_API bool pqt_history_thin(pqt_history *history, size_t recent, pqt_error *error);

/**
 * Drops one entry.
 *
 * @param history  not NULL
 * @param entry    the number of the entry
 * @return         false on failure
 * @error PQT_ERROR_MISMATCH  there is no entry with this number, or it is always kept; the text
 *                            gives the reason
 * @error and those of pqt_history_thin
 */
PQT_API bool pqt_history_drop(pqt_history *history, uint64_t entry, pqt_error *error);

/**
 * Drops an entry and all its descendants, except those that are always kept.
 *
 * @param history  not NULL
 * @param entry    the number of the entry
 * @return         false on failure
 * @error PQT_ERROR_MISMATCH  there is no entry with this number
 * @error and those of pqt_history_thin
 */
PQT_API bool pqt_history_drop_branch(pqt_history *history, uint64_t entry, pqt_error *error);
/** @} */

/** @name Times */
/** @{ */

/**
 * Finds the last entry on the path from the first entry to `tip` whose time is at most `time`.
 *
 * pqt_tree_visit of that entry's version finds the items of a window at that time.
 *
 * @param history  not NULL
 * @param tip      the end of the path, such as pqt_history_current
 * @param time     in the unit of the pushes; NaN finds nothing
 * @param entry    set to the number of the entry
 * @return         false if the tip is unknown, or the first entry is later
 * @cost  O(log entries)
 */
PQT_API bool pqt_history_entry_at(const pqt_history *history, uint64_t tip, double time,
                                  uint64_t *entry);
/** @} */

PQT_END_DECLARATIONS

#endif
