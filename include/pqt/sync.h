/* SPDX-License-Identifier: MIT */
/**
 * @file sync.h - reconciliation with a remote tree: finds where the two trees differ.
 *
 * Each side has one of the trees. They compare the digests of cells from the root down, as in a
 * Merkle tree, so they exchange little data if they differ little.
 */
#ifndef PQT_SYNC_H
#define PQT_SYNC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt/box.h>
#include <pqt/error.h>
#include <pqt/export.h>
#include <pqt/fingerprint.h>
#include <pqt/item.h>
#include <pqt/query.h>
#include <pqt/tree.h>

PQT_BEGIN_DECLARATIONS

/** @name Differences from a remote tree */
/** @{ */

/**
 * The path from the root to a cell. It names the same cell in all trees with equal bounds and
 * depth, on any machine. If all members are zero, it names the root.
 *
 * A cell has four quadrants. The own items of a cell (those larger than the cell and, in the root,
 * those outside the bounds) are divided into quadrants, too.
 */
typedef struct pqt_sync_path {
    /** the quadrants entered, two bits each, from the top bits of digits[0] on: 1 for the right
        ones, 2 for the lower ones */
    uint64_t digits[2];
    uint8_t length;    /**< the number of quadrants, 0..64 */
    uint8_t own_items; /**< 0: none; otherwise 1 + the steps before own items are entered */
} pqt_sync_path;

/** The digest of a cell's items. */
typedef struct pqt_sync_digest {
    pqt_fingerprint fingerprint; /**< like pqt_tree_fingerprint, for these items only */
    uint64_t count; /**< the number of items; it has 64 bits, so it can be sent as it is */
} pqt_sync_digest;

/**
 * Returns the digest of a cell.
 *
 * @param tree  any version
 * @param path  from any source; a path to no cell of this tree gives the digest of no items
 * @return      fingerprint and count
 * @cost  O(depth)
 */
PQT_API pqt_sync_digest pqt_sync_digest_of(const pqt_tree *tree, pqt_sync_path path);

/**
 * Writes the items of a cell into an array, in tree order.
 *
 * @param tree      any version
 * @param path      as for pqt_sync_digest_of
 * @param items     set to the first items
 * @param capacity  the number of items that fit
 * @return          the number of all items
 */
PQT_API size_t pqt_sync_items_of(const pqt_tree *tree, pqt_sync_path path, pqt_item *items,
                                 size_t capacity);

/**
 * Fetches the digest of a cell from the other tree, which pqt_sync_digest_of computes there.
 *
 * @param path     the cell
 * @param digest   to be set
 * @param context  from the pqt_sync_peer
 * @return         false on failure
 */
typedef bool pqt_fetch_digest_fn(const pqt_sync_path *path, pqt_sync_digest *digest, void *context);

/**
 * Fetches the items of a cell from the other tree, which pqt_sync_items_of writes there.
 *
 * @param path     the cell
 * @param items    to be set to `count` items
 * @param count    as in the digest of this cell
 * @param context  from the pqt_sync_peer
 * @return         false on failure
 */
typedef bool pqt_fetch_items_fn(const pqt_sync_path *path, pqt_item *items, size_t count,
                                void *context);

/** The other tree. */
typedef struct pqt_sync_peer {
    pqt_fetch_digest_fn *digest; /**< not NULL */
    pqt_fetch_items_fn *items;   /**< NULL: mismatches are reported without their changes */
    void *context;               /**< passed to both functions */
} pqt_sync_peer;

/** A cell that differs and is small enough not to be divided further. */
typedef struct pqt_sync_mismatch {
    pqt_sync_path path;    /**< the cell's name */
    pqt_box box;           /**< the cell, world units; own items may extend beyond it */
    pqt_sync_digest own;   /**< its digest in this tree */
    pqt_sync_digest other; /**< its digest in the other tree */
    /** the changes that turn this tree's items into those of the other one, to be applied in this
        order: each PQT_REMOVE before each PQT_INSERT; NULL if items are not fetched */
    const pqt_change *changes;
    size_t count; /**< the number of changes; 0 if items are not fetched */
} pqt_sync_mismatch;

/**
 * Visits one mismatch.
 *
 * @param cell     valid during the call
 * @param context  as passed to pqt_sync_find
 * @return         true to continue, false to stop
 */
typedef bool pqt_visit_mismatch_fn(const pqt_sync_mismatch *cell, void *context);

/**
 * Finds where a tree differs from another one, and fetches only a small part of the other one.
 *
 * From the root down it compares the digests of cells and enters only those that differ. A digest
 * that follows from digests fetched before is not fetched, so one difference takes at most four
 * digests per level.
 *
 * The changes of all cells, applied in the order in which they are visited, turn this tree into the
 * other one, even with unique ids. The other tree must have equal bounds and options, and must not
 * change in the meantime, so let the peer read one version.
 *
 * @param tree     any version
 * @param peer     the other tree
 * @param visit    called for each cell that differs, in tree order
 * @param context  passed to `visit`
 * @return         true if every mismatch was visited; false on failure, or if `visit` stopped it
 *
 * @error PQT_ERROR_CALLBACK  a function of `peer` failed, or its result is invalid
 * @error PQT_ERROR_MEMORY    out of memory for the items of a cell; never if items are not fetched
 *
 * @cost  for one difference O(log n) calls of `digest` and one of `items`
 */
PQT_API bool pqt_sync_find(const pqt_tree *tree, const pqt_sync_peer *peer,
                           pqt_visit_mismatch_fn *visit, void *context, pqt_error *error);
/** @} */

PQT_END_DECLARATIONS

#endif
