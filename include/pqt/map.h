/* SPDX-License-Identifier: MIT */
/**
 * @file map.h - persistent maps: from ids or short byte strings to numbers or byte strings.
 *
 * A `const pqt_map *` is a version: an immutable map from keys to values. Each function that
 * changes something returns another version, which shares everything with the given one except the
 * paths to the changes. If nothing changes, it returns the same pointer.
 *
 * All keys of a map are of one kind, and all values are of one kind; the options choose both. So an
 * entry of a map from ids to numbers takes 16 bytes and no tag. Keys are ids of 64 bits or byte
 * strings of at most PQT_MAX_MAP_KEY bytes. Values are 64-bit numbers or byte strings of any
 * length. Byte strings are copied in, and may hold any bytes.
 *
 * A map is canonical: its entries and its options determine every block, whatever the order of
 * edits. Entries are visited in *key order*, which is the order of a 64-bit hash of their keys and
 * is the same on every machine. The hash of ids is a bijection. Byte strings with equal hashes are
 * divided by their bytes.
 *
 * error.h has the rules for errors and for NULL versions.
 *
 *     pqt_error error = {0};
 *     const pqt_map *ages = pqt_map_make(NULL, &error);
 *     ages = pqt_map_insert(ages, pqt_map_id(17), pqt_map_number(42), &error);
 *     if (ages == NULL)
 *         return complain(&error);
 *     pqt_map_value age;
 *     if (pqt_map_find(ages, pqt_map_id(17), &age))
 *         printf("%llu\n", (unsigned long long)age.number);
 */
#ifndef PQT_MAP_H
#define PQT_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt/error.h>
#include <pqt/export.h>
#include <pqt/fingerprint.h>
#include <pqt/kind.h>
#include <pqt/memory.h>
#include <pqt/tree.h>

PQT_BEGIN_DECLARATIONS

/**
 * The maximum length of a key that is a byte string. Unit: bytes.
 *
 * Reason: keys with equal hashes are divided by their bytes, 3 bits per level. If raised, paths of
 * such keys become longer, and so does the stack that a call needs.
 */
#define PQT_MAX_MAP_KEY 32

/** A version of a map; see above. */
typedef struct pqt_map pqt_map;

/** The kind of a map's keys. */
typedef enum pqt_map_keys {
    PQT_MAP_IDS = 1,      /**< 64-bit numbers */
    PQT_MAP_BYTE_KEYS = 2 /**< byte strings of 0 to PQT_MAX_MAP_KEY bytes */
} pqt_map_keys;

/** The kind of a map's values. */
typedef enum pqt_map_values {
    PQT_MAP_NUMBERS = 1,    /**< 64-bit numbers */
    PQT_MAP_BYTE_VALUES = 2 /**< byte strings of any length, including 0 */
} pqt_map_values;

/** Options of a map. Start from PQT_MAP_DEFAULTS. */
typedef struct pqt_map_options {
    size_t size;           /**< sizeof(pqt_map_options), set by PQT_MAP_DEFAULTS */
    pqt_map_keys keys;     /**< the kind of its keys */
    pqt_map_values values; /**< the kind of its values */
    pqt_memory *memory;    /**< the memory of its versions; NULL: the default memory */
} pqt_map_options;

/** Initial value of options: from ids to numbers, in the default memory. */
#define PQT_MAP_DEFAULTS                                                                           \
    {                                                                                              \
        sizeof(pqt_map_options), PQT_MAP_IDS, PQT_MAP_NUMBERS, NULL                                \
    }

/** A key: make it with pqt_map_id, pqt_map_text or pqt_map_byte_key. */
typedef struct pqt_map_key {
    uint64_t id;       /**< the key of a map with PQT_MAP_IDS */
    const void *bytes; /**< the key of a map with PQT_MAP_BYTE_KEYS; NULL: the key is an id */
    size_t size;       /**< the number of bytes */
} pqt_map_key;

/** A value: make it with pqt_map_number or pqt_map_bytes. */
typedef struct pqt_map_value {
    uint64_t number;   /**< the value of a map with PQT_MAP_NUMBERS */
    const void *bytes; /**< the value with PQT_MAP_BYTE_VALUES; NULL: the value is a number */
    size_t size;       /**< the number of bytes */
} pqt_map_value;

