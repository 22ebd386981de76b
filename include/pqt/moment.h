/* SPDX-License-Identifier: MIT */
/**
 * @file moment.h - sweeps through a world as it was between two versions: lag compensation.
 *
 * A game server keeps the versions of the last steps. When a shot arrives, the player has aimed at
 * the world as it was a moment ago, somewhere between two versions. A *moment* names these versions
 * and the fraction of the time between them. At a moment, each body is between its positions in the
 * two versions:
 *
 *     position = before + fraction (after - before), and likewise the angle
 *
 * Each operation is rounded, so the result is bit-identical on every machine. Everything else is as
 * in `before` and, at a fraction of 1, as in `after`. A body that is only in `before` exists at
 * fractions below 1, and one that is only in `after` exists at 1. So the fractions 0 and 1 are the
 * versions themselves, bit for bit. A body that an edit moved is also between its two positions.
 *
 * A *shot* is a mover (a box, a circle or a convex) that moves in a straight line through the
 * moment, while its bodies do not move. The rules of sweep.h decide what it hits. A circle of
 * radius 0 is a ray.
 */
#ifndef PQT_MOMENT_H
#define PQT_MOMENT_H

#include <stdbool.h>
#include <stdint.h>

#include <pqt/error.h>
#include <pqt/export.h>
#include <pqt/query.h>
#include <pqt/sweep.h>
#include <pqt/world.h>

PQT_BEGIN_DECLARATIONS

/** A time between two versions of a world. */
typedef struct pqt_moment {
    const pqt_world *before; /**< not NULL */
    const pqt_world *after;  /**< not NULL; in any memory; it may be `before` */
    double fraction;         /**< the time between them: 0 is `before`, 1 is `after` */
} pqt_moment;

/** A mover and the bodies that it can hit. Start from pqt_shot_of. */
typedef struct pqt_shot {
    pqt_mover mover; /**< the shape and its motion, world units */
    /** the shot hits the bodies that a body with this category and this mask would meet; see
     * pqt_body. It passes through sensors */
    uint32_t category;
    uint32_t mask;             /**< see `category` */
    pqt_visit_body_fn *filter; /**< NULL: all; otherwise returns true for the bodies that count */
    void *context;             /**< passed to the filter */
    pqt_query_stats *stats;    /**< NULL, or the sweep adds to it; `boxes`: bodies compared */
    uint64_t reserved[4];      /**< must be 0; any other value stops the program */
} pqt_shot;

/** A body that a shot hits, and the sweep that hits it. */
typedef struct pqt_shot_hit {
    pqt_body body; /**< the body, at its position at the moment */
    /** the sweep of the mover against it: the status is PQT_SWEEP_HITS, or PQT_SWEEP_OVERLAPS if
        they overlap at the start; `time` is a fraction of the mover's path */
    pqt_sweep sweep;
} pqt_shot_hit;

/**
 * Visits one hit.
 *
 * @param hit      valid during the call
 * @param context  as passed to pqt_moment_visit_hits
 * @return         true to continue, false to stop
 */
typedef bool pqt_visit_shot_hit_fn(const pqt_shot_hit *hit, void *context);

/**
 * Returns a shot without a filter or statistics, which can hit all bodies whose mask is 0.
 *
 * @param mover  see pqt_mover_box and pqt_mover_circle
 * @return       the shot
 */
PQT_API pqt_shot pqt_shot_of(pqt_mover mover);

/**
 * Finds a body at a moment.
 *
 * @param moment  not NULL
 * @param id      any id
 * @param body    set to the body, at its position at the moment; unchanged if there is none
 * @return        true if the body is there; false if not, with PQT_OK in the error, or on failure
 *
 * @error PQT_ERROR_OPTION  the fraction is NaN or not in 0 .. 1
 * @cost    O(log n)
 * @thread  any number at once
 */
PQT_API bool pqt_moment_find(const pqt_moment *moment, uint64_t id, pqt_body *body,
                             pqt_error *error);

/**
 * Finds the first body that a shot hits: if it hits several at the same time, the one with the
 * lowest id.
 *
 *     pqt_moment seen = {versions[k], versions[k + 1], 0.4};
 *     pqt_shot shot = pqt_shot_of(pqt_mover_circle(0, eye, target));
 *     pqt_shot_hit hit;
 *     if (pqt_moment_sweep(&seen, &shot, &hit, &error))
 *         ...
 *
 * @param moment  not NULL
 * @param shot    not NULL
 * @param hit     set to the hit; unchanged if there is none
 * @return        true if it hits; false if not, with PQT_OK in the error, or on failure
 *
 * @error PQT_ERROR_OPTION  the fraction is NaN or not in 0 .. 1
 * @error PQT_ERROR_BOX     the mover is not valid
 * @cost    O(log n + bodies near the path); strictly between two versions also O(bodies that
 *          differ). A sleeping or fixed body costs nothing unless it is near. Allocates no memory
 * @thread  any number at once
 */
PQT_API bool pqt_moment_sweep(const pqt_moment *moment, const pqt_shot *shot, pqt_shot_hit *hit,
                              pqt_error *error);

/**
 * Visits all bodies that a shot would hit if nothing stopped it, ordered by time, then by id.
 *
 * @param moment   not NULL
 * @param shot     not NULL
 * @param visit    not NULL
 * @param context  passed to `visit`
 * @return         true if every hit was visited; false on failure, and with PQT_OK in the error if
 *                 `visit` stopped it
 *
 * @error PQT_ERROR_OPTION, PQT_ERROR_BOX  as pqt_moment_sweep
 * @error PQT_ERROR_MEMORY                 out of scratch memory
 * @cost    as pqt_moment_sweep, and O(h log h) for h hits
 * @thread  any number at once
 */
PQT_API bool pqt_moment_visit_hits(const pqt_moment *moment, const pqt_shot *shot,
                                   pqt_visit_shot_hit_fn *visit, void *context, pqt_error *error);

PQT_END_DECLARATIONS

#endif
