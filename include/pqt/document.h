/* SPDX-License-Identifier: MIT */
/**
 * @file document.h - persistent documents: trees, maps, regions, images and worlds that change
 * together.
 *
 * A `const pqt_document *` is a version: up to PQT_MAX_PARTS named parts, each a version of a tree,
 * a region, a world or a map. Setting a part returns another version, which shares the other parts.
 * So one version, one fingerprint and one undo step cover everything that an editor or a game
 * keeps.
 *
 *     const pqt_part parts[] = {
 *         {.name = "shapes", .kind = PQT_KIND_TREE, .version = shapes},
 *         {.name = "colours", .kind = PQT_KIND_MAP, .version = colours, .keyed_by = "shapes"},
 *     };
 *     const pqt_document *plan = pqt_document_make(parts, 2, &error);
 *     shapes = pqt_tree_remove_id(pqt_document_tree(plan, "shapes"), 17, &error);
 *     plan = pqt_document_set_tree(plan, "shapes", shapes, &error); // removes the colour, too
 *
 * **Keyed maps.** A map of ids can be *keyed by* a tree with unique ids. Each of its keys is then
 * the id of an item of that tree, and its values are attributes of the items. If a new version of
 * the tree lacks an item, the item's attributes are removed. A merge treats an item and its
 * attributes as one: removing an item on one side and changing its box or an attribute on the other
 * side is a conflict.
 *
 * The names, kinds and keys of the parts are the *schema* of a document. It is fixed when the
 * document is made. To change it, make a new document from the parts. Parts are kept and visited in
 * the order of the bytes of their names, in whatever order they are given.
 *
 * All parts of a document are in one memory. error.h has the rules for errors and for NULL
 * versions.
 */
#ifndef PQT_DOCUMENT_H
#define PQT_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt/error.h>
#include <pqt/export.h>
#include <pqt/kind.h>
#include <pqt/map.h>
#include <pqt/memory.h>
#include <pqt/merge.h>
#include <pqt/tree.h>

PQT_BEGIN_DECLARATIONS

/** A version of an image; see image.h. */
typedef struct pqt_image pqt_image;

/** A version of a region; see region.h. */
typedef struct pqt_region pqt_region;
/** A version of a world; see world.h. */
typedef struct pqt_world pqt_world;

/** The maximum number of parts of a document. Reason: a version is one block with a pointer for
    each. */
#define PQT_MAX_PARTS 16

/** The longest name of a part. Unit: bytes. */
#define PQT_MAX_PART_NAME 63

/** A version of a document; see above. */
typedef struct pqt_document pqt_document;

/** One part of a document. */
typedef struct pqt_part {
    /** 1..PQT_MAX_PART_NAME bytes of UTF-8 without control characters; copied */
    const char *name;
    pqt_kind kind;       /**< the kind of `version`: any but PQT_KIND_DOCUMENT */
    const void *version; /**< a `const pqt_tree *`, `const pqt_region *` and so on; not NULL */
    /** for a map with PQT_MAP_IDS, the name of the tree whose ids are its keys; otherwise NULL */
    const char *keyed_by;
} pqt_part;

/** Counts of a version of a document; see pqt_document_get_stats. */
typedef struct pqt_document_stats {
    size_t parts; /**< number of parts */
    size_t bytes; /**< bytes of all its blocks, the version itself included */
} pqt_document_stats;

/** @name Making */
/** @{ */

/**
 * Makes a document from parts. It is in the memory of its parts.
 *
 * @param parts  `count` parts with different names, in any order
 * @param count  1..PQT_MAX_PARTS
 * @return       the version; NULL on failure
 *
 * @error PQT_ERROR_LIMIT     there are no parts, or more than PQT_MAX_PARTS
 * @error PQT_ERROR_OPTION    a name is empty, too long, not UTF-8 or has control characters; two
 *                            parts have the same name; a kind is not that of a part; `keyed_by`
 *                            is set for a part that is not a map of ids; or `keyed_by` names no
 *                            tree with unique ids. index is the part's
 * @error PQT_ERROR_MISMATCH  a part is not in the memory of the first one, or no item has the id
 *                            that a key of a keyed map names; index is the part's
 * @error PQT_ERROR_MEMORY    out of memory
 * @cost  O(parts), and a look-up for each entry of a keyed map
 */