/** A key and its value. The bytes that a version returns live as long as the version. */
typedef struct pqt_map_entry {
    pqt_map_key key;     /**< the key */
    pqt_map_value value; /**< the value */
} pqt_map_entry;

/** The kind of a change. */
typedef enum pqt_map_change_kind {
    PQT_MAP_INSERT = 1, /**< the key gets the value, whether or not it had one */
    PQT_MAP_REMOVE = 2  /**< the key gets none; `value` is not read */
} pqt_map_change_kind;

/** One change of a batch; see pqt_map_apply. */
typedef struct pqt_map_change {
    pqt_map_change_kind kind; /**< its kind */
    pqt_map_key key;          /**< the key */
    pqt_map_value value;      /**< the value */
} pqt_map_change;

/** Counts of a version; see pqt_map_get_stats. */
typedef struct pqt_map_stats {
    size_t entries; /**< keys that have a value */
    size_t nodes;   /**< inner nodes */
    size_t leaves;  /**< leaves, of 1 to 8 entries */
    size_t cells;   /**< blocks of one or two byte strings; none if ids map to numbers */
    size_t depth;   /**< inner nodes on the longest path */
    size_t bytes;   /**< bytes that all of these take, the version itself included */
} pqt_map_stats;

/**
 * Visits one entry.
 *
 * @param entry    valid as long as the version
 * @param context  as passed to pqt_map_visit
 * @return         true to continue, false to stop
 */
typedef bool pqt_visit_map_entry_fn(const pqt_map_entry *entry, void *context);

/**
 * Visits several entries.
 *
 * @param entries  an array of `count` entries, valid during the call; their bytes are valid as long
 *                 as the version
 * @param count    at least 1
 * @param context  as passed to pqt_map_visit_entries
 * @return         true to continue, false to stop
 */
typedef bool pqt_visit_map_entries_fn(const pqt_map_entry *entries, size_t count, void *context);

/**
 * Visits one key whose values in two versions differ.
 *
 * @param key      the key, valid during the call
 * @param before   its value before; NULL: the key was inserted
 * @param after    its value after; NULL: the key was removed
 * @param context  as passed to pqt_map_visit_diff
 * @return         true to continue, false to stop
 */
typedef bool pqt_visit_map_diff_fn(const pqt_map_key *key, const pqt_map_value *before,
                                   const pqt_map_value *after, void *context);

/** @name Keys and values */
/** @{ */

/**
 * Returns a key of a map with PQT_MAP_IDS.
 *
 * @param id  the id
 * @return    the key
 */
PQT_API pqt_map_key pqt_map_id(uint64_t id);

/**
 * Returns a key of a map with PQT_MAP_BYTE_KEYS: the bytes of a string, without its terminating 0.
 *
 * @param text  not NULL; it must live until the call that is given the key returns
 * @return      the key
 */
PQT_API pqt_map_key pqt_map_text(const char *text);

/**
 * Returns a key of a map with PQT_MAP_BYTE_KEYS.
 *
 * @param bytes  `size` bytes, which must live until the call that is given the key returns; NULL if
 *               size is 0
 * @param size   the number of bytes
 * @return       the key, whose bytes are not NULL
 */
PQT_API pqt_map_key pqt_map_byte_key(const void *bytes, size_t size);

/**
 * Returns a value of a map with PQT_MAP_NUMBERS.
 *
 * @param number  the number
 * @return        the value
 */
PQT_API pqt_map_value pqt_map_number(uint64_t number);

/**
 * Returns a value of a map with PQT_MAP_BYTE_VALUES.
 *
 * @param bytes  `size` bytes, which must live until the call that is given the value returns; NULL
 *               if size is 0
 * @param size   the number of bytes
 * @return       the value, whose bytes are not NULL
 */
PQT_API pqt_map_value pqt_map_bytes(const void *bytes, size_t size);
/** @} */

/** @name Making */
/** @{ */

/**
 * Makes an empty map.
 *
 * @param options  NULL means PQT_MAP_DEFAULTS
 * @return         the empty version; NULL on failure
 *
 * @error PQT_ERROR_OPTION       a kind is not in its enum, or the size of the options is wrong
 * @error PQT_ERROR_THREAD       the first call of the library was not on the main thread
 * @error PQT_ERROR_MEMORY       out of memory
 */
PQT_API PQT_NODISCARD const pqt_map *pqt_map_make(const pqt_map_options *options, pqt_error *error);

