/* SPDX-License-Identifier: MIT */
/*
 * obstacle_toi.h: the obstacle of a world during a step: overlap and time of impact of balls.
 *
 * The position of a ball is never rounded to the pixel lattice; the edges of pixels are exact
 * doubles. One predicate decides what is free: the distance from the centre to the box of each
 * pixel (pqt_circle_overlaps_box). The first impact on a path is found by equations, and the
 * position of the stop is then adjusted until the predicate calls it free.
 */
#ifndef PQTI_OBSTACLE_TOI_H
#define PQTI_OBSTACLE_TOI_H

#include <pqt/region.h>
#include <pqt/region_overlap.h>

#include "region/collision/region_cursor.h"
#include "world/ball.h"

/* The predicted hit of a ball and its state; one for each ball of the step. */
typedef struct pqti_obstacle_hit {
    pqt_vec position;  /* the position of the centre at the impact; free */
    pqt_vec direction; /* to the pixel: a unit vector along an axis, or the vector to a corner */
    bool is_corner;
    bool is_near;     /* pixels are near its path: positions must be tested */
    bool is_embedded; /* it overlapped pixels when the step began */
} pqti_obstacle_hit;

typedef struct pqti_obstacle_view {
    const pqt_region *region;
    pqt_vec at;              /* a whole number of 1/1024 */
    pqt_box bounds;          /* the bounds of the pixels, world units */
    pqti_obstacle_hit *hits; /* by the rank of the ball; scratch memory */
    uint64_t nodes_visited;  /* counts the nodes visited by sweeps */
} pqti_obstacle_view;

/* Returns the radius that is used against pixels: at least one subpixel. */
static inline double
pqti_obstacle_view_radius(double radius)
{
    return pqti_fmax(radius, 1.0 / PQT_SUBPIXELS);
}

/* Returns a view without hits. `box` contains all pixels. */
pqti_obstacle_view pqti_obstacle_view_of(const pqt_region *region, pqt_vec at, pqt_pixel_box box);

/* Returns a cell in world coordinates; the sums are exact. */
pqt_box pqti_obstacle_cell_box(const pqti_obstacle_view *obstacle, const pqti_region_cursor *part);

/* Returns true if neither adjacent pixel shares an edge of the square at corner `i`; corners are
 * numbered as quadrants. */
bool pqti_obstacle_corner_is_free(const pqti_obstacle_view *obstacle,
                                  const pqti_region_cursor *part, int i);

/* Returns true if a ball of this radius at `position` overlaps pixels. */
bool pqti_obstacle_view_overlaps(const pqti_obstacle_view *obstacle, pqt_vec position,
                                 double radius);

/* Returns the time at which a ball hits a pixel if nothing else happens, and sets `hit`. Returns
 * PQTI_NEVER_EVENT if it does not before `end`, up to rounding. */
double pqti_obstacle_view_toi(pqti_obstacle_view *obstacle, const pqti_ball *ball, double end,
                              pqti_obstacle_hit *hit);

/* Returns a free position within the ball's centre bounds near `position`, which overlaps by no
 * more than rounding: outside the pixels, or if there is none, toward `from`, which is free. */
pqt_vec pqti_obstacle_view_nudge_free(const pqti_obstacle_view *obstacle, const pqti_ball *ball,
                                      pqt_vec from, pqt_vec position);

/* Returns the share of a push that ends just before the ball hits a pixel, with the direction to
 * the pixel in *toward; 1 if it hits none. */
double pqti_obstacle_view_free_share(pqti_obstacle_view *obstacle, const pqti_ball *ball,
                                     pqt_vec push, pqt_vec *toward);

/* Writes the motions along an axis that bring a ball from `position` out of all pixels, to a
 * position within its centre bounds: the shortest first, ties in the order left, right, up, down.
 * Returns their number. */
int pqti_obstacle_view_free_directions(const pqti_obstacle_view *obstacle, const pqti_ball *ball,
                                       pqt_vec position, pqt_vec directions[4]);

#endif
