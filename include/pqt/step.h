/* SPDX-License-Identifier: MIT */
/**
 * @file step.h - the step of a world, which computes all motion and all collisions during a span of
 * time.
 *
 * A step handles contacts in flight one after another in the order of their times, and each contact
 * changes those after it. There are no substeps. Contacts at rest, and those of crowds, are solved
 * together. Only bodies that approach each other respond to a contact, so bodies do not stick.
 *
 * The result depends on the value of the world, the options and dt only, bit for bit. It does not
 * depend on the order in which bodies were added, on the compiler, or on addresses. Contacts at
 * equal times are ordered by kind (two bodies, then the left, right, upper and lower wall, then
 * pixels), then by the lower id, then by the higher id.
 *
 * docs/world.md describes a step stage by stage: how bodies rest, sleep, have friction, are crushed
 * and are delayed, with the cost of each stage and the reason for each constant.
 */
#ifndef PQT_STEP_H
#define PQT_STEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt/error.h>
#include <pqt/export.h>
#include <pqt/vec.h>
#include <pqt/world.h>

PQT_BEGIN_DECLARATIONS

/** A body with this number of contacts in one step is in a crowd, which is solved together. At a
    restitution of 1, only contacts at one instant count. See docs/world.md, "Crowds". */
#define PQT_STEP_CONTACTS 64

/** A body with a rest speed that causes more crowds than this to be solved in one step is delayed.
    See docs/world.md, "Crowds". */
#define PQT_STEP_CLUSTERS 16

/** The part of the default budget of a step (pqt_step_options.contact_budget) that does not depend
    on the world. Unit: contacts. See docs/world.md, "Budgets and delays". */
#define PQT_STEP_BUDGET 131072

/** The part of the default budget for each body of the world. Unit: contacts. See docs/world.md,
    "Budgets and delays". */
#define PQT_STEP_BUDGET_PER_BODY 256

/** The budget of one body in a step: with more contacts than this it is delayed. Unit: contacts.
    See docs/world.md, "Budgets and delays". */
#define PQT_STEP_BODY_BUDGET 32768

/** The budget of one body is pqt_step_options.contact_budget divided by this, if that is more than
    PQT_STEP_BODY_BUDGET. See docs/world.md, "Budgets and delays". */
#define PQT_STEP_BODY_SHARE 16

/**
 * Counts of a step, which are added to what the report holds. While `resting`, `clusters`,
 * `plastic` and `delayed` are 0, each contact was resolved singly and with the restitution.
 */
typedef struct pqt_step_report {
    uint64_t tests;         /**< tests of two bodies for a future contact */
    uint64_t contacts;      /**< contacts of two bodies that were resolved */
    uint64_t bounces;       /**< contacts of a body and a wall that were resolved */
    uint64_t obstacle_hits; /**< contacts of a body and the obstacle that were resolved */
    /** pairs that overlapped at the start of the step by more than rounding or, if they can rest on
        each other, by more than 1/4 of the smaller radius */
    uint64_t overlaps;
    uint64_t separated; /**< bodies that were moved because they overlapped */
    uint64_t clusters;  /**< crowds that were solved together; docs/world.md, "Crowds" */
    uint64_t passes;    /**< passes over contacts that were solved together, in total */
    uint64_t resting;   /**< contacts that rested when the step began, and were solved together */
    /** contacts that returned no speed: slow ones, those of bodies in crowds, and those of bodies
        that a kinematic body squeezes */
    uint64_t plastic;
    uint64_t delayed;  /**< bodies that kept their velocity but did not move on in the step */
    uint64_t embedded; /**< bodies that overlapped the obstacle at the start of the step */
    uint64_t squares;  /**< squares of the obstacle entered to predict contacts */
    uint64_t asleep;   /**< bodies that were asleep when the step ended */
    uint64_t woken;    /**< bodies that were asleep when the step began, but not when it ended */
    /** bodies that the step loaded: those that are awake and those near them, or all. A body counts
        once for each time that the step is computed. See docs/world.md, "Loading" */
    uint64_t visited;
    /** an upper bound on the energy, kinetic and potential, that moving bodies apart added;
        docs/world.md, "Conservation" */
    double separation_energy;
} pqt_step_report;

