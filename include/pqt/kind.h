/* SPDX-License-Identifier: MIT */
/**
 * @file kind.h - the kinds of versions: trees, regions, worlds, maps, documents and images.
 *
 * Bytes, files, stores, lines, pins and parts of documents say with a pqt_kind what they hold. A
 * version says its own kind, so the functions for versions of any kind take any of them as a
 * `const void *`:
 *
 *     const void *newest = pqt_history_value(history);
 *     if (!pqt_version_check(newest, &error))
 *         printf("a %s is damaged: %s\n", pqt_kind_name(pqt_kind_of(newest)), error.text);
 *
 * A pointer to anything else, or to a version that was reclaimed, stops the program with a message.
 * A function here can have the errors that the function for the kind has: pqt_version_merge of maps
 * those of pqt_map_merge. any_version.h has the functions that write and read versions of any kind.
 */
#ifndef PQT_KIND_H
#define PQT_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt/error.h>
#include <pqt/export.h>
#include <pqt/fingerprint.h>
#include <pqt/memory.h>

PQT_BEGIN_DECLARATIONS

/** A kind of version. The numbers are part of the ABI, and are those in files and stores. */
typedef enum pqt_kind {
    PQT_KIND_NONE = 0,     /**< no version: nothing is stored yet, or bytes hold none */
    PQT_KIND_TREE = 1,     /**< a pqt_tree */
    PQT_KIND_REGION = 2,   /**< a pqt_region */
    PQT_KIND_WORLD = 3,    /**< a pqt_world */
    PQT_KIND_MAP = 4,      /**< a pqt_map */
    PQT_KIND_DOCUMENT = 5, /**< a pqt_document */
    PQT_KIND_IMAGE = 6,    /**< a pqt_image */
    /** a kind that this library does not know; no file has this number, which no byte can hold */
    PQT_KIND_OTHER = 256
} pqt_kind;

/**
 * Returns whether a number is a kind of which this library has versions.
 *
 * @param kind  any value
 * @return      false for PQT_KIND_NONE, PQT_KIND_OTHER and any number without a name above
 * @thread  any
 */
PQT_API bool pqt_kind_is_known(pqt_kind kind);

/**
 * Returns the name of a kind, for logs and user interfaces.
 *
 * @param kind  any value
 * @return      a static string in English, such as "tree", never NULL; "unknown kind" for
 *              PQT_KIND_NONE, PQT_KIND_OTHER and any other number
 * @thread  any
 */
PQT_API const char *pqt_kind_name(pqt_kind kind);

/**
 * Returns the plural noun for what versions of a kind consist of, for logs and user interfaces:
 * pqt_version_count returns their number.
 *
 * @param kind  any value
 * @return      a static string in English, never NULL: "items", "pixels", "bodies", "entries",
 *              "parts", or "elements" for any other number
 * @thread  any
 */
PQT_API const char *pqt_kind_elements(pqt_kind kind);

/**
 * Returns the kind of a version.
 *
 * @param version  a version of any kind, not NULL
 * @return         its kind, never PQT_KIND_NONE or PQT_KIND_OTHER
 * @cost    O(1)
 * @thread  any number at once on one version
 */
PQT_API pqt_kind pqt_kind_of(const void *version);

/** @name Versions of any kind */
/** @{ */

/**
 * Returns the memory of a version, as pqt_tree_memory does.
 *
 * @param version  a version of any kind, not NULL
 * @return         its memory, never NULL
 * @cost    O(1)
 * @thread  any number at once on one version
 */
PQT_API pqt_memory *pqt_version_memory(const void *version);

/**
 * Returns the fingerprint, as pqt_tree_fingerprint does.
 *
 * @param version  a version of any kind, not NULL
 * @return         the fingerprint
 * @cost    O(1); O(parts) for a document
 * @thread  any number at once on one version
 */
PQT_API pqt_fingerprint pqt_version_fingerprint(const void *version);

