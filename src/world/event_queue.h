/* SPDX-License-Identifier: MIT */
/* event_queue.h - the events that are foreseen in a step, the first one first. */
#ifndef PQTI_EVENT_QUEUE_H
#define PQTI_EVENT_QUEUE_H

#include "world/ball.h"

typedef enum pqti_event_kind {
    PQTI_CONTACT, /* of a and b */
    PQTI_WALL_LEFT,
    PQTI_WALL_RIGHT,
    PQTI_WALL_UPPER,
    PQTI_WALL_LOWER,
    PQTI_PIXEL,
    PQTI_HORIZON /* that of a comes to its end (broadphase.h): nothing happens to it */
} pqti_event_kind;

typedef struct pqti_event {
    double time;
    uint32_t a, b;             /* balls; the id of a is the lower; b is a where there is one only */
    uint32_t stamp_a, stamp_b; /* theirs when it was foreseen */
    pqti_event_kind kind;
} pqti_event;

/* A binary heap in scratch memory; by time, kind, lower id, higher id. */
typedef struct pqti_queue {
    pqti_event *events;
    size_t count, capacity;
} pqti_queue;

/* False: no memory. */
bool pqti_queue_add(pqti_queue *queue, const pqti_ball *balls, pqti_event event);

/* The first event, taken out; false: there is none. */
bool pqti_queue_take(pqti_queue *queue, const pqti_ball *balls, pqti_event *event);

#endif
