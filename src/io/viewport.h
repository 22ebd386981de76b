/* SPDX-License-Identifier: MIT */
/*
 * viewport.h: maps world coordinates to the map of a picture.
 *
 * Coordinates are halved before they are subtracted, and differences are divided by the extent, so
 * nothing overflows or underflows in worlds of size 1e300 or 1e-300. Coordinates far outside the
 * map are clamped to a margin around it, which changes nothing visible.
 */
#ifndef PQTI_VIEWPORT_H
#define PQTI_VIEWPORT_H

#include <stdbool.h>
#include <stdint.h>

#include <pqt/segment.h>
#include <pqt/svg.h>

/* A box on the map, in hundredths of picture units; min <= max, even with flip_y. */
typedef struct pqti_device_rect {
    int32_t min_x, min_y, max_x, max_y;
} pqti_device_rect;

/* Returns the value clamped to low .. high. Returns `low` for NaN. */
static inline double
pqti_clamped(double value, double low, double high)
{
    if (!(value > low))
        return low;
    return value < high ? value : high;
}

/* Sets the mapping of `svg` so that the world fits in a map of at most width x height, and the map
   is at least half as wide and half as high as that. */
void pqti_viewport_fit(pqt_svg *svg, pqt_box world, double width, double height);

/* Maps a point from world units to picture units, without clamping. */
pqt_vec pqti_viewport_point(const pqt_svg *svg, pqt_vec point);

/* Map one coordinate to hundredths of picture units, clamped to a margin around the map. */
int32_t pqti_viewport_x(const pqt_svg *svg, double x);
int32_t pqti_viewport_y(const pqt_svg *svg, double y);

pqti_device_rect pqti_viewport_rect(const pqt_svg *svg, const pqt_box *box);

/* Returns true if part of the rectangle or of its stroke may be visible. */
bool pqti_viewport_shows(const pqt_svg *svg, const pqti_device_rect *rect);

/* Returns true if both sides are shorter than `units` picture units. */
bool pqti_device_rect_is_smaller(const pqti_device_rect *rect, double units);

/* Clips a valid segment to the map and a margin around it. Returns false if nothing is left of
   it. */
bool pqti_viewport_clip(const pqt_svg *svg, pqt_segment *segment);

#endif
