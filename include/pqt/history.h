/* SPDX-License-Identifier: MIT */
/**
 * @file history.h - undo, redo, branches, and questions about the past.
 *
 * A history holds versions, called *entries* here, as a tree: each but the first one follows from
 * another. One of them is the *current* entry. A push adds an entry after it; undo goes back to the
 * one it follows, redo to the one last used after it. A push after an undo begins a branch; the old
 * one stays, and any entry can be gone to.
 *
 *     pqt_history *history = pqt_history_make(pqt_history_trees(), tree, NULL, &error);
 *     tree = pqt_tree_move(tree, cat, box, &error);
 *     pqt_history_push(history, tree, &(pqt_history_entry_info){.label = "Move"}, &error);
 *     if (pqt_history_undo(history))
 *         tree = pqt_history_value(history);
 *     pqt_history_destroy(&history);
 *
 * Entries are named by *numbers*: 0 is the first, and each new one gets the next number, which
 * stays its own and is never given again.
 *
 * A history is a pin: what it holds lives, wherever the history lies, until it is destroyed. It is
 * changed in place, unlike the versions in it, and has no lock: a history is for one thread at a
 * time. What is read out of it (values) may go to any thread, as versions may.
 *
 * What a `const` function hands out (labels, names) is valid until the history changes next. A
 * visitor must not change the history that it visits.
 */
#ifndef PQT_HISTORY_H
#define PQT_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt/diff.h>
#include <pqt/error.h>
#include <pqt/export.h>
#include <pqt/memory.h>
#include <pqt/query.h>
#include <pqt/tree.h>

PQT_BEGIN_DECLARATIONS

/** A history; see above. */
typedef struct pqt_history pqt_history;

/** Bytes of a label or a name at most, its end not counted; longer ones are cut or refused. */
#define PQT_MAX_LABEL 255

/**
 * What a history holds. For trees, regions and worlds there are pqt_history_trees,
 * pqt_history_regions, and pqt_history_worlds (head.h).
 */
typedef struct pqt_history_kind {
    size_t size;      /**< sizeof(pqt_history_kind) */
    const char *name; /**< what is held, for messages: "trees"; not NULL, never freed */
    /** The memory in which a value lives; NULL: all live in the collector's. */
    pqt_memory *(*memory)(const void *value, void *context);
    /** Whether two values are equal; NULL: if they are one pointer. */
    bool (*equals)(const void *a, const void *b, void *context);
    /**
     * Bytes of those blocks of a value that none of `count` others holds; NULL: 0 bytes each.
     * It is called at each push, with one other, so it should pass over what is shared: of versions
     * in a value, pqt_tree_exclusive_bytes, pqt_region_exclusive_bytes and
     * pqt_world_exclusive_bytes tell the bytes. false: it failed.
     */
    bool (*bytes)(const void *value, const void *const *others, size_t count, size_t *bytes,
                  void *context);
    void *context; /**< handed to the functions; keeping it alive is up to you */
} pqt_history_kind;

/** How a history is made. Start from PQT_HISTORY_DEFAULTS. */
typedef struct pqt_history_options {
    size_t size;        /**< sizeof(pqt_history_options), set by PQT_HISTORY_DEFAULTS */
    size_t max_entries; /**< thin when there are more entries; 0: no limit */
    size_t max_bytes;   /**< thin when versions and index take more bytes; 0: no limit */
    /** Keep an index for questions about the past; for trees only. It takes at least 64 KiB. */
    bool indexed;
    double time; /**< the time of the first entry, finite, in your unit */
} pqt_history_options;

/** Initial value of options: no limits, no index, time 0. */
#define PQT_HISTORY_DEFAULTS                                                                       \
    {                                                                                              \
        sizeof(pqt_history_options), 0, 0, false, 0                                                \
    }

/** What comes with a pushed value; all of it may be zero. */
typedef struct pqt_history_entry_info {
    /**
     * For a menu: "Move" makes "Undo Move". UTF-8; NULL is an empty label. It is copied. What comes
     * after PQT_MAX_LABEL bytes is cut off between characters, control characters become spaces,
     * and bytes that are no UTF-8 become U+FFFD: a label never makes a push fail.
     */
    const char *label;
    double time;  /**< finite, in your unit, not before the time of the current entry */
    uint64_t key; /**< not 0: replaces the current entry if that was pushed last with this key */
    uint64_t reserved[4]; /**< must be 0; any other value stops the program */
} pqt_history_entry_info;

