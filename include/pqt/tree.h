/* SPDX-License-Identifier: MIT */
/**
 * @file tree.h - the persistent quadtree: versions, and how one follows from another.
 *
 * A `const pqt_tree *` is a version: an immutable set of items (boxes with ids). Each function that
 * changes something returns another version, which shares with the given one all that is the same;
 * the given one stays as it was. If nothing changes, the very same pointer comes back.
 *
 * The items, the bounds and the options determine every node: how a version came to be cannot be
 * seen from it. Versions with equal items, bounds and options have equal fingerprints, visit in the
 * same order, and are equal under pqt_tree_equals.
 *
 * NULL for a tree together with an error that is told already passes the failure on, so a chain of
 * calls is checked once, at its end. NULL with an empty error is a mistake of the caller and stops
 * the program with a sentence.
 */
#ifndef PQT_TREE_H
#define PQT_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt/box.h>
#include <pqt/error.h>
#include <pqt/export.h>
#include <pqt/fingerprint.h>
#include <pqt/item.h>
#include <pqt/memory.h>
#include <pqt/query.h>

PQT_BEGIN_DECLARATIONS

/** How a tree is made; shared by all versions that follow from it. Start from PQT_TREE_DEFAULTS. */
typedef struct pqt_tree_options {
    size_t size;       /**< sizeof(pqt_tree_options), set by PQT_TREE_DEFAULTS */
    int leaf_capacity; /**< items in a leaf at most, 1..PQT_MAX_CAPACITY; fewer: smaller versions */
    int max_depth;     /**< times the bounds are halved at most, 0..PQT_MAX_DEPTH */
    bool strict_bounds; /**< refuse items that leave the bounds; else they are kept and found */
    bool unique_ids;    /**< an id occurs once: inserting a known id replaces its item */
    /** ids point to collected memory, which lives as long as a version with them */
    bool ids_are_pointers;
    pqt_memory *memory; /**< NULL: the collector */
} pqt_tree_options;

/** Initial value of options: capacity 24, depth 24, all else off, the collector's memory. */
#define PQT_TREE_DEFAULTS                                                                          \
    {                                                                                              \
        sizeof(pqt_tree_options), 24, 24, false, false, false, NULL                                \
    }

/** What a change does; see pqt_change. */
typedef enum pqt_change_kind {
    PQT_INSERT = 1,    /**< inserts `item` */
    PQT_REMOVE = 2,    /**< removes `item` */
    PQT_MOVE = 3,      /**< if `item` is there: removes it and inserts its id with the box `to` */
    PQT_REMOVE_ID = 4, /**< removes the item with the id `item.id`; needs unique_ids */
    /** if there is an item with `item.id`: gives it the box `to`; needs unique_ids */
    PQT_MOVE_ID = 5
} pqt_change_kind;

/**
 * Returns the name of a kind of change, for logs and user interfaces.
 *
 * @param kind  any value
 * @return      a static string in English, never NULL; "unknown change" for any other number
 *
 * @thread  any
 * @since   0.1
 */
PQT_API const char *pqt_change_kind_name(pqt_change_kind kind);

/** One change of a batch; see pqt_tree_apply. */
typedef struct pqt_change {
    pqt_change_kind kind;
    pqt_item item; /**< for the two kinds that go by id, only its id is read */
    pqt_box to;    /**< for the two kinds that move, the new box; else not read */
} pqt_change;

/** What a version consists of; see pqt_tree_get_stats. */
typedef struct pqt_tree_stats {
    size_t items;  /**< items held */
    size_t nodes;  /**< inner nodes */
    size_t leaves; /**< leaves, the empty root of an empty tree not counted */
    size_t depth;  /**< inner nodes on the longest way from the root to a leaf, buckets included */
    size_t bytes;  /**< bytes that these take, the id map and the version itself included */
} pqt_tree_stats;

/** What a cell of the tree is; see pqt_tree_visit_cells. */
typedef enum pqt_cell_kind {
    /** A cell divided into four; at the maximal depth, one that only has a bucket. */
    PQT_CELL_INNER = 1,
    /** A cell that holds its items itself. */
    PQT_CELL_LEAF = 2,
    /** The bucket of an inner cell: its items that are larger than it; at the root, those outside
        the bounds too; at the maximal depth, all. */
    PQT_CELL_OWN_ITEMS = 3
} pqt_cell_kind;

/** One cell of the subdivision. */
typedef struct pqt_cell {
    pqt_box box; /**< the quarter of a quarter ... of the bounds that it stands for, world units */
    pqt_cell_kind kind; /**< what it is */
    int depth;          /**< times halved: 0 is the bounds */
    size_t count;       /**< items in it; for an inner cell, with its bucket and its quarters */
} pqt_cell;