/**
 * Returns whether two versions of one kind are equal, as pqt_tree_equals does.
 *
 * @param a  a version of any kind, not NULL
 * @param b  a version of the same kind, not NULL
 * @return   true if they are equal
 * @thread   any number at once on one version
 */
PQT_API bool pqt_version_equals(const void *a, const void *b);

/**
 * Returns the number of items, pixels, bodies, entries or parts in a version, as pqt_tree_count
 * does.
 *
 * @param version  a version of any kind, not NULL
 * @return         the number
 * @cost    O(1)
 * @thread  any number at once on one version
 */
PQT_API uint64_t pqt_version_count(const void *version);

/**
 * Checks every invariant, as pqt_tree_check does.
 *
 * @param version  a version of any kind, not NULL
 * @return         true if all hold
 * @thread  any number at once on one version
 */
PQT_API bool pqt_version_check(const void *version, pqt_error *error);

/**
 * Counts the bytes of those blocks of a version that none of the others shares, as
 * pqt_tree_exclusive_bytes does.
 *
 * @param version  a version of any kind
 * @param others   versions of the same kind in the same memory; NULL if `count` is 0
 * @param count    number of others
 * @param bytes    receives the bytes
 * @return         false on failure
 * @thread  any number at once on one version
 */
PQT_API bool pqt_version_exclusive_bytes(const void *version, const void *const *others,
                                         size_t count, size_t *bytes, pqt_error *error);

/**
 * Counts the bytes of those blocks of a version that another one shares, as pqt_tree_shared_bytes
 * does.
 *
 * @param a      a version of any kind
 * @param b      a version of the same kind
 * @param bytes  receives the bytes; all bytes of `a` if `b` is the same version
 * @return       false on failure
 * @thread  any number at once on one version
 */
PQT_API bool pqt_version_shared_bytes(const void *a, const void *b, size_t *bytes,
                                      pqt_error *error);

/**
 * Counts the differences between two versions: items inserted, removed or moved, as
 * pqt_tree_visit_diff reports them; pixels; bodies whose state differs; entries inserted, removed
 * or changed; and for documents the sum over all parts.
 *
 * @param before  a version of any kind
 * @param after   a version of the same kind; the memories may differ
 * @param count   receives the number
 * @return        false on failure
 *
 * @error PQT_ERROR_MISMATCH  the bounds or options of the trees differ, the kinds of keys or values
 *                            of the maps, the parts of the documents, or the
 *                            sizes of the images
 * @cost    O(changes x depth): shared blocks are not entered
 * @thread  any number at once on one version
 */
PQT_API bool pqt_version_count_diff(const void *before, const void *after, uint64_t *count,
                                    pqt_error *error);

/**
 * Makes the version that has the changes of both sides since their common base, as pqt_tree_merge,
 * pqt_map_merge, pqt_image_merge and pqt_document_merge do without options.
 *
 * In a region, the pixels that one side or both sides changed differ from the base. Worlds cannot
 * be merged: PQT_ERROR_MISMATCH.
 *
 * @param base    a version of any kind
 * @param ours    a version of the same kind, made from the base
 * @param theirs  another one
 * @return        the merged version; NULL on failure
 */
PQT_API PQT_NODISCARD const void *pqt_version_merge(const void *base, const void *ours,
                                                    const void *theirs, pqt_error *error);

/**
 * Copies a version into another memory, as pqt_tree_copy does.
 *
 * @param version  a version of any kind
 * @param memory   NULL: the default memory
 * @return         an equal version; `version` itself if it is in that memory; NULL on failure
 */
PQT_API PQT_NODISCARD const void *pqt_version_copy(const void *version, pqt_memory *memory,
                                                   pqt_error *error);

/**
 * Copies versions of one kind into another memory, as pqt_tree_copy_all does. Blocks that they
 * share are copied once and shared there.
 *
 * @param versions  `count` versions of one kind, each not NULL
 * @param count     the number of versions
 * @param memory    NULL: the default memory
 * @param copies    an array of `count` pointers; written on success only
 * @return          false on failure
 */
