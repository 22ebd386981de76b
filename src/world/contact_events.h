/* SPDX-License-Identifier: MIT */
/* contact_events.h: stores the contact events of a step, first in a log in scratch memory, then in
 * the block that a version holds. */
#ifndef PQTI_CONTACT_EVENTS_H
#define PQTI_CONTACT_EVENTS_H

#include <pqt/contact_event.h>

#include "world/ball.h"
#include "world/contact_solver.h"
#include "world/rest_state.h"

/* The events of a step, in scratch memory. Everything is zero initially. */
typedef struct pqti_event_log {
    bool is_wanted;  /* if false, nothing is added */
    bool has_failed; /* there was no memory for an event */
    pqt_contact_event *events;
    size_t count, capacity;
} pqti_event_log;

/* The block with the events of a version, of which there is at least one. */
typedef struct pqti_event_block {
    size_t count;
    uint64_t unused; /* keeps the events aligned to a granule */
    pqt_contact_event events[];
} pqti_event_block;

/* Adds an event. */
void pqti_events_add(pqti_event_log *log, const pqt_contact_event *event);

/* Adds a hit at the positions of the balls. `normal` points from `a` to the other ball and may have
 * any length. If `a` hits a wall or the obstacle, `b` equals `a`. */
void pqti_events_add_hit(pqti_event_log *log, const pqti_ball *a, const pqti_ball *b,
                         pqt_contact_side side, pqt_vec normal, double impulse, double time);

/* Adds the contacts of a solved cluster that push. The contacts are sorted by
 * pqti_contacts_sort. */
void pqti_events_add_cluster(pqti_event_log *log, const pqti_ball *balls,
                             const pqti_contact_array *contacts, double time);

/* Adds events for the lasting contacts that begin or end. They follow from the solved contacts that
 * rest now and from the states of the previous version. Contacts name balls by index. `wakes`
 * marks the bodies of `last.asleep` that are awake now; if none is, it may be NULL. */
void pqti_events_add_lasting(pqti_event_log *log, const pqti_ball *balls,
                             const pqti_contact_array *contacts, pqti_rest_states last,
                             const bool *wakes);

void pqti_events_free(pqti_event_log *log);

/* Sets *made to a block with these events, or to NULL if there are none. Returns false when out of
 * memory. */
bool pqti_events_make(pqt_memory *memory, const pqt_contact_event *events, size_t count,
                      const pqti_event_block **made);

/* Sets *copy to a copy of a block in `memory`. The block may be NULL. Returns false when out of
 * memory. */
bool pqti_events_copy(pqt_memory *memory, const pqti_event_block *block,
                      const pqti_event_block **copy);

/* Returns the size of a block in bytes. The block may be NULL. */
size_t pqti_events_bytes(const pqt_memory *memory, const pqti_event_block *block);

#endif
