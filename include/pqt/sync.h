/* SPDX-License-Identifier: MIT */
/**
 * @file sync.h - where two trees differ that are not in one place.
 *
 * Each side has one of the trees. They compare the digests of cells from the root down, so they
 * exchange little where they differ little.
 */
#ifndef PQT_SYNC_H
#define PQT_SYNC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt/box.h>
#include <pqt/error.h>
#include <pqt/export.h>
#include <pqt/item.h>
#include <pqt/query.h>
#include <pqt/tree.h>

PQT_BEGIN_DECLARATIONS

/** @name Where two trees part, of which one is far away */
/** @{ */

/**
 * The way from the root to a cell: it names the same cell in all trees of equal bounds and depth,
 * on any machine. All zero: the root.
 *
 * A cell has four quarters. The bucket of a cell (the items that are larger than it or, for the
 * root's, that lie outside the bounds) is divided by quarters, too.
 */
typedef struct pqt_sync_path {
    /** the quarters entered, two bits each, from the top bits of digits[0] on: 1 for the right
        ones, 2 for the lower ones */
    uint64_t digits[2];
    uint8_t length;    /**< how many, 0..64 */
    uint8_t own_items; /**< 0: in no bucket; else 1 + the steps before the bucket is entered */
} pqt_sync_path;

/** What a cell holds, in brief. */
typedef struct pqt_sync_digest {
    pqt_fingerprint fingerprint; /**< as pqt_tree_fingerprint, of these items alone */
    uint64_t count;              /**< how many items; a 64-bit number, to be sent as it is */
} pqt_sync_digest;

/**
 * What a cell holds, in brief.
 *
 * @param tree  any version
 * @param path   from whomever; one that leads nowhere leads to nothing
 * @return      sum and count; never fails
 * @cost  O(depth)
 * @since 0.1
 */
PQT_API pqt_sync_digest pqt_sync_digest_of(const pqt_tree *tree, pqt_sync_path path);

/**
 * Writes the items of a cell into an array, in tree order.
 *
 * @param items     room for `capacity` items; NULL if capacity is 0
 * @return          how many there are in all: more than `capacity` if there was too little room
 * @since 0.1
 */
PQT_API size_t pqt_sync_items_of(const pqt_tree *tree, pqt_sync_path path, pqt_item *items,
                                 size_t capacity);

/** Asks the other tree what a cell holds in brief, as pqt_sync_digest_of there. false: it
 * failed. */
typedef bool pqt_fetch_digest_fn(const pqt_sync_path *path, pqt_sync_digest *digest, void *context);

/**
 * Asks the other tree for the `count` items of a cell, as pqt_sync_items_of there. false: it
 * failed. `count` is what pqt_fetch_digest_fn told of this cell, or what follows from it.
 */
typedef bool pqt_fetch_items_fn(const pqt_sync_path *path, pqt_item *items, size_t count,
                                void *context);

/** Another tree, wherever it is. */
typedef struct pqt_sync_peer {
    pqt_fetch_digest_fn *digest; /**< not NULL */
    pqt_fetch_items_fn *items;   /**< NULL: cells that differ are told without their items */
    void *context;               /**< handed to both */
} pqt_sync_peer;

/** A cell that differs, and is small enough not to be divided any more. */
typedef struct pqt_sync_mismatch {
    pqt_sync_path path;         /**< its name */
    pqt_box box;                /**< the cell, world units; items of a bucket may reach beyond it */
    pqt_sync_digest own, other; /**< what it holds in the own and in the other tree */
    /** what turns the own into the other: PQT_REMOVE and PQT_INSERT; NULL if items are not
        fetched */
    const pqt_change *changes;
    size_t count; /**< how many changes; 0 if items are not fetched */
} pqt_sync_mismatch;

/** Is handed a cell that differs; returns true to go on, false to stop. Valid during the call. */
typedef bool pqt_visit_mismatch_fn(const pqt_sync_mismatch *cell, void *context);

/**
 * Finds where a tree differs from another one, of which little is fetched.
 *
 * From the root down, the sums of cells are compared, and only those that differ are entered. What
 * of a cell's sum is explained already is not asked for: at most four sums a level for one
 * difference.
 *
 * All changes of all cells together turn the own tree into the other, in any order. The other tree
 * is expected to have equal bounds and options, and to stay as it is meanwhile; so fetch from a
 * version.
 *
 * @param tree     any version; NULL passes an earlier failure on
 * @param peer   how to ask the other tree
 * @param visit    called for each cell that differs, in tree order
 * @param context  handed to `visit`
 * @return         false on failure; true if all is found or `visit` stopped
 *
 * @error PQT_ERROR_CALLBACK  a function of `peer` failed, or what it told cannot be
 * @error PQT_ERROR_MEMORY    no memory for the items of a cell; never if items are not fetched
 *
 * @cost    for one difference O(log n) calls of `digest` and one of `items`
 * @since   0.1
 */
PQT_API bool pqt_sync_find(const pqt_tree *tree, const pqt_sync_peer *peer,
                           pqt_visit_mismatch_fn *visit, void *context, pqt_error *error);
/** @} */

PQT_END_DECLARATIONS

#endif
