/* SPDX-License-Identifier: MIT */
/*
 * contact_friction.c: computes the friction of single contacts, and of contacts that are solved
 * together.
 *
 * Two solvers alternate. The first finds the impulses along the normals while the frictions are
 * fixed (contact_solver.c). The second finds the frictions, each of which is bounded by the impulse
 * along the normal of its contact. It takes the contacts in order, and each friction ends the slip
 * of its contact as far as its bound allows. The solvers alternate until the frictions change by no
 * more than the error allowed in an impulse along a normal, or until a limit of rounds is reached.
 * Each solver decreases the energy, except where a bound shrinks. In a wedge, where the impulses
 * along the normals and the frictions amplify each other, shrinking bounds can add much energy. So
 * the callers measure the added energy and, if there is some, solve both again, once each.
 *
 * Sources: Haslinger, Approximation of the Signorini problem with friction, obeying the Coulomb
 * law, 1983, alternates between frictions with fixed bounds and impulses along the normals. Catto,
 * Iterative dynamics with temporal coherence, 2005, solves one friction after another within its
 * bound.
 */
#include "config.h"

#include "world/contact_friction.h"

#include <string.h>

#include "memory/memory_internal.h"

/* Because of rounding, impulses may add this fraction of the energy that they remove. See
 * docs/world.md, "Friction". */
#define ADDED_FRACTION 0x1p-20

/* See docs/world.md, "Friction". */
enum {
    ROUNDS = 4, /* maximum number of rounds; the last one only bounds the frictions */
    SWEEPS = 8  /* maximum number of passes over the frictions in a round */
};

/* Contacts do not turn a ball with a smaller radius: the change of its spin could overflow. See
 * docs/world.md, "Friction". */
#define LEAST_RADIUS 0x1p-200

static bool
turns(const pqti_ball *ball)
{
    return ball->radius >= LEAST_RADIUS;
}

/* Returns the change of a ball's velocity at the point of contact that an impulse there causes, as
 * a multiple of the change at the centre: 1 + mass (lever radius)^2 / inertia. */
static double
rim_factor(const pqti_ball *ball, double lever)
{
    return turns(ball) ? 1 + 2 * lever * lever : 1;
}

/* Returns the change of a ball's spin that is caused by an impulse at the point of contact. The
 * impulse changes the velocity of the centre by `change`. */
static double
spin_change(const pqti_ball *ball, double lever, double change)
{
    return turns(ball) ? 2 * lever * change / ball->radius : 0;
}

static pqt_vec
tangent_of(pqt_vec normal)
{
    return (pqt_vec){-normal.y, normal.x};
}

static void
add_along(pqt_vec *velocity, pqt_vec direction, double by)
{
    velocity->x += direction.x * by;
    velocity->y += direction.y * by;
}

/* ---- Single contacts ---- */

void
pqti_friction_apply_pair(pqti_ball *a, pqti_ball *b, pqt_vec *velocity_a, pqt_vec *velocity_b,
                         pqt_vec between, double change)
{
    const double friction = pqti_ball_friction(a, b), square = pqti_dot(between, between);
    if (!(friction > 0) || square < PQTI_NO_LENGTH)
        return;
    const double length = sqrt(square), lever = length / (a->radius + b->radius);
    const pqt_vec tangent = tangent_of((pqt_vec){between.x / length, between.y / length});
    const double fraction_a = pqti_ball_fraction(a, b), fraction_b = pqti_ball_fraction(b, a);
    const double slip =
        pqti_dot(tangent, (pqt_vec){velocity_b->x - velocity_a->x, velocity_b->y - velocity_a->y}) -
        lever * (a->spin * a->radius + b->spin * b->radius);
    const double slip_response =
        rim_factor(a, lever) * fraction_a + rim_factor(b, lever) * fraction_b;
    const double by = pqti_clamp(slip / slip_response, -friction * change, friction * change);
    if (fraction_a > 0) {
        add_along(velocity_a, tangent, by * fraction_a);
        a->spin += spin_change(a, lever, by * fraction_a);
    }
    if (fraction_b > 0) {
        add_along(velocity_b, tangent, -by * fraction_b);
        b->spin += spin_change(b, lever, by * fraction_b);
    }
}

void
pqti_friction_apply_single(pqti_ball *ball, pqt_vec toward, double change)
{
    const double friction = ball->wall_friction, square = pqti_dot(toward, toward);
    if (!(friction > 0) || square < PQTI_NO_LENGTH)
        return;
    const double length = sqrt(square);
    const pqt_vec tangent = tangent_of((pqt_vec){toward.x / length, toward.y / length});
    const double slip = -pqti_dot(tangent, ball->velocity) - ball->spin * ball->radius;
    const double by = pqti_clamp(slip / rim_factor(ball, 1), -friction * change, friction * change);
    add_along(&ball->velocity, tangent, by);
    ball->spin += spin_change(ball, 1, by);
}

