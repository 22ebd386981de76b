/* SPDX-License-Identifier: MIT */
/*
 * separate_obstacle.h - bringing balls out of the obstacle that overlap it when a step begins.
 *
 * How deep one is, is told by the shortest way along an axis that leads out within the walls. On
 * that way it gets ever shorter; so none gets deeper, however thick the rock is.
 */
#ifndef PQTI_SEPARATE_OBSTACLE_H
#define PQTI_SEPARATE_OBSTACLE_H

#include <pqt/step.h>

#include "world/broadphase.h"

/*
 * Moves balls that overlap the obstacle toward the open, each by at most its radius, as far as
 * walls and other balls let it. They stand still until they are released. False with an error told:
 * no memory.
 */
bool pqti_separate_obstacle(pqti_broad_phase *broad_phase, pqt_step_report *report,
                            pqt_error *error);

/* Lets those fly that are out. The others stand still for the rest of the step. False: no
   memory. */
bool pqti_separate_obstacle_end(pqti_broad_phase *broad_phase, pqt_error *error);

#endif
