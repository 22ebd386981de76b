/* SPDX-License-Identifier: MIT */
/**
 * @file world.h - balls that move: each moment of a world is a version.
 *
 * A `const pqt_world *` is an immutable set of bodies, with a tree over their boxes. Each function
 * that changes something returns another version, which shares with the given one all that is the
 * same; if nothing changes, the very same pointer comes back. pqt_world_step (step.h) makes the
 * next moment.
 *
 * What a version is depends on its bodies, obstacle (obstacle.h), bounds and options alone:
 * versions with equal bodies and obstacles have equal fingerprints, whatever the order in which the
 * bodies came.
 *
 * NULL for a world together with an error that is told already passes the failure on; NULL with an
 * empty error is a mistake of the caller and stops the program with a sentence.
 */
#ifndef PQT_WORLD_H
#define PQT_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt/box.h>
#include <pqt/error.h>
#include <pqt/export.h>
#include <pqt/fingerprint.h>
#include <pqt/memory.h>
#include <pqt/query.h>
#include <pqt/tree.h>
#include <pqt/vec.h>

PQT_BEGIN_DECLARATIONS

/** A moment of a world. */
typedef struct pqt_world pqt_world;

/**
 * A ball. Its numbers are finite and no larger than 2^200 (about 1.6e60), either way, so that no
 * step overflows on the way; -0.0 counts as 0.0. Lengths below 2^-200 are too small for a step to
 * measure.
 */
typedef struct pqt_body {
    uint64_t id;          /**< yours; occurs once in a world */
    pqt_vec position;     /**< of the centre, world units */
    pqt_vec velocity;     /**< world units per second; 0 for a fixed body */
    pqt_vec acceleration; /**< world units per second, per second; 0 for a fixed body */
    double radius;        /**< world units, >= 0; two bodies of radius 0 never meet */
    double mass;          /**< > 0, at most 2^402; 0: pi radius^2, if that is not 0 either */
    bool fixed; /**< it is never moved, and others bounce off it; its mass does not count */
} pqt_body;

/** What a change of a batch does; see pqt_body_change. */
typedef enum pqt_body_change_kind {
    PQT_BODY_ADD = 1,    /**< adds `body`, as pqt_world_add */
    PQT_BODY_REMOVE = 2, /**< removes the body with the id `body.id`, as pqt_world_remove */
    PQT_BODY_CHANGE = 3 /**< puts `body` in the place of the one with its id, as pqt_world_change */
} pqt_body_change_kind;

/** One change of a batch; see pqt_world_apply. */
typedef struct pqt_body_change {
    pqt_body_change_kind kind;
    pqt_body body; /**< of one to be removed, only the id is read */
} pqt_body_change;

/** How a world is made; shared by all its versions. Start from PQT_WORLD_DEFAULTS. */
typedef struct pqt_world_options {
    size_t size;        /**< sizeof(pqt_world_options), set by PQT_WORLD_DEFAULTS */
    bool walls;         /**< the bounds are walls: no body is ever outside, not even in part */
    int leaf_capacity;  /**< of the tree: 1..PQT_MAX_CAPACITY */
    pqt_memory *memory; /**< NULL: the collector */
} pqt_world_options;

/** Initial value of options: walls, leaf capacity 24, the collector's memory. */
#define PQT_WORLD_DEFAULTS                                                                         \
    {                                                                                              \
        sizeof(pqt_world_options), true, 24, NULL                                                  \
    }

/** What a world comes to; see pqt_world_get_stats. Fixed bodies count in the first three numbers
    only. */
typedef struct pqt_world_stats {
    size_t bodies; /**< bodies held */
    size_t cells;  /**< cells of the tree that hold bodies: its leaves */
    size_t
        bytes; /**< bytes of the version: the tree, the bodies, the obstacle, and its own block */
    double energy;    /**< of motion: the sum of mass velocity^2 / 2 */
    pqt_vec momentum; /**< the sum of mass velocity */
    double
        momentum_scale; /**< the sum of mass |velocity|: what an error of momentum is measured by */
} pqt_world_stats;

