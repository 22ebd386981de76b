/* SPDX-License-Identifier: MIT */
/*
 * region_overlap_internal.h - whether two regions overlap, at a place that is known to be near
 * enough.
 */
#ifndef PQTI_REGION_OVERLAP_INTERNAL_H
#define PQTI_REGION_OVERLAP_INTERNAL_H

#include "region/collision/fixpos.h"

/* Whether they overlap at an offset, whole or not. */
bool pqti_regions_overlap_at(const pqt_region *a, const pqt_region *b, pqti_fixpos offset);

#endif
