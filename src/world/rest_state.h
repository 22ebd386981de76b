/* SPDX-License-Identifier: MIT */
/*
 * rest_state.h: the states of rest of a version of a world. They hold the contacts that last from
 * one step to the next, and the number of steps for which each body has been quiet.
 *
 * The impulses of one step are a good first guess for the impulses of the next. Bodies that have
 * been quiet for long enough fall asleep, island by island. So a version has two such states: one
 * for the bodies that are awake, which changes with each step, and one for the bodies that are
 * asleep, which later versions share. A state is a single block, which is sorted and never changes.
 * The states are part of the value of a version: equal worlds have equal states.
 */
#ifndef PQTI_REST_STATE_H
#define PQTI_REST_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt/fingerprint.h>
#include <pqt/memory.h>
#include <pqt/vec.h>

/* A contact between two bodies, or between a body and a wall or the obstacle. */
typedef struct pqti_lasting_contact {
    uint64_t low, high; /* the ids of the bodies in ascending order; equal if there is one body */
    uint64_t side;      /* 1 + a pqti_side if there is one body; 0 if there are two */
    double impulse;     /* mass times speed, > 0; for a friction: not 0 */
} pqti_lasting_contact;

/* The values of `side` are 0 for two bodies, 1 to 4 for the walls, and PQTI_LASTING_PIXELS and
 * above for the directions of pixels (obstacle_contacts.h). If a contact has an impulse along the
 * surface, its *friction* is a separate record, whose side is greater by PQTI_LASTING_FRICTION. */
enum { PQTI_LASTING_PIXELS = 5, PQTI_LASTING_SIDES = 13, PQTI_LASTING_FRICTION = 16 };

/* Returns the side of a contact, or of the contact that a friction belongs to. */
static inline uint64_t
pqti_lasting_side(const pqti_lasting_contact *contact)
{
    return contact->side % PQTI_LASTING_FRICTION;
}

/* A body that has been quiet. */
typedef struct pqti_quiet_body {
    uint64_t id;
    uint64_t steps; /* number of quiet steps, > 0; a sleeping body has the number at which it fell
                       asleep */
} pqti_quiet_body;

/* The contents of a state that is not yet a block. `gravity` is the gravity of the step in which
 * the bodies fell asleep, or 0 if they are awake. */
typedef struct pqti_rest_draft {
    const pqti_lasting_contact *contacts; /* sorted by `low`, `high` and `side` */
    size_t contact_count;
    const pqti_quiet_body *bodies; /* sorted in key order (bodymap.h) */
    size_t body_count;
    pqt_vec gravity;
} pqti_rest_draft;

/* A state. NULL is the state without contacts and bodies. */
typedef struct pqti_rest_state {
    size_t contact_count, body_count; /* not both 0 */
    pqt_vec gravity;
    pqt_fingerprint fingerprint; /* the sum of the hashes of contacts, bodies and gravity */
    pqti_lasting_contact contacts[];
    /* pqti_quiet_body bodies[] */
} pqti_rest_state;

/* The two states of a version. No body is in both. Each contact of a sleeping body is in
 * `asleep`. */
typedef struct pqti_rest_states {
    const pqti_rest_state *awake, *asleep;
} pqti_rest_states;

/* Returns the contents of a state. The state may be NULL. */
pqti_rest_draft pqti_rest_draft_of(const pqti_rest_state *state);

/* Compares two contacts in the order of a state. Returns a number < 0, 0 or > 0. */
int pqti_lasting_contact_compare(const pqti_lasting_contact *a, const pqti_lasting_contact *b);

/* Sorts contacts in this order. */
void pqti_lasting_contacts_sort(pqti_lasting_contact *contacts, size_t count);

/* Returns the impulse of a contact in a state, or 0 if the contact is not there. The state may be
 * NULL. */
double pqti_rest_impulse(const pqti_rest_state *state, uint64_t low, uint64_t high, uint64_t side);

/* Like pqti_rest_impulse, but begins the search at the index `*hint`, and sets it to the index at
 * which the contact is or would be. So searches in ascending order compare few contacts. */
double pqti_rest_impulse_near(const pqti_rest_state *state, size_t *hint,
                              const pqti_lasting_contact *wanted);

/* Returns the index of a body in a state, or SIZE_MAX if the body is not there. The state may be
 * NULL. */
size_t pqti_rest_find_body(const pqti_rest_state *state, uint64_t id);

/* Marks the bodies that contacts connect with a marked body. `marks` has an element for each body
 * of the state, which is not NULL. Returns false when out of memory. */
bool pqti_rest_mark_islands(const pqti_rest_state *state, bool *marks);

/* Returns true if two states differ. In that case, sets *id to the lowest id of a body in which
 * they differ. Either state may be NULL. */
bool pqti_rest_differs(const pqti_rest_state *a, const pqti_rest_state *b, uint64_t *id);

/* Returns a description of the fault of a contact that follows `before`, or NULL if it has none.
 * `before` may be NULL. Does not check whether the bodies exist. */
const char *pqti_lasting_contact_fault(const pqti_lasting_contact *contact,
                                       const pqti_lasting_contact *before);

/* Returns true if the fingerprint of a state matches its contents. */
bool pqti_rest_is_summed(const pqti_rest_state *state);

/* These functions accept NULL. */
pqt_fingerprint pqti_rest_fingerprint(const pqti_rest_state *state);
size_t pqti_rest_bytes(const pqt_memory *memory, const pqti_rest_state *state);

/* Sets *made to a state with the contents of a draft: to NULL if the draft is empty, to `old` if
 * `old` is equal, and to a new state otherwise. Returns false when out of memory. */
bool pqti_rest_make(pqt_memory *memory, const pqti_rest_draft *draft, const pqti_rest_state *old,
                    const pqti_rest_state **made);

#endif
