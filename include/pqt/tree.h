/* SPDX-License-Identifier: MIT */
/**
 * @file tree.h - the persistent quadtree: its versions and their edits.
 *
 * A `const pqt_tree *` is a version: an immutable set of items (boxes with ids). Each function that
 * changes something returns another version, which shares all equal parts with the given one; the
 * given one stays unchanged. If nothing changes, the function returns the given pointer.
 *
 * The items, the bounds and the options determine every node; the order of edits leaves no trace.
 * Versions with equal items, bounds and options have equal fingerprints, are visited in the same
 * order, and are equal under pqt_tree_equals. Only the order depends on max_depth.
 *
 * query.h has the queries, bytes.h saves a version to a file and loads it, and history.h has undo
 * and redo. The type pqt_tree is declared in query.h. error.h has the rules for errors and for NULL
 * versions.
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
#include <pqt/kind.h>
#include <pqt/memory.h>
#include <pqt/query.h>

PQT_BEGIN_DECLARATIONS

/** Options of a tree, common to all its versions. Start from PQT_TREE_DEFAULTS. */
typedef struct pqt_tree_options {
    size_t size;        /**< sizeof(pqt_tree_options), set by PQT_TREE_DEFAULTS */
    int leaf_capacity;  /**< maximum items in a leaf, 1..PQT_MAX_CAPACITY; fewer make small edits */
    int max_depth;      /**< maximum depth (halvings of the bounds), 0..PQT_MAX_DEPTH */
    bool strict_bounds; /**< refuse items outside the bounds; otherwise they are stored and found */
    bool unique_ids;    /**< an id occurs once: inserting an existing id replaces its item */
    /** ids are pointers to collected memory, which lives as long as a version with them; needs the
        collector */
    bool ids_are_pointers;
    pqt_memory *memory; /**< NULL: the default memory */
} pqt_tree_options;

/** Initial value of options: capacity 24, depth 32, no flags, the default memory. */
#define PQT_TREE_DEFAULTS                                                                          \
    {                                                                                              \
        sizeof(pqt_tree_options), 24, 32, false, false, false, NULL                                \
    }

/** The kind of a change; see pqt_change. */
typedef enum pqt_change_kind {
    PQT_INSERT = 1,    /**< inserts `item` */
    PQT_REMOVE = 2,    /**< removes `item` */
    PQT_MOVE = 3,      /**< if `item` exists: removes it and inserts its id with the box `to` */
    PQT_REMOVE_ID = 4, /**< removes the item with the id `item.id`; needs unique_ids */
    PQT_MOVE_ID = 5 /**< if an item has the id `item.id`: gives it the box `to`; needs unique_ids */
} pqt_change_kind;

/** One change of a batch; see pqt_tree_apply. */
typedef struct pqt_change {
    pqt_change_kind kind; /**< the kind of change */
    pqt_item item;        /**< the item; for the two kinds that name an id, only its id is read */
    pqt_box to;           /**< for the two kinds that move, the new box; otherwise not read */
} pqt_change;

/** Statistics of a version; see pqt_tree_get_stats. */
typedef struct pqt_tree_stats {
    size_t items;  /**< items */
    size_t nodes;  /**< inner nodes */
    size_t leaves; /**< leaves, without the empty root of an empty tree */
    size_t depth;  /**< inner nodes on the longest path to a leaf, those of own items included */
    size_t bytes;  /**< bytes of these, the id map and the version itself included */
} pqt_tree_stats;

/** The kind of a cell; see pqt_tree_visit_cells. */
typedef enum pqt_cell_kind {
    /** a cell divided into four; at the maximal depth, one that has only own items */
    PQT_CELL_INNER = 1,
    /** a cell that stores its items itself */
    PQT_CELL_LEAF = 2,
    /** the own items of an inner cell: those larger than its quadrants; at the root, those outside
        the bounds too; at the maximal depth, all */
    PQT_CELL_OWN_ITEMS = 3
} pqt_cell_kind;

/** One cell of the subdivision. */
typedef struct pqt_cell {
    pqt_box box;        /**< a quadrant of a quadrant ... of the bounds, world units */
    pqt_cell_kind kind; /**< its kind */
    int depth;          /**< the number of times that the bounds were halved: 0 for the bounds */
    size_t count;       /**< its items; for an inner cell, with its own items and its quadrants */
    const void *block; /**< where it is stored; two versions share a cell if its blocks are equal */
} pqt_cell;