PQT_API PQT_NODISCARD const pqt_document *pqt_document_make(const pqt_part *parts, size_t count,
                                                            pqt_error *error);

/**
 * Copies a version, with all its parts, into another memory.
 *
 * To copy several versions and keep their shared parts shared, use pqt_document_copy_all.
 *
 * @param document  any version
 * @param memory    NULL: the default memory
 * @return          an equal version; `document` itself if it is in that memory; NULL on failure
 * @error PQT_ERROR_MEMORY, PQT_ERROR_THREAD  as pqt_tree_copy
 * @cost  O(blocks)
 */
PQT_API PQT_NODISCARD const pqt_document *pqt_document_copy(const pqt_document *document,
                                                            pqt_memory *memory, pqt_error *error);

/**
 * Copies versions into another memory. Parts that they share are copied once and shared there, and
 * so are the blocks that trees and maps share.
 *
 * @param documents  `count` versions, each not NULL
 * @param count      number of versions
 * @param memory     NULL: the default memory
 * @param copies     room for `count` pointers; written only on success
 * @return           false on failure, with the errors of pqt_document_copy
 * @cost  O(distinct blocks)
 */
PQT_API PQT_NODISCARD bool pqt_document_copy_all(const pqt_document *const *documents, size_t count,
                                                 pqt_memory *memory, const pqt_document **copies,
                                                 pqt_error *error);
/** @} */

/** @name Setting parts: each returns a version */
/** @{ */

/**
 * Sets a part. For a tree, the entries of items that it lacks are removed from the maps that are
 * keyed by it.
 *
 * @param document  any version, from any thread
 * @param name      the name of a part; if there is none with this kind, the program stops with a
 *                  message
 * @param kind      the kind of the part, and of `version`
 * @param version   the new version, in the document's memory
 * @return          the new version; `document` itself if it already has this part; NULL on failure
 *
 * @error PQT_ERROR_MISMATCH  the version is in another memory; or it is a tree without unique ids,
 *                            by which a map is keyed; or it is a map that is keyed by a tree, and
 *                            its keys are not ids, or no item has one of them as its id. The text
 *                            names the part, and such a key
 * @error PQT_ERROR_MEMORY    out of memory
 * @cost  O(parts); for a tree with keyed maps, plus O(changes of the tree x depth); for a map that
 *        is keyed by a tree, plus O(changes of the map x log n)
 */
PQT_API PQT_NODISCARD const pqt_document *pqt_document_set_part(const pqt_document *document,
                                                                const char *name, pqt_kind kind,
                                                                const void *version,
                                                                pqt_error *error);

/**
 * Sets a tree. In the maps that are keyed by it, the entries of items that it lacks are removed.
 *
 * @param document  any version, from any thread
 * @param name      the name of a part that is a tree; if there is none, the program stops with a
 *                  message
 * @param tree      the new version, in the document's memory
 * @return          the new version; `document` itself if it already has this tree; NULL on failure
 */
PQT_NODISCARD static inline const pqt_document *
pqt_document_set_tree(const pqt_document *document, const char *name, const pqt_tree *tree,
                      pqt_error *error)
{
    return pqt_document_set_part(document, name, PQT_KIND_TREE, tree, error);
}

/**
 * Sets a map. The parameters and the result are as in pqt_document_set_tree.
 *
 * @param document  any version
 * @param name      the name of the part
 * @param map       any version
 * @return          the new version; `document` itself if nothing changes; NULL on failure
 */
PQT_NODISCARD static inline const pqt_document *
pqt_document_set_map(const pqt_document *document, const char *name, const pqt_map *map,
                     pqt_error *error)
{
    return pqt_document_set_part(document, name, PQT_KIND_MAP, map, error);
}

/**
 * Sets a region; otherwise like pqt_document_set_tree.
 *
 * @param document  any version
 * @param name      the name of the part
 * @param region    any version
 * @return          the new version; `document` itself if nothing changes; NULL on failure
 */
PQT_NODISCARD static inline const pqt_document *
pqt_document_set_region(const pqt_document *document, const char *name, const pqt_region *region,
                        pqt_error *error)
{
    return pqt_document_set_part(document, name, PQT_KIND_REGION, region, error);
}