/** One entry, as it is seen from outside. */
typedef struct pqt_history_entry {
    uint64_t number;   /**< its own */
    uint64_t parent;   /**< the number of the entry that it follows; the first one's is its own */
    size_t depth;      /**< undo steps from it to the first entry */
    size_t children;   /**< how many entries follow it; 0: it is the tip of a branch */
    const char *label; /**< never NULL */
    const char *name;  /**< NULL: it has none */
    double time;       /**< as it was pushed */
    const void *value; /**< the version */
    size_t added;      /**< bytes that its version holds and that of its parent does not */
    bool is_current;   /**< undo and redo start here */
    bool is_saved;     /**< it bears the saved mark */
    bool is_on_path;   /**< it is the current entry, or an undo leads to it */
} pqt_history_entry;

/** Is handed one entry, valid during the call; returns true to go on, false to stop. */
typedef bool pqt_visit_entry_fn(const pqt_history_entry *entry, void *context);

/** What a history holds in all. */
typedef struct pqt_history_stats {
    size_t entries;  /**< at least 1 */
    size_t branches; /**< entries that none follows */
    /**
     * Bytes of the versions, what they share counted once: the sum of what each entry added. That
     * is exact where each version was made from the one that it was pushed after. A version that
     * comes back later, pushed anew, is counted again.
     */
    size_t bytes;
    size_t index_bytes; /**< what the index takes from malloc; 0 without one */
    size_t entry_bytes; /**< the entries themselves, with room for more, labels and names */
} pqt_history_stats;

/** What one entry costs, among its neighbours: the one that it follows, and those that follow
    it. */
typedef struct pqt_history_bytes {
    size_t all;    /**< bytes of all blocks of its version */
    size_t added;  /**< of these, held by it and not by the entry that it follows */
    size_t shared; /**< of these, held by some neighbour as well */
    /**
     * all - shared: what dropping the entry frees, unless something else holds it: an entry further
     * off (where an old version was pushed anew), a pin, or a variable. With the collector it is
     * freed by one of the next collections, with an arena when that is destroyed.
     */
    size_t freed;
} pqt_history_bytes;

/** The answer to a question about the past. */
typedef struct pqt_history_answer {
    bool found;        /**< else the other fields, but `steps`, are zero */
    uint64_t entry;    /**< the entry that brought the change */
    uint64_t before;   /**< the entry that it follows: ask again from there for the change before */
    double time;       /**< the entry's time */
    pqt_change change; /**< what became of the item; zero if a window was asked for */
    uint64_t steps;    /**< entries looked at; see pqt_history_last_change */
} pqt_history_answer;

/** @name Making */
/** @{ */

/** The kind of `const pqt_tree *`. Their bytes are counted in O(changes x depth). @since 0.1 */
PQT_API const pqt_history_kind *pqt_history_trees(void);

/** The kind of `const pqt_region *`. @since 0.1 */
PQT_API const pqt_history_kind *pqt_history_regions(void);

/**
 * The kind of `const pqt_world *`, for pqt_history_make.
 *
 * Its bytes are counted in O(changes x depth): a step in which everything moves is no small change.
 * Such a history has no index. Worlds are equal if pqt_world_equals says so.
 *
 * @since 0.1
 */
PQT_API const pqt_history_kind *pqt_history_worlds(void);

/**
 * Makes a history of one entry, which is current and bears the saved mark.
 *
 * @param kind     what it holds; copied
 * @param first    the version of entry 0, which is never dropped; NULL passes an earlier failure on
 * @param options  NULL: the defaults
 * @param error    told why on failure; may be NULL; an error already in it is kept
 * @return         the history, to be destroyed by pqt_history_destroy; NULL on failure
 *
 * @error PQT_ERROR_OPTION       a size is not that of the struct, the time is not finite, or an
 *                               index is wanted for what is no tree
 * @error PQT_ERROR_CALLBACK     the kind's `bytes` failed
 * @error PQT_ERROR_UNSUPPORTED  the kind has no `memory`, in a build without the collector
 * @error PQT_ERROR_THREAD       the first call of all came from a thread that is not main
 * @error PQT_ERROR_MEMORY       no memory
 * @since 0.1
 */
PQT_API PQT_NODISCARD pqt_history *pqt_history_make(const pqt_history_kind *kind, const void *first,
                                                    const pqt_history_options *options,
                                                    pqt_error *error);

/** Lets go of all entries, and sets the pointer to NULL. @param history NULL is allowed
    @since 0.1 */