/* ---- Arrays ---- */

bool
pqti_solver_scratch_make(pqti_solver_scratch *scratch, size_t count)
{
    if (scratch->velocities != NULL)
        return true;
    scratch->velocities = pqti_alloc_scratch(count, sizeof *scratch->velocities);
    scratch->spins = pqti_alloc_scratch(count, sizeof *scratch->spins);
    if (scratch->velocities == NULL || scratch->spins == NULL ||
        !pqti_solve_rows_make(&scratch->rows, count)) {
        pqti_solver_scratch_free(scratch);
        return false;
    }
    memset(scratch->velocities, 0, count * sizeof *scratch->velocities);
    memset(scratch->spins, 0, count * sizeof *scratch->spins);
    return true;
}

void
pqti_solver_scratch_free(pqti_solver_scratch *scratch)
{
    pqti_free_scratch(scratch->velocities);
    pqti_free_scratch(scratch->spins);
    pqti_solve_rows_free(&scratch->rows);
    scratch->velocities = NULL;
    scratch->spins = NULL;
}

static void
load_ball(const pqti_solver_scratch *scratch, const pqti_ball *balls, uint32_t i)
{
    scratch->velocities[i] = balls[i].velocity;
    scratch->spins[i] = balls[i].spin;
}

void
pqti_solver_scratch_store(const pqti_solver_scratch *scratch, const pqti_contact *contacts,
                          size_t count, pqti_ball *balls)
{
    for (size_t i = 0; i < count; i++) {
        const uint32_t a = contacts[i].a, b = contacts[i].b;
        balls[a].velocity = scratch->velocities[a];
        balls[a].spin = scratch->spins[a];
        balls[b].velocity = scratch->velocities[b];
        balls[b].spin = scratch->spins[b];
    }
}

/* ---- Contacts solved together ---- */

/* The contacts of an island or a cluster, for which frictions are solved. */
typedef struct friction_contacts {
    pqti_contact *contacts;
    size_t count;
    const pqti_ball *balls;
    const pqti_solver_scratch *scratch;
} friction_contacts;

/* Returns the slip of a contact at the current velocities and spins. */
static double
slip_of(const pqti_contact *contact, const pqti_ball *balls, pqt_vec a, pqt_vec b, double spin_a,
        double spin_b)
{
    const pqt_vec tangent = tangent_of(contact->normal);
    const double lever = contact->lever;
    const double slip = -pqti_dot(tangent, a) - lever * spin_a * balls[contact->a].radius;
    if (contact->a == contact->b)
        return slip;
    return slip + pqti_dot(tangent, b) - lever * spin_b * balls[contact->b].radius;
}

/* Applies the friction of a contact to the velocities and spins of its balls. */
static void
apply_friction(const friction_contacts *frictions, const pqti_contact *c, double by)
{
    const pqt_vec tangent = tangent_of(c->normal);
    const double a = by * c->push_a, b = by * c->push_b;
    if (c->push_a != 0) {
        add_along(&frictions->scratch->velocities[c->a], tangent, a);
        frictions->scratch->spins[c->a] += spin_change(&frictions->balls[c->a], c->lever, a);
    }
    if (c->push_b != 0) {
        add_along(&frictions->scratch->velocities[c->b], tangent, -b);
        frictions->scratch->spins[c->b] += spin_change(&frictions->balls[c->b], c->lever, b);
    }
}

/* Sets the variables of the frictions to the guess, limited by the bounds that follow from the
 * guessed impulses along the normals. Returns false if no contact has friction. */
static bool
begin_frictions(const friction_contacts *frictions, bool careful)
{
    bool any = false;
    for (size_t i = 0; i < frictions->count; i++) {
        pqti_contact *c = &frictions->contacts[i];
        c->scaled_friction = 0;
        if (!(c->friction > 0))
            continue;
        any = true;
        pqti_contact_prepare(c, frictions->balls);
        c->slip_response = rim_factor(&frictions->balls[c->a], c->lever) * c->push_a +
                           rim_factor(&frictions->balls[c->b], c->lever) * c->push_b;
        const double bound = c->friction * c->lasting.impulse;
        if (!careful && c->scale > 0)
            c->scaled_friction = pqti_clamp(c->friction_impulse, -bound, bound) / c->scale;
    }
    return any;
}

/* Sets the velocities and spins to their values before the contacts, changed by the frictions
 * alone. */
static void
load_balls(const friction_contacts *frictions)
{
    for (size_t i = 0; i < frictions->count; i++) {
        load_ball(frictions->scratch, frictions->balls, frictions->contacts[i].a);
        load_ball(frictions->scratch, frictions->balls, frictions->contacts[i].b);
    }
    for (size_t i = 0; i < frictions->count; i++)
        if (frictions->contacts[i].scaled_friction != 0)
            apply_friction(frictions, &frictions->contacts[i],
                           frictions->contacts[i].scaled_friction);
}

