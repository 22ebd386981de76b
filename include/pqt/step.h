/* SPDX-License-Identifier: MIT */
/**
 * @file step.h - the step of a world, which computes all motion and all collisions during a span of
 * time.
 *
 * During a step, bodies fly straight until they collide. The step handles contacts one after
 * another in the order of their times, and each contact changes those after it. There are no
 * substeps, so nothing passes through a ball or a wall at any speed. Only bodies that approach each
 * other respond to a contact, so bodies do not stick. Below a restitution of 1, bodies that rest on
 * each other are solved together, so that piles settle.
 *
 * The result depends on the bodies, the options and dt only, bit for bit. It does not depend on the
 * order in which bodies were added, on the compiler, or on addresses. Contacts at equal times are
 * ordered by kind (two bodies, then the left, right, upper and lower wall, then pixels), then by
 * the lower id, then by the higher id.
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

/** Below a restitution of 1, a body with this many contacts in one step is in a crowd: see
    pqt_world_step. At 1, only contacts at one instant count. */
#define PQT_STEP_CONTACTS 64

/** A body with a rest speed that causes more clusters than this in one step is delayed: see
    pqt_world_step. */
#define PQT_STEP_CLUSTERS 16

/** The part of the default budget of a step (pqt_step_options.contact_budget) that does not depend
    on the world. Unit: contacts. */
#define PQT_STEP_BUDGET 131072

/** The part of the default budget for each body of the world. Unit: contacts. */
#define PQT_STEP_BUDGET_PER_BODY 256

/** The budget of one body in a step: after this number of contacts it is delayed. Unit:
    contacts. */
#define PQT_STEP_BODY_BUDGET 32768

/** If pqt_step_options.contact_budget divided by this is more than PQT_STEP_BODY_BUDGET, it is the
    budget of one body. */
#define PQT_STEP_BODY_SHARE 16

/** Counts of a step. While `resting`, `clusters`, `plastic` and `delayed` are 0, each contact was
    resolved singly and with the restitution. */
typedef struct pqt_step_report {
    uint64_t tests;         /**< tests of two bodies for a future contact */
    uint64_t contacts;      /**< contacts of two bodies that were resolved */
    uint64_t bounces;       /**< contacts of a body and a wall that were resolved */
    uint64_t obstacle_hits; /**< contacts of a body and the obstacle that were resolved */
    /** pairs that overlapped at the start of the step by more than rounding */
    uint64_t overlaps;
    uint64_t separated; /**< bodies that were moved because they overlapped */
    uint64_t clusters;  /**< clusters that were solved because a body had too many contacts */
    uint64_t passes;    /**< passes over the contacts of a cluster or island, in total */
    uint64_t resting;   /**< contacts that rested when the step began, and were solved together */
    uint64_t
        plastic; /**< contacts that were slow, or of bodies in crowds: they returned no speed */
    uint64_t delayed;  /**< bodies that kept their velocity but did not move on in the step */
    uint64_t embedded; /**< bodies that overlapped the obstacle at the start of the step */
    uint64_t squares;  /**< squares of the obstacle entered to predict contacts */
    uint64_t asleep;   /**< bodies that were asleep when the step ended */
    uint64_t woken;    /**< bodies that were asleep when the step began, but not when it ended */
    /** an upper bound on the energy, kinetic and potential, that the separation of overlaps added:
        impulses of resting contacts times the speeds at which they undo overlaps, and mass times
        acceleration times the distance, where positive, by which overlapping bodies were moved
        against it */
    double separation_energy;
} pqt_step_report;

/** Options of a step. Start from PQT_STEP_DEFAULTS. */
typedef struct pqt_step_options {
    size_t size;        /**< sizeof(pqt_step_options), set by PQT_STEP_DEFAULTS */
    double restitution; /**< speed of departure / speed of approach, 0 (plastic) .. 1 (elastic) */
    pqt_vec gravity;    /**< world units per second squared, added to each acceleration */
    double damping;     /**< per second, >= 0: velocities are divided by 1 + damping dt */
    pqt_step_report *report; /**< NULL, or increased by the counts of the step */
    /** contacts after which a step delays each body that has another one; 0: PQT_STEP_BUDGET plus
        PQT_STEP_BUDGET_PER_BODY for each body */
    uint64_t contact_budget;
    /** world units per second, 0..2^200: below a restitution of 1, approaches up to this speed, and
        up to what accelerations add, return no speed; see pqt_world_step */
    double rest_speed;
    /** quiet steps after which bodies that rest fall asleep; 0: never; see pqt_world_step */
    uint64_t sleep_steps;
    bool events; /**< list contact events in the version that is returned: contact_event.h */
    /** coefficient of friction, 0..2^200, of walls, the obstacle, and bodies whose own is 0. At 0,
        the default, these have no friction */
    double friction;
} pqt_step_options;

