/* SPDX-License-Identifier: MIT */
/**
 * @file head.h - the newest version, handed from writers to readers without a lock.
 *
 * A head holds one version of a tree or of a region (of worlds: head.h), and its number.
 * Writers put the next version in its place; readers take what is there by a single load, and never
 * wait for a writer: not for one that is slow, nor for one that was stopped in the middle of an
 * update.
 *
 * A head is a pin itself: it keeps its newest version alive, and may lie anywhere, as may pointers
 * to it. The versions before are kept by whoever holds them, or reclaimed.
 *
 * All versions of a head live in one memory, that of the first. On the collector, a thread that
 * loads or publishes must be known to it (memory.h). **In an arena nothing is reclaimed:** what was
 * published stays until the arena is destroyed, before which the head must be destroyed.
 *
 *     pqt_head *head = pqt_head_make(tree, &error);       number 1
 *     ...                                                 the writer
 *     pqt_head_publish(head, next, &error);               number 2
 *     ...                                                 a reader
 *     const pqt_tree *now = pqt_head_load(head, NULL);    stays as it is, whatever comes next
 *
 * In each call a head that is NULL or was destroyed, or that holds versions of the other kind, is a
 * mistake of the caller; so is a thread that the collector must know and does not. These stop the
 * program with a sentence.
 */
#ifndef PQT_HEAD_H
#define PQT_HEAD_H

#include <stdbool.h>
#include <stdint.h>

#include <pqt/error.h>
#include <pqt/export.h>
#include <pqt/memory.h>
#include <pqt/region.h>
#include <pqt/tree.h>
#include <pqt/world.h>

PQT_BEGIN_DECLARATIONS

/** Where the newest version is found. */
typedef struct pqt_head pqt_head;

/**
 * Makes the next version from the one that is there now; see pqt_head_update.
 *
 * It may be called several times, each time with a newer version: so it should do nothing but make
 * one from the other.
 *
 * @param now      the version that is there; valid during the call and for as long as it is held
 * @param context  as given to pqt_head_update
 * @param error    to be told why, if it fails
 * @return         the next version; `now` itself: nothing is to change; NULL: it failed
 */
typedef const pqt_tree *pqt_head_update_fn(const pqt_tree *now, void *context, pqt_error *error);

/** As pqt_head_update_fn, for a head of regions. */
typedef const pqt_region *pqt_head_update_region_fn(const pqt_region *now, void *context,
                                                    pqt_error *error);

/** @name Heads of trees */
/** @{ */

/**
 * Makes a head with a first version, whose number is 1.
 *
 * @param first  any version; NULL passes an earlier failure on
 * @param error  told why on failure; may be NULL; an error already in it is kept
 * @return       the head, to be destroyed by pqt_head_destroy; NULL on failure
 *
 * @error PQT_ERROR_MEMORY  no memory
 * @thread  on the collector: a known one
 * @since   0.1
 */
PQT_API PQT_NODISCARD pqt_head *pqt_head_make(const pqt_tree *first, pqt_error *error);

/**
 * The newest version.
 *
 * @param number  NULL, or set to the version's number
 * @return        the version, never NULL; it lives as long as the caller holds it
 *
 * @cost    one acquire load; no lock, no allocation
 * @thread  any number at once; on the collector: known ones. To read unattached, load as a pin
 * @since   0.1
 */
PQT_API const pqt_tree *pqt_head_load(const pqt_head *head, uint64_t *number);

/**
 * The newest version, pinned: so that it can be held in malloc'ed memory, and read unattached.
 *
 * A reader of a pinned version that is not attached is never stopped by the collector.
 *
 * @param number  NULL, or set to the version's number on success
 * @param error   told why on failure; may be NULL; an error already in it is kept
 * @return        the pin, for pqt_pin_get_tree and pqt_unpin; NULL on failure
 *
 * @error PQT_ERROR_MEMORY  no memory
 * @thread  any number at once; on the collector: known ones
 * @since   0.1
 */
PQT_API PQT_NODISCARD pqt_pin *pqt_head_pin(const pqt_head *head, uint64_t *number,
                                            pqt_error *error);

/**
 * Puts a version in the place of the newest: for a head that one thread alone writes.
 *
 * Its number is one higher. The version that is there already is not published again. That another
 * thread published or updated meanwhile is a mistake, which stops the program with a sentence where
 * it is seen: what that thread wrote would be lost.
 *
 * @param next   the version; NULL passes an earlier failure on, and without one is a mistake
 * @param error  told why on failure; may be NULL; an error already in it is kept
 * @return       false on failure, with nothing published
 *
 * @error PQT_ERROR_MEMORY    no memory
 * @error PQT_ERROR_MISMATCH  the version lives in another memory than the head's first
 * @cost    an allocation of 16 bytes in the version's memory, and one atomic write
 * @thread  one at a time; on the collector: a known one
 * @since   0.1
 */
PQT_API bool pqt_head_publish(pqt_head *head, const pqt_tree *next, pqt_error *error);