PQT_API PQT_NODISCARD bool pqt_version_copy_all(const void *const *versions, size_t count,
                                                pqt_memory *memory, const void **copies,
                                                pqt_error *error);

/**
 * Keeps a version alive until pqt_unpin, wherever the pin itself is stored.
 *
 * @param version  a version of any kind
 * @return         the pin; NULL on failure
 * @error PQT_ERROR_MEMORY  out of memory
 */
PQT_API PQT_NODISCARD pqt_pin *pqt_version_pin(const void *version, pqt_error *error);

/**
 * Returns the kind of the version that a pin keeps.
 *
 * @param pin  not NULL
 * @return     the kind
 * @thread  any, attached or not
 */
PQT_API pqt_kind pqt_pin_get_kind(const pqt_pin *pin);

/**
 * Returns the version that a pin keeps. If it is not of the given kind, the program stops with a
 * message.
 *
 * @param pin   a pin of a version of this kind, not NULL
 * @param kind  a kind
 * @return      the version
 * @thread  any, attached or not
 */
PQT_API const void *pqt_pin_get_version_of(const pqt_pin *pin, pqt_kind kind);

/**
 * Returns the version that a pin keeps.
 *
 * @param pin  a pin of a version of any kind, not NULL
 * @return     the version, of the kind that pqt_pin_get_kind returns
 * @thread  any, attached or not
 */
PQT_API const void *pqt_pin_get_version(const pqt_pin *pin);
/** @} */

/** @name Values of histories */
/** @{ */

/** Receives a version that a value holds: see pqt_history_kind. */
typedef void pqt_hold_fn(const void *version, void *holder);

/**
 * The kind of values that a history holds (history.h). pqt_history_kind_of returns that of each
 * kind of version; fill in one of your own for other values, such as structs with several
 * versions.
 */
typedef struct pqt_history_kind {
    size_t size;      /**< sizeof(pqt_history_kind) */
    const char *name; /**< a plural noun for messages, such as "trees"; not NULL, never freed */
    /** Returns the memory of a value; NULL: all values are in the default memory. */
    pqt_memory *(*memory)(const void *value, void *context);
    /** Returns whether two values are equal; NULL: the pointers are compared. */
    bool (*equals)(const void *a, const void *b, void *context);
    /**
     * Counts the bytes of those blocks of a value that none of `count` others shares; NULL: always
     * 0. Each push calls it with one other value, so it should skip shared blocks as
     * pqt_tree_exclusive_bytes, pqt_region_exclusive_bytes and pqt_world_exclusive_bytes do, which
     * count the bytes of versions in a value. Returns false on failure.
     */
    bool (*bytes)(const void *value, const void *const *others, size_t count, size_t *bytes,
                  void *context);
    void *context; /**< passed to the functions; the caller keeps it alive */
    /**
     * Passes each version that a value holds to `hold`, with `holder`; needed for values in a heap
     * (heap.h), NULL elsewhere. It may be called from any thread, with a lock held: it must not
     * call another function of the library, and what it reads must not change while the history has
     * it.
     */
    void (*trace)(const void *value, pqt_hold_fn *hold, void *holder, void *context);
} pqt_history_kind;

/**
 * Returns the kind of values for a history of versions.
 *
 *     pqt_history *history =
 *         pqt_history_make(pqt_history_kind_of(PQT_KIND_TREE), tree, NULL, &error);
 *
 * Counting bytes costs O(changes x depth) for trees and worlds, where a step changes all moving
 * bodies, and O(changes x log n) for maps. Only histories of trees and documents can have an index.
 *
 * A program that links the library statically contains only the kinds of which it calls a function
 * that makes or reads versions. For another kind, the function stops the program.
 *
 * @param kind  the kind of the versions
 * @return      the kind of the values
 * @thread  any
 */
PQT_API const pqt_history_kind *pqt_history_kind_of(pqt_kind kind);
/** @} */

PQT_END_DECLARATIONS

#endif
