/* SPDX-License-Identifier: MIT */
/* event_queue.h: the predicted events of a step, in a priority queue. */
#ifndef PQTI_EVENT_QUEUE_H
#define PQTI_EVENT_QUEUE_H

#include "world/ball.h"

typedef enum pqti_event_cause {
    PQTI_CONTACT, /* a and b hit each other */
    PQTI_WALL_LEFT,
    PQTI_WALL_RIGHT,
    PQTI_WALL_UPPER,
    PQTI_WALL_LOWER,
    PQTI_PIXEL,
    PQTI_HORIZON /* the horizon of a ends (broadphase.h); its motion does not change */
} pqti_event_cause;

typedef struct pqti_event {
    double time;
    uint32_t a, b;             /* balls; a has the lower id; b equals a if the event has one ball */
    uint32_t stamp_a, stamp_b; /* stamps of the balls when the event was predicted */
    pqti_event_cause cause;
} pqti_event;

/* A binary heap in scratch memory. Its order is by time, cause, lower id and higher id. */
typedef struct pqti_queue {
    pqti_event *events;
    size_t count, capacity;
} pqti_queue;

/* Adds an event. Returns false when out of memory. */
bool pqti_queue_add(pqti_queue *queue, const pqti_ball *balls, pqti_event event);

/* Removes the first event. Returns false if the queue is empty. */
bool pqti_queue_pop(pqti_queue *queue, const pqti_ball *balls, pqti_event *event);

#endif
