/* SPDX-License-Identifier: MIT */
/*
 * viewport.h - where things of the world lie on a picture's map.
 *
 * Places are computed from halves and as quotients, as on the tree's lattice, so worlds of 1e300
 * and 1e-300 are drawn like any other. What lies far outside the map is brought near it, which
 * changes nothing that can be seen.
 */
#ifndef PQTI_VIEWPORT_H
#define PQTI_VIEWPORT_H

#include <stdbool.h>
#include <stdint.h>

#include <pqt/segment.h>
#include <pqt/svg.h>

/* A box on the map, in hundredths of picture units; min <= max, whichever way y points. */
typedef struct pqti_device_rect {
    int32_t min_x, min_y, max_x, max_y;
} pqti_device_rect;

/* A number no less than `low` and no more than `high`; of NaN, `low`. */
static inline double
pqti_clamped(double value, double low, double high)
{
    if (!(value > low))
        return low;
    return value < high ? value : high;
}

/* Lays the world into a map of at most this size, at least half of it; sets what of svg says so. */
void pqti_viewport_fit(pqt_svg *svg, pqt_box world, double width, double height);

/* From world units to picture units on the map, however far off it. */
pqt_vec pqti_viewport_point(const pqt_svg *svg, pqt_vec p);

/* The same of one coordinate in hundredths, and near the map. */
int32_t pqti_viewport_x(const pqt_svg *svg, double x);
int32_t pqti_viewport_y(const pqt_svg *svg, double y);

pqti_device_rect pqti_viewport_rect(const pqt_svg *svg, const pqt_box *box);

/* Whether anything of it can be seen, strokes included. */
bool pqti_viewport_shows(const pqt_svg *svg, const pqti_device_rect *rect);

/* Whether both sides are shorter than so many picture units. */
bool pqti_device_rect_is_smaller(const pqti_device_rect *rect, double units);

/* Cuts a valid segment off near the map; false if nothing of it comes near. */
bool pqti_viewport_cut(const pqt_svg *svg, pqt_segment *segment);

#endif
