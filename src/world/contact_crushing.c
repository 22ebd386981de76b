/* SPDX-License-Identifier: MIT */
/* contact_crushing.c: finds crushed balls, and changes their contacts so that a solution exists. */
#include "config.h"

#include "world/contact_crushing.h"

/* Returns the speed of a contact's ball or, if that is greater and there is friction, of its
 * surface as it turns. */
static double
surface_speed(const pqti_contact *contact, const pqti_ball *ball, pqt_vec velocity, double spin)
{
    const double rim = contact->friction > 0 ? pqti_fabs(spin) * ball->radius : 0;
    return pqti_fmax(sqrt(pqti_dot(velocity, velocity)), rim);
}

static bool
any_is_kinematic(const pqti_contact *contacts, size_t count, const pqti_ball *balls)
{
    bool any = false;
    for (size_t i = 0; i < count; i++)
        any = any || balls[contacts[i].a].is_kinematic || balls[contacts[i].b].is_kinematic;
    return any;
}

double
pqti_contacts_crush_speed(const pqti_contact *contacts, size_t count, const pqti_ball *balls)
{
    double before = 0, kinematic = 0, rest = 0;
    if (!any_is_kinematic(contacts, count, balls))
        return HUGE_VAL;
    for (size_t i = 0; i < 2 * count; i++) {
        const pqti_ball *ball = &balls[pqti_contact_ball(contacts, i)];
        const double speed = surface_speed(&contacts[i / 2], ball, ball->velocity, ball->spin);
        rest = pqti_fmax(rest, ball->rest_speed);
        if (ball->is_kinematic)
            kinematic = pqti_fmax(kinematic, speed);
        else if (!ball->is_static)
            before = pqti_fmax(before, speed);
    }
    return pqti_fmax(before, PQTI_CRUSHED_SPEED * kinematic + rest);
}

bool
pqti_contacts_crush(const pqti_contact *contacts, size_t count, const pqti_ball *balls,
                    const pqti_solver_scratch *scratch, double crush_speed)
{
    bool crush = false;
    for (size_t i = 0; i < 2 * count && crush_speed < HUGE_VAL; i++) {
        const uint32_t k = pqti_contact_ball(contacts, i);
        const double speed =
            surface_speed(&contacts[i / 2], &balls[k], scratch->velocities[k], scratch->spins[k]);
        crush = crush || (!balls[k].is_static && !(speed <= crush_speed));
    }
    return crush;
}

void
pqti_contacts_ignore_kinematic(pqti_contact *contacts, size_t count, const pqti_ball *balls)
{
    for (size_t i = 0; i < count; i++) {
        pqti_contact *c = &contacts[i];
        double closing = 0;
        if (c->a != c->b && balls[c->a].is_kinematic)
            closing += pqti_dot(c->normal, balls[c->a].velocity);
        if (c->a != c->b && balls[c->b].is_kinematic)
            closing -= pqti_dot(c->normal, balls[c->b].velocity);
        if (closing > 0)
            c->allowed = pqti_fmax(c->allowed, 0) + closing;
    }
}

void
pqti_contacts_make_plain(pqti_contact *contacts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        pqti_contact *c = &contacts[i];
        c->allowed = pqti_fmax(c->allowed, 0);
        c->friction = c->friction_impulse = c->lasting.impulse = 0;
    }
}
