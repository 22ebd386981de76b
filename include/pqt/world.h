/* SPDX-License-Identifier: MIT */
/**
 * @file world.h - worlds: persistent sets of moving balls. Each moment of a world is a version.
 *
 * A `const pqt_world *` is an immutable set of bodies, with a tree over their boxes. Each function
 * that changes something returns another version, which shares all equal parts with the given one.
 * If nothing changes, the function returns the given pointer. pqt_world_step (step.h) computes the
 * next moment.
 *
 * A version depends on its bodies, obstacle (obstacle.h), bounds and options, and on its *state of
 * rest*: which bodies are asleep or have been quiet, and the impulses of contacts (step.h).
 * Versions with equal bodies, obstacles and states of rest have equal fingerprints, in whatever
 * order the bodies were added.
 *
 * error.h has the rules for errors and for NULL versions.
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
#include <pqt/kind.h>
#include <pqt/memory.h>
#include <pqt/query.h>
#include <pqt/tree.h>
#include <pqt/vec.h>

PQT_BEGIN_DECLARATIONS

/** A version of a world. */
typedef struct pqt_world pqt_world;

/**
 * A ball. Its numbers are finite and at most 2^200 (about 1.6e60) in size, so that no step
 * overflows; -0.0 counts as 0.0. Lengths below 2^-200 are too small for a step to measure.
 */
typedef struct pqt_body {
    uint64_t id;          /**< any number; occurs once in a world */
    pqt_vec position;     /**< the position of the centre, world units */
    pqt_vec velocity;     /**< world units per second; 0 for a fixed body */
    pqt_vec acceleration; /**< world units per second squared; 0 if fixed or kinematic */
    double radius;        /**< world units, >= 0; two bodies of radius 0 never collide */
    double mass; /**< > 0, at most 2^402; 0 means pi radius^2, which must not be 0 either */
    bool fixed;  /**< it never moves, and others bounce off it; its mass is ignored */
    /** it moves at its velocity, which no contact, gravity or damping changes, and others bounce
        off it; its mass is ignored. It passes through the obstacle, and through fixed and other
        kinematic bodies; a wall stops it. It must not also be `fixed` */
    bool kinematic;
    /** it meets no other body, and others pass through it; steps report who enters and leaves it:
       contact_event.h. Walls and the obstacle stop it like any other body */
    bool sensor;
    bool own_friction; /**< `friction` applies even if it is 0, so that the surface has none */
    /** the coefficient of friction of its surface, >= 0; 0: the option `friction` of the step
        applies, unless `own_friction` is set. The coefficient of a contact is the square root of
        the product of both */
    float friction;
    /** a number for the program's own use, such as a kind or an index. It is part of the version:
        of its fingerprint, of equality and of its bytes. No step reads or changes it */
    uint64_t user_data;
    /** bits of the groups to which it belongs. Two bodies *meet* if the mask of each is 0 or has a
        bit of the other's category. Others pass through each other */
    uint32_t category;
    uint32_t mask; /**< bits of the categories that it meets; 0: it meets all */
    /** radians, from the x axis toward the y axis; steps do not normalise it to one turn */
    double angle;
    double angular_velocity; /**< radians per second; 0 for a fixed body */
} pqt_body;

/** The kind of a change; see pqt_body_change. */
typedef enum pqt_body_change_kind {
    PQT_BODY_ADD = 1,    /**< adds `body`, like pqt_world_add */
    PQT_BODY_REMOVE = 2, /**< removes the body with the id `body.id`, like pqt_world_remove */
    PQT_BODY_CHANGE = 3  /**< replaces the body with the id of `body`, like pqt_world_change */
} pqt_body_change_kind;

/** One change of a batch; see pqt_world_apply. */
typedef struct pqt_body_change {
    pqt_body_change_kind kind; /**< the kind of change */
    pqt_body body;             /**< the body; for PQT_BODY_REMOVE, only its id is read */
} pqt_body_change;

/** Options of a world, common to all its versions. Start from PQT_WORLD_DEFAULTS. */
typedef struct pqt_world_options {
    size_t size;        /**< sizeof(pqt_world_options), set by PQT_WORLD_DEFAULTS */
    bool walls;         /**< the bounds are walls: no part of a body is ever outside */
    int leaf_capacity;  /**< maximum items in a leaf of the tree, 1..PQT_MAX_CAPACITY */
    pqt_memory *memory; /**< NULL: the default memory */
} pqt_world_options;