/**
 * Sets an image; otherwise like pqt_document_set_tree.
 *
 * @param document  any version
 * @param name      the name of the part
 * @param image     any version
 * @return          the new version; `document` itself if nothing changes; NULL on failure
 */
PQT_NODISCARD static inline const pqt_document *
pqt_document_set_image(const pqt_document *document, const char *name, const pqt_image *image,
                       pqt_error *error)
{
    return pqt_document_set_part(document, name, PQT_KIND_IMAGE, image, error);
}

/**
 * Sets a world; otherwise like pqt_document_set_tree.
 *
 * @param document  any version
 * @param name      the name of the part
 * @param world     any version
 * @return          the new version; `document` itself if nothing changes; NULL on failure
 */
PQT_NODISCARD static inline const pqt_document *
pqt_document_set_world(const pqt_document *document, const char *name, const pqt_world *world,
                       pqt_error *error)
{
    return pqt_document_set_part(document, name, PQT_KIND_WORLD, world, error);
}

/**
 * Sets several parts at once: items and their attributes, for instance.
 *
 * First the entries of items that the new trees lack are removed from the keyed maps, including new
 * maps. Then each key that a map has gained must be the id of an item.
 *
 * @param document  any version
 * @param parts     `count` parts of the document, each at most once; `keyed_by` is not read; a
 *                  version is NULL if an earlier call failed
 * @param count     at most PQT_MAX_PARTS
 * @return          the new version; `document` itself if nothing changes; NULL on failure
 * @error PQT_ERROR_OPTION    the document has no part with this name and kind, or one occurs twice;
 *                            index is the part's
 * @error PQT_ERROR_MISMATCH, PQT_ERROR_MEMORY  as pqt_document_set_part
 */
PQT_API PQT_NODISCARD const pqt_document *pqt_document_set_parts(const pqt_document *document,
                                                                 const pqt_part *parts,
                                                                 size_t count, pqt_error *error);
/** @} */

/** @name Reading: these never fail and never allocate */
/** @{ */

/**
 * Returns a part.
 *
 * @param document  any version, or NULL
 * @param name      the name of the part
 * @param kind      its kind
 * @return          the version, which lives as long as the document; NULL if the document is NULL
 *                  or has no part of this name and kind
 * @cost  O(log parts)
 */
PQT_API const void *pqt_document_part(const pqt_document *document, const char *name,
                                      pqt_kind kind);

/**
 * Returns a part that is a tree.
 *
 * @param document  any version, or NULL
 * @param name      the name of the part
 * @return          the tree, which lives as long as the document; NULL if the document is NULL or
 *                  has no part of this name and kind
 * @cost  O(log parts)
 */
static inline const pqt_tree *
pqt_document_tree(const pqt_document *document, const char *name)
{
    return (const pqt_tree *)pqt_document_part(document, name, PQT_KIND_TREE);
}

/**
 * Returns a part that is a map; otherwise like pqt_document_tree.
 *
 * @param document  any version, or NULL
 * @param name      the name of the part
 * @return          the part; NULL if there is none of this name and kind
 */
static inline const pqt_map *
pqt_document_map(const pqt_document *document, const char *name)
{
    return (const pqt_map *)pqt_document_part(document, name, PQT_KIND_MAP);
}

/**
 * Returns a part that is a region; otherwise like pqt_document_tree.
 *
 * @param document  any version, or NULL
 * @param name      the name of the part
 * @return          the part; NULL if there is none of this name and kind
 */
static inline const pqt_region *
pqt_document_region(const pqt_document *document, const char *name)
{
    return (const pqt_region *)pqt_document_part(document, name, PQT_KIND_REGION);
}

/**
 * Returns a part that is an image; otherwise like pqt_document_tree.
 *
 * @param document  any version, or NULL
 * @param name      the name of the part
 * @return          the part; NULL if there is none of this name and kind
 */
static inline const pqt_image *
pqt_document_image(const pqt_document *document, const char *name)
{
    return (const pqt_image *)pqt_document_part(document, name, PQT_KIND_IMAGE);
}

/**
 * Returns a part that is a world; otherwise like pqt_document_tree.
 *
 * @param document  any version, or NULL
 * @param name      the name of the part
 * @return          the part; NULL if there is none of this name and kind
 */
