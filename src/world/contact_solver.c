/* SPDX-License-Identifier: MIT */
/*
 * contact_solver.c: solves simultaneous contacts by conjugate gradients.
 *
 * The solver minimises the kinetic energy that the balls have after the contacts, over all sets of
 * impulses that do not pull. That is a quadratic program with bounds. Conjugate gradients minimise
 * the energy over the impulses of the contacts that push. A direction is projected before the
 * length of the step is known: the impulse of a contact that would begin to pull within the length
 * of the previous step stops at 0, and all others continue. So one step can remove many contacts,
 * and the directions stay nearly conjugate. Steps along the bound part of the gradient add
 * contacts. Each step decreases the energy, so the energy does not grow even if the search ends
 * early. All sums are computed in the order of the ids.
 *
 * Velocities change only once, by the final impulses, so the momentum is rounded once per contact.
 *
 * Sources: The algorithm is MPRGP: Dostal, Schoeberl, Minimizing quadratic functions subject to
 * bound constraints with the rate of convergence and finite termination, 2005. Its projected steps
 * are described in Kruzik, Horak, Cermak, Pospisil, Pecha, Active set expansion strategies in MPRGP
 * algorithm, 2020. Baraff, Fast contact force computation for nonpenetrating rigid bodies, 1994,
 * states resting contact as such a program.
 */
#include "config.h"

#include "world/contact_solver.h"

#include <stdlib.h>
#include <string.h>

#include "base/error_internal.h"
#include "base/simd.h"
#include "memory/memory_internal.h"

enum {
    FIRST_CONTACTS = 256,
    NUMBERS = 5, /* number of arrays of doubles in a cluster */
    STRIDES = 4  /* see contact_of_row */
};

/* A direction is projected for a step of this multiple of the length of the previous step. See
 * docs/world.md, "Solving together". */
#define GROWTH 1.5

/* If the previous step was longer than its direction, it counts as at most this multiple of it. See
 * docs/world.md, "Solving together". */
#define LONGER 4.0

/* ---- Arrays ---- */

static pqti_contact *
add_contact(pqti_contact_array *array)
{
    if (array->count == array->capacity) {
        const size_t first =
            array->expected > FIRST_CONTACTS ? array->expected : (size_t)FIRST_CONTACTS;
        const size_t capacity = array->capacity == 0 ? first : 2 * array->capacity;
        pqti_contact *contacts =
            pqti_resize_scratch(array->contacts, array->count, capacity, sizeof *contacts);
        if (contacts == NULL)
            return NULL;
        array->contacts = contacts;
        array->capacity = capacity;
    }
    return &array->contacts[array->count++];
}

