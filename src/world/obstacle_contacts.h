/* SPDX-License-Identifier: MIT */
/* obstacle_contacts.h: the contacts at rest of a ball with the pixels of an obstacle. */
#ifndef PQTI_OBSTACLE_CONTACTS_H
#define PQTI_OBSTACLE_CONTACTS_H

#include "world/obstacle_toi.h"

/* The directions in which pixels may hold a ball: toward a side to the left, right, above and
 * below, and toward a corner in each quadrant. */
enum { PQTI_PIXEL_DIRECTIONS = 8 };

/* The nearest pixels in one direction. */
typedef struct pqti_pixel_contact {
    bool exists;
    pqt_vec normal; /* unit vector from the centre to them */
    double gap;     /* from the ball, world units; below 0 by rounding only */
} pqti_pixel_contact;

/* Sets the contacts of a ball at its position with the pixels within `reach` of it. Edges and
 * corners inside a flat side are not contacts. */
void pqti_obstacle_contacts_find(pqti_obstacle_view *obstacle, const pqti_ball *ball, double reach,
                                 pqti_pixel_contact contacts[PQTI_PIXEL_DIRECTIONS]);

#endif
