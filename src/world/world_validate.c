/* SPDX-License-Identifier: MIT */
/* world_validate.c: validates bodies at the API boundary, and states of rest. */
#include "config.h"

#include <math.h>

#include "base/error_internal.h"
#include "base/exact.h"
#include "base/format_double.h"
#include "base/fp.h"
#include "world/world_internal.h"

#define PI 3.14159265358979323846

/* A mass may exceed PQTI_WORLD_LIMIT, because the default is pi radius^2. See docs/world.md,
 * "Ranges". */
#define MAX_MASS 0x1p402

pqt_box
pqti_world_centre_box(const pqt_world *world, double radius)
{
    const pqt_box *bounds = &world->tree->domain->bounds;
    if (world->walls == 0)
        return (pqt_box){{-HUGE_VAL, -HUGE_VAL}, {HUGE_VAL, HUGE_VAL}};
    return (pqt_box){
        {pqti_add_round_up(bounds->min.x, radius), pqti_add_round_up(bounds->min.y, radius)},
        {pqti_sub_round_down(bounds->max.x, radius), pqti_sub_round_down(bounds->max.y, radius)}};
}

/* Returns true if a number is finite and in range. Otherwise, returns false and sets an error that
 * names the number. */
static bool
validate_body_number(double value, double min, double max, const char *name, size_t index,
                     pqt_error *error)
{
    const char *problem = NULL;
    if (!isfinite(value))
        problem = "is not finite";
    else if (pqti_fabs(value) > max)
        problem = max == MAX_MASS ? "is beyond 2^402" : "is beyond 2^200";
    else if (value < min)
        problem = "is negative";
    if (problem == NULL)
        return true;
    pqti_double_text number = pqti_format_double(value);
    pqti_error_set(error, PQT_ERROR_BODY, index, "body %zu: %s %s %s", index, name, number.text,
                   problem);
    return false;
}

static bool
check_numbers(const pqt_body *body, size_t index, pqt_error *error)
{
    static const char *const names[] = {"position.x", "position.y",      "velocity.x",
                                        "velocity.y", "acceleration.x",  "acceleration.y",
                                        "angle",      "angular_velocity"};
    const double values[] = {body->position.x, body->position.y,      body->velocity.x,
                             body->velocity.y, body->acceleration.x,  body->acceleration.y,
                             body->angle,      body->angular_velocity};
    for (size_t i = 0; i < 8; i++)
        if (!validate_body_number(values[i], -HUGE_VAL, PQTI_WORLD_LIMIT, names[i], index, error))
            return false;
    return validate_body_number(body->radius, 0, PQTI_WORLD_LIMIT, "radius", index, error) &&
           validate_body_number(body->mass, 0, MAX_MASS, "mass", index, error) &&
           validate_body_number((double)body->friction, 0, PQTI_WORLD_LIMIT, "friction", index,
                                error);
}

static bool
has_space_for_centre(const pqt_world *world, const pqt_body *body)
{
    pqt_box centre_bounds = pqti_world_centre_box(world, body->radius);
    return pqt_box_contains(centre_bounds, body->position);
}

static pqt_vec
without_negative_zero(pqt_vec v)
{
    return (pqt_vec){v.x + 0.0, v.y + 0.0};
}

bool
pqti_validate_body(const pqt_world *world, const pqt_body *body, size_t index, pqt_body *admitted,
                   pqt_error *error)
{
    if (!check_numbers(body, index, error))
        return false;
    pqt_body a = *body;
    a.position = without_negative_zero(a.position);
    a.velocity = without_negative_zero(a.velocity);
    a.acceleration = without_negative_zero(a.acceleration);
    a.radius += 0.0;
    a.angle += 0.0;
    a.angular_velocity += 0.0;
    a.friction += 0.0F;
    if (a.mass == 0)
        a.mass = PI * (a.radius * a.radius);
    *admitted = a;
    if (a.mass == 0)
        pqti_error_set(error, PQT_ERROR_BODY, index, "body %zu: mass is 0, and so is its area",
                       index);
    else if (a.fixed && (a.kinematic || a.velocity.x != 0 || a.velocity.y != 0))
        pqti_error_set(error, PQT_ERROR_BODY, index, "body %zu: it is fixed but %s", index,
                       a.kinematic ? "also kinematic" : "has a velocity");
    else if (a.fixed && a.angular_velocity != 0)
        pqti_error_set(error, PQT_ERROR_BODY, index,
                       "body %zu: it is fixed but has an angular velocity", index);
    else if ((a.fixed || a.kinematic) && (a.acceleration.x != 0 || a.acceleration.y != 0))
        pqti_error_set(error, PQT_ERROR_BODY, index, "body %zu: it is %s but has an acceleration",
                       index, a.fixed ? "fixed" : "kinematic");
    else if (!has_space_for_centre(world, &a))
        pqti_error_set(
            error, PQT_ERROR_BOUNDS, index, "body %zu: position (%s %s) puts it outside the walls",
            index, pqti_format_double(a.position.x).text, pqti_format_double(a.position.y).text);
    else
        return true;
    return false;
}