PQT_API void pqt_history_destroy(pqt_history **history);
/** @} */

/** @name Editing */
/** @{ */

/**
 * Adds a version after the current entry, which it becomes.
 *
 * A value equal to the current one adds nothing and succeeds. The current entry is *replaced*,
 * keeping its number and its place, if it was made in the group that is open, or was pushed last
 * with the same key (a drag is one entry). An entry that others follow, that bears the saved mark
 * or a name, or that was gone to by undo, redo or go is never replaced.
 *
 * Afterwards the history is thinned if it is beyond a limit; see pqt_history_thin.
 *
 * @param value  of the history's kind, in the same memory as the first; NULL passes an earlier
 *               failure on
 * @return       false on failure: nothing has changed
 *
 * @error PQT_ERROR_MISMATCH  the value lives in another memory or, with an index, differs in bounds
 *                            or options from the first one
 * @error PQT_ERROR_OPTION    the time is not finite, or before that of the current entry
 * @error PQT_ERROR_CALLBACK  the kind's `bytes` failed
 * @error PQT_ERROR_LIMIT     there are 2^32 - 2 entries
 * @error PQT_ERROR_MEMORY    no memory
 *
 * @cost   O(new nodes), and O(log entries) amortised, with limits too: thinning does not examine
 *         again an entry that it found to be always kept. With an index, thinning rebuilds the
 *         index; docs/design_log.md says what that costs
 * @since  0.1
 */
PQT_API bool pqt_history_push(pqt_history *history, const void *value,
                              const pqt_history_entry_info *info, pqt_error *error);

/** Ends a drag: the next push adds an entry even if its key is that of the last. @since 0.1 */
PQT_API void pqt_history_end_coalescing(pqt_history *history);

/**
 * Opens a group: all that is pushed until it ends is one entry, with the group's label and the last
 * push's version and time. Groups may be nested; then the outermost counts.
 *
 * While a group is open, undo and redo find nothing to do, and going elsewhere is refused.
 *
 * @param label  as in pqt_history_entry_info
 * @since 0.1
 */
PQT_API void pqt_history_begin(pqt_history *history, const char *label);

/** Ends the group that was opened last. @return false if none is open @since 0.1 */
PQT_API bool pqt_history_end(pqt_history *history);

/**
 * Ends all open groups and goes back to the entry before them; what they pushed is dropped, unless
 * it bears the saved mark or a name.
 *
 * @return  false if none is open
 * @since   0.1
 */
PQT_API bool pqt_history_cancel(pqt_history *history);
/** @} */

/** @name Moving: these allocate nothing */
/** @{ */

/** Goes back to the entry that the current one follows. @return false at the first entry and in a
    group @since 0.1 */
PQT_API bool pqt_history_undo(pqt_history *history);

/**
 * Goes on to the entry after the current one that was last used; where thinning dropped it, to what
 * followed it, or else to the newest.
 *
 * @return  false at the tip of a branch and in a group
 * @since   0.1
 */
PQT_API bool pqt_history_redo(pqt_history *history);

/**
 * Goes to any entry. Redo then leads back along the way to it.
 *
 * @error PQT_ERROR_MISMATCH  there is no entry of this number, or a group is open
 * @cost   O(entries on the way up from the target to where it meets the current one's)
 * @since  0.1
 */
PQT_API bool pqt_history_checkout(pqt_history *history, uint64_t entry, pqt_error *error);

/** The label of what undo takes back, "Undo Move"; NULL if undo would return false. @since 0.1 */
PQT_API const char *pqt_history_undo_label(const pqt_history *history);

/** The label of what redo brings back; NULL if redo would return false. @since 0.1 */
PQT_API const char *pqt_history_redo_label(const pqt_history *history);

/** Puts the saved mark on the current entry; there is one mark. @since 0.1 */
PQT_API void pqt_history_mark_saved(pqt_history *history);

/** Whether the current entry is another than the saved one. @since 0.1 */
PQT_API bool pqt_history_is_modified(const pqt_history *history);

/**
 * Names an entry; it is kept then until the name is taken away.
 *
 * @param name  1..PQT_MAX_LABEL bytes of UTF-8 without control characters, copied; NULL takes the
 *              name away
 * @error PQT_ERROR_MISMATCH  there is no entry of this number
 * @error PQT_ERROR_OPTION    the name is empty, too long, or not such UTF-8
 * @error PQT_ERROR_CONFLICT  another entry has the name
 * @error PQT_ERROR_MEMORY    no memory
 * @cost   O(entries); the one function of this group that allocates
 * @since  0.1
 */
