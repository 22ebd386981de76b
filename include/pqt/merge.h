/* SPDX-License-Identifier: MIT */
/**
 * @file merge.h - one version made of two or three.
 *
 * Versions of equal bounds and options have equal shapes at equal places. So they are walked side
 * by side, and each result is put together from subtrees of what it is made of: a subtree that they
 * share is taken as it is, and never entered. If a result equals one of them, it is that very
 * pointer.
 *
 * All functions here want versions of equal bounds, options and memory, and leave them as they are.
 * With unique_ids the result's map from id to item follows from one of theirs by what differs.
 */
#ifndef PQT_MERGE_H
#define PQT_MERGE_H

#include <stddef.h>
#include <stdint.h>

#include <pqt/error.h>
#include <pqt/export.h>
#include <pqt/item.h>
#include <pqt/query.h>
#include <pqt/tree.h>

PQT_BEGIN_DECLARATIONS

/** Items side by side, in tree order. */
typedef struct pqt_items {
    const pqt_item *items; /**< NULL is allowed if count is 0 */
    size_t count;          /**< how many */
} pqt_items;

/**
 * An id that both sides gave different boxes.
 *
 * The *value* of an id is the set of its boxes: one box or none with unique_ids, else any number.
 * Here stand those that at least one side touched. A box of the id that neither touched stays as it
 * is, whatever is decided.
 */
typedef struct pqt_conflict {
    uint64_t id;      /**< what it is about */
    pqt_items base;   /**< as it was; nothing in a union */
    pqt_items ours;   /**< as the one side has it; nothing: removed */
    pqt_items theirs; /**< as the other side has it */
} pqt_conflict;

/** What becomes of an id in conflict. */
typedef enum pqt_resolution {
    PQT_UNRESOLVED = 0,   /**< no decision: the merge fails, and its error names the id */
    PQT_KEEP_OURS = 1,    /**< the value that ours has */
    PQT_KEEP_THEIRS = 2,  /**< the value that theirs has */
    PQT_KEEP_BOTH = 3,    /**< the boxes of both; not with unique_ids, unless one side has none */
    PQT_KEEP_NEITHER = 4, /**< none of the boxes */
    PQT_KEEP_BASE = 5,    /**< as it was */
    PQT_KEEP_ITEMS = 6    /**< the items written to `answer` */
} pqt_resolution;

/**
 * Returns the name of a resolution, for logs and user interfaces.
 *
 * @param resolution  any value
 * @return            a static string in English, never NULL; "unknown resolution" for any other
 *                    number
 *
 * @thread  any
 * @since   0.1
 */
PQT_API const char *pqt_resolution_name(pqt_resolution resolution);

/**
 * Decides a conflict.
 *
 * @param conflict  valid during the call
 * @param answer    empty; for PQT_KEEP_ITEMS, set it to items with the id of the conflict, as many
 *                  as you like (with unique_ids, one at most); they are read right after the call
 * @param context   of the options
 */
typedef pqt_resolution pqt_resolve_fn(const pqt_conflict *conflict, pqt_items *answer,
                                      void *context);

/** How versions are merged. Start from PQT_MERGE_DEFAULTS. */
typedef struct pqt_merge_options {
    size_t size; /**< sizeof(pqt_merge_options), set by PQT_MERGE_DEFAULTS */
    /** called for each conflict, by rising ids; NULL: a conflict is an error */
    pqt_resolve_fn *resolve;
    void *context; /**< handed to `resolve` */
    /** NULL, or adds up what was done: inner nodes and leaves entered of all versions, and items
        compared one by one, by their boxes or their ids */
    pqt_query_stats *stats;
} pqt_merge_options;

/** Initial value of options: a conflict is an error, nothing is counted. */
#define PQT_MERGE_DEFAULTS                                                                         \
    {                                                                                              \
        sizeof(pqt_merge_options), NULL, NULL, NULL                                                \
    }

