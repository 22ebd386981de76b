/* SPDX-License-Identifier: MIT */
/*
 * contact_solver.c: contacts that act at the same time, solved by conjugate gradients.
 *
 * The impulses minimise the kinetic energy of the balls afterwards, among all that do not pull.
 * That is a quadratic program with bounds. Conjugate gradients minimise among the contacts that
 * push; steps of projection add and remove contacts. The energy decreases in each step, so it does
 * not grow even where the search ends early. All sums are in the order of the ids.
 *
 * Velocities change once, by the final impulses, so rounding changes the momentum once a contact.
 *
 * Source: MPRGP: Dostal, Schoeberl, Minimizing quadratic functions subject to bound constraints
 * with the rate of convergence and finite termination, 2005. That resting contact is this program:
 * Baraff, Fast contact force computation for nonpenetrating rigid bodies, 1994.
 */
#include "config.h"

#include "world/contact_solver.h"

#include <stdlib.h>
#include <string.h>

#include "base/error_internal.h"
#include "memory/memory_internal.h"

enum { FIRST_CONTACTS = 256 };

/* ---- Arrays ---- */

static pqti_contact *
add_contact(pqti_contact_array *array)
{
    if (array->count == array->capacity) {
        const size_t capacity = array->capacity == 0 ? FIRST_CONTACTS : 2 * array->capacity;
        pqti_contact *contacts = pqti_alloc_scratch(capacity, sizeof *contacts);
        if (contacts == NULL)
            return NULL;
        if (array->count > 0)
            memcpy(contacts, array->contacts, array->count * sizeof *contacts);
        pqti_free_scratch(array->contacts);
        array->contacts = contacts;
        array->capacity = capacity;
    }
    return &array->contacts[array->count++];
}

pqti_contact *
pqti_contacts_add_pair(pqti_contact_array *array, const pqti_ball *balls, uint32_t a, uint32_t b,
                       pqt_vec normal)
{
    const uint64_t id_a = balls[a].id, id_b = balls[b].id;
    pqti_contact *contact = add_contact(array);
    if (contact != NULL)
        *contact = (pqti_contact){
            .a = a,
            .b = b,
            .normal = normal,
            .friction = pqti_ball_friction(&balls[a], &balls[b]),
            .lasting = {.low = id_a < id_b ? id_a : id_b, .high = id_a < id_b ? id_b : id_a}};
    return contact;
}

pqti_contact *
pqti_contacts_add_single(pqti_contact_array *array, const pqti_ball *balls, uint32_t ball,
                         pqt_vec normal, unsigned side)
{
    const uint64_t id = balls[ball].id;
    pqti_contact *contact = add_contact(array);
    if (contact != NULL)
        *contact = (pqti_contact){.a = ball,
                                  .b = ball,
                                  .normal = normal,
                                  .friction = balls[ball].wall_friction,
                                  .lasting = {.low = id, .high = id, .side = 1 + side}};
    return contact;
}

static int
compare_contacts(const void *a, const void *b)
{
    const pqti_contact *x = a, *y = b;
    if (x->island != y->island)
        return x->island < y->island ? -1 : 1;
    return pqti_lasting_contact_compare(&x->lasting, &y->lasting);
}

void
pqti_contacts_sort(pqti_contact_array *array)
{
    size_t kept = 0;
    if (array->count > 1)
        qsort(array->contacts, array->count, sizeof *array->contacts, compare_contacts);
    for (size_t i = 0; i < array->count; i++)
        if (kept == 0 || compare_contacts(&array->contacts[kept - 1], &array->contacts[i]) != 0)
            array->contacts[kept++] = array->contacts[i];
    array->count = kept;
}

/* ---- Kinematic balls ---- */

bool
pqti_contacts_ignore_kinematic(pqti_contact *contacts, size_t count, const pqti_ball *balls)
{
    bool changes = false;
    for (size_t i = 0; i < count; i++) {
        pqti_contact *c = &contacts[i];
        double closing = 0;
        if (c->a != c->b && balls[c->a].is_kinematic)
            closing += pqti_dot(c->normal, balls[c->a].velocity);
        if (c->a != c->b && balls[c->b].is_kinematic)
            closing -= pqti_dot(c->normal, balls[c->b].velocity);
        c->allowed += closing > 0 ? closing : 0;
        changes = changes || closing > 0;
    }
    return changes;
}

double
pqti_contacts_kinematic_speed(const pqti_contact *contacts, size_t count, const pqti_ball *balls)
{
    double speed = 0;
    for (size_t i = 0; i < count; i++) {
        const pqti_ball *a = &balls[contacts[i].a], *b = &balls[contacts[i].b];
        speed = pqti_fmax(speed, a->is_kinematic ? pqti_ball_speed(a) : 0);
        speed = pqti_fmax(speed, b->is_kinematic ? pqti_ball_speed(b) : 0);
    }
    return speed;
}

/* ---- The matrix ---- */

/* The contacts of a cluster. */
typedef struct cluster {
    pqti_contact *contacts;
    size_t count;
    const pqti_ball *balls;
    pqt_vec *velocities, *changes; /* by ball */
    double step; /* length of a step against the gradient that never increases the value */
} cluster;

