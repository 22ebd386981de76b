/* SPDX-License-Identifier: MIT */
/*
 * contact_solver.h: contacts that act at the same time, solved together.
 *
 * The solver finds the impulses, none of which pulls, after which no two balls in contact approach
 * faster than allowed. Both balls of a contact get the same impulse, in opposite directions, so the
 * momentum is conserved; and no contact returns speed, so the kinetic energy does not grow, unless
 * balls must part.
 */
#ifndef PQTI_CONTACT_SOLVER_H
#define PQTI_CONTACT_SOLVER_H

#include <stddef.h>

#include "world/ball.h"
#include "world/rest_state.h"

typedef struct pqti_contact {
    uint32_t a, b;                /* balls; b equals a for a wall or the obstacle */
    pqt_vec normal;               /* unit vector from a to b */
    double allowed;               /* speed of approach that may remain; < 0: they must part */
    pqti_lasting_contact lasting; /* its ids; its impulse, initially a guess */
    uint64_t island;              /* contacts of different islands share no ball that moves */
    double lever;                 /* see contact_friction.h; 1 for a wall or the obstacle */
    double friction;              /* coefficient */
    double rubbing;               /* impulse of friction (contact_friction.h), initially a guess */

    /* The solver sets these. Its variable is the impulse divided by `scale`, the square root of the
     * effective mass. When it grows by 1, the speed of departure times scale grows by 1. */
    double scale;
    double push_a, push_b; /* change of the speed of a and b for each unit of the variable */
    double value;          /* the variable, >= 0 */
    double rub;            /* the friction divided by scale */
    double grip;           /* change of the slip for each unit of `rub` */
} pqti_contact;

/* Contacts in scratch memory; all zero at first. */
typedef struct pqti_contact_array {
    pqti_contact *contacts;
    size_t count, capacity;
    size_t expected; /* number for which the array is allocated first */
} pqti_contact_array;

/* Adds a contact of two balls whose allowed speed and impulse are 0. `between` is the vector from a
 * to b, and not 0. Returns NULL if there is no memory. */
pqti_contact *pqti_contacts_add_pair(pqti_contact_array *array, const pqti_ball *balls, uint32_t a,
                                     uint32_t b, pqt_vec between);

/* Returns the same for a contact of one ball with a wall or the obstacle; `side` orders the
 * contacts of a ball. */
pqti_contact *pqti_contacts_add_single(pqti_contact_array *array, const pqti_ball *balls,
                                       uint32_t ball, pqt_vec normal, unsigned side);

/* Sets the scale of a contact, and how it pushes its balls. */
void pqti_contact_prepare(pqti_contact *contact, const pqti_ball *balls);

/* Sorts contacts by island and then by their ids, and removes duplicates. */
void pqti_contacts_sort(pqti_contact_array *array);

/* Lets contacts treat kinematic balls as if they did not move. Returns true if that changes one: a
 * ball between two that close in has no velocity that ends both approaches, and the impulses would
 * grow without bound. */
bool pqti_contacts_ignore_kinematic(pqti_contact *contacts, size_t count, const pqti_ball *balls);

/* Returns the largest speed, along an axis, of the kinematic balls of some contacts; 0 if there are
 * none. */
double pqti_contacts_kinematic_speed(const pqti_contact *contacts, size_t count,
                                     const pqti_ball *balls);

/* A contact as the search reads it: balls are numbered within the island, from 1. 0 is for a ball
 * that the contact does not move. */
typedef struct pqti_solve_row {
    uint32_t a, b;
    pqt_vec normal;
    double push_a, push_b, scale; /* see pqti_contact */
} pqti_solve_row;

/* Scratch memory of the search; all zero at first. */
typedef struct pqti_solve_rows {
    pqti_solve_row *rows;
    double *numbers;   /* by row: arrays of what a pass changes */
    uint32_t *members; /* by number: the balls of the island */
    pqt_vec *changes;  /* by number: of the velocities */
    size_t capacity;   /* the number of rows that fit */
    uint32_t *locals;  /* by ball: its number, 0 between searches */
} pqti_solve_rows;

/* Makes room for a number of balls, once; and then for at least `contacts` contacts. Returns false
 * if there is no memory. */
bool pqti_solve_rows_make(pqti_solve_rows *rows, size_t balls);
bool pqti_solve_rows_reserve(pqti_solve_rows *rows, size_t contacts);
void pqti_solve_rows_free(pqti_solve_rows *rows);

/* Limits that end a search. The excess of a contact is the amount by which its speed of approach
 * exceeds the allowed one. The search ends when no excess is above the greatest of `share` times
 * the largest excess without the guess, `reduction` times the largest excess with it, and `speed`;
 * at the latest after `passes` passes. */
typedef struct pqti_solve_limits {
    double share, reduction, speed;
    uint64_t passes;
    bool careful; /* scale the guess to the multiple that leaves the least energy, at most 1 */
    bool once;    /* solve frictions once, after the normals, so that they add no energy */
} pqti_solve_limits;

/* Solves sorted contacts of one island: sets their impulses, and changes `velocities`, a vector for
 * each ball. `rows` has room for all. Returns the number of passes over the contacts. */
uint64_t pqti_contacts_solve(pqti_contact *contacts, size_t count, const pqti_ball *balls,
                             pqt_vec *velocities, pqti_solve_rows *rows,
                             const pqti_solve_limits *limits);

#endif
