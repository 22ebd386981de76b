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

/* The state of a step at its end. */
typedef struct pqti_step_end {
    pqti_ball *balls;
    size_t count;
    const pqti_contact_array *contacts; /* those that rested at the start; they name ranks */
    pqti_rest_states last;              /* the states of the previous version */
    double span;                        /* the duration of the step */
    pqt_vec gravity;
    uint64_t sleep_steps; /* a body may sleep after this many quiet steps; 0: no body sleeps */
    size_t asleep;        /* set to the number of bodies that are asleep now */
} pqti_step_end;

/* Sets *made to the states after a step. Balls that fall asleep lose their velocity. Returns false
 * if there is no memory. */
bool pqti_rest_after_step(pqt_memory *memory, pqti_step_end *end, pqti_rest_states *made);

#endif
