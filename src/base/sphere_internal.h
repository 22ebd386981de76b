/* SPDX-License-Identifier: MIT */
/*
 * sphere_internal.h: distances from points (sphere.c) and relations to windows (sphere_window.c) on
 * the sphere, for searches.
 *
 * A search ranks items by their distances in metres, but rejects most of them by haversines, whose
 * order is the same: the haversine of an angle is hav(a) = sin^2(a / 2).
 */
#ifndef PQTI_SPHERE_INTERNAL_H
#define PQTI_SPHERE_INTERNAL_H

#include <stdbool.h>

#include <pqt/sphere.h>

#include "base/validate.h"

#define PQTI_MOST_LATITUDE 90.0
#define PQTI_MOST_LONGITUDE 540.0

/*
 * An upper bound on the amount by which a computed haversine to a box may exceed the computed
 * haversine to a box inside it. The greatest that test_sphere finds is below a third of this.
 */
#define PQTI_HAVERSINE_ERROR 4e-15

/* Does the same as pqt_box_is_on_sphere. */
static inline bool
pqti_is_on_sphere(const pqt_box *box)
{
    return (box->min.x <= box->max.x) & (box->min.y <= box->max.y) &
           (box->min.x >= -PQTI_MOST_LONGITUDE) & (box->max.x <= PQTI_MOST_LONGITUDE) &
           (box->min.y >= -PQTI_MOST_LATITUDE) & (box->max.y <= PQTI_MOST_LATITUDE);
}

/* A point from which distances are measured. */
typedef struct pqti_sphere_point {
    pqt_vec at;
    double sin_latitude, cos_latitude;
} pqti_sphere_point;

pqti_sphere_point pqti_sphere_point_of(pqt_vec at);

/* Returns the haversine of the angle to a box on the sphere. */
double pqti_haversine(const pqti_sphere_point *from, const pqt_box *box);

/* Returns the distance in metres whose haversine this is. */
double pqti_metres_of_haversine(double haversine);

/* Returns a haversine that is not exceeded by those of distances up to this one, and hardly
   greater. */
double pqti_haversine_of_metres(double metres);

/*
 * Makes a window on the sphere from a given one, whose sides may be infinite. Returns false if it
 * is not on the sphere.
 */
bool pqti_sphere_window_of(const pqt_box *given, pqt_box *window);

/* Does the same as pqt_sphere_relates for an item on the sphere and a window from
   pqti_sphere_window_of. */
bool pqti_relates_on_sphere(const pqt_box *item, const pqt_box *window, pqt_relation relation);

/* Returns the part of a box on the sphere. The sides of the box may be infinite. The result is
   inverted if there is no such part. */
pqt_box pqti_part_on_sphere(const pqt_box *box);

#endif