/** Options of a step. Start from PQT_STEP_DEFAULTS. */
typedef struct pqt_step_options {
    size_t size;        /**< sizeof(pqt_step_options), set by PQT_STEP_DEFAULTS */
    double restitution; /**< speed of departure / speed of approach, 0 (plastic) .. 1 (elastic) */
    /** world units per second squared, at most 2^200 in size, added to each acceleration */
    pqt_vec gravity;
    double damping;          /**< per second, 0..2^200: velocities are divided by 1 + damping dt */
    pqt_step_report *report; /**< NULL, or increased by the counts of the step */
    /** contacts after which a step delays each body that has another one; 0: PQT_STEP_BUDGET plus
        PQT_STEP_BUDGET_PER_BODY for each body */
    uint64_t contact_budget;
    /** world units per second, 0..2^200. Below a restitution of 1, bodies rest on each other if
        they approach no faster than this plus what accelerations add; docs/world.md, "Rest" */
    double rest_speed;
    /** quiet steps after which bodies that rest fall asleep; 0: never; docs/world.md, "Sleep" */
    uint64_t sleep_steps;
    bool events; /**< list contact events in the version that is returned: contact_event.h */
    /** coefficient of friction, 0..2^200, of walls, the obstacle, and bodies without a coefficient
        of their own. At 0, the default, these have no friction; docs/world.md, "Friction" */
    double friction;
} pqt_step_options;

/** Initial value of options: elastic, no gravity, no damping, no report, the default budget, no
    rest speed, sleep after 60 steps, no events, no friction. */
#define PQT_STEP_DEFAULTS                                                                          \
    {                                                                                              \
        sizeof(pqt_step_options), 1, {0, 0}, 0, NULL, 0, 0, 60, false, 0                           \
    }

/**
 * Computes the world after a span of time. docs/world.md describes each rule and limit in full.
 *
 * Velocities change first. Bodies that overlap are then moved apart, by at most a radius per step.
 * Finally, all bodies fly straight from contact to contact, so that none passes through a ball, a
 * wall or the obstacle at any speed. Below a restitution of 1, slow contacts return no speed, so
 * piles settle and fall asleep. Bodies in them overlap: by up to about 1/16 of the smaller radius
 * while they settle, and by about 1/64 in the end. The result has the same bits on every machine,
 * whatever the order in which bodies were added.
 *
 * Contacts between movable bodies conserve momentum; at a restitution of 1 without friction, also
 * energy. They add energy only where overlaps are undone or kinematic bodies push.
 *
 * Kinematic bodies pass through the obstacle, each other and fixed bodies. A step always ends. A
 * body with too many contacts is solved together with those that it touches. If that does not
 * suffice, it does not move until the step ends, and a kinematic body passes through it. The report
 * counts such exceptions.
 *
 * @param world    any version
 * @param dt       seconds, 0..2^200; 0 changes nothing
 * @param options  NULL means PQT_STEP_DEFAULTS
 * @return         the new version; `world` itself if nothing in it changes, unless it lists events
 *                 (contact_event.h), which the new version then lacks; NULL on failure
 *
 * @error PQT_ERROR_OPTION  dt or an option is NaN or out of range
 * @error PQT_ERROR_LIMIT   a number of a body would exceed 2^200; the text names the body
 * @error PQT_ERROR_MEMORY  out of memory; `world` is unchanged
 * @cost    O(n log n + contacts log n), and 64 bytes for each pair that overlaps or nearly touches.
 *          If few of N bodies are awake, n is the number of these and of the bodies near them, and
 *          each takes O(log N) more
 * @thread  any number at once on one version
 */
PQT_API PQT_NODISCARD const pqt_world *pqt_world_step(const pqt_world *world, double dt,
                                                      const pqt_step_options *options,
                                                      pqt_error *error);

PQT_END_DECLARATIONS

#endif
