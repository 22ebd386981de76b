/* SPDX-License-Identifier: MIT */
/*
 * obstacle_toi.h - the obstacle of a world during a step: where balls overlap it, and where they
 * come to it.
 *
 * The ball's place is never rounded to the pixels' lattice; the pixels' edges are doubles, exactly.
 * What is free is decided in one way, by the distance of the centre from the box of each pixel
 * (pqt_circle_overlaps_box); what comes first on a way is found by equations, and the place of the
 * stop is then made to be free in that one way.
 */
#ifndef PQTI_OBSTACLE_TOI_H
#define PQTI_OBSTACLE_TOI_H

#include <pqt/region.h>
#include <pqt/region_overlap.h>

#include "world/ball.h"

/* What is foreseen for a ball, or known of it; one for each ball of the step. */
typedef struct pqti_obstacle_hit {
    pqt_vec position; /* of the centre when it comes to a pixel; free */
    pqt_vec
        direction; /* from there to what it comes to: of length 1 along an axis, or to a corner */
    bool is_corner;
    bool is_near;     /* pixels are near the way that it flies: its places are to be asked about */
    bool is_embedded; /* it overlapped pixels when the step began */
} pqti_obstacle_hit;

typedef struct pqti_obstacle_view {
    const pqt_region *region;
    pqt_vec at;              /* in whole 1/1024 */
    pqt_box bounds;          /* of the pixels, world units */
    pqti_obstacle_hit *hits; /* by the rank of the ball; scratch memory */
    uint64_t nodes_visited;  /* looked into on ways */
} pqti_obstacle_view;

/* What meets pixels is no smaller than a step of their lattice. */
static inline double
pqti_obstacle_view_radius(double radius)
{
    return pqti_fmax(radius, 1.0 / PQT_SUBPIXELS);
}

/* No hits yet. `box` holds all pixels. */
pqti_obstacle_view pqti_obstacle_view_of(const pqt_region *region, pqt_vec at, pqt_pixel_box box);

/* Whether a ball of this radius overlaps pixels there. */
bool pqti_obstacle_view_overlaps(const pqti_obstacle_view *obstacle, pqt_vec position,
                                 double radius);

/*
 * When a ball comes to a pixel if nothing else happens; PQTI_NEVER_EVENT: not before `end`, but for
 * rounding. The hit tells the rest.
 */
double pqti_obstacle_view_toi(pqti_obstacle_view *obstacle, const pqti_ball *ball, double end,
                              pqti_obstacle_hit *hit);

/*
 * The free place, within the ball's room, that is near one which overlaps by no more than rounding:
 * out of the pixels, or else back toward `from`, which is free.
 */
pqt_vec pqti_obstacle_view_nudge_free(const pqti_obstacle_view *obstacle, const pqti_ball *ball,
                                      pqt_vec from, pqt_vec position);

/*
 * The share of a push that ends just before a ball comes to a pixel, and then the direction of what
 * it comes to; 1: it comes to none.
 */
double pqti_obstacle_view_free_share(pqti_obstacle_view *obstacle, const pqti_ball *ball,
                                     pqt_vec push, pqt_vec *toward);

/*
 * The ways along an axis that lead a ball from `position` out of all pixels and end in its room,
 * the shortest first; of equal ones left, right, up, down. How many there are.
 */
int pqti_obstacle_view_free_directions(const pqti_obstacle_view *obstacle, const pqti_ball *ball,
                                       pqt_vec position, pqt_vec ways[4]);

#endif
