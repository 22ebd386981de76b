/* SPDX-License-Identifier: MIT */
/* region_circle.h - a circle beside the pixels of a region that rests: what it overlaps, and the way out. */
#ifndef PQTI_REGION_CIRCLE_H
#define PQTI_REGION_CIRCLE_H

#include <stdbool.h>

#include <pqt/box.h>
#include <pqt/region.h>
#include <pqt/shape.h>

/*
 * Whether a circle of some radius overlaps a full square of a region that is put at whole 1/1024 pixels. `met`,
 * unless NULL, is set to such a square.
 */
bool pqti_circle_overlaps_region(pqt_circle circle, const pqt_region *region, pqt_vec at,
                                 pqt_box *met);

/* How far it must be moved along an axis, a vector of length 1, until it overlaps none. */
double pqti_circle_exit(pqt_circle circle, const pqt_region *region, pqt_vec at, pqt_vec axis);

#endif