/** Initial value of options: walls, leaf capacity 24, the default memory. */
#define PQT_WORLD_DEFAULTS                                                                         \
    {                                                                                              \
        sizeof(pqt_world_options), true, 24, NULL                                                  \
    }

/** Statistics of a version; see pqt_world_get_stats. Fixed and kinematic bodies count in the first
    three only. */
typedef struct pqt_world_stats {
    size_t bodies; /**< bodies */
    size_t cells;  /**< leaves of the tree */
    /** bytes of the version: the tree, the bodies, the obstacle, the state of rest, and its own
        block */
    size_t bytes;
    double energy;    /**< kinetic energy: the sum of mass (velocity^2 + spin^2 / 2) / 2, where
                           spin is angular velocity times radius */
    pqt_vec momentum; /**< the sum of mass velocity */
    /** the sum of mass |velocity|: the scale for errors of the momentum */
    double momentum_scale;
} pqt_world_stats;

/** A body and its distance; see pqt_world_nearest. */
typedef struct pqt_near_body {
    pqt_body body;   /**< the body */
    double distance; /**< the distance to the surface of the ball, world units; 0 inside it */
} pqt_near_body;

/**
 * Visits one body.
 *
 * @param body     valid during the call
 * @param context  as passed to the function that visits
 * @return         true to continue, false to stop
 */
typedef bool pqt_visit_body_fn(const pqt_body *body, void *context);

/** @name Construction */
/** @{ */

/**
 * Makes an empty world.
 *
 * @param bounds   world units, finite, min <= max, within 2^200 of 0; the walls, if there are any
 * @param options  NULL means PQT_WORLD_DEFAULTS
 * @return         the empty version; NULL on failure
 *
 * @error PQT_ERROR_BOX     the bounds are NaN, infinite or inverted
 * @error PQT_ERROR_LIMIT   the bounds are beyond 2^200
 * @error PQT_ERROR_OPTION  an option is out of range
 * @error PQT_ERROR_THREAD  the first call came from a thread that is not the main thread
 * @error PQT_ERROR_MEMORY  out of memory
 */
PQT_API PQT_NODISCARD const pqt_world *
pqt_world_make(pqt_box bounds, const pqt_world_options *options, pqt_error *error);

/**
 * Copies a version into another memory.
 *
 * To copy several versions and keep their shared parts shared, use pqt_world_copy_all.
 *
 * @param world   any version
 * @param memory  NULL: the default memory
 * @return        an equal version; `world` itself if it is in that memory; NULL on failure
 * @error PQT_ERROR_MEMORY, PQT_ERROR_THREAD  see pqt_world_make
 * @cost  O(n)
 */
PQT_API PQT_NODISCARD const pqt_world *pqt_world_copy(const pqt_world *world, pqt_memory *memory,
                                                      pqt_error *error);

/**
 * Copies versions into another memory. Blocks that they share are copied once and shared there:
 * after a step, all that did not change.
 *
 * @param worlds  `count` versions, each not NULL
 * @param count   the number of versions
 * @param memory  NULL: the default memory
 * @param copies  an array of `count` pointers; written on success only
 * @return        false on failure
 * @error as pqt_world_copy
 * @cost  O(distinct blocks)
 */
PQT_API PQT_NODISCARD bool pqt_world_copy_all(const pqt_world *const *worlds, size_t count,
                                              pqt_memory *memory, const pqt_world **copies,
                                              pqt_error *error);
/** @} */

/** @name Edits: each returns a version */
/** @{ */

/**
 * Adds a body. It may overlap others: the steps separate them.
 *
 * @param world  any version, from any thread
 * @param body   see pqt_body
 * @return       the new version; NULL on failure
 *
 * @error PQT_ERROR_BODY    a number is NaN or out of range; or a fixed body moves or turns, or a
 *                          kinematic one has an acceleration or is fixed; or the id is in the
 *                          world already
 * @error PQT_ERROR_BOUNDS  there are walls, and the body is not inside them
 * @error PQT_ERROR_LIMIT   the world has PQT_MAX_ITEMS
 * @error PQT_ERROR_MEMORY  out of memory; `world` is unchanged
 * @cost    O(log n) time and new blocks: the paths to the body, in the tree and in the body map;
 *          and O(contacts that last) if it wakes a body
 * @thread  any number at once on one version
 */