static inline const pqt_world *
pqt_document_world(const pqt_document *document, const char *name)
{
    return (const pqt_world *)pqt_document_part(document, name, PQT_KIND_WORLD);
}

/**
 * Returns the number of parts.
 *
 * @param document  any version
 * @return          the number of parts
 * @cost  O(1)
 */
PQT_API size_t pqt_document_count(const pqt_document *document);

/**
 * Reads a part by its index in the order of names.
 *
 * @param document  any version
 * @param index     0 .. pqt_document_count - 1; any other one stops the program
 * @return          the part; its texts live as long as the document
 */
PQT_API pqt_part pqt_document_get_part(const pqt_document *document, size_t index);

/**
 * Finds a part by its name.
 *
 * @param document  any version
 * @param name      any text
 * @param index     NULL, or set to the index of the part
 * @return          whether there is such a part
 */
PQT_API bool pqt_document_find(const pqt_document *document, const char *name, size_t *index);

/**
 * Returns the memory of a document and its parts.
 *
 * @param document  any version
 * @return          the memory; never NULL
 */
PQT_API pqt_memory *pqt_document_memory(const pqt_document *document);

/**
 * Returns whether two versions are the same value: equal schemas and equal parts. The memories may
 * differ.
 *
 * @param a  any version
 * @param b  any version
 * @return   true if they are equal
 * @cost  the cost of comparing the parts; O(1) for parts that are shared
 */
PQT_API bool pqt_document_equals(const pqt_document *a, const pqt_document *b);

/**
 * Returns 128 bits that are computed from the schema and from the fingerprints of the parts. Equal
 * documents have equal ones, on every machine. They guard against accidents, not against an
 * adversary.
 *
 * @param document  any version
 * @return          the fingerprint
 * @cost  O(parts)
 */
PQT_API pqt_fingerprint pqt_document_fingerprint(const pqt_document *document);

/** @} */

/** @name Checking and counting */
/** @{ */

/**
 * Validates every invariant of a version and of its parts.
 *
 * @param document  any version, not NULL
 * @param error     set to the first invariant that is broken; the text begins with the part's name
 * @return          whether all hold
 * @error PQT_ERROR_CORRUPT  memory was overwritten, or the library has a bug
 * @cost  the cost of checking the parts, and a look-up for each entry of a keyed map
 */
PQT_API bool pqt_document_check(const pqt_document *document, pqt_error *error);

/**
 * Counts the exclusive (unshared) bytes of a version: the bytes of its blocks that no other given
 * version holds.
 *
 * @param document  any version
 * @param others    `count` versions, each not NULL; NULL if count is 0: then all bytes are counted
 * @param count     number of other versions
 * @param bytes     written on success; 0 if `document` itself is among the others
 * @return          false on failure
 * @error PQT_ERROR_MEMORY  out of scratch memory
 * @cost    as pqt_tree_exclusive_bytes and similar functions, for each part that no other shares
 * @thread  any number at once
 */
PQT_API bool pqt_document_exclusive_bytes(const pqt_document *document,
                                          const pqt_document *const *others, size_t count,
                                          size_t *bytes, pqt_error *error);

/**
 * Counts the parts and bytes of a version. Blocks that two parts share are counted once, even if a
 * tree or region is also in a world.
 *
 * @param document  any version
 * @param stats     written on success
 * @return          false on failure
 * @error PQT_ERROR_MEMORY  out of scratch memory
 * @cost  O(blocks)
 */
PQT_API bool pqt_document_get_stats(const pqt_document *document, pqt_document_stats *stats,
                                    pqt_error *error);
/** @} */

/** @name Differences */
/** @{ */

/** One change between two documents. */
typedef struct pqt_document_change {
    const char *part;              /**< name of the part */
    pqt_kind kind;                 /**< its kind */
    const void *before;            /**< the part before; `kind` says its type */
    const void *after;             /**< the part after */
    const pqt_change *item;        /**< in a tree: the change of an item; otherwise NULL */
    const pqt_map_key *key;        /**< in a map: the key; otherwise NULL */
    const pqt_map_value *value;    /**< in a map: the value before, or NULL; otherwise NULL */
    const pqt_map_value *to_value; /**< in a map: the value after, or NULL; otherwise NULL */
} pqt_document_change;

