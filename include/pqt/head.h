/* SPDX-License-Identifier: MIT */
/**
 * @file head.h - passes the newest version from writers to readers without a lock.
 *
 * A head is a shared variable that holds one version, of any kind, and the version's number.
 * Writers replace the version. Readers read it with a single load and never wait for a writer, even
 * if that writer is slow or was stopped during an update.
 *
 * A head keeps its newest version alive, as a pin does. The head and pointers to it may be in any
 * memory. Earlier versions live as long as something else refers to them.
 *
 * All versions of a head are in the memory of the first one. With the collector, a thread that
 * loads or publishes must be registered (memory.h). **An arena reclaims nothing:** published
 * versions stay until the arena is destroyed. Destroy the head before the arena.
 *
 *     pqt_head *head = pqt_head_make(tree, &error);       number 1
 *     ...                                                 a writer
 *     pqt_head_publish(head, next, &error);               number 2
 *     ...                                                 a reader
 *     pqt_scope_begin(memory, &error);                    necessary only in a heap
 *     const pqt_tree *now = pqt_head_load(head, NULL);    never changes
 *     ...                                                 reads it
 *     pqt_scope_end(memory);
 *
 * All versions of a head are of the kind of the first one. The functions take and return any kind,
 * as a `const void *`. A version says its kind, so a function that is called with a version of a
 * wrong kind stops the program.
 *
 * Every function stops the program with a message if the head is NULL or was destroyed, or if the
 * calling thread must be registered and is not.
 */
#ifndef PQT_HEAD_H
#define PQT_HEAD_H

#include <stdbool.h>
#include <stdint.h>

#include <pqt/error.h>
#include <pqt/export.h>
#include <pqt/kind.h>
#include <pqt/memory.h>

PQT_BEGIN_DECLARATIONS

/** A shared variable that holds the newest version. */
typedef struct pqt_head pqt_head;

/**
 * Makes the next version from the newest one; see pqt_head_update.
 *
 * It may be called several times, each time with a newer version, so it should have no side
 * effects.
 *
 * @param now      the newest version; valid as long as something refers to it
 * @param context  as given to pqt_head_update
 * @param error    empty; to be set on failure
 * @return         the next version; `now` itself to change nothing; NULL on failure
 */
typedef const void *pqt_head_update_fn(const void *now, void *context, pqt_error *error);

/** @name Heads of any kind */
/** @{ */

/**
 * Makes a head that holds a version with the number 1.
 *
 * @param first  a version of any kind
 * @return       the head, to be destroyed by pqt_head_destroy; NULL on failure
 *
 * @error PQT_ERROR_MEMORY  out of memory
 * @thread  with the collector: a registered one
 */
PQT_API PQT_NODISCARD pqt_head *pqt_head_make(const void *first, pqt_error *error);

/**
 * Returns the newest version.
 *
 * In a heap, it may only be called within a scope (heap.h), or it stops the program with a message.
 * The default memory of a build without the collector is a heap that needs no scope until
 * pqt_memory_reclaim is called for it.
 *
 * @param head    not NULL
 * @param number  NULL, or set to the number of the version
 * @return        the version, never NULL; it lives as long as the caller refers to it, and in a
 *                heap until the scope ends
 *
 * @cost    one acquire load; no lock, no allocation
 * @thread  any number at once; with the collector: registered ones. Other threads read a pin
 */
PQT_API const void *pqt_head_load(const pqt_head *head, uint64_t *number);

/**
 * Pins the newest version, so that memory from malloc may refer to it and any thread may read it.
 *
 * The collector never stops an unregistered thread that reads a pinned version.
 *
 * @param head    not NULL
 * @param number  NULL, or set to the number of the version on success
 * @return        the pin, for pqt_pin_get_tree or pqt_pin_get_version, and pqt_unpin; NULL on
 *                failure
 *
 * @error PQT_ERROR_MEMORY  out of memory
 * @thread  any number at once; with the collector: registered ones
 */
PQT_API PQT_NODISCARD pqt_pin *pqt_head_pin(const pqt_head *head, uint64_t *number,
                                            pqt_error *error);

/**
 * Replaces the newest version, for a head with a single writer.
 *
 * The number increases by one. Publishing the newest version again changes nothing. If another
 * thread published or updated at the same time, its version would be lost: where the function
 * detects this, it stops the program with a message.
 *
 * @param head  not NULL
 * @param next  a version of the head's kind
 * @return      false on failure, with nothing published
 *
 * @error PQT_ERROR_MEMORY    out of memory
 * @error PQT_ERROR_MISMATCH  the version is not in the memory of the first one
 * @cost    an allocation of 16 bytes in the memory of the version, and one atomic write
 * @thread  one at a time; with the collector: a registered one
 */
PQT_API bool pqt_head_publish(pqt_head *head, const void *next, pqt_error *error);