/** Is handed one cell; returns true to go on, false to stop. The cell is valid during the call. */
typedef bool pqt_visit_cell_fn(const pqt_cell *cell, void *context);

/** @name Making */
/** @{ */

/**
 * Makes an empty tree.
 *
 * @param bounds   the rectangle of interest, world units, finite, min <= max; items may lie outside
 *                 unless the tree is strict, but those inside are found faster. Bounds more than
 *                 about 100,000 times as large as what they hold, or far from it, make searches
 *                 slow: see "Bounds, depth, capacity" in the manual
 * @param options  NULL: the defaults
 * @param error    told why on failure; may be NULL; an error already in it is kept
 * @return         the empty version; NULL on failure
 *
 * @error PQT_ERROR_BOX          the bounds are NaN, infinite or inside out
 * @error PQT_ERROR_OPTION       an option is out of its range
 * @error PQT_ERROR_UNSUPPORTED  memory is NULL in a build without the collector
 * @error PQT_ERROR_THREAD       the first call of all came from a thread that is not main
 * @error PQT_ERROR_MEMORY       no memory
 * @since 0.1
 */
PQT_API PQT_NODISCARD const pqt_tree *pqt_tree_make(pqt_box bounds, const pqt_tree_options *options,
                                                    pqt_error *error);

/**
 * Makes a tree of items, in bulk; its bounds are the smallest box that holds them all.
 *
 * An item that occurs twice is held once; with unique_ids the last of equal ids counts.
 * Without items the bounds are the point 0, 0.
 *
 * @param items    `count` items, in any order; NULL if count is 0; not kept
 * @return         the version; NULL on failure
 *
 * @error PQT_ERROR_BOX    an item's box is NaN, infinite or inside out; index tells which
 * @error PQT_ERROR_LIMIT  more than PQT_MAX_ITEMS
 * @error and those of pqt_tree_make
 * @cost    O(n log n) time at worst, O(n) where items spread; scratch memory of about 90 bytes an
 *          item, 440 with unique_ids
 * @since   0.1
 */
PQT_API PQT_NODISCARD const pqt_tree *
pqt_tree_of(const pqt_item *items, size_t count, const pqt_tree_options *options, pqt_error *error);

/**
 * Copies a version into another memory.
 *
 * To copy several versions and keep what they share shared, use pqt_tree_copy_all.
 *
 * @param memory  NULL: the collector
 * @return        an equal version; `tree` itself if it lives in that memory; NULL on failure
 *
 * @error PQT_ERROR_MEMORY, PQT_ERROR_UNSUPPORTED
 * @error PQT_ERROR_OPTION  ids are pointers and the memory is not the collector
 * @since 0.1
 */
PQT_API PQT_NODISCARD const pqt_tree *pqt_tree_copy(const pqt_tree *tree, pqt_memory *memory,
                                                    pqt_error *error);

/**
 * Copies versions into another memory; what they share is copied once and shared there.
 *
 * @param trees   `count` versions, each not NULL
 * @param copies  room for `count` pointers; written only on success
 * @return        false on failure, with the errors of pqt_tree_copy
 * @cost    O(distinct nodes)
 * @since   0.1
 */
PQT_API PQT_NODISCARD bool pqt_tree_copy_all(const pqt_tree *const *trees, size_t count,
                                             pqt_memory *memory, const pqt_tree **copies,
                                             pqt_error *error);
/** @} */

/** @name Changing: each returns a version */
/** @{ */

/**
 * Inserts an item: the new version holds it beside all that was there.
 *
 * The given version is unchanged, and shares all but the path to the item with the new one. With
 * unique_ids, an item of the same id is replaced.
 *
 * @param tree   any version, from any thread; NULL passes an earlier failure on
 * @param item   box in world units, finite, min <= max; id is yours
 * @param error  told why on failure; may be NULL; an error already in it is kept
 * @return       the new version; `tree` itself if this very item was there; NULL on failure
 *
 * @error PQT_ERROR_BOX     the box is NaN, infinite or inside out
 * @error PQT_ERROR_BOUNDS  the tree is strict and the box leaves its bounds
 * @error PQT_ERROR_LIMIT   the tree holds PQT_MAX_ITEMS
 * @error PQT_ERROR_MEMORY  no memory; `tree` still stands
 *
 * @cost    O(depth) time and new nodes
 * @thread  any number at once on one version
 * @source  path copying: Driscoll, Sarnak, Sleator, Tarjan 1989, section 2.2
 * @since   0.1
 */
PQT_API PQT_NODISCARD const pqt_tree *pqt_tree_insert(const pqt_tree *tree, pqt_item item,
                                                      pqt_error *error);

/**
 * Inserts items, as pqt_tree_insert would one after another: all of them, or none on failure.
 *
 * @param items  `count` items; NULL if count is 0
 * @error as pqt_tree_insert, index telling which item
 * @cost  see pqt_tree_apply
 * @since 0.1
 */
