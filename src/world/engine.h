/* SPDX-License-Identifier: MIT */
/* engine.h: the event loop of a step. */
#ifndef PQTI_ENGINE_H
#define PQTI_ENGINE_H

#include <pqt/step.h>

#include "world/broadphase.h"
#include "world/cluster.h"
#include "world/contact_events.h"
#include "world/event_queue.h"
#include "world/resting.h"
#include "world/sensors.h"

typedef struct pqti_engine {
    pqti_broad_phase broad_phase;
    pqti_queue queue;
    pqti_clusters clusters;
    pqti_resting resting;
    pqti_event_log events;
    pqti_path_log paths;
    pqti_rest_states last; /* the states of the previous version */
    const bool *wakes;     /* by index in last.asleep: the body is awake; NULL: none is */
    double restitution;
    double span;          /* the duration of the step, in seconds */
    uint64_t budget;      /* number of contacts that may still be resolved */
    uint64_t ball_budget; /* number of contacts after which a ball is delayed */
    double window;        /* the duration that is tried for the next window */
    size_t windows;       /* number of windows that have begun */
    size_t horizon_ends;  /* number of horizons that ended in this window */
    pqt_step_report report;
    pqt_error *error;
} pqti_engine;

/* Returns true if the numbers of a ball's motion are small enough that no product overflows.
 * Otherwise, returns false and sets PQT_ERROR_LIMIT. */
bool pqti_ball_check(const pqti_ball *ball, pqt_error *error);

/* Moves all balls to the end of the step. Returns false with an error set when out of memory or
 * a ball fails pqti_ball_check, or without one if bodies are lacking (broadphase.h). */
bool pqti_engine_run(pqti_engine *engine);

void pqti_engine_free(pqti_engine *engine);

#endif
