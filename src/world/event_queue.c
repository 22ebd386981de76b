/* SPDX-License-Identifier: MIT */
/* event_queue.c: a binary heap of events. */
#include "config.h"

#include "world/event_queue.h"

#include "base/error_internal.h"
#include "memory/memory_internal.h"

enum { FIRST_CAPACITY = 256 };

/* Returns true if an event comes before another. Different events are never equal in this order, so
 * the shape of the heap does not affect the results. */
static bool
event_is_earlier(const pqti_event *event, const pqti_event *other, const pqti_ball *balls)
{
    if (event->time != other->time)
        return event->time < other->time;
    if (event->cause != other->cause)
        return event->cause < other->cause;
    if (event->a != other->a)
        return balls[event->a].id < balls[other->a].id;
    return balls[event->b].id < balls[other->b].id;
}

static bool
grow_queue(pqti_queue *queue)
{
    if (queue->count < queue->capacity)
        return true;
    size_t capacity = queue->capacity == 0 ? FIRST_CAPACITY : queue->capacity * 2;
    pqti_event *events = pqti_resize_scratch(queue->events, queue->count, capacity, sizeof *events);
    if (events == NULL)
        return false;
    queue->events = events;
    queue->capacity = capacity;
    return true;
}

bool
pqti_queue_add(pqti_queue *queue, const pqti_ball *balls, pqti_event event)
{
    PQT_INVARIANT(event.time >= 0, "an event has no valid time");
    PQT_INVARIANT(balls[event.a].id <= balls[event.b].id, "the balls of an event are not in order");
    if (!grow_queue(queue))
        return false;
    size_t at = queue->count++;
    for (; at > 0 && event_is_earlier(&event, &queue->events[(at - 1) / 2], balls);
         at = (at - 1) / 2)
        queue->events[at] = queue->events[(at - 1) / 2];
    queue->events[at] = event;
    return true;
}

bool
pqti_queue_pop(pqti_queue *queue, const pqti_ball *balls, pqti_event *event)
{
    if (queue->count == 0)
        return false;
    *event = queue->events[0];
    const pqti_event last = queue->events[--queue->count];
    size_t at = 0;
    for (size_t child = 1; child < queue->count; child = 2 * at + 1) {
        if (child + 1 < queue->count &&
            event_is_earlier(&queue->events[child + 1], &queue->events[child], balls))
            child++;
        if (!event_is_earlier(&queue->events[child], &last, balls))
            break;
        queue->events[at] = queue->events[child];
        at = child;
    }
    queue->events[at] = last;
    return true;
}
