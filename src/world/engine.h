/* SPDX-License-Identifier: MIT */
/* engine.h - the events of a step, one after another. */
#ifndef PQTI_ENGINE_H
#define PQTI_ENGINE_H

#include <pqt/step.h>

#include "world/broadphase.h"
#include "world/event_queue.h"

typedef struct pqti_engine {
    pqti_broad_phase broad_phase;
    pqti_queue queue;
    double restitution;
    double span;    /* of the step: dt */
    double window;  /* the span to be tried next */
    size_t windows; /* that were begun */
    size_t ends;    /* of leashes, in this window */
    pqt_step_report report;
    pqt_error *error;
} pqti_engine;

/* Whether a ball's place and velocity are so small that no product overflows. False:
   PQT_ERROR_LIMIT is told. */
bool pqti_ball_check(const pqti_ball *ball, pqt_error *error);

/* Flies all balls to the end of the step. False with an error told: no memory, or a ball that fails
   the check. */
bool pqti_engine_run(pqti_engine *engine);

void pqti_engine_free(pqti_engine *engine);

#endif
