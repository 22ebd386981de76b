/* SPDX-License-Identifier: MIT */
/*
 * separate_obstacle.h: moves balls out of the obstacle if they overlap it when a step begins.
 *
 * The depth of a ball is the length of the shortest motion parallel to an axis that ends at a free
 * position within the walls. It decreases along that motion, so no ball is moved deeper into the
 * obstacle, however thick that is.
 */
#ifndef PQTI_SEPARATE_OBSTACLE_H
#define PQTI_SEPARATE_OBSTACLE_H

#include <pqt/step.h>

#include "world/broadphase.h"

/* Moves balls that overlap the obstacle toward a free position, each by at most its radius, as far
 * as walls and other balls permit. They are static until they are released. Returns false with an
 * error set when out of memory. */
bool pqti_separate_obstacle(pqti_broad_phase *broad_phase, pqt_step_report *report,
                            pqt_error *error);

/* Releases the balls that are free. The others remain static for the rest of the step. Returns
 * false when out of memory. */
bool pqti_separate_obstacle_end(pqti_broad_phase *broad_phase, pqt_error *error);

#endif