/**
 * Visits one cell.
 *
 * @param cell     valid during the call
 * @param context  as passed to the function that visits
 * @return         true to continue, false to stop
 */
typedef bool pqt_visit_cell_fn(const pqt_cell *cell, void *context);

/** @name Construction */
/** @{ */

/**
 * Makes an empty tree.
 *
 * @param bounds   the rectangle that the tree divides, world units, finite, min <= max; items may
 *                 be outside unless the tree is strict, but those inside are found faster. Bounds
 *                 more than about 100,000 times as large as their contents, or far from them, make
 *                 searches slow: see "Bounds, depth, capacity" in the manual
 * @param options  NULL means PQT_TREE_DEFAULTS
 * @return         the empty version; NULL on failure
 *
 * @error PQT_ERROR_BOX     the bounds are NaN, infinite or inverted
 * @error PQT_ERROR_OPTION  an option is out of range
 * @error PQT_ERROR_THREAD  the first call came from a thread that is not the main thread
 * @error PQT_ERROR_MEMORY  out of memory
 */
PQT_API PQT_NODISCARD const pqt_tree *pqt_tree_make(pqt_box bounds, const pqt_tree_options *options,
                                                    pqt_error *error);

/**
 * Makes a tree from items, in bulk. Its bounds are the smallest box that contains them all; without
 * items, the point 0, 0.
 *
 * An item that occurs twice is stored once. With unique_ids, if several items have the same id, the
 * last one is stored.
 *
 * @param items    `count` items, in any order; NULL if count is 0; not kept
 * @param count    the number of items
 * @param options  NULL means PQT_TREE_DEFAULTS
 * @return         the version; NULL on failure
 *
 * @error PQT_ERROR_BOX    an item's box is NaN, infinite or inverted; `index` is the item
 * @error PQT_ERROR_LIMIT  more than PQT_MAX_ITEMS
 * @error and those of pqt_tree_make
 * @cost  O(n log n) time at worst, O(n) for items spread evenly; scratch memory of about 90 bytes
 *        per item, 440 with unique_ids
 */
PQT_API PQT_NODISCARD const pqt_tree *
pqt_tree_of(const pqt_item *items, size_t count, const pqt_tree_options *options, pqt_error *error);

/**
 * Copies a version into another memory.
 *
 * To copy several versions and keep their shared parts shared, use pqt_tree_copy_all.
 *
 * @param tree    any version
 * @param memory  NULL: the default memory
 * @return        an equal version; `tree` itself if it is in that memory; NULL on failure
 *
 * @error PQT_ERROR_MEMORY, PQT_ERROR_THREAD  as pqt_tree_make
 * @error PQT_ERROR_OPTION  ids are pointers and the memory is not the collector
 */
PQT_API PQT_NODISCARD const pqt_tree *pqt_tree_copy(const pqt_tree *tree, pqt_memory *memory,
                                                    pqt_error *error);

/**
 * Copies versions into another memory. Shared parts are copied once and shared there.
 *
 * @param trees   `count` versions, each not NULL
 * @param count   the number of versions
 * @param memory  NULL: the default memory
 * @param copies  an array of `count` pointers; written on success only
 * @return        false on failure
 * @error as pqt_tree_copy
 * @cost  O(distinct nodes)
 */
PQT_API PQT_NODISCARD bool pqt_tree_copy_all(const pqt_tree *const *trees, size_t count,
                                             pqt_memory *memory, const pqt_tree **copies,
                                             pqt_error *error);
/** @} */

/** @name Edits: each returns a version */
/** @{ */

/**
 * Inserts an item.
 *
 * The given version is unchanged, and shares everything except the path to the item with the new
 * one. With unique_ids, an item with the same id is replaced.
 *
 * @param tree  any version, from any thread
 * @param item  its box in world units, finite, min <= max; any id
 * @return      the new version; `tree` itself if it contains this item already; NULL on failure
 *
 * @error PQT_ERROR_BOX     the box is NaN, infinite or inverted
 * @error PQT_ERROR_BOUNDS  the tree is strict and the box is not inside its bounds
 * @error PQT_ERROR_LIMIT   the tree has PQT_MAX_ITEMS
 * @error PQT_ERROR_MEMORY  out of memory; `tree` is unchanged
 *
 * @cost    O(depth) time and new nodes
 * @thread  any number at once on one version
 * @source  path copying: Driscoll, Sarnak, Sleator, Tarjan 1989, section 2.2
 */