/**
 * Visits one change.
 *
 * @param change   valid during the call
 * @param context  as passed to the function that visits
 * @return         true to continue, false to stop
 */
typedef bool pqt_visit_document_change_fn(const pqt_document_change *change, void *context);

/**
 * Visits the changes that turn one version into another, part by part in the order of names.
 *
 * Trees and maps are visited change by change, in the order of pqt_tree_visit_diff and
 * pqt_map_visit_diff. A region or a world that changed is one change; pqt_region_visit_diff
 * visits the pixels.
 *
 * @param before   any version
 * @param after    a version with an equal schema
 * @param visit    called for each change
 * @param context  passed to `visit`
 * @return         true if every change was visited; false on failure, or if `visit` stopped it
 *
 * @error PQT_ERROR_MISMATCH  the schemas differ, or bounds, options or kinds of a part, which the
 *                            text names
 * @error PQT_ERROR_MEMORY    out of memory for the changes of a tree without unique ids
 * @cost    the cost of the diffs of the parts; O(1) for parts that are shared
 * @thread  any number at once
 */
PQT_API bool pqt_document_visit_diff(const pqt_document *before, const pqt_document *after,
                                     pqt_visit_document_change_fn *visit, void *context,
                                     pqt_error *error);
/** @} */

/** @name Merging */
/** @{ */

/** The subject of a conflict. */
typedef enum pqt_document_conflict_kind {
    /** An item of a tree that both sides changed differently: `item` is set. */
    PQT_CONFLICT_ITEM = 1,
    /** An item of a tree with keyed maps that one side removed, while the other one changed its box
        or its attributes: `item` is set. */
    PQT_CONFLICT_REMOVED_ITEM = 2,
    /** A key of a map that both sides changed differently: `entry` is set. */
    PQT_CONFLICT_ENTRY = 3,
    /** A world that both sides changed differently, or an image to which they gave different
        sizes. */
    PQT_CONFLICT_PART = 4,
    /** Pixels of an image that both sides changed to different colours: `pixels` is set. */
    PQT_CONFLICT_PIXELS = 5
} pqt_document_conflict_kind;

/** A change that both sides made differently. */
typedef struct pqt_document_conflict {
    pqt_document_conflict_kind kind; /**< its subject */
    const char *part;                /**< name of the part */
    pqt_kind part_kind;              /**< its kind */
    const void *base;                /**< the part before both changes; `part_kind` says its type */
    const void *ours;                /**< the part as one side has it */
    const void *theirs;              /**< the part as the other side has it */
    const pqt_conflict *item;        /**< the boxes; otherwise NULL */
    const pqt_map_conflict *entry;   /**< the values; otherwise NULL */
    /** the box around the pixels, as in pqt_image_resolve_fn; otherwise NULL */
    const struct pqt_pixel_box *pixels;
} pqt_document_conflict;

/** The resolution of a conflict. */
typedef enum pqt_document_resolution {
    PQT_DOCUMENT_UNRESOLVED = 0,   /**< no decision: the merge fails, and its error names it */
    PQT_DOCUMENT_KEEP_OURS = 1,    /**< keep our value */
    PQT_DOCUMENT_KEEP_THEIRS = 2,  /**< keep their value */
    PQT_DOCUMENT_KEEP_NEITHER = 3, /**< remove it; not for a part or pixels */
    PQT_DOCUMENT_KEEP_BASE = 4,    /**< keep the value before both changes */
    /** keep what is written to `answer`; not for a removed item or pixels */
    PQT_DOCUMENT_KEEP_ANSWER = 5,
    /** keep the boxes of both; only for a PQT_CONFLICT_ITEM; with unique ids, only if one side has
     * none */
    PQT_DOCUMENT_KEEP_BOTH = 6
} pqt_document_resolution;

/** A value that the caller chooses to resolve a conflict; see PQT_DOCUMENT_KEEP_ANSWER. */
typedef struct pqt_document_answer {
    pqt_items items;     /**< for an item, as with PQT_KEEP_ITEMS */
    pqt_map_value value; /**< for an entry, as with PQT_MAP_KEEP_VALUE */
    const void *version; /**< for a part, its version, in the memory of the documents */
} pqt_document_answer;