/**
 * Replaces the newest version by one that a function makes from it, for any number of writers.
 *
 * If another writer published first, the function is called again with the version of that writer.
 * So no update is lost, and no writer waits for another. If the function fails, nothing is
 * published.
 *
 * @param head     not NULL
 * @param update   makes the next version; see pqt_head_update_fn
 * @param context  passed to `update`
 * @param number   NULL, or set to the number of the returned version on success
 * @return         the version that was published, or the newest if `update` returned that; NULL on
 *                 failure, with nothing published
 *
 * @error PQT_ERROR_CALLBACK  `update` returned NULL and set no error; an error that it set is kept
 * @error PQT_ERROR_MEMORY    out of memory
 * @error PQT_ERROR_MISMATCH  the version is not in the memory of the first one
 * @cost    the calls of `update`: with w writers, at most w for each update on average
 * @thread  any number at once; with the collector: registered ones
 */
PQT_API const void *pqt_head_update(pqt_head *head, pqt_head_update_fn *update, void *context,
                                    uint64_t *number, pqt_error *error);

/**
 * Returns the number of the newest version: 1 for the first, and one more for each later one.
 *
 * A subsequent load returns a version with this number or a higher one.
 *
 * @param head  not NULL
 * @return      the number
 * @cost    one acquire load
 * @thread  any number at once, registered or not
 */
PQT_API uint64_t pqt_head_number(const pqt_head *head);

/**
 * Waits until the head has a version with a number greater than `after`.
 *
 * This is the only function of the library that reads a clock. It reads the monotonic clock, and
 * only if `seconds` is positive and below 1e9.
 *
 * @param head     not NULL
 * @param after    the number of the caller's version; 0 accepts any version
 * @param seconds  the longest time to wait, in seconds: 0 or less returns at once, 1e9 or more
 *                 (such as INFINITY) waits without a limit, NaN stops the program
 * @return         whether there is a newer version; a subsequent load returns it or a newer one
 *
 * @thread  any number at once, registered or not. Readers never wait for it; a writer spends the
 *          time to wake the waiting threads. pthread_cancel may cancel a waiting thread and leaves
 *          the head as if that thread had not waited
 */
PQT_API bool pqt_head_wait(pqt_head *head, uint64_t after, double seconds);

/**
 * Destroys a head and sets the pointer to NULL. Versions that were loaded or pinned stay valid.
 *
 * @param head  NULL and a pointer to NULL are allowed; if a thread waits for the head, the program
 *              stops
 * @thread  any, registered or not; no other thread may use the head
 */
PQT_API void pqt_head_destroy(pqt_head **head);
/** @} */

/** @name Loads with a type */
/** @{ */

/** A version of a tree; see tree.h. */
typedef struct pqt_tree pqt_tree;

/**
 * Does the same as pqt_head_load, for a head of trees.
 *
 * @param head    not NULL
 * @param number  NULL, or set to the number of the version
 * @return        the version, never NULL
 */
static inline const pqt_tree *
pqt_head_load_tree(const pqt_head *head, uint64_t *number)
{
    return (const pqt_tree *)pqt_head_load(head, number);
}

/** A version of a region; see region.h. */
typedef struct pqt_region pqt_region;

/**
 * Does the same as pqt_head_load, for a head of regions.
 *
 * @param head    not NULL
 * @param number  NULL, or set to the number of the version
 * @return        the version, never NULL
 */
static inline const pqt_region *
pqt_head_load_region(const pqt_head *head, uint64_t *number)
{
    return (const pqt_region *)pqt_head_load(head, number);
}

/** A version of a world; see world.h. */
typedef struct pqt_world pqt_world;

/**
 * Does the same as pqt_head_load, for a head of worlds.
 *
 * @param head    not NULL
 * @param number  NULL, or set to the number of the version
 * @return        the version, never NULL
 */
static inline const pqt_world *
pqt_head_load_world(const pqt_head *head, uint64_t *number)
{
    return (const pqt_world *)pqt_head_load(head, number);
}

/** A version of a map; see map.h. */
typedef struct pqt_map pqt_map;

/**
 * Does the same as pqt_head_load, for a head of maps.
 *
 * @param head    not NULL
 * @param number  NULL, or set to the number of the version
 * @return        the version, never NULL
 */
static inline const pqt_map *
pqt_head_load_map(const pqt_head *head, uint64_t *number)
{
    return (const pqt_map *)pqt_head_load(head, number);
}

/** A version of a document; see document.h. */
typedef struct pqt_document pqt_document;

/**
 * Does the same as pqt_head_load, for a head of documents.
 *
 * @param head    not NULL
 * @param number  NULL, or set to the number of the version
 * @return        the version, never NULL
 */
static inline const pqt_document *
pqt_head_load_document(const pqt_head *head, uint64_t *number)
{
    return (const pqt_document *)pqt_head_load(head, number);
}

/** @} */

PQT_END_DECLARATIONS

#endif