PQT_API PQT_NODISCARD const pqt_tree *pqt_tree_insert(const pqt_tree *tree, pqt_item item,
                                                      pqt_error *error);

/**
 * Inserts items as pqt_tree_insert would one after another: all of them, or none on failure.
 *
 * @param tree   any version
 * @param items  `count` items; NULL if count is 0
 * @param count  the number of items
 * @return       the new version; `tree` itself if nothing changed; NULL on failure
 * @error as pqt_tree_insert; `index` is the item
 * @cost  see pqt_tree_apply
 */
PQT_API PQT_NODISCARD const pqt_tree *
pqt_tree_insert_all(const pqt_tree *tree, const pqt_item *items, size_t count, pqt_error *error);

/**
 * Removes an item.
 *
 * @param tree  any version
 * @param item  box and id must both match
 * @return      the new version; `tree` itself if it does not contain the item; NULL on failure
 * @error PQT_ERROR_MEMORY  out of memory; `tree` is unchanged
 * @cost  O(depth) time and new nodes; allocates nothing for an absent item
 */
PQT_API PQT_NODISCARD const pqt_tree *pqt_tree_remove(const pqt_tree *tree, pqt_item item,
                                                      pqt_error *error);

/**
 * Removes items as pqt_tree_remove would one after another. Absent items are ignored.
 *
 * @param tree   any version
 * @param items  `count` items; NULL if count is 0
 * @param count  the number of items
 * @return       the new version; `tree` itself if nothing changed; NULL on failure
 * @error PQT_ERROR_MEMORY  out of memory; `tree` is unchanged
 * @cost  see pqt_tree_apply
 */
PQT_API PQT_NODISCARD const pqt_tree *
pqt_tree_remove_all(const pqt_tree *tree, const pqt_item *items, size_t count, pqt_error *error);

/**
 * Removes the item with an id. Needs unique_ids.
 *
 * @param tree  any version
 * @param id    the id
 * @return      the new version; `tree` itself if no item has the id; NULL on failure
 * @error PQT_ERROR_MEMORY  out of memory; `tree` is unchanged
 * @cost  O(depth + log n) time and new nodes: a path of the tree, and one of its map of ids
 */
PQT_API PQT_NODISCARD const pqt_tree *pqt_tree_remove_id(const pqt_tree *tree, uint64_t id,
                                                         pqt_error *error);

/**
 * Replaces the box of an item and keeps its id.
 *
 * @param tree  any version
 * @param item  the item as it is now, box and id
 * @param to    its new box; pqt_box_moved computes it from a displacement
 * @return      the new version; `tree` itself if it does not contain the item or `to` is its box;
 *              NULL on failure
 * @error PQT_ERROR_BOX, PQT_ERROR_BOUNDS  as pqt_tree_insert, for `to`, even if the item is absent
 * @error PQT_ERROR_MEMORY                 out of memory; `tree` is unchanged
 * @cost  O(depth): one path if the item stays near, two if it moves far
 */
PQT_API PQT_NODISCARD const pqt_tree *pqt_tree_move(const pqt_tree *tree, pqt_item item, pqt_box to,
                                                    pqt_error *error);

/**
 * Replaces the box of the item with an id. Needs unique_ids. See pqt_tree_move.
 *
 * @param tree  any version
 * @param id    the id
 * @param to    the new box
 * @return      the new version; `tree` itself if no item has the id or `to` is its box; NULL on
 *              failure
 * @error as pqt_tree_move
 * @cost  as pqt_tree_move, and O(log n) for the map of ids
 */
PQT_API PQT_NODISCARD const pqt_tree *pqt_tree_move_id(const pqt_tree *tree, uint64_t id,
                                                       pqt_box to, pqt_error *error);

