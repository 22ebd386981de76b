/* SPDX-License-Identifier: MIT */
/**
 * @file draft.h - drafts: trees and maps that are edited in place between two versions.
 *
 * A draft begins as a version. Its edits change it, instead of making another version each. Blocks
 * that the draft made itself since its last snapshot are changed or reused; all others are copied,
 * so no version ever changes. Queries read the *view* of the draft. A *snapshot* is the version
 * that the same edits of versions would have made, with the same nodes and the same fingerprint.
 *
 * Use a draft where only some states are kept: a frame of many moves, a drag that ends in one entry
 * of a history. A pqt_draft is a draft of a tree, a pqt_map_draft one of a map.
 *
 *     pqt_draft *draft = pqt_draft_begin(tree, &error);
 *     if (draft == NULL)
 *         return NULL;
 *     for (size_t i = 0; i < count; i++)
 *         pqt_draft_move(draft, items[i], boxes[i], &error);
 *     size_t touching = pqt_tree_count_in(pqt_draft_view(draft), &query);
 *     const pqt_tree *next = pqt_draft_snapshot(draft, &error);
 *     pqt_draft_destroy(&draft);
 *
 * One thread at a time uses a draft; any number of threads read its snapshots meanwhile. In a heap,
 * a draft keeps its tree or map, and the last snapshot until the next edit that changes the draft.
 * Edits need no scope. Another thread may reclaim at any time.
 */
#ifndef PQT_DRAFT_H
#define PQT_DRAFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt/box.h>
#include <pqt/error.h>
#include <pqt/export.h>
#include <pqt/item.h>
#include <pqt/map.h>
#include <pqt/tree.h>

PQT_BEGIN_DECLARATIONS

/** A draft of a tree. */
typedef struct pqt_draft pqt_draft;

/** @name Making and destroying */
/** @{ */

/**
 * Begins a draft of a version, in the memory of the version.
 *
 * @param tree  any version
 * @return      the draft; NULL on failure
 *
 * @error PQT_ERROR_MEMORY  out of memory
 * @cost  O(1): about 7 KiB until it is destroyed. If edits make many blocks between two snapshots,
 *        a table takes 32 to 64 bytes for each of them, and keeps its size until then
 */
PQT_API PQT_NODISCARD pqt_draft *pqt_draft_begin(const pqt_tree *tree, pqt_error *error);

/**
 * Destroys a draft, with the edits since its last snapshot. Snapshots remain.
 *
 * @param draft  the draft, which is set to NULL; it may be NULL or point to NULL
 */
PQT_API void pqt_draft_destroy(pqt_draft **draft);
/** @} */

/** @name Edits: each returns false on failure, and the draft is then unchanged */
/** @{ */

/**
 * Inserts an item as pqt_tree_insert does.
 *
 * @param draft  not NULL
 * @param item   its box in world units, finite, min <= max; any id
 * @return       true if the draft has the item now; false on failure
 *
 * @error PQT_ERROR_BOX     the box is NaN, infinite or inverted
 * @error PQT_ERROR_BOUNDS  the tree is strict and the box is not inside its bounds
 * @error PQT_ERROR_LIMIT   the draft has PQT_MAX_ITEMS
 * @error PQT_ERROR_MEMORY  out of memory
 *
 * @cost    O(depth) time; allocates blocks in place of those that a version has, and those for
 *          which no earlier edit has left one of the right size
 * @source  transients of Clojure 1.1 (R. Hickey, 2009)
 */
PQT_API bool pqt_draft_insert(pqt_draft *draft, pqt_item item, pqt_error *error);

/**
 * Removes an item. An absent item is not a failure.
 *
 * @param draft  not NULL
 * @param item   box and id must both match
 * @return       false on failure
 * @error PQT_ERROR_MEMORY  out of memory
 */
PQT_API bool pqt_draft_remove(pqt_draft *draft, pqt_item item, pqt_error *error);

/**
 * Removes the item with an id. Needs unique_ids. An absent id is not a failure.
 *
 * @param draft  not NULL
 * @param id     the id
 * @return       false on failure
 * @error PQT_ERROR_MEMORY  out of memory
 */
PQT_API bool pqt_draft_remove_id(pqt_draft *draft, uint64_t id, pqt_error *error);

/**
 * Replaces the box of an item and keeps its id. An absent item is not a failure.
 *
 * @param draft  not NULL
 * @param item   the item as it is now, box and id
 * @param to     its new box
 * @return       false on failure
 * @error PQT_ERROR_BOX, PQT_ERROR_BOUNDS  as pqt_draft_insert, for `to`, even if the item is absent
 * @error PQT_ERROR_MEMORY                 out of memory
 */
PQT_API bool pqt_draft_move(pqt_draft *draft, pqt_item item, pqt_box to, pqt_error *error);

/**
 * Replaces the box of the item with an id. Needs unique_ids. An absent id is not a failure.
 *
 * @param draft  not NULL
 * @param id     the id
 * @param to     the new box
 * @return       false on failure
 * @error as pqt_draft_move
 */
PQT_API bool pqt_draft_move_id(pqt_draft *draft, uint64_t id, pqt_box to, pqt_error *error);

