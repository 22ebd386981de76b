/* SPDX-License-Identifier: MIT */
/*
 * contact_solver.h: solves contacts that act at the same time.
 *
 * The solver finds impulses after which no two balls in contact approach faster than allowed. No
 * impulse pulls. The two balls of a contact receive the same impulse in opposite directions, so the
 * momentum is conserved. No contact returns speed, so the kinetic energy does not grow unless
 * overlapping balls must separate.
 */
#ifndef PQTI_CONTACT_SOLVER_H
#define PQTI_CONTACT_SOLVER_H

#include <stddef.h>

#include "world/ball.h"
#include "world/rest_state.h"

typedef struct pqti_contact {
    uint32_t a, b;                /* indices of the balls; b equals a for a wall or the obstacle */
    pqt_vec normal;               /* unit vector from a to b */
    double allowed;               /* speed of approach that may remain; < 0: they must separate */
    pqti_lasting_contact lasting; /* its ids, and its impulse, initially a guess */
    uint64_t island;              /* contacts of different islands share no ball that moves */
    double lever;                 /* see contact_friction.h; 1 for a wall or the obstacle */
    double friction;              /* coefficient of friction */
    double friction_impulse;      /* impulse of the friction, initially a guess */

    /* The solver sets the members below. Its variable is the impulse divided by `scale`, which is
     * the square root of the effective mass. When the variable grows by 1, the product of the speed
     * of departure and the scale grows by 1. */
    double scale;
    double push_a, push_b;  /* change of the speeds of a and b per unit of the variable */
    double value;           /* the variable, >= 0 */
    double scaled_friction; /* the friction divided by scale */
    double slip_response;   /* change of the slip per unit of `scaled_friction` */
} pqti_contact;

/* An array of contacts in scratch memory. Everything is zero initially. */
typedef struct pqti_contact_array {
    pqti_contact *contacts;
    size_t count, capacity;
    size_t expected; /* number of contacts for which the array is first allocated */
} pqti_contact_array;

/* Adds a contact between two balls, with an allowed speed and an impulse of 0. `between` is the
 * vector from a to b and is not 0. Returns NULL when out of memory. */
pqti_contact *pqti_contacts_add_pair(pqti_contact_array *array, const pqti_ball *balls, uint32_t a,
                                     uint32_t b, pqt_vec between);

/* Adds a contact between a ball and a wall or the obstacle. `side` orders the contacts of one ball.
 * Returns NULL when out of memory. */
pqti_contact *pqti_contacts_add_single(pqti_contact_array *array, const pqti_ball *balls,
                                       uint32_t ball, pqt_vec normal, unsigned side);

/* Sets `scale`, `push_a` and `push_b` of a contact. */
void pqti_contact_prepare(pqti_contact *contact, const pqti_ball *balls);

/* Returns ball `i` of an array of contacts, which have two balls each. */
static inline uint32_t
pqti_contact_ball(const pqti_contact *contacts, size_t i)
{
    return i % 2 == 0 ? contacts[i / 2].a : contacts[i / 2].b;
}

/* Sorts contacts by island and then by their ids, and removes duplicates. */
void pqti_contacts_sort(pqti_contact_array *array);

/* A contact in the form that the search reads. Balls are numbered within the island, from 1. Number
 * 0 means a ball that the contact does not move. */
typedef struct pqti_solve_row {
    uint32_t a, b;
    pqt_vec normal;
    double push_a, push_b, scale; /* see pqti_contact */
} pqti_solve_row;

/* Scratch memory of the search. Everything is zero initially. */
typedef struct pqti_solve_rows {
    pqti_solve_row *rows;
    double *numbers;   /* by row: arrays of the numbers that a pass changes */
    uint32_t *members; /* by number: the balls of the island */
    pqt_vec *changes;  /* by number: the changes of the velocities */
    size_t capacity;   /* number of rows for which there is room */
    uint32_t *locals;  /* by ball: its number in a search; 0 between searches */
} pqti_solve_rows;

/* The first function makes room for a number of balls and is called once. The second one then makes
 * room for at least `contacts` contacts. Both return false when out of memory. */
bool pqti_solve_rows_make(pqti_solve_rows *rows, size_t balls);
bool pqti_solve_rows_reserve(pqti_solve_rows *rows, size_t contacts);
void pqti_solve_rows_free(pqti_solve_rows *rows);

/* Limits that end a search. The excess of a contact is the amount by which its speed of approach
 * exceeds the allowed one. The search ends when no excess is above the greatest of three limits:
 * `cold_fraction` times the largest excess without the guess (a cold start), `warm_fraction` times
 * the largest excess with the guess (a warm start), and `speed`. It ends after `passes` passes at
 * the latest. */
typedef struct pqti_solve_limits {
    double cold_fraction, warm_fraction, speed;
    uint64_t passes;
    bool careful; /* multiply the guess by the factor <= 1 that leaves the least energy */
    bool once;    /* solve frictions once, after the other impulses, to add no energy */
} pqti_solve_limits;

/* Solves the sorted contacts of one island. Sets their impulses and changes `velocities`, which has
 * a vector for each ball. `rows` must have room for all contacts. Returns the number of passes over
 * the contacts. */
uint64_t pqti_contacts_solve(pqti_contact *contacts, size_t count, const pqti_ball *balls,
                             pqt_vec *velocities, pqti_solve_rows *rows,
                             const pqti_solve_limits *limits);

#endif
