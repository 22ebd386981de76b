/* SPDX-License-Identifier: MIT */
/*
 * sleepers.h: finds the bodies that fall asleep when a step ends.
 *
 * An *island* is a set of bodies that lasting contacts connect. They all fall asleep together.
 */
#ifndef PQTI_SLEEPERS_H
#define PQTI_SLEEPERS_H

#include "world/ball.h"
#include "world/contact_solver.h"
#include "world/rest_state.h"

/* The state of a step at its end. */
typedef struct pqti_step_end {
    pqti_ball *balls; /* all balls that are awake, and perhaps others */
    size_t count;
    const pqti_contact_array *contacts; /* the contacts that rested at the start; they name ranks */
    pqti_rest_states last;              /* the states of the previous version */
    const bool *wakes;                  /* by index in last.asleep: the body woke; NULL: none did */
    double span;                        /* the duration of the step, in seconds */
    pqt_vec gravity;
    uint64_t sleep_steps; /* a body may sleep after this many quiet steps; 0: no body sleeps */
    size_t asleep;        /* result: the number of bodies that are asleep after the step */
} pqti_step_end;

/* Sets *made to the states after a step. Sets the velocity of balls that fall asleep to 0. Returns
 * false when out of memory. */
bool pqti_rest_after_step(pqt_memory *memory, pqti_step_end *end, pqti_rest_states *made);

#endif