/**
 * Merges what two sides made of a version: the result has the changes of both.
 *
 * Where one side left an id alone, the other's value counts; where both changed it alike, that. An
 * id that both changed to different values is a conflict.
 *
 * @param base     what both started from; NULL passes an earlier failure on, here and below
 * @param ours     the one side
 * @param theirs   the other side
 * @param options  NULL: the defaults
 * @param error    told why on failure; may be NULL; an error already in it is kept
 * @return         the merged version: `theirs` itself if `ours` changed nothing, `ours` itself if
 *                 `theirs` changed nothing or nothing else; NULL on failure
 *
 * @error PQT_ERROR_MISMATCH  bounds, options or memories differ; the text names the first that does
 * @error PQT_ERROR_CONFLICT  a conflict that nobody decides; the text names the id
 * @error PQT_ERROR_CALLBACK  `resolve` returned no pqt_resolution, or items that cannot be; the
 *                            text names the id
 * @error PQT_ERROR_OPTION    the options' size is not theirs
 * @error PQT_ERROR_LIMIT     the result would hold more than PQT_MAX_ITEMS
 * @error PQT_ERROR_MEMORY    no memory
 *
 * @cost    O(changes of both sides x depth); without conflicts it is symmetric in the two sides
 * @thread  any number at once
 * @since   0.1
 */
PQT_API PQT_NODISCARD const pqt_tree *pqt_tree_merge(const pqt_tree *base, const pqt_tree *ours,
                                                     const pqt_tree *theirs,
                                                     const pqt_merge_options *options,
                                                     pqt_error *error);

/**
 * The version that holds every item of either.
 *
 * With unique_ids, an id that has different boxes in the two is a conflict, as if both had been
 * made from nothing: `a` is ours, and `b` theirs. Else there are none.
 *
 * @return  the new version; `a` itself if it holds all of `b`, else `b` itself if it holds all of
 *          `a`; NULL on failure
 * @error as pqt_tree_merge
 * @cost  O(nodes that the two do not share); what only one of them holds is taken as it is
 * @since 0.1
 */
PQT_API PQT_NODISCARD const pqt_tree *pqt_tree_union(const pqt_tree *a, const pqt_tree *b,
                                                     const pqt_merge_options *options,
                                                     pqt_error *error);

/**
 * The version that holds the items that are in both: equal boxes and equal ids.
 *
 * @param options  NULL: the defaults; only `stats` is used
 * @return  the new version; `a` itself if `b` holds all of it, else `b` itself if `a` holds all of
 *          that; NULL on failure
 * @error PQT_ERROR_MISMATCH, PQT_ERROR_OPTION, PQT_ERROR_MEMORY  as pqt_tree_merge
 * @cost  as pqt_tree_union
 * @since 0.1
 */
PQT_API PQT_NODISCARD const pqt_tree *pqt_tree_intersection(const pqt_tree *a, const pqt_tree *b,
                                                            const pqt_merge_options *options,
                                                            pqt_error *error);

/**
 * The version that holds the items of `a` that are not in `b`: equal boxes and equal ids.
 *
 * @param options  NULL: the defaults; only `stats` is used
 * @return  the new version; `a` itself if the two have no item in common; NULL on failure
 * @error PQT_ERROR_MISMATCH, PQT_ERROR_OPTION, PQT_ERROR_MEMORY  as pqt_tree_merge
 * @cost  as pqt_tree_union; with unique_ids, O(items kept or taken away, whichever are fewer) more
 * @since 0.1
 */
PQT_API PQT_NODISCARD const pqt_tree *pqt_tree_difference(const pqt_tree *a, const pqt_tree *b,
                                                          const pqt_merge_options *options,
                                                          pqt_error *error);

/**
 * Puts one region back as it was, and keeps the rest as it is: undo with a window.
 *
 * The result is `now` without what a query finds in it, and with what the query finds in `old`.
 * With unique_ids, an item that comes back replaces one of its id that is elsewhere now. Without
 * them ids are but labels: an item that has left the window since is then in both places.
 *
 * @param now    the version to be changed; NULL passes an earlier failure on
 * @param old    the version to take from; NULL passes an earlier failure on
 * @param query  as for reading (query.h); here a window that is NaN or inside out is an error
 * @return       the new version; `now` itself if nothing changes; else `old` itself if the result
 *               equals it; NULL on failure
 *
 * @error PQT_ERROR_BOX       the window is NaN or inside out
 * @error PQT_ERROR_MISMATCH  bounds, options or memories differ; the text names the first that does
 * @error PQT_ERROR_LIMIT     the result would hold more than PQT_MAX_ITEMS
 * @error PQT_ERROR_MEMORY    no memory
 *
 * @cost  O(nodes that the two do not share and that the window's edge crosses); with a filter or
 *        unique_ids, O(items that come and go) more
 * @since 0.1
 */
PQT_API PQT_NODISCARD const pqt_tree *pqt_tree_restore(const pqt_tree *now, const pqt_tree *old,
                                                       const pqt_query *query, pqt_error *error);

PQT_END_DECLARATIONS

#endif
