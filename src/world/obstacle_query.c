/* SPDX-License-Identifier: MIT */
/* obstacle_query.c - places that are free of the pixels of an obstacle, and ways to them. */
#include "config.h"

#include "world/obstacle_query.h"

#include <stddef.h>

#include <pqt/region_overlap.h>
#include <pqt/shape.h>

#include "region/collision/region_circle.h"

/* How often a place that overlaps by rounding is moved out, each time by twice as much more. */
enum { MOST_TRIES = 12 };

pqti_barrier
pqti_barrier_of(const pqt_region *region, pqt_vec at, pqt_pixel_box box)
{
    const pqt_box pixels = {{box.min.x, box.min.y}, {box.max.x, box.max.y}};
    return (pqti_barrier){.region = region, .at = at, .bounds = pqt_box_moved(pixels, at)};
}

/* ---- What is free ---- */

/* Whether a circle overlaps a full square, which is then told. */
static bool
finds(const pqti_barrier *barrier, pqt_circle circle, pqt_box *met)
{
    return pqt_circle_overlaps_box(circle, barrier->bounds) &&
           pqti_circle_overlaps_region(circle, barrier->region, barrier->at, met);
}

bool
pqti_barrier_overlaps(const pqti_barrier *barrier, pqt_vec place, double radius)
{
    return finds(barrier, (pqt_circle){place, pqti_barrier_radius(radius)}, NULL);
}

static pqt_vec
within_room(const pqti_ball *ball, pqt_vec place)
{
    return (pqt_vec){pqti_clamp(place.x, ball->room.min.x, ball->room.max.x),
                     pqti_clamp(place.y, ball->room.min.y, ball->room.max.y)};
}

/* The place out of a box by a radius and some more, straight away from its nearest point. */
static pqt_vec
out_of(pqt_box box, pqt_vec place, double radius, double more)
{
    const pqt_vec nearest = {pqti_clamp(place.x, box.min.x, box.max.x),
                             pqti_clamp(place.y, box.min.y, box.max.y)};
    const pqt_vec out = pqt_vec_subtract(place, nearest);
    const double length = pqt_vec_length(out);
    if (length == 0)
        return place;
    const double factor = (radius + more) / length;
    if (!isfinite(factor))
        return pqt_vec_add(nearest, pqt_vec_scale(pqt_vec_normalize(out), radius + more));
    return (pqt_vec){nearest.x + out.x * factor, nearest.y + out.y * factor};
}

/* Moves a place out of one square after another. */
static bool
push_out(const pqti_barrier *barrier, const pqti_ball *ball, pqt_vec *place)
{
    const double radius = pqti_barrier_radius(ball->radius);
    const double size = radius + pqti_magnitude(place->x) + pqti_magnitude(place->y);
    double more = 0x1p-53 * size;
    for (int i = 0; i < MOST_TRIES; i++, more *= 2) {
        pqt_box met;
        if (!finds(barrier, (pqt_circle){*place, radius}, &met))
            return true;
        *place = within_room(ball, out_of(met, *place, radius, more));
    }
    return !pqti_barrier_overlaps(barrier, *place, radius);
}

pqt_vec
pqti_barrier_freed(const pqti_barrier *barrier, const pqti_ball *ball, pqt_vec from, pqt_vec place)
{
    pqt_vec free = place = within_room(ball, place);
    if (push_out(barrier, ball, &free))
        return free;
    for (double part = 0x1p-52; part < 1; part *= 2) {
        free = (pqt_vec){place.x + (from.x - place.x) * part, place.y + (from.y - place.y) * part};
        if (!pqti_barrier_overlaps(barrier, free, ball->radius))
            return free;
    }
    return from;
}

/* ---- The way out ---- */

/* Of a vector along an axis. */
static double
length_of(pqt_vec v)
{
    return pqti_magnitude(v.x + v.y);
}

int
pqti_barrier_ways_out(const pqti_barrier *barrier, const pqti_ball *ball, pqt_vec place,
                      pqt_vec ways[4])
{
    static const pqt_vec axes[4] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    const pqt_circle circle = {place, pqti_barrier_radius(ball->radius)};
    int count = 0;
    for (int i = 0; i < 4; i++) {
        const double length = pqti_circle_exit(circle, barrier->region, barrier->at, axes[i]);
        const pqt_vec out = {axes[i].x * length, axes[i].y * length};
        if (!pqt_box_contains(ball->room, pqt_vec_add(place, out)))
            continue;
        int k = count++;
        for (; k > 0 && length_of(ways[k - 1]) > length; k--)
            ways[k] = ways[k - 1];
        ways[k] = out;
    }
    return count;
}