/* ---- States of rest ---- */

/* Returns true if a body is fixed or kinematic, and does not move. */
static bool
supports(const pqt_world *world, uint64_t id)
{
    pqt_body body;
    return pqti_bodymap_find(&world->bodies, id, &body) && (body.fixed || body.kinematic) &&
           body.velocity.x == 0 && body.velocity.y == 0;
}

static bool
sleeps(const pqt_world *world, uint64_t id)
{
    return pqti_rest_find_body(world->rest.asleep, id) != SIZE_MAX;
}

static bool
has_body(const pqt_world *world, uint64_t id)
{
    pqt_body body;
    return pqti_bodymap_find(&world->bodies, id, &body);
}

/* Returns a description of the fault of a lasting contact, or NULL if there is none. `asleep`
 * selects the rules for contacts of sleeping bodies. */
static const char *
contact_fault(const pqt_world *world, const pqti_lasting_contact *contact, bool asleep)
{
    const bool low = sleeps(world, contact->low), high = sleeps(world, contact->high);
    if (!has_body(world, contact->low) || !has_body(world, contact->high))
        return "a lasting contact has no body";
    if (!asleep)
        return low || high ? "a lasting contact of awake bodies names a body that is asleep" : NULL;
    if ((!low && !high) || (!low && !supports(world, contact->low)) ||
        (!high && !supports(world, contact->high)))
        return "a lasting contact of sleeping bodies names a body that is awake";
    return NULL;
}

/* Returns a description of the fault of a quiet or sleeping body, or NULL if there is none. */
static const char *
quiet_fault(const pqt_world *world, const pqti_quiet_body *quiet, bool asleep)
{
    pqt_body body;
    if (!pqti_bodymap_find(&world->bodies, quiet->id, &body))
        return "there is no body with the id of a quiet one";
    if (quiet->steps == 0 || body.fixed || body.kinematic)
        return "a body that is quiet has no quiet steps, or is fixed or kinematic";
    if (asleep && (body.velocity.x != 0 || body.velocity.y != 0 || body.angular_velocity != 0))
        return "a body that is asleep moves";
    if (!asleep && sleeps(world, quiet->id))
        return "a body is awake and asleep";
    return NULL;
}

static const char *
gravity_fault(const pqti_rest_draft *draft, bool asleep)
{
    const pqt_vec g = draft->gravity;
    if (!(pqti_fabs(g.x) <= PQTI_WORLD_LIMIT && pqti_fabs(g.y) <= PQTI_WORLD_LIMIT) ||
        (g.x == 0 && signbit(g.x)) || (g.y == 0 && signbit(g.y)))
        return "the gravity of sleeping bodies is invalid";
    return !asleep && (g.x != 0 || g.y != 0) ? "gravity is stored for awake bodies" : NULL;
}

static const char *
state_fault(const pqt_world *world, const pqti_rest_state *state, bool asleep)
{
    const pqti_rest_draft draft = pqti_rest_draft_of(state);
    const char *fault = gravity_fault(&draft, asleep);
    for (size_t i = 0; fault == NULL && i < draft.body_count; i++) {
        fault = quiet_fault(world, &draft.bodies[i], asleep);
        if (fault == NULL && i > 0 &&
            pqti_id_key(draft.bodies[i - 1].id) >= pqti_id_key(draft.bodies[i].id))
            fault = "quiet bodies are not in order";
    }
    for (size_t i = 0; fault == NULL && i < draft.contact_count; i++) {
        const pqti_lasting_contact *contact = &draft.contacts[i];
        fault = pqti_lasting_contact_fault(contact, i == 0 ? NULL : contact - 1);
        if (fault == NULL)
            fault = contact_fault(world, contact, asleep);
        if (fault == NULL && contact->side >= PQTI_LASTING_FRICTION &&
            pqti_rest_impulse(state, contact->low, contact->high, pqti_lasting_side(contact)) == 0)
            fault = "a friction has no contact";
    }
    if (fault == NULL && asleep && state != NULL && draft.body_count == 0)
        fault = "no body is asleep";
    if (fault == NULL && state != NULL && !pqti_rest_is_summed(state))
        fault = "the fingerprint does not match the bodies that rest";
    return fault;
}

const char *
pqti_validate_rest(const pqt_world *world)
{
    const char *fault = state_fault(world, world->rest.asleep, true);
    return fault != NULL ? fault : state_fault(world, world->rest.awake, false);
}
