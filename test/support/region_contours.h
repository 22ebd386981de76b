/* SPDX-License-Identifier: MIT */
/* region_contours.h: compares the contours of a region with its bitmap. */
#ifndef TEST_REGION_CONTOURS_H
#define TEST_REGION_CONTOURS_H

#include <pqt/region_contour.h>

#include "region_versions.h"

/* Returns twice the area inside of a polygon; above 0 if it runs clockwise on a screen. */
int64_t polygon_area_twice(const pqt_pixel *corners, size_t count);

/* Checks the contours of a version, exact and simplified. */
void region_check_contours(stage *s, const version *v);

#endif