/**
 * Applies a batch of changes. The result is the same as if they were applied one by one in the
 * given order, or NULL.
 *
 * @param tree     any version
 * @param changes  `count` changes; NULL if count is 0
 * @param count    the number of changes
 * @return         the new version; `tree` itself if nothing changed; NULL on failure, with nothing
 *                 applied
 * @error as the single functions; `index` is the change
 * @cost  one descent; no more new nodes than the paths to the changed items have in all. If changes
 *        of more than a quarter of the items depend on what the version contains, all items are
 *        traversed once, in scratch memory; unchanged parts are still shared. Ids chosen so that
 *        their hashes, or those of items, collide make it quadratic
 */
PQT_API PQT_NODISCARD const pqt_tree *
pqt_tree_apply(const pqt_tree *tree, const pqt_change *changes, size_t count, pqt_error *error);

/**
 * Returns the empty version with the same bounds and options.
 *
 * @param tree  any version
 * @return      the empty version; `tree` itself if it is empty; NULL on failure
 * @error PQT_ERROR_MEMORY  out of memory
 * @cost  O(1)
 */
PQT_API PQT_NODISCARD const pqt_tree *pqt_tree_clear(const pqt_tree *tree, pqt_error *error);

/**
 * Returns the version that contains exactly the items that a query finds, with the same bounds and
 * options.
 *
 * It equals a tree built from the items found, and shares each subtree that is entirely inside the
 * window. With unique_ids its id map is rebuilt.
 *
 * @param tree   any version
 * @param query  as for reading (query.h), but a window that is NaN or inverted is an error
 * @return       the new version; `tree` itself if the query finds everything; NULL on failure
 * @error PQT_ERROR_BOX     the window contains NaN or is inverted
 * @error PQT_ERROR_MEMORY  out of memory
 * @cost  O(nodes that the window's edge crosses); with a filter or unique_ids, plus O(items found)
 */
PQT_API PQT_NODISCARD const pqt_tree *pqt_tree_search(const pqt_tree *tree, const pqt_query *query,
                                                      pqt_error *error);
/** @} */

/** @name Reading: these never fail and never allocate */
/** @{ */

/**
 * Returns the number of items of a version.
 *
 * @param tree  any version
 * @return      the number of items
 * @cost  O(1)
 */
PQT_API size_t pqt_tree_count(const pqt_tree *tree);

/**
 * Returns the bounds of a tree.
 *
 * @param tree  any version
 * @return      the bounds that it was made with, world units
 * @cost  O(1)
 */
PQT_API pqt_box pqt_tree_bounds(const pqt_tree *tree);

/**
 * Finds the smallest box around all items of a version; see pqt_tree_bounds for its rectangle.
 *
 * @param tree  any version
 * @param box   set to the box, world units; unchanged if there are no items; not NULL
 * @return      whether there are items
 *
 * @cost  O(nodes whose items reach the edge of the box); the others are not entered
 */
PQT_API bool pqt_tree_extent(const pqt_tree *tree, pqt_box *box);

/**
 * Returns the memory of a version.
 *
 * @param tree  any version
 * @return      the memory; never NULL
 * @cost  O(1)
 */
PQT_API pqt_memory *pqt_tree_memory(const pqt_tree *tree);

/**
 * Writes the options that the tree was made with. Their `memory` is never NULL.
 *
 *     pqt_tree_options options = PQT_TREE_DEFAULTS;
 *     pqt_tree_get_options(tree, &options);
 *
 * @param tree     any version
 * @param options  not NULL; the caller sets `size`, as PQT_TREE_DEFAULTS does, and at most that
 *                 many bytes are written
 */
PQT_API void pqt_tree_get_options(const pqt_tree *tree, pqt_tree_options *options);

/**
 * Returns whether a version contains an item.
 *
 * @param tree  any version
 * @param item  box and id must both match
 * @return      true if it does
 * @cost  O(depth)
 */
PQT_API bool pqt_tree_contains(const pqt_tree *tree, pqt_item item);

/**
 * Finds the item with an id. Needs unique_ids.
 *
 * @param tree   any version
 * @param id     the id
 * @param found  NULL, or set to the item
 * @return       true if there is one
 * @cost  O(log n)
 */
PQT_API bool pqt_tree_find(const pqt_tree *tree, uint64_t id, pqt_item *found);