PQT_API PQT_NODISCARD const pqt_world *pqt_world_add(const pqt_world *world, pqt_body body,
                                                     pqt_error *error);

/**
 * Adds bodies as pqt_world_add would one after another: all of them, or none on failure.
 *
 * @param world   any version
 * @param bodies  `count` bodies; NULL if count is 0; not kept
 * @param count   the number of bodies
 * @return        the new version; `world` itself if count is 0; NULL on failure
 * @error see pqt_world_add; `index` is the body; an id that occurs twice among them is an error
 * @cost  see pqt_world_apply
 */
PQT_API PQT_NODISCARD const pqt_world *
pqt_world_add_all(const pqt_world *world, const pqt_body *bodies, size_t count, pqt_error *error);

/**
 * Removes the body with an id.
 *
 * @param world  any version
 * @param id     the id
 * @return       the new version; `world` itself if no body has the id; NULL on failure
 * @error PQT_ERROR_MEMORY  out of memory; `world` is unchanged
 * @cost  as pqt_world_add, and O(contacts that last); allocates nothing for an absent id
 */
PQT_API PQT_NODISCARD const pqt_world *pqt_world_remove(const pqt_world *world, uint64_t id,
                                                        pqt_error *error);

/**
 * Replaces the body that has the id of the given body: moves it, accelerates it, changes its size.
 *
 * @param world  any version
 * @param body   see pqt_body
 * @return       the new version; `world` itself if no body has the id, or it is equal; NULL on
 *               failure
 * @error PQT_ERROR_BODY, PQT_ERROR_BOUNDS, PQT_ERROR_MEMORY  see pqt_world_add, even if no body has
 *        the id
 * @cost  as pqt_world_add, and O(contacts that last); a body that keeps its radius and position
 *        shares the whole tree
 */
PQT_API PQT_NODISCARD const pqt_world *pqt_world_change(const pqt_world *world, pqt_body body,
                                                        pqt_error *error);

/**
 * Removes the bodies with given ids. Absent ids are ignored.
 *
 * @param world  any version
 * @param ids    `count` ids; NULL if count is 0; not kept
 * @param count  the number of ids
 * @return       the new version; `world` itself if nothing changed; NULL on failure
 * @error PQT_ERROR_MEMORY  out of memory; `world` is unchanged
 * @cost  see pqt_world_apply
 */
PQT_API PQT_NODISCARD const pqt_world *
pqt_world_remove_all(const pqt_world *world, const uint64_t *ids, size_t count, pqt_error *error);

/**
 * Changes bodies as pqt_world_change would one after another: all of them, or none on failure.
 *
 * @param world   any version
 * @param bodies  `count` bodies; NULL if count is 0; not kept; those with absent ids are ignored
 * @param count   the number of bodies
 * @return        the new version; `world` itself if nothing changed; NULL on failure
 * @error see pqt_world_change; `index` is the body
 * @cost  see pqt_world_apply
 */
PQT_API PQT_NODISCARD const pqt_world *pqt_world_change_all(const pqt_world *world,
                                                            const pqt_body *bodies, size_t count,
                                                            pqt_error *error);

/**
 * Applies a batch of changes. The result is the same as if they were applied one by one in the
 * given order, or NULL. But several changes of one body count as one for the state of rest: a body
 * that is added and removed, or changed and changed back, wakes nothing.
 *
 * @param world    any version
 * @param changes  `count` changes; NULL if count is 0; not kept
 * @param count    the number of changes
 * @return         the new version; `world` itself if nothing changed; NULL on failure, with nothing
 *                 applied
 * @error see the single functions; `index` is the first change that cannot be applied
 * @cost  O(count log count + count log n), and O(log count) for each contact that lasts and each
 *        quiet body; no more new blocks than the paths to the changed bodies and the state of rest
 *        have
 */
PQT_API PQT_NODISCARD const pqt_world *pqt_world_apply(const pqt_world *world,
                                                       const pqt_body_change *changes, size_t count,
                                                       pqt_error *error);

