/* SPDX-License-Identifier: MIT */
/* world_validate.c: validation of bodies at the API boundary. */
#include "config.h"

#include <math.h>

#include "base/error_internal.h"
#include "base/exact.h"
#include "base/format_double.h"
#include "base/fp.h"
#include "world/world_internal.h"

#define PI 3.14159265358979323846

/* A mass may exceed PQTI_WORLD_LIMIT, because the default is pi radius^2. */
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

/* Returns true if a number is finite and in range; else sets an error that names it. */
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
    static const char *const names[] = {"position.x", "position.y",     "velocity.x",
                                        "velocity.y", "acceleration.x", "acceleration.y"};
    const double values[] = {body->position.x, body->position.y,     body->velocity.x,
                             body->velocity.y, body->acceleration.x, body->acceleration.y};
    for (size_t i = 0; i < 6; i++)
        if (!validate_body_number(values[i], -HUGE_VAL, PQTI_WORLD_LIMIT, names[i], index, error))
            return false;
    return validate_body_number(body->radius, 0, PQTI_WORLD_LIMIT, "radius", index, error) &&
           validate_body_number(body->mass, 0, MAX_MASS, "mass", index, error);
}

static bool
is_at_rest(const pqt_body *body)
{
    return body->velocity.x == 0 && body->velocity.y == 0 && body->acceleration.x == 0 &&
           body->acceleration.y == 0;
}

static bool
has_space_for_centre(const pqt_world *world, const pqt_body *body)
{
    pqt_box center_bounds = pqti_world_centre_box(world, body->radius);
    return pqt_box_contains(center_bounds, body->position);
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
    if (a.mass == 0)
        a.mass = PI * (a.radius * a.radius);
    *admitted = a;
    if (a.mass == 0)
        pqti_error_set(error, PQT_ERROR_BODY, index, "body %zu: mass is 0, and so is its area",
                       index);
    else if (a.fixed && !is_at_rest(&a))
        pqti_error_set(error, PQT_ERROR_BODY, index,
                       "body %zu: it is fixed but has a velocity or an acceleration", index);
    else if (!has_space_for_centre(world, &a))
        pqti_error_set(
            error, PQT_ERROR_BOUNDS, index, "body %zu: position (%s %s) puts it outside the walls",
            index, pqti_format_double(a.position.x).text, pqti_format_double(a.position.y).text);
    else
        return true;
    return false;
}