/**
 * Applies a batch of changes: all of them, or none on failure. See pqt_tree_apply.
 *
 * @param draft    not NULL
 * @param changes  `count` changes; NULL if count is 0
 * @param count    the number of changes
 * @return         false on failure
 * @error as the single functions; `index` is the change
 */
PQT_API bool pqt_draft_apply(pqt_draft *draft, const pqt_change *changes, size_t count,
                             pqt_error *error);
/** @} */

/** @name Reading */
/** @{ */

/**
 * Returns the draft as a tree for functions that read trees: queries, pairs, differences.
 *
 * The view is valid until the next edit that changes the draft, and until the draft is destroyed.
 * Functions that would keep it or share its blocks refuse it: edits, merges, searches that return a
 * version, pins, heads, histories, documents. Take a snapshot for these. Use of a view after an
 * edit is noticed, unless 16 views were taken since; a cursor notices it before its next leaf.
 *
 * @param draft  not NULL
 * @return       the view; never NULL
 * @cost  O(1)
 */
PQT_API const pqt_tree *pqt_draft_view(pqt_draft *draft);

/**
 * Returns the draft as a version. The draft continues: its next edits copy the blocks that the
 * version has.
 *
 * @param draft  not NULL
 * @return       the version; the last snapshot, or the version that the draft was begun from, if
 *               nothing has changed since; NULL on failure
 * @error PQT_ERROR_MEMORY  out of memory; the draft is unchanged
 * @cost  O(1): 48 bytes
 */
PQT_API PQT_NODISCARD const pqt_tree *pqt_draft_snapshot(pqt_draft *draft, pqt_error *error);
/** @} */

/** A draft of a map. */
typedef struct pqt_map_draft pqt_map_draft;

/** @name Drafts of maps */
/** @{ */

/**
 * Begins a draft of a version, in the memory of the version.
 *
 * @param map  any version
 * @return     the draft; NULL on failure
 *
 * @error PQT_ERROR_MEMORY  out of memory
 * @cost  O(1): about 7 KiB until it is destroyed
 */
PQT_API PQT_NODISCARD pqt_map_draft *pqt_map_draft_begin(const pqt_map *map, pqt_error *error);

/**
 * Destroys a draft, with the edits since its last snapshot. Snapshots remain.
 *
 * @param draft  the draft, which is set to NULL; it may be NULL or point to NULL
 */
PQT_API void pqt_map_draft_destroy(pqt_map_draft **draft);

/**
 * Sets the value of a key, whether or not it had one.
 *
 * @param draft  not NULL
 * @param key    of the map's kind
 * @param value  of the map's kind; its bytes may be those of a value in the view
 * @return       true if the key has the value now; false on failure, and the draft is unchanged
 *
 * @error PQT_ERROR_MISMATCH  the key or the value is not of the map's kind
 * @error PQT_ERROR_LIMIT     the key is longer than PQT_MAX_MAP_KEY bytes
 * @error PQT_ERROR_MEMORY    out of memory
 *
 * @cost    O(log n) time; new blocks only in place of those that a version has, and for the bytes
 *          of the entry
 * @source  transients of Clojure 1.1 (R. Hickey, 2009)
 */
PQT_API bool pqt_map_draft_insert(pqt_map_draft *draft, pqt_map_key key, pqt_map_value value,
                                  pqt_error *error);

/**
 * Removes a key and its value. An absent key is not a failure.
 *
 * @param draft  not NULL
 * @param key    of the map's kind
 * @return       false on failure, and the draft is unchanged
 * @error PQT_ERROR_MISMATCH  the key is not of the map's kind
 * @error PQT_ERROR_MEMORY    out of memory
 */
PQT_API bool pqt_map_draft_remove(pqt_map_draft *draft, pqt_map_key key, pqt_error *error);

/**
 * Applies a batch of changes: all of them, or none on failure. See pqt_map_apply.
 *
 * @param draft    not NULL
 * @param changes  `count` changes; NULL if count is 0; if a key occurs several times, the last
 *                 change counts
 * @param count    the number of changes
 * @return         false on failure, and the draft is unchanged
 * @error as the single functions; `index` is the change
 */
PQT_API bool pqt_map_draft_apply(pqt_map_draft *draft, const pqt_map_change *changes, size_t count,
                                 pqt_error *error);

/**
 * Returns the draft as a map for functions that read maps. See pqt_draft_view: the view and the
 * bytes of its keys and values are valid until the next edit that changes the draft.
 *
 * @param draft  not NULL
 * @return       the view; never NULL
 * @cost  O(1)
 */
PQT_API const pqt_map *pqt_map_draft_view(pqt_map_draft *draft);

/**
 * Returns the draft as a version. The draft continues: its next edits copy the blocks that the
 * version has.
 *
 * @param draft  not NULL
 * @return       the version; the last snapshot, or the version that the draft was begun from, if
 *               nothing has changed since; NULL on failure
 * @error PQT_ERROR_MEMORY  out of memory; the draft is unchanged
 * @cost  O(1): 48 bytes
 */
PQT_API PQT_NODISCARD const pqt_map *pqt_map_draft_snapshot(pqt_map_draft *draft, pqt_error *error);
/** @} */

PQT_END_DECLARATIONS

#endif
