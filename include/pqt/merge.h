/* SPDX-License-Identifier: MIT */
/**
 * @file merge.h - set operations, three-way merge and restore: one version made from two or three.
 *
 * Versions with equal bounds and options divide the plane into the same cells. The functions
 * traverse them together and assemble the result from their subtrees. A subtree that they share
 * becomes part of the result without being entered. If the result equals one of the versions, the
 * function returns that pointer.
 *
 * All functions here need versions with equal bounds, options and memory, and leave them unchanged.
 * With unique_ids, the id map of the result is made from the id map of one version and the
 * differences.
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

/** An array of items, in tree order. */
typedef struct pqt_items {
    const pqt_item *items; /**< NULL is allowed if count is 0 */
    size_t count;          /**< the number of items */
} pqt_items;

/**
 * An id to which both sides of a merge gave different values.
 *
 * The *value* of an id is the set of its boxes: at most one box with unique_ids, otherwise any
 * number. The members list the boxes that at least one side changed. The merge keeps the boxes of
 * the id that neither side changed, whatever the decision.
 */
typedef struct pqt_conflict {
    uint64_t id;      /**< the id in conflict */
    pqt_items base;   /**< the boxes in the base; empty in a union */
    pqt_items ours;   /**< the boxes of one side; empty: removed */
    pqt_items theirs; /**< the boxes of the other side; empty: removed */
} pqt_conflict;

/** The decision about an id in conflict. */
typedef enum pqt_resolution {
    PQT_UNRESOLVED = 0,   /**< no decision: the merge fails, and its error names the id */
    PQT_KEEP_OURS = 1,    /**< the value of `ours` */
    PQT_KEEP_THEIRS = 2,  /**< the value of `theirs` */
    PQT_KEEP_BOTH = 3,    /**< the boxes of both; with unique_ids only if one side has none */
    PQT_KEEP_NEITHER = 4, /**< none of the boxes */
    PQT_KEEP_BASE = 5,    /**< the value in the base */
    PQT_KEEP_ITEMS = 6    /**< the items written to `answer` */
} pqt_resolution;

/**
 * Decides a conflict.
 *
 * @param conflict  valid during the call
 * @param answer    empty; for PQT_KEEP_ITEMS, set it to any number of items with the id of the
 *                  conflict (with unique_ids, at most one); they are read right after the call
 * @param context   from the options
 * @return          the decision
 */
typedef pqt_resolution pqt_resolve_fn(const pqt_conflict *conflict, pqt_items *answer,
                                      void *context);

/** Options of a merge. Start from PQT_MERGE_DEFAULTS. */
typedef struct pqt_merge_options {
    size_t size; /**< sizeof(pqt_merge_options), set by PQT_MERGE_DEFAULTS */
    /** called for each conflict, in ascending order of ids; NULL: a conflict is an error */
    pqt_resolve_fn *resolve;
    void *context; /**< passed to `resolve` */
    /** NULL, or increased: inner nodes and leaves entered in all versions, and items compared one
        by one, by their boxes or their ids */
    pqt_query_stats *stats;
} pqt_merge_options;

/** Initial value of options: a conflict is an error, no statistics. */
#define PQT_MERGE_DEFAULTS                                                                         \
    {                                                                                              \
        sizeof(pqt_merge_options), NULL, NULL, NULL                                                \
    }

/**
 * Merges two versions that were made from a common base: the result has the changes of both.
 *
 * If one side did not change an id, the other side's value applies; if both changed it to the same
 * value, that value applies. An id that both changed to different values is a conflict.
 *
 * If versions differ in max_depth, the result has that of `base`, and the sides that differ from it
 * are built again first, which takes O(n log n). The other functions of this file do so with `b` or
 * `old`: the result has the max_depth of the first version.
 *
 * @param base     the version from which both were made
 * @param ours     one side
 * @param theirs   the other side
 * @param options  NULL means PQT_MERGE_DEFAULTS
 * @return         the merged version: `theirs` itself if `ours` changed nothing; `ours` itself if
 *                 `theirs` changed nothing that `ours` did not; NULL on failure
 *
 * @error PQT_ERROR_MISMATCH  bounds, options or memories differ; the text names the first that does
 * @error PQT_ERROR_CONFLICT  an undecided conflict; the text names the id
 * @error PQT_ERROR_CALLBACK  `resolve` returned something other than a pqt_resolution, or items
 *                            that are not allowed; the text names the id
 * @error PQT_ERROR_OPTION    the size of the options is wrong
 * @error PQT_ERROR_LIMIT     the result would have more than PQT_MAX_ITEMS
 * @error PQT_ERROR_MEMORY    out of memory
 *
 * @cost    O(changes of both sides x depth); without conflicts it is symmetric in the two sides
 * @thread  any number at once
 */