PQT_API PQT_NODISCARD const pqt_tree *
pqt_tree_insert_all(const pqt_tree *tree, const pqt_item *items, size_t count, pqt_error *error);

/**
 * Removes an item.
 *
 * @param item  box and id must both match
 * @return      the new version; `tree` itself if the item was not there; NULL on failure
 * @error PQT_ERROR_MEMORY  no memory; `tree` still stands
 * @cost  O(depth) time and new nodes; allocates nothing for an absent item
 * @since 0.1
 */
PQT_API PQT_NODISCARD const pqt_tree *pqt_tree_remove(const pqt_tree *tree, pqt_item item,
                                                      pqt_error *error);

/** Removes items; those that are not there are passed over. As pqt_tree_remove. @since 0.1 */
PQT_API PQT_NODISCARD const pqt_tree *
pqt_tree_remove_all(const pqt_tree *tree, const pqt_item *items, size_t count, pqt_error *error);

/**
 * Removes the item with an id. Needs unique_ids.
 *
 * @return  the new version; `tree` itself if no item has the id; NULL on failure
 * @error PQT_ERROR_MEMORY  no memory
 * @since 0.1
 */
PQT_API PQT_NODISCARD const pqt_tree *pqt_tree_remove_id(const pqt_tree *tree, uint64_t id,
                                                         pqt_error *error);

/**
 * Gives an item another box, its id kept.
 *
 * @param item  the item as it is now, box and id
 * @param to    its new box
 * @return      the new version; `tree` itself if the item was not there or `to` is its box; NULL on
 *              failure
 * @error PQT_ERROR_BOX, PQT_ERROR_BOUNDS as pqt_tree_insert, for `to`, told even if the item is not
 *        there
 * @error PQT_ERROR_MEMORY                 no memory
 * @cost  O(depth): one path where the item stays near, two where it goes far
 * @since 0.1
 */
PQT_API PQT_NODISCARD const pqt_tree *pqt_tree_move(const pqt_tree *tree, pqt_item item, pqt_box to,
                                                    pqt_error *error);

/** As pqt_tree_move, for the item with an id. Needs unique_ids. @since 0.1 */
PQT_API PQT_NODISCARD const pqt_tree *pqt_tree_move_id(const pqt_tree *tree, uint64_t id,
                                                       pqt_box to, pqt_error *error);

/**
 * Applies changes: the result is that of doing them one by one in the given order, or NULL.
 *
 * @param changes  `count` changes; NULL if count is 0
 * @return         the new version; `tree` itself if nothing changed; NULL on failure, with nothing
 *                 done
 * @error as the single functions, index telling which change
 * @cost    one descent; no more new nodes than the paths to the changed items have in all. Where
 *          changes of more than a fourth of the items depend on what is there, all items are gone
 *          over once, in scratch memory; what does not change is shared all the same. Ids made up
 *          so that their hashes, or those of items, collide make it quadratic
 * @since   0.1
 */
PQT_API PQT_NODISCARD const pqt_tree *
pqt_tree_apply(const pqt_tree *tree, const pqt_change *changes, size_t count, pqt_error *error);

/** The empty version of the same bounds and options; `tree` itself if it is empty. @cost O(1)
    @since 0.1 */
PQT_API PQT_NODISCARD const pqt_tree *pqt_tree_clear(const pqt_tree *tree, pqt_error *error);

/**
 * The version that holds just what a query finds, with the same bounds and options.
 *
 * It equals a tree built from the items found, and shares each subtree that lies wholly inside the
 * window. With unique_ids its id map is built anew.
 *
 * @param query  as for reading (query.h); here a window that is NaN or inside out is an error
 * @return       the new version; `tree` itself if the query finds everything; NULL on failure
 * @error PQT_ERROR_BOX     the window is NaN or inside out
 * @error PQT_ERROR_MEMORY  no memory
 * @cost  O(nodes that the window's edge crosses); with a filter or unique_ids, O(items found) more
 * @since 0.1
 */
PQT_API PQT_NODISCARD const pqt_tree *pqt_tree_search(const pqt_tree *tree, const pqt_query *query,
                                                      pqt_error *error);
/** @} */

/** @name Asking: these never fail and never allocate */
/** @{ */

/** How many items a version holds. @cost O(1) @since 0.1 */
PQT_API size_t pqt_tree_count(const pqt_tree *tree);

/** The bounds that the tree was made with, world units. @since 0.1 */
PQT_API pqt_box pqt_tree_bounds(const pqt_tree *tree);

/** Returns the memory that a version lives in; never NULL. @since 0.1 */
PQT_API pqt_memory *pqt_tree_memory(const pqt_tree *tree);