/** Initial value of options: elastic, no gravity, no damping, no report, no rest speed, sleep after
    60 steps, no friction. */
#define PQT_STEP_DEFAULTS                                                                          \
    {                                                                                              \
        sizeof(pqt_step_options), 1, {0, 0}, 0, NULL, 0, 0, 60, false, 0                           \
    }

/**
 * Computes the version of a world after a span of time.
 *
 * First, velocities change: v = (v + (acceleration + gravity) dt) / (1 + damping dt). Then the step
 * separates bodies that overlap. Two bodies that have a rest speed (see below) are separated only
 * if they overlap by more than 1/4 of the smaller radius. The step moves each body by at most its
 * radius, never into another body or a wall, and never deeper into what it overlaps. Bodies at
 * equal positions separate in directions that their ids determine. A body without room remains
 * where it is, and the next steps continue. Then all bodies fly straight for dt, contact by
 * contact.
 *
 * At a restitution of 1, each contact is resolved singly, as long as the budgets of the step and of
 * the body last. Only those contacts of a body that happen at one instant (within 2^-40 dt) are
 * limited to PQT_STEP_CONTACTS.
 *
 * Below 1, bodies rest on each other. The *rest speed* of two bodies is the option `rest_speed`
 * plus twice the speeds that their accelerations add in the step (half the option if one of them is
 * fixed or kinematic); for a body and a wall, it is the option plus four times the speed that the
 * body's acceleration adds. Contacts at which bodies approach no faster return no speed. When the
 * step begins, all contacts of bodies that touch and approach no faster (at a restitution of 0: at
 * any speed) are solved together: afterwards they approach no faster than 2^-24 of the rest speed
 * or 1/256 of the fastest approach that the first guess leaves, whichever is more, unless the
 * number of passes reaches its limit first. If more than 512 contacts depend on each other, these
 * fractions are 2^-12 and 1/32. The first guess is the impulses of the previous step, which the
 * world carries: they are part of its value, and a body that is edited loses its own. During the
 * step, two bodies that approach no faster than the rest speed may overlap by 1/16 of the smaller
 * radius, and beyond that by at most 1/128 of the larger radius more in each step. The next steps
 * undo the part of an overlap above 1/64 of the smaller radius, at up to 1/16 of the rest speed,
 * unless that would fling bodies out of a wedge. Walls and the obstacle are never overlapped.
 * Pixels may hold a body from eight directions at once: four in which a side holds it, and four in
 * which an exposed corner does.
 *
 * A body that reaches PQT_STEP_CONTACTS is in a *crowd*. Its *cluster* consists of the bodies that
 * it touches, directly or through others, at most 64. The contacts of all its bodies, including
 * those with walls and fixed bodies, are solved together: afterwards no two of them approach faster
 * than 2^-12 of the least rest speed of these contacts or 2^-30 of the fastest approach before,
 * whichever is more, unless the number of passes reaches 1000 first. From then on contacts of the
 * body are plastic: they return no speed. Each time it reaches the number again, its cluster is
 * solved again. A body may cause PQT_STEP_CLUSTERS clusters, but only one if it has no rest speed,
 * or if kinematic bodies crush it. After one more, it is *delayed*: it stays where it is until the
 * end of the step, keeps its velocity, and exchanges impulses with what hits it, which is delayed,
 * too. A body is also delayed after the contacts of its own budget (PQT_STEP_BODY_BUDGET, or
 * `contact_budget` / PQT_STEP_BODY_SHARE if that is more), and each body that has a contact after
 * the budget of the step is spent. So a step always ends, however bodies are squeezed, and a body
 * that flies to and fro without room is delayed before it spends the budget of the others. In the
 * next step it continues from where it stayed, with the velocity that it kept.
 *
 * Bodies that rest fall asleep. A body is *quiet* in a step if its speed at the end is at most 1/32
 * of its rest speed (half of the option plus twice the speed that its acceleration adds), it is no
 * farther from its start than it would get at that speed, and its surface turns no faster. The
 * bodies that push each other when a step begins are an *island*. When all bodies of an island have
 * been quiet for `sleep_steps` steps, and a wall, a fixed body or the obstacle pushes one of them,
 * they lose their velocity and spin, and sleep. Steps leave them as they are: if all bodies that
 * can move are asleep, a step returns `world` itself.
 *
 * An island wakes in the step in which another body hits one of its bodies, pushes it at rest, or
 * overlaps it by more than rest allows. That step is computed once more with the island awake;
 * after three such repetitions all bodies wake. The report counts the last computation only. An
 * edit of a body wakes its island, those that it touches, and those whose boxes its new box
 * touches. Changing the gravity or the obstacle wakes all bodies, and so do a restitution of 1 and
 * a `sleep_steps` of 0; changing the option `friction` wakes none. The set of sleeping bodies and
 * the quiet steps of the others are part of the value of a world.
 *
 * *Friction* acts along the surfaces of bodies that touch. A body is a disc with the moment of
 * inertia mass radius^2 / 2, and turns at its angular velocity, its *spin*. The slip of a contact
 * is the speed of one surface past the other. Friction is an impulse that never reverses the slip
 * and never exceeds the coefficient times the impulse along the normal. The coefficient of two
 * bodies is the square root of the product of their `friction`, where the option replaces a
 * `friction` of 0; walls and the obstacle have the option's coefficient. The friction of a contact
 * that is resolved singly acts at once. For contacts that are solved together, the impulses of
 * friction and those along the normals are solved in turn, at most four times; the world carries
 * both to the next step. If bodies jam and this adds energy, each of the two is solved once, or the
 * step leaves the friction out. A body that rolls has no slip and continues to roll. Damping
 * divides spins as it divides velocities. Without friction, contacts change no spin, and spins
 * change no path.
 *
 * Kinematic bodies move straight at their velocity for the whole step, except that a wall stops
 * them. They act as fixed bodies that move: bodies bounce off them, rest on them and are carried by
 * them, but a body that they push does not fall asleep while they move, or while they turn with
 * friction. If a kinematic body hits a body again after that body has moved by less than 1/16 of
 * the distance between their centres, the contact returns no speed: otherwise a body between it and
 * a wall would be accelerated without limit. A body that is caught there is finally delayed, and
 * the kinematic body passes through it; the next steps separate them.
 *
 * Kinematic bodies do not fling what they *crush*. Let the limit be 4 times the speed of the
 * fastest kinematic body, plus the greatest rest speed, or the speed that the fastest other body
 * had before, whichever is more. If contacts that are solved together would make a body faster than
 * this limit, they are solved as if kinematic bodies did not move. If that does not suffice, they
 * are solved without friction and without undoing overlaps, so that they add no energy. With
 * friction, the speed of a turning surface counts, too. Likewise, a kinematic body that hits a body
 * again after less than 1/16 of the distance, or overlaps what it hits, slows down its motion along
 * the surface to make it no faster than 4 times its own speed, or than it was if that is more.
 * Hits in flight have no such limit. Bodies that collide pass energy on, so one of many may exceed
 * the limit: in 432 random tests with 9 bodies whose radii differ by a factor of up to 2.5, none
 * became faster than 10 times the kinematic body.
 *
 * Sensors meet no body; contact_event.h lists what they find.
 *
 * Only walls, fixed and kinematic bodies, the obstacle, accelerations, damping, falling asleep and
 * rounding change the momentum. Rounding changes it by at most 2^-52 of the sum of mass |velocity|
 * for each contact. Contacts never add energy except by rounding, by the motion of kinematic
 * bodies, by the speed at which overlaps are undone (the report states this energy), and where a
 * solution ends because the number of passes reaches its limit. At a restitution of 1 the energy is
 * conserved while `plastic` and `clusters` are 0 and there is no friction. If masses in contact
 * differ by a factor of more than 2^80, rounding may add much energy, but the bound on overlaps
 * below holds, and nothing passes through walls or the obstacle. A delayed body continues to turn.
 * When the step ends, it loses the energy that accelerations would give to the motion that it did
 * not make, unless its velocity along the acceleration has less. So accelerations that cancel each
 * other over all bodies may change the momentum if a body is delayed. The angular momentum
 * changes as the momentum does, and where bodies that overlap are moved. Friction acts on both
 * bodies at one point, which divides the line between their centres in the ratio of their radii.
 *
 * An obstacle (obstacle.h) reflects bodies as a wall does: the side of a pixel acts as a wall, and
 * a corner as a fixed point. Edges and corners between the pixels of one flat side stop nothing.
 * Bodies that overlap the obstacle at the start (*embedded* bodies) are moved out first, by at most
 * a radius a step (or 1/1024, if that is more), along the shortest axis-parallel path that ends
 * within the walls, and never into another body. The remaining path gets shorter with each step, so
 * no body gets deeper. A body that is still inside does not move during the step and keeps its
 * velocity. Fixed bodies do not move.
 *
 * After a step, no body that can move overlaps the obstacle (pqt_world_is_obstructed), bit for bit,
 * unless it did before.
 *
 * Bodies that do not rest on each other and did not overlap do not overlap afterwards except for
 * rounding: by at most 1e-9 of the smaller radius or 2 u for each contact of the two bodies and 8 u
 * more, whichever is more. Only the first 64 contacts of a body count (2048 below a restitution of
 * 1), since later motions make up for the rounding of earlier ones. u is 2^-52 of the largest
 * coordinate, or of the path of the fastest body (its speed times dt) if that is longer. In 1,200
 * random tests with 13 million contacts, between masses that differ by factors of up to 2^180, no
 * overlap exceeded 2 u. No body is ever outside walls, bit for bit.
 *
 * Two bodies whose relative velocity has a square below 2^-900 do not approach each other.
 *
 * @param world    any version; NULL passes an earlier failure on
 * @param dt       seconds, 0..2^200; 0 changes nothing
 * @param options  NULL means PQT_STEP_DEFAULTS
 * @param error    set on failure; may be NULL; an earlier error in it is kept
 * @return         the new version; `world` itself if nothing moves; NULL on failure
 *
 * @error PQT_ERROR_OPTION  dt or an option is NaN or out of range
 * @error PQT_ERROR_LIMIT   a coordinate, a velocity, the angle or the angular velocity of a body
 *                          would exceed 2^200; the text names the body
 * @error PQT_ERROR_MEMORY  out of memory; `world` is unchanged
 * @cost    O(n log n + p + contacts log n), where p is the number of pairs of bodies that overlap
 *          or nearly touch when the step begins. Each takes up to 64 bytes during the call. If n
 *          bodies are at one place, p is n^2 / 2, and a fifth of that after ten steps. In tests
 *          with boxes that are filled to 8 % or to 8 millionths, a contact takes at most 40 tests
 *          of pairs, however long the step is and however much faster than others some bodies are.
 *          Bodies that move far in one step, and meet few others, may cost tests of all n^2 / 2
 *          pairs. Bodies that do not move are shared. With an obstacle, for each contact of a body
 *          whose path is near it, O(squares near the path up to the first hit). For c contacts that
 *          rest on each other, at most 64 + c passes of O(c); if c is more than 512, at most 16
 *          passes and one for each layer, the extent of the bodies along their accelerations in
 *          mean diameters; twice as many after a change of gravity or an edit, up to six times as
 *          many where overlaps are undone without room, and up to nine times as many where a
 *          kinematic body crushes others; with friction, four times as many and 25 more. A cluster
 *          takes at most 1000 passes over its contacts, twice as many where kinematic bodies crush
 *          it, and up to 12 times as many with friction. A step that wakes islands is computed up
 *          to five times
 * @thread  any number at once on one version
 * @source  event-driven molecular dynamics: Alder, Wainwright 1959; its queue: Lubachevsky 1991;
 *          contacts as a quadratic program: Baraff 1994; its solution: Dostal, Schoeberl 2005, with
 *          projected steps: Kruzik et al. 2020; impulses that are carried over: Catto 2005;
 *          normal impulses in turn with friction: Haslinger 1983
 * @since   0.1
 */
PQT_API PQT_NODISCARD const pqt_world *pqt_world_step(const pqt_world *world, double dt,
                                                      const pqt_step_options *options,
                                                      pqt_error *error);

PQT_END_DECLARATIONS

#endif
