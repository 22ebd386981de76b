/* SPDX-License-Identifier: MIT */
/*
 * contact_list.h: the contacts that last from one step to the next, as a part of a version.
 *
 * The impulses of one step are a good first guess for those of the next. So a version of a world
 * carries them, in one block that is sorted and never changes. Whatever a version carries belongs
 * to its value: equal worlds carry equal lists.
 */
#ifndef PQTI_CONTACT_LIST_H
#define PQTI_CONTACT_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt/fingerprint.h>
#include <pqt/memory.h>

/* A contact of two bodies, or of one body with a wall or the obstacle. */
typedef struct pqti_lasting_contact {
    uint64_t low, high; /* the ids of the bodies in ascending order; equal for one body */
    uint64_t side;      /* of one body: 1 + a pqti_side; of two: 0 */
    double impulse;     /* mass times speed, > 0 */
} pqti_lasting_contact;

/* The number of values of `side`, with 0 for two bodies: the four walls, and the obstacle. */
enum { PQTI_LASTING_SIDES = 6, PQTI_LASTING_PIXELS = 5 };

/* Contacts in the order of `low`, then `high`, then `side`. A list has at least one. */
typedef struct pqti_contact_list {
    size_t count;
    pqt_fingerprint fingerprint; /* the sum over the contacts */
    pqti_lasting_contact contacts[];
} pqti_contact_list;

/* Orders contacts as a list does: < 0, 0 or > 0. */
int pqti_lasting_contact_compare(const pqti_lasting_contact *a, const pqti_lasting_contact *b);

/* Returns the impulse of a contact in a list, which may be NULL; 0 if it is not there. */
double pqti_contact_list_impulse(const pqti_contact_list *list, uint64_t low, uint64_t high,
                                 uint64_t side);

/* Returns the contact in which two lists differ that comes first, or NULL if they are equal. Either
 * list may be NULL. */
const pqti_lasting_contact *pqti_contact_list_difference(const pqti_contact_list *a,
                                                         const pqti_contact_list *b);

/* Returns what is wrong with a contact that follows `before`, which may be NULL; NULL if nothing
 * is. Whether the bodies exist is not asked. */
const char *pqti_lasting_contact_fault(const pqti_lasting_contact *contact,
                                       const pqti_lasting_contact *before);

/* Returns true if the fingerprint of a list is the sum over its contacts. */
bool pqti_contact_list_is_summed(const pqti_contact_list *list);

/* These accept NULL for a list without contacts. */
pqt_fingerprint pqti_contact_list_fingerprint(const pqti_contact_list *list);
size_t pqti_contact_list_bytes(const pqt_memory *memory, const pqti_contact_list *list);

/* Returns true if a contact stays in a list. */
typedef bool pqti_keeps_contact_fn(const pqti_lasting_contact *contact, const void *context);

/* Sets *made to the contacts of a list, which may be NULL, that stay; all if `keeps` is NULL.
 * Returns false if there is no memory. */
bool pqti_contact_list_filter(pqt_memory *memory, const pqti_contact_list *list,
                              pqti_keeps_contact_fn *keeps, const void *context,
                              const pqti_contact_list **made);

/* Sets *made to a list of sorted contacts; to NULL if there are none; to `old` if that is equal.
 * Returns false if there is no memory. */
bool pqti_contact_list_make(pqt_memory *memory, const pqti_lasting_contact *contacts, size_t count,
                            const pqti_contact_list *old, const pqti_contact_list **made);

#endif
