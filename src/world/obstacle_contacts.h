/* SPDX-License-Identifier: MIT */
/* obstacle_contacts.h: finds the resting contacts of a ball with the pixels of an obstacle. */
#ifndef PQTI_OBSTACLE_CONTACTS_H
#define PQTI_OBSTACLE_CONTACTS_H

#include "world/obstacle_toi.h"

/* The number of directions in which pixels may touch a ball: a side on the left, on the right,
 * above or below, and a corner in each quadrant. */
enum { PQTI_PIXEL_DIRECTIONS = 8 };

/* The contact with the nearest pixels in one direction. */
typedef struct pqti_pixel_contact {
    bool exists;
    pqt_vec normal; /* unit vector from the centre of the ball to the pixels */
    double gap;     /* distance from the ball, in world units; below 0 only by rounding */
} pqti_pixel_contact;

/* Finds the contacts of a ball, at its position, with the pixels within `max_gap` of it. Edges and
 * corners inside a flat side are not contacts. */
void pqti_obstacle_contacts_find(pqti_obstacle_view *obstacle, const pqti_ball *ball,
                                 double max_gap,
                                 pqti_pixel_contact contacts[PQTI_PIXEL_DIRECTIONS]);

#endif
