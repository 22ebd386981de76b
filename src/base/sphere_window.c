/* SPDX-License-Identifier: MIT */
/*
 * sphere_window.c: relations to windows on the sphere.
 *
 * The relation table (relation.h) compares one side of an item with one side of the window, and the
 * other two sides the other way round. On a circle, this must hold after some number of turns is
 * added to the window. If it holds for any number, it holds for the greatest one for which the
 * second comparison does, because the first one becomes easier with each turn.
 */
#include "config.h"

#include <pqt/sphere.h>

#include <float.h>

#include "base/error_internal.h"
#include "base/exact.h"
#include "base/relation.h"
#include "base/sphere_internal.h"

enum { DEGREES_PER_TURN = 360 };

/* Returns the sign of a - b - turns * 360, computed exactly. */
static int
compare_after(double a, double b, int turns)
{
    const double difference = a - b, whole = (double)turns * DEGREES_PER_TURN;
    const double error = pqti_two_sum_error(a, -b, difference);
    if (difference != whole)
        return difference > whole ? 1 : -1;
    return (error > 0) - (error < 0);
}

/* Returns the greatest number of turns that can be added to `side` so that it is at most `limit`,
   or below it if `is_strict`. */
static int
most_turns(double side, double limit, bool is_strict)
{
    int turns = (int)((limit - side) / DEGREES_PER_TURN); /* not below, as rounding keeps order */
    while (compare_after(limit, side, turns) < (is_strict ? 1 : 0))
        turns--;
    return turns;
}

/* Returns true if an interval of longitudes goes all the way round. */
static bool
goes_round(double min, double max)
{
    return compare_after(max, min, 1) >= 0;
}

static bool
longitudes_relate(const pqt_box *item, const pqt_box *window, pqt_relation relation)
{
    const pqti_relation_rule rule = pqti_relation_rule_of(relation);
    if (goes_round(window->min.x, window->max.x))
        return !rule.swaps_window || goes_round(item->min.x, item->max.x);
    if (goes_round(item->min.x, item->max.x))
        return !rule.swaps_item;
    const pqt_box a = pqti_box_with_sides_swapped(*item, rule.swaps_item);
    const pqt_box w = pqti_box_with_sides_swapped(*window, rule.swaps_window);
    const int turns = most_turns(w.min.x, a.max.x, rule.is_strict);
    return compare_after(a.min.x, w.max.x, turns) <= (rule.is_strict ? -1 : 0);
}

/* Returns the box whose both axes are the latitudes of a box. */
static pqt_box
latitudes_of(const pqt_box *box)
{
    return (pqt_box){{box->min.y, box->min.y}, {box->max.y, box->max.y}};
}

bool
pqti_relates_on_sphere(const pqt_box *item, const pqt_box *window, pqt_relation relation)
{
    return pqti_boxes_relate(latitudes_of(item), latitudes_of(window), relation) &&
           longitudes_relate(item, window, relation);
}

bool
pqti_sphere_window_of(const pqt_box *given, pqt_box *window)
{
    const bool round = given->min.x < -DBL_MAX || given->max.x > DBL_MAX;
    *window = pqti_box_positive_zero(*given);
    if (round && given->min.x <= given->max.x) {
        window->min.x = -DEGREES_PER_TURN / 2;
        window->max.x = DEGREES_PER_TURN / 2;
    }
    if (given->min.y < -DBL_MAX)
        window->min.y = -PQTI_MOST_LATITUDE;
    if (given->max.y > DBL_MAX)
        window->max.y = PQTI_MOST_LATITUDE;
    return pqti_is_on_sphere(window);
}

bool
pqt_sphere_window(double west, double south, double east, double north, pqt_box *window)
{
    pqt_box whole;
    PQT_ASSERT(window != NULL, "the window is NULL");
    *window = pqt_sphere_box(west, south, east, north);
    return pqti_sphere_window_of(window, &whole);
}

pqt_box
pqti_part_on_sphere(const pqt_box *box)
{
    return (pqt_box){
        {pqti_fmax(box->min.x, -PQTI_MOST_LONGITUDE), pqti_fmax(box->min.y, -PQTI_MOST_LATITUDE)},
        {pqti_fmin(box->max.x, PQTI_MOST_LONGITUDE), pqti_fmin(box->max.y, PQTI_MOST_LATITUDE)}};
}

bool
pqt_sphere_relates(pqt_box item, pqt_box window, pqt_relation relation)
{
    pqt_box whole;
    PQT_ASSERT(pqti_relation_is_valid(relation), "the relation is not a pqt_relation");
    return pqti_is_on_sphere(&item) && pqti_sphere_window_of(&window, &whole) &&
           pqti_relates_on_sphere(&item, &whole, relation);
}