/** A body and how far it is; see pqt_world_nearest. */
typedef struct pqt_near_body {
    pqt_body body;
    double distance; /**< from the point to the ball's rim, world units; 0 inside it */
} pqt_near_body;

/** Is handed one body; returns true to go on, false to stop. It is valid during the call. */
typedef bool pqt_visit_body_fn(const pqt_body *body, void *context);

/** @name Making */
/** @{ */

/**
 * Makes an empty world.
 *
 * @param bounds   world units, finite, min <= max, within 2^200 of 0; the walls, if there are any
 * @param options  NULL: the defaults
 * @param error    told why on failure; may be NULL; an error already in it is kept
 * @return         the empty version; NULL on failure
 *
 * @error PQT_ERROR_BOX          the bounds are NaN, infinite or inside out
 * @error PQT_ERROR_LIMIT        the bounds are beyond 2^200
 * @error PQT_ERROR_OPTION       an option is out of its range
 * @error PQT_ERROR_UNSUPPORTED  memory is NULL in a build without the collector
 * @error PQT_ERROR_THREAD       the first call of all came from a thread that is not main
 * @error PQT_ERROR_MEMORY       no memory
 * @since 0.1
 */
PQT_API PQT_NODISCARD const pqt_world *
pqt_world_make(pqt_box bounds, const pqt_world_options *options, pqt_error *error);

/**
 * Copies a version into another memory.
 *
 * @param memory  NULL: the collector
 * @return        an equal version; `world` itself if it lives in that memory; NULL on failure
 * @error PQT_ERROR_MEMORY, PQT_ERROR_UNSUPPORTED
 * @cost  O(n)
 * @since 0.1
 */
PQT_API PQT_NODISCARD const pqt_world *pqt_world_copy(const pqt_world *world, pqt_memory *memory,
                                                      pqt_error *error);
/** @} */

/** @name Changing: each returns a version */
/** @{ */

/**
 * Adds a body. It may overlap others: the steps part them.
 *
 * @param world  any version, from any thread; NULL passes an earlier failure on
 * @param body   see pqt_body
 * @param error  told why on failure; may be NULL; an error already in it is kept
 * @return       the new version; NULL on failure
 *
 * @error PQT_ERROR_BODY    a number is NaN, out of its range, or a fixed body moves; or the id is
 *                          in the world already
 * @error PQT_ERROR_BOUNDS  there are walls, and the body is not inside them
 * @error PQT_ERROR_LIMIT   the world holds PQT_MAX_ITEMS
 * @error PQT_ERROR_MEMORY  no memory; `world` still stands
 * @cost    O(log n) time and new blocks: the paths to the body, in the tree and in the map of ids
 * @thread  any number at once on one version
 * @since   0.1
 */
PQT_API PQT_NODISCARD const pqt_world *pqt_world_add(const pqt_world *world, pqt_body body,
                                                     pqt_error *error);

/**
 * Adds bodies, as pqt_world_add would one after another: all of them, or none on failure.
 *
 * @param bodies  `count` bodies; NULL if count is 0; not kept
 * @error as pqt_world_add, index telling which body; an id that occurs twice among them is one
 * @cost  see pqt_world_apply
 * @since 0.1
 */
PQT_API PQT_NODISCARD const pqt_world *
pqt_world_add_all(const pqt_world *world, const pqt_body *bodies, size_t count, pqt_error *error);

/**
 * Removes the body with an id.
 *
 * @return  the new version; `world` itself if there is none; NULL on failure
 * @error PQT_ERROR_MEMORY  no memory
 * @cost  as pqt_world_add; allocates nothing for an absent id
 * @since 0.1
 */
PQT_API PQT_NODISCARD const pqt_world *pqt_world_remove(const pqt_world *world, uint64_t id,
                                                        pqt_error *error);

/**
 * Puts a body in the place of the one with its id: moves it, pushes it, changes its size.
 *
 * @return  the new version; `world` itself if no body has the id, or it is the same; NULL on
 *          failure
 * @error as pqt_world_add, told even if no body has the id
 * @cost  as pqt_world_add; a body that keeps its radius and place shares the whole tree
 * @since 0.1
 */
