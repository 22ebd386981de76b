/* SPDX-License-Identifier: MIT */
/* viewport.c - where things of the world lie on a picture's map. */
#include "config.h"

#include "io/viewport.h"

#include <pqt/segment.h>

#include "io/svg_path.h"

/* Picture units: where far things are brought, farther off the map than strokes are wide. */
#define OUTSIDE 64.0

/* The side that is longer for its room fills it, the other is centred. */
void
pqti_viewport_fit(pqt_svg *svg, pqt_box world, double width, double height)
{
    double half_width = world.max.x / 2 - world.min.x / 2;
    double half_height = world.max.y / 2 - world.min.y / 2;
    bool wide = half_width / width >= half_height / height;
    svg->half_low = (pqt_vec){world.min.x / 2, world.min.y / 2};
    svg->half_extent = wide ? half_width : half_height;
    svg->scale = wide ? width : height;
    if (svg->half_extent == 0) { /* a point: any scale shows it */
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
pqti_viewport_point(const pqt_svg *svg, pqt_vec p)
{
    pqt_vec spot = {(p.x / 2 - svg->half_low.x) / svg->half_extent * svg->scale + svg->inset.x,
                    (p.y / 2 - svg->half_low.y) / svg->half_extent * svg->scale + svg->inset.y};
    if (svg->flip_y)
        spot.y = svg->map.y - spot.y;
    return spot;
}

int32_t
pqti_viewport_x(const pqt_svg *svg, double x)
{
    double spot = pqti_viewport_point(svg, (pqt_vec){x, 0}).x;
    return pqti_hundredths(pqti_clamped(spot, -OUTSIDE, svg->map.x + OUTSIDE));
}

int32_t
pqti_viewport_y(const pqt_svg *svg, double y)
{
    double spot = pqti_viewport_point(svg, (pqt_vec){0, y}).y;
    return pqti_hundredths(pqti_clamped(spot, -OUTSIDE, svg->map.y + OUTSIDE));
}

pqti_device_rect
pqti_viewport_rect(const pqt_svg *svg, const pqt_box *box)
{
    int32_t top = pqti_viewport_y(svg, svg->flip_y ? box->max.y : box->min.y);
    int32_t bottom = pqti_viewport_y(svg, svg->flip_y ? box->min.y : box->max.y);
    return (pqti_device_rect){pqti_viewport_x(svg, box->min.x), top,
                              pqti_viewport_x(svg, box->max.x), bottom};
}

/* Strokes reach out by less than half of OUTSIDE. */
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

/* The part of a segment that is drawn, from 0 to 1; nothing of it if first > last. */
typedef struct span {
    double first, last;
} span;

/*
 * Cuts a span to where one coordinate lies between low and high: it is `from` at 0, and grows by
 * `step` to 1. The fences may be infinite, as those of worlds of 1e308 are.
 */
static void
cut_at_border(span *part, double from, double step, double low, double high)
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

/* Where the fence about the map stands: OUTSIDE off it, in half world units. */
static double
border_at(const pqt_svg *svg, double half_low, double units)
{
    return half_low + units / svg->scale * svg->half_extent;
}

/* Cuts at the fence, as Y. Liang and B. Barsky do ("A new concept and method for line clipping",
   1984). */
static span
span_on_map(const pqt_svg *svg, pqt_vec half_from, pqt_vec half_step)
{
    span part = {0, 1};
    cut_at_border(&part, half_from.x, half_step.x,
                  border_at(svg, svg->half_low.x, -svg->inset.x - OUTSIDE),
                  border_at(svg, svg->half_low.x, svg->map.x - svg->inset.x + OUTSIDE));
    cut_at_border(&part, half_from.y, half_step.y,
                  border_at(svg, svg->half_low.y, -svg->inset.y - OUTSIDE),
                  border_at(svg, svg->half_low.y, svg->map.y - svg->inset.y + OUTSIDE));
    return part;
}

bool
pqti_viewport_cut(const pqt_svg *svg, pqt_segment *segment)
{
    pqt_vec from = {segment->from.x / 2, segment->from.y / 2};
    pqt_vec step = {segment->to.x / 2 - from.x, segment->to.y / 2 - from.y};
    const span part = span_on_map(svg, from, step);
    if (!(part.first <= part.last))
        return false;
    *segment =
        (pqt_segment){pqt_segment_at(*segment, part.first), pqt_segment_at(*segment, part.last)};
    return true;
}