/**
 * Returns the empty version with the same bounds, options and obstacle.
 *
 * @param world  any version
 * @return       the empty version; `world` itself if it is empty; NULL on failure
 * @error PQT_ERROR_MEMORY  out of memory
 * @cost  O(1)
 */
PQT_API PQT_NODISCARD const pqt_world *pqt_world_clear(const pqt_world *world, pqt_error *error);

/**
 * Returns the version that contains exactly the bodies whose boxes a query finds.
 *
 * @param world  any version
 * @param query  applied to the boxes of bodies; like a query for reading (query.h), but a window
 *               that is NaN or inverted is an error
 * @return       the new version; `world` itself if the query finds all; NULL on failure
 * @error PQT_ERROR_BOX     the window contains NaN or is inverted
 * @error PQT_ERROR_MEMORY  out of memory
 * @cost  as pqt_tree_search, plus O(bodies found)
 */
PQT_API PQT_NODISCARD const pqt_world *pqt_world_search(const pqt_world *world,
                                                        const pqt_query *query, pqt_error *error);
/** @} */

/** @name Reading: these never fail and never allocate */
/** @{ */

/**
 * Returns the number of bodies of a version.
 *
 * @param world  any version
 * @return       the number of bodies
 * @cost  O(1)
 */
PQT_API size_t pqt_world_count(const pqt_world *world);

/**
 * Returns the bounds of a world.
 *
 * @param world  any version
 * @return       the bounds that it was made with, world units
 */
PQT_API pqt_box pqt_world_bounds(const pqt_world *world);

/**
 * Returns the memory of a version.
 *
 * @param world  any version
 * @return       the memory; never NULL
 */
PQT_API pqt_memory *pqt_world_memory(const pqt_world *world);

/**
 * Writes the options that the world was made with. Their `memory` is never NULL.
 *
 * @param world    any version
 * @param options  not NULL; the caller sets `size`, as PQT_WORLD_DEFAULTS does, and at most that
 *                 many bytes are written
 */
PQT_API void pqt_world_get_options(const pqt_world *world, pqt_world_options *options);

/**
 * Returns the tree of a version: an item for each body, with its id and its box (pqt_circle_box).
 *
 * All functions that read trees apply to it: pairs, rays, cells, pictures. Its ids occur once, but
 * it was not made with unique_ids, because the world has a map from ids to bodies.
 *
 * @param world  any version
 * @return       the tree; it lives as long as the version of the world
 */
PQT_API const pqt_tree *pqt_world_tree(const pqt_world *world);

/**
 * Finds the body with an id.
 *
 * @param world  any version
 * @param id     the id
 * @param found  NULL, or set to the body, its mass computed
 * @return       true if there is one
 * @cost  O(log n)
 */
PQT_API bool pqt_world_find(const pqt_world *world, uint64_t id, pqt_body *found);

/**
 * Returns true if a body is asleep: it rests, and steps leave it as it is until something touches
 * it. See pqt_world_step.
 *
 * @param world  any version
 * @param id     the id
 * @return       whether it is asleep; false if there is no such body
 * @cost  O(log n)
 */
PQT_API bool pqt_world_is_asleep(const pqt_world *world, uint64_t id);

/**
 * Visits the bodies whose boxes a query finds, in tree order.
 *
 * @param world    any version
 * @param query    applied to the boxes of bodies; NULL finds all
 * @param visit    called for each body; see error.h for visitors
 * @param context  passed to `visit`
 * @return         true if all were visited, false if `visit` stopped it
 * @cost  as pqt_tree_visit, and O(log n) for each body found
 */
PQT_API bool pqt_world_visit(const pqt_world *world, const pqt_query *query,
                             pqt_visit_body_fn *visit, void *context);

/**
 * Writes the bodies whose boxes a query finds into an array, in tree order.
 *
 * @param world     any version
 * @param query     applied to the boxes of bodies; NULL finds all
 * @param bodies    an array of `capacity` bodies; NULL if capacity is 0
 * @param capacity  the maximum number of bodies to write
 * @return          the number of bodies found in all; see error.h for results in an array
 * @cost  as pqt_world_visit
 */
PQT_API size_t pqt_world_collect(const pqt_world *world, const pqt_query *query, pqt_body *bodies,
                                 size_t capacity);