PQT_API PQT_NODISCARD const pqt_world *pqt_world_change(const pqt_world *world, pqt_body body,
                                                        pqt_error *error);

/** Removes the bodies with these ids; those that are not there are passed over. As
    pqt_world_remove. @cost see pqt_world_apply @since 0.1 */
PQT_API PQT_NODISCARD const pqt_world *
pqt_world_remove_all(const pqt_world *world, const uint64_t *ids, size_t count, pqt_error *error);

/**
 * Changes bodies, as pqt_world_change would one after another: all of them, or none on failure.
 *
 * @param bodies  `count` bodies; NULL if count is 0; not kept. Those whose ids are not there are
 *                passed over
 * @error as pqt_world_change, index telling which body
 * @cost  see pqt_world_apply
 * @since 0.1
 */
PQT_API PQT_NODISCARD const pqt_world *pqt_world_change_all(const pqt_world *world,
                                                            const pqt_body *bodies, size_t count,
                                                            pqt_error *error);

/**
 * Applies changes: the result is that of doing them one by one in the given order, or NULL.
 *
 * @param changes  `count` changes; NULL if count is 0; not kept
 * @return         the new version; `world` itself if nothing changed; NULL on failure, with nothing
 *                 done
 * @error as the single functions, index telling the first change that cannot be done
 * @cost    O(count log count + count log n); no more new blocks than the paths to what changed have
 *          in all
 * @since   0.1
 */
PQT_API PQT_NODISCARD const pqt_world *pqt_world_apply(const pqt_world *world,
                                                       const pqt_body_change *changes, size_t count,
                                                       pqt_error *error);

/** The empty version of the same bounds, options and obstacle; `world` itself if it is empty.
    @cost O(1) @since 0.1 */
PQT_API PQT_NODISCARD const pqt_world *pqt_world_clear(const pqt_world *world, pqt_error *error);

/**
 * The version that holds just the bodies whose boxes a query finds.
 *
 * @param query  as for reading (query.h), about the boxes of bodies
 * @return       the new version; `world` itself if the query finds all; NULL on failure
 * @error PQT_ERROR_BOX     the window is NaN or inside out
 * @error PQT_ERROR_MEMORY  no memory
 * @cost  that of pqt_tree_search, and O(bodies found) more
 * @since 0.1
 */
PQT_API PQT_NODISCARD const pqt_world *pqt_world_search(const pqt_world *world,
                                                        const pqt_query *query, pqt_error *error);
/** @} */

/** @name Asking: these never fail and never allocate */
/** @{ */

/** How many bodies a version holds. @cost O(1) @since 0.1 */
PQT_API size_t pqt_world_count(const pqt_world *world);

/** The bounds that the world was made with, world units. @since 0.1 */
PQT_API pqt_box pqt_world_bounds(const pqt_world *world);

/** Returns the memory that a version lives in; never NULL. @since 0.1 */
PQT_API pqt_memory *pqt_world_memory(const pqt_world *world);

/**
 * Writes the options that the world was made with; their `memory` is never NULL.
 *
 * @param options  not NULL; its `size` is set by the caller, as PQT_WORLD_DEFAULTS does, and at
 *                 most that many bytes are written
 * @since 0.1
 */
PQT_API void pqt_world_get_options(const pqt_world *world, pqt_world_options *options);

/**
 * The tree over a version: an item for each body, of its id and its box (pqt_circle_box).
 *
 * All that can be asked of a tree can be asked of it: pairs, rays, cells, pictures. Its ids occur
 * once, but it was not made with unique_ids, since the world finds bodies by id itself.
 *
 * @return  lives as long as the world's version
 * @since 0.1
 */
PQT_API const pqt_tree *pqt_world_tree(const pqt_world *world);

/**
 * Finds the body with an id.
 *
 * @param found  NULL, or set to the body, its mass worked out
 * @return       whether there is one
 * @cost   O(log n)
 * @since  0.1
 */
PQT_API bool pqt_world_find(const pqt_world *world, uint64_t id, pqt_body *found);

/**
 * Visits the bodies whose boxes a query finds, in tree order.
 *
 * @return  true if the walk came to its end, false if `visit` stopped it
 * @cost    that of pqt_tree_visit, and O(log n) for each body found
 * @since   0.1
 */
