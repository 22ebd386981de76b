/* SPDX-License-Identifier: MIT */
/*
 * contact_crushing.h: contacts whose kinematic balls crush others.
 *
 * A kinematic ball *crushes* a ball that has no room to make way. No velocity of that ball ends its
 * approaches to two balls that close in, so the problem that contact_solver.h solves has no
 * solution: each pass makes the impulses larger, and the speeds as well.
 */
#ifndef PQTI_CONTACT_CRUSHING_H
#define PQTI_CONTACT_CRUSHING_H

#include "world/contact_friction.h"

/* Returns the speed above which the kinematic balls of contacts crush others: 4 times their own
 * speed plus the largest rest speed of a ball, or the largest speed of the other balls, whichever
 * is greater. With friction, the speeds of their surfaces as they turn count, too. Returns infinity
 * if there are no kinematic balls. */
double pqti_contacts_crush_speed(const pqti_contact *contacts, size_t count,
                                 const pqti_ball *balls);

/* Returns true if the solution of contacts makes a ball, or its surface, faster than the crush
 * speed of these contacts. Such a ball has no room to make way for a kinematic ball. */
bool pqti_contacts_crush(const pqti_contact *contacts, size_t count, const pqti_ball *balls,
                         const pqti_solver_scratch *scratch, double crush_speed);

/* Makes contacts treat kinematic balls as if they did not move, and as if they did not overlap the
 * balls that they approach. */
void pqti_contacts_ignore_kinematic(pqti_contact *contacts, size_t count, const pqti_ball *balls);

/* Drops the frictions and guesses of contacts, and lets no contact separate its balls. If kinematic
 * balls are ignored, all velocities may then become 0, and each pass of the solver decreases the
 * energy. So the balls have no more energy than before, however few passes there are. */
void pqti_contacts_make_plain(pqti_contact *contacts, size_t count);

#endif
