/* SPDX-License-Identifier: MIT */
/* overlap_visit.h: finds the first pair of pixels that overlap. */
#ifndef PQTI_OVERLAP_VISIT_H
#define PQTI_OVERLAP_VISIT_H

#include "region/collision/fixpos.h"

/* Like pqt_region_first_overlap, but for an offset that has been validated. */
bool pqti_regions_first(const pqt_region *a, const pqt_region *b, pqti_fixpos offset, pqt_side side,
                        pqt_pixel_pair *first);

#endif