PQT_API bool pqt_world_visit(const pqt_world *world, const pqt_query *query,
                             pqt_visit_body_fn *visit, void *context);

/**
 * Writes the bodies whose boxes a query finds into an array, in tree order; pqt_query_all() finds
 * all.
 *
 * @param bodies    room for `capacity` bodies; NULL if capacity is 0
 * @param capacity  how many are written at most
 * @return          how many were found in all: more than `capacity` if there was too little room
 * @cost    that of pqt_world_visit
 * @since   0.1
 */
PQT_API size_t pqt_world_collect(const pqt_world *world, const pqt_query *query, pqt_body *bodies,
                                 size_t capacity);

/**
 * Finds the balls that are nearest to a point, by their rims; of those equally far, the lower id
 * first.
 *
 * @param point  world units; one that is not finite finds nothing
 * @param found  set to the nearest bodies, nearest first; NULL if capacity is 0
 * @param capacity  how many bodies are searched for; 0 finds none
 * @return       how many were found: less than `capacity` only if there are no more
 * @cost   O((log n + capacity) log n) where bodies spread
 * @since  0.1
 */
PQT_API size_t pqt_world_nearest(const pqt_world *world, pqt_vec point, pqt_near_body *found,
                                 size_t capacity);

/** Whether two versions are the same value: equal bounds, options, bodies and obstacles. The
    memories may differ.
    @cost O(1) if they are one pointer or differ; else O(bodies and squares that they do not share)
          @since 0.1 */
PQT_API bool pqt_world_equals(const pqt_world *a, const pqt_world *b);

/** A sum over the bodies and the obstacle: equal where these are, whatever the bounds and options.
    @cost O(1) @since 0.1 */
PQT_API pqt_fingerprint pqt_world_fingerprint(const pqt_world *world);

/**
 * Finds the lowest id whose body differs between two versions, or is in one of them only.
 *
 * @param id  set to it; left alone if there is none; NULL is allowed
 * @return    whether there is one
 * @cost  O(bodies that they do not share)
 * @since 0.1
 */
PQT_API bool pqt_world_differs(const pqt_world *a, const pqt_world *b, uint64_t *id);

/**
 * Validates every invariant of a version.
 *
 * @param error  told the first invariant that is broken
 * @return       whether all hold
 * @error PQT_ERROR_CORRUPT  memory was overwritten, or the library has a bug
 * @cost  O(n log n)
 * @since 0.1
 */
PQT_API bool pqt_world_check(const pqt_world *world, pqt_error *error);

/** Counts what a version comes to. Sums run in an order that the ids determine. @cost O(n)
    @since 0.1 */
PQT_API pqt_world_stats pqt_world_get_stats(const pqt_world *world);

/** Bytes that two versions share; see pqt_tree_shared_bytes. @since 0.1 */
PQT_API size_t pqt_world_shared_bytes(const pqt_world *a, const pqt_world *b);
/** @} */

/** @name What a version costs beside others */
/** @{ */

/**
 * Counts the bytes of a world, its obstacle's included, that none of some others shares. As
 * pqt_tree_exclusive_bytes, but scratch memory is asked for with one other, too.
 *
 * @since 0.1
 */
PQT_API bool pqt_world_exclusive_bytes(const pqt_world *world, const pqt_world *const *others,
                                       size_t count, size_t *bytes, pqt_error *error);
/** @} */

/** @name Holding a version where the collector does not look */
/** @{ */

/**
 * Keeps a version alive until pqt_unpin, wherever the pin itself lies.
 *
 * @param world  NULL passes an earlier failure on
 * @return       the pin; NULL on failure
 * @error PQT_ERROR_MEMORY  no memory
 * @since 0.1
 */
PQT_API PQT_NODISCARD pqt_pin *pqt_world_pin(const pqt_world *world, pqt_error *error);

/** The version that a pin keeps. @param pin from pqt_world_pin, not NULL @thread any, attached or
    not @since 0.1 */
PQT_API const pqt_world *pqt_pin_get_world(const pqt_pin *pin);
/** @} */

PQT_END_DECLARATIONS

#endif