pqti_contact *
pqti_contacts_add_pair(pqti_contact_array *array, const pqti_ball *balls, uint32_t a, uint32_t b,
                       pqt_vec between)
{
    const uint64_t id_a = balls[a].id, id_b = balls[b].id;
    const double distance = sqrt(pqti_dot(between, between));
    pqti_contact *contact = add_contact(array);
    if (contact != NULL)
        *contact = (pqti_contact){
            .a = a,
            .b = b,
            .normal = {between.x / distance, between.y / distance},
            .lever = distance / (balls[a].radius + balls[b].radius),
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
                                  .lever = 1,
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

/* ---- Rows ---- */

bool
pqti_solve_rows_make(pqti_solve_rows *rows, size_t balls)
{
    if (rows->locals == NULL)
        rows->locals = pqti_alloc_scratch(balls, sizeof *rows->locals);
    if (rows->locals == NULL)
        return false;
    memset(rows->locals, 0, balls * sizeof *rows->locals);
    return true;
}

static void
free_arrays(pqti_solve_rows *rows)
{
    pqti_free_scratch(rows->rows);
    pqti_free_scratch(rows->numbers);
    pqti_free_scratch(rows->members);
    pqti_free_scratch(rows->changes);
    rows->rows = NULL;
    rows->numbers = NULL;
    rows->members = NULL;
    rows->changes = NULL;
    rows->capacity = 0;
}

bool
pqti_solve_rows_reserve(pqti_solve_rows *rows, size_t contacts)
{
    size_t capacity = rows->capacity == 0 ? FIRST_CONTACTS : rows->capacity;
    while (capacity < contacts)
        capacity *= 2;
    if (capacity == rows->capacity)
        return true;
    free_arrays(rows);
    rows->rows = pqti_alloc_scratch(capacity, sizeof *rows->rows);
    rows->numbers = pqti_alloc_scratch(capacity, NUMBERS * sizeof *rows->numbers);
    rows->members = pqti_alloc_scratch(2 * capacity + 1, sizeof *rows->members);
    rows->changes = pqti_alloc_scratch(2 * capacity + 1, sizeof *rows->changes);
    if (rows->rows == NULL || rows->numbers == NULL || rows->members == NULL ||
        rows->changes == NULL) {
        free_arrays(rows);
        return false;
    }
    rows->capacity = capacity;
    return true;
}

void
pqti_solve_rows_free(pqti_solve_rows *rows)
{
    free_arrays(rows);
    pqti_free_scratch(rows->locals);
    rows->locals = NULL;
}

/* ---- The matrix ---- */

/* The contacts of a cluster or an island. Arrays have an even number of rows, the last of which may
 * be empty. */
typedef struct contact_cluster {
    pqti_contact *contacts;
    size_t count; /* the number of contacts */
    size_t even;  /* the number of rows */
    pqti_solve_rows *scratch;
    uint32_t members; /* number of balls, plus 1 because number 0 names no ball */
    pqti_solve_row *rows;
    double *values;     /* the variables, >= 0 */
    double *gradients;  /* (speed of departure + `allowed`) * scale; >= 0 when solved */
    double *directions; /* the current direction of the search */
    double *products;   /* the product of the matrix and `directions` */
    double *inverses;   /* the inverses of the scales; 0 for a scale of 0 */
    double step;        /* length of a step against the gradient that is sure not to add energy */
} contact_cluster;

void
pqti_contact_prepare(pqti_contact *contact, const pqti_ball *balls)
{
    const pqti_ball *a = &balls[contact->a], *b = &balls[contact->b];
    const bool only_a = contact->a == contact->b || b->is_static;
    const double mass = only_a         ? a->mass
                        : a->is_static ? b->mass
                                       : a->mass * pqti_ball_fraction(a, b);
    contact->scale = sqrt(mass);
    contact->push_a = a->is_static ? 0 : contact->scale / a->mass;
    contact->push_b = only_a ? 0 : contact->scale / b->mass;
}

/* Returns the number of a ball within the cluster, from 1. Adds the ball to the cluster if
 * necessary. */
static uint32_t
member_of(contact_cluster *cluster, uint32_t ball)
{
    if (cluster->scratch->locals[ball] == 0) {
        cluster->scratch->members[cluster->members] = ball;
        cluster->scratch->locals[ball] = cluster->members++;
    }
    return cluster->scratch->locals[ball];
}

/* Adds a row for a contact. Returns the amount by which its speed of approach exceeds the allowed
 * one. */
static double
add_row(contact_cluster *cluster, size_t row, size_t contact, const pqti_ball *balls,
        const pqt_vec *velocities)
{
    pqti_contact *c = &cluster->contacts[contact];
    const pqt_vec v = velocities[c->a];
    const pqt_vec w = c->a == c->b ? (pqt_vec){0, 0} : velocities[c->b];
    const double excess = pqti_dot(c->normal, (pqt_vec){v.x - w.x, v.y - w.y}) - c->allowed;
    pqti_contact_prepare(c, balls);
    cluster->rows[row] = (pqti_solve_row){.a = c->push_a == 0 ? 0 : member_of(cluster, c->a),
                                          .b = c->push_b == 0 ? 0 : member_of(cluster, c->b),
                                          .normal = c->normal,
                                          .push_a = c->push_a,
                                          .push_b = c->push_b,
                                          .scale = c->scale};
    cluster->inverses[row] = c->scale > 0 ? 1 / c->scale : 0;
    cluster->values[row] = c->scale > 0 ? c->lasting.impulse / c->scale : 0;
    cluster->gradients[row] = -excess * c->scale;
    return excess;
}

/* Returns the index of a row's contact. Consecutive rows come from STRIDES different parts of the
 * array of contacts. So they seldom share a ball, and a processor can update both at once. */
static size_t
contact_of_row(size_t count, size_t row)
{
    const size_t longer = count % STRIDES, length = count / STRIDES;
    const size_t full = length * STRIDES, part = row < full ? row % STRIDES : row - full;
    const size_t before = part * length + (part < longer ? part : longer);
    return before + (row < full ? row / STRIDES : length);
}

/* Adds a row for each contact, with the guess as its variable. Returns the largest amount by which
 * a speed of approach exceeds the allowed one before the guess is applied. */
static double
add_rows(contact_cluster *cluster, const pqti_ball *balls, const pqt_vec *velocities)
{
    double fastest = 0;
    for (size_t i = 0; i < cluster->count; i++)
        fastest = pqti_fmax(
            fastest, add_row(cluster, i, contact_of_row(cluster->count, i), balls, velocities));
    if (cluster->count < cluster->even) {
        cluster->rows[cluster->count] = (pqti_solve_row){.a = 0};
        cluster->inverses[cluster->count] = cluster->values[cluster->count] =
            cluster->gradients[cluster->count] = 0;
    }
    return fastest;
}

static void
clear_changes(const contact_cluster *cluster)
{
    memset(cluster->scratch->changes, 0, cluster->members * sizeof *cluster->scratch->changes);
}

/* Adds a vector to the change of a ball's velocity. */
static void
add_change(pqt_vec *change, pqti_f64x2 direction, double by)
{
    const pqti_f64x2 sum =
        pqti_f64x2_add(pqti_f64x2_load(&change->x), pqti_f64x2_scale(direction, by));
    pqti_f64x2_store(&change->x, sum);
}

/* Returns the products of the components of a change and a normal. */
static pqti_f64x2
products_of(const pqt_vec *change, pqti_f64x2 normal)
{
    return pqti_f64x2_mul(pqti_f64x2_load(&change->x), normal);
}

/* Returns the decreases in the speeds of approach of two rows, times scale, that the changes of
 * their balls' velocities cause. */
static pqti_f64x2
product_of_rows(const pqti_solve_row *row, const pqt_vec *changes)
{
    const pqti_f64x2 normal = pqti_f64x2_load(&row[0].normal.x);
    const pqti_f64x2 other = pqti_f64x2_load(&row[1].normal.x);
    const pqti_f64x2 a = products_of(&changes[row[0].a], normal);
    const pqti_f64x2 b = products_of(&changes[row[0].b], normal);
    const pqti_f64x2 c = products_of(&changes[row[1].a], other);
    const pqti_f64x2 d = products_of(&changes[row[1].b], other);
    const pqti_f64x2 of_a =
        pqti_f64x2_add(pqti_f64x2_transposed(a, c, 0), pqti_f64x2_transposed(a, c, 1));
    const pqti_f64x2 of_b =
        pqti_f64x2_add(pqti_f64x2_transposed(b, d, 0), pqti_f64x2_transposed(b, d, 1));
    return pqti_f64x2_mul(pqti_f64x2_sub(of_b, of_a), pqti_f64x2_of(row[0].scale, row[1].scale));
}

/* The numbers that give the length of a step along a direction. */
typedef struct line {
    double slope;      /* scalar product of the gradient and the direction */
    double curvature;  /* scalar product of the direction and the matrix times the direction */
    double max_length; /* length at which the first variable becomes 0 */
} line;

static double
sum_of(pqti_f64x2 pair)
{
    return pqti_f64x2_lane(pair, 0) + pqti_f64x2_lane(pair, 1);
}

/* Returns the length at which the variable of a row becomes 0, or `max_length` if that is less. */
static double
length_to_bound(const contact_cluster *cluster, size_t i, double max_length)
{
    const double direction = cluster->directions[i], value = cluster->values[i];
    return direction > 0 && value < max_length * direction ? value / direction : max_length;
}

/* Sets `products` to the matrix times `directions`, and returns the numbers along that
 * direction. */
static line
multiply_by_directions(const contact_cluster *cluster)
{
    pqt_vec *changes = cluster->scratch->changes;
    pqti_f64x2 slope = pqti_f64x2_splat(0), curvature = slope;
    double max_length = HUGE_VAL;
    clear_changes(cluster);
    for (size_t i = 0; i < cluster->count; i++) {
        const pqti_solve_row *row = &cluster->rows[i];
        const pqti_f64x2 normal = pqti_f64x2_load(&row->normal.x);
        add_change(&changes[row->a], normal, -cluster->directions[i] * row->push_a);
        add_change(&changes[row->b], normal, cluster->directions[i] * row->push_b);
    }
    changes[0] = (pqt_vec){0, 0};
    for (size_t i = 0; i < cluster->even; i += 2) {
        const pqti_f64x2 direction = pqti_f64x2_load(&cluster->directions[i]);
        const pqti_f64x2 product = product_of_rows(&cluster->rows[i], changes);
        const pqti_f64x2 limit = pqti_f64x2_scale(direction, max_length);
        pqti_f64x2_store(&cluster->products[i], product);
        slope = pqti_f64x2_add(slope,
                               pqti_f64x2_mul(pqti_f64x2_load(&cluster->gradients[i]), direction));
        curvature = pqti_f64x2_add(curvature, pqti_f64x2_mul(direction, product));
        if (pqti_mask64x2_any(pqti_f64x2_lt(pqti_f64x2_load(&cluster->values[i]), limit)))
            max_length = length_to_bound(cluster, i + 1, length_to_bound(cluster, i, max_length));
    }
    return (line){sum_of(slope), sum_of(curvature), max_length};
}

/* ---- The search ---- */

/* Measures of the two parts of the gradient, free and bound. The search continues with the larger
 * one. */
typedef struct gradient_parts {
    double free;    /* sum of squares over impulses > 0; one factor of each is limited so that a
                       step against the gradient ends at 0 */
    double bound;   /* sum of squares over impulses that are 0 and must grow */
    double fastest; /* the largest speed of approach, or of a departure that an impulse causes */
    double turn;    /* scalar product of the free gradient, not limited, and `products` */
} gradient_parts;

/* Returns the gradients, or directions, of the variables that are not 0, and 0 for the others. */
static pqti_f64x2
free_gradient(pqti_f64x2 value, pqti_f64x2 gradient)
{
    const pqti_f64x2 zero = pqti_f64x2_splat(0);
    return pqti_f64x2_select(pqti_f64x2_gt(value, zero), gradient, zero);
}

/* Returns the gradients of the variables that are 0 and must grow, and 0 for the others. */
static pqti_f64x2
bound_gradient(pqti_f64x2 value, pqti_f64x2 gradient)
{
    const pqti_f64x2 zero = pqti_f64x2_splat(0);
    return pqti_f64x2_select(pqti_f64x2_gt(value, zero), zero, pqti_f64x2_min(zero, gradient));
}

/* Moves the variables by `length` against the direction, and measures the gradient at the new
 * point. */
static gradient_parts
advance_search(const contact_cluster *cluster, double length)
{
    const pqti_f64x2 zero = pqti_f64x2_splat(0);
    pqti_f64x2 free = zero, bound = zero, fastest = zero, turn = zero;
    const double steepness = 1 / cluster->step;
    for (size_t i = 0; i < cluster->even; i += 2) {
        const pqti_f64x2 product = pqti_f64x2_load(&cluster->products[i]);
        const pqti_f64x2 direction = pqti_f64x2_load(&cluster->directions[i]);
        const pqti_f64x2 gradient = pqti_f64x2_sub(pqti_f64x2_load(&cluster->gradients[i]),
                                                   pqti_f64x2_scale(product, length));
        const pqti_f64x2 value = pqti_f64x2_relu(pqti_f64x2_sub(
            pqti_f64x2_load(&cluster->values[i]), pqti_f64x2_scale(direction, length)));
        const pqti_f64x2 whole = free_gradient(value, gradient);
        const pqti_f64x2 reduced = pqti_f64x2_min(whole, pqti_f64x2_scale(value, steepness));
        const pqti_f64x2 growing = bound_gradient(value, gradient);
        const pqti_f64x2 size = pqti_f64x2_abs(pqti_f64x2_add(reduced, growing));
        pqti_f64x2_store(&cluster->gradients[i], gradient);
        pqti_f64x2_store(&cluster->values[i], value);
        free = pqti_f64x2_add(free, pqti_f64x2_mul(reduced, whole));
        bound = pqti_f64x2_add(bound, pqti_f64x2_mul(growing, growing));
        turn = pqti_f64x2_add(turn, pqti_f64x2_mul(whole, product));
        fastest =
            pqti_f64x2_max(fastest, pqti_f64x2_mul(size, pqti_f64x2_load(&cluster->inverses[i])));
    }
    return (gradient_parts){sum_of(free), sum_of(bound),
                            pqti_fmax(pqti_f64x2_lane(fastest, 0), pqti_f64x2_lane(fastest, 1)),
                            sum_of(turn)};
}

/* Adds the contacts that must push, by minimising the energy along the bound part of the
 * gradient. */
static gradient_parts
add_contacts(const contact_cluster *cluster)
{
    for (size_t i = 0; i < cluster->even; i += 2)
        pqti_f64x2_store(&cluster->directions[i],
                         bound_gradient(pqti_f64x2_load(&cluster->values[i]),
                                        pqti_f64x2_load(&cluster->gradients[i])));
    const line l = multiply_by_directions(cluster);
    return advance_search(cluster, l.curvature > 0 ? l.slope / l.curvature : cluster->step);
}

/* Removes contacts that would pull, by a step against the gradient that is projected onto the
 * bounds. */
static gradient_parts
remove_contacts(const contact_cluster *cluster)
{
    for (size_t i = 0; i < cluster->even; i += 2) {
        const pqti_f64x2 value = pqti_f64x2_load(&cluster->values[i]);
        const pqti_f64x2 free = free_gradient(value, pqti_f64x2_load(&cluster->gradients[i]));
        const pqti_f64x2 next =
            pqti_f64x2_relu(pqti_f64x2_sub(value, pqti_f64x2_scale(free, cluster->step)));
        pqti_f64x2_store(&cluster->directions[i], pqti_f64x2_sub(value, next));
    }
    multiply_by_directions(cluster);
    return advance_search(cluster, 1);
}

/* The numbers that determine the next step of the search. */
typedef struct search_state {
    double turn; /* the next direction is the gradient minus this multiple of the previous one */
    double projected; /* length of the motion that is projected onto the bounds */
} search_state;

/* Sets the direction to `projected` times the difference between the free gradient and `turn` times
 * the previous direction. If a contact would pull at the end of this motion, its impulse stops at
 * 0. */
static void
turn_direction(const contact_cluster *cluster, search_state state)
{
    const double before = state.turn * state.projected;
    for (size_t i = 0; i < cluster->even; i += 2) {
        const pqti_f64x2 value = pqti_f64x2_load(&cluster->values[i]);
        const pqti_f64x2 free = free_gradient(value, pqti_f64x2_load(&cluster->gradients[i]));
        const pqti_f64x2 last = free_gradient(value, pqti_f64x2_load(&cluster->directions[i]));
        const pqti_f64x2 motion =
            pqti_f64x2_sub(pqti_f64x2_scale(free, state.projected), pqti_f64x2_scale(last, before));
        const pqti_f64x2 next = pqti_f64x2_relu(pqti_f64x2_sub(value, motion));
        pqti_f64x2_store(&cluster->directions[i], pqti_f64x2_sub(value, next));
    }
}

/* Takes one step of conjugate gradients along a projected direction: to the least energy, or to the
 * point at which the first contact would begin to pull. */
static gradient_parts
take_search_step(const contact_cluster *cluster, search_state *state)
{
    turn_direction(cluster, *state);
    const line l = multiply_by_directions(cluster);
    const double length = l.curvature > 0 ? l.slope / l.curvature : 0;
    state->turn = 0;
    if (!(length > 0)) {
        state->projected = cluster->step;
        return remove_contacts(cluster);
    }
    const gradient_parts parts = advance_search(cluster, pqti_fmin(length, l.max_length));
    state->projected =
        pqti_fmax(state->projected * pqti_fmin(length, LONGER) * GROWTH, cluster->step);
    state->turn = parts.turn / l.curvature;
    return parts;
}

/* Moves the variables from 0 to the guess. If `careful` is set, moves them to the multiple of the
 * guess, at most 1, that leaves the least energy. */
static gradient_parts
begin_search(const contact_cluster *cluster, bool careful)
{
    memcpy(cluster->directions, cluster->values, cluster->even * sizeof *cluster->values);
    memset(cluster->values, 0, cluster->even * sizeof *cluster->values);
    const line l = multiply_by_directions(cluster);
    const double best = !(l.slope < 0) ? 0 : l.curvature > 0 ? -l.slope / l.curvature : 1;
    const double scale = careful && best < 1 ? best : 1;
    return advance_search(cluster, -scale);
}

/* Returns a step length that is below 2 / (the largest eigenvalue of the matrix). The largest sum
 * of the absolute values in a row of the matrix is a bound on that eigenvalue. */
static double
length_of_steps(const contact_cluster *cluster)
{
    pqt_vec *changes = cluster->scratch->changes;
    double most = 1;
    clear_changes(cluster);
    for (size_t i = 0; i < cluster->count; i++) {
        changes[cluster->rows[i].a].x += cluster->rows[i].push_a;
        changes[cluster->rows[i].b].x += cluster->rows[i].push_b;
    }
    changes[0] = (pqt_vec){0, 0};
    for (size_t i = 0; i < cluster->count; i++) {
        const pqti_solve_row *row = &cluster->rows[i];
        most = pqti_fmax(most, (changes[row->a].x + changes[row->b].x) * row->scale);
    }
    return 1.9 / most;
}

static void
change_velocity(pqt_vec *velocity, pqt_vec normal, double by)
{
    velocity->x += normal.x * by;
    velocity->y += normal.y * by;
}

/* Applies the impulses, in the order of the contacts. */
static void
apply_impulses(const contact_cluster *cluster, pqt_vec *velocities)
{
    for (size_t i = 0; i < cluster->count; i++) {
        pqti_contact *c = &cluster->contacts[contact_of_row(cluster->count, i)];
        c->value = cluster->values[i];
        c->lasting.impulse = c->value * c->scale;
    }
    for (size_t i = 0; i < cluster->count; i++) {
        const pqti_contact *c = &cluster->contacts[i];
        if (c->value > 0 && c->push_a != 0)
            change_velocity(&velocities[c->a], c->normal, -c->value * c->push_a);
        if (c->value > 0 && c->push_b != 0)
            change_velocity(&velocities[c->b], c->normal, c->value * c->push_b);
    }
}

static contact_cluster
begin_cluster(pqti_contact *contacts, size_t count, pqti_solve_rows *rows)
{
    PQT_INVARIANT(count <= rows->capacity, "more contacts than rows");
    double *numbers = rows->numbers;
    const size_t capacity = rows->capacity;
    return (contact_cluster){.contacts = contacts,
                             .count = count,
                             .even = count + count % 2,
                             .scratch = rows,
                             .members = 1,
                             .rows = rows->rows,
                             .values = numbers,
                             .gradients = numbers + capacity,
                             .directions = numbers + 2 * capacity,
                             .products = numbers + 3 * capacity,
                             .inverses = numbers + 4 * capacity};
}

uint64_t
pqti_contacts_solve(pqti_contact *contacts, size_t count, const pqti_ball *balls,
                    pqt_vec *velocities, pqti_solve_rows *rows, const pqti_solve_limits *limits)
{
    uint64_t passes = 0;
    contact_cluster cluster = begin_cluster(contacts, count, rows);
    const double fastest = add_rows(&cluster, balls, velocities);
    cluster.step = length_of_steps(&cluster);
    search_state state = {.turn = 0, .projected = cluster.step};
    gradient_parts parts = begin_search(&cluster, limits->careful);
    const double enough = pqti_fmax(pqti_fmax(fastest * limits->cold_fraction, limits->speed),
                                    parts.fastest * limits->warm_fraction);
    for (; passes < limits->passes && !(parts.fastest <= enough); passes++) {
        if (parts.bound > parts.free) {
            parts = add_contacts(&cluster);
            state.turn = 0;
        } else {
            parts = take_search_step(&cluster, &state);
        }
    }
    apply_impulses(&cluster, velocities);
    for (uint32_t i = 1; i < cluster.members; i++)
        rows->locals[rows->members[i]] = 0;
    return passes;
}
