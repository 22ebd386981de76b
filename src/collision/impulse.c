/* SPDX-License-Identifier: MIT */
/*
 * impulse.c - what two bodies do when they meet.
 *
 * Each takes on its share of the change of speed: the other's part of the mass of both. A share is
 * worked out from the ratio of the masses, so that no sum of them overflows, and is 0 or 1 where
 * one is infinite.
 */
#include "config.h"

#include <pqt/contact.h>

#include <math.h>

static bool
is_moving(const pqt_moving *body)
{
    return pqt_vec_is_finite(body->velocity) && body->mass > 0;
}

/* Of the change of speed, what falls to a body that meets one of another mass. */
static double
share_of(double mass, double other)
{
    return isinf(other) ? 1 : 1 / (1 + mass / other);
}

pqt_rebound
pqt_contact_respond(pqt_moving a, pqt_moving b, pqt_vec normal, double restitution)
{
    pqt_rebound after = {false, a.velocity, b.velocity};
    bool valid = is_moving(&a) && is_moving(&b) && pqt_vec_is_finite(normal) && restitution >= 0 &&
                 restitution <= 1;
    if (!valid || (isinf(a.mass) && isinf(b.mass)))
        return after;
    double departure = pqt_vec_dot(pqt_vec_subtract(a.velocity, b.velocity), normal);
    double change = -departure * (1 + restitution);
    if (!(departure < 0) || isinf(change))
        return after;
    pqt_vec to_a = pqt_vec_scale(normal, change * share_of(a.mass, b.mass));
    pqt_vec to_b = pqt_vec_scale(normal, change * share_of(b.mass, a.mass));
    pqt_rebound parted = {true, pqt_vec_add(a.velocity, to_a), pqt_vec_subtract(b.velocity, to_b)};
    bool fits = pqt_vec_is_finite(parted.a) && pqt_vec_is_finite(parted.b);
    return fits ? parted : after;
}
