/* SPDX-License-Identifier: MIT */
/* region_overlap.h - whether two regions overlap, at a place that is known to be near enough. */
#ifndef PQTI_REGION_OVERLAP_H
#define PQTI_REGION_OVERLAP_H

#include "collision/region_place.h"

/* At a whole offset. */
bool pqti_regions_overlap(const pqt_region *a, const pqt_region *b, pqt_pixel offset);

/* At any. */
bool pqti_regions_overlap_at(const pqt_region *a, const pqt_region *b, pqti_place offset);

#endif