void
pqti_contact_prepare(pqti_contact *contact, const pqti_ball *balls)
{
    const pqti_ball *a = &balls[contact->a], *b = &balls[contact->b];
    const bool only_a = contact->a == contact->b || b->is_static;
    const double mass = only_a ? a->mass : a->is_static ? b->mass : a->mass * pqti_ball_share(a, b);
    contact->scale = sqrt(mass);
    contact->push_a = a->is_static ? 0 : contact->scale / a->mass;
    contact->push_b = only_a ? 0 : contact->scale / b->mass;
}

/* Adds a vector to the change of a ball's velocity. */
static void
add_change(pqt_vec *change, pqt_vec direction, double by)
{
    change->x += direction.x * by;
    change->y += direction.y * by;
}

/* Returns how much less two balls approach by the changes of their velocities, times scale. */
static double
change_of_contact(const pqti_contact *contact, const pqt_vec *changes)
{
    const pqt_vec a = changes[contact->a];
    const pqt_vec b = contact->push_b == 0 ? (pqt_vec){0, 0} : changes[contact->b];
    const double of_a = contact->push_a == 0 ? 0 : pqti_dot(contact->normal, a);
    return (pqti_dot(contact->normal, b) - of_a) * contact->scale;
}

/* Sets `product` of all contacts to the matrix times `direction`. */
static void
multiply(const cluster *g)
{
    for (size_t i = 0; i < g->count; i++) {
        const pqti_contact *c = &g->contacts[i];
        if (c->direction == 0)
            continue;
        add_change(&g->changes[c->a], c->normal, -c->direction * c->push_a);
        if (c->push_b != 0)
            add_change(&g->changes[c->b], c->normal, c->direction * c->push_b);
    }
    for (size_t i = 0; i < g->count; i++)
        g->contacts[i].product = change_of_contact(&g->contacts[i], g->changes);
    for (size_t i = 0; i < g->count; i++)
        g->changes[g->contacts[i].a] = g->changes[g->contacts[i].b] = (pqt_vec){0, 0};
}

/* ---- The search ---- */

/* The components of the gradient, of which the search removes the larger. */
typedef struct gradient_parts {
    double free;    /* sum of squares where the impulse may change both ways, each as far as a step
                      against the gradient would get */
    double bound;   /* sum of squares where an impulse is 0 and must grow */
    double fastest; /* the largest speed of approach, or of a departure that an impulse causes */
} gradient_parts;

static double
free_gradient(const pqti_contact *c)
{
    return c->value > 0 ? c->gradient : 0;
}

/* Returns what a step against the gradient can remove of it before the impulse is 0. */
static double
reduced_gradient(const cluster *g, const pqti_contact *c)
{
    return pqti_fmin(free_gradient(c), c->value / g->step);
}

static double
bound_gradient(const pqti_contact *c)
{
    return c->value == 0 && c->gradient < 0 ? c->gradient : 0;
}

static gradient_parts
measure_gradient(const cluster *g)
{
    gradient_parts parts = {0, 0, 0};
    for (size_t i = 0; i < g->count; i++) {
        const pqti_contact *c = &g->contacts[i];
        const double free = reduced_gradient(g, c), bound = bound_gradient(c);
        parts.free += free * free_gradient(c);
        parts.bound += bound * bound;
        parts.fastest = pqti_fmax(parts.fastest, pqti_fabs(free + bound) / c->scale);
    }
    return parts;
}

static void
restart_direction(const cluster *g)
{
    for (size_t i = 0; i < g->count; i++)
        g->contacts[i].direction = free_gradient(&g->contacts[i]);
}

/* Moves the variables by `length` against the direction. */
static void
move(const cluster *g, double length)
{
    for (size_t i = 0; i < g->count; i++) {
        pqti_contact *c = &g->contacts[i];
        c->gradient -= length * c->product;
        c->value = pqti_fmax(c->value - length * c->direction, 0);
    }
}

/* Lets contacts push that have to: minimises along the bound part of the gradient. */
static void
add_contacts(const cluster *g)
{
    double square = 0, curvature = 0;
    for (size_t i = 0; i < g->count; i++)
        g->contacts[i].direction = bound_gradient(&g->contacts[i]);
    multiply(g);
    for (size_t i = 0; i < g->count; i++) {
        square += g->contacts[i].direction * g->contacts[i].direction;
        curvature += g->contacts[i].direction * g->contacts[i].product;
    }
    move(g, curvature > 0 ? square / curvature : g->step);
    restart_direction(g);
}

/* Removes contacts that would pull: a step against the gradient, projected onto the bounds. */
static void
remove_contacts(const cluster *g)
{
    for (size_t i = 0; i < g->count; i++) {
        pqti_contact *c = &g->contacts[i];
        const double value = pqti_fmax(c->value - g->step * free_gradient(c), 0);
        c->direction = c->value - value;
        c->value = value;
    }
    multiply(g);
    for (size_t i = 0; i < g->count; i++)
        g->contacts[i].gradient -= g->contacts[i].product;
    restart_direction(g);
}