/* Limits each friction to its bound. Unless `only_bound` is set, also lets each friction end the
 * slip of its contact. Returns the largest change of a slip. */
static double
sweep_frictions(const friction_contacts *frictions, bool only_bound)
{
    const pqti_solver_scratch *scratch = frictions->scratch;
    double most = 0;
    for (size_t i = 0; i < frictions->count; i++) {
        pqti_contact *c = &frictions->contacts[i];
        if (!(c->friction > 0 && c->slip_response > 0))
            continue;
        const double bound = c->friction * c->value;
        const double slip =
            slip_of(c, frictions->balls, scratch->velocities[c->a], scratch->velocities[c->b],
                    scratch->spins[c->a], scratch->spins[c->b]);
        const double wanted =
            only_bound ? c->scaled_friction : c->scaled_friction + slip / c->slip_response;
        const double scaled_friction = pqti_clamp(wanted, -bound, bound),
                     change = scaled_friction - c->scaled_friction;
        if (change != 0)
            apply_friction(frictions, c, change);
        c->scaled_friction = scaled_friction;
        most = pqti_fmax(most, pqti_fabs(change) * c->slip_response);
    }
    return most;
}

/* Solves the frictions for the impulses along the normals, and counts the passes. Returns true if
 * no slip changes by more than the limits allow. */
static bool
solve_frictions(const friction_contacts *frictions, const pqti_solve_limits *limits,
                uint64_t *passes)
{
    const double first = sweep_frictions(frictions, false);
    const double enough = pqti_fmax(limits->speed, limits->cold_fraction * first);
    double change = first;
    for (int i = 1; i < SWEEPS && change > enough; i++, ++*passes)
        change = sweep_frictions(frictions, false);
    ++*passes;
    return first <= limits->speed;
}

uint64_t
pqti_contacts_solve_with_friction(pqti_contact *contacts, size_t count, const pqti_ball *balls,
                                  pqti_solver_scratch *scratch, const pqti_solve_limits *limits)
{
    const friction_contacts frictions = {contacts, count, balls, scratch};
    const bool any = begin_frictions(&frictions, limits->careful || limits->once);
    pqti_solve_limits next = *limits;
    uint64_t passes = 0;
    for (int round = 1; round <= ROUNDS; round++) {
        load_balls(&frictions);
        passes +=
            pqti_contacts_solve(contacts, count, balls, scratch->velocities, &scratch->rows, &next);
        if (!any)
            break;
        if (round == ROUNDS) {
            sweep_frictions(&frictions, true);
            passes++;
        } else if (solve_frictions(&frictions, limits, &passes) || limits->once) {
            break;
        }
        next.careful = false;
    }
    for (size_t i = 0; any && i < count; i++)
        contacts[i].friction_impulse = contacts[i].scaled_friction * contacts[i].scale;
    return passes;
}

/* ---- Energy ---- */

/* Returns the speed at which the balls of a contact approach. */
static double
approach_of(const pqti_contact *c, pqt_vec a, pqt_vec b)
{
    return c->a == c->b ? pqti_dot(c->normal, a)
                        : pqti_dot(c->normal, (pqt_vec){a.x - b.x, a.y - b.y});
}

/* Returns the kinetic energy that the friction of a contact adds. */
static double
energy_of_friction(const pqti_contact *c, const pqti_ball *balls,
                   const pqti_solver_scratch *scratch)
{
    const pqti_ball *a = &balls[c->a], *b = &balls[c->b];
    if (c->friction_impulse == 0)
        return 0;
    const double before = slip_of(c, balls, a->velocity, b->velocity, a->spin, b->spin);
    const double after = slip_of(c, balls, scratch->velocities[c->a], scratch->velocities[c->b],
                                 scratch->spins[c->a], scratch->spins[c->b]);
    return -c->friction_impulse * (before + after) / 2;
}

/* The work done by an impulse is its product with the mean speed of departure. */
bool
pqti_contacts_add_energy(const pqti_contact *contacts, size_t count, const pqti_ball *balls,
                         const pqti_solver_scratch *scratch)
{
    double added = 0, ended = 0;
    for (size_t i = 0; i < count; i++) {
        const pqti_contact *c = &contacts[i];
        const double before = approach_of(c, balls[c->a].velocity, balls[c->b].velocity);
        const double after = approach_of(c, scratch->velocities[c->a], scratch->velocities[c->b]);
        added += c->lasting.impulse * (pqti_fmin(c->allowed, 0) - (before + after) / 2);
        added += energy_of_friction(c, balls, scratch);
        ended += c->lasting.impulse * pqti_fmax(before, 0) / 2;
    }
    return !(added <= ADDED_FRACTION * ended); /* true if the sums overflow */
}