/**
 * Replaces the newest version by one that a function makes from it: for any number of writers.
 *
 * If another writer was faster, the function is called again, with what that one wrote: so no
 * update is lost, and no writer waits for another. A function that fails publishes nothing.
 *
 * @param update   makes the next version; see pqt_head_update_fn
 * @param context  handed to `update`
 * @param number   NULL, or set to the number of the version returned, on success
 * @param error    told why on failure; may be NULL; with an error already in it, nothing is done
 * @return         the version that was published, or the newest if `update` returned that; NULL on
 *                 failure, with nothing published
 *
 * @error PQT_ERROR_CALLBACK  `update` returned NULL and told no error; else its own error stays
 * @error PQT_ERROR_MEMORY    no memory
 * @error PQT_ERROR_MISMATCH  the version lives in another memory than the head's first
 * @cost    that of `update` times its calls; with w writers each update is made at most w times on
 *          average
 * @thread  any number at once; on the collector: known ones
 * @since   0.1
 */
PQT_API const pqt_tree *pqt_head_update(pqt_head *head, pqt_head_update_fn *update, void *context,
                                        uint64_t *number, pqt_error *error);
/** @} */

/** @name Heads of regions: as those of trees */
/** @{ */

/** As pqt_head_make. @since 0.1 */
PQT_API PQT_NODISCARD pqt_head *pqt_head_make_region(const pqt_region *first, pqt_error *error);

/** As pqt_head_load. @since 0.1 */
PQT_API const pqt_region *pqt_head_load_region(const pqt_head *head, uint64_t *number);

/** As pqt_head_pin; the pin is for pqt_pin_get_region. @since 0.1 */
PQT_API PQT_NODISCARD pqt_pin *pqt_head_pin_region(const pqt_head *head, uint64_t *number,
                                                   pqt_error *error);

/** As pqt_head_publish. @since 0.1 */
PQT_API bool pqt_head_publish_region(pqt_head *head, const pqt_region *next, pqt_error *error);

/** As pqt_head_update. @since 0.1 */
PQT_API const pqt_region *pqt_head_update_region(pqt_head *head, pqt_head_update_region_fn *update,
                                                 void *context, uint64_t *number, pqt_error *error);
/** @} */

/** @name Heads of any kind */
/** @{ */

/**
 * The number of the newest version: 1 for the first, one more for each that was published since.
 *
 * A load that follows gives a version of this number or a higher one.
 *
 * @cost    one acquire load
 * @thread  any, attached or not
 * @since   0.1
 */
PQT_API uint64_t pqt_head_number(const pqt_head *head);

/**
 * Waits until there is a version of a higher number than a given one.
 *
 * This is the only function of the library that reads the clock, the monotonic one, and does so
 * only if it waits for a time that is neither 0 nor infinite.
 *
 * @param after    the number of the version that the caller has; 0: any version will do
 * @param seconds  how long to wait at most: 0 or less looks and returns at once, INFINITY waits for
 *                 ever, NaN is a mistake
 * @return         whether there is a newer one; a load that follows gives it, or a newer one still
 *
 * @thread  any number at once, attached or not; never makes a reader wait, and a writer only for
 *          the time that it takes to wake the waiting
 *          A thread that waits may be cancelled by pthread_cancel; the head is left as if it had
 *          not waited
 * @since   0.1
 */
PQT_API bool pqt_head_wait(pqt_head *head, uint64_t after, double seconds);

/**
 * Destroys a head and sets the pointer to NULL. Versions that were loaded or pinned stay.
 *
 * @param head  NULL and a pointer to NULL are allowed; that a thread still waits is a mistake
 * @thread  no other thread may use the head any more; attached or not
 * @since   0.1
 */
PQT_API void pqt_head_destroy(pqt_head **head);
/** @} */

/** @name Worlds */
/** @{ */

/** As pqt_head_update_fn, for a head of worlds. */
typedef const pqt_world *pqt_head_update_world_fn(const pqt_world *now, void *context,
                                                  pqt_error *error);

/** As pqt_head_make. @since 0.1 */
PQT_API PQT_NODISCARD pqt_head *pqt_head_make_world(const pqt_world *first, pqt_error *error);

/** As pqt_head_load. @since 0.1 */
PQT_API const pqt_world *pqt_head_load_world(const pqt_head *head, uint64_t *number);

/** As pqt_head_pin; the pin is for pqt_pin_get_world. @since 0.1 */
PQT_API PQT_NODISCARD pqt_pin *pqt_head_pin_world(const pqt_head *head, uint64_t *number,
                                                  pqt_error *error);

/** As pqt_head_publish. @since 0.1 */
PQT_API bool pqt_head_publish_world(pqt_head *head, const pqt_world *next, pqt_error *error);

/** As pqt_head_update. @since 0.1 */
PQT_API const pqt_world *pqt_head_update_world(pqt_head *head, pqt_head_update_world_fn *update,
                                               void *context, uint64_t *number, pqt_error *error);
/** @} */

PQT_END_DECLARATIONS

#endif