/**
 * Writes the options that the tree was made with; their `memory` is never NULL.
 *
 *     pqt_tree_options options = PQT_TREE_DEFAULTS;
 *     pqt_tree_get_options(tree, &options);
 *
 * @param options  not NULL; its `size` is set by the caller, as PQT_TREE_DEFAULTS does, and at most
 *                 that many bytes are written
 * @since 0.1
 */
PQT_API void pqt_tree_get_options(const pqt_tree *tree, pqt_tree_options *options);

/** Whether a version holds this very item. @cost O(depth) @since 0.1 */
PQT_API bool pqt_tree_contains(const pqt_tree *tree, pqt_item item);

/**
 * Finds the item with an id. Needs unique_ids.
 *
 * @param found  NULL, or set to the item
 * @return       whether there is one
 * @cost   O(log n)
 * @since  0.1
 */
PQT_API bool pqt_tree_find(const pqt_tree *tree, uint64_t id, pqt_item *found);

/**
 * Whether two versions are the same value: equal bounds, options and items. The memories may
 * differ.
 *
 * @cost  O(1) if they are one pointer or differ; else O(nodes that they do not share)
 * @since 0.1
 */
PQT_API bool pqt_tree_equals(const pqt_tree *a, const pqt_tree *b);

/** A sum over the items: equal for equal items, whatever the bounds and options. @cost O(1)
    @since 0.1 */
PQT_API pqt_fingerprint pqt_tree_fingerprint(const pqt_tree *tree);

/**
 * Validates every invariant of a version.
 *
 * @param error  told the first invariant that is broken, and where
 * @return       whether all hold
 * @error PQT_ERROR_CORRUPT  memory was overwritten, or the library has a bug
 * @cost  O(n log n)
 * @since 0.1
 */
PQT_API bool pqt_tree_check(const pqt_tree *tree, pqt_error *error);

/** Counts what a version consists of. @cost O(nodes) @since 0.1 */
PQT_API pqt_tree_stats pqt_tree_get_stats(const pqt_tree *tree);

/**
 * Bytes that two versions share: what the second costs beside the first is its own bytes less
 * these.
 *
 * @cost  O(nodes of the shared part); the parts that differ are passed over once
 * @since 0.1
 */
PQT_API size_t pqt_tree_shared_bytes(const pqt_tree *a, const pqt_tree *b);

/**
 * Visits the cells of a version, each before what is in it: its bucket, then its quarters in Z
 * order.
 *
 * A cell that holds all of its items in one quarter has no node, and is left out: then what is in
 * it may be less than half as wide.
 *
 * @return  true if the walk came to its end, false if `visit` stopped it
 * @since 0.1
 */
PQT_API bool pqt_tree_visit_cells(const pqt_tree *tree, pqt_visit_cell_fn *visit, void *context);
/** @} */

/** @name What a version costs beside others */
/** @{ */

/**
 * Counts the exclusive (unshared) bytes of a version: those of its blocks that none of some others
 * holds at the same place. Path copying keeps each block at its place, so of a version that an edit
 * made of another one they are what the edit made.
 *
 * A history of trees counts them at each push, and a history of your own kind (pqt_history_kind)
 * may do so for each tree in a value.
 *
 * @param tree    any version; NULL passes an earlier failure on
 * @param others  `count` versions, each not NULL, such as the one that `tree` was made of; NULL if
 *                count is 0: then all bytes are counted
 * @param bytes   written on success; 0 if `tree` itself is among the others
 * @param error   told why on failure; may be NULL; an error already in it is kept
 * @return        false on failure
 *
 * @error PQT_ERROR_MEMORY  no scratch memory; with one other at most, none is asked for
 * @cost    O(nodes of `tree` that no other shares), times count; shared subtrees are not entered
 * @thread  any number at once
 * @since   0.1
 */
PQT_API bool pqt_tree_exclusive_bytes(const pqt_tree *tree, const pqt_tree *const *others,
                                      size_t count, size_t *bytes, pqt_error *error);
/** @} */

/** @name Holding a version where the collector does not look */
/** @{ */

/**
 * Keeps a version alive until pqt_unpin, wherever the pin itself lies.
 *
 * @param tree  NULL passes an earlier failure on
 * @return      the pin; NULL on failure
 * @error PQT_ERROR_MEMORY  no memory
 * @since 0.1
 */
PQT_API PQT_NODISCARD pqt_pin *pqt_tree_pin(const pqt_tree *tree, pqt_error *error);

/** The version that a pin keeps. @param pin from pqt_tree_pin or pqt_head_pin, not NULL @thread
    any, attached or not @since 0.1 */
PQT_API const pqt_tree *pqt_pin_get_tree(const pqt_pin *pin);
/** @} */

PQT_END_DECLARATIONS

#endif