/**
 * Copies a version into another memory.
 *
 * To copy several versions and keep their shared parts shared, use pqt_map_copy_all.
 *
 * @param map     any version
 * @param memory  NULL: the default memory
 * @return        an equal version; `map` itself if it lives in that memory; NULL on failure
 * @error PQT_ERROR_MEMORY, PQT_ERROR_THREAD  as pqt_map_make
 * @cost  O(blocks)
 */
PQT_API PQT_NODISCARD const pqt_map *pqt_map_copy(const pqt_map *map, pqt_memory *memory,
                                                  pqt_error *error);

/**
 * Copies versions into another memory. Shared parts are copied once and shared there.
 *
 * @param maps    `count` versions, each not NULL
 * @param count   the number of versions
 * @param memory  NULL: the default memory
 * @param copies  room for `count` pointers; written only on success
 * @return        false on failure, with the errors of pqt_map_copy
 * @cost  O(distinct blocks)
 */
PQT_API PQT_NODISCARD bool pqt_map_copy_all(const pqt_map *const *maps, size_t count,
                                            pqt_memory *memory, const pqt_map **copies,
                                            pqt_error *error);
/** @} */

/** @name Changing: each returns a version */
/** @{ */

/**
 * Sets the value of a key, whether or not it had one.
 *
 * @param map    any version, from any thread
 * @param key    of the map's kind
 * @param value  of the map's kind
 * @return       the new version; `map` itself if the key had this value; NULL on failure
 *
 * @error PQT_ERROR_MISMATCH  the key or the value is not of the map's kind; the text names the key
 *                            and both kinds
 * @error PQT_ERROR_LIMIT     the key is longer than PQT_MAX_MAP_KEY bytes
 * @error PQT_ERROR_MEMORY    out of memory
 *
 * @cost    O(log n) time and new blocks; allocates nothing if nothing changes
 * @thread  any number at once on one version
 * @source  path copying: Driscoll, Sarnak, Sleator, Tarjan 1989, section 2.2
 */
PQT_API PQT_NODISCARD const pqt_map *pqt_map_insert(const pqt_map *map, pqt_map_key key,
                                                    pqt_map_value value, pqt_error *error);

/**
 * Removes a key and its value.
 *
 * @param map  any version
 * @param key  of the map's kind
 * @return     the new version; `map` itself if the key had no value; NULL on failure
 * @error PQT_ERROR_MISMATCH  the key is not of the map's kind
 * @error PQT_ERROR_MEMORY    out of memory
 * @cost  as pqt_map_insert
 */
PQT_API PQT_NODISCARD const pqt_map *pqt_map_remove(const pqt_map *map, pqt_map_key key,
                                                    pqt_error *error);

/**
 * Applies changes. The result is the same as if they were applied one by one in the given order, or
 * NULL.
 *
 * @param map      any version
 * @param changes  `count` changes; NULL if count is 0; if a key occurs several times, the last
 *                 change counts
 * @param count    the number of changes
 * @return         the new version; `map` itself if nothing changed; NULL on failure, with nothing
 *                 done
 *
 * @error PQT_ERROR_MISMATCH  a key, or a value to be inserted, is not of the map's kind; index is
 *                            the change
 * @error PQT_ERROR_LIMIT     a key to be inserted is too long; index is the change
 * @error PQT_ERROR_MEMORY    out of memory
 * @cost  O(count) scratch memory, and one descent; no more new blocks than the paths to the changed
 *        entries have in all
 */
PQT_API PQT_NODISCARD const pqt_map *
pqt_map_apply(const pqt_map *map, const pqt_map_change *changes, size_t count, pqt_error *error);
/** @} */

/** @name Reading: these never fail and never allocate */
/** @{ */

/**
 * Returns the number of keys that have a value.
 *
 * @param map  any version
 * @return     the number of entries
 * @cost  O(1)
 */
PQT_API size_t pqt_map_count(const pqt_map *map);

/**
 * Returns the memory of a version.
 *
 * @param map  any version
 * @return     the memory; never NULL
 */
PQT_API pqt_memory *pqt_map_memory(const pqt_map *map);

/**
 * Writes the options that the map was made with; their `memory` is never NULL.
 *
 * @param map      any version
 * @param options  not NULL; its `size` is set by the caller, as PQT_MAP_DEFAULTS does, and at most
 *                 that many bytes are written
 */
PQT_API void pqt_map_get_options(const pqt_map *map, pqt_map_options *options);

