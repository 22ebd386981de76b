/* SPDX-License-Identifier: MIT */
/*
 * sleepers.h: finds the bodies that fall asleep when a step ends.
 *
 * An *island* is connected by contacts that last. All its bodies fall asleep together.
 */
#ifndef PQTI_SLEEPERS_H
#define PQTI_SLEEPERS_H

#include "world/ball.h"
#include "world/contact_solver.h"
#include "world/rest_state.h"

/* The end of a step. */
typedef struct pqti_step_end {
    pqti_ball *balls;
    size_t count;
    const pqti_contact_array *contacts; /* that rested when the step began; they name ranks */
    pqti_rest_states last;              /* of the previous version */
    double span;                        /* of the step */
    pqt_vec gravity;
    uint64_t sleep_steps; /* quiet steps after which a body may sleep; 0: no body sleeps */
    size_t asleep;        /* set: number of bodies that are asleep now */
} pqti_step_end;

/* Sets *made to the states after a step. Balls that fall asleep lose their velocity. Returns false
 * if there is no memory. */
bool pqti_rest_after_step(pqt_memory *memory, pqti_step_end *end, pqti_rest_states *made);

#endif