PQT_API PQT_NODISCARD const pqt_tree *pqt_tree_merge(const pqt_tree *base, const pqt_tree *ours,
                                                     const pqt_tree *theirs,
                                                     const pqt_merge_options *options,
                                                     pqt_error *error);

/**
 * Returns the union of two versions: the items of either.
 *
 * With unique_ids, an id with different boxes in the two is a conflict, as if both had been made
 * from an empty tree: `a` is ours, and `b` theirs. Without unique_ids there are no conflicts.
 *
 * @param a        any version
 * @param b        any version
 * @param options  NULL means PQT_MERGE_DEFAULTS
 * @return         the new version; `a` itself if it contains all of `b`, otherwise `b` itself if it
 *                 contains all of `a`; NULL on failure
 * @error as pqt_tree_merge
 * @cost  O(nodes that the two do not share); parts that only one of them has are shared
 */
PQT_API PQT_NODISCARD const pqt_tree *pqt_tree_union(const pqt_tree *a, const pqt_tree *b,
                                                     const pqt_merge_options *options,
                                                     pqt_error *error);

/**
 * Returns the intersection of two versions: the items with equal boxes and ids in both.
 *
 * @param a        any version
 * @param b        any version
 * @param options  NULL means PQT_MERGE_DEFAULTS; only `stats` is used
 * @return         the new version; `a` itself if `b` contains all of it, otherwise `b` itself if
 *                 `a` contains all of that; NULL on failure
 * @error PQT_ERROR_MISMATCH, PQT_ERROR_OPTION, PQT_ERROR_MEMORY  as pqt_tree_merge
 * @cost  as pqt_tree_union
 */
PQT_API PQT_NODISCARD const pqt_tree *pqt_tree_intersection(const pqt_tree *a, const pqt_tree *b,
                                                            const pqt_merge_options *options,
                                                            pqt_error *error);

/**
 * Returns the difference of two versions: the items of `a` without those whose box and id are also
 * in `b`.
 *
 * @param a        any version
 * @param b        any version
 * @param options  NULL means PQT_MERGE_DEFAULTS; only `stats` is used
 * @return         the new version; `a` itself if the two have no common item; NULL on failure
 * @error PQT_ERROR_MISMATCH, PQT_ERROR_OPTION, PQT_ERROR_MEMORY  as pqt_tree_merge
 * @cost  as pqt_tree_union; with unique_ids, plus O(k), for the smaller number k of items kept or
 *        of items removed
 */
PQT_API PQT_NODISCARD const pqt_tree *pqt_tree_difference(const pqt_tree *a, const pqt_tree *b,
                                                          const pqt_merge_options *options,
                                                          pqt_error *error);

/**
 * Restores one window of a version to its state in an older version: undo within a window.
 *
 * The result is `now` without the items that the query finds in it, plus the items that the query
 * finds in `old`. With unique_ids, a restored item replaces an item with the same id that is
 * elsewhere now. Without them, an item that has left the window in the meantime is then at both
 * positions.
 *
 * @param now    the version to change
 * @param old    the version to restore from
 * @param query  as for reading (query.h), but a window that is NaN or inverted is an error
 * @return       the new version; `now` itself if nothing changes; otherwise `old` itself if the
 *               result equals it; NULL on failure
 *
 * @error PQT_ERROR_BOX       the window contains NaN or is inverted
 * @error PQT_ERROR_MISMATCH  bounds, options or memories differ; the text names the first that does
 * @error PQT_ERROR_LIMIT     the result would have more than PQT_MAX_ITEMS
 * @error PQT_ERROR_MEMORY    out of memory
 *
 * @cost  O(nodes that the two do not share and that the window's edge crosses); with a filter or
 *        unique_ids, plus O(items removed and restored)
 */
PQT_API PQT_NODISCARD const pqt_tree *pqt_tree_restore(const pqt_tree *now, const pqt_tree *old,
                                                       const pqt_query *query, pqt_error *error);

PQT_END_DECLARATIONS

#endif
