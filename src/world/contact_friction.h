/* SPDX-License-Identifier: MIT */
/*
 * contact_friction.h: friction along the surfaces of balls in contact.
 *
 * A ball is a disc with the moment of inertia mass radius^2 / 2. Friction acts at one point of both
 * balls, also where they overlap or have a gap between them: the point that divides the line
 * between the centres as the radii do. The *lever* is its distance from each centre divided by the
 * radius. So friction changes no angular momentum. The *slip* of a contact is the speed at which
 * the second ball, or the wall, passes the first one at that point, along the tangent, which is the
 * normal turned from the x axis toward the y axis. Friction is an impulse along the tangent that at
 * most ends the slip, and that is at most the coefficient times the impulse along the normal
 * (Coulomb).
 */
#ifndef PQTI_CONTACT_FRICTION_H
#define PQTI_CONTACT_FRICTION_H

#include "world/contact_solver.h"

/* Applies the friction of a contact of two balls. `between` is the vector from a to b. `change` is
 * the change of their relative speed along it by the contact, and *v and *w are their velocities
 * after it. */
void pqti_rub_pair(pqti_ball *a, pqti_ball *b, pqt_vec *v, pqt_vec *w, pqt_vec between,
                   double change);

/* Applies the friction of a contact of one ball and a wall or the obstacle. */
void pqti_rub_single(pqti_ball *ball, pqt_vec toward, double change);

/* Scratch memory: arrays by ball, and the rows of the search. All zero at first. */
typedef struct pqti_solve_room {
    pqt_vec *velocities;
    double *spins; /* angular velocities */
    pqti_solve_rows rows;
} pqti_solve_room;

/* Allocates the arrays by ball. The caller reserves rows when it knows the number of contacts.
 * Returns false if there is no memory; the arrays are freed all the same. */
bool pqti_solve_room_make(pqti_solve_room *room, size_t count);
void pqti_solve_room_free(pqti_solve_room *room);

/* Solves sorted contacts of one island from the velocities of the balls, like pqti_contacts_solve,
 * and their friction. Sets the velocities and spins of the balls of these contacts in `room`.
 * Returns the number of passes over the contacts. */
uint64_t pqti_contacts_solve_with_friction(pqti_contact *contacts, size_t count,
                                           const pqti_ball *balls, pqti_solve_room *room,
                                           const pqti_solve_limits *limits);

/* Returns true if the impulses of solved contacts add energy, apart from the energy that separates
 * overlapping balls, and more than a tiny share of the energy of the approaches that they end. */
bool pqti_contacts_add_energy(const pqti_contact *contacts, size_t count, const pqti_ball *balls,
                              const pqti_solve_room *room);

/* Copies the velocities and spins of the balls of contacts from `room` to the balls. */
void pqti_solve_room_store(const pqti_solve_room *room, const pqti_contact *contacts, size_t count,
                           pqti_ball *balls);

#endif