/**
 * Finds the balls whose surfaces are nearest to a point. At equal distances the lower id is first.
 *
 * @param world     any version
 * @param point     world units; a point that is not finite finds nothing
 * @param found     set to the nearest bodies, nearest first; NULL if capacity is 0
 * @param capacity  the maximum number of bodies to find; 0 finds none
 * @return          the number of bodies found: less than `capacity` only if there are no more
 * @cost  O((log n + capacity) log n) for bodies spread evenly
 */
PQT_API size_t pqt_world_nearest(const pqt_world *world, pqt_vec point, pqt_near_body *found,
                                 size_t capacity);

/**
 * Returns whether two versions are the same value: equal bounds, options, bodies, obstacles and
 * states of rest. The memories may differ.
 *
 * @param a  any version
 * @param b  any version
 * @return   true if they are
 * @cost  O(1) if they are one pointer or differ; otherwise O(bodies and squares that they do not
 *        share)
 */
PQT_API bool pqt_world_equals(const pqt_world *a, const pqt_world *b);

/**
 * Returns the fingerprint of a version: a sum over its bodies, its obstacle and its state of rest,
 * equal for equal versions, independent of the bounds and options.
 *
 * @param world  any version
 * @return       the fingerprint
 * @cost  O(1)
 */
PQT_API pqt_fingerprint pqt_world_fingerprint(const pqt_world *world);

/**
 * Finds the lowest id whose body or state of rest differs between two versions, or is in only one
 * of them.
 *
 * @param a   any version
 * @param b   any version
 * @param id  set to the id; not written if there is none; NULL is allowed
 * @return    true if there is one
 * @cost  O(bodies that they do not share)
 */
PQT_API bool pqt_world_differs(const pqt_world *a, const pqt_world *b, uint64_t *id);

/**
 * Checks every invariant of a version.
 *
 * @param world  any version, not NULL
 * @param error  set to the first broken invariant; may be NULL
 * @return       true if all hold
 * @error PQT_ERROR_CORRUPT  memory was overwritten, or the library has a bug
 * @cost  O(n log n)
 */
PQT_API bool pqt_world_check(const pqt_world *world, pqt_error *error);

/**
 * Returns the statistics of a version. The ids determine the order of the sums.
 *
 * @param world  any version
 * @return       the statistics
 * @cost  O(n)
 */
PQT_API pqt_world_stats pqt_world_get_stats(const pqt_world *world);

/**
 * Returns the number of bytes that two versions share. See pqt_tree_shared_bytes.
 *
 * @param a  any version
 * @param b  any version
 * @return   bytes
 */
PQT_API size_t pqt_world_shared_bytes(const pqt_world *a, const pqt_world *b);
/** @} */

/** @name The cost of a version compared with others */
/** @{ */

/**
 * Counts the bytes of a world, its obstacle's included, that no other given version shares. See
 * pqt_tree_exclusive_bytes. Unlike that function, this one needs scratch memory even if `count` is
 * 1.
 *
 * @param world   any version
 * @param others  `count` versions, each not NULL; NULL if count is 0
 * @param count   the number of other versions
 * @param bytes   written on success
 * @return        false on failure
 * @error PQT_ERROR_MEMORY  out of scratch memory
 */
PQT_API bool pqt_world_exclusive_bytes(const pqt_world *world, const pqt_world *const *others,
                                       size_t count, size_t *bytes, pqt_error *error);
/** @} */

/** @name Pins */
/** @{ */

/**
 * Keeps a version alive until pqt_unpin, wherever the pin itself is stored.
 *
 * @param world  any version
 * @return       the pin; NULL on failure
 */
PQT_NODISCARD static inline pqt_pin *
pqt_world_pin(const pqt_world *world, pqt_error *error)
{
    return pqt_version_pin(world, error);
}

/**
 * Returns the version that a pin keeps.
 *
 * @param pin  from pqt_world_pin, not NULL
 * @return     the version
 * @thread  any, attached or not
 */
static inline const pqt_world *
pqt_pin_get_world(const pqt_pin *pin)
{
    return (const pqt_world *)pqt_pin_get_version_of(pin, PQT_KIND_WORLD);
}
/** @} */

PQT_END_DECLARATIONS

#endif