/**
 * Finds the value of a key.
 *
 * @param map    any version
 * @param key    of the map's kind: another one stops the program with a message; one that is too
 *               long is not found
 * @param found  NULL, or set to the value, which lives as long as the version
 * @return       whether the key has a value
 * @cost  O(log n)
 */
PQT_API bool pqt_map_find(const pqt_map *map, pqt_map_key key, pqt_map_value *found);

/**
 * Visits all entries in key order.
 *
 * @param map      any version
 * @param visit    called for each entry; see error.h for visitors
 * @param context  passed to `visit`
 * @return         true if every entry was visited, false if `visit` stopped it
 * @cost  O(n)
 */
PQT_API bool pqt_map_visit(const pqt_map *map, pqt_visit_map_entry_fn *visit, void *context);

/**
 * Visits all entries, up to 64 at a time, in key order.
 *
 * @param map      any version
 * @param visit    called with arrays of entries; see error.h for visitors
 * @param context  passed to `visit`
 * @return         true if every entry was visited, false if `visit` stopped it
 * @cost  O(n)
 */
PQT_API bool pqt_map_visit_entries(const pqt_map *map, pqt_visit_map_entries_fn *visit,
                                   void *context);

/**
 * Returns whether two versions are the same value: equal kinds and entries. The memories may
 * differ.
 *
 * @param a  any version
 * @param b  any version
 * @return   true if they are equal
 * @cost  O(1) if they are one pointer or differ; otherwise O(blocks that they do not share)
 */
PQT_API bool pqt_map_equals(const pqt_map *a, const pqt_map *b);

/**
 * Returns the fingerprint of a version: a sum over its entries. Equal entries give equal sums, on
 * every machine.
 *
 * @param map  any version
 * @return     the fingerprint
 * @cost  O(1)
 */
PQT_API pqt_fingerprint pqt_map_fingerprint(const pqt_map *map);

/**
 * Visits the keys whose values differ, in key order.
 *
 * Blocks that the versions share are skipped, and so are nodes of equal fingerprint (128 bits),
 * count and place. That guards against accidents, not against an adversary.
 *
 * @param before   any version
 * @param after    a version with keys and values of the same kinds; if the kinds differ, the
 *                 program stops with a message
 * @param visit    called for each key; see error.h for visitors
 * @param context  passed to `visit`
 * @return         true if every entry was visited, false if `visit` stopped it
 * @cost    O(changes x log n)
 * @thread  any number at once
 */
PQT_API bool pqt_map_visit_diff(const pqt_map *before, const pqt_map *after,
                                pqt_visit_map_diff_fn *visit, void *context);

/**
 * Validates every invariant of a version.
 *
 * @param map    any version, not NULL
 * @param error  set to the first invariant that is broken
 * @return       whether all hold
 * @error PQT_ERROR_CORRUPT  memory was overwritten, or the library has a bug
 * @cost  O(n log n)
 */
PQT_API bool pqt_map_check(const pqt_map *map, pqt_error *error);

/**
 * Counts the entries, blocks and bytes of a version.
 *
 * @param map  any version
 * @return     the statistics
 * @cost  O(blocks)
 */
PQT_API pqt_map_stats pqt_map_get_stats(const pqt_map *map);

/**
 * Returns the number of bytes of the blocks of `a` that `b` also holds.
 *
 * @param a  any version
 * @param b  any version
 * @return   bytes
 * @cost  O(blocks of `a`)
 */
PQT_API size_t pqt_map_shared_bytes(const pqt_map *a, const pqt_map *b);

/**
 * Counts the exclusive (unshared) bytes of a version: the bytes of its blocks that no other given
 * version holds.
 *
 * @param map     any version
 * @param others  `count` versions, each not NULL; NULL if count is 0: then all bytes are counted
 * @param count   the number of other versions
 * @param bytes   written on success; 0 if `map` itself is among the others
 * @return        false on failure
 *
 * @error PQT_ERROR_MEMORY  out of scratch memory; with one other at most, none is needed
 * @cost    O(blocks of `map` that no other shares), times count; shared blocks are not entered
 * @thread  any number at once
 */
PQT_API bool pqt_map_exclusive_bytes(const pqt_map *map, const pqt_map *const *others, size_t count,
                                     size_t *bytes, pqt_error *error);
/** @} */

/** @name Merging */
/** @{ */

