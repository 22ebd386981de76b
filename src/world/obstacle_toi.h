/* SPDX-License-Identifier: MIT */
/*
 * obstacle_toi.h: finds overlaps and times of impact of balls with the obstacle of a world during a
 * step.
 *
 * The position of a ball is never rounded to the pixel lattice; the edges of pixels are exact
 * doubles. One predicate decides whether a position is free. It compares the radius with the
 * distance from the centre to the box of each pixel (pqt_circle_overlaps_box). The first impact on
 * a path is found by solving equations, and the position of the stop is then adjusted until the
 * predicate holds.
 */
#ifndef PQTI_OBSTACLE_TOI_H
#define PQTI_OBSTACLE_TOI_H

#include <pqt/region.h>
#include <pqt/region_overlap.h>

#include "region/collision/region_cursor.h"
#include "world/ball.h"

/* The predicted hit of a ball on the obstacle, and related state. Each ball of the step has one. */
typedef struct pqti_obstacle_hit {
    pqt_vec position;  /* the position of the centre at the impact, which is free */
    pqt_vec direction; /* unit vector along an axis to the pixel, or the vector to a corner */
    bool is_corner;
    bool is_near;     /* pixels are near its path, so its positions must be tested */
    bool is_embedded; /* it overlapped pixels when the step began */
} pqti_obstacle_hit;

typedef struct pqti_obstacle_view {
    const pqt_region *region;
    pqt_vec at;              /* offset of the region, a multiple of 1/1024 */
    pqt_box bounds;          /* the bounds of the pixels, in world units */
    pqti_obstacle_hit *hits; /* indexed by the rank of a ball, in scratch memory */
    uint64_t nodes_visited;  /* number of nodes that sweeps visited */
} pqti_obstacle_view;

/* Returns the radius with which a ball is tested against pixels: at least one subpixel. */
static inline double
pqti_obstacle_view_radius(double radius)
{
    return pqti_fmax(radius, 1.0 / PQT_SUBPIXELS);
}

/* Returns a view without hits. `box` contains all pixels. */
pqti_obstacle_view pqti_obstacle_view_of(const pqt_region *region, pqt_vec at,
                                         const pqt_pixel_box *box);

/* Returns the box of a cell in world coordinates. The sums are exact. */
pqt_box pqti_obstacle_cell_box(const pqti_obstacle_view *obstacle, const pqti_region_cursor *part);

/* Returns true if no adjacent pixel shares one of the two edges that end at corner `i` of a square.
 * Corners are numbered like quadrants. */
bool pqti_obstacle_corner_is_free(const pqti_obstacle_view *obstacle,
                                  const pqti_region_cursor *part, int i);

/* Returns true if a ball of this radius at `position` overlaps pixels. */
bool pqti_obstacle_view_overlaps(const pqti_obstacle_view *obstacle, pqt_vec position,
                                 double radius);

/* Returns the time at which a ball hits a pixel if nothing else happens, and sets `hit`. Returns
 * PQTI_NEVER_EVENT if it does not hit one before `end`, up to rounding. */
double pqti_obstacle_view_toi(pqti_obstacle_view *obstacle, const pqti_ball *ball, double end,
                              pqti_obstacle_hit *hit);

/* Returns a free position near `position` within the ball's centre bounds. `position` overlaps
 * pixels by no more than rounding. If there is no free position just outside the pixels, returns
 * one on the way to `from`, which is free. */
pqt_vec pqti_obstacle_view_nudge_free(const pqti_obstacle_view *obstacle, const pqti_ball *ball,
                                      pqt_vec from, pqt_vec position);

/* Returns the fraction of a push after which the ball is just short of hitting a pixel, and stores
 * the direction to the pixel in *toward. Returns 1 if the ball hits no pixel. */
double pqti_obstacle_view_free_fraction(pqti_obstacle_view *obstacle, const pqti_ball *ball,
                                        pqt_vec push, pqt_vec *toward);

/* Writes the motions parallel to an axis that move a ball from `position` out of all pixels, to a
 * position within its centre bounds. The shortest motion comes first; equal ones are in the order
 * left, right, up, down. Returns the number of motions. */
int pqti_obstacle_view_free_directions(const pqti_obstacle_view *obstacle, const pqti_ball *ball,
                                       pqt_vec position, pqt_vec directions[4]);

#endif
