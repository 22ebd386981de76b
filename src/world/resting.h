/* SPDX-License-Identifier: MIT */
/*
 * resting.h: finds and solves the contacts that rest when a step begins.
 *
 * Two balls *rest* on each other if they are close and approach no faster than the rest speed, the
 * sum of their `rest_speed`. Such contacts are solved before the motion begins, starting from the
 * impulses of the previous step. During the step, balls that approach no faster than the rest speed
 * may overlap a little (pqti_rest_overlap), so that a pile does not cause events forever. The next
 * steps separate them.
 */
#ifndef PQTI_RESTING_H
#define PQTI_RESTING_H

#include <pqt/error.h>

#include "world/broadphase.h"
#include "world/contact_events.h"
#include "world/contact_friction.h"

/* Scratch memory and statistics of resting contacts. Everything is zero initially. */
typedef struct pqti_resting {
    pqti_contact_array contacts;
    pqti_solver_scratch scratch;
    uint32_t *parents;              /* by ball: the union-find forest of islands */
    size_t hint_awake, hint_asleep; /* hints for the searches for previous impulses */
    uint64_t passes;                /* see pqti_contacts_solve */
    double separation_energy;       /* see pqt_step_report */
} pqti_resting;

/* The properties of a step on which resting contacts depend. */
typedef struct pqti_resting_step {
    double span, restitution;
    pqti_rest_states last; /* the states of the previous version */
    const bool *wakes;     /* by index in last.asleep: the body is awake; NULL: none is */
    pqti_event_log *events;
} pqti_resting_step;

/* Finds and solves the contacts that rest, and updates the broad phase for balls whose velocities
 * change. Afterwards, the contacts name balls by rank. Returns false with an error set when out of
 * memory, or without one if bodies are lacking (broadphase.h). */
bool pqti_resting_solve(pqti_resting *resting, pqti_broad_phase *broad_phase,
                        const pqti_resting_step *step, pqt_error *error);

void pqti_resting_free(pqti_resting *resting);

#endif