/**
 * Decides a conflict.
 *
 * @param conflict  valid during the call
 * @param answer    zero; for PQT_DOCUMENT_KEEP_ANSWER, set the member that applies; it is read
 *                  right after the call
 * @param context   from the options
 */
typedef pqt_document_resolution pqt_document_resolve_fn(const pqt_document_conflict *conflict,
                                                        pqt_document_answer *answer, void *context);

/** Options of a merge. Start from PQT_DOCUMENT_MERGE_DEFAULTS. */
typedef struct pqt_document_merge_options {
    size_t size; /**< sizeof(pqt_document_merge_options), set by PQT_DOCUMENT_MERGE_DEFAULTS */
    /** called for each conflict: first the conflicts of trees, then of other parts, each in the
     * order of names; in a tree, first removed items, then others, both in ascending order of id;
     * NULL: a conflict is an error */
    pqt_document_resolve_fn *resolve;
    void *context; /**< passed to `resolve` */
} pqt_document_merge_options;

/** Initial value of options: a conflict is an error. */
#define PQT_DOCUMENT_MERGE_DEFAULTS                                                                \
    {                                                                                              \
        sizeof(pqt_document_merge_options), NULL, NULL                                             \
    }

/**
 * Merges two versions that were made from a third one: the result has the changes of both.
 *
 * Trees and maps are merged as pqt_tree_merge and pqt_map_merge do. If an item is removed, it and
 * its attributes in keyed maps are merged as one: if the other side changed its box or an
 * attribute, that is a PQT_CONFLICT_REMOVED_ITEM, and the resolution decides on all of them
 * together. The box and the attributes of an item that neither side removed are merged one by one.
 * A region, image or world that only one side changed is taken from that side. If both changed a
 * region, the result has the pixels that either side set and lacks those that either side cleared;
 * this never conflicts. If both changed an image, it is merged as pqt_image_merge does, and each
 * box of pixels in conflict is a PQT_CONFLICT_PIXELS. If both changed a world differently, or the
 * sizes of an image differ, that is a PQT_CONFLICT_PART.
 *
 * @param base     the version from which both were made
 * @param ours     one side
 * @param theirs   the other side
 * @param options  NULL means PQT_DOCUMENT_MERGE_DEFAULTS
 * @return         the merged version: `ours`, `theirs` or `base` itself, in this order, if it
 *                 equals one of them; NULL on failure
 *
 * @error PQT_ERROR_MISMATCH  schemas, memories, bounds, options or kinds differ; the text names the
 *                            part
 * @error PQT_ERROR_CONFLICT  an undecided conflict; the text names the part, and the id, the key or
 *                            the box
 * @error PQT_ERROR_CALLBACK  `resolve` returned a value that does not apply to the conflict; the
 *                            text names the part
 * @error PQT_ERROR_OPTION    the size of the options is wrong
 * @error PQT_ERROR_LIMIT     a tree would have more than PQT_MAX_ITEMS
 * @error PQT_ERROR_MEMORY    out of memory
 *
 * @cost    the cost of the merges of the parts; for trees with keyed maps, O(changes of both sides
 *          x depth)
 * @thread  any number at once
 */
PQT_API PQT_NODISCARD const pqt_document *
pqt_document_merge(const pqt_document *base, const pqt_document *ours, const pqt_document *theirs,
                   const pqt_document_merge_options *options, pqt_error *error);
/** @} */

/** @name Holding a version where the collector does not scan */
/** @{ */

/**
 * Keeps a version alive until pqt_unpin, wherever the pin itself is.
 *
 * @param document  any version
 * @return          the pin; NULL on failure
 */
PQT_NODISCARD static inline pqt_pin *
pqt_document_pin(const pqt_document *document, pqt_error *error)
{
    return pqt_version_pin(document, error);
}

/**
 * Returns the version that a pin keeps.
 *
 * @param pin  from pqt_document_pin or pqt_head_pin, not NULL
 * @return     the version
 * @thread  any, attached or not
 */
static inline const pqt_document *
pqt_pin_get_document(const pqt_pin *pin)
{
    return (const pqt_document *)pqt_pin_get_version_of(pin, PQT_KIND_DOCUMENT);
}
/** @} */

PQT_END_DECLARATIONS

#endif
