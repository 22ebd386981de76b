/* SPDX-License-Identifier: MIT */
/*
 * contact_solver.h: contacts that act at the same time, solved together.
 *
 * The solver finds the impulses, none of which pulls, after which no two balls in contact approach.
 * Both balls of a contact get the same impulse, in opposite directions, so the momentum stays; and
 * no contact returns speed, so the kinetic energy does not grow.
 */
#ifndef PQTI_CONTACT_SOLVER_H
#define PQTI_CONTACT_SOLVER_H

#include <stddef.h>

#include "world/ball.h"

typedef struct pqti_contact {
    uint32_t a, b;      /* balls; b equals a for a wall */
    pqt_vec normal;     /* unit vector from a to b */
    uint64_t low, high; /* the ids of the balls in ascending order; of one ball: its id, the side */

    /* The solver sets these. Its variable is the impulse divided by `scale`, the square root of the
     * effective mass, so that a change of it by 1 changes `gradient` by 1. */
    double scale;
    double push_a, push_b; /* change of the speed of a and b for each unit of the variable */
    double value;          /* the variable, >= 0 */
    double gradient;       /* speed of departure times scale; solved: >= 0 */
    double direction;      /* of the search */
    double product;        /* of the matrix and the direction */
} pqti_contact;

/* Fills the ids of a contact of two balls. */
void pqti_contact_set_pair(pqti_contact *contact, const pqti_ball *balls);

/* The same for a contact of one ball with a wall; `side` orders those of a ball. */
void pqti_contact_set_single(pqti_contact *contact, const pqti_ball *balls, unsigned side);

/* Solves contacts: sorts them by ids, and changes `velocities`. `velocities` and `changes` have a
 * vector for each ball; `changes` is 0, and 0 again afterwards. The order of the array has no
 * effect. Returns the number of passes over the contacts. */
uint64_t pqti_contacts_solve(pqti_contact *contacts, size_t count, const pqti_ball *balls,
                             pqt_vec *velocities, pqt_vec *changes);

#endif