/** A key to which both sides gave different values. NULL: the key has no value there. */
typedef struct pqt_map_conflict {
    pqt_map_key key;             /**< the key */
    const pqt_map_value *base;   /**< the value that it had */
    const pqt_map_value *ours;   /**< the value of one side */
    const pqt_map_value *theirs; /**< the value of the other side */
} pqt_map_conflict;

/** The resolution of a key in conflict. */
typedef enum pqt_map_resolution {
    PQT_MAP_UNRESOLVED = 0,   /**< no decision: the merge fails, and its error names the key */
    PQT_MAP_KEEP_OURS = 1,    /**< the value that ours has */
    PQT_MAP_KEEP_THEIRS = 2,  /**< the value that theirs has */
    PQT_MAP_KEEP_NEITHER = 3, /**< the key is removed */
    PQT_MAP_KEEP_BASE = 4,    /**< the value that it had */
    PQT_MAP_KEEP_VALUE = 5    /**< the value written to `answer` */
} pqt_map_resolution;

/**
 * Decides a conflict.
 *
 * @param conflict  valid during the call
 * @param answer    the number 0; for PQT_MAP_KEEP_VALUE, set it to a value of the map's kind; its
 *                  bytes are copied right after the call
 * @param context   from the options
 */
typedef pqt_map_resolution pqt_map_resolve_fn(const pqt_map_conflict *conflict,
                                              pqt_map_value *answer, void *context);

/** Options of a merge. Start from PQT_MAP_MERGE_DEFAULTS. */
typedef struct pqt_map_merge_options {
    size_t size; /**< sizeof(pqt_map_merge_options), set by PQT_MAP_MERGE_DEFAULTS */
    /** called for each conflict, in key order; NULL: a conflict is an error */
    pqt_map_resolve_fn *resolve;
    void *context; /**< passed to `resolve` */
} pqt_map_merge_options;

/** Initial value of options: a conflict is an error. */
#define PQT_MAP_MERGE_DEFAULTS                                                                     \
    {                                                                                              \
        sizeof(pqt_map_merge_options), NULL, NULL                                                  \
    }

/**
 * Merges two versions that were made from a common base: the result has the changes of both.
 *
 * If one side did not change a key, the other side's value applies; if both gave it the same value,
 * that value applies. A key that both changed to different values is a conflict; removing it is a
 * change too.
 *
 * @param base     the version from which both were made
 * @param ours     one side
 * @param theirs   the other side
 * @param options  NULL means PQT_MAP_MERGE_DEFAULTS
 * @return         the merged version: `ours`, `theirs` or `base` itself, in this order, if it
 *                 equals one of them; NULL on failure
 *
 * @error PQT_ERROR_MISMATCH  kinds or memories differ; the text names the first that does
 * @error PQT_ERROR_CONFLICT  an undecided conflict; the text names the key
 * @error PQT_ERROR_CALLBACK  `resolve` returned something other than a pqt_map_resolution, or
 *                            answered with a value of the other kind; the text names the key
 * @error PQT_ERROR_OPTION    the size of the options is wrong
 * @error PQT_ERROR_MEMORY    out of memory
 *
 * @cost    O(changes that both sides made near each other x log n); subtrees that only one side
 *          changed are taken as they are; no scratch memory
 * @thread  any number at once
 */
PQT_API PQT_NODISCARD const pqt_map *pqt_map_merge(const pqt_map *base, const pqt_map *ours,
                                                   const pqt_map *theirs,
                                                   const pqt_map_merge_options *options,
                                                   pqt_error *error);
/** @} */

/** @name Holding a version where the collector does not scan */
/** @{ */

/**
 * Keeps a version alive until pqt_unpin, wherever the pin itself is.
 *
 * @param map  any version
 * @return     the pin; NULL on failure
 */
PQT_NODISCARD static inline pqt_pin *
pqt_map_pin(const pqt_map *map, pqt_error *error)
{
    return pqt_version_pin(map, error);
}

/**
 * Returns the version that a pin keeps.
 *
 * @param pin  from pqt_map_pin or pqt_head_pin, not NULL
 * @return     the version
 * @thread  any, attached or not
 */
static inline const pqt_map *
pqt_pin_get_map(const pqt_pin *pin)
{
    return (const pqt_map *)pqt_pin_get_version_of(pin, PQT_KIND_MAP);
}
/** @} */

PQT_END_DECLARATIONS

#endif