PQT_API bool pqt_history_set_name(pqt_history *history, uint64_t entry, const char *name,
                                  pqt_error *error);
/** @} */

/** @name Looking */
/** @{ */

/** The current version. @since 0.1 */
PQT_API const void *pqt_history_value(const pqt_history *history);

/** The number of the current entry. @since 0.1 */
PQT_API uint64_t pqt_history_current(const pqt_history *history);

/** Tells of an entry. @return false if there is none of this number @cost O(log entries + children)
    @since 0.1 */
PQT_API bool pqt_history_get_entry(const pqt_history *history, uint64_t number,
                                   pqt_history_entry *entry);

/** The version of an entry; NULL if there is none of this number. @cost O(log entries)
    @since 0.1 */
PQT_API const void *pqt_history_value_of(const pqt_history *history, uint64_t entry);

/** Finds the entry of a name. @return false if none has it @cost O(entries) @since 0.1 */
PQT_API bool pqt_history_find(const pqt_history *history, const char *name, uint64_t *entry);

/**
 * Visits all entries: each before those that follow it, these in the order of their numbers.
 *
 * @return  true if the walk came to its end, false if `visit` stopped it
 * @since   0.1
 */
PQT_API bool pqt_history_visit(const pqt_history *history, pqt_visit_entry_fn *visit,
                               void *context);

/** Visits the tips of the branches in the order of their numbers. As pqt_history_visit.
    @since 0.1 */
PQT_API bool pqt_history_visit_branches(const pqt_history *history, pqt_visit_entry_fn *visit,
                                        void *context);

/**
 * Visits the entries on the way from one to another, both included: up to where their ways to the
 * first entry meet, then down.
 *
 * @return  false if one of them is unknown (nothing is visited then) or `visit` stopped it
 * @cost    O(entries on the way x log entries)
 * @since   0.1
 */
PQT_API bool pqt_history_visit_path(const pqt_history *history, uint64_t from, uint64_t to,
                                    pqt_visit_entry_fn *visit, void *context);

/**
 * Finds the entry in which the ways of two entries to the first one meet.
 *
 * @return  false if one of them is unknown
 * @cost    O(log entries)
 * @source  jump pointers: Myers, An applicative random-access stack, 1983; here with eight ways
 * @since   0.1
 */
PQT_API bool pqt_history_common_ancestor(const pqt_history *history, uint64_t a, uint64_t b,
                                         uint64_t *entry);

/** Counts what is held. @cost O(entries) @since 0.1 */
PQT_API pqt_history_stats pqt_history_get_stats(const pqt_history *history);

/**
 * What an entry costs among its neighbours.
 *
 * @error PQT_ERROR_MISMATCH  there is no entry of this number
 * @error PQT_ERROR_CALLBACK  the kind's `bytes` failed
 * @error PQT_ERROR_MEMORY    no scratch memory
 * @cost   O(nodes of its version)
 * @since  0.1
 */
PQT_API bool pqt_history_get_bytes(const pqt_history *history, uint64_t entry,
                                   pqt_history_bytes *bytes, pqt_error *error);
/** @} */

/** @name Dropping: what followed a dropped entry follows the nearest one kept that was before it */
/** @{ */

/**
 * Drops older entries, the more the older they are.
 *
 * An entry's *age* is the number of the newest push less its own. Younger ones than `recent` are
 * all kept; of ages below 2 x recent, 1 in 2 (even numbers); below 4 x recent, 1 in 4 (multiples of
 * 4); below 8 x recent, 1 in 8; and so on. Always kept are the first entry, the current one, the
 * one with the saved mark, those with a name, and the one in which an open group began.
 *
 * Beyond a limit of the options a push does the same, with `recent` half of the entries, a quarter,
 * and so on down to 0, until a quarter of the limit is free again (of bytes, a quarter of what it
 * leaves beside the first entry's), or nothing is left to drop: what is always kept may exceed a
 * limit. If that fails it is put off to the next push.
 *
 * @param recent  0: keep only what is always kept
 * @return        false on failure: nothing has changed
 * @error PQT_ERROR_CALLBACK  the kind's `bytes` failed
 * @error PQT_ERROR_MEMORY    no memory
 * @cost   O(entries), and the changes of those that were dropped; with an index, it is built anew
 * @since  0.1
 */
PQT_API bool pqt_history_thin(pqt_history *history, size_t recent, pqt_error *error);

