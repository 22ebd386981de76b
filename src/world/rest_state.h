/* SPDX-License-Identifier: MIT */
/*
 * rest_state.h: the states of rest of a version of a world: the contacts that last from one step to
 * the next, and the number of steps for which each body has been quiet.
 *
 * The impulses of one step are a good first guess for the impulses of the next. Bodies that have
 * been quiet for long enough fall asleep, island by island. So a version carries two such states:
 * one of the bodies that are awake, which changes with each step, and one of those that are asleep,
 * which later versions share. A state is one block that is sorted and never changes. Whatever a
 * version carries belongs to its value: equal worlds carry equal states.
 */
#ifndef PQTI_REST_STATE_H
#define PQTI_REST_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt/fingerprint.h>
#include <pqt/memory.h>
#include <pqt/vec.h>

/* A contact of two bodies, or of one body with a wall or the obstacle. */
typedef struct pqti_lasting_contact {
    uint64_t low, high; /* the ids of the bodies in ascending order; equal for one body */
    uint64_t side;      /* 1 + a pqti_side if there is one body; 0 if there are two */
    double impulse;     /* mass times speed, > 0; of a friction: not 0 */
} pqti_lasting_contact;

/* The values of `side`: 0 for two bodies, 1 to 4 for the walls, and from PQTI_LASTING_PIXELS on for
 * the directions of pixels (obstacle_contacts.h). The *friction* of a contact, if it has an impulse
 * along the surface, is a record of its own, whose side is greater by PQTI_LASTING_FRICTION. */
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
    uint64_t steps; /* number of quiet steps, > 0; of a body asleep: when it fell asleep */
} pqti_quiet_body;

/* The contents of a state that is not yet a block. `gravity` is the gravity of the step in which
 * bodies fell asleep; 0 while they are awake. */
typedef struct pqti_rest_draft {
    const pqti_lasting_contact *contacts; /* in the order of `low`, then `high`, then `side` */
    size_t contact_count;
    const pqti_quiet_body *bodies; /* in key order (bodymap.h) */
    size_t body_count;
    pqt_vec gravity;
} pqti_rest_draft;

/* A state; NULL means one without contacts and bodies. */
typedef struct pqti_rest_state {
    size_t contact_count, body_count; /* not both 0 */
    pqt_vec gravity;
    pqt_fingerprint fingerprint; /* the sum over contacts and bodies, and of the gravity */
    pqti_lasting_contact contacts[];
    /* pqti_quiet_body bodies[] */
} pqti_rest_state;

/* The states of a version. No body is in both; each contact of a body asleep is in `asleep`. */
typedef struct pqti_rest_states {
    const pqti_rest_state *awake, *asleep;
} pqti_rest_states;

/* Returns the contents of a state, which may be NULL. */
pqti_rest_draft pqti_rest_draft_of(const pqti_rest_state *state);

/* Orders contacts as a state does: < 0, 0 or > 0. */
int pqti_lasting_contact_compare(const pqti_lasting_contact *a, const pqti_lasting_contact *b);

/* Sorts contacts in this order. */
void pqti_lasting_contacts_sort(pqti_lasting_contact *contacts, size_t count);

/* Returns the impulse of a contact in a state, which may be NULL; 0 if it is not there. */
double pqti_rest_impulse(const pqti_rest_state *state, uint64_t low, uint64_t high, uint64_t side);

/* Returns the same. The search begins at `*hint` and sets it to where the contact is, or would be:
 * searches in ascending order compare few contacts. */
double pqti_rest_impulse_near(const pqti_rest_state *state, size_t *hint,
                              const pqti_lasting_contact *wanted);

/* Returns the index of a body in a state, which may be NULL; SIZE_MAX if it is not there. */
size_t pqti_rest_find_body(const pqti_rest_state *state, uint64_t id);

/* `marks` has an element for each body of a state, not NULL. Marks the bodies that contacts connect
 * with a marked one. Returns false if there is no memory. */
bool pqti_rest_mark_islands(const pqti_rest_state *state, bool *marks);

/* Returns true if two states differ; *id is then the lowest id of a body in which they differ.
 * Either state may be NULL. */
bool pqti_rest_differs(const pqti_rest_state *a, const pqti_rest_state *b, uint64_t *id);

/* Returns the fault of a contact that follows `before`, which may be NULL; NULL if there is none.
 * Does not check whether the bodies exist. */
const char *pqti_lasting_contact_fault(const pqti_lasting_contact *contact,
                                       const pqti_lasting_contact *before);

/* Returns true if the fingerprint of a state matches its contents. */
bool pqti_rest_is_summed(const pqti_rest_state *state);

/* These accept NULL. */
pqt_fingerprint pqti_rest_fingerprint(const pqti_rest_state *state);
size_t pqti_rest_bytes(const pqt_memory *memory, const pqti_rest_state *state);

/* Sets *made to a state with the contents of a draft; to NULL if there are none; to `old` if that
 * is equal. Returns false if there is no memory. */
bool pqti_rest_make(pqt_memory *memory, const pqti_rest_draft *draft, const pqti_rest_state *old,
                    const pqti_rest_state **made);

#endif