/* One step of conjugate gradients. Ends it where a contact would pull, and removes contacts. */
static void
descend(const cluster *g)
{
    double slope = 0, curvature = 0, room = HUGE_VAL, turn = 0;
    multiply(g);
    for (size_t i = 0; i < g->count; i++) {
        const pqti_contact *c = &g->contacts[i];
        slope += c->gradient * c->direction;
        curvature += c->direction * c->product;
        if (c->direction > 0 && c->value < room * c->direction)
            room = c->value / c->direction;
    }
    const double length = curvature > 0 ? slope / curvature : 0;
    if (!(length > 0)) {
        restart_direction(g);
        remove_contacts(g);
        return;
    }
    move(g, pqti_fmin(length, room));
    if (length > room) {
        remove_contacts(g);
        return;
    }
    for (size_t i = 0; i < g->count; i++)
        turn += free_gradient(&g->contacts[i]) * g->contacts[i].product;
    turn /= curvature;
    for (size_t i = 0; i < g->count; i++) {
        pqti_contact *c = &g->contacts[i];
        c->direction = free_gradient(c) - turn * c->direction;
    }
}

/* Returns the multiple of the direction that leaves the least energy, at most 1. */
static double
best_scale(const cluster *g)
{
    double slope = 0, curvature = 0;
    for (size_t i = 0; i < g->count; i++) {
        slope -= g->contacts[i].gradient * g->contacts[i].direction;
        curvature += g->contacts[i].product * g->contacts[i].direction;
    }
    return !(slope > 0) ? 0 : slope < curvature ? slope / curvature : 1;
}

/* Sets the variables to the guess, and the gradient accordingly. Returns by how much an approach
 * exceeds what is allowed at most, without the guess. */
static double
begin_search(cluster *g, bool careful)
{
    double fastest = 0;
    for (size_t i = 0; i < g->count; i++) {
        pqti_contact *c = &g->contacts[i];
        const pqt_vec v = g->velocities[c->a];
        const pqt_vec w = c->a == c->b ? (pqt_vec){0, 0} : g->velocities[c->b];
        pqti_contact_prepare(c, g->balls);
        const double excess = pqti_dot(c->normal, (pqt_vec){v.x - w.x, v.y - w.y}) - c->allowed;
        c->value = c->direction = c->scale > 0 ? c->lasting.impulse / c->scale : 0;
        c->gradient = -excess * c->scale;
        fastest = pqti_fmax(fastest, excess);
    }
    multiply(g);
    const double scale = careful ? best_scale(g) : 1;
    for (size_t i = 0; i < g->count; i++) {
        g->contacts[i].value *= scale;
        g->contacts[i].gradient += scale * g->contacts[i].product;
    }
    return fastest;
}

/* Returns a length of steps below 2 by the largest eigenvalue of the matrix, bounded by the largest
 * sum of the absolute values of a row. */
static double
length_of_steps(const cluster *g)
{
    double most = 1;
    for (size_t i = 0; i < g->count; i++) {
        const pqti_contact *c = &g->contacts[i];
        g->changes[c->a].x += c->push_a;
        if (c->push_b != 0)
            g->changes[c->b].x += c->push_b;
    }
    for (size_t i = 0; i < g->count; i++) {
        const pqti_contact *c = &g->contacts[i];
        double row = c->push_a == 0 ? 0 : g->changes[c->a].x;
        row += c->push_b == 0 ? 0 : g->changes[c->b].x;
        most = pqti_fmax(most, row * c->scale);
    }
    for (size_t i = 0; i < g->count; i++)
        g->changes[g->contacts[i].a] = g->changes[g->contacts[i].b] = (pqt_vec){0, 0};
    return 1.9 / most;
}

/* Applies the impulses. */
static void
apply_impulses(const cluster *g)
{
    for (size_t i = 0; i < g->count; i++) {
        pqti_contact *c = &g->contacts[i];
        c->lasting.impulse = c->value * c->scale;
        if (c->value > 0 && c->push_a != 0)
            add_change(&g->velocities[c->a], c->normal, -c->value * c->push_a);
        if (c->value > 0 && c->push_b != 0)
            add_change(&g->velocities[c->b], c->normal, c->value * c->push_b);
    }
}

uint64_t
pqti_contacts_solve(pqti_contact *contacts, size_t count, const pqti_ball *balls,
                    pqt_vec *velocities, pqt_vec *changes, const pqti_solve_limits *limits)
{
    uint64_t passes = 0;
    cluster g = {contacts, count, balls, velocities, changes, 0};
    const double fastest = begin_search(&g, limits->careful);
    const double enough = pqti_fmax(fastest * limits->share, limits->speed);
    g.step = length_of_steps(&g);
    for (restart_direction(&g); passes < limits->passes; passes++) {
        const gradient_parts parts = measure_gradient(&g);
        if (parts.fastest <= enough)
            break;
        if (parts.bound > parts.free)
            add_contacts(&g);
        else
            descend(&g);
    }
    apply_impulses(&g);
    return passes;
}