/**
 * Drops one entry.
 *
 * @error PQT_ERROR_MISMATCH  there is no entry of this number, or it is always kept; the text says
 *                            why
 * @error and those of pqt_history_thin
 * @since 0.1
 */
PQT_API bool pqt_history_drop(pqt_history *history, uint64_t entry, pqt_error *error);

/**
 * Drops an entry and all that come after it, but for those that are always kept.
 *
 * @error PQT_ERROR_MISMATCH  there is no entry of this number
 * @error and those of pqt_history_thin
 * @since 0.1
 */
PQT_API bool pqt_history_drop_branch(pqt_history *history, uint64_t entry, pqt_error *error);
/** @} */

/** @name Questions about the past: of an entry and those before it */
/** @{ */

/**
 * Finds the entry that was current at a time: the last one at or before it on the way to `tip`.
 *
 * What a window held then is a question to that entry's version: pqt_tree_visit.
 *
 * @param tip    the entry whose past is asked for, such as pqt_history_current
 * @param entry  set to the entry
 * @return       false if the tip is unknown, or the first entry came later
 * @cost   O(log entries)
 * @since  0.1
 */
PQT_API bool pqt_history_entry_at(const pqt_history *history, uint64_t tip, double time,
                                  uint64_t *entry);

/**
 * Finds when a window last changed: the last entry on the way to `tip` that differs within it from
 * the one before. The first entry changed nothing.
 *
 * A change that was taken back later counts; that the window looks the same as ever does not help.
 * The answer is that of looking at every entry in turn, in fewer *steps*. With n entries on the
 * way, h = floor(log8(7n + 1)) - 1, at most 15 h + 9: 54 for n = 1000, 84 for n = 100,000. A step
 * is one window query to a tree of the items that changed in a stretch of the past, or one
 * difference between two entries within the window. The query's tally counts the nodes of both.
 *
 * @param query   the window, the relation, and a filter if there is one; NULL: any change
 * @param answer  written on success
 * @return        false on failure; `answer->found` says whether there was a change
 *
 * @error PQT_ERROR_OPTION    the history has no index
 * @error PQT_ERROR_MISMATCH  there is no entry of this number
 * @error PQT_ERROR_BOX       the window is NaN or inside out
 * @cost   O(log entries) steps; allocates nothing
 * @since  0.1
 */
PQT_API bool pqt_history_last_change(const pqt_history *history, uint64_t tip,
                                     const pqt_query *query, pqt_history_answer *answer,
                                     pqt_error *error);

/**
 * Finds when an item last appeared, moved or vanished: PQT_INSERT, PQT_MOVE, PQT_REMOVE in
 * `answer->change`. An item that never changed was there from the first entry on, or never was.
 *
 * All its changes, newest first:
 *
 *     while (pqt_history_last_item_change(history, tip, id, &answer, &error) && answer.found) {
 *         print(&answer);
 *         tip = answer.before;
 *     }
 *
 * Where an id occurs more than once and an entry changed several of its items, the first change is
 * told; pqt_diff_visit of the two versions tells all.
 *
 * @error PQT_ERROR_OPTION, PQT_ERROR_MISMATCH  as pqt_history_last_change
 * @error PQT_ERROR_MEMORY  no scratch memory; never with unique_ids
 * @cost   at most the steps of pqt_history_last_change, each O(log changes); without unique_ids
 *         some are differences between two entries
 * @since  0.1
 */
PQT_API bool pqt_history_last_item_change(const pqt_history *history, uint64_t tip, uint64_t id,
                                          pqt_history_answer *answer, pqt_error *error);

/**
 * Visits what changed between two times on the way to `tip`, as pqt_diff_visit of the versions
 * then: changes that were taken back in between are not told. Of times before the first entry, that
 * one counts. The later time may come first: then it is told how to go back.
 *
 * @param query  NULL: everything
 * @error PQT_ERROR_OPTION    the history is not one of trees, or a time is NaN
 * @error PQT_ERROR_MISMATCH  there is no entry of this number; bounds or options of the versions
 *                            differ
 * @error PQT_ERROR_BOX, PQT_ERROR_MEMORY  as pqt_diff_visit
 * @cost   O(log entries + changes x depth)
 * @since  0.1
 */
PQT_API bool pqt_history_visit_changes(const pqt_history *history, uint64_t tip, double from,
                                       double to, const pqt_query *query,
                                       pqt_visit_change_fn *visit, void *context, pqt_error *error);
/** @} */

PQT_END_DECLARATIONS

#endif
