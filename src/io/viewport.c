/* SPDX-License-Identifier: MIT */
/* viewport.c: maps world coordinates to the map of a picture. */
#include "config.h"

#include "io/viewport.h"

#include <pqt/segment.h>

#include "io/svg_path.h"

/* Coordinates are clamped to this distance from the map, in picture units. No stroke is wide enough
   to reach the map from there. */
#define OUTSIDE 64.0

/* Scales the world so that it fills the map along one axis, and centres it along the other. */
void
pqti_viewport_fit(pqt_svg *svg, pqt_box world, double width, double height)
{
    double half_width = world.max.x / 2 - world.min.x / 2;
    double half_height = world.max.y / 2 - world.min.y / 2;
    bool wide = half_width / width >= half_height / height;
    svg->half_low = (pqt_vec){world.min.x / 2, world.min.y / 2};
    svg->half_extent = wide ? half_width : half_height;
    svg->scale = wide ? width : height;
    if (svg->half_extent == 0) { /* the world is a point, so any scale will do */
        svg->half_extent = 1;
        svg->scale = 1;
    }
    double used_x = half_width / svg->half_extent * svg->scale;
    double used_y = half_height / svg->half_extent * svg->scale;
    svg->map =
        (pqt_vec){pqti_clamped(used_x, width / 2, width), pqti_clamped(used_y, height / 2, height)};
    svg->inset = (pqt_vec){(svg->map.x - used_x) / 2, (svg->map.y - used_y) / 2};
}

pqt_vec
pqti_viewport_point(const pqt_svg *svg, pqt_vec point)
{
    pqt_vec at = {(point.x / 2 - svg->half_low.x) / svg->half_extent * svg->scale + svg->inset.x,
                  (point.y / 2 - svg->half_low.y) / svg->half_extent * svg->scale + svg->inset.y};
    if (svg->flip_y)
        at.y = svg->map.y - at.y;
    return at;
}

int32_t
pqti_viewport_x(const pqt_svg *svg, double x)
{
    double at = pqti_viewport_point(svg, (pqt_vec){x, 0}).x;
    return pqti_hundredths(pqti_clamped(at, -OUTSIDE, svg->map.x + OUTSIDE));
}

int32_t
pqti_viewport_y(const pqt_svg *svg, double y)
{
    double at = pqti_viewport_point(svg, (pqt_vec){0, y}).y;
    return pqti_hundredths(pqti_clamped(at, -OUTSIDE, svg->map.y + OUTSIDE));
}

pqti_device_rect
pqti_viewport_rect(const pqt_svg *svg, const pqt_box *box)
{
    int32_t top = pqti_viewport_y(svg, svg->flip_y ? box->max.y : box->min.y);
    int32_t bottom = pqti_viewport_y(svg, svg->flip_y ? box->min.y : box->max.y);
    return (pqti_device_rect){pqti_viewport_x(svg, box->min.x), top,
                              pqti_viewport_x(svg, box->max.x), bottom};
}

/* Allows a margin of half of OUTSIDE, because no stroke reaches that far beyond its line. */
bool
pqti_viewport_shows(const pqt_svg *svg, const pqti_device_rect *rect)
{
    int32_t reach = pqti_hundredths(OUTSIDE / 2);
    return rect->max_x >= -reach && rect->min_x <= pqti_hundredths(svg->map.x) + reach &&
           rect->max_y >= -reach && rect->min_y <= pqti_hundredths(svg->map.y) + reach;
}

bool
pqti_device_rect_is_smaller(const pqti_device_rect *rect, double units)
{
    int32_t side = pqti_hundredths(units);
    return rect->max_x - rect->min_x < side && rect->max_y - rect->min_y < side;
}

/* The part of a segment that is drawn, as fractions 0..1 of its length. It is empty if first >
   last. */
typedef struct span {
    double first, last;
} span;

/*
 * Clips a span to the fractions at which one coordinate is in low .. high. The coordinate is `from`
 * at fraction 0 and `from + step` at fraction 1. `low` and `high` may be infinite, as in a world of
 * size 1e308.
 */
static void
clip_axis(span *part, double from, double step, double low, double high)
{
    if (step == 0) {
        if (from < low || from > high)
            part->last = -1;
        return;
    }
    double first = ((step > 0 ? low : high) - from) / step;
    double last = ((step > 0 ? high : low) - from) / step;
    if (first > part->first)
        part->first = first;
    if (last < part->last)
        part->last = last;
}

/* Returns the coordinate, in half world units, of the position `units` picture units from the lower
   corner of the world on the map. */
static double
half_world_at(const pqt_svg *svg, double half_low, double units)
{
    return half_low + units / svg->scale * svg->half_extent;
}

/* Clips a segment to the map extended by OUTSIDE on each side. Source: Y. Liang, B. Barsky, "A new
   concept and method for line clipping", 1984. */
static span
clip_to_map(const pqt_svg *svg, pqt_vec half_from, pqt_vec half_step)
{
    span part = {0, 1};
    clip_axis(&part, half_from.x, half_step.x,
              half_world_at(svg, svg->half_low.x, -svg->inset.x - OUTSIDE),
              half_world_at(svg, svg->half_low.x, svg->map.x - svg->inset.x + OUTSIDE));
    clip_axis(&part, half_from.y, half_step.y,
              half_world_at(svg, svg->half_low.y, -svg->inset.y - OUTSIDE),
              half_world_at(svg, svg->half_low.y, svg->map.y - svg->inset.y + OUTSIDE));
    return part;
}

bool
pqti_viewport_clip(const pqt_svg *svg, pqt_segment *segment)
{
    pqt_vec from = {segment->from.x / 2, segment->from.y / 2};
    pqt_vec step = {segment->to.x / 2 - from.x, segment->to.y / 2 - from.y};
    const span part = clip_to_map(svg, from, step);
    if (!(part.first <= part.last))
        return false;
    *segment =
        (pqt_segment){pqt_segment_at(*segment, part.first), pqt_segment_at(*segment, part.last)};
    return true;
}
