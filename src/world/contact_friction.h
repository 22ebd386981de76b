/* SPDX-License-Identifier: MIT */
/*
 * contact_friction.h: friction between balls in contact, along their surfaces.
 *
 * A ball is a disc with the moment of inertia mass radius^2 / 2. Friction acts on both balls at the
 * same point, even if they overlap or there is a gap between them: the point that divides the line
 * between the centres in the ratio of the radii. So friction does not change the total angular
 * momentum. The *lever* is the distance of this point from a centre, divided by the radius. The
 * *slip* of a contact is the speed at which the second ball, or the wall, passes the first one at
 * that point, along the tangent. The tangent is the normal turned by 90 degrees, in the direction
 * from the x axis to the y axis. Friction is an impulse along the tangent. It never reverses the
 * slip, and it is at most the coefficient times the impulse along the normal (Coulomb).
 */
#ifndef PQTI_CONTACT_FRICTION_H
#define PQTI_CONTACT_FRICTION_H

#include "world/contact_solver.h"

/* Applies the friction of a contact between two balls. `between` is the vector from a to b, and
 * `change` is the change of their relative speed along it that the contact caused. *v and *w are
 * the velocities of a and b after the contact. */
void pqti_friction_apply_pair(pqti_ball *a, pqti_ball *b, pqt_vec *velocity_a, pqt_vec *velocity_b,
                              pqt_vec between, double change);

/* Applies the friction of a contact between a ball and a wall or the obstacle. */
void pqti_friction_apply_single(pqti_ball *ball, pqt_vec toward, double change);

/* Scratch memory: arrays that are indexed by ball, and the rows of the search. Everything is zero
 * initially. */
typedef struct pqti_solver_scratch {
    pqt_vec *velocities;
    double *spins; /* angular velocities */
    pqti_solve_rows rows;
} pqti_solver_scratch;

/* Allocates the arrays that are indexed by ball. The caller reserves rows when it knows the number
 * of contacts. Returns false when out of memory; the caller frees `scratch` even then. */
bool pqti_solver_scratch_make(pqti_solver_scratch *scratch, size_t count);
void pqti_solver_scratch_free(pqti_solver_scratch *scratch);

/* Solves the sorted contacts of one island like pqti_contacts_solve, and their friction, starting
 * from the velocities of the balls. Sets the velocities and spins of the balls of these contacts in
 * `scratch`. Returns the number of passes over the contacts. */
uint64_t pqti_contacts_solve_with_friction(pqti_contact *contacts, size_t count,
                                           const pqti_ball *balls, pqti_solver_scratch *scratch,
                                           const pqti_solve_limits *limits);

/* Returns true if the impulses of solved contacts add energy: more than a tiny fraction of the
 * energy of the approaches that they end, not counting the energy that separates overlapping
 * balls. */
bool pqti_contacts_add_energy(const pqti_contact *contacts, size_t count, const pqti_ball *balls,
                              const pqti_solver_scratch *scratch);

/* Copies the velocities and spins of the balls in these contacts from `scratch` to the balls. */
void pqti_solver_scratch_store(const pqti_solver_scratch *scratch, const pqti_contact *contacts,
                               size_t count, pqti_ball *balls);

#endif
