/* SPDX-License-Identifier: MIT */
/**
 * @file step.h - the next moment of a world.
 *
 * Within a step bodies fly straight until they meet: contacts happen one after another at their own
 * times, the first one first, and each changes what comes after it. There are no substeps, so
 * nothing passes through a ball or a wall at any speed. A contact is answered only by bodies that
 * approach, so nothing sticks.
 *
 * The result depends on the bodies, the options and dt alone, to the bit: not on the order in which
 * bodies came, on the compiler, or on where anything lies in memory. Contacts at equal times are
 * taken by kind (two bodies, then the left, right, upper, lower wall, then pixels), then by the
 * lower id, then by the higher one.
 */
#ifndef PQT_STEP_H
#define PQT_STEP_H

#include <stddef.h>
#include <stdint.h>

#include <pqt/error.h>
#include <pqt/export.h>
#include <pqt/vec.h>
#include <pqt/world.h>

PQT_BEGIN_DECLARATIONS

/** After so many contacts of one body in one step, those that follow are plastic: see
    pqt_world_step. */
#define PQT_STEP_CONTACTS 64

/** What happened in a step; energy and momentum are conserved in it while `inelastic` is 0. */
typedef struct pqt_step_report {
    uint64_t tests;         /**< times that two bodies were asked whether they will meet */
    uint64_t contacts;      /**< of two bodies, answered */
    uint64_t bounces;       /**< of a body and a wall, answered */
    uint64_t obstacle_hits; /**< of a body and the obstacle, answered */
    uint64_t overlaps;      /**< pairs that overlapped when the step began, by more than rounding */
    uint64_t separated;     /**< bodies that were moved for that */
    uint64_t inelastic;     /**< contacts made plastic: a body had had PQT_STEP_CONTACTS */
    uint64_t frozen;        /**< bodies that had twice as many, and stood still for the rest */
    uint64_t embedded;      /**< bodies that overlapped the obstacle when the step began */
    uint64_t squares;       /**< squares of the obstacle looked into, to foresee what bodies meet */
} pqt_step_report;

/** How a step is done. Start from PQT_STEP_DEFAULTS. */
typedef struct pqt_step_options {
    size_t size;        /**< sizeof(pqt_step_options), set by PQT_STEP_DEFAULTS */
    double restitution; /**< share of the approach that comes back, 0 (plastic) .. 1 (elastic) */
    pqt_vec gravity;    /**< world units per second squared, added to each acceleration */
    double damping;     /**< per second, >= 0: velocities are divided by 1 + damping dt */
    pqt_step_report *report; /**< NULL, or adds up what happened */
} pqt_step_options;

/** Initial value of options: elastic, no gravity, no damping, no report. */
#define PQT_STEP_DEFAULTS                                                                          \
    {                                                                                              \
        sizeof(pqt_step_options), 1, {0, 0}, 0, NULL                                               \
    }

/**
 * The world after a span of time.
 *
 * First velocities change: v = (v + (acceleration + gravity) dt) / (1 + damping dt). Then bodies
 * that overlap are moved apart: each by at most its radius, never into another body or a wall, and
 * none deeper into what it overlaps; bodies of one place part in directions that their ids give.
 * Where there is no room they stay, and the next steps go on. Then all fly straight for dt, contact
 * by contact.
 *
 * A body that has had PQT_STEP_CONTACTS contacts in the step is plastic for the rest of it: its
 * contacts give nothing back. After twice as many it stops, and stands still like a fixed body
 * until the step ends. So a step ends, whatever is squeezed between whatever.
 *
 * An obstacle (obstacle.h) sends bodies back as a wall does: from the side of a pixel straight,
 * from a corner as a fixed point would. Edges and corners between pixels of one flat side stop
 * nothing. Bodies that overlap it when the step begins come out first, by at most a radius a step
 * (or 1/1024, if that is more), along the shortest way along an axis that ends within the walls,
 * and into no other body; on that way it gets ever shorter, so none gets deeper. One that is still
 * inside stands still for the step, and keeps its velocity. Fixed bodies stay where they are.
 *
 * After a step no body that can move overlaps the obstacle, to the bit (pqt_world_is_obstructed),
 * unless it did before.
 *
 * What did not overlap does not overlap afterwards, but for rounding: by no more than 1e-9 of the
 * smaller radius or 8 units in the last place of the positions, whichever is more. No body is ever
 * outside walls, to the bit.
 *
 * @param world    any version; NULL passes an earlier failure on
 * @param dt       seconds, 0..2^200; 0 changes nothing
 * @param options  NULL: the defaults
 * @param error    told why on failure; may be NULL; an error already in it is kept
 * @return         the new version; `world` itself if nothing moves; NULL on failure
 *
 * @error PQT_ERROR_OPTION  dt or an option is NaN or out of its range
 * @error PQT_ERROR_LIMIT   a body would leave 2^200, or be faster; the text names it
 * @error PQT_ERROR_MEMORY  no memory; `world` still stands
 * @cost    O(n log n + contacts log n); what does not move is shared. With an obstacle, for each
 *          contact of a body whose way comes near it, O(squares near the way up to the first that
 *          is met)
 * @thread  any number at once on one version
 * @source  event-driven molecular dynamics: Alder, Wainwright 1959; its queue: Lubachevsky 1991
 * @since   0.1
 */
PQT_API PQT_NODISCARD const pqt_world *pqt_world_step(const pqt_world *world, double dt,
                                                      const pqt_step_options *options,
                                                      pqt_error *error);

PQT_END_DECLARATIONS

#endif