/**
 * Returns whether two versions are the same value: equal bounds, options and items. The memories
 * and max_depth may differ.
 *
 * @param a  any version
 * @param b  any version
 * @return   true if they are
 * @cost  O(1) if they are one pointer or differ; otherwise O(nodes that they do not share), or
 *        O(n x depth) if max_depth differs
 */
PQT_API bool pqt_tree_equals(const pqt_tree *a, const pqt_tree *b);

/**
 * Returns the fingerprint of a version: a sum over its items, which does not depend on the bounds
 * and options. Equal items give equal sums.
 *
 * @param tree  any version
 * @return      the fingerprint
 * @cost  O(1)
 */
PQT_API pqt_fingerprint pqt_tree_fingerprint(const pqt_tree *tree);

/**
 * Checks every invariant of a version.
 *
 * @param tree   any version, not NULL
 * @param error  set to the first broken invariant and its place; may be NULL
 * @return       true if all hold
 * @error PQT_ERROR_CORRUPT  memory was overwritten, or the library has a bug
 * @cost  O(n log n)
 */
PQT_API bool pqt_tree_check(const pqt_tree *tree, pqt_error *error);

/**
 * Returns the statistics of a version.
 *
 * @param tree  any version
 * @return      the statistics
 * @cost  O(nodes)
 */
PQT_API pqt_tree_stats pqt_tree_get_stats(const pqt_tree *tree);

/**
 * Returns the number of bytes that two versions share. If the first is kept anyway, the second
 * costs its own bytes minus these.
 *
 * @param a  any version
 * @param b  any version
 * @return   bytes
 * @cost  O(nodes of the shared part); the parts that differ are traversed once
 */
PQT_API size_t pqt_tree_shared_bytes(const pqt_tree *a, const pqt_tree *b);

/**
 * Visits the cells of a version, each before its parts: its own items, then its quadrants in Z
 * order.
 *
 * A cell whose items are all in one quadrant has no node and is not visited, so a part may be less
 * than half as wide as the cell.
 *
 * @param tree     any version
 * @param visit    called for each cell; see error.h for visitors
 * @param context  passed to `visit`
 * @return         true if all were visited, false if `visit` stopped it
 */
PQT_API bool pqt_tree_visit_cells(const pqt_tree *tree, pqt_visit_cell_fn *visit, void *context);
/** @} */

/** @name The cost of a version compared with others */
/** @{ */

/**
 * Counts the exclusive bytes of a version: those of its blocks that no other given version has at
 * the same position in the tree. Path copying keeps the position of each block, so the exclusive
 * bytes of a version compared with the one that it was made from are those that the edit allocated.
 *
 * A history of trees counts them at each push. A history of your own kind (pqt_history_kind) may do
 * so for each tree in a value.
 *
 * @param tree    any version
 * @param others  `count` versions, each not NULL, such as the one that `tree` was made from; NULL
 *                if count is 0: then all bytes are counted
 * @param count   the number of other versions
 * @param bytes   written on success; 0 if `tree` itself is among the others
 * @return        false on failure
 *
 * @error PQT_ERROR_MEMORY  out of scratch memory; none is needed with at most one other
 * @cost    O(nodes of `tree` that no other shares), times count; shared subtrees are not entered
 * @thread  any number at once
 */
PQT_API bool pqt_tree_exclusive_bytes(const pqt_tree *tree, const pqt_tree *const *others,
                                      size_t count, size_t *bytes, pqt_error *error);
/** @} */

/** @name Pins */
/** @{ */

/**
 * Keeps a version alive until pqt_unpin, wherever the pin itself is stored.
 *
 * @param tree  any version
 * @return      the pin; NULL on failure
 */
PQT_NODISCARD static inline pqt_pin *
pqt_tree_pin(const pqt_tree *tree, pqt_error *error)
{
    return pqt_version_pin(tree, error);
}

/**
 * Returns the version that a pin keeps.
 *
 * @param pin  from pqt_tree_pin or pqt_head_pin, not NULL
 * @return     the version
 * @thread  any, attached or not
 */
static inline const pqt_tree *
pqt_pin_get_tree(const pqt_pin *pin)
{
    return (const pqt_tree *)pqt_pin_get_version_of(pin, PQT_KIND_TREE);
}
/** @} */

PQT_END_DECLARATIONS

#endif
